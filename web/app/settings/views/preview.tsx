// The number of conversations that conditions choose now, and the first of them.
import { createResource, createSignal, For, onCleanup, Show } from 'solid-js';
import { call, rowsOf } from '../../../kit/api';
import { numberText } from '../../../kit/words';
import type { Group } from '../rules/conditions';
import { say } from '../words';

const PAUSE_MS = 400;

export const Preview = (props: { groups: Group[] }) => {
  const asked = () => JSON.stringify(props.groups);
  const [settled, setSettled] = createSignal(asked());
  const later = () => { const text = asked(); const timer = setTimeout(() => setSettled(text), PAUSE_MS); onCleanup(() => clearTimeout(timer)); return text; };
  const [found] = createResource(settled, async (text) => {
    try {
      const reply = await call('POST', '/views/preview', { query: { limit: 3, fields: 'subject' }, body: { predicate_collections: JSON.parse(text) } });
      return { count: reply.total_count ?? 0, subjects: rowsOf(reply).map((row) => String(row['subject'] || '')) };
    } catch {
      return undefined; // a condition is not complete yet; the form says so when it is saved
    }
  });
  return (
    <div class="preview" role="status" data-for={later()}>
      <Show when={found.latest} fallback={<p class="soft">{say('preview_none')}</p>}>
        {(all) => <><p><b>{say('preview', { n: all().count })}</b></p><ul><For each={all().subjects}>{(subject) => <li dir="auto">{subject}</li>}</For><Show when={all().count > all().subjects.length}><li class="soft">{say('preview_more', { n: numberText(all().count - all().subjects.length) })}</li></Show></ul></>}
      </Show>
    </div>
  );
};

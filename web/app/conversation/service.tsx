// The clocks of a conversation, and on request their explanation in words.
import { createSignal, For, Show, Suspense } from 'solid-js';
import type { Row } from '../../kit/api';
import { lazy } from '../../kit/lazy';
import { rowOf } from '../../kit/store';
import { fullTime, now, say, shortTime, type Word } from '../../kit/words';
import type { Conversation } from './data';

const Explanation = lazy(async () => (await import('./explanation')).loadExplanation());

export const CLOCKS: Record<string, Word> = { FIRST_REPLY_TIME: 'clock_first', NEXT_REPLY_TIME: 'clock_next', RESOLUTION_TIME: 'clock_resolution' };

export const Service = (props: { conversation: Conversation }) => {
  const c = props.conversation;
  const [explained, setExplained] = createSignal(false);
  const clocks = () => ((c.row()?.sla_metrics ?? []) as unknown as Row[]).map((ref) => rowOf('sla_metric', ref)).filter((m) => m !== undefined);
  const clockText = (m: ReturnType<typeof clocks>[number]) =>
    m.stage === 'COMPLETED' ? say(m.is_breached ? 'clock_broken' : 'clock_kept')
      : m.stage === 'PAUSED' || !m.due_at ? say('clock_paused')
      : say(Date.parse(m.due_at) < now() ? 'overdue' : 'due', { time: shortTime(m.due_at) });
  return (
    <Show when={clocks().length}>
      <section class="details-part" aria-labelledby="clocks-title">
        <h3 id="clocks-title">{say('service')}</h3>
        <dl>
          <For each={clocks()}>{(m) => <><dt>{say(CLOCKS[m.metric_type ?? ''] ?? 'service')}</dt><dd classList={{ late: !!m.is_breached }} title={m.due_at ? fullTime(m.due_at) : undefined}>{clockText(m)}</dd></>}</For>
        </dl>
        <button type="button" class="link" aria-expanded={explained()} onClick={() => setExplained(!explained())}>{say(explained() ? 'explain_hide' : 'explain')}</button>
        <Show when={explained()}><Suspense><Explanation caseId={c.id} /></Suspense></Show>
      </section>
    </Show>
  );
};

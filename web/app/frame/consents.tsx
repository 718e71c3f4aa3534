// Says to admins and owners that a mailbox has lost the consent of its provider, so that its mails wait. Asked at the start, when the page is
// looked at again, and every five minutes; while the sentence is shown, also at each new place, because a step there may have ended it.
import { createEffect, createMemo, createSignal, on, onCleanup, Show } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { href, place } from '../../kit/route';
import { say } from './consent_words';

const PAUSE_MS = 300_000;
const FIELDS = ['address', 'is_enabled', 'oauth_state', 'oauth_connected_at'] as const;

export const Consents = () => {
  const [lost, setLost] = createSignal<{ id: number; address: string }[]>([]);
  const look = () => {
    if (document.visibilityState !== 'visible') return;
    void get('/mailboxes', { fields: FIELDS.join(','), limit: 200 }).then((reply) => {
      setLost(rowsOf(reply).filter((row) => row['oauth_state'] === 'NEEDS_CONSENT' && row['oauth_connected_at'] && row['is_enabled'])
        .map((row) => ({ id: row.id, address: String(row['address']) })));
    }, () => undefined); // the next look may succeed
  };
  const at = createMemo(() => lost().length > 0 && place().parts.join('/'));
  createEffect(on(at, look));
  const timer = setInterval(look, PAUSE_MS);
  document.addEventListener('visibilitychange', look);
  onCleanup(() => { clearInterval(timer); document.removeEventListener('visibilitychange', look); });
  const where = () => href(`/settings/mailboxes${lost().length === 1 ? `/${lost()[0]!.id}` : ''}`);
  return (
    <span class="notice consents" role="status" hidden={!lost().length}>
      <Show when={lost()[0]}>{(one) => <a href={where()}>{lost().length === 1 ? say('consent_lost', { address: one().address }) : say('consents_lost', { n: lost().length })}</a>}</Show>
    </span>
  );
};

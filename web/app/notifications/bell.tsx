// The number of unread notifications, kept by the person's own channel.
import { createSignal, Show } from 'solid-js';
import { get } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { follow } from '../../kit/live';
import { go, href } from '../../kit/route';
import { numberText, say } from '../../kit/words';
import { me } from '../session/session';

const [unread, setUnread] = createSignal(0);
/** Changes with each event of the channel. */
const [told, setTold] = createSignal(0);
export { unread, told };

const count = async () => setUnread((await get('/notifications', { unread: true, limit: 1, fields: 'type' })).total_count ?? 0);

export const Bell = () => {
  void count().catch(() => undefined);
  const channel = (me() as { notification_channel?: string } | null | undefined)?.notification_channel;
  if (channel) follow(channel, (_, payload) => {
    const n = payload.changed_properties['unread_count'] ?? (payload as { unread_count?: unknown }).unread_count;
    if (typeof n === 'number') setUnread(n); else void count().catch(() => undefined);
    setTold((times) => times + 1);
  }, { events: ['NEW_NOTIFICATION', 'CHANGE'] });
  useKeys([{ key: 'b', word: 'key_notifications', run: () => go('/notifications') }]);
  return (
    <a class="button bell" href={href('/notifications')}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path fill="currentColor" d="M8 1a4 4 0 0 0-4 4v3L2.5 11h11L12 8V5a4 4 0 0 0-4-4zM6 12.5a2 2 0 0 0 4 0z" /></svg>
      <span class="wide">{say('notifications')}</span> <Show when={unread()}><span class="badge">{numberText(unread())}<span class="hidden"> {say('unread')}</span></span></Show>
    </a>
  );
};

// All notifications of the person, the newest first.
import { createEffect, createSignal, For, on, Show } from 'solid-js';
import { call, get, type Ref } from '../../kit/api';
import { Face } from '../../kit/marks';
import { go, href } from '../../kit/route';
import { keepReply, rowOf, type Shown } from '../../kit/store';
import { tellWrong } from '../../kit/strip';
import { fullTime, say as sayOfAll, shortTime } from '../../kit/words';
import { told, unread } from './bell';
import { say, type NotificationWord } from './words';

const FIELDS = ['type', 'case', 'actor', 'others_count', 'read_at', 'created_at'] as const;
type Notification = Shown<'notification', typeof FIELDS>;
const QUERY = { fields: FIELDS.join(','), include: 'user_minimal,case', _flat: true, limit: 30 };
const WORDS: Record<string, NotificationWord> = {
  case_assigned_to_agent: 'told_agent', case_assigned_to_team: 'told_team', reply_on_case: 'told_reply',
  mentioned_in_conversation: 'told_mention', sla_breached: 'told_breach', sla_warning: 'told_warning',
  scheduled_reply_refused: 'told_refused',
};

export const Notifications = () => {
  const [ids, setIds] = createSignal<number[]>(), [more, setMore] = createSignal(false), [failed, setFailed] = createSignal(false);
  const read = async (after?: number) => {
    try {
      const reply = await get('/notifications', { ...QUERY, after_id: after });
      const found = keepReply(reply);
      setIds((former) => after === undefined ? found : [...former ?? [], ...found]);
      setMore(found.length === QUERY.limit);
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  createEffect(on(told, () => void read()));
  document.title = `${sayOfAll('notifications')} · deskd`;

  const open = async (n: Notification) => {
    if (!n.read_at) void call('PUT', `/notifications/${n.id}/read`).then(keepReply).catch(() => undefined);
    go(`/cases/${(n.case as Ref | null)?.id ?? 0}`);
  };
  const readAll = async () => {
    const newest = ids()?.[0];
    if (newest === undefined) return;
    await call('PUT', '/notifications/read_all', { body: { until_id: newest } }).then(() => read(), (error: Error) => tellWrong(error.message));
  };
  return (
    <main class="screen region" aria-labelledby="notifications-title" tabindex="-1" data-region>
      <div class="form">
        <header class="person-head"><h1 id="notifications-title">{sayOfAll('notifications')}</h1><span class="grow" />
          <button type="button" disabled={!unread()} onClick={() => void readAll()}>{say('read_all')}</button></header>
        <Show when={failed()}><p class="wrong" role="alert">{sayOfAll('list_failed')} <button type="button" onClick={() => void read()}>{sayOfAll('retry')}</button></p></Show>
        <Show when={ids()?.length === 0}><div class="empty"><p>{say('no_notifications')}</p><p class="soft">{say('no_notifications_next')}</p></div></Show>
        <ul class="told">
          <For each={ids()}>
            {(id) => (
              <Show when={rowOf('notification', id) as Notification | undefined}>
                {(n) => {
                  const actor = () => rowOf('user', n().actor as Ref | null)?.full_name ?? sayOfAll('server');
                  return (
                    <li classList={{ 'is-unread': !n().read_at }}>
                      <a href={href(`/cases/${(n().case as Ref | null)?.id ?? 0}`)} onClick={(event) => { if (!event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); void open(n()); } }}>
                        <Face name={actor()} />
                        <span class="told-text"><span dir="auto">{say(WORDS[n().type ?? ''] ?? 'told_reply', { name: actor() })}</span>
                          <b dir="auto">{rowOf('case', n().case as Ref | null)?.subject || sayOfAll('no_subject')}</b>
                          <Show when={n().others_count}><span class="soft">{say('told_others', { n: n().others_count ?? 0 })}</span></Show></span>
                        <Show when={!n().read_at}><span class="dot"><span class="hidden">{sayOfAll('unread')}</span></span></Show>
                        <time dateTime={n().created_at as string} title={fullTime(n().created_at as string)}>{shortTime(n().created_at as string)}</time>
                      </a>
                    </li>
                  );
                }}
              </Show>
            )}
          </For>
        </ul>
        <Show when={more()}><button type="button" onClick={() => void read(ids()?.at(-1))}>{sayOfAll('show_more')}</button></Show>
      </div>
    </main>
  );
};

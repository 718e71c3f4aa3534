// Puts conversations aside until a time or until the customer replies. Loaded when it is asked for first.
import { createUniqueId, onMount, Show } from 'solid-js';
import { render } from 'solid-js/web';
import { call } from '../../kit/api';
import type { Found } from '../../kit/finders';
import { change, keepReply, rowOf } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import { fullTime, language, now, say as sayCommon, shortTime, zone } from '../../kit/words';
import type { Conversation, RefTo } from '../conversation/data';
import { showPalette } from '../palette/open';
import { fieldOf, fromField, localOf, nearTimes, tomorrow } from './times';
import { say, type SnoozeWord } from './words';

export { ready } from './words';

/** The body of the request. */
export type Until = { until: string } | { until_reply: true };
export interface Snooze { until: string | null; snoozed_by: RefTo }

const MOST_MS = 365 * 86_400_000;
const dayText = (at: number) => new Intl.DateTimeFormat(language(), { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', timeZone: zone() }).format(at);
const untilText = (until: Until) => 'until' in until ? say('snoozed_until', { time: fullTime(until.until) }) : say('snoozed_reply');
/** What sets this snooze again; null: its time has come meanwhile. */
export const bodyOf = ({ until }: Snooze): Until | null => !until ? { until_reply: true } : Date.parse(until) > now() ? { until } : null;

/** Asks for a time by a calendar. */
const askTime = (label: string, of: { field: SnoozeWord; submit: SnoozeWord }, done: (at: number) => void) => {
  const place = document.body.appendChild(document.createElement('div')), title = createUniqueId(), returnTo = document.activeElement;
  let dialog!: HTMLDialogElement, field!: HTMLInputElement;
  const end = () => { stop(); place.remove(); if (returnTo instanceof HTMLElement) returnTo.focus(); };
  const stop = render(() => {
    onMount(() => { dialog.showModal(); field.focus(); });
    return (
      <dialog ref={dialog} class="card snooze-time" aria-labelledby={title} onClose={end}>
        <h2 id={title}>{label}</h2>
        <form class="form" onSubmit={(event) => { event.preventDefault(); const at = fromField(field.value); dialog.close(); done(at); }}>
          <label>{say(of.field)} <input ref={field} type="datetime-local" required value={fieldOf(tomorrow())} min={fieldOf(localOf(now()) + 60_000)} max={fieldOf(localOf(now() + MOST_MS))} /></label>
          <Show when={zone()}>{(name) => <p class="soft">{say('times', { zone: name().replaceAll('_', ' ') })}</p>}</Show>
          <p class="snooze-foot"><button type="submit" class="main">{say(of.submit)}</button> <button type="button" onClick={() => dialog.close()}>{say('cancel')}</button></p>
        </form>
      </dialog>
    );
  }, place);
};

const near = (done: (at: number) => void): Found[] => nearTimes().map(({ label, at }) => ({ label, more: dayText(at), run: () => done(at) }));
const iso = (at: number) => new Date(at).toISOString();

/** Shows the times in the palette. */
export const chooseSnooze = (label: string, done: (until: Until) => void) => {
  const at = (time: number) => done({ until: iso(time) });
  showPalette({ label, finders: [{ word: 'snooze', find: () => [
    ...near(at),
    { label: say('until_reply'), run: () => done({ until_reply: true }) },
    { label: say('until_other'), run: () => askTime(label, { field: 'time', submit: 'snooze' }, at) },
  ] }] });
};
/** Shows times at which a reply may be sent. */
export const chooseLater = (done: (at: string) => void) => {
  const at = (time: number) => done(iso(time));
  showPalette({ label: say('later'), finders: [{ word: 'send_later', find: () => [...near(at), { label: say('until_other'), run: () => askTime(say('later'), { field: 'later_label', submit: 'later' }, at) }] }] });
};

const QUERY = { fields: 'snooze', include: 'user_minimal', _flat: true };
const send = async (c: Conversation, until: Until | null) => {
  if (until) keepReply(await call('PUT', `/cases/${c.id}/snooze`, { query: QUERY, body: until }));
  else await call('DELETE', `/cases/${c.id}/snooze`);
};
const set = async (c: Conversation, until: Until | null) => {
  const former = c.row()?.snooze as Snooze | null | undefined;
  const back = until ? undefined : change('case', c.id, { snooze: null });
  try { await send(c, until); } catch (error) {
    back?.();
    tellWrong(sayCommon('not_changed', { reason: (error as Error).message }));
    return false;
  }
  tell(until ? untilText(until) : say('woken'), async () => { await set(c, former ? bodyOf(former) : null); });
  return true;
};

export const snoozeConversation = (c: Conversation, onSnoozed: () => void) =>
  chooseSnooze(say('snooze'), (until) => void set(c, until).then((done) => { if (done) onSnoozed(); }));

/** The line in the head of a snoozed conversation. */
export const Snoozed = (props: { conversation: Conversation }) => {
  const snooze = () => props.conversation.row()?.snooze as unknown as Snooze | null, by = () => rowOf('user', snooze()?.snoozed_by)?.full_name;
  return (
    <Show when={snooze()}>
      {(s) => (
        <p class="notice">
          <span title={s().until ? fullTime(s().until!) : undefined}>{s().until ? say('snoozed_until', { time: `${fullTime(s().until!)} (${shortTime(s().until!)})` }) : say('snoozed_reply')}</span>
          <Show when={by()}>{(name) => <span class="soft"> <bdi>{say('by', { name: name() })}</bdi></span>}</Show>{' '}
          <button type="button" onClick={() => void set(props.conversation, null)}>{say('wake')}</button>
        </p>
      )}
    </Show>
  );
};

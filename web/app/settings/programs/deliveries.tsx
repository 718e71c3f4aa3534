// What an endpoint was sent: the state of each delivery, its text, and what each attempt got.
import { createEffect, createSignal, For, on, Show } from 'solid-js';
import { call, get, rowsOf, type Ref, type Schemas } from '../../../kit/api';
import { href } from '../../../kit/route';
import { keepReply, rowOf } from '../../../kit/store';
import { tell, tellWrong } from '../../../kit/strip';
import { fullTime, shortTime } from '../../../kit/words';
import { Part } from '../page';
import { say, type SettingsWord } from '../words';
import { createPages } from './pages';

type Delivery = Schemas['endpoint_delivery'];
type Attempt = Schemas['endpoint_attempt'];
const STATES: Record<string, SettingsWord> = { PENDING: 'delivery_pending', SENT: 'delivery_sent', FAILED: 'delivery_failed' };
const MARKS: Record<string, string> = { PENDING: '…', SENT: '✓', FAILED: '✗', SUCCESS: '✓', FAILURE: '✗' };
const RESULTS: Record<string, 'OK' | 'FAILED' | 'WARNING'> = { PENDING: 'WARNING', SENT: 'OK', FAILED: 'FAILED', SUCCESS: 'OK', FAILURE: 'FAILED' };
const FOLLOWED_MS = 30_000;

/** JSON is indented; other texts stay as they are. */
const readable = (text: string) => { try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } };

const Details = (props: { path: string; delivery: Delivery; replayed: () => void }) => {
  const [attempts, setAttempts] = createSignal<Attempt[]>(), [body, setBody] = createSignal<string | null>(), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  const id = props.delivery.id;
  const read = async () => {
    try {
      const [tried, whole] = await Promise.all([get(`${props.path}/attempts`, { delivery_id: id, limit: 100 }), body() === undefined ? get(`${props.path}/deliveries/${id}`, { fields: '+body' }) : undefined]);
      setAttempts(rowsOf(tried) as unknown as Attempt[]);
      if (whole) setBody((rowsOf(whole)[0]!['body'] ?? null) as string | null);
      setWrong('');
    } catch (error) {
      setWrong((error as Error).message);
    }
  };
  createEffect(on(() => `${props.delivery.attempts} ${props.delivery.status}`, () => void read()));
  const replay = async () => {
    setBusy(true);
    try {
      keepReply(await call('POST', `${props.path}/deliveries/${id}/replay`));
      tell(say('delivery_replayed'));
      props.replayed();
    } catch (error) {
      tellWrong((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="record-more">
      <p class="wrong" role="alert" hidden={!wrong()}>{wrong()} <button type="button" onClick={() => void read()}>{say('try_again')}</button></p>
      <dl class="facts">
        <dt>{say('delivery_time')}</dt><dd>{fullTime(props.delivery.created_at ?? '')}</dd>
        <Show when={props.delivery.case as Ref | null}>{(one) => <><dt>{say('delivery_case')}</dt><dd><a href={href(`/cases/${one().id}`)}>#{one().id}</a></dd></>}</Show>
        <dt>{say('delivery_event')}</dt><dd><code dir="ltr">{props.delivery.event_id}</code></dd>
        <Show when={props.delivery.next_attempt_at}>{(time) => <><dt>{say('delivery_next')}</dt><dd>{shortTime(time(), 'long')}</dd></>}</Show>
      </dl>
      <h3>{say('delivery_body')}</h3>
      <Show when={body()} fallback={<Show when={body() === null}><p class="soft">{say('delivery_body_erased')}</p></Show>}>{(text) => <pre class="sheet" dir="ltr" tabindex="0" role="group" aria-label={say('delivery_body')}>{readable(text())}</pre>}</Show>
      <h3>{say('attempts')}</h3>
      <Show when={attempts()?.length === 0}><p class="soft">{say('attempts_none')}</p></Show>
      <ol class="trial-steps">
        <For each={attempts()}>
          {(one) => <li data-result={RESULTS[one.result ?? '']}><span class="trial-mark" aria-hidden="true">{MARKS[one.result ?? '']}</span>
            <span><span class="trial-text" lang="en" dir="auto">{one.message}</span><span class="trial-result">{say('attempt_facts', { time: fullTime(one.created_at ?? ''), ms: one.duration ?? 0 })}</span></span></li>}
        </For>
      </ol>
      <p><button type="button" disabled={busy() || props.delivery.status === 'PENDING'} onClick={() => void replay()}>{say('delivery_replay')}</button></p>
    </div>
  );
};

const Line = (props: { path: string; id: number; replayed: () => void }) => {
  const [open, setOpen] = createSignal(false), row = () => rowOf('endpoint_delivery', props.id);
  return (
    <Show when={row()}>
      {(delivery) => (
        <li data-result={RESULTS[delivery().status ?? '']}>
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>
              <span class="trial-mark" aria-hidden="true">{MARKS[delivery().status ?? '']}</span>
              <span class="record-text"><b dir="auto">{delivery().cause ?? say('delivery_test')}</b><span class="soft">{say(STATES[delivery().status ?? ''] ?? 'delivery_pending')} · {say('attempt_count', { n: delivery().attempts ?? 0 })}</span></span>
              <time class="soft" datetime={delivery().created_at ?? ''} title={fullTime(delivery().created_at ?? '')}>{shortTime(delivery().created_at ?? '')}</time>
            </summary>
            <Show when={open()}><Details path={props.path} delivery={delivery()} replayed={props.replayed} /></Show>
          </details>
        </li>
      )}
    </Show>
  );
};

/** `turn` grows when something was sent: the list is read until it has arrived, or half a minute has passed. */
export const Deliveries = (props: { endpoint: number; turn: number }) => {
  const path = `/endpoints/${props.endpoint}`, [status, setStatus] = createSignal('');
  const pages = createPages(() => `${path}/deliveries`, () => ({ status: status() || undefined }));
  let until = 0;
  const sent = () => { until = Date.now() + FOLLOWED_MS; void pages.again(); };
  createEffect(on(() => props.turn, sent, { defer: true }));
  pages.follow((id) => Date.now() < until && rowOf('endpoint_delivery', id)?.status === 'PENDING');
  return (
    <Part title="deliveries" why="deliveries_why">
      <div class="filters">
        <label>{say('delivery_state')} <select onChange={(event) => setStatus(event.currentTarget.value)}>
          <option value="">{say('all')}</option>
          <For each={Object.entries(STATES)}>{([id, word]) => <option value={id}>{say(word)}</option>}</For>
        </select></label>
        <button type="button" onClick={() => void pages.again()}>{say('read_again')}</button>
      </div>
      <p class="wrong" role="alert" hidden={!pages.wrong()}>{pages.wrong()}</p>
      <Show when={pages.ids()?.length === 0}><p class="soft">{say(status() ? 'deliveries_none_so' : 'deliveries_none')}</p></Show>
      <ul class="records"><For each={pages.ids()}>{(id) => <Line path={path} id={id} replayed={sent} />}</For></ul>
      <Show when={pages.hasMore()}><button type="button" onClick={() => void pages.more()}>{say('more')}</button></Show>
    </Part>
  );
};

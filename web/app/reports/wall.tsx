// A view for a screen on the wall: counts, the conversations that wait longest, and those whose service level is at risk. Nobody touches it:
// events of realtime and the end of a break read it again, what could not be read stays with its time, and a new version loads itself.
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js';
import { get, rowsOf, serverNow, type Options, type Schemas } from '../../kit/api';
import { connections, follow } from '../../kit/live';
import { href } from '../../kit/route';
import { keepReply, rowOf } from '../../kit/store';
import { styled } from '../../kit/style';
import { fullTime, language, now, numberText, shortTime } from '../../kit/words';
import { inboxChannel } from '../frame/inbox_channel';
import { updated } from '../frame/version';
import { nearestClock, type CaseRow } from '../list/row';
import { views } from '../views/views';
import { zone } from './ask';
import style from './wall.css';
import { say, type ReportWord } from './words';

await styled(style);

const ROWS_MOST = 5, SOON_MS = 1000, NET_MS = 60_000, RETRY_MS = 10_000, SHIFT_PX = 6;
const FIELDS = { fields: 'subject,assigned_agent,assigned_team,last_replied_at,created_at,sla_metrics', include: 'user_minimal,team,sla_metric', _flat: true };
const OPEN = '-is:completed -is:closed';
const COUNTS: { word: ReportWord; query: (inbox: string) => [string, Options['query']]; wrong?: boolean }[] = [
  { word: 'wall_new', query: (inbox) => [inbox, { status: 'NEW', fields: 'id', limit: 1 }] },
  { word: 'open', query: (inbox) => [inbox, { status: 'OPEN', fields: 'id', limit: 1 }] },
  { word: 'wall_unassigned', query: () => ['/search', { query: `is:unassigned ${OPEN}`, resources: 'CASES', fields: 'id', limit: 1 }] },
  { word: 'wall_broken', query: () => ['/search', { query: `is:breached ${OPEN}`, resources: 'CASES', fields: 'id', limit: 1 }], wrong: true },
];

export const Wall = () => {
  let frame!: HTMLDivElement;
  const [counts, setCounts] = createSignal<number[]>(), [waiting, setWaiting] = createSignal<number[]>([]), [risky, setRisky] = createSignal<number[]>([]), [readAt, setReadAt] = createSignal(0), [failed, setFailed] = createSignal(false);
  const inbox = createMemo(() => { const view = views().find(({ type }) => type === 'INBOX'); return view ? `/views/${view.id}/cases` : undefined; });
  let timer: ReturnType<typeof setTimeout> | undefined, reads = false, again = false;
  const later = (ms: number) => { clearTimeout(timer); timer = setTimeout(() => void read(), ms); };
  const read = async () => {
    const path = inbox();
    if (!path) return;
    if (reads) { again = true; return; }
    reads = true;
    try {
      const rows = async (query: Options['query']) => keepReply(await get(path, { ...FIELDS, ...query, order_by: 'ASC', limit: ROWS_MOST }));
      const [numbers, oldest, due] = await Promise.all([
        Promise.all(COUNTS.map(async ({ query }) => { const reply = await get(...query(path)); return reply.total_count ?? rowsOf(reply).length; })),
        rows({ order_by_column: 'lastrepliedat', status: 'NEW,OPEN' }), rows({ order_by_column: 'slanextbreach' })]);
      setCounts(numbers);
      setWaiting(oldest);
      setRisky(due);
      setReadAt(serverNow());
      setFailed(false);
    } catch { setFailed(true); }
    reads = false;
    later(again ? SOON_MS : failed() ? RETRY_MS : NET_MS);
    again = false;
  };
  // At most one read in a second: the first event sets the time.
  let soon: ReturnType<typeof setTimeout> | undefined;
  const heard = () => { soon ??= setTimeout(() => { soon = undefined; void read(); }, SOON_MS); };
  createEffect(on([inbox, connections], () => void read()));
  createEffect(() => { const channel = inboxChannel(); if (channel) follow(channel, heard); });
  createEffect(() => { if (updated()) location.reload(); });
  onMount(() => {
    document.title = `${say('wall')} · deskd`;
    // Nothing stands at the same place for ever: that burns into some screens.
    let step = 0;
    const shift = setInterval(() => { step++; frame.style.transform = `translate(${SHIFT_PX * (step % 3 - 1)}px, ${SHIFT_PX * (Math.floor(step / 3) % 3 - 1)}px)`; }, NET_MS);
    onCleanup(() => { clearInterval(shift); clearTimeout(timer); clearTimeout(soon); });
  });

  const clock = () => new Intl.DateTimeFormat(language(), { hour: 'numeric', minute: '2-digit', timeZone: zone() }).format(now());
  const caseOf = (id: number) => rowOf('case', id) as CaseRow | undefined;
  const owner = (row: CaseRow) => rowOf('user', row.assigned_agent as { id: number } | null)?.full_name ?? (rowOf('team', row.assigned_team as { id: number } | null) as Schemas['team'] | undefined)?.title ?? say('none_agent');
  const atRisk = () => risky().filter((id) => { const row = caseOf(id); return row && nearestClock(row, now()); });
  const Line = (props: { row: CaseRow; time: string; late: boolean }) => (
    <li class="wall-row"><span class="wall-subject" dir="auto">{props.row.subject || `#${props.row.id}`}</span><span class="wall-owner soft" dir="auto">{owner(props.row)}</span>
      <time classList={{ wrong: props.late }} dateTime={props.time} title={fullTime(props.time)}>{shortTime(props.time, 'short')}</time></li>
  );
  return (
    <main class="wall" aria-labelledby="wall-title">
      <div class="wall-frame" ref={frame}>
        <header class="wall-head"><h1 id="wall-title">{say('wall')}</h1><a class="wall-back" href={href('/reports')}>{say('behind_back')}</a>
          <Show when={failed()}><p class="wrong" role="status">{readAt() ? say('wall_old', { time: shortTime(new Date(readAt()).toISOString()) }) : say('wall_failed')}</p></Show>
          <time class="wall-clock">{clock()}</time></header>
        <dl class="wall-counts"><For each={COUNTS}>{({ word, wrong }, i) => <div classList={{ 'is-wrong': Boolean(wrong && counts()?.[i()]) }}><dt>{say(word)}</dt><dd>{counts() ? numberText(counts()![i()]!) : '–'}</dd></div>}</For></dl>
        <section aria-labelledby="wall-waiting"><h2 id="wall-waiting">{say('wall_waiting')}</h2>
          <Show when={waiting().length} fallback={<p class="soft">{counts() ? say('wall_nobody') : ''}</p>}>
            <ul><For each={waiting()}>{(id) => <Show when={caseOf(id)}>{(row) => <Line row={row()} time={(row().last_replied_at ?? row().created_at) as string} late={false} />}</Show>}</For></ul>
          </Show></section>
        <section aria-labelledby="wall-risk"><h2 id="wall-risk">{say('wall_risk')}</h2>
          <Show when={atRisk().length} fallback={<p class="soft">{counts() ? say('wall_safe') : ''}</p>}>
            <ul><For each={atRisk()}>{(id) => <Show when={caseOf(id)}>{(row) => { const due = () => nearestClock(row(), now())?.due_at ?? ''; return <Show when={due()}><Line row={row()} time={due()} late={Date.parse(due()) < now()} /></Show>; }}</Show>}</For></ul>
          </Show></section>
      </div>
    </main>
  );
};

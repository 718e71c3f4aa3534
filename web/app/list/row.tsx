// A row of a list of conversations.
import { createSignal, For, Show } from 'solid-js';
import { follow, presence, type Meta } from '../../kit/live';
import { say, shortTime, fullTime } from '../../kit/words';
import { rowOf, type Shown } from '../../kit/store';
import { Face, StatusMark } from '../../kit/marks';
import type { Schemas } from '../../kit/api';
import { me } from '../session/session';
import { hasDraft } from './drafts';

/** Members that a row shows: the `fields` of the list. */
export const ROW_FIELDS = ['subject', 'requester', 'status', 'priority', 'assigned_agent', 'assigned_team', 'state', 'last_post_preview', 'last_replied_at', 'updated_at', 'created_at', 'read_marker', 'sla_metrics', 'realtime_channel', 'post_count'] as const;
export type CaseRow = Shown<'case', typeof ROW_FIELDS>;
export const ROW_INCLUDE = 'user_minimal,case_status,case_priority,read_marker,sla_metric';
export const ROW_QUERY = { fields: ROW_FIELDS.join(','), include: ROW_INCLUDE, _flat: 'true' };
/** The same rows as results of a search. */
export const RESULT_QUERY = { resources: 'CASES', fields: `data(${ROW_FIELDS.join(',')})`, include: `case,${ROW_INCLUDE}`, _flat: 'true' };
/** How rows that have changed are read again. */
export const ROW_SOURCE = { path: '/cases', query: ROW_QUERY };

const SOON_MS = 4 * 3600_000;

/** The clock that runs out next, if it is broken or due within four hours. */
export const nearestClock = (row: CaseRow, now: number) => {
  const clocks = (row.sla_metrics ?? []).map((ref) => rowOf('sla_metric', ref as { id: number }))
    .filter((m): m is Schemas['sla_metric'] => m?.stage === 'ACTIVE' && !!m.due_at);
  const [next] = clocks.sort((a, b) => Date.parse(a.due_at!) - Date.parse(b.due_at!));
  return next && Date.parse(next.due_at!) - now < SOON_MS ? next : undefined;
};

const FACES_MOST = 2;

/** The people who are looking at the conversation. The page listens, and is not present itself. */
const Faces = (props: { channel: string }) => {
  const [people, setPeople] = createSignal<Meta[]>([]);
  const channel = follow(props.channel, () => undefined, { events: [], present: false });
  if (channel) presence(channel, me()?.id ?? 0, setPeople);
  const looking = () => people().filter((one) => one.is_viewing);
  const names = () => new Intl.ListFormat(document.documentElement.lang).format(looking().map((one) => one.user.full_name));
  return (
    <Show when={looking().length}>
      <span class="faces" title={names()}>
        <span class="hidden">{say('is_looking', { names: names(), n: looking().length })}</span>
        <For each={looking().slice(0, FACES_MOST)}>{(one) => <Face name={one.user.full_name} />}</For>
        <Show when={looking().length > FACES_MOST}><span aria-hidden="true">+{looking().length - FACES_MOST}</span></Show>
      </span>
    </Show>
  );
};

export const Row = (props: { row: CaseRow; now: number; left: boolean; rests: boolean }) => {
  const requester = () => rowOf('user', props.row.requester as { id: number } | null);
  const unread = () => rowOf('read_marker', props.row.read_marker as { id: number } | null)?.unread_count ?? 0;
  const time = () => (props.row.last_replied_at ?? props.row.created_at) as string;
  const clock = () => nearestClock(props.row, props.now);
  const late = () => Date.parse(clock()!.due_at!) < props.now;
  return (
    <>
      <span class="row-first">
        <Show when={unread()}><span class="unread" title={say('unread')}><span class="hidden">{say('unread')}</span></span></Show>
        <b class="row-who" dir="auto">{requester()?.full_name ?? ''}</b>
        <Show when={hasDraft(props.row.id)}><span class="tag">{say('draft')}</span></Show>
        <time dateTime={time()} title={fullTime(time())}>{shortTime(time(), 'narrow')}</time>
      </span>
      <span class="row-second">
        <span class="row-subject" dir="auto">{props.row.subject || say('no_subject')}</span>
        <StatusMark id={(props.row.status as { id: number } | null)?.id} />
      </span>
      <span class="row-third">
        <span class="row-preview" dir="auto">{props.left ? say('left_view') : props.row.last_post_preview ?? ''}</span>
        <Show when={props.rests && props.row.realtime_channel} keyed>{(channel) => <Faces channel={channel} />}</Show>
        <Show when={clock()}>
          {(c) => <span class="clock" classList={{ late: late() }}>{say(late() ? 'overdue' : 'due', { time: shortTime(c().due_at!, 'narrow') })}</span>}
        </Show>
      </span>
    </>
  );
};

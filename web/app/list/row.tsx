// A row of a list of conversations.
import { Show } from 'solid-js';
import { say, shortTime, fullTime } from '../../kit/words';
import { rowOf, type Shown } from '../../kit/store';
import { StatusMark } from '../../kit/marks';
import type { Schemas } from '../../kit/api';

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

export const Row = (props: { row: CaseRow; now: number }) => {
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
        <time dateTime={time()} title={fullTime(time())}>{shortTime(time(), 'narrow')}</time>
      </span>
      <span class="row-second">
        <span class="row-subject" dir="auto">{props.row.subject || say('no_subject')}</span>
        <StatusMark id={(props.row.status as { id: number } | null)?.id} />
      </span>
      <span class="row-third">
        <span class="row-preview" dir="auto">{props.row.last_post_preview ?? ''}</span>
        <Show when={clock()}>
          {(c) => <span class="clock" classList={{ late: late() }}>{say(late() ? 'overdue' : 'due', { time: shortTime(c().due_at!, 'narrow') })}</span>}
        </Show>
      </span>
    </>
  );
};

// The clocks of a conversation, and on request their explanation in words: which times counted, which did not, and why.
import { createResource, createSignal, For, Show } from 'solid-js';
import { get, rowsOf, type Row } from '../../kit/api';
import { rowOf } from '../../kit/store';
import { fullTime, language, now, say, shortTime, type Word } from '../../kit/words';
import type { Conversation } from './data';

interface Interval { from: string; to: string; counts: boolean; reason: string; status: string | null; counted_in_seconds: number }
interface Explained { metric_type: string; is_current: boolean; is_breached: boolean; operational_hours: string | null; goal_in_seconds: number | null; elapsed_in_seconds: number; started_at: string; due_at: string | null; completed_at: string | null; intervals: Interval[] }

const CLOCKS: Record<string, Word> = { FIRST_REPLY_TIME: 'clock_first', NEXT_REPLY_TIME: 'clock_next', RESOLUTION_TIME: 'clock_resolution' };
const REASONS: Record<string, Word> = { RUNNING: 'ran', STATUS_PAUSED: 'ran_not_status', COMPLETED: 'ran_not_completed', NOT_ACTIVE: 'ran_not_active', OUTSIDE_BUSINESS_HOURS: 'ran_not_hours', HOLIDAY: 'ran_not_holiday' };

/** "3 h 20 min" in the language of the person: the two largest units. */
const lasting = (seconds: number) => {
  const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]] as const;
  const parts: string[] = [];
  let rest = Math.round(seconds);
  for (const [unit, size] of units) {
    const n = Math.floor(rest / size);
    if (n && parts.length < 2) parts.push(new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay: 'short' }).format(n)), rest -= n * size;
    else if (parts.length) break;
  }
  return parts.join(' ') || new Intl.NumberFormat(language(), { style: 'unit', unit: 'minute', unitDisplay: 'short' }).format(0);
};
const length = ({ from, to }: Interval) => (Date.parse(to) - Date.parse(from)) / 1000;

/** Times for the same reason and status together, in the order in which they came first. Nights and weekends are one line. */
const gathered = (intervals: Interval[]) => {
  const found = new Map<string, { reason: string; status: string; seconds: number }>();
  for (const one of intervals) {
    const status = one.reason === 'STATUS_PAUSED' || one.reason === 'RUNNING' ? one.status ?? '' : '', key = `${one.reason} ${status}`;
    const at = found.get(key) ?? { reason: one.reason, status, seconds: 0 };
    at.seconds += one.counts ? one.counted_in_seconds : length(one);
    found.set(key, at);
  }
  return [...found.values()].filter(({ seconds }) => seconds >= 1);
};

const Explanation = (props: { caseId: number }) => {
  const [clocks, { refetch }] = createResource(async () => rowsOf(await get(`/cases/${props.caseId}/sla/explain`)) as unknown as Explained[]);
  return (
    <Show when={!clocks.error} fallback={<p class="wrong" role="alert">{say('unreachable')} <button type="button" onClick={() => void refetch()}>{say('retry')}</button></p>}>
      <For each={(clocks() ?? []).filter((m) => m.is_current)}>
        {(m) => (
          <section class="explained">
            <h4>{say(CLOCKS[m.metric_type] ?? 'service')}</h4>
            <p>{say(m.operational_hours === 'BUSINESS_HOURS' ? 'goal_business' : 'goal_calendar', { goal: lasting(m.goal_in_seconds ?? 0), elapsed: lasting(m.elapsed_in_seconds) })}</p>
            <ul><For each={gathered(m.intervals)}>{(one) => <li classList={{ soft: one.reason !== 'RUNNING' }}>{say(REASONS[one.reason] ?? 'ran_not_active', { time: lasting(one.seconds), status: one.status })}</li>}</For></ul>
          </section>
        )}
      </For>
      <Show when={clocks()?.some((m) => !m.is_current)}><p class="soft">{say('clock_runs_before', { n: clocks()!.filter((m) => !m.is_current).length })}</p></Show>
    </Show>
  );
};

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
        <Show when={explained()}><Explanation caseId={c.id} /></Show>
      </section>
    </Show>
  );
};

// The explanation of clocks in words: which times counted, which did not, and why. Loaded when somebody asks for it.
import { createResource, For, Show } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { dictionary, language, say as sayCommon } from '../../kit/words';
import { en } from '../../words/service/en';
import { CLOCKS } from './service';

const { say, ready } = dictionary<keyof typeof en>(en, { de: async () => (await import('../../words/service/de')).de, ar: async () => (await import('../../words/service/ar')).ar });

interface Interval { from: string; to: string; counts: boolean; reason: string; status: string | null; counted_in_seconds: number }
interface Explained { metric_type: string; is_current: boolean; is_breached: boolean; operational_hours: string | null; goal_in_seconds: number | null; elapsed_in_seconds: number; started_at: string; due_at: string | null; completed_at: string | null; intervals: Interval[] }

const REASONS: Record<string, keyof typeof en> = { RUNNING: 'ran', STATUS_PAUSED: 'ran_not_status', COMPLETED: 'ran_not_completed', NOT_ACTIVE: 'ran_not_active', OUTSIDE_BUSINESS_HOURS: 'ran_not_hours', HOLIDAY: 'ran_not_holiday' };

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
    <Show when={!clocks.error} fallback={<p class="wrong" role="alert">{sayCommon('unreachable')} <button type="button" onClick={() => void refetch()}>{sayCommon('retry')}</button></p>}>
      <For each={(clocks() ?? []).filter((m) => m.is_current)}>
        {(m) => (
          <section class="explained">
            <h4>{sayCommon(CLOCKS[m.metric_type] ?? 'service')}</h4>
            <p>{say(m.operational_hours === 'BUSINESS_HOURS' ? 'goal_business' : 'goal_calendar', { goal: lasting(m.goal_in_seconds ?? 0), elapsed: lasting(m.elapsed_in_seconds) })}</p>
            <ul><For each={gathered(m.intervals)}>{(one) => <li classList={{ soft: one.reason !== 'RUNNING' }}>{say(REASONS[one.reason] ?? 'ran_not_active', { time: lasting(one.seconds), status: one.status })}</li>}</For></ul>
          </section>
        )}
      </For>
      <Show when={clocks()?.some((m) => !m.is_current)}><p class="soft">{say('clock_runs_before', { n: clocks()!.filter((m) => !m.is_current).length })}</p></Show>
    </Show>
  );
};

export const loadExplanation = async () => { await ready(); return { default: Explanation }; };

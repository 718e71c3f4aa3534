// Service levels: which conversations, and how soon each clock must stop.
import { createSignal, For, Index, Show } from 'solid-js';
import type { Ref, Row, Schemas } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import { priorityChoices } from '../choices';
import type { Control } from '../fields';
import { createRead } from '../read';
import { rows } from '../rows';
import { say, type SettingsWord } from '../words';
import { conditionsOf, groupsOf } from './conditions';
import { prepare } from './rules';

interface Target { type: string; priority_id: number | null; goal_in_seconds: number; operational_hours: string }
const CLOCKS: Record<string, SettingsWord> = { FIRST_REPLY_TIME: 'clock_first', NEXT_REPLY_TIME: 'clock_next', RESOLUTION_TIME: 'clock_resolution' };
const TIMES: Record<string, SettingsWord> = { BUSINESS_HOURS: 'time_open', CALENDAR_HOURS: 'time_all' };
const UNITS = { minutes: 60, hours: 3600, days: 86400 } as const satisfies Record<string, number>;
type Unit = keyof typeof UNITS;
const UNIT_WORDS: Record<Unit, SettingsWord> = { minutes: 'unit_minutes', hours: 'unit_hours', days: 'unit_days' };
const unitOf = (seconds: number): Unit => seconds % UNITS.days === 0 ? 'days' : seconds % UNITS.hours === 0 ? 'hours' : 'minutes';

const targetsOf = (row: Row): Target[] => ((row['targets'] ?? []) as Ref[]).map((ref) => rowOf('sla_target', ref)).filter((one): one is Schemas['sla_target'] => one !== undefined)
  .map((one) => ({ type: String(one.type), priority_id: (one.priority as Ref | null)?.id ?? null, goal_in_seconds: Number(one.goal_in_seconds), operational_hours: String(one.operational_hours) }));

const Goal = (props: { label: string; seconds: number; set: (seconds: number) => void }) => {
  const [unit, setUnit] = createSignal(unitOf(props.seconds)), amount = () => Math.round(props.seconds / UNITS[unit()] * 100) / 100;
  return (
    <span class="goal">
      <input inputmode="decimal" aria-label={props.label} value={amount()} onChange={(event) => { const n = Number(event.currentTarget.value.replace(',', '.')); if (n > 0) props.set(Math.round(n * UNITS[unit()])); event.currentTarget.value = String(amount()); }} />
      <select aria-label={`${say('unit')}, ${props.label}`} onChange={(event) => { const next = event.currentTarget.value as Unit, n = amount(); setUnit(next); props.set(Math.round(n * UNITS[next])); }}>
        <For each={Object.keys(UNITS) as Unit[]}>{(one) => <option value={one} selected={one === unit()}>{say(UNIT_WORDS[one])}</option>}</For>
      </select>
    </span>
  );
};

const Targets = (props: Control) => {
  const all = () => (props.value ?? []) as Target[];
  let box!: HTMLDivElement;
  const change = (at: number, next: Partial<Target>) => props.set(all().map((one, i) => i === at ? { ...one, ...next } : one));
  const add = () => {
    const type = Object.keys(CLOCKS).find((one) => !all().some((target) => target.type === one)) ?? 'FIRST_REPLY_TIME';
    props.set([...all(), { type, priority_id: null, goal_in_seconds: UNITS.hours, operational_hours: 'BUSINESS_HOURS' }]);
    queueMicrotask(() => [...box.querySelectorAll<HTMLElement>('.target select:first-child')].at(-1)?.focus());
  };
  const drop = (at: number) => { props.set(all().filter((_, i) => i !== at)); queueMicrotask(() => box.querySelector<HTMLElement>('.target-add')?.focus()); };
  return (
    <div ref={box} id={props.id} class="conditions" role="group" tabindex="-1" aria-label={say('targets')} aria-describedby={props.described}>
      <Show when={!all().length}><p class="soft">{say('targets_empty')}</p></Show>
      <Index each={all()}>
        {(target, i) => {
          const label = (word: SettingsWord) => `${say(word)}, ${say('target_number', { n: i + 1 })}`;
          return (
            <div class="target" role="group" aria-label={say('target_number', { n: i + 1 })}>
              <select aria-label={label('target_clock')} onChange={(event) => change(i, { type: event.currentTarget.value })}><For each={Object.entries(CLOCKS)}>{([id, word]) => <option value={id} selected={id === target().type}>{say(word)}</option>}</For></select>
              <select aria-label={label('priority')} onChange={(event) => change(i, { priority_id: Number(event.currentTarget.value) || null })}>
                <option value="" selected={target().priority_id === null}>{say('target_others')}</option>
                <For each={priorityChoices()}>{(one) => <option value={one.id} selected={one.id === target().priority_id}>{one.label}</option>}</For>
              </select>
              <Goal label={label('target_goal')} seconds={target().goal_in_seconds} set={(goal_in_seconds) => change(i, { goal_in_seconds })} />
              <select aria-label={label('target_time')} onChange={(event) => change(i, { operational_hours: event.currentTarget.value })}><For each={Object.entries(TIMES)}>{([id, word]) => <option value={id} selected={id === target().operational_hours}>{say(word)}</option>}</For></select>
              <button type="button" aria-label={say('target_remove', { n: i + 1 })} onClick={() => drop(i)}>×</button>
            </div>
          );
        }}
      </Index>
      <p><button type="button" class="target-add" onClick={add}>{say('target_add')}</button></p>
    </div>
  );
};

const Slas = rows({
  name: 'slas', path: '/slas', type: 'sla', title: 'slas', new: 'sla_new', empty: 'slas_empty', emptyNext: 'slas_empty_next', deleteWhy: 'sla_delete_why', include: 'sla_target,sla_proposition',
  initial: () => ({ is_enabled: true, predicate_collections: [], targets: [] }),
  fields: [
    { name: 'title', label: 'title' },
    { name: 'description', label: 'description', long: true },
    { name: 'predicate_collections', label: 'conditions', from: groupsOf, control: conditionsOf({ path: '/slas/definitions', also: ['cases.casestatusid', 'cases.channeltype', 'cases.casepriorityid'], empty: 'sla_conditions_empty' }), shown: (value) => say('condition_count', { n: (value as unknown[] | null)?.length ?? 0 }) },
    { name: 'targets', label: 'targets', help: 'targets_help', required: true, from: targetsOf, control: Targets, shown: (value) => say('target_count', { n: (value as unknown[] | null)?.length ?? 0 }) },
    { name: 'is_enabled', label: 'sla_enabled', help: 'sla_enabled_help' },
  ],
  sorted: (sla) => sla.execution_order ?? 0,
  label: (sla) => sla.title ?? '',
  note: (sla) => [sla.is_enabled ? '' : say('rule_off'), say('target_count', { n: (sla.targets as unknown[] | null)?.length ?? 0 })].filter(Boolean).join(' · '),
  order: { path: '/slas/reorder', member: 'sla_ids' },
});

export default () => { const [ready] = createRead(prepare); return <Show when={ready()}><Slas /></Show>; };

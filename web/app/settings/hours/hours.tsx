// Business hours: a week, its holidays and its time zone. Days and dates are those of the zone: no time is converted here.
import { createUniqueId, For, Index, Show } from 'solid-js';
import type { Control } from '../fields';
import { zoneChoices } from '../choices';
import { rows } from '../rows';
import { say } from '../words';
import { language } from '../../../kit/words';
import { Hours, spansText } from './week';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
type Week = Partial<Record<typeof DAYS[number], number[]>>;
/** The 1st of January 2024 was a Monday. */
const dayText = (day: number, weekday: 'long' | 'short') => new Intl.DateTimeFormat(language(), { weekday, timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + day));

const WeekControl = (props: Control) => {
  const week = () => (props.value ?? {}) as Week;
  const summary = () => {
    const lines = DAYS.map((day, i) => ({ text: spansText(week()[day] ?? []), day: dayText(i, 'long') }));
    return [...new Set(lines.map(({ text }) => text))].map((text) => ({ text, days: lines.filter((line) => line.text === text).map(({ day }) => day) }));
  };
  return (
    <div id={props.id} class="hours" role="group" tabindex="-1" aria-label={say('week')} aria-describedby={props.described}>
      <Hours label={say('week')} lines={DAYS.map((day, i) => ({ name: dayText(i, 'long'), short: dayText(i, 'short'), hours: week()[day] ?? [] }))} set={(line, hours) => props.set({ ...week(), [DAYS[line]!]: hours })} />
      <ul class="soft"><For each={summary()}>{({ text, days }) => <li>{days.join(', ')}: {text}</li>}</For></ul>
      <div class="settings-foot"><button type="button" onClick={() => props.set({ ...week(), ...Object.fromEntries(DAYS.slice(1, 5).map((day) => [day, [...week().monday ?? []]])) })}>{say('week_copy')}</button></div>
    </div>
  );
};

interface Holiday { title: string; date: string; open_hours?: number[] }
/** Dates of the API are 25/12/2026, those of the browser's field 2026-12-25. */
const toField = (date: string) => { const [day = '', month = '', year = ''] = date.split('/'); return year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : ''; };
const fromField = (date: string) => date.split('-').reverse().join('/');

const HolidaysControl = (props: Control) => {
  const all = () => (props.value ?? []) as Holiday[], hint = createUniqueId();
  let box!: HTMLDivElement;
  const change = (at: number, next: Partial<Holiday>) => props.set(all().map((one, i) => i === at ? { ...one, ...next } : one));
  const focusLast = () => queueMicrotask(() => [...box.querySelectorAll<HTMLElement>('.holiday > input:first-child')].at(-1)?.focus());
  const add = () => { props.set([...all(), { title: '', date: '' }]); focusLast(); };
  const drop = (at: number) => { props.set(all().filter((_, i) => i !== at)); queueMicrotask(() => box.querySelector<HTMLElement>('.holiday-add')?.focus()); };
  const opened = (at: number, isOpen: boolean) => { const { title, date } = all()[at]!; props.set(all().map((one, i) => i === at ? { title, date, ...isOpen ? { open_hours: [9, 10, 11] } : {} } : one)); };
  return (
    <div ref={box} id={props.id} class="hours" role="group" tabindex="-1" aria-label={say('holidays')} aria-describedby={props.described ?? hint}>
      <Show when={!all().length}><p class="soft" id={hint}>{say('holidays_empty')}</p></Show>
      <Index each={all()}>
        {(holiday, i) => {
          const number = () => say('holiday_number', { n: i + 1 });
          return (
            <div class="holiday" role="group" aria-label={number()}>
              <input dir="auto" aria-label={`${say('holiday_title')}, ${number()}`} placeholder={say('holiday_title')} maxlength="255" value={holiday().title} onInput={(event) => change(i, { title: event.currentTarget.value })} />
              <input type="date" aria-label={`${say('holiday_date')}, ${number()}`} value={toField(holiday().date)} onChange={(event) => change(i, { date: fromField(event.currentTarget.value) })} />
              <button type="button" aria-label={say('holiday_remove', { n: i + 1 })} onClick={() => drop(i)}>×</button>
              <label class="yes"><input type="checkbox" checked={holiday().open_hours !== undefined} onChange={(event) => opened(i, event.currentTarget.checked)} /><span>{say('holiday_open')}</span></label>
              <Show when={holiday().open_hours}>{(hours) => <Hours label={`${say('holiday_open')}, ${number()}`} lines={[{ name: holiday().title || number(), hours: hours() }]} set={(_, next) => change(i, { open_hours: next })} />}</Show>
            </div>
          );
        }}
      </Index>
      <p><button type="button" class="holiday-add" onClick={add}>{say('holiday_add')}</button></p>
    </div>
  );
};

const OFFICE = [9, 10, 11, 12, 13, 14, 15, 16];

export default rows({
  name: 'hours', path: '/businesshours', type: 'business_hour', title: 'hours', new: 'hours_new', empty: 'hours_empty', emptyNext: 'hours_empty_next', deleteWhy: 'hours_delete_why',
  initial: () => ({ zones: Object.fromEntries(DAYS.map((day, i) => [day, i < 5 ? OFFICE : []])), holidays: [], time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
  fields: [
    { name: 'title', label: 'name' },
    { name: 'time_zone', label: 'hours_zone', help: 'hours_zone_help', required: true, among: ({ time_zone: own }) => zoneChoices(String(own ?? '')) },
    { name: 'zones', label: 'week', help: 'week_help', control: WeekControl, wide: true, shown: () => say('week_other') },
    { name: 'holidays', label: 'holidays', control: HolidaysControl, shown: (value) => say('holiday_count', { n: (value as unknown[] | null)?.length ?? 0 }) },
    { name: 'is_default', label: 'hours_default', help: 'hours_default_help', on: (row) => row !== undefined && row['is_default'] === false },
  ],
  sorted: true,
  label: (hours) => hours.title ?? '',
  note: (hours) => [hours.is_default ? say('hours_is_default') : '', hours.time_zone ?? ''].filter(Boolean).join(' · '),
  fixed: (hours) => hours.is_default === true,
});

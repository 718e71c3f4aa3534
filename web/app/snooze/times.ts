// Moments in the time zone of the person. A local time is written as the milliseconds that it would be in UTC.
import { language, now, zone } from '../../kit/words';

const DAY = 86_400_000, MORNING = 9, HOURS = 3;

const partsOf = (ms: number) => Object.fromEntries(new Intl.DateTimeFormat('en', {
  timeZone: zone(), hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
}).formatToParts(ms).map(({ type, value }) => [type, Number(value)])) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;

/** The local time of a moment, without milliseconds. */
export const localOf = (ms: number) => { const at = partsOf(ms); return Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second); };
/** The moment of a local time. Where a clock is moved on, it is the moment that the former offset gives. */
export const momentOf = (local: number) => {
  const once = local - (localOf(local) - local);
  return local - (localOf(once) - once);
};

/** "2026-12-24T09:00", as a field of local times has it. */
export const fieldOf = (local: number) => new Date(local).toISOString().slice(0, 16);
export const fromField = (value: string) => momentOf(Date.parse(`${value}Z`));

const morning = (days: number, today: number) => Math.floor(today / DAY) * DAY + days * DAY + MORNING * 3_600_000;
const sameDayNextMonth = (today: number) => { const at = new Date(today), last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 2, 0)).getUTCDate(); return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, Math.min(at.getUTCDate(), last), MORNING); };

/** The times that one chooses by a key or two: {label, at}. */
export const nearTimes = () => {
  const local = localOf(now()), weekday = new Date(local).getUTCDay(), toMonday = (8 - weekday) % 7 || 7;
  const relative = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' });
  const named = (n: number, unit: Intl.RelativeTimeFormatUnit) => { const text = relative.format(n, unit); return text.charAt(0).toLocaleUpperCase(language()) + text.slice(1); };
  const monday = morning(toMonday, local);
  return [
    { label: named(HOURS, 'hour'), at: now() + HOURS * 3_600_000 },
    { label: named(1, 'day'), at: momentOf(morning(1, local)) },
    ...(toMonday > 1 && toMonday < 7 ? [{ label: new Intl.DateTimeFormat(language(), { weekday: 'long', timeZone: 'UTC' }).format(monday), at: momentOf(monday) }] : []),
    { label: named(1, 'week'), at: momentOf(morning(7, local)) },
    { label: named(1, 'month'), at: momentOf(sameDayNextMonth(local)) },
  ];
};
export const tomorrow = () => morning(1, localOf(now()));

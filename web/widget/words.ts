// Words, numbers and times in the language of the visitor.
import { now } from './api';
import { ar } from './words/ar';
import { de } from './words/de';
import { en } from './words/en';

export type Word = keyof typeof en;
const LANGUAGES: Record<string, typeof en> = { en, de, ar };
let words = en, tag = 'en', own: Record<string, string> = {};

/** Chooses the first language that the widget has: "de-AT" is German. */
export const speak = (...wanted: (string | undefined)[]) => {
  tag = wanted.map((one) => one?.toLowerCase().split(/[-_]/)[0] ?? '').find((one) => one in LANGUAGES) ?? 'en';
  words = LANGUAGES[tag]!;
};
export const language = () => tag;
export const direction = () => (tag === 'ar' ? 'rtl' : 'ltr');
/** Words of the brand in place of these. */
export const rename = (given: Record<string, string>) => { own = given; };

const number = (n: number) => new Intl.NumberFormat(tag).format(n);

export const say = (word: Word, values: Record<string, string | number> = {}) => (own[word] || words[word])
  .replace(/\[(\w+): ([^\]]*)\]/g, (_, name: string, forms: string) => {
    const form = new Intl.PluralRules(tag).select(Number(values[name])), options = forms.split('|').map((option) => option.split(/ (.*)/s));
    return (options.find(([category]) => category === form) ?? options.at(-1))?.[1] ?? '';
  })
  .replace(/\{(\w+)\}/g, (mark, name: string) => { const value = values[name]; return value === undefined ? mark : typeof value === 'number' ? number(value) : value; });

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
/** "3 minutes ago"; from a week on the date. */
export const shortTime = (time: string) => {
  const ms = Math.min(0, Date.parse(time) - now()), size = -ms, relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' });
  if (size < MINUTE) return relative.format(0, 'second');
  if (size < HOUR) return relative.format(Math.trunc(ms / MINUTE), 'minute');
  if (size < DAY) return relative.format(Math.trunc(ms / HOUR), 'hour');
  if (size < 7 * DAY) return relative.format(Math.trunc(ms / DAY), 'day');
  return new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', ...(size < 300 * DAY ? {} : { year: 'numeric' }) }).format(new Date(time));
};
export const fullTime = (time: string) => new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'short' }).format(new Date(time));

export const sizeText = (bytes: number) => {
  const [n, unit] = bytes < 1e3 ? [bytes, 'byte'] : bytes < 1e6 ? [bytes / 1e3, 'kilobyte'] : [bytes / 1e6, 'megabyte'];
  return new Intl.NumberFormat(tag, { style: 'unit', unit: String(unit), unitDisplay: 'short', maximumFractionDigits: Number(n) < 10 ? 1 : 0 }).format(Number(n));
};

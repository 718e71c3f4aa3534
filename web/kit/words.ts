// Words of the console and their forms. A language is a file of web/words with the keys of en.ts: a missing key does not compile.
import { createSignal } from 'solid-js';
import { en } from '../words/en';
import { serverNow } from './api';

export type Words = typeof en;
export type Word = keyof Words;

const RIGHT_TO_LEFT = new Set(['ar']), LANGUAGES = new Set(['en', 'de', 'ar']);
const [language, setLanguage] = createSignal('en');
export { language };

type Values = Record<string, string | number>;
/** {name} is the value of that name; [n: one dog|other {n} dogs] is the form of the number n in the language. */
const filled = (text: string, values: Values) => text
  .replace(/\[(\w+): ([^\]]*)\]/g, (_, name: string, forms: string) => {
    const form = new Intl.PluralRules(language()).select(Number(values[name]));
    const options = forms.split('|').map((option) => option.split(/ (.*)/s));
    return (options.find(([category]) => category === form) ?? options.at(-1))?.[1] ?? '';
  })
  .replace(/\{(\w+)\}/g, (mark, name: string) => {
    const value = values[name];
    return value === undefined ? mark : typeof value === 'number' ? numberText(value) : value;
  });

const dictionaries: ((language: string) => Promise<() => void>)[] = [];

/** Words of a part of the console. `ready` reads them in the language of the person; a later change of the language changes them, too. */
export const dictionary = <W extends string>(english: Record<W, string>, others: Record<string, () => Promise<Record<W, string>>>) => {
  const [words, setWords] = createSignal(english);
  const read = async (wanted: string) => {
    const found = await others[wanted]?.() ?? english;
    return () => { setWords(() => found); };
  };
  dictionaries.push(read);
  return { say: (word: W, values: Values = {}) => filled(words()[word], values), ready: async () => (await read(language()))() };
};

export const { say } = dictionary<Word>(en, { de: async () => (await import('../words/de')).de, ar: async () => (await import('../words/ar')).ar });

export const speak = async (locale: string) => {
  const asked = locale.toLowerCase().split(/[-_]/)[0] ?? 'en', wanted = LANGUAGES.has(asked) ? asked : 'en';
  const set = await Promise.all(dictionaries.map((read) => read(wanted)));
  setLanguage(wanted);
  set.forEach((one) => one());
  document.documentElement.lang = wanted;
  document.documentElement.dir = RIGHT_TO_LEFT.has(wanted) ? 'rtl' : 'ltr';
};

export const numberText = (n: number) => new Intl.NumberFormat(language()).format(n);

// ---- times -------------------------------------------------------------------------------------

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const [zone, setZone] = createSignal<string | undefined>(undefined);
export { zone, setZone };

const [now, setNow] = createSignal(Date.now()); // no answer has said yet what the server's clock is
setInterval(() => setNow(serverNow()), 10_000);
/** The time of the server, which moves every ten seconds. */
export { now, setNow };

export const fullTime = (time: string) =>
  new Intl.DateTimeFormat(language(), { dateStyle: 'full', timeStyle: 'short', timeZone: zone() }).format(new Date(time));

/** "3 hours ago", "in 2 hours"; from seven days on the date. */
export const shortTime = (time: string, style: Intl.RelativeTimeFormatStyle = 'short') => {
  const ms = Date.parse(time) - now(), size = Math.abs(ms);
  const relative = new Intl.RelativeTimeFormat(language(), { numeric: 'auto', style });
  if (size < MINUTE) return relative.format(0, 'second');
  if (size < HOUR) return relative.format(Math.trunc(ms / MINUTE), 'minute');
  if (size < DAY) return relative.format(Math.trunc(ms / HOUR), 'hour');
  if (size < 7 * DAY) return relative.format(Math.trunc(ms / DAY), 'day');
  const sameYear = new Date(time).getFullYear() === new Date(now()).getFullYear();
  return new Intl.DateTimeFormat(language(), { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }), timeZone: zone() }).format(new Date(time));
};

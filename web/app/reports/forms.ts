// Numbers, durations and times of reports in words.
import { language, say as sayMain, numberText, type Word } from '../../kit/words';
import { priorities, teams } from '../frame/catalog';
import { zone, type Interval } from './ask';
import { say } from './words';

const unit = (value: number, name: string, digits = 0) => new Intl.NumberFormat(language(), { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits }).format(value);
/** "40 s", "12 min", "3.5 h", "2.1 days" */
export const durationText = (seconds: number) => {
  if (seconds < 60) return unit(seconds, 'second');
  if (seconds < 3600) return unit(seconds / 60, 'minute');
  if (seconds < 36 * 3600) return unit(seconds / 3600, 'hour', 1);
  return unit(seconds / 86_400, 'day', 1);
};
export const DURATION_STEPS = [60, 300, 600, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 432_000, 864_000, 1_728_000, 4_320_000, 8_640_000, 17_280_000, 43_200_000];
export const percentText = (value: number) => new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: value < 99.5 || value === 100 ? 0 : 1 }).format(value / 100);
export { numberText };

const LONG: Record<Interval, Intl.DateTimeFormatOptions> = {
  HOUR: { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }, DAY: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  WEEK: { day: 'numeric', month: 'short', year: 'numeric' }, MONTH: { month: 'long', year: 'numeric' },
};
const SHORT: Record<Interval, Intl.DateTimeFormatOptions> = { HOUR: { hour: 'numeric', minute: '2-digit' }, DAY: { day: 'numeric', month: 'short' }, WEEK: { day: 'numeric', month: 'short' }, MONTH: { month: 'short', year: '2-digit' } };

export const bucketTexts = (buckets: string[], interval: Interval) => {
  const long = new Intl.DateTimeFormat(language(), { ...LONG[interval], timeZone: zone() }), short = new Intl.DateTimeFormat(language(), { ...SHORT[interval], timeZone: zone() });
  return { long: buckets.map((at) => long.format(Date.parse(at))), short: buckets.map((at) => short.format(Date.parse(at))) };
};

export const channelText = (key: unknown) => { const word = `channel_${String(key).toLowerCase()}`; return ['channel_mail', 'channel_helpcenter', 'channel_messenger', 'channel_twitter', 'channel_facebook'].includes(word) ? sayMain(word as Word) : String(key); };
export const CHANNELS = ['MAIL', 'HELPCENTER', 'MESSENGER', 'TWITTER', 'FACEBOOK'];

/** The name of a group. `people`: names of agents by id. */
export const groupText = (group: string, key: string | number | null, people: ReadonlyMap<number, string>) => {
  if (group === 'CHANNEL') return key === null ? say('without') : channelText(key);
  if (key === null) return say(group === 'TEAM' ? 'none_team' : group === 'AGENT' ? 'none_agent' : 'none_priority');
  const found = group === 'TEAM' ? teams().find(({ id }) => id === key)?.title : group === 'AGENT' ? people.get(Number(key)) : priorities().find(({ id }) => id === key)?.label;
  return found ?? say('gone', { id: String(key) });
};

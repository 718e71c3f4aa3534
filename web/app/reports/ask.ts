// What the reports are asked for: the address has the period, the comparison and the conditions.
import { get, serverNow } from '../../kit/api';
import { go, place } from '../../kit/route';
import { me } from '../session/session';

const DAY = 86_400_000;
export const PERIODS = [1, 7, 30, 90, 365];
/** Conditions: their name in the address is that of the API. */
export const CONDITIONS = ['channel', 'team_id', 'agent_id', 'priority_id', 'organization_id'] as const;

export const zone = () => me()?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The date of a moment in the zone of the person: 2026-11-26. */
export const dateOf = (ms: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone() }).format(ms);
/** The moment at which a date begins in this zone. A clock change at midnight may make it an hour wrong, which a bucket shows. */
export const beginOf = (date: string) => {
  const utc = Date.parse(`${date}T00:00:00Z`);
  const ahead = (at: number) => Date.parse(`${new Intl.DateTimeFormat('sv-SE', { timeZone: zone(), dateStyle: 'short', timeStyle: 'medium' }).format(at).replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000;
  return utc - ahead(utc - ahead(utc));
};
const later = (date: string, days: number) => new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
const isDate = (text: string | null): text is string => text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

export const param = (name: string) => place().query.get(name);
/** Sets parameters of the address; null removes one. */
export const setParams = (next: Record<string, string | null>) => {
  const query = new URLSearchParams(place().query);
  for (const [name, value] of Object.entries(next)) if (value === null || value === '') query.delete(name); else query.set(name, value);
  const text = query.toString();
  go(`/reports${text ? `?${text}` : ''}`);
};

/** The chosen period; `days` is 0 if the person gave dates. */
export const period = () => {
  const today = dateOf(serverNow()), from = param('from'), to = param('to');
  if (isDate(from) && isDate(to)) return { days: 0, from, to };
  const days = PERIODS.find((n) => String(n) === param('days')) ?? 30;
  return { days, from: later(today, 1 - days), to: today };
};

export type Interval = 'HOUR' | 'DAY' | 'WEEK' | 'MONTH';
/** goes: the last bucket has not ended. */
export interface Ask { query: Record<string, string>; start: number; end: number; interval: Interval; goes: boolean; shift: number | 'previous' | undefined }
const intervalOf = (ms: number): Interval => ms <= 3 * DAY ? 'HOUR' : ms <= 100 * DAY ? 'DAY' : ms <= 800 * DAY ? 'WEEK' : 'MONTH';

/** Whether no request can be made of the dates. */
export const problem = () => {
  const { from, to } = period();
  return from > to ? 'dates_wrong' : beginOf(from) > serverNow() ? 'dates_future' : undefined;
};

/** tag: the id of the tag that the address names. */
export const askNow = (tag: number | undefined): Ask => {
  const { from, to } = period(), start = beginOf(from), last = beginOf(later(to, 1)), end = Math.min(last, Math.floor(serverNow() / 1000) * 1000 + 1000);
  const query: Record<string, string> = { time_zone: zone(), hours: param('hours') === 'business' ? 'BUSINESS' : 'CALENDAR' };
  for (const name of CONDITIONS) if (param(name)) query[name] = param(name)!;
  if (tag !== undefined) query['tag_id'] = String(tag);
  const compare = param('compare');
  return { query, start, end, interval: intervalOf(end - start), goes: end < last, shift: compare === 'none' ? undefined : compare === 'year' ? 365 * DAY : 'previous' };
};

export type Numbers = (number | null)[];
export interface Group { key: string | number | null; is_other: boolean; values: Numbers; n?: Numbers; p50?: Numbers; p90?: Numbers; [part: string]: unknown }
export type Total = Record<string, number | null>;
export interface Series { unit: string; interval: Interval; buckets: string[]; groups: Group[]; total: Total; before: Total | undefined; start_at: string; end_at: string; is_exact: boolean; error_percent: number; is_complete: boolean }

export const periodQuery = ({ query, start, end }: Ask) => ({ ...query, start_at: new Date(start).toISOString(), end_at: new Date(end).toISOString() });
export const seriesQuery = (ask: Ask, metric: string, group?: string, own?: Interval) => ({ ...periodQuery(ask), metric, interval: own ?? ask.interval, ...(group ? { group } : {}) });

export const readSeries = async (ask: Ask, metric: string, { group, interval, signal }: { group?: string; interval?: Interval; signal?: AbortSignal } = {}): Promise<Series> => {
  const shifted = typeof ask.shift === 'number' ? { ...ask, start: ask.start - ask.shift, end: ask.end - ask.shift } : undefined;
  const [reply, former] = await Promise.all([get('/insights/cases/series', seriesQuery(ask, metric, group, interval), signal), shifted && get('/insights/cases/series', seriesQuery(shifted, metric, undefined, 'MONTH'), signal)]);
  const data = reply.data as unknown as Series & { previous: Total };
  return { ...data, before: former ? (former.data as unknown as Series).total : ask.shift ? data.previous : undefined };
};

// What each report shows: its lines, its columns, and its sentence.
import type { Group, Numbers, Series, Total } from './ask';
import { param } from './ask';
import { bucketTexts, channelText, DURATION_STEPS, durationText, numberText, percentText } from './forms';
import type { Spec } from './report';
import { say, type ReportWord } from './words';

const CHANNELS_MOST = 5;
const partOf = (group: Group | undefined, name: string) => (group?.[name] ?? []) as Numbers;
const add = (lists: Numbers[]): Numbers => (lists[0] ?? []).map((_, i) => lists.every((l) => l[i] === null) ? null : lists.reduce((sum, l) => sum + (l[i] ?? 0), 0));
const change = (now: number, before: Total | undefined) => {
  const was = before?.['value'];
  if (was === undefined || was === null) return '';
  if (was === now) return say('change_none');
  if (was === 0) return say('change_new');
  return say(now > was ? 'change_more' : 'change_less', { percent: percentText(Math.abs(100 * (now - was) / was)), before: numberText(was) });
};
const before = (text: (value: number) => string, word: ReportWord, name: string, total: Total | undefined) => { const was = total?.['value']; return was === null || was === undefined ? '' : ` ${say(word, { [name]: text(was) })}`; };

const volume: Spec = {
  name: 'volume', metric: 'CREATED', group: 'CHANNEL', title: 'volume', why: 'volume_why', none: 'volume_none',
  shown: (series) => {
    const n = series.total['value'] ?? 0, top = series.groups.slice(0, CHANNELS_MOST), rest = series.groups.slice(CHANNELS_MOST);
    const lines = [...top.map((g) => ({ label: g.is_other ? say('others') : channelText(g.key), values: g.values })), ...(rest.length ? [{ label: say('others'), values: add(rest.map((g) => g.values)) }] : [])];
    const sums = add(lines.map((l) => l.values)), peak = sums.reduce<number>((best, v, i) => (v ?? 0) > (sums[best] ?? 0) ? i : best, 0);
    const first = top[0], share = first ? first.values.reduce<number>((sum, v) => sum + (v ?? 0), 0) : 0;
    const says = say('volume_says', { n, change: change(n, series.before), most: numberText(sums[peak] ?? 0), bucket: bucketTexts(series.buckets, series.interval).long[peak] ?? '' });
    return {
      empty: n === 0, sentence: first && n ? `${says} ${say('volume_top', { share: percentText(100 * share / n), channel: channelText(first.key) })}` : says,
      picture: { kind: 'bars', lines, text: numberText }, columns: lines.map((l) => ({ ...l, text: numberText })), figure: sums, figureText: numberText,
    };
  },
};

const waits = (name: 'first_response' | 'next_response' | 'resolution', why: ReportWord): Spec => ({
  name, metric: name.toUpperCase(), title: name, why, none: 'waits_none',
  shown: (series) => {
    const [group] = series.groups, n = series.total['n'] ?? 0, half = { label: say('half'), values: partOf(group, 'p50') }, most = { label: say('most'), values: partOf(group, 'p90') };
    return {
      empty: n === 0, sentence: say('waits_says', { count: numberText(n), half: durationText(series.total['p50'] ?? 0), most: durationText(series.total['p90'] ?? 0) }) + before(durationText, 'waits_before', 'half', series.before),
      picture: { kind: 'lines', lines: [half, most], text: durationText, steps: DURATION_STEPS, log: param('scale') === 'log' }, columns: [half, most].map((l) => ({ ...l, text: durationText })), figure: group?.n ?? [], figureText: numberText,
    };
  },
});

const stacked = (series: Series, parts: readonly ReportWord[]) => parts.map((part) => ({ label: say(part), values: partOf(series.groups[0], part), text: numberText, part }));

const sla: Spec = {
  name: 'sla', metric: 'SLA', title: 'sla', why: 'sla_why', none: 'sla_none',
  shown: (series) => {
    const { kept = 0, broken = 0, running = 0, value = null } = series.total, lines = stacked(series, ['kept', 'broken', 'running']);
    const counts = { kept: numberText(kept ?? 0), broken: numberText(broken ?? 0), running: numberText(running ?? 0) };
    return {
      empty: !series.total['n'], sentence: (value === null ? say('sla_running', counts) : say('sla_says', { ...counts, percent: percentText(value) })) + before(percentText, 'percent_before', 'percent', series.before),
      picture: { kind: 'bars', lines, text: numberText }, columns: [...lines, { label: '%', values: series.groups[0]?.values ?? [], text: percentText }], figure: series.groups[0]?.n ?? [], figureText: numberText,
    };
  },
};

const satisfaction: Spec = {
  name: 'satisfaction', metric: 'SATISFACTION', title: 'satisfaction', why: 'satisfaction_why', none: 'satisfaction_none',
  shown: (series) => {
    const { n = 0, good = 0, bad = 0, value = 0 } = series.total, [group] = series.groups;
    return {
      empty: !n, sentence: say('satisfaction_says', { n: n ?? 0, percent: percentText(value ?? 0), good: numberText(good ?? 0), bad: numberText(bad ?? 0) }) + before(percentText, 'percent_before', 'percent', series.before),
      picture: { kind: 'lines', lines: [{ label: say('good'), values: group?.values ?? [] }], text: percentText, most: 105 }, columns: [...stacked(series, ['good', 'bad']), { label: '%', values: group?.values ?? [], text: percentText }], figure: group?.n ?? [], figureText: numberText,
    };
  },
};

const backlog: Spec = {
  name: 'backlog', metric: 'BACKLOG', title: 'backlog', why: 'backlog_why', none: 'backlog_none',
  shown: (series) => {
    const lines = stacked(series, ['older', 'under_30_days', 'under_a_week', 'under_a_day']), [group] = series.groups, values = group?.values ?? [];
    return {
      empty: values.every((v) => !v), sentence: say('backlog_says', { n: series.total['value'] ?? 0, old: numberText(series.total['older'] ?? 0) }) + before(numberText, 'percent_before', 'percent', series.before),
      picture: { kind: 'bars', lines, text: numberText }, columns: lines, figure: values, figureText: numberText,
    };
  },
};

export const specs: Spec[] = [volume, waits('first_response', 'first_response_why'), waits('next_response', 'next_response_why'), waits('resolution', 'resolution_why'), sla, satisfaction, backlog];

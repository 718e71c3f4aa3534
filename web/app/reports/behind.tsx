// The conversations behind a figure.
import { createEffect, createMemo, For, on, Show } from 'solid-js';
import { prefix } from '../../kit/api';
import { go, href, place } from '../../kit/route';
import { fullTime, numberText } from '../../kit/words';
import { CaseList, NO_SELECTION } from '../list/list';
import { createPaging } from '../list/paging';
import { ROW_QUERY } from '../list/row';
import { spanText, weekNames, WEEKDAYS } from './spans';
import { say, type ReportWord } from './words';

const TITLES: Record<string, ReportWord> = {
  CREATED: 'volume', REQUESTS: 'week_requests', COMPLETED: 'completed', REOPENED: 'reopened', REPLIES: 'replies', BACKLOG: 'backlog', FIRST_RESPONSE: 'first_response', NEXT_RESPONSE: 'next_response', RESOLUTION: 'resolution', SLA: 'sla', SATISFACTION: 'satisfaction',
};
const FILE_LINES = 1000, FILES_MOST = 10;
const PARTS = ['kept', 'broken', 'running', 'good', 'bad', 'under_a_day', 'under_a_week', 'under_30_days', 'older'] as const;

export const BehindScreen = () => {
  const query = createMemo(() => { const { back: _, figure: __, ...rest } = Object.fromEntries(place().query); return rest; });
  const figure = () => Number(place().query.get('figure'));
  const paging = createPaging(() => ({ path: '/insights/cases', query: { ...ROW_QUERY, ...query() }, ids: true }));
  createEffect(on(query, () => { paging.reset(); paging.need(0, 1); }));
  const title = () => {
    const metric = TITLES[query()['metric'] ?? ''], part = PARTS.find((one) => one === query()['part']), [from, to] = [query()['start_at'], query()['end_at']];
    const day = WEEKDAYS.indexOf(query()['weekday'] ?? ''), hour = Number(query()['hour']);
    const name = [metric ? say(metric) : query()['metric'] ?? '', ...(part ? [say(part)] : []), ...(day >= 0 && hour >= 0 && hour < 24 ? [spanText(weekNames(), day, hour)] : [])].join(': ');
    return from && to ? say('behind_figure', { metric: name, from: fullTime(from), to: fullTime(to) }) : name;
  };
  createEffect(() => { document.title = `${title()} · deskd`; });
  const note = () => {
    const n = paging.total();
    if (n === undefined || !place().query.has('figure')) return '';
    return n === figure() ? say('behind_same') : say('behind_differs', { n, figure: numberText(figure()) });
  };
  // A file has a page of the list.
  const parts = () => Array.from({ length: Math.min(FILES_MOST, Math.ceil((paging.total() ?? 0) / FILE_LINES)) }, (_, i) => i * FILE_LINES);
  const fileOf = (offset: number) => `${prefix}/api/v1/insights/cases?${new URLSearchParams({ ...query(), format: 'csv', limit: String(FILE_LINES), ...(offset ? { offset: String(offset) } : {}) })}`;
  const fileText = (offset: number) => (paging.total() ?? 0) > FILE_LINES ? say('csv_lines', { from: numberText(offset + 1), to: numberText(Math.min(offset + FILE_LINES, paging.total()!)) }) : say('csv');
  return (
    <main class="report-behind">
      <CaseList paging={paging} title={title()} open={undefined} onOpen={(id) => go(`/cases/${id}`)} selection={NO_SELECTION} channel={undefined}
        above={<div class="pad report-note"><a class="button" href={href(`/reports${place().query.get('back') ? `?${place().query.get('back')}` : ''}`)}>{say('behind_back')}</a> <span class="soft" role="status">{note()}</span>
          <For each={parts()}>{(offset) => <a class="button" href={fileOf(offset)} target="_self">{fileText(offset)}</a>}</For>
          <Show when={(paging.total() ?? 0) > FILE_LINES * FILES_MOST}><span class="soft">{say('csv_most', { n: numberText(FILE_LINES * FILES_MOST) })}</span></Show></div>} />
    </main>
  );
};

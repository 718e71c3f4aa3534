// The conversations behind a figure.
import { createEffect, createMemo, on } from 'solid-js';
import { go, href, place } from '../../kit/route';
import { fullTime, numberText } from '../../kit/words';
import { CaseList, NO_SELECTION } from '../list/list';
import { createPaging } from '../list/paging';
import { ROW_QUERY } from '../list/row';
import { say, type ReportWord } from './words';

const TITLES: Record<string, ReportWord> = {
  CREATED: 'volume', COMPLETED: 'completed', REOPENED: 'reopened', REPLIES: 'replies', BACKLOG: 'backlog', FIRST_RESPONSE: 'first_response', NEXT_RESPONSE: 'next_response', RESOLUTION: 'resolution', SLA: 'sla', SATISFACTION: 'satisfaction',
};
const PARTS = ['kept', 'broken', 'running', 'good', 'bad', 'under_a_day', 'under_a_week', 'under_30_days', 'older'] as const;

export const BehindScreen = () => {
  const query = createMemo(() => { const { back: _, figure: __, ...rest } = Object.fromEntries(place().query); return rest; });
  const figure = () => Number(place().query.get('figure'));
  const paging = createPaging(() => ({ path: '/insights/cases', query: { ...ROW_QUERY, ...query() }, ids: true }));
  createEffect(on(query, () => { paging.reset(); paging.need(0, 1); }));
  const title = () => {
    const metric = TITLES[query()['metric'] ?? ''], part = PARTS.find((one) => one === query()['part']), [from, to] = [query()['start_at'], query()['end_at']];
    const name = [metric ? say(metric) : query()['metric'] ?? '', ...(part ? [say(part)] : [])].join(': ');
    return from && to ? say('behind_figure', { metric: name, from: fullTime(from), to: fullTime(to) }) : name;
  };
  createEffect(() => { document.title = `${title()} · deskd`; });
  const note = () => {
    const n = paging.total();
    if (n === undefined || !place().query.has('figure')) return '';
    return n === figure() ? say('behind_same') : say('behind_differs', { n, figure: numberText(figure()) });
  };
  return (
    <main class="report-behind">
      <CaseList paging={paging} title={title()} open={undefined} onOpen={(id) => go(`/cases/${id}`)} selection={NO_SELECTION} channel={undefined}
        above={<div class="pad report-note"><a class="button" href={href(`/reports${place().query.get('back') ? `?${place().query.get('back')}` : ''}`)}>{say('behind_back')}</a> <span class="soft" role="status">{note()}</span></div>} />
    </main>
  );
};

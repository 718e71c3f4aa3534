// Articles of the help center by what is read and what does not help, with searches that found nothing.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { get, prefix } from '../../kit/api';
import { language } from '../../kit/words';
import { param, setParams, type Ask } from './ask';
import { numberText } from './forms';
import { Bar } from './load';
import { changeText, RANKS_MOST } from './ranking';
import { say, type ReportWord } from './words';

type Reading = Record<'views' | 'upvotes' | 'downvotes' | 'comments' | 'searches' | 'searches_without_results', number>;
interface Report { days: string[]; numbers: Record<keyof Reading, number[]>; articles: { id: number; title: string; total: Reading; previous: Reading }[]; article_count: number; total: Reading; previous: Reading }
const PATH = '/insights/helpcenter/period', SEARCHES = '/insights/helpcenter/search';
const OF_ARTICLES = ['views', 'upvotes', 'downvotes', 'comments'] as const, ALL = [...OF_ARTICLES, 'searches', 'searches_without_results'] as const;
const WORDS: Record<keyof Reading, ReportWord> = { views: 'views', upvotes: 'helped', downvotes: 'helped_not', comments: 'comments', searches: 'searches', searches_without_results: 'searches_failed' };

export const Articles = (props: { ask: Ask }) => {
  const title = createUniqueId(), [report, setReport] = createSignal<Report>(), [failures, setFailures] = createSignal<{ name: string; attempt_count: number }[]>([]), [failed, setFailed] = createSignal(''), [turn, setTurn] = createSignal(0);
  const order = createMemo(() => OF_ARTICLES.find((one) => one === param('articles')) ?? 'views');
  // Only the period and the comparison: articles have no channel, team or agent.
  const query = ({ start, end }: Ask) => ({ start_at: new Date(start).toISOString(), end_at: new Date(end).toISOString() });
  createEffect(on([() => props.ask, order, turn], ([ask, by]) => {
    const stop = new AbortController(), asked = { ...query(ask), order: by.toUpperCase(), most: RANKS_MOST }, shift = ask.shift;
    onCleanup(() => stop.abort());
    const before = typeof shift === 'number' ? get(PATH, { ...asked, ...query({ ...ask, start: ask.start - shift, end: ask.end - shift }), most: 1000 }, stop.signal) : undefined;
    Promise.all([get(PATH, asked, stop.signal), get(SEARCHES, { ...query({ ...ask, end: ask.end - 1000 }), texts: 5 }, stop.signal), before]).then(([reply, searches, former]) => {
      const found = reply.data as unknown as Report, then = former && former.data as unknown as Report, none = Object.fromEntries(ALL.map((name) => [name, 0])) as Reading;
      setReport(then ? { ...found, previous: then.total, articles: found.articles.map((line) => ({ ...line, previous: then.articles.find(({ id }) => id === line.id)?.total ?? none })) } : found);
      setFailures((searches.data as unknown as { failed_searches: { name: string; attempt_count: number }[] }).failed_searches);
      setFailed('');
    }, (error: Error) => { if (!stop.signal.aborted) setFailed(error.message); });
  }));
  const compares = () => props.ask.shift !== undefined;
  const rows = createMemo(() => (report()?.articles ?? []).filter(({ total, previous }) => OF_ARTICLES.some((name) => total[name] > 0 || (compares() && previous[name] > 0))));
  const empty = () => rows().length === 0 && report()!.total.searches === 0;
  const most = () => Math.max(1, ...rows().map(({ total }) => total[order()]));
  const dayText = (day: string) => new Intl.DateTimeFormat(language(), { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(day));
  const sentence = () => {
    const { total, previous } = report()!, says = [say('articles_says', { n: total.views, up: numberText(total.upvotes), down: numberText(total.downvotes) })];
    if (compares()) says.push(say('articles_before', { before: numberText(previous.views) }));
    if (total.searches) says.push(say('articles_searches', { n: total.searches, failed: numberText(total.searches_without_results) }));
    return says.join(' ');
  };
  const csv = (lines: string) => `${prefix}/api/v1${PATH}?${new URLSearchParams({ ...query(props.ask), order: order().toUpperCase(), lines, format: 'csv' })}`;
  return (
    <section class="report report-wide" id="articles" aria-labelledby={title} aria-busy={!report() && !failed()}>
      <h2 id={title}>{say('articles')}</h2>
      <p class="soft">{say('articles_why')}</p>
      <label class="choice report-by"><span>{say('articles_by')}</span>
        <select onChange={(event) => setParams({ articles: event.currentTarget.value === 'views' ? null : event.currentTarget.value })}>
          <For each={OF_ARTICLES}>{(one) => <option value={one} selected={order() === one}>{say(WORDS[one])}</option>}</For>
        </select>
      </label>
      <Show when={failed()}><p class="wrong" role="alert">{say('report_failed', { reason: failed() })} <button type="button" onClick={() => setTurn((n) => n + 1)}>{say('again')}</button></p></Show>
      <Show when={report()} fallback={<Show when={!failed()}><div class="report-wait" /></Show>}>
        {(found) => (
          <Show when={!empty()} fallback={<p class="report-none">{say('articles_none')}</p>}>
            <p class="report-says">{sentence()}</p>
            <Show when={failures().length}><p>{say('articles_failed', { texts: failures().map(({ name, attempt_count }) => `“${name}” (${numberText(attempt_count)})`).join(', ') })}</p></Show>
            <Show when={rows().length}>
              <div class="report-table is-open" tabindex="0" role="group" aria-labelledby={title}>
                <table>
                  <thead><tr><th scope="col">{say('article')}</th><For each={OF_ARTICLES}>{(name) => <th scope="col">{say(WORDS[name])}</th>}</For><Show when={compares()}><th scope="col">{say('before')}</th><th scope="col">{say('change')}</th></Show></tr></thead>
                  <tbody>
                    <For each={rows()}>
                      {({ id, title: name, total, previous }) => (
                        <tr>
                          <th scope="row" dir="auto">{name || say('gone', { id: String(id) })}</th>
                          <For each={OF_ARTICLES}>{(one) => <td><Show when={one === order()}><Bar part={total[one] / most()} /> </Show>{numberText(total[one])}</td>}</For>
                          <Show when={compares()}><td>{numberText(previous[order()])}</td><td dir="ltr">{changeText(total[order()], previous[order()])}</td></Show>
                        </tr>
                      )}
                    </For>
                  </tbody>
                </table>
              </div>
            </Show>
            <div class="report-more">
              <details>
                <summary>{say('articles_days')}</summary>
                <div class="report-table" tabindex="0" role="group" aria-labelledby={title}>
                  <table>
                    <thead><tr><th scope="col">{say('time')}</th><For each={ALL}>{(name) => <th scope="col">{say(WORDS[name])}</th>}</For></tr></thead>
                    <tbody><For each={found().days}>{(day, i) => <tr><th scope="row">{dayText(day)}</th><For each={ALL}>{(name) => <td>{numberText(found().numbers[name][i()]!)}</td>}</For></tr>}</For></tbody>
                  </table>
                </div>
              </details>
              <Show when={found().article_count > RANKS_MOST}><span class="soft">{say('ranks_more', { n: numberText(found().article_count), most: numberText(RANKS_MOST) })}</span></Show>
              <a class="button" href={csv('ARTICLES')} target="_self">{say('csv')}: {say('articles')}</a>
              <a class="button" href={csv('DAYS')} target="_self">{say('csv')}: {say('articles_days')}</a>
            </div>
          </Show>
        )}
      </Show>
    </section>
  );
};

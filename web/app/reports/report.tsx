// One report: its heading, a sentence that says what the picture shows, the picture, and the numbers as a table.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { prefix, Refused } from '../../kit/api';
import { go, href } from '../../kit/route';
import { Plot, type Picture } from './plot';
import { bucketTexts } from './forms';
import { readSeries, seriesQuery, type Ask, type Numbers, type Series } from './ask';
import { say, type ReportWord } from './words';

export interface Column { label: string; values: Numbers; text: (value: number) => string; part?: string }
export interface Shown { empty: boolean; sentence: string; picture: Picture; columns: Column[]; figure: Numbers; figureText: (value: number) => string }
export interface Spec { name: string; metric: string; group?: string; title: ReportWord; why: ReportWord; none: ReportWord; shown: (series: Series, ask: Ask) => Shown }

/** The address of the conversations behind a figure. */
export const behind = (ask: Ask, metric: string, from: number, to: number, figure: number, more: Record<string, string> = {}) => {
  const { time_zone: _, hours: __, ...conditions } = ask.query;
  return `/reports/conversations?${new URLSearchParams({ ...conditions, metric, start_at: new Date(from).toISOString(), end_at: new Date(to).toISOString(), figure: String(figure), ...more })}`;
};
export const csvOf = (ask: Ask, metric: string, group?: string) => `${prefix}/api/v1/insights/cases/series?${new URLSearchParams({ ...seriesQuery(ask, metric, group), format: 'csv' })}`;

/** `told` hears of each series: whether it is complete, and whether the caller may see it. */
export const Report = (props: { spec: Spec; ask: Ask; back: string; told: (state: { denied?: boolean; complete?: boolean }) => void }) => {
  const title = createUniqueId(), [series, setSeries] = createSignal<Series>(), [failed, setFailed] = createSignal(''), [turn, setTurn] = createSignal(0);
  createEffect(on([() => props.ask, turn], ([ask]) => {
    const stop = new AbortController(), { metric, group } = props.spec;
    onCleanup(() => stop.abort());
    readSeries(ask, metric, { ...(group && { group }), signal: stop.signal }).then((found) => {
      setSeries(found);
      setFailed('');
      props.told({ complete: found.is_complete });
    }, (error: Error) => {
      if (stop.signal.aborted) return;
      if (error instanceof Refused && error.reply.status === 403) props.told({ denied: true });
      setFailed(error.message);
    });
  }));
  const shown = createMemo(() => { const s = series(); return s && props.spec.shown(s, props.ask); });
  const texts = createMemo(() => bucketTexts(series()?.buckets ?? [], series()?.interval ?? 'DAY'));
  const ends = () => [...(series()?.buckets ?? []).slice(1), series()?.end_at ?? ''];
  const link = (at: number, part?: string, figure?: number | null) => behind(props.ask, props.spec.metric, Date.parse(series()!.buckets[at]!), Date.parse(ends()[at]!), figure ?? shown()!.figure[at] ?? 0, { back: props.back, ...(part ? { part } : {}) });
  return (
    <section class="report" id={props.spec.name} aria-labelledby={title} aria-busy={!series() && !failed()}>
      <h2 id={title}>{say(props.spec.title)}</h2>
      <p class="soft">{say(props.spec.why)}</p>
      <Show when={failed()}><p class="wrong" role="alert">{say('report_failed', { reason: failed() })} <button type="button" onClick={() => setTurn((n) => n + 1)}>{say('again')}</button></p></Show>
      <Show when={shown()} fallback={<Show when={!failed()}><div class="report-wait" /></Show>}>
        {(s) => (
          <Show when={!s().empty} fallback={<p class="report-none">{say(props.spec.none)}</p>}>
            <p class="report-says">{s().sentence}<Show when={series()!.error_percent}> {say('inexact', { n: series()!.error_percent })}</Show></p>
            <Plot picture={s().picture} buckets={texts().long} short={texts().short} label={say(props.spec.title)} hint={say('plot_keys')} incomplete={props.ask.goes} open={(at) => { if (shown()!.figure[at]) go(link(at)); }} />
            <div class="report-more">
              <details>
                <summary>{say('table')}</summary>
                <div class="report-table" tabindex="0" role="group" aria-labelledby={title}>
                  <table>
                    <thead><tr><th scope="col">{say('time')}</th><For each={s().columns}>{({ label }) => <th scope="col" dir="auto">{label}</th>}</For><th scope="col">{say('conversations')}</th></tr></thead>
                    <tbody>
                      <For each={texts().long}>
                        {(text, i) => (
                          <tr>
                            <th scope="row">{text}<Show when={props.ask.goes && i() === texts().long.length - 1}> <span class="soft">({say('so_far')})</span></Show></th>
                            <For each={s().columns}>{({ values, text: textOf, part }) => <td>{values[i()] === null || values[i()] === undefined ? '–' : part && values[i()] ? <a href={href(link(i(), part, values[i()]))}>{textOf(values[i()]!)}</a> : textOf(values[i()]!)}</td>}</For>
                            <td><Show when={s().figure[i()]} fallback="–">{(n) => <a href={href(link(i()))} aria-label={say('conversations_of', { bucket: text })}>{s().figureText(n())}</a>}</Show></td>
                          </tr>
                        )}
                      </For>
                    </tbody>
                  </table>
                </div>
              </details>
              <a class="button" href={csvOf(props.ask, props.spec.metric, props.spec.group)} target="_self">{say('csv')}<span class="hidden"> {say(props.spec.title)}</span></a>
            </div>
          </Show>
        )}
      </Show>
    </section>
  );
};

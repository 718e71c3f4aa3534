// Arrivals and replies by weekday and hour: a grid of 7 x 24. The size of a mark says as much as its colour, and the cell in focus is said in words.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { get, prefix } from '../../kit/api';
import { go, href } from '../../kit/route';
import { param, periodQuery, setParams, type Ask } from './ask';
import { numberText, percentText } from './forms';
import { behind } from './report';
import { DAYS, HOURS, spanText, weekNames, WEEKDAYS } from './spans';
import { say, type ReportWord } from './words';

const METRICS: Record<string, ReportWord> = { CREATED: 'week_created', REQUESTS: 'week_requests', REPLIES: 'replies', COMPLETED: 'completed' };
const LEVELS = 5;

export const Week = (props: { ask: Ask; back: string }) => {
  const title = createUniqueId(), [values, setValues] = createSignal<number[][]>(), [failed, setFailed] = createSignal(''), [turn, setTurn] = createSignal(0), [at, setAt] = createSignal<[number, number]>([0, 9]), [said, setSaid] = createSignal(false);
  const metric = createMemo(() => Object.keys(METRICS).find((one) => one.toLowerCase() === param('week')) ?? 'CREATED');
  const query = () => ({ ...periodQuery(props.ask), metric: metric() });
  let grid!: HTMLTableElement;
  createEffect(on([query, turn], ([asked]) => {
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    get('/insights/cases/hours', asked, stop.signal).then((reply) => { setValues((reply.data as unknown as { values: number[][] }).values); setFailed(''); }, (error: Error) => { if (!stop.signal.aborted) setFailed(error.message); });
  }));
  const words = createMemo(weekNames), all = createMemo(() => (values() ?? []).flat().reduce((sum, n) => sum + n, 0)), most = createMemo(() => Math.max(1, ...(values() ?? []).flat()));
  const spanOf = (day: number, hour: number) => spanText(words(), day, hour);
  /** The address of the conversations of a cell. */
  const link = (day: number, hour: number) => behind(props.ask, metric(), props.ask.start, props.ask.end, values()![day]![hour]!, { weekday: WEEKDAYS[day]!, hour: String(hour), time_zone: props.ask.query['time_zone']!, back: props.back });
  const openCell = (day: number, hour: number) => { if (values()![day]![hour]) go(link(day, hour)); };
  const sentence = () => {
    const list = values()!, flat = list.flat(), peak = flat.indexOf(Math.max(...flat)), days = list.map((hours) => hours.reduce((sum, n) => sum + n, 0)), day = days.indexOf(Math.max(...days));
    return say('week_says', { n: flat[peak]!, all: numberText(all()), hour: spanOf(Math.floor(peak / 24), peak % 24), day: words().days[day]!, share: percentText(100 * days[day]! / all()) });
  };
  const level = (n: number) => n === 0 ? 0 : Math.ceil(LEVELS * n / most());
  const move = (day: number, hour: number) => {
    setAt([day, hour]);
    setSaid(true);
    grid.querySelector<HTMLElement>(`[data-cell="${day}-${hour}"]`)?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const [day, hour] = at();
    if (event.key === 'Enter') { event.preventDefault(); openCell(day, hour); return; }
    const side = document.documentElement.dir === 'rtl' ? -1 : 1;
    const to: Record<string, [number, number]> = { ArrowUp: [day - 1, hour], ArrowDown: [day + 1, hour], ArrowRight: [day, hour + side], ArrowLeft: [day, hour - side], Home: [day, 0], End: [day, 23], PageUp: [0, hour], PageDown: [6, hour] }, place = to[event.key];
    if (!place) return;
    event.preventDefault();
    move(Math.min(6, Math.max(0, place[0])), Math.min(23, Math.max(0, place[1])));
  };
  return (
    <section class="report report-wide" id="week" aria-labelledby={title} aria-busy={!values() && !failed()}>
      <h2 id={title}>{say('week')}</h2>
      <p class="soft">{say('week_why')}</p>
      <label class="choice report-by"><span>{say('week_of')}</span>
        <select onChange={(event) => setParams({ week: event.currentTarget.value === 'CREATED' ? null : event.currentTarget.value.toLowerCase() })}>
          <For each={Object.keys(METRICS)}>{(one) => <option value={one} selected={metric() === one}>{say(METRICS[one]!)}</option>}</For>
        </select>
      </label>
      <Show when={failed()}><p class="wrong" role="alert">{say('report_failed', { reason: failed() })} <button type="button" onClick={() => setTurn((n) => n + 1)}>{say('again')}</button></p></Show>
      <Show when={values()} fallback={<Show when={!failed()}><div class="report-wait" /></Show>}>
        <Show when={all()} fallback={<p class="report-none">{say('week_none')}</p>}>
          <p class="report-says">{sentence()}</p>
          <div class="report-table is-open">
            <table class="report-heat" role="grid" aria-labelledby={title} aria-description={say('week_keys')} ref={grid} onKeyDown={onKey}>
              <thead><tr><td /><For each={HOURS}>{(hour) => <th scope="col"><span class="hidden">{words().hours[hour]}</span><span aria-hidden="true">{hour % 3 === 0 ? words().hours[hour] : ''}</span></th>}</For></tr></thead>
              <tbody>
                <For each={DAYS}>
                  {(day) => (
                    <tr><th scope="row"><abbr title={words().days[day]}>{words().short[day]}</abbr></th>
                      <For each={HOURS}>{(hour) => <td role="gridcell" data-cell={`${day}-${hour}`} data-level={level(values()![day]![hour]!)} tabindex={at()[0] === day && at()[1] === hour ? 0 : -1} onFocus={() => { setAt([day, hour]); setSaid(true); }} onPointerEnter={() => { setAt([day, hour]); setSaid(true); }} onClick={() => openCell(day, hour)}>
                        <span class="report-dot" aria-hidden="true" /><span class="hidden">{numberText(values()![day]![hour]!)}</span></td>}</For>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          </div>
          <p class="report-words soft" aria-hidden="true">{said() ? `${spanOf(...at())} · ${say(METRICS[metric()]!)} ${numberText(values()![at()[0]]![at()[1]]!)}` : say('week_keys')}</p>
          <div class="report-more">
            <details>
              <summary>{say('table')}</summary>
              <div class="report-table" tabindex="0" role="group" aria-labelledby={title}>
                <table>
                  <thead><tr><th scope="col">{say('time')}</th><For each={DAYS}>{(day) => <th scope="col">{words().short[day]}</th>}</For></tr></thead>
                  <tbody><For each={HOURS}>{(hour) => <tr><th scope="row">{words().times[hour]}</th><For each={DAYS}>{(day) => <td><Show when={values()![day]![hour]} fallback={numberText(0)}>{(n) => <a href={href(link(day, hour))} aria-label={`${spanOf(day, hour)}: ${numberText(n())}`}>{numberText(n())}</a>}</Show></td>}</For></tr>}</For></tbody>
                </table>
              </div>
            </details>
            <a class="button" href={`${prefix}/api/v1/insights/cases/hours?${new URLSearchParams({ ...query(), format: 'csv' })}`} target="_self">{say('csv')}<span class="hidden"> {say('week')}</span></a>
          </div>
        </Show>
      </Show>
    </section>
  );
};

// Load by agent, team or channel: a table with small bars.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { href } from '../../kit/route';
import { readStaff } from '../frame/catalog';
import { param, readSeries, setParams, type Ask, type Series } from './ask';
import { groupText, numberText } from './forms';
import { behind, csvOf } from './report';
import { say, type ReportWord } from './words';

const METRICS = ['REPLIES', 'COMPLETED', 'BACKLOG'] as const, WORDS: Record<string, ReportWord> = { REPLIES: 'replies', COMPLETED: 'completed', BACKLOG: 'open', AGENT: 'agent', TEAM: 'team', CHANNEL: 'channel' };
/** The condition that has the key of a group. */
const CONDITION: Record<string, string> = { AGENT: 'agent_id', TEAM: 'team_id', CHANNEL: 'channel' };

/** A bar whose length says the part of the largest number. */
export const Bar = (props: { part: number }) => <span class="report-bar" aria-hidden="true" ref={(element) => createEffect(() => { element.style.inlineSize = `${Math.round(100 * props.part)}%`; })} />;

export const Load = (props: { ask: Ask; back: string }) => {
  const title = createUniqueId(), [all, setAll] = createSignal<Series[]>(), [failed, setFailed] = createSignal(''), [people, setPeople] = createSignal<ReadonlyMap<number, string>>(new Map()), [turn, setTurn] = createSignal(0);
  const group = createMemo(() => ['TEAM', 'CHANNEL'].find((one) => one.toLowerCase() === param('load')) ?? 'AGENT');
  void readStaff().then((list) => setPeople(new Map(list.map(({ id, full_name }) => [id, full_name]))), () => undefined);
  createEffect(on([() => props.ask, group, turn], ([ask, by]) => {
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    Promise.all(METRICS.map((metric) => readSeries({ ...ask, shift: undefined }, metric, { group: by, interval: 'MONTH', signal: stop.signal })))
      .then((found) => { setAll(found); setFailed(''); }, (error: Error) => { if (!stop.signal.aborted) setFailed(error.message); });
  }));
  const rows = createMemo(() => {
    const found = new Map<string, { key: string | number | null; other: boolean; numbers: number[] }>();
    all()?.forEach((series, m) => series.groups.forEach((g) => {
      const name = g.is_other ? 'other' : String(g.key), row = found.get(name) ?? { key: g.key, other: g.is_other, numbers: METRICS.map(() => 0) };
      row.numbers[m] = METRICS[m] === 'BACKLOG' ? g.values.filter((v) => v !== null).at(-1) ?? 0 : g.values.reduce<number>((sum, v) => sum + (v ?? 0), 0);
      found.set(name, row);
    }));
    return [...found.values()].filter(({ numbers }) => numbers.some((n) => n > 0)).sort((a, b) => Number(a.other) - Number(b.other) || b.numbers[0]! - a.numbers[0]! || b.numbers[2]! - a.numbers[2]!);
  });
  const nameOf = (row: { key: string | number | null; other: boolean }) => row.other ? say('others') : groupText(group(), row.key, people());
  const most = (m: number) => Math.max(1, ...rows().map(({ numbers }) => numbers[m]!));
  const sentence = () => {
    const replies = all()?.[0]?.total['value'] ?? 0, first = rows().find(({ other, numbers }) => !other && numbers[0]! > 0);
    return first && replies ? say('load_says', { name: nameOf(first), n: first.numbers[0]!, all: replies }) : say('load_no_replies');
  };
  const keyOf = (row: { key: string | number | null }) => ({ [CONDITION[group()]!]: row.key === null ? '0' : String(row.key) });
  const linked = (row: { key: string | number | null; other: boolean }) => !row.other && !(group() === 'CHANNEL' && row.key === null);
  return (
    <section class="report" id="load" aria-labelledby={title} aria-busy={!all() && !failed()}>
      <h2 id={title}>{say('load')}</h2>
      <p class="soft">{say('load_why')}</p>
      <label class="choice report-by"><span>{say('load_by')}</span>
        <select onChange={(event) => setParams({ load: event.currentTarget.value === 'AGENT' ? null : event.currentTarget.value.toLowerCase() })}>
          <For each={['AGENT', 'TEAM', 'CHANNEL']}>{(one) => <option value={one} selected={group() === one}>{say(WORDS[one]!)}</option>}</For>
        </select>
      </label>
      <Show when={failed()}><p class="wrong" role="alert">{say('report_failed', { reason: failed() })} <button type="button" onClick={() => setTurn((n) => n + 1)}>{say('again')}</button></p></Show>
      <Show when={all()} fallback={<Show when={!failed()}><div class="report-wait" /></Show>}>
        <Show when={rows().length} fallback={<p class="report-none">{say('load_none')}</p>}>
          <p class="report-says">{sentence()}</p>
          <div class="report-table is-open" tabindex="0" role="group" aria-labelledby={title}>
            <table class="report-load">
              <thead><tr><th scope="col">{say(WORDS[group()]!)}</th><For each={METRICS}>{(metric) => <th scope="col">{say(WORDS[metric]!)}</th>}</For></tr></thead>
              <tbody>
                <For each={rows()}>
                  {(row) => (
                    <tr>
                      <th scope="row" dir="auto">{nameOf(row)}</th>
                      <For each={METRICS}>{(metric, m) => <td><Bar part={row.numbers[m()]! / most(m())} /> <Show when={row.numbers[m()] && linked(row)} fallback={numberText(row.numbers[m()]!)}><a href={href(behind(props.ask, metric, props.ask.start, props.ask.end, row.numbers[m()]!, { ...keyOf(row), back: props.back }))}>{numberText(row.numbers[m()]!)}</a></Show></td>}</For>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          </div>
          <div class="report-more"><For each={METRICS}>{(metric) => <a class="button" href={csvOf(props.ask, metric, group())} target="_self">{say('csv')}: {say(WORDS[metric]!)}</a>}</For></div>
        </Show>
      </Show>
    </section>
  );
};

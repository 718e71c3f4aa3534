// Tags and organizations by the number of new conversations, with the change to the other period, and further numbers beside it.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { prefix } from '../../kit/api';
import { href } from '../../kit/route';
import { periodQuery, type Ask } from './ask';
import { durationText, numberText, percentText } from './forms';
import { Bar } from './load';
import { changeText, GROUPS_PATH, RANKS_ALL, RANKS_MOST, readRanking, type Rank } from './ranking';
import { behind } from './report';
import { say, type ReportWord } from './words';

interface Beside { metric: string; word: ReportWord; text: (value: number) => string }
export interface Ranked { name: 'tags' | 'organizations'; group: 'TAG' | 'ORGANIZATION'; condition: string; head: ReportWord; beside: Beside[] }
export const TAGS: Ranked = { name: 'tags', group: 'TAG', condition: 'tag_id', head: 'tag', beside: [] };
export const ORGANIZATIONS: Ranked = {
  name: 'organizations', group: 'ORGANIZATION', condition: 'organization_id', head: 'organization',
  beside: [{ metric: 'REPLIES', word: 'replies', text: numberText }, { metric: 'FIRST_RESPONSE', word: 'first_response', text: durationText }, { metric: 'SATISFACTION', word: 'satisfaction', text: percentText }],
};

const readAll = async (ask: Ask, { group, beside }: Ranked, signal: AbortSignal) => {
  const [created, ...further] = await Promise.all([readRanking(ask, 'CREATED', group, signal), ...beside.map(({ metric }) => readRanking({ ...ask, shift: undefined }, metric, group, signal, RANKS_ALL))]);
  return { ...created!, beside: further };
};

export const Ranks = (props: { of: Ranked; ask: Ask; back: string }) => {
  const { name, group, condition, head, beside } = props.of, id = createUniqueId();
  const [ranking, setRanking] = createSignal<Awaited<ReturnType<typeof readAll>>>(), [failed, setFailed] = createSignal(''), [turn, setTurn] = createSignal(0);
  createEffect(on([() => props.ask, turn], ([ask]) => {
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    readAll(ask, props.of, stop.signal).then((found) => { setRanking(found); setFailed(''); }, (error: Error) => { if (!stop.signal.aborted) setFailed(error.message); });
  }));
  const compares = () => props.ask.shift !== undefined;
  const nowOf = (rank: Rank) => rank.total['value'] ?? 0, beforeOf = (rank: Rank) => ranking()!.before(rank), more = (rank: Rank) => nowOf(rank) - beforeOf(rank);
  const rows = createMemo(() => (ranking()?.groups ?? []).filter((rank) => nowOf(rank) > 0 || (compares() && beforeOf(rank) > 0)));
  const most = () => Math.max(1, ...rows().map(nowOf));
  const nameOf = (rank: Rank) => rank.key === null ? say(`${name}_without`) : ranking()!.names.get(rank.key) ?? say('gone', { id: String(rank.key) });
  const sentence = () => {
    const first = rows().find((rank) => rank.key !== null && nowOf(rank) > 0);
    if (!first) return say(`${name}_none_used`);
    const grown = compares() ? rows().filter(({ key }) => key !== null).sort((a, b) => more(b) - more(a))[0] : undefined;
    const says = say(`${name}_says`, { name: nameOf(first), n: nowOf(first), all: numberText(ranking()!.total['value'] ?? 0) });
    return grown && more(grown) > 0 ? `${says} ${say('tags_grown', { name: nameOf(grown), more: numberText(more(grown)) })}` : says;
  };
  const Linked = (link: { rank: Rank; metric: string; figure: number; text: string }) => <a href={href(behind(props.ask, link.metric, props.ask.start, props.ask.end, link.figure, { [condition]: String(link.rank.key ?? 0), back: props.back }))}>{link.text}</a>;
  const csv = (metric: string) => `${prefix}/api/v1${GROUPS_PATH}?${new URLSearchParams({ ...periodQuery(props.ask), metric, group, format: 'csv' })}`;
  return (
    <section class={beside.length ? 'report report-wide' : 'report'} id={name} aria-labelledby={id} aria-busy={!ranking() && !failed()}>
      <h2 id={id}>{say(name)}</h2>
      <p class="soft">{say(`${name}_why`)}</p>
      <Show when={failed()}><p class="wrong" role="alert">{say('report_failed', { reason: failed() })} <button type="button" onClick={() => setTurn((n) => n + 1)}>{say('again')}</button></p></Show>
      <Show when={ranking()} fallback={<Show when={!failed()}><div class="report-wait" /></Show>}>
        {(found) => (
          <Show when={rows().length} fallback={<p class="report-none">{say('volume_none')}</p>}>
            <p class="report-says">{sentence()}</p>
            <div class="report-table is-open" tabindex="0" role="group" aria-labelledby={id}>
              <table class={beside.length ? undefined : 'report-load'}>
                <thead><tr><th scope="col">{say(head)}</th><th scope="col">{say('conversations')}</th><Show when={compares()}><th scope="col">{say('before')}</th><th scope="col">{say('change')}</th></Show><For each={beside}>{({ word }) => <th scope="col">{say(word)}</th>}</For></tr></thead>
                <tbody>
                  <For each={rows()}>
                    {(rank) => (
                      <tr>
                        <th scope="row" dir="auto">{nameOf(rank)}</th>
                        <td><Bar part={nowOf(rank) / most()} /> <Show when={nowOf(rank)} fallback={numberText(0)}><Linked rank={rank} metric="CREATED" figure={nowOf(rank)} text={numberText(nowOf(rank))} /></Show></td>
                        <Show when={compares()}><td>{numberText(beforeOf(rank))}</td><td dir="ltr">{changeText(nowOf(rank), beforeOf(rank))}</td></Show>
                        <For each={beside}>{({ metric, text }, i) => {
                          const total = () => found().beside[i()]!.of.get(rank.key)?.total;
                          return <td><Show when={total()?.['n']} fallback="–">{(n) => <Linked rank={rank} metric={metric} figure={n()} text={text(total()!['value'] ?? 0)} />}</Show></td>;
                        }}</For>
                      </tr>
                    )}
                  </For>
                </tbody>
              </table>
            </div>
            <div class="report-more">
              <Show when={found().group_count > RANKS_MOST} fallback={<span />}><span class="soft">{say('ranks_more', { n: numberText(found().group_count), most: numberText(RANKS_MOST) })}</span></Show>
              <For each={[{ metric: 'CREATED', word: beside.length ? 'conversations' as ReportWord : name }, ...beside]}>{({ metric, word }) => <a class="button" href={csv(metric)} target="_self">{say('csv')}<span class={beside.length ? undefined : 'hidden'}> {say(word)}</span></a>}</For>
            </div>
          </Show>
        )}
      </Show>
    </section>
  );
};

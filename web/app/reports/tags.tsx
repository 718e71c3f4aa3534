// Tags by the number of new conversations, with the change to the other period.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { get, prefix } from '../../kit/api';
import { href } from '../../kit/route';
import { periodQuery, type Ask, type Total } from './ask';
import { numberText, percentText } from './forms';
import { Bar } from './load';
import { behind } from './report';
import { say } from './words';

interface Rank { key: number | null; total: Total; previous: Total }
interface Ranking { groups: Rank[]; group_count: number; tags: { id: number; name: string }[]; total: Total }
const MOST = 20, ALL = 1000;
const path = '/insights/cases/groups', GROUP = { metric: 'CREATED', group: 'TAG' };

/** The groups of the period. A year before is another period than the previous one, so it is asked for by itself. */
const readRanking = async (ask: Ask, signal: AbortSignal) => {
  const shifted = typeof ask.shift === 'number' ? { ...ask, start: ask.start - ask.shift, end: ask.end - ask.shift } : undefined;
  const [reply, former] = await Promise.all([get(path, { ...periodQuery(ask), ...GROUP, most: MOST }, signal), shifted && get(path, { ...periodQuery(shifted), ...GROUP, most: ALL }, signal)]);
  const ranking = reply.data as unknown as Ranking, then = former && new Map((former.data as unknown as Ranking).groups.map((rank) => [rank.key, rank.total]));
  const names = new Map(ranking.tags.map(({ id, name }) => [id, name]));
  return { ...ranking, names, before: (rank: Rank) => (then ? then.get(rank.key)?.['value'] : rank.previous['value']) ?? 0 };
};

export const Tags = (props: { ask: Ask; back: string }) => {
  const title = createUniqueId(), [ranking, setRanking] = createSignal<Awaited<ReturnType<typeof readRanking>>>(), [failed, setFailed] = createSignal(''), [turn, setTurn] = createSignal(0);
  createEffect(on([() => props.ask, turn], ([ask]) => {
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    readRanking(ask, stop.signal).then((found) => { setRanking(found); setFailed(''); }, (error: Error) => { if (!stop.signal.aborted) setFailed(error.message); });
  }));
  const compares = () => props.ask.shift !== undefined;
  const nowOf = (rank: Rank) => rank.total['value'] ?? 0;
  const rows = createMemo(() => (ranking()?.groups ?? []).filter((rank) => nowOf(rank) > 0 || (compares() && ranking()!.before(rank) > 0)));
  const most = () => Math.max(1, ...rows().map(nowOf));
  const nameOf = (rank: Rank) => rank.key === null ? say('tags_without') : ranking()!.names.get(rank.key) ?? say('gone', { id: String(rank.key) });
  const changeText = (rank: Rank) => {
    const now = nowOf(rank), was = ranking()!.before(rank);
    if (was === 0) return now === 0 ? '–' : say('tags_new');
    const percent = percentText(Math.round(Math.abs(100 * (now - was) / was)));
    return now === was ? '±0' : now > was ? `+${percent}` : `−${percent}`;
  };
  const sentence = () => {
    const first = rows().find((rank) => rank.key !== null && nowOf(rank) > 0);
    if (!first) return say('tags_none_used');
    const grown = compares() ? rows().filter(({ key }) => key !== null).sort((a, b) => (nowOf(b) - ranking()!.before(b)) - (nowOf(a) - ranking()!.before(a)))[0] : undefined;
    const says = say('tags_says', { name: nameOf(first), n: nowOf(first), all: numberText(ranking()!.total['value'] ?? 0) });
    return grown && nowOf(grown) > ranking()!.before(grown) ? `${says} ${say('tags_grown', { name: nameOf(grown), more: numberText(nowOf(grown) - ranking()!.before(grown)) })}` : says;
  };
  return (
    <section class="report" id="tags" aria-labelledby={title} aria-busy={!ranking() && !failed()}>
      <h2 id={title}>{say('tags')}</h2>
      <p class="soft">{say('tags_why')}</p>
      <Show when={failed()}><p class="wrong" role="alert">{say('report_failed', { reason: failed() })} <button type="button" onClick={() => setTurn((n) => n + 1)}>{say('again')}</button></p></Show>
      <Show when={ranking()} fallback={<Show when={!failed()}><div class="report-wait" /></Show>}>
        {(found) => (
          <Show when={rows().length} fallback={<p class="report-none">{say('volume_none')}</p>}>
            <p class="report-says">{sentence()}</p>
            <div class="report-table is-open" tabindex="0" role="group" aria-labelledby={title}>
              <table class="report-load">
                <thead><tr><th scope="col">{say('tag')}</th><th scope="col">{say('conversations')}</th><Show when={compares()}><th scope="col">{say('before')}</th><th scope="col">{say('change')}</th></Show></tr></thead>
                <tbody>
                  <For each={rows()}>
                    {(rank) => (
                      <tr>
                        <th scope="row" dir="auto">{nameOf(rank)}</th>
                        <td><Bar part={nowOf(rank) / most()} /> <Show when={nowOf(rank)} fallback={numberText(0)}><a href={href(behind(props.ask, 'CREATED', props.ask.start, props.ask.end, nowOf(rank), { tag_id: String(rank.key ?? 0), back: props.back }))}>{numberText(nowOf(rank))}</a></Show></td>
                        <Show when={compares()}><td>{numberText(found().before(rank))}</td><td dir="ltr">{changeText(rank)}</td></Show>
                      </tr>
                    )}
                  </For>
                </tbody>
              </table>
            </div>
            <div class="report-more">
              <Show when={found().group_count > MOST} fallback={<span />}><span class="soft">{say('tags_more', { n: found().group_count, most: numberText(MOST) })}</span></Show>
              <a class="button" href={`${prefix}/api/v1${path}?${new URLSearchParams({ ...periodQuery(props.ask), ...GROUP, format: 'csv' })}`} target="_self">{say('csv')}<span class="hidden"> {say('tags')}</span></a>
            </div>
          </Show>
        )}
      </Show>
    </section>
  );
};

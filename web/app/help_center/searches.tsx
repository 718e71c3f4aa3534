// What customers searched for in the help center. A text that found nothing becomes a draft with this title, in the section that is chosen
// above the list.
import { createEffect, createMemo, createSignal, For, on, onMount, Show } from 'solid-js';
import { call, get, prefix, rowsOf, serverNow, type Row } from '../../kit/api';
import { go, href, place } from '../../kit/route';
import { tell, tellWrong } from '../../kit/strip';
import { fullTime, numberText, say as sayOfAll, shortTime } from '../../kit/words';
import { articleChanged, firstLocale, mayWrite, titleOf, tree, type Section } from './data';
import { say, type ModerationWord } from './moderation_words';
import { say as sayOfHelp } from './words';

const BASE = '/help-center/searches', DAYS = [7, 30, 90, 365], MOST = 100;
interface Searched { name: string; attempt_count: number; average_result_count: number; last_attempted_at: string }
type Kind = 'failed' | 'popular';
const KINDS: Record<Kind, ModerationWord> = { failed: 'searches_failed', popular: 'searches_popular' };

const asHtml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** The section of the next drafts, as long as the console is open. */
const [chosenSection, setSection] = createSignal<number>();

const List = (props: { kind: Kind; rows: Searched[] }) => {
  const [made, setMade] = createSignal<Record<string, number>>({}), [busy, setBusy] = createSignal('');
  const [sections, setSections] = createSignal<Section[]>();
  onMount(() => { get('/sections', { limit: 1000, fields: 'titles,category', include: 'locale_field' }).then((reply) => setSections(rowsOf(reply) as unknown as Section[]), (error: Error) => tellWrong(error.message)); });
  const all = () => sections() ?? [], section = () => all().find(({ id }) => id === chosenSection()) ?? all()[0];
  const categories = () => (tree.categories?.rows ?? []).map((category) => ({ category, sections: all().filter((one) => one.category.id === category.id) })).filter((one) => one.sections.length);
  const most = () => Math.max(1, ...props.rows.map((one) => one.attempt_count));
  const drop = (name: string) => setMade(({ [name]: _gone, ...rest }) => rest);

  const makeDraft = async (name: string, at: Section) => {
    if (busy()) return;
    setBusy(name);
    try {
      const title = name.charAt(0).toLocaleUpperCase() + name.slice(1), locale = firstLocale();
      const reply = await call('POST', '/articles', { body: { titles: [{ locale, translation: title }], contents: [{ locale, translation: `<p>${asHtml(say('draft_text', { text: name }))}</p>` }], section_id: at.id, status: 'DRAFT' } }), { id } = rowsOf(reply)[0] as Row;
      setMade((former) => ({ ...former, [name]: id }));
      await articleChanged(at.id).catch(() => undefined);
      tell(say('draft_made', { title, section: titleOf(at.titles) }), async () => { await call('DELETE', `/articles/${id}`); drop(name); await articleChanged(at.id); });
    } catch (error) { tellWrong((error as Error).message); } finally { setBusy(''); }
  };
  return (
    <>
      <Show when={props.kind === 'failed' && mayWrite()}>
        <Show when={section()} fallback={<Show when={sections()}><p class="soft">{say('no_section')}</p></Show>}>
          <label class="choice searches-section"><span>{say('drafts_in')}</span>
            <select onChange={(event) => setSection(Number(event.currentTarget.value))}>
              <For each={categories()}>{(one) => <optgroup label={titleOf(one.category.titles)}><For each={one.sections}>{({ id, titles }) => <option value={id} selected={id === section()?.id}>{titleOf(titles)}</option>}</For></optgroup>}</For>
            </select></label>
        </Show>
      </Show>
      <table class="searches">
        <thead><tr><th scope="col">{say('searched_text')}</th><th scope="col">{say('how_often')}</th><Show when={props.kind === 'popular'}><th scope="col">{say('results')}</th></Show><th scope="col">{say('last_time')}</th><Show when={props.kind === 'failed' && mayWrite()}><th scope="col"><span class="hidden">{say('what_to_do')}</span></th></Show></tr></thead>
        <tbody>
          <For each={props.rows}>
            {(one) => (
              <tr>
                <th scope="row"><a href={`${prefix}/helpcenter/${firstLocale()}/search?${new URLSearchParams({ query: one.name })}`} target="_blank" dir="auto">{one.name}</a></th>
                <td class="searches-number"><span class="searches-bar" aria-hidden="true" ref={(bar) => { createEffect(() => { bar.style.inlineSize = `${100 * one.attempt_count / most()}%`; }); }} />{numberText(one.attempt_count)}</td>
                <Show when={props.kind === 'popular'}><td class="searches-number">{one.average_result_count ? numberText(one.average_result_count) : <span class="warning">{say('no_result')}</span>}</td></Show>
                <td><time dateTime={one.last_attempted_at} title={fullTime(one.last_attempted_at)}>{shortTime(one.last_attempted_at)}</time></td>
                <Show when={props.kind === 'failed' && mayWrite()}>
                  <td class="searches-do"><Show when={made()[one.name]} fallback={<button type="button" disabled={!section() || busy() !== ''} aria-label={say('make_draft_of', { text: one.name })} onClick={() => void makeDraft(one.name, section()!)}>{say('make_draft')}</button>}>
                    {(id) => <a class="button" href={href(`/help-center/articles/${id()}`)}>{say('open_draft')}</a>}</Show></td>
                </Show>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </>
  );
};

export const Searches = () => {
  let heading!: HTMLHeadingElement;
  const days = createMemo(() => DAYS.find((n) => String(n) === place().query.get('days')) ?? 30), kind = createMemo<Kind>(() => place().query.get('list') === 'popular' ? 'popular' : 'failed');
  const address = (list: Kind, n: number) => { const query = new URLSearchParams({ ...(list === 'popular' ? { list } : {}), ...(n === 30 ? {} : { days: String(n) }) }).toString(); return query ? `${BASE}?${query}` : BASE; };
  const query = () => ({ start_at: new Date(serverNow() - days() * 86_400_000).toISOString(), texts: MOST });
  const [report, setReport] = createSignal<Record<'popular_searches' | 'failed_searches', Searched[]>>(), [failed, setFailed] = createSignal(false);
  const read = async () => {
    const asked = days();
    try {
      const { data } = await get('/insights/helpcenter/search', query());
      if (asked === days()) setReport(data as unknown as ReturnType<typeof report>), setFailed(false);
    } catch { setFailed(true); }
  };
  createEffect(on(days, () => void read()));
  onMount(() => { document.title = `${say('searches')} · deskd`; heading.focus(); });
  const rows = () => report()?.[`${kind()}_searches`];
  return (
    <section class="help-one region" aria-labelledby="searches-title" tabindex="-1" data-region>
      <a class="button narrow" href={href('/help-center')}>{sayOfHelp('to_tree')}</a>
      <h1 ref={heading} id="searches-title" tabindex="-1">{say('searches')}</h1>
      <div class="searches-head">
        <nav class="comment-queues" aria-label={say('which_searches')}>
          <For each={['failed', 'popular'] as const}>{(one) => <a href={href(address(one, days()))} aria-current={one === kind() ? 'page' : undefined}>{say(KINDS[one])}</a>}</For>
        </nav>
        <span class="grow" />
        <label class="choice"><span class="hidden">{say('period')}</span>
          <select onChange={(event) => go(address(kind(), Number(event.currentTarget.value)))}><For each={DAYS}>{(n) => <option value={n} selected={n === days()}>{say('last_days', { n })}</option>}</For></select></label>
        <a class="button" href={`${prefix}/api/v1/insights/helpcenter/search?${new URLSearchParams({ start_at: query().start_at, texts: String(MOST), format: 'csv' })}`} target="_self">CSV</a>
      </div>
      <Show when={!failed()} fallback={<p class="wrong" role="alert">{say('searches_read_failed')} <button type="button" onClick={() => void read()}>{sayOfAll('retry')}</button></p>}>
        <Show when={rows()}>
          {(found) => (
            <Show when={found().length} fallback={<div class="empty"><p>{say(kind() === 'failed' ? 'none_failed' : 'none_searched')}</p><p>{say('none_searched_next')}</p></div>}>
              <List kind={kind()} rows={found()} />
            </Show>
          )}
        </Show>
      </Show>
    </section>
  );
};

// The form of a category or a section: its words in each language, its place, and who sees it.
import { createEffect, createMemo, createSignal, createUniqueId, For, onMount, Show } from 'solid-js';
import { call, get, rowsOf, type Row } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { go, href, place } from '../../kit/route';
import { tell, tellWrong } from '../../kit/strip';
import { teams } from '../frame/catalog';
import { createEdit, type Values, type Version } from '../settings/edit';
import { firstLocale, localeOf, locales, localesIn, mayManage, nameOfLocale, PATH, readAgain, sectionOf, textsOf, titleOf, tree, valuesOfTexts, type Category, type Section } from './data';
import { Question, Summary } from './parts';
import { Tags } from './tags';
import { fieldName, ICONS, ORDERS, SEEN_BY } from './names';
import { BASE, turn } from './tree';
import { say } from './words';

type One = Category | Section;
const INCLUDE = 'locale_field,brand,tag,team,category';
const isSection = (one: One): one is Section => 'visibility' in one;

const valuesOf = (one: One): Values => ({
  ...valuesOfTexts('title', one.titles), ...valuesOfTexts('description', one.descriptions),
  ...(isSection(one) ? { category_id: one.category.id, visibility: one.visibility, article_order_by: one.article_order_by, tags: one.tags.map(({ name }) => name), team_ids: one.teams.map(({ id }) => id) }
    : { brand_id: one.brand?.id ?? null, icon: one.icon ?? null }),
});

/** The body of a request: texts of all languages, if one of them was changed. */
const bodyOf = (changed: Values, all: Values): Values => {
  const body: Values = {};
  for (const [name, value] of Object.entries(changed)) {
    const text = /^(title|description) /.exec(name)?.[1];
    if (text) body[`${text}s`] = textsOf(all, text).filter(({ translation }) => translation.trim());
    else body[name] = value;
  }
  // Tags and teams narrow only some sections: they are sent with the visibility that they belong to.
  if ('visibility' in changed && all['visibility'] !== 'PUBLIC') Object.assign(body, { tags: all['tags'] ?? [], ...(all['visibility'] === 'AGENTS' ? { team_ids: all['team_ids'] ?? [] } : {}) });
  return body;
};

export const Branch = (props: { kind: 'category' | 'section'; id: number | 'new' }) => {
  const { kind, id } = props, isNew = id === 'new', path = `${PATH[kind]}/${id}`, title = createUniqueId();
  let heading!: HTMLHeadingElement, region!: HTMLElement;
  const [asking, setAsking] = createSignal<string[]>();

  const version = async (): Promise<Version> => {
    const reply = await get(path, { include: INCLUDE, fields: kind === 'section' ? 'titles,descriptions,category,visibility,article_order_by,tags,teams,total_articles,+sort_order' : 'titles,descriptions,brand,+icon' });
    return { values: valuesOf(rowsOf(reply)[0] as unknown as One), etag: reply.etag };
  };
  const changedPlaces = async (values: Values) => readAgain({ categories: true }).then(() => Promise.all([...new Set([values['category_id'] as number, categoryBefore()])].map((category) => readAgain({ category }))));
  const categoryBefore = () => kind === 'section' && !isNew ? sectionOf(id)?.category.id : undefined;

  const edit = createEdit({
    key: isNew ? `${kind} new ${place().query.get('category') ?? ''}` : `${kind} ${id}`, stored: true, apart: true, gone: () => say('gone'),
    ...(isNew ? { initial: { [`title ${firstLocale()}`]: '', ...(kind === 'section' ? { category_id: Number(place().query.get('category')) || tree.categories?.rows[0]?.id, visibility: 'PUBLIC', article_order_by: 'LATEST', tags: [], team_ids: [] } : { brand_id: null }) } } : { read: version }),
    send: async (changed, all, etag, attempt) => {
      if (isNew) {
        const more = kind === 'section' ? { category_id: all['category_id'], visibility: all['visibility'] } : {};
        const reply = await call('POST', PATH[kind], { body: { ...more, ...bodyOf(changed, all) }, headers: { 'Idempotency-Key': attempt } }), made = rowsOf(reply)[0] as Row;
        if (all['article_order_by'] === 'MANUAL') await call('PUT', `${PATH[kind]}/${made.id}`, { body: { article_order_by: 'MANUAL' } }); // a new section can't have it at once
        await changedPlaces(all);
        if (kind === 'section') turn('category', all['category_id'] as number, true);
        return { made: `${kind} ${made.id}`, done: () => go(`${BASE}${PATH[kind]}/${made.id}`, { replace: true }) };
      }
      await call('PUT', path, { body: bodyOf(changed, all), headers: etag ? { 'If-Match': etag } : {} });
      const now = await version();
      await Promise.all([changedPlaces(now.values), kind === 'section' ? readAgain({ section: id }) : undefined]);
      return { version: now };
    },
  });

  const shown = createMemo(() => [...new Set([...localesIn(edit.state.values, 'title'), ...localesIn(edit.state.values, 'description'), firstLocale()])]);
  const others = () => locales().filter(({ locale }) => !shown().includes(locale));
  const name = () => {
    const texts = textsOf(edit.state.first, 'title').filter(({ translation }) => translation);
    return texts.length ? titleOf(texts) : say(kind === 'category' ? 'new_category' : 'new_section');
  };
  createEffect(() => { document.title = `${name()} · ${say('help_center')} · deskd`; });
  onMount(() => { if (!isNew) heading.focus(); });
  const save = async () => {
    if (!textsOf(edit.state.values, 'title').some(({ translation }) => translation.trim())) return edit.refuse([{ field: '', text: say('title_missing') }]);
    if (await edit.save()) tell(say('saved'));
  };
  useKeys([{ key: 'Ctrl+s', word: 'key_save', inText: true, run: () => void save() }, { key: 'Ctrl+Enter', word: 'key_save', inText: true, run: () => void save() }]);

  /** What goes with it, in words. */
  const askDelete = async () => {
    try {
      const found = kind === 'section' ? [] : rowsOf(await get('/sections', { category_ids: id as number, limit: 1000, fields: 'total_articles' })) as unknown as Section[];
      const articles = kind === 'section' ? (rowsOf(await get(path, { fields: 'total_articles' }))[0] as unknown as Section).total_articles : found.reduce((n, one) => n + one.total_articles, 0);
      setAsking([...(kind === 'category' ? [say('delete_sections', { n: found.length })] : []), say('delete_articles', { n: articles })]);
    } catch (error) { tellWrong((error as Error).message); }
  };
  const remove = async () => {
    await call('DELETE', path);
    const category = categoryBefore();
    await edit.discard();
    go(BASE);
    await readAgain({ categories: true, category });
    tell(say('deleted'));
  };

  const text = (name: string) => edit.value<string | undefined>(name) ?? '';
  const visibility = () => edit.value<Section['visibility']>('visibility');
  return (
    <section ref={region} class="help-one region" aria-labelledby={title} tabindex="-1" data-region>
      <a class="button narrow" href={href(BASE)}>{say('to_tree')}</a>
      <h1 ref={heading} id={title} tabindex="-1" dir="auto">{name()}</h1>
      <Show when={edit.status() !== 'gone'} fallback={<p class="soft">{say('gone')}</p>}>
        <Show when={edit.status() !== 'failed'} fallback={<p class="wrong" role="alert">{say('read_failed')} <button type="button" onClick={() => void edit.read()}>{say('try_again')}</button></p>}>
          <Show when={edit.isRead()}>
          <form class="settings-form help-form" noValidate aria-busy={edit.status() !== 'ready'} onSubmit={(event) => { event.preventDefault(); void save(); }}>
            <Summary edit={edit} nameOf={fieldName} />
            <fieldset disabled={!mayManage()} class="help-fields">
              <For each={shown()}>
                {(locale) => (
                  <div class="help-words" role="group" aria-label={nameOfLocale(locale)}>
                    <label><span class="label">{say('title_in', { language: nameOfLocale(locale) })}</span><input type="text" lang={locale} dir={localeOf(locale)?.direction ?? 'auto'} maxLength={1000} value={text(`title ${locale}`)} onInput={(event) => edit.set(`title ${locale}`, event.currentTarget.value)} /></label>
                    <label><span class="label">{say('description_in', { language: nameOfLocale(locale) })}</span><textarea rows="2" lang={locale} dir={localeOf(locale)?.direction ?? 'auto'} value={text(`description ${locale}`)} onInput={(event) => edit.set(`description ${locale}`, event.currentTarget.value || undefined)} /></label>
                  </div>
                )}
              </For>
              <Show when={others().length}>
                <label><span class="label">{say('add_language')}</span>
                  <select onChange={(event) => { if (event.currentTarget.value) edit.set(`title ${event.currentTarget.value}`, ''); event.currentTarget.value = ''; }}>
                    <option value="">{say('choose_language')}</option>
                    <For each={others()}>{(one) => <option value={one.locale}>{one.native_name}</option>}</For>
                  </select></label>
              </Show>
              <Show when={kind === 'category'}>
                <label><span class="label">{say('icon')}</span>
                  <select onChange={(event) => edit.set('icon', event.currentTarget.value || null)}>
                    <option value="">{say('icon_none')}</option>
                    <For each={Object.entries(ICONS)}>{([value, word]) => <option value={value} selected={value === edit.value('icon')}>{say(word)}</option>}</For>
                  </select></label>
              </Show>
              <Show when={kind === 'section'}>
                <label><span class="label">{say('category')}</span>
                  <select onChange={(event) => edit.set('category_id', Number(event.currentTarget.value))}>
                    <For each={tree.categories?.rows}>{(one) => <option value={one.id} selected={one.id === edit.value('category_id')}>{titleOf(one.titles)}</option>}</For>
                  </select></label>
                <label><span class="label">{say('seen_by')}</span>
                  <select onChange={(event) => edit.set('visibility', event.currentTarget.value)}>
                    <For each={Object.entries(SEEN_BY)}>{([value, word]) => <option value={value} selected={value === visibility()}>{say(word)}</option>}</For>
                  </select></label>
                <Show when={visibility() === 'AGENTS'}>
                  <fieldset class="options"><legend>{say('only_teams')}</legend>
                    <For each={teams()} fallback={<p class="soft">{say('no_teams')}</p>}>
                      {(team) => <label class="yes"><input type="checkbox" checked={(edit.value<number[]>('team_ids') ?? []).includes(team.id!)} onChange={(event) => { const now = edit.value<number[]>('team_ids') ?? []; edit.set('team_ids', event.currentTarget.checked ? [...now, team.id!].sort((a, b) => a - b) : now.filter((one) => one !== team.id)); }} /><span dir="auto">{team.title}</span></label>}
                    </For>
                  </fieldset>
                </Show>
                <Show when={visibility() !== 'PUBLIC'}><Tags label={say('only_tags')} help={say(visibility() === 'AGENTS' ? 'only_tags_staff' : 'only_tags_customers')} tags={edit.value<string[]>('tags') ?? []} set={(tags) => edit.set('tags', tags)} /></Show>
                <label><span class="label">{say('order_of_articles')}</span>
                  <select onChange={(event) => edit.set('article_order_by', event.currentTarget.value)}>
                    <For each={Object.entries(ORDERS)}>{([value, word]) => <option value={value} selected={value === edit.value('article_order_by')}>{say(word)}</option>}</For>
                  </select></label>
              </Show>
            </fieldset>
            <Show when={mayManage()} fallback={<p class="soft">{say('may_not_manage')}</p>}>
              <div class="settings-foot">
                <button type="submit" class="main" disabled={edit.status() !== 'ready'}>{say(edit.status() === 'saving' ? 'saving' : 'save')}</button>
                <Show when={edit.isChanged()}><button type="button" onClick={() => void edit.discard()}>{say('discard')}</button></Show>
                <span class="grow" />
                <Show when={!isNew}><button type="button" class="danger" onClick={() => void askDelete()}>{say('delete')}</button></Show>
              </div>
            </Show>
          </form>
          </Show>
        </Show>
      </Show>
      <Question open={asking() !== undefined} title={say('delete_title', { name: name() })} lines={asking() ?? []} run={remove} close={() => setAsking(undefined)} />
    </section>
  );
};

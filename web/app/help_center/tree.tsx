// The tree: nested lists of links. Branches open by their button or the arrow keys. Alt and an arrow, or dragging, changes the order; a section is
// dragged into another category, an article into another section.
import { createMemo, createSignal, createUniqueId, For, onCleanup, Show } from 'solid-js';
import { call, get, rowsOf } from '../../kit/api';
import { href, place } from '../../kit/route';
import { tell, tellWrong } from '../../kit/strip';
import { numberText } from '../../kit/words';
import {
  articleChanged, mayManage, mayWrite, mayChange, PATH, readAgain, readArticles, readCategories, readSections, titleOf, tree,
  type Article, type Category, type Kind, type Section,
} from './data';
import { isKept } from '../settings/kept';
import { SEEN_BY } from './names';
import { say, type HelpWord } from './words';

export const BASE = '/help-center';
const STATUS: Record<Article['status'], { word: HelpWord; shape: string }> = {
  DRAFT: { word: 'status_draft', shape: '○' }, PENDINGAPPROVAL: { word: 'status_pending', shape: '◐' }, PUBLISHED: { word: 'status_published', shape: '●' },
};
export const StatusOf = (props: { status: Article['status'] }) => <span class="status" data-status={props.status}><span aria-hidden="true">{STATUS[props.status].shape}</span> {say(STATUS[props.status].word)}</span>;

const OPENED_MOST = 8, FILTER_PAUSE_MS = 200, FOUND_MOST = 30;
const [opened, setOpened] = createSignal<ReadonlySet<string>>(new Set());
const isOpen = (kind: Kind, id: number) => opened().has(`${kind} ${id}`);
export const turn = (kind: 'category' | 'section', id: number, open: boolean) => {
  setOpened((all) => { const next = new Set(all); if (open) next.add(`${kind} ${id}`); else next.delete(`${kind} ${id}`); return next; });
  if (open && !(kind === 'category' ? tree.sections : tree.articles)[id]) (kind === 'category' ? readSections(id) : readArticles(id)).catch((error: Error) => tellWrong(error.message));
};
/** Few categories are open at once. */
export const openFirst = () => { const all = tree.categories?.rows ?? []; if (!opened().size && all.length <= OPENED_MOST) all.forEach(({ id }) => turn('category', id, true)); };

// ---- order and places --------------------------------------------------------------------------

interface Dragged { kind: Kind; id: number; parent: number }
let dragged: Dragged | undefined;

const said = (text: string, undo?: () => Promise<void>) => tell(text, undo);
const tried = async (work: () => Promise<void>) => { try { await work(); } catch (error) { tellWrong((error as Error).message); } };

const idsIn = (kind: Kind, parent: number) => (kind === 'category' ? tree.categories : kind === 'section' ? tree.sections[parent] : tree.articles[parent])?.rows.map(({ id }) => id) ?? [];
const putOrder = async (kind: Kind, parent: number, ids: number[]) => {
  if (kind === 'category') { await call('PUT', '/categories/reorder', { body: { category_ids: ids } }); await readCategories(); }
  else if (kind === 'section') { await call('PUT', '/sections/reorder', { body: { section_ids: ids, section_id: ids[0] } }); await readSections(parent); }
  else { await call('PUT', '/articles/reorder', { body: { article_ids: ids, section_id: parent } }); await readArticles(parent); }
};
const order = (kind: Kind, parent: number, id: number, to: number) => tried(async () => {
  const before = idsIn(kind, parent), at = before.indexOf(id), next = [...before];
  if (at < 0 || to < 0 || to >= before.length || to === at) return;
  next.splice(to, 0, ...next.splice(at, 1));
  await putOrder(kind, parent, next);
  said(say('ordered'), () => putOrder(kind, parent, before));
  focusOn(kind, id);
});
/** Moves an article into another section, or a section into another category. */
export const moveTo = (kind: 'article' | 'section', id: number, from: number, to: number) => tried(async () => {
  const put = async (there: number, former: number) => {
    await call('PUT', `${PATH[kind]}/${id}`, { body: kind === 'article' ? { section_id: there } : { category_id: there } });
    if (kind === 'article') await articleChanged(there, former);
    else await Promise.all([readAgain({ category: there }), readAgain({ category: former })]);
  };
  await put(to, from);
  said(say('moved'), () => put(from, to));
});

const focusOn = (kind: Kind, id: number) => queueMicrotask(() => document.getElementById(`tree-${kind}-${id}`)?.focus());

/** Order by hand: where the person may, and the section has this order. */
const mayOrder = (kind: Kind, parent: number, section?: Section) => kind === 'article' ? mayWrite() && section?.article_order_by === 'MANUAL' && (tree.articles[parent]?.rows.length ?? 0) > 1
  : mayManage() && idsIn(kind, parent).length > 1;
const mayDrag = (kind: Kind, article?: Article) => kind === 'article' ? mayChange(article!.status) : mayManage();

const Handle = (props: { kind: Kind; id: number; parent: number; at: number; name: string; section?: Section | undefined }) => (
  <Show when={mayOrder(props.kind, props.parent, props.section)}>
    <span class="tree-order">
      <button type="button" aria-label={say('move_up', { name: props.name })} disabled={props.at === 0} onClick={() => void order(props.kind, props.parent, props.id, props.at - 1)}>↑</button>
      <button type="button" aria-label={say('move_down', { name: props.name })} disabled={props.at === idsIn(props.kind, props.parent).length - 1} onClick={() => void order(props.kind, props.parent, props.id, props.at + 1)}>↓</button>
    </span>
  </Show>
);

interface ItemProps { kind: Kind; id: number; parent: number; at: number; name: string; section?: Section; article?: Article; note?: string; children?: never }

const Line = (props: ItemProps & { more?: () => unknown }) => {
  const [over, setOver] = createSignal(false);
  const isChosen = () => place().parts[0] === `${PATH[props.kind].slice(1)}` && place().ids.at(-1) === props.id;
  const takes = () => dragged && (dragged.kind === props.kind ? dragged.parent === props.parent && dragged.id !== props.id && mayOrder(props.kind, props.parent, props.section)
    : (dragged.kind === 'article' && props.kind === 'section' || dragged.kind === 'section' && props.kind === 'category') && dragged.parent !== props.id);
  const drop = () => {
    const { kind, id, parent } = dragged!;
    if (kind === props.kind) void order(kind, parent, id, props.at);
    else void moveTo(kind as 'article' | 'section', id, parent, props.id);
  };
  const isBranch = props.kind !== 'article', open = () => isOpen(props.kind, props.id);
  return (
    <div class="tree-line" classList={{ 'is-chosen': isChosen(), 'is-over': over() }} draggable={mayDrag(props.kind, props.article)}
      onDragStart={(event) => { event.stopPropagation(); dragged = { kind: props.kind, id: props.id, parent: props.parent }; event.dataTransfer?.setData('text/plain', props.name); }}
      onDragEnd={() => { dragged = undefined; }}
      onDragOver={(event) => { if (takes()) event.preventDefault(), setOver(true); }} onDragLeave={() => setOver(false)}
      onDrop={(event) => { setOver(false); if (takes()) event.preventDefault(), drop(); }}>
      <Show when={isBranch} fallback={<span class="tree-space" />}>
        <button type="button" class="tree-turn" aria-expanded={open()} aria-label={say(open() ? 'close_branch' : 'open_branch', { name: props.name })} tabindex="-1" onClick={() => turn(props.kind as 'section', props.id, !open())}><span aria-hidden="true">▸</span></button>
      </Show>
      <a id={`tree-${props.kind}-${props.id}`} href={href(`${BASE}${PATH[props.kind]}/${props.id}`)} aria-current={isChosen() ? 'page' : undefined} draggable={false} data-kind={props.kind} data-place={`${props.parent},${props.at}`}>
        <span class="tree-name" dir="auto">{props.name}</span>
        <span class="tree-note"><Show when={props.article}>{(article) => <><StatusOf status={article().status} /><Show when={article().is_featured}> · {say('featured')}</Show></>}</Show>{props.note}
          <Show when={isKept(`${props.kind} ${props.id}`)}> <span class="warning">{say('unsaved')}</span></Show></span>
      </a>
      <Handle kind={props.kind} id={props.id} parent={props.parent} at={props.at} name={props.name} section={props.section} />
    </div>
  );
};

const Articles = (props: { section: Section }) => {
  const branch = () => tree.articles[props.section.id];
  return (
    <ul>
      <For each={branch()?.rows}>{(article, at) => <li><Line kind="article" id={article.id} parent={props.section.id} at={at()} name={titleOf(article.titles)} section={props.section} article={article} /></li>}</For>
      <Show when={branch() && branch()!.rows.length < branch()!.total}><li><button type="button" class="link" onClick={() => void readArticles(props.section.id, true)}>{say('more_articles', { n: branch()!.total - branch()!.rows.length })}</button></li></Show>
      <Show when={branch()?.rows.length === 0}><li class="soft tree-none">{say('no_articles')}</li></Show>
      <Show when={branch() && mayWrite()}><li><a class="tree-new" href={href(`${BASE}/articles/new?section=${props.section.id}`)}>+ {say('new_article')}</a></li></Show>
    </ul>
  );
};

const Sections = (props: { category: Category }) => (
  <ul>
    <For each={tree.sections[props.category.id]?.rows}>
      {(section, at) => (
        <li>
          <Line kind="section" id={section.id} parent={props.category.id} at={at()} name={titleOf(section.titles)} note={`${say('article_count', { n: section.total_articles })}${section.visibility === 'PUBLIC' ? '' : ` · ${say(SEEN_BY[section.visibility])}`}`} />
          <Show when={isOpen('section', section.id)}><Articles section={section} /></Show>
        </li>
      )}
    </For>
    <Show when={tree.sections[props.category.id]?.rows.length === 0}><li class="soft tree-none">{say('no_sections')}</li></Show>
    <Show when={mayManage()}><li><a class="tree-new" href={href(`${BASE}/sections/new?category=${props.category.id}`)}>+ {say('new_section')}</a></li></Show>
  </ul>
);

/** The search of the server finds articles; sections and categories are found among those that were read. */
const Found = (props: { text: string }) => {
  const [articles, setArticles] = createSignal<{ id: number; title: string }[]>(), words = () => props.text.toLowerCase();
  const branches = createMemo(() => [
    ...(tree.categories?.rows ?? []).map((one) => ({ kind: 'category' as const, id: one.id, name: titleOf(one.titles) })),
    ...Object.values(tree.sections).flatMap((branch) => branch?.rows ?? []).map((one) => ({ kind: 'section' as const, id: one.id, name: titleOf(one.titles) })),
  ].filter(({ name }) => name.toLowerCase().includes(words())));
  const known = createMemo(() => Object.values(tree.articles).flatMap((branch) => branch?.rows ?? []).map(({ id, titles }) => ({ id, title: titleOf(titles) })).filter(({ title }) => title.toLowerCase().includes(words())));
  const all = () => [...known(), ...(articles() ?? []).filter(({ id }) => !known().some((one) => one.id === id))];
  let stop: AbortController | undefined;
  onCleanup(() => stop?.abort());
  const asked = createMemo(() => {
    const text = props.text;
    const timer = setTimeout(() => {
      stop?.abort();
      stop = new AbortController();
      get('/search', { query: text, resources: 'ARTICLES', limit: FOUND_MOST, fields: 'title,resource' }, stop.signal).then((reply) => setArticles(rowsOf(reply) as unknown as { id: number; title: string }[]), () => setArticles([]));
    }, FILTER_PAUSE_MS);
    onCleanup(() => clearTimeout(timer));
    return text;
  });
  return (
    <div data-for={asked()}>
      <ul>
        <For each={branches()}>{(one) => <li><div class="tree-line"><a href={href(`${BASE}${PATH[one.kind]}/${one.id}`)}><span class="tree-name" dir="auto">{one.name}</span><span class="tree-note">{say(one.kind === 'category' ? 'category' : 'section')}</span></a></div></li>}</For>
        <For each={all()}>{(one) => <li><div class="tree-line"><a href={href(`${BASE}/articles/${one.id}`)}><span class="tree-name"dir="auto">{one.title}</span><span class="tree-note">{say('article')}</span></a></div></li>}</For>
      </ul>
      <p class="soft pad" role="status">{articles() && !all().length && !branches().length ? say('find_none') : ''}</p>
    </div>
  );
};

const STEP: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

export const Tree = () => {
  const [text, setText] = createSignal(''), help = createUniqueId();
  let list!: HTMLDivElement;
  const onKey = (event: KeyboardEvent) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('.tree-line a');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const kind = link.dataset['kind'] as Kind | undefined, id = Number(link.id.split('-')[2]), step = STEP[event.key];
    if (event.altKey) {
      const [parent = 0, at = 0] = link.dataset['place']?.split(',').map(Number) ?? [];
      const section = kind === 'article' ? Object.values(tree.sections).flatMap((branch) => branch?.rows ?? []).find((one) => one.id === parent) : undefined;
      if (!step || !kind || !mayOrder(kind, parent, section)) return;
      event.preventDefault();
      void order(kind, parent, id, at + step);
      return;
    }
    const inward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight', outward = document.documentElement.dir === 'rtl' ? 'ArrowRight' : 'ArrowLeft';
    if (step) {
      const links = [...list.querySelectorAll<HTMLElement>('.tree-line a, .tree-new')];
      links[links.indexOf(link) + step]?.focus();
    } else if (event.key === inward && kind && kind !== 'article') turn(kind, id, true);
    else if (event.key === outward && kind && kind !== 'article' && isOpen(kind, id)) turn(kind, id, false);
    else if (event.key === outward) link.closest('ul')?.parentElement?.querySelector<HTMLElement>(':scope > .tree-line a')?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <div class="tree" ref={list} onKeyDown={onKey}>
      <p class="pad"><input type="search" class="settings-find" dir="auto" aria-label={say('find')} placeholder={say('find')} aria-describedby={help} value={text()} onInput={(event) => setText(event.currentTarget.value)} /></p>
      <p class="hidden" id={help}>{say('tree_keys')}</p>
      <Show when={text().trim()} fallback={
        <ul>
          <For each={tree.categories?.rows}>
            {(category, at) => (
              <li>
                <Line kind="category" id={category.id} parent={0} at={at()} name={titleOf(category.titles)} note={[tree.sections[category.id] ? say('section_count', { n: tree.sections[category.id]!.total }) : '', category.brand?.name ?? ''].filter(Boolean).join(' · ')} />
                <Show when={isOpen('category', category.id)}><Sections category={category} /></Show>
              </li>
            )}
          </For>
        </ul>
      }>{(found) => <Found text={found()} />}</Show>
      <Show when={tree.categories?.rows.length === 0}><div class="empty"><p>{say('no_categories')}</p><p>{say(mayManage() ? 'no_categories_next' : 'no_categories_ask')}</p></div></Show>
      <p class="pad tree-count soft"><Show when={tree.categories && tree.categories.rows.length < tree.categories.total}>{numberText(tree.categories!.rows.length)} / {numberText(tree.categories!.total)}</Show></p>
    </div>
  );
};

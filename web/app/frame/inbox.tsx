// The main screen: views, list, conversation and its properties beside each other. On narrow screens the address decides which one is shown.
import { createEffect, createMemo, createSignal, on, onCleanup, Show, Suspense } from 'solid-js';
import { lazy } from '../../kit/lazy';
import { connected } from '../../kit/live';
import { go, place } from '../../kit/route';
import { useKeys } from '../../kit/keys';
import { numberText, say } from '../../kit/words';
import { isAdmin } from '../session/rank';
import { createPaging } from '../list/paging';
import { CaseList } from '../list/list';
import { RESULT_QUERY, ROW_QUERY } from '../list/row';
import { readCaseAhead } from '../conversation/data';
import { defaultView, ViewList, viewOf, views } from '../views/views';
import { Separator } from './separator';
import { afterClose } from './look';
import { close, leave, opened, toggle } from './drawers';
import { inboxChannel } from './inbox_channel';

const OtherResults = lazy(async () => ({ default: (await import('../search/others')).OtherResults }));
const EmptyTrash = lazy(async () => { const [{ EmptyTrash }, words] = await Promise.all([import('../list/empty_trash'), import('../list/trash_words')]); await words.ready(); return { default: EmptyTrash }; });
const loadConversation = () => import('../conversation/conversation');
const ConversationView = lazy(async () => ({ default: (await loadConversation()).ConversationView }));

/** The conversations before and after the open one are read ahead soon after it: one may go on with the next key press. */
const NEAR_MS = 80;

/** Moves the focus to the next region, or back. */
const toRegion = (step: number) => {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter((r) => r.getClientRects().length);
  const at = regions.findIndex((r) => r.contains(document.activeElement));
  regions[(at + step + regions.length) % regions.length]?.focus();
};

/** Keys that work while a drawer is open. */
const DrawerKeys = () => { useKeys([{ key: 'Escape', word: 'close', run: () => leave() }], { first: true }); return undefined; };

export const Inbox = () => {
  const query = createMemo(() => place().screen === 'search' ? place().query.get('q') ?? '' : '');
  const view = createMemo(() => place().screen === 'views' ? place().ids[0] : undefined);
  const open = createMemo(() => place().screen === 'cases' ? place().ids[0] : place().screen === 'search' ? place().ids[0] : place().ids[1]);
  createEffect(() => { if (!place().screen && defaultView()) go(`/views/${defaultView()!.id}`, { replace: true }); });

  const source = createMemo(() => query()
    ? { path: '/search', query: { query: query(), ...RESULT_QUERY } }
    : { path: `/views/${view() ?? 0}/cases`, query: ROW_QUERY, cursors: true, ids: true });
  const paging = createPaging(source);
  createEffect(on(source, () => { paging.reset(); clear(); if (view() || query()) paging.need(0, 1); }));

  const [selected, setSelected] = createSignal<ReadonlySet<number>>(new Set());
  const clear = () => setSelected(new Set<number>());
  const selection = {
    ids: () => [...selected()], has: (id: number) => selected().has(id), clear,
    add: (ids: number[]) => setSelected((former) => new Set([...former, ...ids])),
    keep: (ids: number[]) => setSelected(new Set(ids)),
    toggle: (id: number) => setSelected((former) => { const next = new Set(former); if (!next.delete(id)) next.add(id); return next; }),
  };

  const base = () => query() ? '/search' : view() ? `/views/${view()}` : '';
  const tail = () => query() ? `?q=${encodeURIComponent(query())}` : '';
  const openCase = (id: number) => go(base() ? `${base()}/${id}${tail()}` : `/cases/${id}`, { replace: open() !== undefined });
  const back = () => go(`${base() || (defaultView() ? `/views/${defaultView()!.id}` : '/')}${tail()}`);
  /** After a conversation was closed. */
  const next = () => {
    if (afterClose() === 'stay') return;
    if (afterClose() === 'list') return back();
    const at = paging.position(open() ?? 0), id = paging.ids[at + 1] ?? paging.ids[at - 1];
    if (id) openCase(id); else back();
  };
  createEffect(on(open, (id) => {
    if (id === undefined || !connected()) return;
    const timer = setTimeout(() => {
      const at = paging.position(id);
      for (const near of [paging.ids[at + 1], paging.ids[at - 1]]) if (at >= 0 && near) readCaseAhead(near);
    }, NEAR_MS);
    onCleanup(() => clearTimeout(timer));
  }));
  // The first move of the pointer or the first key comes before the first conversation.
  const soon = () => void loadConversation().then(({ loadEditor }) => loadEditor()).catch(() => undefined);
  for (const event of ['pointermove', 'keydown']) addEventListener(event, soon, { once: true });
  onCleanup(() => { for (const event of ['pointermove', 'keydown']) removeEventListener(event, soon); });
  createEffect(() => { if (open() === undefined && opened() === 'details') close(); });
  onCleanup(close);
  useKeys([{ key: '[', word: 'views', run: () => toggle('views') }, { key: 'F6', word: 'key_regions', run: () => toRegion(1), inText: true }, { key: 'Shift+F6', word: 'key_regions', run: () => toRegion(-1), inText: true }]);
  const count = () => (paging.total() ?? 0) + paging.fresh().length;
  createEffect(() => { if (!open()) document.title = `${title()}${count() ? ` (${numberText(count())})` : ''} · deskd`; });
  const title = () => query() ? `${say('search')}: ${query()}` : viewOf(view())?.title ?? say('conversations');

  return (
    <main class="inbox" data-open={open() !== undefined ? '' : undefined} data-alone={place().screen === 'cases' ? '' : undefined}>
      <h1 class="hidden">{title()}</h1>
      <ViewList view={view()} />
      <Show when={opened()}><DrawerKeys /></Show>
      <Show when={(view() !== undefined && views().length) || query()}>
        <CaseList paging={paging} title={title()} open={open()} onOpen={openCase} onNear={(id) => { if (id !== open() && connected()) readCaseAhead(id); }} selection={selection} empty={query() ? ['empty_search', 'empty_search_next'] : undefined} channel={query() ? undefined : inboxChannel()}
          above={<><Show when={query()}>{(text) => <Suspense><OtherResults query={text()} /></Suspense>}</Show><Show when={isAdmin() && !query() && viewOf(view())?.type === 'TRASH' && paging.total()}><Suspense><EmptyTrash view={view()!} onEmptied={() => void paging.renew()} /></Suspense></Show></>} />
      </Show>
      <Show when={open()} keyed fallback={<section class="conversation empty" aria-label={say('conversation')}><p>{say('choose')}</p><p class="soft">{say('choose_keys')}</p></section>}>
        {(id) => <Suspense fallback={<section class="conversation" aria-busy="true" />}><ConversationView id={id} onBack={back} onNext={next} /></Suspense>}
      </Show>
      <Show when={place().screen !== 'cases'}><Separator region="list" word="width_list" controls="list" grows={1} /></Show>
      <Show when={open()}><Separator region="details" word="width_details" controls="details" grows={-1} /></Show>
    </main>
  );
};

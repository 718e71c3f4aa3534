// The list of conversations of a view or a search: any length, moved through by keys.
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show, Suspense, untrack, type JSX } from 'solid-js';
import { useKeys } from '../../kit/keys';
import { lazy } from '../../kit/lazy';
import { connections, follow } from '../../kit/live';
import { rowOf, show } from '../../kit/store';
import { createWindow } from '../../kit/window';
import { now, say, type Word } from '../../kit/words';
import type { Paging } from './paging';
import { leftCase, readDrafts } from './drafts';
import { Row, type CaseRow } from './row';
import { compact } from '../frame/look';

const loadBulk = async () => (await import('./bulk')).loadBulk();
// `preload` keeps a load that failed, so it follows one that worked. Then the bar stands, and hears keys, with the first selection.
const BulkBar = lazy(loadBulk);

export interface Selection {
  ids: () => number[];
  has: (id: number) => boolean;
  toggle: (id: number) => void;
  add: (ids: number[]) => void;
  /** Keeps only these. */
  keep: (ids: number[]) => void;
  clear: () => void;
}

/** Of a list whose rows lead to another screen. */
export const NO_SELECTION: Selection = { ids: () => [], has: () => false, toggle: () => undefined, add: () => undefined, keep: () => undefined, clear: () => undefined };

interface Props {
  paging: Paging;
  title: string;
  open: number | undefined; // the conversation that is open beside the list
  onOpen: (id: number) => void;
  /** A pointer went down on the row, which is opened when it comes up. */
  onNear?: (id: number) => void;
  selection: Selection;
  /** Why it is empty, and what to do; without it, the words of a view. */
  empty?: readonly [why: Word, next: Word] | undefined;
  above?: JSX.Element;
  channel: string | undefined; // its events may bring new rows
}

const LOOK_MS = 400, REST_MS = 1000, SOON_MS = 1000;

export const CaseList = (props: Props) => {
  let box!: HTMLDivElement;
  const { ids, total, fresh, left, failed } = props.paging;
  const [at, setAt] = createSignal(0); // position of the row that keys move from
  let moved = false;
  const rowHeight = () => compact() ? 40 : 72;
  const window = createWindow(() => box, () => total() ?? 0, rowHeight);
  onMount(() => window.watch(box));
  onMount(() => { const soon = setTimeout(() => void loadBulk().then(() => BulkBar.preload()).catch(() => undefined), SOON_MS); onCleanup(() => clearTimeout(soon)); });

  createEffect(() => props.paging.need(window.first(), window.last()));
  createEffect(on(connections, () => { if (failed()) props.paging.need(window.first(), window.last()); }, { defer: true }));
  readDrafts();
  createEffect(on(() => props.open, (id, former) => {
    if (former !== undefined) leftCase(former);
    props.paging.settle(id);
    const position = id === undefined ? -1 : untrack(() => props.paging.position(id));
    if (position >= 0) setAt(position), window.reveal(position);
  }));

  let timer: ReturnType<typeof setTimeout> | undefined;
  createEffect(() => {
    if (props.channel) follow(props.channel, () => { timer ??= setTimeout(() => { timer = undefined; void props.paging.look(); }, LOOK_MS); });
  });
  onCleanup(() => clearTimeout(timer));

  const showFresh = () => {
    setAt(0);
    window.place(0);
    void props.paging.renew();
  };
  const move = (step: number) => {
    // The first key shows where one is.
    const to = Math.min(Math.max(0, at() + (moved || props.open !== undefined ? step : 0)), (total() ?? 1) - 1);
    moved = true;
    setAt(to);
    window.reveal(to);
    const id = ids[to];
    if (props.open !== undefined && id) return props.onOpen(id);
    if (id && left().size) props.paging.settle(id), setAt(props.paging.position(id));
    focusRow(at());
  };
  /** Selects all rows from the last one that was selected. */
  let chosenAt = 0;
  const choose = (position: number, range: boolean) => {
    const id = ids[position];
    if (!id) return;
    const [from, to] = [Math.min(chosenAt, position), Math.max(chosenAt, position)];
    if (range) props.selection.add(Array.from({ length: to - from + 1 }, (_, i) => ids[from + i]).filter((one) => one !== undefined));
    else props.selection.toggle(id);
    chosenAt = position;
  };
  const focusRow = (position: number) => queueMicrotask(() => box.querySelector<HTMLElement>(`[data-at="${position}"]`)?.focus());
  const openAt = () => { const id = ids[at()]; if (id) props.onOpen(id); };
  useKeys([
    { key: 'j', word: 'key_next', run: () => move(1) },
    { key: 'k', word: 'key_former', run: () => move(-1) },
    { key: 'x', word: 'key_select', run: () => choose(at(), false) },
    { key: 'X', word: 'key_range', run: () => choose(at(), true) },
    { key: 'Ctrl+a', word: 'key_all', run: () => props.selection.add(positions().map((p) => ids[p]).filter((id) => id !== undefined)) },
    { key: '.', word: 'key_new_rows', run: showFresh },
  ]);
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step !== undefined) { event.preventDefault(); setAt((a) => Math.min(Math.max(0, a + step), (total() ?? 1) - 1)); window.reveal(at()); focusRow(at()); }
    if (event.key === 'Enter' && (event.target as Element).matches('[role=row]')) { event.preventDefault(); openAt(); }
  };

  const positions = createMemo(() => { const from = window.first(); return Array.from({ length: Math.max(0, window.last() - from) }, (_, i) => from + i); });

  return (
    <section class="list region" id="list" aria-labelledby="list-title" tabindex="-1" data-region>
      <header class="list-head">
        <h2 id="list-title">{props.title}</h2>
        <Show when={total() !== undefined}><span class="soft">{say('list_count', { n: total()! })}</span></Show>
      </header>
      {props.above}
      <Show when={props.selection.ids().length}><Suspense><BulkBar ids={props.selection.ids()} onDone={props.selection.keep} /></Suspense></Show>
      <Show when={fresh().length}>
        <button type="button" class="fresh" onClick={showFresh}>{say('new_rows', { n: fresh().length })} <kbd>.</kbd></button>
      </Show>
      <Show when={failed()}>
        <p class="wrong pad" role="alert">{say('list_failed')} <button type="button" onClick={showFresh}>{say('retry')}</button></p>
      </Show>
      <Show when={total() === 0}>
        <div class="empty"><p>{say(props.empty?.[0] ?? 'empty_view')}</p><p class="soft">{say(props.empty?.[1] ?? 'empty_view_next')}</p></div>
      </Show>
      <div ref={box} class="list-box" role="grid" aria-label={props.title} aria-rowcount={total() ?? -1} aria-multiselectable="true" onScroll={window.onScroll} onKeyDown={onKey}>
        <div class="list-height" ref={(element) => createEffect(() => { element.style.blockSize = `${window.height()}px`; })}>
          <For each={positions()}>
            {(position) => {
              const id = () => ids[position], row = () => rowOf('case', id()) as CaseRow | undefined;
              createEffect(() => { const known = id(); if (known) show('case', known, props.paging.rows()); });
              const [rests, setRests] = createSignal(false); // long enough on the screen to ask who is looking
              createEffect(on(id, () => { setRests(false); const timer = setTimeout(() => setRests(true), REST_MS); onCleanup(() => clearTimeout(timer)); }));
              return (
                <div role="row" class="row" classList={{ left: left().has(id() ?? 0) }} data-at={position} aria-rowindex={position + 1} tabindex={position === at() ? 0 : -1}
                  aria-selected={props.selection.has(id() ?? 0)} aria-current={id() !== undefined && id() === props.open ? 'true' : undefined}
                  ref={(element) => createEffect(() => { element.style.transform = `translateY(${window.offset(position)}px)`; })}
                  onPointerDown={() => { const pressed = id(); if (pressed) props.onNear?.(pressed); }} onClick={() => { setAt(position); openAt(); }} onFocus={() => setAt(position)}>
                  <span role="gridcell" class="row-cell">
                    <Show when={row()} fallback={<span class="skeleton" />}>
                      {(r) => <Row row={r()} now={now()} left={left().has(r().id)} rests={rests() && r().id !== props.open} />}
                    </Show>
                  </span>
                  <Show when={props.selection !== NO_SELECTION}><span role="gridcell" class="row-check">
                    <input type="checkbox" tabindex="-1" aria-label={say('select')} checked={props.selection.has(id() ?? 0)} onClick={(event) => { event.stopPropagation(); choose(position, event.shiftKey); event.currentTarget.checked = props.selection.has(id() ?? 0); }} />
                  </span></Show>
                </div>
              );
            }}
          </For>
        </div>
      </div>
    </section>
  );
};

// The palette: finds actions with their keys, views, macros and entries of settings by some letters, and conversations, people and organizations by the search
// of the server. A dialog with one field, which is a combobox over a list with groups.
import { batch, createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, onMount, Show } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { finders, type Finder, type Found } from '../../kit/finders';
import { fuzzy } from '../../kit/fuzzy';
import { keysNow, keyText, takeTyped } from '../../kit/keys';
import { go } from '../../kit/route';
import type { Choices } from './open';
import { say, type Word } from '../../kit/words';
import { say as paletteSay } from './words';
import { isAdmin } from '../session/rank';
import { views } from '../views/views';

const SHOWN_MOST = 8, PAUSE_MS = 150, SEARCHED_LETTERS = 2;

const actions: Finder = {
  word: 'actions',
  find: () => [
    ...keysNow().filter(({ word }) => word !== 'key_palette').map((key) => ({ label: say(key.word), key: keyText(key.key), run: key.run })),
    ...isAdmin() ? [{ label: say('invite'), run: () => go('/settings/people/new') }] : [],
  ],
};
const ownViews: Finder = { word: 'views', find: () => views().map(({ id, title }) => ({ label: title ?? '', run: () => go(`/views/${id}`) })) };

const areas: Finder = { word: 'settings', find: async () => (await import('../settings/found')).findSettings() };
const entries: Finder = { word: 'setting_entries', searches: true, find: async (text, signal) => (await import('../settings/entries')).findEntries(text, SHOWN_MOST, signal) };

interface Result { id: number; title: string | null; resource: string }
const KINDS: Record<string, { word: Word; path: string }> = {
  case: { word: 'conversation', path: '/cases' }, user: { word: 'person', path: '/people' }, organization: { word: 'organization', path: '/organizations' },
};
const results: Finder = {
  word: 'search', searches: true,
  find: async (text, signal) => {
    const found = rowsOf(await get('/search', { query: text, resources: 'CASES,USERS,ORGANIZATIONS', limit: SHOWN_MOST, fields: 'title,resource' }, signal)) as unknown as Result[];
    return [...found.filter(({ resource }) => KINDS[resource]).map(({ id, title, resource }) => {
      const { word, path } = KINDS[resource]!;
      return { label: title || say('no_subject'), more: say(word), run: () => go(`${path}/${id}`) };
    }), { label: paletteSay('search_for', { text }), run: () => go(`/search?q=${encodeURIComponent(text)}`) }];
  },
};

let openNow: ((choices?: Choices) => void) | undefined;
export const openPalette = (choices?: Choices) => openNow?.(choices);

export const Palette = (props: { first: Choices | undefined }) => {
  const list = createUniqueId(), [text, setText] = createSignal(''), [shown, setShown] = createSignal<{ finder: Finder; found: Found[] }[]>([]);
  const [at, setAt] = createSignal(0), [searching, setSearching] = createSignal(false), [open, setOpen] = createSignal(false);
  let dialog!: HTMLDialogElement, field!: HTMLInputElement, stop: AbortController | undefined, timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => { clearTimeout(timer); stop?.abort(); });

  const [choices, setChoices] = createSignal<Choices>();
  const all = () => choices()?.finders ?? [...finders(), actions, ownViews, areas, entries, results], label = () => choices()?.label ?? say('palette');
  const put = (finder: Finder, found: Found[]) => setShown((former) => all().map((one) => one === finder ? { finder, found } : former.find((other) => other.finder === one) ?? { finder: one, found: [] }));
  const find = async (finder: Finder, wanted: string, signal: AbortSignal) => {
    const found = await finder.find(wanted, signal);
    if (!signal.aborted) put(finder, finder.searches ? found : fuzzy(wanted, found, ({ label }) => label).slice(0, wanted ? SHOWN_MOST : undefined));
  };
  const typed = (wanted: string) => {
    stop?.abort();
    clearTimeout(timer);
    const { signal } = stop = new AbortController();
    batch(() => { setText(wanted); setAt(0); });
    const quiet = () => undefined; // an aborted or refused search finds nothing
    const [far, near] = [all().filter(({ searches }) => searches), all().filter(({ searches }) => !searches)];
    void Promise.all(near.map((finder) => find(finder, wanted, signal).catch(quiet)));
    if (wanted.trim().length < (choices() ? 1 : SEARCHED_LETTERS)) { far.forEach((finder) => put(finder, [])); setSearching(false); return; }
    setSearching(true);
    timer = setTimeout(() => void Promise.all(far.map((finder) => find(finder, wanted.trim(), signal).catch(quiet))).then(() => { if (!signal.aborted) setSearching(false); }), PAUSE_MS);
  };
  const groups = createMemo(() => {
    let from = 0;
    return shown().filter(({ found }) => found.length).map(({ finder, found }) => { const group = { finder, found, from }; from += found.length; return group; });
  });
  const count = () => groups().reduce((n, { found }) => n + found.length, 0);
  const optionAt = (i: number) => groups().flatMap(({ found }) => found)[i];
  createEffect(on([at, groups], () => document.getElementById(`${list}-${at()}`)?.scrollIntoView({ block: 'nearest' })));

  const close = () => dialog.close();
  const choose = (found: Found | undefined) => { if (found) close(), found.run(); };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count()) { event.preventDefault(); setAt((i) => (i + step + count()) % count()); }
    if (event.key === 'Enter' && !event.isComposing) { event.preventDefault(); choose(optionAt(at())); }
  };
  openNow = (wanted) => {
    const begun = takeTyped();
    if (dialog.open) return;
    setChoices(wanted);
    setOpen(true);
    setShown([]);
    field.value = begun;
    typed(begun);
    dialog.showModal();
  };
  onMount(() => openPalette(props.first));
  onCleanup(() => { openNow = undefined; });

  return (
    <dialog ref={dialog} class="palette" aria-label={label()} onClose={() => { stop?.abort(); setOpen(false); }} onClick={(event) => { if (event.target === dialog) close(); }}>
      <input ref={field} type="text" role="combobox" autocomplete="off" spellcheck={false} dir="auto" aria-label={label()} placeholder={choices()?.hint ?? paletteSay(choices() ? 'choose_hint' : 'hint')} aria-expanded={count() > 0} aria-controls={list}
        aria-autocomplete="list" aria-activedescendant={count() ? `${list}-${at()}` : undefined} onInput={(event) => typed(event.currentTarget.value)} onKeyDown={onKey} />
      <div id={list} role="listbox" class="palette-list" aria-label={label()} tabindex="-1" hidden={!count()}>
        <For each={open() ? groups() : []}>
          {({ finder, found, from }) => (
            <div role="group" aria-labelledby={`${list}-${finder.word}`}>
              <div class="palette-group" id={`${list}-${finder.word}`} role="presentation">{say(finder.word)}</div>
              <For each={found}>
                {(one, i) => (
                  <div id={`${list}-${from + i()}`} role="option" aria-selected={from + i() === at()} onMouseMove={() => setAt(from + i())} onClick={() => choose(one)}>
                    <span class="palette-label" dir="auto">{one.label}</span>
                    <Show when={one.more}><span class="soft" dir="auto">{one.more}</span></Show>
                    <Show when={one.key}><kbd>{one.key}</kbd></Show>
                  </div>
                )}
              </For>
            </div>
          )}
        </For>
      </div>
      <p class="palette-none soft" role="status">{!count() && open() && text() ? paletteSay(searching() ? 'searching' : 'nothing_found') : ''}</p>
    </dialog>
  );
};

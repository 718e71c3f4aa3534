// The field in which a person writes. It is a text area at once, and rich text as soon as that is loaded and the channel takes it; text,
// caret and focus stay. "@" and a name offer people of staff in notes.
import { createEffect, createSignal, createUniqueId, For, on, onCleanup, onMount, Show, untrack } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { say, type Word } from '../../kit/words';
import type { Draft } from './draft';
import { surfaceOfArea, type Form, type Surface } from './surface';

const MENTION = /(?:^|[^\p{L}\p{N}])@([\p{L}\p{N}][\p{L}\p{N}\p{M} .'’-]{0,60})$/u, PAUSE_MS = 100;
/** After this time, when the posts are read. The focus loads at once. */
const LOAD_MS = 200;
const STAFF = 'OWNERS,ADMINS,AGENTS,COLLABORATORS';

interface Props {
  label: string;
  draft: Draft;
  /** The channel has no forms. */
  plain?: boolean;
  mentions?: boolean;
  rows: number;
  required?: boolean;
  onTyped?: () => void;
  onLeave?: () => void;
  ref: (surface: Surface) => void;
}

export const TextField = (props: Props) => {
  const [surface, setSurface] = createSignal<Surface>();
  const [isRich, setRich] = createSignal(false), [pending, setPending] = createSignal(false);
  const [forms, setForms] = createSignal<ReadonlySet<Form>>(new Set<Form>(), { equals: (a, b) => a.size === b.size && [...a].every((form) => b.has(form)) });
  let makeRich: typeof import('./rich').createRich | undefined, shown: Draft | undefined, shownIn: Surface | undefined;

  const files = (list: Iterable<File>) => props.draft.files.add(list, surface()?.rich);
  /** `onTyped` still finds the draft as it was before. */
  const typed = () => { props.onTyped?.(); props.draft.typed(surface()!.isEmpty()); };

  const area = (element: HTMLTextAreaElement) => {
    const made = surfaceOfArea(element);
    if (shown) shown.showIn(undefined), made.write(shown.current());
    place(made);
  };
  const place = (made: Surface) => { setSurface(made); props.ref(made); };

  let selected: { from: number; to: number } | undefined;
  // The library listens to the document of the element, which is that of the template until the element is in the page.
  const rich = (element: HTMLDivElement) => onMount(() => {
    const text = untrack(() => shown!.content().text);
    const made = makeRich!(element, { label: props.label, text, selected, onChange: typed, onMove: moved, onFiles: files });
    onCleanup(() => made.end?.());
    place(made);
  });
  createEffect(on(() => props.label, (label) => surface()?.element.setAttribute('aria-label', label)));

  // The text of the draft that is shown: another draft, or a text from elsewhere.
  createEffect(() => {
    const draft = props.draft, at = surface(), text = draft.given();
    untrack(() => {
      if (!at) return;
      if (shown !== draft) {
        shown?.showIn(undefined);
        at.write(draft.current());
      } else if (shownIn === at) at.write(text);
      setPending(!isRich() && draft.current().html);
      draft.showIn(at.read);
      shown = draft;
      shownIn = at;
    });
  });
  onCleanup(() => { shown?.showIn(undefined); });

  // ---- rich text ------------------------------------------------------------------------------
  let composing = false, swapping = false; // the focus moves into the rich text
  const blurred = () => { close(); if (!swapping) props.onLeave?.(); };
  const swap = () => {
    const former = surface()?.element;
    if (isRich() || props.plain || composing || !makeRich || !(former instanceof HTMLTextAreaElement)) return;
    const focused = document.activeElement === former;
    selected = focused ? { from: former.selectionStart, to: former.selectionEnd } : undefined;
    swapping = focused;
    setRich(true);
    if (focused) queueMicrotask(() => { surface()!.focus(); swapping = false; });
  };
  const load = () => {
    if (makeRich || props.plain) return;
    void import('./rich').then(({ createRich }) => { makeRich = createRich; swap(); }, () => setPending(false)); // the area stays
  };
  onMount(() => {
    const soon = setTimeout(load, LOAD_MS);
    onCleanup(() => clearTimeout(soon));
  });
  createEffect(on(() => props.plain, (plain) => { if (plain && isRich()) setRich(false); else if (!plain) { load(); swap(); } }, { defer: true }));

  const [linking, setLinking] = createSignal<string>();
  let linkInput!: HTMLInputElement;
  const askLink = () => { setLinking(surface()!.rich!.address()); queueMicrotask(() => linkInput.select()); };
  const link = (address: string) => { setLinking(undefined); surface()?.rich?.link(address); };

  // ---- mentions -------------------------------------------------------------------------------
  const list = createUniqueId();
  const [people, setPeople] = createSignal<{ id: number; name: string }[]>([]), [at, setAt] = createSignal(0);
  let turn = 0, timer: ReturnType<typeof setTimeout> | undefined, dismissed = '';
  onCleanup(() => clearTimeout(timer));
  const close = () => { turn++; clearTimeout(timer); setPeople([]); };
  function moved() {
    const rich = surface()?.rich;
    if (rich) setForms(rich.forms());
    const name = props.mentions ? MENTION.exec(surface()?.before() ?? '')?.[1] : undefined;
    if (!name || name === dismissed) return close();
    dismissed = '';
    clearTimeout(timer);
    const mine = ++turn;
    timer = setTimeout(() => void get('/autocomplete/users', { name, in: STAFF, limit: 6, fields: 'full_name' }).then((reply) => {
      if (mine !== turn) return;
      const found = rowsOf(reply).map((row) => ({ id: row.id, name: String(row['full_name'] ?? '') }));
      setPeople(found.some((one) => one.name === name.trimEnd()) && found.length === 1 ? [] : found);
      setAt(0);
    }, () => undefined), PAUSE_MS);
  }
  const mention = (name: string) => {
    const begun = MENTION.exec(surface()?.before() ?? '')?.[1];
    close();
    if (begun !== undefined) surface()!.insert(`${name} `, begun.length);
    close();
    surface()!.focus();
  };
  createEffect(() => {
    const element = surface()?.element, open = people().length > 0;
    if (!element || !props.mentions) return;
    for (const [name, value] of [['aria-controls', list], ['aria-activedescendant', `${list}-${at()}`]] as const)
      if (open) element.setAttribute(name, value); else element.removeAttribute(name);
  });
  const onKey = (event: KeyboardEvent) => {
    if (!people().length || event.isComposing || event.ctrlKey || event.metaKey) {
      if (isRich() && (event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === 'k') { event.preventDefault(); askLink(); }
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((a) => (a + step + people().length) % people().length);
    else if (event.key === 'Enter' || event.key === 'Tab') mention(people()[at()]!.name);
    else if (event.key === 'Escape') dismissed = MENTION.exec(surface()?.before() ?? '')?.[1] ?? '', close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const TOOLS: { form: Exclude<Form, 'link'>; word: Word; sign?: string; path?: string; key: string }[] = [
    { form: 'strong', word: 'form_bold', sign: 'B', key: 'Ctrl+B' }, { form: 'em', word: 'form_italic', sign: 'I', key: 'Ctrl+I' },
    { form: 'bullet_list', word: 'form_bullets', path: 'M6.5 4h7M6.5 8h7M6.5 12h7M3 4h.01M3 8h.01M3 12h.01', key: 'Ctrl+Shift+8' },
    { form: 'ordered_list', word: 'form_numbers', path: 'M7.5 4h6M7.5 8h6M7.5 12h6M2.5 3l1-.7v3.5M2.3 10.3c.2-1 2-1 2 .1 0 .8-1.2 1.3-2 2.1h2.1', key: 'Ctrl+Shift+7' },
    { form: 'blockquote', word: 'form_quote', path: 'M2.5 4.5h11M6.5 8h7M6.5 11.5h7M2.5 8v3.5', key: 'Ctrl+Shift+9' },
    { form: 'code', word: 'form_code', path: 'M5 4.5 1.8 8 5 11.5M11 4.5 14.2 8 11 11.5', key: 'Ctrl+E' },
  ];
  const Sign = (sign: { path: string }) => <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d={sign.path} /></svg>;
  let toolbar!: HTMLDivElement;
  const onToolKey = (event: KeyboardEvent) => {
    const step = ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0) * (document.documentElement.dir === 'rtl' ? -1 : 1);
    if (!step) return;
    event.preventDefault();
    const buttons = [...toolbar.querySelectorAll('button')], now = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[(now + step + buttons.length) % buttons.length]!.focus();
  };

  return (
    <div class="text" ref={(element) => element.addEventListener('keydown', onKey, true)}>
      <Show when={people().length}>
        <ul id={list} class="people" role="listbox" aria-label={say('mention')}>
          <For each={people()}>
            {(one, i) => <li id={`${list}-${i()}`} role="option" aria-selected={i() === at()} dir="auto" onMouseDown={(event) => { event.preventDefault(); mention(one.name); }}>{one.name}</li>}
          </For>
        </ul>
      </Show>
      <Show when={isRich()} fallback={
        <textarea ref={area} rows={props.rows} dir="auto" aria-label={props.label} required={props.required} readOnly={pending()} onInput={() => { typed(); moved(); }} onFocus={load} onClick={moved} onBlur={blurred}
          onCompositionStart={() => { composing = true; }} onCompositionEnd={() => { composing = false; swap(); }}
          onPaste={(event) => { const pasted = event.clipboardData; if (pasted?.files.length && !pasted.getData('text/plain')) { event.preventDefault(); files(pasted.files); } }}
          onDragOver={(event) => { if (event.dataTransfer?.types.includes('Files')) event.preventDefault(); }}
          onDrop={(event) => { const dropped = event.dataTransfer?.files; if (dropped?.length) { event.preventDefault(); files(dropped); } }} />
      }>
        <div ref={rich} onFocusOut={blurred} data-rows={props.rows} />
        <Show when={linking() !== undefined}>
          <div class="link-form">
            <input ref={linkInput} type="text" inputmode="url" aria-label={say('form_link')} placeholder="https://" value={linking()} onKeyDown={(event) => {
              if (event.key === 'Enter') { event.preventDefault(); link(linkInput.value); }
              if (event.key === 'Escape') { event.preventDefault(); event.stopPropagation(); setLinking(undefined); surface()!.focus(); }
            }} />
            <button type="button" onClick={() => link(linkInput.value)}>{say('link_set')}</button>
            <Show when={linking()}><button type="button" onClick={() => link('')}>{say('link_remove')}</button></Show>
          </div>
        </Show>
      </Show>
      <Show when={!props.plain}>
        <div class="forms" role="toolbar" aria-label={say('forms')} ref={toolbar} onKeyDown={onToolKey}>
          <For each={TOOLS}>
            {(tool, i) => <button type="button" class="form" disabled={!isRich()} data-form={tool.form} tabindex={i() ? -1 : 0} aria-pressed={forms().has(tool.form)} aria-label={say(tool.word)} title={`${say(tool.word)} (${tool.key})`} onMouseDown={(event) => event.preventDefault()} onClick={() => surface()!.rich!.toggle(tool.form)}>{tool.sign ?? <Sign path={tool.path!} />}</button>}
          </For>
          <button type="button" class="form" disabled={!isRich()} data-form="link" tabindex={-1} aria-pressed={forms().has('link')} aria-label={say('form_link')} title={`${say('form_link')} (Ctrl+Shift+K)`} onMouseDown={(event) => event.preventDefault()} onClick={askLink}><Sign path="M6.5 9.5a3 3 0 0 0 4.3 0l2-2a3 3 0 0 0-4.3-4.3l-.7.7M9.5 6.5a3 3 0 0 0-4.3 0l-2 2a3 3 0 0 0 4.3 4.3l.7-.7" /></button>
        </div>
      </Show>
    </div>
  );
};

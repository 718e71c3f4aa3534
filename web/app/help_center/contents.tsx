// The contents of an article in one language: rich text, or its HTML. The text is read at each pause and when the focus leaves it.
import { createEffect, createSignal, createUniqueId, For, on, onCleanup, onMount, Show } from 'solid-js';
import { numberText, say as sayKit, type Word } from '../../kit/words';
import type { Files } from '../editor/files';
import type { Form } from '../editor/surface';
import { createArticleText, type ArticleText } from './article_rich';
import { say, type ArticleWord } from './article_words';

const PAUSE_MS = 250, LEVELS = [0, 2, 3, 4];
const RAW: Record<string, ArticleWord> = { table: 'raw_table', figure: 'raw_figure', hr: 'raw_line', dl: 'raw_list', details: 'raw_details' };
const names = { raw: (tag: string) => say(RAW[tag] ?? 'raw_other'), get picture() { return say('picture_elsewhere'); } };

interface Props {
  label: string;
  locale: string;
  direction: 'ltr' | 'rtl' | 'auto';
  value: string;
  set: (html: string) => void;
  disabled: boolean;
  files: Files;
  /** Reads what was typed since the last pause. */
  ref: (flush: () => void) => void;
}

const TOOLS: { form: Exclude<Form, 'link'>; word?: Word; own?: ArticleWord; sign?: string; path?: string; key?: string }[] = [
  { form: 'strong', word: 'form_bold', sign: 'B', key: 'Ctrl+B' }, { form: 'em', word: 'form_italic', sign: 'I', key: 'Ctrl+I' },
  { form: 'bullet_list', word: 'form_bullets', path: 'M6.5 4h7M6.5 8h7M6.5 12h7M3 4h.01M3 8h.01M3 12h.01', key: 'Ctrl+Shift+8' },
  { form: 'ordered_list', word: 'form_numbers', path: 'M7.5 4h6M7.5 8h6M7.5 12h6M2.5 3l1-.7v3.5M2.3 10.3c.2-1 2-1 2 .1 0 .8-1.2 1.3-2 2.1h2.1', key: 'Ctrl+Shift+7' },
  { form: 'blockquote', word: 'form_quote', path: 'M2.5 4.5h11M6.5 8h7M6.5 11.5h7M2.5 8v3.5', key: 'Ctrl+Shift+9' },
  { form: 'code', word: 'form_code', path: 'M5 4.5 1.8 8 5 11.5M11 4.5 14.2 8 11 11.5', key: 'Ctrl+E' },
  { form: 'code_block', own: 'code_block', path: 'M2.5 3h11v10h-11zM6 6.5 4.5 8 6 9.5M8.5 9.5h3' },
];
const Sign = (props: { path: string }) => <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d={props.path} /></svg>;

export const Contents = (props: Props) => {
  const [text, setText] = createSignal<ArticleText>(), [failed, setFailed] = createSignal(false), [source, setSource] = createSignal(false);
  const [forms, setForms] = createSignal<ReadonlySet<Form>>(new Set<Form>()), [level, setLevel] = createSignal(0), [raw, setRaw] = createSignal<string>();
  const [linking, setLinking] = createSignal<string>(), [block, setBlock] = createSignal<string>();
  const help = createUniqueId();
  let place!: HTMLDivElement, toolbar!: HTMLDivElement, linkInput!: HTMLInputElement, dialog!: HTMLDialogElement;
  let read = props.value, timer: ReturnType<typeof setTimeout> | undefined, gone = false; // `read`: the text as it was read or given last

  const flush = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    read = text()!.surface.read().contents;
    props.set(read);
  };
  props.ref(flush);
  const typed = () => { timer ??= setTimeout(flush, PAUSE_MS); };
  const moved = () => {
    const now = text();
    if (!now) return;
    setForms(now.surface.rich!.forms());
    setLevel(now.level());
    setRaw(now.raw());
  };
  const load = () => {
    setFailed(false);
    createArticleText(place, { label: props.label, onChange: typed, onMove: moved, onFiles: (list) => props.files.add(list, text()?.surface.rich) }, props.value, names).then((made) => {
      if (gone) return made.surface.end?.();
      read = props.value;
      setText(made);
      moved();
    }, () => setFailed(true));
  };
  onMount(load);
  const hide = () => flush();
  addEventListener('pagehide', hide, { capture: true });
  onCleanup(() => { flush(); gone = true; removeEventListener('pagehide', hide, { capture: true }); text()?.surface.end?.(); });

  // Another text from elsewhere: a choice between two versions, a discarded change, the version that was saved.
  createEffect(on(() => props.value, (value) => {
    if (value === read || timer !== undefined) return;
    read = value;
    text()?.surface.write({ contents: value, html: true });
  }, { defer: true }));
  createEffect(() => {
    const view = text()?.surface.view, disabled = props.disabled;
    view?.setProps({ editable: () => !disabled });
    view?.dom.setAttribute('aria-describedby', help);
  });

  const link = (address: string) => { setLinking(undefined); text()?.surface.rich!.link(address); };
  const askLink = () => { setLinking(text()!.surface.rich!.address()); queueMicrotask(() => linkInput.select()); };
  const askBlock = () => { setBlock(text()!.raw() ?? ''); dialog.showModal(); };
  const useBlock = () => { text()!.setRaw(block() ?? ''); dialog.close(); };
  const turn = () => { flush(); setSource((now) => !now); };
  const onToolKey = (event: KeyboardEvent) => {
    const step = ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0) * (document.documentElement.dir === 'rtl' ? -1 : 1);
    if (!step || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    const buttons = [...toolbar.querySelectorAll<HTMLElement>('button:not(:disabled)')], now = buttons.indexOf(document.activeElement as HTMLElement);
    buttons[(now + step + buttons.length) % buttons.length]!.focus();
  };
  const off = () => props.disabled || !text() || source();
  return (
    <div class="text article-text" lang={props.locale} aria-busy={!text() && !failed()} onFocusOut={flush}
      ref={(element) => element.addEventListener('keydown', (event) => { if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === 'k' && !off()) { event.preventDefault(); askLink(); } }, true)}>
      <div class="forms" role="toolbar" aria-label={sayKit('forms')} lang={document.documentElement.lang} ref={toolbar} onKeyDown={onToolKey}>
        <select class="form-level" aria-label={say('level')} disabled={off()} onChange={(event) => text()!.setLevel(Number(event.currentTarget.value))}>
          <For each={LEVELS}>{(one) => <option value={one} selected={one === level()}>{one ? say('level_heading', { n: one }) : say('level_text')}</option>}</For>
          <Show when={!LEVELS.includes(level())}><option value={level()} selected>{say('level_heading', { n: level() })}</option></Show>
        </select>
        <For each={TOOLS}>
          {(tool, i) => {
            const name = () => tool.word ? sayKit(tool.word) : say(tool.own!);
            return <button type="button" class="form" disabled={off()} data-form={tool.form} tabindex={i() ? -1 : 0} aria-pressed={forms().has(tool.form)} aria-label={name()} title={tool.key ? `${name()} (${tool.key})` : name()} onMouseDown={(event) => event.preventDefault()} onClick={() => text()!.surface.rich!.toggle(tool.form)}>{tool.sign ?? <Sign path={tool.path!} />}</button>;
          }}
        </For>
        <button type="button" class="form" disabled={off()} data-form="link" tabindex={-1} aria-pressed={forms().has('link')} aria-label={sayKit('form_link')} title={`${sayKit('form_link')} (Ctrl+Shift+K)`} onMouseDown={(event) => event.preventDefault()} onClick={askLink}><Sign path="M6.5 9.5a3 3 0 0 0 4.3 0l2-2a3 3 0 0 0-4.3-4.3l-.7.7M9.5 6.5a3 3 0 0 0-4.3 0l-2 2a3 3 0 0 0 4.3 4.3l.7-.7" /></button>
        <label class="form button" title={say('picture')}><input type="file" class="hidden" accept="image/png,image/jpeg,image/gif,image/webp" multiple disabled={off()} aria-label={say('picture')} onChange={(event) => { props.files.add(event.currentTarget.files ?? [], text()!.surface.rich); event.currentTarget.value = ''; }} /><Sign path="M2.5 3.5h11v9h-11zM2.5 11l3-3 2.5 2.5L11 7l2.5 2.5M6 6h.01" /></label>
        <button type="button" class="form" disabled={off()} tabindex={-1} aria-pressed={raw() !== undefined} aria-label={say('html_block')} title={say('html_block')} onMouseDown={(event) => event.preventDefault()} onClick={askBlock}><Sign path="M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 3.5v9" /></button>
        <span class="grow" />
        <button type="button" class="form wide" disabled={props.disabled || !text()} tabindex={-1} aria-pressed={source()} title={say('html_whole')} aria-label={say('html_whole')} onClick={turn}>HTML</button>
      </div>
      <Show when={linking() !== undefined}>
        <div class="link-form" lang={document.documentElement.lang}>
          <input ref={linkInput} type="text" inputmode="url" aria-label={sayKit('form_link')} placeholder="https://" value={linking()} onKeyDown={(event) => {
            if (event.key === 'Enter') { event.preventDefault(); link(linkInput.value); }
            if (event.key === 'Escape') { event.preventDefault(); event.stopPropagation(); setLinking(undefined); text()!.surface.focus(); }
          }} />
          <button type="button" onClick={() => link(linkInput.value)}>{sayKit('link_set')}</button>
          <Show when={linking()}><button type="button" onClick={() => link('')}>{sayKit('link_remove')}</button></Show>
        </div>
      </Show>
      <Show when={!text()}><p class="pad soft" role="status" lang={document.documentElement.lang}>{failed() ? <>{say('text_failed')} <button type="button" onClick={load}>{say('try_again')}</button></> : say('text_loading')}</p></Show>
      <div ref={place} dir={props.direction} hidden={!text() || source()} />
      <Show when={source()}><textarea class="article-html" dir="ltr" spellcheck={false} rows="16" aria-label={`${say('html_whole')} · ${props.label}`} value={props.value} onInput={(event) => props.set(event.currentTarget.value)} /></Show>
      <p class="hidden" id={help}>{say('raw_help')}</p>
      <dialog ref={dialog} class="card" aria-label={say('html_block')} lang={document.documentElement.lang} onClose={() => setBlock(undefined)}>
        <h2>{say('html_block')}</h2>
        <p class="soft">{say('html_block_help')}</p>
        <textarea class="article-html" dir="ltr" spellcheck={false} rows="12" aria-label={say('html_block')} value={block() ?? ''} onInput={(event) => setBlock(event.currentTarget.value)} />
        <div class="settings-foot"><button type="button" class="main" onClick={useBlock}>{say('html_use')}</button><button type="button" onClick={() => dialog.close()}>{sayKit('cancel')}</button></div>
      </dialog>
    </div>
  );
};

export const tooLong = (language: string, html: string, most: number) => html.length > most && [...html].length > most ? say('too_long', { language, n: numberText([...html].length), most: numberText(most) }) : undefined;

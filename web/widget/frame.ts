// The launcher and the panel: a button in a corner of the page, and the dialog that it opens. Views are shown one over the other.
import { desk, unreadAll, watch } from './desk';
import { fill, h, icon } from './dom';
import { direction, language, say } from './words';

export interface View {
  title: string | Node;
  body: HTMLElement;
  foot?: HTMLElement | undefined;
  /** Buttons at the end of the head. */
  more?: HTMLElement;
  /** Gets the focus when the view is opened; by default the title. */
  focus?: HTMLElement | undefined;
  update?(): void;
  close?(): void;
}
type Place = [name: string, of?: number | string];
export type Views = Record<string, (of: never) => View>;

const SMALL = matchMedia('(max-width: 480px)'), TAB = 'deskd view';
let views: Views = {}, shown: View | undefined, path: Place[] = [['home']], isOpen = false, opened = () => {};

const launcher = h('button', { class: 'launcher', 'aria-haspopup': 'dialog', 'aria-expanded': 'false', onclick: () => (isOpen ? close() : open()) });
const head = h('header', { class: 'head' }), body = h('div', { class: 'view' }), note = h('div', { class: 'note', role: 'status' });
const panel = h('div', { class: 'panel', role: 'dialog', tabindex: '-1', hidden: true, onkeydown: (event: KeyboardEvent) => keys(event) }, head, note, body);
export const shell = h('div', { class: 'shell' }, panel, launcher);

const root = () => shell.getRootNode() as ShadowRoot;
export const whenOpened = (told: () => void) => { opened = told; };
export const panelIsOpen = () => isOpen;

// The page that the visitor goes to next shows the panel as it is now, in the same tab.
const remember = () => { try { sessionStorage.setItem(TAB, JSON.stringify({ isOpen, path })); } catch { /* without storage it begins closed */ } };
export const restore = () => {
  try {
    const { isOpen: was, path: former } = JSON.parse(sessionStorage.getItem(TAB) ?? '{}');
    if (!was || SMALL.matches) return;
    path = former;
    open(false);
  } catch { /* nothing is kept */ }
};

const keys = (event: KeyboardEvent) => {
  if (event.key === 'Escape' && !event.isComposing) { event.preventDefault(); close(); }
  if (event.key !== 'Tab' || !SMALL.matches) return;
  const stops = [...panel.querySelectorAll<HTMLElement>('a[href],button,input,textarea,summary')].filter((one) => one.offsetParent && !(one as HTMLButtonElement).disabled);
  const first = stops[0], last = stops.at(-1), now = root().activeElement;
  if (event.shiftKey ? now === first || now === panel : now === last) { event.preventDefault(); (event.shiftKey ? last : first)?.focus(); }
};

/** What a key does in the panel is no business of the page's shortcuts. */
for (const name of ['keydown', 'keyup', 'keypress']) shell.addEventListener(name, (event) => event.stopPropagation());

const fit = () => {
  const seen = globalThis.visualViewport;
  if (isOpen && SMALL.matches && seen) { panel.style.height = `${seen.height}px`; panel.style.top = `${seen.offsetTop}px`; } // above the keyboard of a phone
  else panel.style.height = panel.style.top = '';
  panel.setAttribute('aria-modal', String(SMALL.matches));
};
visualViewport?.addEventListener('resize', fit);
SMALL.addEventListener('change', fit);

const button = () => {
  const n = unreadAll(), name = isOpen ? say('close') : say('open') + (n ? `, ${say('is_new', { n })}` : '');
  launcher.setAttribute('aria-label', name);
  launcher.setAttribute('aria-expanded', String(isOpen));
  fill(launcher, icon(isOpen ? 'down' : 'chat'), n && !isOpen ? h('span', { class: 'count', 'aria-hidden': 'true' }, n > 9 ? '9+' : n) : '');
};
const update = () => {
  button();
  shell.dir = direction();
  shell.lang = language();
  panel.setAttribute('aria-label', say('open'));
  const text = desk.isOffline ? say('offline') : '';
  if (note.textContent !== text) note.textContent = text;
  shown?.update?.();
};
watch(update);

const show = (takesFocus = true) => {
  const [name, of] = path.at(-1)!;
  shown?.close?.();
  shown = (views[name] ?? views['home']!)(of as never);
  const title = h('h2', { class: 'title', tabindex: '-1' }, shown.title), isHome = path.length < 2;
  head.hidden = isHome;
  fill(head, h('button', { class: 'plain', 'aria-label': say('back'), onclick: back }, icon('back')), title, shown.more,
    h('button', { class: 'plain close', 'aria-label': say('close'), onclick: () => close() }, icon('close')));
  fill(body, shown.body, shown.foot);
  shown.update?.();
  if (takesFocus) (shown.focus ?? (isHome ? panel : title)).focus({ preventScroll: true });
};

export const go = (name: string, of?: number | string, instead = false) => {
  if (instead) path.pop();
  if (name === 'home') path = [];
  path.push(of === undefined ? [name] : [name, of]);
  remember();
  if (isOpen) show();
};
export const back = () => {
  if (path.length > 1) path.pop(); else path = [['home']];
  remember();
  show();
};
/** The view of `name` and `of` is shown under another `of` from now on. */
export const renamePlace = (name: string, of: string, now: number) => { path = path.map((one) => (one[0] === name && one[1] === of ? [name, now] : one)); remember(); };

export const open = (takesFocus = true) => {
  if (isOpen) return;
  isOpen = true;
  panel.hidden = false;
  shell.classList.add('is-open');
  fit();
  show(takesFocus);
  update();
  remember();
  opened();
};
export const close = () => {
  if (!isOpen) return;
  isOpen = false;
  shown?.close?.();
  shown = undefined;
  panel.hidden = true;
  shell.classList.remove('is-open');
  fill(body);
  update();
  remember();
  launcher.focus({ preventScroll: true });
  opened();
};
/** Shows all views in another language, or with other words. */
export const redraw = () => { update(); if (isOpen) show(false); };
export const useViews = (all: Views) => { views = all; };

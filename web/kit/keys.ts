// Keys. One table says what each key does, when, and in which words: the keyboard, the list of keys and the palette read it.
import { createSignal, onCleanup } from 'solid-js';
import type { Word } from './words';

/** `key`: "j"; "X" for Shift+x; "Ctrl+k", where a Mac has Cmd; "g i" for two keys after each other; "" for an action without a key. */
export interface Key { key: string; word: Word; run: () => void; inText?: boolean }

const [layers, setLayers] = createSignal<Key[][]>([]), above = new WeakSet<Key[]>();
/** Keys of a single character can be switched off: they get in the way of dictation (WCAG 2.1.4). */
const [keysOn, setKeysOn] = createSignal(true);
export { keysOn, setKeysOn };

/** The keys work as long as the owner lives. A later table hides the same key of an earlier one; one of `first` hides those of all others. */
export const useKeys = (keys: Key[], { first = false } = {}) => {
  if (first) above.add(keys);
  setLayers((all) => [...all, keys]);
  onCleanup(() => setLayers((all) => all.filter((one) => one !== keys)));
};

/** All actions of now, without those whose key is hidden. The newest table comes first. */
export const keysNow = () => {
  const found = new Map<string, Key>();
  const newest = [...layers()].reverse();
  for (const layer of [...newest.filter((one) => above.has(one)), ...newest]) for (const key of layer) if (!found.has(key.key || key.word)) found.set(key.key || key.word, key);
  return [...found.values()];
};

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const isPlain = (key: string) => key.split(' ').some((part) => part.length === 1);

/** The key as it is printed: "Shift+x", "⌘k". */
export const keyText = (key: string) =>
  key.split(' ').map((part) => /^\p{Lu}$/u.test(part) ? `Shift+${part.toLowerCase()}` : isMac ? part.replace('Ctrl+', '⌘') : part).join(' ');

/** Letters of other scripts count by their place on the keyboard, and Caps Lock does not count. */
const letterOf = ({ key, code, shiftKey }: KeyboardEvent) => {
  if (key.length !== 1) return key;
  const letter = /^[a-z]$/i.test(key) ? key : key > '~' ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
  return letter ? shiftKey ? letter.toUpperCase() : letter.toLowerCase() : key;
};

const nameOf = (event: KeyboardEvent) => {
  if (event.getModifierState('AltGraph')) return event.key; // makes a character, as [ on German keyboards
  const ctrl = isMac ? event.metaKey : event.ctrlKey;
  return `${ctrl ? 'Ctrl+' : ''}${event.altKey ? 'Alt+' : ''}${event.shiftKey && event.key.length > 1 ? 'Shift+' : ''}${letterOf(event)}`;
};

const inText = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio], [type=file]), textarea, select'));

const SECOND_MS = 1500;
let first = '', firstAt = 0;

/** What a person types while a dialog with a field is loaded: it belongs to that field, so it is neither an action nor a text elsewhere. */
let ahead: string | undefined;
export const typeAhead = () => { ahead ??= ''; };
/** Keys are actions again. Returns what was typed meanwhile. */
export const takeTyped = () => { const text = ahead ?? ''; ahead = undefined; return text; };
const keepTyped = (event: KeyboardEvent) => {
  if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === 'Backspace') ahead = ahead!.slice(0, -1);
  else if (event.key.length === 1) ahead += event.key;
};
addEventListener('keydown', (event) => { if (ahead !== undefined) keepTyped(event); }, true);

/** Escape leaves a text field first: the region around it gets the focus. */
export const onKey = (event: KeyboardEvent) => {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
  if (['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock'].includes(event.key)) return;
  if (event.key === 'Escape' && inText(event.target)) { (event.target as HTMLElement).closest<HTMLElement>('[data-region]')?.focus(); return; }
  const name = nameOf(event), both = first && event.timeStamp - firstAt < SECOND_MS ? `${first} ${name}` : '';
  first = '';
  const works = ({ key, inText: also }: Key) => key !== '' && (also || !inText(event.target)) && (keysOn() || !isPlain(key));
  const keys = keysNow().filter(works), key = keys.find((one) => one.key === both) ?? keys.find((one) => one.key === name);
  if (!key && keys.some((one) => one.key.startsWith(`${name} `))) first = name, firstAt = event.timeStamp;
  else if (!key) return;
  event.preventDefault();
  key?.run();
};

// Keys. One table says what each key does, when, and in which words: the keyboard and the list of keys read it.
import { createSignal, onCleanup } from 'solid-js';
import type { Word } from './words';

export interface Key { key: string; word: Word; run: () => void; inText?: boolean }

const [layers, setLayers] = createSignal<Key[][]>([]);

/** The keys work as long as the owner lives. A later table hides the same key of an earlier one. */
export const useKeys = (keys: Key[]) => {
  setLayers((all) => [...all, keys]);
  onCleanup(() => setLayers((all) => all.filter((one) => one !== keys)));
};

/** All keys that work now, without those that are hidden. */
export const keysNow = () => {
  const found = new Map<string, Key>();
  for (const layer of layers()) for (const key of layer) found.set(key.key, key);
  return [...found.values()];
};

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** "Ctrl+Enter" for Ctrl or, on a Mac, Cmd; "g i" is not a key, but two. */
const nameOf = (event: KeyboardEvent) => {
  const ctrl = isMac ? event.metaKey : event.ctrlKey;
  return `${ctrl ? 'Ctrl+' : ''}${event.altKey ? 'Alt+' : ''}${event.shiftKey && event.key.length > 1 ? 'Shift+' : ''}${event.key}`;
};

const inText = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'));

export const onKey = (event: KeyboardEvent) => {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
  const name = nameOf(event), key = keysNow().find((one) => one.key === name);
  if (!key || (inText(event.target) && !key.inText)) return;
  event.preventDefault();
  key.run();
};

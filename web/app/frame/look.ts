// How the console looks and behaves for this person in this browser.
import { createEffect, createRoot, createSignal } from 'solid-js';
import { keysOn, setKeysOn } from '../../kit/keys';

export type Theme = 'system' | 'light' | 'dark';

const kept = (name: string, otherwise: string) => { try { return localStorage.getItem(name) ?? otherwise; } catch { return otherwise; } };
const keepSetting = (name: string, value: string) => { try { localStorage.setItem(name, value); } catch { /* storage is full or forbidden */ } };

const [theme, setTheme] = createSignal(kept('theme', 'system') as Theme);
const [compact, setCompact] = createSignal(kept('density', 'normal') === 'compact');
/** What follows after a conversation was completed or put away. */
export type AfterClose = 'next' | 'list' | 'stay';
const [afterClose, setAfterClose] = createSignal(kept('after_close', 'next') as AfterClose);
setKeysOn(kept('keys', 'on') === 'on');
/** On narrow screens the properties lie over the conversation when they are asked for. */
const [detailsOpen, setDetailsOpen] = createSignal(false);
export { theme, setTheme, compact, setCompact, afterClose, setAfterClose, detailsOpen, setDetailsOpen };

createRoot(() => {
  createEffect(() => { document.documentElement.dataset['theme'] = theme(); keepSetting('theme', theme()); });
  createEffect(() => { document.documentElement.dataset['density'] = compact() ? 'compact' : 'normal'; keepSetting('density', compact() ? 'compact' : 'normal'); });
  createEffect(() => keepSetting('after_close', afterClose()));
  createEffect(() => keepSetting('keys', keysOn() ? 'on' : 'off'));
});

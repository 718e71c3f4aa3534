// How the console looks and behaves for this person in this browser.
import { createEffect, createRoot, createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
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
export { theme, setTheme, compact, setCompact, afterClose, setAfterClose };

export type Region = 'list' | 'details';
export const WIDTHS: Record<Region, { first: number; range: [number, number] }> = { list: { first: innerWidth < 1600 ? 320 : 400, range: [280, 560] }, details: { first: 280, range: [240, 440] } };
const [widths, setWidths] = createStore({ list: Number(kept('width list', '')) || WIDTHS.list.first, details: Number(kept('width details', '')) || WIDTHS.details.first });
const setWidth = (region: Region, width: number) => {
  const [least, most] = WIDTHS[region].range;
  setWidths(region, Math.round(Math.min(Math.max(width, least), most)));
  keepSetting(`width ${region}`, String(widths[region]));
};
export { widths, setWidth };

createRoot(() => {
  createEffect(() => { document.documentElement.dataset['theme'] = theme(); keepSetting('theme', theme()); });
  createEffect(() => { document.documentElement.dataset['density'] = compact() ? 'compact' : 'normal'; keepSetting('density', compact() ? 'compact' : 'normal'); });
  createEffect(() => keepSetting('after_close', afterClose()));
  createEffect(() => keepSetting('keys', keysOn() ? 'on' : 'off'));
});

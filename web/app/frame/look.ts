// Theme and density: of this browser, until the profile has a place for them.
import { createEffect, createRoot, createSignal } from 'solid-js';

export type Theme = 'system' | 'light' | 'dark';

const kept = (name: string, otherwise: string) => { try { return localStorage.getItem(name) ?? otherwise; } catch { return otherwise; } };
const keepSetting = (name: string, value: string) => { try { localStorage.setItem(name, value); } catch { /* storage is full or forbidden */ } };

const [theme, setTheme] = createSignal(kept('theme', 'system') as Theme);
const [compact, setCompact] = createSignal(kept('density', 'normal') === 'compact');
/** On narrow screens the properties lie over the conversation when they are asked for. */
const [detailsOpen, setDetailsOpen] = createSignal(false);
export { theme, setTheme, compact, setCompact, detailsOpen, setDetailsOpen };

createRoot(() => {
  createEffect(() => { document.documentElement.dataset['theme'] = theme(); keepSetting('theme', theme()); });
  createEffect(() => { document.documentElement.dataset['density'] = compact() ? 'compact' : 'normal'; keepSetting('density', compact() ? 'compact' : 'normal'); });
});

// Opens the palette, which is loaded when it is asked for first.
import { createSignal, onCleanup, Show, Suspense } from 'solid-js';
import type { Finder } from '../../kit/finders';
import { takeTyped, typeAhead, useKeys } from '../../kit/keys';
import { lazy } from '../../kit/lazy';

const load = async () => { const [palette, { ready }] = await Promise.all([import('./palette'), import('./words')]); await ready(); return palette; };
const Palette = lazy(async () => ({ default: (await load()).Palette }));
/** The palette with a name of its own and only these finders: one of many is chosen by letters. */
export interface Choices { label: string; hint?: string; finders: Finder[] }
const [asked, setAsked] = createSignal(false);
let first: Choices | undefined;

export const showPalette = (choices?: Choices) => {
  typeAhead();
  void load().then(({ openPalette }) => { if (asked()) openPalette(choices); }, takeTyped);
  if (!asked()) first = choices, setAsked(true);
};

export const PaletteOnDemand = () => {
  // It comes while the second key of Ctrl+K is on its way.
  const soon = ({ key }: KeyboardEvent) => { if (key === 'Control' || key === 'Meta') void load().catch(() => undefined); };
  addEventListener('keydown', soon);
  onCleanup(() => removeEventListener('keydown', soon));
  useKeys([{ key: 'Ctrl+k', word: 'key_palette', inText: true, run: () => showPalette() }]);
  return <Show when={asked()}><Suspense><Palette first={first} /></Suspense></Show>;
};

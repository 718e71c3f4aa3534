// Opens the palette, which is loaded when it is asked for first.
import { createSignal, lazy, onCleanup, Show, Suspense } from 'solid-js';
import { useKeys } from '../../kit/keys';

const load = () => import('./palette');
const Palette = lazy(async () => ({ default: (await load()).Palette }));
const [asked, setAsked] = createSignal(false);

export const showPalette = () => { if (asked()) void load().then(({ openPalette }) => openPalette()); else setAsked(true); };

export const PaletteOnDemand = () => {
  // It comes while the second key of Ctrl+K is on its way.
  const soon = ({ key }: KeyboardEvent) => { if (key === 'Control' || key === 'Meta') void load().catch(() => undefined); };
  addEventListener('keydown', soon);
  onCleanup(() => removeEventListener('keydown', soon));
  useKeys([{ key: 'Ctrl+k', word: 'key_palette', inText: true, run: showPalette }]);
  return <Show when={asked()}><Suspense><Palette /></Suspense></Show>;
};

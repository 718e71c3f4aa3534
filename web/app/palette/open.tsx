// Opens the palette, which is loaded when it is asked for first.
import { createSignal, lazy, Show, Suspense } from 'solid-js';
import { useKeys } from '../../kit/keys';

const load = () => import('./palette');
const Palette = lazy(async () => ({ default: (await load()).Palette }));
const [asked, setAsked] = createSignal(false);

export const showPalette = () => { if (asked()) void load().then(({ openPalette }) => openPalette()); else setAsked(true); };

export const PaletteOnDemand = () => {
  useKeys([{ key: 'Ctrl+k', word: 'key_palette', inText: true, run: showPalette }]);
  return <Show when={asked()}><Suspense><Palette /></Suspense></Show>;
};

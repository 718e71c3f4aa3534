// Things that the palette finds. A feature offers its own as long as its owner lives.
import { createSignal, onCleanup } from 'solid-js';
import type { Word } from './words';

export interface Found { label: string; more?: string | undefined; key?: string; run: () => void }
/** `find` gives all of them, and the palette chooses by letters; with `searches` it gives those that fit the text. */
export interface Finder { word: Word; searches?: boolean; find: (text: string, signal: AbortSignal) => Found[] | Promise<Found[]> }

const [finders, setFinders] = createSignal<Finder[]>([]);
export { finders };

/** The newest finder comes first. */
export const useFinder = (finder: Finder) => {
  setFinders((all) => [finder, ...all]);
  onCleanup(() => setFinders((all) => all.filter((one) => one !== finder)));
};

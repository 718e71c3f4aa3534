// Values of forms that are not saved. They outlive the form, so navigation loses nothing. Before the page is closed, the browser asks.
import { createEffect, createRoot, createSignal, onCleanup } from 'solid-js';
import { me } from '../session/session';

export type Values = Record<string, unknown>;
/** `first` are the values that the form began with, and `etag` is their version. */
export interface Kept { values: Values; first: Values; etag: string | null }

const [all, setAll] = createSignal<ReadonlyMap<string, Kept>>(new Map());

export const keptOf = (form: string) => all().get(form);
export const keepValues = (form: string, kept: Kept | undefined) => {
  if (!kept && !all().has(form)) return;
  const next = new Map(all());
  if (kept) next.set(form, kept); else next.delete(form);
  setAll(next);
};
/** True if the form, or one below it, has values that are not saved. Names of forms are like paths. */
export const isKept = (form: string) => [...all().keys()].some((one) => one === form || one.startsWith(`${form}/`));

createRoot(() => {
  createEffect(() => { if (me() === null) setAll(new Map()); });
  createEffect(() => {
    if (!all().size) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    onCleanup(() => removeEventListener('beforeunload', ask));
  });
});

// Values of forms that are not saved. They outlive the form, so navigation loses nothing. Before the page is closed, the browser asks.
// Some outlive the page, too: the browser stores them.
import { createEffect, createRoot, createSignal, onCleanup } from 'solid-js';
import { me } from '../session/session';

export type Values = Record<string, unknown>;
/** `first` are the values that the form began with, and `etag` is their version. */
export interface Kept { values: Values; first: Values; etag: string | null }

// A logout deletes what begins with "draft ".
const PREFIX = 'draft help center ';
const storedKeys = () => { try { return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length)); } catch { return []; } };
const storedOf = (form: string): Kept | undefined => { try { return JSON.parse(localStorage.getItem(PREFIX + form) ?? 'null') ?? undefined; } catch { return undefined; } };
/** False: the storage is full or forbidden. */
const store = (form: string, kept: Kept | undefined) => {
  try {
    localStorage.removeItem(PREFIX + form);
    if (kept) localStorage.setItem(PREFIX + form, JSON.stringify(kept));
    return true;
  } catch { return false; }
};

/** 'stored': the storage has the values. */
const [all, setAll] = createSignal<ReadonlyMap<string, Kept | 'stored'>>(new Map(storedKeys().map((form) => [form, 'stored'])));

export const keptOf = (form: string, isStored = false) => { const kept = all().get(form) ?? (isStored ? 'stored' : undefined); return kept === 'stored' ? storedOf(form) : kept; };
/** Returns false if the values should outlive the page and can't. */
export const keepValues = (form: string, kept: Kept | undefined, isStored = false): boolean => {
  if (kept && me() === null) return true; // a form of the session that has ended
  const former = all().get(form), isLocal = !isStored || store(form, kept), next = kept && isStored && isLocal ? 'stored' : kept;
  if (next === former) return isLocal;
  const map = new Map(all());
  if (next) map.set(form, next); else map.delete(form);
  setAll(map);
  return isLocal;
};
/** True if the form, or one below it, has values that are not saved. Names of forms are like paths. */
export const isKept = (form: string) => [...all().keys()].some((one) => one === form || one.startsWith(`${form}/`));

createRoot(() => {
  createEffect(() => { if (me() === null) setAll(new Map()); });
  createEffect(() => {
    if (![...all().values()].some((kept) => kept !== 'stored')) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    onCleanup(() => removeEventListener('beforeunload', ask));
  });
});

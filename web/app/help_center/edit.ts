// What a person changes in a section or a category. Values have flat names ("title de", "category_id").
//
// The browser keeps unsaved values, so a reload, a crash and an ended session lose nothing. A save sends what was changed, for the version that
// was read (If-Match). If there is another version by then, values that only the other person has changed are taken over. The person chooses
// between two values of one name; nothing is sent before.
import { createEffect, createSignal, onCleanup } from 'solid-js';
import { createStore, unwrap } from 'solid-js/store';
import { Refused, Unreachable } from '../../kit/api';
import { say } from './words';

export type Values = Record<string, unknown>;
export interface Version { values: Values; etag: string | null }
export interface Met { name: string; theirs: unknown }
interface Kept { values: Values; first: Values; etag: string | null }

export interface EditOf {
  /** Under which the browser keeps the values. */
  key: string;
  /** Absent: a new thing with these values. */
  read?: () => Promise<Version>;
  initial?: Values;
  /** Sends the changed values, and returns the version that there is now; undefined: the thing was new. */
  send: (changed: Values, all: Values, etag: string | null, attempt: string) => Promise<Version | undefined>;
}

// A logout deletes what begins with "draft ".
const PREFIX = 'draft help center ', PAUSE_MS = 300;
const [keptKeys, setKeptKeys] = createSignal<ReadonlySet<string>>(new Set(Object.keys(localStorageOf()).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length))));
function localStorageOf(): Record<string, string> { try { return localStorage; } catch { return {}; } }

/** The browser has unsaved values under this key. */
export const isKept = (key: string) => keptKeys().has(key);
/** What the storage has no room for stays as long as the page. */
const inMemory = new Map<string, Kept>();
const keptOf = (key: string): Kept | undefined => { if (inMemory.has(key)) return inMemory.get(key); try { return JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null') ?? undefined; } catch { return undefined; } };
/** False: the storage is full or forbidden. */
const keep = (key: string, kept: Kept | undefined) => {
  setKeptKeys((all) => { const next = new Set(all); if (kept) next.add(key); else next.delete(key); return next.size === all.size && next.has(key) === all.has(key) ? all : next; });
  inMemory.delete(key);
  try {
    if (kept) localStorage.setItem(PREFIX + key, JSON.stringify(kept)); else localStorage.removeItem(PREFIX + key);
    return true;
  } catch {
    if (kept) inMemory.set(key, kept);
    try { localStorage.removeItem(PREFIX + key); } catch { /* it has none */ }
    return false;
  }
};

const same = (a: unknown, b: unknown) => a === b || ((typeof a !== 'string' || typeof b !== 'string') && JSON.stringify(a ?? null) === JSON.stringify(b ?? null));

export const createEdit = (of: EditOf) => {
  const [state, setState] = createStore<{ values: Values; first: Values }>({ values: {}, first: {} });
  const [status, setStatus] = createSignal<'reading' | 'ready' | 'saving' | 'gone' | 'failed'>('reading');
  const [met, setMet] = createSignal<Met[]>([]), [problems, setProblems] = createSignal<string[]>([]), [isLocal, setLocal] = createSignal(true);
  let base: Values = {}; // what the values between which the person has to choose were before
  let etag: string | null = null, attempt = crypto.randomUUID(), timer: ReturnType<typeof setTimeout> | undefined;

  const names = () => [...new Set([...Object.keys(state.values), ...Object.keys(state.first)])];
  const changedNames = () => names().filter((name) => !same(state.values[name], state.first[name]));
  const isChanged = () => changedNames().length > 0;
  const picked = (from: Values, wanted: string[]): Values => Object.fromEntries(wanted.map((name) => [name, unwrap(from)[name] ?? null]));

  const keepNow = () => {
    clearTimeout(timer);
    timer = undefined;
    const changed = changedNames();
    setLocal(keep(of.key, changed.length ? { values: picked(state.values, changed), first: { ...picked(state.first, changed), ...base }, etag: met().length ? null : etag } : undefined));
  };
  const keepSoon = () => { timer ??= setTimeout(keepNow, PAUSE_MS); };

  /** Another version: what only the other person has changed is taken over. Returns the number of values that both have changed. */
  const take = (version: Version) => {
    const mine = changedNames(), both: Met[] = [], former = base, values: Values = { ...version.values };
    base = {};
    for (const name of mine) {
      const theirs = version.values[name], first = name in former ? former[name] : unwrap(state.first)[name], own = unwrap(state.values)[name];
      values[name] = own ?? undefined;
      if (!same(theirs, first) && !same(theirs, own)) both.push({ name, theirs }), base[name] = first ?? null;
    }
    etag = version.etag;
    setState({ values: filledUp(values, state.values), first: filledUp({ ...version.values }, state.first) });
    setMet(both);
    return both.length;
  };
  /** A store merges objects: names that are not there any more become undefined. */
  const filledUp = (next: Values, former: Values): Values => ({ ...Object.fromEntries(Object.keys(former).map((name) => [name, undefined])), ...next });

  const read = async () => {
    setStatus('reading');
    const kept = keptOf(of.key);
    try {
      const version = of.read ? await of.read() : { values: of.initial ?? {}, etag: null };
      if (kept) {
        setState({ values: { ...version.values, ...kept.values }, first: { ...version.values, ...kept.first } });
        if (kept.etag === version.etag) setState('first', { ...version.values }), etag = version.etag;
        else take(version);
      } else {
        setState({ values: filledUp({ ...version.values }, state.values), first: filledUp({ ...version.values }, state.first) });
        etag = version.etag;
        base = {};
        setMet([]);
      }
      setStatus('ready');
    } catch (error) {
      setStatus(error instanceof Refused && error.reply.status === 404 ? 'gone' : 'failed');
    }
  };

  const set = (name: string, value: unknown) => {
    if (same(state.values[name], value)) return;
    setState('values', name, value as never);
    setProblems([]);
    keepSoon();
  };
  /** The person has chosen between two values. */
  const choose = ({ name, theirs }: Met, mine: boolean) => {
    if (!mine) setState('values', name, (theirs ?? undefined) as never);
    delete base[name];
    setMet((all) => all.filter((one) => one.name !== name));
    keepNow();
  };

  /** True if the server has the values. */
  const save = async (): Promise<boolean> => {
    if (status() === 'saving' || met().length) return false;
    const changed = changedNames();
    if (!changed.length && of.read) return true;
    setStatus('saving');
    setProblems([]);
    const sent = picked(state.values, changed), all = { ...unwrap(state.values) };
    try {
      const version = await of.send(sent, all, etag, attempt);
      clearTimeout(timer);
      timer = undefined;
      if (version) {
        // What was typed during the request stays changed.
        const typed = Object.keys(sent).filter((name) => !same(state.values[name], sent[name]));
        setState({ values: filledUp({ ...version.values, ...Object.fromEntries(typed.map((name) => [name, unwrap(state.values)[name]])) }, state.values), first: filledUp({ ...version.values }, state.first) });
        etag = version.etag;
        keepNow();
      } else setLocal(keep(of.key, undefined));
      attempt = crypto.randomUUID();
      setStatus('ready');
      return true;
    } catch (error) {
      setStatus('ready');
      if (!(error instanceof Refused)) { setProblems([error instanceof Unreachable ? say('no_answer') : String(error)]); return false; }
      attempt = crypto.randomUUID();
      if (error.reply.status === 412 && of.read) {
        const version = await of.read().catch(() => undefined);
        if (!version) { setProblems([say('no_answer')]); return false; }
        if (!take(version)) return save();
        keepNow();
        return false;
      }
      if (error.reply.status === 404) setStatus('gone');
      else setProblems([...new Set(error.reply.errors?.map(({ message }) => message) ?? [error.message])]);
      return false;
    }
  };

  /** Forgets what was changed. */
  const drop = () => {
    clearTimeout(timer);
    timer = undefined;
    keep(of.key, undefined);
    setMet([]);
    setProblems([]);
  };
  const discard = async () => { drop(); await read(); };

  createEffect(() => {
    if (!isChanged()) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    onCleanup(() => removeEventListener('beforeunload', ask));
  });
  const leave = () => { if (timer) keepNow(); };
  addEventListener('pagehide', leave);
  onCleanup(() => { removeEventListener('pagehide', leave); leave(); });

  void read();
  return { state, status, met, problems, isLocal, isChanged, set, choose, save, discard, drop, read, refuse: (texts: string[]) => setProblems(texts), value: <T,>(name: string) => state.values[name] as T };
};
export type Edit = ReturnType<typeof createEdit>;

/** Texts in several languages as values: {"title de": "…"}. */
export const valuesOfTexts = (name: string, texts: readonly { locale: string; translation: string }[] | null | undefined): Values => Object.fromEntries((texts ?? []).map(({ locale, translation }) => [`${name} ${locale}`, translation]));
export const localesIn = (values: Values, name: string) => Object.keys(values).filter((one) => one.startsWith(`${name} `) && typeof values[one] === 'string').map((one) => one.slice(name.length + 1));
export const textsOf = (values: Values, name: string) => localesIn(values, name).map((locale) => ({ locale, translation: values[`${name} ${locale}`] as string }));

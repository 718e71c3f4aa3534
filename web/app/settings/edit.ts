// What a person changes and has not saved: the values, what is wrong with them, and what somebody else has changed meanwhile.
//
// The machine of every form of the console. It sends only what was changed, for the version that it has read (If-Match), and decides here
// what becomes of two people in one form. If the server has another version, values that only the other person has changed are taken over.
// Then the save goes on if no value depends on another (`apart`); else the person sees them first. Of two values of one name the person takes
// the other one, or saves again, which keeps the own one. Nothing is sent before the person has seen what is replaced. What is typed during a
// request stays unsaved: also in the form of the new row, if the request makes one.
import { createEffect, createSignal, onCleanup } from 'solid-js';
import { createStore, unwrap } from 'solid-js/store';
import { Refused } from '../../kit/api';
import { keepValues, keptOf, type Values } from './kept';

export type { Values };
export interface Version { values: Values; etag: string | null }
/** A value that both have changed, and that of the other person. */
export interface Met { name: string; theirs: unknown }
/** `field` is the name of the field that has the problem; '': none has it. */
export interface Problem { field: string; text: string }
/** `version`: what the server has now. `made`: the key of the row that was made. `done` runs when the form has this. */
export interface Sent { version?: Version | undefined; made?: string | undefined; done?: () => void }

export interface EditOf {
  /** Under which the browser keeps the values. */
  key: string;
  /** The values outlive the page. Never for secrets. */
  stored?: boolean;
  /** No value depends on another. */
  apart?: boolean;
  /** Names of values that may be kept; absent: all. */
  names?: readonly string[];
  /** Absent: something new, which begins with these values. */
  read?: (() => Promise<Version>) | undefined;
  initial?: Values;
  send: (changed: Values, all: Values, etag: string | null, attempt: string) => Promise<Sent>;
  /** The name of the value that a parameter of the request means. */
  fieldOf?: (parameter: string) => string;
  /** Words for something that does not exist any more. */
  gone: () => string;
}

const PAUSE_MS = 300;
export const same = (a: unknown, b: unknown) => a === b || ((typeof a !== 'string' || typeof b !== 'string') && JSON.stringify(a ?? null) === JSON.stringify(b ?? null));
/** A list may have the same problem a hundred times. */
const single = (problems: Problem[]) => [...new Map(problems.map((one) => [`${one.field} ${one.text}`, one])).values()];
const copy = <T>(value: T): T => structuredClone(unwrap(value));
const picked = (from: Values, names: readonly string[]): Values => Object.fromEntries(names.map((name) => [name, copy(unwrap(from)[name]) ?? null]));

export const createEdit = (of: EditOf) => {
  const [state, setState] = createStore<{ values: Values; first: Values; problems: Problem[]; met: Met[]; told: boolean }>({ values: {}, first: {}, problems: [], met: [], told: false });
  const [status, setStatus] = createSignal<'reading' | 'ready' | 'saving' | 'gone' | 'failed'>('reading'), [isLocal, setLocal] = createSignal(true);
  /** Counts refusals: the view moves the focus to the summary when it grows. */
  const [refusals, setRefusals] = createSignal(0);
  let base: Values = {}; // what the values that both have changed were before
  let etag: string | null = null, attempt = crypto.randomUUID(), turn = 0, timer: ReturnType<typeof setTimeout> | undefined;

  const names = () => [...new Set([...Object.keys(state.values), ...Object.keys(state.first)])];
  const changedNames = () => names().filter((name) => !same(state.values[name], state.first[name]));
  const isChanged = () => changedNames().length > 0;
  /** False: the values come. What is typed into a form without them would look like an answer to them. */
  const isRead = () => status() !== 'reading' || Object.keys(state.first).length > 0;
  const mine = (values: Values | undefined): Values => Object.fromEntries(Object.entries(values ?? {}).filter(([name]) => !of.names || of.names.includes(name)));

  const keepNow = () => {
    clearTimeout(timer);
    timer = undefined;
    const changed = changedNames();
    setLocal(keepValues(of.key, changed.length ? { values: picked(state.values, changed), first: { ...picked(state.first, changed), ...base }, etag: state.met.length ? null : etag } : undefined, of.stored));
  };
  const begin = (values: Values, first: Values, version: string | null) => {
    base = {};
    etag = version;
    setState({ values: copy(values), first: copy(first), problems: [], met: [], told: false });
  };

  /** Another version. Returns true if the person has to look at it. */
  const meet = (version: Version): boolean => {
    const former = base, own = changedNames(), both: Met[] = [], before = (name: string) => name in former ? former[name] : unwrap(state.first)[name];
    const isOther = [...new Set([...names(), ...Object.keys(version.values)])].some((name) => !same(version.values[name], before(name)) && !same(version.values[name], state.values[name]));
    base = {};
    for (const name of own) {
      const theirs = version.values[name];
      if (!same(theirs, before(name)) && !same(theirs, state.values[name])) both.push({ name, theirs }), base[name] = before(name) ?? null;
    }
    etag = version.etag;
    const told = both.length > 0 || (isOther && !of.apart);
    setState({ values: { ...copy(version.values), ...picked(state.values, own) }, first: copy(version.values), met: both, told });
    return told;
  };

  const read = async () => {
    const at = ++turn;
    setStatus('reading');
    try {
      const version = of.read ? await of.read() : { values: of.initial ?? {}, etag: null };
      if (at !== turn) return;
      if (timer) keepNow();
      const kept = keptOf(of.key, of.stored), values = { ...version.values, ...mine(kept?.values) };
      if (!kept || kept.etag === version.etag) begin(values, version.values, version.etag);
      else {
        begin(values, { ...version.values, ...mine(kept.first) }, kept.etag);
        meet(version);
        setState('told', state.met.length > 0);
      }
      setStatus('ready');
    } catch (error) {
      if (at === turn) setStatus(error instanceof Refused && error.reply.status === 404 ? 'gone' : 'failed');
    }
  };

  const set = (name: string, value: unknown) => {
    if (same(state.values[name], value)) return;
    setState('values', name, value as never);
    if (state.problems.length) setState('problems', (all) => all.filter(({ field }) => field && field !== name));
    if (of.stored) timer ??= setTimeout(keepNow, PAUSE_MS); else keepNow();
  };
  /** The person has chosen between two values. */
  const choose = ({ name, theirs }: Met, own = false) => {
    if (!own) setState('values', name, theirs as never);
    delete base[name];
    setState('met', (all) => all.filter((one) => one.name !== name));
    setState('told', state.met.length > 0);
    keepNow();
  };
  const refuse = (problems: Problem[]): false => {
    setState('problems', single(problems));
    setStatus('ready');
    setRefusals((n) => n + 1);
    return false;
  };

  const failed = async (error: unknown): Promise<boolean> => {
    if (!(error instanceof Refused)) return refuse([{ field: '', text: (error as Error).message }]);
    attempt = crypto.randomUUID();
    const { status: code, errors } = error.reply, former = etag;
    if (code === 412 && of.read) {
      const version = await of.read().catch((wrong: unknown) => failed(wrong));
      if (typeof version === 'boolean') return version;
      const isTold = meet(version);
      keepNow();
      setState('problems', []);
      setStatus('ready');
      if (!isTold && former !== version.etag) return save();
      setState('told', true);
      return refuse([]);
    }
    if (code === 404) return refuse([{ field: '', text: of.gone() }]);
    return refuse((errors ?? [error] as { message: string; parameter?: string }[]).map(({ message, parameter }) => ({ field: of.fieldOf?.(parameter ?? '') ?? '', text: message })));
  };

  /** True if the server has the values. */
  const save = async (): Promise<boolean> => {
    const changed = changedNames();
    if (status() === 'saving') return false;
    if (!changed.length && of.read) return true;
    turn++; // a version that was asked for before is older
    setStatus('saving');
    const all = copy(state.values);
    try {
      const { version, made, done } = await of.send(picked(all, changed), all, etag, attempt), now = version?.values ?? all;
      const typed = names().filter((name) => !same(state.values[name], all[name])), values = picked(state.values, typed);
      attempt = crypto.randomUUID();
      begin({ ...now, ...values }, now, version?.etag ?? null);
      if (version) keepNow(); else forget();
      if (made && typed.length) keepValues(made, { values, first: picked(all, typed), etag: null }, of.stored);
      setStatus('ready');
      done?.();
      return true;
    } catch (error) {
      return failed(error);
    }
  };

  const forget = () => {
    clearTimeout(timer);
    timer = undefined;
    keepValues(of.key, undefined, of.stored);
  };
  /** Forgets what was changed. */
  const drop = () => { begin(state.first, state.first, etag); forget(); };
  const discard = () => { drop(); return read(); };

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
  return { state, status, refusals, isLocal, isChanged, isRead, set, choose, save, discard, drop, read, refuse, value: <T,>(name: string) => state.values[name] as T };
};
export type Edit = ReturnType<typeof createEdit>;

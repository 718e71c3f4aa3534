// The state of a form: what is typed, what is wrong with it, and what somebody else has changed meanwhile.
//
// The form sends only what was changed, with the version that it has read (If-Match). If the server has another version, the form takes
// the changes of the other person where the user has none, and says where both have one. The next Save replaces those.
import { createSignal } from 'solid-js';
import { createStore, unwrap } from 'solid-js/store';
import { call, Refused, rowsOf, Unreachable, type Reply, type Row } from '../../kit/api';
import { keepReply } from '../../kit/store';
import { tell } from '../../kit/strip';
import type { Field } from './fields';
import { keepValues, keptOf, type Values } from './kept';
import { operations } from './operations';
import type { Operation } from './rights';
import { say } from './words';

export interface Limits {
  type: string; required?: boolean; nullable?: boolean; format?: string; options?: readonly string[];
  minLength?: number; maxLength?: number; minimum?: number; maximum?: number;
}
/** `field` is the name of the field that has the problem; '': none has it. `theirs` is the value of another person, which the user may take. */
export interface Problem { field: string; text: string; theirs?: unknown }

export interface FormOf {
  /** Name of the unsaved values: the address of the form. */
  key: string;
  operation: Operation;
  path: string;
  fields: readonly Field[];
  /** Reads the row with its ETag. Absent: the form makes a new row, and `initial` has its values. */
  read?: () => Promise<Reply>;
  initial?: Values;
  /** Members that the request has besides the fields. */
  more?: Values;
  /** Limits of fields that the description of the API does not know. */
  limits?: Readonly<Record<string, Limits>>;
  /** The body that has the values. Fields of a problem are found by the last part of its parameter that is a name of a field. */
  wrap?: (values: Values) => Values;
  saved?: (row: Row, reply: Reply) => void;
  /** Called after `saved`, also if the reply has no row. */
  done?: () => void;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const isEmpty = (value: unknown) => value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0);
/** A list may have the same problem a hundred times. */
const single = (problems: Problem[]) => [...new Map(problems.map((one) => [`${one.field} ${one.text}`, one])).values()];
const copy = <T>(value: T): T => structuredClone(unwrap(value));

/** The value of a field in a row: the member of its name. A reference is `team` for the field team_id, and `teams` for team_ids. */
const valueIn = (row: Row, field: Field) => {
  if (field.from) return field.from(row);
  if (field.name in row) return row[field.name];
  const one = /^(.*)_id(s?)$/.exec(field.name);
  if (!one) return undefined;
  const [, name = '', many] = one, found = row[many ? `${name}s` : name] as { id: number } | { id: number }[] | null | undefined;
  return Array.isArray(found) ? found.map(({ id }) => id) : found?.id ?? null;
};

export const createForm = (of: FormOf) => {
  const limits = (name: string): Limits => of.limits?.[name] ?? (operations[of.operation].fields as Record<string, Limits>)[name] ?? { type: 'string' };
  const [state, setState] = createStore<{ values: Values; first: Values; problems: Problem[] }>({ values: {}, first: {}, problems: [] });
  const [status, setStatus] = createSignal<'reading' | 'ready' | 'saving' | 'gone' | 'failed'>('reading');
  /** Counts refusals: the view moves the focus to the summary when it grows. */
  const [refusals, setRefusals] = createSignal(0);
  const [row, setRow] = createSignal<Row>();
  let etag: string | null = null, attempt = crypto.randomUUID();

  const nameOf = (field: Field) => say(field.label);
  const shownFields = () => of.fields.filter((field) => (field.on?.(row()) ?? true) && (field.when?.(state.values) ?? true));
  const changed = () => of.fields.map(({ name }) => name).filter((name) => !same(state.values[name], state.first[name]));
  const isBegun = () => Object.keys(state.first).length > 0;
  const isChanged = () => changed().length > 0;
  const keep = () => keepValues(of.key, isChanged() ? { values: copy(state.values), first: copy(state.first), etag } : undefined);

  const begin = (values: Values, first: Values) => setState({ values: copy(values), first: copy(first), problems: [] });
  const valuesOf = (one: Row): Values => Object.fromEntries(of.fields.map((field) => [field.name, valueIn(one, field)]));

  const read = async () => {
    if (!of.read) {
      const initial = Object.fromEntries(of.fields.map(({ name }) => [name, of.initial?.[name] ?? (limits(name).type === 'boolean' ? false : null)])), kept = keptOf(of.key);
      begin(kept?.values ?? initial, initial);
      return setStatus('ready');
    }
    setStatus('reading');
    try {
      const reply = await of.read(), one = rowsOf(reply)[0]!, kept = keptOf(of.key);
      keepReply(reply);
      setRow(one);
      etag = kept && !same(kept.first, valuesOf(one)) ? kept.etag : reply.etag;
      begin(kept?.values ?? valuesOf(one), kept?.first ?? valuesOf(one));
      setStatus('ready');
    } catch (error) {
      setStatus(error instanceof Refused && error.reply.status === 404 ? 'gone' : 'failed');
    }
  };

  const set = (name: string, value: unknown) => {
    setState('values', name, value as never);
    if (state.problems.length) setState('problems', (all) => all.filter((one) => one.field !== name));
    keep();
  };

  const refuse = (problems: Problem[]) => {
    setState('problems', problems);
    setStatus('ready');
    setRefusals((n) => n + 1);
    return false;
  };

  const written = (name: string, value: unknown) => of.fields.find((field) => field.name === name)?.to?.(value, row()) ?? value;
  const sent = (name: string) => {
    const value = written(name, unwrap(state.values)[name]);
    return isEmpty(value) && !Array.isArray(value) ? limits(name).nullable ? null : '' : value;
  };

  /** The limits of the description of the API, in the words of the console. */
  const check = (): Problem[] => shownFields().flatMap((field) => {
    const { name } = field, value = sent(name), { required, minLength = 0, maxLength = Infinity, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, type } = limits(name);
    const wrong = (text: string) => [{ field: name, text }];
    if (isEmpty(value)) return required || field.required || (minLength && changed().includes(name)) ? wrong(say('is_missing', { field: nameOf(field) })) : [];
    const length = typeof value === 'string' ? [...value].length : minLength;
    if (length > maxLength) return wrong(say('too_long', { field: nameOf(field), n: length, most: maxLength }));
    if (length < minLength) return wrong(say('too_short', { field: nameOf(field), least: minLength }));
    if (type === 'integer' && typeof value === 'string' && !(Number.isInteger(Number(value)) && Number(value) >= minimum && Number(value) <= maximum))
      return wrong(say('bad_number', { field: nameOf(field), least: minimum, most: maximum }));
    return [];
  });

  /** The row has another version than this form has read. If the fields have the same values, the form saves on the new version. */
  const meet = async (): Promise<boolean> => {
    const reply = await of.read!(), mine = changed();
    keepReply(reply);
    const theirs = valuesOf(rowsOf(reply)[0]!);
    setRow(rowsOf(reply)[0]);
    if (same(theirs, state.first) && etag !== reply.etag) {
      etag = reply.etag;
      setStatus('ready');
      return save();
    }
    const both = of.fields.filter(({ name }) => mine.includes(name) && !same(theirs[name], state.first[name]) && !same(theirs[name], state.values[name]));
    etag = reply.etag;
    setState({ values: { ...theirs, ...Object.fromEntries(mine.map((name) => [name, copy(state.values)[name]])) }, first: theirs });
    keep();
    return refuse([{ field: '', text: say('met') }, ...both.map((field) => ({ field: field.name, theirs: theirs[field.name], text: say('met_field', { field: nameOf(field), theirs: field.shown?.(theirs[field.name]) ?? textOf(theirs[field.name]) }) }))]);
  };

  const failed = async (error: unknown): Promise<boolean> => {
    if (!(error instanceof Refused)) return refuse([{ field: '', text: error instanceof Unreachable ? say('no_answer') : String(error) }]);
    attempt = crypto.randomUUID();
    if (error.reply.status === 412 && of.read) return meet().catch(failed);
    if (error.reply.status === 404) return refuse([{ field: '', text: say('met_gone') }]);
    const names = new Set(of.fields.map(({ name }) => name));
    return refuse(single((error.reply.errors ?? []).map(({ message, parameter = '' }) => {
      const name = parameter.split(/[[.]/)[0]!; // predicate_collections[0].propositions[1].value
      return { field: names.has(name) ? name : [...names].find((one) => parameter.endsWith(`.${one}`)) ?? '', text: message };
    })));
  };

  const undoOf = (former: Values, version: string | null) => async () => {
    const values = Object.fromEntries(Object.entries(former).map(([name, value]) => [name, written(name, value)]));
    const reply = await call('PUT', of.path, { body: of.wrap?.(values) ?? values, headers: version ? { 'If-Match': version } : {} });
    keepReply(reply);
    await read();
    of.saved?.(rowsOf(reply)[0]!, reply);
  };

  /** True if the server has the values. */
  const save = async (): Promise<boolean> => {
    if (status() === 'saving') return false;
    const isNew = of.operation.startsWith('POST'), problems = check();
    if (problems.length) return refuse(problems);
    const names = isNew ? shownFields().map(({ name }) => name).filter((name) => !isEmpty(sent(name))) : changed();
    if (!isNew && !names.length) { tell(say('nothing_changed')); return true; }
    const values = Object.fromEntries(names.map((name) => [name, sent(name)])), body = { ...of.more, ...of.wrap?.(values) ?? values };
    const former = Object.fromEntries(names.map((name) => [name, copy(state.first)[name] ?? (limits(name).nullable ? null : '')]));
    setStatus('saving');
    try {
      const reply = await call(of.operation.split(' ')[0]!, of.path, { body, headers: isNew ? { 'Idempotency-Key': attempt } : etag ? { 'If-Match': etag } : {} });
      const one = rowsOf(reply)[0];
      keepValues(of.key, undefined);
      keepReply(reply);
      setState({ first: copy(state.values), problems: [] });
      if (of.read) await read();
      setStatus('ready');
      const secret = names.some((name) => limits(name).format === 'password');
      tell(say('saved'), isNew || secret ? undefined : undoOf(former, etag));
      if (one) of.saved?.(one, reply);
      of.done?.();
      return true;
    } catch (error) {
      return failed(error);
    }
  };

  const discard = () => {
    keepValues(of.key, undefined);
    begin(state.first, state.first);
    void read();
  };
  /** Takes the value of the other person in place of the own one. */
  const take = ({ field, theirs }: Problem) => set(field, theirs);

  void read();
  return { of, state, status, row, refusals, limits, shownFields, isBegun, isChanged, set, save, discard, take, read };
};
export type FormState = ReturnType<typeof createForm>;

export const textOf = (value: unknown) => isEmpty(value) ? say('empty_value') : typeof value === 'boolean' ? say(value ? 'yes' : 'no') : Array.isArray(value) ? value.join(', ') : String(value);

/** Deletes a row; the caller has asked before. Returns what the server has against it. */
export const remove = async (path: string): Promise<string | undefined> => {
  try {
    await call('DELETE', path);
  } catch (error) {
    if (!(error instanceof Refused && error.reply.status === 404)) return error instanceof Unreachable ? say('no_answer') : (error as Error).message;
  }
  tell(say('deleted'));
  return undefined;
};

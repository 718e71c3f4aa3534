// A form of declared fields for one operation of the API: their limits, what is sent, and the undo. What is typed is an edit (edit.ts).
import { createSignal } from 'solid-js';
import { unwrap } from 'solid-js/store';
import { call, Refused, rowsOf, Unreachable, type Reply, type Row } from '../../kit/api';
import { keepReply } from '../../kit/store';
import { tell } from '../../kit/strip';
import { createEdit, same, type Problem, type Sent, type Values, type Version } from './edit';
import type { Field } from './fields';
import { operations } from './operations';
import type { Operation } from './rights';
import { say } from './words';

export interface Limits {
  type: string; required?: boolean; nullable?: boolean; format?: string; options?: readonly string[];
  minLength?: number; maxLength?: number; minimum?: number; maximum?: number;
}
/** `theirs` is the value of another person, which the user may take. */
export interface FieldProblem extends Problem { theirs?: unknown }

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

const isEmpty = (value: unknown) => value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0);

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
  const [row, setRow] = createSignal<Row>(), names = of.fields.map(({ name }) => name), isNew = of.operation.startsWith('POST');
  const nameOf = (field: Field) => say(field.label);
  const shownFields = () => of.fields.filter((field) => (field.on?.(row()) ?? true) && (field.when?.(edit.state.values) ?? true));

  const read = of.read && (async (): Promise<Version> => {
    const reply = await of.read!(), one = rowsOf(reply)[0]!;
    keepReply(reply);
    setRow(one);
    return { values: Object.fromEntries(of.fields.map((field) => [field.name, valueIn(one, field)])), etag: reply.etag };
  });
  const written = (name: string, value: unknown) => of.fields.find((field) => field.name === name)?.to?.(value, row()) ?? value;
  const sentOf = (name: string, all: Values) => {
    const value = written(name, all[name]);
    return isEmpty(value) && !Array.isArray(value) ? limits(name).nullable ? null : '' : value;
  };
  const undoOf = (former: Values, version: string | null) => async () => {
    const values = Object.fromEntries(Object.entries(former).map(([name, value]) => [name, written(name, value)]));
    const reply = await call('PUT', of.path, { body: of.wrap?.(values) ?? values, headers: version ? { 'If-Match': version } : {} });
    keepReply(reply);
    await edit.read();
    of.saved?.(rowsOf(reply)[0]!, reply);
  };
  const send = async (changed: Values, all: Values, etag: string | null, attempt: string): Promise<Sent> => {
    const sent = isNew ? shownFields().map(({ name }) => name).filter((name) => !isEmpty(sentOf(name, all))) : Object.keys(changed);
    const values = Object.fromEntries(sent.map((name) => [name, sentOf(name, all)])), body = { ...of.more, ...of.wrap?.(values) ?? values };
    const former = Object.fromEntries(sent.map((name) => [name, structuredClone(unwrap(edit.state.first)[name]) ?? (limits(name).nullable ? null : '')]));
    const reply = await call(of.operation.split(' ')[0]!, of.path, { body, headers: isNew ? { 'Idempotency-Key': attempt } : etag ? { 'If-Match': etag } : {} });
    const one = rowsOf(reply)[0];
    keepReply(reply);
    const version = await read?.(), secret = sent.some((name) => limits(name).format === 'password');
    return {
      version, made: isNew && one && of.key.endsWith('/new') ? of.key.replace(/new$/, String(one.id)) : undefined,
      done: () => {
        tell(say('saved'), isNew || secret ? undefined : undoOf(former, version?.etag ?? null));
        if (one) of.saved?.(one, reply);
        of.done?.();
      },
    };
  };

  const edit = createEdit({
    key: of.key, names, read, send, gone: () => say('met_gone'),
    initial: Object.fromEntries(names.map((name) => [name, of.initial?.[name] ?? (limits(name).type === 'boolean' ? false : null)])),
    fieldOf: (parameter) => {
      const name = parameter.split(/[[.]/)[0]!; // predicate_collections[0].propositions[1].value
      return names.includes(name) ? name : names.find((one) => parameter.endsWith(`.${one}`)) ?? '';
    },
  });
  const problems = (): FieldProblem[] => {
    const met = edit.state.met.map(({ name, theirs }) => {
      const field = of.fields.find((one) => one.name === name)!;
      return { field: name, theirs, text: say('met_field', { field: nameOf(field), theirs: field.shown?.(theirs) ?? textOf(theirs) }) };
    });
    return [...(edit.state.told ? [{ field: '', text: say('met') }] : []), ...met, ...edit.state.problems];
  };

  /** The limits of the description of the API, in the words of the console. */
  const check = (): Problem[] => shownFields().flatMap((field) => {
    const { name } = field, value = sentOf(name, unwrap(edit.state.values)), { required, minLength = 0, maxLength = Infinity, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, type } = limits(name);
    const wrong = (text: string) => [{ field: name, text }];
    if (isEmpty(value)) return required || field.required || (minLength && !same(edit.state.values[name], edit.state.first[name])) ? wrong(say('is_missing', { field: nameOf(field) })) : [];
    const length = typeof value === 'string' ? [...value].length : minLength;
    if (length > maxLength) return wrong(say('too_long', { field: nameOf(field), n: length, most: maxLength }));
    if (length < minLength) return wrong(say('too_short', { field: nameOf(field), least: minLength }));
    if (type === 'integer' && typeof value === 'string' && !(Number.isInteger(Number(value)) && Number(value) >= minimum && Number(value) <= maximum))
      return wrong(say('bad_number', { field: nameOf(field), least: minimum, most: maximum }));
    return [];
  });
  /** True if the server has the values. */
  const save = async (): Promise<boolean> => {
    if (edit.status() === 'saving') return false;
    const wrong = check();
    if (wrong.length) return edit.refuse(wrong);
    if (isNew || edit.isChanged()) return edit.save();
    tell(say('nothing_changed'));
    return true;
  };
  return { ...edit, of, row, limits, shownFields, problems, save };
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

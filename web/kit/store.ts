// Rows of the desk by type and id. Lists hold ids, so each row exists once and each place that shows it changes together.
//
// An event of realtime has no texts: it makes a row stale. Stale rows that are on the screen are read again together, at most once in
// a quarter of a second. Other stale rows are forgotten, and read when they are shown.
import { createStore, reconcile } from 'solid-js/store';
import { onCleanup } from 'solid-js';
import { get, rowsOf, type Kind, type Ref, type Reply, type Row, type Schemas } from './api';

type Rows = Record<string, Record<number, Row | undefined> | undefined>;
const [rows, setRows] = createStore<Rows>({});

/** The members of T that a place reads: also the `fields` that it asks for. A reply always has id and resource_type. */
export type Shown<T extends Kind, F extends readonly (keyof Schemas[T])[]> = { id: number } & { [M in F[number]]: NonNullable<Schemas[T][M]> | null };

// A person in brief and a person are the same row with fewer members.
const typeOf = (type: string) => type === 'user_minimal' ? 'user' : type;

const keep = (row: Row, isFormer = false) => {
  const type = typeOf(row.resource_type);
  if (!rows[type]) setRows(type, {});
  const known = rows[type]?.[row.id];
  setRows(type, row.id, reconcile(isFormer ? { ...row, ...known } : { ...known, ...row }, { merge: true }));
};

/** Keeps all rows of a reply; a former reply adds what is not known. Returns the ids of its data, in order. */
export const keepReply = (reply: Reply): number[] => {
  for (const included of Object.values(reply.resources ?? {})) for (const row of Object.values(included)) keep(row, reply.isFormer);
  const data = rowsOf(reply);
  for (const row of data) if (row.resource_type) keep(row, reply.isFormer); // a result of a search has none: its row is included
  return data.map(({ id }) => id);
};

export const rowOf = <T extends Kind>(type: T, ref: Ref | number | null | undefined): Schemas[T] | undefined => {
  const id = typeof ref === 'number' ? ref : ref?.id;
  return id === undefined ? undefined : rows[typeOf(type)]?.[id] as Schemas[T] | undefined;
};

/** Changes members before the server has answered. Returns a function that sets the former values again. */
export const change = (type: Kind, id: number, members: Record<string, unknown>) => {
  const former = Object.fromEntries(Object.keys(members).map((name) => [name, rows[type]?.[id]?.[name]]));
  setRows(type, id, members);
  return () => setRows(type, id, former);
};

/** Rows that no place shows any more. */
export const forget = (type: Kind, ids: Iterable<number>) => { if (rows[type]) setRows(type, Object.fromEntries([...ids].map((id) => [id, undefined]))); };
export const forgetAll = () => setRows(reconcile({}));

// ---- stale rows --------------------------------------------------------------------------------

const REREAD_MS = 250, IDS_MOST = 100;

/** How a list of rows is read. `missing` gets the ids that the list does not have any more, and those that it has. */
export interface Source { path: string; query: Record<string, string>; missing?: (gone: number[], came: number[]) => void }
const shown = new Map<string, { type: Kind; id: number; source: Source; places: number }>();
const stale = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says that a place shows the row as long as its owner lives, and how a list of such rows is read. */
export const show = (type: Kind, id: number, source: Source) => {
  const key = `${type} ${id} ${source.path}`, at = shown.get(key) ?? { type, id, source, places: 0 };
  at.places++;
  shown.set(key, at);
  onCleanup(() => { if (--at.places === 0) shown.delete(key); });
};

const reread = async () => {
  timer = undefined;
  const groups = new Map<Source, number[]>();
  for (const at of shown.values()) {
    if (!stale.has(`${at.type} ${at.id}`)) continue;
    const ids = groups.get(at.source) ?? [];
    groups.set(at.source, [...ids, at.id]);
  }
  stale.clear();
  for (const [source, ids] of groups)
    for (let i = 0; i < ids.length; i += IDS_MOST) {
      const asked = ids.slice(i, i + IDS_MOST);
      try {
        const came = keepReply(await get(source.path, { ...source.query, ids: asked.join(','), limit: IDS_MOST }));
        source.missing?.(asked.filter((id) => !came.includes(id)), came);
      } catch {
        for (const at of shown.values()) if (at.source === source && asked.includes(at.id)) stale.add(`${at.type} ${at.id}`);
      }
    }
};
const later = () => { timer ??= setTimeout(() => void reread(), REREAD_MS); };

/** Reads again what could not be read. */
export const retryStale = () => { if (stale.size) later(); };

export const markStale = (type: string, id: number) => {
  stale.add(`${typeOf(type)} ${id}`);
  later();
};

/** After a time without realtime, nothing is known of the rows on the screen. */
export const markAllStale = () => { for (const { type, id } of shown.values()) markStale(type, id); };

// Rows of the desk by type and id. Lists hold ids, so each row exists once and each place that shows it changes together.
//
// An event of realtime has no texts: it makes a row stale. Stale rows that are on the screen are read again together, at most once in
// a quarter of a second. Other stale rows are forgotten, and read when they are shown.
import { batch, onCleanup } from 'solid-js';
import { createStore, reconcile, type SetStoreFunction } from 'solid-js/store';
import { get, rowsOf, type Kind, type Ref, type Reply, type Row, type Schemas } from './api';

/** Each row is a store of its own: a store keeps a node for each member that was ever read, also of a member that is gone, so one store of
 *  all rows would grow with each row that is read and forgotten. */
interface Place { at: { row?: Row }; set: SetStoreFunction<{ row?: Row }> }
const places = new Map<string, Map<number, Place>>();

/** The members of T that a place reads: also the `fields` that it asks for. A reply always has id and resource_type. */
export type Shown<T extends Kind, F extends readonly (keyof Schemas[T])[]> = { id: number } & { [M in F[number]]: NonNullable<Schemas[T][M]> | null };

// A person in brief and a person are the same row with fewer members.
const typeOf = (type: string) => type === 'user_minimal' ? 'user' : type;

/** The place of a row. It is made by the first reader too, who waits there for the row. */
const placeOf = (type: string, id: number): Place => {
  const of = places.get(typeOf(type)) ?? new Map<number, Place>();
  places.set(typeOf(type), of);
  let place = of.get(id);
  if (!place) {
    const [at, set] = createStore<{ row?: Row }>({});
    of.set(id, place = { at, set });
  }
  return place;
};

const keep = (row: Row, isFormer = false) => {
  const { at, set } = placeOf(row.resource_type, row.id);
  set('row', reconcile(isFormer ? { ...row, ...at.row } : { ...at.row, ...row }, { merge: true }));
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
  return id === undefined ? undefined : placeOf(type, id).at.row as Schemas[T] | undefined;
};

/** Changes members before the server has answered. Returns a function that sets the former values again. */
export const change = (type: Kind, id: number, members: Record<string, unknown>) => {
  const { at, set } = placeOf(type, id), former = Object.fromEntries(Object.keys(members).map((name) => [name, at.row?.[name]]));
  set('row', members);
  return () => set('row', former);
};

/** Rows that no place shows any more. A place that still reads one waits at a new place. */
export const forget = (type: Kind, ids: Iterable<number>) => batch(() => {
  for (const id of ids) {
    const place = places.get(typeOf(type))?.get(id);
    places.get(typeOf(type))?.delete(id);
    place?.set('row', undefined);
  }
});
export const forgetAll = () => batch(() => {
  const all = [...places.values()].flatMap((of) => [...of.values()]);
  places.clear();
  for (const { set } of all) set('row', undefined);
});

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

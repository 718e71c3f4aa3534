// A list of any length: ids by position, read when they come near the screen.
//
// Where the list is read in order, a page begins at the cursor of its neighbour, so nothing is left out or shown twice while the list changes. A
// jump reads by the position, and the end is read from the end. Cursors belong to positions: `behind` has the cursor behind which the row of
// a position follows, `before` the one before which the row ends.
//
// The list does not move under the pointer. A change of another person changes its row in place. A conversation that comes new is
// counted, and shown when one asks for it. A conversation that leaves the list stays, greyed, until one moves on.
import { createMemo, createSignal } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import { get, rowsOf, type Options, type Reply } from '../../kit/api';
import { keepReply, type Source as RowSource } from '../../kit/store';
import { ROW_SOURCE } from './row';

const PAGE = 50, AHEAD = 25;

/** cursors: the list takes `after` and `before`. ids: it takes `ids`, so a row that has changed can be looked for in it. */
export interface Source { path: string; query: NonNullable<Options['query']>; cursors?: boolean; ids?: boolean }
interface Read { from: number; to: number; stop: AbortController }

const cursorOf = (url: string | undefined, name: 'after' | 'before') => url ? new URL(url, location.href).searchParams.get(name) : null;

export const createPaging = (source: () => Source) => {
  const [ids, setIds] = createStore<Record<number, number>>({}); // by position
  const [total, setTotal] = createSignal<number>();
  const [fresh, setFresh] = createSignal<number[]>([]); // of the first page, and not shown yet
  const [left, setLeft] = createSignal<ReadonlySet<number>>(new Set()); // not in the list any more
  const [failed, setFailed] = createSignal(false);
  let behind = new Map<number, string>(), before = new Map<number, string>();
  let reads: Read[] = [], turn = 0, wanted: [number, number] = [0, 1];

  /** How the rows of a gap are read. A position at which nothing is known is read by its offset, with rows around it. */
  const way = (first: number, last: number): { query: Options['query']; from: number; to: number } => {
    const after = first === 0 ? '' : behind.get(first), upTo = before.get(last), count = total();
    if (source().cursors && after !== undefined) return { query: { after, limit: PAGE }, from: first, to: first + PAGE };
    if (source().cursors && upTo !== undefined) return { query: { before: upTo, limit: Math.min(PAGE, last) }, from: Math.max(0, last - PAGE), to: last };
    if (source().cursors && count !== undefined && last >= count && count - first <= PAGE) return { query: { before: '', limit: PAGE }, from: Math.max(0, count - PAGE), to: count };
    const from = Math.max(0, Math.floor((first + last - PAGE) / 2));
    return { query: { offset: from, limit: PAGE }, from, to: from + PAGE };
  };

  const take = (reply: Reply, from: number) => {
    const found = keepReply(reply), next = cursorOf(reply.next_url, 'after'), former = cursorOf(reply.previous_url, 'before');
    const count = reply.total_count ?? 0;
    // Rows that moved to the top since the first page was read do not follow the last page any more.
    setTotal(reply.next_url ? count : Math.min(count, from + found.length));
    setIds(Object.fromEntries(found.map((id, i) => [from + i, id])));
    if (next) behind.set(from + found.length, next);
    if (former) before.set(from, former);
    setFailed(false);
    return found;
  };

  const load = async (first: number, last: number) => {
    const { query, from, to } = way(first, last), { path, query: fixed } = source(), mine = turn, read: Read = { from, to, stop: new AbortController() };
    reads.push(read);
    try {
      const reply = await get(path, { ...fixed, ...query }, read.stop.signal);
      reads = reads.filter((one) => one !== read);
      if (mine === turn && !read.stop.signal.aborted && take(reply, query?.['before'] === undefined ? from : to - rowsOf(reply).length).length) need(...wanted);
    } catch {
      reads = reads.filter((one) => one !== read);
      if (mine === turn && !read.stop.signal.aborted) setFailed(true);
    }
  };

  /** Reads what is missing of these positions and a little ahead, and stops reading others. */
  const need = (first: number, last: number) => {
    wanted = [first, last];
    const start = Math.max(0, first - AHEAD), end = Math.min(total() ?? 1, last + AHEAD);
    for (const read of reads) if (read.to <= start || read.from >= end) read.stop.abort();
    const missing = (p: number) => ids[p] === undefined && !reads.some((read) => !read.stop.signal.aborted && p >= read.from && p < read.to);
    for (let p = start; p < end; p++) {
      if (!missing(p)) continue;
      let until = p + 1;
      while (until < end && missing(until)) until++;
      // Next to a page that is on its way the cursor is not known yet: the page asks again when it has come.
      const waits = source().cursors && (reads.some((read) => read.to === p || read.from === until));
      if (!waits) void load(p, until);
      p = until;
    }
  };

  const clear = () => {
    turn++;
    reads.forEach(({ stop }) => stop.abort());
    reads = [];
    behind = new Map();
    before = new Map();
    setFresh([]);
    setLeft(new Set<number>());
  };
  const reset = () => {
    clear();
    setIds(reconcile({}));
    setTotal(undefined);
    setFailed(false);
  };

  const readFirst = () => { const { path, query, cursors } = source(); return get(path, { ...query, limit: PAGE, ...(cursors ? { after: '' } : { offset: 0 }) }); };
  /** Reads the list from its start. What is shown stays until the first page is there. */
  const renew = async () => {
    clear();
    const mine = turn, reply = await readFirst().catch(() => undefined);
    if (mine !== turn) return;
    if (!reply) { setFailed(true); return; }
    setIds(reconcile({}));
    take(reply, 0);
  };
  /** Counts what came new at the top. */
  const look = async () => {
    const mine = turn, reply = await readFirst().catch(() => undefined);
    if (!reply || mine !== turn) return;
    const here = new Set(Object.values(ids));
    setFresh(keepReply(reply).filter((id) => !here.has(id)));
  };

  const position = (id: number) => {
    const found = Object.entries(ids).find(([, other]) => other === id);
    return found ? Number(found[0]) : -1;
  };

  /** How rows that have changed are read again: in the list, so that it is known which ones have left it. */
  const rows = createMemo((): RowSource => !source().ids ? ROW_SOURCE : {
    path: source().path, query: source().query as Record<string, string>,
    missing: (gone, came) => {
      setLeft((former) => new Set([...former, ...gone].filter((id) => !came.includes(id))));
      if (gone.length) void get(ROW_SOURCE.path, { ...ROW_SOURCE.query, ids: gone.join(','), limit: gone.length }).then(keepReply, () => undefined);
    },
  });

  /** Removes rows that have left the list, except one. The rows below move up. */
  const settle = (except: number | undefined) => {
    const gone = [...left()].filter((id) => id !== except).map(position).filter((p) => p >= 0).sort((a, b) => a - b);
    if (!gone.length) return;
    reads.forEach(({ stop }) => stop.abort());
    const moved = (p: number) => p - gone.filter((g) => g < p).length;
    const kept = Object.entries(ids).map(([p, id]) => [Number(p), id] as const).filter(([p]) => !gone.includes(p));
    behind = new Map([...behind].map(([p, cursor]) => [moved(p), cursor]));
    before = new Map([...before].map(([p, cursor]) => [moved(p), cursor]));
    setIds(reconcile(Object.fromEntries(kept.map(([p, id]) => [moved(p), id]))));
    setLeft((former) => new Set([...former].filter((id) => id === except)));
    setTotal((n) => n === undefined ? n : n - gone.length);
    need(...wanted);
  };

  return { ids, total, fresh, left, failed, need, reset, renew, look, position, rows, settle };
};
export type Paging = ReturnType<typeof createPaging>;

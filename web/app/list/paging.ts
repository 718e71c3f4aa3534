// A list of any length: pages of ids by their offset, read when they come near the screen.
//
// The list does not move under the pointer. A change of another person changes its row in place. A conversation that comes new is
// counted, and shown when one asks for it. A conversation that leaves the list stays until then.
import { createSignal } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import { get, type Options } from '../../kit/api';
import { keepReply } from '../../kit/store';

export const PAGE = 50;

export interface Source { path: string; query: NonNullable<Options['query']> }

export const createPaging = (source: () => Source) => {
  const [ids, setIds] = createStore<Record<number, number>>({}); // by position
  const [total, setTotal] = createSignal<number>();
  const [fresh, setFresh] = createSignal<number[]>([]); // of the first page, and not shown yet
  const [failed, setFailed] = createSignal(false);
  const pages = new Map<number, AbortController | 'read'>();
  let turn = 0;

  const read = async (page: number, signal?: AbortSignal) => {
    const { path, query } = source();
    return get(path, { ...query, limit: PAGE, offset: page * PAGE }, signal);
  };

  const load = async (page: number) => {
    if (pages.has(page)) return;
    const stop = new AbortController(), mine = turn;
    pages.set(page, stop);
    try {
      const reply = await read(page, stop.signal);
      if (mine !== turn) return;
      pages.set(page, 'read');
      setTotal(reply.total_count ?? 0);
      keepReply(reply).forEach((id, i) => setIds(page * PAGE + i, id));
      setFailed(false);
    } catch (error) {
      if (mine !== turn) return;
      pages.delete(page);
      if (!stop.signal.aborted) setFailed(true);
    }
  };

  /** Reads the pages of these positions, and stops reading others. */
  const need = (first: number, last: number) => {
    const from = Math.max(0, Math.floor(first / PAGE)), to = Math.max(from, Math.floor(last / PAGE));
    for (const [page, state] of pages)
      if (state !== 'read' && (page < from || page > to)) state.abort(), pages.delete(page);
    for (let page = from; page <= to; page++) void load(page);
  };

  const reset = () => {
    turn++;
    pages.forEach((state) => { if (state !== 'read') state.abort(); });
    pages.clear();
    setIds(reconcile({}));
    setFresh([]);
    setTotal(undefined);
    setFailed(false);
  };

  /** Counts what came new at the top. */
  const look = async () => {
    const mine = turn, reply = await read(0).catch(() => undefined);
    if (!reply || mine !== turn) return;
    const here = new Set(Object.values(ids));
    setFresh(keepReply(reply).filter((id) => !here.has(id)));
  };

  const position = (id: number) => {
    const found = Object.entries(ids).find(([, other]) => other === id);
    return found ? Number(found[0]) : -1;
  };

  return { ids, total, fresh, failed, need, reset, look, position };
};
export type Paging = ReturnType<typeof createPaging>;

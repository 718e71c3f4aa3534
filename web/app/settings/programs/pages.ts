// A list that is read page by page. The rows are in the store, so an opened row stays open when the list is read again.
import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import { get, rowsOf, type Kind } from '../../../kit/api';
import { keepReply } from '../../../kit/store';

const PAGE = 30, POLL_MS = 2000;

/** `query` says what is asked for: when it changes, the list is read from its beginning. `type` is that of rows that do not name it. */
export const createPages = (path: () => string, query: () => Record<string, string | number | boolean | undefined>, type?: Kind) => {
  const [ids, setIds] = createSignal<number[]>(), [total, setTotal] = createSignal(0), [wrong, setWrong] = createSignal('');
  let turn = 0;
  onCleanup(() => { turn++; });
  const read = async (more = false, least = PAGE) => {
    const mine = ++turn, known = more ? ids() ?? [] : [], last = known.at(-1);
    try {
      const reply = await get(path(), { ...query(), _flat: true, limit: least, ...(last ? { after_id: last } : {}) });
      if (mine !== turn) return;
      if (type) for (const row of rowsOf(reply)) row.resource_type = type;
      const found = keepReply(reply);
      setIds([...known, ...found]);
      setTotal(reply.total_count ?? known.length + found.length);
      setWrong('');
    } catch (error) {
      if (mine === turn) setWrong((error as Error).message);
    }
  };
  createEffect(on(() => [path(), JSON.stringify(query())], () => void read()));
  const again = () => read(false, Math.max(PAGE, ids()?.length ?? 0));
  /** Reads the list again as long as `goesOn` holds of one of its rows, and the page is seen. Call it in the owner. */
  const follow = (goesOn: (id: number) => boolean) => {
    const timer = setInterval(() => { if (!document.hidden && ids()?.some(goesOn)) void again(); }, POLL_MS);
    onCleanup(() => clearInterval(timer));
  };
  return { ids, total, wrong, more: () => read(true), again, follow, hasMore: () => (ids()?.length ?? 0) < total() };
};

// The row that the address of a person or an organization names, and its conversations.
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { get, Refused, type Schemas } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { place } from '../../kit/route';
import { keepReply, rowOf } from '../../kit/store';
import { say, type Word } from '../../kit/words';
import { createPaging } from '../list/paging';
import { ROW_QUERY } from '../list/row';
import { rank } from '../session/rank';

/** A row that was just made: its card opens with the form, if it has custom fields to fill. */
let made: number | undefined;
export const madeRow = (id: number | undefined) => { made = id; };

interface Card<T extends 'user' | 'organization'> {
  type: T;
  /** Path of the rows: "/users". */
  path: string;
  query: Record<string, string | boolean>;
  /** Says that there is no such row. */
  gone: Word;
  title: (row: Schemas[T]) => string | null | undefined;
}

/** Reads the row, sets the title of the page, and pages through the conversations of the row. */
export const createCard = <T extends 'user' | 'organization'>({ type, path, query, gone, title }: Card<T>) => {
  const id = createMemo(() => place().ids[0] ?? 0);
  const [state, setState] = createSignal<'reading' | 'shown' | 'gone' | 'failed'>('reading');
  createEffect(on(id, (asked) => {
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    setState('reading');
    get(`${path}/${asked}`, query, stop.signal).then((reply) => { keepReply(reply); setState('shown'); }, (error) => {
      if (!stop.signal.aborted) setState(error instanceof Refused ? 'gone' : 'failed');
    });
  }));
  const row = () => state() === 'shown' ? rowOf(type, id()) : undefined;
  createEffect(() => { const shown = row(), name = shown && title(shown); if (name) document.title = `${name} · deskd`; });

  const source = createMemo(() => ({ path: `${path}/${id()}/cases`, query: ROW_QUERY }));
  const paging = createPaging(source);
  createEffect(on(source, () => { paging.reset(); paging.need(0, 1); }));
  const [editing, setEditing] = createSignal(false);
  createEffect(on(id, (asked) => { setEditing(asked === made); made = undefined; }));
  /** The server decides; people below an agent may change no card. */
  const mayEdit = () => row() !== undefined && ['AGENT', 'ADMIN', 'OWNER'].includes(rank());
  useKeys([{ key: 'Escape', word: 'key_list', run: () => history.back() }, { key: 'e', word: 'edit', run: () => { if (mayEdit()) setEditing(true); } }]);

  /** Why the row is not shown; undefined: it is, or it is being read. */
  const problem = () => state() === 'gone' ? say(gone) : state() === 'failed' ? say('unreachable') : undefined;
  return { id, row, paging, problem, mayEdit, editing, setEditing };
};

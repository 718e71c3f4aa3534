// The first run is offered to the owner of an empty desk, until the owner has left it or has done everything.
import { createSignal } from 'solid-js';
import { get, type Ref } from '../../kit/api';
import { go, place } from '../../kit/route';
import { rowOf } from '../../kit/store';
import { me } from '../session/session';

const KEY = 'start';
const kept = () => { try { return localStorage.getItem(KEY) ?? ''; } catch { return ''; } };
const [state, setState] = createSignal(kept());

export const keepStart = (to: 'left' | 'done') => {
  setState(to);
  try { localStorage.setItem(KEY, to); } catch { /* storage is full or forbidden */ }
};

const isOwner = () => rowOf('role', me()?.role as Ref | null)?.type === 'OWNER';
/** True as long as a link leads the owner to the first run. */
export const startIsOpen = () => isOwner() && state() !== 'done';

/** Leads the owner of a desk without conversations to the first run, unless an address was asked for. */
export const offerStart = async () => {
  if (!isOwner() || state() || place().screen) return;
  const { total_count: count } = await get('/cases', { limit: 1, fields: 'subject' });
  if (count === 0 && ['', 'views'].includes(place().screen)) go('/start', { replace: true });
};

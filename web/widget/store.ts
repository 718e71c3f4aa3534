// The memory of the widget, in the storage of the site: what the visitor has written and has not sent, and the fingerprint that the desk knows
// the visitor by. Nothing is kept before the visitor writes. A browser without storage keeps it as long as the page.
//
// A signed visitor has a place of their own, so that the next person at this computer sees none of it.

/** A file that the desk has, and that a message takes along. */
export interface Sent { id: number; name: string; size: number }
/** A message that the desk has not confirmed. `to`: a conversation, or the id of the message that begins it. */
export interface Waiting {
  id: string; to: number | string; text: string; files: Sent[]; at: string;
  name?: string; email?: string; article?: number; page?: string;
  /** The desk refused it, in these words. */
  refused?: string;
  tried?: boolean;
}
export interface Kept {
  print?: string; name?: string; email?: string;
  waiting: Waiting[];
  drafts: Record<string, string>;
  /** A signed visitor: the end of what the desk has been told, in ms. */
  until?: number;
}

let place = '', memory: Record<string, string> = {}, heard = () => {};

const raw = (key: string): string | null => {
  let text: string | null = null;
  try { text = localStorage.getItem(key); } catch { /* blocked */ }
  return memory[key] ?? text;
};
const put = (key: string, text: string | null) => {
  delete memory[key];
  try {
    if (text === null) localStorage.removeItem(key); else localStorage.setItem(key, text);
  } catch {
    if (text !== null) memory[key] = text; // blocked, or full
  }
};
const parsed = (key: string): Kept => {
  try { return { waiting: [], drafts: {}, ...JSON.parse(raw(key) ?? '{}') }; } catch { return { waiting: [], drafts: {} }; }
};

export const useStore = (base: string, changed: () => void) => {
  place = `deskd ${base}`;
  heard = changed;
  addEventListener('storage', ({ key }) => { if (key?.startsWith(place)) changed(); }); // another tab
};
export const kept = () => parsed(place);
/** Changes what is kept, and tells this tab. Other tabs are told by the browser. */
export const keep = (change: (kept: Kept) => void, silent = false) => {
  const now = kept();
  change(now);
  put(place, JSON.stringify(now));
  if (!silent) heard();
};
/** The place of a signed visitor, or of all others. Returns the fingerprint of another signed visitor who was here before. */
export const usePlace = (base: string, user: string): string | undefined => {
  const signed = `deskd ${base} user`, before = parsed(signed);
  let left: string | undefined;
  if (raw(signed) && before.email !== user) {
    left = before.print;
    put(signed, null);
  }
  place = user ? signed : `deskd ${base}`;
  if (user) keep((k) => { k.email = user; }, true);
  return left;
};

export const uuid = (): string => {
  if (crypto.randomUUID) return crypto.randomUUID(); // only where the page came by HTTPS
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6]! & 15) | 64;
  b[8] = (b[8]! & 63) | 128;
  return [...b].map((n, i) => `${[4, 6, 8, 10].includes(i) ? '-' : ''}${n.toString(16).padStart(2, '0')}`).join('');
};
/** The fingerprint, which is made when it is first needed. */
export const print = (): string => {
  let id = kept().print;
  if (!id) keep((k) => { id = k.print ??= uuid(); }, true);
  return id!;
};

// What a person writes is kept in this browser at each pause of 0.3 seconds, so that it survives a reload, an ended session and a crash.
import { createEffect, createSignal, on, onCleanup } from 'solid-js';

export type Channel = 'reply' | 'note';
const PAUSE_MS = 300;

interface Kept { text: string; key: string }

const read = (name: string): Kept | undefined => {
  try { return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined; } catch { return undefined; }
};
const write = (name: string, kept: Kept | undefined) => {
  try { if (kept) localStorage.setItem(name, JSON.stringify(kept)); else localStorage.removeItem(name); } catch { /* full or forbidden: the text stays in the page */ }
};

/** The draft of a conversation and channel. `key` is the Idempotency-Key of its text: the same until it is sent. */
export const createDraft = (caseId: number, channel: Channel) => {
  const name = `draft ${caseId} ${channel}`, kept = read(name);
  const [text, setText] = createSignal(kept?.text ?? '');
  let key = kept?.key ?? crypto.randomUUID(), timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => { timer = undefined; write(name, text().trim() ? { text: text(), key } : undefined); };
  createEffect(on(text, () => { clearTimeout(timer); timer = setTimeout(save, PAUSE_MS); }, { defer: true }));
  onCleanup(() => { if (timer) clearTimeout(timer), save(); });
  const clear = () => { key = crypto.randomUUID(); setText(''); clearTimeout(timer); write(name, undefined); };
  /** For a text whose request was refused: the next request is another one. */
  const renew = () => { key = crypto.randomUUID(); save(); };
  return { text, setText, clear, renew, key: () => key };
};

// What a person writes. The browser keeps it at each pause of 0.3 seconds, so that it survives a reload, an ended session and a crash; the
// server at each pause of two seconds, so that it survives a change of the machine. A draft of another tab or machine is offered, and never
// overwritten unseen: a PUT names the version that it replaces.
import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import { call, get, Refused, rowsOf, type Reply } from '../../kit/api';

export type Channel = 'reply' | 'note';
const PAUSE_MS = 300, SERVER_PAUSE_MS = 2000;

interface Kept { text: string; key: string; etag?: string | undefined }

const read = (name: string): Kept | undefined => {
  try { return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined; } catch { return undefined; }
};
const write = (name: string, kept: Kept | undefined) => {
  try { if (kept) localStorage.setItem(name, JSON.stringify(kept)); else localStorage.removeItem(name); } catch { /* full or forbidden: the text stays in the page and on the server */ }
};

const contentsOf = (reply: Reply) => String((reply.data as { contents?: unknown } | undefined)?.contents ?? '');

/** The draft of a conversation and channel. `key` is the Idempotency-Key of its text: the same until it is sent. */
export const createDraft = (caseId: number, channel: Channel, basePost: () => number | undefined) => {
  const name = `draft ${caseId} ${channel}`, path = `/cases/${caseId}/draft`, query = { channel: channel.toUpperCase() };
  const kept = read(name);
  const [text, setText] = createSignal(kept?.text ?? '');
  const [offered, setOffered] = createSignal<string>(); // the text of another place
  let key = kept?.key ?? crypto.randomUUID(), etag = kept?.etag, ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined, serverTimer: ReturnType<typeof setTimeout> | undefined;
  let saving = Promise.resolve();

  const save = () => { timer = undefined; write(name, text().trim() ? { text: text(), key, etag } : undefined); };

  const readServer = async () => {
    const reply = await get(path, { ...query, fields: '+contents' }), theirs = contentsOf(reply);
    if (!text().trim() || theirs === text()) etag = reply.etag ?? undefined, setText(theirs);
    else if (reply.etag === etag) return; // the version that this text replaces
    else etag = reply.etag ?? undefined, setOffered(theirs);
  };
  const saveServer = async () => {
    if (ended || offered() !== undefined || (!text().trim() && etag === undefined)) return;
    try {
      const reply = await call('PUT', path, { query, body: { contents: text(), base_post_id: basePost() ?? null }, headers: etag ? { 'If-Match': etag } : {} });
      etag = text().trim() ? reply.etag ?? undefined : undefined;
      save();
    } catch (error) {
      if (error instanceof Refused && error.reply.status === 412) await readServer().catch(() => { etag = undefined; });
      // Otherwise the browser has the text, and the next pause tries again.
    }
  };

  createEffect(on(text, () => {
    clearTimeout(timer);
    timer = setTimeout(save, PAUSE_MS);
    clearTimeout(serverTimer);
    serverTimer = setTimeout(() => { saving = saving.then(saveServer); }, SERVER_PAUSE_MS);
  }, { defer: true }));
  onCleanup(() => {
    if (timer) clearTimeout(timer), save();
    clearTimeout(serverTimer);
    saving = saving.then(saveServer);
  });

  /** The text was sent, and the server has deleted its draft. */
  const clear = () => {
    key = crypto.randomUUID();
    etag = undefined;
    setOffered(undefined);
    setText('');
    clearTimeout(timer);
    write(name, undefined);
  };
  /** For a text whose request was refused: the next request is another one. */
  const renew = () => { key = crypto.randomUUID(); save(); };
  const choose = (theirs: boolean) => { const other = offered(); setOffered(undefined); if (theirs && other !== undefined) setText(other); else saving = saving.then(saveServer); };
  /** Waits for the PUT that is on its way, so that the draft that is sent is the one that the server has. */
  const settled = () => { clearTimeout(serverTimer); return saving; };

  return { text, setText, offered, choose, clear, renew, settled, readServer, key: () => key, etag: () => etag };
};
export type Draft = ReturnType<typeof createDraft>;

/** Finds the drafts that the server has, by one request. */
export const findDrafts = async (caseId: number, drafts: Record<Channel, Draft>) => {
  const rows = rowsOf(await get('/profile/drafts', { case_ids: caseId }));
  await Promise.all(rows.map((row) => drafts[row['channel'] === 'NOTE' ? 'note' : 'reply'].readServer()));
};

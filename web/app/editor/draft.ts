// What a person writes: the text, its files, and who gets a copy. The browser keeps it at each pause of 0.3 seconds and at least each
// second, so that it survives a reload, an ended session and a crash; the server at each pause of two seconds, so that it survives a change
// of the machine. A draft of another tab or machine is offered, and never overwritten unseen: a PUT names the version that it replaces.
import { createSignal, onCleanup } from 'solid-js';
import { call, get, Refused, rowsOf, type Reply } from '../../kit/api';
import { createFiles, type Files } from './files';
import { asText, type Written } from './html';

export type Channel = 'reply' | 'note';
const PAUSE_MS = 300, AT_LEAST_MS = 1000, SERVER_PAUSE_MS = 2000, SERVER_AT_LEAST_MS = 10_000;

export interface Content { text: Written; files: number[]; cc: string[] }
interface Kept { text: string; html?: boolean; files?: { id: number; name: string }[]; cc?: string[]; key: string; etag?: string | undefined }

const NOTHING: Written = { contents: '', html: false };

const read = (name: string): Kept | undefined => {
  try { return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined; } catch { return undefined; }
};
/** False: the storage of the browser is full or forbidden. */
const write = (name: string, kept: Kept | undefined) => {
  try {
    if (kept) localStorage.setItem(name, JSON.stringify(kept)); else localStorage.removeItem(name);
    return true;
  } catch { return false; }
};

const contentOf = (reply: Reply): Content => {
  const row = (reply.data ?? {}) as { contents?: string; parameters?: { channel_options?: { html?: boolean; cc?: string[] } } | null; attachment_file_ids?: number[] | null };
  const options = row.parameters?.channel_options;
  return { text: { contents: row.contents ?? '', html: options?.html === true }, files: row.attachment_file_ids ?? [], cc: options?.cc ?? [] };
};
const isSame = (a: Content, b: Content) => JSON.stringify(a) === JSON.stringify(b);

/**
 * A text that is kept under a name in the browser and, with a conversation, by the server. `key` is the Idempotency-Key of the text: the
 * same from its first letter until it is sent.
 */
const createText = (name: string, server?: { caseId: number; channel: Channel; basePost: () => number | undefined }) => {
  const path = `/cases/${server?.caseId}/draft`, query = { channel: server?.channel.toUpperCase() };
  const kept = read(name);
  let current: Written = kept ? { contents: kept.text, html: kept.html === true } : NOTHING; // as it was last read
  let source: (() => Written) | undefined; // of the surface that shows the text
  let key = kept?.key ?? crypto.randomUUID(), etag = kept?.etag;
  const [given, setGiven] = createSignal(current, { equals: false }); // the text that the surface shall show
  const [filled, setFilled] = createSignal(!!current.contents.trim());
  const [cc, setCc] = createSignal<string[]>(kept?.cc ?? []);
  const [offered, setOffered] = createSignal<Content>(); // of another place
  const [isLocal, setLocal] = createSignal(true), [onServer, setOnServer] = createSignal<'yes' | 'no' | 'too long'>(server ? 'yes' : 'no');

  const isShown = (id: number) => current.html && current.contents.includes(`src="cid:${id}"`);
  const files: Files = createFiles(() => changed());
  if (kept?.files) files.restore(kept.files, isShown);
  let cost = 0; // milliseconds that the last reading took: a huge text is read more seldom
  const content = (): Content => {
    const begun = performance.now();
    if (source) current = source();
    cost = performance.now() - begun;
    return { text: current, files: files.ids(isShown), cc: cc() };
  };
  const isEmpty = (c: Content) => !c.text.contents.trim() && !c.files.length;

  let timer: ReturnType<typeof setTimeout> | undefined, serverTimer: ReturnType<typeof setTimeout> | undefined;
  let since = 0, serverSince = 0, saving = Promise.resolve();
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    since = 0;
    const c = content();
    setLocal(write(name, isEmpty(c) ? undefined : { text: c.text.contents, html: c.text.html, files: files.named(c.files), cc: c.cc, key, etag }));
  };

  const take = (c: Content) => {
    current = c.text;
    setFilled(!!c.text.contents.trim());
    setCc(c.cc);
    void files.find(c.files, isShown);
    setGiven(c.text);
  };
  // Another tab of this browser: a text that was the same in both follows it.
  const follow = (event: StorageEvent) => {
    if (event.key !== name) return;
    const parsed = (text: string | null) => { try { return JSON.parse(text ?? 'null') as Kept | null; } catch { return null; } };
    const before = parsed(event.oldValue), now = parsed(event.newValue);
    if ((before?.text ?? '') !== content().text.contents) return;
    key = now?.key ?? crypto.randomUUID();
    etag = now?.etag;
    take({ text: now ? { contents: now.text, html: now.html === true } : NOTHING, files: now?.files?.map(({ id }) => id) ?? [], cc: now?.cc ?? [] });
  };
  const readServer = async () => {
    if (!server) return;
    const reply = await get(path, { ...query, fields: '+contents,+parameters' }), theirs = contentOf(reply), mine = content();
    if (isEmpty(mine)) etag = reply.etag ?? undefined, take(theirs);
    else if (isSame(theirs, mine)) etag = reply.etag ?? undefined;
    else if (reply.etag === etag) return; // the version that this text replaces
    else etag = reply.etag ?? undefined, setOffered(theirs);
  };
  const saveServer = async () => {
    clearTimeout(serverTimer);
    serverTimer = undefined;
    serverSince = 0;
    const c = content();
    if (!server || offered() || (isEmpty(c) && etag === undefined)) return;
    const html = c.text.html, parameters = html || c.cc.length ? { channel_options: { ...(html ? { html } : {}), ...(c.cc.length ? { cc: c.cc } : {}) } } : null;
    try {
      const body = { contents: c.text.contents, parameters, attachment_file_ids: c.files, base_post_id: server.basePost() ?? null };
      const reply = await call('PUT', path, { query, body, headers: etag ? { 'If-Match': etag } : {} });
      etag = isEmpty(c) ? undefined : reply.etag ?? undefined;
      setOnServer('yes');
      save();
    } catch (error) {
      // The next pause tries again.
      if (error instanceof Refused && error.reply.status === 412) await readServer().catch(() => { etag = undefined; });
      else setOnServer(error instanceof Refused && error.reply.status === 400 ? 'too long' : 'no');
    }
  };
  const saveSoon = () => { saving = saving.then(saveServer); };

  /** The text, a file or a copy has changed. */
  const changed = () => {
    const now = Date.now();
    since ||= now;
    serverSince ||= now;
    clearTimeout(timer);
    timer = setTimeout(save, Math.max(0, Math.min(PAUSE_MS, since + AT_LEAST_MS - now), cost * 10));
    clearTimeout(serverTimer);
    serverTimer = setTimeout(saveSoon, Math.max(0, Math.min(SERVER_PAUSE_MS, serverSince + (isLocal() ? SERVER_AT_LEAST_MS : SERVER_PAUSE_MS) - now)));
  };
  const leave = () => { if (timer) save(); if (serverTimer) saveSoon(); };
  const hide = () => { if (document.visibilityState === 'hidden') leave(); };
  document.addEventListener('visibilitychange', hide);
  addEventListener('pagehide', leave);
  addEventListener('storage', follow);
  onCleanup(() => {
    document.removeEventListener('visibilitychange', hide);
    removeEventListener('pagehide', leave);
    removeEventListener('storage', follow);
    content();
    source = undefined;
    leave();
  });

  return {
    given, filled, offered, files, cc, content, readServer,
    /** As the text was last read. */
    current: () => current,
    /** The surface shows this text from now on; undefined: it shows another one. */
    showIn: (reads: (() => Written) | undefined) => { content(); source = reads; },
    /** The text is in the page only: neither the browser nor the server has it. */
    isNowhere: () => !isLocal() && onServer() !== 'yes',
    isTooLong: () => onServer() === 'too long',
    typed: (empty: boolean) => { setFilled(!empty); changed(); },
    setCc: (addresses: string[]) => { setCc(addresses); changed(); },
    /** Another text, for example one that was sent and taken back. */
    put: (c: Content) => { take(c); changed(); },
    /** The text was sent, and the server has deleted its draft. */
    clear: () => {
      clearTimeout(timer);
      clearTimeout(serverTimer);
      timer = serverTimer = undefined;
      key = crypto.randomUUID();
      etag = undefined;
      setOffered(undefined);
      take({ text: NOTHING, files: [], cc: [] });
      write(name, undefined);
    },
    /** For a text whose request was refused: the next request is another one. */
    renew: () => { key = crypto.randomUUID(); save(); },
    choose: (theirs: boolean) => { const other = offered(); setOffered(undefined); if (theirs && other) take(other), save(); else saveSoon(); },
    offeredText: () => asText(offered()?.text ?? NOTHING),
    /** Waits for the PUT that is on its way, so that the draft that is sent is the one that the server has. */
    settled: () => { clearTimeout(serverTimer); serverTimer = undefined; return saving; },
    key: () => key,
    etag: () => etag,
  };
};
export type Draft = ReturnType<typeof createText>;

/** The draft of a conversation and channel. */
export const createDraft = (caseId: number, channel: Channel, basePost: () => number | undefined) =>
  createText(`draft ${caseId} ${channel}`, { caseId, channel, basePost });

/** The draft of a conversation that does not exist yet: only the browser keeps it, because the server keeps drafts of conversations. */
export const createFirstDraft = () => createText('draft new');

/** Finds the drafts that the server has, by one request. */
export const findDrafts = async (caseId: number, drafts: Record<Channel, Draft>) => {
  const rows = rowsOf(await get('/profile/drafts', { case_ids: caseId }));
  await Promise.all(rows.map((row) => drafts[row['channel'] === 'NOTE' ? 'note' : 'reply'].readServer()));
};

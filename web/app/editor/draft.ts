// What a person writes: the text, its files, who gets a copy, and the form around it. The browser keeps it at each pause of 0.3 seconds and at least each
// second, so that it survives a reload, an ended session and a crash; the server at each pause of two seconds, so that it survives a change
// of the machine. A draft of another tab or machine is offered, and never overwritten unseen: a PUT names the version that it replaces.
import { createSignal, onCleanup } from 'solid-js';
import { call, get, Refused, rowsOf } from '../../kit/api';
import { keepReply } from '../../kit/store';
import { me } from '../session/session';
import { createFiles, type Files } from './files';
import { asText, type Written } from './html';

export type Channel = 'reply' | 'note';
const PAUSE_MS = 300, AT_LEAST_MS = 1000, SERVER_PAUSE_MS = 2000, SERVER_AT_LEAST_MS = 10_000;

/** The other fields of a form: those that are filled, always in the same order. */
export type Fields = Record<string, string | number>;
export interface Content { text: Written; files: number[]; cc: string[]; fields?: Fields | undefined }
/** `saved`: the server has had this version. */
interface Kept { text: string; html?: boolean; files?: { id: number; name: string }[]; cc?: string[]; fields?: Fields | undefined; key: string; etag?: string | undefined; saved?: boolean }

/** A draft of the server, with its members for `Fields`. */
export interface DraftRow { contents?: string; requester_id?: number | null; parameters?: ({ channel_options?: { html?: boolean; cc?: string[] } } & Fields) | null; attachment_file_ids?: number[] | null; is_shared?: boolean }
/** Where the server keeps a text. */
export interface Place {
  path: string;
  query?: { channel: string };
  /** Members of the PUT besides text and files. */
  members: (fields: Fields) => { parameters?: object; [member: string]: unknown };
  fieldsOf?: (row: DraftRow) => Fields;
}

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

export const contentOf = (row: DraftRow, place?: Place): Content => {
  const options = row.parameters?.channel_options;
  return { text: { contents: row.contents ?? '', html: options?.html === true }, files: row.attachment_file_ids ?? [], cc: options?.cc ?? [], fields: place?.fieldsOf?.(row) ?? {} };
};
const isSame = (a: Content, b: Content) => JSON.stringify(a) === JSON.stringify(b);

/**
 * A text that is kept under a name in the browser, and by the server. `key` is the Idempotency-Key of the text: the same from its first
 * letter until it is sent.
 */
export const createText = (name: string, place: Place) => {
  const { path, query = {} } = place, kept = read(name);
  let current: Written = kept ? { contents: kept.text, html: kept.html === true } : NOTHING; // as it was last read
  let source: (() => Written) | undefined; // of the surface that shows the text
  let key = kept?.key ?? crypto.randomUUID(), etag = kept?.etag, isSaved = kept?.saved === true;
  const [given, setGiven] = createSignal(current, { equals: false }); // the text that the surface shall show
  const [filled, setFilled] = createSignal(!!current.contents.trim());
  const [cc, setCc] = createSignal<string[]>(kept?.cc ?? []), [fields, setFields] = createSignal<Fields>(kept?.fields ?? {});
  const [offered, setOffered] = createSignal<Content>(); // of another place
  const [isShared, setShared] = createSignal(false);
  const [isLocal, setLocal] = createSignal(true), [onServer, setOnServer] = createSignal<'yes' | 'no' | 'too long'>('yes');

  const isShown = (id: number) => current.html && current.contents.includes(`src="cid:${id}"`);
  const files: Files = createFiles(() => changed());
  if (kept?.files) files.restore(kept.files, isShown);
  let cost = 0; // milliseconds that the last reading took: a huge text is read more seldom
  const content = (): Content => {
    const begun = performance.now();
    if (source) current = source();
    cost = performance.now() - begun;
    return { text: current, files: files.ids(isShown), cc: cc(), fields: fields() };
  };
  const isEmpty = (c: Content) => !c.text.contents.trim() && !c.files.length && !Object.keys(c.fields ?? {}).length;

  let timer: ReturnType<typeof setTimeout> | undefined, serverTimer: ReturnType<typeof setTimeout> | undefined;
  let since = 0, serverSince = 0, turn: Promise<unknown> = Promise.resolve();
  /** One request at a time: the answer to a read that is older than a write would undo it. */
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => { const done = turn.then(ask); turn = done.catch(() => undefined); return done; };
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    since = 0;
    const c = content();
    setLocal(write(name, isEmpty(c) ? undefined : { text: c.text.contents, html: c.text.html, files: files.named(c.files), cc: c.cc, fields: c.fields, key, etag, saved: isSaved }));
  };

  const take = (c: Content) => {
    current = c.text;
    setFilled(!!c.text.contents.trim());
    setCc(c.cc);
    setFields(c.fields ?? {});
    void files.find(c.files, isShown);
    setGiven(c.text);
  };
  // Another tab of this browser: a text that was the same in both follows it.
  const follow = (event: StorageEvent) => {
    if (event.key !== name) return;
    const parsed = (text: string | null) => { try { return JSON.parse(text ?? 'null') as Kept | null; } catch { return null; } };
    const before = parsed(event.oldValue), now = parsed(event.newValue);
    const mine = content();
    if ((before?.text ?? '') !== mine.text.contents || JSON.stringify(before?.fields ?? {}) !== JSON.stringify(mine.fields)) return;
    key = now?.key ?? crypto.randomUUID();
    etag = now?.etag;
    isSaved = now?.saved === true;
    take({ text: now ? { contents: now.text, html: now.html === true } : NOTHING, files: now?.files?.map(({ id }) => id) ?? [], cc: now?.cc ?? [], fields: now?.fields });
  };
  const readServer = async () => {
    const reply = await get(path, { ...query, fields: '+contents,+parameters' }), row = (reply.data ?? {}) as DraftRow, theirs = contentOf(row, place), mine = content();
    setShared(row.is_shared === true);
    if (etag !== undefined && reply.etag === etag) return; // the version that this text replaces, also by nothing
    if (isEmpty(mine)) etag = reply.etag ?? undefined, take(theirs);
    else if (isSame(theirs, mine)) etag = reply.etag ?? undefined;
    else etag = reply.etag ?? undefined, setOffered(theirs);
  };
  /** `sharing`: from now on colleagues read the draft, or do not any more. */
  const saveServer = async (sharing?: boolean) => {
    clearTimeout(serverTimer);
    serverTimer = undefined;
    serverSince = 0;
    const c = content();
    if (offered() || (isEmpty(c) && etag === undefined)) return;
    const html = c.text.html, { parameters: others, ...members } = place.members(c.fields ?? {});
    const parameters = { ...(html || c.cc.length ? { channel_options: { ...(html ? { html } : {}), ...(c.cc.length ? { cc: c.cc } : {}) } } : {}), ...others };
    try {
      const body = { contents: c.text.contents, parameters: Object.keys(parameters).length ? parameters : null, attachment_file_ids: c.files, ...members, ...(sharing === undefined ? {} : { is_shared: sharing }) };
      const reply = await call('PUT', path, { query, body, headers: etag ? { 'If-Match': etag } : {} });
      etag = isEmpty(c) ? undefined : reply.etag ?? undefined;
      setShared((reply.data as DraftRow | undefined)?.is_shared === true);
      setOnServer('yes');
      isSaved = isSame(c, content());
      save();
    } catch (error) {
      if (sharing !== undefined) throw error;
      // The next pause tries again.
      if (error instanceof Refused && error.reply.status === 412) await readServer().catch(() => { etag = undefined; });
      else setOnServer(error instanceof Refused && error.reply.status === 400 ? 'too long' : 'no');
    }
  };
  const saveSoon = () => void inTurn(() => saveServer());

  /** The text, a file or a copy has changed. */
  const changed = () => {
    const now = Date.now();
    isSaved = false;
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
    given, filled, offered, files, cc, fields, content, isShared,
    readServer: () => inTurn(readServer),
    share: (to: boolean) => inTurn(() => saveServer(to)),
    /** As the text was last read. */
    current: () => current,
    /** The surface shows this text from now on; undefined: it shows another one. */
    showIn: (reads: (() => Written) | undefined) => { content(); source = reads; },
    /** The text is in the page only: neither the browser nor the server has it. */
    isNowhere: () => !isLocal() && onServer() !== 'yes',
    isTooLong: () => onServer() === 'too long',
    typed: (empty: boolean) => { setFilled(!empty); changed(); },
    setCc: (addresses: string[]) => { setCc(addresses); changed(); },
    setFields: (fields: Fields) => { setFields(fields); changed(); },
    /** The draft that the server had is gone, because another page has sent it or thrown it away. What was written since stays. */
    lose: () => { const had = etag !== undefined; etag = undefined; setShared(false); if (had && isSaved) take({ text: NOTHING, files: [], cc: [] }), save(); },
    /** Throws the text away. Returns the function that brings it back. */
    discard: () => {
      const former = content(), put = (c: Content) => { take(c); changed(); leave(); };
      key = crypto.randomUUID();
      put({ text: NOTHING, files: [], cc: [] });
      return () => put(former);
    },
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
      setShared(false);
      take({ text: NOTHING, files: [], cc: [] });
      write(name, undefined);
    },
    /** For a text whose request was refused: the next request is another one. */
    renew: () => { key = crypto.randomUUID(); save(); },
    choose: (theirs: boolean) => { const other = offered(); setOffered(undefined); if (theirs && other) take(other), save(); else saveSoon(); },
    offeredText: () => asText(offered()?.text ?? NOTHING),
    /** Waits for the PUT that is on its way, so that the draft that is sent is the one that the server has. */
    settled: () => { clearTimeout(serverTimer); serverTimer = undefined; return turn; },
    /** Sends what waits for its pause, and waits until the server has it. */
    saved: () => { if (serverTimer) saveSoon(); return turn; },
    key: () => key,
    etag: () => etag,
  };
};
export type Draft = ReturnType<typeof createText>;

/** The draft of a conversation and channel. */
export const createDraft = (caseId: number, channel: Channel, basePost: () => number | undefined) =>
  createText(`draft ${caseId} ${channel}`, { path: `/cases/${caseId}/draft`, query: { channel: channel.toUpperCase() }, members: () => ({ base_post_id: basePost() ?? null }) });

export type SharedDraft = DraftRow & { id: number; user: { id: number; resource_type: string } | null; channel: string };
export const channelOf = (row: { channel: string }): Channel => row.channel === 'NOTE' ? 'note' : 'reply';

/** Finds the drafts that the server has, by one request. Returns them, and with those that others share the own one of a forward. */
export const findDrafts = async (caseId: number, drafts: Record<Channel, Draft>): Promise<{ mine: SharedDraft[]; others: SharedDraft[] }> => {
  const reply = await get(`/cases/${caseId}/drafts`, { limit: 20, fields: '+contents,+parameters', include: 'user_minimal', _flat: true });
  keepReply(reply);
  const rows = rowsOf(reply) as unknown as SharedDraft[], mine = rows.filter(({ user, channel }) => user?.id === me()?.id && channel !== 'FORWARD');
  await Promise.all(mine.map((row) => drafts[channelOf(row)].readServer()));
  return { mine, others: rows.filter((row) => !mine.includes(row)) };
};

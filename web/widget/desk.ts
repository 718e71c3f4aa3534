// The desk as the widget shows it: settings of the brand, and the conversations of the visitor. Views read it and are told of changes.
import { Refused, Unreachable, call, get, type Row } from './api';
import { follow } from './live';
import { keep, kept, type Waiting } from './store';

export interface Settings {
  name: string; color: string | null; logo: string | null; greeting: string | null; locale: string; locales: string[];
  is_anonymous_allowed: boolean; has_signed_visitors: boolean; max_file_megabytes: number; max_files: number;
  [member: string]: unknown;
}
export const desk: { settings: Settings; conversations: Row[]; isRead: boolean; isOffline: boolean; visitor?: { name: string; email: string } } = {
  settings: undefined as unknown as Settings, conversations: [], isRead: false, isOffline: false,
};

const watchers = new Set<() => void>();
export const watch = (told: () => void) => { watchers.add(told); return () => { watchers.delete(told); }; };
export const tell = () => { for (const one of [...watchers]) one(); };
/** Hears of events of conversations: the view of an open one reads its messages anew. */
export const stirred = new Set<() => void>();

export const setOffline = (is: boolean) => { if (desk.isOffline !== is) { desk.isOffline = is; tell(); } };

const LISTED = 20;
const MEMBERS = 'subject,requester,last_agent_replier(full_name,avatar),status(type),is_closed,read_marker,realtime_channel,last_message_preview,last_replied_at,updated_at';
let reading: Promise<void> | undefined, isStale = false;
/** Reads the conversations of the visitor, if the desk knows the visitor. What happens during a read may be missing in its answer, so a call
 *  during one makes it read once more. */
export const readConversations = (): Promise<void> => {
  isStale = true;
  return reading ??= readWhileStale();
};
const readWhileStale = async () => {
  await undefined; // the end below comes after the assignment
  try {
    while (isStale) {
      isStale = false;
      await readOnce();
    }
  } finally { reading = undefined; }
  tell();
};
const readOnce = async () => {
  try {
    if (kept().print) {
      const { data } = await get(`/conversations?limit=${LISTED}&fields=${MEMBERS}&include=read_marker,case_status,user`, 'known');
      desk.conversations = data;
    }
    desk.isRead = true;
    setOffline(false);
    follow(desk.conversations.map((one) => one.realtime_channel));
  } catch (error) {
    if (error instanceof Unreachable) setOffline(true);
    else if (error instanceof Refused) desk.isRead = true;
  }
};

export const conversation = (id: number) => desk.conversations.find((one) => one.id === id);
export const unread = (one: Row) => Number(one.read_marker?.unread_count ?? 0);
export const unreadAll = () => desk.conversations.reduce((sum, one) => sum + unread(one), 0);
export const isCompleted = (one: Row) => one.status?.type === 'COMPLETED' || one.is_closed;

// ---- messages that wait --------------------------------------------------------------------------

/** The desk repeats its answer to an Idempotency-Key for 24 hours. Later the visitor decides. */
const SURE_MS = 23 * 3600_000, FIRST_MS = 3000, MOST_MS = 60_000;
let again: ReturnType<typeof setTimeout> | undefined, pause = FIRST_MS;
export const waitingFor = (to: number | string) => kept().waiting.filter((one) => one.to === to || one.id === to);
/** Conversations that were begun here, by the id of their first message. */
export const begun = new Map<string, number>();

export const post = (message: Waiting) => { keep((k) => { k.waiting.push(message); }); void flush(); };
export const drop = (id: string) => keep((k) => { k.waiting = k.waiting.filter((one) => one.id !== id); });
export const retry = (id: string) => { keep((k) => { for (const one of k.waiting) if (one.id === id) { delete one.refused; delete one.tried; one.at = new Date().toISOString(); } }); void flush(); };

const sendOne = async (one: Waiting) => {
  const body = { contents: one.text, client_id: one.id, source: 'MESSENGER', metadata: { page_url: one.page, user_agent: navigator.userAgent }, ...(one.files.length ? { attachment_file_ids: one.files.map(({ id }) => id) } : {}) };
  if (typeof one.to === 'number') {
    await call('POST', `/conversations/${one.to}/messages?fields=id`, { who: 'made', key: one.id, body });
    keep((k) => { k.waiting = k.waiting.filter(({ id }) => id !== one.id); }, true);
  } else {
    const who = desk.visitor ? {} : { name: one.name, email: one.email };
    const { data } = await call('POST', '/conversations?fields=id', { who: 'made', key: one.id, body: { ...body, ...who, subject: subjectOf(one.text || one.files[0]?.name || '-'), ...(one.article ? { article_id: one.article } : {}) } });
    begun.set(one.id, data.id);
    keep((k) => {
      k.waiting = k.waiting.filter(({ id }) => id !== one.id);
      for (const other of k.waiting) if (other.to === one.id) other.to = data.id;
    }, true);
  }
  await readConversations();
  for (const told of stirred) told();
};

const subjectOf = (text: string) => { const line = text.trim().split('\n', 1)[0]!; return line.length > 80 ? `${line.slice(0, 79).replace(/\s+\S*$/, '')}…` : line; };

/** One tab sends at a time. A message that two tabs send all the same is one message: it has one key. */
const alone = (work: () => Promise<void>): Promise<unknown> => navigator.locks ? navigator.locks.request('deskd', { ifAvailable: true }, (lock) => lock ? work() : undefined) : work();
let flushing = false;
export const flush = async () => {
  if (flushing) return;
  flushing = true;
  clearTimeout(again);
  let wait = 0;
  await alone(async () => {
    for (;;) {
      const list = kept().waiting, one = list.find((it) => !it.refused && !list.some((first) => first.id === it.to));
      if (!one) return;
      if (one.tried && Date.now() - Date.parse(one.at) > SURE_MS) { refuse(one.id, ''); continue; }
      if (!one.tried) keep((k) => { for (const it of k.waiting) if (it.id === one.id) it.tried = true; }, true);
      try {
        await sendOne(one);
        pause = FIRST_MS;
        setOffline(false);
      } catch (error) {
        if (error instanceof Refused && !error.passes) { refuse(one.id, error.message); continue; }
        if (error instanceof Unreachable) setOffline(true);
        wait = error instanceof Refused && error.wait ? error.wait * 1000 : (pause = Math.min(pause * 2, MOST_MS));
        return;
      }
    }
  });
  flushing = false;
  if (wait) again = setTimeout(flush, wait);
  else if (kept().waiting.some((one) => !one.refused)) again = setTimeout(flush, FIRST_MS); // another tab is at it
  tell();
};
const refuse = (id: string, why: string) => keep((k) => { for (const one of k.waiting) if (one.id === id) one.refused = why || '-'; });

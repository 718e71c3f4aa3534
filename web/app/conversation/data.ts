// The calls of an open conversation.
import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import { call, get, getAhead, Refused, type Reply, type Row, type Schemas } from '../../kit/api';
import { takeTyped, typeAhead } from '../../kit/keys';
import { change, keepReply, rowOf, show, type Shown, type Source } from '../../kit/store';
import { connections, follow, placeNow, presence, type Change, type Meta } from '../../kit/live';
import { tell, tellWrong } from '../../kit/strip';
import { say } from '../../kit/words';
import { returning } from '../frame/catalog';
import { me } from '../session/session';
import { createPosts, readPostsAhead } from './posts';

export const CASE_FIELDS = ['subject', 'requester', 'status', 'priority', 'type', 'assigned_agent', 'assigned_team', 'tags', 'state', 'is_merged', 'realtime_channel', 'custom_fields', 'form',
  'sla_metrics', 'sla_version', 'read_marker', 'post_count', 'pinned_notes_count', 'last_updated_by', 'created_at', 'updated_at', 'last_replied_at', 'last_post_preview', 'source_channel', 'reply_channels', 'snooze', 'visitor'] as const;
export type Case = Shown<'case', typeof CASE_FIELDS>;
const CASE_QUERY = { fields: CASE_FIELDS.join(','), include: 'user_minimal,case_status,case_priority,case_type,team,tag,read_marker,sla_metric,channel,mailbox', _flat: 'true' };
/** The list leaves out conversations that were merged or put into the trash since: each is read by itself. */
export const CASE_SOURCE: Source = { path: '/cases', query: CASE_QUERY, missing: (gone) => { for (const id of gone) void get(`/cases/${id}`, CASE_QUERY).then(keepReply, () => undefined); } };

export type RefTo = { id: number } | null | undefined;
export type File = Schemas['attachment'];

/** A change that meets one of another person: the server has another value of the same property than the one that was replaced. */
export interface Conflict { what: string; by: string; keep: () => void; take: () => void }

/** Reads ahead what an opened conversation reads first. */
export const readCaseAhead = (id: number) => {
  getAhead(`/cases/${id}`, CASE_QUERY);
  readPostsAhead(id);
};

const AGAIN_MS = 5000;

/** Loads a conversation, keeps it up to date while the owner lives, and changes it. */
export const createConversation = (id: number) => {
  const [state, setState] = createSignal<'reading' | 'shown' | 'gone' | 'failed'>('reading');
  const [others, setOthers] = createSignal<Meta[]>([]);
  const [channel, setChannel] = createSignal<ReturnType<typeof follow>>();
  const [conflict, setConflict] = createSignal<Conflict>();
  const [pinned, setPinned] = createSignal<number[]>([]);
  const [picture, setPicture] = createSignal<File>(); // the one that is shown large
  const [refused, setRefused] = createSignal<Record<string, string>>({}); // the reason beside the property, by its name
  const row = () => rowOf('case', id) as Case | undefined;
  const stop = new AbortController();
  onCleanup(() => stop.abort());
  show('case', id, CASE_SOURCE);
  const posts = createPosts(id, stop.signal);
  let etag: string | null = null, unreadOnPurpose = false;

  const marker = () => rowOf('read_marker', row()?.read_marker as RefTo);
  const markRead = () => {
    if (document.visibilityState !== 'visible' || unreadOnPurpose || !((marker()?.unread_count ?? 0) > 0)) return;
    const back = change('read_marker', marker()!.id!, { unread_count: 0 });
    void call('PUT', `/cases/${id}/read`, { own: true, query: { fields: 'read_marker', include: 'read_marker', _flat: true } }).then(keepReply, back);
  };
  document.addEventListener('visibilitychange', markRead);
  onCleanup(() => document.removeEventListener('visibilitychange', markRead));
  /** The newest message is unread until the conversation is opened again. */
  const markUnread = async () => {
    unreadOnPurpose = true;
    const known = marker(), back = known ? change('read_marker', known.id!, { unread_count: Math.max(1, known.unread_count ?? 0) }) : undefined;
    const sent = call('PUT', `/cases/${id}/unread`, { query: { fields: 'read_marker', include: 'read_marker', _flat: true } });
    tell(say('marked_unread'), async () => { await sent; unreadOnPurpose = false; markRead(); });
    try { keepReply(await sent); } catch (error) {
      back?.();
      unreadOnPurpose = false;
      tellWrong(say('not_changed', { reason: (error as Error).message }));
    }
  };

  const readPinned = async () => setPinned(keepReply(await get(`/cases/${id}/notes`, { is_pinned: true, filter: 'case', limit: 20, fields: 'body_text' }, stop.signal)));
  const pin = async (note: number, to: boolean) => {
    await call('PUT', `/cases/${id}/notes/${note}`, { body: { is_pinned: to }, query: { fields: 'is_pinned' } });
    await readPinned();
  };

  const isWriting = () => document.activeElement?.closest('.editor') != null;
  const heard = (event: string, _: Change) => {
    if (event === 'NEW_POST' || event === 'RESYNC') void posts.come(isWriting()).then(markRead).catch(() => undefined);
    else if (event === 'CHANGE') void posts.come(false).catch(() => undefined); // its activity
  };

  const read = async () => {
    const reply = await get(`/cases/${id}`, CASE_QUERY, stop.signal);
    keepReply(reply);
    etag = reply.etag;
    return !reply.isFormer;
  };
  let since = '', isCurrent = false;
  const begin = async () => {
    since = placeNow();
    try {
      [isCurrent] = await Promise.all([read(), posts.begin()]);
      const unread = marker()?.unread_count ?? 0;
      if (unread > 0 && isCurrent) await posts.openAt(marker()?.last_read_post_id ?? null, unread);
      setState('shown');
      markRead();
      if (row()?.pinned_notes_count) void readPinned().catch(() => undefined);
    } catch (error) {
      if (!stop.signal.aborted) setState(error instanceof Refused && error.reply.status === 404 ? 'gone' : 'failed');
    }
  };

  // What could not be read, or is a former reply, is read again: when a connection is made, and now and then.
  const again = () => { if (!isCurrent && !['reading', 'gone'].includes(state())) void begin(); }, timer = setInterval(again, AGAIN_MS);
  createEffect(on(connections, again, { defer: true }));
  onCleanup(() => clearInterval(timer));

  /** Follows the channel of the conversation. Call it in the owner, when the row is there. */
  const listen = () => {
    const topic = row()?.realtime_channel;
    if (!topic) return;
    const joined = follow(topic, heard, { after: since });
    if (joined) presence(joined, me()?.id ?? 0, setOthers), setChannel(() => joined);
  };
  const act = (doing: { is_viewing?: boolean; is_typing?: boolean; is_updating?: boolean }) =>
    channel()?.push('update-presence-meta', { is_viewing: true, is_foreground: document.visibilityState === 'visible', last_active_at: Date.now(), ...doing });

  /** Sends a change for the version that was read. If there is a newer one, it reads again: the change is sent for the new version, unless
   *  another person has changed the same property. Returns undefined if it is asked what to do. */
  const send = async (body: Record<string, unknown>, former: Record<string, unknown>, what: string, again: (anyway: boolean) => void): Promise<Reply | undefined> => {
    for (let tries = 0; ; tries++) {
      try {
        const reply = await call('PUT', `/cases/${id}`, { query: CASE_QUERY, body, headers: etag ? { 'If-Match': etag } : {} });
        etag = reply.etag;
        return reply;
      } catch (error) {
        if (!(error instanceof Refused) || error.reply.status !== 412 || tries === 3) throw error;
        await read();
        const mine = parts(body), before = parts(former), now = parts(formerOf(row(), body));
        const differs = Object.keys(mine).some((name) => !isSame(now[name], before[name]) && !isSame(now[name], mine[name]));
        if (!differs) continue;
        const by = rowOf('user', row()?.last_updated_by as RefTo)?.full_name ?? say('server');
        setConflict({ what, by, take: () => setConflict(undefined), keep: () => { setConflict(undefined); again(true); } });
        return undefined;
      }
    }
  };

  /** Changes properties at once, and shows the former values again if the server refuses. `undo` sets the former values by the same way.
   *  Returns false if the server refuses, or the person is asked what to do. */
  const update = async (members: Record<string, unknown>, body: Record<string, unknown>, what: string, isUndo = false): Promise<boolean> => {
    const before = row(), former = formerOf(before, body);
    const formerMembers = Object.fromEntries(Object.keys(members).map((name) => [name, before?.[name as keyof Case]]));
    const names = Object.keys(body);
    setRefused((all) => Object.fromEntries(Object.entries(all).filter(([name]) => !names.some((one) => name === one || name.startsWith(`${one}/`)))));
    const back = change('case', id, members);
    try {
      const reply = await send(body, former, what, () => void update(members, body, what, isUndo));
      if (!reply) return false;
      keepReply(reply);
      if (!isUndo) tell(say('changed', { what }), async () => { await update(formerMembers, returning(former), what, true); });
      return true;
    } catch (error) {
      back();
      if (error instanceof Refused) setRefused((all) => ({ ...all, ...Object.fromEntries((error.reply.errors ?? []).map((problem) => [problemName(problem, names[0] ?? ''), problem.message])) }));
      tellWrong(say('not_changed', { reason: (error as Error).message }));
      return false;
    }
  };

  return {
    id, row, state, posts: posts.ids, timeline: posts, others, begin, listen, act, update, markUnread, conflict, pinned, pin, picture, setPicture, refused,
    /** Says beside a property why it was not changed. */
    refuse: (name: string, message: string) => setRefused((all) => ({ ...all, [name]: message })),
    newest: posts.newest, forget: posts.forget, readPinned, readPosts: () => posts.toNewest().then(() => posts.setDuring(undefined)),
  };
};
export type Conversation = ReturnType<typeof createConversation>;

/** Asks to whom messages are forwarded. `post`: the message that is chosen first. What is typed until the question is there, is for it. */
export const forward = (c: Conversation, post?: number) => {
  typeAhead();
  void import('./forward').then(({ openForward }) => openForward(c, post), (error: Error) => { takeTyped(); tellWrong(error.message); });
};

const problemName = (problem: { parameter?: string; pointer?: string }, otherwise: string) => String(problem.pointer ?? problem.parameter ?? otherwise).replace(/^\//, '');

const isSame = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The body that sets the present values of the same properties. */
const formerOf = (row: Case | undefined, body: Record<string, unknown>) => Object.fromEntries(Object.keys(body).map((name) => [name, valueOf(row, name, body[name])]));
/** A body with each custom field as a property of its own. */
const parts = ({ field_values, ...rest }: Record<string, unknown>): Record<string, unknown> =>
  ({ ...rest, ...Object.fromEntries(Object.entries((field_values ?? {}) as object).map(([key, value]) => [`field_values/${key}`, value])) });

/** The value of a property as a body has it: ids of references, names of tags, values of custom fields by their key. */
const valueOf = (row: Case | undefined, name: string, given: unknown): unknown => {
  if (name === 'tags') return tagNames(row);
  if (name === 'field_values') return Object.fromEntries(Object.keys(given as object).map((key) => [key, fieldValue(row, key)]));
  if (!name.endsWith('_id')) return row?.[name as keyof Case] ?? null;
  return (row?.[name.slice(0, -3) as keyof Case] as RefTo)?.id ?? null;
};

export interface FieldValue { field: { id: number }; value: string | null }
export const fieldValues = (row: Case | undefined) => (row?.custom_fields ?? []) as unknown as FieldValue[];
/** A value as it is written: none is null, a day has no time. */
export const writtenValue = ({ field, value }: FieldValue) => (rowOf('case_field', field)?.type === 'DATE' ? value?.slice(0, 10) : value) || null;
const fieldValue = (row: Case | undefined, key: string) => {
  const found = fieldValues(row).find(({ field }) => rowOf('case_field', field)?.key === key);
  return found ? writtenValue(found) : null;
};

export const tagNames = (row: Case | undefined): string[] =>
  ((row?.tags ?? []) as unknown as Row[]).map((tag) => String((rowOf('tag', tag) as { name?: string } | undefined)?.name ?? tag['name'] ?? ''));

export const overtakenBy = (error: unknown): Reply | undefined =>
  error instanceof Refused && error.code === 'POST_OVERTAKEN' ? error.reply : undefined;

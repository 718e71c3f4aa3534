// The calls of an open conversation.
import { createSignal, onCleanup } from 'solid-js';
import { call, get, getAhead, Refused, type Reply, type Row } from '../../kit/api';
import { change, keepReply, rowOf, show, type Shown } from '../../kit/store';
import { follow, placeNow, presence, type Change, type Meta } from '../../kit/live';
import { tell, tellWrong } from '../../kit/strip';
import { say } from '../../kit/words';
import { me } from '../session/session';

export const CASE_FIELDS = ['subject', 'requester', 'status', 'priority', 'type', 'assigned_agent', 'assigned_team', 'tags', 'state', 'is_merged', 'realtime_channel',
  'sla_metrics', 'sla_version', 'read_marker', 'post_count', 'created_at', 'updated_at', 'last_replied_at', 'last_post_preview', 'source_channel', 'reply_channels'] as const;
export type Case = Shown<'case', typeof CASE_FIELDS>;
const CASE_QUERY = { fields: CASE_FIELDS.join(','), include: 'user_minimal,case_status,case_priority,case_type,team,tag,read_marker,sla_metric,channel,mailbox', _flat: 'true' };
export const CASE_SOURCE = { path: '/cases', query: CASE_QUERY };

export const POST_FIELDS = ['subject', 'contents', 'creator', 'attachments', 'original', 'source', 'post_status', 'post_status_reject_reason', 'is_requester', 'client_id', 'created_at'] as const;
export type Post = Shown<'post', typeof POST_FIELDS>;
const POST_QUERY = { fields: POST_FIELDS.join(','), include: 'user_minimal,attachment', _flat: 'true', filters: 'all' };
const POST_PAGE = 20, POSTS_MOST = 200;

/** Reads ahead what an opened conversation reads first. */
export const readCaseAhead = (id: number) => {
  getAhead(`/cases/${id}`, CASE_QUERY);
  getAhead(`/cases/${id}/posts`, { ...POST_QUERY, limit: POST_PAGE });
};

/** Loads a conversation, keeps it up to date while the owner lives, and changes it. */
export const createConversation = (id: number) => {
  const [state, setState] = createSignal<'reading' | 'shown' | 'gone' | 'failed'>('reading');
  const [posts, setPosts] = createSignal<number[]>([]); // oldest first
  const [olderAfter, setOlderAfter] = createSignal<number>(); // the id before which there are more
  const [others, setOthers] = createSignal<Meta[]>([]);
  const [channel, setChannel] = createSignal<ReturnType<typeof follow>>();
  const row = () => rowOf('case', id) as Case | undefined;
  const stop = new AbortController();
  onCleanup(() => stop.abort());
  show('case', id, CASE_SOURCE);

  const newest = () => posts().at(-1);
  const readPosts = async (afterId?: number) => {
    const reply = await get(`/cases/${id}/posts`, { ...POST_QUERY, limit: POST_PAGE, after_id: afterId }, stop.signal);
    const ids = keepReply(reply).reverse();
    const known = new Set(posts());
    const fresh = ids.filter((one) => !known.has(one));
    if (afterId === undefined) setPosts([...posts(), ...fresh]);
    else setPosts([...fresh, ...posts()].slice(0, POSTS_MOST));
    if (afterId !== undefined || olderAfter() === undefined) setOlderAfter(ids.length === POST_PAGE ? ids[0] : undefined);
  };
  /** A post that was taken back. */
  const forget = (post: number) => setPosts((all) => all.filter((one) => one !== post));
  const older = () => { const after = olderAfter(); if (after !== undefined) return readPosts(after); return Promise.resolve(); };

  const markRead = () => {
    const marker = row()?.read_marker as { id: number } | null | undefined;
    if (document.visibilityState === 'visible' && marker && (rowOf('read_marker', marker)?.unread_count ?? 0) > 0)
      void call('PUT', `/cases/${id}/read`).then(keepReply).catch(() => undefined);
  };

  const heard = (event: string, _: Change) => { if (event === 'NEW_POST' || event === 'RESYNC') void readPosts().then(markRead).catch(() => undefined); };

  let since = '';
  const begin = async () => {
    since = placeNow();
    try {
      const [reply] = await Promise.all([get(`/cases/${id}`, CASE_QUERY, stop.signal), readPosts()]);
      keepReply(reply);
      setState('shown');
      markRead();
    } catch (error) {
      if (!stop.signal.aborted) setState(error instanceof Refused && error.reply.status === 404 ? 'gone' : 'failed');
    }
  };

  /** Follows the channel of the conversation. Call it in the owner, when the row is there. */
  const listen = () => {
    const topic = row()?.realtime_channel;
    if (!topic) return;
    const joined = follow(topic, heard, { after: since });
    if (joined) presence(joined, me()?.id ?? 0, setOthers), setChannel(() => joined);
  };
  const act = (doing: { is_viewing?: boolean; is_typing?: boolean; is_updating?: boolean }) =>
    channel()?.push('update-presence-meta', { is_viewing: true, is_foreground: document.visibilityState === 'visible', last_active_at: Date.now(), ...doing });

  /** Changes properties at once, and shows the former values again if the server refuses. `undo` sets the former values by the same way. */
  const update = async (members: Record<string, unknown>, body: Record<string, unknown>, what: string, isUndo = false): Promise<void> => {
    const before = row(), former = Object.fromEntries(Object.keys(body).map((name) => [name, formerValue(before, name)]));
    const undo = change('case', id, members);
    try {
      keepReply(await call('PUT', `/cases/${id}`, { query: CASE_QUERY, body }));
      if (!isUndo) tell(say('changed', { what }), () => update(Object.fromEntries(Object.keys(members).map((name) => [name, before?.[name as keyof Case]])), former, what, true));
    } catch (error) {
      undo();
      tellWrong(say('not_changed', { reason: (error as Error).message }));
    }
  };

  return { id, row, state, posts, older, olderAfter, others, begin, listen, act, update, newest, readPosts, forget };
};
export type Conversation = ReturnType<typeof createConversation>;

/** The value that a body sets again: ids of references, names of tags. */
const formerValue = (row: Case | undefined, name: string): unknown => {
  if (name === 'tags') return tagNames(row);
  if (!name.endsWith('_id')) return row?.[name as keyof Case] ?? null;
  return (row?.[name.slice(0, -3) as keyof Case] as { id: number } | null | undefined)?.id ?? null;
};

export const tagNames = (row: Case | undefined): string[] =>
  ((row?.tags ?? []) as unknown as Row[]).map((tag) => String((rowOf('tag', tag) as { name?: string } | undefined)?.name ?? tag['name'] ?? ''));

export const overtakenBy = (error: unknown): Reply | undefined =>
  error instanceof Refused && error.code === 'POST_OVERTAKEN' ? error.reply : undefined;

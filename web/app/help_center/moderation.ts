// The comments of readers as moderators get them, and what is decided about them.
import { createSignal } from 'solid-js';
import { call, get, Refused, rowsOf, type Ref } from '../../kit/api';
import type { Text } from './data';

export const QUEUES = ['WAITING', 'PUBLISHED', 'SPAM'] as const;
export type Queue = (typeof QUEUES)[number];
export interface Comment {
  id: number; contents: string; is_html: boolean; status: 'PUBLISHED' | 'SPAM'; user: { id: number; full_name?: string } | null; parent: Ref | null;
  created_at: string; updated_at: string; article: Ref; is_waiting: boolean;
}

export const PAGE = 30;
const FIELDS = 'contents,is_html,status,user,parent,created_at,updated_at,+article,+is_waiting';
export const pathOf = (one: Comment) => `/articles/${one.article.id}/comments/${one.id}`;

const [counts, setCounts] = createSignal<Partial<Record<Queue, number>>>({});
export { counts };
const setCount = (queue: Queue, n: number | undefined) => { if (n !== undefined) setCounts((all) => ({ ...all, [queue]: n })); };
/** The numbers of what has to be looked at. */
export const readCounts = async (...queues: Queue[]) => {
  await Promise.all(queues.map(async (queue) => setCount(queue, (await get('/comments', { filter: queue, limit: 1, fields: 'id' })).total_count)));
};

export const readQueue = async (queue: Queue, limit: number, after?: number): Promise<Comment[]> => {
  const reply = await get('/comments', { filter: queue, limit, fields: FIELDS, include: 'user_minimal', ...(after === undefined ? {} : { after_id: after }) });
  if (after === undefined) setCount(queue, reply.total_count);
  return rowsOf(reply) as unknown as Comment[];
};

// Titles are read apart, because an included article has all its contents.
export const readTitles = async (ids: number[]) => ids.length
  ? new Map((rowsOf(await get('/articles', { ids: ids.join(','), limit: ids.length, fields: 'titles', include: 'locale_field' })) as unknown as { id: number; titles: Text[] }[]).map(({ id, titles }) => [id, titles])) : new Map<number, Text[]>();

/** The comment was rewritten after it was read: `now` is the new one. */
export class Rewritten extends Error { constructor(readonly now: Comment) { super('rewritten'); } }

/** Nothing is published that the person has not read: the author may change the comment meanwhile. */
export const publish = async (one: Comment): Promise<void> => {
  const reply = await get(pathOf(one), { fields: FIELDS, include: 'user_minimal' }), now = rowsOf(reply)[0] as unknown as Comment;
  if (now.contents !== one.contents) throw new Rewritten(now);
  try { await call('PUT', `${pathOf(one)}/publish`, reply.etag ? { headers: { 'If-Match': reply.etag } } : {}); } catch (error) {
    if (error instanceof Refused && error.reply.status === 412) return publish(one);
    throw error;
  }
};
export const markSpam = (one: Comment) => call('PUT', `${pathOf(one)}/spam`);
export const isGone = (error: unknown) => error instanceof Refused && error.reply.status === 404;

const AT_ONCE = 4;
/** Works on all, a few at once. */
export const withAll = async <T,>(all: readonly T[], work: (one: T) => Promise<unknown>) => {
  const left = [...all];
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, left.length) }, async () => { for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one); }));
};

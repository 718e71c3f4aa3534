// The posts of an open conversation: a part of its timeline, at most POSTS_MOST of any number. More are read at either end when one
// scrolls there, and as many are dropped at the other one.
import { createMemo, createSignal, onCleanup } from 'solid-js';
import { get, getAhead, type Row } from '../../kit/api';
import { forget, keepReply, rowOf, type Shown } from '../../kit/store';
import { me } from '../session/session';

export const POST_FIELDS = ['subject', 'contents', 'is_html', 'creator', 'attachments', 'original', 'source', 'post_status', 'post_status_reject_reason', 'forward', 'answers_note', 'is_requester', 'client_id', 'created_at'] as const;
export type Post = Shown<'post', typeof POST_FIELDS>;
const POST_QUERY = { fields: POST_FIELDS.join(','), include: 'user_minimal,attachment,activity', _flat: 'true', filters: 'all' };
const POST_PAGE = 20, POSTS_MOST = 200;

export const readPostsAhead = (caseId: number) => getAhead(`/cases/${caseId}/posts`, { ...POST_QUERY, limit: POST_PAGE });

export type PostKind = 'message' | 'note' | 'activity';
export const kindOf = (post: Post | undefined): PostKind => {
  const type = (post?.original as { resource_type?: string } | null | undefined)?.resource_type;
  return type === 'note' || type === 'activity' ? type : 'message';
};
export const postOf = (id: number) => rowOf('post', id) as Post | undefined;
/** The activity of a split: posts before it have moved. */
const isSplit = (id: number) => (rowOf('activity', postOf(id)?.original as { id: number } | null) as { actions?: { field: string }[] } | undefined)?.actions?.some(({ field }) => field === 'split_into');
export const isOwn = (id: number) => (postOf(id)?.creator as { id: number } | null | undefined)?.id === me()?.id;

export const createPosts = (caseId: number, signal: AbortSignal) => {
  const [ids, setIds] = createSignal<number[]>([]); // oldest first
  const [hasOlder, setHasOlder] = createSignal(false), [hasNewer, setHasNewer] = createSignal(false);
  const [failed, setFailed] = createSignal(false);
  const [unread, setUnread] = createSignal<number>(); // the first post that was unread when the conversation was opened
  const [during, setDuring] = createSignal<number>(); // the first post of others that came while one wrote
  const known = new Set<number>(); // all that were read
  let newestKnown = 0, reading: Promise<void> | undefined;

  const page = async (query: Record<string, number | string | undefined>) => {
    const found = keepReply(await get(`/cases/${caseId}/posts`, { ...POST_QUERY, limit: POST_PAGE, ...query }, signal)).reverse();
    newestKnown = Math.max(newestKnown, found.at(-1) ?? 0);
    for (const id of found) known.add(id);
    return found;
  };
  // A day has many conversations: their posts are forgotten when they are left.
  onCleanup(() => {
    const activities = [...known].flatMap((id) => kindOf(postOf(id)) === 'activity' ? [(postOf(id)!.original as unknown as { id: number }).id] : []);
    forget('activity', activities);
    forget('post', known);
  });
  /** One request at a time: a second call waits for the first and finds what it has changed. */
  const alone = (work: () => Promise<void>): Promise<void> => {
    const mine = (reading ?? Promise.resolve()).catch(() => undefined).then(work);
    reading = mine;
    mine.then(() => setFailed(false), () => setFailed(!signal.aborted));
    return mine;
  };

  const showNewest = async () => {
    const found = await page({});
    setIds(found);
    setHasOlder(found.length === POST_PAGE);
    setHasNewer(false);
  };
  const showAround = async (type: string, id: number) => {
    const found = await page({ resource_type: type, id });
    setIds(found);
    setHasOlder(true);
    setHasNewer(true);
  };
  const readOlder = async () => {
    const first = ids()[0];
    if (!hasOlder() || first === undefined) return;
    const found = await page({ after_id: first });
    const all = [...found, ...ids()];
    setHasOlder(found.length === POST_PAGE);
    if (all.length > POSTS_MOST) setHasNewer(true);
    setIds(all.slice(0, POSTS_MOST));
  };
  /** Posts after those that are shown. If the part of the timeline ends before the newest, they are only known to be there. */
  const readNewer = async () => {
    const last = ids().at(-1);
    if (last === undefined) return showNewest();
    const found = (await page({ before_id: last })).filter((id) => id > last);
    const all = [...ids(), ...found];
    setHasNewer(found.length === POST_PAGE);
    if (all.length > POSTS_MOST) setHasOlder(true);
    setIds(all.slice(-POSTS_MOST));
  };

  return {
    goTo: async (_note: number) => {}, ids, hasOlder, hasNewer, failed, unread, during, setDuring,
    /** The newest post that was read: posts after it have overtaken a reply. */
    newest: () => newestKnown || undefined,
    /** A post that was taken back. */
    forget: (post: number) => setIds((all) => all.filter((one) => one !== post)),
    begin: () => alone(showNewest),
    older: () => alone(readOlder),
    newer: () => alone(readNewer),
    /** Reads the posts that have come; if the shown part ends before them, it begins anew at the end. */
    toNewest: () => alone(() => hasNewer() ? showNewest() : readNewer()),
    around: (type: string, id: number) => alone(() => ids().includes(id) ? Promise.resolve() : showAround(type, id)),
    /** Something has come. Marks the first of others as new while one wrote. */
    come: (isWriting: boolean) => alone(async () => {
      if (hasNewer()) return;
      const before = ids().at(-1) ?? 0;
      await readNewer();
      if (ids().some((id) => id > before && kindOf(postOf(id)) === 'activity' && isSplit(id))) await showNewest();
      const others = ids().filter((id) => id > before && !isOwn(id) && kindOf(postOf(id)) !== 'activity');
      if (isWriting) setDuring((former) => former ?? others[0]);
    }),
    /** Shows the first unread post. Posts of activities and own ones are never unread. */
    openAt: async (lastRead: number | null, count: number) => {
      const first = () => ids().find((id) => id > (lastRead ?? 0) && kindOf(postOf(id)) === 'message' && !isOwn(id));
      const unreadShown = () => ids().filter((id) => id > (lastRead ?? 0) && kindOf(postOf(id)) === 'message').length;
      if (lastRead && unreadShown() < count) await alone(() => showAround('case_message', lastRead));
      setUnread(first());
    },
  };
};
export type Posts = ReturnType<typeof createPosts>;

/** Runs of activities: more than three in a row are one line until they are opened. A run keeps its state when posts are added to it. */
const RUN_MOST = 3;
export const createRuns = (ids: () => number[]) => {
  const [opened, setOpened] = createSignal<ReadonlySet<number>>(new Set());
  const runs = createMemo(() => {
    const found = new Map<number, number[]>();
    let run: number[] = [];
    const end = () => { if (run.length > RUN_MOST) for (const id of run) found.set(id, run); run = []; };
    for (const id of ids()) if (kindOf(postOf(id)) === 'activity') run.push(id); else end();
    end();
    return found;
  });
  const isOpen = (run: number[]) => run.some((id) => opened().has(id));
  return {
    /** undefined: the post is shown; 0: it is folded away; n: it stands for a run of n. */
    folded: (id: number) => {
      const run = runs().get(id);
      return !run || isOpen(run) ? undefined : run[0] === id ? run.length : 0;
    },
    open: (id: number) => setOpened((former) => new Set([...former, ...(runs().get(id) ?? [])])),
  };
};

export const inlineIds = (post: Post): ReadonlySet<number> =>
  new Set(post.is_html ? ((post.attachments ?? []) as unknown as { id: number }[]).filter((ref) => (rowOf('attachment', ref) as Row | undefined)?.['content_id']).map(({ id }) => id) : []);

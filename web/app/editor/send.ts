// The request of a text: a reply, a note or a new conversation. A text has one key from its first letter until it is sent, so a request that is repeated, because no
// answer came, makes one post.
import { call, Refused, rowsOf, serverNow, type Reply } from '../../kit/api';
import type { Channel, Content, Draft } from './draft';
import { asText } from './html';

export interface Sending {
  caseId: number;
  channel: Channel;
  draft: Draft;
  /** The channel of the reply has no forms. */
  plain: boolean;
  channelId?: string | undefined;
  copies: boolean;
  macroId?: number | undefined;
  statusId?: number | undefined;
  lastSeen?: number | undefined;
  /** The reply is posted at this time. */
  sendAt?: string | undefined;
}

/** These say that the request was not carried out, and will not be. Others (a proxy, a full server) say nothing of that. */
const isFinal = ({ code, reply: { status } }: Refused) => status >= 400 && status < 500 && ![408, 425, 429].includes(status) && code !== 'REQUEST_IN_PROGRESS';
/** An earlier form of the text was sent by a request that got no answer. */
export const isSentBefore = (error: unknown) => error instanceof Refused && error.code === 'PARAMETERS_INCONSISTENT' && error.reply.errors?.[0]?.parameter === 'Idempotency-Key';

/** Requests without an answer, by their key: the same text is sent again as it was, whatever has become of its draft meanwhile. */
const unanswered = new Map<string, { wanted: string; body: object }>();

/** POSTs a text. Its draft at the server goes with it. */
export const sendOnce = async (path: string, wanted: object, draft: Draft): Promise<Reply> => {
  const key = draft.key(), draft_etag = draft.etag(), text = JSON.stringify(wanted), former = unanswered.get(key);
  const body = former?.wanted === text ? former.body : { ...wanted, ...(draft_etag ? { draft_etag } : {}) };
  unanswered.set(key, { wanted: text, body });
  try {
    const reply = await call('POST', path, { body, headers: { 'Idempotency-Key': key } });
    unanswered.delete(key);
    return reply;
  } catch (error) {
    if (error instanceof Refused && isFinal(error)) {
      unanswered.delete(key);
      if (!isSentBefore(error)) draft.renew();
    }
    throw error;
  }
};

/** Sends it. Returns what was sent, the ids of the posts, and for how many milliseconds it can be taken back. */
export const send = async (s: Sending): Promise<{ content: Content; posts: number[]; undoFor: number; later?: number | undefined }> => {
  await s.draft.settled();
  const content = s.draft.content(), isHtml = content.text.html && !s.plain;
  const contents = s.plain ? asText(content.text) : content.text.contents, cc = s.copies ? content.cc : [];
  const options = { ...(isHtml ? { html: true } : {}), ...(cc.length ? { cc } : {}) };
  const common = { contents, ...(content.files.length ? { attachment_file_ids: content.files } : {}) };
  const isNote = s.channel === 'note' && !s.macroId; // a macro sets properties, which a reply does in one request
  const wanted = isNote ? { ...common, ...(isHtml ? { is_html: true } : {}) } : {
    ...common, source: 'AGENT', ...(s.channel === 'note' ? { channel: 'NOTE' } : {}), ...(Object.keys(options).length ? { channel_options: options } : {}), ...(s.channelId ? { channel_id: s.channelId } : {}),
    ...(s.macroId ? { macro_id: s.macroId } : {}), ...(s.lastSeen ? { last_seen_post_id: s.lastSeen } : {}), ...(s.statusId ? { status_id: s.statusId } : {}), ...(s.sendAt ? { send_at: s.sendAt } : {}),
  };
  const reply = await sendOnce(`/cases/${s.caseId}/${isNote ? 'notes' : 'reply'}`, wanted, s.draft);
  const made = rowsOf(reply)[0] as unknown as { posts?: { id: number }[]; undo_until?: string | null; scheduled_reply?: { id: number } | null } | undefined;
  return { content, posts: made?.posts?.map(({ id }) => id) ?? [], undoFor: made?.undo_until ? Math.max(0, Date.parse(made.undo_until) - serverNow()) : 0, later: made?.scheduled_reply?.id };
};

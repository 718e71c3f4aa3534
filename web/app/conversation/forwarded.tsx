// The note of a forward: to whom it went, and the messages that went with it. The note of an answer: who sent it, and to which forward.
import { createMemo, createResource, createSignal, For, Show, Suspense } from 'solid-js';
import { get } from '../../kit/api';
import { keepReply, rowOf, show, type Source } from '../../kit/store';
import { say as sayCommon, shortTime } from '../../kit/words';
import type { Conversation, RefTo } from './data';
import { ready, say } from './forward_words';
import { postOf, POST_FIELDS, type Post } from './posts';

interface Recipient { email: string; email_delivery_status: string | null }
interface ForwardOf { to: Recipient[]; cc: Recipient[]; subject: string; post_ids: number[] }

const FAILED = new Set(['REFUSED', 'FAILED', 'BOUNCED']);
const addresses = ({ to, cc }: ForwardOf) => [...to, ...cc].map(({ email }) => email);

/** Notes of a conversation are read again together when a letter of one is not delivered. */
const sources = new Map<number, Source>();
const sourceOf = (caseId: number) => {
  const known = sources.get(caseId) ?? { path: `/cases/${caseId}/notes`, query: { fields: 'forward', filter: 'case' } };
  sources.set(caseId, known);
  return known;
};

const Recipients = (props: { word: 'forwarded' | 'copy'; of: Recipient[] }) => (
  <Show when={props.of.length}>
    <p class="tags"><span class="soft">{say(props.word)}</span>
      <For each={props.of}>
        {(one) => <span class="tag" classList={{ wrong: FAILED.has(one.email_delivery_status ?? '') }}><bdi>{one.email}</bdi><Show when={FAILED.has(one.email_delivery_status ?? '')}> · {say('not_delivered')}</Show></span>}
      </For>
    </p>
  </Show>
);

/** The messages as they are now. Some may have moved to another conversation. */
const Texts = (props: { caseId: number; ids: number[] }) => {
  const [read, { refetch }] = createResource(async () => {
    const missing = props.ids.filter((id) => !postOf(id));
    if (missing.length) keepReply(await get(`/cases/${props.caseId}/posts`, { ids: missing.join(','), fields: POST_FIELDS.join(','), include: 'user_minimal', filters: 'MESSAGES', limit: missing.length, _flat: true }));
    return props.ids.filter((id) => postOf(id));
  });
  return (
    <Show when={!read.error} fallback={<p class="wrong" role="alert">{say('texts_failed')} <button type="button" onClick={() => void refetch()}>{sayCommon('retry')}</button></p>}>
      <For each={read()}>
        {(id) => (
          <Show when={postOf(id)}>
            {(p) => (
              <div class="forwarded-text">
                <b dir="auto">{rowOf('user', p().creator as RefTo)?.full_name || sayCommon('server')}</b> <span class="soft">{shortTime(p().created_at!)}</span>
                <p dir="auto" tabindex="0" role="group" aria-label={sayCommon('message_of', { name: rowOf('user', p().creator as RefTo)?.full_name ?? '', time: shortTime(p().created_at!) })}>{p().contents}</p>
              </div>
            )}
          </Show>
        )}
      </For>
      <Show when={read() && read()!.length < props.ids.length}><p class="soft">{say('texts_gone', { n: props.ids.length - read()!.length })}</p></Show>
    </Show>
  );
};

const Sent = (props: { forward: ForwardOf; caseId: number }) => {
  const [open, setOpen] = createSignal(false);
  return (
    <>
      <Recipients word="forwarded" of={props.forward.to} />
      <Recipients word="copy" of={props.forward.cc} />
      <Show when={props.forward.subject}><p><span class="soft">{say('subject')}</span> <span dir="auto">{props.forward.subject}</span></p></Show>
      <Show when={props.forward.post_ids.length} fallback={<p class="soft">{say('texts_none')}</p>}>
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{say('texts', { n: props.forward.post_ids.length })}</summary>
          <Show when={open()}><Suspense><Texts caseId={props.caseId} ids={props.forward.post_ids} /></Suspense></Show>
        </details>
      </Show>
    </>
  );
};

/** An address that the desk asked may answer, and staff. Others come here only if somebody has released their mail. */
const Answer = (props: { conversation: Conversation; post: Post; note: number }) => {
  const c = props.conversation, sender = () => (props.post.creator as RefTo)?.id;
  const [forward] = createResource(() => props.note, async (id) => {
    try { keepReply(await get(`/cases/${c.id}/notes/${id}`, { fields: 'forward' })); } catch { return undefined; }
    return rowOf('note', id)?.forward as unknown as ForwardOf | null;
  });
  const [emails] = createResource(sender, async (id) => {
    const person = () => rowOf('user', id) as { emails?: { id: number }[] } | undefined;
    if (!person()?.emails) keepReply(await get(`/users/${id}`, { fields: 'full_name,emails', include: 'identity_email', _flat: true }));
    return (person()?.emails ?? []).map((ref) => rowOf('identity_email', ref)).filter((one) => one !== undefined).sort((a, b) => Number(b.is_primary === true) - Number(a.is_primary === true)).map(({ email }) => email ?? '');
  });
  const asked = createMemo(() => new Set((forward.latest ? addresses(forward.latest) : []).map((one) => one.toLowerCase())));
  const known = () => emails.error ? [] : emails() ?? [];
  const address = () => known().find((one) => asked().has(one.toLowerCase())) ?? known()[0];
  const isStranger = () => asked().size > 0 && known().length > 0 && !known().some((one) => asked().has(one.toLowerCase()));
  return (
    <>
      <p class="tags"><Show when={address()}>{(one) => <bdi class="soft">{one()}</bdi>}</Show>
        <Show when={isStranger()}><span class="tag warning">{say('not_asked')}</span></Show>
      </p>
      <Show when={isStranger()}><p class="warning">{say('not_asked_why')}</p></Show>
      <Show when={!forward.loading}>
        <Show when={forward()} fallback={<p class="soft">{say('answers_gone')}</p>}>
          {(f) => <p><button type="button" class="link" onClick={() => void c.timeline.goTo(props.note)}>{say('answers', { to: addresses(f()).map((one) => `\u2068${one}\u2069`).join(', ') })}</button></p>}
        </Show>
      </Show>
    </>
  );
};

const Forwarded = (props: { id: number; conversation: Conversation }) => {
  const c = props.conversation, post = () => postOf(props.id);
  const forward = () => (rowOf('note', props.id)?.forward ?? post()?.forward) as unknown as ForwardOf | null | undefined;
  const answered = () => (post()?.answers_note as RefTo)?.id;
  if (post()?.forward) show('note', props.id, sourceOf(c.id));
  return (
    <div class="forwarded">
      <Show when={forward()}>{(f) => <Sent forward={f()} caseId={c.id} />}</Show>
      <Show when={answered()}>{(note) => <Show when={post()}>{(p) => <Answer conversation={c} post={p()} note={note()} />}</Show>}</Show>
    </div>
  );
};

export const loadForwarded = async () => { await ready().catch(() => undefined); return { default: Forwarded }; };

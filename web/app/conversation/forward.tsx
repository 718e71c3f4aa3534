// Forwards messages and files of a conversation to people outside. Loaded when somebody asks for it. An unfinished forward is a draft.
import { createEffect, createMemo, createResource, createRoot, createSignal, createUniqueId, For, on, onCleanup, onMount, Show, Suspense } from 'solid-js';
import { render } from 'solid-js/web';
import { call, get, Refused, rowsOf, serverNow, Unreachable, type Problem, type Schemas } from '../../kit/api';
import { keyText, takeTyped } from '../../kit/keys';
import { lazy } from '../../kit/lazy';
import { forget, keepReply, rowOf } from '../../kit/store';
import { SHOWN_MS, tell } from '../../kit/strip';
import { say as sayCommon, shortTime } from '../../kit/words';
import type { Content } from '../editor/draft';
import { FileList } from '../editor/files';
import { isSentBefore, sendOnce } from '../editor/send';
import type { Surface } from '../editor/surface';
import { TextField } from '../editor/text';
import { Addresses } from './addresses';
import type { Conversation, RefTo } from './data';
import { setBegun } from './forward_begun';
import { createForwardDraft, fieldsOf, formOf, type Form } from './forward_draft';
import { ready, say } from './forward_words';
import { postOf, POST_FIELDS } from './posts';

const Offered = lazy(async () => (await import('../editor/offered')).loadOffered());

const MESSAGES_MOST = 100; // of one forward

type Field = { settle: () => string[] | undefined; focus: () => void };
interface Props {
  conversation: Conversation;
  /** The message that is chosen first, in place of the newest. */
  post: number | undefined;
  /** A forward that was taken back. */
  content: Content | undefined;
  typed: string;
  onClose: () => void;
}

const filesOf = (id: number) => ((postOf(id)?.attachments ?? []) as unknown as { id: number }[]).map((ref) => rowOf('attachment', ref)).filter((file): file is Schemas['attachment'] => file !== undefined);
const authorOf = (id: number) => rowOf('user', postOf(id)?.creator as RefTo)?.full_name || sayCommon('server');
/** The member of the request that a reason is about: "to/1" for the second recipient. */
const nameOf = ({ pointer, parameter }: Problem & { pointer?: string }) => String(pointer ?? parameter ?? '').replace(/^\//, '');

const Dialog = (props: Props) => {
  const c = props.conversation, draft = createForwardDraft(c.id), title = createUniqueId();
  const form = createMemo(() => formOf(draft.fields()));
  const change = (now: Partial<Form>) => draft.setFields(fieldsOf({ ...form(), ...now }));
  const [copies, setCopies] = createSignal(false), [busy, setBusy] = createSignal(false), [wrong, setWrong] = createSignal<Record<string, string>>({});
  const [isSent, setSent] = createSignal(false); // an earlier form of it
  let dialog!: HTMLDialogElement, text!: Surface, to!: Field, cc: Field | undefined;

  const [messages] = createResource(async () =>
    keepReply(await get(`/cases/${c.id}/posts`, { fields: POST_FIELDS.join(','), include: 'user_minimal,attachment', filters: 'MESSAGES', limit: MESSAGES_MOST, _flat: true })).reverse());
  const listed = () => messages.error ? [] : messages() ?? [];
  onCleanup(() => forget('post', listed().filter((id) => !c.posts().includes(id))));

  const subject = () => form().subject ?? `Fwd: ${c.row()?.subject ?? ''}`;
  /** What the dialog proposes: the message that was asked for, or the newest. */
  const proposed = () => [listed().find((id) => id === props.post) ?? listed().at(-1)].filter((id) => id !== undefined);
  const chosen = createMemo(() => form().posts ?? proposed());
  const forwarded = () => chosen().filter((id) => !listed().length || listed().includes(id));
  const attachments = () => forwarded().flatMap(filesOf).map(({ id }) => id!).filter((id) => !form().left.includes(id));
  const isBegun = () => draft.filled() || draft.files.files().length > 0 || Object.keys(draft.fields()).length > 0;
  const hasCopies = () => copies() || form().cc.length > 0;
  const recipients = () => form().to.length + form().cc.length;

  onMount(() => {
    dialog.showModal();
    to.focus();
    void draft.readServer().catch(() => undefined).then(() => {
      const taken = props.content;
      if (!taken) return;
      const isFree = !isBegun();
      if (isFree) draft.put(taken); else text.append(taken.text);
    });
    addEventListener('popstate', leave);
    onCleanup(() => removeEventListener('popstate', leave));
  });
  const leave = () => dialog.close();
  // The message that is asked for comes to those of the draft.
  createEffect(on(messages, () => {
    const { posts } = form();
    if (posts && props.post && listed().includes(props.post)) choose(props.post, true);
  }, { defer: true }));

  const clear = (name: string) => setWrong((all) => Object.fromEntries(Object.entries(all).filter(([one]) => one !== name && one !== '' && !one.startsWith(`${name}/`))));
  const choose = (id: number, on: boolean) => {
    clear('post_ids');
    clear('attachment_ids');
    change({ posts: listed().filter((one) => one === id ? on : chosen().includes(one)) });
  };
  const take = (file: number, on: boolean) => {
    clear('attachment_ids');
    change({ left: [...form().left.filter((id) => id !== file), ...on ? [] : [file]] });
  };
  const setAddresses = (which: 'to' | 'cc', addresses: string[]) => { clear('to'); clear('cc'); change({ [which]: addresses }); };

  let sent = false; // or thrown away
  const close = () => {
    if (isBegun() && !sent) setBegun(c.id, true), tell(say('kept'));
    else if (!sent) setBegun(c.id, false);
    props.onClose();
  };
  const discard = () => {
    const back = draft.discard();
    sent = true;
    setBegun(c.id, false);
    dialog.close();
    tell(say('discarded'), async () => { back(); setBegun(c.id, true); });
  };

  const takeBack = async (post: number, content: Content) => {
    await call('DELETE', `/cases/${c.id}/forward/${post}`);
    c.forget(post);
    await openForward(c, undefined, content);
  };

  const send = async () => {
    if (busy()) return;
    const toAll = to.settle(), ccAll = hasCopies() && cc ? cc.settle() : [];
    if (!toAll || !ccAll) { (toAll ? cc! : to).focus(); return; }
    await draft.files.settled();
    setWrong({});
    setSent(false);
    if (!toAll.length) { setWrong({ to: say('no_recipient') }); to.focus(); return; }
    const isEmpty = !draft.filled() && !forwarded().length && !messages.loading;
    if (isEmpty) { setWrong({ contents: say('nothing') }); text.focus(); return; }
    setBusy(true);
    try {
      await draft.settled();
      const content = draft.content(), left = attachments();
      const body = {
        to: toAll, ...ccAll.length ? { cc: ccAll } : {}, ...subject().trim() ? { subject: subject().trim() } : {}, ...form().posts || listed().length ? { post_ids: forwarded() } : {},
        ...draft.filled() ? { contents: content.text.contents, ...content.text.html ? { is_html: true } : {} } : {},
        ...left.length ? { attachment_ids: left } : {}, ...content.files.length ? { attachment_file_ids: content.files } : {},
      };
      const made = rowsOf(await sendOnce(`/cases/${c.id}/forward`, body, draft))[0] as unknown as { post: { id: number }; undo_until: string | null };
      const post = made.post.id, undoFor = made.undo_until ? Date.parse(made.undo_until) - serverNow() : 0;
      const fields = fieldsOf({ ...form(), to: toAll, cc: ccAll, posts: forwarded() });
      sent = true;
      draft.clear();
      setBegun(c.id, false);
      dialog.close();
      if (undoFor > 0) tell(say('done_for', { n: Math.round(Math.min(undoFor, SHOWN_MS) / 1000) }), () => takeBack(post, { ...content, fields }), undoFor);
      else tell(say('done'));
      await c.readPosts().catch(() => undefined);
    } catch (error) {
      if (isSentBefore(error)) setSent(true);
      else if (error instanceof Unreachable || (error instanceof Refused && error.reply.status >= 500)) setWrong({ '': sayCommon('not_sent_yet') });
      else if (error instanceof Refused && error.reply.errors?.length) {
        const problems = error.reply.errors.map((problem) => [nameOf(problem), problem.message] as const);
        setWrong(Object.fromEntries(problems.map(([name, message]) => [PLACES.some((place) => name === place || name.startsWith(`${place}/`)) ? name : '', message])));
        if (problems.some(([name]) => name.startsWith('to'))) to.focus(); else if (problems.some(([name]) => name.startsWith('cc'))) cc?.focus();
      } else setWrong({ '': sayCommon('not_sent', { reason: (error as Error).message }) });
    } finally { setBusy(false); }
  };
  /** Reasons about members that stand together. */
  const wrongOf = (...names: string[]) => [...new Set(Object.entries(wrong()).filter(([name]) => names.includes(name.split('/')[0]!)).map(([, message]) => message))].join(' ');
  const Wrong = (at: { of: string[] }) => <Show when={wrongOf(...at.of)}>{(message) => <p class="wrong" role="alert">{message()}</p>}</Show>;

  return (
    <dialog ref={dialog} class="card forward" aria-labelledby={title} onClose={close}
      onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void send(); } }}>
      <h2 id={title}>{say('title')}</h2>
      <p class="soft">{say('what')}</p>
      <Show when={draft.offered()}><Suspense><Offered draft={draft} title={formOf(draft.offered()?.fields ?? {}).to.join(', ') || undefined} /></Suspense></Show>
      <Addresses label={say('to')} add={say('add_to')} addresses={form().to} others={form().cc} refused={(i) => wrong()[`to/${i}`]} wrong={wrong()['to']} typed={props.typed}
        onChange={(addresses) => setAddresses('to', addresses)} ref={(field) => { to = field; }} />
      <Show when={hasCopies()} fallback={<button type="button" class="link" onClick={() => { setCopies(true); queueMicrotask(() => cc?.focus()); }}>{say('cc')}</button>}>
        <Addresses label={say('cc')} add={say('add_cc')} addresses={form().cc} others={form().to} refused={(i) => wrong()[`cc/${i}`]} wrong={wrong()['cc']}
          onChange={(addresses) => setAddresses('cc', addresses)} ref={(field) => { cc = field; }} />
      </Show>
      <div class="forward-field">
        <label for={`${title}-subject`}>{say('subject')}</label>
        <input id={`${title}-subject`} dir="auto" value={subject()} maxLength={255} aria-invalid={wrong()['subject'] ? true : undefined} onInput={(event) => { clear('subject'); change({ subject: event.currentTarget.value }); }} />
        <Wrong of={['subject']} />
      </div>
      <div class="forward-field">
        <span aria-hidden="true">{say('comment')}</span>
        <TextField ref={(surface) => { text = surface; }} rows={3} label={say('comment')} draft={draft} onTyped={() => clear('contents')} />
        <FileList files={draft.files} />
        <Wrong of={['contents', 'attachment_file_ids', 'attachments']} />
        <Show when={isBegun() && draft.isNowhere()}><p class="warning" role="alert">{sayCommon('draft_nowhere')}</p></Show>
        <Show when={draft.filled() && draft.isTooLong()}><p class="soft">{sayCommon('draft_long')}</p></Show>
      </div>
      <fieldset class="forward-field" aria-busy={messages.loading}>
        <legend>{say('messages')}</legend>
        <div class="forward-messages" tabindex="0" role="group" aria-label={say('messages')}>
          <Show when={listed().length >= MESSAGES_MOST}><p class="soft">{say('older')}</p></Show>
          <For each={listed()}>
            {(id) => (
              <div class="forward-message">
                <label><input type="checkbox" checked={chosen().includes(id)} onChange={(event) => choose(id, event.currentTarget.checked)} />
                  <span><b dir="auto">{authorOf(id)}</b> <span class="soft">{shortTime(postOf(id)?.created_at ?? new Date().toISOString())}</span> <span class="forward-text" dir="auto">{postOf(id)?.contents}</span></span>
                </label>
                <Show when={chosen().includes(id) && filesOf(id).length}>
                  <ul aria-label={say('files', { name: authorOf(id) })}>
                    <For each={filesOf(id)}>{(file) => <li><label><input type="checkbox" checked={!form().left.includes(file.id!)} onChange={(event) => take(file.id!, event.currentTarget.checked)} /> <span dir="auto">{file.name}</span></label></li>}</For>
                  </ul>
                </Show>
              </div>
            )}
          </For>
        </div>
        <Show when={!messages.loading && !forwarded().length}><p class="soft">{say('none')}</p></Show>
        <Show when={messages.error}><p class="wrong" role="alert">{sayCommon('posts_failed')}</p></Show>
        <Wrong of={['post_ids', 'attachment_ids', 'include_attachments']} />
      </fieldset>
      <div class="forward-foot">
        <Wrong of={['']} />
        <Show when={isSent()}><p class="wrong" role="alert">{sayCommon('sent_before')} <button type="button" onClick={() => { draft.renew(); void send(); }}>{sayCommon('send_again')}</button></p></Show>
        <button type="button" class="main" title={keyText('Ctrl+Enter')} disabled={busy()} onClick={() => void send()}>{busy() ? sayCommon('sending') : recipients() ? say('send', { n: recipients() }) : say('send_none')}</button>
        <label class="button"><input type="file" multiple class="hidden" onChange={(event) => { clear('attachment_file_ids'); draft.files.add(event.currentTarget.files ?? []); event.currentTarget.value = ''; }} />{sayCommon('attach')}</label>
        <span class="grow" />
        <Show when={isBegun()}><button type="button" onClick={discard}>{say('discard')}</button></Show>
        <button type="button" onClick={() => dialog.close()}>{sayCommon('close')}</button>
      </div>
    </dialog>
  );
};
const PLACES = ['to', 'cc', 'subject', 'contents', 'post_ids', 'attachment_ids', 'include_attachments', 'attachment_file_ids', 'attachments'];

let open = false;
/** Opens the dialog. `post`: the message that is chosen first; `content`: a forward that was taken back. */
export const openForward = async (c: Conversation, post?: number, content?: Content) => {
  await ready().catch(() => undefined);
  const typed = takeTyped();
  if (open || document.querySelector('dialog[open]')) {
    if (content) createRoot((end) => { createForwardDraft(c.id).put(content); end(); });
    return;
  }
  open = true;
  const place = document.body.appendChild(document.createElement('div')), opener = document.activeElement;
  const end = () => { open = false; stop(); place.remove(); if (opener instanceof HTMLElement) opener.focus(); };
  const stop = render(() => <Dialog conversation={c} post={post} content={content} typed={typed} onClose={end} />, place);
};

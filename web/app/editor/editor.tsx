// The editor below the timeline: a reply or a note. Replies are shown as sending until the server has them; a request that is repeated
// after a break has the same key, so it makes one post.
import { createEffect, createMemo, createSignal, For, on, onMount, Show, Suspense } from 'solid-js';
import { call, get, Refused, rowsOf, Unreachable, type Row } from '../../kit/api';
import { takeTyped, useKeys } from '../../kit/keys';
import { lazy } from '../../kit/lazy';
import { connected } from '../../kit/live';
import { Menu } from '../../kit/menu';
import { keepReply, rowOf } from '../../kit/store';
import { SHOWN_MS, tell } from '../../kit/strip';
import { fullTime, say } from '../../kit/words';
import { CASE_SOURCE, overtakenBy, type Conversation } from '../conversation/data';
import { kindOf, postOf } from '../conversation/posts';
import { statuses } from '../frame/catalog';
import { ended } from '../session/session';
import { ArticleField } from './articles';
import { channelsOf, Copies, isPlain, usualChannel, type ReplyChannel } from './copies';
import { channelOf, createDraft, findDrafts, type Channel, type Content, type SharedDraft } from './draft';
import { FileList } from './files';
import type { Chosen } from './macro';
import { MacroField } from './macros';
import { isSentBefore, send } from './send';
import type { Surface } from './surface';
import { TextField } from './text';

const MacroLine = lazy(async () => ({ default: (await import('./macro')).MacroLine }));
const Offered = lazy(async () => (await import('./offered')).loadOffered());
const Shared = lazy(async () => (await import('./shared')).loadShared());
const Later = lazy(async () => (await import('./later')).loadLater());
const TYPING_MS = 3000, POSTS_AT_ONCE = 5;

/** An activity that says that a draft is shared, or is not any more. */
const tellsOfSharing = (post: number) => {
  const row = postOf(post), activity = kindOf(row) === 'activity' ? rowOf('activity', row!.original as unknown as { id: number }) : undefined;
  return (activity?.['actions'] as { field: string }[] | undefined)?.some(({ field }) => field === 'shared_draft');
};

/** Why a text was not sent, and what to do. */
type Wrong = { text: string } & ({ do?: undefined } | { do: 'again' | 'another' });

/** `begun`: the key by which the person has begun to write before this part was there. */
export const Editor = (props: { conversation: Conversation; name: string; begun: () => string; onDone: () => void }) => {
  const c = props.conversation, drafts = { reply: createDraft(c.id, 'reply', () => seen()), note: createDraft(c.id, 'note', () => seen()) };
  const [shared, setShared] = createSignal<SharedDraft[]>([]);
  /** A draft of this person that was shared, and that the server has no more, was taken. */
  const readDrafts = async () => {
    const before = (['reply', 'note'] as const).filter((which) => drafts[which].isShared());
    const { others, mine } = await findDrafts(c.id, drafts);
    setShared(others);
    for (const which of before) if (!mine.some((row) => channelOf(row) === which) && drafts[which].filled()) drafts[which].lose(), tell(say('draft_taken'));
  };
  void readDrafts().catch(() => undefined);
  const channels = createMemo(() => channelsOf(c.row()));
  const [chosenWay, setWay] = createSignal<ReplyChannel>();
  const way = () => chosenWay() ?? usualChannel(c.row(), channels());
  const [channel, setChannel] = createSignal<Channel>('reply');
  const [busy, setBusy] = createSignal(false), [active, setActive] = createSignal(false);
  const [wrong, setWrong] = createSignal<Wrong>();
  const [lost, setLost] = createSignal(false); // the connection broke since the text was sent in vain
  const [overtaken, setOvertaken] = createSignal(0);
  const [seen, setSeen] = createSignal<number>();
  const [macro, setMacro] = createSignal<Chosen>(); // its properties are set when the text is sent
  const [all, setAll] = createSignal(0); // grows when the reply shall go to all
  let settleCopies: () => string | undefined = () => undefined;
  const [laters, setLaters] = createSignal<Row[]>([]);
  const readLaters = () => get(`/cases/${c.id}/scheduled_replies`, { limit: 100, include: 'user_minimal', _flat: true }).then((reply) => { keepReply(reply); setLaters(rowsOf(reply)); }, () => undefined);
  void readLaters();
  const lastPost = createMemo(() => c.posts().at(-1)); // each change of a scheduled reply is an activity, and a post takes one away
  createEffect(on(lastPost, (_, before) => { if (before !== undefined) void readLaters(); }));
  const sharing = createMemo(() => c.posts().slice(-POSTS_AT_ONCE).filter(tellsOfSharing).at(-1));
  createEffect(on(sharing, () => void readDrafts().catch(() => undefined), { defer: true }));
  let text!: Surface, macroInput!: HTMLInputElement, told = 0, last: { statusId?: number | undefined; anyway: boolean; sendAt?: string | undefined } = { anyway: false };
  const draft = () => drafts[channel()];
  const isClosed = () => rowOf('case_status', c.row()?.status as { id: number } | null)?.type === 'CLOSED';
  const mayReply = () => !c.row()?.reply_channels || channels().length > 0;
  const plain = () => channel() === 'reply' && isPlain(way());
  const isEmpty = () => !draft().filled() && !draft().files.files().some(({ id }) => id !== undefined);
  const completed = () => statuses().find(({ type }) => type === 'COMPLETED')?.id;

  createEffect(on(c.state, () => setSeen((former) => former ?? c.newest())));
  createEffect(() => { if (!mayReply()) setChannel('note'); });
  createEffect(() => { if (!connected()) setLost(true); });
  // The login that lies over the page takes the focus, and gives it back.
  createEffect(on(ended, (now, before) => { if (before && !now) text?.focus(); }));
  const write = (which: Channel) => { if (which === 'reply' && !mayReply()) return; setChannel(which); setWrong(undefined); queueMicrotask(() => text?.focus()); };
  const toAll = () => { write('reply'); setActive(true); setAll(all() + 1); };
  useKeys([
    { key: 'r', word: 'key_reply', run: () => write('reply') },
    { key: 'R', word: 'key_reply_all', run: toAll },
    { key: 'n', word: 'key_note', run: () => write('note') },
    { key: 'm', word: 'key_macro', run: () => macroInput?.focus() },
    { key: '', word: 'share_draft', run: () => void share() },
    { key: 'Ctrl+Enter', word: 'key_send', inText: true, run: () => void sendIt() },
    { key: 'Ctrl+Shift+Enter', word: 'key_send_complete', inText: true, run: () => void sendIt(completed()) },
  ]);

  onMount(() => {
    const key = props.begun(), begun = key && takeTyped();
    if (key === 'R') toAll();
    else if (key) write(key === 'n' ? 'note' : 'reply');
    if (begun) queueMicrotask(() => text?.insert(begun));
  });

  /** Ctrl+Enter may come before the text of a macro, as before a file: it waits for them. */
  let coming: Promise<void> | undefined;
  const useMacro = (macro: Promise<Chosen>) => { coming = macro.then(putMacro, (error: Error) => { setWrong({ text: error.message }); }); };
  const putMacro = (chosen: Chosen) => {
    write(chosen.isNote ? 'note' : 'reply');
    setMacro(chosen);
    if (chosen.contents) queueMicrotask(() => text.append({ contents: chosen.contents, html: false }));
  };
  const typed = () => {
    if (isEmpty()) setSeen(c.newest());
    if (Date.now() - told < TYPING_MS) return;
    told = Date.now();
    c.act(channel() === 'reply' ? { is_typing: true } : { is_updating: true });
  };
  const stopTyping = () => { if (told) told = 0, c.act({ is_typing: false, is_updating: false }); };

  /** Takes a sent reply back: its e-mail has not left yet. The text is in the editor again. */
  const takeBack = async (post: number, content: Content) => {
    await call('DELETE', `/cases/${c.id}/reply/${post}`);
    c.forget(post);
    putText(content);
  };
  /** Behind the text that is in the editor, if there is one. */
  const putText = (content: Content, which: Channel = 'reply') => {
    setChannel(which);
    const draft = drafts[which], now = draft.content();
    if (!now.text.contents.trim()) draft.put(content);
    else {
      draft.put({ ...now, files: [...now.files, ...content.files], cc: [...new Set([...now.cc, ...content.cc])] });
      text.append(content.text);
    }
    queueMicrotask(() => text.focus());
  };

  /** A macro without a text needs no reply. */
  const apply = async (chosen: Chosen) => {
    setBusy(true);
    try {
      keepReply(await call('PUT', `/cases/${c.id}`, { query: CASE_SOURCE.query, body: { macro_id: chosen.id } }));
      setMacro(undefined);
      tell(say('macro_applied', { title: chosen.title }));
    } catch (error) { setWrong({ text: say('not_changed', { reason: (error as Error).message }) }); } finally { setBusy(false); }
  };
  const isApplied = () => isEmpty() && !!macro() && !macro()!.contents;

  const sendIt = async (statusId?: number, anyway = false, sendAt?: string) => {
    await Promise.all([coming, draft().files.settled()]);
    const which = channel(), mine = draft(), chosen = macro();
    if (chosen && isApplied() && !busy()) return apply(chosen);
    if (isEmpty() || busy() || mine.files.busy() || (which === 'reply' && isClosed())) return;
    const isMail = which === 'reply' && way()?.type === 'MAIL', noAddress = isMail ? settleCopies() : undefined;
    if (noAddress) { setWrong({ text: say('not_address', { text: noAddress }) }); return; }
    last = { statusId, anyway, sendAt };
    setBusy(true);
    setWrong(undefined);
    setLost(!connected());
    setOvertaken(0);
    try {
      const { content, posts, undoFor, later } = await send({
        caseId: c.id, channel: which, draft: mine, plain: plain(), copies: isMail, channelId: which === 'reply' ? way()?.id : undefined, macroId: macro()?.id, statusId,
        lastSeen: which === 'note' ? undefined : anyway ? c.newest() : seen(), sendAt,
      });
      mine.clear();
      setMacro(undefined);
      const post = posts[0];
      if (later && sendAt) {
        void readLaters();
        tell(say('sends_at', { time: fullTime(sendAt) }), async () => { await call('DELETE', `/cases/${c.id}/scheduled_replies/${later}`); void readLaters(); putText(content); });
      } else if (post && undoFor) tell(say('sent_for', { n: Math.round(Math.min(undoFor, SHOWN_MS) / 1000) }), () => takeBack(post, content), undoFor);
      else tell(say(which === 'note' ? 'note_added' : 'sent'));
      await c.readPosts().catch(() => undefined);
      setSeen(c.newest());
      if (statusId && !later) props.onDone();
    } catch (error) {
      const posts = overtakenBy(error)?.posts;
      if (posts) {
        await c.readPosts().catch(() => undefined);
        setOvertaken(posts.length);
      } else if (isSentBefore(error)) {
        await c.readPosts().catch(() => undefined);
        setWrong({ text: say('sent_before'), do: 'another' });
      } else if (error instanceof Unreachable || (error instanceof Refused && error.reply.status >= 500)) setWrong({ text: say('not_sent_yet'), do: 'again' });
      else setWrong({ text: say('not_sent', { reason: (error as Error).message }) });
    } finally {
      setBusy(false);
      stopTyping();
      text.focus();
    }
  };
  const share = async () => {
    if (isEmpty() || draft().isShared()) return;
    try { await draft().share(true); } catch (error) { setWrong({ text: say('not_changed', { reason: (error as Error).message }) }); }
  };
  const another = () => { draft().renew(); void sendIt(last.statusId, true, last.sendAt); };

  const label = () => isApplied() ? say('macro_apply', { title: macro()!.title }) : channel() === 'note' ? say('add_note') : say('send_reply', { name: props.name });
  const later = () => void import('../snooze/snooze').then(async ({ ready, chooseLater }) => { await ready(); chooseLater((at) => void sendIt(undefined, false, at)); }, (error: Error) => setWrong({ text: error.message }));
  const endings = () => [...statuses().filter(({ type }) => type === 'PENDING' || type === 'COMPLETED')
    .map((s) => ({ label: say('send_and', { status: s.label ?? '' }), run: () => void sendIt(s.id), ...(s.id === completed() ? { key: 'Ctrl+Shift+Enter' } : {}) })), { label: say('send_later'), run: later }, ...draft().isShared() ? [] : [{ label: say('share_draft'), run: () => void share() }]];

  return (
    <form class="editor" classList={{ 'is-note': channel() === 'note', 'is-filled': !isEmpty() || !!macro() }} aria-label={say(channel())} onFocusIn={() => setActive(true)} onSubmit={(event) => { event.preventDefault(); void sendIt(); }}>
      <div class="editor-head">
        <div role="tablist" class="tabs" aria-label={say('text')}>
          <For each={['reply', 'note'] as const}>
            {(which) => <button type="button" role="tab" aria-selected={channel() === which} disabled={which === 'reply' && !mayReply()} onClick={() => write(which)}>{say(which)}{drafts[which].filled() ? ' •' : ''}</button>}
          </For>
        </div>
        <Show when={channel() === 'reply'} fallback={<p class="soft">{say('note_hint')}</p>}>
          <Show when={!isClosed() && channels().length}><Copies caseId={c.id} all={all()} ref={(settle) => { settleCopies = settle; }} name={props.name} active={active()} requester={(c.row()?.requester as { id: number } | null)?.id} channels={channels()} channel={way()} onChannel={(chosen) => { setWay(chosen); setActive(true); }} cc={drafts.reply.cc()} onCc={drafts.reply.setCc} /></Show>
        </Show>
      </div>
      <Show when={laters().length}><Suspense><Later conversation={c} rows={laters()} reread={() => void readLaters()} onTake={(content, isNote) => putText(content, isNote ? 'note' : 'reply')} /></Suspense></Show>
      <Show when={shared().length || draft().isShared()}><Suspense>
        <Shared conversation={c} rows={shared()} drafts={drafts} own={draft()} reread={() => void readDrafts().catch(() => undefined)} onTaken={(which) => { write(which); void readDrafts(); }} />
      </Suspense></Show>
      <Show when={overtaken()}>
        <p class="warning" role="alert">{say('overtaken', { n: overtaken() })}{' '}
          <button type="button" onClick={() => void sendIt(last.statusId, true, last.sendAt)}>{say('send_anyway')}</button>{' '}
          <button type="button" onClick={() => { setSeen(c.newest()); setOvertaken(0); text.focus(); }}>{say('keep_writing')}</button>
        </p>
      </Show>
      <Show when={draft().offered()}><Suspense><Offered draft={draft()} /></Suspense></Show>
      <Show when={wrong()}>
        {(w) => <p class="wrong" role="alert">{w().text}{' '}
          <Show when={w().do === 'again'}>{lost() && connected() ? say('connection_back') : ''} <button type="button" onClick={() => void sendIt(last.statusId, last.anyway, last.sendAt)}>{say('send_again')}</button></Show>
          <Show when={w().do === 'another'}><button type="button" onClick={another}>{say('send_another')}</button></Show>
        </p>}
      </Show>
      <Show when={draft().filled() && draft().isNowhere()}><p class="warning" role="alert">{say('draft_nowhere')}</p></Show>
      <Show when={draft().filled() && draft().isTooLong()}><p class="soft">{say('draft_long')}</p></Show>
      <Show when={channel() === 'note' || !isClosed()} fallback={<p class="soft pad">{say('closed')}</p>}>
        <TextField ref={(surface) => { text = surface; }} rows={4} label={channel() === 'note' ? say('note') : say('reply_to', { name: props.name })} draft={draft()} plain={plain()} mentions={channel() === 'note'} onTyped={typed} onLeave={stopTyping} />
        <FileList files={draft().files} />
        <Show when={macro()}>{(m) => <Suspense><MacroLine macro={m()} onDrop={() => setMacro(undefined)} /></Suspense>}</Show>
        <div class="editor-foot">
          <label class="button"><input type="file" multiple class="hidden" onChange={(event) => { draft().files.add(event.currentTarget.files ?? []); event.currentTarget.value = ''; }} />{say('attach')}</label>
          <MacroField caseId={c.id} onChoose={useMacro} ref={(input) => { macroInput = input; }} />
          <ArticleField onChoose={(title, address) => { text.focus(); text.insert(title, 0, address); }} onWrong={(error) => setWrong({ text: error.message })} />
          <span class="send">
            <button type="submit" class="main" disabled={busy() || draft().files.busy() || (isEmpty() && !isApplied())}>{busy() ? say('sending') : label()}</button>
            <Show when={channel() === 'reply'}><Menu class="send-menu" label={say('send_how')} disabled={busy() || isEmpty()} actions={endings()}><span aria-hidden="true">▾</span></Menu></Show>
          </span>
        </div>
      </Show>
    </form>
  );
};

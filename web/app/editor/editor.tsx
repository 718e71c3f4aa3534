// The editor below the timeline: a reply or a note. Replies are shown as sending until the server has them; a request that is repeated
// after a break has the same key, so it makes one post.
import { createEffect, createSignal, For, on, Show } from 'solid-js';
import { call, Refused, Unreachable, type Row } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { rowOf } from '../../kit/store';
import { tell } from '../../kit/strip';
import { say } from '../../kit/words';
import { overtakenBy, type Conversation } from '../conversation/data';
import { createDraft, findDrafts, type Channel } from './draft';
import { createFiles, FileList } from './files';
import { MacroField, type Chosen } from './macros';
import { statuses } from '../frame/catalog';

const TYPING_MS = 3000;

export const Editor = (props: { conversation: Conversation; name: string; onDone: () => void }) => {
  const c = props.conversation, drafts = { reply: createDraft(c.id, 'reply', () => seen()), note: createDraft(c.id, 'note', () => seen()) };
  void findDrafts(c.id, drafts).catch(() => undefined);
  const [channel, setChannel] = createSignal<Channel>('reply');
  const [busy, setBusy] = createSignal(false);
  const [wrong, setWrong] = createSignal<string>();
  const [overtaken, setOvertaken] = createSignal(0);
  const [seen, setSeen] = createSignal<number>();
  const [macro, setMacro] = createSignal<Chosen>(); // its properties are set when the text is sent
  const files = createFiles();
  const [then, setThen] = createSignal<number>(); // the status after the reply
  let text!: HTMLTextAreaElement, macroInput!: HTMLInputElement, told = 0;
  const draft = () => drafts[channel()];
  const isClosed = () => rowOf('case_status', c.row()?.status as { id: number } | null)?.type === 'CLOSED';

  createEffect(on(c.state, () => setSeen((former) => former ?? c.newest())));
  const write = (which: Channel) => { setChannel(which); setWrong(undefined); queueMicrotask(() => text.focus()); };
  useKeys([
    { key: 'r', word: 'key_reply', run: () => write('reply') },
    { key: 'n', word: 'key_note', run: () => write('note') },
    { key: 'm', word: 'key_macro', run: () => macroInput.focus() },
    { key: 'Ctrl+Enter', word: 'key_send', inText: true, run: () => void send(then()) },
    { key: 'Ctrl+Shift+Enter', word: 'key_send_complete', inText: true, run: () => void send(statuses().find(({ type }) => type === 'COMPLETED')?.id) },
  ]);

  const useMacro = (chosen: Chosen) => {
    write(chosen.isNote ? 'note' : 'reply');
    setMacro(chosen);
    const before = draft().text().trim();
    draft().setText(before && chosen.contents ? `${before}\n\n${chosen.contents}` : chosen.contents || before);
  };
  const typed = () => {
    draft().setText(text.value);
    if (!text.value.trim()) setSeen(c.newest());
    if (Date.now() - told < TYPING_MS) return;
    told = Date.now();
    c.act(channel() === 'reply' ? { is_typing: true } : { is_updating: true });
  };
  const stopTyping = () => { told = 0; c.act({ is_typing: false, is_updating: false }); };

  const send = async (statusId?: number, anyway = false) => {
    const which = channel(), mine = draft(), contents = mine.text().trim();
    if ((!contents && !files.ids().length) || busy() || files.busy()) return;
    setBusy(true);
    setWrong(undefined);
    setOvertaken(0);
    try {
      await mine.settled();
      const headers = { 'Idempotency-Key': mine.key() }, draft_etag = mine.etag();
      const more = { ...(draft_etag ? { draft_etag } : {}), ...(files.ids().length ? { attachment_file_ids: files.ids() } : {}) };
      const lastSeen = anyway ? c.newest() : seen();
      const body = which === 'note' ? { contents, ...more } : { contents, ...more, ...(macro() ? { macro_id: macro()!.id } : {}), source: 'AGENT', ...(lastSeen ? { last_seen_post_id: lastSeen } : {}), ...(statusId ? { status_id: statusId } : {}) };
      await call('POST', `/cases/${c.id}/${which === 'note' ? 'notes' : 'reply'}`, { body, headers });
      mine.clear();
      setThen(undefined);
      setMacro(undefined);
      files.clear();
      tell(say(which === 'note' ? 'note_added' : 'sent'));
      await c.readPosts().catch(() => undefined);
      setSeen(c.newest());
      if (statusId) props.onDone();
    } catch (error) {
      if (error instanceof Refused) mine.renew();
      const posts = overtakenBy(error)?.posts;
      if (posts) {
        await c.readPosts().catch(() => undefined);
        setOvertaken((posts as Row[]).length);
      } else setWrong(say('not_sent', { reason: error instanceof Unreachable ? say('unreachable') : (error as Refused).message }));
    } finally {
      setBusy(false);
      stopTyping();
      text.focus();
    }
  };

  return (
    <form class="editor" classList={{ 'is-note': channel() === 'note' }} onSubmit={(event) => { event.preventDefault(); void send(then()); }}>
      <div class="editor-head">
        <div role="tablist" class="tabs">
          <For each={['reply', 'note'] as const}>
            {(which) => <button type="button" role="tab" aria-selected={channel() === which} onClick={() => write(which)}>{say(which)}{drafts[which].text() ? ' •' : ''}</button>}
          </For>
        </div>
        <span class="grow" />
        <label class="button"><input type="file" multiple class="hidden" onChange={(event) => { void files.add(event.currentTarget.files ?? []); event.currentTarget.value = ''; }} />{say('attach')}</label>
        <MacroField caseId={c.id} onChoose={useMacro} onWrong={(error) => setWrong(error.message)} ref={(input) => { macroInput = input; }} />
      </div>
      <Show when={channel() === 'note'}><p class="soft">{say('note_hint')}</p></Show>
      <Show when={overtaken()}>
        <p class="warning" role="alert">{say('overtaken', { n: overtaken() })}{' '}
          <button type="button" onClick={() => void send(then(), true)}>{say('send_anyway')}</button>{' '}
          <button type="button" onClick={() => { setSeen(c.newest()); setOvertaken(0); text.focus(); }}>{say('keep_writing')}</button>
        </p>
      </Show>
      <Show when={draft().offered() !== undefined}>
        <div class="warning" role="alert"><p>{say('draft_elsewhere')}</p><blockquote dir="auto">{draft().offered()}</blockquote>
          <button type="button" onClick={() => draft().choose(true)}>{say('draft_take')}</button>{' '}
          <button type="button" onClick={() => draft().choose(false)}>{say('draft_keep')}</button>
        </div>
      </Show>
      <Show when={wrong()}><p class="wrong" role="alert">{wrong()}</p></Show>
      <Show when={channel() === 'note' || !isClosed()} fallback={<p class="soft pad">{say('closed')}</p>}>
        <textarea ref={text} rows="4" dir="auto" aria-label={channel() === 'note' ? say('note') : say('reply_to', { name: props.name })}
          value={draft().text()} onInput={typed} onBlur={stopTyping}
          onPaste={(event) => { const pasted = event.clipboardData?.files; if (pasted?.length) { event.preventDefault(); void files.add(pasted); } }}
          onDragOver={(event) => { if (event.dataTransfer?.types.includes('Files')) event.preventDefault(); }}
          onDrop={(event) => { const dropped = event.dataTransfer?.files; if (dropped?.length) { event.preventDefault(); void files.add(dropped); } }} />
        <FileList files={files} />
        <Show when={macro()}>{(m) => <p class="soft">{say('macro_chosen', { title: m().title })} <button type="button" class="link" onClick={() => setMacro(undefined)}>{say('macro_without')}</button></p>}</Show>
        <div class="editor-foot">
          <button type="submit" class="main" disabled={busy() || files.busy() || !(draft().text().trim() || files.ids().length)}>
            {busy() ? say('sending') : channel() === 'note' ? say('add_note') : say('send_reply', { name: props.name })}
          </button>
          <Show when={channel() === 'reply'}>
            <label class="then"><span>{say('then')}</span>
              <select onChange={(event) => setThen(Number(event.currentTarget.value) || undefined)}>
                <option value="" selected={!then()}>{say('as_it_is')}</option>
                <For each={statuses().filter((s) => s.type === 'PENDING' || s.type === 'COMPLETED')}>{(s) => <option value={s.id} selected={then() === s.id}>{s.label}</option>}</For>
              </select>
            </label>
          </Show>
        </div>
      </Show>
    </form>
  );
};

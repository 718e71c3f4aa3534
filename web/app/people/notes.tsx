// Notes on a person or an organization, the pinned ones first: read, pinned and deleted here, written and changed in a form.
//
// An undo of a deletion writes the note again. That gives back what an author has just deleted, but neither another author nor files: such a note is
// deleted after a question.
import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show, Suspense } from 'solid-js';
import { call, get, type Ref, type Schemas } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { lazy } from '../../kit/lazy';
import { follow, placeNow, type Change } from '../../kit/live';
import { change, keepReply, rowOf, type Shown } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import { fullTime, say as sayCommon, shortTime } from '../../kit/words';
import { inboxChannel } from '../frame/inbox_channel';
import { isAdmin } from '../session/rank';
import { me } from '../session/session';
import { isKept } from '../settings/kept';
import { say } from './words';

const NoteForm = lazy(async () => { const { ready, NoteForm: form } = await import('./note_form'); await ready(); return { default: form }; });

const FIELDS = ['body_text', 'body_html', 'is_pinned', 'color', 'attachments', 'creator', 'created_at'] as const;
export type Note = Shown<'note', typeof FIELDS>;
export const NOTE_QUERY = { fields: FIELDS.join(','), include: 'user_minimal,attachment', _flat: true };
const PAGE = 20;

const here = (url: string | null | undefined) => url ? new URL(url, location.href).pathname : undefined;
const noteOf = (id: number) => rowOf('note', id) as Note | undefined;
const filesOf = (note: Note) => (note.attachments as unknown as Ref[] | null ?? []).map((ref) => rowOf('attachment', ref)).filter((file): file is Schemas['attachment'] => file !== undefined);
/** True if the note has more forms than lines and links, which a plain text would lose. */
export const isFormed = (note: Note) => /<(?!\/?(?:p|br|a|div)\b)[a-z/]/i.test(note.body_html ?? '');

/** `path` is that of the notes: "/users/7/notes". The owner makes a new one for another path. */
export const Notes = (props: { path: string }) => {
  const path = props.path, key = path.slice(1);
  const [ids, setIds] = createSignal<number[]>(), [gone, setGone] = createSignal<ReadonlySet<number>>(new Set()), [hasMore, setHasMore] = createSignal(false), [failed, setFailed] = createSignal(false);
  const [writing, setWriting] = createSignal<number | 'new' | undefined>(isKept(`${key}/new`) ? 'new' : undefined);
  const [asked, setAsked] = createSignal<Note>(), [wrong, setWrong] = createSignal('');
  const stop = new AbortController(), after = placeNow();
  onCleanup(() => stop.abort());
  let button!: HTMLButtonElement, dialog!: HTMLDialogElement, list!: HTMLElement;

  const read = async (is_pinned: boolean, offset = 0) => {
    const reply = await get(path, { ...NOTE_QUERY, is_pinned, limit: PAGE, ...(offset ? { offset } : {}) }, stop.signal);
    const found = keepReply(reply);
    if (!is_pinned) setHasMore(offset + found.length < (reply.total_count ?? 0));
    return found;
  };
  const again = async () => {
    try { setIds((await Promise.all([read(true), read(false)])).flat()); setFailed(false); } catch { if (!stop.signal.aborted) setFailed(true); }
  };
  onMount(() => void again());
  /** A note that somebody writes, changes or pins. */
  const heard = async (event: string, { resource_type: type, resource_id: id }: Change) => {
    if (event === 'RESYNC') return again();
    if (type !== 'note') return;
    try {
      keepReply(await get(`${path}/${id}`, NOTE_QUERY, stop.signal));
      setIds((all) => all && !all.includes(id) ? [...all, id] : all);
    } catch { /* it is deleted */ }
  };
  createEffect(() => { const channel = inboxChannel()?.replace('inbox', key.replace('/notes', '').replace('/', '_')); if (channel) follow(channel, (event, change) => void heard(event, change), { after }); });
  const others = () => (ids() ?? []).filter((id) => noteOf(id)?.is_pinned === false);
  const more = async () => {
    try { const found = await read(false, others().length); setIds((all) => [...new Set([...all ?? [], ...found])]); } catch (error) { if (!stop.signal.aborted) tellWrong((error as Error).message); }
  };
  const shown = createMemo(() => (ids() ?? []).filter((id) => noteOf(id) && !gone().has(id))
    .sort((a, b) => Number(noteOf(b)!.is_pinned) - Number(noteOf(a)!.is_pinned) || b - a));

  const nameOf = (note: Note) => rowOf('user', note.creator as Ref | null)?.full_name ?? '';
  const isOwn = (note: Note) => (note.creator as Ref | null)?.id === me()?.id;
  const mayChange = (note: Note) => isOwn(note) || isAdmin();

  const pin = async (id: number, is_pinned: boolean, isUndo = false) => {
    const back = change('note', id, { is_pinned }), place = document.activeElement;
    queueMicrotask(() => { if (place instanceof HTMLElement && place.isConnected) place.focus(); }); // the note moves, and a moved element loses the focus
    try {
      keepReply(await call('PUT', `${path}/${id}`, { body: { is_pinned }, query: NOTE_QUERY }));
      if (!isUndo) tell(is_pinned ? sayCommon('pinned') : say('note_unpinned'), () => pin(id, !is_pinned, true));
    } catch (error) {
      back();
      if (isUndo) throw error;
      tellWrong(sayCommon('not_changed', { reason: (error as Error).message }));
    }
  };
  const writeAgain = async (note: Note) => {
    await call('POST', path, { body: { contents: isFormed(note) ? note.body_html : note.body_text, is_html: isFormed(note), is_pinned: note.is_pinned, ...(note.color ? { color: note.color } : {}) } });
    await again();
  };
  const hide = (id: number, isGone: boolean) => setGone((all) => { const next = new Set(all); if (isGone) next.add(id); else next.delete(id); return next; });
  const drop = async (note: Note) => {
    const former = { ...note };
    hide(note.id, true);
    button.focus();
    try {
      await call('DELETE', `${path}/${note.id}`);
      setIds((all) => all?.filter((id) => id !== note.id));
      if (isOwn(former) && !filesOf(former).length) tell(say('note_deleted'), () => writeAgain(former)); else tell(say('note_deleted'));
    } catch (error) {
      hide(note.id, false);
      throw error;
    }
  };
  const ask = (note: Note) => { setAsked(note); setWrong(''); dialog.showModal(); };
  const onDelete = (note: Note) => isOwn(note) && !filesOf(note).length ? void drop(note).catch((error: Error) => tellWrong(sayCommon('not_changed', { reason: error.message }))) : ask(note);
  const dropAsked = async () => { try { await drop(asked()!); dialog.close(); button.focus(); } catch (error) { setWrong((error as Error).message); } };

  const close = () => { const at = writing(); setWriting(undefined); queueMicrotask(() => (typeof at === 'number' && list.querySelector<HTMLElement>(`[data-note="${at}"] .note-edit`) || button).focus()); };
  const begin = () => { if (writing() === 'new') list.querySelector('textarea')?.focus(); else setWriting('new'); };
  useKeys([{ key: 'n', word: 'key_note', run: begin }]);
  createEffect(() => { if (writing() !== undefined && writing() !== 'new' && !noteOf(writing() as number)) setWriting(undefined); });

  return (
    <section ref={list} class="notes" aria-labelledby={`${key}-title`}>
      <div class="notes-head">
        <h2 id={`${key}-title`}>{sayCommon('notes')}</h2><span class="grow" />
        <button ref={button} type="button" aria-expanded={writing() === 'new'} onClick={begin}>{sayCommon('add_note')} <kbd>n</kbd></button>
      </div>
      <Show when={writing() === 'new'}><Suspense><NoteForm path={path} onDone={close} changed={again} /></Suspense></Show>
      <Show when={failed()}><p class="wrong" role="alert">{say('notes_failed')} <button type="button" onClick={() => void again()}>{sayCommon('retry')}</button></p></Show>
      <Show when={ids() && !shown().length && writing() === undefined}><p class="soft">{say('notes_none')}</p></Show>
      <ul class="person-notes">
        <For each={shown()}>
          {(id) => (
            <Show when={noteOf(id)}>
              {(note) => (
                <li class="post is-note" data-note={id}>
                  <Show when={writing() !== id} fallback={<Suspense><NoteForm path={path} note={note()} onDone={close} changed={again} /></Suspense>}>
                    <header>
                      <b class="post-name" dir="auto">{nameOf(note())}</b>
                      <Show when={note().is_pinned}><span class="tag">{say('note_pinned')}</span></Show>
                      <time dateTime={note().created_at ?? ''} title={fullTime(note().created_at!)}>{shortTime(note().created_at!)}</time>
                    </header>
                    <p class="post-text" dir="auto">{note().body_text}</p>
                    <Show when={filesOf(note()).length}><ul class="note-files"><For each={filesOf(note())}>{(file) => <li><a href={here(file.url_download)} target="_self" download={file.name ?? ''} dir="auto">{file.name}</a></li>}</For></ul></Show>
                    <p class="note-acts">
                      <button type="button" class="link" aria-label={say(note().is_pinned ? 'note_unpin_of' : 'note_pin_of', { name: nameOf(note()) })} onClick={() => void pin(id, !note().is_pinned)}>{sayCommon(note().is_pinned ? 'unpin' : 'pin')}</button>
                      <Show when={mayChange(note())}>
                        <button type="button" class="link note-edit" aria-label={say('note_edit_of', { name: nameOf(note()) })} onClick={() => setWriting(id)}>{sayCommon('edit')}<Show when={isKept(`${key}/${id}`)}> <span class="warning">({say('note_unsaved')})</span></Show></button>
                        <button type="button" class="link" aria-label={say('note_delete_of', { name: nameOf(note()) })} onClick={() => onDelete(note())}>{say('note_delete')}</button>
                      </Show>
                    </p>
                  </Show>
                </li>
              )}
            </Show>
          )}
        </For>
      </ul>
      <Show when={hasMore()}><p><button type="button" onClick={() => void more()}>{sayCommon('show_more')}</button></p></Show>
      <dialog ref={dialog} class="card question" aria-labelledby={`${key}-question`}>
        <h2 id={`${key}-question`}>{say('note_delete_title')}</h2>
        <blockquote dir="auto">{asked()?.body_text}</blockquote>
        <p>{say('note_delete_final')}</p>
        <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
        <form method="dialog" class="settings-foot">
          <button type="submit">{sayCommon('cancel')}</button>
          <button type="button" class="danger" onClick={() => void dropAsked()}>{say('note_delete')}</button>
        </form>
      </dialog>
    </section>
  );
};

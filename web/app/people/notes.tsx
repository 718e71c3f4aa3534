// Notes on a person or an organization, the pinned ones first.
import { createEffect, createSignal, For, on, onCleanup, Show } from 'solid-js';
import { get, type Ref } from '../../kit/api';
import { keepReply, rowOf, type Shown } from '../../kit/store';
import { fullTime, say, shortTime } from '../../kit/words';

const FIELDS = ['body_text', 'is_pinned', 'creator', 'created_at'] as const;
type Note = Shown<'note', typeof FIELDS>;
const NOTES_MOST = 20;

export const Notes = (props: { path: string }) => {
  const [notes, setNotes] = createSignal<Note[]>([]);
  createEffect(on(() => props.path, (path) => {
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    setNotes([]);
    get(path, { fields: FIELDS.join(','), include: 'user_minimal', _flat: true, limit: NOTES_MOST }, stop.signal).then((reply) => {
      const found = keepReply(reply).map((id) => rowOf('note', id) as Note | undefined).filter((n): n is Note => n !== undefined);
      setNotes(found.sort((a, b) => Number(b.is_pinned) - Number(a.is_pinned)));
    }, () => undefined);
  }));
  return (
    <Show when={notes().length}>
      <h2>{say('notes')}</h2>
      <ul class="person-notes">
        <For each={notes()}>
          {(note) => (
            <li class="post is-note">
              <p class="post-text" dir="auto">{note.body_text}</p>
              <p class="soft"><span dir="auto">{rowOf('user', note.creator as Ref | null)?.full_name ?? ''}</span> <time dateTime={note.created_at as string} title={fullTime(note.created_at as string)}>{shortTime(note.created_at as string)}</time></p>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
};

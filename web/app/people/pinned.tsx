// The pinned notes on a requester or on an organization, beside the conversation.
import { createEffect, createSignal, For, on, onCleanup, Show } from 'solid-js';
import { get, type Ref } from '../../kit/api';
import { keepReply, rowOf, type Shown } from '../../kit/store';
import { fullTime, say, shortTime } from '../../kit/words';

const FIELDS = ['body_text', 'is_pinned', 'creator', 'created_at'] as const, MOST = 5;
type Note = Shown<'note', typeof FIELDS>;

/** `path` is that of the notes: "/users/7/notes". */
export const Pinned = (props: { path: string }) => {
  const [ids, setIds] = createSignal<number[]>([]);
  createEffect(on(() => props.path, (path) => {
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    setIds([]);
    get(path, { fields: FIELDS.join(','), include: 'user_minimal', _flat: true, is_pinned: true, limit: MOST }, stop.signal).then((reply) => setIds(keepReply(reply)), () => undefined);
  }));
  return (
    <Show when={ids().length}>
      <h4>{say('pinned_notes')}</h4>
      <ul class="person-notes">
        <For each={ids().map((id) => rowOf('note', id) as Note | undefined).filter((note) => note !== undefined)}>
          {(note) => (
            <li class="post is-note pinned-note">
              <p class="post-text" dir="auto">{note.body_text}</p>
              <p class="soft"><span dir="auto">{rowOf('user', note.creator as Ref | null)?.full_name ?? ''}</span> · <time dateTime={note.created_at!} title={fullTime(note.created_at!)}>{shortTime(note.created_at!)}</time></p>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
};

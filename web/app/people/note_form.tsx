// Writes a note on a person or an organization, or changes one. What is typed outlives the form, and a change by somebody else is met as in every form.
import { onMount, Show } from 'solid-js';
import { call, get } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { tell } from '../../kit/strip';
import { say as sayCommon } from '../../kit/words';
import { createForm } from '../settings/form';
import { Form } from '../settings/form_view';
import type { Field } from '../settings/fields';
import type { Values } from '../settings/kept';
import { say } from '../settings/words';
import { isFormed, NOTE_QUERY, type Note } from './notes';

export { ready } from './card_words';

const fields: readonly Field[] = [
  { name: 'contents', label: 'card_note', required: true, long: true, from: (row) => row['body_text'] },
  { name: 'is_pinned', label: 'card_note_pinned', help: 'card_note_pinned_help' },
];

export const NoteForm = (props: { path: string; note?: Note; onDone: () => void; changed: () => Promise<void> }) => {
  const { path, note } = props, own = note && { ...note }, one = `${path}/${note?.id}`;
  let element!: HTMLDivElement;
  // The text that the note had keeps its forms when an undo sets it again.
  const wrap = (values: Values): Values => own && isFormed(own) && values['contents'] === own.body_text ? { ...values, contents: own.body_html, is_html: true } : values;
  const written = (row: { id: number }) => tell(sayCommon('note_added'), async () => { await call('DELETE', `${path}/${row.id}`); await props.changed(); });
  const form = createForm(note
    ? { key: one.slice(1), operation: 'PUT /users/{id}/notes/{note_id}', path: one, read: () => get(one, NOTE_QUERY), fields, wrap, done: props.onDone }
    : { key: `${path}/new`.slice(1), operation: 'POST /users/{id}/notes', path, fields, saved: written, done: () => { void props.changed(); props.onDone(); } });
  onMount(() => queueMicrotask(() => element.querySelector('textarea')?.focus()));
  useKeys([{ key: 'Escape', word: 'close', run: props.onDone }]);
  return (
    <div ref={element} class="note-form">
      <Form form={form} submit={note ? 'save' : 'card_note_add'} actions={<Show when={!form.isChanged()}><button type="button" onClick={props.onDone}>{say('cancel')}</button></Show>}>
        <Show when={own && isFormed(own)}><p class="warning">{say('card_note_forms')}</p></Show>
      </Form>
    </div>
  );
};

// The question before a note in the timeline is deleted. Loaded when somebody asks for it.
import { createSignal, createUniqueId, onMount } from 'solid-js';
import { call } from '../../kit/api';
import { tell } from '../../kit/strip';
import { say as sayCommon } from '../../kit/words';
import { ready, say } from '../people/words';
import type { Conversation } from './data';

export const loadDropNote = async () => { await ready(); return { default: DropNote }; };

const DropNote = (props: { conversation: Conversation; id: number; text: string; onClose: () => void }) => {
  const c = props.conversation, key = createUniqueId(), [wrong, setWrong] = createSignal(''), opener = document.activeElement as HTMLElement | null;
  let dialog!: HTMLDialogElement;
  onMount(() => dialog.showModal());
  const drop = async () => {
    try {
      await call('DELETE', `/cases/${c.id}/notes/${props.id}`);
      dialog.close();
      if (c.pinned().includes(props.id)) await c.readPinned();
      tell(say('note_deleted'));
      document.getElementById('case-title')?.focus();
      c.forget(props.id);
    } catch (error) { setWrong((error as Error).message); }
  };
  return (
    <dialog ref={dialog} class="card question" aria-labelledby={`${key}-question`} onClose={() => { props.onClose(); opener?.focus(); }}>
      <h2 id={`${key}-question`}>{say('note_delete_title')}</h2>
      <blockquote dir="auto">{props.text}</blockquote>
      <p>{say('note_delete_final')}</p>
      <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
      <form method="dialog" class="settings-foot">
        <button type="submit">{sayCommon('cancel')}</button>
        <button type="button" class="danger" onClick={() => void drop()}>{say('note_delete')}</button>
      </form>
    </dialog>
  );
};

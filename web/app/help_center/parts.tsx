// What the forms of this area share: the summary of what is wrong or was changed by others, and a question before something is deleted.
import { createEffect, createSignal, createUniqueId, For, on, Show } from 'solid-js';
import type { Edit } from '../settings/edit';
import { valueText } from './names';
import { say } from './words';

/** The problems of an edit, and the values between which the person chooses. */
export const Summary = (props: { edit: Edit; nameOf: (name: string) => string; textOf?: (name: string, value: unknown) => string }) => {
  let box!: HTMLDivElement;
  const count = () => props.edit.state.problems.length + props.edit.state.met.length;
  createEffect(on(count, (now, before = 0) => {
    const prefix = `${say('error')}: `;
    document.title = document.title.replace(prefix, '');
    if (now) document.title = prefix + document.title;
    if (now > before) queueMicrotask(() => box.focus());
  }));
  return (
    <div ref={box} class="summary" tabindex="-1" role="alert" hidden={!count()}>
      <For each={props.edit.state.problems}>{({ text }) => <p dir="auto">{text}</p>}</For>
      <Show when={props.edit.state.met.length}>
        <p>{say('met')}</p>
        <For each={props.edit.state.met}>
          {(one) => (
            <div class="met" role="group" aria-label={props.nameOf(one.name)}>
              <p><b>{props.nameOf(one.name)}</b></p>
              <p dir="auto">{say('met_theirs', { value: (props.textOf ?? valueText)(one.name, one.theirs) })}</p>
              <div class="settings-foot"><button type="button" onClick={() => props.edit.choose(one, true)}>{say('keep_mine')}</button><button type="button" onClick={() => props.edit.choose(one)}>{say('take_theirs')}</button></div>
            </div>
          )}
        </For>
      </Show>
    </div>
  );
};

export const Question = (props: { open: boolean; title: string; lines: string[]; run: () => Promise<void>; close: () => void }) => {
  const id = createUniqueId(), [wrong, setWrong] = createSignal('');
  let dialog!: HTMLDialogElement;
  createEffect(() => { if (props.open && !dialog.open) { setWrong(''); dialog.showModal(); } if (!props.open && dialog.open) dialog.close(); });
  return (
    <dialog ref={dialog} class="card" aria-labelledby={id} onClose={() => props.close()}>
      <h2 id={id} dir="auto">{props.title}</h2>
      <For each={props.lines}>{(line) => <p dir="auto">{line}</p>}</For>
      <p>{say('delete_final')}</p>
      <p class="wrong" role="alert" dir="auto">{wrong()}</p>
      <form method="dialog" class="settings-foot">
        <button type="submit">{say('cancel')}</button>
        <button type="button" class="danger" onClick={() => void props.run().then(props.close, (error: Error) => setWrong(error.message))}>{say('delete')}</button>
      </form>
    </dialog>
  );
};

// A button that asks before it does what can't be taken back. The answer of the server stands in the question.
import { createSignal, createUniqueId, Show, type JSX } from 'solid-js';
import { Refused } from '../../../kit/api';
import { say, type SettingsWord } from '../words';

interface Props {
  button: SettingsWord;
  /** Name of the thing, for the question and for readers of the screen. */
  name?: string;
  title: SettingsWord;
  why?: SettingsWord;
  danger?: boolean;
  disabled?: boolean;
  /** What is chosen in the question. */
  children?: JSX.Element;
  act: () => Promise<unknown>;
}

export const Question = (props: Props) => {
  const id = createUniqueId(), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  let dialog!: HTMLDialogElement;
  const act = async () => {
    if (busy()) return;
    setBusy(true);
    setWrong('');
    try {
      await props.act();
      dialog.close();
    } catch (error) {
      setWrong(error instanceof Refused ? error.message : say('no_answer'));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" classList={{ danger: props.danger ?? false }} disabled={props.disabled} aria-label={props.name ? `${say(props.button)}: ${props.name}` : undefined} onClick={() => { setWrong(''); dialog.showModal(); }}>{say(props.button)}</button>
      <dialog ref={dialog} class="card question" aria-labelledby={id}>
        <h2 id={id} dir="auto">{say(props.title, { name: props.name ?? '' })}</h2>
        <Show when={props.why}><p>{say(props.why!)}</p></Show>
        {props.children}
        <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
        <form method="dialog" class="settings-foot">
          <button type="submit">{say('cancel')}</button>
          <button type="button" classList={{ danger: props.danger ?? false, main: !props.danger }} disabled={busy()} onClick={() => void act()}>{say(props.button)}</button>
        </form>
      </dialog>
    </>
  );
};

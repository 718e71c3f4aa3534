// The list of all keys that work now.
import { For } from 'solid-js';
import { keysNow, keysOn, keyText, setKeysOn } from '../../kit/keys';
import { say } from '../../kit/words';

let dialog: HTMLDialogElement | undefined;
export const showKeys = () => dialog?.showModal();

export const KeysList = () => (
  <dialog ref={(element) => { dialog = element; }} class="card keys-list" aria-labelledby="keys-title">
    <h2 id="keys-title" tabindex="-1" autofocus>{say('keys_title')}</h2>
    <dl class="keys">
      <For each={keysNow().filter(({ key }) => key)}>{(key) => <><dt><kbd>{keyText(key.key)}</kbd></dt><dd>{say(key.word)}</dd></>}</For>
    </dl>
    <label class="switch"><input type="checkbox" checked={keysOn()} onChange={(event) => setKeysOn(event.currentTarget.checked)} /> {say('keys_single')}</label>
    <form method="dialog"><button type="submit">{say('close')}</button></form>
  </dialog>
);

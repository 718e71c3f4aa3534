// A text that the server shows once, such as a new token: to copy, or to keep as a file.
import { createSignal, onCleanup, Show } from 'solid-js';
import { say, type SettingsWord } from './words';

export const Once = (props: { label: SettingsWord; text: string; file?: string; onKept: () => void }) => {
  const [copied, setCopied] = createSignal(false);
  let area!: HTMLTextAreaElement;
  const lines = () => props.text.split('\n').length;
  const copy = async () => {
    try { await navigator.clipboard.writeText(props.text); } catch { area.select(); document.execCommand('copy'); }
    setCopied(true);
  };
  const address = props.file ? URL.createObjectURL(new Blob([`${props.text}\n`], { type: 'text/plain' })) : undefined;
  onCleanup(() => { if (address) URL.revokeObjectURL(address); });
  return (
    <div class="once" role="group" aria-label={say(props.label)}>
      <label><b>{say(props.label)}</b><textarea ref={area} readonly dir="ltr" rows={lines()} value={props.text} onFocus={(event) => event.currentTarget.select()} /></label>
      <p class="warning">{say('once_why')}</p>
      <div class="settings-foot">
        <button type="button" class="main" onClick={() => void copy()}>{say(copied() ? 'copied' : 'copy')}</button>
        <Show when={address}><a class="button" href={address} download={props.file}>{say('keep_file')}</a></Show>
        <button type="button" onClick={props.onKept}>{say('once_kept')}</button>
      </div>
    </div>
  );
};

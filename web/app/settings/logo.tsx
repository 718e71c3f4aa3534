// The logo or icon of a row: chosen, shown and removed at once.
import { createSignal, Show } from 'solid-js';
import { call } from '../../kit/api';
import { keepReply } from '../../kit/store';
import { Part } from './page';
import { say } from './words';

/** The address of the picture at the host of the page: that of the desk may be another one. */
const here = (address: unknown) => typeof address === 'string' ? new URL(address).pathname + new URL(address).search : undefined;

/** `path` is the row whose `logo` and `logo_file_id` (or `icon` and `icon_file_id`) a PUT changes; `logo` is the address of the picture. */
export const Logo = (props: { path: string; logo: unknown; member?: 'icon' }) => {
  const member = props.member ?? 'logo';
  const [wrong, setWrong] = createSignal<string>(), [busy, setBusy] = createSignal(false);
  const put = async (body: object) => {
    setBusy(true);
    setWrong(undefined);
    try { keepReply(await call('PUT', props.path, { body })); } catch (error) { setWrong((error as Error).message); } finally { setBusy(false); }
  };
  const send = (input: HTMLInputElement) => {
    const file = input.files?.[0], body = new FormData();
    input.value = '';
    if (!file) return;
    body.append(member, file);
    void put(body);
  };
  return (
    <Part title={member}>
      <Show when={here(props.logo)}>{(at) => <img class="brand-logo" src={at()} alt={say(member)} height="40" />}</Show>
      <div class="settings-foot">
        <label class="button">{say('picture_choose')}<input class="hidden" type="file" accept="image/png,image/jpeg" disabled={busy()} onChange={(event) => send(event.currentTarget)} /></label>
        <Show when={props.logo}><button type="button" disabled={busy()} onClick={() => void put({ [`${member}_file_id`]: null })}>{say('picture_remove')}</button></Show>
      </div>
      <p class="wrong" role="alert" hidden={!wrong()}>{wrong()}</p>
    </Part>
  );
};

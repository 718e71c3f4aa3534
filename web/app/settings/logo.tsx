// The logo, icon or picture of a row: chosen, shown and removed at once.
import { createSignal, Show } from 'solid-js';
import { call, rowsOf } from '../../kit/api';
import { keepReply } from '../../kit/store';
import { Part } from './page';
import { say } from './words';

/** The address of the picture at the host of the page: that of the desk may be another one. */
const here = (address: unknown) => typeof address === 'string' ? new URL(address).pathname + new URL(address).search : undefined;

/** `path` is the row whose `logo_file_id`, `icon_file_id` or `picture_file_id` a PUT changes; `logo` is the address of the picture. */
export const Logo = (props: { path: string; logo: unknown; member?: 'icon' | 'picture' }) => {
  const member = props.member ?? 'logo', title = member === 'picture' ? 'home_picture' : member;
  const [wrong, setWrong] = createSignal<string>(), [busy, setBusy] = createSignal(false);
  const put = async (file: File | undefined) => {
    const form = new FormData();
    setBusy(true);
    setWrong(undefined);
    try {
      if (file) form.append('file', file);
      const id = file ? rowsOf(await call('POST', '/files', { body: form }))[0]!.id : null;
      keepReply(await call('PUT', props.path, { body: { [`${member}_file_id`]: id } }));
    } catch (error) { setWrong((error as Error).message); } finally { setBusy(false); }
  };
  const send = (input: HTMLInputElement) => {
    const file = input.files?.[0];
    input.value = '';
    if (file) void put(file);
  };
  return (
    <Part title={title} why={member === 'picture' ? 'home_picture_why' : undefined}>
      <Show when={here(props.logo)}>{(at) => <img class={`brand-${member}`} src={at()} alt={say(title)} height={member === 'picture' ? undefined : '40'} />}</Show>
      <div class="settings-foot">
        <label class="button">{say('picture_choose')}<input class="hidden" type="file" accept="image/png,image/jpeg" aria-label={`${say('picture_choose')}: ${say(title)}`} disabled={busy()} onChange={(event) => send(event.currentTarget)} /></label>
        <Show when={props.logo}><button type="button" aria-label={`${say('picture_remove')}: ${say(title)}`} disabled={busy()} onClick={() => void put(undefined)}>{say('picture_remove')}</button></Show>
      </div>
      <p class="wrong" role="alert" hidden={!wrong()}>{wrong()}</p>
    </Part>
  );
};

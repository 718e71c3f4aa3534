// The login of a mailbox at its provider: whether an owner has agreed, and the way there.
import { createSignal, Show } from 'solid-js';
import { call, rowsOf, type Schemas } from '../../../kit/api';
import { shortTime } from '../../../kit/words';
import { say } from '../words';

export const Consent = (props: { mailbox: Schemas['mailbox']; mayConnect: boolean }) => {
  const [wrong, setWrong] = createSignal<string>();
  const [leaves, setLeaves] = createSignal(false);
  const connected = () => props.mailbox.oauth_state === 'CONNECTED';
  const connect = async () => {
    setWrong(undefined);
    setLeaves(true);
    try {
      location.assign(String(rowsOf(await call('POST', `/mailboxes/${props.mailbox.id}/oauth`))[0]!['url']));
    } catch (error) {
      setLeaves(false);
      setWrong((error as Error).message);
    }
  };
  return (
    <>
      <p><b>{say(connected() ? 'consent_connected' : 'consent_needed')}</b>{' '}
        <Show when={connected() && props.mailbox.oauth_connected_at}>{(time) => <span class="soft">{say('consent_since', { time: shortTime(time()) })}</span>}</Show></p>
      <Show when={props.mailbox.oauth_reason}>{(reason) => <p classList={{ wrong: !connected() }}><span lang="en" dir="auto">{reason()}</span></p>}</Show>
      <Show when={!connected()}><p class="soft">{say('consent_waits')}</p></Show>
      <p><span>{say('consent_callback')}</span> <code dir="ltr" class="long">{props.mailbox.oauth_callback_url}</code></p>
      <Show when={props.mayConnect} fallback={<p class="soft">{say('consent_owner')}</p>}>
        <p><button type="button" disabled={leaves()} onClick={() => void connect()}>{say(connected() ? 'consent_again' : 'consent_begin')}</button></p>
      </Show>
      <p class="wrong" role="alert" hidden={!wrong()}>{wrong()}</p>
    </>
  );
};

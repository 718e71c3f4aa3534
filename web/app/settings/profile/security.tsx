// How one logs in: the password, the second factor, accounts at providers, this session.
import { createSignal, Match, onCleanup, Show, Switch } from 'solid-js';
import { call, get, rowsOf, type Schemas } from '../../../kit/api';
import { createRead } from '../../../kit/read';
import { fullTime } from '../../../kit/words';
import { tell } from '../../../kit/strip';
import { logOut, me } from '../../session/session';
import { createForm } from '../form';
import { Form } from '../form_view';
import { Once } from '../once';
import { Page, Part } from '../page';
import { LinkList } from '../signin/links';
import { say } from '../words';
import { Passkeys } from './passkeys';
import { callWithProof, proofRefused } from './proof';

const Password = () => {
  const [turn, setTurn] = createSignal({}); // a new form after each success: passwords do not stay in it
  const make = () => createForm({
    key: 'security/password', operation: 'PUT /profile/password', path: '/profile/password',
    fields: [{ name: 'password', label: 'password_now', required: true, autocomplete: 'current-password' }, { name: 'new_password', label: 'password_new', required: true, autocomplete: 'new-password' }],
    done: () => setTurn({}),
  });
  return <Show when={turn()} keyed>{(_) => <Form form={make()} submit="password_change" />}</Show>;
};

/** An SVG of the server as a picture: it is not parsed into the page. */
const QrCode = (props: { svg: string }) => {
  const address = URL.createObjectURL(new Blob([props.svg], { type: 'image/svg+xml' }));
  onCleanup(() => URL.revokeObjectURL(address));
  return <img class="qr" src={address} alt={say('factor_qr')} width="196" height="196" />;
};

const SecondFactor = () => {
  const [factor, { refetch }] = createRead(async () => rowsOf(await get('/profile/twofactor'))[0] as unknown as Schemas['twofactor']);
  const [codes, setCodes] = createSignal<string[]>(), [begun, setBegun] = createSignal(false), [wrong, setWrong] = createSignal<string>(), [busy, setBusy] = createSignal(false);
  let input!: HTMLInputElement;
  const send = async (event: SubmitEvent, work: () => Promise<void>) => {
    event.preventDefault();
    if (busy()) return;
    setBusy(true);
    setWrong(undefined);
    try {
      await work();
    } catch (error) {
      setWrong(proofRefused(error));
      input.focus();
      input.select();
    } finally {
      setBusy(false);
    }
  };
  const turnOn = async () => {
    const made = rowsOf(await call('POST', '/profile/twofactor', { body: { code: input.value.trim() } }))[0] as unknown as Schemas['twofactor'];
    setCodes((made.recovery_codes ?? []).map(String));
  };
  const turnOff = async () => {
    await callWithProof('DELETE', '/profile/twofactor', { code: input.value.trim() });
    tell(say('factor_is_off'));
    setBegun(false);
    await refetch();
  };
  const kept = () => { setCodes(undefined); setBegun(false); void refetch(); };
  const Code = (props: { off?: boolean }) => (
    <>
      <p class="wrong" role="alert" hidden={!wrong()}>{wrong()}</p>
      <div><label class="label" for="factor-code">{say(props.off ? 'factor_code_off' : 'factor_code')}</label>
        <input ref={input} id="factor-code" class="short" autocomplete="one-time-code" inputmode={props.off ? 'text' : 'numeric'} required maxlength="40" dir="ltr" /></div>
      <div class="settings-foot">
        <button type="submit" class="main" disabled={busy()}>{say(props.off ? 'factor_off' : 'factor_on')}</button>
        <button type="button" onClick={() => { setBegun(false); setWrong(undefined); }}>{say('cancel')}</button>
      </div>
    </>
  );
  return (
    <Switch>
      <Match when={codes()}>{(list) => <><p role="status">{say('factor_is_on')}</p><Once label="recovery_codes" text={list().join('\n')} file="recovery-codes.txt" onKept={kept} /></>}</Match>
      <Match when={factor()?.is_enabled}>
        <p>{say('factor_is_on')}</p>
        <Show when={begun()} fallback={<button type="button" class="danger" onClick={() => setBegun(true)}>{say('factor_off')}</button>}>
          <form class="settings-form" onSubmit={(event) => void send(event, turnOff)}><Code off /></form>
        </Show>
      </Match>
      <Match when={factor()}>
        {(one) => (
          <Show when={begun()} fallback={<button type="button" onClick={() => setBegun(true)}>{say('factor_set_up')}</button>}>
            <form class="settings-form" onSubmit={(event) => void send(event, turnOn)}>
              <ol class="numbered"><li>{say('factor_scan')}</li><li>{say('factor_type')}</li></ol>
              <QrCode svg={one().qr_code ?? ''} />
              <p>{say('factor_secret')} <code class="secret" dir="ltr">{(one().secret ?? '').replace(/.{4}(?=.)/g, '$& ')}</code></p>
              <Code />
            </form>
          </Show>
        )}
      </Match>
    </Switch>
  );
};

const Session = () => {
  const [session] = createRead(async () => rowsOf(await get('/session'))[0] as unknown as Schemas['session']);
  return (
    <Show when={session()}>
      {(one) => (
        <>
          <dl>
            <dt>{say('session_since')}</dt><dd>{fullTime(one().created_at ?? '')}</dd>
            <dt>{say('session_address')}</dt><dd dir="ltr">{one().ip_address}</dd>
            <dt>{say('session_browser')}</dt><dd dir="ltr" class="long">{one().user_agent}</dd>
          </dl>
          <button type="button" onClick={() => void logOut()}>{say('session_end')}</button>
        </>
      )}
    </Show>
  );
};

const Security = () => (
  <Page title="security">
    <Part title="password_change" why="password_why"><Password /></Part>
    <Part title="factor" why="own_factor_why"><SecondFactor /></Part>
    <Part title="passkeys" why="passkeys_why"><Passkeys /></Part>
    <Part title="signin_own" why="signin_own_why"><LinkList query={{ user_id: me()?.id }} none="signin_own_none" /></Part>
    <Part title="session" why="session_why"><Session /></Part>
  </Page>
);
export default Security;

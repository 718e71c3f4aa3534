// The own passkeys: added, renamed and removed. A stolen session is not enough, so adding and removing ask for the password or a code.
import { createSignal, createUniqueId, For, Show } from 'solid-js';
import { call, get, Refused, rowsOf, type Reply, type Schemas } from '../../../kit/api';
import { createRead } from '../../../kit/read';
import { tell } from '../../../kit/strip';
import { shortTime } from '../../../kit/words';
import { make, type Creation } from '../../session/passkey';
import { Question } from '../programs/question';
import { say } from '../words';
import { callWithProof, proofRefused } from './proof';

type Passkey = Schemas['passkey'];
const isPossible = 'PublicKeyCredential' in globalThis && /[a-z]/i.test(location.hostname);

/** Why it did not succeed. The browser does not say what the person has done. */
const reasonOf = (error: unknown) => {
  if (error instanceof DOMException) return say(error.name === 'InvalidStateError' ? 'passkey_known' : 'passkey_not_made');
  return proofRefused(error);
};

/** The password, or with two-factor login a code. */
const Proof = (props: { hasFactor: boolean; ref: (input: HTMLInputElement) => void }) => {
  const id = createUniqueId();
  return (
    <div><label class="label" for={id}>{say(props.hasFactor ? 'factor_code_off' : 'password_now')}</label>
      <input ref={props.ref} id={id} class="short" type={props.hasFactor ? 'text' : 'password'} autocomplete={props.hasFactor ? 'one-time-code' : 'current-password'} maxlength="1024" dir="ltr" /></div>
  );
};
const proofOf = (input: HTMLInputElement, hasFactor: boolean) => (input.value ? { [hasFactor ? 'code' : 'password']: hasFactor ? input.value.trim() : input.value } : {});

const Add = (props: { hasFactor: boolean; onDone: (text?: string) => void }) => {
  const id = createUniqueId(), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  let name!: HTMLInputElement, proof!: HTMLInputElement;
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy()) return;
    setBusy(true);
    setWrong('');
    try {
      const reply = await callWithProof('POST', '/profile/passkeys/options', proofOf(proof, props.hasFactor));
      const credential = await make((reply.data as unknown as { public_key: Creation }).public_key);
      await call('POST', '/profile/passkeys', { body: { name: name.value.trim(), credential } });
      props.onDone(say('passkey_added'));
    } catch (error) {
      setWrong(reasonOf(error));
      if (error instanceof Refused) proof.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="settings-form" aria-busy={busy()} onSubmit={(event) => void add(event)}>
      <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
      <div><label class="label" for={id}>{say('passkey_name')}</label>
        <input ref={(input) => { name = input; queueMicrotask(() => input.focus()); }} id={id} class="short" required maxlength="80" dir="auto" /><p class="soft">{say('passkey_name_help')}</p></div>
      <Proof hasFactor={props.hasFactor} ref={(input) => { proof = input; }} />
      <div class="settings-foot">
        <button type="submit" class="main" disabled={busy()}>{say('passkey_make')}</button>
        <button type="button" onClick={() => props.onDone()}>{say('cancel')}</button>
      </div>
    </form>
  );
};

const One = (props: { row: Passkey; hasFactor: boolean; onChanged: (text: string) => Promise<void> }) => {
  const [renames, setRenames] = createSignal(false), [wrong, setWrong] = createSignal('');
  let name!: HTMLInputElement, proof!: HTMLInputElement;
  const path = () => `/profile/passkeys/${props.row.id}`;
  const rename = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      await call('PUT', path(), { body: { name: name.value.trim() } });
      await props.onChanged(say('passkey_renamed'));
    } catch (error) {
      setWrong(reasonOf(error));
    }
  };
  const remove = async () => {
    try {
      await callWithProof('DELETE', path(), proofOf(proof, props.hasFactor));
    } catch (error) {
      throw new Refused({ status: 0, errors: [{ code: '', message: reasonOf(error) }] } as unknown as Reply);
    }
    await props.onChanged(say('passkey_removed'));
  };
  const facts = () => (props.row.last_used_at ? say('passkey_used', { time: shortTime(props.row.last_used_at) }) : say('passkey_unused'));
  return (
    <li>
      <Show when={renames()} fallback={(
        <>
          <span class="plain-text"><b dir="auto">{props.row.name}</b><span class="soft" dir="auto">{facts()}<Show when={props.row.rp_id !== location.hostname}> · {say('passkey_elsewhere', { host: props.row.rp_id ?? '' })}</Show></span></span>
          <button type="button" aria-label={`${say('passkey_rename')}: ${props.row.name}`} onClick={() => setRenames(true)}>{say('passkey_rename')}</button>
          <Question button="passkey_remove" name={props.row.name ?? ''} title="passkey_question" why="passkey_question_why" danger act={remove}>
            <Proof hasFactor={props.hasFactor} ref={(input) => { proof = input; }} />
          </Question>
        </>
      )}>
        <form class="settings-form" onSubmit={(event) => void rename(event)}>
          <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
          <input ref={(input) => { name = input; queueMicrotask(() => { input.focus(); input.select(); }); }} class="short" aria-label={say('passkey_name')} value={props.row.name ?? ''} required maxlength="80" dir="auto" />
          <div class="settings-foot"><button type="submit" class="main">{say('save')}</button><button type="button" onClick={() => setRenames(false)}>{say('cancel')}</button></div>
        </form>
      </Show>
    </li>
  );
};

export const Passkeys = () => {
  const id = createUniqueId(), [adds, setAdds] = createSignal(false);
  const [rows, { refetch }] = createRead(async () => rowsOf(await get('/profile/passkeys')) as unknown as Passkey[]);
  const [hasFactor] = createRead(async () => (rowsOf(await get('/profile', { fields: 'is_otp_enabled' }))[0] as unknown as Schemas['profile']).is_otp_enabled ?? false);
  const changed = async (text?: string) => {
    setAdds(false);
    if (text) tell(text);
    await refetch();
    document.getElementById(id)?.focus();
  };
  return (
    <div id={id} tabindex="-1">
      <Show when={rows.latest?.length === 0 && !adds()}><p class="soft">{say('passkeys_none')}</p></Show>
      <ul class="plain-rows"><For each={rows.latest}>{(row) => <One row={row} hasFactor={hasFactor() ?? false} onChanged={changed} />}</For></ul>
      <Show when={isPossible} fallback={<p class="soft">{say('passkeys_impossible')}</p>}>
        <Show when={adds()} fallback={<div class="settings-foot"><button type="button" disabled={hasFactor.loading} onClick={() => setAdds(true)}>{say('passkey_add')}</button></div>}>
          <Add hasFactor={hasFactor() ?? false} onDone={(text) => void changed(text)} />
        </Show>
      </Show>
    </div>
  );
};

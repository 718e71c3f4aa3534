// The login: a page of its own, or laid over the page when the session has ended. The page below keeps its texts and its address.
import { createEffect, createResource, createSignal, For, Match, on, Show, Switch } from 'solid-js';
import { prefix, Unreachable, type Reply } from '../../kit/api';
import { place } from '../../kit/route';
import { say as sayOfAll } from '../../kit/words';
import type { Step } from './session';
import { askForLink, giveCode, logIn, renewPassword } from './steps';
import { say, type LoginWord } from './words';

type Stage = 'login' | 'code' | 'recovery' | 'password' | 'forgotten' | 'sent';
const TITLES: Record<Stage, LoginWord> = { login: 'login', code: 'second_step', recovery: 'second_step', password: 'new_password', forgotten: 'forgotten', sent: 'sent_title' };
const BUTTONS: Record<Stage, LoginWord> = { login: 'login', code: 'go_on', recovery: 'go_on', password: 'password_set', forgotten: 'send_link', sent: 'to_login' };
const MINUTE_S = 60;

/** Ways to log in beside the password. Without any, and while they are unknown, the page has none. */
type Way = { id: number; label: string; url: string; is_for_staff: boolean };
const waysIn = async () => {
  try {
    const reply = await fetch(`${prefix}/api/v1/signin/buttons`, { credentials: 'omit' }); // the session of the cookie may have ended
    return ((await reply.json() as { data?: Way[] }).data ?? []).filter((way) => way.is_for_staff);
  } catch { return []; } // the password is a way in, too
};
/** The provider sends the browser back to this page. */
const from = (way: Way) => `${prefix}/signin/${way.id}?to=${encodeURIComponent(location.pathname.slice(prefix.length) + location.search)}`;

/** Browsers know passkeys on pages of a host name with TLS, and on localhost. */
const hasPasskeys = 'PublicKeyCredential' in globalThis && /[a-z]/i.test(location.hostname);

export const Login = (props: { again?: boolean }) => {
  const [stage, setStage] = createSignal<Stage>('login');
  const [problem, setProblem] = createSignal<string>(), [busy, setBusy] = createSignal(false), [waits, setWaits] = createSignal(false);
  const [email, setEmail] = createSignal(''), [ways] = createResource(waysIn);
  const [offered, setOffered] = createSignal(false); // a passkey as second step
  let form!: HTMLFormElement, alert!: HTMLParagraphElement, token = '';

  const value = (name: string) => (form.elements.namedItem(name) as HTMLInputElement | null)?.value ?? '';
  const to = (next: Stage) => { setProblem(undefined); setStage(next); };
  createEffect(on(stage, () => queueMicrotask(() => form.querySelector<HTMLElement>('input:not([hidden]), button')?.focus())));
  const wrong = (text: string) => { setProblem(text); alert.focus(); };

  /** Why the server refused a step, in the language of the page. */
  const reasonOf = (reply: Reply) => {
    const code = reply.errors?.[0]?.code;
    if (reply.status === 429) return say(code === 'AUTHENTICATION_LOCKED' ? 'login_locked' : 'too_many', { n: Math.ceil((reply.retryAfter || MINUTE_S) / MINUTE_S) });
    if (code !== 'AUTHENTICATION_FAILED') return reply.errors?.[0]?.message ?? `HTTP ${reply.status}`;
    if (stage() === 'password') to('login');
    return say(stage() === 'login' ? token ? 'login_too_late' : 'wrong_login' : 'wrong_code');
  };
  const take = (next: Step) => {
    if (next.step === 'refused') wrong(reasonOf(next.reply));
    if (next.step === 'code' || next.step === 'password') token = next.token, to(next.step);
    if (next.step === 'code') void offer(next.token);
  };
  const offer = async (step: string) => {
    setOffered(false);
    if (!hasPasskeys) return;
    const found = await import('./passkey').then(({ wanted }) => wanted(step)).catch(() => undefined); // the code is a way in, too
    setOffered(token === step && !!found?.options);
  };
  const byPasskey = async () => {
    if (busy()) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const { enterByPasskey } = await import('./passkey');
      const next = await enterByPasskey(stage() === 'login' ? '' : token), code = next.step === 'refused' && next.reply.errors?.[0]?.code;
      if (code === 'AUTHENTICATION_FAILED') wrong(say('passkey_refused'));
      else take(next);
    } catch (error) {
      wrong(error instanceof DOMException ? say('passkey_cancelled') : sayOfAll('unreachable'));
    } finally {
      setBusy(false);
    }
  };
  const sendLink = async () => {
    const reply = await askForLink(email());
    if (reply.status >= 400) wrong(reasonOf(reply));
    else setWaits(!!reply.notifications?.length), to('sent');
  };
  const WORK: Record<Stage, () => Promise<void> | void> = {
    login: async () => { token = ''; take(await logIn(email(), value('password'))); },
    code: async () => take(await giveCode(token, value('code').trim())),
    recovery: async () => take(await giveCode(token, value('code').trim())),
    password: async () => take(await renewPassword(token, email(), value('new_password'))),
    forgotten: sendLink,
    sent: () => to('login'),
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy()) return;
    setBusy(true);
    try {
      await WORK[stage()]();
    } catch (error) {
      wrong(error instanceof Unreachable ? sayOfAll('unreachable') : String(error));
    } finally {
      setBusy(false);
    }
  };
  const done = () => stage() === 'login' && !problem() && place().screen === 'login' && place().query.get('done') === 'password';

  return (
    <main class="login" aria-labelledby="login-title">
      <form ref={form} onSubmit={(event) => void send(event)} class="card">
        <h1 id="login-title">{say(props.again && stage() === 'login' ? 'login_again' : TITLES[stage()])}</h1>
        <Show when={props.again && stage() === 'login'}><p class="soft">{say('login_again_why')}</p></Show>
        <Show when={done()}><p role="status">{say('password_is_set')}</p></Show>
        <p ref={alert} role="alert" tabindex="-1" class="wrong" hidden={!problem()}>{problem()}</p>
        <Switch>
          <Match when={stage() === 'login'}>
            <label>{sayOfAll('email')}<input name="email" type="email" autocomplete="username" required value={email()} onInput={(event) => setEmail(event.currentTarget.value)} /></label>
            <label>{sayOfAll('password')}<input name="password" type="password" autocomplete="current-password" required /></label>
          </Match>
          <Match when={stage() === 'code'}>
            <p class="soft">{say('code_why')}</p>
            <label>{say('code')}<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required /></label>
          </Match>
          <Match when={stage() === 'recovery'}>
            <p class="soft">{say('recovery_why')}</p>
            <label>{say('recovery_code')}<input name="code" autocomplete="off" autocapitalize="off" spellcheck={false} maxlength="40" required /></label>
          </Match>
          <Match when={stage() === 'password'}>
            <p class="soft">{say('password_expired')}</p>
            <input hidden name="email" autocomplete="username" value={email()} />
            <label>{say('new_password')}<input name="new_password" type="password" autocomplete="new-password" required /></label>
          </Match>
          <Match when={stage() === 'forgotten'}>
            <p class="soft">{say('forgotten_why')}</p>
            <label>{sayOfAll('email')}<input name="email" type="email" autocomplete="username" required value={email()} onInput={(event) => setEmail(event.currentTarget.value)} /></label>
          </Match>
          <Match when={stage() === 'sent'}>
            <p>{say('link_sent', { address: email() })}</p>
            <Show when={waits()}><p class="notice">{say('link_waits')}</p></Show>
          </Match>
        </Switch>
        <button type="submit" class="main" disabled={busy()}>{say(BUTTONS[stage()])}</button>
        <Show when={hasPasskeys && (stage() === 'login' || (stage() === 'code' && offered()))}><button type="button" class="way" disabled={busy()} onClick={() => void byPasskey()}>{say('passkey_use')}</button></Show>
        <Show when={stage() === 'login' && ways.latest?.length}>
          <For each={ways.latest}>{(way) => <a class="way" href={from(way)} target="_self">{way.label}</a>}</For>
        </Show>
        <Switch>
          <Match when={stage() === 'login'}><button type="button" class="link" onClick={() => to('forgotten')}>{say('forgotten')}</button></Match>
          <Match when={stage() === 'code'}><button type="button" class="link" onClick={() => to('recovery')}>{say('recovery_use')}</button></Match>
          <Match when={stage() === 'recovery'}><button type="button" class="link" onClick={() => to('code')}>{say('code_use')}</button></Match>
        </Switch>
        <Show when={!['login', 'sent'].includes(stage())}><button type="button" class="link" onClick={() => to('login')}>{say('to_login')}</button></Show>
      </form>
    </main>
  );
};

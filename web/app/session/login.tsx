// The login: a page of its own, or laid over the page when the session has ended. The page below keeps its texts.
import { createSignal, Match, onMount, Show, Switch } from 'solid-js';
import { prefix, Unreachable } from '../../kit/api';
import { say } from '../../kit/words';
import { giveCode, logIn, type Step } from './session';

export const Login = (props: { again?: boolean }) => {
  const [step, setStep] = createSignal<Step>();
  const [busy, setBusy] = createSignal(false);
  let email!: HTMLInputElement, password!: HTMLInputElement, code!: HTMLInputElement, problem!: HTMLParagraphElement;
  onMount(() => email.focus());

  const refused = () => { const s = step(); return s?.step === 'refused' ? s.message : undefined; };
  const take = async (work: Promise<Step>) => {
    setBusy(true);
    try {
      const next = await work;
      setStep(next);
      if (next.step === 'refused') problem.focus();
      if (next.step === 'code') code.focus();
    } catch (error) {
      setStep({ step: 'refused', message: error instanceof Unreachable ? say('unreachable') : String(error) });
    } finally {
      setBusy(false);
    }
  };
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const s = step();
    void take(s?.step === 'code' ? giveCode(s.token, code.value) : logIn(email.value, password.value));
  };

  return (
    <main class="login" aria-labelledby="login-title">
      <form onSubmit={send} class="card">
        <h1 id="login-title">{say(props.again ? 'login_again' : 'login')}</h1>
        <Show when={props.again}><p class="soft">{say('login_again_why')}</p></Show>
        <p ref={problem} role="alert" tabindex="-1" class="wrong" hidden={!refused()}>{refused()}</p>
        <Switch>
          <Match when={step()?.step === 'code'}>
            <label>{say('code')}<input ref={code} inputmode="numeric" autocomplete="one-time-code" required /></label>
          </Match>
          <Match when={step()?.step === 'password'}>
            <p>{say('password_expired')} <a href={`${prefix}/helpcenter`} target="_self">{say('password_set')}</a></p>
          </Match>
          <Match when={true}>
            <label>{say('email')}<input ref={email} type="email" autocomplete="username" required /></label>
            <label>{say('password')}<input ref={password} type="password" autocomplete="current-password" required /></label>
          </Match>
        </Switch>
        <button type="submit" class="main" disabled={busy()}>{say('login')}</button>
      </form>
    </main>
  );
};

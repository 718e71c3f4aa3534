// The test of a mailbox: a mail from it to itself. Each step says what happened, and what to do.
import { createSignal, For, onCleanup, Show } from 'solid-js';
import { call, get, Refused, rowsOf, type Schemas } from '../../../kit/api';
import { createRead } from '../../../kit/read';
import { shortTime } from '../../../kit/words';
import { say, type SettingsWord } from '../words';

type Trial = Schemas['mailbox_test'];
interface Step { name: string; result: 'OK' | 'FAILED' | 'WARNING' | 'SKIPPED'; message: string; advice: string | null }
const POLL_MS = 1000;
const MARKS = { OK: '✓', FAILED: '✗', WARNING: '!', SKIPPED: '–' };
const RESULTS: Record<Step['result'], SettingsWord> = { OK: 'trial_ok', FAILED: 'trial_failed', WARNING: 'trial_warning', SKIPPED: 'trial_skipped' };
const NAMES: Record<string, SettingsWord> = {
  mailbox: 'trial_mailbox', consent: 'trial_consent', relay_connection: 'trial_relay', relay_encryption: 'trial_relay_encryption', relay_login: 'trial_relay_login', relay_mail: 'trial_relay_mail',
  imap_connection: 'trial_imap', imap_encryption: 'trial_imap_encryption', imap_login: 'trial_imap_login', imap_folder: 'trial_imap_folder', arrival: 'trial_arrival', authentication: 'trial_authentication',
};

export const TrialView = (props: { mailbox: number; passed?: () => void }) => {
  const path = `/mailboxes/${props.mailbox}/test`;
  const [trial, { mutate, refetch }] = createRead(async () => rowsOf(await get(path))[0] as unknown as Trial);
  const [wrong, setWrong] = createSignal<string>();
  const runs = () => trial()?.status === 'RUNNING';
  const steps = () => (trial()?.steps ?? []) as unknown as Step[];
  const timer = setInterval(() => {
    if (!runs()) return;
    void Promise.resolve(refetch()).then(() => { if (trial()?.status === 'PASSED') props.passed?.(); });
  }, POLL_MS);
  onCleanup(() => clearInterval(timer));
  const begin = async () => {
    setWrong(undefined);
    try {
      mutate(rowsOf(await call('POST', path))[0] as unknown as Trial);
    } catch (error) {
      setWrong(error instanceof Refused && error.reply.status === 429 ? say('trial_wait') : (error as Error).message);
    }
  };
  return (
    <div class="trial">
      <div class="settings-foot">
        <button type="button" disabled={runs()} onClick={() => void begin()}>{say(runs() ? 'trial_runs' : 'trial_begin')}</button>
        <Show when={trial()?.ended_at}><span class="soft">{say('trial_last', { time: shortTime(String(trial()!.ended_at)) })}</span></Show>
      </div>
      <p class="wrong" role="alert" hidden={!wrong()}>{wrong()}</p>
      <div role="status">
        <Show when={runs()}><p class="soft">{say('trial_takes')}</p></Show>
        <Show when={steps().length}>
          <p><b>{say(trial()?.status === 'PASSED' ? 'trial_passed' : 'trial_not_passed')}</b></p>
          <ol class="trial-steps">
            <For each={steps()}>
              {(step) => (
                <li data-result={step.result}><span class="trial-mark" aria-hidden="true">{MARKS[step.result]}</span>
                  <span><b>{NAMES[step.name] ? say(NAMES[step.name]!) : step.name}</b> <span class="trial-result">{say(RESULTS[step.result])}</span>
                    <span class="trial-text" lang="en" dir="auto">{step.message}</span><Show when={step.advice}><span class="trial-text" lang="en" dir="auto">{step.advice}</span></Show></span></li>
              )}
            </For>
          </ol>
        </Show>
      </div>
    </div>
  );
};

// Endpoints: servers, addresses and channels that rules send to.
import { createSignal, For, Show } from 'solid-js';
import { call, rowsOf, type Row, type Schemas } from '../../../kit/api';
import { keepReply } from '../../../kit/store';
import { tell } from '../../../kit/strip';
import { fullTime, shortTime } from '../../../kit/words';
import type { Field } from '../fields';
import type { FormState } from '../form';
import { Once } from '../once';
import { Part } from '../page';
import { rows } from '../rows';
import { say, type SettingsWord } from '../words';
import { Deliveries } from './deliveries';
import { Question } from './question';

type Endpoint = Schemas['endpoint'];
type Type = 'HTTP' | 'EMAIL' | 'SLACK';
const TYPES: Record<Type, SettingsWord> = { HTTP: 'endpoint_http', EMAIL: 'endpoint_email', SLACK: 'endpoint_slack' };
const KEPT_HOURS: readonly [number, SettingsWord][] = [[24, 'secret_day'], [168, 'secret_week'], [0, 'secret_now']];

/** A secret is shown once, after the request that made it. */
const [made, setMade] = createSignal<{ id: number; secret: string }>();
const keepSecret = (row: Row) => { if (row['signing_secret']) setMade({ id: row.id, secret: String(row['signing_secret']) }); };

const attributeOf = (row: Row, name: string) => (row['attributes'] as { name: string; value: unknown }[] | null)?.find((one) => one.name === name)?.value ?? null;
const attribute = (type: Type, field: Field): Field => ({
  ...field, from: (row) => attributeOf(row, field.name), on: (row) => !row || row['type'] === type,
  when: (values) => (values['type'] === undefined || values['type'] === type) && (field.when?.(values) ?? true),
});
const withLogin = (values: { [name: string]: unknown }) => values['use_auth'] === true;

const Secret = (props: { endpoint: Endpoint; form: FormState }) => {
  const [hours, setHours] = createSignal(24);
  const renew = async () => {
    const reply = await call('POST', `/endpoints/${props.endpoint.id}/secret`, { body: { former_hours: hours() } });
    keepSecret(rowsOf(reply)[0]!);
    await props.form.read();
  };
  return (
    <Part title="signing" why="signing_why">
      <Show when={made()?.id === props.endpoint.id && made()}>{(one) => <Once label="signing_secret" text={one().secret} onKept={() => setMade(undefined)} />}</Show>
      <Show when={props.endpoint.former_secret_until}>{(time) => <p>{say('secret_former', { time: fullTime(time()) })}</p>}</Show>
      <p><Question button="secret_new" title="secret_question" why="secret_question_why" act={renew}>
        <label class="label" for="secret-hours">{say('secret_keeps')}</label>
        <select id="secret-hours" onChange={(event) => setHours(Number(event.currentTarget.value))}><For each={KEPT_HOURS}>{([n, word]) => <option value={n} selected={n === hours()}>{say(word)}</option>}</For></select>
      </Question></p>
    </Part>
  );
};

const Below = (props: { endpoint: Endpoint; form: FormState }) => {
  const [turn, setTurn] = createSignal(0), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  const send = async () => {
    setBusy(true);
    setWrong('');
    try {
      keepReply(await call('POST', `/endpoints/${props.endpoint.id}/test`));
      tell(say('endpoint_tested'));
      setTurn((n) => n + 1);
    } catch (error) {
      setWrong((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Part title="endpoint_trial" why="endpoint_trial_why">
        <div class="settings-foot">
          <button type="button" disabled={busy() || !props.endpoint.is_enabled} onClick={() => void send()}>{say('endpoint_test')}</button>
          <Show when={!props.endpoint.is_enabled}><span class="soft">{say('endpoint_test_off')}</span></Show>
        </div>
        <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
        <Show when={props.endpoint.last_attempt_at}>{(time) => <p class="soft">{say(props.endpoint.last_attempt_result === 'SUCCESS' ? 'endpoint_good' : 'endpoint_bad', { time: shortTime(time()) })}: <span lang="en" dir="auto">{props.endpoint.last_attempt_message}</span></p>}</Show>
      </Part>
      <Show when={props.endpoint.type === 'HTTP'}><Secret endpoint={props.endpoint} form={props.form} /></Show>
      <Deliveries endpoint={props.endpoint.id} turn={turn()} />
    </>
  );
};

const stateOf = ({ is_enabled, last_attempt_result: result, last_attempt_at: time }: Endpoint) =>
  !is_enabled ? say('endpoint_off') : !time ? say('endpoint_unused') : say(result === 'SUCCESS' ? 'endpoint_good' : 'endpoint_bad', { time: shortTime(time) });

export default rows({
  name: 'endpoints', path: '/endpoints', type: 'endpoint', title: 'endpoints', new: 'endpoint_new', empty: 'endpoints_empty', emptyNext: 'endpoints_empty_next', deleteWhy: 'endpoint_delete_why',
  sorted: true, initial: () => ({ type: 'HTTP', is_enabled: true, method: 'POST', content_type: 'application/json' }),
  fields: [
    { name: 'title', label: 'name' },
    { name: 'type', label: 'endpoint_type', help: 'endpoint_type_help', words: TYPES },
    { name: 'is_enabled', label: 'endpoint_enabled', help: 'endpoint_enabled_help' },
  ],
  inner: {
    member: 'attributes',
    fields: [
      attribute('HTTP', { name: 'url', long: false, label: 'endpoint_url', help: 'endpoint_url_help', required: true }),
      attribute('HTTP', { name: 'method', label: 'endpoint_method' }),
      attribute('HTTP', { name: 'content_type', label: 'endpoint_content' }),
      attribute('HTTP', { name: 'use_auth', label: 'endpoint_auth' }),
      attribute('HTTP', { name: 'auth_username', label: 'endpoint_user', when: withLogin }),
      attribute('HTTP', { name: 'auth_password', label: 'endpoint_password', help: 'endpoint_password_help', when: withLogin }),
      attribute('EMAIL', { name: 'address', label: 'email', help: 'endpoint_address_help', required: true }),
      attribute('EMAIL', { name: 'subject', label: 'endpoint_subject' }),
      attribute('SLACK', { name: 'webhook_url', long: false, label: 'endpoint_slack_url', help: 'endpoint_slack_help', required: true }),
      attribute('SLACK', { name: 'channel', label: 'endpoint_channel' }),
    ],
    limits: {
      url: { type: 'string', maxLength: 2048 }, method: { type: 'string', options: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
      content_type: { type: 'string', options: ['application/json', 'application/xml', 'application/x-www-form-urlencoded', 'text/plain'] }, use_auth: { type: 'boolean' },
      auth_username: { type: 'string', maxLength: 255 }, auth_password: { type: 'string', format: 'password', maxLength: 1024 }, address: { type: 'string', format: 'email', maxLength: 254 },
      subject: { type: 'string', maxLength: 255 }, webhook_url: { type: 'string', maxLength: 2048 }, channel: { type: 'string', maxLength: 80 },
    },
  },
  label: (row) => row.title ?? '',
  note: (row) => [row.type ? say(TYPES[row.type]) : '', stateOf(row)].filter(Boolean).join(' · '),
  made: keepSecret,
  below: (props) => <Show when={props.row}>{(row) => <Below endpoint={row()} form={props.form} />}</Show>,
});

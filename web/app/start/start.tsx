// The first run: from an empty desk to an answered customer, in five steps. Each says whether it is done; any can be left out.
import { createEffect, createMemo, createSignal, For, Match, on, onCleanup, Show, Switch, type JSX } from 'solid-js';
import { get, prefix } from '../../kit/api';
import { createRead } from '../../kit/read';
import { go, href, place } from '../../kit/route';
import { ColorControl } from '../settings/brand/preview';
import { readRoles, roleChoices } from '../settings/choices';
import { createForm } from '../settings/form';
import { Form } from '../settings/form_view';
import { createRelayForm } from '../settings/mailboxes/relay';
import { TrialView } from '../settings/mailboxes/trial';
import { Addresses } from '../settings/profile/profile';
import { readFacts, steps, type Facts, type Step } from './facts';
import { keepStart } from './offer';
import { say, type StartWord } from './words';

const TITLES: Record<Step, StartWord> = { name: 'step_name', address: 'step_address', people: 'step_people', mail: 'step_mail', message: 'step_message' };
const WHYS: Record<Step, StartWord> = { name: 'step_name_why', address: 'step_address_why', people: 'step_people_why', mail: 'step_mail_why', message: 'step_message_why' };
const POLL_MS = 2000;

interface Props { facts: Facts; changed: () => void }

const Name = (props: Props) => {
  const path = `/brands/${props.facts.brand}`;
  const form = createForm({
    key: 'start/name', operation: 'PUT /brands/{id}', path, read: () => get(path), saved: () => props.changed(),
    fields: [{ name: 'name', label: 'brand_name', help: 'brand_name_help', required: true }, { name: 'color', label: 'brand_color', control: ColorControl, required: true }],
  });
  return <Form form={form} />;
};

const Address = (props: Props) => (
  <>
    <p>{say('address_of_desk')} <code dir="ltr">{props.facts.address}</code></p>
    <Show when={!props.facts.done.address}><p>{say('address_local')}</p><p><code dir="ltr">deskd serve --base-url https://desk.example.com</code></p></Show>
    <h3>{say('address_yours')}</h3>
    <p class="soft">{say('address_yours_why')}</p>
    <Addresses />
  </>
);

const People = (props: Props) => {
  const [turn, setTurn] = createSignal({}), [invited, setInvited] = createSignal<{ name: string; waits: boolean }[]>([]);
  void readRoles();
  const make = () => createForm({
    key: 'start/people', operation: 'POST /users/invite', path: '/users/invite', initial: { role_id: 2 },
    fields: [{ name: 'full_name', label: 'name' }, { name: 'email', label: 'email', required: true }, { name: 'role_id', label: 'role', help: 'role_help', required: true, among: roleChoices }],
    saved: (row, reply) => { setInvited((all) => [...all, { name: String(row['full_name']), waits: !!reply.notifications?.length }]); setTurn({}); props.changed(); },
  });
  return (
    <>
      <div role="status"><For each={invited()}>{(one) => <p><span aria-hidden="true">✓</span> <span dir="auto">{say(one.waits ? 'invited_waits' : 'invited_sent', { name: one.name })}</span></p>}</For></div>
      <Show when={turn()} keyed>{(_) => <Form form={make()} submit="person_new" />}</Show>
    </>
  );
};

const Mail = (props: Props) => (
  <>
    <Form form={createRelayForm({ key: 'start/mail', saved: () => props.changed() })} />
    <h3>{say('mail_test')}</h3>
    <p class="soft">{say('mail_test_why')}</p>
    <TrialView mailbox={props.facts.mailbox} passed={props.changed} />
  </>
);

const Message = (props: Props) => {
  const timer = setInterval(() => { if (!props.facts.conversation) props.changed(); }, POLL_MS);
  onCleanup(() => clearInterval(timer));
  return (
    <div class="start-text" role="status">
      <Show when={props.facts.conversation} fallback={<><p>{say('message_how')}</p><p><a class="button" href={`${prefix}/helpcenter`} target="_blank" rel="noopener">{say('message_form')}</a></p><p class="soft">{say('message_waits')}</p></>}>
        {(id) => <><p>{say('message_here')}</p><p><a class="button" href={href(`/cases/${id()}`)}>{say('message_open')}</a></p></>}
      </Show>
    </div>
  );
};

const SCREENS: Record<Step, (props: Props) => JSX.Element> = { name: Name, address: Address, people: People, mail: Mail, message: Message };

export const Start = () => {
  const [facts, { refetch }] = createRead(readFacts);
  const latest = createMemo(() => facts.latest);
  const changed = () => { void refetch(); };
  const done = (step: Step) => latest()?.done[step] ?? false;
  const count = () => steps.filter(done).length, isAll = () => count() === steps.length;
  const asked = () => steps.find((one) => one === place().parts[0]);
  createEffect(() => { if (latest() && !place().parts[0]) go(`/start/${steps.find((one) => !done(one)) ?? 'done'}`, { replace: true }); });
  const next = (step: Step) => steps[steps.indexOf(step) + 1] ?? 'done';
  const leave = () => { keepStart(isAll() ? 'done' : 'left'); go('/'); };
  let heading: HTMLHeadingElement | undefined;
  createEffect(on(asked, () => queueMicrotask(() => heading?.focus()), { defer: true }));
  createEffect(() => { document.title = `${say('first_steps')} · deskd`; });

  return (
    <main class="screen region start" aria-labelledby="start-title" tabindex="-1" data-region>
      <div class="start-page">
        <header><h1 id="start-title">{say('first_steps')}</h1><span class="grow" /><button type="button" onClick={leave}>{say(isAll() ? 'to_inbox' : 'later')}</button></header>
        <p class="soft">{say('first_steps_why')}</p>
        <Show when={latest()}>
          <nav aria-label={say('first_steps')}>
            <ol class="start-steps">
              <For each={steps}>
                {(one, at) => <li classList={{ 'is-done': done(one) }}><a href={href(`/start/${one}`)} aria-current={asked() === one ? 'step' : undefined}><span class="start-mark" aria-hidden="true">{done(one) ? '✓' : at() + 1}</span><span>{say(TITLES[one])}<span class="hidden">: {say(done(one) ? 'is_done' : 'is_open')}</span></span></a></li>}
              </For>
            </ol>
          </nav>
          <Switch>
            <Match when={place().parts[0] === 'done'}>
              <section class="card" aria-labelledby="step-title">
                <h2 id="step-title" ref={(element) => { heading = element; }} tabindex="-1">{isAll() ? say('all_done') : say('some_done', { n: count(), all: steps.length })}</h2>
                <ul class="start-list"><For each={steps}>{(one) => <li><span aria-hidden="true">{done(one) ? '✓' : '○'}</span> {say(TITLES[one])} <span class="soft">{say(done(one) ? 'is_done' : 'is_open')}</span></li>}</For></ul>
                <p class="soft">{say('again_why')}</p>
                <div class="settings-foot"><button type="button" class="main" onClick={leave}>{say('to_inbox')}</button></div>
              </section>
            </Match>
            <Match when={asked()} keyed>
              {(one) => (
                <section class="card" aria-labelledby="step-title">
                  <h2 id="step-title" ref={(element) => { heading = element; }} tabindex="-1">{say(TITLES[one])}</h2>
                  <p class="soft">{say(WHYS[one])}</p>
                  {SCREENS[one]({ get facts() { return latest()!; }, changed })}
                  <div class="settings-foot start-foot"><span class="grow" /><a class="button" href={href(`/start/${next(one)}`)}>{say(done(one) ? 'next_step' : 'skip_step')}</a></div>
                </section>
              )}
            </Match>
          </Switch>
        </Show>
      </div>
    </main>
  );
};

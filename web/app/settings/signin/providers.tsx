// Providers of OpenID Connect: by whom staff and customers log in, and what a login gives.
import { Show } from 'solid-js';
import { call, type Schemas } from '../../../kit/api';
import { tell } from '../../../kit/strip';
import { readRoles, roles } from '../choices';
import type { Choice, Control } from '../fields';
import type { FormState } from '../form';
import { Part } from '../page';
import { Question } from '../programs/question';
import { rank } from '../rights';
import { rows } from '../rows';
import { say, type SettingsWord } from '../words';
import { LinkList } from './links';
import { Rules } from './mapping';

type Provider = Schemas['signin_provider'];
const RANKS = ['CUSTOMER', 'COLLABORATOR', 'AGENT', 'ADMIN', 'OWNER'] as const;
const RANK_WORDS: Record<string, SettingsWord> = { CUSTOMER: 'signin_customer', COLLABORATOR: 'signin_collaborator', AGENT: 'signin_agent', ADMIN: 'signin_admin', OWNER: 'signin_owner' };
const ranked = (type: string | null | undefined) => RANKS.indexOf(type as typeof RANKS[number]);
const isOwner = () => rank() === 'OWNER';
/** Nobody stores a provider that gives more than the own role has. */
const isAbove = (row: Provider | undefined) => row !== undefined && ranked(row.highest_role) > ranked(rank());
/** Roles that a provider with this limit may give, and the person, too; and the one that is chosen, so that the server can say what is wrong with it. */
const rolesUpTo = (limit: unknown, chosen?: unknown): Choice[] => roles().filter(({ id, type }) => id === chosen || ranked(type) <= Math.min(ranked(String(limit)), ranked(rank()))).map(({ id, title }) => ({ id, label: title ?? '' }));

/** The secret is written only: an empty field keeps the one that is stored. */
const Secret = (props: Control) => (
  <input id={props.id} type="password" autocomplete="new-password" dir="auto" aria-describedby={props.described} aria-invalid={props.invalid} value={typeof props.value === 'string' ? props.value : ''} onInput={(event) => props.set(event.currentTarget.value || undefined)} />
);

const TwoFactors = (props: Control) => (
  <>
    <label class="yes"><input id={props.id} type="checkbox" aria-describedby={`${props.described} ${props.id}-owner`} disabled={!isOwner()} checked={props.value === true} onChange={(event) => props.set(event.currentTarget.checked)} /><span>{say('signin_two_factors')}</span></label>
    <Show when={!isOwner()}><p id={`${props.id}-owner`} class="soft">{say('signin_owner_only')}</p></Show>
  </>
);

const Address = (props: { label: SettingsWord; address: string | null | undefined }) => (
  <><dt>{say(props.label)}</dt><dd><code dir="ltr" class="long">{props.address}</code></dd></>
);

const Below = (props: { provider: Provider; form: FormState }) => {
  const removeSecret = async () => {
    await call('PUT', `/signin/providers/${props.provider.id}`, { body: { client_secret: null } });
    tell(say('signin_secret_removed'));
    await props.form.read();
  };
  return (
    <>
      <Part title="signin_there" why="signin_there_why">
        <dl>
          <Address label="signin_issuer" address={props.provider.issuer} />
          <Address label="signin_callback" address={props.provider.callback_url} />
          <Address label="signin_logout" address={props.provider.logout_url} />
        </dl>
        <p>{say(props.provider.has_client_secret ? 'signin_secret_stored' : 'signin_secret_none')}</p>
        <Show when={props.provider.has_client_secret && !isAbove(props.provider)}>
          <p><Question button="signin_secret_remove" title="signin_secret_question" why="signin_secret_question_why" danger act={removeSecret} /></p>
        </Show>
      </Part>
      <Part title="signin_people" why="signin_people_why"><LinkList query={{ provider_id: props.provider.id, include: 'user,user_minimal' }} none="signin_people_none" /></Part>
    </>
  );
};

void readRoles();
export default rows({
  name: 'signin', path: '/signin/providers', type: 'signin_provider', title: 'signin', new: 'signin_new', empty: 'signin_empty', emptyNext: 'signin_empty_next', deleteWhy: 'signin_delete_why', sorted: true,
  initial: () => ({ scopes: 'openid email profile', is_enabled: true, is_for_staff: true, highest_role: 'AGENT', role_id: rolesUpTo('AGENT').find(({ id }) => id === 2)?.id ?? null, rules: [] }),
  fields: [
    { name: 'name', label: 'name' },
    { name: 'issuer', label: 'signin_issuer', help: 'signin_issuer_help', long: false },
    { name: 'client_id', label: 'signin_client', help: 'signin_client_help' },
    { name: 'client_secret', label: 'signin_secret', help: 'signin_secret_help', control: Secret },
    { name: 'scopes', label: 'signin_scopes', help: 'signin_scopes_help' },
    { name: 'button_label', label: 'signin_button', help: 'signin_button_help' },
    { name: 'is_enabled', label: 'signin_enabled' },
    { name: 'is_for_staff', label: 'signin_for_staff' },
    { name: 'is_for_customers', label: 'signin_for_customers' },
    { name: 'email_domains', label: 'signin_domains', help: 'signin_domains_help', long: false },
    { name: 'creates_people', label: 'signin_creates', help: 'signin_creates_help' },
    { name: 'updates_people', label: 'signin_updates', help: 'signin_updates_help' },
    { name: 'counts_as_two_factors', label: 'signin_two_factors', help: 'signin_two_factors_help', control: TwoFactors },
    { name: 'highest_role', label: 'signin_highest', help: 'signin_highest_help', required: true, among: (values) => RANKS.filter((one) => ranked(one) <= ranked(rank()) || one === values['highest_role']).map((id) => ({ id, label: say(RANK_WORDS[id]!) })) },
    { name: 'role_id', label: 'signin_role', help: 'signin_role_help', among: (values) => rolesUpTo(values['highest_role'], values['role_id']) },
    { name: 'rules', label: 'signin_rules', help: 'signin_rules_help', control: (props) => <Rules {...props} roles={rolesUpTo(props.form.state.values['highest_role'])} /> },
  ],
  label: (row) => row.name ?? '',
  note: (row) => [row.is_enabled ? '' : say('signin_off'), row.is_for_staff ? say('signin_staff') : '', row.is_for_customers ? say('signin_customers') : ''].filter(Boolean).join(' · ') || undefined,
  fixed: isAbove,
  within: (props) => <Show when={isAbove(props.row)}><p class="warning">{say('signin_above')}</p></Show>,
  below: (props) => <Show when={props.row}>{(row) => <Below provider={row()} form={props.form} />}</Show>,
});

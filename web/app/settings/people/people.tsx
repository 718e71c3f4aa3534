// Staff: invited by mail, with a role and teams. Who has left is disabled, so that the conversations keep the name.
import { createResource, createSignal, Show } from 'solid-js';
import { call, get, type Ref, type Schemas } from '../../../kit/api';
import { href } from '../../../kit/route';
import { rowOf } from '../../../kit/store';
import { tell } from '../../../kit/strip';
import { me } from '../../session/session';
import { readRoles, roleChoices, roles, STAFF, teamChoices } from '../choices';
import { rows } from '../rows';
import { say } from '../words';

type Person = Schemas['user'];
const emailOf = (person: Person) => rowOf('identity_email', (person.emails as unknown as Ref[] | undefined)?.[0]);
/** The address is not proved: the link of the invitation was not followed yet. */
const isInvited = (person: Person) => emailOf(person)?.is_validated === false;

const More = (props: { person: Person }) => {
  const [said, setSaid] = createSignal(''), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  const resend = async () => {
    setBusy(true);
    try {
      const reply = await call('POST', '/password/reset', { body: { email: emailOf(props.person)?.email } });
      setWrong('');
      setSaid((reply as { notifications?: { message: string }[] }).notifications?.[0]?.message ?? say('invitation_sent'));
    } catch (error) {
      setWrong((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  const removeFactor = async () => {
    try {
      await call('DELETE', `/users/${props.person.id}/twofactor`);
      tell(say('factor_removed'));
    } catch (error) {
      setWrong((error as Error).message);
    }
  };
  const [passkeys, { mutate }] = createResource(() => props.person.id, async (id) => (await get(`/users/${id}/passkeys`, { limit: 1 })).total_count ?? 0);
  const removePasskeys = async () => {
    try {
      await call('DELETE', `/users/${props.person.id}/passkeys`);
      mutate(0);
      tell(say('passkeys_removed'));
    } catch (error) {
      setWrong((error as Error).message);
    }
  };
  return (
    <section class="settings-more" aria-labelledby="person-more">
      <h2 id="person-more">{say('access')}</h2>
      <p dir="auto">{emailOf(props.person)?.email} · <a href={href(`/people/${props.person.id}`)}>{say('person_page')}</a></p>
      <Show when={isInvited(props.person)}>
        <p>{say('invited_why')}</p>
        <p><button type="button" disabled={busy()} onClick={() => void resend()}>{say('invite_again')}</button></p>
      </Show>
      <Show when={props.person.is_mfa_enabled && props.person.id !== me()?.id}>
        <p>{say('factor_why')}</p>
        <p><button type="button" class="danger" onClick={() => void removeFactor()}>{say('factor_remove')}</button></p>
      </Show>
      <Show when={passkeys.state === 'ready' && passkeys() && props.person.id !== me()?.id}>
        <p>{say('passkeys_of', { n: passkeys() ?? 0 })}</p>
        <p><button type="button" class="danger" onClick={() => void removePasskeys()}>{say('passkeys_remove')}</button></p>
      </Show>
      <p role="status" dir="auto">{said()}</p>
      <p role="alert" class="wrong" dir="auto">{wrong()}</p>
    </section>
  );
};

const People = rows({
  name: 'people', path: '/users', create: '/users/invite', type: 'user', title: 'people', new: 'person_new', empty: 'people_empty', emptyNext: 'people_empty_next', deleteWhy: 'person_delete_why',
  query: STAFF, sorted: true, include: 'role,team,identity_email', initial: () => ({ role_id: roleChoices().find(({ id }) => id === 2)?.id ?? null }),
  fields: [
    { name: 'full_name', label: 'name' },
    { name: 'email', label: 'email', help: 'email_help', required: true, on: (row) => !row },
    { name: 'role_id', label: 'role', help: 'role_help', required: true, among: roleChoices },
    { name: 'team_ids', label: 'teams', among: teamChoices },
    { name: 'agent_case_access', label: 'sees', empty: 'sees_as_role', words: { SELF: 'sees_own', TEAMS: 'sees_teams', ALL: 'sees_all' } },
    { name: 'is_enabled', label: 'is_enabled', help: 'is_enabled_help', on: (row) => row !== undefined && row.id !== me()?.id },
  ],
  label: (person) => person.full_name ?? '',
  note: (person) => [rowOf('role', person.role as Ref | null)?.title, !person.is_enabled ? say('disabled') : isInvited(person) ? say('invited') : undefined].filter(Boolean).join(' · '),
  fixed: (person) => person.id === me()?.id,
  below: (props) => <Show when={props.row}>{(person) => <More person={person()} />}</Show>,
});

/** The form of an invitation begins with a role, so the roles are read before it. */
export default () => {
  const [ready, setReady] = createSignal(roles().length > 0);
  void readRoles().catch(() => undefined).finally(() => setReady(true));
  return <Show when={ready()}><People /></Show>;
};

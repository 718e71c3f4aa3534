// Mailboxes: the addresses at which the desk takes mail, and from which it answers.
import { Show } from 'solid-js';
import { call, get, rowsOf } from '../../../kit/api';
import { createRead } from '../../../kit/read';
import { tell, tellWrong } from '../../../kit/strip';
import { teams } from '../../frame/catalog';
import { Part } from '../page';
import type { Values } from '../kept';
import { rank } from '../rights';
import { rows } from '../rows';
import { say } from '../words';
import { Consent } from './consent';
import { TrialView } from './trial';

const SECURITY = { NONE: 'security_none', STARTTLS: 'security_starttls', TLS: 'security_tls' } as const;
const [brands] = createRead(async () => rowsOf(await get('/brands', { limit: 100 })));
const ownsIt = () => rank() === 'OWNER';

const PROVIDERS = { GOOGLE: 'oauth_google', MICROSOFT: 'oauth_microsoft', GENERIC: 'oauth_generic' } as const;
const byOauth = (values: Values) => ownsIt() && !!values['oauth_provider'];
const generic = (values: Values) => ownsIt() && values['oauth_provider'] === 'GENERIC';

const act = (work: Promise<unknown>, done: () => void) => { void work.then(done, (error: Error) => tellWrong(error.message)); };

export default rows({
  name: 'mailboxes', path: '/mailboxes', type: 'mailbox', title: 'mailboxes', new: 'mailbox_new', empty: 'mailboxes_empty', emptyNext: 'mailboxes_empty_next',
  fields: [
    { name: 'address', label: 'mailbox_address', help: 'mailbox_address_help' },
    { name: 'name', label: 'mailbox_name', help: 'mailbox_name_help' },
    { name: 'brand_id', label: 'mailbox_brand', among: () => (brands() ?? []).map((row) => ({ id: row.id, label: String(row['name']) })) },
    { name: 'team_id', label: 'mailbox_team', help: 'mailbox_team_help', among: () => teams().map((team) => ({ id: team.id, label: team.title ?? '' })) },
    { name: 'is_enabled', label: 'mailbox_enabled' },
    { name: 'oauth_provider', label: 'oauth_provider', help: 'oauth_help', words: PROVIDERS, when: ownsIt },
    { name: 'oauth_client_id', label: 'oauth_client_id', help: 'oauth_client_help', long: false, when: byOauth },
    { name: 'oauth_client_secret', label: 'oauth_client_secret', help: 'secret_help', when: byOauth },
    { name: 'oauth_authorization_url', label: 'oauth_authorization_url', long: false, when: generic },
    { name: 'oauth_token_url', label: 'oauth_token_url', long: false, when: generic },
    { name: 'oauth_issuer', label: 'oauth_issuer', help: 'oauth_issuer_help', long: false, when: generic },
    { name: 'oauth_scopes', label: 'oauth_scopes', long: false, when: generic },
    { name: 'imap_host', label: 'imap_host', help: 'imap_help', when: ownsIt },
    { name: 'imap_port', label: 'imap_port', when: (values) => ownsIt() && !!values['imap_host'] },
    { name: 'imap_security', label: 'imap_security', words: SECURITY, when: (values) => ownsIt() && !!values['imap_host'] },
    { name: 'imap_user', label: 'imap_user', when: (values) => ownsIt() && !!values['imap_host'] },
    { name: 'imap_password', label: 'imap_password', help: 'secret_help', when: (values) => ownsIt() && !!values['imap_host'] && !values['oauth_provider'] },
    { name: 'imap_folder', label: 'imap_folder', when: (values) => ownsIt() && !!values['imap_host'] },
    { name: 'imap_after', label: 'imap_after', help: 'imap_after_help', when: (values) => ownsIt() && !!values['imap_host'] },
    { name: 'smtp_host', label: 'smtp_host', help: 'own_relay_help', long: false, when: ownsIt },
    { name: 'smtp_port', label: 'smtp_port', long: false, when: (values) => ownsIt() && !!values['smtp_host'] },
    { name: 'smtp_security', label: 'smtp_security', words: SECURITY, when: (values) => ownsIt() && !!values['smtp_host'] },
    { name: 'smtp_user', label: 'smtp_user', help: 'smtp_user_help', long: false, when: (values) => ownsIt() && !!values['smtp_host'] },
    { name: 'smtp_password', label: 'smtp_password', help: 'secret_help', when: (values) => ownsIt() && !!values['smtp_host'] && !values['oauth_provider'] },
  ],
  label: (row) => row.address ?? '',
  note: (row) => [row.is_default ? say('mailbox_default') : '', row.is_verified ? '' : say('mailbox_unverified'), row.is_enabled ? '' : say('mailbox_off'), row.oauth_state === 'NEEDS_CONSENT' ? say('consent_needed') : ''].filter(Boolean).join(' · ') || undefined,
  initial: () => ({ is_enabled: true }),
  fixed: (row) => row.is_system ?? false,
  deleteWhy: 'mailbox_delete_why',
  below: (props) => (
    <Show when={props.row}>
      {(row) => (
        <>
          <Show when={row().oauth_provider}><Part title="consent" why="consent_why"><Consent mailbox={row()} mayConnect={ownsIt()} /></Part></Show>
          <Show when={row().imap_error}>{(error) => <p class="wrong">{say('imap_error')} <span lang="en" dir="auto">{error()}</span></p>}</Show>
          <Show when={!row().is_verified}>
            <p>{say('mailbox_unverified_why')} <button type="button" onClick={() => act(call('PUT', `/mailboxes/${row().id}/send_verification_email`), () => tell(say('address_sent', { address: row().address ?? '' })))}>{say('address_again')}</button></p>
          </Show>
          <Show when={row().is_verified && !row().is_default}>
            <p><button type="button" onClick={() => act(call('PUT', '/mailboxes/default', { body: { mailbox_id: row().id } }), () => void props.form.read())}>{say('mailbox_make_default')}</button></p>
          </Show>
          <Part title="trial" why="trial_why"><TrialView mailbox={row().id} /></Part>
        </>
      )}
    </Show>
  ),
});

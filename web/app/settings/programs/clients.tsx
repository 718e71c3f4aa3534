// Programs that may ask people for access by OAuth.
import { createSignal, Show } from 'solid-js';
import { call, rowsOf, type Row, type Schemas } from '../../../kit/api';
import { shortTime } from '../../../kit/words';
import { Logo } from '../logo';
import { Once } from '../once';
import { Part } from '../page';
import { rows } from '../rows';
import { scopeChoices } from '../scopes';
import { say } from '../words';
import { Copied } from './events';
import { GrantList } from './grant_list';
import { Question } from './question';

type Client = Schemas['oauth_client'];

/** A secret is shown once, after the request that made it. */
const [made, setMade] = createSignal<{ id: number; secret: string }>();
const keepSecret = (row: Row) => { if (row['secret']) setMade({ id: row.id, secret: String(row['secret']) }); };

const Below = (props: { client: Client }) => (
  <>
    <Part title="client_access">
      <Copied label="client_key" text={props.client.key ?? ''} />
      <Show when={made()?.id === props.client.id && made()}>{(one) => <Once label="client_secret" text={one().secret} onKept={() => setMade(undefined)} />}</Show>
      <Show when={!props.client.is_public}>
        <p><Question button="client_secret_new" name={props.client.name ?? ''} title="client_secret_question" why="client_secret_why" danger act={async () => keepSecret(rowsOf(await call('POST', `/oauth/clients/${props.client.id}/secret`))[0]!)} /></p>
      </Show>
    </Part>
    <Logo path={`/oauth/clients/${props.client.id}`} logo={(props.client.logo as { url?: string } | null)?.url} />
    <Part title="client_people"><GrantList path="/oauth/grants" query={{ client_id: props.client.id }} none="grants_none" /></Part>
  </>
);

export default rows({
  name: 'clients', path: '/oauth/clients', type: 'oauth_client', title: 'clients', new: 'client_new', empty: 'clients_empty', emptyNext: 'clients_empty_next', deleteWhy: 'client_delete_why',
  sorted: true, initial: () => ({ scopes: ['conversations:read'] }),
  fields: [
    { name: 'name', label: 'name', help: 'client_name_help' },
    { name: 'description', label: 'client_about', long: true },
    { name: 'callback_url', label: 'client_callback', help: 'client_callback_help', long: false },
    { name: 'scopes', label: 'client_scopes', help: 'client_scopes_help', among: scopeChoices },
    { name: 'is_public', label: 'client_public', help: 'client_public_help' },
    { name: 'is_password_grant_enabled', label: 'client_password', help: 'client_password_help' },
    { name: 'url', label: 'client_url', long: false },
    { name: 'author', label: 'client_author' },
    { name: 'author_url', label: 'client_author_url', long: false },
  ],
  label: (row) => row.name ?? '',
  note: (row) => [row.is_public ? say('client_public_note') : '', row.last_used_at ? say('used_last', { time: shortTime(row.last_used_at) }) : say('used_never')].filter(Boolean).join(' · '),
  made: keepSecret,
  below: (props) => <Show when={props.row}>{(row) => <Below client={row()} />}</Show>,
});

// The access that people gave to programs, of the whole desk.
import { createSignal, For } from 'solid-js';
import { get, rowsOf, type Schemas } from '../../../kit/api';
import { readStaff, staffChoices } from '../choices';
import { Page } from '../page';
import { createRead } from '../read';
import { say } from '../words';
import { GrantList } from './grant_list';

export default () => {
  const [clients] = createRead(async () => rowsOf(await get('/oauth/clients', { limit: 1000, fields: 'name' })) as unknown as Schemas['oauth_client'][]);
  const [client, setClient] = createSignal<number>(), [person, setPerson] = createSignal<number>();
  void readStaff();
  return (
    <Page title="grants" why="grants_why">
      <div class="filters">
        <label>{say('grant_program')} <select onChange={(event) => setClient(Number(event.currentTarget.value) || undefined)}><option value="">{say('all')}</option><For each={clients()}>{(one) => <option value={one.id}>{one.name}</option>}</For></select></label>
        <label>{say('grant_person')} <select onChange={(event) => setPerson(Number(event.currentTarget.value) || undefined)}><option value="">{say('all')}</option><For each={staffChoices()}>{(one) => <option value={one.id}>{one.label}</option>}</For></select></label>
      </div>
      <GrantList path="/oauth/grants" query={{ client_id: client(), user_id: person() }} none="grants_none" />
    </Page>
  );
};

// The form of a person. The role and the teams of staff are in the settings.
import { get, type Ref } from '../../kit/api';
import { keepReply, rowOf } from '../../kit/store';
import { zoneChoices } from '../settings/choices';
import type { Field } from '../settings/fields';
import { CardFields, EditCard, OrganizationOf, type Query } from './edit';
import { Identities } from './identities';
import { tagTitles } from './tags';

export { ready } from './card_words';

const isCustomer = (id: number) => rowOf('role', rowOf('user', id)?.role as Ref | null)?.type === 'CUSTOMER';

export const EditPerson = (props: { id: number; query: Query; onDone: () => void }) => {
  const person = () => rowOf('user', props.id), query = { ...props.query, fields: `${props.query['fields']},organization_case_access` };
  const fields: readonly Field[] = [
    { name: 'full_name', label: 'name', required: true },
    { name: 'designation', label: 'profile_position' },
    { name: 'organization_id', label: 'card_organization', control: OrganizationOf, shown: (value) => rowOf('organization', value as number | null)?.name ?? '' },
    { name: 'organization_case_access', label: 'card_access', help: 'card_access_help', words: { REQUESTED: 'card_access_own', ORGANIZATION: 'card_access_all' }, on: () => isCustomer(props.id), when: (values) => !!values['organization_id'] },
    { name: 'tags', label: 'tags', from: (row) => tagTitles(row['tags']) },
    { name: 'time_zone', label: 'profile_zone', empty: 'profile_zone_desk', among: () => zoneChoices(person()?.time_zone ?? undefined) },
    { name: 'is_enabled', label: 'card_enabled', help: 'card_enabled_help' },
  ];
  const read = () => void get(`/users/${props.id}`, props.query).then(keepReply, () => undefined);
  return (
    <EditCard path="/users" id={props.id} query={query} fields={fields} onDone={props.onDone}>
      <Identities kind="emails" user={props.id} changed={read} />
      <Identities kind="phones" user={props.id} changed={read} />
      <Identities kind="twitter" user={props.id} changed={read} />
      <Identities kind="facebook" user={props.id} changed={read} ifAny />
      <CardFields type="user" path="/users" id={props.id} query={props.query} />
    </EditCard>
  );
};

// The form of an organization.
import type { Ref } from '../../kit/api';
import { rowOf } from '../../kit/store';
import type { Field } from '../settings/fields';
import { CardFields, EditCard, type Query } from '../people/edit';
import { tagTitles } from '../people/tags';

export { ready } from '../people/card_words';

const fields: readonly Field[] = [
  { name: 'name', label: 'name', required: true },
  { name: 'domains', label: 'card_domains', help: 'card_domains_help', from: (row) => ((row['domains'] ?? []) as Ref[]).map((ref) => rowOf('identity_domain', ref)?.domain ?? '').filter(Boolean) },
  { name: 'is_shared', label: 'card_shared' },
  { name: 'tags', label: 'tags', from: (row) => tagTitles(row['tags']) },
];

export const EditOrganization = (props: { id: number; query: Query; onDone: () => void }) => (
  <EditCard path="/organizations" id={props.id} query={{ ...props.query, fields: `${props.query['fields']},is_shared` }} fields={fields} onDone={props.onDone}>
    <CardFields type="organization" path="/organizations" id={props.id} query={props.query} />
  </EditCard>
);

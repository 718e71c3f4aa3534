// The form of an organization, and its deletion.
import { Show } from 'solid-js';
import { call, type Ref } from '../../kit/api';
import { go } from '../../kit/route';
import { rowOf } from '../../kit/store';
import { tell } from '../../kit/strip';
import type { Field } from '../settings/fields';
import { mayDo } from '../settings/rights';
import { Question } from '../settings/programs/question';
import { say } from '../settings/words';
import { CardFields, EditCard, type Query } from '../people/edit';
import { tagTitles } from '../people/tags';

export { ready } from '../people/card_words';

const fields: readonly Field[] = [
  { name: 'name', label: 'name', required: true },
  { name: 'domains', label: 'card_domains', help: 'card_domains_help', from: (row) => ((row['domains'] ?? []) as Ref[]).map((ref) => rowOf('identity_domain', ref)?.domain ?? '').filter(Boolean) },
  { name: 'is_validated', label: 'card_validated', help: 'card_validated_help' },
  { name: 'is_shared', label: 'card_shared', help: 'card_shared_help' },
  { name: 'tags', label: 'tags', from: (row) => tagTitles(row['tags']) },
];

export const EditOrganization = (props: { id: number; query: Query; onDone: () => void }) => {
  const name = () => rowOf('organization', props.id)?.name ?? '';
  const remove = async () => {
    const text = say('card_removed', { name: name() });
    await call('DELETE', `/organizations/${props.id}`);
    go('/', { replace: true });
    tell(text);
  };
  return (
    <EditCard path="/organizations" id={props.id} query={props.query} fields={fields} onDone={props.onDone}>
      <CardFields type="organization" path="/organizations" id={props.id} query={props.query} />
      <Show when={mayDo('DELETE /organizations/{id}')}><section class="details-part card-delete"><Question button="delete" title="delete_title" name={name()} why="card_organization_delete_why" danger act={remove} /></section></Show>
    </EditCard>
  );
};

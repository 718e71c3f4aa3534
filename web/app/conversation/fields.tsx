// The custom fields of a conversation. Each is changed by itself.
import { createResource, For, Show } from 'solid-js';
import { get } from '../../kit/api';
import { keepReply, rowOf } from '../../kit/store';
import { say } from '../../kit/words';
import { FieldValue } from '../fields/value';
import { fieldValues, writtenValue, type Conversation } from './data';

/** The definitions of the desk: read once, and again when a field is new. */
const readFields = async (ids: number[]) => {
  if (!ids.every((id) => rowOf('case_field', id))) keepReply(await get('/cases/fields', { limit: 100, include: 'field_option', _flat: true }));
  return true;
};

export const Fields = (props: { conversation: Conversation }) => {
  const ids = () => fieldValues(props.conversation.row()).map(({ field }) => field.id);
  const [known] = createResource(() => ids().length ? ids().join(',') : undefined, () => readFields(ids()));
  const c = props.conversation;
  const save = (id: number, value: string | null) => {
    const field = rowOf('case_field', id)!, key = field.key ?? '';
    const custom_fields = fieldValues(c.row()).map((one) => one.field.id === id ? { ...one, value } : one);
    void c.update({ custom_fields }, { field_values: { [key]: value } }, field.title ?? key);
  };
  const nameOf = (id: number) => `field_values/${rowOf('case_field', id)?.key ?? ''}`;
  const valueOf = (id: number) => { const found = fieldValues(props.conversation.row()).find(({ field }) => field.id === id); return found ? writtenValue(found) : null; };
  const shown = () => known.error || !known() ? [] : ids().filter((id) => rowOf('case_field', id));
  return (
    <Show when={shown().length}>
      <section class="details-part" aria-labelledby="fields-title">
        <h3 id="fields-title">{say('fields')}</h3>
        <For each={shown()}>
          {(id) => <FieldValue field={rowOf('case_field', id)!} value={valueOf(id)} wrong={c.refused()[nameOf(id)]} path={`/cases/${c.id}`} onSave={(value) => save(id, value)} onRefused={(reason) => c.refuse(nameOf(id), reason)} />}
        </For>
      </section>
    </Show>
  );
};

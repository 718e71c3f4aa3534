// The organization whose conversations count. The address has its id, so its name is read.
import { createEffect, createSignal, on } from 'solid-js';
import { get, rowsOf } from '../../kit/api';
import { Combobox } from '../../kit/combobox';
import { param, setParams } from './ask';
import { say } from './words';

const without = () => ({ id: 0, label: say('organizations_without') });

export const OrganizationChoice = () => {
  const [name, setName] = createSignal('');
  createEffect(on(() => param('organization_id'), (id) => {
    const told = (text: string) => { if (param('organization_id') === id) setName(text); };
    if (!id) told('');
    else if (id === '0') told(without().label);
    else get(`/organizations/${encodeURIComponent(id)}`, { fields: 'name' }).then(({ data }) => told(String((data as unknown as { name: string }).name)), () => told(say('gone', { id })));
  }));
  const find = async (text: string) => {
    const found = rowsOf(await get('/autocomplete/organizations', { name: text, limit: 10, fields: 'name' })).map((row) => ({ id: row.id, label: String(row['name']) }));
    return without().label.toLocaleLowerCase().includes(text.toLocaleLowerCase()) ? [...found, without()] : found;
  };
  return (
    <div class="choice"><span aria-hidden="true">{say('organization')}</span>
      <Combobox label={say('organization')} value={name()} placeholder={say('all')} find={find} onChoose={({ id }) => setParams({ organization_id: String(id) })} /></div>
  );
};

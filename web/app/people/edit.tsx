// Changes a person or an organization: properties in a form, custom fields each in its place.
import { createSignal, createUniqueId, For, onMount, Show, type JSX } from 'solid-js';
import { call, get, rowsOf } from '../../kit/api';
import { Combobox } from '../../kit/combobox';
import { useKeys } from '../../kit/keys';
import { createRead } from '../../kit/read';
import { keepReply, rowOf } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import { say as sayCommon } from '../../kit/words';
import { FieldValue } from '../fields/value';
import type { Control, Field } from '../settings/fields';
import { createForm } from '../settings/form';
import { Form } from '../settings/form_view';
import { mayDo, readRights, type Operation } from '../settings/rights';
import { say } from '../settings/words';

export type Query = Record<string, string | boolean>;

/** The form of a row, and what else can be changed of it. */
export const EditCard = (props: { path: '/users' | '/organizations'; id: number; query: Query; fields: readonly Field[]; onDone: () => void; children: JSX.Element }) => {
  const title = createUniqueId(), path = `${props.path}/${props.id}`, operation = `PUT ${props.path}/{id}` as Operation;
  const [may] = createRead(async () => { await readRights(); return mayDo(operation); });
  const form = createForm({ key: path.slice(1), operation, path, read: () => get(path, props.query), fields: props.fields });
  let heading!: HTMLHeadingElement;
  onMount(() => heading.focus());
  useKeys([{ key: 'Escape', word: 'close', run: props.onDone }]);
  return (
    <section class="card-edit" aria-labelledby={title}>
      <h2 ref={heading} id={title} tabindex="-1">{sayCommon('edit')}</h2>
      <Show when={may() !== false} fallback={<p class="soft">{say('card_may_not')}</p>}>
        <Form form={form} actions={<button type="button" onClick={props.onDone}>{say('card_done')}</button>} />
        {props.children}
      </Show>
    </section>
  );
};

/** Chooses an organization by some letters. */
export const OrganizationOf = (props: Control) => {
  const id = () => props.value as number | null, name = () => rowOf('organization', id())?.name ?? `#${id()}`;
  const [typed, setTyped] = createSignal('');
  const choose = (one: number) => { setTyped(' '); setTyped(''); props.set(one); };
  const find = async (text: string) => {
    const reply = await get('/autocomplete/organizations', { name: text, limit: 8 });
    keepReply(reply);
    const found = rowsOf(reply).map((row) => ({ id: row.id, label: String(row['name']) }));
    return found.some(({ label }) => label.toLowerCase() === text.toLowerCase()) || !mayDo('POST /organizations') ? found : [...found, { id: text, label: text, more: say('card_organization_new') }];
  };
  /** A new organization exists at once, the person is in it when the form is saved. */
  const make = async (called: string) => {
    try {
      const reply = await call('POST', '/organizations', { body: { name: called } }), made = rowsOf(reply)[0]!;
      keepReply(reply);
      choose(made.id);
      tell(say('card_organization_made', { name: called }), async () => { await call('DELETE', `/organizations/${made.id}`); if (id() === made.id) props.set(null); });
    } catch (error) { tellWrong((error as Error).message); }
  };
  return (
    <div id={props.id} class="typed" role="group" tabindex="-1" aria-label={say('card_organization')} aria-describedby={props.described}>
      <Show when={id()}><ul class="tags"><li class="tag"><span dir="auto">{name()}</span><button type="button" aria-label={say('remove_word', { name: name() })} onClick={() => props.set(null)}>×</button></li></ul></Show>
      <Combobox label={say('card_organization_find')} placeholder={say('card_organization_find')} value={typed()} find={find} onChoose={(one) => typeof one.id === 'number' ? choose(one.id) : void make(one.id)} />
    </div>
  );
};

interface Value { field: { id: number }; value: string | null }

/** Custom fields: each is changed by itself, with an undo. */
export const CardFields = (props: { type: 'user' | 'organization'; path: '/users' | '/organizations'; id: number; query: Query }) => {
  const kind = () => props.type === 'user' ? 'user_field' as const : 'organization_field' as const, title = createUniqueId();
  const [known] = createRead(async () => { keepReply(await get(`${props.path}/fields`, { limit: 100, include: 'field_option', _flat: true })); return true; });
  const [refused, setRefused] = createSignal<Record<string, string>>({});
  const values = () => (known() ? (rowOf(props.type, props.id)?.custom_fields ?? []) as unknown as Value[] : []).filter(({ field }) => rowOf(kind(), field));
  const written = ({ field, value }: Value) => (rowOf(kind(), field)?.type === 'DATE' ? value?.slice(0, 10) : value) || null;
  const refuse = (key: string, reason: string) => setRefused((all) => ({ ...all, [key]: reason }));
  const save = async (one: Value, value: string | null, isUndo = false): Promise<void> => {
    const field = rowOf(kind(), one.field)!, key = field.key ?? '', former = written(one);
    try {
      keepReply(await call('PUT', `${props.path}/${props.id}`, { query: props.query, body: { field_values: { [key]: value } } }));
      setRefused(({ [key]: _, ...rest }) => rest);
      if (!isUndo) tell(sayCommon('changed', { what: field.title ?? key }), () => save({ ...one, value }, former, true));
    } catch (error) { refuse(key, (error as Error).message); }
  };
  return (
    <Show when={values().length}>
      <section class="details-part" aria-labelledby={title}>
        <h3 id={title}>{say('card_fields')}</h3>
        <For each={values().map(({ field }) => field.id)}>
          {(id) => {
            const one = () => values().find(({ field }) => field.id === id) ?? { field: { id }, value: null }, field = () => rowOf(kind(), id)!, key = () => field().key ?? '';
            return <FieldValue field={field()} value={written(one())} wrong={refused()[key()]} path={`${props.path}/${props.id}`} onSave={(value) => void save(one(), value)} onRefused={(reason) => refuse(key(), reason)} />;
          }}
        </For>
      </section>
    </Show>
  );
};

// Forms: which fields a conversation asks for, and what customers see of them.
import { createMemo, createSignal, For, Show } from 'solid-js';
import { call, get, rowsOf, type Ref, type Row, type Schemas } from '../../../kit/api';
import { keepReply, rowOf } from '../../../kit/store';
import { tell, tellWrong } from '../../../kit/strip';
import type { Control } from '../fields';
import type { FormState } from '../form';
import { announce, Mover } from '../mover';
import { Part } from '../page';
import { createRead } from '../read';
import { rows } from '../rows';
import { say } from '../words';
import { KINDS } from './kinds';
import { optionsIn } from './options';
import { Preview, type Seen } from './preview';
import { languagesOf, readLocales, shownTexts, textIn, Texts, textsIn, textsOf, written, type Text } from './texts';

const [fieldIds, setFieldIds] = createSignal<number[]>([]), [brands, setBrands] = createSignal<Row[]>([]);
const fieldOf = (id: number) => rowOf('case_field', id);
const titleOf = (id: number) => fieldOf(id)?.title ?? say('gone_choice', { id });
const isForCustomers = (id: number) => { const field = fieldOf(id); return !!field?.is_enabled && !!field.is_visible_to_customers && !!field.is_customer_editable; };
/** What staff have to know of a field in a form. */
const noteOf = (id: number) => {
  const field = fieldOf(id), kind = KINDS[String(field?.type)];
  return [kind ? say(kind) : '', !field?.is_enabled ? say('field_off') : !field.is_visible_to_customers ? say('form_field_hidden') : field.is_customer_editable ? '' : say('form_field_fixed')].filter(Boolean).join(' · ');
};
const prepare = async () => {
  const [fields, all] = await Promise.all([get('/cases/fields', { limit: 1000, include: 'field_option,locale_field', _flat: true }), get('/brands', { limit: 100, fields: 'name' }), readLocales()]);
  keepReply(fields);
  setFieldIds(rowsOf(fields).filter((row) => row['is_system'] !== true).map(({ id }) => id));
  setBrands(rowsOf(all));
  return true;
};

const FIND_FROM = 10;

const FieldsOfForm = (props: Control) => {
  const chosen = () => (props.value ?? []) as number[], [typed, setTyped] = createSignal('');
  const others = createMemo(() => fieldIds().filter((id) => !chosen().includes(id))), found = createMemo(() => others().filter((id) => titleOf(id).toLowerCase().includes(typed().toLowerCase())));
  let box!: HTMLDivElement;
  const focus = (selector: string, at: number) => queueMicrotask(() => { const all = [...box.querySelectorAll<HTMLElement>(selector)]; (all[Math.min(at, all.length - 1)] ?? box).focus(); });
  const add = (id: number) => {
    const at = found().indexOf(id);
    props.set([...chosen(), id]);
    announce(say('form_field_added', { name: titleOf(id), n: chosen().length }));
    focus('.field-add', at);
  };
  const drop = (id: number) => {
    const at = chosen().indexOf(id);
    props.set(chosen().filter((one) => one !== id));
    announce(say('form_field_removed', { name: titleOf(id) }));
    focus('.field-drop', at);
  };
  const move = (id: number, to: number) => { const rest = chosen().filter((one) => one !== id); props.set([...rest.slice(0, to), id, ...rest.slice(to)]); };
  return (
    <div ref={box} id={props.id} class="form-fields" role="group" tabindex="-1" aria-label={say('form_fields')} aria-describedby={props.described}>
      <Show when={!chosen().length}><p class="soft">{say('form_fields_empty')}</p></Show>
      <ol class="sorted" data-sort>
        <For each={chosen()}>
          {(id, at) => (
            <li>
              <span class="plain-text"><span dir="auto">{titleOf(id)}</span><span class="soft">{noteOf(id)}</span></span>
              <Mover name={titleOf(id)} at={at()} of={chosen().length} move={(to) => move(id, to)} />
              <button type="button" class="field-drop" aria-label={say('remove_word', { name: titleOf(id) })} onClick={() => drop(id)}>×</button>
            </li>
          )}
        </For>
      </ol>
      <p class="label">{say('form_fields_others')}</p>
      <Show when={others().length > FIND_FROM}><input type="search" aria-label={`${say('filter')}: ${say('form_fields_others')}`} placeholder={say('filter')} onInput={(event) => setTyped(event.currentTarget.value)} /></Show>
      <ul class="form-others">
        <For each={found()} fallback={<li class="soft">{say(typed() ? 'find_none' : fieldIds().length ? 'form_fields_all' : 'form_fields_none')}</li>}>
          {(id) => <li><button type="button" class="field-add" onClick={() => add(id)}><span aria-hidden="true">+ </span><span class="hidden">{say('add')} </span><span dir="auto">{titleOf(id)}</span></button></li>}
        </For>
      </ul>
    </div>
  );
};

const seenOf = (id: number): Seen => {
  const field = fieldOf(id) as Schemas['case_field'] & Row;
  return { type: String(field.type), titles: textsIn(field, 'titles'), customer_titles: textsIn(field, 'customer_titles'), descriptions: textsIn(field, 'descriptions'), options: optionsIn(field), isRequired: field.is_required_for_customers === true };
};
const line = (word: 'preview_person' | 'preview_email' | 'preview_subject' | 'preview_message', type: string): Seen => ({ type, titles: [{ locale: '', translation: say(word) }], customer_titles: [], descriptions: [], options: [], isRequired: true });

const SeenForm = (props: { form: FormState; row: Schemas['case_form'] | undefined }) => {
  const values = () => props.form.state.values, ids = () => (values()['case_field_ids'] ?? []) as number[], shown = () => ids().filter(isForCustomers);
  const hidden = () => ids().filter((id) => fieldOf(id) && !isForCustomers(id)).map(titleOf), texts = (name: string) => (values()[name] ?? []) as Text[];
  const languages = createMemo(() => [...new Set([...languagesOf(props.form), ...shown().flatMap((id) => { const seen = seenOf(id); return [...seen.titles, ...seen.customer_titles].map(({ locale }) => locale); })])]);
  const isOffered = () => values()['is_visible_to_customers'] === true && values()['is_enabled'] === true;
  const makeDefault = async () => {
    try {
      keepReply(await call('PUT', '/cases/forms/default', { body: { form_id: props.row!.id } }));
      keepReply(await get('/cases/forms', { limit: 1000 }));
      tell(say('form_made_default'));
    } catch (error) { tellWrong((error as Error).message); }
  };
  return (
    <>
      <Show when={props.row}>
        {(row) => (
          <Part title="form_default" why="form_default_why">
            <Show when={row().is_default} fallback={<button type="button" onClick={() => void makeDefault()}>{say('form_make_default')}</button>}><p>{say('form_is_default')}</p></Show>
          </Part>
        )}
      </Show>
      <Part title="preview_form">
        <Preview title={say(isOffered() ? 'preview_form_why' : 'preview_form_hidden')} languages={languages()} heading={(locale) => ({ title: textIn(texts('customer_titles'), locale) || String(values()['title'] ?? ''), text: textIn(texts('descriptions'), locale) })}
          fields={[line('preview_person', 'TEXT'), line('preview_email', 'TEXT'), line('preview_subject', 'TEXT'), line('preview_message', 'TEXTAREA'), ...shown().map(seenOf)]} />
        <Show when={hidden().length}><p class="soft">{say('preview_left_out', { names: hidden().join(', ') })}</p></Show>
      </Part>
    </>
  );
};

const Forms = rows({
  name: 'forms', path: '/cases/forms', type: 'case_form', title: 'forms', new: 'form_new', empty: 'forms_empty', emptyNext: 'forms_empty_next', deleteWhy: 'form_delete_why', include: 'locale_field',
  initial: () => ({ is_enabled: true, case_field_ids: [] }),
  fields: [
    { name: 'title', label: 'title', help: 'form_title_help' },
    { name: 'case_field_ids', label: 'form_fields', from: (row) => ((row['fields'] ?? []) as Ref[]).map(({ id }) => id), control: FieldsOfForm, shown: (value) => ((value ?? []) as number[]).map(titleOf).join(', ') || say('empty_value') },
    { name: 'is_visible_to_customers', label: 'form_visible' },
    { name: 'customer_titles', label: 'field_customer_title', help: 'form_customer_title_help', from: textsOf('customer_titles'), to: written, control: Texts, shown: shownTexts, when: (values) => values['is_visible_to_customers'] === true },
    { name: 'descriptions', label: 'field_description', long: true, from: textsOf('descriptions'), to: written, control: Texts, shown: shownTexts, when: (values) => values['is_visible_to_customers'] === true },
    { name: 'brand_id', label: 'mailbox_brand', empty: 'form_all_brands', among: () => brands().map((row) => ({ id: row.id, label: String(row['name']) })) },
    { name: 'is_enabled', label: 'form_enabled', help: 'form_enabled_help' },
  ],
  label: (form) => form.title ?? '',
  note: (form) => [form.is_default ? say('form_note_default') : '', form.is_enabled ? '' : say('field_off'), form.is_visible_to_customers ? say('field_seen') : '', say('form_field_count', { n: (form.fields as unknown[] | null)?.length ?? 0 })].filter(Boolean).join(' · '),
  order: { path: '/cases/forms/reorder', member: 'form_ids' },
  below: SeenForm,
});

export default () => { const [ready] = createRead(prepare); return <Show when={ready()}><Forms /></Show>; };

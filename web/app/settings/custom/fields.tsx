// Custom fields of conversations, of people and of organizations.
import { createMemo, For, Show } from 'solid-js';
import type { Row, Schemas } from '../../../kit/api';
import type { FormState } from '../form';
import type { Values } from '../kept';
import { Part } from '../page';
import { createRead } from '../read';
import { rows } from '../rows';
import { say, type SettingsWord } from '../words';
import { hasOptions, KINDS } from './kinds';
import { optionsIn, Options, optionsTo } from './options';
import { Preview } from './preview';
import { languagesOf, readLocales, shownTexts, Texts, textsOf, written, type Option, type Text } from './texts';

type CustomField = Schemas['case_field'];

const isBuiltIn = (row: Row | CustomField | undefined) => row?.['is_system'] === true;
const own = (row: Row | undefined) => !isBuiltIn(row);
/** Of built-in fields only these flags can be changed: they are settings of the desk. */
const isFlag = (...keys: string[]) => (row: Row | undefined) => own(row) || keys.includes(String(row?.['key']));

/** What a change does to values that are stored. */
const warnings = (now: Values, first: Values): string[] => {
  const told = (holds: boolean, word: SettingsWord, values?: Record<string, string | number>) => holds ? [say(word, values)] : [];
  const before = (first['options'] ?? []) as Option[], options = (now['options'] ?? []) as Option[], gone = before.filter(({ id }) => !options.some((one) => one.id === id));
  const isRenamed = before.some((one) => { const next = options.find(({ id }) => id === one.id); return next && JSON.stringify(written(next.texts)) !== JSON.stringify(written(one.texts)); });
  const isSet = (name: string) => now[name] === true && first[name] !== true;
  return [
    ...told(now['type'] !== first['type'], 'warn_type'),
    ...told(hasOptions(now['type']) && gone.length > 0, 'warn_options', { n: gone.length }),
    ...told(isRenamed, 'warn_renamed'),
    ...told(now['type'] === 'REGEX' && now['regular_expression'] !== first['regular_expression'], 'warn_pattern'),
    ...told(isSet('is_visible_to_customers'), 'warn_visible'),
    ...told(isSet('is_required_on_resolution'), 'warn_resolution'),
    ...told(now['is_enabled'] === false && first['is_enabled'] === true, 'warn_off'),
  ];
};

const Warnings = (props: { form: FormState; row: CustomField | undefined }) => {
  const all = createMemo(() => props.row ? warnings(props.form.state.values, props.form.state.first) : []);
  return <div role="status"><Show when={all().length}><ul class="warnings warning"><For each={all()}>{(text) => <li>{text}</li>}</For></ul></Show></div>;
};

const Seen = (props: { form: FormState; row: CustomField | undefined }) => {
  const values = () => props.form.state.values, texts = (name: string) => (values()[name] ?? []) as Text[];
  const isSet = () => values()['is_visible_to_customers'] === true && values()['is_customer_editable'] === true && values()['is_enabled'] === true;
  return (
    <Show when={!isBuiltIn(props.row)}>
      <Part title="preview_field">
        <Preview title={say(isSet() ? 'preview_field_why' : 'preview_hidden')} languages={languagesOf(props.form)} fields={isSet() ? [{
          type: String(values()['type']), titles: texts('titles'), customer_titles: texts('customer_titles'), descriptions: texts('descriptions'), options: (values()['options'] ?? []) as Option[],
          isRequired: values()['is_required_for_customers'] === true }] : []} />
      </Part>
    </Show>
  );
};

interface Of { name: string; path: string; type: string; title: SettingsWord; why: SettingsWord; member: string }

/** The three kinds have the same operations and members. */
const fieldsOf = ({ name, path, type, title, why, member }: Of) => {
  const isOfCases = type === 'case_field';
  const Area = rows({
    name, path: path as '/cases/fields', type: type as 'case_field', title, new: 'field_new', empty: 'fields_empty', emptyNext: why, deleteWhy: 'field_delete_why', include: 'field_option,locale_field',
    initial: () => ({ type: 'TEXT', titles: [], options: [], is_enabled: true }),
    fields: [
      { name: 'titles', label: 'field_title', required: true, from: textsOf('titles'), to: written, control: Texts, shown: shownTexts },
      { name: 'type', label: 'type', help: 'field_type_help', among: () => Object.entries(KINDS).map(([id, word]) => ({ id, label: say(word) })), on: own, shown: (value) => KINDS[String(value)] ? say(KINDS[String(value)]!) : String(value) },
      { name: 'options', label: 'options', help: 'options_help', required: true, from: optionsIn, to: optionsTo, control: Options, when: (values) => hasOptions(values['type']), on: own, shown: (value) => say('option_count', { n: (value as unknown[] | null)?.length ?? 0 }) },
      { name: 'regular_expression', label: 'field_pattern', help: 'field_pattern_help', required: true, when: (values) => values['type'] === 'REGEX', on: own },
      { name: 'key', label: 'field_key', help: 'field_key_help' },
      { name: 'is_required_for_agents', label: 'field_for_agents', help: isOfCases ? 'field_for_agents_help' : 'field_for_agents_help_others', on: own },
      ...isOfCases ? [{ name: 'is_required_on_resolution', label: 'field_on_resolution', help: 'field_on_resolution_help', on: own } as const] : [],
      { name: 'is_visible_to_customers', label: 'field_visible', on: isFlag('status', 'priority', 'type') },
      { name: 'is_customer_editable', label: 'field_editable', when: (values) => values['is_visible_to_customers'] === true, on: isFlag('subject', 'priority') },
      { name: 'is_required_for_customers', label: 'field_for_customers', when: (values) => values['is_visible_to_customers'] === true && values['is_customer_editable'] === true, on: own },
      { name: 'customer_titles', label: 'field_customer_title', help: 'field_customer_title_help', from: textsOf('customer_titles'), to: written, control: Texts, shown: shownTexts, when: (values) => values['is_visible_to_customers'] === true },
      { name: 'descriptions', label: 'field_description', help: 'field_description_help', long: true, from: textsOf('descriptions'), to: written, control: Texts, shown: shownTexts },
      { name: 'is_enabled', label: 'field_enabled', help: 'field_enabled_help', on: own },
    ],
    label: (field) => field.title ?? '',
    note: (field) => [isBuiltIn(field) ? say('field_built_in') : KINDS[String(field.type)] ? say(KINDS[String(field.type)]!) : '', field.is_enabled ? '' : say('field_off'), field.is_visible_to_customers ? say('field_seen') : ''].filter(Boolean).join(' · '),
    fixed: isBuiltIn,
    first: isBuiltIn,
    order: { path: `${path}/reorder`, member },
    within: Warnings,
    below: Seen,
  });
  return () => { const [ready] = createRead(async () => { await readLocales(); return true; }); return <Show when={ready()}><Area /></Show>; };
};

export const ofCases = fieldsOf({ name: 'case-fields', path: '/cases/fields', type: 'case_field', title: 'case_fields', why: 'case_fields_why', member: 'case_field_ids' });
export const ofUsers = fieldsOf({ name: 'user-fields', path: '/users/fields', type: 'user_field', title: 'user_fields', why: 'user_fields_why', member: 'user_field_ids' });
export const ofOrganizations = fieldsOf({ name: 'organization-fields', path: '/organizations/fields', type: 'organization_field', title: 'organization_fields', why: 'organization_fields_why', member: 'organization_field_ids' });

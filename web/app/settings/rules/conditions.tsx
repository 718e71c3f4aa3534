// Conditions of views, triggers, monitors and SLAs: all groups hold, and of each group one condition. Fields, operators and values are those of the definitions, so a
// condition that the server does not know can't be made. One that it has forgotten since (a custom field) is shown, and can be removed.
import { createEffect, createMemo, createSignal, For, Index, Match, Show, Suspense, Switch, type Component } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { get, rowsOf, type Kind, type Ref, type Row, type Schemas } from '../../../kit/api';
import { Combobox, type Option } from '../../../kit/combobox';
import { staffChoices } from '../choices';
import type { Control } from '../fields';
import { rowOf } from '../../../kit/store';
import { createRead } from '../read';
import { say, type SettingsWord } from '../words';
import { titleText } from './labels';

interface Condition { field: string; operator: string; value?: string }
export interface Group { propositions: Condition[] }
export type Definition = Schemas['definition'] & { values: Record<string, string> | null; operators: string[] };

/** These operators compare with nothing. */
const WITHOUT_VALUE = /^history_(not_)?changed$/;
const valued = ({ value, ...condition }: Condition, first = ''): Condition => WITHOUT_VALUE.test(condition.operator) ? condition : { ...condition, value: value ?? first };

/** The conditions of an SLA are rows of their own, to which it refers. */
export const groupsOf = (row: Row): Group[] => ((row['predicate_collections'] ?? []) as { propositions: (Condition | Ref)[] }[])
  .map(({ propositions }) => ({ propositions: propositions.map((one) => 'field' in one ? one : rowOf('sla_proposition' as Kind, one) as unknown as Condition | undefined).filter((one) => one !== undefined).map(({ field, operator, value }) => valued({ field, operator, ...value === undefined || value === null ? {} : { value } })) }));

const OPERATORS: Record<string, SettingsWord> = {
  comparison_equalto: 'op_is', comparison_not_equalto: 'op_is_not', comparison_greaterthan: 'op_more', comparison_greaterthan_or_equalto: 'op_at_least',
  comparison_lessthan: 'op_less', comparison_lessthan_or_equalto: 'op_at_most', string_contains_insensitive: 'op_contains', string_does_not_contain_insensitive: 'op_contains_not',
  collection_contains_insensitive: 'op_all_of', collection_contains_any_insensitive: 'op_one_of', collection_does_not_contain_insensitive: 'op_none_of',
  time_greaterthan: 'op_more', time_greaterthan_or_equalto: 'op_at_least', time_lessthan: 'op_less', time_lessthan_or_equalto: 'op_at_most',
  time_greaterthan_businesshours: 'op_more_open', time_greaterthan_or_equalto_businesshours: 'op_at_least_open', time_lessthan_businesshours: 'op_less_open', time_lessthan_or_equalto_businesshours: 'op_at_most_open',
  history_changed: 'op_changed', history_changed_to: 'op_changed_to', history_changed_from: 'op_changed_from', history_not_changed: 'op_not_changed', history_not_changed_to: 'op_not_changed_to', history_not_changed_from: 'op_not_changed_from',
  date_is: 'op_is', date_is_not: 'op_is_not', date_after: 'op_after', date_after_or_on: 'op_since', date_before: 'op_before', date_before_or_on: 'op_until',
};
export const operatorText = (operator: string) => OPERATORS[operator] ? say(OPERATORS[operator]!) : operator;

export const isOfDesk = (field: string) => /fields\./.test(field);
/** Values whose titles are the server's. Others are names that the desk has given. */
const FIXED = /channel|satisfaction|rating|_relative|state|^mails\./;
const valueText = ({ field }: Definition, value: string, title: string) => value === '0' || value.startsWith('(') || FIXED.test(field ?? '') ? titleText(title) : title;
const optionsOf = (definition: Definition) => Object.entries(definition.values ?? {}).map(([value, title]) => [value, isOfDesk(definition.field ?? '') ? title : valueText(definition, value, title)] as const);

/** Values that a new condition begins with: the first that the field has. */
export const firstValue = (definition: Definition) =>
  /^BOOLEAN/.test(definition.input_type ?? '') ? 'true' : definition.values && definition.input_type !== 'AUTOCOMPLETE' ? Object.keys(definition.values)[0] ?? '' : '';

const findOrganizations = async (text: string): Promise<Option[]> =>
  rowsOf(await get('/autocomplete/organizations', { name: text, limit: 8, fields: 'name' })).map((row) => ({ id: row.id, label: String(row['name'] ?? row.id) }));
const findPeople = async (text: string): Promise<Option[]> =>
  rowsOf(await get('/autocomplete/users', { name: text, limit: 8, fields: 'full_name' })).map((row) => ({ id: row.id, label: String(row['full_name'] ?? row.id) }));

/** One of many people or organizations, or one of the special values of the field. */
const Lookup = (props: { label: string; definition: Definition; value: string; set: (value: string) => void }) => {
  const isOrganization = () => /organization/.test(props.definition.field ?? '');
  const find = async (text: string): Promise<Option[]> => [
    ...optionsOf(props.definition).filter(([, label]) => label.toLowerCase().includes(text.toLowerCase())).map(([id, label]) => ({ id, label })),
    ...isOrganization() ? await findOrganizations(text) : await findPeople(text)];
  const [name, setName] = createSignal('');
  const nameOf = async (value: string) => {
    if (!value) return '';
    const special = optionsOf(props.definition).find(([one]) => one === value)?.[1] ?? staffChoices().find(({ id }) => String(id) === value)?.label;
    if (special) return special;
    const row = rowsOf(await get(isOrganization() ? `/organizations/${value}` : `/users/${value}`))[0];
    return String(row?.['full_name'] ?? row?.['name'] ?? value);
  };
  createEffect(() => {
    const { value } = props;
    void nameOf(value).catch(() => say('gone_choice', { id: value })).then((found) => { if (value === props.value) setName(found); });
  });
  return <Combobox label={props.label} value={name()} find={find} onChoose={({ id }) => props.set(String(id))} />;
};

export const Value = (props: { label: string; definition: Definition; value: string; set: (value: string) => void }) => {
  const kind = () => props.definition.input_type ?? '';
  const options = () => kind() === 'BOOLEAN' ? [['true', say('yes')], ['false', say('no')]] as const : kind() === 'BOOLEAN_TRUE' ? [['true', say('yes')]] as const : optionsOf(props.definition);
  const isKnown = () => options().some(([value]) => value === props.value);
  return (
    <Switch fallback={<input type={kind() === 'DATE_ABSOLUTE' ? 'date' : 'text'} inputmode={/INTEGER|FLOAT/.test(kind()) ? 'numeric' : undefined} dir="auto" aria-label={props.label} value={props.value}
      placeholder={kind() === 'TAGS' ? say('tags_hint') : undefined} onInput={(event) => props.set(event.currentTarget.value)} />}>
      <Match when={kind() === 'AUTOCOMPLETE'}><Lookup {...props} /></Match>
      <Match when={/BOOLEAN|OPTIONS|MULTIPLE|DATE_RELATIVE/.test(kind())}>
        <select aria-label={props.label} onChange={(event) => props.set(event.currentTarget.value)}>
          <Show when={!isKnown()}><option value={props.value} selected>{say('gone_choice', { id: props.value })}</option></Show>
          <For each={options()}>{([value, label]) => <option value={value} selected={value === props.value}>{label}</option>}</For>
        </select>
      </Match>
    </Switch>
  );
};

interface Source {
  /** Where the definitions are. */
  path: '/views/definitions' | '/triggers/definitions' | '/monitors/definitions' | '/slas/definitions';
  /** Fields that the server takes but does not list there: they have the definitions of triggers. */
  also?: string[];
  empty: SettingsWord;
  below?: Component<{ groups: Group[] }>;
}

export const conditionsOf = (source: Source): Component<Control> => (props) => <Conditions {...props} source={source} />;

const Conditions = (props: Control & { source: Source }) => {
  const read = async (path: Source['path']) => rowsOf(await get(path)) as unknown as Definition[];
  const [definitions] = createRead(async () => {
    const { path, also = [] } = props.source, [own, others] = await Promise.all([read(path), also.length ? read('/triggers/definitions') : []]);
    return [...own, ...others.filter(({ field }) => also.includes(field ?? '') && !own.some((one) => one.field === field))];
  });
  const labels = createMemo(() => new Map(definitions()?.map((one) => [one.field, labelOf(one)])));
  const groups = () => (props.value ?? []) as Group[];
  const byField = createMemo(() => new Map(definitions()?.map((one) => [one.field ?? '', one])));
  const known = (field: string) => byField().get(field);
  let box!: HTMLDivElement;
  /** Names of two fields may be equal, of a date that is given as a day or in words. */
  function labelOf(one: Definition) {
    const title = isOfDesk(one.field ?? '') ? one.label ?? '' : titleText(one.label ?? '');
    return definitions()!.filter(({ label }) => label === one.label).length > 1 ? `${title} (${say(/ABSOLUTE/.test(one.input_type ?? '') ? 'as_day' : 'as_words')})` : title;
  }
  const begun = (one: Definition): Condition => valued({ field: one.field ?? '', operator: one.operators[0]! }, firstValue(one));

  const change = (group: number, at: number, next: Condition | undefined) => props.set(groups()
    .map((one, i) => i === group ? { propositions: next ? one.propositions.map((p, j) => j === at ? next : p) : one.propositions.filter((_, j) => j !== at) } : one)
    .filter(({ propositions }) => propositions.length));
  const focusLast = (group: number) => queueMicrotask(() => [...box.querySelectorAll<HTMLElement>(`[data-group="${group}"] select:first-child`)].at(-1)?.focus());
  const addGroup = () => { props.set([...groups(), { propositions: [begun(definitions()![0]!)] }]); focusLast(groups().length - 1); };
  const addOr = (group: number) => {
    props.set(groups().map((one, i) => i === group ? { propositions: [...one.propositions, begun(known(one.propositions.at(-1)!.field) ?? definitions()![0]!)] } : one));
    focusLast(group);
  };
  const drop = (group: number, at: number) => { change(group, at, undefined); queueMicrotask(() => box.querySelector<HTMLElement>('.condition-add')?.focus()); };

  return (
    <div ref={box} id={props.id} class="conditions" role="group" tabindex="-1" aria-label={say('conditions')} aria-describedby={props.described}>
      <Show when={definitions()}>
        <Show when={!groups().length}><p class="soft">{say(props.source.empty)}</p></Show>
        <Index each={groups()}>
          {(group, g) => (
            <>
              <Show when={g}><p class="soft">{say('and')}</p></Show>
              <div class="conditions-group" role="group" data-group={g} aria-label={say('condition_group', { n: g + 1 })}>
                <Index each={group().propositions}>
                  {(condition, i) => {
                    const number = () => say('condition_number', { n: g + 1, of: i + 1 });
                    return (
                      <>
                        <Show when={i}><p class="soft">{say('or')}</p></Show>
                        <div class="condition">
                          <Show when={known(condition().field)} fallback={<p class="wrong">{say('condition_gone', { field: condition().field })}</p>}>
                            {(definition) => (
                              <>
                                <select aria-label={`${say('condition_field')}, ${number()}`} onChange={(event) => change(g, i, begun(known(event.currentTarget.value)!))}>
                                  <For each={definitions()}>{(one) => <option value={one.field ?? ''} selected={one.field === condition().field}>{labels().get(one.field)}</option>}</For>
                                </select>
                                <select aria-label={`${say('condition_operator')}, ${number()}`} onChange={(event) => change(g, i, valued({ ...condition(), operator: event.currentTarget.value }, firstValue(definition())))}>
                                  <For each={definition().operators}>{(one) => <option value={one} selected={one === condition().operator}>{operatorText(one)}</option>}</For>
                                </select>
                                <Show when={!WITHOUT_VALUE.test(condition().operator)} fallback={<span />}><Value label={`${say('condition_value')}, ${number()}`} definition={definition()} value={String(condition().value ?? '')} set={(value) => change(g, i, { ...condition(), value })} /></Show>
                              </>
                            )}
                          </Show>
                          <button type="button" aria-label={say('condition_remove', { n: g + 1, of: i + 1 })} onClick={() => drop(g, i)}>×</button>
                        </div>
                      </>
                    );
                  }}
                </Index>
                <button type="button" class="link" onClick={() => addOr(g)}>{say('condition_or')}</button>
              </div>
            </>
          )}
        </Index>
        <p><button type="button" class="condition-add" onClick={addGroup}>{say('condition_add')}</button></p>
        <Show when={props.source.below}>{(below) => <Suspense><Dynamic component={below()} groups={groups()} /></Suspense>}</Show>
      </Show>
    </div>
  );
};

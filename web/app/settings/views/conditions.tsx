// Conditions of a view: all groups hold, and of each group one condition. Fields, operators and values are those of the definitions, so a
// condition that the server does not know can't be made. One that it has forgotten since (a custom field) is shown, and can be removed.
import { createResource, createSignal, For, Index, Match, onCleanup, Show, Switch } from 'solid-js';
import { call, get, rowsOf, type Row, type Schemas } from '../../../kit/api';
import { Combobox, type Option } from '../../../kit/combobox';
import { numberText } from '../../../kit/words';
import { staffChoices } from '../choices';
import type { Control } from '../fields';
import { say, type SettingsWord } from '../words';
import { titleText } from './labels';

interface Condition { field: string; operator: string; value: string }
export interface Group { propositions: Condition[] }
type Definition = Schemas['definition'] & { values: Record<string, string> | null; operators: string[] };

export const groupsOf = (row: Row): Group[] => ((row['predicate_collections'] ?? []) as Group[])
  .map(({ propositions }) => ({ propositions: propositions.map(({ field, operator, value }) => ({ field, operator, value })) }));

const OPERATORS: Record<string, SettingsWord> = {
  comparison_equalto: 'op_is', comparison_not_equalto: 'op_is_not', comparison_greaterthan: 'op_more', comparison_greaterthan_or_equalto: 'op_at_least',
  comparison_lessthan: 'op_less', comparison_lessthan_or_equalto: 'op_at_most', string_contains_insensitive: 'op_contains', string_does_not_contain_insensitive: 'op_contains_not',
  collection_contains_insensitive: 'op_all_of', collection_contains_any_insensitive: 'op_one_of', collection_does_not_contain_insensitive: 'op_none_of',
  date_is: 'op_is', date_is_not: 'op_is_not', date_after: 'op_after', date_after_or_on: 'op_since', date_before: 'op_before', date_before_or_on: 'op_until',
};
const operatorText = (operator: string) => OPERATORS[operator] ? say(OPERATORS[operator]!) : operator;

const isOfDesk = (field: string) => /fields\./.test(field);
/** Values whose titles are the server's. Others are names that the desk has given. */
const FIXED = /channel|satisfaction|rating|_relative/;
const valueText = ({ field }: Definition, value: string, title: string) => value === '0' || value.startsWith('(') || FIXED.test(field ?? '') ? titleText(title) : title;
const optionsOf = (definition: Definition) => Object.entries(definition.values ?? {}).map(([value, title]) => [value, isOfDesk(definition.field ?? '') ? title : valueText(definition, value, title)] as const);

/** Values that a new condition begins with: the first that the field has. */
const firstValue = (definition: Definition) =>
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
  const [name] = createResource(() => [props.value, props.definition.field] as const, async ([value]) => {
    if (!value) return '';
    const special = optionsOf(props.definition).find(([one]) => one === value)?.[1] ?? staffChoices().find(({ id }) => String(id) === value)?.label;
    if (special) return special;
    const row = rowsOf(await get(isOrganization() ? `/organizations/${value}` : `/users/${value}`))[0];
    return String(row?.['full_name'] ?? row?.['name'] ?? value);
  });
  return <Combobox label={props.label} value={name.error ? say('gone_choice', { id: props.value }) : name() ?? ''} find={find} onChoose={({ id }) => props.set(String(id))} />;
};

const Value = (props: { label: string; definition: Definition; value: string; set: (value: string) => void }) => {
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

export const Conditions = (props: Control) => {
  const [definitions] = createResource(async () => rowsOf(await get('/views/definitions')) as unknown as Definition[]);
  const groups = () => (props.value ?? []) as Group[];
  const known = (field: string) => definitions()?.find((one) => one.field === field);
  let box!: HTMLDivElement;
  /** Names of two fields may be equal, of a date that is given as a day or in words. */
  const labelOf = (one: Definition) => {
    const title = isOfDesk(one.field ?? '') ? one.label ?? '' : titleText(one.label ?? '');
    return definitions()!.filter(({ label }) => label === one.label).length > 1 ? `${title} (${say(/ABSOLUTE/.test(one.input_type ?? '') ? 'as_day' : 'as_words')})` : title;
  };
  const begun = (one: Definition): Condition => ({ field: one.field ?? '', operator: one.operators[0]!, value: firstValue(one) });

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
        <Show when={!groups().length}><p class="soft">{say('conditions_empty')}</p></Show>
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
                                  <For each={definitions()}>{(one) => <option value={one.field ?? ''} selected={one.field === condition().field}>{labelOf(one)}</option>}</For>
                                </select>
                                <select aria-label={`${say('condition_operator')}, ${number()}`} onChange={(event) => change(g, i, { ...condition(), operator: event.currentTarget.value })}>
                                  <For each={definition().operators}>{(one) => <option value={one} selected={one === condition().operator}>{operatorText(one)}</option>}</For>
                                </select>
                                <Value label={`${say('condition_value')}, ${number()}`} definition={definition()} value={String(condition().value ?? '')} set={(value) => change(g, i, { ...condition(), value })} />
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
        <Preview groups={groups()} />
      </Show>
    </div>
  );
};

const PAUSE_MS = 400;

/** The number of conversations that the conditions choose now, and the first of them. */
const Preview = (props: { groups: Group[] }) => {
  const asked = () => JSON.stringify(props.groups);
  const [settled, setSettled] = createSignal(asked());
  const later = () => { const text = asked(); const timer = setTimeout(() => setSettled(text), PAUSE_MS); onCleanup(() => clearTimeout(timer)); return text; };
  const [found] = createResource(settled, async (text) => {
    try {
      const reply = await call('POST', '/views/preview', { query: { limit: 3, fields: 'subject' }, body: { predicate_collections: JSON.parse(text) } });
      return { count: reply.total_count ?? 0, subjects: rowsOf(reply).map((row) => String(row['subject'] || '')) };
    } catch {
      return undefined; // a condition is not complete yet; the form says so when it is saved
    }
  });
  return (
    <div class="preview" role="status" data-for={later()}>
      <Show when={found.latest} fallback={<p class="soft">{say('preview_none')}</p>}>
        {(all) => <><p><b>{say('preview', { n: all().count })}</b></p><ul><For each={all().subjects}>{(subject) => <li dir="auto">{subject}</li>}</For><Show when={all().count > all().subjects.length}><li class="soft">{say('preview_more', { n: numberText(all().count - all().subjects.length) })}</li></Show></ul></>}
      </Show>
    </div>
  );
};

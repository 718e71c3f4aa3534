// The controls of forms. A field is a row of a declaration; what its declaration leaves open follows from the limits of the API.
import { createMemo, createSignal, createUniqueId, For, Match, Show, Switch, type Component } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import type { Row } from '../../kit/api';
import type { FormState } from './form';
import type { Values } from './kept';
import { say, type SettingsWord } from './words';

export interface Choice { id: string | number; label: string }

export interface Control { id: string; described: string | undefined; invalid: boolean; value: unknown; set: (value: unknown) => void; form: FormState; field: Field }

export interface Field<N extends string = string> {
  name: N;
  label: SettingsWord;
  help?: SettingsWord;
  /** The words of an enumeration, by its values. */
  words?: Readonly<Record<string, SettingsWord>>;
  /** Rows or values to choose from: one, or several if the field is a list. */
  among?: (values: Values) => Choice[];
  /** The word for "no choice". */
  empty?: SettingsWord;
  required?: boolean;
  long?: boolean;
  /** The control takes the whole width of the area. */
  wide?: boolean;
  /** What browsers fill in. */
  autocomplete?: string;
  /** The field is shown only for these values of the others. */
  when?: (values: Values) => boolean;
  /** The field is shown only for this row; undefined: a new one. */
  on?: (row: Row | undefined) => boolean;
  /** The value of the field in a row. */
  from?: (row: Row) => unknown;
  /** A value as the request has it, if the form has another one. `row` is the last that was read. */
  to?: (value: unknown, row: Row | undefined) => unknown;
  /** A value in words, for the message that somebody else has changed it. */
  shown?: (value: unknown) => string;
  control?: Component<Control>;
}

const LONG = 1000;

const isNone = (value: unknown) => value === null || value === undefined || value === '';

const One = (props: Control & { choices: Choice[] }) => {
  /** The server forgets a choice that is deleted. A field that must have one, and had none from the beginning, has lost it. */
  const isLost = () => {
    const { field, form: { state, row } } = props;
    return field.required && row() !== undefined && isNone(props.value) && isNone(state.first[field.name]) && (field.when?.(state.first) ?? true);
  };
  const isGone = () => isLost() || props.value !== null && props.value !== undefined && props.value !== '' && !props.choices.some(({ id }) => id === props.value);
  const isNullable = () => { const { nullable, required } = props.form.limits(props.field.name); return (nullable || props.field.empty || (!required && props.value === null)) && !props.field.required; };
  const choose = (text: string) => props.set(text === '' ? null : props.choices.find(({ id }) => String(id) === text)?.id ?? props.value);
  return (
    <>
      <select id={props.id} aria-describedby={props.described} aria-invalid={props.invalid || isGone()} onChange={(event) => choose(event.currentTarget.value)}>
        <Show when={isNullable() || props.value === null || props.value === undefined}><option value="" selected={props.value === null || props.value === undefined}>{say(props.field.empty ?? 'none')}</option></Show>
        <Show when={isGone() && !isNone(props.value)}><option value={String(props.value)} selected>{say('gone_choice', { id: String(props.value) })}</option></Show>
        <For each={props.choices}>{(one) => <option value={String(one.id)} selected={one.id === props.value}>{one.label}</option>}</For>
      </select>
      <Show when={isGone()}><p class="wrong">{say('gone_help')}</p></Show>
    </>
  );
};

const FILTER_FROM = 10;

const Many = (props: Control & { choices: Choice[] }) => {
  const [typed, setTyped] = createSignal('');
  const chosen = () => (props.value ?? []) as (string | number)[];
  const gone = () => chosen().filter((id) => !props.choices.some((one) => one.id === id)).map((id) => ({ id, label: say('gone_choice', { id: String(id) }) }));
  const found = createMemo(() => [...gone(), ...props.choices].filter(({ label }) => label.toLowerCase().includes(typed().toLowerCase())));
  const turn = (id: string | number) => props.set(chosen().includes(id) ? chosen().filter((one) => one !== id) : [...chosen(), id]);
  return (
    <div class="many" id={props.id} role="group" tabindex="-1" aria-label={say(props.field.label)} aria-describedby={props.described}>
      <Show when={props.choices.length > FILTER_FROM}><input type="search" aria-label={`${say('filter')}: ${say(props.field.label)}`} placeholder={say('filter')} onInput={(event) => setTyped(event.currentTarget.value)} /></Show>
      <ul>
        <For each={found()} fallback={<li class="soft">{say(typed() ? 'find_none' : 'none')}</li>}>
          {(one) => <li><label class="yes"><input type="checkbox" checked={chosen().includes(one.id)} onChange={() => turn(one.id)} /><span dir="auto">{one.label}</span></label></li>}
        </For>
      </ul>
    </div>
  );
};

/** Words that are typed, as tags. */
const Typed = (props: Control) => {
  const words = () => (props.value ?? []) as string[];
  let input!: HTMLInputElement;
  const add = () => {
    const word = input.value.trim();
    if (word && !words().includes(word)) props.set([...words(), word]);
    input.value = '';
    input.focus();
  };
  return (
    <div class="typed">
      <Show when={words().length}>
        <ul class="tags"><For each={words()}>{(word) => <li class="tag"><span dir="auto">{word}</span><button type="button" aria-label={say('remove_word', { name: word })} onClick={() => { props.set(words().filter((one) => one !== word)); input.focus(); }}>×</button></li>}</For></ul>
      </Show>
      <div class="typed-line">
        <input ref={input} id={props.id} dir="auto" aria-describedby={props.described} aria-invalid={props.invalid} onKeyDown={(event) => { if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && input.value.trim()) { event.preventDefault(); add(); } }} onBlur={() => { if (input.value.trim()) add(); }} />
        <button type="button" onClick={add}>{say('add_word')}</button>
      </div>
    </div>
  );
};

const INPUT: Record<string, string> = { email: 'email', password: 'password' };

export const FieldView = (props: { form: FormState; field: Field; form_id: string }) => {
  const { form, field } = props, id = `${props.form_id}-${field.name}`, help = createUniqueId();
  const limits = form.limits(field.name);
  const problem = createMemo(() => form.problems().find((one) => one.field === field.name));
  const choices = createMemo(() => field.among?.(form.state.values) ?? limits.options?.map((one) => ({ id: one, label: field.words?.[one] ? say(field.words[one]!) : one })));
  const control = (): Control => ({
    id, form, field, invalid: problem() !== undefined, described: problem() || field.help ? help : undefined,
    value: form.state.values[field.name], set: (value) => form.set(field.name, value),
  });
  const isYes = limits.type === 'boolean', isGroup = limits.type === 'array' && field.among && !field.control;
  const text = () => { const value = form.state.values[field.name]; return value === null || value === undefined ? '' : String(value); };
  const label = () => <>{say(field.label)}<Show when={limits.required || field.required}> <span class="soft">({say('required')})</span></Show></>;

  return (
    <div class="field" classList={{ 'is-wrong': problem() !== undefined, 'is-wide': field.wide ?? false }}>
      <Show when={!isYes}><Show when={!isGroup} fallback={<span class="label">{label()}</span>}><label class="label" for={id}>{label()}</label></Show></Show>
      <Switch fallback={
        <input id={id} type={INPUT[limits.format ?? ''] ?? 'text'} inputmode={limits.type === 'integer' ? 'numeric' : undefined} autocomplete={field.autocomplete ?? (limits.format === 'password' ? 'new-password' : 'off')} dir="auto"
          aria-describedby={control().described} aria-invalid={control().invalid} aria-required={limits.required || field.required || undefined} value={text()} onInput={(event) => form.set(field.name, event.currentTarget.value)} />}>
        <Match when={field.control}><Dynamic component={field.control!} {...control()} /></Match>
        <Match when={isYes}>
          <label class="yes"><input id={id} type="checkbox" aria-describedby={control().described} checked={form.state.values[field.name] === true} onChange={(event) => form.set(field.name, event.currentTarget.checked)} /><span>{say(field.label)}</span></label>
        </Match>
        <Match when={isGroup}><Many {...control()} choices={choices() ?? []} /></Match>
        <Match when={limits.type === 'array'}><Typed {...control()} /></Match>
        <Match when={choices()}><One {...control()} choices={choices()!} /></Match>
        <Match when={field.long ?? (limits.format !== 'password' && (limits.maxLength ?? 0) > LONG)}>
          <textarea id={id} rows="6" dir="auto" aria-describedby={control().described} aria-invalid={control().invalid} value={text()} onInput={(event) => form.set(field.name, event.currentTarget.value)} />
        </Match>
      </Switch>
      <Show when={problem() || field.help}>
        <div id={help} class="field-help">
          <Show when={problem()}>{(one) => <p class="wrong"><span dir="auto">{one().text}</span> <Show when={'theirs' in one()}><button type="button" onClick={() => { form.choose({ name: field.name, theirs: one().theirs }); document.getElementById(id)?.focus(); }}>{say('take_theirs', { field: say(field.label) })}</button></Show></p>}</Show>
          <Show when={field.help}><p class="soft">{say(field.help!)}</p></Show>
        </div>
      </Show>
    </div>
  );
};

// Actions of triggers and monitors, in their order. Names, options and values are those of the definitions.
import { For, Index, Match, Show, Switch } from 'solid-js';
import { get, rowsOf, type Row } from '../../../kit/api';
import type { Control } from '../fields';
import { createRead } from '../read';
import { say, type SettingsWord } from '../words';
import { firstValue, isOfDesk, Value, type Definition } from './conditions';
import { titleText } from './labels';

export interface Action { name: string; option: string; value: unknown; attributes?: { subject: string; message: string } }
interface Known { label: string; name: string; options: string[]; input_type: string; values: Record<string, string> | '' | null; attributes: string[] }

export const actionsOf = (row: Row): Action[] => ((row['actions'] ?? []) as (Action & { attributes: { name: string; value: string }[] })[]).map(({ name, option, value, attributes }) =>
  ({ name, option, value, ...attributes.length ? { attributes: Object.fromEntries(attributes.map((one) => [one.name, one.value ?? ''])) as unknown as { subject: string; message: string } } : {} }));

const OPTIONS: Record<string, SettingsWord> = { CHANGE: 'act_change', INCREASE: 'act_increase', DECREASE: 'act_decrease', ADD: 'act_add', REMOVE: 'act_remove', REPLACE: 'act_replace', SEND: 'act_send' };
export const optionText = (option: string) => OPTIONS[option] ? say(OPTIONS[option]!) : option;

/** A value of an action is chosen as that of a condition. */
const asDefinition = (one: Known): Definition => ({
  field: one.name, label: one.label, operators: [], values: one.values || null,
  input_type: /^NOTIFICATION/.test(one.input_type) ? one.input_type === 'NOTIFICATION_USER' ? 'AUTOCOMPLETE' : 'OPTIONS' : one.input_type,
} as unknown as Definition);
const isTrue = (one: Known) => one.input_type === 'BOOLEAN_TRUE';
const needsValue = (one: Known, option: string) => !isTrue(one) && option !== 'INCREASE' && option !== 'DECREASE';
const begun = (one: Known, option = one.options[0]!): Action => ({
  name: one.name, option, value: isTrue(one) ? true : needsValue(one, option) ? one.input_type === 'TAGS' ? [] : firstValue(asDefinition(one)) : null,
  ...one.attributes.length ? { attributes: { subject: '', message: '' } } : {},
});

export const Actions = (props: Control) => {
  const [definitions] = createRead(async () => rowsOf(await get('/triggers/actions/definitions')) as unknown as Known[]);
  const actions = () => (props.value ?? []) as Action[], known = (name: string) => definitions()?.find((one) => one.name === name);
  const labelOf = (one: Known) => isOfDesk(one.name) || /^(customfield|endpoint)_/.test(one.name) ? one.label : titleText(one.label);
  let box!: HTMLDivElement;
  const change = (at: number, next: Action) => props.set(actions().map((one, i) => i === at ? next : one));
  const add = () => { props.set([...actions(), begun(definitions()![0]!)]); queueMicrotask(() => [...box.querySelectorAll<HTMLElement>('.rule-action select:first-child')].at(-1)?.focus()); };
  const drop = (at: number) => { props.set(actions().filter((_, i) => i !== at)); queueMicrotask(() => box.querySelector<HTMLElement>('.action-add')?.focus()); };
  const move = (at: number, step: number) => { const next = [...actions()], [one] = next.splice(at, 1); next.splice(at + step, 0, one!); props.set(next); };
  const textOf = (value: unknown) => Array.isArray(value) ? value.join(', ') : String(value ?? '');

  return (
    <div ref={box} id={props.id} class="conditions" role="group" tabindex="-1" aria-label={say('actions')} aria-describedby={props.described}>
      <Show when={definitions()}>
        <Show when={!actions().length}><p class="soft">{say('actions_empty')}</p></Show>
        <Index each={actions()}>
          {(action, i) => {
            const label = (word: SettingsWord) => `${say(word)}, ${say('action_number', { n: i + 1 })}`;
            return (
              <div class="conditions-group rule-action" role="group" aria-label={say('action_number', { n: i + 1 })}>
                <Show when={known(action().name)} fallback={<p class="wrong">{say('action_gone', { name: action().name })}</p>}>
                  {(definition) => (
                    <>
                      <div class="condition">
                        <select aria-label={label('action_name')} onChange={(event) => change(i, begun(known(event.currentTarget.value)!))}>
                          <For each={definitions()}>{(one) => <option value={one.name} selected={one.name === action().name}>{labelOf(one)}</option>}</For>
                        </select>
                        <Show when={definition().options.length > 1} fallback={<span class="soft rule-option">{optionText(action().option)}</span>}>
                          <select aria-label={label('action_option')} onChange={(event) => change(i, { ...begun(definition(), event.currentTarget.value), ...needsValue(definition(), event.currentTarget.value) && action().value !== null ? { value: action().value } : {} })}>
                            <For each={definition().options}>{(one) => <option value={one} selected={one === action().option}>{optionText(one)}</option>}</For>
                          </select>
                        </Show>
                        <Switch fallback={<Value label={label('action_value')} definition={asDefinition(definition())} value={textOf(action().value)} set={(value) => change(i, { ...action(), value })} />}>
                          <Match when={!needsValue(definition(), action().option)}><span /></Match>
                          <Match when={definition().input_type === 'TAGS'}>
                            <input dir="auto" aria-label={label('action_value')} placeholder={say('tags_hint')} value={textOf(action().value)} onInput={(event) => change(i, { ...action(), value: event.currentTarget.value.split(',').map((one) => one.trim()).filter(Boolean) })} />
                          </Match>
                        </Switch>
                        <button type="button" aria-label={say('action_remove', { n: i + 1 })} onClick={() => drop(i)}>×</button>
                      </div>
                      <Show when={action().attributes}>
                        {(texts) => (
                          <>
                            <input class="wide" dir="auto" aria-label={label('mail_subject')} placeholder={say('mail_subject')} value={texts().subject} onInput={(event) => change(i, { ...action(), attributes: { ...texts(), subject: event.currentTarget.value } })} />
                            <textarea class="wide" rows="4" dir="auto" aria-label={label('mail_message')} placeholder={say('mail_message')} value={texts().message} onInput={(event) => change(i, { ...action(), attributes: { ...texts(), message: event.currentTarget.value } })} />
                          </>
                        )}
                      </Show>
                    </>
                  )}
                </Show>
                <Show when={actions().length > 1}>
                  <span class="settings-order">
                    <button type="button" aria-label={say('move_up', { name: say('action_number', { n: i + 1 }) })} disabled={i === 0} onClick={() => move(i, -1)}>↑</button>
                    <button type="button" aria-label={say('move_down', { name: say('action_number', { n: i + 1 }) })} disabled={i === actions().length - 1} onClick={() => move(i, 1)}>↓</button>
                  </span>
                </Show>
                <Show when={!known(action().name)}><button type="button" onClick={() => drop(i)}>{say('action_remove', { n: i + 1 })}</button></Show>
              </div>
            );
          }}
        </Index>
        <p><button type="button" class="action-add" onClick={add}>{say('action_add')}</button></p>
      </Show>
    </div>
  );
};

// Fields as the page of customers shows them (src/pages/form_value.c): those that customers see and may set. Nothing can be typed here.
import { createSignal, createUniqueId, For, Match, Show, Switch } from 'solid-js';
import { say } from '../words';
import { hasOptions } from './kinds';
import { home, localeName, textIn, written, type Option, type Text } from './texts';

export interface Seen { type: string; titles: Text[]; customer_titles: Text[]; descriptions: Text[]; options: Option[]; isRequired: boolean }

const titleIn = ({ titles, customer_titles }: Seen, locale: string) => { const own = written(customer_titles); return (own.find((one) => one.locale === locale) ?? own[0])?.translation ?? textIn(titles, locale); };
/** The page shows a description only in its own language. */
const hintIn = ({ descriptions }: Seen, locale: string) => descriptions.find((one) => one.locale === locale)?.translation ?? '';

const Place = (props: { field: Seen; locale: string }) => {
  const id = createUniqueId(), title = () => titleIn(props.field, props.locale), hint = () => hintIn(props.field, props.locale), type = () => props.field.type;
  const isGroup = () => type() === 'RADIO' || type() === 'CHECKBOX', labels = () => props.field.options.map(({ texts }) => textIn(texts, props.locale));
  const optional = () => <Show when={!props.field.isRequired}> <span class="soft">({say('preview_optional')})</span></Show>;
  return (
    <div class="seen-field" role={isGroup() ? 'group' : undefined} aria-labelledby={isGroup() ? `${id}-title` : undefined} dir="auto">
      <Show when={isGroup()} fallback={<label for={id}>{title()}{optional()}</label>}><span id={`${id}-title`}>{title()}{optional()}</span></Show>
      <Show when={hint()}><p class="soft">{hint()}</p></Show>
      <Switch fallback={<input id={id} disabled type={type() === 'DATE' ? 'date' : type() === 'FILE' ? 'file' : 'text'} />}>
        <Match when={type() === 'TEXTAREA'}><textarea id={id} disabled rows="3" /></Match>
        <Match when={isGroup()}><For each={labels()}>{(label) => <label class="yes"><input type={type() === 'RADIO' ? 'radio' : 'checkbox'} disabled /><span>{label}</span></label>}</For></Match>
        <Match when={hasOptions(type()) || type() === 'YESNO'}>
          <select id={id}><option /><For each={type() === 'YESNO' ? [say('yes'), say('no')] : labels()}>{(label) => <option>{label}</option>}</For></select>
        </Match>
      </Switch>
    </div>
  );
};

/** `languages`: those to choose from. */
export const Preview = (props: { title: string; fields: Seen[]; languages: string[]; heading?: (locale: string) => { title: string; text: string } }) => {
  const [chosen, setChosen] = createSignal(''), locale = () => props.languages.includes(chosen()) ? chosen() : home(), id = createUniqueId();
  return (
    <figure class="seen" aria-labelledby={id}>
      <figcaption id={id}>{props.title}</figcaption>
      <Show when={props.languages.length > 1}>
        <select aria-label={say('preview_language')} onChange={(event) => setChosen(event.currentTarget.value)}><For each={props.languages}>{(one) => <option value={one} selected={one === locale()}>{localeName(one)}</option>}</For></select>
      </Show>
      <div class="seen-page" lang={locale()}>
        <Show when={props.heading?.(locale())}>{(heading) => <><p class="seen-title" dir="auto">{heading().title}</p><Show when={heading().text}><p class="soft" dir="auto">{heading().text}</p></Show></>}</Show>
        <For each={props.fields}>{(field) => <Place field={field} locale={locale()} />}</For>
        <Show when={!props.fields.length}><p class="soft">{say('preview_nothing')}</p></Show>
      </div>
    </figure>
  );
};

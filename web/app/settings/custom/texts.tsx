// Texts in several languages beside each other. All texts of a form have the same languages: those in which one of them is written.
import { createMemo, createSignal, For, Show } from 'solid-js';
import { get, rowsOf, type Ref, type Row } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import type { Control } from '../fields';
import type { FormState } from '../form';
import { say } from '../words';

export interface Text { locale: string; translation: string }
export interface Option { id?: number; tag: string; texts: Text[] }
interface Locale { locale: string; name: string; direction: string }

const [locales, setLocales] = createSignal<Locale[]>([]), [home, setHome] = createSignal('en-us');
/** The language of texts that are given without one. */
export { home };
export const readLocales = async () => {
  const [all, settings] = await Promise.all([get('/locales', { limit: 100, fields: 'locale,native_name,direction,is_enabled' }), get('/settings', { limit: 500 })]);
  setLocales(rowsOf(all).filter((row) => row['is_enabled']).map((row) => ({ locale: String(row['locale']), name: String(row['native_name']), direction: String(row['direction']) })));
  const found = rowsOf(settings).find((row) => row['category'] === 'account' && row['name'] === 'default_language');
  if (found) setHome(String(found['value']));
};
export const localeName = (locale: string) => locales().find((one) => one.locale === locale)?.name ?? locale;

/** The texts that a member of the row refers to. */
export const textsIn = (row: object | undefined, member: string): Text[] => ((row as Row | undefined)?.[member] as Ref[] | undefined ?? []).flatMap((ref) => {
  const found = rowOf('locale_field', ref);
  return found ? [{ locale: found.locale ?? '', translation: found.translation ?? '' }] : [];
});
export const textsOf = (member: string) => (row: Row) => textsIn(row, member);
export const written = (value: unknown) => ((value ?? []) as Text[]).filter(({ translation }) => translation.trim());
export const shownTexts = (value: unknown) => written(value).map(({ locale, translation }) => `${localeName(locale)}: ${translation}`).join(' · ') || say('empty_value');
/** The text in the language, or else the one that the server would take. */
export const textIn = (texts: readonly Text[], locale: string) => { const all = written(texts); return (all.find((one) => one.locale === locale) ?? all.find((one) => one.locale === home()) ?? all[0])?.translation ?? ''; };
export const withText = (texts: readonly Text[], locale: string, translation: string): Text[] =>
  texts.some((one) => one.locale === locale) ? texts.map((one) => one.locale === locale ? { locale, translation } : one) : [...texts, { locale, translation }];

const isTexts = (value: unknown): value is Text[] => Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && 'translation' in one);
const isOptions = (value: unknown): value is Option[] => Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && 'texts' in one);

export const languagesOf = (form: FormState) => [...new Set([home(), ...Object.values(form.state.values).flatMap((value) =>
  isTexts(value) ? value : isOptions(value) ? value.flatMap(({ texts }) => texts) : []).map(({ locale }) => locale)])];

const LINES = 3;

/** The first of these controls in a form offers another language. */
export const Texts = (props: Control) => {
  const texts = () => (props.value ?? []) as Text[], languages = createMemo(() => languagesOf(props.form)), isFirst = props.form.of.fields.find(({ control }) => control === Texts)?.name === props.field.name;
  const others = () => locales().filter(({ locale }) => !languages().includes(locale));
  const valueOf = (locale: string) => texts().find((one) => one.locale === locale)?.translation ?? '';
  let box!: HTMLDivElement;
  const add = (locale: string) => { props.set([...texts(), { locale, translation: '' }]); queueMicrotask(() => [...box.querySelectorAll<HTMLElement>('input, textarea')].at(-1)?.focus()); };
  return (
    <div ref={box} class="texts">
      <For each={languages()}>
        {(locale, i) => {
          const attributes = () => ({
            id: i() ? `${props.id}-${locale}` : props.id, lang: locale, dir: locales().find((one) => one.locale === locale)?.direction === 'rtl' ? 'rtl' as const : 'auto' as const,
            'aria-label': languages().length > 1 ? `${say(props.field.label)}, ${localeName(locale)}` : undefined, 'aria-describedby': props.described, 'aria-invalid': props.invalid, value: valueOf(locale),
          });
          const change = (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => props.set(withText(texts(), locale, event.currentTarget.value));
          return (
            <div class="one-text">
              <Show when={languages().length > 1}><span class="soft" lang={locale} aria-hidden="true">{localeName(locale)}</span></Show>
              <Show when={props.field.long} fallback={<input {...attributes()} onInput={change} />}><textarea rows={LINES} {...attributes()} onInput={change} /></Show>
            </div>
          );
        }}
      </For>
      <Show when={isFirst && others().length}>
        <select class="text-add" aria-label={say('language_add')} onChange={(event) => { if (event.currentTarget.value) add(event.currentTarget.value); event.currentTarget.value = ''; }}>
          <option value="">{say('language_add')} …</option>
          <For each={others()}>{({ locale, name }) => <option value={locale}>{name}</option>}</For>
        </select>
      </Show>
    </div>
  );
};

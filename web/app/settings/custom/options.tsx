// The options of a field, in their order. An option that stays keeps its id, and with it the values that have it.
import { createMemo, For, Index, Show } from 'solid-js';
import type { Ref, Row } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import type { Control } from '../fields';
import { Mover } from '../mover';
import { say } from '../words';
import { home, languagesOf, localeName, textIn, textsIn, withText, written, type Option } from './texts';

const optionIds = (row: Row | undefined) => ((row?.['options'] ?? []) as Ref[]).map(({ id }) => id);
export const optionsIn = (row: Row | undefined): Option[] => optionIds(row).flatMap((id) => {
  const found = rowOf('field_option', id);
  return found ? [{ id, tag: found.tag ?? '', texts: textsIn(found, 'values') }] : [];
});
/** An option that the server has deleted meanwhile is made again. */
export const optionsTo = (value: unknown, row: Row | undefined) => ((value ?? []) as Option[]).map(({ id, tag, texts }) => ({ ...id && optionIds(row).includes(id) ? { id } : {}, values: written(texts), tag: tag.trim() || null }));

export const Options = (props: Control) => {
  const all = () => (props.value ?? []) as Option[], languages = createMemo(() => languagesOf(props.form));
  const nameOf = (at: number) => textIn(all()[at]?.texts ?? [], home()) || say('option_number', { n: at + 1 });
  let box!: HTMLDivElement;
  const change = (at: number, next: Partial<Option>) => props.set(all().map((one, i) => i === at ? { ...one, ...next } : one));
  const focus = (at: number) => queueMicrotask(() => (box.querySelectorAll<HTMLElement>('.option-texts > input:first-child')[at] ?? box.querySelector<HTMLElement>('.option-add'))?.focus());
  const add = (at: number) => { props.set([...all().slice(0, at), { tag: '', texts: [{ locale: home(), translation: '' }] }, ...all().slice(at)]); focus(at); };
  const drop = (at: number) => { props.set(all().filter((_, i) => i !== at)); focus(Math.min(at, all().length - 1)); };
  const move = (from: number, to: number) => { const next = [...all()]; next.splice(to, 0, ...next.splice(from, 1)); props.set(next); };
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    add(at + 1);
  };
  return (
    <div ref={box} id={props.id} role="group" tabindex="-1" aria-label={say('options')} aria-describedby={props.described}>
      <Show when={!all().length}><p class="soft">{say('options_empty')}</p></Show>
      <ol class="sorted" data-sort>
        <Index each={all()}>
          {(option, i) => (
            <li>
              <div class="option-texts">
                <For each={languages()}>
                  {(locale) => (
                    <input lang={locale} dir="auto" aria-label={[say('option_title'), say('option_number', { n: i + 1 }), ...languages().length > 1 ? [localeName(locale)] : []].join(', ')} aria-invalid={props.invalid} placeholder={languages().length > 1 ? localeName(locale) : undefined}
                      value={option().texts.find((one) => one.locale === locale)?.translation ?? ''} onInput={(event) => change(i, { texts: withText(option().texts, locale, event.currentTarget.value) })} onKeyDown={(event) => onKeyDown(event, i)} />
                  )}
                </For>
                <input class="option-tag" dir="auto" maxlength="255" aria-label={`${say('option_tag')}, ${say('option_number', { n: i + 1 })}`} placeholder={say('option_tag')} value={option().tag} onInput={(event) => change(i, { tag: event.currentTarget.value })} onKeyDown={(event) => onKeyDown(event, i)} />
              </div>
              <Mover name={nameOf(i)} at={i} of={all().length} move={(to) => move(i, to)} />
              <button type="button" aria-label={say('remove_word', { name: nameOf(i) })} onClick={() => drop(i)}>×</button>
            </li>
          )}
        </Index>
      </ol>
      <p><button type="button" class="option-add" onClick={() => add(all().length)}>{say('option_add')}</button></p>
    </div>
  );
};

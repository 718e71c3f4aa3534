// A form on the screen: its problems first, then the fields, then what one can do.
import { createEffect, createUniqueId, For, on, onCleanup, Show, type JSX } from 'solid-js';
import { useKeys } from '../../kit/keys';
import { FieldView } from './fields';
import type { FormState } from './form';
import { say, type SettingsWord } from './words';

/** `submit` is the word of the button. `children` stand between the fields and the buttons, `actions` beside the button. */
export const Form = (props: { form: FormState; submit?: SettingsWord; children?: JSX.Element; actions?: JSX.Element }) => {
  const { form } = props, id = createUniqueId();
  let summary!: HTMLDivElement;
  const { problems } = form;
  createEffect(on(form.refusals, () => {
    if (!problems().length) return;
    document.title = `${say('error')}: ${document.title}`;
    queueMicrotask(() => summary.focus());
  }, { defer: true }));
  // The title keeps the word as long as something is wrong.
  createEffect(() => { if (!problems().length) document.title = document.title.replace(`${say('error')}: `, ''); });
  onCleanup(() => { document.title = document.title.replace(`${say('error')}: `, ''); });
  useKeys([{ key: 'Ctrl+s', word: 'key_save', inText: true, run: () => void form.save() }, { key: 'Ctrl+Enter', word: 'key_save', inText: true, run: () => void form.save() }]);

  return (
    <Show when={form.status() !== 'failed'} fallback={<p class="wrong" role="alert">{say('row_failed')} <button type="button" onClick={() => void form.read()}>{say('try_again')}</button></p>}>
      <Show when={form.status() !== 'gone'} fallback={<p class="soft">{say('row_gone')}</p>}>
        <Show when={form.isRead()}>
        <form class="settings-form" noValidate aria-busy={form.status() !== 'ready'} onSubmit={(event) => { event.preventDefault(); void form.save(); }}>
          <div ref={summary} class="summary" tabindex="-1" role="alert" hidden={!problems().length}>
            <Show when={problems().length}>
              <Show when={problems()[0]!.field} fallback={<For each={problems().filter(({ field }) => !field)}>{(one) => <p dir="auto">{one.text}</p>}</For>}><p>{say('problems', { n: problems().length })}</p></Show>
              <ul><For each={problems().filter(({ field }) => field)}>{(one) => <li><a href={`#${id}-${one.field}`} target="_self" dir="auto" onClick={(event) => { event.preventDefault(); document.getElementById(`${id}-${one.field}`)?.focus(); }}>{one.text}</a></li>}</For></ul>
            </Show>
          </div>
          <For each={form.shownFields()}>{(field) => <FieldView form={form} field={field} form_id={id} />}</For>
          {props.children}
          <div class="settings-foot">
            <button type="submit" class="main" disabled={form.status() !== 'ready'}>{say(form.status() === 'saving' ? 'saving' : props.submit ?? 'save')}</button>
            <Show when={form.isChanged()}><button type="button" onClick={form.discard}>{say('discard')}</button></Show>
            <span class="grow" />
            {props.actions}
          </div>
        </form>
        </Show>
      </Show>
    </Show>
  );
};

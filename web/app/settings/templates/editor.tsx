// The text of a template: its lines have numbers, a mistake is marked at its line, and the values that it may use are inserted by buttons.
import { createEffect, createMemo, createUniqueId, For, Show } from 'solid-js';
import type { Control } from '../fields';
import { say } from '../words';
import { titleOf } from './words';

export interface Variable { name: string; is_required: boolean }

/** Where the server has found a mistake: it says "Line 3, character 5: …". */
const placeIn = (wrong: string) => { const [, line, character] = /Line (\d+), character (\d+):/.exec(wrong) ?? []; return line ? { line: Number(line), character: Number(character) } : undefined; };

/** `checked` is what the server has against the text that is typed. */
export const Editor = (props: Control & { variables: Variable[]; checked: string }) => {
  let area!: HTMLTextAreaElement, gutter!: HTMLDivElement;
  const about = createUniqueId(), text = () => String(props.value ?? ''), lines = createMemo(() => text().split('\n').length);
  const refused = () => props.form.problems().find(({ field }) => field === props.field.name)?.text ?? '';
  const place = createMemo(() => placeIn(props.checked || refused()));
  const insert = (name: string) => {
    area.focus();
    // The command keeps the undo of the browser.
    if (!document.execCommand('insertText', false, `{{${name}}}`)) { area.setRangeText(`{{${name}}}`, area.selectionStart, area.selectionEnd, 'end'); props.set(area.value); }
  };
  const goTo = () => {
    const { line, character } = place()!, begin = text().split('\n').slice(0, line - 1).reduce((n, one) => n + one.length + 1, 0);
    area.focus();
    // The server counts characters, the area UTF-16 units.
    const at = begin + [...text().slice(begin)].slice(0, character - 1).join('').length;
    area.setSelectionRange(at, at);
    area.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(area).lineHeight));
  };
  createEffect(() => { lines(); gutter.scrollTop = area.scrollTop; });

  return (
    <div class="code">
      <div class="code-box">
        <div ref={gutter} class="code-lines" aria-hidden="true"><For each={Array.from({ length: lines() })}>{(_, i) => <div classList={{ wrong: place()?.line === i() + 1 }}>{place()?.line === i() + 1 ? `✗ ${i() + 1}` : i() + 1}</div>}</For></div>
        <textarea ref={area} id={props.id} dir="ltr" wrap="off" spellcheck={false} rows="22" aria-describedby={`${props.described ?? ''} ${about}`.trim()} aria-invalid={props.invalid || props.checked !== ''} value={text()}
          onInput={(event) => props.set(event.currentTarget.value)} onScroll={() => { gutter.scrollTop = area.scrollTop; }} />
      </div>
      <div id={about} role="status" class="code-wrong">
        <Show when={props.checked && !refused()}><p class="wrong">{say('template_check')} <span lang="en" dir="auto">{props.checked}</span></p></Show>
      </div>
      <Show when={place()}>{(at) => <p><button type="button" onClick={goTo}>{say('template_line', { line: at().line })}</button></p>}</Show>
      <div role="group" aria-labelledby={`${about}-values`}>
        <p><b id={`${about}-values`}>{say('variables')}</b> <span class="soft">{say('variables_why')}</span></p>
        <ul class="code-values">
          <For each={props.variables}>
            {({ name, is_required: isRequired }) => <li><button type="button" onClick={() => insert(name)}><code dir="ltr">{`{{${name}}}`}</code> <span>{titleOf(name, 'value')}<Show when={isRequired}> ({say('variable_required')})</Show></span></button></li>}
          </For>
        </ul>
      </div>
    </div>
  );
};

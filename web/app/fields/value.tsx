// One custom field of a conversation, a person or an organization: changed in its place, and what the server refuses stands beside it.
import { createSignal, createUniqueId, For, Match, Show, Switch } from 'solid-js';
import { call, prefix, rowsOf, type Row, type Schemas } from '../../kit/api';
import { rowOf } from '../../kit/store';
import { say } from '../../kit/words';

type Field = Schemas['case_field'] | Schemas['user_field'] | Schemas['organization_field'];
type Choice = { id: number; title?: string };

interface Props {
  field: Field;
  /** As it is written: null is none. */
  value: string | null;
  /** Why the last value was refused. */
  wrong: string | undefined;
  /** Path of the row that has the value: "/cases/7". */
  path: string;
  onSave: (value: string | null) => void;
  /** A file was refused before it became the value. */
  onRefused: (reason: string) => void;
}

const optionsOf = (field: Field): Choice[] => ((field.options ?? []) as unknown as Row[]).map((ref) => rowOf('field_option', ref) as Choice | undefined).filter((o): o is Choice => o !== undefined);

export const FieldValue = (props: Props) => {
  const id = createUniqueId();
  const [typed, setTyped] = createSignal<string>(); // a text that was refused stays as it was typed
  const [busy, setBusy] = createSignal(false);
  const wrong = () => props.wrong;
  const shown = () => (wrong() ? typed() : undefined) ?? props.value ?? '';
  const isNeeded = () => props.field.is_required_for_agents || props.field.is_required_on_resolution;
  const save = (value: string | null) => {
    if ((value || null) === (props.value || null)) return;
    setTyped(value ?? '');
    props.onSave(value || null);
  };
  const upload = async (file: File | undefined) => {
    if (!file) return;
    const form = new FormData();
    form.append('file', file);
    setBusy(true);
    try { save(String(rowsOf(await call('POST', '/files', { body: form }))[0]!.id)); } catch (error) { props.onRefused((error as Error).message); } finally { setBusy(false); }
  };
  const described = () => wrong() ? `${id}-wrong` : undefined;
  const checked = () => new Set((props.value ?? '').split(',').filter(Boolean).map(Number));
  const toggled = (option: number, on: boolean) => optionsOf(props.field).map((o) => o.id).filter((one) => one === option ? on : checked().has(one)).join(',');
  const title = () => <span id={`${id}-title`} dir="auto">{props.field.title}<Show when={isNeeded()}> <abbr title={say(props.field.is_required_for_agents ? 'needed' : 'needed_to_complete')}>*</abbr></Show></span>;
  const TYPES: Partial<Record<string, { type: string; mode?: 'numeric' | 'decimal' }>> = { DATE: { type: 'date' }, NUMERIC: { type: 'text', mode: 'numeric' }, DECIMAL: { type: 'text', mode: 'decimal' } };

  return (
    <div class="choice field" role={props.field.type === 'CHECKBOX' || props.field.type === 'RADIO' ? 'group' : undefined} aria-labelledby={props.field.type === 'CHECKBOX' || props.field.type === 'RADIO' ? `${id}-title` : undefined}>
      {title()}
      <Switch fallback={
        <input aria-labelledby={`${id}-title`} type={TYPES[props.field.type ?? '']?.type ?? 'text'} inputmode={TYPES[props.field.type ?? '']?.mode} value={shown()} dir="auto" aria-invalid={!!wrong()} aria-describedby={described()}
          onChange={(event) => save(event.currentTarget.value)} onKeyDown={(event) => { if (event.key === 'Enter') event.currentTarget.blur(); }} />
      }>
        <Match when={props.field.type === 'TEXTAREA'}>
          <textarea aria-labelledby={`${id}-title`} rows="3" value={shown()} dir="auto" aria-invalid={!!wrong()} aria-describedby={described()} onChange={(event) => save(event.currentTarget.value)} />
        </Match>
        <Match when={props.field.type === 'SELECT' || props.field.type === 'CASCADINGSELECT' || props.field.type === 'YESNO'}>
          <select aria-labelledby={`${id}-title`} aria-invalid={!!wrong()} aria-describedby={described()} onChange={(event) => save(event.currentTarget.value)}>
            <option value="" selected={!props.value}>{say('none')}</option>
            <Show when={props.field.type === 'YESNO'} fallback={<For each={optionsOf(props.field)}>{(o) => <option value={o.id} selected={props.value === String(o.id)}>{o.title}</option>}</For>}>
              <option value="yes" selected={props.value === 'yes'}>{say('yes')}</option>
              <option value="no" selected={props.value === 'no'}>{say('no')}</option>
            </Show>
          </select>
        </Match>
        <Match when={props.field.type === 'RADIO'}>
          <For each={optionsOf(props.field)}>{(o) => <label class="option"><input type="radio" name={id} checked={props.value === String(o.id)} onChange={() => save(String(o.id))} /> <span dir="auto">{o.title}</span></label>}</For>
          <Show when={props.value}><button type="button" class="link" onClick={() => save(null)}>{say('clear')}</button></Show>
        </Match>
        <Match when={props.field.type === 'CHECKBOX'}>
          <For each={optionsOf(props.field)}>{(o) => <label class="option"><input type="checkbox" checked={checked().has(o.id)} onChange={(event) => save(toggled(o.id, event.currentTarget.checked))} /> <span dir="auto">{o.title}</span></label>}</For>
        </Match>
        <Match when={props.field.type === 'FILE'}>
          <p class="field-file">
            <Show when={props.value}><a href={`${prefix}/api/v1${props.path}/files/${props.value}/content`} target="_self" download="">{say('field_file')}</a> <button type="button" class="link" onClick={() => save(null)}>{say('clear')}</button></Show>
            <label class="button"><input type="file" class="hidden" aria-labelledby={`${id}-title`} aria-describedby={described()} onChange={(event) => { void upload(event.currentTarget.files?.[0]); event.currentTarget.value = ''; }} />{say(busy() ? 'uploading' : 'attach')}</label>
          </p>
        </Match>
      </Switch>
      <Show when={wrong()}><p id={`${id}-wrong`} class="wrong" role="alert">{wrong()}</p></Show>
    </div>
  );
};

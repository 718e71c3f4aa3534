// All settings of the desk. The page is made of the list of the server: the form of a value decides its control.
//
// Settings have no version, so each save reads the setting first: after a change by somebody else the user decides.
import { createMemo, createSignal, createUniqueId, For, Match, Show, Switch } from 'solid-js';
import { call, get, Refused, rowsOf } from '../../../kit/api';
import { tell } from '../../../kit/strip';
import { zoneChoices } from '../choices';
import type { Choice } from '../fields';
import { keepValues, keptOf } from '../kept';
import { Page } from '../page';
import { createRead } from '../read';
import { rank } from '../rights';
import { say } from '../words';

interface Setting {
  name: string; category: string; value: string; is_protected: boolean; description: string; initial: string; minimum: number | null; maximum: number | null; options: string[] | null;
  type: 'BOOLEAN' | 'INTEGER' | 'TEXT' | 'LINES' | 'TIME_ZONE' | 'EMAIL' | 'WORD' | 'LANGUAGE' | 'SECRET';
}
const MEMBERS = '+type,+initial,+minimum,+maximum,+options';
const readAll = async () => rowsOf(await get('/settings', { fields: MEMBERS })) as unknown as Setting[];
const nameOf = ({ category, name }: Setting) => `${category}.${name}`;
const titleOf = ({ name }: Setting) => { const text = name.replaceAll('_', ' '); return text.charAt(0).toUpperCase() + text.slice(1); };
const keyOf = (one: Setting) => `everything/${nameOf(one)}`;
/** Those whose change may open the desk, or shut people out. */
const isDangerous = (one: Setting) => one.is_protected || one.category === 'security';
const isChanged = (one: Setting) => one.type !== 'SECRET' && one.value !== one.initial;
const shown = (one: Setting, value: string) => one.type === 'BOOLEAN' ? say(value === '1' ? 'yes' : 'no') : value === '' ? say('empty_value') : value;

const Editor = (props: { one: Setting; id: string; described: string; locked: boolean; invalid: boolean; value: string; set: (value: string) => void; locales: Choice[] }) => {
  const common = () => ({ id: props.id, disabled: props.locked, 'aria-describedby': props.described, 'aria-invalid': props.invalid });
  const choices = (): Choice[] | undefined => props.one.type === 'WORD' ? (props.one.options ?? []).map((id) => ({ id, label: id })) : props.one.type === 'TIME_ZONE' ? zoneChoices(props.one.value) : props.one.type === 'LANGUAGE' ? props.locales : undefined;
  return (
    <Switch fallback={<input {...common()} type={props.one.type === 'SECRET' ? 'password' : props.one.type === 'EMAIL' ? 'email' : 'text'} inputmode={props.one.type === 'INTEGER' ? 'numeric' : undefined} autocomplete={props.one.type === 'SECRET' ? 'new-password' : 'off'} dir="auto" value={props.value} onInput={(event) => props.set(event.currentTarget.value)} />}>
      <Match when={props.one.type === 'BOOLEAN'}>
        <label class="yes"><input {...common()} type="checkbox" checked={props.value === '1'} onChange={(event) => props.set(event.currentTarget.checked ? '1' : '0')} /><span>{say('setting_on')}</span></label>
      </Match>
      <Match when={choices()}>
        {(all) => <select {...common()} onChange={(event) => props.set(event.currentTarget.value)}>
          <Show when={!all().some(({ id }) => id === props.value)}><option value={props.value} selected>{shown(props.one, props.value)}</option></Show>
          <For each={all()}>{(one) => <option value={String(one.id)} selected={one.id === props.value}>{one.label}</option>}</For>
        </select>}
      </Match>
      <Match when={props.one.type === 'LINES'}><textarea {...common()} rows="4" dir="auto" value={props.value} onInput={(event) => props.set(event.currentTarget.value)} /></Match>
    </Switch>
  );
};

const Line = (props: { one: Setting; locales: Choice[]; changed: (next: Setting) => void }) => {
  const id = createUniqueId(), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false), [wanted, setWanted] = createSignal('');
  let question!: HTMLDialogElement;
  const locked = () => props.one.is_protected && rank() !== 'OWNER';
  const typed = () => keptOf(keyOf(props.one))?.values['value'] as string | undefined;
  const value = () => typed() ?? props.one.value;
  const set = (next: string) => { setWrong(''); keepValues(keyOf(props.one), next === props.one.value ? undefined : { values: { value: next }, first: { value: props.one.value }, etag: null }); };
  const put = (next: string) => call('PUT', '/settings', { body: { values: { [nameOf(props.one)]: next } } });
  const now = async () => (await readAll()).find((one) => nameOf(one) === nameOf(props.one))!;
  const store = async (next: string) => {
    if (busy()) return;
    setBusy(true);
    setWrong('');
    const former = props.one.value, { type } = props.one;
    try {
      const theirs = await now();
      if (theirs.value !== former) {
        props.changed(theirs);
        setWrong(say('met_field', { field: titleOf(theirs), theirs: shown(theirs, theirs.value) }));
        return;
      }
      await put(next);
      keepValues(keyOf(props.one), undefined);
      props.changed(await now());
      tell(say('saved'), type === 'SECRET' ? undefined : async () => { await put(former); props.changed(await now()); });
    } catch (error) {
      setWrong(error instanceof Refused ? error.message : say('no_answer'));
    } finally {
      setBusy(false);
    }
  };
  const save = (next: string) => {
    if (!isDangerous(props.one)) return void store(next);
    setWanted(next);
    question.showModal();
  };
  const limits = () => props.one.type === 'INTEGER' ? say('setting_range', { least: String(props.one.minimum), most: String(props.one.maximum) }) : '';
  return (
    <li class="setting" classList={{ 'is-wrong': wrong() !== '' }}>
      <form class="settings-form" noValidate onSubmit={(event) => { event.preventDefault(); if (typed() !== undefined) save(value()); }}>
        <div>
          <label class="label" for={id} lang="en" dir="auto">{titleOf(props.one)}<Show when={isChanged(props.one)}> <span class="warning">{say('setting_changed')}</span></Show><Show when={typed() !== undefined}> <span class="warning">{say('unsaved')}</span></Show></label>
          <Editor one={props.one} id={id} described={`${id}-help`} locked={locked() || busy()} invalid={wrong() !== ''} value={value()} set={set} locales={props.locales} />
          <div id={`${id}-help`} class="field-help">
            <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
            <p class="soft" lang="en" dir="auto">{props.one.description}</p>
            <p class="soft"><code dir="ltr">{nameOf(props.one)}</code> · <Show when={props.one.type !== 'SECRET'} fallback={say('setting_secret')}>{say('setting_initial', { value: shown(props.one, props.one.initial) })}</Show> {limits()}</p>
            <Show when={locked()}><p class="soft">{say('setting_owner')}</p></Show>
          </div>
        </div>
        <Show when={!locked() && (typed() !== undefined || isChanged(props.one))}>
          <div class="settings-foot">
            <Show when={typed() !== undefined}>
              <button type="submit" class="main" disabled={busy()} aria-label={`${say('save')}: ${titleOf(props.one)}`}>{say('save')}</button>
              <button type="button" aria-label={`${say('discard')}: ${titleOf(props.one)}`} onClick={() => { set(props.one.value); document.getElementById(id)?.focus(); }}>{say('discard')}</button>
            </Show>
            <Show when={isChanged(props.one) && typed() === undefined}><button type="button" disabled={busy()} aria-label={`${say('setting_reset')}: ${titleOf(props.one)}`} onClick={() => save(props.one.initial)}>{say('setting_reset')}</button></Show>
          </div>
        </Show>
      </form>
      <dialog ref={question} class="card question" aria-labelledby={`${id}-question`}>
        <h2 id={`${id}-question`} dir="auto">{say('setting_question', { name: titleOf(props.one) })}</h2>
        <p>{say('setting_question_why', { from: shown(props.one, props.one.value), to: props.one.type === 'SECRET' ? '•••' : shown(props.one, wanted()) })}</p>
        <form method="dialog" class="settings-foot"><button type="submit">{say('cancel')}</button><button type="button" class="danger" onClick={() => { question.close(); void store(wanted()); }}>{say('setting_change')}</button></form>
      </dialog>
    </li>
  );
};

export default () => {
  const [read] = createRead(readAll), [changes, setChanges] = createSignal<ReadonlyMap<string, Setting>>(new Map());
  const [locales] = createRead(async () => rowsOf(await get('/locales', { limit: 100, fields: 'native_name,locale' })).map((row) => ({ id: String(row['locale']), label: String(row['native_name']) })));
  const [text, setText] = createSignal(''), [only, setOnly] = createSignal(false);
  const names = createMemo(() => (read() ?? []).map(nameOf));
  const all = createMemo(() => new Map((read() ?? []).map((one) => [nameOf(one), changes().get(nameOf(one)) ?? one])));
  const fits = (one: Setting) => (!only() || isChanged(one) || keptOf(keyOf(one)) !== undefined)
    && text().toLowerCase().split(/\s+/).every((word) => `${nameOf(one)} ${titleOf(one)} ${one.description} ${one.value}`.toLowerCase().includes(word));
  const found = createMemo(() => names().filter((name) => fits(all().get(name)!)));
  const categories = createMemo(() => [...new Set(found().map((name) => name.split('.')[0]!))].sort());
  return (
    <Page title="everything" why="everything_why">
      <div class="filters">
        <input type="search" aria-label={say('setting_find')} placeholder={say('setting_find')} dir="auto" onInput={(event) => setText(event.currentTarget.value)} />
        <label class="yes"><input type="checkbox" onChange={(event) => setOnly(event.currentTarget.checked)} /><span>{say('setting_only')}</span></label>
        <span class="soft" role="status">{read() ? say('setting_count', { n: found().length }) : ''}</span>
      </div>
      <Show when={read() && !found().length}><p class="empty">{say(only() && !text() ? 'setting_none_changed' : 'setting_none')}</p></Show>
      <For each={categories()}>
        {(category) => (
          <section class="part" aria-labelledby={`settings-${category}`}>
            <h2 id={`settings-${category}`} lang="en" dir="auto">{category}</h2>
            <ul class="setting-rows"><For each={found().filter((name) => name.split('.')[0] === category)}>{(name) => <Line one={all().get(name)!} locales={locales() ?? []} changed={(next) => setChanges((former) => new Map(former).set(name, next))} />}</For></ul>
          </section>
        )}
      </For>
    </Page>
  );
};

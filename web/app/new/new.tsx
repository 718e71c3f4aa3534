// A new conversation for a person, who may be new, too. What is begun is kept as a draft until the conversation is opened.
import { createEffect, createSignal, For, type JSX, on, onMount, Show, Suspense } from 'solid-js';
import { call, get, Refused, rowsOf, Unreachable, type Row } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { useKeys } from '../../kit/keys';
import { lazy } from '../../kit/lazy';
import { go } from '../../kit/route';
import { tell } from '../../kit/strip';
import { say } from '../../kit/words';
import { FileList } from '../editor/files';
import { isSentBefore, sendOnce } from '../editor/send';
import type { Surface } from '../editor/surface';
import { TextField } from '../editor/text';
import { priorities, teams } from '../frame/catalog';
import { createFirstDraft, fieldsOf } from './draft';
import { say as sayNew } from './words';

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const Offered = lazy(async () => (await import('../editor/offered')).loadOffered());
const MORE = 8;
const ORDER = ['requester', 'subject', 'text'] as const;
type Part = typeof ORDER[number];
type Problems = Partial<Record<Part, string>>;
/** The parts that the server names. */
const PARTS: Record<string, Part> = { requester_id: 'requester', email: 'requester', full_name: 'requester', subject: 'subject', contents: 'text' };

const nameOf = (row: Row) => String(row['full_name'] ?? '');
const stranger = (address: string): Option => ({ id: address, label: address, more: sayNew('new_person') });

/** People by name or address. An address that nobody has can become a new person. */
const findPeople = async (text: string): Promise<Option[]> => {
  const reply = ADDRESS.test(text) ? await get('/users', { email: text, limit: MORE, fields: 'full_name' }) : await get('/autocomplete/users', { name: text, limit: MORE, fields: 'full_name,organization', include: 'organization', _flat: true });
  const found = rowsOf(reply).map((row) => ({ id: row.id, label: nameOf(row), more: ADDRESS.test(text) ? text : String(reply.resources?.['organization']?.[String((row['organization'] as { id: number } | null)?.id)]?.['name'] ?? '') }));
  return found.length || !ADDRESS.test(text) ? found : [stranger(text)];
};

export const NewCase = () => {
  const draft = createFirstDraft(), fields = draft.fields;
  const [person, setPerson] = createSignal<Option>(), [shown, setShown] = createSignal('', { equals: false });
  const [problems, setProblems] = createSignal<Problems>({});
  const [wrong, setWrong] = createSignal<string>(), [isBefore, setBefore] = createSignal(false), [busy, setBusy] = createSignal(false);
  const [text, setText] = createSignal<Surface>();
  let to!: HTMLInputElement, subject!: HTMLInputElement, problem!: HTMLParagraphElement;
  const set = (values: Record<string, string | number | undefined>) => draft.setFields(fieldsOf({ ...fields(), ...values }));
  const mend = (part: Part) => { if (problems()[part]) setProblems(({ [part]: _, ...others }) => others); };
  const controls = (): Record<Part, HTMLElement | undefined> => ({ requester: to, subject, text: text()?.element });

  const read = () => draft.readServer().catch((error) => { if (error instanceof Refused && error.reply.status === 404) draft.lose(); });
  onMount(() => { to.focus(); document.title = `${say('new_case')} · deskd`; void read(); });

  // The draft has the number of the person; the field shows the name.
  createEffect(on(() => fields()['requester'], (id) => {
    if (id === person()?.id) return;
    const take = (option: Option | undefined) => { if (fields()['requester'] === id) setPerson(option), setShown(option?.label ?? ''); };
    if (typeof id !== 'number') return take(id ? stranger(id) : undefined);
    get(`/users/${id}`, { fields: 'full_name' }).then((reply) => take({ id, label: nameOf(rowsOf(reply)[0]!) }), (error) => {
      if (error instanceof Refused && fields()['requester'] === id) set({ requester: undefined }); // the person is gone
    });
  }));
  createEffect(() => {
    for (const [part, control] of Object.entries(controls())) {
      const about = { 'aria-invalid': 'true', 'aria-describedby': `new-${part}-wrong` };
      for (const [name, value] of Object.entries(about)) if (problems()[part as Part]) control?.setAttribute(name, value); else control?.removeAttribute(name);
    }
  });
  const show = (found: Problems) => {
    setProblems(found);
    const first = ORDER.find((part) => found[part]);
    if (first) controls()[first]?.focus();
    return !!first;
  };

  const send = async (event?: SubmitEvent) => {
    event?.preventDefault();
    if (busy() || draft.files.busy()) return;
    const chosen = person(), { subject: title = '', priority, team } = fields();
    const isWritten = !!draft.content().text.contents.trim();
    if (show({ ...(chosen ? {} : { requester: sayNew('choose_person') }), ...(String(title).trim() ? {} : { subject: sayNew('write_subject') }), ...(isWritten ? {} : { text: sayNew('write_text') }) }) || !chosen) return;
    setBusy(true);
    setWrong(undefined);
    setBefore(false);
    try {
      const id = typeof chosen.id === 'number' ? chosen.id
        : rowsOf(await call('POST', '/users', { body: { full_name: chosen.id.split('@')[0], email: chosen.id }, headers: { 'Idempotency-Key': `${draft.key()}-person` } }))[0]!.id;
      if (id !== chosen.id) setPerson({ ...chosen, id }), set({ requester: id });
      await draft.settled();
      const { text: { contents, html }, files } = draft.content();
      const made = rowsOf(await sendOnce('/cases', {
        requester_id: id, subject: title, contents, ...(html ? { channel_options: { html } } : {}), ...(files.length ? { attachment_file_ids: files } : {}),
        ...(priority ? { priority_id: priority } : {}), ...(team ? { assigned_team_id: team } : {}),
      }, draft))[0]!;
      draft.clear();
      go(`/cases/${made.id}`, { replace: true });
    } catch (error) {
      const named = error instanceof Refused ? (error.reply.errors ?? []).flatMap(({ parameter = '', message }) => PARTS[parameter] ? [[PARTS[parameter], message]] : []) : [];
      setBefore(isSentBefore(error));
      if (isBefore()) setWrong(sayNew('opened_before'));
      else if (error instanceof Unreachable || (error instanceof Refused && error.reply.status >= 500)) setWrong(sayNew('not_opened_yet'));
      else if (!show(Object.fromEntries(named) as Problems)) setWrong(say('not_sent', { reason: (error as Error).message }));
      if (wrong()) problem.focus();
    } finally {
      setBusy(false);
    }
  };
  const isBegun = () => draft.filled() || draft.files.files().length > 0 || Object.keys(fields()).length > 0;
  const discard = () => {
    if (isBegun()) {
      const bringBack = draft.discard();
      tell(sayNew('discarded'), async () => { bringBack(); go('/new'); });
    }
    history.back();
  };
  useKeys([
    { key: 'Ctrl+Enter', word: 'key_send', inText: true, run: () => void send() },
    { key: 'Escape', word: 'key_list', inText: true, run: () => history.back() },
  ]);

  const Problem = (props: { of: Part }) => <Show when={problems()[props.of]}>{(message) => <p id={`new-${props.of}-wrong`} class="wrong">{message()}</p>}</Show>;
  const Select = (props: { name: 'priority' | 'team'; children: JSX.Element }) => (
    <label class="choice"><span>{say(props.name)}</span>
      <select value={String(fields()[props.name] ?? '')} onChange={(event) => set({ [props.name]: Number(event.currentTarget.value) })}><option value="">{say('none')}</option>{props.children}</select>
    </label>
  );

  return (
    <main class="screen region" aria-labelledby="new-title" tabindex="-1" data-region>
      <form class="form" noValidate onSubmit={(event) => void send(event)}>
        <h1 id="new-title">{say('new_case')}</h1>
        <p ref={problem} role="alert" tabindex="-1" class="wrong" hidden={!wrong()}>{wrong()} <Show when={isBefore()}><button type="button" onClick={() => { draft.renew(); void send(); }}>{sayNew('open_another')}</button></Show></p>
        <Show when={draft.offered()}>{(theirs) => <Suspense><Offered draft={draft} title={String(theirs().fields?.['subject'] ?? '')} /></Suspense>}</Show>
        <div class="choice" onInput={() => { setPerson(undefined); set({ requester: undefined }); mend('requester'); }}><span aria-hidden="true">{say('requester')}</span>
          <Combobox label={say('requester')} find={findPeople} value={shown()} onChoose={(option) => { setPerson(option); set({ requester: option.id }); mend('requester'); }} required ref={(input) => { to = input; }} />
          <Problem of="requester" />
        </div>
        <Show when={typeof person()?.id === 'string'}><p class="soft">{sayNew('new_person_made', { address: String(person()!.id) })}</p></Show>
        <div class="choice"><label for="new-subject">{say('subject')}</label>
          <input ref={subject} id="new-subject" required maxlength="1000" dir="auto" value={String(fields()['subject'] ?? '')} onInput={(event) => { set({ subject: event.currentTarget.value }); mend('subject'); }} />
          <Problem of="subject" />
        </div>
        <div class="choice"><span aria-hidden="true">{say('text')}</span><TextField ref={setText} rows={10} label={say('text')} draft={draft} onTyped={() => mend('text')} /><Problem of="text" /></div>
        <FileList files={draft.files} />
        <Show when={isBegun() && draft.isNowhere()}><p class="warning" role="alert">{say('draft_nowhere')}</p></Show>
        <Show when={draft.filled() && draft.isTooLong()}><p class="soft">{say('draft_long')}</p></Show>
        <div class="pair">
          <Select name="priority"><For each={priorities()}>{(p) => <option value={p.id}>{p.label}</option>}</For></Select>
          <Select name="team"><For each={teams()}>{(t) => <option value={t.id}>{t.title}</option>}</For></Select>
        </div>
        <div class="editor-foot">
          <label class="button"><input type="file" multiple class="hidden" onChange={(event) => { draft.files.add(event.currentTarget.files ?? []); event.currentTarget.value = ''; }} />{say('attach')}</label>
          <span class="grow" />
          <button type="button" onClick={discard}>{isBegun() ? sayNew('discard') : say('cancel')}</button>
          <button type="submit" class="main" disabled={busy() || draft.files.busy()}>{say(busy() ? 'sending' : 'open_case')}</button>
        </div>
      </form>
    </main>
  );
};

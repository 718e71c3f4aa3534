// A new conversation for a person, who may be new, too.
import { createSignal, For, onMount, Show } from 'solid-js';
import { call, get, Refused, rowsOf, Unreachable, type Row } from '../../kit/api';
import { Combobox, type Option } from '../../kit/combobox';
import { useKeys } from '../../kit/keys';
import { go } from '../../kit/route';
import { say } from '../../kit/words';
import { createFirstDraft } from '../editor/draft';
import { FileList } from '../editor/files';
import type { Surface } from '../editor/surface';
import { TextField } from '../editor/text';
import { priorities, teams } from '../frame/catalog';

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const MORE = 8;

const nameOf = (row: Row) => String(row['full_name'] ?? '');

/** People by name or address. An address that nobody has can become a new person. */
const findPeople = async (text: string): Promise<Option[]> => {
  const reply = ADDRESS.test(text) ? await get('/users', { email: text, limit: MORE, fields: 'full_name' }) : await get('/autocomplete/users', { name: text, limit: MORE, fields: 'full_name,organization', include: 'organization', _flat: true });
  const found = rowsOf(reply).map((row) => ({ id: row.id, label: nameOf(row), more: ADDRESS.test(text) ? text : String(reply.resources?.['organization']?.[String((row['organization'] as { id: number } | null)?.id)]?.['name'] ?? '') }));
  return found.length || !ADDRESS.test(text) ? found : [{ id: text, label: text, more: say('new_person') }];
};

export const NewCase = () => {
  const draft = createFirstDraft();
  const [person, setPerson] = createSignal<Option>();
  const [wrong, setWrong] = createSignal<string>(), [busy, setBusy] = createSignal(false);
  let to!: HTMLInputElement, subject!: HTMLInputElement, text!: Surface, priority!: HTMLSelectElement, team!: HTMLSelectElement, problem!: HTMLParagraphElement, form!: HTMLFormElement;
  onMount(() => { to.focus(); document.title = `${say('new_case')} · deskd`; });

  const send = async (event?: SubmitEvent) => {
    event?.preventDefault();
    const chosen = person();
    if (busy() || draft.files.busy() || !form.reportValidity()) return;
    if (!chosen) { setWrong(say('choose_person')); to.focus(); return; }
    const { text: { contents, html }, files } = draft.content();
    if (!contents.trim()) { setWrong(say('write_text')); text.focus(); return; }
    setBusy(true);
    setWrong(undefined);
    const key = draft.key();
    try {
      const id = typeof chosen.id === 'number' ? chosen.id
        : rowsOf(await call('POST', '/users', { body: { full_name: chosen.id.split('@')[0], email: chosen.id }, headers: { 'Idempotency-Key': `${key}-person` } }))[0]!.id;
      setPerson({ ...chosen, id });
      const body = {
        requester_id: id, subject: subject.value, contents, ...(html ? { channel_options: { html } } : {}), ...(files.length ? { attachment_file_ids: files } : {}),
        ...(priority.value ? { priority_id: Number(priority.value) } : {}), ...(team.value ? { assigned_team_id: Number(team.value) } : {}),
      };
      const made = rowsOf(await call('POST', '/cases', { body, headers: { 'Idempotency-Key': key } }))[0]!;
      draft.clear();
      go(`/cases/${made.id}`, { replace: true });
    } catch (error) {
      if (error instanceof Refused && error.reply.status < 500) draft.renew();
      setWrong(error instanceof Unreachable ? say('not_sent_yet') : say('not_sent', { reason: (error as Error).message }));
      problem.focus();
    } finally {
      setBusy(false);
    }
  };
  useKeys([
    { key: 'Ctrl+Enter', word: 'key_send', inText: true, run: () => void send() },
    { key: 'Escape', word: 'key_list', inText: true, run: () => history.back() },
  ]);

  return (
    <main class="screen region" aria-labelledby="new-title" tabindex="-1" data-region>
      <form ref={form} class="form" onSubmit={(event) => void send(event)}>
        <h1 id="new-title">{say('new_case')}</h1>
        <p ref={problem} role="alert" tabindex="-1" class="wrong" hidden={!wrong()}>{wrong()}</p>
        <div class="choice"><span aria-hidden="true">{say('requester')}</span><Combobox label={say('requester')} find={findPeople} onChoose={setPerson} required ref={(input) => { to = input; }} /></div>
        <Show when={typeof person()?.id === 'string'}><p class="soft">{say('new_person_made', { address: String(person()!.id) })}</p></Show>
        <label class="choice"><span>{say('subject')}</span><input ref={subject} required maxlength="1000" dir="auto" /></label>
        <div class="choice"><span aria-hidden="true">{say('text')}</span><TextField ref={(surface) => { text = surface; }} rows={10} label={say('text')} draft={draft} /></div>
        <FileList files={draft.files} />
        <Show when={draft.filled() && draft.isNowhere()}><p class="warning" role="alert">{say('draft_nowhere')}</p></Show>
        <div class="pair">
          <label class="choice"><span>{say('priority')}</span><select ref={priority}><option value="">{say('none')}</option><For each={priorities()}>{(p) => <option value={p.id}>{p.label}</option>}</For></select></label>
          <label class="choice"><span>{say('team')}</span><select ref={team}><option value="">{say('none')}</option><For each={teams()}>{(t) => <option value={t.id}>{t.title}</option>}</For></select></label>
        </div>
        <div class="editor-foot">
          <label class="button"><input type="file" multiple class="hidden" onChange={(event) => { draft.files.add(event.currentTarget.files ?? []); event.currentTarget.value = ''; }} />{say('attach')}</label>
          <span class="grow" />
          <button type="button" onClick={() => history.back()}>{say('cancel')}</button>
          <button type="submit" class="main" disabled={busy() || draft.files.busy()}>{say(busy() ? 'sending' : 'open_case')}</button>
        </div>
      </form>
    </main>
  );
};

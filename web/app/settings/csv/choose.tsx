// The file of an import: chosen or dropped, what it is, and what its columns become.
import { createEffect, createMemo, createSignal, For, on, Show } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import { call, get, rowsOf } from '../../../kit/api';
import { go } from '../../../kit/route';
import { keepReply } from '../../../kit/store';
import { numberText } from '../../../kit/words';
import { Part } from '../page';
import { say, type SettingsWord } from '../words';
import { keepAsked } from './kept';
import { COLUMNS, DELIMITERS, delimiterOf, ENCODINGS, encodingOf, headersOf, headText, mappingOf, type CsvKind, type Delimiter, type Encoding } from './recognize';

const KINDS: Record<CsvKind, SettingsWord> = { USERS: 'csv_user', ORGANIZATIONS: 'csv_organization' };
const DELIMITER_WORDS: Record<Delimiter, SettingsWord> = { COMMA: 'csv_comma', SEMICOLON: 'csv_semicolon', TAB: 'csv_tab' };
const EXISTING: Record<string, SettingsWord> = { UPDATE: 'csv_update', SKIP: 'csv_skip' };
const KILO = 1024;
interface Field { key: string; title: string }

const columnText = (column: string) => say((column === 'organization' ? 'csv_of_organization' : `csv_${column}`) as SettingsWord);
const fieldsOf = async (kind: CsvKind): Promise<Field[]> => rowsOf(await get(kind === 'USERS' ? '/users/fields' : '/organizations/fields', { limit: 100 }))
  .filter((row) => row['type'] !== 'FILE' && row['is_enabled'] !== false && typeof row['key'] === 'string').map((row) => ({ key: String(row['key']), title: String(row['title'] ?? row['key']) }));

/** What is chosen. It outlives the part, so that one comes back from a check. */
export const createChoice = () => {
  const [state, set] = createStore<{ kind: CsvKind; existing: string; encoding: Encoding; delimiter: Delimiter; headers: string[]; mapping: Record<string, string>; fields: Field[]; file_id: number | undefined }>(
    { kind: 'USERS', existing: 'UPDATE', encoding: 'UTF_8', delimiter: 'COMMA', headers: [], mapping: {}, fields: [], file_id: undefined });
  const [file, setFile] = createSignal<File>(), [wrong, setWrong] = createSignal('');
  let turn = 0;
  /** Reads the first line again with what is chosen now. */
  const recognize = async (mine: number, known: { encoding?: Encoding; delimiter?: Delimiter }) => {
    const chosen = file();
    if (!chosen) return;
    try {
      const encoding = known.encoding ?? await encodingOf(chosen), text = await headText(chosen, encoding), delimiter = known.delimiter ?? delimiterOf(text), fields = await fieldsOf(state.kind);
      if (mine !== turn) return;
      const headers = headersOf(text, delimiter);
      set({ encoding, delimiter, headers, fields });
      set('mapping', reconcile(mappingOf(state.kind, headers, fields.map(({ key }) => key))));
      setWrong('');
    } catch (error) {
      if (mine === turn) setWrong((error as Error).message);
    }
  };
  const again = (known: { encoding?: Encoding; delimiter?: Delimiter } = {}) => recognize(++turn, known);
  return {
    state, set, file, wrong, setWrong, again,
    take: (chosen: File | undefined) => { if (!chosen) return; setFile(chosen); set('file_id', undefined); void again(); },
  };
};
export type Choice = ReturnType<typeof createChoice>;

const Columns = (props: { choice: Choice }) => {
  const { state, set } = props.choice;
  const ignored = () => state.headers.filter((header) => !state.mapping[header]).length;
  return (
    <>
      <h3>{say('csv_columns')}</h3>
      <p class={ignored() === state.headers.length ? 'warning' : 'soft'}>{say(ignored() === state.headers.length ? 'csv_columns_none' : 'csv_columns_count', { n: ignored() })}</p>
      <div class="table-box"><table class="grid-table">
        <thead><tr><th scope="col">{say('csv_header')}</th><th scope="col">{say('csv_column')}</th></tr></thead>
        <tbody>
          <For each={state.headers}>
            {(header) => (
              <tr>
                <th scope="row" dir="auto">{header}</th>
                <td>
                  <select aria-label={say('csv_becomes', { name: header })} value={state.mapping[header] ?? ''} onChange={(event) => set('mapping', header, event.currentTarget.value)}>
                    <option value="">{say('csv_ignored')}</option>
                    <For each={Object.keys(COLUMNS[state.kind])}>{(column) => <option value={column} selected={state.mapping[header] === column}>{columnText(column)}</option>}</For>
                    <For each={state.fields}>{({ key, title }) => <option value={`field_values.${key}`} selected={state.mapping[header] === `field_values.${key}`}>{title}</option>}</For>
                  </select>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table></div>
    </>
  );
};

export const ChoosePart = (props: { choice: Choice }) => {
  const { state, set, file, wrong, setWrong } = props.choice;
  const [busy, setBusy] = createSignal(false), [over, setOver] = createSignal(false);
  const size = createMemo(() => { const bytes = file()?.size ?? 0; return bytes < KILO * KILO ? `${numberText(Math.ceil(bytes / KILO))} KB` : `${numberText(Math.round(bytes / KILO / KILO * 10) / 10)} MB`; });
  createEffect(on(() => state.kind, () => void props.choice.again({ encoding: state.encoding, delimiter: state.delimiter }), { defer: true }));

  const check = async () => {
    const chosen = file();
    if (!chosen || busy()) return;
    setBusy(true);
    setWrong('');
    try {
      if (state.file_id === undefined) {
        const body = new FormData();
        body.append('file', chosen, chosen.name);
        set('file_id', rowsOf(await call('POST', '/files', { body }))[0]!.id);
      }
      const asked = { kind: state.kind, file_id: state.file_id!, encoding: state.encoding, delimiter: state.delimiter, existing: state.existing, mapping: Object.fromEntries(state.headers.map((header) => [header, state.mapping[header] ?? ''])) };
      const reply = await call('POST', '/csv_imports', { body: { ...asked, is_dry_run: true } }), { id } = rowsOf(reply)[0]!;
      keepReply(reply);
      keepAsked(id, { name: chosen.name, asked });
      go(`/settings/csv/${id}`);
    } catch (error) {
      setWrong((error as Error).message);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Part title="csv_import" why="csv_import_why">
      <fieldset class="options csv-kind"><legend>{say('csv_kind')}</legend>
        <For each={Object.entries(KINDS) as [CsvKind, SettingsWord][]}>{([kind, word]) => <label class="yes"><input type="radio" name="csv-kind" checked={state.kind === kind} onChange={() => set('kind', kind)} /><span>{say(word)}</span></label>}</For>
      </fieldset>
      <div class="csv-drop" classList={{ 'is-over': over() }}
        onDragOver={(event) => { if (event.dataTransfer?.types.includes('Files')) { event.preventDefault(); setOver(true); } }} onDragLeave={() => setOver(false)}
        onDrop={(event) => { event.preventDefault(); setOver(false); props.choice.take(event.dataTransfer?.files[0]); }}>
        <label class="button">{say(file() ? 'csv_choose_other' : 'csv_choose')}<input class="hidden" type="file" accept=".csv,.txt,.tsv,text/csv" disabled={busy()} onChange={(event) => { props.choice.take(event.currentTarget.files?.[0]); event.currentTarget.value = ''; }} /></label>
        <span class="soft">{say('csv_drop')}</span>
        <p role="status" dir="auto">{file() ? say('csv_chosen', { name: file()!.name, size: size() }) : ''}</p>
      </div>
      <Show when={file() && state.headers.length}>
        <div class="csv-facts">
          <label>{say('csv_encoding')} <select onChange={(event) => void props.choice.again({ encoding: event.currentTarget.value as Encoding })}><For each={Object.entries(ENCODINGS)}>{([id, text]) => <option value={id} selected={state.encoding === id}>{text}</option>}</For></select></label>
          <label>{say('csv_delimiter')} <select onChange={(event) => void props.choice.again({ encoding: state.encoding, delimiter: event.currentTarget.value as Delimiter })}><For each={Object.keys(DELIMITERS) as Delimiter[]}>{(id) => <option value={id} selected={state.delimiter === id}>{say(DELIMITER_WORDS[id])}</option>}</For></select></label>
        </div>
        <Columns choice={props.choice} />
        <label class="csv-existing">{say('csv_existing')} <select onChange={(event) => set('existing', event.currentTarget.value)}><For each={Object.entries(EXISTING)}>{([id, word]) => <option value={id} selected={state.existing === id}>{say(word)}</option>}</For></select></label>
      </Show>
      <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
      <p class="settings-foot">
        <button type="button" class="main" disabled={busy() || !file()} onClick={() => void check()}>{say('csv_check')}</button>
        <span role="status" class="soft">{busy() ? say('csv_sending') : ''}</span>
      </p>
    </Part>
  );
};

// What the law gives people: a copy of their data, or their erasure. Each erasure has a receipt.
import { createSignal, For, Show } from 'solid-js';
import { call, get, prefix, rowsOf, type Ref, type Schemas } from '../../../kit/api';
import { Combobox, type Option } from '../../../kit/combobox';
import { href } from '../../../kit/route';
import { keepReply, rowOf } from '../../../kit/store';
import { tell } from '../../../kit/strip';
import { fullTime, shortTime } from '../../../kit/words';
import { Page, Part } from '../page';
import { createRead } from '../read';
import { say, type SettingsWord } from '../words';
import { createPages } from './pages';
import { Question } from './question';
import { saveFile } from './save_file';

type Erasure = Schemas['erasure'] & { id: number };
interface Count { what: string; count: number | null; reason?: string }

const ADDRESS = /^[^\s@]+@[^\s@]+$/, MOST = 8;
/** A person who is deleted is not found by name, but has a number. */
const find = async (text: string): Promise<Option[]> => {
  const number = /^#?(\d+)$/.exec(text)?.[1];
  if (number) return [{ id: number, label: `#${number}` }];
  const reply = ADDRESS.test(text) ? await get('/users', { email: text, limit: MOST, fields: 'full_name' }) : await get('/autocomplete/users', { name: text, limit: MOST, fields: 'full_name' });
  return rowsOf(reply).map((row) => ({ id: row.id, label: String(row['full_name'] ?? ''), more: `#${row.id}` }));
};

const Person = (props: { id: number; name: string; begun: (row: Erasure) => void }) => {
  const path = `/users/${props.id}`, [contents, setContents] = createSignal(false), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  const count = async (below: string) => (await get(`${path}/${below}`, { limit: 1, fields: 'id' })).total_count ?? 0;
  const [counts] = createRead(async () => {
    const [person, cases, notes, events] = await Promise.all([get(path, { fields: 'emails,phones' }), count('cases'), count('notes'), count('events')]);
    const { emails, phones } = rowsOf(person)[0] as unknown as { emails?: unknown[]; phones?: unknown[] };
    return [['erase_cases', cases], ['erase_notes', notes], ['erase_events', events], ['erase_addresses', (emails?.length ?? 0) + (phones?.length ?? 0)]] as [SettingsWord, number][];
  });
  const save = async () => {
    setBusy(true);
    setWrong('');
    try {
      const response = await fetch(`${prefix}/api/v1${path}/export`, { credentials: 'same-origin', cache: 'no-store', headers: { 'X-Requested-With': 'deskd' } });
      if (!response.ok) throw new Error(((await response.json()) as { errors?: { message: string }[] }).errors?.map(({ message }) => message).join(' '));
      saveFile(await response.blob(), `person-${props.id}.zip`);
    } catch (error) {
      setWrong(error instanceof TypeError ? say('no_answer') : (error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  const erase = async () => {
    const reply = await call('POST', `${path}/erase`, { body: { contents: contents() } });
    keepReply(reply);
    tell(say('erase_begun'));
    props.begun(rowsOf(reply)[0] as unknown as Erasure);
  };
  return (
    <div class="chosen-person">
      <h3><a href={href(`/people/${props.id}`)} dir="auto">{props.name}</a></h3>
      <Show when={counts()}>{(all) => <><p>{say('erase_touches')}</p><dl class="facts"><For each={all()}>{([word, n]) => <><dt>{say(word)}</dt><dd>{n}</dd></>}</For></dl></>}</Show>
      <p class="soft">{say('erase_export_why')}</p>
      <p><button type="button" disabled={busy()} onClick={() => void save()}>{say(busy() ? 'erase_exporting' : 'erase_export')}</button></p>
      <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
      <p><Question button="erase_do" name={props.name} title="erase_question" why="erase_question_why" danger act={erase}>
        <label class="yes"><input type="checkbox" checked={contents()} onChange={(event) => setContents(event.currentTarget.checked)} /><span>{say('erase_contents')}</span></label>
        <p class="soft">{say('erase_contents_why')}</p>
      </Question></p>
    </div>
  );
};

const Counts = (props: { title: SettingsWord; all: Count[] }) => (
  <Show when={props.all.length}>
    <h3>{say(props.title)}</h3>
    <ul class="receipt-list" lang="en"><For each={props.all}>{(one) => <li><code dir="ltr">{one.what}</code> {one.count ?? ''}<Show when={one.reason}><span class="soft" dir="auto">{one.reason}</span></Show></li>}</For></ul>
  </Show>
);

const Receipt = (props: { id: number }) => {
  const row = () => rowOf('erasure', props.id) as Erasure | undefined;
  const save = (one: Erasure) => saveFile(new Blob([`${JSON.stringify(one, null, 2)}\n`], { type: 'application/json' }), `erasure-${one.id}.json`);
  return (
    <Show when={row()}>
      {(one) => (
        <li data-result={one().status === 'COMPLETED' ? 'OK' : undefined}>
          <details>
            <summary>
              <span class="trial-mark" aria-hidden="true">{one().status === 'COMPLETED' ? '✓' : '◐'}</span>
              <span class="record-text"><b>{say('receipt', { n: one().id })}</b><span class="soft">{[say(one().status === 'COMPLETED' ? 'job_completed' : 'job_running'), one().with_contents ? say('receipt_with') : ''].filter(Boolean).join(' · ')}</span></span>
              <time class="soft" datetime={one().created_at ?? ''} title={fullTime(one().created_at ?? '')}>{shortTime(one().created_at ?? '')}</time>
            </summary>
            <div class="record-more">
              <dl class="facts">
                <dt>{say('receipt_person')}</dt><dd>{(one().user as Ref | null)?.id}</dd>
                <dt>{say('receipt_by')}</dt><dd dir="auto">{rowOf('user', one().requested_by as Ref | null)?.full_name ?? `#${(one().requested_by as Ref | null)?.id ?? ''}`}</dd>
                <dt>{say('job_begun')}</dt><dd>{fullTime(one().created_at ?? '')}</dd>
              </dl>
              <Show when={one().status === 'COMPLETED'} fallback={<p class="soft">{say('receipt_waits')}</p>}>
                <Counts title="receipt_removed" all={(one().removed ?? []) as unknown as Count[]} />
                <Counts title="receipt_kept" all={(one().kept ?? []) as unknown as Count[]} />
                <p><button type="button" onClick={() => save(one())}>{say('receipt_save')}</button></p>
              </Show>
            </div>
          </details>
        </li>
      )}
    </Show>
  );
};

export default () => {
  const [chosen, setChosen] = createSignal<Option>();
  const pages = createPages(() => '/erasures', () => ({ include: 'user,user_minimal' }));
  pages.follow((id) => rowOf('erasure', id)?.status === 'RUNNING');
  let receipts!: HTMLDivElement;
  const begun = async () => { setChosen(undefined); await pages.again(); receipts.focus(); };
  return (
    <Page title="erasures">
      <Part title="erase_start" why="erase_start_why">
        <Combobox label={say('erase_find')} placeholder={say('erase_find')} find={find} onChoose={setChosen} />
        <Show when={chosen()} keyed>{(one) => <Person id={Number(one.id)} name={one.label} begun={() => void begun()} />}</Show>
      </Part>
      <Part title="receipts">
        <div ref={receipts} tabindex="-1">
          <p class="wrong" role="alert" hidden={!pages.wrong()}>{pages.wrong()}</p>
          <Show when={pages.ids()?.length === 0}><p class="soft">{say('receipts_none')}</p></Show>
          <ul class="records"><For each={pages.ids()}>{(id) => <Receipt id={id} />}</For></ul>
          <Show when={pages.hasMore()}><button type="button" onClick={() => void pages.more()}>{say('more')}</button></Show>
        </div>
      </Part>
    </Page>
  );
};

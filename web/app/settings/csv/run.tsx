// One check or import: how far it is, its numbers, and the rows with errors. The address names it, so it is found again.
import { createEffect, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js';
import { call, get, rowsOf, type Schemas } from '../../../kit/api';
import { go, href } from '../../../kit/route';
import { keepReply, rowOf } from '../../../kit/store';
import { tell } from '../../../kit/strip';
import { fullTime, numberText } from '../../../kit/words';
import { createPages } from '../programs/pages';
import { Question } from '../programs/question';
import { say, type SettingsWord } from '../words';
import { downloadCsv } from './download';
import { askedOf, keepAsked } from './kept';

export type Run = Schemas['csv_import'] & { id: number };
type Reason = NonNullable<Schemas['csv_import_error']['reason']>;
const wordOf = (reason: Reason): SettingsWord => `csv_reason_${reason.toLowerCase() as Lowercase<Reason>}`;
// Reasons that have no word of their own. The API says more, in English.
const VAGUE: readonly string[] = ['VALUE_INVALID', 'VALUE_TAKEN', 'OTHER'] satisfies Reason[];
const POLL_MS = 1000, STEP = 10;
export const isOver = (run: Run) => run.status === 'COMPLETED' || run.status === 'FAILED';
export const nameOf = (run: Run) => say(run.is_dry_run ? 'csv_checked_file' : 'csv_imported_file', { name: askedOf(run.id)?.name ?? say('csv_this_file') });

const Errors = (props: { run: Run }) => {
  const path = () => `/csv_imports/${props.run.id}/errors`, aborts = new AbortController();
  const pages = createPages(path, () => ({}), 'csv_import_error');
  const [saving, setSaving] = createSignal(false), [wrong, setWrong] = createSignal('');
  onCleanup(() => aborts.abort());
  const rows = () => (pages.ids() ?? []).flatMap((id) => rowOf('csv_import_error', id) ?? []);
  const save = async () => {
    setSaving(true);
    setWrong('');
    try { await downloadCsv(path(), {}, `errors-${props.run.id}.csv`, false, () => undefined, aborts.signal); } catch (error) { if (!aborts.signal.aborted) setWrong((error as Error).message); } finally { setSaving(false); }
  };
  return (
    <section class="csv-errors">
      <h3>{say('csv_errors')}</h3>
      <p class="wrong" role="alert" hidden={!(wrong() || pages.wrong())}>{wrong() || pages.wrong()}</p>
      <Show when={pages.ids()?.length === 0}><p class="soft">{say('csv_errors_none')}</p></Show>
      <Show when={rows().length}>
        <p class="soft">{say('csv_errors_why')}</p>
        <div class="table-box" tabindex="0" role="group" aria-label={say('csv_errors')}><table class="grid-table">
          <thead><tr><th scope="col">{say('csv_line')}</th><th scope="col">{say('csv_error_column')}</th><th scope="col">{say('csv_reason')}</th></tr></thead>
          <tbody><For each={rows()}>{(row) => <tr><th scope="row">{numberText(row.line ?? 0)}</th><td dir="auto">{row.column ?? <span class="soft">{say('csv_whole_row')}</span>}</td><td>{say(wordOf(row.reason ?? 'OTHER'), { most: row.most ?? 0 })}<Show when={VAGUE.includes(row.reason ?? 'OTHER')}> <span lang="en" dir="auto">{row.message}</span></Show></td></tr>}</For></tbody>
        </table></div>
        <div class="settings-foot">
          <Show when={pages.hasMore()}><button type="button" onClick={() => void pages.more()}>{say('more')}</button></Show>
          <button type="button" disabled={saving()} onClick={() => void save()}>{say('csv_errors_save')}</button>
          <span class="soft">{say('csv_errors_shown', { n: rows().length, all: pages.total() })}</span>
        </div>
      </Show>
    </section>
  );
};

export const RunPart = (props: { id: number; onBack: (() => void) | undefined }) => {
  const path = () => `/csv_imports/${props.id}`;
  const [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  const run = () => rowOf('csv_import', props.id) as Run | undefined;
  let heading: HTMLHeadingElement | undefined, timer: ReturnType<typeof setTimeout> | undefined, gone = false;
  const read = async () => {
    const id = props.id;
    clearTimeout(timer);
    try {
      const reply = await get(path());
      if (gone || id !== props.id) return;
      keepReply(reply);
      setWrong('');
    } catch (error) {
      if (!gone && id === props.id) setWrong((error as Error).message);
    }
    if (!gone && id === props.id && !(run() && isOver(run()!))) timer = setTimeout(() => void read(), POLL_MS);
  };
  onMount(() => createEffect(on(() => props.id, () => { void read(); heading?.focus(); })));
  onCleanup(() => { gone = true; clearTimeout(timer); });

  const percent = (one: Run) => Math.min(100, Math.floor(100 * (one.position ?? 0) / (one.size || 1)));
  const numbers = (one: Run) => ({ created: one.created ?? 0, updated: one.updated ?? 0, rejected: one.rejected ?? 0 });
  /** Said to readers of the screen: the progress in steps, and the result. */
  const said = (one: Run) => one.status === 'PENDING' ? say('csv_waits') : !isOver(one) ? say(one.is_dry_run ? 'csv_checking' : 'csv_importing', { percent: Math.floor(percent(one) / STEP) * STEP })
    : `${one.status === 'FAILED' ? `${say('csv_broken')} ` : ''}${say(one.is_dry_run ? 'csv_check_done' : 'csv_import_done', numbers(one))}`;
  const facts = (one: Run): [SettingsWord, number][] => [['csv_total', one.total ?? 0], ['csv_created', one.created ?? 0], ['csv_updated', one.updated ?? 0], ['csv_skipped', one.skipped ?? 0], ['csv_rejected', one.rejected ?? 0]];
  const failure = (one: Run, why: string) => one.failure_line ? say('csv_failure_at', { line: numberText(one.failure_line), why }) : why;
  const stores = (one: Run) => (one.created ?? 0) + (one.updated ?? 0);

  const begin = async () => {
    const kept = askedOf(props.id);
    if (!kept || busy()) return;
    setBusy(true);
    setWrong('');
    try {
      const reply = await call('POST', '/csv_imports', { body: kept.asked }), { id } = rowsOf(reply)[0]!;
      keepReply(reply);
      keepAsked(id, kept);
      go(`/settings/csv/${id}`);
    } catch (error) {
      setWrong((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  const remove = async (one: Run) => {
    const ended = isOver(one);
    await call('DELETE', path());
    if (!ended) tell(say('csv_stopped'));
    go('/settings/csv');
  };

  return (
    <section class="part" aria-labelledby="csv-run">
      <h2 ref={heading} id="csv-run" tabindex="-1" dir="auto">{run() ? nameOf(run()!) : say('csv_import')}</h2>
      <p role="status" class="csv-said">{run() ? said(run()!) : ''}</p>
      <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
      <Show when={run()}>
        {(one) => (
          <>
            <Show when={!isOver(one())}>
              <progress max="100" value={percent(one())} aria-label={nameOf(one())} />
              <p class="soft">{say('csv_goes_on')}</p>
            </Show>
            <Show when={one().failure_reason}>{(reason) => <p class="wrong" dir="auto"><Show when={reason() !== 'OTHER'} fallback={<span lang="en">{one().failure}</span>}>{failure(one(), say(wordOf(reason())))}</Show></p>}</Show>
            <dl class="facts"><For each={facts(one())}>{([word, n]) => <><dt>{say(word)}</dt><dd>{numberText(n)}</dd></>}</For></dl>
            <div class="settings-foot">
              <Show when={one().is_dry_run && one().status === 'COMPLETED'}>
                <Show when={stores(one())} fallback={<p>{say('csv_nothing')}</p>}>
                  <Show when={askedOf(one().id)} fallback={<p>{say('csv_choose_again')}</p>}>
                    <button type="button" class="main" disabled={busy()} onClick={() => void begin()}>{say('csv_do', { n: stores(one()) })}</button>
                  </Show>
                </Show>
              </Show>
              <Show when={one().is_dry_run && props.onBack}><button type="button" onClick={() => props.onBack!()}>{say('csv_back')}</button></Show>
              <a class="button" href={href('/settings/csv')}>{say('csv_choose_other')}</a>
              <Show when={isOver(one())} fallback={<Question button="csv_stop" name={nameOf(one())} title="csv_stop_question" why="csv_stop_why" danger act={() => remove(one())} />}>
                <button type="button" onClick={() => void remove(one()).catch((error: Error) => setWrong(error.message))}>{say('csv_remove')}</button>
              </Show>
            </div>
            <p class="soft"><time datetime={one().created_at ?? ''}>{fullTime(one().created_at ?? '')}</time></p>
            <Show when={isOver(one())}><Errors run={one()} /></Show>
          </>
        )}
      </Show>
    </section>
  );
};

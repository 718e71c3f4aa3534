// Import and export of customers and organizations by CSV files.
import { createSignal, For, onCleanup, Show } from 'solid-js';
import { go, href, place } from '../../../kit/route';
import { rowOf } from '../../../kit/store';
import { styled } from '../../../kit/style';
import { fullTime, shortTime } from '../../../kit/words';
import { Page, Part } from '../page';
import { createPages } from '../programs/pages';
import { say, type SettingsWord } from '../words';
import { ChoosePart, createChoice } from './choose';
import style from './csv.css';
import { downloadCsv } from './download';
import { askedOf } from './kept';
import { isOver, RunPart, type Run } from './run';

await styled(style);

const STATES: Record<string, SettingsWord> = { PENDING: 'csv_pending', RUNNING: 'csv_running', COMPLETED: 'csv_completed', FAILED: 'csv_failed' };
const MARKS: Record<string, string> = { PENDING: '○', RUNNING: '◐', COMPLETED: '✓', FAILED: '✗' };

const ExportPart = () => {
  const [read, setRead] = createSignal<number>(), [said, setSaid] = createSignal(''), [wrong, setWrong] = createSignal('');
  let aborts: AbortController | undefined;
  onCleanup(() => aborts?.abort());
  const save = async (path: string, query: Record<string, string>, name: string) => {
    const mine = aborts = new AbortController();
    setRead(0);
    setSaid('');
    setWrong('');
    try {
      setSaid(say('csv_exported', { n: await downloadCsv(path, query, name, true, setRead, mine.signal), name }));
    } catch (error) {
      if (!mine.signal.aborted) setWrong((error as Error).message);
    } finally {
      setRead(undefined);
    }
  };
  const busy = () => read() !== undefined;
  return (
    <Part title="csv_export" why="csv_export_why">
      <div class="settings-foot">
        <button type="button" disabled={busy()} onClick={() => void save('/users', { role: 'CUSTOMER' }, 'people.csv')}>{say('csv_export_users')}</button>
        <button type="button" disabled={busy()} onClick={() => void save('/organizations', {}, 'organizations.csv')}>{say('csv_export_organizations')}</button>
        <Show when={busy()}><button type="button" onClick={() => aborts?.abort()}>{say('csv_export_stop')}</button></Show>
      </div>
      <Show when={busy()}><p class="soft">{say('csv_exporting', { n: read()! })}</p></Show>
      <p role="status" dir="auto">{said()}</p>
      <p class="wrong" role="alert" dir="auto" hidden={!wrong()}>{wrong()}</p>
    </Part>
  );
};

const FormerPart = () => {
  const pages = createPages(() => '/csv_imports', () => ({}), 'csv_import');
  pages.follow((id) => { const run = rowOf('csv_import', id) as Run | undefined; return run !== undefined && !isOver(run); });
  const text = (run: Run) => [say(run.kind === 'USERS' ? 'csv_people' : 'csv_organizations'), say(run.is_dry_run ? 'csv_is_check' : 'csv_is_import')].join(' · ');
  return (
    <Part title="csv_former" why="csv_former_why">
      <p class="wrong" role="alert" hidden={!pages.wrong()}>{pages.wrong()}</p>
      <Show when={pages.ids()?.length === 0}><p class="soft">{say('csv_former_none')}</p></Show>
      <ul class="plain-rows">
        <For each={pages.ids()}>
          {(id) => (
            <Show when={rowOf('csv_import', id) as Run | undefined}>
              {(run) => (
                <li>
                  <span class="trial-mark" aria-hidden="true">{MARKS[run().status ?? '']}</span>
                  <span class="plain-text"><a href={href(`/settings/csv/${id}`)}>{text(run())}</a><span class="soft" dir="auto">{[askedOf(id)?.name, say(STATES[run().status ?? ''] ?? 'csv_pending'), say('csv_rows_text', { n: run().total ?? 0 })].filter(Boolean).join(' · ')}</span></span>
                  <time class="soft" datetime={run().created_at ?? ''} title={fullTime(run().created_at ?? '')}>{shortTime(run().created_at ?? '')}</time>
                </li>
              )}
            </Show>
          )}
        </For>
      </ul>
      <Show when={pages.hasMore()}><button type="button" onClick={() => void pages.more()}>{say('more')}</button></Show>
    </Part>
  );
};

export default () => {
  const choice = createChoice(), id = () => Number(place().parts[1]) || undefined;
  return (
    <Page title="csv" why="csv_why">
      <Show when={id()} fallback={<><ChoosePart choice={choice} /><ExportPart /><FormerPart /></>}>
        {(run) => <RunPart id={run()} onBack={choice.file() ? () => go('/settings/csv') : undefined} />}
      </Show>
    </Page>
  );
};

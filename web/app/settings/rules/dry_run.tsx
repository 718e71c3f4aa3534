// A run of a saved trigger for a chosen conversation, without effect: what each condition sees, and what each action would do.
import { createSignal, For, Show } from 'solid-js';
import { call, get, rowsOf } from '../../../kit/api';
import { Combobox, type Option } from '../../../kit/combobox';
import { href } from '../../../kit/route';
import { Part } from '../page';
import { say } from '../words';
import { operatorText } from './conditions';
import { optionText } from './actions';

interface Proposition { field: string; operator: string; value: unknown; seen: (string | number)[]; holds: boolean }
interface Effect { name: string; option: string; changes: { field: string; old_value: string | null; new_value: string | null }[]; sent: string | null; refused: string | null }
interface Run { holds: boolean; predicate_collections: { propositions: Proposition[]; holds: boolean }[]; actions: Effect[] }

const find = async (text: string): Promise<Option[]> => {
  const number = /^#?(\d+)$/.exec(text)?.[1];
  const rows = rowsOf(number ? await get('/cases', { ids: number, fields: 'subject' }) : await get('/search', { query: text, resources: 'CASES', limit: 8, fields: 'title' }));
  return rows.map((row) => ({ id: row.id, label: String(row['title'] ?? row['subject'] ?? ''), more: `#${row.id}` }));
};

const Mark = (props: { holds: boolean }) => <><span class="trial-mark" aria-hidden="true">{props.holds ? '✓' : '✗'}</span><span class="hidden">{say(props.holds ? 'dry_holds' : 'dry_holds_not')}: </span></>;

export const DryRun = (props: { id: number; labelOf: (field: string) => string }) => {
  const [run, setRun] = createSignal<Run>(), [chosen, setChosen] = createSignal<Option>(), [wrong, setWrong] = createSignal('');
  const begin = async (option: Option) => {
    setChosen(option);
    setRun(undefined);
    try {
      setRun(rowsOf(await call('POST', `/triggers/${props.id}/dry_run`, { body: { case_id: Number(option.id) } }))[0] as unknown as Run);
      setWrong('');
    } catch (error) {
      setWrong((error as Error).message);
    }
  };
  return (
    <Part title="dry_run" why="dry_run_why">
      <div class="settings-foot">
        <div class="grow"><Combobox label={say('dry_case')} placeholder={say('dry_case')} find={find} onChoose={(option) => void begin(option)} /></div>
        <Show when={chosen()}>{(option) => <button type="button" onClick={() => void begin(option())}>{say('dry_again')}</button>}</Show>
      </div>
      <p class="wrong" role="alert" dir="auto">{wrong()}</p>
      <div role="status">
        <Show when={run()}>
          {(one) => (
            <div class="trial">
              <p><b>{say(one().holds ? 'dry_fires' : 'dry_does_not_fire')}</b> <a href={href(`/cases/${chosen()?.id}`)} dir="auto">{chosen()?.label}</a></p>
              <ul class="trial-steps">
                <For each={one().predicate_collections}>
                  {(group, g) => <For each={group.propositions}>
                    {(line, i) => (
                      <li data-result={line.holds ? 'OK' : 'FAILED'}><Mark holds={line.holds} />
                        <span><b>{g() + 1}.{i() + 1} {props.labelOf(line.field)}</b> <span dir="auto">{operatorText(line.operator)} {line.value === null ? '' : String(line.value)}</span>
                          <span class="trial-text soft" dir="auto">{line.seen.length ? say('dry_seen', { values: line.seen.join(', ') }) : say('dry_seen_nothing')}</span></span></li>
                    )}
                  </For>}
                </For>
              </ul>
              <Show when={one().holds} fallback={<p class="soft">{say('dry_nothing_done')}</p>}>
                <ol class="numbered">
                  <For each={one().actions}>
                    {(action) => (
                      <li><span class="trial-text" dir="auto">{optionText(action.option)} {action.name}: {action.refused ?? action.sent ?? (action.changes.map((change) => `${change.field}: ${change.old_value ?? '–'} → ${change.new_value ?? '–'}`).join('; ') || say('dry_no_change'))}</span></li>
                    )}
                  </For>
                </ol>
              </Show>
            </div>
          )}
        </Show>
      </div>
    </Part>
  );
};

// Changes of all selected conversations at once. The reply has the former values of each, so the undo is one more request for each
// group of equal values.
import { createSignal, For, Show } from 'solid-js';
import { call, Refused, type Reply } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { markStale } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import { say } from '../../kit/words';
import { priorities, statuses, teams, types } from '../frame/catalog';
import { me } from '../session/session';

interface Result { id: number; result: string; former?: Record<string, unknown>; message?: string }

const resultsOf = (reply: Reply) => (reply as { results?: Result[] }).results ?? [];
const changed = (results: Result[]) => results.filter(({ result }) => result === 'CHANGED');
/** Those that were not changed though they should have been, with the reasons. */
const refused = (results: Result[]) => results.filter(({ result }) => ['NOT_FOUND', 'REFUSED', 'CONFLICT', 'NOT_DONE'].includes(result));

const put = async (ids: number[], body: Record<string, unknown>) => {
  const reply = await call('PUT', '/cases', { query: { ids: ids.join(',') }, body });
  ids.forEach((id) => markStale('case', id));
  return resultsOf(reply);
};

/** Sets the former values again: one request for the conversations that had the same. */
const undo = async (results: Result[]) => {
  const groups = new Map<string, number[]>();
  for (const { id, former } of results) {
    const key = JSON.stringify(former ?? {});
    groups.set(key, [...groups.get(key) ?? [], id]);
  }
  for (const [former, ids] of groups) await put(ids, JSON.parse(former) as Record<string, unknown>);
};

export const BulkBar = (props: { ids: number[]; onDone: () => void }) => {
  const [busy, setBusy] = createSignal(false);
  const apply = async (body: Record<string, unknown>) => {
    setBusy(true);
    try {
      const results = await put(props.ids, body), done = changed(results), left = refused(results);
      const reasons = [...new Set(left.map(({ message }) => message ?? ''))].filter(Boolean).join(' ');
      tell([say('bulk_changed', { n: done.length }), left.length ? say('bulk_left', { n: left.length, reason: reasons }) : ''].join(' '), done.length ? () => undo(done) : undefined);
      props.onDone();
    } catch (error) {
      const results = error instanceof Refused ? refused(resultsOf(error.reply)) : [], first = results.find(({ message }) => message);
      tellWrong(say('not_changed', { reason: first ? `#${first.id}: ${first.message}` : (error as Error).message }));
    } finally {
      setBusy(false);
    }
  };
  const completed = () => statuses().find(({ type }) => type === 'COMPLETED')?.id;
  const mine = () => { const person = me(); if (person) void apply({ assigned_agent_id: person.id }); };
  useKeys([
    { key: 'e', word: 'key_complete', run: () => { const id = completed(); if (id) void apply({ status_id: id }); } },
    { key: 'i', word: 'key_mine', run: mine },
  ]);
  const choice = (word: 'status' | 'priority' | 'type' | 'team', name: string, options: () => { id: number; label?: string | null; title?: string | null }[]) => (
    <select aria-label={say(word)} disabled={busy()} onChange={(event) => { const id = Number(event.currentTarget.value); event.currentTarget.value = ''; if (id) void apply({ [name]: id }); }}>
      <option value="">{say(word)}</option>
      <For each={options()}>{(o) => <option value={o.id}>{o.label ?? o.title}</option>}</For>
    </select>
  );
  return (
    <div class="bulk" role="toolbar" aria-label={say('selected', { n: props.ids.length })}>
      <b>{say('selected', { n: props.ids.length })}</b>
      {choice('status', 'status_id', statuses)}
      {choice('priority', 'priority_id', priorities)}
      {choice('type', 'type_id', types)}
      {choice('team', 'assigned_team_id', teams)}
      <Show when={me()}><button type="button" disabled={busy()} onClick={mine}>{say('assign_me')} <kbd>i</kbd></button></Show>
      <button type="button" disabled={busy()} onClick={() => props.onDone()}>{say('clear_selection')}</button>
    </div>
  );
};

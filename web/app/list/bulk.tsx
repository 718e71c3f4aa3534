// Changes of all selected conversations at once. The server changes all of a request or none, and names those that are the reason: they
// are left out, and the request is repeated for the others. Results have the former values of each conversation, so the undo is one
// request for each group of equal former values.
import { createSignal, For } from 'solid-js';
import { call, get, Refused, rowsOf, serverNow, type Reply, type Row } from '../../kit/api';
import type { Found } from '../../kit/finders';
import { keyText, useKeys } from '../../kit/keys';
import { markStale, rowOf } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import { say, type Word } from '../../kit/words';
import { priorities, readStaff, returning, statuses, teams, types } from '../frame/catalog';
import { showPalette } from '../palette/open';
import { me } from '../session/session';
import type { Snooze, Until } from '../snooze/snooze';
import { ready, say as bulkSay } from './bulk_words';

interface Result { id: number; result: string; former?: Record<string, unknown>; message?: string }
/** `left`: those that were not changed though they should have been, with the reasons. */
interface Outcome { changed: Result[]; left: Result[] }

const REQUEST_MOST = 100, NAMED_MOST = 3, TRIES = 3;
const AGAINST = ['NOT_FOUND', 'REFUSED', 'CONFLICT'];
const resultsOf = (reply: Reply) => (reply as { results?: Result[] }).results ?? [];

/** Sends the request for those that the server does not refuse. */
const carryOut = async (ids: number[], send: (ids: number[]) => Promise<Reply>): Promise<Outcome> => {
  const outcome: Outcome = { changed: [], left: [] };
  for (let wanted = ids; wanted.length;) {
    try {
      const results = resultsOf(await send(wanted));
      outcome.changed = results.filter(({ result }) => result === 'CHANGED');
      outcome.left.push(...results.filter(({ result }) => [...AGAINST, 'NOT_DONE'].includes(result)));
      break;
    } catch (error) {
      const reasons = error instanceof Refused ? resultsOf(error.reply).filter(({ result }) => AGAINST.includes(result)) : [];
      if (reasons.length) outcome.left.push(...reasons);
      else outcome.left.push(...wanted.map((id) => ({ id, result: 'NOT_DONE', message: (error as Error).message })));
      wanted = reasons.length ? wanted.filter((id) => !reasons.some((one) => one.id === id)) : [];
    }
  }
  ids.forEach((id) => markStale('case', id));
  return outcome;
};
const together = (outcomes: Outcome[]): Outcome => ({ changed: outcomes.flatMap(({ changed }) => changed), left: outcomes.flatMap(({ left }) => left) });
/** One after the other, with so many ids as a request takes. */
const inParts = async (ids: number[], work: (ids: number[]) => Promise<Outcome>) => {
  const outcomes: Outcome[] = [];
  for (let i = 0; i < ids.length; i += REQUEST_MOST) outcomes.push(await work(ids.slice(i, i + REQUEST_MOST)));
  return together(outcomes);
};
const groupsOf = <T,>(list: T[], keyOf: (one: T) => unknown) => {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const key = JSON.stringify(keyOf(one) ?? {});
    groups.set(key, [...groups.get(key) ?? [], one]);
  }
  return [...groups].map(([key, members]) => ({ value: JSON.parse(key) as never, members }));
};
const idsOf = (list: { id: number }[]) => list.map(({ id }) => id);

const put = (ids: number[], body: Record<string, unknown>, headers?: Record<string, string>) =>
  inParts(ids, (part) => carryOut(part, (some) => call('PUT', '/cases', { query: { ids: some.join(',') }, body, ...(headers ? { headers } : {}) })));

type Tagged = { id: number; tags: string[] };
const readTags = async (ids: number[]): Promise<Tagged[]> => {
  const reply = await get('/cases', { ids: ids.join(','), limit: REQUEST_MOST, fields: 'tags', include: 'tag', _flat: true });
  return rowsOf(reply).map(({ id, tags }) => ({ id, tags: ((tags ?? []) as Row[]).map((tag) => String(reply.resources?.['tag']?.[tag.id]?.['name'] ?? tag['name'] ?? '')) }));
};

/** Adds a tag to the tags of each, or removes it. The request replaces all tags of a conversation, so it names the time of the read: the
 *  server refuses those that were changed since, and they are read again. */
const changeTag = (all: number[], tag: string, adds: boolean) => inParts(all, async (part) => {
  const outcomes: Outcome[] = [];
  let ids = part;
  for (let tries = 0; ids.length && tries < TRIES; tries++) {
    const since = { 'If-Unmodified-Since': new Date(serverNow()).toUTCString() }, found = await readTags(ids);
    const hidden = ids.filter((id) => !found.some((one) => one.id === id)); // in the trash, or out of sight: the server says why
    const groups = groupsOf(found.filter(({ tags }) => tags.includes(tag) !== adds), ({ tags }) => adds ? [...tags, tag] : tags.filter((one) => one !== tag));
    const tried = [await put(hidden, {})];
    for (const { value, members } of groups) tried.push(await put(idsOf(members), { tags: value }, since));
    const { changed, left } = together(tried), again = tries < TRIES - 1 ? left.filter(({ result }) => result === 'CONFLICT') : [];
    outcomes.push({ changed, left: left.filter((one) => !again.includes(one)) });
    ids = idsOf(again);
  }
  return together(outcomes);
});

const trash = (ids: number[]) => inParts(ids, (part) => carryOut(part, (some) => call('PUT', '/cases/trash', { query: { ids: some.join(',') } })));
/** There is one restoring request for each conversation. */
const restore = async (ids: number[]) => together(await Promise.all(ids.map((id) => carryOut([id], async () => {
  const reply = await call('PUT', `/cases/${id}/restore`);
  return { ...reply, results: [{ id, result: 'CHANGED' }] } as Reply;
}))));

const readSnoozes = async (ids: number[]) => rowsOf(await get('/cases', { ids: ids.join(','), limit: REQUEST_MOST, fields: 'snooze' })) as unknown as { id: number; snooze: Snooze | null }[];
/** The request says how long for all of them; null: they are awake. */
const setSnooze = (ids: number[], until: Until | null) =>
  inParts(ids, (part) => carryOut(part, (some) => call(until ? 'PUT' : 'DELETE', '/cases/snooze', { query: { ids: some.join(',') }, ...(until ? { body: until } : {}) })));

/** "#12 “Brakes”, #14 “Lights”: The conversation is closed." for each reason. */
const leftText = (left: Result[]) => groupsOf(left, ({ message }) => message ?? '').map(({ value, members }) => {
  const names = members.slice(0, NAMED_MOST).map(({ id }) => `#${id} ${rowOf('case', id)?.subject?.slice(0, 60) ?? ''}`.trim());
  return bulkSay('left', { which: [...names, ...(members.length > NAMED_MOST ? [bulkSay('more', { n: members.length - NAMED_MOST })] : [])].join(', '), reason: value });
}).join(' ');

/** Says what was done. Returns those that stayed as they were. */
const report = ({ changed, left }: Outcome, undo?: (changed: Result[]) => Promise<Outcome>): number[] => {
  if (left.length && !changed.length) tellWrong(leftText(left));
  else tell([bulkSay('changed', { n: changed.length }), leftText(left)].filter(Boolean).join(' · '), changed.length && undo ? async () => {
    const back = await undo(changed);
    if (back.left.length) throw new Error(leftText(back.left));
  } : undefined);
  return idsOf(left);
};
/** Sets the former values again. */
const setFormer = async (changed: Result[]) => {
  const outcomes: Outcome[] = [];
  for (const { value, members } of groupsOf(changed, ({ former }) => former)) outcomes.push(await put(idsOf(members), returning(value)));
  return together(outcomes);
};

export const BulkBar = (props: { ids: number[]; /** The selection becomes these. */ onDone: (ids: number[]) => void }) => {
  const [busy, setBusy] = createSignal(false);
  const run = async (work: (ids: number[]) => Promise<Outcome>, undo: (changed: Result[]) => Promise<Outcome> = setFormer) => {
    if (busy()) return;
    setBusy(true);
    try { props.onDone(report(await work(props.ids), undo)); }
    catch (error) { tellWrong(say('not_changed', { reason: (error as Error).message })); }
    finally { setBusy(false); }
  };
  const apply = (body: Record<string, unknown>) => run((ids) => put(ids, body));
  const found = (name: string, rows: { id: number; label?: string | null; title?: string | null; full_name?: string | null }[]): Found[] =>
    rows.map((row) => ({ label: row.label ?? row.title ?? row.full_name ?? '', run: () => void apply({ [name]: row.id }) }));
  const none = (word: Word, name: string): Found => ({ label: say(word), run: () => void apply({ [name]: null }) });
  const label = (word: Word) => `${say(word)}: ${bulkSay('selected', { n: props.ids.length })}`;

  const chooseStatus = () => showPalette({ label: label('status'), finders: [{ word: 'status', find: () => found('status_id', statuses()) }] });
  const choosePriority = () => showPalette({ label: label('priority'), finders: [{ word: 'priority', find: () => [...found('priority_id', priorities()), none('none', 'priority_id')] }] });
  const chooseType = () => showPalette({ label: label('type'), finders: [{ word: 'type', find: () => [...found('type_id', types()), none('none', 'type_id')] }] });
  const assign = () => showPalette({ label: label('key_assign'), finders: [
    { word: 'agent', find: async () => [...found('assigned_agent_id', [...await readStaff()].sort((a, b) => a.full_name.localeCompare(b.full_name))), none('nobody', 'assigned_agent_id')] },
    { word: 'team', find: () => [...found('assigned_team_id', teams()), none('no_team', 'assigned_team_id')] },
  ] });
  const tag = (name: string, adds: boolean) => void run((ids) => changeTag(ids, name, adds));
  const chooseTag = () => {
    const found = readTags(props.ids.slice(0, REQUEST_MOST));
    found.catch(() => undefined);
    showPalette({ label: label('tags'), hint: bulkSay('tag_hint'), finders: [
      { word: 'add_tag', searches: true, find: async (text, signal) => {
        const name = text.toLowerCase(), known = rowsOf(await get('/autocomplete/tags', { name }, signal)).map((row) => String(row['name']));
        return [...known.map((one) => ({ label: one, run: () => tag(one, true) })), ...(known.includes(name) ? [] : [{ label: name, more: say('new_tag'), run: () => tag(name, true) }])];
      } },
      { word: 'bulk_untag', find: async () => [...new Set((await found).flatMap(({ tags }) => tags))].sort().map((one) => ({ label: one, run: () => tag(one, false) })) },
    ] });
  };
  const toTrash = () => void run(trash, (changed) => restore(idsOf(changed)));
  const chooseSnooze = () => void import('../snooze/snooze').then(async ({ ready, bodyOf, chooseSnooze: choose }) => {
    await ready();
    choose(label('snooze'), (until) => {
      const former: { id: number; snooze: Snooze | null }[] = [];
      void run(async (ids) => {
        await inParts(ids, async (part) => { former.push(...await readSnoozes(part)); return { changed: [], left: [] }; });
        return setSnooze(ids, until);
      }, async (changed) => {
        const outcomes: Outcome[] = [], were = former.filter(({ id }) => changed.some((one) => one.id === id));
        for (const { value, members } of groupsOf(were, ({ snooze }) => (snooze && bodyOf(snooze)) ?? 0)) outcomes.push(await setSnooze(idsOf(members), value || null));
        return together(outcomes);
      });
    });
  }, (error: Error) => tellWrong(error.message));
  const complete = () => { const status = statuses().find(({ type }) => type === 'COMPLETED'); if (status) void apply({ status_id: status.id }); };
  const mine = () => { const person = me(); if (person) void apply({ assigned_agent_id: person.id }); };
  const clear = () => props.onDone([]);

  const BUTTONS: { key: string; word: Word; label: Word; run: () => void }[] = [
    { key: 's', word: 'key_status', label: 'status', run: chooseStatus },
    { key: 'p', word: 'key_priority', label: 'priority', run: choosePriority },
    { key: '', word: 'type', label: 'type', run: chooseType },
    { key: 'a', word: 'key_assign', label: 'key_assign', run: assign },
    { key: 'i', word: 'key_mine', label: 'assign_me', run: mine },
    { key: 't', word: 'key_tags', label: 'tags', run: chooseTag },
    { key: 'h', word: 'snooze', label: 'snooze', run: chooseSnooze },
    { key: '#', word: 'key_trash', label: 'to_trash', run: toTrash },
    { key: 'Escape', word: 'clear_selection', label: 'clear_selection', run: clear },
  ];
  useKeys([...BUTTONS, { key: 'e', word: 'key_complete', run: complete }], { first: true });
  return (
    <div class="bulk" role="toolbar" aria-label={bulkSay('selected', { n: props.ids.length })} aria-busy={busy()}>
      <b>{bulkSay('selected', { n: props.ids.length })}</b>
      <For each={BUTTONS}>
        {(button) => <button type="button" disabled={busy()} onClick={button.run}>{say(button.label)} {button.key && <kbd>{button.key === 'Escape' ? 'Esc' : keyText(button.key)}</kbd>}</button>}
      </For>
    </div>
  );
};

export const loadBulk = async () => { await ready(); return { default: BulkBar }; };

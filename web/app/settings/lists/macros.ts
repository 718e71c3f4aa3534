// Macros: a text and changes of properties, chosen from what the desk has.
import { readStaff, priorityChoices, staffChoices, statusChoices, teamChoices, typeChoices } from '../choices';
import { permitted } from '../rights';
import { rows } from '../rows';
import { say } from '../words';
import type { Row, Schemas, Ref } from '../../../kit/api';
import { rowOf } from '../../../kit/store';

type Part = { type: string | null; team?: Ref | null; agent?: Ref | null };
const assignee = (row: object) => (row as { assignee: Part }).assignee, visibility = (row: object) => (row as { visibility: Part }).visibility;
const tagNames = (member: 'add_tags' | 'remove_tags') => (row: Row) => ((row[member] ?? []) as Ref[]).map((ref) => String((rowOf('tag', ref) as unknown as { name?: string } | undefined)?.name ?? (ref as { name?: string }).name ?? ''));
const isShared = () => permitted('macros.manage');

/** The macro refers to a team or person that is deleted. */
const isBroken = (macro: Schemas['macro']) => {
  const { type, team, agent } = assignee(macro);
  return (type === 'TEAM' && !team) || (type === 'AGENT' && !agent) || (visibility(macro).type === 'TEAM' && !visibility(macro).team);
};

const Macros = rows({
  name: 'macros', path: '/cases/macros', type: 'macro', title: 'macros', new: 'macro_new', empty: 'macros_empty', emptyNext: 'macros_empty_next',
  query: { show_all: true }, include: 'tag,user_minimal',
  initial: () => ({ reply_type: 'REPLY', visibility_type: isShared() ? 'ALL' : 'PRIVATE' }),
  fields: [
    { name: 'title', label: 'title' },
    { name: 'reply_type', label: 'macro_writes', words: { REPLY: 'macro_reply', NOTE: 'macro_note' } },
    { name: 'reply_contents', label: 'text', help: 'macro_text_help' },
    { name: 'status_id', label: 'status', empty: 'stays', among: statusChoices },
    { name: 'assignee_type', label: 'assignee', empty: 'stays', from: (row) => assignee(row).type, words: { UNASSIGNED: 'assignee_nobody', CURRENT_AGENT: 'assignee_me', TEAM: 'assignee_team', AGENT: 'assignee_agent' } },
    { name: 'assigned_team_id', label: 'team', from: (row) => assignee(row).team?.id ?? null, among: teamChoices, required: true, when: ({ assignee_type: type }) => type === 'TEAM' },
    { name: 'assigned_agent_id', label: 'agent', from: (row) => assignee(row).agent?.id ?? null, among: staffChoices, required: true, when: ({ assignee_type: type }) => type === 'AGENT' },
    { name: 'priority_id', label: 'priority', empty: 'stays', among: priorityChoices, when: ({ priority_action: by }) => !by },
    { name: 'priority_action', label: 'priority_by', empty: 'stays', words: { INCREASE_ONE_LEVEL: 'priority_up', DECREASE_ONE_LEVEL: 'priority_down' }, when: ({ priority_id: id }) => !id },
    { name: 'type_id', label: 'type', empty: 'stays', among: typeChoices },
    { name: 'add_tags', label: 'tags_add', from: tagNames('add_tags') },
    { name: 'remove_tags', label: 'tags_remove', from: tagNames('remove_tags') },
    { name: 'visibility_type', label: 'seen_by', from: (row) => visibility(row).type, words: { PRIVATE: 'seen_by_me', TEAM: 'seen_by_team', ALL: 'seen_by_all' }, on: isShared },
    { name: 'visible_to_team_id', label: 'team', from: (row) => visibility(row).team?.id ?? null, among: teamChoices, required: true, on: isShared, when: ({ visibility_type: type }) => type === 'TEAM' },
  ],
  sorted: true,
  label: (macro) => macro.title ?? '',
  note: (macro) => isBroken(macro) ? say('macro_broken') : say('macro_used', { n: macro.usage_count ?? 0 }),
});

export default () => { void readStaff(); return Macros({}); };

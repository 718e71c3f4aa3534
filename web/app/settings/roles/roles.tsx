// Roles: their names, what their people see, and what they may do.
import { Show } from 'solid-js';
import type { Schemas } from '../../../kit/api';
import { readRoles, roles } from '../choices';
import { Part } from '../page';
import { rows } from '../rows';
import { say, type SettingsWord } from '../words';
import { Matrix } from './matrix';

const RANKS: Record<string, SettingsWord> = { OWNER: 'rank_owner', ADMIN: 'rank_admin', AGENT: 'rank_agent', COLLABORATOR: 'rank_collaborator', CUSTOMER: 'rank_customer' };
const rankText = (role: Schemas['role']) => RANKS[role.type ?? ''] ? say(RANKS[role.type ?? '']!) : role.type ?? '';
const isCustomer = (row: { [member: string]: unknown } | undefined) => row?.['type'] === 'CUSTOMER';

const Roles = rows({
  name: 'roles', path: '/roles', type: 'role', title: 'roles', new: 'role_new', empty: 'roles_empty', emptyNext: 'roles_empty_next', deleteWhy: 'role_delete_why',
  initial: () => ({ type: 'AGENT', agent_case_access: 'ALL' }),
  fields: [
    { name: 'title', label: 'name' },
    { name: 'type', label: 'rank', help: 'rank_help', words: RANKS, on: (row) => !row, required: true },
    { name: 'agent_case_access', label: 'sees', words: { SELF: 'sees_own', TEAMS: 'sees_teams', ALL: 'sees_all' }, on: (row) => !isCustomer(row), required: true },
  ],
  label: (role) => role.title ?? '',
  note: (role) => [rankText(role), role.is_system ? say('view_system') : ''].filter(Boolean).join(' · '),
  fixed: (role) => role.is_system === true,
  changed: () => void readRoles(),
  overview: { title: 'permissions', why: 'permissions_why', part: () => <Matrix roles={roles()} /> },
  below: (props) => <Show when={props.row}>{(role) => <Part title="permissions" why="permissions_why"><Matrix roles={[role()]} /></Part>}</Show>,
});

export default () => { void readRoles(); return <Roles />; };

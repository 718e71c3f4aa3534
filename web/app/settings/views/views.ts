// Views: which conversations, in which order, and for whom.
import { createSignal } from 'solid-js';
import { get, rowsOf, type Ref, type Row, type Schemas } from '../../../kit/api';
import { readViews } from '../../views/views';
import { readStaff, teamChoices } from '../choices';
import type { Choice } from '../fields';
import { permitted } from '../rights';
import { rows } from '../rows';
import { conditionsOf, groupsOf } from '../rules/conditions';
import { titleText } from '../rules/labels';
import { say } from '../words';
import { Preview } from './preview';

const [columns, setColumns] = createSignal<Choice[]>([]);
const readColumns = async () => setColumns(rowsOf(await get('/views/columns') as never).map((one) => one as unknown as Schemas['view_column'] & { title: string })
  .filter(({ name }) => name !== 'conversation').map(({ name, title }) => ({ id: name ?? '', label: /^case_field_/.test(name ?? '') ? title : titleText(title) })));

const isShared = () => permitted('case_views.manage'), isOwn = (row: Row | undefined) => !row || row['is_system'] === false;
const SEEN_BY = { SELF: 'seen_by_me', TEAM: 'seen_by_teams', ALL: 'seen_by_all' } as const;

const Views = rows({
  name: 'views', path: '/views', type: 'view', title: 'views', new: 'view_new', empty: 'views_empty', emptyNext: 'views_empty_next', deleteWhy: 'view_delete_why',
  initial: () => ({ visibility_type: isShared() ? 'ALL' : 'SELF', order_by_column: 'updatedat', order_by: 'DESC', is_enabled: true, predicate_collections: [] }),
  fields: [
    { name: 'title', label: 'title', on: isOwn },
    { name: 'predicate_collections', label: 'conditions', from: groupsOf, control: conditionsOf({ path: '/views/definitions', empty: 'conditions_empty', below: Preview }), on: isOwn, shown: (value) => say('condition_count', { n: (value as unknown[] | null)?.length ?? 0 }) },
    { name: 'order_by_column', label: 'order', among: columns },
    { name: 'order_by', label: 'direction', words: { ASC: 'ascending', DESC: 'descending' } },
    { name: 'visibility_type', label: 'seen_by', words: SEEN_BY, on: (row) => isShared() && isOwn(row) },
    { name: 'team_ids', label: 'teams', among: teamChoices, required: true, from: (row) => ((row['visibility_to_teams'] ?? []) as Ref[]).map(({ id }) => id), on: isOwn, when: ({ visibility_type: type }) => type === 'TEAM' },
    { name: 'is_enabled', label: 'view_enabled', help: 'view_enabled_help', on: isOwn },
    { name: 'is_default', label: 'view_default', help: 'view_default_help', when: ({ visibility_type: type }) => type === 'ALL', on: isShared },
  ],
  label: (view) => view.title ?? '',
  note: (view) => [say(view.is_system ? 'view_system' : SEEN_BY[view.visibility_type as keyof typeof SEEN_BY] ?? 'seen_by_all'), view.is_default ? say('view_first') : '', view.is_enabled ? '' : say('view_off')].filter(Boolean).join(' · '),
  fixed: (view) => view.is_system === true,
  order: { path: '/views/reorder', member: 'view_ids', permission: 'case_views.manage' },
  changed: readViews,
});

export default () => { void readColumns(); void readStaff(); return Views({}); };

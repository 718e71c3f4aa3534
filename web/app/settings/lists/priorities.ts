// Priorities: the order of the list is that of their urgency.
import { readCatalog } from '../../frame/catalog';
import { rows } from '../rows';
import { say } from '../words';

export default rows({
  name: 'priorities', path: '/cases/priorities', type: 'case_priority', title: 'priorities', new: 'priority_new', empty: 'priorities_empty', emptyNext: 'priorities_empty_next', deleteWhy: 'priority_delete_why',
  fields: [{ name: 'label', label: 'name', help: 'priority_level_help' }],
  label: (priority) => priority.label ?? '',
  note: (priority) => say('priority_level', { n: priority.level ?? 0 }),
  order: { path: '/cases/priorities/reorder', member: 'priority_ids' },
  changed: readCatalog,
});

import { readCatalog } from '../../frame/catalog';
import { rows } from '../rows';
import { say } from '../words';

export default rows({
  name: 'statuses', path: '/cases/statuses', type: 'case_status', title: 'statuses', new: 'status_new', empty: 'statuses_empty', emptyNext: 'statuses_empty_next', deleteWhy: 'status_delete_why',
  fields: [{ name: 'label', label: 'name' }, { name: 'is_sla_active', label: 'status_clock', help: 'status_clock_help' }],
  initial: () => ({ is_sla_active: true }),
  label: (status) => status.label ?? '',
  note: (status) => say(status.is_sla_active ? 'status_runs' : 'status_stops'),
  fixed: (status) => status.type !== 'CUSTOM',
  order: { path: '/cases/statuses/reorder', member: 'status_ids' },
  changed: readCatalog,
});

import { readCatalog } from '../../frame/catalog';
import { rows } from '../rows';

export default rows({
  name: 'types', path: '/cases/types', type: 'case_type', title: 'types', new: 'type_new', empty: 'types_empty', emptyNext: 'types_empty_next', deleteWhy: 'type_delete_why',
  fields: [{ name: 'label', label: 'name' }],
  label: (type) => type.label ?? '',
  order: { path: '/cases/types/reorder', member: 'type_ids' },
  changed: readCatalog,
});

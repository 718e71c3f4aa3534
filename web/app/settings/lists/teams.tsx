import { readCatalog } from '../../frame/catalog';
import { rows } from '../rows';

export default rows({
  name: 'teams', path: '/teams', type: 'team', title: 'teams', new: 'team_new', empty: 'teams_empty', emptyNext: 'teams_empty_next',
  fields: [{ name: 'title', label: 'name' }],
  label: (team) => team.title ?? '',
  changed: readCatalog,
});

// The areas of settings. An area is shown to those whose role may do something there, and is loaded when it is opened first.
import { lazy, type Component } from 'solid-js';
import { isAdmin, mayDo } from './rights';
import type { SettingsWord } from './words';

export interface Area { name: string; title: SettingsWord; group: SettingsWord; may: () => boolean; screen: Component }

export const areas: readonly Area[] = [
  { name: 'people', title: 'people', group: 'group_people', may: () => isAdmin() && mayDo('POST /users/invite'), screen: lazy(() => import('./people/people')) },
  { name: 'teams', title: 'teams', group: 'group_people', may: () => mayDo('POST /teams'), screen: lazy(() => import('./lists/teams')) },
  { name: 'statuses', title: 'statuses', group: 'group_work', may: () => mayDo('POST /cases/statuses'), screen: lazy(() => import('./lists/statuses')) },
  { name: 'views', title: 'views', group: 'group_work', may: () => mayDo('POST /views'), screen: lazy(async () => { const [area, labels] = await Promise.all([import('./views/views'), import('./views/labels')]); await labels.ready(); return area; }) },
  { name: 'macros', title: 'macros', group: 'group_work', may: () => mayDo('POST /cases/macros'), screen: lazy(() => import('./lists/macros')) },
];

// The areas of settings. An area is shown to those whose role may do something there, and is loaded when it is opened first.
import { lazy, type Component } from 'solid-js';
import { mayDo } from './rights';
import type { SettingsWord } from './words';

export interface Area { name: string; title: SettingsWord; group: SettingsWord; may: () => boolean; screen: Component }

export const areas: readonly Area[] = [
  { name: 'teams', title: 'teams', group: 'group_people', may: () => mayDo('POST /teams'), screen: lazy(() => import('./lists/teams')) },
];

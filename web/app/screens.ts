// The screens, by the first part of their address. Each is loaded when it is opened first; the inbox is loaded at once.
import type { Component } from 'solid-js';
import { lazy } from '../kit/lazy';
import { Inbox } from './frame/inbox';

export const screens: Record<string, Component> = {
  '': Inbox, views: Inbox, cases: Inbox, search: Inbox,
  'help-center': lazy(() => import('./help_center/screen')),
  notifications: lazy(async () => { const [{ Notifications }, words] = await Promise.all([import('./notifications/notifications'), import('./notifications/words')]); await words.ready(); return { default: Notifications }; }),
  organizations: lazy(async () => { const [{ OrganizationScreen }, words] = await Promise.all([import('./organizations/organization'), import('./people/words')]); await words.ready(); return { default: OrganizationScreen }; }),
  people: lazy(async () => { const [{ PersonScreen }, words] = await Promise.all([import('./people/person'), import('./people/words')]); await words.ready(); return { default: PersonScreen }; }),
  settings: lazy(() => import('./settings/screen')),
  start: lazy(() => import('./start/screen')),
  reports: lazy(async () => { const [{ Reports }, words] = await Promise.all([import('./reports/reports'), import('./reports/words')]); await words.ready(); return { default: Reports }; }),
  wall: lazy(async () => { const [{ Wall }, words] = await Promise.all([import('./reports/wall'), import('./reports/words')]); await words.ready(); return { default: Wall }; }),
  new: lazy(() => import('./new/screen')),
};

// The screens, by the first part of their address. Each is loaded when it is opened first; the inbox is loaded at once.
import { lazy, type Component } from 'solid-js';
import { Inbox } from './frame/inbox';

export const screens: Record<string, Component> = {
  '': Inbox, views: Inbox, cases: Inbox, search: Inbox,
  notifications: lazy(async () => ({ default: (await import('./notifications/notifications')).Notifications })),
  people: lazy(async () => ({ default: (await import('./people/person')).PersonScreen })),
  new: lazy(async () => ({ default: (await import('./new/new')).NewCase })),
};

// What the palette finds of the settings: each area that the person may see.
import type { Found } from '../../kit/finders';
import { go } from '../../kit/route';
import { areas } from './areas';
import { readRights } from './rights';
import { ready, say } from './words';

let rights: Promise<unknown> | undefined;

/** What decides which areas a person sees, and their words. */
export const settingsReady = () => Promise.all([rights ??= readRights().catch((error: unknown) => { rights = undefined; throw error; }), ready()]);

export const findSettings = async (): Promise<Found[]> => {
  await settingsReady();
  return areas.filter((area) => area.may()).map(({ name, title, group }) => ({ label: say(title), more: say(group), run: () => go(`/settings/${name}`) }));
};

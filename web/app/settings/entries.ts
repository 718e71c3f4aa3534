// What the palette finds in the areas of settings: single teams, macros, rules, mailboxes and others, of the areas that the person may see.
import { get, rowsOf } from '../../kit/api';
import type { Found } from '../../kit/finders';
import { fuzzy } from '../../kit/fuzzy';
import { go } from '../../kit/route';
import { areas, type Area } from './areas';
import { settingsReady } from './found';
import { mayDo } from './rights';
import { say } from './words';

/** Where the rows of an area are, and the member with their name. `argument`: the server finds them, because there may be many. */
const LISTS: Record<string, { path: string; label: string; argument?: string; may?: () => boolean }> = {
  teams: { path: '/teams', label: 'title' },
  roles: { path: '/roles', label: 'title' },
  signin: { path: '/signin/providers', label: 'name' },
  statuses: { path: '/cases/statuses', label: 'label' },
  priorities: { path: '/cases/priorities', label: 'label' },
  types: { path: '/cases/types', label: 'label' },
  tags: { path: '/tags', label: 'name', argument: 'name', may: () => mayDo('PUT /tags/{id}') },
  views: { path: '/views', label: 'title' },
  macros: { path: '/cases/macros', label: 'title' },
  triggers: { path: '/triggers', label: 'title' },
  monitors: { path: '/monitors', label: 'title' },
  slas: { path: '/slas', label: 'title' },
  hours: { path: '/businesshours', label: 'title' },
  brands: { path: '/brands', label: 'name' },
  languages: { path: '/locales', label: 'native_name' },
  mailboxes: { path: '/mailboxes', label: 'address' },
  endpoints: { path: '/endpoints', label: 'title' },
  clients: { path: '/oauth/clients', label: 'name' },
};
const MOST = 1000, KEPT_MS = 30_000;

interface Entry { label: string; more: string; run: () => void }
let kept: { at: number; lists: Map<string, Promise<Entry[]>> } = { at: 0, lists: new Map() };

const read = async ({ name, title }: Area, text: string, signal?: AbortSignal): Promise<Entry[]> => {
  const { path, label, argument } = LISTS[name]!;
  const found = rowsOf(await get(path, { limit: argument ? 8 : MOST, fields: label, ...(argument ? { [argument]: text } : {}) }, signal));
  return found.map((row) => ({ label: String(row[label] ?? ''), more: say(title), run: () => go(`/settings/${name}/${row.id}`) })).filter(({ label }) => label);
};

/** A list is read once in 30 seconds; one that can't be read has no entries, and is tried again. */
const entriesOf = (area: Area): Promise<Entry[]> => {
  const reading = kept.lists.get(area.name) ?? read(area, '').catch(() => { kept.lists.delete(area.name); return []; });
  kept.lists.set(area.name, reading);
  return reading;
};

export const findEntries = async (text: string, most: number, signal: AbortSignal): Promise<Found[]> => {
  await settingsReady();
  if (Date.now() - kept.at > KEPT_MS) kept = { at: Date.now(), lists: new Map() };
  const seen = areas.filter((area) => LISTS[area.name] && area.may() && (LISTS[area.name]!.may ?? area.may)());
  const all = await Promise.all(seen.map((area) => LISTS[area.name]!.argument ? read(area, text, signal).catch(() => []) : entriesOf(area)));
  return fuzzy(text, all.flat(), ({ label }) => label).slice(0, most);
};

// Rows that forms choose from, besides those of the catalog. Read when an area that needs them is opened.
import { createSignal } from 'solid-js';
import { get, rowsOf, type Schemas } from '../../kit/api';
import { keepReply } from '../../kit/store';
import { priorities, statuses, teams, types } from '../frame/catalog';
import type { Choice } from './fields';
import { rank } from './rights';

export type Person = Schemas['user'];
const [staff, setStaff] = createSignal<Person[]>([]), [roles, setRoles] = createSignal<Schemas['role'][]>([]);
export { roles };

export const STAFF = { role: 'COLLABORATOR,AGENT,ADMIN,OWNER' };

export const readStaff = async () => {
  const reply = await get('/users', { ...STAFF, is_enabled: true, limit: 1000, fields: 'full_name' });
  setStaff(rowsOf(reply) as unknown as Person[]);
};
export const readRoles = async () => {
  const reply = await get('/roles', { limit: 1000 });
  keepReply(reply);
  setRoles(rowsOf(reply) as unknown as Schemas['role'][]);
};

const [hours, setHours] = createSignal<Schemas['business_hour'][]>([]);
export const readHours = async () => { setHours(rowsOf(await get('/businesshours', { limit: 1000, fields: 'title' })) as unknown as Schemas['business_hour'][]); };

/** Time zones of the browser; the chosen one is among them even if the browser does not know it. */
export const zoneChoices = (own: string | undefined): Choice[] => [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...(own ? [own] : [])])].sort().map((id) => ({ id, label: id.replaceAll('_', ' ') }));

const byLabel = (a: Choice, b: Choice) => a.label.localeCompare(b.label);
const titled = (list: readonly { id: number; title?: string | null; label?: string | null }[]): Choice[] => list.map(({ id, title, label }) => ({ id, label: title ?? label ?? '' }));

export const hourChoices = () => titled(hours()).sort(byLabel);
export const teamChoices = () => titled(teams()).sort(byLabel);
export const statusChoices = () => titled(statuses());
export const priorityChoices = () => titled(priorities());
export const typeChoices = () => titled(types());
export const staffChoices = () => staff().map(({ id, full_name }) => ({ id, label: full_name ?? '' })).sort(byLabel);

const RANKS = ['COLLABORATOR', 'AGENT', 'ADMIN', 'OWNER'];
/** Roles of staff that the person may give: none above the own one. */
export const roleChoices = () => titled(roles().filter(({ type }) => RANKS.includes(type ?? '') && RANKS.indexOf(type ?? '') <= RANKS.indexOf(rank())));

// What the role of the person permits. The server decides; settings only leave out what it would refuse.
import { createSignal } from 'solid-js';
import { get, rowsOf, type Ref } from '../../kit/api';
import { isAdmin, rank } from '../session/rank';
import { me } from '../session/session';
import { operations } from './operations';

export type Operation = keyof typeof operations;

const [permissions, setPermissions] = createSignal<ReadonlySet<string>>(new Set());

export { isAdmin, rank };

export const readRights = async () => {
  const role = me()?.role as Ref | null | undefined;
  if (!role) return;
  const found = rowsOf(await get(`/roles/${role.id}/permissions`, { limit: 200 }));
  setPermissions(new Set(found.filter((one) => one['value']).map((one) => String(one['name']))));
};

export const permitted = (permission: string) => rank() === 'OWNER' || permissions().has(permission);

/** False also if the API has no such operation: rows of some lists can't be made or deleted. */
export const mayDo = (name: Operation) => {
  if (!(name in operations)) return false;
  const { roles, permission } = operations[name] as { roles: readonly string[]; permission: string | null };
  return roles.includes(rank()) && (permission === null || permitted(permission));
};

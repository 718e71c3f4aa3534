import assert from 'node:assert/strict';
import { ROLES } from './desk.mjs';

const SETS = { Public: null, P: null, ALL: ROLES, C: ROLES, 'COL+': ROLES.slice(0, 4), 'AG+': ROLES.slice(0, 3), AD: ROLES.slice(0, 2) };

/** The roles in a cell (Public, ALL, COL+, AG+, AD or names). null if no login is needed. */
export function rolesOf(cell) {
  if (cell in SETS) return SETS[cell];
  const named = cell.toLowerCase().split(/[,|\s]+/).map((name) => name.replace(/s$/, ''));
  assert.ok(named.every((name) => ROLES.includes(name)), `roles of a route: ${cell}`);
  return ROLES.filter((role) => named.includes(role));
}

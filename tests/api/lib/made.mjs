import { randomBytes } from 'node:crypto';
import { raw } from './bodies.mjs';

// Rows that many tests make.

/** A conversation that staff open for the customer. */
export const opened = (desk, extra = {}) =>
  desk.staff.create('/cases', { subject: 'The engine stalls', contents: 'It stops.', requester_id: desk.people.customer.id, ...extra });

/** A conversation that its requester opens. */
export const asked = (who, more = {}) => who.create('/conversations', { subject: 'S', contents: 'C', ...more });

/** An uploaded file, with its bytes in `data`. */
export async function uploaded(who, { name = 'f.txt', type = 'text/plain', data = randomBytes(100) } = {}) {
  const file = (await who.post('/files', raw(type, data), { query: { _filename: name } })).must(201).data;
  return { ...file, data };
}

// Predicates and actions of rules.

export const proposition = (field, operator, value) => ({ field, operator, value });
/** One collection for each [field, operator, value]: all of them must hold. */
export const when = (...propositions) => propositions.map(([field, operator, value]) => ({ propositions: [{ field, operator, value }] }));
export const act = (name, option, value, attributes) => ({ name, option, value, attributes });
export const addTags = (...value) => act('tags', 'ADD', value);

let counter = 0;
/** 1, 2 ...: a part of a name that no other object of the test file has. */
export const next = () => ++counter;

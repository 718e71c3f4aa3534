// Names of members in snake_case, from any form of `_case`.
export const snake = (name) => name
  .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
  .replace(/^([A-Z])/, (c) => c.toLowerCase())
  .toLowerCase();

/** Keys inside these members belong to the caller and never change. */
const OPAQUE = new Set(['metadata', 'properties', 'field_values', 'values', 'permissions', 'settings']);
const KINDS = new Set(['resource', 'resource_type']);

export function snakes(value) {
  if (Array.isArray(value)) return value.map(snakes);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, v]) => {
    const name = snake(key);
    if (OPAQUE.has(name)) return [name, v];
    return [name, KINDS.has(name) && typeof v === 'string' ? snake(v) : snakes(v)];
  }));
}

/** Every [name, value] of a document, without opaque maps. */
export function* members(value) {
  if (value === null || typeof value !== 'object') return;
  for (const [key, v] of Object.entries(value)) {
    if (!Array.isArray(value)) yield [key, v];
    if (!OPAQUE.has(key)) yield* members(v);
  }
}

// Takes from the description of the API what the forms of settings have to respect: node web/operations.mjs OPENAPI.json > web/app/settings/operations.ts
// For each operation that writes: the roles and the permission that it needs, and the limits of its fields. `make web-types` compares the file.
import { readFileSync } from 'node:fs';

/** Paths whose operations forms use: the path itself, the path of one row, and its operations of one word. */
const PATHS = ['/teams', '/teams/{id}/members', '/cases/statuses', '/cases/priorities', '/cases/types', '/tags', '/tags/{id}/merge', '/views', '/cases/macros', '/users', '/users/invite', '/roles', '/businesshours', '/triggers', '/monitors', '/slas',
  '/cases/fields', '/users/fields', '/organizations/fields', '/cases/forms',
  '/endpoints', '/endpoints/{id}/secret', '/endpoints/{id}/test', '/events/tokens', '/oauth/clients', '/oauth/clients/{id}/secret', '/oauth/grants', '/users/{id}/erase',
  '/users/{id}/notes', '/users/{id}/notes/{note_id}', '/identities/twitter', '/identities/facebook',
  '/organizations', '/identities/emails', '/identities/phones', '/csv_imports', '/profile', '/profile/password', '/profile/api_tokens', '/signin/providers', '/signin/links', '/mailboxes', '/brands', '/brands/{id}/templates/{name}', '/locales', '/settings'];

const api = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const follow = (one) => one?.$ref ? follow(one.$ref.slice(2).split('/').reduce((at, name) => at[name], api)) : one;

const limitsOf = (given, required) => {
  const schema = follow(given), types = [schema.type ?? []].flat(), options = schema.enum?.filter((one) => one !== null);
  const { minLength, maxLength, minimum, maximum, format } = schema;
  return {
    type: types.find((one) => one !== 'null') ?? 'object',
    ...(required && { required }), ...(types.includes('null') && { nullable: true }), ...(options && { options }),
    ...(minLength && { minLength }), ...(maxLength && { maxLength }), ...(format && format !== 'int64' && { format }),
    ...(minimum !== undefined && format !== 'int64' && { minimum }), ...(maximum !== undefined && maximum < 2 ** 53 && { maximum }),
  };
};

const found = {};
for (const path of PATHS)
  for (const one of [path, `${path}/{id}`, `${path}/reorder`])
    for (const [method, operation] of Object.entries(api.paths[one] ?? {})) {
      if (!['post', 'put', 'delete'].includes(method)) continue;
      const { properties = {}, required = [] } = follow(follow(operation.requestBody)?.content?.['application/json']?.schema) ?? {};
      found[`${method.toUpperCase()} ${one}`] = {
        roles: operation['x-roles'].map((role) => role.slice(0, -1).toUpperCase()), permission: operation['x-permission'] ?? null,
        fields: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, limitsOf(schema, required.includes(name))])),
      };
    }

console.log('// Made by web/operations.mjs from the description of the API. `make web-types` fails if it is old.');
console.log('export const operations = {');
for (const [name, { roles, permission, fields }] of Object.entries(found)) {
  console.log(`  ${JSON.stringify(name)}: {\n    roles: ${JSON.stringify(roles)}, permission: ${JSON.stringify(permission)},\n    fields: {`);
  for (const [field, limits] of Object.entries(fields)) console.log(`      ${JSON.stringify(field)}: ${JSON.stringify(limits)},`);
  console.log('    },\n  },');
}
console.log('} as const;');

/** For each permission, the ranks of people for whom an operation asks for it. */
const RANKS = ['CUSTOMER', 'COLLABORATOR', 'AGENT', 'ADMIN', 'OWNER'], ranks = {};
for (const operations of Object.values(api.paths))
  for (const { 'x-permission': permission, 'x-roles': roles } of Object.values(operations))
    if (permission) ranks[permission] = new Set([...ranks[permission] ?? [], ...RANKS.filter((rank) => roles.some((role) => role.toUpperCase() === `${rank}S`))]);
console.log('export const ranksOf = {');
for (const permission of Object.keys(ranks).sort()) console.log(`  ${JSON.stringify(permission)}: ${JSON.stringify(RANKS.filter((rank) => ranks[permission].has(rank)))},`);
console.log('} as const;');

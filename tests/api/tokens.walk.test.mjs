import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { open, routes } from './lib/index.mjs';
import { SCOPES, apiToken } from './lib/tokens.mjs';

// Every route, called with tokens of every single scope. The rules are those of the specification, written down
// here a second time, without the tables of the server. So a new route without a scope that tokens reach by mistake fails this test.

const UNDER = /^\/(conversations|articles|sections|categories|mails)(\/|$)/;
const CONFIGURATION = /^\w+ \/(changes|audit_log|events\/tokens|oauth\/clients|oauth\/grants)(\/|$)|^DELETE \/oauth\/my_grants/;
const ANY = [/^GET \/(profile|me|session|jobs(\/:id)?)$/, /^GET \/autocomplete\/tags$/, /^GET \/oauth\/my_grants(\/:id)?$/, /^GET \/realtime(\/socket)?$/];
const WRITES = /^POST \/files$/;
/** Routes whose items need a second scope: people, and messages of people. */
const ITEMS = {
  'GET /conversations/:id/participants': 'users', 'GET /cases/:id/participants': 'users', 'GET /cases/:id/events': 'users',
  'GET /users/:id/posts': 'conversations', 'POST /triggers/:id/dry_run': 'conversations',
};

/** 'any', 'writes' (any :write scope), 'none', or the name of the scope that a token needs. */
function needed({ method, path, roles, scope }) {
  if (scope !== '-') return scope;
  const reads = method === 'GET';
  if (roles === 'Public' && (reads || !UNDER.test(path))) return 'any';
  if (UNDER.test(path)) return 'conversations';
  if (CONFIGURATION.test(`${method} ${path}`)) return 'configuration';
  if (WRITES.test(`${method} ${path}`)) return 'writes';
  if (/^\/autocomplete\/(emails|users|organizations)$/.test(path)) return 'users';
  return ANY.some((form) => form.test(`${method} ${path}`)) ? 'any' : 'none';
}

const reads = ({ method, path }) => method === 'GET' || /\/filter$|\/reveal$|^\/views\/preview$/.test(path);
const grants = (scope, name, route) => (name === 'writes' ? scope.endsWith(':write') : scope.startsWith(`${name}:`) && (reads(route) || scope.endsWith(':write')));
/** Ids that are not there, so that a write does nothing. */
const address = (path) => path.split('?')[0].replace(/:(\w+)/g, (_, name) => (/id$/.test(name) ? '987654321' : name === 'token' ? randomUUID() : 'nothing'));

// A reset mails; the call of a token would differ in nothing from that of anybody.
const SKIPPED = /^POST \/password\/reset$/;
/** Roles without owners (some routes of mails). */
const forAdminsOnly = ({ roles }) => !/\b(Owners|AD|AG\+|COL\+|ALL|Public)/.test(roles);

/** The defect of the reply; undefined: none. */
function judge(reply, open_) {
  const challenge = reply.headers['www-authenticate'] ?? '';
  if (reply.status >= 500 || reply.status === 401) return `${reply.status}`;
  if (open_) return challenge.includes('insufficient_scope') ? 'is refused' : undefined;
  return reply.status === 403 && challenge.includes('error="insufficient_scope"') && reply.body.errors[0].code === 'PERMISSIONS_DENIED' ? undefined : `is reached: ${reply.status}`;
}

test('a token of each single scope reaches exactly the routes of the specification', async (t) => {
  const desk = await open(t);
  const admin = await desk.person('admin'); // a refusal is one of the scope: both have all permissions
  const wrong = [];
  const open_ = new Map();
  for (const scope of SCOPES) {
    const tokens = { owner: (await apiToken(desk, desk.owner, { scopes: [scope] })).client, admin: (await apiToken(desk, admin.client, { scopes: [scope] })).client };
    for (const route of routes()) {
      const { method, path } = route, key = `${method} ${path}`, name = needed(route);
      if (SKIPPED.test(key)) continue;
      const reply = await tokens[forAdminsOnly(route) ? 'admin' : 'owner'].exchange(method, `/api/v1${address(path)}`, { body: /^P/.test(method) ? {} : undefined });
      const reached = name === 'any' || (name !== 'none' && grants(scope, name, route) && !(key in ITEMS));
      open_.set(name, (open_.get(name) ?? 0) + reached);
      const why = judge(reply, reached);
      if (why) wrong.push(`${scope}: ${key} (${name}) ${why}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...open_.keys()].sort(), ['any', 'configuration', 'conversations', 'insights', 'none', 'search', 'users', 'writes']);
});

test('a route with items of a second scope is reached with both, and the refusal names both', async (t) => {
  const desk = await open(t);
  for (const [key, items] of Object.entries(ITEMS)) {
    const [method, path] = key.split(' '), own = needed(routes().find((route) => route.method === method && route.path.split('?')[0] === path));
    const level = method === 'GET' ? 'read' : 'write';
    const ask = async (scopes) => (await apiToken(desk, desk.owner, { scopes })).client.exchange(method, `/api/v1${address(path)}`, { body: method === 'POST' ? {} : undefined });
    assert.equal((await ask([`${own}:${level}`, `${items}:read`])).status, 404, key);
    for (const alone of [own, items]) {
      const reply = await ask([`${alone}:write`]);
      assert.equal(reply.status, 403, key);
      assert.match(reply.headers['www-authenticate'], new RegExp(`scope="${own}:${level} ${items}:read"`), key);
    }
  }
});

test('deskd routes, OpenAPI and the reference name the scope of a token', async (t) => {
  const desk = await open(t);
  const { paths } = (await desk.anyone.exchange('GET', '/openapi.json')).body;
  for (const route of routes()) {
    const name = needed(route), said = name === 'any' ? 'any token' : name === 'writes' ? 'any :write scope' : name === 'none' ? 'no token reaches it' : `${name}:${reads(route) ? 'read' : 'write'}`;
    const items = ITEMS[`${route.method} ${route.path.split('?')[0]}`], also = items ? ` and ${items}:read` : '';
    assert.equal(route.token, `${said}${also}`, `${route.method} ${route.path}`);
    const operation = paths[route.path.split('?')[0].replace(/:(\w+)/g, '{$1}')][route.method.toLowerCase()];
    assert.equal(operation.security.some((way) => 'bearer' in way), name !== 'none', `${route.method} ${route.path}`);
    const oauth2 = operation.security.filter((way) => 'oauth2' in way);
    const each = SCOPES.filter((scope) => scope.endsWith(':write')).map((scope) => ({ oauth2: [scope] }));
    assert.deepEqual(oauth2, name === 'none' ? [] : name === 'writes' ? each : [{ oauth2: name === 'any' ? [] : items ? [said, `${items}:read`] : [said] }], `${route.method} ${route.path}`);
    assert.equal(operation['x-scope'], ['any', 'none', 'writes'].includes(name) ? undefined : name);
  }
});

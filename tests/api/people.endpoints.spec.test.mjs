import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { HOUR, ROLES, ROLE_ID, demo, form, json, multipart, next, rolesOf, shared } from './lib/index.mjs';

// The rows of the endpoint list about people, for every role and the public: status, envelope and contents.

const AREAS = ['identities', 'profile', 'session', 'organizations', 'roles', 'autocomplete'];
const ENVELOPE = {
  one: ['status', 'data', 'resource'],
  list: ['status', 'data', 'resource', 'offset', 'limit', 'total_count'],
  'list-count': ['status', 'data', 'resource', 'total_count'],
  count: ['status', 'total_count'],
  none: ['status'],
};
const FILTER = { collections: [{ propositions: [{ field: 'organizations.name', operator: 'comparison_equalto', value: 'Acme' }] }] };

const kindOf = (path) => /identities\/(\w+)/.exec(path)[1];

/** Unused values for each kind of identity. */
const fresh = {
  emails: () => ({ email: `fresh${next()}@fresh.example` }),
  phones: () => ({ number: `+49301234${1000 + next()}` }),
  twitter: () => ({ screen_name: `fresh_${next()}` }),
};

/** A new identity of a customer. */
async function identity(w, kind) {
  const reply = await w.desk.owner.post(`/identities/${kind}`, { user_id: w.someone.id, ...fresh[kind]() });
  return reply.must(kind === 'twitter' ? 200 : 201).data.id;
}

/** A new identity of the caller. */
async function own(w, role, kind, is_validated = true) {
  const { id } = w.desk.people[role];
  const reply = await w.desk.owner.post(`/identities/${kind}`, { user_id: id, ...fresh[kind](), is_validated });
  return reply.must(kind === 'twitter' ? 200 : 201).data.id;
}

const rows = readFileSync(new URL('fixtures/endpoints.tsv', import.meta.url), 'utf8').trimEnd().split('\n').slice(1)
  .map((line) => line.split('\t'))
  .map(([area, method, path, allowed, scope, status, shape, resource]) =>
    ({ area, method, path: path.replace(/\.json$/, ''), allowed, status: Number(status), shape, resource }))
  .filter(({ area, path }) => AREAS.includes(area) && !path.includes('facebook') && path !== '/profile/verify');

const newRole = (w) => w.desk.owner.create('/roles', { title: `Role ${next()}`, type: 'AGENT' }).then(({ id }) => id);

/** The request for a row, for a caller of a role: {path, body, query}. */
async function request(w, { method, path }, role) {
  const key = `${method} ${path}`;
  const staff = path.startsWith('/identities/');
  if (staff || path.startsWith('/profile/identities/')) {
    const kind = kindOf(path);
    const make = () => (staff ? identity(w, kind) : own(w, role, kind, !path.endsWith('verification')));
    if (path.includes(':id')) return { path: path.replace(':id', await make()), body: method === 'PUT' && staff && !path.includes('send') ? { is_primary: false } : undefined };
    if (method === 'DELETE') return { path, query: { ids: `${await make()},${await make()}` }, count: 2 };
    if (method === 'POST') return { path, body: { ...(staff && { user_id: w.someone.id }), ...fresh[kind]() } };
    return { path };
  }
  return ({
    'PUT /profile': () => ({ path, body: { designation: 'Chief' } }),
    'PUT /profile/password': () => ({ path, body: { password: w.desk.people[role].password, new_password: w.desk.people[role].password } }),
    'GET /roles/:id': () => ({ path: '/roles/2' }),
    'POST /roles': () => ({ path, body: { title: `Role ${next()}`, type: 'AGENT' } }),
    'PUT /roles/:id': async () => ({ path: `/roles/${await newRole(w)}`, body: { title: `Role ${next()}` } }),
    'DELETE /roles/:id': async () => ({ path: `/roles/${await newRole(w)}` }),
    'DELETE /roles': async () => ({ path, query: { ids: `${await newRole(w)},${await newRole(w)}` }, count: 2 }),
    'GET /roles/:id/permissions': () => ({ path: `/roles/${ROLE_ID[role] ?? 4}/permissions` }),
    'PUT /roles/:id/permissions': async () => ({ path: `/roles/${await newRole(w)}/permissions`, body: { 'users.delete': 0, 'cases.trash': 1 }, count: 2 }),
    'POST /organizations/filter': () => ({ path, body: { predicates: FILTER } }),
    'GET /organizations/:id': () => ({ path: `/organizations/${w.organization.id}` }),
    'GET /organizations/:id/members': () => ({ path: `/organizations/${w.organization.id}/members` }),
    'POST /organizations': () => ({ path, body: { name: `Organization ${next()}` } }),
    'GET /autocomplete/emails': () => ({ path, query: { address: 'customer' } }),
    'GET /autocomplete/tags': () => ({ path, query: { name: 'gol' } }),
    'GET /autocomplete/organizations': () => ({ path, query: { name: 'Acm' } }),
    'GET /autocomplete/users': () => ({ path, query: { name: 'Cora' } }),
  }[key] ?? (() => ({ path })))();
}

const shown = (body) => Object.keys(body).filter((name) => !/_url$|^session_id$|^notifications$/.test(name));

describe('people', () => {
  const world = shared(async (w) => {
    w.someone = await w.desk.person('customer');
    w.organization = await w.desk.owner.create('/organizations', { name: 'Acme', tags: 'gold' });
    await w.desk.owner.update(`/users/${w.someone.id}`, { organization_id: w.organization.id });
  });

  for (const row of rows) {
    const { method, path, allowed, status, shape, resource } = row;
    const roles = rolesOf(allowed) ?? ROLES;

    test(`${method} ${path} serves ${roles.join(', ')}`, async () => {
      for (const role of roles) {
        const { count, path: target, ...options } = await request(world, row, role);
        const client = path === '/session' && method === 'DELETE' ? (await world.desk.session(world.desk.as(role))).client : world.desk.as(role);
        const { body } = (await client.request(method, `${target}.json`, options)).must(status);
        assert.deepEqual(shown(body), [...ENVELOPE[shape], ...(options.query?.ids ? ['results'] : [])], `${role}: ${Object.keys(body)}`);
        if (count) assert.equal(body.total_count, count);
        if (resource !== '-') {
          assert.equal(body.resource, resource);
          for (const item of [body.data].flat()) assert.equal(item.resource_type, resource);
        }
      }
    });

    const excluded = ROLES.filter((role) => !roles.includes(role));
    if (allowed !== 'Public') test(`${method} ${path} refuses ${[...excluded, 'the public'].join(', ')}`, async () => {
      for (const role of excluded) {
        const { count, path: target, ...options } = await request(world, row, role);
        (await world.desk.as(role).request(method, target, options)).refused(403, 'PERMISSIONS_DENIED');
        (await world.desk.as(role).request(method, path.replaceAll(':id', '987654'), options)).refused(403, 'PERMISSIONS_DENIED');
      }
      const { count, path: target, ...options } = await request(world, row, 'customer');
      (await world.desk.anyone.request(method, target, options)).refused(401, 'AUTHORIZATION_REQUIRED');
    });

    if (path.includes(':id')) {
      test(`${method} ${path} of an absent id is 404`, async () => {
        for (const id of ['987654', '0', '-1', 'x', '9223372036854775808', '1%00']) {
          const { path: target, count, ...options } = await request(world, row, roles[0]);
          const reply = await world.desk.as(roles[0]).request(method, path.replaceAll(':id', id), options);
          assert.equal(reply.status, 404, `${reply}`);
        }
      });
    }
  }
});

// Each body in three formats, and its names in three spellings.
const WAYS = { json, form, multipart };
const camel = (name) => name.replace(/_(\w)/g, (_, c) => c.toUpperCase());
const SPELLINGS = { snake: (n) => n, camel, Pascal: (n) => camel(n).replace(/^./, (c) => c.toUpperCase()), SHOUTED: (n) => n.toUpperCase() };

const WRITES = [
  ['POST', '/identities/emails', (w) => ({ user_id: w.someone.id, ...fresh.emails(), is_primary: false, is_validated: true, is_notification_enabled: true })],
  ['POST', '/identities/phones', (w) => ({ user_id: w.someone.id, ...fresh.phones(), is_validated: true })],
  ['POST', '/identities/twitter', (w) => ({ user_id: w.someone.id, ...fresh.twitter(), is_validated: true })],
  ['PUT', async (w) => `/identities/emails/${await identity(w, 'emails')}`, () => ({ is_primary: true, is_validated: true, is_notification_enabled: true })],
  ['PUT', async (w) => `/identities/phones/${await identity(w, 'phones')}`, () => ({ is_primary: true, is_validated: true })],
  ['PUT', async (w) => `/identities/twitter/${await identity(w, 'twitter')}`, () => ({ is_primary: true, is_validated: true })],
  ['POST', '/profile/identities/emails', () => ({ ...fresh.emails(), is_notification_enabled: true })],
  ['POST', '/profile/identities/phones', () => ({ ...fresh.phones() })],
  ['PUT', '/profile', () => ({ full_name: `Olive ${next()}`, designation: `Head ${next()}`, time_zone: 'Europe/Berlin', signature: `O. ${next()}` })],
  ['POST', '/roles', () => ({ title: `Role ${next()}`, type: 'ADMIN', agent_case_access: 'TEAMS' })],
  ['PUT', async (w) => `/roles/${await newRole(w)}`, () => ({ title: `Role ${next()}`, agent_case_access: 'SELF' })],
  ['POST', '/organizations', () => ({ name: `Firm ${next()}`, legacy_id: `L${next()}`, is_shared: true, is_validated: true })],
  ['POST', '/users', () => ({ full_name: `Una ${next()}`, designation: 'Buyer', time_zone: 'Asia/Tokyo', signature: 'U.', legacy_id: `U${next()}` }), () => ({ email: `u${next()}@fresh.example` })],
];

describe('bodies about people are accepted as JSON, form and multipart, with names in any spelling:', () => {
  const world = shared(async (w) => { w.someone = await w.desk.person('customer'); });
  for (const [method, path, make, more = () => ({})] of WRITES) {
    for (const [how, wrap] of Object.entries(WAYS)) {
      test(`${method} ${typeof path === 'string' ? path : make.toString().slice(7, 40)} ${how}`, async () => {
        await world.desk.clock.forward(HOUR); // verification e-mails are limited by the hour
        for (const [spelling, spell] of Object.entries(SPELLINGS)) {
          const expected = make(world);
          const body = Object.fromEntries(Object.entries({ ...expected, ...more() }).map(([name, value]) => [spell(name), value]));
          const reply = await world.desk.owner.request(method, typeof path === 'string' ? path : await path(world), { body: wrap(body) });
          assert.ok(reply.status < 300, `${spelling}: ${reply}`);
          assert.deepEqual(reply.notices, [], `${spelling}: ${reply}`);
          for (const [name, value] of Object.entries(expected)) {
            if (name !== 'user_id' && name !== 'type') assert.deepEqual(reply.data[name], value, `${name}, ${spelling}: ${reply}`);
          }
        }
      });
    }
  }
});

describe('people have Facebook accounts that no operation creates:', () => {
  test('staff read them, admins and owners change them, and their owner sees them in the profile', async (t) => {
    const desk = await demo(t);
    const all = (await desk.owner.get('/identities/facebook')).must(200);
    assert.deepEqual(shown(all.body), ENVELOPE.list);
    assert.ok(all.data.length > 0, 'the demo desk has Facebook accounts');
    const { id } = (await desk.owner.fetch('/identities/facebook', { user_id: desk.people.customer.id }))[0];
    for (const role of ['owner', 'admin', 'agent', 'collaborator']) {
      const one = (await desk.as(role).get(`/identities/facebook/${id}`)).must(200);
      assert.equal(one.data.resource_type, 'identity_facebook');
    }
    for (const role of ['agent', 'collaborator', 'customer']) {
      (await desk.as(role).put(`/identities/facebook/${id}`, { is_validated: true })).refused(403, 'PERMISSIONS_DENIED');
    }
    (await desk.customer.get('/identities/facebook')).refused(403, 'PERMISSIONS_DENIED');
    (await desk.customer.delete('/identities/facebook', { ids: id })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get('/identities/facebook')).refused(401, 'AUTHORIZATION_REQUIRED');
    assert.equal((await desk.admin.update(`/identities/facebook/${id}`, { is_validated: true })).is_validated, true);
    for (const role of ROLES) {
      const list = (await desk.as(role).get('/profile/identities/facebook')).must(200);
      assert.deepEqual(shown(list.body), ENVELOPE.list);
      if (role !== 'customer') (await desk.as(role).get(`/profile/identities/facebook/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    }
    (await desk.customer.get(`/profile/identities/facebook/${id}`)).must(200);
    const ownersOwn = (await desk.owner.get('/profile/identities/facebook')).ids;
    for (const other of ownersOwn) {
      (await desk.as('collaborator').delete('/identities/facebook', { ids: other })).refused(403, 'PERMISSIONS_DENIED');
      (await desk.as('collaborator').delete(`/identities/facebook/${other}`)).refused(403, 'PERMISSIONS_DENIED');
    }
    assert.equal((await desk.as('collaborator').delete('/identities/facebook', { ids: id })).must(200).body.total_count, 1);
    (await desk.owner.get(`/identities/facebook/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  });
});

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { demo, raw, rolesOf, routes, shared } from './lib/index.mjs';

// Each delivered row of the endpoint list in the specification: method, path, status, envelope, order, roles.

const rows = (file) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(1).map((line) => {
  const [area, method, path, allowed, scope, status, shape, resource, order, input, note] = line.split('\t');
  return { line, area, method, path, allowed, scope, status: Number(status), shape, resource, order, input, note };
});
const FIXTURE = new URL('fixtures/endpoints.tsv', import.meta.url);
const SPEC = process.env.SPEC ?? new URL('../../../shared/spec/endpoints.tsv', import.meta.url);

const week = { zones: { monday: [9] } };
const hours = (w) => w.owner.create('/businesshours', { title: 'x', ...week });
const team = (w, more) => w.owner.create('/teams', { title: 'x', ...more });
const role = (w) => w.owner.create('/roles', { title: 'x', type: 'AGENT' });
const member = async (w) => {
  const { id } = await team(w);
  await w.owner.post(`/teams/${id}/members`, { agent_ids: w.agents.map((a) => a.id) });
  return { id, agents: w.agents };
};
const organization = (w) => w.owner.create('/organizations', { name: 'x' });
const named = (value) => ({ collections: [{ propositions: [{ field: 'organizations.name', operator: 'comparison_equalto', value }] }] });
const pair = async (w, make) => ({ query: { ids: `${(await make(w)).id},${(await make(w)).id}` }, count: 2 });
let made = 0;
const email = (w, user_id = w.someone.id) => w.owner.create('/identities/emails', { user_id, email: `e${++made}@x.example` });
const phone = (w, user_id = w.someone.id) => w.owner.create('/identities/phones', { user_id, number: `+4930123${1000 + ++made}` });
const twitter = async (w, user_id = w.someone.id) => (await w.owner.post('/identities/twitter', { user_id, screen_name: `t${++made}` })).must(200).data;
const own = (make) => (w) => make(w, w.desk.people.owner.id);
/** Facebook accounts come from mails and webhooks, not from the API. Only the demo desk has some. */
const facebook = async (w, role) => (await w.demo.admin.fetch('/identities/facebook', { user_id: w.demo.people[role].id })).map(({ id }) => id);

const token = (w) => w.owner.create('/events/tokens', { label: 'x' });
const paid = { event: 'order.paid', user: { email: 'paid@x.example' } };

/** How to request a row: (world) => {id, query, body, as, count}, or {} if the row needs nothing. */
const ASK = {
  'GET /events/tokens': {},
  'GET /events/tokens/:id': token,
  'POST /events/tokens': { body: { label: 'x' } },
  'PUT /events/tokens/:id': async (w) => ({ ...await token(w), body: { label: 'y' } }),
  'PUT /events/tokens': async (w) => ({ ...await pair(w, token), body: { is_enabled: false } }),
  'DELETE /events/tokens/:id': token,
  'DELETE /events/tokens': (w) => pair(w, token),
  'POST /webhook/:token/incoming': async (w) => ({ token: (await token(w)).token, body: paid }),
  'POST /bulk/webhook/:token/incoming': async (w) => ({ token: (await token(w)).token, body: { events: [paid] } }),
  'GET /session': {},
  'PUT /session/ack': {},
  'DELETE /session': {},
  'GET /profile': {},
  'GET /identities/emails': {},
  'GET /identities/emails/:id': email,
  'POST /identities/emails': (w) => ({ body: { user_id: w.someone.id, email: 'posted@x.example' } }),
  'PUT /identities/emails/:id': async (w) => ({ ...await email(w), body: { is_primary: true } }),
  'PUT /identities/emails/:id/send_verification_email': email,
  'DELETE /identities/emails/:id': email,
  'DELETE /identities/emails': (w) => pair(w, email),
  'GET /identities/phones': {},
  'GET /identities/phones/:id': phone,
  'POST /identities/phones': (w) => ({ body: { user_id: w.someone.id, number: '+49301112222' } }),
  'PUT /identities/phones/:id': async (w) => ({ ...await phone(w), body: { is_primary: true } }),
  'DELETE /identities/phones/:id': phone,
  'DELETE /identities/phones': (w) => pair(w, phone),
  'GET /identities/twitter': {},
  'GET /identities/twitter/:id': twitter,
  'POST /identities/twitter': (w) => ({ body: { user_id: w.someone.id, screen_name: 'posted' } }),
  'PUT /identities/twitter/:id': async (w) => ({ ...await twitter(w), body: { is_primary: true } }),
  'DELETE /identities/twitter/:id': twitter,
  'DELETE /identities/twitter': (w) => pair(w, twitter),
  'GET /identities/facebook': (w) => ({ as: w.demo.staff }),
  'GET /identities/facebook/:id': async (w) => ({ as: w.demo.staff, id: (await facebook(w, 'customer'))[0] }),
  'PUT /identities/facebook/:id': async (w) => ({ as: w.demo.admin, id: (await facebook(w, 'customer'))[1], body: { is_primary: true } }),
  'DELETE /identities/facebook/:id': async (w) => ({ as: w.demo.staff, id: (await facebook(w, 'agent'))[0] }),
  'DELETE /identities/facebook': async (w) => ({ as: w.demo.staff, query: { ids: (await facebook(w, 'customer')).join() }, count: 2 }),
  'GET /profile/identities/emails': {},
  'GET /profile/identities/emails/:id': own(email),
  'POST /profile/identities/emails': { body: { email: 'mine@x.example' } },
  'PUT /profile/identities/emails/:id/primary': own(email),
  'PUT /profile/identities/emails/:id/verification': own(email),
  'DELETE /profile/identities/emails/:id': own(email),
  'DELETE /profile/identities/emails': (w) => pair(w, own(email)),
  'GET /profile/identities/phones': {},
  'GET /profile/identities/phones/:id': own(phone),
  'POST /profile/identities/phones': { body: { number: '+49301113333' } },
  'PUT /profile/identities/phones/:id/primary': own(phone),
  'DELETE /profile/identities/phones/:id': own(phone),
  'DELETE /profile/identities/phones': (w) => pair(w, own(phone)),
  'GET /profile/identities/twitter': {},
  'GET /profile/identities/twitter/:id': own(twitter),
  'PUT /profile/identities/twitter/:id/primary': own(twitter),
  'DELETE /profile/identities/twitter/:id': own(twitter),
  'DELETE /profile/identities/twitter': (w) => pair(w, own(twitter)),
  'GET /profile/identities/facebook': (w) => ({ as: w.demo.admin }),
  'GET /profile/identities/facebook/:id': async (w) => ({ as: w.demo.admin, id: (await facebook(w, 'admin'))[0] }),
  'GET /teams': {},
  'GET /teams/availability': {},
  'GET /teams/:id': team,
  'POST /teams': { body: { title: 'x' } },
  'POST /bulk/teams': { body: { teams: [{ title: 'x' }] } },
  'PUT /teams/:id': async (w) => ({ ...await team(w), body: { title: 'y' } }),
  'DELETE /teams/:id': team,
  'DELETE /teams': (w) => pair(w, team),
  'GET /teams/:id/members': member,
  'POST /teams/:id/members': async (w) => ({ ...await team(w), body: { agent_ids: w.agents[0].id } }),
  'DELETE /teams/:id/members none': async (w) => { const m = await member(w); return { id: m.id, query: { agent_id: m.agents[0].id } }; },
  'DELETE /teams/:id/members count': async (w) => { const m = await member(w); return { id: m.id, query: { agent_ids: m.agents.map((a) => a.id).join() }, count: 2 }; },
  'POST /files': () => ({ body: raw('application/octet-stream', 'x') }),
  'GET /roles': {},
  'GET /roles/:id': { id: 2 },
  'POST /roles': { body: { title: 'x', type: 'AGENT' } },
  'PUT /roles/:id': async (w) => ({ ...await role(w), body: { title: 'y' } }),
  'DELETE /roles/:id': role,
  'DELETE /roles': (w) => pair(w, role),
  'GET /roles/:id/permissions': { id: 2 },
  'PUT /roles/:id/permissions': async (w) => ({ ...await role(w), body: { 'cases.merge': 0, 'cases.split': 1 }, count: 2 }),
  'GET /organizations/definitions': {},
  'POST /organizations/filter': { body: { predicates: JSON.stringify(named('x')) } },
  'GET /organizations': organization,
  'GET /organizations/:id': organization,
  'GET /organizations/:id/members': async (w) => {
    const { id } = await organization(w);
    for (const full_name of ['Zoe', 'anna', 'Ärmel', 'Bob']) await w.owner.create('/users', { full_name, email: `${full_name.length}-${Math.random()}@people.example`, organization_id: id });
    return { id };
  },
  'POST /organizations': { body: { name: 'x' } },
  'GET /businesshours': {},
  'GET /businesshours/:id': { id: 1 },
  'POST /businesshours': { body: { title: 'x', ...week } },
  'PUT /businesshours/:id': async (w) => ({ ...await hours(w), body: { title: 'y' } }),
  'DELETE /businesshours/:id': hours,
  'DELETE /businesshours': (w) => pair(w, hours),
  'GET /brands/:id/templates': { id: 1 },
  'GET /brands/:id/templates/:name': { id: 1, name: 'verification' },
  'PUT /brands/:id/templates/:name': { id: 1, name: 'page_verified', body: { contents: '{% block title %}T{% endblock %}{% block body %}B{% endblock %}' } },
  'PUT /brands/:id/templates/:name/restore': { id: 1, name: 'page_verified' },
  'GET /conversations': {},
  'GET /conversations/:id': (w) => ({ id: w.conversation }),
  'GET /conversations/:id?token=': async (w) => {
    const { headers } = await w.owner.get(`/conversations/${w.conversation}`);
    return { id: w.conversation, query: { token: headers['x-request-token'] }, as: w.anyone };
  },
  'GET /conversations/:id/participants': (w) => ({ id: w.conversation }),
  'POST /conversations': (w) => ({ as: w.anyone, body: { name: 'Ann', email: 'ann@home.example', subject: 'S', contents: 'C' } }),
  'PUT /conversations/:id': (w) => ({ id: w.conversation, body: { subject: 'Better' } }),
};

const keyOf = ({ method, path }) => `${method} ${path.replace('.json', '')}`;

const SHAPES = {
  one: (r, row) => {
    assert.ok(r.data && !Array.isArray(r.data));
    assert.ok(!('total_count' in r.body) && !('limit' in r.body));
    assert.equal(r.data.resource_type, row.resource);
  },
  list: (r, row) => {
    assert.ok(Array.isArray(r.data));
    for (const name of ['offset', 'limit', 'total_count']) assert.equal(typeof r.body[name], 'number', name);
    for (const item of r.data) assert.equal(item.resource_type, row.resource);
    assert.equal(r.body.resource, row.resource);
  },
  'list-count': (r, row) => {
    assert.ok(Array.isArray(r.data));
    assert.equal(r.body.total_count, r.data.length);
    assert.ok(!('offset' in r.body) && !('limit' in r.body));
    if (row.resource !== '-') assert.equal(r.body.resource, row.resource);
  },
  count: (r, row, asked) => {
    assert.ok(!('data' in r.body));
    assert.equal(r.body.total_count, asked.count);
  },
  none: (r, row) => {
    const notified = row.note.includes('notifications');
    assert.deepEqual(Object.keys(r.body).filter((n) => n !== 'session_id'), notified ? ['status', 'notifications'] : ['status']);
    for (const { type, message, sticky } of r.body.notifications ?? []) assert.deepEqual([type, typeof message, typeof sticky], ['INFO', 'string', 'boolean']);
  },
};

function inOrder(list, order) {
  if (order === '-') return;
  const names = order.split(/,? /);
  const sign = names.pop() === 'desc' ? -1 : 1; // the sort keys; the id is the last
  const key = (x, name) => (name === 'full_name' ? x[name].normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase() : x[name]);
  const compare = (a, b) => sign * ([...names, 'id'].map((name) => (key(a, name) < key(b, name) ? -1 : key(a, name) > key(b, name) ? 1 : 0)).find(Boolean) ?? 0);
  assert.deepEqual(list.map((x) => x.id), [...list].sort(compare).map((x) => x.id), `ordered by ${order}`);
}

describe('the endpoint list of the specification', () => {
  const world = shared(async (w) => {
    const { desk } = w;
    w.demo = await demo(w.t);
    w.someone = await desk.person('customer');
    Object.assign(w, { owner: desk.owner, anyone: desk.anyone, agents: [await desk.person('agent'), await desk.person('agent')] });
    for (let i = 0; i < 3; i++) {
      await desk.clock.forward(60);
      await hours(w);
      await team(w, { legacy_id: `L${i}` });
      w.conversation = (await desk.customer.create('/conversations', { subject: 'S', contents: 'C' })).id;
    }
    await member(w);
  });

  for (const row of rows(FIXTURE)) {
    test(`${row.method} ${row.path} is ${row.status} ${row.shape} for ${row.allowed}`, async (t) => {
      const { desk, owner } = world;
      const key = keyOf(row);
      if (row.area === 'profile' && !desk.has('GET', '/profile')) return t.skip('not delivered yet');
      const recipe = ASK[key] ?? ASK[`${key} ${row.shape}`];
      assert.ok(recipe, `no recipe for ${key}`);
      const asked = typeof recipe === 'function' ? await recipe(world) : recipe;
      const path = row.path.replaceAll(/:id|:name|:token/g, (name) => asked[name.slice(1)]).replace(/\?.*/, '');
      const { query, body } = asked;
      const reply = (await (asked.as ?? owner).request(row.method, path, { query, body })).must(row.status);
      SHAPES[row.shape](reply, row, asked);
      if (Array.isArray(reply.data)) inOrder(reply.data, row.order);
    });
  }

  test('deskd routes prints the roles and scopes of the list', () => {
    const ours = new Map(routes().map((r) => [`${r.method} ${r.path.replaceAll(/:\w+/g, ':id')}`, r]));
    for (const row of rows(FIXTURE)) {
      const key = keyOf(row).replace(/\?.*/, '').replaceAll(/:\w+/g, ':id');
      const mine = ours.get(key);
      if (!mine && row.area === 'profile') continue;
      assert.ok(mine, `deskd routes lacks ${key}`);
      assert.equal(mine.scope || '-', row.scope, `scope of ${key}`);
      const doubled = key === 'GET /conversations/:id'; // Public with a token, ALL without
      if (!doubled) assert.deepEqual(rolesOf(mine.roles), rolesOf(row.allowed), `roles of ${key}: ${mine.roles}`);
    }
  });

  test('the fixture is equal to the list in the specification', (t) => {
    if (!existsSync(SPEC)) return t.skip('the specification is not in its folder beside the project');
    const lines = new Set(rows(SPEC).map((r) => r.line));
    for (const { line } of rows(FIXTURE)) assert.ok(lines.has(line), line);
  });
});

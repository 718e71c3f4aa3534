import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { rolesOf, routes, shared } from './lib/index.mjs';

// Every delivered row of the specification's endpoint list: method, path, status, envelope, order, roles.

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
const pair = async (w, make) => ({ query: { ids: `${(await make(w)).id},${(await make(w)).id}` }, count: 2 });

/** How to ask for a row: (world) => {id, query, body, as, count}; a plain {} when nothing is needed. */
const ASK = {
  'GET /session': {},
  'PUT /session/ack': {},
  'DELETE /session': {},
  'GET /profile': {},
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
  'GET /roles': {},
  'GET /roles/:id': { id: 2 },
  'POST /roles': { body: { title: 'x', type: 'AGENT' } },
  'PUT /roles/:id': async (w) => ({ ...await role(w), body: { title: 'y' } }),
  'DELETE /roles/:id': role,
  'DELETE /roles': (w) => pair(w, role),
  'GET /roles/:id/permissions': { id: 2 },
  'PUT /roles/:id/permissions': async (w) => ({ ...await role(w), body: { 'cases.merge': 0, 'cases.split': 1 }, count: 2 }),
  'GET /businesshours': {},
  'GET /businesshours/:id': { id: 1 },
  'POST /businesshours': { body: { title: 'x', ...week } },
  'PUT /businesshours/:id': async (w) => ({ ...await hours(w), body: { title: 'y' } }),
  'DELETE /businesshours/:id': hours,
  'DELETE /businesshours': (w) => pair(w, hours),
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
  none: (r) => assert.deepEqual(Object.keys(r.body).filter((n) => n !== 'session_id'), ['status']),
};

function inOrder(list, order) {
  if (order === '-') return;
  const [name, direction] = order.split(' ');
  const sign = direction === 'desc' ? -1 : 1;
  const compare = (a, b) => sign * (a[name] < b[name] ? -1 : a[name] > b[name] ? 1 : a.id - b.id);
  assert.deepEqual(list.map((x) => x.id), [...list].sort(compare).map((x) => x.id), `ordered by ${order}`);
}

describe('the endpoint list of the specification', () => {
  const world = shared(async (w) => {
    const { desk } = w;
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
      const path = row.path.replace(':id', asked.id).replace(/\?.*/, '');
      const { query, body } = asked;
      const reply = (await (asked.as ?? owner).request(row.method, path, { query, body })).must(row.status);
      SHAPES[row.shape](reply, row, asked);
      if (Array.isArray(reply.data)) inOrder(reply.data, row.order);
    });
  }

  test('deskd routes names the roles and scopes of the list', () => {
    const ours = new Map(routes().map((r) => [`${r.method} ${r.path.replaceAll(/:\w+/g, ':id')}`, r]));
    for (const row of rows(FIXTURE)) {
      const key = keyOf(row).replace(/\?.*/, '');
      const mine = ours.get(key);
      if (!mine && row.area === 'profile') continue;
      assert.ok(mine, `deskd routes lacks ${key}`);
      assert.equal(mine.scope || '-', row.scope, `scope of ${key}`);
      const doubled = key === 'GET /conversations/:id'; // Public by token, ALL without
      if (!doubled) assert.deepEqual(rolesOf(mine.roles), rolesOf(row.allowed), `roles of ${key}: ${mine.roles}`);
    }
  });

  test('the fixture is the list of the specification', (t) => {
    if (!existsSync(SPEC)) return t.skip('the specification is not beside the project');
    const lines = new Set(rows(SPEC).map((r) => r.line));
    for (const { line } of rows(FIXTURE)) assert.ok(lines.has(line), line);
  });
});

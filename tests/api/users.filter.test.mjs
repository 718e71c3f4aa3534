import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, ROLE_ID, open, proposition as p, shared, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const all = (...propositions) => ({ predicates: { collections: [{ propositions }] } });
const filter = (who, ...propositions) => who.post('/users/filter', all(...propositions));
const at = (place) => `predicates/collections/0/propositions/0/${place}`;

describe('people are filtered', () => {
  const world = shared(async (w) => {
    const { desk } = w;
    w.organization = await desk.owner.create('/organizations', { name: 'Acme' });
    w.ada = await desk.person('customer', { full_name: 'Ada Çelik', designation: 'Ingénieure', email: 'ada@analytical.example', phone: '+49 30 1234567', organization_id: w.organization.id });
    w.bob = await desk.person('agent', { full_name: 'Bob' });
    w.carl = await desk.person('customer', { full_name: 'Carl', designation: 'Clerk' });
    (await desk.owner.put(`/users/${w.carl.id}`, { is_enabled: false })).must(200);
    w.gone = await desk.person('customer', { full_name: 'Ada Gone' });
    (await desk.owner.delete(`/users/${w.gone.id}`)).must(200);
  });

  const cases = {
    'by name, without accents': [p('users.fullname', 'string_contains_insensitive', 'celik'), ['Ada Çelik']],
    'by name, deleted people left out': [p('users.fullname', 'string_contains_insensitive', 'ADA '), ['Ada Çelik', 'Ada Admin']],
    'by designation': [p('users.designation', 'comparison_equalto', 'ingenieure'), ['Ada Çelik']],
    'by a part of an address': [p('emails', 'string_contains_insensitive', '@ANALYTICAL.'), ['Ada Çelik']],
    'by a whole address': [p('emails', 'comparison_equalto', 'Ada@analytical.example'), ['Ada Çelik']],
    'by digits of a number': [p('phones', 'string_contains_insensitive', '30 123'), ['Ada Çelik']],
    'by organization': [(w) => p('users.organizationid', 'comparison_equalto', w.organization.id), ['Ada Çelik']],
    'by is_enabled': [p('users.isenabled', 'comparison_equalto', false), ['Carl']],
  };
  for (const [what, [proposition, names]] of Object.entries(cases)) {
    test(what, async () => {
      const data = (await filter(world.desk.staff, typeof proposition === 'function' ? proposition(world) : proposition)).must(200).data;
      assert.deepEqual(data.map((u) => u.full_name), names);
    });
  }

  test('a person without activity matches no day', async () => {
    const data = (await filter(world.desk.staff, p('users.lastactivityat_absolute', 'date_is_not', '2026-11-23'))).must(200).data;
    assert.ok(data.every((u) => u.last_activity_at === null) && data.some((u) => u.full_name === 'Carl'));
  });

  test('lists them by role, newest first, with keyset pages', async () => {
    const { staff } = world.desk;
    const customers = (await filter(staff, p('users.roleid', 'comparison_equalto', ROLE_ID.customer))).must(200);
    assert.deepEqual(customers.data.map((u) => u.full_name), ['Carl', 'Ada Çelik', 'Cora Customer']);
    const next = (await staff.post('/users/filter', all(p('users.roleid', 'comparison_equalto', 4)), { query: { after_id: world.carl.id, limit: 1 } })).must(200);
    assert.deepEqual(next.data.map((u) => u.full_name), ['Ada Çelik']);
    assert.ok(!('offset' in next.body));
  });

  test('the definitions have the roles of the desk and no ids of organizations', async () => {
    const data = await world.desk.staff.fetch('/users/definitions');
    const of = Object.fromEntries(data.map((d) => [d.field, d]));
    assert.deepEqual(of['users.roleid'].values, { 1: 'Admin', 2: 'Agent', 3: 'Collaborator', 4: 'Customer', 5: 'Owner' });
    assert.deepEqual([of['users.organizationid'].input_type, of['users.organizationid'].values], ['AUTOCOMPLETE', null]);
    for (const field of ['users.fullname', 'users.designation', 'emails', 'phones', 'users.isenabled', 'tags.name', 'users.createdat_absolute', 'users.updatedat_relative_past', 'users.lastactivityat_absolute']) assert.ok(of[field], field);
  });

  const refusals = {
    'an absent role': p('users.roleid', 'comparison_equalto', 99),
    'an invalid id': p('users.organizationid', 'comparison_equalto', 'Acme'),
    'an absent id': p('users.organizationid', 'comparison_equalto', 0),
    'an invalid boolean': p('users.isenabled', 'comparison_equalto', 'perhaps'),
    'a number without digits': p('phones', 'string_contains_insensitive', 'abc'),
  };
  for (const [what, proposition] of Object.entries(refusals)) {
    test(`${what} is refused`, async () => { (await filter(world.desk.staff, proposition)).refused(400, 'FIELD_INVALID', at('value')); });
  }

  test('fields of organizations, secret fields and orderings are refused', async () => {
    for (const field of ['organizations.name', 'users.passwordhash', 'password_hash', 'users.totpsecret']) (await filter(world.desk.owner, p(field, 'comparison_equalto', 'x'))).refused(400, 'FIELD_INVALID', at('field'));
    (await filter(world.desk.owner, p('users.organizationid', 'comparison_greaterthan', 1))).refused(400, 'FIELD_INVALID', at('operator'));
  });

  test('requires a member of staff', async () => {
    const { desk } = world;
    for (const who of [desk.as('collaborator'), desk.staff, desk.admin]) (await filter(who, p('users.fullname', 'comparison_equalto', 'bob'))).must(200);
    for (const path of ['/users/definitions']) (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
    (await filter(desk.customer, p('users.fullname', 'comparison_equalto', 'bob'))).refused(403, 'PERMISSIONS_DENIED');
    (await filter(desk.anyone, p('users.fullname', 'comparison_equalto', 'bob'))).refused(401, 'AUTHORIZATION_REQUIRED');
  });
});

test('the list of people accepts role, is_enabled, ids, organization_id and email', async (t) => {
  const desk = await open(t);
  const { id: organization_id } = await desk.owner.create('/organizations', { name: 'Acme' });
  const [a, b] = [await desk.person('customer', { organization_id }), await desk.person('agent')];
  const ids = async (query) => (await desk.staff.get('/users', query)).must(200).ids;
  assert.deepEqual(await ids({ organization_id }), [a.id]);
  assert.deepEqual(await ids({ email: b.email.toUpperCase() }), [b.id]);
  assert.deepEqual(await ids({ ids: `${a.id},${b.id}` }), [b.id, a.id]);
  assert.deepEqual(await ids({ role: 'AGENT,OWNER', is_enabled: 'true' }), [b.id, desk.people.agent.id, desk.people.owner.id]);
  (await desk.staff.get('/users', { role: 'KING', is_enabled: 'x', ids: 'a', organization_id: 'b', email: 'c' })).refused(400, 'FIELD_INVALID', 'role', 'is_enabled', 'ids', 'organization_id', 'email');
});

test('the designations of people from before an upgrade are found after its job', async (t) => {
  const desk = await open(t), { id } = await desk.person('customer', { designation: 'Größe' });
  const found = async () => (await filter(desk.staff, p('users.designation', 'comparison_equalto', 'grosse'))).must(200).ids;
  await desk.stop();
  sql(desk, 'UPDATE users SET designation_key = NULL');
  await desk.start();
  assert.deepEqual(await found(), []);
  await desk.stop();
  sql(desk, `INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('index_names', 1, '{"step": 2}', 0, 0, 0, 0)`);
  await desk.start();
  assert.deepEqual(await until('the designation is found', async () => { const ids = await found(); return ids.length && ids; }), [id]);
});

test('relative dates follow the clock', async (t) => {
  const desk = await open(t);
  await desk.clock.forward(40 * DAY);
  const { id } = await desk.person('customer');
  const since = async (word) => (await filter(desk.owner, p('users.createdat_relative_past', 'date_after_or_on', word))).must(200).ids;
  assert.deepEqual(await since('last30days'), [id]);
  assert.ok((await since('last90days')).length > 1);
});

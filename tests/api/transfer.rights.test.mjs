import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandsClock } from './lib/clock.mjs';
import { demo, directory } from './lib/index.mjs';
import { ROLES_OF_SOURCE, hostile, importFrom, person, serving, skipped, target, trial } from './lib/source.mjs';

// deskd import --from-api again: roles of one's own follow the source, and give nobody of this desk more rights.

const denied = async (desk, { id }) => (await desk.owner.fetch(`/roles/${id}/permissions`)).filter(({ value }) => !value).map(({ name }) => name).sort();
const role = async (desk, row) => { const { title, type, agent_case_access: access } = await desk.owner.fetch(`/roles/${row.id}`); return [title, type, access, await denied(desk, row)]; };
const permit = async (desk, { id }, pairs) => (await desk.owner.put(`/roles/${id}/permissions`, pairs)).must(200);

test('roles of one’s own follow the title and the rights of the source, unless this desk has changed them, and raise nobody of this desk', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source;
  const make = (title, more = {}) => owner.create('/roles', { title, type: 'AGENT', agent_case_access: 'TEAMS', ...more });
  const [moved, both, held, gone, lost] = [await make('Moved'), await make('Both'), await make('Held'), await make('Gone'), await make('Lost')];
  await permit(source, moved, { 'cases.public_reply': 0, 'teams.manage': 1 });
  await permit(source, held, { 'cases.public_reply': 0 });
  const off = await denied(source, both), mover = await owner.create('/users', { full_name: 'Mover', email: 'mover@source.example', role_id: moved.id });
  const { desk, into } = await trial(t, source);
  for (const row of [moved, both, held]) assert.deepEqual(await role(desk, row), await role(source, row));

  // This desk: a title, a right, a person of its own in a role, and a role that is gone.
  await desk.owner.update(`/roles/${both.id}`, { title: 'Both of this desk', agent_case_access: 'SELF' });
  await permit(desk, both, { 'cases.public_reply': 0 });
  await desk.owner.create('/users', { full_name: 'Own', email: 'own@here.example', role_id: held.id });
  (await desk.owner.delete(`/roles/${gone.id}`)).must(200);

  // The source: titles and rights.
  await owner.update(`/roles/${moved.id}`, { title: 'Moved there', agent_case_access: 'ALL' });
  await permit(source, moved, { 'cases.public_reply': 1, 'teams.manage': 0 });
  await owner.update(`/roles/${both.id}`, { title: 'Both there', agent_case_access: 'ALL' });
  await permit(source, both, { 'cases.trash': 0 });
  await owner.update(`/roles/${held.id}`, { title: 'Held there', agent_case_access: 'ALL' });
  await permit(source, held, { 'cases.public_reply': 1, 'cases.trash': 0 });
  await owner.create('/users', { full_name: 'Goer', email: 'goer@source.example', role_id: gone.id });
  (await owner.delete(`/roles/${lost.id}`)).must(200);
  const { said, left } = await into();
  assert.deepEqual(await role(desk, moved), await role(source, moved));
  assert.deepEqual(await role(desk, both), ['Both of this desk', 'AGENT', 'SELF', [...new Set([...off, 'cases.public_reply', 'cases.trash'])].sort()]);
  const [title, , access, less] = await role(desk, held);
  assert.deepEqual([title, access, less.includes('cases.public_reply'), less.includes('cases.trash')], ['Held there', 'TEAMS', true, true]);
  assert.equal((await desk.owner.fetch(`/users/${mover.id}`, { include: 'role' })).role.title, 'Moved there');
  assert.equal((await desk.owner.fetch('/users', { email: 'goer@source.example', include: 'role' }))[0].role.type, 'CUSTOMER');
  assert.match(said, /3 roles with changes/);
  for (const what of ['changes of roles that were changed here, too: they stay as they are here', 'rights that the source has added to roles of people of this desk: they do not get them',
    'roles that were deleted here: their people are customers', 'roles that are gone at the source: they stay here']) assert.equal(left.get(what), 1, `${what}\n${said}`);
  const entries = await desk.owner.fetch('/audit_log', { action: 'PERMISSIONS_CHANGED' });
  assert.ok(entries.length >= 3, JSON.stringify(entries));

  // The next run finds nothing to do, and a right that the source takes away goes.
  assert.doesNotMatch((await into()).said, /roles with changes|changes of roles|rights that the source has added/);
  await permit(source, held, { 'cases.merge': 0 });
  await into();
  assert.ok((await denied(desk, held)).includes('cases.merge'));
});

test('a role that is one of the system, or has another type, at a further run makes nobody an owner or an administrator, and changes no role of this desk', async (t) => {
  const world = {
    roles: [...ROLES_OF_SOURCE, { id: 21, title: 'Reader', type: 'AGENT', is_system: false, agent_case_access: 'SELF' }],
    users: [person(7, 11, { emails: [{ email: 'owner@example.com', is_primary: true, is_validated: true }] }), person(8, 21)],
  };
  const reader = world.roles.at(-1), clock = commandsClock(join(directory(), 'clock')), { base } = await hostile(t, world), dir = target(t), copy = join(directory(), 'copy');
  const first = await importFrom(dir, base, copy, clock);
  assert.equal(first.status, 0, first.errors);
  const desk = await serving(t, dir), again = async (roles, users) => {
    world.roles.splice(0, Infinity, ...roles);
    world.users.push(...users);
    await desk.stop();
    const done = await importFrom(dir, base, copy, clock);
    assert.equal(done.status, 0, done.errors);
    await desk.start();
    return skipped(done.said);
  };
  const system = async () => (await desk.owner.fetch('/roles')).filter((row) => row.is_system).map(({ id, title, type, agent_case_access: access, updated_at: at }) => [id, title, type, access, at]);
  const was = await system(), types = async (...ids) => Promise.all(ids.map(async (id) => (await desk.owner.fetch('/users', { email: `p${id}@source.example`, include: 'role' }))[0].role.type));
  const owners = ROLES_OF_SOURCE.map((row) => (row.type === 'OWNER' ? { ...row, type: 'AGENT', title: 'Mine', is_system: false, agent_case_access: 'SELF' } : row));
  const left = await again([...owners, { ...reader, type: 'ADMIN', title: 'Root' }], [person(9, 11), person(10, 21)]);
  assert.equal(left.get('roles that have another type than before: their people are customers'), 2);
  assert.deepEqual([await system(), await types(8, 9, 10), (await desk.owner.fetch('/roles/21')).title], [was, ['AGENT', 'CUSTOMER', 'CUSTOMER'], 'Reader']);
  const next = await again([...ROLES_OF_SOURCE, { ...reader, type: 'OWNER', is_system: true }], [person(12, 21)]);
  assert.equal(next.get('roles that have another type than before: their people are customers'), 1);
  assert.deepEqual([await system(), await types(8, 12)], [was, ['AGENT', 'CUSTOMER']]);
});

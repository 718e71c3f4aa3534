import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, open, PASSWORD } from './lib/index.mjs';

const PERMISSIONS = ['cases.public_reply', 'cases.merge', 'cases.split', 'cases.trash', 'users.update', 'users.delete', 'organizations.update', 'organizations.delete',
  'help_center.manage', 'help_center_articles.manage', 'help_center_articles.publish', 'teams.manage', 'roles.manage', 'apps.manage', 'endpoints.manage', 'channels.manage',
  'brands.manage', 'case_views.manage', 'macros.manage', 'localization.manage', 'automations.manage', 'slas.manage', 'business_hours.manage', 'case_fields.manage',
  'organizations_fields.manage', 'user_fields.manage', 'settings.manage', 'insights.access'];

/** A custom role and a person in it. */
async function special(desk, type, permissions) {
  const role = await desk.owner.create('/roles', { title: `Special ${type}`, type });
  if (permissions) (await desk.owner.put(`/roles/${role.id}/permissions`, permissions)).must(200);
  const { client } = await desk.person('agent', { role_id: role.id });
  return { role, client };
}

test('the five system roles have the ids that clients rely on', async (t) => {
  const { owner } = await open(t);
  const roles = await owner.fetch('/roles');
  assert.deepEqual(roles.map(({ id, type, title, is_system }) => [id, type, title, is_system]), [
    [1, 'ADMIN', 'Admin', true], [2, 'AGENT', 'Agent', true], [3, 'COLLABORATOR', 'Collaborator', true], [4, 'CUSTOMER', 'Customer', true], [5, 'OWNER', 'Owner', true]]);
  assert.deepEqual(await owner.fetch('/roles/2'), roles[1]);
});

test('a role is created, changed and deleted', async (t) => {
  const { owner } = await open(t);
  const made = await owner.create('/roles', { title: 'Juniors', type: 'AGENT' });
  assert.deepEqual([made.title, made.type, made.is_system, made.agent_case_access], ['Juniors', 'AGENT', false, 'ALL']);
  const put = await owner.update(`/roles/${made.id}`, { title: 'Seniors', agent_case_access: 'TEAMS' });
  assert.deepEqual([put.title, put.agent_case_access, put.type], ['Seniors', 'TEAMS', 'AGENT']);
  (await owner.delete(`/roles/${made.id}`)).must(200);
  (await owner.get(`/roles/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('the type of a role can\'t change', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/roles', { title: 'J', type: 'AGENT' });
  assert.equal((await owner.put(`/roles/${id}`, { type: 'ADMIN' })).must(200).notes('type').data.type, 'AGENT');
});

test('a role requires a title and a type of ADMIN or AGENT', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/roles', {})).refused(400, 'FIELD_REQUIRED', 'title', 'type');
  for (const type of ['OWNER', 'CUSTOMER', 'COLLABORATOR', 'x', 1]) (await owner.post('/roles', { title: 'x', type })).refused(400, 'FIELD_INVALID', 'type');
  (await owner.post('/roles', { title: 'x', type: 'AGENT', agent_case_access: 'NONE' })).refused(400, 'FIELD_INVALID', 'agent_case_access');
  assert.equal((await owner.get('/roles')).body.total_count, 5);
});

test('system roles and roles in use can not be deleted', async (t) => {
  const desk = await open(t);
  for (const id of [1, 2, 3, 4, 5]) (await desk.owner.delete(`/roles/${id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  const { role } = await special(desk, 'AGENT');
  (await desk.owner.delete(`/roles/${role.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  const free = await desk.owner.create('/roles', { title: 'Free', type: 'AGENT' });
  (await desk.owner.delete('/roles', { ids: `${free.id},2` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.owner.get(`/roles/${free.id}`)).must(200);
  (await desk.owner.delete('/roles', { ids: `${free.id},999` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
  assert.equal((await desk.owner.delete('/roles', { ids: free.id })).must(200).body.total_count, 1);
});

test('a new role has every permission', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/roles', { title: 'J', type: 'ADMIN' });
  const { body } = (await owner.get(`/roles/${id}/permissions`)).must(200);
  assert.deepEqual(body.data.map((p) => p.name).sort(), [...PERMISSIONS].sort());
  assert.ok(body.data.every((p) => p.value === true));
  assert.equal(body.total_count, PERMISSIONS.length);
  assert.ok(!('limit' in body) && !('offset' in body));
  const ids = body.data.map((p) => p.id);
  assert.deepEqual(ids, [...ids].sort((a, b) => a - b));
});

test('permissions are set as pairs, plain or wrapped, in any format', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/roles', { title: 'J', type: 'AGENT' });
  const path = `/roles/${id}/permissions`;
  const off = async () => (await owner.fetch(path)).filter((p) => !p.value).map((p) => p.name).sort();
  assert.equal((await owner.put(path, { 'cases.merge': 0, 'cases.split': false })).must(200).body.total_count, 2);
  assert.deepEqual(await off(), ['cases.merge', 'cases.split']);
  assert.equal((await owner.put(path, { permission: { 'cases.merge': 1, 'users.delete': '0' } })).must(200).body.total_count, 2);
  assert.deepEqual(await off(), ['cases.split', 'users.delete']);
  (await owner.put(path, form({ 'cases.split': '1' }))).must(200);
  (await owner.put(path, form({ permission: { 'users.delete': '1' } }))).must(200);
  assert.deepEqual(await off(), []);
});

test('an unknown permission or value is 400 and changes nothing', async (t) => {
  const { owner } = await open(t);
  const path = '/roles/2/permissions';
  assert.equal((await owner.put(path, { 'cases.merge': 0, 'cases.fly': 0 })).status, 400);
  assert.equal((await owner.put(path, { 'cases.merge': 2 })).status, 400);
  assert.equal((await owner.put(path, { 'cases.merge': 'perhaps' })).status, 400);
  const none = await owner.put(path, {});
  assert.ok(none.status === 400 || none.must(200).body.total_count === 0, `${none}`);
  assert.ok((await owner.fetch(path)).every((p) => p.value));
});

test('a permission limits the role set of a route', async (t) => {
  const desk = await open(t);
  const admin = await special(desk, 'ADMIN', { 'teams.manage': 0, 'business_hours.manage': 0 });
  (await admin.client.post('/teams', { title: 'No' })).refused(403, 'PERMISSIONS_DENIED');
  (await admin.client.put('/businesshours/1', { title: 'No' })).refused(403, 'PERMISSIONS_DENIED');
  (await admin.client.get('/teams')).must(200);
  (await desk.owner.put(`/roles/${admin.role.id}/permissions`, { 'teams.manage': 1 })).must(200);
  (await admin.client.post('/teams', { title: 'Yes' })).must(201);
});

test('an agent without cases.public_reply can\'t answer', async (t) => {
  const desk = await open(t);
  const agent = await special(desk, 'AGENT', { 'cases.public_reply': 0 });
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  (await agent.client.post(`/conversations/${id}/messages`, { contents: 'No' })).refused(403, 'PERMISSIONS_DENIED');
  (await agent.client.get(`/conversations/${id}`)).must(200);
  (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'Hello?' })).must(201);
});

test('an agent without users.update or users.delete can\'t write users', async (t) => {
  const desk = await open(t);
  const agent = await special(desk, 'AGENT', { 'users.update': 0, 'users.delete': 0 });
  const { id } = await desk.person('customer');
  (await agent.client.put(`/users/${id}`, { full_name: 'No' })).refused(403, 'PERMISSIONS_DENIED');
  (await agent.client.delete(`/users/${id}`)).refused(403, 'PERMISSIONS_DENIED');
});

test('a permission never extends a role set, and owners always have all', async (t) => {
  const desk = await open(t);
  (await desk.owner.put('/roles/2/permissions', { 'teams.manage': 1, 'roles.manage': 1 })).must(200);
  (await desk.staff.post('/teams', { title: 'No' })).refused(403, 'PERMISSIONS_DENIED');
  await desk.owner.put('/roles/5/permissions', { 'teams.manage': 0 });
  (await desk.owner.post('/teams', { title: 'Yes' })).must(201);
});

test('nobody grants a permission that their own role lacks, not even to themselves', async (t) => {
  const desk = await open(t);
  const admin = await special(desk, 'ADMIN', { 'users.delete': 0 });
  const other = await desk.owner.create('/roles', { title: 'Other', type: 'AGENT' });
  for (const id of [admin.role.id, other.id]) (await admin.client.put(`/roles/${id}/permissions`, { 'teams.manage': 1, 'users.delete': 1 })).refused(403, 'PERMISSIONS_DENIED', 'users.delete');
  (await admin.client.put(`/roles/${other.id}/permissions`, { 'users.delete': 0, 'teams.manage': 1 })).must(200);
  assert.ok(!(await desk.owner.fetch(`/roles/${admin.role.id}/permissions`)).find((p) => p.name === 'users.delete').value);
});

test('include expands the own role of a customer, and no other', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Answer' });
  for (const include of ['role', 'user,role', '*']) assert.deepEqual((await desk.customer.fetch('/me', { include })).role, { ...(await desk.owner.fetch('/roles/4')), agent_case_access: null });
  for (const query of [{ include: 'user,role' }, { include: '*' }, { include: '*', _flat: true }]) {
    const { text } = (await desk.customer.get(`/conversations/${id}`, query)).must(200);
    assert.doesNotMatch(text, /"title":"Agent"|"type":"AGENT"/, JSON.stringify(query));
  }
  const shown = await desk.customer.fetch(`/conversations/${id}`, { include: 'user,role' });
  assert.deepEqual([shown.requester.role.title, shown.last_replier.role], ['Customer', null]);
});

test('a customer sees only the permissions of their own role', async (t) => {
  const { customer } = await open(t);
  (await customer.get('/roles/4/permissions')).must(200);
  for (const id of [1, 2, 3, 5, 999]) (await customer.get(`/roles/${id}/permissions`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await customer.get('/roles')).refused(403, 'PERMISSIONS_DENIED');
});

test('nobody grants a role above their own', async (t) => {
  const desk = await open(t);
  const mate = await desk.person('agent');
  for (const [who, role_id] of [[desk.admin, 5], [desk.staff, 1], [desk.staff, 5], [desk.staff, 2]]) {
    const reply = await who.post('/users', { full_name: 'Climber', email: 'climber@people.example', role_id, password: PASSWORD });
    assert.ok([400, 403].includes(reply.status), `${reply}`);
  }
  const put = await desk.admin.put(`/users/${mate.id}`, { role_id: 5 });
  assert.ok([400, 403].includes(put.status), `${put}`);
  assert.equal((await desk.owner.fetch(`/users/${mate.id}`)).role.id, 2);
  assert.equal((await desk.owner.get('/users', { email: 'climber@people.example' })).body.total_count, 0);
});

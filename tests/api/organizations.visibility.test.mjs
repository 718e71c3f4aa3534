import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';
import { waysTo } from './lib/walk.mjs';

/** Two customers of one organization. `reader` may read the organization's conversations if `access` says so. */
async function world(t, { is_shared, access }) {
  const desk = await open(t);
  if (!desk.has('POST', '/organizations')) return t.skip('organizations are not delivered yet');
  const org = await desk.owner.create('/organizations', { name: 'Acme', is_shared });
  const writer = await desk.person('customer', { organization_id: org.id });
  const reader = await desk.person('customer', { organization_id: org.id, organization_case_access: access });
  const { id } = await writer.client.create('/conversations', { subject: 'S', contents: 'C' });
  const own = await reader.client.create('/conversations', { subject: 'Own', contents: 'C' });
  return { desk, reader: reader.client, writer: writer.client, id, own: own.id };
}

test("a customer reads conversations of their organization if it is shared and they have access", async (t) => {
  const w = await world(t, { is_shared: true, access: 'ORGANIZATION' });
  if (!w) return;
  for (const path of waysTo('/conversations/:id', w.id)) (await w.reader.get(path)).must(200);
  assert.deepEqual((await w.reader.get('/conversations')).must(200).ids, [w.own], 'the plain list has only own conversations');
  const org = (await w.reader.get('/conversations', { filters: 'MY_ORGANIZATION' })).must(200);
  assert.deepEqual(org.ids, [w.own, w.id]);
  assert.equal(org.body.total_count, 2);
  (await w.writer.get(`/conversations/${w.own}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

for (const [why, more] of Object.entries({
  'the organization is not shared': { is_shared: false, access: 'ORGANIZATION' },
  'they may read only their own': { is_shared: true, access: 'REQUESTED' },
})) {
  test(`a customer does not read them if ${why}`, async (t) => {
    const w = await world(t, more);
    if (!w) return;
    for (const path of waysTo('/conversations/:id', w.id)) (await w.reader.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.ok(!(await w.reader.get('/conversations', { filters: 'MY_ORGANIZATION' })).must(200).ids.includes(w.id));
  });
}

test('conversations of another organization are hidden', async (t) => {
  const w = await world(t, { is_shared: true, access: 'ORGANIZATION' });
  if (!w) return;
  const other = await w.desk.owner.create('/organizations', { name: 'Other', is_shared: true });
  const stranger = await w.desk.person('customer', { organization_id: other.id, organization_case_access: 'ORGANIZATION' });
  for (const path of waysTo('/conversations/:id', w.id)) (await stranger.client.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual((await stranger.client.get('/conversations', { filters: 'MY_ORGANIZATION' })).must(200).ids, []);
});

test('a person has at most one organization', async (t) => {
  const desk = await open(t);
  const { id } = await desk.staff.create('/organizations', { name: 'Brandfathers' });
  const path = `/users/${desk.people.customer.id}/organizations`;
  assert.deepEqual(await desk.staff.fetch(path), []);
  await desk.staff.update(`/users/${desk.people.customer.id}`, { organization_id: id });
  const reply = (await desk.as('collaborator').get(path)).must(200);
  assert.deepEqual([reply.data.map((o) => o.name), reply.body.resource, reply.body.total_count], [['Brandfathers'], 'organization', 1]);
  (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.get('/users/999999/organizations')).refused(404, 'RESOURCE_NOT_FOUND');
});

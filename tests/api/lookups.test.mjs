import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const KINDS = {
  statuses: { resource: 'case_status', list: [[1, 'New', 'NEW'], [2, 'Open', 'OPEN'], [3, 'Pending', 'PENDING'], [4, 'Completed', 'COMPLETED'], [5, 'Closed', 'CLOSED']], shown: (s) => [s.id, s.label, s.type], body: { label: 'Waiting' } },
  priorities: { resource: 'case_priority', list: [[1, 'Low', 1], [2, 'Normal', 2], [3, 'High', 3], [4, 'Urgent', 4]], shown: (p) => [p.id, p.label, p.level], body: { label: 'Critical', level: 5 } },
  types: { resource: 'case_type', list: [[1, 'Question'], [2, 'Task'], [3, 'Problem'], [4, 'Incident']], shown: (x) => [x.id, x.label], body: { label: 'Praise' } },
};

for (const [name, { resource, list, shown, body }] of Object.entries(KINDS)) {
  const path = `/cases/${name}`;

  test(`${name}: the whole list is public, with its defaults`, async (t) => {
    const { anyone } = await open(t);
    const reply = (await anyone.get(path, { limit: 1 })).must(200);
    assert.deepEqual(reply.data.map(shown), list);
    assert.deepEqual([reply.body.total_count, reply.body.resource, 'limit' in reply.body], [list.length, resource, false]);
  });

  test(`${name}: staff read, admins create, change and delete`, async (t) => {
    const desk = await open(t);
    (await desk.as('collaborator').get(`${path}/1`)).must(200);
    (await desk.customer.get(`${path}/1`)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get(`${path}/1`)).refused(401, 'AUTHORIZATION_REQUIRED');
    (await desk.staff.post(path, body)).refused(403, 'PERMISSIONS_DENIED');
    const made = await desk.admin.create(path, body);
    assert.equal(made.label, body.label);
    assert.equal((await desk.admin.update(`${path}/${made.id}`, { label: 'Renamed' })).label, 'Renamed');
    (await desk.admin.delete(`${path}/${made.id}`)).must(200);
    assert.equal((await desk.anyone.get(path)).body.data.filter((x) => !x.is_deleted).length, list.length);
  });

  test(`${name}: a label is required`, async (t) => {
    const { owner } = await open(t);
    (await owner.post(path, {})).refused(400, 'FIELD_REQUIRED', 'label');
    (await owner.post(path, { ...body, label: '' })).refused(400, 'FIELD_EMPTY', 'label');
    (await owner.put(`${path}/1`, { label: '' })).refused(400, 'FIELD_EMPTY', 'label');
  });

  test(`${name}: reorder requires its list and refuses unknown ids`, async (t) => {
    const { owner, contract } = await open(t);
    const [ids] = contract.parameters('PUT', `/api/v1${path}/reorder`).filter((n) => n.endsWith('ids'));
    assert.ok(ids, 'the document declares the list of reorder');
    (await owner.put(`${path}/reorder`, {})).refused(400, 'FIELD_REQUIRED', ids);
    (await owner.put(`${path}/reorder`, { [ids]: [1, 999] })).refused(400, 'FIELD_INVALID', ids);
    (await owner.put(`${path}/reorder`, { [ids]: '4,3,2,1' })).must(200);
  });
}

test('statuses: only Pending stops the SLA clocks, and the defaults are system rows', async (t) => {
  const { anyone, owner } = await open(t);
  const statuses = await anyone.fetch('/cases/statuses');
  assert.deepEqual(statuses.filter((s) => !s.is_sla_active).map((s) => s.id), [3]);
  for (const { id } of statuses) (await owner.delete(`/cases/statuses/${id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal((await anyone.fetch('/cases/statuses')).length, 5);
});

test('statuses: conversations keep a deleted status and show it as deleted, and it can\'t be set again', async (t) => {
  const desk = await open(t);
  const { owner, staff, customer } = desk;
  const { id } = await owner.create('/cases/statuses', { label: 'With the vendor' });
  const used = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  const other = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  await staff.update(`/conversations/${used.id}`, { status_id: id });
  (await owner.delete(`/cases/statuses/${id}`)).must(200);
  (await owner.delete(`/cases/statuses/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await owner.get(`/cases/statuses/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await owner.put(`/cases/statuses/${id}`, { label: 'Back' })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.ok(!(await owner.fetch('/cases/statuses')).some((s) => s.id === id));
  const { status } = await staff.fetch(`/conversations/${used.id}`, { include: 'case_status' });
  assert.deepEqual([status.id, status.label, status.is_deleted], [id, 'With the vendor', true]);
  (await staff.put(`/conversations/${other.id}`, { status_id: id })).refused(400, 'FIELD_INVALID', 'status_id');
  assert.equal((await staff.fetch('/conversations', { status: 'CUSTOM' })).length, 1);
  assert.equal((await staff.update(`/conversations/${used.id}`, { status_id: 2 })).status.id, 2);
  assert.equal(desk.check().status, 0);
});

test('statuses: a new status has the type CUSTOM', async (t) => {
  const { owner } = await open(t);
  assert.equal((await owner.create('/cases/statuses', { label: 'With the vendor', is_sla_active: false })).type, 'CUSTOM');
  assert.equal((await owner.post('/cases/statuses', { label: 'Mine', type: 'CLOSED' })).must(201).data.type, 'CUSTOM');
});

test('priorities: the level is a number', async (t) => {
  const { owner, contract } = await open(t);
  if (!contract.parameters('POST', '/api/v1/cases/priorities').includes('level')) return t.skip('the levels have the order of the list');
  for (const level of ['x', 1.5, 1e400, {}, '99999999999999999999']) (await owner.post('/cases/priorities', { label: 'P', level: level === Infinity ? '1e400' : level })).refused(400, 'FIELD_INVALID', 'level');
});

for (const [kind, of] of [['statuses', 'status'], ['priorities', 'priority'], ['types', 'type']]) {
  test(`several ${kind} are deleted at once or not at all`, async (t) => {
    const { owner, admin, staff, customer } = await open(t);
    const path = `/cases/${kind}`;
    const made = [];
    for (const label of ['A', 'B', 'C']) made.push((await admin.create(path, { label })).id);
    const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
    await staff.update(`/conversations/${id}`, { [`${of}_id`]: made[1] });
    const before = (await owner.get(path)).ids;
    (await staff.delete(path, { ids: made[0] })).refused(403, 'PERMISSIONS_DENIED');
    (await admin.delete(path, { ids: `${made[0]},999` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
    const stays = of === 'status' ? 5 : made[1]; // a system status, or a priority or type in use
    (await admin.delete(path, { ids: `${made[0]},${stays}` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids/1');
    assert.deepEqual((await owner.get(path)).ids, before, 'no row was deleted');
    assert.equal((await admin.delete(path, { ids: [made[0], made[2]] })).must(200).body.total_count, 2);
    assert.deepEqual((await owner.get(path)).ids, before.filter((x) => x !== made[0] && x !== made[2]));
  });
}

// Cases: conversations as staff see and change them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, MINUTE } from './lib/index.mjs';

const opened = async (desk, extra = {}) => (await desk.staff.post('/cases', {
  subject: 'The engine stalls', contents: 'It stops after ten turns.', requester_id: desk.people.customer.id, ...extra,
})).must(201).data;

test('an agent opens a conversation for a requester, who sees it under the same id', async (t) => {
  const desk = await open(t);
  const made = await opened(desk, { legacy_id: 'old-7', priority_id: 3, type_id: 2, assigned_agent_id: desk.people.agent.id, channel: 'MAIL' });
  assert.equal(made.resource_type, 'case');
  assert.match(made.resource_url, new RegExp(`/api/v1/cases/${made.id}$`));
  assert.equal(made.legacy_id, 'old-7');
  assert.equal(made.requester.id, desk.people.customer.id);
  assert.equal(made.creator.id, desk.people.agent.id);
  assert.deepEqual(made.status, { id: 1, resource_type: 'case_status' });
  assert.equal(made.priority.id, 3);
  assert.equal(made.type.id, 2);
  assert.equal(made.assigned_agent.id, desk.people.agent.id);
  assert.equal(made.last_assigned_by.id, desk.people.agent.id);
  assert.equal((await desk.staff.fetch(`/cases/${made.id}`, { include: 'channel' })).source_channel.type, 'MAIL');
  assert.equal(made.brand.id, 1);
  assert.equal(made.state, 'ACTIVE');
  assert.equal(made.post_count, 1);
  assert.equal(made.last_post_preview, 'It stops after ten turns.');
  assert.equal(made.last_post_type, 'PUBLIC');
  const seen = (await desk.customer.get(`/conversations/${made.id}`)).must(200).data;
  assert.equal(seen.subject, 'The engine stalls');
  (await desk.customer.get(`/cases/${made.id}`)).refused(403, 'PERMISSIONS_DENIED');
});

test('POST names every missing or invalid field', async (t) => {
  const desk = await open(t);
  const reply = await desk.staff.post('/cases', { requester_id: 999, assigned_agent_id: desk.people.customer.id, status_id: 'x' });
  assert.equal(reply.status, 400);
  assert.deepEqual(new Set(reply.body.errors.map((e) => e.parameter)), new Set(['subject', 'contents', 'requester_id', 'assigned_agent_id', 'status_id']));
  (await desk.staff.post('/cases', { subject: 'a', contents: 'b' })).refused(400, 'FIELD_REQUIRED', 'requester_id');
  const made = await opened(desk, { legacy_id: 'x1' });
  (await desk.staff.post('/cases', { subject: 'a', contents: 'b', requester_id: desk.people.customer.id, legacy_id: 'x1' })).refused(400, 'FIELD_DUPLICATE', 'legacy_id');
  assert.equal((await desk.staff.get('/cases', { legacy_ids: 'x1' })).must(200).data[0].id, made.id);
});

test('customers and collaborators can\'t write cases, and customers can\'t read them', async (t) => {
  const desk = await open(t);
  const made = await opened(desk);
  for (const who of [desk.customer, desk.as('collaborator')]) {
    (await who.post('/cases', { subject: 'a', contents: 'b', requester_id: desk.people.customer.id })).refused(403, 'PERMISSIONS_DENIED');
    (await who.put(`/cases/${made.id}`, { subject: 'b' })).refused(403, 'PERMISSIONS_DENIED');
    (await who.put(`/cases/${made.id}/trash`)).refused(403, 'PERMISSIONS_DENIED');
  }
  (await desk.customer.get('/cases')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.as('collaborator').get(`/cases/${made.id}`)).must(200);
});

test('PUT changes every property, and members show who changed it last and when', async (t) => {
  const desk = await open(t);
  const made = await opened(desk);
  const team = (await desk.admin.post('/teams', { title: 'Second line' })).must(201).data;
  const { data } = (await desk.admin.put(`/cases/${made.id}`, {
    subject: 'Stalls again', status_id: 4, priority_id: 4, type_id: 1, assigned_team_id: team.id, assigned_agent_id: desk.people.agent.id,
    requester_id: desk.people.collaborator.id, legacy_id: 'n9', tags: 'engine, vip',
  })).must(200);
  assert.equal(data.subject, 'Stalls again');
  assert.equal(data.status.id, 4);
  assert.equal(data.assigned_team.id, team.id);
  assert.equal(data.requester.id, desk.people.collaborator.id);
  assert.equal(data.legacy_id, 'n9');
  assert.equal(data.last_assigned_by.id, desk.people.admin.id);
  assert.equal(data.last_completed_by.id, desk.people.admin.id);
  assert.equal(data.last_updated_by.id, desk.people.admin.id);
  assert.equal(data.last_completed_at, data.updated_at);
  assert.equal(data.last_opened_at, null);
  assert.equal(data.agent_updated_at, data.updated_at);
  const tags = (await desk.staff.get(`/cases/${made.id}`, { fields: '+tags', include: 'tag' })).must(200).data.tags.map((x) => x.name);
  assert.deepEqual(tags.sort(), ['engine', 'vip']);
  (await desk.customer.get(`/conversations/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('PUT with If-Match refuses to overwrite a concurrent change', async (t) => {
  const desk = await open(t);
  const made = await opened(desk);
  const read = await desk.staff.get(`/cases/${made.id}`);
  const { etag } = read.must(200).headers;
  (await desk.admin.put(`/cases/${made.id}`, { priority_id: 2 })).must(200);
  (await desk.staff.put(`/cases/${made.id}`, { priority_id: 1 }, { headers: { 'If-Match': etag } })).refused(412, 'RESOURCE_MODIFIED');
  assert.equal((await desk.staff.get(`/cases/${made.id}`)).must(200).data.priority.id, 2);
});

test('a list of ids changes the tags of one or of several conversations', async (t) => {
  const desk = await open(t);
  const made = [(await opened(desk)).id, (await opened(desk)).id];
  for (const ids of [made.slice(0, 1), made]) {
    const tag = `tag-${ids.length}`;
    assert.equal((await desk.staff.put('/cases', { tags: tag }, { query: { ids: ids.join() } })).must(200).body.total_count, ids.length);
    for (const id of ids) assert.deepEqual((await desk.owner.fetch(`/cases/${id}/tags`)).map((x) => x.name), [tag]);
  }
});

test('several conversations are changed together or not at all', async (t) => {
  const desk = await open(t);
  const [a, b] = [await opened(desk), await opened(desk)];
  assert.equal((await desk.staff.put('/cases', { priority_id: 4 }, { query: { ids: `${a.id},${b.id}` } })).must(200).body.total_count, 2);
  (await desk.admin.put(`/cases/${b.id}`, { status_id: 5 })).must(200);
  const refused = await desk.staff.put('/cases', { priority_id: 1 }, { query: { ids: `${a.id},${b.id}` } });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.errors[0].pointer, 'ids/1');
  assert.equal((await desk.staff.get(`/cases/${a.id}`)).must(200).data.priority.id, 4);
  (await desk.staff.put('/cases', { priority_id: 1 }, { query: { ids: `${a.id},99999` } })).refused(404, 'RESOURCE_NOT_FOUND');
});

test('a closed conversation accepts only tags by PUT, and agents can\'t close', async (t) => {
  const desk = await open(t);
  const made = await opened(desk);
  (await desk.staff.put(`/cases/${made.id}`, { status_id: 5 })).refused(403, 'PERMISSIONS_DENIED', 'status_id');
  (await desk.admin.put(`/cases/${made.id}`, { status_id: 5 })).must(200);
  (await desk.admin.put(`/cases/${made.id}`, { subject: 'x' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.admin.put(`/cases/${made.id}`, { tags: 'late' })).must(200);
  (await desk.staff.post(`/cases/${made.id}/tags`, { tags: 'later' })).must(201);
});

test('a conversation in the trash is hidden from customers and lists, and staff can restore it', async (t) => {
  const desk = await open(t);
  const made = await opened(desk);
  const total = async (who, path) => (await who.get(path, { limit: 1 })).must(200).body.total_count;
  assert.equal((await desk.staff.put(`/cases/${made.id}/trash`)).must(200).data.state, 'TRASH');
  assert.equal((await desk.staff.get(`/cases/${made.id}`)).must(200).data.state, 'TRASH');
  (await desk.customer.get(`/conversations/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.get(`/conversations/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(await total(desk.staff, '/cases'), 0);
  assert.equal(await total(desk.admin, '/conversations'), 0);
  assert.equal(await total(desk.admin, `/users/${desk.people.customer.id}/cases`), 0);
  (await desk.staff.put(`/cases/${made.id}`, { subject: 'x' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal((await desk.staff.put(`/cases/${made.id}/restore`)).must(200).data.state, 'ACTIVE');
  assert.equal(await total(desk.staff, '/cases'), 1);
  assert.equal((await desk.staff.put('/cases/trash', undefined, { query: { ids: made.id } })).must(200).body.total_count, 1);
  assert.equal(await total(desk.staff, '/cases'), 0);
});

test('the list is ordered by the last change, and each filter works alone and with its total', async (t) => {
  const desk = await open(t);
  const team = (await desk.admin.post('/teams', { title: 'Second line' })).must(201).data;
  const a = await opened(desk, { priority_id: 1, assigned_agent_id: desk.people.agent.id });
  desk.clock.write(desk.clock.now + MINUTE);
  const b = await opened(desk, { priority_id: 3, assigned_team_id: team.id, status_id: 2, tags: 'vip', requester_id: desk.people.collaborator.id });
  desk.clock.write(desk.clock.now + MINUTE);
  (await desk.admin.put(`/cases/${a.id}`, { subject: 'moved up' })).must(200);
  const ids = async (query, who = desk.admin) => {
    const reply = (await who.get('/cases', query)).must(200);
    assert.equal(reply.body.total_count, reply.data.length, JSON.stringify(query));
    return reply.data.map((x) => x.id);
  };
  assert.deepEqual((await ids({})).sort(), [a.id, b.id].sort());
  assert.deepEqual(await ids({ status: 'OPEN' }), [b.id]);
  assert.deepEqual((await ids({ status: 'NEW,OPEN' })).length, 2);
  assert.deepEqual(await ids({ priority: 2 }), [a.id]);
  for (const level of ['2147483648', '9223372036854775807']) assert.ok((await ids({ priority: level })).includes(a.id), 'a level above all others finds all that have a priority');
  assert.deepEqual(await ids({ priority: '-2147483649' }), []);
  assert.deepEqual(await ids({ tags: 'VIP' }), [b.id]);
  assert.deepEqual(await ids({ assigned_agent_id: desk.people.agent.id }), [a.id]);
  assert.deepEqual(await ids({ assigned_team_id: team.id }), [b.id]);
  assert.deepEqual(await ids({ requester_id: desk.people.collaborator.id }), [b.id]);
  assert.deepEqual(await ids({ identity_type: 'EMAIL', identity_value: desk.people.customer.email }), [a.id]);
  assert.deepEqual(await ids({ identity_type: 'EMAIL', identity_value: 'nobody@example.com' }), []);
  assert.deepEqual(await ids({ ids: `${b.id}` }), [b.id]);
  assert.deepEqual(await ids({ status: 'OPEN', priority: 2 }), []);
  (await desk.admin.get('/cases', { identity_type: 'EMAIL' })).refused(400, 'FIELD_REQUIRED', 'identity_value');
  (await desk.admin.get('/cases', { status: 'WRONG' })).refused(400, 'FIELD_INVALID', 'status');
});

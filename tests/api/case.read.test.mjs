import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asked, open } from './lib/index.mjs';

const marker = async (client, id) => {
  const { read_marker } = await client.fetch(`/cases/${id}`, { include: 'read_marker' });
  return [read_marker.last_read_post_id, read_marker.unread_count];
};

test('PUT /cases/:id/read moves the read marker of the caller alone to the newest message, and never back', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const second = await desk.customer.create(`/conversations/${id}/messages`, { contents: 'Two' });
  assert.deepEqual(await marker(desk.staff, id), [null, 2]);
  await desk.staff.update(`/cases/${id}/read`, {});
  assert.deepEqual(await marker(desk.staff, id), [second.id, 0]);
  assert.deepEqual(await marker(desk.admin, id), [null, 2]);
  await desk.staff.create(`/cases/${id}/notes`, { contents: 'N' });
  await desk.staff.update(`/cases/${id}/read`, {});
  assert.deepEqual(await marker(desk.staff, id), [second.id, 0]);
  const third = await desk.customer.create(`/conversations/${id}/messages`, { contents: 'Three' });
  assert.deepEqual(await marker(desk.staff, id), [second.id, 1]);
  await desk.staff.update(`/cases/${id}/read`, {});
  assert.deepEqual(await marker(desk.staff, id), [third.id, 0]);
  const messages = await desk.customer.fetch(`/conversations/${id}/messages`);
  assert.deepEqual(messages.map((m) => m.message_status), ['DELIVERED', 'DELIVERED', 'DELIVERED'], 'the customer learns nothing');
});

test('who does not see a conversation can not mark it as read, nor can a customer', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const team = await desk.owner.create('/teams', { title: 'Others' });
  const { client } = await desk.person('agent', { agent_case_access: 'TEAMS' });
  await desk.owner.update(`/cases/${id}`, { assigned_team_id: team.id });
  (await client.put(`/cases/${id}/read`, {})).must(404);
  (await desk.customer.put(`/cases/${id}/read`, {})).must(403);
  (await desk.anyone.put(`/cases/${id}/read`, {})).must(401);
  (await desk.staff.put('/cases/999999/read', {})).must(404);
});

test('PUT /cases/:id/unread makes the newest message unread for the caller alone, and never marks one as read', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const first = (await desk.customer.fetch(`/conversations/${id}/messages`))[0];
  const second = await desk.customer.create(`/conversations/${id}/messages`, { contents: 'Two' });
  await desk.staff.update(`/cases/${id}/unread`, {});
  assert.deepEqual(await marker(desk.staff, id), [null, 2], 'nothing was read');
  for (const who of [desk.staff, desk.admin]) await who.update(`/cases/${id}/read`, {});
  await desk.staff.update(`/cases/${id}/unread`, {});
  assert.deepEqual(await marker(desk.staff, id), [first.id, 1]);
  assert.deepEqual(await marker(desk.admin, id), [second.id, 0]);
  await desk.staff.update(`/cases/${id}/unread`, {});
  assert.deepEqual(await marker(desk.staff, id), [first.id, 1], 'a second call changes nothing');
  await desk.staff.update(`/cases/${id}/read`, {});
  assert.deepEqual(await marker(desk.staff, id), [second.id, 0]);
  const { id: one } = await asked(desk.customer);
  await desk.staff.update(`/cases/${one}/read`, {});
  await desk.staff.update(`/cases/${one}/unread`, {});
  assert.deepEqual(await marker(desk.staff, one), [null, 1]);
  const team = await desk.owner.create('/teams', { title: 'Others' }), { client } = await desk.person('agent', { agent_case_access: 'TEAMS' });
  await desk.owner.update(`/cases/${id}`, { assigned_team_id: team.id });
  (await client.put(`/cases/${id}/unread`, {})).must(404);
  (await desk.customer.put(`/cases/${id}/unread`, {})).must(403);
});

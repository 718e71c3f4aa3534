import assert from 'node:assert/strict';
import { test } from 'node:test';
import { iso, open } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const POST = `id uuid client_id subject contents creator identity source_channel attachments download_all destination_medium source metadata original post_status
post_status_reject_type post_status_reject_reason post_status_updated_at is_requester created_at updated_at resource_type resource_url`.split(/\s+/);

test('the posts of a person are listed newest first, in keyset pages', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'One' });
  await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Answer' });
  await desk.customer.create(`/conversations/${id}/messages`, { contents: 'Two', client_id: 'c-2' });
  const path = `/users/${desk.people.customer.id}/posts`;
  const reply = (await desk.staff.get(path)).must(200);
  assert.deepEqual(reply.data.map((p) => p.contents), ['Two', 'One']);
  assert.ok(!('offset' in reply.body) && reply.body.resource === 'post');
  const [two, one] = reply.data;
  assert.deepEqual(Object.keys(two), POST);
  assert.deepEqual([two.client_id, two.creator.id, two.is_requester, two.post_status, two.original.resource_type, two.original.id], ['c-2', desk.people.customer.id, true, 'DELIVERED', 'case_message', two.id]);
  assert.equal(two.identity.resource_type, 'identity_email');
  assert.equal(two.resource_url, `${desk.base}/api/v1/cases/posts/${two.id}`);
  assert.deepEqual(await desk.staff.fetch(`/cases/posts/${two.id}`), two);
  const page = (await desk.staff.get(path, { limit: 1 })).must(200);
  assert.match(page.headers.link, new RegExp(`after_id=${two.id}[^0-9].*rel="next"`));
  assert.deepEqual((await desk.staff.fetch(path, { after_id: two.id })).map((p) => p.id), [one.id]);
  assert.deepEqual((await desk.staff.fetch(path, { before_id: one.id })).map((p) => p.id), [two.id]);
  (await desk.staff.get(path, { after_id: 1, before_id: 1 })).refused(400, 'PARAMETERS_INCONSISTENT');
});

test('posts are visible where their conversation is', async (t) => {
  const desk = await open(t);
  const team = await desk.owner.create('/teams', { title: 'Lamps' });
  const blind = await desk.person('agent', { agent_case_access: 'SELF' });
  const teams = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team.id] });
  await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'One' });
  const path = `/users/${desk.people.customer.id}/posts`;
  const [post] = await desk.staff.fetch(path);
  assert.equal((await teams.client.fetch(path)).length, 1, 'the conversation is unassigned');
  assert.deepEqual(await blind.client.fetch(path), []);
  (await blind.client.get(`/cases/posts/${post.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get(`/cases/posts/${post.id}`)).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.staff.get('/users/999999/posts')).refused(404, 'RESOURCE_NOT_FOUND');
});

test('events of a person are listed newest first, and selected by since and until', async (t) => {
  const desk = await open(t);
  const user = desk.people.customer.id, { now } = desk.clock;
  for (let i = 1; i <= 3; i++) {
    sql(desk, `INSERT INTO events (uuid, event, user_id, properties, triggered_at, created_at)
      VALUES ('00000000-0000-4000-8000-00000000000${i}', 'order.paid', ${user}, '{"orderId":${i},"Paid_By":"x"}', ${now + i * 1000}, ${now})`);
  }
  const path = `/users/${user}/events`;
  const events = await desk.as('collaborator').fetch(path);
  assert.deepEqual(events.map((e) => e.properties.orderId), [3, 2, 1]);
  assert.deepEqual(Object.keys(events[0]), ['id', 'uuid', 'event', 'user', 'properties', 'triggered_at', 'created_at', 'resource_type', 'resource_url']);
  assert.deepEqual([events[0].user, events[0].triggered_at], [{ id: user, resource_type: 'user_minimal' }, iso(now + 3000)]);
  assert.deepEqual(await desk.staff.fetch(`/events/${events[0].id}`), events[0]);
  assert.deepEqual((await desk.staff.fetch(path, { since: iso(now + 2000), until: iso(now + 2000) })).map((e) => e.properties.orderId), [2]);
  assert.deepEqual((await desk.staff.get(path, { _case: 'camel' })).must(200).data[0].properties, { orderId: 3, Paid_By: 'x' }, 'keys stay as given');
  assert.deepEqual((await desk.staff.fetch(path, { after_id: events[1].id })).length, 1);
  assert.deepEqual(await desk.staff.fetch(`/users/${desk.people.agent.id}/events`), []);
  (await desk.staff.get(path, { since: 'yesterday' })).refused(400, 'FIELD_INVALID');
  (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.get('/events/999')).refused(404, 'RESOURCE_NOT_FOUND');
});

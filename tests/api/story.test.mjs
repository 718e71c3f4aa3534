import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, open, PASSWORD } from './lib/index.mjs';

// The main use of the server from end to end, with a crash at every step.

test('a customer writes, an agent answers, the customer reads, and nothing is lost', async (t) => {
  const desk = await open(t);
  const crash = async () => { await desk.kill(); await desk.start(); };

  const opened = (await desk.anyone.post('/conversations', { name: 'Ann Example', email: 'ann@home.example', subject: 'My order', contents: 'Where is it?', client_id: 'web-1' })).must(201);
  const path = `/conversations/${opened.data.id}`;
  await crash();

  await desk.clock.forward(MINUTE);
  const [found, ...others] = await desk.staff.fetch('/conversations', { status: 'NEW', include: 'user' });
  assert.deepEqual(others, []);
  assert.deepEqual([found.id, found.subject, found.requester.full_name], [opened.data.id, 'My order', 'Ann Example']);
  const [question] = await desk.staff.fetch(`${path}/messages`);
  assert.deepEqual([question.content_text, question.client_id], ['Where is it?', 'web-1']);

  const session = await desk.session(desk.staff);
  const answer = await session.client.create(`${path}/messages`, { contents: 'It left the house this morning.' });
  await crash();

  // Ann returns with the link from the mail, then with her own password.
  const token = (await desk.staff.get(path)).must(200).headers['x-request-token'];
  const glance = (await desk.anyone.get(path, { token })).must(200).data;
  assert.deepEqual([glance.status.id, glance.last_message_preview], [2, 'It left the house this morning.']);
  const [ann] = await desk.owner.fetch('/users', { email: 'ann@home.example' });
  await desk.owner.update(`/users/${ann.id}`, { password: PASSWORD });
  const she = desk.login('ann@home.example');

  const conversation = await she.fetch(path, { include: 'read_marker' });
  assert.equal(conversation.read_marker.unread_count, 1);
  assert.deepEqual((await she.fetch(`${path}/messages`)).map((m) => m.content_text), ['It left the house this morning.', 'Where is it?']);
  (await she.put(`${path}/messages/${answer.id}`, { message_status: 'SEEN' })).must(200);
  await crash();

  assert.equal((await desk.staff.fetch(`${path}/messages/${answer.id}`)).message_status, 'SEEN');
  assert.equal((await she.fetch(path, { include: 'read_marker' })).read_marker.unread_count, 0);
  (await she.post(`${path}/messages`, { contents: 'Thank you!' })).must(201);
  (await she.put(path, { status_id: 4 })).must(200);
  await crash();

  const end = await desk.staff.fetch(path, { include: 'user' });
  assert.deepEqual([end.status.id, end.last_replier.full_name, end.last_agent_replier.full_name], [4, 'Ann Example', 'Agnes Agent']);
  assert.deepEqual((await desk.staff.fetch(`${path}/participants`)).map((u) => u.full_name).sort(), ['Agnes Agent', 'Ann Example']);
  assert.equal((await desk.staff.get(`${path}/messages`)).body.total_count, 3);
  await desk.stop();
  const { status, stdout, stderr } = desk.check();
  assert.equal(status, 0, stdout + stderr);
});

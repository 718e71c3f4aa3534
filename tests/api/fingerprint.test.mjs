import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { admitsFingerprint } from './lib/walk.mjs';
import { HOUR, deskd, open, raw, routes } from './lib/index.mjs';

const ANN = { name: 'Ann Example', email: 'ann@home.example', subject: 'My order', contents: 'Where is it?' };
const print = (desk, id = randomUUID()) => desk.anyone.with({ 'X-Fingerprint-ID': id });

test('a fingerprint sees exactly the conversations created with it', async (t) => {
  const desk = await open(t);
  const [one, two] = [print(desk), print(desk)];
  const mine = await one.create('/conversations', ANN);
  const theirs = await two.create('/conversations', ANN); // the same address gives the same requester
  const plain = await desk.anyone.create('/conversations', ANN);
  assert.deepEqual((await one.get('/conversations')).must(200).ids, [mine.id]);
  assert.equal((await one.get('/conversations')).body.total_count, 1);
  assert.deepEqual((await two.get('/conversations')).must(200).ids, [theirs.id]);
  assert.deepEqual((await print(desk).get('/conversations')).must(200).data, []);
  for (const id of [theirs.id, plain.id, 99999]) {
    for (const path of [`/conversations/${id}`, `/conversations/${id}/participants`, `/conversations/${id}/messages`]) {
      (await one.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
    }
    (await one.post(`/conversations/${id}/messages`, { contents: 'No' })).refused(404, 'RESOURCE_NOT_FOUND');
  }
  assert.equal((await desk.owner.get('/conversations')).body.total_count, 3);
});

test('a fingerprint reads its conversation, answers and marks as read', async (t) => {
  const desk = await open(t);
  const who = print(desk);
  const made = await who.create('/conversations', ANN);
  const path = `/conversations/${made.id}`;
  const answer = await desk.staff.create(`${path}/messages`, { contents: 'On its way' });
  const read = (await who.get(path, { include: '*' })).must(200);
  assert.equal(read.data.read_marker.unread_count, 1);
  assert.ok(read.headers['x-request-token']);
  (await who.put(`${path}/messages/${answer.id}`, { message_status: 'SEEN' })).must(200);
  const marker = (await who.fetch(path, { include: 'read_marker' })).read_marker;
  assert.deepEqual([marker.id, marker.unread_count, marker.last_read_post_id], [made.id, 0, answer.id]);
  assert.equal((await desk.staff.fetch(`${path}/messages/${answer.id}`)).message_status, 'SEEN');
  const reply = await who.create(`${path}/messages`, { contents: 'Thank you', client_id: 'w-1' });
  assert.equal((await who.create(`${path}/messages`, { contents: 'Thank you', client_id: 'w-1' })).id, reply.id);
  assert.equal((await who.fetch(`${path}/messages/${reply.id}`)).content_text, 'Thank you');
  assert.equal((await who.fetch(path, { include: 'read_marker' })).read_marker.unread_count, 0);
  const [ann] = await desk.owner.fetch('/users', { email: ANN.email });
  assert.deepEqual((await desk.owner.fetch(`${path}/messages`)).map((m) => m.creator.id), [ann.id, desk.people.agent.id, ann.id]);
  assert.equal((await who.get(`${path}/messages`)).body.total_count, 3);
  assert.equal((await desk.staff.fetch(path)).status.id, 2);
});

test("a read by a fingerprint does not move the requester's read marker", async (t) => {
  const desk = await open(t);
  const who = print(desk);
  const { id } = await who.create('/conversations', { ...ANN, email: desk.people.customer.email });
  const answer = await desk.staff.create(`/conversations/${id}/messages`, { contents: 'On its way' });
  (await who.put(`/conversations/${id}/messages/${answer.id}`, { message_status: 'SEEN' })).must(200);
  await who.create(`/conversations/${id}/messages`, { contents: 'Thank you' });
  const unread = async (caller) => (await caller.fetch(`/conversations/${id}`, { include: 'read_marker' })).read_marker.unread_count;
  assert.deepEqual([await unread(who), await unread(desk.customer)], [0, 2]);
});

test('a conversation that a logged-in person creates with a fingerprint is visible to the fingerprint', async (t) => {
  const desk = await open(t);
  const id = randomUUID();
  const made = await desk.customer.with({ 'X-Fingerprint-ID': id }).create('/conversations', { subject: 'S', contents: 'C' });
  assert.equal(made.requester.id, desk.people.customer.id, 'a logged-in person sees true ids');
  await desk.customer.create('/conversations', { subject: 'Another', contents: 'C' });
  const seen = (await print(desk, id).get('/conversations')).must(200);
  assert.deepEqual(seen.ids, [made.id]);
  assert.notEqual(seen.data[0].requester.id, desk.people.customer.id);
  assert.equal((await desk.customer.with({ 'X-Fingerprint-ID': randomUUID() }).get('/conversations')).body.total_count, 2, 'a fingerprint does not limit a logged-in person');
});

test('a fingerprint is a UUID in any letter case, as header or argument; other values are refused', async (t) => {
  const desk = await open(t);
  const id = randomUUID();
  const { id: made } = await print(desk, id.toUpperCase()).create('/conversations', ANN);
  assert.deepEqual((await desk.anyone.get('/conversations', { _fingerprint_id: id })).must(200).ids, [made]);
  for (const bad of ['x', id.slice(1), `${id}0`, id.replaceAll('-', ''), `{${id}}`, id.replace(/.$/, 'g'), '00000000-0000-0000-0000-000000000000']) {
    (await print(desk, bad).get('/conversations')).refused(400, 'FIELD_INVALID', '_fingerprint_id');
    (await print(desk, bad).post('/conversations', ANN)).refused(400, 'FIELD_INVALID', '_fingerprint_id');
    (await desk.customer.get('/me', { _fingerprint_id: bad })).refused(400, 'FIELD_INVALID', '_fingerprint_id');
  }
  (await print(desk, id).get('/conversations', { _fingerprint_id: randomUUID() })).refused(400, 'PARAMETERS_INCONSISTENT', '_fingerprint_id');
  (await print(desk, '').get('/conversations')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a fingerprint opens only routes that are marked for it', async (t) => {
  const desk = await open(t);
  const who = print(desk);
  const { id } = await who.create('/conversations', ANN);
  const marked = new Set(['GET /conversations', 'GET /conversations/:id', 'GET /conversations/:id/participants', 'POST /conversations', 'GET /users/:id',
    'GET /conversations/:id/messages', 'GET /conversations/:id/messages/:message_id', 'POST /conversations/:id/messages', 'PUT /conversations/:id/messages/:message_id',
    'GET /conversations/:id/messages/:message_id/attachments/:attachment_id', 'GET /conversations/:id/messages/:message_id/attachments/:attachment_id/url', 'GET /conversations/:id/messages/:message_id/attachments/:attachment_id/download', 'GET /conversations/:id/messages/:message_id/attachments/:attachment_id/thumbnail', 'GET /conversations/:id/messages/:message_id/attachments/download/all',
    'GET /conversations/starter', 'GET /conversations/:id/ratings', 'POST /conversations/:id/ratings', 'PUT /conversations/:id/ratings/:rating_id',
    'GET /conversations/:id/files/:file_id/content', 'POST /files', 'GET /files/:id', 'GET /files/:id/content',
    'GET /realtime', 'GET /realtime/socket', 'POST /widget/identity', 'DELETE /widget/identity',
    'POST /articles/:id/upvote', 'DELETE /articles/:id/upvote', 'POST /articles/:id/downvote', 'DELETE /articles/:id/downvote']);
  let closed = 0;
  for (const { method, path, roles } of routes()) {
    const name = `${method} ${path}`;
    assert.equal(admitsFingerprint(desk.contract.doc, { method, path }), marked.has(name), `the reference about ${name}`);
    if (marked.has(name) || roles === 'Public' || method !== 'GET') continue;
    (await who.get(path.replace(/:\w+/g, String(id)))).refused(401, 'AUTHORIZATION_REQUIRED');
    closed++;
  }
  assert.ok(closed > 30);
  (await who.put(`/conversations/${id}`, { subject: 'No' })).refused(401, 'AUTHORIZATION_REQUIRED');
  (await who.delete('/profile/avatar')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a trashed or filtered list for a fingerprint has pages like any other', async (t) => {
  const desk = await open(t);
  const who = print(desk);
  const ids = [];
  for (let i = 0; i < 5; i++) ids.unshift((await who.create('/conversations', ANN)).id);
  await desk.admin.update(`/conversations/${ids[0]}`, { status_id: 4 });
  assert.deepEqual((await who.get('/conversations', { status: 'NEW', limit: 2, offset: 1 })).must(200).ids, ids.slice(2, 4));
  assert.deepEqual((await who.get('/conversations', { after_id: ids[1], limit: 2 })).must(200).ids, ids.slice(2, 4));
  assert.deepEqual((await who.get('/conversations', { filters: 'MY_ORGANIZATION' })).must(200).ids, ids);
});

test('an Idempotency-Key is separate for each fingerprint', async (t) => {
  const desk = await open(t);
  const [one, two] = [print(desk), print(desk)];
  const key = { headers: { 'Idempotency-Key': 'k' } };
  const first = (await one.post('/conversations', ANN, key)).must(201);
  const again = (await one.post('/conversations', ANN, key)).must(201);
  assert.equal(again.headers['idempotent-replayed'], 'true');
  assert.deepEqual(again.data, first.data);
  const other = (await two.post('/conversations', ANN, key)).must(201);
  assert.equal(other.headers['idempotent-replayed'], undefined);
  (await one.post('/conversations', { ...ANN, subject: 'Other' }, key)).refused(400, 'PARAMETERS_INCONSISTENT');
  assert.equal((await desk.owner.get('/conversations')).body.total_count, 2);
});

test('a file uploaded with a fingerprint belongs to it', async (t) => {
  const desk = await open(t);
  const id = randomUUID();
  const who = print(desk, id);
  const file = (await who.post('/files', raw('text/plain', Buffer.from('hello')))).must(201).data;
  assert.equal((await who.fetch(`/files/${file.id}`)).size, 5);
  assert.equal((await who.exchange('GET', `/api/v1/files/${file.id}/content`)).must(200).text, 'hello');
  for (const other of [print(desk), desk.customer, desk.owner, desk.customer.with({ 'X-Fingerprint-ID': id })]) {
    (await other.get(`/files/${file.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await other.get(`/files/${file.id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
  }
  (await desk.anyone.get(`/files/${file.id}`)).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.customer.put('/profile', { avatar_file_id: file.id })).refused(400, 'FIELD_INVALID', 'avatar_file_id');
  await desk.clock.forward(12 * HOUR);
  (await who.get(`/files/${file.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('the store contains no fingerprint in clear', async (t) => {
  const desk = await open(t);
  const id = randomUUID();
  await print(desk, id).create('/conversations', ANN);
  (await print(desk, id).post('/files', raw('text/plain', Buffer.from('hello')))).must(201);
  await desk.stop();
  if (!process.env.DATABASE) {
    const { readFileSync, readdirSync } = await import('node:fs');
    for (const name of readdirSync(desk.dir).filter((n) => n.startsWith('desk.db'))) {
      const bytes = readFileSync(`${desk.dir}/${name}`).toString('latin1').toLowerCase();
      assert.ok(!bytes.includes(id), name);
    }
  }
  assert.equal(deskd('check', ...desk.store).status, 0);
  await desk.start();
  assert.equal((await print(desk, id).get('/conversations')).body.total_count, 1, 'the fingerprint still works after a restart');
});

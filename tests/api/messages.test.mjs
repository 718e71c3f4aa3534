import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, iso, multipart, open } from './lib/index.mjs';

const MEMBERS = ['uuid', 'client_id', 'subject', 'channel', 'content_text', 'content_html', 'creator', 'attachments', 'download_all', 'source', 'metadata', 'message_status', 'message_status_updated_at', 'created_at', 'updated_at'];

async function world(t) {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'My order', contents: 'First words' });
  const path = `/conversations/${id}/messages`;
  const say = (who, contents, more) => who.create(path, { contents, ...more });
  const marker = async (who) => (await who.fetch(`/conversations/${id}`, { include: 'read_marker' })).read_marker;
  return { desk, id, path, say, marker, conversation: `/conversations/${id}` };
}

test('the first message is the contents of the new conversation', async (t) => {
  const { desk, path } = await world(t);
  const { body } = (await desk.customer.get(path)).must(200);
  assert.deepEqual([body.resource, body.total_count, body.data.length], ['conversation_message', 1, 1]);
  const [m] = body.data;
  for (const member of MEMBERS) assert.ok(member in m, member);
  assert.deepEqual([m.resource_type, m.content_text, m.channel, m.message_status, m.source, m.client_id, m.download_all], ['case_message', 'First words', 'HELPCENTER', 'DELIVERED', null, null, null]);
  assert.deepEqual([m.creator.id, m.creator.resource_type, m.created_at, m.attachments], [desk.people.customer.id, 'user', iso(desk.clock.now), []]);
  assert.equal(m.resource_url, `${desk.base}/api/v1${path}/${m.id}`);
});

test('a message is created and read', async (t) => {
  const { desk, path, conversation } = await world(t);
  const reply = (await desk.staff.post(path, { contents: 'On its way', source: 'API', client_id: 'c-1' })).must(201);
  assert.equal(reply.body.resource, 'conversation_message');
  const m = reply.data;
  assert.deepEqual([m.content_text, m.source, m.client_id, m.message_status, m.creator.id], ['On its way', 'API', 'c-1', 'SENT', desk.people.agent.id]);
  assert.deepEqual(await desk.staff.fetch(`${path}/${m.id}`), m, 'the reply is what a GET shows');
  assert.equal((await desk.customer.fetch(`${path}/${m.id}`)).content_text, 'On its way');
  const c = await desk.customer.fetch(conversation);
  assert.deepEqual([c.last_replier.id, c.last_agent_replier.id, c.last_message_preview, c.last_message_status], [desk.people.agent.id, desk.people.agent.id, 'On its way', 'SENT']);
});

test('messages come newest first, and after_id and before_id page through them', async (t) => {
  const { desk, path, say } = await world(t);
  for (let i = 2; i <= 6; i++) await say(i % 2 ? desk.customer : desk.staff, `Message ${i}`);
  const { ids } = (await desk.customer.get(path)).must(200);
  assert.deepEqual(ids, [...ids].sort((a, b) => b - a));
  const older = (await desk.customer.get(path, { after_id: ids[1], limit: 2 })).must(200);
  assert.deepEqual(older.ids, ids.slice(2, 4));
  assert.ok(!('offset' in older.body));
  assert.deepEqual((await desk.customer.get(path, { before_id: ids[2] })).must(200).ids, ids.slice(0, 2));
  assert.deepEqual((await desk.customer.get(path, { offset: 4, limit: 4 })).must(200).ids, ids.slice(4));
  (await desk.customer.get(path, { before_id: ids[0], after_id: ids[3] })).refused(400, 'PARAMETERS_INCONSISTENT');
});

test('contents are required in every format', async (t) => {
  const { desk, path } = await world(t);
  for (const encode of [(x) => x, form, multipart]) {
    (await desk.staff.post(path, encode({ source: 'API' }))).refused(400, 'FIELD_REQUIRED', 'contents');
    (await desk.staff.post(path, encode({ contents: '' }))).refused(400, 'FIELD_EMPTY', 'contents');
    assert.equal((await desk.staff.post(path, encode({ contents: 'Ünïcode 🙂\r\nand a line' }))).must(201).data.content_text.replace(/\r\n/g, '\n'), 'Ünïcode 🙂\nand a line');
  }
  (await desk.staff.post(path, { contents: 'x', source: 'PIGEON' })).refused(400, 'FIELD_INVALID', 'source');
  (await desk.staff.post(path, { contents: { a: 1 } })).refused(400, 'FIELD_INVALID', 'contents');
  assert.equal((await desk.staff.get(path)).body.total_count, 4);
});

test('text with markup stays text', async (t) => {
  const { desk, say } = await world(t);
  const m = await say(desk.customer, '<img src=x onerror=alert(1)> & <b>bold</b>');
  assert.equal(m.content_text, '<img src=x onerror=alert(1)> & <b>bold</b>');
  assert.doesNotMatch(m.content_html ?? '', /<img|<script/i);
});

test('a repeated client_id returns the existing message', async (t) => {
  const { desk, path, say } = await world(t);
  const first = await say(desk.customer, 'Once', { client_id: 'x1' });
  const again = await say(desk.customer, 'Once', { client_id: 'x1' });
  assert.equal(again.id, first.id);
  assert.equal((await desk.customer.get(path)).body.total_count, 2);
  assert.notEqual((await say(desk.customer, 'Twice', { client_id: 'x2' })).id, first.id);
});

test('a client_id is unique for one user and conversation only', async (t) => {
  const { desk, say } = await world(t);
  const first = await say(desk.customer, 'Mine', { client_id: 'x1' });
  const other = await say(desk.staff, 'Yours', { client_id: 'x1' });
  assert.notEqual(other.id, first.id);
  assert.equal(other.content_text, 'Yours');
  const elsewhere = await desk.customer.create('/conversations', { subject: 'Two', contents: 'C' });
  assert.notEqual((await desk.customer.create(`/conversations/${elsewhere.id}/messages`, { contents: 'Mine', client_id: 'x1' })).id, first.id);
});

test('twenty concurrent requests with one client_id create one message', async (t) => {
  const { desk, path, say } = await world(t);
  const made = await Promise.all(Array.from({ length: 20 }, () => say(desk.customer, 'Once', { client_id: 'x1' })));
  assert.equal(new Set(made.map((m) => m.id)).size, 1);
  assert.equal((await desk.customer.get(path)).body.total_count, 2);
});

test('the read marker counts the messages that its reader has not seen', async (t) => {
  const { desk, path, say, marker } = await world(t);
  const a = await say(desk.staff, 'One');
  const b = await say(desk.staff, 'Two');
  assert.equal((await marker(desk.customer)).unread_count, 2);
  const put = (await desk.customer.put(`${path}/${a.id}`, { message_status: 'SEEN' })).must(200);
  assert.ok(!('data' in put.body));
  let seen = await marker(desk.customer);
  assert.deepEqual([seen.last_read_post_id, seen.unread_count, seen.last_read_at], [a.id, 1, iso(desk.clock.now)]);
  (await desk.customer.put(`${path}/${b.id}`, { message_status: 'SEEN' })).must(200);
  seen = await marker(desk.customer);
  assert.deepEqual([seen.last_read_post_id, seen.unread_count], [b.id, 0]);
  await say(desk.staff, 'Three');
  assert.equal((await marker(desk.customer)).unread_count, 1);
});

test('each reader has a separate marker, which never moves back', async (t) => {
  const { desk, path, say, marker } = await world(t);
  const [first] = await desk.staff.fetch(path);
  const b = await say(desk.customer, 'Two');
  (await desk.staff.put(`${path}/${b.id}`, { message_status: 'SEEN' })).must(200);
  (await desk.staff.put(`${path}/${first.id}`, { message_status: 'SEEN' })).must(200);
  assert.deepEqual([(await marker(desk.staff)).last_read_post_id, (await marker(desk.staff)).unread_count], [b.id, 0]);
  assert.equal((await marker(desk.admin)).unread_count, 2);
});

test('by default the read marker is a reference', async (t) => {
  const { desk, conversation } = await world(t);
  const { read_marker } = await desk.staff.fetch(conversation);
  assert.deepEqual(Object.keys(read_marker).sort(), ['id', 'resource_type']);
});

test('a message changes from SENT to DELIVERED to SEEN and never back', async (t) => {
  const { desk, path, say } = await world(t);
  const m = await say(desk.staff, 'One');
  const set = (message_status) => desk.customer.put(`${path}/${m.id}`, { message_status });
  const now = async () => (await desk.customer.fetch(`${path}/${m.id}`)).message_status;
  (await set('DELIVERED')).must(200);
  assert.equal(await now(), 'DELIVERED');
  (await set('SEEN')).must(200);
  (await set('DELIVERED')).must(200);
  assert.equal(await now(), 'SEEN');
  for (const bad of ['SENT', 'REJECTED', 'EATEN', '', 1]) assert.equal((await set(bad)).status, 400, bad);
  const put = await desk.customer.put(`${path}/${m.id}`, {});
  assert.ok([200, 400].includes(put.status));
});

test('SEEN marks only messages of the other side', async (t) => {
  const { desk, path, say } = await world(t);
  const asked = await say(desk.customer, 'Is it ready?');
  const answered = await say(desk.staff, 'Tomorrow.');
  const seen = async ({ id }) => (await desk.staff.fetch(`${path}/${id}`)).message_status === 'SEEN';
  (await desk.admin.put(`${path}/${answered.id}`, { message_status: 'SEEN' })).must(200);
  assert.deepEqual([await seen(asked), await seen(answered)], [true, false], 'an agent has read the question');
  const thanked = await say(desk.customer, 'Thanks.');
  (await desk.customer.put(`${path}/${thanked.id}`, { message_status: 'SEEN' })).must(200);
  assert.deepEqual([await seen(answered), await seen(thanked)], [true, false], 'the customer has read the answer');
});

test('SEEN marks all earlier messages, too', async (t) => {
  const { desk, path, say } = await world(t);
  const [a, b, c] = [await say(desk.staff, 'One'), await say(desk.staff, 'Two'), await say(desk.staff, 'Three')];
  (await desk.customer.put(`${path}/${b.id}`, { message_status: 'SEEN' })).must(200);
  const statuses = Object.fromEntries((await desk.customer.fetch(path)).map((m) => [m.id, m.message_status]));
  assert.deepEqual([statuses[a.id], statuses[b.id], statuses[c.id]], ['SEEN', 'SEEN', 'SENT']);
});

test('a message is found only under its own conversation', async (t) => {
  const { desk, path, say } = await world(t);
  const m = await say(desk.staff, 'One');
  const { id } = await desk.customer.create('/conversations', { subject: 'Two', contents: 'C' });
  (await desk.customer.get(`/conversations/${id}/messages/${m.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.put(`/conversations/${id}/messages/${m.id}`, { message_status: 'SEEN' })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(`${path}/999999`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.anyone.post(path, { contents: 'x' })).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('include expands the creator of every message', async (t) => {
  const { desk, path, say } = await world(t);
  await say(desk.staff, 'One');
  const names = (await desk.customer.fetch(path, { include: 'user' })).map((m) => m.creator.full_name);
  assert.deepEqual(names, ['Agnes Agent', 'Cora Customer']);
});

test('a customer can\'t use source AGENT, which is for staff', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const path = `/conversations/${id}/messages`;
  for (const source of ['AGENT', 'agent']) (await desk.customer.post(path, { contents: 'x', source })).refused(400, 'FIELD_INVALID', 'source');
  for (const source of ['HELPCENTER', 'MESSENGER', 'API', 'MOBILE']) assert.equal((await desk.customer.create(path, { contents: 'x', source })).source, source);
  for (const who of [desk.as('collaborator'), desk.staff, desk.admin, desk.owner]) assert.equal((await who.create(path, { contents: 'x', source: 'AGENT' })).source, 'AGENT');
  for (const who of [desk.anyone, desk.customer]) (await who.post('/conversations', { name: 'N', email: 'n@x.example', subject: 'S', contents: 'C', source: 'AGENT' })).refused(400, 'FIELD_INVALID', 'source');
});

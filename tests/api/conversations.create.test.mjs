import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, multipart, open } from './lib/index.mjs';

const STRANGER = { name: 'Ann Example', email: 'ann@home.example', subject: 'My order', contents: 'Where is it?' };
const total = async (who, path) => (await who.get(path)).must(200).body.total_count;

const MEMBERS = ['uuid', 'legacy_id', 'subject', 'channel', 'requester', 'creator', 'last_replier', 'last_agent_replier', 'assigned_team', 'assigned_agent', 'status', 'is_closed',
  'priority', 'type', 'read_marker', 'custom_fields', 'realtime_channel', 'last_message_status', 'last_message_preview', 'last_replied_at', 'created_at', 'updated_at'];

test('a person without a login opens a conversation', async (t) => {
  const desk = await open(t);
  const reply = (await desk.anyone.post('/conversations', STRANGER)).must(201);
  const c = reply.data;
  assert.equal(reply.body.resource, 'conversation');
  assert.deepEqual([c.subject, c.channel, c.is_closed, c.status], ['My order', 'HELPCENTER', false, { id: 1, resource_type: 'case_status' }]);
  assert.deepEqual([c.priority, c.type, c.assigned_agent, c.assigned_team, c.last_agent_replier], [null, null, null, null, null]);
  assert.match(c.last_message_preview, /Where is it\?/);
  assert.equal(c.last_message_status, 'DELIVERED', "a customer's first message is delivered at once");
  assert.match(c.uuid, /^[0-9a-f-]{36}$/);
  assert.match(c.realtime_channel, new RegExp(`^presence-[0-9a-f]{64}@v1_cases_${c.id}$`));
  assert.deepEqual(c.requester, c.creator);
  assert.equal(c.requester.resource_type, 'user');
  assert.ok(!('session_id' in reply.body));
});

test('a conversation always has every member, null where empty', async (t) => {
  const desk = await open(t);
  const own = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  for (const c of [own, await desk.staff.fetch(`/conversations/${own.id}`), (await desk.customer.fetch('/conversations'))[0]]) {
    for (const member of MEMBERS) assert.ok(member in c, member);
    assert.equal(c.read_marker.resource_type, 'read_marker');
  }
});

test('each body format creates the same conversation', async (t) => {
  const desk = await open(t);
  for (const encode of [(x) => x, form, multipart]) {
    const c = (await desk.anyone.post('/conversations', encode({ ...STRANGER, metadata: { user_agent: 'Lynx', page_url: 'https://x.example/?a=b' }, source: 'MESSENGER' }))).must(201).data;
    assert.deepEqual([c.subject, c.channel], ['My order', 'MESSENGER']);
    const [m] = await desk.staff.fetch(`/conversations/${c.id}/messages`);
    assert.deepEqual(m.metadata, { user_agent: 'Lynx', page_url: 'https://x.example/?a=b' });
    assert.equal(m.source, 'MESSENGER');
  }
});

test('name and e-mail are required only without login', async (t) => {
  const desk = await open(t);
  (await desk.anyone.post('/conversations', {})).refused(400, 'FIELD_REQUIRED', 'name', 'email', 'subject', 'contents');
  const own = (await desk.customer.post('/conversations', {})).refused(400, 'FIELD_REQUIRED', 'subject', 'contents');
  assert.equal(own.body.errors.length, 2);
  for (const name of Object.keys(STRANGER)) (await desk.anyone.post('/conversations', { ...STRANGER, [name]: '' })).refused(400, 'FIELD_EMPTY', name);
  (await desk.anyone.post('/conversations', { ...STRANGER, email: 'nonsense' })).refused(400, 'FIELD_INVALID', 'email');
  (await desk.anyone.post('/conversations', { ...STRANGER, source: 'PIGEON' })).refused(400, 'FIELD_INVALID', 'source');
  assert.equal(await total(desk.owner, '/conversations'), 0);
  assert.equal(await total(desk.owner, '/users'), 5);
});

test('a caller without login with a new address becomes a user, once', async (t) => {
  const desk = await open(t);
  for (const email of ['ann@home.example', 'ANN@Home.example', 'ann@home.example']) await desk.anyone.create('/conversations', { ...STRANGER, email });
  const [ann, ...more] = await desk.owner.fetch('/users', { email: 'ann@home.example' });
  assert.deepEqual(more, []);
  assert.deepEqual([ann.full_name, ann.role.id], ['Ann Example', 4]);
  for (const c of await desk.owner.fetch('/conversations')) assert.equal(c.requester.id, ann.id);
});

test('twenty concurrent strangers with one new address create one user', async (t) => {
  const desk = await open(t);
  const made = await Promise.all(Array.from({ length: 20 }, () => desk.anyone.post('/conversations', STRANGER)));
  for (const reply of made) reply.must(201);
  assert.equal(new Set((await desk.owner.fetch('/conversations', { limit: 20 })).map((c) => c.requester.id)).size, 1);
  assert.equal(await total(desk.owner, '/users'), 6);
});

test('a reply to a stranger who posts with a known address reveals nothing about its owner', async (t) => {
  const desk = await open(t);
  const secret = await desk.person('customer', { full_name: 'Secret Realname', designation: 'Hidden Chief', signature: 'Sincerely hidden', phone: '+4930901820' });
  const older = await secret.client.create('/conversations', { subject: 'Older private', contents: 'Private words' });
  const known = (await desk.anyone.post('/conversations', { ...STRANGER, email: secret.email }, { query: { include: '*' } })).must(201);
  for (const word of ['Secret Realname', 'Hidden', 'hidden', '+4930', 'Older', secret.email]) assert.ok(!known.text.includes(word), word);
  assert.equal(known.data.requester.full_name, 'Ann Example');
  const token = known.headers['x-request-token'];
  const read = (await desk.anyone.get(`/conversations/${known.data.id}`, { token, include: '*' })).must(200);
  for (const word of ['Secret Realname', 'Hidden', 'hidden', '+4930']) assert.ok(!read.text.includes(word), word);
  (await desk.anyone.get(`/conversations/${older.id}`, { token })).refused(401, 'AUTHENTICATION_FAILED');
  assert.deepEqual((await secret.client.get('/conversations')).ids.sort(), [older.id, known.data.id].sort());
  const fresh = (await desk.anyone.post('/conversations', { ...STRANGER, email: 'new@home.example' })).must(201);
  assert.deepEqual(Object.keys(fresh.data), Object.keys(known.data), 'the reply does not show whether the address is known');
});

test('a caller who is logged in is the requester, whatever address is given', async (t) => {
  const desk = await open(t);
  const reply = (await desk.customer.post('/conversations', { ...STRANGER, email: 'owner@example.com' })).must(201).notes('name', 'email');
  assert.equal(reply.data.requester.id, desk.people.customer.id);
  assert.equal(await total(desk.owner, '/users'), 5);
  const own = await desk.staff.create('/conversations', { subject: 'S', contents: 'C' });
  assert.deepEqual([own.requester.id, own.creator.id], [desk.people.agent.id, desk.people.agent.id]);
});

test('members that the caller may not set are ignored with a notice', async (t) => {
  const desk = await open(t);
  const c = (await desk.customer.post('/conversations', { subject: 'S', contents: 'C', priority_id: 4, status_id: 5, legacy_id: 'x', assigned_agent_id: 1 })).must(201).notes('priority_id', 'status_id');
  assert.deepEqual([c.data.status.id, c.data.legacy_id, c.data.assigned_agent], [1, null, null]);
});

test('only user_agent and page_url of the metadata are stored', async (t) => {
  const desk = await open(t);
  const metadata = { user_agent: 'Lynx', page_url: 'https://x.example/', Evil: 'x', user: { deep: 1 } };
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C', metadata });
  const [m] = await desk.customer.fetch(`/conversations/${id}/messages`);
  assert.deepEqual(m.metadata, { user_agent: 'Lynx', page_url: 'https://x.example/' });
  (await desk.customer.post('/conversations', { subject: 'S', contents: 'C', metadata: 'nonsense' })).refused(400, 'FIELD_INVALID', 'metadata');
});

test('client_id is returned in the messages', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C', client_id: 'abc-1' });
  assert.equal((await desk.customer.fetch(`/conversations/${id}/messages`))[0].client_id, 'abc-1');
});

test('strangers may write sixty times a minute', async (t) => {
  const desk = await open(t);
  const write = () => desk.anyone.post('/conversations', STRANGER);
  for (let i = 0; i < 60; i++) (await write()).must(201);
  (await write()).refused(429, 'RATE_LIMIT_REACHED');
  (await desk.anyone.at('127.0.0.2').post('/conversations', STRANGER)).must(201);
  (await desk.customer.post('/conversations', { subject: 'S', contents: 'C' })).must(201);
  await desk.clock.forward(61);
  (await write()).must(201);
});

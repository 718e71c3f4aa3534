import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';
import { Socket, stream } from './lib/socket.mjs';

const channel = async (client, path) => (await client.fetch(path, { fields: 'realtime_channel' })).realtime_channel;
const opened = (desk, who = 'customer') => desk[who].create('/conversations', { subject: 'S', contents: 'C' });

test('a member of staff who joined a conversation hears new messages, notes and changes, once each', async (t) => {
  const desk = await open(t);
  const { id } = await opened(desk);
  const socket = await Socket.open(t, desk.staff);
  const topic = await channel(desk.staff, `/cases/${id}`);
  assert.deepEqual(await socket.join(topic), { status: 'ok', response: {} });
  const message = await desk.customer.create(`/conversations/${id}/messages`, { contents: 'Again' });
  const post = await socket.event('NEW_POST');
  assert.deepEqual(post.payload, {
    resource_type: 'post', resource_id: message.id, resource_url: `${desk.base}/api/v1/cases/${id}/messages/${message.id}`,
    customer_resource_url: `${desk.base}/api/v1/conversations/${id}/messages/${message.id}`,
    agent_resource_url: `${desk.base}/api/v1/cases/${id}/messages/${message.id}`, case_id: id, changed_properties: [],
  });
  await desk.admin.update(`/cases/${id}`, { priority_id: 2, subject: 'Better' });
  const change = await socket.event('CHANGE', (p) => p.changed_properties.priority);
  assert.equal(change.payload.resource_type, 'case');
  assert.equal(change.payload.resource_id, id);
  const { updated_at, ...rest } = change.payload.changed_properties;
  assert.deepEqual(rest, { priority: 2, subject: 'Better' });
  assert.ok(Math.abs(updated_at - desk.clock.now / 1000) < 3600 * 24 * 365 * 50 && Number.isInteger(updated_at));
  await desk.admin.create(`/cases/${id}/notes`, { contents: 'Secret' });
  await socket.event('NEW_POST', (p) => p.customer_resource_url === null);
  assert.equal((await socket.all(), socket.events('NEW_POST')).length, 2);
});

test('a customer hears messages and changes of their own conversation, and nothing of notes', async (t) => {
  const desk = await open(t);
  const { id } = await opened(desk);
  const socket = await Socket.open(t, desk.customer, { version: 1 });
  const topic = await channel(desk.customer, `/conversations/${id}`);
  assert.deepEqual(await socket.join(topic), { status: 'ok', response: {} });
  await desk.staff.create(`/cases/${id}/notes`, { contents: 'Secret' });
  await desk.staff.update(`/cases/${id}`, { tags: 'internal' });
  await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Answer' });
  const post = await socket.event('NEW_POST');
  assert.equal(post.payload.resource_url, post.payload.customer_resource_url);
  assert.equal(post.payload.agent_resource_url, null);
  await socket.all();
  assert.equal(socket.events('NEW_POST').length, 1);
  assert.doesNotMatch(JSON.stringify(socket.frames), /notes|tags|internal|Secret/);
});

test('unknown topics and topics of objects that the caller does not see are refused alike', async (t) => {
  const desk = await open(t);
  const { id } = await opened(desk);
  const topic = await channel(desk.staff, `/cases/${id}`);
  const { client: other } = await desk.person('customer');
  const socket = await Socket.open(t, other);
  const refused = { status: 'error', response: { reason: 'unauthorized' } };
  for (const name of [topic, topic.replace(/\d+$/, '99999'), topic.replace('cases', 'teams'), `${topic}0x`, topic.replace(/_(\d+)$/, '_0$1'), 'phoenix', 'x', '', topic.replace(/@.*/, '@v1_inbox')])
    assert.deepEqual(await socket.join(name), refused, name);
  const reply = await other.get('/realtime', { channels: topic });
  const unknown = await other.get('/realtime', { channels: topic.replace(/\d+$/, '99999') });
  assert.deepEqual([reply.status, unknown.status], [400, 400]);
});

test('without credentials, with an unknown version and from a page of another site, no socket opens', async (t) => {
  const desk = await open(t);
  const status = (client, options) => Socket.open(t, client, options).then(() => 101, (e) => e.status);
  assert.equal(await status(desk.anyone), 401);
  assert.equal(await status(desk.staff, { version: 3 }), 400);
  assert.equal(await status(desk.staff, { headers: { Origin: 'https://evil.example' } }), 403);
});

test('/asyncapi.json describes each channel, and its events lead to descriptions of their payloads', async (t) => {
  const desk = await open(t);
  const doc = (await desk.anyone.exchange('GET', '/asyncapi.json')).must(200).body;
  assert.equal(doc.asyncapi, '3.0.0');
  const { realtime_channel } = await desk.staff.fetch('/views/1');
  assert.equal(doc.channels.views.address.replace('{id}', '1'), realtime_channel);
  assert.deepEqual(Object.fromEntries(Object.entries(doc.channels).map(([name, { messages }]) => [name, Object.keys(messages).join()])), {
    cases: 'CHANGE,NEW_POST,CHANGE_POST', users: 'CHANGE,NEW_POST,CHANGE_POST', organizations: 'CHANGE,NEW_POST,CHANGE_POST', views: 'CHANGE', inbox: 'NEW_CASE,CHANGE,NEW_POST,CHANGE_POST',
    comments: 'NEW_POST,CHANGE_POST', notifications: 'CHANGE,NEW_NOTIFICATION', user_presence: '',
  });
  for (const { messages } of Object.values(doc.channels))
    for (const [name, { $ref }] of Object.entries(messages)) assert.equal($ref.split('/').slice(1).reduce((at, key) => at[key], doc).name, name);
  for (const { channel } of Object.values(doc.operations)) assert.ok(doc.channels[channel.$ref.split('/').at(-1)]);
});

test('the count of a view is told after it changes, to those who may see the view', async (t) => {
  const desk = await open(t);
  const { id, realtime_channel } = await desk.staff.fetch('/views/1');
  const socket = await Socket.open(t, desk.staff);
  assert.equal((await socket.join(realtime_channel)).status, 'ok');
  await opened(desk);
  const { payload } = await socket.event('CHANGE', (p) => p.changed_properties.count === 1);
  assert.deepEqual([payload.resource_type, payload.resource_id], ['view', id]);
  assert.equal((await (await Socket.open(t, desk.customer)).join(realtime_channel)).status, 'error');
});

test('a stream that comes back hears what it missed in the order of the changes, whichever channel they concern', async (t) => {
  const desk = await open(t);
  const cases = [await opened(desk), await opened(desk)];
  const channels = cases.map((c) => c.realtime_channel);
  const first = await stream(t, desk.staff, channels);
  const { id } = await first.event('open');
  first.close();
  const made = [];
  for (const n of [0, 1, 0, 1]) made.push((await desk.customer.create(`/conversations/${cases[n].id}/messages`, { contents: 'M' })).id);
  const second = await stream(t, desk.staff, channels, { after: id });
  await second.event('NEW_POST', (p) => p.resource_id === made[3]);
  assert.deepEqual(second.events.filter((e) => e.event === 'NEW_POST').map((e) => e.payload.resource_id), made);
});

// The channel of a person: whether they are online, and when they were last active.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, until } from './lib/index.mjs';
import { Socket } from './lib/socket.mjs';

const presence = async (client, id) => (await client.fetch(`/users/${id}`, { fields: 'presence_channel' })).presence_channel;
const OK = { status: 'ok', response: {} };
const REFUSED = { status: 'error', response: { reason: 'unauthorized' } };

test('a colleague sees a person come, stay active and go, across processes', async (t) => {
  const desk = await open(t);
  const me = desk.people.agent.id;
  const topic = await presence(desk.admin, me);
  const watcher = await Socket.open(t, desk.admin, { version: 1, port: desk.daemons.at(-1).port });
  assert.deepEqual(await watcher.join(topic), OK);
  assert.deepEqual((await watcher.event('presence_state')).payload, {}, 'nobody is online, and the watcher is not present');
  const port = desk.daemons[0].port;
  const first = await Socket.open(t, desk.staff, { port }), second = await Socket.open(t, desk.staff, { port });
  assert.deepEqual(await first.join(topic), OK);
  const come = (await watcher.event('presence_diff', (p) => p.joins[me])).payload;
  assert.equal(come.joins[me].metas[0].user.full_name, 'Agnes Agent');
  assert.deepEqual(come.leaves, {});
  assert.deepEqual(await second.join(topic), OK);
  await until('both tabs', () => watcher.events('presence_diff').length === 2);
  const later = await Socket.open(t, desk.owner);
  await later.join(topic);
  const state = (await later.event('presence_state')).payload;
  assert.deepEqual(Object.keys(state), [`${me}`]);
  assert.equal(state[me].metas.length, 2);
  const at = Math.max(...state[me].metas.map((m) => m.last_active_at)) + 40_000;
  first.send(topic, 'update-presence-meta', { last_active_at: at });
  await watcher.event('presence_diff', (p) => p.joins[me]?.metas[0].last_active_at === at);
  first.ws.close();
  await watcher.event('presence_diff', (p) => p.leaves[me] && !p.joins[me]);
  second.ws.terminate();
  await until('two leaves', () => watcher.events('presence_diff').filter((f) => f.payload.leaves[me] && !f.payload.joins[me]).length === 2);
  const again = await Socket.open(t, desk.owner);
  await again.join(topic);
  assert.deepEqual((await again.event('presence_state')).payload, {});
});

test('only callers who may read the person listen, and a name that the desk did not make is refused', async (t) => {
  const desk = await open(t);
  const topic = await presence(desk.owner, desk.people.agent.id);
  const at = topic.indexOf('@') + 1;
  const own = await presence(desk.owner, desk.people.customer.id);
  const socket = await Socket.open(t, desk.admin);
  const flip = (name, i) => name.slice(0, i) + (name[i] === '0' ? '1' : '0') + name.slice(i + 1);
  for (let i = at; i < topic.length; i += 1) assert.deepEqual(await socket.join(flip(topic, i)), REFUSED, `digit ${i}`);
  for (const name of [topic.slice(0, -1), `${topic}0`, topic.toUpperCase(), topic.replace('user_presence', 'presence'), flip(topic, at - 2), topic.slice(0, at) + own.slice(at, at + 16) + topic.slice(at + 16)]) {
    assert.deepEqual(await socket.join(name), REFUSED, name);
  }
  for (const client of [desk.customer, desk.staff, desk.as('collaborator')]) {
    const listener = await Socket.open(t, client);
    for (const person of [desk.people.agent.id, desk.people.customer.id, desk.people.owner.id]) {
      const reads = (await client.get(`/users/${person}`)).status === 200;
      assert.deepEqual(await listener.join(await presence(desk.owner, person)), reads ? OK : REFUSED, `${person}`);
    }
  }
});

test('one channel is one person: names differ, and do not show the id', async (t) => {
  const desk = await open(t);
  const names = await Promise.all(Object.values(desk.people).map(({ id }) => presence(desk.owner, id)));
  assert.equal(new Set(names).size, names.length);
  const heads = names.map((n) => n.slice(n.indexOf('@') + 1, n.indexOf('@') + 17));
  assert.equal(new Set(heads.map((h) => h.slice(0, 8))).size, heads.length, 'small ids have no common beginning');
});

test('who loses the right to read a person hears no more of them', async (t) => {
  const desk = await open(t);
  const { client, id } = await desk.person('agent');
  const topic = await presence(desk.owner, desk.people.agent.id);
  const socket = await Socket.open(t, client);
  assert.deepEqual(await socket.join(topic), OK);
  (await desk.owner.put(`/users/${id}`, { role_id: desk.people.customer.role?.id ?? 4 })).must(200);
  await Promise.race([socket.event('phx_close'), socket.closed]);
  const staff = await Socket.open(t, desk.staff);
  await staff.join(topic);
  assert.equal(socket.events('presence_diff').length, 0);
});

test('a deleted person closes the channel', async (t) => {
  const desk = await open(t);
  const { id } = await desk.person('agent');
  const socket = await Socket.open(t, desk.admin);
  const topic = await presence(desk.admin, id);
  assert.deepEqual(await socket.join(topic), OK);
  (await desk.owner.delete(`/users/${id}`)).must(200);
  await socket.event('phx_close');
  assert.deepEqual(await socket.join(topic), REFUSED);
});

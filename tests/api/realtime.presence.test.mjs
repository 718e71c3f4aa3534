import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as phoenix from 'phoenix';
import { RawSocket, TEXT, frame } from './lib/frames.mjs';
import { open, until } from './lib/index.mjs';
import { Socket } from './lib/socket.mjs';
import { sql } from './lib/sql.mjs';
import { CLUSTER } from './lib/stores.mjs';

// The people in a conversation, as the library of the clients keeps them: {id: {metas: [...]}}.

const channelOf = async (client, path) => (await client.fetch(path, { fields: 'realtime_channel' })).realtime_channel;

async function world(t, options) {
  const desk = await open(t, options), { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  return { desk, topic: await channelOf(desk.staff, `/cases/${id}`), me: `${desk.people.agent.id}`, other: `${desk.people.admin.id}` };
}

/** Joins, and follows who is there: `people()`. */
async function watch(t, client, topic, options) {
  const socket = await Socket.open(t, client, options);
  assert.equal((await socket.join(topic)).status, 'ok');
  await socket.event('presence_state');
  const people = () => socket.frames.reduce((all, { event, payload }) => (event === 'presence_state' ? phoenix.Presence.syncState(all, payload) : event === 'presence_diff' ? phoenix.Presence.syncDiff(all, payload) : all), {});
  return { socket, people, metas: (id) => people()[id]?.metas ?? [], turns: async () => { await socket.all(); await socket.all(); } };
}

test('typing ends 8 seconds after the last push that said so', async (t) => {
  const { desk, topic, me } = await world(t, { processes: 1 });
  const watcher = await watch(t, desk.admin, topic), typist = await watch(t, desk.staff, topic);
  const typing = () => watcher.metas(me)[0]?.is_typing;
  typist.socket.send(topic, 'update-presence-meta', { is_typing: true });
  await until('typing', typing);
  await desk.clock.forward(6);
  typist.socket.send(topic, 'update-presence-meta', { is_typing: true });
  await typist.turns();
  await desk.clock.forward(7);
  typist.socket.send(topic, 'update-presence-meta', { is_viewing: true }); // does not say so
  await typist.turns();
  await watcher.turns();
  assert.equal(typing(), true);
  await desk.clock.forward(2);
  await until('the end of typing', () => typing() === false);
  typist.socket.send(topic, 'update-presence-meta', { is_typing: true });
  typist.socket.send(topic, 'update-presence-meta', { is_typing: false });
  await until('no typing', () => typing() === false && watcher.socket.events('presence_diff').length === 5);
  await desk.clock.forward(20);
  await watcher.turns();
  assert.equal(watcher.socket.events('presence_diff').length, 5, 'nothing ends twice');
});

test('a socket that only listens is told who is present, and is not present itself', async (t) => {
  const { desk, topic, me, other } = await world(t);
  const socket = await Socket.open(t, desk.admin);
  assert.equal((await socket.join(topic, { present: false })).status, 'ok');
  assert.deepEqual((await socket.event('presence_state')).payload, {});
  const agent = await watch(t, desk.staff, topic);
  assert.deepEqual(Object.keys(agent.people()), [me]);
  assert.deepEqual(Object.keys((await socket.event('presence_diff')).payload.joins), [me]);
  socket.send(topic, 'update-presence-meta', { is_typing: true });
  await socket.all();
  await agent.turns();
  assert.equal(agent.people()[other], undefined);
});

test('a person with three tabs is one person, until the last tab is closed', async (t) => {
  const { desk, topic, me, other } = await world(t);
  const watcher = await watch(t, desk.admin, topic), tabs = [];
  for (let n = 1; n <= 3; n++) {
    tabs.push(await watch(t, desk.staff, topic));
    await until('a tab', () => watcher.metas(me).length === n);
    assert.deepEqual(Object.keys(watcher.people()).sort(), [me, other].sort());
  }
  assert.equal((await watch(t, desk.owner, topic)).metas(me).length, 3, 'also for one who comes later');
  for (let n = 2; n >= 0; n--) {
    tabs.pop().socket.ws.terminate();
    await until('one tab fewer', () => watcher.metas(me).length === n);
    assert.equal(me in watcher.people(), n > 0);
  }
});

test('several changes at once leave one meta, which is the last one, with the listeners of each process', async (t) => {
  const { desk, topic, me } = await world(t), last = (p) => desk.daemons.at(p).port;
  const watchers = await Promise.all(desk.daemons.map(({ port }) => watch(t, desk.admin, topic, { port })));
  const raw = await RawSocket.open(t, desk.staff, { port: last(0) });
  const push = (event, payload) => frame(TEXT, JSON.stringify({ topic, event, payload, ref: '1' }));
  await raw.write(push('phx_join', {}));
  await until('the person', () => watchers.every((w) => w.metas(me).length === 1));
  for (let n = 0; n < 20; n++) {
    const is_viewing = n % 2 === 1;
    await raw.write(push('update-presence-meta', { is_typing: true }), push('update-presence-meta', { is_typing: false, is_updating: true }), push('update-presence-meta', { is_viewing, is_updating: false }));
    await until('the last change', () => watchers.every((w) => w.metas(me).some((m) => m.is_viewing === is_viewing && !m.is_typing && !m.is_updating)));
    for (const w of watchers) assert.equal(w.metas(me).length, 1, JSON.stringify(w.metas(me)));
  }
});

const TOLD = "SELECT COALESCE(MAX(id), 0) FROM outbox WHERE topic = 'presence'";

test('the people of a killed process are gone within 30 seconds; those of the others stay', { skip: !CLUSTER && 'it needs two processes' }, async (t) => {
  const { desk, topic, me, other } = await world(t, { processes: 2 });
  const [first, second] = desk.daemons, watcher = await watch(t, desk.admin, topic, { port: first.port });
  const tabs = [await watch(t, desk.staff, topic, { port: second.port }), await watch(t, desk.owner, topic, { port: second.port }), await watch(t, desk.owner, topic, { port: first.port })];
  const owner = `${desk.people.owner.id}`, seen = () => Object.fromEntries(Object.entries(watcher.people()).map(([id, { metas }]) => [id, metas.length]));
  await until('all', () => watcher.metas(me).length === 1 && watcher.metas(owner).length === 2);
  const renewed = async () => {
    const before = sql(desk, TOLD);
    await desk.clock.forward(12);
    await until('a renewal', () => sql(desk, TOLD) !== before);
    await watcher.turns();
  };
  for (let n = 0; n < 4; n++) await renewed();
  assert.deepEqual(seen(), { [me]: 1, [other]: 1, [owner]: 2 });
  desk.daemons.pop();
  second.child.kill('SIGKILL');
  await second.gone;
  const { now } = desk.clock;
  while (me in watcher.people() || watcher.metas(owner).length > 1) {
    assert.ok(desk.clock.now - now < 30_000, JSON.stringify(seen()));
    await desk.clock.forward(1);
    await watcher.turns();
  }
  assert.deepEqual(seen(), { [other]: 1, [owner]: 1 });
  assert.equal(tabs[2].socket.ws.readyState, 1);
});

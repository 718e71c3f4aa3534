import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RawSocket, TEXT, beat, frame } from './lib/frames.mjs';
import { open, until } from './lib/index.mjs';
import { Socket, stream } from './lib/socket.mjs';

// What one client may use, so that no other is delayed.

const TOPICS = 100, PER_PERSON = 50, PER_ADDRESS = 512;

/** Names of channels of `n` organizations. */
async function channels(desk, n) {
  const made = [];
  for (let i = 0; i < n; i++) made.push(desk.owner.create('/organizations', { name: `O${i}` }));
  const ids = (await Promise.all(made)).map(({ id }) => id);
  const { realtime_channel } = await desk.owner.fetch(`/organizations/${ids[0]}`, { fields: 'realtime_channel' }).catch(() => ({}));
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const { realtime_channel: topic } = await desk.staff.fetch(`/cases/${id}`, { fields: 'realtime_channel' });
  assert.ok(realtime_channel === undefined || realtime_channel === topic.replace(/v1_.*/, `v1_organizations_${ids[0]}`));
  return { ids, id, topic, topics: ids.map((one) => topic.replace(/v1_.*/, `v1_organizations_${one}`)) };
}

test('a socket joins 100 channels; the next is refused until one is left', async (t) => {
  const desk = await open(t), { topics } = await channels(desk, TOPICS + 1);
  const socket = await Socket.open(t, desk.staff);
  for (const topic of topics.slice(0, TOPICS)) socket.joins[topic] = socket.send(topic, 'phx_join');
  await until('all replies', () => socket.events('phx_reply').length === TOPICS);
  assert.ok(socket.events('phx_reply').every((f) => f.payload.status === 'ok'));
  assert.deepEqual(await socket.join(topics[TOPICS]), { status: 'error', response: { reason: 'too many topics' } });
  assert.equal((await socket.join(topics[0])).status, 'ok', 'a channel that is joined again counts once');
  await socket.ask(topics[0], 'phx_leave');
  assert.equal((await socket.join(topics[TOPICS])).status, 'ok');
  const reply = await desk.staff.get('/realtime', { channels: topics.slice(0, 51).join(',') });
  assert.equal(reply.status, 400);
});

test('10,000 joins of 50 sockets are answered, and each socket hears a change once', async (t) => {
  const desk = await open(t), { topics, ids } = await channels(desk, TOPICS);
  const sockets = await Promise.all(Array.from({ length: PER_PERSON }, () => Socket.open(t, desk.staff)));
  const refused = await Socket.open(t, desk.staff).then(() => 101, (error) => error.status);
  if (desk.processes === 1) assert.equal(refused, 429);
  for (const socket of sockets) for (let i = 0; i < 2; i++) for (const topic of topics) socket.send(topic, 'phx_join', {}, undefined, 'j');
  await until('all replies', () => sockets.every((socket) => socket.frames.length >= 2 * TOPICS));
  for (const socket of sockets) assert.ok(socket.frames.every((f) => f.payload.status === 'ok'));
  await desk.owner.update(`/organizations/${ids[7]}`, { name: 'Better' });
  await until('the change', () => sockets.every((socket) => socket.events('CHANGE').length));
  for (const socket of sockets) assert.deepEqual([(await socket.all()).filter((f) => f.event === 'CHANGE').map((f) => f.topic), socket.ws.readyState], [[topics[7]], 1]);
});

test('50 connections of a person, and 512 of an address that is no proxy, are open at once; each that ends makes room', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--proxies', '127.0.0.1'] });
  const from = (address, caller) => RawSocket.open(t, caller, { headers: { 'X-Forwarded-For': address } });
  const visitor = (n) => desk.anyone.with({ 'X-Fingerprint-ID': `0f8fad5b-d9cb-469f-a165-${String(n).padStart(12, '0')}` });
  const person = [];
  while (person.length < PER_PERSON) person.push(await from(`192.0.2.${person.length}`, desk.staff));
  assert.deepEqual(new Set(person.map((raw) => raw.status)), new Set([101]));
  const more = await from('192.0.2.200', desk.staff);
  assert.equal(more.status, 429);
  assert.ok(Number(more.header('Retry-After')) > 0);
  assert.equal((await from('192.0.2.201', desk.admin)).status, 101, 'of another person');
  person[7].tcp.destroy();
  await until('room for one', async () => (await from('192.0.2.202', desk.staff)).status === 101);
  const all = [];
  for (let n = 0; n < PER_ADDRESS; n += 16) all.push(...await Promise.all(Array.from({ length: 16 }, (_, i) => from('198.51.100.7', visitor(n + i)))));
  assert.deepEqual(new Set(all.map((raw) => raw.status)), new Set([101]));
  assert.equal((await from('198.51.100.7', visitor(999))).status, 429);
  assert.equal((await from('198.51.100.8', visitor(999))).status, 101, 'from another address');
  all[100].tcp.destroy();
  await until('room for one', async () => (await from('198.51.100.7', visitor(999))).status === 101);
});

test('a client that sends too many messages, or too many fragments, is closed with 1008', async (t) => {
  const desk = await open(t);
  const fate = async (pieces) => {
    const raw = await RawSocket.open(t, desk.staff);
    await raw.write(Buffer.concat(pieces));
    return (await raw.close()).code;
  };
  assert.equal(await fate(Array.from({ length: 600 }, (_, i) => beat(`${i}`))), 1008);
  const fragments = Array.from({ length: 30_000 }, (_, i) => frame(i ? 0 : TEXT, 'x', { fin: false }));
  assert.equal(await fate(fragments), 1008);
});

/** The code that a socket of staff is closed with which does not read the replies to 15 MB of messages; undefined: it read its close frame too late. */
async function overloaded(t, desk, port, other) {
  const slow = await RawSocket.open(t, desk.staff, { port });
  slow.tcp.pause();
  const long = 'x'.repeat(60_000); // a reference comes back, so 250 of them are more than the buffers of the kernel take
  const sent = slow.write(...Array.from({ length: 250 }, (_, i) => beat(`${i}${long}`)));
  for (let i = 0; i < 20; i++) await other.all();
  await sent;
  slow.tcp.resume();
  return (await slow.close()).code;
}

test('a slow reader is closed with 1013, and others are not delayed', async (t) => {
  const desk = await open(t), port = desk.daemons[0].port;
  const other = await Socket.open(t, desk.admin, { port });
  let code; // the server waits ten seconds for a reader, and a busy machine may take longer to read on
  for (let tries = 0; code === undefined && tries < 8; tries++) code = await overloaded(t, desk, port, other);
  assert.equal(code, 1013);
  await other.all();
});

test('a server that stops closes its sockets with 1012, and ends its streams', async (t) => {
  const desk = await open(t), { topic } = await channels(desk, 1);
  const sockets = await Promise.all(Array.from({ length: 8 }, () => Socket.open(t, desk.staff)));
  const source = await stream(t, desk.admin, [topic]);
  await source.event('open');
  await desk.stop();
  assert.deepEqual((await Promise.all(sockets.map((socket) => socket.closed))).map(({ code }) => code), sockets.map(() => 1012));
  await source.ended;
});

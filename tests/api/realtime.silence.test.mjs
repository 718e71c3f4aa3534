import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PING, PONG, RawSocket, TEXT, beat, frame } from './lib/frames.mjs';
import { open, until } from './lib/index.mjs';
import { Socket, stream } from './lib/socket.mjs';

// Connections on which nothing comes: a peer whose cable was pulled says no good-bye.

const opened = (desk) => desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
const channelOf = async (client, path) => (await client.fetch(path, { fields: 'realtime_channel' })).realtime_channel;
const pings = (raw) => raw.of(PING).length;

test('a silent socket is asked after 30 seconds; one that does not answer is closed after 75, and its person is gone', async (t) => {
  const desk = await open(t, { processes: 1 }), { id } = await opened(desk), topic = await channelOf(desk.staff, `/cases/${id}`);
  const half = await RawSocket.open(t, desk.staff), other = await Socket.open(t, desk.admin), me = `${desk.people.agent.id}`;
  await half.write(frame(TEXT, JSON.stringify({ topic, event: 'phx_join', payload: {}, ref: '1' })));
  await until('the join', () => half.of(TEXT).length);
  await other.join(topic);
  assert.ok((await other.event('presence_state')).payload[me]);
  await desk.clock.forward(29);
  await other.all();
  assert.equal(pings(half), 0);
  await desk.clock.forward(2);
  await until('a question', () => pings(half) === 1);
  await desk.clock.forward(43);
  await other.all();
  assert.deepEqual([half.ended, pings(half)], [false, 1]);
  await desk.clock.forward(2);
  await until('the end', () => half.ended);
  await other.event('presence_diff', (p) => p.leaves[me] && !p.joins[me]);
});

test('a socket that answers, or has a heartbeat, stays for ever', async (t) => {
  const desk = await open(t, { processes: 1 });
  const [answers, beats] = [await RawSocket.open(t, desk.staff), await RawSocket.open(t, desk.staff)];
  for (let n = 1; n <= 5; n++) {
    await desk.clock.forward(20);
    await beats.write(beat(`${n}`));
    await beats.answered(`${n}`);
    await desk.clock.forward(20);
    await until('a question', () => pings(answers) === n);
    await answers.write(frame(PONG, ''));
    await beats.write(beat(`${n}b`));
    await beats.answered(`${n}b`);
    await answers.write(beat(`${n}`));
    await answers.answered(`${n}`);
  }
  assert.equal(pings(beats), 0);
});

test('a stream has a comment every 15 seconds without an event', async (t) => {
  const desk = await open(t, { processes: 1 }), { id } = await opened(desk);
  const source = await stream(t, desk.staff, [await channelOf(desk.staff, `/cases/${id}`)]);
  await source.event('open');
  for (let n = 1; n <= 3; n++) {
    await desk.clock.forward(16);
    await until('a comment', () => source.comments === n);
  }
});

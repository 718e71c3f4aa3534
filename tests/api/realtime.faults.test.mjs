import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventSource } from 'eventsource';
import * as phoenix from 'phoenix';
import WebSocket from 'ws';
import { cutter } from './lib/cutter.mjs';
import { defer, open, until } from './lib/index.mjs';
import { Socket } from './lib/socket.mjs';
import { sql } from './lib/sql.mjs';
import { CLUSTER } from './lib/stores.mjs';

// Faults that users of other desks met: events that are lost at a reconnect, a tab that is dead until it is reloaded, nothing after a restart of the server or of its store.

const opened = (desk) => desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
const say = async (desk, id) => (await desk.customer.create(`/conversations/${id}/messages`, { contents: 'M' })).id;

/** An unmodified client that keeps the cursor of its channel. `posts`: what it heard. */
async function tab(t, desk, port, topic) {
  const session = await desk.session(desk.staff), self = { posts: [], resyncs: 0, joins: 0 };
  const socket = new phoenix.Socket(`ws://127.0.0.1:${port}/socket`, { transport: WebSocket, params: { session_id: session.id, user_agent: 'deskd-tests/1' }, reconnectAfterMs: () => 20, rejoinAfterMs: () => 20 });
  let cursor = '';
  const channel = self.channel = socket.channel(topic, () => ({ after: cursor }));
  channel.on('NEW_POST', (payload) => { self.posts.push(payload.resource_id); cursor = payload.cursor; });
  channel.join().receive('ok', (reply) => { self.joins++; self.resyncs += reply.resync; cursor ||= reply.cursor; });
  socket.connect();
  defer(t, () => { channel.rejoinTimer.reset(); channel.rejoinTimer.scheduleTimeout = () => {}; socket.disconnect(); });
  await until('the join', () => channel.state === 'joined' && cursor);
  return self;
}

/** A browser's stream, which keeps its last id by itself. */
async function source(t, desk, port, topic) {
  const session = await desk.session(desk.staff), self = { posts: [] };
  const events = new EventSource(`http://127.0.0.1:${port}/api/v1/realtime?channels=${encodeURIComponent(topic)}`, { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'X-Session-ID': session.id, 'User-Agent': 'deskd-tests/1' } }) });
  defer(t, () => events.close());
  events.addEventListener('NEW_POST', ({ data }) => self.posts.push(JSON.parse(data).payload.resource_id));
  const ready = new Promise((resolve) => { events.addEventListener('open', ({ data }) => data && resolve()); });
  await ready;
  return self;
}

for (const [how, restart] of [['is stopped', async (desk) => { await desk.stop(); await desk.start(); }], ['is killed', async (desk) => { await desk.kill(); await desk.start(); }]]) {
  test(`a tab that lives while the server ${how} and starts again misses nothing, and hears nothing twice`, async (t) => {
    const desk = await open(t), { id, realtime_channel: topic } = await opened(desk);
    const proxy = await cutter(t, () => desk.daemons[0]?.port ?? 1), page = await tab(t, desk, proxy.port, topic), stream = await source(t, desk, proxy.port, topic), written = [];
    const all = () => until('all posts', () => [page, stream].every(({ posts }) => posts.length >= written.length));
    for (let n = 0; n < 3; n++) {
      for (let i = 0; i < 3; i++) written.push(await say(desk, id));
      if (n) await all();
      await restart(desk);
      for (let i = 0; i < 3; i++) written.push(await say(desk, id)); // the tab may not be back yet
    }
    await all();
    written.push(await say(desk, id));
    await all();
    assert.deepEqual([page.posts, stream.posts, page.resyncs], [written, written, 0]);
  });
}

test('events go on after the store has closed all its connections', { skip: !CLUSTER && 'it needs PostgreSQL' }, async (t) => {
  const desk = await open(t), { id, realtime_channel: topic } = await opened(desk);
  const sockets = await Promise.all(desk.daemons.map(({ port }) => Socket.open(t, desk.staff, { port })));
  for (const socket of sockets) await socket.join(topic, { after: '' });
  desk.expects5xx = true;
  for (let n = 0; n < 3; n++) {
    sql(desk, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
    let post;
    await until('a write', async () => { const reply = await desk.customer.post(`/conversations/${id}/messages`, { contents: 'M' }); post = reply.status === 201 && reply.data.id; return post; });
    for (const socket of sockets) await socket.event('NEW_POST', (p) => p.resource_id === post);
  }
  for (const socket of sockets) assert.equal(socket.ws.readyState, 1);
});

import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import WebSocket from 'ws';
import { cutter } from './lib/cutter.mjs';
import { defer, dice, open, until } from './lib/index.mjs';
import { Socket, stream } from './lib/socket.mjs';

// Connections that break: each event of a channel arrives once, and in order.

// CUT_SECONDS: the time to cut and write, in place of a fixed number of posts (`make test-cuts`).

const WRITERS = 4, EACH = 40, SECONDS = Number(process.env.CUT_SECONDS ?? 0), CUTS = SECONDS ? 1000 : 50;

/** A post as a follower heard it. Ids of notes and of messages are apart. */
const heardPost = (topic, p) => `${topic.endsWith('inbox') ? 'inbox ' : ''}${p.customer_resource_url ? 'message' : 'note'} ${p.resource_id}`;

/** A client of a socket that comes back by its cursor. `posts`: what it heard, in order. */
function bySocket(client, port, topic) {
  const self = { client, posts: [], joins: 0, resyncs: 0, over: false, channels: [topic] };
  let cursor = '';
  const connect = () => {
    if (self.over) return;
    const ws = self.ws = new WebSocket(`ws://127.0.0.1:${port}/socket/websocket?vsn=2.0.0`, { headers: { 'User-Agent': 'deskd-tests/1', ...client.headers } });
    ws.on('open', () => ws.send(JSON.stringify(['1', '1', topic, 'phx_join', { after: cursor }])));
    ws.on('message', (text) => {
      const [, , , event, payload] = JSON.parse(text);
      if (event === 'phx_reply') {
        assert.equal(payload.status, 'ok');
        self.joins++;
        self.resyncs += payload.response.resync;
        if (!cursor) cursor = payload.response.cursor;
      } else if (payload.cursor) {
        cursor = payload.cursor;
        if (event === 'NEW_POST') self.posts.push(heardPost(topic, payload));
      }
    });
    ws.on('error', (error) => { self.errors = error.message; }).on('close', () => setTimeout(connect, 5));
  };
  connect();
  self.end = () => { self.over = true; self.ws.terminate(); };
  return self;
}

/** The same with a stream of some channels and Last-Event-ID. */
function byStream(client, port, ...channels) {
  const self = { client, posts: [], joins: 0, resyncs: 0, over: false, channels };
  let last;
  const connect = () => {
    if (self.over) return;
    let text = '', ended = false;
    const again = () => { if (!ended) setTimeout(connect, 5); ended = true; };
    self.request = http.get({ host: '127.0.0.1', port, path: `/api/v1/realtime?channels=${encodeURIComponent(channels.join())}`, headers: { 'User-Agent': 'deskd-tests/1', ...client.headers, ...(last && { 'Last-Event-ID': last }) } });
    self.request.on('error', (error) => { self.errors = error.message; again(); }).on('close', again).on('response', (response) => {
      response.setEncoding('utf8').on('error', () => {}).on('data', (more) => {
        const blocks = (text + more).split('\n\n');
        text = blocks.pop();
        for (const block of blocks) {
          const { id, event, data } = Object.fromEntries(block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? ['', '']));
          if (id) last = id;
          if (event === 'open') self.joins++;
          if (event === 'resync') self.resyncs++;
          if (event !== 'NEW_POST') continue;
          const { topic, payload } = JSON.parse(data);
          self.posts.push(heardPost(topic, payload));
        }
      });
    });
  };
  connect();
  self.end = () => { self.over = true; self.request.destroy(); };
  return self;
}

test('clients whose connections are cut at random hear each event once and in order, through every process', async (t) => {
  const desk = await open(t), { below } = dice(2026);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const { realtime_channel: topic } = await desk.staff.fetch(`/cases/${id}`, { fields: 'realtime_channel' }), inbox = topic.replace(/v1_.*/, 'v1_inbox');
  const proxy = await cutter(t, () => desk.port); // a client that comes back reaches another process
  const followers = [desk.staff, desk.admin, desk.customer].flatMap((client) => [bySocket(client, proxy.port, topic), bySocket(client, proxy.port, topic), byStream(client, proxy.port, topic)]);
  followers.push(byStream(desk.owner, proxy.port, inbox, topic));
  defer(t, () => followers.forEach((f) => f.end()));
  await until('all to have joined', () => followers.every((f) => f.joins));
  let cuts = 0;
  const cutting = setInterval(() => proxy.cut(() => below(4) === 0 && ++cuts), 60), end = Date.now() + SECONDS * 1000;
  defer(t, () => clearInterval(cutting));
  const written = await Promise.all(Array.from({ length: WRITERS }, async () => {
    const own = [];
    while (SECONDS ? Date.now() < end : own.length < EACH) {
      const kind = below(4) ? 'message' : 'note';
      const made = await (kind === 'note' ? desk.staff.create(`/cases/${id}/notes`, { contents: 'N' }) : desk.owner.create(`/conversations/${id}/messages`, { contents: 'M' }));
      own.push(`${kind} ${(made.post ?? made).id}`);
      if (SECONDS) await new Promise((resolve) => { setTimeout(resolve, below(300)); });
    }
    return own;
  }));
  await until('enough cuts', () => cuts > CUTS);
  clearInterval(cutting);
  const { id: last } = await desk.owner.create(`/conversations/${id}/messages`, { contents: 'Last' });
  const isOver = (f) => f.channels.every((name) => f.posts.includes(heardPost(name, { customer_resource_url: ' ', resource_id: last })));
  await until('the last message at all', () => followers.every(isOver)).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(followers.map((f) => ({ over: isOver(f), posts: f.posts.length, joins: f.joins, resyncs: f.resyncs, errors: f.errors })))}`);
  });
  const all = [...written.flat(), `message ${last}`];
  for (const { client, posts, resyncs, channels } of followers) {
    const may = (post) => client.headers.Authorization !== desk.customer.headers.Authorization || post.startsWith('message');
    assert.equal(resyncs, 0);
    assert.deepEqual(posts.toSorted(), channels.flatMap((name) => all.filter(may).map((post) => (name === inbox ? `inbox ${post}` : post))).sort(), 'each once');
    for (const own of written) assert.deepEqual(posts.filter((post) => own.includes(post)), own.filter(may), 'in order');
  }
  t.diagnostic(`${all.length} posts, ${followers.length} clients, ${cuts} cuts, ${followers.reduce((n, f) => n + f.joins, 0)} joins`);
});

test('a client whose cursor is not of this desk, or too old, is told to read again', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const { realtime_channel: topic } = await desk.staff.fetch(`/cases/${id}`, { fields: 'realtime_channel' });
  const socket = await Socket.open(t, desk.staff);
  const first = await socket.join(topic, { after: '' });
  assert.deepEqual([first.response.resync, typeof first.response.cursor], [false, 'string']);
  const { cursor } = first.response;
  for (const after of ['x', `${cursor}x`, cursor.slice(0, -1), cursor.slice(1)]) assert.equal((await socket.join(topic, { after })).response.resync, true, after);
  assert.equal((await socket.join(topic, { after: cursor })).response.resync, false);
  assert.equal((await desk.staff.get('/realtime', { channels: topic }, { 'Last-Event-ID': 'x' })).status, 400);
});

test('a client that was away for longer than the change log reaches back is told to read again, once', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const { realtime_channel: topic } = await desk.staff.fetch(`/cases/${id}`, { fields: 'realtime_channel' });
  const { cursor } = (await (await Socket.open(t, desk.staff)).join(topic, { after: '' })).response;
  const place = (await desk.owner.get('/changes')).must(200).data.at(-1).cursor;
  for (let n = 0; n < 3; n++) await desk.admin.update(`/cases/${id}`, { priority_id: 1 + n });
  await desk.clock.forward(31 * 24 * 3600);
  await desk.restart(); // a process sweeps when it starts, and then each minute
  await until('old entries are deleted', async () => (await desk.owner.get('/changes', { after: place })).status === 400);
  const socket = await Socket.open(t, desk.staff);
  const back = (await socket.join(topic, { after: cursor })).response;
  assert.equal(back.resync, true);
  assert.equal((await socket.join(topic, { after: back.cursor })).response.resync, false);
  const stale = await stream(t, desk.staff, [topic], { after: cursor });
  await stale.event('resync');
});

test('each id of a stream is the place behind its event: a client that comes back with it gets what followed, and nothing twice', async (t) => {
  const desk = await open(t), cases = [];
  for (let n = 0; n < 2; n++) cases.push(await desk.customer.create('/conversations', { subject: 'S', contents: 'C' }));
  const prefix = cases[0].realtime_channel.replace(/v1_.*/, '');
  // The inbox is named first, and each post is an event of two channels.
  const channels = [`${prefix}v1_inbox`, ...cases.map((c) => c.realtime_channel), `${prefix}v1_users_${desk.people.customer.id}`];
  const first = await stream(t, desk.staff, channels);
  await first.event('open');
  for (let n = 0; n < 4; n++) {
    await desk.customer.create(`/conversations/${cases[n % 2].id}/messages`, { contents: 'M' });
    await desk.admin.update(`/cases/${cases[n % 2].id}`, { priority_id: 1 + n });
    await desk.owner.update(`/users/${desk.people.customer.id}`, { full_name: `N${n}` });
  }
  const { id: last } = await desk.customer.create('/conversations', { subject: 'Last', contents: 'C' });
  await first.event('NEW_CASE', (p) => p.resource_id === last);
  const shown = (events) => events.filter((e) => /^(NEW|CHANGE)/.test(e.event)).map(({ id, event, topic, payload }) => ({ id, event, topic, of: payload.resource_id, payload: JSON.stringify(payload) }));
  await until('the first post of the last conversation', () => shown(first.events).at(-1).event !== 'NEW_CASE');
  const all = shown(first.events);
  assert.equal(new Set(all.map((e) => e.id)).size, all.length, 'each id is another one');
  const twice = all.filter((e, i) => i && e.event === all[i - 1].event && e.of === all[i - 1].of && e.topic !== all[i - 1].topic);
  assert.ok(twice.length >= 8, `${twice.length} events were in two channels`);
  for (let i = 0; i < all.length; i++) {
    const again = await stream(t, desk.staff, channels, { after: all[i].id });
    await again.event('open');
    await until('what followed', () => shown(again.events).length >= all.length - i - 1);
    assert.deepEqual(shown(again.events).map(({ id, payload, ...e }) => e), all.slice(i + 1).map(({ id, payload, ...e }) => e), `behind event ${i}`);
    again.close();
  }
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { EventSource } from 'eventsource';
import * as phoenix18 from 'phoenix';
import WebSocket from 'ws';
import { cutter } from './lib/cutter.mjs';
import { RawSocket, TEXT, beat, frame } from './lib/frames.mjs';
import { defer, open, until } from './lib/index.mjs';
import { Socket } from './lib/socket.mjs';

// Unmodified clients of other makers, and frames as existing clients send them.

const phoenix12 = createRequire(import.meta.url)('phoenix-1.2');
const opened = (desk) => desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
const channelOf = async (client, path) => (await client.fetch(path, { fields: 'realtime_channel' })).realtime_channel;
const say = (desk, id, contents = 'More') => desk.customer.create(`/conversations/${id}/messages`, { contents });

/** Milliseconds before a try. They grow: version 1.2 joins again after each pause, and ignores a reply that comes later. */
const pause = (tries) => [20, 100, 500, 2000][tries - 1] ?? 5000;

/** The presence of each version as {person: metas}. */
const presences = {
  '1.2': (channel) => {
    const found = { people: {} };
    channel.on('presence_state', (state) => { found.people = phoenix12.Presence.syncState(found.people, state); });
    channel.on('presence_diff', (diff) => { found.people = phoenix12.Presence.syncDiff(found.people, diff); });
    return found;
  },
  1.8: (channel) => {
    const presence = new phoenix18.Presence(channel);
    return { get people() { return presence.state; } };
  },
};

for (const [version, library] of [['1.2', phoenix12], ['1.8', phoenix18]]) {
  test(`phoenix ${version} joins, hears posts, changes and people, comes back by itself after a cut, and leaves`, async (t) => {
    const desk = await open(t), { id } = await opened(desk);
    const topic = await channelOf(desk.staff, `/cases/${id}`), inbox = topic.replace(/@.*/, '@v1_inbox');
    const session = await desk.session(desk.staff), proxy = await cutter(t, desk.daemons[0].port);
    const socket = new library.Socket(`ws://127.0.0.1:${proxy.port}/socket`, {
      transport: WebSocket, params: { session_id: session.id, user_agent: 'deskd-tests/1', instance: 'support.example' }, reconnectAfterMs: pause, rejoinAfterMs: pause,
    });
    socket.connect();
    const channels = [];
    defer(t, () => {
      socket.disconnect();
      clearInterval(socket.heartbeatTimer); // 1.2 leaves its timers
      for (const { rejoinTimer } of channels) { rejoinTimer.reset(); rejoinTimer.scheduleTimeout = () => {}; }
    });
    const heard = [], states = [];
    const made = (name) => { channels.push(socket.channel(name, {})); return channels.at(-1); };
    const channel = made(topic);
    for (const event of ['NEW_POST', 'CHANGE_POST', 'CHANGE']) channel.on(event, (payload) => heard.push([event, payload]));
    channel.on('presence_state', (state) => states.push(state));
    const presence = presences[version](channel);
    const replied = (push) => new Promise((resolve) => { push.receive('ok', (r) => resolve(['ok', r])).receive('error', (r) => resolve(['error', r])); });
    assert.deepEqual(await replied(channel.join()), ['ok', {}]);

    const me = `${desk.people.agent.id}`, other = `${desk.people.admin.id}`;
    await until('myself', () => presence.people[me]?.metas.length === 1);
    assert.equal(presence.people[me].metas[0].user.full_name, 'Agnes Agent');
    const admin = await Socket.open(t, desk.admin);
    await admin.join(topic);
    await until('the other person', () => presence.people[other]?.metas.length === 1);
    admin.send(topic, 'update-presence-meta', { is_typing: true, is_viewing: true, last_active_at: desk.clock.now });
    await until('typing', () => presence.people[other]?.metas[0].is_typing === true);
    assert.equal(presence.people[other].metas.length, 1, 'a change replaces the meta');
    channel.push('update-presence-meta', { is_updating: true, is_foreground: false, last_active_at: desk.clock.now / 1000 });
    await admin.event('presence_diff', (p) => p.joins[me]?.metas[0].is_updating && !p.joins[me].metas[0].is_foreground);

    const message = await say(desk, id);
    await until('the message', () => heard.some(([event, p]) => event === 'NEW_POST' && p.resource_id === message.id));
    await desk.admin.update(`/cases/${id}`, { priority_id: 3 });
    await until('the change', () => heard.some(([event, p]) => event === 'CHANGE' && p.changed_properties.priority === 3));
    assert.deepEqual(await admin.ask(topic, 'phx_leave'), { status: 'ok', response: {} });
    await until('the other person to be gone', () => !(other in presence.people));
    assert.deepEqual(Object.keys(presence.people), [me]);

    for (let cuts = 1; cuts <= 2; cuts++) {
      const before = states.length;
      proxy.cut();
      await until('a second join', () => states.length > before && channel.state === 'joined');
      const later = await say(desk, id);
      await until('a message after the cut', () => heard.some(([event, p]) => event === 'NEW_POST' && p.resource_id === later.id));
      assert.equal(heard.filter(([, p]) => p.resource_id === later.id).length, 1);
      await until('one presence', () => presence.people[me]?.metas.length === 1);
    }

    const foreign = made(topic.replace(/\d+$/, '987654'));
    assert.deepEqual(await replied(foreign.join()), ['error', { reason: 'unauthorized' }]);
    foreign.leave();

    const all = made(inbox), news = [];
    all.on('NEW_POST', (p) => news.push(p.resource_id));
    assert.equal((await replied(all.join()))[0], 'ok');
    assert.deepEqual(await replied(channel.leave()), ['ok', {}]);
    const count = heard.length, last = await say(desk, id);
    await until('the message in the other channel', () => news.includes(last.id));
    assert.equal(heard.length, count);
  });
}

test('phoenix 1.8 hears that a channel is closed when its person loses the right', async (t) => {
  const desk = await open(t), { id } = await opened(desk);
  const [{ id: team }, { id: other }] = [await desk.owner.create('/teams', { title: 'T' }), await desk.owner.create('/teams', { title: 'O' })];
  const { client } = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team] });
  await desk.owner.update(`/cases/${id}`, { assigned_team_id: team });
  const session = await desk.session(client);
  const socket = new phoenix18.Socket(`ws://127.0.0.1:${desk.port}/socket`, { transport: WebSocket, params: { session_id: session.id, user_agent: 'deskd-tests/1' } });
  socket.connect();
  defer(t, () => { socket.disconnect(); });
  const channel = socket.channel(await channelOf(client, `/cases/${id}`), {});
  await new Promise((resolve) => { channel.join().receive('ok', resolve); });
  const closed = new Promise((resolve) => { channel.onClose(resolve); });
  await desk.owner.update(`/cases/${id}`, { assigned_team_id: other });
  await closed;
  assert.equal(channel.state, 'closed');
});

test('an EventSource follows a channel, and after a cut gets what it missed by its last id, once and in order', async (t) => {
  const desk = await open(t), { id } = await opened(desk);
  const topic = await channelOf(desk.staff, `/cases/${id}`), proxy = await cutter(t, desk.daemons[0].port);
  const asked = [], heard = [];
  const source = new EventSource(`http://127.0.0.1:${proxy.port}/api/v1/realtime?channels=${encodeURIComponent(topic)}`, {
    fetch: (url, init) => { asked.push(init.headers['Last-Event-ID']); return fetch(url, { ...init, headers: { ...init.headers, ...desk.staff.headers } }); },
  });
  defer(t, () => source.close());
  let opens = 0;
  source.addEventListener('open', () => opens++);
  const ready = new Promise((resolve) => { source.addEventListener('open', ({ data }) => data && resolve()); });
  source.addEventListener('NEW_POST', ({ data, lastEventId }) => heard.push({ ...JSON.parse(data), lastEventId }));
  await ready;
  const written = [(await say(desk, id)).id];
  await until('the first message', () => heard.length === 1);
  proxy.cut();
  for (let i = 0; i < 5; i++) written.push((await say(desk, id)).id);
  await until('all messages', () => heard.length >= written.length);
  written.push((await say(desk, id)).id);
  await until('the last message', () => heard.some((e) => e.payload.resource_id === written.at(-1)));
  assert.deepEqual(heard.map((e) => e.payload.resource_id), written);
  assert.ok(heard.every((e) => e.topic === topic && e.lastEventId));
  assert.equal(asked[0], undefined);
  assert.equal(asked.at(-1), heard[0].lastEventId);
});

const PYTHON = `
import http.client, json, sys
port, path, authorization = sys.argv[1:]
last = None
for turn in range(2):
    server = http.client.HTTPConnection('127.0.0.1', int(port), timeout=120)
    headers = {'Authorization': authorization, 'User-Agent': 'python', 'Accept': 'text/event-stream'}
    if last:
        headers['Last-Event-ID'] = last
    server.request('GET', path, headers=headers)
    reply = server.getresponse()
    assert reply.status == 200 and reply.getheader('Content-Type').startswith('text/event-stream'), reply.status
    event, posts = {}, 0
    for line in reply:
        name, _, value = line.decode('utf-8').rstrip('\\n').partition(': ')
        if name in ('id', 'event', 'data'):
            event[name] = value
        elif not name and event:
            last = event.get('id', last)
            print(json.dumps([event['event'], json.loads(event['data'])['payload'].get('resource_id')]), flush=True)
            posts += event['event'] == 'NEW_POST'
            event = {}
        if posts == 1 + turn:
            break
    server.close()
    sys.stdin.readline()
`;

test('a Python program with the standard library alone follows a channel and comes back', async (t) => {
  const desk = await open(t), { id } = await opened(desk);
  const topic = await channelOf(desk.staff, `/cases/${id}`);
  const child = spawn('python3', ['-c', PYTHON, `${desk.port}`, `/api/v1/realtime?channels=${encodeURIComponent(topic)}`, desk.staff.headers.Authorization], { stdio: ['pipe', 'pipe', 'inherit'] });
  defer(t, () => child.kill());
  const said = [];
  createInterface(child.stdout).on('line', (line) => said.push(JSON.parse(line)));
  await until('the stream', () => said.some(([event]) => event === 'open'));
  const written = [(await say(desk, id)).id];
  await until('the first message', () => said.some(([event]) => event === 'NEW_POST'));
  for (let i = 0; i < 2; i++) written.push((await say(desk, id)).id);
  const ended = new Promise((resolve) => { child.on('close', resolve); });
  child.stdin.write('\n\n');
  assert.equal(await ended, 0);
  assert.deepEqual(said.filter(([event]) => event === 'NEW_POST').map(([, post]) => post), written);
});

// ---- frames of existing clients (version 1.0.0) ----

/** Compares a frame with an expected one, in which '*' stands for any value that is not undefined. */
const fits = (expected, got) => expected === '*' ? got !== undefined
  : expected === null || typeof expected !== 'object' ? expected === got
    : got !== null && typeof got === 'object' && Object.keys(expected).length === Object.keys(got).length && Object.keys(expected).every((name) => fits(expected[name], got[name]));

test('the frames of existing clients pass as they are', async (t) => {
  const desk = await open(t), { id } = await opened(desk), at = desk.clock.now - 60_000;
  const topic = await channelOf(desk.staff, `/cases/${id}`), session = await desk.session(desk.staff);
  const raw = await RawSocket.open(t, desk.anyone, { line: `GET /socket/websocket?vsn=1.0.0&session_id=${session.id}&user_agent=deskd-tests%2F1&instance=support.example HTTP/1.1` });
  assert.equal(raw.status, 101);
  const got = () => raw.of(TEXT).map(({ payload }) => JSON.parse(payload));
  const values = { topic, id, me: desk.people.agent.id, api: `${desk.base}/api/v1` }, numbers = { at, earlier: at - 9500, earlier_in_seconds: (at - 9500) / 1000 };
  const filled = (text) => text.replace(/"\{(\w+)\}"/g, (whole, name) => numbers[name] ?? whole).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  for (const line of readFileSync(new URL('fixtures/realtime-1.0.0.txt', import.meta.url), 'utf8').trim().split('\n')) {
    const text = filled(line.slice(2));
    if (line.startsWith('>')) await raw.write(frame(TEXT, text));
    if (line.startsWith('<')) await until(`a frame like ${text} among ${JSON.stringify(got(), null, 1)}`, () => got().some((f) => fits(JSON.parse(text), f)));
    if (line.startsWith('!')) {
      values.message = (await say(desk, id)).id;
      await desk.admin.update(`/cases/${id}`, { priority_id: 3 });
    }
  }
  const replies = got().filter((f) => f.event === 'phx_reply').map((f) => f.ref);
  assert.deepEqual(replies, ['1', '2', 3, '9', '10', '11'], 'events that are not known have no reply');
});

test('a reference comes back as it came: numbers, texts, or none', async (t) => {
  const desk = await open(t);
  const raw = await RawSocket.open(t, desk.staff);
  for (const ref of ['1', '0', '-7', '1.50', '1e3', '123456789012345678901234567890', '"a"', '""', '"1"', '"\\u0000\\"é"', 'null']) {
    const before = raw.of(TEXT).length;
    await raw.write(frame(TEXT, `{"topic":"phoenix","event":"heartbeat","payload":{},"ref":${ref}}`));
    await until(`a reply to ${ref}`, () => raw.of(TEXT).length > before);
    const [, back] = /"ref":(.*)\}$/.exec(raw.of(TEXT).at(-1).payload.toString());
    if (ref.startsWith('"')) assert.equal(JSON.parse(back), JSON.parse(ref));
    else assert.equal(back, ref);
  }
  await raw.write(frame(TEXT, '{"event":"heartbeat","topic":"phoenix"}'), beat('end'));
  await raw.answered('end');
  assert.equal(raw.refs.at(-2), null);
});

test('with version 2.0.0 replies and events have the reference of the join', async (t) => {
  const desk = await open(t), { id } = await opened(desk);
  const topic = await channelOf(desk.staff, `/cases/${id}`);
  const raw = await RawSocket.open(t, desk.staff, { line: 'GET /socket/websocket?vsn=2.0.0 HTTP/1.1' });
  const got = () => raw.of(TEXT).map(({ payload }) => JSON.parse(payload));
  await raw.write(frame(TEXT, JSON.stringify(['j1', 'r1', topic, 'phx_join', {}])));
  await until('a reply', () => got().some((f) => f[1] === 'r1'));
  assert.deepEqual(got()[0], ['j1', 'r1', topic, 'phx_reply', { status: 'ok', response: {} }]);
  await say(desk, id);
  await until('the message', () => got().some((f) => f[3] === 'NEW_POST'));
  assert.deepEqual(got().find((f) => f[3] === 'NEW_POST').slice(0, 3), ['j1', null, topic]);
  await raw.write(frame(TEXT, JSON.stringify([null, 'h', 'phoenix', 'heartbeat', {}])));
  await until('a heartbeat', () => got().some((f) => f[1] === 'h'));
  assert.deepEqual(got().at(-1), [null, 'h', 'phoenix', 'phx_reply', { status: 'ok', response: {} }]);
});

test('a visitor with a fingerprint follows the own conversation, by the argument of existing clients', async (t) => {
  const desk = await open(t), fingerprint = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const visitor = desk.anyone.with({ 'X-Fingerprint-ID': fingerprint });
  const { id } = await visitor.create('/conversations', { name: 'V', email: 'v@example.net', subject: 'S', contents: 'C' });
  const topic = await channelOf(visitor, `/conversations/${id}`);
  const socket = await Socket.open(t, desk.anyone, { version: 1, query: `&fingerprint_id=${fingerprint}&user_agent=deskd-tests%2F1` });
  assert.deepEqual(await socket.join(topic), { status: 'ok', response: {} });
  await desk.staff.create(`/cases/${id}/notes`, { contents: 'Secret' });
  const { id: answer } = await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Answer' });
  await socket.event('NEW_POST', (p) => p.resource_id === answer);
  assert.equal(socket.events('NEW_POST').length, 1);
  const other = await Socket.open(t, desk.anyone, { version: 1, query: '&fingerprint_id=0f8fad5b-d9cb-469f-a165-70867728950f' });
  assert.equal((await other.join(topic)).status, 'error');
});

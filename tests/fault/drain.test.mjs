import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { open, statusOf } from '../api/lib/index.mjs';

/** Sends the head of a POST. The body waits until `finish` is called. */
function underWay(desk, title) {
  const body = JSON.stringify({ title });
  const socket = net.connect(desk.port, '127.0.0.1');
  let text = '';
  const started = new Promise((resolve, reject) => {
    socket.on('data', (chunk) => { text += chunk; if (text.startsWith('HTTP/1.1 100')) resolve(); });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed before 100 Continue: ${text}`)));
  });
  const answered = new Promise((resolve) => socket.on('close', () => resolve(text.slice(text.indexOf('\r\n\r\n') + 4))));
  socket.write(`POST /api/v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: ${desk.owner.headers.Authorization}\r\nContent-Type: application/json\r\n`
    + `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`);
  return { started, finish: () => { socket.write(body); return answered; } };
}

const refusesConnections = (port) => new Promise((resolve) => {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('connect', () => { socket.destroy(); resolve(false); });
  socket.on('error', () => resolve(true));
});

test('SIGTERM: replies to running requests arrive, then the daemon exits with 0', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  const requests = Array.from({ length: 20 }, (_, i) => underWay(desk, `Under way ${i}`));
  await Promise.all(requests.map((r) => r.started));
  const port = desk.port;
  const gone = desk.stop();
  const answers = await Promise.all(requests.map((r) => r.finish()));
  for (const answer of answers) {
    assert.equal(statusOf(answer), 201, answer);
    assert.ok(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).data.id);
  }
  await gone;
  assert.ok(await refusesConnections(port));
  await desk.start();
  assert.equal((await desk.owner.get('/teams')).must(200).body.total_count, 20);
});

test('SIGTERM under load: no reply is cut, and every acknowledged write is stored', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  const acknowledged = [];
  let ending;
  const worker = async (n) => {
    for (let i = 0; !ending; i++) {
      try {
        const { id } = await desk.owner.create('/teams', { title: `${n} ${i}` });
        acknowledged.push(id);
      } catch (error) {
        // A kept-alive connection may close before its next request is read. A reply that began must be complete.
        if (!ending || !['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(error.code)) throw error;
      }
      if (acknowledged.length >= 300) ending ??= terminate(desk);
    }
  };
  await Promise.all(Array.from({ length: 32 }, (_, n) => worker(n)));
  await ending;
  await desk.start();
  const stored = new Set();
  for (let offset = 0; offset < 2000; offset += 1000) for (const id of (await desk.owner.get('/teams', { limit: 1000, offset })).must(200).ids) stored.add(id);
  assert.deepEqual(acknowledged.filter((id) => !stored.has(id)), []);
});

/** Sends SIGTERM and keeps our connections open. */
async function terminate(desk) {
  desk.child.kill('SIGTERM');
  const end = await desk.ended();
  desk.agent.destroy();
  assert.deepEqual(end, { code: 0, signal: null }, desk.log.slice(-2000));
}

test('idle connections do not delay the end of the daemon', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  const idle = await Promise.all(Array.from({ length: 50 }, () => new Promise((resolve) => {
    const socket = net.connect(desk.port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => {});
  })));
  const started = Date.now();
  await terminate(desk);
  assert.ok(Date.now() - started < 10_000, 'the daemon waited for the idle connections');
  for (const socket of idle) socket.destroy();
});

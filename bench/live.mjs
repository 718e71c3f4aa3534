// Realtime under load: (1) the memory of an idle connection, (2) the time from COMMIT to its listeners while other conversations are written, with and without clients that read
// nothing, (3) the CPU of the writer thread for a post with and without listeners. The writers, the listeners and the server are processes of their own.
//
//     node bench/live.mjs [BINARY]      BENCH_IDLE (10000), BENCH_LISTENERS (1000), BENCH_OTHERS (500) other writes a second, BENCH_SLOW (500), BENCH_SECONDS (20), BENCH_POSTS (500) for the CPU
import { execFileSync, fork, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const now = () => performance.timeOrigin + performance.now(), pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });

/** One request: {status, data, sent, replied}, with times in ms. */
const call = (port, headers, method, path, body) => new Promise((resolve, reject) => {
  const sent = now(), request = http.request({ agent, host: '127.0.0.1', port, method, path: `/api/v1${path}`, headers: { 'User-Agent': 'bench', ...headers, ...(body && { 'Content-Type': 'application/json' }) } }, (reply) => {
    const replied = now(), chunks = [];
    reply.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve({ status: reply.statusCode, sent, replied, data: JSON.parse(Buffer.concat(chunks)).data }));
  });
  request.on('error', reject).end(body && JSON.stringify(body));
});

/** A socket, or with a topic a stream of its events: 1,000 sockets of one conversation would tell each other who is there. */
function connect(port, fingerprint, topic, heard) {
  const path = topic ? `/api/v1/realtime?channels=${encodeURIComponent(topic)}&_fingerprint_id=${fingerprint}` : `/socket/websocket?vsn=2.0.0&fingerprint_id=${fingerprint}`;
  const upgrade = topic ? '' : 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: d\r\nUser-Agent: bench\r\n${upgrade}\r\n`));
    socket.once('data', (bytes) => (/^HTTP\/1.1 (101|200)/.test(bytes.toString('latin1')) ? resolve(socket) : reject(new Error(bytes.toString().slice(0, 300)))));
    socket.on('data', (bytes) => heard(bytes, socket)).on('error', reject);
  });
}

// ---- the other processes ----

const roles = {
  /** Opens `n` streams of `topic`, or idle sockets. Sends the time of each event by the id of its post. */
  async listen({ port, n, fingerprint, topic }) {
    let joined = 0, told = [];
    const heard = (bytes, socket) => {
      const at = now(), text = (socket.rest ?? '') + bytes.toString('latin1');
      let end = 0;
      for (const { 0: found, 1: event, 2: id, index } of text.matchAll(/event: (open)|"resource_type":"post","resource_id":(\d+),/g)) {
        end = index + found.length;
        if (event) joined++;
        else if (told.push({ id: Number(id), at }) === 1) setImmediate(() => { process.send(told); told = []; });
      }
      socket.rest = text.slice(end);
    };
    for (let i = 0; i < n; i += 50) await Promise.all(Array.from({ length: Math.min(50, n - i) }, () => connect(port, topic ? fingerprint : randomUUID(), topic, heard)));
    while (topic && joined < n) await pause(10);
    process.send('ready');
  },

  /** `rate` writes a second to other conversations. */
  async write({ port, headers, ids, rate }) {
    process.send('ready');
    const begun = now();
    let due = 0, done = 0, open = 0;
    setInterval(() => {
      for (; due < (now() - begun) / 1000 * rate && open < 64; due++, open++)
        call(port, headers, 'POST', `/conversations/${ids[due % ids.length]}/messages`, { contents: 'Other' }).then(({ status }) => { open--; done += status === 201; });
      process.send({ done, seconds: (now() - begun) / 1000 });
    }, 5);
  },
};

if (process.argv[2] === '--role') {
  process.on('disconnect', () => process.exit());
  await roles[process.argv[3]](JSON.parse(process.argv[4]));
  await new Promise(() => {});
}

// ---- the measurements ----

const { Server, binary } = await import('./servers.mjs');
const given = (name, usual) => Number(process.env[`BENCH_${name}`] ?? usual);
const idle = given('IDLE', 10_000), listeners = given('LISTENERS', 1000), others = given('OTHERS', 500), slow = given('SLOW', 500), seconds = given('SECONDS', 20), posts = given('POSTS', 500);
const command = process.argv[2] ?? binary, password = 'a long enough password', data = mkdtempSync(join(tmpdir(), 'deskd-live-')), passwordFile = join(data, 'password');
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
execFileSync(command, ['demo', '--data', data, '--conversations', '200', '--password-file', passwordFile], { stdio: 'ignore' });
const server = await Server.start(command, ['serve', '--data', data, '--listen', '127.0.0.1:0', '--log-level', 'error', '--public-writes', '0'], /listening on .*:(\d+)$/m);
const { port, pid } = server;
const staff = { Authorization: `Basic ${Buffer.from(`owner@example.com:${password}`).toString('base64')}`, 'X-CSRF': 'false' };

const children = [];
process.on('exit', () => children.forEach((child) => child.kill()));
async function start(role, options, heard = () => {}) {
  const child = fork(fileURLToPath(import.meta.url), ['--role', role, JSON.stringify({ port, ...options })]);
  children.push(child);
  await new Promise((resolve) => child.on('message', (message) => (message === 'ready' ? resolve() : heard(message))));
  return { end: () => { child.kill(); return new Promise((resolve) => child.on('exit', resolve)); } };
}

const anonymous = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
if (idle) {
  const before = anonymous(), crowd = await start('listen', { n: idle });
  console.log(`${idle} idle connections: ${((anonymous() - before) / idle).toFixed(2)} KiB of anonymous memory each`);
  await crowd.end();
}

const fingerprint = randomUUID();
const opened = async () => (await call(port, { 'X-Fingerprint-ID': fingerprint }, 'POST', '/conversations', { subject: 'Bench', contents: 'Bench', name: 'Bench', email: 'bench@example.com' })).data;
const { id, realtime_channel: topic } = await opened(), rest = [];
while (rest.length < 20) rest.push(await opened());
const ids = rest.map((one) => one.id);
const post = () => call(port, staff, 'POST', `/conversations/${id}/messages`, { contents: 'Post' });

/** Posts twice a second: [the time of each receipt after the reply to its write, after its request]. */
async function measure(what, arrivals) {
  const replies = new Map();
  arrivals.length = 0;
  for (const end = now() + seconds * 1000; now() < end; await pause(500)) {
    const { status, data: { id: made }, sent, replied } = await post();
    if (status !== 201) throw new Error(`${status}`);
    replies.set(made, { sent, replied });
  }
  for (const end = now() + 30_000; arrivals.length < replies.size * listeners && now() < end;) await pause(50);
  const ends = ['sent', 'replied'].map((since) => arrivals.map((a) => a.at - replies.get(a.id)[since]).sort((x, y) => x - y));
  const [request, reply] = ends.map((waits) => [0.5, 0.99, 1].map((part) => waits[Math.min(waits.length - 1, Math.floor(waits.length * part))].toFixed(1)).join(' / '));
  console.log(`${what}: ${arrivals.length} receipts, median / p99 / last in ms: ${reply} after the reply, ${request} after the request (load ${loadavg()[0].toFixed(1)})`);
}

const arrivals = [];
if (listeners && seconds) {
  const crowd = await start('listen', { n: listeners, fingerprint, topic }, (told) => arrivals.push(...told));
  await measure(`${listeners} listeners`, arrivals);
  let written = {};
  const writing = await start('write', { headers: staff, ids, rate: others }, (message) => { written = message; });
  const from = { ...written };
  await measure(`with ${others} other writes a second`, arrivals);
  console.log(`  ${((written.done - (from.done ?? 0)) / (written.seconds - (from.seconds ?? 0))).toFixed(0)} other writes a second were done`);
  if (slow) {
    const readers = spawn('python3', [join(dirname(fileURLToPath(import.meta.url)), 'slow_readers.py'), port, fingerprint, rest.map((one) => one.realtime_channel).join(), slow], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(readers);
    await new Promise((resolve) => { readers.stdout.once('data', resolve); });
    await measure(`with ${slow} clients of these that read nothing, too`, arrivals);
    readers.kill();
  }
  await writing.end();
  await crowd.end();
}

// The writer is the thread that used most CPU for posts of one client at a time, beside the event loops and the hub: those are told apart by what they use without posts.
const threads = () => Object.fromEntries(readdirSync(`/proc/${pid}/task`).map((tid) => [tid, Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ')[0])]));
if (posts) {
  const cost = async (n) => {
    const before = threads();
    for (let i = 0; i < n; i++) await post();
    return Object.fromEntries(Object.entries(threads()).map(([tid, ns]) => [tid, (ns - (before[tid] ?? ns)) / n / 1000]));
  };
  await cost(posts / 5);
  const rows = [];
  for (const n of [0, listeners, 0, listeners]) {
    const crowd = n && await start('listen', { n, fingerprint, topic });
    rows.push([n, await cost(posts)]);
    if (crowd) await crowd.end();
  }
  const tids = Object.keys(rows[0][1]).filter((tid) => rows.some(([, used]) => used[tid] > 5));
  console.log(`CPU of a post by thread, in us: ${tids.join(', ')}`);
  for (const [n, used] of rows) console.log(`  ${n} listeners: ${tids.map((tid) => (used[tid] ?? 0).toFixed(1)).join(', ')}`);
}
children.forEach((child) => child.kill());
await server.stop();
process.exit(0);

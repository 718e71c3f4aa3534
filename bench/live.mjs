// Realtime under load: what an idle connection costs, and how long an event takes from the request of its write to its listeners.
// Usage: node bench/live.mjs PORT PID OWNER:PASSWORD [IDLE [LISTENERS [SECONDS]]]
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';

const [port, pid, login, idle = '10000', listeners = '1000', seconds = '10'] = process.argv.slice(2);
const basic = `Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`;
const anonymous = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
const api = async (method, path, body) => (await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { method, headers: { authorization: basic.slice(15, -2), 'content-type': 'application/json', 'x-csrf': 'false' }, body: body && JSON.stringify(body) })).json();

/** A masked text frame. */
function frame(text) {
  const bytes = Buffer.from(text), head = bytes.length < 126 ? Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]) : Buffer.from([0x81, 0xfe, bytes.length >> 8, bytes.length & 255, 0, 0, 0, 0]);
  return Buffer.concat([head, bytes]);
}

function open(headers, query, heard) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(`GET /socket/websocket?vsn=2.0.0${query} HTTP/1.1\r\nHost: d\r\nUser-Agent: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`));
    socket.once('data', (bytes) => (bytes.toString().startsWith('HTTP/1.1 101') ? resolve(socket) : reject(new Error(bytes.toString().slice(0, 300)))));
    socket.on('data', heard).on('error', reject);
  });
}

const before = anonymous(), sockets = [];
for (let n = 0; n < Number(idle); n += 100) sockets.push(...(await Promise.all(Array.from({ length: Math.min(100, Number(idle) - n) }, () => open('', `&fingerprint_id=${randomUUID()}`, () => {})))));
console.log(`${idle} idle connections: ${((anonymous() - before) / Number(idle)).toFixed(2)} KiB of anonymous memory each`);
for (const socket of sockets) socket.destroy();

// A visitor's conversation, and LISTENERS sockets of the visitor: one caller, so that no limit of a person applies.
const fingerprint = randomUUID(), more = { 'x-fingerprint-id': fingerprint };
const { data: { id, realtime_channel: topic } } = await (await fetch(`http://127.0.0.1:${port}/api/v1/conversations`, { method: 'POST', headers: { ...more, 'content-type': 'application/json' }, body: JSON.stringify({ subject: 'Bench', contents: 'Bench', name: 'Bench', email: 'bench@example.com' }) })).json();
const waits = [];
let sentAt = 0, joined = 0;
const heard = (bytes) => {
  const text = bytes.toString('latin1');
  if (text.includes('phx_reply')) joined++;
  for (const _ of text.matchAll(/NEW_POST/g)) waits.push(performance.now() - sentAt);
};
const join = frame(JSON.stringify(['1', '1', topic, 'phx_join', {}]));
for (let n = 0; n < Number(listeners); n++) (await open('', `&fingerprint_id=${fingerprint}`, heard)).write(join);
while (joined < Number(listeners)) await new Promise((resolve) => setTimeout(resolve, 10));
for (let n = 0; n < 2 * Number(seconds); n++) {
  sentAt = performance.now(); // before the write: an event may come before its reply
  const { status } = await api('POST', `/cases/${id}/reply`, { contents: `Post ${n}` });
  if (status !== 201) throw new Error(`${status}`);
  await new Promise((resolve) => setTimeout(resolve, 500));
}
waits.sort((x, y) => x - y);
const at = (part) => waits[Math.min(waits.length - 1, Math.floor(waits.length * part))]?.toFixed(1);
console.log(`${listeners} listeners, ${2 * Number(seconds)} posts: ${waits.length} events, ms after the request of the write: median ${at(0.5)}, p99 ${at(0.99)}, last ${at(1)}`);
process.exit(0);

// The cost of clients that don't read their replies.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { defer, open, until } from './lib/index.mjs';

const MIB = 1024 * 1024;
const LONG = 'x'.repeat(500_000);

async function world(t) {
  const desk = await open(t, { processes: 1 });
  const { id } = await desk.customer.create('/conversations', { subject: 'Long', contents: LONG });
  const path = `/conversations/${id}/messages`;
  for (let i = 1; i < 40; i++) await desk.customer.create(path, { contents: LONG });
  const anonymous = () => Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${desk.child.pid}/status`, 'utf8'))[1]) * 1024;

  /** Sends a request and reads only the head of the reply: {status, socket}. */
  const stall = (client, query = 'limit=1000') => new Promise((resolve, reject) => {
    const socket = net.connect({ port: desk.port, host: '127.0.0.1' });
    defer(t, () => socket.destroy());
    socket.on('error', reject);
    socket.once('data', (head) => {
      socket.pause();
      resolve({ status: Number(head.toString('latin1').slice(9, 12)), socket });
    });
    const headers = Object.entries(client.headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`GET /api/v1${path}?${query} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  });
  return { desk, path, anonymous, stall };
}

test('six slow readers of long messages hold little more than their six pages', async (t) => {
  const { desk, path, anonymous, stall } = await world(t);
  const page = (await desk.staff.get(path, { limit: 1000 })).must(200);
  const before = anonymous();
  const readers = [];
  for (let i = 0; i < 6; i++) readers.push(await stall(desk.staff));
  assert.deepEqual(readers.map(({ status }) => status), Array(6).fill(200));
  const held = anonymous() - before;
  assert.ok(held < 6 * page.bytes.length + 8 * MIB, `six readers of ${page.bytes.length} bytes hold ${held} bytes`);
  readers.forEach(({ socket }) => socket.destroy());
  await until('the memory to go back to the system', () => anonymous() - before < 8 * MIB || undefined);
});

test('unread replies of one person are limited, and other people are not affected', async (t) => {
  const { desk, path, stall } = await world(t);
  desk.expects5xx = true;
  const readers = [];
  for (let i = 0; i < 12; i++) readers.push(await stall(desk.staff));
  const served = readers.filter(({ status }) => status === 200).length;
  assert.deepEqual([...new Set(readers.map(({ status }) => status))], [200, 503]);
  assert.ok(served >= 7 && served <= 9, `${served} pages of 4 MB are held`);
  const refused = await desk.staff.get(path, { limit: 1000 });
  refused.refused(503, 'SERVICE_UNAVAILABLE');
  assert.match(refused.body.errors[0].message, /wait to be read/);
  assert.equal(refused.headers['retry-after'], '1');
  assert.equal((await desk.staff.get(path, { limit: 1000, fields: 'id' })).must(200).data.length, 40, 'small replies are still served');
  assert.equal((await desk.staff.head(path, { limit: 1000 })).status, 200, 'HEAD holds nothing');
  (await desk.staff.post(path, { contents: LONG })).must(201); // an executed write is never answered with 503
  (await desk.customer.get(path, { limit: 1000 })).must(200);
  readers.filter(({ status }) => status === 200).forEach(({ socket }) => socket.destroy());
  await until('the person to be served again', async () => (await desk.staff.get(path, { limit: 1000 })).status === 200 || undefined);
});

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { databaseUrl, demo, until } from '../api/lib/index.mjs';
import { connection, untilLocked } from './lib.mjs';

const refuses = (port) => new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1', () => { socket.destroy(); resolve(false); });
  socket.on('error', () => resolve(true));
});

test('a stream that waits for the database while the server stops is closed, and the server ends', async (t) => {
  const desk = await demo(t, { processes: 1 });
  const { realtime_channel } = await desk.staff.fetch('/views/1', { fields: 'realtime_channel' });
  const lock = connection(t, databaseUrl(desk.dir)), { port } = desk;
  await lock.say('BEGIN; LOCK TABLE views IN ACCESS EXCLUSIVE MODE');
  const asked = desk.staff.exchange('GET', '/api/v1/realtime', { query: { channels: realtime_channel }, port }).then(() => {}, (error) => error.code);
  await untilLocked(databaseUrl(desk.dir), 1);
  desk.child.kill('SIGTERM');
  await until('the server to take no more connections', () => refuses(port)); // realtime has stopped before
  await lock.say('COMMIT');
  assert.equal(await asked, 'ECONNRESET');
  assert.deepEqual(await desk.ended(), { code: 0, signal: null });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { databaseUrl } from './lib/desk.mjs';
import { defer, open, until } from './lib/index.mjs';
import { Socket } from './lib/socket.mjs';
import { CLUSTER } from './lib/stores.mjs';

// Counts of views: told after they change, and never waited for.

const channelOf = async (client, path) => (await client.fetch(path, { fields: 'realtime_channel' })).realtime_channel;
const opened = (desk) => desk.customer.create('/conversations', { subject: 'S', contents: 'C' });

/** Joins the channel of a view of its own, which counts conversations with a subject. */
async function counted(t, desk, subject) {
  const conditions = (value) => ({ predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value }] }] });
  const { id } = await desk.admin.create('/views', { title: 'V', visibility_type: 'ALL', ...conditions(subject) });
  const socket = await Socket.open(t, desk.staff), topic = await channelOf(desk.staff, `/views/${id}`);
  assert.equal((await socket.join(topic)).status, 'ok');
  return { socket, change: (value) => desk.admin.update(`/views/${id}`, conditions(value)), counts: () => socket.events('CHANGE').filter((f) => f.topic === topic).map((f) => f.payload.changed_properties.count) };
}

test('the count of a view is told again after the conditions of the view change', async (t) => {
  const desk = await open(t), view = await counted(t, desk, 'parcel');
  await desk.customer.create('/conversations', { subject: 'A parcel', contents: 'C' });
  await until('one', () => view.counts().at(-1) === 1);
  await view.change('letter');
  await until('none', () => view.counts().at(-1) === 0);
});

/** Keeps all others from reading the table of views until `release()`. */
async function lockViews(t, desk) {
  const psql = spawn('psql', [databaseUrl(desk.dir), '-X', '-q', '-tA'], { stdio: ['pipe', 'pipe', 'inherit'] });
  defer(t, () => psql.kill());
  const lines = [];
  createInterface(psql.stdout).on('line', (line) => lines.push(line));
  const ask = async (text, fits) => { psql.stdin.write(`${text}\n`); await until(text, () => { const line = lines.shift(); if (line !== undefined && !fits(line)) psql.stdin.write(`${text}\n`); return line !== undefined && fits(line); }); };
  await ask('BEGIN; LOCK TABLE views IN ACCESS EXCLUSIVE MODE; SELECT 1;', (line) => line === '1');
  return {
    waited: () => ask("SELECT COUNT(*) FROM pg_locks WHERE relation = 'views'::regclass AND NOT granted;", (line) => Number(line) > 0),
    release: () => psql.stdin.end('COMMIT;\n'),
  };
}

test('an event does not wait for a count', { skip: !CLUSTER && 'it needs a lock of PostgreSQL' }, async (t) => {
  const desk = await open(t, { processes: 1 }), { id } = await opened(desk), view = await counted(t, desk, 's');
  const topic = await channelOf(desk.staff, `/cases/${id}`), listener = await Socket.open(t, desk.admin);
  await listener.join(topic);
  const lock = await lockViews(t, desk);
  await opened(desk);
  await lock.waited(); // for the count
  for (let n = 0; n < 3; n++) {
    const { id: message } = await desk.customer.create(`/conversations/${id}/messages`, { contents: 'M' });
    await listener.event('NEW_POST', (p) => p.resource_id === message);
  }
  await view.socket.all();
  assert.deepEqual(view.counts(), []);
  lock.release();
  await until('the count', () => view.counts().at(-1) === 2);
});

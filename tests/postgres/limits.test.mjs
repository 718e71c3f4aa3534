import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, until } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';
import { another, connection } from './lib.mjs';

// Limits apply to the desk as a whole, whatever process counts.

test('ten failed logins lock in all processes together', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  const guess = (where, i) => where.login('agent@example.com', `wrong ${i}`).get('/teams');
  const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => guess(i % 2 ? desk : second, i)));
  assert.ok(replies.every((r) => [401, 429].includes(r.status)));
  assert.equal(replies.filter((r) => r.status === 401).length, 10);
  for (const where of [desk, second]) (await where.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
});

test('an account guessed through one process is delayed in the other', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  for (let i = 0; i < 10; i++) (await desk.login('agent@example.com', `wrong ${i}`).at(`127.0.0.${10 + i}`).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  const began = performance.now();
  (await second.staff.at('127.0.0.30').get('/teams')).must(200);
  assert.ok(performance.now() - began >= 250);
});

test('sixty public writes a minute are the limit of all processes together, and a refused write counts', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  const stranger = { subject: 'Help', contents: 'Me', name: 'Ann', email: 'ann@strangers.example' };
  const replies = await Promise.all(Array.from({ length: 80 }, (_, i) => (i % 2 ? desk : second).anyone.post('/conversations', i % 4 ? stranger : {})));
  assert.ok(replies.every((r) => [201, 400, 429].includes(r.status)));
  assert.equal(replies.filter((r) => r.status !== 429).length, 60);
  for (const where of [desk, second]) (await where.anyone.post('/conversations', stranger)).refused(429, 'RATE_LIMIT_REACHED');
  await desk.clock.forward(61);
  (await desk.anyone.post('/conversations', stranger)).must(201);
});

test('a statement over its time limit is ended, and its request gets 503', async (t) => {
  const desk = await open(t, { args: ['--statement-timeout', '300', '--writers', '1'] });
  desk.expects5xx = true;
  const other = connection(t, databaseUrl(desk.dir));
  await other.say('BEGIN; LOCK TABLE teams IN SHARE MODE');
  const stuck = (await desk.owner.post('/teams', { title: 'Stuck' })).refused(503, 'SERVICE_UNAVAILABLE');
  assert.ok(stuck.headers['retry-after']);
  (await desk.customer.post('/conversations', { subject: 'S', contents: 'the only writer is free' })).must(201);
  await other.say('COMMIT');
  (await desk.owner.post('/teams', { title: 'Free' })).must(201);
  assert.deepEqual((await desk.owner.fetch('/teams')).map((team) => team.title), ['Free']);
});

test('a connection that waits for no statement stays open, however long', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--statement-timeout', '400', '--writers', '8'] }); // the own work of the desk does not use each again soon
  const began = performance.now();
  (await desk.customer.post('/conversations', { subject: 'Written', contents: 'C' })).must(201);
  (await desk.owner.post('/teams', { title: 'Written' })).must(201);
  (await desk.owner.get('/teams')).must(200);
  await until('the time of a statement, and that of the thread that looks', () => performance.now() - began > 2500); // 0.4 s, one of grace, and twice half a one
  assert.doesNotMatch(desk.log, /did not answer in time/);
});

test('processes divide a rate limit by their number, and the last one has it alone', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  await desk.owner.update('/settings', { values: { 'limits.read_per_minute': 600000 } });
  const share = async (where) => (await where.admin.get('/me')).must(200).headers['ratelimit-policy'];
  for (const where of [desk, second]) await until('half of the limit', async () => await share(where) === '"read";q=300000;w=60');
  await second.stop();
  await until('the whole limit', async () => await share(desk) === '"read";q=600000;w=60');
  assert.equal(desk.sql("SELECT COUNT(*) FROM leases WHERE name LIKE 'process %' AND until > 0").trim(), '1');
});

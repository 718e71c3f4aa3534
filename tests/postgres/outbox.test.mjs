import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, until } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';
import { another, connection, metric, psql, untilLocked } from './lib.mjs';

// Writes of one process take effect in the others.

const HOURS = 'security.session_hours_staff';
const value = async (desk, name) => (await desk.owner.fetch('/settings')).find((s) => `${s.category}.${s.name}` === name).value;

test('a setting written through one process takes effect in the other', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  assert.equal(await value(second, HOURS), '8');
  await desk.owner.update('/settings', { values: { [HOURS]: 12 } });
  assert.equal(await value(desk, HOURS), '12', 'the writing process applies it at once');
  await until('the setting in the other process', async () => await value(second, HOURS) === '12', { within: 3000 });
  await second.owner.update('/settings', { values: { [HOURS]: 13 } });
  await until('the setting in the first process', async () => await value(desk, HOURS) === '13', { within: 3000 });
  assert.ok(await metric(desk, 'store_rung_total') > 0, 'a notification woke the process');
});

test('an entry committed after a younger one is still read', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  const late = connection(t, databaseUrl(desk.dir));
  await late.say(`BEGIN; INSERT INTO settings VALUES ('${HOURS}', '20', 0);
    INSERT INTO outbox (topic, payload, origin, created_at) VALUES ('settings', '', 'elsewhere', ${desk.clock.now})`);
  const other = 'security.session_hours_customers';
  await desk.owner.update('/settings', { values: { [other]: 99 } });
  await until('the younger entry', async () => await value(second, other) === '99');
  assert.equal(await value(second, HOURS), '8');
  await late.say('COMMIT');
  await until('the older entry', async () => await value(second, HOURS) === '20');
});

test('a process reads entries again after its connections were cut', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  desk.expects5xx = second.expects5xx = true;
  psql(databaseUrl(desk.dir), 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
  await until('a write', async () => (await desk.owner.put('/settings', { values: { [HOURS]: 17 } })).status === 200);
  await until('the setting in the other process', async () => {
    const reply = await second.owner.get('/settings');
    return reply.status === 200 && reply.data.find((s) => `${s.category}.${s.name}` === HOURS).value === '17';
  });
});

test('a new job wakes the job runner of the other process', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  const url = databaseUrl(desk.dir);
  const lock = connection(t, url);
  await lock.say('BEGIN; LOCK TABLE teams IN SHARE MODE'); // readable, not writable
  const stuck = (await desk.owner.post('/bulk/teams', { teams: [{ title: 'One' }] })).must(202).data;
  await untilLocked(url, 1, 'the first job at work');
  const next = (await desk.owner.post('/bulk/teams', { teams: [{ title: 'Two' }] })).must(202).data;
  await untilLocked(url, 2, 'the second job at work, in the process whose runner is free');
  await lock.say('COMMIT');
  for (const { id } of [stuck, next]) assert.equal((await desk.job(second.owner, id)).status, 'COMPLETED');
});

test('old entries are deleted', async (t) => {
  const desk = await open(t);
  const url = databaseUrl(desk.dir);
  await desk.owner.update('/settings', { values: { [HOURS]: 12 } });
  assert.equal(psql(url, "SELECT count(*) FROM outbox WHERE topic = 'settings'"), '1');
  await desk.stop();
  desk.clock.write(desk.clock.now + 11 * 60_000);
  await desk.start(); // the sweeper runs at the start and each minute
  await until('an empty outbox', () => psql(url, 'SELECT count(*) FROM outbox') === '0');
});

test('a change of password or a disabled user clears the cached verification of all processes', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  const one = await desk.person('agent');
  const two = await desk.person('agent');
  const there = (person) => second.login(person.email);
  for (const person of [one, two]) (await there(person).get('/teams')).must(200);
  await desk.owner.update(`/users/${one.id}`, { password: 'another good one' });
  (await there(one).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  (await second.login(one.email, 'another good one').get('/teams')).must(200);
  await desk.owner.update(`/users/${two.id}`, { is_enabled: false });
  (await there(two).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
});

test('a phone number is stored with the region in the store, before this process has read the change', async (t) => {
  const desk = await open(t);
  const url = databaseUrl(desk.dir);
  const other = connection(t, url);
  const post = (number, id) => desk.owner.post('/identities/phones', { user_id: id, number });
  const { agent, customer } = desk.people;
  await other.say("BEGIN; UPDATE settings SET value = 'DE' WHERE name = 'desk.phone_region'");
  const made = post('030 1234567', agent.id);
  await untilLocked(url, 1, 'the request to wait for the setting');
  await other.say('COMMIT');
  (await made).must(201);
  (await post('+49 30 1234567', customer.id)).refused(400, 'FIELD_DUPLICATE', 'number');
});

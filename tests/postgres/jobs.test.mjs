import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, open, relay, until } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';
import { another, connection, psql, untilLocked } from './lib.mjs';

test('a job that exceeds its lease is not run by another process', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  const url = databaseUrl(desk.dir);
  const other = connection(t, url);
  const team = (title, legacy_id) => ({ title, legacy_id });
  await other.say("BEGIN; INSERT INTO teams (title, legacy_id, created_at, updated_at) VALUES ('Theirs', 'X', 0, 0)");
  const long = (await desk.owner.post('/bulk/teams', { teams: [team('Before', 'A'), team('Mine', 'X')] })).must(202).data;
  await untilLocked(url, 1, 'the job waits for the other transaction');
  for (const { clock } of [desk, second]) clock.write(clock.now + 6 * 60_000); // the lease has expired, whichever process claimed the job. It would be due before the next one
  const next = (await second.owner.post('/bulk/teams', { teams: [team('After', 'B')] })).must(202).data;
  assert.equal((await second.job(second.owner, next.id)).status, 'COMPLETED');
  assert.equal(psql(url, `SELECT attempts, status FROM jobs WHERE id = ${long.id}`), '1|2');
  await other.say('ROLLBACK');
  const done = await desk.job(desk.owner, long.id);
  assert.deepEqual([done.status, done.inserted], ['COMPLETED', 2]);
  assert.equal(psql(url, `SELECT attempts FROM jobs WHERE id = ${long.id}`), '1');
  assert.equal(psql(url, "SELECT count(*) FROM teams WHERE legacy_id IN ('A', 'X')"), '2');
});

test('a job of a killed process is run by another after its lease', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  const url = databaseUrl(desk.dir);
  const other = connection(t, url);
  await second.stop();
  await other.say("BEGIN; INSERT INTO teams (title, legacy_id, created_at, updated_at) VALUES ('Theirs', 'X', 0, 0)");
  const { id } = (await desk.owner.post('/bulk/teams', { teams: [{ title: 'Mine', legacy_id: 'X' }] })).must(202).data;
  await untilLocked(url, 1, 'the job waits for the other transaction');
  await desk.kill();
  await other.say('ROLLBACK');
  second.clock.write(second.clock.now + 6 * 60_000);
  await second.start();
  assert.equal((await second.job(second.owner, id)).status, 'COMPLETED');
  assert.equal(psql(url, "SELECT count(*) FROM teams WHERE legacy_id = 'X'"), '1');
  await second.stop();
  await desk.start();
});

test('a mail whose sending exceeds its lease is not sent by another process', async (t) => {
  const desk = await open(t);
  const to = await relay(t);
  await connect(desk, to);
  const second = await another(t, desk);
  const url = databaseUrl(desk.dir);
  await second.stop(); // so that the first process sends
  await to.tell({ hold: true });
  await desk.owner.create('/users/invite', { full_name: 'Ines Invited', email: 'ines@people.example' });
  await until('the relay to get the mail', () => to.mails.length === 1);
  await second.start();
  const lease = () => Number(psql(url, "SELECT run_at FROM jobs WHERE status = 2 AND kind = 'mail'"));
  const first = lease();
  for (const { clock } of [desk, second]) clock.write(clock.now + 3 * 60_000);
  await until('a longer lease', () => lease() > first);
  for (const { clock } of [desk, second]) clock.write(clock.now + 3 * 60_000);
  const { id } = (await second.owner.post('/bulk/teams', { teams: [{ title: 'After' }] })).must(202).data;
  assert.equal((await second.job(second.owner, id)).status, 'COMPLETED', 'the second process looks for jobs');
  assert.equal(to.mails.length, 1);
  await to.tell({ hold: false });
  await until('the end of the job', () => psql(url, "SELECT count(*) FROM jobs WHERE kind = 'mail' AND status IN (1, 2)") === '0');
  assert.equal(to.mails.length, 1);
});

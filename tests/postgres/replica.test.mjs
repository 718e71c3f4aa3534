import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Desk, PASSWORD, defer, deskd, directory, until } from '../api/lib/index.mjs';
import { CLUSTER, Cluster, database, init, psql, refused } from './cluster.mjs';
import { another, metric } from './lib.mjs';

// A streaming replica answers reads with the same replies as the primary.

const usable = (desk, yes) => until(`a replica that is${yes ? '' : ' not'} used`, async () => await metric(desk, 'store_replica_usable') === Number(yes), { within: 30_000 });
const reads = (desk) => metric(desk, 'store_replica_reads_total');

/** A desk with a replica, and sessions old enough to read from it. */
async function pair(t) {
  const primary = new Cluster(t).start();
  psql(primary.url('postgres'), 'CREATE DATABASE desk');
  const replica = new Cluster(t, { from: primary }).start();
  const dir = directory();
  assert.equal(init(primary.url('desk'), dir).status, 0);
  const options = { url: primary.url('desk'), args: ['--replica-url', replica.url('desk')], people: { owner: { email: 'owner@example.com', password: PASSWORD } } };
  const desk = new Desk(dir, options);
  defer(t, () => desk.stop());
  await desk.start();
  const owner = (await desk.session(desk.owner)).client;
  const person = await desk.person('agent');
  const staff = (await desk.session(person.client)).client;
  await desk.clock.forward(60);
  await usable(desk, true);
  await until('a read of the replica', async () => {
    const before = await reads(desk);
    (await staff.get('/teams')).must(200);
    return await reads(desk) > before;
  });
  return { primary, replica, desk, options, owner, person, staff };
}

const pause = (replica) => psql(replica.url('desk'), 'SELECT pg_wal_replay_pause()');
const resume = (replica) => psql(replica.url('desk'), 'SELECT pg_wal_replay_resume()');
const titles = async (who) => (await who.fetch('/teams')).map((team) => team.title);

test('a caller reads its own writes through any process while the replica lags', async (t) => {
  const { replica, desk, options, owner, staff } = await pair(t);
  const second = await another(t, desk, options);
  await usable(second, true);
  pause(replica);
  const team = await owner.create('/teams', { title: 'New' });
  (await owner.get(`/teams/${team.id}`)).must(200);
  const there = second.anyone.with(owner.headers);
  (await there.get(`/teams/${team.id}`)).must(200);
  const before = await reads(desk);
  const seen = await titles(staff);
  if (await reads(desk) > before) assert.deepEqual(seen, [], 'other callers read the write later');
  await usable(desk, false);
  assert.deepEqual(await titles(staff), ['New'], 'a replica that lags is not used');
  resume(replica);
  await usable(desk, true);
  assert.deepEqual(await titles(staff), ['New']);
});

test('callers without a session, and new sessions, read from the primary', async (t) => {
  const { desk, person } = await pair(t);
  const before = await reads(desk);
  (await desk.anyone.get('/locales')).must(200);
  const fresh = await desk.session(person.client.with({ 'User-Agent': 'another program' }));
  assert.ok(fresh.reply.data.user);
  assert.equal(await reads(desk), before);
});

test('a changed password and an ended session take effect at once, however far the replica lags', async (t) => {
  const { replica, desk, owner, person, staff } = await pair(t);
  pause(replica);
  (await staff.get('/teams')).must(200);
  await owner.update(`/users/${person.id}`, { password: 'another good one' });
  (await staff.get('/teams')).refused(454, 'SESSION_LOADING_FAILED');
  (await person.client.get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
});

test('a replica that stops fails no request, and is used again when it is back', async (t) => {
  const { replica, desk, staff } = await pair(t);
  let going = true;
  let served = 0;
  const readers = Promise.all(Array.from({ length: 4 }, async () => {
    for (; going; served += 1) (await staff.get('/teams')).must(200);
  }));
  replica.stop('immediate');
  await usable(desk, false);
  replica.start();
  await usable(desk, true);
  const before = await reads(desk);
  await until('reads of the replica', async () => await reads(desk) > before);
  going = false;
  await readers;
  assert.ok(served > 10);
});

test('a replica that does not answer fails no request', async (t) => {
  const { replica, desk, staff } = await pair(t);
  defer(t, async () => replica.signal('SIGCONT')); // in every case, so that it can be stopped
  let going = true;
  const readers = Promise.all(Array.from({ length: 12 }, async () => {
    while (going) (await staff.get('/teams')).must(200);
  }));
  replica.signal('SIGSTOP');
  await until('a replica that is given up', () => desk.log.includes('the replica is not used'), { within: 30_000 });
  for (let i = 0; i < 10; i++) (await staff.get('/teams')).must(200);
  going = false;
  await readers;
  replica.signal('SIGCONT');
  await usable(desk, true);
});

test('a promoted replica is not used any more', async (t) => {
  const { replica, desk, staff } = await pair(t);
  replica.promote();
  await usable(desk, false);
  (await staff.get('/teams')).must(200);
  assert.match(desk.log, /not a replica of the database/);
});

test('a database that is no replica of the desk\'s is not used, and a replica without a database is refused', async (t) => {
  const url = database(t);
  const dir = directory();
  assert.equal(init(url, dir).status, 0);
  const desk = new Desk(dir, { url, args: ['--replica-url', CLUSTER] });
  defer(t, () => desk.stop());
  await desk.start();
  await until('a warning', () => /not a replica of the database: it is not used/.test(desk.log));
  assert.equal(await metric(desk, 'store_replica_usable'), 0);
  refused(deskd('serve', '--data', directory(), '--replica-url', CLUSTER, '--listen', '127.0.0.1:0'), /--replica-url needs --database/);
  const wrong = deskd('serve', '--data', directory(), '--database', url, '--replica-url', 'mysql://x');
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /--replica-url/);
});

test('a replica that received more of the old primary than the new one has is not used, whatever its position', async (t) => {
  const first = new Cluster(t).start();
  psql(first.url('postgres'), 'CREATE DATABASE desk');
  const next = new Cluster(t, { from: first }).start();
  const replica = new Cluster(t, { from: first }).start();
  const url = `postgres://desk@/desk?host=${first.place},${next.place}&target_session_attrs=read-write`;
  const dir = directory();
  assert.equal(init(url, dir).status, 0);
  const desk = new Desk(dir, { url, args: ['--replica-url', replica.url('desk')], people: { owner: { email: 'owner@example.com', password: PASSWORD } } });
  defer(t, () => desk.stop());
  await desk.start();
  const owner = (await desk.session(desk.owner)).client;
  await desk.clock.forward(60);
  await until('the session on the standby', () => psql(next.url('desk'), 'SELECT count(*) FROM sessions') === '1');
  next.stop();
  await usable(desk, true);
  psql(first.url('desk'), "SELECT pg_logical_emit_message(false, 'ahead', repeat('x', 20000000)); CREATE TABLE ahead (id int)");
  await until('the replica to be ahead', () => psql(replica.url('desk'), "SELECT count(*) FROM pg_tables WHERE tablename = 'ahead'") === '1');
  desk.expects5xx = true;
  first.stop('immediate');
  next.start().promote();
  await until('a write on the other', async () => (await owner.post('/teams', { title: 'After' })).status === 201);
  desk.expects5xx = false;
  const position = psql(next.url('desk'), 'SELECT pg_current_wal_lsn()');
  assert.equal(psql(replica.url('desk'), `SELECT pg_last_wal_replay_lsn() > pg_lsn '${position}'`), 't', 'by its position the replica has all');
  await desk.clock.forward(60); // the session has not written for a minute
  const looks = new Set();
  await until('three looks at the new primary', () => looks.add(psql(next.url('desk'), "SELECT max(query_start) FROM pg_stat_activity WHERE query LIKE '%pg_walfile_name%' AND pid <> pg_backend_pid()")).size > 3);
  assert.equal(await metric(desk, 'store_replica_usable'), 0);
  assert.deepEqual(await titles(owner), ['After']);
});

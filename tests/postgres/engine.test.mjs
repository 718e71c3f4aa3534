import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BINARY, Desk, PASSWORD, deskd, directory, open } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';

// What is PostgreSQL's alone: how it is refused, how it migrates, what happens side by side and when it goes away.

const CLUSTER = process.env.DATABASE;
const psql = (url, sql) => {
  const done = spawnSync('psql', [url, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql], { encoding: 'utf8' });
  assert.equal(done.status, 0, `${sql}: ${done.stderr}`);
  return done.stdout.trim();
};
let made = 0;
const database = (t) => {
  const name = `engine_${process.pid}_${++made}`;
  psql(CLUSTER, `CREATE DATABASE ${name}`);
  t.after(() => psql(CLUSTER, `DROP DATABASE ${name} WITH (FORCE)`));
  return CLUSTER.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`);
};
const secret = () => {
  const file = join(directory(), 'password');
  writeFileSync(file, `${PASSWORD}\n`, { mode: 0o600 });
  return file;
};
const init = (url, dir = directory()) => deskd('init', '--data', dir, '--database', url, '--password-file', secret());

/** Exit code 1 and one line that says so. */
function refused(done, pattern) {
  assert.equal(done.status, 1, done.stderr);
  assert.match(done.stderr.trimEnd().split('\n').at(-1), pattern);
  assert.equal(done.stdout, '');
}

test('a wrong URL is refused in one line, and nothing is made', () => {
  const dir = join(directory(), 'none');
  refused(init('mysql://x/y', dir), /^deskd: --database is written postgres:\/\//);
  refused(init('postgres://desk@127.0.0.1:1/x', dir), /^deskd: the database can't be reached: .*refused/);
  refused(init(CLUSTER.replace('/postgres', '/nothing_here'), dir), /^deskd: .*"nothing_here" does not exist$/);
  refused(init(CLUSTER.replace('//desk@', '//nobody_here@'), dir), /^deskd: .*"nobody_here" does not exist$/);
  refused(init('postgres://desk@/x?nonsense=1', dir), /^deskd: .*invalid URI query parameter/);
  assert.ok(!existsSync(dir));
});

test('a password in a URL is not shown', () => {
  const done = init('postgres://desk:hidden-words@127.0.0.1:1/x');
  assert.ok(!`${done.stdout}${done.stderr}`.includes('hidden-words'));
});

test('a user who may not create tables is told what to grant', (t) => {
  const url = database(t);
  const role = `weak_${process.pid}`;
  psql(CLUSTER, `CREATE ROLE ${role} LOGIN`);
  t.after(() => psql(CLUSTER, `DROP ROLE ${role}`));
  refused(init(url.replace('//desk@', `//${role}@`)), /permission denied.*grant CREATE/);
  assert.equal(psql(url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), '0');
});

test('a database of something else, a newer schema and another one are left alone', (t) => {
  const other = database(t);
  psql(other, 'CREATE TABLE theirs (id int)');
  refused(init(other), /holds tables of something else/);
  const url = database(t);
  assert.equal(init(url).status, 0);
  refused(init(url), /holds a desk already/);
  psql(url, "INSERT INTO schema_version VALUES (9999, '9999_later.sql', 0)");
  refused(init(url), /schema 9999 and this deskd knows/);
  refused(deskd('check', '--data', directory(), '--database', url), /schema 9999/);
  psql(url, "DELETE FROM schema_version WHERE version = 9999; UPDATE schema_version SET name = '0001_other.sql' WHERE version = (SELECT max(version) FROM schema_version)");
  refused(init(url), /start the deskd that made the store/);
});

test('check and demo: a desk of its own, sound, its next ids free', (t) => {
  const url = database(t);
  refused(deskd('check', '--data', directory(), '--database', url), /there is no desk in the database/);
  const dir = directory();
  const demo = deskd('demo', '--data', dir, '--database', url, '--conversations', '200', '--password-file', secret());
  assert.equal(demo.status, 0, demo.stderr);
  const check = deskd('check', '--data', dir, '--database', url);
  assert.equal(check.status, 0, check.stdout + check.stderr);
  const free = psql(url, 'SELECT (SELECT last_value FROM users_id_seq) >= (SELECT max(id) FROM users)');
  assert.equal(free, 't');
});

test('of several that migrate at once one does it', async (t) => {
  const url = database(t);
  const file = secret();
  const dir = directory();
  const runs = await Promise.all(Array.from({ length: 4 }, () => new Promise((resolve) => {
    const child = spawn(BINARY, ['init', '--data', dir, '--database', url, '--password-file', file]);
    let text = '';
    child.stderr.on('data', (d) => { text += d; });
    child.on('close', (code) => resolve({ code, text }));
  })));
  assert.equal(runs.filter(({ code }) => code === 0).length, 1, JSON.stringify(runs));
  for (const { code, text } of runs) if (code) assert.match(text, /holds a desk already|can't be written/);
  assert.equal(psql(url, 'SELECT count(*) = max(version) FROM schema_version'), 't');
});

test('names are ordered by their bytes, whatever the database thinks', async (t) => {
  const desk = await open(t);
  assert.equal(psql(databaseUrl(desk.dir), "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_collation l ON l.oid = a.attcollation WHERE c.relname = 'users' AND a.attname = 'name_key' AND l.collname = 'C'"), '1');
});

test('one key at once makes one conversation', async (t) => {
  const desk = await open(t);
  const sent = await Promise.all(Array.from({ length: 12 }, () => desk.customer.post('/conversations', { subject: 'Once', contents: 'Only' }, { headers: { 'Idempotency-Key': 'k1' } })));
  assert.equal(new Set(sent.map((r) => r.must(201).data.id)).size, 1);
});

test('messages of one conversation at once are numbered without a gap', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Busy', contents: 'First' });
  const sent = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? desk.customer : desk.staff).post(`/conversations/${id}/messages`, { contents: `m${i}` })));
  for (const r of sent) r.must(201);
  assert.equal(desk.check().status, 0);
  assert.equal(psql(databaseUrl(desk.dir), `SELECT count(*), max(seq), count(DISTINCT seq) FROM posts WHERE case_id = ${id} AND kind = 1`), '31|31|31');
});

test('two processes on one database: what one does counts for the other', async (t) => {
  const desk = await open(t);
  const second = await new Desk(desk.dir, { people: desk.people, clock: desk.clock.now }).start();
  t.after(() => second.stop());
  const person = await desk.person('agent');
  const session = await desk.session(person.client);
  const there = second.anyone.with({ 'X-Session-ID': session.id });
  (await there.get('/teams')).must(200);
  await desk.owner.update(`/users/${person.id}`, { password: 'another good one' });
  (await there.get('/teams')).refused(454, 'SESSION_LOADING_FAILED');
});

test('a restart of the database: 503 for a moment, then as before, and nothing acknowledged is lost', async (t) => {
  const desk = await open(t);
  desk.expects5xx = true;
  const { id } = await desk.customer.create('/conversations', { subject: 'Restart', contents: 'First' });
  let kept = 1;
  let failures = 0;
  let going = true;
  const writers = Array.from({ length: 4 }, async () => {
    while (going) {
      const r = await desk.staff.post(`/conversations/${id}/messages`, { contents: 'x' });
      if (r.status === 201) kept += 1;
      else {
        assert.equal(r.status, 503);
        assert.ok(r.headers['retry-after']);
        failures += 1;
        await new Promise((resolve) => { setTimeout(resolve, 20); });
      }
    }
  });
  await new Promise((resolve) => { setTimeout(resolve, 300); });
  psql(CLUSTER, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(databaseUrl(desk.dir).replace('@/', '@x/')).pathname.slice(1)}'`);
  await new Promise((resolve) => { setTimeout(resolve, 1500); });
  const before = kept;
  await new Promise((resolve) => { setTimeout(resolve, 500); });
  going = false;
  await Promise.all(writers);
  assert.ok(kept > before, `writes go on (${failures} were refused)`);
  const rows = Number(psql(databaseUrl(desk.dir), `SELECT count(*) FROM posts WHERE case_id = ${id} AND kind = 1`));
  assert.ok(rows >= kept, `${rows} rows, ${kept} acknowledged`);
  assert.equal((await desk.anyone.exchange('GET', '/readyz')).status, 200);
  assert.equal(desk.check().status, 0);
});

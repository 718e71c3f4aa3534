import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Desk, deskd, directory, open } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';
import { CLUSTER, database, psql, refused, secret } from './cluster.mjs';

// Behaviour only on PostgreSQL: concurrency.

test('demo creates a desk that check finds sound, with the next ids free', (t) => {
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

test('names are ordered by their bytes, whatever the collation of the database', async (t) => {
  const desk = await open(t);
  assert.equal(psql(databaseUrl(desk.dir), "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_collation l ON l.oid = a.attcollation WHERE c.relname = 'users' AND a.attname = 'name_key' AND l.collname = 'C'"), '1');
});

test('concurrent requests with one key through two processes create one conversation', async (t) => {
  const desk = await open(t, { processes: 2 });
  const sent = await Promise.all(Array.from({ length: 12 }, () => desk.customer.post('/conversations', { subject: 'Once', contents: 'Only' }, { headers: { 'Idempotency-Key': 'k1' } })));
  assert.equal(new Set(sent.map((r) => r.must(201).data.id)).size, 1);
});

test('concurrent messages of one conversation through two processes are numbered without a gap', async (t) => {
  const desk = await open(t, { processes: 2 });
  const { id } = await desk.customer.create('/conversations', { subject: 'Busy', contents: 'First' });
  const sent = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? desk.customer : desk.staff).post(`/conversations/${id}/messages`, { contents: `m${i}` })));
  for (const r of sent) r.must(201);
  assert.equal(desk.check().status, 0);
  assert.equal(psql(databaseUrl(desk.dir), `SELECT count(*), (SELECT message_seq FROM cases WHERE id = ${id}) FROM posts WHERE case_id = ${id} AND kind = 1`), '31|31');
});

test('two processes on one database: a write through one takes effect in the other', async (t) => {
  const desk = await open(t);
  const second = await new Desk(desk.dir, { people: desk.people, clock: desk.clock.now, base: desk.base }).start();
  t.after(() => second.stop());
  const person = await desk.person('agent');
  const session = await desk.session(person.client);
  const there = second.anyone.with({ 'X-Session-ID': session.id });
  (await there.get('/teams')).must(200);
  await desk.owner.update(`/users/${person.id}`, { password: 'another good one' });
  (await there.get('/teams')).refused(454, 'SESSION_LOADING_FAILED');
});

test('two processes share the jobs, and each job runs once', async (t) => {
  const desk = await open(t, { processes: 2 });
  const url = databaseUrl(desk.dir);
  const jobs = await Promise.all(Array.from({ length: 40 }, (_, i) => desk.owner.post('/bulk/teams', { teams: [{ title: `T${i}` }, { title: `U${i}` }] })));
  for (const { data } of jobs) assert.equal((await desk.job(desk.owner, data.id)).status, 'COMPLETED');
  assert.equal(psql(url, "SELECT count(*), min(attempts), max(attempts) FROM jobs WHERE kind = 'import'"), '40|1|1');
  assert.equal(psql(url, "SELECT count(*), count(DISTINCT title) FROM teams WHERE title ~ '^[TU][0-9]+$'"), '80|80');
});

test('an address requested concurrently in two processes goes to one', async (t) => {
  const desk = await open(t, { processes: 2 });
  const url = databaseUrl(desk.dir);
  const person = await Promise.all(Array.from({ length: 8 }, () => desk.owner.post('/users', { full_name: 'Ann', email: 'Ann@once.example' })));
  assert.equal(person.filter(({ status }) => status === 201).length, 1, person.join('\n'));
  for (const reply of person) if (reply.status !== 201) reply.refused(400, 'FIELD_DUPLICATE', 'email');
  assert.equal(psql(url, "SELECT count(*) FROM identity_emails WHERE email_key = 'ann@once.example'"), '1');
});

// Each table gets a row from a statement that deskd sends without waiting: the second one's goes out with the COMMIT.
for (const table of ['case_participants', 'change_log']) {
  test(`a statement of ${table} fails that was not waited for: the write runs again, or is refused as a whole`, async (t) => {
    const desk = await open(t);
    const url = databaseUrl(desk.dir);
    desk.expects5xx = 500;
    psql(url, 'CREATE SEQUENCE failures');
    const fails = (code, times) => psql(url, `SELECT setval('failures', 1, false);
      CREATE OR REPLACE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('failures') <= ${times} THEN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$;
      CREATE OR REPLACE TRIGGER fails BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION fails()`);
    const messages = (id) => psql(url, `SELECT count(*), (SELECT message_seq FROM cases WHERE id = ${id}) FROM posts WHERE case_id = ${id} AND kind = 1`);
    for (const code of ['23505', '40P01', '22012']) {
      const { id } = await desk.customer.create('/conversations', { subject: code, contents: 'First' });
      fails(code, 1);
      (await desk.staff.post(`/conversations/${id}/messages`, { contents: 'Second' })).must(201);
      assert.equal(messages(id), '2|2', code);
      fails(code, 1000);
      assert.ok((await desk.staff.post(`/conversations/${id}/messages`, { contents: 'Third' })).status >= 500, code);
      assert.equal(messages(id), '2|2', code);
      psql(url, `DROP TRIGGER fails ON ${table}`);
      (await desk.staff.post(`/conversations/${id}/messages`, { contents: 'Third' })).must(201);
      assert.equal(messages(id), '3|3', code);
    }
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Desk, PASSWORD, defer, deskd, directory, until } from '../api/lib/index.mjs';
import { Cluster, init, psql } from './cluster.mjs';

// A database that stops, restarts or hangs: replies meanwhile, and data afterwards.

const now = () => performance.now();

/** A desk of `processes` on a cluster of its own. */
async function lonely(t, { settings, processes = 1, args = [] } = {}) {
  const cluster = new Cluster(t, { settings }).start();
  const url = cluster.url('postgres');
  const dir = directory();
  const made = init(url, dir);
  assert.equal(made.status, 0, made.stderr);
  const desk = new Desk(dir, { url, processes, args, people: { owner: { email: 'owner@example.com', password: PASSWORD } } });
  defer(t, () => desk.stop());
  await desk.start();
  return { cluster, desk, url };
}

/** Clients that repeat a request until stopped. Only the status `good` and 503 with Retry-After are allowed. */
function callers(count, good, ask) {
  const seen = { good: [], refused: 0 };
  let going = true;
  const all = Promise.all(Array.from({ length: count }, async (_, i) => {
    while (going) {
      const reply = await ask(i);
      if (reply.status === good) seen.good.push(reply.data?.id);
      else {
        assert.equal(reply.status, 503, `${reply}`);
        assert.match(reply.headers['retry-after'], /^\d+$/);
        assert.equal(reply.body.errors[0].code, 'SERVICE_UNAVAILABLE');
        seen.refused += 1;
      }
    }
  }));
  return { seen, end: () => { going = false; return all; } };
}

for (const mode of ['fast', 'immediate']) {
  test(`a restart of PostgreSQL (${mode}) under load causes 503 for a moment, and no acknowledged write is lost`, async (t) => {
    const { cluster, desk, url } = await lonely(t, { settings: { fsync: 'on' }, processes: 2 });
    desk.expects5xx = true;
    const { id } = await desk.owner.create('/conversations', { subject: 'Restart', contents: 'First' });
    const writers = callers(6, 201, () => desk.owner.post(`/conversations/${id}/messages`, { contents: 'x' }));
    const readers = callers(4, 200, () => desk.owner.get('/conversations', { limit: 5 }));
    await until('writes', () => writers.seen.good.length > 50);
    cluster.stop(mode);
    await until('refusals', () => writers.seen.refused > 10 && readers.seen.refused > 10);
    assert.equal((await desk.anyone.exchange('GET', '/readyz')).status, 503);
    const [kept, read] = [writers.seen.good.length, readers.seen.good.length];
    cluster.start();
    await until('writes and reads after it', () => writers.seen.good.length > kept + 50 && readers.seen.good.length > read + 50);
    await Promise.all([writers.end(), readers.end()]);
    await until('both processes ready', async () => (await desk.anyone.exchange('GET', '/readyz')).status === 200 && (await desk.anyone.exchange('GET', '/readyz')).status === 200);
    const there = new Set(psql(url, `SELECT id FROM posts WHERE case_id = ${id}`).split('\n').map(Number));
    assert.deepEqual(writers.seen.good.filter((post) => !there.has(post)), [], 'acknowledged posts that are lost');
    desk.expects5xx = false;
    (await desk.owner.get('/conversations')).must(200);
    assert.equal(desk.check().status, 0);
  });
}

const endings = {
  'sessions that an operator ends': async (cluster, desk, url) => {
    psql(url, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
  },
  'an immediate shutdown, which sends a warning before it closes': async (cluster, desk) => { // libpq reads it with the next result
    cluster.stop('immediate');
    cluster.start();
    await until('the desk ready', async () => (await desk.anyone.exchange('GET', '/readyz')).status === 200);
  },
};

for (const [what, end] of Object.entries(endings)) {
  test(`connections that died while they were idle are made again, and no read and no write is refused: ${what}`, async (t) => {
    const { cluster, desk, url } = await lonely(t);
    const { id } = await desk.owner.create('/conversations', { subject: 'Idle', contents: 'First' });
    const paths = ['/users', `/cases/${id}`, '/conversations?limit=5'];
    const owner = desk.owner.with({ Connection: 'close' }); // each event loop serves some of the requests
    const use = async () => {
      for (const path of paths) (await owner.get(path)).must(200);
      (await owner.post(`/conversations/${id}/messages`, { contents: 'Again' })).must(201);
      (await owner.put(`/cases/${id}`, { priority_id: 1 })).must(200);
    };
    for (let round = 0; round < 3; round++) { // in the first one, most connections have sent nothing yet
      await end(cluster, desk, url);
      for (let i = 0; i < 6; i++) await use(); // after it each thread has read, and knows what it reads next
    }
  });
}

test('a start without the database fails with one line, and a start after it is back serves', async (t) => {
  const { cluster, desk } = await lonely(t);
  await desk.stop();
  cluster.stop();
  const done = deskd('serve', ...desk.store, '--listen', '127.0.0.1:0');
  assert.equal(done.status, 1);
  assert.match(done.stderr, /^deskd: the database can't be reached: [^\n]+\n$/);
  cluster.start();
  await desk.start();
  (await desk.owner.get('/users')).must(200);
});

test('while PostgreSQL runs and does not answer', { timeout: 300_000 }, async (t) => {
  const { cluster, desk } = await lonely(t);
  desk.expects5xx = true;
  (await desk.owner.get('/conversations')).must(200);
  cluster.signal('SIGSTOP');
  defer(t, async () => cluster.signal('SIGCONT'));
  const began = now();
  const waiting = Promise.all(Array.from({ length: 40 }, (_, i) => (i % 4
    ? desk.owner.get('/conversations')
    : desk.owner.post('/conversations', { subject: 'S', contents: 'C' })).then((reply) => ({ reply, after: now() - began }))));

  await t.test('requests without database access are answered at once, on every event loop', async () => {
    for (let i = 0; i < 10; i++) {
      for (const [path, status] of [['/healthz', 200], ['/metrics', 200], ['/openapi.json', 200], ['/docs', 200], ['/api/v1/wibble', 404]]) {
        const asked = now();
        const reply = await desk.anyone.exchange('GET', path, { headers: { Connection: 'close' } });
        assert.equal(reply.status, status);
        assert.ok(now() - asked < 2000, `${path} took ${now() - asked} ms`);
      }
    }
    assert.ok(now() - began < 10_000, 'the other requests wait');
  });

  await t.test('a request gets 503 with Retry-After after its time limit', async () => {
    for (const { reply, after } of await waiting) {
      reply.must(503);
      assert.match(reply.headers['retry-after'], /^\d+$/);
      assert.ok(after < 25_000, `${reply} after ${after} ms`);
    }
  });

  await t.test('requests succeed again without a restart', async () => {
    cluster.signal('SIGCONT');
    await until('an answer', async () => (await desk.owner.get('/conversations')).status === 200);
    await until('a write', async () => (await desk.owner.post('/conversations', { subject: 'After', contents: 'C' })).status === 201);
    assert.equal((await desk.anyone.exchange('GET', '/readyz')).status, 200);
    assert.equal(desk.check().status, 0);
  });
});

test('the server ends a statement over its time limit: the reply is 503, and the connection stays usable', { timeout: 300_000 }, async (t) => {
  const { desk, url } = await lonely(t);
  desk.expects5xx = true;
  psql(url, `CREATE FUNCTION stall() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN true; END';
    ALTER TABLE teams ENABLE ROW LEVEL SECURITY; ALTER TABLE teams FORCE ROW LEVEL SECURITY; CREATE ROLE plain LOGIN;
    INSERT INTO teams (title, created_at, updated_at) VALUES ('Slow', 0, 0); CREATE POLICY slow ON teams USING (stall());
    ALTER TABLE teams OWNER TO plain; GRANT ALL ON ALL TABLES IN SCHEMA public TO plain; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO plain`);
  const plain = new Desk(desk.dir, { url: url.replace('//desk@', '//plain@'), people: desk.people, base: desk.base });
  plain.expects5xx = true;
  defer(t, () => plain.stop());
  await plain.start();
  (await plain.owner.get('/users')).must(200);
  const began = now();
  (await plain.owner.get('/teams')).must(503);
  assert.ok(now() - began > 9_000 && now() - began < 15_000, `after ${now() - began} ms`);
  (await plain.owner.get('/users')).must(200);
});

test('a write whose wait for a synchronous standby is cancelled gets 503, and its repetition the result of the first', async (t) => {
  const { desk, url } = await lonely(t);
  desk.expects5xx = true;
  const standby = (name) => psql(url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'; SELECT pg_reload_conf()`);
  const send = () => desk.owner.post('/conversations', { subject: 'Unconfirmed', contents: 'C' }, { headers: { 'Idempotency-Key': 'the same' } });
  const cancel = () => psql(url, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  standby('nobody');
  let reply;
  send().then((r) => { reply = r; });
  await until('the reply', () => (cancel(), reply));
  reply.must(503);
  assert.match(desk.log, /the wait of a COMMIT for a synchronous standby was cancelled/);
  standby('');
  await until('an answer', async () => (cancel(), (await send()).status === 201));
  assert.equal(psql(url, "SELECT count(*) FROM cases WHERE subject = 'Unconfirmed'"), '1');
});

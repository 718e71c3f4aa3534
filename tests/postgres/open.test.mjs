import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Desk, PASSWORD, defer, deskd, directory } from '../api/lib/index.mjs';
import { CLUSTER, Cluster, contents, database, freePort, init, psql, refused, running, secret, unique } from './cluster.mjs';
import { connection } from './lib.mjs';

// Databases that can't be used: deskd exits with 1, prints one line with the action to take, and changes nothing.

/** A server that sends the first messages of the protocol with these parameters, then is ready. */
async function pretender(t, parameters) {
  const message = (type, body) => {
    const head = Buffer.alloc(5, type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const welcome = Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...Object.entries(parameters ?? {}).map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`))),
    message('Z', Buffer.from('I')),
  ]);
  const sockets = new Set();
  const heard = [];
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      heard.push(bytes);
      if (!parameters) return; // it accepts connections and never answers
      if (bytes.length === 8) socket.write('N'); // no TLS, no GSS
      else if (bytes.readInt32BE(0) === bytes.length) socket.write(welcome);
    });
  });
  await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
  defer(t, async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `postgres://desk@127.0.0.1:${server.address().port}/desk`, heard };
}

test('a wrong URL is refused and nothing is created', () => {
  const dir = join(directory(), 'none');
  for (const [url, why] of [
    ['postgres://desk@/x?nonsense=1', /^deskd: the URL of the database is not valid: invalid URI query parameter$/m],
    ['postgres://desk@[::1/x', /^deskd: the URL of the database is not valid: .*"\]" in IPv6/],
    ['postgres://desk@127.0.0.1:1/x', /^deskd: the database can't be reached: .*refused.*Is the server running/],
    ['postgres://desk@127.0.0.1:99999/x', /^deskd: the database can't be reached: invalid port number/],
    ['postgres://desk@nowhere.invalid/x', /^deskd: the database can't be reached: could not translate host name "nowhere.invalid"/],
    ['postgres://desk@/x?host=/nowhere', /^deskd: the database can't be reached: .*Is the server running locally/],
    [CLUSTER.replace('/postgres', '/nothing_here'), /^deskd: .*"nothing_here" does not exist$/m],
    [CLUSTER.replace('//desk@', '//nobody_here@'), /^deskd: .*"nobody_here" does not exist$/m],
  ]) refused(init(url, dir), why);
  assert.ok(!existsSync(dir));
});

test('a password in a URL is not shown, however malformed the URL', () => {
  for (const url of ['postgres://desk:hidden-words@127.0.0.1:1/x', 'postgres://desk:hidden-words@[::1/x', 'postgres://desk:hidden%words@127.0.0.1/x',
    'postgres://desk:some@hidden-words@127.0.0.1/x', 'postgres://desk:hidden/words@127.0.0.1/x', 'postgres://desk:some/hidden@127.0.0.1/x', 'postgres://desk:hidden?words@127.0.0.1/x']) {
    const done = init(url);
    refused(done, /database|URL/);
    assert.doesNotMatch(done.stderr, /hidden|words@/, url);
  }
});

test('a host that accepts the connection and never answers is given up', async (t) => {
  const { url } = await pretender(t);
  refused(await running(['init', '--data', directory(), '--database', `${url}?connect_timeout=2`, '--password-file', secret()]), /can't be reached: .*timeout expired/);
});

test('a server older than the minimum is refused by its reported version, before any statement', async (t) => {
  for (const version of ['9.6.24', '14.9', '13.0.0']) {
    const { url, heard } = await pretender(t, { server_version: version, server_encoding: 'UTF8', client_encoding: 'UTF8' });
    refused(await running(['init', '--data', directory(), '--database', url, '--password-file', secret()]),
      new RegExp(`^deskd: the database is PostgreSQL ${version}: deskd needs 15 or newer$`, 'm'));
    assert.equal(heard.filter((bytes) => 'QP'.includes(String.fromCharCode(bytes[0]))).length, 0);
  }
});

test('a server of another product, whose locks do nothing, is refused', async (t) => {
  const { url } = await pretender(t, { server_version: '18.0', crdb_version: 'CockroachDB CCL v26.1', server_encoding: 'UTF8', client_encoding: 'UTF8' });
  refused(await running(['init', '--data', directory(), '--database', url, '--password-file', secret()]), /the database is CockroachDB: deskd needs PostgreSQL/);
});

test('an encoding other than UTF-8 is refused', (t) => {
  for (const encoding of ['LATIN1', 'SQL_ASCII']) {
    const url = database(t, `ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
    refused(init(url), new RegExp(`the database's encoding is ${encoding}: make one with ENCODING 'UTF8'`));
    assert.equal(contents(url), '');
  }
});

test('a wrong or missing password is refused with the message of the server', async (t) => {
  const own = new Cluster(t, { hba: ['host all all 127.0.0.1/32 scram-sha-256'], port: await freePort() }).start();
  psql(own.url('postgres'), "CREATE ROLE locked LOGIN PASSWORD 'right words'");
  const url = (password) => `postgres://locked${password}@127.0.0.1:${own.port}/postgres`;
  refused(init(url(':wrong%20words')), /can't be reached: .*password authentication failed for user "locked"/);
  refused(init(url('')), /can't be reached: .*no password supplied/);
  refused(init(url(':right%20words')), /permission denied.*grant CREATE/);
});

test('missing rights to connect or to create tables are reported', (t) => {
  const url = database(t);
  const role = unique('weak');
  psql(CLUSTER, `CREATE ROLE ${role} LOGIN`);
  t.after(() => psql(CLUSTER, `DROP ROLE ${role}`));
  refused(init(url.replace('//desk@', `//${role}@`)), /^deskd: 0001_desk.sql failed, the database stays at schema 0: ERROR: +permission denied.*grant CREATE/);
  assert.equal(contents(url), '');
  psql(url, `REVOKE CONNECT ON DATABASE ${new URL(url.replace('@/', '@x/')).pathname.slice(1)} FROM PUBLIC`);
  refused(init(url.replace('//desk@', `//${role}@`)), /permission denied for database/);
});

test('missing rights to read the tables of a desk are reported', (t) => {
  const url = database(t);
  const role = unique('stranger');
  psql(CLUSTER, `CREATE ROLE ${role} LOGIN`);
  t.after(() => psql(CLUSTER, `DROP ROLE ${role}`));
  assert.equal(init(url).status, 0);
  for (const command of ['check', 'serve']) refused(deskd(command, '--data', directory(), '--database', url.replace('//desk@', `//${role}@`), ...(command === 'serve' ? ['--listen', '127.0.0.1:0'] : [])), /this user may not use the table \w+ of the desk: log in as its owner/);
});

test('a read-only database is refused', (t) => {
  const url = database(t);
  psql(url, `ALTER DATABASE ${new URL(url.replace('@/', '@x/')).pathname.slice(1)} SET default_transaction_read_only = on`);
  refused(init(url), /read-only: set its default_transaction_read_only to off/);
});

test('a search_path without a schema is refused, and a named schema is used', (t) => {
  const url = database(t);
  const aside = `${url}&options=-csearch_path%3Daside`;
  refused(init(aside), /no schema in its search_path/);
  psql(url, 'CREATE SCHEMA aside; CREATE TABLE public.theirs (id int)');
  const made = init(aside);
  assert.equal(made.status, 0, made.stderr);
  assert.equal(contents(url), 'theirs');
});

test('tables of another program are not changed', (t) => {
  const url = database(t);
  psql(url, 'CREATE TABLE theirs (id int)');
  refused(init(url), /has tables of another program: name an empty database/);
  assert.equal(contents(url), 'theirs');
});

test('a schema newer than the program, or another schema, is not changed', (t) => {
  const url = database(t);
  assert.equal(init(url).status, 0);
  const serve = () => deskd('serve', '--data', directory(), '--database', url, '--listen', '127.0.0.1:0');
  refused(init(url), /holds a desk already/);
  psql(url, "INSERT INTO schema_version VALUES (9999, '9999_later.sql', 0)");
  for (const done of [init(url), serve(), deskd('check', '--data', directory(), '--database', url)])
    refused(done, /schema 9999, but this deskd supports only \d+: start the newer deskd/);
  psql(url, "DELETE FROM schema_version WHERE version = 9999; UPDATE schema_version SET name = '0001_other.sql' WHERE version = (SELECT max(version) FROM schema_version)");
  for (const done of [init(url), serve()]) refused(done, /start the deskd that made the store/);
});

const FIRST = fileURLToPath(new URL('../../schema/0001_desk.sql', import.meta.url));

/** A database with only the first schema file, as an interrupted start or an older program leaves it. */
function behind(t) {
  const url = database(t);
  const text = readFileSync(FIRST, 'utf8').replaceAll('@ID@', 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY').replaceAll('@BLOB@', 'BYTEA');
  psql(url, `${text}; CREATE TABLE schema_version (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);
    INSERT INTO schema_version VALUES (1, '0001_desk.sql', 0)`);
  return url;
}

test('an older schema is reported by check and updated by a start', (t) => {
  const url = behind(t);
  refused(deskd('check', '--data', directory(), '--database', url), /has schema 1, this deskd needs \d+: start deskd serve to update it/);
  assert.equal(psql(url, 'SELECT max(version) FROM schema_version'), '1');
  const done = init(url);
  assert.equal(done.status, 0, done.stderr);
  assert.equal(deskd('check', '--data', directory(), '--database', url).status, 0);
});

test('a failed migration leaves the database unchanged', (t) => {
  const url = behind(t);
  psql(url, "INSERT INTO roles (id, title, type, is_system, agent_case_access, denied, created_at, updated_at) VALUES (3, 'In the way', 2, 0, 3, 0, 0, 0)");
  const before = psql(url, 'SELECT count(*), (SELECT count(*) FROM case_statuses), (SELECT max(version) FROM schema_version) FROM roles');
  refused(init(url), /^deskd: 0002_seed.sql failed, the database stays at schema 1: ERROR: +duplicate key/);
  assert.equal(psql(url, 'SELECT count(*), (SELECT count(*) FROM case_statuses), (SELECT max(version) FROM schema_version) FROM roles'), before);
});

test('one of several concurrent inits succeeds', async (t) => {
  const url = database(t);
  const file = secret();
  const dir = directory();
  const runs = await Promise.all(Array.from({ length: 4 }, () => running(['init', '--data', dir, '--database', url, '--password-file', file])));
  assert.equal(runs.filter(({ status }) => status === 0).length, 1, JSON.stringify(runs));
  for (const done of runs) if (done.status) refused(done, /holds a desk already/);
  assert.equal(psql(url, 'SELECT count(*) = max(version) FROM schema_version'), 't');
});

test('concurrent starts on an empty database or an older schema all serve, with one owner and one key', async (t) => {
  for (const url of [database(t), behind(t)]) {
    const key = join(directory(), 'key');
    const starts = Array.from({ length: 3 }, () => new Desk(directory(), { url, base: 'http://desk.example', args: ['--secret-file', key, '--password-file', secret(), '--owner-email', 'owner@example.com'] }));
    for (const desk of starts) desk.people = { owner: { email: 'owner@example.com', password: PASSWORD } };
    await Promise.all(starts.map((desk) => desk.start()));
    defer(t, () => Promise.all(starts.map((desk) => desk.stop())));
    const [first, ...others] = starts;
    const { id } = await first.session(first.owner);
    for (const desk of others) (await desk.anyone.with({ 'X-Session-ID': id }).get('/users')).must(200);
    assert.equal(psql(url, 'SELECT count(*), (SELECT count(*) = max(version) FROM schema_version) FROM users'), '1|t');
  }
});

/** As refused(), for a process that logs warnings before, such as that of its clock. */
function refusedAtLast({ status, stderr }, pattern) {
  assert.equal(status, 1, stderr);
  assert.match(stderr.trimEnd().split('\n').at(-1), pattern);
}

test('a process with another server key than the others of its database is refused, unless the key is declared new', async (t) => {
  const url = database(t), [own, other] = [directory(), directory()];
  init(url, own);
  const first = await new Desk(own, { url, processes: 1 }).start();
  defer(t, () => first.stop()); // no-op if it has ended
  const stranger = ['serve', '--data', other, '--database', url, '--listen', '127.0.0.1:0', '--clock', first.clock.file];
  refusedAtLast(await running(stranger), /have a different server key: give this one a copy of their secret\.key \(--secret-file\)/);
  const same = await new Desk(directory(), { url, processes: 1, base: first.base, args: ['--secret-file', join(own, 'secret.key')] }).start();
  await same.stop();
  refusedAtLast(await running([...stranger, '--base-url', first.base, '--new-key']), /other processes serve .* with its present key: stop them before --new-key/);
  await first.stop();
  const renewed = await new Desk(other, { url, processes: 1, args: ['--new-key'] }).start();
  assert.match(renewed.log, /the server key has changed: all sessions have ended/);
  await renewed.stop();
  refusedAtLast(await running(['serve', '--data', own, '--database', url, '--listen', '127.0.0.1:0']), /have a different server key/);
});

test('a process with another version or base URL than one that runs is refused, and serves after its end', async (t) => {
  const url = database(t), dir = directory();
  init(url, dir);
  const first = await new Desk(dir, { url, processes: 1, base: 'https://desk.example' }).start();
  defer(t, () => first.stop());
  const serve = (base) => running(['serve', '--data', dir, '--database', url, '--listen', '127.0.0.1:0', '--clock', first.clock.file, '--base-url', base]);
  refusedAtLast(await serve('https://other.example'), /has the base URL https:\/\/desk\.example, this one https:\/\/other\.example: start all with one --base-url/);
  const same = await new Desk(dir, { url, processes: 1, base: 'https://desk.example', clock: first.clock.now }).start();
  await same.stop();
  psql(url, "UPDATE leases SET version = '0.0.1' WHERE name LIKE 'process %' AND until > 0");
  refusedAtLast(await serve('https://desk.example'), /is deskd 0\.0\.1, this one is \d\S*: stop it, and start all with one version/);
  await first.stop();
  await (await new Desk(dir, { url, processes: 1, base: 'https://other.example', clock: first.clock.now }).start()).stop();
});

test('a schema is not updated while another process uses the database', async (t) => {
  const url = behind(t);
  const old = connection(t, `${url}&application_name=deskd`);
  await old.say('SELECT 1');
  refused(await running(['serve', '--data', directory(), '--database', url, '--listen', '127.0.0.1:0']), /1 connections of deskd use the database: stop those processes, then update it/);
  assert.equal(psql(url, 'SELECT max(version) FROM schema_version'), '1');
  await old.end();
  assert.equal(init(url).status, 0);
});

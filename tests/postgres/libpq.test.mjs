import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Desk, PASSWORD, defer, directory, until } from '../api/lib/index.mjs';
import { CLUSTER, Cluster, database, freePort, init, psql, refused, running, secret } from './cluster.mjs';

// Settings of libpq in the URL of a database. Each is tried on a server that requires it.

const people = { owner: { email: 'owner@example.com', password: PASSWORD } };
const initialise = (url, env) => running(['init', '--data', directory(), '--database', url, '--password-file', secret()], env);
const done = ({ status, stderr }) => assert.equal(status, 0, stderr);
const parts = (url) => ({ name: /\/([^/?]*)\?/.exec(url)[1], host: /host=([^&]*)/.exec(url)[1] });

function file(name, text) {
  const path = join(directory(), name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

test('a service file gives the address of the database', async (t) => {
  const { name, host } = parts(database(t));
  const PGSERVICEFILE = file('services', `[desk]\nhost=${host}\nuser=desk\ndbname=${name}\n`);
  refused(await initialise('postgres://?service=nobody', { PGSERVICEFILE }), /definition of service "nobody" not found/);
  done(await initialise('postgres:///?service=desk', { PGSERVICEFILE }));
  done(await running(['check', '--data', directory(), '--database', 'postgresql://?service=desk'], { PGSERVICEFILE }));
});

test('names the connection for pg_stat_activity: deskd, or the name in the URL', async (t) => {
  for (const [more, wanted] of [['', 'deskd'], ['&application_name=north', 'north']]) {
    const url = database(t);
    done(await initialise(url));
    const desk = new Desk(directory(), { url: `${url}${more}`, people });
    defer(t, () => desk.stop());
    await desk.start();
    (await desk.owner.get('/users')).must(200);
    assert.equal(psql(url, 'SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'), wanted);
  }
});

test('options in the URL apply to the session', async (t) => {
  const url = database(t);
  psql(url, 'CREATE SCHEMA north');
  done(await initialise(`${url}&options=-csearch_path%3Dnorth%20-cwork_mem%3D9MB`));
  assert.equal(psql(url, "SELECT count(*) > 10 FROM pg_tables WHERE schemaname = 'north'"), 't');
});

test('passwords: in the URL, in a file, in the environment; with TLS, required and verified', async (t) => {
  const keys = directory();
  const openssl = (...args) => execFileSync('openssl', args, { cwd: keys, stdio: 'ignore' });
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=desk test CA', '-keyout', 'ca.key', '-out', 'ca.pem');
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=another CA', '-keyout', 'other.key', '-out', 'other.pem');
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(join(keys, 'names'), 'subjectAltName=DNS:localhost\n');
  openssl('x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names', '-out', 'server.pem');
  const cluster = new Cluster(t, { port: await freePort(), hba: ['hostssl all all 127.0.0.1/32 scram-sha-256'], settings: { ssl: 'on', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' } });
  for (const name of ['server.pem', 'server.key']) cluster.write(name, execFileSync('cat', [join(keys, name)], { encoding: 'utf8' }));
  cluster.start();
  psql(cluster.url('postgres'), "CREATE ROLE north LOGIN PASSWORD 'p@ss/wörd'; CREATE DATABASE north OWNER north");
  const url = (host, more, password = ':p%40ss%2Fw%C3%B6rd') => `postgres://north${password}@${host}:${cluster.port}/north?${more}`;
  const ca = `sslrootcert=${join(keys, 'ca.pem')}`;

  refused(await initialise(url('localhost', 'sslmode=disable')), /no pg_hba.conf entry.*no encryption/);
  refused(await initialise(url('localhost', `sslmode=verify-full&sslrootcert=${join(keys, 'other.pem')}`)), /certificate verify failed/);
  refused(await initialise(url('127.0.0.1', `sslmode=verify-full&${ca}`)), /server certificate for "localhost".* does not match host name "127.0.0.1"/);
  refused(await initialise(url('localhost', `sslmode=verify-full&sslrootcert=${join(keys, 'none.pem')}`)), /root certificate file ".*none.pem" does not exist/);
  done(await initialise(url('localhost', `sslmode=verify-full&${ca}`)));

  const passfile = file('pgpass', `localhost:${cluster.port}:north:north:p@ss/wörd\n`);
  const service = file('services', `[north]\nhost=localhost\nport=${cluster.port}\nuser=north\ndbname=north\nsslmode=verify-full\nsslrootcert=${join(keys, 'ca.pem')}\npassfile=${passfile}\n`);
  for (const [said, env] of [
    [url('localhost', `sslmode=require&passfile=${encodeURIComponent(passfile)}`, ''), {}],
    [url('localhost', 'sslmode=require', ''), { PGPASSWORD: 'p@ss/wörd' }],
    ['postgres://?service=north', { PGSERVICEFILE: service }],
  ]) {
    const desk = new Desk(keys, { url: said, env, people });
    defer(t, () => desk.stop());
    await desk.start();
    (await desk.owner.get('/users')).must(200);
    assert.equal(psql(cluster.url('postgres'), "SELECT bool_and(ssl), count(*) > 0 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'north'"), 't|t');
    await desk.stop();
  }
});

test('several hosts: the writable one is used, also after a failover', { timeout: 300_000 }, async (t) => {
  const first = new Cluster(t, { settings: { wal_level: 'replica', max_wal_senders: 4 } }).start();
  const url = (more = '') => `postgres://desk@/postgres?host=${second.place},${first.place}${more}`;
  const second = new Cluster(t, { from: first, settings: { hot_standby: 'on' } }).start();
  refused(init(second.url('postgres')), /the database is a standby: name its primary, or all servers and target_session_attrs=read-write/);
  refused(init(url()), /is a standby/);
  done(init(url('&target_session_attrs=read-write')));
  const desk = new Desk(directory(), { url: url('&target_session_attrs=read-write'), people, processes: 2 });
  defer(t, () => desk.stop());
  await desk.start();
  desk.expects5xx = true;
  psql(first.url('postgres'), `ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()`);
  const write = () => desk.owner.post('/conversations', { subject: 'S', contents: 'C' });
  const kept = [];
  await until('fifty writes', async () => kept.push((await write()).must(201).data.id) >= 50);
  first.stop('immediate');
  (await write()).must(503);
  second.promote();
  await until('a write on the other', async () => (await write()).status === 201);
  const there = new Set(psql(second.url('postgres'), 'SELECT id FROM cases').split('\n').map(Number));
  assert.deepEqual(kept.filter((id) => !there.has(id)), [], 'acknowledged posts that are lost');
  assert.equal(desk.check().status, 0);
});

test('a socket and a host name the same database', async (t) => {
  const cluster = new Cluster(t, { port: await freePort(), hba: ['host all all 127.0.0.1/32 trust'] }).start();
  done(await initialise(cluster.url('postgres')));
  refused(await initialise(`postgres://desk@127.0.0.1:${cluster.port}/postgres`), /holds a desk already/);
  assert.ok(CLUSTER.includes('host=/'));
});

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINARY, PASSWORD, defer, deskd, directory, freePort } from '../api/lib/index.mjs';

export { freePort };

/** The URL of the cluster that tests/postgres.sh started. */
export const CLUSTER = process.env.DATABASE;
const BIN = process.env.PGBIN;

/** Runs SQL to its end, each statement in its own transaction. Returns the output. */
export function psql(url, sql) {
  const done = spawnSync('psql', [url, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'], { encoding: 'utf8', input: sql });
  assert.equal(done.status, 0, `${sql}: ${done.stderr}`);
  return done.stdout.trim();
}

let made = 0;
export const unique = (word) => `${word}_${process.pid}_${++made}`;

/** The URL of a new database, which is dropped with the test. */
export function database(t, options = '', cluster = CLUSTER) {
  const name = unique('engine');
  psql(cluster, `CREATE DATABASE ${name} ${options}`);
  defer(t, async () => psql(cluster, `DROP DATABASE ${name} WITH (FORCE)`));
  return cluster.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`);
}

export function secret() {
  const file = join(directory(), 'password');
  writeFileSync(file, `${PASSWORD}\n`, { mode: 0o600 });
  return file;
}

export const init = (url, dir = directory()) =>
  deskd('init', '--data', dir, '--database', url, '--owner-email', 'owner@example.com', '--password-file', secret());

/** Runs `deskd <args>` to its end without blocking: {status, stdout, stderr}. */
export function running(args, env = {}) {
  return new Promise((resolve) => {
    const done = { stdout: '', stderr: '' };
    const child = spawn(BINARY, args, { env: { ...process.env, ...env } });
    for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => { done[name] += text; });
    child.on('close', (status) => resolve({ status, ...done }));
  });
}

/** Checks for exit code 1, an empty standard output, and one line of error. */
export function refused({ status, stdout, stderr }, pattern) {
  assert.equal(status, 1, stderr);
  assert.match(stderr, /^deskd: [^\n]+\n$/, 'one line');
  assert.match(stderr, pattern);
  assert.equal(stdout, '');
}

/** The number of statements in this database that wait for a lock. Other test files use other databases of the cluster. */
export const lockWaits = (url) => Number(psql(url, `SELECT count(*) FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database() AND backend_type = 'client backend'`));

/** The objects of a desk in a database as one text: tables, and the rows that every desk has. */
export const contents = (url) => psql(url, `SELECT string_agg(c.relname, ',' ORDER BY c.relname) FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind = 'r'`);

const ROOT = process.getuid() === 0;
/** PostgreSQL refuses to run as root. */
const as = (command, args, options = {}) => (ROOT
  ? execFileSync('runuser', ['-u', 'postgres', '--', command, ...args], { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], ...options })
  : execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options }));

/** Gives a path to the user that runs PostgreSQL. */
export function own(path) {
  if (ROOT) chownSync(path, ...['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres']))));
}

/** A PostgreSQL server for this test that can be restarted, stopped and misconfigured. It listens on a socket in its folder, and on a port
 * on request. */
export class Cluster {
  /** `settings`: server settings with values without spaces. `hba`: lines of pg_hba.conf. `port`: also listens on 127.0.0.1. `from`: a server
   * whose replica it is. `empty`: the test fills the data folder. */
  constructor(t, { settings = {}, hba, port, from, empty = false } = {}) {
    this.place = mkdtempSync(join(tmpdir(), 'deskd-pg-'));
    own(this.place);
    this.data = join(this.place, 'data');
    this.port = port;
    this.settings = { unix_socket_directories: this.place, listen_addresses: port ? '127.0.0.1' : '', port: port ?? 5432, fsync: 'off', max_connections: 60, shared_buffers: '16MB', ...settings };
    defer(t, async () => {
      if (this.running) this.stop('immediate');
      rmSync(this.place, { recursive: true, force: true });
    });
    if (from) as(join(BIN, 'pg_basebackup'), ['-d', from.url('postgres'), '-D', this.data, '-R', '-X', 'stream', '-c', 'fast']);
    else if (!empty) as(join(BIN, 'initdb'), ['-D', this.data, '-A', 'trust', '-U', 'desk', '-E', 'UTF8', '--locale=C.UTF-8', '-N']);
    if (hba) this.write('pg_hba.conf', `local all all trust\n${hba.join('\n')}\n`);
  }

  /** A file in the data folder that only the server can read. */
  write(name, text) {
    const file = join(this.data, name);
    writeFileSync(file, text, { mode: 0o600 });
    own(file);
    return file;
  }

  ctl(...args) { as(join(BIN, 'pg_ctl'), ['-D', this.data, '-w', ...args], { stdio: 'ignore' }); }

  start() {
    const settings = Object.entries(this.settings).map(([name, value]) => `-c ${name}=${value}`).join(' ');
    this.ctl('-l', join(this.place, 'log'), '-o', settings, 'start');
    this.running = true;
    return this;
  }

  stop(mode = 'fast') {
    this.running = false;
    this.ctl('-m', mode, 'stop');
  }

  restart(mode) {
    this.stop(mode);
    this.start();
  }

  promote() { this.ctl('promote'); }

  /** The postmaster and all processes it has started. */
  pids() {
    const [first] = readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n');
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', first], { encoding: 'utf8' }).stdout.trim().split(/\s+/);
    return [first, ...children].filter(Boolean).map(Number);
  }

  signal(name) {
    for (const pid of this.pids()) {
      try { process.kill(pid, name); } catch { /* the process has ended meanwhile */ }
    }
  }

  url(name, more = '') { return `postgres://desk@/${name}?host=${this.place}${this.port ? `&port=${this.port}` : ''}${more && `&${more}`}`; }
}

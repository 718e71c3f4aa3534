import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsClock } from './clock.mjs';
import { until } from './until.mjs';

// Data folders and databases of the tests.

export const BINARY = process.env.DESKD ?? fileURLToPath(new URL('../../../deskd', import.meta.url));
export const PASSWORD = 'Tr0ub4dor & 3 horses';
/** The hash of PASSWORD at the lowest cost of Argon2id. The server verifies a hash at the cost that the hash names. */
const QUICK_HASH = '$argon2id$v=19$m=8,t=1,p=1$zf8o/zhUvIzRJeedc35HMw$Clk0Wv2XveeiXAemD4VCQ//U7CLkPi3dgIiir8IOgjs';

/** The folder of this test file. */
const scratch = mkdtempSync(join(tmpdir(), 'deskd-tests-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
/** The folder of stores that several test files copy. tests/scratch.sh creates it. Without it each file creates its own. */
const shared = process.env.SHARED_STORES ?? scratch;

const CLOCK = commandsClock(join(scratch, 'clock'));

export const directory = () => mkdtempSync(join(scratch, 'desk-'));

/** With DATABASE=postgres://... each store is a database of that cluster, named after its folder. Otherwise it is a folder. */
export const CLUSTER = process.env.DATABASE;
const databaseName = (dir) => `deskd_${dir.replace(/\W/g, '_').slice(-50).toLowerCase()}`;
export const databaseUrl = (dir) => CLUSTER.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${databaseName(dir)}`);
/** The options that name the store in `dir`. */
export const store = (dir) => (CLUSTER ? ['--data', dir, '--database', databaseUrl(dir)] : ['--data', dir]);

/** Runs a program to its end. It must exit with 0. */
function run(program, ...args) {
  const done = spawnSync(program, args, { encoding: 'utf8' });
  assert.equal(done.status, 0, `${program}: ${done.stderr}${done.error ?? ''}`);
  return done.stdout.trim();
}
const psql = (url, sql) => run('psql', url, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql);

/** Runs SQL on a store. Returns the selected rows as text. */
export const query = (dir, sql) => (CLUSTER ? psql(databaseUrl(dir), sql) : run('sqlite3', '-cmd', '.timeout 10000', join(dir, 'desk.db'), sql));

export const createDatabase = (dir, from) => CLUSTER && psql(CLUSTER, `CREATE DATABASE ${databaseName(dir)}${from ? ` TEMPLATE ${databaseName(from)} STRATEGY FILE_COPY` : ''}`);
export const dropDatabase = (dir) => CLUSTER && psql(CLUSTER, `DROP DATABASE IF EXISTS ${databaseName(dir)} WITH (FORCE)`);

/** Ends the leases of processes that were killed. The clock of a test may stand still, and they would count as running. */
export const forgetProcesses = (url) => psql(url, "UPDATE leases SET until = 0 WHERE name LIKE 'process %'");

/** Runs `deskd <args>` to its end. A server gets the system's time, because it logs a line about another clock. */
export const deskd = (...args) => spawnSync(BINARY, args, { encoding: 'utf8', timeout: 60_000, maxBuffer: 64 << 20, env: args[0] === 'serve' ? process.env : { ...process.env, DESKD_CLOCK: CLOCK } });

/** A file that contains PASSWORD. */
export function passwordFile() {
  const file = join(directory(), 'password');
  writeFileSync(file, `${PASSWORD}\n`, { mode: 0o600 });
  return file;
}

/** Creates a store in `dir` with a deskd command that takes a password. */
export function make(dir, command, ...args) {
  createDatabase(dir);
  const made = deskd(command, ...store(dir), ...args, '--password-file', passwordFile());
  assert.equal(made.status, 0, `${command}: ${made.stderr}${made.error ?? ''}`);
  return dir;
}

/** Gives everybody with a password the cheap hash of PASSWORD. */
export function quicken(dir) {
  query(dir, `UPDATE users SET password_hash = '${QUICK_HASH}' WHERE password_hash IS NOT NULL`);
}

/** A store that tests copy: {dir, ...result of `fill(dir)`}. The first test file that needs `name` creates it, the others wait for
 * it. If the first one fails, the others fail with its message. */
export async function once(name, fill) {
  const place = join(shared, name), ready = join(place, 'ready.json'), failed = join(place, 'failed.txt');
  mkdirSync(shared, { recursive: true });
  let first = true;
  try {
    mkdirSync(place);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    first = false;
  }
  const dir = join(place, CLUSTER ? 'database' : 'store');
  if (first) {
    mkdirSync(dir);
    try {
      writeFileSync(`${ready}.new`, JSON.stringify(await fill(dir)));
    } catch (error) {
      writeFileSync(`${failed}.new`, error.message);
      renameSync(`${failed}.new`, failed);
      throw error;
    }
    renameSync(`${ready}.new`, ready);
  } else {
    await until(`the store ${name}, which another test creates`, () => existsSync(ready) || existsSync(failed), { within: 60_000 });
    if (existsSync(failed)) assert.fail(`the store ${name} could not be created: ${readFileSync(failed, 'utf8')}`);
  }
  return { dir, ...JSON.parse(readFileSync(ready, 'utf8')) };
}

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deskd, directory, open } from '../api/lib/index.mjs';

const PAGE = 2048;

/** The first page of a table of a stopped desk; undefined without the sqlite3 shell. */
function pageOf(desk, table) {
  const asked = spawnSync('sqlite3', [join(desk.dir, 'desk.db'), `SELECT rootpage FROM sqlite_schema WHERE name = '${table}'`], { encoding: 'utf8' });
  return asked.error ? undefined : Number(asked.stdout);
}

/** Overwrites bytes of the store file. Returns the former bytes. */
function write(desk, at, bytes) {
  const fd = openSync(join(desk.dir, 'desk.db'), 'r+'), before = Buffer.alloc(bytes.length);
  readSync(fd, before, 0, before.length, at);
  writeSync(fd, bytes, 0, bytes.length, at);
  closeSync(fd);
  return before;
}

const ready = async (desk) => { const { status, text } = await desk.anyone.exchange('GET', '/readyz'); return [status, text]; };
const sound = async (desk) => Number(/^deskd_store_sound (\d)$/m.exec((await desk.anyone.exchange('GET', '/metrics')).text)[1]);

test('a damaged store is red in /readyz and the metrics, across restarts, until a check finds no defect', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  await desk.owner.create('/teams', { title: 'T' });
  await desk.stop();
  const page = pageOf(desk, 'teams');
  if (page === undefined) return t.skip('sqlite3 is not installed');
  const before = write(desk, (page - 1) * PAGE, Buffer.alloc(PAGE, 0xff));
  await desk.start();
  assert.deepEqual([await ready(desk), await sound(desk)], [[200, 'ready\n'], 1]);
  desk.expects5xx = true;
  (await desk.owner.get('/teams')).refused(503, 'SERVICE_UNAVAILABLE');
  const red = [[503, 'the store is damaged: run deskd check\n'], 0];
  assert.deepEqual([await ready(desk), await sound(desk)], red);
  assert.match(desk.log, /error store: it is damaged \(database disk image is malformed\): run deskd check, and restore a backup/);
  assert.equal(desk.check().status, 1);
  assert.deepEqual([await ready(desk), await sound(desk)], red);
  await desk.restart();
  assert.deepEqual([await ready(desk), await sound(desk)], red);
  await desk.stop();
  write(desk, (page - 1) * PAGE, before);
  await desk.start();
  assert.deepEqual([await ready(desk), await sound(desk)], red);
  assert.equal(desk.check().status, 0);
  assert.deepEqual([await ready(desk), await sound(desk)], [[200, 'ready\n'], 1]);
  assert.equal((await desk.owner.get('/teams')).must(200).body.total_count, 1);
});

test('a backup of a damaged store fails with the reason and leaves no file; a backup of a sound one is verified', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  await desk.owner.create('/teams', { title: 'T' });
  await desk.stop();
  const page = pageOf(desk, 'teams');
  if (page === undefined) return t.skip('sqlite3 is not installed');
  const place = directory(), to = join(place, 'a #1?.db');
  const backup = () => deskd('backup', '--data', desk.dir, '--to', to);
  const before = write(desk, (page - 1) * PAGE, Buffer.alloc(PAGE, 0xff));
  const { status, stderr } = backup();
  assert.equal(status, 1);
  assert.match(stderr, /^deskd: the copy is damaged, so the store is, too \(run deskd check\): [^\n]+\n$/);
  assert.deepEqual(readdirSync(place), []);
  write(desk, (page - 1) * PAGE, before);
  assert.equal(backup().status, 0);
  assert.deepEqual(readdirSync(place), ['a #1?.db']);
});

test('a backup of an empty store fails', () => {
  const dir = directory(), to = join(directory(), 'desk.db');
  writeFileSync(join(dir, 'desk.db'), '');
  const { status, stderr } = deskd('backup', '--data', dir, '--to', to);
  assert.equal(status, 1);
  assert.match(stderr, /^deskd: [^\n]+\n$/);
  assert.ok(!existsSync(to));
});

test('the check finds a damaged header, also if the WAL hides it from SQLite', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  await desk.owner.create('/teams', { title: 'T' });
  await desk.stop();
  const parts = { 0: 'mark of SQLite', 17: 'size of a page', 18: 'mode of the log', 19: 'mode of the log', 21: 'layout of a page', 47: 'format of the schema', 59: 'encoding of texts', 80: 'reserved part' };
  for (const [at, part] of Object.entries(parts)) {
    const before = write(desk, Number(at), Buffer.from([0x77]));
    const { status, stdout } = desk.check();
    assert.equal(status, 1, part);
    assert.match(stdout, new RegExp(`^the header of the store file is damaged: the ${part}$`, 'm'));
    write(desk, Number(at), before);
    assert.equal(desk.check().status, 0, part);
  }
  await desk.start();
  await desk.owner.create('/users/fields', { key: 'a', type: 'TEXT', title: 'a' }); // a change of the schema or a counter writes page 1 to the WAL
  const before = write(desk, 0, Buffer.alloc(16));
  assert.match(desk.check().stdout, /the header of the store file is damaged: the mark of SQLite/);
  write(desk, 0, before);
  assert.equal(readFileSync(join(desk.dir, 'desk.db')).toString('latin1', 0, 15), 'SQLite format 3');
});

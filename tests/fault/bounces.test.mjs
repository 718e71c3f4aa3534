import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BINARY, connect, defer, deliver, directory, fixture, mailIn, open, relay, until, waiting } from '../api/lib/index.mjs';
import { shim } from './shim.mjs';

const SHIM = shim('eio');

/** A desk whose relay accepted so many invitations: a report about each, and the ids of their recipients. */
async function reports(t, count, options = {}) {
  const desk = await open(t, options);
  const to = await relay(t);
  await connect(desk, to);
  const ids = [];
  for (let i = 0; i < count; i++) ids.push((await desk.owner.create('/users/invite', { full_name: 'Ines', email: `p${i}@people.example` })).id);
  await until('the letters', () => to.mails.length === count);
  return { desk, ids, mails: to.mails.map((mail) => fixture('postfix', mail)) };
}
/** Resets the access time of the file, so that wasRead shows a later read. */
const unread = (file) => utimesSync(file, 0, statSync(file).mtimeMs / 1000);
const wasRead = (file) => statSync(file).atimeMs > 0;
const noted = async (desk, id) => (await desk.staff.fetch(`/users/${id}/activities`)).filter((a) => a.activity === 'USER_MAIL_FAILED').length;

test('every acknowledged report survives SIGKILL of the desk, and none is recorded twice', { timeout: 300_000 }, async (t) => {
  const { desk, ids, mails } = await reports(t, 60);
  const copies = directory();
  let next = 0;
  for (const handled of [1, 7, 20, 41]) {
    for (; next < handled + 15; next++) assert.equal(mailIn(desk, mails[next]).status, 0);
    for (const name of waiting(desk)) if (statSync(join(desk.dir, 'mail/new', name), { throwIfNoEntry: false })) copyFileSync(join(desk.dir, 'mail/new', name), join(copies, name));
    await until('some of them to be handled', () => next - waiting(desk).length >= handled);
    await desk.kill();
    for (const name of readdirSync(copies)) copyFileSync(join(copies, name), join(desk.dir, 'mail/new', name));
    assert.equal(desk.check().status, 0);
    await desk.start();
  }
  for (; next < mails.length; next++) assert.equal(mailIn(desk, mails[next]).status, 0);
  await until('the inbox to be empty', () => waiting(desk).length === 0);
  for (const id of ids) assert.equal(await noted(desk, id), 1);
});

test('a full disk refuses a report without leftovers, and accepts it when there is space again', async (t) => {
  const disk = directory();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]);
  if (mounted.status !== 0) return t.skip('mount is not permitted here');
  defer(t, () => assert.equal(spawnSync('umount', [disk]).status, 0, 'umount'));
  const { desk, ids, mails } = await reports(t, 1, { dir: join(disk, 'data') });
  const filler = join(disk, 'filler');
  await desk.stop();
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096']);
  const { status, stderr } = mailIn(desk, mails[0]);
  assert.equal(status, 75);
  assert.match(stderr, /^deskd: \S+\/mail can't store a mail now: No space left on device\. The mail server tries again; otherwise run mail-in again\n$/);
  assert.deepEqual([waiting(desk), waiting(desk, 'tmp')], [[], []]);
  rmSync(filler);
  assert.equal(mailIn(desk, mails[0]).status, 0);
  await desk.start();
  await until('the note', async () => await noted(desk, ids[0]) === 1);
});

test('a disk that fails to sync refuses a report without leftovers', async (t) => {
  if (!SHIM) return t.skip('eio.so is not built');
  const dir = directory();
  for (const folder of ['tmp', 'new', 'failed']) mkdirSync(join(dir, 'mail', folder), { recursive: true });
  const sick = join(directory(), 'sick');
  const env = { LD_PRELOAD: SHIM, DESKD_FAULT: sick, DESKD_FAULT_UNDER: dir };
  const report = fixture('postfix', '<x@example.com>');
  writeFileSync(sick, 'sync');
  const { status, stderr } = mailIn({ dir }, report, { env });
  assert.equal(status, 75);
  assert.match(stderr, /mail can't store a mail now: Input\/output error/);
  assert.deepEqual([waiting({ dir }), waiting({ dir }, 'tmp')], [[], []]);
  rmSync(sick);
  assert.equal(mailIn({ dir }, report, { env }).status, 0);
});

test('a report is acknowledged after its bytes and its name are synced', (t) => {
  const dir = directory();
  for (const folder of ['tmp', 'new', 'failed']) mkdirSync(join(dir, 'mail', folder), { recursive: true });
  const trace = join(directory(), 'trace');
  const done = spawnSync('strace', ['-f', '-y', '-o', trace, '-e', 'trace=write,fsync,rename,renameat,renameat2,exit_group', BINARY, 'mail-in', '--data', dir],
    { input: fixture('postfix', '<x@example.com>'), encoding: 'utf8' });
  if (done.error || /PTRACE|not permitted/.test(done.stderr)) return t.skip('strace does not work here');
  assert.equal(done.status, 0, done.stderr);
  const calls = readFileSync(trace, 'utf8').split('\n').filter((line) => line.includes(dir) || line.includes('exit_group'))
    .map((line) => /(write|fsync|rename|exit_group)\w*\(.*?(\/tmp\/[^/>]+>|\/new>|$)/.exec(line)?.slice(1).join(' ')).filter(Boolean);
  assert.deepEqual(calls.map((call) => call.replace(/ .*\/(tmp|new).*/, ' $1').trim()), ['write tmp', 'write tmp', 'fsync tmp', 'rename', 'fsync new', 'exit_group']);
});

test('a report waits while the store can\'t be written, and is recorded afterwards', { timeout: 300_000 }, async (t) => {
  const sick = join(directory(), 'sick');
  const dir = directory();
  writeFileSync(sick, 'sync');
  unread(sick);
  readFileSync(sick);
  if (!SHIM || !wasRead(sick)) return t.skip('eio.so is not built, or this file system keeps no access times');
  rmSync(sick);
  const { desk, ids, mails } = await reports(t, 1, { dir, env: { LD_PRELOAD: SHIM, DESKD_FAULT: sick, DESKD_FAULT_UNDER: `${dir}/desk.db` } });
  desk.expects5xx = true;
  writeFileSync(sick, 'sync');
  await until('writes to fail', async () => (await desk.owner.post('/teams', { title: 'Sick' })).status === 503);
  assert.equal(mailIn(desk, mails[0]).status, 0);
  const [file] = waiting(desk).map((name) => join(desk.dir, 'mail/new', name));
  for (let i = 0; i < 2; i++) {
    unread(file);
    await until('the desk to read it', () => wasRead(file));
  }
  assert.deepEqual([waiting(desk).length, waiting(desk, 'failed').length], [1, 0]);
  rmSync(sick);
  await until('the note', async () => await noted(desk, ids[0]) === 1);
  await until('the inbox to be empty', () => waiting(desk).length === 0);
});

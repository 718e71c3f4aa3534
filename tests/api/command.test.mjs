import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Desk, defer, deskd, directory, open, raw } from './lib/index.mjs';

/** This exit code, and one line that says so. */
function refused(done, status, pattern) {
  assert.equal(done.status, status, done.stdout + done.stderr);
  assert.match(done.stderr, /^deskd: [^\n]+\n$/);
  assert.match(done.stderr, pattern);
}

test('an option of the wrong form is wrong usage: status 2 and one line that shows the form', () => {
  for (const [name, value, form] of [
    ['base-url', 'foo', /--base-url takes a URL as https:\/\/desk\.example\.com, not "foo"/],
    ['listen', 'localhost:80', /--listen takes a numeric address and a port/],
    ['proxies', 'proxy.example', /--proxies takes numeric addresses/],
    ['owner-email', 'nobody', /--owner-email takes an e-mail address, not "nobody"/],
    ['database', 'desk', /--database takes a URL as postgres:/],
    ['threads', '0', /--threads takes a whole number from 1 to 64/],
    ['log-level', 'loud', /--log-level takes one of /],
    ['no-such-thing', 'x', /there is no option --no-such-thing/],
  ]) refused(deskd('serve', '--data', directory(), `--${name}`, value), 2, form);
  refused(deskd('serve', '--data', directory(), '--listen', '0.0.0.0:0', '--clock', '/dev/null'), 2, /--clock is for tests, on loopback alone/);
  refused(deskd('openapi', '--base-url', 'desk.example.com'), 2, /--base-url takes/);
});

test('--version prints the version of the program and of its schema', () => {
  const { status, stdout } = deskd('--version');
  assert.equal(status, 0);
  const version = /^VERSION := (\S+)$/m.exec(readFileSync(new URL('../../Makefile', import.meta.url), 'utf8'))[1];
  assert.match(stdout, new RegExp(`^deskd ${version.replaceAll('.', '\\.')}, schema \\d+\\n$`));
});

test('deskd password in a folder wants a stopped desk and somebody who is there', async (t) => {
  const desk = await open(t);
  if (desk.store.includes('--database')) return; // beside a database it may run: tests/postgres/move.test.mjs
  refused(deskd('password', ...desk.store, 'owner@example.com', '--password-file', '/dev/null'), 1, /is in use by another deskd \(pid \d+\): stop that one/);
  await desk.stop();
  refused(deskd('password', ...desk.store, 'nobody@example.com', '--password-file', '/dev/null'), 1, /nobody in .* has the address nobody@example\.com/);
  refused(deskd('password', ...desk.store, 'owner@example.com', '--password-file', '/dev/null'), 1, /\/dev\/null holds no password/);
});

/** A desk in a folder with uploaded files, two of them values: [{id, data}]. */
async function deskWithFiles(t) {
  const desk = await open(t);
  if (desk.store.includes('--database')) return {}; // whose backup is PostgreSQL's
  await desk.owner.create('/users/fields', { key: 'a', type: 'FILE', title: 'a' });
  await desk.owner.create('/users/fields', { key: 'b', type: 'FILE', title: 'b' });
  const files = [];
  for (const data of [randomBytes(100), randomBytes(3 << 20), randomBytes(1)]) {
    files.push({ data, id: (await desk.owner.post('/files', raw('text/plain', data))).must(201).data.id });
  }
  await desk.owner.update(`/users/${desk.people.customer.id}`, { field_values: { a: files[0].id, b: files[1].id } });
  return { desk, files };
}

test('a backup of a desk that serves has the contents of its files, and what is restored from it serves them', async (t) => {
  const { desk, files } = await deskWithFiles(t);
  if (!desk) return;
  const place = directory(), to = join(place, 'desk.db');
  const made = deskd('backup', '--data', desk.dir, '--to', to);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /backed up to .*desk\.db\n.*3 files are in .*desk\.db\.files: they belong together/);
  assert.deepEqual(readdirSync(place).sort(), ['desk.db', 'desk.db.files']);
  refused(deskd('backup', '--data', desk.dir, '--to', to), 1, /desk\.db exists already: name a new file/);
  renameSync(to, join(place, 'other.db'));
  refused(deskd('backup', '--data', desk.dir, '--to', to), 1, /desk\.db\.files exists already/);
  renameSync(join(place, 'other.db'), to);

  const dir = join(directory(), 'new');
  mkdirSync(dir, { mode: 0o700 });
  copyFileSync(join(desk.dir, 'secret.key'), join(dir, 'secret.key'));
  assert.equal(deskd('restore', '--data', dir, '--from', to).status, 0);
  const checked = deskd('check', '--data', dir);
  assert.equal(checked.status, 0, checked.stdout);
  const restored = await new Desk(dir, { people: desk.people }).start();
  defer(t, () => restored.stop());
  for (const { id, data } of files) assert.deepEqual((await restored.owner.exchange('GET', `/api/v1/files/${id}/content`)).must(200).bytes, data);
  refused(deskd('restore', '--data', dir, '--from', to), 1, /is not empty/);
});

test('a backup without its folder of contents says what is missing, and check does', async (t) => {
  const { desk } = await deskWithFiles(t);
  if (!desk) return;
  const to = join(directory(), 'desk.db'), dir = join(directory(), 'new'), elsewhere = join(directory(), 'files');
  deskd('backup', '--data', desk.dir, '--to', to);
  renameSync(`${to}.files`, `${to}.lost`);
  const { status, stdout } = deskd('restore', '--data', dir, '--from', to);
  assert.equal(status, 0);
  assert.match(stdout, /3 files have no content: there is no folder .*desk\.db\.files/);
  assert.match(deskd('check', '--data', dir).stdout, /no folder .*files: name theirs with --files/);
  renameSync(`${to}.lost`, `${to}.files`);
  assert.equal(deskd('restore', '--data', join(dir, 'again'), '--files', elsewhere, '--from', to).status, 0);
  assert.ok(!existsSync(join(dir, 'again', 'files')));
  assert.equal(deskd('check', '--data', join(dir, 'again'), '--files', elsewhere).status, 0);
});

test('a backup that finds no contents, or can not read them, says so and makes nothing', async (t) => {
  const { desk } = await deskWithFiles(t);
  if (!desk) return;
  const place = directory(), to = join(place, 'desk.db'), files = join(desk.dir, 'files'), one = readdirSync(files).find((name) => /^[0-9a-f]{2}$/.test(name));
  await desk.stop();
  renameSync(files, `${files}.elsewhere`);
  refused(deskd('backup', '--data', desk.dir, '--to', to), 1, /there are files, but no folder .*files: name theirs with --files/);
  assert.deepEqual(readdirSync(place), []);
  mkdirSync(files);
  assert.match(deskd('backup', '--data', desk.dir, '--to', to).stdout, /3 files have no content: there is none in .*files/);
  rmSync(files, { recursive: true });
  rmSync(to);
  renameSync(`${files}.elsewhere`, files);
  renameSync(join(files, one), join(files, 'aside'));
  writeFileSync(join(files, one), 'no folder');
  refused(deskd('backup', '--data', desk.dir, '--to', to), 1, /contents of files can't be copied/);
  assert.ok(!existsSync(to));
  assert.match(deskd('check', '--data', desk.dir).stdout, new RegExp(`the folder .*files/${one} can't be read`));
});

test('a desk without files is one file when it is backed up', async (t) => {
  const desk = await open(t);
  if (desk.store.includes('--database')) return;
  const place = directory();
  assert.equal(deskd('backup', '--data', desk.dir, '--to', join(place, 'desk.db')).status, 0);
  assert.deepEqual(readdirSync(place), ['desk.db']);
});

test('move leaves contents of files where they are, and says so', async (t) => {
  const { desk } = await deskWithFiles(t);
  if (!desk) return;
  await desk.stop();
  const dir = join(directory(), 'new');
  const { status, stdout, stderr } = deskd('move', '--from', `sqlite:${desk.dir}`, '--to', `sqlite:${dir}`);
  assert.equal(status, 0, stderr);
  assert.match(stdout, new RegExp(`contents of 3 files .* are in ${desk.dir}/files; serve with --files and that folder, or move it to ${dir}/files\n`));
  assert.equal(deskd('check', '--data', dir, '--files', join(desk.dir, 'files')).status, 0);
  assert.equal(deskd('check', '--data', dir).status, 1);
});

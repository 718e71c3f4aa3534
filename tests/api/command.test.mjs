import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Desk, PASSWORD, allowPrivate, defer, delivered, deskd, directory, hook, hooked, open, raw, tested, until } from './lib/index.mjs';
import { OF_HELP_CENTER, filledHelpCenter, foundArticles } from './lib/published.mjs';
import { query } from './lib/stores.mjs';

/** Checks the exit code, and that stderr is one line that matches `pattern`. */
function refused(done, status, pattern) {
  assert.equal(done.status, status, done.stdout + done.stderr);
  assert.match(done.stderr, /^deskd: [^\n]+\n$/);
  assert.match(done.stderr, pattern);
}

test('an option with an invalid value exits with status 2 and one line that shows the syntax', () => {
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
  refused(deskd('serve', '--data', directory(), '--listen', '0.0.0.0:0', '--clock', '/dev/null'), 2, /--clock is for tests and needs a loopback address/);
  refused(deskd('openapi', '--base-url', 'desk.example.com'), 2, /--base-url takes/);
});

test('--version prints the versions of the program and of its schema', () => {
  const { status, stdout } = deskd('--version');
  assert.equal(status, 0);
  const version = /^VERSION := (\S+)$/m.exec(readFileSync(new URL('../../Makefile', import.meta.url), 'utf8'))[1];
  assert.match(stdout, new RegExp(`^deskd ${version.replaceAll('.', '\\.')}, schema \\d+\\n$`));
});

test('deskd password on a folder requires a stopped desk and an existing person', async (t) => {
  const desk = await open(t);
  if (desk.store.includes('--database')) return; // on a database the desk may run: tests/postgres/move.test.mjs
  const held = deskd('password', ...desk.store, 'owner@example.com', '--password-file', '/dev/null'), [waits, ends, none] = held.stderr.split('\n');
  assert.deepEqual([held.status, none], [1, '']);
  assert.match(waits, /is in use by another deskd \(pid \d+\): waiting up to 5 s for it$/);
  assert.match(ends, /^deskd: the store .* is in use by another deskd \(pid \d+\): stop that one/);
  await desk.stop();
  refused(deskd('password', ...desk.store, 'nobody@example.com', '--password-file', '/dev/null'), 1, /no person in .* has the address nobody@example\.com/);
  refused(deskd('password', ...desk.store, 'owner@example.com', '--password-file', '/dev/null'), 1, /\/dev\/null has no password/);
});

test('a desk starts directly after SIGKILL, and its helper processes hold no lock', async (t) => {
  const desk = await open(t, { processes: 1, base: 'http://desk.example' });
  const [category] = await desk.owner.fetch('/categories');
  const section = await desk.owner.create('/sections', { titles: 'Engines', category_id: category.id });
  await desk.owner.create('/articles', { titles: 'Start', contents: '<p onclick="x()">Turn the key.</p>', section_id: section.id }); // a helper process cleans it
  const helpers = spawnSync('ps', ['-o', 'pid=', '--ppid', String(desk.child.pid)], { encoding: 'utf8' }).stdout.split(/\s+/).filter(Boolean);
  assert.ok(helpers.length > 0);
  for (const helper of helpers) {
    const files = readdirSync(`/proc/${helper}/fd`).map((fd) => readlinkSync(`/proc/${helper}/fd/${fd}`));
    assert.deepEqual(files.filter((file) => file.startsWith(desk.dir)), []);
  }
  for (let i = 0; i < 12; i++) {
    const [{ child, gone }] = desk.daemons.splice(0);
    child.kill('SIGKILL'); // the next start does not wait for its end
    await desk.start();
    await gone;
  }
  await desk.kill();
  assert.equal(desk.check().status, 0);
  await desk.start();
});

test('a desk writes no core dump, and its keys would not be in one', async (t) => {
  const desk = await open(t, { processes: 1 });
  const { pid } = desk.child;
  assert.match(readFileSync(`/proc/${pid}/limits`, 'utf8'), /^Max core file size +0 +0 /m);
  const maps = process.getuid() === 0 ? readFileSync(`/proc/${pid}/smaps`, 'utf8') : ''; // others may not read it
  const stack = maps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).filter((map) => /^\S+ rw-p /.test(map) && / dd\b/.test(/^VmFlags:.*$/m.exec(map)?.[0]));
  assert.ok(stack.length > 0 || maps === '');
});

test('a command whose input is missing leaves no folder', () => {
  const place = directory(), at = (name) => join(place, name), wrong = at('wrong.db'), nowhere = at('nowhere');
  writeFileSync(wrong, 'not a store');
  for (const [pattern, ...args] of [
    [/the backup .*nowhere can't be read: No such file or directory/, 'restore', '--from', nowhere],
    [/wrong\.db is not a backup of a desk/, 'restore', '--from', wrong],
    [/nowhere can't be read: No such file or directory/, 'import', '--from-zendesk', nowhere, '--owner-email', 'o@example.com'],
    [/nowhere can't be read: No such file or directory/, 'import', '--from-zammad', nowhere, '--owner-email', 'o@example.com'],
    [/nowhere\/desk\.json can't be read/, 'import', '--from', nowhere],
    [/there is no store in .*nowhere/, 'move', '--from', `sqlite:${nowhere}`, '--to', `sqlite:${at('new')}`],
    [/the password file .*nowhere can't be read/, 'init', '--password-file', nowhere],
    [/the password file .*nowhere can't be read/, 'demo', '--password-file', nowhere],
  ]) {
    refused(deskd(...args, ...(args[0] === 'move' ? [] : ['--data', at('new')])), 1, pattern);
    assert.deepEqual(readdirSync(place), ['wrong.db'], args.join(' '));
  }
});

/** A desk in a folder with uploaded files, two of them field values: [{id, data}]. */
async function deskWithFiles(t) {
  const desk = await open(t);
  if (desk.store.includes('--database')) return {}; // PostgreSQL has its own backup
  await desk.owner.create('/users/fields', { key: 'a', type: 'FILE', title: 'a' });
  await desk.owner.create('/users/fields', { key: 'b', type: 'FILE', title: 'b' });
  const files = [];
  for (const data of [randomBytes(100), randomBytes(3 << 20), randomBytes(1)]) {
    files.push({ data, id: (await desk.owner.post('/files', raw('text/plain', data))).must(201).data.id });
  }
  await desk.owner.update(`/users/${desk.people.customer.id}`, { field_values: { a: files[0].id, b: files[1].id } });
  return { desk, files };
}

test('a backup of a running desk includes the contents of files, and a restored desk serves them', async (t) => {
  const { desk, files } = await deskWithFiles(t);
  if (!desk) return;
  const place = directory(), to = join(place, 'desk.db');
  const made = deskd('backup', '--data', desk.dir, '--to', to);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /backed up to .*desk\.db\n.*3 files are in .*desk\.db\.files: keep both together/);
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

/** Tables of rules, clocks, endpoints and notifications. */
const OF_RULES = ['slas', 'sla_versions', 'sla_targets', 'sla_metrics', 'case_status_changes', 'triggers', 'trigger_firings', 'monitors', 'monitor_cases', 'rule_collections',
  'rule_propositions', 'rule_actions', 'rule_generations', 'endpoints', 'endpoint_states', 'endpoint_deliveries', 'endpoint_attempts', 'notification_preferences'];

/** Fills these tables. */
async function fillRules(t, desk) {
  const propositions = [{ field: 'cases.createdat', operator: 'time_lessthan', value: 100 }], predicate_collections = [{ propositions }];
  const tag = (...value) => ({ name: 'tags', option: 'ADD', value });
  const to = await hook(t);
  await allowPrivate(desk);
  const endpoint = await hooked(desk, to.url, { use_auth: true, auth_username: 'ada', auth_password: 'geheim' });
  await delivered(desk, await tested(desk, endpoint));
  await desk.owner.create('/slas', { title: 'Fast', predicate_collections: [{ propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_not_equalto', value: '4' }] }], targets: [{ type: 'FIRST_REPLY_TIME', goal_in_seconds: 60, operational_hours: 'CALENDAR_HOURS' }] });
  await desk.owner.create('/triggers', { title: 'Tag', predicate_collections, actions: [tag('new'), { name: `endpoint_${endpoint.id}`, option: 'SEND', value: 'News' }] });
  await desk.owner.create('/monitors', { title: 'Late', actions: [tag('late')] });
  await desk.owner.update('/notification_preferences/reply_on_case', { email: false });
  const made = await desk.owner.create('/cases', { subject: 'Engine', contents: 'It stalls', requester_id: desk.people.customer.id });
  await desk.owner.update(`/cases/${made.id}`, { status_id: 2 });
  await until('the monitor', async () => {
    desk.clock.write(desk.clock.now + 1000);
    return (await desk.owner.fetch(`/cases/${made.id}/tags`)).some(({ name }) => name === 'late');
  });
}

test('a backup, and a move, have all rows of SLAs, triggers, monitors, endpoints, clocks and preferences', async (t) => {
  const desk = await open(t);
  if (desk.store.includes('--database')) return;
  await fillRules(t, desk);
  const rows = (dir) => Object.fromEntries(OF_RULES.map((name) => [name, query(dir, `SELECT * FROM ${name} ORDER BY 1, 2`)]));
  await desk.stop();
  const before = rows(desk.dir), to = join(directory(), 'desk.db'), restored = join(directory(), 'new'), moved = join(directory(), 'new');
  for (const [name, text] of Object.entries(before)) assert.notEqual(text, '', `${name} has rows`);
  assert.equal(deskd('backup', '--data', desk.dir, '--to', to).status, 0);
  assert.equal(deskd('restore', '--data', restored, '--from', to).status, 0);
  assert.equal(deskd('move', '--from', `sqlite:${desk.dir}`, '--to', `sqlite:${moved}`).status, 0);
  for (const dir of [restored, moved]) {
    assert.deepEqual(rows(dir), before);
    assert.equal(deskd('check', '--data', dir).status, 0);
  }
});

test('a backup, and a move, have all rows of the help center, and the copies find its articles', async (t) => {
  const desk = await open(t);
  if (desk.store.includes('--database')) return;
  const { article } = await filledHelpCenter(desk);
  const rows = (dir) => Object.fromEntries([...OF_HELP_CENTER, 'search_texts'].map((name) => [name, query(dir, `SELECT * FROM ${name} ORDER BY 1, 2`)]));
  await desk.stop(); // writes the views and searches that were gathered
  const before = rows(desk.dir), to = join(directory(), 'desk.db'), restored = join(directory(), 'new'), moved = join(directory(), 'new');
  for (const [name, text] of Object.entries(before)) assert.notEqual(text, '', `${name} has rows`);
  assert.equal(deskd('backup', '--data', desk.dir, '--to', to).status, 0);
  assert.equal(deskd('restore', '--data', restored, '--from', to).status, 0);
  assert.equal(deskd('move', '--from', `sqlite:${desk.dir}`, '--to', `sqlite:${moved}`).status, 0);
  copyFileSync(join(desk.dir, 'secret.key'), join(restored, 'secret.key'));
  for (const [dir, ...files] of [[restored], [moved, '--files', join(desk.dir, 'files')]]) {
    assert.deepEqual(rows(dir), before);
    const checked = deskd('check', '--data', dir, ...files);
    assert.equal(checked.status, 0, checked.stdout);
    const copy = await new Desk(dir, { people: desk.people, clock: desk.clock.now, args: files }).start();
    defer(t, () => copy.stop());
    assert.deepEqual(await foundArticles(copy), [article]);
  }
});

test('backup and check report a missing folder of contents', async (t) => {
  const { desk } = await deskWithFiles(t);
  if (!desk) return;
  const to = join(directory(), 'desk.db'), dir = join(directory(), 'new'), elsewhere = join(directory(), 'files');
  deskd('backup', '--data', desk.dir, '--to', to);
  renameSync(`${to}.files`, `${to}.lost`);
  const { status, stdout } = deskd('restore', '--data', dir, '--from', to);
  assert.equal(status, 0);
  assert.match(stdout, /3 files have no content: there is no folder .*desk\.db\.files/);
  assert.match(deskd('check', '--data', dir).stdout, /no folder .*files: name their folder with --files/);
  renameSync(`${to}.lost`, `${to}.files`);
  assert.equal(deskd('restore', '--data', join(dir, 'again'), '--files', elsewhere, '--from', to).status, 0);
  assert.ok(!existsSync(join(dir, 'again', 'files')));
  assert.equal(deskd('check', '--data', join(dir, 'again'), '--files', elsewhere).status, 0);
});

test('a backup with missing or unreadable contents fails, says so and creates nothing', async (t) => {
  const { desk } = await deskWithFiles(t);
  if (!desk) return;
  const place = directory(), to = join(place, 'desk.db'), files = join(desk.dir, 'files'), one = readdirSync(files).find((name) => /^[0-9a-f]{2}$/.test(name));
  await desk.stop();
  renameSync(files, `${files}.elsewhere`);
  refused(deskd('backup', '--data', desk.dir, '--to', to), 1, /there are files, but no folder .*files: name their folder with --files/);
  assert.deepEqual(readdirSync(place), []);
  mkdirSync(files);
  assert.match(deskd('backup', '--data', desk.dir, '--to', to).stdout, /3 files have no content, because .*files is empty/);
  rmSync(files, { recursive: true });
  rmSync(to);
  renameSync(`${files}.elsewhere`, files);
  renameSync(join(files, one), join(files, 'aside'));
  writeFileSync(join(files, one), 'no folder');
  refused(deskd('backup', '--data', desk.dir, '--to', to), 1, /contents of files can't be copied/);
  assert.ok(!existsSync(to));
  assert.match(deskd('check', '--data', desk.dir).stdout, new RegExp(`the folder .*files/${one} can't be read`));
});

test('a backup of a desk without files is one file', async (t) => {
  const desk = await open(t);
  if (desk.store.includes('--database')) return;
  const place = directory();
  assert.equal(deskd('backup', '--data', desk.dir, '--to', join(place, 'desk.db')).status, 0);
  assert.deepEqual(readdirSync(place), ['desk.db']);
});

test('move leaves the contents of files in place and says so', async (t) => {
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

/** A folder with only these names left of a desk, and an empty store. */
async function remains(t, names, { store = '' } = {}) {
  const { desk } = await deskWithFiles(t);
  if (!desk) return undefined;
  await desk.stop();
  const dir = directory();
  for (const name of names) cpSync(join(desk.dir, name), join(dir, name), { recursive: true });
  if (store !== null) writeFileSync(join(dir, 'desk.db'), store);
  return dir;
}

test('init and serve say that they chose the address of the owner, and serve that it makes a desk', async (t) => {
  const chose = /^deskd: the owner has the address owner@example\.com, because --owner-email was not given/m, made = /^deskd: there is no desk in (\S+), so serve makes a new one there\./m;
  const init = (...more) => deskd('init', '--data', directory(), ...more).stdout;
  assert.match(init(), chose);
  assert.match(init(), /^deskd: start it with deskd serve, and open \/agent of its address in a browser$/m);
  assert.doesNotMatch(init('--owner-email', 'ada@example.org'), chose);
  assert.doesNotMatch(init('--owner-email', 'owner@example.com'), chose);
  if (process.env.DATABASE) return;
  const serve = (dir, ...more) => deskd('serve', '--data', dir, '--listen', '127.0.0.1:0', '--lmtp', '/nowhere/x', ...more); // the last option ends it
  const dir = directory(), first = serve(dir);
  assert.equal(first.status, 1, first.stderr);
  assert.equal(made.exec(first.stderr)?.[1], realpathSync(dir), first.stderr);
  assert.match(first.stderr, chose);
  assert.doesNotMatch(serve(dir).stderr, /serve makes|--owner-email/);
  assert.doesNotMatch(serve(directory(), '--owner-email', 'ada@example.org').stderr, chose);
});

test('a lost store is not replaced by a new desk: an empty store beside a key, contents or mail is refused', async (t) => {
  for (const [names, pattern] of [[['secret.key'], /secret\.key/], [['files'], /files\/[0-9a-f]{2}\/[0-9a-f]{64}/], [['mail'], /mail/]]) {
    const dir = await remains(t, names);
    if (!dir) return;
    for (const command of [['serve', '--listen', '127.0.0.1:0'], ['init', '--owner-email', 'new@example.com'], ['demo', '--conversations', '1']]) {
      const done = deskd(command[0], '--data', dir, ...command.slice(1));
      refused(done, 1, /desk\.db is empty, but there is .*: a desk was here\. Restore its backup to a new folder, or name a new folder for a new desk/);
      assert.match(done.stderr, pattern);
      assert.equal(readFileSync(join(dir, 'desk.db')).length, 0);
    }
  }
});

test('init creates no desk if contents, mail or a WAL are left and the store is missing', async (t) => {
  const dir = await remains(t, ['files'], { store: null });
  if (!dir) return;
  refused(deskd('init', '--data', dir), 1, /desk\.db is missing, but there is .*files/);
  rmSync(join(dir, 'files'), { recursive: true });
  mkdirSync(join(dir, 'mail/new'), { recursive: true });
  writeFileSync(join(dir, 'mail/new/1'), 'From: x');
  refused(deskd('init', '--data', dir), 1, /desk\.db is missing, but there is .*mail\/new/);
  rmSync(join(dir, 'mail'), { recursive: true });
  writeFileSync(join(dir, 'desk.db-wal'), 'log');
  refused(deskd('init', '--data', dir), 1, /desk\.db is missing, but there is .*desk\.db-wal/);
  rmSync(join(dir, 'desk.db-wal'));
  assert.ok(!existsSync(join(dir, 'desk.db')));
});

test('init creates a desk beside a given key, or beside an empty store that a first start left', async () => {
  const dir = directory(), secret = join(directory(), 'password');
  writeFileSync(secret, `${PASSWORD}\n`);
  writeFileSync(join(dir, 'secret.key'), randomBytes(32), { mode: 0o600 });
  assert.equal(deskd('init', '--data', dir, '--password-file', secret).status, 0);
  const other = directory();
  writeFileSync(join(other, 'desk.db'), '');
  assert.equal(deskd('init', '--data', other, '--password-file', secret).status, 0);
});

test('a server key that is not a regular file is refused at once, and the message says how to fix it', () => {
  const secret = join(directory(), 'password');
  writeFileSync(secret, `${PASSWORD}\n`);
  const pipe = (path) => assert.equal(spawnSync('mkfifo', ['-m', '600', path]).status, 0);
  for (const [make, kind] of [[pipe, 'a named pipe'], [(path) => mkdirSync(path), 'a folder'], [(path) => symlinkSync('/dev/zero', path), 'a device']]) {
    const dir = directory();
    make(join(dir, 'secret.key'));
    refused(deskd('serve', '--data', dir, '--listen', '127.0.0.1:0', '--password-file', secret), 1,
      new RegExp(`the server key \\S+secret\\.key is ${kind}, not a regular file: put a copy of the file with the key's 32 bytes there`));
  }
  const dir = directory(), real = join(directory(), 'key');
  writeFileSync(real, randomBytes(32), { mode: 0o600 });
  symlinkSync(real, join(dir, 'secret.key')); // a link to a regular file is accepted
  assert.equal(deskd('init', '--data', dir, '--password-file', secret).status, 0);
});

test('a data folder that is open to everybody causes a warning at the start', async (t) => {
  const desk = await open(t);
  assert.doesNotMatch(desk.log, /open to all users/);
  await desk.stop();
  chmodSync(desk.dir, 0o755);
  await desk.start();
  assert.match(desk.log, /warn the data folder \S+ is open to all users of this machine \(mode 755\): chmod 700 /);
});

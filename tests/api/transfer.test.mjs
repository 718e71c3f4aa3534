import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, Desk, File, defer, demo, deskd, directory, multipart, open, raw, until } from './lib/index.mjs';
import { filledHelpCenter } from './lib/published.mjs';
import { png } from './lib/picture.mjs';
import { createDatabase, dropDatabase, once, store } from './lib/stores.mjs';
import { SEEN_AS, UNCOUNTED, addressesOf, answersOf, edit, editRows, sameAnswers, sessionsOf, withKeyOf } from './lib/transfer.mjs';

// deskd export and deskd import.

const HOOK = { title: 'Hook', type: 'HTTP', attributes: { url: 'https://example.com/', method: 'POST', content_type: 'application/json', use_auth: true, auth_username: 'a', auth_password: 'sealed' } };
const ON_POSTGRES = Boolean(process.env.DATABASE);

/** Runs a command that must succeed without a word on standard error. */
function done(...args) {
  const { status, stdout, stderr } = deskd(...args);
  assert.equal(status, 0, stdout + stderr);
  assert.equal(stderr, '');
  return stdout;
}

/** Checks that a command fails with one line that matches `pattern`. */
function refused(result, pattern, status = 1) {
  assert.equal(result.status, status, result.stdout + result.stderr);
  assert.match(result.stderr, /^deskd: [^\n]+\n$/);
  assert.match(result.stderr, pattern);
}

/** The folder of a new store, with the key of another one. */
function target(t, key) {
  const dir = directory();
  createDatabase(dir);
  defer(t, () => dropDatabase(dir));
  return key ? withKeyOf(key, dir) : dir;
}

/** A folder with the export of a small desk: {dir, folder}. Each test gets a copy. */
async function exported() {
  const { dir } = await once('exported', async () => {
    const from = directory();
    createDatabase(from);
    writeFileSync(join(from, 'password'), 'Tr0ub4dor & 3 horses\n');
    done('demo', ...store(from), '--conversations', '3', '--password-file', join(from, 'password'));
    done('export', ...store(from), '--to', join(from, 'export'));
    return { dir: from };
  });
  const folder = join(directory(), 'export');
  cpSync(join(dir, 'export'), folder, { recursive: true });
  return { dir, folder };
}

/** Changes the last id of a table in desk.json. JavaScript has no numbers of 64 bits. */
function lastId(folder, table, id) {
  const file = join(folder, 'desk.json'), text = readFileSync(file, 'utf8'), changed = text.replace(new RegExp(`("name": "${table}",\\s*"rows": \\d+,\\s*"last_id": )\\d+`), `$1${id}`);
  assert.notEqual(changed, text);
  writeFileSync(file, changed);
}

/** Spoils a new export in each way, and expects an import to refuse it with this text and to leave no desk. cases: [spoil(folder), pattern]. */
async function refusesEach(dir, cases) {
  for (const [spoil, pattern] of cases) {
    const { folder } = await exported();
    spoil(folder);
    refused(importInto(dir, folder), pattern);
    assert.ok(!/no defects/.test(deskd('check', ...store(dir)).stdout), `${pattern}: the store holds no desk`);
  }
}

const importInto = (dir, folder, ...more) => deskd('import', ...store(dir), '--from', folder, ...more);

test('a desk that is imported from its export gives the same reply to every GET of every caller', { timeout: 300_000 }, async (t) => {
  const desk = await demo(t, { conversations: 40, base: SEEN_AS, clock: Date.now() });
  await filledHelpCenter(desk);
  await desk.customer.create('/conversations', { subject: 'Žluťoučký 🐎', contents: 'line\r\nline\ttab \\ "quoted" \u0001' });
  const endpoint = await desk.owner.create('/endpoints', HOOK);
  await desk.owner.create('/oauth/clients', multipart({ name: 'Reports', logo: new File('logo.png', 'image/png', png(8, 8)) }));
  const gone = await desk.owner.create('/teams', { title: 'Not for long' });
  (await desk.owner.delete(`/teams/${gone.id}`)).must(200);
  const sessions = await sessionsOf(desk, ['owner', 'admin', 'agent', 'collaborator', 'customer']);
  const { paths, noted } = await addressesOf(desk, sessions.owner, 4);
  await desk.restart();
  const before = await answersOf(desk, sessions, paths);
  await desk.stop();
  const folder = join(directory(), 'export');
  assert.match(done('export', ...desk.store, '--base-url', SEEN_AS, '--to', folder), /exported \d+ objects of \d+ tables and \d+ contents of files to .* objects a second/);
  const dir = target(t, desk.dir);
  const said = done('import', ...store(dir), '--from', folder);
  assert.match(said, /^deskd: imported \d+ objects of \d+ tables and \d+ contents of files into .* \(\d+ objects a second\)$/m);
  assert.match(said, /^deskd: 1 owners, \d+ administrators, \d+ agents, \d+ collaborators, \d+ customers$/m);
  assert.match(said, /serve with --base-url http:\/\/desk\.example\.com$/m);
  assert.doesNotMatch(said, /left out/);
  assert.equal(deskd('check', ...store(dir)).status, 0);
  const copy = await new Desk(dir, { people: desk.people, base: SEEN_AS, clock: desk.clock.now }).start();
  defer(t, () => copy.stop());
  sameAnswers(before, await answersOf(copy, sessions, paths), 500);
  await desk.start();
  sameAnswers(await answersOf(desk, sessions, noted), await answersOf(copy, sessions, noted), 3);
  await desk.stop();
  const owner = new Client(copy, sessions.owner);
  assert.ok((await owner.create('/teams', { title: 'New' })).id > gone.id, 'ids are never reused, and the CSRF token is still valid');
  assert.equal((await owner.fetch(`/endpoints/${endpoint.id}`)).title, 'Hook');
  const again = join(directory(), 'again');
  await copy.stop();
  done('export', ...store(dir), '--to', again);
  assert.deepEqual(readFileSync(join(again, 'tables/posts.ndjson')), readFileSync(join(folder, 'tables/posts.ndjson')));
});

test('an export of a running desk is one snapshot with the contents of files, and never replaces a folder', async (t) => {
  const desk = await open(t);
  const data = Buffer.from('contents of a file');
  const file = (await desk.owner.post('/files', raw('text/plain', data))).must(201).data;
  const folder = join(directory(), 'export');
  const writes = Array.from({ length: 20 }, (_, i) => desk.customer.create('/conversations', { subject: `c${i}`, contents: 'x' }));
  done('export', ...desk.store, '--to', folder);
  await Promise.all(writes);
  assert.deepEqual(readdirSync(folder).sort(), ['desk.json', 'files', 'tables']);
  assert.ok(!existsSync(`${folder}.draft`));
  assert.deepEqual(readFileSync(join(folder, 'files', file.hash.slice(0, 2), file.hash)), data);
  const about = JSON.parse(readFileSync(join(folder, 'desk.json'), 'utf8'));
  assert.deepEqual([about.format, about.files.count, about.files.bytes], [1, 1, data.length]);
  assert.deepEqual(readdirSync(join(folder, 'tables')).sort(), about.tables.map(({ name }) => `${name}.ndjson`));
  refused(deskd('export', ...desk.store, '--to', folder), /export exists already: name a new folder/);
  mkdirSync(`${folder}2.draft`);
  refused(deskd('export', ...desk.store, '--to', `${folder}2`), /export2\.draft is left from an interrupted export/);
  refused(deskd('export', ...desk.store, '--to', join(folder, 'none/here')), /can't be written: No such file or directory/);
  const dir = target(t, desk.dir);
  done('import', ...store(dir), '--from', folder);
  assert.equal(deskd('check', ...store(dir)).status, 0);
});

test('a desk without its server key, or with another one, is not exported or imported, unless its secrets are left out', async (t) => {
  const { folder } = await exported();
  const dir = target(t);
  refused(importInto(dir, folder), /there is no server key: put the exported desk's secret\.key into the data folder, or name it with --secret-file/);
  writeFileSync(join(dir, 'secret.key'), Buffer.alloc(32, 7), { mode: 0o600 });
  refused(importInto(dir, folder), /the server key is not that of the exported desk/);
  done('import', ...store(dir), '--from', folder, '--without-secrets');
  const desk = await new Desk(dir, {}).start();
  defer(t, () => desk.stop());
  (await desk.login('owner@example.com').get('/me')).must(200);
  await desk.stop();
  rmSync(join(dir, 'secret.key'));
  refused(deskd('export', ...store(dir), '--to', join(directory(), 'x')), /there is no server key .*secret\.key: restore it from your copy/);
});

test('an import without secrets deletes what the lost key sealed, and lists it', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/endpoints', HOOK);
  const { id } = await desk.session(desk.owner);
  const folder = join(directory(), 'export'), dir = target(t);
  await desk.stop();
  done('export', ...desk.store, '--to', folder);
  const said = done('import', ...store(dir), '--from', folder, '--without-secrets');
  assert.match(said, /^deskd: left out \d+: sessions$/m);
  assert.match(said, /^deskd: left out 1: secrets of endpoints$/m);
  if (ON_POSTGRES) assert.match(said, /^deskd: serve once with --new-key/m);
  const copy = await new Desk(dir, { people: desk.people, processes: 1, args: ON_POSTGRES ? ['--new-key'] : [] }).start();
  defer(t, () => copy.stop());
  assert.equal((await new Client(copy, { 'X-Session-ID': id }).get('/me')).status, 454, 'the session has ended');
  (await copy.owner.get('/me')).must(200);
  await copy.stop();
  assert.equal(deskd('check', ...store(dir)).status, 0, 'the audit log begins a new chain with the new key');
});

/** Columns whose names say that they hold a secret or a hash. false: an import without secrets keeps the values, because no key of the desk is needed for them. */
const SECRETS = {
  'api_tokens.token_hash': true, 'auth_tokens.token_hash': true, 'endpoints.auth_password': true, 'endpoints.former_secret': true, 'endpoints.former_secret_until': true,
  'endpoints.secret': true, 'event_tokens.token_hash': true, 'event_tokens.token_sealed': true, 'idempotency.key_hash': true, 'idempotency.request_hash': true,
  'links.hash': true, 'mailboxes.imap_password': true, 'mailboxes.smtp_password': true, 'mailboxes.oauth_client_secret': true, 'mailboxes.verification_hash': true, 'oauth_clients.secret_hash': true, 'oauth_codes.code_hash': true,
  'oauth_tokens.former_hash': true, 'oauth_tokens.token_hash': true, 'recovery_codes.code_hash': true, 'signin_providers.client_secret': true, 'signin_states.state_hash': true, 'passkey_challenges.challenge_hash': true, 'brand_widgets.secret': true, 'brand_widgets.secret_created_at': true, 'remember_tokens.token_hash': true, 'users.totp_secret': true,
  'csv_import_keys.key_hash': false, 'oauth_clients.is_password_grant_enabled': false, 'users.password_hash': false, 'users.password_updated_at': false, 'password_history.hash': false, // no secret, or Argon2id
};

test('an import without secrets considers every column that may hold one', async () => {
  const { folder } = await exported();
  const { tables } = JSON.parse(readFileSync(join(folder, 'desk.json'), 'utf8'));
  const columns = tables.filter(({ name }) => !name.startsWith('audit_')).flatMap(({ name, columns: list }) => list.map((column) => `${name}.${column.name}`));
  assert.deepEqual(columns.filter((name) => /hash|seal|secret|password/.test(name.replace('password_history.', ''))).sort(), Object.keys(SECRETS).sort());
  // Literals that follow each other are one text.
  const drops = readFileSync(new URL('../../src/transfer/secrets.c', import.meta.url), 'utf8').replaceAll(/"\s*\n\s*"/g, '');
  for (const [name, dropped] of Object.entries(SECRETS)) {
    const [table, column] = name.split('.');
    assert.equal(new RegExp(`DELETE FROM ${table}"|UPDATE ${table} SET [^"]*\\b${column} = NULL`).test(drops), dropped, name);
  }
});

test('an export is an entry of the audit log, also if the desk is running', async (t) => {
  const desk = await open(t);
  const entries = async (n) => until(`${n} entries`, async () => {
    const all = (await desk.owner.fetch('/audit_log', { limit: 100 })).filter(({ action }) => action === 'DESK_EXPORTED');
    return all.length === n && all.every(({ seq }) => seq) && all;
  });
  done('export', ...desk.store, '--to', join(directory(), 'running'));
  const [entry] = await entries(1);
  assert.deepEqual([entry.cause, entry.actor, entry.actor_kind, entry.object, entry.ip_address], ['deskd export', null, 'SYSTEM', null, null]);
  await desk.stop();
  done('export', ...desk.store, '--to', join(directory(), 'stopped'));
  await desk.start();
  await entries(2);
  const pending = join(desk.dir, 'audit.pending');
  if (!ON_POSTGRES) assert.deepEqual(readdirSync(pending), []);
});

test('a file that nobody with the server key left makes no entry of the audit log, and is removed', async (t) => {
  if (ON_POSTGRES) return; // there the command writes the entry itself
  const desk = await open(t);
  done('export', '--data', desk.dir, '--to', join(directory(), 'one'));
  const count = async () => (await desk.owner.fetch('/audit_log', { limit: 100, action: 'DESK_EXPORTED' })).length;
  await until('the entry', async () => await count() === 1 || undefined);
  const pending = join(desk.dir, 'audit.pending');
  const forged = { a: `deskd export 1700000000000 ${'0'.repeat(64)}\n`, b: '', c: 'deskd export', d: 'x'.repeat(10_000) };
  for (const [name, text] of Object.entries(forged)) writeFileSync(join(pending, name), text);
  symlinkSync('/etc/passwd', join(pending, 'e'));
  await until('no file', () => readdirSync(pending).length === 0 || undefined);
  assert.equal(await count(), 1);
  assert.match(desk.log, /audit\.pending\/a is not of a command with the key of this desk: it is removed/);
  await desk.stop();
  assert.equal(desk.check().status, 0);
  await desk.start();
});

test('an import into a store that has people is refused', async (t) => {
  const { dir, folder } = await exported();
  const desk = await open(t);
  await desk.stop();
  refused(importInto(desk.dir, folder, '--secret-file', join(dir, 'secret.key')), ON_POSTGRES ? /the target holds a desk already/ : /holds a desk already|different keys/);
});

test('a damaged or edited export is refused with the file and the line, and leaves an empty store', { timeout: 300_000 }, async (t) => {
  const { dir: key } = await exported();
  const dir = target(t, key);
  const cases = [
    [(f) => rmSync(join(f, 'desk.json')), /desk\.json can't be read: No such file/],
    [(f) => writeFileSync(join(f, 'desk.json'), '{"format": 1'), /desk\.json: byte \d+: /],
    [(f) => writeFileSync(join(f, 'desk.json'), '{"a": 1}'), /desk\.json has no format/],
    [(f) => writeFileSync(join(f, 'desk.json'), readFileSync(join(f, 'desk.json'), 'utf8').replace('"format": 1', '"format": 2')), /the export has format 2, but this deskd reads only 1/],
    [(f) => writeFileSync(join(f, 'desk.json'), readFileSync(join(f, 'desk.json'), 'utf8').replace(/"schema": \d+/, '"schema": 9999')), /the export has schema 9999, but this deskd has \d+/],
    [(f) => rmSync(join(f, 'tables/posts.ndjson')), /tables\/posts\.ndjson can't be read: No such file/],
    [(f) => truncateSync(join(f, 'tables/posts.ndjson'), 1000), /tables\/posts\.ndjson:\d+: the line is incomplete: copy the export again/],
    [(f) => edit(f, 'posts', (text) => text.replace(/.*\n$/, ''), { whole: false }), /tables\/posts\.ndjson ends after line \d+, but desk\.json counts \d+ rows/],
    [(f) => edit(f, 'posts', (text) => `${text}${text.slice(text.lastIndexOf('\n', text.length - 2) + 1)}`, { whole: false }), /tables\/posts\.ndjson:\d+: desk\.json counts only \d+ rows/],
    [(f) => edit(f, 'users', (text) => text.replace('"updated_at":1', '"updated_at":2'), { whole: false }), /tables\/users\.ndjson differs from its SHA-256/],
    [(f) => edit(f, 'users', (text) => text.replace('"id":2,', '"id":2;')), /tables\/users\.ndjson:2: byte 8: /],
    [(f) => editRows(f, 'users', (rows) => [rows[0], ...rows]), /tables\/users\.ndjson:2: a row with this primary key is there already/],
    [(f) => editRows(f, 'users', ([a, b, ...rows]) => [b, a, ...rows]), /tables\/users\.ndjson:2: the rows are not in the order of the primary key/],
    [(f) => editRows(f, 'users', ([a, ...rows]) => [{ ...a, wings: 2 }, ...rows]), /tables\/users\.ndjson:1: the table users has no column "wings"/],
    [(f) => edit(f, 'tags', (text) => text.replace(/^.*\n/, '[1]\n')), /tables\/tags\.ndjson:1: the line is not a JSON object/],
    [(f) => editRows(f, 'users', ([a, b, ...rows]) => [a, { ...b, totp_secret: '@@' }, ...rows]), /tables\/users\.ndjson:2: totp_secret must be of the type bytes, or null/],
    [(f) => editRows(f, 'users', ([a, b, ...rows]) => [a, { ...b, totp_secret: 'AAAA=' }, ...rows]), /tables\/users\.ndjson:2: totp_secret must be of the type bytes, or null/],
    [(f) => editRows(f, 'users', ([a, b, ...rows]) => [a, { ...b, full_name: 7 }, ...rows]), /tables\/users\.ndjson:2: full_name must be of the type text, or null/],
    [(f) => edit(f, 'users', (text) => text.replace('"id":2,', '"id":2.5,')), /tables\/users\.ndjson:2: id must be of the type integer, or null/],
    [(f) => editRows(f, 'users', ([{ uuid, ...a }, ...rows]) => [a, ...rows]), /tables\/users\.ndjson:1: the member "uuid" is missing/],
    [(f) => editRows(f, 'users', ([a, b, ...rows]) => [a, { ...b, role_id: 'one' }, ...rows]), /tables\/users\.ndjson:2: role_id must be of the type integer, or null/],
    [(f) => editRows(f, 'users', ([a, b, ...rows]) => [a, { ...b, full_name: null, name_key: null }, ...rows]), /tables\/users\.ndjson:2: users\.full_name of the row with id 2 must not be null/],
    [(f) => editRows(f, 'users', ([a, b, ...rows]) => [a, { ...b, role_id: 99 }, ...rows]), /tables\/users\.ndjson:2: role_id 99 refers to no row of roles/],
    [(f) => editRows(f, 'users', ([a, b, ...rows]) => [a, { ...b, role_type: 5 }, ...rows]), /tables\/users\.ndjson:2: role_type differs from the type of the role/],
    [(f) => editRows(f, 'users', ([a, ...rows]) => [{ ...a, is_enabled: 0 }, ...rows]), /the rows contradict each other: the desk has no owner who can log in/],
    [(f) => editRows(f, 'roles', ([a, ...rows]) => [{ ...a, type: 5 }, ...rows]), /tables\/roles\.ndjson:1: the role has an unknown type, or that of another built-in role/],
    [(f) => editRows(f, 'roles', ([a, ...rows]) => [{ ...a, type: 9 }, ...rows]), /tables\/roles\.ndjson:1: type can't be 9/],
    [(f) => editRows(f, 'schema_version', (rows) => rows.slice(1)), /schema_version\.ndjson does not list the schema files/],
    [(f) => editRows(f, 'settings', (rows) => rows.filter(({ name }) => name !== 'desk.created_at')), /the export holds no complete desk/],
    [(f) => writeFileSync(join(f, 'desk.json'), readFileSync(join(f, 'desk.json'), 'utf8').replace('"name": "posts"', '"name": "postz"')), /the target has no table postz|has no table/],
    [(f) => { const [sub] = readdirSync(join(f, 'files')); const [name] = readdirSync(join(f, 'files', sub)); writeFileSync(join(f, 'files', sub, name), 'other'); }, /files\/\w\w\/\w+ does not match its SHA-256: copy the export again/],
    [(f) => { const [sub] = readdirSync(join(f, 'files')); rmSync(join(f, 'files', sub), { recursive: true }); }, /files has \d+ contents, but desk\.json counts \d+/],
  ];
  await refusesEach(dir, cases);
  const { folder } = await exported();
  done('import', ...store(dir), '--from', folder); // the refused imports left nothing behind
  assert.equal(deskd('check', ...store(dir)).status, 0);
});

test('a desk.json that lacks a member, or has one of a wrong kind, is refused', async (t) => {
  const { dir: key } = await exported(), { folder } = await exported();
  const dir = target(t, key), file = join(folder, 'desk.json'), whole = readFileSync(file, 'utf8');
  const format = /desk\.json lacks a member of its format/, second = /desk\.json: the description of table 2 is not valid/, order = /desk\.json: the table \w+ is there twice, or not in the order of the names/;
  const without = (...names) => names.map((name) => (m) => { delete m[name]; }), having = (...members) => members.map((member) => (m) => { Object.assign(m, member); });
  const ofTable = (changes) => changes.map((change) => (m) => change(m.tables[1])), ofColumn = (changes) => changes.map((change) => (m) => change(m.tables[1].columns[0]));
  const cases = [
    [without('schema', 'deskd', 'key_proof', 'files', 'exported_at', 'tables'), format],
    [having({ schema: '1' }, { schema: -1 }, { deskd: 1 }, { key_proof: null }, { files: [] }, { files: { count: 1 } }, { files: { bytes: 1 } }, { files: { count: -1, bytes: 1 } }, { exported_at: 'yesterday' }, { tables: {} }), format],
    [ofTable(without('name', 'rows', 'last_id', 'bytes', 'sha256', 'columns')), second],
    [ofTable(having({ name: 1 }, { rows: '1' }, { rows: -1 }, { last_id: -1 }, { bytes: null }, { sha256: 'a'.repeat(63) }, { sha256: 'a'.repeat(65) }, { columns: [] }, { columns: {} })), second],
    [ofColumn(without('name', 'type')), second],
    [ofColumn(having({ type: 'blob' }, { key: 0 }, { key: 101 }, { key: '1' })), second],
    [[(m) => m.tables.reverse(), (m) => m.tables.splice(1, 0, m.tables[0])], order],
  ];
  for (const [changes, pattern] of cases) {
    for (const change of changes) {
      const manifest = JSON.parse(whole);
      change(manifest);
      writeFileSync(file, JSON.stringify(manifest));
      refused(importInto(dir, folder), pattern);
    }
  }
  const { base_url: unused, ...manifest } = JSON.parse(whole);
  writeFileSync(file, JSON.stringify(manifest));
  done('import', ...store(dir), '--from', folder);
});

test('values that the product can not have are refused with the file and the line', { timeout: 300_000 }, async (t) => {
  const { dir: key } = await exported();
  const dir = target(t, key);
  const HUGE = 50_000_000;
  const second = (table, change) => (f) => editRows(f, table, ([a, b, ...rows]) => [a, { ...b, ...change }, ...rows]);
  const every = (table, change) => (f) => editRows(f, table, (rows) => rows.map((row) => ({ ...row, ...change })));
  const setting = (name, value) => (f) => editRows(f, 'settings', (rows) => [...rows.filter((row) => row.name !== name), { name, value, updated_at: 0 }].sort((a, b) => (a.name < b.name ? -1 : 1)));
  const cases = [
    [every('oauth_clients', { logo_type: HUGE }), /oauth_clients\.ndjson:1: logo_type can't be 50000000/],
    [second('cases', { status_type: HUGE }), /cases\.ndjson:2: status_type can't be 50000000/],
    [second('case_statuses', { type: HUGE }), /case_statuses\.ndjson:2: type can't be 50000000/],
    [second('cases', { state: 6 }), /cases\.ndjson:2: state can't be 6/],
    [second('posts', { kind: 0 }), /posts\.ndjson:2: kind can't be 0/],
    [second('posts', { channel: 7 }), /posts\.ndjson:2: channel can't be 7/],
    [second('custom_fields', { type: 20 }), /custom_fields\.ndjson:2: type can't be 20/],
    [second('users', { is_enabled: 7 }), /users\.ndjson:2: is_enabled can't be 7/],
    [second('users', { agent_case_access: 4 }), /users\.ndjson:2: agent_case_access can't be 4/],
    [second('users', { created_at: -1 }), /users\.ndjson:2: created_at can't be -1/],
    [second('users', { uuid: '<script>' }), /users\.ndjson:2: uuid is not a UUID/],
    [second('users', { name_key: 'other' }), /users\.ndjson:2: name_key is not the key of full_name/],
    [second('identity_emails', { email: 'other@example.com' }), /identity_emails\.ndjson:2: email_key is not the key of email/],
    [second('tags', { name: 'other' }), /tags\.ndjson:2: name_key is not the key of name/],
    [second('views', { columns: '{' }), /views\.ndjson:2: columns is not JSON: /],
    [(f) => editRows(f, 'tags', ([a, ...rows]) => [{ ...a, id: -5 }, ...rows]), /tags\.ndjson:1: id can't be -5/],
    [(f) => editRows(f, 'tags', (rows) => [...rows, { ...rows[0], id: 2 ** 53 + 2, name: 'big', name_key: 'big' }]), /tags\.ndjson:\d+: id can't be 9007199254740994/],
    [setting('zoo.keeper', '1'), /settings\.ndjson:\d+: there is no setting of this name/],
    [setting('files.max_megabytes', '1025'), /settings\.ndjson:\d+: the value is none that the setting files\.max_megabytes can have/],
    [(f) => lastId(f, 'users', '9223372036854775807'), /the last id of users can't be 9223372036854775807/],
    [(f) => lastId(f, 'users', '4503599627370497'), /the last id of users can't be 4503599627370497/],
    [second('cases', { message_seq: 1000 }), /the rows contradict each other: conversation \d+ has message_seq 1000, but \d+ messages/],
    [second('cases', { status_type: 1, status_id: 2 }), /the rows contradict each other: /],
    [(f) => editRows(f, 'identity_emails', (rows) => rows.map((row) => (row.user_id === 1 ? { ...row, is_claim: 1, is_primary: 0, is_validated: 0 } : row))), /the rows contradict each other: the desk has no owner who can log in: enabled, with an e-mail address that is no claim/],
  ];
  await refusesEach(dir, cases);
  const { folder } = await exported();
  lastId(folder, 'users', String(2 ** 52));
  done('import', ...store(dir), '--from', folder);
  const desk = await new Desk(dir, {}).start();
  defer(t, () => desk.stop());
  const { id } = await desk.login('owner@example.com').create('/users', { full_name: 'Next', email: 'next@example.com', role_id: 4 });
  assert.equal(id, 2 ** 52 + 1, 'ids after the largest last one are exact');
  await desk.stop();
  assert.equal(deskd('check', ...store(dir)).status, 0);
});

test('an import reads regular files only: no FIFO, which would wait for a writer, and no symbolic link', async (t) => {
  const { dir: key } = await exported();
  const dir = target(t, key);
  const replaced = (name, kind) => (f) => {
    const from = join(f, name), away = `${f}-away`;
    renameSync(from, away);
    if (kind === 'link') symlinkSync(away, from);
    else assert.equal(spawnSync('mkfifo', [from]).status, 0);
  };
  const content = (f) => { const [sub] = readdirSync(join(f, 'files')); return `files/${sub}/${readdirSync(join(f, 'files', sub))[0]}`; };
  const cases = [
    [replaced('desk.json', 'fifo'), /desk\.json can't be read: it is not a regular file/],
    [replaced('desk.json', 'link'), /desk\.json can't be read: it is a symbolic link/],
    [replaced('tables/users.ndjson', 'fifo'), /users\.ndjson can't be read: it is not a regular file/],
    [replaced('tables/users.ndjson', 'link'), /users\.ndjson can't be read: it is a symbolic link/],
    [replaced('tables', 'link'), /tables is not a folder/],
    [replaced('files', 'link'), /files is not a folder/],
    [(f) => replaced(content(f), 'fifo')(f), /files\/\w\w\/\w+ is not a regular file/],
    [(f) => replaced(content(f), 'link')(f), /files\/\w\w\/\w+ is not a regular file/],
    [(f) => replaced(content(f).slice(0, 8), 'link')(f), /files\/\w\w is not a folder/],
  ];
  for (const [spoil, pattern] of cases) {
    const { folder } = await exported();
    spoil(folder);
    refused(importInto(dir, folder), pattern);
  }
});

test('a desk whose store has numbers that the product can not have names them in its check, and answers', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'A', contents: 'x' });
  const client = await desk.owner.create('/oauth/clients', { name: 'App', callback_url: 'https://app.example/' });
  const status = (other) => desk.owner.exchange('PUT', `/api/v1/cases/${id}`, { body: { status_id: other } });
  desk.sql(`UPDATE oauth_clients SET logo_type = 5000000, logo_data = 'x', logo_created_at = 1 WHERE id = ${client.id}`);
  assert.equal((await desk.anyone.get(`/oauth/clients/${client.id}/logo`)).status, 404, 'a logo of an unknown type is none');
  desk.sql(`UPDATE cases SET status_type = 50000000 WHERE id = ${id}`);
  assert.equal((await status(3)).status, 500);
  desk.sql(`UPDATE cases SET status_type = 1 WHERE id = ${id}`);
  desk.sql('UPDATE case_statuses SET type = 50000000 WHERE id = 3');
  assert.equal((await status(3)).status, 500);
  (await desk.owner.put(`/cases/${id}`, { subject: 'B' })).must(200);
  desk.sql('UPDATE users SET is_enabled = 7 WHERE id = 1');
  await desk.stop();
  const { status: found, stdout } = deskd('check', ...desk.store);
  assert.equal(found, 1);
  assert.match(stdout, /^oauth_clients, row \d+: logo_type can't be 5000000$/m);
  assert.match(stdout, /^case_statuses, row 3: type can't be 50000000$/m);
  assert.match(stdout, /^users, row 1: is_enabled can't be 7$/m);
});

test('a second owner in an edited export is counted in the summary', async (t) => {
  const { dir: key, folder } = await exported();
  editRows(folder, 'users', ([a, b, ...rows]) => [a, { ...b, role_id: 5, role_type: 5 }, ...rows]);
  assert.match(done('import', ...store(target(t, key)), '--from', folder), /^deskd: 2 owners, /m);
});

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BINARY, Client, Desk, PASSWORD, defer, deskd, directory, routes, until } from '../api/lib/index.mjs';
import { OF_HELP_CENTER, filledHelpCenter, foundArticles } from '../api/lib/published.mjs';

// Moves a desk from a folder into PostgreSQL and back, completely or not at all.

const CLUSTER = process.env.DATABASE;
const LOGINS = ['owner', 'admin', 'agent', 'teams-agent', 'collaborator', 'customer'];
const SEEN_AS = 'http://desk.example.com'; // links do not depend on the listening address

const run = (program, args, input) => {
  const done = spawnSync(program, args, { encoding: 'utf8', input });
  assert.equal(done.status, 0, `${program} ${args.at(-1)}: ${done.stderr}`);
  return done.stdout.trim();
};
const psql = (url, sql) => run('psql', [url, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql]);
const sqlite = (dir, sql) => run('sqlite3', [join(dir, 'desk.db'), sql]);

let made = 0;
/** An empty database for this test. */
function database(t) {
  const name = `move_${process.pid}_${++made}`;
  psql(CLUSTER, `CREATE DATABASE ${name}`);
  defer(t, () => psql(CLUSTER, `DROP DATABASE ${name} WITH (FORCE)`));
  return CLUSTER.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`);
}

const secret = join(directory(), 'password');
writeFileSync(secret, `${PASSWORD}\n`, { mode: 0o600 });

let template;
/** A folder with a demo desk. */
function demo() {
  if (!template) {
    template = join(directory(), 'demo');
    const filled = deskd('demo', '--data', template, '--conversations', '300', '--password-file', secret);
    assert.equal(filled.status, 0, filled.stderr);
  }
  const dir = join(directory(), 'desk');
  cpSync(template, dir, { recursive: true });
  return dir;
}

const move = (from, to, ...more) => deskd('move', '--from', from, '--to', to, ...more);
const moved = (from, to, ...more) => {
  const done = move(from, to, ...more);
  assert.equal(done.status, 0, done.stdout + done.stderr);
  assert.equal(done.stderr, '');
  return done.stdout;
};

/** Checks the exit code, and that stderr is one line that matches `pattern`. */
function refused(done, pattern, status = 1) {
  assert.equal(done.status, status, `${done.stdout}${done.stderr}`);
  assert.match(done.stderr.replace(/^.* waiting up to 5 s for it\n/, ''), /^[^\n]+\n$/, 'one line');
  assert.match(done.stderr, pattern);
}

/** Checks that deskd neither serves the store nor accepts it as a desk. */
function unusable(at, pattern = /a move or an import into this store was interrupted/) {
  refused(deskd('serve', ...at, '--listen', '127.0.0.1:0'), pattern);
  refused(deskd('check', ...at), pattern);
}

// The schema itself adds the setting desk.phone_region, with an empty value.
const empty = (url) => psql(url, `SELECT (SELECT COUNT(*) FROM users) + (SELECT COUNT(*) FROM posts) +
  (SELECT COUNT(*) FROM settings WHERE NOT (name = 'desk.phone_region' AND value = ''))`) === '0';

/** A library to preload, built from its source in tests/fault. */
function shim(name) {
  const out = join(directory(), `${name}.so`);
  run('cc', ['-shared', '-fPIC', '-D_GNU_SOURCE', '-o', out, fileURLToPath(new URL(`../fault/${name}.c`, import.meta.url))]);
  return out;
}
const moveUnder = (env, from, to) => spawnSync(BINARY, ['move', '--from', from, '--to', to], { encoding: 'utf8', env: { ...process.env, ...env } });

/** A desk on a database or in its folder, with the key in the folder. */
async function serve(t, dir, url = null, ...args) {
  const desk = await new Desk(dir, { url, args, base: SEEN_AS, processes: 1 }).start();
  defer(t, () => desk.stop());
  return desk;
}

// Each export of a person is an entry of the audit log, so its replies differ. deskd check verifies its chain after a move.
const PATHS = routes().filter(({ method, path }) => method === 'GET' && path !== '/audit_log').map(({ path }) => path)
  .flatMap((path) => (path.includes(':') ? [1, 7, 250].map((id) => path.replace(/:\w+/g, id)) : [path]));
const WIDER = ['/conversations?include=*&limit=100', '/conversations?status=NEW&sort=updated_at&limit=50', '/users?include=*&limit=100', '/organizations?limit=100'];

/** Views of bots are not counted. A counted view would change the next replies. A session belongs to its User-Agent. */
const UNCOUNTED = { 'User-Agent': 'bot' };

/** The replies of all GET routes for all roles, by session and by login. */
async function answers(desk, sessions) {
  const all = new Map();
  const callers = { nobody: desk.anyone.with(UNCOUNTED) };
  for (const [login, headers] of Object.entries(sessions)) callers[login] = new Client(desk, headers);
  for (const [who, client] of Object.entries(callers)) {
    for (const path of [...PATHS, ...WIDER]) {
      const { status, text, etag } = await client.exchange('GET', `/api/v1${path}`);
      // A cursor of the change log is valid only in its store.
      const said = path === '/changes' ? text.replaceAll(/"cursor":"[^"]*"|after=[\w-]+/g, '') : text;
      all.set(`${who} ${path}`, { status, text: said, etag });
    }
  }
  return all;
}

function same(one, other) {
  assert.equal(one.size, other.size);
  assert.ok([...one.values()].filter((a) => a.status === 200).length > 100, 'most replies are 200');
  for (const [what, answer] of one) assert.deepEqual(other.get(what), answer, what);
}

test('a desk gives the same replies before, on PostgreSQL and back in a folder, and keeps sessions, tokens and ids', { timeout: 600_000 }, async (t) => {
  const dir = demo();
  const url = database(t);
  const first = await serve(t, dir);
  const sessions = {};
  for (const who of LOGINS) {
    const { id, csrf } = await first.session(first.login(`${who}@example.com`), UNCOUNTED);
    sessions[who] = { 'X-Session-ID': id, 'X-CSRF-Token': csrf, ...UNCOUNTED };
  }
  const owner = new Client(first, sessions.owner);
  const asked = (desk, subject) => new Client(desk, sessions.customer).create('/conversations', { subject, contents: 'line\r\nline\ttab \\ "quoted" \u0001' }, { headers: { 'Idempotency-Key': 'once' } });
  const kept = await asked(first, 'Žluťoučký 🐎');
  const gone = await owner.create('/teams', { title: 'Not for long' });
  (await owner.delete(`/teams/${gone.id}`)).must(200);
  await first.stop();
  const before = await first.start().then(() => answers(first, sessions));
  await first.stop();

  const said = moved(`sqlite:${dir}`, url);
  assert.match(said, /^posts +\d{3,} +[0-9a-f]{32} +the same$/m);
  assert.match(said, new RegExp(`serve with --secret-file ${dir}/secret.key`));
  const checked = deskd('check', '--data', dir, '--database', url);
  assert.equal(checked.status, 0, checked.stdout);
  assert.doesNotMatch(checked.stdout, /audit log/, 'its hashes were verified');
  assert.notEqual(psql(url, 'SELECT COUNT(*) FROM audit_entries WHERE chain IS NOT NULL'), '0');
  const second = await serve(t, directory(), url, '--secret-file', join(dir, 'secret.key'), '--files', join(dir, 'files'));
  same(before, await answers(second, sessions));
  const there = new Client(second, sessions.owner);
  const team = await there.create('/teams', { title: 'New' }); // the session's CSRF token is still valid
  assert.ok(team.id > gone.id, 'ids are never reused');
  assert.equal((await asked(second, 'Žluťoučký 🐎')).id, kept.id, 'the first outcome is kept');
  const create = (desk) => new Client(desk, sessions.customer).create('/conversations', { subject: 'Next', contents: 'x' });
  assert.equal((await create(second)).id, kept.id + 1);
  const goneToo = await there.create('/teams', { title: 'Not for long either' });
  (await there.delete(`/teams/${goneToo.id}`)).must(200);
  await second.session(second.login('customer@example.com'));
  (await there.put('/settings', { values: { 'security.password_history': 2 } })).must(200);
  assert.notEqual(psql(url, 'SELECT COUNT(*) FROM outbox'), '0'); // with numbers of transactions, which mean nothing in another store
  await second.stop();
  const between = await second.start().then(() => answers(second, sessions));
  await second.stop();

  const back = join(directory(), 'back');
  assert.match(moved(url, `sqlite:${back}`, '--secret-file', join(dir, 'secret.key')), new RegExp(`serve with --data ${back}`));
  assert.deepEqual(readFileSync(join(back, 'secret.key')), readFileSync(join(dir, 'secret.key')));
  assert.equal(deskd('check', '--data', back, '--files', join(dir, 'files')).stdout, `deskd: found no defects in ${back}\n`);
  const third = await serve(t, back, null, '--files', join(dir, 'files'));
  same(between, await answers(third, sessions));
  assert.equal((await create(third)).id, kept.id + 2);
  assert.ok((await new Client(third, sessions.owner).create('/teams', { title: 'Newer' })).id > goneToo.id);
  await third.stop();
  assert.equal(deskd('check', '--data', back, '--files', join(dir, 'files')).status, 0);
});

test('a help center moves to PostgreSQL and back with all its rows, and its articles are found there', { timeout: 300_000 }, async (t) => {
  const dir = demo(), url = database(t), back = join(directory(), 'back'), key = join(dir, 'secret.key');
  const people = Object.fromEntries(LOGINS.map((name) => [name, { email: `${name}@example.com`, password: PASSWORD }]));
  const start = async (at, to, ...args) => {
    const desk = await new Desk(at, { url: to, args, base: SEEN_AS, processes: 1, people, clock: Date.now() }).start();
    defer(t, () => desk.stop());
    return desk;
  };
  const rows = (select) => Object.fromEntries(OF_HELP_CENTER.map((name) => [name, select(`SELECT * FROM ${name} ORDER BY 1, 2`)]));
  const first = await start(dir, null);
  const { article } = await filledHelpCenter(first);
  await first.stop();
  const before = rows((text) => sqlite(dir, text));
  for (const [name, text] of Object.entries(before)) assert.notEqual(text, '', `${name} has rows`);

  moved(`sqlite:${dir}`, url);
  assert.deepEqual(rows((text) => psql(url, text)), before);
  assert.equal(deskd('check', '--data', dir, '--database', url).status, 0);
  const second = await start(directory(), url, '--secret-file', key);
  assert.deepEqual(await foundArticles(second), [article]);
  await second.stop();
  const there = rows((text) => psql(url, text));

  moved(url, `sqlite:${back}`, '--secret-file', key);
  assert.deepEqual(rows((text) => sqlite(back, text)), there);
  assert.equal(deskd('check', '--data', back, '--files', join(dir, 'files')).status, 0);
  assert.deepEqual(await foundArticles(await start(back, null, '--files', join(dir, 'files'))), [article]);
});

test('a moved desk has the indexes, foreign keys and triggers of a new one, and not the tables of Litestream', (t) => {
  const dump = (url) => run('pg_dump', ['--schema-only', url]).replace(/^\\(un)?restrict .*$/gm, '');
  const schema = (dir) => sqlite(dir, "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name");
  const [there, fresh] = [database(t), database(t)];
  const dir = demo();
  const before = schema(dir);
  sqlite(dir, 'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE _litestream_lock (id INTEGER); INSERT INTO _litestream_seq VALUES (1, 2)');
  moved(`sqlite:${dir}`, there);
  assert.equal(deskd('init', '--data', directory(), '--database', fresh, '--password-file', secret).status, 0);
  assert.equal(dump(there), dump(fresh));
  const back = join(directory(), 'back');
  moved(there, `sqlite:${back}`);
  assert.equal(schema(back), before);
});

test('a key is moved into a folder, and never overwrites another key', (t) => {
  const url = database(t);
  const dir = demo();
  moved(`sqlite:${dir}`, url);
  const key = join(dir, 'secret.key');
  const other = directory();
  writeFileSync(join(other, 'secret.key'), Buffer.alloc(32, 7), { mode: 0o600 });
  refused(move(url, `sqlite:${other}`, '--secret-file', key), /are different keys/);
  refused(move(url, `sqlite:${other}`, '--secret-file', join(dir, 'nothing')), /there is no server key/);
  assert.deepEqual(readdirSync(other), ['secret.key']);
  const held = directory();
  copyFileSync(key, join(held, 'secret.key'));
  moved(url, `sqlite:${held}`, '--secret-file', key);
  assert.match(moved(url, `sqlite:${join(directory(), 'bare')}`), /put the desk's server key to .*\/bare\/secret\.key/);
  const copy = join(directory(), 'copy');
  moved(`sqlite:${dir}`, `sqlite:${copy}`);
  assert.deepEqual(readFileSync(join(copy, 'secret.key')), readFileSync(key));
});

test('wrong usage and failure have different exit codes', (t) => {
  const dir = demo();
  const url = database(t);
  for (const wrong of ['somewhere', 'sqlite:', 'mysql://x/y']) refused(move(`sqlite:${dir}`, wrong), /--to takes sqlite:DIR or postgres:\/\/user@host\/name, not /, 2);
  refused(deskd('move', '--from', `sqlite:${dir}`), /needs --to STORE/, 2);
  refused(deskd('move', '--from', `sqlite:${dir}`, '--to', url, '--data', dir), /--data is not an option of deskd move/, 2);
  refused(move(`sqlite:${dir}`, `sqlite:${dir}/../desk`), /the same store/);
  refused(move(url, url), /the same store/);
  refused(move(`sqlite:${directory()}`, url), /the source: there is no store in .*deskd init/);
  refused(move(url, `sqlite:${join(directory(), 'x')}`), /the source: there is no desk in the database/);
  refused(move(`sqlite:${dir}`, 'postgres://desk@127.0.0.1:1/x'), /the target: the database can't be reached: .*refused/);
  refused(move('postgres://desk:hidden-words@127.0.0.1:1/x', `sqlite:${join(directory(), 'x')}`), /^(?!.*hidden-words)deskd: the source: the database can't be reached/);
  refused(move(`sqlite:${dir}`, `sqlite:${join(secret, 'x')}`), /the target: the folder .* can't be made/);
  assert.equal(psql(url, "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'"), '0', 'no table was created');
});

test('a desk in the target, a started source and a running target are refused, and nothing changes', async (t) => {
  const dir = demo();
  const url = database(t);
  moved(`sqlite:${dir}`, url);
  const held = demo();
  refused(move(`sqlite:${dir}`, url), /holds a desk already/);
  refused(move(url, `sqlite:${held}`), /holds a desk already/);
  for (const at of [['--data', dir, '--database', url], ['--data', held]]) assert.equal(deskd('check', ...at).status, 0);

  const folder = await serve(t, dir);
  refused(move(`sqlite:${dir}`, database(t)), /is in use by another deskd/);
  await folder.stop();
  const served = await serve(t, dir, url);
  const nowhere = join(directory(), 'x');
  refused(move(url, `sqlite:${nowhere}`), /the source: \d+ connections of deskd use the database: stop those/);
  assert.ok(!existsSync(nowhere), 'the source is checked before the target is created');
  refused(move(`sqlite:${held}`, url), /holds a desk already/);
  await served.stop();
  moved(url, `sqlite:${join(directory(), 'x')}`);
});

test('other versions of the schema are refused with the action to take', (t) => {
  const dir = demo();
  const newest = Number(sqlite(dir, 'SELECT MAX(version) FROM schema_version'));
  const name = sqlite(dir, `SELECT name FROM schema_version WHERE version = ${newest}`);
  const url = database(t);
  sqlite(dir, `DELETE FROM schema_version WHERE version = ${newest}`);
  refused(move(`sqlite:${dir}`, url), /schema \d+, this deskd needs \d+: start deskd serve to update it/);
  refused(deskd('check', '--data', dir), /schema \d+, this deskd needs \d+: start deskd serve to update it/);
  sqlite(dir, `INSERT INTO schema_version VALUES (${newest}, '${name}', 0), (${newest + 1}, '9999_later.sql', 0)`);
  refused(move(`sqlite:${dir}`, url), /start the newer deskd/);
  sqlite(dir, `DELETE FROM schema_version WHERE version = ${newest + 1}`);
  moved(`sqlite:${dir}`, url);
  psql(url, `DELETE FROM schema_version WHERE version = ${newest}`);
  refused(move(`sqlite:${dir}`, url), /the target has schema \d+ already: name an empty store/);
  assert.equal(psql(url, 'SELECT MAX(version) FROM schema_version'), String(newest - 1), 'the move did not migrate the target');
});

test('missing rights on either side are reported', (t) => {
  const dir = demo();
  const url = database(t);
  const role = `mover_${process.pid}`;
  psql(CLUSTER, `CREATE ROLE ${role} LOGIN`);
  defer(t, () => psql(CLUSTER, `DROP ROLE ${role}`));
  const weak = url.replace('//desk@', `//${role}@`);
  refused(move(`sqlite:${dir}`, weak), /the target: .*permission denied.*grant CREATE/);
  moved(`sqlite:${dir}`, url);
  refused(move(weak, `sqlite:${join(directory(), 'x')}`), /the source: this user may not use the table \w+ of the desk/);
  psql(url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}; REVOKE SELECT ON posts FROM ${role}`);
  const half = join(directory(), 'x');
  refused(move(weak, `sqlite:${half}`), /the source: this user may not use the table posts of the desk/);
  assert.ok(!existsSync(half));
  psql(url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
  refused(move(weak, `sqlite:${half}`), /_seq can't be read: permission denied/);
  unusable(['--data', half]);
  psql(url, `GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
  moved(weak, `sqlite:${half}`);
  psql(url, `DROP OWNED BY ${role}`);
});

test('rows that PostgreSQL can\'t store are named, and the target stays empty until they are corrected', (t) => {
  const dir = demo();
  const url = database(t);
  for (const [spoil, mend, pattern] of [
    ["UPDATE posts SET content_text = 'a' || char(0) || 'b' WHERE id = 5", "UPDATE posts SET content_text = 'ab' WHERE id = 5", /posts\.content_text of the row with id 5 contains U\+0000/],
    ["UPDATE posts SET subject = CAST(x'ff' AS TEXT) WHERE id = 6", 'UPDATE posts SET subject = NULL WHERE id = 6', /posts\.subject of the row with id 6 is not UTF-8/],
    ["UPDATE cases SET reopen_count = 'many' WHERE id = 7", 'UPDATE cases SET reopen_count = 0 WHERE id = 7', /cases\.reopen_count of the row with id 7 is not of its column's type/],
    ['UPDATE cases SET reopen_count = 4294967296 WHERE id = 8', 'UPDATE cases SET reopen_count = 0 WHERE id = 8', /cases\.reopen_count of the row with id 8 is a number too large/],
    ['UPDATE posts SET case_id = 999999 WHERE id = 9', 'UPDATE posts SET case_id = (SELECT case_id FROM posts WHERE id = 8) WHERE id = 9', /violates foreign key constraint/],
  ]) {
    sqlite(dir, spoil);
    refused(move(`sqlite:${dir}`, url), pattern);
    assert.ok(empty(url));
    unusable(['--data', dir, '--database', url]);
    sqlite(dir, mend);
  }
  moved(`sqlite:${dir}`, url);
});

test('a row that differs in the target is found, on both engines, and nothing is kept', (t) => {
  const dir = demo();
  const url = database(t);
  assert.equal(deskd('init', '--data', directory(), '--database', url, '--password-file', secret).status, 0);
  psql(url, 'TRUNCATE users, settings CASCADE'); // this is no desk any more
  psql(url, `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.content_text := NEW.content_text || '.'; RETURN NEW; END $$;
    CREATE TRIGGER spoil BEFORE INSERT ON posts FOR EACH ROW WHEN (NEW.id = 77) EXECUTE FUNCTION spoil()`);
  const done = move(`sqlite:${dir}`, url);
  refused(done, /nothing was moved to the database: 1 tables differ from those of the source/);
  assert.match(done.stdout, /^posts .*DIFFERENT:\n {2}in the target .*$/m);
  assert.equal(done.stdout.match(/the same$/gm).length, done.stdout.trimEnd().split('\n').length - 2);
  assert.ok(empty(url));
  unusable(['--data', dir, '--database', url]);
  psql(url, 'DROP TRIGGER spoil ON posts');
  psql(url, `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER lose BEFORE INSERT ON read_markers FOR EACH ROW WHEN (NEW.case_id % 10 = 0) EXECUTE FUNCTION lose()`);
  refused(move(`sqlite:${dir}`, url), /1 tables differ/); // rows are missing
  psql(url, 'DROP TRIGGER lose ON read_markers; DROP FUNCTION lose; DROP FUNCTION spoil');
  moved(`sqlite:${dir}`, url);

  const back = join(directory(), 'back');
  refused(moveUnder({ LD_PRELOAD: shim('bind'), DESKD_BIND: 'alter 3000' }, url, `sqlite:${back}`), /nothing was moved to .*back: 1 tables differ from those of the source/);
  unusable(['--data', back]);
  moved(url, `sqlite:${back}`);
  assert.equal(deskd('check', '--data', back, '--files', join(dir, 'files')).status, 0);
});

/** A move that waits for a lock on the target's settings. The tables before it in the alphabet are already copied. */
async function halfway(t, from, to) {
  const holder = spawn('psql', [to, '-X', '-q'], { stdio: ['pipe', 'pipe', 'inherit'] });
  defer(t, () => holder.kill());
  holder.stdin.write('BEGIN; LOCK TABLE settings IN SHARE MODE; SELECT 1;\n');
  await new Promise((resolve) => { holder.stdout.once('data', resolve); });
  const child = spawn(BINARY, ['move', '--from', from, '--to', to]);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => { stderr += text; });
  child.stdout.resume();
  const gone = new Promise((resolve) => { child.on('close', (status, signal) => resolve({ status, signal, stderr })); });
  const waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'deskd' AND wait_event_type = 'Lock'";
  await until('the move to be halfway', async () => psql(to, waiting) === '1' || undefined);
  return { child, gone, release: () => holder.stdin.end('ROLLBACK;\n') };
}

test('a desk that is started on the source during a move makes the move fail', { timeout: 300_000 }, async (t) => {
  const dir = demo();
  const [from, to] = [database(t), database(t)];
  moved(`sqlite:${dir}`, from);
  refused(move(`sqlite:${demoSpoilt()}`, to), /U\+0000/); // creates the tables
  const { gone, release } = await halfway(t, from, to);
  const desk = await serve(t, dir, from);
  release();
  refused(await gone, /connections of deskd use the database: stop those/);
  await desk.stop();
  moved(from, to);
});

test('a killed move leaves no usable store, and the next move starts from the beginning', { timeout: 300_000 }, async (t) => {
  const dir = demo();
  const url = database(t);
  refused(move(`sqlite:${demoSpoilt()}`, url), /U\+0000/); // creates the tables
  const { child, gone, release } = await halfway(t, `sqlite:${dir}`, url);
  refused(move(`sqlite:${demo()}`, url), /another move into this database is running/);
  refused(deskd('serve', '--data', dir, '--database', url, '--listen', '127.0.0.1:0'), /a move or an import into this store was interrupted/);
  refused(move(`sqlite:${dir}`, database(t)), /is in use by another deskd/); // the source is locked
  child.kill('SIGKILL');
  assert.equal((await gone).signal, 'SIGKILL');
  release();
  await until('its session to be gone', async () => psql(url, "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'deskd'") === '0' || undefined);
  unusable(['--data', dir, '--database', url]);
  assert.ok(empty(url));
  moved(`sqlite:${dir}`, url);

  const back = join(directory(), 'back');
  const killed = moveUnder({ LD_PRELOAD: shim('bind'), DESKD_BIND: 'kill 3000' }, url, `sqlite:${back}`);
  assert.equal(killed.signal, 'SIGKILL');
  assert.ok(existsSync(join(back, 'desk.db')));
  unusable(['--data', back]);
  refused(deskd('password', '--data', back, 'owner@example.com', '--password-file', secret), /was interrupted/);
  await until('the sessions of the killed one to be gone', async () => psql(url, "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'deskd'") === '0' || undefined);
  moved(url, `sqlite:${back}`);
  assert.equal(deskd('check', '--data', back, '--files', join(dir, 'files')).status, 0);
});

/** A demo desk with a text that PostgreSQL can't store. */
function demoSpoilt() {
  const dir = demo();
  sqlite(dir, "UPDATE posts SET content_text = char(0) WHERE id = 5");
  return dir;
}

test('a full disk stops a move and leaves no usable store', (t) => {
  const url = database(t);
  moved(`sqlite:${demo()}`, url);
  const back = join(directory(), 'back');
  const fault = join(directory(), 'fault');
  const preload = `${shim('bind')} ${shim('eio')}`;
  const done = moveUnder({ LD_PRELOAD: preload, DESKD_BIND: 'full 3000', DESKD_FAULT: fault, DESKD_FAULT_UNDER: back }, url, `sqlite:${back}`);
  assert.equal(done.status, 1, done.stdout + done.stderr);
  assert.match(done.stderr, /\ndeskd: nothing was moved to .*full/);
  unusable(['--data', back]);
  moved(url, `sqlite:${back}`);
});

test('deskd password works on a database while a desk runs on it', async (t) => {
  const url = database(t);
  const dir = demo();
  moved(`sqlite:${dir}`, url);
  const at = ['--data', dir, '--database', url];
  const other = join(directory(), 'other');
  writeFileSync(other, 'an entirely other one\n', { mode: 0o600 });
  refused(deskd('password', ...at, 'nobody@example.com', '--password-file', other), /no person in the database has the address nobody@example\.com/);
  refused(deskd('password', '--database', CLUSTER.replace('/postgres', '/nothing_here'), 'owner@example.com', '--password-file', other), /can't be reached: .*does not exist/);
  assert.equal(deskd('password', ...at, 'agent@example.com', '--password-file', other).status, 0);
  const desk = await serve(t, dir, url);
  (await desk.login('agent@example.com').get('/me')).must(401);
  (await desk.login('agent@example.com', 'an entirely other one').get('/me')).must(200);
  const session = await desk.session(desk.login('admin@example.com'));
  (await session.client.get('/me')).must(200);
  const done = deskd('password', ...at, 'admin@example.com', '--password-file', other);
  assert.equal(done.status, 0, done.stderr);
  (await session.client.get('/me')).refused(454, 'SESSION_LOADING_FAILED');
  (await desk.login('admin@example.com').get('/me')).must(401);
  (await desk.login('admin@example.com', 'an entirely other one').get('/me')).must(200);
});


// make bench-guard: counts what the main requests cost, and compares with the committed table bench/guard.tsv.
//
//   GUARD_UPDATE=1   writes the table anew        GUARD_PARTS=1   also the share of each part of a request
//   GUARD_FRAMES=1   also the tables and indexes whose pages the writes put into the log
//   DATABASE         a cluster, of tests/postgres.sh: counts round trips on PostgreSQL, and compares nothing
//
// Each request has a process of its own and a fresh copy of one demo desk, at a fixed time, and calls the API without HTTP
// (bench/statements.c). valgrind counts instructions. So neither the machine, its load nor the other requests change a count: runs differ by
// less than 0.1 %.
// The counts hold for the compiler and the libraries of Debian 12. The edge, jobs and mails are not in them.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONVERSATIONS, ONE_MEMSET, TIME, readDump, requests } from './guard_requests.mjs';

const REQUESTS = 10, WARM = 13, BEYOND = 0.05;
const AGENT = 'deskd-bench', PASSWORD = 'password of the guard';
const file = new URL('guard.tsv', import.meta.url).pathname;
const counts = ['statements', 'rows', 'frames', 'instructions'];
const guarded = ['statements', 'frames', 'instructions'];

/* ---- the desk --------------------------------------------------------------------------------------------- */

const folder = mkdtempSync(join(tmpdir(), 'deskd-guard-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const desk = join(folder, 'desk'), copy = join(folder, 'copy'), clock = join(folder, 'clock');
const statements = (...args) => execFileSync('build/bench/statements', args, { encoding: 'utf8' }).trim();
const cluster = process.env.DATABASE, urlOf = (name) => cluster.replace(/\/postgres\?/, `/${name}?`);
const psql = (url, sql) => execFileSync('psql', [url, '-XqAt', '-c', sql], { encoding: 'utf8' });
const rows = (sql) => (cluster ? psql(urlOf('desk'), sql) : execFileSync('sqlite3', [join(desk, 'desk.db'), sql], { encoding: 'utf8' })).trim().split('\n');

function makeDesk() {
    writeFileSync(clock, String(TIME));
    writeFileSync(join(folder, 'password'), PASSWORD, { mode: 0o600 });
    if (cluster) psql(cluster, 'CREATE DATABASE desk');
    const where = cluster ? ['--database', urlOf('desk')] : [];
    execFileSync('./deskd', ['demo', '--data', desk, ...where, '--conversations', String(CONVERSATIONS), '--password-file', join(folder, 'password')]);
    if (cluster) psql(urlOf('desk'), 'VACUUM ANALYZE');
    process.env.BENCH_DATABASE = cluster ? urlOf('desk') : '';
}

const sessions = {};
function session(caller) {
    const basic = Buffer.from(`${caller}@example.com:${PASSWORD}`).toString('base64');
    return sessions[caller] ??= statements('login', desk, AGENT, `Basic ${basic}`, clock);
}

function freshCopy() {
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy);
    if (cluster) execFileSync('psql', [cluster, '-Xq', '-c', 'SET client_min_messages = error', '-c', 'DROP DATABASE IF EXISTS copy']);
    if (cluster) psql(cluster, 'CREATE DATABASE copy TEMPLATE desk');
    for (const name of cluster ? ['secret.key'] : ['desk.db', 'secret.key']) copyFileSync(join(desk, name), join(copy, name));
}

/* ---- counting --------------------------------------------------------------------------------------------- */

const finishers = [...readFileSync('src/core/all/finish.c', 'utf8').matchAll(/^ {4}\{"(.*)", (\w+)\},$/gm)].map(([, name, run]) => [name, run]);
const parts = [...finishers, ['COMMIT', 'conn_commit'], ['reply to the caller', 'api_reply_one'], ['memset', /^__memset/]];

function share(costs, [name, which]) {
    let sum = 0;
    for (const [fn, cost] of costs)
        if (which instanceof RegExp) sum += which.test(fn) ? cost.own : 0;
        else sum += fn === which ? cost.all : 0;
    return [name, sum / REQUESTS];
}

const framed = process.env.GUARD_FRAMES && !cluster, trees = [];

function measure([name, caller, method, target, ids, body]) {
    const id = session(caller), n = REQUESTS + WARM, found = ids ? rows(`${ids} LIMIT ${n}`) : [];
    const targets = Array.from({ length: n }, (_, i) => `/api/v1${target.replace('@', () => found[i % found.length])}`);
    freshCopy();
    const dump = join(folder, 'dump');
    const args = ['-q', '--tool=callgrind', '--instr-atstart=no', `--callgrind-out-file=${dump}`, 'build/bench/statements',
        'guard', copy, AGENT, id, clock, method, body ? JSON.stringify(body) : '', ...targets];
    const env = { ...process.env, ...ONE_MEMSET, BENCH_DATABASE: cluster ? urlOf('copy') : '', BENCH_KEPT_LOG: framed && body ? kept : '' };
    const counted = JSON.parse(execFileSync('valgrind', args, { encoding: 'utf8', env }));
    const costs = readDump(readFileSync(dump, 'utf8'));
    let instructions = 0;
    for (const { own } of costs.values()) instructions += own;
    if (framed && body) trees.push(`${name}: ${framesOf()}`);
    return { name, ...counted, instructions: Math.round(instructions / REQUESTS), parts: parts.map((part) => share(costs, part)) };
}

/* ---- frames of the log ------------------------------------------------------------------------------------ */

const HEADER = 24, kept = join(folder, 'log'); // bytes of the header of a frame, which begins with the number of its page

// Frames by table and index, of a request, the most first.
function framesOf() {
    const sqlite = (sql) => execFileSync('sqlite3', [join(copy, 'desk.db'), sql], { encoding: 'utf8', maxBuffer: 1 << 26 }).trim().split('\n');
    const size = Number(sqlite('PRAGMA page_size')[0]) + HEADER, log = readFileSync(kept), found = new Map();
    const names = new Map(sqlite('SELECT pageno, name FROM dbstat').map((line) => line.split('|')));
    for (let at = 0; at + size <= log.length; at += size) {
        const name = names.get(String(log.readUInt32BE(at))) ?? 'free pages';
        found.set(name, (found.get(name) ?? 0) + 1 / REQUESTS);
    }
    return [...found].sort((a, b) => b[1] - a[1]).map(([name, n]) => `${name} ${n.toFixed(1)}`).join(', ');
}

/* ---- the table -------------------------------------------------------------------------------------------- */

function committed() {
    const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n').map((line) => line.split('\t'));
    return new Map(lines.map(([name, ...cells]) => [name, Object.fromEntries(cells.map((cell, i) => [head[i + 1], Number(cell)]))]));
}

const thousands = (n) => n.toLocaleString('en-US');
const percent = (now, before) => (before ? 100 * (now / before - 1) : now ? Infinity : 0);
const signed = (x) => `${x < 0 ? '' : '+'}${x.toFixed(1)} %`;
const print = (cells) => console.log(cells.map((cell, i) => (i ? String(cell).padStart(13) : cell.padEnd(26))).join(' '));

makeDesk();
for (const [, caller] of requests) session(caller);
const measured = requests.map(measure);
if (process.env.GUARD_UPDATE) {
    const lines = measured.map((m) => [m.name, ...counts.map((what) => m[what])].join('\t'));
    writeFileSync(file, `${['request', ...counts].join('\t')}\n${lines.join('\n')}\n`);
}
if (cluster) {
    print(['request', 'statements', 'round trips', 'instructions']);
    for (const m of measured) print([m.name, m.statements, m.round_trips, thousands(m.instructions)]);
    process.exit();
}
const before = committed(), slower = [], faster = [];
print(['request', ...counts, 'committed', 'difference']);
for (const m of measured) {
    const old = before.get(m.name) ?? {};
    print([m.name, m.statements, m.rows, m.frames, thousands(m.instructions), old.instructions ? thousands(old.instructions) : '-',
        signed(percent(m.instructions, old.instructions))]);
    for (const what of guarded) {
        const change = percent(m[what], old[what]);
        const line = `${m.name}: ${m[what]} ${what}, ${old[what]} in bench/guard.tsv (${signed(change)})`;
        if (change > 100 * BEYOND) slower.push(line);
        if (change < -100 * BEYOND) faster.push(line);
    }
}
if (process.env.GUARD_PARTS) {
    console.log('\nthousands of instructions, with the calls of a part');
    const used = parts.filter((_, i) => measured.some((m) => m.parts[i][1] >= 500));
    print(['part', ...measured.map((_, i) => i + 1)]);
    for (const [name] of used) print([name, ...measured.map((m) => Math.round(m.parts.find(([part]) => part === name)[1] / 1000))]);
    measured.forEach((m, i) => console.log(`${i + 1}: ${m.name}`));
}
if (framed) console.log(`\nframes of the log by table and index\n${trees.join('\n')}`);
for (const line of faster) console.log(`faster: ${line}`);
for (const line of slower) console.log(`FAILED: ${line}`);
if (faster.length + slower.length) console.log('If the change is meant, run GUARD_UPDATE=1 make bench-guard and commit bench/guard.tsv with it.');
process.exitCode = slower.length ? 1 : 0;

// make bench-postgres: measures the same desk on both engines, with deskd as one process and as two, next to pgbench
// with deskd's statements, and three ways of a client to wait for them (bench/libpq.c). docs/BENCHMARKS.md explains the
// output.
//
//   BENCH_PG       conversations (20000)       BENCH_ROUNDS   interleaved rounds; medians count (5)
//   BENCH_SECONDS  of one run (2)              BENCH_DIR      the folder's desk, kept between runs (build/bench)
//   DATABASE       the cluster, of tests/postgres.sh
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { execFileSync, spawn } from 'node:child_process';
import { AGENT, Server, binary, run } from './servers.mjs';

const dir = process.env.BENCH_DIR ?? 'build/bench';
const size = Number(process.env.BENCH_PG ?? 20_000), rounds = Number(process.env.BENCH_ROUNDS ?? 5), seconds = Number(process.env.BENCH_SECONDS ?? 2);
const pgbench = `${process.env.PGBIN}/pgbench`;
const median = (xs) => xs.slice().sort((a, b) => a - b)[xs.length >> 1];
const say = (text) => process.stderr.write(`bench: ${text}\n`);
const table = (head, rows) => {
    console.log(`\n| ${head.join(' | ')} |\n|${head.map((_, i) => (i < 2 ? '---' : '--:')).join('|')}|`);
    for (const row of rows) console.log(`| ${row.join(' | ')} |`);
};

/* ---- the desks -------------------------------------------------------------------------------------------- */

mkdirSync(dir, { recursive: true });
const passwordFile = `${dir}/password`, folder = `${dir}/desk-${size}`, database = process.env.DATABASE;
if (!existsSync(passwordFile)) writeFileSync(passwordFile, randomBytes(15).toString('base64url'), { mode: 0o600 });
const password = readFileSync(passwordFile, 'utf8').trim();
const demo = (data, ...more) => run('./deskd', ['demo', '--data', data, ...more, '--conversations', String(size), '--password-file', passwordFile]);
say(`desks of ${size} conversations`);
if (!existsSync(folder)) {
    rmSync(`${folder}.new`, { recursive: true, force: true });
    await demo(`${folder}.new`);
    renameSync(`${folder}.new`, folder);
}
const place = `${dir}/postgres`;
rmSync(place, { recursive: true, force: true });
await demo(place, '--database', database);
await run('psql', [database, '-q', '-c', 'VACUUM ANALYZE']);

const start = (more) => Server.start(binary, ['serve', ...more, '--listen', '127.0.0.1:0', '--base-url', 'http://127.0.0.1', '--log-level', 'warn'], /listening on .*:(\d+)$/m);
const onPostgres = ['--data', place, '--database', database];
const engines = [
    { name: 'SQLite', servers: [await start(['--data', folder])] },
    { name: 'PostgreSQL', servers: [await start(onPostgres)] },
    { name: 'PostgreSQL, 2 processes', servers: [await start(onPostgres), await start(onPostgres)] },
];

async function ask(server, target, headers) {
    const reply = await fetch(server.url + target, { headers: { 'User-Agent': AGENT, ...headers } });
    if (reply.status !== 200) throw new Error(`${target} answered ${reply.status}: ${await reply.text()}`);
    return reply.json();
}
const basic = { Authorization: `Basic ${Buffer.from(`agent@example.com:${password}`).toString('base64')}`, 'X-CSRF': 'false' };
for (const engine of engines) engine.session = { 'X-Session-ID': (await ask(engine.servers[0], '/api/v1/session', basic)).session_id };

// Returns ids of conversations spread over the desk. They are the same on both engines, because both desks have the
// same seed.
async function someIds(count, query = '') {
    const { total_count: total } = await ask(engines[0].servers[0], `/api/v1/conversations?limit=1${query}`, engines[0].session);
    const found = new Set();
    for (let k = 0; k < count / 5; k++) {
        const { data } = await ask(engines[0].servers[0], `/api/v1/conversations?limit=5&offset=${Math.floor(Math.max(total - 5, 0) * 5 * k / count)}${query}`, engines[0].session);
        for (const { id } of data) found.add(id);
    }
    return [...found];
}
const text = 'The lamp on the second floor flickers again since this morning; the other ones are fine.';
const cases = [
    { what: 'GET one', targets: (await someIds(100)).map((id) => `/api/v1/conversations/${id}`), connections: 16, threads: 8 },
    { what: 'GET list', targets: ['/api/v1/conversations?limit=10'], connections: 16, threads: 8 },
    { what: 'POST message', targets: (await someIds(100, '&status=OPEN')).map((id) => `/api/v1/conversations/${id}/messages`), connections: 32, threads: 4, method: 'POST', body: JSON.stringify({ contents: text }) },
];

/* ---- the statements alone --------------------------------------------------------------------------------- */

// Writes the scripts for pgbench: one for each request, with values as variables, so that it prepares the same
// statements as deskd. Each of its clients prepares each script, so there are few: the first request of a GET, eight of
// a POST.
async function scripts(c, n) {
    const { stdout } = await run('build/bench/statements', ['lines', place, AGENT, engines[1].session['X-Session-ID'], database, c.method ?? 'GET', c.body ?? '', ...c.targets]);
    c.lines = stdout;
    c.variables = new Map();
    const requests = stdout.trimEnd().split('\n\n');
    c.statements = requests.reduce((sum, r) => sum + r.split('\n').length, 0) / requests.length;
    c.files = requests.slice(0, c.method ? 8 : 1).map((request, i) => {
        const body = request.split('\n').map((line) => {
            const [sql, ...values] = line.split('\t');
            return `${sql.replace(/\$(\d+)/g, (_, k) => {
                const value = values[k - 1];
                if (value === '\\N') return 'NULL';
                if (![...c.variables.values()].includes(value)) c.variables.set(`v${n}_${c.variables.size}`, value);
                return `:${[...c.variables].find(([, v]) => v === value)[0]}`;
            })};`;
        });
        const file = `${dir}/pgbench-${n}-${i}.sql`;
        writeFileSync(file, [c.method ? 'BEGIN;' : 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;', ...body, 'COMMIT;', ''].join('\n'));
        return file;
    });
}
for (const [n, c] of cases.entries()) await scripts(c, n);

async function alone(c, connections) {
    const log = `${dir}/pgbench-log`;
    for (const name of readdirSync(dir)) if (name.startsWith('pgbench-log')) rmSync(`${dir}/${name}`);
    const args = ['-n', '-M', 'prepared', '-c', String(connections), '-j', '1', '-T', String(seconds), '-l', `--log-prefix=${log}`,
        ...c.files.flatMap((file) => ['-f', file]), ...[...c.variables].flatMap(([name, value]) => ['-D', `${name}=${value}`]), database];
    const { stdout } = await run(pgbench, args);
    const times = readdirSync(dir).filter((name) => name.startsWith('pgbench-log')).flatMap((name) => readFileSync(`${dir}/${name}`, 'utf8').trimEnd().split('\n').map((line) => Number(line.split(' ')[2]) / 1000)).sort((a, b) => a - b);
    return { rate: Number(/^tps = ([\d.]+)/m.exec(stdout)[1]), p50: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)] };
}

const waiting = (c, way, connections) => new Promise((resolve, reject) => {
    const child = spawn('build/bench/libpq', [database, way, String(connections), String(seconds)], { stdio: ['pipe', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (d) => { said += d; });
    child.on('close', (code) => (code === 0 ? resolve(JSON.parse(said)) : reject(new Error(`libpq ${way}: ${code}`))));
    child.stdin.end(c.lines);
});

/* ---- rounds ------------------------------------------------------------------------------------------------- */

async function load(engine, c) {
    const file = `${dir}/pg-targets`;
    writeFileSync(file, `${c.targets.join('\n')}\n`);
    const headers = { ...engine.session, ...(c.method && { 'Content-Type': 'application/json' }) };
    const options = { connections: c.connections / engine.servers.length, seconds, method: c.method ?? 'GET', body: c.body ?? '' };
    const parts = await Promise.all(engine.servers.map((server) => server.load(file, headers, options)));
    const requests = parts.reduce((sum, p) => sum + p.requests, 0);
    return { rate: parts.reduce((sum, p) => sum + p.rate, 0), p50: Math.max(...parts.map((p) => p.p50)), p99: Math.max(...parts.map((p) => p.p99)), cpu: parts.reduce((sum, p) => sum + p.cpu * p.requests, 0) / requests };
}

const measured = new Map();
const keep = (key, value) => measured.set(key, [...(measured.get(key) ?? []), value]);
const of = (key, member) => median(measured.get(key).map((m) => m[member]));
for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    for (const c of cases) {
        for (const engine of engines) {
            const m = await load(engine, c);
            keep(`${c.what} ${engine.name}`, m);
            if (engine.name === 'SQLite') continue;
            const connections = c.threads * engine.servers.length, p = await alone(c, connections);
            keep(`${c.what} pgbench ${connections}`, p);
            keep(`${c.what} ratio ${engine.name}`, { ratio: m.rate / p.rate });
        }
        if (!c.method) for (const way of ['threads', 'events', 'pipeline']) keep(`${c.what} ${way}`, await waiting(c, way, 8));
    }
}
for (const { servers } of engines) for (const server of servers) await server.stop();

const row = (c, key) => [Math.round(of(key, 'rate')).toLocaleString('en-US'), of(key, 'p50').toFixed(2), of(key, 'p99').toFixed(2)];
console.log(`${size} conversations; medians of ${rounds} rounds of ${seconds} s; ${execFileSync(pgbench, ['--version'], { encoding: 'utf8' }).trim()}`);
table(['request', 'served by', 'req/s', 'p50 ms', 'p99 ms', 'deskd CPU us', 'of pgbench'], cases.flatMap((c) => engines.flatMap((engine) => {
    const key = `${c.what} ${engine.name}`, connections = c.threads * engine.servers.length;
    const own = [c.what, engine.name, ...row(c, key), of(key, 'cpu').toFixed(1)];
    if (engine.name === 'SQLite') return [[...own, '']];
    return [[...own, of(`${c.what} ratio ${engine.name}`, 'ratio').toFixed(2)],
        [c.what, `pgbench -c ${connections}, ${c.statements.toFixed(1)} statements`, ...row(c, `${c.what} pgbench ${connections}`), '', '']];
})));
table(['request', 'client that waits by', 'req/s', 'CPU us of the client'], cases.filter((c) => !c.method).flatMap((c) => ['threads', 'events', 'pipeline'].map((way) =>
    [c.what, way, Math.round(of(`${c.what} ${way}`, 'rate')).toLocaleString('en-US'), of(`${c.what} ${way}`, 'us').toFixed(1)])));

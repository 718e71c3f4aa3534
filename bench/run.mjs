// make bench: measures requests a second, latency and CPU of deskd on a small and on a big desk, next to the same HTTP
// library with a fixed reply and the same SQL without HTTP. docs/BENCHMARKS.md explains the measurements.
//
//   BENCH_BIG      conversations of the big desk (1000000)     BENCH_ROUNDS   interleaved rounds; medians count (5)
//   BENCH_SECONDS  of one wrk run (1)                          BENCH_DIR      desks, kept between runs (build/bench)
//   BENCH_ONLY     get, post or start: only that part          -v             also the statements with their plans
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { cpus, release } from 'node:os';
import { AGENT, fixed, run, serve } from './servers.mjs';

const dir = process.env.BENCH_DIR ?? 'build/bench';
const big = Number(process.env.BENCH_BIG ?? 1_000_000), small = 1000;
const rounds = Number(process.env.BENCH_ROUNDS ?? 5), seconds = Number(process.env.BENCH_SECONDS ?? 1);
const verbose = process.argv.includes('-v'), only = process.env.BENCH_ONLY;
const callers = [['ALL', 'agent@example.com'], ['TEAMS', 'teams-agent@example.com'], ['customer', 'customer@example.com']];
const list = '/api/v1/conversations?limit=10';

const median = (xs) => xs.slice().sort((a, b) => a - b)[xs.length >> 1];
const medianOf = (rows, of) => median(rows.map(of));
const thousands = (n) => Math.round(n).toLocaleString('en-US');
const say = (text) => process.stderr.write(`bench: ${text}\n`);
const targets = []; // goals of the issue: [goal, reached]
const aim = (said, reached) => targets.push([said, reached]);
const table = (head, rows) => {
    console.log(`\n| ${head.join(' | ')} |\n|${head.map((_, i) => (i < 2 ? '---' : '--:')).join('|')}|`);
    for (const row of rows) console.log(`| ${row.join(' | ')} |`);
};

/* ---- desks ------------------------------------------------------------------------------------------------ */

const passwordFile = `${dir}/password`;
mkdirSync(dir, { recursive: true });
if (!existsSync(passwordFile)) writeFileSync(passwordFile, randomBytes(15).toString('base64url'), { mode: 0o600 });
const password = readFileSync(passwordFile, 'utf8').trim();
const basic = (email) => ({ Authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}` });

async function desk(conversations) {
    const data = `${dir}/desk-${conversations}`;
    if (existsSync(data)) return data;
    say(`a desk of ${thousands(conversations)} conversations is made, once`);
    rmSync(`${data}.new`, { recursive: true, force: true });
    await run('./deskd', ['demo', '--data', `${data}.new`, '--conversations', String(conversations), '--password-file', passwordFile]);
    renameSync(`${data}.new`, data);
    return data;
}

async function ask(server, target, headers) {
    const reply = await fetch(server.url + target, { headers: { 'User-Agent': AGENT, ...headers } });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${target} answered ${reply.status}: ${text}`);
    return { reply, text, json: text.startsWith('{') && JSON.parse(text) };
}

const login = async (server, email) =>
    ({ 'X-Session-ID': (await ask(server, '/api/v1/session', { ...basic(email), 'X-CSRF': 'false' })).json.session_id });

// Returns up to 100 conversations, spread over those that the caller sees.
async function someTargets(server, session) {
    const { total_count: total } = (await ask(server, '/api/v1/conversations?limit=1', session)).json;
    const found = new Set();
    for (let k = 0; k < 20; k++) {
        const offset = Math.floor(Math.max(total - 5, 0) * k / 20);
        const page = (await ask(server, `/api/v1/conversations?limit=5&offset=${offset}`, session)).json;
        for (const c of page.data) found.add(`/api/v1/conversations/${c.id}`);
    }
    return [...found];
}

/* ---- reads ------------------------------------------------------------------------------------------------ */

const ours = new Set(['content-length', 'connection', 'date', 'keep-alive']); // the library's own
function writeFixed(file, { reply, text }) {
    const head = [...reply.headers].filter(([name]) => !ours.has(name)).map(([name, value]) => `${name}: ${value}`);
    writeFileSync(file, `${head.join('\n')}\n\n${text}`);
}

async function readCases(desks) {
    const cases = [];
    for (const [who, email] of callers)
        for (const what of ['one', 'list', ...(who === 'ALL' ? ['list, Basic'] : [])])
            for (const d of desks) {
                const session = await login(d.server, email);
                const headers = what === 'list, Basic' ? { ...basic(email), 'X-CSRF': 'false' } : session;
                const paths = what === 'one' ? await someTargets(d.server, session) : [list];
                const i = cases.length, file = `${dir}/targets-${i}`;
                const first = await ask(d.server, paths[0], headers);
                writeFileSync(file, paths.join('\n'));
                writeFileSync(`${dir}/fixed-${i}`, '');
                writeFixed(`${dir}/fixed-${i}`, first);
                writeFileSync(`${dir}/target-fixed-${i}`, `/${i}`);
                cases.push({ who, what, d, headers, session: session['X-Session-ID'], paths, file, i, bytes: first.text.length, rows: [] });
            }
    return cases;
}

const statements = async (c, times, ...more) =>
    (await run('build/bench/statements', ['get', c.d.data, AGENT, c.session, String(times), ...c.paths, ...more])).stdout;

async function readRound(c, fixedServer) {
    const shape = { connections: 16, seconds };
    const whole = await c.d.server.load(c.file, c.headers, shape);
    const http = await fixedServer.load(`${dir}/target-fixed-${c.i}`, c.headers, shape);
    const sql = JSON.parse((await statements(c, Math.ceil(5000 / c.paths.length))).split('\n')[0]);
    c.rows.push({ ...whole, http: http.cpu, sql: sql.us, statements: sql.statements, ratio: whole.cpu / (http.cpu + sql.us) });
}

async function reads(desks) {
    const cases = await readCases(desks);
    const fixedServer = await fixed(cases.map((c) => `${dir}/fixed-${c.i}`));
    for (let r = 0; r < rounds; r++) {
        say(`reads, round ${r + 1} of ${rounds}`);
        for (const c of cases) await readRound(c, fixedServer);
    }
    await fixedServer.stop();
    table(['GET', 'caller', 'desk', 'bytes', 'req/s', 'p50 ms', 'p99 ms', 'CPU us', 'fixed body us', 'its SQL us', 'statements', 'ratio'],
        cases.map((c) => {
            const m = (of) => medianOf(c.rows, of);
            return [c.what, c.who, thousands(c.d.conversations), c.bytes, thousands(m((r) => r.rate)), m((r) => r.p50).toFixed(2), m((r) => r.p99).toFixed(2),
                m((r) => r.cpu).toFixed(1), m((r) => r.http).toFixed(1), m((r) => r.sql).toFixed(1), m((r) => r.statements), m((r) => r.ratio).toFixed(2)];
        }));
    for (const c of cases)
        aim(`GET ${c.what}, ${c.who}, ${thousands(c.d.conversations)}: CPU at most 1.5 times fixed body + statements`, [medianOf(c.rows, (r) => r.ratio), 1.5]);
    for (let i = 0; i < cases.length; i += 2) {
        if (cases[i].what === 'list, Basic') continue;
        const growth = median(cases[i].rows.map((row, k) => cases[i + 1].rows[k].cpu / row.cpu));
        aim(`${cases[i].what}, ${cases[i].who}: CPU on the big desk at most 1.2 times that on the small one`, [growth, 1.2]);
    }
    for (const c of verbose ? cases : [])
        console.log(`\nGET ${c.what}, ${c.who}, ${thousands(c.d.conversations)}\n${(await statements(c, 1, '-v')).split('\n').slice(1).join('\n')}`);
}

/* ---- writes ----------------------------------------------------------------------------------------------- */

const message = JSON.stringify({ contents: 'It runs again since the second gear was turned. Thank you for the patience.' });
const jsonType = { 'Content-Type': 'application/json' };

async function openTargets(d) { // without the newest ten, so that lists do not change
    const session = await login(d.server, callers[0][1]);
    const page = (await ask(d.server, '/api/v1/conversations?status=OPEN&limit=500&offset=10', session)).json;
    d.postTargets = `${dir}/targets-post-${d.conversations}`;
    d.session = session;
    d.postPath = `/api/v1/conversations/${page.data[0].id}/messages`;
    writeFileSync(d.postTargets, page.data.map((c) => `/api/v1/conversations/${c.id}/messages`).join('\n'));
}

async function writeRound(d) {
    const shape = { connections: 64, seconds, method: 'POST', body: message };
    const syncs = `${dir}/syncs`;
    d.server = await serve(d.data, { LD_PRELOAD: `${process.cwd()}/build/bench/syncs.so`, BENCH_SYNCS: syncs });
    const row = await d.server.load(d.postTargets, { ...d.session, ...jsonType }, shape);
    row.commits = await d.server.metric('store_commits_total');
    row.writes = await d.server.metric('store_writes_total');
    await d.server.stop();
    row.syncs = Number(readFileSync(syncs, 'latin1'));
    const one = await run('build/bench/statements', ['post', d.data, AGENT, d.session['X-Session-ID'], '1000', d.postPath, message]);
    row.one = JSON.parse(one.stdout.split('\n')[0]);
    const session = d.session['X-Session-ID'], path = d.postPath.replace(/\/messages$/, '');
    const log = await run('build/bench/statements', ['log', d.data, AGENT, session, '1000', path, d.postPath, message, path]);
    row.log = log.stdout.trim().split('\n').map((line) => JSON.parse(line));
    d.rows.push(row);
}

/** The cost of the change log: the same requests through the API, without HTTP, with and without its finisher. */
function changeLog(desks) {
    const rows = desks.flatMap((d) => ['GET', 'POST', 'PUT'].map((method) => {
        const m = (of) => medianOf(d.rows, (r) => of(r.log.find((one) => one.method === method)));
        return { method, d, whole: m((l) => l.with), log: m((l) => l.with - l.without), writes: m((l) => l.writes) };
    }));
    table(['change log', 'desk', 'CPU us', 'of the log', '%', 'calls a request'],
        rows.map(({ method, d, whole, log, writes }) => [method, thousands(d.conversations), whole.toFixed(1), log.toFixed(1), (100 * log / (whole - log)).toFixed(1), writes.toFixed(2)]));
    for (const { method, d, whole, log, writes } of rows) {
        if (method === 'GET') aim(`change log, GET, ${thousands(d.conversations)}: no call`, [writes, 0]);
        else {
            aim(`change log, ${method}, ${thousands(d.conversations)}: at most 5 us`, [log, 5]);
            aim(`change log, ${method}, ${thousands(d.conversations)}: at most 10 %`, [100 * log / (whole - log), 10]);
        }
    }
}

async function writes(desks) {
    for (const d of desks) {
        await openTargets(d);
        await d.server.stop();
        d.rows = [];
    }
    for (let r = 0; r < rounds; r++) {
        say(`writes, round ${r + 1} of ${rounds}`);
        for (const d of desks) await writeRound(d);
    }
    table(['POST message', 'desk', 'req/s', 'p50 ms', 'p99 ms', 'CPU us', 'commits / 1,000', 'fsyncs / 1,000', 'one commit each: writes/s', 'CPU us', 'ratio'],
        desks.map((d) => {
            const m = (of) => medianOf(d.rows, of);
            return ['64 clients', thousands(d.conversations), thousands(m((r) => r.rate)), m((r) => r.p50).toFixed(2), m((r) => r.p99).toFixed(2), m((r) => r.cpu).toFixed(1),
                m((r) => r.commits / r.writes * 1000).toFixed(1), m((r) => r.syncs / r.writes * 1000).toFixed(1), thousands(m((r) => r.one.writes_per_second)), m((r) => r.one.us).toFixed(1),
                m((r) => r.rate / r.one.writes_per_second).toFixed(1)];
        }));
    for (const d of desks) aim(`writes, ${thousands(d.conversations)}: at most 60 fsyncs per 1,000`, [medianOf(d.rows, (r) => r.syncs / r.writes * 1000), 60]);
    changeLog(desks);
    if (!verbose) return;
    const d = desks[0];
    const { stdout } = await run('build/bench/statements', ['post', d.data, AGENT, d.session['X-Session-ID'], '1', d.postPath, message, '-v']);
    console.log(`\nPOST message, ${thousands(d.conversations)}\n${stdout.split('\n').slice(1).join('\n')}`);
}

/* ---- starting --------------------------------------------------------------------------------------------- */

async function starts(d) {
    const rows = [];
    const session = d.session ?? await login(d.server, callers[0][1]);
    if (!d.rows) await d.server.stop();
    for (let r = 0; r < 2 * rounds; r++) {
        const cold = r % 2 === 1;
        if (cold) await run('dd', [`if=${d.data}/desk.db`, 'iflag=nocache', 'count=0', 'status=none']); // drop it from the page cache
        const server = await serve(d.data);
        await ask(server, list, session);
        rows.push({ cold, ms: performance.now() - server.spawned, mib: server.anonymousMiB() });
        await server.stop();
    }
    const of = (cold) => rows.filter((row) => row.cold === cold);
    table(['start', 'desk', 'ms to the first list', 'RssAnon MiB then'],
        [false, true].map((cold) => [cold ? 'store not in the page cache' : 'store in the page cache', thousands(d.conversations),
            medianOf(of(cold), (r) => r.ms).toFixed(0), medianOf(of(cold), (r) => r.mib).toFixed(1)]));
    aim(`start to first answer, ${thousands(d.conversations)}: under 100 ms`, [medianOf(of(false), (r) => r.ms), 100]);
    aim(`RssAnon then: under 50 MiB`, [medianOf(rows, (r) => r.mib), 50]);
}

/* ---- all -------------------------------------------------------------------------------------------------- */

console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${cpus()[0].model}, Linux ${release()}; medians of ${rounds} rounds of ${seconds} s`);
const desks = [];
for (const conversations of [small, big]) desks.push({ conversations, data: await desk(conversations) });
for (const d of desks) d.server = await serve(d.data);
if (!only || only === 'get') await reads(desks);
for (const d of desks) d.loaded = d.server.anonymousMiB();
console.log(`\nRssAnon after the reads: ${desks.map((d) => `${d.loaded.toFixed(1)} MiB (${thousands(d.conversations)})`).join(', ')}`);
if (!only || only === 'post') await writes(desks);
if (!only || only === 'start') await starts(desks[1]);
for (const d of desks) if (d.server.process.exitCode === null) await d.server.stop();
console.log('');
for (const [said, [figure, limit]] of targets) console.log(`${figure <= limit ? 'reached' : 'MISSED '} ${figure.toFixed(2).padStart(7)}  ${said}`);
process.exitCode = targets.every(([, [figure, limit]]) => figure <= limit) ? 0 : 1;

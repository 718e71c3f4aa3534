// Overload: how many requests a second are answered well at the best load and at ten times as many under way, whether health checks answer
// meanwhile, and the memory. The server has one core, the load generator (bench/flood.c) and this program have the others.
//
//     node bench/overload.mjs [BINARY]      BENCH_SECONDS (8) a row, BENCH_CONVERSATIONS (2000)
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Server, binary } from './servers.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 8), conversations = Number(process.env.BENCH_CONVERSATIONS ?? 2000), LEAST = 0.8;
const command = process.argv[2] ?? binary, password = 'a long enough password', cores = availableParallelism();
const data = mkdtempSync(join(tmpdir(), 'deskd-overload-')), passwordFile = join(data, 'password');
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
execFileSync(command, ['demo', '--data', data, '--conversations', String(conversations), '--password-file', passwordFile], { stdio: 'ignore' });
// A chosen core only if there is another one for the generator.
const on = (core, args) => (cores > 1 ? ['taskset', ['-c', core, ...args]] : [args[0], args.slice(1)]);
const server = await Server.start(...on('0', [command, 'serve', '--data', data, '--listen', '127.0.0.1:0', '--log-level', 'error']), /listening on .*:(\d+)$/m);
if (cores > 1) execFileSync('taskset', ['-a', '-p', '-c', `1-${cores - 1}`, String(process.pid)], { stdio: 'ignore' });

const ask = (method, path, headers = {}, body = undefined, agent = undefined) => new Promise((resolve, reject) => {
    const request = http.request({ agent, host: '127.0.0.1', port: server.port, method, path, headers: { 'User-Agent': 'deskd-bench', ...headers } }, (reply) => {
        const chunks = [];
        reply.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, text: String(Buffer.concat(chunks)) }));
    });
    request.on('error', reject);
    request.end(body);
});
const sessions = [];
for (const who of ['owner', 'admin', 'agent', 'collaborator']) {
    const reply = await ask('GET', '/api/v1/session', { Authorization: `Basic ${Buffer.from(`${who}@example.com:${password}`).toString('base64')}` });
    if (reply.status !== 200) throw new Error(reply.text);
    sessions.push({ 'X-Session-ID': JSON.parse(reply.text).session_id, 'X-CSRF-Token': reply.headers['x-csrf-token'] });
}
/** A request of each person, in a file. */
const files = (name, method, path, body = '') => sessions.map((session, i) => {
    const fields = { Host: 'desk', 'User-Agent': 'deskd-bench', ...session, ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }) };
    const file = join(data, `${name}${i}`);
    writeFileSync(file, `${method} /api/v1${path} HTTP/1.1\r\n${Object.entries(fields).map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n${body}`);
    return file;
});
const flood = async (requests, connections, pipeline, time = seconds) => {
    const [program, args] = on(cores > 1 ? `1-${cores - 1}` : '', ['build/bench/flood', ...[server.port, connections, pipeline, time].map(String), ...requests]);
    return JSON.parse((await promisify(execFile)(program, args)).stdout);
};

/** Asks for /healthz on a connection of its own every 20 ms, as a load balancer does. */
function watch() {
    const times = [];
    let over = false, failed = 0;
    const probe = async () => {
        while (!over) {
            const began = performance.now();
            try { if ((await ask('GET', '/healthz', {}, undefined, new http.Agent({ maxSockets: 1 }))).status !== 200) failed++; } catch { failed++; }
            times.push(performance.now() - began);
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    };
    const ended = probe();
    return async () => { over = true; await ended; times.sort((a, b) => a - b); return { p99: times[Math.floor(times.length * 0.99)], worst: times.at(-1), n: times.length, failed }; };
}

const MiB = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024;
let highest = 0;
const sampler = setInterval(() => { highest = Math.max(highest, MiB()); }, 100);
const table = [];
const row = async (what, requests, connections, pipeline, peak, far = false) => {
    const health = watch();
    highest = 0;
    const r = await flood(requests, connections, pipeline), h = await health(), rate = r.good / r.seconds;
    console.log(`| ${what} | ${connections} | ${pipeline} | ${rate.toFixed(0)} | ${peak ? (rate / peak).toFixed(2) : ''} | ${r.refused4 + r.refused5} | ${r.errors} | ${r.p50.toFixed(1)} | ${r.p99.toFixed(1)} | ${h.p99.toFixed(0)} | ${h.worst.toFixed(0)} | ${h.failed} of ${h.n} | ${highest.toFixed(0)} |`);
    table.push({ far, what, connections, pipeline, ratio: peak ? rate / peak : 1, failed: h.failed });
    return rate;
};

console.log(`load of the machine at the start: ${loadavg().map((x) => x.toFixed(1)).join(' ')}; ${cores} cores, the server has one; ${conversations} conversations; memory at the start ${MiB().toFixed(0)} MiB\n`);
console.log('| requests | connections | under way in each | good/s | of the peak | refused | broken | p50 ms | p99 ms | health p99 ms | worst | failed | MiB |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|');
for (const [what, requests, best] of [
    ['GET /teams', files('read', 'GET', '/teams'), 32],
    ['GET /search?query=printer', files('search', 'GET', '/search?query=printer'), 8],
    ['PUT /profile', files('write', 'PUT', '/profile', '{"designation":"x"}'), 64],
]) {
    await flood(requests, best, 1); // fills caches
    let peak = 0;
    for (const n of [best / 4, best]) peak = Math.max(peak, await row(what, requests, n, 1, 0));
    await row(what, requests, best * 10, 1, peak);
    await row(what, requests, best, 10, peak);
    await row(what, requests, best * 100, 1, peak, true); // printed only: connecting alone takes a part of the time
}

// CPU time of a GET with limits and without, in turns, because other programs disturb it.
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1], cost = { 0: [], 600000: [] };
const one = files('one', 'GET', '/teams/1').slice(0, 1);
for (let round = 0; round < 12; round++) {
    const limit = round % 2 ? 600000 : 0, values = JSON.stringify({ values: { 'limits.read_per_minute': limit } });
    const set = await ask('PUT', '/api/v1/settings', { ...sessions[0], 'Content-Type': 'application/json' }, values);
    if (set.status !== 200) throw new Error(set.text);
    const before = server.cpu(), r = await flood(one, 1, 1, 1);
    cost[limit].push((server.cpu() - before) / r.replies);
}
const [off, with_] = [median(cost[0]), median(cost[600000])];
console.log(`\nCPU of a GET: ${off.toFixed(1)} us without limits, ${with_.toFixed(1)} us with limits, ratio ${(with_ / off).toFixed(3)}`);
clearInterval(sampler);
await new Promise((resolve) => setTimeout(resolve, 3000));
console.log(`\nmemory afterwards: ${MiB().toFixed(0)} MiB`);
for (const bad of table.filter(({ ratio, failed, far }) => (!far && ratio < LEAST) || failed)) {
    console.log(`NOT HELD: ${bad.what} with ${bad.connections} x ${bad.pipeline}: ${bad.ratio.toFixed(2)} of the peak, ${bad.failed} health checks failed`);
    process.exitCode = 1;
}
await server.stop();

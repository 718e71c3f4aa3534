// Measures how many durable events a second the bulk webhook stores, the CPU of the server for each, and how long GETs wait meanwhile, next to the
// same GETs without events, in turns within one run. A request has 200 events of known people with an e-mail address each, or of new people only.
//
//     node bench/events.mjs [BINARY]      BENCH_CONVERSATIONS (20000), BENCH_SECONDS (5) a turn, BENCH_EVENTS (5000) a second, BENCH_GETS (100) a second
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { asker, measure, must } from './asking.mjs';

const EACH = 200;

// Events are sent from a thread of its own, so that the times of GETs do not include the work of this program.
if (!isMainThread) {
    const { port, path, emails, rate, connections } = workerData, ask = asker(port);
    const bodyOf = (n) => JSON.stringify({
        events: Array.from({ length: EACH }, (_, i) => ({
            event: 'order.paid', user: { email: emails ? emails[(n * EACH + i * 7) % emails.length] : `n${n * EACH + i}@bench.example` },
            properties: { summary: `Paid ${i} EUR`, url: `https://shop.example.com/orders/${i}`, orderId: i, source: 'SHOP' },
        })),
    });
    const bodies = emails && Array.from({ length: 50 }, (_, n) => bodyOf(n));
    let over = false, sent = 0, stored = 0;
    parentPort.on('message', () => { over = true; });
    const began = performance.now();
    await Promise.all(Array.from({ length: connections }, async () => {
        while (!over) {
            const n = sent++, due = rate ? began + n * EACH * 1000 / rate - performance.now() : 0;
            if (due > 0) await new Promise((resolve) => { setTimeout(resolve, due); });
            if (over) break;
            must(await ask('POST', path, { 'Content-Type': 'application/json' }, bodies ? bodies[n % bodies.length] : bodyOf(n)));
            stored += EACH;
        }
    }));
    parentPort.postMessage({ stored, seconds: (performance.now() - began) / 1000 });
    process.exit();
}

const { Server, binary } = await import('./servers.mjs');
const number = (name, otherwise) => Number(process.env[name] ?? otherwise);
const conversations = number('BENCH_CONVERSATIONS', 20_000), seconds = number('BENCH_SECONDS', 5), rate = number('BENCH_EVENTS', 5000), gets = number('BENCH_GETS', 100);
const command = process.argv[2] ?? binary, password = 'a long enough password';
const data = mkdtempSync(join(tmpdir(), 'deskd-events-')), passwordFile = join(data, 'password');
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
execFileSync(command, ['demo', '--data', data, '--conversations', String(conversations), '--password-file', passwordFile], { stdio: 'ignore' });
const server = await Server.start(command, ['serve', '--data', data, '--listen', '127.0.0.1:0', '--log-level', 'error'], /listening on .*:(\d+)$/m);
const ask = asker(server.port);
const basic = { Authorization: `Basic ${Buffer.from(`owner@example.com:${password}`).toString('base64')}`, 'X-CSRF': 'false' };
const session = { 'X-Session-ID': must(await ask('GET', '/session', basic)).session_id };
const { data: { token } } = must(await ask('POST', '/events/tokens', { ...basic, 'Content-Type': 'application/json' }, JSON.stringify({ label: 'Bench' })));
const ids = must(await ask('GET', '/cases?limit=100', session)).data.map((c) => c.id);
const known = must(await ask('GET', '/identities/emails?limit=1000', session)).data.map((e) => e.email);

const times = (path) => measure((n) => ask('GET', path(n), session), gets, seconds);

const post = (options) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { port: server.port, path: `/bulk/webhook/${token}/incoming`, emails: known, rate: 0, connections: 8, ...options } });
    const done = new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
    return { end: () => { worker.postMessage('end'); return done; } };
};
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

console.log(`${conversations} conversations, load ${loadavg()[0].toFixed(1)}`);
for (const [what, options] of [['known people, 1 connection', { connections: 1 }], ['known people, 8 connections', {}], ['new people only, 8 connections', { emails: undefined }]]) {
    const cpu = server.cpu(), events = post(options);
    await pause(seconds * 1000);
    const { stored, seconds: took } = await events.end();
    console.log(`${what.padEnd(30)} ${(stored / took).toFixed(0).padStart(7)} events a second, ${((server.cpu() - cpu) / stored).toFixed(0).padStart(4)} us of CPU each`);
}
const show = (values) => values.map((ms) => ms.toFixed(2).padStart(8)).join('');
console.log(`${gets} GETs a second; milliseconds:                   p50     p99     max`);
for (const [name, path] of Object.entries({ 'GET one': (n) => `/cases/${ids[n % ids.length]}`, 'list of 10': () => '/cases?limit=10' }))
    for (let turn = 0; turn < 3; turn++) {
        const alone = await times(path);
        console.log(`${name.padEnd(12)} without events            ${show(alone)}`);
        const events = post({ rate }), cpu = server.cpu();
        const among = await times(path);
        const { stored, seconds: took } = await events.end();
        console.log(`${name.padEnd(12)} with ${(stored / took).toFixed(0).padStart(5)} events a second ${show(among)}   ${(among[0] / alone[0]).toFixed(2)} times the p50; CPU of the server: ${((server.cpu() - cpu) / 1e4 / took).toFixed(0)} %`);
    }
await server.stop();

// Measures how long all other callers wait while one person sends much expensive work: large pictures, long lists,
// replies that are not read. Each situation is measured next to the same clients without that work.
//
//     node bench/crowds.mjs [BINARY]      BENCH_CONVERSATIONS (20000), BENCH_SECONDS (10) a situation, BENCH_WRITERS (64), BENCH_CLIENTS (2) that log in, BENCH_ONLY=logins: the first table
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { deflateSync } from 'node:zlib';

const AGENT = 'deskd-bench';

// The person sends from a thread of their own, so that the other callers' times don't include the work of this program.
if (!isMainThread) {
    const { port, path, method, headers, body, n } = workerData, bytes = body && Buffer.from(body);
    const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
    let over = false, done = 0;
    const once = () => new Promise((resolve) => {
        const request = http.request({ agent, host: '127.0.0.1', port, method, path: `/api/v1${path}`, headers: { 'User-Agent': AGENT, ...headers } }, (reply) => {
            reply.on('data', () => {});
            reply.on('end', () => { done += reply.statusCode < 300; resolve(); });
        });
        request.on('error', resolve);
        request.end(bytes);
    });
    parentPort.on('message', (word) => { over ||= word === 'end'; parentPort.postMessage(done); });
    await Promise.all(Array.from({ length: n }, async () => { while (!over) await once(); }));
    process.exit();
}
const { Server, binary } = await import('./servers.mjs');

const conversations = Number(process.env.BENCH_CONVERSATIONS ?? 20_000), seconds = Number(process.env.BENCH_SECONDS ?? 10), writers = Number(process.env.BENCH_WRITERS ?? 64), clients = Number(process.env.BENCH_CLIENTS ?? 2);
const command = process.argv[2] ?? binary, password = 'a long enough password';
const data = mkdtempSync(join(tmpdir(), 'deskd-crowds-')), passwordFile = join(data, 'password');
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
execFileSync(command, ['demo', '--data', data, '--conversations', String(conversations), '--password-file', passwordFile], { stdio: 'ignore' });
const server = await Server.start(command, ['serve', '--data', data, '--listen', '127.0.0.1:0', '--log-level', 'error'], /listening on .*:(\d+)$/m);

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
const ask = (method, path, headers, body) => new Promise((resolve, reject) => {
    const request = http.request({ agent, host: '127.0.0.1', port: server.port, method, path: `/api/v1${path}`, headers: { 'User-Agent': AGENT, ...headers } }, (reply) => {
        const chunks = [];
        reply.on('data', (chunk) => chunks.push(chunk));
        reply.on('end', () => resolve({ status: reply.statusCode, text: Buffer.concat(chunks) }));
    });
    request.on('error', reject);
    request.end(body);
});
const basic = (who) => ({ Authorization: `Basic ${Buffer.from(`${who}@example.com:${password}`).toString('base64')}`, 'X-CSRF': 'false' });
const json = { 'Content-Type': 'application/json' };
const session = async (who) => {
    const { session_id } = JSON.parse((await ask('GET', '/session', basic(who))).text);
    return { 'X-Session-ID': session_id };
};
const [owner, admin, busy, customer] = await Promise.all(['owner', 'admin', 'agent', 'customer'].map(session));

// ---- requests of the others -----------------------------------------------------------------------------------------------

let over = false, refused = 0;
const repeat = async (times, each) => {
    while (!over) {
        const began = performance.now();
        if (await each(times.length)) times.push(performance.now() - began);
        else refused++;
    }
};
const good = ({ status, text }) => {
    if (status >= 300 && status !== 503) throw new Error(`${status} ${text.subarray(0, 300)}`);
    return status < 300;
};
// A login whose password this process has not verified for this program yet, because each has a new User-Agent.
let logins = 0;
const login = async () => good(await ask('GET', '/me', { ...basic('collaborator'), 'User-Agent': `${AGENT}/${logins++}` }));
const read = async () => good(await ask('GET', '/conversations', admin));
const open = JSON.parse((await ask('GET', '/conversations?limit=100&status=OPEN&fields=id', owner)).text).data.map(({ id }) => id);
const write = async (i) => good(await ask('POST', `/conversations/${open[i % open.length]}/messages`, { ...owner, ...json }, '{"contents":"Another message."}'));

// ---- requests of the one person -------------------------------------------------------------------------------------------

const crc = (bytes) => {
    let c = 0xffffffff;
    for (const b of bytes) {
        c ^= b;
        for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    }
    return (c ^ 0xffffffff) >>> 0;
};
const chunk = (type, bytes) => {
    const out = Buffer.alloc(bytes.length + 12);
    out.writeUInt32BE(bytes.length, 0);
    out.write(type, 4, 'latin1');
    bytes.copy(out, 8);
    out.writeUInt32BE(crc(out.subarray(4, 8 + bytes.length)), 8 + bytes.length);
    return out;
};
const picture = (side) => {
    const head = Buffer.alloc(13), lines = Buffer.alloc((side + 1) * side, 0x55);
    head.writeUInt32BE(side, 0);
    head.writeUInt32BE(side, 4);
    head.set([8, 0, 0, 0, 0], 8);
    for (let y = 0; y < side; y++) lines[y * (side + 1)] = 0;
    return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), chunk('IDAT', deflateSync(lines, { level: 1 })), chunk('IEND', Buffer.alloc(0))]);
};
const form = (bytes) => Buffer.concat([Buffer.from('--b\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'), bytes, Buffer.from('\r\n--b--\r\n')]);
const large = form(picture(4000));
const flood = (n, method, path, headers, body) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { port: server.port, n, method, path, headers, body } });
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    return {
        count: () => new Promise((resolve) => { worker.once('message', resolve); worker.postMessage('count'); }),
        end: () => { worker.postMessage('end'); return gone; },
    };
};
const pictures = () => [flood(30, 'PUT', '/profile', { ...customer, 'Content-Type': 'multipart/form-data; boundary=b' }, large)];
const listsOf = (n, who) => flood(n, 'GET', '/conversations?limit=1000&include=*', who);

// ---- the table ------------------------------------------------------------------------------------------------------------

const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const at = (times, q) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))]?.toFixed(1) ?? '-';
/** Runs for BENCH_SECONDS, or until there are `enough` times of the first of the others. */
const situation = async (others, one, enough = 0) => {
    over = false;
    refused = 0;
    const floods = one(), count = async () => (await Promise.all(floods.map((f) => f.count()))).reduce((sum, n) => sum + n, 0);
    await rest(1000);
    const times = others.map(() => []), began = performance.now(), cpu = server.cpu(), already = await count();
    const running = others.flatMap(([n, each], k) => Array.from({ length: n }, () => repeat(times[k], each)));
    do await rest(enough ? 100 : seconds * 1000); while (times[0].length < enough);
    const took = (performance.now() - began) / 1000, used = (server.cpu() - cpu) / 1e6 / took, done = await count() - already;
    over = true;
    await Promise.all([...running, ...floods.map((f) => f.end())]);
    return { times, took, used, done };
};

console.log(`load of the machine at the start: ${loadavg().map((x) => x.toFixed(1)).join(' ')}; ${conversations} conversations\n`);
console.log('| one person sends | done/s | logins | p50 ms | p99 ms | longest ms | reads | p50 ms | p99 ms | longest ms | 503 | cores |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|');
for (const [what, one, enough] of [['nothing', () => []], ['30 pictures of 16 megapixels', pictures], ['30 lists of 1,000 with include=*', () => [listsOf(30, busy)]],
    ['30 pictures and 30 lists, 1,000 logins', () => [...pictures(), listsOf(30, customer)], 1000]]) {
    const { times: [l, r], took, used, done } = await situation([[clients, login], [4, read]], one, enough);
    console.log(`| ${what} | ${(done / took).toFixed(1)} | ${l.length} | ${at(l, 0.5)} | ${at(l, 0.99)} | ${at(l, 1)} | ${r.length} | ${at(r, 0.5)} | ${at(r, 0.99)} | ${at(r, 1)} | ${refused} | ${used.toFixed(2)} |`);
}
if (process.env.BENCH_ONLY === 'logins') {
    agent.destroy();
    await server.stop();
    process.exit();
}
console.log(`\n| beside ${writers} writers | lists/s | writes/s | ratio | p50 ms | p99 ms | cores |\n|---|--:|--:|--:|--:|--:|--:|`);
let baseline = 0;
for (const [what, one] of [['nothing', () => []], ['two readers of limit=1000&include=*, one person', () => [listsOf(2, busy)]], ['the same of two people', () => [listsOf(1, busy), listsOf(1, admin)]]]) {
    const { times: [w], took, used, done } = await situation([[writers, write]], one), rate = w.length / took;
    baseline ||= rate;
    console.log(`| ${what} | ${(done / took).toFixed(1)} | ${rate.toFixed(0)} | ${(rate / baseline).toFixed(2)} | ${at(w, 0.5)} | ${at(w, 0.99)} | ${used.toFixed(2)} |`);
}

// ---- slow readers ---------------------------------------------------------------------------------------------------------

const { id } = JSON.parse((await ask('POST', '/conversations', { ...customer, ...json }, JSON.stringify({ subject: 'Long', contents: 'x'.repeat(300_000) }))).text).data;
for (let i = 1; i < 1000; i++) good(await ask('POST', `/conversations/${id}/messages`, { ...customer, ...json }, JSON.stringify({ contents: 'x'.repeat(300_000) })));
const stall = () => new Promise((resolve) => {
    const socket = net.connect(server.port, '127.0.0.1', () => {
        socket.write(`GET /api/v1/conversations/${id}/messages?limit=1000 HTTP/1.1\r\nHost: a\r\nUser-Agent: ${AGENT}\r\nX-Session-ID: ${customer['X-Session-ID']}\r\n\r\n`);
    });
    socket.once('data', () => { socket.pause(); resolve(socket); });
});
const before = server.anonymousMiB();
const readers = await Promise.all(Array.from({ length: 6 }, stall)), held = server.anonymousMiB();
readers.forEach((socket) => socket.destroy());
await rest(2000);
const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024;
console.log(`\n| six slow readers of 1,000 messages of 300 KB | before | while they wait | after | highest |\n|---|--:|--:|--:|--:|\n| memory, MiB | ${before.toFixed(0)} | ${held.toFixed(0)} | ${server.anonymousMiB().toFixed(0)} | ${peak.toFixed(0)} |`);
agent.destroy();
await server.stop();

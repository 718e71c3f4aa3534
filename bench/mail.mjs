// Measures how long GETs wait while mail comes in, next to the same GETs without it, in turns within one run: 100 mails of 10 KB a second by
// LMTP, each from another sender. Then it measures how many mails a second the desk processes from a full inbox.
//
//     node bench/mail.mjs [BINARY]      BENCH_CONVERSATIONS (20000), BENCH_SECONDS (10) a turn, BENCH_MAILS (100) a second, BENCH_GETS (100) a second
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { asker, measure, must } from './asking.mjs';

const ADDRESS = 'support@desk.example';
const body = Array.from({ length: 130 }, (_, i) => `Line ${i} of a report about a pump that drips, written by a patient customer.`).join('\r\n');
const mailOf = (n) => `From: Customer ${n} <c${n}@customers.example>\r\nTo: ${ADDRESS}\r\nSubject: Pump ${n} drips\r\nMessage-ID: <b${n}.${Date.now()}@customers.example>\r\n` +
    `Date: Mon, 23 Nov 2026 09:00:00 +0000\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${body}\r\n.\r\n`;

// Mails are sent from a thread of its own, so that the times of GETs do not include the work of this program.
if (!isMainThread) {
    const net = await import('node:net');
    const { socket: path, connections, rate, first, most } = workerData, began = performance.now();
    let next = 0, acknowledged = 0, over = false;
    parentPort.on('message', (word) => { over ||= word === 'end'; });
    await Promise.all(Array.from({ length: connections }, async () => {
        const socket = net.connect(path);
        let rest = '', lines = [], wake = () => {};
        socket.on('data', (bytes) => {
            const all = (rest + bytes).split('\r\n');
            rest = all.pop();
            lines.push(...all.filter((line) => line[3] !== '-'));
            wake();
        });
        const say = async (text) => {
            if (text) socket.write(text);
            while (!lines.length) await new Promise((resolve) => { wake = resolve; });
            const line = lines.shift();
            if (!/^[23]/.test(line)) throw new Error(line);
        };
        await say();
        await say('LHLO bench.example\r\n');
        while (!over && next < most) {
            const n = next++, due = began + n * 1000 / rate - performance.now();
            if (rate && due > 0) await new Promise((resolve) => { setTimeout(resolve, due); });
            await say(`MAIL FROM:<c${first + n}@customers.example>\r\n`);
            await say(`RCPT TO:<${ADDRESS}>\r\n`);
            await say('DATA\r\n');
            await say(mailOf(first + n));
            acknowledged++;
        }
        socket.end('QUIT\r\n');
    }));
    parentPort.postMessage({ acknowledged, seconds: (performance.now() - began) / 1000 });
    process.exit();
}

const { Server, binary } = await import('./servers.mjs');
const number = (name, otherwise) => Number(process.env[name] ?? otherwise);
const conversations = number('BENCH_CONVERSATIONS', 20_000), seconds = number('BENCH_SECONDS', 10), rate = number('BENCH_MAILS', 100), gets = number('BENCH_GETS', 100);
const command = process.argv[2] ?? binary, password = 'a long enough password';
const data = mkdtempSync(join(tmpdir(), 'deskd-mail-')), passwordFile = join(data, 'password'), socket = join(data, 'lmtp');
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
execFileSync(command, ['demo', '--data', data, '--conversations', String(conversations), '--password-file', passwordFile], { stdio: 'ignore' });
const server = await Server.start(command, ['serve', '--data', data, '--listen', '127.0.0.1:0', '--log-level', 'error', '--lmtp', socket], /listening on .*:(\d+)$/m);

const ask = asker(server.port);
const basic = (who) => ({ Authorization: `Basic ${Buffer.from(`${who}@example.com:${password}`).toString('base64')}`, 'X-CSRF': 'false' });
must(await ask('PUT', '/settings', { ...basic('owner'), 'Content-Type': 'application/json' }, JSON.stringify({ values: { 'mail.from_address': ADDRESS } })));
const session = { 'X-Session-ID': must(await ask('GET', '/session', basic('owner'))).session_id };
const ids = must(await ask('GET', '/cases?limit=100', session)).data.map((c) => c.id);

const times = (path) => measure((n) => ask('GET', path(n), session), gets, seconds);
const PATHS = { 'GET one': (n) => `/cases/${ids[n % ids.length]}`, 'list of 10': () => '/cases?limit=10' };

let sent = 1;
const send = (options) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { socket, first: sent, connections: 20, rate: 0, most: Infinity, ...options } });
    const done = new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
    return { done, end: () => { worker.postMessage('end'); return done; } };
};
const inbox = () => readdirSync(join(data, 'mail/new')).length;
const rest = async () => { while (inbox() > 0) await new Promise((resolve) => { setTimeout(resolve, 20); }); };
while (!existsSync(join(data, 'mail/recipients'))) await new Promise((resolve) => { setTimeout(resolve, 50); });

const show = (values) => values.map((ms) => ms.toFixed(2).padStart(8)).join('');
console.log(`${conversations} conversations, ${gets} GETs a second, load ${loadavg()[0].toFixed(1)}; milliseconds:    p50     p99     max`);
for (const [name, path] of Object.entries(PATHS))
    for (let turn = 0; turn < 3; turn++) {
        console.log(`${name.padEnd(12)} without mail            ${show(await times(path))}`);
        const mails = send({ rate }), cpu = server.cpu();
        const among = await times(path);
        const { acknowledged, seconds: took } = await mails.end();
        sent += acknowledged;
        console.log(`${name.padEnd(12)} with ${(acknowledged / took).toFixed(0).padStart(4)} mails a second  ${show(among)}   waiting: ${inbox()}, CPU of the server: ${((server.cpu() - cpu) / 1e4 / took).toFixed(0)} %`);
        await rest();
    }

for (const connections of [1, 20]) {
    const { acknowledged, seconds: took } = await send({ connections, most: 1000 }).done;
    const began = performance.now(), left = inbox(), cpu = server.cpu();
    sent += acknowledged;
    await rest();
    const all = (performance.now() - began) / 1000;
    console.log(`${connections} connections: ${(acknowledged / took).toFixed(0)} acknowledged a second; then ${left} waited, ${(left / all).toFixed(0)} processed a second, ${((server.cpu() - cpu) / left || 0).toFixed(0)} us of CPU each, without confined processes`);
}
await server.stop();

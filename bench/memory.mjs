// Serves a demo desk under a mixed load at a fixed rate, and prints each minute how much memory the server holds and of which kind: anonymous
// pages, pages of files, and the bytes of the heap in use, in SQLite and free. At the end it prints the growth of the last half.
//
//     node bench/memory.mjs [BINARY]      BENCH_MINUTES (60), BENCH_RATE (15) requests a second, BENCH_CONVERSATIONS (2000)
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, binary } from './servers.mjs';

const number = (name, otherwise) => Number(process.env[name] ?? otherwise);
const minutes = number('BENCH_MINUTES', 60), rate = number('BENCH_RATE', 15), conversations = number('BENCH_CONVERSATIONS', 2000);
const command = process.argv[2] ?? binary, password = 'a long enough password', ADDRESS = 'support@desk.example';
const data = mkdtempSync(join(tmpdir(), 'deskd-memory-')), passwordFile = join(data, 'password'), heap = join(data, 'heap'), socket = join(data, 'lmtp');
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
execFileSync(command, ['demo', '--data', data, '--conversations', String(conversations), '--password-file', passwordFile], { stdio: 'ignore' });
const server = await Server.start(command, ['serve', '--data', data, '--listen', '127.0.0.1:0', '--lmtp', socket, '--log-level', 'error', '--public-writes', '0', ...(process.env.BENCH_ARGS ?? '').split(' ').filter(Boolean)],
    /listening on .*:(\d+)$/m, { LD_PRELOAD: process.env.BENCH_HEAP_LIBRARY ?? `${process.cwd()}/build/bench/heap.so`, BENCH_HEAP: heap, BENCH_HEAP_SECONDS: '60' });

const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
const ask = (method, path, headers = {}, body = undefined) => new Promise((resolve, reject) => {
    const request = http.request({ agent, host: '127.0.0.1', port: server.port, method, path, headers: { 'User-Agent': 'deskd-bench', ...headers } }, (reply) => {
        const chunks = [];
        reply.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, text: String(Buffer.concat(chunks)) }));
    });
    request.on('error', reject);
    request.end(body);
});
const login = (who) => ({ Authorization: `Basic ${Buffer.from(`${who}@example.com:${password}`).toString('base64')}` });
const session = async (who) => {
    const reply = await ask('GET', '/api/v1/session', login(who));
    if (reply.status !== 200) throw new Error(reply.text);
    return { 'X-Session-ID': JSON.parse(reply.text).session_id, 'X-CSRF-Token': reply.headers['x-csrf-token'] };
};
const staff = [await session('owner'), await session('admin'), await session('agent'), await session('collaborator')];
let seed = 1;
const random = (n) => { seed = (seed * 48271) % 2147483647; return Math.floor(seed / 2147483647 * n); };
const one = (list) => list[random(list.length)];
const WORDS = 'printer invoice parcel login error late refund order please thanks pump password address broken screen account update'.split(' ');
const text = (n) => Array.from({ length: n }, () => one(WORDS)).join(' ');
const json = (method, path, body, who = staff[0]) => ask(method, `/api/v1${path}`, { ...who, 'Content-Type': 'application/json' }, JSON.stringify(body));
const taken = await json('PUT', '/settings', { values: { 'mail.from_address': ADDRESS } });
if (taken.status !== 200) throw new Error(taken.text);
const get = (path, who = one(staff)) => ask('GET', `/api/v1${path}`, who);

let lmtp, mails = 0, rest = '', wake = () => {};
const lines = [];
/** Sends a line, and waits for the last line of its reply. */
async function say(line) {
    if (line) lmtp.write(line);
    while (!lines.length) await new Promise((resolve) => { wake = resolve; });
    return lines.shift();
}
async function mail() {
    if (!lmtp) {
        lmtp = net.connect(socket).setEncoding('utf8').on('data', (bytes) => {
            const all = (rest + bytes).split('\r\n');
            rest = all.pop();
            lines.push(...all.filter((line) => line[3] !== '-'));
            wake();
        });
        await say();
        await say('LHLO bench.example\r\n');
    }
    await say(`MAIL FROM:<c${random(500)}@customers.example>\r\n`);
    let reply = await say(`RCPT TO:<${ADDRESS}>\r\n`);
    if (!reply.startsWith('250')) return { status: reply.slice(0, 3) }; // the desk has not written its addresses yet
    await say('DATA\r\n');
    reply = await say(`From: Customer <c${random(500)}@customers.example>\r\nTo: ${ADDRESS}\r\nSubject: ${text(4)}\r\nMessage-ID: <m${mails++}.${process.pid}@customers.example>\r\n` +
        `Content-Type: text/html; charset=utf-8\r\n\r\n<p>${text(80)}</p>\r\n.\r\n`);
    return { status: reply.slice(0, 3) };
}

// Each kind of request, and how many of a hundred are of it.
const id = () => 1 + random(conversations), status = {}, opened = [];
const open = () => (opened.length ? one(opened) : id());
const kinds = [
    [10, 'list of cases', () => get(`/cases?limit=${1 + random(50)}&offset=${random(500)}`)],
    [5, 'list with includes', () => get(`/cases?limit=${1 + random(50)}&include=*`)],
    [10, 'case', () => get(`/cases/${id()}?include=*`)],
    [8, 'posts', () => get(`/cases/${id()}/posts?filters=all&include=*`)],
    [6, 'search', () => get(`/search?query=${encodeURIComponent(text(1 + random(3)))}`)],
    [4, 'search of the help center', () => ask('GET', `/api/v1/helpcenter/search?query=${encodeURIComponent(text(2))}`)],
    [4, 'people', () => get(`/users?limit=${1 + random(50)}&include=*`)],
    [4, 'autocomplete', () => get(`/autocomplete/users?name=${one(WORDS).slice(0, 2)}`)],
    [3, 'changes', () => get('/changes?limit=50')],
    [3, 'articles', () => get('/articles?include=*')],
    [4, 'page', () => ask('GET', one(['/', '/en-us', '/docs', '/docs/guides', '/sitemap.xml', '/openapi.json', '/metrics', '/healthz']))],
    [6, 'reply', () => json('POST', `/cases/${open()}/reply`, { contents: text(60), channel: 'MAIL' }, one(staff.slice(0, 2)))],
    [4, 'note', () => json('POST', `/cases/${id()}/notes`, { contents: text(30) }, one(staff.slice(0, 2)))],
    [6, 'change', () => json('PUT', `/cases/${open()}`, one([{ status_id: 2 + random(2) }, { priority_id: 1 + random(3) }, { tags: text(2).replace(' ', ',') }]))],
    [4, 'conversation', async () => {
        const reply = await json('POST', '/conversations', { subject: text(5), contents: text(50), name: 'C', email: `c${random(2000)}@customers.example` }, {});
        opened.push(JSON.parse(reply.text).data.id);
        return reply;
    }],
    [3, 'file', () => ask('POST', '/api/v1/files', { ...one(staff), 'Content-Type': 'application/octet-stream', 'X-Filename': 'a.bin' }, text(1000 + random(3000)))],
    [1, 'wrong login', () => ask('GET', '/api/v1/session', { Authorization: `Basic ${Buffer.from(`n${random(1e6)}@example.com:x`).toString('base64')}` })],
    [1, 'login and logout', async () => { const s = await session('customer'); return ask('DELETE', '/api/v1/session', s); }],
    [4, 'mail', mail],
    [5, 'refused', () => json('PUT', `/cases/${id()}`, one([{ status_id: 999999 }, { subject: '' }, { priority_id: 'x' }]))],
    [5, 'absent', () => get(`/${one(['cases', 'users', 'teams', 'nothing'])}/99999999`)],
];
const choices = kinds.flatMap(([n, name, call]) => Array.from({ length: n }, () => [name, call]));

const read = () => {
    const of = (text_, name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text_)[1]);
    const all = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    const last = existsSync(heap) ? JSON.parse(readFileSync(heap, 'utf8').trim().split('\n').at(-1)) : {};
    return { anonymous: of(all, 'RssAnon') / 1024, file: of(all, 'RssFile') / 1024, threads: of(all, 'Threads'), ...last };
};
const MiB = (n) => (n === undefined ? '' : (n / 2 ** 20).toFixed(2));
console.log(`load of the machine at the start: ${loadavg().map((x) => x.toFixed(1)).join(' ')}; ${rate} requests a second for ${minutes} minutes; ${conversations} conversations\n`);
console.log('| minute | requests | RssAnon MiB | RssFile MiB | heap in use MiB | of it SQLite MiB | of it its pages MiB | heap free MiB | mapped MiB | threads |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|');
const began = performance.now(), rows = [];
let sent = 0, underway = 0, skipped = 0;
for (let minute = 0; minute < minutes;) {
    const due = began + sent * 1000 / rate - performance.now();
    if (due > 0) await new Promise((resolve) => { setTimeout(resolve, due); });
    sent++;
    const [name, call] = one(choices);
    if (underway < 32 && (name !== 'mail' || !status['mail under way'])) {
        underway++;
        if (name === 'mail') status['mail under way'] = 1;
        call().then((r) => { const key = `${name} ${r.status}`; status[key] = (status[key] ?? 0) + 1; }, (e) => { status[`${name} ${e.code ?? e.message}`] = (status[`${name} ${e.code ?? e.message}`] ?? 0) + 1; })
            .finally(() => { underway--; if (name === 'mail') delete status['mail under way']; });
    } else skipped++;
    const now = Math.floor((performance.now() - began) / 60_000);
    if (now === minute) continue;
    minute = now;
    const r = read();
    rows.push(r);
    console.log(`| ${minute} | ${sent - skipped} | ${r.anonymous.toFixed(2)} | ${r.file.toFixed(2)} | ${MiB(r.used)} | ${MiB(r.sqlite)} | ${MiB(r.pages)} | ${MiB(r.free)} | ${MiB(r.mapped)} | ${r.threads} |`);
}
const half = rows[Math.floor(rows.length / 2)], last = rows.at(-1), growth = (name) => `${name} ${(100 * (last[name] / half[name] - 1)).toFixed(1)} %`;
console.log(`\ngrowth in the second half: ${['anonymous', 'used'].map(growth).join(', ')}\n`);
console.log(Object.entries(status).sort().map(([k, n]) => `${k}: ${n}`).join('\n'));
await server.stop();

// node bench/versions.mjs BINARY ...: counts the instructions of the requests of the guard with several versions of deskd, with HTTP.
// A request that a version does not have is -.
//
// Each daemon serves a demo desk of its own under callgrind, at a fixed time. Requests follow each other on one connection. Jobs run meanwhile; a
// window without requests before each window with them shows what they take in that time. Medians of WINDOWS windows.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONVERSATIONS, ONE_MEMSET, TIME, readDump, requests } from './guard_requests.mjs';

const WINDOWS = 3, COUNT = 10, WARM = 3, AGENT = 'deskd-bench', PASSWORD = 'password of the guard';
const folder = mkdtempSync(join(tmpdir(), 'deskd-versions-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const clock = join(folder, 'clock'), password = join(folder, 'password');
writeFileSync(clock, String(TIME));
writeFileSync(password, PASSWORD, { mode: 0o600 });
const median = (xs) => xs.slice().sort((a, b) => a - b)[xs.length >> 1];

class Daemon {
    static async start(binary, name) {
        const d = new Daemon();
        d.folder = mkdtempSync(join(folder, `${name}-`));
        d.data = join(d.folder, 'desk');
        d.agent = new Agent({ keepAlive: true, maxSockets: 1 });
        d.sessions = {};
        execFileSync(binary, ['demo', '--data', d.data, '--conversations', String(CONVERSATIONS), '--password-file', password]);
        d.process = spawn('valgrind', ['-q', '--tool=callgrind', '--instr-atstart=no', `--callgrind-out-file=${join(d.folder, 'dump')}`, binary, 'serve',
            '--data', d.data, '--listen', '127.0.0.1:0', '--threads', '1', '--log-level', 'error', '--clock', clock],
        { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...ONE_MEMSET } });
        d.port = await new Promise((resolve, reject) => {
            d.process.stdout.on('data', (text) => { const line = /listening on .*:(\d+)$/m.exec(String(text)); if (line) resolve(Number(line[1])); });
            d.process.once('exit', (code) => reject(new Error(`${binary} ended with ${code}`)));
        });
        return d;
    }

    ask(method, path, headers, body) {
        const text = body && JSON.stringify(body);
        return new Promise((resolve, reject) => {
            const r = request({ agent: this.agent, port: this.port, host: '127.0.0.1', method, path: `/api/v1${path}`,
                headers: { 'User-Agent': AGENT, ...headers, ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }) } }, (reply) => {
                let got = '';
                reply.on('data', (part) => { got += part; }).on('end', () => resolve({ status: reply.statusCode, text: got }));
            });
            r.on('error', reject).end(text);
        });
    }

    async session(caller) {
        const Authorization = `Basic ${Buffer.from(`${caller}@example.com:${PASSWORD}`).toString('base64')}`;
        return this.sessions[caller] ??= { 'X-Session-ID': JSON.parse((await this.ask('GET', '/session', { Authorization, 'X-CSRF': 'false' })).text).session_id };
    }

    // Returns the instructions of all threads while `run` runs, and how long it took.
    async count(run) {
        const control = (...args) => execFileSync('callgrind_control', [...args, String(this.process.pid)], { stdio: 'ignore' });
        control('-i', 'on');
        const began = performance.now();
        await run();
        const ms = performance.now() - began;
        control('-i', 'off');
        control('-d');
        const dump = readdirSync(this.folder).filter((name) => name.startsWith('dump.')).map((name) => join(this.folder, name));
        let sum = 0;
        for (const name of dump) for (const { own } of readDump(readFileSync(name, 'utf8')).values()) sum += own;
        for (const name of dump) rmSync(name);
        return { sum, ms };
    }

    async measure([, caller, method, target, ids, body]) {
        const headers = await this.session(caller);
        const n = WARM + WINDOWS * COUNT;
        const found = ids ? execFileSync('sqlite3', ['-readonly', join(this.data, 'desk.db'), `${ids} LIMIT ${n}`], { encoding: 'utf8' }).trim().split('\n') : [];
        const targets = Array.from({ length: n }, (_, i) => target.replace('@', () => found[i % found.length]));
        const next = async (count) => { while (count--) this.status = (await this.ask(method, targets.shift(), headers, body)).status; };
        await next(WARM);
        if (this.status >= 300) return null;
        const windows = [];
        for (let i = 0; i < WINDOWS; i++) {
            const busy = await this.count(() => next(COUNT)), idle = await this.count(() => sleep(busy.ms));
            windows.push((busy.sum - idle.sum * busy.ms / idle.ms) / COUNT);
        }
        return median(windows);
    }

    async stop() {
        this.agent.destroy();
        const ended = new Promise((resolve) => { this.process.once('exit', resolve); });
        this.process.kill('SIGTERM');
        await ended;
    }
}

const binaries = process.argv.slice(2), columns = [];
for (const [i, binary] of binaries.entries()) {
    const daemon = await Daemon.start(binary, `v${i}`), column = [];
    for (const one of requests) column.push(await daemon.measure(one).catch(() => null));
    await daemon.stop();
    columns.push(column);
}
console.log(`\nthousands of instructions, with HTTP\n| request | ${binaries.join(' | ')} |\n|---|${binaries.map(() => '--:|').join('')}`);
requests.forEach(([name], i) => console.log(`| ${name} | ${columns.map((column) => (column[i] === null ? '-' : Math.round(column[i] / 1000).toLocaleString('en-US'))).join(' | ')} |`));

// Starts the measured processes, deskd and the server of fixed replies, runs wrk against them, and reads their use of
// CPU and memory.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

export const AGENT = 'deskd-bench';
export const run = (command, args) => promisify(execFile)(command, args, { maxBuffer: 1 << 26 }).catch((error) => {
    throw new Error(`${command} ${args[0]}: ${error.stderr || error.code}`);
});

export const binary = 'build/bench/deskd'; // a copy, so that a build during the run has no effect
mkdirSync('build/bench', { recursive: true });
copyFileSync('deskd', binary);

const tick = 10_000; // microseconds, because USER_HZ is 100 on all supported machines

const running = new Set();
process.on('exit', () => running.forEach((server) => server.process.kill('SIGTERM')));

export class Server {
    // ready: a pattern for the first line of its output, with the port as the first group.
    static async start(command, args, ready, env = {}) {
        const server = new Server();
        server.spawned = performance.now();
        server.process = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
        server.exited = once(server.process, 'exit').then(() => running.delete(server));
        running.add(server);
        server.port = await new Promise((resolve, reject) => {
            server.process.stdout.on('data', (text) => {
                const line = ready.exec(String(text));
                if (line) resolve(Number(line[1]));
            });
            server.process.once('exit', (code) => reject(new Error(`${command} ended with ${code} before it was ready`)));
        });
        server.pid = server.process.pid;
        server.url = `http://127.0.0.1:${server.port}`;
        return server;
    }

    async stop() {
        process.kill(this.pid, 'SIGTERM');
        await this.exited;
    }

    // Returns the CPU time of all its threads so far, in microseconds.
    cpu() {
        const stat = readFileSync(`/proc/${this.pid}/stat`, 'latin1');
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return (Number(fields[11]) + Number(fields[12])) * tick;
    }

    anonymousMiB() {
        return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]) / 1024;
    }

    async metric(name) {
        const text = await (await fetch(`${this.url}/metrics`)).text();
        return Number(new RegExp(`^deskd_${name} (\\d+)`, 'm').exec(text)[1]);
    }

    // Runs wrk once. Returns requests a second, latencies in ms and the server's CPU time in microseconds a request.
    async load(targets, headers, { connections, seconds, method = 'GET', body = '' }) {
        const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', 'bench/load.lua', this.url, '--', targets, method, body];
        for (const [name, value] of Object.entries({ 'User-Agent': AGENT, ...headers })) args.push(name, value);
        const before = this.cpu();
        const { stdout } = await run('wrk', args);
        const used = this.cpu() - before;
        const r = JSON.parse(/^\{.*\}$/m.exec(stdout)[0]);
        if (r.errors) throw new Error(`${r.errors} of ${r.requests} requests failed: ${method} ${targets}`);
        return { rate: r.requests / r.seconds, p50: r.p50 / 1000, p99: r.p99 / 1000, cpu: used / r.requests, requests: r.requests };
    }
}

export const serve = (data, env) =>
    Server.start(binary, ['serve', '--data', data, '--listen', '127.0.0.1:0', '--log-level', 'warn'], /listening on .*:(\d+)$/m, env);

export const fixed = (files) => Server.start('build/bench/fixed', files, /^port (\d+)$/m);

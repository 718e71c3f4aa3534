// Starts tests/unit/http_server.c and exchanges bytes with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { after } from 'node:test';

const binary = process.env.HTTP_SERVER ?? 'build/tests/unit/http_server';

// A test that fails leaves its server running. The file would then never end.
const started = [];
after(() => { setTimeout(() => started.forEach((child) => child.kill('SIGKILL')), 30000).unref(); });

export class Server {
    #output = '';
    #waiting = [];

    static async start(...options) {
        const server = new Server();
        server.process = spawn(binary, options, { stdio: ['ignore', 'pipe', 'inherit'] });
        started.push(server.process);
        server.exited = once(server.process, 'exit');
        server.process.stdout.on('data', (text) => server.#heard(String(text)));
        server.port = Number((await server.line(/^port (\d+)$/m))[1]);
        return server;
    }

    #heard(text) {
        this.#output += text;
        this.#waiting = this.#waiting.filter((wake) => !wake());
    }

    // Waits until the server has printed a matching line.
    line(pattern) {
        return new Promise((resolve) => {
            const wake = () => {
                const match = pattern.exec(this.#output);
                if (match) resolve(match);
                return match;
            };
            if (!wake()) this.#waiting.push(wake);
        });
    }

    said(pattern) {
        return pattern.test(this.#output);
    }

    drain() {
        this.process.kill('SIGTERM');
    }

    // Sends SIGTERM. Returns the exit code (0 if all went well) or the signal.
    async stop() {
        this.drain();
        const [code, signal] = await this.exited;
        return code ?? signal;
    }

    async stats() {
        const { body } = await this.ask('GET /stats HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
        return Object.fromEntries([...body.matchAll(/(\w+) (\d+)/g)].map(([, name, n]) => [name, Number(n)]));
    }

    connect(options = {}) {
        return new Client(net.connect({ port: this.port, host: '127.0.0.1', ...options }));
    }

    // Sends bytes on a new connection, and reads until the server closes it or sends nothing for `ms`.
    async ask(bytes, ms = 3000) {
        const client = this.connect();
        client.send(bytes);
        const text = await client.toEnd(ms);
        client.destroy();
        return parse(text);
    }
}

export class Client {
    text = '';
    closed = false;
    #wake = () => {};

    constructor(socket) {
        this.socket = socket;
        socket.setNoDelay(true);
        socket.on('data', (piece) => { this.text += piece.toString('latin1'); this.#wake(); });
        socket.on('error', (error) => { this.error = error; });
        socket.on('close', () => { this.closed = true; this.#wake(); });
        this.connected = new Promise((resolve) => { socket.once('connect', () => resolve(true)); socket.once('close', () => resolve(false)); });
    }

    send(bytes) {
        return new Promise((resolve) => { this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, resolve); });
    }

    destroy() { this.socket.destroy(); }
    reset() { this.socket.resetAndDestroy(); }

    async until(condition, ms = 5000) {
        const end = Date.now() + ms;
        while (!condition() && Date.now() < end) {
            await new Promise((resolve) => { this.#wake = resolve; setTimeout(resolve, Math.max(1, end - Date.now())).unref(); });
        }
        return condition();
    }

    toEnd(ms = 5000) { return this.until(() => this.closed, ms).then(() => this.text); }

    // Waits for `count` complete replies and returns them.
    async replies(count = 1, ms = 5000) {
        await this.until(() => this.closed || split(this.text).length >= count, ms);
        return split(this.text);
    }
}

export const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// One reply: { status, head, body, text }. `status` is 0 if there is none.
export function parse(text) {
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return { status: 0, head: '', body: '', text };
    const head = text.slice(0, end);
    return { status: Number(head.slice(9, 12)), head, body: text.slice(end + 4), text };
}

// The complete replies at the start of a text. Each of our replies has a Content-Length.
export function split(text) {
    const replies = [];
    for (;;) {
        const reply = parse(text);
        const length = Number(/^content-length: (\d+)$/im.exec(reply.head)?.[1] ?? 0);
        if (reply.status === 0 || reply.body.length < length) return replies;
        text = reply.body.slice(length);
        replies.push({ ...reply, body: reply.body.slice(0, length) });
    }
}

// Replies that wait for slow readers: what they cost in memory.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { Server } from './lib.mjs';

const MB = 1024 * 1024;
const anonymous = (server) => Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))[1]) * 1024;

// Sends a request, waits for the first bytes of its reply, and reads no more.
const stalled = (server, path) => new Promise((resolve, reject) => {
    const socket = net.connect({ port: server.port, host: '127.0.0.1' });
    socket.on('error', reject);
    socket.once('data', () => { socket.pause(); resolve(socket); });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
});

test('forty slow readers of shared bytes hold them once', async () => {
    const server = await Server.start();
    const { body } = await server.ask('GET /shared HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.equal(body, 's'.repeat(8 * MB));
    const before = anonymous(server);
    const readers = await Promise.all(Array.from({ length: 40 }, () => stalled(server, '/shared')));
    const held = anonymous(server) - before;
    assert.ok(held < 4 * MB, `forty readers of 8 MB hold ${held} bytes`);
    readers.forEach((socket) => socket.destroy());
    assert.equal((await server.ask('HEAD /shared HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).status, 200);
    assert.equal(await server.stop(), 0);
});

// The memory cost of replies that wait for slow readers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { Server } from './lib.mjs';

const MB = 1024 * 1024;
const anonymous = (server) => Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))[1]) * 1024;

const start = async (t, ...options) => {
    const server = await Server.start(...options);
    t.after(() => server.process.kill('SIGKILL')); // if the test failed
    return server;
};

// Sends a request, waits for the first bytes of its reply, and reads no more.
const stalled = (server, path) => new Promise((resolve, reject) => {
    const socket = net.connect({ port: server.port, host: '127.0.0.1' });
    socket.on('error', reject);
    socket.once('data', () => { socket.pause(); resolve(socket); });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
});

test('forty slow readers of shared bytes hold them once', async (t) => {
    const server = await start(t);
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

const status = async (server, path) => (await server.ask(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).status;

/** Repeats the request until the reply is 200, because the server notices a disconnected peer only when its loop looks. */
async function untilServed(server, path) {
    for (let i = 0; i < 6000; i++) {
        if (await status(server, path) === 200) return;
        await new Promise((resolve) => { setTimeout(resolve, 10); });
    }
    assert.fail(`${path} is still refused`);
}

test('waiting replies are counted for each owner', async (t) => {
    const server = await start(t, `held_each=${24 * MB}`);
    const readers = [];
    for (let i = 0; i < 3; i++) readers.push(await stalled(server, `/size?n=${8 * MB}&owner=1`));
    assert.equal(await status(server, `/size?n=${MB}&owner=1`), 503, 'three replies wait, so this owner gets no more');
    assert.equal(await status(server, '/size?n=16384&owner=1'), 200, 'a small reply is always sent');
    assert.equal(await status(server, `/size?n=${MB}&owner=1&always=1`), 200, 'the reply to a write is always sent');
    assert.equal(await status(server, `/size?n=${8 * MB}&owner=2`), 200, 'other owners have their own limit');
    readers.pop().destroy();
    await untilServed(server, `/size?n=${MB}&owner=1`);
    readers.forEach((socket) => socket.resume());
    await untilServed(server, `/size?n=${24 * MB}&owner=1`);
    await untilServed(server, `/size?n=${40 * MB}&owner=1`); // the owner holds nothing, so one large reply is allowed
    readers.forEach((socket) => socket.destroy());
    assert.equal(await server.stop(), 0);
});

test('waiting replies are counted in total', async (t) => {
    const server = await start(t, `held=${20 * MB}`);
    const readers = [];
    for (let owner = 1; owner <= 3; owner++) readers.push(await stalled(server, `/size?n=${8 * MB}&owner=${owner}`));
    assert.equal(await status(server, `/size?n=${MB}&owner=4`), 503);
    readers.forEach((socket) => socket.destroy());
    await untilServed(server, `/size?n=${MB}&owner=4`);
    assert.equal(await server.stop(), 0);
});

test('memory of slow readers is returned to the system', async (t) => {
    const server = await start(t);
    const before = anonymous(server);
    for (let round = 0; round < 3; round++) { // the C library keeps free chunks of rows by default
        const readers = await Promise.all(Array.from({ length: 24 }, (_, i) => stalled(server, `/size?n=${4 * MB - round}&rows=${2 * MB}&owner=${i + 1}`)));
        assert.ok(anonymous(server) - before > 100 * MB);
        readers.forEach((socket) => socket.destroy());
        for (let i = 0; i < 6000 && anonymous(server) - before > 16 * MB; i++) await new Promise((resolve) => { setTimeout(resolve, 10); });
        assert.ok(anonymous(server) - before < 16 * MB, `${anonymous(server) - before} bytes are not returned`);
    }
    assert.equal(await server.stop(), 0);
});

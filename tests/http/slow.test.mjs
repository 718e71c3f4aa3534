// Slow clients: each phase of a request has a deadline, and no other client waits.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { Client, Server, wait } from './lib.mjs';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const files = Number(/Max open files +\d+ +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))[1]);
const crowd = Math.min(2000, Math.floor((files - 600) / 2)); // node raises its limit to the hard limit

const since = (start) => Date.now() - start;

test(`${crowd} clients that send a header line now and then do not delay others`, async () => {
    const server = await Server.start('head_ms=2000', 'body_ms=2000');
    const slow = Array.from({ length: crowd }, () => server.connect());
    await Promise.all(slow.map((client) => client.connected));
    const start = Date.now();
    slow.forEach((client) => client.send('GET / HTTP/1.1\r\nHost: a\r\n'));
    const dribble = setInterval(() => slow.forEach((client) => client.closed || client.send('X: y\r\n')), 300);

    for (let i = 0; i < 40; i++) { // the other requests are answered while the crowd is connected
        assert.equal((await server.ask(get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'), 60000)).status, 200);
    }

    while (slow.some((client) => !client.closed) && since(start) < 60000) await wait(50);
    clearInterval(dribble);
    assert.ok(slow.every((client) => client.closed), 'all of the crowd are disconnected');
    assert.ok(slow.every((client) => client.text === ''));
    assert.ok(since(start) >= 2000);
    assert.ok((await server.stats()).timed_out >= crowd);
    assert.equal(await server.stop(), 0);
});

async function cutBetween(server, least, most, begin, go) {
    const client = server.connect();
    const start = Date.now();
    await client.send(begin);
    const timer = setInterval(() => client.closed || client.send(go), 100);
    await client.toEnd(most + 2000);
    clearInterval(timer);
    assert.ok(client.closed && since(start) >= least && since(start) <= most, `cut after ${since(start)} ms: ${client.closed}`);
    return client;
}

// Each server has one short deadline and others of a minute. Only the short one can have closed a connection, on a busy machine, too.
const FAR = 30000;

test('the head of a request has a deadline', async () => {
    const server = await Server.start('head_ms=600', 'body_ms=60000', 'idle_s=60');
    await Promise.all([
        cutBetween(server, 550, FAR, '', ''), // no bytes
        cutBetween(server, 550, FAR, 'GET /', 'x'), // an endless request line
        cutBetween(server, 550, FAR, '\r\n', '\r\n'), // endless empty lines
        cutBetween(server, 550, FAR, 'GET / HTTP/1.1\r\nHost: a\r\n', 'X: y\r\n'),
    ]);
    assert.equal(await server.stop(), 0);
});

test('a body has a deadline', async () => {
    const server = await Server.start('head_ms=60000', 'body_ms=900', 'idle_s=60');
    await Promise.all([
        cutBetween(server, 850, FAR, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n', 'x'),
        cutBetween(server, 850, FAR, 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
        cutBetween(server, 850, FAR, 'POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n' +
            'Content-Type: multipart/form-data; boundary=B\r\n\r\n', 'x'),
    ]);
    assert.equal(await server.stop(), 0);
});

test('an idle connection has a deadline', async () => {
    const server = await Server.start('head_ms=60000', 'body_ms=60000', 'idle_s=1');
    assert.match((await cutBetween(server, 950, FAR, get, '')).text, /^HTTP\/1\.1 200/);
    assert.equal(await server.stop(), 0);
});

test('a partial next head, and a half-closed connection, have the deadline of a head, not of an idle connection', async () => {
    const server = await Server.start('head_ms=600', 'idle_s=60');
    const answered = (client) => assert.match(client.text, /^HTTP\/1\.1 200/);
    const halfClosed = async (request) => {
        const client = new Client(net.connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }));
        const start = Date.now();
        client.socket.end(request);
        await client.toEnd(20000);
        assert.ok(client.closed && since(start) < 15000, `cut after ${since(start)} ms: ${client.closed}`);
        answered(client);
    };
    await Promise.all([
        cutBetween(server, 550, 15000, `${get}G`, '').then(answered), // one byte, in the same packet as the request before it
        cutBetween(server, 550, 15000, `${get}\r`, '').then(answered),
        cutBetween(server, 550, 15000, `${get}${get}GET /`, 'x').then((client) => assert.equal(client.text.match(/HTTP\/1\.1 200/g).length, 2)),
        halfClosed(get),
        halfClosed(get.replace('GET /', 'GET /defer?ms=300')), // the end arrives while the server does not read
        halfClosed(get.replace('GET /', 'GET /size?n=20000000')),
    ]);
    const kept = server.connect(); // after a complete reply
    await kept.send(get);
    await kept.replies();
    const start = Date.now();
    await kept.send('G');
    await kept.toEnd(20000);
    assert.ok(kept.closed && since(start) >= 550 && since(start) < 15000, `cut after ${since(start)} ms: ${kept.closed}`);
    assert.equal(await server.stop(), 0);
});

test('a body that keeps the minimum rate may exceed the deadline', async () => {
    const server = await Server.start('body_ms=700');
    const client = server.connect();
    await client.send('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 400000\r\n\r\n');
    for (let i = 0; i < 20; i++) {
        await client.send('x'.repeat(20000));
        await wait(100);
    }
    assert.match(await client.toEnd(), /^HTTP\/1\.1 200/);
    assert.equal(await server.stop(), 0);
});

test('bytes sent fast do not extend the deadline of a silent body', async () => {
    const server = await Server.start('body_ms=700');
    const client = server.connect();
    const start = Date.now();
    await client.send('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n' + 'x'.repeat(900000));
    const drip = setInterval(() => client.closed || client.send('x'), 100); // 900,000 bytes are 55 s at the minimum rate
    await client.toEnd(20000);
    clearInterval(drip);
    assert.ok(client.closed && since(start) >= 650 && since(start) < 15000, `cut after ${since(start)} ms: ${client.closed}`);
    assert.equal(client.text, '');
    assert.equal(await server.stop(), 0);
});

test('this server sets no deadline for the work of the application', async () => {
    const server = await Server.start('head_ms=300', 'body_ms=300', 'idle_s=1');
    const { status } = await server.ask('GET /defer?ms=1500 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 20000);
    assert.equal(status, 200);
    assert.equal(await server.stop(), 0);
});

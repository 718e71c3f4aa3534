// The life of a connection: keep-alive, pipelining, suspension, hang-up, drain.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server, wait } from './lib.mjs';

/** Waits up to ten seconds, because a machine may be busy. */
const eventually = async (holds) => {
    for (let i = 0; i < 200 && !(await holds()); i++) await wait(50);
    assert.ok(await holds(), String(holds));
};

const tmp = mkdtempSync(join(tmpdir(), 'http-life-'));
let server;
before(async () => { server = await Server.start(`tmp=${tmp}`); });
after(async () => {
    assert.equal(await server.stop(), 0);
    rmSync(tmp, { recursive: true });
});

const get = (path, ...fields) => [`GET ${path} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n');
const post = (path, body) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test('one connection serves many requests, one after the other', async () => {
    const client = server.connect();
    for (let i = 0; i < 200; i++) {
        client.text = '';
        await client.send(i % 2 ? post(`/${i}`, 'x'.repeat(i * 100)) : get(`/${i}?q=${i}`));
        const [reply] = await client.replies();
        assert.equal(reply.body, i % 2 ? `POST /${i}\n${'x'.repeat(i * 100)}` : `GET /${i}?q=${i}\n`);
    }
    client.destroy();
});

test('pipelined requests are answered in order, deferred or not', async () => {
    const client = server.connect();
    const paths = Array.from({ length: 100 }, (_, i) => (i % 7 === 3 ? `/defer?ms=${i % 20}` : `/p${i}?a=b`));
    client.send(paths.map((path, i) => (i % 5 ? get(path, `X: ${'y'.repeat(i * 10)}`) : post(path, 'body'))).join(''));
    const replies = await client.replies(100);
    assert.deepEqual(replies.map((r) => r.body), paths.map((path, i) => (i % 5 ? `GET ${path}\n` : `POST ${path}\nbody`)));
    client.destroy();
});

test('bytes behind a request that waits, which are no request, do not end it: it is answered before they are refused', async () => {
    await Promise.all(Array.from({ length: 20 }, async (_, i) => {
        const client = server.connect();
        await client.send(`${get(`/defer?ms=${30 + i}`)}\x81\x02 no request`);
        await wait(10); // the first bytes have been read
        await client.send('\x81\x02 more');
        const [reply, refusal] = await client.replies(2);
        assert.equal(reply?.body, `GET /defer?ms=${30 + i}\n`);
        assert.equal(refusal?.status, 400);
        client.destroy();
    }));
});

test('Connection: close and HTTP/1.0 close the connection, keep-alive of HTTP/1.0 does not', async () => {
    for (const [bytes, closes] of [
        [get('/', 'Connection: close'), true], [get('/', 'Connection: foo, CLOSE'), true],
        ['GET / HTTP/1.0\r\n\r\n', true], ['GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', false], [get('/'), false],
    ]) {
        const client = server.connect();
        await client.send(bytes);
        await client.replies();
        await client.until(() => client.closed, 150);
        assert.equal(client.closed, closes, bytes);
        client.destroy();
    }
});

test('64 deferred requests at once', async () => {
    const replies = await Promise.all(Array.from({ length: 64 }, (_, i) => server.ask(get(`/defer?ms=${i}`, 'Connection: close'))));
    replies.forEach((reply, i) => assert.equal(reply.body, `GET /defer?ms=${i}\n`));
});

for (const [name, leave] of [['closes', (c) => c.destroy()], ['resets', (c) => c.reset()], ['half-closes', (c) => c.socket.end()]])
    test(`if a peer ${name} while its request waits, the server notices and ends the request`, async () => {
        const alone = await Server.start();
        const client = alone.connect();
        await client.send(get('/gone'));
        await alone.line(/deferred/);
        await wait(400);
        assert.ok(!alone.said(/gone/));
        leave(client);
        await alone.line(/gone/);
        await alone.line(/end/);
        assert.equal((await alone.ask(get('/', 'Connection: close'))).status, 200);
        client.destroy();
        assert.equal(await alone.stop(), 0);
    });

test('a reply to a disconnected peer is dropped', async () => {
    for (let i = 0; i < 50; i++) {
        const client = server.connect();
        await client.send(get(`/defer?ms=${i}`));
        if (i % 2) client.reset(); else client.destroy();
    }
    await wait(300);
    assert.equal((await server.stats()).connections, 1);
});

test('a client that resets within its body leaves nothing behind', async () => {
    const form = (path) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\nContent-Type: ` +
        'multipart/form-data; boundary=B\r\n\r\n--B\r\nContent-Disposition: form-data; name=f; filename=g\r\n\r\n';
    const clients = ['/upload', '/raw', '/x', '/small'].map((path) => {
        const client = server.connect();
        client.send(form(path) + 'x'.repeat(20000));
        return client;
    });
    await eventually(() => readdirSync(tmp).length > 0);
    clients.forEach((client) => client.reset());
    await eventually(() => readdirSync(tmp).length === 0);
    await eventually(async () => (await server.stats()).connections === 1);
});

test('drain: running requests end with their reply, idle connections are closed, new ones refused', async () => {
    const draining = await Server.start('drain_ms=5000');
    const idle = draining.connect();
    await idle.send(get('/'));
    await idle.replies();
    const late = draining.connect();
    await late.send(get('/defer?ms=800'));
    await draining.line(/deferred/);
    const body = draining.connect();
    await body.send('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello');
    await wait(50);
    draining.drain();
    await draining.line(/draining/);
    await wait(100);
    const refused = draining.connect();
    assert.equal(await refused.connected, false);
    assert.equal(refused.error.code, 'ECONNREFUSED');
    await idle.until(() => idle.closed, 600);
    assert.ok(idle.closed);
    await body.send('world');
    assert.match(await body.toEnd(), /^HTTP\/1\.1 200 [^]*connection: close[^]*helloworld$/i);
    assert.match(await late.toEnd(), /^HTTP\/1\.1 200 [^]*connection: close[^]*GET \/defer/i);
    assert.deepEqual(await draining.exited, [0, null]);
});

test('drain ends after its deadline', async () => {
    const draining = await Server.start('drain_ms=300');
    const waiting = draining.connect();
    await waiting.send(get('/gone'));
    await draining.line(/deferred/);
    const head = draining.connect();
    await head.send('GET / HTTP/1.1\r\n');
    const body = draining.connect();
    await body.send('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello');
    const start = Date.now();
    assert.equal(await draining.stop(), 0);
    assert.ok(Date.now() - start < 2500, `took ${Date.now() - start} ms`);
    assert.ok(draining.said(/gone[^]*end[^]*stopped/));
    assert.match(waiting.text, /^HTTP\/1\.1 200/);
});

test('an idle server stops at once', async () => {
    const idle = await Server.start('drain_ms=60000');
    const start = Date.now();
    assert.equal(await idle.stop(), 0);
    assert.ok(Date.now() - start < 1000);
});

test('a port that can\'t be used is an error at the start', async () => {
    const { spawnSync } = await import('node:child_process');
    const binary = process.env.HTTP_SERVER ?? 'build/tests/unit/http_server';
    const { status, stderr } = spawnSync(binary, ['address=localhost']);
    assert.equal(status, 1);
    assert.match(String(stderr), /localhost is not a numeric address/);
});

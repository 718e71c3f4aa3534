// Bodies that are produced while they are sent.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { Server, parse } from './lib.mjs';

const start = async (t, ...options) => {
    const server = await Server.start(...options);
    t.after(() => server.process.kill('SIGKILL')); // it still runs if the test failed
    return server;
};
const get = (server, path, method = 'GET') => server.ask(`${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);

// The body of a chunked reply, and true if its last chunk arrived.
function unchunked(text) {
    let body = '', rest = text;
    for (;;) {
        const line = /^([0-9a-f]+)\r\n/i.exec(rest);
        if (!line) return { body, whole: false };
        const n = parseInt(line[1], 16);
        if (n === 0) return { body, whole: true };
        body += rest.slice(line[0].length, line[0].length + n);
        rest = rest.slice(line[0].length + n + 2);
    }
}

test('a body of unknown length is sent completely, in chunks, and closed once', async (t) => {
    const server = await start(t);
    for (const n of [0, 1, 32768, 32769, 1000000]) {
        const reply = await get(server, `/stream?n=${n}`);
        assert.equal(reply.status, 200);
        assert.match(reply.head, /^transfer-encoding: chunked$/im);
        assert.doesNotMatch(reply.head, /^content-length/im);
        assert.deepEqual(unchunked(reply.body), { body: 'm'.repeat(n), whole: true });
    }
    assert.equal(await server.stop(), 0);
    assert.ok(server.said(/^(closed\n){5}/m));
});

test('a body that fails is sent without its last chunk, so that the client notices', async (t) => {
    const server = await start(t);
    const client = server.connect();
    client.send('GET /stream?n=100000&broken=1 HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.ok(await client.until(() => client.closed, 60000), 'the connection is cut');
    const reply = parse(client.text);
    assert.equal(reply.status, 200);
    assert.equal(unchunked(reply.body).whole, false);
    await server.line(/^closed$/m);
    assert.equal(await server.stop(), 0);
});

test('the server closes the body after HEAD, a disconnect, and a head that is too large', async (t) => {
    const server = await start(t);
    assert.deepEqual([(await get(server, '/stream?n=5', 'HEAD')).status, (await get(server, '/stream?n=5', 'HEAD')).body], [200, '']);
    assert.equal((await get(server, '/stream?n=5&wide=20000')).status, 431);
    await new Promise((resolve) => {
        const socket = net.connect({ port: server.port, host: '127.0.0.1' });
        socket.once('data', () => { socket.destroy(); resolve(); });
        socket.write('GET /stream?n=100000000 HTTP/1.1\r\nHost: a\r\n\r\n');
    });
    await server.line(/(closed\n){4}/);
    assert.equal(await server.stop(), 0);
});

test('a body of a gibibyte needs no more memory than one of a byte', async (t) => {
    const server = await start(t);
    const anonymous = () => Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))[1]);
    await get(server, '/stream?n=1');
    const before = anonymous();
    let bytes = 0, most = 0;
    await new Promise((resolve, reject) => {
        const socket = net.connect({ port: server.port, host: '127.0.0.1' });
        socket.on('error', reject);
        socket.on('data', (piece) => {
            if ((bytes >> 24) !== ((bytes + piece.length) >> 24)) most = Math.max(most, anonymous());
            bytes += piece.length;
        });
        socket.on('close', resolve);
        socket.write('GET /stream?n=1073741824 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    });
    assert.ok(bytes > 1073741824);
    assert.ok(most - before < 2048, `it took ${most - before} kB`);
    assert.equal(await server.stop(), 0);
});

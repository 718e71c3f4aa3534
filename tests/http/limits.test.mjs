// What is too large, too many, or from an address that has enough.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server, wait } from './lib.mjs';

let server;
before(async () => { server = await Server.start(); });
after(async () => { assert.equal(await server.stop(), 0); });

const head = (line, ...fields) => [`${line} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n');
const chunk = (n) => `${n.toString(16)}\r\n${'x'.repeat(n)}\r\n`;

test('a body that says it is too large is not read', async () => {
    const client = server.connect();
    await client.send(head('POST /small', 'Content-Length: 1001'));
    const text = await client.toEnd();
    assert.match(text, /^HTTP\/1\.1 413 [^]*connection: close/i);
    assert.match(text, /PAYLOAD_TOO_LARGE The body is too large\.\n$/);
});

test('a body of just the limit is taken', async () => {
    const { status } = await server.ask(head('POST /small', 'Content-Length: 1000', 'Connection: close') + 'x'.repeat(1000));
    assert.equal(status, 200);
});

test('no 100 Continue for a body that is too large', async () => {
    const { text } = await server.ask(head('POST /small', 'Content-Length: 1001', 'Expect: 100-continue'));
    assert.match(text, /^HTTP\/1\.1 413 /);
});

test('chunks that become too large are not read on', async () => {
    const client = server.connect();
    await client.send(head('POST /small', 'Transfer-Encoding: chunked') + chunk(900));
    await wait(50);
    assert.equal(client.text, '');
    await client.send(chunk(900)); // the last chunk never comes
    const text = await client.toEnd();
    assert.match(text, /^HTTP\/1\.1 413 Content Too Large\r\n[^]*connection: close/i);
    assert.match(text, /PAYLOAD_TOO_LARGE The body is too large\.\n$/);
});

test('a deferred reply within the body', async () => {
    const client = server.connect();
    const body = 'x'.repeat(1024 * 1024);
    await client.send(head('POST /defer?ms=30', 'Transfer-Encoding: chunked') + chunk(body.length) + chunk(10));
    assert.match(await client.toEnd(), /^HTTP\/1\.1 413 [^]*PAYLOAD_TOO_LARGE/);
});

test('a deferred reply before the body', async () => {
    const client = server.connect();
    await client.send(head('POST /defer?ms=30', 'Content-Length: 99999999'));
    assert.match(await client.toEnd(), /^HTTP\/1\.1 413 [^]*connection: close[^]*PAYLOAD_TOO_LARGE/i);
});

for (const [name, path] of [['too large', '/small'], ['not wanted', '/none']])
    test(`the reply to a body that is ${name} survives that the client goes on sending`, async () => {
        const client = server.connect();
        await client.send(head(`POST ${path}`, 'Content-Length: 3000000'));
        for (let i = 0; i < 30; i++) {
            client.send('x'.repeat(100000));
            await wait(5);
        }
        assert.match(await client.toEnd(), /^HTTP\/1\.1 (413|200) [^]*\n$/);
        assert.equal(client.error, undefined);
    });

test('Content-Encoding is not supported', async () => {
    const { status, body } = await server.ask(head('POST /x', 'Content-Encoding: gzip', 'Content-Length: 5') + 'hello');
    assert.equal(status, 415);
    assert.match(body, /^UNSUPPORTED_MEDIA_TYPE /);
});

test('the request target', async () => {
    const most = 10 * 1024; // LIMIT_URI
    const query = (n) => head(`GET /?${'y'.repeat(n - 2)}`, 'Connection: close');
    assert.equal((await server.ask(query(most))).status, 200);
    const { status, body } = await server.ask(query(most + 1));
    assert.equal(status, 414);
    assert.equal(JSON.parse(body).errors[0].code, 'URI_TOO_LONG');
    assert.equal((await server.ask(query(100000))).status, 414);
});

test('a query of many arguments', async () => {
    const query = Array.from({ length: 1100 }, (_, i) => `i=${1000 + i}`).join('&');
    const { status, body } = await server.ask(head(`GET /?${query}`, 'Connection: close'));
    assert.equal(status, 200);
    assert.equal(body, `GET /?${query}\n`);
});

test('header fields', async () => {
    const many = (n) => head('GET /', 'Connection: close', ...Array.from({ length: n - 2 }, (_, i) => `X${i}: y`));
    assert.equal((await server.ask(many(100))).status, 200);
    const { status, body } = await server.ask(many(101));
    assert.equal(status, 431);
    assert.equal(JSON.parse(body).errors[0].code, 'HEADERS_TOO_LARGE');
    assert.equal((await server.ask(many(2000))).status, 431);
    assert.equal((await server.ask(head('GET /', `X: ${'y'.repeat(12000)}`, 'Connection: close'))).status, 200);
    assert.equal((await server.ask(head('GET /', `X: ${'y'.repeat(12300)}`))).status, 431);
    assert.equal((await server.ask(head('GET /', `X: ${'y'.repeat(100000)}`))).status, 431);
});

test('heads of many fields, cookies and bytes are served or refused in JSON, never by the library in its way', async () => {
    for (const fields of [0, 20, 60, 96])
        for (const cookies of [0, 1, 50, 150, 400])
            for (const bytes of [0, 2000, 5000, 8000, 11000]) {
                const cookie = cookies ? [`Cookie: ${Array.from({ length: cookies }, (_, i) => `c${i}=${i}`).join('; ')}`] : [];
                const request = head('GET /', 'Connection: close', `X: ${'y'.repeat(bytes)}`, ...cookie, ...Array.from({ length: fields }, (_, i) => `X${i}: y`));
                const reply = await server.ask(request);
                if (reply.status === 200) assert.equal(reply.body, 'GET /\n');
                else assert.equal(JSON.parse(reply.body).errors[0].code, 'HEADERS_TOO_LARGE', `${fields} fields, ${cookies} cookies, ${bytes} bytes: ${reply.text.slice(0, 300)}`);
                if (request.length < 4000 && fields + cookies < 60) assert.equal(reply.status, 200);
            }
});

test('trailers of a chunked body count as fields of the head', async () => {
    const body = (n) => `${head('POST /x', 'Transfer-Encoding: chunked', 'Connection: close')}1\r\nx\r\n0\r\n${'X: y\r\n'.repeat(n)}\r\n`;
    assert.equal((await server.ask(body(97))).status, 200);
    assert.equal((await server.ask(body(98))).status, 431);
    assert.equal((await server.ask(`${head('POST /x', 'Transfer-Encoding: chunked')}1;${'e'.repeat(300)}\r\nx`)).status, 400);
});

test('a reply whose head the library has no memory for', async () => {
    const ask = (n, wide, method = 'GET') => server.ask(head(`${method} /size?n=${n}&wide=${wide}`, 'Connection: close'), 10000);
    for (const wide of [100, 4000, 7000, 9000, 20000, 100000]) {
        const { status, head: lines, body } = await ask(10, wide);
        assert.equal(status, 200);
        assert.equal(/^X-Wide: (w*)$/m.exec(lines)[1].length, wide);
        assert.equal(body.length, 10);
    }
    assert.equal((await ask(20_000_000, 30000)).body.length, 20_000_000);
    assert.equal((await ask(10, 30000, 'HEAD')).body, '');
});

test('large replies arrive whole', async () => {
    const { body } = await server.ask(head('GET /size?n=30000000', 'Connection: close'), 10000);
    assert.equal(body.length, 30_000_000);
});

// ---- connections of an address ----

const get = head('GET /');

async function opens(limited, localAddress) {
    const client = limited.connect({ localAddress });
    await client.connected;
    client.send(get);
    const [reply] = await client.replies();
    if (!reply) client.destroy();
    return reply && client;
}

test('an address may have so many connections and no more', async () => {
    const limited = await Server.start('per_address=5', 'proxy=127.0.0.4');
    const first = [];
    for (let i = 0; i < 5; i++) first.push(await opens(limited, '127.0.0.2'));
    assert.ok(first.every(Boolean));
    assert.ok(!await opens(limited, '127.0.0.2'), 'a sixth');
    const other = await opens(limited, '127.0.0.3');
    assert.ok(other, 'another address');
    const proxied = [];
    for (let i = 0; i < 20; i++) proxied.push(await opens(limited, '127.0.0.4'));
    assert.ok(proxied.every(Boolean), 'a trusted proxy has no cap');
    first.pop().destroy();
    await wait(50);
    const again = await opens(limited, '127.0.0.2');
    assert.ok(again, 'one has gone');
    assert.ok(!await opens(limited, '127.0.0.2'));
    [...first, ...proxied, other, again].forEach((client) => client.destroy());
    assert.equal(await limited.stop(), 0);
});

test('loopback has no cap by default', async () => {
    const clients = await Promise.all(Array.from({ length: 300 }, () => opens(server)));
    assert.ok(clients.every(Boolean));
    clients.forEach((client) => client.destroy());
});

test('a burst of connections is spread evenly over the loops', async () => {
    const many = await Server.start('loops=4');
    const clients = Array.from({ length: 40 }, () => many.connect());
    const replies = await Promise.all(clients.map(async (client) => {
        await client.connected;
        client.send(head('GET /loop'));
        return (await client.replies())[0];
    }));
    const counts = {};
    for (const reply of replies) counts[reply.body] = (counts[reply.body] ?? 0) + 1;
    assert.equal(Object.keys(counts).length, 4);
    for (const n of Object.values(counts)) assert.ok(n === 10, JSON.stringify(counts));
    clients.forEach((client) => client.destroy());
    assert.equal(await many.stop(), 0);
});

test('at once, too, an address has no more connections than it may', async () => {
    const limited = await Server.start('per_address=5', 'loops=4');
    const clients = await Promise.all(Array.from({ length: 40 }, () => opens(limited, '127.0.0.2')));
    assert.equal(clients.filter(Boolean).length, 5);
    clients.filter(Boolean).forEach((client) => client.destroy());
    assert.equal(await limited.stop(), 0);
});

test('the server has a cap too', async () => {
    const limited = await Server.start('connections=20');
    const clients = [];
    for (let i = 0; i < 20; i++) clients.push(await opens(limited));
    assert.ok(clients.every(Boolean));
    assert.ok(!await opens(limited));
    clients.forEach((client) => client.destroy());
    await wait(50);
    assert.equal((await limited.stats()).refused, 1);
    assert.equal(await limited.stop(), 0);
});

test('X-Forwarded-For counts when it comes from a trusted proxy', async () => {
    const behind = await Server.start('proxy=127.0.0.1');
    const remote = async (...values) => (await behind.ask(head('GET /head', 'Connection: close',
        ...values.map((value) => `X-Forwarded-For: ${value}`)))).body.trim().split('|')[2];
    assert.equal(await remote(), '127.0.0.1');
    assert.equal(await remote('192.0.2.7'), '192.0.2.7');
    assert.equal(await remote('198.51.100.1, 192.0.2.7'), '192.0.2.7');
    assert.equal(await remote('198.51.100.1, 192.0.2.7, 127.0.0.1'), '192.0.2.7');
    assert.equal(await remote('2001:db8::1'), '2001:db8::1');
    assert.equal(await remote('192.0.2.7, unknown'), '127.0.0.1');
    assert.equal(await remote('198.51.100.1', '192.0.2.7'), '192.0.2.7'); // the proxy added a field of its own
    assert.equal(await remote('192.0.2.7', '127.0.0.1'), '192.0.2.7');
    assert.equal(await remote(''), '127.0.0.1');
    assert.equal(await behind.stop(), 0);
});

test('files of bodies under way take so much of the disk and no more, whoever sends them', async () => {
    const limited = await Server.start('spool=150000');
    const raw = (n) => head('POST /raw', 'Connection: close', 'Content-Type: image/png', `Content-Length: ${n}`);
    const second = async () => (await limited.ask(raw(95000) + 'y'.repeat(95000))).status;
    const first = limited.connect();
    first.send(raw(80000) + 'x'.repeat(60000));
    let status;
    for (let i = 0; i < 200 && status !== 503; i++) status = await second();
    assert.equal(status, 503);
    first.send('x'.repeat(20000));
    assert.match(await first.toEnd(), /^HTTP\/1\.1 200 /);
    assert.equal(await second(), 200);
    assert.equal(await limited.stop(), 0);
});

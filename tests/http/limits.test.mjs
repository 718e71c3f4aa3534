// Limits: sizes, numbers of connections, and totals for each address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parse, Server, wait } from './lib.mjs';

let server;
before(async () => { server = await Server.start(); });
after(async () => { assert.equal(await server.stop(), 0); });

const head = (line, ...fields) => [`${line} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n');
const chunk = (n) => `${n.toString(16)}\r\n${'x'.repeat(n)}\r\n`;

test('a body with a Content-Length over the limit is not read', async () => {
    const client = server.connect();
    await client.send(head('POST /small', 'Content-Length: 1001'));
    const text = await client.toEnd();
    assert.match(text, /^HTTP\/1\.1 413 [^]*connection: close/i);
    assert.match(text, /PAYLOAD_TOO_LARGE The body is too large\.\n$/);
});

test('a body of exactly the limit is accepted', async () => {
    const { status } = await server.ask(head('POST /small', 'Content-Length: 1000', 'Connection: close') + 'x'.repeat(1000));
    assert.equal(status, 200);
});

test('a body over the limit gets no 100 Continue', async () => {
    const { text } = await server.ask(head('POST /small', 'Content-Length: 1001', 'Expect: 100-continue'));
    assert.match(text, /^HTTP\/1\.1 413 /);
});

test('a chunked body over the limit is not read further', async () => {
    const client = server.connect();
    await client.send(head('POST /small', 'Transfer-Encoding: chunked') + chunk(900));
    await wait(50);
    assert.equal(client.text, '');
    await client.send(chunk(900)); // the last chunk is missing
    const text = await client.toEnd();
    assert.match(text, /^HTTP\/1\.1 413 Content Too Large\r\n[^]*connection: close/i);
    assert.match(text, /PAYLOAD_TOO_LARGE The body is too large\.\n$/);
});

test('a reply deferred within the body', async () => {
    const client = server.connect();
    const body = 'x'.repeat(1024 * 1024);
    await client.send(head('POST /defer?ms=30', 'Transfer-Encoding: chunked') + chunk(body.length) + chunk(10));
    assert.match(await client.toEnd(), /^HTTP\/1\.1 413 [^]*PAYLOAD_TOO_LARGE/);
});

test('a reply deferred before the body', async () => {
    const client = server.connect();
    await client.send(head('POST /defer?ms=30', 'Content-Length: 99999999'));
    assert.match(await client.toEnd(), /^HTTP\/1\.1 413 [^]*connection: close[^]*PAYLOAD_TOO_LARGE/i);
});

for (const [name, path] of [['too large', '/small'], ['not wanted', '/none']])
    test(`the reply to a body that is ${name} arrives although the client goes on sending`, async () => {
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

test('a request target over 10 KiB is 414', async () => {
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

test('more than 100 header fields, or more than 12 KiB of them, are 431', async () => {
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

test('heads with many fields, cookies and bytes are served, or refused as JSON and not by the library', async () => {
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

test('trailers of a chunked body count as header fields', async () => {
    const body = (n) => `${head('POST /x', 'Transfer-Encoding: chunked', 'Connection: close')}1\r\nx\r\n0\r\n${'X: y\r\n'.repeat(n)}\r\n`;
    assert.equal((await server.ask(body(97))).status, 200);
    assert.equal((await server.ask(body(98))).status, 431);
    assert.equal((await server.ask(`${head('POST /x', 'Transfer-Encoding: chunked')}1;${'e'.repeat(300)}\r\nx`)).status, 400);
});

test('a reply whose head exceeds the memory of the library', async () => {
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

test('an address has a maximum number of connections', async () => {
    const limited = await Server.start('per_address=5', 'proxy=127.0.0.4');
    const first = [];
    for (let i = 0; i < 5; i++) first.push(await opens(limited, '127.0.0.2'));
    assert.ok(first.every(Boolean));
    assert.ok(!await opens(limited, '127.0.0.2'), 'a sixth');
    const other = await opens(limited, '127.0.0.3');
    assert.ok(other, 'another address');
    const proxied = [];
    for (let i = 0; i < 20; i++) proxied.push(await opens(limited, '127.0.0.4'));
    assert.ok(proxied.every(Boolean), 'a trusted proxy has no maximum');
    first.pop().destroy();
    await wait(50);
    const again = await opens(limited, '127.0.0.2');
    assert.ok(again, 'one connection has closed');
    assert.ok(!await opens(limited, '127.0.0.2'));
    [...first, ...proxied, other, again].forEach((client) => client.destroy());
    assert.equal(await limited.stop(), 0);
});

test('loopback has no maximum by default', async () => {
    const clients = await Promise.all(Array.from({ length: 300 }, () => opens(server)));
    assert.ok(clients.every(Boolean));
    clients.forEach((client) => client.destroy());
});

test('a burst of connections is distributed evenly over the loops', async () => {
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

test('concurrent connections do not exceed the maximum of an address', async () => {
    const limited = await Server.start('per_address=5', 'loops=4');
    const clients = await Promise.all(Array.from({ length: 40 }, () => opens(limited, '127.0.0.2')));
    assert.equal(clients.filter(Boolean).length, 5);
    clients.filter(Boolean).forEach((client) => client.destroy());
    assert.equal(await limited.stop(), 0);
});

test('the server has a maximum, too', async () => {
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

test('X-Forwarded-For is used if it comes from a trusted proxy', async () => {
    const behind = await Server.start('proxy=127.0.0.1');
    const remote = async (...values) => (await behind.ask(head('GET /head', 'Connection: close',
        ...values.map((value) => `X-Forwarded-For: ${value}`)))).body.trim().split('|')[2];
    assert.equal(await remote(), '127.0.0.1');
    assert.equal(await remote('192.0.2.7'), '192.0.2.7');
    assert.equal(await remote('198.51.100.1, 192.0.2.7'), '192.0.2.7');
    assert.equal(await remote('198.51.100.1, 192.0.2.7, 127.0.0.1'), '192.0.2.7');
    assert.equal(await remote('2001:db8::1'), '2001:db8::1');
    assert.equal(await remote('192.0.2.7, unknown'), '127.0.0.1');
    assert.equal(await remote('198.51.100.1', '192.0.2.7'), '192.0.2.7'); // the proxy added another field
    assert.equal(await remote('192.0.2.7', '127.0.0.1'), '192.0.2.7');
    assert.equal(await remote(''), '127.0.0.1');
    assert.equal(await behind.stop(), 0);
});

// ---- bytes held for bodies under way ----

const raw = (n, ...fields) => head('POST /raw', 'Connection: close', 'Content-Type: image/png', `Content-Length: ${n}`, ...fields);

// Sends n of 100,000 bytes from this address and keeps the connection open.
async function holds(limited, localAddress, n, ...fields) {
    const client = limited.connect({ localAddress });
    await client.connected;
    client.send(raw(100000, ...fields) + 'x'.repeat(n));
    return client;
}

// Waits until the sent bytes have arrived or are released.
async function held(limited, least, most = least) {
    const end = Date.now() + 20000;
    for (let now; Date.now() < end; await wait(5)) {
        ({ held: now } = await limited.stats());
        if (now >= least && now <= most) return;
    }
    assert.fail(`${least} to ${most} bytes to be held`);
}

async function uploads(limited, localAddress, n, ...fields) {
    const client = limited.connect({ localAddress });
    await client.connected;
    client.send(raw(n, ...fields) + 'y'.repeat(n));
    return parse(await client.toEnd());
}

test('an address holds at most a quarter of the disk space for uploads, with any number of connections', async () => {
    const limited = await Server.start('spool=800000'); // 200,000 each
    const clients = [await holds(limited, '127.0.0.2', 90000), await holds(limited, '127.0.0.2', 90000)];
    await held(limited, 180000);
    const { status, body } = await uploads(limited, '127.0.0.2', 30000);
    assert.equal(status, 503);
    assert.match(body, /SERVICE_UNAVAILABLE Too many uploads from this address are in progress/);
    for (let i = 3; i < 6; i++) assert.equal((await uploads(limited, `127.0.0.${i}`, 95000)).status, 200);
    const [first, second] = clients;
    first.send('x'.repeat(10000));
    assert.match(await first.toEnd(), /^HTTP\/1\.1 200/);
    await held(limited, 90000);
    assert.equal((await uploads(limited, '127.0.0.2', 95000)).status, 200);
    second.destroy();
    await held(limited, 0);
    assert.equal(await limited.stop(), 0);
});

test('an IPv6 /64 counts as one address for held bytes', async () => {
    const limited = await Server.start('spool=400000', 'proxy=127.0.0.1');
    const client = await holds(limited, '127.0.0.1', 90000, 'X-Forwarded-For: 2001:db8:1:2::1');
    await held(limited, 90000);
    assert.equal((await uploads(limited, '127.0.0.1', 50000, 'X-Forwarded-For: 2001:db8:1:2:3::4')).status, 503);
    assert.equal((await uploads(limited, '127.0.0.1', 50000, 'X-Forwarded-For: 2001:db8:1:3::1')).status, 200);
    client.destroy();
    assert.equal(await limited.stop(), 0);
});

test('a person holds at most a quarter, with any number of addresses', async () => {
    const limited = await Server.start('spool=400000');
    const client = await holds(limited, '127.0.0.2', 90000, 'X-Person: 7');
    await held(limited, 90000);
    const { status, body } = await uploads(limited, '127.0.0.3', 50000, 'X-Person: 7');
    assert.equal(status, 503);
    assert.match(body, /Too many uploads of this user are in progress/);
    await held(limited, 90000);
    assert.equal((await uploads(limited, '127.0.0.3', 50000, 'X-Person: 8')).status, 200);
    client.destroy();
    assert.equal(await limited.stop(), 0);
});

test('all uploads under way hold at most the configured disk space', async () => {
    const limited = await Server.start('spool=400000');
    const clients = await Promise.all([2, 3, 4, 5].map((i) => holds(limited, `127.0.0.${i}`, 95000)));
    await held(limited, 380000);
    const { status, body } = await uploads(limited, '127.0.0.6', 90000);
    assert.equal(status, 503);
    assert.match(body, /Too many uploads are in progress/);
    clients.forEach((client) => client.destroy());
    await held(limited, 0);
    assert.equal((await uploads(limited, '127.0.0.6', 90000)).status, 200);
    assert.equal(await limited.stop(), 0);
});

test('bodies in memory count for their address, too', async () => {
    const limited = await Server.start('memory=4194304'); // a body may have 1 MiB, and an address holds this much
    const post = (n) => head('POST /x', 'Connection: close', `Content-Length: ${n}`);
    const client = limited.connect({ localAddress: '127.0.0.2' });
    await client.connected;
    client.send(post(1000000) + 'x'.repeat(900000));
    await held(limited, 890000, 900000);
    const ask = async (localAddress, n) => {
        const other = limited.connect({ localAddress });
        await other.connected;
        other.send(post(n) + 'y'.repeat(n));
        return parse(await other.toEnd()).status;
    };
    assert.equal(await ask('127.0.0.2', 300000), 503);
    assert.equal(await ask('127.0.0.2', 4000), 200, 'a small body is not counted');
    assert.equal(await ask('127.0.0.3', 300000), 200);
    client.destroy();
    await held(limited, 0);
    assert.equal(await ask('127.0.0.2', 300000), 200);
    assert.equal(await limited.stop(), 0);
});

test('a request deferred before its body continues with it', async () => {
    const chunks = [['plain', ['Content-Length: 5'], 'hello'], ['chunked', ['Transfer-Encoding: chunked'], '5\r\nhello\r\n0\r\n\r\n']];
    for (const [, fields, body] of chunks)
        for (const later of [false, true]) {
            const client = server.connect();
            await client.send(head('POST /begin?ms=30', ...fields) + (later ? '' : body) + (later ? '' : head('GET /next')));
            if (later) await wait(100);
            if (later) await client.send(body + head('GET /next'));
            const replies = await client.replies(2);
            assert.deepEqual(replies.map((r) => r.body), ['POST /begin?ms=30\nhello', 'GET /next\n']);
            client.destroy();
        }
    const halfClosed = server.connect();
    halfClosed.socket.end(head('POST /begin?ms=30', 'Content-Length: 5', 'Connection: close') + 'hello');
    assert.match(await halfClosed.toEnd(), /^HTTP\/1\.1 200 [^]*hello$/);
    const { text } = await server.ask(head('POST /begin?ms=30&none=1', 'Content-Length: 500000', 'Expect: 100-continue'));
    assert.match(text, /^HTTP\/1\.1 200 [^]*connection: close/i);
    const gone = server.connect();
    await gone.send(head('POST /begin?ms=50', 'Content-Length: 500000'));
    gone.reset();
});

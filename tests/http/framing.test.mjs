// RFC 9112, byte by byte: requests that must be refused, requests that must be served, and incomplete requests.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parse, Server, split, wait } from './lib.mjs';

let server;
before(async () => { server = await Server.start('head_ms=60000'); });
after(async () => { assert.equal(await server.stop(), 0); });

const get = (...lines) => ['GET /x HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n');
const post = (...lines) => ['POST /x HTTP/1.1', 'Host: a', ...lines].join('\r\n');
const chunked = (body) => post('Transfer-Encoding: chunked', '', body);

const refused = {
    // request line (section 3)
    'no version': 'GET / \r\n\r\n',
    'no version, no space': 'GET /\r\nHost: a\r\n\r\n',
    'HTTP/0.9': 'GET / HTTP/0.9\r\nHost: a\r\n\r\n',
    'HTTP/2.0': 'GET / HTTP/2.0\r\nHost: a\r\n\r\n',
    'HTTP/9.9': 'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
    'a version in lower case': 'GET / http/1.1\r\nHost: a\r\n\r\n',
    'a version with a third number': 'GET / HTTP/1.1.1\r\nHost: a\r\n\r\n',
    'a version without a minor number': 'GET / HTTP/1\r\nHost: a\r\n\r\n',
    'a word before the request line': 'Extra lineGET / HTTP/1.1\r\nHost: a\r\n\r\n',
    'a method that is not a token': 'G(T / HTTP/1.1\r\nHost: a\r\n\r\n',
    'a space before the method': ' GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    'two spaces before the target': 'GET  / HTTP/1.1\r\nHost: a\r\n\r\n',
    'two spaces before the version': 'GET /  HTTP/1.1\r\nHost: a\r\n\r\n',
    'a space after the version': 'GET / HTTP/1.1 \r\nHost: a\r\n\r\n',
    'a tab for a space': 'GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n',
    'a space in the target': 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n',
    'a control character in the target': 'GET /a\x01b HTTP/1.1\r\nHost: a\r\n\r\n',
    'a NUL in the target': 'GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n',
    'a NUL in the query': 'GET /a?b=\0c HTTP/1.1\r\nHost: a\r\n\r\n',
    'a carriage return in the target': 'GET /a\rb HTTP/1.1\r\nHost: a\r\n\r\n',
    'a target that is not a path': 'GET x HTTP/1.1\r\nHost: a\r\n\r\n',
    'an asterisk with GET': 'GET * HTTP/1.1\r\nHost: a\r\n\r\n',
    'CONNECT': 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n',
    'another scheme': 'GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n',
    'an empty target': 'GET  HTTP/1.1\r\nHost: a\r\n\r\n',
    'the request line of TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    // line ends (section 2.2)
    'bare line feeds': 'GET / HTTP/1.1\nHost: a\n\n',
    'one bare line feed': 'GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n',
    'a bare line feed after the request line': 'GET / HTTP/1.1\nHost: a\r\n\r\n',
    'a bare line feed as the empty line': 'GET / HTTP/1.1\r\nHost: a\r\n\n',
    'a bare carriage return': get('X: a\rb'),
    'two carriage returns': 'GET / HTTP/1.1\r\nHost: a\r\rX: b\r\n\r\n',
    // fields (section 5)
    'a space before the colon': get('X-Field : b'),
    'a tab before the colon': get('X-Field\t: b'),
    'a space before Host\'s colon': 'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
    'a space in a name': get('X Field: b'),
    'brackets in a name': get('X-Invalid[]: b'),
    'a control character in a name': get('X\x01: b'),
    'a letter outside ASCII in a name': get('X\xe4: b'),
    'an empty name': get(': b'),
    'a line without a colon': get('X'),
    'a space before the first name': 'GET / HTTP/1.1\r\n X: b\r\nHost: a\r\n\r\n',
    'a folded line': get('X: a', ' b'),
    'a folded line with a tab': get('X: a', '\tb'),
    'a folded line that looks like a field': get('X: a', ' Content-Length: 5'),
    'a NUL in a value': get('X: a\0b'),
    'a NUL at the end of the last value': get('X: a\0'),
    'a NUL in a name': get('X\0Y: a'),
    'a bell in a value': get('X-Bad: test\x07'),
    'DEL in a value': get('X: a\x7fb'),
    // Host (section 3.2)
    'no Host': 'GET / HTTP/1.1\r\nX: b\r\n\r\n',
    'no fields at all': 'GET / HTTP/1.1\r\n\r\n',
    'two Hosts': get('Host: b'),
    'two equal Hosts': get('Host: a'),
    'two Hosts of HTTP/1.0': 'GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n',
    'a Host with a space': 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n',
    'a Host with a path': 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n',
    'a Host with a user': 'GET / HTTP/1.1\r\nHost: u@a\r\n\r\n',
    'a list of Hosts': 'GET / HTTP/1.1\r\nHost: a, b\r\n\r\n',
    // the length of the body (section 6)
    'a negative Content-Length': post('Content-Length: -1', '', ''),
    'a very negative Content-Length': post('Content-Length: -123456789123456789123456789', '', ''),
    'a Content-Length with a plus': post('Content-Length: +5', '', 'hello'),
    'a Content-Length that is not a number': post('Content-Length: abc', '', ''),
    'an empty Content-Length': post('Content-Length:', '', ''),
    'a hexadecimal Content-Length': post('Content-Length: 0x5', '', 'hello'),
    'a Content-Length with a letter after it': post('Content-Length: 5a', '', 'hello'),
    'a Content-Length of 20 digits': post('Content-Length: 99999999999999999999', '', 'hello'),
    'a list of Content-Lengths': post('Content-Length: 5, 5', '', 'hello'),
    'two Content-Lengths': post('Content-Length: 5', 'Content-Length: 6', '', 'hello!'),
    'two equal Content-Lengths': post('Content-Length: 5', 'Content-Length: 5', '', 'hello'),
    'Content-Length with Transfer-Encoding': post('Content-Length: 5', 'Transfer-Encoding: chunked', '', '0\r\n\r\n'),
    'Transfer-Encoding with Content-Length': post('Transfer-Encoding: chunked', 'Content-Length: 5', '', '0\r\n\r\n'),
    'an unknown Transfer-Encoding': post('Transfer-Encoding: gzip', '', ''),
    'identity': post('Transfer-Encoding: identity', '', ''),
    'gzip and chunked': post('Transfer-Encoding: gzip, chunked', '', '0\r\n\r\n'),
    'chunked and another coding after it': post('Transfer-Encoding: chunked, identity', '', '0\r\n\r\n'),
    'chunked with a letter before it': post('Transfer-Encoding: xchunked', '', '0\r\n\r\n'),
    'chunked with a vertical tab': post('Transfer-Encoding: \x0bchunked', '', '0\r\n\r\n'),
    'two Transfer-Encodings': post('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', '', '0\r\n\r\n'),
    'Transfer-Encoding of HTTP/1.0': 'POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    // chunks (section 7.1)
    'a chunk size that is not a number': chunked('x\r\nhello\r\n0\r\n\r\n'),
    'a chunk size with 0x': chunked('0x5\r\nhello\r\n0\r\n\r\n'),
    'a negative chunk size': chunked('-5\r\nhello\r\n0\r\n\r\n'),
    'a chunk size with a plus': chunked('+5\r\nhello\r\n0\r\n\r\n'),
    'a space before a chunk size': chunked(' 5\r\nhello\r\n0\r\n\r\n'),
    'an empty chunk size': chunked('\r\nhello\r\n0\r\n\r\n'),
    'a chunk size of 17 digits': chunked('10000000000000005\r\nhello\r\n0\r\n\r\n'),
    'a chunk that is longer than its size': chunked('4\r\nhello\r\n0\r\n\r\n'),
    'a trailer without a colon': chunked('0\r\nX\r\n\r\n'),
};

// Reads one JSON reply and the end of the connection.
const isRefusal = (text, name) => {
    const reply = parse(text);
    assert.ok([400, 413].includes(reply.status), `${name}: answered ${text.slice(0, 200)}`);
    assert.match(reply.head, /^connection: close$/im);
    assert.equal(JSON.parse(reply.body).status, reply.status, name);
};

for (const [name, bytes] of Object.entries(refused)) {
    test(`refused once: ${name}`, async () => {
        const client = server.connect();
        await client.send(bytes);
        isRefusal(await client.toEnd(), name);
        assert.equal(client.error, undefined);
    });
    test(`refused once, byte by byte: ${name}`, async () => {
        const client = server.connect();
        for (const byte of bytes) if (!client.closed && !client.text) await client.send(byte);
        isRefusal(await client.toEnd(), name);
    });
    for (const path of ['/x', '/defer?ms=10'])
        test(`refused once, after a request of ${path} that is answered: ${name}`, async () => {
            const client = server.connect();
            const first = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
            await client.send(first + bytes);
            const [reply] = split(await client.toEnd());
            assert.equal(reply.body, `GET ${path}\n`);
            isRefusal(client.text.slice(client.text.indexOf(reply.body) + reply.body.length), name);
        });
}

test('bytes after a request that closes the connection get no reply', async () => {
    for (const bytes of ['G(T / HTTP/1.1\r\n\r\n', get()]) {
        const { text, status } = await server.ask(get('Connection: close') + bytes);
        assert.equal(status, 200);
        assert.equal(text.match(/HTTP\/1\.1/g).length, 1);
    }
});

test('a part of a head that arrives together with the end of the connection is refused', async () => {
    for (let i = 0; i < 20; i++) {
        const client = server.connect();
        await client.connected;
        client.socket.end('GET / HTTP/1.1\r\nHost: a\r\n');
        assert.deepEqual(split(await client.toEnd()).map((r) => r.status), [400]);
    }
});

test('an incomplete head is refused', async () => {
    for (const begin of ['', get()]) {
        const client = server.connect();
        await client.send(`${begin}GET / HTTP/1.1\r\nHost: a\r\n`);
        if (begin) await client.replies();
        client.socket.end();
        const replies = split(await client.toEnd());
        assert.deepEqual(replies.map((r) => r.status), begin ? [200, 400] : [400]);
    }
});

const served = {
    'the least': ['GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'GET /\n'],
    'odd letter case, a tab, an empty value': ['GET / HTTP/1.1\r\nhoSt:\ta\r\nempty:\r\nCONNECTION: Close\r\n\r\n', 'GET /\n'],
    'no space after the colon, spaces after the value': ['GET / HTTP/1.1\r\nHost:a  \t\r\nConnection:close \r\n\r\n', 'GET /\n'],
    'an empty line before the request line': ['\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'GET /\n'],
    'an empty Host': ['GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 'GET /\n'],
    'a Host with a port': ['GET / HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n', 'GET /\n'],
    'HTTP/1.0 without Host': ['GET / HTTP/1.0\r\n\r\n', 'GET /\n'],
    'a higher minor version': ['GET / HTTP/1.2\r\nHost: a\r\nConnection: close\r\n\r\n', 'GET /\n'],
    'an absolute target': ['GET http://b/x?y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'GET /x?y\n'],
    'an absolute target without a path': ['GET http://b?y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'GET /?y\n'],
    'OPTIONS of the whole server': ['OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'OPTIONS *\n'],
    'an unknown method': ['get / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'get /\n'],
    'escapes are unchanged': ['GET /a%2Fb%00/../c//d?x=%41+%zz&y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
        'GET /a%2Fb%00/../c//d?x=%41+%zz&y\n'],
    'an empty query': ['GET /a? HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'GET /a?\n'],
    'a question mark in the query': ['GET /a?b?c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'GET /a?b?c\n'],
    'bytes outside ASCII in a value': ['GET / HTTP/1.1\r\nHost: a\r\nX: \xe4\r\nConnection: close\r\n\r\n', 'GET /\n'],
    'a body': ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello', 'POST /\nhello'],
    'a body with GET': ['GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello', 'GET /\nhello'],
    'an empty body': ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n', 'POST /\n'],
    'a length with zeros before it': ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 005\r\nConnection: close\r\n\r\nhello', 'POST /\nhello'],
    'chunks': ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n1;ext=1\r\n!\r\n0\r\nX: y\r\n\r\n', 'POST /\nhello!'],
    'chunks with extensions that are longer than the buffers': [
        `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${`1;${'e'.repeat(200)}\r\nx\r\n`.repeat(2000)}0;e\r\n\r\n`,
        `POST /\n${'x'.repeat(2000)}`],
};

for (const [name, [bytes, body]] of Object.entries(served)) {
    test(`served: ${name}`, async () => {
        const reply = await server.ask(bytes);
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.body, body);
    });
    test(`served byte by byte: ${name}`, async () => {
        const client = server.connect();
        for (const byte of bytes) await client.send(byte);
        assert.match(await client.toEnd(), /^HTTP\/1\.1 200 /);
    });
}

test('an incomplete request gets no reply, wherever it stops', async () => {
    const whole = 'GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const clients = [];
    for (let n = 1; n < whole.length; n++) {
        const client = server.connect();
        client.send(whole.slice(0, n));
        clients.push(client);
    }
    await wait(300);
    for (const client of clients) {
        assert.equal(client.text, '');
        assert.ok(!client.closed);
    }
    clients.forEach((client, i) => client.send(whole.slice(i + 1)));
    for (const client of clients) {
        const [reply] = await client.replies();
        assert.equal(reply.body, 'GET /hello\n');
        client.destroy();
    }
});

test('a smuggled second request is not served', async () => {
    const { text } = await server.ask(post('Content-Length: 0', 'Transfer-Encoding: chunked', '', '0\r\n\r\n') + get(), 1000);
    assert.equal(text.match(/HTTP\/1\.1/g).length, 1);
    assert.doesNotMatch(text, /GET \/x/);
});

test('Expect: 100-continue gets an interim reply before the body is sent', async () => {
    const client = server.connect();
    await client.send(post('Expect: 100-continue', 'Content-Length: 5', 'Connection: close', '', ''));
    assert.ok(await client.until(() => client.text.startsWith('HTTP/1.1 100 Continue\r\n\r\n')));
    await client.send('hello');
    assert.match(await client.toEnd(), /\r\n\r\nHTTP\/1\.1 200 OK[^]*POST \/x\nhello$/);
});

test('a refusal has the reason as JSON', async () => {
    const { status, body } = await server.ask(get('Host: b'));
    assert.equal(status, 400);
    assert.deepEqual(JSON.parse(body), { status: 400, errors: [{ code: 'BODY_INVALID', message: 'The request must have one Host field.' }] });
});

test('a handler reads headers in any case, cookies by name, and the address of the socket', async () => {
    const { body, head } = await server.ask('GET /head HTTP/1.1\r\nHost: a\r\nConnection: close\r\nx-ECHO: \t one \r\n' +
        'Cookie: b=2; a="1"; aa=3\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n');
    assert.equal(body, 'one|1|127.0.0.1\n');
    assert.doesNotMatch(head, /x-split|x-broken/i);
});

test('HEAD has the Content-Length and no body', async () => {
    const { body, head } = await server.ask('HEAD /abc HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.match(head, /^content-length: 10$/im);
    assert.equal(body, '');
});

// What never becomes a request is answered like one: JSON, with all headers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';
import { talk } from './lib/raw.mjs';

const EVERY = ['x-api-version', 'content-type', 'cache-control', 'date-iso', 'x-content-type-options', 'x-request-id', 'vary'];

const parse = (text) => {
  const [head, ...body] = text.split('\r\n\r\n');
  const [line, ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 2)]));
  return { status: Number(line.split(' ')[1]), headers, body: body.join('\r\n\r\n') };
};

const refusals = {
  'a malformed request line': ['GET /\r\nHost: a\r\n\r\n', 400, 'BODY_INVALID'],
  'a Content-Length that is no number': ['POST /api/v1/teams HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n', 400, 'BODY_INVALID'],
  'a Content-Length that no number holds': [`POST /api/v1/teams HTTP/1.1\r\nHost: a\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\n`, 413, 'PAYLOAD_TOO_LARGE'],
  'a malformed field': ['GET /api/v1/teams HTTP/1.1\r\nHost: a\r\nX\r\n\r\n', 400, 'BODY_INVALID'],
  'a chunk of malformed size': ['POST /api/v1/teams HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n', 400, 'BODY_INVALID'],
  'a target that is too long': [`GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414, 'URI_TOO_LONG'],
  'fields that are too large': [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  'too many fields': [`GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(200)}\r\n`, 431, 'HEADERS_TOO_LARGE'],
  'a body that says it is too large': ['POST /api/v1/users HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n', 401, 'AUTHORIZATION_REQUIRED'],
  'a type that nobody wants': ['GET /api/v1/teams HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close\r\n\r\n', 406, 'NOT_ACCEPTABLE'],
};

for (const [name, [bytes, status, code]] of Object.entries(refusals)) {
  test(`refused with one reply that has all headers: ${name}`, async (t) => {
    const desk = await open(t);
    const text = await talk(desk, [bytes], { halfClose: false });
    const reply = parse(text);
    assert.equal(reply.status, status, text.slice(0, 500));
    assert.equal(text.match(/HTTP\/1\.1 /g).length, 1);
    for (const header of EVERY) assert.ok(reply.headers[header], `${header} of ${text.slice(0, 500)}`);
    assert.equal(reply.headers['content-type'], 'application/json');
    assert.equal(reply.headers.connection.toLowerCase(), 'close');
    const { status: said, errors } = JSON.parse(reply.body);
    assert.equal(said, status);
    assert.equal(errors[0].code, code);
    assert.ok(errors[0].message && errors[0].more_info.endsWith(`/docs/errors/${code}`));
  });
}

test('a body that is too large is 413 with all headers, for who may send it', async (t) => {
  const desk = await open(t);
  const { Authorization } = desk.owner.headers;
  const text = await talk(desk, [`POST /api/v1/users HTTP/1.1\r\nHost: a\r\nAuthorization: ${Authorization}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`], { halfClose: false });
  const reply = parse(text);
  assert.equal(reply.status, 413, text.slice(0, 500));
  for (const header of EVERY) assert.ok(reply.headers[header], header);
  assert.equal(JSON.parse(reply.body).errors[0].code, 'PAYLOAD_TOO_LARGE');
});

// Bytes that never become a request get a JSON reply with all headers.
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
  'a Content-Length over the limit': ['POST /api/v1/users HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n', 401, 'AUTHORIZATION_REQUIRED'],
  'an unsupported type': ['GET /api/v1/teams HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close\r\n\r\n', 406, 'NOT_ACCEPTABLE'],
};

for (const [name, [bytes, status, code]] of Object.entries(refusals)) {
  test(`answers ${name} with one reply that has all headers`, async (t) => {
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

test('a body that is too large is 413 with all headers if the caller may send it', async (t) => {
  const desk = await open(t);
  const { Authorization } = desk.owner.headers;
  const text = await talk(desk, [`POST /api/v1/users HTTP/1.1\r\nHost: a\r\nAuthorization: ${Authorization}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`], { halfClose: false });
  const reply = parse(text);
  assert.equal(reply.status, 413, text.slice(0, 500));
  for (const header of EVERY) assert.ok(reply.headers[header], header);
  assert.equal(JSON.parse(reply.body).errors[0].code, 'PAYLOAD_TOO_LARGE');
});

// ---- uploads: refused before their body, if the head is sufficient ----

const upload = (path, headers, method = 'POST') => `${method} ${path} HTTP/1.1\r\nHost: a\r\nUser-Agent: deskd-tests/1\r\nContent-Type: ${path.endsWith('avatar') ? 'multipart/form-data; boundary=B' : 'image/png'}\r\n`
  + `Content-Length: 9000000\r\nExpect: 100-continue\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
// The reply to the head alone. 100 asks for the body.
const asked = (desk, ...how) => talk(desk, [upload(...how)], { halfClose: false, enough: (text) => text.startsWith('HTTP/1.1 100') }).then(parse);

test('an upload with wrong credentials that can be checked at once is refused before its body', async (t) => {
  const desk = await open(t);
  const session = (await desk.staff.get('/session')).must(200).body.session_id;
  const [id] = session.split('.');
  const customer = { Authorization: desk.customer.headers.Authorization };
  for (let i = 0; i < 4; i++) (await desk.customer.get('/teams')).refused(403, 'PERMISSIONS_DENIED'); // each process has cached the password now
  for (const [headers, status, path = '/api/v1/files', method] of [
    [{}, 401],
    [{ 'X-Session-ID': `${id}.${'0'.repeat(40)}` }, 454],
    [{ 'X-Session-ID': 'nonsense' }, 454],
    [{ 'X-Session-ID': session }, 403], // without X-CSRF-Token
    [{ Authorization: 'Bearer nonsense' }, 401],
    [{ Authorization: 'Basic nonsense' }, 401],
    [{ 'X-Token': 'f'.repeat(64) }, 401],
    [customer, 403, '/api/v1/users/1/avatar', 'PUT'],
  ]) {
    const reply = await asked(desk, path, headers, method);
    assert.equal(reply.status, status, JSON.stringify(headers));
    assert.equal(JSON.parse(reply.body).status, status);
    for (const header of EVERY) assert.ok(reply.headers[header], header);
  }
});

test('an upload is asked for its body if the caller may upload or the password is not cached', async (t) => {
  const desk = await open(t);
  const { body, headers } = (await desk.staff.get('/session')).must(200);
  for (const credentials of [{ 'X-Session-ID': body.session_id, 'X-CSRF-Token': headers['x-csrf-token'] }, { Authorization: desk.staff.headers.Authorization },
    { Authorization: desk.login('agent@example.com', 'no attempt yet').headers.Authorization }])
    assert.equal((await asked(desk, '/api/v1/files', credentials)).status, 100, JSON.stringify(credentials));
});

test('an upload over the rate limit is refused before its body', async (t) => {
  const desk = await open(t, { processes: 1 });
  const { headers, body } = (await desk.staff.get('/session')).must(200);
  const session = { 'X-Session-ID': body.session_id, 'X-CSRF-Token': headers['x-csrf-token'] };
  await desk.owner.update('/settings', { values: { 'limits.write_per_minute': 1 } });
  assert.equal((await asked(desk, '/api/v1/files', session)).status, 100);
  (await desk.staff.put('/profile', { designation: 'x' })).must(200);
  const reply = await asked(desk, '/api/v1/files', session);
  assert.deepEqual([reply.status, reply.headers['retry-after']], [429, '60']);
});

test('an upload with a locked login is refused before its body', async (t) => {
  const desk = await open(t);
  for (let i = 0; i < 10; i++) (await desk.login('agent@example.com', `wrong ${i}`).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  assert.equal((await asked(desk, '/api/v1/files', { Authorization: desk.login('agent@example.com', 'wrong').headers.Authorization })).status, 429);
});

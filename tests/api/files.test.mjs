import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { File, HOUR, clean, directory, form, json, multipart, open, raw, shared, statusOf, storedContents, talk, until } from './lib/index.mjs';

const OCTETS = 'application/octet-stream';
const bytes = (n = 1000) => randomBytes(n);
const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const md5 = (data, as = 'base64') => createHash('md5').update(data).digest(as);
const upload = (who, data = bytes(), { query, headers, type = OCTETS } = {}) => who.post('/files', raw(type, data), { query, headers });
const stored = async (who, data, options) => (await upload(who, data, options)).must(201).data;
const named = (filename) => ({ headers: { 'Content-Disposition': `attachment; ${filename}` } });
const download = (who, id, query, headers) => who.exchange('GET', `/api/v1/files/${id}/content`, { query, headers });
const place = (desk, data) => join(desk.dir, 'files', sha256(data).slice(0, 2), sha256(data));
/** The paths of all stored contents. */

describe('an upload', () => {
  const w = shared();

  test('as the whole body returns all members of the file', async () => {
    const data = bytes();
    const { body, headers } = (await w.desk.customer.post('/files.json', raw('application/pdf', data), { query: { _filename: 'Größe.pdf', _field: 'logo', _md5: md5(data) } })).must(201);
    const { id, created_at, ...rest } = body.data;
    assert.equal(body.resource, 'file');
    assert.deepEqual(rest, {
      name: 'Größe.pdf', size: 1000, content_type: 'application/pdf', content_url: `${w.desk.base}/api/v1/files/${id}/content`, hash: sha256(data),
      expiry_at: new Date(Date.parse(created_at) + 12 * HOUR * 1000).toISOString().replace('.000Z', '+00:00'), resource_type: 'file', resource_url: `${w.desk.base}/api/v1/files/${id}`,
    });
    assert.ok(headers.etag && !('logs' in body));
    assert.deepEqual(await w.desk.customer.fetch(`/files/${id}`), body.data);
  });

  test('is a file whatever its Content-Type except JSON and forms, and without one', async () => {
    for (const [type, kept] of [['text/html; charset=utf-8', 'text/html; charset=utf-8'], ['nonsense', OCTETS], [undefined, OCTETS]]) {
      const data = bytes();
      const reply = await w.desk.customer.post('/files', raw(type, data));
      assert.deepEqual([reply.must(201).data.content_type, reply.data.name, reply.data.hash], [kept, 'file', sha256(data)]);
    }
    (await w.desk.customer.post('/files', json({ a: 1 }))).refused(400, 'FIELD_REQUIRED', 'file').notes('a');
    (await w.desk.customer.post('/files', form({ a: 1 }))).refused(400, 'FIELD_REQUIRED', 'file');
    (await w.desk.customer.post('/files', raw('application/json', '{'))).refused(400, 'BODY_INVALID');
    (await w.desk.customer.post('/files')).refused(400, 'FIELD_REQUIRED', 'file');
    (await w.desk.owner.post('/teams', raw(OCTETS, 'x'))).refused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('of several parts returns a list with its count, and of one part one file', async () => {
    const [a, b] = [bytes(), bytes(2000)];
    const several = (await w.desk.customer.post('/files', multipart({ x: new File('a.txt', 'text/plain', a), y: new File('b.bin', OCTETS, b), note: 'n' }))).must(201);
    assert.deepEqual(several.data.map((f) => [f.name, f.size, f.content_type, f.hash]), [['a.txt', 1000, 'text/plain', sha256(a)], ['b.bin', 2000, OCTETS, sha256(b)]]);
    assert.equal(several.body.total_count, 2);
    several.notes('note');
    const one = (await w.desk.customer.post('/files', multipart({ x: new File('c', OCTETS, a) }), { query: { _filename: 'd' } })).must(201).notes('_filename');
    assert.equal(one.data.name, 'c');
    (await w.desk.customer.post('/files', multipart({ x: 'no file' }))).refused(400, 'FIELD_REQUIRED', 'file');
  });

  test('is allowed for everybody who is logged in, and only its uploader can read it', async () => {
    const people = ['owner', 'admin', 'agent', 'collaborator', 'customer'].map((role) => w.desk.as(role));
    for (const who of people) {
      const { id } = await stored(who);
      (await who.get(`/files/${id}`)).must(200);
      (await download(who, id)).must(200);
      for (const other of people.filter((p) => p !== who)) {
        (await other.get(`/files/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
        (await other.get(`/files/${id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
      }
      (await w.desk.anyone.get(`/files/${id}`)).refused(401, 'AUTHORIZATION_REQUIRED');
      (await w.desk.anyone.get(`/files/${id}/content`)).refused(401, 'AUTHORIZATION_REQUIRED');
    }
    for (const id of [0, 999999, 'x']) (await w.desk.owner.get(`/files/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('without credentials is refused before its body is read, and with a fingerprint accepted', async () => {
    (await upload(w.desk.anyone)).refused(401, 'AUTHORIZATION_REQUIRED');
    (await upload(w.desk.anyone, bytes(), { headers: { 'X-Fingerprint-ID': '0b4ae44e-3a2c-4e13-9f5c-1c7f6b7f6f1a' } })).must(201);
    const said = await talk(w.desk, ['POST /api/v1/files HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n'], { halfClose: false });
    assert.equal(statusOf(said), 401);
  });

  test('on a session needs its CSRF token', async () => {
    const { bare, client } = await w.desk.session(w.desk.customer);
    (await upload(bare)).refused(403, 'CSRF_FAILED');
    (await upload(client)).must(201);
  });

  test('with a wrong MD5 is refused, in Base64 and in hex, by header, argument and part', async () => {
    const data = bytes(), wrong = bytes();
    for (const as of ['base64', 'hex']) {
      (await upload(w.desk.customer, data, { headers: { 'Content-MD5': md5(data, as) } })).must(201);
      (await upload(w.desk.customer, data, { query: { _md5: md5(data, as) } })).must(201);
      (await upload(w.desk.customer, data, { headers: { 'Content-MD5': md5(wrong, as) } })).refused(400, 'CHECKSUM_MISMATCH');
      (await upload(w.desk.customer, data, { query: { _md5: md5(wrong, as) } })).refused(400, 'CHECKSUM_MISMATCH', '_md5');
    }
    const plus = Buffer.from('plus 0'); // bytes whose MD5 has a plus in Base64
    assert.match(md5(plus), /\+/);
    (await w.desk.customer.post(`/files?_md5=${md5(plus)}`, raw(OCTETS, plus))).must(201);
    (await upload(w.desk.customer, data, { query: { _md5: 'nonsense' } })).refused(400, 'CHECKSUM_MISMATCH', '_md5');
    const part = (sum) => raw('multipart/form-data; boundary=b', `--b\r\nContent-Disposition: form-data; name="x"; filename="x"\r\nContent-MD5: ${sum}\r\n\r\nabc\r\n--b--\r\n`);
    (await w.desk.customer.post('/files', part(md5('abc')))).must(201);
    (await w.desk.customer.post('/files', part(md5('abd')))).refused(400, 'CHECKSUM_MISMATCH');
    const whole = multipart({ x: new File('a', OCTETS, data) });
    (await w.desk.customer.post('/files', whole, { headers: { 'Content-MD5': md5(whole.bytes) } })).must(201);
    (await w.desk.customer.post('/files', whole, { headers: { 'Content-MD5': md5(data) } })).refused(400, 'CHECKSUM_MISMATCH');
  });

  test('of no bytes is stored, and downloads as no bytes', async () => {
    const none = Buffer.alloc(0), { customer, anyone } = w.desk;
    const empty = async (reply) => {
      assert.deepEqual([reply.must(201).data.size, reply.data.hash], [0, sha256(none)]);
      const sent = (await download(customer, reply.data.id)).must(200);
      assert.deepEqual([sent.bytes.length, sent.headers['content-length'], sent.headers['repr-digest']], [0, '0', `sha-256=:${createHash('sha256').update(none).digest('base64')}:`]);
      (await download(customer, reply.data.id, {}, { Range: 'bytes=0-' })).refused(416, 'RANGE_NOT_SATISFIABLE');
    };
    await empty(await upload(customer, none, named('filename="a.txt"')));
    await empty(await customer.post('/files', raw(undefined, none), named('filename="a.txt"')));
    const { data } = (await customer.post('/files', multipart({ a: new File('a', OCTETS, bytes()), b: new File('b', OCTETS, none) }))).must(201);
    assert.deepEqual(data.map((f) => f.size), [1000, 0]);
    const said = await talk(w.desk, [`POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: ${customer.headers.Authorization}\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      { enough: (text) => text.includes('resource_url') });
    assert.match(said, /^HTTP\/1\.1 201[^]*"size":0/);
    (await upload(anyone, none)).refused(401, 'AUTHORIZATION_REQUIRED');
    (await upload(customer, none, { headers: { 'Content-MD5': md5('x') } })).refused(400, 'CHECKSUM_MISMATCH');
    clean(w.desk);
  });

  test('without a body is no file unless a header describes one', async () => {
    for (const type of [undefined, 'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b'])
      (await w.desk.customer.post('/files', raw(type, ''))).refused(400, 'FIELD_REQUIRED', 'file');
  });

  test('that ends before its Content-Length leaves nothing', async () => {
    const data = bytes(5000);
    const head = `POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: ${w.desk.customer.headers.Authorization}\r\nContent-Type: text/plain\r\n`;
    assert.notEqual(statusOf(await talk(w.desk, [`${head}Content-Length: 6000\r\n\r\n`, data])), 201);
    assert.ok(!existsSync(place(w.desk, data)));
    await until('no temporary file', () => readdirSync(join(w.desk.dir, 'files', 'tmp')).length === 0);
    const cut = (length, end) => raw('multipart/form-data; boundary=b', `--b\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n${length}\r\n\r\nabc${end}`);
    (await w.desk.customer.post('/files', cut('Content-Length: 4', '\r\n--b--\r\n'))).refused(400, 'BODY_INVALID');
    (await w.desk.customer.post('/files', cut('Content-Type: text/plain', ''))).refused(400, 'BODY_INVALID');
    (await w.desk.customer.post('/files', cut('Content-Length: 3', ''))).must(201);
  });

  test('may have a chunked body', async () => {
    const said = await talk(w.desk, [`POST /api/v1/files?_filename=c HTTP/1.1\r\nHost: x\r\nAuthorization: ${w.desk.customer.headers.Authorization}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`],
      { enough: (text) => text.includes('resource_url') });
    assert.match(said, new RegExp(`^HTTP/1\\.1 201[^]*"size":5[^]*${sha256('abcde')}`));
  });

  test('with a hostile name is refused, and folders are removed from a name', async () => {
    const name = async (options) => (await upload(w.desk.customer, bytes(), options)).must(201).data.name;
    assert.equal(await name(named('filename="../../etc/passwd"')), 'passwd');
    assert.equal(await name(named('filename="C:\\\\temp\\\\a b.txt"')), 'a b.txt');
    assert.equal(await name({ query: { _filename: '/etc/x/y.txt' } }), 'y.txt');
    assert.equal(await name(named('filename="say \\"hi\\".txt"')), 'say "hi".txt');
    assert.equal(await name(named("filename=\"plain.txt\"; filename*=UTF-8''na%C3%AFve.txt")), 'naïve.txt');
    assert.equal(await name({ query: { _filename: 'ü'.repeat(255) } }), 'ü'.repeat(255));
    const bad = [named("filename*=UTF-8''a%0Ab"), named("filename*=UTF-8''a%00b"), named("filename*=UTF-8''a%FFb"), named('filename=".."'), { query: { _filename: '.' } },
      { query: { _filename: 'a\nb' } }, { query: { _filename: 'x'.repeat(300) } }, named(`filename="${'x'.repeat(300)}"`)];
    for (const options of bad) (await upload(w.desk.customer, bytes(), options)).refused(400, 'FIELD_INVALID');
    (await w.desk.customer.post('/files?_filename=a%FFb', raw(OCTETS, 'x'))).refused(400, 'BODY_INVALID');
    (await upload(w.desk.customer, bytes(), { headers: { 'Content-Disposition': 'attachment; filename="never ends' } })).refused(400, 'BODY_INVALID');
    for (const filename of ['a\x01b', 'x'.repeat(300)]) {
      const { status } = await w.desk.customer.post('/files', multipart({ part: new File(filename, OCTETS, bytes()) }));
      assert.equal(status, 400, JSON.stringify(filename));
    }
    const [first, second] = [named('filename="a"; name="f"'), { _filename: 'a', _field: 'f' }];
    (await upload(w.desk.customer, bytes(), { ...first, query: second })).must(201);
    (await upload(w.desk.customer, bytes(), { ...first, query: { _filename: 'b' } })).refused(400, 'PARAMETERS_INCONSISTENT', '_filename');
    (await upload(w.desk.customer, bytes(), { ...first, query: { _field: 'g' } })).refused(400, 'PARAMETERS_INCONSISTENT', '_field');
  });

  test('reports all problems of all files at once, and stores none', async () => {
    const before = storedContents(w.desk).length;
    const { errors } = (await w.desk.customer.post('/files', multipart({ a: new File('x'.repeat(300), OCTETS, bytes()), b: new File('..', OCTETS, bytes()), d: new File('d', OCTETS, bytes()) }))).must(400).body;
    assert.deepEqual(errors.map((e) => [e.code, e.parameter]), [['FIELD_INVALID', 'a'], ['FIELD_INVALID', 'b']]);
    assert.equal(storedContents(w.desk).length, before);
  });
});

describe('the largest file', () => {
  const w = shared(async ({ desk }) => {
    await desk.owner.put('/settings', { values: { 'files.max_megabytes': 1 } });
  });
  const MB = 1 << 20;

  test('is set by the setting, and one byte more is refused in either form', async () => {
    (await upload(w.desk.customer, bytes(MB))).must(201);
    (await upload(w.desk.customer, bytes(MB + 1))).refused(413, 'PAYLOAD_TOO_LARGE');
    (await w.desk.customer.post('/files', multipart({ a: new File('a', OCTETS, bytes(MB)), b: new File('b', OCTETS, bytes(MB)) }))).must(201);
    (await w.desk.customer.post('/files', multipart({ a: new File('a', OCTETS, bytes(MB + 1)) }))).refused(413, 'PAYLOAD_TOO_LARGE');
    for (const value of [0, 1025, 'x']) (await w.desk.owner.put('/settings', { values: { 'files.max_megabytes': value } })).must(400);
  });

  test('is checked before the body if Content-Length is given', async () => {
    const said = await talk(w.desk, [`POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: ${w.desk.customer.headers.Authorization}\r\nContent-Type: text/plain\r\nContent-Length: ${MB + 1}\r\n\r\n`], { halfClose: false });
    assert.equal(statusOf(said), 413);
    assert.match(said, /PAYLOAD_TOO_LARGE/);
  });
});

describe('a download', () => {
  const w = shared();

  test('is saved and never shown, whatever its declared type', async () => {
    const data = Buffer.from('<script>alert(1)</script>');
    const { id } = await stored(w.desk.customer, data, { type: 'text/html', query: { _filename: 'ä"%.html' } });
    for (const query of [{}, { inline: true }]) {
      const { status, headers, bytes: got } = await download(w.desk.customer, id, query);
      assert.equal(status, 200);
      assert.deepEqual(got, data);
      assert.equal(headers['content-disposition'], "attachment; filename=\"___.html\"; filename*=UTF-8''%C3%A4%22%25.html");
      assert.deepEqual([headers['content-type'], headers['x-content-type-options'], headers['content-length']], ['text/html', 'nosniff', '25']);
      assert.match(headers['content-security-policy'], /default-src 'none'.*sandbox/);
    }
  });

  test('of a raster image may be shown on request, of an SVG never', async () => {
    for (const [type, how] of [['image/png', 'inline'], ['IMAGE/JPEG', 'inline'], ['image/gif', 'inline'], ['image/webp', 'inline'], ['image/svg+xml', 'attachment'], ['application/pdf', 'attachment']]) {
      const { id } = await stored(w.desk.customer, bytes(), { type, query: { _filename: 'a b.x' } });
      assert.equal((await download(w.desk.customer, id)).headers['content-disposition'], 'attachment; filename="a b.x"');
      assert.equal((await download(w.desk.customer, id, { inline: true })).headers['content-disposition'], `${how}; filename="a b.x"`, type);
    }
    const { id } = await stored(w.desk.customer);
    (await w.desk.customer.get(`/files/${id}/content`, { inline: 'perhaps' })).refused(400, 'FIELD_INVALID', 'inline');
  });

  test('supports its ETag, one range, and HEAD', async () => {
    const data = bytes(3000);
    const { id } = await stored(w.desk.customer, data);
    const whole = await download(w.desk.customer, id);
    const { etag } = whole.headers;
    assert.match(etag, /^"[0-9a-f]{32}"$/);
    const same = await download(w.desk.customer, id, {}, { 'If-None-Match': etag });
    assert.deepEqual([same.status, same.bytes.length, same.headers.etag], [304, 0, etag]);
    const head = await w.desk.customer.exchange('HEAD', `/api/v1/files/${id}/content`);
    assert.deepEqual([head.status, head.headers['content-length'], head.bytes.length], [200, '3000', 0]);
    const part = async (range, headers) => {
      const { status, headers: h, bytes: got } = await download(w.desk.customer, id, {}, { Range: range, ...headers });
      return [status, h['content-range'], got];
    };
    assert.deepEqual(await part('bytes=0-0'), [206, 'bytes 0-0/3000', data.subarray(0, 1)]);
    assert.deepEqual(await part('bytes=100-'), [206, 'bytes 100-2999/3000', data.subarray(100)]);
    assert.deepEqual(await part('bytes=-10'), [206, 'bytes 2990-2999/3000', data.subarray(2990)]);
    assert.deepEqual(await part('bytes=-9000'), [206, 'bytes 0-2999/3000', data]);
    assert.deepEqual(await part('bytes=2999-99999'), [206, 'bytes 2999-2999/3000', data.subarray(2999)]);
    assert.deepEqual(await part('bytes=5-9', { 'If-Range': etag }), [206, 'bytes 5-9/3000', data.subarray(5, 10)]);
    for (const [range, headers] of [['bytes=5-9', { 'If-Range': '"other"' }], ['bytes=9-5'], ['bytes=0-1,5-6'], ['bytes=x-y'], ['bytes=--5'], ['lines=0-1'], ['bytes=']]) {
      assert.deepEqual(await part(range, headers), [200, undefined, data], range);
    }
    for (const range of ['bytes=3000-', 'bytes=3000-4000', 'bytes=-0']) {
      const outside = await w.desk.customer.get(`/files/${id}/content`, {}, { Range: range });
      outside.refused(416, 'RANGE_NOT_SATISFIABLE');
      assert.equal(outside.headers['content-range'], 'bytes */3000', range);
      assert.deepEqual(await part(range, { 'If-Range': '"other"' }), [200, undefined, data], range);
    }
  });

  test('of 20 MB is equal to the upload', async () => {
    const data = bytes(20 << 20);
    const { id, size } = await stored(w.desk.customer, data);
    assert.equal(size, 20 << 20);
    assert.equal(sha256((await download(w.desk.customer, id)).bytes), sha256(data));
  });

  test('is refused, and not read into memory, if the library can\'t send it', async () => {
    const { id } = await stored(w.desk.customer, bytes(), { query: { _filename: 'ä'.repeat(200) } });
    const ask = (more, pieces = []) => talk(w.desk, [`GET /api/v1/files/${id}/content HTTP/1.1\r\nHost: x\r\nAuthorization: ${w.desk.customer.headers.Authorization}\r\n${more}\r\n\r\n`, ...pieces],
      { enough: (text) => text.includes('\r\n\r\n{'), halfClose: false });
    const cookies = Array.from({ length: 100 }, (_, i) => `a${i}=1`).join('; '); // the library records each header field in the memory that the head of the reply needs
    const head = await ask(`Cookie: ${cookies}\r\nX-Pad: ${'a'.repeat(8000)}`);
    assert.equal(statusOf(head), 431, head.slice(0, 300));
    assert.match(head, /"HEADERS_TOO_LARGE"/);
    assert.doesNotMatch(head, /Content-Disposition/i);
    const body = await ask('Content-Type: application/json\r\nTransfer-Encoding: chunked', Array.from({ length: 17 }, () => `10000\r\n${'x'.repeat(65536)}\r\n`));
    assert.equal(statusOf(body), 413, body.slice(0, 300));
  });

  test('of a file whose content is lost is a 500 without details', async (t) => {
    const desk = await open(t);
    desk.expects5xx = true;
    const data = bytes();
    const { id } = await stored(desk.customer, data);
    rmSync(place(desk, data));
    (await desk.customer.get(`/files/${id}/content`)).refused(503, 'SERVICE_UNAVAILABLE');
    await until('the log names the content', () => desk.log.includes(sha256(data)));
  });
});

test('a repeated request with the same Idempotency-Key is one file, and another content is refused', async (t) => {
  const { customer } = await open(t);
  const data = bytes(), key = { headers: { 'Idempotency-Key': 'k' } };
  const first = (await upload(customer, data, key)).must(201);
  const again = (await upload(customer, data, key)).must(201);
  assert.deepEqual([again.data, again.headers['idempotent-replayed']], [first.data, 'true']);
  (await upload(customer, bytes(), key)).refused(400, 'PARAMETERS_INCONSISTENT');
  const part = (d) => customer.post('/files', multipart({ a: new File('a', OCTETS, d) }), { headers: { 'Idempotency-Key': 'm' } });
  const one = (await part(data)).must(201);
  assert.equal((await part(data)).must(201).data.id, one.data.id);
  (await part(bytes())).refused(400, 'PARAMETERS_INCONSISTENT');
  const bad = { headers: { 'Idempotency-Key': 'b' }, query: { _md5: md5('x') } };
  (await upload(customer, data, bad)).refused(400, 'CHECKSUM_MISMATCH');
  assert.equal((await upload(customer, data, bad)).refused(400, 'CHECKSUM_MISMATCH').headers['idempotent-replayed'], 'true');
});

/** The sweeper runs when a process starts. */
const sweep = (desk) => desk.restart();

test('a content is stored once, however often and by whomever it is uploaded', async (t) => {
  const desk = await open(t);
  const data = bytes();
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => stored([desk.customer, desk.staff][i % 2], data)));
  assert.equal(new Set(all.map((f) => f.id)).size, 20);
  assert.deepEqual(storedContents(desk), [sha256(data)]);
  clean(desk);
});

test('an unreferenced file expires after 12 hours, and its content with the last file that has it', async (t) => {
  const desk = await open(t);
  const [data, other] = [bytes(), bytes()];
  const early = await stored(desk.customer, data);
  const gone = await stored(desk.customer, other);
  await desk.clock.forward(HOUR);
  const late = await stored(desk.staff, data);
  await desk.clock.forward(11 * HOUR - 1);
  (await download(desk.customer, early.id)).must(200);
  await desk.clock.forward(1);
  (await desk.customer.get(`/files/${early.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(`/files/${early.id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
  await sweep(desk);
  await until('the content is removed', () => !existsSync(place(desk, other)));
  assert.deepEqual((await download(desk.staff, late.id)).bytes, data);
  (await desk.customer.get(`/files/${gone.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  clean(desk);
  await desk.clock.forward(HOUR);
  await sweep(desk);
  await until('the last content is removed', () => storedContents(desk).length === 0);
  clean(desk);
});

test('one sweep deletes more files than one write does', async (t) => {
  const desk = await open(t);
  const some = () => Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`f${i}`, new File('f', OCTETS, bytes(8))]));
  for (let i = 0; i < 5; i++) (await desk.customer.post('/files', multipart(some()))).must(201);
  assert.equal(storedContents(desk).length, 1250);
  await desk.clock.forward(12 * HOUR);
  await sweep(desk);
  await until('all are removed', () => storedContents(desk).length === 0);
  clean(desk);
});

test('a crash between content and row leaves a valid store, and the sweeper removes the content', async (t) => {
  const desk = await open(t);
  const orphan = bytes();
  mkdirSync(dirname(place(desk, orphan)), { recursive: true });
  writeFileSync(place(desk, orphan), orphan);
  const left = join(desk.dir, 'files', 'tmp', 'upload-123456');
  writeFileSync(left, 'half');
  clean(desk);
  const folder = parseInt(sha256(orphan).slice(0, 2), 16), minutes = Math.ceil(desk.clock.now / 60_000);
  await desk.clock.set((minutes + ((folder - minutes) % 256 + 256) % 256) * 60_000);
  await sweep(desk);
  await until('the orphan is removed', () => !existsSync(place(desk, orphan)));
  assert.ok(existsSync(left), 'an upload may be under way');
  utimesSync(left, 0, 0);
  await sweep(desk);
  await until('the temporary file is removed', () => !existsSync(left));
});

test('concurrent uploads of a content that is being removed keep it', async (t) => {
  const desk = await open(t);
  const data = bytes();
  const mine = place(desk, data);
  const folder = parseInt(sha256(data).slice(0, 2), 16);
  for (let round = 0; round < 3; round++) {
    mkdirSync(dirname(mine), { recursive: true });
    const minutes = Math.ceil(desk.clock.now / 60_000) + 13 * 60; // former uploads have expired
    await desk.clock.set((minutes + ((folder - minutes) % 256 + 256) % 256) * 60_000);
    await sweep(desk);
    const all = await Promise.all(Array.from({ length: 16 }, () => stored(desk.customer, data)));
    for (const { id } of all) assert.deepEqual((await download(desk.customer, id)).must(200).bytes, data);
    clean(desk);
  }
});

test('check finds contents that are missing, damaged, cut or unreferenced', async (t) => {
  const desk = await open(t);
  const [missing, damaged, cut, orphan] = [bytes(), bytes(), bytes(), bytes()];
  for (const data of [missing, damaged, cut]) await stored(desk.customer, data);
  clean(desk);
  rmSync(place(desk, missing));
  writeFileSync(place(desk, damaged), Buffer.concat([damaged.subarray(1), Buffer.from('x')]));
  writeFileSync(place(desk, cut), cut.subarray(1));
  mkdirSync(dirname(place(desk, orphan)), { recursive: true });
  writeFileSync(place(desk, orphan), orphan);
  utimesSync(place(desk, orphan), Date.now() / 1000 - 2 * 86_400, Date.now() / 1000 - 2 * 86_400);
  const { status, stdout } = desk.check();
  assert.equal(status, 1);
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 4, stdout);
  for (const [data, words] of [[missing, 'is missing'], [damaged, 'does not match its SHA-256'], [cut, 'has a wrong size'], [orphan, 'belongs to no file']]) {
    assert.ok(lines.some((l) => l.includes(sha256(data)) && l.includes(words)), words);
  }
  rmSync(join(desk.dir, 'files'), { recursive: true });
  assert.match(desk.check().stdout, /no folder .*--files/);
});

test('a new upload repairs a damaged content', async (t) => {
  const desk = await open(t);
  const data = bytes();
  const { id } = await stored(desk.customer, data);
  writeFileSync(place(desk, data), 'cut');
  await stored(desk.customer, data);
  assert.deepEqual((await download(desk.customer, id)).must(200).bytes, data);
  assert.deepEqual(readFileSync(place(desk, data)), data);
});

test('--files sets the folder of contents, for all processes that share it', async (t) => {
  const files = join(directory(), 'shared', 'files');
  const desk = await open(t, { args: ['--files', files] });
  const data = bytes();
  const { id } = await stored(desk.customer, data);
  for (let i = 0; i < 4; i++) assert.deepEqual((await download(desk.customer, id)).must(200).bytes, data);
  assert.deepEqual(readFileSync(join(files, sha256(data).slice(0, 2), sha256(data))), data);
  assert.ok(!existsSync(join(desk.dir, 'files', sha256(data).slice(0, 2))));
});

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { DAY, File, HOUR, PASSWORD, ROLES, basic, form, iso, json, multipart, open, raw, shared, statusOf, talk } from './lib/index.mjs';
import { GIF, JPEG, png, readPng } from './lib/picture.mjs';

// Files as specified: uploaded raw or as parts of a form, read by their uploader, named where a file is wanted.

const OCTETS = 'application/octet-stream';
const MB = 1_000_000, MIB = 1 << 20;
const MEMBERS = ['id', 'name', 'size', 'content_type', 'content_url', 'hash', 'created_at', 'expiry_at', 'resource_type', 'resource_url'];

/** Bytes as the whole body. */
const upload = (who, bytes = randomBytes(20), { type = OCTETS, query, headers } = {}) => who.post('/files', raw(type, bytes), { query, headers });
const uploaded = async (who, bytes, options) => (await upload(who, bytes, options)).must(201).data;
const md5 = (bytes, as) => createHash('md5').update(bytes).digest(as);

/** The reply of an absolute address of the desk, unchecked. */
const at = (who, address, headers = {}, method = 'GET') => {
  const { pathname, search } = new URL(address);
  return who.exchange(method, pathname + search, { headers });
};
const contents = async (who, file) => (await at(who, file.content_url)).must(200).bytes;

/** A handwritten multipart body. Each part is [header lines, bytes]. */
const parts = (list, { boundary = 'b', type = `multipart/form-data; boundary=${boundary}`, end = `--${boundary}--\r\n`, before = '' } = {}) =>
  raw(type, Buffer.concat([Buffer.from(before), ...list.map(([head, bytes]) => Buffer.concat([Buffer.from(`--${boundary}\r\n${head.join('\r\n')}\r\n\r\n`), Buffer.from(bytes), Buffer.from('\r\n')])), Buffer.from(end)]));
const part = (bytes, { name = 'file', filename = 'a.txt', more = [] } = {}) => [[`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, ...more], bytes];

/** A handwritten request: its header lines and pieces of its body. */
const by = (desk, lines, pieces, options) => talk(desk, [
  [`POST /api/v1/files.json HTTP/1.1`, 'Host: desk', 'Connection: close', `Authorization: ${basic(desk.people.customer.email, PASSWORD).Authorization}`, ...lines, '', ''].join('\r\n'), ...pieces,
], options);

describe('upload as a raw body', () => {
  const world = shared();

  test('becomes a file with exactly the specified members', async () => {
    const { desk } = world;
    const reply = (await upload(desk.customer, Buffer.from('hello'), { type: 'text/plain', query: { _filename: 'greeting.txt' } })).must(201);
    const file = reply.data;
    assert.deepEqual(Object.keys(file).sort(), [...MEMBERS].sort());
    assert.ok(Number.isInteger(file.id) && file.id > 0);
    assert.deepEqual([file.name, file.size, file.content_type, file.resource_type, reply.body.resource], ['greeting.txt', 5, 'text/plain', 'file', 'file']);
    assert.equal(file.resource_url, `${desk.base}/api/v1/files/${file.id}`);
    assert.ok(file.content_url.startsWith(`${desk.base}/api/v1/files/${file.id}/content`), file.content_url);
    assert.deepEqual([file.created_at, file.expiry_at], [iso(desk.clock.now), iso(desk.clock.now + 12 * HOUR * 1000)]);
    assert.ok(!('total_count' in reply.body));
    assert.deepEqual(await desk.customer.fetch(`/files/${file.id}`), file);
  });

  test('is returned byte for byte, whatever the bytes', async () => {
    const { customer } = world.desk;
    const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    for (const bytes of [every, Buffer.alloc(10_000), Buffer.from('\r\n--b--\r\n'), Buffer.from('{"a":1}'), Buffer.from('a=1&b=2'), Buffer.from('\ufefftext'), Buffer.from([0]), randomBytes(300_000)]) {
      const file = await uploaded(customer, bytes);
      assert.equal(file.size, bytes.length);
      assert.ok((await contents(customer, file)).equals(bytes));
    }
  });

  test('has the same hash as equal contents, and another hash than other contents', async () => {
    const { customer, staff } = world.desk;
    const [a, b, c] = [await uploaded(customer, Buffer.from('one')), await uploaded(staff, Buffer.from('one'), { type: 'text/plain' }), await uploaded(customer, Buffer.from('two'))];
    assert.ok(a.hash && a.hash === b.hash && a.hash !== c.hash);
    assert.equal(new Set([a.id, b.id, c.id]).size, 3);
  });

  test('is a file whatever its Content-Type, or without one; other paths answer 415', async () => {
    const { customer } = world.desk;
    for (const type of ['text/plain', 'text/plain; charset=utf-8', 'image/png', 'application/pdf', 'text/csv', 'application/xml', 'application/vnd.x-y+zip', 'video/mp4']) {
      assert.equal((await uploaded(customer, Buffer.from('x=1'), { type })).content_type, type);
    }
    for (const type of ['application/jsonx', 'application/x-www-form-urlencodedx', 'multipart/mixed; boundary=b', 'nonsense', '*/*', 'text/html; charset="', 'x'.repeat(2000)]) assert.equal((await uploaded(customer, Buffer.from('x=1'), { type })).size, 3);
    const bare = (await upload(customer, Buffer.from('x=1'), { headers: { 'Content-Type': undefined } })).must(201).data;
    assert.ok((await contents(customer, bare)).equals(Buffer.from('x=1')));
    (await customer.put('/profile', raw('image/png', png(4, 4)))).refused(415, 'UNSUPPORTED_MEDIA_TYPE');
    (await customer.put('/profile', raw(OCTETS, Buffer.from('{}')))).refused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('is no file if it is JSON or a form, because these are parameters', async () => {
    const { customer } = world.desk;
    for (const body of [json({ file: 'x' }), form({ file: 'x' }), json({}), json([]), raw('application/json; charset=utf-8', '{"a":1}'), raw('APPLICATION/JSON', '{}'), form({})]) {
      assert.equal((await customer.post('/files', body)).status, 400, body.bytes.toString());
    }
    (await customer.post('/files', raw('application/json', '{"a":'))).refused(400, 'BODY_INVALID');
    assert.equal((await customer.post('/files')).status, 400);
  });

  test('gets its name from Content-Disposition or _filename', async () => {
    const { customer } = world.desk;
    const named = async (options) => (await uploaded(customer, undefined, options)).name;
    assert.equal(await named({ headers: { 'Content-Disposition': 'attachment; filename="my file.txt"' } }), 'my file.txt');
    assert.equal(await named({ headers: { 'Content-Disposition': 'attachment; filename=plain.txt' } }), 'plain.txt');
    assert.equal(await named({ headers: { 'Content-Disposition': 'Attachment; Name="logo"; FileName="a.png"' } }), 'a.png');
    assert.equal(await named({ headers: { 'Content-Disposition': 'attachment; filename="semi;colon.txt"' } }), 'semi;colon.txt');
    assert.equal(await named({ headers: { 'Content-Disposition': "attachment; filename=\"euro.txt\"; filename*=UTF-8''%e2%82%ac.txt" } }), '€.txt');
    for (const name of ['名前.txt', '🦆.png', 'a b+c%20d&e=f.txt', "it's.txt", 'no extension', '.htaccess', 'x'.repeat(200)]) assert.equal(await named({ query: { _filename: name } }), name);
    assert.equal(await named({ query: { _filename: 'same.txt', _field: 'logo' }, headers: { 'Content-Disposition': 'attachment; filename="same.txt"; name="logo"' } }), 'same.txt');
    assert.ok((await named({})).length > 0, 'gets a default name without one');
  });

  test('must match its checksum in header or argument, Base64 or hex', async () => {
    const { customer } = world.desk;
    const bytes = Buffer.from('check me');
    for (const sum of [md5(bytes, 'hex'), md5(bytes, 'base64'), md5(bytes, 'hex').toUpperCase()]) {
      await uploaded(customer, bytes, { headers: { 'Content-MD5': sum } });
      await uploaded(customer, bytes, { query: { _md5: sum } });
    }
    await uploaded(customer, bytes, { headers: { 'Content-MD5': md5(bytes, 'base64') }, query: { _md5: md5(bytes, 'hex') } });
    const other = Buffer.from('other');
    for (const sum of [md5(other, 'hex'), md5(other, 'base64'), '0'.repeat(32), md5(bytes, 'hex').slice(1), `${md5(bytes, 'hex')}00`]) {
      (await upload(customer, bytes, { headers: { 'Content-MD5': sum } })).refused(400, 'CHECKSUM_MISMATCH');
      (await upload(customer, bytes, { query: { _md5: sum } })).refused(400, 'CHECKSUM_MISMATCH');
    }
    (await upload(customer, bytes, { headers: { 'Content-MD5': md5(bytes, 'hex') }, query: { _md5: md5(other, 'hex') } })).must(400);
    (await upload(customer, bytes, { headers: { 'Content-MD5': md5(other, 'hex') }, query: { _md5: md5(bytes, 'hex') } })).must(400);
  });

  test('may be chunked', async () => {
    const lines = [`Content-Type: ${OCTETS}`, 'Transfer-Encoding: chunked'];
    const said = await by(world.desk, lines, ['3\r\nhel\r\n', '2;x=y\r\nlo\r\n', '0\r\n\r\n']);
    assert.equal(statusOf(said), 201, said);
    assert.match(said, /"size":5,/);
  });

  test('becomes no file if it is cut short', async () => {
    for (const [lines, pieces] of [
      [[`Content-Type: ${OCTETS}`, 'Content-Length: 10'], ['hello']],
      [['Content-Length: 10'], ['hello']],
      [[`Content-Type: ${OCTETS}`, 'Transfer-Encoding: chunked'], ['5\r\nhello\r\n']],
      [[`Content-Type: ${OCTETS}`, 'Transfer-Encoding: chunked'], ['9\r\nhello']],
    ]) {
      const said = await by(world.desk, lines, pieces);
      assert.ok(said === '' || [400, 408].includes(statusOf(said)), said);
    }
  });

  test('is refused with an invalid or repeated length', async () => {
    for (const length of ['-1', '1e9', '+5', '0x5', '5, 6', '18446744073709551621', '99999999999999999999999']) {
      const said = await by(world.desk, [`Content-Type: ${OCTETS}`, `Content-Length: ${length}`], ['hello'], { enough: (text) => /\r\n\r\n/.test(text) });
      assert.ok([400, 413].includes(statusOf(said)), `${length}: ${said}`);
    }
    for (const lines of [['Content-Length: 5', 'Content-Length: 6'], ['Content-Length: 5', 'Transfer-Encoding: chunked']]) {
      const said = await by(world.desk, [`Content-Type: ${OCTETS}`, ...lines], ['5\r\nhello\r\n0\r\n\r\n']);
      assert.equal(statusOf(said), 400, said);
    }
  });

  test('is refused with an unknown Content-Encoding', async () => {
    const reply = await upload(world.desk.customer, Buffer.from('x'), { headers: { 'Content-Encoding': 'br' } });
    if (reply.status !== 201) assert.ok([400, 415].includes(reply.status), `${reply}`);
    else assert.equal(reply.data.size, 1);
  });
});

describe('upload by multipart/form-data', () => {
  const world = shared();
  const send = (body, options) => world.desk.customer.post('/files', body, options);

  test('one part is one file with the name and type of the part', async () => {
    const bytes = Buffer.from('%PDF-1.7');
    const reply = (await send(multipart({ any: new File('invoice.pdf', 'application/pdf', bytes) }))).must(201);
    assert.deepEqual(Object.keys(reply.data).sort(), [...MEMBERS].sort());
    assert.deepEqual([reply.data.name, reply.data.content_type, reply.data.size], ['invoice.pdf', 'application/pdf', 8]);
    assert.ok((await contents(world.desk.customer, reply.data)).equals(bytes));
  });

  test('several parts give a list in their order, with total_count', async () => {
    const names = ['c.txt', 'a.txt', 'b.txt'];
    const reply = (await send(multipart(Object.fromEntries(names.map((n, i) => [`f${i}`, new File(n, 'text/plain', Buffer.from(n))]))))).must(201);
    assert.ok(Array.isArray(reply.data));
    assert.deepEqual([reply.data.map((f) => f.name), reply.body.total_count, reply.body.resource], [names, 3, 'file']);
    for (const file of reply.data) {
      assert.equal(`${await contents(world.desk.customer, file)}`, file.name);
      assert.deepEqual(await world.desk.customer.fetch(`/files/${file.id}`), file);
    }
    const again = (await send(parts([part('x', { name: 'f[]' }), part('y', { name: 'f[]' }), part('x', { name: 'f[]' })]))).must(201);
    assert.deepEqual([again.data.length, new Set(again.data.map((f) => f.id)).size, again.body.total_count], [3, 3, 3]);
  });

  test('files and parameters share a request, and unknown parameters are named in a notice', async () => {
    const reply = (await send(multipart({ wobble: '1', file: new File('a', 'text/plain', Buffer.from('a')), colour: 'red' }))).must(201);
    assert.equal(reply.data.name, 'a');
    reply.notes('wobble', 'colour');
  });

  test('a form without a file is refused', async () => {
    for (const body of [multipart({ a: '1' }), parts([])]) assert.equal((await send(body)).status, 400);
  });

  test('a missing last boundary is accepted only if Content-Length shows that every part is complete', async () => {
    const sized = (text) => part(text, { more: [`Content-Length: ${text.length}`] });
    const one = (await send(parts([sized('hello')], { end: '' }))).must(201).data;
    assert.equal(`${await contents(world.desk.customer, one)}`, 'hello');
    assert.equal((await send(parts([sized('a'), sized('bc')], { end: '' }))).must(201).body.total_count, 2);
    (await send(parts([part('hello')], { end: '' }))).refused(400, 'BODY_INVALID');
    (await send(parts([sized('a'), part('bc')], { end: '' }))).refused(400, 'BODY_INVALID');
    (await send(parts([part('hello', { more: ['Content-Length: 50'] })], { end: '' }))).refused(400, 'BODY_INVALID');
    (await send(parts([part('hello', { more: ['Content-Length: 50'] })]))).must(400);
  });

  test('each part has its own checksum, and one bad checksum refuses all', async () => {
    const sum = (text, of = text) => part(text, { more: [`Content-MD5: ${md5(of, 'base64')}`] });
    assert.equal((await send(parts([sum('a'), part('b', { more: [`Content-MD5: ${md5('b', 'hex')}`] })]))).must(201).body.total_count, 2);
    (await send(parts([sum('a'), sum('b', 'c')]))).refused(400, 'CHECKSUM_MISMATCH');
    (await send(parts([part('b', { more: ['Content-MD5: nonsense'] })]))).refused(400, 'CHECKSUM_MISMATCH');
  });

  test('Content-Transfer-Encoding binary is accepted', async () => {
    for (const encoding of ['binary', '8bit', '7bit', 'BINARY']) await send(parts([part('aGVsbG8=', { more: [`Content-Transfer-Encoding: ${encoding}`] })])).then((reply) => assert.equal(reply.must(201).data.size, 8));
  });

  test('text that resembles a boundary is content', async () => {
    for (const text of ['\r\n--', 'x\r\n--c--\r\ny', '\r\n', '-', '\r\n-b--', 'a\r\n--\r\nb']) {
      const file = (await send(parts([part(text)]))).must(201).data;
      assert.equal(`${await contents(world.desk.customer, file)}`, text, JSON.stringify(text));
    }
    (await send(parts([part('x')], { boundary: "a'()+_,-./:=?z", type: 'multipart/form-data; boundary="a\'()+_,-./:=?z"' }))).must(201);
    (await send(parts([part('x')], { before: 'This is a form.\r\n', end: '--b--\r\nepilogue' }))).must(201);
  });

  test('names are UTF-8', async () => {
    for (const filename of ['Größe.txt', '名前.txt', '🦆.png']) assert.equal((await send(parts([part('x', { filename })]))).must(201).data.name, filename);
    assert.equal((await send(parts([[['Content-Disposition: form-data; name="f"; filename*=UTF-8\'\'%e2%82%ac.txt'], 'x']]))).must(201).data.name, '€.txt');
  });

  test('a malformed body is BODY_INVALID', async () => {
    const good = [part('x')];
    for (const body of [
      parts(good, { type: 'multipart/form-data' }), parts(good, { type: 'multipart/form-data; boundary=' }), parts(good, { type: 'multipart/form-data; boundary=c' }), raw('multipart/form-data; boundary=b', 'nonsense'),
      raw('multipart/form-data; boundary=b', ''), raw('multipart/form-data; boundary=b', randomBytes(2000)), raw('multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="f"; filename="a"'),
      parts([[['Content-Disposition: form-data; name="f"; filename="a'], 'x']]),
    ]) {
      const reply = (await send(body)).must(400);
      if (body.bytes.length) assert.ok(reply.body.errors.every((e) => e.code === 'BODY_INVALID'), `${reply}`);
    }
  });
});

describe('size limits of uploads', () => {
  const world = shared();
  const size = (n) => Buffer.alloc(n, 'x');

  test('a file may have 20 MB, and more is 413 in every format', async () => {
    const { customer } = world.desk;
    assert.equal((await uploaded(customer, size(20 * MB))).size, 20 * MB);
    assert.equal((await customer.post('/files', parts([part(size(20 * MB))]))).must(201).data.size, 20 * MB);
    (await upload(customer, size(20 * MIB + 1))).refused(413, 'PAYLOAD_TOO_LARGE');
    (await customer.post('/files', parts([part(size(20 * MIB + 1))]))).refused(413, 'PAYLOAD_TOO_LARGE');
    (await customer.post('/files', parts([part('small'), part(size(20 * MIB + 1))]))).refused(413, 'PAYLOAD_TOO_LARGE');
  });

  test('the limit applies to each file, not to the request', async () => {
    const reply = (await world.desk.customer.post('/files', parts([part(size(15 * MB)), part(size(14 * MB))]))).must(201);
    assert.deepEqual(reply.data.map((f) => f.size), [15 * MB, 14 * MB]);
  });

  test('a Content-Length over the limit is refused before the body', async () => {
    for (const length of [20 * MIB + 1, 1_073_741_824, 9_223_372_036_854_775_807n]) {
      const said = await by(world.desk, [`Content-Type: ${OCTETS}`, `Content-Length: ${length}`], ['x'], { enough: (text) => /\r\n\r\n/.test(text), halfClose: false });
      assert.equal(statusOf(said), 413, said);
    }
  });

  test('a chunked body is counted as it arrives', async () => {
    const said = await by(world.desk, [`Content-Type: ${OCTETS}`, 'Transfer-Encoding: chunked'], Array.from({ length: 21 }, () => Buffer.concat([Buffer.from('100000\r\n'), size(MIB), Buffer.from('\r\n')])).concat('0\r\n\r\n'), { enough: (text) => /\r\n\r\n/.test(text) });
    assert.equal(statusOf(said), 413, said.slice(0, 300));
  });

  test('the limit is a setting for all formats', async (t) => {
    const desk = await open(t);
    await desk.owner.update('/settings', { values: { 'files.max_megabytes': 1 } });
    await uploaded(desk.customer, size(MB));
    (await upload(desk.customer, size(MIB + 1))).refused(413, 'PAYLOAD_TOO_LARGE');
    (await desk.customer.post('/files', parts([part(size(MIB + 1))]))).refused(413, 'PAYLOAD_TOO_LARGE');
    await desk.owner.update('/settings', { values: { 'files.max_megabytes': 30 } });
    assert.equal((await uploaded(desk.customer, size(25 * MB))).size, 25 * MB);
    for (const value of [-1, 0, 'x', 1.5, null, 1e9]) (await desk.owner.put('/settings', { values: { 'files.max_megabytes': value } })).refused(400, 'FIELD_INVALID', 'values/files.max_megabytes');
    for (const who of [desk.staff, desk.customer]) (await who.put('/settings', { values: { 'files.max_megabytes': 1 } })).refused(403, 'PERMISSIONS_DENIED');
  });

  test('a form of very many parts is answered at once', async () => {
    const began = Date.now();
    for (const n of [1000, 10_000]) {
      const reply = await world.desk.customer.post('/files', parts(Array.from({ length: n }, (_, i) => part(`${i}`, { name: `f${i}` }))));
      if (reply.status === 201) assert.equal(reply.body.total_count, n);
      else assert.ok([400, 413].includes(reply.status), `${reply}`);
    }
    assert.ok(Date.now() - began < 10_000);
  });
});

describe('access to files', () => {
  const world = shared();

  for (const role of ROLES) {
    test(`only the ${role} reads a file of the ${role}`, async () => {
      const { desk } = world;
      const file = await uploaded(desk.as(role), Buffer.from(role));
      assert.deepEqual(await desk.as(role).fetch(`/files/${file.id}`), file);
      assert.equal(`${await contents(desk.as(role), file)}`, role);
      const twin = await desk.person(role);
      for (const who of [...ROLES.filter((r) => r !== role).map((r) => desk.as(r)), twin.client]) {
        for (const path of [`/files/${file.id}`, `/files/${file.id}/content`]) {
          (await who.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
          (await who.head(path)).must(404);
        }
        assert.equal((await who.get('/files/987654')).refused(404, 'RESOURCE_NOT_FOUND').body.errors[0].message, (await who.get(`/files/${file.id}`)).body.errors[0].message, 'the reply is the same as for an absent file');
      }
      for (const path of [`/files/${file.id}`, `/files/${file.id}/content`]) (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
    });
  }

  test('uploads need credentials', async () => {
    const { desk } = world;
    (await upload(desk.anyone)).refused(401, 'AUTHORIZATION_REQUIRED');
    (await desk.anyone.post('/files', multipart({ f: new File('a', OCTETS, Buffer.from('a')) }))).refused(401, 'AUTHORIZATION_REQUIRED');
    (await upload(desk.login('customer@example.com', 'wrong password'))).refused(401, 'AUTHENTICATION_FAILED');
    (await upload(desk.anyone.with({ 'X-Session-ID': 'nonsense' }))).refused(454, 'SESSION_LOADING_FAILED');
  });

  test('a session needs its CSRF token to upload, and no token to read', async () => {
    const { desk } = world;
    const { bare, client } = await desk.session(desk.customer);
    (await upload(bare)).refused(403, 'CSRF_FAILED');
    const file = await uploaded(client);
    assert.deepEqual(await bare.fetch(`/files/${file.id}`), file);
    await contents(bare, file);
  });

  test('a path may end in .json and begin with two slashes', async () => {
    const { customer } = world.desk;
    const file = (await customer.post('//api/v1/files.json', raw(OCTETS, 'x'))).must(201).data;
    for (const path of [`/files/${file.id}.json`, `//api/v1/files/${file.id}`, `//api/v1/files/${file.id}.json`]) assert.deepEqual(await customer.fetch(path), file);
  });

  test('other methods on files are refused', async () => {
    const { owner } = world.desk;
    const { id } = await uploaded(owner);
    for (const [method, path] of [['GET', '/files'], ['DELETE', '/files'], ['PUT', '/files'], ['PUT', `/files/${id}`], ['DELETE', `/files/${id}`], ['POST', `/files/${id}`], ['POST', `/files/${id}/content`], ['DELETE', `/files/${id}/content`]]) {
      (await owner.request(method, path)).refused(405, 'METHOD_NOT_SUPPORTED');
    }
    for (const path of ['/files/0', '/files/-1', '/files/x', '/files/1.5', '/files/99999999999999999999', '/files/0/content', '/files/x/content', `/files/${id}/contents`, '/files/%00', `/files/${id}/content/..%2f..%2fsettings`]) (await owner.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  });
});

describe('a download', () => {
  const world = shared();
  const TYPES = ['text/html', 'text/html; charset=utf-8', 'TEXT/HTML', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'application/javascript', 'application/pdf', 'text/plain', OCTETS, 'image/png, text/html', 'multipart/x-mixed-replace', 'message/rfc822'];

  test('is saved, not shown: attachment, nosniff, a sandbox', async () => {
    const { customer } = world.desk;
    const script = Buffer.from('<html><script>alert(1)</script></html>');
    for (const type of TYPES) {
      const file = await uploaded(customer, script, { type, query: { _filename: 'a.html' } });
      for (const address of [file.content_url, `${file.content_url}?inline=true`, `${file.content_url}?inline=1&disposition=inline`]) {
        const { headers, bytes } = (await at(customer, address)).must(200);
        assert.match(headers['content-disposition'], /^attachment; ?filename="?a\.html"?/, type);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.match(headers['content-security-policy'], /(^|; ?)sandbox( *;|$)/, type);
        assert.ok(bytes.equals(script));
      }
    }
  });

  test('has type and length', async () => {
    const { customer } = world.desk;
    const file = await uploaded(customer, Buffer.from('a,b\r\n'), { type: 'text/csv' });
    const { headers } = (await at(customer, file.content_url)).must(200);
    assert.deepEqual([headers['content-type'].split(';')[0], headers['content-length']], ['text/csv', '5']);
  });

  test('answers HEAD like GET, without the body', async () => {
    const { customer } = world.desk;
    const file = await uploaded(customer, Buffer.from('twelve bytes'), { type: 'text/plain', query: { _filename: 'x.txt' } });
    const [got, head] = [(await at(customer, file.content_url)).must(200), (await at(customer, file.content_url, {}, 'HEAD')).must(200)];
    assert.equal(head.bytes.length, 0);
    for (const name of ['content-type', 'content-length', 'content-disposition', 'content-security-policy', 'x-content-type-options', 'etag', 'last-modified', 'cache-control']) assert.equal(head.headers[name], got.headers[name], name);
    const plain = (await customer.get(`/files/${file.id}`)).must(200), short = (await customer.head(`/files/${file.id}`)).must(200);
    for (const name of ['etag', 'content-length', 'last-modified']) assert.equal(short.headers[name], plain.headers[name], name);
  });

  test('ignores an Accept without JSON, and a JSON reply does not', async () => {
    const { customer } = world.desk;
    const file = await uploaded(customer, png(2, 2), { type: 'image/png' });
    for (const Accept of ['image/*', 'text/html', 'image/png;q=0.5']) {
      (await at(customer, file.content_url, { Accept })).must(200);
      (await customer.get(`/files/${file.id}`, {}, { Accept })).refused(406, 'NOT_ACCEPTABLE');
      (await upload(customer, undefined, { headers: { Accept } })).refused(406, 'NOT_ACCEPTABLE');
    }
    for (const Accept of ['*/*', 'application/json', 'text/html, application/*;q=0.1', undefined]) (await customer.get(`/files/${file.id}`, {}, { Accept })).must(200);
  });

  test('answers 304 to a current ETag', async () => {
    const { customer } = world.desk;
    const file = await uploaded(customer, Buffer.from('once'));
    const { headers } = (await at(customer, file.content_url)).must(200);
    assert.match(headers.etag, /^"[0-9a-f]{32}"$/);
    for (const tag of [headers.etag, headers.etag.slice(1, -1), `W/${headers.etag}`, `"${'0'.repeat(32)}", ${headers.etag}`, '*']) {
      const again = (await at(customer, file.content_url, { 'If-None-Match': tag })).must(304);
      assert.equal(again.bytes.length, 0);
    }
    (await at(customer, file.content_url, { 'If-None-Match': `"${'0'.repeat(32)}"` })).must(200);
    (await at(world.desk.staff, file.content_url, { 'If-None-Match': headers.etag })).must(404);
    (await at(world.desk.anyone, file.content_url, { 'If-None-Match': '*' })).must(401);
  });

  test('a hostile file name adds no header and no path', async () => {
    const { customer } = world.desk;
    const names = ['../../etc/passwd', '..\\..\\boot.ini', '/etc/shadow', 'C:\\x\\y.txt', 'a"b.txt', 'a\\"; filename="evil.exe', 'a;b', "a'b", '%0d%0aSet-Cookie: x=1', '<script>alert(1)</script>', '\u202egnp.exe', '名"前\\.txt', '=?utf-8?Q?x?=', 'a\u00a0b', '🦆'.repeat(60), '.', '..', '', '   ', 'CON', 'a\tb', 'a\r\nSet-Cookie: x=1', 'x'.repeat(255), 'x'.repeat(5000)];
    for (const name of names) {
      const raws = await upload(customer, undefined, { query: { _filename: name } });
      const forms = /[\r\n"\\]/.test(name) ? undefined : await customer.post('/files', parts([part('x', { filename: name })]));
      for (const reply of [raws, forms].filter(Boolean)) {
        if (reply.status !== 201) { assert.equal(reply.status, 400, `${JSON.stringify(name)}: ${reply}`); continue; }
        const { name: kept, content_url } = reply.data;
        assert.ok(kept.length && !/[/\\\r\n\0]/.test(kept.replaceAll('\\', name.includes('\\"') || name.includes('前\\') ? '' : '\\')), `${JSON.stringify(name)} is stored as ${JSON.stringify(kept)}`);
        const { headers } = (await at(customer, content_url)).must(200);
        assert.equal(headers['set-cookie'], undefined);
        assert.match(headers['content-disposition'], /^attachment(; ?filename="([^"\\\x00-\x1f\x7f/]|\\["\\])*")?(; ?filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]*)?$/, JSON.stringify(name));
      }
    }
  });

  test('a hostile Content-Type adds no header', async () => {
    const { customer } = world.desk;
    for (const type of ['text/html\u00ff', '/', ';', 'a/b; c="', 'text/plain;'.repeat(100), 'a/b\tc', 'text/html;charset=utf-7', 'text/html, image/png']) {
      const reply = await upload(customer, Buffer.from('x'), { type });
      if (reply.status === 201) (await at(customer, reply.data.content_url)).must(200);
      else assert.equal(reply.status, 400, `${reply}`);
    }
  });
});

describe('a file as a resource', () => {
  const world = shared();

  test('has a quoted ETag of 32 hex digits, and If-None-Match accepts each spelling', async () => {
    const { customer } = world.desk;
    const file = await uploaded(customer);
    const reply = (await customer.get(`/files/${file.id}`)).must(200);
    assert.match(reply.etag, /^"[0-9a-f]{32}"$/);
    for (const tag of [reply.etag, reply.etag.slice(1, -1), `W/${reply.etag}`, '*']) (await customer.get(`/files/${file.id}`, {}, { 'If-None-Match': tag })).must(304);
    for (const query of [{ _case: 'camel' }, { fields: 'name' }, { _empty: false }, { _pretty: true }]) assert.equal((await customer.get(`/files/${file.id}`, query)).must(200).etag, reply.etag, JSON.stringify(query));
    if (reply.headers['last-modified']) (await customer.get(`/files/${file.id}`, {}, { 'If-Modified-Since': reply.headers['last-modified'] })).must(304);
    (await customer.get('/files/987654', {}, { 'If-None-Match': '*' })).must(404);
  });

  test('has a new ETag when it is attached and no longer expires', async () => {
    const { customer } = world.desk;
    const file = await uploaded(customer, png(4, 4), { type: 'image/png' });
    const before = (await customer.get(`/files/${file.id}`)).must(200);
    await customer.update('/profile', { avatar_file_id: file.id });
    const after = await customer.get(`/files/${file.id}`, {}, { 'If-None-Match': before.etag });
    if (after.status === 304) assert.equal((await customer.fetch(`/files/${file.id}`)).expiry_at, file.expiry_at);
    else assert.notDeepEqual(after.must(200).data, before.data);
  });

  test('_case changes names of members and kinds', async () => {
    const { customer } = world.desk;
    for (const [style, want] of [['camel', 'contentUrl'], ['pascal', 'ContentUrl']]) {
      const made = (await upload(customer, undefined, { query: { _case: style, _filename: 'snake_name.txt' } })).must(201);
      const data = made.body.data ?? made.body.Data;
      assert.ok(want in data, `${made}`);
      assert.ok(Object.values(data).includes('snake_name.txt'));
      const listed = (await customer.post('/files', multipart({ a: new File('a', OCTETS, Buffer.from('a')), b: new File('b', OCTETS, Buffer.from('b')) }), { query: { _case: style } })).must(201);
      assert.ok(want in (listed.body.data ?? listed.body.Data)[0], `${listed}`);
    }
  });

  test('fields selects members, compared without underscores and case', async () => {
    const { customer } = world.desk;
    const file = await uploaded(customer, undefined, { query: { _FileName: 'x.txt' } });
    assert.equal(file.name, 'x.txt');
    assert.deepEqual(Object.keys(await customer.fetch(`/files/${file.id}`, { fields: 'name,size' })).sort(), ['id', 'name', 'resource_type', 'resource_url', 'size']);
    assert.deepEqual(Object.keys(await customer.fetch(`/files/${file.id}`, { fields: '-hash' })).sort(), MEMBERS.filter((m) => m !== 'hash').sort());
  });

  test('_flat without include means include=* with a notice', async () => {
    const { customer } = world.desk;
    const { id } = await uploaded(customer);
    for (const reply of [await customer.get(`/files/${id}`, { _flat: true }), await customer.get(`/files/${id}`, {}, { 'X-Options': 'flat' })]) assert.ok(reply.must(200).body.logs.some((l) => l.level === 'WARNING'), `${reply}`);
    (await customer.get(`/files/${id}`, { include: '*' })).must(200);
    (await customer.get(`/files/${id}`, { _flat: true, include: 'user' })).must(200);
  });

  test('an unknown argument is ignored with a notice that names it', async () => {
    const { customer } = world.desk;
    const made = (await upload(customer, undefined, { query: { wobble: 1 } })).must(201);
    made.notes('wobble');
    (await customer.get(`/files/${made.data.id}`, { wobble: 1 })).must(200).notes('wobble');
    (await at(customer, `${made.data.content_url}?wobble=1`)).must(200);
  });
});

describe('Idempotency-Key', () => {
  const key = (value) => ({ 'Idempotency-Key': value });

  test('the same key and file give one file, and another file is refused', async (t) => {
    const desk = await open(t);
    const [bytes, other] = [randomBytes(5000), randomBytes(5000)];
    const send = (who, b, k, query) => upload(who, b, { headers: key(k), query });
    const first = (await send(desk.customer, bytes, 'k')).must(201);
    const again = (await send(desk.customer, bytes, 'k')).must(201);
    assert.deepEqual([again.data, again.headers['idempotent-replayed'], first.headers['idempotent-replayed']], [first.data, 'true', undefined]);
    (await send(desk.customer, other, 'k')).refused(400, 'PARAMETERS_INCONSISTENT');
    (await send(desk.customer, bytes, 'k', { _filename: 'other.txt' })).refused(400, 'PARAMETERS_INCONSISTENT');
    (await send(desk.customer, bytes.subarray(1), 'k')).refused(400, 'PARAMETERS_INCONSISTENT');
    assert.notEqual((await send(desk.customer, bytes, 'k2')).must(201).data.id, first.data.id);
    const foreign = (await send(desk.staff, bytes, 'k')).must(201);
    assert.deepEqual([foreign.data.id !== first.data.id, foreign.headers['idempotent-replayed']], [true, undefined]);
  });

  test('a form is compared by its files and fields, not by its bytes', async (t) => {
    const { customer } = await open(t);
    const body = (a, b, more = {}) => multipart({ ...more, a: new File('a.txt', 'text/plain', Buffer.from(a)), b: new File('b.txt', 'text/plain', Buffer.from(b)) });
    const send = (b) => customer.post('/files', b, { headers: key('k') });
    const first = (await send(body('1', '2'))).must(201);
    const again = (await send(body('1', '2'))).must(201); // another boundary
    assert.deepEqual([again.data, again.headers['idempotent-replayed']], [first.data, 'true']);
    for (const different of [body('1', '3'), body('2', '1'), body('12', ''), body('1', '2', { x: '1' }), multipart({ a: new File('a.txt', 'text/plain', Buffer.from('1')) })]) {
      const reply = (await send(different)).must(400);
      if (different !== undefined) assert.ok(reply.body.errors.some((e) => e.code === 'PARAMETERS_INCONSISTENT'), `${reply}`);
    }
  });

  test('twenty concurrent requests with one key give one file', async (t) => {
    const { customer } = await open(t);
    const bytes = randomBytes(200_000);
    const replies = await Promise.all(Array.from({ length: 20 }, () => upload(customer, bytes, { headers: key('k') })));
    for (const reply of replies) if (reply.status !== 201) reply.refused(409, 'REQUEST_IN_PROGRESS');
    assert.equal(new Set(replies.filter((r) => r.status === 201).map((r) => r.data.id)).size, 1);
  });

  test('a refusal is repeated, too', async (t) => {
    const { customer } = await open(t);
    const send = () => upload(customer, Buffer.from('x'), { headers: { ...key('k'), 'Content-MD5': '0'.repeat(32) } });
    (await send()).refused(400, 'CHECKSUM_MISMATCH');
    (await send()).refused(400, 'CHECKSUM_MISMATCH');
    (await upload(customer, Buffer.from('y'), { headers: key('k'.repeat(256)) })).must(400);
  });
});

describe('an unreferenced file', () => {
  test('exists for twelve hours, then answers 404 everywhere', async (t) => {
    const desk = await open(t);
    const field = await desk.owner.create('/users/fields', { type: 'FILE', title: 'Paper', key: 'paper', is_visible_to_customers: true, is_customer_editable: true });
    const file = await uploaded(desk.customer, png(4, 4), { type: 'image/png' });
    await desk.clock.forward(12 * HOUR - 10);
    assert.deepEqual(await desk.customer.fetch(`/files/${file.id}`), file);
    await contents(desk.customer, file);
    await desk.clock.forward(20);
    for (const method of ['get', 'head']) for (const path of [`/files/${file.id}`, `/files/${file.id}/content`]) (await desk.customer[method](path)).must(404);
    (await desk.customer.put('/profile', { avatar_file_id: file.id })).refused(400, 'FIELD_INVALID', 'avatar_file_id');
    (await desk.customer.put('/profile', { field_values: { [field.key]: file.id } })).refused(400, 'FIELD_INVALID', 'field_values/paper');
    const again = await uploaded(desk.customer, png(4, 4), { type: 'image/png' });
    assert.notEqual(again.id, file.id, 'the same content anew');
    assert.ok((await contents(desk.customer, again)).equals(png(4, 4)));
    await desk.clock.forward(DAY);
    assert.equal(desk.check().status, 0);
  });

  test('keeps the content of another file when it expires', async (t) => {
    const desk = await open(t);
    const bytes = randomBytes(50_000);
    await uploaded(desk.customer, bytes);
    await desk.clock.forward(6 * HOUR);
    const later = await uploaded(desk.staff, bytes);
    await desk.clock.forward(6 * HOUR + 60);
    await uploaded(desk.customer);
    assert.ok((await contents(desk.staff, later)).equals(bytes));
  });

  test('may be named again within twelve hours after its last reference is removed', async (t) => {
    const desk = await open(t);
    await desk.owner.create('/users/fields', { type: 'FILE', title: 'Paper', key: 'paper' });
    const bytes = randomBytes(100);
    const path = `/users/${desk.people.customer.id}`;
    for (const letGo of [
      () => desk.owner.update(path, { field_values: { paper: null } }),
      async () => desk.owner.update(path, { field_values: { paper: (await uploaded(desk.owner)).id } }),
    ]) {
      const file = await uploaded(desk.owner, bytes);
      await desk.owner.update(path, { field_values: { paper: file.id } });
      await desk.clock.forward(HOUR);
      await letGo();
      assert.ok((await contents(desk.owner, file)).equals(bytes), 'it is an unattached file of one hour');
      await desk.owner.update(path, { field_values: { paper: file.id } });
    }
  });

  test('of a refused multipart body has no id that answers', async (t) => {
    const { customer } = await open(t);
    const first = await uploaded(customer);
    (await customer.post('/files', parts([part('good'), part('bad', { more: [`Content-MD5: ${md5('other', 'hex')}`] })]))).refused(400, 'CHECKSUM_MISMATCH');
    (await customer.post('/files', parts([part('good')], { end: '' }))).refused(400, 'BODY_INVALID');
    (await upload(customer, Buffer.from('x'), { query: { _md5: '0'.repeat(32) } })).refused(400, 'CHECKSUM_MISMATCH');
    for (let id = first.id + 1; id < first.id + 6; id++) (await customer.get(`/files/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('survives a restart and a crash until it expires', async (t) => {
    const desk = await open(t, { base: 'http://desk.example' });
    const bytes = randomBytes(3 * MIB);
    const file = await uploaded(desk.customer, bytes);
    await desk.kill();
    await desk.start();
    assert.deepEqual(await desk.customer.fetch(`/files/${file.id}`), file);
    assert.ok((await contents(desk.customer, file)).equals(bytes));
    assert.equal(desk.check().status, 0);
  });
});

const BAD_IDS = [0, -1, 987654, 'x', '1.5', 1.5, [1, 2], { id: 1 }, '99999999999999999999', '1; DROP TABLE file', true, '../1'];

describe('avatar_file_id', () => {
  const world = shared();
  const picture = async (who, bytes = png(20, 10), type = 'image/png') => uploaded(who, bytes, { type });
  const shows = async (address) => (await at(world.desk.anyone, address)).must(200);

  test('sets a picture in every body format, for every role', async () => {
    for (const role of ROLES) {
      const who = (await world.desk.person(role)).client;
      for (const as of [json, form, multipart]) {
        const { id } = await picture(who);
        const before = (await who.fetch('/profile')).avatar;
        const { avatar } = await who.update('/profile', as({ avatar_file_id: id, designation: 'x' }));
        assert.notEqual(avatar, before);
        const shown = await shows(avatar);
        assert.equal(shown.headers['content-type'], 'image/png');
        readPng(shown.bytes);
      }
    }
  });

  test('accepts JPEG and GIF, whatever the declared type', async () => {
    const { client } = await world.desk.person('customer');
    for (const bytes of [JPEG, GIF]) {
      const { id } = await uploaded(client, bytes);
      assert.match((await shows((await client.update('/profile', { avatar_file_id: id })).avatar)).headers['content-type'], /^image\/(jpeg|png|gif)$/);
    }
  });

  test('leaves the file usable, and the picture stays after the file expires', async (t) => {
    const desk = await open(t);
    const { id } = await uploaded(desk.staff, png(5, 5), { type: 'image/png' });
    await desk.staff.update('/profile', { avatar_file_id: String(id) });
    await desk.staff.update(`/users/${desk.people.customer.id}/avatar`, { avatar_file_id: id });
    await desk.clock.forward(DAY);
    for (const role of ['agent', 'customer']) {
      const { avatar } = await desk.as(role).fetch('/profile');
      const shown = (await at(desk.anyone, avatar)).must(200);
      assert.equal(shown.headers['content-type'], 'image/png', role);
      readPng(shown.bytes);
    }
  });

  test("of another person, unknown or absurd is FIELD_INVALID and changes nothing", async () => {
    const { desk } = world;
    const foreign = await picture(desk.owner);
    const { client } = await desk.person('customer');
    const before = await client.fetch('/profile');
    for (const id of [foreign.id, ...BAD_IDS]) {
      (await client.put('/profile', { avatar_file_id: id, designation: 'changed' })).refused(400, 'FIELD_INVALID', 'avatar_file_id');
      (await desk.staff.put(`/users/${desk.people.customer.id}/avatar`, { avatar_file_id: id })).refused(400, 'FIELD_INVALID', 'avatar_file_id');
    }
    (await client.put('/profile', form({ avatar_file_id: foreign.id }))).refused(400, 'FIELD_INVALID', 'avatar_file_id');
    (await client.put('/profile', multipart({ avatar_file_id: foreign.id }))).refused(400, 'FIELD_INVALID', 'avatar_file_id');
    assert.deepEqual(await client.fetch('/profile'), before);
  });

  test('of a file that is no picture is FIELD_INVALID', async () => {
    const { customer } = world.desk;
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    for (const [bytes, type] of [[Buffer.from('text'), 'image/png'], [svg, 'image/svg+xml'], [png(600, 600).subarray(0, 60), 'image/png'], [png(1, 1, undefined, [50000, 50000]), 'image/png'], [randomBytes(5000), 'image/jpeg']]) {
      const { id } = await uploaded(customer, bytes, { type });
      (await customer.put('/profile', { avatar_file_id: id })).refused(400, 'FIELD_INVALID', 'avatar_file_id');
    }
  });

  test('all bad fields are reported at once', async () => {
    (await world.desk.customer.put('/profile', { avatar_file_id: 987654, designation: 'x'.repeat(5000), time_zone: 'Nowhere/Land' }))
      .refused(400, 'FIELD_INVALID', 'avatar_file_id').refused(400, 'FIELD_INVALID', 'designation').refused(400, 'FIELD_INVALID', 'time_zone');
  });

  test('of a person may be set by callers who may change that person, with their own upload', async () => {
    const { desk } = world;
    const target = await desk.person('customer');
    const path = `/users/${target.id}/avatar`;
    for (const role of ['agent', 'admin', 'owner']) {
      const { id } = await picture(desk.as(role), png(7, 7));
      const { avatar } = (await desk.as(role).put(path, { avatar_file_id: id })).must(200).data;
      assert.equal((await shows(avatar)).headers['content-type'], 'image/png');
    }
    for (const role of ['collaborator', 'customer']) (await desk.as(role).put(path, { avatar_file_id: (await picture(desk.as(role))).id })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.put(path, { avatar_file_id: 1 })).refused(401, 'AUTHORIZATION_REQUIRED');
    const theirs = await picture(target.client);
    (await desk.staff.put(path, { avatar_file_id: theirs.id })).refused(400, 'FIELD_INVALID', 'avatar_file_id');
    const mine = await picture(desk.staff);
    for (const above of ['admin', 'owner']) {
      const reply = await desk.staff.put(`/users/${desk.people[above].id}/avatar`, { avatar_file_id: mine.id });
      assert.ok([403, 404].includes(reply.status), `${reply}`);
    }
    (await desk.owner.put('/users/987654/avatar', { avatar_file_id: (await picture(desk.owner)).id })).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('only the uploader can read the file itself', async () => {
    const { desk } = world;
    const { id } = await picture(desk.staff);
    await desk.staff.update(`/users/${desk.people.customer.id}/avatar`, { avatar_file_id: id });
    for (const who of [desk.customer, desk.owner]) for (const path of [`/files/${id}`, `/files/${id}/content`]) (await who.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.get(`/files/${id}`)).must(200);
  });
});

for (const [area, type] of [['users', 'user_field'], ['organizations', 'organization_field']]) {
  describe(`FILE fields of ${area}`, () => {
    const world = shared(async (world) => {
      world.field = await world.desk.owner.create(`/${area}/fields`, { type: 'FILE', title: 'Contract', key: 'contract' });
      world.more = await world.desk.owner.create(`/${area}/fields`, { type: 'FILE', title: 'Photo', key: 'photo' });
      let n = 0;
      world.make = (who = world.desk.owner, values) => who.create(`/${area}`, area === 'users' ? { full_name: 'F', email: `field${++n}@people.example`, field_values: values } : { name: `Org ${++n}`, field_values: values });
      world.value = async (id, of = world.field) => (await world.desk.owner.fetch(`/${area}/${id}`)).custom_fields.find((v) => v.field.id === of.id)?.value || undefined;
    });

    test('the value is the id of the file, as text', async () => {
      const { desk, make, value, field } = world;
      const { id } = await make();
      for (const role of ['agent', 'admin', 'owner']) {
        const who = desk.as(role);
        for (const [as, spell] of [[json, Number], [json, String], [form, String], [multipart, String], [(v) => form({ field_values: JSON.stringify(v.field_values) }), Number]]) {
          const file = await uploaded(who);
          const shown = await who.update(`/${area}/${id}`, as({ field_values: { contract: spell(file.id) } }));
          const item = shown.custom_fields.find((v) => v.field.id === field.id);
          assert.deepEqual([item.value, item.resource_type, item.field.resource_type], [String(file.id), `${type}_value`, type]);
          assert.equal(await value(id), String(file.id));
        }
      }
      const file = await uploaded(desk.staff);
      assert.equal((await make(desk.staff, { contract: file.id })).custom_fields[0].value, String(file.id));
    });

    test('null and an empty text clear the value, and other values stay', async () => {
      const { desk, make, value, more } = world;
      const [a, b] = [await uploaded(desk.owner), await uploaded(desk.owner)];
      const { id } = await make(desk.owner, { contract: a.id, photo: b.id });
      await desk.owner.update(`/${area}/${id}`, { field_values: { contract: null } });
      assert.deepEqual([await value(id), await value(id, more)], [undefined, String(b.id)]);
      await desk.owner.update(`/${area}/${id}`, { field_values: { photo: '' } });
      assert.equal(await value(id, more), undefined);
    });

    test("a foreign, unknown or absurd id is FIELD_INVALID and changes nothing", async () => {
      const { desk, make, value } = world;
      const mine = await uploaded(desk.staff), theirs = await uploaded(desk.owner), customers = await uploaded(desk.customer);
      const { id } = await make(desk.staff, { contract: mine.id });
      for (const bad of [theirs.id, String(customers.id), ...BAD_IDS, `${mine.id},${mine.id}`, `${mine.id}x`]) {
        (await desk.staff.put(`/${area}/${id}`, { field_values: { contract: bad, photo: mine.id } })).refused(400, 'FIELD_INVALID', 'field_values/contract');
      }
      (await desk.staff.put(`/${area}/${id}`, form({ 'field_values[contract]': theirs.id }))).refused(400, 'FIELD_INVALID', 'field_values/contract');
      assert.deepEqual([await value(id), await value(id, world.more)], [String(mine.id), undefined]);
      const body = area === 'users' ? { full_name: 'F', email: 'never@people.example' } : { name: 'Never' };
      (await desk.staff.post(`/${area}`, { ...body, field_values: { contract: theirs.id, photo: 987654 } })).refused(400, 'FIELD_INVALID', 'field_values/contract').refused(400, 'FIELD_INVALID', 'field_values/photo');
    });

    test('one file may be several values, and stays while one of them refers to it', async (t) => {
      const desk = await open(t);
      await desk.owner.create(`/${area}/fields`, { type: 'FILE', title: 'Contract', key: 'contract' });
      const bodies = area === 'users' ? [{ full_name: 'A', email: 'a@people.example' }, { full_name: 'B', email: 'b@people.example' }] : [{ name: 'A' }, { name: 'B' }];
      const bytes = randomBytes(100);
      const file = await uploaded(desk.owner, bytes);
      const made = [];
      for (const body of bodies) made.push(await desk.owner.create(`/${area}`, { ...body, field_values: { contract: file.id } }));
      await desk.clock.forward(13 * HOUR);
      assert.equal((await desk.owner.fetch(`/files/${file.id}`)).id, file.id);
      await desk.owner.update(`/${area}/${made[0].id}`, { field_values: { contract: null } });
      await desk.clock.forward(13 * HOUR);
      await uploaded(desk.owner);
      assert.ok((await contents(desk.owner, file)).equals(bytes));
      assert.equal((await desk.owner.fetch(`/${area}/${made[1].id}`)).custom_fields[0].value, String(file.id));
      (await desk.owner.delete(`/${area}/${made[1].id}`)).must(200);
      assert.equal(desk.check().status, 0);
    });

    test('an expired file is FIELD_INVALID', async (t) => {
      const desk = await open(t);
      await desk.owner.create(`/${area}/fields`, { type: 'FILE', title: 'Contract', key: 'contract' });
      const file = await uploaded(desk.owner);
      await desk.clock.forward(12 * HOUR + 1);
      (await desk.owner.post(`/${area}`, { full_name: 'A', name: 'A', email: 'a@people.example', field_values: { contract: file.id } })).refused(400, 'FIELD_INVALID', 'field_values/contract');
    });

    test('callers who see the value can\'t open the file at its own address', async () => {
      const { desk, make } = world;
      const file = await uploaded(desk.staff);
      const { id } = await make(desk.staff, { contract: file.id });
      assert.equal((await desk.owner.fetch(`/${area}/${id}`)).custom_fields[0].value, String(file.id));
      for (const who of [desk.owner, desk.admin, desk.customer]) for (const path of [`/files/${file.id}`, `/files/${file.id}/content`]) (await who.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
    });

    test('customers and collaborators can\'t set values of other people', async () => {
      const { desk, make, value } = world;
      const { id } = await make();
      for (const role of ['collaborator', 'customer']) {
        const file = await uploaded(desk.as(role));
        (await desk.as(role).put(`/${area}/${id}`, { field_values: { contract: file.id } })).refused(403, 'PERMISSIONS_DENIED');
      }
      assert.equal(await value(id), undefined);
    });
  });
}

describe('FILE fields of the profile', () => {
  const setup = async (t) => {
    const desk = await open(t);
    const flags = { shown: { is_visible_to_customers: true, is_customer_editable: true }, fixed: { is_visible_to_customers: true }, hidden: {} };
    const fields = {};
    for (const [key, more] of Object.entries(flags)) fields[key] = await desk.owner.create('/users/fields', { type: 'FILE', title: key, key, ...more });
    return { desk, fields };
  };
  const values = (resource) => Object.fromEntries(resource.custom_fields.filter((v) => v.value).map((v) => [v.field.id, v.value]));

  test('a customer sets customer-editable fields with their own file', async (t) => {
    const { desk, fields } = await setup(t);
    const mine = await uploaded(desk.customer), staffs = await uploaded(desk.staff);
    assert.deepEqual(values(await desk.customer.update('/profile', { field_values: { shown: mine.id } })), { [fields.shown.id]: String(mine.id) });
    (await desk.customer.put('/profile', { field_values: { shown: staffs.id } })).refused(400, 'FIELD_INVALID', 'field_values/shown');
    assert.deepEqual(values(await desk.customer.fetch('/profile')), { [fields.shown.id]: String(mine.id) });
    assert.deepEqual(values(await desk.staff.fetch(`/users/${desk.people.customer.id}`)), { [fields.shown.id]: String(mine.id) });
    for (const key of ['fixed', 'hidden']) {
      const reply = await desk.customer.put('/profile', { field_values: { [key]: mine.id } });
      assert.ok([200, 400, 403].includes(reply.status), `${reply}`);
      assert.equal(values(await desk.owner.fetch(`/users/${desk.people.customer.id}`))[fields[key].id], undefined, key);
    }
  });

  test('a customer does not see the value of a field that is hidden from customers', async (t) => {
    const { desk, fields } = await setup(t);
    const [a, b] = [await uploaded(desk.staff), await uploaded(desk.staff)];
    await desk.staff.update(`/users/${desk.people.customer.id}`, { field_values: { fixed: a.id, hidden: b.id } });
    assert.deepEqual(values(await desk.customer.fetch('/profile')), { [fields.fixed.id]: String(a.id) });
    (await desk.customer.get(`/files/${b.id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
    const address = `/users/${desk.people.customer.id}/files/${b.id}/content`;
    if (desk.has('GET', address)) for (const who of [desk.customer, (await desk.person('customer')).client]) (await who.get(address)).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('the address of a value opens for callers who see the value and nobody else', async (t) => {
    const { desk } = await setup(t);
    const [a, unused] = [await uploaded(desk.staff, Buffer.from('<script>'), { type: 'text/html', query: { _filename: 'a.html' } }), await uploaded(desk.staff)];
    const { id } = desk.people.customer;
    await desk.staff.update(`/users/${id}`, { field_values: { fixed: a.id } });
    const address = (user, file) => `/api/v1/users/${user}/files/${file}/content`;
    if (!desk.has('GET', address(id, a.id).slice(7))) return;
    for (const who of [desk.customer, desk.as('collaborator'), desk.owner]) {
      const reply = (await who.exchange('GET', address(id, a.id))).must(200);
      assert.equal(reply.text, '<script>');
      assert.match(reply.headers['content-disposition'], /^attachment/);
      assert.match(reply.headers['content-security-policy'], /sandbox/);
    }
    (await desk.anyone.get(address(id, a.id))).refused(401, 'AUTHORIZATION_REQUIRED');
    (await (await desk.person('customer')).client.get(address(id, a.id))).refused(404, 'RESOURCE_NOT_FOUND');
    for (const who of [desk.owner, desk.staff, desk.customer]) {
      (await who.get(address(id, unused.id))).refused(404, 'RESOURCE_NOT_FOUND');
      (await who.get(address(desk.people.agent.id, a.id))).refused(404, 'RESOURCE_NOT_FOUND');
    }
    await desk.staff.update(`/users/${id}`, { field_values: { fixed: null } });
    for (const who of [desk.owner, desk.customer]) (await who.get(address(id, a.id))).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('a purge leaves no readable file of the person', async (t) => {
    const { desk } = await setup(t);
    const { client, id } = await desk.person('customer');
    const file = await uploaded(client, Buffer.from('personal'));
    await client.update('/profile', { field_values: { shown: file.id } });
    (await desk.owner.delete(`/users/${id}`, { purge: true })).must(200);
    (await client.get(`/files/${file.id}`)).must(401);
    const address = `/users/${id}/files/${file.id}/content`;
    if (desk.has('GET', address)) (await desk.owner.get(address)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.equal(desk.check().status, 0);
  });
});

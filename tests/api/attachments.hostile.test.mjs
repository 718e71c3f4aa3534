import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { File, asked, multipart, open, raw, storedContents, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

// Hostile files at messages and new conversations: names, types, interrupted uploads, ranges.

const load = (desk, url, headers = {}, who = desk.staff) => who.exchange('GET', url.slice(desk.base.length), { headers });
const part = (head, bytes = 'x') => raw('multipart/form-data; boundary=b', `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${bytes}\r\n--b--\r\n`);
const path = ({ id }) => `/conversations/${id}/messages`;

test('a file name keeps neither folders nor characters that turn the text; other bad names are refused', async (t) => {
  const desk = await open(t);
  const talked = await asked(desk.customer);
  const named = async (head) => (await desk.customer.post(path(talked), part(head))).must(201).data.attachments[0].name;
  assert.equal(await named('name="f"; filename="../../../etc/passwd"'), 'passwd');
  assert.equal(await named('name="f"; filename="C:\\\\Windows\\\\win.ini"'), 'win.ini');
  assert.equal(await named('name="f"; filename="/"'), 'file');
  assert.equal(await named('name="f"; filename="a\u202etxt.exe"'), 'atxt.exe');
  assert.equal(await named('name="../../f"; filename="<script>.txt"'), '<script>.txt');
  const before = [storedContents(desk).length, (await desk.customer.get(path(talked))).must(200).body.total_count];
  for (const head of ["name=\"f\"; filename*=UTF-8''a%00b", "name=\"f\"; filename*=UTF-8''a%0Ab", "name=\"f\"; filename*=UTF-8''%FF", 'name="f"; filename=".."', `name="f"; filename="${'x'.repeat(10_000)}"`, 'name="f"; filename="a\u0000b"']) {
    for (const to of [path(talked), '/conversations?subject=S']) assert.equal((await desk.customer.post(to, part(head))).status, 400, head.slice(0, 80));
  }
  assert.deepEqual([storedContents(desk).length, (await desk.customer.get(path(talked))).must(200).body.total_count], before);
});

test('a name from before names were cleaned is shown and sent without characters that turn the text', async (t) => {
  const desk = await open(t);
  const talked = await asked(desk.customer);
  const file = (await desk.customer.post('/files', raw('text/plain', 'x'))).must(201).data.id;
  const message = (await desk.customer.post(path(talked), { attachment_file_ids: [file] })).must(201).data;
  sql(desk, `UPDATE files SET name = 'fun\u202egpj.exe' WHERE id = ${file}`);
  for (const reply of [await desk.staff.get(path(talked)), await desk.staff.get(`/cases/${talked.id}/posts`, { include: '*' }), await desk.customer.get(`/files/${file}`)]) {
    assert.ok(reply.must(200).text.includes('fungpj.exe'));
    assert.ok(!reply.text.includes('\u202e') && !/\\u202e/i.test(reply.text));
  }
  assert.match((await load(desk, message.attachments[0].url_download)).headers['content-disposition'], /fungpj\.exe/);
});

test('a wrong content type neither changes the bytes nor lets a browser run them', async (t) => {
  const desk = await open(t);
  const talked = await asked(desk.customer);
  for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'application/javascript', 'text/javascript', 'Text/JavaScript ; charset=utf-8', 'text/javascript1.5', 'text/css', 'text/ecmascript', 'application/x-javascript', 'text/jscript', 'image/png', 'IMAGE/PNG; a=b', 'x', '', 'a/b\u00e4', `image/${'x'.repeat(5000)}`]) {
    const bytes = Buffer.from('<script>alert(1)</script>');
    const [a] = (await desk.customer.post(path(talked), multipart({ f: new File('a', type, bytes) }))).must(201).data.attachments;
    for (const url of [a.url, a.url_download]) {
      const reply = (await load(desk, url)).must(200);
      assert.ok(reply.bytes.equals(bytes));
      assert.deepEqual([reply.headers['x-content-type-options'], reply.headers['content-security-policy']], ['nosniff', "default-src 'none'; sandbox"], type);
      assert.doesNotMatch(reply.headers['content-type'], /script|css/i, 'no page of this origin loads it as a script or a style');
      assert.ok(/^attachment/.test(reply.headers['content-disposition']) || /^image\/png/i.test(reply.headers['content-type']), type);
    }
    assert.deepEqual(a.thumbnails, []);
  }
});

test('an interrupted upload to a conversation leaves no message, content or temporary file', async (t) => {
  const desk = await open(t);
  const talked = await asked(desk.customer);
  const before = storedContents(desk).length;
  const body = `--b\r\nContent-Disposition: form-data; name="contents"\r\n\r\nhello\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n${'x'.repeat(300_000)}`;
  for (const to of [path(talked), '/conversations?subject=S']) {
    const head = `POST /api/v1${to} HTTP/1.1\r\nHost: x\r\nAuthorization: ${desk.customer.headers.Authorization}\r\nContent-Type: multipart/form-data; boundary=b\r\n`;
    await new Promise((done) => {
      const socket = connect(desk.port, '127.0.0.1', () => socket.write(`${head}Content-Length: 400000\r\n\r\n${body}`, () => socket.resetAndDestroy()));
      socket.on('error', () => {}).on('close', done);
    });
  }
  await until('no temporary file', () => readdirSync(join(desk.dir, 'files', 'tmp')).length === 0);
  assert.equal(storedContents(desk).length, before);
  assert.equal((await desk.customer.get(path(talked))).must(200).body.total_count, 1);
  assert.equal((await desk.customer.get('/conversations')).must(200).body.total_count, 1);
});

test('a download serves one range, as long as the content is the same', async (t) => {
  const desk = await open(t);
  const talked = await asked(desk.customer);
  const bytes = randomBytes(1000);
  const [a] = (await desk.customer.post(path(talked), multipart({ f: new File('a', 'text/plain', bytes) }))).must(201).data.attachments;
  const who = desk.customer;
  const whole = (await load(desk, a.url_download, {}, who)).must(200);
  assert.deepEqual([whole.headers['accept-ranges'], whole.headers['content-length']], ['bytes', '1000']);
  const ranges = { 'bytes=0-0': [0, 1], 'bytes=990-': [990, 1000], 'bytes=-10': [990, 1000], 'bytes=500-99999': [500, 1000], 'bytes=-99999': [0, 1000], [`bytes=10-${'9'.repeat(40)}`]: [10, 1000] };
  for (const [Range, [from, to]] of Object.entries(ranges)) {
    const reply = await load(desk, a.url_download, { Range }, who);
    assert.deepEqual([reply.status, reply.headers['content-range'], reply.bytes.equals(bytes.subarray(from, to))], [206, `bytes ${from}-${to - 1}/1000`, true], Range);
  }
  for (const Range of ['bytes=1000-', 'bytes=1000-2000', 'bytes=-0', `bytes=${'9'.repeat(40)}-`]) {
    const reply = await load(desk, a.url_download, { Range }, who);
    reply.refused(416, 'RANGE_NOT_SATISFIABLE');
    assert.equal(reply.headers['content-range'], 'bytes */1000', Range);
    assert.equal((await load(desk, a.url_download, { Range, 'If-Range': '"other"' }, who)).must(200).bytes.length, 1000);
    assert.equal((await load(desk, a.url_download, { Range, 'If-None-Match': whole.headers.etag }, who)).status, 304);
  }
  for (const Range of ['bytes=5-1', 'bytes=a-b', 'bytes=-', 'bytes=0-1,3-4', 'items=0-1', 'bytes=1 0-20', 'bytes=+1-2']) assert.equal((await load(desk, a.url_download, { Range }, who)).must(200).bytes.length, 1000, Range);
  const tag = whole.headers.etag;
  assert.equal((await load(desk, a.url_download, { Range: 'bytes=0-0', 'If-Range': tag }, who)).status, 206);
  assert.equal((await load(desk, a.url_download, { Range: 'bytes=0-0', 'If-Range': '"other"' }, who)).status, 200);
  assert.equal((await load(desk, a.url_download, { 'If-None-Match': tag }, who)).status, 304);
  assert.equal((await load(desk, a.url_download, { 'If-Match': '"other"' }, who)).status, 412);
});

test('a fingerprint reads and rates through each of its operations only what was made with it, also with files', async (t) => {
  const desk = await open(t);
  const [who, other] = [1, 2].map(() => desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() }));
  const body = (more) => multipart({ name: 'N', email: 'n@home.example', subject: 'S', contents: 'C', 'files[]': new File('a.txt', 'text/plain', Buffer.from('canary')), ...more });
  const mine = (await who.post('/conversations', body())).must(201).data;
  const [message] = (await who.get(path(mine))).must(200).data;
  const [a] = message.attachments;
  const ways = [`/conversations/${mine.id}`, path(mine), `${path(mine)}/${message.id}`, `/conversations/${mine.id}/ratings`, `/conversations/${mine.id}/participants`];
  for (const way of ways) {
    (await who.get(way)).must(200);
    (await other.get(way)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.anyone.get(way)).refused(401, 'AUTHORIZATION_REQUIRED');
  }
  for (const url of [a.url, a.url_download, a.resource_url]) {
    (await load(desk, url, {}, who)).must(200);
    (await load(desk, url, {}, other)).refused(404, 'RESOURCE_NOT_FOUND');
  }
  assert.deepEqual((await other.get('/conversations')).must(200).data, []);
});

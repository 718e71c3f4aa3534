// Compressed replies: which, for whom, and what stays the same.
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { describe, test } from 'node:test';
import { json, open, raw, shared } from './lib/index.mjs';

const GZIP = { 'Accept-Encoding': 'gzip, deflate, br' };
/** The body of a reply without compression, whose text is parsed. */
const plain = (reply) => JSON.parse(reply.headers['content-encoding'] === 'gzip' ? gunzipSync(reply.bytes) : reply.bytes);
const packed = (reply) => reply.headers['content-encoding'] === 'gzip';

describe('a reply of more than 1 KiB', () => {
  const world = shared(async (w) => {
    w.titles = Array.from({ length: 60 }, (_, i) => `Team of the engines ${i}`);
    for (const title of w.titles) await w.desk.owner.create('/teams', { title });
  });
  const get = (path, headers = GZIP, query = { limit: 100 }, who = world.desk.owner) => who.exchange('GET', `/api/v1${path}`, { query, headers });

  test('is compressed if the client accepts gzip, and is the same otherwise', async () => {
    const [one, other] = [await get('/teams'), await get('/teams', { 'Accept-Encoding': undefined })];
    assert.deepEqual([packed(one), packed(other)], [true, false]);
    assert.equal(Number(one.headers['content-length']), one.bytes.length);
    assert.ok(one.bytes.length * 4 < other.bytes.length, `${one.bytes.length} of ${other.bytes.length}`);
    assert.deepEqual(plain(one), plain(other));
    for (const name of ['etag', 'content-type', 'cache-control', 'vary', 'link']) assert.equal(one.headers[name], other.headers[name], name);
    assert.match(one.headers.vary, /\bAccept-Encoding\b/);
    for (const coding of ['gzip;q=0', 'br', 'identity', '*;q=0']) assert.equal(packed(await get('/teams', { 'Accept-Encoding': coding })), false, coding);
    for (const coding of ['*', 'GZIP', 'br, gzip;q=0.5']) assert.equal(packed(await get('/teams', { 'Accept-Encoding': coding })), true, coding);
    const short = await get('/teams/1');
    assert.equal(packed(short), false);
    assert.match(short.headers.vary, /\bAccept-Encoding\b/);
  });

  test('has the same ETag in both encodings, which makes 304 and 412 work', async () => {
    const one = await get('/teams');
    for (const headers of [GZIP, {}]) {
      const same = await get('/teams', { ...headers, 'If-None-Match': one.headers.etag });
      assert.deepEqual([same.status, same.bytes.length, packed(same), same.headers.etag], [304, 0, false, one.headers.etag]);
    }
    const ajax = await get('/teams', { ...GZIP, 'X-Requested-With': 'XMLHttpRequest' });
    assert.equal(ajax.headers.etag, (await get('/teams', { 'X-Requested-With': 'XMLHttpRequest' })).headers.etag);
    const role = await get('/roles/1', GZIP, { include: '*' });
    assert.equal((await world.desk.owner.exchange('PUT', '/api/v1/roles/1', { body: json({}), headers: { 'If-Match': role.headers.etag } })).status, 200);
    assert.equal((await world.desk.owner.exchange('PUT', '/api/v1/roles/1', { body: json({}), headers: { 'If-Match': `"${'0'.repeat(32)}"` } })).status, 412);
  });

  test('is compressed to HEAD, to errors, to writes and in large pages, and parses in each form', async () => {
    const { owner, customer } = world.desk;
    const head = await owner.exchange('HEAD', '/api/v1/teams', { query: { limit: 100 }, headers: GZIP });
    assert.deepEqual([head.bytes.length, packed(head)], [0, true]);
    const refused = await owner.exchange('DELETE', '/api/v1/teams', { query: { ids: '999990', wibble: 'w'.repeat(1500) }, headers: GZIP });
    const bad = await owner.exchange('POST', '/api/v1/users', { body: json({ full_name: '', email: 'x', phone: 'y', role_id: 99, team_ids: 'z', organization_id: 77, tags: '' }), headers: GZIP });
    assert.equal(bad.status, 400);
    assert.deepEqual([packed(bad), plain(bad).status], [true, 400]);
    assert.equal(plain(refused).status, 404);
    const made = await customer.exchange('POST', '/api/v1/conversations', { body: json({ subject: 'S', contents: 'C'.repeat(60_000) }), headers: GZIP });
    assert.deepEqual([made.status, packed(made), plain(made).data.subject], [201, true, 'S']);
    for (let i = 0; i < 4; i++) await customer.create(`/conversations/${plain(made).data.id}/messages`, { contents: `${i}${'large '.repeat(10_000)}` });
    for (const limit of [1, 2, 5]) {
      const page = await get(`/conversations/${plain(made).data.id}/messages`, GZIP, { limit });
      assert.deepEqual([packed(page), plain(page).data.length], [true, limit]);
    }
    const pretty = await get('/teams', GZIP, { limit: 100, _pretty: true, _case: 'camel' });
    assert.equal(plain(pretty).totalCount, 60);
  });

  test('is not compressed for a page of another site that uses the credentials of the browser', async () => {
    const { desk } = world;
    const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
    const { bare } = await desk.session(desk.owner);
    const cookie = (await desk.owner.get('/session')).headers['set-cookie']?.[0].split(';')[0];
    for (const [headers, wanted] of [
      [{ 'Sec-Fetch-Site': 'cross-site' }, false], [{ 'Sec-Fetch-Site': 'same-site' }, false], [{ 'User-Agent': browser }, false], [{ 'Sec-Fetch-Site': 'cross-site', 'User-Agent': browser }, false],
      [{ 'Sec-Fetch-Site': 'same-origin', 'User-Agent': browser }, true], [{ 'Sec-Fetch-Site': 'none', 'User-Agent': browser }, true], [{ 'User-Agent': 'curl/8.5.0' }, true],
    ]) {
      const reply = await get('/teams', { ...GZIP, ...headers });
      assert.deepEqual([reply.status, packed(reply)], [200, wanted], JSON.stringify(headers));
      assert.equal(plain(reply).total_count, 60);
    }
    assert.ok(cookie);
    const own = await desk.anyone.exchange('GET', '/api/v1/teams', { query: { limit: 100 }, headers: { ...GZIP, Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' } });
    assert.equal(packed(own), false);
    const explicit = await bare.exchange('GET', '/api/v1/teams', { query: { limit: 100 }, headers: { ...GZIP, 'Sec-Fetch-Site': 'cross-site' } });
    assert.deepEqual([explicit.status, packed(explicit)], [200, true]); // X-Session-ID: no page of another site can send it
  });

  test('has the session id as it is, and no length shows it', async () => {
    const reply = await get('/teams');
    const { session_id } = plain(reply);
    assert.ok(session_id.length > 20);
    assert.ok(reply.bytes.includes(Buffer.from(session_id)), 'it lies in a stored block');
    const turned = [...session_id].reverse().join('');
    const sizes = await Promise.all([session_id, turned].map((text) => get('/teams', GZIP, { limit: 50, q: text.replace('.', 'x') })));
    assert.ok(sizes.every(packed));
    assert.ok(Math.abs(sizes[0].bytes.length - sizes[1].bytes.length) <= 12, `${sizes.map((r) => r.bytes.length)}: a match would save ${session_id.length * 2} bytes`);
  });
});

test('the document of the API and its pages are compressed for everybody', async (t) => {
  const { anyone } = await open(t);
  for (const path of ['/openapi.json', '/docs', '/docs/reference', '/docs/operations']) {
    const [one, other] = [await anyone.exchange('GET', path, { headers: { ...GZIP, 'Sec-Fetch-Site': 'cross-site' } }), await anyone.exchange('GET', path)];
    assert.deepEqual([packed(one), packed(other), one.headers.etag], [true, false, other.headers.etag], path);
    assert.match(other.headers.vary, /Accept-Encoding/);
    assert.deepEqual(gunzipSync(one.bytes), other.bytes, path);
    assert.ok(one.bytes.length * 3 < other.bytes.length, path);
    assert.equal((await anyone.exchange('GET', path, { headers: { ...GZIP, 'If-None-Match': one.headers.etag } })).status, 304);
  }
});

test('a secret that is shown once is not compressed, and a download never', async (t) => {
  const desk = await open(t), { owner } = desk;
  const made = await owner.exchange('POST', '/api/v1/oauth/clients', { body: json({ name: 'App', description: 'D'.repeat(250), author: 'A'.repeat(200), callback_url: `https://app.example/${'c'.repeat(900)}` }), headers: GZIP });
  const { data } = plain(made);
  assert.ok(packed(made) && data.secret.length > 20);
  assert.ok(made.bytes.includes(Buffer.from(data.secret)));
  const { id } = (await owner.post('/files', raw('text/plain', 'x'.repeat(5000)))).must(201).data;
  const file = await owner.exchange('GET', `/api/v1/files/${id}/content`, { headers: GZIP });
  assert.deepEqual([packed(file), file.bytes.length], [false, 5000]);
});

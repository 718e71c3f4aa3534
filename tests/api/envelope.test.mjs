import assert from 'node:assert/strict';
import { test } from 'node:test';
import { links, open } from './lib/index.mjs';

const teams = async (who, n) => {
  for (let i = 1; i <= n; i++) await who.create('/teams', { title: `Team ${i}` });
};

test('a single resource has status, data and resource', async (t) => {
  const { owner } = await open(t);
  const made = (await owner.post('/teams', { title: 'Night shift' })).must(201);
  assert.equal(made.body.status, 201);
  assert.equal(made.body.resource, 'team');
  const { id, resource_url, resource_type, title } = made.data;
  assert.deepEqual({ resource_type, title }, { resource_type: 'team', title: 'Night shift' });
  assert.equal(resource_url, `${owner.desk.base}/api/v1/teams/${id}`);
  assert.deepEqual((await owner.fetch(`/teams/${id}`)), made.data);
});

test('a list has offset, limit and total_count', async (t) => {
  const { owner } = await open(t);
  await teams(owner, 12);
  const { body } = (await owner.get('/teams')).must(200);
  assert.deepEqual([body.offset, body.limit, body.total_count, body.data.length, body.resource], [0, 10, 12, 10, 'team']);
});

test('an empty list is 200 with an empty array and no page links', async (t) => {
  const { owner } = await open(t);
  const { body } = (await owner.get('/teams')).must(200);
  assert.deepEqual([body.data, body.total_count], [[], 0]);
  for (const name of ['first_url', 'previous_url', 'next_url', 'last_url']) assert.ok(!(name in body), name);
});

test('page links are present only if the page exists, and lead to it', async (t) => {
  const { owner, base } = await open(t);
  const total = 23;
  await teams(owner, total);
  const address = (offset, limit) => {
    const args = [...(limit === 10 ? [] : [`limit=${limit}`]), ...(offset === 0 ? [] : [`offset=${offset}`])].join('&');
    return `${base}/api/v1/teams.json${args && `?${args}`}`;
  };
  for (const limit of [1, 7, 10, 23, 24]) {
    for (const offset of [0, 1, 6, 7, 10, 20, 22, 23, 40]) {
      const { body } = (await owner.get('/teams', { offset, limit })).must(200);
      const last = Math.max(0, Math.floor((total - 1) / limit) * limit);
      const wanted = {
        ...(offset > 0 && { first_url: address(0, limit), previous_url: address(Math.max(offset - limit, 0), limit) }),
        ...(offset + limit < total && { next_url: address(offset + limit, limit) }),
        ...(offset !== last && { last_url: address(last, limit) }),
      };
      const { first_url, previous_url, next_url, last_url } = body;
      const got = Object.fromEntries(Object.entries({ first_url, previous_url, next_url, last_url }).filter(([, v]) => v));
      assert.deepEqual(got, wanted, `limit ${limit} offset ${offset}`);
      assert.equal(body.data.length, Math.max(0, Math.min(limit, total - offset)));
      assert.equal(body.total_count, total);
    }
  }
});

test('following next_url visits each row once, in order', async (t) => {
  const { owner, base } = await open(t);
  await teams(owner, 23);
  const seen = [];
  for (let url = `${base}/api/v1/teams?limit=4`; url;) {
    const reply = (await owner.get(url.slice(base.length))).must(200);
    seen.push(...reply.ids);
    url = links(reply.headers.link).next;
  }
  assert.equal(seen.length, 23);
  assert.deepEqual(seen, [...new Set(seen)].sort((a, b) => a - b));
});

test('page links keep other arguments, sorted by name and percent-encoded', async (t) => {
  const { owner } = await open(t);
  for (const legacy of ['a b', 'c&d', 'e']) await owner.create('/teams', { title: legacy, legacy_id: legacy });
  const { body } = (await owner.get('/teams', { limit: 1, legacy_ids: 'a b,c&d,e', include: 'business_hour', _case: 'snake' })).must(200);
  assert.equal(body.total_count, 3);
  const [path, search] = body.next_url.split('?');
  assert.ok(path.endsWith('/api/v1/teams.json'));
  assert.deepEqual(search.split('&').map((a) => a.split('=')[0]).filter((n) => n !== '_case'), ['include', 'legacy_ids', 'limit', 'offset']);
  assert.equal(new URLSearchParams(search).get('legacy_ids'), 'a b,c&d,e');
  assert.doesNotMatch(search, /[ "<>,]|c&d/);
  assert.ok(search.includes('legacy_ids=a%20b%2Cc%26d%2Ce'), search);
});

test('limit=0 means the default, and an offset past the end gives an empty page', async (t) => {
  const { owner } = await open(t);
  await teams(owner, 2);
  assert.equal((await owner.get('/teams', { limit: 0 })).must(200).body.limit, 10);
  const past = (await owner.get('/teams', { offset: 99 })).must(200).body;
  assert.deepEqual([past.data, past.offset, past.total_count], [[], 99, 2]);
});

test('a limit over 1000 is served as 1000 with a notice', async (t) => {
  const { owner } = await open(t);
  for (const limit of [1001, 2_000_000_000]) {
    const { body } = (await owner.get('/teams', { limit })).must(200);
    assert.equal(body.limit, 1000);
    assert.ok(body.logs?.some(({ message }) => message.includes('limit')), JSON.stringify(body));
  }
  assert.ok(!('logs' in (await owner.get('/teams', { limit: 1000 })).must(200).body));
});

test('a negative or non-numeric offset or limit is FIELD_INVALID', async (t) => {
  const { owner } = await open(t);
  for (const name of ['offset', 'limit']) {
    for (const value of ['-1', 'abc', '1.5', '1e3', '0x10', '1 2', 'NaN']) {
      (await owner.get('/teams', { [name]: value })).refused(400, 'FIELD_INVALID', name);
    }
  }
  (await owner.get('/teams', { offset: 'x', limit: 'y' })).refused(400, 'FIELD_INVALID', 'offset', 'limit');
});

test('bulk changes answer with total_count, a single delete only with the status', async (t) => {
  const { owner } = await open(t);
  await teams(owner, 3);
  const [one, ...rest] = (await owner.get('/teams')).ids;
  const deleted = (await owner.delete(`/teams/${one}`)).must(200).body;
  assert.deepEqual(Object.keys(deleted).filter((k) => k !== 'session_id'), ['status']);
  const bulk = (await owner.delete('/teams', { ids: rest.join() })).must(200).body;
  assert.equal(bulk.total_count, 2);
  assert.ok(!('data' in bulk));
});

test('paths are accepted with and without .json and with a doubled leading slash', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/teams', { title: 'One' });
  for (const path of ['/api/v1/teams', '/api/v1/teams.json', '//api/v1/teams.json', '//api/v1/teams']) {
    assert.deepEqual((await owner.get(path)).must(200).ids, [id]);
  }
  for (const path of [`/api/v1/teams/${id}`, `/api/v1/teams/${id}.json`, `//api/v1/teams/${id}.json`]) {
    assert.equal((await owner.get(path)).must(200).data.id, id);
  }
});

test('HEAD answers like GET without the body', async (t) => {
  const { owner } = await open(t);
  await teams(owner, 11);
  const get = (await owner.get('/teams')).must(200);
  const head = (await owner.head('/teams')).must(200);
  for (const name of ['etag', 'link', 'content-type', 'last-modified', 'vary']) assert.equal(head.headers[name], get.headers[name], name);
  (await owner.head('/teams/999999')).must(404);
  (await owner.desk.anyone.head('/teams')).must(401);
});

test('replies are compact, indented with _pretty=true, and do not escape slashes', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/teams', { title: 'Zoë / Łódź 日本 🙂' });
  const plain = (await owner.get(`/teams/${id}`)).must(200);
  assert.equal(plain.text, JSON.stringify(plain.body));
  const pretty = (await owner.get(`/teams/${id}`, { _pretty: 'true' })).must(200);
  assert.equal(pretty.text.trimEnd(), JSON.stringify(pretty.body, null, 4));
  assert.deepEqual(pretty.data, plain.data);
});

test('every request has a unique id, also after a restart', async (t) => {
  const desk = await open(t), ids = new Set();
  for (const starts of [1, 2]) {
    for (let i = 0; i < 20; i++) ids.add((await desk.owner.get('/teams')).headers['x-request-id']);
    assert.equal(ids.size, 20 * starts);
    if (starts === 1) await desk.restart();
  }
});

test('addresses come from the settings, never from the Host header', async (t) => {
  const { owner, base } = await open(t);
  await teams(owner, 2);
  const { body } = (await owner.get('/teams', { limit: 1 }, { Host: 'evil.example' })).must(200);
  assert.ok(body.next_url.startsWith(base));
  assert.ok(body.data[0].resource_url.startsWith(base));
});

test('every address begins with the configured base URL', async (t) => {
  const { owner } = await open(t, { base: 'https://help.example/desk' });
  await teams(owner, 2);
  const { body } = (await owner.get('/teams', { limit: 1 })).must(200);
  assert.equal(body.next_url, 'https://help.example/desk/api/v1/teams.json?limit=1&offset=1');
  const cookie = (await owner.get('/session')).must(200).headers['set-cookie'][0];
  assert.match(cookie, /; ?Secure/i);
});

test('a CORS preflight is answered, and foreign origins are not allowed by default', async (t) => {
  const { anyone, base, owner } = await open(t);
  const ask = (Origin) => anyone.exchange('OPTIONS', '/api/v1/teams', {
    headers: { Origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' },
  });
  const own = await ask(base);
  assert.ok([200, 204].includes(own.status), `${own}`);
  assert.match(own.headers['access-control-allow-methods'] ?? '', /POST/);
  const foreign = await ask('https://evil.example');
  assert.ok(!foreign.headers['access-control-allow-origin'], 'a foreign origin is allowed');
  assert.ok(!(await owner.get('/teams', {}, { Origin: 'https://evil.example' })).headers['access-control-allow-origin']);
  const exposed = (await owner.get('/teams', {}, { Origin: base })).headers['access-control-expose-headers'] ?? '';
  for (const name of ['X-API-Version', 'X-Request-ID', 'ETag', 'Link', 'X-CSRF-Token']) assert.match(exposed, new RegExp(name, 'i'));
});

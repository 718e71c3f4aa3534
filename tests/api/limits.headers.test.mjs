import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open, raw, shared } from './lib/index.mjs';

// Headers by which browsers and proxies limit what others may do: CORS, security headers, X-Forwarded-For.

const ALONE = { processes: 1 };
const set = (desk, values) => desk.owner.update('/settings', { values });
const APP = 'https://app.example.com';

describe('CORS', () => {
  const world = shared((w) => set(w.desk, { 'security.cors_origins': APP }), ALONE);
  const preflight = (origin, path = '/api/v1/teams/1', headers = 'authorization,idempotency-key,if-match,x-session-id,x-csrf-token,x-options,content-type') =>
    world.desk.anyone.exchange('OPTIONS', path, { headers: { Origin: origin, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': headers } });

  test('a preflight of a listed origin admits its methods and headers, with credentials', async () => {
    const { status, headers } = await preflight(APP);
    assert.equal(status, 204);
    assert.equal(headers['access-control-allow-origin'], APP);
    assert.equal(headers['access-control-allow-credentials'], 'true');
    for (const method of ['GET', 'PUT', 'DELETE']) assert.match(headers['access-control-allow-methods'], new RegExp(`\\b${method}\\b`));
    for (const name of ['authorization', 'idempotency-key', 'if-match', 'x-session-id', 'x-csrf-token', 'x-options']) assert.match(headers['access-control-allow-headers'], new RegExp(name));
    assert.equal(headers['access-control-max-age'], '600');
    assert.match([headers.vary].flat().join(), /Origin/);
  });

  test('browsers keep the answer for security.cors_max_age_seconds', async () => {
    await set(world.desk, { 'security.cors_max_age_seconds': 86400 });
    assert.equal((await preflight(APP)).headers['access-control-max-age'], '86400');
  });

  test('another origin is not admitted', async () => {
    for (const origin of ['https://evil.example', 'https://app.example.com.evil.example', 'http://app.example.com', 'https://app.example.com:444', 'null', 'https://x.app.example.com']) {
      const { headers } = await preflight(origin);
      assert.deepEqual([headers['access-control-allow-origin'], headers['access-control-allow-credentials']], [undefined, undefined], origin);
    }
  });

  test('a preflight of an unknown path is 404', async () => assert.equal((await preflight(APP, '/api/v1/no/such/path')).status, 404));

  test('scripts of a listed origin read the limits and Retry-After', async () => {
    const { headers } = (await world.desk.staff.with({ Origin: APP }).get('/me')).must(200);
    const exposed = headers['access-control-expose-headers'].split(', ');
    for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-ID', 'ETag']) assert.ok(exposed.includes(name), name);
  });

  test('all origins together never get credentials', async (t) => {
    const desk = await open(t, ALONE);
    await set(desk, { 'security.cors_origins': '*' });
    const { headers } = (await desk.staff.with({ Origin: 'https://any.example' }).get('/me')).must(200);
    assert.deepEqual([headers['access-control-allow-origin'], headers['access-control-allow-credentials']], ['*', undefined]);
  });

  for (const wrong of ['app.example.com', 'https://', 'https://app.example.com/path', `${APP}, https://b.example`, "https://a.example;script-src", 'ftp://a.example', 'https://user@a.example']) {
    test(`${wrong} is no list of origins`, async () => {
      for (const name of ['cors_origins', 'frame_ancestors']) (await world.desk.owner.put('/settings', { values: { [`security.${name}`]: wrong } })).refused(400, 'FIELD_INVALID', `values/security.${name}`);
    });
  }
});

describe('security headers', () => {
  const world = shared(async ({ desk }) => {
    desk.file = (await desk.owner.create('/files', raw('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'))).id;
  }, { ...ALONE, base: 'https://desk.example.com' });
  const NONE = /default-src 'none'.*frame-ancestors 'none'/, get = (path, client = world.desk.anyone) => client.exchange('GET', path);
  const PAGES = [['/docs', 'no-referrer', NONE], ['/helpcenter/en-us', 'same-origin', NONE], ['/password', 'same-origin', NONE]];
  const DATA = [['/api/v1/locales', NONE], ['/api/v1/no/such/path', NONE], ['/api/v1/teams', NONE], ['/openapi.json', /default-src 'none'/], ['/healthz', NONE], ['/metrics', NONE], ['/.well-known/oauth-authorization-server', NONE]];

  for (const [path, referrer, policy] of PAGES) {
    test(`the page ${path} runs no foreign script, is in no frame, and gets no device`, async () => {
      const { headers } = await get(path);
      assert.match(headers['content-type'], /html/);
      assert.match(headers['content-security-policy'], policy);
      assert.doesNotMatch(headers['content-security-policy'], /script-src[^;]*unsafe/);
      assert.deepEqual([headers['referrer-policy'], headers['x-content-type-options']], [referrer, 'nosniff']);
      for (const device of ['camera', 'microphone', 'geolocation']) assert.match(headers['permissions-policy'], new RegExp(`${device}=\\(\\)`));
    });
  }

  for (const [path, policy] of DATA) {
    test(`the reply of ${path} is never a page`, async () => {
      const { headers } = await get(path);
      assert.match(headers['content-security-policy'], policy);
      assert.deepEqual([headers['referrer-policy'], headers['x-content-type-options']], ['no-referrer', 'nosniff']);
    });
  }

  test('a download is saved or shown without scripts', async () => {
    const { headers } = (await get(`/api/v1/files/${world.desk.file}/content`, world.desk.owner)).must(200);
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox");
    assert.deepEqual([headers['referrer-policy'], headers['x-content-type-options']], ['no-referrer', 'nosniff']);
  });

  test('each header is sent once', async () => {
    for (const path of [...PAGES, ...DATA].map(([p]) => p)) {
      const { headers } = await get(path);
      for (const name of ['content-security-policy', 'referrer-policy', 'x-content-type-options', 'permissions-policy']) assert.doesNotMatch(headers[name] ?? '', /nosniff, |, no-referrer|, default-src/, path);
    }
  });

  test('HTTPS is demanded of browsers if the desk is reached by HTTPS and has the setting', async () => {
    const paths = [...PAGES, ...DATA].map(([path]) => path);
    for (const path of paths) assert.equal((await get(path)).headers['strict-transport-security'], undefined, path);
    await set(world.desk, { 'security.hsts_seconds': 31536000 });
    for (const path of paths) assert.equal((await get(path)).headers['strict-transport-security'], 'max-age=31536000', path);
    assert.equal((await get(`/api/v1/files/${world.desk.file}/content`, world.desk.owner)).headers['strict-transport-security'], 'max-age=31536000');
  });

  test('a desk that is reached by HTTP never demands HTTPS', async (t) => {
    const desk = await open(t, ALONE);
    await set(desk, { 'security.hsts_seconds': 31536000 });
    for (const path of ['/docs', '/api/v1/locales']) assert.equal((await desk.anyone.exchange('GET', path)).headers['strict-transport-security'], undefined);
  });

  test('listed sites show pages of the help center in a frame, but no pages of logins and links', async (t) => {
    const desk = await open(t, ALONE);
    await set(desk, { 'security.frame_ancestors': "'self' https://shop.example.com" });
    const policy = async (path) => (await desk.anyone.exchange('GET', path)).headers['content-security-policy'];
    assert.match(await policy('/helpcenter/en-us'), /frame-ancestors 'self' https:\/\/shop\.example\.com$/);
    for (const path of ['/password', '/docs', '/api/v1/locales']) assert.match(await policy(path), /frame-ancestors 'none'/);
  });

  test('only owners change frames and HSTS', async () => {
    for (const [name, value] of Object.entries({ frame_ancestors: APP, hsts_seconds: 1 })) (await world.desk.admin.put('/settings', { values: { [`security.${name}`]: value } })).refused(403, 'PERMISSIONS_DENIED');
  });
});

describe('the address of a caller behind proxies', () => {
  /** The address that the desk counts: the log-in of a session stores it. */
  const seen = async (desk, headers) => {
    desk.serial = (desk.serial ?? 0) + 1;
    const reply = await desk.staff.with({ ...headers, 'User-Agent': `proxied/${desk.serial}` }).get('/session');
    reply.must(200);
    return desk.sql(`SELECT ip_address FROM sessions WHERE user_agent = 'proxied/${desk.serial}'`).trim();
  };

  test('without trusted proxies no header changes it', async (t) => {
    const desk = await open(t, ALONE);
    for (const headers of [{ 'X-Forwarded-For': '192.0.2.9' }, { Forwarded: 'for=192.0.2.9' }, { 'X-Real-IP': '192.0.2.9' }]) assert.equal(await seen(desk, headers), '127.0.0.1');
  });

  test('headers of a peer outside of the trusted networks are ignored', async (t) => {
    const desk = await open(t, { ...ALONE, args: ['--proxies', '10.0.0.0/8, 127.0.0.2'] });
    assert.equal(await seen(desk, { 'X-Forwarded-For': '192.0.2.9' }), '127.0.0.1');
  });

  test('a trusted peer names the caller: the last address that no proxy has', async (t) => {
    const desk = await open(t, { ...ALONE, args: ['--proxies', '127.0.0.0/8,10.0.0.0/8,2001:db8::/32'] });
    for (const [sent, address] of [
      ['192.0.2.9', '192.0.2.9'],
      ['203.0.113.66, 192.0.2.9', '192.0.2.9'], // the first one is claimed by the client
      ['192.0.2.9, 10.1.2.3', '192.0.2.9'],
      ['203.0.113.66,192.0.2.9 , 10.9.9.9,  10.1.2.3', '192.0.2.9'],
      ['192.0.2.9, 11.0.0.1', '11.0.0.1'],
      ['192.0.2.9, 2001:db8:5::1', '192.0.2.9'],
      ['2001:db9::7', '2001:db9::7'],
      ['192.0.2.9:4711', '192.0.2.9'],
      ['192.0.2.9, unknown', '127.0.0.1'], // a malformed address ends the walk
      ['192.0.2.9, 10.1.2.3, 999.1.1.1', '127.0.0.1'],
      ['192.0.2.9,', '127.0.0.1'],
      ['', '127.0.0.1'],
    ]) assert.equal(await seen(desk, { 'X-Forwarded-For': sent }), address, sent);
    assert.equal(await seen(desk, { Forwarded: 'for=192.0.2.9' }), '127.0.0.1', 'Forwarded is not read');
  });
});

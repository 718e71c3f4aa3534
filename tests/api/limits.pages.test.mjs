// Rate limits of requests outside of the API: pages of the help center and of links, and the OAuth server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, authorizeUrl, challengeOf, denied, exchange, form, open, register, until } from './lib/index.mjs';
import { Browser, formOf } from './lib/browser.mjs';

const HOME = '/helpcenter/en-us', LOGIN = `${HOME}/login`;

/** A desk of one process with these limits. The clock of the tests stands still, so no token comes back by itself. */
const limited = async (t, values, options = {}) => {
  const desk = await open(t, { processes: 1, ...options });
  await desk.owner.update('/settings', { values: Object.fromEntries(Object.entries(values).map(([name, n]) => [`limits.${name}_per_minute`, n])) });
  return desk;
};
/** Checks the page that a visitor gets in place of one too many. */
function refused(reply, seconds, text = 'Too many requests') {
  assert.equal(reply.status, 429, String(reply));
  assert.match(reply.headers['content-type'], /^text\/html/);
  assert.equal(reply.headers['retry-after'], String(seconds));
  assert.equal(reply.headers['cache-control'], 'no-store');
  assert.match(reply.headers['content-security-policy'], /frame-ancestors 'none'/);
  assert.ok(reply.text.includes(text), reply.text);
}
const visit = (desk, path = HOME, headers = {}, address = '127.0.0.1') => desk.anyone.at(address).exchange('GET', path, { headers });
const member = async (desk, role) => {
  const browser = new Browser(desk);
  const page = (await browser.get(LOGIN)).must(200);
  const { hidden } = formOf(page);
  (await browser.go('POST', LOGIN, form({ ...hidden, email: desk.people[role].email, password: PASSWORD }))).must(303);
  return browser;
};

test('pages have no limit and no header of one until the setting is set, whatever limit the API has', async (t) => {
  const desk = await limited(t, { read: 1 });
  for (let i = 0; i < 3; i++) assert.deepEqual((await visit(desk)).must(200).limits, [undefined, undefined]);
});

test('a visitor opens as many pages a minute as the setting says, kept ones and new ones', async (t) => {
  const desk = await limited(t, { pages: 3 });
  assert.deepEqual((await visit(desk)).must(200).limits, ['"page";q=3;w=60', '"page";r=2;t=20']);
  assert.deepEqual((await visit(desk)).must(200).limits, ['"page";q=3;w=60', '"page";r=1;t=40']);
  assert.deepEqual((await visit(desk, `${HOME}/search?query=printer`)).must(200).limits, ['"page";q=3;w=60', '"page";r=0;t=60']);
  const over = await visit(desk);
  refused(over, 20);
  assert.deepEqual(over.limits, ['"page";q=3;w=60', '"page";r=0;t=20']);
  refused(await visit(desk, `${HOME}/search?query=printer`), 20);
  refused(await visit(desk, '/helpcenter/de/search?query=printer'), 20, 'Zu viele Anfragen');
  await desk.clock.forward(20);
  (await visit(desk)).must(200);
  refused(await visit(desk), 20);
});

test('the limit of pages is apart from that of the API', async (t) => {
  const desk = await limited(t, { pages: 1, read: 1 });
  (await visit(desk)).must(200);
  refused(await visit(desk), 60);
  (await desk.anyone.get('/helpcenter/search', { query: 'printer' })).must(200);
});

test('visitors without login count by their address', async (t) => {
  const desk = await limited(t, { pages: 2 });
  for (let i = 0; i < 2; i++) (await visit(desk, HOME, {}, '127.0.0.2')).must(200);
  refused(await visit(desk, HOME, {}, '127.0.0.2'), 30);
  (await visit(desk, HOME, {}, '127.0.0.3')).must(200);
});

test('a cookie of no session does not change who counts', async (t) => {
  const desk = await limited(t, { pages: 1 });
  const made = (i) => ({ Cookie: `desk_session=made-up-${i}` });
  (await visit(desk, HOME, made(0))).must(200);
  for (let i = 1; i < 4; i++) refused(await visit(desk, HOME, made(i)), 60);
  refused(await visit(desk), 60);
});

test('people with a login count for themselves, from whatever address', async (t) => {
  const desk = await limited(t, {});
  const [ada, cora] = [await member(desk, 'agent'), await member(desk, 'customer')];
  await desk.owner.update('/settings', { values: { 'limits.pages_per_minute': 2 } });
  for (const one of [ada, cora]) {
    for (let i = 0; i < 2; i++) (await one.get(`${HOME}/conversations`)).must(200);
    const over = await one.get(`${HOME}/conversations`);
    refused(over, 30);
    assert.match(over.text, /<header/, 'the page has the frame of the brand');
  }
  (await visit(desk)).must(200);
});

test('a page that the browser has costs a tenth, and the files of pages cost nothing', async (t) => {
  const desk = await limited(t, {});
  const { etag } = (await visit(desk)).must(200).headers;
  await desk.owner.update('/settings', { values: { 'limits.pages_per_minute': 20 } });
  (await visit(desk, `${HOME}/search`)).must(200);
  for (let i = 1; i <= 10; i++) assert.equal((await visit(desk, HOME, { 'If-None-Match': etag })).must(304).headers.ratelimit, `"page";r=18;t=${3 + Math.ceil(0.3 * i)}`);
  for (const file of ['style.css', 'brand.css', 'suggest.js']) assert.deepEqual((await visit(desk, `/helpcenter/${file}`)).must(200).limits, [undefined, undefined]);
});

test('forms of pages are writes, of the person or of the address', async (t) => {
  const desk = await limited(t, {});
  const cora = await member(desk, 'customer'), stranger = new Browser(desk, { from: '127.0.0.2' });
  const [hers, his] = [formOf(await cora.get(`${HOME}/contact`)), formOf(await stranger.get(`${HOME}/contact`))];
  await desk.owner.update('/settings', { values: { 'limits.write_per_minute': 1 } });
  const send = (browser, { hidden }, more = {}) => browser.go('POST', `${HOME}/contact`, form({ ...hidden, subject: 'Help', contents: 'Me', ...more }));
  const ann = { name: 'Ann', email: 'ann@strangers.example' };
  assert.deepEqual((await send(cora, hers)).must(303).limits, ['"write";q=1;w=60', '"write";r=0;t=60']);
  refused(await send(cora, hers), 60);
  (await send(stranger, his, ann)).must(303);
  refused(await send(stranger, his, ann), 60);
  assert.equal((await desk.owner.get('/cases')).must(200).body.total_count, 2, 'a refused form changes nothing');
});

test('pages of links and the OAuth login count as pages, and their forms as writes', async (t) => {
  const desk = await limited(t, { pages: 2 });
  const client = await register(desk);
  const url = authorizeUrl(client, { code_challenge: challengeOf('v'.repeat(43)), code_challenge_method: 'S256' });
  const page = (await visit(desk, url)).must(200);
  assert.deepEqual(page.limits, ['"page";q=2;w=60', '"page";r=1;t=30']);
  assert.deepEqual((await visit(desk, '/password?token=x')).limits, ['"page";q=2;w=60', '"page";r=0;t=60']);
  for (const path of ['/password?token=x', url]) refused(await visit(desk, path), 30);
  await desk.owner.update('/settings', { values: { 'limits.write_per_minute': 1 } });
  const browser = new Browser(desk), login = { email: desk.people.agent.email, password: 'wrong' };
  assert.deepEqual((await browser.send(page, login)).limits, ['"write";q=1;w=60', '"write";r=0;t=60']);
  refused(await browser.send(page, login), 60);
});

test('replies of the OAuth server show the limit of the client, or of the address of a client without secret', async (t) => {
  const desk = await limited(t, {});
  const [client, app] = [await register(desk), await register(desk, { is_public: true })];
  await desk.owner.update('/settings', { values: { 'limits.write_per_minute': 2, 'limits.read_per_minute': 3 } });
  const ask = () => exchange(desk, client, { grant_type: 'client_credentials' });
  assert.deepEqual((await ask()).must(200).limits, ['"write";q=2;w=60', '"write";r=1;t=30']);
  (await ask()).must(200);
  assert.deepEqual(denied(await ask(), 429, 'temporarily_unavailable').limits, ['"write";q=2;w=60', '"write";r=0;t=30']);
  assert.deepEqual((await exchange(desk, client, { token: 'unknown' }, { path: '/oauth/introspect' })).must(200).limits, ['"read";q=3;w=60', '"read";r=2;t=20']);
  const guess = (from) => exchange(desk, app, { grant_type: 'refresh_token', refresh_token: 'unknown' }, { from });
  for (const left of [1, 0]) assert.equal(denied(await guess('127.0.0.4'), 400, 'invalid_grant').headers.ratelimit, `"write";r=${left};t=${60 - 30 * left}`);
  denied(await guess('127.0.0.4'), 429, 'temporarily_unavailable');
  denied(await guess('127.0.0.5'), 400, 'invalid_grant');
  denied(await exchange(desk, { key: client.key, secret: 'wrong' }, { grant_type: 'client_credentials' }), 401, 'invalid_client');
});

test('a page in another site reads the limit of its client', async (t) => {
  const desk = await limited(t, { write: 5 });
  await desk.owner.update('/settings', { values: { 'security.cors_origins': 'https://app.example' } });
  const client = await register(desk, { is_public: true });
  const { headers } = await exchange(desk, client, { grant_type: 'refresh_token', refresh_token: 'unknown' }, { headers: { Origin: 'https://app.example' } });
  const exposed = headers['access-control-expose-headers'].split(', ');
  for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After']) assert.ok(exposed.includes(name), String(exposed));
});

test('every reply outside of the API has its line in the access log, without its query', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--access-log'] });
  const client = await register(desk);
  const lines = { 'GET /oauth/token 405': ['GET', '/oauth/token'], 'OPTIONS /oauth/token 204': ['OPTIONS', '/oauth/token'], 'GET /.well-known/oauth-authorization-server 200': ['GET', '/.well-known/oauth-authorization-server'],
    'GET /oauth/authorize 200': ['GET', authorizeUrl(client, { state: 'not-logged' })], 'PUT /oauth/authorize 405': ['PUT', '/oauth/authorize'], 'GET /password 400': ['GET', '/password?token=not-logged'], 'GET /helpcenter/en-us 200': ['GET', HOME] };
  for (const [line, [method, path]] of Object.entries(lines)) {
    const { status } = await desk.anyone.exchange(method, path);
    await until(`the line of ${line} (${status})`, () => desk.log.includes(` ${line} `));
  }
  (await exchange(desk, client, { grant_type: 'client_credentials' })).must(200);
  await until('the line of the exchange', () => desk.log.includes(' POST /oauth/token 200 '));
  assert.match(desk.log, new RegExp(` POST /oauth/token 200 \\d+ bytes \\d+ ms client ${client.id} from 127\\.0\\.0\\.1 `));
  assert.ok(!desk.log.includes('not-logged'));
});

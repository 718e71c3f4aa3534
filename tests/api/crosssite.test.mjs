import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROLES, open } from './lib/index.mjs';

// A page of another site can't make a browser write with credentials that the browser adds by itself.

const FOREIGN = ['https://evil.example', 'null', 'http://127.0.0.1', 'https://desk.example.com.evil.example', 'https://desk.example.com:8443', 'http://desk.example.com',
  'https://desk.example.com@evil.example', 'https:desk.example.com', 'https://', '*', 'desk.example.com'];
const BASE = 'https://desk.example.com/help';

/** Requests that a browser can repeat by itself: name and headers of an otherwise complete write. */
async function ambient(desk, role) {
  const { id, csrf } = await desk.session(desk.as(role));
  const { Authorization } = desk.as(role).headers;
  return [['Basic', { Authorization }], ['the cookie', { Cookie: `desk_session=${id}`, 'X-CSRF-Token': csrf }],
    ['Basic and a session', { Authorization, 'X-Session-ID': id }]];
}

/** A write that every role may do. */
const write = (desk, headers) => desk.anyone.with(headers).put('/profile', { designation: 'x' });

test('a write from another site with Basic or the cookie is refused for every role', async (t) => {
  const desk = await open(t, { base: BASE });
  for (const role of ROLES) {
    for (const [, headers] of await ambient(desk, role)) {
      (await write(desk, headers)).must(200);
      for (const Origin of FOREIGN) (await write(desk, { ...headers, Origin })).refused(403, 'CSRF_FAILED');
      for (const site of ['cross-site', 'Cross-Site']) (await write(desk, { ...headers, 'Sec-Fetch-Site': site })).refused(403, 'CSRF_FAILED');
      (await write(desk, { ...headers, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://desk.example.com' })).refused(403, 'CSRF_FAILED');
    }
  }
});

test('a refused request writes nothing', async (t) => {
  const desk = await open(t);
  (await desk.staff.put('/profile', { designation: 'new' }, { headers: { Origin: 'https://evil.example' } })).refused(403, 'CSRF_FAILED');
  assert.equal((await desk.staff.fetch('/profile')).designation, null);
});

test('each writing method is refused before the checks of role, body and resource', async (t) => {
  const { customer } = await open(t);
  const evil = customer.with({ Origin: 'https://evil.example' });
  (await evil.post('/teams', '{')).refused(403, 'CSRF_FAILED');
  (await evil.put('/teams/999', { title: 'x' })).refused(403, 'CSRF_FAILED');
  (await evil.delete('/conversations/999')).must(405);
  (await evil.delete('/profile/avatar')).refused(403, 'CSRF_FAILED');
  (await evil.delete('/session')).refused(403, 'CSRF_FAILED');
  for (const read of [evil.get('/conversations'), evil.head('/conversations')]) (await read).must(200);
});

test('wrong credentials are reported before a wrong site', async (t) => {
  const desk = await open(t);
  (await desk.login('agent@example.com', 'wrong').put('/profile', {}, { headers: { Origin: 'https://evil.example' } })).refused(401, 'AUTHENTICATION_FAILED');
});

test('own sites are the Host, the base URL, the listed origins and the domains of enabled brands', async (t) => {
  const desk = await open(t, { base: BASE });
  await desk.owner.update('/settings', { values: { 'security.cors_origins': 'https://app.example.org  http://localhost:3000 *' } });
  const shop = await desk.owner.create('/brands', { name: 'Shop', domain: 'Help.Shop.example', sub_domain: 'shop' });
  await desk.owner.create('/brands', { name: 'Closed', domain: 'closed.example', is_enabled: false });
  const host = `127.0.0.1:${desk.daemons[0].port}`;
  const ours = ['https://desk.example.com', 'https://desk.example.com:443', 'HTTPS://Desk.Example.com', 'https://app.example.org', 'http://localhost:3000',
    'https://help.shop.example', 'https://HELP.shop.example', 'http://help.shop.example'];
  const foreign = ['https://app.example.org:444', 'http://app.example.org', 'http://localhost', 'https://closed.example', 'https://shop.example', 'https://help.shop.example:8443',
    'https://x.help.shop.example', 'https://shop.desk.example.com', 'null', '*'];
  for (const [name, headers] of await ambient(desk, 'customer')) {
    for (const Origin of [...ours, `http://${host}`, `https://${host}`]) assert.equal((await write(desk, { ...headers, Host: host, Origin, 'Sec-Fetch-Site': 'same-site' })).status, 200, `${name} of ${Origin}`);
    for (const Origin of foreign) assert.equal((await write(desk, { ...headers, Origin })).status, 403, `${name} of ${Origin}`);
    for (const site of ['same-origin', 'same-site', 'none']) (await write(desk, { ...headers, 'Sec-Fetch-Site': site })).must(200);
  }
  (await write(desk, { ...desk.customer.headers, Host: 'my.desk:80', Origin: 'http://my.desk' })).must(200);
  await desk.owner.update(`/brands/${shop.id}`, { is_enabled: false });
  (await write(desk, { ...desk.customer.headers, Origin: 'https://help.shop.example' })).refused(403, 'CSRF_FAILED');
});

test('the domain that an admin gives a brand is an own site only when an owner has confirmed it', async (t) => {
  const desk = await open(t, { base: BASE });
  const { admin, owner } = desk;
  const from = (domain) => write(desk, { ...desk.customer.headers, Origin: `https://${domain}` });
  const shop = await admin.create('/brands', { name: 'Shop', domain: 'shop.example' });
  assert.deepEqual([shop.domain, shop.is_domain_trusted], ['shop.example', false]);
  (await from('shop.example')).refused(403, 'CSRF_FAILED');
  (await write(desk, { ...desk.customer.headers, Host: 'shop.example', Origin: 'https://shop.example' })).must(200); // a page of the desk itself
  (await admin.put(`/brands/${shop.id}`, { is_domain_trusted: true })).refused(403, 'PERMISSIONS_DENIED', 'is_domain_trusted');
  (await admin.post('/brands', { name: 'X', domain: 'x.example', is_domain_trusted: true })).refused(403, 'PERMISSIONS_DENIED', 'is_domain_trusted');
  (await from('shop.example')).refused(403, 'CSRF_FAILED');
  assert.equal((await owner.update(`/brands/${shop.id}`, { name: 'Our shop' })).is_domain_trusted, false, 'another change is no confirmation');
  assert.equal((await owner.update(`/brands/${shop.id}`, { is_domain_trusted: true })).is_domain_trusted, true);
  (await from('shop.example')).must(200);
  assert.equal((await admin.update(`/brands/${shop.id}`, { domain: 'shop.example', is_domain_trusted: true })).is_domain_trusted, true, 'what the brand has');
  assert.equal((await admin.update(`/brands/${shop.id}`, { domain: 'other.example', is_domain_trusted: true })).is_domain_trusted, false);
  for (const domain of ['other.example', 'shop.example']) (await from(domain)).refused(403, 'CSRF_FAILED');
  (await admin.put(`/brands/${shop.id}`, { is_domain_trusted: true })).refused(403, 'PERMISSIONS_DENIED', 'is_domain_trusted');
  assert.equal((await owner.update(`/brands/${shop.id}`, { domain: 'third.example' })).is_domain_trusted, true, 'an owner\'s own choice');
  (await from('third.example')).must(200);
  (await admin.put(`/brands/${shop.id}`, { is_domain_trusted: false })).refused(403, 'PERMISSIONS_DENIED', 'is_domain_trusted');
  assert.equal((await owner.update(`/brands/${shop.id}`, { is_domain_trusted: false })).is_domain_trusted, false);
  (await from('third.example')).refused(403, 'CSRF_FAILED');
  (await owner.put(`/brands/${shop.id}`, { domain: null, is_domain_trusted: true })).refused(400, 'FIELD_INVALID', 'is_domain_trusted');
  (await owner.put('/brands/1', { is_domain_trusted: true })).refused(400, 'FIELD_INVALID', 'is_domain_trusted');
  (await owner.post('/brands', { name: 'X', is_domain_trusted: true })).refused(400, 'FIELD_INVALID', 'is_domain_trusted');
  assert.equal((await owner.create('/brands', { name: 'X', domain: 'x.example', is_domain_trusted: false })).is_domain_trusted, false);
  const entries = (await owner.fetch('/audit_log', { limit: 100 })).filter((e) => e.object?.resource_type === 'brand' && e.object.id === shop.id).reverse();
  const changed = (e) => `${e.actor.id} ${e.action} ${(e.details.changes ?? []).map((change) => change.property)}`.replace(/^\d+/, (id) => (Number(id) === desk.people.owner.id ? 'owner' : 'admin'));
  assert.deepEqual(entries.map(changed), ['admin BRAND_CREATED ', 'owner BRAND_DOMAIN_CHANGED is_domain_trusted', 'admin BRAND_DOMAIN_CHANGED is_domain_trusted', 'admin BRAND_DOMAIN_CHANGED domain,is_domain_trusted',
    'owner BRAND_DOMAIN_CHANGED domain', 'owner BRAND_DOMAIN_CHANGED is_domain_trusted']);
});

test('a write with credentials that no browser adds, or without credentials, is accepted from any site', async (t) => {
  const desk = await open(t);
  const evil = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  const conversation = { name: 'N', email: 'n@example.com', subject: 'S', contents: 'C' };
  (await desk.anyone.with(evil).post('/conversations', conversation)).must(201);
  (await desk.anyone.with(evil).post('/password/reset', { email: 'n@example.com' })).must(200);
  const { id, csrf, client } = await desk.session(desk.customer);
  (await client.with(evil).put('/profile', {})).must(200);
  (await desk.anyone.with(evil).request('PUT', '/profile', { query: { _session_id: id }, body: {}, headers: { 'X-CSRF-Token': csrf } })).must(200);
  (await desk.anyone.with({ ...evil, 'X-Session-ID': id }).put('/profile', {})).refused(403, 'CSRF_FAILED');
});

test('browsers may read from the origin of a base URL with a path', async (t) => {
  const desk = await open(t, { base: BASE });
  const { headers } = await desk.owner.get('/teams', {}, { Origin: 'https://desk.example.com' });
  assert.equal(headers['access-control-allow-origin'], 'https://desk.example.com');
  const exposed = ['Content-Disposition', 'Content-Location', 'Content-Range', 'Date-ISO', 'ETag', 'Idempotent-Replayed', 'Last-Modified', 'Link',
    'RateLimit', 'RateLimit-Policy', 'Repr-Digest', 'Retry-After', 'X-API-Version', 'X-CSRF-Token', 'X-Logout-URL', 'X-RememberMe', 'X-Request-ID', 'X-Request-Token', 'traceparent'];
  assert.deepEqual(headers['access-control-expose-headers'].split(', ').sort(), exposed, 'they may read our headers, but never Set-Cookie');
});

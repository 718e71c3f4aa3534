import assert from 'node:assert/strict';
import { test } from 'node:test';
import { File, MINUTE, denied, exchange, iso, multipart, open } from './lib/index.mjs';
import { GIF, JPEG, gif, grey, png, readPng } from './lib/picture.mjs';
import { SCOPES, accessToken, apiToken, bearer, maskOf } from './lib/tokens.mjs';

const WHOLE = {
  name: 'Reports', url: 'https://reports.example.com/', scopes: ['users:read', 'conversations'], description: 'Weekly reports\nby mail', author: 'Reports Ltd',
  author_url: 'http://example.com/', callback_url: 'https://reports.example.com/callback?a=1',
};
const form = multipart;

test('a client is created with its key and its secret, which is shown once', async (t) => {
  const desk = await open(t);
  const { data, body } = (await desk.admin.post('/oauth/clients', WHOLE)).must(201);
  desk.secrets.add(data.secret);
  assert.equal(body.resource, 'oauth_client');
  assert.equal(data.resource_type, 'oauth_client');
  assert.equal(data.resource_url, `${desk.base}/api/v1/oauth/clients/${data.id}`);
  assert.match(data.key, /^[0-9a-f]{32}$/);
  assert.match(data.secret, /^dks_[0-9a-f]{64}$/);
  const { name, url, scopes, description, author, author_url, callback_url } = data;
  assert.deepEqual({ name, url, scopes, description, author, author_url, callback_url }, { ...WHOLE, scopes: ['users:read', 'conversations:write'] });
  assert.deepEqual([data.logo, data.last_used_at, data.is_public, data.is_password_grant_enabled], [null, null, false, false]);
  assert.deepEqual(data.creator, { id: desk.people.admin.id, resource_type: 'user' });
  assert.equal(data.created_at, iso(desk.clock.now));
  const one = await desk.owner.fetch(`/oauth/clients/${data.id}`);
  assert.deepEqual(one, { ...data, secret: null });
  assert.deepEqual(await desk.owner.fetch('/oauth/clients'), [one]);
  assert.equal((await desk.admin.update(`/oauth/clients/${data.id}`, { name: 'Other' })).secret, null);
  assert.ok(!desk.sql('SELECT secret_hash FROM oauth_clients').includes(data.secret.slice(4)));
});

test('only admins and owners with the permission write clients', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/oauth/clients', { name: 'Reports' });
  for (const role of ['agent', 'collaborator', 'customer']) {
    for (const [method, path] of [['GET', ''], ['GET', `/${id}`], ['POST', ''], ['PUT', `/${id}`], ['DELETE', `/${id}`], ['DELETE', `?ids=${id}`], ['POST', `/${id}/secret`]]) {
      (await desk.as(role).request(method, `/oauth/clients${path}`, { body: method[0] === 'P' ? { name: 'x' } : undefined })).refused(403, 'PERMISSIONS_DENIED');
    }
  }
  const role = await desk.owner.create('/roles', { title: 'Narrow', type: 'ADMIN' });
  (await desk.owner.put(`/roles/${role.id}/permissions`, { 'apps.manage': false })).must(200);
  const narrow = await desk.person('admin', { role_id: role.id });
  (await narrow.client.get('/oauth/clients')).must(200);
  (await narrow.client.post('/oauth/clients', { name: 'x' })).refused(403, 'PERMISSIONS_DENIED');
  (await narrow.client.delete(`/oauth/clients/${id}`)).refused(403, 'PERMISSIONS_DENIED');
});

test('addresses, scopes and names are checked', async (t) => {
  const desk = await open(t);
  const refuse = async (body, code, parameter) => assert.equal((await desk.admin.post('/oauth/clients', { name: 'x', ...body })).refused(400, code).body.errors[0].parameter, parameter, JSON.stringify(body));
  await refuse({ name: undefined }, 'FIELD_REQUIRED', 'name');
  for (const name of ['\u200b', '\u2060 \ufeff', '\u115f', '\u1160\u2800', '\u3164', '\uffa0', '\u0301', 'Evil\u202emoc.knab', '\u2067Reports\u2069']) {
    await refuse({ name }, 'FIELD_INVALID', 'name');
    await refuse({ author: name }, 'FIELD_INVALID', 'author');
  }
  for (const name of ['نرم\u200cافزار', 'דוחות', '👩\u200d💻', 'レポート', 'x']) assert.equal((await desk.admin.create('/oauth/clients', { name, author: name })).name, name);
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com/', '//example.com', 'example.com', 'https://', 'https:///path', 'https://user:secret@example.com/', 'https://example.com/a b', 'https://example.com/#part', 'https://example.com\\@evil.example/']) {
    await refuse({ url }, 'FIELD_INVALID', 'url');
    await refuse({ author_url: url }, 'FIELD_INVALID', 'author_url');
    await refuse({ callback_url: url }, 'FIELD_INVALID', 'callback_url');
  }
  for (const callback_url of ['http://example.com/callback', 'http://localhost.example.com/', 'http://127.0.0.1.example.com/', 'http://127.0.0.2/', 'http://[::2]/', 'myapp:/callback', 'com.example.app:', 'com.example.app:callback', 'com.example.app:javascript:alert(1)//', 'com.example.app:?a', 'com.example.app:/a#b', 'com.example.app:/a b', 'com..:', 'com.example.:/callback', '1com.example:/callback', 'com.exa_mple:/callback', '{com.example:/callback', '`com.example:/callback', '@com.example:/callback', '[com.example:/callback', `https://example.com/${'a'.repeat(2048)}`]) {
    await refuse({ callback_url }, 'FIELD_INVALID', 'callback_url');
  }
  for (const begin of ['com.example.app:/', 'https://example.com/', 'http://localhost/']) {
    const longest = begin.padEnd(2048, 'a');
    assert.equal((await desk.admin.create('/oauth/clients', { name: 'x', callback_url: longest })).callback_url, longest);
    await refuse({ callback_url: `${longest}a` }, 'FIELD_INVALID', 'callback_url');
  }
  for (const scopes of [['everything'], ['users:delete'], ['users:read', 'Users'], ['users:'], [':read'], 'users:read openid']) await refuse({ scopes }, 'FIELD_INVALID', 'scopes');
  for (const callback_url of ['https://example.com', 'https://example.com:8443/a?b=c', 'http://localhost/cb', 'http://localhost:3000/cb', 'http://127.0.0.1:8080', 'http://[::1]:80/cb', 'com.example.app:/callback', 'com.example.app://callback', 'Zed.example:/callback', 'Az.example:/callback', 'zed.0-9+AZ.example:/callback']) {
    assert.equal((await desk.admin.create('/oauth/clients', { name: 'x', callback_url })).callback_url, callback_url);
  }
});

test('scopes come as a list, as text with commas and as form fields; an empty list is none, an absent one all', async (t) => {
  const desk = await open(t);
  assert.deepEqual((await desk.admin.create('/oauth/clients', { name: 'x', scopes: 'search, users:read' })).scopes, ['users:read', 'search:write']);
  const client = await desk.admin.create('/oauth/clients', form({ name: 'x', scopes: ['insights:read'] }));
  assert.deepEqual(client.scopes, ['insights:read']);
  assert.deepEqual((await desk.admin.update(`/oauth/clients/${client.id}`, { scopes: [] })).scopes, []);
  assert.deepEqual((await desk.admin.create('/oauth/clients', { name: 'x', scopes: [] })).scopes, []);
  assert.deepEqual((await desk.admin.create('/oauth/clients', form({ name: 'x', scopes: '' }))).scopes, []);
  assert.deepEqual((await desk.admin.create('/oauth/clients', { name: 'x' })).scopes, SCOPES.filter((scope) => scope.endsWith(':write')));
});

test('members that a request lacks keep their values, and null clears them', async (t) => {
  const desk = await open(t);
  const made = await desk.admin.create('/oauth/clients', WHOLE);
  const path = `/oauth/clients/${made.id}`;
  assert.deepEqual(await desk.admin.update(path, {}), { ...made, secret: null });
  const cleared = await desk.admin.update(path, { url: null, description: '', author: null, author_url: '', callback_url: null });
  assert.deepEqual([cleared.url, cleared.description, cleared.author, cleared.author_url, cleared.callback_url], [null, null, null, null, null]);
  assert.deepEqual(cleared.scopes, made.scopes);
  const sent = (await desk.admin.put(path, { ...made, name: 'Back' })).must(200);
  assert.equal(sent.data.name, 'Back');
});

test('a new secret ends the old one at once, and a public client has none that works', async (t) => {
  const desk = await open(t);
  const { id, key, secret } = await desk.admin.create('/oauth/clients', { name: 'Server', scopes: ['users:read'] });
  const ask = async (client_secret) => (await desk.anyone.exchange('POST', '/oauth/token', { body: { grant_type: 'client_credentials', client_id: key, client_secret } }));
  const token = (await ask(secret)).must(200).body.access_token;
  const renewed = (await desk.admin.post(`/oauth/clients/${id}/secret`, {})).must(200).data.secret;
  for (const text of [secret, token, renewed]) desk.secrets.add(text);
  (await ask(secret)).must(401);
  (await ask(renewed)).must(200);
  assert.equal((await bearer(desk, token).fetch('/me')).id, desk.people.admin.id, 'tokens stay');
  await desk.admin.update(`/oauth/clients/${id}`, { is_public: true });
  (await ask(renewed)).must(401);
});

test('a public client has no secret', async (t) => {
  const desk = await open(t);
  const open_ = await desk.admin.create('/oauth/clients', { name: 'App', is_public: true });
  assert.equal(open_.secret, null);
  (await desk.admin.post(`/oauth/clients/${open_.id}/secret`, {})).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  const { id } = await desk.admin.create('/oauth/clients', { name: 'Server' });
  const hash = () => desk.sql(`SELECT COALESCE(secret_hash, 'none') FROM oauth_clients WHERE id = ${id}`).trim();
  const first = hash();
  assert.match((await desk.admin.post(`/oauth/clients/${id}/secret`, {})).must(200).data.secret, /^dks_/);
  assert.notEqual(hash(), first);
  await desk.admin.update(`/oauth/clients/${id}`, { is_public: true });
  assert.equal(hash(), 'none');
  const changed = (await desk.admin.put(`/oauth/clients/${id}`, { is_public: false })).must(200);
  assert.deepEqual(changed.notices, ['The client has no secret yet. POST /oauth/clients/:id/secret makes one.']);
  assert.equal(hash(), 'none');
  (await desk.admin.post(`/oauth/clients/${id}/secret`, {})).must(200);
  assert.notEqual(hash(), 'none');
});

test('a client has no Last-Modified, because its last use changes without a change of the client', async (t) => {
  const desk = await open(t);
  const { id } = await desk.admin.create('/oauth/clients', { name: 'Reports' });
  const { headers } = (await desk.admin.get(`/oauth/clients/${id}`)).must(200);
  assert.ok(headers.etag);
  assert.equal(headers['last-modified'], undefined);
});

test('the change log names a new secret and a logo without their values', async (t) => {
  const desk = await open(t);
  const { id } = await desk.admin.create('/oauth/clients', { name: 'Reports' });
  const secret = (await desk.admin.post(`/oauth/clients/${id}/secret`, {})).must(200).data.secret;
  await desk.admin.update(`/oauth/clients/${id}`, form({ logo: new File('logo.png', 'image/png', png(8, 8)) }));
  await desk.admin.update(`/oauth/clients/${id}`, { scopes: ['users:read'] });
  const entries = (await desk.owner.fetch('/changes', { limit: 1000 })).filter((entry) => entry.resource_type === 'oauth_client');
  const of = (property) => entries.find((entry) => entry.property === property);
  assert.deepEqual([of('secret').from, of('secret').to, of('logo').to], [null, null, null]);
  assert.deepEqual([of('scopes').from, of('scopes').to], [SCOPES.filter((scope) => scope.endsWith(':write')).join(' '), 'users:read']);
  assert.ok(!JSON.stringify(entries).includes(secret));
});

test('an admin can\'t take over a client that acts as an owner, but can delete it', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/oauth/clients', { name: 'Reports' });
  (await desk.admin.put(`/oauth/clients/${id}`, { callback_url: 'https://evil.example/' })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.post(`/oauth/clients/${id}/secret`, {})).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.delete(`/oauth/clients/${id}`)).must(200);
  const other = await desk.admin.create('/oauth/clients', { name: 'Reports' });
  (await desk.owner.put(`/oauth/clients/${other.id}`, { name: 'Mine' })).must(200);
});

test('an admin with fewer permissions than its creator can\'t take over a client', async (t) => {
  const desk = await open(t);
  const role = await desk.owner.create('/roles', { title: 'No teams', type: 'ADMIN' });
  (await desk.owner.put(`/roles/${role.id}/permissions`, { 'teams.manage': false })).must(200);
  const [one, two] = [(await desk.person('admin', { role_id: role.id })).client, (await desk.person('admin', { role_id: role.id })).client];
  const [full, own] = [await desk.admin.create('/oauth/clients', { name: 'Full' }), await one.create('/oauth/clients', { name: 'Own' })];
  (await one.put(`/oauth/clients/${full.id}`, { callback_url: 'https://evil.example/' })).refused(403, 'PERMISSIONS_DENIED');
  (await one.post(`/oauth/clients/${full.id}/secret`, {})).refused(403, 'PERMISSIONS_DENIED');
  for (const admin of [one, two, desk.admin]) (await admin.post(`/oauth/clients/${own.id}/secret`, {})).must(200);
  (await one.delete(`/oauth/clients/${full.id}`)).must(200);
});

test('a client that a token made acts as nobody, and a token makes no secret of a client that acts as a person', async (t) => {
  const desk = await open(t);
  const { client, id } = await apiToken(desk, desk.admin);
  const made = await client.create('/oauth/clients', { name: 'x' });
  assert.equal(made.creator, null);
  (await desk.admin.delete(`/profile/api_tokens/${id}`)).must(200);
  const asked = (c) => exchange(desk, c, { grant_type: 'client_credentials' });
  denied(await asked(made), 400, 'invalid_grant');
  const other = await apiToken(desk, desk.admin);
  const own = await desk.admin.create('/oauth/clients', { name: 'y' });
  (await asked(own)).must(200);
  (await other.client.post(`/oauth/clients/${own.id}/secret`, {})).refused(403, 'PERMISSIONS_DENIED');
  (await other.client.post(`/oauth/clients/${made.id}/secret`, {})).must(200);
});

test('a token makes and takes over no client with more scopes than its own', async (t) => {
  const desk = await open(t);
  const { client } = await apiToken(desk, desk.admin, { scopes: ['configuration', 'users:read'] });
  const made = await client.create('/oauth/clients', { name: 'x' });
  assert.deepEqual(made.scopes, ['users:read', 'configuration:read', 'configuration:write']);
  assert.deepEqual((await client.update(`/oauth/clients/${made.id}`, { scopes: ['configuration:read'] })).scopes, ['configuration:read']);
  assert.deepEqual((await client.update(`/oauth/clients/${made.id}`, { scopes: [] })).scopes, []);
  (await client.post('/oauth/clients', { name: 'x', scopes: ['users:write'] })).refused(400, 'FIELD_INVALID');
  const whole = await desk.admin.create('/oauth/clients', { name: 'y' });
  (await client.put(`/oauth/clients/${whole.id}`, { name: 'z' })).refused(403, 'PERMISSIONS_DENIED');
  (await client.post(`/oauth/clients/${whole.id}/secret`, {})).refused(403, 'PERMISSIONS_DENIED');
});

// ---- logos

const logoOf = async (desk, picture, name = 'logo') => (await desk.admin.create('/oauth/clients', form({ name: 'x', logo: new File(name, 'application/octet-stream', picture) }))).logo;
const pixels = (logo) => { const { width, height } = readPng(Buffer.from(logo.data, 'base64')); return [width, height]; };

test('a logo above 100 x 100 is scaled down with its proportions, a smaller one keeps its size', async (t) => {
  const desk = await open(t);
  for (const [size, result] of [[[400, 200], [100, 50]], [[101, 101], [100, 100]], [[30, 300], [10, 100]], [[5000, 2], [100, 1]], [[100, 100], [100, 100]], [[40, 20], [40, 20]], [[1, 1], [1, 1]]]) {
    const logo = await logoOf(desk, png(...size));
    assert.equal(logo.type, 'PNG');
    assert.deepEqual(pixels(logo), result);
    assert.equal(logo.created_at, iso(desk.clock.now));
  }
});

test('a logo is JPEG, PNG or GIF, and its address needs no login', async (t) => {
  const desk = await open(t);
  for (const [picture, type, media] of [[JPEG, 'JPEG', 'image/jpeg'], [png(9, 9), 'PNG', 'image/png'], [GIF, 'GIF', 'image/gif']]) {
    const logo = await logoOf(desk, picture);
    assert.equal(logo.type, type);
    const reply = await desk.anyone.exchange('GET', logo.url.slice(desk.base.length));
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['content-type'], media);
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    assert.ok(reply.bytes.equals(Buffer.from(logo.data, 'base64')));
  }
  (await desk.anyone.get('/oauth/clients/987654/logo')).refused(404, 'RESOURCE_NOT_FOUND');
});

test('a GIF that fits stays a GIF, a larger one becomes a PNG', async (t) => {
  const desk = await open(t);
  const small = await logoOf(desk, gif(100, 30));
  assert.equal(small.type, 'GIF');
  const bytes = Buffer.from(small.data, 'base64');
  assert.deepEqual([bytes.toString('latin1', 0, 4), bytes.readUInt16LE(6), bytes.readUInt16LE(8)], ['GIF8', 100, 30]);
  const large = await logoOf(desk, gif(300, 100));
  assert.equal(large.type, 'PNG');
  assert.deepEqual(pixels(large), [100, 33]);
});

test('false types and bombs are refused by name', async (t) => {
  const desk = await open(t);
  const webp = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');
  const files = [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), Buffer.from('MZ'), Buffer.alloc(0), Buffer.from('GIF89a'), webp, png(9, 9).subarray(0, 30), png(2, 2, undefined, [60000, 60000]), grey(9000, 9000)];
  for (const bytes of files) {
    const refused = (await desk.admin.post('/oauth/clients', form({ name: 'x', logo: new File('logo.png', 'image/png', bytes) }))).refused(400, 'FIELD_INVALID');
    assert.equal(refused.body.errors[0].parameter, 'logo');
  }
  assert.deepEqual(await desk.admin.fetch('/oauth/clients'), []);
});

test('logo_file_id takes an own upload, null removes the logo, and both at once are refused', async (t) => {
  const desk = await open(t);
  const file = new File('logo.png', 'image/png', png(300, 300));
  const upload = async (client) => (await client.create('/files', form({ file }))).id;
  const made = await desk.admin.create('/oauth/clients', { name: 'x', logo_file_id: await upload(desk.admin) });
  assert.deepEqual(pixels(made.logo), [100, 100]);
  (await desk.admin.put(`/oauth/clients/${made.id}`, { logo_file_id: await upload(desk.staff) })).refused(400, 'FIELD_INVALID');
  (await desk.admin.put(`/oauth/clients/${made.id}`, { logo_file_id: 987654 })).refused(400, 'FIELD_INVALID');
  (await desk.admin.put(`/oauth/clients/${made.id}`, form({ logo: file, logo_file_id: `${await upload(desk.admin)}` }))).refused(400, 'PARAMETERS_INCONSISTENT');
  const moved = await desk.admin.update(`/oauth/clients/${made.id}`, form({ logo: file }));
  assert.notEqual(moved.logo.url, made.logo.url);
  assert.equal((await desk.admin.update(`/oauth/clients/${made.id}`, { name: 'y' })).logo.url, moved.logo.url);
  assert.equal((await desk.admin.update(`/oauth/clients/${made.id}`, { logo_file_id: null })).logo, null);
});

// ---- grants

async function granted(t) {
  const desk = await open(t);
  const client = await desk.admin.create('/oauth/clients', { ...WHOLE, scopes: undefined });
  const logo = (await desk.admin.update(`/oauth/clients/${client.id}`, form({ logo: new File('a.png', 'image/png', png(4, 4)) }))).logo;
  const other = await desk.admin.create('/oauth/clients', { name: 'Other' });
  const grant = (role, of, scopes, more) => accessToken(desk, { user: desk.people[role].id, client: of.id, scopes, ...more });
  return { desk, client, other, logo, grant };
}

test('an access token acts for its person, with its scopes, and names its app', async (t) => {
  const { desk, client, grant } = await granted(t);
  const { client: program } = grant('admin', client, ['users:write']);
  assert.equal((await program.fetch('/me')).id, desk.people.admin.id);
  const team = await program.create('/teams', { title: 'Night', agent_ids: [desk.people.agent.id] });
  const refused = (await program.get('/conversations')).refused(403, 'PERMISSIONS_DENIED');
  assert.equal(refused.headers['www-authenticate'], 'Bearer realm="deskd", error="insufficient_scope", scope="conversations:read"');
  const change = (await desk.owner.fetch('/changes', { limit: 1000 })).find((entry) => entry.resource_type === 'team' && entry.resource_id === team.id);
  assert.equal(change.cause, 'App: Reports');
});

test('an access token ends after its life, and with its grant, its client and its person', async (t) => {
  const { desk, client, other, grant } = await granted(t);
  const ends = async (one, end) => {
    (await one.client.get('/me')).must(200);
    await end(one);
    (await one.client.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  };
  await ends(grant('agent', client, ['users:read']), async (one) => (await desk.staff.delete(`/oauth/my_grants/${one.grant}`)).must(200));
  await ends(grant('agent', client, ['users:read']), async (one) => (await desk.admin.delete(`/oauth/grants/${one.grant}`)).must(200));
  await ends(grant('agent', client, ['users:read']), () => desk.clock.forward(3600));
  await ends(grant('customer', client, ['users:read']), () => desk.owner.update(`/users/${desk.people.customer.id}`, { password: 'another correct horse' }));
  await ends(grant('collaborator', client, ['users:read']), () => desk.owner.update(`/users/${desk.people.collaborator.id}`, { is_enabled: false }));
  await ends(grant('agent', other, ['users:read']), async () => (await desk.admin.delete(`/oauth/clients/${other.id}`)).must(200));
  await ends(grant('admin', client, ['users:read']), async () => (await desk.owner.delete(`/users/${desk.people.admin.id}`)).must(200));
});

test('fewer scopes of the client or of the newest consent narrow tokens at once', async (t) => {
  const { desk, client, grant } = await granted(t);
  const one = grant('admin', client, ['users:write', 'search:read']);
  const write = () => one.client.post('/teams', { title: 'Night', agent_ids: [desk.people.agent.id] });
  (await write()).must(201);
  await desk.admin.update(`/oauth/clients/${client.id}`, { scopes: ['users:read'] });
  (await write()).refused(403, 'PERMISSIONS_DENIED');
  (await one.client.get('/teams')).must(200);
  await desk.admin.update(`/oauth/clients/${client.id}`, { scopes: [] });
  for (const path of ['/teams', '/search?query=x']) (await one.client.get(path)).refused(403, 'PERMISSIONS_DENIED');
  (await one.client.get('/profile')).must(200);
  await desk.admin.update(`/oauth/clients/${client.id}`, { scopes: SCOPES });
  (await write()).must(201);
  desk.sql(`UPDATE oauth_grants SET scopes = ${maskOf(['search:read'])} WHERE id = ${one.grant}`);
  (await one.client.get('/teams')).refused(403, 'PERMISSIONS_DENIED');
});

test('a refresh token is no bearer token', async (t) => {
  const { desk, client, grant } = await granted(t);
  const one = grant('admin', client, ['users:write']);
  desk.sql(`UPDATE oauth_tokens SET kind = 2 WHERE grant_id = ${one.grant}`);
  (await one.client.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
});

test('admins list, filter and delete grants', async (t) => {
  const { desk, client, other, grant } = await granted(t);
  const rows = [grant('agent', client, ['users:read']), grant('agent', other, ['users:read']), grant('customer', client, ['search:write', 'search:read'])];
  const ids = rows.map((row) => row.grant);
  const list = async (query) => (await desk.admin.fetch('/oauth/grants', query)).map(({ id }) => id);
  assert.deepEqual(await list(), ids);
  assert.deepEqual(await list({ user_id: desk.people.agent.id }), ids.slice(0, 2));
  assert.deepEqual(await list({ client_id: client.id }), [ids[0], ids[2]]);
  assert.deepEqual(await list({ client_id: other.id, user_id: desk.people.customer.id }), []);
  (await desk.admin.get('/oauth/grants', { user_id: 'x' })).refused(400, 'FIELD_INVALID');
  const one = await desk.admin.fetch(`/oauth/grants/${ids[0]}`);
  assert.deepEqual(one, {
    id: ids[0], resource_type: 'oauth_grant', resource_url: `${desk.base}/api/v1/oauth/grants/${ids[0]}`, user: { id: desk.people.agent.id, resource_type: 'user' },
    client: { id: client.id, resource_type: 'oauth_client' }, scopes: ['users:read'], created_at: iso(desk.clock.now), last_activity_at: null, expiry_at: iso(desk.clock.now + 3600_000),
  });
  const expanded = await desk.admin.fetch(`/oauth/grants/${ids[0]}`, { include: 'oauth_client,user' });
  assert.equal(expanded.client.name, 'Reports');
  assert.equal(expanded.client.secret, null);
  (await desk.admin.delete('/oauth/grants', { ids: `${ids[0]},987654` })).refused(404, 'RESOURCE_NOT_FOUND');
  const gone = (await desk.admin.delete('/oauth/grants', { ids: `${ids[0]},${ids[1]}`, colour: 'red' })).must(200);
  assert.equal(gone.body.total_count, 2);
  gone.notes('colour');
  assert.deepEqual(await list(), [ids[2]]);
  for (const role of ['agent', 'collaborator', 'customer']) (await desk.as(role).get('/oauth/grants')).refused(403, 'PERMISSIONS_DENIED');
  const deleted = (await desk.owner.fetch('/changes', { limit: 1000 })).filter((entry) => entry.resource_type === 'oauth_grant');
  assert.deepEqual(deleted.map((entry) => entry.resource_id), ids.slice(0, 2));
});

test('staff see and delete their own grants only, with the client inline', async (t) => {
  const { desk, client, logo, grant } = await granted(t);
  const mine = grant('agent', client, ['conversations:write']), foreign = grant('admin', client, ['users:read']);
  const [one] = await desk.staff.fetch('/oauth/my_grants');
  const { name, url, description, author, author_url } = WHOLE;
  const { updated_at } = await desk.admin.fetch(`/oauth/clients/${client.id}`);
  assert.deepEqual(one, {
    id: mine.grant, resource_type: 'my_oauth_grant', resource_url: `${desk.base}/api/v1/oauth/my_grants/${mine.grant}`,
    client: { name, url, logo, description, author, author_url, created_at: client.created_at, updated_at },
    scopes: ['conversations:write'], created_at: iso(desk.clock.now), last_activity_at: null, expiry_at: iso(desk.clock.now + 3600_000),
  });
  assert.equal((await desk.staff.fetch('/oauth/my_grants')).length, 1);
  (await desk.staff.get(`/oauth/my_grants/${foreign.grant}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.delete(`/oauth/my_grants/${foreign.grant}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.delete('/oauth/my_grants', { ids: `${mine.grant},${foreign.grant}` })).refused(404, 'RESOURCE_NOT_FOUND');
  (await mine.client.get('/oauth/my_grants')).must(200);
  assert.equal((await desk.staff.delete('/oauth/my_grants', { ids: mine.grant })).must(200).body.total_count, 1);
  (await mine.client.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  (await foreign.client.get('/me')).must(200);
  (await desk.customer.get('/oauth/my_grants')).refused(403, 'PERMISSIONS_DENIED');
});

test('the last use of a grant and its client is stored in batches', async (t) => {
  const { desk, client, grant } = await granted(t);
  const one = grant('agent', client, ['users:read']);
  await desk.clock.forward(5 * MINUTE);
  const used = iso(desk.clock.now);
  (await one.client.get('/teams')).must(200);
  await desk.stop();
  await desk.start();
  assert.equal((await desk.admin.fetch(`/oauth/grants/${one.grant}`)).last_activity_at, used);
  assert.equal((await desk.admin.fetch(`/oauth/clients/${client.id}`)).last_used_at, used);
});

test('a deleted client takes its grants along', async (t) => {
  const { desk, client, other, grant } = await granted(t);
  grant('agent', client, ['users:read']);
  const kept = grant('agent', other, ['users:read']);
  assert.equal((await desk.admin.delete('/oauth/clients', { ids: `${client.id}` })).must(200).body.total_count, 1);
  assert.deepEqual((await desk.admin.fetch('/oauth/grants')).map(({ id }) => id), [kept.grant]);
  assert.equal(desk.check().status, 0);
});

test('check finds a public client with a secret, and grants without scopes', async (t) => {
  const { desk, client, grant } = await granted(t);
  const one = grant('agent', client, ['users:read']);
  await apiToken(desk, desk.staff, { scopes: [] });
  await desk.stop();
  assert.equal(desk.check().status, 0);
  for (const row of ['oauth_clients SET is_public = 1', `oauth_grants SET scopes = 0 WHERE id = ${one.grant}`]) desk.sql(`UPDATE ${row}`);
  const { status, stdout } = desk.check();
  assert.notEqual(status, 0);
  for (const line of [`client ${client.id} is public, but has a secret`, `grant ${one.grant} has no scopes`]) assert.ok(stdout.includes(line), stdout);
});

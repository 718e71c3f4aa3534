import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, File, HOUR, MINUTE, PASSWORD, ROLES, iso, multipart, open, register, tokensFor } from './lib/index.mjs';
import { apiToken, bearer } from './lib/tokens.mjs';

const challenge = (reply) => reply.headers['www-authenticate'] ?? '';

test('everybody who is logged in makes API tokens, and each is shown once', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const made = (await desk.as(role).post('/profile/api_tokens', { name: 'Report', scopes: ['users:read', 'conversations'] })).must(201);
    assert.match(made.data.token, /^dkp_[0-9a-f]{64}$/);
    assert.deepEqual(made.data.scopes, ['users:read', 'conversations:write']);
    assert.equal(made.data.expires_at, null);
    assert.equal(made.data.last_used_at, null);
    const me = await bearer(desk, made.data.token).fetch('/me');
    assert.equal(me.id, desk.people[role].id);
    const again = await desk.as(role).fetch(`/profile/api_tokens/${made.data.id}`);
    assert.equal(again.token, null);
    assert.equal((await desk.as(role).fetch('/profile/api_tokens'))[0].token, null);
    assert.equal((await desk.as(role).update(`/profile/api_tokens/${made.data.id}`, { name: 'Other' })).token, null);
    assert.equal(desk.sql(`SELECT COUNT(*) FROM api_tokens WHERE token_hash LIKE '%${made.data.token.slice(4)}%'`).trim(), '0');
  }
  (await desk.anyone.post('/profile/api_tokens', { name: 'x' })).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a replay by Idempotency-Key does not show the token', async (t) => {
  const desk = await open(t);
  const options = { headers: { 'Idempotency-Key': 'one' } };
  const first = (await desk.staff.post('/profile/api_tokens', { name: 'Script' }, options)).must(201);
  const again = (await desk.staff.post('/profile/api_tokens', { name: 'Script' }, options)).must(201);
  desk.secrets.add(first.data.token);
  assert.equal(again.data.id, first.data.id);
  assert.equal(again.data.token, null);
});

test('a token without a list of scopes has those of its person, one with an empty list none', async (t) => {
  const desk = await open(t);
  const { scopes, client } = await apiToken(desk, desk.admin);
  assert.deepEqual(scopes, ['users:write', 'conversations:write', 'insights:write', 'search:write', 'configuration:write']);
  (await client.get('/settings')).must(200);
  (await client.post('/teams', { title: 'Night', agent_ids: [desk.people.agent.id] })).must(201);
  const none = await apiToken(desk, desk.admin, { scopes: [] });
  assert.deepEqual(none.scopes, []);
  for (const path of ['/settings', '/users', '/cases', '/search?query=x', '/autocomplete/users?name=a']) (await none.client.get(path)).refused(403, 'PERMISSIONS_DENIED');
  (await none.client.post('/files', {})).refused(403, 'PERMISSIONS_DENIED');
  (await none.client.get('/profile')).must(200);
  const { id, client: narrowed } = await apiToken(desk, desk.admin, { scopes: ['users'] });
  (await narrowed.get('/users')).must(200);
  assert.deepEqual((await desk.admin.update(`/profile/api_tokens/${id}`, { scopes: [] })).scopes, []);
  (await narrowed.get('/users')).refused(403, 'PERMISSIONS_DENIED');
  assert.deepEqual((await desk.admin.update(`/profile/api_tokens/${id}`, { name: 'Other' })).scopes, []);
});

test('invalid members of an API token are refused by name', async (t) => {
  const desk = await open(t);
  const refused = async (body, code, parameter) => assert.equal((await desk.staff.post('/profile/api_tokens', body)).refused(400, code).body.errors[0].parameter, parameter);
  await refused({}, 'FIELD_REQUIRED', 'name');
  await refused({ name: '' }, 'FIELD_EMPTY', 'name');
  await refused({ name: 'x', scopes: ['everything'] }, 'FIELD_INVALID', 'scopes');
  await refused({ name: 'x', scopes: ['users:delete'] }, 'FIELD_INVALID', 'scopes');
  await refused({ name: 'x', scopes: [{ a: 1 }] }, 'FIELD_INVALID', 'scopes');
  await refused({ name: 'x', expires_at: iso(desk.clock.now) }, 'FIELD_INVALID', 'expires_at');
  await refused({ name: 'x', expires_at: 'soon' }, 'FIELD_INVALID', 'expires_at');
});

test('an expired token is refused, and a later end revives it', async (t) => {
  const desk = await open(t);
  const { id, client } = await apiToken(desk, desk.staff, { expires_at: iso(desk.clock.now + HOUR * 1000) });
  (await client.get('/me')).must(200);
  await desk.clock.forward(HOUR);
  const reply = (await client.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  assert.match(challenge(reply), /Bearer realm="deskd", error="invalid_token"/);
  await desk.staff.update(`/profile/api_tokens/${id}`, { expires_at: iso(desk.clock.now + DAY * 1000) });
  (await client.get('/me')).must(200);
});

test('a changed list of scopes counts at once', async (t) => {
  const desk = await open(t);
  const { id, client } = await apiToken(desk, desk.staff, { scopes: ['users:write'] });
  (await client.get('/teams')).must(200);
  assert.deepEqual((await desk.staff.update(`/profile/api_tokens/${id}`, { scopes: ['search:read'] })).scopes, ['search:read']);
  (await client.get('/teams')).refused(403, 'PERMISSIONS_DENIED');
});

test('the change log has the tokens of people, without their texts', async (t) => {
  const desk = await open(t);
  const { id, token } = await apiToken(desk, desk.staff, { scopes: ['users:read'] });
  await desk.staff.update(`/profile/api_tokens/${id}`, { scopes: ['search:read'], name: 'Other' });
  (await desk.staff.delete(`/profile/api_tokens/${id}`)).must(200);
  const entries = (await desk.owner.fetch('/changes', { limit: 1000 })).filter((entry) => entry.resource_type === 'api_token');
  assert.ok(entries.every((entry) => entry.resource_id === id && entry.actor.id === desk.people.agent.id));
  const { from, to } = entries.find((entry) => entry.property === 'scopes');
  assert.deepEqual([from, to], ['users:read', 'search:read']);
  assert.ok(!JSON.stringify(entries).includes(token.slice(4)));
});

test('nobody sees, changes or deletes the tokens of another person', async (t) => {
  const desk = await open(t);
  const { id, client } = await apiToken(desk, desk.staff);
  for (const other of [desk.owner, desk.admin, desk.customer]) {
    assert.deepEqual(await other.fetch('/profile/api_tokens'), []);
    (await other.get(`/profile/api_tokens/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await other.put(`/profile/api_tokens/${id}`, { name: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await other.delete(`/profile/api_tokens/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await other.delete('/profile/api_tokens', { ids: id })).refused(404, 'RESOURCE_NOT_FOUND');
  }
  (await client.get('/me')).must(200);
});

test('a token can neither make, nor read, nor end tokens', async (t) => {
  const desk = await open(t);
  const { id, client } = await apiToken(desk, desk.owner);
  for (const [method, path] of [['GET', ''], ['POST', ''], ['GET', `/${id}`], ['PUT', `/${id}`], ['DELETE', `/${id}`], ['DELETE', `?ids=${id}`]]) {
    const reply = (await client.request(method, `/profile/api_tokens${path}`, { body: method[0] === 'P' ? { name: 'x' } : undefined })).refused(403, 'PERMISSIONS_DENIED');
    assert.match(challenge(reply), /error="insufficient_scope"$/);
  }
});

test('a deleted token ends at once', async (t) => {
  const desk = await open(t);
  const [one, two, three] = [await apiToken(desk, desk.staff), await apiToken(desk, desk.staff), await apiToken(desk, desk.staff)];
  (await desk.staff.delete(`/profile/api_tokens/${one.id}`)).must(200);
  assert.equal((await desk.staff.delete('/profile/api_tokens', { ids: `${two.id},${three.id}` })).must(200).body.total_count, 2);
  for (const { client } of [one, two, three]) (await client.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
});

test('a person has at most 100 API tokens', async (t) => {
  const desk = await open(t);
  for (let i = 0; i < 100; i++) desk.secrets.add((await desk.staff.create('/profile/api_tokens', { name: `${i}` })).token);
  (await desk.staff.post('/profile/api_tokens', { name: 'x' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  await apiToken(desk, desk.admin);
});

test('a changed password, a disabled and a deleted person end their tokens', async (t) => {
  const desk = await open(t);
  const ends = async (end) => {
    const person = await desk.person('agent');
    const { client } = await apiToken(desk, person.client);
    (await client.get('/me')).must(200);
    await end(person);
    (await client.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
    return { person, client };
  };
  await ends(async ({ client }) => (await client.put('/profile/password', { password: PASSWORD, new_password: 'another correct horse' })).must(200));
  await ends(({ id }) => desk.owner.update(`/users/${id}`, { password: 'another correct horse' }));
  const { person, client } = await ends(({ id }) => desk.owner.update(`/users/${id}`, { is_enabled: false }));
  await desk.owner.update(`/users/${person.id}`, { is_enabled: true });
  (await client.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  await ends(async ({ id }) => (await desk.owner.delete(`/users/${id}`)).must(200));
});

test('a token is as strong as its person is now', async (t) => {
  const desk = await open(t);
  const person = await desk.person('admin');
  const { client } = await apiToken(desk, person.client);
  (await client.get('/settings')).must(200);
  await desk.owner.update(`/users/${person.id}`, { role_id: 2 });
  (await client.get('/settings')).refused(403, 'PERMISSIONS_DENIED');
  (await client.get('/teams')).must(200);
});

test('the last use of a token is stored, and its person counts as not seen', async (t) => {
  const desk = await open(t);
  const { id, client } = await apiToken(desk, desk.staff);
  const seen = () => desk.sql(`SELECT last_activity_at FROM users WHERE id = ${desk.people.agent.id}`);
  await desk.clock.forward(10 * MINUTE);
  const before = seen();
  const used = iso(Math.floor(desk.clock.now / 1000) * 1000);
  (await client.get('/teams')).must(200);
  await desk.stop();
  assert.equal(seen(), before);
  await desk.start();
  assert.equal((await desk.staff.fetch(`/profile/api_tokens/${id}`)).last_used_at, used);
});

test('changes by a token are attributed to its person and name the token', async (t) => {
  const desk = await open(t);
  const { client } = await apiToken(desk, desk.admin, { name: 'Nightly import' });
  const { id } = await client.create('/teams', { title: 'Night', agent_ids: [desk.people.agent.id] });
  const change = (await desk.owner.fetch('/changes', { limit: 1000 })).find((entry) => entry.resource_type === 'team' && entry.resource_id === id);
  assert.equal(change.cause, 'API token: Nightly import');
  assert.equal(change.actor.id, desk.people.admin.id);
});

test('a bearer token needs neither a CSRF token nor the user agent that made it', async (t) => {
  const desk = await open(t);
  const { client } = await apiToken(desk, desk.admin);
  const other = client.with({ 'User-Agent': 'curl/8', Origin: 'https://foreign.example', 'Sec-Fetch-Site': 'cross-site' });
  (await other.post('/teams', { title: 'Night', agent_ids: [desk.people.agent.id] })).must(201);
});

test('a bearer token alone counts, whatever session comes with it', async (t) => {
  const desk = await open(t);
  const { client } = await apiToken(desk, desk.customer);
  const owner = await desk.session(desk.owner);
  assert.equal((await client.with({ 'X-Session-ID': owner.id }).fetch('/me')).id, desk.people.customer.id);
  assert.equal((await client.with({ Cookie: `desk_session=${owner.id}` }).fetch('/me')).id, desk.people.customer.id);
  (await bearer(desk, `dkp_${'0'.repeat(64)}`).with({ 'X-Session-ID': owner.id }).get('/me')).refused(401, 'AUTHENTICATION_FAILED');
});

test('an unknown or malformed token is refused on public routes, too, in the way of RFC 6750', async (t) => {
  const desk = await open(t);
  const { token } = await apiToken(desk, desk.staff);
  const wrong = [token.slice(0, -1), `${token}0`, `dka_${token.slice(4)}`, `dkr_${token.slice(4)}`, token.toUpperCase(), `${token} ${token}`, `dkp_${'f'.repeat(64)}`, 'x'];
  for (const text of wrong) {
    for (const path of ['/sections', '/session', '/me']) {
      const reply = (await desk.anyone.get(path, {}, { Authorization: `Bearer ${text}` })).refused(401, 'AUTHENTICATION_FAILED');
      assert.match(challenge(reply), /Basic realm.*Bearer realm="deskd", error="invalid_token"/s);
    }
  }
  const bare = (await desk.anyone.get('/me')).refused(401, 'AUTHORIZATION_REQUIRED');
  assert.match(challenge(bare), /Bearer realm="deskd"$/);
  const ajax = (await desk.anyone.get('/me', {}, { Authorization: 'Bearer x', 'X-Requested-With': 'XMLHttpRequest' })).refused(401, 'AUTHENTICATION_FAILED');
  assert.equal(challenge(ajax), '');
});

test('a scheme in any letter case names a bearer token', async (t) => {
  const desk = await open(t);
  const { token } = await apiToken(desk, desk.staff);
  for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) (await desk.anyone.get('/me', {}, { Authorization: `${scheme} ${token}` })).must(200);
});

test('a token in the query or the body is no credential', async (t) => {
  const desk = await open(t);
  const { token } = await apiToken(desk, desk.staff);
  (await desk.anyone.get('/me', { access_token: token })).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a token shows the jobs of its person only', async (t) => {
  const desk = await open(t);
  const category = (await desk.admin.fetch('/categories'))[0].id;
  const job = (await desk.staff.post('/bulk/sections', { sections: [{ titles: [{ locale: 'en-us', translation: 'News' }], category_id: category }] })).must(202).data.id;
  const own = await apiToken(desk, desk.staff, { scopes: ['search:read'] });
  const admin = await apiToken(desk, desk.admin);
  (await own.client.get(`/jobs/${job}`)).must(200);
  (await admin.client.get(`/jobs/${job}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.admin.get(`/jobs/${job}`)).must(200);
});

test('GET /session with a token shows its person, without a session', async (t) => {
  const desk = await open(t);
  const { client } = await apiToken(desk, desk.staff);
  const { data, body, headers } = (await client.get('/session', { remember_me: true })).must(200);
  assert.equal(data.id, null);
  assert.equal(data.user.id, desk.people.agent.id);
  assert.deepEqual([body.session_id, headers['x-csrf-token'], headers['x-rememberme'], headers['set-cookie']], [undefined, undefined, undefined, undefined]);
});

test('a token with any scope to write uploads a file, which its person owns', async (t) => {
  const desk = await open(t);
  const { client } = await apiToken(desk, desk.staff, { scopes: ['users:write'] });
  const { id } = await client.create('/files', multipart({ file: new File('a.txt', 'text/plain', Buffer.from('text')) }));
  assert.equal((await desk.staff.fetch(`/files/${id}`)).name, 'a.txt');
  (await bearer(desk, `dkp_${'0'.repeat(64)}`).post('/files', multipart({ file: new File('a.txt', 'text/plain', Buffer.from('text')) }))).refused(401, 'AUTHENTICATION_FAILED');
});

test('a token that only reads uploads no file and deletes no grant, its own neither', async (t) => {
  const desk = await open(t), client = await register(desk);
  const { access_token } = await tokensFor(desk, client, desk.people.agent, { scope: 'users:read conversations:read insights:read search:read configuration:read' });
  const reader = bearer(desk, access_token);
  const [{ id }] = (await reader.get('/oauth/my_grants')).must(200).data;
  const replies = [await reader.post('/files', multipart({ file: new File('a.txt', 'text/plain', Buffer.from('text')) })), await reader.delete(`/oauth/my_grants/${id}`), await reader.delete('/oauth/my_grants', { ids: id })];
  for (const reply of replies) assert.match(reply.refused(403, 'PERMISSIONS_DENIED').headers['www-authenticate'], /error="insufficient_scope"/);
  assert.equal((await reader.get('/oauth/my_grants')).must(200).data.length, 1);
  const writer = (await apiToken(desk, desk.staff, { scopes: ['configuration'] })).client;
  (await writer.delete(`/oauth/my_grants/${id}`)).must(200);
  (await reader.get('/oauth/my_grants')).must(401);
});

test('a token replays its own request by Idempotency-Key', async (t) => {
  const desk = await open(t);
  const { client } = await apiToken(desk, desk.admin);
  const options = { headers: { 'Idempotency-Key': 'one' } };
  const first = (await client.post('/teams', { title: 'Night', agent_ids: [desk.people.agent.id] }, options)).must(201);
  const again = (await client.post('/teams', { title: 'Night', agent_ids: [desk.people.agent.id] }, options)).must(201);
  assert.deepEqual([again.data.id, again.headers['idempotent-replayed']], [first.data.id, 'true']);
});

// The endpoints of programs: token, revoke, introspect, metadata (src/oauth).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CALLBACK, DAY, HOUR, MINUTE, PASSWORD, authorize, bearer, denied, exchange, form, json, lives, multipart, open, raw, refresh, register, shared, tokensFor, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';
import { totp } from './lib/totp.mjs';

describe('the token endpoint', () => {
  const world = shared(async (world) => { world.client = await register(world.desk); });
  const agent = () => world.desk.people.agent;
  const introspect = (client, token) => exchange(world.desk, client, { token }, { path: '/oauth/introspect' });

  test('a code gives an access token of an hour and a refresh token', async () => {
    const { desk, client } = world;
    const tokens = await tokensFor(desk, client, agent(), { scope: 'users:read conversations' });
    assert.deepEqual({ ...tokens, access_token: '', refresh_token: '' }, { access_token: '', token_type: 'Bearer', expires_in: 3600, refresh_token: '', scope: 'users:read conversations:read conversations:write' });
    assert.match(tokens.access_token, /^dka_[0-9a-f]{64}$/);
    assert.match(tokens.refresh_token, /^dkr_[0-9a-f]{64}$/);
    assert.equal((await bearer(desk, tokens.access_token).fetch('/me')).id, agent().id);
    (await bearer(desk, tokens.access_token).post('/users', { full_name: 'X', email: 'x@people.example' })).refused(403, 'PERMISSIONS_DENIED');
    await desk.clock.forward(HOUR + 1);
    assert.equal(await lives(desk, tokens.access_token), false);
  });

  test('bodies may be forms, JSON or multipart, and clients authenticate by Basic or in the body', async () => {
    const { desk, client } = world;
    for (const encode of [form, json, multipart])
      for (const auth of ['basic', 'post']) {
        const tokens = (await exchange(desk, client, { grant_type: 'client_credentials' }, { encode, auth })).must(200).body;
        assert.equal((await introspect(client, tokens.access_token)).body.active, true);
        (await exchange(desk, client, { token: tokens.access_token }, { encode, auth, path: '/oauth/revoke' })).must(200);
        assert.equal((await exchange(desk, client, { token: tokens.access_token }, { encode, auth, path: '/oauth/introspect' })).must(200).body.active, false);
      }
  });

  test('a Bearer token of an HTTP library does not keep a client from authenticating in the body', async () => {
    const { desk, client } = world;
    const open = await register(desk, { is_public: true });
    const grant = { grant_type: 'client_credentials' };
    for (const Authorization of ['Bearer', 'Bearer ', 'bearer   ', 'Bearer dka_old', 'Bearer null'])
      for (const encode of [form, json, multipart]) {
        const { access_token } = (await exchange(desk, client, grant, { auth: 'post', encode, headers: { Authorization } })).must(200).body;
        (await exchange(desk, client, { token: access_token }, { auth: 'post', encode, headers: { Authorization }, path: '/oauth/revoke' })).must(200);
        denied(await exchange(desk, open, { grant_type: 'refresh_token', refresh_token: 'dkr_unknown' }, { encode, headers: { Authorization } }), 400, 'invalid_grant');
      }
    const headers = { Authorization: 'Bearer dka_old' };
    denied(await exchange(desk, { ...client, secret: 'wrong' }, grant, { auth: 'post', headers, from: '127.0.0.7' }), 401, 'invalid_client');
    denied(await exchange(desk, client, grant, { auth: 'none', headers, from: '127.0.0.7' }), 401, 'invalid_client');
    const nobody = (Authorization) => desk.anyone.exchange('POST', '/oauth/token', { body: form(grant), headers: { Authorization } });
    for (const Authorization of ['Bearer', 'Bearer dka_old']) denied(await nobody(Authorization), 401, 'invalid_client');
    const both = { ...grant, client_id: client.key, client_secret: client.secret };
    denied(await desk.anyone.exchange('POST', '/oauth/token', { body: form(both), headers: { Authorization: 'Digest x' } }), 401, 'invalid_client');
  });

  test('a refresh token gives a new pair', async () => {
    const { desk, client } = world;
    const first = await tokensFor(desk, client, agent());
    const second = (await refresh(desk, client, first.refresh_token)).must(200).body;
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert.equal(second.scope, first.scope);
    assert.ok(await lives(desk, second.access_token));
    await desk.clock.forward(31 * DAY);
    denied(await refresh(desk, client, second.refresh_token), 400, 'invalid_grant');
  });

  test('a family has one row for its refresh token, however often that is rotated', async () => {
    const { desk, client } = world;
    const { refresh_token } = await tokensFor(desk, client, agent()), family = refresh_token.slice(4, 36);
    const rows = () => Number(sql(desk, `SELECT COUNT(*) FROM oauth_tokens WHERE kind = 2 AND family = '${family}'`));
    assert.equal(rows(), 1);
    let token = refresh_token;
    for (let n = 0; n < 3; n++) token = (await refresh(desk, client, token)).must(200).body.refresh_token;
    assert.deepEqual([rows(), token.slice(0, 36), token === refresh_token], [1, refresh_token.slice(0, 36), false]);
  });

  test('a client without scopes gets no token by any grant', async () => {
    const { desk } = world;
    const client = await register(desk, { scopes: [], is_password_grant_enabled: true });
    for (const body of [{ grant_type: 'client_credentials' }, { grant_type: 'password', username: agent().email, password: PASSWORD }, { grant_type: 'client_credentials', scope: 'users:read' }]) {
      denied(await exchange(desk, client, body), 400, 'invalid_scope');
    }
  });

  test('a refresh for fewer scopes narrows the access token alone', async () => {
    const { desk, client } = world;
    const first = await tokensFor(desk, client, agent(), { scope: 'users:read search:read' });
    const narrow = (await refresh(desk, client, first.refresh_token, { scope: 'search:read' })).must(200).body;
    assert.equal(narrow.scope, 'search:read');
    (await bearer(desk, narrow.access_token).get('/users')).refused(403, 'PERMISSIONS_DENIED');
    assert.equal((await refresh(desk, client, narrow.refresh_token)).must(200).body.scope, 'users:read search:read');
  });

  test('a client that lost the reply gets the same refresh token again within a minute, also when it repeats itself at once', async () => {
    const { desk, client } = world;
    const first = await tokensFor(desk, client, agent());
    const replies = await Promise.all(Array.from({ length: 4 }, () => refresh(desk, client, first.refresh_token)));
    const [{ refresh_token }] = replies.map((r) => r.must(200).body);
    for (const { body } of replies) {
      assert.equal(body.refresh_token, refresh_token);
      assert.ok(await lives(desk, body.access_token));
    }
    (await refresh(desk, client, refresh_token)).must(200);
  });

  test('client_credentials act as the person who made the client, without a refresh token', async () => {
    const { desk, client } = world;
    const tokens = (await exchange(desk, client, { grant_type: 'client_credentials', scope: 'users:read' })).must(200).body;
    assert.deepEqual([tokens.refresh_token, tokens.scope], [undefined, 'users:read']);
    assert.equal((await bearer(desk, tokens.access_token).fetch('/me')).id, desk.people.admin.id);
    const open = await register(desk, { is_public: true });
    denied(await exchange(desk, open, { grant_type: 'client_credentials' }), 400, 'unauthorized_client');
  });

  test('client_credentials end with the person who made the client', async () => {
    const { desk } = world, person = await desk.person('admin');
    const client = await person.client.create('/oauth/clients', { name: 'Of another', callback_url: CALLBACK });
    const { access_token } = (await exchange(desk, client, { grant_type: 'client_credentials' })).must(200).body;
    (await desk.owner.put(`/users/${person.id}`, { is_enabled: false })).must(200);
    assert.equal(await lives(desk, access_token), false);
    denied(await exchange(desk, client, { grant_type: 'client_credentials' }), 400, 'invalid_grant');
  });

  describe('the password grant', () => {
    const login = (client, username, password, more = {}, options) => exchange(world.desk, client, { grant_type: 'password', username, password, ...more }, options);

    test('is off unless the client is marked for it', async () => {
      const { desk, client } = world;
      denied(await login(client, agent().email, PASSWORD), 400, 'unauthorized_client');
      const marked = await register(desk, { is_password_grant_enabled: true });
      const tokens = (await login(marked, agent().email, PASSWORD, { scope: 'users:read' })).must(200).body;
      assert.ok(await lives(desk, tokens.access_token));
      assert.equal((await refresh(desk, marked, tokens.refresh_token)).must(200).body.scope, 'users:read');
      const grants = await desk.admin.fetch('/oauth/grants', { client_id: marked.id });
      assert.deepEqual(grants.map(({ user, scopes }) => [user.id, scopes]), [[agent().id, ['users:read']]]);
      for (const [name, password] of [[agent().email, 'wrong'], ['nobody@people.example', PASSWORD], ['a:b@people.example', PASSWORD]])
        assert.match(denied(await login(marked, name, password), 400, 'invalid_grant').body.error_description, /^Wrong e-mail address, password or code\.$/);
    });

    test('needs a name and a password', async () => {
      const { desk } = world, marked = await register(desk, { is_password_grant_enabled: true });
      for (const [name, password] of [[agent().email, undefined], [undefined, PASSWORD], [undefined, undefined]])
        assert.equal(denied(await login(marked, name, password), 400, 'invalid_request').body.error_description, 'username or password is missing.');
    });

    test('keeps the scopes of an earlier consent', async () => {
      const { desk } = world, person = await desk.person('agent');
      const marked = await register(desk, { is_password_grant_enabled: true });
      const before = await tokensFor(desk, marked, person, { scope: 'users:read search:read' });
      for (const scope of ['search:read', 'insights:read']) {
        assert.equal((await login(marked, person.email, PASSWORD, { scope })).must(200).body.scope, scope);
        (await bearer(desk, before.access_token).get('/users')).must(200);
      }
    });

    test('needs the code of a second factor', async () => {
      const { desk } = world, person = await desk.person('agent');
      const marked = await register(desk, { is_password_grant_enabled: true });
      const { secret } = await person.client.fetch('/profile/twofactor');
      await person.client.create('/profile/twofactor', { code: totp(secret, desk.clock.now) });
      await desk.clock.forward(MINUTE);
      assert.match(denied(await login(marked, person.email, PASSWORD), 400, 'invalid_grant').body.error_description, /second factor/);
      denied(await login(marked, person.email, PASSWORD, { otp: '000000' }), 400, 'invalid_grant');
      (await login(marked, person.email, PASSWORD, { otp: totp(secret, desk.clock.now) })).must(200);
      await desk.clock.forward(MINUTE);
      (await login(marked, person.email, PASSWORD, {}, { headers: { 'X-OTP': totp(secret, desk.clock.now) } })).must(200);
    });
  });

  describe('the end of tokens', () => {
    const cases = [
      ['a changed password', async (person) => (await person.client.put('/profile/password', { password: PASSWORD, new_password: 'another one of mine' })).must(200)],
      ['a disabled person', async (person) => (await world.desk.owner.put(`/users/${person.id}`, { is_enabled: false })).must(200)],
      ['a deleted person', async (person) => (await world.desk.owner.delete(`/users/${person.id}`)).must(200)],
      ['a deleted grant', async (person, client) => {
        const [grant] = await world.desk.admin.fetch('/oauth/grants', { user_id: person.id, client_id: client.id });
        (await world.desk.admin.delete(`/oauth/grants/${grant.id}`)).must(200);
      }],
    ];
    for (const [name, end] of cases)
      test(`${name} ends access, refresh and a code that was not used yet`, async () => {
        const { desk, client } = world, person = await desk.person('agent');
        const tokens = await tokensFor(desk, client, person);
        const { code } = await authorize(desk, client, person);
        await end(person, client);
        assert.equal(await lives(desk, tokens.access_token), false);
        denied(await refresh(desk, client, tokens.refresh_token), 400, 'invalid_grant');
        denied(await exchange(desk, client, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }), 400, 'invalid_grant');
        assert.equal((await introspect(client, tokens.access_token)).must(200).body.active, false);
      });

    test('a deleted client loses its tokens', async () => {
      const { desk } = world, client = await register(desk);
      const tokens = await tokensFor(desk, client, agent());
      (await desk.admin.delete(`/oauth/clients/${client.id}`)).must(200);
      assert.equal(await lives(desk, tokens.access_token), false);
      denied(await refresh(desk, client, tokens.refresh_token), 401, 'invalid_client');
    });

    test('fewer scopes of the client', async () => {
      const { desk } = world, client = await register(desk);
      const tokens = await tokensFor(desk, client, agent());
      (await desk.admin.put(`/oauth/clients/${client.id}`, { scopes: ['search:read'] })).must(200);
      (await bearer(desk, tokens.access_token).get('/users')).refused(403, 'PERMISSIONS_DENIED');
      assert.equal((await refresh(desk, client, tokens.refresh_token)).must(200).body.scope, 'search:read');
    });
  });

  describe('revocation', () => {
    test('of a refresh token ends all tokens of its family, of an access token only that one', async () => {
      const { desk, client } = world;
      const first = await tokensFor(desk, client, agent()), other = await tokensFor(desk, client, agent());
      const second = (await refresh(desk, client, first.refresh_token)).must(200).body;
      const revoke = (token, hint) => exchange(desk, client, { token, token_type_hint: hint }, { path: '/oauth/revoke' });
      assert.equal((await revoke(first.access_token, 'refresh_token')).must(200).text, '');
      assert.deepEqual([await lives(desk, first.access_token), await lives(desk, second.access_token)], [false, true]);
      (await revoke(second.refresh_token)).must(200);
      assert.deepEqual([await lives(desk, second.access_token), await lives(desk, other.access_token)], [false, true]);
      denied(await refresh(desk, client, second.refresh_token), 400, 'invalid_grant');
    });

    test('of a refresh token that was replaced ends its family, too', async () => {
      const { desk, client } = world;
      const first = await tokensFor(desk, client, agent());
      const second = (await refresh(desk, client, first.refresh_token)).must(200).body;
      const third = (await refresh(desk, client, second.refresh_token)).must(200).body;
      (await exchange(desk, client, { token: first.refresh_token }, { path: '/oauth/revoke' })).must(200);
      denied(await refresh(desk, client, third.refresh_token), 400, 'invalid_grant');
      assert.equal(await lives(desk, third.access_token), false);
    });

    test('moves the end of the grant to the end of its last token', async () => {
      const { desk, client } = world, person = await desk.person('agent');
      const first = await tokensFor(desk, client, person);
      await desk.clock.forward(HOUR);
      const second = await tokensFor(desk, client, person);
      const end = async () => Date.parse((await desk.admin.fetch('/oauth/grants', { user_id: person.id }))[0].expiry_at) - desk.clock.now;
      const near = (found, wanted) => assert.ok(Math.abs(found - wanted) < 10_000, `${found} is not about ${wanted}`);
      near(await end(), 30 * DAY * 1000);
      (await exchange(desk, client, { token: second.refresh_token }, { path: '/oauth/revoke' })).must(200);
      near(await end(), (30 * DAY - HOUR) * 1000);
      (await exchange(desk, client, { token: first.refresh_token }, { path: '/oauth/revoke' })).must(200);
      near(await end(), 0);
    });

    test('of an unknown token succeeds, of none does not', async () => {
      const { desk, client } = world;
      for (const token of ['unknown', `dkr_${'0'.repeat(64)}`]) (await exchange(desk, client, { token }, { path: '/oauth/revoke' })).must(200);
      denied(await exchange(desk, client, {}, { path: '/oauth/revoke' }), 400, 'invalid_request');
    });
  });

  test('introspection describes a token to its client', async () => {
    const { desk, client } = world;
    const tokens = await tokensFor(desk, client, agent(), { scope: 'users:read' });
    const now = Math.floor(desk.clock.now / 1000);
    const facts = { active: true, scope: 'users:read', client_id: client.key, sub: String(agent().id), iss: desk.base };
    const about = async (token) => {
      const { exp, iat, ...rest } = (await introspect(client, token)).must(200).body;
      assert.ok(Math.abs(iat - now) < 10, `${iat} ${now}`);
      return [rest, exp - iat];
    };
    assert.deepEqual(await about(tokens.access_token), [{ ...facts, token_type: 'Bearer' }, 3600]);
    assert.deepEqual(await about(tokens.refresh_token), [{ ...facts, token_type: 'refresh_token' }, 30 * 86_400]);
    (await refresh(desk, client, tokens.refresh_token)).must(200);
    assert.deepEqual((await introspect(client, tokens.refresh_token)).must(200).body, { active: false });
    assert.deepEqual((await introspect(client, 'unknown')).must(200).body, { active: false });
  });

  test('introspection and revocation need a token', async () => {
    for (const path of ['/oauth/introspect', '/oauth/revoke'])
      assert.equal(denied(await exchange(world.desk, world.client, {}, { path }), 400, 'invalid_request').body.error_description, 'token is missing.');
  });

  test('the metadata names every endpoint', async () => {
    const { desk } = world;
    const { body, headers } = (await desk.anyone.exchange('GET', '/.well-known/oauth-authorization-server')).must(200);
    assert.deepEqual([body.issuer, headers['content-type'], headers['access-control-allow-origin']], [desk.base, 'application/json', '*']);
    for (const name of ['authorization', 'token', 'revocation', 'introspection'])
      assert.notEqual((await desk.anyone.exchange('GET', body[`${name}_endpoint`].slice(desk.base.length))).status, 404);
    assert.deepEqual([body.code_challenge_methods_supported, body.response_types_supported, body.authorization_response_iss_parameter_supported], [['S256'], ['code'], true]);
    const { scopes_supported, ...rest } = body, secrets = ['client_secret_basic', 'client_secret_post'], at = (path) => `${desk.base}${path}`;
    assert.ok(scopes_supported.includes('configuration:write') && scopes_supported.includes('users:read') && scopes_supported.every((scope) => /^\w+:(read|write)$/.test(scope)));
    assert.deepEqual(rest, {
      issuer: desk.base, authorization_endpoint: at('/oauth/authorize'), token_endpoint: at('/oauth/token'), revocation_endpoint: at('/oauth/revoke'), introspection_endpoint: at('/oauth/introspect'), service_documentation: at('/docs'),
      response_types_supported: ['code'], response_modes_supported: ['query'], grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', 'password'], code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [...secrets, 'none'], revocation_endpoint_auth_methods_supported: [...secrets, 'none'], introspection_endpoint_auth_methods_supported: secrets, authorization_response_iss_parameter_supported: true,
    });
    assert.deepEqual([headers['cache-control'], (await desk.anyone.exchange('HEAD', '/.well-known/oauth-authorization-server')).status], ['public, max-age=3600', 200]);
    for (const path of ['/x', 'x', '/']) assert.equal((await desk.anyone.exchange('GET', `/.well-known/oauth-authorization-server${path}`)).status, 404, path);
    assert.equal((await desk.anyone.exchange('POST', '/.well-known/oauth-authorization-server', { body: form({}) })).status, 404);
  });

  const WRONG = [
    ['no grant_type', {}, {}, 400, 'invalid_request'],
    ['an unknown grant_type', { grant_type: 'implicit' }, {}, 400, 'unsupported_grant_type'],
    ['no code', { grant_type: 'authorization_code' }, {}, 400, 'invalid_request'],
    ['no refresh_token', { grant_type: 'refresh_token' }, {}, 400, 'invalid_request'],
    ['an unknown scope', { grant_type: 'client_credentials', scope: 'all' }, {}, 400, 'invalid_scope'],
    ['a list in place of a text', { grant_type: ['client_credentials'] }, { encode: json }, 400, 'invalid_request'],
    ['another media type', {}, { encode: () => raw('text/plain', 'grant_type=client_credentials') }, 400, 'invalid_request'],
    ['broken JSON', {}, { encode: () => raw('application/json', '{"grant_type":') }, 400, 'invalid_request'],
    ['a JSON array', {}, { encode: () => raw('application/json', '[]') }, 400, 'invalid_request'],
    ['a parameter given twice', {}, { encode: () => raw('application/x-www-form-urlencoded', 'grant_type=client_credentials&grant_type=password') }, 400, 'invalid_request'],
    ['two ways to authenticate', { grant_type: 'client_credentials', client_secret: 'x' }, {}, 400, 'invalid_request'],
    ['another client_id in the body', { grant_type: 'client_credentials', client_id: 'x' }, {}, 400, 'invalid_request'],
    ['another scheme', { grant_type: 'client_credentials' }, { headers: { Authorization: 'Digest x' } }, 401, 'invalid_client'],
    ['broken Basic', { grant_type: 'client_credentials' }, { headers: { Authorization: 'Basic ***' } }, 401, 'invalid_client'],
  ];
  for (const [name, fields, options, status, error] of WRONG)
    test(`${name}: ${error}`, async () => { denied(await exchange(world.desk, world.client, fields, options), status, error); });

  test('other methods are refused with the ones that are allowed', async () => {
    const { desk } = world;
    const get = (await desk.anyone.exchange('GET', '/oauth/token?grant_type=client_credentials')).must(405);
    assert.deepEqual([get.headers.allow, get.body.error], ['POST', 'invalid_request']);
    assert.equal((await desk.anyone.exchange('PUT', '/oauth/authorize')).must(405).headers.allow, 'GET, HEAD, POST');
  });

  test('a refused method has the security headers of every reply', async () => {
    const { headers } = (await world.desk.anyone.exchange('GET', '/oauth/token')).must(405);
    assert.deepEqual([headers['x-content-type-options'], headers['referrer-policy']], ['nosniff', 'no-referrer']);
    assert.match(headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/);
  });
});

describe('settings and the token endpoint', () => {
  const world = shared(async (world) => { world.client = await register(world.desk); });

  test('the password grant refuses an expired password', async () => {
    const { desk } = world, person = await desk.person('customer');
    const marked = await register(desk, { is_password_grant_enabled: true });
    (await desk.owner.put('/settings', { values: { 'security.password_days_customers': '1' } })).must(200);
    await desk.clock.forward(DAY + MINUTE);
    assert.match(denied(await exchange(desk, marked, { grant_type: 'password', username: person.email, password: PASSWORD }), 400, 'invalid_grant').body.error_description, /password has expired/);
    (await desk.owner.put('/settings', { values: { 'security.password_days_customers': '0' } })).must(200);
  });

  test('pages of security.cors_origins may use the endpoints', async () => {
    const { desk, client } = world, Origin = 'https://spa.example';
    const before = (await exchange(desk, client, {}, { headers: { Origin } }));
    assert.equal(before.headers['access-control-allow-origin'], undefined);
    (await desk.owner.put('/settings', { values: { 'security.cors_origins': Origin, 'security.cors_max_age_seconds': 90 } })).must(200);
    const preflight = (await desk.anyone.exchange('OPTIONS', '/oauth/token', { headers: { Origin, 'Access-Control-Request-Method': 'POST' } })).must(204);
    const cors = ({ headers }) => ['origin', 'methods', 'headers'].map((name) => headers[`access-control-allow-${name}`]).concat(headers['access-control-max-age']);
    assert.deepEqual([cors(preflight), preflight.headers.vary, preflight.headers.allow], [[Origin, 'POST', 'Authorization, Content-Type', '90'], 'Origin', 'POST']);
    const foreign = (await desk.anyone.exchange('OPTIONS', '/oauth/token', { headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' } })).must(204);
    assert.deepEqual(cors(foreign), [undefined, undefined, undefined, undefined]);
    assert.equal((await exchange(desk, client, { grant_type: 'client_credentials' }, { headers: { Origin } })).must(200).headers['access-control-allow-origin'], Origin);
    (await desk.owner.put('/settings', { values: { 'security.cors_origins': '' } })).must(200);
  });
});

test('expired codes and tokens are deleted, and check finds the rest in order', async (t) => {
  const desk = await open(t, { processes: 1 }), client = await register(desk), { agent } = desk.people;
  const rows = (table) => Number(sql(desk, `SELECT COUNT(*) FROM ${table}`));
  const first = await tokensFor(desk, client, agent);
  (await refresh(desk, client, first.refresh_token)).must(200);
  await authorize(desk, client, agent);
  assert.deepEqual([rows('oauth_codes'), rows('oauth_tokens'), desk.check().status], [2, 3, 0]);
  await desk.clock.forward(2 * DAY);
  await desk.restart(); // sweeps
  await until('the sweep of codes and access tokens', () => rows('oauth_codes') === 0 && rows('oauth_tokens') === 1);
  await desk.clock.forward(29 * DAY);
  await desk.restart();
  await until('the sweep of refresh tokens', () => rows('oauth_tokens') === 0);
});

test('check reports tokens that can not be as they are', async (t) => {
  const desk = await open(t, { processes: 1 }), client = await register(desk), { agent, admin } = desk.people;
  const first = await tokensFor(desk, client, agent);
  (await refresh(desk, client, first.refresh_token)).must(200);
  const id = Number(sql(desk, 'SELECT MIN(id) FROM oauth_tokens WHERE kind = 2'));
  sql(desk, `UPDATE oauth_tokens SET user_id = ${admin.id} WHERE id = ${id}`);
  const { stdout } = desk.check();
  assert.match(stdout, new RegExp(`token ${id} belongs to another person or client than its grant`));
});

test('check reports a rotation that only one of its columns shows', async (t) => {
  const desk = await open(t, { processes: 1 }), client = await register(desk);
  await tokensFor(desk, client, desk.people.agent);
  const id = Number(sql(desk, 'SELECT id FROM oauth_tokens WHERE kind = 2'));
  assert.equal(desk.check().status, 0);
  sql(desk, `UPDATE oauth_tokens SET rotated_at = 1 WHERE id = ${id}`);
  assert.match(desk.check().stdout, new RegExp(`token ${id} has parts of a refresh token that do not fit together`));
});

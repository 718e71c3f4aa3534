// The attacks of RFC 9700 (OAuth 2.0 Security Best Current Practice) and RFC 6819 that apply to an authorization server. Each test is named after one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Browser, CALLBACK, MINUTE, PASSWORD, authorize, authorizeUrl, basic, bearer, challengeOf, denied, exchange, form, formOf, lives, loggedIn, open, refresh, register, shared, toConsent, tokensFor, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';
import { totp } from './lib/totp.mjs';

describe('attacks on the OAuth server', () => {
  const world = shared(async (world) => {
    world.client = await register(world.desk);
    world.open = await register(world.desk, { name: 'App', is_public: true });
  }, { args: ['--public-writes', '600'] }); // all come from one address, and the clock stands still
  const agent = () => world.desk.people.agent;
  const browser = () => new Browser(world.desk);
  let member; // the errors of a request go back to the client only with a session
  const insider = async () => (member ??= await loggedIn(world.desk, world.client, agent()));
  const pkce = (verifier) => ({ code_challenge: challengeOf(verifier), code_challenge_method: 'S256' });
  const verifierOf = () => randomBytes(32).toString('base64url');
  const byCode = (client, code, more = {}, options = {}) => exchange(world.desk, client, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...more }, options);
  const errorOf = ({ headers }) => new URL(headers.location).searchParams.get('error');

  describe('redirect manipulation', () => {
    const addresses = ['https://evil.example/callback', `${CALLBACK}/`, `${CALLBACK}?a=b`, `${CALLBACK}#x`, `${CALLBACK}/../evil`, 'https://APP.example/callback', 'http://app.example/callback', 'https://app.example@evil.example/callback',
      'https://app.example.evil.example/callback', 'https://app.example:8443/callback', 'https://app.example%2f@evil.example/callback', ' https://app.example/callback', '//evil.example', 'javascript:alert(1)', 'data:text/html,x'];
    for (const redirect_uri of addresses)
      test(`open redirect: ${redirect_uri} gets an error page and no redirect`, async () => {
        const reply = (await browser().get(authorizeUrl(world.client, { redirect_uri }))).must(400);
        assert.equal(reply.headers.location, undefined);
        assert.match(reply.text, /not its callback address/);
      });

    test('open redirect: errors of the request do not lead to another address either', async () => {
      const reply = (await browser().get(authorizeUrl(world.client, { redirect_uri: 'https://evil.example', response_type: 'token' }))).must(400);
      assert.equal(reply.headers.location, undefined);
    });

    test('open redirect: an unknown client, none, or two of them get an error page', async () => {
      for (const query of ['client_id=unknown', '', `client_id=${world.client.key}&client_id=${world.open.key}`]) {
        const reply = (await browser().get(`/oauth/authorize?response_type=code&${query}&redirect_uri=https%3A%2F%2Fevil.example`)).must(400);
        assert.equal(reply.headers.location, undefined);
      }
    });

    test('open redirect: two redirect addresses get an error page', async () => {
      const reply = (await browser().get(`${authorizeUrl(world.client)}&redirect_uri=${encodeURIComponent(CALLBACK)}`)).must(400);
      assert.equal(reply.headers.location, undefined);
    });

    test('a port may vary only for a program on this computer', async () => {
      const local = await register(world.desk, { is_public: true, callback_url: 'http://127.0.0.1:8000/cb' });
      for (const redirect_uri of ['http://127.0.0.1:8000/other', 'http://127.0.0.1.evil.example/cb', 'http://127.0.0.1:8000@evil.example/cb', 'http://127.0.0.1:99999/cb', 'http://127.0.0.1:/cb', 'http://127.0.0.1:0/cb', 'http://[::1]:8000/cb',
        'http://localhost:8000/cb', 'https://127.0.0.1:8000/cb', 'http://127.0.0.1:80 0/cb', 'http://127.0.0.1:8000/cb#x'])
        (await browser().get(authorizeUrl(local, { redirect_uri, ...pkce(verifierOf()) }))).must(400);
    });

    test('a code of a request without address goes with no other address than that of the client', async () => {
      const { code } = await authorize(world.desk, world.client, agent(), { redirect_uri: undefined });
      denied(await byCode(world.client, code, { redirect_uri: 'https://evil.example/callback' }), 400, 'invalid_grant');
    });

    test('the redirect address of the code must be repeated, and a code that was shown with another one is used up', async () => {
      for (const redirect_uri of ['https://evil.example/callback', undefined]) {
        const { code } = await authorize(world.desk, world.client, agent());
        denied(await byCode(world.client, code, { redirect_uri }), 400, 'invalid_grant');
        denied(await byCode(world.client, code), 400, 'invalid_grant');
      }
    });
  });

  describe('phishing by wrong requests (RFC 9700 section 4.11.2)', () => {
    const wrong = () => [{ scope: 'nonsense' }, { response_type: undefined }, { response_type: 'token' }, { code_challenge_method: 'S256' }, { request: 'eyJ' }];

    test('without a login, no error of a request leads away from the desk', async () => {
      for (const more of wrong()) {
        const page = (await browser().get(authorizeUrl(world.client, more))).must(200);
        assert.equal(page.headers.location, undefined);
        assert.match(page.text, /<h1>Log in<\/h1>[^]*The request of <strong><bdi>Reports<\/bdi><\/strong> has an error: [^<]+\. Log in to return to the app\./);
      }
    });

    test('the login sends the error to the client, and the form may lead there', async () => {
      for (const [more, error] of [[{ scope: 'nonsense' }, 'invalid_scope'], [{ response_type: undefined }, 'invalid_request'], [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request']]) {
        const visitor = browser(), page = await visitor.get(authorizeUrl(world.client, more));
        assert.match(page.headers['content-security-policy'], /form-action 'self' https: /);
        const { origin, pathname, searchParams } = new URL((await visitor.send(page, { email: agent().email, password: PASSWORD })).must(303).headers.location);
        assert.deepEqual([origin + pathname, searchParams.get('error'), searchParams.get('state'), searchParams.get('code')], [CALLBACK, error, 'a state', null]);
        assert.ok(searchParams.get('error_description'));
        assert.equal((await visitor.get(authorizeUrl(world.client, more))).must(303).headers.location.split('?')[0], CALLBACK, 'now there is a session');
      }
    });

    test('a wrong password or a missing second factor sends nothing to the client', async () => {
      const person = await world.desk.person('agent'), visitor = browser();
      const { secret } = await person.client.fetch('/profile/twofactor');
      await person.client.create('/profile/twofactor', { code: totp(secret, world.desk.clock.now) });
      await world.desk.clock.forward(MINUTE);
      const again = (await visitor.send(await visitor.get(authorizeUrl(world.client, { scope: 'nonsense' })), { email: person.email, password: 'wrong' })).must(401);
      const code = (await visitor.send(again, { email: person.email, password: PASSWORD })).must(200);
      const last = (await visitor.send(code, { code: '000000' })).must(401);
      for (const page of [again, code, last]) assert.equal(page.headers.location, undefined);
      assert.equal(errorOf((await visitor.send(last, { code: totp(secret, world.desk.clock.now) })).must(303)), 'invalid_scope');
    });

    test('prompt=none asks for no page, so its error leads to the registered address at once', async () => {
      for (const [more, error] of [[{}, 'interaction_required'], [{ scope: 'nonsense' }, 'invalid_scope']])
        assert.equal(errorOf((await browser().get(authorizeUrl(world.client, { prompt: 'none', ...more }))).must(303)), error);
    });
  });

  test('307 redirect: the answer to a posted password or consent is a 303', async () => {
    const visitor = browser();
    const login = await visitor.send(await visitor.get(authorizeUrl(world.client)), { email: agent().email, password: PASSWORD });
    assert.equal(login.status, 303);
    assert.equal((await visitor.send(await visitor.get(login.headers.location), { do: 'allow' })).status, 303);
  });

  test('credential leakage by the Referer: the page sends none to other sites, and is not kept', async () => {
    const { headers } = (await browser().get(authorizeUrl(world.client))).must(200);
    assert.deepEqual([headers['referrer-policy'], headers['cache-control']], ['same-origin', 'no-store']);
  });

  test('mix-up: the response names the issuer of the metadata', async () => {
    const { iss } = await authorize(world.desk, world.client, agent());
    assert.equal(iss, (await world.desk.anyone.exchange('GET', '/.well-known/oauth-authorization-server')).body.issuer);
    assert.equal(new URL((await (await insider()).get(authorizeUrl(world.client, { scope: 'unknown' }))).headers.location).searchParams.get('iss'), iss);
  });

  describe('authorization code injection', () => {
    test('a stolen code is worth nothing without the verifier', async () => {
      const verifier = verifierOf();
      for (const guess of [undefined, verifierOf(), challengeOf(verifier), verifier.slice(1), `${verifier}!`, 'a'.repeat(129)]) {
        const { code } = await authorize(world.desk, world.open, agent(), pkce(verifier));
        denied(await byCode(world.open, code, { code_verifier: guess }), 400, 'invalid_grant');
        denied(await byCode(world.open, code, { code_verifier: verifier }), 400, 'invalid_grant');
      }
    });

    test('a confidential client that sent a challenge needs the verifier, too', async () => {
      const { code } = await authorize(world.desk, world.client, agent(), pkce(verifierOf()));
      denied(await byCode(world.client, code), 400, 'invalid_grant');
    });

    test('a code of another client is unknown, and remains good for its own client', async () => {
      const other = await register(world.desk), verifier = verifierOf();
      const { code } = await authorize(world.desk, world.client, agent(), pkce(verifier));
      for (const client of [other, world.open]) denied(await byCode(client, code, { code_verifier: verifier }), 400, 'invalid_grant');
      (await byCode(world.client, code, { code_verifier: verifier })).must(200);
    });
  });

  describe('PKCE downgrade', () => {
    test('a verifier for a code without a challenge is refused: the challenge was taken from the request', async () => {
      const { code } = await authorize(world.desk, world.client, agent());
      denied(await byCode(world.client, code, { code_verifier: verifierOf() }), 400, 'invalid_grant');
    });

    test('a public client can not leave out the challenge', async () => {
      assert.equal(errorOf((await (await insider()).get(authorizeUrl(world.open))).must(303)), 'invalid_request');
    });

    test('a code without a challenge is worth nothing to a client that became public meanwhile, because neither secret nor verifier protects it', async () => {
      const { desk } = world, client = await register(desk);
      const { code } = await authorize(desk, client, agent());
      (await desk.admin.put(`/oauth/clients/${client.id}`, { is_public: true })).must(200);
      denied(await byCode({ ...client, secret: null }, code), 400, 'invalid_grant');
      const verifier = verifierOf(), other = await register(desk);
      const { code: protected_ } = await authorize(desk, other, agent(), pkce(verifier));
      (await desk.admin.put(`/oauth/clients/${other.id}`, { is_public: true })).must(200);
      (await byCode({ ...other, secret: null }, protected_, { code_verifier: verifier })).must(200);
    });

    test('plain is refused, also when it is the default', async () => {
      for (const more of [{ code_challenge_method: 'plain' }, {}, { code_challenge_method: 's256' }])
        assert.equal(errorOf((await (await insider()).get(authorizeUrl(world.client, { code_challenge: challengeOf('x'), ...more }))).must(303)), 'invalid_request');
    });
  });

  describe('code replay', () => {
    test('a second use ends the tokens that the first one gave', async () => {
      const { desk, client } = world;
      const { code } = await authorize(desk, client, agent());
      const first = (await byCode(client, code)).must(200).body;
      const second = (await refresh(desk, client, first.refresh_token)).must(200).body;
      denied(await byCode(client, code), 400, 'invalid_grant');
      assert.deepEqual([await lives(desk, first.access_token), await lives(desk, second.access_token)], [false, false]);
      denied(await refresh(desk, client, second.refresh_token), 400, 'invalid_grant');
    });

    test('one of several concurrent uses succeeds, and the others end its tokens', async () => {
      const { desk, client } = world;
      const { code } = await authorize(desk, client, agent());
      const replies = await Promise.all(Array.from({ length: 8 }, () => byCode(client, code)));
      const won = replies.filter(({ status }) => status === 200);
      assert.equal(won.length, 1);
      assert.equal(await lives(desk, won[0].body.access_token), false);
    });

    test('the audit log names the person and the client of a code that was used twice', async () => {
      const { desk, client } = world, person = await desk.person('customer'), { code } = await authorize(desk, client, person);
      (await byCode(client, code)).must(200);
      denied(await byCode(client, code), 400, 'invalid_grant');
      const entry = await until('the entry', async () => (await desk.owner.fetch('/audit_log', { limit: 1000 })).find((e) => e.action === 'TOKEN_REUSED' && e.actor?.id === person.id));
      assert.deepEqual([entry.object.resource_type, entry.object.id], ['oauth_client', client.id]);
    });

    test('a code expires after a minute', async () => {
      const { code } = await authorize(world.desk, world.client, agent());
      await world.desk.clock.forward(MINUTE);
      denied(await byCode(world.client, code), 400, 'invalid_grant');
    });
  });

  describe('refresh token theft', () => {
    test('a used refresh token that comes again later ends all tokens of its family, and no others', async () => {
      const { desk, client } = world;
      const other = await tokensFor(desk, client, agent());
      const first = await tokensFor(desk, client, agent());
      const second = (await refresh(desk, client, first.refresh_token)).must(200).body;
      await desk.clock.forward(MINUTE + 1);
      denied(await refresh(desk, client, first.refresh_token), 400, 'invalid_grant');
      denied(await refresh(desk, client, second.refresh_token), 400, 'invalid_grant');
      assert.deepEqual([await lives(desk, second.access_token), await lives(desk, other.access_token)], [false, true]);
    });

    test('within the minute, too, if its successor was used: then the reply was not lost', async () => {
      const { desk, client } = world;
      const first = await tokensFor(desk, client, agent());
      const second = (await refresh(desk, client, first.refresh_token)).must(200).body;
      const third = (await refresh(desk, client, second.refresh_token)).must(200).body;
      denied(await refresh(desk, client, first.refresh_token), 400, 'invalid_grant');
      denied(await refresh(desk, client, third.refresh_token), 400, 'invalid_grant');
    });

    test('a token that came many rotations ago, or that names the family with another secret, ends the family', async () => {
      const { desk, client } = world;
      for (const shown of [(token) => token, (token) => token.slice(0, 36) + '0'.repeat(32)]) {
        const first = await tokensFor(desk, client, agent());
        let last = first;
        for (let n = 0; n < 3; n++) last = (await refresh(desk, client, last.refresh_token)).must(200).body;
        await desk.clock.forward(MINUTE + 1);
        const before = (await desk.owner.fetch('/audit_log', { action: 'TOKEN_REUSED', limit: 100 })).length;
        denied(await refresh(desk, client, shown(first.refresh_token)), 400, 'invalid_grant');
        denied(await refresh(desk, client, last.refresh_token), 400, 'invalid_grant');
        assert.equal(await lives(desk, last.access_token), false);
        assert.equal((await desk.owner.fetch('/audit_log', { action: 'TOKEN_REUSED', limit: 100 })).length, before + 1);
      }
    });

    test('a client can not end a family of another client', async () => {
      const { desk, client } = world, other = await register(desk);
      const first = await tokensFor(desk, client, agent());
      const second = (await refresh(desk, client, first.refresh_token)).must(200).body;
      const { refresh_token } = (await refresh(desk, client, second.refresh_token)).must(200).body;
      for (const token of [first.refresh_token, second.refresh_token, refresh_token]) {
        denied(await refresh(desk, other, token), 400, 'invalid_grant');
        (await exchange(desk, other, { token }, { path: '/oauth/revoke' })).must(200);
      }
      (await refresh(desk, client, refresh_token)).must(200);
    });

    test('a refresh token works for its own client only', async () => {
      const { desk, client, open } = world, other = await register(desk);
      const tokens = await tokensFor(desk, client, agent());
      for (const thief of [other, open]) denied(await refresh(desk, thief, tokens.refresh_token), 400, 'invalid_grant');
      (await refresh(desk, client, tokens.refresh_token)).must(200);
    });
  });

  describe('scope upgrade', () => {
    test('a client gets no scope that it may not ask for', async () => {
      const narrow = await register(world.desk, { scopes: ['users:read'], is_password_grant_enabled: true });
      assert.equal(errorOf((await (await insider()).get(authorizeUrl(narrow, { scope: 'users:write' }))).must(303)), 'invalid_scope');
      denied(await exchange(world.desk, narrow, { grant_type: 'client_credentials', scope: 'search:read' }), 400, 'invalid_scope');
      denied(await exchange(world.desk, narrow, { grant_type: 'password', username: agent().email, password: PASSWORD, scope: 'users' }), 400, 'invalid_scope');
      assert.equal((await exchange(world.desk, narrow, { grant_type: 'client_credentials' })).must(200).body.scope, 'users:read');
    });

    test('a refresh can not grow beyond the consent, and does not use up the token', async () => {
      const { desk, client } = world;
      const tokens = await tokensFor(desk, client, agent(), { scope: 'users:read' });
      denied(await refresh(desk, client, tokens.refresh_token, { scope: 'users:write' }), 400, 'invalid_scope');
      (await refresh(desk, client, tokens.refresh_token)).must(200);
    });

    test('the posted form can not change what the person saw', async () => {
      const visitor = browser();
      const page = await toConsent(visitor, authorizeUrl(world.client, { scope: 'users:read' }), agent());
      const back = (await visitor.send(page, { do: 'allow', scope: 'configuration', redirect_uri: 'https://evil.example', client_id: world.open.key })).must(303);
      assert.ok(back.headers.location.startsWith(CALLBACK));
      const code = new URL(back.headers.location).searchParams.get('code');
      world.desk.secrets.add(code);
      assert.equal((await byCode(world.client, code)).must(200).body.scope, 'users:read');
    });

    test('a token does no more than its person may', async () => {
      const tokens = await tokensFor(world.desk, world.client, world.desk.people.customer);
      (await bearer(world.desk, tokens.access_token).get('/users')).refused(403, 'PERMISSIONS_DENIED');
    });
  });

  describe('clickjacking', () => {
    test('no page may frame the login, the consent or an error', async () => {
      const visitor = browser();
      for (const page of [await visitor.get(authorizeUrl(world.client)), await toConsent(visitor, authorizeUrl(world.client), agent()), await visitor.get('/oauth/authorize')]) {
        assert.equal(page.headers['x-frame-options'], 'DENY');
        assert.match(page.headers['content-security-policy'], /^default-src 'none';.* form-action 'self'.* frame-ancestors 'none'$/);
      }
    });
  });

  describe('CSRF on the consent', () => {
    const consent = async () => {
      const visitor = browser();
      return { visitor, page: await toConsent(visitor, authorizeUrl(world.client), agent()) };
    };

    test('a post without a ticket, or with a forged one, gives no code', async () => {
      const { visitor, page } = await consent();
      const { ticket } = formOf(page).hidden;
      for (const forged of [undefined, '', 'x', ticket.slice(2), `${ticket.slice(0, -2)}00`, ticket.toUpperCase() + '0'])
        (await visitor.go('POST', '/oauth/authorize', form({ do: 'allow', ...(forged === undefined ? {} : { ticket: forged }) }))).must(403);
    });

    test('a page of another site can not post it', async () => {
      const { visitor, page } = await consent();
      for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }]) (await visitor.send(page, { do: 'allow' }, headers)).must(403);
      (await visitor.send(page, { do: 'allow' })).must(303);
    });

    test('a page of another site can not post the login', async () => {
      const visitor = browser(), page = await visitor.get(authorizeUrl(world.client));
      (await visitor.send(page, { email: agent().email, password: PASSWORD }, { Origin: 'https://evil.example' })).must(403);
      assert.equal(visitor.cookies.desk_session, undefined);
    });

    test('a ticket of an earlier session of the same person is refused', async () => {
      const { visitor, page } = await consent();
      const { id, client } = await world.desk.session(world.desk.staff);
      assert.equal(id, visitor.cookies.desk_session, 'the session of the same person, browser and address');
      (await client.delete('/session')).must(200);
      await toConsent(visitor, authorizeUrl(world.client), agent());
      (await visitor.send(page, { do: 'allow' })).must(403);
    });

    test('a ticket of another browser is refused, also with the same session', async () => {
      const { visitor, page } = await consent();
      const thief = browser();
      await thief.get(authorizeUrl(world.client));
      thief.cookies.desk_session = visitor.cookies.desk_session;
      (await thief.send(page, { do: 'allow' })).must(403);
      const bare = browser();
      bare.cookies.desk_session = visitor.cookies.desk_session;
      (await bare.send(page, { do: 'allow' })).must(403);
    });

    test('a ticket that an attacker got as another person is refused', async () => {
      const mine = await consent();
      const victim = browser();
      await toConsent(victim, authorizeUrl(world.client), world.desk.people.customer);
      victim.cookies.desk_authorize = mine.visitor.cookies.desk_authorize;
      (await victim.send(mine.page, { do: 'allow' })).must(403);
    });

    test('login CSRF: an attacker can not log a victim in', async () => {
      const attacker = browser(), victim = browser();
      const page = await attacker.get(authorizeUrl(world.client));
      (await victim.send(page, { email: agent().email, password: PASSWORD })).must(403);
      assert.equal(victim.cookies.desk_session, undefined);
    });

    test('a logout or a changed password ends an open consent', async () => {
      const person = await world.desk.person('agent'), elsewhere = person.client.with({ 'User-Agent': 'another browser' });
      const ways = [
        () => world.desk.session(person.client).then(({ client }) => client.delete('/session')), // the session of the browser: same person, browser and address
        () => elsewhere.put('/profile/password', { password: PASSWORD, new_password: 'another one of mine' }),
      ];
      for (const end of ways) {
        const visitor = browser(), page = await toConsent(visitor, authorizeUrl(world.client), person);
        (await end()).must(200);
        (await visitor.send(page, { do: 'allow' })).must(403);
      }
    });

    test('the ticket of a login is no consent, and a button of another name does nothing', async () => {
      const { visitor } = await consent();
      const login = await visitor.get(authorizeUrl(world.client, { prompt: 'login' }));
      (await visitor.send(login, { do: 'allow' })).must(401);
      const { page, visitor: second } = await consent();
      assert.equal((await second.send(page, { do: 'other' })).headers.location, undefined);
    });
  });

  describe('client impersonation', () => {
    test('a confidential client needs its secret, a public one has none', async () => {
      const { desk, client, open } = world;
      const { code } = await authorize(desk, client, agent());
      denied(await byCode(client, code, {}, { auth: 'none' }), 401, 'invalid_client');
      denied(await byCode({ ...client, secret: client.secret.replace(/.$/, (c) => (c === '0' ? '1' : '0')) }, code), 401, 'invalid_client');
      denied(await byCode({ ...open, secret: client.secret }, code), 401, 'invalid_client');
      const reply = denied(await exchange(desk, { key: 'unknown' }, { grant_type: 'client_credentials' }), 401, 'invalid_client');
      assert.match(reply.headers['www-authenticate'], /^Basic /);
      (await byCode(client, code)).must(200);
    });

    test('no endpoint answers without a client', async () => {
      for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect'])
        denied(await world.desk.anyone.exchange('POST', path, { body: form({ token: 'x', grant_type: 'client_credentials' }) }), 401, 'invalid_client');
    });

    test('a person agrees each time, so a program that pretends to be another one gets nothing silently', async () => {
      const visitor = browser();
      (await visitor.send(await toConsent(visitor, authorizeUrl(world.client), agent()), { do: 'allow' })).must(303);
      assert.match((await visitor.get(authorizeUrl(world.client))).must(200).text, /Allow access/);
    });
  });

  describe('credentials guessing', () => {
    test('wrong secrets of clients are counted by address, and do not lock the client out', async () => {
      const { desk } = world, client = await register(desk), from = '127.0.0.61';
      const wrong = (secret, at = from) => exchange(desk, { ...client, secret }, { grant_type: 'client_credentials' }, { from: at });
      for (let n = 0; n < 10; n++) denied(await wrong(`dks_${String(n).repeat(64)}`), 401, 'invalid_client');
      assert.ok(Number(denied(await wrong('eleven'), 429, 'invalid_client').headers['retry-after']) > 0);
      denied(await wrong('eleven', '127.0.0.63'), 401, 'invalid_client');
      (await exchange(desk, client, { grant_type: 'client_credentials' }, { from })).must(200);
    });

    test('passwords of the page and of the password grant are counted by the lock-out', async () => {
      const { desk } = world, person = await desk.person('customer'), from = '127.0.0.62';
      const marked = await register(desk, { is_password_grant_enabled: true });
      const guess = (password) => exchange(desk, marked, { grant_type: 'password', username: person.email, password }, { from });
      for (let n = 0; n < 5; n++) denied(await guess(`wrong ${n}`), 400, 'invalid_grant');
      const visitor = new Browser(desk, { from });
      for (let n = 0; n < 5; n++) (await visitor.send(await visitor.get(authorizeUrl(world.client)), { email: person.email, password: 'wrong' })).must(401);
      assert.equal(denied(await guess(PASSWORD), 429, 'invalid_grant').headers['retry-after'], '600');
      const locked = (await visitor.send(await visitor.get(authorizeUrl(world.client)), { email: person.email, password: PASSWORD })).must(429);
      assert.match(locked.text, /Try again in 10 minutes/);
      assert.equal(visitor.cookies.desk_session, undefined);
    });
  });

  describe('exhaustion of tokens (RFC 6819 section 4.4.1.11)', () => {
    test('a person has at most 100 refresh tokens of a client: the next login ends those that were unused for longest, with their access tokens', async () => {
      const { desk } = world, person = await desk.person('customer'), client = await register(desk, { is_password_grant_enabled: true });
      const login = async () => (await exchange(desk, client, { grant_type: 'password', username: person.email, password: PASSWORD })).must(200).body;
      const rows = () => Number(sql(desk, `SELECT COUNT(*) FROM oauth_tokens WHERE client_id = ${client.id}`));
      const first = await login(), second = await login();
      for (let n = 2; n < 100; n++) await login();
      await desk.clock.forward(1);
      const used = (await refresh(desk, client, first.refresh_token)).must(200).body;
      assert.deepEqual([rows(), await lives(desk, second.access_token)], [201, true]);
      const other = await tokensFor(desk, world.client, person);
      await desk.clock.forward(1);
      await login();
      await login();
      assert.equal(rows(), 201);
      assert.equal(await lives(desk, second.access_token), false);
      denied(await refresh(desk, client, second.refresh_token), 400, 'invalid_grant');
      for (const [by, token] of [[client, used.refresh_token], [world.client, other.refresh_token]]) (await refresh(desk, by, token)).must(200);
    });
  });

  describe('guessing of codes and tokens (RFC 6819 sections 4.4.1.3, 4.5.3 and 4.6.3)', () => {
    /** Other texts of the same form: another last digit, another first digit of the random part, and a random one. */
    const guesses = (text, at = 4) => {
      const other = (n) => text.slice(0, n) + (text[n] === '0' ? '1' : '0') + text.slice(n + 1);
      return [other(text.length - 1), other(at), text.slice(0, at) + randomBytes((text.length - at) / 2).toString('hex'), text.slice(0, -1), text.toUpperCase()];
    };

    test('codes and tokens have 256 random bits, so no two share a part', async () => {
      const parts = new Set();
      for (let n = 0; n < 8; n++) {
        const { code } = await authorize(world.desk, world.client, agent());
        const { access_token, refresh_token } = (await byCode(world.client, code)).must(200).body;
        for (const text of [code, access_token, refresh_token]) for (const part of /^dk[car]_([0-9a-f]{64})$/.exec(text)[1].match(/.{16}/g)) parts.add(part);
      }
      assert.equal(parts.size, 8 * 3 * 4);
    });

    test('wrong guesses of a code are refused, and the code remains good', async () => {
      const { code } = await authorize(world.desk, world.client, agent());
      for (const guess of guesses(code)) denied(await byCode(world.client, guess), 400, 'invalid_grant');
      (await byCode(world.client, code)).must(200);
    });

    test('wrong guesses of a refresh token are refused, and one that hits the family ends it', async () => {
      const { desk, client } = world, { refresh_token } = await tokensFor(desk, client, agent());
      for (const guess of guesses(refresh_token).slice(1)) denied(await refresh(desk, client, guess), 400, 'invalid_grant');
      const next = (await refresh(desk, client, refresh_token)).must(200).body;
      denied(await refresh(desk, client, guesses(next.refresh_token)[0]), 400, 'invalid_grant');
      denied(await refresh(desk, client, next.refresh_token), 400, 'invalid_grant');
    });

    test('wrong guesses of an access token are refused, and end nothing', async () => {
      const { desk, client } = world, { access_token } = await tokensFor(desk, client, agent());
      for (const guess of guesses(access_token)) {
        (await bearer(desk, guess).get('/me')).refused(401, 'AUTHENTICATION_FAILED');
        assert.deepEqual((await exchange(desk, client, { token: guess }, { path: '/oauth/introspect' })).must(200).body, { active: false });
      }
      assert.ok(await lives(desk, access_token));
    });
  });

  test('theft of the database (RFC 6819 sections 4.3.2, 4.4.1.2 and 4.5.2): it holds no text of a code, a token or a secret, and what it holds works as none', async () => {
    const { desk, client } = world;
    const { code } = await authorize(desk, client, agent()), { code: unused } = await authorize(desk, client, agent());
    const tokens = (await byCode(client, code)).must(200).body, family = tokens.refresh_token.slice(4, 36);
    const column = (query) => sql(desk, query).trim();
    const rows = column('SELECT token_hash FROM oauth_tokens') + column('SELECT code_hash FROM oauth_codes') + column('SELECT secret_hash FROM oauth_clients');
    for (const text of [code, unused, tokens.access_token, tokens.refresh_token, client.secret]) for (const part of text.slice(4).match(/.{32}/g)) assert.ok(part === family || !rows.includes(part), text);
    const hash = (kind) => column(`SELECT token_hash FROM oauth_tokens WHERE family = '${family}' AND kind = ${kind}`);
    for (const text of [hash(1), `dka_${hash(1)}`]) assert.equal(await lives(desk, text), false);
    const codes = column(`SELECT code_hash FROM oauth_codes WHERE used_at IS NULL AND grant_id = (SELECT MAX(grant_id) FROM oauth_tokens WHERE family = '${family}')`).split('\n');
    for (const text of codes) denied(await byCode(client, `dkc_${text}`), 400, 'invalid_grant');
    (await byCode(client, unused)).must(200);
    const secret = column(`SELECT secret_hash FROM oauth_clients WHERE id = ${client.id}`);
    for (const text of [secret, `dks_${secret}`]) denied(await exchange(desk, { ...client, secret: text }, { grant_type: 'client_credentials' }, { from: '127.0.0.63' }), 401, 'invalid_client');
    denied(await refresh(desk, client, `dkr_${hash(2)}`), 400, 'invalid_grant');
    denied(await refresh(desk, client, `dkr_${family}${hash(2).slice(0, 32)}`), 400, 'invalid_grant');
    denied(await refresh(desk, client, tokens.refresh_token), 400, 'invalid_grant'); // the attempt before ended the family
  });

  describe('CSRF on the redirect (RFC 9700 section 4.7)', () => {
    test('state comes back unchanged with a code, a denial and an error, and none comes if none was sent', async () => {
      for (const state of ['a & b=%20+ü"<>', undefined]) {
        const visitor = await loggedIn(world.desk, world.client, agent());
        const page = await visitor.get(authorizeUrl(world.client, { state }));
        const replies = [await visitor.send(page, { do: 'deny' }), await visitor.get(authorizeUrl(world.client, { state, scope: 'nonsense' })), await visitor.send(page, { do: 'allow' })];
        for (const reply of replies) assert.equal(new URL(reply.must(303).headers.location).searchParams.get('state'), state ?? null);
      }
    });

    test('a code of an attacker is worth nothing in the login of another person, which has a verifier of its own', async () => {
      const { code } = await authorize(world.desk, world.client, agent(), pkce(verifierOf()));
      denied(await byCode(world.client, code, { code_verifier: verifierOf() }), 400, 'invalid_grant');
      assert.deepEqual((await world.desk.anyone.exchange('GET', '/.well-known/oauth-authorization-server')).body.code_challenge_methods_supported, ['S256']);
    });
  });

  describe('credentials in the query', () => {
    test('an access token in the query is not accepted', async () => {
      const { access_token } = await tokensFor(world.desk, world.client, agent());
      (await world.desk.anyone.get('/me', { access_token })).must(401);
    });

    test('parameters of the token endpoint in the query are refused', async () => {
      const { client } = world;
      const reply = await world.desk.anyone.exchange('POST', `/oauth/token?client_id=${client.key}&client_secret=${client.secret}`, { body: form({ grant_type: 'client_credentials' }) });
      denied(reply, 400, 'invalid_request');
      denied(await exchange(world.desk, client, { grant_type: 'client_credentials' }, { path: '/oauth/token?scope=users' }), 400, 'invalid_request');
    });
  });

  describe('token substitution', () => {
    test('a token of one kind does not work as another', async () => {
      const { desk, client } = world;
      const { code } = await authorize(desk, client, agent());
      const tokens = await tokensFor(desk, client, agent());
      for (const text of [tokens.refresh_token, code, client.secret]) assert.equal(await lives(desk, text), false);
      for (const text of [tokens.access_token, code, tokens.refresh_token.replace('dkr_', 'dka_')]) denied(await refresh(desk, client, text), 400, 'invalid_grant');
      denied(await byCode(client, tokens.access_token), 400, 'invalid_grant');
      for (const text of [tokens.access_token.replace('dka_', 'dkr_'), tokens.refresh_token.replace('dkr_', 'dka_')]) assert.equal(await lives(desk, text), false);
    });

    test('a client neither sees nor ends tokens of another client', async () => {
      const { desk, client } = world, other = await register(desk);
      const tokens = await tokensFor(desk, client, agent());
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        assert.deepEqual((await exchange(desk, other, { token }, { path: '/oauth/introspect' })).must(200).body, { active: false });
        (await exchange(desk, other, { token }, { path: '/oauth/revoke' })).must(200);
      }
      assert.ok(await lives(desk, tokens.access_token));
      (await refresh(desk, client, tokens.refresh_token)).must(200);
    });

    test('a public client may not look at tokens: it can not prove who it is', async () => {
      const tokens = await tokensFor(world.desk, world.open, agent());
      denied(await exchange(world.desk, world.open, { token: tokens.access_token }, { path: '/oauth/introspect' }), 401, 'invalid_client');
    });

    test('credentials of people do not authenticate clients', async () => {
      const { email, password } = agent();
      denied(await world.desk.anyone.with(basic(email, password)).exchange('POST', '/oauth/token', { body: form({ grant_type: 'client_credentials' }) }), 401, 'invalid_client');
    });
  });

  test('injection: texts of the client and of the request are escaped on the page', async () => {
    const evil = await register(world.desk, { name: '"><script>alert(1)</script>', description: '</form><form action="https://evil.example">', author: '<img src=x onerror=alert(1)>' });
    const visitor = browser();
    for (const page of [await visitor.get(authorizeUrl(evil, { state: '"><script>', login_hint: '"><script>' })), await toConsent(visitor, authorizeUrl(evil, { state: '"><script>' }), agent())]) {
      assert.ok(!/<script|<img|action="https:/.test(page.text), page.text);
      assert.equal(page.text.match(/<form/g).length, 1);
    }
  });

  test('a name that changes the direction of the text changes nothing around it', async () => {
    const older = await register(world.desk, { name: 'Older', author: 'Somebody' });
    sql(world.desk, `UPDATE oauth_clients SET name = 'Evil\u202emoc.knab', author = '\u2067Any' WHERE id = ${older.id}`); // as older versions stored it
    const visitor = browser(), login = await visitor.get(authorizeUrl(older)), page = await toConsent(visitor, authorizeUrl(older), agent());
    assert.match(login.text, /<bdi>Evil\u202emoc\.knab<\/bdi>/);
    assert.match(page.text, /<bdi>Evil\u202emoc\.knab<\/bdi><\/strong> by <bdi>\u2067Any<\/bdi> asks for access/);
  });

  test('header injection: a state with line breaks stays in the query', async () => {
    const { state } = await authorize(world.desk, world.client, agent(), { state: 'a\r\nSet-Cookie: x=y' });
    assert.equal(state, 'a\r\nSet-Cookie: x=y');
  });
});

test('exhaustion by made-up codes (RFC 6819 section 4.4.1.12): a made-up code or token does not wait for the writer, whatever holds it', { skip: process.env.DATABASE ? 'writes of PostgreSQL run side by side' : false }, async (t) => {
  const desk = await open(t, { args: ['--public-writes', '0'] }); // otherwise requests of a public client are counted, which is a write
  const client = await register(desk, { is_public: true }), digits = '0'.repeat(64);
  const other = spawn('sqlite3', ['-batch', join(desk.dir, 'desk.db')]);
  try {
    other.stdin.write('BEGIN IMMEDIATE;\n.print held\n');
    assert.equal(String((await once(other.stdout, 'data'))[0]).trim(), 'held');
    denied(await exchange(desk, client, { grant_type: 'authorization_code', code: `dkc_${digits}` }), 400, 'invalid_grant');
    denied(await refresh(desk, client, `dkr_${digits}`), 400, 'invalid_grant');
    for (const token of [`dka_${digits}`, `dkr_${digits}`, 'x']) (await exchange(desk, client, { token }, { path: '/oauth/revoke' })).must(200);
  } finally {
    other.stdin.end('ROLLBACK;\n'); // the desk can't stop while the lock is held
    await once(other, 'close');
  }
});

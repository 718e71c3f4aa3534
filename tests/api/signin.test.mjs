// Logins by OpenID Connect (src/signin), against a provider of our own (lib/provider.mjs).
//
// The provider sends, one at a time:
//   signatures   wrong, by another key with the same kid, alg none, HS256 with the public key as secret, EdDSA, an RSA key of 1024 bits,
//                a key for encryption, crit in the header, a token that is none
//   claims       another issuer, another audience, several audiences without or with another azp, another nonce, none, expired, not yet valid,
//                issued in the future or before the login began, no times, a wrong at_hash, no sub
//   keys         unknown kid (read again once, at most once a minute), rotated keys, no keys
//   replies      a slow one, one of a gigabyte, no JSON, a redirect, another issuer in the document, another subject of userinfo
//   people       an address that is not verified (false, a text, absent), of another domain, unknown, disabled, of a role above the limit,
//                claims that ask for OWNER
//   the browser  another state, a state used twice, no cookie, another provider's callback, an error, a foreign path to return to
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR, MINUTE, form, open, shared, until } from './lib/index.mjs';
import { Visitor, at_hash, begun, keyOf, provided, signedIn, whoIs } from './lib/provider.mjs';
import { totp } from './lib/totp.mjs';

const VERIFIED = { email_verified: true };
const ofAgent = (desk, more = {}) => ({ sub: 'agent', email: desk.people.agent.email, ...VERIFIED, ...more });
/** Each process has a memory of its own. */
const PROCESSES = Number(process.env.PROCESSES ?? 1);
const few = (count, before, more) => assert.ok(count > before || more === 0, `${count} after ${before}`) ?? assert.ok(count <= before + more * PROCESSES, `${count} after ${before}`);
const audit = async (desk, action) => desk.owner.fetch('/audit_log', { action, limit: 100 });

describe('a login by a provider', () => {
  const world = shared(async (world) => { Object.assign(world, await provided(null, world.desk)); });
  const login = (claims, more = {}) => signedIn(world.desk, world, { claims, ...more });
  const agent = (more) => ofAgent(world.desk, more);

  /** No session, the page says why, and the audit log has the word. */
  async function refused(reply, status, word, words) {
    reply.must(status);
    assert.match(reply.text, words, reply.text);
    assert.match(reply.headers['content-type'], /^text\/html/);
    assert.equal(await whoIs(reply.visitor), null);
    if (word) assert.equal((await audit(world.desk, 'SIGNIN_REFUSED'))[0].details.reason, word);
    return reply;
  }

  test('opens the session of the person with the verified address, and is bound to it by the subject afterwards', async () => {
    const { desk, idp } = world;
    const first = (await login(agent(), { to: '/agent/cases?x=1' })).must(303);
    assert.equal(first.headers.location, '/agent/cases?x=1');
    assert.equal(await whoIs(first.visitor), desk.people.agent.id);
    const [entry] = await audit(desk, 'LOGIN');
    assert.deepEqual([entry.details.method, entry.actor.id], ['OPENID_CONNECT', desk.people.agent.id]);
    const again = (await login(agent({ email: 'renamed@elsewhere.example', email_verified: false }))).must(303);
    assert.equal(await whoIs(again.visitor), desk.people.agent.id, 'the subject decides now');
    const [link] = await desk.owner.fetch('/signin/links', { user_id: desk.people.agent.id });
    assert.equal(link.subject, 'agent');
    assert.equal(first.asked.response_type, 'code');
    assert.equal(first.asked.code_challenge_method, 'S256');
    assert.match(first.asked.nonce, /^[0-9a-f]{64}$/);
    assert.equal(first.asked.redirect_uri, `${desk.base}/signin/${world.provider.id}/callback`);
    assert.equal(world.provider.callback_url, first.asked.redirect_uri, 'the address to register');
    assert.deepEqual((await desk.anyone.fetch('/signin/buttons')).map(({ url }) => url), [`${desk.base}/signin/${world.provider.id}`]);
    const exchange = idp.requests.find((r) => r.path === '/token');
    assert.match(exchange.headers.authorization, /^Basic /);
    assert.ok(!exchange.text.includes('secret'));
  });

  test('reads the document and the keys once an hour', async () => {
    const { idp, desk } = world;
    const [documents, keys] = [idp.asked('/.well-known/openid-configuration'), idp.asked('/jwks')];
    (await login(agent())).must(303);
    if (PROCESSES === 1) assert.deepEqual([idp.asked('/.well-known/openid-configuration'), idp.asked('/jwks')], [documents, keys]);
    await desk.clock.forward(HOUR + MINUTE);
    (await login(agent())).must(303);
    few(idp.asked('/.well-known/openid-configuration'), documents, 1 + (PROCESSES > 1));
    few(idp.asked('/jwks'), keys, 1 + (PROCESSES > 1));
  });

  test('refuses tokens with a wrong signature, algorithm or key', async () => {
    const { idp } = world, [own] = idp.keys, now = () => Math.floor(world.desk.clock.now / 1000);
    const forged = keyOf('RS256', own.kid), ed = keyOf('EdDSA', 'ed'), weak = keyOf('RS256', 'weak', 1024), cipher = keyOf('RS256', 'cipher');
    cipher.jwk.use = 'enc';
    idp.keys = [own, ed, weak, cipher];
    await world.desk.clock.forward(2 * HOUR);
    (await login(agent())).must(303);
    const secret = own.publicKey.export({ type: 'spki', format: 'pem' });
    const cases = [
      [{ key: forged }, 'SIGNATURE_WRONG'],
      [{ header: { alg: 'none' } }, 'ALGORITHM_NOT_ALLOWED'],
      [{ header: { alg: 'None' } }, 'ALGORITHM_NOT_ALLOWED'],
      [{ header: { alg: 'HS256' }, key: { ...own, secret } }, 'ALGORITHM_NOT_ALLOWED'],
      [{ header: { alg: 'HS256' }, key: { ...own, secret: JSON.stringify(own.jwk) } }, 'ALGORITHM_NOT_ALLOWED'],
      [{ key: ed }, 'ALGORITHM_NOT_ALLOWED'],
      [{ key: weak }, 'SIGNATURE_WRONG'],
      [{ key: cipher }, 'KEY_UNKNOWN'],
      [{ header: { alg: 'ES256' } }, 'KEY_UNKNOWN'],
      [{ header: { crit: ['exp'] } }, 'TOKEN_MALFORMED'],
      [{ claims: undefined, token: () => 'a.b' }, 'TOKEN_MALFORMED'],
      [{ token: () => 'x'.repeat(20000) }, 'TOKEN_MALFORMED'],
      [{ token: () => `${idp.token({ asked: { client_id: 'desk', nonce: 'n' }, claims: agent() }).split('.').slice(0, 2).join('.')}.` }, 'SIGNATURE_WRONG'],
    ];
    for (const [more, word] of cases) await refused(await login(agent({ iat: now() }), more), 403, word, /refused/);
    idp.keys = [own];
  });

  test('takes PS256 and ES256, and a token without kid', async () => {
    const { idp, desk } = world, before = idp.keys;
    for (const key of [keyOf('PS256', 'p'), keyOf('ES256', 'e')]) {
      idp.keys = [keyOf('RS256', 'other'), key];
      await desk.clock.forward(2 * HOUR);
      assert.equal(await whoIs((await login(agent(), { key })).must(303).visitor), desk.people.agent.id, key.alg);
      assert.equal(await whoIs((await login(agent(), { key, header: { kid: undefined } })).must(303).visitor), desk.people.agent.id, key.alg);
    }
    idp.keys = before;
    await desk.clock.forward(2 * HOUR);
  });

  test('refuses tokens for others, of other times, and of other logins', async () => {
    const { idp, desk } = world, now = Math.floor(desk.clock.now / 1000), other = 'https://evil.example';
    const cases = [
      [{ iss: other }, 'ISSUER_WRONG'], [{ iss: `${idp.issuer}/` }, 'ISSUER_WRONG'], [{ iss: undefined }, 'ISSUER_WRONG'],
      [{ aud: 'another' }, 'AUDIENCE_WRONG'], [{ aud: [] }, 'AUDIENCE_WRONG'], [{ aud: undefined }, 'AUDIENCE_WRONG'],
      [{ aud: ['desk', 'another'] }, 'AUDIENCE_WRONG'], [{ aud: ['desk', 'another'], azp: 'another' }, 'AUDIENCE_WRONG'], [{ azp: 'another' }, 'AUDIENCE_WRONG'],
      [{ exp: now - 120 }, 'TIME_WRONG'], [{ exp: undefined }, 'TIME_WRONG'], [{ exp: 'soon' }, 'TIME_WRONG'], [{ exp: 1e300 }, 'TIME_WRONG'],
      [{ iat: now + 600 }, 'TIME_WRONG'], [{ iat: now - 600 }, 'TIME_WRONG'], [{ iat: undefined }, 'TIME_WRONG'], [{ nbf: now + 600 }, 'TIME_WRONG'],
      [{ nonce: 'another' }, 'NONCE_WRONG'], [{ nonce: undefined }, 'NONCE_WRONG'], [{ nonce: '' }, 'NONCE_WRONG'],
      [{ at_hash: at_hash('another') }, 'ACCESS_TOKEN_WRONG'], [{ at_hash: 5 }, 'ACCESS_TOKEN_WRONG'],
      [{ sub: undefined }, 'TOKEN_MALFORMED'], [{ sub: '' }, 'TOKEN_MALFORMED'], [{ sub: 'x'.repeat(256) }, 'TOKEN_MALFORMED'],
    ];
    for (const [claims, word] of cases) await refused(await login(agent(claims)), 403, word, word === 'TIME_WRONG' ? /clocks/ : /could not verify/);
  });

  test('admits clocks that differ by less than a minute, several audiences with azp, and a right at_hash', async () => {
    const { idp, desk } = world, now = Math.floor(desk.clock.now / 1000);
    for (const claims of [{ exp: now - 30 }, { iat: now + 30 }, { iat: now - 30 }, { nbf: now + 30 }, { aud: ['desk', 'x'], azp: 'desk' }, { aud: ['desk'] }, { exp: now + 0.5 }])
      (await login(agent(claims))).must(303);
    const visitor = new Visitor(desk), asked = await begun(visitor, world.provider);
    const code = idp.code(asked, { token: (access) => idp.token({ asked, claims: agent({ at_hash: at_hash(access) }) }) });
    (await visitor.get(`/signin/${world.provider.id}/callback?code=${code}&state=${asked.state}`)).must(303);
  });

  test('reads the keys again for an unknown kid, at most once a minute', async () => {
    const { idp, desk } = world, [own] = idp.keys, next = keyOf('RS256', 'two');
    await desk.clock.forward(2 * HOUR);
    (await login(agent())).must(303);
    const before = idp.asked('/jwks');
    idp.keys = [next];
    (await login(agent())).must(303); // rotated
    few(idp.asked('/jwks'), before, 1);
    for (let i = 0; i < 3; i++) await refused(await login(agent(), { header: { kid: `made up ${i}` } }), 403, 'KEY_UNKNOWN', /refused/);
    few(idp.asked('/jwks'), before, 1 + (PROCESSES > 1));
    await desk.clock.forward(MINUTE + 1000);
    await refused(await login(agent(), { header: { kid: 'made up' } }), 403, 'KEY_UNKNOWN', /refused/);
    few(idp.asked('/jwks'), before + 1, 1 + (PROCESSES > 1));
    idp.keys = [own];
    await desk.clock.forward(2 * HOUR);
  });

  test('ends in a page if the provider answers nothing of use', async () => {
    const { idp, desk, provider } = world;
    await desk.clock.forward(2 * HOUR);
    const gigabyte = (response) => { response.writeHead(200); const block = Buffer.alloc(1 << 20, 32); let n = 0; const more = () => { while (n++ < 1024 && response.write(block)); if (n < 1024) response.once('drain', more); else response.end(); }; more(); };
    const odd = { '/.well-known/openid-configuration': [gigabyte, (r) => idp.send(r, 'no json'), (r) => idp.send(r, []), (r) => idp.send(r, {}, 500), (r) => r.writeHead(302, { Location: `${idp.issuer}/elsewhere` }).end(),
      (r) => idp.send(r, { ...idp.document(), issuer: 'https://evil.example' }), (r) => idp.send(r, { ...idp.document(), token_endpoint: undefined }), (r) => idp.send(r, { ...idp.document(), authorization_endpoint: 'javascript:alert(1)' })] };
    for (const answer of odd['/.well-known/openid-configuration']) {
      idp.wrong = { '/.well-known/openid-configuration': answer };
      await desk.clock.forward(16); // a failure is kept for 15 seconds
      const page = (await new Visitor(desk).get(`/signin/${provider.id}`)).must(503);
      assert.match(page.text, /provider can&#39;t be reached/);
      assert.equal(page.headers['set-cookie']?.some((c) => /desk_signin=[0-9a-f]/.test(c)) ?? false, false);
    }
    idp.wrong = {};
    for (const [path, answer] of [['/jwks', gigabyte], ['/jwks', (r) => idp.send(r, 'x')], ['/token', gigabyte], ['/token', (r) => idp.send(r, { error: 'invalid_client' }, 401)],
      ['/token', (r) => idp.send(r, { access_token: 'a' })], ['/token', (r) => r.destroy()], ['/token', (r) => r.writeHead(307, { Location: `${idp.issuer}/elsewhere` }).end()]]) {
      idp.wrong = { [path]: answer };
      await desk.clock.forward(16);
      await refused(await login(agent()), 502, 'PROVIDER_FAILED', /did not answer as expected/);
    }
    await desk.clock.forward(16);
    idp.wrong = { '/jwks': (r) => idp.send(r, { keys: [] }) };
    await refused(await login(agent()), 403, 'KEY_UNKNOWN', /refused/);
    idp.wrong = {};
    await desk.clock.forward(2 * HOUR);
    assert.equal(idp.asked('/elsewhere'), 0, 'redirects are not followed');
  });

  test('asks a provider that failed again after 15 seconds, and no sooner', async () => {
    const { idp, desk, provider } = world, path = '/.well-known/openid-configuration', visit = () => new Visitor(desk).get(`/signin/${provider.id}`);
    await desk.clock.forward(2 * HOUR);
    const before = idp.asked(path);
    idp.wrong = { [path]: (r) => r.destroy() };
    for (let i = 0; i < 6; i++) (await visit()).must(503);
    few(idp.asked(path), before, 1);
    const failed = idp.asked(path);
    await desk.clock.forward(16);
    (await visit()).must(503);
    assert.equal(idp.asked(path), failed + 1);
    idp.wrong = {};
    if (PROCESSES === 1) (await visit()).must(503);
    await desk.clock.forward(16);
    (await visit()).must(303);
    // Keys that fail end the login, but not one with a kid that the desk has.
    const [own] = idp.keys, next = keyOf('RS256', 'next');
    await desk.clock.forward(2 * HOUR);
    (await login(agent())).must(303);
    idp.wrong = { '/jwks': (r) => idp.send(r, {}, 500) };
    (await login(agent(), { key: next })).must(502);
    if (PROCESSES === 1) (await login(agent(), { key: own })).must(303);
    idp.wrong = {};
    await desk.clock.forward(2 * HOUR);
  });

  test('speaks the language of the page to return to, else that of the browser', async () => {
    const { desk, provider } = world;
    const says = async (path, accept, status, language, words) => {
      const page = (await new Visitor(desk).get(path, accept && { 'Accept-Language': accept })).must(status);
      assert.match(page.text, words);
      assert.ok(page.text.includes(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`), page.text.slice(0, 60));
      return page.text;
    };
    await says('/signin/99999', undefined, 404, 'en', /no such way/);
    await says('/signin/99999', 'xx, *;q=0.1', 404, 'en', /no such way/);
    await says('/signin/99999', 'de-CH, en;q=0.9', 404, 'de', /Diesen Zugang gibt es nicht/);
    await says('/signin/99999', 'en;q=0.2, ar;q=0.4', 404, 'ar', /لا توجد طريقة الدخول هذه/);
    await says('/signin/99999?to=/helpcenter/fr-fr/contact', 'de', 404, 'fr', /Cet accès n’existe pas/);
    await says('/signin/99999?to=/helpcenter/xx/contact', 'de', 404, 'de', /Diesen Zugang/);
    await says('/signin/out', 'de', 200, 'de', /Sie sind abgemeldet/);
    assert.match(await says('/signin/out?state=/helpcenter/es-es/login', 'de', 200, 'es', /Ha cerrado la sesión/), /href="\/helpcenter\/es-es\/login"/);
    for (const state of ['//evil.example', 'https://evil.example', 'javascript:alert(1)']) assert.match(await says(`/signin/out?state=${encodeURIComponent(state)}`, 'en', 200, 'en', /logged out/), /href="\/agent"/);
    const visitor = new Visitor(desk), asked = await begun(visitor, provider, '/helpcenter/es-mx/conversations');
    const page = (await visitor.get(`/signin/${provider.id}/callback?error=access_denied&state=${asked.state}`, { 'Accept-Language': 'de' })).must(403);
    assert.match(page.text, /El proveedor no ha iniciado su sesión/);
    assert.match(page.text, /Empezar de nuevo/);
    const plain = new Visitor(desk), begin = await begun(plain, provider, '/agent');
    assert.match((await plain.get(`/signin/${provider.id}/callback?error=access_denied&state=${begin.state}`, { 'Accept-Language': 'de' })).must(403).text, /Der Anbieter hat Sie nicht angemeldet/);
  });

  test('waits for a slow provider for five seconds, and holds up nobody else', async () => {
    const { idp, desk } = world, held = [];
    idp.wrong = { '/token': (response) => held.push(response) };
    const slow = Array.from({ length: 6 }, () => login(agent()));
    await until('the provider is asked', () => held.length >= 2);
    const began = performance.now();
    (await desk.owner.get('/me')).must(200);
    (await desk.anyone.get('/signin/buttons')).must(200);
    assert.ok(performance.now() - began < 2000, 'others are answered');
    idp.wrong = {};
    for (const reply of await Promise.all(slow)) assert.ok([303, 502].includes(reply.status), String(reply.status));
    for (const response of held) response.destroy();
  });

  test('believes an address only if the provider says that it is verified', async () => {
    const { desk } = world, person = await desk.person('agent', { email: 'careful@example.com' });
    const claims = (more) => ({ sub: 'careful', email: 'careful@example.com', ...more });
    world.idp.userinfo = { sub: 'careful' };
    for (const more of [{}, { email_verified: false }, { email_verified: 'true' }, { email_verified: 1 }, { email_verified: null }, { email: undefined, email_verified: true }, { email: 'no address', email_verified: true }])
      await refused(await login(claims(more)), 403, 'EMAIL_NOT_VERIFIED', /not verified/);
    await refused(await login(claims({ email: 'careful@elsewhere.example', ...VERIFIED })), 403, 'DOMAIN_NOT_ALLOWED', /not admitted/);
    await refused(await login(claims({ email: 'careful@sub.example.com', ...VERIFIED })), 403, 'DOMAIN_NOT_ALLOWED', /not admitted/);
    await refused(await login(claims({ email: 'nobody@example.com', ...VERIFIED })), 403, 'PERSON_UNKNOWN', /no account/);
    world.idp.userinfo = undefined;
    assert.equal(await whoIs((await login(claims({ email: 'Careful@EXAMPLE.com', ...VERIFIED }))).must(303).visitor), person.id);
    await refused(await login(claims({ sub: 'somebody else', ...VERIFIED })), 403, 'OTHER_ACCOUNT_LINKED', /Another account/);
    const [link] = await desk.owner.fetch('/signin/links', { user_id: person.id });
    (await desk.admin.delete(`/signin/links/${link.id}`)).must(200);
    assert.equal(await whoIs((await login(claims({ sub: 'somebody else', ...VERIFIED }))).must(303).visitor), person.id);
  });

  test('takes the claims of the userinfo endpoint if the token has no address, of the same subject only', async () => {
    const { desk, idp } = world, person = await desk.person('agent', { email: 'info@example.com' });
    idp.userinfo = { sub: 'another', email: 'info@example.com', ...VERIFIED };
    await refused(await login({ sub: 'info' }), 502, 'PROVIDER_FAILED', /did not answer/);
    idp.userinfo.sub = 'info';
    assert.equal(await whoIs((await login({ sub: 'info' })).must(303).visitor), person.id);
    assert.match(idp.requests.filter((r) => r.path === '/userinfo').at(-1).headers.authorization, /^Bearer access-/);
    idp.userinfo = undefined;
  });

  test('gives no login to people above the limit, of another kind, or disabled', async () => {
    const { desk } = world, { admin, owner, customer } = desk.people;
    for (const person of [admin, owner]) await refused(await login({ sub: person.email, email: person.email, ...VERIFIED }), 403, 'ROLE_TOO_HIGH', /more rights/);
    await refused(await login({ sub: 'customer', email: customer.email, ...VERIFIED }), 403, 'NOT_FOR_THIS_ROLE', /not for your account/);
    const gone = await desk.person('agent', { email: 'gone@example.com' });
    const claims = { sub: 'gone', email: 'gone@example.com', ...VERIFIED };
    const { visitor } = (await login(claims)).must(303);
    (await desk.owner.put(`/users/${gone.id}`, { is_enabled: false })).must(200);
    await refused(Object.assign(await login(claims), {}), 403, 'PERSON_DISABLED', /disabled/);
    assert.equal((await visitor.get('/api/v1/session')).status === 200 ? await whoIs(visitor) : null, null);
  });

  test('belongs to the browser that began it, and works once', async () => {
    const { desk, idp, provider } = world, visitor = new Visitor(desk), asked = await begun(visitor, provider);
    const code = () => idp.code(asked, { claims: agent() }), path = `/signin/${provider.id}/callback`, stranger = new Visitor(desk);
    const tokens = idp.asked('/token');
    for (const [who, address] of [[stranger, `${path}?code=${code()}&state=${asked.state}`], [visitor, `${path}?code=${code()}&state=${'0'.repeat(64)}`], [visitor, `${path}?code=${code()}`], [visitor, path]]) {
      const kept = { ...visitor.cookies };
      const page = (await who.get(address)).must(400);
      assert.match(page.text, /has expired/);
      visitor.cookies = kept;
    }
    assert.equal(idp.asked('/token'), tokens, 'the provider is not asked');
    const cookie = visitor.cookies.desk_signin;
    (await visitor.get(`${path}?code=${code()}&state=${asked.state}`)).must(303);
    assert.equal(visitor.cookies.desk_signin, '');
    const thief = new Visitor(desk);
    thief.cookies.desk_signin = cookie; // the same address again, with a fresh code
    const replay = await thief.get(`${path}?code=${code()}&state=${asked.state}`);
    await refused(Object.assign(replay, { visitor: thief }), 400, 'STATE_USED', /used already/);
    thief.cookies.desk_signin = cookie.replace(/.$/, (c) => (c === '0' ? '1' : '0'));
    (await thief.get(`${path}?code=${code()}&state=${asked.state}`)).must(400);
  });

  test('ends after ten minutes', async () => {
    const { desk, idp, provider } = world, visitor = new Visitor(desk), asked = await begun(visitor, provider);
    await desk.clock.forward(10 * MINUTE + 1000);
    const page = (await visitor.get(`/signin/${provider.id}/callback?code=${idp.code(asked, { claims: agent() })}&state=${asked.state}`)).must(400);
    assert.match(page.text, /10 minutes/);
  });

  test('ends in words if the person cancels at the provider', async () => {
    const { desk, provider } = world, visitor = new Visitor(desk), asked = await begun(visitor, provider, '/agent');
    const page = await visitor.get(`/signin/${provider.id}/callback?error=access_denied&error_description=%3Cscript%3E&state=${asked.state}`);
    await refused(Object.assign(page, { visitor }), 403, 'PROVIDER_REFUSED', /cancelled/);
    assert.ok(!page.text.includes('script'));
    assert.match(page.text, new RegExp(`href="/signin/${provider.id}\\?to=%2Fagent"`));
  });

  test('returns to paths of the desk only', async () => {
    for (const to of ['https://evil.example/', '//evil.example/', '/\\evil.example', '\\\\evil.example', 'javascript:alert(1)', 'agent', '/a\r\nSet-Cookie: x=1', `/${'x'.repeat(600)}`, '/a"b'])
      assert.equal((await login(agent(), { to })).must(303).headers.location, '/agent', to);
    assert.equal((await login(agent(), { to: '/helpcenter/en-us/conversations' })).must(303).headers.location, '/helpcenter/en-us/conversations');
  });

  test('asks for the second factor of the person, unless the provider counts as two', async () => {
    const { desk, provider } = world, person = await desk.person('agent', { email: 'double@example.com' });
    const { client } = await desk.session(person.client);
    const { secret } = await client.fetch('/profile/twofactor');
    desk.secrets.add(secret);
    for (const code of (await client.create('/profile/twofactor', { code: totp(secret, desk.clock.now) })).recovery_codes) desk.secrets.add(code);
    await desk.clock.forward(60);
    const claims = { sub: 'double', email: 'double@example.com', ...VERIFIED };
    const first = (await login(claims, { to: '/agent/x' })).must(303), { visitor } = first;
    assert.equal(first.headers.location, '/signin/code');
    assert.equal(await whoIs(visitor), null);
    const page = (await visitor.get('/signin/code')).must(200);
    const wrong = (await visitor.send(page, { code: '000000' })).must(401);
    for (const text of [/<html lang="en"/, /<title>Error: Second step/, /This code is wrong or too old/]) assert.match(wrong.text, text);
    for (const [language, title, hint, button] of [['de', 'Zweiter Schritt', 'Der Code aus Ihrer Authentifizierungs-App', 'Weiter'], ['ar', 'الخطوة الثانية', 'الرمز الذي يعرضه', 'متابعة']]) {
      const { text } = (await visitor.go('GET', '/signin/code', undefined, { 'Accept-Language': language })).must(200);
      for (const part of [`<html lang="${language}"`, `<h1>${title}</h1>`, hint, `<button>${button}</button>`]) assert.ok(text.includes(part), part);
    }
    assert.equal(await whoIs(visitor), null);
    const foreign = await visitor.go('POST', '/signin/code', form({ code: totp(secret, desk.clock.now) }), { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' });
    foreign.must(400);
    const again = (await login(claims, { to: '/agent/x' })).must(303);
    const done = (await again.visitor.send((await again.visitor.get('/signin/code')).must(200), { code: totp(secret, desk.clock.now) })).must(303);
    assert.equal(done.headers.location, '/agent/x');
    assert.equal(await whoIs(again.visitor), person.id);
    assert.equal((await audit(desk, 'LOGIN'))[0].details.method, 'OPENID_CONNECT_AND_CODE');
    (await desk.owner.put(`/signin/providers/${provider.id}`, { counts_as_two_factors: true })).must(200);
    assert.equal(await whoIs((await login(claims)).must(303).visitor), person.id);
    (await desk.owner.put(`/signin/providers/${provider.id}`, { counts_as_two_factors: false })).must(200);
  });

  test('a logout names the address that ends the login at the provider', async () => {
    const { desk, idp } = world, { visitor } = (await login(agent())).must(303);
    const session = await visitor.get('/api/v1/session');
    const out = await visitor.go('DELETE', '/api/v1/session', undefined, { 'X-CSRF-Token': session.headers['x-csrf-token'] });
    out.must(200);
    const url = new URL(out.headers['x-logout-url']);
    assert.equal(url.origin + url.pathname, `${idp.issuer}/logout`);
    assert.deepEqual(Object.fromEntries(url.searchParams), { client_id: 'desk', post_logout_redirect_uri: `${desk.base}/signin/out` });
    assert.match((await visitor.get('/signin/out')).must(200).text, /logged out/);
    const plain = await desk.session(desk.staff);
    assert.equal((await plain.client.delete('/session')).must(200).headers['x-logout-url'], undefined);
  });

  test('a provider that is disabled or removed is no way in', async () => {
    const { desk, provider } = world;
    for (const id of [99999, `${provider.id}x`, '0', '-1']) assert.equal((await new Visitor(desk).get(`/signin/${id}`)).status, 404, String(id));
    (await desk.owner.put(`/signin/providers/${provider.id}`, { is_enabled: false })).must(200);
    assert.match((await new Visitor(desk).get(`/signin/${provider.id}`)).must(404).text, /no such way/);
    assert.deepEqual(await desk.anyone.fetch('/signin/buttons'), []);
    (await desk.owner.put(`/signin/providers/${provider.id}`, { is_enabled: true })).must(200);
  });
});

test('the first login makes an account by the rules, and never above the limit', async (t) => {
  const desk = await open(t);
  const team = await desk.admin.create('/teams', { title: 'Support', businesshour_id: 1 }), other = await desk.admin.create('/teams', { title: 'Sales', businesshour_id: 1 });
  const world = await provided(t, desk, { highest_role: 'ADMIN', creates_people: true, role_id: 3, rules: [
    { claim: 'groups', value: 'heads', role_id: 1, team_ids: [] }, { claim: 'groups', value: 'support', role_id: 2, team_ids: [team.id] }, { claim: 'level', value: '7', team_ids: [other.id] }] });
  const login = (claims) => signedIn(desk, world, { claims });
  const made = async (reply) => desk.owner.fetch(`/users/${await whoIs(reply.must(303).visitor)}`, { fields: '+teams' });
  const ann = { sub: 'ann', email: 'ann@example.com', name: 'Ann', ...VERIFIED };
  const agent = await made(await login({ ...ann, groups: ['x', 'support'], level: 7 }));
  assert.deepEqual([agent.full_name, agent.role.id, agent.teams.map((x) => x.id).sort()], ['Ann', 2, [team.id, other.id].sort()]);
  assert.equal((await made(await login({ sub: 'bob', email: 'bob@example.com', ...VERIFIED, role: 'OWNER', groups: 'OWNER' }))).role.id, 3, 'no rule gives more');
  assert.equal((await made(await login({ sub: 'eve', email: 'eve@example.com', ...VERIFIED, groups: ['heads', 'support'] }))).role.id, 1);
  assert.equal((await made(await login({ ...ann, groups: ['heads'] }))).role.id, 2, 'later logins change nothing');
  (await desk.owner.put(`/signin/providers/${world.provider.id}`, { updates_people: true })).must(200);
  const later = await made(await login({ ...ann, groups: ['heads'] }));
  assert.deepEqual([later.role.id, later.teams.map((x) => x.id)], [1, []], 'teams of rules that do not match are left');
  const less = await made(await login({ ...ann, groups: [] }));
  assert.equal(less.role.id, 3);
  // A limit that is lowered below the rules refuses people, whatever the claims say.
  (await desk.owner.put(`/signin/providers/${world.provider.id}`, { highest_role: 'COLLABORATOR' })).refused(400, 'FIELD_INVALID', 'rules');
  const cleo = { sub: 'cleo', email: 'cleo@example.com', ...VERIFIED };
  const [one, two] = await Promise.all([login(cleo), login(cleo)]);
  assert.equal(await whoIs(one.must(303).visitor), await whoIs(two.must(303).visitor), 'two first logins at once make one person');
});

test('customers have providers of their own', async (t) => {
  const desk = await open(t);
  const world = await provided(t, desk, { is_for_staff: false, is_for_customers: true, creates_people: true, role_id: 4, highest_role: 'CUSTOMER', email_domains: null });
  const reply = (await signedIn(desk, world, { claims: { sub: 'zoe', email: 'zoe@shop.example', ...VERIFIED }, to: '/helpcenter/en-us/conversations' })).must(303);
  const zoe = await desk.owner.fetch(`/users/${await whoIs(reply.visitor)}`);
  assert.deepEqual([zoe.role.id, zoe.full_name], [4, 'zoe@shop.example']);
  assert.deepEqual((await desk.anyone.fetch('/signin/buttons')).map((b) => [b.label, b.is_for_staff, b.is_for_customers]), [['Example', false, true]]);
  (await signedIn(desk, world, { claims: ofAgent(desk) })).must(403);
});

test('only those who have the rights set up a provider, and none that gives more than they have', async (t) => {
  const desk = await open(t), { idp, provider } = await provided(t, desk);
  const body = (more = {}) => ({ name: 'Second', issuer: idp.issuer, client_id: 'desk', role_id: 2, ...more });
  for (const who of [desk.anyone, desk.customer, desk.staff]) assert.ok([401, 403].includes((await who.post('/signin/providers', body())).status));
  (await desk.admin.post('/signin/providers', body({ highest_role: 'OWNER' }))).refused(403, 'PERMISSIONS_DENIED', 'highest_role');
  (await desk.admin.post('/signin/providers', body({ counts_as_two_factors: true }))).refused(403, 'PERMISSIONS_DENIED', 'counts_as_two_factors');
  (await desk.admin.post('/signin/providers', body({ role_id: 5, highest_role: 'ADMIN' }))).must(403);
  for (const [more, field] of [[{ issuer: 'ftp://x.example' }, 'issuer'], [{ issuer: 'https://x.example/?a' }, 'issuer'], [{ issuer: 'nothing' }, 'issuer'], [{ scopes: 'email' }, 'scopes'], [{ is_for_staff: false }, 'is_for_staff'],
    [{ role_id: 1 }, 'role_id'], [{ creates_people: true }, 'email_domains'], [{ rules: [{ claim: 'a', value: 'b', role_id: 1 }] }, 'rules'], [{ rules: [{ claim: 'a', value: 'b', team_ids: [999] }] }, 'rules[0].team_ids'],
    [{ rules: [5] }, 'rules'], [{ rules: Array(51).fill({ claim: 'a', value: 'b' }) }, 'rules']])
    (await desk.owner.post('/signin/providers', body(more))).refused(400, 'FIELD_INVALID', field);
  (await desk.owner.put('/settings', { values: { 'signin.allow_private_addresses': false } })).must(200);
  (await desk.owner.post('/signin/providers', body())).refused(400, 'FIELD_INVALID', 'issuer');
  (await new Visitor(desk).get(`/signin/${provider.id}`)).must(503); // a private address is not reached any more
  (await desk.owner.put('/settings', { values: { 'signin.allow_private_addresses': true } })).must(200);
  const high = await desk.owner.create('/signin/providers', body({ highest_role: 'OWNER' }));
  (await desk.admin.put(`/signin/providers/${high.id}`, { name: 'Mine' })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.delete(`/signin/providers/${high.id}`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.owner.put(`/signin/providers/${high.id}`, { client_secret: 'another secret text' })).must(200);
  const text = JSON.stringify([await desk.owner.fetch('/signin/providers'), await desk.owner.fetch('/audit_log', { limit: 100 }), await desk.owner.fetch('/changes', { limit: 1000 })]);
  assert.ok(!/secret text/.test(text), 'the secret is never shown');
  assert.ok(text.includes('PROVIDER_SECRET_CHANGED'));
  (await desk.owner.delete(`/signin/providers/${high.id}`)).must(200);
});

test('people see and remove their own links, and those with the rights all', async (t) => {
  const desk = await open(t), world = await provided(t, desk), { agent } = desk.people;
  const other = await desk.person('agent', { email: 'other@example.com' });
  for (const { email } of [agent, other]) (await signedIn(desk, world, { claims: { sub: email, email, ...VERIFIED } })).must(303);
  const [own] = await desk.staff.fetch('/signin/links'), [foreign] = await other.client.fetch('/signin/links');
  assert.deepEqual([own.subject, own.user.id, own.provider_name, own.provider.id], [agent.email, agent.id, 'Example', world.provider.id]);
  assert.equal(foreign.user.id, other.id);
  assert.equal((await desk.staff.fetch('/signin/links', { user_id: other.id })).length, 0);
  (await desk.staff.get(`/signin/links/${foreign.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.delete(`/signin/links/${foreign.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get('/signin/links')).refused(403, 'PERMISSIONS_DENIED');
  assert.equal((await desk.admin.fetch('/signin/links')).length, 2);
  const role = await desk.owner.create('/roles', { title: 'Small admins', type: 'ADMIN' });
  (await desk.owner.put(`/roles/${role.id}/permissions`, { 'settings.manage': false })).must(200);
  const small = await desk.person('admin', { role_id: role.id });
  (await small.client.delete(`/signin/links/${foreign.id}`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.delete(`/signin/links/${own.id}`)).must(200);
  assert.deepEqual(await desk.staff.fetch('/signin/links'), []);
  (await signedIn(desk, world, { claims: { sub: 'another account', email: agent.email, ...VERIFIED } })).must(303);
  assert.equal((await desk.staff.fetch('/signin/links'))[0].subject, 'another account');
  (await desk.admin.delete(`/signin/links/${foreign.id}`)).must(200);
});

test('passwords of staff can be turned off; owners and customers keep theirs', async (t) => {
  const desk = await open(t), world = await provided(t, desk, { highest_role: 'ADMIN' });
  (await desk.admin.put('/settings', { values: { 'security.staff_passwords': false } })).must(403);
  (await desk.staff.get('/me')).must(200); // now remembered
  (await desk.owner.put('/settings', { values: { 'security.staff_passwords': false } })).must(200);
  for (const who of [desk.staff, desk.admin]) {
    const reply = (await who.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
    assert.match(JSON.stringify(reply.body), /by a provider or a passkey here/);
  }
  (await desk.login(desk.people.agent.email, 'wrong').get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.owner.get('/me')).must(200);
  (await desk.customer.get('/me')).must(200);
  assert.equal(await whoIs((await signedIn(desk, world, { claims: ofAgent(desk) })).must(303).visitor), desk.people.agent.id);
});

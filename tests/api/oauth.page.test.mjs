// The authorize page: login, second factor, consent (src/oauth/authorize.c).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Browser, CALLBACK, DAY, File, MINUTE, PASSWORD, authorize, authorizeUrl, challengeOf, exchange, form, formOf, loggedIn, multipart, open, register, shared, toConsent } from './lib/index.mjs';
import { totp } from './lib/totp.mjs';

describe('the authorize page', () => {
  const world = shared(async (world) => { world.client = await register(world.desk, { description: 'Weekly <b>reports</b>', author: 'Charles', author_url: 'https://charles.example/', url: 'https://app.example/' }); });
  const browser = () => new Browser(world.desk);
  const insider = () => loggedIn(world.desk, world.client, world.desk.people.agent); // errors go back only with a session
  const where = ({ headers }) => Object.fromEntries(new URL(headers.location).searchParams);

  test('a person logs in, agrees, and the client gets a code with state and issuer, also at /oauth/token/authorize', async () => {
    const { desk, client } = world;
    for (const path of ['/oauth/authorize', '/oauth/token/authorize']) {
      const visitor = browser();
      const page = (await visitor.get(authorizeUrl(client, { state: 'x & y = ü' }, path))).must(200);
      assert.match(page.text, /<h1>Log in<\/h1>/);
      const next = (await visitor.send(page, { email: desk.people.customer.email, password: PASSWORD })).must(303);
      assert.ok(next.headers.location.startsWith(`${path}?`), next.headers.location);
      const consent = (await visitor.get(next.headers.location)).must(200);
      const back = (await visitor.send(consent, { do: 'allow' })).must(303);
      assert.ok(back.headers.location.startsWith(`${CALLBACK}?code=dkc_`));
      const { code, ...rest } = where(back);
      assert.deepEqual(rest, { state: 'x & y = ü', iss: desk.base });
      assert.deepEqual([back.headers['cache-control'], back.text], ['no-store', '']);
      const tokens = (await exchange(desk, client, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK })).must(200).body;
      assert.equal((await desk.anyone.with({ Authorization: `Bearer ${tokens.access_token}` }).fetch('/me')).id, desk.people.customer.id);
    }
  });

  test('the consent names the app, its author, the person, the scopes in plain words, and where the person returns to', async () => {
    const { desk, client } = world;
    const page = await toConsent(browser(), authorizeUrl(client, { scope: 'users:read conversations' }), desk.people.agent);
    assert.match(page.text, /<h1>Allow access\?<\/h1>/);
    for (const words of ['<a href="https://app.example/"', '>Reports</a>', '>Charles</a>', 'Weekly &lt;b&gt;reports&lt;/b&gt;', '<strong>Agnes Agent</strong> (agent@example.com)', 'Not you?',
      '<li>See people, organizations and teams</li>', '<li>Read, write, change and delete conversations, notes, mails and articles</li>', '<strong>app.example</strong>'])
      assert.ok(page.text.includes(words), `${words} is missing in ${page.text}`);
    assert.equal(page.text.match(/<li>/g).length, 2);
    assert.ok(!page.text.includes('<script'));
    const every = await toConsent(browser(), authorizeUrl(client), desk.people.agent);
    assert.equal(every.text.match(/<li>/g).length, 5, 'without scope the client asks for all of its scopes');
  });

  test('an app without a callback address is refused on the page, and nothing is sent anywhere', async () => {
    const { desk } = world;
    const client = await register(desk, { callback_url: undefined });
    for (const redirect_uri of [undefined, 'https://app.example/callback', '']) {
      const page = (await browser().get(authorizeUrl(client, { redirect_uri }))).must(400);
      assert.match(page.text, /The app has no callback address\. An administrator of the desk can add it\./);
      assert.equal(page.headers.location, undefined);
    }
  });

  test('the change log attributes the grant to the person, without a secret', async () => {
    const { desk, client } = world, person = await desk.person('agent');
    const { code } = await authorize(desk, client, person);
    const entries = (await desk.owner.fetch('/changes', { limit: 1000 })).filter((entry) => entry.resource_type === 'oauth_grant');
    assert.deepEqual([entries.at(-1).actor?.id, entries.at(-1).cause ?? null], [person.id, null], JSON.stringify(entries.at(-1)));
    assert.ok(!JSON.stringify(entries).includes(code));
  });

  test('staff are told where to end the access, customers how', async () => {
    const { desk, client } = world;
    assert.match((await toConsent(browser(), authorizeUrl(client), desk.people.agent)).text, /You can end its access in your profile/);
    assert.match((await toConsent(browser(), authorizeUrl(client), desk.people.customer)).text, /To end its access, change your password or ask us/);
  });

  test('a logo of the client is shown', async () => {
    const { desk } = world;
    const logo = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    const client = await desk.admin.create('/oauth/clients', multipart({ name: 'Pictured', callback_url: CALLBACK, logo: new File('a.gif', 'image/gif', logo) }));
    const page = await toConsent(browser(), authorizeUrl(client), desk.people.agent);
    const [, src] = /<img src="([^"]+)"/.exec(page.text);
    const picture = await desk.anyone.exchange('GET', src.slice(desk.base.length));
    assert.deepEqual([picture.status, picture.headers['content-type']], [200, 'image/gif']);
    assert.match(page.headers['content-security-policy'], /img-src 'self'/);
  });

  test('a denial goes back to the client, and stores nothing', async () => {
    const { desk, client } = world;
    const person = await desk.person('agent'), visitor = browser();
    const page = await toConsent(visitor, authorizeUrl(client), person);
    assert.deepEqual(where((await visitor.send(page, { do: 'deny' })).must(303)), { error: 'access_denied', error_description: 'The person refused access.', state: 'a state', iss: desk.base });
    assert.deepEqual((await desk.admin.fetch('/oauth/grants', { user_id: person.id })).length, 0);
  });

  test('"Not you?" leads to a login of another person', async () => {
    const { desk, client } = world, visitor = browser();
    const page = await toConsent(visitor, authorizeUrl(client), desk.people.agent);
    const login = (await visitor.send(page, { do: 'switch' })).must(200);
    const next = (await visitor.send(login, { email: desk.people.customer.email, password: PASSWORD })).must(303);
    assert.match((await visitor.get(next.headers.location)).must(200).text, /Cora Customer/);
    (await visitor.send(page, { do: 'allow' })).must(403);
  });

  test('a session of this browser needs no login, unless the client asks for one with prompt=login', async () => {
    const { desk, client } = world, visitor = browser();
    await toConsent(visitor, authorizeUrl(client), desk.people.agent);
    assert.match((await visitor.get(authorizeUrl(client))).must(200).text, /Allow access/);
    const login = (await visitor.get(authorizeUrl(client, { prompt: 'login', login_hint: '"agent"@example.com' }))).must(200);
    assert.match(login.text, /<h1>Log in<\/h1>[^]*value="&quot;agent&quot;@example.com"/);
    const next = (await visitor.send(login, { email: desk.people.agent.email, password: PASSWORD })).must(303);
    assert.match((await visitor.get(next.headers.location)).must(200).text, /Allow access/);
    assert.equal(where((await visitor.get(authorizeUrl(client, { prompt: 'none' }))).must(303)).error, 'interaction_required');
  });

  test('a login with a second factor asks for a code', async () => {
    const { desk, client } = world, person = await desk.person('agent'), visitor = browser();
    const { secret } = await person.client.fetch('/profile/twofactor');
    await person.client.create('/profile/twofactor', { code: totp(secret, desk.clock.now) });
    await desk.clock.forward(MINUTE);
    const code = (await visitor.send(await visitor.get(authorizeUrl(client)), { email: person.email, password: PASSWORD })).must(200);
    assert.match(code.text, /name="code"/);
    assert.equal(visitor.cookies.desk_session, undefined);
    const wrong = (await visitor.send(code, { code: '000000' })).must(401);
    assert.match(wrong.text, /Wrong code/);
    const next = (await visitor.send(wrong, { code: totp(secret, desk.clock.now) })).must(303);
    assert.match((await visitor.get(next.headers.location)).must(200).text, /Allow access/);
  });

  test('an expired password gives no access', async () => {
    const { desk, client } = world, person = await desk.person('customer'), visitor = browser();
    (await desk.owner.put('/settings', { values: { 'security.password_days_customers': '1' } })).must(200);
    await desk.clock.forward(DAY + MINUTE);
    const reply = (await visitor.send(await visitor.get(authorizeUrl(client)), { email: person.email, password: PASSWORD })).must(403);
    assert.match(reply.text, /Your password has expired/);
    assert.equal(visitor.cookies.desk_session, undefined);
    (await desk.owner.put('/settings', { values: { 'security.password_days_customers': '0' } })).must(200);
  });

  test('a wrong password and an unknown address get the same page', async () => {
    const { client } = world, person = await world.desk.person('customer'), visitor = browser();
    const page = async (email) => (await visitor.send(await visitor.get(authorizeUrl(client)), { email, password: 'wrong' })).must(401).text.replaceAll(email, 'X').replace(/name="ticket" value="\w+"/, '');
    assert.equal(await page(person.email), await page('nobody@people.example'));
    assert.match(await page('with:colon@people.example'), /Wrong e-mail address or password/);
  });

  test('a native app on this computer may listen on any port', async () => {
    const { desk } = world;
    for (const host of ['127.0.0.1', '[::1]']) {
      const client = await register(desk, { is_public: true, callback_url: `http://${host}/cb` });
      const verifier = 'v'.repeat(43), pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
      const redirect_uri = `http://${host}:51004/cb`;
      const { code } = await authorize(desk, client, desk.people.agent, { redirect_uri, ...pkce });
      const send = (more) => exchange(desk, client, { grant_type: 'authorization_code', code, code_verifier: verifier, ...more });
      assert.equal((await send({ redirect_uri })).must(200).body.token_type, 'Bearer');
    }
  });

  test('a private scheme of an app may follow the form', async () => {
    const client = await register(world.desk, { callback_url: 'com.example.app:/callback' });
    const page = await toConsent(browser(), authorizeUrl(client), world.desk.people.agent);
    assert.match(page.headers['content-security-policy'], /form-action 'self' https: com\.example\.app:;/);
    assert.match(page.text, /<strong>com\.example\.app<\/strong>/);
  });

  test('without redirect_uri the code goes to the address of the client', async () => {
    const { desk, client } = world;
    const { code } = await authorize(desk, client, desk.people.agent, { redirect_uri: undefined });
    (await exchange(desk, client, { grant_type: 'authorization_code', code })).must(200);
  });

  const REFUSED = [
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['a response in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['a challenge that is no hash', { code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['a request object', { request: 'eyJ' }, 'request_not_supported'],
  ];
  for (const [name, more, error] of REFUSED)
    test(`${name} goes back to the client as ${error}`, async () => {
      const found = where((await (await insider()).get(authorizeUrl(world.client, more))).must(303));
      assert.deepEqual([found.error, found.state, found.iss], [error, 'a state', world.desk.base]);
    });

  test('the consent shows the host of the callback, whatever follows it', async () => {
    for (const [callback_url, host] of [['https://app.example', 'app.example'], ['https://app.example:8443', 'app.example:8443'], ['https://app.example?x=1', 'app.example'], ['https://app.example:8443/a?b=/c', 'app.example:8443'], ['http://127.0.0.1/cb', '127.0.0.1']]) {
      const client = await register(world.desk, { callback_url });
      assert.match((await toConsent(await insider(), authorizeUrl(client), world.desk.people.agent)).text, new RegExp(`you return to <strong>${host}</strong>\\.`), callback_url);
    }
  });

  test('an app on this computer has a port from 1 to 65535, and its own path', async () => {
    const { desk } = world, visitor = await insider(), client = await register(desk, { callback_url: 'http://127.0.0.1:80/cb?a=1' });
    const status = async (redirect_uri) => (await visitor.get(authorizeUrl(client, { redirect_uri }))).status;
    for (const port of ['', ':1', ':80', ':65535']) assert.equal(await status(`http://127.0.0.1${port}/cb?a=1`), 200, port);
    for (const port of [':', ':0', ':65536', ':000080', ':-1', ':8x', ':80:81']) assert.equal(await status(`http://127.0.0.1${port}/cb?a=1`), 400, port);
    for (const url of ['http://127.0.0.1:81/cb', 'http://127.0.0.1:81/cb?a=2', 'http://127.0.0.1:81/', 'http://127.0.0.1:81', 'http://127.0.0.1.evil.example/cb?a=1', 'http://127.0.0.1@evil.example/cb?a=1', 'http://[::1]:80/cb?a=1', 'https://127.0.0.1:80/cb?a=1', 'http://localhost:80/cb?a=1'])
      assert.equal(await status(url), 400, url);
    const web = await register(desk, { callback_url: 'https://app.example:80/cb' });
    assert.equal((await visitor.get(authorizeUrl(web, { redirect_uri: 'https://app.example:81/cb' }))).status, 400, 'the port of a web address is fixed');
  });

  test('a challenge has 43 digits of base64url', async () => {
    const visitor = await insider(), ask = async (code_challenge) => (await visitor.get(authorizeUrl(world.client, { code_challenge, code_challenge_method: 'S256' }))).status;
    for (const good of ['a'.repeat(43), `${'Z9-_'.repeat(10)}-_0`, `-${'a'.repeat(42)}`]) assert.equal(await ask(good), 200, good);
    for (const bad of ['a'.repeat(42), 'a'.repeat(44), `!${'a'.repeat(42)}`, `${'a'.repeat(42)}!`, `${'a'.repeat(42)}=`, `${'a'.repeat(42)}.`, `a ${'a'.repeat(41)}`]) assert.equal(await ask(bad), 303, bad);
  });

  test('the only response mode is query, and a request by reference is refused', async () => {
    const visitor = await insider();
    (await visitor.get(authorizeUrl(world.client, { response_mode: 'query' }))).must(200);
    assert.equal(where((await visitor.get(authorizeUrl(world.client, { request_uri: 'https://app.example/request' }))).must(303)).error, 'request_uri_not_supported');
    for (const [more, description] of [[{ response_type: undefined }, 'response_type is missing. Send response_type=code.'], [{ response_mode: 'form_post' }, 'The only response_mode is query.'], [{ code_challenge: 'a'.repeat(43) }, 'The only code_challenge_method is S256.'], [{ code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }, 'The only code_challenge_method is S256.']])
      assert.equal(where((await visitor.get(authorizeUrl(world.client, more))).must(303)).error_description, description);
  });

  test('a browser keeps its mark from page to page, and a mark that the desk did not make is replaced', async () => {
    const visitor = browser(), url = authorizeUrl(world.client), mark = async () => { await visitor.get(url); return visitor.cookies.desk_authorize; };
    const first = await mark();
    assert.match(first, /^[0-9a-f]{32}$/);
    assert.equal(await mark(), first);
    for (const odd of ['', 'x', `z${'a'.repeat(31)}`, `${'a'.repeat(31)}g`, 'a'.repeat(33), 'A'.repeat(32)]) {
      visitor.cookies.desk_authorize = odd;
      assert.notEqual(await mark(), odd);
      assert.match(visitor.cookies.desk_authorize, /^[0-9a-f]{32}$/);
    }
  });

  test('a wrong password marks its fields and keeps the address', async () => {
    const visitor = browser(), page = (await visitor.get(authorizeUrl(world.client))).must(200);
    assert.ok(!page.text.includes('aria-invalid') && page.text.includes('<p>Log in to let <strong><bdi>Reports</bdi></strong> act for you.</p>'));
    const wrong = (await visitor.send(page, { email: 'ada "x"@people.example', password: 'no' })).must(401);
    assert.match(wrong.text, /<title>Error: [^]*<p class="wrong" id="wrong" role="alert"[^>]*>Wrong e-mail address or password\.<\/p>/);
    assert.match(wrong.text, /name="email"[^>]* value="ada &quot;x&quot;@people.example" aria-describedby="wrong" aria-invalid="true">/);
    assert.match(wrong.text, /name="password"[^>]* aria-describedby="wrong" aria-invalid="true">/);
  });

  test('a long state comes back whole, one that is too long for headers gets an error page', async () => {
    const more = { scope: 'unknown', state: 's'.repeat(4096) };
    assert.equal(where((await (await insider()).get(authorizeUrl(world.client, more))).must(303)).state, more.state);
    for (const state of ['s'.repeat(4097), 'ü'.repeat(700)])
      assert.match((await browser().get(authorizeUrl(world.client, { ...more, state }))).must(400).text, /a state that is too long/);
  });

  test('a parameter that is given twice is refused', async () => {
    const visitor = await insider();
    for (const url of [`${authorizeUrl(world.client)}&client_id=${world.client.key}`, authorizeUrl(world.client).replace(/client_id=[^&]*&?/, '')])
      assert.match((await visitor.get(url)).must(400).text, /has no client_id, or several/);
    assert.equal(where((await visitor.get(`${authorizeUrl(world.client)}&scope=users&scope=search`)).must(303)).error, 'invalid_request');
    assert.ok(!('state' in where((await visitor.get(`${authorizeUrl(world.client)}&state=b`)).must(303))));
  });

  test('a form expires after ten minutes', async () => {
    const { desk, client } = world, visitor = browser();
    const page = await toConsent(visitor, authorizeUrl(client), desk.people.agent);
    await desk.clock.forward(11 * MINUTE);
    assert.match((await visitor.send(page, { do: 'allow' })).must(403).text, /This form has expired/);
    assert.ok(formOf(page).hidden.ticket.length > 100);
  });

  test('a template of the brand replaces the texts around the form', async () => {
    const { desk, client } = world;
    (await desk.owner.put('/brands/1/templates/page_authorize', { contents: '{% block title %}May it?{% endblock %}{% block body %}<p>Think.</p>{{form}}{% endblock %}' })).must(200);
    assert.match((await toConsent(browser(), authorizeUrl(client), desk.people.agent)).text, /<h1>May it\?<\/h1>\s*<p>Think\.<\/p>/);
  });
});

test('behind a proxy with a path, metadata, redirects and cookies are those of the base URL', async (t) => {
  const desk = await open(t, { base: 'https://example.com/desk' }), client = await register(desk), visitor = new Browser(desk);
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-authorization-server/desk'])
    assert.equal((await desk.anyone.exchange('GET', path)).must(200).body.token_endpoint, 'https://example.com/desk/oauth/token');
  assert.equal((await desk.anyone.exchange('GET', '/.well-known/oauth-authorization-server/other')).status, 404);
  const page = await visitor.get(authorizeUrl(client));
  assert.match(page.headers['set-cookie'][0], /^desk_authorize=[0-9a-f]{32}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
  const { action, hidden } = formOf(page);
  assert.equal(action, 'authorize');
  const next = (await visitor.go('POST', '/oauth/authorize', form({ ...hidden, email: desk.people.agent.email, password: PASSWORD }), { Origin: 'https://example.com' })).must(303);
  assert.ok(next.headers.location.startsWith('/desk/oauth/authorize?response_type=code&'), next.headers.location);
  const consent = (await visitor.get(next.headers.location.slice('/desk'.length))).must(200);
  const back = (await visitor.go('POST', '/oauth/authorize', form({ ...formOf(consent).hidden, do: 'allow' }), { Origin: 'https://example.com' })).must(303);
  assert.equal(new URL(back.headers.location).searchParams.get('iss'), 'https://example.com/desk');
});

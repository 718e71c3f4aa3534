import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, HOUR, MINUTE, PASSWORD, ROLES, open, relayFor } from './lib/index.mjs';
import { totp } from './lib/totp.mjs';

// Passwords, remember-me tokens, two-factor and mailed links: how an account is opened, and how this ends.

const remember = async (client, headers) => {
  const reply = (await client.get('/session', { remember_me: true }, headers)).must(200);
  assert.ok(reply.headers['x-rememberme'], `${reply}`);
  return reply.headers['x-rememberme'];
};
const present = (desk, token) => desk.anyone.get('/session', {}, { 'X-RememberMe': token });
const signedIn = (reply, id) => {
  assert.equal(reply.must(200).data.user?.id, id, `${reply}`);
  return reply;
};
const shut = (reply) => assert.ok(reply.status >= 400 || reply.data.user === null, `${reply}`);

test('a remember-me token opens a session once and gets a successor', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const { id, client } = await desk.person(role);
    assert.equal((await client.get('/session')).headers['x-rememberme'], undefined);
    assert.equal((await client.get('/session', { remember_me: false })).headers['x-rememberme'], undefined);
    const token = await remember(client);
    const opened = signedIn(await present(desk, token), id);
    assert.ok(opened.body.session_id && opened.headers['x-csrf-token'] && opened.headers['x-rememberme']);
    assert.notEqual(opened.headers['x-rememberme'], token);
    (await desk.anyone.with({ 'X-Session-ID': opened.data.id, 'X-CSRF-Token': opened.headers['x-csrf-token'] }).put('/profile', { designation: 'Back' })).must(200);
    const again = signedIn(await present(desk, token), id);
    assert.equal(again.headers['x-rememberme'], opened.headers['x-rememberme'], 'a repeat returns the same successor');
  }
});

test('a used remember-me token presented after a minute ends all sessions of its chain', async (t) => {
  const desk = await open(t);
  const { id, client } = await desk.person('customer');
  const token = await remember(client);
  const first = signedIn(await present(desk, token), id);
  const second = signedIn(await present(desk, first.headers['x-rememberme']), id);
  await desk.clock.forward(61);
  shut(await present(desk, token));
  for (const reply of [first, second]) (await desk.anyone.get('/profile', {}, { 'X-Session-ID': reply.data.id })).refused(454, 'SESSION_LOADING_FAILED');
  shut(await present(desk, second.headers['x-rememberme']));
  (await client.get('/profile')).must(200);
});

test('a remember-me token expires after 30 days, and works only on GET /session', async (t) => {
  const desk = await open(t);
  const { id, client } = await desk.person('customer');
  const [young, old] = [await remember(client), await remember(client)];
  (await desk.anyone.get('/profile', {}, { 'X-RememberMe': young })).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.anyone.put('/session/ack', undefined, { headers: { 'X-RememberMe': young } })).refused(401, 'AUTHORIZATION_REQUIRED');
  const { bare } = await desk.session(desk.customer);
  assert.equal((await bare.get('/session', {}, { 'X-RememberMe': young })).must(200).data.user.id, desk.people.customer.id);
  await desk.clock.forward(30 * DAY - HOUR);
  signedIn(await present(desk, young), id);
  await desk.clock.forward(2 * HOUR);
  shut(await present(desk, old));
  for (const token of ['x', '', 'a'.repeat(5000), '../..', `${young}x`]) shut(await present(desk, token));
});

test('a header and an argument with different values are inconsistent', async (t) => {
  const desk = await open(t);
  const token = await remember(desk.customer);
  (await desk.anyone.get('/session', { _remember_me: 'another' }, { 'X-RememberMe': token })).refused(400, 'PARAMETERS_INCONSISTENT');
  signedIn(await desk.anyone.get('/session', { _remember_me: token }), desk.people.customer.id);
  for (const remember_me of ['perhaps', '2']) (await desk.customer.get('/session', { remember_me })).refused(400, 'FIELD_INVALID', 'remember_me');
  const none = (await desk.anyone.get('/session', { remember_me: true })).must(200);
  assert.equal(none.headers['x-rememberme'], undefined);
  assert.deepEqual([none.data.user, none.data.id], [null, null]);
});

test('a changed password ends other sessions, remember-me tokens and the old password', async (t) => {
  const desk = await open(t);
  for (const how of ['own', 'by staff']) {
    const { id, email, client } = await desk.person('customer');
    const other = await desk.session(client, { 'User-Agent': 'another/1' });
    const here = await desk.session(client);
    const token = await remember(client, { 'User-Agent': 'another/1' });
    if (how === 'own') {
      (await here.client.put('/profile/password', { password: 'not it', new_password: 'a new secret' })).refused(400, 'FIELD_INVALID', 'password');
      (await here.client.get('/profile')).must(200);
      (await client.get('/profile')).must(200);
      assert.deepEqual(Object.keys((await here.client.put('/profile/password', { password: PASSWORD, new_password: 'a new secret' })).must(200).body), ['status']);
      (await here.client.get('/profile')).must(200);
    } else {
      await desk.owner.update(`/users/${id}`, { password: 'a new secret' });
    }
    (await other.bare.get('/profile', {}, { 'User-Agent': 'another/1' })).refused(454, 'SESSION_LOADING_FAILED');
    shut(await present(desk, token));
    (await client.get('/profile')).refused(401, 'AUTHENTICATION_FAILED');
    (await desk.login(email, 'a new secret').get('/profile')).must(200);
  }
});

describe('the rules of passwords:', () => {
  test('lengths by role, any characters, no truncation', async (t) => {
    const desk = await open(t);
    // These come first, because ten wrong passwords lock this address for people whom a process does not remember.
    for (const [role_id, password, status] of [[4, 'abcd', 400], [4, 'ab1de', 201], [2, 'ab1defg', 400], [2, 'ab1defgh', 201]]) {
      (await desk.owner.post('/users', { full_name: 'P', email: `p${role_id}.${password}@pass.example`, role_id, password })).must(status);
    }
    for (const role of ROLES) {
      const { email, client } = await desk.person(role);
      const least = role === 'customer' ? 5 : 8;
      (await client.put('/profile/password', { password: PASSWORD, new_password: 'x'.repeat(least - 1) })).refused(400, 'FIELD_INVALID', 'new_password');
      (await client.put('/profile/password', { password: PASSWORD, new_password: 'x'.repeat(1025) })).refused(400, 'FIELD_INVALID', 'new_password');
      let now = PASSWORD;
      for (const wanted of ['q7'.repeat(10).slice(0, least), ' spaces around ', 'pässwörd 渡辺 🦄', `${'y'.repeat(1023)}z`]) {
        (await desk.login(email, now).put('/profile/password', { password: now, new_password: wanted })).must(200);
        now = wanted;
        (await desk.login(email, now).get('/profile')).must(200);
      }
      (await desk.login(email, `${'y'.repeat(1023)}Z`).get('/profile')).refused(401, 'AUTHENTICATION_FAILED');
      (await desk.login(email, 'y'.repeat(1023)).get('/profile')).refused(401, 'AUTHENTICATION_FAILED');
    }
  });

  test('no reply contains a password', async (t) => {
    const desk = await open(t);
    const made = await desk.owner.post('/users', { full_name: 'P', email: 'shown@pass.example', password: 'sécret-not-shown' });
    for (const reply of [made, await desk.owner.get(`/users/${made.data.id}`, { fields: '*,+password,+password_hash' }), await desk.owner.put('/profile/password', { password: 'sécret-not-shown', new_password: 'x' })]) {
      assert.ok(!reply.text.includes('not-shown'), `${reply}`);
      assert.ok(!/argon2/i.test(reply.text), `${reply}`);
    }
  });

  test('an unknown user and a wrong password get the same error', async (t) => {
    const desk = await open(t);
    const [a, b] = [await desk.login('nobody@x.example', 'wrong password').get('/profile'), await desk.login('customer@example.com', 'wrong password').get('/profile')];
    for (const reply of [a, b]) reply.refused(401, 'AUTHENTICATION_FAILED');
    assert.equal(a.text, b.text);
    (await desk.login('customer@example.com', 'wrong password').get('/session')).refused(401, 'AUTHENTICATION_FAILED');
    (await desk.login('customer@example.com', 'wrong password').put('/profile/verify', { hash: 'x' })).refused(401, 'AUTHENTICATION_FAILED');
  });
});

async function enrolled(desk, role = 'agent') {
  const person = await desk.person(role);
  const shown = await person.client.fetch('/profile/twofactor');
  assert.ok(shown.secret);
  const begun = await person.client.post('/profile/twofactor', { code: totp(shown.secret, desk.clock.now) });
  assert.ok(begun.status < 300, `${begun}`);
  return { ...person, secret: shown.secret, begun };
}
const step = async (desk) => { await desk.clock.forward(30); };

test('two-factor: a login needs two steps, and each wrong step is refused', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const { id, client, secret } = await enrolled(desk, role);
    await desk.clock.forward(MINUTE);
    const asked = (await client.get('/profile')).refused(403, 'OTP_EXPECTED');
    const { auth_token: token } = asked.body;
    assert.ok(token);
    const second = (otp, more = {}) => desk.anyone.get('/profile', {}, { 'X-Token': token, 'X-OTP': otp, ...more });
    const good = totp(secret, desk.clock.now);
    (await second(String((Number(good) + 1) % 1e6).padStart(6, '0'))).must(401);
    (await desk.anyone.get('/profile', {}, { 'X-Token': token })).must(403);
    (await desk.anyone.get('/profile', {}, { 'X-Token': 'x', 'X-OTP': good })).must(401);
    const passed = (await second(good)).must(200);
    assert.equal(passed.data.is_otp_enabled, true);
    assert.equal((await desk.owner.fetch(`/users/${id}`)).is_mfa_enabled, true);
    (await second(good)).must(401); // a code and a token work once
  }
});

test('two-factor: no route bypasses it', async (t) => {
  const desk = await open(t);
  const { client, secret } = await enrolled(desk);
  await step(desk);
  await step(desk);
  for (const [method, path] of [['GET', '/session?remember_me=true'], ['GET', '/me'], ['PUT', '/profile/password'], ['DELETE', '/profile/twofactor'], ['GET', '/users'], ['GET', '/profile/twofactor']]) {
    const reply = (await client.request(method, path)).refused(403, 'OTP_EXPECTED');
    assert.equal(reply.headers['x-rememberme'], undefined);
    assert.ok(!reply.body.session_id && !reply.headers['x-csrf-token'], `${reply}`);
  }
  const { auth_token } = (await client.get('/me')).body;
  (await desk.anyone.get('/me', {}, { 'X-Token': auth_token, 'X-Session-ID': auth_token })).must(454);
  const stranger = (await desk.login('customer@example.com').get('/me', {}, { 'X-Token': auth_token, 'X-OTP': totp(secret, desk.clock.now) }));
  if (stranger.status === 200) assert.equal(stranger.data.id, desk.people.customer.id);
});

test('two-factor: a wrong code enables nothing; an admin can disable it, others can\'t', async (t) => {
  const desk = await open(t);
  const person = await desk.person('customer');
  await person.client.fetch('/profile/twofactor');
  for (const code of ['000000', 'x', '', '12345678901234567890', [1], { a: 1 }]) assert.ok([400, 401].includes((await person.client.post('/profile/twofactor', { code })).status));
  (await person.client.post('/profile/twofactor', {})).refused(400, 'FIELD_REQUIRED', 'code');
  (await person.client.get('/profile')).must(200);
  const { id, client } = await enrolled(desk, 'customer');
  for (const role of ['customer', 'collaborator', 'agent']) (await desk.as(role).delete(`/users/${id}/twofactor`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.delete(`/users/${id}/twofactor`)).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.anyone.get('/profile/twofactor')).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.admin.delete(`/users/${id}/twofactor`)).must(200);
  assert.equal((await client.fetch('/profile')).is_otp_enabled, false);
  (await desk.admin.delete('/users/987654/twofactor')).refused(404, 'RESOURCE_NOT_FOUND');
});

test('a reset request: the same reply for everyone, a mail to known people, and no change until the link is used', async (t) => {
  const desk = await open(t);
  const post = await relayFor(t, desk);
  const { email, client } = await desk.person('customer');
  const { bare } = await desk.session(client);
  const [known, unknown] = [await desk.anyone.post('/password/reset', { email }), await desk.anyone.post('/password/reset', { email: 'nobody@reset.example' })];
  assert.equal(known.status, unknown.status);
  assert.deepEqual({ ...known.body }, { ...unknown.body });
  const { hash, raw } = await post.mail(0);
  assert.ok(raw.includes(email));
  (await client.get('/profile')).must(200);
  (await bare.get('/profile')).must(200);
  assert.equal(post.mails.length, 1, 'an unknown address gets no mail');
  assert.ok(hash.length >= 32);
});

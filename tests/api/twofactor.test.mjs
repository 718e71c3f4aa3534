import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, PASSWORD, open, ROLES } from './lib/index.mjs';
import { totp } from './lib/totp.mjs';

/** Confirms a second factor for a caller: {secret, codes}. */
async function enable(desk, client) {
  const { secret } = await client.fetch('/profile/twofactor');
  desk.secrets.add(secret);
  const made = await client.create('/profile/twofactor', { code: totp(secret, desk.clock.now) });
  for (const code of made.recovery_codes) desk.secrets.add(code);
  return { secret, codes: made.recovery_codes };
}

/** Moves the clock to the next time step, so that a code works again. */
const later = (desk) => desk.clock.forward(30);

test('every role may set up a second factor and gets a secret, its address and its QR code', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const me = desk.as(role);
    const shown = await me.fetch('/profile/twofactor');
    assert.match(shown.secret, /^[A-Z2-7]{32}$/);
    assert.equal(shown.is_enabled, false);
    const url = new URL(shown.otpauth_url);
    assert.equal(url.searchParams.get('secret'), shown.secret);
    assert.match(decodeURIComponent(url.pathname), new RegExp(`:${desk.people[role].email}$`));
    assert.match(shown.qr_code, /^<svg .*<\/svg>$/s);
    assert.equal((await me.fetch('/profile/twofactor')).secret, shown.secret, 'two reads return the same secret');
    assert.deepEqual(shown.recovery_codes, []);
  }
  (await desk.anyone.get('/profile/twofactor')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('it is enabled when a code confirms it, and the secret is not shown again', async (t) => {
  const desk = await open(t);
  (await desk.staff.post('/profile/twofactor', { code: '000000' })).must(400);
  (await desk.staff.post('/profile/twofactor', {})).refused(400, 'FIELD_REQUIRED');
  (await desk.staff.get('/me')).must(200);
  const { client } = await desk.session(desk.staff);
  const { codes } = await enable(desk, client);
  assert.equal(new Set(codes).size, 10);
  const shown = await client.fetch('/profile/twofactor');
  assert.deepEqual([shown.is_enabled, shown.secret, shown.otpauth_url, shown.qr_code, shown.recovery_codes], [true, null, null, null, []]);
  assert.equal((await client.fetch('/profile')).is_otp_enabled, true);
  assert.equal((await desk.owner.fetch(`/users/${desk.people.agent.id}`)).is_mfa_enabled, true);
  (await client.post('/profile/twofactor', { code: '123456' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
});

test('a secret shown to one session can\'t be confirmed by another', async (t) => {
  const desk = await open(t);
  const [here, there] = [await desk.session(desk.staff), await desk.session(desk.staff, { 'X-CSRF': 'false' })];
  const seen = (await there.bare.fetch('/profile/twofactor')).secret;
  assert.notEqual((await here.client.fetch('/profile/twofactor')).secret, seen);
  (await here.client.post('/profile/twofactor', { code: totp(seen, desk.clock.now) })).refused(400, 'FIELD_INVALID', 'code');
  await enable(desk, here.client);
});

test('a login then needs two steps', async (t) => {
  const desk = await open(t);
  const { secret } = await enable(desk, (await desk.session(desk.staff)).client);
  await later(desk);
  const refusal = (await desk.staff.get('/me')).refused(403, 'OTP_EXPECTED');
  const { auth_token: token } = refusal.body;
  assert.equal(refusal.headers['x-csrf-token'], undefined);
  assert.equal(refusal.body.session_id, undefined);
  const by = desk.anyone.with({ 'X-Token': token });
  (await by.get('/me')).refused(403, 'OTP_EXPECTED');
  (await by.with({ 'X-OTP': '000000' }).get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  const reply = (await by.with({ 'X-OTP': totp(secret, desk.clock.now) }).get('/me')).must(200);
  assert.equal(reply.data.id, desk.people.agent.id);
  const session = desk.anyone.with({ 'X-Session-ID': reply.body.session_id, 'X-CSRF-Token': reply.headers['x-csrf-token'] });
  (await session.put('/session/ack')).must(200);
  (await desk.staff.get('/me')).refused(403, 'OTP_EXPECTED');
});

test('a code and a token work once', async (t) => {
  const desk = await open(t);
  const { secret } = await enable(desk, (await desk.session(desk.staff)).client);
  const step = async () => (await desk.staff.get('/me')).refused(403, 'OTP_EXPECTED').body.auth_token;
  const code = totp(secret, desk.clock.now);
  (await desk.anyone.get('/me', {}, { 'X-Token': await step(), 'X-OTP': code })).refused(401, 'AUTHENTICATION_FAILED');
  await later(desk);
  const token = await step();
  const next = totp(secret, desk.clock.now);
  (await desk.anyone.get('/me', {}, { 'X-Token': token, 'X-OTP': next })).must(200);
  (await desk.anyone.get('/me', {}, { 'X-Token': await step(), 'X-OTP': next })).refused(401, 'AUTHENTICATION_FAILED');
  await later(desk);
  (await desk.anyone.get('/me', {}, { 'X-Token': token, 'X-OTP': totp(secret, desk.clock.now) })).refused(401, 'AUTHENTICATION_FAILED');
});

test('a code counts in its time step and its neighbours, with blanks, and no code before the last one', async (t) => {
  const desk = await open(t);
  const { secret } = await enable(desk, (await desk.session(desk.staff)).client);
  await desk.clock.forward(300);
  const code = (steps) => totp(secret, desk.clock.now + steps * 30_000);
  const asks = (text) => desk.staff.get('/me', {}, { 'X-OTP': text });
  const refused = async (...texts) => { for (const text of texts) (await asks(text)).refused(401, 'AUTHENTICATION_FAILED'); };
  await refused(code(-2), code(2), `${code(0)}0`, code(0).slice(1), code(0).replace(/.$/, 'x'));
  (await asks(code(-1))).must(200);
  await refused(code(-1));
  (await asks(`${code(1).slice(0, 3)} ${code(1).slice(3)} `)).must(200);
  await refused(code(0), code(1));
});

test('the QR code has its three finders, its timing line and a white edge, and no run touches the next one', async (t) => {
  const desk = await open(t);
  const { qr_code: svg } = await desk.staff.fetch('/profile/twofactor');
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg), side = Number(width);
  assert.equal(width, height);
  assert.ok(svg.includes(`<path fill="#fff" d="M0 0h${side}v${side}H0z"/>`));
  const dark = Array.from({ length: side }, () => Array(side).fill(false)), runs = [...svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)].map((m) => m.slice(1).map(Number));
  for (const [x, y, run, back] of runs) {
    assert.equal(back, run);
    assert.ok(!dark[y][x - 1], `the run at ${x}, ${y} continues another one`);
    for (let i = 0; i < run; i++) dark[y][x + i] = true;
  }
  const edge = (i) => i < 4 || i >= side - 4;
  dark.forEach((row, y) => row.forEach((is, x) => assert.ok(!is || !(edge(x) || edge(y)), `${x}, ${y} is on the edge`)));
  const finder = (x, y) => { const d = Math.max(Math.abs(x - 3), Math.abs(y - 3)); return d !== 2 && d < 4; };
  for (const [left, top] of [[4, 4], [side - 11, 4], [4, side - 11]])
    for (let y = 0; y < 7; y++) for (let x = 0; x < 7; x++) assert.equal(dark[top + y][left + x], finder(x, y), `the finder at ${left}, ${top}`);
  for (let i = 12; i < side - 12; i++) assert.deepEqual([dark[10][i], dark[i][10]], [i % 2 === 0, i % 2 === 0], 'the timing line');
});

test('codes of an earlier second factor do not come back with a new one', async (t) => {
  const desk = await open(t);
  const { client } = await desk.session(desk.staff);
  const { codes: old } = await enable(desk, client);
  (await client.delete('/profile/twofactor', {}, { 'X-OTP': old[0] })).must(200);
  const { codes } = await enable(desk, client);
  for (const code of old.slice(0, 2)) (await desk.staff.get('/me', {}, { 'X-OTP': code })).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.staff.get('/me', {}, { 'X-OTP': codes[1] })).must(200);
});

test('the code may be sent with the password', async (t) => {
  const desk = await open(t);
  const { secret } = await enable(desk, (await desk.session(desk.staff)).client);
  await later(desk);
  (await desk.staff.get('/me', { _otp: totp(secret, desk.clock.now) })).must(200);
});

test('a recovery code replaces a code once', async (t) => {
  const desk = await open(t);
  const { codes } = await enable(desk, (await desk.session(desk.staff)).client);
  (await desk.staff.get('/me', {}, { 'X-OTP': codes[3] })).must(200);
  (await desk.staff.get('/me', {}, { 'X-OTP': codes[3] })).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.staff.get('/me', {}, { 'X-OTP': codes[4] })).must(200);
});

test('wrong codes are counted and locked like passwords, and the fifth ends the token', async (t) => {
  const desk = await open(t);
  const { secret } = await enable(desk, (await desk.session(desk.staff)).client);
  await later(desk);
  const token = (await desk.staff.get('/me')).refused(403, 'OTP_EXPECTED').body.auth_token;
  for (let i = 0; i < 5; i++) (await desk.anyone.get('/me', {}, { 'X-Token': token, 'X-OTP': `00000${i}` })).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.anyone.get('/me', {}, { 'X-Token': token, 'X-OTP': totp(secret, desk.clock.now) })).refused(401, 'AUTHENTICATION_FAILED');
  for (let i = 5; i < 10; i++) (await desk.staff.get('/me', {}, { 'X-OTP': `00000${i}` })).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.staff.get('/me', {}, { 'X-OTP': totp(secret, desk.clock.now) })).refused(429, 'AUTHENTICATION_LOCKED');
});

test('codes guessed from many addresses are counted together, because the guesser has the password', async (t) => {
  const desk = await open(t);
  const { secret, codes } = await enable(desk, (await desk.session(desk.staff)).client);
  await later(desk);
  for (let i = 0; i < 10; i++) (await desk.staff.at(`127.0.1.${i + 1}`).get('/me', {}, { 'X-OTP': `00000${i}` })).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.staff.at('127.0.2.1').get('/me', {}, { 'X-OTP': totp(secret, desk.clock.now) })).refused(429, 'AUTHENTICATION_LOCKED');
  (await desk.staff.get('/me', {}, { 'X-OTP': codes[0] })).refused(429, 'AUTHENTICATION_LOCKED');
  await desk.clock.forward(10 * MINUTE);
  (await desk.staff.get('/me', {}, { 'X-OTP': codes[0] })).must(200);
});

test('enabling it ends sessions and tokens that were opened with a password alone', async (t) => {
  const desk = await open(t);
  const here = await desk.session(desk.staff);
  const there = await desk.session(desk.staff, { 'X-CSRF': 'false' });
  const token = (await desk.staff.get('/session', { remember_me: true })).must(200).headers['x-rememberme'];
  await enable(desk, here.client);
  (await here.bare.get('/me')).must(200);
  (await there.bare.get('/me')).refused(454, 'SESSION_LOADING_FAILED');
  (await desk.anyone.get('/session', {}, { 'X-RememberMe': token })).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.staff.get('/me')).refused(403, 'OTP_EXPECTED');
});

test('people remove their own, admins remove it for others, and the next secret is different', async (t) => {
  const desk = await open(t);
  const { client } = await desk.session(desk.staff);
  const { secret } = await enable(desk, client);
  const path = `/users/${desk.people.agent.id}/twofactor`;
  (await desk.as('collaborator').delete(path)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.customer.delete(path)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.delete('/users/999999/twofactor')).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.admin.delete(`/users/${desk.people.owner.id}/twofactor`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.delete(path)).must(200);
  (await desk.admin.delete(path)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.get('/me')).must(200);
  assert.notEqual((await desk.staff.fetch('/profile/twofactor')).secret, secret);
  (await desk.staff.delete('/profile/twofactor')).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  const { codes } = await enable(desk, client);
  (await client.delete('/profile/twofactor', {}, { 'X-OTP': codes[0] })).must(200);
  (await desk.staff.get('/me')).must(200);
});

/** The kinds of proof: options of a request. */
const PROOFS = {
  'a code in the query': (code) => ({ query: { code } }),
  'a code in the body': (code) => ({ body: { code } }),
  'a code in X-OTP': (code) => ({ headers: { 'X-OTP': code } }),
  'a code in _otp': (code) => ({ query: { _otp: code } }),
  'a code in both': (code) => ({ query: { code }, body: { code }, headers: { 'X-OTP': code } }),
};

test('a session can\'t remove it without a code, a recovery code or the password, in any role', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const { client } = await desk.session(desk.as(role));
    const remove = (options) => client.request('DELETE', '/profile/twofactor', options);
    for (const [name, proof] of Object.entries(PROOFS)) {
      const { secret, codes } = await enable(desk, client);
      await later(desk);
      const code = totp(secret, desk.clock.now);
      (await remove({})).refused(400, 'ANY_FIELD_REQUIRED', 'code', 'password');
      (await remove(proof(code === '000000' ? '000001' : '000000'))).refused(401, 'AUTHENTICATION_FAILED');
      assert.equal((await client.fetch('/profile/twofactor')).is_enabled, true, name);
      (await remove(proof(name.endsWith('body') ? codes[0] : code))).must(200);
      assert.equal((await client.fetch('/profile/twofactor')).is_enabled, false, name);
      await later(desk);
    }
    await enable(desk, client);
    for (const place of ['query', 'body']) (await remove({ [place]: { password: 'wrong' } })).refused(401, 'AUTHENTICATION_FAILED');
    (await remove({ query: { code: '123456' }, body: { code: '654321' } })).refused(400, 'PARAMETERS_INCONSISTENT', 'code');
    (await remove({ body: { password: PASSWORD } })).must(200);
    (await remove({ body: { password: PASSWORD } })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    await desk.clock.forward(15 * MINUTE + 1);
  }
  (await desk.anyone.delete('/profile/twofactor')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('the code of the login is a valid proof, and another person\'s code is not', async (t) => {
  const desk = await open(t);
  const mine = await enable(desk, (await desk.session(desk.staff)).client);
  const theirs = await enable(desk, (await desk.session(desk.admin)).client);
  await later(desk);
  const { client } = await desk.session(desk.staff, { 'X-OTP': mine.codes[0] });
  (await client.delete('/profile/twofactor', { code: theirs.codes[0] })).refused(401, 'AUTHENTICATION_FAILED');
  (await client.delete('/profile/twofactor', { code: mine.codes[0] })).refused(401, 'AUTHENTICATION_FAILED'); // the code was used
  (await desk.staff.delete('/profile/twofactor', {}, { 'X-OTP': mine.codes[1] })).must(200);
  (await desk.admin.get('/me')).refused(403, 'OTP_EXPECTED');
});

test('wrong codes for the removal are counted and locked', async (t) => {
  const desk = await open(t);
  const { client } = await desk.session(desk.staff);
  const { codes } = await enable(desk, client);
  for (let i = 0; i < 10; i++) (await client.delete('/profile/twofactor', { code: `00000${i}` })).refused(401, 'AUTHENTICATION_FAILED');
  (await client.delete('/profile/twofactor', { code: codes[0] })).refused(429, 'AUTHENTICATION_LOCKED');
  await desk.clock.forward(10 * MINUTE);
  (await client.delete('/profile/twofactor', { code: codes[0] })).must(200);
});

test('a replayed confirmation shows no recovery codes', async (t) => {
  const desk = await open(t);
  const { client } = await desk.session(desk.staff);
  const { secret } = await client.fetch('/profile/twofactor');
  const options = { headers: { 'Idempotency-Key': 'once' } };
  const code = totp(secret, desk.clock.now);
  const first = (await client.post('/profile/twofactor', { code }, options)).must(201);
  assert.equal(first.data.recovery_codes.length, 10);
  const again = (await client.exchange('POST', '/api/v1/profile/twofactor', { body: { code }, ...options })).must(201);
  assert.equal(again.headers['idempotent-replayed'], 'true');
  assert.equal(again.body.data.recovery_codes, null);
});

test("logins under an invented name do not use up the tries of a person's codes", async (t) => {
  const desk = await open(t);
  const { secret } = await enable(desk, (await desk.session(desk.staff)).client);
  await later(desk);
  const { id } = desk.people.agent;
  const names = [`one-time password of ${id}`, `code:${id}`, `code ${id}`, `code${id}`];
  for (const [n, name] of names.entries())
    for (let i = 0; i < 10; i++) await desk.login(name, 'wrong').at(`127.0.1.${n + 1}`).get('/me');
  (await desk.staff.get('/me', {}, { 'X-OTP': totp(secret, desk.clock.now) })).must(200);
});

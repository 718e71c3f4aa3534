import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY, MINUTE, open, PASSWORD } from './lib/index.mjs';
import { deskd, directory } from './lib/stores.mjs';
import { apiToken } from './lib/tokens.mjs';

const NEXT = 'another horse';
const change = (client, password, new_password, options) => client.put('/profile/password', { password, new_password }, options);

test('the caller changes the password with the present one, and it is valid at once', async (t) => {
  const desk = await open(t);
  const { email } = desk.people.customer;
  (await change(desk.customer, PASSWORD, NEXT)).must(200);
  (await desk.login(email, PASSWORD).get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.login(email, NEXT).get('/me')).must(200);
});

test('a wrong present password is an invalid field and changes nothing', async (t) => {
  const desk = await open(t);
  const reply = await change(desk.customer, 'not it', NEXT);
  reply.refused(400, 'FIELD_INVALID');
  assert.equal(reply.body.errors[0].parameter, 'password');
  (await desk.customer.get('/me')).must(200);
});

test('both passwords are required, and both errors are reported', async (t) => {
  const { customer, staff } = await open(t);
  const reply = await customer.put('/profile/password', {});
  reply.refused(400, 'FIELD_REQUIRED');
  assert.deepEqual(reply.body.errors.map((e) => e.parameter).sort(), ['new_password', 'password']);
  (await change(customer, PASSWORD, '1234')).refused(400, 'FIELD_INVALID');
  (await change(staff, PASSWORD, '1234567')).refused(400, 'FIELD_INVALID');
  (await change(customer, PASSWORD, 'x'.repeat(1025))).refused(400, 'FIELD_INVALID');
  (await change(customer, PASSWORD, '')).must(400);
  (await change(customer, PASSWORD, null)).must(400);
  (await change(customer, PASSWORD, ['a'])).must(400);
  (await customer.get('/me')).must(200);
});

test('a change ends all other sessions and remember-me tokens, and keeps its own session', async (t) => {
  const desk = await open(t);
  const here = await desk.session(desk.customer);
  const there = await desk.session(desk.customer, { 'X-CSRF': 'false' });
  const token = (await desk.customer.get('/session', { remember_me: true })).must(200).headers['x-rememberme'];
  (await change(here.client, PASSWORD, NEXT)).must(200);
  (await here.bare.get('/me')).must(200);
  (await there.bare.get('/me')).refused(454, 'SESSION_LOADING_FAILED');
  (await desk.anyone.get('/session', {}, { 'X-RememberMe': token })).refused(401, 'AUTHENTICATION_FAILED');
});

test('wrong present passwords on a session are counted and locked like failed logins', async (t) => {
  const desk = await open(t);
  const { client } = await desk.session(desk.customer);
  for (let i = 0; i < 10; i++) (await change(client, `guess ${i}`, NEXT)).refused(400, 'FIELD_INVALID');
  const reply = await change(client, PASSWORD, NEXT);
  reply.refused(429, 'AUTHENTICATION_LOCKED');
  assert.ok(Number(reply.headers['retry-after']) > 0);
});

test('former passwords are refused while the history has them', async (t) => {
  const desk = await open(t);
  (await desk.owner.put('/settings', { values: { 'security.password_history': 2 } })).must(200);
  const { email } = desk.people.customer;
  const as = (password) => desk.login(email, password);
  (await change(as(PASSWORD), PASSWORD, PASSWORD)).refused(400, 'FIELD_INVALID');
  (await change(as(PASSWORD), PASSWORD, 'second')).must(200);
  (await change(as('second'), 'second', PASSWORD)).refused(400, 'FIELD_INVALID');
  await desk.clock.forward(1);
  (await change(as('second'), 'second', 'third one')).must(200);
  await desk.clock.forward(1);
  (await change(as('third one'), 'third one', PASSWORD)).must(200);
});

test('an expired password allows only setting a new one', async (t) => {
  const desk = await open(t);
  const { email } = desk.people.customer;
  const live = await desk.session(desk.customer);
  (await desk.owner.put('/settings', { values: { 'security.password_days_customers': 90 } })).must(200);
  await desk.clock.forward(90 * DAY);
  const refusal = await desk.customer.get('/me');
  refusal.refused(403, 'CREDENTIAL_EXPIRED');
  const { auth_token: token } = refusal.body;
  assert.match(token, /^\w{32,}$/);
  const by = desk.anyone.with({ 'X-Token': token });
  (await by.get('/me')).refused(403, 'CREDENTIAL_EXPIRED');
  (await by.put('/profile', { full_name: 'X' })).refused(403, 'CREDENTIAL_EXPIRED');
  (await by.put('/profile/password', { new_password: '1' })).refused(400, 'FIELD_INVALID');
  (await desk.anyone.put('/profile/password', { new_password: NEXT }, { query: {}, headers: { 'X-Token': 'f'.repeat(64) } })).refused(401, 'AUTHENTICATION_FAILED');
  (await by.with({ 'User-Agent': 'another/1' }).put('/profile/password', { new_password: NEXT })).refused(401, 'AUTHENTICATION_FAILED');
  (await by.put('/profile/password', { new_password: NEXT })).must(200);
  (await by.put('/profile/password', { new_password: 'once more' })).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.login(email, NEXT).get('/me')).must(200);
  (await desk.staff.get('/me')).must(200);
  (await live.bare.get('/me')).refused(454, 'SESSION_LOADING_FAILED');
});

test('passwords of staff and of customers expire apart, to the second', async (t) => {
  const desk = await open(t);
  await desk.owner.update('/settings', { values: { 'security.password_days_staff': 2, 'security.password_days_customers': 1 } });
  await desk.clock.forward(DAY - 60);
  (await desk.customer.get('/me')).must(200);
  await desk.clock.forward(60);
  (await desk.customer.get('/me')).refused(403, 'CREDENTIAL_EXPIRED');
  await desk.clock.forward(DAY - 60);
  (await desk.staff.get('/me')).must(200);
  await desk.clock.forward(60);
  (await desk.staff.get('/me')).refused(403, 'CREDENTIAL_EXPIRED');
});

test('an auth token expires after ten minutes', async (t) => {
  const desk = await open(t);
  (await desk.owner.put('/settings', { values: { 'security.password_days_customers': 1 } })).must(200);
  await desk.clock.forward(DAY);
  const { auth_token: token } = (await desk.customer.get('/me')).refused(403, 'CREDENTIAL_EXPIRED').body;
  await desk.clock.forward(10 * MINUTE);
  (await desk.anyone.put('/profile/password', { new_password: NEXT }, { headers: { 'X-Token': token } })).refused(401, 'AUTHENTICATION_FAILED');
});

test('a remember-me token alone can\'t renew an expired password', async (t) => {
  const desk = await open(t);
  const token = (await desk.customer.get('/session', { remember_me: true })).must(200).headers['x-rememberme'];
  (await desk.owner.put('/settings', { values: { 'security.password_days_customers': 1 } })).must(200);
  await desk.clock.forward(DAY);
  const refusal = (await desk.anyone.get('/session', {}, { 'X-RememberMe': token })).refused(401, 'AUTHENTICATION_FAILED');
  assert.equal(refusal.body.auth_token, undefined);
  (await desk.customer.get('/me')).refused(403, 'CREDENTIAL_EXPIRED');
});

test('deskd password ends everything that the old password opened, and is a change as any other', async (t) => {
  const desk = await open(t), { staff } = desk, { id, email } = desk.people.agent;
  const session = await desk.session(staff), script = (await apiToken(desk, staff)).client, others = (await apiToken(desk, desk.admin)).client;
  const remembered = (await staff.get('/session', { remember_me: true })).must(200).headers['x-rememberme'];
  (await script.get('/users')).must(200);
  await desk.stop();
  const file = join(directory(), 'next');
  writeFileSync(file, `${NEXT}\n`);
  const done = deskd('password', ...desk.store, email, '--password-file', file);
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /has a new password; their sessions and tokens are ended/);
  assert.match(desk.sql("SELECT message_id FROM outgoing_mails WHERE template = 'password_changed'"), /^[\da-f-]{36}@localhost\s*$/, 'the person gets a notice');
  await desk.start();
  (await session.client.get('/me')).refused(454, 'SESSION_LOADING_FAILED');
  (await script.get('/users')).must(401);
  (await desk.anyone.with({ 'X-RememberMe': remembered }).get('/session')).refused(401, 'AUTHENTICATION_FAILED');
  (await staff.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.login(email, NEXT).get('/me')).must(200);
  (await others.get('/users')).must(200);
  const changes = (await desk.owner.get('/changes', { limit: 1000 })).must(200).data;
  const made = changes.filter((c) => c.resource_type === 'user' && c.property === 'password' && c.resource_id === id);
  assert.deepEqual(made.map((c) => [c.cause, c.from, c.to]), [['deskd password', null, null]]);
});

test('deskd password obeys the rule of the desk for the length', async (t) => {
  const desk = await open(t);
  await desk.stop();
  const file = join(directory(), 'short');
  writeFileSync(file, 'short\n');
  const done = deskd('password', ...desk.store, desk.people.agent.email, '--password-file', file);
  assert.equal(done.status, 1);
  assert.match(done.stderr, /^deskd: the password needs at least \d+ characters\n$/);
  await desk.start();
  (await desk.staff.get('/me')).must(200);
});

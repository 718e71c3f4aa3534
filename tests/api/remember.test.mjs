import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, open, SECOND } from './lib/index.mjs';

const TOKEN = 'x-rememberme';
const remember = async (client) => (await client.get('/session', { remember_me: true })).must(200).headers[TOKEN];
const present = (desk, token, headers = {}) => desk.anyone.get('/session', {}, { 'X-RememberMe': token, ...headers });
const bySession = (desk, reply) => desk.anyone.with({ 'X-Session-ID': reply.data.id });

test('a token is issued on request, and only to a logged-in caller', async (t) => {
  const desk = await open(t);
  assert.match(await remember(desk.customer), /^\w{32,}$/);
  assert.equal((await desk.customer.get('/session')).must(200).headers[TOKEN], undefined);
  assert.equal((await desk.customer.get('/session', { remember_me: false })).must(200).headers[TOKEN], undefined);
  assert.equal((await desk.anyone.get('/session', { remember_me: true })).must(200).headers[TOKEN], undefined);
  (await desk.customer.get('/session', { remember_me: 'perhaps' })).refused(400, 'FIELD_INVALID');
  const { bare } = await desk.session(desk.customer);
  assert.match(await remember(bare), /^\w{32,}$/, 'on a session, too');
});

test('a token opens a new session and is replaced', async (t) => {
  const desk = await open(t);
  const token = await remember(desk.customer);
  const first = (await desk.customer.get('/session')).must(200).data.id;
  const reply = (await present(desk, token)).must(200);
  assert.equal(reply.data.user.id, desk.people.customer.id);
  assert.notEqual(reply.data.id, first);
  assert.equal(reply.body.session_id, reply.data.id);
  assert.ok(reply.headers['x-csrf-token']);
  assert.notEqual(reply.headers[TOKEN], token);
  (await bySession(desk, reply).get('/me')).must(200);
  (await present(desk, reply.headers[TOKEN])).must(200);
});

test('a used token presented again ends all sessions of its chain, and the chain', async (t) => {
  const desk = await open(t);
  const login = await desk.session(desk.customer);
  const token = await remember(desk.customer);
  const one = (await present(desk, token)).must(200);
  const two = (await present(desk, one.headers[TOKEN])).must(200);
  await desk.clock.forward(61 * SECOND);
  (await present(desk, token)).refused(401, 'AUTHENTICATION_FAILED');
  (await bySession(desk, one).get('/me')).refused(454, 'SESSION_LOADING_FAILED');
  (await bySession(desk, two).get('/me')).refused(454, 'SESSION_LOADING_FAILED');
  (await present(desk, two.headers[TOKEN])).refused(401, 'AUTHENTICATION_FAILED');
  (await login.bare.get('/me')).must(200);
});

test('a repeat within 60 seconds returns the same successor', async (t) => {
  const desk = await open(t);
  const token = await remember(desk.customer);
  const first = (await present(desk, token)).must(200);
  await desk.clock.forward(60 * SECOND);
  const again = (await present(desk, token)).must(200);
  assert.equal(again.headers[TOKEN], first.headers[TOKEN]);
  assert.equal(again.data.id, first.data.id);
  (await present(desk, first.headers[TOKEN])).must(200);
});

test('concurrent uses count as one use and its repeats', async (t) => {
  const desk = await open(t);
  const token = await remember(desk.customer);
  const replies = await Promise.all(Array.from({ length: 8 }, () => present(desk, token)));
  assert.equal(new Set(replies.map((r) => r.must(200).headers[TOKEN])).size, 1);
});

test('a token is valid for 30 days', async (t) => {
  const desk = await open(t);
  const [kept, late] = [await remember(desk.customer), await remember(desk.customer)];
  await desk.clock.forward(30 * DAY - SECOND);
  (await present(desk, kept)).must(200);
  await desk.clock.forward(SECOND);
  (await present(desk, late)).refused(401, 'AUTHENTICATION_FAILED');
});

test('argument and header have the same meaning, and a token beside other credentials or on other paths is ignored', async (t) => {
  const desk = await open(t);
  const token = await remember(desk.customer);
  (await desk.anyone.get('/me', {}, { 'X-RememberMe': token })).refused(401, 'AUTHORIZATION_REQUIRED');
  assert.equal((await desk.staff.get('/session', {}, { 'X-RememberMe': token })).must(200).data.user.id, desk.people.agent.id);
  assert.equal((await desk.anyone.get('/session', { _remember_me: token })).must(200).data.user.id, desk.people.customer.id);
  (await present(desk, 'f'.repeat(64))).refused(401, 'AUTHENTICATION_FAILED');
});

test('a logout ends the chain that opened the session, and chains that the session began', async (t) => {
  const desk = await open(t);
  const opened = (await present(desk, await remember(desk.customer))).must(200);
  (await bySession(desk, opened).delete('/session', {}, { 'X-CSRF-Token': opened.headers['x-csrf-token'] })).must(200);
  (await present(desk, opened.headers[TOKEN])).refused(401, 'AUTHENTICATION_FAILED');
  const { client } = await desk.session(desk.customer);
  const token = await remember(client);
  (await client.delete('/session')).must(200);
  (await present(desk, token)).refused(401, 'AUTHENTICATION_FAILED');
});

test('disabling a person ends the tokens, also after enabling again', async (t) => {
  const desk = await open(t);
  const token = await remember(desk.customer);
  (await desk.owner.put(`/users/${desk.people.customer.id}`, { is_enabled: false })).must(200);
  (await present(desk, token)).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.owner.put(`/users/${desk.people.customer.id}`, { is_enabled: true })).must(200);
  (await present(desk, token)).refused(401, 'AUTHENTICATION_FAILED');
});

test('a token presented during a change of the password leaves no session', async (t) => {
  const desk = await open(t);
  const people = await Promise.all(Array.from({ length: 8 }, async () => {
    const person = await desk.person('customer');
    return { ...person, token: await remember(person.client) };
  }));
  for (const { id, token } of people) {
    const change = desk.owner.put(`/users/${id}`, { password: 'another secret' });
    const agents = Array.from({ length: 60 }, (_, n) => ({ 'User-Agent': `racer/${n}` }));
    const replies = await Promise.all(agents.map((agent) => present(desk, token, agent)));
    (await change).must(200);
    for (const [n, reply] of replies.entries()) {
      if (reply.status !== 200) reply.refused(401, 'AUTHENTICATION_FAILED');
      else (await bySession(desk, reply).get('/me', {}, agents[n])).refused(454, 'SESSION_LOADING_FAILED');
    }
  }
});

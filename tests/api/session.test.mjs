import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT, basic, HOUR, iso, MINUTE, open, PASSWORD, until } from './lib/index.mjs';

const cookieOf = (reply) => (reply.headers['set-cookie'] ?? []).find((c) => c.startsWith('desk_session='));
const OTHER = { 'User-Agent': 'another/1' };

test('without credentials the session is anonymous and not stored', async (t) => {
  const { anyone } = await open(t);
  const reply = (await anyone.get('/session')).must(200);
  assert.equal(reply.body.resource, 'session');
  assert.equal(reply.data.user, null);
  assert.equal(reply.data.id, null);
  assert.equal(cookieOf(reply), undefined);
});

test('Basic opens a session, with its id in the body and its CSRF token in a header', async (t) => {
  const desk = await open(t);
  const reply = (await desk.staff.get('/session')).must(200);
  assert.equal(reply.data.id, reply.body.session_id);
  assert.equal(typeof reply.data.id, 'string');
  assert.ok(reply.headers['x-csrf-token']);
  assert.deepEqual(reply.data.user, { id: desk.people.agent.id, resource_type: 'user' });
  assert.deepEqual([reply.data.portal, reply.data.status, reply.data.user_agent, reply.data.ip_address], ['API', 'ONLINE', AGENT, '127.0.0.1']);
  assert.match(reply.data.instance_name, /^127\.0\.0\.1/);
  assert.equal(reply.data.created_at, iso(desk.clock.now));
});

test('a Basic login reuses a live session of the same user agent, address and CSRF mode', async (t) => {
  const { staff, owner } = await open(t);
  const id = async (who, headers) => (await who.get('/teams', {}, headers)).must(200).body.session_id;
  const first = await id(staff);
  assert.equal(await id(staff), first);
  assert.notEqual(await id(owner), first);
  assert.notEqual(await id(staff, OTHER), first);
  assert.notEqual(await id(staff, { 'X-CSRF': 'false' }), first);
  assert.notEqual(await id(staff.at('127.0.0.2')), first);
  assert.equal(await id(staff), first);
});

test('concurrent logins in a process with an empty cache verify the password once, and none is refused', async (t) => {
  const desk = await open(t, { processes: 1 });
  const hashes = async () => Number(/^deskd_password_hashes_total (\d+)/m.exec((await desk.anyone.exchange('GET', '/metrics')).text)[1]);
  (await desk.staff.get('/teams')).must(200);
  await desk.restart();
  const replies = await Promise.all(Array.from({ length: 100 }, () => desk.staff.get('/teams')));
  const sessions = new Set(replies.map((reply) => reply.must(200).body.session_id));
  assert.equal(sessions.size, 1);
  assert.equal(await hashes(), 1);
});

test('the session id is accepted as header, argument and cookie', async (t) => {
  const desk = await open(t);
  const { id, reply } = await desk.session(desk.staff);
  for (const [query, headers] of [[{}, { 'X-Session-ID': id }], [{ _session_id: id }, {}], [{}, { Cookie: cookieOf(reply).split(';')[0] }]]) {
    const me = (await desk.anyone.get('/me', query, headers)).must(200);
    assert.equal(me.data.id, desk.people.agent.id);
    assert.equal((await desk.anyone.get('/session', query, headers)).must(200).data.id, id);
  }
});

test('the cookie is HttpOnly and SameSite=Lax, and only GET /session sets it', async (t) => {
  const { staff } = await open(t);
  const cookie = cookieOf((await staff.get('/session')).must(200));
  assert.match(cookie, /; ?HttpOnly/i);
  assert.match(cookie, /; ?SameSite=Lax/i);
  assert.doesNotMatch(cookie, /; ?Secure/i);
  assert.equal(cookieOf((await staff.get('/teams')).must(200)), undefined);
  assert.equal(cookieOf((await staff.get('/session', {}, { 'X-CSRF': 'false' })).must(200)), undefined);
});

test('another user agent can not use a session', async (t) => {
  const desk = await open(t);
  const { bare } = await desk.session(desk.staff);
  (await bare.get('/teams', {}, OTHER)).refused(454, 'SESSION_LOADING_FAILED');
  (await bare.get('/teams')).must(200);
});

test('an unknown session id is 454, on Public routes too', async (t) => {
  const desk = await open(t);
  for (const id of ['nonsense', '1', 'x'.repeat(500), "' OR 1=1", '00000000000000000000000000000000']) {
    for (const path of ['/teams', '/session', '/cases/statuses']) {
      (await desk.anyone.get(path, {}, { 'X-Session-ID': id })).refused(454, 'SESSION_LOADING_FAILED');
      (await desk.anyone.get(path, { _session_id: id })).refused(454, 'SESSION_LOADING_FAILED');
    }
  }
  const { id } = await desk.session(desk.staff);
  const forged = id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
  (await desk.anyone.get('/teams', {}, { 'X-Session-ID': forged })).refused(454, 'SESSION_LOADING_FAILED');
});

test("a session id beside another user's Basic credentials is 454", async (t) => {
  const desk = await open(t);
  const { id } = await desk.session(desk.staff);
  (await desk.customer.get('/session', {}, { 'X-Session-ID': id })).refused(454, 'SESSION_LOADING_FAILED');
  (await desk.staff.get('/session', {}, { 'X-Session-ID': id })).must(200);
});

test('a change on a session needs its CSRF token', async (t) => {
  const desk = await open(t);
  const { bare, client, csrf } = await desk.session(desk.owner);
  const other = await desk.session(desk.admin);
  for (const headers of [{}, { 'X-CSRF-Token': 'wrong' }, { 'X-CSRF-Token': '' }, { 'X-CSRF-Token': other.csrf }, { 'X-CSRF-Token': `${csrf}x` }]) {
    (await bare.post('/teams', { title: 'No' }, { headers })).refused(403, 'CSRF_FAILED');
  }
  (await bare.put('/businesshours/1', { title: 'No' })).refused(403, 'CSRF_FAILED');
  (await bare.delete('/teams', { ids: 1 })).refused(403, 'CSRF_FAILED');
  (await bare.put('/session/ack')).refused(403, 'CSRF_FAILED');
  (await bare.get('/teams')).must(200);
  assert.equal((await bare.get('/teams')).body.total_count, 0);
  (await client.post('/teams', { title: 'Yes' })).must(201);
});

test('X-CSRF: false opens a session without CSRF token, and sets no cookie', async (t) => {
  const desk = await open(t);
  const { id } = (await desk.owner.get('/session', {}, { 'X-CSRF': 'false' })).must(200).data;
  (await desk.anyone.post('/teams', { title: 'Yes' }, { headers: { 'X-Session-ID': id } })).must(201);
  const reply = await desk.anyone.post('/teams', { title: 'No' }, { headers: { Cookie: `desk_session=${id}` } });
  assert.ok([401, 454].includes(reply.status), `${reply}`);
  assert.equal((await desk.owner.get('/teams')).body.total_count, 1);
});

test('a later X-CSRF: false does not disable the check', async (t) => {
  const desk = await open(t);
  const { bare } = await desk.session(desk.owner);
  (await bare.post('/teams', { title: 'No' }, { headers: { 'X-CSRF': 'false' } })).refused(403, 'CSRF_FAILED');
});

test('DELETE /session ends it at once', async (t) => {
  const desk = await open(t);
  const { bare, client, id } = await desk.session(desk.staff);
  (await client.delete('/session')).must(200);
  (await bare.get('/teams')).refused(454, 'SESSION_LOADING_FAILED');
  const again = await desk.session(desk.staff);
  assert.notEqual(again.id, id);
});

test('a session expires after 8 idle hours for staff, 72 for customers', async (t) => {
  const desk = await open(t);
  const staff = await desk.session(desk.staff);
  const customer = await desk.session(desk.customer);
  await desk.clock.forward(8 * HOUR - 2 * MINUTE);
  (await staff.bare.get('/session')).must(200);
  const fresh = await desk.session(desk.admin);
  await desk.clock.forward(8 * HOUR + 2 * MINUTE);
  (await fresh.bare.get('/teams')).refused(454, 'SESSION_LOADING_FAILED');
  await desk.clock.forward(55 * HOUR);
  (await customer.bare.get('/session')).must(200);
  await desk.clock.forward(72 * HOUR + 2 * MINUTE);
  (await customer.bare.get('/session')).refused(454, 'SESSION_LOADING_FAILED');
});

test('a session lives up to the last second of its idle hours, those of staff and of customers', async (t) => {
  const desk = await open(t);
  await desk.owner.update('/settings', { values: { 'security.session_hours_staff': 2, 'security.session_hours_customers': 1 } });
  for (const [role, hours] of [['agent', 2], ['customer', 1]]) {
    const { bare } = await desk.session(desk.as(role));
    for (let i = 0; i < 2; i++) {
      await desk.clock.set(desk.clock.now + hours * HOUR * 1000);
      (await bare.get('/session')).must(200);
    }
    await desk.clock.set(desk.clock.now + hours * HOUR * 1000 + 1000);
    (await bare.get('/session')).refused(454, 'SESSION_LOADING_FAILED');
  }
});

test('a session that was idle for too long opens no page of the help center', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/categories', { titles: 'Empty' }); // nobody but staff sees it
  const cookie = { Cookie: `desk_session=${(await desk.session(desk.owner)).id}` };
  const page = () => desk.anyone.exchange('GET', `/helpcenter/en-us/categories/${id}-empty`, { headers: cookie });
  assert.equal((await page()).status, 200);
  await desk.clock.forward(72 * HOUR + 2 * MINUTE);
  assert.equal((await page()).status, 404);
});

test('a login does not continue a session that a remember-me token opened', async (t) => {
  const desk = await open(t);
  const login = (await desk.customer.get('/session', { remember_me: true })).must(200);
  const opened = (await desk.anyone.get('/session', {}, { 'X-RememberMe': login.headers['x-rememberme'] })).must(200);
  assert.notEqual(opened.data.id, login.data.id);
  assert.equal((await desk.customer.get('/session')).must(200).data.id, login.data.id);
  (await desk.anyone.with({ 'X-Session-ID': login.data.id, 'X-CSRF-Token': login.headers['x-csrf-token'] }).delete('/session')).must(200);
  assert.notEqual((await desk.customer.get('/session')).must(200).data.id, opened.data.id);
});

test('the activity of a session is written once a minute', async (t) => {
  const desk = await open(t);
  const began = desk.clock.now;
  const { id, bare } = await desk.session(desk.staff);
  const noted = async () => {
    (await bare.get('/teams')).must(200);
    await desk.restart(); // a stop writes pending activity
    return [`sessions WHERE id = ${parseInt(id, 10)}`, `users WHERE id = ${desk.people.agent.id}`]
      .map((row) => Number(desk.sql(`SELECT last_activity_at FROM ${row}`)) - began);
  };
  await desk.clock.forward(59);
  assert.deepEqual(await noted(), [0, 0]);
  await desk.clock.forward(1);
  assert.deepEqual(await noted(), [60_000, 60_000]);
  await desk.clock.forward(59);
  (await bare.get('/teams')).must(200);
  await desk.clock.set(began + 60_000 + 8 * HOUR * 1000 + 30_000);
  (await bare.get('/teams')).refused(454, 'SESSION_LOADING_FAILED');
});

test('PUT /session/ack extends it', async (t) => {
  const desk = await open(t);
  const { client } = await desk.session(desk.staff);
  for (let i = 0; i < 3; i++) {
    await desk.clock.forward(7 * HOUR);
    (await client.put('/session/ack')).must(200);
  }
  assert.equal((await client.get('/session')).must(200).data.last_activity_at, iso(desk.clock.now));
});

test('PUT /session/ack needs a login', async (t) => {
  const { anyone } = await open(t);
  (await anyone.put('/session/ack')).refused(401, 'AUTHORIZATION_REQUIRED');
  (await anyone.delete('/session')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a session and its CSRF token survive a restart and a crash', async (t) => {
  const desk = await open(t);
  const { client } = await desk.session(desk.owner);
  await desk.restart();
  (await client.post('/teams', { title: 'A' })).must(201);
  await desk.kill();
  await desk.start();
  (await client.post('/teams', { title: 'B' })).must(201);
});

test('wrong credentials are 401, with the same text for an unknown user and a wrong password', async (t) => {
  const desk = await open(t);
  const texts = new Set();
  for (const [email, password] of [['agent@example.com', 'wrong'], ['nobody@example.com', PASSWORD], ['', ''], ['agent@example.com', '']]) {
    const reply = (await desk.login(email, password || ' ').get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
    texts.add(reply.body.errors[0].message);
  }
  assert.equal(texts.size, 1);
});

test('bad credentials fail on Public routes too', async (t) => {
  const desk = await open(t);
  for (const path of ['/session', '/cases/statuses']) (await desk.login('agent@example.com', 'wrong').get(path)).refused(401, 'AUTHENTICATION_FAILED');
  for (const Authorization of ['Basic', 'Basic !!!', 'Basic bm9jb2xvbg==', 'Basic //8=', 'Bearer nonsense', 'Digest x', `Basic ${'A'.repeat(5000)}`]) {
    const reply = await desk.anyone.get('/teams', {}, { Authorization });
    assert.equal(reply.status, 401, `${Authorization.slice(0, 30)}: ${reply}`);
  }
  (await desk.anyone.get('/session', {}, { Authorization: 'Bearer' })).must(200);
});

test('a login ignores the case of its address and compares all bytes of the password', async (t) => {
  const desk = await open(t);
  const long = 'ü'.repeat(512); // 1,024 bytes
  const { email } = await desk.person('agent', { password: long });
  (await desk.login(email, long).get('/teams')).must(200);
  (await desk.login(email.toUpperCase(), long).get('/teams')).must(200);
  (await desk.login(email, `${long.slice(0, -1)}u`).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.login(email, long.slice(0, -1)).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.owner.post('/users', { full_name: 'X', email: 'long@people.example', password: `${long}x` })).refused(400, 'FIELD_INVALID', 'password');
});

test('a password with a colon and spaces works', async (t) => {
  const desk = await open(t);
  const { email } = await desk.person('agent', { password: ' a:b: c ' });
  (await desk.anyone.get('/teams', {}, basic(email, ' a:b: c '))).must(200);
  (await desk.anyone.get('/teams', {}, basic(email, 'a:b: c'))).refused(401, 'AUTHENTICATION_FAILED');
});

test('a change of the password clears its cached verification at once', async (t) => {
  const desk = await open(t);
  const { id, email, client } = await desk.person('agent');
  (await client.get('/teams')).must(200);
  await desk.owner.update(`/users/${id}`, { password: 'another secret' });
  (await client.get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.login(email, 'another secret').get('/teams')).must(200);
});

test('a password change ends the sessions of its user', async (t) => {
  const desk = await open(t);
  const { id, client } = await desk.person('agent');
  const { bare } = await desk.session(client);
  await desk.owner.update(`/users/${id}`, { password: 'another secret' });
  (await bare.get('/teams')).refused(454, 'SESSION_LOADING_FAILED');
});

test('a disabled user can\'t log in or use a session', async (t) => {
  const desk = await open(t);
  const { id, client } = await desk.person('agent');
  const { bare } = await desk.session(client);
  await desk.owner.update(`/users/${id}`, { is_enabled: true });
  (await bare.get('/teams')).must(200); // it was enabled before
  await desk.owner.update(`/users/${id}`, { is_enabled: false });
  (await client.get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  const reply = await bare.get('/teams');
  assert.ok([401, 454].includes(reply.status), `${reply}`);
  await desk.owner.update(`/users/${id}`, { is_enabled: true });
  (await client.get('/teams')).must(200);
  (await bare.get('/teams')).refused(454, 'SESSION_LOADING_FAILED');
});

test('a change of role takes effect with the next request', async (t) => {
  const desk = await open(t);
  const { id, client } = await desk.person('agent');
  const session = await desk.session(client);
  (await session.client.post('/teams', { title: 'No' })).refused(403, 'PERMISSIONS_DENIED');
  await desk.owner.update(`/users/${id}`, { role_id: 1 });
  await until('the new role', async () => (await session.client.post('/teams', { title: 'Yes' })).status === 201, { within: 1000 });
});

test('a session id in a link never sets the cookie', async (t) => {
  const desk = await open(t);
  const { session_id: id } = (await desk.owner.get('/session')).must(200).body;
  const reply = (await desk.anyone.get('/session', { _session_id: id })).must(200);
  assert.ok(!('set-cookie' in reply.headers), 'fixation');
  (await desk.anyone.get('/session', { _session_id: id }, { Cookie: 'desk_session=1.x' })).refused(400, 'PARAMETERS_INCONSISTENT');
});

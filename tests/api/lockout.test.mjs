import { test } from 'node:test';
import assert from 'node:assert/strict';
import { MINUTE, open, until } from './lib/index.mjs';
import { totp } from './lib/totp.mjs';

const fail = async (desk, n, email = 'agent@example.com', address = undefined) => {
  for (let i = 0; i < n; i++) {
    const who = desk.login(email, `wrong ${i}`);
    (await (address ? who.at(address) : who).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  }
};

test('after ten failures the next try is 429 for ten minutes, even with the right password', async (t) => {
  const desk = await open(t);
  await fail(desk, 10);
  const locked = (await desk.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  assert.equal(locked.headers['retry-after'], '600');
  assert.equal(locked.body.errors[0].message, 'Ten logins to this account from your address failed. Its logins from your address are locked for 10 minutes.');
  await desk.clock.forward(9.5 * MINUTE);
  assert.match((await desk.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED').body.errors[0].message, / locked for \d\d seconds\.$/);
  await desk.clock.forward(-9.5 * MINUTE);
  (await desk.login('agent@example.com', 'wrong').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  await desk.clock.forward(10 * MINUTE + 1);
  (await desk.staff.get('/teams')).must(200);
});

test('a lock-out says how long it lasts, in minutes that begin or in seconds, and ends after ten minutes', async (t) => {
  const desk = await open(t);
  await fail(desk, 10);
  const begun = desk.clock.now;
  for (const [seconds, left] of [[539, '2 minutes'], [540, '1 minute'], [541, '59 seconds'], [599, '1 second']]) {
    await desk.clock.set(begun + seconds * 1000);
    const locked = (await desk.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
    assert.equal(locked.headers['retry-after'], String(600 - seconds));
    assert.match(locked.body.errors[0].message, new RegExp(` locked for ${left}\\.$`));
  }
  await desk.clock.set(begun + 600_000);
  (await desk.staff.get('/teams')).must(200);
});

test('a failed login shows its number, and the same text for an unknown account', async (t) => {
  const desk = await open(t);
  const said = async (email, address = '127.0.0.1', password = 'wrong') => {
    const { body } = (await desk.login(email, password).at(address).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
    return { ...body, errors: body.errors.map(({ code, message }) => ({ code, message })) };
  };
  const attempt = (n) => [{ type: 'ERROR', message: `Invalid email or password (attempt: ${n}/10)`, sticky: false }];
  const known = await said('agent@example.com');
  assert.deepEqual(known.notifications, attempt(1));
  assert.deepEqual(await said('nobody@example.com'), known, 'an unknown account');
  assert.deepEqual(await said('nobody@example.com', '127.0.0.2'), known, 'each address has its own count');
  for (let n = 2; n <= 10; n++) assert.deepEqual((await said('Agent@example.com', `127.0.0.${n < 6 ? 1 : 3}`)).notifications, attempt(n < 6 ? n : n - 5));
  await desk.clock.forward(15 * MINUTE + 1);
  assert.deepEqual((await said('agent@example.com')).notifications, attempt(1));
});

test('other refusals show no notification about attempts', async (t) => {
  const desk = await open(t);
  const refusals = [desk.anyone.get('/teams'), desk.anyone.with({ Authorization: 'Basic !' }).get('/teams'), desk.customer.get('/teams'),
    desk.customer.put('/profile/password', { password: 'wrong', new_password: 'a new one' }), desk.anyone.with({ 'X-Token': 'x' }).get('/me')];
  for (const refusal of refusals) assert.equal((await refusal).body.notifications, undefined);
  await fail(desk, 10, 'agent@example.com', '127.0.0.9');
  assert.equal((await desk.staff.at('127.0.0.9').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED').body.notifications, undefined);
});

/** Failed logins to other accounts, a moment ago. */
const failed = (desk, n, address = '127.0.0.1') => desk.sql(`INSERT INTO login_failures (account, ip_address, created_at) VALUES ${Array.from({ length: n }, (_, i) => `('account ${i}', '${address}', ${desk.clock.now})`).join(', ')}`);

test('a hundred failures of one address lock the address for all accounts, and fewer do not', async (t) => {
  const desk = await open(t);
  failed(desk, 99);
  (await desk.staff.get('/teams')).must(200);
  await fail(desk, 1, 'admin@example.com');
  const locked = (await desk.owner.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  assert.equal(locked.headers['retry-after'], '600');
  assert.equal(locked.body.errors[0].message, 'A hundred logins from your address failed. Logins from your address are locked, to all accounts, for 10 minutes.');
  (await desk.login('nobody@example.com', 'x').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await desk.owner.at('127.0.0.2').get('/teams')).must(200);
  (await desk.staff.get('/teams')).must(200); // the session of before: its password is remembered
  await desk.clock.forward(10 * MINUTE + 1);
  (await desk.owner.get('/teams')).must(200);
});

test('a colleague behind the same address is not locked out by ten failures of another account', async (t) => {
  const desk = await open(t);
  await fail(desk, 10);
  (await desk.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await desk.owner.get('/teams')).must(200);
});

test('a remembered device passes the lock-out of its account, and its own wrong passwords are counted', async (t) => {
  const desk = await open(t);
  const remembered = async (who) => (await who.get('/session', { remember_me: true })).must(200).headers['x-rememberme'];
  const [token, other] = [await remembered(desk.staff), await remembered(desk.customer)];
  const elsewhere = (who) => who.with({ 'User-Agent': 'another program' }); // its password is not remembered
  await fail(desk, 10);
  failed(desk, 100);
  const device = (who, it = token) => elsewhere(who).with({ 'X-RememberMe': it });
  (await elsewhere(desk.staff).get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await device(desk.staff, other).get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await device(desk.staff, 'f'.repeat(64)).get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await device(desk.admin).get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await device(desk.staff).get('/teams')).must(200);
  const guess = (n) => device(desk.login('agent@example.com', `wrong ${n}`)).get('/teams');
  for (let i = 0; i < 10; i++) (await guess(i)).refused(401, 'AUTHENTICATION_FAILED');
  const locked = (await guess(11)).refused(429, 'AUTHENTICATION_LOCKED');
  assert.equal(locked.body.errors[0].message, 'Ten wrong passwords came from this remembered device. Its passwords are locked for 10 minutes.');
  const opened = (await desk.anyone.get('/session', {}, { 'X-RememberMe': token })).must(200);
  assert.equal(opened.data.user.id, desk.people.agent.id, 'the token itself opens a session');
});

test('a right code of the second factor passes the lock-out, a wrong one does not, and nobody uses up the tries of its owner', async (t) => {
  const desk = await open(t);
  const { secret } = await desk.staff.fetch('/profile/twofactor');
  desk.secrets.add(secret);
  for (const code of (await desk.staff.create('/profile/twofactor', { code: totp(secret, desk.clock.now) })).recovery_codes) desk.secrets.add(code);
  await desk.clock.forward(30);
  const elsewhere = (who, code) => who.with({ 'User-Agent': 'another program', ...(code && { 'X-OTP': code }) });
  const begun = (await elsewhere(desk.staff).get('/session')).refused(403, 'OTP_EXPECTED').body.auth_token;
  failed(desk, 100);
  (await elsewhere(desk.staff).get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  for (let i = 0; i < 12; i++) (await elsewhere(desk.staff, '000000').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  for (const who of [desk.admin, desk.login('nobody@example.com')]) (await elsewhere(who, '000000').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await elsewhere(desk.staff, totp(secret, desk.clock.now)).get('/teams')).refused(429, 'AUTHENTICATION_LOCKED'); // ten wrong codes from this address
  (await desk.anyone.with({ 'User-Agent': 'another program', 'X-Token': begun, 'X-OTP': totp(secret, desk.clock.now) }).get('/session')).must(200); // the second step
  await desk.clock.forward(30);
  failed(desk, 100, '127.0.0.2');
  const right = elsewhere(desk.staff, totp(secret, desk.clock.now)).at('127.0.0.2');
  (await right.get('/teams')).must(200);
  (await elsewhere(desk.staff, totp(secret, desk.clock.now)).with({ 'User-Agent': 'a third program' }).at('127.0.0.2').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED'); // a used code
  await desk.clock.forward(30);
  const guess = elsewhere(desk.login('agent@example.com', 'wrong'), totp(secret, desk.clock.now)).at('127.0.0.2');
  (await guess.get('/teams')).refused(401, 'AUTHENTICATION_FAILED'); // a wrong password after a right code
});

test("a stranger can't lock out the owner of an account", async (t) => {
  const desk = await open(t);
  await fail(desk, 10, 'owner@example.com', '127.0.0.2');
  (await desk.login('owner@example.com', 'x').at('127.0.0.2').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await desk.owner.get('/teams')).must(200);
});

test('an IPv6 /64 counts as one address in the lock-out, and the next /64 as another', async (t) => {
  const desk = await open(t, { args: ['--proxies', '127.0.0.1'] });
  const from = (who, address) => who.with({ 'X-Forwarded-For': address });
  for (let i = 0; i < 10; i++)
    (await from(desk.login('agent@example.com', 'x'), `2001:db8:1:2::${i}`).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  (await from(desk.staff, '2001:db8:1:2:ffff:ffff:ffff:ffff').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await from(desk.staff, '2001:db8:1:3::1').get('/teams')).must(200);
});

test('an IPv6 /64 counts as one address in the limit of writes without login', async (t) => {
  const desk = await open(t, { args: ['--proxies', '127.0.0.1', '--public-writes', '3'] });
  const write = (address) => desk.anyone.with({ 'X-Forwarded-For': address }).post('/password/reset', { email: 'nobody@example.com' });
  for (let i = 0; i < 3; i++) (await write(`2001:db8:1:2::${i}`)).must(200);
  (await write('2001:db8:1:2:9::9')).refused(429, 'RATE_LIMIT_REACHED');
  (await write('2001:db8:1:2:8::8')).refused(429, 'RATE_LIMIT_REACHED');
  (await write('2001:db8:1:3::1')).must(200);
});

test('failures are forgotten after 15 minutes', async (t) => {
  const desk = await open(t);
  await fail(desk, 9);
  await desk.clock.forward(15 * MINUTE + 1);
  await fail(desk, 9);
  (await desk.staff.get('/teams')).must(200);
});

test('the lock-out survives a restart', async (t) => {
  const desk = await open(t);
  await fail(desk, 10);
  await desk.kill();
  await desk.start();
  (await desk.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
});

test('many concurrent guesses get at most ten tries', async (t) => {
  const desk = await open(t);
  const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => desk.login('agent@example.com', `wrong ${i}`).get('/teams')));
  const tries = replies.filter((r) => r.status === 401).length;
  assert.ok(replies.every((r) => [401, 429].includes(r.status)));
  assert.equal(tries, 10);
  (await desk.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
});

const address = (n) => `127.0.0.${n}`;
/** The duration of `ask` in milliseconds. */
const taking = async (ask) => {
  const began = performance.now();
  await ask();
  return performance.now() - began;
};
/** Failures of one account, each from a different address. */
const guesses = (desk, email, first, n) => Promise.all(Array.from({ length: n }, (_, i) => fail(desk, 1, email, address(first + i))));

for (const [whose, email] of [['an account', 'agent@example.com'], ['an account that does not exist', 'nobody@example.com']]) {
  test(`${whose}, guessed from many addresses, is delayed and not locked`, async (t) => {
    const desk = await open(t);
    await guesses(desk, email, 10, 10);
    assert.ok(await taking(() => fail(desk, 1, email, address(30))) >= 250);
    assert.ok(await taking(() => fail(desk, 1, email, address(31))) >= 500, 'each failure doubles the delay');
  });
}

test('a right password is delayed like a wrong one, and then logs in', async (t) => {
  const desk = await open(t);
  await guesses(desk, 'agent@example.com', 10, 10);
  assert.ok(await taking(async () => (await desk.staff.at(address(30)).get('/teams')).must(200)) >= 250);
});

test('an address with a session of the account is not delayed, and other accounts are not delayed', async (t) => {
  const desk = await open(t);
  (await desk.staff.get('/teams')).must(200);
  await guesses(desk, 'agent@example.com', 10, 14);
  const order = [];
  const said = (name) => (reply) => { order.push(name); return reply; };
  const slowed = desk.staff.at(address(40)).get('/teams').then(said('newcomer'));
  const others = [
    desk.staff.with({ 'User-Agent': 'another program' }).get('/teams').then(said('at home')), // a separate login
    desk.admin.at(address(41)).get('/teams').then(said('another account')),
    desk.anyone.get('/session').then(said('nobody')),
  ];
  for (const reply of await Promise.all([slowed, ...others])) reply.must(200);
  assert.equal(order.at(-1), 'newcomer');
});

test('a limited number of logins may wait for one account, and others are refused at once', async (t) => {
  const desk = await open(t, { processes: 1 }); // each process has its own limit
  await guesses(desk, 'agent@example.com', 10, 14);
  const waiting = Array.from({ length: 20 }, (_, i) => desk.staff.at(address(40 + i)).get('/teams'));
  const replies = await Promise.all(waiting);
  assert.equal(replies.filter((r) => r.status === 200).length, 16);
  const away = replies.filter((r) => r.status === 429);
  assert.equal(away.length, 4);
  for (const reply of away) assert.equal(reply.refused(429, 'AUTHENTICATION_LOCKED').headers['retry-after'], '4');
});

test('delayed logins do not prevent the server from stopping', async (t) => {
  const desk = await open(t);
  desk.expects5xx = true;
  await guesses(desk, 'agent@example.com', 10, 14);
  const waiting = desk.staff.at(address(40)).get('/teams').catch(() => undefined);
  await until('one that waits', async () => /^deskd_logins_delayed_total [1-9]/m.test((await desk.anyone.exchange('GET', '/metrics')).text));
  assert.ok(await taking(() => desk.stop()) < 4000);
  await waiting;
});

test('other requests are served while logins wait for their hash', async (t) => {
  const desk = await open(t, { processes: 1 }); // each process has its own limit
  const session = await desk.session(desk.staff);
  desk.expects5xx = true;
  let hashing = true;
  const logins = Promise.all(Array.from({ length: 190 }, (_, i) => desk.login(`nobody${i}@example.com`, 'x').at(address(10 + i)).get('/teams')))
    .then((replies) => { hashing = false; return replies; });
  let served = 0;
  while (hashing) {
    (await session.client.get('/conversations')).must(200);
    served += 1;
  }
  const replies = await logins;
  assert.ok(served > 5, `${served} requests were served meanwhile`);
  assert.ok(replies.some((r) => r.status === 503), 'more logins than may wait');
  for (const reply of replies) {
    if (reply.status === 503) assert.ok(reply.headers['retry-after']);
    else reply.refused(401, 'AUTHENTICATION_FAILED');
  }
});

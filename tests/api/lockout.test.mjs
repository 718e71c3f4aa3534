import { test } from 'node:test';
import assert from 'node:assert/strict';
import { MINUTE, open } from './lib/index.mjs';

const fail = async (desk, n, email = 'agent@example.com', address = undefined) => {
  for (let i = 0; i < n; i++) {
    const who = desk.login(email, `wrong ${i}`);
    (await (address ? who.at(address) : who).get('/teams')).refused(401, 'AUTHENTICATION_FAILED');
  }
};

test('the eleventh try after ten failed ones is 429, even with the right password, for ten minutes', async (t) => {
  const desk = await open(t);
  await fail(desk, 10);
  const locked = (await desk.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  assert.equal(locked.headers['retry-after'], '600');
  (await desk.login('agent@example.com', 'wrong').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  await desk.clock.forward(10 * MINUTE + 1);
  (await desk.staff.get('/teams')).must(200);
});

test('ten failures of one address lock the address, whatever the accounts', async (t) => {
  const desk = await open(t);
  for (let i = 0; i < 10; i++) await fail(desk, 1, `nobody${i}@example.com`);
  (await desk.login('nobody11@example.com', 'x').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
});

test("a stranger can't lock an owner out of their account", async (t) => {
  const desk = await open(t);
  await fail(desk, 10, 'owner@example.com', '127.0.0.2');
  (await desk.login('owner@example.com', 'x').at('127.0.0.2').get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
  (await desk.owner.get('/teams')).must(200);
});

test('failures are forgotten after 15 minutes', async (t) => {
  const desk = await open(t);
  await fail(desk, 9);
  await desk.clock.forward(15 * MINUTE + 1);
  await fail(desk, 9);
  (await desk.staff.get('/teams')).must(200);
});

test('the lock-out outlives a restart', async (t) => {
  const desk = await open(t);
  await fail(desk, 10);
  await desk.kill();
  await desk.start();
  (await desk.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
});

test('many wrong guesses at once get no more than ten tries', async (t) => {
  const desk = await open(t);
  const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => desk.login('agent@example.com', `wrong ${i}`).get('/teams')));
  const tries = replies.filter((r) => r.status === 401).length;
  assert.ok(replies.every((r) => [401, 429].includes(r.status)));
  assert.ok(tries <= 12, `${tries} guesses were answered`); // two hashes may be under way when the tenth fails
  (await desk.staff.get('/teams')).refused(429, 'AUTHENTICATION_LOCKED');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

// Concurrent webhooks. On PostgreSQL they run in two processes.

const paid = (user) => ({ event: 'order.paid', user });

async function shop(t) {
  const desk = await open(t);
  const { token } = await desk.owner.create('/events/tokens', { label: 'Shop' });
  return {
    desk,
    one: (user) => desk.anyone.post(`/webhook/${token}/incoming`, paid(user)),
    many: (users) => desk.anyone.post(`/bulk/webhook/${token}/incoming`, { events: users.map(paid) }),
    number: (sql) => Number(desk.sql(sql).trim()),
  };
}

test('concurrent requests with the same new people create each person once', async (t) => {
  const { desk, many, number } = await shop(t);
  const before = number('SELECT COUNT(*) FROM users');
  const users = Array.from({ length: 40 }, (_, i) => [{ email: `p${i}@x.example` }, { phone: `+4930111${1000 + i}` }, { twitter_id: `t${i}` }, { facebook_id: `f${i}` }, { external_id: `e${i}`, external_app: 'shop' }][i % 5]);
  const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => many(i % 2 ? users : users.toReversed())));
  for (const reply of replies) reply.must(201);
  assert.equal(number('SELECT COUNT(*) FROM users'), before + 40);
  assert.equal(number('SELECT COUNT(*) FROM events'), 320);
  assert.equal(number('SELECT COUNT(*) FROM (SELECT user_id FROM events GROUP BY user_id HAVING COUNT(*) <> 8) x'), 0);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('concurrent single events, mails of a form and events with several identities find one person', async (t) => {
  const { desk, one, number } = await shop(t);
  const before = number('SELECT COUNT(*) FROM users');
  const user = { email: 'one@x.example', external_id: '1', external_app: 'shop', facebook_id: 'f' };
  const calls = Array.from({ length: 24 }, (_, i) => i % 4 === 3
    ? desk.anyone.post('/conversations', { name: 'One', email: 'one@x.example', subject: 'S', contents: 'C' })
    : one(i % 4 === 0 ? user : i % 4 === 1 ? { external_id: '1', external_app: 'shop', email: 'one@x.example' } : { email: 'ONE@x.example' }));
  for (const reply of await Promise.all(calls)) reply.must(201);
  assert.equal(number("SELECT COUNT(*) FROM identity_emails WHERE email_key = 'one@x.example'"), 1);
  assert.ok(number('SELECT COUNT(*) FROM users') <= before + 2, 'the external id may belong to another person than the address');
  assert.equal(number('SELECT COUNT(*) FROM events'), 18);
  assert.equal(number("SELECT COUNT(*) FROM external_identifiers"), number('SELECT COUNT(DISTINCT external_id) FROM external_identifiers'));
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('bulk requests and forms that create the same people at once are all accepted', async (t) => {
  const { desk, many, number } = await shop(t);
  const before = number('SELECT COUNT(*) FROM users');
  const emails = Array.from({ length: 40 }, (_, i) => `p${i}@x.example`);
  const calls = [many(emails.map((email) => ({ email }))), many(emails.toReversed().map((email) => ({ email }))),
    ...emails.map((email) => desk.anyone.post('/conversations', { name: 'One', email, subject: 'S', contents: 'C' }))];
  for (const reply of await Promise.all(calls)) reply.must(201);
  assert.equal(number('SELECT COUNT(*) FROM users'), before + 40);
  assert.equal(number('SELECT COUNT(*) FROM events'), 80);
});

test('a flood of webhooks leaves reads and health checks answered', async (t) => {
  const { desk, many, number } = await shop(t);
  const users = Array.from({ length: 200 }, (_, i) => ({ email: `p${i % 20}@x.example` }));
  const flood = Array.from({ length: 30 }, () => many(users));
  const reads = Array.from({ length: 20 }, () => desk.staff.get('/users'));
  const health = await desk.anyone.exchange('GET', '/healthz');
  assert.equal(health.status, 200);
  for (const reply of await Promise.all(reads)) reply.must(200);
  let stored = 0;
  for (const reply of await Promise.all(flood)) {
    assert.ok([201, 429, 503].includes(reply.status), `${reply}`);
    if (reply.status === 201) stored += 200;
  }
  assert.equal(number('SELECT COUNT(*) FROM events'), stored);
  assert.equal(number("SELECT COUNT(*) FROM identity_emails WHERE email_key LIKE 'p%@x.example'"), 20);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE, bearer, denied, exchange, open, register, shared } from './lib/index.mjs';
import { apiToken } from './lib/tokens.mjs';

/** Processes divide a quota, and requests go to each in turn: tests/postgres/limits.test.mjs. */
const ALONE = { processes: 1 };
const limit = (desk, values) => desk.owner.update('/settings', { values: Object.fromEntries(Object.entries(values).map(([name, n]) => [`limits.${name}_per_minute`, n])) });
/** A desk with these quotas. The clock of the tests stands still, so no token comes back by itself. */
const limited = async (t, values, options = {}) => {
  const desk = await open(t, { ...ALONE, ...options });
  await limit(desk, values);
  return desk;
};
const refused = (reply, seconds) => {
  reply.refused(429, 'RATE_LIMIT_REACHED');
  assert.equal(reply.headers['retry-after'], String(seconds));
};

test('without a limit, replies have no header of one', async (t) => {
  const desk = await open(t, ALONE);
  assert.deepEqual((await desk.staff.get('/teams')).must(200).limits, [undefined, undefined]);
});

test('reads beyond the limit are refused until Retry-After has passed, and headers count down', async (t) => {
  const desk = await limited(t, { read: 3 });
  assert.deepEqual((await desk.staff.get('/teams')).must(200).limits, ['"read";q=3;w=60', '"read";r=2;t=20']);
  assert.deepEqual((await desk.staff.get('/me')).must(200).limits, ['"read";q=3;w=60', '"read";r=1;t=40']);
  assert.deepEqual((await desk.staff.head('/me')).must(200).limits, ['"read";q=3;w=60', '"read";r=0;t=60']);
  const over = await desk.staff.get('/teams');
  refused(over, 20);
  assert.deepEqual(over.limits, ['"read";q=3;w=60', '"read";r=0;t=20']);
  await desk.clock.forward(19);
  refused(await desk.staff.get('/teams'), 1);
  await desk.clock.forward(1);
  (await desk.staff.get('/teams')).must(200);
  refused(await desk.staff.get('/teams'), 20);
});

test('a bucket holds at most one minute', async (t) => {
  const desk = await limited(t, { read: 2 });
  await desk.clock.forward(60 * MINUTE);
  for (let i = 0; i < 2; i++) (await desk.staff.get('/me')).must(200);
  refused(await desk.staff.get('/me'), 30);
});

test('reads, writes and heavy requests have limits of their own', async (t) => {
  const desk = await limited(t, { read: 1, write: 1, heavy: 1 });
  const agent = desk.staff;
  (await agent.get('/me')).must(200);
  refused(await agent.get('/me'), 60);
  (await agent.put('/profile', { designation: 'x' })).must(200);
  refused(await agent.put('/profile', { designation: 'y' }), 60);
  assert.deepEqual((await agent.get('/search', { query: 'printer' })).must(200).limits, ['"heavy";q=1;w=60', '"heavy";r=0;t=60']);
  refused(await agent.get('/views/counts'), 60);
});

test('without a limit of heavy requests they count as reads', async (t) => {
  const desk = await limited(t, { read: 1 });
  assert.deepEqual((await desk.staff.get('/search', { query: 'printer' })).must(200).limits[0], '"read";q=1;w=60');
  refused(await desk.staff.get('/me'), 60);
});

test('a refused request costs nothing and changes nothing', async (t) => {
  const desk = await limited(t, { write: 1 });
  const agent = desk.staff;
  (await agent.put('/profile', { designation: 'first' })).must(200);
  for (let i = 0; i < 20; i++) refused(await agent.put('/profile', { designation: 'second' }), 60);
  assert.equal((await agent.fetch('/me')).designation, 'first');
  await desk.clock.forward(60);
  (await agent.put('/profile', { designation: 'second' })).must(200);
});

test('a refused request with an Idempotency-Key is not kept', async (t) => {
  const desk = await limited(t, { write: 1 });
  (await desk.staff.put('/profile', { designation: 'x' })).must(200);
  const send = () => desk.staff.with({ 'Idempotency-Key': 'one' }).post('/users', { full_name: 'Ada', email: 'ada@example.com', role: 'CUSTOMER' });
  refused(await send(), 60);
  await desk.clock.forward(60);
  const made = await send();
  assert.equal(made.status, 201);
  assert.equal(made.headers['idempotent-replayed'], undefined);
});

test('ten reads that are answered 304 cost as much as one', async (t) => {
  const desk = await open(t, ALONE);
  const { id } = await desk.owner.create('/teams', { title: 'Printers' });
  const tag = (await desk.staff.get(`/teams/${id}`)).must(200).headers.etag;
  const same = desk.staff.with({ 'If-None-Match': tag });
  await limit(desk, { read: 20 });
  (await desk.staff.get('/me')).must(200);
  for (let i = 1; i <= 10; i++) {
    const { headers } = (await same.get(`/teams/${id}`)).must(304);
    assert.equal(headers.ratelimit, `"read";r=18;t=${3 + Math.ceil(0.3 * i)}`);
  }
});

describe('callers', () => {
  test('the flood of one person does not refuse another', async (t) => {
    const desk = await limited(t, { read: 2 });
    for (let i = 0; i < 50; i++) await desk.staff.get('/me');
    refused(await desk.staff.get('/me'), 30);
    (await desk.admin.get('/me')).must(200);
    (await desk.customer.get('/me')).must(200);
  });

  test('all credentials of a person count together', async (t) => {
    const desk = await limited(t, { read: 3, write: 0 });
    const bearer = (await apiToken(desk, desk.staff)).client;
    (await desk.staff.get('/me')).must(200);
    (await bearer.get('/users')).must(200);
    (await desk.staff.with({ 'User-Agent': 'another' }).get('/me')).must(200);
    refused(await bearer.get('/users'), 20);
    refused(await desk.staff.get('/me'), 20);
  });

  test('a client that acts for itself has a bucket apart from the person who made it, and from other clients', async (t) => {
    const desk = await limited(t, { read: 1 });
    const client = async () => {
      const made = await register(desk);
      return bearer(desk, (await exchange(desk, made, { grant_type: 'client_credentials', scope: 'users' })).must(200).body.access_token);
    };
    for (const caller of [await client(), await client(), desk.admin]) {
      (await caller.get('/users')).must(200);
      refused(await caller.get('/users'), 60);
    }
  });

  test('an event token has a bucket of its own', async (t) => {
    const desk = await limited(t, { write: 1, heavy: 0 });
    const report = async (token) => desk.anyone.post(`/webhook/${token}/incoming`, { event: 'order.paid', user: { email: 'ada@example.com' } });
    const tokens = [];
    for (const name of ['Shop', 'Bank']) {
      tokens.push((await desk.owner.create('/events/tokens', { label: name })).token);
      await desk.clock.forward(60);
    }
    for (const token of tokens) {
      (await report(token)).must(201);
      refused(await report(token), 60);
    }
  });

  test('callers without login count by their address', async (t) => {
    const desk = await limited(t, { read: 2 });
    const ask = (address) => desk.anyone.at(address).get('/helpcenter/search', { query: 'printer' });
    for (let i = 0; i < 2; i++) (await ask('127.0.0.2')).must(200);
    refused(await ask('127.0.0.2'), 30);
    (await ask('127.0.0.3')).must(200);
  });

  test('an IPv6 /64 is one address', async (t) => {
    const desk = await limited(t, { read: 2 }, { args: ['--proxies', '127.0.0.1'] });
    const ask = (address) => desk.anyone.with({ 'X-Forwarded-For': address }).get('/helpcenter/search', { query: 'printer' });
    (await ask('2001:db8:1:2::1')).must(200);
    (await ask('2001:db8:1:2:ffff::1')).must(200);
    refused(await ask('2001:db8:1:2::3'), 30);
    (await ask('2001:db8:1:3::1')).must(200);
  });
});

test('a used up bucket fills at the new rate after a change of the limit', async (t) => {
  const desk = await limited(t, { read: 1 });
  (await desk.staff.get('/me')).must(200);
  refused(await desk.staff.get('/me'), 60);
  await limit(desk, { read: 60 });
  refused(await desk.staff.get('/me'), 1);
  await desk.clock.forward(1);
  (await desk.staff.get('/me')).must(200);
  await limit(desk, { read: 0 });
  assert.deepEqual((await desk.staff.get('/me')).must(200).limits, [undefined, undefined]);
});

test('a clock that is set back refuses nobody for more than a minute', async (t) => {
  const desk = await limited(t, { read: 1 });
  (await desk.staff.get('/me')).must(200);
  await desk.clock.forward(-60 * MINUTE);
  refused(await desk.staff.get('/me'), 60);
  await desk.clock.forward(60);
  (await desk.staff.get('/me')).must(200);
});

test('health checks and metrics have no limit', async (t) => {
  const desk = await limited(t, { read: 1 });
  for (let i = 0; i < 5; i++) for (const path of ['/healthz', '/readyz', '/metrics']) (await desk.anyone.exchange('GET', path)).must(200);
});

describe('values of the settings', () => {
  const world = shared(() => {}, ALONE);
  for (const wrong of [-1, 600001, 'many', 1.5]) {
    test(`a limit of ${wrong} is refused`, async () => {
      (await world.desk.owner.put('/settings', { values: { 'limits.read_per_minute': wrong } })).refused(400, 'FIELD_INVALID', 'values/limits.read_per_minute');
    });
  }
});

const GARBAGE = { grant_type: 'refresh_token', refresh_token: 'unknown' };

test('a client that asks for tokens has the limit of writes, apart from other clients and from its maker', async (t) => {
  const desk = await open(t, ALONE);
  const [client, other] = [await register(desk), await register(desk)];
  await limit(desk, { write: 6 });
  const ask = (of) => exchange(desk, of, { grant_type: 'client_credentials' });
  for (let i = 0; i < 6; i++) (await ask(client)).must(200);
  const refused = denied(await ask(client), 429, 'temporarily_unavailable');
  assert.equal(refused.headers['retry-after'], '10');
  (await ask(other)).must(200);
  (await exchange(desk, client, { token: 'unknown' }, { path: '/oauth/introspect' })).must(200);
  (await desk.admin.post('/teams', { title: 'By its maker' })).must(201);
  await desk.clock.forward(10);
  (await ask(client)).must(200);
});

test('requests of a public client are writes without login of their address', async (t) => {
  const desk = await open(t, { args: ['--public-writes', '5'] });
  const client = await register(desk, { is_public: true });
  for (let i = 0; i < 5; i++) denied(await exchange(desk, client, GARBAGE), 400, 'invalid_grant');
  for (const path of ['/oauth/token', '/oauth/revoke']) denied(await exchange(desk, client, { ...GARBAGE, token: 'unknown' }, { path }), 429, 'temporarily_unavailable');
  denied(await exchange(desk, client, GARBAGE, { from: '127.0.0.2' }), 400, 'invalid_grant');
});

test('writes without login beyond the limit of their address cost no write, until the next minute', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--public-writes', '3'] });
  const ask = (from) => desk.anyone.at(from).post('/password/reset', { email: 'nobody@people.example' });
  for (let i = 0; i < 3; i++) (await ask('127.0.0.2')).must(200);
  (await ask('127.0.0.2')).must(429); // this one is counted in the store, and remembered
  for (let i = 0; i < 5; i++) (await ask('127.0.0.2')).must(429);
  assert.equal(desk.sql('SELECT MAX(n) FROM public_writes').trim(), '4');
  for (const other of ['127.0.0.3', '127.0.0.4']) assert.notEqual((await ask(other)).status, 429, other);
  await desk.clock.forward(61);
  assert.notEqual((await ask('127.0.0.2')).status, 429);
});

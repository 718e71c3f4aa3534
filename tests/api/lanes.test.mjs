// One person with much long work does not delay others (docs/ARCHITECTURE.md, "Threads"). The tests compare the order of replies, not
// times.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { File, demo, multipart, open, until } from './lib/index.mjs';
import { grey, readPng } from './lib/picture.mjs';

const metric = async (desk, name) => Number(new RegExp(`^deskd_${name} (\\d+)`, 'm').exec((await desk.anyone.exchange('GET', '/metrics')).text)[1]);
const picture = (bytes) => multipart({ avatar: new File('p.png', 'image/png', bytes) });

test('a picture of 16 megapixels is accepted, a larger one is refused', async (t) => {
  const desk = await open(t);
  const { data } = (await desk.customer.put('/profile', picture(grey(4000, 4000)))).must(200);
  const shown = await desk.anyone.exchange('GET', data.avatar.slice(desk.base.length));
  assert.equal(readPng(shown.bytes).width, 256);
  for (const [width, height] of [[4001, 4000], [16_000_001, 1]]) {
    (await desk.customer.put('/profile', picture(grey(width, height)))).refused(400, 'FIELD_INVALID', 'avatar');
  }
});

test("many pictures of one customer delay no login, picture or read of others", async (t) => {
  const desk = await open(t, { processes: 1 });
  const bytes = grey(2500, 2500);
  const session = await desk.session(desk.staff);
  const hurried = await desk.session(desk.customer);
  let done = 0;
  const pictures = Array.from({ length: 10 }, () => hurried.client.put('/profile', picture(bytes)).then((reply) => { done += 1; return reply; }));
  await until('pictures to wait', async () => (await metric(desk, 'queued_tasks{lane="picture"}')) > 0 || undefined);
  (await session.client.get('/conversations')).must(200);
  (await desk.admin.get('/me')).must(200); // a login whose password is not in the cache
  const other = await desk.session(desk.owner);
  (await other.client.put('/profile', picture(grey(300, 300)))).must(200);
  (await session.client.post('/files', multipart({ file: new File('a.txt', 'text/plain', Buffer.from('a')) }))).must(201);
  assert.ok(done < 10, 'pictures waited during all these requests');
  for (const reply of await Promise.all(pictures)) reply.must(200);
});

test("long lists of one person delay no login and no read of others", async (t) => {
  const desk = await demo(t, { conversations: 1200, processes: 1 });
  const reader = await desk.session(desk.customer);
  const admin = await desk.session(desk.admin);
  const list = { query: { limit: 1000, include: '*', fields: 'id,requester(id)' } }; // its replies are not checked, because that costs more than the list
  let done = 0;
  let sending = true;
  const send = async () => {
    while (sending) {
      const reply = await admin.client.exchange('GET', '/api/v1/conversations', list);
      assert.equal(reply.status, 200);
      done += 1;
    }
  };
  assert.equal((await admin.client.fetch('/conversations', list.query)).length, 1000);
  const lists = Promise.all(Array.from({ length: 30 }, send));
  await until('lists to wait', async () => (await metric(desk, 'queued_tasks{lane="read"}')) > 0 || undefined);
  // Thirty lists wait until these replies have arrived: no reply waits for an empty queue.
  (await reader.client.get('/conversations')).must(200);
  (await desk.login(desk.people.agent.email).get('/me')).must(200);
  (await admin.client.get('/conversations', { limit: 5 })).must(200);
  // Several tries, because the process of this test may send a request late or read its reply late. In the order of arrival, each try would have 29 lists before it.
  let passed = Infinity;
  for (let i = 0; i < 5; i += 1) {
    const before = done;
    assert.equal((await reader.client.exchange('GET', '/api/v1/conversations', list)).status, 200);
    passed = Math.min(passed, done - before);
  }
  sending = false;
  await lists;
  assert.ok(passed < 15, `the reader's list has the next turn, but ${passed} lists of the other person were served before it`);
});

test('a list that is likely to be long never runs on an event loop', { skip: process.env.DATABASE && 'no reads run there on PostgreSQL' }, async (t) => {
  const desk = await open(t);
  const session = await desk.session(desk.staff);
  const cost = async (query) => {
    const before = [await metric(desk, 'inline_total'), await metric(desk, 'pool_total')];
    (await session.client.get('/conversations', query)).must(200);
    return [await metric(desk, 'inline_total') - before[0], await metric(desk, 'pool_total') - before[1]];
  };
  const inline = [1, 0];
  const pooled = [0, 1];
  for (const [query, where] of [
    [{}, inline], [{ limit: 100 }, inline], [{ limit: 500 }, inline], [{ limit: 10, include: '*' }, inline], [{ limit: 100, include: 'user,team' }, inline],
    [{ limit: 501 }, pooled], [{ limit: 1000 }, pooled], [{ limit: 99999 }, pooled], [{ limit: 100, include: '*' }, pooled], [{ limit: 100, include: 'user, *' }, pooled],
    [{ limit: 100, _flat: 'true' }, pooled], [{ limit: 200, include: 'user,team' }, pooled], [{ LIMIT: 1000, INCLUDE: '*' }, pooled],
  ]) assert.deepEqual(await cost(query), where, JSON.stringify(query));
});

test('many forms of one address refuse no form of another', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--public-writes', '0'] });
  desk.expects5xx = true;
  const form = (from) => desk.anyone.at(from).exchange('POST', '/oauth/authorize', { body: 'ticket=none', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
  const queued = async (n) => (await metric(desk, 'queued_tasks{lane="password"}')) >= n || undefined;
  // Logins keep the lane busy: the forms of an address take one turn while each of these addresses takes one.
  const logins = Array.from({ length: 40 }, (_, i) => desk.login(`nobody${i}@example.com`, 'wrong').at(`127.0.1.${1 + i % 8}`).get('/me'));
  await until('logins to wait', () => queued(20));
  const flood = Array.from({ length: 200 }, () => form('127.0.0.9'));
  await until('forms to wait', () => queued(100));
  assert.equal((await form('127.0.0.8')).status, 403, 'the form has no ticket, but a turn');
  await Promise.all([...logins, ...flood]);
});

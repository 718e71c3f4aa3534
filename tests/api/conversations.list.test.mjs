import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

/** Conversations 1..n of one customer, a minute apart; the last two have the same time. */
async function world(t, n = 6) {
  const desk = await open(t);
  const ids = [];
  for (let i = 1; i <= n; i++) {
    if (i < n) await desk.clock.forward(60);
    ids.push((await desk.customer.create('/conversations', { subject: `No ${i}`, contents: 'C' })).id);
  }
  return { desk, ids, newest: [...ids].reverse() };
}

test('conversations come newest first, and by id if they have the same time', async (t) => {
  const { desk, newest } = await world(t);
  for (const who of [desk.customer, desk.staff]) assert.deepEqual((await who.get('/conversations')).must(200).ids, newest);
});

test('pages by offset never overlap', async (t) => {
  const { desk, newest } = await world(t);
  const seen = [];
  for (let offset = 0; offset < 8; offset += 2) seen.push(...(await desk.staff.get('/conversations', { offset, limit: 2 })).must(200).ids);
  assert.deepEqual(seen, newest);
});

test('after_id gives older rows, before_id newer ones, without offset', async (t) => {
  const { desk, newest } = await world(t);
  for (const who of [desk.customer, desk.staff]) {
    const seen = [newest[0]];
    for (let page; ; seen.push(...page.ids)) {
      page = (await who.get('/conversations', { after_id: seen.at(-1), limit: 2 })).must(200);
      assert.ok(!('offset' in page.body));
      if (page.ids.length === 0) break;
      const next = page.headers.link?.match(/after_id=(\d+)[^>]*>; ?rel="?next/)?.[1];
      assert.equal(next, seen.length + page.ids.length < newest.length ? String(page.ids.at(-1)) : undefined);
    }
    assert.deepEqual(seen, newest);
    assert.deepEqual((await who.get('/conversations', { before_id: newest[2] })).must(200).ids, newest.slice(0, 2));
    (await who.get('/conversations', { before_id: 1, after_id: 9 })).refused(400, 'PARAMETERS_INCONSISTENT');
  }
});

test('keyset pages stay stable while conversations are added', async (t) => {
  const { desk, newest } = await world(t);
  const first = (await desk.staff.get('/conversations', { limit: 3 })).must(200);
  await desk.customer.create('/conversations', { subject: 'New', contents: 'C' });
  assert.deepEqual((await desk.staff.get('/conversations', { after_id: first.ids[2] })).must(200).ids, newest.slice(3));
});

test('status accepts a comma-separated list of types', async (t) => {
  const { desk, ids } = await world(t);
  await desk.admin.update(`/conversations/${ids[0]}`, { status_id: 2 });
  await desk.admin.update(`/conversations/${ids[1]}`, { status_id: 3 });
  await desk.admin.update(`/conversations/${ids[2]}`, { status_id: 4 });
  await desk.admin.update(`/conversations/${ids[3]}`, { status_id: 5 });
  const own = await desk.admin.create('/cases/statuses', { label: 'Vendor' });
  await desk.admin.update(`/conversations/${ids[4]}`, { status_id: own.id });
  const expect = { NEW: [5], OPEN: [0], PENDING: [1], COMPLETED: [2], CLOSED: [3], CUSTOM: [4], 'OPEN,CLOSED': [3, 0], 'CLOSED, OPEN': [3, 0] };
  for (const who of [desk.customer, desk.staff]) {
    for (const [status, at] of Object.entries(expect)) {
      const { body } = (await who.get('/conversations', { status })).must(200);
      assert.deepEqual(body.data.map((c) => c.id), at.map((i) => ids[i]), status);
      assert.equal(body.total_count, at.length);
    }
    for (const status of ['WIBBLE', 'OPEN,WIBBLE', '2']) (await who.get('/conversations', { status })).refused(400, 'FIELD_INVALID', 'status');
  }
});

test('priority accepts a level and returns conversations up to it', async (t) => {
  const { desk, ids } = await world(t, 4);
  for (const [i, priority_id] of [1, 2, 3, 4].entries()) await desk.admin.update(`/conversations/${ids[i]}`, { priority_id });
  for (const level of [1, 2, 3, 4, 9]) {
    assert.deepEqual((await desk.staff.get('/conversations', { priority: level })).must(200).ids, ids.slice(0, level).reverse());
  }
  for (const priority of ['high', '1.5', '1e3']) (await desk.staff.get('/conversations', { priority })).refused(400, 'FIELD_INVALID', 'priority');
});

test('filters accepts only MY_ORGANIZATION', async (t) => {
  const { desk, newest } = await world(t);
  (await desk.customer.get('/conversations', { filters: 'THEIRS' })).refused(400, 'FIELD_INVALID', 'filters');
  const { ids } = (await desk.customer.get('/conversations', { filters: 'MY_ORGANIZATION' })).must(200);
  assert.ok(ids.every((id) => newest.includes(id)));
});

test('counts and pages agree for each argument', async (t) => {
  const { desk } = await world(t);
  for (const query of [{}, { status: 'NEW' }, { status: 'CLOSED' }, { priority: 2 }]) {
    const whole = (await desk.staff.get('/conversations', { ...query, limit: 1000 })).must(200).body;
    assert.equal(whole.total_count, whole.data.length, JSON.stringify(query));
  }
});

test('a hidden id is a valid position for after_id, like an absent id', async (t) => {
  const desk = await open(t);
  const ann = await desk.person('customer');
  const make = async (who) => (await who.create('/conversations', { subject: 'S', contents: 'C' })).id;
  const [one, theirs, two, gap, three] = [await make(ann.client), await make(desk.customer), await make(ann.client), await make(desk.customer), await make(ann.client)];
  const page = async (query) => (await ann.client.get('/conversations', query)).must(200);
  assert.deepEqual((await page({ after_id: theirs })).ids, [one]);
  assert.deepEqual((await page({ after_id: gap })).ids, [two, one]);
  assert.deepEqual((await page({ before_id: theirs })).ids, [three, two]);
  assert.deepEqual((await page({ after_id: three + 1000 })).ids, [three, two, one]);
  assert.deepEqual((await page({ before_id: three + 1000 })).ids, []);
  assert.deepEqual((await page({ after_id: three })).ids, [two, one]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const [NEW, OPEN, PENDING, COMPLETED, CLOSED] = [1, 2, 3, 4, 5];

async function world(t, status) {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const path = `/conversations/${id}`;
  const set = (who, status_id) => who.put(path, { status_id });
  if (status) (await set(desk.owner, status)).must(200);
  return { desk, id, path, set, now: async () => (await desk.owner.fetch(path)).status.id };
}

test('staff change subject, status, priority and type', async (t) => {
  const { desk, path } = await world(t);
  const reply = (await desk.staff.put(path, { subject: 'Better', status_id: PENDING, priority_id: 3, type_id: 3, source: 'API' })).must(200);
  assert.equal(reply.body.resource, 'conversation');
  assert.deepEqual([reply.data.subject, reply.data.status.id], ['Better', PENDING]);
  assert.ok(!('logs' in reply.body), `${reply}`);
});

test('a PUT with one bad field changes nothing', async (t) => {
  const { desk, path, now } = await world(t);
  for (const bad of [{ status_id: 99 }, { status_id: 'x' }, { priority_id: 99 }, { type_id: -1 }, { source: 'PIGEON' }]) {
    (await desk.staff.put(path, { subject: 'No', ...bad })).refused(400, 'FIELD_INVALID', Object.keys(bad)[0]);
  }
  (await desk.staff.put(path, { status_id: OPEN, subject: '' })).refused(400, 'FIELD_EMPTY', 'subject');
  assert.equal(await now(), NEW);
  assert.equal((await desk.owner.fetch(path)).subject, 'S');
});

test('customers can\'t change subject, priority or fields unless these are customer-editable', async (t) => {
  const { desk, path } = await world(t);
  const reply = (await desk.customer.put(path, { subject: 'Mine', priority_id: 4, type_id: 2 })).must(200).notes('subject', 'priority_id', 'type_id');
  assert.equal(reply.data.subject, 'S');
});

test('each way of reopening a completed conversation counts it as reopened', async (t) => {
  const { desk, id, path, set } = await world(t, OPEN);
  const reopened = () => Number(desk.sql(`SELECT reopen_count FROM cases WHERE id = ${id}`));
  for (const status of [PENDING, OPEN, COMPLETED]) (await set(desk.staff, status)).must(200);
  assert.equal(reopened(), 0, 'the conversation was not completed before');
  (await set(desk.customer, OPEN)).must(200);
  assert.equal(reopened(), 1, 'the customer sets its status');
  (await set(desk.staff, COMPLETED)).must(200);
  assert.equal(reopened(), 1);
  await desk.customer.create(`${path}/messages`, { contents: 'It is broken again.' });
  assert.equal(reopened(), 2, 'the customer writes');
});

test('customers can complete their conversation and open it again', async (t) => {
  const { desk, set, now } = await world(t, OPEN);
  for (const status of [NEW, PENDING, CLOSED]) assert.equal((await set(desk.customer, status)).status, 400);
  assert.equal(await now(), OPEN);
  (await set(desk.customer, COMPLETED)).must(200);
  for (const status of [NEW, PENDING, CLOSED]) assert.equal((await set(desk.customer, status)).status, 400);
  assert.equal(await now(), COMPLETED);
  (await set(desk.customer, OPEN)).must(200);
  assert.equal(await now(), OPEN);
});

test('customers can\'t open a new or pending conversation by PUT', async (t) => {
  for (const from of [NEW, PENDING]) {
    const { desk, set, now } = await world(t, from === NEW ? undefined : from);
    assert.equal((await set(desk.customer, OPEN)).status, 400);
    assert.equal(await now(), from);
  }
});

test('no conversation returns to NEW', async (t) => {
  const { desk, set, now } = await world(t);
  (await set(desk.staff, NEW)).must(200); // the conversation still exists
  for (const status of [OPEN, PENDING, COMPLETED]) {
    (await set(desk.staff, status)).must(200);
    for (const who of [desk.staff, desk.admin, desk.owner]) assert.equal((await set(who, NEW)).status, 400);
    assert.equal(await now(), status);
  }
});

test('admins and owners close a conversation, agents can\'t', async (t) => {
  const { desk, set, now, path } = await world(t, OPEN);
  const agent = await set(desk.staff, CLOSED);
  assert.ok([400, 403].includes(agent.status), `${agent}`);
  assert.equal(await now(), OPEN);
  const closed = (await set(desk.admin, CLOSED)).must(200).data;
  assert.deepEqual([closed.status.id, closed.is_closed], [CLOSED, true]);
  assert.equal((await desk.customer.fetch(path)).is_closed, true);
});

test('a closed conversation refuses PUT and replies', async (t) => {
  const { desk, path, set } = await world(t, CLOSED);
  for (const who of [desk.staff, desk.admin, desk.owner, desk.customer]) {
    (await who.put(path, { status_id: who === desk.customer ? COMPLETED : OPEN })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await who.post(`${path}/messages`, { contents: 'Late' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  }
  (await desk.owner.put(path, { subject: 'Late' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await set(desk.owner, NEW)).must(400);
  const messages = (await desk.owner.get(`${path}/messages`)).must(200).body;
  assert.equal(messages.total_count, 1);
});

test('a reply of staff opens a NEW conversation and changes no other state', async (t) => {
  const { desk, path, set, now } = await world(t);
  const say = () => desk.staff.create(`${path}/messages`, { contents: 'Hello' });
  await say();
  assert.equal(await now(), OPEN);
  for (const status of [PENDING, COMPLETED]) {
    (await set(desk.staff, status)).must(200);
    await say();
    assert.equal(await now(), status);
  }
});

test("a reply of the requester opens a PENDING or COMPLETED conversation and leaves NEW unchanged", async (t) => {
  const { desk, path, set, now } = await world(t);
  const say = () => desk.customer.create(`${path}/messages`, { contents: 'Hello?' });
  await say();
  assert.equal(await now(), NEW);
  for (const status of [PENDING, COMPLETED]) {
    (await set(desk.staff, status)).must(200);
    await say();
    assert.equal(await now(), OPEN);
  }
});

test('staff can set a custom status and replace it', async (t) => {
  const { desk, set, now } = await world(t);
  const own = await desk.owner.create('/cases/statuses', { label: 'Vendor' });
  (await set(desk.staff, own.id)).must(200);
  assert.equal(await now(), own.id);
  (await set(desk.staff, OPEN)).must(200);
  assert.equal((await set(desk.staff, NEW)).status, 400);
});

test('a change and a reply update updated_at, never created_at', async (t) => {
  const { desk, path } = await world(t);
  const before = await desk.owner.fetch(path);
  await desk.clock.forward(60);
  await desk.staff.create(`${path}/messages`, { contents: 'Hello' });
  const after = await desk.owner.fetch(path);
  assert.equal(after.created_at, before.created_at);
  assert.equal(Date.parse(after.updated_at) - Date.parse(before.updated_at), 60_000);
  assert.equal(after.last_replied_at, after.updated_at);
});

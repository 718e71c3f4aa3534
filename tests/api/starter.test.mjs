import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { asked, open } from './lib/index.mjs';

const start = async (who, query) => (await who.get('/conversations/starter', query)).must(200).data;

test('the start of a messenger shows agents the reply time and the address of the realtime server', async (t) => {
  const desk = await open(t);
  const empty = await start(desk.anyone);
  assert.deepEqual([empty.average_reply_time, empty.active_conversations, empty.user_email], [null, [], null]);
  assert.equal(empty.realtime_url, `${desk.base.replace(/^http/, 'ws')}/socket/websocket`);
  (await desk.anyone.exchange('GET', '/socket/websocket')).must(401);
  const ids = [(await asked(desk.customer)).id, (await asked(desk.customer)).id, (await asked(desk.customer)).id];
  await desk.clock.forward(60);
  await desk.staff.create(`/conversations/${ids[0]}/messages`, { contents: 'R' });
  await desk.clock.forward(60);
  await desk.staff.create(`/conversations/${ids[0]}/messages`, { contents: 'R' });
  await desk.admin.create(`/conversations/${ids[1]}/messages`, { contents: 'R' });
  await desk.customer.create(`/conversations/${ids[2]}/messages`, { contents: 'R' });
  const shown = await start(desk.anyone, { include: 'user_minimal' });
  assert.equal(shown.average_reply_time, 90, 'the first replies came after 60 and 120 seconds');
  assert.equal(shown.last_active_agents[0].full_name, (await desk.owner.fetch(`/users/${desk.people.admin.id}`)).full_name);
  assert.ok(shown.last_active_agents.length <= 3);
  assert.ok(!JSON.stringify(shown).includes('@'), 'a visitor sees no address of an agent');
});

test('a reply that a merge moves counts from the start of the conversation that it was written in', async (t) => {
  const desk = await open(t);
  const [old, older] = [await asked(desk.customer), await asked(desk.customer)];
  await desk.clock.forward(60);
  await desk.staff.create(`/conversations/${old.id}/messages`, { contents: 'R' });
  assert.equal((await start(desk.anyone)).average_reply_time, 60);
  await desk.clock.forward(365 * 24 * 3600);
  const talk = await asked(desk.customer);
  (await desk.staff.post(`/cases/${talk.id}/merge`, { case_ids: [old.id, older.id] })).must(200);
  assert.equal((await start(desk.anyone)).average_reply_time, 60);
  const last = await asked(desk.customer);
  (await desk.staff.post(`/cases/${last.id}/merge`, { case_ids: [talk.id] })).must(200);
  assert.equal((await start(desk.anyone)).average_reply_time, 60, 'also after a second merge');
  const { status, stdout } = desk.check();
  assert.equal(status, 0, stdout);
});

test('only enabled agents are shown', async (t) => {
  const desk = await open(t);
  for (const role of ['agent', 'admin', 'collaborator', 'customer']) await desk.as(role).fetch('/me');
  const before = (await start(desk.anyone)).last_active_agents.map((a) => a.id);
  assert.ok(before.includes(desk.people.agent.id));
  for (const role of ['collaborator', 'customer']) assert.ok(!before.includes(desk.people[role].id), role);
  await desk.owner.update(`/users/${desk.people.agent.id}`, { is_enabled: false });
  assert.ok(!(await start(desk.anyone)).last_active_agents.some((a) => a.id === desk.people.agent.id));
});

test('customers and fingerprints find their own active conversations there, other callers none', async (t) => {
  const desk = await open(t);
  const [who, other] = [1, 2].map(() => desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() }));
  const [first, done, last] = [await asked(desk.customer), await asked(desk.customer), await asked(desk.customer)];
  await desk.admin.update(`/conversations/${done.id}`, { status_id: 4 });
  const theirs = await asked(who, { name: 'N', email: desk.people.customer.email });
  const mine = async (caller) => (await start(caller)).active_conversations.map((c) => c.id);
  assert.deepEqual(await mine(desk.customer), [theirs.id, last.id, first.id]);
  assert.deepEqual(await mine(who), [theirs.id]);
  for (const caller of [other, desk.anyone, desk.staff, desk.owner, (await desk.person('customer')).client]) assert.deepEqual(await mine(caller), []);
  const [shown] = (await start(who, { include: 'conversation,user' })).active_conversations;
  assert.equal(shown.requester.id, theirs.requester.id, 'a pseudonym');
  await desk.admin.update(`/cases/${last.id}/trash`);
  assert.deepEqual(await mine(desk.customer), [theirs.id, first.id]);
});

test('the argument brand narrows the conversations', async (t) => {
  const desk = await open(t);
  const brand = await desk.owner.create('/brands', { name: 'Second', sub_domain: 'second' });
  const [one, two] = [await asked(desk.customer), await asked(desk.customer)];
  await desk.staff.update(`/cases/${two.id}`, { brand_id: brand.id });
  await desk.clock.forward(60);
  await desk.staff.create(`/conversations/${two.id}/messages`, { contents: 'R' });
  const of = async (name) => { const s = await start(desk.customer, { brand: name }); return [s.active_conversations.map((c) => c.id), s.average_reply_time]; };
  assert.deepEqual(await of('second'), [[two.id], 60]);
  assert.deepEqual(await of(brand.id), [[two.id], 60]);
  assert.deepEqual(await of(1), [[one.id], null]);
  (await desk.anyone.get('/conversations/starter', { brand: 'none' })).refused(400, 'FIELD_INVALID', 'brand');
});

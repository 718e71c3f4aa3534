// The texts, counts, snippets and order of a search show nothing of conversations that the caller may not see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const CANARY = 'zanzibar';
const find = async (who, query, more = {}) => (await who.get('/search', { query, limit: 1000, ...more })).must(200);
const ids = async (who, query = CANARY, more = {}) => (await find(who, query, { resources: 'CASES', ...more })).ids.sort((a, b) => a - b);
const write = (desk, subject, more = {}) =>
  desk.owner.create('/cases', { subject, contents: `${CANARY} in the message`, requester_id: desk.people.customer.id, ...more });

test('an agent with SELF finds assigned conversations, one with TEAMS also those of the teams and unassigned ones, one with ALL all', async (t) => {
  const desk = await open(t);
  const team = await desk.owner.create('/teams', { title: 'Boats' }), other = await desk.owner.create('/teams', { title: 'Trains' });
  const self = await desk.person('agent', { agent_case_access: 'SELF' });
  const teams = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team.id] });
  const all = await desk.person('agent', { agent_case_access: 'ALL' });
  const helper = await desk.person('collaborator', { agent_case_access: 'SELF' });
  const mine = await write(desk, 'A', { assigned_agent_id: self.id });
  const ours = await write(desk, 'B', { assigned_team_id: team.id });
  const theirs = await write(desk, 'C', { assigned_team_id: other.id });
  const nobodys = await write(desk, 'D');
  assert.deepEqual(await ids(self.client), [mine.id]);
  assert.deepEqual(await ids(teams.client), [ours.id, nobodys.id]);
  assert.deepEqual(await ids(all.client), [mine.id, ours.id, theirs.id, nobodys.id]);
  assert.deepEqual(await ids(desk.owner), [mine.id, ours.id, theirs.id, nobodys.id]);
  assert.deepEqual(await ids(helper.client), []);
  // Operators without words use another query.
  assert.deepEqual(await ids(self.client, 'is:new'), [mine.id]);
  assert.deepEqual(await ids(teams.client, 'is:new'), [ours.id, nobodys.id]);
  assert.deepEqual(await ids(self.client, `team:Trains`), []);
  assert.deepEqual(await ids(self.client, `${CANARY} message`), [mine.id]);
  assert.deepEqual(await ids(self.client, `is:new -nothing`), [mine.id]);
});

test('a new assignment changes at once who finds a conversation', async (t) => {
  const desk = await open(t);
  const self = await desk.person('agent', { agent_case_access: 'SELF' });
  const made = await write(desk, 'A');
  assert.deepEqual(await ids(self.client), []);
  await desk.owner.update(`/cases/${made.id}`, { assigned_agent_id: self.id });
  assert.deepEqual(await ids(self.client), [made.id]);
  await desk.owner.update(`/cases/${made.id}`, { assigned_agent_id: null });
  assert.deepEqual(await ids(self.client), []);
});

test('a canary in every text of a hidden conversation is in no member, total, snippet or notice of a search', async (t) => {
  const desk = await open(t);
  const self = await desk.person('agent', { agent_case_access: 'SELF' });
  const field = await desk.owner.create('/cases/fields', { type: 'TEXT', key: 'ship', title: 'Ship' });
  assert.ok(field.id);
  const hidden = await write(desk, `${CANARY} subject`, { tags: [`${CANARY}-tag`], field_values: { ship: `${CANARY} ship` } });
  (await desk.staff.post(`/cases/${hidden.id}/reply`, { contents: `${CANARY} note`, channel: 'NOTE' })).must(201);
  for (const query of [CANARY, 'zan*', `"${CANARY} subject"`, `${CANARY} note`, `tag:${CANARY}-tag`, 'ship', `in:notes ${CANARY}`, 'has:note', 'is:new']) {
    assert.deepEqual(await ids(desk.owner, query), [hidden.id], `the owner finds it by ${query}`);
    const reply = await find(self.client, query);
    assert.deepEqual([reply.data, reply.body.total_count, reply.body.logs], [[], 0, undefined], query);
  }
});

test('customers, fingerprints and callers without login do not search', async (t) => {
  const desk = await open(t);
  await write(desk, 'A');
  (await desk.customer.get('/search', { query: CANARY })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get('/search', { query: CANARY })).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.anyone.with({ 'X-Fingerprint-ID': '3f2c1e0a-7b7d-4c9e-9a53-0e8f6d2b1c4a' }).get('/search', { query: CANARY })).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a conversation in the trash is found only by is:trash', async (t) => {
  const desk = await open(t);
  const self = await desk.person('agent', { agent_case_access: 'SELF' });
  const made = await write(desk, 'A');
  (await desk.admin.put(`/cases/${made.id}/trash`)).must(200);
  for (const query of [CANARY, 'is:new', `${CANARY} message`, 'is:suspended']) assert.deepEqual(await ids(desk.owner, query), []);
  assert.deepEqual(await ids(desk.owner, 'is:trash'), [made.id]);
  assert.deepEqual(await ids(desk.owner, `is:trash ${CANARY}`), [made.id]);
  assert.deepEqual(await ids(self.client, `is:trash ${CANARY}`), []);
  assert.deepEqual(await ids(self.client, 'is:trash'), []);
});

test('is:trash holds beside other words of is:, in any order', async (t) => {
  const desk = await open(t);
  const types = ['new', 'open', 'pending', 'completed'], made = {}; // of the system's statuses 1 to 4
  for (const [at, type] of types.entries()) {
    made[type] = (await write(desk, 'A')).id;
    await desk.owner.update(`/cases/${made[type]}`, { status_id: at + 1, ...(type === 'open' && { assigned_agent_id: desk.people.owner.id }) });
    (await desk.admin.put(`/cases/${made[type]}/trash`)).must(200);
  }
  const finds = async (word, wanted) => {
    for (const query of [`is:trash is:${word}`, `is:${word} is:trash`]) assert.deepEqual(await ids(desk.owner, query), wanted, query);
    assert.deepEqual(await ids(desk.owner, `is:${word}`), []);
  };
  for (const type of types) await finds(type, [made[type]]);
  await finds('mine', [made.open]);
  await finds('assigned', [made.open]);
  assert.deepEqual((await ids(desk.owner, 'is:trash is:unassigned')).length, 3);
});

test('claimed addresses of a person find nobody', async (t) => {
  const desk = await open(t);
  const ann = await desk.person('customer', { full_name: 'Ann Ash' });
  (await ann.client.post('/profile/identities/emails', { email: 'claimed@ash.example' })).must(201);
  assert.deepEqual((await find(desk.staff, 'claimed@ash.example')).data, []);
});

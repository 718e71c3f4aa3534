import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, open } from './lib/index.mjs';

const OPEN_MONDAY = { monday: [9, 10, 11] };

async function world(t) {
  const desk = await open(t);
  const team = await desk.owner.create('/teams', { title: 'Support', legacy_id: 'T-1' });
  return { desk, owner: desk.owner, team, path: `/teams/${team.id}`, members: `/teams/${team.id}/members` };
}

test('a team is created, read, changed and deleted', async (t) => {
  const { owner, team, path } = await world(t);
  assert.deepEqual([team.title, team.legacy_id, team.member_count], ['Support', 'T-1', 0]);
  assert.equal((await owner.update(path, { title: 'Helpers' })).title, 'Helpers');
  (await owner.delete(path)).must(200);
  (await owner.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  (await owner.delete(path)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await owner.get('/teams')).body.total_count, 0);
});

test('created_at stays, and updated_at follows the clock', async (t) => {
  const { desk, owner, team, path } = await world(t);
  await desk.clock.forward(90);
  const later = await owner.update(path, { title: 'Helpers' });
  assert.equal(later.created_at, team.created_at);
  assert.equal(Date.parse(later.updated_at) - Date.parse(team.updated_at), 90_000);
});

test('teams are listed by id and selected by legacy_ids', async (t) => {
  const { owner, team } = await world(t);
  const second = await owner.create('/teams', { title: 'A', legacy_id: 'T-2' });
  await owner.create('/teams', { title: 'B' });
  assert.deepEqual((await owner.get('/teams', { legacy_ids: 'T-2,T-1,none' })).ids, [team.id, second.id]);
  assert.equal((await owner.get('/teams', { legacy_ids: 'none' })).body.total_count, 0);
});

test('members: one id returns a user, several return a list, and a present member is 201', async (t) => {
  const { desk, owner, path, members } = await world(t);
  const [a, b, c] = [await desk.person('agent'), await desk.person('admin'), await desk.person('collaborator')];
  const one = (await owner.post(members, { agent_ids: a.id })).must(201);
  assert.deepEqual([one.body.resource, one.data.id], ['user', a.id]);
  const several = (await owner.post(members, { agent_ids: [b.id, c.id] })).must(201);
  assert.deepEqual(several.data.map((u) => u.id).sort(), [b.id, c.id].sort());
  (await owner.post(members, { agent_ids: a.id })).must(201);
  (await owner.delete(members, { agent_id: `${a.id},${b.id}` })).refused(400, 'FIELD_INVALID', 'agent_id');
  assert.equal((await owner.fetch(path)).member_count, 3);
  assert.deepEqual((await owner.get(members)).ids, [c.id, b.id, a.id]);
  assert.deepEqual((await owner.fetch(`/users/${a.id}`)).teams.map((x) => x.id), [Number(path.split('/')[2])]);
});

test('only staff can be members, and a bad id adds nobody', async (t) => {
  const { desk, owner, path, members } = await world(t);
  const agent = await desk.person('agent');
  (await owner.post(members, {})).refused(400, 'FIELD_REQUIRED', 'agent_ids');
  for (const other of [desk.people.customer.id, 999]) {
    (await owner.post(members, { agent_ids: [agent.id, other] })).refused(400, 'FIELD_INVALID', 'agent_ids');
  }
  assert.equal((await owner.fetch(path)).member_count, 0);
  (await owner.post('/teams/999/members', { agent_ids: agent.id })).refused(404, 'RESOURCE_NOT_FOUND');
});

test('is_enabled filters the members', async (t) => {
  const { desk, owner, members } = await world(t);
  const [a, b] = [await desk.person('agent'), await desk.person('agent')];
  (await owner.post(members, { agent_ids: `${a.id},${b.id}` })).must(201);
  await owner.update(`/users/${a.id}`, { is_enabled: false });
  assert.deepEqual((await owner.get(members, { is_enabled: true })).ids, [b.id]);
  assert.deepEqual((await owner.get(members, { is_enabled: 0 })).ids, [a.id]);
  assert.equal((await owner.get(members)).body.total_count, 2);
  (await owner.get(members, { is_enabled: 'perhaps' })).refused(400, 'FIELD_INVALID', 'is_enabled');
});

test('members are removed by agent_id or agent_ids, but not both', async (t) => {
  const { desk, owner, path, members } = await world(t);
  const [a, b, c] = [await desk.person('agent'), await desk.person('agent'), await desk.person('agent')];
  (await owner.post(members, { agent_ids: [a.id, b.id, c.id] })).must(201);
  (await owner.delete(members)).refused(400, 'ANY_FIELD_REQUIRED', 'agent_id', 'agent_ids');
  (await owner.delete(members, { agent_id: a.id, agent_ids: `${a.id},${b.id}` })).refused(400, 'PARAMETERS_INCONSISTENT');
  assert.equal((await owner.fetch(path)).member_count, 3);
  assert.ok(!('total_count' in (await owner.delete(members, { agent_id: a.id })).must(200).body));
  assert.equal((await owner.delete(members, { agent_ids: `${b.id},${c.id}` })).must(200).body.total_count, 2);
  assert.equal((await owner.fetch(path)).member_count, 0);
});

test('agents read teams and members but don\'t write them, and customers see none', async (t) => {
  const { desk, path, members } = await world(t);
  for (const address of ['/teams', path, members]) {
    (await desk.staff.get(address)).must(200);
    (await desk.customer.get(address)).refused(403, 'PERMISSIONS_DENIED');
  }
  (await desk.as('collaborator').get(members)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.as('collaborator').get(path)).must(200);
  (await desk.staff.put(path, { title: 'No' })).refused(403, 'PERMISSIONS_DENIED');
});

test('bulk delete deletes all or none', async (t) => {
  const { owner, team } = await world(t);
  const { id } = await owner.create('/teams', { title: 'A' });
  (await owner.delete('/teams', { ids: `${team.id},${id},999` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/2');
  assert.equal((await owner.get('/teams')).body.total_count, 2);
  assert.equal((await owner.delete('/teams', { ids: `${team.id},${id}` })).must(200).body.total_count, 2);
});

test('a deleted team leaves its members and conversations in place', async (t) => {
  const { desk, owner, path, members } = await world(t);
  const agent = await desk.person('agent');
  (await owner.post(members, { agent_ids: agent.id })).must(201);
  (await owner.delete(path)).must(200);
  assert.deepEqual((await owner.fetch(`/users/${agent.id}`)).teams, []);
  (await owner.get(members)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('availability lists teams with an enabled member and open hours at this time', async (t) => {
  const { desk, owner, team, members } = await world(t);
  const hours = await owner.create('/businesshours', { title: 'Monday mornings', zones: OPEN_MONDAY });
  await owner.update(`/teams/${team.id}`, { businesshour_id: hours.id });
  const empty = await owner.create('/teams', { title: 'Nobody in it', businesshour_id: hours.id });
  const available = async () => (await owner.get('/teams/availability')).must(200).ids;
  assert.deepEqual(await available(), []);
  const agent = await desk.person('agent');
  (await owner.post(members, { agent_ids: agent.id })).must(201);
  assert.deepEqual(await available(), [team.id]);
  await owner.update(`/users/${agent.id}`, { is_enabled: false });
  assert.deepEqual(await available(), []);
  await owner.update(`/users/${agent.id}`, { is_enabled: true });
  await desk.clock.forward(2.5 * HOUR); // 12:00, the first closed minute
  assert.deepEqual(await available(), []);
  await desk.clock.forward(DAY - 2.5 * HOUR); // Tuesday 9:30
  assert.deepEqual(await available(), []);
  await desk.clock.forward(6 * DAY); // Monday again
  assert.deepEqual(await available(), [team.id]);
  for (const date of ['30/11/2025', '30/11/2027', '29/11/2026', '30/10/2026']) {
    await owner.update(`/businesshours/${hours.id}`, { holidays: [{ title: 'Another day', date }] });
    assert.deepEqual(await available(), [team.id], date);
  }
  await owner.update(`/businesshours/${hours.id}`, { holidays: [{ title: 'Closed', date: '30/11/2026' }] });
  assert.deepEqual(await available(), []);
  await owner.update(`/businesshours/${hours.id}`, { holidays: [{ title: 'Short', date: '30/11/2026', open_hours: [9] }] });
  assert.deepEqual(await available(), [team.id]);
  const { body } = (await owner.get('/teams/availability', { offset: 5, limit: 1 })).must(200);
  assert.deepEqual([body.total_count, body.data.length, 'limit' in body], [1, 1, false]);
  assert.notEqual(empty.id, team.id);
});

test('open hours are in their time zone', async (t) => {
  const { desk, owner, team, members } = await world(t);
  const hours = await owner.create('/businesshours', { title: 'Tokyo', zones: { monday: [18] }, time_zone: 'Asia/Tokyo' });
  await owner.update(`/teams/${team.id}`, { businesshour_id: hours.id });
  (await owner.post(members, { agent_ids: (await desk.person('agent')).id })).must(201);
  assert.deepEqual((await owner.get('/teams/availability')).ids, [team.id]); // 9:30 UTC is 18:30 there
  await desk.clock.forward(HOUR);
  assert.deepEqual((await owner.get('/teams/availability')).ids, []);
});

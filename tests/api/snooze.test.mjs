// Snooze (docs/CONVERSATIONS.md, "Snooze").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Socket } from './lib/socket.mjs';
import { DAY, HOUR, MINUTE, addTags, clean, iso, open, opened, until, when } from './lib/index.mjs';

const PENDING = 3, COMPLETED = 4, CLOSED = 5;
const SHOWN = { fields: '+snooze' };
const stateOf = async (desk, id) => {
  const { snooze } = await desk.admin.fetch(`/cases/${id}`, SHOWN);
  return snooze && [snooze.until, snooze.snoozed_by.id];
};
const AWAKE = null;
const at = (desk, seconds) => iso(desk.clock.now + seconds * 1000);
const snooze = (who, id, body) => who.put(`/cases/${id}/snooze`, body);
const woken = (desk, id) => until('woken', async () => (await stateOf(desk, id)) === AWAKE);
const page = async (who, view, query) => {
  const { body } = (await who.get(`/views/${view}/cases`, query)).must(200);
  return [body.data.map(({ id }) => id).sort((a, b) => a - b), body.total_count];
};
/** The id of a view of the snoozed conversations, for all staff. */
const snoozedView = async (desk) => (await desk.admin.create('/views', { title: 'Snoozed', visibility_type: 'ALL', predicate_collections: when(['cases.issnoozed', 'comparison_equalto', '1']), columns: 'subject, snoozeduntil', order_by_column: 'snoozeduntil', order_by: 'ASC' })).id;
const counts = async (who) => Object.fromEntries((await who.fetch('/views/counts')).map(({ view, count }) => [view.id, count]));
const snoozes = async (desk, id) => (await desk.admin.fetch(`/cases/${id}/activities`, { limit: 100 }))
  .map(({ actor, summary, actions }) => [actor?.id ?? summary.split(' ')[0], Object.fromEntries(actions.map((a) => [a.field, a.new_value]))])
  .filter(([, fields]) => fields.is_snoozed);

test('a snoozed conversation leaves the inbox until its time, and only the inbox', async (t) => {
  const desk = await open(t), { staff } = desk, agent = desk.people.agent.id;
  const [one, two] = [await opened(desk), await opened(desk)];
  const both = [one.id, two.id], time = at(desk, 2 * HOUR);
  const view = await snoozedView(desk);
  const socket = await Socket.open(t, staff);
  await socket.join((await staff.fetch(`/cases/${one.id}`)).realtime_channel);
  const { data } = (await snooze(staff, one.id, { until: time })).must(200);
  const heard = (await socket.event('CHANGE')).payload;
  assert.deepEqual([heard.resource_id, Object.keys(heard.changed_properties)], [one.id, ['updated_at']]);
  assert.deepEqual([data.snooze.until, data.snooze.snoozed_by.id, Date.parse(data.snooze.snoozed_at)], [time, agent, desk.clock.now]);
  assert.equal((await staff.fetch(`/cases/${one.id}`)).snooze, undefined, 'existing shapes stay');
  assert.equal((await desk.customer.fetch(`/conversations/${one.id}`, { fields: '+snooze' })).snooze, undefined);
  assert.deepEqual(await page(staff, 1), [[two.id], 1]);
  assert.deepEqual(await page(staff, 1, { status: 'NEW', requester_id: desk.people.customer.id }), [[two.id], 1]);
  assert.deepEqual(await page(staff, 1, { status: 'PENDING' }), [[], 0]);
  assert.deepEqual(await page(staff, view), [[one.id], 1]);
  assert.deepEqual((await staff.fetch('/cases')).map(({ id }) => id).sort(), both.sort());
  const counted = await counts(staff);
  assert.deepEqual([counted[1], counted[view]], [1, 1]);

  await desk.clock.forward(HOUR);
  const later = at(desk, 3 * HOUR);
  (await snooze(staff, one.id, { until: later })).must(200);
  const version = (await staff.get(`/cases/${one.id}`)).etag;
  assert.equal((await snooze(staff, one.id, { until: later })).must(200).etag, version, 'the same again changes nothing');
  await desk.clock.forward(2 * HOUR);
  await opened(desk); // the sweeper had time
  assert.deepEqual(await stateOf(desk, one.id), [later, agent]);
  const before = await staff.fetch(`/cases/${one.id}`);
  await desk.clock.forward(HOUR + MINUTE);
  await woken(desk, one.id);
  assert.deepEqual(await stateOf(desk, one.id), AWAKE);
  assert.equal((await staff.fetch('/cases'))[0].id, one.id, 'it comes back at the top');
  assert.equal((await page(staff, 1))[1], 3);
  assert.deepEqual(await snoozes(desk, one.id), [['Snooze', { is_snoozed: 'false', snoozed_until: null }], [agent, { is_snoozed: 'true', snoozed_until: time }]]);
  const log = (await desk.admin.fetch('/changes', { limit: 1000 })).filter(({ property }) => property === 'snoozed_until');
  assert.deepEqual(log.map(({ from, to, cause }) => [from, to, cause ?? null]), [[null, time, null], [time, later, null], [later, null, 'Snooze']]);
  const after = await staff.fetch(`/cases/${one.id}`);
  for (const time of ['last_customer_activity_at', 'last_agent_activity_at', 'latest_assignee_update']) assert.equal(after[time], before[time], time);
  clean(desk);
});

test('a reply of the customer ends each snooze, one of staff does not', async (t) => {
  const desk = await open(t), { staff } = desk;
  const [one, two] = [await opened(desk), await opened(desk)];
  (await snooze(staff, one.id, { until_reply: true })).must(200);
  (await snooze(staff, two.id, { until: at(desk, DAY) })).must(200);
  assert.deepEqual(await stateOf(desk, one.id), [null, desk.people.agent.id]);
  for (const { id } of [one, two]) {
    (await staff.post(`/cases/${id}/reply`, { contents: 'Soon', status_id: PENDING })).must(201);
    (await staff.post(`/cases/${id}/notes`, { contents: 'Wait' })).must(201);
    assert.notEqual(await stateOf(desk, id), AWAKE);
    (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'Thanks' })).must(201);
    assert.deepEqual(await stateOf(desk, id), AWAKE);
    const [[actor, fields]] = await snoozes(desk, id);
    assert.deepEqual([actor, fields.is_snoozed, fields.status], [desk.people.customer.id, 'false', 'Open']);
  }
  await desk.clock.forward(2 * DAY);
  clean(desk);
});

test('a conversation that waits for staff wakes the one that it is merged into, others do not', async (t) => {
  const desk = await open(t), { staff } = desk, survivor = (await opened(desk)).id;
  const merge = async (id) => (await staff.post(`/cases/${survivor}/merge`, { case_ids: [id] })).must(200);
  const [asleep, completed, awake] = [(await opened(desk)).id, (await opened(desk)).id, (await opened(desk)).id];
  for (const id of [survivor, asleep]) (await snooze(staff, id, { until_reply: true })).must(200);
  (await staff.put(`/cases/${completed}`, { status_id: COMPLETED })).must(200);
  for (const id of [asleep, completed]) await merge(id);
  assert.notEqual(await stateOf(desk, survivor), AWAKE);
  await merge(awake);
  assert.equal(await stateOf(desk, survivor), AWAKE);
  await clean(desk);
});

test('what needs no work is not snoozed: completed, closed, in the trash, merged', async (t) => {
  const desk = await open(t), { staff } = desk, all = [];
  for (let i = 0; i < 4; i++) all.push((await opened(desk)).id);
  for (const id of all) (await snooze(staff, id, { until_reply: true })).must(200);
  const [completed, closed, trashed, merged] = all, survivor = (await opened(desk)).id;
  (await staff.put(`/cases/${completed}`, { status_id: COMPLETED })).must(200);
  (await desk.admin.put(`/cases/${closed}`, { status_id: CLOSED })).must(200);
  (await staff.put(`/cases/${trashed}/trash`)).must(200);
  (await snooze(staff, survivor, { until_reply: true })).must(200);
  (await staff.post(`/cases/${survivor}/merge`, { case_ids: [merged] })).must(200);
  for (const id of all) assert.deepEqual(await stateOf(desk, id), AWAKE, id);
  assert.notEqual(await stateOf(desk, survivor), AWAKE);
  for (const id of all) (await snooze(staff, id, { until_reply: true })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await staff.put(`/cases/${trashed}/restore`)).must(200);
  assert.deepEqual(await stateOf(desk, trashed), AWAKE);
  const before = (await staff.get(`/cases/${survivor}`)).etag;
  (await staff.put(`/cases/${survivor}/snooze`, { until: at(desk, DAY) }, { headers: { 'If-Match': '"other"' } })).refused(412, 'RESOURCE_MODIFIED');
  assert.equal((await staff.get(`/cases/${survivor}`)).etag, before);
  clean(desk);
});

test('many are snoozed and woken at once, and a wrong time or caller is refused', async (t) => {
  const desk = await open(t), { staff } = desk, ids = [];
  for (let i = 0; i < 3; i++) ids.push((await opened(desk)).id);
  const query = { ids: ids.join() }, many = (body) => staff.put('/cases/snooze', body, { query });
  const reply = (await many({ until: at(desk, HOUR) })).must(200).body;
  assert.equal(reply.total_count, 3);
  assert.deepEqual(reply.results.map(({ id, result }) => [id, result]), ids.map((id) => [id, 'CHANGED']));
  assert.deepEqual((await page(staff, 1))[1], 0);
  (await staff.delete(`/cases/${ids[2]}/snooze`)).must(200);
  const woken = (await staff.delete('/cases/snooze', query)).must(200).body;
  assert.deepEqual([woken.total_count, woken.results.map(({ result }) => result)], [3, ['CHANGED', 'CHANGED', 'UNCHANGED']]);
  assert.equal((await page(staff, 1))[1], 3);
  (await staff.delete(`/cases/${ids[0]}/snooze`)).must(200);
  (await desk.admin.put(`/cases/${ids[1]}`, { status_id: CLOSED })).must(200);
  (await many({ until_reply: 'true' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.deepEqual(await stateOf(desk, ids[0]), AWAKE, 'all or none');

  for (const [body, code, ...names] of [
    [{}, 'FIELD_REQUIRED', 'until'], [{ until: null }, 'FIELD_REQUIRED', 'until'], [{ until_reply: false }, 'FIELD_REQUIRED', 'until'],
    [{ until: 'tomorrow' }, 'FIELD_INVALID', 'until'], [{ until: at(desk, -1) }, 'FIELD_INVALID', 'until'], [{ until: at(desk, 400 * DAY) }, 'FIELD_INVALID', 'until'],
    [{ until: at(desk, DAY), until_reply: true }, 'FIELD_INVALID', 'until_reply'],
  ]) (await snooze(staff, ids[0], body)).refused(400, code, ...names);
  for (const role of ['collaborator', 'customer']) (await snooze(desk.as(role), ids[0], { until_reply: true })).refused(403, 'PERMISSIONS_DENIED');
  const narrow = await desk.person('agent', { agent_case_access: 'SELF' });
  (await snooze(narrow.client, ids[0], { until_reply: true })).refused(404, 'RESOURCE_NOT_FOUND');
  (await narrow.client.delete('/cases/snooze', query)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('counts and lists have no snoozed conversation that their reader does not see, and rules see both ends', async (t) => {
  const desk = await open(t), { staff } = desk;
  const team = await desk.admin.create('/teams', { title: 'Second line' });
  const member = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team.id] });
  const view = await snoozedView(desk);
  const of = async (extra) => (await opened(desk, extra)).id;
  const [ours, ourOther, theirs, theirOther] = [await of({ assigned_team_id: team.id }), await of({ assigned_team_id: team.id }), await of({ assigned_agent_id: desk.people.agent.id }), await of({ assigned_agent_id: desk.people.agent.id })];
  for (const [title, value] of [['slept', '1'], ['woke', '0']])
    await desk.admin.create('/triggers', { title, predicate_collections: when(['cases.issnoozed', 'history_changed_to', value]), actions: [addTags(title)] });
  await staff.put('/cases/snooze', { until: at(desk, HOUR) }, { query: { ids: `${ours},${theirs}` } });
  assert.deepEqual([await page(member.client, 1), await page(member.client, view)], [[[ourOther], 1], [[ours], 1]]);
  assert.deepEqual(await page(member.client, 1, { assigned_team_id: team.id }), [[ourOther], 1]);
  assert.deepEqual(await page(staff, 1, { assigned_agent_id: desk.people.agent.id }), [[theirOther], 1]);
  assert.deepEqual(await page(member.client, 1, { assigned_agent_id: desk.people.agent.id }), [[], 0]);
  const [seen, all] = [await counts(member.client), await counts(desk.admin)];
  assert.deepEqual([seen[1], seen[view], all[1], all[view]], [1, 1, 2, 2]);
  const tags = async (id) => (await desk.admin.fetch(`/cases/${id}`, { fields: '+tags' })).tags.map(({ name }) => name);
  assert.deepEqual([await tags(ours), await tags(ourOther)], [['slept'], []]);
  await desk.clock.forward(2 * HOUR);
  await woken(desk, ours);
  assert.deepEqual(await tags(ours), ['slept', 'woke']);
});

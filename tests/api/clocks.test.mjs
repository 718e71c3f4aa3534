// SLA clocks of conversations (docs/RULES.md "SLAs").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, MONDAY, SECOND, iso, open, opened, relayFor, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const hours = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
const week = (open) => Object.fromEntries(DAYS.map((day, i) => [day, i < 5 ? open : []]));
const target = (type, goal, more = {}) => ({ type, goal_in_seconds: goal, operational_hours: 'CALENDAR_HOURS', priority_id: null, ...more });

const at = (seconds) => iso(MONDAY + seconds * 1000);
const sla = (desk, ...targets) => desk.owner.create('/slas', { title: 'Gold', targets });

/** A conversation with the SLA. */
async function promised(desk, { id }, extra = {}) {
  const talk = await opened(desk, extra);
  sql(desk, `UPDATE cases SET sla_version_id = (SELECT version_id FROM slas WHERE id = ${id}) WHERE id = ${talk.id}`);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 3 });
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: extra.priority_id ?? null });
  return talk;
}

/** The clocks by type, without ids. */
async function clocks(desk, { id }) {
  const { sla_metrics: list } = await desk.staff.fetch(`/cases/${id}`, { include: 'sla_metric' });
  return Object.fromEntries(list.map(({ metric_type, stage, started_at, due_at, completed_at, last_paused_at, is_breached }) =>
    [metric_type.replace('_TIME', ''), { stage, started_at, due_at, completed_at, last_paused_at, is_breached }]));
}
const active = (due, more = {}) => ({ stage: 'ACTIVE', started_at: at(0), due_at: at(due), completed_at: null, last_paused_at: null, is_breached: false, ...more });

const reply = (desk, { id }, more = {}) => desk.staff.create(`/cases/${id}/reply`, { contents: 'Which engine?', ...more });
const asks = async (desk, { id }) => (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'The first' })).must(201);
const sound = (desk) => { const done = desk.check(); assert.equal(done.status, 0, done.stdout); };

test('the first reply is measured from the creation to the first public message by staff', async (t) => {
  const desk = await open(t);
  const gold = await sla(desk, target('FIRST_REPLY_TIME', HOUR));
  const talk = await promised(desk, gold);
  assert.deepEqual(await clocks(desk, talk), { FIRST_REPLY: active(HOUR) });
  await desk.clock.forward(10 * MINUTE);
  await asks(desk, talk);
  (await desk.staff.post(`/cases/${talk.id}/notes`, { contents: 'A note is no reply' })).must(201);
  assert.deepEqual(await clocks(desk, talk), { FIRST_REPLY: active(HOUR) });
  await reply(desk, talk);
  await desk.clock.forward(10 * MINUTE);
  await reply(desk, talk);
  assert.deepEqual(await clocks(desk, talk), { FIRST_REPLY: active(HOUR, { stage: 'COMPLETED', completed_at: at(10 * MINUTE) }) });
  sound(desk);
});

test('the next reply is measured from the oldest unanswered message of the requester', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('NEXT_REPLY_TIME', HOUR)));
  await asks(desk, talk);
  assert.deepEqual(await clocks(desk, talk), {}); // there was no first reply
  await reply(desk, talk);
  assert.deepEqual(await clocks(desk, talk), {});
  await desk.clock.forward(MINUTE);
  await asks(desk, talk);
  await desk.clock.forward(MINUTE);
  await asks(desk, talk);
  const run = active(MINUTE + HOUR, { started_at: at(MINUTE) });
  assert.deepEqual(await clocks(desk, talk), { NEXT_REPLY: run });
  await desk.clock.forward(MINUTE);
  await reply(desk, talk);
  assert.deepEqual(await clocks(desk, talk), { NEXT_REPLY: { ...run, stage: 'COMPLETED', completed_at: at(3 * MINUTE) } });
  await reply(desk, talk);
  assert.deepEqual(await clocks(desk, talk), { NEXT_REPLY: { ...run, stage: 'COMPLETED', completed_at: at(3 * MINUTE) } });
  await desk.clock.forward(MINUTE);
  await asks(desk, talk);
  assert.deepEqual(await clocks(desk, talk), { NEXT_REPLY: active(4 * MINUTE + HOUR, { started_at: at(4 * MINUTE) }) });
  sound(desk);
});

test('the resolution ends with COMPLETED, and goes on where it was after a reopening', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('RESOLUTION_TIME', HOUR)));
  await desk.clock.forward(20 * MINUTE);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 4 });
  assert.deepEqual(await clocks(desk, talk), { RESOLUTION: active(HOUR, { stage: 'COMPLETED', completed_at: at(20 * MINUTE) }) });
  await desk.clock.forward(5 * HOUR);
  await asks(desk, talk); // reopens it
  assert.deepEqual(await clocks(desk, talk), { RESOLUTION: active(6 * HOUR, { last_paused_at: at(20 * MINUTE) }) });
  await desk.clock.forward(MINUTE);
  await desk.admin.update(`/cases/${talk.id}`, { status_id: 5 });
  const { RESOLUTION: done } = await clocks(desk, talk);
  assert.deepEqual([done.stage, done.completed_at, done.due_at, done.is_breached], ['COMPLETED', at(20 * MINUTE + 5 * HOUR + MINUTE), at(6 * HOUR), false]);
  sound(desk);
});

test('a clock stands still in a status that is not is_sla_active, and in the trash', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('RESOLUTION_TIME', HOUR), target('FIRST_REPLY_TIME', 2 * HOUR)));
  await desk.clock.forward(10 * MINUTE);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 3 });
  const still = { stage: 'PAUSED', due_at: null, last_paused_at: at(10 * MINUTE) };
  assert.deepEqual(await clocks(desk, talk), { RESOLUTION: active(HOUR, still), FIRST_REPLY: active(HOUR, still) });
  await desk.clock.forward(5 * MINUTE);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 2 });
  const runs = { last_paused_at: at(10 * MINUTE) };
  assert.deepEqual(await clocks(desk, talk), { RESOLUTION: active(HOUR + 5 * MINUTE, runs), FIRST_REPLY: active(2 * HOUR + 5 * MINUTE, runs) });
  await desk.clock.forward(5 * MINUTE);
  (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
  assert.equal((await clocks(desk, talk)).RESOLUTION.stage, 'PAUSED');
  await desk.clock.forward(24 * HOUR);
  (await desk.staff.put(`/cases/${talk.id}/restore`)).must(200);
  assert.equal((await clocks(desk, talk)).RESOLUTION.due_at, at(25 * HOUR + 5 * MINUTE));
  sound(desk);
});

test('a change of several conversations leaves the clocks that a change of each one leaves', async (t) => {
  const desk = await open(t), targets = ['FIRST_REPLY_TIME', 'NEXT_REPLY_TIME', 'RESOLUTION_TIME'].map((type, i) => target(type, HOUR + i * MINUTE));
  const gold = await sla(desk, ...targets), together = [], apart = [];
  for (let i = 0; i < 3; i++) for (const list of [together, apart]) list.push(await promised(desk, gold));
  const all = [...together, ...apart], ids = together.map(({ id }) => id).join();
  const columns = 'type, sla_target_id, started_at, due_at, last_paused_at, completed_at, is_breached, breached_at, created_at';
  const rows = ({ id }) => ['stage, counts, since, counted, epoch, updated_at FROM sla_metrics', '1 FROM sla_runs'].map((rest) => desk.sql(`SELECT ${columns}, ${rest} WHERE case_id = ${id} ORDER BY type, started_at`));
  const changes = async (body) => {
    await desk.clock.forward(7 * MINUTE);
    (await desk.staff.put('/cases', { ids, ...body })).must(200);
    for (const { id } of apart) await desk.staff.update(`/cases/${id}`, body);
    together.forEach((talk, i) => assert.deepEqual(rows(talk), rows(apart[i]), JSON.stringify(body)));
  };
  await changes({ status_id: 3 });
  await changes({ status_id: 2 });
  for (let i = 0; i < 2; i++) {
    await desk.clock.forward(MINUTE);
    for (const talk of all) await reply(desk, talk);
    await desk.clock.forward(MINUTE);
    for (const talk of all) await asks(desk, talk);
  }
  await changes({ status_id: 3 });
  await changes({ priority_id: 4 });
  await changes({ status_id: 4 });
  await changes({ status_id: 2 });
  sound(desk);
});

test('the target of the priority applies, else the one without a priority; a change computes from the history', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('RESOLUTION_TIME', 4 * HOUR), target('RESOLUTION_TIME', HOUR, { priority_id: 4 })));
  assert.equal((await clocks(desk, talk)).RESOLUTION.due_at, at(4 * HOUR));
  await desk.clock.forward(30 * MINUTE);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 4 });
  assert.equal((await clocks(desk, talk)).RESOLUTION.due_at, at(HOUR));
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 2 });
  assert.equal((await clocks(desk, talk)).RESOLUTION.due_at, at(4 * HOUR));
  const [metric] = (await desk.staff.fetch(`/cases/${talk.id}`, { include: 'sla_metric,sla_version_target' })).sla_metrics;
  assert.equal(metric.target.goal_in_seconds, 4 * HOUR);
  (await desk.staff.put('/cases', { priority_id: 4 }, { query: { ids: String(talk.id) } })).must(200);
  assert.equal((await clocks(desk, talk)).RESOLUTION.due_at, at(HOUR));
  sound(desk);
});

test('business hours of the team count, else the default ones; a change of them computes open clocks again', async (t) => {
  const desk = await open(t);
  const [standard] = await desk.owner.fetch('/businesshours');
  await desk.owner.update(`/businesshours/${standard.id}`, { zones: week(hours(9, 17)), holidays: [], time_zone: 'UTC' });
  const late = await desk.owner.create('/businesshours', { title: 'Late', zones: week(hours(14, 20)), time_zone: 'UTC' });
  const team = await desk.owner.create('/teams', { title: 'Late', businesshour_id: late.id });
  const talk = await promised(desk, await sla(desk, target('RESOLUTION_TIME', 8 * HOUR, { operational_hours: 'BUSINESS_HOURS' })));
  const due = async (hour) => { // hours since midnight of the Monday
    const expected = iso(Date.UTC(2026, 10, 23) + hour * HOUR * 1000);
    await until(`a clock due at ${expected}`, async () => {
      desk.clock.write(desk.clock.now + 1); // a continued job is due a millisecond later
      return (await clocks(desk, talk)).RESOLUTION.due_at === expected;
    });
  };
  await due(24 + 9.5); // from 9:30: 7.5 hours on Monday, half an hour on Tuesday
  await desk.staff.update(`/cases/${talk.id}`, { assigned_team_id: team.id });
  await due(24 + 16); // from 14:00: six hours on Monday, two on Tuesday
  await desk.owner.update(`/businesshours/${late.id}`, { zones: week(hours(10, 12)) });
  await due(3 * 24 + 12);
  await desk.owner.update(`/businesshours/${late.id}`, { holidays: [{ title: 'Fair', date: '24/11/2026', open_hours: hours(0, 24) }] });
  await due(24 + 6);
  await desk.owner.update(`/businesshours/${late.id}`, { holidays: [], time_zone: 'Asia/Kolkata' }); // 4:30 to 6:30 UTC, over on Monday
  await due(4 * 24 + 6.5);
  await desk.owner.update(`/teams/${team.id}`, { businesshour_id: standard.id });
  await due(24 + 9.5);
  await desk.owner.update(`/teams/${team.id}`, { businesshour_id: late.id });
  await due(4 * 24 + 6.5);
  (await desk.owner.delete(`/teams/${team.id}`)).must(200);
  await due(24 + 9.5);
  await desk.owner.update(`/businesshours/${late.id}`, { is_default: true });
  await due(4 * 24 + 6.5);
  await desk.owner.update(`/businesshours/${standard.id}`, { is_default: true });
  await due(24 + 9.5);
  const other = await desk.owner.create('/teams', { title: 'Other', businesshour_id: late.id });
  await desk.staff.update(`/cases/${talk.id}`, { assigned_team_id: other.id });
  await due(4 * 24 + 6.5);
  (await desk.owner.delete(`/businesshours/${late.id}`)).must(200);
  await due(24 + 9.5);
  sound(desk);
});

test('a change of is_sla_active computes open clocks again; completed conversations keep theirs', async (t) => {
  const desk = await open(t);
  const gold = await sla(desk, target('RESOLUTION_TIME', HOUR));
  const [talk, done] = [await promised(desk, gold, { status_id: 3 }), await promised(desk, gold, { status_id: 3 })];
  await desk.clock.forward(10 * MINUTE);
  await desk.staff.update(`/cases/${done.id}`, { status_id: 4 });
  const before = await clocks(desk, done);
  assert.equal((await clocks(desk, talk)).RESOLUTION.stage, 'PAUSED');
  await desk.owner.update('/cases/statuses/3', { is_sla_active: true });
  await until('a clock that runs', async () => (await clocks(desk, talk)).RESOLUTION.due_at === at(HOUR));
  assert.deepEqual(await clocks(desk, done), before);
  sound(desk);
});

test('a conversation that loses its SLA loses its clocks; a deleted one too', async (t) => {
  const desk = await open(t);
  const gold = await sla(desk, target('RESOLUTION_TIME', HOUR));
  const talk = await promised(desk, gold);
  (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
  (await desk.staff.delete('/cases/trash', { ids: String(talk.id) })).must(200);
  assert.equal(desk.sql('SELECT COUNT(*) FROM sla_metrics').trim(), '0');
});

test('the id of a clock whose conversation was deleted does not come again', async (t) => {
  const desk = await open(t);
  const gold = await sla(desk, target('FIRST_REPLY_TIME', HOUR), target('RESOLUTION_TIME', HOUR));
  const ids = async ({ id }) => (await desk.staff.fetch(`/cases/${id}`, { include: 'sla_metric' })).sla_metrics.map((m) => m.id);
  const kept = await promised(desk, gold), talk = await promised(desk, gold), gone = await ids(talk);
  (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
  (await desk.staff.delete('/cases/trash', { ids: String(talk.id) })).must(200);
  const later = await promised(desk, gold), given = [...await ids(kept), ...gone, ...await ids(later)];
  assert.equal(given.length, 6);
  assert.deepEqual(given, given.toSorted((a, b) => a - b));
  assert.equal(new Set(given).size, 6);
});

test('messages that a merge moves count in the surviving conversation', async (t) => {
  const desk = await open(t);
  const gold = await sla(desk, target('FIRST_REPLY_TIME', HOUR), target('NEXT_REPLY_TIME', HOUR));
  const [talk, other] = [await promised(desk, gold), await promised(desk, gold)];
  await desk.clock.forward(MINUTE);
  await reply(desk, other);
  await asks(desk, other);
  assert.equal((await clocks(desk, talk)).FIRST_REPLY.stage, 'ACTIVE');
  (await desk.staff.post(`/cases/${talk.id}/merge`, { case_ids: [other.id] })).must(200);
  const { FIRST_REPLY: first, NEXT_REPLY: next } = await clocks(desk, talk);
  assert.deepEqual([first.stage, first.completed_at, next.stage], ['COMPLETED', at(MINUTE), 'ACTIVE']);
  assert.equal(desk.sql(`SELECT COUNT(*) FROM sla_metrics WHERE case_id = ${other.id} AND stage = 1`).trim(), '0');
  sound(desk);
});

test('a first reply that a merge moves counts from the start of the conversation that it was written in', async (t) => {
  const desk = await open(t);
  const gold = await sla(desk, target('FIRST_REPLY_TIME', HOUR), target('NEXT_REPLY_TIME', HOUR));
  const old = await promised(desk, gold);
  await desk.clock.forward(MINUTE);
  await reply(desk, old);
  await desk.clock.forward(365 * 24 * HOUR);
  const talk = await promised(desk, gold);
  await asks(desk, talk);
  const asked = iso(desk.clock.now);
  (await desk.staff.post(`/cases/${talk.id}/merge`, { case_ids: [old.id] })).must(200);
  await desk.clock.forward(MINUTE);
  const { FIRST_REPLY: first, NEXT_REPLY: next } = await clocks(desk, talk);
  assert.deepEqual([first.stage, first.started_at, first.completed_at, first.is_breached], ['COMPLETED', at(0), at(MINUTE), false]);
  assert.deepEqual([next.stage, next.started_at], ['ACTIVE', asked]);
  const explained = (await desk.staff.get(`/cases/${talk.id}/sla/explain`)).must(200).data;
  assert.doesNotMatch(JSON.stringify(explained), /:-\d/, 'no duration is negative');
  await reply(desk, talk);
  assert.deepEqual((await clocks(desk, talk)).NEXT_REPLY.completed_at, iso(desk.clock.now));
  sound(desk);
});

test('an unanswered message that is older than the survivor runs its clock of the next reply', async (t) => {
  const desk = await open(t);
  const gold = await sla(desk, target('FIRST_REPLY_TIME', HOUR), target('NEXT_REPLY_TIME', 2 * HOUR));
  const old = await promised(desk, gold);
  await reply(desk, old);
  await desk.clock.forward(MINUTE);
  await asks(desk, old);
  await desk.clock.forward(HOUR);
  const talk = await promised(desk, gold);
  (await desk.staff.post(`/cases/${talk.id}/merge`, { case_ids: [old.id] })).must(200);
  const { NEXT_REPLY: next } = await clocks(desk, talk);
  assert.deepEqual([next.stage, next.started_at, next.due_at], ['ACTIVE', at(MINUTE), at(MINUTE + 2 * HOUR)]);
  sound(desk);
});

test('deskd check reports a message that is older than its conversation, and a clock that ends before it begins', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('FIRST_REPLY_TIME', HOUR)));
  await reply(desk, talk);
  sound(desk);
  const post = Number(sql(desk, `SELECT MAX(id) FROM posts WHERE case_id = ${talk.id} AND kind = 1`).trim());
  sql(desk, `UPDATE posts SET created_at = created_at - 1 WHERE id = ${post}`);
  assert.match(desk.check().stdout, new RegExp(`message ${post} is older than conversation ${talk.id}, in which it was written`));
  sql(desk, `UPDATE posts SET created_at = created_at + 1 WHERE id = ${post}`);
  sound(desk);
  sql(desk, 'UPDATE sla_metrics SET completed_at = started_at - 1');
  assert.match(desk.check().stdout, new RegExp(`an SLA clock of conversation ${talk.id} ends before it begins`));
});

test('a message is never older than its conversation, although the clocks of processes differ', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('FIRST_REPLY_TIME', HOUR)));
  await asks(desk, talk);
  desk.clock.write(desk.clock.now - 5000);
  await reply(desk, talk);
  const [answer] = await desk.staff.fetch(`/cases/${talk.id}/messages`);
  assert.deepEqual([answer.created_at, answer.response_time], [at(0), 0]);
  const { FIRST_REPLY: first } = await clocks(desk, talk);
  assert.deepEqual([first.started_at, first.completed_at], [at(0), at(0)]);
  sound(desk);
});

test('deskd check reports a clock that does not follow from its history', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('RESOLUTION_TIME', HOUR)));
  sql(desk, 'UPDATE sla_metrics SET due_at = due_at + 1');
  assert.match(desk.check().stdout, new RegExp(`the RESOLUTION_TIME clock of conversation ${talk.id} does not follow from its history`));
  sql(desk, 'UPDATE sla_metrics SET due_at = due_at - 1');
  sound(desk);
  sql(desk, 'DELETE FROM sla_metrics');
  assert.match(desk.check().stdout, /the RESOLUTION_TIME clock/);
});

test('an explanation lists the intervals that counted or not; their sum is the elapsed time', async (t) => {
  const desk = await open(t);
  const [standard] = await desk.owner.fetch('/businesshours');
  await desk.owner.update(`/businesshours/${standard.id}`, { zones: week(hours(9, 17)), holidays: [{ title: 'Fair', date: '24/11/2026' }], time_zone: 'UTC' });
  const plain = await opened(desk);
  const gold = await sla(desk, target('RESOLUTION_TIME', 40 * HOUR, { operational_hours: 'BUSINESS_HOURS' }), target('FIRST_REPLY_TIME', HOUR));
  const talk = await promised(desk, gold);
  await desk.clock.forward(HOUR / 2);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 3 });
  await desk.clock.forward(HOUR);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 2 });
  await desk.clock.forward(48 * HOUR); // Wednesday 11:00
  const list = await desk.staff.fetch(`/cases/${talk.id}/sla/explain`);
  const { intervals, elapsed_in_seconds: elapsed, stage, goal_in_seconds: goal } = list.find((x) => x.metric_type === 'RESOLUTION_TIME');
  assert.deepEqual([stage, goal], ['ACTIVE', 40 * HOUR]);
  assert.deepEqual(intervals.map((x) => [x.reason, x.status, x.counts, x.counted_in_seconds / HOUR, x.to]), [
    ['RUNNING', 'New', true, 0.5, at(HOUR / 2)],
    ['STATUS_PAUSED', 'Pending', false, 0, at(1.5 * HOUR)],
    ['RUNNING', 'Open', true, 6, at(7.5 * HOUR)],
    ['OUTSIDE_BUSINESS_HOURS', 'Open', false, 0, at(14.5 * HOUR)],
    ['HOLIDAY', 'Open', false, 0, at(38.5 * HOUR)],
    ['OUTSIDE_BUSINESS_HOURS', 'Open', false, 0, at(47.5 * HOUR)],
    ['RUNNING', 'Open', true, 2, at(49.5 * HOUR)],
  ]);
  for (const clock of list) assert.equal(clock.intervals.reduce((sum, x) => sum + x.counted_in_seconds, 0), clock.elapsed_in_seconds);
  assert.equal(elapsed, 8.5 * HOUR);
  assert.equal(list.find((x) => x.metric_type === 'FIRST_REPLY_TIME').is_breached, true);
  for (const role of ['owner', 'admin', 'agent', 'collaborator']) (await desk.as(role).get(`/cases/${talk.id}/sla/explain`)).must(200);
  (await desk.customer.get(`/cases/${talk.id}/sla/explain`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.get('/cases/999/sla/explain')).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual(await desk.staff.fetch(`/cases/${plain.id}/sla/explain`), []);
});

test('views are sorted by due times, and searches find breached conversations', async (t) => {
  const desk = await open(t);
  const plain = await opened(desk);
  const gold = await sla(desk, target('RESOLUTION_TIME', 3 * HOUR), target('FIRST_REPLY_TIME', 4 * HOUR), target('RESOLUTION_TIME', HOUR, { priority_id: 4 }));
  const [calm, urgent] = [await promised(desk, gold), await promised(desk, gold, { priority_id: 4 })];
  await reply(desk, calm);
  const order = async (order_by_column) => {
    const view = await desk.owner.create('/views', { title: order_by_column, columns: ['subject'], order_by_column, order_by: 'ASC', visibility_type: 'ALL',
      predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'Engine' }] }] });
    return (await desk.staff.fetch(`/views/${view.id}/cases`)).map((x) => x.id);
  };
  assert.deepEqual(await order('slanextbreach'), [urgent.id, calm.id, plain.id]);
  assert.deepEqual(await order('slaresolutiontime'), [urgent.id, calm.id, plain.id]);
  assert.equal((await order('slafirstreplytime'))[0], urgent.id);
  assert.equal((await order('slaversionid'))[0], plain.id);
  assert.equal((await order('slanextreplytime')).length, 3);
  await desk.clock.forward(HOUR + SECOND);
  await noticed(desk, 1);
  const found = async (query) => (await desk.staff.fetch('/search', { query, resources: 'CASES' })).map((x) => x.id).sort((a, b) => a - b);
  assert.deepEqual(await found('is:breached'), [urgent.id]);
  assert.deepEqual(await found('has:sla'), [calm.id, urgent.id]);
  assert.deepEqual(await found('-is:breached'), [plain.id, calm.id]);
});

/* ---- breaches ----------------------------------------------------------------------------------------------------------- */

test('a trigger on SLA_BREACHED runs once for each breach', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/triggers', { title: 'Escalate', channel: 'SYSTEM', event: 'SLA_BREACHED', actions: [{ name: 'tags', option: 'ADD', value: 'late' }, { name: 'priority', option: 'INCREASE', value: '' }],
    predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'Engine' }] }] });
  const talk = await promised(desk, await sla(desk, target('RESOLUTION_TIME', HOUR)), { priority_id: 1 });
  await desk.clock.forward(HOUR + SECOND);
  await noticed(desk, 1);
  const made = await desk.staff.fetch(`/cases/${talk.id}`, { include: 'case_priority,tag', fields: '+tags' });
  assert.deepEqual([made.priority.level, made.tags.map((x) => x.name)], [2, ['late']]);
  await desk.clock.forward(MINUTE);
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`, { include: 'case_priority' })).priority.level, 2);
  sound(desk);
});

/** The breaches that the change log has: "case property". */
const breaches = (desk) => desk.sql("SELECT object_id || ' ' || property FROM change_log WHERE property LIKE 'sla%breached' ORDER BY object_id, id").trim().split('\n').filter(Boolean);
const noticed = (desk, n) => until(`${n} breaches`, () => breaches(desk).length >= n);

test('a breach is noticed once, marks the clock, and leaves an activity that names it', async (t) => {
  const desk = await open(t);
  const gold = await sla(desk, target('FIRST_REPLY_TIME', HOUR), target('RESOLUTION_TIME', 2 * HOUR));
  const [talk, paused] = [await promised(desk, gold), await promised(desk, gold)];
  await desk.staff.update(`/cases/${paused.id}`, { status_id: 3 });
  await desk.clock.forward(HOUR + SECOND);
  await noticed(desk, 1);
  assert.deepEqual(breaches(desk), [`${talk.id} sla_first_reply_breached`]);
  const late = (await desk.owner.fetch('/changes', { limit: 1000 })).filter((e) => e.property === 'sla_first_reply_breached');
  assert.deepEqual(late.map((e) => [e.actor, e.cause, e.from, e.to]), [[null, 'SLA', null, at(HOUR)]]);
  const { FIRST_REPLY: first, RESOLUTION: last } = await clocks(desk, talk);
  assert.deepEqual([first.is_breached, first.stage, last.is_breached], [true, 'ACTIVE', false]);
  await desk.clock.forward(MINUTE);
  await reply(desk, talk);
  assert.equal((await clocks(desk, talk)).FIRST_REPLY.is_breached, true);
  await desk.clock.forward(HOUR);
  await noticed(desk, 2);
  await desk.clock.forward(MINUTE);
  await desk.restart();
  await desk.clock.forward(MINUTE);
  assert.deepEqual(breaches(desk), [`${talk.id} sla_first_reply_breached`, `${talk.id} sla_resolution_breached`]);
  const posts = await desk.staff.fetch(`/cases/${talk.id}/posts`, { include: 'activity', filters: 'ACTIVITIES' });
  const told = posts.map((p) => p.original).filter((a) => a.actions.some((x) => x.field === 'sla_first_reply_breached'));
  assert.equal(told.length, 1);
  assert.equal(told[0].actions[0].new_value, at(HOUR));
  sound(desk);
});

/** The runs of the next reply that explain shows. */
async function nextReplies(desk, { id }) {
  const list = await desk.staff.fetch(`/cases/${id}/sla/explain`);
  return list.filter((run) => run.metric_type === 'NEXT_REPLY_TIME').map((run) => [run.started_at, run.completed_at, run.due_at, run.is_breached, run.is_current, run.elapsed_in_seconds]);
}

test('explain shows the former runs of the next reply, each with its breach', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('NEXT_REPLY_TIME', HOUR), target('RESOLUTION_TIME', 90 * HOUR), target('FIRST_REPLY_TIME', HOUR)));
  await reply(desk, talk);
  await asks(desk, talk);
  await desk.clock.forward(2 * HOUR);
  await noticed(desk, 1);
  await reply(desk, talk);
  const late = [at(0), at(2 * HOUR), at(HOUR), true, false, 2 * HOUR];
  assert.deepEqual(await nextReplies(desk, talk), [late.with(4, true)]);
  await desk.clock.forward(MINUTE);
  await asks(desk, talk);
  const second = 2 * HOUR + MINUTE;
  assert.deepEqual(await nextReplies(desk, talk), [late, [at(second), null, at(second + HOUR), false, true, 0]]);
  assert.equal((await clocks(desk, talk)).NEXT_REPLY.is_breached, false, 'the run that counts is the last one');
  await desk.clock.forward(MINUTE);
  await reply(desk, talk);
  await desk.clock.forward(MINUTE);
  await asks(desk, talk);
  const third = second + 2 * MINUTE, soon = [at(second), at(second + MINUTE), at(second + HOUR), false, false, MINUTE];
  assert.deepEqual(await nextReplies(desk, talk), [late, soon, [at(third), null, at(third + HOUR), false, true, 0]]);
  const order = (await desk.staff.fetch(`/cases/${talk.id}/sla/explain`)).map((run) => run.metric_type);
  assert.deepEqual(order, ['FIRST_REPLY_TIME', ...Array(3).fill('NEXT_REPLY_TIME'), 'RESOLUTION_TIME']);
  sound(desk);
});

test('a former run keeps its due time when the target changes', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('NEXT_REPLY_TIME', HOUR), target('NEXT_REPLY_TIME', 9 * HOUR, { priority_id: 4 })));
  await reply(desk, talk);
  await asks(desk, talk);
  await desk.clock.forward(2 * HOUR);
  await reply(desk, talk);
  await desk.clock.forward(MINUTE);
  await asks(desk, talk);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 4 });
  const second = 2 * HOUR + MINUTE;
  assert.deepEqual(await nextReplies(desk, talk), [[at(0), at(2 * HOUR), at(HOUR), true, false, 2 * HOUR], [at(second), null, at(second + 9 * HOUR), false, true, 0]]);
  sound(desk);
});

test('runs of the next reply that are over stay when the conversation loses its SLA, and count once when it gets it again', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/slas', { title: 'Gold', targets: [target('NEXT_REPLY_TIME', HOUR)],
    predicate_collections: [{ propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_equalto', value: 3 }] }] });
  const talk = await opened(desk, { priority_id: 3 });
  await reply(desk, talk);
  await asks(desk, talk);
  await desk.clock.forward(2 * HOUR);
  await reply(desk, talk);
  await desk.clock.forward(MINUTE);
  await asks(desk, talk);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 1 });
  assert.deepEqual(await clocks(desk, talk), {});
  const late = [at(0), at(2 * HOUR), at(HOUR), true, false, 2 * HOUR], second = 2 * HOUR + MINUTE;
  assert.deepEqual(await nextReplies(desk, talk), [late]);
  await reply(desk, talk);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 3 });
  const soon = [at(second), at(second), at(second + HOUR), false, true, 0];
  assert.deepEqual(await nextReplies(desk, talk), [late, soon]);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 1 });
  assert.deepEqual(await nextReplies(desk, talk), [late, soon.with(4, false)]);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 3 });
  assert.deepEqual(await nextReplies(desk, talk), [late, soon]);
  sound(desk);
});

test('an undone reply makes the run that it ended the current one again', async (t) => {
  const desk = await open(t);
  await relayFor(t, desk, { 'mail.undo_seconds': 60 });
  const talk = await promised(desk, await sla(desk, target('NEXT_REPLY_TIME', HOUR)));
  await reply(desk, talk);
  await asks(desk, talk);
  await desk.clock.forward(10);
  const [{ id }] = (await reply(desk, talk, { channel: 'MAIL' })).posts;
  await desk.clock.forward(10);
  await asks(desk, talk);
  assert.deepEqual((await nextReplies(desk, talk)).map(([from, to]) => [from, to]), [[at(0), at(10)], [at(20), null]]);
  (await desk.staff.delete(`/cases/${talk.id}/reply/${id}`)).must(200);
  assert.deepEqual(await nextReplies(desk, talk), [[at(0), null, at(HOUR), false, true, 20]]);
  sound(desk);
  sql(desk, `INSERT INTO sla_runs (case_id, type, sla_target_id, started_at, completed_at, is_breached, created_at)
    SELECT case_id, type, sla_target_id, started_at, started_at, 0, 0 FROM sla_metrics WHERE case_id = ${talk.id}`);
  assert.match(desk.check().stdout, new RegExp(`conversation ${talk.id} has a former run`));
});

test('a conversation whose replies are undone has no run of the next reply', async (t) => {
  const desk = await open(t);
  await relayFor(t, desk, { 'mail.undo_seconds': 60 });
  const talk = await promised(desk, await sla(desk, target('NEXT_REPLY_TIME', HOUR)));
  const replies = [];
  for (let i = 0; i < 2; i++) {
    replies.push((await reply(desk, talk, { channel: 'MAIL' })).posts[0].id);
    await desk.clock.forward(10);
    await asks(desk, talk);
  }
  assert.equal((await nextReplies(desk, talk)).length, 2);
  for (const id of replies) (await desk.staff.delete(`/cases/${talk.id}/reply/${id}`)).must(200);
  assert.deepEqual(await nextReplies(desk, talk), []);
  sound(desk);
});

test('the intervals of a former run are in business hours if its target is', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('NEXT_REPLY_TIME', HOUR, { operational_hours: 'BUSINESS_HOURS' })));
  await reply(desk, talk);
  await asks(desk, talk);
  await desk.clock.forward(24 * HOUR);
  await reply(desk, talk);
  const [run] = await nextReplies(desk, talk);
  assert.ok(run[5] > HOUR && run[5] < 24 * HOUR, `${run[5]} seconds counted`);
  await asks(desk, talk);
  assert.deepEqual((await nextReplies(desk, talk))[0], run.with(4, false));
});

test('breaches of a downtime are noticed once, by one of several processes', async (t) => {
  const desk = await open(t);
  const gold = await sla(desk, target('RESOLUTION_TIME', HOUR));
  const talks = [];
  for (let i = 0; i < 12; i++) talks.push(await promised(desk, gold));
  await desk.stop();
  desk.clock.write(desk.clock.now + 5 * HOUR * 1000);
  await desk.start();
  await noticed(desk, 12);
  for (let i = 0; i < 5; i++) await desk.clock.forward(6 * SECOND);
  assert.deepEqual(breaches(desk), talks.map(({ id }) => `${id} sla_resolution_breached`));
  sound(desk);
});

test('a reply that comes too late raises the breach that nobody noticed before', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('FIRST_REPLY_TIME', HOUR)));
  await desk.stop();
  desk.clock.write(desk.clock.now + 5 * HOUR * 1000);
  sql(desk, 'UPDATE sla_metrics SET stage = 2'); // the sweep is held off: as if the reply came before it
  sql(desk, 'UPDATE sla_metrics SET due_at = NULL');
  await desk.start();
  await reply(desk, talk);
  await noticed(desk, 1);
  const { FIRST_REPLY: first } = await clocks(desk, talk);
  assert.deepEqual([first.stage, first.is_breached, first.due_at], ['COMPLETED', true, at(HOUR)]);
  await asks(desk, talk);
  for (let i = 0; i < 5; i++) await desk.clock.forward(6 * SECOND);
  assert.deepEqual(breaches(desk), [`${talk.id} sla_first_reply_breached`]);
  sound(desk);
});

test('a breach is raised once for a run, also if the due time moves away and back', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('RESOLUTION_TIME', 40 * HOUR), target('RESOLUTION_TIME', HOUR, { priority_id: 4 })), { priority_id: 4 });
  await desk.clock.forward(2 * HOUR);
  await noticed(desk, 1);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 1 });
  assert.equal((await clocks(desk, talk)).RESOLUTION.is_breached, false);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 4 });
  assert.equal((await clocks(desk, talk)).RESOLUTION.is_breached, true);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 1 });
  await desk.clock.forward(50 * HOUR);
  await until('the mark', async () => (await clocks(desk, talk)).RESOLUTION.is_breached);
  assert.deepEqual(breaches(desk), [`${talk.id} sla_resolution_breached`]);
  sound(desk);
});

test('two paused statuses in a row are one pause', async (t) => {
  const desk = await open(t);
  const talk = await promised(desk, await sla(desk, target('RESOLUTION_TIME', HOUR)));
  const waiting = await desk.owner.create('/cases/statuses', { label: 'Waiting', type: 'PENDING', is_sla_active: false });
  await desk.clock.forward(10 * MINUTE);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 3 });
  await desk.clock.forward(10 * MINUTE);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: waiting.id });
  assert.deepEqual((await clocks(desk, talk)).RESOLUTION, active(HOUR, { stage: 'PAUSED', due_at: null, last_paused_at: at(10 * MINUTE) }));
  await desk.clock.forward(10 * MINUTE);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 2 });
  assert.deepEqual((await clocks(desk, talk)).RESOLUTION, active(HOUR + 20 * MINUTE, { last_paused_at: at(10 * MINUTE) }));
  const explained = (await desk.staff.fetch(`/cases/${talk.id}/sla/explain`)).find((run) => run.metric_type === 'RESOLUTION_TIME');
  assert.equal(explained.elapsed_in_seconds, 10 * MINUTE);
  sound(desk);
});

test('an SLA that comes after a late reply raises no breach of it', async (t) => {
  const desk = await open(t);
  const talk = await opened(desk);
  await desk.clock.forward(2 * HOUR);
  await reply(desk, talk);
  await desk.clock.forward(MINUTE);
  const gold = await sla(desk, target('FIRST_REPLY_TIME', HOUR), target('RESOLUTION_TIME', 4 * HOUR));
  sql(desk, `UPDATE cases SET sla_version_id = (SELECT version_id FROM slas WHERE id = ${gold.id}) WHERE id = ${talk.id}`);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 3 });
  assert.equal((await clocks(desk, talk)).FIRST_REPLY.stage, 'COMPLETED');
  await desk.clock.forward(2 * HOUR);
  await noticed(desk, 1); // the resolution: so the sweep has looked at the conversation since
  assert.deepEqual(breaches(desk), [`${talk.id} sla_resolution_breached`]);
});

// Monitors (docs/RULES.md, "Triggers and monitors").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, addTags, open, until, when } from './lib/index.mjs';

const stale = when(['cases.createdat', 'time_greaterthan', 2]);
const tags = async (desk, id) => (await desk.owner.fetch(`/cases/${id}/tags`)).map((t) => t.name).sort();
const firings = async (desk, id) => (await desk.owner.fetch(`/cases/${id}/activities?limit=100`)).filter((a) => JSON.stringify(a).includes('Monitor: ')).length;
const conversation = (desk, more = {}) => desk.owner.create('/cases', { subject: 'Slow', contents: 'Help', requester_id: desk.people.customer.id, channel: 'MAIL', ...more });
/** Moves the clock forward by seconds until the probe answers. */
const ticking = (desk, what, probe) => until(what, async () => {
  const answer = await probe();
  if (!answer) desk.clock.write(desk.clock.now + 1000);
  return answer;
});
const executed = (desk, id, after) => ticking(desk, 'a run', async () => {
  const at = (await desk.owner.fetch(`/monitors/${id}`)).last_executed_at;
  return at && at !== after ? at : undefined;
});

test('a monitor is created, shown, changed, reordered and deleted', async (t) => {
  const desk = await open(t);
  const made = await desk.admin.create('/monitors', { title: 'Remind', predicate_collections: stale, actions: [addTags('late')], is_enabled: false });
  assert.deepEqual([made.title, made.is_enabled, made.execution_order, made.last_executed_at, made.resource_type, made.channel], ['Remind', false, 1, null, 'monitor', undefined]);
  assert.equal(made.predicate_collections[0].propositions[0].value, 2);
  const changed = await desk.admin.update(`/monitors/${made.id}`, { title: 'Now', actions: [{ ...made.actions[0] }, { name: 'priority', option: 'INCREASE' }] });
  assert.equal(changed.actions[0].id, made.actions[0].id);
  assert.deepEqual(changed.predicate_collections, made.predicate_collections);
  const other = await desk.admin.create('/monitors', { title: 'Other', actions: [addTags('x')], is_enabled: false });
  (await desk.admin.put('/monitors/reorder', { monitor_ids: [other.id, made.id] })).must(200);
  assert.deepEqual((await desk.admin.fetch('/monitors')).map((m) => m.title), ['Other', 'Now']);
  (await desk.as('agent').get('/monitors')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.post('/monitors', { title: 'Bad', actions: [addTags('x')], predicate_collections: when(['cases.casestatusid', 'history_changed_to', '2']) }))
    .refused(400, 'FIELD_INVALID', 'predicate_collections[0].propositions[0].operator');
  (await desk.admin.delete(`/monitors?ids=${made.id},${other.id}`)).must(200);
  assert.deepEqual(await desk.admin.fetch('/monitors'), []);
  desk.check();
});

test('a monitor acts once on each state of a conversation', async (t) => {
  const desk = await open(t);
  const old = await conversation(desk);
  const monitor = await desk.owner.create('/monitors', { title: 'Late', predicate_collections: stale, actions: [addTags('late'), { name: 'priority', option: 'CHANGE', value: 4 }] });
  const first = await executed(desk, monitor.id);
  assert.deepEqual(await tags(desk, old.id), []);
  await desk.clock.forward(3 * HOUR);
  const young = await conversation(desk);
  const second = await executed(desk, monitor.id, first);
  await ticking(desk, 'the actions', async () => (await tags(desk, old.id)).length);
  assert.equal((await desk.owner.fetch(`/cases/${old.id}`)).priority.id, 4);
  assert.deepEqual(await tags(desk, young.id), []);
  const acted = await firings(desk, old.id);
  assert.equal(acted, 1);

  await desk.clock.forward(6 * MINUTE);
  const third = await executed(desk, monitor.id, second);
  assert.equal(await firings(desk, old.id), 1);

  await desk.owner.update(`/cases/${old.id}`, { priority_id: 1 });
  await desk.clock.forward(6 * MINUTE);
  await executed(desk, monitor.id, third);
  await ticking(desk, 'another action', async () => (await desk.owner.fetch(`/cases/${old.id}`)).priority.id === 4);
  assert.equal(await firings(desk, old.id), 2);

  // The conversation is as it was, and has not had these actions.
  await desk.owner.update(`/monitors/${monitor.id}`, { actions: [addTags('later')] });
  await ticking(desk, 'the new action', async () => (await tags(desk, old.id)).includes('later'));
});

test('a monitor runs at most every five minutes, and raises SYSTEM / MONITOR', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/triggers', { title: 'After', channel: 'SYSTEM', event: 'MONITOR', actions: [addTags('seen')] });
  const monitor = await desk.owner.create('/monitors', { title: 'Late', predicate_collections: stale, actions: [addTags('late')] });
  const made = await conversation(desk);
  const first = await executed(desk, monitor.id);
  await desk.clock.forward(3 * HOUR);
  await ticking(desk, 'both', async () => (await tags(desk, made.id)).length === 2);
  assert.deepEqual(await tags(desk, made.id), ['late', 'seen']);
  const second = await executed(desk, monitor.id, first);
  await desk.clock.forward(4 * MINUTE);
  assert.equal((await desk.owner.fetch(`/monitors/${monitor.id}`)).last_executed_at, second);
});

test('closed conversations and those in the trash are left alone, unless the state is tested', async (t) => {
  const desk = await open(t);
  const [closed, trashed, plain] = [await conversation(desk), await conversation(desk), await conversation(desk)];
  await desk.owner.update(`/cases/${closed.id}`, { status_id: 5 });
  (await desk.owner.put(`/cases/${trashed.id}/trash`)).must(200);
  const everything = await desk.owner.create('/monitors', { title: 'All', actions: [addTags('all')] });
  await ticking(desk, 'the action', async () => (await tags(desk, plain.id)).length);
  await executed(desk, everything.id);
  assert.deepEqual(await tags(desk, closed.id), []);
  assert.deepEqual(await tags(desk, trashed.id), []);
});

test('a monitor acts on more conversations than one write takes', async (t) => {
  const desk = await open(t);
  const all = [];
  for (let i = 0; i < 60; i++) all.push(await conversation(desk));
  await desk.owner.create('/monitors', { title: 'All', actions: [addTags('all')] });
  await ticking(desk, 'the last', async () => (await tags(desk, all.at(-1).id)).length);
  assert.deepEqual(await tags(desk, all[0].id), ['all']);
  desk.check();
});

// The firings of triggers and monitors, and the causes of activities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, addTags, open, opened, until, when } from './lib/index.mjs';

const fires = (desk, title, more = {}) => desk.admin.create('/triggers', { title, actions: [act('priority', 'CHANGE', 4)], ...more });
const firings = (desk, rule, query = {}) => desk.admin.fetch(`/${rule.resource_type}s/${rule.id}/firings`, query);
const goes = when(['cases.subject', 'string_contains_insensitive', 'go']);

test('a firing says when, of which conversation, after which event, what was done, and what was not done and why', async (t) => {
  const desk = await open(t);
  const gone = await desk.person('agent', { full_name: 'Gone Soon' });
  const rule = await fires(desk, 'Both', { predicate_collections: goes, actions: [act('priority', 'CHANGE', 4), act('assignee', 'CHANGE', gone.id)] });
  const after = await fires(desk, 'After', { channel: 'SYSTEM', event: 'TRIGGER', actions: [act('tags', 'ADD', ['seen'])] });
  await desk.owner.update(`/users/${gone.id}`, { is_enabled: false });
  const one = await opened(desk), other = await opened(desk);
  assert.deepEqual(await firings(desk, rule), []);
  await desk.staff.update(`/cases/${one.id}`, { subject: 'Go' });
  await desk.staff.update(`/cases/${other.id}`, { subject: 'Go, too' });
  const [newest, oldest, ...more] = await firings(desk, rule);
  assert.deepEqual([newest.object, oldest.object, more], [{ id: other.id, resource_type: 'case' }, { id: one.id, resource_type: 'case' }, []]);
  assert.deepEqual(newest.cause, { type: 'TRIGGER', title: 'Both', rule: { id: rule.id, resource_type: 'trigger' }, channel: 'API', event: null });
  assert.deepEqual(newest.actions.map(({ field, new_value, refused }) => [field, refused ? null : new_value, refused !== null]), [['priority', 'Urgent', false], ['assignee', null, true]]);
  assert.equal(newest.actions[1].new_value, `Not done: ${newest.actions[1].refused}`);
  assert.deepEqual(await desk.staff.fetch(`/cases/${other.id}/activities/${newest.id}`), newest);
  const [second] = await firings(desk, after);
  assert.deepEqual([second.cause.channel, second.cause.event, second.cause.rule.id], ['SYSTEM', 'TRIGGER', after.id]);
  // pages, and a change of the title: a firing keeps the title of its time, and the rule its firings
  await desk.admin.update(`/triggers/${rule.id}`, { title: 'Renamed' });
  await fires(desk, 'Both', { predicate_collections: when(['cases.subject', 'string_contains_insensitive', 'never']) });
  const page = (await desk.admin.get(`/triggers/${rule.id}/firings`, { limit: 1 })).must(200).body;
  assert.deepEqual([page.data.map(({ id }) => id), page.data[0].cause.title], [[newest.id], 'Both']);
  assert.deepEqual((await firings(desk, rule, { limit: 1, offset: 1 })).map(({ id }) => id), [oldest.id]);
  // the reference outlives the trigger
  (await desk.admin.delete(`/triggers/${rule.id}`)).must(200);
  (await desk.admin.get(`/triggers/${rule.id}/firings`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await desk.staff.fetch(`/cases/${one.id}/activities/${oldest.id}`)).cause.rule.id, rule.id);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('firings are for admins, and have only conversations that the caller sees', async (t) => {
  const desk = await open(t);
  const rule = await fires(desk, 'Goes', { predicate_collections: goes }), one = await opened(desk), other = await opened(desk);
  for (const { id } of [one, other]) await desk.staff.update(`/cases/${id}`, { subject: 'Go' });
  (await desk.as('agent').get(`/triggers/${rule.id}/firings`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.as('collaborator').get(`/triggers/${rule.id}/firings`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.customer.get(`/triggers/${rule.id}/firings`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.put(`/cases/${one.id}/trash`)).must(200);
  const seen = await firings(desk, rule, { include: 'case,trigger' });
  for (const { object } of seen) (await desk.admin.get(`/cases/${object.id}`)).must(200); // whatever the trash shows
  assert.ok(seen.some(({ object }) => object.id === other.id));
  // an agent gets the reference of the rule, as the text names it, and never the rule
  const [told] = (await desk.as('agent').get(`/cases/${other.id}/activities`, { include: 'trigger', _flat: true })).must(200).body.data.filter(({ cause }) => cause.type === 'TRIGGER');
  assert.deepEqual(told.cause.rule, { id: rule.id, resource_type: 'trigger' });
  const reply = (await desk.as('agent').get(`/cases/${other.id}/activities`, { include: 'trigger', _flat: true })).body;
  assert.equal(reply.resources?.trigger, undefined);
  assert.deepEqual((await desk.admin.get(`/cases/${other.id}/activities`, { include: 'trigger', _flat: true })).body.resources.trigger[rule.id].title, 'Goes');
});

test('each cause has its type: a person, a monitor, an activity of an older version, and a text that only looks like a refusal', async (t) => {
  const desk = await open(t);
  const field = await desk.admin.create('/cases/fields', { title: 'Code', key: 'code', type: 'TEXT' });
  const one = await opened(desk), causes = async () => (await desk.admin.fetch(`/cases/${one.id}/activities`, { limit: 100 })).map(({ cause }) => cause);
  assert.deepEqual((await causes()).at(-1), { type: 'USER', title: null, rule: null, channel: null, event: null });
  const sets = await fires(desk, 'Sets', { predicate_collections: goes, actions: [act(`customfield_${field.id}`, 'CHANGE', 'Not done: yet')] });
  await desk.staff.update(`/cases/${one.id}`, { subject: 'Go' });
  assert.deepEqual((await firings(desk, sets))[0].actions.map(({ new_value, refused }) => [new_value, refused]), [['Not done: yet', null]]);
  const monitor = await desk.admin.create('/monitors', { title: 'Old: one', predicate_collections: when(['cases.createdat', 'time_greaterthan', 2]), actions: [addTags('late')] });
  desk.clock.write(desk.clock.now + 3 * 3600_000);
  const [late] = await until('a firing', async () => {
    const found = await firings(desk, monitor);
    if (!found.length) desk.clock.write(desk.clock.now + 1000);
    return found.length ? found : undefined;
  });
  assert.deepEqual([late.cause, late.object.id], [{ type: 'MONITOR', title: 'Old: one', rule: { id: monitor.id, resource_type: 'monitor' }, channel: null, event: null }, one.id]);
  desk.sql(`UPDATE activities SET trigger_id = NULL, monitor_id = NULL, rule_channel = NULL, rule_event = NULL WHERE owner_case_id = ${one.id}`);
  // The snapshot of a reader may be older than the change, because another program made it.
  const old = await until('the activities are old', async () => { const all = await causes(); return all.some(({ rule }) => rule) ? undefined : all; });
  assert.deepEqual(old.map(({ type, title }) => [type, title]).filter(([type]) => type !== 'USER'), [['MONITOR', 'Old: one'], ['TRIGGER', 'Sets']]);
  const { id } = await desk.anyone.create('/conversations', { subject: 'a', contents: 'b', name: 'Nora', email: 'nora@example.com' });
  assert.deepEqual((await desk.admin.fetch(`/cases/${id}/activities`, { limit: 100 })).at(-1).cause.type, 'NOBODY');
});

// The resource of triggers (docs/RULES.md, "Triggers and monitors").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTags, open } from './lib/index.mjs';

const when = (field, operator, value) => [{ propositions: [{ field, operator, value }] }];
const urgent = when('cases.casepriorityid', 'comparison_equalto', '4');

test('a trigger is created, shown, changed and deleted', async (t) => {
  const desk = await open(t);
  const made = await desk.admin.create('/triggers', { title: 'Escalate', channel: 'api', predicate_collections: urgent, actions: [{ name: 'status', option: 'change', value: 2 }, addTags('vip', 'VIP')] });
  assert.deepEqual([made.title, made.channel, made.event, made.execution_order, made.is_enabled, made.last_triggered_at, made.resource_type], ['Escalate', 'API', null, 1, true, null, 'trigger']);
  assert.match(made.resource_url, /\/api\/v1\/triggers\/\d+$/);
  const [{ propositions: [proposition] }] = made.predicate_collections;
  assert.deepEqual([proposition.field, proposition.value], ['cases.casepriorityid', '4']);
  assert.deepEqual(made.actions.map(({ name, option, value, attributes, resource_type }) => ({ name, option, value, attributes, resource_type })), [
    { name: 'status', option: 'CHANGE', value: 2, attributes: [], resource_type: 'automation_action' },
    { name: 'tags', option: 'ADD', value: ['vip'], attributes: [], resource_type: 'automation_action' },
  ]);
  assert.deepEqual(await desk.admin.fetch(`/triggers/${made.id}`), made);
  const mail = { name: 'notificationteam', value: -5, attributes: { subject: 'Look', message: 'At {{case.id}}' } };
  const changed = await desk.admin.update(`/triggers/${made.id}`, { title: 'Now', channel: null, is_enabled: false, actions: [{ ...made.actions[1] }, mail], predicate_collections: [] });
  assert.deepEqual([changed.title, changed.channel, changed.is_enabled, changed.predicate_collections], ['Now', null, false, []]);
  assert.equal(changed.actions[0].id, made.actions[1].id);
  assert.deepEqual(changed.actions[1].attributes, [{ name: 'subject', value: 'Look' }, { name: 'message', value: 'At {{case.id}}' }]);
  const again = await desk.admin.update(`/triggers/${made.id}`, { actions: changed.actions });
  assert.deepEqual(again.actions, changed.actions);
  (await desk.admin.delete(`/triggers/${made.id}`)).must(200);
  (await desk.admin.get(`/triggers/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual(await desk.admin.fetch('/triggers'), []);
});

test('triggers are listed, enabled and sorted in the order in which they run', async (t) => {
  const desk = await open(t);
  const make = (title) => desk.admin.create('/triggers', { title, actions: [addTags('a')] });
  const [a, b, c] = [await make('a'), await make('b'), await make('c')];
  (await desk.admin.put('/triggers/reorder', { trigger_ids: `${c.id},${a.id}` })).must(200);
  const listed = await desk.admin.fetch('/triggers');
  assert.deepEqual(listed.map(({ title, execution_order }) => [title, execution_order]), [['c', 1], ['a', 2], ['b', 3]]);
  (await desk.admin.put('/triggers/reorder', { trigger_ids: [99] })).refused(400, 'FIELD_INVALID', 'trigger_ids');
  assert.equal((await desk.admin.put('/triggers', { ids: [a.id, b.id], is_enabled: false })).must(200).body.total_count, 2);
  assert.deepEqual((await desk.admin.fetch('/triggers')).map(({ is_enabled }) => is_enabled), [true, false, false]);
  assert.equal((await desk.admin.delete('/triggers', { ids: `${a.id},${b.id}` })).must(200).body.total_count, 2);
  assert.equal((await desk.admin.fetch('/triggers')).length, 1);
});

test('the channels of triggers have their events', async (t) => {
  const desk = await open(t);
  const channels = (await desk.admin.get('/triggers/channels')).must(200).body;
  assert.equal(channels.total_count, 7);
  assert.deepEqual(Object.fromEntries(channels.data.map(({ name, events }) => [name, events])), {
    SYSTEM: ['SLA_BREACHED', 'TRIGGER', 'MONITOR'], API: [], HELPCENTER: [], MAIL: ['INCOMING_MAIL'], MESSENGER: [],
    TWITTER: ['MENTION', 'DIRECT_MESSAGE', 'SAVED_SEARCH'], FACEBOOK: ['WALL_POST', 'MESSAGE'],
  });
});

test('the definitions of actions have the values of the desk', async (t) => {
  const desk = await open(t);
  const team = await desk.admin.create('/teams', { title: 'Line' });
  const field = await desk.admin.create('/cases/fields', { title: 'Sizes', type: 'CHECKBOX', options: ['Small'] });
  const all = (await desk.admin.get('/triggers/actions/definitions')).must(200).body;
  const named = Object.fromEntries(all.data.map((d) => [d.name, d]));
  assert.deepEqual(named.priority.options, ['CHANGE', 'INCREASE', 'DECREASE']);
  assert.equal(named.priority.values['0'], '(none)');
  assert.equal(named.team.values[team.id], 'Line');
  assert.deepEqual([named.tags.input_type, named.tags.value_type, named.tags.values, named.tags.attributes, named.tags.group], ['TAGS', 'COLLECTION', '', [], 'CASE']);
  assert.deepEqual([named.notificationuser.input_type, named.notificationuser.attributes], ['NOTIFICATION_USER', ['subject', 'message']]);
  assert.deepEqual([named.stoprules.group, named.stoprules.value_type], ['FLOW_CONTROL', 'BOOLEAN']);
  const { label, input_type: input, value_type: value, group } = named[`customfield_${field.id}`];
  assert.deepEqual([label, input, value, group], ['Sizes', 'MULTIPLE', 'COLLECTION', 'CUSTOM_FIELD']);
  assert.equal(all.total_count, all.data.length);
});

test('a trigger is checked when it is saved, with a pointer to each bad place', async (t) => {
  const desk = await open(t);
  const refused = async (body, code, ...names) => (await desk.admin.post('/triggers', { title: 'a', actions: [addTags('a')], ...body })).refused(400, code, ...names);
  (await desk.admin.post('/triggers', {})).refused(400, 'FIELD_REQUIRED', 'title', 'actions');
  await refused({ actions: [] }, 'FIELD_EMPTY', 'actions');
  await refused({ actions: 'status' }, 'FIELD_INVALID', 'actions');
  await refused({ channel: 'PIGEON' }, 'FIELD_INVALID', 'channel');
  await refused({ channel: 'MAIL', event: 'TRIGGER' }, 'FIELD_INVALID', 'event');
  await refused({ event: 'TRIGGER' }, 'FIELD_INVALID', 'event');
  await refused({ predicate_collections: when('cases.color', 'comparison_equalto', 1) }, 'FIELD_INVALID', 'predicate_collections[0].propositions[0].field');
  await refused({ actions: [addTags('a'), { name: 'explode', value: 1 }] }, 'FIELD_INVALID', 'actions[1].name');
  await refused({ actions: [{ option: 'CHANGE', value: 1 }] }, 'FIELD_REQUIRED', 'actions[0].name');
  await refused({ actions: [{ name: 'priority', value: 1 }] }, 'FIELD_REQUIRED', 'actions[0].option');
  await refused({ actions: [{ name: 'status', option: 'SEND', value: 1 }] }, 'FIELD_INVALID', 'actions[0].option');
  await refused({ actions: [{ name: 'status', value: 99 }, { name: 'team', value: 99 }, { name: 'type', value: -1 }, { name: 'assignee', value: desk.people.customer.id }] }, 'FIELD_INVALID',
    'actions[0].value', 'actions[1].value', 'actions[2].value', 'actions[3].value');
  await refused({ actions: [{ name: 'status' }] }, 'FIELD_REQUIRED', 'actions[0].value');
  await refused({ actions: [{ name: 'tags', option: 'ADD', value: [] }] }, 'FIELD_REQUIRED', 'actions[0].value');
  await refused({ actions: [{ name: 'tags', option: 'ADD', value: ['a'.repeat(65)] }] }, 'FIELD_INVALID', 'actions[0].value');
  await refused({ actions: [{ name: 'stoprules', value: false }] }, 'FIELD_INVALID', 'actions[0].value');
  await refused({ actions: [{ name: 'notificationuser', value: -3 }] }, 'FIELD_REQUIRED', 'actions[0].attributes.subject', 'actions[0].attributes.message');
  await refused({ actions: [{ name: 'notificationuser', value: -3, attributes: { subject: 'a', message: '{{password}}' } }] }, 'FIELD_INVALID', 'actions[0].attributes.message');
  await refused({ actions: [{ name: 'notificationuser', value: -3, attributes: { subject: 'a\nBcc: x@example.com', message: 'a' } }] }, 'FIELD_INVALID', 'actions[0].attributes.subject');
  await refused({ actions: [{ name: 'notificationuser', value: -5, attributes: { subject: 'a', message: 'a' } }] }, 'FIELD_INVALID', 'actions[0].value');
  await refused({ actions: [{ name: 'endpoint_99' }, { name: 'customfield_99', option: 'CHANGE', value: 'a' }, { name: 'endpoint_x' }] }, 'FIELD_INVALID', 'actions[0].name', 'actions[1].name', 'actions[2].name');
  await refused({ actions: [{ ...addTags('a'), id: 5 }] }, 'FIELD_INVALID', 'actions[0].id');
  await refused({ actions: [addTags('a'), 7, null, ['a']] }, 'FIELD_INVALID', 'actions/1', 'actions/2', 'actions/3');
  const kept = await desk.admin.create('/triggers', { title: 'Kept', actions: [addTags('a'), addTags('b')] }), [first, second] = kept.actions;
  (await desk.admin.put(`/triggers/${kept.id}`, { actions: [{ ...addTags('a'), id: first.id }, { ...addTags('c'), id: first.id }] })).refused(400, 'FIELD_DUPLICATE', 'actions[1].id');
  const changed = await desk.admin.update(`/triggers/${kept.id}`, { actions: [{ ...addTags('c'), id: second.id }, { ...addTags('d'), id: null }] });
  assert.deepEqual([changed.actions[0].id, changed.actions.map((a) => a.value)], [second.id, [['c'], ['d']]]);
  (await desk.admin.delete(`/triggers/${kept.id}`)).must(200);
  await refused({ actions: Array(51).fill(addTags('a')) }, 'FIELD_INVALID', 'actions');
  await refused({ predicate_collections: [{ propositions: Array(10_000).fill({ field: 'tags.name', operator: 'collection_contains_insensitive', value: 'a' }) }] }, 'FIELD_INVALID',
    'predicate_collections[0].propositions');
  assert.deepEqual(await desk.admin.fetch('/triggers'), []);
});

test('only admins and owners with the permission automations.manage write triggers', async (t) => {
  const desk = await open(t);
  const made = await desk.owner.create('/triggers', { title: 'a', actions: [addTags('a')] });
  for (const role of ['agent', 'collaborator', 'customer']) {
    (await desk.as(role).get('/triggers')).refused(403, 'PERMISSIONS_DENIED');
    (await desk.as(role).post('/triggers', { title: 'a', actions: [addTags('a')] })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.as(role).delete(`/triggers/${made.id}`)).refused(403, 'PERMISSIONS_DENIED');
  }
  (await desk.anyone.get('/triggers')).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.owner.put('/roles/1/permissions', { 'automations.manage': false })).must(200);
  (await desk.admin.post('/triggers', { title: 'a', actions: [addTags('a')] })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.get('/triggers')).must(200);
});

test('check names predicates and actions whose rule is not there', async (t) => {
  const desk = await open(t);
  await desk.admin.create('/triggers', { title: 'Whole', predicate_collections: urgent, actions: [addTags('vip')] });
  assert.equal(desk.check().status, 0, desk.check().stdout);
  desk.sql('UPDATE rule_actions SET owner_id = 77');
  assert.match(desk.check().stdout, /a predicate or an action belongs to a rule of kind 2, id 77, which is not there/);
});

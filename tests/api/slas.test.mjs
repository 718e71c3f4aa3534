// SLAs (docs/RULES.md): the resource. Matching is tested in slas.match.test.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, ROLES, open } from './lib/index.mjs';
import { query } from './lib/stores.mjs';

const FIRST = { type: 'FIRST_REPLY_TIME', goal_in_seconds: 3600 };
const URGENT = { field: 'cases.casepriorityid', operator: 'comparison_equalto', value: '4' };
const make = (desk, extra) => desk.admin.create('/slas', { title: 'Gold', targets: [FIRST], ...extra });
const rows = (desk, text) => query(desk.dir, text).split('\n').filter((line) => line !== '');
const versions = (desk, id) => rows(desk, `SELECT title FROM sla_versions WHERE sla_id = ${id} ORDER BY id`);
const FULL = { include: 'sla_target,sla_proposition' };

test('an SLA is created, shown in full by include, and listed with the last changed one first', async (t) => {
  const desk = await open(t);
  const made = await make(desk, {
    description: 'For the best', predicate_collections: [{ id: null, propositions: [{ id: null, ...URGENT }, { field: 'cases.channel', operator: 'comparison_equalto', value: 'MAIL' }] }],
    targets: [{ id: null, ...FIRST, operational_hours: 'calendar_hours' }, { ...FIRST, priority_id: 4, goal_in_seconds: '60' }],
  });
  const [{ id, propositions }] = made.predicate_collections;
  assert.deepEqual(made.predicate_collections, [{ id, propositions, resource_type: 'predicate_collection' }]);
  assert.deepEqual(propositions.map(({ resource_type }) => resource_type), ['sla_proposition', 'sla_proposition']);
  assert.deepEqual([made.title, made.description, made.execution_order, made.is_enabled, made.is_deleted], ['Gold', 'For the best', 1, true, false]);
  assert.equal(made.resource_url, `${desk.base}/api/v1/slas/${made.id}`);
  const full = await desk.admin.fetch(`/slas/${made.id}`, FULL);
  assert.deepEqual(full.predicate_collections[0].propositions.map(({ field, operator, value }) => ({ field, operator, value })),
    [URGENT, { field: 'cases.channel', operator: 'comparison_equalto', value: 'MAIL' }]);
  assert.deepEqual(full.targets.map(({ priority, type, goal_in_seconds, operational_hours, resource_type }) => [priority?.id ?? null, type, goal_in_seconds, operational_hours, resource_type]), [
    [null, 'FIRST_REPLY_TIME', 3600, 'CALENDAR_HOURS', 'sla_target'], [4, 'FIRST_REPLY_TIME', 60, 'BUSINESS_HOURS', 'sla_target']]);
  await desk.clock.forward(HOUR);
  const second = await make(desk, { title: 'Silver', is_enabled: false });
  assert.deepEqual([second.execution_order, second.is_enabled, second.predicate_collections], [2, false, []]);
  assert.deepEqual((await desk.admin.fetch('/slas')).map(({ title }) => title), ['Silver', 'Gold']);
  await desk.clock.forward(HOUR);
  await desk.admin.update(`/slas/${made.id}`, { description: null });
  assert.deepEqual((await desk.admin.fetch('/slas')).map(({ title, description }) => [title, description]), [['Gold', null], ['Silver', null]]);
});

test('a PUT replaces the targets, and keeps the ids that it sends', async (t) => {
  const desk = await open(t);
  const made = await make(desk, { targets: [FIRST, { ...FIRST, type: 'RESOLUTION_TIME' }], predicate_collections: [{ propositions: [URGENT] }, { propositions: [URGENT] }] });
  const [first, last] = made.targets;
  const [kept] = made.predicate_collections;
  const changed = await desk.admin.update(`/slas/${made.id}`, {
    targets: [{ id: null, type: 'NEXT_REPLY_TIME', goal_in_seconds: 7 }, { id: last.id, type: 'RESOLUTION_TIME', goal_in_seconds: 9 }],
    predicate_collections: [{ id: null, propositions: [URGENT] }, { id: kept.id, propositions: [{ id: kept.propositions[0].id, ...URGENT, value: '3' }] }],
  }, { query: FULL });
  assert.deepEqual(changed.targets.map(({ id, goal_in_seconds }) => [id, goal_in_seconds]), [[last.id, 9], [changed.targets[1].id, 7]]);
  assert.ok(changed.targets[1].id > last.id);
  assert.deepEqual([changed.predicate_collections[1].id, changed.predicate_collections[1].propositions[0].id, changed.predicate_collections[1].propositions[0].value],
    [kept.id, kept.propositions[0].id, '3']);
  (await desk.admin.put(`/slas/${made.id}`, { targets: [{ id: first.id, ...FIRST }] })).refused(400, 'FIELD_INVALID', 'targets[0].id');
  (await desk.admin.put(`/slas/${made.id}`, { predicate_collections: [{ id: 999, propositions: [URGENT] }] })).refused(400, 'FIELD_INVALID', 'predicate_collections[0].id');
  (await desk.admin.post('/slas', { title: 'Thief', targets: [{ id: last.id, ...FIRST }] })).refused(400, 'FIELD_INVALID', 'targets[0].id');
});

test('a version is made when title, description, targets or predicate change, and by nothing else', async (t) => {
  const desk = await open(t);
  const { id } = await make(desk);
  const put = (body) => desk.admin.update(`/slas/${id}`, body);
  const count = () => versions(desk, id).length;
  assert.deepEqual(versions(desk, id), ['Gold']);
  const { targets } = await desk.admin.fetch(`/slas/${id}`, FULL);
  await put({ title: 'Gold', targets: targets.map((target) => ({ ...target, priority_id: null })), predicate_collections: [] });
  await put({ is_enabled: false });
  (await desk.admin.put('/slas', { is_enabled: true }, { query: { ids: id } })).must(200);
  (await desk.admin.put('/slas/reorder', { sla_ids: [id] })).must(200);
  assert.equal(count(), 1);
  await put({ title: 'Silver' });
  assert.deepEqual(versions(desk, id), ['Gold', 'Silver']);
  await put({ description: 'New' });
  assert.equal(count(), 3);
  await put({ targets: [{ ...FIRST, goal_in_seconds: 1 }] });
  assert.equal(count(), 4);
  await put({ targets: [{ ...FIRST, goal_in_seconds: 1, priority_id: 1 }] });
  assert.equal(count(), 5);
  await put({ predicate_collections: [{ propositions: [URGENT] }] });
  assert.equal(count(), 6);
  const goals = rows(desk, `SELECT g.goal_in_seconds FROM sla_versions v JOIN sla_targets g ON g.sla_version_id = v.id WHERE v.sla_id = ${id} ORDER BY v.id`);
  assert.deepEqual(goals.map(Number), [3600, 3600, 3600, 1, 1, 1]);
});

test('a predicate is another one if any word of a proposition differs, or a number of propositions or collections', async (t) => {
  const desk = await open(t);
  const { id } = await make(desk);
  const mail = { field: 'cases.channel', operator: 'comparison_equalto', value: 'MAIL' };
  const put = (...collections) => desk.admin.update(`/slas/${id}`, { predicate_collections: collections.map((propositions) => ({ propositions })) });
  await put([URGENT], [URGENT, mail]);
  for (const other of [{ value: 'TWITTER' }, { operator: 'comparison_not_equalto' }, { field: 'cases.casepriorityid', value: '4' }]) {
    const before = versions(desk, id).length;
    await put([URGENT], [URGENT, mail]);
    assert.equal(versions(desk, id).length, before, 'the same words');
    await put([URGENT], [URGENT, { ...mail, ...other }]);
    assert.equal(versions(desk, id).length, before + 1, JSON.stringify(other));
    await put([URGENT], [URGENT, mail]);
  }
  for (const fewer of [[[URGENT], [URGENT]], [[URGENT]], []]) {
    const before = versions(desk, id).length;
    await put(...fewer);
    assert.equal(versions(desk, id).length, before + 1, JSON.stringify(fewer));
  }
});

test('an SLA is checked when it is saved, and every wrong place is named', async (t) => {
  const desk = await open(t);
  const reply = await desk.admin.post('/slas', {
    title: ' ', predicate_collections: [{ propositions: [{ ...URGENT, value: 99 }] }, { propositions: [] }],
    targets: [
      { type: 'SOME_TIME', goal_in_seconds: 0 }, { ...FIRST, goal_in_seconds: 316224001, operational_hours: 'NIGHTS' }, { ...FIRST, priority_id: 99 },
      { goal_in_seconds: 'soon' }, 7, { ...FIRST, goal_in_seconds: 1.5 },
    ],
  });
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.body.errors.map(({ code, parameter }) => `${code} ${parameter}`).sort(), [
    'FIELD_EMPTY predicate_collections[1].propositions', 'FIELD_EMPTY title', 'FIELD_INVALID predicate_collections[0].propositions[0].value',
    'FIELD_INVALID targets', 'FIELD_INVALID targets[0].goal_in_seconds', 'FIELD_INVALID targets[0].type', 'FIELD_INVALID targets[1].goal_in_seconds',
    'FIELD_INVALID targets[1].operational_hours', 'FIELD_INVALID targets[2].priority_id', 'FIELD_INVALID targets[3].goal_in_seconds',
    'FIELD_INVALID targets[5].goal_in_seconds', 'FIELD_REQUIRED targets[3].type']);
  (await desk.admin.post('/slas', {})).refused(400, 'FIELD_REQUIRED', 'title', 'targets');
  (await desk.admin.post('/slas', { title: 'None', targets: [] })).refused(400, 'FIELD_EMPTY', 'targets');
  (await desk.admin.post('/slas', { title: 'Twice', targets: [FIRST, { ...FIRST, priority_id: 4 }, { ...FIRST, goal_in_seconds: 5 }] })).refused(400, 'FIELD_DUPLICATE', 'targets[2].type');
  (await desk.admin.post('/slas', { title: 'History', targets: [FIRST], predicate_collections: [{ propositions: [{ ...URGENT, operator: 'history_changed' }] }] }))
    .refused(400, 'FIELD_INVALID', 'predicate_collections[0].propositions[0].operator');
  assert.deepEqual(await desk.admin.fetch('/slas'), []);
});

test('SLAs are switched, reordered and deleted, one and several', async (t) => {
  const desk = await open(t);
  const ids = [];
  for (const title of ['A', 'B', 'C', 'D']) ids.push((await make(desk, { title })).id);
  const [a, b, c, d] = ids;
  const orders = async () => Object.fromEntries((await desk.admin.fetch('/slas')).map(({ title, execution_order }) => [title, execution_order]));
  (await desk.admin.put('/slas/reorder', { sla_ids: `${d},${b}` })).must(200);
  assert.deepEqual(await orders(), { A: 3, B: 2, C: 4, D: 1 });
  (await desk.admin.put('/slas/reorder', { sla_ids: [a, 999] })).refused(400, 'FIELD_INVALID', 'sla_ids');
  (await desk.admin.put('/slas/reorder', {})).refused(400, 'FIELD_REQUIRED', 'sla_ids');
  assert.equal((await desk.admin.put('/slas', { is_enabled: false }, { query: { ids: `${a},${b}` } })).must(200).body.total_count, 2);
  assert.deepEqual((await desk.admin.fetch('/slas')).filter(({ is_enabled }) => !is_enabled).map(({ title }) => title).sort(), ['A', 'B']);
  (await desk.admin.put('/slas', {}, { query: { ids: a } })).refused(400, 'ANY_FIELD_REQUIRED', 'is_enabled');
  (await desk.admin.put('/slas', { is_enabled: true }, { query: { ids: `${a},999` } })).refused(404, 'RESOURCE_NOT_FOUND', 'ids');
  (await desk.admin.delete(`/slas/${a}`)).must(200);
  (await desk.admin.get(`/slas/${a}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.admin.put(`/slas/${a}`, { title: 'Back' })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.admin.delete('/slas', { ids: `${b},${a}` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids');
  assert.equal((await desk.admin.delete('/slas', { ids: `${b},${c}` })).must(200).body.total_count, 2);
  assert.deepEqual((await desk.admin.fetch('/slas')).map(({ title }) => title), ['D']);
  assert.equal(rows(desk, 'SELECT COUNT(*) FROM slas WHERE is_deleted = 1')[0], '3');
});

test('only admins and owners with the permission slas.manage reach SLAs', async (t) => {
  const desk = await open(t);
  const { id } = await make(desk);
  const calls = (client) => [
    client.get('/slas'), client.get(`/slas/${id}`), client.post('/slas', { title: 'X', targets: [FIRST] }), client.put(`/slas/${id}`, { title: 'X' }),
    client.put('/slas', { is_enabled: true }, { query: { ids: id } }), client.put('/slas/reorder', { sla_ids: [id] }), client.delete(`/slas/${id}`), client.delete('/slas', { ids: id }),
  ];
  for (const role of ['agent', 'collaborator', 'customer']) for (const reply of await Promise.all(calls(desk.as(role)))) reply.refused(403, 'PERMISSIONS_DENIED');
  for (const reply of await Promise.all(calls(desk.anyone))) reply.refused(401, 'AUTHORIZATION_REQUIRED');
  assert.equal(ROLES.length, 5);
  (await desk.owner.put('/roles/1/permissions', { 'slas.manage': false })).must(200);
  const [list, one, ...writes] = await Promise.all(calls(desk.admin));
  for (const reply of [list, one]) reply.must(200);
  for (const reply of writes) reply.refused(403, 'PERMISSIONS_DENIED');
  assert.equal((await desk.owner.update(`/slas/${id}`, { title: 'Mine' })).title, 'Mine');
});

test('a priority that an SLA has a target for can\'t be deleted until the target or the SLA is', async (t) => {
  const desk = await open(t);
  const { id: priority_id } = await desk.admin.create('/cases/priorities', { label: 'Extreme' });
  const { id } = await make(desk, { targets: [{ ...FIRST, priority_id }] });
  (await desk.admin.delete(`/cases/priorities/${priority_id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  await desk.admin.update(`/slas/${id}`, { targets: [FIRST] });
  (await desk.admin.delete(`/cases/priorities/${priority_id}`)).must(200);
  assert.deepEqual(versions(desk, id), ['Gold', 'Gold']);
});

test('SLAs are in the change log, a list by its name', async (t) => {
  const desk = await open(t);
  const { id } = await make(desk);
  const start = (await desk.admin.get('/changes', { limit: 1000 })).must(200).body.data.at(-1).cursor;
  await desk.admin.update(`/slas/${id}`, { title: 'Silver', targets: [{ ...FIRST, goal_in_seconds: 1 }], predicate_collections: [{ propositions: [URGENT] }] });
  (await desk.admin.delete(`/slas/${id}`)).must(200);
  const entries = (await desk.admin.get('/changes', { after: start })).must(200).data.filter(({ resource_type }) => resource_type === 'sla');
  assert.deepEqual(entries.map(({ resource_id, property, from, to }) => [resource_id, property, from, to]).sort(), [
    [id, null, null, null], [id, 'predicate_collections', null, null], [id, 'targets', null, null], [id, 'title', 'Gold', 'Silver']]);
});

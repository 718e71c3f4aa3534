// Conversations get the first SLA that holds (docs/RULES.md, "SLAs").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, open, opened } from './lib/index.mjs';

const is = (field, value, operator = 'comparison_equalto') => ({ field, operator, value });
const all = (...propositions) => propositions.map((p) => ({ propositions: [p] }));
const PRIORITY = 'cases.casepriorityid';
const make = (desk, title, predicate_collections = [], extra = {}) => desk.admin.create('/slas', { title, predicate_collections, targets: [{ type: 'RESOLUTION_TIME', goal_in_seconds: 3600 }], ...extra });
const shown = async (desk, { id }) => (await desk.staff.fetch(`/cases/${id}`, { include: 'sla_version' })).sla_version;
const sla = async (desk, made) => (await shown(desk, made))?.title ?? null;
const put = (desk, { id }, body) => desk.staff.update(`/cases/${id}`, body);

test('a new conversation gets the first enabled SLA by execution_order whose collections all hold', async (t) => {
  const desk = await open(t);
  assert.equal(await sla(desk, await opened(desk)), null);
  await make(desk, 'Off', [], { is_enabled: false });
  await make(desk, 'High questions', all(is(PRIORITY, 3), is('cases.casetypeid', 1)));
  await make(desk, 'High or urgent', [{ propositions: [is(PRIORITY, 3), is(PRIORITY, 4)] }]);
  const rest = await make(desk, 'Rest');
  assert.equal(await sla(desk, await opened(desk, { priority_id: 3, type_id: 1 })), 'High questions');
  assert.equal(await sla(desk, await opened(desk, { priority_id: 3, type_id: 2 })), 'High or urgent');
  assert.equal(await sla(desk, await opened(desk, { priority_id: 4 })), 'High or urgent');
  assert.equal(await sla(desk, await opened(desk)), 'Rest');
  const own = (await desk.customer.post('/conversations', { subject: 'Help', contents: 'Please' })).must(201).data;
  assert.equal(await sla(desk, own), 'Rest');
  (await desk.admin.put('/slas/reorder', { sla_ids: [rest.id] })).must(200);
  assert.equal(await sla(desk, await opened(desk, { priority_id: 4 })), 'Rest');
});

test('a new conversation gets the SLA of the state that triggers leave it in, and triggers find none in it', async (t) => {
  const desk = await open(t);
  await make(desk, 'Urgent', all(is(PRIORITY, 4)));
  await make(desk, 'High', all(is(PRIORITY, 3)));
  const trigger = (title, proposition, ...action) => desk.admin.create('/triggers', { title, predicate_collections: all(proposition), actions: [act(...action)] });
  const named = (text) => is('cases.subject', text, 'string_contains_insensitive');
  await trigger('Lower', named('lower'), 'priority', 'CHANGE', 1);
  await trigger('Raise', named('raise'), 'priority', 'CHANGE', 4);
  await trigger('Answer', named('answer'), 'status', 'CHANGE', 3);
  const made = async (subject, priority_id) => (await sla(desk, await opened(desk, { subject, priority_id })));
  assert.deepEqual([await made('Plain', 4), await made('Please lower', 4), await made('Please raise', 1), await made('Please raise', 3), await made('Please answer', 3)],
    ['Urgent', null, 'Urgent', 'Urgent', 'High']);
  await trigger('With SLA', is('cases.slaversionid', 0, 'comparison_not_equalto'), 'tags', 'ADD', ['sla']);
  const talk = await opened(desk, { priority_id: 4 });
  const tags = async () => (await desk.staff.fetch(`/cases/${talk.id}`, { fields: '+tags', include: 'tag' })).tags.map(({ name }) => name);
  assert.deepEqual([await sla(desk, talk), await tags()], ['Urgent', []]);
  await put(desk, talk, { type_id: 2 });
  assert.deepEqual(await tags(), ['sla']);
});

test('a change of a tested field decides anew; other changes keep the version', async (t) => {
  const desk = await open(t);
  const gold = await make(desk, 'Gold', all(is(PRIORITY, 4)));
  await make(desk, 'Silver', all(is(PRIORITY, 3)));
  const talk = await opened(desk, { priority_id: 4 });
  assert.equal(await sla(desk, talk), 'Gold');
  const { id: version } = await shown(desk, talk);
  await desk.admin.update(`/slas/${gold.id}`, { title: 'Platinum', description: 'Better' });
  await put(desk, talk, { subject: 'Still', type_id: 2, tags: 'vip', assigned_agent_id: desk.people.agent.id });
  await desk.staff.create(`/cases/${talk.id}/reply`, { contents: 'Hello' });
  assert.equal((await shown(desk, talk)).id, version);
  await put(desk, talk, { priority_id: 4 });
  assert.equal(await sla(desk, talk), 'Gold');
  await put(desk, talk, { priority_id: 3 });
  assert.equal(await sla(desk, talk), 'Silver');
  await put(desk, talk, { priority_id: 4 });
  assert.deepEqual(await shown(desk, talk).then(({ title, description, resource_type }) => [title, description, resource_type]), ['Platinum', 'Better', 'sla_version']);
  await put(desk, talk, { priority_id: 1 });
  assert.equal(await shown(desk, talk), null);
});

test('a change gets the SLA of the state that triggers leave it in, with one entry in the change log', async (t) => {
  const desk = await open(t);
  for (const [title, priority] of [['Urgent', 4], ['High', 3]]) await make(desk, title, all(is(PRIORITY, priority)));
  const trigger = (text, ...action) => desk.admin.create('/triggers', { title: text, predicate_collections: all(is('cases.subject', text, 'string_contains_insensitive'), is(PRIORITY, '', 'history_changed')), actions: [act(...action)] });
  await trigger('lower', 'priority', 'CHANGE', 1);
  await trigger('raise', 'priority', 'CHANGE', 4);
  await trigger('answer', 'status', 'CHANGE', 3);
  const changed = async (subject, priority_id) => {
    const talk = await opened(desk, { subject, priority_id: 2 });
    await put(desk, talk, { priority_id });
    const entries = (await desk.admin.get('/changes', { limit: 1000 })).must(200).data.filter((one) => one.property === 'sla_version' && one.resource_id === talk.id);
    const running = (await desk.staff.fetch(`/cases/${talk.id}`, { include: 'sla_metric' })).sla_metrics.length;
    return [await sla(desk, talk), entries.length, running];
  };
  assert.deepEqual(await changed('Plain', 4), ['Urgent', 1, 1]);
  assert.deepEqual(await changed('Please lower', 4), [null, 0, 0]);
  assert.deepEqual(await changed('Please raise', 3), ['Urgent', 0, 1]); // raised when it was opened, too
  assert.deepEqual(await changed('Please answer', 3), ['High', 1, 1]);
});

test('a change that its own request undoes leaves the SLA as it was', async (t) => {
  const desk = await open(t), status = (value) => all(is('cases.casestatusid', value)), { agent } = desk.people;
  const gold = await make(desk, 'Gold', status(3));
  const talk = await opened(desk, { requester_id: agent.id });
  await put(desk, talk, { status_id: 3 });
  assert.equal(await sla(desk, talk), 'Gold');
  (await desk.admin.put('/slas', { is_enabled: false }, { query: { ids: gold.id } })).must(200);
  await make(desk, 'Silver', status(3));
  await desk.staff.create(`/cases/${talk.id}/reply`, { contents: 'I wait', status_id: 3 }); // a reply of the requester opens the conversation
  assert.equal(await sla(desk, talk), 'Gold');
  await put(desk, talk, { status_id: 2 });
  await put(desk, talk, { status_id: 3 });
  assert.equal(await sla(desk, talk), 'Silver');
});

test('conversations of a disabled or deleted SLA keep it until a field that an enabled SLA tests changes', async (t) => {
  const desk = await open(t);
  const gold = await make(desk, 'Gold', all(is(PRIORITY, 4)));
  const silver = await make(desk, 'Silver', all(is('cases.casetypeid', 1, 'comparison_not_equalto')));
  const [disabled, deleted] = [await opened(desk, { priority_id: 4 }), await opened(desk, { priority_id: 1 })];
  assert.deepEqual([await sla(desk, disabled), await sla(desk, deleted)], ['Gold', 'Silver']);
  (await desk.admin.put('/slas', { is_enabled: false }, { query: { ids: gold.id } })).must(200);
  await put(desk, disabled, { priority_id: 3 }); // no enabled SLA tests the priority
  assert.equal(await sla(desk, disabled), 'Gold');
  await put(desk, disabled, { type_id: 2 });
  assert.equal(await sla(desk, disabled), 'Silver');
  (await desk.admin.delete(`/slas/${silver.id}`)).must(200);
  await put(desk, deleted, { type_id: 3 });
  assert.equal(await sla(desk, deleted), 'Silver'); // no SLA is enabled
  (await desk.admin.put('/slas', { is_enabled: true }, { query: { ids: gold.id } })).must(200);
  await put(desk, deleted, { type_id: 4 });
  assert.equal(await sla(desk, deleted), 'Silver');
  await put(desk, deleted, { priority_id: 2 });
  assert.equal(await sla(desk, deleted), null);
});

test('tags, requesters with their organizations, and teams decide, too', async (t) => {
  const desk = await open(t);
  const organization = await desk.admin.create('/organizations', { name: 'Shop' });
  const member = await desk.person('customer', { organization_id: organization.id });
  const team = await desk.admin.create('/teams', { title: 'Night' });
  await make(desk, 'Shop', all(is('users.organizationid', organization.id)));
  await make(desk, 'Night', all(is('cases.assigneeteamid', team.id)));
  await make(desk, 'Tagged', all(is('tags.name', 'vip', 'collection_contains_any_insensitive')));
  const talk = await opened(desk);
  assert.equal(await sla(desk, talk), null);
  await put(desk, talk, { tags: 'VIP, slow' });
  assert.equal(await sla(desk, talk), 'Tagged');
  const [{ actions }] = await desk.staff.fetch(`/cases/${talk.id}/activities`);
  assert.deepEqual(actions.map(({ field, old_value, new_value }) => [field, old_value, new_value]), [['tags', null, 'slow, VIP'], ['sla_version', null, 'Tagged']]);
  await put(desk, talk, { assigned_team_id: team.id });
  assert.equal(await sla(desk, talk), 'Night');
  await put(desk, talk, { requester_id: member.id });
  assert.equal(await sla(desk, talk), 'Shop');
});

test('a bulk PUT decides for each conversation', async (t) => {
  const desk = await open(t);
  await make(desk, 'Questions', all(is(PRIORITY, 4), is('cases.casetypeid', 1)));
  await make(desk, 'Urgent', all(is(PRIORITY, 4)));
  const talks = [await opened(desk, { type_id: 1 }), await opened(desk), await opened(desk, { priority_id: 4 }), await opened(desk, { type_id: 1 })];
  const ids = talks.map(({ id }) => id).join();
  (await desk.staff.put('/cases', { priority_id: 4 }, { query: { ids } })).must(200);
  assert.deepEqual(await Promise.all(talks.map((talk) => sla(desk, talk))), ['Questions', 'Urgent', 'Urgent', 'Questions']);
  (await desk.staff.put('/cases', { priority_id: 1 }, { query: { ids } })).must(200);
  assert.deepEqual(await Promise.all(talks.map((talk) => sla(desk, talk))), [null, null, null, null]);
});

test('activities and the change log show the attached SLA', async (t) => {
  const desk = await open(t);
  await make(desk, 'Gold', all(is(PRIORITY, 4)));
  await make(desk, 'Silver', all(is(PRIORITY, 3)));
  const talk = await opened(desk, { priority_id: 4 });
  const before = await shown(desk, talk);
  await put(desk, talk, { priority_id: 3 });
  const after = await shown(desk, talk);
  const [activity] = await desk.staff.fetch(`/cases/${talk.id}/activities`, { include: '*' });
  const change = activity.actions.find(({ field }) => field === 'sla_version');
  assert.deepEqual([change.old_value, change.new_value], ['Gold', 'Silver']);
  const entries = (await desk.admin.get('/changes', { limit: 1000 })).must(200).data.filter(({ property }) => property === 'sla_version');
  assert.deepEqual(entries.map(({ resource_type, resource_id, from, to, actor }) => [resource_type, resource_id, from, to, actor.id]),
    [['case', talk.id, String(before.id), String(after.id), desk.people.agent.id]]);
});

test('staff see the title of the attached version, and customers nothing of it', async (t) => {
  const desk = await open(t);
  await make(desk, 'canary-sla', [], { description: 'canary-description' });
  const talk = (await desk.customer.post('/conversations', { subject: 'Help', contents: 'Please' })).must(201).data;
  for (const role of ['owner', 'admin', 'agent', 'collaborator']) {
    const { sla_version } = await desk.as(role).fetch(`/cases/${talk.id}`, { include: '*' });
    assert.deepEqual([sla_version.title, sla_version.description], ['canary-sla', 'canary-description']);
  }
  const text = (await desk.customer.get(`/conversations/${talk.id}`, { include: '*' })).must(200).text;
  assert.ok(!text.includes('canary'), text);
});

// Views (docs/CONVERSATIONS.md, "Views and macros").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, open, opened, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const URGENT = { field: 'cases.casepriorityid', operator: 'comparison_equalto', value: '4' };
const proposition = (field, operator, value) => ({ field: `cases.${field}`, operator, value });
const all = (...propositions) => propositions.map((p) => ({ propositions: [p] }));

const ids = async (client, view, query) => (await client.fetch(`/views/${view.id}/cases`, query)).map(({ id }) => id);
const countOf = async (client, view) => {
  const row = (await client.fetch('/views/counts')).find((r) => r.view.id === view.id);
  return row && [row.count, row.count_accuracy];
};

test('a desk has the views INBOX, SUSPENDED and TRASH, which can\'t be deleted', async (t) => {
  const desk = await open(t);
  const views = await desk.as('collaborator').fetch('/views');
  assert.deepEqual(views.map(({ type, is_system, is_default, visibility_type, agent }) => [type, is_system, is_default, visibility_type, agent]), [
    ['INBOX', true, true, 'ALL', null], ['SUSPENDED', true, false, 'ALL', null], ['TRASH', true, false, 'ALL', null]]);
  const [inbox] = views;
  assert.match(inbox.realtime_channel, /^presence-[0-9a-f]{64}@v1_views_1$/);
  assert.deepEqual(inbox.predicate_collections, []);
  assert.equal(inbox.columns[0].name, 'subject');
  (await desk.admin.delete('/views/1')).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.admin.delete('/views', { ids: '2,3' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.admin.put('/views/1', { title: 'Mine', is_enabled: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'title', 'is_enabled');
  const changed = await desk.admin.update('/views/1', { order_by_column: 'casepriorityid', order_by: 'asc', columns: 'caseid, subject' });
  assert.deepEqual([changed.order_by_column, changed.order_by, changed.columns.map(({ name }) => name)], ['casepriorityid', 'ASC', ['caseid', 'subject']]);
});

test('a view is created, shown, changed and deleted', async (t) => {
  const desk = await open(t);
  const made = await desk.staff.create('/views', {
    title: 'Urgent', columns: ['subject', 'updatedat'], order_by_column: 'createdat', order_by: 'ASC',
    predicate_collections: [{ id: null, propositions: [{ id: null, ...URGENT }, proposition('subject', 'string_contains_insensitive', 'fire')] }],
  });
  assert.deepEqual(made.columns, [{ name: 'subject', resource_type: 'view_column' }, { name: 'updatedat', resource_type: 'view_column' }]);
  assert.deepEqual(made.predicate_collections, [{
    id: 1, resource_type: 'predicate_collection', propositions: [
      { id: 1, ...URGENT, resource_type: 'proposition' },
      { id: 2, ...proposition('subject', 'string_contains_insensitive', 'fire'), resource_type: 'proposition' }],
  }]);
  assert.deepEqual([made.type, made.visibility_type, made.agent.id, made.is_default, made.is_system, made.is_enabled, made.order_by_column, made.order_by, made.sort_order],
    ['CUSTOM', 'SELF', desk.people.agent.id, false, false, true, 'createdat', 'ASC', 4]);
  assert.equal((await desk.staff.get(`/views/${made.id}?_case=camel`)).must(200).data.predicateCollections[0].resourceType, 'predicateCollection');
  const changed = await desk.staff.update(`/views/${made.id}`, { title: 'Hot', predicate_collections: [] });
  assert.deepEqual([changed.title, changed.predicate_collections, changed.order_by], ['Hot', [], 'ASC']);
  (await desk.staff.delete(`/views/${made.id}`)).must(200);
  (await desk.staff.get(`/views/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await desk.admin.fetch('/views', { show_all: true })).length, 3);
});

test('the preview of a view shows what the stored view shows, and to nobody more than they see', async (t) => {
  const desk = await open(t);
  const mine = await opened(desk, { subject: 'Fire' }), other = await opened(desk, { subject: 'Water' });
  await desk.admin.update(`/cases/${mine.id}`, { priority_id: 4, assigned_agent_id: desk.people.agent.id });
  await desk.admin.update(`/cases/${other.id}`, { priority_id: 4 });
  const narrow = await desk.person('agent', { agent_case_access: 'SELF' });
  for (const [client, predicate_collections] of [[desk.staff, all(URGENT)], [desk.staff, all(URGENT, proposition('subject', 'string_contains_insensitive', 'fire'))], [desk.staff, []], [desk.staff, null], [narrow.client, all(URGENT)]]) {
    const view = await client.create('/views', { title: 'Stored', predicate_collections });
    const stored = (await client.get(`/views/${view.id}/cases`)).must(200).body, shown = (await client.post('/views/preview', { predicate_collections })).must(200).body;
    assert.deepEqual([shown.total_count, shown.data.map(({ id }) => id)], [stored.total_count, stored.data.map(({ id }) => id)]);
    await client.delete(`/views/${view.id}`);
  }
  assert.equal((await narrow.client.post('/views/preview', { predicate_collections: all(URGENT) })).must(200).body.total_count, 0);
  assert.equal((await desk.staff.post('/views/preview', { predicate_collections: all(URGENT) }, { limit: 1 })).must(200).body.total_count, 2);
  (await desk.staff.post('/views/preview', { predicate_collections: all({ ...URGENT, operator: 'nonsense' }) })).refused(400, 'FIELD_INVALID', 'predicate_collections[0].propositions[0].operator');
  (await desk.customer.post('/views/preview', { predicate_collections: [] })).refused(403, 'PERMISSIONS_DENIED');
});

test('a view is checked when it is saved, and every wrong place is named', async (t) => {
  const desk = await open(t);
  const reply = await desk.staff.post('/views', {
    columns: ['subject', 'nonsense', 'case_field_999', 'subject'], order_by_column: 'conversation', visibility_type: 'NOBODY',
    predicate_collections: [
      { propositions: [URGENT] },
      { propositions: [URGENT, { field: 'cases.nothing', operator: 'comparison_equalto', value: 1 }, { ...URGENT, operator: 'comparison_greaterthan' }] },
      { propositions: [{ ...URGENT, value: 99 }, proposition('assigneeagentid', 'comparison_equalto', 999), { field: 'cases.subject' }] },
      { propositions: [] }, 7,
    ],
  });
  assert.equal(reply.status, 400);
  const wrong = reply.body.errors.map(({ code, parameter, pointer }) => [code, parameter, pointer]);
  assert.deepEqual(wrong.sort(), [
    ['FIELD_REQUIRED', 'title', undefined],
    ['FIELD_INVALID', 'visibility_type', undefined],
    ['FIELD_INVALID', 'columns', 'columns/1'],
    ['FIELD_INVALID', 'columns', 'columns/2'],
    ['FIELD_DUPLICATE', 'columns', 'columns/3'],
    ['FIELD_INVALID', 'order_by_column', undefined],
    ['FIELD_INVALID', 'predicate_collections[1].propositions[1].field', 'predicate_collections/1/propositions/1/field'],
    ['FIELD_INVALID', 'predicate_collections[1].propositions[2].operator', 'predicate_collections/1/propositions/2/operator'],
    ['FIELD_INVALID', 'predicate_collections[2].propositions[0].value', 'predicate_collections/2/propositions/0/value'],
    ['FIELD_INVALID', 'predicate_collections[2].propositions[1].value', 'predicate_collections/2/propositions/1/value'],
    ['FIELD_REQUIRED', 'predicate_collections[2].propositions[2].operator', 'predicate_collections/2/propositions/2/operator'],
    ['FIELD_REQUIRED', 'predicate_collections[2].propositions[2].value', 'predicate_collections/2/propositions/2/value'],
    ['FIELD_EMPTY', 'predicate_collections[3].propositions', 'predicate_collections/3/propositions'],
    ['FIELD_INVALID', 'predicate_collections', 'predicate_collections/4'],
  ].sort());
  for (const bad of ['x', 5, { propositions: [] }]) (await desk.staff.post('/views', { title: 'a', predicate_collections: bad })).refused(400, 'FIELD_INVALID', 'predicate_collections');
  const many = Array.from({ length: 101 }, () => URGENT);
  (await desk.staff.post('/views', { title: 'a', predicate_collections: [{ propositions: many }] })).refused(400, 'FIELD_INVALID', 'predicate_collections[0].propositions');
  (await desk.staff.post('/views', { title: 'a', visibility_type: 'TEAM' })).refused(400, 'FIELD_REQUIRED', 'team_ids');
  (await desk.staff.post('/views', { title: 'a', visibility_type: 'TEAM', team_ids: [999] })).refused(400, 'FIELD_INVALID', 'team_ids');
  assert.equal((await desk.admin.fetch('/views', { show_all: true })).length, 3);
});

test('staff write their own views, agents with case_views.manage those for teams and for all', async (t) => {
  const desk = await open(t);
  const collaborator = desk.as('collaborator');
  const own = await collaborator.create('/views', { title: 'Mine' });
  for (const shared of [{ visibility_type: 'ALL' }, { visibility_type: 'TEAM', team_ids: [1] }]) {
    if (shared.team_ids) shared.team_ids = [(await desk.admin.create('/teams', { title: 'Line' })).id];
    (await collaborator.post('/views', { title: 'a', ...shared })).refused(403, 'PERMISSIONS_DENIED');
    (await collaborator.put(`/views/${own.id}`, shared)).refused(403, 'PERMISSIONS_DENIED');
  }
  (await collaborator.put('/views/1', { order_by: 'ASC' })).refused(403, 'PERMISSIONS_DENIED');
  (await collaborator.delete('/views/1')).refused(403, 'PERMISSIONS_DENIED');
  (await collaborator.put('/views/reorder', { view_ids: [1] })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.customer.get('/views')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.customer.get('/views/counts')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get('/views/1/cases')).refused(401, 'AUTHORIZATION_REQUIRED');
  const shared = await desk.staff.create('/views', { title: 'For all', visibility_type: 'ALL' });
  assert.equal((await collaborator.fetch(`/views/${shared.id}`)).title, 'For all');
  (await desk.admin.put('/roles/2/permissions', { 'case_views.manage': false })).must(200);
  (await desk.staff.put(`/views/${shared.id}`, { title: 'b' })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.delete(`/views/${shared.id}`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.post('/views', { title: 'b', visibility_type: 'ALL' })).refused(403, 'PERMISSIONS_DENIED');
  const mine = await desk.staff.create('/views', { title: 'Still mine' });
  (await desk.staff.put(`/views/${mine.id}`, { is_default: true })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.delete('/views', { ids: [mine.id] })).must(200);
});

test('a view is seen by its agent, by its teams, or by all staff; admins list all with show_all', async (t) => {
  const desk = await open(t);
  const other = await desk.person('agent');
  const team = await desk.admin.create('/teams', { title: 'Line' });
  (await desk.admin.post(`/teams/${team.id}/members`, { agent_ids: [other.id] })).must(201);
  const self = await desk.staff.create('/views', { title: 'Self' });
  const teams = await desk.staff.create('/views', { title: 'Team', visibility_type: 'TEAM', team_ids: [team.id] });
  assert.deepEqual(teams.visibility_to_teams.map(({ id }) => id), [team.id]);
  const names = async (client, query) => (await client.fetch('/views', query)).filter((v) => !v.is_system).map((v) => v.title);
  assert.deepEqual(await names(desk.staff), ['Self', 'Team']);
  assert.deepEqual(await names(other.client), ['Team']);
  assert.deepEqual(await names(desk.as('collaborator')), []);
  assert.deepEqual(await names(desk.admin), []);
  assert.deepEqual(await names(desk.admin, { show_all: true }), ['Self', 'Team']);
  const ignored = (await other.client.get('/views', { show_all: true })).must(200);
  assert.ok(ignored.body.logs.some(({ message }) => message.includes('show_all')));
  assert.equal(ignored.data.length, 4);
  for (const [client, view] of [[other.client, self], [desk.as('collaborator'), self], [desk.as('collaborator'), teams]]) {
    (await client.get(`/views/${view.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await client.get(`/views/${view.id}/cases`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await client.put(`/views/${view.id}`, { title: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await client.delete(`/views/${view.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.equal(await countOf(client, view), undefined);
  }
  assert.equal((await desk.admin.update(`/views/${self.id}`, { title: 'Renamed' })).title, 'Renamed');
  await desk.staff.update(`/views/${teams.id}`, { visibility_type: 'ALL' });
  const shared = await desk.as('collaborator').fetch(`/views/${teams.id}`);
  assert.deepEqual([shared.visibility_type, shared.visibility_to_teams], ['ALL', []]);
  await desk.staff.update(`/views/${self.id}`, { visibility_type: 'TEAM', team_ids: [team.id] });
  (await desk.admin.delete(`/teams/${team.id}`)).must(200);
  (await other.client.get(`/views/${self.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual((await desk.staff.fetch(`/views/${self.id}`)).visibility_to_teams, []);
  assert.equal((await desk.staff.update(`/views/${self.id}`, { title: 'Of nobody' })).visibility_type, 'TEAM');
  (await desk.staff.put(`/views/${self.id}`, { visibility_type: 'TEAM' })).refused(400, 'FIELD_REQUIRED', 'team_ids');
  (await desk.staff.put(`/views/${self.id}`, { team_ids: [] })).refused(400, 'FIELD_REQUIRED', 'team_ids');
});

test('a disabled view is listed for its agent alone, and is not counted', async (t) => {
  const desk = await open(t);
  const view = await desk.staff.create('/views', { title: 'Off', visibility_type: 'ALL' });
  await desk.staff.update(`/views/${view.id}`, { is_enabled: false });
  assert.equal((await desk.staff.fetch('/views')).length, 4);
  assert.equal((await desk.admin.fetch('/views')).length, 3);
  (await desk.as('collaborator').get(`/views/${view.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(await countOf(desk.staff, view), undefined);
});

test('exactly one view for all staff is the default', async (t) => {
  const desk = await open(t);
  const view = await desk.staff.create('/views', { title: 'All', visibility_type: 'ALL', is_default: true });
  assert.deepEqual((await desk.staff.fetch('/views')).filter((v) => v.is_default).map(({ id }) => id), [view.id]);
  (await desk.staff.put(`/views/${view.id}`, { visibility_type: 'SELF' })).refused(400, 'FIELD_INVALID', 'visibility_type');
  (await desk.staff.put(`/views/${view.id}`, { is_enabled: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'is_enabled');
  (await desk.staff.delete(`/views/${view.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.post('/views', { title: 'Own', is_default: true })).refused(400, 'FIELD_INVALID', 'visibility_type');
  await desk.staff.update('/views/1', { is_default: true });
  (await desk.staff.delete(`/views/${view.id}`)).must(200);
});

test('reorder puts the given views first', async (t) => {
  const desk = await open(t);
  const a = await desk.staff.create('/views', { title: 'A' });
  (await desk.staff.put('/views/reorder', { view_ids: [a.id, 3] })).must(200);
  assert.deepEqual((await desk.staff.fetch('/views')).map(({ id }) => id), [a.id, 3, 1, 2]);
  (await desk.staff.put('/views/reorder', { view_ids: [999] })).refused(400, 'FIELD_INVALID', 'view_ids');
});

test('the inbox has active conversations that are not done; trash has those in the trash', async (t) => {
  const desk = await open(t);
  const [fresh, done, closed, trashed] = await Promise.all([1, 2, 3, 4].map(() => opened(desk)));
  await desk.staff.update(`/cases/${done.id}`, { status_id: 4 });
  await desk.admin.update(`/cases/${closed.id}`, { status_id: 5 });
  await desk.staff.update(`/cases/${trashed.id}/trash`);
  for (const client of [desk.staff, desk.admin]) {
    assert.deepEqual(await ids(client, { id: 1 }), [fresh.id]);
    assert.deepEqual(await ids(client, { id: 2 }), []);
    assert.deepEqual(await ids(client, { id: 3 }), [trashed.id]);
    assert.deepEqual((await client.fetch('/views/counts')).map(({ view, count, count_accuracy }) => [view.id, count, count_accuracy]),
      [[1, 1, 'KNOWN'], [2, 0, 'KNOWN'], [3, 1, 'KNOWN']]);
  }
});

test('every field of conversations can be asked about', async (t) => {
  const desk = await open(t);
  const team = await desk.admin.create('/teams', { title: 'Line' });
  (await desk.admin.post(`/teams/${team.id}/members`, { agent_ids: [desk.people.agent.id] })).must(201);
  const organization = await desk.admin.create('/organizations', { name: 'Engines' });
  const requester = await desk.person('customer');
  await desk.admin.update(`/users/${requester.id}`, { organization_id: organization.id, tags: 'gold' });
  const form = await desk.admin.create('/cases/forms', { title: 'Repairs' });
  const field = (await desk.admin.create('/cases/fields', { key: 'shade', title: 'Shade', type: 'TEXT', titles: [{ locale: 'en-us', translation: 'Shade' }] }));
  const place = (await desk.admin.create('/users/fields', { key: 'place', titles: [{ locale: 'en-us', translation: 'Place' }], type: 'TEXT' }));
  await desk.admin.update(`/users/${requester.id}`, { field_values: { place: 'Turin' } });
  const hit = await opened(desk, {
    subject: 'Größe ÄNDERN', requester_id: requester.id, priority_id: 4, type_id: 2, assigned_team_id: team.id, assigned_agent_id: desk.people.agent.id,
    tags: 'vip, new', channel: 'MAIL', form_id: form.id, field_values: { shade: 'dark red' },
  });
  const miss = await desk.admin.create('/cases', { subject: 'Other', contents: 'x', requester_id: desk.people.customer.id });
  await desk.admin.create(`/cases/${miss.id}/notes`, { contents: 'a note' });
  await requester.client.post(`/conversations/${hit.id}/ratings`, { score: 'BAD' });
  await desk.staff.update(`/cases/${hit.id}`, { status_id: 3 });
  const is = 'comparison_equalto', not = 'comparison_not_equalto', has = 'string_contains_insensitive';
  const found = { true: [hit.id], false: [miss.id] };
  const asked = [
    ['cases.subject', has, 'grosse xy', undefined], ['cases.subject', has, 'GROSSE A', true], ['cases.subject', not, 'größe ändern', false],
    ['cases.casestatusid', is, '3', true], ['cases.casestatusid', not, 3, false],
    ['cases.casepriorityid', is, 4, true], ['cases.casepriorityid', is, 0, false],
    ['cases.casetypeid', is, 2, true], ['cases.casetypeid', not, 0, true],
    ['cases.assigneeteamid', is, team.id, true], ['cases.assigneeteamid', is, 0, false], ['cases.assigneeteamid', is, '(current_users_team)', true],
    ['cases.assigneeteamid', not, '(current_users_team)', false],
    ['cases.assigneeagentid', is, desk.people.agent.id, true], ['cases.assigneeagentid', is, '(current_user)', true], ['cases.assigneeagentid', is, '0', false],
    ['cases.assigneeagentid', not, '(requester)', null], ['cases.assigneeagentid', is, '(requester)', undefined],
    ['cases.requesterid', is, requester.id, true], ['cases.requesterid', not, '(assignee)', null], ['cases.requesterid', is, '(CURRENT_USER)', undefined],
    ['users.organizationid', is, organization.id, true], ['users.organizationid', is, 0, false],
    ['tags.name', 'collection_contains_insensitive', 'VIP,new', true], ['tags.name', 'collection_does_not_contain_insensitive', ['vip'], false],
    ['tags.name', 'collection_contains_any_insensitive', ['vip', 'zzz'], true],
    ['requester.tags', 'collection_contains_insensitive', 'gold', true],
    ['cases.channel', is, 'mail', true], ['cases.channel', not, 'MAIL', false],
    ['cases.brandid', is, 1, null], ['cases.caseformid', is, form.id, true], ['cases.caseformid', is, 0, false],
    ['cases.lastupdatedby', is, desk.people.agent.id, true], ['cases.lastupdatedby', is, '(current_user)', true],
    ['cases.postcount', 'comparison_greaterthan', 1, false], ['casemetrics.reopencount', is, 0, null],
    ['cases.createdat_relative_past', 'date_after_or_on', 'today', null], ['cases.updatedat_relative_past', 'date_before_or_on', 'yesterday', undefined],
    ['cases.createdat_absolute', 'date_is', new Date(await desk.time()).toISOString(), null],
    ['cases.lastcompletedat_relative_past', 'date_after_or_on', 'lastyear', undefined], ['cases.lastagentactivityat_relative_past', 'date_after_or_on', 'yesterday', null],
    ['users.roleid', is, 4, null], ['cases.rating', is, 'bad', true], ['cases.rating', is, 0, false], ['cases.rating', not, 'BAD', false],
    ['casefields.shade', has, 'DARK', true], ['casefields.shade', not, 'dark red', false], ['requesterfields.place', has, 'turin', true],
  ];
  const expected = { true: [hit.id], false: [miss.id], null: [hit.id, miss.id], undefined: [] };
  const view = await desk.staff.create('/views', { title: 'v', order_by_column: 'caseid', order_by: 'ASC' });
  for (const [name, operator, value, wanted, instead] of asked) {
    await desk.staff.update(`/views/${view.id}`, { predicate_collections: all({ field: name, operator, value }) });
    const got = await ids(desk.staff, view);
    assert.deepEqual(got, instead ?? expected[wanted], `${name} ${operator} ${value}`);
    assert.deepEqual(await countOf(desk.staff, view), [got.length, 'KNOWN'], `${name} ${operator} ${value}`);
  }
  assert.ok(found && field && place);
  const names = (await desk.staff.fetch('/views/definitions')).map((d) => d.field);
  for (const [name] of asked) assert.ok(names.includes(name), name);
});

/** Two teams, and an agent of the first one with each access. */
async function accessed(desk) {
  const mine = await desk.admin.create('/teams', { title: 'Mine' }), theirs = await desk.admin.create('/teams', { title: 'Theirs' });
  const people = {};
  for (const access of ['ALL', 'TEAMS', 'SELF']) {
    people[access] = await desk.person('agent');
    await desk.admin.update(`/users/${people[access].id}`, { agent_case_access: access });
    (await desk.admin.post(`/teams/${mine.id}/members`, { agent_ids: people[access].id })).must(201);
  }
  return { mine, theirs, people };
}

test('the list and the count of a view have only conversations that the caller may see', async (t) => {
  const desk = await open(t);
  const { mine, theirs, people } = await accessed(desk);
  const view = await desk.admin.create('/views', { title: 'Urgent', visibility_type: 'ALL', predicate_collections: all(URGENT) });
  const made = {};
  for (const [name, extra] of Object.entries({
    free: {}, mine: { assigned_team_id: mine.id }, theirs: { assigned_team_id: theirs.id }, other: { assigned_agent_id: desk.people.agent.id },
    teams: { assigned_team_id: theirs.id, assigned_agent_id: people.TEAMS.id }, self: { assigned_agent_id: people.SELF.id },
    calm: { priority_id: 1 }, gone: {},
  })) made[name] = (await opened(desk, { priority_id: 4, ...extra })).id;
  await desk.staff.update(`/cases/${made.gone}/trash`);
  const sees = { ALL: ['free', 'mine', 'theirs', 'other', 'teams', 'self'], TEAMS: ['free', 'mine', 'teams'], SELF: ['self'] };
  for (const [access, names] of Object.entries(sees)) {
    const { client } = people[access];
    const reply = (await client.get(`/views/${view.id}/cases`, { limit: 1 })).must(200);
    assert.equal(reply.body.total_count, names.length, access);
    assert.deepEqual((await ids(client, view)).sort(), names.map((n) => made[n]).sort(), access);
    assert.deepEqual(await countOf(client, view), [names.length, 'KNOWN'], access);
    const hidden = await ids(client, { id: 3 });
    assert.deepEqual(hidden, access === 'SELF' ? [] : [made.gone]);
    assert.deepEqual(await countOf(client, { id: 3 }), [hidden.length, 'KNOWN'], access);
    const inbox = await ids(client, { id: 1 });
    assert.deepEqual(await countOf(client, { id: 1 }), [inbox.length, 'KNOWN'], access);
  }
  const own = await people.TEAMS.client.create('/views', { title: 'Mine', predicate_collections: all(proposition('assigneeagentid', 'comparison_equalto', '(current_user)')) });
  assert.deepEqual(await countOf(people.TEAMS.client, own), [1, 'KNOWN']);
  await desk.admin.update(`/views/${own.id}`, { visibility_type: 'ALL' });
  assert.deepEqual(await countOf(people.SELF.client, own), [1, 'KNOWN']);
  assert.deepEqual(await ids(people.SELF.client, own), [made.self]);
  assert.deepEqual(await countOf(people.ALL.client, own), [0, 'KNOWN']);
});

test('filters narrow a view to what both admit, in its order, for each access, also after a change', async (t) => {
  const desk = await open(t);
  const { mine, theirs, people } = await accessed(desk);
  const agents = [undefined, people.TEAMS.id, people.SELF.id, desk.people.agent.id];
  const made = [];
  for (let i = 0; i < 24; i++) {
    const extra = { assigned_team_id: [undefined, mine.id, theirs.id][i % 3], assigned_agent_id: agents[(i >> 1) % 4], tags: i % 2 ? 'vip' : 'calm' };
    const { id } = await opened(desk, { priority_id: 1 + (i % 4), ...extra });
    if (i % 5) await desk.staff.update(`/cases/${id}`, { status_id: 1 + (i % 5) % 4 });
    made.push(id);
  }
  const views = [{ id: 1 }, { id: 3 }];
  for (const propositions of [all(URGENT), all(proposition('casestatusid', 'comparison_not_equalto', '4')), []])
    views.push(await desk.admin.create('/views', { title: 'V', visibility_type: 'ALL', predicate_collections: propositions }));
  const type = (one) => ['NEW', 'OPEN', 'PENDING', 'COMPLETED'][one.status.id - 1];
  const filters = [
    [{ status: 'OPEN' }, (one) => type(one) === 'OPEN'],
    [{ status: 'CLOSED' }, () => false],
    [{ status: 'NEW,PENDING,COMPLETED' }, (one) => ['NEW', 'PENDING', 'COMPLETED'].includes(type(one))],
    [{ priority: 2 }, (one) => one.priority.id <= 2],
    [{ tags: 'vip' }, (one) => one.tags.some(({ name }) => name === 'vip')],
    [{ tags: 'vip', status: 'OPEN' }, (one) => type(one) === 'OPEN' && one.tags.some(({ name }) => name === 'vip')],
    [{ assigned_team_id: mine.id }, (one) => one.assigned_team?.id === mine.id],
    [{ assigned_team_id: theirs.id, status: 'PENDING' }, (one) => one.assigned_team?.id === theirs.id && type(one) === 'PENDING'],
    [{ assigned_agent_id: people.TEAMS.id }, (one) => one.assigned_agent?.id === people.TEAMS.id],
    [{ requester_id: desk.people.customer.id }, (one) => one.requester.id === desk.people.customer.id],
    [{ requester_id: desk.people.agent.id }, (one) => one.requester.id === desk.people.agent.id],
    [{ legacy_ids: 'none' }, () => false],
  ];
  const compare = async () => {
    for (const [access, { client }] of Object.entries(people)) {
      for (const view of views) {
        const path = `/views/${view.id}/cases`;
        const whole = (await client.get(path, { fields: '+tags', include: 'tag', limit: 1000 })).must(200).data;
        for (const [query, admits] of filters) {
          const wanted = whole.filter(admits).map(({ id }) => id), name = `${access}, view ${view.id}, ${JSON.stringify(query)}`;
          const found = (await client.get(path, { ...query, limit: 1000 })).must(200);
          assert.deepEqual(found.data.map(({ id }) => id), wanted, name);
          const page = (await client.get(path, { ...query, limit: 1, offset: 1 })).must(200);
          assert.deepEqual([page.body.total_count, page.data.map(({ id }) => id)], [wanted.length, wanted.slice(1, 2)], name);
        }
      }
    }
  };
  await compare();
  await desk.staff.update(`/cases/${made[1]}`, { status_id: 2, tags: 'vip', assigned_agent_id: people.SELF.id });
  await desk.staff.update(`/cases/${made[4]}/trash`);
  await compare();
});

test('a count follows every change, whichever process wrote it', async (t) => {
  const desk = await open(t);
  const tagged = await desk.staff.create('/views', { title: 'VIP', predicate_collections: all({ field: 'tags.name', operator: 'collection_contains_insensitive', value: 'vip' }) });
  const busy = await desk.staff.create('/views', { title: 'Busy', predicate_collections: all(proposition('postcount', 'comparison_greaterthan', 1)) });
  const made = await opened(desk);
  const expect = async (vip, posts) => {
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await countOf(desk.staff, tagged), [vip, 'KNOWN']);
      assert.deepEqual(await countOf(desk.staff, busy), [posts, 'KNOWN']);
    }
  };
  await expect(0, 0);
  await desk.staff.update(`/cases/${made.id}`, { tags: 'vip' });
  await expect(1, 0);
  await desk.staff.create(`/cases/${made.id}/notes`, { contents: 'x' });
  await expect(1, 1);
  await desk.staff.create(`/cases/${made.id}/reply`, { contents: 'x' });
  await expect(1, 1);
  (await desk.staff.delete(`/cases/${made.id}/tags`, { tags: 'vip' })).must(200);
  await expect(0, 1);
  await desk.staff.update(`/cases/${made.id}/trash`);
  await expect(0, 0);
});

test('in a large desk, counts stay a tenth of a millisecond for each active conversation, for each access; lists have exact totals', async (t) => {
  const desk = await open(t, { processes: 1 }); // each process keeps its own counts
  const team = (await desk.owner.create('/teams', { title: 'Line' })).id, inTeam = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team] });
  const view = await desk.staff.create('/views', { title: 'Fires', visibility_type: 'ALL', predicate_collections: all(proposition('subject', 'string_contains_insensitive', 'fire')) });
  const fire = (extra) => opened(desk, { subject: 'Fire', ...extra });
  await fire({ assigned_team_id: team });
  sql(desk, 'INSERT INTO case_totals (kind, id, with_id, priority_id, shard, n1, n2, n3, n4, n5, n6) VALUES (1, 0, -1, 0, 77, 49998, 0, 0, 0, 0, 0)'); // and two of this test
  assert.deepEqual(await countOf(desk.staff, view), [1, 'KNOWN']);
  await fire({ assigned_agent_id: desk.people.agent.id });
  const both = async () => [await countOf(desk.staff, view), await countOf(inTeam.client, view)];
  const expected = async (...counts) => assert.deepEqual(await both(), counts);
  // The numbers are new, whatever the store did meanwhile. On PostgreSQL any other transaction, also one of the background, makes them RELATIVE at once.
  const fresh = async (...numbers) => assert.deepEqual((await both()).map(([count]) => count), numbers);
  const known = (...numbers) => until('numbers that are still exact', async () => {
    await desk.staff.get(`/views/${view.id}/cases`, { limit: 1 });
    const counts = await both();
    assert.deepEqual(counts.map(([count]) => count), numbers);
    return counts.every(([, accuracy]) => accuracy === 'KNOWN');
  });
  await desk.clock.set(desk.clock.now + 4999);
  await expected([1, 'RELATIVE'], [1, 'RELATIVE']);
  assert.equal((await desk.staff.get(`/views/${view.id}/cases`, { limit: 1 })).must(200).body.total_count, 2);
  await fresh(2, 1);
  await known(2, 1);
  await fire({ assigned_team_id: team });
  await expected([2, 'RELATIVE'], [1, 'RELATIVE']);
  await desk.clock.set(desk.clock.now + 5001);
  await fresh(3, 2);
  await known(3, 2);
  sql(desk, 'UPDATE cases SET state = 3'); // as a cascade changes an organization: without an entry of the change log
  await until('the numbers of a later minute', async () => {
    await desk.session(desk.staff); // readers see what another program wrote after a write of the desk
    await desk.clock.forward(60);
    return (await countOf(desk.staff, view))[0] === 0;
  });
});

test('a relative date of a view moves with the clock', async (t) => {
  const desk = await open(t);
  const view = await desk.staff.create('/views', { title: 'Today', predicate_collections: all(proposition('createdat_relative_past', 'date_after_or_on', 'today')) });
  await opened(desk);
  assert.deepEqual(await countOf(desk.staff, view), [1, 'KNOWN']);
  await desk.clock.forward(2 * DAY);
  assert.deepEqual(await countOf(desk.staff, view), [0, 'KNOWN']);
  assert.deepEqual(await ids(desk.staff, view), []);
});

test('a view whose field, option, team or person was deleted stays, and the proposition holds for no conversation', async (t) => {
  const desk = await open(t);
  const team = await desk.admin.create('/teams', { title: 'Line' });
  const agent = await desk.person('agent');
  const priority = await desk.admin.create('/cases/priorities', { label: 'Top' });
  const field = await desk.admin.create('/cases/fields', { key: 'shade', type: 'TEXT', titles: [{ locale: 'en-us', translation: 'Shade' }] });
  await opened(desk, { field_values: { shade: 'red' } });
  const gone = [
    proposition('assigneeteamid', 'comparison_not_equalto', team.id), proposition('assigneeagentid', 'comparison_equalto', agent.id),
    proposition('casepriorityid', 'comparison_not_equalto', priority.id), { field: 'casefields.shade', operator: 'string_contains_insensitive', value: 'red' }];
  const views = [];
  for (const p of gone) views.push(await desk.staff.create('/views', { title: p.field, predicate_collections: all(p), columns: [`case_field_${field.id}`] }));
  const either = await desk.staff.create('/views', { title: 'either', predicate_collections: [{ propositions: [...gone, proposition('brandid', 'comparison_equalto', 1)] }] });
  const alone = await desk.staff.create('/views', { title: 'none', predicate_collections: [{ propositions: gone }] });
  (await desk.admin.delete(`/teams/${team.id}`)).must(200);
  (await desk.admin.delete(`/users/${agent.id}`)).must(200);
  (await desk.admin.delete(`/cases/priorities/${priority.id}`)).must(200);
  (await desk.admin.delete(`/cases/fields/${field.id}`)).must(200);
  for (const view of [...views, alone]) {
    assert.deepEqual(await ids(desk.staff, view), [], view.title);
    assert.deepEqual(await countOf(desk.staff, view), [0, 'KNOWN']);
    assert.equal((await desk.staff.update(`/views/${view.id}`, { title: 'still here' })).predicate_collections.length, 1);
  }
  assert.equal((await ids(desk.staff, either)).length, 1);
  assert.deepEqual(await countOf(desk.staff, either), [1, 'KNOWN']);
  (await desk.staff.put(`/views/${views[3].id}`, { predicate_collections: all(gone[3]) })).refused(400, 'FIELD_INVALID', 'predicate_collections[0].propositions[0].field');
  await desk.staff.update(`/views/${views[3].id}`, { predicate_collections: all(URGENT) });
});

test('the conversations of a view are paged in its order, by offset and by key', async (t) => {
  const desk = await open(t);
  const made = [];
  for (const [subject, priority_id] of [['b', 1], ['C', 4], ['a', 4], ['B', null]]) made.push((await opened(desk, { subject, ...(priority_id && { priority_id }) })).id);
  const view = await desk.staff.create('/views', { title: 'v', order_by_column: 'casepriorityid', order_by: 'DESC' });
  const [b, c, a, b2] = made;
  const orders = {
    'casepriorityid DESC': [a, c, b, b2], 'casepriorityid ASC': [b2, b, c, a], 'subject ASC': [a, b, b2, c], 'caseid DESC': [b2, a, c, b], 'createdat ASC': [b, c, a, b2],
    'lastcompletedat DESC': [b2, a, c, b], 'assigneeagentid ASC': [b, c, a, b2],
  };
  for (const [order, wanted] of Object.entries(orders)) {
    const [order_by_column, order_by] = order.split(' ');
    assert.deepEqual(await ids(desk.staff, view, { order_by_column, order_by }), wanted, order);
    const paged = [];
    for (let after_id = 0; ;) {
      const page = await ids(desk.staff, view, { order_by_column, order_by, limit: 3, ...(after_id && { after_id }) });
      paged.push(...page);
      if (page.length < 3) break;
      after_id = page.at(-1);
    }
    assert.deepEqual(paged, wanted, order);
    assert.deepEqual(await ids(desk.staff, view, { order_by_column, order_by, limit: 2, before_id: wanted[3] }), wanted.slice(1, 3), order);
    assert.deepEqual(await ids(desk.staff, view, { order_by_column, order_by, limit: 2, offset: 2 }), wanted.slice(2), order);
  }
  assert.deepEqual(await ids(desk.staff, view), orders['casepriorityid DESC']);
  assert.deepEqual(await ids(desk.staff, view, { ids: [c, b].join() }), [c, b]);
  (await desk.staff.get(`/views/${view.id}/cases`, { order_by_column: 'conversation' })).refused(400, 'FIELD_INVALID', 'order_by_column');
  (await desk.staff.get(`/views/${view.id}/cases`, { order_by: 'UP' })).refused(400, 'FIELD_INVALID', 'order_by');
});

test('a view is ordered by a custom field: options in their order, numbers by size; without the field, by the last change', async (t) => {
  const desk = await open(t);
  const titles = (translation) => [{ locale: 'en-us', translation }];
  const field = (key, type, more) => desk.admin.create('/cases/fields', { key, type, titles: titles(key), ...more });
  const size = await field('size', 'NUMERIC'), shade = await field('shade', 'TEXT'), paper = await field('paper', 'FILE');
  const level = await field('level', 'SELECT', { options: ['low', 'middle', 'high'].map((word, i) => ({ sort_order: 3 - i, titles: titles(word) })) });
  const option = [null, ...level.options.map(({ id }) => id)]; // in their order
  const made = [];
  for (const field_values of [{ size: 9, shade: 'Red', level: option[2] }, { size: 10, shade: 'blue', level: option[1] }, { size: -3, shade: 'Äpfel', level: option[3] }, {}])
    made.push((await opened(desk, { field_values })).id);
  const [a, b, c, none] = made;
  const view = await desk.staff.create('/views', { title: 'v', columns: [`CASE_FIELD_${size.id}`], order_by_column: `Case_Field_0${size.id}`, order_by: 'ASC' });
  assert.deepEqual([view.columns[0].name, view.order_by_column], [`case_field_${size.id}`, `case_field_${size.id}`]);
  for (const [{ id }, wanted] of [[size, [none, c, a, b]], [shade, [none, c, b, a]], [level, [none, b, a, c]]]) {
    const order = { order_by_column: `case_field_${id}` };
    assert.deepEqual(await ids(desk.staff, view, order), wanted);
    assert.deepEqual(await ids(desk.staff, view, { ...order, limit: 2, after_id: wanted[1] }), wanted.slice(2));
    assert.deepEqual(await ids(desk.staff, view, { ...order, order_by: 'DESC' }), wanted.toReversed());
  }
  (await desk.staff.post('/views', { title: 'w', columns: [`case_field_${size.id}`, `case_field_0${size.id}`] })).refused(400, 'FIELD_DUPLICATE', 'columns');
  for (const id of [paper.id, 999, 'x', '']) {
    (await desk.staff.get(`/views/${view.id}/cases`, { order_by_column: `case_field_${id}` })).refused(400, 'FIELD_INVALID', 'order_by_column');
  }
  (await desk.admin.delete(`/cases/fields/${size.id}`)).must(200);
  await desk.clock.forward(DAY);
  await desk.staff.update(`/cases/${a}`, { priority_id: 4 });
  assert.equal((await ids(desk.staff, view)).at(-1), a);
});

test('a view is ordered by the satisfaction status', async (t) => {
  const desk = await open(t);
  const rated = (await opened(desk)).id, other = (await opened(desk)).id;
  await desk.customer.post(`/conversations/${rated}/ratings`, { score: 'GOOD' });
  const view = await desk.staff.create('/views', { title: 'v', order_by_column: 'satisfactionstatus', order_by: 'DESC' });
  assert.deepEqual(await ids(desk.staff, view), [rated, other]);
  assert.deepEqual(await ids(desk.staff, view, { order_by: 'ASC' }), [other, rated]);
});

test('definitions and columns list what a view may have', async (t) => {
  const desk = await open(t);
  const field = await desk.admin.create('/cases/fields', { key: 'shade', type: 'TEXT', titles: [{ locale: 'en-us', translation: 'Shade' }] });
  const columns = await desk.as('collaborator').fetch('/views/columns');
  assert.deepEqual([columns[0].name, columns[0].title, columns.at(-1).name, columns.at(-1).title], ['caseid', 'Id', `case_field_${field.id}`, 'Shade']);
  const definitions = Object.fromEntries((await desk.as('collaborator').fetch('/views/definitions')).map((d) => [d.field, d]));
  assert.deepEqual(definitions['cases.assigneeagentid'].values, { 0: '(unassigned)', '(current_user)': '(current user)', '(requester)': '(requester)' });
  assert.deepEqual(definitions['cases.assigneeagentid'].operators, ['comparison_equalto', 'comparison_not_equalto']);
  assert.equal(definitions['cases.casestatusid'].values[1], 'New');
  assert.equal(definitions['casefields.shade'].input_type, 'STRING');
  (await desk.customer.get('/views/definitions')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.customer.get('/views/columns')).refused(403, 'PERMISSIONS_DENIED');
});

test('a purge deletes the private views and macros of the person, and keeps the shared ones', async (t) => {
  const desk = await open(t);
  const agent = await desk.person('agent');
  for (const visibility_type of ['SELF', 'ALL']) await agent.client.create('/views', { title: visibility_type, visibility_type });
  for (const visibility_type of ['PRIVATE', 'ALL']) await agent.client.create('/cases/macros', { title: visibility_type, visibility_type });
  (await desk.admin.delete(`/users/${agent.id}`, { purge: true })).must(200);
  assert.deepEqual((await desk.admin.fetch('/views', { show_all: true })).filter((v) => !v.is_system).map(({ title }) => title), ['ALL']);
  assert.deepEqual((await desk.admin.fetch('/cases/macros', { show_all: true })).map(({ title }) => title), ['ALL']);
});

test('one person makes at most 200 views', async (t) => {
  const desk = await open(t);
  await desk.stop();
  const me = desk.people.agent.id;
  sql(desk, `INSERT INTO views (title, visibility_type, agent_id, columns, order_by_column, order_by, created_at, updated_at)
    WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 200) SELECT 'v', 2, ${me}, '[]', 'updatedat', 2, 0, 0 FROM k`);
  await desk.start();
  (await desk.staff.post('/views', { title: 'one more' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal((await desk.staff.fetch('/views/counts')).length, 203);
});

test('the subjects of conversations from before an upgrade are found after its job', async (t) => {
  const desk = await open(t);
  const made = await opened(desk, { subject: 'Größe' });
  const view = await desk.staff.create('/views', { title: 'v', predicate_collections: all(proposition('subject', 'string_contains_insensitive', 'grosse')) });
  await desk.stop();
  sql(desk, 'UPDATE cases SET subject_key = NULL');
  await desk.start();
  assert.deepEqual(await ids(desk.staff, view), []);
  await desk.stop();
  sql(desk, `INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('index_names', 1, '{"step": 6}', 0, 0, 0, 0)`);
  await desk.start();
  assert.deepEqual(await until('the subject is found', async () => { const found = await ids(desk.staff, view); return found.length && found; }), [made.id]);
});

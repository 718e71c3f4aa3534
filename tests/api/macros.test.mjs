// Macros (docs/CONVERSATIONS.md, "Views and macros").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, opened } from './lib/index.mjs';

const tagsOf = async (client, id) => (await client.fetch(`/cases/${id}`, { fields: '+tags' })).tags.map(({ name }) => name).sort();

test('a macro is created, shown, changed, used and deleted', async (t) => {
  const desk = await open(t);
  const team = await desk.admin.create('/teams', { title: 'Line', legacy_id: 'L1' });
  const made = await desk.staff.create('/cases/macros', {
    title: 'Escalate', visibility_type: 'TEAM', visible_to_team_id: team.id, reply_type: 'NOTE', reply_contents: 'See {{case.id}}', assignee_type: 'TEAM', assigned_team_id: team.id,
    priority_action: 'INCREASE_ONE_LEVEL', status_id: 2, type_id: 3, add_tags: 'urgent, vip', remove_tags: ['new'],
  });
  assert.deepEqual(made.assignee, { type: 'TEAM', team: { id: team.id, legacy_id: 'L1', resource_type: 'team' }, agent: null, resource_type: 'macro_assignee' });
  assert.deepEqual(made.visibility, { type: 'TEAM', team: { id: team.id, legacy_id: 'L1', resource_type: 'team' }, resource_type: 'macro_visibility' });
  assert.deepEqual([made.add_tags.map(({ name }) => name), made.remove_tags.map(({ name }) => name)], [['urgent', 'vip'], ['new']]);
  assert.deepEqual([made.title, made.reply_type, made.reply_contents, made.agent.id, made.status.id, made.type.id, made.priority, made.priority_action, made.usage_count, made.last_used_at],
    ['Escalate', 'NOTE', 'See {{case.id}}', desk.people.agent.id, 2, 3, null, 'INCREASE_ONE_LEVEL', 0, null]);
  assert.equal((await desk.staff.fetch(`/cases/macros/${made.id}`, { include: 'team' })).assignee.team.title, 'Line');
  const used = await desk.staff.update(`/cases/macros/${made.id}/used`);
  assert.deepEqual([used.usage_count, used.last_used_at !== null, used.updated_at], [1, true, made.updated_at]);
  const changed = await desk.staff.update(`/cases/macros/${made.id}`, { assignee_type: 'CURRENT_AGENT', visibility_type: 'ALL', remove_tags: '', status_id: null });
  assert.deepEqual([changed.assignee, changed.visibility.team, changed.remove_tags, changed.add_tags.length, changed.status],
    [{ type: 'CURRENT_AGENT', team: null, agent: null, resource_type: 'macro_assignee' }, null, [], 2, null]);
  await desk.staff.create('/cases/macros', { title: 'apologise' });
  assert.deepEqual((await desk.staff.fetch('/cases/macros')).map(({ title }) => title), ['apologise', 'Escalate']);
  (await desk.staff.delete(`/cases/macros/${made.id}`)).must(200);
  (await desk.staff.get(`/cases/macros/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('a macro is checked when it is saved', async (t) => {
  const desk = await open(t);
  const refused = async (body, code, ...names) => (await desk.staff.post('/cases/macros', { title: 'a', ...body })).refused(400, code, ...names);
  (await desk.staff.post('/cases/macros', {})).refused(400, 'FIELD_REQUIRED', 'title');
  await refused({ reply_contents: 'Hi {{password}}' }, 'FIELD_INVALID', 'reply_contents');
  await refused({ visibility_type: 'TEAM' }, 'FIELD_REQUIRED', 'visible_to_team_id');
  await refused({ assignee_type: 'TEAM' }, 'FIELD_REQUIRED', 'assigned_team_id');
  await refused({ assignee_type: 'AGENT' }, 'FIELD_REQUIRED', 'assigned_agent_id');
  await refused({ assignee_type: 'AGENT', assigned_agent_id: desk.people.customer.id }, 'FIELD_INVALID', 'assigned_agent_id');
  await refused({ priority_id: 4, priority_action: 'DECREASE_ONE_LEVEL' }, 'FIELD_INVALID', 'priority_action');
  await refused({ reply_type: 'MAIL', status_id: 99, type_id: 99, priority_id: 99, add_tags: ['a'.repeat(65)] }, 'FIELD_INVALID', 'reply_type', 'status_id', 'type_id', 'priority_id', 'add_tags');
  assert.deepEqual(await desk.admin.fetch('/cases/macros', { show_all: true }), []);
});

test('a macro is seen and written like a view', async (t) => {
  const desk = await open(t);
  const collaborator = desk.as('collaborator'), other = await desk.person('agent');
  const team = await desk.admin.create('/teams', { title: 'Line' });
  (await desk.admin.post(`/teams/${team.id}/members`, { agent_ids: other.id })).must(201);
  const own = await collaborator.create('/cases/macros', { title: 'Own' });
  const shared = await desk.staff.create('/cases/macros', { title: 'Team', visibility_type: 'TEAM', visible_to_team_id: team.id });
  const titles = async (client, query) => (await client.fetch('/cases/macros', query)).map(({ title }) => title);
  assert.deepEqual(await titles(collaborator), ['Own']);
  assert.deepEqual(await titles(other.client), ['Team']);
  assert.deepEqual(await titles(desk.admin), []);
  assert.deepEqual(await titles(desk.admin, { show_all: true }), ['Own', 'Team']);
  for (const [client, macro] of [[other.client, own], [collaborator, shared]]) {
    (await client.get(`/cases/macros/${macro.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await client.get(`/cases/macros/${macro.id}/preview`, { case_id: 1 })).refused(404, 'RESOURCE_NOT_FOUND');
    (await client.put(`/cases/macros/${macro.id}`, { title: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await client.put(`/cases/macros/${macro.id}/used`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await client.delete('/cases/macros', { ids: macro.id })).refused(404, 'RESOURCE_NOT_FOUND', 'ids');
  }
  for (const body of [{ visibility_type: 'ALL' }, { visibility_type: 'TEAM', visible_to_team_id: team.id }]) {
    (await collaborator.post('/cases/macros', { title: 'a', ...body })).refused(403, 'PERMISSIONS_DENIED');
    (await collaborator.put(`/cases/macros/${own.id}`, body)).refused(403, 'PERMISSIONS_DENIED');
  }
  (await desk.admin.put('/roles/2/permissions', { 'macros.manage': false })).must(200);
  (await desk.staff.put(`/cases/macros/${shared.id}`, { title: 'x' })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.delete(`/cases/macros/${shared.id}`)).refused(403, 'PERMISSIONS_DENIED');
  await desk.admin.update(`/cases/macros/${own.id}`, { title: 'Renamed' });
  for (const [client, status, code] of [[desk.customer, 403, 'PERMISSIONS_DENIED'], [desk.anyone, 401, 'AUTHORIZATION_REQUIRED']]) {
    (await client.get('/cases/macros')).refused(status, code);
    (await client.post('/cases/macros', { title: 'a' })).refused(status, code);
  }
});

test('a preview fills the text and shows the properties; nothing changes', async (t) => {
  const desk = await open(t);
  const made = await opened(desk, { priority_id: 4, assigned_agent_id: desk.people.admin.id, tags: 'new, old' });
  const macro = await desk.staff.create('/cases/macros', {
    title: 'm', reply_contents: 'Hello {{requester.name}},\n{{case.subject}} ({{ case.id }}) - {{agent.name}} {{unclosed', assignee_type: 'CURRENT_AGENT', priority_action: 'DECREASE_ONE_LEVEL',
    status_id: 3, add_tags: 'vip', remove_tags: 'NEW',
  });
  const shown = await desk.staff.fetch(`/cases/macros/${macro.id}/preview`, { case_id: made.id, include: 'tag' });
  assert.equal(shown.contents, `Hello Cora Customer,\nThe engine stalls (${made.id}) - Agnes Agent {{unclosed`);
  assert.deepEqual([shown.macro.id, shown.case.id, shown.reply_type, shown.status.id, shown.priority.id, shown.type, shown.assigned_team, shown.assigned_agent.id, shown.tags.map(({ name }) => name).sort()],
    [macro.id, made.id, 'REPLY', 3, 3, null, null, desk.people.agent.id, ['old', 'vip']]);
  const after = await desk.staff.fetch(`/cases/${made.id}`);
  assert.deepEqual([after.status.id, after.assigned_agent.id, after.updated_at], [1, desk.people.admin.id, made.updated_at]);
  (await desk.staff.get(`/cases/macros/${macro.id}/preview`)).refused(400, 'FIELD_REQUIRED', 'case_id');
  (await desk.staff.get(`/cases/macros/${macro.id}/preview`, { case_id: 999 })).refused(400, 'FIELD_INVALID', 'case_id');
  await desk.admin.update(`/users/${desk.people.agent.id}`, { agent_case_access: 'SELF' });
  (await desk.staff.get(`/cases/macros/${macro.id}/preview`, { case_id: made.id })).refused(400, 'FIELD_INVALID', 'case_id');
});

test('macro_id changes properties and tags, except those that the request gives', async (t) => {
  const desk = await open(t);
  const team = await desk.admin.create('/teams', { title: 'Line' });
  const macro = await desk.staff.create('/cases/macros', {
    title: 'm', assignee_type: 'TEAM', assigned_team_id: team.id, priority_action: 'INCREASE_ONE_LEVEL', status_id: 3, type_id: 2, add_tags: 'vip', remove_tags: 'new',
  });
  const made = await opened(desk, { assigned_agent_id: desk.people.agent.id, tags: 'new' });
  await desk.staff.create(`/cases/${made.id}/reply`, { contents: 'On it', macro_id: macro.id, type_id: 1 });
  const replied = await desk.staff.fetch(`/cases/${made.id}`);
  assert.deepEqual([replied.status.id, replied.type.id, replied.priority.id, replied.assigned_team.id, replied.assigned_agent], [3, 1, 1, team.id, null]);
  assert.deepEqual(await tagsOf(desk.staff, made.id), ['vip']);
  const raised = await desk.staff.update(`/cases/${made.id}`, { macro_id: macro.id, tags: 'only' });
  assert.deepEqual([raised.priority.id, raised.type.id], [2, 2]);
  assert.deepEqual(await tagsOf(desk.staff, made.id), ['only']);
  const second = await opened(desk, { priority_id: 4 });
  assert.equal((await desk.staff.put('/cases', { ids: [made.id, second.id], macro_id: macro.id })).must(200).body.total_count, 2);
  assert.deepEqual([(await desk.staff.fetch(`/cases/${made.id}`)).priority.id, (await desk.staff.fetch(`/cases/${second.id}`)).priority.id], [3, 4]);
  assert.equal((await desk.staff.fetch(`/cases/macros/${macro.id}`)).usage_count, 3);
  const activities = await desk.staff.fetch(`/cases/${second.id}/activities`);
  assert.ok(JSON.stringify(activities).includes('assigned_team'), 'the change has an activity');
});

test('a reply without contents has the text of its macro, with its values', async (t) => {
  const desk = await open(t);
  const made = await opened(desk), path = `/cases/${made.id}/reply`;
  const posts = async () => (await desk.staff.fetch(`/cases/${made.id}/posts`, { filters: 'MESSAGES,NOTES' })).map((p) => [p.contents, p.original.resource_type]);
  const macro = await desk.staff.create('/cases/macros', { title: 'm', reply_contents: 'Hello <b>{{requester.name}}</b>', status_id: 3 });
  const silent = await desk.staff.create('/cases/macros', { title: 'n', status_id: 3 });
  const before = await posts();
  await desk.staff.create(path, { macro_id: macro.id, contents: null, channel_options: { html: true } });
  const hello = ['Hello <b>Cora Customer</b>', 'case_message'];
  assert.deepEqual(await posts(), [hello, ...before]);
  const [message] = await desk.staff.fetch(`/cases/${made.id}/messages`);
  assert.equal(message.body_html, 'Hello &lt;b&gt;Cora Customer&lt;/b&gt;');
  const after = await desk.staff.fetch(`/cases/${made.id}`);
  assert.deepEqual([after.post_count, after.status.id, (await desk.staff.fetch(`/cases/macros/${macro.id}`)).usage_count], [2, 3, 1]);
  await desk.staff.create(path, { macro_id: macro.id, contents: 'My own' });
  await desk.staff.create(path, { macro_id: macro.id, channel: 'NOTE' });
  assert.deepEqual((await posts()).slice(0, 2), [[hello[0], 'note'], ['My own', 'case_message']]);
  for (const body of [{ macro_id: silent.id }, { macro_id: silent.id, channel: 'NOTE' }]) (await desk.staff.post(path, body)).refused(400, 'FIELD_REQUIRED', 'contents');
  (await desk.staff.post(path, { macro_id: macro.id, contents: '' })).refused(400, 'FIELD_EMPTY', 'contents');
  (await desk.staff.post(path, { macro_id: 999 })).must(400);
});

test('the text of a macro for notes becomes a note, and never a message', async (t) => {
  const desk = await open(t);
  const made = await opened(desk, { channel: 'MAIL' }), path = `/cases/${made.id}/reply`;
  const macro = await desk.staff.create('/cases/macros', { title: 'm', reply_contents: 'canary', reply_type: 'NOTE' });
  for (const channel of ['MAIL', 'HELPCENTER']) (await desk.staff.post(path, { macro_id: macro.id, channel })).refused(400, 'FIELD_REQUIRED', 'contents');
  await desk.owner.put('/roles/2/permissions', { 'cases.public_reply': false });
  await desk.staff.create(path, { macro_id: macro.id });
  const [post] = await desk.staff.fetch(`/cases/${made.id}/posts`, { filters: 'MESSAGES,NOTES' });
  assert.deepEqual([post.contents, post.original.resource_type], ['canary', 'note']);
  assert.doesNotMatch((await desk.customer.get(`/conversations/${made.id}/messages`)).must(200).text, /canary/);
});

test('a macro gives no right that its caller lacks', async (t) => {
  const desk = await open(t);
  const made = await opened(desk);
  const closing = await desk.admin.create('/cases/macros', { title: 'Close', visibility_type: 'ALL', status_id: 5, reply_type: 'NOTE' });
  const hidden = await desk.admin.create('/cases/macros', { title: 'Private' });
  (await desk.staff.put(`/cases/${made.id}`, { macro_id: closing.id })).refused(403, 'PERMISSIONS_DENIED', 'macro_id');
  (await desk.staff.post(`/cases/${made.id}/reply`, { contents: 'x', macro_id: closing.id })).refused(403, 'PERMISSIONS_DENIED', 'macro_id');
  (await desk.as('collaborator').post(`/cases/${made.id}/reply`, { contents: 'x', channel: 'NOTE', macro_id: closing.id })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.put(`/cases/${made.id}`, { macro_id: hidden.id })).refused(400, 'FIELD_INVALID', 'macro_id');
  assert.equal((await desk.staff.fetch(`/cases/${made.id}`)).post_count, 1);
  await desk.admin.update(`/cases/${made.id}`, { macro_id: closing.id });
  (await desk.admin.put(`/cases/${made.id}`, { macro_id: closing.id })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
});

test('a macro whose team, agent, status, priority or type was deleted changes the rest', async (t) => {
  const desk = await open(t);
  const team = await desk.admin.create('/teams', { title: 'Line' }), agent = await desk.person('agent');
  const priority = await desk.admin.create('/cases/priorities', { label: 'Top' }), type = await desk.admin.create('/cases/types', { label: 'Odd', type: 'CUSTOM' });
  const status = await desk.admin.create('/cases/statuses', { label: 'Odd' });
  const rest = { status_id: status.id, priority_id: priority.id, type_id: type.id, visibility_type: 'TEAM', visible_to_team_id: team.id, add_tags: 'kept' };
  const first = await desk.staff.create('/cases/macros', { title: 'a', assignee_type: 'TEAM', assigned_team_id: team.id, ...rest });
  const second = await desk.staff.create('/cases/macros', { title: 'b', assignee_type: 'AGENT', assigned_agent_id: agent.id, ...rest });
  for (const path of [`/teams/${team.id}`, `/users/${agent.id}`, `/cases/priorities/${priority.id}`, `/cases/types/${type.id}`, `/cases/statuses/${status.id}`]) (await desk.admin.delete(path)).must(200);
  for (const macro of [first, second]) {
    const made = await opened(desk, { assigned_agent_id: desk.people.admin.id });
    assert.equal((await desk.staff.fetch(`/cases/macros/${macro.id}/preview`, { case_id: made.id })).assigned_agent.id, desk.people.admin.id);
    const changed = await desk.staff.update(`/cases/${made.id}`, { macro_id: macro.id });
    assert.deepEqual([changed.status.id, changed.priority, changed.type, changed.assigned_agent.id], [1, null, null, desk.people.admin.id]);
    assert.deepEqual(await tagsOf(desk.staff, made.id), ['kept']);
    assert.equal((await desk.staff.fetch(`/cases/macros/${macro.id}`)).visibility.team, null);
  }
  assert.equal((await desk.staff.update(`/cases/macros/${first.id}`, { title: 'c' })).title, 'c');
  (await desk.staff.put(`/cases/macros/${first.id}`, { visibility_type: 'TEAM' })).refused(400, 'FIELD_REQUIRED', 'visible_to_team_id');
  (await desk.staff.put(`/cases/macros/${first.id}`, { visible_to_team_id: null })).refused(400, 'FIELD_REQUIRED', 'visible_to_team_id');
  (await desk.staff.put(`/cases/macros/${first.id}`, { assigned_team_id: null })).refused(400, 'FIELD_REQUIRED', 'assigned_team_id');
});

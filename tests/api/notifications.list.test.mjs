// The list of notifications of staff (src/core/cases/staff_notice.c), and their channel.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE, ROLES, act, open, opened, until, when } from './lib/index.mjs';
import { Socket, stream } from './lib/socket.mjs';
import { sql } from './lib/sql.mjs';
import { apiToken } from './lib/tokens.mjs';

const list = (client, query = {}) => client.fetch('/notifications', query);
const types = async (client, query) => (await list(client, query)).map(({ type }) => type);
const unread = async (client) => (await client.get('/notifications', { unread: true, limit: 1 })).must(200).body.total_count;
const channel = async (client) => (await client.fetch('/me')).notification_channel;
const assign = (client, { id }, body) => client.update(`/cases/${id}`, body);
const says = (desk, { id }, contents = 'And now?') => desk.customer.create(`/conversations/${id}/messages`, { contents });
const note = async (client, { id }, contents) => (await client.create(`/cases/${id}/notes`, { contents })).post;
const teamOf = async (desk, ...ids) => {
  const team = await desk.owner.create('/teams', { title: 'Engines' });
  (await desk.owner.post(`/teams/${team.id}/members`, { agent_ids: ids })).must(201);
  return team;
};
const forAgent = (desk) => opened({ staff: desk.admin, people: desk.people }, { assigned_agent_id: desk.people.agent.id });
const told = (frames, ...events) => frames.filter((f) => events.includes(f.event)).map((f) => f.payload.resource_id);

test('staff are notified of what was assigned to them or their team, of replies and of mentions', async (t) => {
  const desk = await open(t), { agent, admin, customer } = desk.people;
  const team = await teamOf(desk, agent.id, admin.id);
  const talk = await opened({ staff: desk.admin, people: desk.people });
  assert.deepEqual(await list(desk.staff), []);
  await assign(desk.admin, talk, { assigned_agent_id: agent.id });
  const [first] = await list(desk.staff);
  assert.deepEqual({ ...first, id: 0, created_at: 0 }, {
    id: 0, type: 'case_assigned_to_agent', case: { id: talk.id, resource_type: 'case' }, post: null, actor: { id: admin.id, resource_type: 'user' },
    others_count: 0, read_at: null, created_at: 0, resource_type: 'notification', resource_url: `${desk.base}/api/v1/notifications/${first.id}` });
  assert.deepEqual(await desk.staff.fetch(`/notifications/${first.id}`), first);
  const message = await says(desk, talk);
  const [second] = await list(desk.staff);
  assert.deepEqual([second.type, second.post.id, second.actor.id], ['reply_on_case', message.id, customer.id]);
  const said = await note(desk.admin, talk, 'Ask @Agnes Agent about it');
  const [third] = await list(desk.staff);
  assert.deepEqual([third.type, third.post.id], ['mentioned_in_conversation', said.id]);
  await desk.admin.update(`/cases/${talk.id}/notes/${said.id}`, { contents: 'Ask @Agnes Agent and @Olive Owner' });
  assert.deepEqual(await types(desk.owner), ['mentioned_in_conversation']);
  const other = await opened({ staff: desk.owner, people: desk.people });
  await assign(desk.owner, other, { assigned_team_id: team.id });
  assert.deepEqual(await types(desk.staff), ['case_assigned_to_team', 'mentioned_in_conversation', 'reply_on_case', 'case_assigned_to_agent']);
  assert.deepEqual(await types(desk.admin), ['case_assigned_to_team']);
  assert.deepEqual(await types(desk.staff, { type: 'reply_on_case,mentioned_in_conversation' }), ['mentioned_in_conversation', 'reply_on_case']);
  assert.deepEqual(await types(desk.staff, { case_ids: other.id }), ['case_assigned_to_team']);
  const page = (await desk.staff.get('/notifications', { limit: 2, after_id: third.id })).must(200);
  assert.deepEqual(page.data.map(({ id }) => id), [second.id, first.id]);
  const shown = await desk.staff.fetch(`/notifications/${second.id}`, { include: 'case,post,user' });
  assert.deepEqual([shown.case.subject, shown.post.contents, shown.actor.full_name], ['The engine stalls', 'And now?', 'Cora Customer']);
});

test('nobody is notified of an own act, of a reply by staff, or of a new conversation', async (t) => {
  const desk = await open(t);
  const own = await opened(desk, { assigned_agent_id: desk.people.agent.id });
  await note(desk.staff, own, 'I, @Agnes Agent, look at it');
  await assign(desk.staff, own, { assigned_agent_id: null });
  await assign(desk.staff, own, { assigned_agent_id: desk.people.agent.id });
  await desk.admin.create(`/cases/${own.id}/reply`, { contents: 'We look at it' });
  await opened({ staff: desk.customer, people: desk.people }).catch(() => {});
  await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  for (const role of ROLES.filter((name) => name !== 'customer')) assert.deepEqual(await list(desk.as(role)), [], role);
  await says(desk, own);
  assert.deepEqual(await types(desk.staff), ['reply_on_case']);
});

test('the preference for desktops decides, one type at a time, and the most important enabled event counts', async (t) => {
  const desk = await open(t), prefer = (type, desktop) => desk.staff.update(`/notification_preferences/${type}`, { desktop });
  const talk = await forAgent(desk);
  await prefer('reply_on_case', false);
  await says(desk, talk);
  assert.deepEqual(await types(desk.staff), ['case_assigned_to_agent']);
  const team = await teamOf(desk, desk.people.agent.id);
  await opened({ staff: desk.admin, people: desk.people }, { assigned_agent_id: desk.people.agent.id, assigned_team_id: team.id });
  await prefer('case_assigned_to_agent', false);
  await opened({ staff: desk.admin, people: desk.people }, { assigned_agent_id: desk.people.agent.id, assigned_team_id: team.id });
  assert.deepEqual(await types(desk.staff), ['case_assigned_to_team', 'case_assigned_to_agent', 'case_assigned_to_agent']);
  await prefer('case_assigned_to_team', false);
  await forAgent(desk);
  assert.equal((await list(desk.staff)).length, 3);
  await prefer('reply_on_case', true);
  await desk.staff.update('/notification_preferences/reply_on_case', { email: false });
  await says(desk, talk);
  assert.equal((await types(desk.staff))[0], 'reply_on_case');
});

test('a trigger that stops notifications stops these, too', async (t) => {
  const desk = await open(t);
  await desk.admin.create('/triggers', { title: 'Quiet', predicate_collections: when(['cases.subject', 'string_contains_insensitive', 'quiet']), actions: [act('stopnotification', 'SEND', true)] });
  for (const subject of ['Quiet', 'Loud']) await opened({ staff: desk.admin, people: desk.people }, { subject, assigned_agent_id: desk.people.agent.id });
  assert.deepEqual((await list(desk.staff, { include: 'case' })).map((n) => n.case.subject), ['Loud']);
});

test('a bulk change adds a notification for each of 20 conversations, and one for more', async (t) => {
  const desk = await open(t), ids = [];
  for (let i = 0; i < 21; i++) ids.push((await opened({ staff: desk.admin, people: desk.people })).id);
  (await desk.admin.put('/cases', { ids: ids.slice(0, 20), assigned_agent_id: desk.people.agent.id })).must(200);
  const some = await list(desk.staff, { limit: 100 });
  assert.deepEqual(some.map((n) => [n.case.id, n.others_count]), ids.slice(0, 20).reverse().map((id) => [id, 0]));
  (await desk.admin.put('/cases', { ids, assigned_agent_id: null })).must(200);
  (await desk.admin.put('/cases', { ids, assigned_agent_id: desk.people.agent.id })).must(200);
  const [last, ...rest] = await list(desk.staff, { limit: 100 });
  assert.deepEqual([last.case.id, last.others_count, rest.length], [ids[0], 20, 20]);
});

test('read state: one, all, all up to one; read again changes nothing', async (t) => {
  const desk = await open(t), talk = await forAgent(desk);
  for (let i = 0; i < 3; i++) await says(desk, talk);
  const [a, b, c, d] = await list(desk.staff);
  assert.equal(await unread(desk.staff), 4);
  const read = (await desk.staff.put(`/notifications/${b.id}/read`)).must(200).data;
  assert.ok(read.read_at);
  await desk.clock.forward(MINUTE);
  assert.deepEqual((await desk.staff.put(`/notifications/${b.id}/read`)).must(200).data, read);
  assert.equal(await unread(desk.staff), 3);
  assert.deepEqual((await list(desk.staff, { unread: true })).map(({ id }) => id), [a.id, c.id, d.id]);
  assert.deepEqual((await list(desk.staff, { unread: false })).map(({ id }) => id), [b.id]);
  assert.equal((await desk.staff.put('/notifications/read_all', { until_id: c.id })).must(200).body.total_count, 2);
  assert.equal(await unread(desk.staff), 1);
  assert.equal((await desk.staff.put('/notifications/read_all')).must(200).body.total_count, 1);
  assert.equal((await desk.staff.put('/notifications/read_all', {})).must(200).body.total_count, 0);
  assert.equal((await desk.staff.fetch(`/notifications/${b.id}`)).read_at, read.read_at);
});

test('notifications of others are 404, customers have none, and wrong arguments are named', async (t) => {
  const desk = await open(t);
  await forAgent(desk);
  const [{ id }] = await list(desk.staff);
  for (const role of ['owner', 'admin', 'collaborator']) {
    (await desk.as(role).get(`/notifications/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.as(role).put(`/notifications/${id}/read`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.equal((await desk.as(role).put('/notifications/read_all')).must(200).body.total_count, 0);
  }
  assert.equal(await unread(desk.staff), 1);
  for (const [method, path] of [['get', '/notifications'], ['get', `/notifications/${id}`], ['put', `/notifications/${id}/read`], ['put', '/notifications/read_all']]) {
    (await desk.customer[method](path)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone[method](path)).refused(401, 'AUTHORIZATION_REQUIRED');
  }
  (await desk.staff.get('/notifications/0')).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.get('/notifications', { unread: 'perhaps' })).refused(400, 'FIELD_INVALID', 'unread');
  (await desk.staff.get('/notifications', { type: 'case_created' })).refused(400, 'FIELD_INVALID', 'type');
  (await desk.staff.put('/notifications/read_all', { until_id: 'last' })).refused(400, 'FIELD_INVALID', 'until_id');
  const reader = await apiToken(desk, desk.staff, { scopes: ['conversations:read'] });
  assert.equal((await reader.client.get('/notifications')).must(200).data.length, 1);
  (await reader.client.put('/notifications/read_all')).refused(403, 'PERMISSIONS_DENIED');
  const other = await apiToken(desk, desk.staff, { scopes: ['users'] });
  (await other.client.get('/notifications')).refused(403, 'PERMISSIONS_DENIED');
  const entries = (await desk.owner.get('/changes', { limit: 1000 })).must(200).data;
  assert.ok(entries.every(({ resource_type: type }) => !type.startsWith('notification')), 'the change log shows who reads what');
});

test('a notification of a conversation that the person no longer sees is not listed, counted or marked', async (t) => {
  const desk = await open(t), team = await desk.owner.create('/teams', { title: 'Engines' }), agent = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team.id] });
  const talk = await opened({ staff: desk.admin, people: desk.people }, { assigned_team_id: team.id });
  const [{ id }] = await list(agent.client);
  await assign(desk.admin, talk, { assigned_agent_id: desk.people.admin.id, assigned_team_id: null });
  const gone = async () => {
    assert.deepEqual(await list(agent.client), []);
    assert.equal(await unread(agent.client), 0);
    (await agent.client.get(`/notifications/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await agent.client.put(`/notifications/${id}/read`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.equal((await agent.client.put('/notifications/read_all')).must(200).body.total_count, 0);
  };
  await gone();
  await note(desk.admin, talk, `See @${(await agent.client.fetch('/me')).full_name}`); // a mention gives no right
  await gone();
  await assign(desk.owner, talk, { assigned_agent_id: null, assigned_team_id: team.id });
  assert.equal(await unread(agent.client), 2);
  (await desk.owner.put(`/cases/${talk.id}/trash`)).must(200);
  await gone();
  (await desk.owner.put(`/cases/${talk.id}/restore`)).must(200);
  assert.equal(await unread(agent.client), 2);
});

test('a deleted note and a deleted conversation take their notifications along, a merge moves them', async (t) => {
  const desk = await open(t), talk = await forAgent(desk), other = await opened({ staff: desk.admin, people: desk.people });
  const said = await note(desk.admin, talk, '@Agnes Agent');
  await says(desk, talk);
  assert.equal(await unread(desk.staff), 3);
  (await desk.admin.delete(`/cases/${talk.id}/notes/${said.id}`)).must(200);
  assert.deepEqual(await types(desk.staff), ['reply_on_case', 'case_assigned_to_agent']);
  (await desk.owner.post(`/cases/${other.id}/merge`, { case_ids: [talk.id] })).must(200);
  await until('the merge', async () => (await list(desk.staff)).length === 2);
  assert.deepEqual((await list(desk.staff)).map((n) => n.case.id), [other.id, other.id]);
  (await desk.owner.put(`/cases/${other.id}/trash`)).must(200);
  await desk.owner.delete('/cases/trash', { ids: other.id });
  await until('no row', () => Number(sql(desk, 'SELECT COUNT(*) FROM notifications')) === 0);
});

test('a purge deletes the notifications of the person', async (t) => {
  const desk = await open(t), person = await desk.person('agent');
  await opened({ staff: desk.admin, people: desk.people }, { assigned_agent_id: person.id });
  assert.equal(await unread(person.client), 1);
  (await desk.owner.delete(`/users/${person.id}`, { purge: true })).must(200);
  assert.equal(Number(sql(desk, `SELECT COUNT(*) FROM notifications WHERE user_id = ${person.id}`)), 0);
});

test('old notifications and those behind the newest 500 are deleted every hour', async (t) => {
  const desk = await open(t), talk = await forAgent(desk), { agent, admin } = desk.people;
  const rows = (user, n) => sql(desk, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n}) INSERT INTO notifications (user_id, case_id, type, others_count, created_at) SELECT ${user}, ${talk.id}, 2, 0, ${desk.clock.now} FROM n`);
  rows(agent.id, 519);
  rows(admin.id, 3);
  const [newest] = await list(desk.staff);
  await desk.clock.forward(HOUR + MINUTE);
  await until('the newest 500', async () => (await unread(desk.staff)) === 500);
  assert.equal((await list(desk.staff))[0].id, newest.id);
  assert.equal(await unread(desk.admin), 3);
  await desk.clock.forward(89 * DAY);
  await says(desk, talk);
  await desk.clock.forward(DAY + HOUR);
  await until('only the last', async () => (await unread(desk.staff)) === 1);
  assert.equal(await unread(desk.admin), 0);
});

test('an acknowledged write has its notifications after a crash, once, and a returning client hears them once', async (t) => {
  const desk = await open(t), talk = await forAgent(desk), name = await channel(desk.staff);
  const before = await stream(t, desk.staff, [name]);
  const { id: place } = await before.event('open');
  before.close();
  const messages = [];
  for (let i = 0; i < 5; i++) messages.push((await says(desk, talk)).id);
  await desk.kill();
  await desk.start();
  const found = await list(desk.staff);
  assert.deepEqual(found.map((n) => n.post?.id ?? null), [...messages.reverse(), null]);
  const after = await stream(t, desk.staff, [name], { after: place });
  await until('five events', () => told(after.events, 'NEW_NOTIFICATION').length >= 5);
  await says(desk, talk);
  await until('the sixth', () => told(after.events, 'NEW_NOTIFICATION').length >= 6);
  assert.deepEqual(told(after.events, 'NEW_NOTIFICATION'), (await list(desk.staff)).map((n) => n.id).reverse().slice(1));
  assert.ok(after.events.every(({ event }) => event !== 'resync'));
});

test('each tab hears of a new notification and of what another tab has read', async (t) => {
  const desk = await open(t), talk = await forAgent(desk), name = await channel(desk.staff);
  const tabs = [await Socket.open(t, desk.staff), await Socket.open(t, desk.staff, { version: 1 })], source = await stream(t, desk.staff, [name]);
  for (const tab of tabs) assert.equal((await tab.join(name)).status, 'ok');
  await source.event('open');
  const message = await says(desk, talk);
  const [{ id, case: { id: case_id }, actor, created_at }] = await list(desk.staff);
  for (const tab of [...tabs, source]) {
    const { payload } = await tab.event('NEW_NOTIFICATION');
    assert.deepEqual(payload, {
      resource_type: 'notification', resource_id: id, resource_url: `${desk.base}/api/v1/notifications/${id}`,
      changed_properties: { type: 'reply_on_case', case: case_id, post: message.id, actor: actor.id, others_count: 0, read_at: null, created_at: Date.parse(created_at) / 1000 },
      unread_count: 2 });
  }
  const { read_at } = (await desk.staff.put(`/notifications/${id}/read`)).must(200).data;
  for (const tab of [...tabs, source]) {
    const { payload } = await tab.event('CHANGE');
    assert.deepEqual([payload.resource_id, payload.changed_properties, payload.unread_count], [id, { read_at: Date.parse(read_at) / 1000 }, 1]);
  }
  (await desk.staff.put('/notifications/read_all')).must(200);
  for (const tab of [...tabs, source]) {
    const { payload } = await tab.event('CHANGE', (p) => p.resource_id === null);
    assert.deepEqual([payload.resource_url, payload.changed_properties, payload.unread_count], [`${desk.base}/api/v1/notifications`, {}, 0]);
  }
  (await desk.staff.put('/notifications/read_all')).must(200); // changes nothing
  await says(desk, talk);
  await source.event('NEW_NOTIFICATION', (p) => p.resource_id !== id);
  assert.equal(source.events.filter(({ event }) => event === 'CHANGE').length, 2);
});

test('a channel is for its person alone, and for tokens with the scope of the list', async (t) => {
  const desk = await open(t), name = await channel(desk.staff), customers = await channel(desk.customer);
  const join = async (client, topic) => (await (await Socket.open(t, client)).join(topic)).status;
  for (const role of ['owner', 'admin', 'collaborator', 'customer']) assert.equal(await join(desk.as(role), name), 'error', role);
  assert.equal(await join(desk.staff, name), 'ok');
  assert.equal(await join(desk.customer, customers), 'ok');
  assert.equal(await join((await apiToken(desk, desk.staff, { scopes: ['conversations:read'] })).client, name), 'ok');
  assert.equal(await join((await apiToken(desk, desk.staff, { scopes: ['users'] })).client, name), 'error');
});

test('nothing is told of a conversation whose right is lost in the same moment', async (t) => {
  const desk = await open(t), team = await desk.owner.create('/teams', { title: 'Engines' }), other = await desk.owner.create('/teams', { title: 'Other' });
  const agent = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team.id] }), name = await channel(agent.client);
  const socket = await Socket.open(t, agent.client);
  await socket.join(name);
  for (let i = 0; i < 10; i++) {
    const talk = await opened({ staff: desk.admin, people: desk.people }, { subject: `S${i}` });
    await Promise.all([assign(desk.admin, talk, { assigned_team_id: team.id }), assign(desk.owner, talk, { assigned_team_id: other.id })]);
  }
  const seen = await opened({ staff: desk.admin, people: desk.people }, { assigned_team_id: team.id });
  await socket.event('NEW_NOTIFICATION', (p) => p.changed_properties.case === seen.id);
  const shown = new Set((await list(agent.client, { limit: 100 })).map(({ id }) => id));
  const lost = told(socket.frames, 'NEW_NOTIFICATION').filter((id) => !shown.has(id));
  for (const id of lost) (await agent.client.get(`/notifications/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  await desk.owner.update(`/users/${agent.id}`, { role_id: 4 }); // a customer has a channel, but no notifications
  const heard = (await socket.all()).length;
  await assign(desk.admin, await opened({ staff: desk.admin, people: desk.people }), { assigned_team_id: team.id });
  sql(desk, `INSERT INTO notifications (user_id, case_id, type, others_count, created_at) VALUES (${agent.id}, ${seen.id}, 2, 0, 0)`);
  assert.equal((await socket.all()).length, heard + 1);
});

test('staff are warned once before an SLA target is missed, and told when it is', async (t) => {
  const desk = await open(t), talk = await forAgent(desk);
  const sla = await desk.owner.create('/slas', { title: 'Gold', targets: [{ type: 'RESOLUTION_TIME', goal_in_seconds: 2 * HOUR, operational_hours: 'CALENDAR_HOURS' }, { type: 'RESOLUTION_TIME', goal_in_seconds: HOUR, operational_hours: 'CALENDAR_HOURS', priority_id: 4 }] });
  sql(desk, `UPDATE cases SET sla_version_id = (SELECT version_id FROM slas WHERE id = ${sla.id}) WHERE id = ${talk.id}`);
  await desk.admin.update(`/cases/${talk.id}`, { priority_id: 2 });
  const heard = () => types(desk.staff, { type: 'sla_warning,sla_breached' });
  await desk.clock.forward(89 * MINUTE);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.deepEqual(await heard(), []);
  await desk.clock.forward(2 * MINUTE);
  await until('a warning', async () => (await heard()).length === 1);
  assert.deepEqual(await heard(), ['sla_warning']);
  await desk.clock.forward(MINUTE);
  await desk.clock.forward(30 * MINUTE);
  await until('a breach', async () => (await heard()).length > 1);
  assert.deepEqual(await heard(), ['sla_breached', 'sla_warning']);
});

test('a due time that a change brings within the minutes is told at once; 0 minutes tell nobody', async (t) => {
  const desk = await open(t), talk = await forAgent(desk);
  const target = (goal, priority_id) => ({ type: 'RESOLUTION_TIME', goal_in_seconds: goal, operational_hours: 'CALENDAR_HOURS', priority_id });
  const sla = await desk.owner.create('/slas', { title: 'Gold', targets: [target(2 * HOUR, 2), target(20 * MINUTE, 4)] });
  sql(desk, `UPDATE cases SET sla_version_id = (SELECT version_id FROM slas WHERE id = ${sla.id}) WHERE id = ${talk.id}`);
  await desk.admin.update(`/cases/${talk.id}`, { priority_id: 2 });
  assert.deepEqual(await types(desk.staff, { type: 'sla_warning' }), []);
  await desk.admin.update(`/cases/${talk.id}`, { priority_id: 4 });
  assert.deepEqual(await types(desk.staff, { type: 'sla_warning' }), ['sla_warning']);
  await desk.clock.forward(10 * MINUTE);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.equal((await list(desk.staff, { type: 'sla_warning' })).length, 1); // the sweep tells it no second time
  await desk.owner.put('/settings', { values: { 'slas.warning_minutes': 0 } });
  await desk.agree(desk.owner);
  await desk.admin.update(`/cases/${talk.id}`, { priority_id: 2 });
  await desk.admin.update(`/cases/${talk.id}`, { priority_id: 4 });
  assert.equal((await list(desk.staff, { type: 'sla_warning' })).length, 1);
});

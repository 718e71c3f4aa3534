// The run of triggers (docs/RULES.md, "Triggers and monitors").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, allowPrivate, connect, hook, hooked, open, opened, relay, relayFor, until, when } from './lib/index.mjs';

const add = (...tags) => act('tags', 'ADD', tags);
const mail = (name, value, message = 'See {{case.id}}') => act(name, 'SEND', value, { subject: 'About {{case.subject}}', message });

const STATUS = { NEW: 1, OPEN: 2, PENDING: 3, COMPLETED: 4, CLOSED: 5 };
const trigger = (desk, title, predicates, actions, more = {}) => desk.admin.create('/triggers', { title, predicate_collections: predicates, actions, ...more });
const tagsOf = async (desk, id) => (await desk.admin.fetch(`/cases/${id}`, { fields: '+tags' })).tags.map(({ name }) => name).sort();
const activities = async (desk, id) => (await desk.admin.fetch(`/cases/${id}/activities`, { limit: 100 })).reverse();
const fired = async (desk, id) => (await activities(desk, id)).filter(({ summary }) => /^Trigger: /.test(summary));
const titles = async (desk, id) => (await fired(desk, id)).map(({ summary }) => /^Trigger: (\w+)/.exec(summary)[1]);

test('each action on a property has the effect of a request, in the reply of the change', async (t) => {
  const desk = await open(t);
  const team = await desk.admin.create('/teams', { title: 'Line' });
  const one = await opened(desk, { priority_id: 2 });
  await trigger(desk, 'All', when(['cases.subject', 'string_contains_insensitive', 'go']), [
    act('status', 'CHANGE', STATUS.PENDING), act('priority', 'INCREASE'), act('type', 'CHANGE', 3), act('assignee', 'CHANGE', desk.people.agent.id),
    act('team', 'CHANGE', team.id), add('vip', 'urgent'),
  ]);
  const shown = await desk.staff.update(`/cases/${one.id}`, { subject: 'Go' });
  assert.deepEqual([shown.status.id, shown.priority.id, shown.type.id, shown.assigned_agent.id, shown.assigned_team.id], [STATUS.PENDING, 3, 3, desk.people.agent.id, team.id]);
  assert.deepEqual(await tagsOf(desk, one.id), ['urgent', 'vip']);
  const [activity] = await fired(desk, one.id);
  assert.equal(activity.actor, null);
  assert.match(activity.summary, /^Trigger: All changed status, priority, type, assigned_agent, assigned_team and tags/);
  assert.deepEqual(activity.actions.map(({ field, new_value }) => [field, new_value]), [['status', 'Pending'], ['priority', 'High'], ['type', 'Problem'], ['assigned_agent', (await desk.admin.fetch(`/users/${desk.people.agent.id}`)).full_name], ['assigned_team', 'Line'], ['tags', 'urgent, vip']]);
  assert.deepEqual([shown.last_updated_by.id, shown.last_assigned_by], [desk.people.agent.id, null]);
  const [{ last_triggered_at }] = await desk.admin.fetch('/triggers');
  assert.notEqual(last_triggered_at, null);
  const log = (await desk.admin.get('/changes', { limit: 100 })).must(200).body.data.filter(({ resource_type, resource_id, property }) => resource_type === 'case' && resource_id === one.id && property === 'status');
  assert.deepEqual(log.map(({ to, actor, cause }) => [to, actor, cause]).at(-1), [String(STATUS.PENDING), null, 'Trigger: All']);
});

test('priorities step by one level, and tags are removed and replaced', async (t) => {
  const desk = await open(t);
  const one = await opened(desk, { tags: 'a, b, c' });
  const subject = async (text) => (await desk.staff.update(`/cases/${one.id}`, { subject: text })).priority?.id ?? null;
  await trigger(desk, 'Up', when(['cases.subject', 'string_contains_insensitive', 'up']), [act('priority', 'INCREASE')]);
  await trigger(desk, 'Down', when(['cases.subject', 'string_contains_insensitive', 'down']), [act('priority', 'DECREASE')]);
  await trigger(desk, 'None', when(['cases.subject', 'string_contains_insensitive', 'none']), [act('priority', 'CHANGE', 0), act('tags', 'REMOVE', 'b')]);
  await trigger(desk, 'Only', when(['cases.subject', 'string_contains_insensitive', 'only']), [act('tags', 'REPLACE', ['z'])]);
  assert.deepEqual([await subject('up 1'), await subject('up 2'), await subject('down 1'), await subject('down 2')], [1, 2, 1, 1]);
  assert.equal(await subject('none'), null);
  assert.deepEqual(await tagsOf(desk, one.id), ['a', 'c']);
  await subject('only');
  assert.deepEqual(await tagsOf(desk, one.id), ['z']);
});

test('values of custom fields are set, and options are added and removed', async (t) => {
  const desk = await open(t);
  const text = await desk.admin.create('/cases/fields', { title: 'Code', key: 'code', type: 'TEXT' });
  const sizes = await desk.admin.create('/cases/fields', { title: 'Sizes', key: 'sizes', type: 'CHECKBOX', options: ['Small', 'Large'] });
  const [small, large] = (await desk.admin.fetch(`/cases/fields/${sizes.id}`, { include: 'field_option' })).options.map(({ id }) => String(id));
  const one = await opened(desk, { field_values: { sizes: small } });
  await trigger(desk, 'Set', when(['cases.subject', 'string_contains_insensitive', 'set']), [act(`customfield_${text.id}`, 'CHANGE', 'X1'), act(`customfield_${sizes.id}`, 'ADD', large)]);
  await trigger(desk, 'Less', when(['cases.subject', 'string_contains_insensitive', 'less']), [act(`customfield_${text.id}`, 'CHANGE', ''), act(`customfield_${sizes.id}`, 'REMOVE', [small])]);
  const values = (shown) => Object.fromEntries(shown.custom_fields.map(({ field, value }) => [field.id, value]));
  const set = values(await desk.staff.update(`/cases/${one.id}`, { subject: 'set' }));
  assert.deepEqual([set[text.id], set[sizes.id]], ['X1', `${small},${large}`]);
  const less = values(await desk.staff.update(`/cases/${one.id}`, { subject: 'less' }));
  assert.deepEqual([less[text.id] || null, less[sizes.id]], [null, large]);
  const refused = async (...action) => (await desk.admin.post('/triggers', { title: 'a', actions: [act(...action)] })).refused(400, 'FIELD_INVALID', 'actions[0].value');
  await refused(`customfield_${sizes.id}`, 'ADD', '999');
  await refused(`customfield_${text.id}`, 'ADD', 'x');
});

test('triggers run in their order, each sees what earlier ones did, and stoprules ends the run', async (t) => {
  const desk = await open(t);
  await trigger(desk, 'First', when(['cases.subject', 'string_contains_insensitive', 'go']), [act('status', 'CHANGE', STATUS.PENDING)]);
  await trigger(desk, 'Second', when(['cases.casestatusid', 'comparison_equalto', String(STATUS.PENDING)]), [add('seen'), act('stoprules', 'SEND', true)]);
  const third = await trigger(desk, 'Third', [], [add('never')]);
  const one = await opened(desk, { subject: 'go' });
  assert.deepEqual(await titles(desk, one.id), ['First', 'Second']);
  assert.deepEqual(await tagsOf(desk, one.id), ['seen']);
  (await desk.admin.put('/triggers/reorder', { trigger_ids: [third.id] })).must(200);
  const two = await opened(desk, { subject: 'go' });
  assert.deepEqual(await titles(desk, two.id), ['Third', 'First', 'Second']);
  await desk.admin.update(`/triggers/${third.id}`, { is_enabled: false });
  assert.deepEqual(await titles(desk, (await opened(desk, { subject: 'go' })).id), ['First', 'Second']);
});

test('history operators compare with the state before the change', async (t) => {
  const desk = await open(t);
  await trigger(desk, 'Reopened', when(['cases.casestatusid', 'history_changed_from', String(STATUS.COMPLETED)], ['cases.casestatusid', 'history_changed_to', String(STATUS.OPEN)]), [add('reopened')]);
  await trigger(desk, 'Moved', when(['cases.casepriorityid', 'history_changed', '']), [add('moved')]);
  const one = await opened(desk, { status_id: STATUS.OPEN });
  assert.deepEqual(await titles(desk, one.id), []);
  await desk.staff.update(`/cases/${one.id}`, { status_id: STATUS.COMPLETED });
  assert.deepEqual(await titles(desk, one.id), []);
  await desk.staff.update(`/cases/${one.id}`, { status_id: STATUS.OPEN });
  assert.deepEqual(await titles(desk, one.id), ['Reopened']);
  await desk.staff.update(`/cases/${one.id}`, { subject: 'Another' });
  await desk.staff.update(`/cases/${one.id}`, { priority_id: 3 });
  assert.deepEqual(await titles(desk, one.id), ['Reopened', 'Moved']);
});

test('the state before the change is that before the request, also after an earlier trigger has changed the property', async (t) => {
  const desk = await open(t);
  const one = await opened(desk);
  await trigger(desk, 'Wait', when(['cases.casestatusid', 'history_changed', null]), [act('status', 'CHANGE', STATUS.PENDING), add('a')]);
  await trigger(desk, 'First', when(['cases.casestatusid', 'history_changed_from', String(STATUS.NEW)]), [add('from-new')]);
  await trigger(desk, 'Middle', when(['cases.casestatusid', 'history_changed_from', String(STATUS.OPEN)]), [add('from-open')]);
  await trigger(desk, 'Made', when(['cases.casetypeid', 'history_changed_to', '0']), [add('never')]);
  await desk.staff.update(`/cases/${one.id}`, { status_id: STATUS.OPEN });
  assert.deepEqual(await tagsOf(desk, one.id), ['a', 'from-new']);
  const other = await opened(desk, { status_id: STATUS.OPEN });
  assert.deepEqual(await tagsOf(desk, other.id), ['a']); // a new conversation had no status before
});

test('a trigger of a channel runs for changes of that source alone', async (t) => {
  const desk = await open(t);
  const customer = desk.as('customer');
  for (const channel of ['API', 'HELPCENTER', 'MESSENGER', 'SYSTEM', null]) await trigger(desk, channel ?? 'Any', [], [add(`from-${channel ?? 'any'}`)], { channel, event: channel === 'SYSTEM' ? 'SLA_BREACHED' : null });
  for (const source of [undefined, 'API', 'HELPCENTER', 'MESSENGER']) {
    const one = await customer.create('/conversations', { subject: 'a', contents: 'b', source });
    assert.deepEqual(await tagsOf(desk, one.id), ['from-any', `from-${source ?? 'API'}`].sort());
    const two = await customer.create('/conversations', { subject: 'a', contents: 'b', source });
    (await customer.put(`/conversations/${two.id}`, { source: 'MESSENGER', status_id: STATUS.COMPLETED })).must(200);
    assert.ok((await tagsOf(desk, two.id)).includes('from-MESSENGER'));
  }
});

test('changes of triggers run triggers of SYSTEM / TRIGGER once, and the changes of those run nothing', async (t) => {
  const desk = await open(t);
  await trigger(desk, 'First', when(['cases.subject', 'history_changed', '']), [act('priority', 'INCREASE')]);
  await trigger(desk, 'Again', when(['cases.casepriorityid', 'history_changed', '']), [act('priority', 'INCREASE')], { channel: 'SYSTEM', event: 'TRIGGER' });
  await trigger(desk, 'Other', [], [add('any')], { channel: 'SYSTEM' });
  await trigger(desk, 'Breached', [], [add('breached')], { channel: 'SYSTEM', event: 'SLA_BREACHED' });
  const one = await opened(desk, { priority_id: 1 });
  assert.deepEqual(await titles(desk, one.id), ['First', 'Again', 'Other']);
  assert.equal((await desk.admin.fetch(`/cases/${one.id}`)).priority.id, 3);
  await desk.staff.update(`/cases/${one.id}`, { status_id: STATUS.OPEN });
  assert.equal((await titles(desk, one.id)).length, 3);
});

test('each request runs a trigger once, also if its reply shows the effect', async (t) => {
  const desk = await open(t);
  const one = await opened(desk, { priority_id: 1 });
  await trigger(desk, 'Higher', [], [act('priority', 'INCREASE')]);
  const priority = async () => (await desk.admin.fetch(`/cases/${one.id}`)).priority.id;
  assert.deepEqual([(await desk.staff.update(`/cases/${one.id}`, { subject: 'Put' })).priority.id, await priority()], [2, 2]);
  await desk.staff.create(`/cases/${one.id}/notes`, { contents: 'Note' });
  assert.equal(await priority(), 3);
  await desk.staff.create(`/cases/${one.id}/reply`, { contents: 'Reply', channel: 'HELPCENTER' });
  assert.equal(await priority(), 4);
});

test('a trigger that adds the tag that it tests, and two triggers that undo each other, end', async (t) => {
  const desk = await open(t);
  await trigger(desk, 'Self', when(['tags.name', 'collection_does_not_contain_insensitive', 'loop']), [add('loop')]);
  await trigger(desk, 'On', when(['tags.name', 'history_changed', '']), [act('tags', 'REMOVE', ['loop'])]);
  await trigger(desk, 'Ping', [], [add('ping'), act('tags', 'REMOVE', ['pong'])], { channel: 'SYSTEM', event: 'TRIGGER' });
  await trigger(desk, 'Pong', [], [add('pong'), act('tags', 'REMOVE', ['ping'])], { channel: 'SYSTEM', event: 'TRIGGER' });
  const one = await opened(desk);
  assert.deepEqual((await titles(desk, one.id)).filter((x) => x === 'Self').length, 1);
  assert.deepEqual((await titles(desk, one.id)).filter((x) => x === 'Pong').length, 1);
  assert.deepEqual(await tagsOf(desk, one.id), ['pong']);
});

test('an action that can not be done leaves its reason in the activity, and fails nothing', async (t) => {
  const desk = await open(t);
  const team = await desk.admin.create('/teams', { title: 'Gone' });
  const agent = await desk.person('agent');
  await trigger(desk, 'Broken', when(['cases.subject', 'string_contains_insensitive', 'go']), [
    act('team', 'CHANGE', team.id), act('assignee', 'CHANGE', agent.id), act('status', 'CHANGE', STATUS.NEW), mail('notificationuser', -4), mail('notificationteam', -5), add('done'),
  ]);
  (await desk.admin.delete(`/teams/${team.id}`)).must(200);
  (await desk.admin.delete(`/users/${agent.id}`)).must(200);
  const one = await opened(desk, { status_id: STATUS.OPEN });
  const shown = await desk.staff.update(`/cases/${one.id}`, { subject: 'go' });
  assert.deepEqual([shown.assigned_team, shown.assigned_agent, shown.status.id], [null, null, STATUS.OPEN]);
  const [activity] = await fired(desk, one.id);
  const reasons = Object.fromEntries(activity.actions.map(({ field, new_value }) => [field, new_value]));
  assert.deepEqual(reasons, {
    tags: 'done', team: 'Not done: There is no team with this id. GET /teams lists them.', assignee: 'Not done: This is no enabled member of staff. GET /users lists people and their roles.',
    status: "Not done: The conversation can't return to a status of type NEW. Choose another status.",
    notificationuser: 'Not done: No agent is assigned.', notificationteam: 'Not done: No team is assigned.',
  });
  assert.match(activity.summary, /could not do team, assignee, status, notificationuser, notificationteam/);
});

test('a closed conversation takes tags and mails of triggers, and nothing else', async (t) => {
  const desk = await open(t);
  const one = await opened(desk);
  await trigger(desk, 'Closed', when(['cases.casestatusid', 'comparison_equalto', String(STATUS.CLOSED)]), [act('priority', 'CHANGE', 4), add('archived')]);
  const shown = await desk.admin.update(`/cases/${one.id}`, { status_id: STATUS.CLOSED });
  assert.deepEqual([shown.priority, await tagsOf(desk, one.id)], [null, ['archived']]);
  const [activity] = await fired(desk, one.id);
  assert.deepEqual(activity.actions.map(({ field, new_value }) => [field, new_value]), [['tags', 'archived'], ['priority', 'Not done: The conversation is closed. Open a new one to continue.']]);
});

test('the current user is the person who made the change', async (t) => {
  const desk = await open(t);
  await trigger(desk, 'Mine', when(['cases.subject', 'string_contains_insensitive', 'mine']), [act('assignee', 'CHANGE', -4)]);
  const one = await opened(desk, { subject: 'mine' });
  assert.equal((await desk.admin.fetch(`/cases/${one.id}`)).assigned_agent.id, desk.people.agent.id);
  const two = await desk.as('customer').create('/conversations', { subject: 'mine', contents: 'b' });
  const [activity] = await fired(desk, two.id);
  assert.deepEqual(activity.actions.map(({ new_value }) => new_value), ['Not done: The change was not made by a member of staff.']);
});

test('notifications are mailed to those whom the trigger names, and to nobody else', async (t) => {
  const desk = await open(t), to = await relayFor(t, desk);
  const team = await desk.admin.create('/teams', { title: 'Line' }), member = await desk.person('agent');
  (await desk.admin.post(`/teams/${team.id}/members`, { agent_ids: member.id })).must(201);
  const address = async (id) => (await desk.admin.fetch(`/users/${id}`, { include: 'identity_email' })).emails[0].email;
  const expected = { requester: await address(desk.people.customer.id), assignee: await address(desk.people.agent.id), team: await address(member.id), named: await address(desk.people.collaborator.id) };
  await trigger(desk, 'Mail', when(['cases.subject', 'string_contains_insensitive', 'go']), [
    mail('notificationuser', -3, 'Dear {{requester.name}}'), mail('notificationuser', -4, 'Assigned'), mail('notificationteam', -5, 'Team'), mail('notificationuser', desk.people.collaborator.id, 'Named'),
  ]);
  const one = await opened(desk, { subject: 'go', assigned_agent_id: desk.people.agent.id, assigned_team_id: team.id });
  const texts = {};
  for (const [who, address] of Object.entries(expected)) texts[who] = await to.find(address, /^About go$/);
  assert.match(texts.requester.text, /^Dear \S+/);
  assert.deepEqual(['assignee', 'team', 'named'].map((who) => texts[who].text.split('\r\n')[0]), ['Assigned', 'Team', 'Named']);
  for (const letter of Object.values(texts)) assert.deepEqual([letter.to.length, letter.defects, letter.header('Auto-Submitted')], [1, [], 'auto-generated']);
  await desk.staff.update(`/cases/${one.id}`, { priority_id: 2, subject: 'no more' });
  const [activity] = await fired(desk, one.id);
  assert.equal(activity.actions.filter(({ field }) => field.startsWith('notification')).length, 4);
  assert.equal(to.mails.length, 4);
});

test('stopnotification holds back the notifications of later actions and triggers', async (t) => {
  const desk = await open(t), to = await relayFor(t, desk);
  await trigger(desk, 'Quiet', [], [act('stopnotification', 'SEND', true)]);
  await trigger(desk, 'Loud', [], [mail('notificationuser', -3), add('loud')]);
  const one = await opened(desk);
  assert.deepEqual((await fired(desk, one.id))[1].actions.map(({ field, new_value }) => [field, new_value]), [['tags', 'loud'], ['notificationuser', 'Not done: A rule has stopped the notifications of this change.']]);
  assert.deepEqual(to.mails.length, 0);
});

test('a bulk change runs the triggers for each conversation once', async (t) => {
  const desk = await open(t);
  const ids = [];
  for (let i = 0; i < 12; i++) ids.push((await opened(desk, { subject: i % 2 ? 'odd' : 'even' })).id);
  await trigger(desk, 'Odd', when(['cases.subject', 'string_contains_insensitive', 'odd'], ['cases.casepriorityid', 'history_changed_to', '4']), [add('odd-urgent')]);
  assert.equal((await desk.staff.put('/cases', { ids, priority_id: 4, tags: 'bulk' })).must(200).body.total_count, 12);
  for (const [i, id] of ids.entries()) assert.deepEqual(await tagsOf(desk, id), i % 2 ? ['bulk', 'odd-urgent'] : ['bulk']);
  for (const [i, id] of ids.entries()) assert.equal((await fired(desk, id)).length, i % 2);
});

test('a trigger that takes a conversation out of sight does not fail the request', async (t) => {
  const desk = await open(t);
  const one = await opened(desk);
  const other = await desk.person('agent');
  const narrow = await desk.person('agent', { agent_case_access: 'SELF' });
  await desk.admin.update(`/cases/${one.id}`, { assigned_agent_id: narrow.id });
  await trigger(desk, 'Away', when(['cases.subject', 'string_contains_insensitive', 'go']), [act('assignee', 'CHANGE', other.id)]);
  const shown = (await narrow.client.put(`/cases/${one.id}`, { subject: 'go' })).must(200).body.data;
  assert.equal(shown.subject, 'go');
  (await narrow.client.get(`/cases/${one.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await desk.admin.fetch(`/cases/${one.id}`)).assigned_agent.id, other.id);
});

test('the change of a customer runs triggers, and the reply shows the customer nothing of them', async (t) => {
  const desk = await open(t);
  await trigger(desk, 'Secret', [], [add('internal-canary'), act('priority', 'CHANGE', 4), act('assignee', 'CHANGE', desk.people.agent.id)]);
  const reply = (await desk.as('customer').post('/conversations', { subject: 'a', contents: 'b' })).must(201);
  assert.doesNotMatch(JSON.stringify(reply.body), /canary|Secret|Trigger/);
  assert.equal(reply.body.data.priority, null);
  assert.deepEqual(await tagsOf(desk, reply.body.data.id), ['internal-canary']);
  const message = (await desk.as('customer').post(`/conversations/${reply.body.data.id}/messages`, { contents: 'c' })).must(201);
  assert.doesNotMatch(JSON.stringify(message.body), /canary|Secret|Trigger/);
});

test('the text of a note is in no request to an endpoint and in no mail to the requester', async (t) => {
  const desk = await open(t), to = await hook(t), mails = await relay(t);
  await allowPrivate(desk);
  await connect(desk, mails);
  const endpoint = await hooked(desk, to.url);
  const one = await opened(desk);
  await trigger(desk, 'Tell', [], [act(`endpoint_${endpoint.id}`, 'SEND', 'Changed: {{case.subject}}'), mail('notificationuser', -3)]);
  (await desk.as('collaborator').post(`/cases/${one.id}/notes`, { contents: 'canary-of-a-note' })).must(201);
  await desk.staff.update(`/cases/${one.id}`, { priority_id: 2 });
  await to.received(2);
  await until('two mails', () => mails.mails.length === 2);
  for (const text of [...to.requests.map((r) => r.text), ...mails.mails.map((m) => `${m.text}${m.raw}`)]) assert.doesNotMatch(text, /canary/);
  assert.ok(to.requests.every((r) => r.text.includes('Changed: The engine stalls')));
});

test('a request to an endpoint names the staff member who made the change, else the assignee, and the activity shows that it waits', async (t) => {
  const desk = await open(t), to = await hook(t);
  await allowPrivate(desk);
  const endpoint = await hooked(desk, to.url);
  const nameOf = async (id) => (await desk.admin.fetch(`/users/${id}`)).full_name;
  await trigger(desk, 'Tell', [], [act(`endpoint_${endpoint.id}`, 'SEND', 'By: {{agent.name}}.')]);
  const one = await opened(desk, { assigned_agent_id: desk.people.agent.id });
  const changers = [desk.as('collaborator'), desk.customer];
  for (const [i, client] of changers.entries()) {
    (await client.post(`/conversations/${one.id}/messages`, { contents: 'It stalls.' })).must(201);
    await to.received(i + 2);
  }
  const texts = to.requests.map((r) => /By: ([^.]*)\./.exec(r.text)[1]);
  const agent = await nameOf(desk.people.agent.id);
  assert.deepEqual(texts, [agent, await nameOf(desk.people.collaborator.id), agent]);
  const sent = (await fired(desk, one.id)).map(({ actions }) => actions.map(({ field, new_value }) => [field.split('_')[0], new_value]));
  assert.deepEqual(sent, Array(3).fill([['endpoint', 'queued']]));
});

test('a conversation in the trash runs no triggers, unless they test the state', async (t) => {
  const desk = await open(t);
  await trigger(desk, 'Any', [], [add('any')]);
  const one = await opened(desk);
  (await desk.staff.put(`/cases/${one.id}/trash`)).must(200);
  assert.equal((await fired(desk, one.id)).length, 1);
});

test('a trigger tests the text and the subject of the message that the change added', async (t) => {
  const desk = await open(t);
  await trigger(desk, 'Text', when(['messages.contents', 'string_contains_insensitive', 'refund']), [add('text')]);
  await trigger(desk, 'Subject', when(['messages.subject', 'string_contains_insensitive', 'engine']), [add('subject')]);
  const one = await opened(desk, { subject: 'The ENGINE stalls', contents: 'It stops.' });
  const other = await opened(desk, { subject: 'The wheel', contents: 'A Refund, please' });
  assert.deepEqual([await titles(desk, one.id), await titles(desk, other.id)], [['Subject'], ['Text']]);
  const reply = async (id, contents, more = {}) => (await desk.staff.post(`/cases/${id}/reply`, { contents, ...more })).must(201);
  await reply(other.id, 'Nothing to see');
  assert.deepEqual(await titles(desk, other.id), ['Text'], 'neither matches, and an earlier message is not tested again');
  await desk.staff.update(`/cases/${other.id}`, { priority_id: 2 });
  (await desk.staff.post(`/cases/${other.id}/notes`, { contents: 'refund' })).must(201);
  assert.deepEqual(await titles(desk, other.id), ['Text'], 'a change without a message has no text, and a note is no message');
  await desk.staff.update(`/cases/${other.id}/tags`, { tags: '' });
  await reply(other.id, 'Your REFUND is on its way');
  assert.deepEqual(await titles(desk, other.id), ['Text', 'Text']);
});

test('a trigger tests the addresses to which the added message is mailed', async (t) => {
  const desk = await open(t);
  const { email } = desk.people.customer;
  await trigger(desk, 'To', when(['mails.to', 'string_contains_insensitive', email.toUpperCase()]), [add('to')]);
  await trigger(desk, 'Copy', when(['mails.cc', 'string_contains_insensitive', 'grace@people.example']), [add('cc')]);
  await trigger(desk, 'Never', when(['mails.to', 'string_contains_insensitive', 'grace@people.example']), [add('never')]);
  const replied = async (more) => {
    const one = await opened(desk);
    assert.deepEqual(await titles(desk, one.id), []);
    (await desk.staff.post(`/cases/${one.id}/reply`, { contents: 'Hello', ...more })).must(201);
    return titles(desk, one.id);
  };
  assert.deepEqual(await replied({ channel: 'HELPCENTER' }), [], 'no mail');
  assert.deepEqual(await replied({ channel: 'MAIL' }), ['To']);
  assert.deepEqual(await replied({ channel: 'MAIL', channel_options: { cc: ['ada@people.example'] } }), ['To']);
  assert.deepEqual(await replied({ channel: 'MAIL', channel_options: { cc: ['ada@people.example', 'Grace@people.example'] } }), ['To', 'Copy']);
});

test('days of triggers are those of the time zone that the desk has at the change', async (t) => {
  const desk = await open(t);
  await desk.clock.set(Date.parse('2026-11-22T22:30:00Z')); // a Sunday; in Tokyo Monday morning
  const zone = async (name) => {
    (await desk.owner.put('/settings', { values: { 'desk.time_zone': name } })).must(200);
    await until('every process uses the new time zone', async () => {
      const seen = [];
      for (let i = 0; i < 4 * desk.processes; i++) seen.push((await desk.owner.fetch('/settings')).find((x) => `${x.category}.${x.name}` === 'desk.time_zone').value);
      return seen.every((x) => x === name) || undefined;
    });
  };
  await trigger(desk, 'Sunday', when(['cases.createdat_absolute', 'date_is', '2026-11-22']), [add('sunday')]);
  await trigger(desk, 'Monday', when(['cases.createdat_absolute', 'date_is', '2026-11-23']), [add('monday')]);
  const days = async () => tagsOf(desk, (await opened(desk)).id);
  assert.deepEqual(await days(), ['sunday']);
  await zone('Asia/Tokyo');
  assert.deepEqual(await days(), ['monday']);
  await zone('UTC');
  assert.deepEqual(await days(), ['sunday']);
});

test('a message that becomes DELIVERED or SEEN runs no triggers', async (t) => {
  const desk = await open(t);
  const one = await desk.customer.create('/conversations', { subject: 'Engine', contents: 'It stops.' });
  await desk.staff.create(`/cases/${one.id}/reply`, { contents: 'Which engine?' });
  const [message] = await desk.customer.fetch(`/conversations/${one.id}/messages`);
  await trigger(desk, 'Any', [], [add('ran')]);
  for (const message_status of ['DELIVERED', 'SEEN']) await desk.customer.update(`/conversations/${one.id}/messages/${message.id}`, { message_status });
  assert.deepEqual([await tagsOf(desk, one.id), await fired(desk, one.id)], [[], []]);
  await desk.staff.update(`/cases/${one.id}`, { priority_id: 2 });
  assert.deepEqual(await tagsOf(desk, one.id), ['ran']);
});

test('a trigger that a change of a trigger runs has the time of its run', async (t) => {
  const desk = await open(t);
  await trigger(desk, 'First', when(['cases.subject', 'history_changed', '']), [act('priority', 'INCREASE')]);
  await trigger(desk, 'Again', when(['cases.casepriorityid', 'history_changed', '']), [add('again')], { channel: 'SYSTEM', event: 'TRIGGER' });
  await trigger(desk, 'Never', when(['cases.casepriorityid', 'comparison_equalto', '4']), [add('never')], { channel: 'SYSTEM', event: 'TRIGGER' });
  await opened(desk, { priority_id: 1 });
  const ran = Object.fromEntries((await desk.admin.fetch('/triggers')).map(({ title, last_triggered_at }) => [title, last_triggered_at !== null]));
  assert.deepEqual(ran, { First: true, Again: true, Never: false });
});

test('a trigger sees the priority that an earlier trigger gave in the same change', async (t) => {
  const desk = await open(t);
  const one = await opened(desk, { priority_id: 1 });
  await trigger(desk, 'Raise', when(['cases.subject', 'string_contains_insensitive', 'go']), [act('priority', 'CHANGE', 4)]);
  await trigger(desk, 'Urgent', when(['cases.casepriorityid', 'comparison_equalto', '4']), [add('urgent')]);
  await trigger(desk, 'Low', when(['cases.casepriorityid', 'comparison_equalto', '1']), [add('low')]);
  await desk.staff.update(`/cases/${one.id}`, { subject: 'Go' });
  assert.deepEqual([await tagsOf(desk, one.id), await titles(desk, one.id)], [['urgent'], ['Raise', 'Urgent']]);
});

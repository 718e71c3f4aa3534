import assert from 'node:assert/strict';
import { test } from 'node:test';
import { File, PASSWORD, ROLE_ID, form, iso, multipart, open, relayFor, until } from './lib/index.mjs';
import { totp } from './lib/totp.mjs';

const MEMBERS = `id activity actor verb summary cause actions object object_actor target result participant weight ip_address created_at resource_type
resource_url`.split(/\s+/);
const NEVER = ['object_actor', 'target', 'result', 'participant', 'weight'];
const link = (desk, path, words) => `<${desk.base}/api/v1/${path}|${words}>`;

/** The activities of a person, newest first. Each action is [field, old, new]. */
const trail = (desk, id, more = {}) => desk.admin.fetch(`/users/${id}/activities`, { limit: 100, ...more });
const told = (activity) => activity.actions.map((c) => [c.field, c.old_value, c.new_value]);

/** The one activity that an act adds to the trail. Fails if the act adds none or several. */
async function gained(desk, id, act) {
  const before = (await trail(desk, id)).length;
  await act();
  const after = await trail(desk, id);
  assert.equal(after.length, before + 1, JSON.stringify(after[0]));
  return after[0];
}

test('an activity names the actor, the person, each changed field with both values, and the time', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  const activity = await gained(desk, id, () => desk.staff.update(`/users/${id}`, { full_name: 'Cora Married', designation: 'Buyer' }));
  assert.deepEqual(Object.keys(activity), MEMBERS);
  assert.deepEqual([activity.activity, activity.verb, activity.actor.id, activity.actor.resource_type, activity.created_at], ['USER_UPDATED', 'UPDATED', desk.people.agent.id, 'user', iso(desk.clock.now)]);
  assert.equal(activity.summary, `${link(desk, `users/${desk.people.agent.id}`, 'Agnes Agent')} changed full_name and designation`);
  assert.deepEqual(activity.object, { id, resource_type: 'user' });
  for (const name of NEVER) assert.equal(activity[name], null, name);
  assert.deepEqual(told(activity), [['full_name', 'Cora Customer', 'Cora Married'], ['designation', null, 'Buyer']]);
  assert.deepEqual(activity.actions[1], { action: 'ADDED', field: 'designation', old_value: null, new_value: 'Buyer', old_object: null, new_object: null, refused: null });
  assert.equal(activity.actions[0].action, 'UPDATED');
  for (const name of ['actions', 'summary', 'cause']) assert.deepEqual((await trail(desk, id, { fields: name }))[0][name], activity[name], `${name} alone`);
  assert.equal(activity.ip_address, '127.0.0.1');
  assert.equal(activity.resource_url, `${desk.base}/api/v1/users/${id}/activities/${activity.id}`);
  assert.deepEqual(await desk.staff.fetch(`/users/${id}/activities/${activity.id}`), activity);
  assert.equal((await desk.staff.fetch(`/users/${id}/activities/${activity.id}`, { include: 'user' })).actor.full_name, 'Agnes Agent');
});

test('a name in a summary can\'t make a link', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.agent;
  await desk.staff.update('/profile', { full_name: 'A <http://evil.example|B> & C' });
  const [{ summary }] = await trail(desk, id);
  assert.equal(summary, `${link(desk, `users/${id}`, 'A &lt;http://evil.example|B&gt; &amp; C')} changed full_name`);
});

test('an activity of a conversation refers to it, and include shows it', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'It is dark' });
  await desk.staff.update(`/cases/${id}`, { assigned_agent_id: desk.people.agent.id });
  await desk.staff.update(`/cases/${id}`, { assigned_agent_id: null });
  const path = `/cases/${id}/activities`;
  const [removed, added, ...earlier] = await desk.staff.fetch(path);
  assert.deepEqual(added.object, { id, resource_type: 'case' });
  const { action, old_value, new_value, old_object, new_object } = removed.actions.find((a) => a.field === 'assigned_agent');
  assert.deepEqual([action, old_value, new_value, old_object, new_object], ['REMOVED', 'Agnes Agent', null, { id: desk.people.agent.id, resource_type: 'user' }, null]);
  assert.equal(earlier.at(-1).summary, `${link(desk, `users/${desk.people.customer.id}`, 'Cora Customer')} created ${link(desk, `cases/${id}`, 'this conversation')}`);
  const [shown] = await desk.staff.fetch(path, { include: 'case', limit: 1 });
  assert.deepEqual([shown.object.id, shown.object.subject], [id, 'Lamp']);
});

test('a changed reference refers to the objects before and after the change', async (t) => {
  const desk = await open(t);
  const { agent, customer, collaborator } = desk.people;
  const { id } = await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'It is dark' });
  const [first, second] = [await desk.admin.create('/teams', { title: 'First line' }), await desk.admin.create('/teams', { title: 'Second line' })];
  const changed = async (body) => {
    await desk.admin.update(`/cases/${id}`, body);
    const [{ actions }] = await desk.staff.fetch(`/cases/${id}/activities`, { limit: 1 });
    return actions.map((a) => [a.action, a.field, a.old_value, a.old_object, a.new_value, a.new_object]);
  };
  const to = (type, object) => ({ id: object.id, ...(type === 'team' && { legacy_id: null }), resource_type: type });
  assert.deepEqual(await changed({ assigned_team_id: first.id }), [['ADDED', 'assigned_team', null, null, 'First line', to('team', first)]]);
  assert.deepEqual((await changed({ assigned_team_id: second.id, subject: 'Torch' })).sort(), [
    ['UPDATED', 'assigned_team', 'First line', to('team', first), 'Second line', to('team', second)], ['UPDATED', 'subject', 'Lamp', null, 'Torch', null]].sort());
  assert.deepEqual(await changed({ priority_id: 2 }), [['ADDED', 'priority', null, null, 'Normal', { id: 2, resource_type: 'case_priority' }]]);
  assert.deepEqual(await changed({ requester_id: collaborator.id }), [['UPDATED', 'requester', 'Cora Customer', to('user', customer), 'Colin Collaborator', to('user', collaborator)]]);
  assert.deepEqual((await changed({ assigned_agent_id: agent.id })).filter(([, field]) => field === 'assigned_agent'), [['ADDED', 'assigned_agent', null, null, 'Agnes Agent', to('user', agent)]]);
  const [included] = await desk.staff.fetch(`/cases/${id}/activities`, { limit: 1, offset: 3, include: 'team' });
  assert.deepEqual(included.actions.filter((a) => a.field === 'assigned_team').map((a) => [a.old_object.title, a.new_object.title]), [['First line', 'Second line']]);
  const role = await gained(desk, agent.id, () => desk.owner.update(`/users/${agent.id}`, { role_id: ROLE_ID.admin }));
  assert.deepEqual([role.actions[0].old_object, role.actions[0].new_object], [ROLE_ID.agent, ROLE_ID.admin].map((n) => ({ id: n, resource_type: 'role' })));
});

test('an activity that an older version wrote has names and no objects', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'It is dark' });
  await desk.staff.update(`/cases/${id}`, { assigned_agent_id: desk.people.agent.id });
  desk.sql(`UPDATE activities SET objects = NULL, fields = '["assigned_agent"]', previous_values = '[null]', current_values = '["Agnes then"]' WHERE owner_case_id = ${id} AND fields LIKE '%assigned_agent%'`);
  const actions = (await desk.staff.fetch(`/cases/${id}/activities`)).flatMap((a) => a.actions);
  assert.deepEqual(actions, [{ action: 'ADDED', field: 'assigned_agent', old_value: null, new_value: 'Agnes then', old_object: null, new_object: null, refused: null }]);
});

test('the trail of a conversation has the present names of people, so that a purge erases them', async (t) => {
  const desk = await open(t);
  const agent = await desk.person('agent', { full_name: 'Mona Former' });
  const { id } = await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'It is dark' });
  await desk.staff.update(`/cases/${id}`, { assigned_agent_id: agent.id });
  await desk.staff.update(`/cases/${id}`, { assigned_agent_id: null });
  await desk.owner.update(`/users/${agent.id}`, { full_name: 'Mona Present' });
  const values = async () => (await desk.staff.fetch(`/cases/${id}/activities`)).flatMap((a) => a.actions).filter((a) => a.field === 'assigned_agent');
  assert.deepEqual((await values()).map((a) => [a.action, a.old_value ?? a.new_value]), [['REMOVED', 'Mona Present'], ['ADDED', 'Mona Present']]);
  (await desk.owner.delete(`/users/${agent.id}`, { purge: true })).must(200);
  assert.deepEqual((await values()).map((a) => (a.old_object ?? a.new_object).id), [agent.id, agent.id]);
  assert.doesNotMatch(JSON.stringify(await values()), /Mona/);
  assert.doesNotMatch(desk.sql(`SELECT previous_values || current_values FROM activities WHERE owner_case_id = ${id}`), /Mona/);
});

test('one write records one activity, with numbers as numbers and references by name', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.agent;
  const organization = await desk.admin.create('/organizations', { name: 'Brandfathers' });
  const team = await desk.admin.create('/teams', { title: 'First line' });
  const activity = await gained(desk, id, () => desk.owner.update(`/users/${id}`, {
    role_id: ROLE_ID.admin, is_enabled: false, agent_case_access: 'SELF', organization_id: organization.id, locale_id: 2, time_zone: 'Europe/Berlin',
    team_ids: [team.id], tags: 'vip', legacy_id: 'A-1', greeting: 'Hi', signature: 'Yours', status_message: 'Busy',
  }));
  const changes = Object.fromEntries(told(activity).map(([field, ...values]) => [field, values]));
  const locale = (await desk.owner.fetch('/locales/2')).locale;
  assert.deepEqual(changes, {
    role: ['Agent', 'Administrator'].map((title, i) => (i ? changes.role[1] : title)), is_enabled: ['true', 'false'], agent_case_access: [null, 'SELF'],
    organization: [null, 'Brandfathers'], locale: [changes.locale[0], locale], time_zone: [null, 'Europe/Berlin'], teams: [null, 'First line'],
    tags: [null, 'vip'], legacy_id: [null, 'A-1'], greeting: [null, 'Hi'], signature: [null, 'Yours'], status_message: [null, 'Busy'],
  });
  assert.match(changes.role[1], /^Admin/);
  assert.notEqual(changes.locale[0], locale);
});

test('a changed list is recorded as removed and added items', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  await desk.admin.create('/users/fields', { key: 'plan', type: 'TEXT', title: 'Plan', titles: [{ locale: 'en-us', translation: 'Plan' }] });
  for (const [body, field, previous, current] of [
    [{ tags: ['b', 'a'] }, 'tags', null, 'a, b'],
    [{ tags: ['b', 'c'] }, 'tags', 'a', 'c'],
    [{ websites: ['https://a.example/'] }, 'websites', null, 'https://a.example/'],
    [{ external_identifiers: [{ external_app: 'shop', external_id: 'C-1' }] }, 'external_identifiers', null, 'shop: C-1'],
    [{ external_identifiers: [] }, 'external_identifiers', 'shop: C-1', null],
    [{ addresses: [{ address1: 'Way 1', city: 'Bonn' }] }, 'addresses', null, 'Way 1; ; Bonn; ; ; ; '],
    [{ field_values: { plan: 'gold' } }, 'custom_fields', null, 'plan: gold'],
    [{ field_values: { plan: 'lead' } }, 'custom_fields', 'plan: gold', 'plan: lead'],
  ]) {
    const activity = await gained(desk, id, () => desk.staff.update(`/users/${id}`, body));
    const [told1, ...more] = told(activity);
    assert.equal(more.length, 0);
    const sorted = (text) => text && text.split(', ').sort().join(', ');
    assert.deepEqual([told1[0], sorted(told1[1]), sorted(told1[2])], [field, previous, current]);
  }
});

test('changes through /tags of an owner and /members of a team are recorded as changes of the person', async (t) => {
  const desk = await open(t);
  const { customer, agent, collaborator } = desk.people;
  const tags = (act) => gained(desk, customer.id, act).then((a) => told(a)[0]);
  assert.deepEqual(await tags(() => desk.staff.create(`/users/${customer.id}/tags`, { tags: 'x' })), ['tags', null, 'x']);
  assert.deepEqual(await tags(() => desk.staff.update(`/users/${customer.id}/tags`, { tags: 'y' })), ['tags', 'x', 'y']);
  assert.deepEqual(await tags(async () => (await desk.staff.delete(`/users/${customer.id}/tags`, { tags: 'y' })).must(200)), ['tags', 'y', null]);
  const { id } = await desk.admin.create('/teams', { title: 'Night' });
  const people = [agent.id, collaborator.id];
  await desk.admin.create(`/teams/${id}/members`, { agent_ids: people });
  for (const one of people) assert.deepEqual(told((await trail(desk, one))[0]), [['teams', null, 'Night']]);
  (await desk.admin.delete(`/teams/${id}/members`, { agent_ids: people })).must(200);
  for (const one of people) assert.deepEqual(told((await trail(desk, one))[0]), [['teams', 'Night', null]]);
});

test('activities on identities record the value and whether it is primary and validated', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  let made;
  const step = (act) => gained(desk, id, act).then(told);
  assert.deepEqual(await step(async () => { made = await desk.staff.create('/identities/emails', { user_id: id, email: 'b@people.example' }); }),
    [['emails', null, 'b@people.example (not validated)']]);
  assert.deepEqual(await step(() => desk.staff.update(`/identities/emails/${made.id}`, { is_validated: true })),
    [['emails', 'b@people.example (not validated)', 'b@people.example']]);
  assert.deepEqual(await step(() => desk.staff.update(`/identities/emails/${made.id}`, { is_primary: true })).then(([[, previous, current]]) => [previous, current].map((x) => x.split(', ').sort())),
    [['b@people.example', 'customer@example.com (primary)'], ['b@people.example (primary)', 'customer@example.com']]);
  assert.deepEqual((await step(async () => (await desk.staff.delete(`/identities/emails/${made.id}`)).must(200)))[0][2], 'customer@example.com (primary)');
  assert.deepEqual(await step(() => desk.staff.create('/identities/phones', { user_id: id, number: '+49 30 1234567', is_validated: true })),
    [['phones', null, '+49 30 1234567 (primary)']]);
  assert.deepEqual(await step(() => desk.staff.post('/identities/twitter', { user_id: id, screen_name: 'cora' })), [['twitter', null, 'cora (primary) (not validated)']]);
});

test('a claim records no activity', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  const before = await trail(desk, id);
  const claim = await desk.customer.create('/profile/identities/emails', { email: 'claimed@people.example' });
  (await desk.customer.delete(`/profile/identities/emails/${claim.id}`)).must(200);
  assert.deepEqual(await trail(desk, id), before);
});

test('changes to oneself are recorded: profile, picture, password, second factor', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.agent;
  let me = desk.staff;
  const step = (act) => gained(desk, id, act);
  const named = await step(() => me.update('/profile', { full_name: 'Agnes Also' }));
  assert.deepEqual([named.actor.id, told(named)], [id, [['full_name', 'Agnes Agent', 'Agnes Also']]]);

  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  assert.deepEqual(told(await step(() => me.update('/profile', multipart({ avatar: new File('a.png', 'image/png', png) })))), [['avatar', null, null]]);
  assert.deepEqual(told(await step(async () => (await me.delete('/profile/avatar')).must(200))), [['avatar', null, null]]);

  const fresh = 'battery staple of another kind';
  const changed = await step(async () => (await me.put('/profile/password', { password: PASSWORD, new_password: fresh })).must(200));
  assert.deepEqual([told(changed), changed.summary], [[['password', null, null]], `${link(desk, `users/${id}`, 'Agnes Also')} changed password`]);
  me = desk.login('agent@example.com', fresh);
  const { secret } = await me.fetch('/profile/twofactor');
  desk.secrets.add(secret);
  let codes;
  const confirmed = await step(async () => { codes = (await me.create('/profile/twofactor', { code: totp(secret, desk.clock.now) })).recovery_codes; });
  assert.deepEqual(told(confirmed), [['is_mfa_enabled', 'false', 'true']]);
  const removed = await step(async () => (await desk.owner.delete(`/users/${id}/twofactor`)).must(200));
  assert.deepEqual([told(removed), removed.actor.id], [[['is_mfa_enabled', 'true', 'false']], desk.people.owner.id]);
  assert.deepEqual(told(await step(() => desk.admin.update(`/users/${id}`, { password: 'a third one altogether' }))), [['password', null, null]]);

  const text = JSON.stringify(await trail(desk, id));
  for (const hidden of [PASSWORD, fresh, 'a third one altogether', secret, 'argon2', ...codes]) assert.ok(!text.includes(hidden), hidden);
});

test('creating and deleting a person is recorded', async (t) => {
  const desk = await open(t);
  const { id } = await desk.staff.create('/users', { full_name: 'Newcomer', email: 'new@people.example', tags: 'x', password: 'long enough one' });
  const [made, ...before] = await trail(desk, id);
  assert.deepEqual(before, []);
  const { agent, admin } = desk.people;
  const person = link(desk, `users/${id}`, 'this person');
  assert.deepEqual([made.activity, made.verb, made.summary, made.actions],
    ['USER_CREATED', 'CREATED', `${link(desk, `users/${agent.id}`, 'Agnes Agent')} created ${person}`, []]);
  (await desk.admin.delete(`/users/${id}`)).must(200);
  (await desk.staff.get(`/users/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  const [gone, ...rest] = await trail(desk, id);
  assert.deepEqual(rest, [made]);
  assert.deepEqual([gone.activity, gone.verb, gone.summary, gone.actions],
    ['USER_DELETED', 'DELETED', `${link(desk, `users/${admin.id}`, 'Ada Admin')} deleted ${person}`, []]);
});

test('a person created by a message of a caller without login has no creator in the trail', async (t) => {
  const desk = await open(t);
  (await desk.anyone.post('/conversations', { name: 'Stranger', email: 'stranger@people.example', subject: 'Hello', contents: 'Hello?' })).must(201);
  const [{ id }] = await desk.admin.fetch('/users', { email: 'stranger@people.example' });
  const [made] = await trail(desk, id);
  assert.deepEqual([made.activity, made.actor, made.summary], ['USER_CREATED', null, `Somebody without a login created ${link(desk, `users/${id}`, 'this person')}`]);
});

test('a mailed link that moves an address records activities on both people, without an actor', async (t) => {
  const desk = await open(t);
  const to = await relayFor(t, desk);
  const { customer, agent } = desk.people;
  await desk.staff.create('/identities/emails', { user_id: customer.id, email: 'mine@people.example' });
  await desk.as('agent').create('/profile/identities/emails', { email: 'mine@people.example' });
  const { hash } = await to.find('mine@people.example');
  const lost = await gained(desk, customer.id, async () => {
    const got = await gained(desk, agent.id, async () => (await desk.anyone.exchange('POST', '/verify', { body: form({ hash }) })).must(200));
    assert.deepEqual([got.actor, told(got)], [null, [['emails', null, 'mine@people.example']]]);
  });
  assert.deepEqual([lost.actor, told(lost)], [null, [['emails', 'mine@people.example (not validated)', null]]]);
});

test('an activity without login names the mailed link', async (t) => {
  const desk = await open(t);
  const to = await relayFor(t, desk);
  const { id } = desk.people.customer;
  for (const [email, prove] of [
    ['page@people.example', async (hash) => (await desk.anyone.exchange('POST', '/verify', { body: form({ hash }) })).must(200)],
    ['api@people.example', async (hash) => (await desk.anyone.put('/profile/verify', { hash })).must(200)],
  ]) {
    await desk.as('customer').create('/profile/identities/emails', { email });
    const { hash } = await to.find(email);
    const { actor, summary } = await gained(desk, id, () => prove(hash));
    assert.deepEqual([actor, summary], [null, 'Mailed link changed emails']);
  }
  const entries = await desk.admin.fetch('/changes', { limit: 1000 });
  assert.equal(entries.filter(({ actor, cause }) => actor === null && cause === 'Mailed link').length >= 2, true);
});

test('an activity has the address of staff, not of customers and rules, until a purge of the actor', async (t) => {
  const desk = await open(t, { args: ['--proxies', '127.0.0.1'] });
  const agent = await desk.person('agent'), talk = await desk.customer.create('/conversations', { subject: 'Engine', contents: 'It stalls' });
  const acts = async () => (await desk.admin.fetch(`/cases/${talk.id}/activities`)).filter((a) => !/messages/.test(a.summary)).map((a) => [a.actor?.id ?? null, a.ip_address]);
  await desk.admin.create('/triggers', { title: 'Tag', channel: 'API', actions: [{ name: 'tags', option: 'ADD', value: ['seen'] }] });
  await agent.client.with({ 'X-Forwarded-For': '203.0.113.7' }).update(`/cases/${talk.id}`, { priority_id: 3 });
  assert.deepEqual(await acts(), [[null, null], [agent.id, '203.0.113.7'], [desk.people.customer.id, null]]);
  (await desk.owner.delete(`/users/${agent.id}`, { purge: true })).must(200);
  assert.ok((await desk.owner.fetch(`/cases/${talk.id}/activities`)).every((a) => a.ip_address === null), 'at once');
  await until('the cascade', () => desk.sql('SELECT COUNT(*) FROM activities WHERE ip_address IS NOT NULL AND actor_id = ' + agent.id).trim() === '0');
});

test('a purge erases the values of activities and keeps the activities', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  await desk.staff.update(`/users/${id}`, { full_name: 'Secret Name', tags: 'private' });
  (await desk.owner.delete(`/users/${id}`, { purge: true })).must(200);
  const [deleted, changed] = await trail(desk, id);
  assert.equal(deleted.activity, 'USER_DELETED');
  assert.deepEqual(told(changed).sort(), [['full_name', null, null], ['tags', null, null]]);
  assert.equal(changed.actor.id, desk.people.agent.id);
  assert.doesNotMatch(JSON.stringify(await trail(desk, id)), /Secret|private|Cora/);
});

test('a purge erases the references of the person\'s own trail', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  const organization = await desk.admin.create('/organizations', { name: 'Private works' });
  await desk.staff.update(`/users/${id}`, { organization_id: organization.id });
  assert.equal((await trail(desk, id))[0].actions[0].new_object.id, organization.id);
  desk.sql(`UPDATE users SET purged_at = 1 WHERE id = ${id}`); // before the cascade has erased anything
  await desk.admin.create('/teams', { title: 'Any write' }); // ends the snapshots that readers keep
  const [marked] = (await trail(desk, id))[0].actions;
  assert.deepEqual([marked.old_value, marked.new_value, marked.old_object, marked.new_object], [null, null, null, null]);
  desk.sql(`UPDATE users SET purged_at = NULL WHERE id = ${id}`);
  (await desk.owner.delete(`/users/${id}`, { purge: true })).must(200);
  assert.deepEqual((await trail(desk, id)).flatMap((a) => a.actions).filter((a) => a.old_object || a.new_object), []);
  await until('the cascade', () => desk.sql(`SELECT COUNT(*) FROM activities WHERE objects IS NOT NULL AND owner_user_id = ${id}`).trim() === '0');
});

test('a write that changes nothing, or is refused, records no activity', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  const before = await trail(desk, id);
  const { full_name, emails: [email] } = await desk.staff.fetch(`/users/${id}`);
  await desk.staff.update(`/users/${id}`, {});
  await desk.staff.update(`/users/${id}`, { full_name, is_enabled: true, role_id: ROLE_ID.customer, tags: [] });
  await desk.customer.update('/profile', { full_name });
  await desk.customer.update(`/profile/identities/emails/${email.id}/primary`, {});
  await desk.staff.create(`/users/${id}/notes`, { contents: 'Likes tea', is_pinned: true });
  (await desk.customer.get('/me')).must(200);
  (await desk.customer.delete('/profile/avatar')).must(200);
  (await desk.staff.put(`/users/${id}`, { full_name: 'Refused', time_zone: 'Nowhere' })).refused(400, 'FIELD_INVALID');
  (await desk.staff.put(`/users/${id}`, { full_name: 'Refused' }, { headers: { 'If-Match': '"0123456789abcdef0123456789abcdef"' } })).must(412);
  (await desk.staff.delete(`/identities/emails/${email.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.deepEqual(await trail(desk, id), before);
});

test('a write that fails after its first change records nothing, and a repeated request is recorded once', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  const before = await trail(desk, id);
  await desk.staff.create(`/users/${id}/tags`, { tags: Array.from({ length: 20 }, (_, i) => `tag${i}`) });
  const [full] = await trail(desk, id);
  const many = Array.from({ length: 100 }, (_, i) => `more${i}`);
  (await desk.staff.post(`/users/${id}/tags`, { tags: many })).must(400);
  assert.deepEqual((await trail(desk, id))[0], full);
  const options = { headers: { 'Idempotency-Key': 'once-and-no-more' } };
  for (let i = 0; i < 2; i++) await desk.staff.create(`/users/${id}/tags`, { tags: 'once' }, options);
  assert.equal((await trail(desk, id)).length, before.length + 2);
});

test('activities come newest first, by offset and by keyset', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  for (const designation of ['One', 'Two', 'Three', 'Four']) await desk.staff.update(`/users/${id}`, { designation });
  await desk.staff.update('/profile', { full_name: 'Elsewhere' });
  const all = await trail(desk, id);
  assert.deepEqual(all.slice(0, 4).map((a) => told(a)[0][2]), ['Four', 'Three', 'Two', 'One']);
  const path = `/users/${id}/activities`;
  const ids = all.map((a) => a.id);
  const page = (await desk.staff.get(path, { limit: 2, offset: 1 })).must(200);
  assert.deepEqual([page.data.map((a) => a.id), page.body.total_count], [ids.slice(1, 3), ids.length]);
  assert.deepEqual((await desk.staff.fetch(path, { after_id: ids[1], limit: 2 })).map((a) => a.id), ids.slice(2, 4));
  assert.deepEqual((await desk.staff.fetch(path, { before_id: ids[2], limit: 1 })).map((a) => a.id), [ids[1]]);
});

test('staff read the trail, customers and strangers don\'t, and an activity is found under its owner only', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  const { id: activity } = await gained(desk, id, () => desk.staff.update(`/users/${id}`, { designation: 'Buyer' }));
  for (const path of [`/users/${id}/activities`, `/users/${id}/activities/${activity}`]) {
    for (const role of ['owner', 'admin', 'agent', 'collaborator']) (await desk.as(role).get(path)).must(200);
    (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
    for (const method of ['POST', 'PUT', 'DELETE']) (await desk.owner.request(method, path)).must(405);
  }
  for (const path of [`/users/${desk.people.agent.id}/activities/${activity}`, '/users/999999/activities', `/users/999999/activities/${activity}`, `/users/${id}/activities/999999`, `/users/x/activities`])
    (await desk.staff.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { File, multipart, open, PASSWORD, ROLES, ROLE_ID } from './lib/index.mjs';
import { png } from './lib/picture.mjs';
import { totp } from './lib/totp.mjs';

const ANN = { full_name: 'Ann Example', email: 'ann@home.example' };
const total = async (who, query) => (await who.get('/users', query)).must(200).body.total_count;

test('a user is created with a name and an address, as a customer by default', async (t) => {
  const { owner } = await open(t);
  const ann = await owner.create('/users', ANN);
  assert.deepEqual([ann.full_name, ann.is_enabled, ann.role, ann.agent_case_access, ann.organization_case_access], ['Ann Example', true, { id: 4, resource_type: 'role' }, null, 'REQUESTED']);
  assert.equal(ann.emails.length, 1);
  assert.equal(ann.emails[0].resource_type, 'identity_email');
  assert.match(ann.uuid, /^[0-9a-f-]{36}$/);
  const [email] = (await owner.fetch(`/users/${ann.id}`, { include: 'identity_email' })).emails;
  assert.deepEqual([email.email, email.is_primary], ['ann@home.example', true]);
});

test('a user requires a name, and an address or a phone number', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/users', {})).refused(400, 'FIELD_REQUIRED', 'full_name').refused(400, 'ANY_FIELD_REQUIRED', 'email', 'phone');
  (await owner.post('/users', { full_name: 'Phone Only', phone: '+4930901820' })).must(201);
  for (const email of ['x', 'x@', '@y', 'a b@c.example', 'a@b..c', 'a@b\n.example', `${'x'.repeat(300)}@y.example`, 'Ann <ann@home.example>']) {
    (await owner.post('/users', { full_name: 'X', email })).refused(400, 'FIELD_INVALID', 'email');
  }
  (await owner.post('/users', { full_name: '', email: 'x@y.example' })).refused(400, 'FIELD_EMPTY', 'full_name');
});

test('an address is unique among users, in any letter case', async (t) => {
  const { owner } = await open(t);
  await owner.create('/users', ANN);
  for (const email of ['ann@home.example', 'ANN@HOME.example']) (await owner.post('/users', { full_name: 'Bob', email })).refused(400, 'FIELD_DUPLICATE', 'email');
});

test('passwords have at least 8 characters for staff, 5 for customers, and are never shown', async (t) => {
  const { owner } = await open(t);
  const make = (password, role_id, n) => owner.post('/users', { full_name: 'X', email: `x${n}@y.example`, role_id, password });
  (await make('1234567', 2, 1)).refused(400, 'FIELD_INVALID', 'password');
  (await make('12345678', 2, 2)).must(201);
  (await make('1234', 4, 3)).refused(400, 'FIELD_INVALID', 'password');
  const made = (await make('12345', 4, 4)).must(201);
  assert.ok(!made.text.includes('argon2') && !('password' in made.data));
});

test('a PUT changes only the given members of a user', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/users', { ...ANN, designation: 'Buyer', time_zone: 'Europe/Berlin' });
  const put = await owner.update(`/users/${id}`, { full_name: 'Ann Other', signature: 'Yours' });
  assert.deepEqual([put.full_name, put.designation, put.time_zone, put.signature], ['Ann Other', 'Buyer', 'Europe/Berlin', 'Yours']);
  assert.equal((await owner.update(`/users/${id}`, { designation: null })).designation, null);
  (await owner.put(`/users/${id}`, { full_name: '' })).refused(400, 'FIELD_EMPTY', 'full_name');
  (await owner.put(`/users/${id}`, { time_zone: '../../etc/passwd' })).refused(400, 'FIELD_INVALID', 'time_zone');
  (await owner.put(`/users/${id}`, { role_id: 99 })).refused(400, 'FIELD_INVALID', 'role_id');
});

test('users are listed newest first', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/users', ANN);
  const { ids } = (await owner.get('/users')).must(200);
  assert.equal(ids[0], id);
  assert.deepEqual(ids, [...ids].sort((a, b) => b - a));
});

test('users are selected by email, ids, role and is_enabled', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const ann = await owner.create('/users', ANN);
  assert.deepEqual((await owner.get('/users', { email: 'Ann@home.example' })).must(200).ids, [ann.id]);
  assert.equal(await total(owner, { email: 'none@home.example' }), 0);
  assert.deepEqual((await owner.get('/users', { ids: `${ann.id},${desk.people.agent.id},9999` })).must(200).ids, [ann.id, desk.people.agent.id]);
  assert.deepEqual((await owner.get('/users', { role: 'AGENT' })).must(200).ids, [desk.people.agent.id]);
  await owner.update(`/users/${ann.id}`, { is_enabled: false });
  assert.deepEqual((await owner.get('/users', { is_enabled: false })).must(200).ids, [ann.id]);
  assert.equal(await total(owner, { is_enabled: true }), 5);
  (await owner.get('/users', { is_enabled: 'x' })).refused(400, 'FIELD_INVALID', 'is_enabled');
});

test('after_id and before_id page through the list, but not together', async (t) => {
  const { owner } = await open(t);
  const { ids } = (await owner.get('/users')).must(200);
  const page = (await owner.get('/users', { after_id: ids[1], limit: 2 })).must(200);
  assert.deepEqual(page.ids, ids.slice(2, 4));
  assert.ok(!('offset' in page.body));
  assert.match(page.headers.link ?? '', new RegExp(`after_id=${ids[3]}\\b[^>]*>; ?rel="next"`));
  assert.deepEqual((await owner.get('/users', { before_id: ids[2] })).must(200).ids, ids.slice(0, 2));
  (await owner.get('/users', { after_id: 1, before_id: 9 })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.get('/users', { after_id: 'x' })).refused(400, 'FIELD_INVALID', 'after_id');
});

test('every role reads itself at /me', async (t) => {
  const desk = await open(t);
  for (const [role, { id, name }] of Object.entries(desk.people)) {
    const me = (await desk.as(role).get('/me')).must(200).data;
    assert.deepEqual([me.id, me.full_name], [id, name]);
    for (const member of ['permissions', 'settings', 'notification_channel']) assert.ok(member in me, member);
  }
  (await desk.anyone.get('/me')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('/me refers to the caller\'s permissions and the public settings', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const client = desk.as(role);
    const reply = (await client.get('/me')).must(200);
    const { id, permissions, settings, notification_channel: channel } = reply.data;
    assert.equal(reply.headers['content-location'], `${desk.base}/api/v1/users/${id}`);
    assert.match(channel, /^user_notifications-[0-9a-f]{64}@[0-9a-f]{40}$/);
    for (const [list, type] of [[permissions, 'permission'], [settings, 'setting']]) {
      assert.ok(list.length > 5, `${type} of ${role}`);
      for (const one of list) assert.deepEqual(one, { id: one.id, resource_type: type });
    }
    const full = await client.fetch('/me', { include: 'permission,setting' });
    const own = (await client.get(`/roles/${ROLE_ID[role]}/permissions`)).must(200).data;
    assert.deepEqual(full.permissions.map((p) => [p.id, p.name, p.value]), own.map((p) => [p.id, p.name, p.value]));
    assert.deepEqual(full.settings.map((s) => s.id), settings.map((s) => s.id));
    assert.deepEqual([...new Set(full.settings.map((s) => s.category))].sort(), ['account', 'cases']);
    assert.equal(full.settings.find((s) => s.name === 'default_language').value, 'en-us');
    const flat = (await client.get('/me', { _flat: true, include: 'setting' })).must(200).body;
    assert.deepEqual(Object.keys(flat.resources.setting).map(Number), settings.map((s) => s.id));
  }
});

test('/me shows only the members that `fields` names', async (t) => {
  const { staff } = await open(t);
  const shown = async (fields) => Object.keys(await staff.fetch('/me', { fields }));
  assert.deepEqual(await shown('full_name'), ['id', 'uuid', 'full_name', 'resource_type', 'resource_url']);
  assert.deepEqual(await shown('full_name,settings'), ['id', 'uuid', 'full_name', 'settings', 'resource_type', 'resource_url']);
  const without = await shown('-permissions,-teams');
  assert.deepEqual(['permissions', 'teams', 'settings', 'email', 'notification_channel'].map((name) => without.includes(name)), [false, false, true, false, true]);
  assert.ok((await shown('+tags')).includes('permissions'));
});

test('other people are shown without permissions and settings', async (t) => {
  const desk = await open(t);
  const { permissions, settings, notification_channel: channel } = await desk.owner.fetch(`/users/${desk.people.admin.id}`, { fields: '+permissions,+settings,+notification_channel', include: '*' });
  assert.deepEqual([permissions, settings, channel], [[], [], null]);
});

test('a deleted user disappears from lists and logins, but references keep the name', async (t) => {
  const desk = await open(t);
  const { id, email, client } = await desk.person('customer');
  const conversation = await client.create('/conversations', { subject: 'S', contents: 'C' });
  (await desk.owner.delete(`/users/${id}`)).must(200);
  (await desk.owner.get(`/users/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(await total(desk.owner, { ids: id }), 0);
  (await client.get('/conversations')).refused(401, 'AUTHENTICATION_FAILED');
  const shown = await desk.owner.fetch(`/conversations/${conversation.id}`, { include: 'user' });
  assert.deepEqual([shown.requester.id, shown.requester.full_name], [id, 'customer 1']);
  const again = await desk.owner.create('/users', { full_name: 'New', email });
  assert.notEqual(again.id, id);
  (await desk.owner.delete(`/users/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('a purge erases a person and keeps the conversations', async (t) => {
  const desk = await open(t);
  const { id, client } = await desk.person('customer', { full_name: 'Quentin Quoll' });
  const conversation = await client.create('/conversations', { subject: 'S', contents: 'C' });
  const other = await desk.person('customer');
  const refused = await desk.staff.delete(`/users/${other.id}`, { purge: true });
  assert.equal(refused.status, 403, `${refused}`);
  (await desk.admin.delete(`/users/${id}`, { purge: true })).must(200);
  const shown = (await desk.owner.get(`/conversations/${conversation.id}`, { include: '*' })).must(200);
  assert.ok(!shown.text.includes('Quoll'));
});

test('a purge erases all credentials of a person', async (t) => {
  const desk = await open(t);
  const { id, client } = await desk.person('customer');
  const conversation = await client.create('/conversations', { subject: 'S', contents: 'C' });
  const token = (await client.get('/session', { remember_me: true })).must(200).headers['x-rememberme'];
  (await desk.anyone.get('/session', {}, { 'X-RememberMe': token })).must(200);
  const { secret } = await client.fetch('/profile/twofactor');
  await client.create('/profile/twofactor', { code: totp(secret, desk.clock.now) });
  await desk.owner.update(`/users/${id}`, { password: 'another one' });
  (await desk.owner.delete(`/users/${id}`, { purge: true })).must(200);
  const { requester } = await desk.owner.fetch(`/conversations/${conversation.id}`, { include: 'user' });
  assert.deepEqual([requester.full_name, requester.is_mfa_enabled], ['Deleted user', false]);
  assert.equal(desk.check().status, 0);
});

test('the last owner can\'t be deleted or changed to another role', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.owner;
  for (const attempt of [desk.owner.delete(`/users/${id}`), desk.owner.put(`/users/${id}`, { role_id: 1 }), desk.owner.put(`/users/${id}`, { is_enabled: false })]) {
    const reply = await attempt;
    assert.ok([400, 403].includes(reply.status), `${reply}`);
  }
  const me = await desk.owner.fetch('/me');
  assert.deepEqual([me.is_enabled, me.role.id], [true, 5]);
});

test('agents act only on customers and themselves', async (t) => {
  const desk = await open(t);
  const [mate, customer] = [await desk.person('agent'), await desk.person('customer')];
  await desk.staff.update(`/users/${customer.id}`, { full_name: 'By an agent' });
  await desk.staff.update(`/users/${desk.people.agent.id}`, { designation: 'Myself' });
  await desk.staff.create('/users', ANN);
  for (const id of [mate.id, desk.people.admin.id, desk.people.owner.id]) {
    (await desk.staff.put(`/users/${id}`, { full_name: 'No', password: PASSWORD })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.staff.delete(`/users/${id}`)).refused(403, 'PERMISSIONS_DENIED');
  }
  assert.equal((await desk.owner.fetch(`/users/${mate.id}`)).full_name, mate.user.full_name);
});

test('admins act on anyone of equal or lower rank', async (t) => {
  const desk = await open(t);
  const mate = await desk.person('admin');
  await desk.admin.update(`/users/${mate.id}`, { designation: 'Peer' });
  (await desk.admin.put(`/users/${desk.people.owner.id}`, { full_name: 'No' })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.delete(`/users/${desk.people.owner.id}`)).refused(403, 'PERMISSIONS_DENIED');
});

test('collaborators read users but don\'t write them; customers read themselves and change nobody', async (t) => {
  const desk = await open(t);
  const collaborator = desk.as('collaborator');
  (await collaborator.get('/users')).must(200);
  (await collaborator.post('/users', ANN)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.customer.get('/users')).refused(403, 'PERMISSIONS_DENIED');
  assert.equal((await desk.customer.fetch(`/users/${desk.people.customer.id}`)).id, desk.people.customer.id);
  (await desk.customer.get(`/users/${desk.people.owner.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(await total(desk.owner), 5);
});

test('a refused user leaves no rows', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/users', { ...ANN, role_id: 99 })).must(400);
  (await owner.post('/users', { ...ANN, team_ids: '99' })).must(400);
  (await owner.post('/users', ANN)).must(201);
});

test('legacy_id is unique among users', async (t) => {
  const { owner } = await open(t);
  assert.equal((await owner.create('/users', { ...ANN, legacy_id: 'U1' })).legacy_id, 'U1');
  (await owner.post('/users', { full_name: 'B', email: 'b@home.example', legacy_id: 'U1' })).refused(400, 'FIELD_DUPLICATE', 'legacy_id');
});

test("an agent can't extend anybody's access, not even their own", async (t) => {
  const desk = await open(t);
  const team = await desk.owner.create('/teams', { title: 'T' });
  const { id, client } = await desk.person('agent', { agent_case_access: 'SELF' });
  const reply = (await client.put(`/users/${id}`, { agent_case_access: 'ALL', team_ids: [team.id], designation: 'D' })).must(200);
  assert.match(JSON.stringify(reply.body.logs), /agent_case_access.*team_ids|team_ids.*agent_case_access/);
  assert.deepEqual([reply.data.agent_case_access, reply.data.teams, reply.data.designation], ['SELF', [], 'D']);
  (await client.put(`/users/${id}`, { role_id: 1 })).refused(403, 'PERMISSIONS_DENIED', 'role_id');
  (await client.put(`/users/${id}`, { role_id: 2 })).must(200); // the present value is not an extension
  (await desk.admin.put(`/users/${id}`, { agent_case_access: 'TEAMS', team_ids: [team.id] })).must(200);
});

test('an admin can\'t grant a role with more permissions than their own, and can\'t change an owner\'s role', async (t) => {
  const desk = await open(t);
  const role = await desk.owner.create('/roles', { title: 'Narrow', type: 'ADMIN' });
  (await desk.owner.put(`/roles/${role.id}/permissions`, { 'roles.manage': 0 })).must(200);
  const { id, client } = await desk.person('admin', { role_id: role.id });
  (await client.put(`/users/${id}`, { role_id: 1 })).refused(403, 'PERMISSIONS_DENIED', 'role_id');
  (await desk.admin.put('/roles/5', { agent_case_access: 'SELF' })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.put('/roles/5/permissions', { 'teams.manage': 0 })).refused(403, 'PERMISSIONS_DENIED');
});

test('null and empty values on POST mean the default', async (t) => {
  const { owner } = await open(t);
  const user = await owner.create('/users', { full_name: 'A', email: 'a@b.example', phone: '', role_id: null });
  assert.equal(user.role.id, 4);
  assert.equal((await owner.create('/roles', { title: 'R', type: 'AGENT', agent_case_access: null })).agent_case_access, 'ALL');
  assert.equal((await owner.create('/organizations', { name: 'O', is_shared: '', is_validated: null })).is_shared, false);
  const hours = await owner.create('/businesshours', { title: 'H', zones: { monday: [1] }, holidays: null, time_zone: '' });
  assert.deepEqual([hours.holidays, hours.time_zone], [[], 'UTC']);
});

test('a password may be a number', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/users', { full_name: 'N', email: 'n@b.example', password: 12345678 });
  (await desk.login('n@b.example', '12345678').get('/conversations')).must(200);
});

test('a User-Agent that is not UTF-8 is accepted and shown readably', async (t) => {
  const desk = await open(t);
  const reply = (await desk.owner.get('/session', {}, { 'User-Agent': 'caf\u00e9/1' })).must(200); // Node sends one byte, E9
  assert.equal(reply.data.user_agent, 'caf\ufffd/1');
});

test("a PUT of the user can't change one's own password, because that needs the present one", async (t) => {
  const desk = await open(t);
  for (const role of ['agent', 'admin', 'owner']) {
    const reply = (await desk.as(role).put(`/users/${desk.people[role].id}`, { password: 'not asked for the old one', signature: 'Me' })).must(200);
    assert.equal(reply.data.signature, 'Me');
    assert.match(JSON.stringify(reply.body.logs), /password was ignored/);
    (await desk.login(desk.people[role].email, 'not asked for the old one').get('/me')).refused(401, 'AUTHENTICATION_FAILED');
    (await desk.as(role).get('/me')).must(200);
  }
});

/* ---- bulk deletion, and deleted people ---------------------------------------------------------------------------------------- */

const some = async (desk, n, role = 'customer') => Promise.all(Array.from({ length: n }, () => desk.person(role)));
const ids = (people) => people.map((p) => p.id).join();

test('several people are deleted at once or not at all', async (t) => {
  const desk = await open(t);
  const people = await some(desk, 3);
  const conversation = await people[1].client.create('/conversations', { subject: 'S', contents: 'C' });
  const refused = [
    [{ ids: `${ids(people)},987654` }, 404, 'RESOURCE_NOT_FOUND', 'ids/3'],
    [{ ids: `${people[0].id},${people[0].id}` }, 400, 'PARAMETERS_INCONSISTENT', 'ids'],
    [{}, 400, 'FIELD_REQUIRED', 'ids'],
    [{ ids: '' }, 400, 'FIELD_EMPTY', 'ids'],
    [{ ids: 'x' }, 400, 'FIELD_INVALID', 'ids'],
    [{ ids: Array.from({ length: 1001 }, (_, n) => n + 1).join() }, 400, 'FIELD_INVALID', 'ids'],
  ];
  for (const [query, ...refusal] of refused) (await desk.admin.delete('/users', query)).refused(...refusal);
  (await desk.staff.delete('/users', { ids: `${people[0].id},${desk.people.admin.id}` })).refused(403, 'PERMISSIONS_DENIED', 'ids', 'ids/1');
  for (const { parameter, pointer } of (await desk.staff.delete(`/users/${desk.people.admin.id}`)).refused(403, 'PERMISSIONS_DENIED').body.errors) assert.deepEqual([parameter, pointer], [undefined, undefined], 'the path names the person');
  for (const person of people) (await person.client.get('/me')).must(200);
  assert.equal((await desk.staff.delete('/users', { ids: ids(people) })).must(200).body.total_count, 3);
  for (const { id, email, client } of people) {
    (await desk.owner.get(`/users/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await client.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
    await desk.owner.create('/users', { full_name: 'New', email });
    assert.deepEqual((await desk.owner.fetch(`/users/${id}/activities`)).map((a) => a.activity), ['USER_DELETED', 'USER_CREATED']);
  }
  assert.equal((await desk.owner.fetch(`/conversations/${conversation.id}`, { include: 'user' })).requester.full_name, people[1].user.full_name);
  (await desk.staff.delete('/users', { ids: ids(people) })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/0', 'ids/2');
  assert.equal((await desk.owner.request('DELETE', '/users', { body: { ids: (await some(desk, 2)).map((p) => p.id) } })).must(200).body.total_count, 2);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('agents bulk-delete customers, admins people not above them, both with the permission', async (t) => {
  const desk = await open(t);
  for (const role of ['collaborator', 'customer']) (await desk.as(role).delete('/users', { ids: ids(await some(desk, 1)) })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.delete('/users', { ids: '1' })).refused(401, 'AUTHORIZATION_REQUIRED');
  const crowd = [...await some(desk, 1), ...await some(desk, 1, 'agent')];
  (await desk.staff.delete('/users', { ids: ids(crowd) })).refused(403, 'PERMISSIONS_DENIED', 'ids/1');
  (await desk.admin.delete('/users', { ids: `${desk.people.customer.id},${desk.people.owner.id}` })).refused(403, 'PERMISSIONS_DENIED', 'ids/1');
  assert.equal((await desk.admin.delete('/users', { ids: ids(crowd) })).must(200).body.total_count, 2);
  await desk.owner.put('/roles/2/permissions', { 'users.delete': 0 });
  (await desk.staff.delete('/users', { ids: ids(await some(desk, 1)) })).refused(403, 'PERMISSIONS_DENIED');
});

test('concurrent bulk deletions leave at least one owner', async (t) => {
  const desk = await open(t);
  const [second] = await some(desk, 1, 'owner');
  const both = `${desk.people.customer.id},${second.id},${desk.people.owner.id}`;
  (await desk.owner.delete('/users', { ids: both })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids/1', 'ids/2');
  (await desk.customer.get('/me')).must(200);
  const replies = await Promise.all([desk.owner.delete('/users', { ids: second.id }), second.client.delete('/users', { ids: desk.people.owner.id })]);
  assert.equal(replies.filter((r) => r.status === 200).length, 1, replies.join());
});

test('a purge removes the uploaded picture of a person', async (t) => {
  const desk = await open(t);
  const { id, client } = await desk.person('customer');
  (await client.put('/profile', multipart({ avatar: new File('me.png', 'image/png', png(20, 20)) }))).must(200);
  assert.equal(desk.sql(`SELECT COUNT(*) FROM avatars WHERE user_id = ${id}`).trim(), '1');
  (await desk.owner.delete(`/users/${id}`, { purge: true })).must(200);
  assert.equal(desk.sql(`SELECT COUNT(*) FROM avatars WHERE user_id = ${id}`).trim(), '0');
});

test('admins and owners can purge a deleted person once', async (t) => {
  const desk = await open(t);
  const people = await Promise.all(['Quentin Quoll', 'Quirin Quail', 'Quincy Queen'].map((full_name) => desk.person('customer', { full_name })));
  const conversations = await Promise.all(people.map(({ client }) => client.create('/conversations', { subject: 'S', contents: 'C' })));
  (await desk.staff.delete('/users', { ids: ids(people.slice(0, 2)) })).must(200);
  const [one] = people;
  for (const [who, status] of [[desk.staff, 404], [desk.as('collaborator'), 403], [desk.customer, 403], [desk.anyone, 401]]) (await who.delete(`/users/${one.id}`, { purge: true })).must(status);
  for (const purge of [false, 0]) (await desk.owner.delete(`/users/${one.id}`, { purge })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.delete('/users', { ids: people[2].id, purge: true })).refused(403, 'PERMISSIONS_DENIED');
  const purged = [desk.admin.delete(`/users/${one.id}`, { purge: true }), desk.owner.delete('/users', { ids: ids(people.slice(1)), purge: 1 })];
  for (const reply of await Promise.all(purged)) reply.must(200);
  for (const { id } of conversations) assert.doesNotMatch((await desk.owner.get(`/conversations/${id}`, { include: '*' })).must(200).text, /Quoll|Quail|Queen/);
  for (const { id } of people) assert.doesNotMatch((await desk.owner.get(`/users/${id}/activities`)).must(200).text, /Quoll|Quail|Queen/);
  (await desk.owner.delete(`/users/${one.id}`, { purge: true })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.owner.delete('/users', { ids: ids(people), purge: true })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/0', 'ids/1', 'ids/2');
  for (const [i, role] of ['agent', 'admin', 'owner'].entries()) {
    const { id } = await desk.person(role);
    (await desk.owner.delete(`/users/${id}`)).must(200);
    (await desk.admin.delete(`/users/${id}`, { purge: true })).must(i < 2 ? 200 : 403);
  }
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('passwords that staff set are hashed one at a time, like those of logins', async (t) => {
  const desk = await open(t, { args: ['--workers', '8'], processes: 1 });
  const { client } = await desk.session(desk.owner);
  const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${desk.child.pid}/status`, 'utf8'))[1]) / 1024;
  const hashes = async () => Number(/^deskd_password_hashes_total (\d+)/m.exec((await desk.anyone.exchange('GET', '/metrics')).text)[1]);
  const [memory, before] = [peak(), await hashes()];
  const made = await Promise.all(Array.from({ length: 32 }, (_, n) => client.create('/users', { full_name: 'X', email: `hash${n}@x.example`, password: PASSWORD })));
  for (const reply of await Promise.all(made.map(({ id }) => client.put(`/users/${id}`, { password: `${PASSWORD} again` })))) reply.must(200);
  assert.equal(await hashes() - before, 64);
  assert.ok(peak() - memory < 2.5 * 19, `${peak() - memory} MiB more than before; a hash needs 19`);
});

test('a new person belongs to the named organization, or else to that of the validated domain of the address', async (t) => {
  const desk = await open(t), { owner } = desk;
  const of = async (email, more) => (await owner.create('/users', { full_name: 'N', email, ...more })).organization?.id ?? null;
  const named = await owner.create('/organizations', { name: 'Named' }), acme = await owner.create('/organizations', { name: 'Acme', domains: 'acme.example', is_validated: true });
  await owner.create('/organizations', { name: 'Unproven', domains: 'unproven.example' });
  assert.deepEqual([await of('a@acme.example'), await of('b@ACME.example'), await of('c@acme.example', { organization_id: named.id })], [acme.id, acme.id, named.id]);
  assert.deepEqual([await of('d@unproven.example'), await of('e@mail.acme.example'), await of('acme.example@other.example')], [null, null, null]);
});

test('a person who is disabled stays logged out when enabled again', async (t) => {
  const desk = await open(t), { customer } = desk.people, first = await desk.session(desk.customer), second = await desk.session(desk.customer);
  for (const is_enabled of [false, true]) await desk.owner.update(`/users/${customer.id}`, { is_enabled });
  for (const { bare } of [first, second]) (await bare.get('/me')).refused(454, 'SESSION_LOADING_FAILED');
  (await desk.customer.get('/me')).must(200);
  const { owner } = desk.people, other = await desk.person('owner'), sessions = () => desk.sql(`SELECT MIN(id) FROM sessions WHERE ended_at IS NULL AND user_id = ${owner.id}`).trim();
  await desk.session(desk.owner);
  assert.equal(sessions(), '1', 'the first session of the desk');
  await other.client.update(`/users/${owner.id}`, { is_enabled: false });
  assert.equal(sessions(), '');
});

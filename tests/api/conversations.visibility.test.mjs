import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';
import { waysTo } from './lib/walk.mjs';

const write = (who, subject = 'S') => who.create('/conversations', { subject, contents: `${subject} contents` });

/** Every route that leads to one conversation. */
const ways = (id) => waysTo('/conversations/:id', id);

async function hidden(who, id, message) {
  for (const path of [...ways(id), `/conversations/${id}/messages/${message}`]) (await who.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  (await who.put(`/conversations/${id}`, { subject: 'No' })).refused(404, 'RESOURCE_NOT_FOUND');
  (await who.post(`/conversations/${id}/messages`, { contents: 'No' })).refused(404, 'RESOURCE_NOT_FOUND');
  (await who.put(`/conversations/${id}/messages/${message}`, { message_status: 'SEEN' })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.ok(!(await who.get('/conversations', { limit: 1000 })).must(200).ids.includes(id));
}

async function shown(who, id) {
  for (const path of ways(id)) (await who.get(path)).must(200);
  assert.ok((await who.get('/conversations', { limit: 1000 })).must(200).ids.includes(id));
}

const firstMessage = async (desk, id) => (await desk.owner.fetch(`/conversations/${id}/messages`))[0].id;

test('a customer sees only their own conversations; others answer 404, never 403', async (t) => {
  const desk = await open(t);
  const [ann, ben] = [await desk.person('customer'), await desk.person('customer')];
  const [hers, his] = [await write(ann.client), await write(ben.client)];
  await shown(ann.client, hers.id);
  await hidden(ann.client, his.id, await firstMessage(desk, his.id));
  await hidden(ben.client, hers.id, await firstMessage(desk, hers.id));
  assert.equal((await ann.client.get('/conversations')).body.total_count, 1);
  assert.equal((await desk.owner.fetch(`/conversations/${hers.id}`)).subject, 'S');
});

test('agents, admins and owners with access ALL see all', async (t) => {
  const desk = await open(t);
  const { id } = await write(desk.customer);
  for (const role of ['agent', 'admin', 'owner', 'collaborator']) await shown(desk.as(role), id);
});

test('an agent with access SELF sees their assigned conversations, one with TEAMS also unassigned ones', async (t) => {
  const desk = await open(t);
  const { id } = await write(desk.customer);
  const self = await desk.person('agent', { agent_case_access: 'SELF' });
  const teams = await desk.person('agent', { agent_case_access: 'TEAMS' });
  await hidden(self.client, id, await firstMessage(desk, id));
  await shown(teams.client, id);
});

test('the access of the user overrides the access of the role', async (t) => {
  const desk = await open(t);
  const { id } = await write(desk.customer);
  const role = await desk.owner.create('/roles', { title: 'Narrow', type: 'AGENT', agent_case_access: 'SELF' });
  const narrow = await desk.person('agent', { role_id: role.id });
  const wide = await desk.person('agent', { role_id: role.id, agent_case_access: 'ALL' });
  await hidden(narrow.client, id, await firstMessage(desk, id));
  await shown(wide.client, id);
  await desk.owner.update(`/roles/${role.id}`, { agent_case_access: 'ALL' });
  await shown(narrow.client, id);
  await desk.owner.update(`/users/${wide.id}`, { agent_case_access: 'SELF' });
  await hidden(wide.client, id, await firstMessage(desk, id));
});

test('access SELF limits a collaborator, too', async (t) => {
  const desk = await open(t);
  const { id } = await write(desk.customer);
  const { client } = await desk.person('collaborator', { agent_case_access: 'SELF' });
  await hidden(client, id, await firstMessage(desk, id));
});

test('an assigned conversation is visible to its agent, its team and access ALL', async (t) => {
  const desk = await open(t);
  if (!desk.has('PUT', '/cases/1')) return t.skip('cases can not be assigned yet');
  const team = await desk.owner.create('/teams', { title: 'T' });
  const make = (agent_case_access, team_ids) => desk.person('agent', { agent_case_access, team_ids });
  const [inTeam, outside, self] = [await make('TEAMS', [team.id]), await make('TEAMS', []), await make('SELF', [team.id])];
  const [teams, own] = [await write(desk.customer, 'team'), await write(desk.customer, 'own')];
  await desk.owner.update(`/cases/${teams.id}`, { assigned_team_id: team.id });
  await desk.owner.update(`/cases/${own.id}`, { assigned_agent_id: self.id });
  await shown(inTeam.client, teams.id);
  await hidden(outside.client, teams.id, await firstMessage(desk, teams.id));
  await hidden(self.client, teams.id, await firstMessage(desk, teams.id));
  await shown(self.client, own.id);
  await hidden(inTeam.client, own.id, await firstMessage(desk, own.id));
  (await desk.owner.delete(`/teams/${team.id}`)).must(200);
  await shown(outside.client, teams.id);
});

test('by default customers see the status, and type and priority are null for all their requests', async (t) => {
  const desk = await open(t);
  const { id } = await write(desk.customer);
  (await desk.owner.put(`/conversations/${id}`, { priority_id: 3, type_id: 2 })).must(200);
  for (const who of [desk.customer, desk.staff, desk.owner]) {
    const c = await who.fetch(`/conversations/${id}`);
    assert.deepEqual([c.status.id, c.priority, c.type, c.custom_fields], [1, null, null, []]);
  }
});

test("a customer never sees addresses and traces of others, nor private members of staff", async (t) => {
  const desk = await open(t);
  const agent = await desk.person('agent', { phone: '+4930901820', designation: 'Chief', signature: 'Sig', legacy_id: 'staff-77' });
  const { id } = await write(desk.customer);
  (await agent.client.post(`/conversations/${id}/messages`, { contents: 'Answer' })).must(201);
  for (const path of [...ways(id), '/conversations']) {
    const reply = (await desk.customer.get(path, { include: '*' })).must(200);
    for (const word of [agent.email, '4930901820', 'owner@example.com', 'staff-77']) assert.ok(!reply.text.includes(word), `${word} in ${reply}`);
    for (const flat of [(await desk.customer.get(path, { include: '*', _flat: true })).must(200), (await desk.customer.get(path, { include: '*', fields: '*(*)' })).must(200)]) {
      assert.ok(!flat.text.includes(agent.email));
    }
  }
  const { last_agent_replier: seen } = await desk.customer.fetch(`/conversations/${id}`, { include: 'user' });
  assert.deepEqual([seen.full_name, seen.designation], ['agent 1', 'Chief']);
  assert.ok(seen.last_seen_ip == null && seen.last_seen_user_agent == null);
});

test('a customer does not see the profile of an agent, but who answered in an own conversation', async (t) => {
  const desk = await open(t);
  const agent = await desk.person('agent', { phone: '+4930901820', designation: 'Chief', signature: 'Sig', legacy_id: 'staff-77' });
  const { id } = await write(desk.customer); // so the customer sees a conversation, in which the agent takes no part
  await write((await desk.person('customer')).client); // the agent answers in another one
  const [, other] = (await desk.owner.get('/conversations')).must(200).ids.toSorted((a, b) => a - b);
  (await agent.client.post(`/conversations/${other}/messages`, { contents: 'Answer' })).must(201);
  for (const query of [{}, { include: '*' }, { fields: 'full_name' }]) (await desk.customer.get(`/users/${agent.id}`, query)).refused(404, 'RESOURCE_NOT_FOUND');
  for (const path of waysTo('/users/:id', agent.id)) {
    const reply = await desk.customer.exchange('GET', `/api/v1${path}`);
    if (path.endsWith('/avatar')) continue; // a picture for everybody
    assert.ok([403, 404].includes(reply.status), `${reply}`);
    assert.ok(!reply.text.includes('agent 1'), `${reply}`);
  }
  (await desk.customer.get('/users')).refused(403, 'PERMISSIONS_DENIED');
  (await agent.client.post(`/conversations/${id}/messages`, { contents: 'Answer' })).must(201);
  const seen = await desk.customer.fetch(`/users/${agent.id}`);
  assert.deepEqual([seen.full_name, seen.designation], ['agent 1', 'Chief']);
  const shown = Object.entries(seen).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)).map(([name]) => name);
  for (const name of ['emails', 'phones', 'twitter', 'facebook', 'external_identifiers', 'addresses', 'websites', 'custom_fields', 'legacy_id', 'signature', 'agent_case_access', 'last_seen_ip', 'last_seen_user_agent', 'is_mfa_enabled', 'password_updated_at', 'last_logged_in_at', 'time_zone', 'pinned_notes_count', 'locale']) {
    assert.ok(!shown.includes(name), `${name} is shown: ${JSON.stringify(seen[name])}`);
  }
});

test('a customer and colleagues see who opened a conversation for the customer, and other customers do not', async (t) => {
  const desk = await open(t);
  const [one, two] = await Promise.all(['One', 'Two'].map((name) => desk.owner.create('/organizations', { name, is_shared: true })));
  const person = (organization) => desk.person('customer', { organization_id: organization.id, organization_case_access: 'ORGANIZATION' });
  const requester = await person(one), colleague = await person(one), other = await person(two), agent = await desk.person('agent');
  await write(other.client);
  const talk = await agent.client.create('/cases', { subject: 'S', contents: 'A note', channel: 'NOTE', requester_id: requester.id });
  assert.deepEqual((await desk.owner.get(`/conversations/${talk.id}/participants`)).must(200).ids, [requester.id]); // the author of a note takes no part
  for (const who of [requester, colleague]) assert.equal((await who.client.fetch(`/users/${agent.id}`)).full_name, 'agent 4');
  (await other.client.get(`/users/${agent.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.owner.put(`/cases/${talk.id}/trash`)).must(200);
  for (const who of [requester, colleague]) (await who.client.get(`/users/${agent.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('participants are the people of the conversation in the minimal form', async (t) => {
  const desk = await open(t);
  const { id } = await write(desk.customer);
  (await desk.staff.post(`/conversations/${id}/messages`, { contents: 'Answer' })).must(201);
  const reply = (await desk.customer.get(`/conversations/${id}/participants`)).must(200);
  assert.equal(reply.body.resource, 'user_minimal');
  assert.deepEqual(reply.ids.sort(), [desk.people.agent.id, desk.people.customer.id].sort());
  for (const member of ['uuid', 'full_name', 'role', 'teams', 'avatar', 'last_activity_at', 'last_active_at', 'last_seen_at', 'presence_channel']) assert.ok(member in reply.data[0], member);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ROLES, ROLE_ID, open, shared } from './lib/index.mjs';

// A person can't gain rights: not by granting them, not by writing read-only members, not by acting on higher ranks.

const RANK = { customer: 0, collaborator: 1, agent: 2, admin: 3, owner: 4 };
const forbidden = (reply, who) => assert.ok([400, 403, 404].includes(reply.status), `${who}: ${reply}`);

describe('escalation:', () => {
  const world = shared();
  const roleOf = async (id) => (await world.desk.owner.fetch(`/users/${id}`)).role.id;

  test('nobody creates a user of a higher rank; agents create only customers', async () => {
    for (const actor of ROLES) {
      for (const wanted of ROLES) {
        const may = RANK[actor] >= 3 ? RANK[wanted] <= RANK[actor] : actor === 'agent' && wanted === 'customer';
        const email = `${actor}.makes.${wanted}@rank.example`;
        const reply = await world.desk.as(actor).post('/users', { full_name: 'X', email, role_id: ROLE_ID[wanted], password: 'long enough 1' });
        if (may) {
          assert.equal(await roleOf(reply.must(201).data.id), ROLE_ID[wanted]);
        } else {
          forbidden(reply, `${actor} makes ${wanted}`);
          assert.equal((await world.desk.owner.get('/users', { email })).body.total_count, 0);
        }
      }
    }
  });

  test('nobody raises anyone above their own rank, nor themselves', async () => {
    for (const actor of ['customer', 'collaborator', 'agent', 'admin']) {
      const me = await world.desk.person(actor);
      for (const wanted of ROLES.filter((role) => RANK[role] > RANK[actor])) {
        const { id } = await world.desk.person('customer');
        for (const target of [id, me.id]) {
          const before = await roleOf(target);
          forbidden(await me.client.put(`/users/${target}`, { role_id: ROLE_ID[wanted] }), `${actor} gives ${wanted}`);
          assert.equal(await roleOf(target), before);
        }
      }
    }
  });

  test('a custom role has the rank of its type', async () => {
    const { id: role_id } = await world.desk.owner.create('/roles', { title: 'Second admin', type: 'ADMIN' });
    const { id } = await world.desk.person('customer');
    forbidden(await world.desk.staff.put(`/users/${id}`, { role_id }), 'agent gives a role of type ADMIN');
    forbidden(await world.desk.staff.post('/users', { full_name: 'X', email: 'second@rank.example', role_id }), 'agent makes one');
    const second = await world.desk.person('customer');
    await world.desk.admin.update(`/users/${second.id}`, { role_id });
    forbidden(await world.desk.staff.put(`/users/${second.id}`, { full_name: 'Mine' }), 'agent changes it');
    forbidden(await second.client.put(`/users/${world.desk.people.owner.id}`, { full_name: 'Mine' }), 'it changes the owner');
  });

  test('lower ranks can\'t change, disable, delete or take over higher ranks', async () => {
    for (const actor of ['agent', 'admin']) {
      for (const target of ROLES.filter((role) => RANK[role] > RANK[actor] || (actor === 'agent' && role !== 'customer'))) {
        const them = await world.desk.person(target);
        const before = await world.desk.owner.fetch(`/users/${them.id}`);
        const client = world.desk.as(actor);
        for (const body of [{ full_name: 'Mine' }, { password: 'stolen password' }, { is_enabled: false }, { role_id: 4 }, { emails: ['mine@rank.example'] }, { email: 'mine@rank.example' }]) {
          forbidden(await client.put(`/users/${them.id}`, body), `${actor} on ${target}`);
        }
        forbidden(await client.delete(`/users/${them.id}`), `${actor} deletes ${target}`);
        forbidden(await client.delete(`/users/${them.id}`, { purge: true }), `${actor} purges ${target}`);
        forbidden(await client.delete(`/users/${them.id}/twofactor`), `${actor} unlocks ${target}`);
        forbidden(await client.put(`/users/${them.id}/avatar`, {}), `${actor} changes the picture of ${target}`);
        const after = await world.desk.owner.fetch(`/users/${them.id}`);
        for (const name of ['full_name', 'is_enabled', 'role', 'emails', 'updated_at', 'password_updated_at']) assert.deepEqual(after[name], before[name], `${name}: ${actor} on ${target}`);
        (await them.client.get('/profile')).must(200);
      }
    }
  });

  test('collaborators can\'t change users', async () => {
    const { id } = await world.desk.person('customer');
    const collaborator = world.desk.as('collaborator');
    for (const reply of [await collaborator.post('/users', { full_name: 'X', email: 'x@rank.example' }), await collaborator.put(`/users/${id}`, { full_name: 'X' }), await collaborator.delete(`/users/${id}`)]) {
      reply.refused(403, 'PERMISSIONS_DENIED');
    }
  });

  test('read-only members of a profile are unchanged, and a notice names them', async () => {
    for (const role of ROLES) {
      const me = await world.desk.person(role);
      const before = await world.desk.owner.fetch(`/users/${me.id}`);
      const hostile = {
        id: 1, uuid: 'x', role: { id: 5 }, role_id: 5, is_enabled: false, is_otp_enabled: true, is_mfa_enabled: true, organization_id: 1, organization: { id: 1 }, team_ids: [1], teams: [1],
        agent_case_access: 'ALL', organization_case_access: 'ORGANIZATION', legacy_id: 'mine', last_seen_ip: '1.2.3.4', created_at: '2001-01-01T00:00:00+00:00', password: 'taken over', email: 'mine@rank.example',
        emails: [{ email: 'mine@rank.example', is_validated: true }], permissions: { 'users.delete': 1 }, rank: 9, is_validated: true, tags: 'vip',
      };
      const reply = (await me.client.put('/profile', { ...hostile, designation: 'Mine' })).must(200);
      assert.equal(reply.data.designation, 'Mine');
      reply.notes('role_id', 'organization_id', 'team_ids', 'agent_case_access', 'is_enabled', 'password');
      const after = await world.desk.owner.fetch(`/users/${me.id}`, { fields: '*,+tags' });
      for (const name of ['id', 'uuid', 'role', 'is_enabled', 'is_mfa_enabled', 'organization', 'teams', 'agent_case_access', 'organization_case_access', 'legacy_id', 'emails', 'created_at', 'password_updated_at']) {
        assert.deepEqual(after[name], before[name], `${name} of ${role}`);
      }
      assert.deepEqual(after.tags, [], role);
      (await me.client.get('/profile')).must(200);
    }
  });

  test('read-only members of a user are unchanged', async () => {
    const { id, user } = await world.desk.person('customer');
    const reply = (await world.desk.owner.put(`/users/${id}`, {
      id: 1, uuid: 'x', role: { id: 1 }, is_mfa_enabled: true, avatar: 'http://x/', last_seen_ip: '1.2.3.4', last_seen_at: '2001-01-01T00:00:00+00:00', realtime_channel: 'x', presence_channel: 'x',
      created_at: '2001-01-01T00:00:00+00:00', updated_at: '2001-01-01T00:00:00+00:00', password_updated_at: null, pinned_notes_count: 7, time_zone_offset: 5, designation: 'Z',
    })).must(200);
    assert.equal(reply.data.designation, 'Z');
    for (const name of ['id', 'uuid', 'role', 'is_mfa_enabled', 'avatar', 'last_seen_ip', 'realtime_channel', 'presence_channel', 'created_at', 'password_updated_at', 'pinned_notes_count', 'time_zone_offset']) {
      assert.deepEqual(reply.data[name], user[name], name);
    }
    reply.notes('uuid', 'is_mfa_enabled', 'pinned_notes_count');
  });

  test('read-only members of organizations and roles are unchanged', async () => {
    const made = await world.desk.owner.create('/organizations', { id: 99, name: 'Read only', pinned_notes_count: 5, created_at: '2001-01-01T00:00:00+00:00', resource_type: 'user' });
    assert.notEqual(made.id, 99);
    assert.deepEqual([made.pinned_notes_count, made.resource_type], [0, 'organization']);
    const role = await world.desk.owner.create('/roles', { title: 'Plain', type: 'AGENT', is_system: true, id: 77 });
    assert.deepEqual([role.is_system, role.type, role.id === 77], [false, 'AGENT', false]);
    const changed = (await world.desk.owner.put(`/roles/${role.id}`, { title: 'Plainer', type: 'ADMIN', is_system: true })).must(200);
    assert.deepEqual([changed.data.title, changed.data.type, changed.data.is_system], ['Plainer', 'AGENT', false]);
    changed.notes('type', 'is_system');
  });

  test('no role of type OWNER, CUSTOMER or COLLABORATOR can be created', async () => {
    for (const type of ['OWNER', 'CUSTOMER', 'COLLABORATOR', '', 'X', 1, ['ADMIN']]) {
      (await world.desk.owner.post('/roles', { title: 'Mine', type })).must(400);
      (await world.desk.admin.post('/roles', { title: 'Mine', type })).must(400);
    }
  });

  test('the profile shows only the caller\'s identities; others answer 404', async () => {
    const them = await world.desk.person('customer');
    const foreign = {
      emails: (await world.desk.owner.fetch('/identities/emails', { user_id: them.id }))[0],
      phones: await world.desk.owner.create('/identities/phones', { user_id: them.id, number: '+4930999111', is_validated: true }),
      twitter: (await world.desk.owner.post('/identities/twitter', { user_id: them.id, screen_name: 'theirs', is_validated: true })).must(200).data,
    };
    for (const role of ROLES) {
      const client = world.desk.as(role);
      for (const [kind, { id }] of Object.entries(foreign)) {
        const path = `/profile/identities/${kind}`;
        (await client.get(`${path}/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
        (await client.put(`${path}/${id}/primary`)).refused(404, 'RESOURCE_NOT_FOUND');
        (await client.delete(`${path}/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
        (await client.delete(path, { ids: id })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/0');
        if (kind === 'emails') (await client.put(`${path}/${id}/verification`)).refused(404, 'RESOURCE_NOT_FOUND');
        assert.ok(!(await client.get(path)).ids.includes(id));
        assert.ok(!(await client.get(path, { user_id: them.id })).ids.includes(id));
        (await them.client.get(`${path}/${id}`)).must(200);
      }
      const made = (await client.post('/profile/identities/phones', { user_id: them.id, number: `+49309992${100 + RANK[role]}`, is_validated: true })).must(201);
      assert.equal(made.data.is_validated, false, `${role}: ${made}`);
      assert.ok(!(await them.client.get('/profile/identities/phones')).ids.includes(made.data.id));
    }
  });

  test('permissions limit a role', async () => {
    const { id: role_id } = await world.desk.owner.create('/roles', { title: 'Careful', type: 'AGENT' });
    const agent = await world.desk.person('agent');
    await world.desk.owner.update(`/users/${agent.id}`, { role_id });
    const { id } = await world.desk.person('customer');
    const { id: organization } = await world.desk.owner.create('/organizations', { name: 'Narrow' });
    (await agent.client.put(`/users/${id}`, { designation: 'A' })).must(200);
    assert.equal((await world.desk.owner.put(`/roles/${role_id}/permissions`, { permission: { 'users.update': 0, 'users.delete': '0', 'organizations.update': false, 'organizations.delete': 0 } })).must(200).body.total_count, 4);
    (await agent.client.put(`/users/${id}`, { designation: 'B' })).refused(403, 'PERMISSIONS_DENIED');
    (await agent.client.delete(`/users/${id}`)).refused(403, 'PERMISSIONS_DENIED');
    (await agent.client.put(`/organizations/${organization}`, { name: 'B' })).refused(403, 'PERMISSIONS_DENIED');
    (await agent.client.delete(`/organizations/${organization}`)).refused(403, 'PERMISSIONS_DENIED');
    (await agent.client.get(`/users/${id}`)).must(200);
    assert.equal((await world.desk.owner.put(`/roles/${role_id}/permissions`, { 'users.update': 1, 'roles.manage': 1 })).must(200).body.total_count, 2);
    (await agent.client.put(`/users/${id}`, { designation: 'B' })).must(200);
    (await agent.client.post('/roles', { title: 'Mine', type: 'AGENT' })).refused(403, 'PERMISSIONS_DENIED');
  });

  test('an unknown permission changes nothing', async () => {
    const { id } = await world.desk.owner.create('/roles', { title: 'Exact', type: 'AGENT' });
    for (const body of [{ 'users.delete': 0, 'no.such': 1 }, { 'users.delete': 'perhaps' }, { 'users.delete': 2 }, { 'users.delete': [0] }, { permission: 'users.delete' }, { permission: ['users.delete'] }]) {
      (await world.desk.owner.put(`/roles/${id}/permissions`, body)).must(400);
    }
    assert.ok((await world.desk.owner.fetch(`/roles/${id}/permissions`)).every((p) => p.value === true));
    (await world.desk.owner.put(`/roles/${id}/permissions`, { 'no.such': 1 })).must(400);
    (await world.desk.owner.put('/roles/987654/permissions', { 'users.delete': 0 })).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('customers read only the permissions of their own role', async () => {
    const { body } = (await world.desk.customer.get('/roles/4/permissions')).must(200);
    assert.deepEqual(Object.keys(body).slice(0, 4), ['status', 'data', 'resource', 'total_count']);
    for (const id of [1, 2, 3, 5, 987654]) (await world.desk.customer.get(`/roles/${id}/permissions`)).refused(404, 'RESOURCE_NOT_FOUND');
    const { data } = (await world.desk.as('collaborator').get('/roles/1/permissions')).must(200);
    assert.deepEqual(data.map((p) => p.id), data.map((p) => p.id).sort((a, b) => a - b));
  });

  test('system roles and roles in use can\'t be deleted', async () => {
    for (const id of Object.values(ROLE_ID)) {
      (await world.desk.owner.delete(`/roles/${id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
      (await world.desk.owner.delete('/roles', { ids: id })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    }
    const [used, free] = [await world.desk.owner.create('/roles', { title: 'Used', type: 'AGENT' }), await world.desk.owner.create('/roles', { title: 'Free', type: 'AGENT' })];
    const { id } = await world.desk.person('agent');
    await world.desk.owner.update(`/users/${id}`, { role_id: used.id });
    (await world.desk.owner.delete('/roles', { ids: `${free.id},${used.id}` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await world.desk.owner.get(`/roles/${free.id}`)).must(200);
    (await world.desk.owner.delete(`/roles/${used.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await world.desk.owner.delete(`/roles/${free.id}`)).must(200);
  });

  test('customers can\'t change an organization, agents can', async () => {
    const { id } = await world.desk.owner.create('/organizations', { name: 'Ours' });
    await world.desk.owner.update(`/users/${world.desk.people.customer.id}`, { organization_id: id });
    for (const role of ['customer', 'collaborator']) {
      for (const [method, path, body] of [['POST', '/organizations', { name: 'Mine' }], ['PUT', `/organizations/${id}`, { is_shared: true }], ['DELETE', `/organizations/${id}`], ['DELETE', `/organizations?ids=${id}`]]) {
        (await world.desk.as(role).request(method, path, { body })).refused(403, 'PERMISSIONS_DENIED');
      }
    }
    assert.equal((await world.desk.staff.update(`/organizations/${id}`, { is_shared: true })).is_shared, true);
  });
});

test('the last owner can\'t be deleted, disabled or given a lower role by anybody', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.owner;
  for (const role of ['admin', 'agent', 'collaborator', 'customer']) {
    forbidden(await desk.as(role).delete(`/users/${id}`), role);
    forbidden(await desk.as(role).put(`/users/${id}`, { role_id: 4 }), role);
  }
  for (const [method, body] of [['DELETE'], ['PUT', { role_id: 1 }], ['PUT', { is_enabled: false }]]) {
    const reply = await desk.owner.request(method, `/users/${id}`, { body });
    assert.ok([400, 403].includes(reply.status), `${reply}`);
  }
  const purge = await desk.owner.delete(`/users/${id}`, { purge: true });
  assert.ok([400, 403].includes(purge.status), `${purge}`);
  const me = await desk.owner.fetch('/me');
  assert.deepEqual([me.is_enabled, me.role.id], [true, 5]);
  const second = await desk.person('owner');
  (await second.client.put(`/users/${id}`, { role_id: 1 })).must(200);
  (await second.client.put(`/users/${second.id}`, { role_id: 1 })).must(400);
  assert.equal((await second.client.fetch('/me')).role.id, 5);
});

test('a disabled or deleted user is refused at once, by every kind of credentials', async (t) => {
  const desk = await open(t);
  for (const [method, body] of [['PUT', { is_enabled: false }], ['DELETE']]) {
    const them = await desk.person('agent');
    const { bare, client } = await desk.session(them.client);
    const token = (await them.client.get('/session', { remember_me: true })).headers['x-rememberme'];
    (await client.put('/profile', { designation: 'X' })).must(200);
    (await desk.owner.request(method, `/users/${them.id}`, { body })).must(200);
    assert.ok((await them.client.get('/profile')).status === 401, method);
    const on = await bare.get('/profile');
    assert.ok([401, 454].includes(on.status), `${on}`);
    const back = await desk.anyone.get('/session', {}, { 'X-RememberMe': token });
    assert.ok(back.status >= 400 || back.data.user === null, `${back}`);
  }
});

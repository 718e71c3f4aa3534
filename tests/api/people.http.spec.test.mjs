import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { links, open, shared } from './lib/index.mjs';

// General rules on resources of people: members, includes, spelling, pages, preconditions, repeated requests, notices.

const COMMON = 'id resource_type resource_url created_at updated_at';
const MEMBERS = {
  identity_email: `${COMMON} email is_primary is_validated is_notification_enabled`,
  identity_phone: `${COMMON} number is_primary is_validated`,
  identity_twitter: `${COMMON} twitter_id full_name screen_name follower_count description url location profile_image_url locale is_verified is_primary is_validated`,
  user: `${COMMON} uuid full_name legacy_id designation is_enabled is_mfa_enabled role avatar agent_case_access organization_case_access organization teams emails phones twitter facebook external_identifiers addresses websites
    custom_fields pinned_notes_count locale time_zone time_zone_offset greeting signature status_message last_seen_user_agent last_seen_ip last_seen_at last_active_at realtime_channel presence_channel password_updated_at
    avatar_updated_at last_logged_in_at last_activity_at`,
  profile: `${COMMON} full_name designation is_otp_enabled avatar organization teams emails phones twitter facebook external_identifiers addresses websites custom_fields locale time_zone time_zone_offset greeting signature
    status_message last_seen_user_agent last_seen_ip last_login_at agent_case_access organization_case_access`,
  organization: `${COMMON} name legacy_id is_shared is_validated domains phone addresses websites pinned_notes_count custom_fields`,
  role: `${COMMON} title type is_system agent_case_access`,
  permission: `${COMMON} name value`,
  definition: 'resource_type label field type sub_type group description input_type operators values',
  session: 'id resource_type portal ip_address user_agent instance_id instance_name user status last_activity_at created_at',
};

const INTEGER_URLS = { user: 'users', organization: 'organizations', role: 'roles', identity_email: 'identities/emails', identity_phone: 'identities/phones', identity_twitter: 'identities/twitter' };

describe('resources of people:', () => {
  const world = shared(async (w) => {
    const { owner } = w.desk;
    w.organization = await owner.create('/organizations', { name: 'Acme', legacy_id: 'A', domains: 'acme.example', is_shared: true, tags: 'gold,silver' });
    w.team = await owner.create('/teams', { title: 'Front' });
    const { id } = await w.desk.person('customer', { organization_id: w.organization.id, phone: '+49301234567', tags: 'vip' });
    await owner.post('/identities/twitter', { user_id: id, screen_name: 'acme_una' });
    w.user = { id };
    w.one = {
      user: `/users/${id}`, organization: `/organizations/${w.organization.id}`, role: '/roles/1', profile: '/profile', session: '/session',
      identity_email: `/identities/emails/${(await owner.fetch('/identities/emails', { user_id: id }))[0].id}`,
      identity_phone: `/identities/phones/${(await owner.fetch('/identities/phones', { user_id: id }))[0].id}`,
      identity_twitter: `/identities/twitter/${(await owner.fetch('/identities/twitter', { user_id: id }))[0].id}`,
    };
  });

  for (const [type, names] of Object.entries(MEMBERS)) {
    test(`${type} has every specified member`, async () => {
      const path = world.one[type] ?? { permission: '/roles/1/permissions', definition: '/organizations/definitions' }[type];
      for (const item of [await world.desk.owner.fetch(path)].flat()) {
        assert.deepEqual(names.split(/\s+/).filter((name) => !(name in item)), [], type);
        assert.equal(item.resource_type, type);
        if (INTEGER_URLS[type]) assert.equal(item.resource_url, `${world.desk.base}/api/v1/${INTEGER_URLS[type]}/${item.id}`);
      }
    });
  }

  test('permission and profile have addresses', async () => {
    const [permission] = await world.desk.owner.fetch('/roles/2/permissions');
    assert.equal(permission.resource_url, `${world.desk.base}/api/v1/roles/2/permissions/${permission.id}`);
    assert.equal((await world.desk.owner.fetch('/profile')).resource_url, `${world.desk.base}/api/v1/profile`);
    assert.ok(!('resource_url' in (await world.desk.owner.fetch('/organizations/definitions'))[0]));
    assert.ok(!('resource_url' in (await world.desk.owner.fetch('/session'))));
  });

  test('references have two members until they are included', async () => {
    const user = await world.desk.owner.fetch(world.one.user);
    assert.deepEqual(user.role, { id: 4, resource_type: 'role' });
    assert.deepEqual(user.organization, { id: world.organization.id, resource_type: 'organization' });
    assert.deepEqual(Object.keys(user.emails[0]).sort(), ['id', 'resource_type']);
    for (const include of ['role,organization', 'ROLE, Organization ,', 'role,organization,no_such']) {
      const more = await world.desk.owner.fetch(world.one.user, { include });
      assert.equal(more.role.title, 'Customer');
      assert.equal(more.organization.name, 'Acme');
      assert.deepEqual(Object.keys(more.emails[0]).sort(), ['id', 'resource_type']);
    }
    for (const include of ['identity-email', 'IDENTITY_EMAIL']) assert.ok((await world.desk.owner.fetch(world.one.user, { include })).emails[0].email);
    const all = await world.desk.owner.fetch(world.one.user, { include: '*' });
    assert.ok(all.role.title && all.organization.name && all.emails[0].email && all.phones[0].number && all.twitter[0].screen_name && all.locale.locale);
    const session = await world.desk.owner.fetch('/session', { include: 'user' });
    assert.equal(session.user.full_name, 'Olive Owner');
  });

  test('_flat returns each included resource once', async () => {
    const { body } = (await world.desk.owner.get('/users', { _flat: true, include: 'role,organization' })).must(200);
    assert.deepEqual(Object.keys(body).slice(0, 4), ['status', 'data', 'resource', 'resources']);
    assert.equal(body.resources.role[4].title, 'Customer');
    assert.equal(body.resources.organization[world.organization.id].name, 'Acme');
    assert.ok(body.data.every((u) => Object.keys(u.role).length === 2));
    const all = (await world.desk.owner.get(world.one.user, {}, { 'X-Options': 'flat' })).must(200).body;
    assert.ok(all.resources.identity_email);
    assert.ok(all.logs.some((l) => l.level === 'WARNING'));
    const off = (await world.desk.owner.get(world.one.user, { _flat: false }, { 'X-Options': 'flat' })).must(200).body;
    assert.ok(!('resources' in off));
  });

  test('fields selects, adds and removes', async () => {
    const { owner } = world.desk;
    const keys = async (path, fields) => Object.keys(await owner.fetch(path, { fields })).sort();
    assert.deepEqual(await keys(world.one.user, 'full_name'), ['full_name', 'id', 'resource_type', 'resource_url', 'uuid']);
    assert.ok(!(await keys(world.one.user, '-full_name')).includes('full_name'));
    assert.ok((await keys(world.one.user, '-full_name')).includes('emails'));
    for (const path of [world.one.user, world.one.organization]) {
      assert.ok(!('tags' in (await owner.fetch(path))));
      const tagged = await owner.fetch(path, { fields: '+tags' });
      assert.ok(tagged.tags.length && 'created_at' in tagged);
      assert.ok('created_at' in (await owner.fetch(path, { fields: 'tags' })));
    }
    const nested = await owner.fetch(world.one.user, { fields: 'role(title),organization(name)', include: 'role,organization' });
    assert.equal(nested.role.title, 'Customer');
    assert.equal(nested.organization.name, 'Acme');
    assert.ok(!('full_name' in nested) && !('is_shared' in nested.organization));
    const list = await owner.fetch('/organizations', { fields: 'name' });
    assert.deepEqual(Object.keys(list[0]).sort(), ['id', 'name', 'resource_type', 'resource_url']);
  });

  test('_case changes names of members and kinds, not values', async () => {
    for (const [type, path] of Object.entries(world.one)) {
      const plain = (await world.desk.owner.get(path)).must(200).body;
      const camel = (await world.desk.owner.get(path, { _case: 'camel' })).must(200).body;
      const pascal = (await world.desk.owner.get(path, { _case: 'pascal' })).must(200).body;
      const spelled = (name) => name.replace(/_(\w)/g, (_, c) => c.toUpperCase());
      assert.deepEqual(Object.keys(camel.data), Object.keys(plain.data).map(spelled), type);
      assert.equal(camel.data.resourceType, spelled(type));
      assert.equal(pascal.Data.ResourceType, spelled(type).replace(/^./, (c) => c.toUpperCase()));
      assert.equal(camel.sessionId, plain.session_id);
    }
    (await world.desk.owner.get('/profile', { _case: 'kebab' })).must(400);
  });

  test('_empty=false removes null and empty members, never the data', async () => {
    const user = await world.desk.owner.fetch(world.one.user, { _empty: false });
    assert.ok(!('legacy_id' in user) && !('teams' in user) && user.is_mfa_enabled === false);
    const { body } = (await world.desk.owner.get('/users', { _empty: false, email: 'nobody@nowhere.example' })).must(200);
    assert.deepEqual(body.data, []);
  });

  test('an unknown argument or member is ignored with a notice that names it', async () => {
    for (const path of Object.values(world.one)) (await world.desk.owner.get(path, { frobnicate: 1 })).must(200).notes('frobnicate');
    for (const path of ['/users', '/organizations', '/roles', '/identities/emails', '/autocomplete/users']) (await world.desk.owner.get(path, { frobnicate: 1 })).must(200).notes('frobnicate');
    for (const type of ['profile', 'user', 'organization', 'identity_email', 'identity_phone', 'identity_twitter']) {
      const reply = (await world.desk.owner.put(world.one[type], { frobnicate: 1, rank: 9 })).must(200).notes('frobnicate', 'rank');
      assert.equal(reply.data.resource_type, type);
    }
  });

  test('a body of unknown members changes nothing', async () => {
    for (const type of ['profile', 'user', 'organization', 'identity_email']) {
      const before = (await world.desk.owner.get(world.one[type])).must(200);
      for (const body of [undefined, {}, []]) assert.deepEqual((await world.desk.owner.put(world.one[type], body)).must(200).data.updated_at, before.data.updated_at, type);
    }
  });

  test('null and an empty text clear nullable members', async () => {
    for (const empty of [null, '']) {
      await world.desk.owner.update(world.one.user, { designation: 'X', legacy_id: 'Y', organization_id: world.organization.id });
      const user = await world.desk.owner.update(world.one.user, { designation: empty, legacy_id: empty, organization_id: empty });
      assert.deepEqual([user.designation, user.legacy_id, user.organization], [null, null, null]);
      (await world.desk.owner.put(world.one.user, { full_name: empty })).must(400);
    }
    await world.desk.owner.update(world.one.user, { organization_id: world.organization.id });
  });
});

describe('preconditions on', () => {
  const world = shared(async (w) => {
    const user = await w.desk.person('customer');
    const organization = await w.desk.owner.create('/organizations', { name: 'Acme' });
    const role = await w.desk.owner.create('/roles', { title: 'Extra', type: 'AGENT' });
    const [email] = await w.desk.owner.fetch('/identities/emails', { user_id: user.id });
    w.one = { user: [`/users/${user.id}`, 'designation'], organization: [`/organizations/${organization.id}`, 'name'], role: [`/roles/${role.id}`, 'title'], profile: ['/profile', 'designation'], email: [`/identities/emails/${email.id}`, 'is_notification_enabled', [true, false, true, false]] };
  });
  for (const type of ['user', 'organization', 'role', 'profile', 'email']) {
    test(`${type}`, async () => {
      const [path, member, values = ['One', 'Two', 'Three', 'Four']] = world.one[type];
      const { owner } = world.desk;
      await owner.update(path, { [member]: values[0] });
      const { etag } = (await owner.get(path)).must(200);
      assert.match(etag, /^"[0-9a-f]{32}"$/);
      for (const form of [etag, etag.slice(1, -1), `W/${etag}`, `"${'0'.repeat(32)}", ${etag}`, '*']) (await owner.get(path, {}, { 'If-None-Match': form })).must(304);
      for (const query of [{ fields: 'id' }, { _case: 'camel' }, { include: '*' }]) assert.equal((await owner.get(path, query)).etag, etag, JSON.stringify(query));
      (await owner.get(path, {}, { 'If-None-Match': `"${'0'.repeat(32)}"` })).must(200);
      (await owner.put(path, { [member]: values[1] }, { headers: { 'If-Match': `"${'0'.repeat(32)}"` } })).refused(412, 'RESOURCE_MODIFIED');
      (await owner.put(path, { [member]: values[1] }, { headers: { 'If-Match': etag } })).must(200);
      (await owner.put(path, { [member]: values[2] }, { headers: { 'If-Match': etag } })).refused(412, 'RESOURCE_MODIFIED');
      assert.equal((await owner.fetch(path))[member], values[1]);
      assert.notEqual((await owner.get(path)).etag, etag);
      await world.desk.clock.forward(60);
      const stale = new Date(world.desk.clock.now - 3_600_000).toUTCString();
      (await owner.put(path, { [member]: values[2] }, { headers: { 'If-Unmodified-Since': stale } })).refused(412, 'RESOURCE_MODIFIED');
      (await owner.put(path, { [member]: values[2] }, { headers: { 'If-Unmodified-Since': new Date(world.desk.clock.now).toUTCString() } })).must(200);
      if (type === 'profile' || type === 'email' || type === 'user') return;
      (await owner.delete(path, {}, { 'If-Match': etag })).refused(412, 'RESOURCE_MODIFIED');
      (await owner.delete(path, {}, { 'If-Match': '"*"' })).refused(412, 'RESOURCE_MODIFIED');
      (await owner.delete(path, {}, { 'If-Match': (await owner.get(path)).etag })).must(200);
    });
  }

  test('a collection: its ETag is the hash of the ids of the page', async () => {
    const { owner } = world.desk;
    const [a, b] = [await owner.create('/organizations', { name: 'A' }), await owner.create('/organizations', { name: 'B' })];
    const { etag } = await owner.get('/organizations');
    await owner.update(`/organizations/${a.id}`, { name: 'A2' });
    assert.equal((await owner.get('/organizations')).etag, etag);
    (await owner.get('/organizations', {}, { 'If-None-Match': etag })).must(304);
    (await owner.delete(`/organizations/${b.id}`)).must(200);
    assert.notEqual((await owner.get('/organizations')).etag, etag);
  });
});

describe('pages of', () => {
  const world = shared(async (w) => {
    w.organization = await w.desk.owner.create('/organizations', { name: 'Z' });
    for (let n = 0; n < 4; n++) await w.desk.owner.create('/organizations', { name: `O${n}` });
    const { id } = await w.desk.person('customer', { organization_id: w.organization.id });
    for (let n = 0; n < 4; n++) {
      await w.desk.person('customer', { organization_id: w.organization.id });
      await w.desk.owner.create('/roles', { title: `R${n}`, type: 'AGENT' });
      await w.desk.owner.create('/identities/phones', { user_id: id, number: `+4930777${100 + n}` });
      await w.desk.owner.post('/identities/twitter', { user_id: id, screen_name: `page${n}` });
    }
  });
  for (const path of ['/users', '/organizations', '/roles', '/identities/emails', '/identities/phones', '/identities/twitter', '/organizations/:id/members']) {
    test(path, async () => {
      const { owner, base } = world.desk;
      const at = path.replace(':id', world.organization.id);
      const all = (await owner.get(at, { limit: 1000 })).must(200);
      const total = all.body.total_count;
      assert.equal(all.ids.length, total);
      const seen = [];
      for (let offset = 0; offset < total; offset += 2) {
        const reply = (await owner.get(`${at}.json`, { offset, limit: 2 })).must(200);
        seen.push(...reply.ids);
        const last = Math.floor((total - 1) / 2) * 2;
        const url = (o) => `${base}/api/v1${at}.json?limit=2${o ? `&offset=${o}` : ''}`;
        assert.equal(reply.body.next_url, offset + 2 < total ? url(offset + 2) : undefined);
        assert.equal(reply.body.previous_url, offset > 0 ? url(Math.max(0, offset - 2)) : undefined);
        assert.equal(reply.body.first_url, offset > 0 ? url(0) : undefined);
        assert.equal(reply.body.last_url, offset === last ? undefined : url(last));
        assert.equal(links(reply.headers.link).next, reply.body.next_url);
      }
      assert.deepEqual(seen, all.ids);
      const past = (await owner.get(at, { offset: 500 })).must(200).body;
      assert.deepEqual([past.data, past.offset, past.limit, past.total_count], [[], 500, 10, total]);
      assert.equal((await owner.get(at, { limit: 0 })).must(200).body.limit, 10);
      const big = (await owner.get(at, { limit: 5000 })).must(200).body;
      assert.equal(big.limit, 1000);
      assert.ok(big.logs.length);
    });
  }

  test('users by keyset: after_id gives older users', async () => {
    const { owner } = world.desk;
    const all = (await owner.get('/users', { limit: 100 })).ids;
    assert.deepEqual(all, [...all].sort((a, b) => b - a));
    const { body, headers } = (await owner.get('/users', { after_id: all[2], limit: 2 })).must(200);
    assert.deepEqual(body.data.map((u) => u.id), all.slice(3, 5));
    assert.ok(!('offset' in body));
    assert.match(links(headers.link).next, new RegExp(`after_id=${all[4]}`));
    assert.deepEqual((await owner.get('/users', { before_id: all[2] })).ids.sort((a, b) => b - a), all.slice(0, 2));
  });

  test('page links keep the arguments, sorted, and use the requested spelling for their own', async () => {
    const { body } = (await world.desk.owner.get('/users', { limit: 1, isEnabled: true, fields: 'id', _case: 'camel' })).must(200);
    assert.equal(body.nextUrl, `${world.desk.base}/api/v1/users.json?_case=camel&fields=id&isEnabled=true&limit=1&offset=1`);
    const { body: pascal } = (await world.desk.owner.get('/users', { Limit: 1, Offset: 2, _case: 'pascal' })).must(200);
    assert.equal(pascal.NextUrl, `${world.desk.base}/api/v1/users.json?Limit=1&Offset=3&_case=pascal`);
    (await world.desk.owner.get(pascal.NextUrl.slice(world.desk.base.length))).must(200);
    const { body: snake } = (await world.desk.owner.get('/users', { Limit: 1, isEnabled: true })).must(200);
    assert.equal(snake.next_url, `${world.desk.base}/api/v1/users.json?is_enabled=true&limit=1&offset=1`);
  });
});

test('a repeated request with an Idempotency-Key creates one object', async (t) => {
  const desk = await open(t);
  const { id } = await desk.person('customer');
  const posts = [['/users', { full_name: 'Once', email: 'once@idem.example' }, 201], ['/organizations', { name: 'Once' }, 201], ['/roles', { title: 'Once', type: 'AGENT' }, 201], ['/identities/emails', { user_id: id, email: 'twice@idem.example' }, 201], ['/identities/phones', { user_id: id, number: '+49305550001' }, 201], ['/identities/twitter', { user_id: id, screen_name: 'once' }, 200], ['/profile/identities/emails', { email: 'mine@idem.example' }, 201], ['/profile/identities/phones', { number: '+49305550002' }, 201], [`/users/${id}/notes`, { contents: 'once' }, 201]];
  for (const [path, body, status] of posts) {
    const headers = { 'Idempotency-Key': `key of ${path}` };
    const first = (await desk.owner.post(path, body, { headers })).must(status);
    const again = (await desk.owner.post(path, body, { headers })).must(status);
    assert.equal(again.headers['idempotent-replayed'], 'true', path);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    assert.deepEqual(again.data, first.data);
    (await desk.owner.post(path, { ...body, is_shared: true, title: 'Other', number: '+49305550009', email: 'other@idem.example', screen_name: 'other', contents: 'other' }, { headers })).refused(400, 'PARAMETERS_INCONSISTENT');
    const other = await desk.admin.post(path, body, { headers });
    assert.equal(other.headers['idempotent-replayed'], undefined, 'keys are separate for each caller');
  }
  const headers = { 'Idempotency-Key': 'refusal' };
  (await desk.owner.post('/roles', { title: '' }, { headers })).must(400);
  assert.equal((await desk.owner.post('/roles', { title: '' }, { headers })).must(400).headers['idempotent-replayed'], 'true');
  assert.equal((await desk.owner.get('/organizations')).data.filter((o) => o.name === 'Once').length, 2); // the owner's and the admin's
});

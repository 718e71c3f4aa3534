import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PASSWORD, ROLES, ROLE_ID, form, multipart, next, open, raw, shared } from './lib/index.mjs';

// Users and organizations: lists, filters, notes, tags, fields and lookups, and the members that each caller sees.

describe('users:', () => {
  const world = shared();

  test('are created with every member', async () => {
    const { owner } = world.desk;
    const organization = await owner.create('/organizations', { name: 'Acme' });
    const teams = [await owner.create('/teams', { title: 'A' }), await owner.create('/teams', { title: 'B' })];
    const said = { full_name: 'Ida Full', email: 'ida@desk.example', phone: '+49 30 1234567', role_id: 2, password: PASSWORD, organization_id: organization.id, team_ids: teams.map((x) => x.id), time_zone: 'Europe/Berlin', designation: 'Lead', signature: 'I.', tags: 'b,a', agent_case_access: 'TEAMS', organization_case_access: 'ORGANIZATION', legacy_id: 'L-1' };
    const user = await owner.create('/users', said);
    for (const name of ['full_name', 'time_zone', 'designation', 'signature', 'agent_case_access', 'organization_case_access', 'legacy_id']) assert.equal(user[name], said[name], name);
    assert.deepEqual([user.role.id, user.organization.id, user.teams.map((x) => x.id).sort()], [2, organization.id, said.team_ids.sort()]);
    assert.equal(user.time_zone_offset, 3600); // seconds, in November
    const full = await owner.fetch(`/users/${user.id}`, { include: '*', fields: '*,+tags' });
    assert.equal(full.emails[0].email, 'ida@desk.example');
    assert.equal(full.phones[0].number.replace(/ /g, ''), '+49301234567');
    assert.deepEqual(full.tags.map((x) => x.name).sort(), ['a', 'b']);
    (await world.desk.login('ida@desk.example').get('/profile')).must(200);
    const plain = await owner.create('/users', { full_name: 'Plain', phone: '+49301234568' });
    assert.deepEqual([plain.role.id, plain.agent_case_access, plain.organization_case_access, plain.is_enabled], [4, null, 'REQUESTED', true]);
  });

  test('refuse a value of another user as duplicate, and name each member', async () => {
    const { owner } = world.desk;
    await owner.create('/users', { full_name: 'One', email: 'held@desk.example', phone: '+49301234569', legacy_id: 'HELD' });
    (await owner.post('/users', { full_name: 'Two', email: 'HELD@desk.example', phone: '+49301234569', legacy_id: 'HELD' })).refused(400, 'FIELD_DUPLICATE', 'email', 'phone', 'legacy_id');
    const before = (await owner.get('/users')).body.total_count;
    (await owner.post('/users', { full_name: 'Two', email: 'other@desk.example', legacy_id: 'HELD' })).refused(400, 'FIELD_DUPLICATE', 'legacy_id');
    assert.equal((await owner.get('/users')).body.total_count, before);
    (await owner.get('/users', { email: 'other@desk.example' })).must(200);
    await owner.create('/organizations', { name: 'Another type', legacy_id: 'HELD' });
    (await owner.post('/organizations', { name: 'Same type', legacy_id: 'HELD' })).refused(400, 'FIELD_DUPLICATE', 'legacy_id');
  });

  test('are listed newest first, by role, state, ids, organization and address', async () => {
    const { owner } = world.desk;
    const { id: organization_id } = await owner.create('/organizations', { name: 'Listed' });
    const people = [await world.desk.person('agent'), await world.desk.person('customer', { organization_id }), await world.desk.person('customer', { organization_id })];
    await owner.update(`/users/${people[2].id}`, { is_enabled: false });
    const ids = async (query) => (await owner.get('/users', { limit: 1000, ...query })).must(200).ids;
    const all = await ids({});
    assert.deepEqual(all, [...all].sort((a, b) => b - a));
    assert.deepEqual(await ids({ organization_id }), [people[2].id, people[1].id]);
    assert.deepEqual(await ids({ organization_id, is_enabled: true }), [people[1].id]);
    assert.ok((await ids({ is_enabled: false })).includes(people[2].id) && !(await ids({ is_enabled: false })).includes(people[0].id));
    assert.deepEqual(await ids({ ids: `${people[0].id},${people[1].id}` }), [people[1].id, people[0].id]);
    assert.deepEqual(await ids({ email: people[1].email.toUpperCase() }), [people[1].id]);
    assert.deepEqual(await ids({ email: 'nobody@desk.example' }), []);
    assert.ok((await ids({ role: 'AGENT' })).includes(people[0].id));
    assert.ok(!(await ids({ role: 'AGENT' })).includes(people[1].id));
  });

  test('a deleted user is hidden, its addresses are free, and references still have the name', async () => {
    const { owner } = world.desk;
    const { id, email, client } = await world.desk.person('customer', { full_name: 'Gone Soon' });
    const note = await owner.create(`/users/${id}/notes`, { contents: 'x' });
    const author = await world.desk.person('agent', { full_name: 'Author Gone' });
    const { id: other } = await world.desk.person('customer');
    const kept = await author.client.create(`/users/${other}/notes`, { contents: 'kept' });
    for (const gone of [id, author.id]) (await owner.delete(`/users/${gone}`)).must(200);
    (await owner.get(`/users/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.put(`/users/${id}`, { full_name: 'X' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.delete(`/users/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.get(`/users/${id}/notes`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.get(`/users/${id}/notes/${note.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.ok(!(await owner.get('/users', { limit: 1000 })).ids.includes(id));
    assert.equal((await owner.get('/autocomplete/users', { name: 'Gone Soon' })).body.total_count, 0);
    (await client.get('/profile')).refused(401, 'AUTHENTICATION_FAILED');
    const again = await owner.create('/users', { full_name: 'New', email });
    assert.notEqual(again.id, id);
    const shown = await owner.fetch(`/users/${other}/notes/${kept.id}`, { include: 'user,user_minimal' });
    assert.equal(shown.user.full_name, 'Author Gone');
  });

  test('are purged only by admins and owners', async () => {
    const { id } = await world.desk.person('customer', { full_name: 'Erased Person' });
    const { id: other } = await world.desk.person('customer');
    const reply = await world.desk.staff.delete(`/users/${id}`, { purge: true });
    if (reply.status === 200) reply.notes('purge');
    else reply.refused(403, 'PERMISSIONS_DENIED');
    (await world.desk.admin.delete(`/users/${other}`, { purge: true })).must(200);
    (await world.desk.owner.get(`/users/${other}`)).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('a user with an address of a validated domain joins the organization', async () => {
    const { owner } = world.desk;
    const organization = await owner.create('/organizations', { name: 'Domain', domains: 'joined.example', is_validated: true });
    const [domain] = (await owner.fetch(`/organizations/${organization.id}`, { include: 'identity_domain' })).domains;
    const user = await owner.create('/users', { full_name: 'J', email: 'j@joined.example' });
    assert.equal(user.organization?.id ?? null, domain.is_validated ? organization.id : null);
    assert.equal((await owner.create('/users', { full_name: 'J', email: 'j@sub.joined.example' })).organization, null);
    assert.equal((await owner.create('/users', { full_name: 'J', email: 'j@notjoined.example' })).organization, null);
    (await owner.post('/organizations', { name: 'Thief', domains: 'other.example,JOINED.example' })).refused(400, 'FIELD_DUPLICATE', 'domains');
  });

  test('/me shows the permissions of the caller', async () => {
    for (const role of ROLES) {
      const me = await world.desk.as(role).fetch('/me');
      assert.equal(me.id, world.desk.people[role].id);
      for (const name of ['permissions', 'settings', 'notification_channel']) assert.ok(name in me, `${name} of ${role}`);
    }
    (await world.desk.anyone.get('/me')).refused(401, 'AUTHORIZATION_REQUIRED');
  });

  test('an avatar that is no picture is refused', async () => {
    const { id } = await world.desk.person('customer');
    for (const bytes of ['<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'GIF89a', '', '<html>']) {
      const body = `--b\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n${bytes}\r\n--b--\r\n`;
      (await world.desk.customer.put('/profile', raw('multipart/form-data; boundary=b', body))).must(400);
      (await world.desk.owner.put(`/users/${id}/avatar`, raw('multipart/form-data; boundary=b', body))).must(400);
    }
  });
});

describe('organizations:', () => {
  const world = shared();

  test('are created, changed and deleted, singly and in bulk', async () => {
    const { owner } = world.desk;
    const made = await owner.create('/organizations', { name: 'Made', legacy_id: 'M', domains: 'a.example,b.example', is_shared: true, is_validated: true, tags: 'x,y' });
    assert.deepEqual([made.name, made.legacy_id, made.is_shared, made.is_validated, made.domains.length], ['Made', 'M', true, true, 2]);
    const plain = await owner.create('/organizations', { name: 'Plain' });
    assert.deepEqual([plain.is_shared, plain.is_validated, plain.domains, plain.legacy_id], [false, false, [], null]);
    const changed = await owner.update(`/organizations/${made.id}`, { domains: 'b.example', tags: 'z' });
    assert.deepEqual([changed.name, changed.domains.length, changed.is_shared], ['Made', 1, true]);
    assert.deepEqual((await owner.fetch(`/organizations/${made.id}`, { fields: '+tags' })).tags.map((x) => x.name), ['z']);
    await owner.create('/organizations', { name: 'Takes it', domains: 'a.example' });
    assert.deepEqual((await owner.get('/organizations', { legacy_ids: 'M,none' })).ids, [made.id]);
    const { id } = await world.desk.person('customer', { organization_id: plain.id });
    (await owner.delete('/organizations', { ids: `${made.id},987654` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
    (await owner.delete('/organizations', { ids: `${made.id},${made.id}` })).refused(400, 'PARAMETERS_INCONSISTENT');
    assert.equal((await owner.delete('/organizations', { ids: `${made.id},${plain.id}` })).must(200).body.total_count, 2);
    (await owner.get(`/organizations/${plain.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.get(`/organizations/${plain.id}/members`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.equal((await owner.fetch(`/users/${id}`)).organization, null);
    (await owner.put(`/users/${id}`, { organization_id: plain.id })).refused(400, 'FIELD_INVALID', 'organization_id');
  });

  test('lists are accepted in each of their forms', async () => {
    const { owner } = world.desk;
    for (const [n, body] of [{ domains: ['p0.example', 'q0.example'] }, form({ name: 'F', domains: ['p1.example', 'q1.example'] }), multipart({ name: 'F', domains: ['p2.example', 'q2.example'] }), form({ name: 'F', domains: 'p3.example,q3.example' }), { domains: 'p4.example, q4.example' }].entries()) {
      const made = await owner.create('/organizations', body.type ? body : { name: 'F', ...body });
      const { domains } = await owner.fetch(`/organizations/${made.id}`, { include: 'identity_domain' });
      assert.deepEqual(domains.map((d) => d.domain).sort(), [`p${n}.example`, `q${n}.example`]);
    }
  });

  test('members are listed by name', async () => {
    const { owner } = world.desk;
    const { id } = await owner.create('/organizations', { name: 'Peopled' });
    for (const full_name of ['Zed', 'anna', 'Bob', 'Änne', 'Bob']) await world.desk.person('customer', { full_name, organization_id: id });
    const { data, body } = (await owner.get(`/organizations/${id}/members`)).must(200);
    assert.equal(body.total_count, 5);
    const names = data.map((u) => u.full_name);
    assert.deepEqual([names[0], names.indexOf('Bob') < names.indexOf('Zed'), names.lastIndexOf('Bob') - names.indexOf('Bob')], ['anna', true, 1]);
    const bobs = data.filter((u) => u.full_name === 'Bob').map((u) => u.id);
    assert.ok(bobs[0] < bobs[1]);
  });

  test('definitions match the specification', async () => {
    const definitions = Object.fromEntries((await world.desk.owner.fetch('/organizations/definitions')).map((d) => [d.field, d]));
    const operators = {
      'organizations.name': ['STRING', 'string_contains_insensitive', 'comparison_equalto', 'comparison_not_equalto'],
      'tags.name': ['TAGS', 'collection_contains_insensitive', 'collection_contains_any_insensitive', 'collection_does_not_contain_insensitive'],
      'organizations.conversationaccess': ['OPTIONS', 'comparison_equalto', 'comparison_not_equalto'],
      'organizations.createdat_absolute': ['DATE_ABSOLUTE', 'date_is', 'date_is_not', 'date_after_or_on', 'date_before_or_on'],
      'organizations.updatedat_absolute': ['DATE_ABSOLUTE', 'date_is', 'date_is_not', 'date_after_or_on', 'date_before_or_on'],
    };
    for (const [field, [input, ...list]] of Object.entries(operators)) {
      assert.equal(definitions[field]?.input_type, input, field);
      assert.deepEqual([...definitions[field].operators].sort(), list.sort(), field);
    }
    assert.deepEqual(Object.keys(definitions['organizations.conversationaccess'].values), ['0', '1']);
    for (const field of ['organizations.createdat_relative_past', 'organizations.updatedat_relative_past']) {
      assert.equal(definitions[field].input_type, 'DATE_RELATIVE');
      assert.ok(definitions[field].operators.includes('date_before_or_on'));
    }
  });

  test('a filter combines its collections and propositions', async () => {
    const { owner } = world.desk;
    const tag = `t${next()}`;
    const [a, b, c] = [await owner.create('/organizations', { name: 'Ab filter', tags: tag, is_shared: true }), await owner.create('/organizations', { name: 'Bc filter', tags: tag }), await owner.create('/organizations', { name: 'Ac filter' })];
    const find = async (predicates, wrap = (x) => x) => (await owner.post('/organizations/filter', wrap({ predicates }))).must(200).ids;
    const has = (value) => ({ field: 'organizations.name', operator: 'string_contains_insensitive', value });
    const tagged = { field: 'tags.name', operator: 'collection_contains_insensitive', value: tag };
    const filter = { field: 'organizations.name', operator: 'string_contains_insensitive', value: 'FILTER' };
    const collections = (...list) => list.map((propositions) => ({ proposition_operator: 'AND', propositions }));
    assert.deepEqual(await find({ collections: collections([has('a'), tagged]) }), [a.id]);
    assert.deepEqual(await find({ collection_operator: 'OR', collections: collections([has('bc f')], [has('ac f')]) }), [b.id, c.id]);
    assert.deepEqual(await find({ collection_operator: 'AND', collections: collections([filter], [tagged]) }), [a.id, b.id]);
    assert.deepEqual(await find({ collections: [{ proposition_operator: 'OR', propositions: [has('ab f'), has('bc f')] }] }), [a.id, b.id]);
    assert.deepEqual(await find({ collections: collections([filter, { field: 'organizations.conversationaccess', operator: 'comparison_equalto', value: 1 }]) }), [a.id]);
    assert.deepEqual(await find({ collections: collections([filter, { ...tagged, operator: 'collection_does_not_contain_insensitive' }]) }), [c.id]);
    assert.deepEqual(await find(JSON.stringify({ collections: collections([has('ab f')]) }), form), [a.id]);
    assert.deepEqual(await find({ collections: collections([has('ab f')]) }, form), [a.id]);
    assert.deepEqual(await find(JSON.stringify({ collections: collections([has('ab f')]) }), multipart), [a.id]);
    assert.deepEqual(await find({ collections: collections([has('ab f%')]) }), []);
  });
});

describe('notes of users and organizations:', () => {
  const world = shared();
  test('staff write, read, change and delete them, and customers don\'t see them', async () => {
    const { owner } = world.desk;
    const { id } = await world.desk.person('customer');
    const organization = await owner.create('/organizations', { name: 'Noted' });
    for (const [kind, path, other] of [['user', `/users/${id}`, '/users/2'], ['organization', `/organizations/${organization.id}`, '/organizations/987654']]) {
      const made = (await world.desk.as('collaborator').post(`${path}/notes`, { contents: 'first\nnote', is_pinned: true }));
      const note = made.status === 201 ? made.data : await owner.create(`${path}/notes`, { contents: 'first\nnote', is_pinned: true });
      for (const name of ['body_text', 'body_html', 'is_pinned', 'pinned_by', 'user', 'attachments', 'download_all', 'created_at', 'updated_at']) assert.ok(name in note, name);
      assert.deepEqual([note.body_text, note.resource_type, note.is_pinned, note.attachments, note.download_all], ['first\nnote', 'note', true, [], null]);
      assert.equal((await owner.fetch(path)).pinned_notes_count, 1, kind);
      const hostile = await owner.create(`${path}/notes`, { contents: '<script>alert(1)</script><img src=x onerror=alert(1)>' });
      assert.ok(!/<script|<img/i.test(hostile.body_html ?? ''), hostile.body_html);
      assert.equal(hostile.is_pinned, false);
      await world.desk.clock.forward(10);
      const third = await owner.create(`${path}/notes`, { contents: 'third' });
      assert.equal((await owner.get(`${path}/notes`)).ids[0], third.id);
      assert.deepEqual((await owner.get(`${path}/notes`, { is_pinned: true })).ids, [note.id]);
      const changed = await owner.update(`${path}/notes/${note.id}`, { is_pinned: false, contents: 'changed' });
      assert.deepEqual([changed.is_pinned, changed.body_text], [false, 'changed']);
      assert.equal((await owner.fetch(path)).pinned_notes_count, 0);
      (await owner.get(`${other}/notes/${note.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      (await owner.put(`${other}/notes/${note.id}`, { is_pinned: true })).refused(404, 'RESOURCE_NOT_FOUND');
      (await owner.delete(`${other}/notes/${note.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      for (const [method, at, body] of [['GET', 'notes'], ['GET', `notes/${note.id}`], ['POST', 'notes', { contents: 'x' }], ['PUT', `notes/${note.id}`, { contents: 'x' }], ['DELETE', `notes/${note.id}`]]) {
        (await world.desk.customer.request(method, `${path}/${at}`, { body })).refused(403, 'PERMISSIONS_DENIED');
        (await world.desk.anyone.request(method, `${path}/${at}`, { body })).refused(401, 'AUTHORIZATION_REQUIRED');
      }
      (await owner.post(`${path}/notes`, {})).refused(400, 'FIELD_REQUIRED', 'contents');
      (await owner.delete(`${path}/notes/${note.id}`)).must(200);
      (await owner.get(`${path}/notes/${note.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    }
  });
});

describe('lookups:', () => {
  const world = shared(async (w) => {
    for (const full_name of ['Marta Lookup', 'Lookup Karl', 'lookup anna']) await w.desk.person('customer', { full_name });
    await w.desk.person('agent', { full_name: 'Lookup Agent' });
    for (let n = 0; n < 12; n++) await w.desk.owner.create('/organizations', { name: `Many ${n}`, tags: [`many${n}`] });
  });
  test('names that begin with the text come first, total_count counts all, limit is applied', async () => {
    const { staff } = world.desk;
    const names = (await staff.fetch('/autocomplete/users', { name: 'LOOKUP' })).map((u) => u.full_name);
    assert.deepEqual([names.length, names[3]], [4, 'Marta Lookup']);
    for (const [kind, key] of [['organizations', 'name'], ['tags', 'name']]) {
      const ten = (await staff.get(`/autocomplete/${kind}`, { [key]: 'many' })).must(200).body;
      assert.deepEqual([ten.data.length, ten.total_count, 'limit' in ten, 'offset' in ten], [10, 12, false, false]);
      assert.equal((await staff.get(`/autocomplete/${kind}`, { [key]: 'many', limit: 12 })).data.length, 12);
      for (const text of ['', '  ', undefined]) assert.deepEqual((await staff.get(`/autocomplete/${kind}`, { [key]: text })).must(200).body.data, []);
    }
  });
  test('`in` selects by role, `exclude` excludes by id or name', async () => {
    const { staff } = world.desk;
    const find = async (query) => (await staff.get('/autocomplete/users', { name: 'lookup', ...query })).must(200).data.map((u) => u.full_name).sort();
    assert.deepEqual(await find({ in: 'AGENTS' }), ['Lookup Agent']);
    assert.equal((await find({ in: 'CUSTOMERS,AGENTS' })).length, 4);
    assert.deepEqual(await find({ in: 'OWNERS,ADMINS,COLLABORATORS' }), []);
    const [karl] = await staff.fetch('/autocomplete/users', { name: 'lookup karl' });
    assert.deepEqual(await find({ exclude: [karl.id, 'Marta Lookup'] }), ['Lookup Agent', 'lookup anna']);
    const all = (await staff.get('/autocomplete/emails', { address: 'customer' })).must(200);
    const one = all.data[0];
    assert.deepEqual(Object.keys(one).sort(), ['identity', 'parent']);
    assert.deepEqual([one.identity.resource_type, one.parent.resource_type], ['identity_email', 'user']);
    const { email } = await world.desk.owner.fetch(`/identities/emails/${one.identity.id}`);
    const rest = (await staff.get('/autocomplete/emails', { address: 'customer', exclude: [email] })).must(200);
    assert.equal(rest.body.total_count, all.body.total_count - 1);
  });
});

test('the profile of each role: changes are stored, the language must exist, the avatar always answers', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const client = desk.as(role);
    const said = { full_name: `${role} renamed`, designation: 'D', time_zone: 'America/New_York', signature: 'S' };
    const profile = await client.update('/profile', said);
    for (const [name, value] of Object.entries(said)) assert.equal(profile[name], value);
    assert.equal(profile.time_zone_offset, -5 * 3600);
    (await client.put('/profile', { locale_id: 987654 })).refused(400, 'FIELD_INVALID', 'locale_id');
    const { pathname, search } = new URL(profile.avatar);
    const picture = await desk.anyone.exchange('GET', pathname + search);
    assert.ok([200, 401].includes(picture.status), picture.status);
    (await client.delete('/profile/avatar')).must(200);
    (await client.delete('/profile/avatar')).must(200);
  }
});

test('staff see no secrets of others, and customers see their own', async (t) => {
  const desk = await open(t);
  const me = await desk.customer.fetch('/me', { include: '*' });
  assert.equal(me.emails[0].email, 'customer@example.com');
  for (const role of ['agent', 'collaborator']) {
    const { text } = (await desk.as(role).get(`/users/${desk.people.owner.id}`, { include: '*', fields: '*(*)' })).must(200);
    assert.ok(!/argon2|"secret"|password_hash|totp/i.test(text), text);
  }
  assert.equal(ROLE_ID.customer, (await desk.customer.fetch('/me')).role.id);
});

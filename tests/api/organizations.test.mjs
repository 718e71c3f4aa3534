import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, form, multipart, open } from './lib/index.mjs';

const named = (desk, more = {}) => desk.owner.create('/organizations', { name: 'Acme', ...more });
const domainsOf = async (desk, id) => {
  const { domains } = await desk.owner.fetch(`/organizations/${id}`, { include: 'identity_domain' });
  return domains.map(({ domain, is_primary, is_validated }) => `${domain}${is_primary ? '*' : ''}${is_validated ? '+' : ''}`);
};

test('an organization is created, read, changed and deleted', async (t) => {
  const desk = await open(t);
  const { staff } = desk;
  const made = await staff.create('/organizations', { name: 'Acme', legacy_id: 'A-1', is_shared: 'true', domains: 'acme.example' });
  const { name, legacy_id, is_shared, is_validated, pinned_notes_count, resource_url } = made;
  assert.deepEqual({ name, legacy_id, is_shared, is_validated, pinned_notes_count, resource_url },
    { name: 'Acme', legacy_id: 'A-1', is_shared: true, is_validated: false, pinned_notes_count: 0, resource_url: `${desk.base}/api/v1/organizations/${made.id}` });
  assert.deepEqual(await staff.fetch(`/organizations/${made.id}`), made);
  const put = await staff.update(`/organizations/${made.id}`, { name: 'Apex', legacy_id: null });
  assert.deepEqual([put.name, put.legacy_id, put.is_shared], ['Apex', null, true]);
  assert.deepEqual(await domainsOf(desk, made.id), ['acme.example*'], 'an omitted member is unchanged');
  (await staff.delete(`/organizations/${made.id}`)).must(200);
  for (const path of ['', '/members']) (await staff.get(`/organizations/${made.id}${path}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await staff.delete(`/organizations/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await staff.get('/organizations')).body.total_count, 0);
});

for (const [format, encode] of Object.entries({ JSON: (x) => x, form, multipart })) {
  test(`an organization is written as ${format}`, async (t) => {
    const desk = await open(t);
    const made = await desk.owner.create('/organizations', encode({ name: 'Ünion', is_shared: 1, is_validated: '1', domains: 'a.example, b.example' }));
    assert.deepEqual([made.name, made.is_shared, made.is_validated], ['Ünion', true, true]);
    assert.deepEqual(await domainsOf(desk, made.id), ['a.example*+', 'b.example+']);
    (await desk.owner.put(`/organizations/${made.id}`, encode({ domains: ['b.example', 'c.example'] }))).must(200);
    assert.deepEqual(await domainsOf(desk, made.id), ['b.example*+', 'c.example+']);
    (await desk.owner.put(`/organizations/${made.id}`, encode({ domains: '' }))).must(200);
    assert.deepEqual(await domainsOf(desk, made.id), []);
  });
}

test('a domain has an address of its own', async (t) => {
  const desk = await open(t);
  const { domains: [{ id }] } = await named(desk, { domains: 'acme.example' });
  const one = await desk.staff.fetch(`/identities/domains/${id}`);
  assert.deepEqual([one.domain, one.is_primary, one.is_validated, one.resource_url], ['acme.example', true, false, `${desk.base}/api/v1/identities/domains/${id}`]);
  for (const other of [999, 'x', 0]) (await desk.staff.get(`/identities/domains/${other}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('all domains have a list, also those of one organization', async (t) => {
  const desk = await open(t);
  const first = await named(desk, { domains: 'acme.example, acme.test' }), second = await named(desk, { name: 'Other', domains: 'other.example' });
  const names = async (query, who = desk.staff) => (await who.fetch('/identities/domains', query)).map((d) => d.domain);
  const all = ['acme.example', 'acme.test', 'other.example'];
  for (const who of [desk.staff, desk.as('collaborator'), desk.owner]) assert.deepEqual(await names({}, who), all);
  assert.deepEqual(await names({ organization_id: first.id }), all.slice(0, 2));
  assert.deepEqual(await names({ organization_id: second.id }), all.slice(2));
  assert.deepEqual(await names({ ids: second.domains[0].id }), all.slice(2));
  assert.deepEqual(await names({ organization_id: 987654 }), []);
  const page = (await desk.staff.get('/identities/domains', { limit: 2, offset: 1 })).must(200).body;
  assert.deepEqual([page.resource, page.total_count, page.data.map((d) => d.domain)], ['identity_domain', 3, all.slice(1)]);
  (await desk.staff.get('/identities/domains', { organization_id: 'x' })).refused(400, 'FIELD_INVALID', 'organization_id');
  (await desk.customer.get('/identities/domains')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get('/identities/domains')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('domains are compared without case, final dots and spelling', async (t) => {
  const desk = await open(t);
  const one = await named(desk, { domains: 'ACME.Example., BÜCHER.example' });
  assert.deepEqual(await domainsOf(desk, one.id), ['acme.example*', 'bücher.example']);
  for (const same of ['acme.EXAMPLE', 'xn--bcher-kva.example', 'bu\u0308cher.example']) {
    (await desk.owner.post('/organizations', { name: 'Other', domains: `free.example,${same}` })).refused(400, 'FIELD_DUPLICATE', 'domains', 'domains/1');
  }
  const other = await named(desk, { domains: 'free.example' });
  (await desk.owner.put(`/organizations/${other.id}`, { domains: ['free.example', 'acme.example'] })).refused(400, 'FIELD_DUPLICATE', 'domains/1');
  assert.deepEqual(await domainsOf(desk, other.id), ['free.example*']);
  (await desk.owner.put(`/organizations/${one.id}`, { domains: ['acme.example'] })).must(200);
  (await desk.owner.put(`/organizations/${other.id}`, { domains: 'bücher.example' })).must(200);
  (await desk.owner.delete(`/organizations/${one.id}`)).must(200);
  await named(desk, { domains: 'acme.example' });
});

test('an invalid domain is refused by its place', async (t) => {
  const { owner } = await open(t);
  const bad = ['localhost', 'a b.example', 'a@b.example', 'http://a.example', '-a.example', 'a..example', '127.0.0.1', '*.example.com', 'a_b.example', `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`, 'a\u0000.example', 'a\u007f.example', "'; --.example", 'xn--a.example'];
  for (const domain of bad) (await owner.post('/organizations', { name: 'x', domains: ['ok.example', domain] })).refused(400, 'FIELD_INVALID', 'domains', 'domains/1');
  (await owner.post('/organizations', { name: 'x', domains: bad })).refused(400, 'FIELD_INVALID', 'domains/0', 'domains/14');
  (await owner.post('/organizations', { name: 'x', domains: 'a.example,A.example' })).refused(400, 'FIELD_DUPLICATE', 'domains/1');
  (await owner.post('/organizations', { name: 'x', domains: Array.from({ length: 101 }, (_, i) => `d${i}.example`) })).refused(400, 'FIELD_INVALID', 'domains');
  for (const domains of [{ a: 1 }, [['a.example']], [{}]]) (await owner.post('/organizations', { name: 'x', domains })).refused(400, 'FIELD_INVALID', 'domains');
  assert.equal((await owner.get('/organizations')).body.total_count, 0);
});

test('each other bad field is refused by its name, all at once', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/organizations', {})).refused(400, 'FIELD_REQUIRED', 'name');
  for (const name of ['', '  ']) (await owner.post('/organizations', { name })).refused(400, 'FIELD_EMPTY', 'name');
  for (const name of ['x'.repeat(256), 'a\u0000b', 'a\nb', '\u001b[0m', [], {}, true]) (await owner.post('/organizations', { name })).refused(400, 'FIELD_INVALID', 'name');
  (await owner.post('/organizations', { name: 'x', is_shared: 'perhaps', is_validated: 2, legacy_id: 'y'.repeat(256), domains: 'x' }))
    .refused(400, 'FIELD_INVALID', 'is_shared', 'is_validated', 'legacy_id', 'domains');
  await owner.create('/organizations', { name: 'x', legacy_id: 'L' });
  (await owner.post('/organizations', { name: 'y', legacy_id: 'L' })).refused(400, 'FIELD_DUPLICATE', 'legacy_id');
  const { status } = await owner.exchange('POST', '/api/v1/organizations', { body: { type: 'application/json', bytes: Buffer.from('{"name": "\xff"}', 'latin1') }, headers: { 'Content-Type': 'application/json' } });
  assert.equal(status, 400);
  assert.equal((await owner.get('/organizations')).body.total_count, 1);
});

test('hostile names are stored as given', async (t) => {
  const { owner } = await open(t);
  for (const name of ["'; DROP TABLE organizations; --", '<script>alert(1)</script>', '\u202eevil', '%_\\', '😀'.repeat(255), '\ufdfa'.repeat(255), 'e\u0301']) {
    const { id } = await owner.create('/organizations', { name });
    assert.equal((await owner.fetch(`/organizations/${id}`)).name, name);
  }
});

test('read-only members and the id are ignored when sent back', async (t) => {
  const desk = await open(t);
  const made = await named(desk);
  const put = (await desk.owner.put(`/organizations/${made.id}`, { id: 99, pinned_notes_count: 5, created_at: '2000-01-01T00:00:00Z', deleted_at: 1, name_key: 'x', name: 'B' })).must(200);
  assert.deepEqual([put.data.id, put.data.pinned_notes_count, put.data.created_at], [made.id, 0, made.created_at]);
  put.notes('deleted_at', 'name_key');
});

test('the list is ordered by id and selects by legacy_ids', async (t) => {
  const desk = await open(t);
  const [a, b] = [await named(desk, { legacy_id: 'L1' }), await named(desk, { legacy_id: 'L2' })];
  await named(desk);
  assert.deepEqual((await desk.staff.get('/organizations', { legacy_ids: 'L2,L1,none' })).ids, [a.id, b.id]);
  assert.equal((await desk.staff.get('/organizations', { limit: 2 })).must(200).body.total_count, 3);
});

/* ---- people ------------------------------------------------------------------------------------------------------------ */

test('members are listed by folded name, without deleted people', async (t) => {
  const desk = await open(t);
  const { id } = await named(desk);
  const made = {};
  for (const full_name of ['Zoe', 'anna', 'Ärmel', 'bob', 'Élan', 'Eve']) made[full_name] = await desk.person('customer', { full_name, organization_id: id });
  await desk.person('customer', { full_name: 'Stranger' });
  (await desk.owner.delete(`/users/${made.bob.id}`)).must(200);
  const members = await desk.staff.fetch(`/organizations/${id}/members`);
  assert.deepEqual(members.map((u) => u.full_name), ['anna', 'Ärmel', 'Élan', 'Eve', 'Zoe']);
  assert.equal(members[0].resource_type, 'user');
});

const organizationOf = async (desk, id) => (await desk.owner.fetch(`/users/${id}`)).organization?.id ?? null;

test('a new person with an address of a validated domain joins the organization on every route', async (t) => {
  const desk = await open(t);
  const { id } = await named(desk, { domains: 'acme.example, bücher.example', is_validated: true });
  const other = await named(desk, { domains: 'other.example' });
  for (const email of ['a@acme.example', 'b@ACME.Example', 'c@bücher.example', 'd@xn--bcher-kva.example']) {
    assert.equal(await organizationOf(desk, (await desk.person('customer', { email })).id), id, email);
  }
  for (const email of ['e@sub.acme.example', 'f@other.example', 'g@acme.example.evil.example', 'h@example']) {
    assert.equal(await organizationOf(desk, (await desk.person('customer', { email })).id), null, email);
  }
  assert.equal(await organizationOf(desk, (await desk.person('customer', { email: 'i@acme.example', organization_id: other.id })).id), other.id, 'the given organization overrides the domain');
  (await desk.anyone.post('/conversations', { name: 'Stranger', email: 'stranger@acme.example', subject: 'S', contents: 'C' })).must(201);
  const [stranger] = await desk.owner.fetch('/users', { email: 'stranger@acme.example' });
  assert.equal(stranger.organization.id, id);
  assert.equal(stranger.organization_case_access, 'REQUESTED', 'the new customer does not see conversations of others');
});

test('domains are validated together with their organization', async (t) => {
  const desk = await open(t);
  const { id } = await named(desk, { domains: 'acme.example' });
  assert.equal(await organizationOf(desk, (await desk.person('customer', { email: 'a@acme.example' })).id), null);
  (await desk.owner.put(`/organizations/${id}`, { is_validated: true, domains: ['acme.example', 'apex.example'] })).must(200);
  assert.deepEqual(await domainsOf(desk, id), ['acme.example*+', 'apex.example+']);
  assert.equal(await organizationOf(desk, (await desk.person('customer', { email: 'b@apex.example' })).id), id);
  (await desk.owner.put(`/organizations/${id}`, { is_validated: false })).must(200);
  assert.deepEqual(await domainsOf(desk, id), ['acme.example*', 'apex.example']);
  assert.equal(await organizationOf(desk, (await desk.person('customer', { email: 'c@apex.example' })).id), null);
});

test('a deleted organization is hidden from everyone, and its people and their conversations remain', async (t) => {
  const desk = await open(t);
  const [one, two, kept] = [await named(desk, { is_shared: true, legacy_id: 'L' }), await named(desk), await named(desk)];
  const a = await desk.person('customer', { organization_id: one.id, organization_case_access: 'ORGANIZATION' });
  const b = await desk.person('customer', { organization_id: one.id });
  const c = await desk.person('customer', { organization_id: kept.id });
  const { id } = await b.client.create('/conversations', { subject: 'S', contents: 'C' });
  (await a.client.get(`/conversations/${id}`)).must(200);
  (await desk.owner.delete('/organizations', { ids: `${one.id},999` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
  (await a.client.get(`/conversations/${id}`)).must(200);
  assert.equal((await desk.owner.delete('/organizations', { ids: `${one.id},${two.id}` })).must(200).body.total_count, 2);
  for (const person of [a, b]) assert.equal(await organizationOf(desk, person.id), null);
  assert.equal(await organizationOf(desk, c.id), kept.id);
  (await a.client.get(`/conversations/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await b.client.get(`/conversations/${id}`)).must(200);
  (await desk.owner.put(`/users/${c.id}`, { organization_id: one.id })).refused(400, 'FIELD_INVALID', 'organization_id');
  await named(desk, { legacy_id: 'L' });
  await desk.stop();
  assert.equal(desk.check().status, 0);
});

test('an organization with many people is deleted at once, and a job removes its people from it', async (t) => {
  const desk = await open(t);
  const { id } = await named(desk, { is_shared: true });
  const kept = await named(desk);
  for (let i = 0; i < 1200; i += 40) {
    await Promise.all(Array.from({ length: 40 }, (_, k) => desk.owner.create('/users', { full_name: 'M', email: `m${i + k}@people.example`, organization_id: id })));
  }
  await desk.person('customer', { organization_id: kept.id });
  (await desk.owner.delete(`/organizations/${id}`)).must(200);
  (await desk.owner.get(`/organizations/${id}/members`)).refused(404, 'RESOURCE_NOT_FOUND');
  await desk.job(desk.owner, 1);
  assert.equal((await desk.owner.get('/users', { organization_id: id })).must(200).body.total_count, 0);
  assert.equal((await desk.owner.get('/users', { organization_id: kept.id })).must(200).body.total_count, 1);
  await desk.stop();
  assert.equal(desk.check().status, 0);
});

/* ---- access ----------------------------------------------------------------------------------------------------------------- */

test('collaborators read, agents and above write', async (t) => {
  const desk = await open(t);
  const { id, domains: [domain] } = await named(desk, { domains: 'acme.example' });
  const reads = [`/organizations`, `/organizations/${id}`, `/organizations/${id}/members`, `/identities/domains/${domain.id}`, '/organizations/definitions'];
  for (const path of reads) {
    (await desk.as('collaborator').get(path)).must(200);
    (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
  }
  for (const who of [desk.as('collaborator'), desk.customer]) {
    (await who.post('/organizations', { name: 'x' })).refused(403, 'PERMISSIONS_DENIED');
    (await who.put(`/organizations/${id}`, { name: 'x' })).refused(403, 'PERMISSIONS_DENIED');
    (await who.delete(`/organizations/${id}`)).refused(403, 'PERMISSIONS_DENIED');
    (await who.delete('/organizations', { ids: id })).refused(403, 'PERMISSIONS_DENIED');
  }
  for (const who of [desk.staff, desk.admin, desk.owner]) (await who.put(`/organizations/${id}`, { name: 'x' })).must(200);
});

test('organizations.update and organizations.delete limit what agents may do', async (t) => {
  const desk = await open(t);
  const { id } = await named(desk);
  const role = async (permissions) => {
    const { id: role_id } = await desk.owner.create('/roles', { title: 'Narrow', type: 'AGENT' });
    (await desk.owner.put(`/roles/${role_id}/permissions`, permissions)).must(200);
    return (await desk.person('agent', { role_id })).client;
  };
  const deleter = await role({ 'organizations.update': 0 }), updater = await role({ 'organizations.delete': 0 });
  (await deleter.post('/organizations', { name: 'x' })).refused(403, 'PERMISSIONS_DENIED');
  (await deleter.put(`/organizations/${id}`, { name: 'x' })).refused(403, 'PERMISSIONS_DENIED');
  (await updater.put(`/organizations/${id}`, { name: 'x' })).must(200);
  (await updater.delete(`/organizations/${id}`)).refused(403, 'PERMISSIONS_DENIED');
  (await updater.delete('/organizations', { ids: id })).refused(403, 'PERMISSIONS_DENIED');
  (await deleter.delete(`/organizations/${id}`)).must(200);
});

test('a customer sees the name of their organization, but not the members for staff', async (t) => {
  const desk = await open(t);
  const { id } = await named(desk, { legacy_id: 'L', domains: 'acme.example' });
  const { client } = await desk.person('customer', { organization_id: id });
  const { organization } = await client.fetch('/profile', { include: 'organization,identity_domain' });
  assert.deepEqual([organization.name, organization.legacy_id, organization.domains], ['Acme', null, []]);
});

test('preconditions are checked', async (t) => {
  const desk = await open(t);
  const { id } = await named(desk);
  const { etag } = (await desk.owner.get(`/organizations/${id}`)).must(200);
  (await desk.owner.put(`/organizations/${id}`, { domains: 'acme.example' }, { headers: { 'If-Match': etag } })).must(200);
  (await desk.owner.put(`/organizations/${id}`, { name: 'x' }, { headers: { 'If-Match': etag } })).refused(412, 'RESOURCE_MODIFIED');
});

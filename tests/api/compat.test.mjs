import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, open } from './lib/index.mjs';

const places = (reply) => reply.body.errors.map((e) => [e.parameter, e.pointer]);

test('an error inside a value has its place as parameter and as pointer', async (t) => {
  const { owner } = await open(t);
  await owner.create('/organizations/fields', { type: 'NUMERIC', key: 'size', titles: [{ locale: 'en-us', translation: 'Size' }] });
  assert.deepEqual(places((await owner.post('/organizations', { name: 'O', field_values: { size: 'x', none: 1 } })).refused(400, 'FIELD_INVALID')).sort(),
    [['field_values.none', 'field_values/none'], ['field_values.size', 'field_values/size']]);
  assert.deepEqual(places((await owner.post('/organizations', { name: 'O', websites: [{ url: 'https://a.example' }, { url: '' }] })).must(400)),
    [['websites[1].url', 'websites/1/url']]);
  assert.deepEqual(places((await owner.post('/organizations', { name: 'O', domains: ['a.example', '-'] })).refused(400, 'FIELD_INVALID')), [['domains', 'domains/1']]);
  assert.deepEqual(places((await owner.post('/organizations/filter', { predicates: { collections: [{ propositions: [{ field: 'x', operator: 'y', value: 1 }] }] } })).must(400)),
    [['predicates.collections[0].propositions[0].field', 'predicates/collections/0/propositions/0/field']]);
  assert.deepEqual(places((await owner.put('/roles/2/permissions', { permission: { 'teams.fly': 1 } })).refused(400, 'FIELD_INVALID')), [['permission.teams.fly', 'permission/teams.fly']]);
});

test('an invalid record of an import has its place as parameter and as pointer', async (t) => {
  const desk = await open(t);
  const job = (await desk.owner.post('/bulk/teams', { teams: [{ title: 'A' }, { legacy_id: 'x' }] })).must(202).data;
  const { errors } = await desk.job(desk.owner, job.id);
  assert.deepEqual([errors[0].parameter, errors[0].pointer], ['teams[1].title', 'teams/1/title']);
});

test('every error of a bulk call has the parameter ids and a pointer to the id', async (t) => {
  const desk = await open(t);
  const { owner, people } = desk;
  const brand = await owner.create('/brands', { name: 'B', sub_domain: 'b' });
  const gone = [['/teams', '999998,999999'], ['/organizations', '999998,999999'], ['/roles', '999998,999999']];
  for (const [path, ids] of gone) {
    assert.deepEqual(places((await owner.delete(path, { ids })).refused(404, 'RESOURCE_NOT_FOUND')), [['ids', 'ids/0'], ['ids', 'ids/1']], path);
  }
  for (const [path, ids] of [['/brands', `${brand.id},1`], ['/businesshours', '1'], ['/roles', '1']]) {
    const n = ids.split(',').length - 1;
    assert.deepEqual(places((await owner.delete(path, { ids })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE')), [['ids', `ids/${n}`]], path);
  }
  const { id: email } = (await owner.fetch('/identities/emails', { user_id: people.customer.id }))[0];
  assert.deepEqual(places((await owner.delete('/identities/emails', { ids: email })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE')), [['ids', 'ids/0']]);
  (await owner.get(`/brands/${brand.id}`)).must(200);
});

test('a role of type CUSTOMER has no agent_case_access and ignores a given one with a notice', async (t) => {
  const { owner } = await open(t);
  assert.equal((await owner.fetch('/roles/4')).agent_case_access, null);
  assert.deepEqual((await owner.fetch('/roles')).map((r) => [r.id, r.agent_case_access]), [[1, 'ALL'], [2, 'ALL'], [3, 'ALL'], [4, null], [5, 'ALL']]);
  const reply = (await owner.put('/roles/4', { title: 'Customers', agent_case_access: 'SELF' })).must(200).notes('agent_case_access');
  assert.deepEqual([reply.data.title, reply.data.agent_case_access], ['Customers', null]);
});

test('staff show the effective agent_case_access, customers show none', async (t) => {
  const desk = await open(t);
  const { owner, staff, customer, people } = desk;
  const path = `/users/${people.agent.id}`;
  assert.equal((await owner.fetch(path)).agent_case_access, 'ALL');
  await owner.update('/roles/2', { agent_case_access: 'TEAMS' });
  assert.equal((await owner.fetch(path)).agent_case_access, 'TEAMS');
  assert.equal((await staff.fetch('/profile')).agent_case_access, 'TEAMS');
  assert.equal((await owner.update(path, { agent_case_access: 'SELF' })).agent_case_access, 'SELF');
  assert.equal((await owner.update(path, { agent_case_access: null })).agent_case_access, 'TEAMS');
  assert.equal((await owner.fetch(`/users/${people.customer.id}`)).agent_case_access, null);
  assert.equal((await customer.fetch('/profile')).agent_case_access, null);
});

test('a message with a channel is refused, and the error says where to write notes', async (t) => {
  const { customer, staff } = await open(t);
  const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  const path = `/conversations/${id}/messages`;
  for (const body of [{ contents: 'Secret', channel: 'NOTE' }, { contents: 'Secret', Channel: null }, form({ contents: 'Secret', channel: '' })]) {
    const reply = (await staff.post(path, body)).refused(400, 'FIELD_INVALID', 'channel');
    assert.match(reply.body.errors[0].message, /\/cases\/:id\/notes/);
    assert.deepEqual(reply.notices, []);
  }
  (await staff.post(`${path}?channel=NOTE`, { contents: 'Secret' })).refused(400, 'FIELD_INVALID', 'channel');
  (await staff.post(path, { channel: 'NOTE' })).refused(400, 'FIELD_REQUIRED', 'contents').refused(400, 'FIELD_INVALID', 'channel');
  assert.equal((await customer.get(path)).body.total_count, 1);
});

test('a permission of a role is readable at its address', async (t) => {
  const desk = await open(t);
  const { owner, customer, base } = desk;
  const [first] = await owner.fetch('/roles/2/permissions');
  assert.equal(first.resource_url, `${base}/api/v1/roles/2/permissions/${first.id}`);
  assert.deepEqual(await owner.fetch(first.resource_url.slice(base.length)), first);
  (await owner.get(`/roles/1/permissions/${first.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await owner.get('/roles/2/permissions/999999')).refused(404, 'RESOURCE_NOT_FOUND');
  (await owner.get(`/roles/99/permissions/${first.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  const [own] = await customer.fetch('/roles/4/permissions');
  assert.deepEqual(await customer.fetch(`/roles/4/permissions/${own.id}`), own);
  (await customer.get(`/roles/2/permissions/${first.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('metadata accepts its two keys in any spelling and stores them once', async (t) => {
  const { customer } = await open(t);
  const keep = async (metadata) => {
    const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C', metadata });
    return (await customer.fetch(`/conversations/${id}/messages`))[0].metadata;
  };
  assert.deepEqual(await keep({ userAgent: 'U', PageURL: 'P' }), { user_agent: 'U', page_url: 'P' });
  assert.deepEqual(await keep({}), { user_agent: '', page_url: '' });
  assert.deepEqual(await keep({ page_url: null, userAgent: 'U' }), { user_agent: 'U', page_url: '' });
  const refused = await customer.post('/conversations', { subject: 'S', contents: 'C', metadata: { pageUrl: 1 } });
  assert.deepEqual(places(refused.refused(400, 'FIELD_INVALID')), [['metadata.page_url', 'metadata/page_url']]);
});

test('the exact one of two spellings of a key of metadata counts, else the last, and a notice says so', async (t) => {
  const { staff, customer } = await open(t);
  const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  const places = [
    ['/conversations', { subject: 'S', contents: 'C' }, customer, ({ id: made }) => customer.fetch(`/conversations/${made}/messages`)],
    [`/conversations/${id}/messages`, { contents: 'C' }, customer, () => customer.fetch(`/conversations/${id}/messages`)],
    [`/cases/${id}/reply`, { contents: 'C' }, staff, () => staff.fetch(`/cases/${id}/posts`)],
  ];
  for (const [path, body, who, shown] of places) {
    for (const [sent, kept] of [[{ user_agent: 'exact', UserAgent: 'other' }, 'exact'], [{ UserAgent: 'other', user_agent: 'exact' }, 'exact'], [{ UserAgent: 'a', userAgent: 'b' }, 'b']]) {
      const reply = (await who.post(path, { ...body, metadata: sent })).must(201);
      assert.match(reply.body.logs.map((log) => log.message).join(), /metadata has user_agent in 2 spellings/, path);
      assert.deepEqual((await shown(reply.data))[0].metadata, { user_agent: kept, page_url: '' }, path);
    }
    assert.equal((await who.post(path, { ...body, metadata: { userAgent: 'one' } })).must(201).body.logs, undefined, path);
    assert.match((await who.post(path, { ...body, metadata: { userAgent: 'one', Evil: 'x' } })).must(201).body.logs[0].message, /Other keys were ignored/, path);
    (await who.post(path, { ...body, metadata: { user_agent: ['x'] } })).refused(400, 'FIELD_INVALID', 'metadata.user_agent');
  }
});

test('a team without business hours shows the default ones', async (t) => {
  const { owner } = await open(t);
  const team = await owner.create('/teams', { title: 'Support' });
  assert.equal(team.businesshour.id, 1);
  const hours = await owner.create('/businesshours', { title: 'Nights', zones: { monday: [1] }, is_default: true });
  const path = `/teams/${team.id}`;
  const chosen = hours.is_default ? hours : await owner.update(`/businesshours/${hours.id}`, { is_default: true });
  assert.equal((await owner.fetch(path)).businesshour.id, chosen.id);
  assert.equal((await owner.update(path, { businesshour_id: 1 })).businesshour.id, 1);
  assert.equal((await owner.update(path, { businesshour_id: null })).businesshour.id, chosen.id);
  assert.equal((await owner.fetch(path, { include: 'business_hour' })).businesshour.title, 'Nights');
});

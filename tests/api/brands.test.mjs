import assert from 'node:assert/strict';
import { test } from 'node:test';
import { iso, open } from './lib/index.mjs';

const brand = (who, more) => who.create('/brands', { name: 'Engines', ...more });
const defaults = async (who) => (await who.fetch('/brands')).filter((b) => b.is_default).map((b) => b.id);

test('a new desk has one brand, and it is the default', async (t) => {
  const { owner, base } = await open(t);
  const [first, ...more] = await owner.fetch('/brands');
  assert.deepEqual(more, []);
  const { created_at, updated_at, ...rest } = first;
  assert.deepEqual(rest, {
    id: 1, name: 'Support', sub_domain: null, domain: null, is_domain_trusted: false, alias: null, locale: { id: 1, resource_type: 'locale' }, time_zone: null, color: null, theme: 'BOLD', logo: null, picture: null, is_ssl_enabled: false, is_default: true,
    is_enabled: true, resource_type: 'brand', resource_url: `${base}/api/v1/brands/1`,
  });
  assert.ok(Date.parse(created_at) > 0 && created_at === updated_at);
});

test('brands are created, read, changed and deleted', async (t) => {
  const desk = await open(t);
  const { admin, staff } = desk;
  const made = await brand(admin, { sub_domain: 'engines', domain: 'help.engines.example', locale_id: 3 });
  assert.deepEqual([made.name, made.sub_domain, made.domain, made.locale.id, made.is_default, made.is_enabled, made.created_at],
    ['Engines', 'engines', 'help.engines.example', 3, false, true, iso(Math.floor(desk.clock.now / 1000) * 1000)]);
  assert.deepEqual(await staff.fetch(`/brands/${made.id}`), made);
  assert.equal((await staff.fetch(`/brands/${made.id}`, { include: 'locale' })).locale.native_name, 'Deutsch');
  const changed = await admin.update(`/brands/${made.id}`, { name: 'Motors', domain: null, is_enabled: false, id: 9, is_ssl_enabled: true, alias: 'x.example' });
  assert.deepEqual([changed.id, changed.name, changed.domain, changed.sub_domain, changed.is_enabled, changed.is_ssl_enabled, changed.alias], [made.id, 'Motors', null, 'engines', false, false, null]);
  assert.deepEqual((await staff.fetch('/brands')).map((b) => b.id), [1, made.id]);
  (await admin.delete(`/brands/${made.id}`)).must(200);
  (await admin.get(`/brands/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  const ids = [(await brand(admin)).id, (await brand(admin)).id];
  assert.equal((await admin.delete('/brands', { ids: ids.join() })).must(200).body.total_count, 2);
  assert.deepEqual((await staff.fetch('/brands')).map((b) => b.id), [1]);
});

test('a brand of a desk with an https base URL has is_ssl_enabled', async (t) => {
  const { owner } = await open(t, { base: 'https://desk.example.com' });
  assert.equal((await owner.fetch('/brands/1')).is_ssl_enabled, true);
});

test('there is always one enabled default brand: another brand can take over, but it can\'t be unset, disabled or deleted', async (t) => {
  const { owner } = await open(t);
  const { id } = await brand(owner);
  (await owner.put('/brands/1', { is_default: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'is_default');
  (await owner.put('/brands/1', { is_enabled: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'is_enabled');
  (await owner.put('/brands/1', { is_default: true, is_enabled: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'is_enabled');
  (await owner.put(`/brands/${id}`, { is_default: true, is_enabled: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'is_enabled');
  (await owner.delete('/brands/1')).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await owner.delete('/brands', { ids: `${id},1` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids/1');
  (await owner.post('/brands', { name: 'x', is_default: true, is_enabled: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'is_enabled');
  assert.deepEqual(await defaults(owner), [1]);
  assert.deepEqual((await owner.fetch('/brands')).map((b) => [b.id, b.is_enabled]), [[1, true], [id, true]]);
  await owner.update('/brands/1', { is_default: true, is_enabled: true });
  assert.deepEqual(await defaults(owner), [1]);
  assert.equal((await owner.update(`/brands/${id}`, { is_default: true })).is_default, true);
  assert.deepEqual(await defaults(owner), [id]);
  const third = await brand(owner, { is_default: true });
  assert.deepEqual([third.is_default, await defaults(owner)], [true, [third.id]]);
  await owner.update(`/brands/${id}`, { is_enabled: false });
  (await owner.put(`/brands/${id}`, { is_default: true })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'is_default');
  (await owner.delete('/brands', { ids: `1,${id}` })).must(200);
  assert.deepEqual(await defaults(owner), [third.id]);
});

test('the last of many concurrent changes of the default brand counts', async (t) => {
  const { owner } = await open(t);
  const ids = [1];
  for (let i = 0; i < 5; i++) ids.push((await brand(owner)).id);
  const replies = await Promise.all([...ids, ...ids].map((id) => owner.put(`/brands/${id}`, { is_default: true })));
  assert.deepEqual(replies.map((r) => r.status), replies.map(() => 200));
  assert.equal((await defaults(owner)).length, 1);
});

test('sub-domains and domains are host names, unique among brands', async (t) => {
  const { owner } = await open(t);
  const bad = {
    sub_domain: ['-x', 'x-', 'a.b', 'a b', 'a_b', '.', 'x'.repeat(64), '../x', 'x\u0000', 'xn--', '*', 'https://x', ['a', 'b']],
    domain: ['localhost', '-x.example', 'a b.example', 'a..example', '127.0.0.1', 'https://x.example', 'x.example/y', 'x.example:80', `${'x'.repeat(64)}.example`, '*.example', 'a@x.example', {}],
  };
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) (await owner.post('/brands', { name: 'x', [name]: value })).refused(400, 'FIELD_INVALID', name);
  }
  (await owner.post('/brands', { sub_domain: '-', domain: '-', locale_id: 99, is_enabled: 'perhaps' }))
    .refused(400, 'FIELD_REQUIRED', 'name').refused(400, 'FIELD_INVALID', 'sub_domain').refused(400, 'FIELD_INVALID', 'domain')
    .refused(400, 'FIELD_INVALID', 'locale_id').refused(400, 'FIELD_INVALID', 'is_enabled');
  const one = await brand(owner, { sub_domain: ' Bücher ', domain: 'Hilfe.BÜCHER.example.' });
  assert.deepEqual([one.sub_domain, one.domain], ['xn--bcher-kva', 'hilfe.xn--bcher-kva.example']);
  (await owner.post('/brands', { name: 'x', sub_domain: 'XN--BCHER-KVA', domain: 'hilfe.bücher.example' }))
    .refused(400, 'FIELD_DUPLICATE', 'sub_domain').refused(400, 'FIELD_DUPLICATE', 'domain');
  const two = await brand(owner);
  (await owner.put(`/brands/${two.id}`, { domain: 'hilfe.bücher.example' })).refused(400, 'FIELD_DUPLICATE', 'domain');
  assert.equal((await owner.update(`/brands/${one.id}`, { domain: 'hilfe.bücher.example' })).domain, one.domain, 'a brand may repeat its own domain');
  assert.equal((await owner.update(`/brands/${one.id}`, { domain: '' })).domain, null);
  assert.equal((await owner.update(`/brands/${two.id}`, { domain: 'hilfe.bücher.example' })).domain, one.domain);
  (await owner.put(`/brands/${two.id}`, { name: '' })).refused(400, 'FIELD_EMPTY', 'name');
  (await owner.put(`/brands/${two.id}`, { locale_id: null })).refused(400, 'FIELD_INVALID', 'locale_id');
});

test('a conditional PUT does not overwrite a brand that changed meanwhile', async (t) => {
  const { owner, clock } = await open(t);
  const { headers } = await owner.get('/brands/1');
  await clock.forward(1);
  await owner.update('/brands/1', { name: 'Newer' });
  (await owner.put('/brands/1', { name: 'Older' }, { headers: { 'If-Match': headers.etag } })).refused(412, 'RESOURCE_MODIFIED');
  assert.equal((await owner.fetch('/brands/1')).name, 'Newer');
});

test('staff read brands, and admins with the permission write them', async (t) => {
  const desk = await open(t);
  for (const who of [desk.staff, desk.as('collaborator')]) {
    (await who.get('/brands')).must(200);
    (await who.post('/brands', { name: 'x' })).refused(403, 'PERMISSIONS_DENIED');
  }
  for (const path of ['/brands', '/brands/1']) (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
  const { id } = await desk.owner.create('/roles', { title: 'x', type: 'ADMIN' });
  (await desk.owner.put(`/roles/${id}/permissions`, { 'brands.manage': 0 })).must(200);
  const { client } = await desk.person('admin', { role_id: id });
  (await client.get('/brands/1')).must(200);
  (await client.put('/brands/1', { name: 'x' })).refused(403, 'PERMISSIONS_DENIED');
});

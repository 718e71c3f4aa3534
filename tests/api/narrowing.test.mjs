import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open, routes, shared } from './lib/index.mjs';
import { newArticle } from './lib/published.mjs';

/** Every declared list, with paths that lead to rows of this desk. */
async function lists(desk) {
  const { owner, people } = desk;
  const conversation = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const organization = await owner.create('/organizations', { name: 'Engines' });
  const of = { users: people.customer.id, conversations: conversation.id, cases: conversation.id, organizations: organization.id, roles: 1, brands: 1, views: 1 };
  of.teams = (await owner.create('/teams', { title: 'Support' })).id;
  const endpoint = await desk.admin.create('/endpoints', { title: 'Box', type: 'EMAIL', attributes: { address: 'team@example.org', subject: 'News' } });
  for (let i = 0; i < 2; i++) (await desk.admin.post(`/endpoints/${endpoint.id}/test`)).must(201);
  of.endpoints = endpoint.id;
  of.articles = await newArticle(desk);
  await newArticle(desk);
  const comment = await owner.create(`/articles/${of.articles}/comments`, { contents: 'C' });
  await owner.create(`/articles/${of.articles}/comments/${comment.id}/likes`, {});
  await owner.update(`/articles/${of.articles}`, { contents: 'Other contents' });
  const found = [];
  for (const { method, path } of routes()) {
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    const operation = desk.contract.route(`/api/v1${path.replaceAll(/:\w+/g, '1')}`)?.item.get;
    if (method !== 'GET' || !operation) continue;
    const { schema } = operation.responses['200'].content['application/json'] ?? {};
    const items = schema?.properties?.data?.type === 'array';
    if (!items) continue;
    const real = path.replace(/^\/(\w+)\/:id/, (all, name) => (of[name] ? `/${name}/${of[name]}` : all)).replace(':name', 'password_changed').replace(':comment_id', comment.id);
    if (real.includes(':')) assert.fail(`no rows known for the list ${template}`);
    const declared = new Set(operation.parameters.map((p) => p.name ?? p.$ref.split('/').at(-1)));
    const query = path.endsWith('/search') ? { query: 'a' } : path.startsWith('/autocomplete') ? { [path.endsWith('emails') ? 'address' : 'name']: 'a' } : {};
    found.push({ path: real, declared, query });
  }
  assert.ok(found.length > 30, `${found.length} lists`);
  return found;
}

/** Owners may not list mails (api.md "Mails"). */
const readerOf = async (desk, path, query) => ((await desk.owner.get(path, query)).status === 403 ? desk.admin : desk.owner);

describe('every declared list', () => {
  const world = shared(async (w) => { w.lists = await lists(w.desk); });

  test('accepts ids if its items have ids, else refuses them', async () => {
    const { desk } = world;
    for (const { path, declared, query } of world.lists) {
      const whole = await readerOf(desk, path, query);
      const all = (await whole.get(path, { ...query, limit: 1000 })).must(200).body.data;
      if (!declared.has('ids')) {
        const refused = (await whole.get(path, { ...query, ids: '1' })).refused(400, 'FIELD_INVALID', 'ids');
        assert.doesNotMatch(JSON.stringify(refused.body.logs ?? []), /ignored/, `${path}: a refused argument is not ignored`);
        continue;
      }
      assert.deepEqual((await whole.get(path, { ids: '999999' })).must(200).body.data, [], path);
      const [one] = all;
      if (!one) continue;
      const picked = (await whole.get(path, { ids: one.id })).must(200).body;
      assert.deepEqual([picked.data.map((x) => x.id), picked.total_count], [[one.id], 1], path);
      assert.deepEqual((await whole.get(path, { ids: '' })).must(200).body.data, [], `${path}: an empty ids gives no rows`);
    }
  });

  test('accepts legacy_ids if its items have a legacy_id, else refuses them', async () => {
    const { desk } = world;
    for (const { path, declared, query } of world.lists) {
      const reply = await (await readerOf(desk, path, query)).get(path, { ...query, legacy_ids: 'none' });
      if (declared.has('legacy_ids')) assert.deepEqual(reply.must(200).body.data, [], path);
      else reply.refused(400, 'FIELD_INVALID', 'legacy_ids');
    }
  });

  test('accepts or refuses after_id and before_id, and never ignores them', async () => {
    const { desk } = world;
    for (const { path, declared, query } of world.lists) {
      const whole = await readerOf(desk, path, query);
      for (const name of ['after_id', 'before_id']) {
        const reply = await whole.get(path, { ...query, [name]: '1' });
        if (!declared.has(name)) reply.refused(400, 'FIELD_INVALID', name);
        else assert.ok(!('offset' in reply.must(200).body), path);
      }
    }
  });
});

const KEYED = ['/teams', '/roles', '/roles/1/permissions', '/organizations', '/brands', '/businesshours', '/users', '/conversations'];
for (const path of KEYED) {
  test(`${path}: after_id returns the rows after a row, before_id the rows before it, both without the row`, async (t) => {
    const { owner, customer } = await open(t);
    for (let i = 0; i < 4; i++) {
      if (path === '/conversations') await customer.create(path, { subject: 'S', contents: 'C' });
      if (path === '/teams') await owner.create(path, { title: `T${i}` });
      if (path === '/organizations') await owner.create(path, { name: `O${i}` });
    }
    const all = (await owner.get(path, { limit: 1000 })).must(200);
    const place = Math.floor(all.ids.length / 2);
    assert.deepEqual((await owner.get(path, { after_id: all.ids[place], limit: 1000 })).ids, all.ids.slice(place + 1));
    assert.deepEqual((await owner.get(path, { before_id: all.ids[place], limit: 1000 })).ids, all.ids.slice(0, place));
    assert.equal((await owner.get(path, { after_id: all.ids[place] })).body.total_count, all.body.total_count);
  });
}

test('next_url of a page with after_id keeps the other arguments', async (t) => {
  const { owner, base } = await open(t);
  const made = [];
  for (let i = 0; i < 5; i++) made.push((await owner.create('/teams', { title: `T${i}`, legacy_id: `L${i}` })).id);
  const seen = [];
  let url = `/api/v1/teams?ids=${made.slice(1)}&after_id=${made[1]}&limit=2`;
  for (let reply; url; url = reply.body.next_url?.slice(base.length)) {
    reply = (await owner.get(url)).must(200);
    seen.push(...reply.ids);
  }
  assert.deepEqual(seen, made.slice(2));
});

test('a repeated argument with very many values is kept in page links', async (t) => {
  const { owner, base } = await open(t);
  const made = [];
  for (let i = 0; i < 70; i++) made.push((await owner.create('/teams', { title: `T${i}` })).id);
  const seen = [];
  let url = `/api/v1/teams?${made.map((id) => `ids=${id}`).join('&')}&limit=40`;
  for (let reply; url; url = reply.body.next_url?.slice(base.length)) {
    reply = (await owner.get(url)).must(200);
    seen.push(...reply.ids);
  }
  assert.deepEqual(seen, made);
});

test('an absent id and a hidden id give the same reply', async (t) => {
  const desk = await open(t);
  const other = await desk.person('customer');
  const hidden = await other.client.create('/conversations', { subject: 'S', contents: 'C' });
  const own = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const answer = async (id) => {
    const { body } = (await desk.customer.get('/conversations', { ids: `${own.id},${id}` })).must(200);
    return [body.data.map((c) => c.id), body.total_count];
  };
  assert.deepEqual(await answer(hidden.id), [[own.id], 1]);
  assert.deepEqual(await answer(999999), [[own.id], 1]);
});

test('counts by status include only the given ids', async (t) => {
  const { staff, customer } = await open(t);
  const made = [];
  for (let i = 0; i < 12; i++) made.push((await customer.create('/conversations', { subject: 'S', contents: 'C' })).id);
  const { body } = (await staff.get('/conversations', { ids: made.slice(1).join(), status: 'NEW', limit: 5 })).must(200);
  assert.deepEqual([body.total_count, body.data.length], [11, 5]);
});

test('ids in the query limit a filter of people', async (t) => {
  const { owner, people } = await open(t);
  const predicates = { collections: [{ propositions: [{ field: 'users.fullname', operator: 'string_contains_insensitive', value: 'c' }] }] };
  const reply = await owner.post(`/users/filter?ids=${people.customer.id},${people.owner.id}`, { predicates });
  assert.deepEqual(reply.must(200).ids, [people.customer.id]);
});

test('bad ids, repeated ids and too many ids are refused', async (t) => {
  const { owner } = await open(t);
  (await owner.get('/teams', { ids: 'x' })).refused(400, 'FIELD_INVALID', 'ids', 'ids/0');
  (await owner.get('/teams', { ids: '1,1' })).refused(400, 'PARAMETERS_INCONSISTENT', 'ids');
  (await owner.get('/teams', { ids: Array.from({ length: 1001 }, (_, i) => i + 1).join() })).refused(400, 'FIELD_INVALID', 'ids');
  (await owner.get('/teams', { after_id: 1, before_id: 2 })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.get('/teams?ids[x]=1')).refused(400, 'FIELD_INVALID', 'ids');
  (await owner.get('/teams?ids[]=1&ids[x]=2')).refused(400, 'FIELD_INVALID', 'ids');
  (await owner.get('/teams?ids=1&ids[]=2')).refused(400, 'FIELD_INVALID', 'ids');
});

test('single resources ignore ids and after_id as unknown arguments', async (t) => {
  const { owner } = await open(t);
  (await owner.get('/roles/1', { ids: 2, after_id: 1, token: 'x' })).must(200).notes('ids', 'after_id', 'token');
});

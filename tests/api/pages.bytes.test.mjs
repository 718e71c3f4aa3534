// A page of a list ends before `limit` if its bytes exceed 4 MiB, but has at least one item.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demo, open } from './lib/index.mjs';

const MIB = 1024 * 1024;
const BOUND = 4 * MIB;
const LONG = 'x'.repeat(250_000); // a message shows it as text and as HTML
const SIGNATURE = '🙂'.repeat(4000); // 16 KB

const notices = ({ body }) => (body.logs ?? []).map(({ message }) => message);
const target = (url) => url.slice(url.indexOf('/api/v1'));

/** Follows next_url to the last page, or through `most` pages. */
async function walk(client, path, query, most = 100) {
  const pages = [(await client.get(path, query)).must(200)];
  for (let url; pages.length < most && (url = pages.at(-1).body.next_url);) {
    pages.push((await client.get(target(url))).must(200));
  }
  return pages;
}

/** Checks the rules of a bounded page for each page of a walk. Returns the ids in the order served. */
function judge(pages, limit) {
  for (const page of pages) {
    const { body, data, bytes } = page;
    const cut = notices(page).some((text) => /^The page ends after \d+ items, because a reply has at most 4 MiB/.test(text));
    assert.ok(bytes.length <= BOUND + 64 * 1024 || data.length === 1, `${data.length} items in ${bytes.length} bytes`);
    assert.ok(data.length >= 1, 'a page has at least one item');
    assert.equal(body.limit, cut ? data.length : limit);
    if (cut) assert.equal(new URL(body.next_url).searchParams.get('limit') ?? '10', String(limit), 'next_url has the requested limit');
    assert.ok(cut || page === pages.at(-1) || data.length === limit, 'a shortened page gives the reason');
  }
  return pages.flatMap(({ data }) => data.map(({ id }) => id));
}

async function longMessages(t, count) {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Long', contents: LONG });
  const path = `/conversations/${id}/messages`;
  for (let i = 1; i < count; i++) await desk.customer.create(path, { contents: LONG });
  const short = (await desk.staff.get(path, { fields: 'id', limit: 1000 })).must(200);
  return { desk, path, ids: short.ids, short };
}

test('pages of long messages end at 4 MiB, and next_url misses none', async (t) => {
  const { desk, path, ids, short } = await longMessages(t, 20);
  assert.equal(ids.length, 20, 'pages without the text of messages are not shortened');
  assert.deepEqual([short.body.limit, notices(short)], [1000, []]);
  const pages = await walk(desk.staff, path, { limit: 1000 });
  assert.deepEqual(judge(pages, 1000), ids);
  assert.deepEqual(pages.map(({ data }) => data.length), [8, 8, 4]);
  assert.deepEqual(pages.map(({ body }) => [body.offset, body.total_count]), [[0, 20], [8, 20], [16, 20]]);
  assert.equal(new URL(pages[1].body.previous_url).searchParams.get('offset'), null, 'the previous page is at offset max(O - L, 0)');
  const ten = await walk(desk.staff, path, { limit: 10 });
  assert.deepEqual(judge(ten, 10), ids);
  assert.deepEqual(ten.map(({ data }) => data.length), [8, 8, 4], 'the page after a shortened page has the requested limit');
  const small = await walk(desk.staff, path, { limit: 5 });
  assert.deepEqual(small.map(({ data }) => data.length), [5, 5, 5, 5]);
  assert.deepEqual(small.flatMap(notices), [], 'a page that fits is not shortened');
});

test('keyset pages end at 4 MiB in both directions', async (t) => {
  const { desk, path, ids } = await longMessages(t, 20);
  const older = await walk(desk.staff, path, { after_id: ids[0], limit: 100 });
  assert.deepEqual(judge(older, 100), ids.slice(1));
  assert.ok(older.every(({ body }) => !('offset' in body)));
  const newer = await walk(desk.staff, path, { before_id: ids[19], limit: 100 });
  judge(newer, 100);
  assert.deepEqual(newer[0].ids, ids.slice(11, 19), 'the page is next to the named row, in the order of the list');
  assert.deepEqual(newer.flatMap((page) => [...page.ids].reverse()), ids.slice(0, 19).reverse());
});

test('HEAD and the ETag are those of the shortened page', async (t) => {
  const { desk, path } = await longMessages(t, 12);
  const page = (await desk.staff.get(path, { limit: 1000 })).must(200);
  const { etag } = page.headers;
  const again = await desk.staff.get(path, { limit: 1000 }, { 'If-None-Match': etag });
  assert.equal(again.status, 304);
  const eight = (await desk.staff.get(path, { limit: 8 })).must(200);
  assert.equal(eight.headers.etag, etag, 'the same items have the same ETag');
  const head = await desk.staff.head(path, { limit: 1000 });
  assert.deepEqual([head.status, head.headers['content-length']], [200, page.headers['content-length']]);
});

test('the bound applies to the reply with its escapes', async (t) => {
  const desk = await open(t);
  const contents = '"'.repeat(125_000); // 250 KB as text, 750 KB as HTML
  const { id } = await desk.customer.create('/conversations', { subject: 'Quotes', contents });
  const path = `/conversations/${id}/messages`;
  for (let i = 0; i < 5; i++) await desk.customer.create(path, { contents });
  const pages = await walk(desk.staff, path, { limit: 100 });
  assert.equal(judge(pages, 100).length, 6);
  assert.deepEqual(pages.map(({ data }) => data.length), [4, 2]);
});

test('an item larger than the bound is served alone', async (t) => {
  const desk = await open(t);
  const fields = [];
  for (let i = 0; i < 75; i++) fields.push(await desk.owner.create('/organizations/fields', { key: `f${i}`, type: 'TEXTAREA', title: `Field ${i}` }));
  const ids = [];
  for (const name of ['Ada', 'Babbage', 'Curie', 'Dirac', 'Euler']) {
    const { id } = await desk.owner.create('/organizations', { name });
    ids.push(id);
    for (let at = 0; at < fields.length; at += 15) {
      await desk.owner.update(`/organizations/${id}`, { field_values: Object.fromEntries(fields.slice(at, at + 15).map(({ key }) => [key, name[0].repeat(60_000)])) });
    }
  }
  const pages = await walk(desk.owner, '/organizations', { limit: 50 });
  assert.deepEqual(judge(pages, 50), ids);
  assert.deepEqual(pages.map(({ data }) => data.length), [1, 1, 1, 1, 1]);
  assert.ok(pages.every(({ bytes }) => bytes.length > BOUND));
  const one = (await desk.owner.get(`/organizations/${ids[0]}`)).must(200);
  assert.ok(one.bytes.length > BOUND, 'a single resource has no bound');
  assert.deepEqual(notices(one), []);
});

test('a complete list is complete whatever its bytes, because it has no pages', async (t) => {
  const desk = await open(t);
  const path = '/brands/1/templates/verification';
  const { contents } = await desk.owner.fetch(path);
  for (let i = 0; i < 22; i++) await desk.owner.update(path, { contents: contents.replace('{% block text %}', `{% block text %}${i} ${'🙂'.repeat(50_000)}`) });
  const versions = (await desk.owner.get(`${path}/versions`)).must(200);
  assert.ok(versions.bytes.length > BOUND);
  assert.deepEqual([versions.data.length, versions.body.total_count, notices(versions)], [22, 22, []]);
});

test('included resources count towards the bound, with include and with _flat', async (t) => {
  const desk = await demo(t, { conversations: 1100 });
  const people = [];
  for (const page of await walk(desk.owner, '/users', { limit: 1000, fields: 'id' })) people.push(...page.ids);
  for (const id of people) await desk.owner.update(`/users/${id}`, { signature: SIGNATURE });
  const { data: conversations } = (await desk.admin.get('/conversations', { limit: 1000, fields: 'id' })).must(200);
  const ids = conversations.map(({ id }) => id);
  assert.equal(ids.length, 1000);
  for (const query of [{ include: 'user' }, { include: '*' }, { _flat: 'true', include: 'user' }, { _flat: 'true' }, { include: '*', _pretty: 'true' }]) {
    const limit = 1000;
    const pages = await walk(desk.admin, '/conversations', { limit, ...query }, 4);
    const served = judge(pages, limit);
    assert.deepEqual(served.slice(0, 1000), ids.slice(0, served.length), JSON.stringify(query));
    assert.notDeepEqual(notices(pages[0]), [], `signatures shorten the pages: ${JSON.stringify(query)}`);
    if (query._flat && query.include) {
      for (const { body } of pages.slice(0, 3)) {
        const shown = Object.keys(body.resources.user);
        for (const { requester } of body.data) assert.ok(shown.includes(String(requester.id)), `user ${requester.id} is included`);
      }
    }
  }
  const page = (await desk.admin.get('/conversations', { limit: 1000, _flat: 'true', fields: 'id,requester(full_name)' })).must(200);
  for (const c of page.data) assert.deepEqual(Object.keys(c).sort(), ['id', 'requester', 'resource_type', 'resource_url', 'uuid'], 'a shortened page applies `fields`');
});

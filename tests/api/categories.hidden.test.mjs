import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

// The title and the address of a category say what its sections are about. So callers who see none of its sections do not see the category.

async function prepare(t) {
  const desk = await open(t);
  const { id: team } = await desk.owner.create('/teams', { title: 'Team' });
  const category = (name) => desk.owner.create('/categories', { titles: `Canary ${name}`, descriptions: `About canary ${name}` });
  const section = (category_id, more) => desk.owner.create('/sections', { titles: 'Section', category_id, ...more });
  const categories = { empty: await category('empty'), open: await category('open'), customers: await category('customers'), staff: await category('staff'), crew: await category('crew'), mixed: await category('mixed') };
  await section(categories.open.id, { visibility: 'PUBLIC' });
  await section(categories.customers.id, { visibility: 'AUTHORIZED' });
  const staff = await section(categories.staff.id, { visibility: 'AGENTS' });
  await section(categories.crew.id, { visibility: 'AGENTS', team_ids: [team] });
  await section(categories.mixed.id, { visibility: 'AGENTS', team_ids: [team] });
  await section(categories.mixed.id, { visibility: 'PUBLIC' });
  const member = await desk.person('agent', { team_ids: [team] });
  const callers = { nobody: desk.anyone, customer: desk.customer, agent: desk.staff, member: member.client, owner: desk.owner };
  return { desk, categories, callers, staff };
}

const SEES = {
  nobody: ['empty', 'open', 'mixed'], customer: ['empty', 'open', 'customers', 'mixed'], agent: ['empty', 'open', 'customers', 'staff', 'mixed'],
  member: ['empty', 'open', 'customers', 'staff', 'crew', 'mixed'], owner: ['empty', 'open', 'customers', 'staff', 'crew', 'mixed'],
};

test('a category is listed and read by callers who see one of its sections, and if it has none', async (t) => {
  const { desk, categories, callers } = await prepare(t);
  for (const [caller, client] of Object.entries(callers)) {
    const listed = (await client.get('/categories', { include: 'locale_field', limit: 100 })).must(200);
    for (const [name, { id, titles }] of Object.entries(categories)) {
      const sees = SEES[caller].includes(name), what = `${caller}, ${name}`;
      assert.equal(listed.data.some((item) => item.id === id), sees, what);
      assert.equal(listed.text.includes(`Canary ${name}`), sees, what);
      for (const path of [`/categories/${id}`, `/locale/fields/${titles[0].id}`]) assert.equal((await client.get(path)).status, sees ? 200 : 404, `${what}: ${path}`);
      assert.equal((await client.get('/categories', { ids: id })).data.length, sees ? 1 : 0, what);
    }
    assert.equal(listed.body.total_count, listed.data.length, caller);
  }
  const { id } = categories.crew;
  (await desk.staff.put(`/categories/${id}`, { titles: 'Mine' })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.delete(`/categories/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('a category appears with its first visible section, and is hidden again with the last', async (t) => {
  const { desk, categories: { staff: { id } }, staff } = await prepare(t);
  const status = async () => (await desk.customer.get(`/categories/${id}`)).status;
  assert.equal(await status(), 404);
  await desk.owner.update(`/sections/${staff.id}`, { visibility: 'AUTHORIZED' });
  assert.equal(await status(), 200);
  await desk.owner.update(`/sections/${staff.id}`, { visibility: 'AGENTS' });
  assert.equal(await status(), 404);
  await desk.owner.delete(`/sections/${staff.id}`);
  assert.equal(await status(), 200); // it has no section, so it hides nothing
});

test('no page, sitemap, feed or search names a category whose sections are hidden', async (t) => {
  const { desk, categories, callers } = await prepare(t);
  for (const [caller, client] of Object.entries(callers)) {
    const headers = caller === 'nobody' ? {} : { Cookie: `desk_session=${(await desk.session(client)).id}` };
    const page = async (path) => { const reply = await desk.anyone.exchange('GET', path, { headers }); return { status: reply.status, text: `${reply.bytes} ${reply.headers.location ?? ''}` }; };
    const paths = ['/helpcenter/en-us', '/helpcenter/en-us/feed.atom', '/helpcenter/en-us/search?query=canary', '/sitemap.xml', '/helpcenter/sitemap/sections-0', '/helpcenter/sitemap/articles-0'];
    for (const [name, { id }] of Object.entries(categories)) {
      if (SEES[caller].includes(name)) continue;
      for (const path of [...paths, `/helpcenter/en-us/categories/${id}`]) {
        const reply = await page(path);
        assert.doesNotMatch(reply.text, new RegExp(`canary.${name}`, 'i'), `${caller}: ${path}`);
        if (path.includes('categories')) assert.equal(reply.status, 404, `${caller}: ${path}`);
      }
    }
    const { status, text } = await page(`/helpcenter/en-us/categories/${categories.open.id}-canary-open`);
    assert.equal(status, 200, caller);
    assert.match(text, /Canary open/);
  }
});

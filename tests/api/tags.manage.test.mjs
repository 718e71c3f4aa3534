// Tags of the desk: renamed, merged, deleted. More rows are changed than one write changes, and the clock stands still, so the rest waits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, open, opened, until, when } from './lib/index.mjs';

const args = ['--cascade-rows', '5'];
const ALL = { limit: 1000 };
const names = (tags) => tags.map(({ name }) => name).sort();
const tagsOf = async (desk, path) => names((await desk.owner.fetch(path, { fields: '+tags' })).tags);
const tagNamed = async (desk, name) => (await desk.owner.fetch('/tags', ALL)).find((tag) => tag.name === name);
const withTag = async (desk, name) => {
  const { data, total_count } = (await desk.owner.get('/cases', { ...ALL, tags: name })).must(200).body;
  assert.equal((await desk.owner.get('/cases', { limit: 1, tags: name })).must(200).body.total_count, total_count, 'the counted total is that of the list');
  return data.map(({ id }) => id).sort((a, b) => a - b);
};
const cascades = (desk) => desk.sql("SELECT COUNT(*) FROM jobs WHERE kind = 'cascade' AND status IN (1, 2)");
const finished = (desk) => until('the cascade has ended', async () => {
  await desk.clock.forward(1); // each part is due after the last one
  return Number(cascades(desk)) === 0;
});

/** Looks right after the change, in a new process after a crash, and at the end. */
async function seenAlike(desk, look) {
  assert.equal(Number(cascades(desk)), 1, 'the change needs more than one write');
  await look('between');
  await desk.kill();
  assert.equal(desk.check().status, 0, desk.check().stdout);
  await desk.start();
  await look('after a crash');
  await finished(desk);
  await look('end');
  assert.equal(desk.check().status, 0, desk.check().stdout);
}

/** Twelve conversations with vips, two of them also with vip, and one with vip alone; people, an organization, an article, a section, macros and rules. */
async function world(desk) {
  const w = { cases: [] };
  const { owner, staff } = desk;
  for (let i = 0; i < 12; i++) w.cases.push((await opened(desk, { tags: i < 2 ? 'vips, vip' : 'vips, other' })).id);
  w.alone = (await opened(desk, { tags: 'vip' })).id;
  w.person = (await desk.person('customer', { tags: 'vips' })).id;
  w.organization = (await owner.create('/organizations', { name: 'Works', tags: 'VIPS' })).id;
  const category = await owner.create('/categories', { titles: [{ locale: 'en-us', translation: 'C' }] });
  w.section = (await owner.create('/sections', { titles: [{ locale: 'en-us', translation: 'S' }], category_id: category.id, visibility: 'AUTHORIZED', tags: 'vips' })).id;
  w.article = (await owner.create('/articles', { titles: [{ locale: 'en-us', translation: 'A' }], contents: [{ locale: 'en-us', translation: 'Text' }], section_id: w.section, status: 'PUBLISHED', tags: 'vips' })).id;
  w.macro = (await staff.create('/cases/macros', { title: 'Swap', visibility_type: 'PRIVATE', add_tags: 'vips', remove_tags: 'vip' })).id;
  w.trigger = (await owner.create('/triggers', { title: 'Gifts', predicate_collections: when(['tags.name', 'collection_contains_any_insensitive', 'Vips, x']), actions: [act('tags', 'ADD', ['vips', 'gift'])] })).id;
  w.view = (await staff.create('/views', { title: 'Mine', visibility_type: 'SELF', predicate_collections: when(['tags.name', 'collection_contains_any_insensitive', ['vips']]) })).id;
  return w;
}

const texts = async (desk, w) => {
  const trigger = await desk.owner.fetch(`/triggers/${w.trigger}`), view = await desk.staff.fetch(`/views/${w.view}`);
  return [trigger.predicate_collections[0].propositions[0].value, trigger.actions[0].value, view.predicate_collections[0].propositions[0].value].map((value) => String(value).split(/, */).join());
};

test('a renamed tag has its new name everywhere, and nothing else of a conversation changes', async (t) => {
  const desk = await open(t, { args });
  const w = await world(desk), tag = await tagNamed(desk, 'vips');
  assert.deepEqual([tag.case_count, tag.user_count, tag.organization_count, tag.article_count, tag.section_count, tag.macro_count, tag.resource_type], [12, 1, 1, 1, 1, 1, 'tag']);
  assert.deepEqual((await desk.owner.fetch('/tags', { name: 'VIP' })).map(({ name }) => name), ['vip', 'vips']);
  for (const who of [desk.staff, desk.customer]) {
    (await who.get('/tags')).refused(403, 'PERMISSIONS_DENIED');
    (await who.put(`/tags/${tag.id}`, { name: 'x' })).refused(403, 'PERMISSIONS_DENIED');
    (await who.post(`/tags/${tag.id}/merge`, { tag_ids: [1] })).refused(403, 'PERMISSIONS_DENIED');
    (await who.delete(`/tags/${tag.id}`)).refused(403, 'PERMISSIONS_DENIED');
  }
  const taken = (await desk.owner.put(`/tags/${tag.id}`, { name: ' VIP ' })).refused(400, 'FIELD_DUPLICATE', 'name');
  assert.match(JSON.stringify(taken.body ?? taken), /merge/);
  for (const name of ['', 'a,b', 'x'.repeat(65)]) assert.equal((await desk.owner.put(`/tags/${tag.id}`, { name })).status, 400, name);
  (await desk.owner.put('/tags/999999', { name: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');

  const before = (await desk.owner.get(`/cases/${w.cases[0]}`, { fields: '+tags' })).must(200);
  const activities = (await desk.owner.fetch(`/cases/${w.cases[0]}/activities`, ALL)).length;
  await desk.clock.forward(5);
  assert.equal((await desk.owner.update(`/tags/${tag.id}`, { name: 'Gold members' })).name, 'Gold members');
  const after = (await desk.owner.get(`/cases/${w.cases[0]}`, { fields: '+tags' })).must(200);
  assert.deepEqual(names(after.data.tags), ['Gold members', 'vip']);
  assert.deepEqual([after.data.updated_at, (await desk.owner.fetch(`/cases/${w.cases[0]}/activities`, ALL)).length], [before.data.updated_at, activities]);
  assert.notEqual(after.etag, before.etag, 'a client that asks with If-None-Match gets the name');
  assert.deepEqual(await tagsOf(desk, `/users/${w.person}`), ['Gold members']);
  assert.deepEqual(names((await desk.owner.fetch(`/articles/${w.article}`)).tags), ['Gold members']);
  assert.deepEqual((await withTag(desk, 'gold members')).length, 12);
  assert.deepEqual(await withTag(desk, 'vips'), []);
  assert.deepEqual((await desk.staff.fetch('/autocomplete/tags', { name: 'memb' })).map(({ name }) => name), ['Gold members']);
  assert.deepEqual(await texts(desk, w), ['Gold members,x', 'Gold members,gift', 'Gold members']);
  await finished(desk);
  await until('the search finds the tag', async () => (await desk.owner.fetch('/search', { query: 'tag:"gold members"', limit: 100 })).length >= 12);
  await until('the search finds the word', async () => (await desk.owner.fetch('/search', { query: 'members', limit: 100 })).some(({ id }) => id === w.cases[3]));
  const log = (await desk.owner.fetch('/changes', ALL)).filter(({ property, from, to }) => property === 'tags' && (from ?? to ?? null) === null); // without values
  assert.deepEqual(log.map((e) => `${e.resource_type} ${e.resource_id}`).sort(), [...w.cases.map((id) => `case ${id}`), `user ${w.person}`, `organization ${w.organization}`, `article ${w.article}`].sort(), 'each owner of the tag, once');
  assert.ok(log.some(({ cause }) => /cascade/i.test(cause ?? '')));
  const [entry] = (await desk.owner.fetch('/audit_log', { limit: 100 })).filter(({ action }) => action === 'TAG_CHANGED');
  assert.match(JSON.stringify(entry), /vips.*Gold members/);

  // the compiled rules follow: a conversation with the new name gets the gift
  const one = await opened(desk, { tags: 'gold MEMBERS' });
  assert.deepEqual(await tagsOf(desk, `/cases/${one.id}`), ['Gold members', 'gift']);
  await desk.owner.update(`/tags/${tag.id}`, { name: 'GOLD MEMBERS' }); // the same key
  assert.deepEqual(await tagsOf(desk, `/cases/${one.id}`), ['GOLD MEMBERS', 'gift']);
  assert.equal(desk.check().status, 0);
});

test('merged tags are one tag at once, however many rows have them', async (t) => {
  const desk = await open(t, { args });
  const w = await world(desk), vips = await tagNamed(desk, 'vips'), vip = await tagNamed(desk, 'vip');
  for (const [ids, code] of [[[vip.id], 'FIELD_INVALID'], [[], 'FIELD_EMPTY']]) (await desk.owner.post(`/tags/${vip.id}/merge`, { tag_ids: ids })).refused(400, code, 'tag_ids');
  assert.ok([400, 404].includes((await desk.owner.post(`/tags/${vip.id}/merge`, { tag_ids: [999999] })).status));
  (await desk.owner.post(`/tags/${vip.id}/merge`, { tag_ids: [vips.id] })).must(200);
  const all = [...w.cases, w.alone];
  await seenAlike(desk, async (at) => {
    (await desk.owner.get(`/tags/${vips.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.deepEqual(await withTag(desk, 'vip'), all, at);
    assert.deepEqual(await withTag(desk, 'vips'), [], at);
    for (const id of [w.cases[0], w.cases[11]]) assert.deepEqual(await tagsOf(desk, `/cases/${id}`), id === w.cases[0] ? ['vip'] : ['other', 'vip'], at);
    assert.deepEqual([await tagsOf(desk, `/users/${w.person}`), await tagsOf(desk, `/organizations/${w.organization}`)], [['vip'], ['vip']], at);
    for (const path of [`/articles/${w.article}`, `/sections/${w.section}`]) assert.deepEqual(names((await desk.owner.fetch(path)).tags), ['vip'], at);
    assert.deepEqual(await texts(desk, w), ['vip,x', 'vip,gift', 'vip'], at);
    assert.deepEqual((await desk.staff.fetch('/autocomplete/tags', { name: 'vip' })).map(({ id }) => id), [vip.id], at);
    await desk.staff.update(`/cases/${w.cases[10]}`, { subject: `Changed ${at}` }); // a rule sees the tag of a row that has not moved
    assert.deepEqual(await tagsOf(desk, `/cases/${w.cases[10]}`), ['gift', 'other', 'vip'], at);
  });
  const macro = await desk.staff.fetch(`/cases/macros/${w.macro}`);
  assert.deepEqual([names(macro.add_tags), names(macro.remove_tags)], [['vip'], []], 'a macro that replaced one by the other adds the survivor');
  const again = await opened(desk, { tags: 'vips' });
  assert.deepEqual(await tagsOf(desk, `/cases/${again.id}`), ['vips'], 'the name is free');
  // a survivor that is merged in turn, while its own rows still move
  const other = await tagNamed(desk, 'other');
  (await desk.owner.post(`/tags/${vip.id}/merge`, { tag_ids: [other.id] })).must(200);
  (await desk.owner.post(`/tags/${(await tagNamed(desk, 'vips')).id}/merge`, { tag_ids: [vip.id] })).must(200);
  await finished(desk);
  assert.deepEqual(await withTag(desk, 'vips'), [...all, again.id]);
  assert.deepEqual(await tagsOf(desk, `/cases/${w.cases[11]}`), ['vips']);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('a deleted tag is gone at once, and one that opens a section or that a rule names stays', async (t) => {
  const desk = await open(t, { args });
  const w = await world(desk), vips = await tagNamed(desk, 'vips');
  const refusedBy = async (what) => assert.match(JSON.stringify((await desk.owner.delete(`/tags/${vips.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE').body), what);
  await refusedBy(/[Ss]ection/);
  await desk.owner.update(`/sections/${w.section}`, { tags: 'other' });
  await refusedBy(/Gifts/);
  await desk.owner.update(`/triggers/${w.trigger}`, { predicate_collections: when(['tags.name', 'collection_contains_any_insensitive', 'x']) });
  await refusedBy(/Gifts/);
  (await desk.owner.delete(`/triggers/${w.trigger}`)).must(200);
  const before = (await desk.owner.fetch(`/cases/${w.cases[11]}`)).updated_at;
  (await desk.owner.delete(`/tags/${vips.id}`)).must(200);
  await seenAlike(desk, async (at) => {
    (await desk.owner.delete(`/tags/${vips.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.deepEqual(await withTag(desk, 'vips'), [], at);
    for (const id of [w.cases[0], w.cases[11]]) assert.deepEqual(await tagsOf(desk, `/cases/${id}`), id === w.cases[0] ? ['vip'] : ['other'], at);
    assert.deepEqual((await desk.owner.fetch(`/cases/${w.cases[11]}/tags`)).map(({ name }) => name), ['other'], at);
    assert.deepEqual([await tagsOf(desk, `/users/${w.person}`), names((await desk.owner.fetch(`/articles/${w.article}`)).tags)], [[], []], at);
    assert.deepEqual((await desk.owner.fetch('/tags', ALL)).map(({ name }) => name).includes('vips'), false, at);
  });
  assert.equal((await desk.owner.fetch(`/cases/${w.cases[11]}`)).updated_at, before);
  assert.deepEqual(names((await desk.staff.fetch(`/cases/macros/${w.macro}`)).add_tags), []);
  const left = (await desk.owner.fetch('/tags', ALL)).map(({ id }) => id);
  await desk.owner.update(`/sections/${w.section}`, { tags: '' });
  assert.equal((await desk.owner.delete('/tags', { ids: left.join() })).must(200).body.total_count, left.length);
  await finished(desk);
  assert.deepEqual(await desk.owner.fetch('/tags'), []);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

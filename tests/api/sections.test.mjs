import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { form, raw, shared, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

// Categories and sections of the help center: writing, reading, order, import, deletion.

const titles = (...list) => list.map(([locale, translation]) => ({ locale, translation }));
const words = (list) => list.map(({ locale, translation }) => [locale, translation]);

describe('the help center:', () => {
  const world = shared(async (w) => {
    const { desk } = w;
    w.owner = desk.owner;
    w.category = await desk.owner.create('/categories', { titles: 'Shop' });
    w.team = await desk.owner.create('/teams', { title: 'Warehouse' });
    w.section = (more) => desk.owner.create('/sections', { titles: 'Section', category_id: w.category.id, ...more });
    w.full = async (path, client = desk.owner) => client.fetch(path, { include: 'locale_field', fields: '*,+sort_order' });
    w.seen = async (client, query) => (await client.get('/sections', { limit: 1000, ...query })).must(200).ids;
  });

  test('a new desk has a category', async () => {
    const [first] = await world.desk.anyone.fetch('/categories', { include: 'locale_field' });
    assert.deepEqual([first.id, first.titles[0].translation, first.slugs[0].translation], [1, 'General', '1-general']);
    assert.deepEqual([first.brand.id, first.brand.name], [1, 'Support']);
  });

  test('titles are one text in the default locale, one object, or a list; a list replaces, one text changes one locale', async () => {
    const { owner, full } = world;
    const one = await owner.create('/categories', { titles: 'Billing, and more' });
    assert.deepEqual(words((await full(`/categories/${one.id}`)).titles), [['en-us', 'Billing, and more']]);
    await owner.update(`/categories/${one.id}`, { titles: titles(['en-us', 'Billing'], ['de', 'Rechnungen']) });
    await owner.update(`/categories/${one.id}`, { titles: '[new] Billing' });
    assert.deepEqual(words((await full(`/categories/${one.id}`)).titles), [['en-us', '[new] Billing'], ['de', 'Rechnungen']]);
    await owner.update(`/categories/${one.id}`, { titles: { locale: 'fr', translation: 'Factures' } });
    assert.equal((await full(`/categories/${one.id}`)).titles.length, 3);
    await owner.update(`/categories/${one.id}`, { titles: titles(['de', 'Rechnung']) });
    assert.deepEqual(words((await full(`/categories/${one.id}`)).titles), [['de', 'Rechnung']]);
    await owner.update(`/categories/${one.id}`, form({ titles: [{ locale: 'DE', translation: 'Form' }] }));
    assert.deepEqual(words((await full(`/categories/${one.id}`)).titles), [['de', 'Form']]);
    (await owner.put(`/categories/${one.id}`, { titles: [] })).refused(400, 'FIELD_EMPTY', 'titles');
    (await owner.put(`/categories/${one.id}`, { titles: null })).refused(400, 'FIELD_EMPTY', 'titles');
    (await owner.put(`/categories/${one.id}`, { titles: titles(['en-us', 'A'], ['en-us', 'B']) })).refused(400, 'FIELD_DUPLICATE', 'titles[1].locale');
    (await owner.put(`/categories/${one.id}`, { titles: titles(['xx', 'A']) })).refused(400, 'FIELD_INVALID', 'titles[0].locale');
    (await owner.put(`/categories/${one.id}`, { titles: titles(['en-us', ' ']) })).refused(400, 'FIELD_EMPTY', 'titles[0].translation');
    (await owner.put(`/categories/${one.id}`, { titles: 'x'.repeat(256) })).refused(400, 'FIELD_INVALID', 'titles');
    (await owner.put(`/categories/${one.id}`, { titles: { locale: 'xx', translation: 'A' } })).refused(400, 'FIELD_INVALID', 'titles.locale');
    (await owner.post('/categories', {})).refused(400, 'FIELD_REQUIRED', 'titles');
  });

  test('a disabled locale takes no new texts', async () => {
    const { desk, owner } = world;
    const locale = (await owner.fetch('/locales')).find((l) => l.locale === 'nl');
    const dutch = titles(['en-us', 'A'], ['nl', 'B']);
    const { id } = await owner.create('/categories', { titles: dutch });
    assert.equal((await owner.update(`/locales/${locale.id}`, { is_enabled: false })).is_enabled, false);
    const reply = (await owner.put(`/categories/${id}`, { titles: dutch })).refused(400, 'FIELD_INVALID', 'titles[1].locale');
    assert.equal(reply.body.errors[0].pointer, 'titles/1/locale');
    assert.equal((await owner.fetch(`/categories/${id}`)).titles.length, 2);
    await owner.update(`/locales/${locale.id}`, { is_enabled: true });
    await owner.update(`/categories/${id}`, { titles: dutch });
    (await owner.put('/locales/1', { is_enabled: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.staff.put(`/locales/${locale.id}`, { is_enabled: false })).refused(403, 'PERMISSIONS_DENIED');
  });

  test('sections of some categories and some imported ones are one list', async () => {
    const { desk, owner } = world;
    const category = await owner.create('/categories', { titles: 'Union' }), other = await owner.create('/categories', { titles: 'Other' });
    const section = async (category_id, legacy_id) => (await owner.create('/sections', { titles: 'S', category_id, legacy_id })).id;
    const [a, b, c, d] = [await section(category.id), await section(category.id, 'U-1'), await section(other.id, 'U-2'), await section(other.id, 'U-3')];
    const ids = async (query) => { const { ids: found, body } = (await desk.anyone.get('/sections', query)).must(200); assert.equal(body.total_count, found.length); return found; };
    assert.deepEqual(await ids({ category_ids: category.id, legacy_ids: 'U-2' }), [a, b, c]);
    assert.deepEqual(await ids({ category_ids: category.id, legacy_ids: 'U-1' }), [a, b]);
    assert.deepEqual(await ids({ category_id: category.id, legacy_ids: 'U-3,U-2' }), [a, b, c, d]);
    assert.deepEqual(await ids({ category_ids: `${category.id},${other.id}`, ids: `${a},${d}` }), [a, d]);
    assert.deepEqual(await ids({ category_ids: category.id, legacy_ids: 'U-2', ids: `${b},${c},${d}` }), [b, c]);
    assert.deepEqual(await ids({ legacy_ids: 'U-2' }), [c]);
    assert.deepEqual(await ids({ category_ids: category.id, legacy_ids: '' }), [a, b]);
    assert.deepEqual(await ids({ category_ids: '', legacy_ids: 'U-2' }), [c]);
    (await desk.anyone.get('/sections', { category_ids: 'x', legacy_ids: 'U-2' })).refused(400, 'FIELD_INVALID', 'category_ids/0');
  });

  test('a locale shows region, script, variant and direction', async () => {
    const { desk } = world;
    const all = Object.fromEntries((await desk.anyone.fetch('/locales')).map((l) => [l.locale, l]));
    const of = (name) => ['region', 'native_region', 'script', 'variant', 'direction'].map((member) => all[name][member]);
    assert.deepEqual(of('en-us'), ['US', 'United States', 'Latn', null, 'ltr']);
    assert.deepEqual(of('pt-br'), ['BR', 'Brasil', 'Latn', null, 'ltr']);
    assert.deepEqual(of('zh-cn'), ['CN', '中国', 'Hans', null, 'ltr']);
    assert.deepEqual(of('ar'), [null, null, 'Arab', null, 'rtl']);
    assert.ok(Object.values(all).every((l) => /^(ltr|rtl)$/.test(l.direction) && /^[A-Z][a-z]{3}$/.test(l.script)));
  });

  test('categories have an order, and reorder puts the given ones first', async () => {
    const { desk, owner } = world;
    const [a, b, c] = [await owner.create('/categories', { titles: 'A' }), await owner.create('/categories', { titles: 'B' }), await owner.create('/categories', { titles: 'C', legacy_id: 'C-1', display_order: 0 })];
    const order = async () => (await desk.anyone.get('/categories', { limit: 100 })).must(200).ids;
    assert.equal((await order())[0], c.id);
    assert.ok(a.display_order < b.display_order);
    (await owner.put('/categories/reorder', { category_ids: [b.id, a.id] })).must(200);
    assert.deepEqual((await order()).slice(0, 3), [b.id, a.id, c.id]);
    (await owner.put('/categories/reorder', { category_ids: [a.id, 9999] })).refused(400, 'FIELD_INVALID', 'category_ids');
    (await owner.put('/categories/reorder', {})).refused(400, 'FIELD_REQUIRED', 'category_ids');
    assert.deepEqual((await desk.anyone.get('/categories', { legacy_ids: 'C-1' })).ids, [c.id]);
    (await owner.post('/categories', { titles: 'D', legacy_id: 'C-1' })).refused(400, 'FIELD_DUPLICATE', 'legacy_id');
    const second = await owner.create('/brands', { name: 'Second', sub_domain: 'second' });
    const own = await owner.create('/categories', { titles: 'Own', brand_id: second.id });
    assert.ok((await desk.anyone.get('/categories', { brand_id: second.id, limit: 100 })).ids.includes(own.id));
    assert.ok(!(await desk.anyone.get('/categories', { brand_id: 1, limit: 100 })).ids.includes(own.id));
    assert.equal((await owner.update(`/categories/${own.id}`, { brand_id: null })).brand, null);
  });

  test('a section has the members and defaults of the specification', async () => {
    const { desk, owner, category, full } = world;
    const made = await owner.create('/sections', {
      titles: titles(['en-us', 'Invoices & Größe'], ['ar', 'فواتير\u200f']), descriptions: 'How\nwe bill.', category_id: category.id, legacy_id: 'S-1',
    });
    assert.deepEqual([made.visibility, made.article_order_by, made.total_articles, made.legacy_id], ['PUBLIC', 'LATEST', 0, 'S-1']);
    assert.deepEqual([made.category, made.agent], [{ id: category.id, resource_type: 'category' }, { id: desk.people.owner.id, resource_type: 'user_minimal' }]);
    assert.deepEqual([made.teams, made.tags, made.titles[0].resource_type], [[], [], 'locale_field']);
    assert.deepEqual(made.slugs, [
      { locale: 'en-us', translation: `${made.id}-invoices-grosse`, resource_type: 'slug' }, { locale: 'ar', translation: `${made.id}-فواتير`, resource_type: 'slug' },
    ]);
    assert.equal(made.resource_url, `${desk.base}/api/v1/sections/${made.id}`);
    assert.ok(!('sort_order' in made));
    assert.equal((await full(`/sections/${made.id}`)).descriptions[0].translation, 'How\nwe bill.');
    (await owner.post('/sections', {})).refused(400, 'FIELD_REQUIRED', 'titles');
    (await owner.post('/sections', { titles: 'A', category_id: 9999 })).refused(400, 'FIELD_INVALID', 'category_id');
    (await owner.post('/sections', { titles: 'A', category_id: category.id, legacy_id: 'S-1' })).refused(400, 'FIELD_DUPLICATE', 'legacy_id');
    (await owner.post('/sections', { titles: 'A', category_id: category.id, article_order_by: 'MANUAL' })).refused(400, 'FIELD_INVALID', 'article_order_by');
    assert.equal((await owner.update(`/sections/${made.id}`, { article_order_by: 'manual' })).article_order_by, 'MANUAL');
    const cleared = await owner.update(`/sections/${made.id}`, { descriptions: null, category_id: 1 });
    assert.deepEqual([cleared.descriptions, cleared.category.id], [[], 1]);
    assert.deepEqual((await owner.update(`/sections/${made.id}`, { legacy_id: 'S-2' })).legacy_id, 'S-1');
  });

  test('tags and teams are kept only for visibilities that use them', async () => {
    const { owner, team, section } = world;
    const names = (s) => s.tags.map((t) => t.name);
    const ids = (s) => s.teams.map((t) => t.id);
    const ignored = (reply, name) => assert.match(JSON.stringify(reply.must(200).body.logs), new RegExp(`${name} w`));
    const { id } = await section({ tags: 'vip', team_ids: [9999] });
    const put = async (body) => owner.put(`/sections/${id}`, body);
    assert.deepEqual(names(await owner.fetch(`/sections/${id}`)), []);
    ignored(await put({ tags: 'vip', team_ids: team.id }), 'tags');
    ignored(await put({ visibility: 'AUTHORIZED', tags: 'vip, gold', team_ids: team.id }), 'team_ids');
    assert.deepEqual([names(await owner.fetch(`/sections/${id}`)), ids(await owner.fetch(`/sections/${id}`))], [['gold', 'vip'], []]);
    const staff = (await put({ visibility: 'AGENTS', team_ids: [team.id] })).must(200);
    assert.deepEqual([names(staff.data), ids(staff.data), staff.body.logs], [['gold', 'vip'], [team.id], undefined]);
    (await put({ team_ids: [team.id, 9999] })).refused(400, 'FIELD_INVALID', 'team_ids');
    assert.deepEqual(ids((await put({ team_ids: [] })).must(200).data), []);
    await put({ team_ids: [team.id] });
    await put({ visibility: 'PUBLIC' });
    await put({ visibility: 'AGENTS' });
    const again = await owner.fetch(`/sections/${id}`);
    assert.deepEqual([names(again), ids(again)], [[], []]);
  });

  test('sections are listed by creation, by categories and by legacy ids', async () => {
    const { desk, owner, section } = world;
    const { id: category_id } = await owner.create('/categories', { titles: 'Listed' });
    const [a, b, c] = [await section({ category_id, legacy_id: 'L-1' }), await section({ category_id, legacy_id: 'L-2' }), await section({ legacy_id: 'L-3' })];
    const ids = async (query) => (await desk.anyone.get('/sections', query)).must(200).ids;
    assert.deepEqual(await ids({ category_ids: category_id }), [a.id, b.id]);
    const old = (await desk.anyone.get('/sections', { category_id })).must(200);
    assert.deepEqual([old.ids, old.body.logs[0].message.includes('deprecated')], [[a.id, b.id], true]);
    assert.deepEqual(await ids({ legacy_ids: 'L-3,L-1' }), [a.id, c.id]);
    assert.deepEqual(await ids({ category_ids: `${category_id}`, offset: 1 }), [b.id]);
    (await desk.anyone.get('/sections', { category_ids: 'x' })).refused(400, 'FIELD_INVALID', 'category_ids');
  });

  test('a bulk update changes all sections or none', async () => {
    const { owner, team, section } = world;
    const [a, b] = [await section({ visibility: 'AGENTS' }), await section()];
    const put = (body, list = [a.id, b.id]) => owner.put('/sections', { ids: list, ...body });
    assert.equal((await put({ category_id: 1, article_order_by: 'POPULAR' })).must(200).body.total_count, 2);
    const both = async () => owner.fetch('/sections', { ids: `${a.id},${b.id}` });
    assert.deepEqual((await both()).map((s) => [s.category.id, s.article_order_by]), [[1, 'POPULAR'], [1, 'POPULAR']]);
    await put({ team_ids: [team.id], tags: 'x' });
    assert.deepEqual((await both()).map((s) => [s.teams.length, s.tags.length]), [[1, 1], [0, 0]]);
    (await put({ visibility: 'AUTHORIZED' }, [a.id, 9999])).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
    assert.equal((await both())[0].visibility, 'AGENTS');
    (await put({ titles: 'No' })).refused(400, 'ANY_FIELD_REQUIRED');
    (await owner.put('/sections', { visibility: 'PUBLIC' })).refused(400, 'FIELD_REQUIRED', 'ids');
  });

  test('reorder puts the given sections of a brand first, and the others follow in their old order', async () => {
    const { desk, owner } = world;
    const brand = await owner.create('/brands', { name: 'Ordered', sub_domain: 'ordered' });
    const own = await owner.create('/categories', { titles: 'Own', brand_id: brand.id });
    const list = [];
    for (const title of ['A', 'B', 'C', 'D']) list.push((await owner.create('/sections', { titles: title, category_id: own.id })).id);
    const order = async () => {
      const all = await owner.fetch('/sections', { category_ids: own.id, fields: '*,+sort_order' });
      return all.sort((x, y) => x.sort_order - y.sort_order).map((s) => list.indexOf(s.id));
    };
    assert.deepEqual(await order(), [0, 1, 2, 3]);
    (await owner.put('/sections/reorder', { section_ids: `${list[2]},${list[0]}`, section_id: list[1] })).must(200);
    assert.deepEqual(await order(), [2, 0, 1, 3]);
    assert.deepEqual((await owner.get('/sections', { category_ids: own.id })).ids, list);
    (await owner.put('/sections/reorder', { section_ids: [list[0]] })).refused(400, 'FIELD_INVALID', 'section_ids'); // the other section is one of another brand
    const wrong = (await owner.put('/sections/reorder', { section_ids: [list[0], 9999], section_id: list[0] })).refused(400, 'FIELD_INVALID', 'section_ids');
    assert.equal(wrong.body.errors[0].pointer, 'section_ids/1');
    (await owner.put('/sections/reorder', { section_id: list[0] })).refused(400, 'FIELD_REQUIRED', 'section_ids');
    (await owner.put('/sections/reorder', { section_ids: Array.from({ length: 10000 }, (_, i) => i + 1) })).refused(400, 'FIELD_INVALID', 'section_ids');
    (await owner.put('/sections/reorder', { section_ids: [list[0], list[0]] })).refused(400, 'PARAMETERS_INCONSISTENT', 'section_ids');
    const { ids: [common] } = await desk.anyone.get('/sections');
    (await owner.put('/sections/reorder', { section_ids: [common] })).must(200);
    (await owner.delete(`/brands/${brand.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await owner.delete('/sections', { ids: list.join() })).must(200);
    await until('the sections of the brand are gone', async () => (await owner.delete(`/brands/${brand.id}`)).status === 200);
  });

  test('writing needs a role and the permission, and reading nothing', async () => {
    const { desk, owner, section, category } = world;
    const { id } = await section();
    for (const path of ['/categories', `/categories/${category.id}`, '/sections', `/sections/${id}`]) (await desk.anyone.get(path)).must(200);
    const writes = [
      ['post', '/categories', { titles: 'A' }], ['put', `/categories/${category.id}`, { titles: 'Shop' }], ['put', '/categories/reorder', { category_ids: [category.id] }],
      ['post', '/sections', { titles: 'A', category_id: category.id }], ['put', `/sections/${id}`, { titles: 'A' }], ['put', `/sections?ids=${id}`, { visibility: 'PUBLIC' }],
      ['put', '/sections/reorder', { section_ids: [id] }], ['post', '/bulk/sections', { sections: [{ titles: 'A', category_id: category.id }] }],
      ['delete', `/sections/${id}`], ['delete', `/sections?ids=${id}`], ['delete', `/categories/${category.id}`],
    ];
    const role = await owner.create('/roles', { title: 'Reader', type: 'AGENT' });
    (await owner.put(`/roles/${role.id}/permissions`, { 'help_center.manage': false })).must(200);
    const reader = (await desk.person('agent', { role_id: role.id })).client;
    for (const [method, path, body] of writes) {
      (await desk.anyone[method](path, body)).refused(401, 'AUTHORIZATION_REQUIRED');
      for (const client of [desk.customer, desk.as('collaborator'), reader]) (await client[method](path, body)).refused(403, 'PERMISSIONS_DENIED');
    }
    for (const [method, path, body] of writes.slice(0, -3)) assert.ok((await desk.staff[method](path, body)).status < 300, path);
  });

  test('visibility, tags and teams of a section decide who sees it and its translations', async () => {
    const { desk, owner, team, section, seen } = world;
    const person = async (role, more) => (await desk.person(role, more)).client;
    const people = {
      nobody: desk.anyone, customer: desk.customer, tagged: await person('customer', { tags: 'insider' }), collaborator: desk.as('collaborator'),
      agent: desk.staff, carrier: await person('agent', { tags: 'insider' }), member: await person('agent', { team_ids: [team.id] }),
      both: await person('agent', { tags: 'insider', team_ids: [team.id] }), admin: desk.admin, owner,
    };
    const staff = ['collaborator', 'agent', 'carrier', 'member', 'both', 'admin', 'owner'];
    const cases = [
      [{}, Object.keys(people)],
      [{ visibility: 'AUTHORIZED' }, ['customer', 'tagged', ...staff]],
      [{ visibility: 'AUTHORIZED', tags: 'insider' }, ['tagged', 'carrier', 'both', 'admin', 'owner']],
      [{ visibility: 'AGENTS' }, staff],
      [{ visibility: 'AGENTS', tags: 'insider' }, ['carrier', 'both', 'admin', 'owner']],
      [{ visibility: 'AGENTS', team_ids: [team.id] }, ['member', 'both', 'admin', 'owner']],
      [{ visibility: 'AGENTS', tags: 'insider', team_ids: [team.id] }, ['both', 'admin', 'owner']],
    ];
    for (const [more, readers] of cases) {
      const { id, titles: [title] } = await section(more);
      for (const [name, client] of Object.entries(people)) {
        const sees = readers.includes(name), what = `${name} and ${JSON.stringify(more)}`;
        assert.equal((await client.get(`/sections/${id}`)).status, sees ? 200 : 404, what);
        assert.equal((await client.get(`/locale/fields/${title.id}`)).status, sees ? 200 : 404, what);
        assert.equal((await seen(client, { ids: id })).length, sees ? 1 : 0, what);
      }
      if (!readers.includes('agent')) (await desk.staff.put(`/sections/${id}`, { titles: 'No' })).refused(404, 'RESOURCE_NOT_FOUND');
    }
  });

  test('a section whose last team is deleted stays hidden from other staff', async () => {
    const { desk, owner, section } = world;
    const team = await owner.create('/teams', { title: 'Going' });
    const { id } = await section({ visibility: 'AGENTS', team_ids: [team.id] });
    (await owner.delete(`/teams/${team.id}`)).must(200);
    (await desk.staff.get(`/sections/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.deepEqual((await owner.fetch(`/sections/${id}`)).teams, []);
    (await owner.put(`/sections/${id}`, { team_ids: [] })).must(200);
    (await desk.staff.get(`/sections/${id}`)).must(200);
  });

  test('an agent may hand a section to a team that they are not in', async () => {
    const { desk, team, category } = world;
    const made = await desk.staff.create('/sections', { titles: 'Theirs', category_id: category.id, visibility: 'AGENTS', team_ids: [team.id] });
    assert.deepEqual(made.teams.map((t) => t.id), [team.id]);
    (await desk.staff.get(`/sections/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('an import makes all sections or none, and with partial_import the valid ones', async () => {
    const { desk, owner, team, category, full } = world;
    const bulk = (list, query) => owner.post('/bulk/sections', { sections: list }, { query });
    const good = { titles: titles(['en-us', 'Imported'], ['de', 'Importiert']), category_id: category.id, creator_id: desk.people.agent.id, legacy_id: 'I-1', visibility: 'AGENTS', tags: 'bulk', team_ids: [team.id], descriptions: 'D', article_order_by: 'POPULAR' };
    const bad = [{ category_id: category.id }, { titles: titles(['xx', 'A']), category_id: 9999 }, { titles: 'A', category_id: category.id, creator_id: desk.people.customer.id }, { titles: 'A', category_id: category.id, legacy_id: 'I-1' }];
    const reply = (await bulk([good, ...bad])).must(202);
    assert.deepEqual([reply.body.resource, reply.data.resource_type, reply.data.status], ['job', 'bulk_job', 'PENDING']);
    const failed = await desk.job(owner, reply.data.id);
    assert.deepEqual([failed.status, failed.total, failed.inserted, failed.rejected], ['FAILED', 5, 0, 4]);
    assert.deepEqual(failed.errors.map((e) => [e.code, e.pointer]), [
      ['FIELD_REQUIRED', 'sections/1/titles'], ['FIELD_INVALID', 'sections/2/titles/0/locale'], ['FIELD_INVALID', 'sections/2/category_id'],
      ['FIELD_INVALID', 'sections/3/creator_id'], ['FIELD_DUPLICATE', 'sections/4/legacy_id'],
    ]);
    assert.deepEqual(failed.errors[0].record, bad[0]);
    assert.deepEqual((await owner.get('/sections', { legacy_ids: 'I-1' })).ids, []);
    const partial = await desk.job(owner, (await bulk([good, ...bad], { partial_import: true })).must(202).data.id);
    assert.deepEqual([partial.status, partial.inserted, partial.rejected], ['COMPLETED', 1, 4]);
    const [{ id }] = await owner.fetch('/sections', { legacy_ids: 'I-1' });
    const made = await full(`/sections/${id}`);
    assert.deepEqual([made.agent.id, made.visibility, made.article_order_by, made.tags[0].name, made.teams[0].id], [desk.people.agent.id, 'AGENTS', 'POPULAR', 'bulk', team.id]);
    assert.deepEqual([words(made.titles), made.descriptions[0].translation], [[['en-us', 'Imported'], ['de', 'Importiert']], 'D']);
    (await bulk([])).refused(400, 'FIELD_EMPTY', 'sections');
    (await owner.post('/bulk/sections', {})).refused(400, 'FIELD_REQUIRED', 'sections');
    (await bulk(Array.from({ length: 201 }, () => good))).refused(400, 'FIELD_INVALID', 'sections');
  });

  test('an import survives a crash and runs once', async () => {
    const { desk, owner, category } = world;
    const list = Array.from({ length: 200 }, (_, i) => ({ titles: `Crash ${i}`, category_id: category.id, legacy_id: `K-${i}` }));
    const { id } = (await owner.post('/bulk/sections', { sections: list })).must(202).data;
    await desk.kill();
    await desk.start();
    const job = await desk.job(owner, id);
    assert.deepEqual([job.status, job.inserted], ['COMPLETED', 200]);
    assert.equal((await owner.get('/sections', { legacy_ids: list.map((s) => s.legacy_id).join(), limit: 1 })).body.total_count, 200);
  });

  test('a deleted section or category takes its articles along, and nothing is left of them', async () => {
    const { desk, owner } = world;
    const { id: category_id } = await owner.create('/categories', { titles: 'Doomed' });
    const sections = [];
    for (const title of ['One', 'Two', 'Three']) sections.push(await owner.create('/sections', { titles: title, descriptions: 'D', category_id, visibility: 'AUTHORIZED', tags: 'doomed' }));
    const insert = (text) => sql(desk, text).trim().split('\n').map(Number);
    const articles = insert(`INSERT INTO articles (uuid, section_id, status, author_id, is_featured, allow_comments, published_at, created_at, updated_at) VALUES ${
      sections.flatMap((s) => [0, 1, 2].map((i) => `('${s.id}-${i}', ${s.id}, 3, ${desk.people.owner.id}, 0, 1, 1, 1, 1)`)).join()} RETURNING id`);
    const each = (rows) => articles.flatMap((id) => rows.map((row) => `(${id}, ${row})`)).join();
    const comments = insert(`INSERT INTO article_comments (article_id, user_id, contents, is_html, status, created_at, updated_at) VALUES ${each([`${desk.people.customer.id}, 'C', 0, 1, 1, 1`])} RETURNING id`);
    const replies = insert(`INSERT INTO article_comments (article_id, parent_id, user_id, contents, is_html, status, created_at, updated_at) VALUES ${
      articles.map((id, i) => `(${id}, ${comments[i]}, ${desk.people.customer.id}, 'R', 0, 1, 1, 1)`).join()} RETURNING id`);
    insert(`INSERT INTO comment_likes (comment_id, user_id, created_at) VALUES ${replies.map((id) => `(${id}, ${desk.people.agent.id}, 1)`).join()} RETURNING id`);
    insert(`INSERT INTO article_votes (article_id, fingerprint, is_up, created_at) VALUES ${articles.flatMap((id) => Array.from({ length: 300 }, (_, i) => `(${id}, 'f${i}', 1, 1)`)).join()} RETURNING id`);
    insert(`INSERT INTO article_versions (article_id, texts, created_at) VALUES ${each(["'[]', 1"])} RETURNING id`);
    insert(`INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) VALUES ${articles.map((id) => `(11, ${id}, 'en-us', 'T', 1, 1), (12, ${id}, 'en-us', 'C', 1, 1)`).join()} RETURNING id`);
    const [tag] = insert(`SELECT id FROM tags WHERE name = 'doomed'`);
    insert(`INSERT INTO article_tags (article_id, tag_id) VALUES ${each([tag])} RETURNING tag_id`);
    const file = async (name) => (await owner.post('/files', raw('text/plain', name), { query: { _filename: name } })).must(201).data.id;
    const [own, kept] = [await file('own.txt'), await file('kept.txt')];
    await owner.create('/users/' + desk.people.customer.id + '/notes', { contents: 'N', attachment_file_ids: [kept] });
    insert(`INSERT INTO article_attachments (article_id, file_id, sort_order) VALUES ${each([`${own}, 1`, `${kept}, 2`])} RETURNING id`);
    sql(desk, `UPDATE files SET expires_at = NULL WHERE id = ${own}`);
    sql(desk, `UPDATE sections SET total_articles = 3, published_articles = 3 WHERE id IN (${sections.map((s) => s.id).join()})`);
    sql(desk, `UPDATE articles SET total_comments = 2, upvote_count = 300, rank = 3000 WHERE id IN (${articles.join()})`);
    sql(desk, `UPDATE article_comments SET like_count = 1 WHERE id IN (${replies.join()})`);
    assert.doesNotMatch(desk.check().stdout, /section \d|translation \d|file \d/);
    (await owner.delete(`/sections/${sections[0].id}`)).must(200);
    (await owner.get(`/sections/${sections[0].id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.get(`/locale/fields/${sections[0].titles[0].id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.delete(`/categories/${category_id}`)).must(200);
    for (const path of [`/categories/${category_id}`, `/sections/${sections[1].id}`]) (await owner.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.deepEqual((await owner.get('/sections', { category_ids: category_id })).ids, []);
    const ids = articles.join(), of = sections.map((s) => s.id).join();
    const left = () => sql(desk, `SELECT (SELECT COUNT(*) FROM articles WHERE id IN (${ids})) + (SELECT COUNT(*) FROM sections WHERE id IN (${of})) + (SELECT COUNT(*) FROM categories WHERE id = ${category_id}) + (SELECT COUNT(*) FROM article_comments WHERE article_id IN (${ids})) + (SELECT COUNT(*) FROM article_votes WHERE article_id IN (${ids})) + (SELECT COUNT(*) FROM article_tags WHERE article_id IN (${ids})) + (SELECT COUNT(*) FROM section_tags WHERE section_id IN (${of})) + (SELECT COUNT(*) FROM locale_fields WHERE (owner_kind IN (11, 12) AND owner_id IN (${ids})) OR (owner_kind IN (9, 10) AND owner_id IN (${of})) OR (owner_kind IN (7, 8) AND owner_id = ${category_id})) + (SELECT COUNT(*) FROM article_attachments WHERE article_id IN (${ids})) + (SELECT COUNT(*) FROM search_texts WHERE kind = 4 AND owner_id IN (${ids}))`);
    assert.ok(Number(left()) > 0); // more rows than one write deletes
    await until('the rows are gone', async () => {
      await desk.clock.forward(1);
      return Number(left()) === 0;
    });
    assert.equal(sql(desk, `SELECT id FROM files WHERE id IN (${own}, ${kept}) AND expires_at IS NULL`).trim(), String(kept));
    (await owner.delete('/sections', { ids: `${sections[1].id},9999` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/0');
  });

  test('a slug shows letters of any script, and no invisible ones', async () => {
    const { owner, section } = world;
    const slug = async (title) => (await section({ titles: title })).slugs[0].translation.replace(/^\d+/, '');
    for (const [title, wanted] of [
      ['Don’t panic!', '-dont-panic'], ['  --  ', ''], ['reorder', '-reorder'], ['日本語 の 題', '-日本語-の-題'], ['a\u202eb', '-ab'], ['हिन्दी', '-हिन्दी'],
      ['../../etc/passwd', '-etc-passwd'], ['İstanbul', '-istanbul'], ['100% ½', '-100-1-2'], ['x'.repeat(200), `-${'x'.repeat(80)}`],
      ['It\'s A_B-c  "10"%', '-its-a-b-c-10'], ['Z '.repeat(100), '-z'.repeat(80)], [`${'Z '.repeat(100)}é`, '-z'.repeat(80)],
    ]) assert.equal(await slug(title), wanted, title);
    assert.notEqual((await section({ titles: 'Same' })).slugs[0].translation, (await section({ titles: 'Same' })).slugs[0].translation);
    assert.ok(owner);
  });

  test('check finds nothing wrong', async () => {
    const { status, stdout, stderr } = world.desk.check();
    assert.equal(status, 0, stdout + stderr);
  });
});

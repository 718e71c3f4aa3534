import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { form, json, multipart, open, raw, shared } from './lib/index.mjs';

const KINDS = ['TEXT', 'TEXTAREA', 'CHECKBOX', 'RADIO', 'SELECT', 'DATE', 'FILE', 'NUMERIC', 'DECIMAL', 'YESNO', 'CASCADINGSELECT', 'REGEX'];
const AREAS = [['cases', 'case_field', 'case_fields.manage'], ['users', 'user_field', 'user_fields.manage'], ['organizations', 'organization_field', 'organizations_fields.manage']];
const MEMBERS = ['id', 'fielduuid', 'type', 'key', 'titles', 'title', 'customer_titles', 'descriptions', 'options', 'is_required_for_agents', 'is_required_on_resolution', 'is_visible_to_customers',
  'is_customer_editable', 'is_required_for_customers', 'regular_expression', 'sort_order', 'is_enabled', 'is_system', 'created_at', 'updated_at', 'resource_type', 'resource_url'];
/** The fields that a desk made, without the fields of a new desk. */
const own = (reply) => reply.must(200).data.filter((f) => !f.is_system).map((f) => f.id);
const titles = (text, locale = 'en-us') => [{ locale, translation: text }];

describe('the three areas of custom fields', () => {
  const world = shared();

  for (const [area, type, permission] of AREAS) {
    const path = `/${area}/fields`;

    test(`${type}: fields are created, read, listed, changed, ordered and deleted`, async () => {
      const { owner } = world.desk;
      const a = await owner.create(path, { type: 'TEXT', titles: titles('Plan size') });
      assert.deepEqual(Object.keys(a), MEMBERS);
      assert.deepEqual([a.resource_type, a.key, a.title, a.sort_order, a.is_enabled, a.options], [type, 'plan_size', 'Plan size', 1, true, []]);
      assert.equal(a.resource_url, `${world.desk.base}/api/v1/${area}/fields/${a.id}`);
      assert.deepEqual(await owner.fetch(`${path}/${a.id}`), a);
      const b = await owner.create(path, { type: 'SELECT', title: 'Plan size', options: ['Small', 'Large'] });
      assert.deepEqual([b.key, b.sort_order, b.options.length], ['plan_size_2', 2, 2]);
      assert.deepEqual(own(await owner.get(path)), [a.id, b.id]);
      (await owner.put(`${path}/reorder`, { [`${type}_ids`]: [b.id, a.id] })).must(200);
      assert.deepEqual(own(await owner.get(path)), [b.id, a.id]);
      (await owner.put(`${path}/reorder`, { [`${type}_ids`]: [b.id, 9999] })).refused(400, 'FIELD_INVALID', `${type}_ids/1`);
      assert.equal((await owner.update(`${path}/${a.id}`, { title: 'Size' })).title, 'Size');
      assert.equal((await owner.delete(path, { ids: `${a.id},${b.id}` })).must(200).body.total_count, 2);
      (await owner.get(`${path}/${a.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      const [option] = b.options;
      assert.equal(option.resource_type, 'field_option');
    });

    test(`${type}: agents read enabled fields, and admins write with the permission ${permission}`, async () => {
      const { desk } = world;
      const { owner, staff, customer, admin } = desk;
      const on = await admin.create(path, { type: 'TEXT', title: 'On' });
      const off = await admin.create(path, { type: 'TEXT', title: 'Off', is_enabled: false });
      assert.deepEqual(own(await staff.get(path)), [on.id]);
      assert.deepEqual(own(await desk.as('collaborator').get(path)), [on.id]);
      assert.deepEqual(own(await admin.get(path)), [on.id, off.id]);
      (await staff.get(`${path}/${off.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      (await customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
      (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
      (await staff.post(path, { type: 'TEXT', title: 'No' })).refused(403, 'PERMISSIONS_DENIED');
      const role = await owner.create('/roles', { title: `No ${type}`, type: 'ADMIN' });
      (await owner.put(`/roles/${role.id}/permissions`, { [permission]: 0 })).must(200);
      const { client } = await desk.person('admin', { role_id: role.id });
      (await client.post(path, { type: 'TEXT', title: 'No' })).refused(403, 'PERMISSIONS_DENIED');
      (await client.get(path)).must(200);
      for (const other of AREAS.filter(([name]) => name !== area)) {
        (await owner.get(`/${other[0]}/fields/${on.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      }
      (await owner.delete(path, { ids: [on.id, off.id].join() })).must(200);
    });
  }

  for (const type of KINDS) {
    test(`a field of type ${type} can be created`, async () => {
      const made = await world.desk.owner.create('/users/fields', { type, title: type, ...(type === 'REGEX' && { regular_expression: '^a+$' }) });
      assert.deepEqual([made.type, made.regular_expression], [type, type === 'REGEX' ? '^a+$' : null]);
      (await world.desk.owner.delete(`/users/fields/${made.id}`)).must(200);
    });
  }
});

test('titles are translations: references with an address, replaced by a given list', async (t) => {
  const { owner, staff, customer, anyone } = await open(t);
  const field = await owner.create('/users/fields', { type: 'TEXT', titles: [...titles('Größe', 'de'), ...titles('Size')], is_visible_to_customers: true });
  assert.deepEqual([field.title, field.key], ['Size', 'grosse']);
  assert.deepEqual(field.titles.map((x) => x.resource_type), ['locale_field', 'locale_field']);
  const german = await staff.fetch(`/locale/fields/${field.titles[0].id}`);
  assert.deepEqual([german.locale, german.translation], ['de', 'Größe']);
  assert.ok(german.resource_url.endsWith(`/api/v1/locale/fields/${german.id}`));
  (await customer.get(`/locale/fields/${german.id}`)).must(200);
  const path = `/users/fields/${field.id}`;
  const changed = await owner.update(path, { titles: titles('Grösse', 'DE') });
  assert.deepEqual([changed.title, changed.titles.map((x) => x.id)], ['Grösse', [german.id]]);
  assert.equal((await owner.update(path, { title: 'Size' })).titles.length, 2);
  const both = await owner.update(path, { title: 'Size', titles: titles('Grösse', 'de') });
  assert.deepEqual([both.title, both.titles.length], ['Size', 2], 'the plain title is the translation in the default language');
  await owner.update(path, { is_visible_to_customers: false });
  (await anyone.get(`/locale/fields/${german.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await customer.get(`/locale/fields/${german.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await staff.get(`/locale/fields/${german.id}`)).must(200);
  await owner.update(path, { is_enabled: false });
  (await staff.get(`/locale/fields/${german.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await owner.delete(path)).must(200);
  (await owner.get(`/locale/fields/${german.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('options have ids, titles and an order; a given list replaces them and keeps those it names', async (t) => {
  const { owner } = await open(t);
  const field = await owner.create('/organizations/fields', { type: 'SELECT', title: 'Plan', options: [{ titles: titles('Gold') }, { title: 'Tin' }, 'Lead'] });
  const path = `/organizations/fields/${field.id}`;
  const shown = async () => (await owner.fetch(path, { include: 'field_option' })).options;
  const [gold, tin, lead] = await shown();
  assert.deepEqual([gold.title, tin.title, lead.title], ['Gold', 'Tin', 'Lead']);
  assert.deepEqual([gold.sort_order, tin.sort_order], [1, 2]);
  await owner.update(path, { options: [{ id: lead.id }, { id: gold.id, titles: [...titles('Or', 'fr'), ...titles('Gold')] }, { title: 'Silver', sort_order: 1 }] });
  const after = await shown();
  assert.deepEqual(after.map((o) => o.title), ['Lead', 'Silver', 'Gold']);
  assert.deepEqual([after[0].id, after[2].id], [lead.id, gold.id]);
  assert.deepEqual(after[2].titles.length, 2);
  (await owner.get(`/locale/fields/${tin.titles[0].id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual((await owner.update(path, { options: [] })).options, []);
  assert.deepEqual((await owner.update(path, { options: 'A, B' })).options.length, 2);
});

test('a thousand options are created and read in one request, and too many are refused', async (t) => {
  const { owner } = await open(t);
  const many = (n) => Array.from({ length: n }, (_, i) => `Option ${i}`);
  const field = await owner.create('/users/fields', { type: 'CHECKBOX', title: 'Many', options: many(1000) });
  assert.equal(field.options.length, 1000);
  const full = await owner.fetch(`/users/fields/${field.id}`, { include: '*' });
  assert.equal(full.options[999].titles[0].translation, 'Option 999');
  (await owner.post('/users/fields', { type: 'CHECKBOX', title: 'Many', options: many(2001) })).refused(400, 'FIELD_INVALID', 'options');
  const all = full.options.map((o) => o.id).join();
  const user = await owner.create('/users', { full_name: 'All', email: 'all@x.example', field_values: { many: all } });
  assert.equal(user.custom_fields[0].value, all);
});

describe('bad definitions are refused with the name of the member', () => {
  const world = shared(async (w) => {
    w.field = await w.desk.owner.create('/users/fields', { type: 'SELECT', title: 'Plan', key: 'plan', options: ['Gold'] });
    w.other = await w.desk.owner.create('/users/fields', { type: 'SELECT', title: 'Other', options: ['Tin'] });
  });
  const good = { type: 'TEXT', title: 'T' };

  for (const [what, body, code, ...where] of [
    ['nothing', {}, 'FIELD_REQUIRED', 'type'],
    ['no title', { type: 'TEXT' }, 'ANY_FIELD_REQUIRED', 'titles', 'title'],
    ['an unknown type', { ...good, type: 'COLOUR' }, 'FIELD_INVALID', 'type'],
    ['a blank title', { type: 'TEXT', title: ' ' }, 'ANY_FIELD_REQUIRED', 'titles', 'title'],
    ['a title too long', { type: 'TEXT', title: 'x'.repeat(256) }, 'FIELD_INVALID', 'title'],
    ['a title with control characters', { type: 'TEXT', title: 'a\u0007b' }, 'FIELD_INVALID', 'title'],
    ['no list of titles', { type: 'TEXT', titles: { locale: 'de' } }, 'FIELD_INVALID', 'titles'],
    ['an empty list of titles', { type: 'TEXT', titles: [] }, 'FIELD_EMPTY', 'titles'],
    ['titles that are no objects', { type: 'TEXT', titles: ['Plan'] }, 'FIELD_INVALID', 'titles/0'],
    ['an unknown locale', { type: 'TEXT', titles: [...titles('A'), ...titles('B', 'xx')] }, 'FIELD_INVALID', 'titles/1/locale'],
    ['a repeated locale', { type: 'TEXT', titles: [...titles('A'), ...titles('B', 'en_US')] }, 'FIELD_DUPLICATE', 'titles/1/locale'],
    ['an empty translation', { type: 'TEXT', titles: titles(' ') }, 'FIELD_EMPTY', 'titles/0/translation'],
    ['a translation with a line break', { type: 'TEXT', titles: titles('a\nb') }, 'FIELD_INVALID', 'titles/0/translation'],
    ['a key in use', { ...good, key: 'plan' }, 'FIELD_DUPLICATE', 'key'],
    ['a key with spaces', { ...good, key: 'a b' }, 'FIELD_INVALID', 'key'],
    ['a key of digits', { ...good, key: '42' }, 'FIELD_INVALID', 'key'],
    ['a key with a bracket', { ...good, key: 'a[b]' }, 'FIELD_INVALID', 'key'],
    ['a key with U+0000', { ...good, key: 'a\u0000b' }, 'FIELD_INVALID', 'key'],
    ['a key too long', { ...good, key: 'k'.repeat(65) }, 'FIELD_INVALID', 'key'],
    ['a missing regular expression', { ...good, type: 'REGEX' }, 'FIELD_REQUIRED', 'regular_expression'],
    ['a bad regular expression', { ...good, type: 'REGEX', regular_expression: '(' }, 'FIELD_INVALID', 'regular_expression'],
    ['a regular expression that is too large', { ...good, type: 'REGEX', regular_expression: '((a{1,999}){1,999}){1,999}' }, 'FIELD_INVALID', 'regular_expression'],
    ['a regular expression that is too long', { ...good, type: 'REGEX', regular_expression: 'a'.repeat(1001) }, 'FIELD_INVALID', 'regular_expression'],
    ['a regular expression with too many brackets', { ...good, type: 'REGEX', regular_expression: '('.repeat(60) + ')'.repeat(60) }, 'FIELD_INVALID', 'regular_expression'],
    ['an option without a title', { ...good, type: 'SELECT', options: [{ sort_order: 1 }] }, 'FIELD_REQUIRED', 'options/0/titles'],
    ['an option that is a number', { ...good, type: 'SELECT', options: [7] }, 'FIELD_INVALID', 'options/0'],
    ['an option with an empty title', { ...good, type: 'SELECT', options: ['A', { title: '' }] }, 'FIELD_EMPTY', 'options/1/title'],
    ['an option with an id', { ...good, type: 'SELECT', options: [{ id: 1, title: 'A' }] }, 'FIELD_INVALID', 'options/0/id'],
    ['an invalid sort_order', { ...good, sort_order: -1 }, 'FIELD_INVALID', 'sort_order'],
    ['an invalid boolean', { ...good, is_enabled: 'perhaps' }, 'FIELD_INVALID', 'is_enabled'],
  ]) {
    test(`${what}: ${code}`, async () => {
      (await world.desk.owner.post('/users/fields', body)).refused(400, code, ...where);
      assert.equal((await world.desk.owner.get('/users/fields')).body.total_count, 2, 'no field was created');
    });
  }

  test('options of another field are refused, and all problems are reported at once', async () => {
    const { owner } = world.desk;
    const foreign = { options: [{ id: world.other.options[0].id }, { title: '' }], sort_order: 'x' };
    const { body } = (await owner.put(`/users/fields/${world.field.id}`, foreign)).must(400);
    assert.deepEqual(body.errors.map((e) => e.pointer ?? e.parameter).sort(), ['options/0/id', 'options/1/title', 'sort_order']);
    const twice = [{ id: world.field.options[0].id }, { id: world.field.options[0].id }];
    (await owner.put(`/users/fields/${world.field.id}`, { options: twice })).refused(400, 'PARAMETERS_INCONSISTENT', 'options');
  });

  test('invalid UTF-8 is refused in every body format', async () => {
    const { owner } = world.desk;
    (await owner.post('/users/fields', raw('application/json', Buffer.from('7b2274797065223a2254455854222c227469746c65223a22ff227d', 'hex')))).refused(400, 'BODY_INVALID');
    (await owner.post('/users/fields', raw('application/x-www-form-urlencoded', 'type=TEXT&title=%ff'))).refused(400, 'BODY_INVALID');
  });
});

test('a key can\'t change, and options or patterns of other types are ignored with a notice', async (t) => {
  const { owner } = await open(t);
  const made = (await owner.post('/users/fields', { type: 'TEXT', title: 'T', options: ['A'], regular_expression: 'a' })).must(201);
  assert.deepEqual([made.data.options, made.data.regular_expression, made.body.logs.length], [[], null, 2]);
  const changed = (await owner.put(`/users/fields/${made.data.id}`, { key: 'other', is_enabled: 'false' })).must(200);
  assert.deepEqual([changed.data.key, changed.data.is_enabled], ['t', false]);
  assert.ok(changed.body.logs.some(({ message }) => message.includes('key')));
});

test('a field with values keeps its type and its used options', async (t) => {
  const { owner } = await open(t);
  const plan = await owner.create('/users/fields', { type: 'SELECT', title: 'Plan', options: ['Gold', 'Tin'] });
  const likes = await owner.create('/users/fields', { type: 'CHECKBOX', title: 'Likes', options: ['Tea', 'Cake', 'Rain'] });
  const [gold, tin] = plan.options.map((o) => o.id);
  const [tea, cake, rain] = likes.options.map((o) => o.id);
  const user = await owner.create('/users', { full_name: 'U', email: 'u@x.example', field_values: { plan: gold, likes: [cake, tea] } });
  const at = `/users/fields/${plan.id}`;
  (await owner.put(at, { type: 'TEXT' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'type');
  (await owner.put(at, { options: [{ id: tin }] })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'options');
  (await owner.put(at, { type: 'SELECT', options: [{ id: gold }] })).must(200);
  (await owner.put(`/users/fields/${likes.id}`, { options: [{ id: tea }, { id: rain }] })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'options');
  (await owner.put(`/users/fields/${likes.id}`, { options: [{ id: tea }, { id: cake }] })).must(200);
  await owner.update(`/users/${user.id}`, { field_values: { plan: null } });
  const text = await owner.update(at, { type: 'TEXT' });
  assert.deepEqual([text.type, text.options], ['TEXT', []]);
  (await owner.delete(`/users/fields/${likes.id}`)).must(200);
  assert.deepEqual((await owner.fetch(`/users/${user.id}`)).custom_fields.map((v) => [v.field.id, v.value]), [[plan.id, '']]);
});

test('an option is in use at any place of a multiple choice', async (t) => {
  const { owner } = await open(t);
  for (const [path, thing] of [['/users', { full_name: 'U', phone: '+49 30 1234567' }], ['/organizations', { name: 'O' }]]) {
    const field = await owner.create(`${path}/fields`, { type: 'CHECKBOX', title: 'Many', options: Array.from({ length: 100 }, (_, i) => `Option ${i}`) });
    const ids = field.options.map((o) => o.id), [last] = ids.splice(-1), unused = ids.pop();
    const without = (gone) => owner.put(`${path}/fields/${field.id}`, { options: [...ids, last, unused].filter((id) => id !== gone).map((id) => ({ id })) });
    const chosen = async (value, more) => owner.create(path, { ...thing, ...more, field_values: { many: value } });
    await chosen([ids[0]]);
    await chosen([...ids, last], path === '/users' ? { phone: '+49 30 7654321' } : {}); // more than the prefix that predicates compare
    (await without(last)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'options');
    (await without(ids[0])).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'options');
    (await without(unused)).must(200);
  }
});

test('definitions are accepted as JSON, nested form names and multipart', async (t) => {
  const { owner } = await open(t);
  const body = { type: 'SELECT', titles: titles('Plan'), options: [{ titles: titles('Gold') }, { titles: titles('Tin') }], is_visible_to_customers: true };
  for (const as of [json, form, multipart]) {
    const made = await owner.create('/cases/fields', as(body));
    assert.deepEqual([made.title, made.options.length, made.is_visible_to_customers], ['Plan', 2, true]);
    const { options } = await owner.update(`/cases/fields/${made.id}`, as({ options: [{ id: made.options[1].id, titles: titles('Zinc') }] }));
    assert.deepEqual(options.map((o) => o.id), [made.options[1].id]);
  }
});

test('deleted fields and options leave no translations behind', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const made = await owner.create('/cases/fields', { type: 'SELECT', titles: [...titles('A'), ...titles('B', 'de')], options: ['C', 'D'] });
  const kept = await owner.create('/cases/fields', { type: 'SELECT', title: 'E', options: ['F', 'G'] });
  (await owner.delete(`/cases/fields/${made.id}`)).must(200);
  await owner.update(`/cases/fields/${kept.id}`, { options: [{ id: kept.options[1].id }, 'H'] });
  await owner.update(`/cases/fields/${kept.id}`, { type: 'TEXT' });
  const { status, stdout } = desk.check();
  assert.equal(status, 0, stdout);
});

test('lists of fields and of locales are complete, whatever limit is given', async (t) => {
  const { owner, anyone } = await open(t);
  for (let i = 0; i < 12; i++) await owner.create('/users/fields', { type: 'TEXT', title: `F ${i}` });
  for (const [client, path, count] of [[owner, '/users/fields', 12], [owner, '/cases/fields', 7], [owner, '/organizations/fields', 0], [anyone, '/locales', 12]]) {
    const { body } = (await client.get(path, { limit: 3, offset: 2 })).must(200);
    assert.deepEqual([body.data.length, body.total_count, 'limit' in body, 'offset' in body, 'next_url' in body], [count, count, false, false, false], path);
  }
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('a field has a unique fielduuid, and its options show it', async (t) => {
  const desk = await open(t);
  const fields = [];
  for (const [area] of AREAS) fields.push(await desk.owner.create(`/${area}/fields`, { type: 'SELECT', title: 'Plan', options: ['Gold', 'Tin'] }));
  for (const { fielduuid } of fields) assert.match(fielduuid, UUID);
  assert.equal(new Set(fields.map((f) => f.fielduuid)).size, AREAS.length);
  await desk.restart();
  for (const [i, [area]] of AREAS.entries()) {
    const field = await desk.owner.fetch(`/${area}/fields/${fields[i].id}`, { include: 'field_option' });
    assert.deepEqual([field.fielduuid, ...field.options.map((o) => o.fielduuid)], Array(3).fill(fields[i].fielduuid));
  }
});

describe('options in the form that clients use', () => {
  const world = shared(async (w) => {
    w.field = await w.desk.owner.create('/users/fields', { type: 'SELECT', title: 'Plan', is_visible_to_customers: true,
      options: [{ values: [...titles('Gold'), ...titles('Or', 'fr')], tag: ' vip ', sort_order: 2 }, { values: titles('Tin'), sort_order: 1 }] });
    w.path = `/users/fields/${w.field.id}`;
    w.shown = async () => (await w.desk.owner.fetch(w.path, { include: 'field_option,locale_field' })).options;
  });

  test('an option shows fielduuid, values, tag, sort_order and address', async () => {
    const [tin, gold] = await world.shown();
    assert.deepEqual(Object.keys(gold), ['id', 'fielduuid', 'values', 'tag', 'sort_order', 'title', 'titles', 'created_at', 'updated_at', 'resource_type', 'resource_url']);
    assert.deepEqual([gold.tag, gold.sort_order, tin.tag, tin.sort_order], ['vip', 2, null, 1]);
    assert.deepEqual(gold.values.map((v) => [v.locale, v.translation, v.resource_type]), [['en-us', 'Gold', 'locale_field'], ['fr', 'Or', 'locale_field']]);
    assert.equal(gold.resource_url, `${world.desk.base}/api/v1/base/field/option/${gold.id}`);
  });

  test('the address of an option answers callers who see its field', async () => {
    const { desk, field } = world;
    const hidden = await desk.owner.create('/users/fields', { type: 'SELECT', title: 'Hidden', options: ['A'] });
    const off = await desk.owner.create('/organizations/fields', { type: 'SELECT', title: 'Off', options: ['A'], is_enabled: false });
    const at = (f) => `/base/field/option/${f.options[0].id}`;
    for (const role of ['owner', 'admin', 'agent', 'collaborator', 'customer']) {
      assert.equal((await desk.as(role).fetch(at(field))).id, field.options[0].id, role);
      const [sees, manages] = [role !== 'customer', role === 'owner' || role === 'admin'];
      for (const [f, may] of [[hidden, sees], [off, manages]]) {
        const reply = await desk.as(role).get(at(f));
        if (may) reply.must(200);
        else reply.refused(404, 'RESOURCE_NOT_FOUND');
      }
    }
    (await desk.anyone.get(at(field))).refused(401, 'AUTHORIZATION_REQUIRED');
    (await desk.owner.get('/base/field/option/999999')).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.owner.delete(`/users/fields/${hidden.id}`)).must(200);
    (await desk.owner.get(at(hidden))).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('a PUT of what GET returned, with references or in full, changes nothing', async () => {
    const { desk: { owner }, path, shown } = world;
    const before = await shown();
    for (const include of [undefined, 'field_option', 'field_option,locale_field']) {
      const field = await owner.fetch(path, include ? { include } : {});
      await owner.update(path, field);
      assert.deepEqual(await shown(), before, include);
    }
  });

  test('a reference keeps its translation and others are deleted; a tag is changed and cleared', async () => {
    const { desk: { owner }, path, shown } = world;
    const [tin, gold] = await shown();
    await owner.update(path, { options: [{ id: tin.id, tag: 'cheap' }, { id: gold.id, tag: null, values: [{ id: gold.values[1].id, resource_type: 'locale_field' }, ...titles('Gold', 'de')] }] });
    const after = await shown();
    assert.deepEqual(after.map((o) => [o.id, o.tag]), [[tin.id, 'cheap'], [gold.id, null]]);
    assert.deepEqual(after[1].values.map((v) => [v.locale, v.translation]), [['fr', 'Or'], ['de', 'Gold']]);
    assert.equal(after[1].values[0].id, gold.values[1].id);
    await owner.update(path, { options: [{ id: gold.id }, { id: tin.id }] });
    assert.deepEqual((await shown()).map((o) => [o.id, o.tag]), [[gold.id, null], [tin.id, 'cheap']], 'an omitted tag stays unchanged');
  });

  test("a foreign translation, a reference in a new option and a bad tag are refused by their place", async () => {
    const { desk: { owner }, path, shown, field } = world;
    const before = await shown();
    const [one, two] = before;
    const foreign = { id: two.values[0].id, resource_type: 'locale_field' };
    (await owner.put(path, { options: [{ id: one.id, values: [foreign] }, { id: two.id, tag: ['x'] }, { values: [foreign] }, { values: titles('A'), tag: 'a\nb' }], titles: [foreign] }))
      .refused(400, 'FIELD_INVALID', 'options/0/values/0/id', 'options/1/tag', 'options/2/values/0/id', 'options/3/tag', 'titles/0/id');
    (await owner.post('/users/fields', { type: 'TEXT', titles: [{ id: field.titles[0].id }] })).refused(400, 'FIELD_INVALID', 'titles/0/id');
    assert.deepEqual(await shown(), before);
  });
});

test('customer titles and descriptions are separate translations', async (t) => {
  const { owner, customer, staff, check } = await open(t);
  const long = `First line.\n${'x'.repeat(1000)}`;
  const field = await owner.create('/users/fields', { type: 'TEXT', title: 'Plan', customer_titles: [...titles('Your plan'), ...titles('Ihr Tarif', 'de')], descriptions: titles(long), is_visible_to_customers: true });
  const path = `/users/fields/${field.id}`;
  const said = async () => {
    const shown = await owner.fetch(path, { include: 'locale_field' });
    return ['titles', 'customer_titles', 'descriptions'].map((name) => shown[name].map((x) => x.translation));
  };
  assert.deepEqual(await said(), [['Plan'], ['Your plan', 'Ihr Tarif'], [long]]);
  for (const { id } of [...field.customer_titles, ...field.descriptions]) {
    assert.ok((await customer.fetch(`/locale/fields/${id}`)).translation);
    assert.ok((await staff.fetch(`/locale/fields/${id}`)).resource_url.endsWith(`/locale/fields/${id}`));
  }
  await owner.update(path, { customer_titles: titles('Plan of yours') });
  assert.deepEqual(await said(), [['Plan'], ['Plan of yours'], [long]]);
  await owner.update(path, { customer_titles: [], descriptions: null });
  assert.deepEqual(await said(), [['Plan'], [], []]);
  const gone = (await owner.update(path, { descriptions: titles('D'), customer_titles: titles('C') }));
  await owner.update(path, { is_visible_to_customers: false });
  for (const { id } of [...gone.customer_titles, ...gone.descriptions]) (await customer.get(`/locale/fields/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await owner.delete(path)).must(200);
  for (const { id } of [...gone.customer_titles, ...gone.descriptions]) (await owner.get(`/locale/fields/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  const bad = { type: 'TEXT', title: 'T', customer_titles: titles('a\nb'), descriptions: [...titles('A'), ...titles('B', 'xx'), ...titles(' ', 'de')] };
  (await owner.post('/users/fields', bad)).refused(400, 'FIELD_INVALID', 'customer_titles/0/translation', 'descriptions/1/locale').refused(400, 'FIELD_EMPTY', 'descriptions/2/translation');
});

describe('the system fields of conversations', () => {
  const world = shared(async (w) => {
    w.system = (await w.desk.owner.fetch('/cases/fields')).filter((f) => f.is_system);
    w.of = Object.fromEntries(w.system.map((f) => [f.key, f]));
  });

  test('there are seven system fields, listed first', async () => {
    const { owner, staff } = world.desk;
    assert.deepEqual(world.system.map((f) => [f.key, f.type, f.title]), [['subject', 'SUBJECT', 'Subject'], ['requester', 'REQUESTER', 'Requester'], ['team', 'TEAM', 'Team'],
      ['agent', 'ASSIGNEE', 'Agent'], ['status', 'STATUS', 'Status'], ['type', 'TYPE', 'Type'], ['priority', 'PRIORITY', 'Priority']]);
    for (const f of world.system) {
      assert.deepEqual([f.resource_type, f.is_enabled, f.options, f.customer_titles.length], ['case_field', true, [], 0]);
      assert.match(f.fielduuid, UUID);
      assert.ok(Date.parse(f.created_at) > Date.parse('2020-01-01'), f.created_at);
    }
    const mine = await owner.create('/cases/fields', { type: 'TEXT', title: 'Subject', sort_order: 0 });
    assert.deepEqual([mine.key, mine.is_system], ['subject_2', false]);
    assert.deepEqual((await staff.get('/cases/fields')).ids, [...world.system.map((f) => f.id), mine.id]);
    (await owner.put('/cases/fields/reorder', { case_field_ids: [mine.id, world.of.priority.id] })).must(200);
    assert.deepEqual((await staff.fetch('/cases/fields')).map((f) => f.key), ['priority', 'subject', 'requester', 'team', 'agent', 'status', 'type', 'subject_2']);
    for (const area of ['users', 'organizations']) assert.ok((await owner.fetch(`/${area}/fields`)).every((f) => !f.is_system), area);
    (await owner.delete(`/cases/fields/${mine.id}`)).must(200);
  });

  test('system fields can\'t be deleted, alone or with others', async () => {
    const { owner } = world.desk;
    const mine = await owner.create('/cases/fields', { type: 'TEXT', title: 'Mine' });
    for (const { id } of world.system) (await owner.delete(`/cases/fields/${id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await owner.delete('/cases/fields', { ids: `${mine.id},${world.of.team.id}` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids/1');
    assert.equal((await owner.fetch('/cases/fields')).length, 8);
    (await owner.delete(`/cases/fields/${mine.id}`)).must(200);
  });

  test('titles and descriptions may change, other members are ignored with a notice', async () => {
    const { owner } = world.desk;
    const path = `/cases/fields/${world.of.subject.id}`;
    const reply = (await owner.put(path, { title: 'Topic', descriptions: titles('In a few words.'), type: 'TEXT', key: 'topic', is_enabled: false, options: ['A'], is_required_for_customers: false,
      is_visible_to_customers: false, is_system: false })).must(200).notes('type', 'is_enabled', 'options', 'is_required_for_customers', 'is_visible_to_customers');
    const { title, type, key, is_enabled: enabled, is_system: system, is_visible_to_customers: visible, descriptions } = reply.data;
    assert.deepEqual([title, type, key, enabled, system, visible, descriptions.length], ['Topic', 'SUBJECT', 'subject', true, true, true, 1]);
  });

  test('no field of a system type, or with a system key, can be created', async () => {
    const { owner } = world.desk;
    for (const type of ['SUBJECT', 'ASSIGNEE', 'PRIORITY']) (await owner.post('/cases/fields', { type, title: 'X' })).refused(400, 'FIELD_INVALID', 'type');
    (await owner.post('/cases/fields', { type: 'TEXT', title: 'X', key: 'status' })).refused(400, 'FIELD_DUPLICATE', 'key');
  });

  test('visibility and editability follow the settings, and a change of either changes both', async () => {
    const { desk: { owner, admin, customer }, of } = world;
    const flags = async (key) => {
      const { is_visible_to_customers: visible, is_customer_editable: editable } = await owner.fetch(`/cases/fields/${of[key].id}`);
      return [visible, editable];
    };
    assert.deepEqual([await flags('status'), await flags('type'), await flags('priority'), await flags('subject')], [[true, false], [false, false], [false, false], [true, false]]);
    const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
    const { etag } = await owner.get(`/cases/fields/${of.priority.id}`);
    (await owner.put('/settings', { values: { 'cases.priority_visible_to_customers': true, 'cases.subject_customer_editable': true } })).must(200);
    assert.deepEqual([await flags('priority'), await flags('subject')], [[true, false], [true, true]]);
    (await owner.get(`/cases/fields/${of.priority.id}`, {}, { 'If-None-Match': etag })).must(200);
    (await admin.put(`/cases/fields/${of.status.id}`, { is_visible_to_customers: false })).must(200);
    assert.equal((await customer.fetch(`/conversations/${id}`)).status, null);
    const setting = (await owner.fetch('/settings', { category: 'cases' })).find((s) => s.name === 'status_visible_to_customers');
    assert.equal(setting.value, '0');
  });
});

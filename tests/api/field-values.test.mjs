import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { form, json, multipart, open, raw, shared } from './lib/index.mjs';

/** The fields with a value. Fields without a value have an empty text. */
const set = (list) => list.filter(({ value }) => value !== '');
const bare = (list) => Object.fromEntries(set(list).map(({ field, value }) => [field.id, value]));

/** A desk with a field of each type for people; `of` has them by key. */
async function world(t, more = {}) {
  const desk = await open(t);
  const of = {};
  const make = async (key, type, extra = {}) => {
    of[key] = await desk.owner.create('/users/fields', { key, type, title: key, ...extra });
  };
  for (const [key, type] of [['text', 'TEXT'], ['area', 'TEXTAREA'], ['day', 'DATE'], ['file', 'FILE'], ['number', 'NUMERIC'], ['decimal', 'DECIMAL'], ['yes', 'YESNO']]) await make(key, type);
  for (const [key, type] of [['check', 'CHECKBOX'], ['radio', 'RADIO'], ['select', 'SELECT'], ['cascade', 'CASCADINGSELECT']]) await make(key, type, { options: ['A', 'B', 'C'] });
  await make('regex', 'REGEX', { regular_expression: '^[A-Z]{2}-[0-9]+$' });
  await make('slow', 'REGEX', { regular_expression: '^(a+)+$' });
  await make('off', 'TEXT', { is_enabled: false });
  const user = await desk.owner.create('/users', { full_name: 'Uma', email: 'uma@people.example' });
  for (const [key, flags] of Object.entries(more)) await make(key, 'TEXT', flags);
  const option = (key, i) => of[key].options[i].id;
  const value = async (key, id = user.id) => (await desk.owner.fetch(`/users/${id}`)).custom_fields.find((v) => v.field.id === of[key].id)?.value || undefined;
  return { desk, owner: desk.owner, of, option, user, path: `/users/${user.id}`, value };
}

test('a value of each type is stored and shown as text, in the order of the fields', async (t) => {
  const { owner, of, option, path } = await world(t);
  const given = { text: 'Größe, 3', area: 'two\nlines', day: '2028-02-29', number: 7, decimal: '-0012.50', yes: true, radio: option('radio', 1),
    select: String(option('select', 2)), check: `${option('check', 2)}, ${option('check', 0)}`, cascade: option('cascade', 0), regex: 'AB-12' };
  const { custom_fields: shown } = await owner.update(path, { field_values: given });
  assert.deepEqual(shown[0], { field: { id: of.text.id, resource_type: 'user_field' }, value: 'Größe, 3', resource_type: 'user_field_value' });
  assert.deepEqual(bare(shown), Object.fromEntries(Object.entries({
    ...given, day: '2028-02-29T00:00:00+00:00', number: '7', decimal: '-12.50', yes: 'yes', radio: String(given.radio), cascade: String(given.cascade), check: `${option('check', 0)},${option('check', 2)}`,
  }).map(([key, v]) => [of[key].id, v])));
  assert.deepEqual(shown.map((v) => v.field.id), [...shown.map((v) => v.field.id)].sort((a, b) => a - b));
  const full = await owner.fetch(path, { include: 'user_field' });
  assert.equal(full.custom_fields[0].field.title, 'text');
});

test('every enabled field is listed in its order, and an unset one with an empty text', async (t) => {
  const { owner, desk, of, user, path } = await world(t);
  const enabled = Object.keys(of).filter((key) => key !== 'off').map((key) => of[key].id);
  const listed = async (client = owner, at = path) => (await client.fetch(at)).custom_fields.map((v) => [v.field.id, v.value]);
  assert.deepEqual(user.custom_fields, enabled.map((id) => ({ field: { id, resource_type: 'user_field' }, value: '', resource_type: 'user_field_value' })));
  await owner.update(path, { field_values: { number: 7 } });
  const expected = enabled.map((id) => [id, id === of.number.id ? '7' : '']);
  assert.deepEqual(await listed(), expected);
  const all = (await owner.get('/users', { limit: 100 })).must(200).data;
  for (const one of all) assert.deepEqual(one.custom_fields.map((v) => v.field.id), enabled, one.full_name);
  (await owner.put('/users/fields/reorder', { user_field_ids: [of.number.id] })).must(200);
  assert.equal((await listed())[0][0], of.number.id);
  assert.deepEqual(await listed(desk.customer, '/profile'), [], 'customers see none of them');
  await owner.update(`/users/fields/${of.text.id}`, { is_visible_to_customers: true });
  assert.deepEqual(await listed(desk.customer, '/profile'), [[of.text.id, '']]);
});

test('a date is shown as midnight, and accepted as a date or as any time of that day', async (t) => {
  const { owner, of, path, value } = await world(t);
  for (const [given, day] of [['2021-10-12', '2021-10-12'], ['2021-10-13T00:00:00+00:00', '2021-10-13'], ['2021-10-14T00:00:00Z', '2021-10-14'],
    ['2021-10-15T23:59:59-0500', '2021-10-15'], ['2021-10-16T08:00:00.123+02:00', '2021-10-16']]) {
    await owner.update(path, { field_values: { day: given } });
    assert.equal(await value('day'), `${day}T00:00:00+00:00`, given);
    const sent = await owner.update(path, { field_values: { day: await value('day') } });
    assert.equal(sent.custom_fields.find((v) => v.field.id === of.day.id).value, `${day}T00:00:00+00:00`, 'a value can be sent back');
  }
  await owner.update(path, { field_values: { day: '' } });
  assert.equal(await value('day'), undefined);
});

test('values are accepted as JSON, nested form names and multipart', async (t) => {
  const { owner, option, path, value } = await world(t);
  let n = 0;
  for (const as of [json, form, multipart, (v) => form({ field_values: JSON.stringify(v.field_values) })]) {
    await owner.update(path, as({ field_values: { text: `as ${n}`, check: [option('check', 1), option('check', 0)], yes: n % 2 ? 'no' : 'YES' } }));
    assert.deepEqual([await value('text'), await value('check'), await value('yes')], [`as ${n}`, `${option('check', 0)},${option('check', 1)}`, n % 2 ? 'no' : 'yes']);
    n++;
    await owner.update(path, as({ field_values: { text: null, check: '', yes: '' } }));
    assert.deepEqual(set((await owner.fetch(path)).custom_fields), []);
  }
});

test('only given values change; null or an empty text clears a value', async (t) => {
  const { desk, owner, path, user, value } = await world(t);
  await owner.update(path, { field_values: { text: 'a', area: 'b', number: '5' } });
  await desk.clock.forward(60);
  const later = await owner.update(path, { field_values: { text: 'c', area: null } });
  assert.deepEqual([await value('text'), await value('area'), await value('number')], ['c', undefined, '5']);
  assert.ok(later.updated_at > user.updated_at);
  await owner.update(path, { field_values: {} });
  await owner.update(path, { designation: 'x' });
  assert.equal(set((await owner.fetch(path)).custom_fields).length, 2);
});

describe('bad values are refused with the name of their field', () => {
  const w = shared(async (world_) => {
    const { owner } = world_.desk;
    const make = (key, type, more = {}) => owner.create('/users/fields', { key, type, title: key, ...more });
    for (const [key, type] of [['text', 'TEXT'], ['area', 'TEXTAREA'], ['day', 'DATE'], ['file', 'FILE'], ['number', 'NUMERIC'], ['decimal', 'DECIMAL'], ['yes', 'YESNO']]) await make(key, type);
    world_.select = await make('select', 'SELECT', { options: ['A'] });
    world_.other = await make('other', 'SELECT', { options: ['B'] });
    await make('check', 'CHECKBOX', { options: ['C'] });
    await make('regex', 'REGEX', { regular_expression: '^[A-Z]{2}$' });
    await make('slow', 'REGEX', { regular_expression: '^(a+)+$' });
    await make('off', 'TEXT', { is_enabled: false });
    await owner.create('/organizations/fields', { key: 'foreign', type: 'TEXT', title: 'f' });
  });
  const long = 'x'.repeat(256);

  for (const [key, value] of [
    ['text', long], ['text', 'a\nb'], ['text', 'a\u0000b'], ['text', ['a']], ['text', { a: 1 }], ['text', true],
    ['area', 'x'.repeat(65536)], ['area', 'a\u0000b'],
    ['day', '2026-02-29'], ['day', '21.11.2026'], ['day', '2026-02-29T00:00:00+00:00'], ['day', '2026-11-21T00:00:00'], ['day', '2026-11-21T25:00:00+00:00'], ['day', `2026-11-21T00:00:00.${'0'.repeat(40)}+00:00`], ['day', 20261121], ['day', '2026-1-1'],
    ['file', '1'], ['number', '1.5'], ['number', 'ten'], ['number', '99999999999999999999'], ['number', '0x10'],
    ['decimal', '1e5'], ['decimal', '.5'], ['decimal', '1.'], ['decimal', '1,5'], ['decimal', 'NaN'], ['decimal', '1'.repeat(19)], ['decimal', '--1'],
    ['yes', 'perhaps'], ['yes', '2'], ['select', 'A'], ['select', '999'], ['select', '1,2'], ['select', 'other'], ['check', '999'], ['check', 'x,y'], ['check', 'other'],
    ['regex', 'ab'], ['regex', long], ['slow', `${'a'.repeat(200)}!`], ['off', 'x'], ['foreign', 'x'], ['nothing', 'x'], ['__proto__x', 'x'],
    ["'; DROP TABLE users; --", 'x'], ['Text', 'x'], ['', 'x'], ['text/area', 'x'],
  ]) {
    test(`${key} = ${JSON.stringify(value).slice(0, 40)}`, async () => {
      const { owner } = w.desk;
      const sent = value === 'other' ? w.other.options[0].id : value;
      (await owner.post('/users', { full_name: 'N', email: 'n@x.example', field_values: { [key]: sent } })).refused(400, 'FIELD_INVALID', `field_values/${key}`);
      assert.equal((await owner.get('/users', { email: 'n@x.example' })).body.total_count, 0);
    });
  }

  test('all bad values are reported at once, beside other bad fields', async () => {
    const { body } = (await w.desk.owner.post('/users', { full_name: '', field_values: { number: 'x', yes: 'x', nothing: 'x' } })).must(400);
    const places = body.errors.map((e) => e.pointer ?? e.parameter ?? e.parameters.join());
    for (const place of ['full_name', 'email,phone', 'field_values/number', 'field_values/yes', 'field_values/nothing']) assert.ok(places.includes(place), place);
  });

  test('field_values that are no object are refused', async () => {
    const { owner, people } = w.desk;
    for (const field_values of ['x', '[1]', [1], 7, true]) {
      (await owner.put(`/users/${people.customer.id}`, { field_values })).refused(400, 'FIELD_INVALID', 'field_values');
    }
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`k${i}`, 'x']));
    (await owner.put(`/users/${people.customer.id}`, { field_values: many })).refused(400, 'FIELD_INVALID', 'field_values');
    (await owner.put(`/users/${people.customer.id}`, { field_values: { ['k'.repeat(5000)]: 'x' } })).refused(400, 'FIELD_INVALID', 'field_values/...');
    (await owner.put(`/users/${people.customer.id}`, raw('application/json', Buffer.from('{"field_values":{"text":"\xff"}}', 'latin1')))).refused(400, 'BODY_INVALID');
  });
});

test('staff must give fields required for agents when they create a person, and can\'t clear them', async (t) => {
  const { owner, desk, value } = await world(t, { plan: { is_required_for_agents: true } });
  const person = { full_name: 'N', email: 'n@x.example' };
  (await owner.post('/users', person)).refused(400, 'FIELD_REQUIRED', 'field_values/plan');
  (await desk.staff.post('/users', { ...person, field_values: { text: 'x' } })).refused(400, 'FIELD_REQUIRED', 'field_values/plan');
  (await owner.post('/users', { ...person, field_values: { plan: '' } })).refused(400, 'FIELD_REQUIRED', 'field_values/plan');
  const made = await desk.staff.create('/users', { ...person, field_values: { plan: 'gold' } });
  (await owner.put(`/users/${made.id}`, { field_values: { plan: null } })).refused(400, 'FIELD_REQUIRED', 'field_values/plan');
  await owner.update(`/users/${made.id}`, { field_values: { text: 'y' } });
  assert.equal(await value('plan', made.id), 'gold');
});

test('customers see and set the fields of theirs that they may see and edit', async (t) => {
  const { owner, desk, of } = await world(t, {
    open: { is_visible_to_customers: true, is_customer_editable: true },
    shown: { is_visible_to_customers: true },
    secret: { is_customer_editable: true },
  });
  const { customer, people } = desk;
  const path = `/users/${people.customer.id}`;
  await owner.update(path, { field_values: { open: 'o', shown: 's', secret: 'x' } });
  const own = async () => bare((await customer.fetch('/profile')).custom_fields);
  assert.deepEqual(await own(), { [of.open.id]: 'o', [of.shown.id]: 's' });
  assert.deepEqual(bare((await customer.fetch('/me')).custom_fields), await own());
  const [first] = (await customer.fetch('/profile', { include: 'user_field,locale_field' })).custom_fields;
  assert.deepEqual([first.field.title, first.field.titles[0].translation], ['open', 'open']);
  assert.equal(set((await owner.fetch(path)).custom_fields).length, 3);
  await customer.update('/profile', { field_values: { open: 'mine' } });
  assert.equal((await own())[of.open.id], 'mine');
  (await customer.put('/profile', { field_values: { shown: 'mine' } })).refused(400, 'FIELD_INVALID', 'field_values/shown');
  for (const key of ['secret', 'text', 'nothing']) {
    const { body } = (await customer.put('/profile', { field_values: { [key]: 'mine' } })).refused(400, 'FIELD_INVALID', `field_values/${key}`);
    assert.equal(body.errors[0].message, 'There is no custom field with this key, or you may not see it.');
  }
  await owner.update(`/users/fields/${of.open.id}`, { is_enabled: false });
  assert.deepEqual(await own(), { [of.shown.id]: 's' });
  await owner.update(`/users/fields/${of.open.id}`, { is_enabled: true });
  assert.equal((await own())[of.open.id], 'mine', 'a disabled field keeps its values');
});

test('customers must give all fields required for customers as soon as they give any value', async (t) => {
  const { desk, owner } = await world(t, {
    must: { is_visible_to_customers: true, is_customer_editable: true, is_required_for_customers: true },
    may: { is_visible_to_customers: true, is_customer_editable: true },
    hidden: { is_required_for_customers: true },
  });
  const { customer } = desk;
  await customer.update('/profile', { designation: 'x' });
  (await customer.put('/profile', { field_values: { may: 'x' } })).refused(400, 'FIELD_REQUIRED', 'field_values/must');
  await customer.update('/profile', { field_values: { may: 'x', must: 'y' } });
  await customer.update('/profile', { field_values: { may: 'z' } });
  (await customer.put('/profile', { field_values: { must: '' } })).refused(400, 'FIELD_REQUIRED', 'field_values/must');
  await owner.update(`/users/${desk.people.customer.id}`, { field_values: { must: '' } });
  await desk.staff.update('/profile', { field_values: { may: 'staff' } });
});

test('organizations show the field with its value, title, key and address', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const plan = await owner.create('/organizations/fields', { type: 'TEXT', key: 'plan', title: 'Plan', is_visible_to_customers: true });
  const secret = await owner.create('/organizations/fields', { type: 'TEXT', key: 'secret', title: 'Secret', is_required_for_agents: true });
  (await owner.post('/organizations', { name: 'O' })).refused(400, 'FIELD_REQUIRED', 'field_values/secret');
  const made = await owner.create('/organizations', { name: 'O', field_values: { plan: 'gold', secret: 'x' } });
  assert.deepEqual(made.custom_fields[0], {
    field: { id: plan.id, title: 'Plan', key: 'plan', resource_type: 'organization_field', resource_url: plan.resource_url },
    value: 'gold', resource_type: 'organization_field_value',
  });
  const full = (await owner.fetch(`/organizations/${made.id}`, { include: 'organization_field' })).custom_fields[0].field;
  assert.deepEqual(full, plan);
  const flat = (await owner.get('/organizations', { include: '*', _flat: true })).must(200).body;
  assert.deepEqual(flat.data[0].custom_fields[0].field.title, 'Plan');
  assert.deepEqual(Object.keys(flat.resources.organization_field), [String(plan.id), String(secret.id)]);
  const client = (await desk.person('customer', { organization_id: made.id })).client;
  const seen = (await client.fetch('/profile', { include: 'organization' })).organization;
  assert.deepEqual(seen.custom_fields.map((v) => v.field.key), ['plan']);
  await owner.update(`/organizations/${made.id}`, { field_values: { plan: '' } });
  assert.deepEqual(set((await owner.fetch(`/organizations/${made.id}`)).custom_fields).map((v) => v.field.key), ['secret']);
  (await owner.put(`/organizations/${made.id}`, { field_values: { text: 'x' } })).refused(400, 'FIELD_INVALID', 'field_values/text');
});

test('a changed value changes the ETag, and a hidden one does not change the ETag of customers', async (t) => {
  const { owner, path, of, desk } = await world(t);
  await owner.update(path, { field_values: { text: 'a' } });
  const { etag } = await owner.get(path);
  await owner.update(path, { field_values: { text: 'b' } });
  (await owner.put(path, { field_values: { text: 'c' } }, { headers: { 'If-Match': etag } })).refused(412, 'RESOURCE_MODIFIED');
  const later = await owner.get(path);
  assert.notEqual(later.etag, etag);
  (await owner.get(path, {}, { 'If-None-Match': later.etag })).must(304);
  await owner.update(`/users/fields/${of.text.id}`, { is_enabled: false });
  (await owner.get(path, {}, { 'If-None-Match': later.etag })).must(200);
  assert.equal(desk.check().status, 0);
});

test('a purge erases all values, a deletion only hides them', async (t) => {
  const { owner, user, of } = await world(t);
  await owner.update(`/users/${user.id}`, { field_values: { text: 'a', select: of.select.options[0].id } });
  const at = `/users/fields/${of.select.id}`;
  (await owner.put(at, { options: [] })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'options');
  (await owner.delete(`/users/${user.id}`, { purge: true })).must(200);
  (await owner.put(at, { options: [] })).must(200);
});

// Custom fields of conversations: values for staff (case) and for customers (conversation).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { MINUTE, form, multipart, open, uploaded } from './lib/index.mjs';

const SYSTEM = ['subject', 'requester', 'team', 'agent', 'status', 'type', 'priority'];
const download = (who, path, file) => who.exchange('GET', `/api/v1${path}/files/${file.id}/content`);

/** A desk with fields of conversations; `fields` is {key: [type, flags]}. */
async function world(t, fields) {
  const desk = await open(t);
  const of = {};
  for (const [key, [type, more = {}]] of Object.entries(fields)) of[key] = await desk.owner.create('/cases/fields', { key, type, title: key, ...more });
  const key = (id) => Object.keys(of).find((k) => of[k].id === id);
  const bare = (list) => Object.fromEntries(list.map(({ field, value }) => [key(field.id), value]));
  const opened = (more = {}, who = desk.staff) => who.post('/cases', { subject: 'a', contents: 'b', requester_id: desk.people.customer.id, ...more });
  const asked = (more = {}, who = desk.customer) => who.post('/conversations', { subject: 'a', contents: 'b', ...more });
  const values = async (id) => bare((await desk.owner.fetch(`/cases/${id}`)).custom_fields);
  return { desk, of, bare, opened, asked, values };
}

const VISIBLE = { is_visible_to_customers: true };
const EDITABLE = { ...VISIBLE, is_customer_editable: true };

test('a case shows every enabled field in order, a conversation those that customers may see', async (t) => {
  const { desk, of, bare, opened } = await world(t, { internal: ['TEXT'], shown: ['TEXT', { ...VISIBLE, customer_titles: [{ locale: 'en-us', translation: 'For you' }] }], off: ['TEXT', { is_enabled: false }] });
  const made = (await opened({ field_values: { internal: 'secret', shown: 'open' } })).must(201).data;
  assert.deepEqual(made.custom_fields, [
    { field: { id: of.internal.id, resource_type: 'case_field' }, value: 'secret', resource_type: 'case_field_value' },
    { field: { id: of.shown.id, resource_type: 'case_field' }, value: 'open', resource_type: 'case_field_value' },
  ]);
  const expected = [{ field: { id: of.shown.id, resource_type: 'conversation_field' }, value: 'open', resource_type: 'conversation_field_value' }];
  for (const who of [desk.customer, desk.staff, desk.owner]) {
    assert.deepEqual((await who.fetch(`/conversations/${made.id}`)).custom_fields, expected);
    const [listed] = await who.fetch('/conversations');
    assert.deepEqual(listed.custom_fields, expected);
    const [full] = (await who.fetch(`/conversations/${made.id}`, { include: 'conversation_field' })).custom_fields;
    assert.deepEqual([full.field.key, full.field.title], ['shown', 'For you']);
  }
  assert.deepEqual(bare((await desk.as('collaborator').fetch('/cases'))[0].custom_fields), { internal: 'secret', shown: 'open' });
  await desk.owner.update(`/cases/fields/${of.shown.id}`, { is_visible_to_customers: false });
  assert.deepEqual((await desk.customer.fetch(`/conversations/${made.id}`)).custom_fields, []);
  await desk.owner.update('/cases/fields/reorder', { case_field_ids: [of.shown.id] });
  assert.deepEqual((await desk.staff.fetch(`/cases/${made.id}`)).custom_fields.map((v) => v.field.id), [of.shown.id, of.internal.id]);
});

test('each reply shows the fields as the change before it left them, in every process, and as the list of values does', async (t) => {
  const { desk, of, opened } = await world(t, { a: ['TEXT'], b: ['DATE', VISIBLE], c: ['TEXT', { is_enabled: false }], d: ['TEXT'] });
  const cases = [];
  for (const given of [{}, { a: 'x' }, { a: 'y', b: '2028-02-29' }, { b: '2028-03-01', d: 'z' }]) cases.push((await opened({ field_values: given })).must(201).data.id);
  const pairs = (list) => list.map(({ field, value }) => [field.id, value]);
  const agree = async (what) => {
    const shown = new Set((await desk.owner.fetch('/cases/fields', { limit: 100 })).filter((f) => f.is_visible_to_customers && f.is_enabled).map((f) => f.id));
    const by = async (who, list) => new Map((await who.fetch(list)).map((one) => [one.id, pairs(one.custom_fields)]));
    const [staff, customer] = [await by(desk.staff, '/cases'), await by(desk.customer, '/conversations')];
    for (const id of cases) {
      const all = pairs(await desk.staff.fetch(`/cases/${id}/field/values`)), open = all.filter(([field]) => shown.has(field));
      for (const seen of [staff.get(id), pairs((await desk.staff.fetch(`/cases/${id}`)).custom_fields)]) assert.deepEqual(seen, all, what);
      for (const seen of [customer.get(id), pairs((await desk.customer.fetch(`/conversations/${id}`)).custom_fields)]) assert.deepEqual(seen, open, what);
    }
  };
  const change = async (key, more) => {
    await desk.owner.update(`/cases/fields/${of[key].id}`, more);
    await agree(`${key} ${JSON.stringify(more)}`);
  };
  await agree('at first');
  await change('c', { is_enabled: true });
  for (const value of [false, true]) await change('b', { is_visible_to_customers: value });
  await change('a', { is_visible_to_customers: true });
  for (const value of [false, true]) await change('b', { is_enabled: value });
  await desk.owner.update(`/cases/${cases[0]}`, { field_values: { b: '2028-04-01', c: 'late' } });
  await agree('after a value');
  (await desk.owner.put('/cases/fields/reorder', { case_field_ids: [of.d.id, of.c.id, of.b.id, of.a.id] })).must(200);
  await agree('after a reorder');
  (await desk.owner.post('/cases/fields', { key: 'taken', type: 'TEXT', title: 'taken', regular_expression: '(' })).must(400);
  for (const key of ['b', 'a', 'c', 'd']) {
    (await desk.owner.delete(`/cases/fields/${of[key].id}`)).must(200);
    await agree(`after the deletion of ${key}`);
  }
});

test('the values of a conversation have a list of their own', async (t) => {
  const { desk, opened } = await world(t, { internal: ['TEXT'], shown: ['TEXT', VISIBLE], off: ['TEXT', { is_enabled: false }] });
  const made = (await opened({ field_values: { internal: 'secret' } })).must(201).data;
  const path = `/cases/${made.id}/field/values`;
  for (const who of [desk.staff, desk.as('collaborator'), desk.owner]) for (const query of [{}, { include: 'case_field' }]) {
    const reply = (await who.get(path, query)).must(200).body;
    assert.deepEqual(reply.data, (await who.fetch(`/cases/${made.id}`, query)).custom_fields);
    assert.deepEqual([reply.resource, reply.total_count, reply.data.map((v) => v.value)], ['case_field_value', 2, ['secret', '']]);
  }
  await desk.owner.update('/cases/fields/reorder', { case_field_ids: [(await desk.staff.fetch(path))[1].field.id] });
  assert.deepEqual((await desk.staff.fetch(path)).map((v) => v.value), ['', 'secret']);
  (await (await desk.person('agent', { agent_case_access: 'SELF' })).client.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.get('/cases/987654/field/values')).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('the seven system fields come first, have no values and can\'t be deleted', async (t) => {
  const { desk, opened } = await world(t, { first: ['TEXT', { sort_order: 0 }] });
  const fields = await desk.staff.fetch('/cases/fields');
  assert.deepEqual(fields.map((f) => f.key), [...SYSTEM, 'first']);
  assert.deepEqual(fields.map((f) => f.is_system), [...SYSTEM.map(() => true), false]);
  const made = (await opened()).must(201).data;
  assert.equal(made.custom_fields.length, 1);
  for (const key of SYSTEM) (await desk.staff.put(`/cases/${made.id}`, { field_values: { [key]: '1' } })).refused(400, 'FIELD_INVALID', `field_values/${key}`);
  (await desk.owner.delete(`/cases/fields/${fields[0].id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
});

test('values of every type are accepted from staff and customers in JSON, forms and multipart', async (t) => {
  const options = { options: ['A', 'B', 'C'] };
  const { desk, of, bare, asked, values } = await world(t, {
    text: ['TEXT', EDITABLE], area: ['TEXTAREA', EDITABLE], check: ['CHECKBOX', { ...EDITABLE, ...options }], radio: ['RADIO', { ...EDITABLE, ...options }],
    select: ['SELECT', { ...EDITABLE, ...options }], day: ['DATE', EDITABLE], file: ['FILE', EDITABLE], number: ['NUMERIC', EDITABLE], decimal: ['DECIMAL', EDITABLE],
    yes: ['YESNO', EDITABLE], cascade: ['CASCADINGSELECT', { ...EDITABLE, ...options }], regex: ['REGEX', { ...EDITABLE, regular_expression: '^[A-Z]{2}$' }],
  });
  const option = (key, i) => String(of[key].options[i].id);
  const given = async (who) => ({ text: 'T', area: 'two\nlines', check: `${option('check', 0)},${option('check', 2)}`, radio: option('radio', 1), select: option('select', 2), day: '2028-02-29',
    file: String((await uploaded(who)).id), number: '7', decimal: '1.50', yes: 'yes', cascade: option('cascade', 0), regex: 'AB' });
  const shown = (v) => ({ ...v, day: `${v.day}T00:00:00+00:00` });
  for (const as of [(v) => v, form, multipart]) {
    const first = await given(desk.customer);
    const made = (await desk.customer.post('/conversations', as({ subject: 'a', contents: 'b', field_values: first }))).must(201).data;
    assert.deepEqual(bare(made.custom_fields), shown(first));
    const second = await given(desk.staff);
    assert.deepEqual(bare((await desk.staff.update(`/cases/${made.id}`, as({ field_values: second }))).custom_fields), shown(second));
  }
  const made = (await asked()).must(201).data;
  const bad = { check: option('radio', 0), radio: 'x', select: '0', day: '2028-02-30', file: '99', number: '1.5', decimal: 'x', yes: 'maybe', cascade: option('select', 0), regex: 'abc', nothing: 'x' };
  for (const reply of [await desk.customer.put(`/conversations/${made.id}`, { field_values: bad }), await desk.staff.put(`/cases/${made.id}`, { field_values: bad }), await asked({ field_values: bad })]) {
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body.errors.map((e) => e.pointer).sort(), Object.keys(bad).map((k) => `field_values/${k}`).sort());
    assert.ok(reply.body.errors.some((e) => e.parameter === 'field_values.radio'));
  }
  assert.ok(Object.values(await values(made.id)).every((v) => v === ''), 'a refused write stores nothing');
});

test('a customer sets visible editable fields; other visible fields are ignored with a notice, invisible ones are unknown', async (t) => {
  const { desk, asked, values } = await world(t, { mine: ['TEXT', EDITABLE], shown: ['TEXT', VISIBLE], hidden: ['TEXT', { is_customer_editable: true }], off: ['TEXT', { ...EDITABLE, is_enabled: false }] });
  const reply = (await asked({ field_values: { mine: 'a', shown: 'b' } })).must(201);
  const { id } = reply.data;
  assert.ok(reply.body.logs?.some(({ message }) => /field_values\.shown/.test(message)), `${reply}`);
  assert.deepEqual(await values(id), { mine: 'a', shown: '', hidden: '' });
  await desk.owner.update(`/cases/${id}`, { field_values: { shown: 'kept', hidden: 'kept' } });
  (await desk.customer.put(`/conversations/${id}`, { field_values: { mine: 'c', shown: 'd' } })).must(200);
  assert.deepEqual(await values(id), { mine: 'c', shown: 'kept', hidden: 'kept' });
  const texts = [];
  for (const key of ['hidden', 'absent', 'off']) {
    const refused = (await desk.customer.put(`/conversations/${id}`, { field_values: { [key]: 'x' } })).refused(400, 'FIELD_INVALID', `field_values/${key}`);
    texts.push(JSON.stringify(refused.body.errors).replaceAll(key, 'KEY'));
  }
  assert.equal(new Set(texts).size, 1, 'an invisible field gets the same error as an unknown one');
  (await desk.staff.put(`/conversations/${id}`, { field_values: { hidden: 'staff' } })).must(200);
  assert.equal((await values(id)).hidden, 'staff');
  await desk.customer.update(`/conversations/${id}`, { field_values: { mine: null } });
  assert.equal((await values(id)).mine, '');
});

test('callers without login set fields that customers may set', async (t) => {
  const { desk, bare } = await world(t, { mine: ['TEXT', EDITABLE], hidden: ['TEXT'] });
  const fingerprint = desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() });
  const made = (await fingerprint.post('/conversations', { name: 'S', email: 's@x.example', subject: 'a', contents: 'b', field_values: { mine: 'm' } })).must(201).data;
  assert.deepEqual(bare(made.custom_fields), { mine: 'm' });
  assert.deepEqual(bare((await fingerprint.fetch(`/conversations/${made.id}`)).custom_fields), { mine: 'm' });
  (await desk.anyone.post('/conversations', { name: 'S', email: 's@x.example', subject: 'a', contents: 'b', field_values: { hidden: 'm' } })).refused(400, 'FIELD_INVALID', 'field_values/hidden');
});

test('fields required of customers or of staff must be given on creation, and can\'t be cleared', async (t) => {
  const { desk, asked, opened } = await world(t, {
    must: ['TEXT', { ...EDITABLE, is_required_for_customers: true }], fixed: ['TEXT', { ...VISIBLE, is_required_for_customers: true }], staff: ['TEXT', { is_required_for_agents: true }],
  });
  for (const field_values of [undefined, {}, { must: '' }, { must: null }, { must: ' ' }]) (await asked({ field_values })).refused(400, 'FIELD_REQUIRED', 'field_values/must');
  (await desk.anyone.post('/conversations', { name: 'S', email: 's@x.example', subject: 'a', contents: 'b' })).refused(400, 'FIELD_REQUIRED', 'field_values/must');
  const { id } = (await asked({ field_values: { must: 'x' } })).must(201).data;
  (await desk.customer.put(`/conversations/${id}`, { subject: 'x' })).must(200);
  (await desk.customer.put(`/conversations/${id}`, { field_values: { must: '' } })).refused(400, 'FIELD_REQUIRED', 'field_values/must');
  for (const field_values of [undefined, {}, { staff: '' }]) (await opened({ field_values })).refused(400, 'FIELD_REQUIRED', 'field_values/staff');
  (await desk.staff.put(`/cases/${id}`, { field_values: { must: 'y' } })).must(200);
  (await desk.staff.put(`/cases/${id}`, { field_values: { staff: null } })).refused(400, 'FIELD_REQUIRED', 'field_values/staff');
});

test('staff can\'t complete or close while a field required on resolution is empty, and each such field is named', async (t) => {
  const required = { is_required_on_resolution: true };
  const { desk, opened, asked, values } = await world(t, { cause: ['TEXT', required], fix: ['TEXT', required], off: ['TEXT', { ...required, is_enabled: false }], free: ['TEXT'] });
  const { id } = (await opened()).must(201).data;
  for (const [who, path, status_id] of [[desk.staff, 'cases', 4], [desk.owner, 'cases', 5], [desk.staff, 'conversations', 4], [desk.owner, 'conversations', 5]]) {
    const { body } = (await who.put(`/${path}/${id}`, { status_id, subject: 'lost' })).refused(400, 'FIELD_REQUIRED', 'field_values/cause');
    assert.deepEqual(body.errors.map((e) => [e.code, e.parameter, e.pointer]), ['cause', 'fix'].map((k) => ['FIELD_REQUIRED', `field_values.${k}`, `field_values/${k}`]));
  }
  assert.equal((await desk.staff.fetch(`/cases/${id}`)).subject, 'a', 'the refused write stored nothing');
  (await desk.staff.put(`/cases/${id}`, { status_id: 3 })).must(200);
  (await desk.staff.put(`/cases/${id}`, { status_id: 4, field_values: { cause: 'rust' } })).refused(400, 'FIELD_REQUIRED', 'field_values/fix');
  assert.deepEqual(await values(id), { cause: '', fix: '', free: '' });
  (await desk.staff.put(`/cases/${id}`, { status_id: 4, field_values: { cause: 'rust', fix: 'oil' } })).must(200);
  (await desk.staff.put(`/cases/${id}`, { field_values: { fix: null } })).must(200); // it is already completed
  (await desk.owner.put(`/cases/${id}`, { status_id: 5 })).refused(400, 'FIELD_REQUIRED', 'field_values/fix');
  (await opened({ status_id: 4 })).refused(400, 'FIELD_REQUIRED', 'field_values/cause');
  (await opened({ status_id: 4, field_values: { cause: 'a', fix: 'b' } })).must(201);
  (await desk.staff.put('/cases', { status_id: 4 }, { query: { ids: `${id},${(await opened()).must(201).data.id}` } })).refused(400, 'FIELD_REQUIRED', 'field_values/cause');
  const theirs = (await asked()).must(201).data;
  (await desk.customer.put(`/conversations/${theirs.id}`, { status_id: 4 })).must(200); // customers may complete without these fields
});

test('a change of a value is recorded under the key of its field, with both values', async (t) => {
  const { desk, opened } = await world(t, { plan: ['TEXT', EDITABLE], brand: ['TEXT'] });
  const { id } = (await opened({ field_values: { plan: 'gold' } })).must(201).data;
  const changes = async () => (await desk.owner.get('/changes', { limit: 1000 })).must(200).data.filter((c) => c.resource_type === 'case' && c.resource_id === id && /^custom_fields/.test(c.property ?? ''));
  assert.deepEqual(await changes(), [], 'values of a new conversation are part of its creation');
  const before = await desk.staff.fetch(`/cases/${id}`);
  await desk.clock.forward(MINUTE);
  await desk.staff.update(`/cases/${id}`, { field_values: { plan: 'silver', brand: 'x' }, brand_id: 1 });
  await desk.staff.update(`/cases/${id}`, { field_values: { plan: 'silver', brand: 'x' } });
  await desk.staff.update(`/cases/${id}`, { field_values: { brand: null } });
  assert.deepEqual((await changes()).map((c) => [c.property, c.from, c.to]), [['custom_fields.plan', 'gold', 'silver'], ['custom_fields.brand', null, 'x'], ['custom_fields.brand', 'x', null]]);
  const after = await desk.staff.fetch(`/cases/${id}`);
  assert.ok(after.updated_at > before.updated_at);
  assert.equal(after.last_updated_by.id, desk.people.agent.id);
});

test('a value is part of the ETag, and a change of the fields changes the Last-Modified', async (t) => {
  const { desk, of, opened } = await world(t, { plan: ['TEXT', VISIBLE] });
  const { id } = (await opened({ field_values: { plan: 'gold' } })).must(201).data;
  const seen = async (who, path) => (await who.get(`/${path}/${id}`)).must(200).headers;
  const first = { case: await seen(desk.staff, 'cases'), conversation: await seen(desk.customer, 'conversations') };
  assert.ok(first.case['last-modified']);
  assert.equal(first.conversation['last-modified'], undefined, 'the time would reveal hidden fields');
  await desk.clock.forward(MINUTE);
  await desk.staff.update(`/cases/${id}`, { field_values: { plan: 'silver' } }, { headers: { 'If-Match': first.case.etag } });
  const second = { case: await seen(desk.staff, 'cases'), conversation: await seen(desk.customer, 'conversations') };
  for (const kind of ['case', 'conversation']) assert.notEqual(second[kind].etag, first[kind].etag);
  (await desk.staff.put(`/cases/${id}`, { field_values: { plan: 'x' } }, { headers: { 'If-Match': first.case.etag } })).must(412);
  await desk.clock.forward(MINUTE);
  await desk.owner.update(`/cases/fields/${of.plan.id}`, { is_enabled: false });
  (await desk.staff.get(`/cases/${id}`, {}, { 'If-Modified-Since': second.case['last-modified'] })).must(200);
});

test('values survive a change of requester, and are deleted with their field', async (t) => {
  const { desk, of, opened, values } = await world(t, { plan: ['TEXT'], file: ['FILE'] });
  const file = await uploaded(desk.staff);
  const { id } = (await opened({ field_values: { plan: 'gold', file: file.id } })).must(201).data;
  const other = await desk.person('customer');
  await desk.staff.update(`/cases/${id}`, { requester_id: other.id });
  assert.deepEqual(await values(id), { plan: 'gold', file: String(file.id) });
  (await desk.owner.delete(`/cases/fields/${of.plan.id}`)).must(200);
  (await desk.owner.delete(`/cases/fields/${of.file.id}`)).must(200);
  assert.deepEqual((await desk.staff.fetch(`/cases/${id}`)).custom_fields, []);
  assert.notEqual((await desk.staff.fetch(`/files/${file.id}`)).expiry_at, null, 'the file expires again');
  const { status, stdout } = desk.check();
  assert.equal(status, 0, stdout);
});

test('callers who see a file value can read the file, and nobody else', async (t) => {
  const { desk, opened } = await world(t, { secret: ['FILE'], shown: ['FILE', VISIBLE] });
  const [secret, shown] = [await uploaded(desk.staff), await uploaded(desk.staff)];
  const { id } = (await opened({ field_values: { secret: secret.id, shown: shown.id } })).must(201).data;
  const stranger = (await desk.person('customer')).client;
  for (const file of [secret, shown]) {
    (await download(desk.as('collaborator'), `/cases/${id}`, file)).must(200);
    (await download(desk.customer, `/cases/${id}`, file)).must(403);
    (await download(stranger, `/conversations/${id}`, file)).must(404);
  }
  (await download(desk.customer, `/conversations/${id}`, shown)).must(200);
  for (const who of [desk.customer, desk.staff]) (await download(who, `/conversations/${id}`, secret)).must(404);
  (await desk.staff.put(`/cases/${id}/trash`)).must(200);
  (await download(desk.customer, `/conversations/${id}`, shown)).must(404);
  (await download(desk.staff, `/cases/${id}`, shown)).must(200);
  (await desk.as('admin').put(`/cases/${id}`, { field_values: { secret: shown.id } })).must(400);
});

test('values of a conversation that is closed or in the trash can\'t change', async (t) => {
  const { desk, asked, values } = await world(t, { mine: ['TEXT', EDITABLE] });
  const { id } = (await asked({ field_values: { mine: 'a' } })).must(201).data;
  await desk.owner.update(`/cases/${id}`, { status_id: 5 });
  for (const [who, path] of [[desk.customer, 'conversations'], [desk.staff, 'cases']]) (await who.put(`/${path}/${id}`, { field_values: { mine: 'b' } })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.put(`/cases/${id}/trash`)).must(200);
  (await desk.staff.put(`/cases/${id}`, { field_values: { mine: 'b' } })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.deepEqual(await values(id), { mine: 'a' });
});

// Forms: which custom fields a conversation asks for, who sees them, and what they require.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const EDITABLE = { is_visible_to_customers: true, is_customer_editable: true };

async function world(t) {
  const desk = await open(t);
  const field = (key, more = {}) => desk.owner.create('/cases/fields', { key, type: 'TEXT', title: key, ...more });
  const of = {
    must: await field('must', { ...EDITABLE, is_required_for_customers: true, is_required_for_agents: true }),
    other: await field('other', { ...EDITABLE, is_required_for_customers: true, is_required_for_agents: true }),
    fix: await field('fix', { is_required_on_resolution: true }),
  };
  const form = (more = {}) => desk.owner.create('/cases/forms', { title: 'F', is_visible_to_customers: true, ...more });
  const asked = (body, who = desk.customer) => who.post('/conversations', { subject: 'a', contents: 'b', ...body });
  const opened = (body, who = desk.staff) => who.post('/cases', { subject: 'a', contents: 'b', requester_id: desk.people.customer.id, ...body });
  return { desk, of, form, asked, opened };
}

test('an admin creates, changes, orders and deletes forms', async (t) => {
  const { desk, of } = await world(t);
  const made = await desk.owner.create('/cases/forms', {
    title: 'Repairs', customer_titles: [{ locale: 'en-us', translation: 'Ask for a repair' }], descriptions: [{ locale: 'en-us', translation: 'Under warranty.\nOnly.' }],
    is_visible_to_customers: true, case_field_ids: [of.other.id, of.must.id], brand_id: 1,
  });
  assert.deepEqual(Object.keys(made), ['id', 'title', 'is_visible_to_customers', 'customer_titles', 'customer_title', 'descriptions', 'description', 'is_enabled', 'is_default',
    'is_deleted', 'sort_order', 'fields', 'brand', 'created_at', 'updated_at', 'resource_type', 'resource_url']);
  assert.deepEqual([made.title, made.customer_title, made.description, made.is_enabled, made.is_default, made.is_deleted, made.sort_order, made.brand.id],
    ['Repairs', 'Ask for a repair', 'Under warranty.\nOnly.', true, true, false, 1, 1]);
  assert.deepEqual(made.fields, [of.other.id, of.must.id].map((id) => ({ id, resource_type: 'case_field' })));
  const second = await desk.owner.create('/cases/forms', { title: 'Second', customer_title: 'Zwei', description: 'D' });
  assert.deepEqual([second.customer_title, second.description, second.is_visible_to_customers, second.is_default, second.sort_order, second.brand, second.fields], ['Zwei', 'D', false, false, 2, null, []]);
  const changed = await desk.owner.update(`/cases/forms/${made.id}`, { title: 'R', case_field_ids: [of.fix.id], brand_id: null, is_visible_to_customers: false });
  assert.deepEqual([changed.title, changed.fields.map((f) => f.id), changed.brand, changed.is_visible_to_customers, changed.customer_title], ['R', [of.fix.id], null, false, 'Ask for a repair']);
  (await desk.owner.put('/cases/forms/reorder', { form_ids: [second.id] })).must(200);
  assert.deepEqual((await desk.owner.fetch('/cases/forms')).map((f) => f.id), [second.id, made.id]);
  (await desk.owner.delete(`/cases/forms/${made.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.owner.put(`/cases/forms/${made.id}`, { is_enabled: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal((await desk.owner.update('/cases/forms/default', { form_id: second.id })).is_default, true);
  assert.deepEqual((await desk.owner.fetch('/cases/forms')).map((f) => f.is_default), [true, false]);
  (await desk.owner.delete(`/cases/forms/${made.id}`)).must(200);
  (await desk.owner.get(`/cases/forms/${made.id}`)).must(404);
  const last = await desk.owner.create('/cases/forms', { title: 'Off', is_enabled: false });
  (await desk.owner.put('/cases/forms/default', { form_id: last.id })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'form_id');
  (await desk.owner.delete(`/cases/forms/${last.id}`)).must(200);
  (await desk.owner.delete(`/cases/forms/${second.id}`)).must(200); // the only one
  assert.equal((await desk.owner.create('/cases/forms', { title: 'New' })).is_default, true);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('bad input is named, and only admins write forms', async (t) => {
  const { desk, of, form } = await world(t);
  const user = await desk.owner.create('/users/fields', { type: 'TEXT', title: 'u' });
  (await desk.owner.post('/cases/forms', {})).refused(400, 'FIELD_REQUIRED', 'title');
  (await desk.owner.post('/cases/forms', { title: 'x', case_field_ids: [of.must.id, user.id] })).refused(400, 'FIELD_INVALID', 'case_field_ids/1');
  (await desk.owner.post('/cases/forms', { title: 'x', case_field_ids: [of.must.id, of.must.id] })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await desk.owner.post('/cases/forms', { title: 'x', brand_id: 99 })).refused(400, 'FIELD_INVALID', 'brand_id');
  (await desk.owner.post('/cases/forms', { title: 'x', customer_titles: [{ locale: 'xx', translation: 'y' }] })).refused(400, 'FIELD_INVALID', 'customer_titles/0/locale');
  (await desk.owner.put('/cases/forms/default', {})).refused(400, 'FIELD_REQUIRED', 'form_id');
  (await desk.owner.put('/cases/forms/default', { form_id: 99 })).refused(400, 'FIELD_INVALID', 'form_id');
  (await desk.owner.put('/cases/forms/reorder', { form_ids: [99] })).refused(400, 'FIELD_INVALID');
  const { id } = await form();
  for (const who of [desk.customer, desk.as('collaborator'), desk.staff]) {
    (await who.post('/cases/forms', { title: 'x' })).refused(403, 'PERMISSIONS_DENIED');
    (await who.put(`/cases/forms/${id}`, { title: 'x' })).refused(403, 'PERMISSIONS_DENIED');
    (await who.put('/cases/forms/default', { form_id: id })).refused(403, 'PERMISSIONS_DENIED');
    (await who.delete(`/cases/forms/${id}`)).refused(403, 'PERMISSIONS_DENIED');
  }
});

test('customers and callers without login see enabled visible forms, with the fields that they see', async (t) => {
  const { desk, of, form } = await world(t);
  const shown = await form({ title: 'Shown', customer_title: 'For you', case_field_ids: [of.fix.id, of.must.id] });
  const hidden = await form({ title: 'Hidden', is_visible_to_customers: false });
  const off = await form({ title: 'Off', is_enabled: false });
  const ids = async (who) => (await who.fetch('/cases/forms')).map((f) => f.id);
  for (const who of [desk.customer, desk.anyone]) {
    const reply = (await who.get('/cases/forms')).must(200);
    assert.deepEqual([reply.body.total_count, reply.data.map((f) => f.id)], [1, [shown.id]]);
    assert.deepEqual(reply.data[0].fields.map((f) => f.id), [of.must.id], 'the internal field is not named');
    for (const { id } of [hidden, off]) (await who.get(`/cases/forms/${id}`)).must(404);
  }
  assert.deepEqual(await ids(desk.staff), [shown.id, hidden.id]);
  assert.deepEqual(await ids(desk.owner), [shown.id, hidden.id, off.id]);
  assert.deepEqual((await desk.staff.fetch(`/cases/forms/${shown.id}`)).fields.map((f) => f.id), [of.fix.id, of.must.id]);
  const [title] = shown.customer_titles;
  (await desk.anyone.get(`/locale/fields/${title.id}`)).must(200);
  await desk.owner.update(`/cases/forms/${shown.id}`, { is_visible_to_customers: false });
  (await desk.anyone.get(`/locale/fields/${title.id}`)).must(404);
});

test('with a form only its fields are required, of customers and of staff', async (t) => {
  const { desk, of, form, asked, opened } = await world(t);
  const { id } = await form({ case_field_ids: [of.must.id] });
  const both = (reply) => assert.deepEqual(reply.body.errors.map((e) => e.pointer).sort(), ['field_values/must', 'field_values/other'], `${reply}`);
  for (const ask of [asked, opened]) {
    both(await ask({}));
    const one = await ask({ form_id: id });
    assert.deepEqual([one.status, one.body.errors.map((e) => e.pointer)], [400, ['field_values/must']], `${one}`);
    (await ask({ form_id: id, field_values: { must: 'x' } })).must(201);
  }
  const made = (await opened({ form_id: id, field_values: { must: 'x', other: 'y' } })).must(201).data;
  assert.deepEqual(made.form, { id, resource_type: 'case_form' });
  (await desk.staff.put(`/cases/${made.id}`, { field_values: { other: null } })).must(200);
  (await desk.staff.put(`/cases/${made.id}`, { field_values: { must: null } })).refused(400, 'FIELD_REQUIRED', 'field_values/must');
  (await desk.staff.put(`/cases/${made.id}`, { status_id: 4 })).must(200); // `fix` is not of the form
  (await desk.staff.put(`/cases/${made.id}`, { status_id: 3, form_id: null })).must(200);
  (await desk.staff.put(`/cases/${made.id}`, { status_id: 4 })).refused(400, 'FIELD_REQUIRED', 'field_values/fix');
  (await desk.staff.put(`/cases/${made.id}`, { status_id: 4, form_id: id })).must(200);
});

test('a form that is invisible, disabled, deleted or of another brand is refused', async (t) => {
  const { desk, form, asked, opened } = await world(t);
  const brand = await desk.owner.create('/brands', { name: 'Other' });
  const hidden = await form({ is_visible_to_customers: false });
  const off = await form({ is_enabled: false });
  const foreign = await form({ brand_id: brand.id });
  const gone = await form();
  (await desk.owner.delete(`/cases/forms/${gone.id}`)).must(200);
  for (const { id } of [hidden, off, foreign, gone, { id: 99 }]) (await asked({ form_id: id })).refused(400, 'FIELD_INVALID', 'form_id');
  for (const { id } of [off, foreign, gone]) for (const who of [desk.staff, desk.owner]) (await opened({ form_id: id, field_values: { must: 'x', other: 'x' } }, who)).refused(400, 'FIELD_INVALID', 'form_id');
  const made = (await opened({ form_id: hidden.id })).must(201).data;
  (await desk.staff.put(`/cases/${made.id}`, { form_id: foreign.id })).refused(400, 'FIELD_INVALID', 'form_id');
  (await desk.staff.put(`/cases/${made.id}`, { form_id: foreign.id, brand_id: brand.id })).must(200);
  (await desk.staff.put(`/cases/${made.id}`, { brand_id: 1 })).refused(400, 'FIELD_INVALID', 'form_id');
  await desk.owner.update('/cases/forms/default', { form_id: hidden.id });
  (await desk.owner.delete(`/cases/forms/${foreign.id}`)).must(200);
  assert.equal((await desk.staff.fetch(`/cases/${made.id}`)).form.id, foreign.id, 'a conversation keeps its deleted form');
  const changes = (await desk.owner.get('/changes', { limit: 1000 })).must(200).data.filter((c) => c.resource_type === 'case' && c.property === 'form');
  assert.deepEqual(changes.map((c) => [c.from, c.to].map(Number)), [[hidden.id, foreign.id]]);
});

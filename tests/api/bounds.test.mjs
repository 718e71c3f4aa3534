// Numbers of rows and of items: the last one that is allowed is accepted, and the next one is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTags, open, opened } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const list = (n, item) => Array.from({ length: n }, (_, i) => item(i));

test('a desk has at most 200 monitors, 1000 SLAs, 2000 triggers and 1000 custom fields of an area, and a person 200 macros', async (t) => {
  const desk = await open(t), { owner, staff } = desk;
  await desk.stop();
  const rows = (n, table, columns, values) => sql(desk, `INSERT INTO ${table} (${columns}, created_at, updated_at)
    WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < ${n}) SELECT ${values}, 0, 0 FROM k`);
  rows(199, 'monitors', 'title, is_enabled', "'m', 0");
  rows(999, 'slas', 'title, is_enabled', "'s', 0");
  rows(1999, 'triggers', 'title, is_enabled', "'t', 0");
  rows(199, 'macros', 'title, title_key, agent_id, visibility_type, reply_type', `'m', 'm', ${desk.people.agent.id}, 2, 1`);
  rows(1000 - Number(sql(desk, 'SELECT COUNT(*) FROM custom_fields WHERE area = 2 AND deleted_at IS NULL')) - 1, 'custom_fields',
    'area, type, key, is_required_for_agents, is_required_on_resolution, is_visible_to_customers, is_customer_editable, is_required_for_customers, sort_order, is_enabled', "2, 1, 'k' || n, 0, 0, 0, 0, 0, 0, 0");
  await desk.start();
  const actions = [{ name: 'priority', option: 'CHANGE', value: 4 }], targets = [{ type: 'FIRST_REPLY_TIME', goal_in_seconds: 60, operational_hours: 'CALENDAR_HOURS', priority_id: null }];
  for (const [who, path, body] of [
    [owner, '/monitors', { title: 'x', actions, predicate_collections: [{ propositions: [{ field: 'cases.createdat', operator: 'time_greaterthan', value: 2 }] }] }],
    [owner, '/slas', { title: 'x', targets }], [owner, '/triggers', { title: 'x', actions }], [staff, '/cases/macros', { title: 'x' }], [owner, '/users/fields', { type: 'TEXT', title: 'x' }],
  ]) {
    await who.create(path, body);
    (await who.post(path, { ...body, title: 'y' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  }
});

test('lists in requests have a bound, and the refusal names the list', async (t) => {
  const desk = await open(t), { owner, staff } = desk, talk = await opened(desk);
  const day = (i) => ({ title: 'Day', date: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10).split('-').reverse().join('/') });
  const option = (sort_order) => ({ type: 'SELECT', title: 'Plan', options: [{ title: 'Gold', sort_order }] });
  await owner.create('/businesshours', { title: 'Odd', zones: { monday: [1] }, holidays: list(1000, day) });
  (await owner.post('/businesshours', { title: 'Odd', zones: { monday: [1] }, holidays: list(1001, day) })).refused(400, 'FIELD_INVALID', 'holidays');
  await owner.create('/users/fields', option(1_000_000));
  for (const wrong of [1_000_001, -1, 'x', []]) (await owner.post('/users/fields', option(wrong))).refused(400, 'FIELD_INVALID', 'options[0].sort_order');
  (await staff.post('/views', { title: 'Wide', columns: list(101, () => 'subject') })).refused(400, 'FIELD_INVALID', 'columns');
  (await owner.post('/categories', { titles: list(101, () => ({ locale: 'de', translation: 'x' })) })).refused(400, 'FIELD_INVALID', 'titles');
  (await staff.post(`/cases/${talk.id}/reply`, { contents: 'x', article_ids: list(21, (i) => i + 1) })).refused(400, 'FIELD_INVALID', 'article_ids');
  const told = async (n) => (await owner.get('/teams', { fields: list(n, () => 'title').join() })).must(200).notices;
  assert.deepEqual([await told(199), await told(201)], [[], ['`fields` has more than 199 members. The others were ignored.']]);
});

test('a macro or a trigger adds no more than 100 tags to a conversation', async (t) => {
  const desk = await open(t), { owner, staff } = desk, tags = list(99, (i) => `t${i}`);
  const macro = await staff.create('/cases/macros', { title: 'Two', add_tags: 'one, two' });
  const one = await staff.create('/cases/macros', { title: 'One', add_tags: 'one, t5' });
  const { id } = await opened(desk, { tags });
  (await staff.post(`/cases/${id}/reply`, { contents: 'x', macro_id: macro.id })).refused(400, 'FIELD_INVALID');
  await staff.create(`/cases/${id}/reply`, { contents: 'x', macro_id: one.id });
  const count = async () => (await staff.fetch(`/cases/${id}/tags`, { limit: 1000 })).length;
  assert.equal(await count(), 100);
  await owner.create('/triggers', { title: 'More', actions: [addTags('t5', 'three')] });
  await staff.create(`/cases/${id}/reply`, { contents: 'y' });
  assert.equal(await count(), 100);
  (await staff.delete(`/cases/${id}/tags`, { tags: 't6' })).must(200);
  assert.equal(await count(), 100, 'the trigger added one');
});

// Relative dates in the time zone of a brand (docs/RULES.md, "One predicate engine").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, open, opened, when } from './lib/index.mjs';

const KIRITIMATI = 'Pacific/Kiritimati'; // 14 hours east of UTC
const view = (desk, ...propositions) => desk.staff.create('/views', { title: 'Days', predicate_collections: when(...propositions) });
const shown = async (desk, { id }) => (await desk.staff.fetch(`/views/${id}/cases`)).map((k) => k.id).sort((a, b) => a - b);

/** A desk in UTC with a brand in the east. */
async function twoZones(t) {
  const desk = await open(t);
  return { desk, east: await desk.admin.create('/brands', { name: 'East', time_zone: KIRITIMATI }) };
}

test('a brand has the time zone that its conversations count days in, and null for the zone of the desk', async (t) => {
  const { desk, east } = await twoZones(t);
  assert.equal(east.time_zone, KIRITIMATI);
  assert.equal((await desk.staff.fetch('/brands/1')).time_zone, null);
  (await desk.admin.put(`/brands/${east.id}`, { time_zone: 'Nowhere/At_all' })).refused(400, 'FIELD_INVALID');
  assert.equal((await desk.admin.update(`/brands/${east.id}`, { time_zone: null })).time_zone, null);
});

test('today of a view begins for each conversation at midnight of its brand', async (t) => {
  const { desk, east } = await twoZones(t);
  const here = await opened(desk), there = await opened(desk, { brand_id: east.id }); // Monday 09:30 in UTC, 23:30 in Kiritimati
  const today = await view(desk, ['cases.createdat_relative_past', 'date_after_or_on', 'today']);
  const past = await view(desk, ['cases.createdat_relative_past', 'date_before_or_on', 'yesterday']);
  assert.deepEqual([await shown(desk, today), await shown(desk, past)], [[here.id, there.id], []]);
  await desk.clock.forward(HOUR);
  assert.deepEqual([await shown(desk, today), await shown(desk, past)], [[here.id], [there.id]]);
  await desk.admin.update(`/brands/${east.id}`, { time_zone: null });
  assert.deepEqual([await shown(desk, today), await shown(desk, past)], [[here.id, there.id], []]);
  await desk.admin.update('/brands/1', { time_zone: KIRITIMATI });
  assert.deepEqual([await shown(desk, today), await shown(desk, past)], [[there.id], [here.id]]);
});

test('a trigger compares a date with the day of the brand, in memory as a view does in SQL', async (t) => {
  const { desk, east } = await twoZones(t);
  await desk.owner.create('/cases/fields', { key: 'due', type: 'DATE', title: 'Due' });
  const days = (day) => ({ field_values: { due: day } });
  const [here, there] = [await opened(desk, days('2026-11-24')), await opened(desk, { brand_id: east.id, ...days('2026-11-24') })];
  await desk.clock.forward(HOUR);
  const isToday = ['date_after_or_on', 'date_before_or_on'].map((operator) => ['casefields.due_relative', operator, 'today']);
  const trigger = await desk.admin.create('/triggers', { title: 'Due today', predicate_collections: when(...isToday), actions: [{ name: 'tags', option: 'ADD', value: ['due'] }] });
  const holds = async ({ id }) => (await desk.admin.post(`/triggers/${trigger.id}/dry_run`, { case_id: id })).must(200).data.holds;
  assert.deepEqual([await holds(here), await holds(there)], [false, true]);
  for (const { id } of [here, there]) await desk.staff.update(`/cases/${id}`, { subject: 'Still' });
  const tags = async ({ id }) => (await desk.staff.fetch(`/cases/${id}/tags`)).map((tag) => tag.name);
  assert.deepEqual([await tags(here), await tags(there)], [[], ['due']]);
  assert.deepEqual(await shown(desk, await view(desk, ...isToday)), [there.id]);
});

test('each of several zones and brands has its own day, in SLAs, triggers and views', async (t) => {
  const { desk, east } = await twoZones(t);
  const [far, west] = [await desk.admin.create('/brands', { name: 'Far', time_zone: KIRITIMATI }), await desk.admin.create('/brands', { name: 'West', time_zone: 'Pacific/Pago_Pago' })];
  await desk.owner.create('/cases/fields', { key: 'due', type: 'DATE', title: 'Due' });
  await desk.clock.forward(HOUR); // Monday 10:30 in UTC, Tuesday 00:30 in Kiritimati, Sunday 23:30 in Pago Pago
  const isToday = ['date_after_or_on', 'date_before_or_on'].map((operator) => ['casefields.due_relative', operator, 'today']);
  await desk.owner.create('/slas', { title: 'Due today', targets: [{ type: 'RESOLUTION_TIME', goal_in_seconds: 3600 }], predicate_collections: when(...isToday) });
  const trigger = await desk.admin.create('/triggers', { title: 'Never', is_enabled: false, predicate_collections: when(...isToday), actions: [{ name: 'tags', option: 'ADD', value: ['due'] }] });
  const due = await view(desk, ...isToday), expected = [];
  for (const [brand_id, today] of [[1, '2026-11-23'], [east.id, '2026-11-24'], [far.id, '2026-11-24'], [west.id, '2026-11-22']])
    for (const day of ['2026-11-22', '2026-11-23', '2026-11-24']) {
      const made = await opened(desk, { brand_id, field_values: { due: day } });
      const { sla_version } = await desk.staff.fetch(`/cases/${made.id}`), { holds } = (await desk.admin.post(`/triggers/${trigger.id}/dry_run`, { case_id: made.id })).must(200).data;
      assert.deepEqual([sla_version !== null, holds], [day === today, day === today], `brand ${brand_id}, ${day}`);
      if (day === today) expected.push(made.id);
    }
  assert.deepEqual(await shown(desk, due), expected);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const zones = (given) => Object.fromEntries(WEEK.map((day) => [day, given[day] ?? []]));
const OFFICE = [9, 10, 11, 12, 13, 14, 15, 16];

test('a new desk has default business hours: Monday to Friday, 9 to 17', async (t) => {
  const { owner } = await open(t);
  const [hours, ...more] = await owner.fetch('/businesshours');
  assert.deepEqual(more, []);
  assert.equal(hours.is_default, true);
  assert.deepEqual(hours.zones, zones({ monday: OFFICE, tuesday: OFFICE, wednesday: OFFICE, thursday: OFFICE, friday: OFFICE }));
  assert.deepEqual(hours.holidays, []);
});

test('zones always show seven days, sorted and without duplicates', async (t) => {
  const { owner } = await open(t);
  const made = await owner.create('/businesshours', { title: 'Odd', zones: { sunday: [23, 0, 12, 0, '12'], monday: [] } });
  assert.deepEqual(made.zones, zones({ sunday: [0, 12, 23] }));
  assert.deepEqual(Object.keys(made.zones), WEEK);
  assert.equal(made.is_default, false);
});

test('PUT zones replaces all of them', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/businesshours', { title: 'A', zones: { monday: [1], friday: [2] } });
  assert.deepEqual((await owner.update(`/businesshours/${id}`, { zones: { tuesday: [3] } })).zones, zones({ tuesday: [3] }));
  assert.deepEqual((await owner.update(`/businesshours/${id}`, { title: 'B' })).zones, zones({ tuesday: [3] }));
  assert.equal((await owner.put(`/businesshours/${id}`, { zones: {} })).status, 400);
  assert.equal((await owner.put(`/businesshours/${id}`, { zones: { monday: [] } })).status, 400);
});

test('hours outside a day, unknown days and an empty week are refused', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/businesshours', {})).refused(400, 'FIELD_REQUIRED', 'title', 'zones');
  for (const bad of [{ monday: [24] }, { monday: [-1] }, { monday: [1.5] }, { monday: ['x'] }, { monday: [9, null] }, { funday: [9] }, {}, { monday: [], sunday: [] }, '{}', 'nine']) {
    const reply = await owner.post('/businesshours', { title: 'x', zones: bad });
    assert.equal(reply.status, 400, `${JSON.stringify(bad)}: ${reply}`);
    assert.ok(reply.body.errors.some((e) => e.parameter === 'zones' || e.pointer?.startsWith('zones')), `${reply}`);
  }
  const pointed = await owner.post('/businesshours', { title: 'x', zones: { monday: [9, 24] } });
  pointed.refused(400, 'FIELD_INVALID', 'zones/monday/1');
  assert.equal((await owner.get('/businesshours')).body.total_count, 1);
});

test('a holiday has a title, a day/month/year date and optional open hours', async (t) => {
  const { owner } = await open(t);
  const make = (holidays) => owner.post('/businesshours', { title: 'x', zones: { monday: [9] }, holidays });
  const { holidays } = (await make([{ title: 'Leap', date: '29/02/2028' }, { title: 'Eve', date: '24/12/2026', open_hours: [9, 10] }])).must(201).data;
  assert.deepEqual(holidays.map((h) => [h.title, h.date]), [['Leap', '29/02/2028'], ['Eve', '24/12/2026']]);
  assert.deepEqual(holidays[1].open_hours, [9, 10]);
  for (const bad of [{ title: 'x', date: '29/02/2027' }, { title: 'x', date: '31/04/2026' }, { title: 'x', date: '2026-12-24' }, { title: 'x', date: '12/24/2026' }, { title: 'x', date: '' }, { title: 'x' }, { date: '24/12/2026' },
    { title: 'x', date: '24/12/2026', open_hours: [24] }, 'x', { title: 'x', date: '1/1/99999' }]) {
    const reply = await make([{ title: 'Good', date: '01/01/2027' }, bad]);
    assert.equal(reply.status, 400, `${JSON.stringify(bad)}: ${reply}`);
    assert.ok(reply.body.errors.some((e) => e.pointer?.startsWith('holidays/1')), `${reply}`);
  }
});

test('a list of holidays replaces the old list, and an empty list clears it', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/businesshours', { title: 'x', zones: { monday: [9] }, holidays: [{ title: 'A', date: '01/01/2027' }] });
  assert.deepEqual((await owner.update(`/businesshours/${id}`, { holidays: [{ title: 'B', date: '02/01/2027' }] })).holidays.map((h) => h.title), ['B']);
  assert.deepEqual((await owner.update(`/businesshours/${id}`, { title: 'y' })).holidays.map((h) => h.title), ['B']);
  assert.deepEqual((await owner.update(`/businesshours/${id}`, { holidays: [] })).holidays, []);
});

test('there is always one default: another one can take over, but it can\'t be unset or deleted', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/businesshours', { title: 'x', zones: { monday: [9] } });
  const defaults = async () => (await owner.fetch('/businesshours')).filter((h) => h.is_default).map((h) => h.id);
  assert.equal((await owner.put('/businesshours/1', { is_default: false })).status, 400);
  (await owner.delete('/businesshours/1')).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await owner.delete('/businesshours', { ids: `${id},1` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.deepEqual(await defaults(), [1]);
  (await owner.get(`/businesshours/${id}`)).must(200);
  await owner.update(`/businesshours/${id}`, { is_default: true });
  assert.deepEqual(await defaults(), [id]);
  (await owner.delete('/businesshours/1')).must(200);
  assert.deepEqual(await defaults(), [id]);
});

test('a team whose business hours are deleted gets the default', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/businesshours', { title: 'x', zones: { monday: [9] } });
  const team = await owner.create('/teams', { title: 'T', businesshour_id: id });
  (await owner.delete(`/businesshours/${id}`)).must(200);
  const { businesshour } = await owner.fetch(`/teams/${team.id}`);
  assert.ok(businesshour === null || businesshour.id === 1, JSON.stringify(businesshour));
});

test('only names of the tz database are time zones', async (t) => {
  const { owner } = await open(t);
  const make = (time_zone) => owner.post('/businesshours', { title: 'x', zones: { monday: [9] }, time_zone });
  assert.equal((await make('America/Argentina/Buenos_Aires')).must(201).data.time_zone, 'America/Argentina/Buenos_Aires');
  assert.equal((await make(undefined)).must(201).data.time_zone, 'UTC');
  for (const bad of ['../../../etc/passwd', '/etc/localtime', 'Mars/Olympus', 'europe/', '+25:00', 'Europe/Berlin\u0000', ':UTC', 'x'.repeat(5000), 'posix/../UTC']) {
    (await make(bad)).must(400);
  }
});

test('only admins and owners see and write business hours', async (t) => {
  const desk = await open(t);
  for (const who of [desk.staff, desk.as('collaborator'), desk.customer]) {
    for (const path of ['/businesshours', '/businesshours/1']) (await who.get(path)).refused(403, 'PERMISSIONS_DENIED');
    (await who.post('/businesshours', {})).refused(403, 'PERMISSIONS_DENIED');
  }
  (await desk.admin.get('/businesshours')).must(200);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, MONDAY, ROLES, iso, shared } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const SEARCH = '/insights/helpcenter/search';

describe('insights into searches:', () => {
  const days = (n) => MONDAY - n * DAY * 1000;
  const counted = (desk, rows) => sql(desk, `INSERT INTO help_center_searches (name_key, name, attempts, results, searched_at) VALUES ${rows.map(([name, attempts, results, at]) => `('${name.toLowerCase()}', '${name}', ${attempts}, ${results}, ${at})`).join(', ')}`);
  const world = shared(({ desk }) => counted(desk, [
    ['Refund', 5, 20, days(1)], ['REFUND', 4, 16, days(3)], ['refund', 1, 1, days(40)],
    ['Teleport', 8, 0, days(2)], ['teleport', 3, 0, days(2) + 999],
    ['seldom', 2, 1, days(29)], ['=1+1', 1, 0, days(4)], ['later found', 7, 0, days(9)], ['later found', 1, 3, days(8)],
    ...Array.from({ length: 12 }, (_, i) => [`rare ${i}`, 1, i % 2 ? 0 : 5, days(10 + i / 100)]),
  ]));
  const query = (name, average, attempts, at) => ({ name, average_result_count: average, attempt_count: attempts, last_attempted_at: iso(at), resource_type: 'report_helpcenter_query' });

  test('the report has ten popular and ten failed texts of the last 30 days, the most frequent first', async () => {
    const { desk } = world;
    const { data, body } = (await desk.staff.get(`${SEARCH}.json`)).must(200);
    assert.equal(body.resource, 'report_helpcenter_search');
    assert.deepEqual([data.start_at, data.end_at], [iso(days(30)), iso(MONDAY)]);
    assert.deepEqual(data.popular_searches.slice(0, 5), [
      query('Teleport', 0, 11, days(2)), query('Refund', 4, 9, days(1)), query('later found', 1, 8, days(8)), query('seldom', 1, 2, days(29)), query('=1+1', 0, 1, days(4)),
    ]);
    assert.equal(data.popular_searches.length, 10);
    assert.deepEqual(data.failed_searches.map((q) => q.name), ['Teleport', '=1+1', 'rare 1', 'rare 3', 'rare 5', 'rare 7', 'rare 9', 'rare 11']);
    assert.ok(data.failed_searches.every((q) => q.average_result_count === 0));
  });

  test('start_at and end_at choose the period, and both seconds belong to it', async () => {
    const { desk } = world;
    const names = async (start, end) => (await desk.staff.fetch(SEARCH, { start_at: start, end_at: end })).popular_searches.map((q) => [q.name, q.attempt_count]);
    assert.deepEqual(await names(iso(days(41)), iso(days(39))), [['refund', 1]]);
    assert.deepEqual(await names(iso(days(2)), iso(days(2))), [['Teleport', 11]]);
    assert.deepEqual(await names(iso(days(2)), '2026-11-21T11:30:00+02:00'), [['Teleport', 11]]);
    assert.deepEqual(await names('2020-01-01T00:00:00+0000', '2020-01-02T00:00:00Z'), []);
    const { data } = (await desk.staff.get(SEARCH, { end_at: iso(days(39)) })).must(200);
    assert.deepEqual([data.start_at, data.popular_searches.map((q) => q.name)], [iso(days(69)), ['refund']]);
  });

  test('wrong dates are refused by name', async () => {
    const { desk } = world;
    (await desk.staff.get(SEARCH, { start_at: 'yesterday', end_at: '2026-13-01T00:00:00+00:00' })).refused(400, 'FIELD_INVALID', 'start_at', 'end_at');
    (await desk.staff.get(SEARCH, { start_at: iso(days(1)), end_at: iso(days(2)) })).refused(400, 'FIELD_INVALID', 'end_at');
    (await desk.staff.get(SEARCH, { start_at: iso(MONDAY + 60_000) })).refused(400, 'FIELD_INVALID', 'start_at');
    (await desk.staff.get(SEARCH, { format: 'xls' })).refused(400, 'FIELD_INVALID', 'format');
  });

  test('staff with the permission insights.access read it, others do not', async () => {
    const { desk } = world;
    for (const role of ROLES) {
      const reply = await desk.as(role).get(SEARCH);
      if (role === 'customer') reply.refused(403, 'PERMISSIONS_DENIED');
      else reply.must(200);
    }
    (await desk.anyone.get(SEARCH)).refused(401, 'AUTHORIZATION_REQUIRED');
    const { id } = await desk.owner.create('/roles', { title: 'Narrow', type: 'AGENT' });
    (await desk.owner.put(`/roles/${id}/permissions`, { 'insights.access': false })).must(200);
    const { client } = await desk.person('agent', { role_id: id });
    (await client.get(SEARCH)).refused(403, 'PERMISSIONS_DENIED');
  });

  test('the report as CSV runs no formula in a spreadsheet', async () => {
    const { desk } = world;
    for (const [query_, headers] of [['?format=csv', {}], ['?format=CSV', { Accept: 'text/csv' }], ['', { Accept: 'text/csv' }], ['', { Accept: 'text/*, application/xml' }]]) {
      const reply = (await desk.staff.exchange('GET', `/api/v1${SEARCH}${query_}`, { headers })).must(200);
      assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8');
      assert.equal(reply.headers['content-disposition'], 'attachment; filename="searches.csv"');
      assert.equal(reply.headers['x-content-type-options'], 'nosniff');
      const lines = reply.text.split('\r\n');
      assert.deepEqual([lines[0], lines[1], lines[5], lines.at(-1)], [
        '"list","name","average_result_count","attempt_count","last_attempted_at"', `"popular","Teleport",0,11,"${iso(days(2))}"`, `"popular","'=1+1",0,1,"${iso(days(4))}"`, '',
      ]);
      assert.equal(lines.length, 1 + 10 + 8 + 1);
    }
    (await desk.staff.get(SEARCH, {}, { Accept: 'text/csv, application/json' })).must(200);
    (await desk.staff.get(SEARCH, {}, { Accept: 'application/xml' })).refused(406, 'NOT_ACCEPTABLE');
    (await desk.staff.get('/me', {}, { Accept: 'text/csv' })).refused(406, 'NOT_ACCEPTABLE');
  });
});

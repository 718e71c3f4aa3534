import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, MONDAY, ROLES, iso, open, shared, until } from './lib/index.mjs';
import { newArticle } from './lib/published.mjs';
import { sql } from './lib/sql.mjs';

const SEARCH = '/insights/helpcenter/search';
const ARTICLES = '/insights/helpcenter/articles';

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
    const asked = async (texts) => { const { popular_searches: all, failed_searches: failed } = await desk.staff.fetch(SEARCH, { texts }); return [all.length, failed.length]; };
    assert.deepEqual([await asked(1), await asked(100)], [[1, 1], [17, 8]]);
    for (const texts of [0, 101, 'x']) (await desk.staff.get(SEARCH, { texts })).refused(400, 'FIELD_INVALID', 'texts');
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

describe('insights into articles:', () => {
  const world = shared(async (w) => {
    const { desk } = w;
    w.made = [];
    for (const [i, views] of [12, 40, 40, 7].entries()) {
      const id = await newArticle(desk, { title: i === 1 ? '=cmd("x"), yes' : `Article ${i}`, visibility: i === 3 ? 'AGENTS' : 'PUBLIC' });
      sql(desk, `UPDATE articles SET views = ${views}, rank = ${views} + 10, upvote_count = 1, conversations = ${i} WHERE id = ${id}`);
      w.made.push(id);
    }
    w.draft = await newArticle(desk, { status: 'DRAFT' });
    w.foreign = await newArticle(desk, { visibility: 'AGENTS' });
  });

  test('published articles are listed, those with the most views first, with the conversations opened from their pages', async () => {
    const { desk, made: [a, b, c, d], foreign } = world;
    const { body, data } = (await desk.staff.get(`${ARTICLES}.json`)).must(200);
    assert.deepEqual([body.resource, body.total_count, data.map((x) => x.id)], ['article', 5, [c, b, a, d, foreign]]);
    assert.deepEqual(data.map((x) => [x.views, x.rank, x.upvote_count, x.conversations, x.resource_type]).slice(0, 3), [[40, 50, 1, 2, 'article'], [40, 50, 1, 1, 'article'], [12, 22, 1, 0, 'article']]);
    for (const name of ['legacy_id', 'uuid', 'titles', 'contents', 'keywords', 'section', 'creator', 'author', 'status', 'upvote_count', 'downvote_count', 'views',
      'rank', 'tags', 'is_featured', 'allow_comments', 'total_comments', 'created_at', 'published_at', 'updated_at']) assert.ok(name in data[0], name);
    assert.deepEqual((await desk.staff.get(ARTICLES, { offset: 1, limit: 2 })).ids, [b, a]);
    assert.ok(!('conversations' in await desk.staff.fetch(`/articles/${a}`)));
    assert.equal((await desk.anyone.fetch(`/articles/${b}`, { fields: '+conversations' })).conversations ?? null, null);
  });

  test('the roles of the other report read it, each the articles that it sees', async () => {
    const { desk, foreign } = world;
    for (const role of ['collaborator', 'agent', 'admin', 'owner']) assert.equal((await desk.as(role).get(ARTICLES)).must(200).body.total_count, 5);
    (await desk.customer.get(ARTICLES)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get(ARTICLES)).refused(401, 'AUTHORIZATION_REQUIRED');
    const team = await desk.owner.create('/teams', { title: 'Insiders' });
    sql(desk, `INSERT INTO section_teams (section_id, team_id) SELECT section_id, ${team.id} FROM articles WHERE id = ${foreign};
      UPDATE sections SET is_limited_to_teams = 1 WHERE id = (SELECT section_id FROM articles WHERE id = ${foreign})`);
    assert.ok(!(await desk.staff.get(ARTICLES)).ids.includes(foreign));
    assert.ok((await desk.admin.get(ARTICLES)).ids.includes(foreign));
    const csv = async (who) => (await who.exchange('GET', `/api/v1${ARTICLES}?format=csv`)).must(200).text;
    assert.ok(!(await csv(desk.staff)).includes(`\n${foreign},`) && (await csv(desk.admin)).includes(`\n${foreign},`));
  });

  test('the list as CSV quotes titles, runs no formula and has a link to the next lines', async () => {
    const { desk, made: [, b, c] } = world;
    const reply = (await desk.staff.exchange('GET', `/api/v1${ARTICLES}?format=csv&limit=2`)).must(200);
    assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8');
    const lines = reply.text.split('\r\n');
    assert.equal(lines.length, 4);
    assert.equal(lines[0], '"id","legacy_id","title","section_id","views","rank","upvote_count","downvote_count","total_comments","conversations","is_featured","created_at","published_at","updated_at"');
    assert.ok(lines[1].startsWith(`${c},"","Article 2",`) && lines[1].includes(',40,50,1,0,0,2,0,"2026-'), lines[1]);
    assert.ok(lines[2].startsWith(`${b},"","'=cmd(""x""), yes",`), lines[2]);
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(reply.headers.link);
    const rest = (await desk.staff.exchange('GET', next.slice(desk.base.length), { headers: { Accept: 'text/csv' } })).must(200);
    assert.equal(rest.text.split('\r\n').length, 4);
    const last = (await desk.staff.exchange('GET', `/api/v1${ARTICLES}?offset=4`, { headers: { Accept: 'text/csv' } })).must(200);
    assert.equal(last.headers.link, undefined);
    (await desk.staff.get(ARTICLES, { format: 'csv', limit: -1 })).refused(400, 'FIELD_INVALID', 'limit');
  });
});

test('searches are gathered, written, and reported with the averages of their results', async (t) => {
  const desk = await open(t);
  await newArticle(desk, { title: 'The zebra' });
  await newArticle(desk, { title: 'A zebra for staff', visibility: 'AGENTS' });
  const search = async (who, query, more) => (await who.get('/helpcenter/search', { query, ...more })).must(200);
  await until('the articles are indexed', async () => {
    desk.clock.write(desk.clock.now + 1000);
    return (await search(desk.anyone, 'indexed')).body.logs === undefined;
  });
  const found = [];
  for (const [who, query] of [[desk.anyone, 'zebra'], [desk.customer, 'Zebra'], [desk.staff, ' ZEBRA '], [desk.staff, 'zebra']]) found.push((await search(who, query)).data.length);
  assert.deepEqual(found, [1, 1, 2, 2]);
  await search(desk.anyone, 'zebra', { offset: 1 }); // the next page is no search
  for (let i = 0; i < 3; i++) assert.deepEqual((await search(desk.anyone, 'Teleport')).data, []);
  await desk.restart(); // writes what was gathered
  const { popular_searches: popular, failed_searches: failed } = await desk.staff.fetch(SEARCH);
  const shown = (list) => list.filter(({ name }) => name !== 'indexed').map((q) => [q.name.toLowerCase(), q.average_result_count, q.attempt_count]);
  assert.deepEqual([shown(popular), shown(failed)], [[['zebra', 2, 4], ['teleport', 0, 3]], [['teleport', 0, 3]]]);
  const [zebra] = popular.filter(({ name }) => name.toLowerCase() === 'zebra');
  const csv = (await desk.staff.exchange('GET', `/api/v1${SEARCH}?format=csv`)).must(200).text;
  assert.ok(csv.includes(`"popular","${zebra.name}",2,4,"${zebra.last_attempted_at}"`), csv);
  assert.match(csv, /^"failed","Teleport",0,3,/m);
});

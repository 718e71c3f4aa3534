// The report of articles against a slow reference, and views that are counted by the day of the desk's clock.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, HOUR, MONDAY, clean, dice, iso, open, shared } from './lib/index.mjs';
import { newArticle } from './lib/published.mjs';
import { sql } from './lib/sql.mjs';
import { apiToken } from './lib/tokens.mjs';

const PATH = '/insights/helpcenter/period', D = DAY * 1000, H = HOUR * 1000, ZONE = 'Europe/Berlin';
const NUMBERS = ['views', 'upvotes', 'downvotes', 'comments'], ALL = [...NUMBERS, 'searches', 'searches_without_results'];
const format = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE });
const dateOf = (ms) => format.format(ms), next = (date, n) => new Date(Date.parse(date) + n * D).toISOString().slice(0, 10);
const none = (names) => Object.fromEntries(names.map((name) => [name, 0]));
const setZone = (desk) => desk.owner.update('/settings', { values: { 'desk.time_zone': ZONE } });

describe('the report of articles:', () => {
  const world = shared(async (w) => {
    const { desk } = w;
    await setZone(desk);
    w.articles = [];
    for (const [i, visibility] of ['PUBLIC', 'PUBLIC', 'AGENTS', 'PUBLIC', 'AGENTS'].entries()) w.articles.push(await newArticle(desk, { title: i === 1 ? '=cmd("x")' : `Article ${i}`, visibility }));
  });
  /** Random rows around a change of the clocks, in place of all others: the events, with their dates. */
  const fill = ({ desk, articles }, d, middle) => {
    const events = [], moment = () => middle - 25 * D + d.below(50 * DAY) * 1000, views = new Map();
    for (let i = d.below(60); i > 0; i--) {
      const article = d.one(articles), day = Math.floor((middle + (d.below(50) - 25) * D) / D), n = 1 + d.below(9);
      if (views.has(`${article} ${day}`)) continue;
      views.set(`${article} ${day}`, `(${article}, ${day}, ${n})`);
      events.push({ article, what: 'views', date: new Date(day * D).toISOString().slice(0, 10), n });
    }
    const votes = [], comments = [], searches = [];
    for (let i = d.below(80); i > 0; i--) {
      const article = d.one(articles), at = moment(), up = d.below(2);
      votes.push(`(${article}, 'f${i}', ${up}, ${at})`);
      events.push({ article, what: up ? 'upvotes' : 'downvotes', date: dateOf(at), n: 1 });
    }
    for (let i = d.below(40); i > 0; i--) {
      const article = d.one(articles), at = moment(), status = d.one([1, 1, 2]);
      comments.push(`(${article}, ${desk.people.customer.id}, 't', 0, ${status}, ${at}, ${at})`);
      if (status === 1) events.push({ article, what: 'comments', date: dateOf(at), n: 1 });
    }
    for (let i = d.below(80); i > 0; i--) {
      const at = moment(), n = 1 + d.below(5), results = d.one([0, 3]);
      searches.push(`('a', 'a', ${n}, ${results}, ${at})`);
      events.push({ what: 'searches', date: dateOf(at), n }, ...(results ? [] : [{ what: 'searches_without_results', date: dateOf(at), n }]));
    }
    const insert = (table, columns, rows) => (rows.length ? `INSERT INTO ${table} (${columns}) VALUES ${rows.join(', ')};` : '');
    sql(desk, `DELETE FROM article_views; DELETE FROM article_votes; DELETE FROM article_comments; DELETE FROM help_center_searches;
      ${insert('article_views', 'article_id, day, views', [...views.values()])} ${insert('article_votes', 'article_id, fingerprint, is_up, created_at', votes)}
      ${insert('article_comments', 'article_id, user_id, contents, is_html, status, created_at, updated_at', comments)} ${insert('help_center_searches', 'name_key, name, attempts, results, searched_at', searches)}`);
    return events;
  };
  /** The report by the reference, of these articles. */
  const expected = (events, { start_at, end_at }, order, seen) => {
    const first = dateOf(Date.parse(start_at)), last = dateOf(Date.parse(end_at) - 1), days = [];
    for (let date = first; date <= last; date = next(date, 1)) days.push(date);
    const from = next(first, -days.length), counts = events.filter((e) => e.article === undefined || seen.includes(e.article));
    const sum = (list, names) => list.reduce((found, { what, n }) => ({ ...found, [what]: found[what] + n }), none(names));
    const now = counts.filter(({ date }) => date >= first && date <= last), before = counts.filter(({ date }) => date >= from && date < first);
    const ids = [...new Set([...now, ...before].map(({ article }) => article).filter(Boolean))], of = (list, id) => sum(list.filter((e) => e.article === id), NUMBERS);
    const articles = ids.map((id) => ({ id, total: of(now, id), previous: of(before, id) }));
    articles.sort((a, b) => b.total[order] - a.total[order] || b.previous[order] - a.previous[order] || b.total.views - a.total.views || a.id - b.id);
    return { days, numbers: Object.fromEntries(ALL.map((name) => [name, days.map((date) => sum(now.filter((e) => e.date === date), ALL)[name])])), articles, total: sum(now, ALL), previous: sum(before, ALL) };
  };

  test('each number of random help centers equals the reference, of what the caller sees', async () => {
    const { desk, articles } = world, d = dice(11);
    const team = await desk.owner.create('/teams', { title: 'Insiders' }), [, , , , hidden] = articles;
    sql(desk, `INSERT INTO section_teams (section_id, team_id) SELECT section_id, ${team.id} FROM articles WHERE id = ${hidden}; UPDATE sections SET is_limited_to_teams = 1 WHERE id = (SELECT section_id FROM articles WHERE id = ${hidden})`);
    for (let round = 0; round < 12; round++) {
      const middle = d.one([Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25), Date.UTC(2026, 5, 1)]), events = fill(world, d, middle);
      await desk.owner.update(`/teams/${team.id}`, { title: `Insiders ${round}` }); // a write of the desk ends its kept snapshots
      for (let k = 0; k < 4; k++) {
        const from = middle - d.below(15) * D - d.below(DAY) * 1000, order = d.one(NUMBERS), ask = { start_at: iso(from), end_at: iso(from + 1000 + d.below(12 * DAY) * 1000), order: order.toUpperCase() };
        for (const [who, seen] of [[desk.owner, articles], [desk.staff, articles.slice(0, 4)]]) {
          const data = await who.fetch(PATH, ask), right = expected(events, ask, order, seen), say = `round ${round}: ${JSON.stringify(ask)}`;
          assert.deepEqual([data.days, data.numbers], [right.days, right.numbers], say);
          assert.deepEqual(data.articles.map(({ title: _, ...line }) => line), right.articles, say);
          assert.deepEqual([data.total, data.previous, data.article_count], [right.total, right.previous, right.articles.length], say);
          assert.ok(data.articles.every(({ title }) => /^(Article \d|=cmd\("x"\))$/.test(title)), say);
          assert.equal(dateOf(Date.parse(data.start_at) - 1), next(data.days[0], -1));
          assert.equal(data.previous_end_at, data.start_at);
        }
      }
    }
  });

  test('the CSV has articles or days, and runs no formula', async () => {
    const { desk, articles } = world;
    sql(desk, `DELETE FROM article_views; DELETE FROM article_votes; DELETE FROM article_comments; DELETE FROM help_center_searches;
      INSERT INTO article_views (article_id, day, views) VALUES (${articles[1]}, ${Math.floor(MONDAY / D)}, 4), (${articles[0]}, ${Math.floor(MONDAY / D) - 1}, 9)`);
    await desk.owner.create('/teams', { title: 'Another' });
    const ask = { start_at: iso(MONDAY - D), end_at: iso(MONDAY) }, csv = async (more) => (await desk.staff.exchange('GET', `/api/v1${PATH}?${new URLSearchParams({ ...ask, format: 'csv', ...more })}`)).must(200);
    const lines = await csv({});
    assert.match(lines.headers['content-disposition'], /"articles.csv"/);
    assert.deepEqual(lines.text.trimEnd().split('\r\n'), ['"article_id","title","views","upvotes","downvotes","comments","previous_views","previous_upvotes","previous_downvotes","previous_comments"',
      `${articles[0]},"Article 0",9,0,0,0,0,0,0,0`, `${articles[1]},"'=cmd(""x"")",4,0,0,0,0,0,0,0`]);
    assert.equal((await csv({ most: 1 })).text.trimEnd().split('\r\n').length, 2);
    const days = await csv({ lines: 'DAYS' });
    assert.match(days.headers['content-disposition'], /"days.csv"/);
    assert.deepEqual(days.text.trimEnd().split('\r\n').map((line) => line.split(',').slice(0, 2).join()), ['"day","views"', `"${dateOf(MONDAY - D)}",9`, `"${dateOf(MONDAY)}",4`]);
  });

  test('wrong questions are refused in words, and others may not ask', async () => {
    const { desk } = world;
    (await desk.owner.get(PATH, { start_at: iso(MONDAY), end_at: iso(MONDAY) })).refused(400, 'FIELD_INVALID', 'end_at');
    (await desk.owner.get(PATH, { order: 'LIKES', most: 0, lines: 'HOURS' })).refused(400, 'FIELD_INVALID', 'order', 'most', 'lines');
    (await desk.owner.get(PATH, { start_at: '1990-01-01T00:00:00Z' })).refused(400, 'FIELD_INVALID', 'start_at');
    (await desk.customer.get(PATH)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get(PATH)).refused(401, 'AUTHORIZATION_REQUIRED');
    const { client } = await apiToken(desk, desk.owner, { scopes: ['conversations'] });
    (await client.get(PATH)).refused(403, 'PERMISSIONS_DENIED');
  });
});

test('views count on the day that the clock of the desk shows, also in one batch, and go with their article', async (t) => {
  const desk = await open(t);
  await setZone(desk);
  const article = await newArticle(desk), other = await newArticle(desk), midnight = Date.parse(`${dateOf(MONDAY)}T23:00:00Z`), read = async (id) => (await desk.anyone.get(`/articles/${id}`)).must(200);
  desk.clock.write(midnight - 1000);
  for (let i = 0; i < 3; i++) await read(article);
  await read(other);
  desk.clock.write(midnight + 1000);
  for (let i = 0; i < 2; i++) await read(article);
  (await desk.owner.get(`/articles/${article}`)).must(200); // staff are not counted
  await desk.restart(); // writes what was gathered
  const report = () => desk.owner.fetch(PATH, { start_at: iso(midnight - H), end_at: iso(midnight + H) });
  const data = await report();
  assert.deepEqual([data.days, data.numbers.views], [[dateOf(midnight - H), dateOf(midnight)], [4, 2]]);
  assert.deepEqual(data.articles.map((line) => [line.id, line.total.views]), [[article, 5], [other, 1]]);
  assert.equal((await desk.owner.fetch(`/articles/${article}`)).views, 5);
  await read(article);
  await desk.restart();
  assert.deepEqual((await report()).numbers.views, [4, 3], 'a later batch adds to the day');
  await read(article);
  (await desk.owner.delete(`/articles/${article}`)).must(200);
  await desk.restart(); // a view of a deleted article is no row
  assert.equal(desk.sql(`SELECT COUNT(*) FROM article_views WHERE article_id = ${article}`).trim(), '0');
  assert.deepEqual((await report()).articles.map((line) => line.id), [other]);
  clean(desk);
});

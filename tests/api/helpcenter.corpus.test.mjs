// Relevance: searches of the help center over a judged corpus (fixtures/helpcenter.mjs). On PostgreSQL the results are also compared with those of SQLite.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ARTICLES, QUERIES, SYNONYMS, TRANSLATIONS } from './fixtures/helpcenter.mjs';
import { Desk, deskd, directory, shared, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';
import { CLUSTER, passwordFile } from './lib/stores.mjs';

const FLOOR = 0.95;

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

/** The corpus as SQL, without an index, as in a desk of an earlier version. */
function corpus() {
  const fields = [], articles = [];
  ARTICLES.forEach(([key, title, contents, keywords], i) => {
    const id = i + 1;
    articles.push(`(${id}, 'uuid-${key}', 1, 3, ${quoted(keywords)}, 0, 1, ${id}, 1000, 1000)`);
    for (const [locale, [t, c]] of Object.entries({ 'en-us': [title, contents], ...TRANSLATIONS[key] }))
      fields.push(`(11, ${id}, '${locale}', ${quoted(t)}, 1000, 1000), (12, ${id}, '${locale}', ${quoted(`<p>${c.replaceAll('. ', '.</p><p>')}</p>`)}, 1000, 1000)`);
  });
  return `INSERT INTO sections (id, category_id, visibility, article_order_by, sort_order, created_at, updated_at) VALUES (1, 1, 1, 1, 1, 1000, 1000);
    INSERT INTO articles (id, uuid, section_id, status, keywords, is_featured, allow_comments, sort_order, created_at, updated_at) VALUES ${articles};
    INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) VALUES ${fields};
    INSERT INTO settings (name, value, updated_at) VALUES ('helpcenter.synonyms', ${quoted(SYNONYMS)}, 1000);
    INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('index_search', 1, '{}', 0, 0, 0, 0);`;
}

const key = (hit) => ARTICLES[hit.original.id - 1][0];

async function results(desk) {
  await until('the articles are indexed', async () => {
    desk.clock.write(desk.clock.now + 1000);
    const { data, body } = (await desk.anyone.get('/helpcenter/search', { query: 'students' })).must(200);
    return body.logs === undefined && data.length > 0;
  });
  const found = [];
  for (const [query, locale] of QUERIES) {
    const { data, body } = (await desk.anyone.get('/helpcenter/search', { query, locale, limit: 20 })).must(200);
    found.push([data.map((hit) => [key(hit), hit.title, hit.contents]), body.total_count, body.logs]);
  }
  return found;
}

const gain = (grade, place) => (2 ** grade - 1) / Math.log2(place + 2);

/** Normalised discounted cumulative gain of the first five results. 1: as expected. */
function ndcg(found, expected) {
  const grade = (name) => (expected.includes(name) ? Math.max(3 - expected.indexOf(name), 1) : 0);
  const sum = (names) => names.slice(0, 5).reduce((all, name, place) => all + gain(grade(name), place), 0);
  return sum(found) / sum(expected);
}

describe('a help center of 62 articles in four languages', () => {
  let desk;
  shared((world) => {
    desk = world.desk;
    sql(desk, corpus());
    return desk.restart(); // the setting was written behind its back
  });

  test('searches find what readers expect', async (t) => {
    const found = await results(desk);
    const scores = QUERIES.map(([, , expected], i) => ndcg(found[i][0].map(([name]) => name), expected));
    const mean = scores.reduce((a, b) => a + b) / scores.length;
    t.diagnostic(`nDCG@5 ${mean.toFixed(3)} of ${QUERIES.length} queries`);
    QUERIES.forEach(([query, locale, expected], i) => scores[i] < 0.8 && t.diagnostic(`${scores[i].toFixed(2)} ${query} (${locale}) expected ${expected}, found ${found[i][0].slice(0, 5).map(([name]) => name)}`));
    assert.ok(mean >= FLOOR, `${mean}`);
    for (const [i, [query]] of QUERIES.entries()) assert.ok(found[i][0].length > 0, query);
  });

  test('both engines find the same', { skip: !CLUSTER && 'it needs PostgreSQL' }, async (t) => {
    const dir = directory();
    assert.equal(deskd('init', '--data', dir, '--owner-email', 'owner@example.com', '--owner-name', 'Olive', '--password-file', passwordFile()).status, 0);
    assert.equal(spawnSync('sqlite3', [join(dir, 'desk.db'), corpus()], { encoding: 'utf8' }).stderr, '');
    const other = await new Desk(dir, { url: null, processes: 1 }).start();
    t.after(() => other.stop());
    assert.deepEqual(await results(desk), await results(other));
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';
import { another, psql } from './lib.mjs';

test('conversations that are created, answered and closed concurrently are counted exactly', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  const made = await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 2 ? desk : second).customer.create('/conversations', { subject: 'S', contents: 'C' })));
  const total = async (who, query) => (await who.get('/conversations', query)).must(200).body.total_count;
  for (const who of [desk.staff, second.staff, desk.customer]) assert.equal(await total(who), 60);
  assert.ok(Number(psql(databaseUrl(desk.dir), 'SELECT count(DISTINCT shard) FROM case_totals')) > 1, 'no row is locked by all writes');
  await Promise.all(made.map(({ id }, i) => (i % 2 ? second : desk).staff.update(`/conversations/${id}`, { status_id: i % 3 ? 3 : 4 })));
  assert.equal(await total(desk.staff), 60);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('articles of two sections that are moved, published and deleted concurrently are counted exactly', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir);
  const second = await another(t, desk);
  const sections = [];
  for (const titles of ['One', 'Two']) sections.push((await desk.owner.create('/sections', { titles, category_id: 1 })).id);
  const made = [];
  for (let i = 0; i < 32; i++) made.push((await desk.staff.create('/articles', { titles: 'T', contents: 'C', section_id: sections[i % 2], status: i % 3 ? 'PUBLISHED' : 'DRAFT' })).id);
  const deadlocks = () => Number(psql(url, 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'));
  const before = deadlocks();
  /** Each writer goes through its own articles, and through those of its neighbour. */
  const write = async (k) => {
    const { staff } = k % 2 ? second : desk;
    for (let step = 0; step < 12; step++) {
      const id = made[(4 * k + step) % made.length];
      const sent = step % 6 === 5 ? staff.delete(`/articles/${id}`)
        : staff.put(`/articles/${id}`, step % 3 === 2 ? { status: step % 2 ? 'DRAFT' : 'PUBLISHED' } : { section_id: sections[(k + step) % 2] });
      const reply = await sent;
      if (reply.status === 404) reply.refused(404, 'RESOURCE_NOT_FOUND');
      else reply.must(200);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, k) => write(k)));
  const bulk = psql(url, 'SELECT string_agg(id::text, \',\' ORDER BY id) FROM (SELECT id FROM articles WHERE deleted_at IS NULL ORDER BY id LIMIT 4) a').split(',');
  const replies = await Promise.all([desk.staff.delete('/articles', { ids: bulk }), ...bulk.map((id, i) => second.staff.put(`/articles/${id}`, { section_id: sections[i % 2] }))]);
  replies[0].must(200);
  for (const reply of replies.slice(1)) assert.ok([200, 404].includes(reply.status), reply.text);
  const counted = psql(url, `SELECT string_agg(total_articles || ' ' || published_articles, ', ' ORDER BY id) FROM sections WHERE id IN (${sections})`);
  const exact = psql(url, `SELECT string_agg((SELECT COUNT(*) || ' ' || COUNT(*) FILTER (WHERE status = 3) FROM articles a WHERE a.section_id = s.id AND a.deleted_at IS NULL), ', ' ORDER BY id) FROM sections s WHERE id IN (${sections})`);
  assert.equal(counted, exact);
  assert.equal(desk.check().status, 0, desk.check().stdout);
  t.diagnostic(`${deadlocks() - before} deadlocks`);
});

// Locks of sections and articles: writes take them in one order, so none waits for another in a circle.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';
import { psql } from './lib.mjs';

const SECTIONS = 4, ARTICLES = 80;

/** A generator of numbers, so that a failure can be repeated. */
const numbers = (seed) => (most) => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return Math.floor(seed / 2 ** 32 * most); };

test('moves, changes and bulk deletions of the same articles cause no deadlock, and the counters stay exact', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir), { owner } = desk, random = numbers(7);
  const sections = [];
  for (let i = 0; i < SECTIONS; i++) sections.push((await owner.create('/sections', { titles: `S${i}`, category_id: 1 })).id);
  const { id: job } = (await owner.post('/bulk/articles', { articles: Array.from({ length: ARTICLES }, (_, i) => ({ titles: [{ locale: 'en-us', translation: `Engine ${i}` }], contents: [{ locale: 'en-us', translation: '<p>Turn the key.</p>' }], section_id: sections[i % SECTIONS], status: 'PUBLISHED' })) })).must(202).data;
  assert.equal((await desk.job(owner, job)).status, 'COMPLETED');
  const ids = (await owner.fetch('/articles', { limit: 1000 })).map(({ id }) => id).filter((id) => id);
  const left = [...ids];
  const group = () => Array.from({ length: 6 }, () => ids[random(ids.length)]).filter((id, i, all) => all.indexOf(id) === i);
  const writes = Array.from({ length: 240 }, (_, i) => {
    if (i % 12 === 0) return () => owner.delete('/articles', { ids: group().join() });
    if (i % 12 === 6) return () => owner.delete('/articles', { ids: [left.pop(), left.shift(), left.pop()].join() });
    return () => owner.put(`/articles/${ids[random(ids.length)]}`, { section_id: sections[random(SECTIONS)], status: random(2) ? 'PUBLISHED' : 'DRAFT' });
  });
  const worker = async () => { for (let write; (write = writes.shift());) assert.ok([200, 404].includes((await write()).status)); };
  await Promise.all(Array.from({ length: 12 }, worker));
  assert.equal(desk.check().status, 0, desk.check().stdout);
  await desk.stop(); // the connections report their statistics when they end
  assert.equal(psql(url, 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'), '0');
});

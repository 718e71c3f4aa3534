import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { ROLES, open } from './lib/index.mjs';
import { newArticle } from './lib/published.mjs';

/** Sum of a metric over the processes of a desk. */
async function metric(desk, name) {
  let sum = 0;
  for (let i = 0; i < desk.daemons.length; i++) {
    const from = desk.daemons[i];
    const text = await (await fetch(`http://127.0.0.1:${from.port}/metrics`)).text();
    sum += Number(new RegExp(`^deskd_${name} (\\d+)$`, 'm').exec(text)?.[1] ?? assert.fail(`no metric ${name}`));
  }
  return sum;
}

test('views are counted without a write for each, and are exact when they are written', async (t) => {
  const desk = await open(t);
  const articles = [await newArticle(desk), await newArticle(desk), await newArticle(desk)];
  const readers = [desk.anyone, desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() }), desk.anyone.with({ 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' })];
  const { etag } = (await desk.anyone.get(`/articles/${articles[0]}`)).must(200); // a view, too
  (await desk.customer.get(`/articles/${articles[2]}`)).must(200);
  (await desk.anyone.post(`/articles/${articles[1]}/upvote`, undefined, { headers: { 'X-Fingerprint-ID': randomUUID() } })).must(200);
  const before = await metric(desk, 'store_commits_total');
  for (let i = 0; i < 2000; i += 50) {
    await Promise.all(Array.from({ length: 50 }, async (_, k) => {
      const n = i + k;
      const headers = n % 4 === 3 ? { 'If-None-Match': etag } : {};
      const { status } = await readers[n % 3].exchange('GET', `/api/v1/articles/${articles[n % 4 === 3 ? 0 : 1]}`, { headers });
      assert.ok(status === 200 || (status === 304 && n % 4 === 3)); // 200 if the counters were written meanwhile
    }));
  }
  const commits = await metric(desk, 'store_commits_total') - before;
  assert.ok(commits <= 200, `${commits} commits`); // commits of the job runner count, too. A view does not write (tests/unit/gathered_test.c counts exactly)
  await desk.restart();
  const shown = await Promise.all(articles.map((id) => desk.staff.fetch(`/articles/${id}`)));
  assert.deepEqual(shown.map((a) => [a.views, a.rank]), [[501, 501], [1500, 1510], [1, 1]]);
});

test('staff, bots, HEAD requests, lists and refusals do not count', async (t) => {
  const desk = await open(t);
  const id = await newArticle(desk);
  const hidden = await newArticle(desk, { visibility: 'AGENTS' });
  const path = `/articles/${id}`;
  for (const role of ROLES.slice(0, 4)) (await desk.as(role).get(path)).must(200);
  for (const agent of ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'curl/8.5.0', 'Mozilla/5.0 (compatible; bingbot/2.0)', 'facebookexternalhit/1.1',
    'python-requests/2.31', 'UptimeRobot/2.0', 'SLACKBOT-LinkExpanding 1.0', '']) (await desk.anyone.with({ 'User-Agent': agent }).get(path)).must(200);
  (await desk.anyone.head(path)).must(200);
  (await desk.anyone.get('/articles')).must(200);
  (await desk.anyone.get(`/articles/${hidden}`)).must(404);
  const { etag } = (await desk.staff.get(path)).must(200);
  (await desk.anyone.get(path, {}, { 'If-Match': `"${'0'.repeat(32)}"` })).must(412);
  (await desk.staff.get(path, {}, { 'If-None-Match': etag })).must(304);
  await desk.restart();
  assert.deepEqual([(await desk.staff.fetch(path)).views, (await desk.staff.fetch(`/articles/${hidden}`)).views], [0, 0]);
});

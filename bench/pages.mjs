// CPU time of pages of the help center at 1,000 and 100,000 articles, on SQLite: user and system time of the process for each request, with one
// keep-alive connection; then the API. "made" is a page that is not kept (an argument differs each time), "kept" the same page again. DESKD names another program,
// DATABASE a PostgreSQL URL of a role that may create databases.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DESKD = process.env.DESKD ?? join(import.meta.dirname, '..', 'deskd');
const SIZES = (process.env.BENCH_SIZES ?? '1000,100000').split(',').map(Number);
const ROUNDS = 15, REQUESTS = 300; // the result is the median of the rounds

const rows = (n) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n})`;
const texts = (kind, text) => `INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) SELECT ${kind}, i, 'en-us', ${text}, 0, 0 FROM n;`;

function fill(file, articles) {
  const sections = 50;
  const sql = `PRAGMA synchronous = OFF; BEGIN;
    ${rows(sections)} INSERT INTO sections (id, category_id, visibility, article_order_by, sort_order, total_articles, published_articles, created_at, updated_at) SELECT i, 1, 1, 1 + i % 3, i, ${articles / sections}, ${articles / sections}, 0, 0 FROM n;
    ${rows(sections)} ${texts(9, "'Section ' || i")}
    ${rows(articles)} INSERT INTO articles (id, uuid, section_id, status, author_id, creator_id, is_featured, allow_comments, sort_order, total_comments, published_at, created_at, updated_at, views, rank) SELECT i, printf('%08d-0000-4000-8000-000000000000', i), 1 + i % ${sections}, 3, 1, 1, i % 100 = 0, 1, i, 3, i, i, i, i * 7919 % 1000, i * 7919 % 1000 FROM n;
    ${rows(articles)} ${texts(11, "'How to do thing ' || i")}
    ${rows(articles)} ${texts(12, `'${'<p>Open the settings and choose what you need. </p>'.repeat(40)}'`)}
    ${rows(articles)} INSERT INTO article_comments (article_id, user_id, contents, is_html, status, created_at, updated_at) SELECT i, 1, 'Thank you, this helped.', 0, 1, i, i FROM n, (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3);
    COMMIT; ANALYZE;`;
  const done = spawnSync('sqlite3', [file], { input: sql, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
}

// Microseconds of all threads. /proc/PID/stat counts in ticks of 10 ms, which is too coarse.
const cpu = (pid) => readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000, 0);

async function measure(port, pid, path, headers = () => ({})) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const get = (i) => new Promise((resolve, reject) => http.get({ port, host: '127.0.0.1', agent, path: path(i), headers: headers() }, (r) => { r.resume().on('end', () => resolve(r)); }).on('error', reject));
  let reply, i = 0;
  while (i < 200) reply = await get(i++);
  const rounds = [];
  for (let k = 0; k < ROUNDS; k++) {
    const before = cpu(pid);
    for (let n = 0; n < REQUESTS; n++) reply = await get(i++);
    rounds.push((cpu(pid) - before) / REQUESTS);
  }
  agent.destroy();
  return { us: rounds.sort((a, b) => a - b)[ROUNDS >> 1], status: reply.statusCode, etag: reply.headers.etag };
}

for (const articles of SIZES) {
  const dir = mkdtempSync(join(tmpdir(), 'pages-'));
  spawnSync(DESKD, ['init', '--data', dir, '--owner-email', 'o@example.com']);
  fill(join(dir, 'desk.db'), articles);
  const child = spawn(DESKD, ['serve', '--data', dir, '--listen', '127.0.0.1:0']);
  const port = await new Promise((resolve) => { child.stdout.on('data', (d) => { const m = /:(\d+)\n/.exec(d); if (m) resolve(Number(m[1])); }); child.stderr.on('data', (d) => { const m = /listening on \S+:(\d+)/.exec(d); if (m) resolve(Number(m[1])); }); });
  const article = `/helpcenter/en-us/articles/${articles / 2}-how-to-do-thing-${articles / 2}`;
  const of = { article, section: '/helpcenter/en-us/sections/3-section-3', home: '/helpcenter/en-us' };
  for (const [name, path] of Object.entries(of)) {
    const made = await measure(port, child.pid, (i) => `${path}?done=${i}`);
    const kept = await measure(port, child.pid, () => path);
    const current = await measure(port, child.pid, () => path, () => ({ 'If-None-Match': kept.etag }));
    console.log(`${articles} articles, page of ${name}: made ${made.us.toFixed(0)} us (${made.status}), kept ${kept.us.toFixed(0)} us (${kept.status}), 304 ${current.us.toFixed(0)} us (${current.status})`);
  }
  const api = { 'one article': `/api/v1/articles/${articles / 2}`, 'list of sections': '/api/v1/sections', 'list of articles of a section': '/api/v1/articles?section_id=3', 'search, rare word': `/api/v1/helpcenter/search?query=${articles / 2}` };
  for (const [name, path] of Object.entries(api)) {
    const { us, status } = await measure(port, child.pid, () => path);
    console.log(`${articles} articles, ${name}: ${us.toFixed(0)} us (${status})`);
  }
  child.kill();
  await new Promise((resolve) => child.on('close', resolve));
  rmSync(dir, { recursive: true });
}

// CPU time of what grows with sections and addresses, on SQLite: the sitemap at 50,000 articles, 10,000 sections (their lists, pages, sitemap and
// reorder), the contact page with a form of fields, and the suggestions that its script asks for. Units: microseconds of the process for each request.
//
//   node bench/shelves.mjs    DESKD   another program
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DESKD = process.env.DESKD ?? join(import.meta.dirname, '..', 'deskd');
const ARTICLES = 50_000, SECTIONS = 10_000, FIELDS = 20, PASSWORD = 'bench bench bench';
const TICK = 1e6 / Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout);

const rows = (n) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n})`;
const texts = (kind, text) => `INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) SELECT ${kind}, i, l.locale, ${text}, 0, 0 FROM n, (SELECT 'en-us' AS locale UNION ALL SELECT 'de' UNION ALL SELECT 'ar') l;`;

function fill(file) {
  const sql = `PRAGMA synchronous = OFF; BEGIN;
    ${rows(SECTIONS)} INSERT INTO sections (id, category_id, visibility, article_order_by, sort_order, total_articles, published_articles, created_at, updated_at) SELECT i, 1, 1, 1, i, 5, 5, 0, 0 FROM n;
    ${rows(SECTIONS)} ${texts(9, "'Section ' || i || ' ' || l.locale")}
    ${rows(ARTICLES)} INSERT INTO articles (id, uuid, section_id, status, author_id, creator_id, is_featured, allow_comments, sort_order, total_comments, published_at, created_at, updated_at, views, rank) SELECT i, printf('%08d-0000-4000-8000-000000000000', i), 1 + i % ${SECTIONS}, 3, 1, 1, 0, 1, i, 0, i, i, i, 0, 0 FROM n;
    ${rows(ARTICLES)} ${texts(11, "'How to do thing ' || i || ' ' || l.locale")}
    COMMIT; ANALYZE;`;
  const done = spawnSync('sqlite3', [file], { input: sql, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const ask = (port, method, path, headers = {}, body = undefined) => new Promise((resolve, reject) => {
  const request = http.request({ port, host: '127.0.0.1', agent, method, path, headers: { 'User-Agent': 'deskd-bench', ...(body && { 'Content-Type': 'application/json' }), ...headers } }, (reply) => {
    const parts = [];
    reply.on('data', (part) => parts.push(part)).on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, bytes: Buffer.concat(parts) }));
  }).on('error', reject);
  request.end(body && JSON.stringify(body));
});

const cpu = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK;
};

const dir = mkdtempSync(join(tmpdir(), 'shelves-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
writeFileSync(join(dir, 'password'), PASSWORD);
spawnSync(DESKD, ['init', '--data', join(dir, 'desk'), '--owner-email', 'o@example.com', '--password-file', join(dir, 'password')]);
fill(join(dir, 'desk', 'desk.db'));
const child = spawn(DESKD, ['serve', '--data', join(dir, 'desk'), '--listen', '127.0.0.1:0']);
const port = await new Promise((resolve) => { for (const s of [child.stdout, child.stderr]) s.on('data', (d) => { const m = /listening on \S+:(\d+)/.exec(d); if (m) resolve(Number(m[1])); }); });
const login = await ask(port, 'GET', '/api/v1/session', { Authorization: `Basic ${Buffer.from(`o@example.com:${PASSWORD}`).toString('base64')}` });
const owner = { 'X-Session-ID': JSON.parse(login.bytes).data.id, 'X-CSRF-Token': login.headers['x-csrf-token'] };

for (let i = 0; i < FIELDS; i++) {
  const reply = await ask(port, 'POST', '/api/v1/cases/fields', owner, { type: i % 2 ? 'SELECT' : 'TEXT', key: `field_${i}`, title: `Field ${i}`, is_visible_to_customers: true, is_customer_editable: true, ...(i % 2 && { options: Array.from({ length: 10 }, (_, k) => `Option ${k}`) }) });
  if (reply.status !== 201) throw new Error(String(reply.bytes));
}
const fields = JSON.parse((await ask(port, 'GET', '/api/v1/cases/fields', owner)).bytes).data.map(({ id }) => id).join(',');
const form = await ask(port, 'POST', '/api/v1/cases/forms', owner, { title: 'All', is_visible_to_customers: true, customer_title: 'All', case_field_ids: fields });
await ask(port, 'PUT', '/api/v1/cases/forms/default', owner, { form_id: JSON.parse(form.bytes).data?.id });

async function measure(name, times, method, path, headers = {}, body = () => undefined) {
  let reply;
  for (let i = 0; i < Math.min(times, 5); i++) reply = await ask(port, method, typeof path === 'function' ? path(i) : path, headers, body(i));
  const before = cpu(child.pid);
  for (let i = 0; i < times; i++) reply = await ask(port, method, typeof path === 'function' ? path(i + 5) : path, headers, body(i + 5));
  console.log(`${name}: ${((cpu(child.pid) - before) / times).toFixed(0)} us, ${reply.bytes.length} bytes (${reply.status})`);
  return reply;
}

// The index of the search is built first, so that its CPU time is not counted.
for (let before = -1; cpu(child.pid) - before > 2e5;) { before = cpu(child.pid); await new Promise((done) => { setTimeout(done, 3000); }); }

const index = await measure('sitemap, index', 200, 'GET', (i) => `/sitemap.xml?done=${i}`);
const parts = [...String(index.bytes).matchAll(/<loc>[^<]*(\/helpcenter\/sitemap\/[^<]*)<\/loc>/g)].map(([, path]) => path);
let addresses = 0, most = 0, bytes = 0;
const begin = cpu(child.pid);
for (const part of parts) {
  const text = String((await ask(port, 'GET', part)).bytes), n = text.split('<url>').length - 1;
  addresses += n, most = Math.max(most, n), bytes = Math.max(bytes, text.length);
}
console.log(`sitemap, all ${parts.length} parts: ${((cpu(child.pid) - begin) / addresses).toFixed(1)} us for each of ${addresses} addresses; at most ${most} addresses and ${bytes} bytes in one`);
await measure('contact page, 20 fields of a form', 200, 'GET', '/helpcenter/en-us/contact');
await measure('suggestions while typing', 200, 'GET', (i) => `/api/v1/helpcenter/search/suggestions?locale=en-us&query=thing+${i}`);
await measure('home page, 10,000 sections', 100, 'GET', (i) => `/helpcenter/en-us?done=${i}`);
await measure('category page, 10,000 sections', 100, 'GET', (i) => `/helpcenter/en-us/categories/1-general?done=${i}`);
await measure('reorder: 1 section', 10, 'PUT', '/api/v1/sections/reorder', owner, (i) => ({ section_ids: String(i + 1) }));
await measure('reorder: 1,000 sections', 10, 'PUT', '/api/v1/sections/reorder', owner, (i) => ({ section_ids: Array.from({ length: 1000 }, (_, k) => 1 + (k + i) % 5000).join() }));
await measure('reorder: 10,000 sections', 10, 'PUT', '/api/v1/sections/reorder', owner, () => ({ section_ids: Array.from({ length: 10_000 }, (_, k) => k + 1).join() }));
child.kill();

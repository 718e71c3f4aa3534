// Pages that are kept in memory (src/pages/page_cache.h): no change is missed by any process, and other writes do not drop them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import { png } from './lib/picture.mjs';
import { open, raw } from './lib/index.mjs';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';

/** A GET without login to one daemon. */
const get = ({ port }, path, headers = {}) => new Promise((resolve, reject) => {
  http.get({ port, host: '127.0.0.1', path, headers: { 'User-Agent': BROWSER, ...headers }, agent: false }, (reply) => {
    const parts = [];
    reply.on('data', (part) => parts.push(part)).on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, text: Buffer.concat(parts).toString() }));
  }).on('error', reject);
});

const statements = async (daemon) => Number(/^deskd_store_statements_total (\d+)$/m.exec((await get(daemon, '/metrics')).text)[1]);

/** The statements that a GET costs, each time after `act`. Other threads of the daemon run some, too, so the least of several is taken. */
async function cost(daemon, path, headers, act = () => {}) {
  const found = [];
  for (let i = 0; i < 5; i++) {
    await act();
    const before = await statements(daemon);
    await get(daemon, path, headers);
    found.push((await statements(daemon)) - before);
  }
  return Math.min(...found);
}

async function prepare(t) {
  const desk = await open(t);
  const { owner } = desk;
  const category = await owner.create('/categories', { titles: 'Using it' });
  const section = await owner.create('/sections', { category_id: category.id, titles: 'Basics', article_order_by: 'LATEST', visibility: 'PUBLIC' });
  const article = await owner.create('/articles', { section_id: section.id, titles: 'First', contents: '<p>Words.</p>', status: 'PUBLISHED', tags: 'blue' });
  return { desk, owner, category, section, article, page: `/helpcenter/en-us/articles/${article.id}-first`, home: '/helpcenter/en-us', shelf: `/helpcenter/en-us/sections/${section.id}-basics` };
}

test('each process shows each change at once, and pages that were kept before are not served', async (t) => {
  const { desk, owner, category, section, article, page, home, shelf } = await prepare(t);
  const picture = (await owner.post('/files', raw('image/png', png(20, 10)))).must(201).data.id;
  const brand = (await owner.fetch('/brands'))[0];
  let comment;
  const changes = [
    ['a new article', shelf, () => owner.create('/articles', { section_id: section.id, titles: 'Second', contents: '<p>x</p>', status: 'PUBLISHED' }), /Second/],
    ['changed contents', page, () => owner.update(`/articles/${article.id}`, { contents: '<p>Other words.</p>' }), /Other words\./],
    ['an attachment', page, () => owner.update(`/articles/${article.id}`, { attachment_file_ids: [picture] }), /Attachments/],
    ['a tag', page, () => owner.update(`/articles/${article.id}`, { tags: 'blue,green' }), /<bdi>green</],
    ['the name of the author', page, () => owner.update('/profile', { full_name: 'Ottilie' }), /<bdi>Ottilie</],
    ['a comment', page, async () => { comment = await desk.customer.create(`/articles/${article.id}/comments`, { contents: 'Thanks a lot' }); }, /Thanks a lot/],
    ['a comment that is spam', page, async () => (await owner.put(`/articles/${article.id}/comments/${comment.id}/spam`, {})).must(200), /^((?!Thanks a lot)[^])*$/],
    ['the title of a section', home, () => owner.update(`/sections/${section.id}`, { titles: 'Basics' + ' and more' }), /Basics and more/],
    ['the title of a category', home, () => owner.update(`/categories/${category.id}`, { titles: 'Handling it' }), /Handling it/],
    ['the name of the brand', page, () => owner.update(`/brands/${brand.id}`, { name: 'Cloud Nine' }), /<title>First - Cloud Nine</],
    ['a template', home, async () => {
      const template = `/brands/${brand.id}/templates/helpcenter_layout`;
      await owner.update(template, { contents: (await owner.fetch(template)).contents.replace('{{contents}}', '<p>Framed</p>{{contents}}') });
    }, /Framed/],
    ['a limited section', page, () => owner.update(`/sections/${section.id}`, { visibility: 'AGENTS' }), null],
  ];
  for (const [name, path, change, wanted] of changes) {
    for (const daemon of desk.daemons) for (let i = 0; i < 2; i++) assert.equal((await get(daemon, path)).status, 200, `${name}: ${path}`);
    const before = (await get(desk.daemons[0], path)).text;
    await change();
    for (const daemon of desk.daemons) {
      const { status, text } = await get(daemon, path);
      if (wanted === null) assert.equal(status, 404, name);
      else assert.ok(status === 200 && text !== before && wanted.test(text), `${name} is not on ${path} (${status})`);
    }
  }
});

test('a kept page costs no statement of its own, and writes elsewhere do not drop it', async (t) => {
  const { desk, page } = await prepare(t);
  const daemon = desk.daemons[0];
  const shared = /^postgres/.test(process.env.DATABASE ?? ''); // BEGIN, the look for changes, COMMIT
  const first = await get(daemon, page);
  assert.equal(first.status, 200);
  const kept = await cost(daemon, page), anew = await cost(daemon, page, { Cookie: 'desk_session=none' });
  assert.ok(kept <= (shared ? 1 : 0), `${kept} statements`);
  assert.ok(anew > kept + 3, `${anew} statements of a page that is made`);
  const looked = await cost(daemon, page, {}, () => desk.customer.create('/conversations', { subject: 'Broken', contents: 'It broke.' }));
  assert.ok(looked <= kept + 1, `${looked} statements after a write elsewhere, one of which looks for changes`);
  assert.equal((await get(daemon, `${page}?utm_source=letter`)).headers.etag, first.headers.etag);
  assert.ok((await cost(daemon, `${page}?utm_source=letter`)) <= kept, 'unknown arguments are no other page');
});

/** Every page that may be kept, as the table of pages has it. */
const kept_patterns = [...readFileSync(new URL('../../src/pages/outside.c', import.meta.url), 'utf8').matchAll(/\{GET, "([^"]+)".*\.cached = true/g)].map((m) => m[1]);

test('every page that may be kept is kept: it reads no table whose changes are not tracked', { skip: /^postgres/.test(process.env.DATABASE ?? '') }, async (t) => {
  const { desk, owner, category, section, article } = await prepare(t);
  const upload = async (name, size = [20, 10]) => (await owner.post('/files', raw('image/png', png(...size)))).must(201, name).data.id;
  const [{ id: brand }] = await owner.fetch('/brands');
  await owner.update(`/brands/${brand}`, { logo_file_id: await upload('logo'), picture_file_id: await upload('picture', [640, 10]) });
  for (const change of [{ attachment_file_ids: [await upload('attachment')] }, { keywords: 'words' }, { is_featured: true }]) await owner.update(`/articles/${article.id}`, change);
  await owner.create('/articles', { section_id: section.id, titles: 'Second', contents: '<p>x</p>', status: 'PUBLISHED', tags: 'blue' });
  await desk.customer.create(`/articles/${article.id}/comments`, { contents: 'Thanks' });
  const slugs = { articles: `${article.id}-first`, sections: `${section.id}-basics`, categories: `${category.id}-using-it` };
  const path_of = (pattern) => pattern.replace(':locale', 'en-us').replace(/(\w+)\/:slug/, (_, kind) => `${kind}/${slugs[kind]}`).replace(':brand', brand).replace(':width', 640).replace(':part', 'sections-0');
  assert.ok(kept_patterns.length > 8);
  for (const path of kept_patterns.map(path_of)) {
    assert.equal((await get(desk.daemons[0], path)).status, 200, path);
    assert.equal(await cost(desk.daemons[0], path), 0, `${path} is made again: ${desk.log.slice(-300)}`);
  }
});

test('votes do not drop kept pages, because they change only the order of lists', { skip: /^postgres/.test(process.env.DATABASE ?? '') }, async (t) => {
  const { desk, article, home, page } = await prepare(t);
  const daemon = desk.daemons[0];
  for (const path of [page, home]) await get(daemon, path);
  (await desk.customer.post(`/articles/${article.id}/upvote`, {})).must(200);
  for (const path of [page, home]) assert.equal(await cost(daemon, path), 0, path);
});

test('an argument can\'t be disguised as others', async (t) => {
  const { desk, page } = await prepare(t);
  for (const daemon of desk.daemons) {
    const voted = await get(daemon, `${page}?comments=2%0Adone=voted`);
    assert.doesNotMatch(voted.text, /role="status"/);
    assert.match((await get(daemon, `${page}?comments=2&done=voted`)).text, /role="status"/);
  }
});

test('views of kept pages and of 304 replies are counted', async (t) => {
  const { desk, owner, article, page } = await prepare(t);
  let tag;
  for (const daemon of desk.daemons) {
    tag = (await get(daemon, page)).headers.etag;
    assert.equal((await get(daemon, page)).status, 200);
    assert.equal((await get(daemon, page, { 'If-None-Match': tag })).status, 304);
  }
  await desk.restart();
  assert.equal((await owner.fetch(`/articles/${article.id}`)).views, 3 * desk.daemons.length);
});

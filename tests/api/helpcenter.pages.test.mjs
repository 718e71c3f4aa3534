// The pages of the help center that show: docs/HELPCENTER.md, "Pages that show".
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { jpegSize, png } from './lib/picture.mjs';
import { AGENT, DAY, iso, open, raw, shared } from './lib/index.mjs';

const HOSTILE = '</script><script>alert("1")</script> & \'q\'';

const light = ([r, g, b]) => [r, g, b].map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4)).reduce((s, x, i) => s + x * [0.2126, 0.7152, 0.0722][i], 0);
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const contrast = (a, b) => { const [x, y] = [light(rgb(a)), light(rgb(b))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };

/** A reader of pages: a client with the cookie of a session, or none. */
class Reader {
  constructor(desk, cookie) { Object.assign(this, { desk, cookie }); }
  async get(path, headers = {}, method = 'GET') {
    const reply = await this.desk.anyone.exchange(method, path, { headers: { ...(this.cookie && { Cookie: `desk_session=${this.cookie}` }), ...headers } });
    return { status: reply.status, headers: reply.headers, text: reply.bytes.toString() };
  }
  async ok(path, headers) {
    const reply = await this.get(path, headers);
    assert.equal(reply.status, 200, `${path}: ${reply.status} ${reply.headers.location ?? ''}`);
    return reply;
  }
}

const reader = async (desk, client) => new Reader(desk, client && (await desk.session(client)).id);
const titles = (text) => Object.entries(text).map(([locale, translation]) => ({ locale, translation }));
const hrefs = (text) => [...text.matchAll(/(?:href|action)="([^"]*)"/g)].map(([, url]) => url);

async function prepare(world) {
  const { desk } = world;
  const { owner } = desk;
  const make = (path, body) => owner.create(path, body);
  world.category = await make('/categories', { titles: titles({ 'en-us': 'Using it', de: 'Benutzung', ar: 'الاستخدام' }) });
  const section = (title, more) => make('/sections', { category_id: world.category.id, titles: titles({ 'en-us': title }), article_order_by: 'LATEST', visibility: 'PUBLIC', ...more });
  const article = (section_id, title, more) => make('/articles', { section_id, titles: titles(typeof title === 'string' ? { 'en-us': title } : title), contents: titles(Object.fromEntries(Object.keys(typeof title === 'string' ? { 'en-us': 1 } : title).map((l) => [l, '<p>Words.</p>']))), status: 'PUBLISHED', ...more });
  world.vip = await desk.person('customer');
  await desk.owner.update(`/users/${world.vip.id}`, { tags: 'vip' });
  world.sections = {
    open: await section('Canary open', { descriptions: titles({ 'en-us': 'Words about it' }) }), customers: await section('Canary customers', { visibility: 'AUTHORIZED' }),
    vips: await section('Canary vips', { visibility: 'AUTHORIZED', tags: ['vip'] }), staff: await section('Canary staff', { visibility: 'AGENTS' }),
  };
  world.articles = {};
  for (const [name, s] of Object.entries(world.sections)) world.articles[name] = await article(s.id, `Canary ${name} article`, { is_featured: true });
  world.articles.draft = await article(world.sections.open.id, 'Canary draft', { status: 'DRAFT' });
  world.many = await article(world.sections.open.id, { 'en-us': 'Reset your password', de: 'Kennwort zurücksetzen', ar: 'إعادة تعيين كلمة المرور' });
  world.hostile = await article(world.sections.open.id, HOSTILE, { contents: titles({ 'en-us': '<p>alert</p>' }) });
  world.readers = {
    anonymous: await reader(desk), customer: await reader(desk, desk.customer), vip: await reader(desk, world.vip.client),
    staff: await reader(desk, desk.staff), owner: await reader(desk, owner),
  };
}

const SEES = {
  anonymous: ['open'], customer: ['open', 'customers'], vip: ['open', 'customers', 'vips'], staff: ['open', 'customers', 'staff', 'draft'],
  owner: ['open', 'customers', 'vips', 'staff', 'draft'],
};

describe('pages of the help center', () => {
  const world = shared(prepare);
  const page = async (who, kind, x) => {
    const path = `/helpcenter/en-us/${kind}/${x.id}`;
    const reply = await who.get(path);
    return reply.status === 301 ? who.get(reply.headers.location) : reply;
  };

  test('every page, feed and search shows each kind of reader what they see, and nothing else', async () => {
    for (const [name, sees] of Object.entries(SEES)) {
      const who = world.readers[name];
      const shown = async (path) => {
        const { text } = await who.ok(path);
        return Object.keys(world.articles).filter((x) => text.includes(x === 'draft' ? 'Canary draft' : `Canary ${x} article`));
      };
      const published = sees.filter((x) => x !== 'draft');
      assert.deepEqual((await shown('/helpcenter/en-us')).filter((x) => x !== 'draft'), published, `home of ${name}`);
      assert.deepEqual(await shown('/helpcenter/en-us/feed.atom'), published, `feed of ${name}`);
      assert.deepEqual(await shown('/helpcenter/en-us/search?query=canary'), published, `search of ${name}`);
      for (const [x, a] of Object.entries(world.articles)) {
        const reply = await page(who, 'articles', a);
        assert.equal(reply.status, sees.includes(x) ? 200 : 404, `article ${x} of ${name}`);
        if (!sees.includes(x)) assert.ok(!reply.text.includes(`Canary ${x}`) && !reply.headers.location?.includes('canary'), `a hidden title is not in the 404 for ${name}`);
      }
      for (const [x, s] of Object.entries(world.sections)) {
        const reply = await page(who, 'sections', s);
        assert.equal(reply.status, sees.includes(x) ? 200 : 404, `section ${x} of ${name}`);
        assert.equal((await who.get(`/helpcenter/en-us/sections/${s.id}/feed.atom`)).status, sees.includes(x) ? 200 : 404, `feed of section ${x} of ${name}`);
      }
      const { text } = await page(who, 'categories', world.category);
      assert.deepEqual(Object.keys(world.sections).filter((x) => text.includes(`Canary ${x}`)), published, `category of ${name}`);
    }
  });

  test('the sitemap has what anonymous readers see, whoever asks', async () => {
    for (const who of [world.readers.anonymous, world.readers.owner]) {
      const index = await who.ok('/sitemap.xml');
      const parts = [...index.text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => new URL(url).pathname);
      const text = (await Promise.all(parts.map((p) => who.ok(p)))).map((r) => r.text).join('');
      for (const hidden of ['customers', 'vips', 'staff', 'draft']) assert.ok(!text.includes(`canary-${hidden}`), hidden);
      assert.ok(text.includes('canary-open-article'));
      assert.ok(text.includes(`/helpcenter/en-us/sections/${world.sections.open.id}-canary-open<`), 'sections have parts of their own');
      assert.ok(text.includes(`<loc>${world.desk.base}/helpcenter/en-us</loc>`), 'the home page');
      assert.ok(text.includes(`hreflang="de" href="${world.desk.base}/helpcenter/de/articles/${world.many.id}-kennwort-zurucksetzen"`), 'the other languages of a page');
    }
    assert.match((await world.readers.anonymous.ok('/robots.txt')).text, /Sitemap: \S+\/sitemap\.xml/);
  });

  test('the sitemap has a part for every 250 sections and articles', async () => {
    const { desk } = world, who = world.readers.anonymous;
    const list = (path) => who.ok(path).then(({ text }) => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => new URL(url).pathname));
    const before = await list('/sitemap.xml');
    const many = async (from, count) => {
      const sections = Array.from({ length: count }, (_, i) => ({ titles: titles({ 'en-us': `Mapped ${from + i}`, de: `Karte ${from + i}` }), category_id: world.category.id }));
      const { id } = (await desk.owner.post('/bulk/sections', { sections })).must(202).data;
      assert.equal((await desk.job(desk.owner, id)).status, 'COMPLETED');
    };
    await many(0, 200);
    await many(200, 60);
    const after = await list('/sitemap.xml');
    assert.ok(after.length > before.length && after.includes('/helpcenter/sitemap/sections-1'));
    const pages = (await Promise.all(after.map(list))).flat().filter((path) => /-mapped-|-karte-/.test(path));
    assert.equal(new Set(pages).size, 520, 'no section is left out');
    for (const odd of ['sections-', 'sections--1', 'sections-x', 'sections-50000', '-1', 'x', '50000']) assert.equal((await who.get(`/helpcenter/sitemap/${odd}`)).status, 404, odd);
    const ids = (await desk.owner.fetch('/sections', { limit: 1000 })).filter(({ id }) => id > world.sections.staff.id && !world.sections[id]).map(({ id }) => id);
    (await desk.owner.delete('/sections', { ids: ids.join() })).must(200);
  });

  test('an address with the right id and other words redirects to the present one', async () => {
    const who = world.readers.anonymous;
    for (const [path, to] of [
      [`/helpcenter/en-us/articles/${world.many.id}-old-words`, `/helpcenter/en-us/articles/${world.many.id}-reset-your-password`],
      [`/helpcenter/de/articles/${world.many.id}-reset-your-password`, `/helpcenter/de/articles/${world.many.id}-kennwort-zurucksetzen`],
      [`/helpcenter/en-us/sections/${world.sections.open.id}?page=1`, `/helpcenter/en-us/sections/${world.sections.open.id}-canary-open?page=1`],
    ]) {
      const reply = await who.get(path);
      assert.deepEqual([reply.status, reply.headers.location], [301, to]);
      assert.equal((await who.get(to)).status, 200, 'without a loop');
    }
    for (const path of ['articles/0', 'articles/x', 'articles/-1', 'articles/99999999999999999999', 'sections/999', 'categories/999', 'articles/%00', 'articles/%ff', 'articles/']) {
      assert.equal((await who.get(`/helpcenter/en-us/${path}`)).status, 404, path);
    }
  });

  test('the language is that of the path; other spellings, and languages without a region, redirect', async () => {
    const who = world.readers.anonymous;
    const location = async (path, headers) => { const r = await who.get(path, headers); return [r.status, r.headers.location]; };
    assert.deepEqual(await location('/helpcenter/EN_us'), [301, '/helpcenter/en-us']);
    assert.deepEqual(await location('/helpcenter/en/search?query=a'), [302, '/helpcenter/en-us/search?query=a']);
    assert.equal((await who.get('/helpcenter/xx')).status, 404);
    assert.deepEqual(await location('/helpcenter'), [302, '/helpcenter/en-us']);
    assert.deepEqual(await location('/helpcenter', { 'Accept-Language': 'fr;q=0.1, de-AT;q=0.9, en;q=0.5' }), [302, '/helpcenter/de']);
    assert.deepEqual(await location('/helpcenter', { 'Accept-Language': 'ja, *;q=0.1' }), [302, '/helpcenter/en-us']);
    assert.deepEqual(await location('/helpcenter', { 'Accept-Language': 'de;q=0, ar;q=0.2' }), [302, '/helpcenter/ar']);
    for (const de of ['de;q=0.502, ar;q=0.501', 'de;q=0.52, ar;q=0.519', 'de, ar;q=0.999', 'de;level=1; Q=0.2, ar;q=0.1']) assert.deepEqual(await location('/helpcenter', { 'Accept-Language': de }), [302, '/helpcenter/de'], de);
    assert.match((await who.get('/helpcenter')).headers.vary, /Accept-Language/);
  });

  test('an Arabic page is right-to-left, and a text that is missing in a language is marked with its own', async () => {
    const who = world.readers.anonymous;
    const { text } = await who.ok('/helpcenter/ar');
    assert.match(text, /<html lang="ar" dir="rtl">/);
    assert.match(text, /<li><a lang="en-us" dir="ltr" href="\/helpcenter\/ar\/articles\/\d+-canary-open-article"/, 'not the item, which keeps the edge of the page');
    assert.match((await who.ok(`/helpcenter/de/sections/${world.sections.open.id}-canary-open`)).text, /<p class="lead"><bdi lang="en-us" dir="ltr">Words about it<\/bdi>/);
    const german = await who.ok(`/helpcenter/de/articles/${world.many.id}-kennwort-zurucksetzen`);
    assert.match(german.text, /<html lang="de" dir="ltr">/);
    assert.match(german.text, /<h1>Kennwort zurücksetzen<\/h1>/);
    const missing = await who.ok(`/helpcenter/de/articles/${world.articles.open.id}-canary-open-article`);
    assert.match(missing.text, /<h1 lang="en-us" dir="ltr">Canary open article<\/h1>/);
    assert.match(missing.text, /<div class="contents" lang="en-us" dir="ltr">/);
    assert.match(german.text, /War das hilfreich\?/);
    for (const locale of ['en-us', 'de', 'ar']) assert.match(german.text, new RegExp(`rel="alternate" hreflang="${locale}" href="${world.desk.base}/helpcenter/${locale}/articles/${world.many.id}-`));
    assert.match(german.text, new RegExp(`rel="canonical" href="${world.desk.base}/helpcenter/de/articles/${world.many.id}-kennwort-zurucksetzen"`));
    assert.match((await who.ok('/helpcenter/ja')).text, /<html lang="en" dir="ltr">/, 'the words of the page are English where the server has no others');
  });

  test('a category has an icon on the home page and on its own, or the first letter of its title', async () => {
    const { desk } = world, { owner } = desk;
    const { id } = await owner.create('/categories', { titles: 'Pictured', icon: 'CARD' });
    await owner.create('/sections', { titles: 'With an icon', category_id: id, visibility: 'PUBLIC' });
    const tile = async () => /<span class="tile" aria-hidden="true">(?<tile>(?:(?!<\/span>)[^])*)<\/span>\n<h2><a[^>]*>Pictured/.exec((await desk.anyone.exchange('GET', '/helpcenter/en-us')).text).groups.tile;
    const own = async () => /<span class="tile" aria-hidden="true">(?<tile>(?:(?!<\/span>)[^])*)<\/span>\n<h1>/.exec((await desk.anyone.exchange('GET', `/helpcenter/en-us/categories/${id}-pictured`)).text).groups.tile;
    const icon = async () => (await owner.fetch(`/categories/${id}`, { fields: '+icon' })).icon;
    assert.deepEqual([await icon(), (await owner.fetch(`/categories/${id}`)).icon], ['CARD', undefined]);
    assert.match(await tile(), /^<svg class="icon"[^]*<\/svg>$/);
    const card = await tile();
    assert.equal(await own(), card);
    await owner.update(`/categories/${id}`, { icon: 'BOX' });
    assert.notEqual(await tile(), card);
    (await owner.put(`/categories/${id}`, { icon: 'SKULL' })).refused(400, 'FIELD_INVALID', 'icon');
    await owner.update(`/categories/${id}`, { icon: null });
    assert.deepEqual([await icon(), await tile(), await own()], [null, 'P', 'P']);
    (await owner.delete(`/categories/${id}`)).must(200);
  });

  test('titles are escaped everywhere, and the structured data can\'t end its element', async () => {
    const who = world.readers.anonymous;
    for (const path of ['/helpcenter/en-us', `/helpcenter/en-us/sections/${world.sections.open.id}-canary-open`, '/helpcenter/en-us/search?query=alert', '/helpcenter/en-us/feed.atom']) {
      const { text } = await who.ok(path);
      assert.ok(!text.includes('<script>alert'), path);
    }
    const { text } = await page(who, 'articles', world.hostile);
    assert.equal(text.match(/<script(?! src)/g).length, 1, 'only the structured data');
    const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)[1]);
    assert.equal(data['@graph'][0].headline, HOSTILE);
    assert.ok(text.includes('<h1>&lt;/script&gt;'));
    for (const [letters, length] of [['é'.repeat(200), 200], ['é'.repeat(201), 200], ['a'.repeat(199), 199]]) {
      const { text } = await who.ok(`/helpcenter/en-us/search?query=${encodeURIComponent(letters)}`);
      assert.equal(/<input id="query"[^>]* value="([^"]*)"/.exec(text)[1].length, length, 'a query has at most 200 characters');
    }
    const echoed = await who.ok(`/helpcenter/en-us/search?query=${encodeURIComponent('"><script>x</script>')}`);
    assert.ok(!echoed.text.includes('<script>x'));
    const odd = await world.desk.owner.create('/articles', { section_id: world.sections.open.id, titles: 'Odd \ufffe\uffff title', contents: '<p>x</p>', status: 'PUBLISHED' });
    const feed = await who.ok('/helpcenter/en-us/feed.atom');
    assert.ok(/<title>Odd +title</.test(feed.text) && !/[\ufffe\uffff]/.test(feed.text), 'the feed has characters of XML only');
    (await world.desk.owner.delete(`/articles/${odd.id}`)).must(200);
    for (const query of ['%ff', '%00', 'a'.repeat(5000), '%', '[]', 'query[]=1', `query=${'a+'.repeat(300)}`]) {
      assert.equal((await who.get(`/helpcenter/en-us/search?query=${query}`)).status, 200, query.slice(0, 20));
    }
  });

  test('every page has a language menu that leads to the same page', async () => {
    const menu = (text) => Object.fromEntries([...text.matchAll(/<li><a href="([^"]+)" lang="[^"]+" hreflang="([^"]+)"/g)].map(([, href, locale]) => [locale, href]));
    const who = world.readers.anonymous, open = `articles/${world.articles.open.id}-canary-open-article`;
    for (const path of ['/search?query=a%22b', '/contact?subject=x', '/login', '/reset', `/${open}`, `/sections/${world.sections.open.id}-canary-open`]) {
      const page = await who.ok(`/helpcenter/en-us${path}`);
      assert.deepEqual(menu(page.text), Object.fromEntries(['en-us', 'de', 'ar'].map((locale) => [locale, `/helpcenter/${locale}${path}`])), path);
    }
    for (const path of ['/nothing', `/${open}?utm=%22%3E`, '/articles/999999-x']) {
      const { text, status } = await who.get(`/helpcenter/en-us${path}`);
      assert.equal(menu(text).de, status === 404 ? '/helpcenter/de' : `/helpcenter/de/${open}`, path);
    }
    const alternates = [...(await who.ok(`/helpcenter/en-us/${open}`)).text.matchAll(/rel="alternate" hreflang="([^"]+)"/g)].map(([, locale]) => locale);
    assert.deepEqual(alternates, ['en-us'], 'the alternates are translations only');
    const home = (await who.ok('/helpcenter/de')).text, there = Object.fromEntries(['en-us', 'de', 'ar'].map((locale) => [locale, `/helpcenter/${locale}`]));
    assert.deepEqual(menu(home), there);
    assert.deepEqual(Object.fromEntries([...home.matchAll(/rel="alternate" hreflang="([^"]+)" href="([^"]+)"/g)].map(([, locale, href]) => [locale, href.replace(world.desk.base, '')])), there);
  });

  test('the home page names no article twice; sections have their descriptions on the page of their category', async () => {
    const { owner } = world.desk, who = world.readers.anonymous;
    const section = await owner.create('/sections', { category_id: 1, titles: 'Described', descriptions: 'All about <b>descriptions</b>', visibility: 'PUBLIC' });
    const made = await owner.create('/articles', { titles: 'Twice featured', contents: 'x', section_id: section.id, status: 'PUBLISHED', is_featured: true });
    const { text } = await who.ok('/helpcenter/en-us');
    const listed = [...text.matchAll(/<li><a [^>]*href="[^"]*\/articles\/(\d+)-/g)].map(([, id]) => id);
    assert.deepEqual(listed, [...new Set(listed)]);
    assert.equal(text.match(/<li[ >]/g).length, text.match(/<\/li>/g).length);
    assert.ok(listed.includes(String(made.id)));
    assert.match(text, /Described<\/a> <span class="count">1<\/span><\/li>/);
    assert.match((await who.get('/helpcenter/en-us/categories/1-general')).text, /Described<\/a> <span class="count">1<\/span><\/h2>\n+<p class="hint"><bdi>All about &lt;b&gt;descriptions/);
    assert.match((await who.ok(`/helpcenter/en-us/sections/${section.id}-described`)).text, /<h1><bdi>Described<\/bdi><\/h1>\n<p class="lead"><bdi>All about &lt;b&gt;descriptions/);
    (await owner.delete(`/sections/${section.id}`)).must(200);
  });

  test('the home page has the sections under the titles of their categories', async () => {
    const { owner } = world.desk;
    const other = await owner.create('/categories', { titles: titles({ 'en-us': 'Paying for it' }) });
    const section = await owner.create('/sections', { category_id: other.id, titles: titles({ 'en-us': 'Section on bills' }), article_order_by: 'LATEST', visibility: 'PUBLIC' });
    const { text } = await world.readers.anonymous.ok('/helpcenter/en-us');
    const found = [...text.matchAll(/<section class="category">\n.*\n<h2><a [^>]*>([^<]*)<[^]*?<\/section>/g)].map(([html, title]) => [title, [...html.matchAll(/<li><a [^>]*>([^<]*)/g)].map(([, x]) => x)]);
    assert.deepEqual(found, [['Using it', ['Canary open']], ['Paying for it', ['Section on bills']]]);
    (await owner.delete(`/sections/${section.id}`)).must(200);
    assert.ok(!(await world.readers.anonymous.ok('/helpcenter/en-us')).text.includes('Paying for it'), 'a category without sections is not named');
  });

  test('a page shows the pictures that the contents of an article show', async () => {
    const { owner, anyone } = world.desk;
    const picture = (await owner.post('/files', raw('image/png', png(20, 10)))).must(201).data.id;
    const article = await owner.create('/articles', { section_id: world.sections.open.id, titles: titles({ 'en-us': 'With a picture' }), contents: titles({ 'en-us': `<p>See <img src="cid:${picture}" alt="a"></p>` }), attachment_file_ids: [picture], status: 'PUBLISHED' });
    const { text } = await page(world.readers.anonymous, 'articles', article);
    const [, url] = /<div class="contents"><p>See <img src="([^"]*)" alt="a"><\/p><\/div>/.exec(text);
    assert.equal(new URL(url, world.desk.base).href, article.attachments[0].url);
    assert.match(url, /^\/api\/v1\//, 'at the host of the page');
    (await anyone.exchange('GET', url)).must(200);
  });

  test('a search can be narrowed to a category, and shows no more than without', async () => {
    const { owner } = world.desk, { readers: { anonymous: who, customer } } = world;
    const other = await owner.create('/categories', { titles: 'Elsewhere' });
    const section = await owner.create('/sections', { category_id: other.id, titles: 'Section elsewhere', visibility: 'PUBLIC' });
    const made = await owner.create('/articles', { titles: 'Canary elsewhere', contents: 'x', section_id: section.id, status: 'PUBLISHED' });
    const found = async (reader, query) => [...(await reader.ok(`/helpcenter/en-us/search?query=canary${query}`)).text.matchAll(/<h2><a href="[^"]*\/articles\/\d+-canary-([a-z]+)/g)].map(([, name]) => name).sort();
    assert.deepEqual(await found(who, ''), ['elsewhere', 'open']);
    assert.deepEqual(await found(who, `&category=${other.id}`), ['elsewhere']);
    assert.deepEqual(await found(who, `&category=${world.category.id}`), ['open']);
    assert.deepEqual(await found(customer, `&category=${world.category.id}`), ['customers', 'open']);
    for (const odd of ['0', '-1', 'x', '1 OR 1=1']) assert.deepEqual(await found(who, `&category=${encodeURIComponent(odd)}`), ['elsewhere', 'open'], odd);
    const { text } = await who.ok(`/helpcenter/en-us/search?query=canary&category=${other.id}`);
    assert.match(text, new RegExp(`<li><a href="/helpcenter/en-us/search\\?query=canary&amp;category=${other.id}" aria-current="true" rel="nofollow">Elsewhere</a></li>`));
    assert.match(text, /<p class="count">1 result<\/p>/);
    assert.match((await who.ok('/helpcenter/en-us/search?query=canary&category=999999')).text, /Nothing was found[^]*href="\/helpcenter\/en-us\/search\?query=canary">Search in all topics/);
    (await owner.delete(`/articles/${made.id}`)).must(200);
    (await owner.delete(`/sections/${section.id}`)).must(200);
  });

  test('the headings of an article have ids of their words, and are its contents list', async () => {
    const contents = '<h2>Turn the key</h2><p>a</p><h3>Twice &amp; more</h3><p>b</p><h2>Turn the key</h2><h2><b></b></h2><h1>Not listed</h1><h2>مفتاح</h2><p>&lt;h2&gt;</p>';
    const article = await world.desk.owner.create('/articles', { section_id: world.sections.open.id, titles: 'Outlined', contents, status: 'PUBLISHED' });
    const { text } = await page(world.readers.anonymous, 'articles', article);
    const ids = [...text.matchAll(/<h[23] id="(h-[^"]*)"/g)].map(([, id]) => id), list = /<nav class="toc"[^]*?<\/nav>/.exec(text)[0];
    assert.deepEqual(ids, ['h-turn-the-key', 'h-twice-more', 'h-turn-the-key-3', 'h-مفتاح']);
    assert.deepEqual([...list.matchAll(/<li( class="deeper")?><a href="#([^"]*)">([^<]*)</g)].map(([, deeper, id, words]) => [Boolean(deeper), decodeURIComponent(id), words]),
      [[false, ids[0], 'Turn the key'], [true, ids[1], 'Twice &amp; more'], [false, ids[2], 'Turn the key'], [false, ids[3], 'مفتاح']]);
    assert.doesNotMatch((await page(world.readers.anonymous, 'articles', world.many)).text, /class="toc"/, 'an article without headings has no list');
  });

  test('a page has no inline code or style, and its policy allows none', async () => {
    const who = world.readers.anonymous;
    for (const path of ['/helpcenter/en-us', '/helpcenter/en-us/nothing', '/helpcenter/en-us/search?query=canary', `/helpcenter/de/articles/${world.many.id}-kennwort-zurucksetzen`]) {
      const { headers, text } = await who.get(path);
      assert.match(headers['content-security-policy'], /^default-src 'none'; .*base-uri 'none'; frame-ancestors 'none'$/);
      assert.doesNotMatch(headers['content-security-policy'], /unsafe/);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=|javascript:/i);
      assert.match(text, /<a class="skip" href="#main">/);
    }
  });

  test('an anonymous page has a tag, is answered 304 while nothing changes, and changes at once', async () => {
    const { desk, readers: { anonymous: who, customer } } = world;
    const path = `/helpcenter/en-us/articles/${world.many.id}-reset-your-password`;
    const { headers, text } = await who.ok(path);
    assert.match(headers.etag, /^"[0-9a-f]{32}"$/);
    assert.equal(headers['cache-control'], 'public, max-age=0, must-revalidate');
    assert.match(headers.vary, /Cookie/);
    const again = await who.get(path, { 'If-None-Match': headers.etag });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', headers.etag]);
    const head = await who.get(path, {}, 'HEAD');
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', String(Buffer.byteLength(text))]);
    assert.equal((await customer.ok(path)).headers['cache-control'], 'private, no-cache');
    await desk.owner.update(`/articles/${world.many.id}`, { contents: titles({ 'en-us': '<p>New words.</p>', de: '<p>Neu</p>', ar: '<p>Neu</p>' }) });
    for (let i = 0; i < 4; i++) {
      const changed = await who.get(path, { 'If-None-Match': headers.etag });
      assert.equal(changed.status, 200);
      assert.match(changed.text, /New words\./);
    }
  });

  test('a reply to a logged-in reader is never given to an anonymous one', async () => {
    const { readers } = world;
    for (let i = 0; i < 3; i++) {
      assert.match((await readers.owner.ok('/helpcenter/en-us')).text, /Canary staff/);
      assert.doesNotMatch((await readers.anonymous.ok('/helpcenter/en-us')).text, /Canary staff/);
    }
    const stolen = new Reader(world.desk, readers.owner.cookie.replace(/.$/, (last) => (last === '0' ? '1' : '0')));
    assert.doesNotMatch((await stolen.ok('/helpcenter/en-us')).text, /Canary staff/);
    assert.doesNotMatch((await readers.owner.ok('/helpcenter/en-us', { 'User-Agent': `${AGENT} other` })).text, /Canary staff/);
  });

  test('a view counts for readers, with 200 and 304, and neither for staff nor for bots', async () => {
    const { desk, readers } = world;
    const { id } = await desk.owner.create('/articles', { section_id: world.sections.open.id, titles: titles({ 'en-us': 'Viewed' }), contents: titles({ 'en-us': '<p>x</p>' }), status: 'PUBLISHED' });
    const path = `/helpcenter/en-us/articles/${id}-viewed`;
    const { headers } = await readers.anonymous.ok(path);
    await readers.anonymous.get(path, { 'If-None-Match': headers.etag });
    await readers.customer.ok(path);
    await readers.staff.ok(path);
    await readers.anonymous.ok(path, { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' });
    await desk.restart();
    assert.equal(Number(desk.sql(`SELECT views FROM articles WHERE id = ${id}`)), 3);
    assert.equal(desk.sql(`SELECT COUNT(*) || ' ' || SUM(views) || ' ' || CASE WHEN MIN(day) > 20000 THEN 'today' ELSE 'no day' END FROM article_views WHERE article_id = ${id}`).trim(), '1 3 today', 'a kept page, too, counts on the day of the clock');
  });

  test('methods that a page has not are 405, and posts from another site are refused', async () => {
    const { anonymous } = world.readers;
    const put = await anonymous.get('/helpcenter/en-us', {}, 'PUT');
    assert.deepEqual([put.status, put.headers.allow], [405, 'GET, HEAD']);
    const foreign = await anonymous.get('/helpcenter/en-us/login', { Origin: 'https://evil.example', 'Content-Type': 'application/x-www-form-urlencoded' }, 'POST');
    assert.equal(foreign.status, 403);
  });

  test('links of a page lead to pages of this site', async () => {
    const { anonymous } = world.readers;
    const { text } = await anonymous.ok('/helpcenter/en-us');
    for (const url of new Set(hrefs(text))) {
      if (url.startsWith('#')) continue;
      const { pathname, origin } = new URL(url, world.desk.base);
      assert.equal(origin, world.desk.base);
      assert.ok((await anonymous.get(pathname)).status < 400, url);
    }
  });
});

describe('brands of the help center', () => {
  const world = shared(async ({ desk }) => {
    const { owner } = desk;
    world.brand = await owner.create('/brands', { name: 'Engines', domain: 'help.engines.example', sub_domain: 'engines', locale_id: 3 });
    world.off = await owner.create('/brands', { name: 'Closed', domain: 'closed.example', is_enabled: false });
    const category = await owner.create('/categories', { titles: titles({ de: 'Motoren' }), brand_id: world.brand.id });
    world.section = await owner.create('/sections', { category_id: category.id, titles: titles({ de: 'Canary Motor' }), visibility: 'PUBLIC', article_order_by: 'LATEST' });
    world.article = await owner.create('/articles', { section_id: world.section.id, titles: titles({ de: 'Canary Artikel' }), contents: titles({ de: '<p>Text</p>' }), status: 'PUBLISHED', is_featured: true });
    world.who = await reader(desk);
  });
  const on = (host, path = '/helpcenter/de') => world.who.get(path, { Host: host });

  test('the Host header chooses the brand; unknown hosts get the default one, disabled brands are not served', async () => {
    for (const host of ['help.engines.example', 'HELP.engines.example:8080', 'help.engines.example.']) {
      const { status, text } = await on(host);
      assert.equal(status, 200);
      assert.match(text, /Canary Motor[\s\S]*Engines/, host);
    }
    for (const host of ['other.example', 'evil.example/x', '127.0.0.1', '[::1]:80', 'a'.repeat(300), "x'--"]) {
      const { status, text } = await on(host);
      if (status === 400) continue; // the edge refuses it
      assert.equal(status, 200, host);
      assert.doesNotMatch(text, /Canary|Engines/, host);
      assert.ok(!text.includes('evil.example') && !text.includes('other.example'), 'addresses are never made of the Host header');
    }
    assert.equal((await on('closed.example')).status, 404);
    assert.equal((await on('other.example', `/helpcenter/de/articles/${world.article.id}-canary-artikel`)).status, 404, 'an article of another brand');
    assert.doesNotMatch((await on('other.example', '/helpcenter/de/feed.atom')).text, /Canary/);
    assert.doesNotMatch((await on('other.example', '/helpcenter/sitemap/0')).text, /canary/);
    const map = (await on('help.engines.example', '/helpcenter/sitemap/0')).text;
    assert.match(map, /<loc>http:\/\/help\.engines\.example:\d+\/helpcenter\/de\/articles\/\d+-canary-artikel<\/loc>/);
  });

  test('pictures of messages and articles load on the domain of a brand, with the cookie of this domain', async () => {
    const { desk } = world, { owner, staff, customer } = desk;
    const upload = async (who) => (await who.post('/files', raw('image/png', png(20, 10)))).must(201).data.id;
    const file = await upload(staff), talk = await customer.create('/conversations', { subject: 'Motor', contents: 'It stalls' });
    (await staff.post(`/cases/${talk.id}/reply`, { contents: `<p>Look: <img src="cid:${file}" alt="a"></p>`, channel_options: { html: true }, attachment_file_ids: [file] })).must(201);
    const who = await reader(desk, customer), host = { Host: 'help.engines.example' };
    const { headers, text } = await who.get(`/helpcenter/de/conversations/${talk.id}`, host);
    const [, url] = /Look: <img src="([^"]*)"/.exec(text);
    assert.match(url, /^\/api\/v1\//, 'a path at the host of the page');
    assert.match(headers['content-security-policy'], /img-src 'self'/);
    assert.equal((await who.get(url, host)).headers['content-type'], 'image/png');
    assert.ok([401, 404].includes((await world.who.get(url, host)).status), 'nobody else sees it');
    const drawn = await upload(owner);
    const article = await owner.create('/articles', { section_id: world.section.id, titles: titles({ de: 'Bild' }), contents: titles({ de: `<p><img src="cid:${drawn}" alt="b"></p>` }), attachment_file_ids: [drawn], status: 'PUBLISHED' });
    const [, path] = /<img src="(\/api[^"]*)" alt="b"/.exec((await on('help.engines.example', `/helpcenter/de/articles/${article.id}-bild`)).text);
    assert.equal((await on('help.engines.example', path)).headers['content-type'], 'image/png');
  });

  test('the first page of a brand\'s domain is its help center, that of the desk says what it is', async () => {
    assert.equal((await on('help.engines.example', '/')).headers.location, '/helpcenter');
    assert.equal((await on('help.engines.example', '/helpcenter')).headers.location, '/helpcenter/de');
    assert.equal((await world.who.get('/')).headers.location, undefined, 'the default brand has no article');
    const put = await world.who.get('/', { Host: 'help.engines.example' }, 'PUT');
    assert.deepEqual([put.status, put.headers.allow], [405, 'GET, HEAD']);
    const absent = await world.who.get('/', {}, 'PUT');
    assert.deepEqual([absent.status, absent.headers.allow], [404, undefined]);
  });

  test('a brand has a colour, and its pages have colours that can be read', async () => {
    const { owner } = world.desk;
    for (const color of ['#FF6600', '#ffffff', '#000000', '#ffff00', '#777777', '#0b4fc4', '#3a7d44']) {
      assert.equal((await owner.update(`/brands/${world.brand.id}`, { color })).color, color.toLowerCase());
      const { text, headers } = await on('help.engines.example', '/helpcenter/brand.css');
      assert.equal(headers['content-type'], 'text/css; charset=utf-8');
      const [normal, dark] = text.split('@media');
      const style = (await on('help.engines.example', '/helpcenter/style.css')).text.split('@media (prefers-color-scheme: dark)');
      const value = (css, name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(css)[1];
      for (const back of ['brand', 'deep']) assert.ok(contrast(value(normal, back), value(normal, 'on-brand')) >= 4.5, `${color} ${back}`);
      for (const [css, tokens] of [[normal, style[0]], [dark, style[1]]]) {
        for (const back of [value(css, 'tint'), ...['ground', 'second', 'third'].map((name) => value(tokens, name))]) assert.ok(contrast(value(css, 'act'), back) >= 4.5, `${color} on ${back}`);
        for (const text of ['text', 'soft']) assert.ok(contrast(value(tokens, text), value(css, 'tint')) >= 4.5, `${color}: ${text} on the tint`);
        assert.ok(contrast(value(css, 'act'), value(css, 'on-act')) >= 4.5, color);
      }
      assert.equal((await world.who.get('/helpcenter/brand.css', { Host: 'help.engines.example', 'If-None-Match': headers.etag })).status, 304);
    }
    for (const color of ['red', '#fff', '#12345g', '#1234567', 'url(x)', '#12345;', ' ']) {
      const reply = await owner.put(`/brands/${world.brand.id}`, { color });
      if (color.trim()) reply.refused(400, 'FIELD_INVALID', 'color');
    }
    assert.equal((await owner.update(`/brands/${world.brand.id}`, { color: null })).color, null);
  });

  test('a brand has one of three themes, whose texts can be read in both schemes with each colour', async () => {
    const { owner } = world.desk, style = (await on('help.engines.example', '/helpcenter/style.css')).text;
    const DARK = /@media \(prefers-color-scheme: dark\) \{[^]*?\}\s*\}/g;
    const last = (css, name) => [...css.matchAll(new RegExp(`--${name}: (#[0-9a-f]{3,6})`, 'g'))].at(-1)?.[1];
    for (const theme of ['BOLD', 'CALM', 'PAPER'])
      for (const color of ['#ff6600', '#ffffff', '#000000', '#0f4c5c']) {
        assert.equal((await owner.update(`/brands/${world.brand.id}`, { color, theme })).theme, theme);
        const css = style.replace(/@media print[^]*/, '').replace(/:root\[data-theme="dark"\][^]*?\}/, '') + (await on('help.engines.example', '/helpcenter/brand.css')).text;
        const light = css.replace(DARK, ''), dark = css.match(DARK).join('\n');
        for (const [scheme, text] of [['light', light], ['dark', light + dark]]) {
          const wrong = ['text', 'soft', 'act', 'wrong'].flatMap((name) => ['ground', 'second', 'third', 'tint'].map((back) => [name, back, contrast(last(text, name), last(text, back))])).filter(([, , ratio]) => !(ratio >= 4.5));
          assert.deepEqual(wrong, [], `${theme} ${color} ${scheme}`);
        }
      }
    (await owner.put(`/brands/${world.brand.id}`, { theme: 'LOUD' })).refused(400, 'FIELD_INVALID', 'theme');
    await owner.update(`/brands/${world.brand.id}`, { color: null, theme: 'BOLD' });
  });

  test('a brand has a logo, scaled by the server, which only an uploader\'s own picture becomes', async () => {
    const { owner, admin } = world.desk;
    const upload = async (who, bytes) => (await who.post('/files', raw('image/png', bytes))).must(201).data.id;
    const changed = await owner.update(`/brands/${world.brand.id}`, { logo_file_id: await upload(owner, png(800, 200)) });
    assert.match(changed.logo, new RegExp(`^${world.desk.base}/helpcenter/logo/${world.brand.id}\\?v=\\d+$`));
    const { pathname, search } = new URL(changed.logo);
    const picture = await world.who.ok(pathname + search);
    assert.equal(picture.headers['content-type'], 'image/png');
    assert.match((await on('help.engines.example')).text, new RegExp(`<img src="/helpcenter/logo/${world.brand.id}\\?v=\\d+" alt=""`));
    (await owner.put(`/brands/${world.brand.id}`, { logo_file_id: await upload(owner, Buffer.from('no picture')) })).refused(400, 'FIELD_INVALID', 'logo_file_id');
    (await owner.put(`/brands/${world.brand.id}`, { logo_file_id: await upload(admin, png(8, 8)) })).refused(400, 'FIELD_INVALID', 'logo_file_id');
    (await owner.put(`/brands/${world.brand.id}`, { logo_file_id: 999999 })).refused(400, 'FIELD_INVALID', 'logo_file_id');
    assert.equal((await owner.update(`/brands/${world.brand.id}`, { logo_file_id: null })).logo, null);
    assert.equal((await world.who.get(pathname)).status, 404);
    assert.equal((await world.who.get('/helpcenter/logo/x')).status, 404);
  });

  test('the home page has a picture of the brand behind the search, in several widths, until it is removed', async () => {
    const { owner, admin } = world.desk, at = `/brands/${world.brand.id}`;
    const upload = async (who, bytes) => (await who.post('/files', raw('image/png', bytes))).must(201).data.id;
    const pictureOf = async (path) => (await world.desk.anyone.exchange('GET', path)).must(200);
    const widths = (text) => [...(text.match(/srcset="([^"]*)"/)?.[1] ?? '').matchAll(/(\S+) (\d+)w/g)].map(([, path, width]) => [path, Number(width)]);
    assert.equal((await owner.fetch(at)).picture, null);
    const changed = await admin.update(at, { picture_file_id: await upload(admin, png(2000, 1800)) });
    assert.match(changed.picture, new RegExp(`^${world.desk.base}/helpcenter/picture/${world.brand.id}/1920\\?v=\\d+$`));
    const { text } = await on('help.engines.example');
    assert.match(text, /<div class="hero pictured">\n<img class="picture" alt=""/);
    assert.deepEqual(widths(text).map(([, width]) => width), [640, 1280, 1920]);
    for (const [path, width] of widths(text)) {
      const picture = await pictureOf(path);
      assert.equal(picture.headers['content-type'], 'image/jpeg');
      assert.deepEqual(jpegSize(picture.bytes), [width, width * 3 / 4], 'the middle of a high picture');
    }
    assert.doesNotMatch((await on('other.example')).text, /pictured/, 'other brands have none');
    for (const page of ['/helpcenter/de/search?query=x', '/helpcenter/de/contact']) assert.doesNotMatch((await on('help.engines.example', page)).text, /pictured/, page);
    for (const [size, expected] of [[[1000, 300], [[640, 192], [1000, 300]]], [[640, 2000], [[640, 480]]]]) {
      const { picture } = await owner.update(at, { picture_file_id: await upload(owner, png(...size)) });
      assert.ok(Number(new URL(picture).searchParams.get('v')) > Number(new URL(changed.picture).searchParams.get('v')), 'a new picture has a new address');
      const shown = await Promise.all(widths((await on('help.engines.example')).text).map(async ([path]) => jpegSize((await pictureOf(path)).bytes)));
      assert.deepEqual(shown, expected, `${size} is never enlarged`);
    }
    const kept = (await owner.fetch(at)).picture;
    for (const [who, id] of [[owner, await upload(owner, png(639, 400))], [owner, await upload(owner, Buffer.from('no picture'))], [owner, await upload(admin, png(800, 300))], [owner, 999999]])
      (await who.put(at, { picture_file_id: id })).refused(400, 'FIELD_INVALID', 'picture_file_id');
    (await world.desk.staff.put(at, { picture_file_id: await upload(world.desk.staff, png(800, 300)) })).refused(403, 'PERMISSIONS_DENIED');
    assert.equal((await owner.fetch(at)).picture, kept, 'a refused picture changes nothing');
    for (const odd of ['641', 'x', '-1', '']) assert.equal((await world.who.get(`/helpcenter/picture/${world.brand.id}/${odd}`)).status, 404, odd);
    assert.equal((await owner.update(at, { picture_file_id: null })).picture, null);
    assert.equal((await world.who.get(new URL(kept).pathname)).status, 404);
    assert.match((await on('help.engines.example')).text, /<div class="hero">\n<h1>/, 'the colour of the brand, as before');
  });

  test('a brand\'s templates frame its pages; they keep contents and forms whole', async () => {
    const { owner } = world.desk;
    const at = (name) => `/brands/${world.brand.id}/templates/${name}`;
    const block = (name, text) => `{% block ${name} %}${text}{% endblock %}\n`;
    await owner.update(at('helpcenter_layout'), { contents: block('title', '{{title}} | {{brand}}') + block('body', '{{header}}<div class="banner">Closed on Sunday</div>{{contents}}{{footer}}') + block('style', '.banner { padding: 1rem; }') });
    await owner.update(at('helpcenter_article'), { contents: block('title', 'Read: {{title}}') + block('body', '<h2>Before</h2>{{contents}}<section>{{form}}</section>') });
    const { text } = await on('help.engines.example', `/helpcenter/de/articles/${world.article.id}-canary-artikel`);
    assert.match(text, /<title>Read: Canary Artikel \| Engines<\/title>/);
    assert.match(text, /Closed on Sunday<\/div><main id="main"[\s\S]*<h2>Before<\/h2>[\s\S]*<h1>Canary Artikel<\/h1>[\s\S]*<section><section class="vote"/);
    assert.match((await on('help.engines.example', '/helpcenter/brand.css')).text, /\.banner \{ padding: 1rem; \}/);
    assert.doesNotMatch((await on('other.example')).text, /Sunday/, 'other brands keep theirs');
    assert.match((await on('help.engines.example', '/helpcenter/de/nothing')).text, /Sunday[\s\S]*Diese Seite gibt es nicht/);
    for (const [name, body] of [
      ['helpcenter_article', '{{contents}}'], ['helpcenter_article', '{{form}}'], ['helpcenter_article', '{{contents}}{{form}}{{form}}'],
      ['helpcenter_article', '<p>{{contents}}</p>{{form}}'], ['helpcenter_home', '<a href="{{contents}}">x</a>'], ['helpcenter_home', '{{contents}}<form>'],
      ['helpcenter_home', '{{contents}}{{form}}'], ['helpcenter_layout', '{{header}}{{footer}}'], ['helpcenter_layout', '<table>{{contents}}</table>'],
      ['helpcenter_home', '{{contents}}<script>x</script>'],
    ]) (await owner.put(at(name), { contents: block('title', 'x') + block('body', body) })).refused(400, 'FIELD_INVALID', 'contents');
    (await owner.put(at('helpcenter_home'), { contents: block('title', '{{contents}}') + block('body', '{{contents}}') })).refused(400, 'FIELD_INVALID', 'contents');
    await owner.put(`${at('helpcenter_layout')}/restore`, {});
    assert.doesNotMatch((await on('help.engines.example')).text, /Sunday/);
  });

  test('a template is previewed with sample values, and nothing is stored', async () => {
    const { owner, staff, admin } = world.desk;
    const at = (name) => `/brands/${world.brand.id}/templates/${name}`;
    const block = (name, text) => `{% block ${name} %}${text}{% endblock %}\n`;
    const contents = block('title', 'Mine: {{title}}') + block('body', '<h2>{{brand}}</h2>{{contents}}{{form}}') + block('style', 'h2 { color: red; }');
    const { html } = (await admin.post(`${at('helpcenter_article')}/preview`, { contents })).must(200).data;
    assert.match(html, /<title>Mine: Sample title<\/title>[\s\S]*h2 \{ color: red; \}[\s\S]*<h2>Engines<\/h2><h1>Sample title<\/h1>[\s\S]*<form>/);
    assert.equal((await owner.fetch(at('helpcenter_article'))).contents.includes('Mine'), false);
    const mail = (await owner.post(`${at('verification')}/preview`, { contents: block('subject', 'To {{name}}') + block('text', '\nGo to\n\n{{link}}\n') })).must(200).data;
    assert.match(mail.html, /<title>To Alice Sample<\/title>[\s\S]*verify\?hash=sample/);
    for (const { name, contents: original } of await owner.fetch('/brands/1/templates', { limit: 100 })) {
      const { html: shown } = (await owner.post(`/brands/1/templates/${name}/preview`, { contents: original })).must(200).data;
      assert.doesNotMatch(shown, /\{\{|\{%/, name);
    }
    (await admin.post(`${at('helpcenter_article')}/preview`, { contents: block('title', 'x') + block('body', '{{contents}}') })).refused(400, 'FIELD_INVALID', 'contents');
    (await admin.post(`${at('helpcenter_article')}/preview`, {})).refused(400, 'FIELD_REQUIRED', 'contents');
    (await admin.post(`${at('nothing')}/preview`, { contents })).refused(404, 'RESOURCE_NOT_FOUND');
    (await staff.post(`${at('helpcenter_article')}/preview`, { contents })).must(403);
  });
});

test('a feed names itself, its page, its brand and its newest change, and an entry what it is of; the page of an article has the day of a later change', async (t) => {
  const desk = await open(t), { owner, anyone } = desk;
  const text = async (path) => (await anyone.exchange('GET', path)).must(200).bytes.toString();
  const feed = async (path) => {
    const [head, ...entries] = (await text(path)).split('<entry').map((part) => Object.fromEntries([...part.matchAll(/<(id|title|name|published|updated|summary)>([^<]*)<|<link rel="(\w+)"[^>]* href="([^"]*)"/g)].map(([, name, value, rel, href]) => [name ?? rel, value ?? href.replace(/^\w+:\/\/[^/]*/, '')])));
    return { head: { ...head, id: head.id.replace(/^\w+:\/\/[^/]*/, '') }, entries };
  };
  const brand = (await owner.fetch('/brands'))[0], made = await owner.create('/sections', { category_id: (await owner.create('/categories', { titles: 'Using it' })).id, titles: 'Guides', visibility: 'PUBLIC' });
  const created = iso(desk.clock.now);
  const empty = await feed('/helpcenter/en-us/feed.atom');
  assert.deepEqual([empty.head.title, empty.head.updated, empty.entries], [brand.name, iso(Date.parse(brand.updated_at)), []]);
  const article = (title, contents) => owner.create('/articles', { section_id: made.id, titles: title, contents, status: 'PUBLISHED' });
  const first = await article('First', '<p>One &amp; two.</p>');
  await desk.clock.forward(DAY);
  const second = await article('Second', '<p>Three.</p>'), later = iso(desk.clock.now);
  await desk.clock.forward(60);
  await owner.update(`/articles/${first.id}`, { contents: '<p>One &amp; two and a half.</p>' });
  const changed = iso(desk.clock.now), author = (await owner.fetch('/me')).full_name, guides = `/helpcenter/en-us/sections/${made.id}-guides`;
  const entries = [
    { id: `urn:uuid:${second.uuid}`, title: 'Second', alternate: `/helpcenter/en-us/articles/${second.id}-second`, published: later, updated: later, name: author, summary: 'Three.' },
    { id: `urn:uuid:${first.uuid}`, title: 'First', alternate: `/helpcenter/en-us/articles/${first.id}-first`, published: created, updated: changed, name: author, summary: 'One &amp; two and a half.' },
  ];
  assert.deepEqual(await feed('/helpcenter/en-us/feed.atom'), { head: { id: '/helpcenter/en-us', title: brand.name, self: '/helpcenter/en-us/feed.atom', alternate: '/helpcenter/en-us', name: brand.name, updated: changed }, entries });
  assert.deepEqual(await feed(`${guides}/feed.atom`), { head: { id: guides, title: `Guides - ${brand.name}`, self: `${guides}/feed.atom`, alternate: guides, name: brand.name, updated: changed }, entries });
  const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(await text(entries[1].alternate))[1].replaceAll(desk.base, ''));
  const crumb = (position, name, item) => ({ '@type': 'ListItem', position, name, item });
  assert.deepEqual(data, { '@context': 'https://schema.org', '@graph': [
    { '@type': 'Article', headline: 'First', url: entries[1].alternate, inLanguage: 'en-us', datePublished: created, dateModified: changed, author: { '@type': 'Person', name: author } },
    { '@type': 'BreadcrumbList', itemListElement: [crumb(1, 'Home', '/helpcenter/en-us'), crumb(2, 'Using it', `/helpcenter/en-us/categories/${made.category.id}-using-it`), crumb(3, 'Guides', guides)] },
  ] });
  const days = async (path) => [.../<p class="byline">.*<\/p>/.exec(await text(path))[0].matchAll(/datetime="([^"]*)"/g)].map(([, time]) => time);
  assert.deepEqual([await days(entries[0].alternate), await days(entries[1].alternate)], [[later], [created, changed]]);
});

test('a brand with a sub-domain has the pages of this label under the host of the desk, and of no other host', async (t) => {
  const desk = await open(t, { base: 'https://desk.example.com' });
  await desk.owner.create('/brands', { name: 'Engines', sub_domain: 'engines' });
  const brandAt = async (Host) => /<title>[^<]*?(\w+)<\/title>/.exec((await desk.anyone.exchange('GET', '/helpcenter/en-us', { headers: { Host } })).must(200).bytes.toString())[1];
  for (const host of ['engines.desk.example.com', 'ENGINES.desk.example.com:8080', 'engines.desk.example.com.']) assert.equal(await brandAt(host), 'Engines', host);
  for (const host of ['desk.example.com', 'a.engines.desk.example.com', 'enginesdesk.example.com', 'engines-desk.example.com', 'engines.desk.example.org', 'engine.desk.example.com', 'engines', 'engines.desk.example.com.evil.example'])
    assert.equal(await brandAt(host), 'Support', host);
});

test('an article shows fifty comments, the others are on later pages', async (t) => {
  const desk = await open(t), { owner, anyone } = desk;
  const section = await owner.create('/sections', { category_id: (await owner.create('/categories', { titles: 'Using it' })).id, titles: 'Guides', visibility: 'PUBLIC' });
  const { id } = await owner.create('/articles', { section_id: section.id, titles: 'First', contents: '<p>x</p>', status: 'PUBLISHED', allow_comments: true });
  for (let i = 1; i <= 51; i++) {
    if (i % 10 === 1) await desk.clock.forward(61); // a person writes ten comments a minute
    if (i === 51) assert.ok(!(await anyone.exchange('GET', `/helpcenter/en-us/articles/${id}-first`)).text.includes('?comments=2'), 'fifty are one page');
    await desk.staff.create(`/articles/${id}/comments`, { contents: `Comment ${i}.` });
  }
  const shown = async (query = '') => {
    const { text } = (await anyone.exchange('GET', `/helpcenter/en-us/articles/${id}-first${query}`)).must(200);
    return [[...text.matchAll(/Comment (\d+)\./g)].map(([, n]) => Number(n)).sort((a, b) => a - b), text.includes('?comments=2#comments'), text.includes('?comments=3')];
  };
  const [first, more] = await shown(), [rest, , third] = await shown('?comments=2');
  assert.deepEqual([first.length, more, rest.length, third, [...first, ...rest].sort((a, b) => a - b)], [50, true, 1, false, Array.from({ length: 51 }, (_, i) => i + 1)]);
});

test('lists of articles have an order and pages, and a page of a list names its neighbours', async (t) => {
  const desk = await open(t), { owner, anyone, staff } = desk;
  const text = async (path) => (await anyone.exchange('GET', `/helpcenter/en-us${path}`)).must(200).bytes.toString();
  const category = await owner.create('/categories', { titles: 'Using it' });
  const section = (titles, article_order_by) => owner.create('/sections', { category_id: category.id, titles, visibility: 'PUBLIC', article_order_by });
  const latest = await section('Latest', 'LATEST'), manual = await section('Manual', 'LATEST'), popular = await section('Popular', 'POPULAR');
  const article = (section_id, titles, more) => owner.create('/articles', { section_id, titles, contents: '<p>Turn it.</p>', status: 'PUBLISHED', ...more });
  const made = [];
  for (let n = 1; n <= 21; n++) made.push(await article(latest.id, `Turning ${n}`, { is_featured: n > 14 }));
  const listed = (html, numbers = /Turning (\d+)<\/a>/g) => [...html.matchAll(numbers)].map(([, n]) => Number(n));
  const down = (from, to) => Array.from({ length: from - to + 1 }, (_, i) => from - i);
  const page = `/sections/${latest.id}-latest`, first = await text(page), second = await text(`${page}?page=2`);
  assert.deepEqual([listed(first), listed(second)], [down(21, 2), [1]], 'of one moment, the newest first');
  const pager = (html) => [...html.matchAll(/<a rel="(prev|next)" href="([^"]*)">([^<]*)</g)].map(([, ...parts]) => parts);
  assert.deepEqual([pager(first), pager(second)], [[['next', `/helpcenter/en-us${page}?page=2`, 'Next page']], [['prev', `/helpcenter/en-us${page}?page=1`, 'Previous page']]]);
  assert.match(second, new RegExp(`rel="canonical" href="[^"]*${page}\\?page=2"`));
  assert.ok(first.includes('hreflang="en-us" href') && !second.includes('rel="alternate" hreflang'), 'the first page is the one that other languages have');
  assert.equal((await anyone.exchange('GET', `/helpcenter/en-us${page}?page=3`)).status, 404);
  assert.match(first, new RegExp(`<link rel="alternate" type="application/atom\\+xml" title="[^"]+" href="/helpcenter/en-us${page}/feed.atom">`));
  const feed = await text('/feed.atom'), ofSection = await text(`${page}/feed.atom`);
  assert.deepEqual([listed(feed, /<title>Turning (\d+)</g), listed(ofSection, /<title>Turning (\d+)</g)], [down(21, 2), down(21, 2)]);
  const home = await text(''), part = (heading) => listed(new RegExp(`<h2>${heading}</h2>\\n<ul class="articles">[^]*?</ul>`).exec(home)[0]);
  assert.deepEqual([part('Featured articles'), part('Popular articles')], [down(21, 16), down(14, 9)]);
  const moved = [];
  for (const n of [1, 2, 3]) moved.push(await article(manual.id, `Turning ${n}`));
  await owner.update(`/sections/${manual.id}`, { article_order_by: 'MANUAL' });
  (await owner.put('/articles/reorder', { article_ids: [moved[2].id, moved[0].id] })).must(200);
  for (const n of [1, 2]) await article(popular.id, `Turning ${n}`);
  assert.deepEqual(listed(await text(`/sections/${popular.id}-popular`)), [2, 1]);
  assert.deepEqual(listed(await text(`/sections/${manual.id}-manual`)), [3, 1, 2]);
  const results = async (query) => { const html = await text(`/search?query=turning${query}`); return { from: Number(/<ol class="results" start="(\d+)">/.exec(html)[1]), hits: html.match(/<li><h2><a/g).length, pager: pager(html).map(([rel, href]) => `${rel} ${href}`) }; };
  const at = (n) => `/helpcenter/en-us/search?query=turning&amp;page=${n}`;
  const found = [await results(''), await results('&page=2'), await results('&page=3')].map(({ pager: links, ...rest }) => ({ ...rest, pager: links.map((link) => link.replaceAll('&amp;', '&').replaceAll('&', '&amp;')) }));
  assert.deepEqual(found, [{ from: 1, hits: 10, pager: [`next ${at(2)}`] }, { from: 11, hits: 10, pager: [`prev ${at(1)}`, `next ${at(3)}`] }, { from: 21, hits: 6, pager: [`prev ${at(2)}`] }]);
  const empty = await owner.create('/categories', { titles: 'Empty' }), none = await section('None', 'LATEST');
  assert.equal((await anyone.exchange('GET', `/helpcenter/en-us/categories/${empty.id}-empty`)).status, 404, 'nobody but staff sees a category without sections');
  const cookie = { Cookie: `desk_session=${(await desk.session(staff)).id}` };
  assert.match((await anyone.exchange('GET', `/helpcenter/en-us/categories/${empty.id}-empty`, { headers: cookie })).must(200).text, /There are no articles yet\./);
  assert.match(await text(`/sections/${none.id}-none`), /There are no articles yet\./);
  const counts = async (headers) => Object.fromEntries([...(await anyone.exchange('GET', `/helpcenter/en-us/categories/${category.id}-using-it`, { headers })).must(200).bytes.toString().matchAll(/<li><h2><a href="[^"]*\/sections\/[^"]*">(\w+)<\/a> <span class="count">(\d+)</g)].map(([, title, n]) => [title, Number(n)]));
  await article(none.id, 'Not yet', { status: 'DRAFT' });
  assert.deepEqual(await counts(), { Latest: 21, Manual: 3, Popular: 2, None: 0 });
  const owners = { Cookie: `desk_session=${(await desk.session(owner)).id}` };
  assert.deepEqual(await counts(owners), { Latest: 21, Manual: 3, Popular: 2, None: 1 }, 'writers see the number of drafts, too');
  assert.match((await anyone.exchange('GET', '/helpcenter/en-us', { headers: owners })).must(200).text, /None<\/a> <span class="count">1</);
});

test('the page of an article has its tags, its files with their sizes, related articles and a description', async (t) => {
  const desk = await open(t), { owner, anyone } = desk;
  const get = async (path, headers = {}) => (await anyone.exchange('GET', path, { headers })).must(200).bytes.toString();
  const section = await owner.create('/sections', { category_id: (await owner.create('/categories', { titles: 'Using it' })).id, titles: 'Guides', visibility: 'PUBLIC' });
  const file = async (size) => (await owner.post('/files', raw('text/plain', Buffer.alloc(size, 'x')))).must(201).data.id;
  const files = [await file(10239), await file(10240), await file(10240 * 1024 - 1), await file(10240 * 1024)];
  const long = `<p>Two  <b>words</b> &amp; "quotes" &lt;tag&gt;${'é'.repeat(100)}</p>`;
  const { id, attachments } = await owner.create('/articles', { section_id: section.id, titles: 'First', contents: long, status: 'PUBLISHED', tags: ['c++ & more', 'alpha'], attachment_file_ids: files });
  const other = await owner.create('/articles', { section_id: section.id, titles: 'Second', contents: '<p>x</p>', status: 'PUBLISHED' });
  const html = await get(`/helpcenter/en-us/articles/${id}-first`);
  assert.match(html, /<ul class="tags" aria-label="Tags">\n<li><a href="\/helpcenter\/en-us\/search\?query=alpha" rel="nofollow"><bdi>alpha<\/bdi><\/a><\/li>\n<li><a href="\/helpcenter\/en-us\/search\?query=c%2B%2B%20%26%20more" rel="nofollow"><bdi>c\+\+ &amp; more<\/bdi>/);
  assert.deepEqual([.../<section class="files">\n<h2>Attachments<\/h2>[^]*?<\/section>/.exec(html)[0].matchAll(/<li><svg.*?<a href="([^"]*)" download><bdi>[^<]*<\/bdi><\/a> <span class="count">([^<]*)</g)].map(([, href, size]) => [href, size]),
    attachments.map((x, i) => [`/api/v1/articles/${id}/attachments/${x.id}/download`, ['10239 B', '10 KB', '10239 KB', '10 MB'][i]]));
  const description = /<meta name="description" content="([^"]*)"/.exec(html)[1];
  assert.match(description, /^Two words &amp; &quot;quotes&quot; &lt;tag&gt;é+$/);
  assert.ok(Buffer.byteLength(description.replaceAll(/&\w+;/g, 'x')) > 155, 'as long as a description may be');
  const plain = await get(`/helpcenter/en-us/articles/${other.id}-second`);
  assert.ok(!/class="(tags|files)"/.test(plain));
  assert.match(plain, /<h2>Related articles<\/h2>\n<ul class="articles">\n<li><a href="[^"]*-first">First<\/a><\/li>\n<\/ul>/);
  assert.match(plain, /<meta name="description" content="x">/);
  assert.match(plain, new RegExp(`<p>Do you need more help\\? <a href="/helpcenter/en-us/contact\\?article=${other.id}">Contact us</a>`));
  assert.ok(plain.includes('<script src="/helpcenter/times.js" defer>') && !plain.includes('noindex'));
  const draft = await owner.create('/articles', { section_id: section.id, titles: 'Draft', contents: '<p>x</p>', status: 'DRAFT' });
  const shown = await get(`/helpcenter/en-us/articles/${draft.id}-draft`, { Cookie: `desk_session=${(await desk.session(owner)).id}` });
  assert.match(shown, /<p class="notice">This article is not published\. Only staff see it\.<\/p>/);
  assert.ok(shown.includes('<meta name="robots" content="noindex">') && !shown.includes('rel="canonical"') && !shown.includes('ld+json') && !html.includes('class="notice"'));
});

test('robots.txt closes the pages of a person and of a search, below the path of the desk', async (t) => {
  const desk = await open(t, { base: 'https://example.com/desk' });
  const { text } = (await desk.anyone.exchange('GET', '/robots.txt')).must(200);
  assert.equal(text, `User-agent: *\n${['/api/', '/helpcenter/*/search', '/helpcenter/*/login', '/helpcenter/*/conversations'].map((path) => `Disallow: /desk${path}\n`).join('')}\nSitemap: https://example.com/desk/sitemap.xml\n`);
  const login = await desk.anyone.exchange('GET', '/helpcenter/en-us/login');
  assert.match(login.must(200).text, /action="\/desk\/helpcenter\/en-us\/login"/);
});

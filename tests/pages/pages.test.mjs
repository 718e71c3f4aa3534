// The help center in Chromium: axe-core reports nothing, and Tab reaches each control and shows where it is. SHOTS=folder keeps screenshots.
// A page is loaded once in each direction: most of the costs are axe-core and loads.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { PASSWORD, open, raw, relayFor } from '../api/lib/index.mjs';
import { png } from '../api/lib/picture.mjs';
import './stall.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const WIDTHS = [360, 768, 1280];
const SHOTS = process.env.SHOTS;

/** Counts what a Tab key must reach: what is visible and can have the focus. Notes what gets the focus, and what does not show it. */
const watchFocus = () => {
  globalThis.reached = new Set();
  globalThis.bare = [];
  document.addEventListener('focusin', ({ target: e }) => {
    const style = getComputedStyle(e);
    globalThis.reached.add(e);
    if (style.outlineStyle === 'none' && style.boxShadow === 'none') globalThis.bare.push(e.outerHTML.slice(0, 100));
  });
  return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, [tabindex="0"]')]
    .filter((e, i, all) => e.type !== 'radio' || all.findIndex(({ name }) => name === e.name) === i) // Tab enters a group once
    .filter((e) => !e.disabled && e.getClientRects().length && getComputedStyle(e).visibility !== 'hidden').length;
};

describe('pages in a browser', () => {
  const ends = [];
  const world = {};
  before(async () => {
    const desk = await open({ after: (end) => ends.push(end) });
    world.desk = desk;
    (await desk.owner.put('/categories/1', { icon: 'BOOK', titles: [{ locale: 'en-us', translation: 'General' }, { locale: 'ar', translation: 'عام' }, { locale: 'de', translation: 'Allgemein' }] })).must(200);
    const section = await desk.owner.create('/sections', { titles: 'Engines', category_id: 1, visibility: 'PUBLIC' });
    const contents = '<h2>First</h2><p>Turn the <a href="https://example.com/key">key</a>.</p><ul><li>Wait</li></ul>';
    const article = await desk.owner.create('/articles', { titles: 'Start the engine', contents, section_id: section.id, status: 'PUBLISHED', allow_comments: true });
    await desk.customer.post(`/articles/${article.id}/comments`, { contents: 'It works.' });
    const talk = await desk.customer.create('/conversations', { subject: 'The engine stalls', contents: 'It stops after ten turns.' });
    await desk.staff.create(`/conversations/${talk.id}/messages`, { contents: 'Have you tried turning it backwards?' });
    world.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
    world.pages = [['home', ''], ['section', `/sections/${section.id}-engines`], ['article', `/articles/${article.id}-start-the-engine`], ['search', '/search?query=engine'], ['contact', '/contact'],
      ['thanks', '/contact?done=sent'], ['login', '/login'], ['reset', '/reset'], ['missing', '/nothing'], ['conversations', '/conversations', true], ['conversation', `/conversations/${talk.id}`, true],
      ['article of a customer', `/articles/${article.id}-start-the-engine`, true], ['logout', '/logout', true]];
  });
  after(async () => {
    await world.browser?.close();
    for (const end of ends) await end();
  });

  const visit = async (loggedIn, locale) => {
    const context = await world.browser.newContext({ colorScheme: 'light', bypassCSP: true });
    const page = await context.newPage(), root = `${world.desk.base}/helpcenter/${locale}`;
    if (loggedIn) {
      await page.goto(`${root}/login`);
      await page.fill('#f-email', world.desk.people.customer.email);
      await page.fill('#f-password', PASSWORD);
      await Promise.all([page.waitForURL('**/conversations'), page.click('main button')]);
    }
    return { context, page, root };
  };

  const shoot = async (page, name) => {
    if (!SHOTS) return;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: `${SHOTS}/${name.replaceAll(' ', '-')}.png`, fullPage: true });
  };

  /** Text in the colour of its background is no violation to axe-core, but unclear. Here it is one. */
  const audit = async (page, name, more) => {
    const found = await page.evaluate(async (more) => {
      const { violations, incomplete } = await axe.run(document, { resultTypes: ['violations', 'incomplete'], ...more });
      const unseen = incomplete.map((rule) => ({ ...rule, nodes: rule.nodes.filter((n) => n.any.some(({ data }) => data?.messageKey === 'equalRatio')) })).filter(({ nodes }) => nodes.length);
      return [...violations, ...unseen].map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`);
    }, more);
    assert.deepEqual(found, [], name);
  };

  /** All rules once; the colours again in the dark; at each width whether the page is wider than the window. */
  const examine = async (page, name) => {
    await page.addScriptTag({ path: axe });
    for (const scheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: scheme });
      await audit(page, `${name} ${scheme}`, scheme === 'dark' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {});
      for (const width of SHOTS || scheme === 'light' ? WIDTHS : []) {
        await page.setViewportSize({ width, height: 800 });
        const outside = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth ? [] : [document.documentElement.scrollWidth,
          ...[...document.body.querySelectorAll('*')].filter((e) => { const box = e.getBoundingClientRect(); return box.left < 0 || box.right > innerWidth; }).map((e) => e.outerHTML.slice(0, 100))]);
        assert.deepEqual(outside, [], `${name} is wider than ${width}`);
        await shoot(page, `${name} ${scheme} ${width}`);
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
  };

  const walk = async (page, name) => {
    const wanted = await page.evaluate(watchFocus);
    for (let n = 0; n < wanted + 3; n++) await page.keyboard.press('Tab');
    const { reached, bare } = await page.evaluate(() => ({ reached: globalThis.reached.size, bare: globalThis.bare }));
    assert.deepEqual(bare, [], `${name}: the focus is not visible`);
    assert.ok(reached >= wanted, `${name}: Tab reaches ${reached} of ${wanted} controls`);
  };

  for (const locale of ['en-us', 'ar'])
    for (const loggedIn of [false, true])
      test(`axe-core reports nothing, and Tab reaches each control: ${locale}, ${loggedIn ? 'with' : 'without'} a login`, async () => {
        const { context, page, root } = await visit(loggedIn, locale);
        for (const [name, path] of world.pages.filter((row) => Boolean(row[2]) === loggedIn)) {
          await page.goto(`${root}${path}`);
          await examine(page, `${name} ${locale}`);
          await walk(page, `${name} ${locale}`);
        }
        await context.close();
      });

  test('a picture of the brand stands behind the search: nothing waits for it, it fits the window, text on it can be read, and paper has none', async () => {
    const { owner } = world.desk, white = (await owner.post('/files', raw('image/png', png(2000, 1000, [255, 255, 255])))).must(201).data.id;
    (await owner.put('/brands/1', { picture_file_id: white, color: '#ffffff' })).must(200);
    const { context, page, root } = await visit(false, 'en-us');
    let release;
    const painted = new Promise((resolve) => { release = resolve; });
    await page.route('**/helpcenter/picture/**', (route) => painted.then(() => route.continue()));
    await page.setViewportSize({ width: 360, height: 800 });
    const asked = page.waitForRequest('**/helpcenter/picture/**');
    await page.goto(root, { waitUntil: 'domcontentloaded' });
    assert.match((await asked).url(), /\/picture\/1\/640\?/);
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0); // while the picture is held back
    await page.getByRole('searchbox').waitFor();
    release();
    await page.waitForFunction(() => document.querySelector('.picture').naturalWidth > 0);
    await examine(page, 'home with a picture');
    for (const [width, name] of [[1280, 1280], [1900, 1920]]) {
      await page.setViewportSize({ width, height: 800 });
      await page.reload();
      await page.waitForFunction((end) => document.querySelector('.picture').currentSrc.includes(`/${end}?`), name);
    }
    // The darkest ground of white text: white under the shade of the style sheet.
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const { text, shade } = await page.evaluate(() => ({ text: getComputedStyle(document.querySelector('.hero h1')).color, shade: getComputedStyle(document.querySelector('.pictured'), '::before').backgroundColor }));
      const light = ((255 * (1 - Number(/, ([\d.]+)\)$/.exec(shade)[1])) / 255 + 0.055) / 1.055) ** 2.4;
      assert.ok(text === 'rgb(255, 255, 255)' && 1.05 / (light + 0.05) >= 4.5, `${colorScheme}: ${text} on ${shade}`);
    }
    await page.emulateMedia({ media: 'print' });
    assert.deepEqual(await page.evaluate(() => [getComputedStyle(document.querySelector('.picture')).display, getComputedStyle(document.querySelector('.hero h1')).color]), ['none', 'rgb(0, 0, 0)']);
    (await owner.put('/brands/1', { picture_file_id: null, color: null })).must(200);
    await context.close();
  });

  test('the first page of a desk without articles, the page of an unknown address and the documentation are accessible', async (t) => {
    const empty = await open(t), context = await world.browser.newContext({ colorScheme: 'light', bypassCSP: true }), page = await context.newPage();
    for (const [name, path] of [['first', '/'], ['unknown address', '/no/such/address'], ['documentation', '/docs']]) {
      await page.goto(`${empty.base}${path}`);
      await examine(page, name);
      await walk(page, name);
    }
    await context.close();
  });

  test('the form with its problems is accessible', async () => {
    const { context, page, root } = await visit(false, 'en-us');
    await page.goto(`${root}/contact`);
    await page.evaluate(() => { for (const form of document.forms) form.noValidate = true; });
    await page.fill('#f-email', 'no address');
    await page.click('main form button');
    await page.waitForSelector('.problems');
    await examine(page, 'contact with problems');
    await context.close();
  });

  test('after an error the summary has the focus, the title says so, and each problem leads to its field, without a mouse', async () => {
    const { context, page, root } = await visit(false, 'en-us');
    for (const [path, title, field] of [['/contact', /^Error: Contact us/, 'f-name'], ['/login', /^Error: Log in/, null]]) {
      await page.goto(`${root}${path}`);
      await page.evaluate(() => { for (const form of document.forms) form.noValidate = true; });
      await page.locator('main form button').last().focus();
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      assert.match(await page.title(), title);
      await page.waitForFunction(() => document.activeElement?.id === 'problems');
      assert.equal(await page.getAttribute('.languages [hreflang=de]', 'href'), `/helpcenter/de${path}`);
      await page.keyboard.press('Tab');
      if (field === null) continue;
      await page.keyboard.press('Enter');
      assert.equal(new URL(page.url()).hash, `#${field}`);
      assert.equal(await page.evaluate(() => document.activeElement.id), field);
      await page.keyboard.press('Tab');
    }
    await context.close();
  });

  test('a visitor without a mouse writes, sends once, and rates the answer once; times are in the zone of the browser', async () => {
    const { desk } = world;
    const context = await world.browser.newContext({ timezoneId: 'Asia/Tokyo', locale: 'en-US' }), page = await context.newPage(), root = `${desk.base}/helpcenter/en-us`;
    const to = async (test) => {
      for (let n = 0; n < 40; n++) {
        if (await page.evaluate(test)) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`Tab does not reach ${test}`);
    };
    const enter = () => Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await page.goto(`${root}/login`);
    await to(() => document.activeElement.id === 'f-email');
    await page.keyboard.type(desk.people.customer.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await enter();
    await page.goto(`${root}/contact`);
    await to(() => document.activeElement.id === 'f-subject');
    await page.keyboard.type('Start the engine');
    await page.locator('#suggestions').waitFor({ state: 'visible' });
    await page.keyboard.press('Tab');
    await page.keyboard.type('It does not start.');
    await to(() => document.activeElement.matches('main form button'));
    await enter();
    assert.match(page.url(), /conversations\/\d+\?done=sent$/, 'the first Send sends');
    const id = Number(/conversations\/(\d+)/.exec(page.url())[1]);
    assert.equal(await page.locator('.rating').count(), 0);
    const shown = await page.locator('main time').first().evaluate((time) => [time.dateTime, time.textContent]);
    const expected = new Intl.DateTimeFormat('en-us', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' }).format(new Date(shown[0]));
    assert.equal(shown[1].replace(/\s/g, ' '), expected.replace(/\s/g, ' '));
    await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Turn the key.' });
    await page.goto(`${root}/conversations/${id}`);
    await shoot(page, 'rating');
    await to(() => document.activeElement.name === 'score');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Quick.');
    await page.keyboard.press('Tab');
    await enter();
    const [rating] = await desk.staff.fetch(`/conversations/${id}/ratings`);
    assert.deepEqual([rating.score, rating.comment], ['GOOD', 'Quick.']);
    assert.equal(await page.locator('.rating').count(), 0, 'the form appears once');
    await shoot(page, 'rated');
    await page.evaluate(() => { for (const form of document.forms) form.noValidate = true; });
    await Promise.all([page.waitForNavigation(), page.click('.reply button')]);
    assert.match(await page.title(), /^Error: Start the engine/);
    assert.equal(await page.getAttribute('.languages [hreflang=de]', 'href'), `/helpcenter/de/conversations/${id}`, 'the language menu leads to the page of the form');
    await context.close();
  });

  test('items of the other direction keep the edge of the page', async () => {
    const { desk } = world, arabic = [{ locale: 'en-us', translation: 'Both' }, { locale: 'ar', translation: 'كلاهما' }];
    const section = await desk.owner.create('/sections', { titles: [{ locale: 'ar', translation: 'قسم بالعربية' }], descriptions: [{ locale: 'ar', translation: 'وصف بالعربية' }], category_id: 1, visibility: 'PUBLIC' });
    await desk.owner.create('/articles', { titles: [{ locale: 'ar', translation: 'مقالة بالعربية' }], contents: [{ locale: 'ar', translation: '<p>نص كلاهما</p>' }], section_id: section.id, status: 'PUBLISHED', is_featured: true });
    const other = await desk.owner.create('/sections', { titles: arabic, category_id: 1, visibility: 'PUBLIC' });
    await desk.owner.create('/articles', { titles: 'Only English', contents: 'x', section_id: other.id, status: 'PUBLISHED' });
    const { context, page, root } = await visit(false, 'en-us');
    for (const [base, side] of [[root, 'left'], [root.replace('en-us', 'ar'), 'right']]) {
      for (const path of ['', `/sections/${section.id}`, '/search?query=كلاهما']) {
        await page.goto(base + path);
        const edges = await page.evaluate((side) => [...document.querySelectorAll('main li a, main h1:not(.hero h1)')].map((e) => {
          const box = document.createRange();
          box.selectNodeContents(e);
          return [e.textContent, Math.abs(box.getBoundingClientRect()[side] - e.closest('li, main').querySelector('h2, a, h1').parentElement.getBoundingClientRect()[side])];
        }).filter(([, distance]) => distance > 25), side);
        assert.deepEqual(edges, [], `${base}${path}`);
        await shoot(page, `edges ${side} ${path.slice(1, 8) || 'home'}`.replaceAll('/', '-'));
      }
    }
    await context.close();
  });

  test('the contact form suggests articles while the subject is typed, under the policy of the page', async () => {
    const hostile = '<img src=x onerror=alert(1)> gearbox';
    const { id: section } = (await world.desk.owner.fetch('/sections'))[0];
    const gears = await world.desk.owner.create('/articles', { titles: hostile, contents: '<p>Oil it.</p>', section_id: section, status: 'PUBLISHED' });
    const context = await world.browser.newContext();
    const page = await context.newPage(), faults = [], asked = [];
    page.on('pageerror', (e) => faults.push(String(e))).on('console', (m) => { if (m.type() === 'error') faults.push(m.text()); }).on('dialog', (d) => { faults.push(d.message()); d.dismiss(); });
    const held = [];
    await page.route('**/search/suggestions*', async (route) => {
      const text = new URL(route.request().url()).searchParams.get('query');
      asked.push(text);
      if (text === 'slow') await new Promise((resolve) => { held.push(resolve); });
      if (text === 'broken') await route.fulfill({ status: 503, body: '' });
      else await route.continue();
    });
    await page.goto(`${world.desk.base}/helpcenter/en-us/contact`);
    const box = page.locator('#suggestions'), links = box.locator('a');
    assert.equal(await box.isHidden(), true);
    await page.locator('#f-subject').pressSequentially('start the eng');
    await box.waitFor({ state: 'visible' });
    assert.deepEqual(await links.evaluateAll((all) => all.map((a) => [a.getAttribute('href'), a.target, a.textContent])), [[world.pages[2][1].replace(/^/, '/helpcenter/en-us'), '_blank', 'Start the engine (opens in a new tab)']]);
    await page.keyboard.press('Tab');
    assert.equal(await page.locator('#f-contents').evaluate((e) => e === document.activeElement), true, 'the keyboard goes on to the message, not to a suggestion');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const [form, beside] = await page.evaluate(() => ['main form', '#suggestions'].map((at) => document.querySelector(at).getBoundingClientRect().toJSON()));
      assert.ok(beside.left >= form.right || beside.top >= form.bottom, `the suggestions cover or move the form at ${width}`);
      await shoot(page, `suggestions ${width}`);
    }

    await page.fill('#f-subject', 'gearbox');
    await page.waitForFunction(() => document.querySelector('#suggestions a')?.textContent.includes('gearbox'));
    assert.match(await links.first().getAttribute('href'), new RegExp(`/articles/${gears.id}-`));
    assert.equal(await box.locator('img').count(), 0, 'a title is text');

    await page.fill('#f-subject', 'slow');
    while (held.length === 0) await page.evaluate(() => new Promise(requestAnimationFrame));
    await page.fill('#f-subject', 'start');
    await page.waitForFunction(() => document.querySelector('#suggestions a')?.textContent.includes('Start'));
    const late = page.waitForResponse((r) => r.url().includes('slow'));
    held.forEach((go) => go());
    await (await late).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.equal(await links.count(), 1, 'a late answer to former words is dropped');

    await page.fill('#f-subject', 'st');
    await box.waitFor({ state: 'hidden' });
    assert.ok(!asked.includes('st'), 'two letters ask nothing');
    assert.deepEqual(faults, []);
    await page.fill('#f-subject', 'broken');
    await page.waitForResponse((r) => r.url().includes('broken'));
    assert.equal(await box.isHidden(), true);
    assert.deepEqual(faults.filter((text) => !/503/.test(text)), [], 'a refusal is no error of the script');
    await context.close();
  });

  test('the authorize page is accessible: login, a wrong login, consent, error', async () => {
    const client = await world.desk.admin.create('/oauth/clients', { name: 'Reports', description: 'Weekly reports', author: 'Charles', author_url: 'https://charles.example/', callback_url: 'https://app.example/cb' });
    const { context, page } = await visit(false, 'en-us'), url = `${world.desk.base}/oauth/authorize?response_type=code&client_id=${client.key}`;
    const look = async (name) => { await examine(page, name); await walk(page, name); };
    await page.goto(`${world.desk.base}/oauth/authorize`);
    await look('authorize error');
    await page.goto(url);
    await look('authorize login');
    const login = async (password) => {
      await page.fill('#email', world.desk.people.agent.email);
      await page.fill('#password', password);
      await page.click('main button');
    };
    await login('wrong');
    await page.waitForSelector('.wrong');
    assert.match(await page.title(), /^Error: Log in/);
    await page.waitForFunction(() => document.activeElement?.id === 'wrong');
    await look('authorize wrong login');
    await login(PASSWORD);
    await page.waitForSelector('text=Allow access?');
    await look('authorize consent');
    assert.deepEqual(await page.locator('button').allTextContents(), ['Allow', 'Deny', 'Not you?']);
    await context.close();
  });

  test('the pages of mailed links are accessible, and a rating is sent by keys', async (t) => {
    const { desk } = world, to = await relayFor(t, desk), { email } = desk.people.customer;
    await desk.admin.create('/triggers', {
      title: 'Ask', predicate_collections: [{ propositions: [{ field: 'cases.casestatusid', operator: 'comparison_equalto', value: '4' }] }],
      actions: [{ name: 'satisfactionsurvey', option: 'SEND', value: true }],
    });
    const talk = await desk.staff.create('/cases', { subject: 'The engine stalls', contents: 'It stops.', requester_id: desk.people.customer.id });
    await desk.staff.update(`/cases/${talk.id}`, { status_id: 4 });
    const survey = await to.find(email, /^How did we do/);
    (await desk.customer.post('/profile/identities/emails', { email: 'more@example.com' })).must(201);
    const verify = await to.find('more@example.com', /^Confirm/);
    await desk.anyone.post('/password/reset', { email });
    const password = await to.find(email, /password/i);
    const { context, page } = await visit(false, 'en-us');
    for (const [name, url] of [['mailed password', password.link], ['mailed address', verify.link], ['mailed dead', `${desk.base}/verify?hash=none`], ['mailed rating', survey.link]]) {
      await page.goto(url);
      await examine(page, name);
      await walk(page, name);
    }
    await page.goto(survey.link);
    await page.getByRole('radio', { name: 'Good' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.type('It took long.');
    await page.keyboard.press('Tab');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await examine(page, 'mailed thanks');
    const [rating] = await desk.staff.fetch(`/conversations/${talk.id}/ratings`);
    assert.deepEqual([rating.score, rating.comment], ['BAD', 'It took long.']);
    await context.close();
  });

  test('a browser completes the authorize page under its policy, without script, also if the callback leads on to another host', async () => {
    const got = [], faults = [];
    const server = http.createServer((request, response) => {
      got.push(request);
      if (request.headers.host.startsWith('127')) response.writeHead(302, { Location: `http://localhost:${server.address().port}/app` }).end();
      else response.end('the app');
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = await world.desk.admin.create('/oauth/clients', { name: 'Local', callback_url: `http://127.0.0.1:${server.address().port}/cb` });
    const context = await world.browser.newContext({ javaScriptEnabled: false }), page = await context.newPage();
    page.on('console', (m) => { if (m.type() === 'error') faults.push(m.text()); });
    await page.goto(`${world.desk.base}/oauth/authorize?response_type=code&client_id=${client.key}&state=a+b`);
    await page.fill('#email', world.desk.people.agent.email);
    await page.fill('#password', PASSWORD);
    await page.click('main button');
    await page.waitForSelector('text=Allow access?');
    await page.click('button[value=allow]');
    await page.waitForSelector('text=the app');
    const { pathname, searchParams } = new URL(got[0].url, 'http://127.0.0.1');
    assert.deepEqual([pathname, searchParams.get('state'), searchParams.get('iss'), searchParams.get('code').slice(0, 4)], ['/cb', 'a b', world.desk.base, 'dkc_']);
    assert.equal(got[0].headers.referer, undefined);
    assert.deepEqual(faults, []);
    world.desk.secrets.add(searchParams.get('code'));
    await context.close();
    server.close();
  });
});

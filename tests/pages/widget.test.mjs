// The widget of a site in Chromium: a page of another site, with a policy that forbids inline scripts, inline styles and texts that
// become HTML, loads it from the desk. "localhost" is another site than "127.0.0.1".
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { jwt, known } from '../api/lib/widget.mjs';
import { siteOf } from './site.mjs';
import { audit, consoleWorld, explain, shoot, slow, until } from './console.mjs';

const KB = 1024, MOST = 20 * KB;
const GAUGE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** An element of a shadow root is not the active element of the document. */
const hasFocus = (locator) => until(() => locator.evaluate((e) => e.getRootNode().activeElement === e));

describe('the widget of a site', () => {
  const world = consoleWorld();
  let site, desk, article;

  before(async () => {
    desk = world.desk;
    site = await siteOf(desk);
    await desk.owner.update('/brands/1/widget', { origins: [site.base] });
    await known(desk, site.base);
    await desk.owner.update('/settings', { values: { 'files.max_megabytes': 1 } });
    const section = await desk.owner.create('/sections', { titles: 'Engines', category_id: 1 });
    article = await desk.owner.create('/articles', { titles: 'Change the oil', contents: '<p>Warm the engine <b>first</b>.</p><ul><li>Open the cap</li><li>Wait</li></ul><p><a href="https://example.com/oil">Which oil</a></p>', section_id: section.id, status: 'PUBLISHED', is_featured: true });
  });
  after(() => site?.end());

  /** A visitor's page. Complaints of the browser and errors fail the test; so do requests with a cookie or without need. */
  const visit = async (t, { path = '/', context, expected = /status of (400|404|429)|ERR_INTERNET/, ...options } = {}) => {
    const own = context ?? await world.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options }), page = await own.newPage(), wrong = [];
    page.on('console', (m) => { if (/error|warning/.test(m.type()) && !expected.test(m.text())) wrong.push(m.text()); });
    page.on('pageerror', (error) => wrong.push(error.stack));
    page.on('request', async (r) => { if ((await r.allHeaders().catch(() => ({}))).cookie) wrong.push(`a cookie: ${r.url()}`); });
    t.after(async () => { await explain(t, own, wrong); await own.close(); assert.deepEqual(wrong, []); });
    await slow(page, desk.base);
    await page.goto(site.base + path);
    await launcher(page).waitFor();
    return page;
  };
  const launcher = (page) => page.locator('.launcher'), panel = (page) => page.getByRole('dialog');
  const opened = async (page) => { await launcher(page).click(); await panel(page).waitFor(); return panel(page); };
  const begun = async (page, text, { name = 'Ida Brook', email = 'ida@example.net' } = {}) => {
    const dialog = await opened(page);
    await dialog.getByRole('button', { name: 'Send us a message' }).click();
    await dialog.getByLabel('Your name').fill(name);
    await dialog.getByLabel('E-mail address').fill(email);
    await dialog.getByLabel('Your message').fill(text);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByRole('log').getByText(text).waitFor();
    return dialog;
  };
  const casesOf = async (text) => (await desk.owner.fetch('/cases', { fields: 'subject', limit: 100 })).filter(({ subject }) => subject.startsWith(text));

  test('its script is small, and any page may load it and keep it', async () => {
    const reply = await fetch(`${desk.base}/widget.js`, { headers: { 'Accept-Encoding': 'gzip' } }), tag = reply.headers.get('etag');
    const length = Number(reply.headers.get('content-length'));
    assert.ok(length <= MOST, `${length} bytes`);
    assert.equal(reply.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(reply.headers.get('cross-origin-resource-policy'), 'cross-origin');
    assert.match(reply.headers.get('cache-control'), /^public, max-age=/);
    const text = await reply.text(), plain = await fetch(`${desk.base}/widget.js`, { headers: { 'Accept-Encoding': 'identity' } });
    assert.equal(await plain.text(), text);
    assert.equal((await fetch(`${desk.base}/widget.js`, { headers: { 'If-None-Match': tag } })).status, 304);
    assert.equal((await fetch(`${desk.base}/widget.js`, { method: 'POST' })).status, 404);
    assert.equal((await fetch(`${desk.base}/agent/files/widget.js`)).status, 404);
    assert.ok(!/innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|DOMParser|document\.cookie/.test(text));
  });

  test('a visitor finds an article by keys alone, reads it, and says that it helped', async (t) => {
    const page = await visit(t);
    await launcher(page).focus();
    await page.keyboard.press('Enter');
    const dialog = panel(page), field = dialog.getByRole('searchbox', { name: 'Search for help' });
    await dialog.getByRole('button', { name: 'Change the oil' }).waitFor(); // often read
    await shoot(page, 'widget-home');
    assert.deepEqual(await audit(page), []);
    await field.focus();
    await page.keyboard.type('oil');
    await dialog.getByRole('status').filter({ hasText: '1 article' }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.locator('em').getByText('oil').first().waitFor();
    await shoot(page, 'widget-found');
    await page.keyboard.press('ArrowDown');
    await hasFocus(dialog.getByRole('button', { name: 'Change the oil' }));
    await page.keyboard.press('Enter');
    await dialog.getByRole('heading', { name: 'Change the oil', level: 1 }).waitFor();
    assert.equal(await dialog.locator('article li').count(), 2);
    assert.equal(await dialog.getByRole('link', { name: 'Which oil' }).getAttribute('rel'), 'noopener');
    await shoot(page, 'widget-article');
    assert.deepEqual(await audit(page), []);
    await dialog.getByRole('button', { name: 'Yes' }).click();
    await dialog.getByText('Thank you!').waitFor();
    await until(async () => (await desk.owner.fetch(`/articles/${article.id}`)).upvote_count === 1);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await until(async () => await field.inputValue() === 'oil');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await hasFocus(launcher(page));
  });

  test('a visitor writes, and the reply comes while the page is open, in two tabs', async (t) => {
    const page = await visit(t), dialog = await opened(page);
    await dialog.getByRole('button', { name: 'Send us a message' }).click();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('Please fill this in.').first().waitFor();
    await hasFocus(dialog.getByLabel('Your name'));
    await shoot(page, 'widget-form-wrong');
    assert.deepEqual(await audit(page), []);
    await dialog.getByLabel('Your name').fill('Finn Lind');
    await dialog.getByLabel('E-mail address').fill('finn@example.net');
    await dialog.getByLabel('Your message').fill('The engine stalls <b>often</b>\nWhat can I do?');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByRole('log').getByText('The engine stalls <b>often</b>').waitFor();
    await until(async () => (await casesOf('The engine stalls <b>')).length === 1);
    const [{ id }] = await casesOf('The engine stalls <b>');
    const other = await visit(t, { context: page.context() });
    await world.first.client.create(`/cases/${id}/reply`, { contents: 'Change the oil first.', channel: 'MESSENGER' });
    await dialog.getByRole('log').getByText('Change the oil first.').waitFor();
    await dialog.getByText('Ben Adler').first().waitFor();
    await shoot(page, 'widget-talk');
    assert.deepEqual(await audit(page), []);
    await (await opened(other)).getByRole('button', { name: /The engine stalls/ }).click();
    await panel(other).getByText('Change the oil first.').waitFor();
    await panel(other).getByLabel('Write a reply').fill('I did. It runs.');
    await other.keyboard.press('Enter');
    await dialog.getByRole('log').getByText('I did. It runs.').waitFor();
    await until(async () => (await desk.owner.fetch(`/conversations/${id}/messages`)).length === 3);
  });

  test('a message that is written without a connection waits, outlives the page, and is sent once', async (t) => {
    const page = await visit(t), dialog = await begun(page, 'Sent with a connection');
    await until(async () => (await casesOf('Sent with')).length === 1);
    const [{ id }] = await casesOf('Sent with'), context = page.context();
    const messages = async () => (await desk.owner.fetch(`/conversations/${id}/messages`)).map(({ content_text: text }) => text).reverse();
    let isCut = true;
    await page.route('**/api/v1/**', (route) => (isCut ? route.abort('internetdisconnected') : route.fallback())); // the page itself can be read anew
    await dialog.getByLabel('Write a reply').fill('Written without');
    await page.keyboard.press('Enter');
    await dialog.getByText('You are offline.').waitFor();
    await dialog.getByText('Waiting for a connection').waitFor();
    await dialog.getByLabel('Write a reply').fill('A text that is not finished');
    await shoot(page, 'widget-offline');
    assert.deepEqual(await audit(page), []);
    isCut = false;
    const other = await visit(t, { context });
    await panel(other).waitFor({ state: 'hidden' });
    await until(async () => (await messages()).length === 2); // the other tab has a connection, and sends it
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await dialog.getByText('Waiting for a connection').waitFor({ state: 'detached' });
    await page.reload();
    await panel(page).getByRole('log').getByText('Written without').waitFor(); // the panel is as it was
    assert.equal(await panel(page).getByLabel('Write a reply').inputValue(), 'A text that is not finished');
    assert.deepEqual(await messages(), ['Sent with a connection', 'Written without']);
  });

  test('files go with their progress, come back as tiles, and a completed conversation is rated', async (t) => {
    const page = await visit(t), dialog = await opened(page);
    await dialog.getByRole('button', { name: 'Send us a message' }).click();
    await dialog.getByText('Up to 10 files, 1 MB each', { exact: true }).waitFor();
    await dialog.locator('input[type=file]').setInputFiles({ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(1.1 * KB * KB) });
    await dialog.getByText('large.bin: Up to 10 files, 1 MB each').waitFor();
    await dialog.locator('input[type=file]').setInputFiles([{ name: 'label.txt', mimeType: 'text/plain', buffer: Buffer.from('Serial number 4711') }, { name: 'gauge.png', mimeType: 'image/png', buffer: GAUGE }]);
    await dialog.getByText('label.txt').waitFor();
    await dialog.getByLabel('Your name').fill('Ola Fox');
    await dialog.getByLabel('E-mail address').fill('ola@example.net');
    await dialog.getByLabel('Your message').fill('The label and the gauge');
    await until(async () => await dialog.locator('progress').count() === 0);
    await shoot(page, 'widget-files');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByRole('button', { name: 'Download label.txt' }).waitFor();
    await dialog.locator('.thumb canvas').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Download label.txt' }).click()]);
    assert.equal(readFileSync(await download.path(), 'utf8'), 'Serial number 4711');
    await until(async () => (await casesOf('The label')).length === 1);
    const [{ id }] = await casesOf('The label');
    await world.first.client.create(`/cases/${id}/reply`, { contents: 'All is well.', channel: 'MESSENGER', status_id: 4 });
    await dialog.getByText('How did we do?').waitFor();
    await dialog.getByRole('button', { name: 'Not good' }).click();
    await dialog.getByLabel('What was it? (optional)').fill('It took long');
    await dialog.getByRole('button', { name: 'Good', exact: true }).click(); // a second thought
    await until(async () => (await desk.owner.fetch(`/conversations/${id}/ratings`)).at(-1)?.score === 'GOOD');
    await dialog.getByLabel('What was it? (optional)').fill('Quick');
    await dialog.locator('.why').getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('Thank you!').waitFor();
    const ratings = await desk.owner.fetch(`/conversations/${id}/ratings`);
    assert.deepEqual(ratings.map(({ score, comment }) => [score, comment]), [['GOOD', 'Quick']]);
    await shoot(page, 'widget-rated');
    assert.deepEqual(await audit(page), []);
  });

  test('a visitor whom the site signs in is not asked who they are, and leaves nothing for the next person', async (t) => {
    const { signing_secret: secret } = (await desk.owner.post('/brands/1/widget/secret')).must(200).data, iat = Math.floor(await desk.time() / 1000);
    const token = (email, name) => jwt(secret, { email, name, iat, jti: randomUUID() });
    const page = await visit(t, { path: `/?user=${token('ada@example.net', 'Ada Byron')}` }), dialog = await opened(page);
    await dialog.getByRole('button', { name: 'Send us a message' }).click();
    await dialog.getByLabel('Your message').fill('Signed by the site');
    assert.equal(await dialog.getByLabel('Your name').count(), 0);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await until(async () => (await casesOf('Signed by')).length === 1);
    const [{ id }] = await casesOf('Signed by');
    assert.equal((await desk.owner.fetch(`/cases/${id}`, { include: 'user', fields: 'requester' })).requester.full_name, 'Ada Byron');
    const staff = await world.sit(t, world.first, `/agent/cases/${id}`);
    await staff.getByText('Named by the site’s server').waitFor({ state: 'attached' });
    const elsewhere = await visit(t, { path: `/?user=${token('ada@example.net', 'Ada Byron')}` }); // another device
    await (await opened(elsewhere)).getByRole('button', { name: /Signed by the site/ }).waitFor();
    const next = await visit(t, { context: page.context(), path: `/?user=${token('bea@example.net', 'Bea Moor')}` });
    await (await opened(next)).getByRole('button', { name: 'Send us a message' }).waitFor();
    assert.equal(await panel(next).getByText('Signed by the site').count(), 0);
    const nobody = await visit(t, { context: page.context() });
    await until(() => nobody.evaluate(() => Object.keys(localStorage).every((key) => !key.endsWith('user'))));
    const wrong = await visit(t, { path: `/?user=${jwt('another secret', { email: 'ada@example.net', name: 'Ada', iat })}`, expected: /status of 401|the visitor is anonymous/ });
    await (await opened(wrong)).getByRole('button', { name: 'Send us a message' }).click();
    await panel(wrong).getByLabel('Your name').waitFor();
  });

  test('a reply that comes before the stream of events is open is shown', async (t) => {
    const page = await visit(t), text = 'Before the stream';
    let replied = false;
    await page.route(/\/realtime\?/, async (route) => {
      if (!replied) {
        replied = true;
        const [{ id }] = await casesOf(text);
        await until(async () => await panel(page).locator('.log .when').count() === 1); // it has read its own message
        await world.first.client.create(`/cases/${id}/reply`, { contents: 'Between the two.', channel: 'MESSENGER' });
      }
      await route.continue();
    });
    await (await begun(page, text)).getByRole('log').getByText('Between the two.').waitFor();
  });

  test('a browser that blocks its storage, or has no room there, keeps a conversation as long as the page, and counts unread messages', async (t) => {
    const blocked = () => { for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) Object.defineProperty(window, name, { get: () => { throw new DOMException('blocked', 'SecurityError'); } }); };
    const full = () => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; };
    for (const [text, without] of [['Storage is blocked', blocked], ['Storage is full', full]]) {
      const context = await world.browser.newContext({ viewport: { width: 1280, height: 800 } });
      await context.addInitScript(without);
      const page = await visit(t, { context }), dialog = await begun(page, text);
      await until(async () => (await casesOf(text)).length === 1);
      const [{ id }] = await casesOf(text);
      await page.evaluate(() => { window.deskd.push(['unread', (n) => { window.told = n; }]); });
      await world.first.client.create(`/cases/${id}/reply`, { contents: 'You see this.', channel: 'MESSENGER' });
      await dialog.getByRole('log').getByText('You see this.').waitFor();
      await page.waitForFunction(() => window.told === 0); // it was read at once
      await panel(page).press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      for (const n of [1, 2]) {
        await world.first.client.create(`/cases/${id}/reply`, { contents: `Later ${n}`, channel: 'MESSENGER' });
        await page.waitForFunction((wanted) => window.told === wanted, n);
      }
      await page.getByRole('button', { name: /2 unread/ }).click();
      await dialog.getByRole('log').getByText('Later 2').waitFor();
      await page.waitForFunction(() => window.told === 0);
    }
  });

  test('it opens at once, and no task of it is long', async (t) => {
    const page = await visit(t), session = await page.context().newCDPSession(page), events = [];
    session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
    await session.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'] } });
    await page.reload();
    await launcher(page).waitFor();
    const times = await page.evaluate(async () => {
      const root = document.querySelector('deskd-widget').shadowRoot, button = root.querySelector('.launcher'), times = [];
      for (let n = 0; n < 10; n++) {
        const start = performance.now();
        button.click();
        await new Promise((go) => requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel(); port1.onmessage = go; port2.postMessage(0); }));
        times.push(performance.now() - start);
        button.click();
        await new Promise((go) => setTimeout(go, 50));
      }
      return times.sort((a, b) => a - b);
    });
    const ended = new Promise((go) => session.once('Tracing.tracingComplete', go));
    await session.send('Tracing.end');
    await ended;
    const tasks = events.filter(({ name, tdur }) => name.endsWith('RunTask') && tdur).map(({ tdur }) => tdur / 1000); // on the processor: a busy machine does not change it
    const longest = Math.max(...tasks);
    t.diagnostic(`from the click to the frame: median ${times[5].toFixed(0)} ms, slowest ${times[9].toFixed(0)} ms; longest of ${tasks.length} tasks: ${longest.toFixed(0)} ms on the processor`);
    assert.ok(tasks.length > 0 && longest <= 50 * Number(process.env.PAGES_CPU ?? 1), `${longest}`);
    if (process.env.BUDGETS === 'times') assert.ok(times[9] <= 100, String(times));
  });

  test('it fits each window in both themes, in Arabic mirrored, and keeps the focus in a small one', async (t) => {
    const context = await world.browser.newContext({ reducedMotion: 'reduce' });
    for (const [width, height, language, colorScheme] of [[360, 740, 'ar', 'dark'], [768, 1024, 'de', 'light'], [1280, 800, 'ar', 'light']]) {
      const page = await visit(t, { context, path: `/?language=${language}` });
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      const dialog = panel(page);
      if (await dialog.isHidden()) await launcher(page).click();
      await dialog.locator('.found').first().waitFor();
      await shoot(page, `widget-${language}-${width}-${colorScheme}`);
      assert.deepEqual(await audit(page), [], language);
      const box = await dialog.boundingBox();
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, JSON.stringify(box));
      assert.equal(box.x < width / 2 - box.width / 2 + 1, language === 'ar' || width < 480, language);
      if (width < 480) {
        for (let i = 0; i < 12; i++) await page.keyboard.press('Tab');
        assert.ok(await page.evaluate(() => document.activeElement?.localName === 'deskd-widget'));
      }
      await dialog.locator('.write').click();
      await dialog.locator('#f-message').waitFor();
      await shoot(page, `widget-form-${language}-${width}-${colorScheme}`);
      assert.deepEqual(await audit(page), [], language);
    }
  });
});

// The help center in Chromium: axe-core reports nothing, and Tab reaches each control. SHOTS=folder keeps the screenshots.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { PASSWORD, open } from '../api/lib/index.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const WIDTHS = [360, 768, 1280];
const SHOTS = process.env.SHOTS;

/** Elements that a Tab key must reach: what is visible and can have the focus. */
const controls = () => [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, [tabindex="0"]')]
  .filter((e) => !e.disabled && e.getClientRects().length && getComputedStyle(e).visibility !== 'hidden').length;

describe('pages in a browser', () => {
  const ends = [];
  const world = {};
  before(async () => {
    const desk = await open({ after: (end) => ends.push(end) });
    world.desk = desk;
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

  const visit = async (scheme, loggedIn, locale) => {
    const context = await world.browser.newContext({ colorScheme: scheme, bypassCSP: true });
    const page = await context.newPage(), root = `${world.desk.base}/helpcenter/${locale}`;
    if (loggedIn) {
      await page.goto(`${root}/login`);
      await page.fill('#f-email', world.desk.people.customer.email);
      await page.fill('#f-password', PASSWORD);
      await Promise.all([page.waitForURL('**/conversations'), page.click('main button')]);
    }
    return { context, page, root };
  };

  const examine = async (page, name) => {
    await page.addScriptTag({ path: axe });
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`), [], name);
    const { width, inner } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, inner: innerWidth }));
    assert.ok(width <= inner, `${name} is ${width} wide`);
  };

  for (const locale of ['en-us', 'ar'])
    for (const scheme of ['light', 'dark'])
      for (const loggedIn of [false, true])
        test(`axe-core reports nothing: ${locale}, ${scheme}, ${loggedIn ? 'with' : 'without'} a login`, async () => {
          const { context, page, root } = await visit(scheme, loggedIn, locale);
          for (const [name, path] of world.pages.filter((row) => Boolean(row[2]) === loggedIn)) {
            await page.goto(`${root}${path}`);
            for (const width of WIDTHS) {
              await page.setViewportSize({ width, height: 800 });
              await examine(page, `${name} ${locale} ${scheme} ${width}`);
              if (!SHOTS) continue;
              mkdirSync(SHOTS, { recursive: true });
              await page.screenshot({ path: `${SHOTS}/${name.replaceAll(' ', '-')}-${locale}-${scheme}-${width}.png`, fullPage: true });
            }
          }
          await context.close();
        });

  test('the form with its problems is accessible', async () => {
    const { context, page, root } = await visit('light', false, 'en-us');
    await page.goto(`${root}/contact`);
    await page.evaluate(() => { for (const form of document.forms) form.noValidate = true; });
    await page.fill('#f-email', 'no address');
    await page.click('main form button');
    await page.waitForSelector('.problems');
    await examine(page, 'contact with problems');
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/problems.png`, fullPage: true });
    await context.close();
  });

  test('Tab reaches each control, and shows where it is', async () => {
    for (const loggedIn of [false, true]) {
      const { context, page, root } = await visit('light', loggedIn, 'en-us');
      for (const [name, path] of world.pages.filter((row) => Boolean(row[2]) === loggedIn)) {
        await page.goto(`${root}${path}`);
        const wanted = await page.evaluate(controls), reached = await page.evaluate(() => { globalThis.reached = new Set(); return 0; });
        assert.equal(reached, 0);
        for (let n = 0; n < wanted + 3; n++) {
          await page.keyboard.press('Tab');
          const bare = await page.evaluate(() => {
            const e = document.activeElement, style = getComputedStyle(e);
            if (e === document.body) return '';
            globalThis.reached.add(e);
            return style.outlineStyle === 'none' && style.boxShadow === 'none' ? e.outerHTML.slice(0, 100) : '';
          });
          assert.equal(bare, '', `${name}: the focus is not visible`);
        }
        assert.ok(await page.evaluate(() => globalThis.reached.size) >= wanted, `${name}: Tab reaches too few of ${wanted} controls`);
      }
      await context.close();
    }
  });
});

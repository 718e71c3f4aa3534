// The regions of the console at all widths: drawers of views and details, the way round them by keys.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audit, consoleWorld, outside, posts, row, shoot, until } from './console.mjs';

describe('regions of the console', () => {
  const world = consoleWorld();
  const { sit, asked } = world;
  const views = (page) => page.getByRole('navigation', { name: 'Views' }), details = (page) => page.getByRole('complementary', { name: 'Details' });
  const button = (page) => page.getByRole('banner').getByRole('button', { name: 'Views' });
  /** The region that has the focus: its element or one inside of it. */
  const focused = (page) => page.evaluate(() => document.activeElement.closest('[data-region]')?.classList[0] ?? document.activeElement.tagName);
  const isIn = (page, region) => until(async () => await focused(page) === region);
  const isGone = (locator) => locator.waitFor({ state: 'hidden' });

  test('below 1280 px the views are a drawer that takes the focus and gives it back', async (t) => {
    const id = await asked('Drawers'), page = await sit(t, world.first, '/agent/views/1', { width: 1000, height: 700 });
    await row(page, 'Drawers').waitFor();
    await isGone(views(page));
    await page.keyboard.press('j');
    await isIn(page, 'list');
    await page.keyboard.press('[');
    await views(page).waitFor();
    await until(async () => await button(page).getAttribute('aria-expanded') === 'true');
    await until(() => page.evaluate(() => document.activeElement.getAttribute('aria-current') === 'page'));
    await shoot(page, 'regions-views-1000');
    assert.deepEqual(await audit(page), []);
    await page.keyboard.press('Escape');
    await isGone(views(page));
    await isIn(page, 'list');
    assert.match(page.url(), /views\/1$/);
    await button(page).click();
    await views(page).waitFor();
    await page.mouse.click(800, 400); // elsewhere
    await isGone(views(page));
    await button(page).click();
    await views(page).getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('heading', { name: 'Trash', level: 2 }).waitFor();
    await isGone(views(page));
    await until(async () => await focused(page) !== 'BODY');
    await page.keyboard.press('[');
    await views(page).waitFor();
    await page.getByRole('link', { name: /Notifications/ }).focus(); // the focus goes elsewhere
    await isGone(views(page));
    await page.setViewportSize({ width: 1280, height: 800 });
    await views(page).waitFor();
    await isGone(button(page));
    await page.goto(`${world.desk.base}/agent/views/1/${id}`);
    await posts(page).first().waitFor();
    await page.keyboard.press('[');
    await isIn(page, 'views');
    await page.keyboard.press('[');
    await until(async () => await focused(page) !== 'views');
  });

  test('the details are a drawer, too, which Escape closes before it leads back to the list', async (t) => {
    const id = await asked('Details'), page = await sit(t, world.first, `/agent/views/1/${id}`, { width: 1100, height: 700 });
    await posts(page).first().waitFor();
    await row(page, 'Details').waitFor(); // the list is beside it
    await isGone(details(page));
    await page.keyboard.press(']');
    await details(page).waitFor();
    await isIn(page, 'details');
    await page.keyboard.press('[');
    await views(page).waitFor();
    await isGone(details(page)); // one at a time
    await page.keyboard.press('Escape');
    await page.keyboard.press('p');
    await until(() => page.evaluate(() => document.activeElement.closest('label')?.innerText.split('\n')[0] === 'Priority'));
    await page.keyboard.press('Escape'); // leaves the field
    await page.keyboard.press('Escape');
    await isGone(details(page));
    assert.ok(page.url().endsWith(`/${id}`));
    await page.keyboard.press('Escape');
    await page.waitForURL(/views\/1$/);
  });

  test('list and conversation are beside each other from 960 px, and the address decides below', async (t) => {
    const id = await asked('Widths'), page = await sit(t, world.first, `/agent/views/1/${id}`);
    const shown = async () => [await row(page, 'Widths').isVisible(), await page.locator('#case-title').isVisible()];
    await posts(page).first().waitFor();
    for (const [width, open, list] of [[1000, [true, true], true], [900, [false, true], true], [360, [false, true], true]]) {
      await page.setViewportSize({ width, height: 740 });
      await until(async () => String(await shown()) === String(open));
      assert.deepEqual(await outside(page), []);
      await shoot(page, `regions-open-${width}`);
      await page.keyboard.press('Escape');
      await page.waitForURL(/views\/1$/);
      await until(async () => String(await shown()) === String([list, false]));
      await button(page).click();
      await views(page).waitFor();
      await shoot(page, `regions-views-${width}`);
      assert.deepEqual(await outside(page), []);
      assert.deepEqual(await audit(page), []);
      await page.keyboard.press('Escape');
      await row(page, 'Widths').click();
      await posts(page).first().waitFor();
    }
  });

  test('F6 and Shift+F6 go round the regions that are shown, each with a name', async (t) => {
    const id = await asked('Round'), page = await sit(t, world.first, `/agent/views/1/${id}`);
    await posts(page).first().waitFor();
    const round = async (key, times) => { const seen = []; for (let i = 0; i < times; i++) { await page.keyboard.press(key); seen.push(await focused(page)); } return seen; };
    await page.locator('.views').focus();
    assert.deepEqual(await round('F6', 4), ['list', 'conversation', 'details', 'views']);
    assert.deepEqual(await round('Shift+F6', 4), ['details', 'conversation', 'list', 'views']);
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.locator('.list').focus();
    assert.deepEqual(await round('F6', 2), ['conversation', 'list']);
    await page.keyboard.press(']');
    assert.deepEqual(await round('F6', 3), ['list', 'conversation', 'details']);
    for (const region of await page.locator('[data-region]').all()) assert.notEqual(await region.evaluate((e) => e.getAttribute('aria-label') ?? document.getElementById(e.getAttribute('aria-labelledby'))?.textContent ?? ''), '');
  });
});

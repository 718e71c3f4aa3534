// Daily work in the console: keys, the palette, lists, searches, people, realtime through proxies that break it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audit, consoleWorld, editor, outside, posts, row, shoot, until } from './console.mjs';

describe('daily work in the console', () => {
  const world = consoleWorld();
  const { sit, asked } = world;
  const palette = (page) => page.getByRole('combobox', { name: 'Commands' });

  test('two keys after each other lead to a place, and keys of one character can be switched off', async (t) => {
    const id = await asked('One that is mine'), page = await sit(t, world.first);
    await world.desk.staff.update(`/cases/${id}`, { assigned_agent_id: world.first.id });
    await page.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('heading', { name: 'Trash', level: 2 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await row(page, 'One that is mine').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Go to the trash').waitFor();
    await shoot(page, 'daily-keys');
    await dialog.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    assert.match(page.url(), /views/);
    assert.equal(await dialog.isVisible(), false);
  });

  test('the palette finds actions with their keys, views, conversations, people and macros', async (t) => {
    await world.desk.owner.create('/cases/macros', { title: 'Apologise for the delay', reply_contents: 'Sorry!', visibility_type: 'ALL' });
    const id = await asked('Palette 5512'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await posts(page).first().waitFor();
    const find = async (text, option) => {
      await page.keyboard.press('Control+k');
      await palette(page).fill(text);
      await page.getByRole('option', { name: option }).waitFor();
      return page.getByRole('option', { name: option });
    };
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /Completed, then the next one e/ }).waitFor();
    for (const [theme, width, height] of [['light', 1280, 800], ['dark', 1280, 800], ['light', 360, 740]]) {
      await page.setViewportSize({ width, height });
      await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
      await shoot(page, `daily-palette-${theme}-${width}`);
      assert.deepEqual(await audit(page), []);
      assert.deepEqual(await outside(page), []);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await (await find('asme', /^Assign to me/)).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Agent changed').waitFor();
    assert.equal((await world.desk.staff.fetch(`/cases/${id}`)).assigned_agent.id, world.first.id);
    await (await find('apolog', 'Apologise for the delay')).click();
    await until(async () => (await editor(page).evaluate((e) => e.value ?? e.innerText)).includes('Sorry!'));
    await (await find('clara', /^Clara Ito Person/)).click();
    await page.getByRole('heading', { name: 'Clara Ito', level: 1 }).waitFor();
    await (await find('5512', /^Palette 5512 Conversation/)).click();
    await page.waitForURL(`**/agent/cases/${id}`);
    await find('zzzz', /Search for/);
    assert.equal(await page.getByRole('dialog').getByRole('option').count(), 1);
  });
});

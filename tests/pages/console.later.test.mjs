// Replies that are sent at a time: chosen in the menu of Send, shown above the editor, changed, taken back, and refused with the reason.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audit, consoleWorld, editor, outside, shoot, strip, until, written } from './console.mjs';

describe('replies that are sent later', () => {
  const world = consoleWorld();
  const { sit, asked } = world;
  const waiting = async (id) => (await world.desk.owner.get(`/cases/${id}/scheduled_replies`)).must(200).data;
  const pick = async (page, typed, option) => {
    await page.getByRole('dialog').getByRole('combobox').fill(typed);
    await page.getByRole('option', { name: option }).first().waitFor();
    await page.keyboard.press('Enter');
  };
  const sendLater = async (page, text) => {
    await editor(page).fill(text);
    await page.getByRole('button', { name: 'Send, and set the status' }).or(page.locator('.send-menu .menu-button')).first().click();
    await page.getByRole('menuitem', { name: /Send later/ }).click();
    await pick(page, 'tom', /Tomorrow/);
    await strip(page, /Will be sent/);
  };

  test('a reply waits until tomorrow, is shown with its time, and the undo gives the text back', async (t) => {
    const id = await asked('Sent tomorrow'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await editor(page).waitFor();
    await sendLater(page, 'Good morning');
    await page.getByText(/Ben Adler: will be sent/).waitFor();
    assert.equal((await waiting(id)).length, 1);
    await until(async () => await written(editor(page)) === '');
    await page.locator('.strip').getByRole('button', { name: /Undo/ }).click();
    await until(async () => (await waiting(id)).length === 0);
    await until(async () => (await written(editor(page))).trim() === 'Good morning');
    await page.getByText(/will be sent/).waitFor({ state: 'detached' });
    await sendLater(page, 'Good evening');
    await page.getByText(/Ben Adler: will be sent/).waitFor();
    for (const [theme, width] of [['light', 1280], ['dark', 360]]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((wanted) => { document.documentElement.dataset.theme = wanted; }, theme);
      await shoot(page, `later-${theme}-${width}`);
      assert.deepEqual(await audit(page), []);
      assert.deepEqual(await outside(page), []);
    }
  });

  test('it is moved, edited and cancelled; a colleague sees it, and has no buttons', async (t) => {
    const id = await asked('Moved'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await editor(page).waitFor();
    await sendLater(page, 'One text');
    await page.getByRole('button', { name: 'Another time' }).click();
    const [{ send_at: before }] = await waiting(id);
    await pick(page, 'week', /week/i);
    await until(async () => (await waiting(id))[0].send_at > before);
    const colleague = await sit(t, world.second, `/agent/cases/${id}`);
    await colleague.getByText(/Ben Adler: will be sent/).waitFor();
    assert.equal(await colleague.locator('.laters button').count(), 0);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await until(async () => (await waiting(id)).length === 0 && (await written(editor(page))).includes('One text'));
    await colleague.getByText(/will be sent/).waitFor({ state: 'detached' });
    await sendLater(page, 'Another text');
    await page.getByRole('button', { name: 'Don’t send' }).click();
    await strip(page, 'The reply will not be sent');
    assert.equal((await waiting(id)).length, 0);
    await page.locator('.strip').getByRole('button', { name: /Undo/ }).click();
    await until(async () => (await waiting(id)).length === 1);
    assert.equal((await waiting(id))[0].content_text.trim(), 'Another text');
  });
});

// Posts of a conversation move into a new one.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audit, consoleWorld, hasFocus, joined, posts, shoot, until } from './console.mjs';

describe('a split', () => {
  const world = consoleWorld();
  const { sit, asked } = world;

  test('is done by keys alone, leads to the new conversation, and a colleague sees the posts go', async (t) => {
    const id = await asked('Two things', 'The engine stalls');
    await world.clara.client.create(`/conversations/${id}/messages`, { contents: 'And the radio is silent' });
    await world.clara.client.create(`/conversations/${id}/messages`, { contents: 'It is the engine that matters' });
    const colleague = await sit(t, world.second, `/agent/cases/${id}`);
    await posts(colleague).nth(2).waitFor();
    await joined(colleague);
    const page = await sit(t, world.first, `/agent/cases/${id}`);
    await posts(page).nth(2).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('split');
    await page.getByRole('option', { name: 'Split …' }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Split this conversation' });
    await dialog.getByRole('checkbox').nth(2).waitFor();
    const subject = dialog.getByLabel('Subject of the new conversation');
    await hasFocus(subject);
    assert.ok(await dialog.getByRole('button', { name: 'Choose posts' }).isDisabled());
    await subject.pressSequentially('The radio');
    const radio = dialog.getByRole('checkbox', { name: /And the radio is silent/ });
    await radio.focus();
    await page.keyboard.press('Space');
    await dialog.getByRole('button', { name: 'Move 1 post' }).waitFor();
    await shoot(page, 'split');
    assert.deepEqual(await audit(page), []);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'The radio', level: 2 }).waitFor();
    await page.locator('.strip').filter({ hasText: 'Moved to #' }).waitFor();
    await until(async () => await posts(page).count() === 1);
    const made = Number(new URL(page.url()).pathname.split('/').at(-1));
    await posts(colleague).filter({ hasText: 'radio' }).waitFor({ state: 'detached' });
    const link = colleague.getByRole('link', { name: `#${made}` });
    await link.waitFor();
    await link.click();
    await colleague.getByRole('heading', { name: 'The radio', level: 2 }).waitFor();
    await colleague.getByRole('link', { name: `#${id}` }).waitFor();
    await shoot(colleague, 'split-activity');
  });

  test('says beside the button why posts can not move, and stays open', async (t) => {
    const id = await asked('Only one'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await posts(page).first().waitFor();
    await page.getByLabel('More actions').click();
    await page.getByRole('button', { name: 'Split …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Split this conversation' });
    await dialog.getByLabel('Subject of the new conversation').fill('All of it');
    await dialog.getByRole('checkbox').first().check();
    await dialog.getByRole('button', { name: 'Move 1 post' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'One message must stay' }).waitFor();
    for (const [width, height] of [[360, 740], [1920, 1080]]) {
      await page.setViewportSize({ width, height });
      await shoot(page, `split-refused-${width}`);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(async () => await page.evaluate(() => document.activeElement.getAttribute('aria-label')) === 'More actions');
  });
});

// Priorities, types, languages and templates of the desk in the settings.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { audit, consoleWorld, shoot, until } from './console.mjs';

describe('lists and templates of the desk', () => {
  const world = consoleWorld();
  before(async () => { world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' }); });
  const entry = (page, name) => page.getByRole('listitem').getByRole('link', { name: new RegExp(`^${name}`) });
  const strip = (page, text) => page.locator('.strip').getByText(text).waitFor();
  const focused = (page, locator) => until(() => locator.evaluate((e) => e === document.activeElement));

  test('priorities are added, put in order by keys, and one in use is refused with the reason', async (t) => {
    const names = async () => (await world.desk.owner.fetch('/cases/priorities')).map(({ label }) => label);
    const [least] = await names(), id = await world.asked('Slow');
    await world.desk.staff.update(`/cases/${id}`, { priority_id: (await world.desk.owner.fetch('/cases/priorities'))[0].id });
    const page = await world.sit(t, world.admin, '/agent/settings/priorities');
    await entry(page, least).waitFor();
    await page.keyboard.press('n');
    const name = page.getByLabel('Name');
    await focused(page, name);
    await page.keyboard.type('Someday');
    await page.keyboard.press('Control+s');
    await entry(page, 'Someday').getByText(/urgency \d/).waitFor();
    assert.equal((await names()).at(-1), 'Someday');
    assert.deepEqual(await audit(page), []);
    const up = page.getByRole('listitem').filter({ hasText: 'Someday' }).getByRole('button', { name: /up|before/i }).first();
    await up.focus();
    for (let i = (await names()).length; i > 1; i--) await page.keyboard.press('ArrowUp');
    await until(async () => (await names())[0] === 'Someday');
    await entry(page, least).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('The priority is in use. Give the conversations another priority first.').waitFor();
    await page.keyboard.press('Escape');
  });

  test('a type is renamed with an undo and deleted; a language is taken into use and offered', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/types/new');
    const name = page.getByLabel('Name');
    await focused(page, name);
    await page.keyboard.type('Praise');
    await page.keyboard.press('Control+s');
    await entry(page, 'Praise').waitFor();
    await page.getByRole('heading', { name: 'Praise' }).waitFor();
    await name.fill('Compliment');
    await page.keyboard.press('Control+s');
    await entry(page, 'Compliment').waitFor();
    await page.getByRole('heading', { name: 'Compliment' }).focus();
    await page.keyboard.press('z');
    await entry(page, 'Praise').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await strip(page, 'Deleted');
    await entry(page, 'Praise').waitFor({ state: 'detached' });

    await page.goto(`${world.desk.base}/agent/settings/languages`);
    await entry(page, 'Deutsch').first().click();
    const used = page.getByLabel('Texts may be written in this language'), offered = page.getByLabel('Offered in the help center');
    await used.waitFor();
    const was = [await used.isChecked(), await offered.isChecked()];
    await used.check();
    await offered.setChecked(!was[1]);
    await page.keyboard.press('Control+s');
    await strip(page, 'Saved');
    assert.deepEqual(await audit(page), []);
    const german = async () => (await world.desk.owner.fetch('/locales', { limit: 100 })).find(({ native_name: one }) => one.startsWith('Deutsch'));
    assert.deepEqual([(await german()).is_enabled, (await german()).is_public], [true, !was[1]]);
    await entry(page, 'English \\(United States').first().click();
    await page.getByRole('heading', { name: 'English (United States)' }).waitFor();
    await used.uncheck();
    await page.keyboard.press('Control+s');
    await page.getByText('The default language can\'t be disabled.').first().waitFor();
    await shoot(page, 'settings-language-refused');
  });
});

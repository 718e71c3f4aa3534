// Settings of the console: each area makes, changes and deletes rows, says beside the field what is wrong, and loses nothing that was typed.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { consoleWorld, examine, logIn, outside, until } from './console.mjs';

describe('settings of the console', () => {
  const world = consoleWorld();
  before(async () => { world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' }); });

  const open = (page, path) => page.goto(`${world.desk.base}/agent/settings/${path}`);
  const entry = (page, name) => page.getByRole('listitem').getByRole('link', { name, exact: true });
  const save = (page) => page.getByRole('button', { name: 'Save' }).click();
  const strip = (page, text) => page.locator('.strip').getByText(text).waitFor();

  test('a team is made, changed, taken back and deleted, and the list follows', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/teams');
    await page.getByRole('heading', { name: 'Teams' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'New team' }).waitFor();
    await page.getByLabel('Name').fill('Second line');
    await page.keyboard.press('Control+s');
    await entry(page, 'Second line').waitFor();
    await page.waitForURL(/\/settings\/teams\/\d+$/);
    await page.getByLabel('Name').fill('Third line');
    await page.keyboard.press('Enter');
    await entry(page, 'Third line').waitFor();
    await page.getByRole('heading', { name: 'Third line' }).focus();
    await page.keyboard.press('z');
    await entry(page, 'Second line').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Second line');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('Delete “Second line”?').waitFor();
    await page.keyboard.press('Escape');
    await entry(page, 'Second line').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await strip(page, 'Deleted');
    await entry(page, 'Second line').waitFor({ state: 'detached' });
    assert.deepEqual((await world.desk.admin.fetch('/teams')).filter(({ title }) => /line/.test(title)), []);
  });

  test('what is wrong is said in the summary, which has the focus, and beside the field', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/teams/new');
    await page.getByLabel('Name').waitFor();
    await save(page);
    await page.getByRole('alert').getByRole('link', { name: 'Name is missing.' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'alert');
    assert.match(await page.title(), /^Error: New team/);
    const name = page.getByLabel('Name');
    assert.equal(await name.getAttribute('aria-invalid'), 'true');
    await page.getByRole('alert').getByRole('link').press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'INPUT');
    await name.fill('é'.repeat(256));
    await save(page);
    await page.locator('.field-help').getByText('Name has 256 characters. At most 255 are possible.').waitFor();
    await name.fill('Long enough');
    assert.doesNotMatch(await page.title(), /Error/);
    await page.getByRole('button', { name: 'Discard changes' }).click();
  });

  test('text that is not saved survives navigation, and the areas and rows say so', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Kept' });
    const page = await world.sit(t, world.admin, `/agent/settings/teams/${team.id}`);
    await until(async () => await page.getByLabel('Name').inputValue() === 'Kept');
    await page.getByLabel('Name').fill('Kept and more');
    await page.locator('.settings-rows').getByText('not saved').waitFor();
    await page.getByRole('link', { name: 'deskd' }).click();
    await page.waitForURL(/views/);
    await page.goBack();
    await until(async () => await page.getByLabel('Name').inputValue() === 'Kept and more');
    assert.equal((await world.desk.admin.fetch(`/teams/${team.id}`)).title, 'Kept');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await until(async () => await page.getByLabel('Name').inputValue() === 'Kept');
    await page.locator('.settings-rows').getByText('not saved').waitFor({ state: 'detached' });
  });

  test('of two admins in one form the second is told, and decides', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Both' }), path = `/agent/settings/teams/${team.id}`;
    const [one, two] = await Promise.all([world.sit(t, world.admin, path), world.sit(t, world.admin, path)]);
    for (const page of [one, two]) await until(async () => await page.getByLabel('Name').inputValue() === 'Both');
    await one.getByLabel('Name').fill('Of the first');
    await save(one);
    await strip(one, 'Saved');
    await two.getByLabel('Name').fill('Of the second');
    await save(two);
    await two.getByRole('alert').getByText('Somebody else has changed this entry meanwhile.').waitFor();
    await two.getByRole('alert').getByRole('link', { name: 'Name is now “Of the first”.' }).waitFor();
    assert.equal((await world.desk.admin.fetch(`/teams/${team.id}`)).title, 'Of the first');
    await save(two);
    await strip(two, 'Saved');
    assert.equal((await world.desk.admin.fetch(`/teams/${team.id}`)).title, 'Of the second');
    await one.getByLabel('Name').fill('Again of the first');
    await save(one);
    await one.getByRole('button', { name: 'Take it: Name' }).click();
    assert.equal(await one.getByLabel('Name').inputValue(), 'Of the second');
  });

  test('an entry that is deleted meanwhile, and one that never was, get words', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Short life' });
    const page = await world.sit(t, world.admin, `/agent/settings/teams/${team.id}`);
    await until(async () => await page.getByLabel('Name').inputValue() === 'Short life');
    await world.desk.admin.delete(`/teams/${team.id}`);
    await page.getByLabel('Name').fill('Too late');
    await save(page);
    await page.getByRole('alert').getByText('Somebody else has deleted this entry meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('This entry does not exist any more.').waitFor();
  });

  test('an agent sees only the areas that the role may change', async (t) => {
    const page = await world.sit(t, world.first, '/agent/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Teams' }).count(), 0);
    await open(page, 'teams');
    await page.getByText('This area does not exist, or your role may not change it.').waitFor();
  });

  test('at each width, in both themes and both directions, axe-core reports nothing and nothing is outside', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Looks' });
    const page = await world.sit(t, world.admin, '/agent/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await examine(world, page, [
      ['settings', '/agent/settings', (p) => p.getByRole('link', { name: 'Teams' })],
      ['settings-teams', '/agent/settings/teams', (p) => p.getByRole('link', { name: 'Looks' })],
      ['settings-team', `/agent/settings/teams/${team.id}`, (p) => p.getByRole('button', { name: 'Save' })],
    ]);
  });
});

// The areas of settings for admins: what each makes, what it refuses before it asks the server, and that keys are enough.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { SHOTS, consoleWorld, examine, until } from './console.mjs';

describe('settings for admins', () => {
  const world = consoleWorld();
  before(async () => { world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' }); });

  const open = (page, path) => page.goto(`${world.desk.base}/agent/settings/${path}`);
  const save = (page) => page.getByRole('button', { name: 'Save' }).click();
  const strip = (page, text) => page.locator('.strip').getByText(text).waitFor();
  const idOf = (page) => Number(page.url().split('/').at(-1));

  test('a role is made, and its permissions change by the mouse and by keys, with an undo', async (t) => {
    const owner = await world.desk.person('owner', { full_name: 'Olga Own' });
    const page = await world.sit(t, owner, '/agent/settings/roles/new');
    await page.getByLabel('Name').fill('Second line');
    await save(page);
    await page.waitForURL(/\/roles\/\d+$/);
    const id = idOf(page), may = async (name) => (await world.desk.owner.fetch(`/roles/${id}/permissions`)).find((one) => one.name === name).value;
    await page.getByLabel('Write articles: Second line').uncheck();
    await until(async () => !(await may('help_center_articles.manage')));
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(() => may('help_center_articles.manage'));
    await open(page, 'roles');
    const cell = page.getByLabel('Reply to customers: Second line');
    await cell.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Space');
    await until(async () => !(await may('cases.merge')));
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Merge conversations: Second line');
    assert.equal(await page.getByLabel('Roles and permissions: Second line').count(), 0); // agents never manage roles
  });

  test('nobody shuts themselves out of their own role, and nobody gives what they do not have', async (t) => {
    const role = await world.desk.owner.create('/roles', { title: 'House admin', type: 'ADMIN' });
    await world.desk.owner.update(`/roles/${role.id}/permissions`, { 'insights.access': 0 });
    const own = await world.desk.person('admin', { full_name: 'Hugo House', role_id: role.id });
    const page = await world.sit(t, own, `/agent/settings/roles/${role.id}`), writes = [];
    page.on('request', (request) => { if (request.method() === 'PUT') writes.push(request.url()); });
    const press = (name) => page.getByLabel(name).press('Space');
    await press('Roles and permissions: House admin');
    await page.getByRole('alert').filter({ hasText: 'you could not give the permission back to yourself' }).waitFor();
    assert.equal(await page.getByLabel('Roles and permissions: House admin').isChecked(), true);
    await open(page, 'roles/2');
    await press('Reports: Agent');
    await page.getByRole('alert').filter({ hasText: 'you can neither give nor take it' }).waitFor();
    await open(page, 'roles/5');
    await press('Reports: Owner');
    await page.getByRole('alert').filter({ hasText: 'Owners have all permissions' }).waitFor();
    assert.deepEqual(writes.filter((url) => /permissions/.test(url)), []);
  });

  test('at each width, in both themes and both directions, axe-core reports nothing and nothing is outside', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings');
    const screens = [
      ['admin-roles', '/agent/settings/roles', (p) => p.locator('.settings-rows a')],
      ['admin-role', '/agent/settings/roles/2', (p) => p.locator('.matrix')],
    ];
    await page.getByRole('link', { name: 'Roles' }).waitFor();
    await examine(world, page, screens, SHOTS ? {} : { themes: ['light'], sizes: [[360, 740], [1280, 800]] });
    if (!SHOTS) await examine(world, page, screens, { themes: ['dark'], sizes: [[768, 1024]] });
    const { id: locale_id } = (await world.desk.admin.fetch('/locales', { limit: 100 })).find(({ locale }) => locale === 'ar');
    const other = await world.sit(t, await world.desk.person('admin', { full_name: 'ليلى حداد', locale_id }), '/agent/settings');
    await other.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    await examine(world, other, screens, { themes: ['light'], sizes: [[1280, 800]], label: '-ar' });
  });
});

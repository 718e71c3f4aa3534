// The widget of a brand, in the settings of an owner: the origins of the site, what the widget says, the secret.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { PASSWORD, SIZES, consoleWorld, examine, shoot, until } from './console.mjs';

describe('the widget of a brand', () => {
  const world = consoleWorld();
  let brand;
  before(async () => {
    world.owner = { ...world.desk.people.owner, password: PASSWORD };
    world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' });
    ({ id: brand } = await world.desk.owner.create('/brands', { name: 'Shop' }));
  });
  const widget = () => world.desk.owner.fetch(`/brands/${brand}/widget`);
  const origins = async (wanted) => until(async () => JSON.stringify((await widget()).origins) === JSON.stringify(wanted));

  test('an owner lists origins, chooses the first words and makes a secret by the keyboard', async (t) => {
    const page = await world.sit(t, world.owner, `/agent/settings/brands/${brand}`);
    const part = page.getByRole('region', { name: 'Widget' });
    await part.getByText('No origin. The widget is shown nowhere.').waitFor();
    const another = part.getByRole('textbox', { name: 'Another origin' });
    await another.fill('https://shop.example/path');
    await another.press('Enter');
    await part.getByRole('alert').filter({ hasText: 'no path' }).waitFor();
    await another.fill('https://Shop.example:443');
    await another.press('Enter');
    await part.getByText('https://shop.example', { exact: true }).waitFor();
    await origins(['https://shop.example']);
    await part.getByRole('button', { name: 'Remove https://shop.example' }).press('Enter');
    await part.getByText('No origin. The widget is shown nowhere.').waitFor();
    await origins([]);
    await part.getByRole('textbox', { name: 'First words' }).fill('Welcome');
    await part.getByRole('textbox', { name: 'First words' }).press('Enter');
    await until(async () => (await widget()).greeting === 'Welcome');
    await part.getByRole('checkbox', { name: 'Every visitor may write' }).press('Space');
    await until(async () => (await widget()).is_anonymous_allowed === false);
    assert.match(await part.getByRole('textbox', { name: 'Line for your pages' }).inputValue(), /^<script src="http[^"]+[/]widget[.]js" async><[/]script>$/);
    const secret = page.getByRole('region', { name: 'Signed visitors' });
    await secret.getByText('There is no secret.').waitFor();
    await secret.getByRole('button', { name: 'Make a secret' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Make a secret' }).press('Enter');
    const shown = secret.getByRole('textbox', { name: 'Secret of the widget' });
    await shown.waitFor();
    assert.match(await shown.inputValue(), /^[0-9a-f]{64}$/);
    await secret.getByText('There is a secret, made').waitFor();
    await secret.getByRole('button', { name: 'I have kept it' }).press('Enter');
    await shown.waitFor({ state: 'detached' });
    await secret.getByRole('button', { name: 'Delete the secret' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the secret' }).press('Enter');
    await secret.getByText('There is no secret.').waitFor();
    assert.equal((await widget()).secret_created_at, null);
  });

  test('an admin does not see it, and at each width and in each direction nothing is outside', async (t) => {
    const other = await world.sit(t, world.admin, `/agent/settings/brands/${brand}`);
    await other.getByRole('heading', { name: 'Logo' }).waitFor();
    assert.equal(await other.getByRole('region', { name: 'Widget' }).count(), 0);
    await world.desk.owner.update(`/brands/${brand}/widget`, { origins: ['https://a-long-name-of-a-shop.at-home.example:8443'] });
    const page = await world.sit(t, world.owner, `/agent/settings/brands/${brand}`), screens = [['widget', `/agent/settings/brands/${brand}`, (at) => at.locator('.brand-widget')]];
    await examine(world, page, screens, { sizes: SIZES.slice(0, 3), themes: ['light'] });
    await examine(world, page, screens, { sizes: SIZES.slice(2, 3), themes: ['dark'] });
    await page.getByRole('region', { name: 'Widget' }).evaluate((part) => part.scrollIntoView());
    await shoot(page, 'widget-part');
    await page.getByRole('region', { name: 'Signed visitors' }).evaluate((part) => part.scrollIntoView());
    await shoot(page, 'widget-secret');
    await world.desk.owner.update('/profile', { locale_id: (await world.desk.anyone.fetch('/locales')).find(({ locale }) => locale === 'ar').id });
    await examine(world, page, screens, { sizes: SIZES.slice(0, 1), themes: ['light'], label: '-ar' });
  });
});

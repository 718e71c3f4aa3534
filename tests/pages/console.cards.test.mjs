// People and organizations are changed on their cards: by a form, by addresses, and by custom fields in their place.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { audit, consoleWorld, outside, save, shoot, strip, until } from './console.mjs';

describe('cards of people and organizations', () => {
  const world = consoleWorld();
  const { sit } = world;
  let person, acme;
  before(async () => {
    const { owner } = world.desk;
    const titles = (translation) => [{ locale: 'en-us', translation }];
    await owner.create('/users/fields', { type: 'SELECT', key: 'plan', titles: titles('Plan'), options: [{ values: titles('Silver') }, { values: titles('Gold') }] });
    await owner.create('/organizations/fields', { type: 'NUMERIC', key: 'contract', titles: titles('Contract') });
    acme = await owner.create('/organizations', { name: 'Acme Wheels' });
    person = await world.desk.person('customer', { full_name: 'Nora Field' });
  });
  const of = (path) => world.desk.owner.fetch(path, { include: 'organization,tag,identity_domain' });
  const looks = async (page, name) => {
    for (const [theme, width] of [['light', 1280], ['dark', 360]]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((wanted) => { document.documentElement.dataset.theme = wanted; }, theme);
      await shoot(page, `${name}-${theme}-${width}`);
      assert.deepEqual(await audit(page), []);
      assert.deepEqual(await outside(page), []);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  test('a person gets a position, an organization, an address and a value by keys, and the undo takes them back', async (t) => {
    const page = await sit(t, world.first, `/agent/people/${person.id}`);
    await page.getByRole('heading', { name: 'Nora Field', level: 1 }).waitFor();
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Edit', exact: true }).waitFor();
    await page.getByLabel('Position').fill('Buyer');
    await page.getByRole('combobox', { name: 'Find an organization' }).fill('acm');
    await page.getByRole('option', { name: 'Acme Wheels' }).click();
    await looks(page, 'cards-person');
    await page.keyboard.press('Control+s');
    await strip(page, 'Saved');
    const now = await of(`/users/${person.id}`);
    assert.deepEqual([now.designation, now.organization.name], ['Buyer', 'Acme Wheels']);
    await page.keyboard.press('Escape'); // leaves the field
    await page.getByLabel('Another address').fill('nora@second.example');
    await page.keyboard.press('Enter');
    await page.getByText('nora@second.example').waitFor();
    await page.getByRole('combobox', { name: 'Plan' }).selectOption({ label: 'Gold' });
    await strip(page, /Plan/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('definition').filter({ hasText: 'Gold' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'nora@second.example' }).waitFor();
    await page.getByRole('link', { name: 'Acme Wheels' }).waitFor();
    await until(async () => await page.evaluate(() => document.activeElement.textContent) === 'Edit e'); // the focus is where it was
    await page.keyboard.press('z');
    await strip(page, 'Undone');
    const emptied = await world.desk.owner.fetch(`/users/${person.id}`);
    assert.ok(emptied.custom_fields.every(({ value }) => !value));
  });

  test('an address of another person is refused beside the field, and two people in one form are told', async (t) => {
    const page = await sit(t, world.first, `/agent/people/${person.id}`);
    await page.getByRole('button', { name: 'Edit e' }).click();
    await page.getByLabel('Another address').fill(world.second.email);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: /./ }).first().waitFor();
    await page.getByLabel('Name').fill('Nora Mine');
    await world.desk.owner.update(`/users/${person.id}`, { full_name: 'Nora Theirs' });
    await save(page);
    await page.getByText(/Nora Theirs/).first().waitFor();
    await save(page);
    await strip(page, 'Saved');
    assert.equal((await of(`/users/${person.id}`)).full_name, 'Nora Mine');
  });

  test('an organization gets domains, tags and a value; a refused value says why beside it', async (t) => {
    const page = await sit(t, world.first, `/agent/organizations/${acme.id}`);
    await page.getByRole('heading', { name: 'Acme Wheels', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Edit e' }).click();
    await page.getByRole('textbox', { name: 'Domains' }).fill('acme.example');
    await page.keyboard.press('Enter');
    await page.getByLabel('Tags').fill('wholesale');
    await page.keyboard.press('Enter');
    await save(page);
    await strip(page, 'Saved');
    const contract = page.getByRole('textbox', { name: 'Contract' });
    await contract.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: /./ }).first().waitFor();
    await looks(page, 'cards-organization');
    await contract.fill('17');
    await page.keyboard.press('Enter');
    await strip(page, /Contract/);
    const now = await world.desk.owner.fetch(`/organizations/${acme.id}`, { fields: 'domains,tags,custom_fields', include: 'identity_domain,tag' });
    assert.deepEqual([now.domains.map(({ domain }) => domain), now.tags.map(({ name }) => name), now.custom_fields.map(({ value }) => value)], [['acme.example'], ['wholesale'], ['17']]);
  });

  test('who may change no card has no button, and the key does nothing', async (t) => {
    const helper = await world.desk.person('collaborator', { full_name: 'Hal Helper' });
    const page = await sit(t, helper, `/agent/people/${person.id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('e');
    await until(async () => (await page.getByRole('button', { name: 'Edit e' }).count()) === 0);
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  });
});

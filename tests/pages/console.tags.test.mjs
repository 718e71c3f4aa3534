// Tags of the desk in the settings: found, renamed with an undo, merged and deleted after a question that says what is touched.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { audit, consoleWorld, shoot, strip, until } from './console.mjs';

describe('tags and other entries of settings', () => {
  const world = consoleWorld();
  before(async () => {
    world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' });
    for (const tags of ['vips, vip', 'vips', 'vips, refund', 'refund']) await world.desk.staff.create('/conversations', { subject: 'About tags', contents: 'Text', requester_id: world.desk.people.customer.id }).then(({ id }) => world.desk.staff.update(`/cases/${id}`, { tags }));
    await world.desk.person('customer', { tags: 'vips' });
  });
  const entry = (page, name) => page.getByRole('listitem').getByRole('link', { name: new RegExp(`^${name}`) });
  const names = async () => (await world.desk.owner.fetch('/tags', { limit: 100 })).map(({ name }) => name);

  test('a tag is found, renamed in its place and taken back; a name in use is refused beside the field', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/tags');
    await page.getByRole('heading', { name: 'Tags' }).waitFor();
    await entry(page, 'vips').getByText('3 conversations, 1 person').waitFor();
    await page.getByRole('searchbox', { name: 'Find a tag' }).fill('VIP');
    await entry(page, 'refund').waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Find a tag' }).fill('nothing like it');
    await page.getByRole('status').getByText(/./).first().waitFor();
    await page.getByRole('searchbox', { name: 'Find a tag' }).fill('');
    await entry(page, 'refund').click();
    const name = page.getByLabel('Name');
    await name.waitFor();
    assert.equal(await name.inputValue(), 'refund');
    await name.fill('VIP');
    await page.keyboard.press('Control+s');
    await page.getByText(/Another tag has this name/).first().waitFor();
    await name.fill('money back');
    await page.keyboard.press('Enter');
    await entry(page, 'money back').waitFor();
    assert.ok((await names()).includes('money back'));
    await strip(page, 'Saved'); // the undo comes with it, for eight seconds
    await page.getByRole('heading', { name: 'money back' }).focus();
    await page.keyboard.press('z');
    await entry(page, 'refund').waitFor();
    assert.ok((await names()).includes('refund'));
    assert.deepEqual(await audit(page), []);
  });

  test('a merge is done by keys alone, after a question that says what it touches', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/tags');
    await entry(page, 'vips').click();
    await page.getByRole('combobox', { name: 'Find the tag that stays' }).fill('vip');
    await page.getByRole('option', { name: /^vip/ }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Merge “vips” into “vip”?').waitFor();
    await dialog.getByText('3 conversations, 1 person').waitFor();
    assert.deepEqual(await audit(page), []);
    await shoot(page, 'settings-tag-merge');
    await page.keyboard.press('Escape');
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('role') === 'combobox'));
    await page.keyboard.type('vip');
    await page.getByRole('option', { name: /^vip/ }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText('Merge “vips” into “vip”?').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await strip(page, '“vips” is part of “vip”.');
    await page.getByRole('heading', { name: 'vip', exact: true }).waitFor();
    await entry(page, 'vips').waitFor({ state: 'detached' });
    await entry(page, 'vip').getByText('3 conversations, 1 person').waitFor();
    assert.deepEqual((await names()).filter((name) => /vip/.test(name)), ['vip']);
  });

  test('a tag that a rule names is refused with the reason, another one is deleted; agents only look', async (t) => {
    await world.desk.owner.create('/triggers', { title: 'Refunds', is_enabled: false, actions: [{ name: 'tags', option: 'ADD', value: ['refund'] }], predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'x' }] }] });
    const page = await world.sit(t, world.admin, '/agent/settings/tags');
    await entry(page, 'refund').click();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: /Delete/ });
    await dialog.getByText(/These lose the tag: 2 conversations/).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText(/The trigger "Refunds" names the tag/).waitFor();
    await page.keyboard.press('Escape');
    await entry(page, 'vip').click();
    await page.getByRole('heading', { name: 'vip', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: /Delete “vip”/ }).getByRole('button', { name: 'Delete' }).click();
    await strip(page, 'Deleted');
    await entry(page, 'vip').waitFor({ state: 'detached' });
    const agent = await world.sit(t, world.desk.people.agent, '/agent/settings/tags');
    await agent.getByRole('searchbox', { name: 'Find a tag' }).fill('ref');
    await agent.getByRole('link', { name: /refund/ }).waitFor();
    assert.equal(await agent.getByRole('button', { name: 'Delete' }).count(), 0);
  });

  test('the palette finds a single team, tag or mailbox, and only what the person may change', async (t) => {
    const { owner, people } = world.desk;
    const { id } = await owner.create('/teams', { title: 'Night shift' });
    const entries = (page) => page.getByRole('group', { name: 'Entries of settings' }).getByRole('option');
    const find = async (page, text) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Commands' }).fill(text);
    };
    const page = await world.sit(t, people.owner, '/agent/views/1');
    await page.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    await find(page, 'refund');
    await entries(page).filter({ hasText: /refund.*Tags/ }).waitFor();
    await entries(page).filter({ hasText: /Refunds.*Triggers/ }).waitFor();
    assert.deepEqual(await audit(page), []);
    await shoot(page, 'palette-entries');
    await page.getByRole('combobox', { name: 'Commands' }).fill('night');
    await entries(page).filter({ hasText: 'Night shift' }).click();
    await page.waitForURL(new RegExp(`/settings/teams/${id}$`));
    const agent = await world.sit(t, people.agent, '/agent/views/1');
    await agent.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    await find(agent, 'night');
    await agent.getByRole('option', { name: /Search for/ }).waitFor();
    assert.equal(await entries(agent).count(), 0);
  });

  test('the reason why a subject is refused stands below it, over the full width', async (t) => {
    const { id } = await world.desk.staff.create('/conversations', { subject: 'Short', contents: 'Text', requester_id: world.desk.people.customer.id });
    const page = await world.sit(t, world.desk.people.agent, `/agent/cases/${id}`);
    const title = page.locator('#case-title');
    await title.getByText('Short').waitFor();
    await page.getByRole('button', { name: 'Edit subject' }).click();
    await page.getByRole('textbox', { name: 'Subject' }).fill('x'.repeat(1500));
    await page.keyboard.press('Enter');
    const reason = page.locator('.subject [role=alert]');
    await reason.waitFor();
    const [above, below, all] = await Promise.all([title, reason, page.locator('.subject')].map((one) => one.boundingBox()));
    assert.ok(below.y >= above.y + above.height - 1, 'below');
    assert.ok(below.width > all.width - 2, 'over the full width');
    await shoot(page, 'subject-refused');
  });
});

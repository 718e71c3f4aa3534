// The editor of the help center in the console: the tree, the forms of categories and sections.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { SHOTS, chord, consoleWorld, examine, save, strip, until } from './console.mjs';

const link = (page, name) => page.locator('.tree a').filter({ hasText: name });
const text = (locale, translation) => ({ locale, translation });

describe('the help center', () => {
  const world = consoleWorld();
  let owner, billing, delivery, invoices;
  before(async () => {
    owner = world.desk.owner;
    billing = await owner.create('/categories', { titles: [text('en-us', 'Billing'), text('de', 'Abrechnung')] });
    delivery = await owner.create('/categories', { titles: 'Delivery' });
    invoices = await owner.create('/sections', { titles: 'Invoices', category_id: billing.id });
    await owner.create('/articles', { titles: 'Read your invoice', contents: '<p>See the numbers.</p>', section_id: invoices.id, status: 'PUBLISHED' });
    await owner.create('/articles', { titles: 'Pay later', contents: '<p>Ask us.</p>', section_id: invoices.id });
  });
  const open = (page, path = '') => page.goto(`${world.desk.base}/agent/help-center${path}`);

  test('a category and a section are made, renamed, moved, ordered by keys with an undo, and deleted with a word about what goes', async (t) => {
    const page = await world.sit(t, await world.desk.person('admin', { full_name: 'Ada Lind' }), '/agent');
    await page.locator('.bar').waitFor();
    await chord(page, 'g', 'h');
    await page.getByRole('link', { name: 'New category' }).click();
    await save(page);
    await page.getByRole('alert').getByText('Write a title first.').waitFor();
    await page.getByLabel(/^Title · English/).fill('Returns');
    await page.getByLabel('Add a language').selectOption('de');
    await page.getByLabel('Title · Deutsch').fill('Rücksendungen');
    await page.getByLabel('Icon on the home page').selectOption({ label: 'A parcel' });
    await save(page);
    await page.waitForURL(/categories\/\d+$/);
    const returns = Number(page.url().split('/').at(-1));
    assert.deepEqual((await owner.fetch(`/categories/${returns}?include=locale_field`)).titles.map(({ locale, translation }) => [locale, translation]), [['en-us', 'Returns'], ['de', 'Rücksendungen']]);

    assert.equal((await owner.fetch(`/categories/${returns}`, { fields: '+icon' })).icon, 'BOX');

    await link(page, 'Returns').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await strip(page, 'The order is changed.');
    const order = async () => (await owner.fetch('/categories?include=locale_field')).map(({ titles }) => titles[0].translation).join();
    assert.equal(await order(), 'General,Billing,Returns,Delivery');
    await until(() => page.evaluate(() => document.activeElement.textContent.startsWith('Returns')));
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => await order() === 'General,Billing,Delivery,Returns');
    // The tree has the order, too: an entry that moves loses the focus, and a key with it.
    await until(async () => (await page.locator('.tree a[data-kind=category] .tree-name').allTextContents()).join() === 'General,Billing,Delivery,Returns');

    await link(page, 'Returns').press('ArrowRight');
    await page.locator('.tree li').filter({ has: page.getByRole('link', { name: /^Returns/ }) }).getByRole('link', { name: 'New section' }).click();
    await page.getByLabel(/^Title · English/).fill('Within 30 days');
    await page.getByLabel('Who sees it').selectOption({ label: 'Staff' });
    await page.getByRole('combobox', { name: 'Add a tag' }).fill('warehouse');
    await page.getByRole('option', { name: /warehouse/ }).click();
    await save(page);
    await page.waitForURL(/sections\/\d+$/);
    const id = Number(page.url().split('/').at(-1)), section = await owner.fetch(`/sections/${id}?include=tag`);
    assert.deepEqual([section.category.id, section.visibility, section.tags.map(({ name }) => name)], [returns, 'AGENTS', ['warehouse']]);
    await page.getByLabel('Category').selectOption({ label: 'Delivery' });
    await page.keyboard.press('Control+s');
    await until(async () => (await owner.fetch(`/sections/${id}`)).category.id === delivery.id);
    await link(page, 'Within 30 days').first().waitFor(); // it may still be in both places

    await open(page, `/categories/${billing.id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog');
    await question.getByText('1 section goes with it.').waitFor();
    await question.getByText(/^2 articles go with it/).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await open(page, `/categories/${returns}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await question.getByText('0 articles go with it').waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    await link(page, 'Returns').waitFor({ state: 'detached' });
    assert.equal(await order(), 'General,Billing,Delivery');
  });

  test('branches open by keys, articles are found by words, and a section by hand is ordered', async (t) => {
    const page = await world.sit(t, world.first, '/agent/help-center');
    await link(page, 'Invoices').focus();
    await page.keyboard.press('ArrowRight');
    await link(page, 'Pay later').getByText('Draft').waitFor();
    await link(page, 'Read your invoice').getByText('Published').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await until(async () => await page.evaluate(() => document.activeElement.id) === `tree-section-${invoices.id}`);
    await page.keyboard.press('Enter');
    await page.getByLabel('Order of the articles').selectOption({ label: 'By hand, in the tree' });
    await save(page);
    await strip(page, 'Saved.');
    const names = async () => (await owner.fetch(`/articles?section_id=${invoices.id}&include=locale_field`)).map(({ titles }) => titles[0].translation).join();
    const before = await names();
    await page.locator(`[aria-label="Move ${before.split(',')[1]} up"]`).waitFor({ state: 'attached' }); // the tree has heard of it
    await link(page, before.split(',')[1]).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await until(async () => await names() === before.split(',').reverse().join());
    await page.getByLabel('Find by words').fill('later');
    await link(page, 'Pay later').waitFor();
    await page.getByLabel('Find by words').fill('nothing like this');
    await page.getByText('Nothing has these words.').waitFor();
  });

  test('of two people who change a section, the second keeps the own words, gets the other change, and is asked about the rest', async (t) => {
    const page = await world.sit(t, world.first, `/agent/help-center/sections/${invoices.id}`);
    await page.getByLabel(/^Title · English/).fill('Bills');
    await owner.update(`/sections/${invoices.id}`, { visibility: 'AUTHORIZED' });
    await save(page);
    await strip(page, 'Saved.');
    assert.equal(await page.getByLabel('Who sees it').inputValue(), 'AUTHORIZED');
    await page.getByLabel(/^Title · English/).fill('My bills');
    await owner.update(`/sections/${invoices.id}`, { titles: 'Their bills' });
    await save(page);
    await page.getByRole('alert').getByText('The other value: Their bills').waitFor();
    await page.reload(); // nothing typed is lost
    await page.getByRole('alert').getByText('The other value: Their bills').waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await save(page);
    await strip(page, 'Saved.');
    const { titles, visibility } = await owner.fetch(`/sections/${invoices.id}?include=locale_field`);
    assert.deepEqual([titles[0].translation, visibility], ['My bills', 'AUTHORIZED']);
  });

  test('who may not manage the help center reads the tree and the forms', async (t) => {
    const reader = await world.desk.person('collaborator', { full_name: 'Rita Read' });
    const page = await world.sit(t, reader, `/agent/help-center/sections/${invoices.id}`);
    await page.getByText('Your role does not allow you').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
    assert.equal(await page.getByRole('link', { name: /^(New|\+)/ }).count(), 1); // the bar
    assert.equal(await page.getByLabel(/^Title · English/).isDisabled(), true);
  });

  const tree = (page) => link(page, 'Billing');
  const form = (page) => page.getByLabel('Who sees it');
  const arabic = (page) => page.locator('.help-form select');
  test('each screen is accessible and stays in its window in both themes, from 360 to 1920 px, and right to left', async (t) => {
    const page = await world.sit(t, world.first), at = '/agent/help-center';
    const sizes = SHOTS ? undefined : { sizes: [[360, 740], [1280, 800]] };
    await examine(world, page, [['help-tree', at, tree], ['help-section', `${at}/sections/${invoices.id}`, form]], sizes);
    const { id: locale_id } = (await owner.fetch('/locales', { limit: 100 })).find(({ locale }) => locale === 'ar');
    await world.first.client.update('/profile', { locale_id });
    await examine(world, page, [['help-section', `${at}/sections/${invoices.id}`, arabic]], { label: '-ar', themes: ['light'], sizes: [[360, 740], [1280, 800]] });
  });
});

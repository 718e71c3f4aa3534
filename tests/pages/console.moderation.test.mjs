// Comments of readers and searches without a result, in the console.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { consoleWorld, examine, joined, save, shoot, strip, until } from './console.mjs';

const comment = (page, text) => page.locator('.comment').filter({ hasText: text });

describe('comments', () => {
  const world = consoleWorld();
  let owner, article, section;
  const say = async (text, more = {}) => (await world.clara.client.create(`/articles/${article.id}/comments`, { contents: text, ...more })).id;
  const waiting = async () => (await owner.get('/comments', { filter: 'WAITING' })).must(200).body.total_count;
  before(async () => {
    owner = world.desk.owner;
    const category = await owner.create('/categories', { titles: 'Billing' });
    section = await owner.create('/sections', { titles: 'Invoices', category_id: category.id });
    article = await owner.create('/articles', { titles: 'Read your invoice', contents: '<p>See the numbers.</p>', section_id: section.id, status: 'PUBLISHED', allow_comments: true });
    await owner.update('/settings', { values: { 'helpcenter.comments_a_minute': '0' } });
  });

  test('are confirmed and marked as spam by keys, alone and many at once; spam is taken back', async (t) => {
    for (const text of ['Thank you', 'Which line is the tax?', 'Cheap pills', 'More cheap pills']) await say(text);
    await say('<p>See <a href="https://spam.example/x">this</a></p>', { is_html: true });
    const page = await world.sit(t, world.first, '/agent/help-center');
    await page.locator('.help-parts .badge').getByText('5').waitFor();
    await page.getByRole('link', { name: /^Comments/ }).click();
    await comment(page, 'Cheap pills').first().waitFor();
    await comment(page, 'this (https://spam.example/x)').waitFor();
    await page.getByRole('link', { name: 'Read your invoice' }).first().waitFor();
    await page.locator('h1:focus').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('s');
    await strip(page, '1 comment is spam.');
    await until(async () => await waiting() === 4);
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('s');
    await strip(page, '2 comments are spam.');
    await until(async () => await waiting() === 2);
    await page.locator('.comment input:focus').waitFor();
    await shoot(page, 'console-comments-undo');
    await page.keyboard.press('z');
    await strip(page, 'Undone');
    await page.getByRole('link', { name: /^Published/ }).click();
    await comment(page, 'More cheap pills').waitFor();
    await page.getByRole('link', { name: /^Spam 1/ }).click();
    await comment(page, 'spam.example').getByRole('button', { name: 'No spam' }).click();
    await strip(page, '1 comment is published.');
    await page.getByText('There is no spam.').waitFor();
    await page.getByRole('link', { name: /^To look at/ }).click();
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await page.getByRole('button', { name: 'Looked at' }).first().click();
    await strip(page, '2 comments stay published.');
    await page.getByText('Everything has been looked at.').waitFor();
    assert.deepEqual([await waiting(), (await owner.get('/comments', { filter: 'SPAM' })).body.total_count, (await owner.get('/comments')).body.total_count], [0, 0, 5]);
    await page.locator('.help-parts .badge').waitFor({ state: 'detached' });
  });

  test('that were rewritten after they were shown are not confirmed; a reply outlives a reload, and the own one is changed and deleted', async (t) => {
    const id = await say('A friendly question');
    const page = await world.sit(t, world.first, '/agent/help-center/comments');
    await comment(page, 'A friendly question').waitFor();
    await world.clara.client.update(`/articles/${article.id}/comments/${id}`, { contents: 'Cheap <b>watches</b>' });
    await comment(page, 'A friendly question').getByRole('button', { name: 'Looked at' }).click();
    await strip(page, '1 was rewritten by its author meanwhile, and stays here.');
    await comment(page, 'Cheap <b>watches</b>').waitFor();
    assert.equal(await waiting(), 1);
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    const field = page.getByRole('textbox', { name: 'Reply to Clara Ito' });
    await page.locator('.comment textarea:focus').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('Write a text first.').waitFor();
    await field.fill('We sell no watches.');
    await until(() => page.evaluate(() => Object.keys(localStorage).some((key) => key.includes('comment reply'))));
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await until(async () => await field.inputValue() === 'We sell no watches.');
    await field.press('Control+Enter');
    await strip(page, 'Your reply is published.');
    await page.getByRole('link', { name: /^Published/ }).click();
    await comment(page, 'We sell no watches.').getByRole('button', { name: 'Change' }).click();
    await page.locator('.comment textarea:focus').waitFor();
    await page.getByRole('textbox', { name: 'Change the comment' }).fill('We sell bicycles.');
    await save(page);
    await comment(page, 'We sell bicycles.').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await strip(page, 'Deleted.');
    assert.equal((await owner.fetch(`/articles/${article.id}/comments/${id}`)).replies.length, 0);
  });

  test('that others write or decide about do not move the list', async (t) => {
    const id = await say('Mine to look at');
    const page = await world.sit(t, world.first, '/agent/help-center/comments');
    await comment(page, 'Mine to look at').waitFor();
    await joined(page, 'v1_comments');
    (await world.second.client.put(`/articles/${article.id}/comments/${id}/publish`)).must(200);
    await say('Another one');
    await comment(page, 'Mine to look at').getByText('Somebody else has decided about it.').waitFor();
    await page.getByRole('button', { name: '1 new comment, show it' }).click();
    await comment(page, 'Another one').waitFor();
    await comment(page, 'Mine to look at').waitFor({ state: 'detached' });
    for (const one of (await owner.get('/comments', { filter: 'WAITING', fields: '+article' })).must(200).data) (await owner.put(`/articles/${one.article.id}/comments/${one.id}/publish`)).must(200);
    const empty = await world.sit(t, world.second, '/agent/help-center/comments');
    await empty.getByText('Everything has been looked at.').waitFor();
    await joined(empty, 'v1_comments');
    await say('The first of an empty list');
    await comment(empty, 'The first of an empty list').waitFor(); // nothing moves
  });

  test('look the same in each width, theme and direction', async (t) => {
    await say(`A long one. ${'It goes on and on, and says little. '.repeat(40)}`);
    const arabic = (await owner.fetch('/locales', { limit: 100 })).find(({ locale }) => locale.startsWith('ar'));
    const mira = await world.desk.person('agent', { full_name: 'Mira Farouk', agent_case_access: 'ALL' });
    const screens = [['comments', '/agent/help-center/comments', (p) => p.locator('.comment')]];
    const page = await world.sit(t, world.first);
    await examine(world, page, screens, { sizes: [[360, 740], [1280, 800]] });
    await mira.client.update('/profile', { locale_id: arabic.id });
    await examine(world, await world.sit(t, mira), screens, { themes: ['light'], sizes: [[768, 1024]], label: '-ar' });
  });
});

describe('searches of the help center', () => {
  const world = consoleWorld();
  let owner, refunds;
  before(async () => {
    owner = world.desk.owner;
    const category = await owner.create('/categories', { titles: 'Billing' });
    await owner.create('/sections', { titles: 'Invoices', category_id: category.id });
    refunds = await owner.create('/sections', { titles: 'Refunds', category_id: category.id });
    const at = world.desk.clock.now - 3_600_000;
    world.desk.sql(`INSERT INTO help_center_searches (name_key, name, attempts, results, searched_at) VALUES ${[['teleport', 12, 0], ['<b>money back', 5, 0], ['invoice', 31, 62]].map(([name, n, results]) => `('${name}', '${name}', ${n}, ${results}, ${at})`)}`);
  });

  test('without a result become drafts in the chosen section by one click, and the click is taken back', async (t) => {
    const page = await world.sit(t, await world.desk.person('admin', { full_name: 'Ada Lind' }), '/agent/help-center');
    await page.getByRole('link', { name: 'Searches' }).click();
    await page.getByRole('row', { name: /teleport/ }).getByText('12').waitFor();
    assert.equal(await page.getByRole('row', { name: /invoice/ }).count(), 0);
    await page.getByLabel('Drafts are made in').selectOption({ label: 'Refunds' });
    await page.getByRole('button', { name: 'Make a draft from “<b>money back”' }).click();
    await strip(page, '“<b>money back” is a draft in Refunds.');
    const drafts = async () => (await owner.fetch('/articles', { section_id: refunds.id, include: 'locale_field' })).map(({ titles, status }) => `${titles[0].translation} ${status}`);
    assert.deepEqual(await drafts(), ['<b>money back DRAFT']);
    assert.match((await owner.fetch('/articles', { section_id: refunds.id, include: 'locale_field' }))[0].contents[0].translation, /“&lt;b&gt;money back” and find nothing/);
    await page.getByRole('link', { name: 'Open the draft' }).and(page.locator('[href*="/agent/help-center/articles/"]')).waitFor();
    await page.keyboard.press('z');
    await strip(page, 'Undone');
    assert.deepEqual(await drafts(), []);
    await page.getByRole('button', { name: 'Make a draft from “<b>money back”' }).waitFor();
    await page.getByRole('navigation', { name: 'Which searches' }).getByRole('link', { name: 'All' }).click();
    await page.getByRole('row', { name: /invoice/ }).getByText('31').waitFor();
    await page.getByLabel('Period').selectOption({ label: 'Last 7 days' });
    await page.waitForURL(/list=popular&days=7/);
  });

  test('are closed to those without the permission, and look the same in each width, theme and direction', async (t) => {
    const closed = await owner.create('/roles', { title: 'No numbers', type: 'AGENT' });
    (await owner.put(`/roles/${closed.id}/permissions`, { 'insights.access': 0 })).must(200);
    const without = await world.sit(t, await world.desk.person('agent', { full_name: 'Eve', role_id: closed.id }), '/agent/help-center');
    await without.locator('.help-parts').getByRole('link', { name: 'Comments' }).waitFor();
    assert.equal(await without.locator('.help-parts a').count(), 1);
    const admin = await world.desk.person('admin', { full_name: 'Mira Farouk' });
    const screens = [['searches', '/agent/help-center/searches', (p) => p.locator('.searches')]];
    const page = await world.sit(t, admin);
    await examine(world, page, screens, { sizes: [[360, 740], [1280, 800]] });
    await admin.client.update('/profile', { locale_id: (await owner.fetch('/locales', { limit: 100 })).find(({ locale }) => locale.startsWith('ar')).id });
    await examine(world, await world.sit(t, admin), screens, { themes: ['light'], sizes: [[768, 1024]], label: '-ar' });
  });
});

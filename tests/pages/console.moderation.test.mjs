// Comments of readers and searches without a result, in the console.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { consoleWorld, examine, shoot, until } from './console.mjs';

const strip = (page, text) => page.locator('.strip').getByText(text).waitFor();
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
    await page.getByRole('button', { name: 'Save' }).click();
    await comment(page, 'We sell bicycles.').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await strip(page, 'Deleted.');
    assert.equal((await owner.fetch(`/articles/${article.id}/comments/${id}`)).replies.length, 0);
  });

  test('that others write or decide about do not move the list', async (t) => {
    const id = await say('Mine to look at');
    const page = await world.sit(t, world.first, '/agent/help-center/comments');
    await comment(page, 'Mine to look at').waitFor();
    (await world.second.client.put(`/articles/${article.id}/comments/${id}/publish`)).must(200);
    await say('Another one');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await comment(page, 'Mine to look at').getByText('Somebody else has decided about it.').waitFor();
    await page.getByRole('button', { name: '1 new comment, show it' }).click();
    await comment(page, 'Another one').waitFor();
    await comment(page, 'Mine to look at').waitFor({ state: 'detached' });
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

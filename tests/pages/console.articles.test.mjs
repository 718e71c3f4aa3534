// The editor of articles in the console.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { SHOTS, audit, consoleWorld, examine, save, shoot, strip, until } from './console.mjs';

const text = (locale, translation) => ({ locale, translation });
const rich = (page, language = 'English') => page.getByRole('textbox', { name: new RegExp(`^Contents · ${language}`) });
/** HTML of office programs, of importers and of people who mean no good. */
const STRANGE = `<h2 align="center">Read  this</h2>
<p class="MsoNormal" style="margin:0cm;font-family:Calibri"><span style="color:#1F3864">First</span> <b>step</b> of <u>two</u></p>
<table border="1" cellpadding="4"><tbody><tr><td colspan="2" bgcolor="#eeeeee">a &amp; b</td><td><p>deep</p></td></tr></tbody></table>
<figure><img src="https://example.com/a.png" alt="A plan"><figcaption>The plan</figcaption></figure>
<ul type="square"><li>one</li> <li><p>two</p><ol start="3"><li>three</li></ol></li></ul>
loose <i>words</i> &lt;script&gt;alert(1)&lt;/script&gt;<hr><dl><dt>Term</dt><dd>Meaning</dd></dl>
<div><div><blockquote>quoted <p>inside</p></blockquote></div><pre><code>if (a &lt; b)
  go();</code></pre></div><center>Last line</center><script>window.bad = 1</script><img src="x" onerror="window.bad = 1"><svg onload="window.bad = 1"></svg>`;

describe('the editor of articles', () => {
  const world = consoleWorld();
  let owner, section, other;
  before(async () => {
    owner = world.desk.owner;
    const category = await owner.create('/categories', { titles: 'Billing' });
    section = await owner.create('/sections', { titles: 'Invoices', category_id: category.id });
    other = await owner.create('/sections', { titles: 'Refunds', category_id: category.id });
  });
  const article = (more) => owner.create('/articles', { titles: 'Read your invoice', contents: '<p>See the numbers.</p>', section_id: section.id, ...more });
  const whole = (id) => owner.fetch(`/articles/${id}`, { include: 'locale_field,tag' });
  const contents = async (id, locale = 'en-us') => (await whole(id)).contents.find((one) => one.locale === locale)?.translation;
  const path = (id) => `/agent/help-center/articles/${id}`;
  /** Selects a word of the text, and waits until the editor has read the selection. */
  const pick = (page, word) => rich(page).evaluate(async (root, word) => {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const at = node.data.indexOf(word);
      if (at < 0) continue;
      root.focus();
      const read = new Promise((resolve) => document.addEventListener('selectionchange', () => setTimeout(resolve), { once: true }));
      getSelection().setBaseAndExtent(node, at, node, at + word.length);
      await read;
      return;
    }
    throw new Error(`no ${word}`);
  }, word);
  const replace = async (page, word, by) => { await pick(page, word); await page.keyboard.type(by); };

  test('of hostile and office HTML, a changed word changes only its own paragraph', async (t) => {
    const { id } = await article({ contents: STRANGE }), before = await contents(id);
    const page = await world.sit(t, world.first, path(id));
    await rich(page).getByText('deep').waitFor();
    await replace(page, 'two', 'three');
    await save(page);
    await strip(page, 'Saved.');
    const after = await contents(id);
    assert.equal(after, before.replace('<u>two</u>', '<u>three</u>').replace('<b>step</b>', '<strong>step</strong>'));
    await rich(page).getByText('Meaning').click();
    await page.keyboard.type('x'); // a block that is kept is not replaced by a letter
    await replace(page, 'go();', 'stay();');
    await save(page);
    await until(async () => await contents(id) === after.replace('go();', 'stay();'));
    await pick(page, 'words');
    await page.keyboard.insertText('letters'); // one change: letters that come slowly are several
    await rich(page).press('Control+z');
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => window.bad), undefined);
  });

  test('languages stand beside each other; a draft with a picture, tags and files is written by keys, published and deleted', async (t) => {
    const page = await world.sit(t, world.first, '/agent/help-center');
    await page.locator('.tree a').filter({ hasText: 'Refunds' }).press('ArrowRight');
    await page.getByRole('link', { name: 'New article' }).click();
    await save(page);
    await page.getByRole('alert').getByText('Write a title and contents in one language first.').waitFor();
    await page.getByLabel(/^Title · English/).fill('Get your money back');
    await rich(page).click();
    await page.keyboard.type('## Within 30 days');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Send it back: ');
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwAChAGA6x2b9QAAAABJRU5ErkJggg==', 'base64');
    await page.getByLabel('Picture', { exact: true }).setInputFiles({ name: 'box.png', mimeType: 'image/png', buffer: png });
    await page.locator('.rich img:not(.loading):not(.ProseMirror-separator)').waitFor();
    let release;
    const held = new Promise((go) => { release = go; });
    await page.route('**/api/v1/files', async (route) => { await held; await route.fallback(); });
    await page.getByLabel('Attach files').setInputFiles({ name: 'form.txt', mimeType: 'text/plain', buffer: Buffer.from('form') });
    await page.getByLabel('Add a language').selectOption('de');
    await page.getByLabel('Title · Deutsch').fill('Geld zurück');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const problem = (words) => page.getByRole('alert').getByText(words);
    await problem('A file is still uploaded.').waitFor();
    release();
    await problem('A file is still uploaded.').waitFor({ state: 'detached' });
    await problem(/^Deutsch needs a title and contents/).waitFor(); // the file has come, and the problem is there
    await rich(page, 'Deutsch').click();
    await page.keyboard.type('Schicken Sie es zurück.');
    await page.getByRole('combobox', { name: 'Add a tag' }).fill('money');
    await page.getByRole('option', { name: /money/ }).click();
    await page.keyboard.press('Control+s');
    await page.waitForURL(/articles\/\d+$/);
    const id = Number(page.url().split('/').at(-1)), made = await whole(id);
    assert.deepEqual([made.status, made.section.id, made.titles.map(({ translation }) => translation), made.tags.map(({ name }) => name)], ['DRAFT', other.id, ['Get your money back', 'Geld zurück'], ['money']]);
    assert.equal(made.contents[1].translation, '<p>Schicken Sie es zurück.</p>');
    assert.match(made.contents[0].translation, new RegExp(`^<h2>Within 30 days</h2><p>Send it back:\\s<img (data-)?src="[^"]*/articles/${id}/attachments/\\d+/url" alt="box.png"></p>$`));
    assert.deepEqual(made.attachments.map(({ name, content_id }) => [name, content_id !== null]).sort(), [['box.png', true], ['form.txt', false]]);

    await until(() => page.locator('.rich img').first().evaluate((img) => img.naturalWidth === 1));
    await page.getByRole('button', { name: 'Remove form.txt' }).click();
    await page.getByRole('button', { name: 'Remove Deutsch' }).click();
    await page.getByRole('button', { name: 'Save and publish' }).click();
    await until(async () => (await whole(id)).status === 'PUBLISHED');
    await until(async () => (await whole(id)).attachments.length === 1);
    const now = await whole(id);
    assert.deepEqual([now.status, now.titles.length, now.attachments.length], ['PUBLISHED', 1, 1]);
    assert.match(await page.getByRole('link', { name: 'Page for customers' }).getAttribute('href'), new RegExp(`/helpcenter/en-us/articles/${id}$`));
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await strip(page, 'Deleted.');
    assert.equal((await owner.get(`/articles/${id}`)).status, 404);
  });

  test('two people write one article: other texts are taken over, of one text the second chooses, and unsaved work outlives the page', async (t) => {
    const { id } = await article({ titles: [text('en-us', 'Pay'), text('de', 'Zahlen')], contents: [text('en-us', '<p>Pay now.</p>'), text('de', '<p>Jetzt zahlen.</p>')] });
    const page = await world.sit(t, world.first, path(id));
    await replace(page, 'now', 'later');
    const another = async (body) => { world.desk.clock.write(world.desk.clock.now + 1000); await owner.update(`/articles/${id}`, body); };
    await another({ contents: text('de', '<p>Bald zahlen.</p>') });
    await save(page);
    await strip(page, 'Saved.');
    assert.deepEqual([await contents(id), await contents(id, 'de')], ['<p>Pay later.</p>', '<p>Bald zahlen.</p>']);
    await rich(page, 'Deutsch').getByText('Bald zahlen.').waitFor();
    await replace(page, 'later', 'soon');
    await another({ contents: text('en-us', '<p>Pay never.</p>') });
    await page.locator('.tree a').filter({ hasText: 'Billing' }).first().click();
    await strip(page, 'are kept, and are not saved.');
    await page.getByRole('button', { name: 'Undo' }).click(); // the way back
    await rich(page).getByText('Pay soon.').waitFor();
    await page.getByRole('alert').getByText('The other value: Pay never.').waitFor();
    assert.equal(await contents(id), '<p>Pay never.</p>');
    await page.reload();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await save(page);
    await until(async () => await contents(id) === '<p>Pay soon.</p>');
  });

  test('what is too long is refused in words, the longest text opens and saves, and a block is changed as HTML', async (t) => {
    const line = '<p>A line of the longest text of all.</p>\n', long = line.repeat(Math.floor(512 * 1024 / line.length) - 1) + '<hr>';
    const { id } = await article({ contents: long }), page = await world.sit(t, world.first, path(id));
    await rich(page).waitFor();
    await page.getByRole('button', { name: 'The whole text as HTML' }).click();
    const html = page.getByLabel(/^The whole text as HTML ·/);
    const fill = (value) => html.evaluate((area, value) => { area.value = value; area.dispatchEvent(new InputEvent('input', { bubbles: true })); }, value);
    await fill(long.replace('line', 'word'));
    await save(page);
    await strip(page, 'Saved.');
    assert.equal(await contents(id), long.replace('line', 'word'));
    await fill(long.repeat(4));
    await save(page);
    await page.getByRole('alert').getByText(/At most 524,288 can be saved/).waitFor();
    await fill('<p>Short.</p><table><tbody><tr><td>1</td></tr></tbody></table>');
    await page.getByRole('button', { name: 'The whole text as HTML' }).click();
    await rich(page).locator('.raw').click();
    await page.getByRole('button', { name: 'HTML of a block' }).click();
    const dialog = page.getByRole('dialog', { name: 'HTML of a block' });
    assert.match(await dialog.getByRole('textbox').inputValue(), /^<table>/);
    await dialog.getByRole('textbox').fill('<table><tbody><tr><td onclick="x()">2</td></tr></tbody></table>');
    await dialog.getByRole('button', { name: 'Use this HTML' }).click();
    await save(page);
    await until(async () => await contents(id) === '<p>Short.</p><table><tbody><tr><td>2</td></tr></tbody></table>');
  });

  test('earlier versions name their author, are compared by marked words, and are restored with an undo', async (t) => {
    const { id } = await article({ contents: '<p>Pay within ten days.</p><p>By bank.</p>' });
    await owner.update(`/articles/${id}`, { contents: '<p>Pay within thirty days.</p><p>By bank.</p>' });
    const page = await world.sit(t, world.first, path(id));
    await rich(page).getByText('thirty').waitFor();
    await page.getByText('Earlier versions').click();
    const line = page.locator('.version-line');
    await line.filter({ hasText: (await owner.fetch('/profile')).full_name }).waitFor();
    await page.getByRole('button', { name: /^Compare the version/ }).click();
    const text = page.locator('.version-text');
    await text.waitFor();
    assert.deepEqual([await text.locator('del').innerText(), await text.locator('ins').innerText()].map((one) => one.replace(/\s+/g, ' ')), ['deleted: − ten', 'added: + thirty']);
    assert.match(await text.innerText(), /^Pay within[^<]*days\.\s*By bank\.\s*$/);
    assert.deepEqual(await audit(page), []);
    await shoot(page, 'article-versions');
    await page.getByRole('button', { name: /^Restore the version/ }).click();
    await strip(page, /is restored/);
    await until(async () => (await contents(id)).includes('ten'));
    await rich(page).getByText('within ten days').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await contents(id)).includes('thirty'));
    await rich(page).getByText('within thirty days').waitFor();
    await until(async () => await line.count() === 3);
    await replace(page, 'thirty', 'forty');
    await page.getByText('Save or discard your changes').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Restore the version/ }).first().isDisabled(), true);
  });

  test('who may not write, or not change published articles, reads them', async (t) => {
    const role = await owner.create('/roles', { title: 'Writers', type: 'AGENT' });
    await owner.put(`/roles/${role.id}/permissions`, { 'help_center_articles.publish': false });
    const writer = await world.desk.person('agent', { role_id: role.id, full_name: 'Will Write' }), { id } = await article({ status: 'PUBLISHED' });
    const page = await world.sit(t, writer, path(id));
    await page.getByText('Your role does not allow you to change published articles.').waitFor();
    await rich(page).waitFor();
    assert.equal(await rich(page).getAttribute('contenteditable'), 'false');
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
    await page.goto(world.desk.base + path((await article()).id));
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    assert.equal(await page.getByLabel('Status').locator('option').count(), 2);
  });

  test('the editor is accessible and stays in its window in both themes, and right to left', async (t) => {
    const { id } = await article({ titles: [text('en-us', 'Pay'), text('de', 'Zahlen')], contents: [text('en-us', STRANGE), text('de', '<p>Jetzt zahlen.</p>')], tags: 'login' });
    const page = await world.sit(t, world.first), ready = (at) => at.locator('.rich').first();
    await examine(world, page, [['article', path(id), ready]], SHOTS ? undefined : { sizes: [[360, 740], [1280, 800]] });
    const { id: locale_id } = (await owner.fetch('/locales', { limit: 100 })).find(({ locale }) => locale === 'ar');
    await world.first.client.update('/profile', { locale_id });
    await examine(world, page, [['article', path(id), ready]], { label: '-ar', themes: ['light'], sizes: [[360, 740], [1280, 800]] });
  });
});

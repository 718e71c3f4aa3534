// Priorities, types, languages and templates of the desk in the settings.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { before, describe, test } from 'node:test';
import { audit, consoleWorld, examine, shoot, strip, until } from './console.mjs';

const { transformSync } = createRequire(new URL('../../web/package.json', import.meta.url))('esbuild');
const moduleOf = (path) => import(`data:text/javascript,${encodeURIComponent(transformSync(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), { loader: 'ts' }).code)}`);

test('a comparison has both texts and is the shortest', async () => {
  const { compare, compareLines } = await moduleOf('web/app/settings/templates/diff.ts');
  let seed = 7;
  const random = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % n; };
  const some = () => Array.from({ length: random(12) }, () => 'abc'[random(3)]);
  const common = (a, b) => { // length of the longest common subsequence
    const t = Array.from({ length: a.length + 1 }, () => Array(b.length + 1).fill(0));
    for (let i = 1; i <= a.length; i++) for (let k = 1; k <= b.length; k++) t[i][k] = a[i - 1] === b[k - 1] ? t[i - 1][k - 1] + 1 : Math.max(t[i - 1][k], t[i][k - 1]);
    return t[a.length][b.length];
  };
  const texts = (parts, kind) => parts.filter((part) => part.kind === 'same' || part.kind === kind).map(({ text }) => text);
  for (let i = 0; i < 3000; i++) {
    const from = some(), to = some(), parts = compare(from, to);
    assert.deepEqual([texts(parts, 'gone'), texts(parts, 'new'), parts.filter(({ kind }) => kind === 'same').length], [from, to, common(from, to)], `${from} ${to}`);
    const lines = compareLines(from.join('\n'), to.join('\n')), whole = (kind) => lines.filter((line) => line.kind === 'same' || line.kind === kind).map((line) => line.parts.map(({ text }) => text).join('')).join('\n');
    assert.deepEqual([whole('gone'), whole('new')], [from.join('\n'), to.join('\n')]);
  }
  const many = (word) => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`);
  assert.equal(compare(many('a'), many('b')).length, 6000, 'texts that share nothing are removed and added whole');
});

describe('lists and templates of the desk', () => {
  const world = consoleWorld();
  before(async () => { world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' }); });
  const entry = (page, name) => page.getByRole('listitem').getByRole('link', { name: new RegExp(`^${name}`) });
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
    await strip(page, 'Saved'); // the undo comes with it
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

  const TEMPLATE = '/brands/1/templates/password_changed', EDITOR = '/agent/settings/templates/password_changed';
  const text = (page) => page.getByRole('textbox', { name: /^Text/ }), shown = (page) => page.frameLocator('.template-preview iframe');
  const contents = async () => (await world.desk.owner.fetch(TEMPLATE)).contents;

  test('a template is changed with its preview beside it, and a mistake is marked at its line', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/templates');
    await page.getByRole('heading', { name: 'Help center' }).waitFor();
    await page.getByRole('searchbox', { name: 'Find a template' }).fill('password was');
    await entry(page, 'Password was changed').click();
    await shown(page).getByText('Hello Alice Sample,').waitFor();
    await page.getByText('Your password at Support was changed').waitFor();
    const area = text(page), original = await area.inputValue();
    await area.fill(original.replace('Your password', 'The password').replaceAll('at once', 'now'));
    await page.getByText('The password at Support was changed').waitFor();
    await shown(page).getByText('reset it now and tell us').waitFor();
    await page.getByText('not saved').first().waitFor();
    await area.evaluate((e) => { const at = e.value.indexOf('now and'); e.setSelectionRange(at, at); });
    await page.getByRole('button', { name: '{{name}}' }).click();
    await focused(page, area);
    await shown(page).getByText(/reset it Alice Sample/).waitFor({ state: 'detached' }); // the caret was in the text for plain mails
    await until(async () => /reset it \{\{name\}\}now/.test(await area.inputValue()));
    await page.keyboard.press('Control+z');
    await until(async () => !/\{\{name\}\}now/.test(await area.inputValue()));
    const right = await area.inputValue();
    await area.fill(right.replace('{{name}},\n', '{{nobody}},\n'));
    await page.getByText('The server would not take this text:').waitFor();
    const line = right.slice(0, right.indexOf('{{name}},\n')).split('\n').length;
    await page.locator('.code-lines .wrong', { hasText: String(line) }).waitFor();
    assert.deepEqual(await audit(page), []);
    await page.getByRole('button', { name: `Go to line ${line}` }).click();
    assert.equal(await area.evaluate((e) => e.value.slice(e.selectionStart, e.selectionStart + 10)), '{{nobody}}');
    await page.keyboard.press('Control+s');
    await page.getByRole('alert').getByText(/unknown value/).waitFor();
    await area.fill(right);
    await page.keyboard.press('Control+s');
    await strip(page, 'Saved');
    assert.equal(await contents(), right);
    await shown(page).locator('a').first().click(); // links do nothing
    await shown(page).getByText('reset it now').waitFor();
  });

  test('an unsaved text outlives the page of the template, and the browser asks before it is lost', async (t) => {
    const page = await world.sit(t, world.admin, EDITOR), area = text(page);
    await shown(page).getByText('reset it now').waitFor();
    const saved = await area.inputValue();
    await area.fill(`${saved}\n`);
    await page.getByRole('link', { name: 'Back' }).click();
    await entry(page, 'Password was changed').getByText('not saved').waitFor();
    await entry(page, 'Password was changed').click();
    await until(async () => await area.inputValue() === `${saved}\n`);
    const asked = new Promise((tell) => page.once('dialog', (dialog) => { tell(dialog.type()); void dialog.dismiss(); }));
    void page.reload().catch(() => {});
    assert.equal(await asked, 'beforeunload');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await until(async () => await area.inputValue() === saved);
  });

  test('versions are compared without colours and restored, and so is the original; each is taken back', async (t) => {
    const page = await world.sit(t, world.admin, EDITOR), now = await contents();
    const version = page.getByRole('listitem').filter({ hasText: 'Original' });
    await version.getByRole('button', { name: 'Compare: Original' }).click();
    const removed = version.locator('del').filter({ hasText: 'Your password' }), added = version.locator('ins').filter({ hasText: 'The password' });
    await removed.waitFor();
    assert.deepEqual([await removed.locator('b').allInnerTexts(), await added.locator('b').allInnerTexts()], [['Your'], ['The']]);
    assert.match(await removed.locator('b').evaluate((e) => getComputedStyle(e).textDecorationLine), /line-through/);
    await version.getByText('3 removed, 3 added').waitFor();
    assert.deepEqual(await audit(page), []);
    await version.scrollIntoViewIfNeeded();
    await shoot(page, 'settings-template-versions');
    await version.getByRole('button', { name: 'Restore this version: Original' }).click();
    await strip(page, 'Restored');
    assert.match(await contents(), /Your password/);
    await page.getByRole('heading', { name: /^Password was changed/ }).focus();
    await page.keyboard.press('z');
    await until(async () => await contents() === now);
    await until(async () => await text(page).inputValue() === now);
    await page.getByRole('button', { name: 'Restore the original' }).click();
    await until(async () => !(await world.desk.owner.fetch(TEMPLATE)).is_custom);
    await page.getByRole('button', { name: 'Restore the original' }).waitFor({ state: 'detached' });
  });

  test('templates are whole at each width, in both themes and in Arabic', { skip: !process.env.SHOTS }, async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/templates');
    await examine(world, page, [['template', EDITOR, (p) => p.locator('.template-preview iframe')], ['templates', '/agent/settings/templates', (p) => entry(p, 'Invitation')], ['languages', '/agent/settings/languages', (p) => entry(p, 'Deutsch')]]);
    const { id } = (await world.desk.owner.fetch('/locales', { limit: 100 })).find(({ locale }) => locale === 'ar');
    await world.desk.owner.update(`/locales/${id}`, { is_enabled: true });
    await world.admin.client.update('/profile', { locale_id: id });
    await examine(world, page, [['template', EDITOR, (p) => p.locator('.template-preview iframe')]], { themes: ['light'], label: '-ar' });
  });
});

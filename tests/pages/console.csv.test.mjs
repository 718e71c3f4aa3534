// Import and export of people and organizations by CSV files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { SIZES, consoleWorld, examine, hasFocus, settled, shoot, until } from './console.mjs';

const PATH = '/agent/settings/csv';

describe('import and export by CSV files', () => {
  const world = consoleWorld();
  before(async () => {
    world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' });
    await world.desk.owner.create('/users/fields', { type: 'TEXT', key: 'city', title: 'Town' });
  });

  const choose = (page, text, name = 'people.csv') => page.locator('.csv-drop input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.isBuffer(text) ? text : Buffer.from(text) });
  const becomes = (page, header) => page.getByLabel(`${header} becomes`);
  const chosen = (locator, value) => until(async () => await locator.inputValue() === value);
  const people = async (email) => (await world.desk.owner.get('/users', { email })).must(200).data;
  /** The jobs of the desk run as its time passes. */
  const over = (page, text) => until(async () => {
    world.desk.clock.write(world.desk.clock.now + 1000);
    return await page.getByRole('status').filter({ hasText: text }).count() === 1;
  });
  const saved = async (page, button) => {
    const coming = page.waitForEvent('download');
    await button.press('Enter');
    const file = await coming;
    return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')];
  };
  const check = async (page) => {
    await page.getByRole('button', { name: 'Check the file' }).press('Enter');
    await page.waitForURL(/\/csv\/\d+$/);
  };

  test('a file is recognized, checked and imported by keys, and a reload loses nothing', async (t) => {
    const page = await world.sit(t, world.admin, PATH);
    await page.getByText('Nothing was imported yet.').waitFor();
    await choose(page, Buffer.from('Wer;E-mail;Ort;Farbe\nZo\xeb;zoe@csv.example;K\xf6ln;rot\nBob;bob;Bonn;blau\n', 'latin1'));
    await chosen(page.getByLabel('Encoding'), 'WINDOWS_1252');
    await chosen(page.getByLabel('Separator'), 'SEMICOLON');
    await chosen(becomes(page, 'E-mail'), 'emails');
    await page.getByText('3 columns are ignored.').waitFor();
    await becomes(page, 'Wer').selectOption({ label: 'Name' });
    await becomes(page, 'Ort').selectOption({ label: 'Town' });
    await page.getByText('1 column is ignored.').waitFor();
    await shoot(page, 'csv-chosen');
    await check(page);
    await hasFocus(page.getByRole('heading', { name: 'Check of people.csv' }));
    await page.getByRole('progressbar').waitFor(); // the time of the desk stands still
    await page.reload();
    await page.getByRole('progressbar').waitFor();
    await over(page, 'The check is done: 1 new, 0 changed, 1 refused.');
    const line = page.getByRole('row').filter({ hasText: 'This is not an e-mail address.' });
    await line.waitFor();
    assert.deepEqual((await line.innerText()).split(/\s*\t\s*/), ['3', 'E-mail', 'This is not an e-mail address.']);
    assert.deepEqual(await people('zoe@csv.example'), []);
    const [name, text] = await saved(page, page.getByRole('button', { name: 'Save the errors as CSV' }));
    assert.match(name, /^errors-\d+\.csv$/);
    assert.equal(text, '"line","column","code","message","reason","most"\r\n3,"E-mail","FIELD_INVALID","This is not an e-mail address.","EMAIL_INVALID",""\r\n');
    await page.reload();
    await page.getByRole('status').filter({ hasText: 'The check is done' }).waitFor();
    const checked = page.url();
    await page.getByRole('button', { name: 'Import 1 row' }).press('Enter');
    await page.waitForURL((url) => url.href !== checked);
    await page.getByRole('heading', { name: 'Import of people.csv' }).waitFor();
    await page.reload();
    await over(page, 'The import is done: 1 new, 0 changed, 1 refused.');
    const [zoe] = await people('zoe@csv.example');
    assert.equal(zoe.full_name, 'Zoë');
    await page.getByRole('link', { name: 'Choose another file' }).press('Enter');
    await page.getByRole('link', { name: 'People · import' }).waitFor();
    await page.getByText('people.csv · done · 2 rows').first().waitFor();
  });

  test('a dropped file of organizations is checked again with other columns', async (t) => {
    const page = await world.sit(t, world.admin, PATH);
    await page.getByLabel('an organization').check();
    await page.locator('.csv-drop').evaluate((box) => {
      const data = new DataTransfer();
      data.items.add(new File(['Firma,Netz\nAcme,acme.example\n'], 'firms.csv', { type: 'text/csv' }));
      for (const type of ['dragover', 'drop']) box.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await page.getByText('The first line names no column that the desk has.').waitFor();
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('alert').filter({ hasText: 'one of name, domains and legacy_id' }).waitFor();
    await becomes(page, 'Firma').selectOption({ label: 'Name' });
    await settled(page);
    await check(page);
    await over(page, 'The check is done: 1 new');
    await page.getByText('No row has an error.').waitFor();
    await page.getByRole('button', { name: 'Change the columns' }).click();
    await becomes(page, 'Netz').selectOption({ label: 'Domains' });
    assert.equal(await becomes(page, 'Firma').inputValue(), 'name');
    await check(page);
    await over(page, 'The check is done: 1 new');
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await over(page, 'The import is done: 1 new');
    await until(async () => (await world.desk.owner.get('/organizations', { limit: 100 })).data.some(({ name }) => name === 'Acme'));
  });

  test('customers and organizations are exported with all pages', async (t) => {
    const page = await world.sit(t, world.admin, PATH);
    const [name, text] = await saved(page, page.getByRole('button', { name: 'Export people (CSV)' }));
    await page.getByRole('status').filter({ hasText: 'saved as people.csv' }).waitFor();
    assert.equal(name, 'people.csv');
    assert.match(text, /^"id","full_name",[^\r]*"field_values.city"\r\n(\d+,[^\r]*\r\n)+$/);
    assert.ok(text.includes('"Clara Ito"') && !text.includes('"Ada Lind"'));
    const [, organizations] = await saved(page, page.getByRole('button', { name: 'Export organizations (CSV)' }));
    assert.match(organizations, /^"id","name",/);
  });

  test('an import is stopped after a question, and its check is removed', async (t) => {
    const page = await world.sit(t, world.admin, PATH);
    await choose(page, 'name,email\nEve,eve@csv.example\n');
    await chosen(becomes(page, 'email'), 'emails');
    await check(page);
    const id = page.url().split('/').at(-1);
    await page.getByRole('button', { name: /^Stop/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.waitForURL((url) => url.pathname === PATH);
    await until(async () => (await world.desk.owner.get(`/csv_imports/${id}`)).status === 404);
  });

  test('a file that breaks in the middle says why in the language of its reader', async (t) => {
    const page = await world.sit(t, world.admin, PATH);
    await choose(page, 'name,email\nEve,eve@csv.example\n"Bob,bob@csv.example\n');
    await chosen(becomes(page, 'email'), 'emails');
    await check(page);
    await over(page, 'The file could not be read to its end.');
    await page.getByText('Line 3: The quote that begins in this line does not close.', { exact: true }).waitFor();
    const run = new URL(page.url()).pathname, locales = await world.desk.owner.fetch('/locales', { limit: 100 });
    for (const [code, name, text] of [['de', 'Rita Falk', 'Zeile 3: Das Anführungszeichen, das in dieser Zeile beginnt, wird nicht geschlossen.'], ['ar', 'ليلى حداد', 'السطر 3: علامة الاقتباس التي تبدأ في هذا السطر لا تُغلق.']]) {
      const other = await world.sit(t, await world.desk.person('admin', { full_name: name, locale_id: locales.find(({ locale }) => locale === code).id }), run);
      await other.getByText(text, { exact: true }).waitFor();
      assert.equal(await other.getByText('The quote that begins').count(), 0);
      await examine(world, other, [[`csv-failed-${code}`, run, (page) => page.getByText(text, { exact: true })]], { sizes: SIZES.slice(0, 1), themes: ['dark'] });
    }
  });

  test('those who may not import do not see the area', async (t) => {
    const page = await world.sit(t, world.first, PATH);
    await page.getByText('This area does not exist, or your role may not change it.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Import and export' }).count(), 0);
  });

  test('each screen is whole at each width, in each theme and direction', async (t) => {
    const page = await world.sit(t, world.admin, PATH);
    await choose(page, 'name,email,Remark about this person\nEve,eve,x\nAda,ada@csv.example,y\n,,\n');
    await chosen(becomes(page, 'email'), 'emails');
    await check(page);
    await over(page, 'The check is done');
    const run = page.url().split('/').at(-1);
    const screens = [
      ['csv', PATH, (page) => page.locator('.plain-rows a')],
      ['csv-run', `${PATH}/${run}`, (page) => page.locator('.csv-errors td')],
    ];
    await examine(world, page, screens, { sizes: SIZES.slice(0, 3) });
    for (const [locale, size] of [['ar', SIZES[0]], ['de', SIZES[2]]]) {
      await world.admin.client.update('/profile', { locale_id: (await world.desk.owner.fetch('/locales', { limit: 100 })).find((one) => one.locale.startsWith(locale)).id });
      await examine(world, page, screens, { sizes: [size], themes: ['light'], label: `-${locale}` });
      if (locale === 'de') await page.getByRole('cell', { name: 'Das ist keine E-Mail-Adresse.', exact: true }).waitFor();
    }
    for (const size of [SIZES[0], SIZES[2]]) {
      await page.setViewportSize({ width: size[0], height: size[1] });
      await page.goto(world.desk.base + PATH);
      await choose(page, 'name,email,Remark about this person\nEve,eve,x\n');
      await page.locator('.csv-facts').scrollIntoViewIfNeeded();
      await shoot(page, `csv-columns-${size[0]}`);
    }
  });
});

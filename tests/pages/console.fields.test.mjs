// Custom fields and forms in the settings: each type is made, put in order, refused, warned of, and shown as customers see it.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { SHOTS, consoleWorld, examine, save, strip, until } from './console.mjs';
import { bytesOf, filesOf, without } from './measures.mjs';

describe('settings of fields and forms', () => {
  const world = consoleWorld(), of = {};
  before(async () => { world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' }); });

  const { sit } = world;
  const idOf = (page) => Number(page.url().split('/').at(-1));
  const fields = (kind = 'cases') => world.desk.admin.fetch(`/${kind}/fields`, { include: 'field_option,locale_field' });
  const field = (page, label) => page.getByLabel(new RegExp(`^${label}( \\(required\\))?$`));
  const focused = (page, label) => until(async () => await page.evaluate(() => document.activeElement.getAttribute('aria-label')) === label);
  const wrong = (page, text) => page.getByRole('alert').getByRole('link', { name: text }).waitFor();

  test('a field of each type is made, with titles in two languages beside each other', async (t) => {
    const page = await sit(t, world.admin, '/agent/settings/case-fields');
    const types = ['Text of one line', 'Text of several lines', 'Whole number', 'Number with decimals', 'Date', 'Yes or no', 'One of a list', 'One of a few, all shown', 'Several of a few', 'One of a long list', 'Text of a pattern', 'File'];
    for (const type of types) {
      await page.getByRole('link', { name: /^Add/ }).click();
      await page.getByRole('heading', { name: 'New field' }).waitFor();
      await field(page, 'Title').fill(type);
      await field(page, 'Type').selectOption({ label: type });
      if (/^One|^Several/.test(type)) {
        await page.getByRole('button', { name: 'Add an option' }).press('Enter');
        await page.keyboard.type('First');
        await page.keyboard.press('Enter');
        await page.keyboard.type('Second');
        await page.getByLabel('Tag, option 2').fill('two');
      }
      if (type === 'Text of a pattern') {
        await save(page);
        await wrong(page, 'Pattern is missing.');
        await page.getByLabel('Pattern').fill('^[A-Z');
        await save(page);
        await wrong(page, /not a regular expression/);
        await page.getByLabel('Pattern').fill('^[A-Z]{2}$');
      }
      await save(page);
      await page.waitForURL(/fields\/\d+$/);
      of[type] = idOf(page);
    }
    const made = (await fields()).filter((one) => !one.is_system);
    assert.deepEqual(made.map(({ title, type }) => [title, type]), types.map((title, i) => [title, ['TEXT', 'TEXTAREA', 'NUMERIC', 'DECIMAL', 'DATE', 'YESNO', 'SELECT', 'RADIO', 'CHECKBOX', 'CASCADINGSELECT', 'REGEX', 'FILE'][i]]));
    assert.deepEqual(await Promise.all(made.find(({ type }) => type === 'SELECT').options.map(async ({ title, tag }) => [title, tag])), [['First', null], ['Second', 'two']]);
    await page.getByRole('link', { name: /^One of a list/ }).click();
    await page.getByLabel('Another language').selectOption({ label: 'Deutsch' });
    await page.keyboard.type('Eines');
    await page.getByLabel('Title, option 1, Deutsch').fill('Erstes');
    await page.getByRole('checkbox', { name: 'Customers see it' }).check();
    await page.getByRole('checkbox', { name: 'Customers may set it' }).check();
    await page.getByText('Customers will also see the values that are already stored.').waitFor();
    await page.getByText('Stored values show the new title of their option.').waitFor();
    await page.getByLabel('Title for customers, Deutsch').fill('Ihre Wahl');
    await page.getByLabel('Language of the preview').selectOption({ label: 'Deutsch' });
    await page.getByRole('figure').getByText('Ihre Wahl').waitFor();
    await page.getByRole('figure').getByRole('combobox').last().selectOption({ label: 'Erstes' });
    await save(page);
    await strip(page, 'Saved');
    const own = (await fields()).find(({ id }) => id === of['One of a list']), texts = (list) => list.map(({ locale, translation }) => `${locale} ${translation}`).sort();
    assert.deepEqual([texts(own.titles), texts(own.customer_titles), texts(own.options[0].values)], [['de Eines', 'en-us One of a list'], ['de Ihre Wahl'], ['de Erstes', 'en-us First']]);
  });

  test('fields are put in order by keys and by dragging; built-in ones stay first and keep what is fixed', async (t) => {
    const page = await sit(t, world.admin, '/agent/settings/case-fields'), order = async () => (await fields()).filter((one) => !one.is_system).map(({ title }) => title);
    const down = page.getByRole('button', { name: 'Move Text of one line down' });
    await down.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Text of one line is now number 3 of 12' }).waitFor({ state: 'attached' });
    await focused(page, 'Move Text of one line down');
    await until(async () => (await order()).indexOf('Text of one line') === 2);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await until(async () => (await order()).indexOf('Text of one line') === 0);
    await focused(page, 'Move Text of one line down'); // the first one has no way up
    const grip = (name) => page.locator('li').filter({ has: page.getByRole('button', { name: `Move ${name} up` }) }).locator('.grip');
    await grip('Date').hover();
    await page.mouse.down();
    await grip('Text of one line').hover({ force: true });
    await page.mouse.up();
    await until(async () => (await order())[0] === 'Date');
    await grip('Date').hover();
    await page.mouse.down();
    await grip('Text of one line').hover({ force: true });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    assert.equal(await page.getByRole('button', { name: 'Move Status down' }).count(), 0);
    await page.getByRole('link', { name: /^Priority/ }).click();
    await page.getByRole('checkbox', { name: 'Customers see it' }).check();
    await page.getByRole('checkbox', { name: 'Customers may set it' }).check();
    assert.deepEqual([await field(page, 'Type').count(), await page.getByRole('checkbox', { name: 'In use' }).count(), await page.getByRole('button', { name: 'Delete' }).count()], [0, 0, 0]);
    await save(page);
    await strip(page, 'Saved');
    assert.equal((await fields()).find(({ key }) => key === 'priority').is_customer_editable, true);
    assert.equal((await order())[0], 'Date');
  });

  test('what values need is refused or warned of: an option in use, a type, a disabled field; a removed option comes back by undo', async (t) => {
    const select = (await fields()).find(({ id }) => id === of['One of a list']), id = await world.asked('Which one?');
    await world.desk.admin.update(`/cases/${id}`, { field_values: { [select.key]: select.options[0].id } });
    const page = await sit(t, world.admin, `/agent/settings/case-fields/${select.id}`);
    await page.getByRole('button', { name: 'Remove First' }).click();
    await page.getByText('One option is removed. If a value has it, it stays.').waitFor();
    await save(page);
    await wrong(page, /is in use/);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await field(page, 'Type').selectOption({ label: 'Date' });
    await page.getByText('If the field has values, the server keeps the type.').waitFor();
    await save(page);
    await wrong(page, /has values of its type/);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('button', { name: 'Move Second up' }).press('Enter');
    await focused(page, 'Move Second down');
    await page.getByRole('button', { name: 'Remove Second' }).click();
    await save(page);
    await strip(page, 'Saved');
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await fields()).find((one) => one.id === select.id).options.map(({ title }) => title).join() === 'First,Second');
    await page.getByRole('checkbox', { name: 'In use' }).uncheck();
    await page.getByText('Its values are kept, but nobody sees them until it is in use again.').waitFor();
    await page.getByRole('link', { name: /^Date/ }).click();
    await page.getByRole('link', { name: /^One of a list.*not saved/ }).waitFor(); // leaving loses nothing
    assert.equal(await page.evaluate(() => { const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return event.defaultPrevented; }), true);
  });

  test('fields of people and of organizations are of their own', async (t) => {
    const page = await sit(t, world.admin, '/agent/settings/user-fields/new');
    for (const [kind, title] of [['users', 'Customer number'], ['organizations', 'Contract']]) {
      if (kind === 'organizations') await page.getByRole('link', { name: 'Fields of organizations' }).click().then(() => page.getByText('There are no fields of your own.').waitFor()).then(() => page.keyboard.press('n'));
      await page.getByRole('heading', { name: 'New field' }).waitFor();
      assert.equal(await page.getByLabel('Needed to complete a conversation').count(), 0);
      await field(page, 'Title').fill(title);
      await page.getByLabel('Key', { exact: true }).fill('2 bad');
      await save(page);
      await wrong(page, /A letter is expected/);
      await page.getByLabel('Key', { exact: true }).fill('own_key');
      await save(page);
      await page.waitForURL(/fields\/\d+$/);
      assert.deepEqual((await fields(kind)).map((one) => [one.title, one.key]), [[title, 'own_key']]);
    }
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('All its values are deleted, too').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no fields of your own.').waitFor();
  });

  test('a form gets fields by keys, shows what customers see, and meets the changes of a second admin', async (t) => {
    const page = await sit(t, world.admin, '/agent/settings/forms');
    await page.getByText('There are no forms.').waitFor();
    await page.keyboard.press('n');
    await field(page, 'Title').fill('Repairs');
    for (const name of ['Yes or no', 'One of a list', 'File']) await page.getByRole('button', { name: `Add ${name}` }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'File is in the form as number 3' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Move One of a list up' }).press('Enter');
    await focused(page, 'Move One of a list down');
    await page.getByText('Customers can not use this form yet.').waitFor();
    await page.getByRole('checkbox', { name: 'Customers may use it' }).check();
    await page.getByLabel('Title for customers').fill('Ask for a repair');
    const seen = page.getByRole('figure');
    await seen.getByText('Ask for a repair').waitFor();
    assert.deepEqual(await seen.locator('.seen-field > :first-child').allTextContents(), ['Your name', 'E-mail address', 'Subject', 'Message', 'Ihre Wahl (optional)']);
    await page.getByText('Not shown to customers: Yes or no, File').waitFor();
    await save(page);
    await page.waitForURL(/forms\/\d+$/);
    const id = idOf(page), now = () => world.desk.admin.fetch(`/cases/forms/${id}`, { include: 'locale_field' });
    assert.deepEqual([(await now()).fields.map((one) => one.id), (await now()).is_default], [[of['One of a list'], of['Yes or no'], of.File], true]);
    await page.getByText('This form is the default.').waitFor();
    await page.getByLabel('Title for customers').fill('A repair, please');
    await page.getByRole('button', { name: 'Remove File' }).click();
    await world.desk.admin.update(`/cases/forms/${id}`, { title: 'All repairs', customer_titles: [{ locale: 'en-us', translation: 'Repair it' }] });
    await save(page);
    await page.getByRole('alert').getByText('Somebody else has changed this entry meanwhile.').waitFor();
    await wrong(page, /Title for customers is now “English \(United States\): Repair it”/);
    assert.equal(await field(page, 'Title').inputValue(), 'All repairs');
    await page.getByRole('button', { name: 'Take it: Title for customers' }).click();
    await save(page);
    await strip(page, 'Saved');
    assert.deepEqual([(await now()).customer_title, (await now()).title, (await now()).fields.length], ['Repair it', 'All repairs', 2]);
    await page.getByRole('checkbox', { name: 'In use' }).uncheck();
    await save(page);
    await page.getByRole('alert').getByText(/default form can't be disabled/).first().waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    const second = await world.desk.admin.create('/cases/forms', { title: 'Second' });
    await page.goto(`${world.desk.base}/agent/settings/forms/${second.id}`);
    await page.getByRole('button', { name: 'Make it the default' }).click();
    await page.getByText('This form is the default.').waitFor();
    await page.getByRole('button', { name: 'Move Second up' }).press('Enter');
    await until(async () => (await world.desk.admin.fetch('/cases/forms'))[0].id === second.id);
    of.form = id;
  });

  test('the areas are small, and at each width, in both themes and from right to left nothing is outside and axe-core reports nothing', async (t) => {
    const page = await sit(t, world.admin, '/agent/inbox');
    await page.waitForLoadState('networkidle');
    const files = filesOf(page);
    await page.goto(`${world.desk.base}/agent`);
    await page.waitForLoadState('networkidle');
    const known = new Map(files);
    await page.goto(`${world.desk.base}/agent/settings/forms`);
    await page.getByRole('link', { name: /^Add/ }).waitFor();
    await page.waitForLoadState('networkidle');
    const more = without(files, known), bytes = bytesOf(more, 'js') + bytesOf(more, 'css');
    t.diagnostic(`forms: ${(bytes / 1024).toFixed(1)} KB`);
    assert.ok(bytes > 1024 && bytes <= 40 * 1024, `${bytes} bytes`);
    const screens = [['fields', '/agent/settings/case-fields', (p) => p.locator('.mover')], ['field', `/agent/settings/case-fields/${of['One of a list']}`, (p) => p.locator('.seen-page')], ['form', `/agent/settings/forms/${of.form}`, (p) => p.locator('.seen-field')]];
    await examine(world, page, screens, SHOTS ? { sizes: [[360, 740], [1280, 800]] } : { themes: ['light'], sizes: [[360, 740], [1280, 800]] });
    const { id: locale_id } = (await world.desk.admin.fetch('/locales', { limit: 100 })).find(({ locale }) => locale === 'ar');
    const other = await world.sit(t, await world.desk.person('admin', { full_name: 'ليلى حداد', locale_id }), '/agent/settings');
    await other.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    await examine(world, other, screens, { themes: ['dark'], sizes: SHOTS ? [[360, 740], [1280, 800]] : [[360, 740]], label: '-ar' });
  });
});

// The areas of settings for admins: what each makes, what it refuses before it asks the server, and that keys are enough.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { SHOTS, consoleWorld, examine, hasFocus, save, strip, until } from './console.mjs';
import { bytesOf, filesOf, without } from './measures.mjs';

describe('settings for admins', () => {
  const world = consoleWorld();
  before(async () => { world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' }); });

  const open = (page, path) => page.goto(`${world.desk.base}/agent/settings/${path}`);
  const idOf = (page) => Number(page.url().split('/').at(-1));

  test('a role is made, and its permissions change by the mouse and by keys, with an undo', async (t) => {
    const owner = await world.desk.person('owner', { full_name: 'Olga Own' });
    const page = await world.sit(t, owner, '/agent/settings/roles/new');
    await page.getByLabel('Name').fill('Second line');
    await save(page);
    await page.waitForURL(/\/roles\/\d+$/);
    const id = idOf(page), may = async (name) => (await world.desk.owner.fetch(`/roles/${id}/permissions`)).find((one) => one.name === name).value;
    await page.getByLabel('Write articles: Second line').uncheck();
    await until(async () => !(await may('help_center_articles.manage')));
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(() => may('help_center_articles.manage'));
    await open(page, 'roles');
    const cell = page.getByLabel('Reply to customers: Second line');
    await cell.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Space');
    await until(async () => !(await may('cases.merge')));
    await until(async () => await page.evaluate(() => document.activeElement.getAttribute('aria-label')) === 'Merge conversations: Second line');
    assert.equal(await page.getByLabel('Roles and permissions: Second line').count(), 0); // agents never manage roles
  });

  test('nobody shuts themselves out of their own role, and nobody gives what they do not have', async (t) => {
    const role = await world.desk.owner.create('/roles', { title: 'House admin', type: 'ADMIN' });
    await world.desk.owner.update(`/roles/${role.id}/permissions`, { 'insights.access': 0 });
    const own = await world.desk.person('admin', { full_name: 'Hugo House', role_id: role.id });
    const page = await world.sit(t, own, `/agent/settings/roles/${role.id}`), writes = [];
    page.on('request', (request) => { if (request.method() === 'PUT') writes.push(request.url()); });
    const press = (name) => page.getByLabel(name).press('Space');
    await press('Roles and permissions: House admin');
    await page.getByRole('alert').filter({ hasText: 'you could not give the permission back to yourself' }).waitFor();
    await until(() => page.getByLabel('Roles and permissions: House admin').isChecked());
    await open(page, 'roles/2');
    await press('Reports: Agent');
    await page.getByRole('alert').filter({ hasText: 'you can neither give nor take it' }).waitFor();
    await open(page, 'roles/5');
    await press('Reports: Owner');
    await page.getByRole('alert').filter({ hasText: 'Owners have all permissions' }).waitFor();
    assert.deepEqual(writes.filter((url) => /permissions/.test(url)), []);
  });

  test('business hours are drawn by keys and by the mouse, with a holiday of the night in which the clock changes', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/hours/new');
    await page.getByLabel('Name').fill('Berlin office');
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    const cell = (name) => page.getByRole('checkbox', { name, exact: true });
    await cell('Monday 5:00 PM – 6:00 PM').press('Space');
    await page.keyboard.press('Shift+ArrowRight');
    await cell('Saturday 10:00 AM – 11:00 AM').hover();
    await page.mouse.down();
    await cell('Saturday 11:00 AM – 12:00 PM').hover();
    await page.mouse.up();
    await page.getByText('Saturday: 10:00 AM – 12:00 PM').waitFor();
    await page.getByRole('button', { name: 'Add a holiday' }).press('Enter');
    await page.keyboard.type('Clock day');
    await page.getByLabel('Date, holiday 1').fill('2027-03-28');
    await save(page);
    await page.waitForURL(/\/hours\/\d+$/);
    const id = idOf(page), hours = () => world.desk.admin.fetch(`/businesshours/${id}`), made = await hours();
    assert.deepEqual([made.zones.monday, made.zones.tuesday, made.zones.saturday, made.zones.sunday], [[9, 10, 11, 12, 13, 14, 15, 16, 17, 18], [9, 10, 11, 12, 13, 14, 15, 16], [10, 11], []]);
    assert.deepEqual([made.time_zone, made.holidays], ['Europe/Berlin', [{ title: 'Clock day', date: '28/03/2027' }]]);
    await page.getByRole('button', { name: 'Monday to Friday like Monday' }).click();
    await page.getByLabel('Open for some hours').check();
    await cell('Clock day 11:00 AM – 12:00 PM').press('Space');
    await page.getByRole('button', { name: 'Add a holiday' }).click();
    await save(page);
    await page.getByRole('alert').getByRole('link').first().waitFor(); // a holiday needs a name and a date
    await page.getByRole('button', { name: 'Remove holiday 2' }).click();
    await save(page);
    await strip(page, 'Saved');
    assert.deepEqual([(await hours()).zones.friday.at(-1), (await hours()).holidays[0].open_hours], [18, [9, 10]]);
    for (const day of ['Monday', 'Tuesday']) await cell(`${day} 9:00 AM – 10:00 AM`).press('Space');
    await page.getByRole('link', { name: /^Default/ }).click();
    await page.getByRole('heading', { name: 'Default' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
    await page.getByRole('link', { name: /^Berlin office.*not saved/ }).click();
    await page.getByRole('checkbox', { name: 'Tuesday 9:00 AM – 10:00 AM', exact: true, checked: false }).waitFor(); // navigation loses nothing
  });

  test('two admins in one form: the second is told, and nothing is lost', async (t) => {
    const made = await world.desk.admin.create('/businesshours', { title: 'Shared', zones: { monday: [9] } });
    const page = await world.sit(t, world.admin, `/agent/settings/hours/${made.id}`);
    await page.getByRole('checkbox', { name: 'Friday 8:00 AM – 9:00 AM', exact: true }).press('Space');
    await world.desk.admin.update(`/businesshours/${made.id}`, { zones: { monday: [9], sunday: [12] } });
    await save(page);
    await page.getByRole('alert').getByText('Somebody else has changed this entry meanwhile.').waitFor();
    assert.deepEqual((await world.desk.admin.fetch(`/businesshours/${made.id}`)).zones.friday, []);
    await save(page);
    await strip(page, 'Saved');
    assert.deepEqual((await world.desk.admin.fetch(`/businesshours/${made.id}`)).zones.friday, [8]);
  });

  test('by keyboard alone a trigger with three conditions is made and run for a conversation in at most 80 key presses', async (t) => {
    await world.asked('Fire in the engine');
    const page = await world.sit(t, world.admin, '/agent/settings/triggers');
    await page.getByText('There are no triggers.').waitFor();
    let presses = 0;
    const press = async (key, times = 1) => { for (let i = 0; i < times; i++) { presses++; await page.keyboard.press(key); } };
    const focused = (name) => page.waitForFunction((name) => document.activeElement?.getAttribute('aria-label') === name, name);
    await press('n');
    await hasFocus(page.getByLabel('Title'));
    await page.keyboard.type('Fires');
    await page.getByRole('button', { name: 'Add a condition' }).waitFor();
    await press('Tab');
    await press('Enter');
    await focused('Field, condition 1.1');
    await press('Tab', 2);
    await page.keyboard.type('fire');
    await press('Tab', 3); // over the button that removes, and "or another one"
    await press('Enter');
    await focused('Field, condition 2.1');
    await page.keyboard.type('Statu');
    await press('Tab', 2);
    await page.keyboard.type('New');
    await press('Tab', 3);
    await press('Enter');
    await focused('Field, condition 3.1');
    await page.keyboard.type('Priority');
    await press('Tab');
    await page.keyboard.type('is not');
    await press('Tab');
    await page.keyboard.type('Urg');
    await press('Tab', 4);
    await press('Enter');
    await focused('Action, action 1');
    await page.keyboard.type('Prio');
    await press('Tab', 2);
    await page.keyboard.type('Urg');
    await press('Control+s');
    await page.waitForURL(/\/triggers\/\d+$/);
    await page.getByRole('heading', { name: 'Fires' }).waitFor();
    const trigger = await world.desk.admin.fetch(`/triggers/${idOf(page)}`);
    assert.deepEqual(trigger.predicate_collections.map(({ propositions }) => propositions.map(({ field, operator, value }) => [field, operator, value])), [
      [['cases.subject', 'string_contains_insensitive', 'fire']], [['cases.casestatusid', 'comparison_equalto', '1']], [['cases.casepriorityid', 'comparison_not_equalto', '4']]]);
    assert.deepEqual(trigger.actions.map(({ name, option, value }) => [name, option, value]), [['priority', 'CHANGE', 4]]);
    await page.getByRole('combobox', { name: /^Conversation/ }).waitFor();
    for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.getAttribute('role') === 'combobox' && /^Conversation/.test(document.activeElement.getAttribute('aria-label')))); i++) await press('Tab');
    await page.keyboard.type('fire');
    await page.getByRole('option', { name: /Fire in the engine/ }).waitFor();
    await press('Enter');
    await page.getByText('It would act on').waitFor();
    await page.getByText('The conversation has: fire').waitFor();
    t.diagnostic(`${presses} key presses`);
    assert.ok(presses <= 80, `${presses} key presses`);
  });

  test('a trigger has 100 conditions, and one of 200 is refused in one line; one that the definitions have forgotten is shown and can only be removed; warnings are told', async (t) => {
    const lines = (n, from) => Array.from({ length: n }, (_, i) => ({ field: 'cases.subject', operator: 'string_contains_insensitive', value: `word${from + i}` }));
    const field = await world.desk.admin.create('/cases/fields', { type: 'TEXT', title: 'Serial', key: 'serial' });
    const many = await world.desk.admin.create('/triggers', { title: 'Many', is_enabled: false, actions: [{ name: 'tags', option: 'ADD', value: ['many'] }],
      predicate_collections: Array.from({ length: 50 }, (_, g) => ({ propositions: lines(2, g * 2) })) });
    const forgets = await world.desk.admin.create('/triggers', { title: 'Forgets', is_enabled: false, actions: [{ name: 'priority', option: 'INCREASE' }],
      predicate_collections: [{ propositions: [{ field: 'casefields.serial', operator: 'string_contains_insensitive', value: 'x' }, ...lines(1, 0)] }] });
    await world.desk.admin.delete(`/cases/fields/${field.id}`).catch(() => undefined);
    const page = await world.sit(t, world.admin, `/agent/settings/triggers/${many.id}`);
    await page.getByLabel('Value, condition 50.2').fill('the last');
    await page.keyboard.press('Control+s');
    await strip(page, 'Saved');
    const saved = await world.desk.admin.fetch(`/triggers/${many.id}`);
    assert.deepEqual([saved.predicate_collections.length, saved.predicate_collections[49].propositions[1].value, saved.predicate_collections[0].propositions[0].value], [50, 'the last', 'word0']);
    await page.getByRole('button', { name: 'or another one' }).last().click();
    await page.getByLabel('Value, condition 50.3').fill('one too many');
    await save(page);
    await page.getByRole('alert').getByRole('link', { name: 'At most 100 propositions are allowed.' }).waitFor();
    assert.equal(await page.getByRole('alert').getByRole('link').count(), 1);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await open(page, `triggers/${forgets.id}`);
    await page.getByLabel('Field, condition 1.2').waitFor();
    assert.equal(await page.locator('option[value="casefields.serial"]').count(), await page.getByLabel('Field, condition 1.1').count());
    await page.getByLabel('Comparison, condition 1.2').selectOption({ label: 'has changed' });
    assert.equal(await page.getByLabel('Value, condition 1.2').count(), 0);
    await page.getByRole('button', { name: 'Remove condition 1.1' }).click();
    await save(page);
    await strip(page, 'Saved');
    assert.deepEqual((await world.desk.admin.fetch(`/triggers/${forgets.id}`)).predicate_collections[0].propositions.map(({ operator }) => operator), ['history_changed']);
    await page.getByRole('button', { name: 'Move Forgets up' }).click();
    await until(async () => { const all = await world.desk.admin.fetch('/triggers'); return all.findIndex(({ id }) => id === forgets.id) < all.findIndex(({ id }) => id === many.id); });
  });

  test('a monitor and a service level are made', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/monitors/new');
    await page.getByLabel('Title').fill('Waits too long');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Field, condition 1.1').selectOption({ label: 'Hours since creation' });
    await page.getByLabel('Comparison, condition 1.1').selectOption({ label: 'is more than (open hours)' });
    await page.getByLabel('Value, condition 1.1').fill('24');
    await page.getByRole('button', { name: 'Add an action' }).click();
    await page.getByLabel('Action, action 1').selectOption({ label: 'E-mail to a person' });
    await save(page);
    await page.getByRole('alert').getByRole('link').first().waitFor();
    await page.getByRole('combobox', { name: 'Value, action 1' }).fill('assig');
    await page.getByRole('option', { name: '(assigned agent)' }).click();
    await page.getByLabel('Subject of the mail, action 1').fill('It waits');
    await page.getByLabel('Text of the mail, action 1').fill('Please look.');
    await save(page);
    await page.waitForURL(/\/monitors\/\d+$/);
    const monitor = await world.desk.admin.fetch(`/monitors/${idOf(page)}`);
    assert.deepEqual([monitor.predicate_collections[0].propositions[0].operator, monitor.actions[0].value, monitor.actions[0].attributes], ['time_greaterthan_businesshours', -4, [{ name: 'subject', value: 'It waits' }, { name: 'message', value: 'Please look.' }]]);
    await open(page, 'slas/new');
    await page.getByLabel('Title').fill('Premium');
    await save(page);
    await page.getByRole('alert').getByRole('link', { name: 'Targets is missing.' }).waitFor();
    await page.getByRole('button', { name: 'Add a target' }).click();
    await page.getByLabel('Within, target 1', { exact: true }).fill('2');
    await page.getByLabel('Within, target 1', { exact: true }).press('Tab');
    await page.getByRole('button', { name: 'Add a target' }).click();
    await page.getByLabel('Unit, Within, target 2').selectOption({ label: 'days' });
    await page.getByLabel('Priority, target 2').selectOption({ label: 'Urgent' });
    await page.getByLabel('Time that counts, target 2').selectOption({ label: 'All time' });
    await save(page);
    await page.waitForURL(/\/slas\/\d+$/);
    const targets = await Promise.all((await world.desk.admin.fetch(`/slas/${idOf(page)}`, { include: 'sla_target' })).targets);
    assert.equal(targets.length, 2);
    const shown = (label) => page.getByLabel(label, { exact: true }).inputValue();
    assert.deepEqual([await shown('Within, target 1'), await shown('Within, target 2'), await shown('Unit, Within, target 2')], ['2', '1', 'days']);
    await world.desk.admin.update(`/slas/${idOf(page)}`, { predicate_collections: [{ propositions: [{ field: 'tags.name', operator: 'collection_contains_any_insensitive', value: 'vip' }] }] });
    await page.reload();
    await page.locator('.condition select').first().waitFor();
    await until(async () => await page.locator('.condition select').first().inputValue() === 'tags.name' && await page.locator('.condition input').inputValue() === 'vip');
    // The definitions of service levels do not list the priority, and their conditions may test it.
    await world.desk.admin.update(`/slas/${idOf(page)}`, { predicate_collections: [{ propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_equalto', value: '4' }] }] });
    await page.reload();
    await until(() => page.locator('.condition select').evaluateAll((all) => all.map((one) => one.selectedOptions[0]?.text).includes('Urgent')));
    await until(async () => await page.locator('.condition select').first().inputValue() === 'cases.casepriorityid');
  });

  test('a trigger shows its firings: the conversation, the event, what was done and what was not, and why', async (t) => {
    const gone = await world.desk.person('agent', { full_name: 'Gone Soon' });
    const rule = await world.desk.admin.create('/triggers', { title: 'Logged', predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'logged' }] }],
      actions: [{ name: 'priority', option: 'CHANGE', value: 3 }, { name: 'assignee', option: 'CHANGE', value: gone.id }] });
    await world.desk.owner.update(`/users/${gone.id}`, { is_enabled: false });
    const page = await world.sit(t, world.admin, `/agent/settings/triggers/${rule.id}`), part = page.getByRole('region', { name: 'Firings' });
    await part.getByText('It has not fired yet.').waitFor();
    const ids = [];
    for (let i = 0; i < 21; i++) ids.push(await world.asked(`Logged ${i}`));
    await part.getByRole('button', { name: 'Look again' }).press('Enter');
    await part.getByRole('link', { name: `#${ids[20]} Logged 20` }).waitFor();
    const line = part.getByRole('listitem').first();
    assert.match(await line.textContent(), /set .the priority. to .High.Not done: .*Console and programs/s);
    assert.equal(await part.getByRole('listitem').count(), 20);
    await part.getByRole('button', { name: 'Show more' }).press('Enter');
    await part.getByRole('link', { name: `#${ids[0]} Logged 0` }).click();
    await page.waitForURL(new RegExp(`/cases/${ids[0]}$`));
    await page.getByText(/Trigger “.*Logged.*” set .the priority. to .High.*left an action out/).waitFor();
    await world.desk.admin.delete(`/triggers/${rule.id}`);
  });

  test('each area is small', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings');
    await page.getByRole('link', { name: 'Triggers' }).waitFor();
    for (const [area, complete] of [['roles', '.matrix'], ['triggers', '.settings-list'], ['monitors', '.settings-list'], ['slas', '.settings-list'], ['hours', '.settings-list'], ['clients', '.settings-list'], ['audit', '.records'], ['everything', '.setting-rows'], ['csv', '.csv-drop']]) {
      const own = await world.browser.newContext({ storageState: await page.context().storageState() }), fresh = await own.newPage();
      await fresh.goto(`${world.desk.base}/agent`);
      await fresh.getByRole('navigation').first().waitFor();
      await fresh.waitForLoadState('networkidle');
      const files = filesOf(fresh);
      await fresh.goto(`${world.desk.base}/agent`);
      await fresh.waitForLoadState('networkidle');
      const known = new Map(files);
      await fresh.goto(`${world.desk.base}/agent/settings/${area}`);
      await fresh.locator(complete).first().waitFor();
      await fresh.waitForLoadState('networkidle');
      const more = without(files, known), bytes = bytesOf(more, 'js') + bytesOf(more, 'css');
      await own.close();
      t.diagnostic(`${area}: ${(bytes / 1024).toFixed(1)} KB`);
      assert.ok(bytes > 1024 && bytes <= 40 * 1024, `${area}: ${bytes} bytes`);
    }
  });

  test('at each width, in both themes and both directions, axe-core reports nothing and nothing is outside', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings');
    const hours = await world.desk.admin.create('/businesshours', { title: 'Looks', zones: { monday: [8, 9, 10, 13, 14], tuesday: [9, 10] }, holidays: [{ title: 'Christmas', date: '25/12/2026', open_hours: [9, 10] }] });
    const trigger = await world.desk.admin.create('/triggers', { title: 'Looks', predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'fire' }, { field: 'cases.casestatusid', operator: 'history_changed' }] }],
      actions: [{ name: 'priority', option: 'CHANGE', value: 4 }, { name: 'notificationuser', option: 'SEND', value: -3, attributes: { subject: 'Hello', message: 'We have it.' } }] });
    const sla = await world.desk.admin.create('/slas', { title: 'Looks', targets: [{ type: 'FIRST_REPLY_TIME', goal_in_seconds: 7200, operational_hours: 'BUSINESS_HOURS' }, { type: 'RESOLUTION_TIME', priority_id: 4, goal_in_seconds: 86400, operational_hours: 'CALENDAR_HOURS' }] });
    const screens = [
      ['admin-roles', '/agent/settings/roles', (p) => p.locator('.settings-rows a')],
      ['admin-role', '/agent/settings/roles/2', (p) => p.locator('.matrix')],
      ['admin-hours', `/agent/settings/hours/${hours.id}`, (p) => p.locator('.holiday')],
      ['admin-trigger', `/agent/settings/triggers/${trigger.id}`, (p) => p.locator('.rule-action .condition')],
      ['admin-sla', `/agent/settings/slas/${sla.id}`, (p) => p.locator('.target')],
    ];
    await page.getByRole('link', { name: 'Roles' }).waitFor();
    await examine(world, page, screens, SHOTS ? {} : { themes: ['light'], sizes: [[360, 740], [1280, 800]] });
    if (!SHOTS) await examine(world, page, screens, { themes: ['dark'], sizes: [[768, 1024]] });
    const { id: locale_id } = (await world.desk.admin.fetch('/locales', { limit: 100 })).find(({ locale }) => locale === 'ar');
    const other = await world.sit(t, await world.desk.person('admin', { full_name: 'ليلى حداد', locale_id }), '/agent/settings');
    await other.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    await examine(world, other, screens, { themes: ['light'], sizes: [[1280, 800]], label: '-ar' });
  });
});

// Settings of the console: each area makes, changes and deletes rows, says beside the field what is wrong, and loses nothing that was typed.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { consoleWorld, examine, hasFocus, logIn, outside, save, strip, until } from './console.mjs';

describe('settings of the console', () => {
  const world = consoleWorld();
  before(async () => { world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' }); });

  const open = (page, path) => page.goto(`${world.desk.base}/agent/settings/${path}`);
  const entry = (page, name) => page.getByRole('listitem').getByRole('link', { name: new RegExp(`^${name}`) });

  test('a team is made, changed, taken back and deleted, and the list follows', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/teams');
    await page.getByRole('heading', { name: 'Teams' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'New team' }).waitFor();
    await page.getByLabel('Name').fill('Second line');
    await page.keyboard.press('Control+s');
    await entry(page, 'Second line').waitFor();
    await page.waitForURL(/\/settings\/teams\/\d+$/);
    await page.getByLabel('Name').fill('Third line');
    await page.keyboard.press('Enter');
    await entry(page, 'Third line').waitFor();
    await strip(page, 'Saved'); // the undo comes with it
    await page.getByRole('heading', { name: 'Third line' }).focus();
    await page.keyboard.press('z');
    await entry(page, 'Second line').waitFor();
    await until(async () => await page.getByLabel('Name').inputValue() === 'Second line');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('Delete “Second line”?').waitFor();
    await page.keyboard.press('Escape');
    await entry(page, 'Second line').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await strip(page, 'Deleted');
    await entry(page, 'Second line').waitFor({ state: 'detached' });
    assert.deepEqual((await world.desk.admin.fetch('/teams')).filter(({ title }) => /line/.test(title)), []);
  });

  test('what is wrong is said in the summary, which has the focus, and beside the field', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/teams/new');
    await page.getByLabel('Name').waitFor();
    await save(page);
    await page.getByRole('alert').getByRole('link', { name: 'Name is missing.' }).waitFor();
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('role') === 'alert'));
    await until(async () => /^Error: New team/.test(await page.title()));
    const name = page.getByLabel('Name');
    assert.equal(await name.getAttribute('aria-invalid'), 'true');
    await page.getByRole('alert').getByRole('link').press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'INPUT');
    await name.fill('é'.repeat(256));
    await save(page);
    await page.locator('.field-help').getByText('Name has 256 characters. At most 255 are possible.').waitFor();
    await name.fill('Long enough');
    assert.doesNotMatch(await page.title(), /Error/);
    await page.getByRole('button', { name: 'Discard changes' }).click();
  });

  test('text that is not saved survives navigation, and the areas and rows say so', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Kept' });
    const page = await world.sit(t, world.admin, `/agent/settings/teams/${team.id}`);
    await until(async () => await page.getByLabel('Name').inputValue() === 'Kept');
    await page.getByLabel('Name').fill('Kept and more');
    await page.locator('.settings-rows').getByText('not saved').waitFor();
    await page.getByRole('link', { name: 'deskd' }).click();
    await page.waitForURL(/views/);
    await page.goBack();
    await until(async () => await page.getByLabel('Name').inputValue() === 'Kept and more');
    assert.equal((await world.desk.admin.fetch(`/teams/${team.id}`)).title, 'Kept');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await until(async () => await page.getByLabel('Name').inputValue() === 'Kept');
    await page.locator('.settings-rows').getByText('not saved').waitFor({ state: 'detached' });
  });

  test('what is typed while an entry is saved stays unsaved, also if the entry is new', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/teams/new'), name = page.getByLabel('Name');
    const stored = async () => (await world.desk.admin.fetch(`/teams/${page.url().split('/').at(-1)}`)).title;
    let answered;
    await page.route(/\/api\/v1\/teams/, async (route) => {
      if (route.request().method() === 'GET') return route.fallback();
      const response = await route.fetch();
      await answered;
      return route.fulfill({ response });
    });
    /** Saves a name; another one is typed before the answer comes. */
    const saveAndType = async (saved, typed) => {
      const sent = page.waitForRequest((request) => request.method() !== 'GET' && request.url().includes('/api/v1/teams'));
      let answer;
      answered = new Promise((resolve) => { answer = resolve; });
      await name.fill(saved);
      await page.getByRole('button', { name: 'Save' }).click(); // save() waits for the answer
      await sent;
      await name.fill(typed);
      answer();
    };
    await saveAndType('Typed on', 'Typed on and on');
    await page.waitForURL(/\/teams\/\d+$/);
    await page.locator('.settings-rows').getByText('not saved').waitFor();
    await until(async () => await name.inputValue() === 'Typed on and on');
    assert.equal(await stored(), 'Typed on');
    await save(page);
    await until(async () => await stored() === 'Typed on and on');
    await page.locator('.settings-rows').getByText('not saved').waitFor({ state: 'detached' });
    await saveAndType('Once more', 'And again');
    await until(async () => await stored() === 'Once more');
    await page.locator('.settings-rows').getByText('Once more').waitFor();
    assert.equal(await name.inputValue(), 'And again');
    await page.locator('.settings-rows').getByText('not saved').waitFor();
  });

  test('of two admins in one form the second is told, and decides', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Both' }), path = `/agent/settings/teams/${team.id}`;
    const [one, two] = await Promise.all([world.sit(t, world.admin, path), world.sit(t, world.admin, path)]);
    for (const page of [one, two]) await until(async () => await page.getByLabel('Name').inputValue() === 'Both');
    await one.getByLabel('Name').fill('Of the first');
    await save(one);
    await strip(one, 'Saved');
    await two.getByLabel('Name').fill('Of the second');
    await save(two);
    await two.getByRole('alert').getByText('Somebody else has changed this entry meanwhile.').waitFor();
    await two.getByRole('alert').getByRole('link', { name: 'Name is now “Of the first”.' }).waitFor();
    assert.equal((await world.desk.admin.fetch(`/teams/${team.id}`)).title, 'Of the first');
    await save(two);
    await strip(two, 'Saved');
    assert.equal((await world.desk.admin.fetch(`/teams/${team.id}`)).title, 'Of the second');
    await one.getByLabel('Name').fill('Again of the first');
    await save(one);
    await one.getByRole('button', { name: 'Take it: Name' }).click();
    assert.equal(await one.getByLabel('Name').inputValue(), 'Of the second');
  });

  test('what another admin has changed elsewhere in the entry is kept, without a question about it', async (t) => {
    const person = await world.desk.person('agent', { full_name: 'Kim Noor' });
    const page = await world.sit(t, world.admin, `/agent/settings/people/${person.id}`);
    await until(async () => await page.getByLabel('Name').inputValue() === 'Kim Noor');
    await world.desk.owner.update(`/users/${person.id}`, { full_name: 'Kim Noor-Berg' });
    await page.getByLabel('Role').selectOption({ label: 'Collaborator' });
    await save(page);
    await page.getByRole('alert').getByText('Somebody else has changed this entry meanwhile.').waitFor();
    assert.equal(await page.getByRole('alert').getByRole('link').count(), 0);
    assert.equal(await page.getByLabel('Name').inputValue(), 'Kim Noor-Berg');
    await save(page);
    await strip(page, 'Saved');
    const now = await world.desk.admin.fetch(`/users/${person.id}`, { include: 'role' });
    assert.deepEqual([now.full_name, now.role.title], ['Kim Noor-Berg', 'Collaborator']);
  });

  test('a session that ends in a form costs nothing: after the login the entry is saved', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/teams/new');
    await page.getByLabel('Name').fill('After the login');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save' }).click(); // the reply comes after the login
    await page.getByRole('heading', { name: 'Log in again' }).waitFor();
    await logIn(page, world.admin);
    await entry(page, 'After the login').waitFor();
    assert.equal((await world.desk.admin.fetch('/teams', { limit: 100 })).filter(({ title }) => title === 'After the login').length, 1);
  });

  test('an entry that is deleted meanwhile, and one that never was, get words', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Short life' });
    const page = await world.sit(t, world.admin, `/agent/settings/teams/${team.id}`);
    await until(async () => await page.getByLabel('Name').inputValue() === 'Short life');
    await world.desk.admin.delete(`/teams/${team.id}`);
    await page.getByLabel('Name').fill('Too late');
    await save(page);
    await page.getByRole('alert').getByText('Somebody else has deleted this entry meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('This entry does not exist any more.').waitFor();
  });

  const chosen = (select) => select.evaluate((e) => e.selectedOptions[0].textContent);
  const remove = async (page) => {
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  };

  test('members join and leave a team at once, and each change is taken back', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Night' }), members = async () => (await world.desk.admin.fetch(`/teams/${team.id}/members`)).map(({ id }) => id);
    const page = await world.sit(t, world.admin, `/agent/settings/teams/${team.id}`);
    await page.getByText('Nobody is in the team.').waitFor();
    await page.getByRole('combobox', { name: 'Add a member' }).fill('mira');
    await page.getByRole('option', { name: 'Mira Olsen' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Mira Olsen' }).waitFor();
    await until(async () => (await members()).join() === String(world.second.id));
    await page.getByRole('link', { name: 'Night 1 member' }).waitFor();
    await page.getByRole('button', { name: 'Remove Mira Olsen' }).click();
    await page.getByText('Nobody is in the team.').waitFor();
    await until(async () => !(await members()).length);
    await page.locator('.strip').getByRole('button', { name: /Undo/ }).click();
    await page.getByRole('link', { name: 'Mira Olsen' }).waitFor();
    await until(async () => (await members()).join() === String(world.second.id));
    await page.getByLabel('Name').fill('Night and day');
    await world.desk.owner.delete(`/teams/${team.id}/members`, { agent_id: world.second.id });
    await save(page); // the team has another version, but its name is the same
    await strip(page, 'Saved');
    assert.equal((await world.desk.admin.fetch(`/teams/${team.id}`)).title, 'Night and day');
  });

  test('a tag is found by its beginning, with the conversations that have it', async (t) => {
    for (const n of [1, 2]) await world.desk.admin.update(`/cases/${await world.asked(`Gear ${n}`)}`, { tags: ['Gearbox', 'heavy duty'] });
    const page = await world.sit(t, world.first, '/agent/settings/tags');
    await page.getByText('A tag exists as soon as somebody gives it').waitFor();
    await page.getByRole('searchbox', { name: 'Find a tag' }).fill('nothing');
    await page.getByText('Nothing has this name.').waitFor();
    await page.getByRole('searchbox', { name: 'Find a tag' }).fill('duty');
    await page.getByRole('link', { name: 'heavy duty 2 conversations' }).click();
    await page.waitForURL(/\/search/);
    await page.getByRole('row').filter({ hasText: 'Gear 2' }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
  });

  test('a status is made, moved and deleted, and a built-in one stays', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/statuses/new');
    await page.getByLabel('Name').fill('Waiting for parts');
    await page.getByLabel('Service levels count the time').uncheck();
    await save(page);
    await page.waitForURL(/\/statuses\/\d+$/);
    const id = Number(page.url().split('/').at(-1)), now = () => world.desk.admin.fetch(`/cases/statuses/${id}`);
    assert.deepEqual([(await now()).label, (await now()).is_sla_active], ['Waiting for parts', false]);
    await page.getByRole('button', { name: 'Move Waiting for parts up' }).click();
    await until(async () => (await world.desk.admin.fetch('/cases/statuses')).at(-2).id === id);
    await remove(page);
    await strip(page, 'Deleted');
    await entry(page, 'Waiting for parts').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Open/ }).click();
    await page.getByRole('heading', { name: 'Open' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
  });

  test('a colleague is invited with role and teams, invited again, changed, and disabled; a used address is named', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Invited here' });
    const page = await world.sit(t, world.admin, '/agent/settings/people');
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Name').fill('Nora Berg');
    await page.getByLabel('E-mail address').fill(world.first.email);
    assert.equal((await page.getByLabel('Role').locator('option').allTextContents()).includes('Owner'), false);
    await page.getByLabel('Role').selectOption({ label: 'Collaborator' });
    await page.getByLabel('Invited here').check();
    await save(page);
    await page.getByRole('alert').getByRole('link').first().waitFor();
    assert.equal(await page.getByLabel('E-mail address').getAttribute('aria-invalid'), 'true');
    await page.getByLabel('E-mail address').fill('nora@people.example');
    await save(page);
    await page.waitForURL(/\/people\/\d+$/);
    const id = Number(page.url().split('/').at(-1)), person = () => world.desk.admin.fetch(`/users/${id}`, { include: 'role' });
    assert.deepEqual([(await person()).full_name, (await person()).role.title, (await person()).teams.map((one) => one.id)], ['Nora Berg', 'Collaborator', [team.id]]);
    await page.getByRole('link', { name: 'Nora Berg Collaborator · invited' }).waitFor();
    await page.getByRole('button', { name: 'Send a link again' }).click();
    await page.getByRole('status').filter({ hasText: /link/ }).waitFor();
    await page.getByLabel('Role').selectOption({ label: 'Agent' });
    await page.getByLabel('May log in').uncheck();
    await save(page);
    await page.getByRole('link', { name: 'Nora Berg Agent · may not log in' }).waitFor();
    assert.deepEqual([(await person()).role.title, (await person()).is_enabled], ['Agent', false]);
    await remove(page);
    await strip(page, 'Deleted');
    await page.getByRole('link', { name: /^Olive Owner/ }).click();
    await page.getByRole('heading', { name: 'Olive Owner' }).waitFor();
    await remove(page);
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: /./ }).waitFor();
  });

  test('a macro is made of what the desk has; one that refers to a deleted team says so', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Short-lived' });
    const page = await world.sit(t, world.admin, '/agent/settings/macros/new');
    await page.getByLabel('Title').fill('To the short-lived');
    await page.getByLabel('Text', { exact: true }).fill('Hello {{nobody}}');
    await page.getByLabel('Status').selectOption({ label: 'Pending' });
    await page.getByLabel('Assigned to').selectOption({ label: 'A team' });
    await save(page);
    await page.getByRole('alert').getByRole('link', { name: 'Team is missing.' }).waitFor();
    await page.getByLabel('Team').selectOption({ label: 'Short-lived' });
    await page.getByLabel('Tags that it adds').fill('parts');
    await page.keyboard.press('Enter');
    await save(page);
    await page.getByRole('alert').getByRole('link', { name: /Unknown value \{\{nobody\}\}/ }).waitFor();
    await page.getByLabel('Text', { exact: true }).fill('Hello {{requester.name}}');
    await save(page);
    await page.waitForURL(/\/macros\/\d+$/);
    const id = Number(page.url().split('/').at(-1)), macro = () => world.desk.admin.fetch(`/cases/macros/${id}`, { include: 'tag' });
    assert.deepEqual([(await macro()).status.id, (await macro()).assignee.team.id, (await macro()).add_tags.length, (await macro()).visibility.type], [3, team.id, 1, 'ALL']);
    await world.desk.admin.delete(`/teams/${team.id}`);
    await page.reload();
    await page.getByRole('link', { name: /To the short-lived.*Refers to something that is deleted/ }).waitFor();
    await page.getByText('What was chosen here is deleted. Choose another one.').waitFor();
    await page.getByRole('button', { name: 'Remove parts' }).click();
    await page.getByLabel('Assigned to').selectOption({ label: 'It stays' });
    await save(page);
    await strip(page, 'Saved');
    await page.getByText(/Refers to something/).waitFor({ state: 'detached' });
    assert.deepEqual([(await macro()).assignee.type, (await macro()).add_tags], [null, []]);
    await remove(page);
    await strip(page, 'Deleted');
  });

  test('an agent without the permission makes own macros, and is not asked who sees them', async (t) => {
    const role = await world.desk.owner.create('/roles', { title: 'Own macros', type: 'AGENT' });
    await world.desk.owner.update(`/roles/${role.id}/permissions`, { 'macros.manage': 0 });
    const agent = await world.desk.person('agent', { full_name: 'Otto Own', role_id: role.id });
    const page = await world.sit(t, agent, '/agent/settings/macros/new');
    await page.getByLabel('Title').fill('My own');
    assert.equal(await page.getByLabel('Who sees it').count(), 0);
    await save(page);
    await page.waitForURL(/\/macros\/\d+$/);
    assert.equal((await agent.client.get(`/cases/macros/${page.url().split('/').at(-1)}`)).must(200).data.visibility.type, 'PRIVATE');
    await remove(page);
    await strip(page, 'Deleted');
  });

  test('a view has conditions of the definitions, shows how many conversations it has before it is saved, and keeps its order', async (t) => {
    await world.asked('Fire in the engine');
    const organization = await world.desk.admin.create('/organizations', { name: 'Norsk Motor' });
    const page = await world.sit(t, world.admin, '/agent/settings/views/new');
    await page.getByLabel('Title').fill('Fires');
    await page.getByText('Without a condition the view has all conversations.').waitFor();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Field, condition 1.1').selectOption({ label: 'Subject' });
    await page.getByLabel('Comparison, condition 1.1').selectOption({ label: 'contains' });
    await save(page);
    await page.getByRole('alert').getByRole('link').first().waitFor();
    await page.getByLabel('Value, condition 1.1').fill('nowhere');
    await page.getByText('0 conversations now').waitFor();
    await page.getByRole('button', { name: 'or another one' }).click();
    await page.getByLabel('Comparison, condition 1.2').selectOption({ label: 'contains' });
    await page.getByLabel('Value, condition 1.2').fill('fire in');
    await page.getByText('1 conversation now').waitFor();
    await page.locator('.preview').getByText('Fire in the engine').waitFor();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Field, condition 2.1').selectOption({ label: 'Assigned agent' });
    await page.getByRole('combobox', { name: 'Value, condition 2.1' }).fill('unass');
    await page.getByRole('option', { name: '(unassigned)' }).click();
    await page.getByLabel('Field, condition 1.1').selectOption({ label: 'Organization' });
    await page.getByRole('combobox', { name: 'Value, condition 1.1' }).fill('norsk');
    await page.getByRole('option', { name: 'Norsk Motor' }).click();
    await page.getByLabel('Sorted by').selectOption({ label: 'Created' });
    await page.getByLabel('Direction').selectOption({ label: 'Smallest or oldest first' });
    await save(page);
    await page.waitForURL(/\/views\/\d+$/);
    const id = Number(page.url().split('/').at(-1)), view = () => world.desk.admin.fetch(`/views/${id}`);
    const made = await view();
    assert.deepEqual(made.predicate_collections.map(({ propositions }) => propositions.map(({ field, operator, value }) => [field, operator, value])), [
      [['users.organizationid', 'comparison_equalto', String(organization.id)], ['cases.subject', 'string_contains_insensitive', 'fire in']], [['cases.assigneeagentid', 'comparison_equalto', '0']]]);
    assert.deepEqual([made.order_by_column, made.order_by, made.visibility_type], ['createdat', 'ASC', 'ALL']);
    await page.getByRole('button', { name: 'Remove condition 1.1' }).click();
    await page.getByLabel('Who sees it').selectOption({ label: 'Only you' });
    await save(page);
    await strip(page, 'Saved');
    assert.deepEqual([(await view()).predicate_collections.length, (await view()).predicate_collections[0].propositions.length, (await view()).visibility_type], [2, 1, 'SELF']);
    await page.getByRole('link', { name: 'Fires Only you' }).waitFor();
    await page.reload();
    await page.getByRole('combobox', { name: 'Value, condition 2.1' }).waitFor();
    await until(async () => await page.getByRole('combobox', { name: 'Value, condition 2.1' }).inputValue() === '(unassigned)');
    await remove(page);
    await strip(page, 'Deleted');
  });

  test('by keyboard alone a view with a condition is made', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/views');
    await page.getByRole('heading', { name: 'Views', level: 1 }).waitFor();
    await page.keyboard.press('n');
    await hasFocus(page.getByLabel('Title'));
    await page.keyboard.type('By keys');
    await page.getByRole('button', { name: 'Add a condition' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await hasFocus(page.getByLabel('Field, condition 1.1'));
    await page.keyboard.type('Number of replies by s');
    await page.keyboard.press('Tab');
    await page.keyboard.type('is mo');
    await page.keyboard.press('Tab');
    await page.keyboard.type('3');
    await page.keyboard.press('Control+s');
    await page.waitForURL(/\/views\/\d+$/);
    const { predicate_collections: [{ propositions: [{ field, operator, value }] }] } = await world.desk.admin.fetch(`/views/${page.url().split('/').at(-1)}`);
    assert.deepEqual([field, operator, value], ['casemetrics.agentreplycount', 'comparison_greaterthan', '3']);
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/views$/);
  });

  test('an agent sees only the areas that the role may change', async (t) => {
    const page = await world.sit(t, world.first, '/agent/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Teams' }).count(), 0);
    await open(page, 'teams');
    await page.getByText('This area does not exist, or your role may not change it.').waitFor();
  });

  test('at each width, in both themes and both directions, axe-core reports nothing and nothing is outside', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Looks' });
    await world.desk.admin.create(`/teams/${team.id}/members`, { agent_ids: [world.first.id, world.second.id] }).catch(() => undefined);
    const subject = (value) => ({ field: 'cases.subject', operator: 'string_contains_insensitive', value });
    const view = await world.desk.admin.create('/views', { title: 'Looks', visibility_type: 'ALL', predicate_collections: [{ propositions: [subject('fire'), subject('water')] }, { propositions: [{ field: 'cases.casestatusid', operator: 'comparison_equalto', value: '1' }] }] });
    const page = await world.sit(t, world.admin, '/agent/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await examine(world, page, [
      ['settings', '/agent/settings', (p) => p.getByRole('link', { name: 'Teams' })],
      ['settings-teams', '/agent/settings/teams', (p) => p.getByRole('link', { name: 'Looks' })],
      ['settings-team', `/agent/settings/teams/${team.id}`, (p) => p.getByRole('button', { name: 'Save' })],
      ['settings-person', `/agent/settings/people/${world.second.id}`, (p) => p.getByRole('button', { name: 'Save' })],
      ['settings-tags', '/agent/settings/tags', (p) => p.getByRole('heading', { name: 'Tags' })],
      ['settings-macro', '/agent/settings/macros/new', (p) => p.getByRole('button', { name: 'Save' })],
      ['settings-view', `/agent/settings/views/${view.id}`, (p) => p.getByText('conversation', { exact: false }).and(p.locator('.preview b'))],
    ]);
    const { id: locale_id } = (await world.desk.admin.fetch('/locales', { limit: 100 })).find(({ locale }) => locale === 'ar');
    const far = await world.desk.person('admin', { full_name: 'ليلى حداد', locale_id });
    const other = await world.sit(t, far, '/agent/settings');
    await other.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    assert.equal(await other.evaluate(() => document.documentElement.dir), 'rtl');
    await examine(world, other, [
      ['settings-person', `/agent/settings/people/${world.second.id}`, (p) => p.getByRole('button', { name: 'حفظ' })],
      ['settings-view', `/agent/settings/views/${view.id}`, (p) => p.locator('.preview b')],
    ], { themes: ['light'], label: '-ar' });
  });
});

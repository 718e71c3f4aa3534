// The areas of settings of programs and records: endpoints with their deliveries, event addresses, OAuth programs and their access, the
// audit log, jobs, erasures, and all settings of the desk.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { before, describe, test } from 'node:test';
import { authorize } from '../api/lib/oauth.mjs';
import { png } from '../api/lib/picture.mjs';
import { consoleWorld, examine, hasFocus, save, shoot, strip, until } from './console.mjs';

/** A server that keeps what it is sent. */
const receiver = async (t) => {
  const got = [], server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => { body += part; }).on('end', () => { got.push({ headers: request.headers, body }); response.writeHead(got.length === 1 ? 500 : 204).end(); });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}/hook`, got };
};

describe('programs and records', () => {
  const world = consoleWorld();
  before(async () => {
    world.admin = await world.desk.person('admin', { full_name: 'Ada Lind' });
    await world.desk.owner.update('/settings', { values: { 'endpoints.allow_private_addresses': true } });
  });

  const open = (page, path) => page.goto(`${world.desk.base}/agent/settings/${path}`);
  const idOf = (page) => Number(page.url().split('/').at(-1));
  const alert = (page, text) => page.getByRole('alert').filter({ hasText: text }).first().waitFor();

  test('an endpoint is made by keys, its secret is shown once, a test shows its attempts and is sent again', async (t) => {
    const { url, got } = await receiver(t), page = await world.sit(t, world.admin, '/agent/settings/endpoints');
    await page.getByText('There are no endpoints.').waitFor();
    await page.keyboard.press('n');
    await hasFocus(page.getByLabel(/^Name/));
    await page.keyboard.type('Warehouse');
    await page.getByLabel('Address of the server').fill('warehouse');
    await page.keyboard.press('Control+s');
    await alert(page, 'The URL must begin with https:// or http://.');
    assert.equal(await page.getByLabel('Address of the server').getAttribute('aria-invalid'), 'true');
    await page.getByLabel('Address of the server').fill(url);
    await page.keyboard.press('Control+s');
    await page.waitForURL(/\/endpoints\/\d+$/);
    const id = idOf(page), path = `/endpoints/${id}`;
    const secret = await page.getByLabel('The secret of the signature').locator('textarea').inputValue();
    assert.ok(secret.length > 20);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('Nothing was sent yet. Send a test').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await until(() => got.length === 1);
    const line = page.locator('.records summary');
    await line.filter({ hasText: 'on its way · 1 attempt' }).waitFor();
    await line.press('Enter');
    const attempt = (text) => page.locator('.trial-text').filter({ hasText: text }).waitFor();
    await attempt('The server answered 500.');
    const [sent] = await world.desk.admin.fetch(`${path}/deliveries`);
    await page.getByText(sent.event_id).first().waitFor();
    assert.match(await page.getByRole('group', { name: 'Text' }).innerText(), /"case": null/);
    await page.getByLabel('State').selectOption({ label: 'failed' });
    await page.getByText('No delivery has this state.').waitFor();
    await world.desk.clock.forward(60);
    await until(async () => (await world.desk.admin.fetch(`${path}/deliveries`))[0].status === 'SENT'); // a list of those that are sent follows none
    assert.equal(got.length, 2);
    await page.getByLabel('State').selectOption({ label: 'sent' });
    await line.filter({ hasText: 'sent · 2 attempts' }).press('Enter');
    await attempt('The server answered 204.');
    await page.getByRole('button', { name: 'Send it again' }).scrollIntoViewIfNeeded();
    await shoot(page, 'program-deliveries');
    await page.getByRole('button', { name: 'Send it again' }).press('Enter');
    await until(() => got.length === 3);
    assert.deepEqual([got[2].body, got[2].headers['x-desk-event']], [got[0].body, sent.event_id]);
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByLabel('The former one signs, too').selectOption({ label: 'no longer' });
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByLabel('The secret of the signature').locator('textarea').waitFor();
    assert.notEqual(await page.getByLabel('The secret of the signature').locator('textarea').inputValue(), secret);
    await open(page, `endpoints/${id}`);
    await page.getByRole('heading', { name: 'Warehouse' }).waitFor();
    assert.equal(await page.getByLabel('The secret of the signature').count(), 0); // only once
    await page.getByLabel('The server asks for a login').check();
    await page.getByLabel('User name').fill('desk');
    await page.getByLabel('Password').fill('open sesame');
    await save(page);
    await strip(page, 'Saved');
    await page.getByLabel('In use').uncheck();
    await world.desk.admin.update(path, { title: 'Storehouse' });
    await save(page);
    await alert(page, 'Somebody else has changed this entry meanwhile.');
    await save(page);
    await until(async () => !(await world.desk.admin.fetch(path)).is_enabled); // the word of the former save may still be shown
    const endpoint = await world.desk.admin.fetch(path), attributes = Object.fromEntries(endpoint.attributes.map(({ name, value }) => [name, value]));
    assert.deepEqual([endpoint.title, endpoint.is_enabled, attributes.url, attributes.method, attributes.use_auth, attributes.auth_username], ['Storehouse', false, url, 'POST', true, 'desk']);
    await until(() => page.getByRole('button', { name: 'Send a test' }).isDisabled());
    await page.getByLabel(/^Name/).fill('Not saved');
    await page.getByRole('link', { name: 'Triggers' }).click();
    await page.getByRole('link', { name: /^Endpoints.*not saved/ }).click();
    await page.getByRole('link', { name: /^Storehouse.*not saved/ }).click();
    await page.waitForFunction(() => document.querySelector('.settings-form input')?.value === 'Not saved'); // navigation loses nothing
  });

  test('an address for events is made, reports an event, and is switched off', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/events');
    await page.getByText('There are no addresses for events.').waitFor();
    await page.keyboard.press('n');
    await hasFocus(page.getByLabel(/^Name/));
    await page.keyboard.type('Shop');
    await page.keyboard.press('Control+s');
    await page.waitForURL(/\/events\/\d+$/);
    const address = await page.getByRole('textbox', { name: 'The address' }).inputValue();
    assert.match(await page.getByRole('textbox', { name: 'An example' }).inputValue(), /order\.paid/);
    const report = () => fetch(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ event: 'order.paid', user: { email: 'clara@shop.example' } }) });
    assert.equal((await report()).status, 201);
    await open(page, `events/${idOf(page)}`);
    await page.locator('.settings-one').getByText('used now').waitFor();
    await page.getByLabel('In use').uncheck();
    await save(page);
    await strip(page, 'Saved');
    assert.equal((await report()).status, 404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await report()).status === 201);
    await page.locator('.settings-one input[type=file]').setInputFiles({ name: 'shop.png', mimeType: 'image/png', buffer: png(40, 40) });
    await until(() => page.getByRole('img', { name: 'Icon' }).evaluate((icon) => icon.naturalWidth > 0));
    await page.getByRole('button', { name: 'Remove the picture' }).click();
    await page.getByRole('img', { name: 'Icon' }).waitFor({ state: 'detached' });
    assert.equal((await world.desk.admin.fetch('/events/tokens'))[0].icon, null);
  });

  test('an OAuth program is made, its secret is renewed, and its access is withdrawn by an admin and by the person', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings/clients/new');
    await page.getByLabel(/^Name/).fill('Reports');
    await page.getByLabel('Redirect address').fill('ftp://app.example');
    await save(page);
    await page.getByRole('alert').getByRole('link').first().waitFor();
    await page.getByLabel('Redirect address').fill('https://app.example/callback');
    await page.getByLabel('People: read', { exact: true }).check();
    await save(page);
    await page.waitForURL(/\/clients\/\d+$/);
    const id = idOf(page), secret = () => page.getByRole('group', { name: 'Its client_secret' }).locator('textarea').inputValue(), first = await secret();
    const client = await world.desk.admin.fetch(`/oauth/clients/${id}`);
    assert.deepEqual([client.scopes.toSorted(), client.callback_url, first.length > 20], [['conversations:read', 'users:read'], 'https://app.example/callback', true]);
    await page.getByRole('button', { name: 'Make a new secret: Reports' }).click();
    await page.getByText('The old one ends at once').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }).click();
    await until(async () => await secret() !== first);
    const choose = page.getByLabel('Choose a picture');
    await choose.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await alert(page, /picture|JPEG|PNG/i);
    await choose.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png(40, 40) });
    const logo = page.getByRole('img', { name: 'Logo' });
    await logo.waitFor();
    await until(() => logo.evaluate((image) => image.naturalWidth > 0));
    await page.getByRole('button', { name: 'Remove the picture' }).press('Enter');
    await logo.waitFor({ state: 'detached' });
    await authorize(world.desk, client, world.second);
    await authorize(world.desk, client, world.first);
    await open(page, 'grants');
    await page.getByText('Reports for Mira Olsen').first().waitFor();
    await page.getByLabel('Person').selectOption({ label: 'Ben Adler' });
    await page.getByText('Reports for Mira Olsen').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Withdraw: Reports for Ben Adler' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await strip(page, 'The access is withdrawn');
    await page.getByText('Nobody has given a program access.').waitFor();
    assert.equal((await world.desk.admin.fetch('/oauth/grants')).length, 1);
    const own = await world.sit(t, world.second, '/agent/settings/programs');
    await own.getByRole('button', { name: 'Withdraw: Reports' }).press('Enter');
    await own.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).press('Enter');
    await own.getByText('You have given no program access.').waitFor();
    await authorize(world.desk, client, world.second);
  });

  test('the audit log is narrowed, shows what was there before, and is saved as CSV', async (t) => {
    await world.desk.owner.update('/settings', { values: { 'security.session_hours_staff': 9 } });
    const page = await world.sit(t, world.admin, '/agent/settings/audit'), lines = page.locator('.records summary');
    await lines.first().waitFor();
    await page.getByLabel(/^What/).selectOption({ label: 'changed a setting' });
    const line = lines.filter({ hasText: 'security.session_hours_staff' });
    await line.press('Enter');
    const cells = page.getByRole('row').filter({ hasText: 'security.session_hours_staff' });
    await cells.waitFor();
    assert.deepEqual(await cells.getByRole('cell').allInnerTexts(), ['8', '9']);
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as CSV' }).click()]);
    const text = readFileSync(await saved.path(), 'utf8');
    assert.match(text, /^"id","happened_at","action"/);
    assert.equal(text.trim().split('\n').length - 1, await lines.count());
    await page.getByLabel(/^Who/).selectOption({ label: 'Mira Olsen' });
    await page.getByText('No entry is like this.').waitFor();
    await page.getByLabel(/^Who/).selectOption({ label: 'All' });
    await lines.first().waitFor();
    await page.getByLabel('Until').fill('2020-01-01');
    await page.getByText('No entry is like this.').waitFor();
  });

  test('jobs show their progress and what they refused', async (t) => {
    const { id } = (await world.desk.admin.post('/bulk/teams', { teams: [{ title: 'Good' }, { title: '' }] }, { query: { partial_import: true } })).must(202).data;
    const page = await world.sit(t, world.admin, '/agent/settings/jobs');
    await page.getByLabel('Kind').selectOption({ label: 'Import' });
    await world.desk.job(world.desk.owner, id);
    const line = page.locator('.records summary').filter({ hasText: 'done · 2 of 2 · 1 was refused' });
    await line.waitFor();
    await line.press('Enter');
    await page.getByText('teams/1/title').waitFor();
    await page.getByLabel('State').selectOption({ label: 'failed' });
    await page.getByText('There are no such jobs.').waitFor();
  });

  test('a person is exported, and erased after a question that says what it touches; the receipt is saved', async (t) => {
    const gone = await world.desk.person('customer', { full_name: 'Gustav Gone' });
    await gone.client.create('/conversations', { subject: 'Forget me', contents: 'Please.' });
    const page = await world.sit(t, world.admin, '/agent/settings/erasures'), find = page.getByRole('combobox', { name: 'Name or e-mail address' });
    await page.getByText('Nobody was erased.').waitFor();
    await find.fill('gustav');
    await page.getByRole('option', { name: /Gustav Gone/ }).waitFor();
    await find.press('Enter');
    const facts = page.locator('.chosen-person .facts');
    await facts.waitFor();
    assert.match((await facts.innerText()).replace(/\s+/g, ' '), /^Conversations 1 Notes 0 Events 0 Addresses 1$/);
    const [zip] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the data' }).click()]);
    assert.equal(readFileSync(await zip.path()).subarray(0, 2).toString(), 'PK');
    await page.getByRole('button', { name: 'Erase the person: Gustav Gone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase “Gustav Gone”?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await world.desk.admin.fetch('/erasures')).length, 0);
    await page.getByRole('button', { name: 'Erase the person: Gustav Gone' }).click();
    await dialog.getByLabel('Also the texts').check();
    await dialog.getByRole('button', { name: 'Erase the person' }).click();
    const line = page.locator('.records summary').filter({ hasText: /Receipt \d+done · with texts/ });
    await until(async () => { await world.desk.clock.forward(2); return (await line.count()) === 1; });
    await line.press('Enter');
    await page.getByText('PROFILE', { exact: true }).waitFor();
    const [receipt] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the receipt' }).click()]);
    const kept = JSON.parse(readFileSync(await receipt.path(), 'utf8'));
    assert.deepEqual([kept.user.id, kept.status, kept.with_contents], [gone.id, 'COMPLETED', true]);
    await find.fill('olga');
    const owner = await world.desk.owner.fetch('/profile');
    await find.fill(`#${owner.id}`);
    await page.getByRole('option', { name: `#${owner.id}` }).waitFor();
    await find.press('Enter');
    await page.getByRole('button', { name: `Erase the person: #${owner.id}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase the person' }).click();
    await alert(page, /./); // an admin erases no owner
    assert.equal((await world.desk.admin.fetch('/erasures')).length, 1);
  });

  test('all settings are found, changed, taken back and reset; dangerous ones ask first, and only owners change theirs', async (t) => {
    const values = async () => Object.fromEntries((await world.desk.owner.fetch('/settings')).map(({ category, name, value }) => [`${category}.${name}`, value])), all = await values();
    const page = await world.sit(t, world.admin, '/agent/settings/everything'), find = page.getByRole('searchbox', { name: 'Find a setting' });
    await page.getByText(`${Object.keys(all).length} settings`).waitFor();
    await find.fill('no such words');
    await page.getByText('No setting has these words.').waitFor();
    await find.fill('history');
    const history = page.getByLabel(/^Password history/);
    await history.fill('99');
    await history.press('Enter');
    const dialog = page.getByRole('dialog'), change = dialog.getByRole('button', { name: 'Change it' });
    await dialog.getByText('Now: 0. Then: 99.').waitFor();
    await change.click();
    await alert(page, 'must be a number from 0 to 24');
    await history.fill('3');
    await world.desk.owner.update('/settings', { values: { 'security.password_history': 2 } });
    await page.getByRole('button', { name: 'Save: Password history' }).click();
    await change.click();
    await alert(page, 'is now “2”');
    assert.equal((await values())['security.password_history'], '2');
    await page.getByRole('button', { name: 'Save: Password history' }).click();
    await change.click();
    await until(async () => (await values())['security.password_history'] === '3');
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await values())['security.password_history'] === '2');
    await strip(page, 'Undone');
    await page.getByRole('button', { name: 'Back to the default: Password history' }).click();
    await change.click();
    await until(async () => (await values())['security.password_history'] === '0');
    await find.fill('cases.priority_visible');
    await page.getByRole('checkbox', { name: /^Priority visible/ }).check();
    await page.getByRole('link', { name: 'Triggers' }).click();
    await page.getByRole('link', { name: /^All settings of the desk.*not saved/ }).click();
    await find.fill('cases.priority_visible');
    await page.getByRole('button', { name: /^Save: Priority visible/ }).click();
    await until(async () => (await values())['cases.priority_visible_to_customers'] === '1');
    await page.getByLabel('Only those that differ').check();
    await page.getByText('1 setting', { exact: true }).waitFor();
    await find.fill('smtp_host');
    await page.getByLabel('Only those that differ').uncheck();
    await page.getByText('Only owners may change it.').waitFor();
    assert.equal(await page.getByLabel(/^Smtp host/).isDisabled(), true);
    const owner = await world.sit(t, await world.desk.person('owner', { full_name: 'Olga Own' }), '/agent/settings/everything');
    await owner.getByRole('searchbox', { name: 'Find a setting' }).fill('smtp_security');
    await owner.getByLabel(/^Smtp security/).selectOption('TLS');
    await owner.getByRole('button', { name: 'Save: Smtp security' }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Change it' }).click();
    await until(async () => (await values())['mail.smtp_security'] === 'TLS');
  });

  test('at each width, in both themes and both directions, axe-core reports nothing and nothing is outside', async (t) => {
    const page = await world.sit(t, world.admin, '/agent/settings');
    const [[endpoint], [token], [client]] = await Promise.all(['/endpoints', '/events/tokens', '/oauth/clients'].map((path) => world.desk.admin.fetch(path)));
    const screens = [
      ['program-endpoint', `/agent/settings/endpoints/${endpoint.id}`, (p) => p.locator('.records')],
      ['program-event', `/agent/settings/events/${token.id}`, (p) => p.locator('.copied')],
      ['program-client', `/agent/settings/clients/${client.id}`, (p) => p.locator('.plain-rows li')],
      ['program-grants', '/agent/settings/grants', (p) => p.locator('.plain-rows li')],
      ['program-audit', '/agent/settings/audit', (p) => p.locator('.records li')],
      ['program-jobs', '/agent/settings/jobs', (p) => p.locator('.records li')],
      ['program-everything', '/agent/settings/everything', (p) => p.locator('.setting')],
      ['program-erasures', '/agent/settings/erasures', (p) => p.locator('.records li')],
    ];
    await page.getByRole('link', { name: 'Endpoints' }).waitFor();
    await examine(world, page, screens, { themes: ['light'], sizes: [[360, 740]] });
    await examine(world, page, screens.slice(-3), { themes: ['dark'], sizes: [[1280, 800]] });
    const { id: locale_id } = (await world.desk.admin.fetch('/locales', { limit: 100 })).find(({ locale }) => locale === 'ar');
    const other = await world.sit(t, await world.desk.person('admin', { full_name: 'ليلى حداد', locale_id }), '/agent/settings');
    await other.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    await examine(world, other, screens, { themes: ['light'], sizes: [[1280, 800]], label: '-ar' });
  });
});

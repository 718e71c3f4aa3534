// The settings of a person and of the mail and the look of a desk.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PASSWORD, SHOTS, consoleWorld, examine, save, strip, until } from './console.mjs';
import { png } from '../api/lib/picture.mjs';
import { totp } from '../api/lib/totp.mjs';

const NEW = 'another one of mine';
const heading = (name) => (page) => page.getByRole('heading', { name, exact: true });
const saved = (page) => strip(page, /^Saved/);

describe('the own settings', () => {
  const world = consoleWorld();

  test('the profile is changed, and the console follows: name, language, signature, addresses', async (t) => {
    const person = await world.desk.person('agent', { full_name: 'Nora Wahl' });
    const page = await world.sit(t, person, '/agent/settings/profile');
    await page.getByLabel('Your name').fill('');
    await save(page);
    await page.getByRole('alert').getByText('Your name is missing.').first().waitFor();
    await page.getByLabel('Your name').fill('Nora Wahl-Berg');
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByRole('textbox', { name: 'Signature' }).fill('Nora\nSupport');
    await save(page);
    await saved(page);
    const profile = await person.client.fetch('/profile');
    assert.deepEqual([profile.full_name, profile.time_zone, profile.signature], ['Nora Wahl-Berg', 'Asia/Tokyo', 'Nora\nSupport']);
    await page.getByLabel('Another address').fill('not one');
    await page.getByRole('region', { name: 'E-mail addresses' }).getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: /address/ }).waitFor();
    await page.getByLabel('Another address').fill('nora@elsewhere.example');
    await page.getByRole('region', { name: 'E-mail addresses' }).getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('nora@elsewhere.example', { exact: true }).waitFor();
    await page.getByText('not verified').waitFor();
    await page.getByLabel('Language').selectOption({ label: 'Deutsch' });
    await save(page);
    await page.getByRole('heading', { name: 'Über Sie' }).waitFor();
  });

  test('a picture is set and removed, and a file that is none is refused in words', async (t) => {
    const page = await world.sit(t, world.first, '/agent/settings/profile');
    const before = await page.getByAltText('Your picture').getAttribute('src');
    await page.getByLabel('Choose a picture').setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await page.locator('.picture [role=alert]').filter({ hasText: /./ }).waitFor();
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    await page.getByLabel('Choose a picture').setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: png });
    await until(async () => await page.getByAltText('Your picture').getAttribute('src') !== before);
  });

  test('the password is changed, with the former one as a proof', async (t) => {
    const person = await world.desk.person('agent');
    const page = await world.sit(t, person, '/agent/settings/security');
    assert.equal(await page.getByLabel('Your password now').getAttribute('type'), 'password');
    await page.getByLabel('Your password now').fill('not it');
    await page.getByLabel('New password').fill('short');
    await save(page, 'Change the password');
    await page.getByRole('alert').getByText('This is not the current password.').first().waitFor();
    await page.getByRole('alert').getByText('At least 8 characters are needed.').first().waitFor();
    await page.getByLabel('Your password now').fill(PASSWORD);
    await page.getByLabel('New password').fill(NEW);
    await save(page, 'Change the password');
    await saved(page);
    await until(async () => await page.getByLabel('New password').inputValue() === '');
    assert.equal((await world.desk.login(person.email, NEW).get('/me')).status, 200);
  });

  test('the second step is turned on by a code, its recovery codes are shown once, and it is turned off', async (t) => {
    const person = await world.desk.person('agent');
    const page = await world.sit(t, person, '/agent/settings/security');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByAltText('QR code for the authenticator app').waitFor();
    assert.ok(await page.getByAltText('QR code for the authenticator app').evaluate((e) => e.decode().then(() => e.naturalWidth > 0)));
    const secret = (await page.locator('.secret').textContent()).replaceAll(' ', '');
    await page.getByLabel('Code of the app').fill('000000');
    await save(page, 'Turn on');
    await page.getByRole('alert').filter({ hasText: 'not the current code' }).waitFor();
    await page.getByLabel('Code of the app').fill(totp(secret, world.desk.clock.now));
    await save(page, 'Turn on');
    const codes = (await page.getByLabel('Recovery codes', { exact: true }).locator('textarea').inputValue()).split('\n');
    assert.ok(codes.length >= 8, String(codes));
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('The second step is on.').waitFor();
    assert.equal((await person.client.get('/profile')).status, 403);
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByLabel('Code of the app, or a recovery code').fill(codes[0]);
    await save(page, 'Turn off');
    await page.getByRole('button', { name: 'Set up' }).waitFor();
    assert.equal((await person.client.get('/profile')).status, 200);
  });

  test('a token is made with scopes and an end, shown once, and revoked after a question', async (t) => {
    const page = await world.sit(t, world.second, '/agent/settings/tokens');
    await save(page, 'Make the token');
    await page.getByRole('alert').getByText('Purpose is missing.').first().waitFor();
    await page.getByLabel('Purpose').fill('Weekly report');
    await page.getByLabel('People: read', { exact: true }).check();
    await save(page, 'Make the token');
    const text = await page.getByLabel('Your new token', { exact: true }).locator('textarea').inputValue();
    const bearer = () => world.desk.anyone.exchange('GET', '/api/v1/users', { headers: { authorization: `Bearer ${text}` } });
    assert.equal((await bearer()).status, 200);
    const [row] = await world.second.client.fetch('/profile/api_tokens');
    assert.deepEqual(row.scopes, ['users:read', 'conversations:read']);
    assert.equal(Math.round((Date.parse(row.expires_at) - world.desk.clock.now) / 86_400_000) > 0, true);
    await page.reload();
    await page.getByText('Weekly report').waitFor();
    assert.equal(await page.getByText(text).count(), 0);
    await page.getByRole('button', { name: 'Revoke: Weekly report' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The token is revoked.').waitFor();
    assert.equal((await bearer()).status, 401);
  });

  test('notifications are chosen one by one, and the choice is taken back by z', async (t) => {
    const page = await world.sit(t, world.second, '/agent/settings/notices');
    const box = page.getByLabel('A customer replies to you: By mail');
    const of = async () => (await world.second.client.fetch('/notification_preferences/reply_on_case')).email;
    await box.uncheck();
    await saved(page);
    assert.equal(await of(), false);
    await page.keyboard.press('z');
    await page.getByText('Undone').waitFor();
    await until(async () => await of() && await box.isChecked());
  });

  test('theme, density, keys and what follows a close are of the browser', async (t) => {
    const page = await world.sit(t, world.second, '/agent/settings/work');
    await page.getByRole('radio', { name: 'Dark' }).check();
    await page.getByRole('radio', { name: 'Compact' }).check();
    await page.getByLabel('go back to the list').check();
    await page.getByRole('radio', { name: 'off' }).check();
    await page.reload();
    assert.deepEqual(await page.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.dataset.density]), ['dark', 'compact']);
    assert.ok(await page.getByLabel('go back to the list').isChecked());
    await page.getByRole('heading', { name: 'Look and keys' }).focus();
    await page.keyboard.press('c');
    await page.waitForTimeout(100);
    assert.match(page.url(), /settings\/work/);
  });

  test('a brand shows its colour before it is saved, with its contrast', async (t) => {
    const page = await world.sit(t, world.desk.people.owner, '/agent/settings/brands/1');
    await page.getByLabel('Colour', { exact: true }).fill('blue');
    await save(page);
    await page.getByRole('alert').getByText('A colour like #0b4fc4 is expected.').first().waitFor();
    await page.getByLabel('Colour', { exact: true }).fill('#ffcc00');
    await page.getByText('so the pages show them in a stronger shade').waitFor();
    await until(async () => await page.locator('.brand-head').evaluate((e) => getComputedStyle(e).backgroundColor) === 'rgb(255, 204, 0)');
    await save(page);
    await saved(page);
    assert.equal((await world.desk.owner.fetch('/brands/1')).color, '#ffcc00');
    await page.getByLabel('Look').selectOption('PAPER');
    await save(page);
    await until(async () => (await world.desk.owner.fetch('/brands/1')).theme === 'PAPER');
  });

  test('a brand gets a logo and a picture of the home page, which are shown and removed', async (t) => {
    const page = await world.sit(t, world.desk.people.owner, '/agent/settings/brands/1'), brand = () => world.desk.owner.fetch('/brands/1');
    const part = (title) => page.getByRole('region', { name: title, exact: true }), choose = (title, bytes) => part(title).locator('input').setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: bytes });
    await choose('Picture of the home page', png(300, 200));
    await part('Picture of the home page').getByRole('alert').getByText('at least 640 pixels').waitFor();
    for (const [title, member, size] of [['Logo', 'logo', [80, 40]], ['Picture of the home page', 'picture', [900, 300]]]) {
      await choose(title, png(...size));
      await until(() => part(title).getByRole('img').evaluate((image) => image.naturalWidth > 0));
      assert.match((await brand())[member], /^http/);
      await part(title).getByRole('button', { name: 'Remove the picture' }).press('Enter');
      await part(title).getByRole('img').waitFor({ state: 'detached' });
      await until(async () => (await brand())[member] === null);
    }
  });

  test('the relay is set, and the test of a mailbox says each step in words', async (t) => {
    const page = await world.sit(t, world.desk.people.owner, '/agent/settings/relay');
    await page.getByLabel('Mail server (SMTP)').fill('127.0.0.1');
    await page.getByLabel('Address of the desk').fill('no address');
    await page.getByLabel('Port').fill('1');
    await save(page);
    await page.getByRole('alert').getByText(/must be an e-mail address/).first().waitFor();
    await page.getByLabel('Address of the desk').fill('desk@example.com');
    await page.getByLabel('Encryption').selectOption('NONE');
    await save(page);
    await saved(page);
    await page.getByRole('link', { name: 'Mailboxes' }).click();
    await page.getByRole('link', { name: /desk@example\.com/ }).click();
    await page.getByRole('button', { name: 'Test the mailbox' }).click();
    await page.getByText('Something does not work yet.').waitFor();
    await page.getByText('Connection to the mail server').waitFor();
  });

  test('an agent sees the own areas, and none of the desk', async (t) => {
    const page = await world.sit(t, world.first, '/agent/settings');
    await page.getByRole('link', { name: 'Profile' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Outgoing mail' }).count(), 0);
    await page.goto(`${world.desk.base}/agent/settings/relay`);
    await page.getByText('This area does not exist').waitFor();
  });

  test('each area is shown well at each width, in both themes', async (t) => {
    const page = await world.sit(t, world.desk.people.owner, '/agent/settings');
    await examine(world, page, [
      ['own-profile', '/agent/settings/profile', heading('About you')], ['own-security', '/agent/settings/security', heading('This session')],
      ['own-notices', '/agent/settings/notices', (p) => p.locator('.grid-table')], ['own-work', '/agent/settings/work', heading('Look and keys')],
      ['own-tokens', '/agent/settings/tokens', heading('New token')], ['own-brand', '/agent/settings/brands/1', (p) => p.locator('.brand-preview')],
      ['own-mailbox', '/agent/settings/mailboxes/1', heading('Test')], ['own-relay', '/agent/settings/relay', (p) => p.getByLabel('Mail server (SMTP)')],
    ], SHOTS ? {} : { sizes: [[360, 740], [768, 1024], [1280, 800]] });
  });
});

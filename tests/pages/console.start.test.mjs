// How a person comes into the console: the login with all its steps, links in mails, the first page of a desk.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { PASSWORD, audit, consoleWorld, examine, launch, outside, shoot, until } from './console.mjs';
import { relayFor } from '../api/lib/index.mjs';
import { totp } from '../api/lib/totp.mjs';

const NEW = 'another one of mine';

describe('the login of the console', () => {
  const ends = [], world = consoleWorld();
  after(async () => { for (const end of ends) await end(); });
  const mails = async () => world.mails ??= await relayFor({ after: (end) => ends.push(end) }, world.desk);
  const type = async (page, email, password = PASSWORD) => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
  };
  const isIn = (page) => page.locator('.bar').waitFor();
  const problem = (page, text) => page.getByRole('alert').filter({ hasText: text }).waitFor();

  test('a wrong password is refused in words, and the focus is on them', async (t) => {
    const page = await world.sit(t, null, '/agent/notifications');
    await type(page, world.first.email, 'not it');
    await problem(page, 'The address or the password is wrong.');
    await until(async () => await page.evaluate(() => document.activeElement.getAttribute('role')) === 'alert');
    await type(page, world.first.email);
    await page.getByRole('heading', { name: 'Notifications' }).waitFor(); // the address asked for
  });

  test('the address of the login leads to the inbox afterwards', async (t) => {
    const page = await world.sit(t, null, '/agent/login');
    await type(page, world.first.email);
    await isIn(page);
    await until(() => page.url().includes('/agent/views/'));
  });

  test('the second step takes a code, refuses a wrong one, and takes a recovery code', async (t) => {
    const person = await world.desk.person('agent');
    const { secret } = await person.client.fetch('/profile/twofactor');
    const { recovery_codes: codes } = await person.client.create('/profile/twofactor', { code: totp(secret, world.desk.clock.now) });
    const page = await world.sit(t, null);
    await type(page, person.email);
    await page.getByRole('heading', { name: 'Second step' }).waitFor();
    await page.getByLabel('Code of your authenticator').fill('000000');
    await page.keyboard.press('Enter');
    await problem(page, 'This code does not work.');
    await world.desk.clock.forward(60);
    await page.getByLabel('Code of your authenticator').fill(totp(secret, world.desk.clock.now));
    await page.keyboard.press('Enter');
    await isIn(page);

    const other = await world.sit(t, null);
    await type(other, person.email);
    await other.getByRole('button', { name: 'Use a recovery code' }).click();
    await other.getByLabel('Recovery code').fill(codes[0]);
    await other.keyboard.press('Enter');
    await isIn(other);
  });

  test('ten wrong passwords lock the account, and the page says for how long', async (t) => {
    const person = await world.desk.person('agent');
    for (let i = 0; i < 10; i++) await world.desk.anyone.exchange('GET', '/api/v1/session', { headers: { authorization: `Basic ${btoa(`${person.email}:no`)}` } });
    const page = await world.sit(t, null);
    await type(page, person.email);
    await problem(page, 'Too many attempts failed. Try again in 10 minutes');
  });

  test('a forgotten password: the mail leads to a page, and the page to the login', async (t) => {
    const person = await world.desk.person('agent'), to = await mails();
    const page = await world.sit(t, null);
    await page.getByRole('button', { name: 'Forgotten password' }).click();
    await page.getByLabel('E-mail address').fill(person.email);
    await page.keyboard.press('Enter');
    await page.getByText(`If ${person.email} has an account, a link is on its way.`).waitFor();
    await page.goto((await to.find(person.email, /Reset/)).link);
    await page.getByRole('textbox', { name: 'New password' }).fill(NEW);
    await page.keyboard.press('Enter');
    await page.getByText('Your password is set. Log in with it.').waitFor();
    await type(page, person.email, NEW);
    await isIn(page);
  });

  test('a customer is told that the console is for staff, and can log out', async (t) => {
    const page = await world.sit(t, null);
    await type(page, world.clara.email);
    await page.getByText('The console is for staff.').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  test('the first page of a desk leads everybody on', async (t) => {
    const page = await world.sit(t, null, '/');
    await page.getByText('This is our help desk.').waitFor();
    await page.getByRole('link', { name: 'console', exact: true }).click();
    await type(page, world.first.email);
    await isIn(page);
    await page.goto(`${world.desk.base}/`);
    await isIn(page);
    await page.goto(`${world.desk.base}/helpcenter`);
    await page.getByRole('link', { name: 'console', exact: true }).click();
    await isIn(page);
  });

  test('each step is shown well at each width, in both themes and right to left', async (t) => {
    const person = await world.desk.person('agent');
    await person.client.create('/profile/twofactor', { code: totp((await person.client.fetch('/profile/twofactor')).secret, world.desk.clock.now) });
    for (const [locale, login, forgotten] of [['en', /^Log in$/, 'Forgotten password'], ['ar', /./, 'نسيت كلمة المرور']]) {
      const page = await world.sit(t, null, '/agent', { locale });
      await examine(world, page, [[`login-${locale}`, '/agent', (p) => p.getByRole('heading', { name: login })]]);
      await page.getByRole('button', { name: forgotten }).click();
      await shoot(page, `console-forgotten-${locale}`);
      assert.deepEqual(await audit(page), []);
      await page.reload();
      await page.locator('[name=email]').fill(person.email);
      await page.locator('[name=password]').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.locator('[name=code]').fill('000000');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await shoot(page, `console-code-${locale}`);
      assert.deepEqual([await audit(page), await outside(page)], [[], []]);
    }
  });

  test('an expired password is replaced in the login, by its rules', async (t) => {
    const person = await world.desk.person('agent');
    await world.desk.owner.update('/settings', { values: { 'security.password_days_staff': '1' } });
    await world.desk.clock.forward(25 * 3600);
    const page = await world.sit(t, null);
    await type(page, person.email);
    await page.getByRole('textbox', { name: 'New password' }).fill('abc');
    await page.keyboard.press('Enter');
    await problem(page, 'At least 8 characters are needed.');
    for (const [theme, width, height] of [['light', 360, 740], ['dark', 1280, 800]]) {
      await page.setViewportSize({ width, height });
      await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
      await shoot(page, `console-expired-${theme}-${width}`);
      assert.deepEqual([await audit(page), await outside(page)], [[], []]);
    }
    await page.getByRole('textbox', { name: 'New password' }).fill(NEW);
    await page.keyboard.press('Enter');
    await isIn(page);
  });
});

// The buttons of providers (OpenID Connect) on the console's and the customers' login pages.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { provided } from '../api/lib/provider.mjs';
import { SIZES, audit, consoleWorld, outside, paint, shoot } from './console.mjs';

const PROVIDER = /^http:\/\/127\.0\.0\.1:\d+\/(authorize|logout)\?/;

describe('a button of a provider', () => {
  const world = consoleWorld();
  let idp;
  const opened = async (t) => {
    const { desk } = world;
    if (!idp) ({ idp } = await provided(null, desk, { email_domains: null, is_for_customers: true, button_label: 'Log in with Example <b>' }));
    return idp;
  };
  const claims = (person) => ({ sub: `s${person.id}`, email: person.email, email_verified: true });

  test('is not there without a provider, and the password works', async (t) => {
    const page = await world.sit(t, undefined, '/agent');
    await page.locator('#login-title').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await page.locator('a.way').count(), 0);
    await world.sit(t, world.first);
  });

  test('logs staff in by the keyboard, back to the page they asked for, and out at the provider, too', async (t) => {
    (await opened(t)).person = claims(world.first);
    const page = await world.sit(t, undefined, '/agent/people?x=1', { foreign: PROVIDER });
    const button = page.getByRole('link', { name: 'Log in with Example <b>' });
    await button.waitFor();
    await page.getByLabel('Password').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    assert.ok(await button.evaluate((e) => e === document.activeElement), 'it follows the button of the password');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.href.startsWith(`${world.desk.base}/agent/people`));
    await page.locator('details.menu summary', { hasText: 'Ben Adler' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(`${world.desk.base}/signin/out`);
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
  });

  test('is readable at each width and in each theme', async (t) => {
    await opened(t);
    const page = await world.sit(t, undefined, '/agent');
    await page.locator('a.way').waitFor();
    for (const theme of ['light', 'dark'])
      for (const [width, height] of SIZES.slice(0, 3)) {
        await page.setViewportSize({ width, height });
        await paint(page, theme);
        await page.locator('a.way').waitFor();
        await shoot(page, `signin-${theme}-${width}`);
        assert.deepEqual(await outside(page), []);
        assert.deepEqual(await audit(page), []);
      }
  });

  test('logs customers in on their own page', async (t) => {
    (await opened(t)).person = claims(world.clara);
    const page = await world.sit(t, undefined, '/helpcenter/en-us/login?to=/contact', { foreign: PROVIDER });
    assert.deepEqual(await audit(page), []);
    await shoot(page, 'signin-customers');
    const way = page.getByRole('link', { name: 'Log in with Example <b>' }), widthOf = async (one) => Math.round((await one.boundingBox()).width);
    assert.equal(await widthOf(way), await widthOf(page.locator('form.acts')), 'the button is as wide as the form');
    await way.click();
    await page.waitForURL(`${world.desk.base}/helpcenter/en-us/contact`);
    await page.getByRole('button', { name: 'Log out' }).first().waitFor();
    await page.goto(`${world.desk.base}/helpcenter/en-us/login`);
    await page.waitForURL(`${world.desk.base}/helpcenter/en-us/conversations`);
  });

  test('logs customers out at the provider, too, and back to their own login page', async (t) => {
    (await opened(t)).person = claims(world.clara);
    const before = idp.asked('/logout'), page = await world.sit(t, undefined, '/helpcenter/en-us/login', { foreign: PROVIDER });
    await page.getByRole('link', { name: 'Log in with Example <b>' }).click();
    await page.waitForURL(`${world.desk.base}/helpcenter/en-us/conversations`);
    await page.getByRole('button', { name: 'Log out' }).first().click();
    await page.waitForURL((url) => url.href.startsWith(`${world.desk.base}/signin/out?`));
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    assert.equal(idp.asked('/logout'), before + 1);
    assert.deepEqual(await audit(page), []);
    await page.getByRole('link', { name: 'Log in again' }).click();
    await page.waitForURL(`${world.desk.base}/helpcenter/en-us/login`);
    await page.getByLabel('Password').waitFor();
  });

  test('a refusal of a customer is in the language of the page to return to', async (t) => {
    (await opened(t)).person = { ...claims(world.clara), sub: 'nobody', email: 'nobody@example.com', email_verified: false };
    const page = await world.sit(t, undefined, '/helpcenter/ar/login', { foreign: PROVIDER });
    await page.getByRole('link', { name: 'Log in with Example <b>' }).click();
    await page.getByRole('heading', { name: 'لم يتم التحقق من عنوان بريدك' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('dir'), 'rtl');
    await shoot(page, 'signin-refused-ar');
    assert.deepEqual(await audit(page), []);
  });

  test('stays after a wrong password of a customer', async (t) => {
    await opened(t);
    const page = await world.sit(t, undefined, '/helpcenter/en-us/login', { expected: /401/ });
    await page.getByLabel('E-mail').fill('x@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByRole('link', { name: 'Log in with Example <b>' }).waitFor();
  });
});

// Passkeys in the console, by the virtual authenticator of Chromium: added, used alone, over the page and as second step, cancelled, removed.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { PASSWORD, audit, consoleWorld, launch, outside, shoot, strip, until } from './console.mjs';
import { totp } from '../api/lib/totp.mjs';

describe('passkeys', () => {
  const world = consoleWorld({ base: 'http://localhost' });
  /* Browsers know no passkeys of addresses. The port of the daemon is known when it runs, so the browser finds it by the name without a port. */
  before(async () => {
    await world.browser.close();
    world.browser = await launch([`--host-resolver-rules=MAP localhost 127.0.0.1:${world.desk.daemons[0].port}`]);
  });
  /** A new authenticator with a finger that always fits. Its passkeys can be given to the one of another page. */
  const device = async (page, credentials = []) => {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } });
    for (const credential of credentials) await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    return { credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials };
  };
  const part = (page) => page.getByRole('region', { name: 'Passkeys' });
  const passkeys = (person) => person.client.fetch('/profile/passkeys');
  const use = (page) => page.getByRole('button', { name: 'Use a passkey' });
  const isIn = (page) => page.locator('.bar').waitFor();
  const logOut = async (page) => {
    await page.getByRole('button', { name: 'Log out here' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  };
  /** Adds a passkey by the keyboard. */
  const add = async (page, person, name, proof = PASSWORD) => {
    const before = (await passkeys(person)).length;
    const button = part(page).getByRole('button', { name: 'Add a passkey' });
    await until(() => button.isEnabled()); // the page knows whether a code is asked for
    await button.press('Enter');
    await page.waitForFunction(() => document.activeElement?.maxLength === 80);
    await page.keyboard.type(name);
    await page.keyboard.press('Tab');
    await page.keyboard.type(proof);
    await page.keyboard.press('Enter');
    await part(page).getByText(name, { exact: true }).waitFor();
    await until(async () => (await passkeys(person)).length === before + 1);
  };

  test('one is added by the keyboard, opens the console, and opens it again over the page when the session has ended', async (t) => {
    const page = await world.sit(t, world.first, '/agent/settings/security');
    const key = await device(page);
    await part(page).getByText('You have no passkeys.').waitFor();
    await part(page).getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name of the passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Go on in the browser' }).click();
    await page.getByRole('alert').filter({ hasText: 'Type your password, or a code.' }).waitFor();
    await shoot(page, 'passkeys-add');
    assert.deepEqual([await audit(page), await outside(page)], [[], []]);
    await part(page).getByRole('button', { name: 'Cancel' }).click();
    await add(page, world.first, 'Laptop');
    await strip(page, 'The passkey is added');
    assert.equal((await key.credentials()).length, 1);
    await part(page).getByText('Not used yet').waitFor();
    for (const [width, height] of [[360, 740], [1280, 800]]) {
      await page.setViewportSize({ width, height });
      await shoot(page, `passkeys-${width}`);
      assert.deepEqual([await audit(page), await outside(page)], [[], []]);
    }
    await logOut(page);
    await use(page).press('Enter');
    await isIn(page);
    await page.goto(`${world.desk.base}/agent/settings/security`);
    await part(page).getByText(/^Last used: /).waitFor();
    await part(page).getByRole('button', { name: 'Rename: Laptop' }).click();
    await page.getByLabel('Name of the passkey').fill('Old laptop');
    await page.context().clearCookies();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Log in again' }).waitFor();
    await shoot(page, 'passkeys-again');
    await use(page).click();
    await page.locator('#login-title').waitFor({ state: 'detached' });
    await part(page).getByText('Old laptop', { exact: true }).waitFor();
    await until(async () => (await passkeys(world.first))[0].name === 'Old laptop');
  });

  test('one is the second step, a cancelled one is not, and a code still is', async (t) => {
    const { desk } = world, person = await desk.person('agent'), { client } = await desk.session(person.client), { secret } = await client.fetch('/profile/twofactor');
    await client.create('/profile/twofactor', { code: totp(secret, desk.clock.now) });
    await desk.clock.forward(30);
    const page = await world.sit(t, null, '/agent/settings/security');
    const password = async () => {
      await page.getByLabel('E-mail address').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Second step' }).waitFor();
    };
    await device(page);
    await password();
    assert.equal(await use(page).count(), 0, 'nobody has one yet');
    await page.getByLabel('Code of your authenticator').fill(totp(secret, desk.clock.now));
    await page.keyboard.press('Enter');
    await isIn(page);
    await desk.clock.forward(30);
    await add(page, { client }, 'Telephone', totp(secret, desk.clock.now));
    await logOut(page);
    await password();
    await use(page).waitFor();
    await shoot(page, 'passkeys-second-step');
    await page.evaluate(() => {
      const { credentials } = navigator, { get } = credentials;
      credentials.get = () => { credentials.get = get; return Promise.reject(new DOMException('', 'NotAllowedError')); }; // what a browser says when the person cancels
    });
    await use(page).click();
    await page.getByRole('alert').filter({ hasText: 'No passkey was used.' }).waitFor();
    assert.deepEqual(await audit(page), []);
    await use(page).click();
    await isIn(page);
    assert.equal((await desk.owner.fetch('/audit_log', { action: 'LOGIN', limit: 100 })).filter((e) => e.actor?.id === person.id)[0].details.method, 'PASSWORD_AND_PASSKEY');
  });

  test('a removed one opens nothing, whether the person or an admin has removed it', async (t) => {
    const page = await world.sit(t, world.second, '/agent/settings/security');
    await device(page);
    await add(page, world.second, 'Ring');
    await part(page).getByRole('button', { name: 'Remove: Ring' }).click();
    const question = page.getByRole('dialog');
    await question.getByLabel('Your password now').fill('not it');
    await question.getByRole('button', { name: 'Remove' }).click();
    await question.getByRole('alert').filter({ hasText: 'The password or the code is wrong.' }).waitFor();
    assert.deepEqual(await audit(page), []);
    await question.getByLabel('Your password now').fill(PASSWORD);
    await question.getByRole('button', { name: 'Remove' }).click();
    await part(page).getByText('You have no passkeys.').waitFor();
    assert.deepEqual(await passkeys(world.second), []);
    await logOut(page);
    await use(page).click();
    await page.getByRole('alert').filter({ hasText: 'The desk does not accept this passkey.' }).waitFor();

    const person = await world.desk.person('agent'), { client } = await world.desk.session(person.client);
    world.desk.sql(`INSERT INTO passkeys (user_id, name, credential_id, algorithm, public_key, sign_count, transports, user_handle, rp_id, created_at, updated_at) VALUES (${person.id}, 'Lost', 'lost', -7, 'AA', 0, '', 'AA', 'localhost', 1, 1)`);
    const other = await world.sit(t, { ...world.desk.people.owner, password: PASSWORD }, `/agent/settings/people/${person.id}`);
    await other.getByText('The person has 1 passkey.').waitFor();
    await other.getByRole('button', { name: 'Remove the passkeys' }).click();
    await strip(other, 'The passkeys are removed');
    await until(async () => (await client.fetch('/profile/passkeys')).length === 0);
  });
});

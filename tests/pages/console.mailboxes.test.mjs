// The settings of a mailbox at a provider (OAuth 2): the way there, and what admins see when the consent has ended.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { rowsChanged } from '../api/lib/index.mjs';
import { PASSWORD, SHOTS, consoleWorld, examine, save, until } from './console.mjs';

describe('the settings of a mailbox', () => {
  const world = consoleWorld();
  let id, path, owner, admin;
  before(async () => {
    const { desk } = world;
    ({ id } = await desk.admin.create('/mailboxes', { address: 'support@example.com' }));
    path = `/agent/settings/mailboxes/${id}`;
    owner = { ...desk.people.owner, password: PASSWORD };
    admin = await desk.person('admin', { full_name: 'Ada Lind' });
  });
  const field = (page, name) => page.getByLabel(name, { exact: true });
  const mailbox = () => world.desk.owner.fetch(`/mailboxes/${id}`);
  const heading = (page) => page.getByRole('heading', { name: 'Connection to the provider', exact: true });

  test('an owner chooses a provider by the keyboard and goes there by the button Connect', async (t) => {
    const page = await world.sit(t, owner, path, { foreign: /^https:\/\/accounts\.google\.com\// });
    let asked;
    await page.route('https://accounts.google.com/**', (route) => {
      asked = new URL(route.request().url());
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang="en"><title>Provider</title><p>Provider</p></html>' });
    });
    await field(page, 'Login at the provider').selectOption('Google');
    await field(page, 'Client ID').fill('desk');
    await field(page, 'Client secret').fill('a secret of the client');
    assert.equal(await field(page, 'Client secret').getAttribute('type'), 'password');
    await save(page);
    await until(async () => (await mailbox()).imap_host === 'imap.gmail.com');
    await heading(page).waitFor();
    await page.getByLabel('Connection to the provider').getByText('The mailbox was not connected yet.').waitFor(); // a fetch shows the same words as its error
    await page.getByText(`/mailboxes/${id}/oauth/callback`).waitFor();
    await page.getByRole('button', { name: 'Connect', exact: true }).press('Enter');
    await page.waitForURL(/^https:\/\/accounts\.google\.com\//);
    assert.deepEqual([asked.searchParams.get('client_id'), asked.searchParams.get('code_challenge_method'), asked.searchParams.get('redirect_uri')], ['desk', 'S256', `${world.desk.base}/mailboxes/${id}/oauth/callback`]);
  });

  test('an admin sees on each screen that a consent has ended, and that only an owner gives it again', async (t) => {
    await rowsChanged(world.desk, `UPDATE mailboxes SET oauth_connected_at = 1700000000000 WHERE id = ${id}`);
    const page = await world.sit(t, admin), notice = page.getByRole('link', { name: 'support@example.com must be connected again' });
    await notice.waitFor();
    await notice.press('Enter');
    await page.waitForURL(`**${path}`);
    await heading(page).waitFor();
    await page.getByText('Must be connected', { exact: true }).first().waitFor();
    await page.getByText('Only an owner connects it.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Connect', exact: true }).count(), 0);
    await examine(world, page, [['mailbox-consent', path, (one) => one.getByRole('link', { name: /must be connected again/ })]], SHOTS ? {} : { sizes: [[360, 740]] });
    await rowsChanged(world.desk, `UPDATE mailboxes SET oauth_state = 2 WHERE id = ${id}`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Teams', exact: true }).press('Enter');
    await notice.waitFor({ state: 'detached' });
    const agent = await world.sit(t, world.first);
    await agent.locator('.bar .bell').waitFor();
    assert.equal(await agent.locator('.consents').count(), 0);
  });
});

// The settings of logins by providers (OpenID Connect): the providers with their rules and links, the passwords of staff, the own logins.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Provider, Visitor, signedIn, whoIs } from '../api/lib/provider.mjs';
import { PASSWORD, SIZES, consoleWorld, examine, shoot, until } from './console.mjs';

describe('logins by providers', () => {
  const world = consoleWorld();
  let idp, team;
  before(async () => {
    const { desk } = world;
    idp = await new Provider(() => desk.clock.now).start();
    idp.server.unref();
    world.owner = { ...desk.people.owner, password: PASSWORD };
    world.admin = await desk.person('admin', { full_name: 'Ada Lind' });
    team = await desk.owner.create('/teams', { title: 'Support' });
    await desk.owner.update('/settings', { values: { 'signin.allow_private_addresses': true } });
  });

  const owner = () => world.desk.owner;
  const providers = () => owner().fetch('/signin/providers');
  const made = (more = {}) => owner().create('/signin/providers', { name: 'Company', issuer: idp.issuer, client_id: 'desk', client_secret: 'a very secret text', role_id: 2, ...more });
  const clear = async () => { for (const { id } of await providers()) (await owner().delete(`/signin/providers/${id}`)).must(200); };
  const field = (page, name) => page.getByLabel(name, { exact: true });
  /** The label of a new one also says that the field is required. */
  const required = (page, name) => page.getByLabel(new RegExp(`^${name}( \\(required\\))?$`));
  const alert = (page, text) => page.getByRole('alert').filter({ hasText: text }).first().waitFor();
  const strip = (page, text) => page.locator('.strip').getByText(text).waitFor();
  const claims = (person) => ({ sub: `s${person.id}`, email: person.email, email_verified: true });
  const logsIn = async (provider, person) => (await signedIn(world.desk, { idp, provider }, { claims: claims(person) })).must(303);
  const domains = () => [...new Set([world.first, world.second].map(({ email }) => email.split('@')[1]))].join(' ');
  const slow = async (page) => (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: 6 });

  test('an owner makes a provider with rules by the keyboard, and staff log in by it', async (t) => {
    const page = await world.sit(t, world.owner, '/agent/settings/signin');
    await slow(page);
    await page.getByText('There are no providers.').waitFor();
    await page.keyboard.press('n');
    await page.waitForFunction(() => document.activeElement?.closest('.settings-one form') !== null); // the first field has the focus
    await page.keyboard.type('Company');
    await required(page, 'Issuer').fill('nothing');
    await page.keyboard.press('Control+s');
    await alert(page, 'Client ID is missing.');
    await required(page, 'Client ID').fill('desk');
    await page.keyboard.press('Control+s');
    await alert(page, 'The issuer must begin with https://');
    await required(page, 'Issuer').fill(idp.issuer);
    assert.equal(await field(page, 'Client secret').getAttribute('type'), 'password');
    await field(page, 'Client secret').fill('a very secret text');
    await field(page, 'Text of the button').fill('Log in with Company');
    await page.getByLabel('Make an account at the first login').check();
    await page.keyboard.press('Control+s');
    await alert(page, 'needs the domains of their addresses');
    await field(page, 'Domains of e-mail addresses').fill(domains());
    await page.getByText('No rules. All get the role above.').waitFor();
    await page.getByRole('button', { name: 'Add a rule' }).press('Enter');
    const rule = page.getByRole('group', { name: 'Rule 1' });
    await page.waitForFunction(() => document.activeElement?.classList.contains('rule-claim'));
    await page.keyboard.type('groups');
    await page.keyboard.press('Tab');
    await page.keyboard.type('support');
    await rule.getByLabel('Role').selectOption({ label: 'Agent' });
    await rule.getByLabel('Support').check();
    await page.getByRole('button', { name: 'Add a rule' }).press('Enter');
    await page.getByRole('group', { name: 'Rule 2' }).waitFor();
    await page.getByRole('button', { name: 'Remove rule 2' }).press('Enter');
    await page.getByRole('group', { name: 'Rule 2' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.waitForURL(/\/signin\/\d+$/);
    const [one] = await providers();
    assert.deepEqual([one.name, one.issuer, one.client_id, one.has_client_secret, one.button_label, one.email_domains, one.creates_people, one.is_for_staff, one.is_for_customers, one.highest_role, one.role.id, one.rules],
      ['Company', idp.issuer, 'desk', true, 'Log in with Company', domains(), true, true, false, 'AGENT', 2, [{ claim: 'groups', value: 'support', role_id: 2, team_ids: [team.id] }]]);
    await page.getByText(one.callback_url).waitFor();
    await page.getByText(one.logout_url).waitFor();
    await page.getByText('A client secret is stored.').waitFor();
    assert.equal(await field(page, 'Client secret').inputValue(), '', 'the secret is never shown');
    assert.equal(await page.getByLabel(/^Issuer/).count(), 0, 'the issuer can not be changed');
    await shoot(page, 'providers-made');
    const { visitor } = await logsIn(one, world.first);
    assert.equal(await whoIs(visitor), world.first.id);
  });

  test('a change keeps the secret, and the secret is removed after a question', async (t) => {
    await clear();
    const one = await made(), path = `/signin/providers/${one.id}`, page = await world.sit(t, world.owner, `/agent/settings/signin/${one.id}`);
    await required(page, 'Name').fill('Firm');
    await field(page, 'Client secret').fill('x');
    await field(page, 'Client secret').fill('');
    await page.getByLabel('Customers log in by it').check();
    await required(page, 'Highest rank').selectOption({ label: 'Admin' });
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await owner().fetch(path)).name === 'Firm');
    const now = await owner().fetch(path);
    assert.deepEqual([now.has_client_secret, now.is_for_customers, now.highest_role, now.rules], [true, true, 'ADMIN', []]);
    await logsIn(now, world.first);
    assert.equal(idp.requests.findLast((r) => r.path === '/token').headers.authorization, `Basic ${Buffer.from('desk:a%20very%20secret%20text').toString('base64')}`);
    await page.getByRole('button', { name: 'Remove the client secret' }).click();
    await page.getByRole('dialog').getByText('nobody logs in by it until it has a new secret').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the client secret' }).click();
    await page.getByText('No client secret is stored.').waitFor();
    assert.equal((await owner().fetch(path)).has_client_secret, false);
  });

  test('an admin sees who logs in by it, and ends that; people see and remove their own logins', async (t) => {
    await clear();
    const one = await made();
    await logsIn(one, world.first);
    await logsIn(one, world.second);
    const page = await world.sit(t, world.admin, `/agent/settings/signin/${one.id}`);
    const part = page.getByRole('region', { name: 'Who logs in by it' });
    await part.getByText('Mira Olsen', { exact: true }).waitFor();
    await part.getByRole('button', { name: 'Remove: Ben Adler' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Remove the login “Ben Adler”?' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await part.getByText('Ben Adler').first().waitFor({ state: 'detached' });
    assert.deepEqual((await owner().fetch('/signin/links')).map(({ user }) => user.id), [world.second.id]);
    const own = await world.sit(t, world.second, '/agent/settings/security'), logins = own.getByRole('region', { name: 'Logins by providers' });
    await logins.getByText('Company').first().waitFor();
    await logins.getByRole('button', { name: 'Remove: Company' }).press('Enter');
    await own.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    await logins.getByText('You have not logged in by a provider yet.').waitFor();
    assert.deepEqual(await owner().fetch('/signin/links'), []);
  });

  test('those who may not change a provider see why', async (t) => {
    await clear();
    const high = await made({ highest_role: 'OWNER', name: 'Head office' });
    const page = await world.sit(t, world.admin, `/agent/settings/signin/${high.id}`);
    await page.getByText('Only an owner can change or delete it.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Remove the client secret' }).count(), 0);
    await required(page, 'Name').fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await alert(page, 'Ask an owner.');
    assert.equal((await owner().fetch(`/signin/providers/${high.id}`)).name, 'Head office');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.goto(`${world.desk.base}/agent/settings/signin/new`);
    const doubled = page.getByLabel('A login counts as two factors');
    await doubled.waitFor();
    assert.ok(await doubled.isDisabled());
    await page.getByText('Only an owner can change this.').waitFor();
    await until(async () => (await required(page, 'Highest rank').locator('option').allTextContents()).join() === 'Customer,Collaborator,Agent,Admin');
    const agent = await world.sit(t, world.first, '/agent/settings/signin');
    await agent.getByText('This area does not exist, or your role may not change it.').waitFor();
  });

  test('an owner turns the passwords of staff off and on, and the page says what stays possible', async (t) => {
    await clear();
    const page = await world.sit(t, world.owner, '/agent/settings/passwords'), status = () => world.first.client.get('/me').then((reply) => reply.status);
    await page.getByText('Staff may log in with passwords.').waitFor();
    await page.getByText('Add one first').waitFor();
    await page.getByText('Owners always log in with their passwords.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Turn passwords off' }).count(), 0);
    await made();
    await page.reload();
    await page.getByRole('button', { name: 'Turn passwords off' }).click();
    await page.getByRole('dialog').getByText('Owners and customers keep their passwords.').waitFor();
    await shoot(page, 'providers-passwords-question');
    await page.getByRole('dialog').getByRole('button', { name: 'Turn passwords off' }).click();
    await page.getByText('Staff log in by providers only.').waitFor();
    assert.equal(await status(), 401);
    (await owner().get('/me')).must(200);
    await page.getByRole('button', { name: 'Turn passwords on' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Turn passwords on' }).press('Enter');
    await page.getByText('Staff may log in with passwords.').waitFor();
    assert.equal(await status(), 200);
    const admin = await world.sit(t, world.admin, '/agent/settings/passwords');
    await admin.getByText('Only an owner can change this.').waitFor();
    assert.equal(await admin.getByRole('button', { name: /Turn passwords/ }).count(), 0);
  });

  test('a provider is deleted after a question', async (t) => {
    await clear();
    const one = await made(), page = await world.sit(t, world.owner, `/agent/settings/signin/${one.id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('Its links end').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There are no providers.').waitFor();
    assert.deepEqual(await providers(), []);
    (await new Visitor(world.desk).get(`/signin/${one.id}`)).must(404);
  });

  test('each screen is whole at each width, in each theme and direction', async (t) => {
    await clear();
    const one = await made({ highest_role: 'ADMIN', rules: [{ claim: 'groups', value: 'support', role_id: 2, team_ids: [team.id] }, { claim: 'groups', value: 'heads', role_id: 1 }] });
    await logsIn(one, world.first);
    await owner().create('/signin/providers', { name: 'Shop', issuer: idp.issuer, client_id: 'shop', role_id: 4, highest_role: 'CUSTOMER', is_for_staff: false, is_for_customers: true, is_enabled: false });
    const page = await world.sit(t, world.owner, '/agent/settings');
    await page.getByRole('link', { name: 'Sign-in providers' }).waitFor();
    const screens = [
      ['providers', '/agent/settings/signin', (page) => page.locator('.settings-rows').getByText('Shop')],
      ['providers-one', `/agent/settings/signin/${one.id}`, (page) => page.locator('.settings-one').getByText('Ben Adler')],
      ['providers-passwords', '/agent/settings/passwords', (page) => page.locator('.settings-page .danger')],
    ];
    await examine(world, page, screens, { sizes: SIZES.slice(0, 3) });
    const below = async (name) => {
      await page.getByRole('group', { name: 'Rule 2' }).scrollIntoViewIfNeeded();
      await shoot(page, `providers-rules-${name}`);
      await page.getByRole('region', { name: 'Who logs in by it' }).scrollIntoViewIfNeeded();
      await shoot(page, `providers-links-${name}`);
    };
    for (const [width, height] of [SIZES[0], SIZES[2]]) {
      await page.setViewportSize({ width, height });
      await page.goto(world.desk.base + screens[1][1]);
      await screens[1][2](page).first().waitFor();
      await below(width);
    }
    for (const locale of ['ar', 'de']) {
      await owner().update('/profile', { locale_id: (await owner().fetch('/locales', { limit: 100 })).find((one) => one.locale.startsWith(locale)).id });
      await examine(world, page, screens, { sizes: SIZES.slice(0, locale === 'ar' ? 1 : 0).concat([SIZES[2]]), themes: ['light'], label: `-${locale}` });
    }
  });
});

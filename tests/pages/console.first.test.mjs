// The first run: from an empty folder to a customer's mail that a second agent has answered, by the browser alone. VIDEO=file records it.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PASSWORD, SHOTS, audit, examine, explain, launch, outside, save, shoot, strip, until } from './console.mjs';
import { Desk, directory, initialise } from '../api/lib/desk.mjs';
import { mailIn, relay } from '../api/lib/index.mjs';
import { mail } from '../api/lib/mails.mjs';
import { camera } from './video.mjs';

const VIDEO = process.env.VIDEO, MOST_ACTIONS = 60, AT = 'help@lamps.example';

describe('the first run of a desk', () => {
  const ends = [], world = {};
  before(async () => {
    const dir = directory();
    mkdirSync(dir, { recursive: true });
    initialise(dir);
    world.desk = await new Desk(dir, { people: { owner: { email: 'owner@example.com', password: PASSWORD } }, processes: 1 }).start();
    world.relay = await relay({ after: (end) => ends.push(end) });
    world.browser = await launch();
  });
  after(async () => {
    await world.browser?.close();
    await world.desk?.stop();
    for (const end of ends) await end();
  });
  /** A page whose actions are counted: what a person does with hands. */
  const sit = async (t, path = '/agent', options = {}) => {
    const context = await world.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options }), page = await context.newPage(), wrong = [];
    page.on('pageerror', (error) => wrong.push(error.stack ?? String(error)));
    t.after(async () => { await explain(t, context, wrong); await context.close(); assert.deepEqual(wrong, []); });
    await page.goto(world.desk.base + path);
    return page;
  };
  let actions = 0;
  const did = async (work) => {
    actions++;
    await work;
    if (VIDEO) await sleep(300); // so that one can follow it
  };
  const fill = (page, label, text) => did(page.getByRole('textbox', { name: label }).fill(text));
  const press = (page, name, role = 'button') => did(page.getByRole(role, { name, exact: true }).click());
  const logIn = async (page, email, password) => {
    await fill(page, 'E-mail address', email);
    await did(page.getByLabel('Password', { exact: true }).fill(password));
    await did(page.keyboard.press('Enter'));
  };
  const step = (page, name) => page.getByRole('heading', { level: 2, name }).waitFor();

  test('the first run can be left, and taken up again from the menu', async (t) => {
    const page = await sit(t);
    await logIn(page, 'owner@example.com', PASSWORD);
    await step(page, 'Name and colour');
    await save(page);
    await page.getByRole('alert').getByText('Colour is missing.').first().waitFor();
    await page.getByRole('button', { name: 'Do it later' }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.reload();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.waitForTimeout(300);
    assert.doesNotMatch(page.url(), /start/);
    await page.locator('.menu summary').click();
    await page.getByRole('link', { name: 'First steps' }).click();
    await step(page, 'Name and colour');
  });

  test('each step is shown well at each width, in both themes and right to left', async (t) => {
    const page = await sit(t);
    await logIn(page, 'owner@example.com', PASSWORD);
    await step(page, 'Name and colour');
    const ready = (p) => p.locator('#step-title');
    const paths = ['name', 'address', 'people', 'mail', 'message', 'done'].map((one) => [`start-${one}`, `/agent/start/${one}`, ready]);
    await examine(world, page, paths, { sizes: SHOTS ? undefined : [[360, 740], [768, 1024], [1280, 800]] });
    await world.desk.owner.update('/profile', { locale_id: (await world.desk.owner.fetch('/locales', { limit: 100 })).find((one) => one.locale === 'ar').id });
    for (const [, path] of paths) {
      await page.goto(world.desk.base + path);
      await ready(page).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl');
      await shoot(page, `console-start-ar-${path.split('/').at(-1)}`);
      assert.deepEqual([await audit(page), await outside(page)], [[], []]);
    }
    await world.desk.owner.update('/profile', { locale_id: 1 });
  });

  test('from an empty folder to a mail answered by a second agent, by the browser alone', async (t) => {
    actions = 0;
    const page = await sit(t), { film, write } = camera();
    if (VIDEO) await film(page);
    await logIn(page, 'owner@example.com', PASSWORD);
    await step(page, 'Name and colour');
    await fill(page, /^Name/, 'Lamps');
    await fill(page, /^Colour/, '#0b4fc4');
    await press(page, 'Save');
    await press(page, 'Next step', 'link');
    await step(page, 'Addresses');
    await press(page, 'Go on without it', 'link');
    await step(page, 'People');
    await fill(page, /^Name/, 'Mira Olsen');
    await fill(page, /^E-mail/, 'mira@lamps.example');
    await press(page, 'Invite somebody');
    await page.getByText('Mira Olsen is invited.').waitFor();
    await press(page, 'Next step', 'link');
    await step(page, 'Mail');
    await fill(page, 'Address of the desk', AT);
    await fill(page, 'Mail server (SMTP)', '127.0.0.1');
    await fill(page, 'Port', String(world.relay.port));
    await did(page.getByLabel(/^Encryption/).selectOption('NONE'));
    await press(page, 'Save');
    await strip(page, /^Saved/);
    await press(page, 'Test the mailbox');
    const trial = await world.relay.find(AT);
    await until(() => mailIn(world.desk, trial.raw, { args: ['--recipient', AT, '--sender', AT] }).status === 0);
    await page.getByText('Mails leave and arrive.').waitFor();
    await press(page, 'Next step', 'link');
    await step(page, 'First message');
    const asked = mail({ From: 'Dora Lind <dora@people.example>', To: AT, Subject: 'My lamp flickers' }, 'It began yesterday.\r\n');
    assert.equal(mailIn(world.desk, asked, { args: ['--recipient', AT, '--sender', 'dora@people.example'] }).status, 0);
    await page.getByText('The first message is here.').waitFor();
    await press(page, 'Next step', 'link');
    await step(page, '4 of 5 steps are done');
    await press(page, 'To the inbox');
    await page.getByRole('row').filter({ hasText: 'My lamp flickers' }).waitFor();

    const invitation = await world.relay.find('mira@lamps.example'), second = await sit(t);
    if (VIDEO) await film(second);
    await did(second.goto(invitation.link));
    await fill(second, 'New password', 'lamps lamps lamps');
    await did(second.keyboard.press('Enter'));
    await second.getByText('Your password is set. Log in with it.').waitFor();
    await logIn(second, 'mira@lamps.example', 'lamps lamps lamps');
    await did(second.getByRole('row').filter({ hasText: 'My lamp flickers' }).click());
    const editor = second.getByRole('textbox', { name: 'Reply to Dora Lind' });
    await editor.waitFor();
    await did(editor.click());
    await did(second.keyboard.type('Please try another socket.'));
    await did(second.keyboard.press('Control+Enter'));
    await second.getByRole('article').filter({ hasText: 'Please try another socket.' }).waitFor();
    if (VIDEO) { await sleep(1000); write(VIDEO); }
    t.diagnostic(`${actions} actions`);
    assert.ok(actions <= MOST_ACTIONS, `${actions} actions`);
  });
});

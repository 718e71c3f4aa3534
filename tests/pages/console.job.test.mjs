// The main job, from the customer's form to the rating, with two agents beside each other. `make test` runs this file.
// ANSWERS is the number of answers that two agents send at the same moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, consoleWorld, editor, joined, posts, row, until } from './console.mjs';
import { relayFor } from '../api/lib/index.mjs';

const ANSWERS = Number(process.env.ANSWERS ?? 5);
const world = consoleWorld(), { sit } = world;

/** The customer, logged in to the help center. */
const customer = async (t) => {
  const page = await sit(t, null, '/helpcenter/en-us/login');
  await page.fill('#f-email', world.clara.email);
  await page.fill('#f-password', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/conversations');
  return page;
};

test('the form of a customer reaches an agent live, two agents see the answer, the customer gets it and rates it', async (t) => {
  const [clara, ben, mira] = [await customer(t), await sit(t, world.first), await sit(t, world.second)];
  await Promise.all([joined(ben), joined(mira)]);

  await clara.goto(`${world.desk.base}/helpcenter/en-us/contact`);
  await clara.fill('#f-subject', 'The lamp flickers');
  await clara.fill('#f-contents', 'Since yesterday evening. What can I do?');
  await clara.locator('main button[type=submit], main button:not([type])').last().click();
  await clara.waitForURL(/done=sent/);

  for (const agent of [ben, mira]) {
    await agent.getByRole('button', { name: /new, show/ }).click();
    await row(agent, 'The lamp flickers').click();
    await posts(agent).filter({ hasText: 'What can I do?' }).waitFor();
  }
  await ben.getByText('Mira Olsen is looking').waitFor();
  await editor(ben).click();
  await ben.keyboard.type('Please turn the bulb until it is tight.');
  await mira.getByText('Ben Adler is writing').waitFor();
  await ben.keyboard.press('Control+Enter');
  for (const agent of [ben, mira]) await posts(agent).filter({ hasText: 'until it is tight' }).waitFor();

  await clara.goto(`${world.desk.base}/helpcenter/en-us/conversations`);
  await clara.getByRole('link', { name: 'The lamp flickers' }).click();
  await clara.getByText('Please turn the bulb until it is tight.').waitFor();
  await clara.fill('#f-contents', 'That was it. Thank you!');
  await clara.getByRole('button', { name: 'Send', exact: true }).click();
  for (const agent of [ben, mira]) await posts(agent).filter({ hasText: 'That was it' }).waitFor();
  const id = Number(/\/(\d+)(\?|$)/.exec(ben.url())[1]);
  await ben.locator('#case-title').focus();
  await ben.keyboard.press('e');
  await until(async () => (await world.desk.staff.fetch(`/cases/${id}`, { include: 'case_status' })).status.type === 'COMPLETED');

  await clara.reload();
  await clara.getByRole('radio', { name: 'Good' }).check();
  await clara.getByLabel('Comment').fill('Quick help');
  await clara.getByRole('button', { name: /Send.*rating/i }).click();
  await clara.waitForURL(/done=rated/);
  const [rating] = await world.desk.staff.fetch(`/conversations/${id}/ratings`);
  assert.deepEqual([rating.score, rating.comment], ['GOOD', 'Quick help']);
});

test('the answer to a mail leaves as a mail', async (t) => {
  const mails = await relayFor(t, world.desk);
  const { id } = await world.desk.staff.create('/cases', { subject: 'By mail', contents: 'It is dark', requester_id: world.clara.id, channel: 'MAIL' });
  const ben = await sit(t, world.first, `/agent/cases/${id}`);
  await posts(ben).first().waitFor();
  await editor(ben).click();
  await ben.keyboard.type('Press the switch.');
  await ben.keyboard.press('Control+Enter');
  await until(() => mails.mails.some((mail) => mail.to[0] === world.clara.email && /Press the switch/.test(mail.text)));
});

test('of two answers at the same moment one is sent, and the other agent is asked, each time', async (t) => {
  const pages = [await sit(t, world.first), await sit(t, world.second)];
  for (let n = 0; n < ANSWERS; n++) {
    const id = await world.asked(`Two answers ${n}`);
    await Promise.all(pages.map(async (page, i) => {
      await page.goto(`${world.desk.base}/agent/cases/${id}`);
      await posts(page).first().waitFor();
      await editor(page).fill(`Answer ${i} of ${n}`);
    }));
    await Promise.all(pages.map((page) => page.keyboard.press('Control+Enter')));
    const asked = () => Promise.all(pages.map((page) => page.getByRole('button', { name: 'Send anyway' }).isVisible()));
    await until(async () => (await asked()).some(Boolean));
    await until(async () => (await world.desk.staff.fetch(`/cases/${id}/posts`)).length === 2);
    assert.equal((await asked()).filter(Boolean).length, 1, `answer ${n}`);
    assert.equal((await world.desk.staff.fetch(`/cases/${id}/posts`)).length, 2, `answer ${n}`);
  }
});

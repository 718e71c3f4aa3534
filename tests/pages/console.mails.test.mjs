// Agents release or delete suspended mails in the settings, and admins empty the trash.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedMail } from '../api/lib/index.mjs';
import { audit, consoleWorld, outside, row, shoot, until } from './console.mjs';

describe('suspended mails', () => {
  const world = consoleWorld();
  const AREA = '/agent/settings/mails';
  const box = (page, subject) => page.getByRole('checkbox', { name: new RegExp(`Select “${subject}”`) });
  const left = async () => (await world.first.client.fetch('/mails', { is_suspended: true, fields: 'subject' })).map(({ subject }) => subject).sort();

  test('they are read, released and deleted, several at once and by keys', async (t) => {
    for (const [subject, code] of [['Win a prize', 'SPAM'], ['Away until Monday', 'OUT_OF_OFFICE_EMAIL'], ['Order 12', 'UNREGISTERED_USER']])
      await storedMail(world.desk, { code, subject, content_text: `About ${subject}.`, source: `From: Ada <ada@example.net>\r\nTo: help@example.com\r\nSubject: ${subject}\r\nMessage-ID: <${code}@example.net>\r\n\r\nAbout ${subject}.\r\n` });
    const page = await world.sit(t, world.first, AREA);
    await page.getByRole('heading', { name: 'Suspended mails', level: 1 }).waitFor();
    await page.getByText('Away until Monday', { exact: true }).click();
    await page.getByText('About Away until Monday.').waitFor();
    await box(page, 'Win a prize').check();
    for (const theme of ['light', 'dark'])
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
        await shoot(page, `mails-${theme}-${width}`);
        assert.deepEqual([await audit(page), await outside(page)], [[], []], `${theme} ${width}`);
      }
    await box(page, 'Away until Monday').focus();
    await page.keyboard.press('Space');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Delete: 2' }).click();
    await page.getByRole('dialog', { name: 'Delete 2 mails?' }).getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await left()).length, 3);
    await page.getByRole('button', { name: 'Delete: 2' }).click();
    await page.getByRole('dialog', { name: 'Delete 2 mails?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 mails deleted').waitFor();
    assert.deepEqual(await left(), ['Order 12']);
    await box(page, 'Win a prize').waitFor({ state: 'detached' });

    await box(page, 'Order 12').check();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByText('1 mail released').waitFor();
    await page.getByText('No mail is suspended.').waitFor();
    await until(async () => (await world.desk.admin.fetch('/mails', { is_suspended: false, fields: 'subject' })).some(({ subject }) => subject === 'Order 12'));
  });

  test('a mail that somebody else has released is named, and the list is read again', async (t) => {
    const id = await storedMail(world.desk, { subject: 'Taken', message_id: 'taken@example.net' });
    const page = await world.sit(t, world.first, AREA, { expected: /status of 40[0149]/ });
    await box(page, 'Taken').check();
    (await world.second.client.put(`/mails/${id}`, { is_suspended: false })).must(200);
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('alert').getByText(/not suspended|no such object/).waitFor();
    await box(page, 'Taken').waitFor({ state: 'detached' });
  });

  test('admins empty the trash, after a question that states the number', async (t) => {
    const { admin, staff } = world.desk, trash = (await admin.fetch('/views')).find(({ type }) => type === 'TRASH').id;
    for (const subject of ['Old', 'Older']) (await staff.put(`/cases/${await world.asked(subject)}/trash`, {})).must(200);
    const agent = await world.sit(t, world.first, `/agent/views/${trash}`);
    await row(agent, 'Older').waitFor();
    assert.equal(await agent.getByRole('button', { name: 'Empty the trash' }).count(), 0);
    const page = await world.sit(t, world.desk.people.admin, `/agent/views/${trash}`);
    await page.getByRole('button', { name: 'Empty the trash' }).click();
    const question = page.getByRole('dialog', { name: 'Delete 2 conversations for ever?' });
    await question.waitFor();
    await shoot(page, 'trash-question');
    assert.deepEqual(await audit(page), []);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    assert.equal(await admin.total(`/views/${trash}/cases`), 2);
    await page.getByRole('button', { name: 'Empty the trash' }).click();
    await question.getByRole('button', { name: 'Empty the trash' }).click();
    await page.getByText('2 conversations are being deleted').waitFor();
    await until(async () => await admin.total(`/views/${trash}/cases`) === 0);
    await row(page, 'Older').waitFor({ state: 'detached' });
  });

  test('collaborators, who may not release mails, have no such area', async (t) => {
    const page = await world.sit(t, world.desk.people.collaborator, AREA);
    await page.getByRole('navigation').first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Suspended mails' }).count(), 0);
  });
});

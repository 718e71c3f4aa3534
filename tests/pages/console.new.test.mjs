// The form of a new conversation: its draft on another machine, and what it says about missing fields.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audit, consoleWorld, hasFocus, outside, paint, shoot, until, written } from './console.mjs';

describe('a new conversation', () => {
  const world = consoleWorld();
  const NEW = '/agent/new';
  const field = (page, name) => page.getByRole(name === 'Requester' ? 'combobox' : 'textbox', { name });
  const choose = async (page, name) => {
    await field(page, 'Requester').fill(name);
    await page.getByRole('option', { name }).click();
  };
  const write = async (page, text) => {
    await field(page, 'Text').click();
    await page.keyboard.type(text);
  };
  const draft = async (person) => { const reply = await person.client.get('/cases/draft'); return reply.status === 200 ? reply.data : undefined; };
  const kept = (person, holds) => until(async () => { const now = await draft(person); return now && holds(now); });

  test('missing fields are named beside them, and the first one gets the focus', async (t) => {
    const page = await world.sit(t, world.first, NEW);
    await field(page, 'Requester').waitFor();
    await page.getByRole('button', { name: 'Open the conversation' }).click();
    for (const [name, problem] of [['Requester', /Choose a person/], ['Subject', 'Write a subject.'], ['Text', 'Write a text.']]) {
      const one = field(page, name);
      await until(async () => await one.getAttribute('aria-invalid') === 'true');
      await page.locator(`[id="${await one.getAttribute('aria-describedby')}"]`).getByText(problem).waitFor();
    }
    await hasFocus(field(page, 'Requester'));
    for (const theme of ['light', 'dark'])
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
        await shoot(page, `new-missing-${theme}-${width}`);
        assert.deepEqual([await audit(page), await outside(page)], [[], []], `${theme} ${width}`);
      }
    await choose(page, 'Clara Ito');
    assert.deepEqual([await field(page, 'Requester').getAttribute('aria-invalid'), await field(page, 'Subject').getAttribute('aria-invalid')], [null, 'true']);
    await page.keyboard.press('Control+Enter');
    await hasFocus(field(page, 'Subject'));
    await field(page, 'Requester').fill('Clara I');
    await field(page, 'Subject').fill('Spare parts');
    await write(page, 'We have them.');
    await page.keyboard.press('Control+Enter');
    await hasFocus(field(page, 'Requester')); // a name that was changed after the choice is no choice
    await choose(page, 'Clara Ito');
    await page.getByRole('button', { name: 'Open the conversation' }).click();
    await page.waitForURL('**/agent/cases/*');
    await page.getByText('We have them.').waitFor();
    await until(async () => !await draft(world.first));
  });

  test('what is begun is found on another machine, and is opened once', async (t) => {
    const { client } = world.second, team = await world.desk.owner.create('/teams', { title: 'Workshop' });
    const one = await world.sit(t, world.second, NEW);
    await choose(one, 'Clara Ito');
    await field(one, 'Subject').fill('From the train');
    await write(one, 'I will call you');
    await one.getByRole('combobox', { name: 'Team' }).selectOption({ label: team.title });
    await kept(world.second, (now) => now.contents.includes('call you') && now.parameters?.assigned_team_id === team.id);
    const other = await world.sit(t, world.second, NEW);
    await until(async () => await field(other, 'Requester').inputValue() === 'Clara Ito');
    await until(async () => await field(other, 'Subject').inputValue() === 'From the train' && (await written(field(other, 'Text'))).trim() === 'I will call you');
    await field(other, 'Subject').fill('From the office');
    await kept(world.second, (now) => now.parameters.subject === 'From the office');

    await field(one, 'Subject').fill('From the station');
    await one.getByText('You have written another text in another place:').waitFor();
    await one.getByText('From the office').waitFor();
    for (const theme of ['light', 'dark'])
      for (const width of [360, 1280]) {
        await one.setViewportSize({ width, height: 900 });
        await one.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
        await shoot(one, `new-elsewhere-${theme}-${width}`);
        assert.deepEqual([await audit(one), await outside(one)], [[], []], `${theme} ${width}`);
      }
    assert.equal((await draft(world.second)).parameters.subject, 'From the office', 'nothing was overwritten');
    await one.getByRole('button', { name: 'Take that text' }).click();
    await until(async () => await field(one, 'Subject').inputValue() === 'From the office');
    await one.getByRole('button', { name: 'Open the conversation' }).click();
    await one.waitForURL('**/agent/cases/*');
    await until(async () => !await draft(world.second));
    const made = await client.fetch(`/cases/${one.url().split('/').pop()}`);
    assert.deepEqual([made.subject, made.requester.id, made.assigned_team.id], ['From the office', world.clara.id, team.id]);

    await other.reload();
    await until(async () => await field(other, 'Subject').inputValue() === '' && await field(other, 'Requester').inputValue() === '');
    assert.equal((await written(field(other, 'Text'))).trim(), '', 'the other machine does not keep what was opened');
  });

  test('a discarded draft is gone everywhere, and comes back by undo', async (t) => {
    const page = await world.sit(t, world.first, '/agent/notifications');
    await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor();
    await page.keyboard.press('c');
    await field(page, 'Requester').fill('stranger@example.com');
    await page.getByRole('option', { name: /stranger@example.com/ }).click();
    await field(page, 'Subject').fill('Hello');
    await kept(world.first, (now) => now.parameters?.subject === 'Hello' && now.parameters.requester_email === 'stranger@example.com');
    await page.reload();
    await until(async () => await field(page, 'Requester').inputValue() === 'stranger@example.com');
    await page.getByText('becomes a new person').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor();
    await until(async () => !await draft(world.first));
    await page.keyboard.press('z');
    await until(async () => await field(page, 'Subject').inputValue() === 'Hello');
    await kept(world.first, (now) => now.parameters?.subject === 'Hello');
    await paint(page, 'light');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('The draft was discarded').waitFor();
    await until(async () => !await draft(world.first));
  });
});

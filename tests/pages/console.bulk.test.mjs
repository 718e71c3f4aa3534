// Several selected conversations: changes by keys and by the mouse, refused ones named in words, one undo for all.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audit, consoleWorld, outside, posts, row, shoot } from './console.mjs';

describe('changes of several conversations', () => {
  const world = consoleWorld();
  const { sit, asked } = world;
  const bar = (page) => page.getByRole('toolbar', { name: /selected/ });
  const of = (id) => world.desk.staff.fetch(`/cases/${id}`, { fields: '+tags', include: 'tag,case_status,case_priority' });
  const all = (ids, read) => Promise.all(ids.map(async (id) => read(await of(id))));
  const tags = (ids) => all(ids, (c) => (c.tags ?? []).map(({ name }) => name).sort().join());
  const select = async (page, ...subjects) => { for (const one of subjects) { await row(page, one).hover(); await row(page, one).getByRole('checkbox').check(); } await bar(page).waitFor(); };
  const pick = async (page, key, typed, option = typed) => {
    await page.keyboard.press(key);
    await page.getByRole('dialog').getByRole('combobox').fill(typed);
    await page.getByRole('option', { name: option }).first().waitFor();
    await page.keyboard.press('Enter');
  };
  const undone = async (page) => { await page.keyboard.press('z'); await page.getByText('Undone').waitFor(); };

  test('tags are added and removed by keys, and the undo gives each conversation its own back', async (t) => {
    const ids = [await asked('Tags 1'), await asked('Tags 2'), await asked('Tags 3')];
    await world.desk.staff.update(`/cases/${ids[0]}`, { tags: 'red' });
    await world.desk.staff.update(`/cases/${ids[1]}`, { tags: 'blue,red' });
    const page = await sit(t, world.first);
    await row(page, 'Tags 3').waitFor();
    await select(page, 'Tags 1', 'Tags 2', 'Tags 3');
    await page.keyboard.press('t');
    await page.getByRole('group', { name: 'Remove a tag' }).getByRole('option', { name: 'blue' }).waitFor();
    await shoot(page, 'bulk-tags');
    assert.deepEqual(await audit(page), []);
    await page.keyboard.press('Escape');
    await bar(page).waitFor(); // the dialog took the key
    await pick(page, 't', 'Green', /^green/);
    await page.getByText('3 changed').waitFor();
    assert.deepEqual(await tags(ids), ['green,red', 'blue,green,red', 'green']);
    await undone(page);
    assert.deepEqual(await tags(ids), ['red', 'blue,red', '']);
    await select(page, 'Tags 1', 'Tags 2', 'Tags 3');
    await page.keyboard.press('t');
    await page.getByRole('group', { name: 'Remove a tag' }).getByRole('option', { name: 'red' }).click();
    await page.getByText('2 changed').waitFor();
    assert.deepEqual(await tags(ids), ['', 'blue', '']);
    await undone(page);
    assert.deepEqual(await tags(ids), ['red', 'blue,red', '']);
  });

  test('agent, team, status, priority and trash are set by the mouse and by keys, and taken back', async (t) => {
    const team = await world.desk.admin.create('/teams', { title: 'Second line' });
    const ids = [await asked('Mixed 1'), await asked('Mixed 2')], page = await sit(t, world.first);
    for (const id of ids) await world.desk.staff.update(`/cases/${id}`, { status_id: 2 });
    await world.desk.staff.update(`/cases/${ids[1]}`, { priority_id: 1, assigned_agent_id: world.first.id });
    await row(page, 'Mixed 2').waitFor();
    const before = await all(ids, (c) => [c.status.id, c.priority?.id ?? null, c.assigned_agent?.id ?? null, c.assigned_team?.id ?? null]);
    const ways = [
      ['a', 'Mira', /Mira Olsen/, (c) => c.assigned_agent?.id, world.second.id], ['a', 'second l', /Second line/, (c) => c.assigned_team?.id, team.id],
      ['s', 'pend', /Pending/, (c) => c.status.type, 'PENDING'], ['p', 'urg', /Urgent/, (c) => c.priority?.label, 'Urgent'],
    ];
    for (const [key, typed, option, read, wanted] of ways) {
      await select(page, 'Mixed 1', 'Mixed 2');
      await pick(page, key, typed, option);
      await page.getByText('2 changed').waitFor();
      assert.deepEqual(await all(ids, read), [wanted, wanted], key);
      await undone(page);
      assert.deepEqual(await all(ids, (c) => [c.status.id, c.priority?.id ?? null, c.assigned_agent?.id ?? null, c.assigned_team?.id ?? null]), before);
    }
    await select(page, 'Mixed 1', 'Mixed 2');
    await bar(page).getByRole('button', { name: /^Assign a/ }).click();
    for (const [theme, width, height] of [['light', 1280, 800], ['dark', 1280, 800], ['light', 360, 740]]) {
      await page.setViewportSize({ width, height });
      await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
      await shoot(page, `bulk-assign-${theme}-${width}`);
      assert.deepEqual(await outside(page), []);
      assert.deepEqual(await audit(page), []);
    }
    await page.keyboard.press('Escape');
    await shoot(page, 'bulk-360');
    await page.setViewportSize({ width: 1280, height: 800 });
    await shoot(page, 'bulk-1280');
    await bar(page).getByRole('button', { name: /Move to trash/ }).click();
    await page.getByText('2 changed').waitFor();
    assert.deepEqual(await all(ids, (c) => c.state), ['TRASH', 'TRASH']);
    await undone(page);
    assert.deepEqual(await all(ids, (c) => c.state), ['ACTIVE', 'ACTIVE']);
  });

  test('a refused conversation is named with the reason and stays selected, and the others are changed', async (t) => {
    const ids = [await asked('Open one'), await asked('Closed one')], page = await sit(t, world.first);
    await world.desk.admin.update(`/cases/${ids[1]}`, { status_id: 5 });
    await page.goto(`${world.desk.base}/agent/search?q=one`);
    await row(page, 'Closed one').waitFor();
    await select(page, 'Open one', 'Closed one');
    await pick(page, 'p', 'urg', /Urgent/);
    const strip = page.locator('.strip');
    await strip.filter({ hasText: `1 changed · #${ids[1]} Closed one not changed: The conversation is closed` }).waitFor();
    await shoot(page, 'bulk-refused');
    assert.deepEqual(await all(ids, (c) => c.priority?.label ?? null), ['Urgent', null]);
    await page.getByRole('toolbar', { name: '1 selected' }).waitFor();
    await undone(page);
    assert.deepEqual(await all(ids, (c) => c.priority), [null, null]);
    await page.keyboard.press('Escape');
    await bar(page).waitFor({ state: 'detached' });
  });

  test('keys of the selection come before those of the open conversation', async (t) => {
    const ids = [await asked('Beside 1'), await asked('Beside 2'), await asked('Beside 3')], page = await sit(t, world.first, `/agent/views/1/${ids[2]}`);
    await posts(page).first().waitFor();
    await select(page, 'Beside 1');
    await row(page, 'Beside 2').click(); // another conversation is opened after the selection
    await page.locator('#case-title').filter({ hasText: 'Beside 2' }).waitFor();
    await posts(page).first().waitFor();
    await page.locator('#case-title').focus();
    await page.keyboard.press('e');
    await page.getByText('1 changed').waitFor();
    assert.deepEqual(await all(ids, (c) => c.status.type), ['COMPLETED', 'NEW', 'NEW']);
    await undone(page);
    assert.equal((await of(ids[0])).status.type, 'OPEN'); // nothing returns to New
    await page.keyboard.press('e');
    await page.getByText('Status changed').waitFor();
    await undone(page);
    assert.equal((await of(ids[1])).status.type, 'OPEN');
  });

  test('tags that a colleague has changed meanwhile are kept', async (t) => {
    const ids = [await asked('Race 1'), await asked('Race 2')], page = await sit(t, world.first);
    await row(page, 'Race 2').waitFor();
    await select(page, 'Race 1', 'Race 2');
    let reads = 0;
    await page.route(/\/cases\?.*fields=tags/, async (route) => {
      const response = await route.fetch();
      if (++reads === 2) { // the first one asks which tags can be removed
        await world.desk.clock.forward(2);
        await world.desk.staff.update(`/cases/${ids[0]}`, { tags: 'from-a-colleague' });
      }
      await route.fulfill({ response });
    });
    await pick(page, 't', 'mine', /^mine/);
    await page.getByText('2 changed').waitFor();
    assert.deepEqual(await tags(ids), ['from-a-colleague,mine', 'mine']);
    assert.equal(reads, 3);
  });

  test('the palette finds the areas of settings that the person may see', async (t) => {
    const page = await sit(t, world.first), owner = await sit(t, world.desk.people.owner, '/agent/views/1');
    for (const [one, sees] of [[page, false], [owner, true]]) {
      await one.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
      await one.keyboard.press('Control+k');
      await one.getByRole('combobox', { name: 'Commands' }).fill('mailb');
      await one.getByText(sees ? /^Mailboxes/ : 'Search for “mailb”').first().waitFor();
      assert.equal(await one.getByRole('group', { name: 'Settings' }).getByRole('option', { name: /Mailboxes/ }).count(), sees ? 1 : 0);
    }
    await owner.getByRole('group', { name: 'Settings' }).getByRole('option', { name: /Mailboxes/ }).click();
    await owner.waitForURL(/settings\/mailboxes/);
    await page.getByRole('combobox', { name: 'Commands' }).fill('token');
    await page.getByRole('group', { name: 'Settings' }).getByRole('option').first().click();
    await page.waitForURL(/settings\/tokens/);
  });
});

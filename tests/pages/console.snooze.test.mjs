// Snoozed conversations in the console: by keys, until a time or the reply of the customer, several at once, with undo.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { audit, consoleWorld, outside, row, shoot, strip, until } from './console.mjs';

describe('snoozed conversations', () => {
  const world = consoleWorld();
  const { sit, asked } = world;
  const snoozeOf = async (id) => (await world.desk.staff.fetch(`/cases/${id}`, { fields: 'snooze' })).snooze;
  const choose = async (page, typed, option) => {
    await page.keyboard.press('h');
    await page.getByRole('dialog').getByRole('combobox').fill(typed);
    await page.getByRole('option', { name: option }).first().waitFor();
    await page.keyboard.press('Enter');
  };

  before(() => world.desk.owner.update(`/users/${world.first.id}`, { time_zone: 'Asia/Kolkata' }));

  test('two keys and a word snooze until a morning in the zone of the person, the next conversation opens, and the undo wakes it', async (t) => {
    const id = await asked('Morning'), next = await asked('Next one'), page = await sit(t, world.first);
    await row(page, 'Morning').click();
    await page.getByRole('heading', { name: 'Morning', level: 2 }).waitFor();
    await page.keyboard.press('h');
    await page.getByRole('option', { name: /Tomorrow/ }).waitFor();
    await shoot(page, 'snooze-palette');
    assert.deepEqual(await audit(page), []);
    await page.keyboard.press('Escape');
    await choose(page, 'tom', /Tomorrow/);
    await strip(page, /Snoozed until/);
    const { until: at } = await snoozeOf(id), local = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Kolkata', hour: 'numeric', minute: '2-digit', hourCycle: 'h23' }).format(new Date(at));
    assert.equal(local, '09:00');
    const ahead = Date.parse(at) - Date.parse((await world.desk.staff.get('/me')).headers['date-iso']);
    assert.ok(ahead > 0 && ahead < 33 * 3600_000, `${ahead}`);
    await page.getByRole('heading', { name: 'Next one', level: 2 }).waitFor();
    await page.keyboard.press('z');
    await strip(page, 'Undone');
    assert.equal(await snoozeOf(id), null);
    await world.desk.staff.put(`/cases/${next}`, { status_id: 4 });
  });

  test('a snoozed conversation says until when and by whom, and is woken by a button; the activity is a sentence', async (t) => {
    const id = await asked('Until the reply');
    const page = await sit(t, world.first, `/agent/cases/${id}`);
    await page.getByRole('heading', { name: 'Until the reply', level: 2 }).waitFor();
    await choose(page, 'repl', /When the customer replies/);
    await until(async () => (await snoozeOf(id)) !== null);
    await page.goto(new URL(`/agent/cases/${id}`, page.url()).href);
    await page.getByText('Snoozed until the customer replies').waitFor();
    for (const [theme, width] of [['light', 1280], ['dark', 360]]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((wanted) => { document.documentElement.dataset.theme = wanted; }, theme);
      await shoot(page, `snooze-notice-${theme}-${width}`);
      assert.deepEqual(await audit(page), []);
      assert.deepEqual(await outside(page), []);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Wake up' }).click();
    await strip(page, /in the inbox again/);
    assert.equal(await snoozeOf(id), null);
    await page.keyboard.press('z');
    await strip(page, 'Undone');
    assert.deepEqual((await snoozeOf(id)).until, null);
    await page.getByText('Snoozed until the customer replies').first().waitFor();
  });

  test('another time is chosen in a form, and a time in the past is refused before it is sent', async (t) => {
    const id = await asked('Another time'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await page.getByRole('heading', { name: 'Another time', level: 2 }).waitFor();
    await choose(page, 'another', /Another time/);
    const field = page.getByLabel('Snoozed until');
    await field.fill('2020-01-01T09:00');
    await page.keyboard.press('Enter');
    assert.equal(await field.isVisible(), true);
    assert.equal(await snoozeOf(id), null);
    const year = new Date().getFullYear() + (new Date().getMonth() > 5 ? 1 : 0);
    await field.fill(`${year}-06-30T14:30`);
    await shoot(page, 'snooze-time');
    assert.deepEqual(await audit(page), []);
    await page.getByRole('dialog').getByRole('button', { name: 'Snooze' }).click();
    await until(async () => (await snoozeOf(id)) !== null);
    assert.equal(new Date((await snoozeOf(id)).until).toISOString(), `${year}-06-30T09:00:00.000Z`, 'the zone is half an hour off');
  });

  test('several are snoozed by a key, and the undo gives each its former snooze back', async (t) => {
    const ids = [await asked('Several 1'), await asked('Several 2')], page = await sit(t, world.first);
    const { id: view } = await world.desk.admin.create('/views', { title: 'All of them', visibility_type: 'ALL', predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'several' }] }] });
    await world.desk.staff.put(`/cases/${ids[1]}/snooze`, { until_reply: true });
    await page.goto(new URL(`/agent/views/${view}`, page.url()).href);
    for (const one of ['Several 1', 'Several 2']) { await row(page, one).hover(); await row(page, one).getByRole('checkbox').check(); }
    await page.getByRole('toolbar', { name: '2 selected' }).waitFor();
    await choose(page, 'week', /week/i);
    await page.getByText('2 changed').waitFor();
    for (const id of ids) assert.ok((await snoozeOf(id)).until);
    await page.keyboard.press('z');
    await strip(page, 'Undone');
    assert.deepEqual([await snoozeOf(ids[0]), (await snoozeOf(ids[1])).until], [null, null]);
  });
});

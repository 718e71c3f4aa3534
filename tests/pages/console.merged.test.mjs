// A conversation that was merged leads to the one that has its posts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audit, consoleWorld, joined, posts, shoot, until } from './console.mjs';

describe('merged conversations', () => {
  const world = consoleWorld();
  const { sit, asked } = world;
  const merge = async (survivor, other) => (await world.desk.owner.post(`/cases/${survivor}/merge`, { case_ids: [other] })).must(200);
  const strip = (page, from) => page.locator('.strip').filter({ hasText: `#${from} was merged into this conversation.` });

  test('who opens a merged conversation is led to the one that stays, at the same place, also after a second merge', async (t) => {
    const [first, second, third] = [await asked('First leaks'), await asked('Second leaks'), await asked('Third leaks')];
    await merge(second, first);
    await merge(third, second);
    const page = await sit(t, world.first, `/agent/cases/${first}`);
    await page.waitForURL(`**/agent/cases/${third}`);
    await page.getByRole('heading', { name: 'Third leaks', level: 2 }).waitFor();
    await strip(page, first).waitFor();
    await until(async () => await posts(page).count() === 3);
    await shoot(page, 'merged-led');
    await page.goto(`${world.desk.base}/agent/views/1/${second}`);
    await page.waitForURL(`**/agent/views/1/${third}`);
    await strip(page, second).waitFor();
    await page.goBack(); // the merged one is not in the history
    assert.doesNotMatch(page.url(), new RegExp(`/${second}$`));
  });

  test('who had it open stays, with a link, and who may not see the other one is not led there', async (t) => {
    const [stays, goes] = [await asked('Stays'), await asked('Goes')], page = await sit(t, world.first, `/agent/cases/${goes}`);
    await posts(page).first().waitFor();
    await joined(page);
    await merge(stays, goes);
    const link = page.getByRole('link', { name: `#${stays} Stays` });
    await link.waitFor();
    assert.match(page.url(), new RegExp(`/${goes}$`));
    await shoot(page, 'merged-link');
    assert.deepEqual(await audit(page), []);
    await link.click();
    await page.waitForURL(`**/agent/cases/${stays}`);
    const [hidden, own] = [await asked('Hidden'), await asked('Own')];
    const narrow = await world.desk.person('agent', { agent_case_access: 'SELF' });
    await world.desk.staff.update(`/cases/${own}`, { assigned_agent_id: narrow.id });
    await merge(hidden, own);
    const theirs = await sit(t, narrow, `/agent/cases/${own}`);
    await theirs.getByText('This conversation was merged into another one.').waitFor();
    await theirs.waitForLoadState('networkidle');
    assert.match(theirs.url(), new RegExp(`/${own}$`));
    assert.equal(await theirs.getByRole('link', { name: /Hidden/ }).count(), 0);
  });
});

// The reports of the console: numbers in words, pictures and tables, by keys and by the mouse, and the conversations behind a number.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { chord, consoleWorld, examine, row, shoot, until } from './console.mjs';

const report = (page, name) => page.locator(`#${name}`);
const drawn = (page) => page.waitForFunction(() => !document.querySelector('.report-wait') && ['load', 'tags', 'organizations', 'articles', 'week'].every((id) => document.querySelector(`#${id}[aria-busy=false]`)));
const pixels = (plot) => plot.locator('canvas').evaluate((canvas) => { const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); return data.filter((v, i) => i % 4 === 3 && v > 0).length; });

describe('the reports', () => {
  const world = consoleWorld();

  test('of an empty desk say so, and count the first conversation, which one key opens', async (t) => {
    const { desk } = world, page = await world.sit(t, world.first, '/agent');
    await page.locator('.list-box').waitFor();
    await chord(page, 'g', 'r');
    await drawn(page);
    assert.match(await report(page, 'volume').innerText(), /No conversation was created in this period/);
    assert.match(await report(page, 'load').innerText(), /Nobody replied, and nothing is open/);
    const id = await world.asked('Broken lamp');
    (await desk.as('agent').post(`/cases/${id}/reply`, { contents: 'Soon', channel: 'HELPCENTER' })).must(201);
    await page.reload();
    await drawn(page);
    assert.match(await report(page, 'volume').innerText(), /1 conversation was created, and none before.*100% came by Help center/s);
    assert.match(await report(page, 'first_response').innerText(), /Half of 1 took at most/);
    assert.match(await report(page, 'backlog').innerText(), /1 conversation is open at the end, 0 of them longer than 30 days/);
    assert.match(await report(page, 'satisfaction').innerText(), /Nobody rated/);
    const plot = report(page, 'volume').getByRole('slider');
    await until(async () => await pixels(plot) > 100);
    await plot.focus();
    await page.keyboard.press('End');
    assert.match(await plot.getAttribute('aria-valuetext'), / · Help center 1$/);
    await page.keyboard.press('ArrowLeft');
    assert.match(await plot.getAttribute('aria-valuetext'), / · Help center 0$/);
    await page.keyboard.press('Enter'); // there is nothing to open
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await row(page, 'Broken lamp').waitFor();
    await page.getByText('These are the conversations of the figure.').waitFor();
    await page.getByRole('link', { name: 'Back to the reports' }).click();
    await drawn(page);
  });

  test('have a table whose numbers lead to conversations, and say when some count more than once', async (t) => {
    const { desk } = world, page = await world.sit(t, world.first, '/agent/reports?days=7&load=channel');
    const id = await world.asked('Two answers');
    for (const contents of ['First', 'Second']) (await desk.as('agent').post(`/cases/${id}/reply`, { contents, channel: 'HELPCENTER' })).must(201);
    await page.reload();
    await drawn(page);
    await report(page, 'volume').getByText('Table').click();
    const cells = report(page, 'volume').locator('tbody tr').last();
    assert.match(await cells.innerText(), /so far/);
    const [download] = await Promise.all([page.waitForEvent('download'), report(page, 'volume').getByRole('link', { name: 'CSV' }).click()]);
    assert.equal(download.suggestedFilename(), 'series.csv');
    await report(page, 'load').getByRole('row', { name: 'Help center' }).getByRole('link').first().click();
    await row(page, 'Two answers').waitFor();
    await page.getByText(/conversations for the figure \d+: some count more than once/).waitFor();
    await page.goBack();
    await drawn(page);
    assert.match(page.url(), /load=channel/);
  });

  test('have their period, comparison and conditions in the address', async (t) => {
    const page = await world.sit(t, world.first, '/agent/reports');
    await drawn(page);
    await page.getByRole('form').getByLabel('Channel').selectOption('MAIL');
    await until(async () => /No conversation was created/.test(await report(page, 'volume').innerText()));
    assert.match(page.url(), /channel=MAIL/);
    await page.getByRole('form').getByLabel('Compare with').selectOption('none');
    await page.getByRole('button', { name: 'Remove all conditions' }).click();
    await until(async () => /were created\./.test(await report(page, 'volume').innerText()));
    await page.locator('.report-choices select').first().selectOption('own');
    await page.getByRole('form').getByLabel('From').fill('2016-01-01');
    await page.getByRole('form').getByLabel('From').press('Tab');
    await until(async () => /2016-01-01/.test(page.url()));
    await drawn(page);
    await until(async () => (await report(page, 'volume').getByRole('slider').getAttribute('aria-valuemax')) > 110);
    await page.goto(`${world.desk.base}/agent/reports?from=2026-11-03&to=2026-11-01`);
    await page.getByRole('alert').filter({ hasText: 'The first date is after the last one' }).waitFor();
    await page.goto(`${world.desk.base}/agent/reports?tag=nowhere`);
    await page.getByText('There is no tag “nowhere”.').waitFor();
  });

  test('say in words what failed, and that numbers are not complete', async (t) => {
    const page = await world.sit(t, world.first, '/agent/reports');
    await drawn(page);
    await page.route('**/insights/cases/series*', (route) => (/metric=SLA/.test(route.request().url()) ? route.abort() : route.continue()));
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'This report could not be read' }).waitFor();
    await page.unroute('**/insights/cases/series*');
    await report(page, 'sla').getByRole('button', { name: 'Try again' }).click();
    await report(page, 'sla').getByText('No clock of a service level started').waitFor();
    await page.route('**/insights/cases/series*', async (route) => {
      const reply = await route.fetch(), body = await reply.json();
      await route.fulfill({ response: reply, json: { ...body, data: { ...body.data, is_complete: false } } });
    });
    await page.reload();
    await page.getByRole('status').filter({ hasText: 'Numbers are still being computed' }).waitFor();
  });

  test('and the wall shows by itself what happens, also after a break', async (t) => {
    const page = await world.sit(t, world.first, '/agent/wall', { width: 1920, height: 1080 }), count = (name) => page.locator('.wall-counts div').filter({ hasText: name }).locator('dd').innerText();
    await until(async () => /^\d+$/.test(await count('New')));
    const before = Number(await count('New'));
    await world.asked('Smoke in the hall');
    await page.locator('.wall-row').filter({ hasText: 'Smoke in the hall' }).waitFor();
    await until(async () => Number(await count('New')) === before + 1);
    assert.match(await page.locator('.wall').innerText(), /Nothing is due in the next four hours/);
    await page.context().setOffline(true);
    const id = await world.asked('While nobody looked');
    await page.context().setOffline(false);
    await page.locator('.wall-row').filter({ hasText: 'While nobody looked' }).waitFor();
    (await world.desk.as('agent').post(`/cases/${id}/reply`, { contents: 'Soon', channel: 'HELPCENTER', status_id: 4 })).must(201);
    await page.locator('.wall-row').filter({ hasText: 'While nobody looked' }).waitFor({ state: 'detached' });
  });

  test('tell a role that may not see them who can change that', async (t) => {
    const { desk } = world, { id } = await desk.owner.create('/roles', { title: 'Quiet', type: 'AGENT' });
    (await desk.owner.put(`/roles/${id}/permissions`, { 'insights.access': false })).must(200);
    const page = await world.sit(t, await desk.person('agent', { role_id: id }), '/agent/reports');
    await page.getByText('Your role may not see reports.').waitFor();
    assert.equal(await page.locator('.report').count(), 0);
  });
});

describe('the reports of a desk with a history', () => {
  const world = consoleWorld({ conversations: 300 });

  test('have the hours of the week by keys, tags with their change, and a logarithmic scale', async (t) => {
    const page = await world.sit(t, world.first, '/agent/reports?days=365&week=replies'), { owner } = world.desk;
    await drawn(page);
    const week = report(page, 'week'), said = week.locator('.report-words'), names = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
    const asked = new URL(await week.getByRole('link', { name: 'CSV' }).getAttribute('href'), page.url()).searchParams;
    asked.delete('format');
    const { values, total } = await owner.fetch('/insights/cases/hours', Object.fromEntries(asked));
    const flat = values.flat(), peak = flat.indexOf(Math.max(...flat)), [day, hour] = [Math.floor(peak / 24), peak % 24];
    assert.match(await week.locator('.report-says').innerText(), new RegExp(`The busiest hour is ${names[day]}, .*: ${flat[peak]} of ${total.value}\\.`));
    await week.locator('td[tabindex="0"]').focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < hour; i++) await page.keyboard.press('ArrowRight');
    for (let i = 0; i < day; i++) await page.keyboard.press('ArrowDown');
    assert.match(await said.innerText(), new RegExp(`^${names[day]}, .* · Replies ${flat[peak]}$`));
    assert.deepEqual(await page.evaluate(() => [document.activeElement.dataset.cell, document.activeElement.dataset.level]), [`${day}-${hour}`, '5']);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('End');
    assert.match(await said.innerText(), /^Sunday, 11:00 PM to 12:00 AM · Replies \d+$/);
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.cell), '6-23');
    await week.getByText('Table').click();
    assert.equal(await week.locator('.report-more tbody tr').count(), 24);
    const [download] = await Promise.all([page.waitForEvent('download'), week.getByRole('link', { name: 'CSV' }).click()]);
    assert.equal(download.suggestedFilename(), 'hours.csv');
    await week.getByRole('combobox').selectOption('CREATED');
    await until(async () => /of 165\./.test(await week.locator('.report-says').innerText()));

    const tags = report(page, 'tags'), ranked = await owner.fetch('/insights/cases/groups', { metric: 'CREATED', group: 'TAG', start_at: asked.get('start_at'), end_at: asked.get('end_at') });
    const first = ranked.groups.find(({ key }) => key !== null), { name } = ranked.tags.find(({ id }) => id === first.key);
    const cells = tags.getByRole('row', { name }).first().getByRole('cell');
    assert.deepEqual((await cells.allInnerTexts()).slice(0, 2).map((text) => Number(text)), [first.total.value, first.previous.value]);
    assert.match(await tags.locator('.report-says').innerText(), new RegExp(`The most frequent tag is ${name}: ${first.total.value} of 165`));
    await page.getByRole('form').getByLabel('Compare with').selectOption('none');
    await until(async () => await tags.getByRole('columnheader').count() === 2);
    await page.getByRole('form').getByLabel('Compare with').selectOption('year');
    await until(async () => await tags.getByRole('columnheader').count() === 4);

    await page.getByRole('form').getByLabel('Scale of waits').selectOption('log');
    await until(() => /scale=log/.test(page.url()));
    await until(async () => await pixels(report(page, 'next_response').getByRole('slider')) > 100);
    await shoot(page, 'console-reports-log');
    await tags.getByRole('row', { name }).first().getByRole('link').click();
    await page.getByText('These are the conversations of the figure.').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()]);
    assert.equal(file.suggestedFilename(), 'conversations.csv');
    assert.equal(readFileSync(await file.path(), 'utf8').trimEnd().split('\r\n').length, first.total.value + 1);
  });

  test('have the conversations behind an hour of the week by the mouse, a key and a link', async (t) => {
    const page = await world.sit(t, world.first, '/agent/reports?days=365'), { owner } = world.desk, week = report(page, 'week');
    await drawn(page);
    const asked = Object.fromEntries(new URL(await week.getByRole('link', { name: 'CSV' }).getAttribute('href'), page.url()).searchParams);
    delete asked.format;
    const { values } = await owner.fetch('/insights/cases/hours', asked), flat = values.flat(), at = flat.indexOf(Math.max(...flat)), [day, hour] = [Math.floor(at / 24), at % 24];
    const names = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], cell = week.locator(`[data-cell="${day}-${hour}"]`);
    /** The page has the conversations of the cell; then it leads back. */
    const isBehind = async () => {
      await page.getByText('These are the conversations of the figure.').waitFor();
      const query = new URL(page.url()).searchParams;
      assert.deepEqual(['weekday', 'hour', 'figure', 'time_zone'].map((name) => query.get(name)), [names[day].toUpperCase(), String(hour), String(flat[at]), asked.time_zone]);
      await until(async () => new RegExp(`^New conversations: ${names[day]}, .* to `).test(await page.title()));
      await page.getByRole('link', { name: 'Back to the reports' }).click();
      await drawn(page);
    };
    await cell.click();
    await isBehind();
    await cell.focus();
    await page.keyboard.press('Enter');
    await isBehind();
    await week.getByText('Table').click();
    await week.locator('.report-more tbody tr').nth(hour).getByRole('link', { name: new RegExp(`^${names[day]}, .*: ${flat[at]}$`) }).click();
    await isBehind();
    const none = flat.indexOf(0);
    assert.ok(none >= 0);
    await week.locator(`[data-cell="${Math.floor(none / 24)}-${none % 24}"]`).focus();
    await page.keyboard.press('Enter'); // there is nothing to open
    assert.equal(new URL(page.url()).pathname, '/agent/reports');
  });

  test('have one organization as a condition, which the address keeps', async (t) => {
    const page = await world.sit(t, world.first, '/agent/reports?days=365'), { owner } = world.desk;
    await drawn(page);
    const asked = new URL(await report(page, 'organizations').getByRole('link', { name: 'CSV Replies' }).getAttribute('href'), page.url()).searchParams, period = { start_at: asked.get('start_at'), end_at: asked.get('end_at') };
    const { groups, organizations } = await owner.fetch('/insights/cases/groups', { ...period, metric: 'CREATED', group: 'ORGANIZATION', include: 'organization' });
    const largest = groups.find(({ key }) => key !== null), { name } = organizations.find(({ id }) => id === largest.key), none = groups.find(({ key }) => key === null);
    const field = page.getByRole('form').getByRole('combobox', { name: 'Organization' }), says = (n) => until(async () => new RegExp(`^${n} conversations? w(as|ere) created`, 'm').test(await report(page, 'volume').innerText()));
    await field.fill(name);
    await page.getByRole('option', { name, exact: true }).click();
    await says(largest.total.value);
    assert.equal(new URL(page.url()).searchParams.get('organization_id'), String(largest.key));
    await page.reload();
    await drawn(page);
    await until(async () => await field.inputValue() === name);
    await says(largest.total.value);
    await page.getByRole('button', { name: 'Remove all conditions' }).click();
    await until(async () => await field.inputValue() === '' && !/organization_id/.test(page.url()));
    await says(165);
    await field.pressSequentially('no org');
    await page.getByRole('option', { name: 'no organization', exact: true }).waitFor();
    await field.press('Enter');
    await until(async () => await field.inputValue() === 'no organization' && /organization_id=0/.test(page.url()));
    if (none) await says(none.total.value);
    await page.goto(`${world.desk.base}/agent/reports?organization_id=987654`);
    await until(async () => await field.inputValue() === 'number 987654');
  });

  test('have organizations and articles with their change, and the conversations behind', async (t) => {
    const { desk } = world, { owner } = desk, page = await world.sit(t, world.first, '/agent/reports?days=365');
    await drawn(page);
    const organizations = report(page, 'organizations'), asked = new URL(await organizations.getByRole('link', { name: 'CSV Replies' }).getAttribute('href'), page.url()).searchParams;
    const period = { start_at: asked.get('start_at'), end_at: asked.get('end_at') }, ranked = async (metric) => owner.fetch('/insights/cases/groups', { ...period, metric, group: 'ORGANIZATION', most: 1000, include: 'organization' });
    const created = await ranked('CREATED'), replies = await ranked('REPLIES'), first = created.groups.find(({ key }) => key !== null), { name } = created.organizations.find(({ id }) => id === first.key);
    const line = organizations.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) }), texts = await line.getByRole('cell').allInnerTexts();
    const replied = replies.groups.find(({ key }) => key === first.key)?.total.value ?? 0;
    assert.deepEqual([Number(texts[0]), Number(texts[1]), Number(texts[3])], [first.total.value, first.previous.value, replied]); // it has replies
    assert.match(await organizations.locator('.report-says').innerText(), new RegExp(`The most conversations: .*, ${first.total.value} of ${created.total.value}`));
    assert.match(await report(page, 'articles').innerText(), /Nobody read an article or searched in this period/);
    await line.getByRole('link').first().click();
    await page.getByText('These are the conversations of the figure.').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('organization_id'), String(first.key));

    const [{ id }] = await owner.fetch('/articles', { limit: 1 }), day = Math.floor(desk.clock.now / 86_400_000), at = desk.clock.now - 3_600_000;
    desk.sql(`INSERT INTO article_views (article_id, day, views) VALUES (${id}, ${day}, 30), (${id}, ${day - 400}, 20); INSERT INTO article_votes (article_id, fingerprint, is_up, created_at) VALUES (${id}, 'a', 1, ${at}), (${id}, 'b', 0, ${at});
      INSERT INTO help_center_searches (name_key, name, attempts, results, searched_at) VALUES ('teleport', 'Teleport', 3, 0, ${at})`);
    await owner.create('/teams', { title: 'A write ends kept snapshots' });
    await page.goto(`${desk.base}/agent/reports?days=365`);
    await drawn(page);
    const articles = report(page, 'articles');
    await until(async () => /30 views: 1 found an article helpful, 1 did not\. Before: 20 views\. 3 of 3 searches found nothing\./.test(await articles.innerText()));
    assert.match(await articles.innerText(), /Searched, but not found: “Teleport” \(3\)/);
    assert.deepEqual(await articles.locator('.is-open tbody td').allInnerTexts().then((list) => list.map((text) => text.trim())), ['30', '1', '1', '0', '20', '+50%']);
    await articles.getByRole('combobox').selectOption('downvotes');
    await until(async () => (await articles.locator('.is-open tbody td').allInnerTexts()).map((text) => text.trim()).join() === '30,1,1,0,0,new');
    assert.match(page.url(), /articles=downvotes/);
    const [download] = await Promise.all([page.waitForEvent('download'), articles.getByRole('link', { name: 'CSV: By day' }).click()]);
    assert.equal(download.suggestedFilename(), 'days.csv');
    assert.match(readFileSync(await download.path(), 'utf8').trimEnd().split('\r\n').at(-1), /,30,1,1,0,3,3$/);
    await shoot(page, 'console-reports-articles');
  });

  test('fit at each width, in both themes and in Arabic', async (t) => {
    const complete = (p) => p.locator('#load table'), screens = [['reports', '/agent/reports?days=365', complete]];
    const page = await world.sit(t, world.first, '/agent/reports?days=365');
    await drawn(page);
    await examine(world, page, screens, { sizes: [[360, 740], [1280, 800]] });
    await page.setViewportSize({ width: 1920, height: 3300 });
    await drawn(page);
    await shoot(page, 'console-reports-whole');
    await examine(world, page, [['wall', '/agent/wall', (p) => p.locator('.wall-row')]], { sizes: [[1280, 720], [1920, 1080]] });
    const { id: locale_id } = (await world.desk.owner.fetch('/locales', { limit: 100 })).find(({ locale }) => locale === 'ar');
    await world.first.client.update('/profile', { locale_id });
    await examine(world, page, screens, { sizes: [[768, 1024]], themes: ['dark'], label: '-ar' });
    assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl');
  });
});

// Large desks and long days: a list scrolled to its end and back, a conversation of many posts, and a tab that stays open for eight
// hours. The built-in numbers are small. CONVERSATIONS=1000000, or DESK=folder of a demo desk, which is copied; POSTS=5000;
// EVENTS=10000.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { consoleWorld, joined, posts, until } from './console.mjs';
import { held, requestsOf } from './measures.mjs';

const POSTS = Number(process.env.POSTS ?? 450), EVENTS = Number(process.env.EVENTS ?? 400), MB = 1 << 20;
const world = consoleWorld({ conversations: Number(process.env.CONVERSATIONS ?? 1000), from: process.env.DESK }), { sit } = world;

/** The list of all conversations of a view with the most of them. */
const longestView = async () => {
  const counts = (await world.first.client.get('/views/counts')).must(200).body.data;
  const most = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return { view: most.view?.id ?? most.id, count: most.count };
};

/** The rows on the screen, from the top: [position, id of the conversation, whether its contents are shown]. */
const onScreen = (page) => page.evaluate(() => {
  const box = document.querySelector('[role=grid]');
  if (!box) return []; // the list is loaded
  const { top, bottom } = box.getBoundingClientRect();
  return [...box.querySelectorAll('[role=row][aria-rowindex]')].map((row) => ({ row, at: Number(row.ariaRowIndex ?? row.getAttribute('aria-rowindex')), box: row.getBoundingClientRect() }))
    .filter(({ box }) => box.bottom > top + 1 && box.top < bottom - 1).sort((a, b) => a.box.top - b.box.top)
    .map(({ row, at, box }) => ({ at, top: box.top, bottom: box.bottom, text: row.querySelector('.row-subject')?.textContent }));
});
/** The rows when all have their contents. They follow each other without a gap. */
const complete = async (page) => {
  let rows;
  await until(async () => { rows = await onScreen(page); return rows.length && rows.every(({ text }) => text); });
  rows.slice(1).forEach((row, i) => {
    assert.equal(row.at, rows[i].at + 1);
    assert.ok(Math.abs(row.top - rows[i].bottom) <= 1, `a gap between rows ${rows[i].at} and ${row.at}`);
  });
  return rows;
};
const scrollTo = (page, share) => page.evaluate((share) => { const box = document.querySelector('[role=grid]'); box.scrollTop = share * (box.scrollHeight - box.clientHeight); }, share);

test('a list is scrolled to its end and back: no row is missing, and each is the one that the API has there', async (t) => {
  const { view } = await longestView(), page = await sit(t, world.first, `/agent/views/${view}`);
  const subjects = async (offset, limit) => (await world.first.client.get(`/views/${view}/cases`, { offset, limit, fields: 'subject' })).must(200).body.data.map(({ subject }) => subject);
  await complete(page);
  const total = Number(await page.getByRole('grid').getAttribute('aria-rowcount'));
  const check = async () => {
    const rows = await complete(page);
    assert.deepEqual(rows.map(({ text }) => text), await subjects(rows[0].at - 1, rows.length), `at ${rows[0].at}`);
    return rows;
  };
  const shares = Array.from({ length: 20 }, (_, i) => (i + 1) / 20);
  await page.getByRole('grid').hover();
  for (const share of [...shares, ...shares.toReversed()]) {
    await scrollTo(page, share);
    const [from] = await check();
    for (let i = 0; i < 3; i++) await page.mouse.wheel(0, 500 * (share === 1 ? -1 : 1));
    await sleep(50);
    const [after] = await check();
    assert.ok(Math.abs(after.at - from.at) < 40, `the wheel moved from ${from.at} to ${after.at}`);
  }
  await page.locator('[role=row][tabindex="0"]').focus().catch(() => page.getByRole('grid').focus());
  await scrollTo(page, 1);
  await check();
  await page.locator('[role=row]').last().focus();
  await page.keyboard.press('End');
  assert.equal((await check()).at(-1).at, total);
  await page.keyboard.press('Home');
  assert.equal((await check())[0].at, 1);
});

test('rows that moved to the top while one reads leave no empty places at the end', async (t) => {
  const ids = [];
  for (let n = 0; n < 53; n++) ids.push(await world.asked(`Queue ${n}`));
  for (let i = 0; i < ids.length; i += 50) (await world.second.client.put('/cases', { tags: 'queue' }, { query: { ids: ids.slice(i, i + 50).join() } })).must(200);
  const rules = [{ propositions: [{ field: 'tags.name', operator: 'collection_contains_insensitive', value: 'queue' }] }];
  const { id: view } = await world.second.client.create('/views', { title: 'Queue', visibility_type: 'ALL', predicate_collections: rules, order_by_column: 'updatedat', order_by: 'DESC' });
  const page = await sit(t, world.first, `/agent/views/${view}`);
  await complete(page);
  const last = (await world.first.client.get(`/views/${view}/cases`, { offset: 50, fields: 'subject' })).must(200).body.data;
  await world.desk.clock.forward(5);
  for (const { id } of last) await world.second.client.update(`/cases/${id}`, { priority_id: 4 });
  await scrollTo(page, 1);
  assert.equal((await complete(page)).at(-1).at, 50);
});

test('a conversation of many posts opens with few of them, is read back to the first, and the page holds at most 200', async (t) => {
  const id = await world.asked('A long talk', 'The very first words');
  for (let n = 2; n <= POSTS; n++) await world.second.client.create(`/cases/${id}/notes`, { contents: `Post ${n}` });
  const page = await sit(t, world.first, `/agent/cases/${id}`), requests = requestsOf(page);
  await posts(page).filter({ hasText: `Post ${POSTS}` }).waitFor();
  assert.ok(await posts(page).count() <= 50);
  const first = posts(page).filter({ hasText: 'The very first words' });
  let most = 0;
  for (let step = 0; step < POSTS && !(await first.count()); step++) {
    const before = requests.all.length;
    await page.locator('.timeline').evaluate((e) => { e.scrollTop = 0; });
    await until(async () => requests.all.length > before || await first.count());
    await requests.settled(100);
    most = Math.max(most, await posts(page).count());
  }
  await first.first().waitFor();
  assert.ok(most <= 200, `the page held ${most} posts`);
});

test('a tab that lives eight hours does not grow', async (t) => {
  const { view } = await longestView(), page = await sit(t, world.first, '/agent', { prepare: (page) => page.clock.install() });
  await page.goto(`${world.desk.base}/agent/views/${view}`);
  await page.locator('[role=row][data-at] b').first().waitFor();
  const ids = (await world.first.client.get(`/views/${view}/cases`, { limit: 60, fields: 'subject' })).must(200).body.data.map(({ id }) => id);
  await joined(page);
  /** True if the row with the focus has its contents; undefined if no row has the focus. */
  const rowInFocus = () => page.evaluate(() => document.activeElement.matches('[role=row]') ? Boolean(document.activeElement.querySelector('.row-subject')) : undefined);
  /** Goes on to the next conversation; from a row that is not read yet, to the one behind it. */
  const onward = async (key) => {
    const from = page.url();
    let tries = 0;
    await until(async () => { if (page.url() === from && tries++ % 40 === 0) await page.keyboard.press(key); return page.url() !== from; });
  };
  /** One of 48 parts of the day: events of others, a look at some conversations, ten minutes of the clock. */
  const part = async (n) => {
    for (let i = 0; i < EVENTS / 48; i++) {
      const id = ids[(n * 7 + i) % ids.length];
      if (i % 10 === 9) await world.second.client.create(`/cases/${id}/notes`, { contents: `Note ${n} ${i}` });
      else await world.second.client.update(`/cases/${id}`, { priority_id: 1 + (n + i) % 4 });
    }
    const key = n % 20 < 11 ? 'j' : 'k'; // down and up: the list does not end
    await page.keyboard.press(key);
    await until(async () => { const known = await rowInFocus(); if (known === undefined) await page.keyboard.press(key); return known; });
    await page.keyboard.press('Enter');
    for (let i = 0; i < 3; i++) {
      await page.waitForURL(/\/views\/\d+\/\d+$/);
      await posts(page).first().waitFor();
      if (i < 2) await onward(key);
    }
    await page.keyboard.press('Escape');
    await page.clock.fastForward(600_000);
    await sleep(50);
  };
  const samples = [];
  for (let n = 0; n < 48; n++) {
    await part(n);
    if (n % 8 === 7) samples.push(await held(page));
  }
  t.diagnostic(samples.map(({ heap, nodes, listeners }) => `${(heap / MB).toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners`).join('; '));
  const early = samples[1], late = samples.at(-1);
  assert.ok(late.heap < 60 * MB, `${late.heap} bytes`);
  assert.ok(late.heap < early.heap * 1.25 + MB, `the heap grew from ${early.heap} to ${late.heap}`);
  assert.ok(late.nodes < early.nodes * 1.1 + 200, `nodes grew from ${early.nodes} to ${late.nodes}`);
  assert.ok(late.listeners < early.listeners * 1.1 + 50, `listeners grew from ${early.listeners} to ${late.listeners}`);
});

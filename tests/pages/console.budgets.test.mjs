// The budgets of the console. Bytes and numbers of requests are the same on each machine, so a test fails beyond them. Times are
// printed, and compared only by `make bench-console`, which sets BUDGETS=times. CONVERSATIONS is the size of the demo desk; DESK is a
// folder of a demo desk, which is copied.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleWorld, posts } from './console.mjs';
import { bytesOf, filesOf, firstTimes, jumps, keysToPaint, longFrames, noteFirst, p95, requestsOf, rowsToPosts, rowsToPostsByThread, table, without } from './measures.mjs';

const KB = 1024, COMPARED = process.env.BUDGETS === 'times';

const world = consoleWorld({ conversations: Number(process.env.CONVERSATIONS ?? 300), from: process.env.DESK }), { sit } = world;
const rows = [['what', 'measured', 'budget']];

const kept = (what, value, budget, unit, compared = true) => {
  const shown = (n) => (unit === 'KB' ? (n / KB).toFixed(1) : String(Math.round(n)));
  rows.push([what, value === undefined ? '-' : `${shown(value)} ${unit}`, `${shown(budget)} ${unit}`]);
  return compared && !(value <= budget) ? [`${what}: ${shown(value)} ${unit}, budget ${shown(budget)}`] : [];
};
/** The first view of an agent, as the console opens it. */
const inbox = async (t, more) => {
  const page = await sit(t, world.first, '/agent', more);
  await page.locator('[role=row][data-at] b').first().waitFor();
  return page;
};
const settled = (page) => page.waitForLoadState('networkidle');

test('the files of the first list, of the editor and of each area are small', async (t) => {
  const page = await inbox(t), list = page.url();
  const files = filesOf(page);
  await page.goto(list);
  await page.locator('[role=row][data-at] b').first().waitFor();
  await settled(page);
  const known = new Map(files); // without the editor
  await page.locator('[role=row][data-at]').first().click();
  await posts(page).first().waitFor();
  await page.locator('form.editor').waitFor();
  await page.keyboard.press('n'); // a note has rich text whatever the channel
  await page.locator('.editor [contenteditable=true]').waitFor();
  await settled(page);
  const over = [
    ...kept('first load of the list: script', bytesOf(known, 'js'), 60 * KB, 'KB'),
    ...kept('first load of the list: style', bytesOf(known, 'css'), 12 * KB, 'KB'),
    ...kept('list and editor: script', bytesOf(files, 'js'), 150 * KB, 'KB'),
  ];
  for (const [name, path] of await areas(page)) {
    const own = await inbox(t), opened = filesOf(own);
    await own.goto(world.desk.base + path);
    await own.getByRole('heading').first().waitFor({ state: 'attached' });
    await settled(own);
    const more = without(opened, name === 'new' ? files : known); // a new conversation is written in the editor
    over.push(...kept(`area ${name}`, bytesOf(more, 'js') + bytesOf(more, 'css'), (name === 'reports' ? 44 : 40) * KB, 'KB')); // with uPlot
  }
  assert.deepEqual(over, []);
});

/** Screens that are loaded when they are opened: those of the console, and each that the settings link. */
const areas = async (page) => {
  await page.goto(`${world.desk.base}/agent/settings`);
  await settled(page);
  const settings = await page.locator('a[href*="/agent/settings/"]').evaluateAll((links) => links.map((a) => new URL(a.href).pathname));
  return [['new', '/agent/new'], ['person', `/agent/people/${world.clara.id}`], ['notifications', '/agent/notifications'], ['reports', '/agent/reports'], ...[...new Set(settings)].map((path) => [path.replace('/agent/', ''), path])];
};

test('a conversation opens with four requests', async (t) => {
  const page = await inbox(t), requests = requestsOf(page);
  await page.locator('[role=row][data-at]').nth(1).click(); // the first one also reads what all need
  await posts(page).first().waitFor();
  const before = (await requests.settled()).length;
  await page.locator('[role=row][data-at]').first().click();
  const sent = (await requests.settled()).slice(before);
  // The read state is written, and the next conversations are read ahead, after this one is shown.
  const id = /\/(\d+)(\?|$)/.exec(page.url())[1], opening = sent.filter((one) => one.startsWith('GET') && (!/\/cases\/\d+/.test(one) || one.includes(`/cases/${id}`)));
  assert.deepEqual(kept('requests to open a conversation', opening.length, 4, ''), [], opening.join(', '));
});

test('times of the start, of rows, keys, jumps and scrolling', async (t) => {
  const over = [], page = await inbox(t, { prepare: (page) => page.addInitScript(noteFirst) });
  const time = (what, value, budget, unit = 'ms') => over.push(...kept(what, value, budget, unit, COMPARED));
  await settled(page);
  const list = page.url();
  await page.reload();
  await page.waitForFunction(() => globalThis.marks.list);
  const start = await firstTimes(page);
  time('first paint', start.paint, 300);
  time('list shown', start.list, 500);
  const opened = Math.min(40, Number(await page.getByRole('grid').getAttribute('aria-rowcount'))), [first, ...others] = await rowsToPosts(page, opened);
  rows.push(['first row to posts, with the start of its script', `${Math.round(first)} ms`, '-']);
  time('row to posts, p95', p95(others), 100);
  time('row to posts, p95, on the processor', p95(await rowsToPostsByThread(page, opened)), 100);
  await page.reload();
  await page.waitForFunction(() => globalThis.marks.conversation && globalThis.marks.editor);
  const whole = await firstTimes(page);
  time('conversation and editor usable', Math.max(whole.conversation, whole.editor), 800);
  await page.goto(list);
  await page.locator('[role=row][data-at] b').first().waitFor();
  await settled(page);
  time('key to paint, p95', p95(await keysToPaint(page, Array(40).fill('j'))), 50);
  time('jump anywhere in the list, p95', p95(await jumps(page, 30)), 150);
  const long = await longFrames(page, COMPARED ? 10 : 2);
  time('frames over 50 ms while scrolling', long.length, 0, '');
  for (const frame of long) t.diagnostic(JSON.stringify(frame));
  assert.deepEqual(over, []);
});
test('the budgets are printed as a table', (t) => {
  t.diagnostic(`budgets of the console\n${table(rows)}`);
  assert.ok(rows.length > 10);
});

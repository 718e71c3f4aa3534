// The ten most frequent tasks of an agent: key presses without typed texts, clicks, and requests that change something. The numbers
// are those of docs/CONSOLE.md, so a task that becomes longer fails. A task begins where one is before it: an open conversation, or
// the list.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { consoleWorld, editorReady, hasFocus, posts, row, until } from './console.mjs';
import { requestsOf, table } from './measures.mjs';

const world = consoleWorld(), { asked, sit } = world, rows = [['task', 'keys', 'clicks', 'writes']];

/** Counts what a person does. Typed text is not counted: it is the same in each desk. */
const hands = (page) => {
  const requests = requestsOf(page), count = { keys: 0, clicks: 0 };
  return {
    press: async (...keys) => { for (const key of keys) { count.keys++; await page.keyboard.press(key); } },
    click: async (target) => { count.clicks++; await target.click(); },
    choose: async (select, option) => { count.clicks += 2; await select.selectOption(option); },
    type: (text) => page.keyboard.type(text),
    /** Drafts and read states are written by themselves. */
    end: async () => ({ ...count, writes: (await requests.settled()).filter((one) => !/^GET|\/draft|\/read/.test(one)).length }),
  };
};

/** Does a task by keys, then by the mouse, each in a page of its own. `keys` and `clicks` get the page, the hands and an id. */
const task = (name, { start = 'conversation', prepare, keys, clicks, done }) => test(`the task: ${name}`, async (t) => {
  const result = [];
  for (const way of [keys, clicks]) {
    const id = await asked(`${name} ${way === keys ? 'by keys' : 'by mouse'}`), own = await prepare?.(id);
    const page = await sit(t, start === 'settings' ? world.desk.people.owner : world.first, start === 'conversation' ? `/agent/views/1/${id}` : '/agent/views/1');
    if (start === 'conversation') {
      await posts(page).first().waitFor();
      await row(page, `${name} by`).first().waitFor();
      await editorReady(page);
      await page.locator('#case-title').focus();
    } else await row(page, name).first().waitFor();
    const hand = hands(page);
    await way(page, hand, id, own);
    await done(page, id, own);
    result.push(await hand.end());
  }
  assert.equal(result[0].writes, result[1].writes);
  rows.push([name, result[0].keys, result[1].clicks, result[0].writes]);
});

const shown = (text) => (page) => posts(page).filter({ hasText: text }).waitFor();
const state = (id) => world.desk.staff.fetch(`/cases/${id}`, { include: 'case_status' });

task('answer', {
  keys: async (page, hand) => { await hand.press('r'); await hand.type('Today'); await hand.press('Control+Enter'); },
  clicks: async (page, hand) => { await hand.click(page.getByRole('textbox', { name: 'Reply to Clara Ito' })); await hand.type('Today'); await hand.click(page.getByRole('button', { name: 'Send reply to Clara Ito' })); },
  done: shown('Today'),
});

task('note', {
  keys: async (page, hand) => { await hand.press('n'); await hand.type('Call her'); await hand.press('Control+Enter'); },
  clicks: async (page, hand) => { await hand.click(page.getByRole('tab', { name: 'Note' })); await page.getByRole('textbox', { name: 'Note', exact: true }).waitFor(); await hand.type('Call her'); await hand.click(page.getByRole('button', { name: 'Add note' })); },
  done: shown('Call her'),
});

task('assign to me', {
  keys: async (page, hand) => { await hand.press('i'); },
  clicks: async (page, hand) => { await hand.click(page.getByRole('complementary', { name: 'Details' }).getByRole('button', { name: /Assign to me/ })); },
  done: (page, id) => until(async () => (await state(id)).assigned_agent?.id === world.first.id),
});

task('close', {
  keys: async (page, hand) => { await hand.press('e'); },
  clicks: async (page, hand) => { await hand.choose(page.getByRole('complementary', { name: 'Details' }).getByLabel('Status'), { label: 'Completed' }); },
  done: (page, id) => until(async () => (await state(id)).status.type === 'COMPLETED'),
});

task('find', {
  keys: async (page, hand, id) => { await hand.press('/'); await hand.type('find by keys'); await hand.press('Enter'); await row(page, 'find by keys').first().waitFor(); },
  clicks: async (page, hand) => { await hand.click(page.getByRole('searchbox')); await hand.type('find by mouse'); await page.keyboard.press('Enter'); await row(page, 'find by mouse').first().waitFor(); },
  done: (page) => page.waitForURL(/search/),
});

task('macro', {
  prepare: () => world.desk.owner.create('/cases/macros', { title: `Ask ${Math.random()}`, reply_contents: 'Which one?', visibility_type: 'ALL' }),
  keys: async (page, hand, id, macro) => { await hand.press('m'); await hand.type(macro.title); await page.getByRole('option', { name: macro.title }).waitFor(); await hand.press('Enter'); await hand.press('Control+Enter'); },
  clicks: async (page, hand, id, macro) => { await hand.click(page.getByRole('combobox', { name: 'Macro' })); await hand.type(macro.title); await hand.click(page.getByRole('option', { name: macro.title })); await hand.click(page.getByRole('button', { name: 'Send reply to Clara Ito' })); },
  done: shown('Which one?'),
});

task('close three at once', {
  start: 'list',
  prepare: async (id) => { const all = [id]; for (const n of [1, 2]) all.push(await asked(`more ${n}`)); return all; },
  keys: async (page, hand) => { await page.reload(); await row(page, 'more 2').first().waitFor(); await hand.press('j', 'x', 'j', 'x', 'j', 'x'); await page.getByRole('toolbar', { name: '3 selected' }).waitFor(); await hand.press('e'); },
  clicks: async (page, hand) => {
    await page.reload();
    await row(page, 'more 2').first().waitFor();
    for (const at of [0, 1, 2]) { const one = page.locator(`[data-at="${at}"]`); await one.hover(); await hand.click(one.getByRole('checkbox')); }
    await hand.click(page.getByRole('toolbar', { name: '3 selected' }).getByRole('button', { name: 'Status' }));
    await hand.click(page.getByRole('option', { name: 'Completed' }));
  },
  done: (page, id, ids) => until(async () => (await Promise.all(ids.map(state))).every(({ status }) => status.type === 'COMPLETED')),
});

task('new conversation', {
  start: 'list',
  keys: async (page, hand) => {
    await hand.press('c');
    await hasFocus(page.getByRole('combobox', { name: 'Requester' }));
    await hand.type('Clara');
    await page.getByRole('option', { name: 'Clara Ito' }).waitFor();
    await hand.press('Enter', 'Tab');
    await hasFocus(page.getByLabel('Subject'));
    await hand.type('By phone');
    await hand.press('Tab');
    await hand.type('She called');
    await hand.press('Control+Enter');
  },
  clicks: async (page, hand) => {
    await hand.click(page.getByRole('banner').getByRole('link', { name: /New/ }));
    await page.getByRole('combobox', { name: 'Requester' }).fill('Clara');
    await hand.click(page.getByRole('option', { name: 'Clara Ito' }));
    await hand.click(page.getByLabel('Subject'));
    await hand.type('By phone');
    await hand.click(page.getByLabel('Text'));
    await hand.type('She called');
    await hand.click(page.getByRole('button', { name: 'Open the conversation' }));
  },
  done: shown('She called'),
});

task('merge', {
  prepare: (id) => asked(`the same again ${id}`),
  keys: async (page, hand, id, other) => {
    await hand.press('Control+k');
    await hand.type('merge');
    await page.getByRole('option', { name: /^Merge/ }).waitFor();
    await hand.press('Enter');
    await hasFocus(page.getByRole('combobox', { name: 'Other conversation' }));
    await hand.type(String(other));
    await page.getByRole('option', { name: /the same again/ }).waitFor();
    await hand.press('Enter');
    await page.getByText('This can not be taken back.').waitFor();
    await hand.press('Control+Enter');
  },
  clicks: async (page, hand, id) => {
    await hand.click(page.locator('.case-head').getByLabel('More actions'));
    await hand.click(page.getByRole('button', { name: 'Merge …' }));
    await hand.click(page.getByRole('button', { name: `the same again ${id}` }));
    await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }));
  },
  done: (page, id, other) => until(async () => (await state(other)).is_merged === true),
});

task('invite', {
  start: 'settings',
  prepare: (id) => `new${id}@lamps.example`,
  keys: async (page, hand, id, address) => {
    await hand.press('Control+k');
    await hand.type('invite');
    await page.getByRole('option', { name: 'Invite somebody' }).waitFor();
    await hand.press('Enter');
    await page.getByRole('heading', { name: 'Invite somebody', level: 1 }).waitFor();
    await hasFocus(page.getByLabel(/^Name/));
    await hand.type('Nora Berg');
    await hand.press('Tab');
    await hand.type(address);
    await hand.press('Enter');
  },
  clicks: async (page, hand, id, address) => {
    await hand.click(page.locator('.bar .menu summary'));
    await hand.click(page.getByRole('link', { name: 'Invite somebody' }));
    await page.getByRole('heading', { name: 'Invite somebody', level: 1 }).waitFor();
    await hasFocus(page.getByLabel(/^Name/));
    await hand.type('Nora Berg');
    await hand.click(page.getByLabel('E-mail address'));
    await hand.type(address);
    await hand.click(page.getByRole('button', { name: 'Save', exact: true }));
  },
  done: (page, id, address) => until(async () => (await world.desk.owner.fetch('/users', { email: address })).length === 1),
});

test('the numbers are those of docs/CONSOLE.md', (t) => {
  t.diagnostic(`the most frequent tasks\n${table(rows)}`);
  const text = readFileSync(new URL('../../docs/CONSOLE.md', import.meta.url), 'utf8');
  for (const [name, keys, clicks, writes] of rows.slice(1)) assert.match(text, new RegExp(`^\\| ${name} \\|[^|]*\\| ${keys} \\| ${clicks} \\| ${writes} \\|`, 'm'));
});

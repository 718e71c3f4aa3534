// How the console looks and stays usable: contrast of its colours, zoom, forced colours, two directions, clocks that differ,
// a browser that keeps nothing.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SIZES, audit, consoleWorld, editor, examine, outside, posts, row, shoot, until } from './console.mjs';

const world = consoleWorld(), { asked, sit } = world;
const HOUR_MS = 3600_000;

/** The colours of each theme by their role: those of kit/tokens.css. */
const themes = () => {
  const text = readFileSync(new URL('../../web/kit/tokens.css', import.meta.url), 'utf8');
  const colours = (selector) => Object.fromEntries([...text.slice(text.indexOf(selector)).split('}')[0].matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]));
  return { light: colours(':root {'), dark: colours(':root[data-theme="dark"]'), system: colours(':root:not([data-theme="light"])') };
};
const luminance = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => { const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x); return (high + 0.05) / (low + 0.05); };

test('each text has a contrast of 4.5 to each ground, and each border of a control 3, in both themes', () => {
  const GROUNDS = ['ground', 'second', 'third', 'chosen', 'note', 'own'], low = [];
  const all = themes();
  for (const [theme, of] of Object.entries(all)) {
    const check = (front, grounds, least) => { for (const ground of grounds) { const found = contrast(of[front], of[ground]); if (!(found >= least)) low.push(`${theme}: ${front} on ${ground} ${found.toFixed(2)}`); } };
    for (const text of ['text', 'soft', 'wrong', 'warning', 'good', 'action']) check(text, GROUNDS, 4.5);
    check('on-action', ['action'], 4.5);
    check('edge', GROUNDS, 3);
  }
  assert.deepEqual(low, []);
  assert.deepEqual(all.system, all.dark, 'the dark theme of the system is the dark theme');
});

/** The colours that people with a missing kind of cone see: Machado, Oliveira and Fernandes 2009, severity 1.0, for linear RGB. */
const VISIONS = {
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};
const linear = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
const seen = (colour, vision) => VISIONS[vision].map((row) => Math.min(1, Math.max(0, row.reduce((sum, part, i) => sum + part * linear(colour)[i], 0))));
/** L*, a* and b* (CIE 1976, D65) of linear RGB. */
const lab = ([r, g, b]) => {
  const root = (t) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29);
  const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089].map(root);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
};

test('lines of a report with equal dashes differ for each of three kinds of colour vision, and each stands out from its ground', () => {
  const text = readFileSync(new URL('../../web/app/reports/plot.tsx', import.meta.url), 'utf8');
  const looks = [...text.match(/const LOOKS = (.*) as const;/)[1].matchAll(/'--([\w-]+)', '(\w+)'/g)].map(([, role, pattern]) => ({ role, pattern })), dashes = text.match(/const DASHES = \[(.*)\];/)[1].split('],').length;
  assert.equal(looks.length, 6);
  assert.equal(new Set(looks.map(({ pattern }) => pattern)).size, looks.length, 'each bar has a pattern of its own');
  const alike = [];
  for (const [theme, of] of Object.entries(themes()))
    for (const vision of Object.keys(VISIONS)) {
      const colours = looks.map(({ role }) => seen(of[role], vision)), bright = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
      for (const [i, { role }] of looks.entries()) {
        const [high, low] = [bright(colours[i]), bright(seen(of.ground, vision))].sort((x, y) => y - x), found = (high + 0.05) / (low + 0.05);
        if (found < 3) alike.push(`${theme}, ${vision}: ${role} on its ground ${found.toFixed(2)}`);
        for (let j = i + dashes; j < looks.length; j += dashes) {
          const apart = Math.hypot(...lab(colours[i]).map((n, k) => n - lab(colours[j])[k]));
          if (apart < 20) alike.push(`${theme}, ${vision}: ${role} and ${looks[j].role} ${apart.toFixed(1)}`);
        }
      }
    }
  assert.deepEqual(alike, []);
});

const SCREENS = (id) => [['list', '/agent/views/1', (p) => row(p, 'Looks')], ['conversation', `/agent/views/1/${id}`, posts], ['new', '/agent/new', (p) => p.getByRole('textbox')],
  ['person', `/agent/people/${world.clara.id}`, (p) => row(p, 'Looks')], ['notifications', '/agent/notifications', (p) => p.getByRole('heading', { level: 1 })]];

test('at a zoom of 400 percent, and with forced colours, nothing is outside and axe-core reports nothing', async (t) => {
  const id = await asked('Looks'), page = await sit(t, world.first, '/agent/views/1');
  await row(page, 'Looks').waitFor();
  await page.setViewportSize({ width: 320, height: 256 });
  for (const [name, path, complete] of SCREENS(id)) {
    await page.goto(world.desk.base + path);
    await complete(page).first().waitFor();
    await shoot(page, `console-${name}-zoom`);
    const wider = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll('main, .editor, .conversation, .list')].map((e) => [e.className || e.tagName, e.scrollWidth - e.clientWidth]).filter(([, n]) => n > 0));
    assert.deepEqual(wider, [], name); // the height scrolls
    assert.deepEqual(await audit(page), [], name);
  }
  await page.emulateMedia({ forcedColors: 'active' });
  await examine(world, page, SCREENS(id), { themes: ['light'], sizes: [[1280, 800]], label: '-forced' });
});

test('in a language that is written from right to left nothing is outside and axe-core reports nothing', async (t) => {
  const id = await asked('Looks'), page = await sit(t, world.second);
  const ARABIC = 12;
  await world.second.client.update('/profile', { locale_id: ARABIC });
  await page.goto(`${world.desk.base}/agent/views/1`);
  await page.waitForFunction(() => document.documentElement.dir === 'rtl');
  await examine(world, page, SCREENS(id), { themes: ['light'], sizes: [[360, 740], [1280, 800]], label: '-ar' });
});

/** Of [left, right] of the words of an element, and of the element. */
const sides = (locator) => locator.evaluate((e) => {
  const range = document.createRange(), box = e.getBoundingClientRect();
  range.selectNodeContents(e);
  const words = range.getBoundingClientRect();
  return [words.left - box.left, box.right - words.right].map(Math.round);
});

test('words of the other direction stay at the side of the page, in rows and in posts', async (t) => {
  const id = await asked('أين الطلب؟', 'وصل الطرد'), page = await sit(t, world.first, `/agent/views/1/${id}`);
  for (const words of [row(page, 'أين الطلب؟').locator('.row-subject'), posts(page).locator('.post-text')]) {
    await words.first().waitFor();
    const [left, right] = await sides(words.first());
    assert.ok(left <= 1 && right > 20, `${left} ${right}`);
  }
});

test('the menus are whole at each width, and a button under the pointer can be read', async (t) => {
  const id = await asked('Menus'), page = await sit(t, world.first, `/agent/views/1/${id}`), menu = page.locator('.case-head .menu');
  await posts(page).first().waitFor();
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await menu.locator('summary').click();
    const box = await menu.locator('.card').boundingBox();
    for (const one of await menu.getByRole('button').all()) {
      const at = await one.boundingBox();
      assert.ok(at.x >= box.x && at.y >= box.y && at.x + at.width <= box.x + box.width && at.y + at.height <= box.y + box.height, `${width}: ${await one.textContent()}`);
    }
    assert.deepEqual(await outside(page), [], String(width));
    await menu.locator('summary').click();
  }
  await editor(page).fill('Words');
  await page.locator('.send button.main').hover();
  assert.deepEqual(await audit(page, { runOnly: ['color-contrast'] }), []);
});

test('times follow the clock of the server, also if that of the browser is an hour off', async (t) => {
  for (const off of [-HOUR_MS, HOUR_MS]) {
    const subject = `Clocks ${off}`, id = await asked(subject);
    const page = await sit(t, world.first, '/agent/views/1', { prepare: (page) => page.clock.setFixedTime(world.desk.clock.now + off) });
    await row(page, subject).waitFor();
    const time = await row(page, subject).locator('time').first().innerText();
    assert.doesNotMatch(time, /hour|hr|h\b|tomorrow|in /i, `${off}: ${time}`);
    await row(page, subject).click();
    await posts(page).first().waitFor();
    assert.doesNotMatch(await posts(page).first().locator('time').first().innerText(), /hour|hr|tomorrow/i);
    await editor(page).fill('Still works');
    await page.keyboard.press('Control+Enter');
    await posts(page).filter({ hasText: 'Still works' }).waitFor();
    assert.equal((await world.desk.staff.fetch(`/cases/${id}/posts`)).length, 2);
  }
});

test('a name of 255 wide, invisible and turning signs, and a subject of 10,000 characters, stay in their places', async (t) => {
  const name = `\u202e\u200b\u2066${'\u5bec'.repeat(251)}\u200f`, wide = await world.desk.person('customer', { full_name: name });
  const { id } = await wide.client.create('/conversations', { subject: '\u5bec\u05e9 W'.repeat(60), contents: 'Where is it?' }), page = await sit(t, world.first, `/agent/views/1/${id}`);
  await posts(page).first().waitFor();
  await page.getByRole('button', { name: 'Edit subject' }).click();
  await page.getByRole('textbox', { name: 'Subject' }).fill('\u5bec\u05e9 W'.repeat(2500));
  await page.keyboard.press('Enter');
  await page.getByText(/^(Subject changed|Not changed: .*)$/).first().waitFor();
  const { subject } = await world.desk.staff.fetch(`/cases/${id}`);
  t.diagnostic(`the subject has ${subject.length} characters`);
  await until(async () => (await page.locator('#case-title').textContent()) === subject);
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await shoot(page, `console-long-${width}`);
    assert.deepEqual(await outside(page), [], String(width));
    assert.ok(await page.locator('form.editor').isVisible(), `${width}: the editor is there`);
    assert.ok((await page.locator('.case-head').boundingBox()).height < height / 2, `${width}: the head leaves room for the posts`);
  }
});

test('a browser that forbids its storage works: drafts are those of the server, and one can log out', async (t) => {
  const id = await asked('Forbidden'), forbid = (page) => page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new DOMException('forbidden', 'SecurityError'); } });
  });
  const page = await sit(t, world.first, `/agent/cases/${id}`, { prepare: forbid });
  await posts(page).first().waitFor();
  await editor(page).fill('Kept by the server');
  await until(async () => (await world.first.client.get('/profile/drafts', { case_ids: id })).must(200).body.data.length === 1);
  await page.reload();
  await posts(page).first().waitFor();
  await page.waitForFunction(() => /Kept by the server/.test(document.querySelector('form.editor')?.textContent + document.querySelector('form.editor textarea')?.value));
  await page.locator('summary').first().click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.locator('#login-title').waitFor();
});

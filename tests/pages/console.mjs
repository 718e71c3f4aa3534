// Shared by the tests of the console: a desk with two agents and a customer, its pages in Chromium with their real content
// security policy, axe-core, screenshots. Call consoleWorld() within a describe().
//
// SHOTS=folder keeps screenshots. CHROMIUM is the browser, by default Debian's.
//
// PAGES_DELAY=300 holds each request of the console, and each frame of its WebSocket, for so many milliseconds; PAGES_CPU=6 makes its
// scripts so many times slower. PAGES_STALL=1500 makes parts of the machine stand still: every two to five seconds the server, the pages,
// the whole browser, or all of these and the test are stopped for so many milliseconds; PAGES_SEED=2 takes other moments. A test that
// fails with one of them only has a race: it looks before the page, or the server, is there. What measures times is within steady().
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { Desk, PASSWORD, ROLES, demo, open } from '../api/lib/index.mjs';
import { quicken } from '../api/lib/stores.mjs';
import { steady } from './stall.mjs';

export { PASSWORD, steady };
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const SIZES = [[360, 740], [768, 1024], [1280, 800], [1920, 1080]];
export const SHOTS = process.env.SHOTS;
export const launch = (args = []) => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', ...args] });

// Replies that a test asks for on purpose. The browser writes each of them to its log.
const EXPECTED = /status of (400|401|403|404|409|412|429|454)|ERR_|WebSocket/;

/** Adds to the error of a failed test what its pages show, because nobody sees them. Before they are closed. */
export const explain = async (t, context, wrong = []) => {
  const { error } = t;
  if (!error) return;
  if (!(error.cause instanceof Error)) error.cause = new Error(String(error.cause ?? error.message)); // a test that took too long
  const texts = wrong.map((text) => `complained: ${text}`);
  for (const page of context.pages())
    texts.push(await Promise.race([looks(page).catch((failed) => `${page.url()}: ${failed.message}`), sleep(5000, `${page.url()}: no answer`)]));
  error.cause.stack = `${error.cause.stack}\n${texts.join('\n')}`;
};
const looks = async (page) => {
  const { where, ...parts } = await page.evaluate(() => {
    const words = (selector) => [...document.querySelectorAll(selector)].map((e) => e.innerText?.replace(/\s+/g, ' ').trim().slice(0, 300)).filter(Boolean).join(' | ');
    const { activeElement: focus } = document;
    return {
      where: `${location.href} “${document.title}”`, strip: words('.strip'), alerts: words('[role=alert]'), dialogs: words('dialog[open]'), busy: words('[aria-busy=true]'),
      focus: focus && `${focus.tagName} ${focus.getAttribute('aria-label') ?? focus.id ?? ''} ${focus.className}`, page: words('main, body').slice(0, 1500),
      widget: document.querySelector('deskd-widget')?.shadowRoot?.firstElementChild?.innerText.slice(0, 1500),
    };
  });
  parts.said = saidIn(page).all.join(' | ');
  parts.writes = [...writes.get(page) ?? []].map((r) => `${r.method()} ${r.url()}`).join(' | ');
  return [`the page ${where}`, ...Object.entries(parts).filter(([, text]) => text).map(([name, text]) => `  ${name}: ${text}`)].join('\n');
};

/** Waits for a condition of the server or of several pages. A condition of one page has Playwright's own waits. */
export const until = async (holds, tries = 600) => {
  /** A page that goes elsewhere answers nothing. */
  const tried = async () => { try { return await holds(); } catch (error) { if (/context was destroyed|Cannot find context/.test(error.message)) return false; throw error; } };
  for (let i = 0; i < tries; i++) {
    if (await tried()) return; // it may not hold a moment later
    await new Promise((go) => setTimeout(go, 50));
  }
  assert.ok(await holds(), String(holds));
};

/** Topics of realtime that the last socket of the page has asked for, and has not joined yet; and those that it has joined. A join that took
 *  too long is asked for again, and only the reply to the last question counts. */
const joins = new WeakMap();
export const watchJoins = (page) => {
  const read = (payload) => {
    try {
      const m = JSON.parse(payload), [, ref, topic, event, said] = Array.isArray(m) ? m : [m.join_ref, m.ref, m.topic, m.event, m.payload];
      return { ref, topic, event, status: said?.status };
    } catch { return {}; }
  };
  joins.set(page, { waiting: new Map(), joined: new Set() });
  page.on('websocket', (socket) => {
    const state = { waiting: new Map(), joined: new Set() };
    joins.set(page, state);
    socket.on('framesent', ({ payload }) => { const { event, topic, ref } = read(payload); if (event === 'phx_join') state.waiting.set(topic, ref); });
    socket.on('framereceived', ({ payload }) => {
      const { event, topic, ref, status } = read(payload);
      if (event !== 'phx_reply' || state.waiting.get(topic) !== ref) return;
      state.waiting.delete(topic);
      if (status === 'ok') state.joined.add(topic);
    });
    socket.on('close', () => state.joined.clear());
  });
};
/** Waits until the page hears the events of all channels that it follows, among them one with `part` in its name. */
export const joined = (page, part = '') => until(() => {
  const { waiting, joined } = joins.get(page);
  return !waiting.size && [...joined].some((topic) => topic.includes(part));
});

/** Writes to the API that the page has begun, and that have no reply yet. */
const writes = new WeakMap();
const watchWrites = (page) => {
  const open = new Set();
  writes.set(page, open);
  page.on('request', (r) => { if (r.method() !== 'GET' && r.url().includes('/api/v1/')) open.add(r); });
  page.on('response', (r) => open.delete(r.request())); // not 'requestfinished', which waits for a body that the page may leave unread
  page.on('requestfailed', (r) => open.delete(r));
  page.on('domcontentloaded', () => open.clear()); // another document
};
/** Waits until no form is at work and each write has its reply. A message that is there before may be the one of the step before. */
export const settled = async (page) => {
  const free = () => page.evaluate(() => !document.querySelector('form[aria-busy=true]'));
  await until(async () => await free() && !(writes.get(page)?.size));
};
/** Presses the button of a form, and waits until the form has saved or refused. */
export const save = async (page, name = 'Save') => {
  saidIn(page).from = saidIn(page).all.length;
  await page.getByRole('button', { name, exact: true }).click();
  await settled(page);
};

/** Messages of the strip at the bottom, which shows each for eight seconds, and no longer for a slow machine. `from` is the place of the
 *  first one that no step has waited for. */
const messages = new WeakMap();
const watchStrip = async (context) => {
  await context.exposeBinding('stripSays', ({ page }, text) => { saidIn(page).all.push(text); });
  await context.addInitScript(() => {
    if (window !== top) return;
    let last = '';
    new MutationObserver(() => {
      let text = '';
      for (const part of document.body?.children ?? []) if (part.className === 'strip') text = part.querySelector('.strip-text')?.textContent ?? '';
      if (text !== last && text) globalThis.stripSays(text);
      last = text;
    }).observe(document, { childList: true, characterData: true, subtree: true });
  });
};
const saidIn = (page) => messages.get(page) ?? messages.set(page, { all: [], from: 0 }).get(page);
/** Waits for the message that the last step has left. It may be gone again. */
export const strip = async (page, text) => {
  const said = saidIn(page), has = (one) => (text instanceof RegExp ? text.test(one) : one.includes(text));
  await settled(page);
  await until(async () => said.all.slice(said.from).some(has) || await page.locator('.strip').getByText(text).first().isVisible())
    .catch(() => assert.fail(`the strip does not say: ${text}`));
  said.from = said.all.length;
};

/** A slow machine and a slow line, as the environment asks. A route of a test comes before, and may go on without the delay. */
const DELAY = Number(process.env.PAGES_DELAY ?? 0), CPU = Number(process.env.PAGES_CPU ?? 1);
export const slow = async (page, base) => {
  if (CPU > 1) await (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: CPU });
  if (!DELAY) return;
  await page.route((url) => url.href.startsWith(base), async (route) => {
    await sleep(DELAY);
    await route.fallback().catch(() => undefined); // the page has gone
  });
  await page.routeWebSocket(/./, (near) => {
    const far = near.connectToServer(), later = (send) => (frame) => { setTimeout(() => { try { send(frame); } catch { /* it is closed */ } }, DELAY); };
    near.onMessage(later((frame) => far.send(frame)));
    far.onMessage(later((frame) => near.send(frame)));
  });
};

export const row = (page, subject) => page.getByRole('row').filter({ hasText: subject });
export const posts = (page) => page.getByRole('article');
export const editor = (page, name = 'Clara Ito') => page.getByRole('textbox', { name: `Reply to ${name}` });
/** Presses two keys that count as one if they come soon after each other: both are on their way before the page has answered. */
export const chord = (page, ...keys) => Promise.all(keys.map((key) => page.keyboard.press(key)));
/** Waits until the element has the focus: what is typed before goes elsewhere. */
export const hasFocus = (locator) => until(() => locator.evaluate((e) => e === document.activeElement));
/** Waits for the editor of the open conversation, which has the keys r and n. */
export const editorReady = (page) => page.locator('form.editor [role=tab]').first().waitFor();
/** The text of a field or of an editor of rich text. */
export const written = (field) => field.evaluate((e) => e.value ?? e.innerText.replace(/\n$/, ''));

export const logIn = async (page, person) => {
  await page.getByLabel('E-mail address').fill(person.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('#login-title').waitFor({ state: 'detached' });
};

/** Returns the reports of axe-core. The page's policy of trusted types does not hold for scripts of the driver. */
export const audit = async (page, options = {}) => {
  await page.evaluate(`(() => { ${axe} })()`);
  await page.evaluate(() => { // a colour half-way from one theme to the other has no contrast
    for (const a of document.getAnimations()) if (a.effect?.getComputedTiming().endTime < Infinity) a.finish();
  });
  return page.evaluate(async (options) => (await axe.run(document, { resultTypes: ['violations'], ...options })).violations
    .map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`), options);
};

/** Pixels by which the page is larger than the window: an empty list, since only regions of the console scroll. */
export const outside = (page) => page.evaluate(() =>
  [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight].filter((n) => n > 0));

export const shoot = async (page, name) => {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

/** Sets the theme that the person has chosen in this browser. */
export const paint = async (page, theme) => {
  await page.evaluate((theme) => localStorage.setItem('theme', theme), theme);
  await page.reload();
};

/** Examines each screen [name, path, a locator that is there when the screen is complete] in both themes at each width: nothing
 *  is outside of the window, and axe-core reports nothing. */
export const examine = async (world, page, screens, { themes = ['light', 'dark'], sizes = SIZES, label = '' } = {}) => {
  const most = DELAY || CPU > 1 ? 1 : Infinity; // each look takes long, and shows the same races
  for (const [name, path, complete] of screens)
    for (const theme of themes.slice(0, most))
      for (const [width, height] of sizes.slice(0, most)) {
        const where = `console-${name}${label}-${theme}-${width}`;
        await page.setViewportSize({ width, height });
        await page.evaluate((theme) => localStorage.setItem('theme', theme), theme);
        await page.goto(world.desk.base + path);
        await complete(page).first().waitFor();
        await page.waitForFunction(() => ![...document.querySelectorAll('h1')].some((h) => !h.textContent)); // the name of a row may come later
        await shoot(page, where);
        assert.deepEqual(await outside(page), [], where);
        assert.deepEqual(await audit(page), [], where);
      }
};

/** A daemon on a copy of the demo desk in the folder `from`: for desks that take too long to make. The copy lies beside it. */
const copied = async (from, ends) => {
  const dir = mkdtempSync(join(dirname(from), 'console-'));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(from, dir, { recursive: true });
  quicken(dir);
  const desk = new Desk(dir, { people: Object.fromEntries(ROLES.map((role) => [role, { email: `${role}@example.com`, password: PASSWORD }])) });
  ends.unshift(() => desk.stop());
  return desk.start();
};

/** A desk with the agents `first` (Ben Adler) and `second` (Mira Olsen), the customer `clara` (Clara Ito), and a browser. `conversations`: a demo
 *  desk with so many; `from`: a copy of the demo desk in this folder. */
export const consoleWorld = ({ args = [], conversations, from, ...options } = {}) => {
  const ends = [];
  const world = {
    /** A page of a person. What the browser complains of, and requests to elsewhere but `foreign`, fail the test. */
    sit: async (t, person, path = '/agent', { width = 1280, height = 800, prepare, foreign, expected = EXPECTED, ...more } = {}) => {
      const context = await world.browser.newContext({ viewport: { width, height }, ...more });
      await watchStrip(context);
      const page = await context.newPage(), wrong = [];
      watchJoins(page);
      watchWrites(page);
      await slow(page, world.desk.base);
      page.on('console', (m) => { if (m.type() === 'error' && !expected.test(m.text())) wrong.push(m.text()); });
      page.on('pageerror', (error) => wrong.push(error.stack ?? String(error)));
      page.on('request', (r) => { if (!r.url().startsWith(world.desk.base) && !/^(data|blob|ws):/.test(r.url()) && !foreign?.test(r.url())) wrong.push(r.url()); });
      t.after(async () => { await explain(t, context, wrong); await context.close(); assert.deepEqual(wrong, []); });
      await prepare?.(page);
      await page.goto(world.desk.base + path);
      if (person) await logIn(page, person);
      return page;
    },
    /** The customer asks. Returns the id of the conversation. */
    asked: async (subject, contents = 'Where is it?') => (await world.clara.client.create('/conversations', { subject, contents })).id,
  };
  before(async () => {
    const t = { after: (end) => ends.push(end) };
    const desk = world.desk = await (from ? copied(from, ends) : conversations ? demo(t, { conversations, ...options }) : open(t, options));
    world.clara = await desk.person('customer', { full_name: 'Clara Ito' });
    world.first = await desk.person('agent', { full_name: 'Ben Adler', agent_case_access: 'ALL' });
    world.second = await desk.person('agent', { full_name: 'Mira Olsen', agent_case_access: 'ALL' });
    world.browser = await launch(args);
  });
  after(async () => {
    await world.browser?.close();
    for (const end of ends) await end();
  });
  return world;
};

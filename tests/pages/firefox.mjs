// Drives Debian's Firefox by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), because playwright-core drives only a Firefox of
// its own. FIREFOX is the browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';

export const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
export const hasFirefox = existsSync(FIREFOX);
const KEYS = { Enter: '\uE007', Tab: '\uE004', Escape: '\uE00C', Control: '\uE009', Shift: '\uE008' };

/** Starts a browser that ends with the test. Errors of its pages fail the test, except those that `expected` names. */
export const firefox = async (t, expected = /^$/) => {
  const profile = mkdtempSync(join(tmpdir(), 'firefox-')), wrong = [];
  const child = spawn(FIREFOX, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } });
  const gone = new Promise((go) => child.on('close', go));
  let socket, said = '';
  t.after(async () => { socket?.close(); child.kill('SIGKILL'); await gone; rmSync(profile, { recursive: true, force: true, maxRetries: 5 }); assert.deepEqual(wrong, []); });
  const address = await new Promise((go, fail) => {
    child.stderr.setEncoding('utf8').on('data', (text) => { said += text; const found = /BiDi listening on (ws:\S+)/.exec(said); if (found) go(found[1]); });
    gone.then(() => fail(new Error(`Firefox ended: ${said}`)));
  });
  socket = new WebSocket(`${address}/session`);
  await new Promise((go, fail) => { socket.on('open', go); socket.on('error', fail); });
  const waiting = new Map();
  let last = 0;
  socket.on('message', (data) => {
    const { id, type, result, error, message, method, params } = JSON.parse(data);
    if (method === 'log.entryAdded' && params.level === 'error' && !expected.test(params.text)) wrong.push(params.text);
    const one = waiting.get(id);
    waiting.delete(id);
    if (type === 'error') one?.fail(new Error(`${error}: ${message}`)); else one?.go(result);
  });
  const send = (method, params) => new Promise((go, fail) => { waiting.set(++last, { go, fail }); socket.send(JSON.stringify({ id: last, method, params })); });
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });

  const { context } = await send('browsingContext.create', { type: 'tab' });
  await send('browsingContext.setViewport', { context, viewport: { width: 1280, height: 800 } });
  const call = async (code, args, more) => {
    const reply = await send('script.callFunction', { functionDeclaration: code, arguments: args.map((value) => ({ type: 'string', value })), target: { context }, awaitPromise: true, ...more });
    if (reply.type === 'exception') throw new Error(reply.exceptionDetails.text);
    return reply.result;
  };
  const page = {
    goto: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    /** The result of a function of strings that runs in the page. */
    evaluate: async (run, ...args) => JSON.parse((await call(`async (...args) => JSON.stringify(await (${run})(...args) ?? null)`, args)).value),
    /** Waits until the function gives something in the page, and returns that. */
    waitFor: async (run, ...args) => {
      const end = Date.now() + 30_000;
      for (;;) {
        const found = await page.evaluate(run, ...args);
        if (found) return found;
        if (Date.now() >= end) assert.fail(`${run} ${args}\nThe page shows: ${await page.evaluate(() => document.body.innerText.slice(0, 1500))}`);
        await new Promise((go) => setTimeout(go, 50));
      }
    },
    shows: (selector, text = '') => page.waitFor((selector, text) => [...document.querySelectorAll(selector)].some((e) => e.checkVisibility() && e.textContent.includes(text)), selector, text),
    type: (text) => send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions: [...text].flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]) }] }),
    /** "r", "Enter", "Control+Enter". */
    press: (key) => {
      const keys = key.split('+').map((one) => KEYS[one] ?? one);
      return send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions: [...keys.map((value) => ({ type: 'keyDown', value })), ...keys.toReversed().map((value) => ({ type: 'keyUp', value }))] }] });
    },
    /** Clicks the first element that the selector finds and that has the text. */
    click: async (selector, text = '') => {
      await page.shows(selector, text);
      const { sharedId } = await call('(selector, text) => [...document.querySelectorAll(selector)].find((e) => e.textContent.includes(text))', [selector, text]);
      const at = { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element: { sharedId } } };
      return send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions: [at, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] }] });
    },
  };
  return page;
};

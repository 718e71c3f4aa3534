// Measures a page of the console: bytes, requests, and times. The page measures times by its own clock, from the event to
// the frame that shows its effect.
import { setTimeout as sleep } from 'node:timers/promises';

/** Parts that a page loads when it has been open for a second (a change of several conversations) or for 30 s (the login): whether one sees
 *  that depends on the machine. */
const AHEAD = /\/(bulk|login)-/;
/** The files of the console that the page has loaded, without AHEAD: Map(name, {kind, bytes}). Bytes are those of the wire. */
export const filesOf = (page) => {
  const files = new Map();
  page.on('response', (response) => {
    const name = new URL(response.url()).pathname, kind = /\.(js|css)$/.exec(name)?.[1];
    if (kind && name.includes('/agent/files/') && !AHEAD.test(name)) files.set(name, { kind, bytes: Number(response.headers()['content-length']) });
  });
  return files;
};
export const bytesOf = (files, kind) => [...files.values()].reduce((sum, file) => sum + (file.kind === kind ? file.bytes : 0), 0);
export const without = (files, known) => new Map([...files].filter(([name]) => !known.has(name)));

/** Requests to the API from now on, as "GET /cases/1". Ends when none has been sent for `quiet` ms. */
export const requestsOf = (page) => {
  const all = [];
  let last = Date.now();
  page.on('request', (request) => {
    const path = /\/api\/v1(\/[^?]*)/.exec(request.url())?.[1];
    if (path) all.push(`${request.method()} ${path}`), last = Date.now();
  });
  return { all, settled: async (quiet = 400) => { do await sleep(quiet / 4); while (Date.now() - last < quiet); return all; } };
};

/** Runs in the page before its own script: notes when the list and the conversation are first shown. */
export const noteFirst = () => {
  const marks = globalThis.marks = {};
  const seen = { list: '[role=row][data-at] b', conversation: 'article', editor: '.editor textarea, .editor [contenteditable=true]' };
  new MutationObserver(() => {
    for (const [name, selector] of Object.entries(seen))
      if (!marks[name] && document.querySelector(selector)) requestAnimationFrame(() => { marks[name] ??= performance.now(); });
  }).observe(document, { childList: true, subtree: true });
};
export const firstTimes = (page) => page.evaluate(() => ({ paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime, ...globalThis.marks }));

/** Opens the first `count` rows, one after the other: milliseconds from the click to the frame that shows the posts. A pointer moves
 *  before it clicks, and the first move loads what a conversation needs. */
export const rowsToPosts = async (page, count) => {
  await page.mouse.move(400, 300);
  return page.evaluate(openRows, count);
};
const openRows = async (count) => {
  const frame = () => new Promise(requestAnimationFrame), times = [];
  const list = document.querySelector('[role=grid]');
  list.scrollTop = 0;
  await new Promise((go) => setTimeout(go, 150));
  const shownRow = async (at) => {
    for (let row; ; list.scrollTop += 10, await frame()) if ((row = document.querySelector(`[data-at="${at}"]`))?.querySelector('.row-subject')) return row;
  };
  for (let at = 0; at < count; at++) {
    const row = await shownRow(at), subject = row.querySelector('.row-subject').textContent;
    const shown = () => document.querySelector('#case-title')?.textContent === subject && document.querySelector('article');
    document.querySelector('#case-title')?.replaceChildren('-');
    performance.mark(`row ${at}`);
    const start = performance.now();
    row.click();
    while (!shown()) await frame();
    performance.mark(`posts ${at}`);
    times.push(performance.now() - start);
    await new Promise((go) => setTimeout(go, 150));
  }
  return times;
};

/** The same as the time of the page's thread on the processor, from a trace: a busy machine does not change it. */
export const rowsToPostsByThread = async (page, count) => {
  const session = await page.context().newCDPSession(page), events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await session.send('Tracing.start', { traceConfig: { includedCategories: ['blink.user_timing'] } });
  await rowsToPosts(page, count);
  const ended = new Promise((go) => session.once('Tracing.tracingComplete', go));
  await session.send('Tracing.end');
  await ended;
  await session.detach();
  const at = (name) => events.find((event) => event.name === name).tts / 1000;
  return Array.from({ length: count }, (_, n) => at(`posts ${n}`) - at(`row ${n}`));
};

/** Milliseconds from a key press to the end of the frame after it. */
export const keysToPaint = async (page, keys) => {
  await page.evaluate(() => {
    globalThis.painted = [];
    document.addEventListener('keydown', (event) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => globalThis.painted.push(performance.now() - event.timeStamp);
      port2.postMessage(0);
    }), true);
  });
  for (const key of keys) { await page.keyboard.press(key); await sleep(60); }
  return page.evaluate(() => globalThis.painted);
};

/** Moves the bar of the list to `count` places: milliseconds until all rows of the screen have their contents. */
export const jumps = (page, count) => page.evaluate(async (count) => {
  const frame = () => new Promise(requestAnimationFrame), times = [], box = document.querySelector('[role=grid]');
  const complete = () => {
    const { top, bottom } = box.getBoundingClientRect();
    const rows = [...box.querySelectorAll('[role=row]')].filter((row) => { const r = row.getBoundingClientRect(); return r.bottom > top && r.top < bottom; });
    return rows.length && rows.every((row) => row.querySelector('b'));
  };
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    box.scrollTop = box.scrollHeight * ((i * 0.618034 + 0.3) % 1);
    do await frame(); while (!complete());
    times.push(performance.now() - start);
    await new Promise((go) => setTimeout(go, 100));
  }
  return times;
}, count);

/** The frames over 50 ms while a wheel scrolls the list for `seconds`, each with what it did. The driver's own search for the list, and what came
 *  before, are over when the frames begin to count. */
export const longFrames = async (page, seconds) => {
  await page.getByRole('grid').first().hover();
  await page.evaluate(async () => {
    for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame);
    globalThis.long = [];
    new PerformanceObserver((list) => globalThis.long.push(...list.getEntries().map(({ duration, blockingDuration, startTime, renderStart, styleAndLayoutStart, scripts }) =>
      ({ duration, blockingDuration, render: renderStart && renderStart - startTime, layout: styleAndLayoutStart && styleAndLayoutStart - startTime, scripts: scripts.map((one) => `${one.invoker} ${one.duration}`) })))).observe({ type: 'long-animation-frame' });
  });
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) { await page.mouse.wheel(0, 240); await sleep(16); }
  return page.evaluate(() => globalThis.long);
};

/** Collects garbage, and returns {heap: bytes, nodes, listeners} of the tab. */
export const held = async (page) => {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  const of = (name) => metrics.find((m) => m.name === name).value;
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') };
};

export const p95 = (times) => [...times].sort((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1];

/** Lines of a table, for a report. */
export const table = (rows) => {
  const wide = rows[0].map((_, i) => Math.max(...rows.map((row) => String(row[i]).length)));
  return rows.map((row) => row.map((cell, i) => String(cell)[i ? 'padStart' : 'padEnd'](wide[i])).join('  ').trimEnd()).join('\n');
};

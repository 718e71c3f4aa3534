// The pictures of the customers' pages in docs/HELPCENTER.md: make pictures writes them into docs/helpcenter. Without PICTURES the test walks
// through the same pages and measures their weight. SHOTS=folder keeps each page in full, at each width, in both schemes;
// ONLY=home,article: only these pages.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { PASSWORD, open, raw } from '../api/lib/index.mjs';
import { paletted, png } from '../api/lib/picture.mjs';

const { ONLY, SHOTS, PICTURES } = process.env;
const DRAWN = ['home', 'article', 'search', 'conversation'];
const SIZES = [[1280, 900], [768, 900], [360, 900]];

const CATEGORIES = [
  ['Getting started', 'Set up your lamp, the app and your account.', 'ROCKET', [['First steps', 8], ['The app', 12], ['Your account', 6]]],
  ['Orders and delivery', 'Track a parcel, change the day, return what does not fit.', 'BOX', [['Placing an order', 5], ['Delivery', 9], ['Returns', 7], ['Damaged goods', 3]]],
  ['Payment and invoices', 'Ways to pay, invoices and refunds.', 'CARD', [['Ways to pay', 4], ['Invoices', 6], ['Refunds', 3]]],
  ['Lamps', 'Bulbs, dimmers, mounting and care.', 'TOOL', [['Bulbs', 6], ['Mounting', 4]]],
  ['For designers', 'Samples, bulk orders and data sheets.', 'TEAM', [['Samples', 2], ['Bulk orders', 3]]],
  ['Privacy and security', 'What we store, and how to get or delete it.', 'LOCK', [['Your data', 4], ['Signing in', 5]]],
];
const ARTICLES = ['Connect the lamp to the app', 'Change the day of a delivery', 'Return a lamp within 30 days', 'Download an invoice', 'Which bulbs fit?', 'Reset the lamp to its first state'];
const article = (picture) => `<p>The app finds the lamp by Bluetooth, and gives it the name and password of your Wi-Fi. It takes about <b>three minutes</b>.</p>
<h2>Before you begin</h2><ul><li>The phone has Bluetooth on, and is within two metres of the lamp.</li><li>You know the password of your Wi-Fi. The lamp uses the <b>2.4 GHz</b> band.</li></ul>
<aside><p><b>Note:</b> a lamp that was in use before keeps its old network. <a href="https://example.com/reset">Reset it</a> first.</p></aside>
<h2>Connect the lamp</h2><ol><li>Hold the button for five seconds, until the light blinks.</li><li>Open the app and choose <i>Add a lamp</i>.</li><li>Choose your Wi-Fi and enter its password.</li></ol>
<figure><img src="cid:${picture}" alt="The button is below the shade" width="640" height="240"><figcaption>The button is below the shade, on the side of the cable.</figcaption></figure>
<h3>What the light says</h3><table><thead><tr><th>Light</th><th>Meaning</th><th>What to do</th></tr></thead><tbody><tr><td>Blinks white</td><td>Ready to connect</td><td>Open the app</td></tr>
<tr><td>Blinks orange</td><td>Wrong password</td><td>Enter it again</td></tr><tr><td>Steady</td><td>Connected</td><td>Nothing</td></tr></tbody></table>
<h2>For administrators</h2><p>Lamps ask <code>lamps.harbour.example</code> for updates. Allow this in your firewall:</p><pre>allow tcp 443  lamps.harbour.example\nallow udp 123  time.harbour.example</pre>
<h2>If it does not work</h2><blockquote><p>My lamp blinked orange. It was the guest network, which is 5 GHz only.</p></blockquote><p>Write to us and add a picture of the lamp.</p>`;

async function prepare(world) {
  const { owner, customer, staff, people } = world.desk;
  await owner.update('/brands/1', { name: 'Harbour Lamps', color: '#0f4c5c', ...world.look });
  await owner.update(`/users/${people.customer.id}`, { full_name: 'Clara Ito' });
  await owner.update(`/users/${people.agent.id}`, { full_name: 'Ben Adler' });
  const german = ['Erste Schritte', 'Bestellung und Lieferung', 'Zahlung und Rechnung', 'Lampen', 'Für Planer', 'Datenschutz'];
  const file = (await owner.post('/files', raw('image/png', png(640, 240, [214, 226, 230])))).must(201).data.id;
  let place = 0;
  for (const [n, [title, description, icon, sections]] of CATEGORIES.entries()) {
    const texts = { titles: [{ locale: 'en-us', translation: title }, { locale: 'de', translation: german[n] }], descriptions: description, ...(world.icons && { icon }) };
    const category = n ? await owner.create('/categories', texts) : (await owner.put('/categories/1', texts)).must(200).data;
    for (const [name, count] of sections) {
      const section = await owner.create('/sections', { titles: name, category_id: category.id, visibility: 'PUBLIC', descriptions: `${name}: questions and answers.` });
      if (!n && name === 'The app') world.section = section;
      const articles = Array.from({ length: count }, (_, i) => ({ titles: `${ARTICLES[(place + i) % 6]}${place + i > 5 ? ` (${name.toLowerCase()}, ${i + 1})` : ''}`, contents: '<p>Open the app, choose the lamp and follow the steps. A lamp connects to one network.</p>',
        section_id: section.id, status: 'PUBLISHED', is_featured: place + i < 5, allow_comments: true }));
      place += count;
      await Promise.all(articles.map((a) => owner.create('/articles', a)));
    }
  }
  world.article = await owner.create('/articles', { titles: 'Connect the lamp to your Wi-Fi', contents: article(file), section_id: world.section.id, status: 'PUBLISHED', allow_comments: true, attachment_file_ids: [file], tags: 'wifi,app', is_featured: true });
  await customer.post(`/articles/${world.article.id}/comments`, { contents: 'Thank you, the guest network was it.' });
  const talk = world.talk = await customer.create('/conversations', { subject: 'The blue lamp arrived broken', contents: 'Hello, the parcel came this morning, and the shade of the lamp has a crack. Could you send another one? The order is 20391.' });
  const photo = (await staff.post('/files', raw('image/png', png(320, 200, [190, 204, 210])))).must(201).data.id;
  (await staff.post(`/cases/${talk.id}/reply`, { contents: '<p>Hello Clara, I am sorry about the crack. A new lamp leaves <b>today</b>, and you need not send the broken one back.</p><p>The form is attached, if your insurance asks for it.</p>', channel_options: { html: true }, attachment_file_ids: [photo] })).must(201);
  await customer.create(`/conversations/${talk.id}/messages`, { contents: 'That is quick. Thank you!' });
  await staff.create(`/conversations/${talk.id}/messages`, { contents: 'You are welcome. Is there anything else?' });
  for (const subject of ['Can I change the delivery day?', 'Invoice for March', 'Does the desk lamp come in oak?']) await customer.create('/conversations', { subject, contents: 'I am away on Friday. Monday would be fine, in the morning if possible.' });
}

describe('pictures of the customers\' pages', () => {
  const ends = [], world = {};
  before(async () => {
    world.desk = await open({ after: (end) => ends.push(end) });
    world.icons = false;
    await prepare(world);
    world.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
    const a = `/articles/${world.article.id}-connect-the-lamp-to-your-wi-fi`;
    world.pages = [['home', ''], ['section', `/sections/${world.section.id}-the-app`], ['article', a], ['search', '/search?query=lamp'], ['login', '/login'], ['missing', '/nothing'],
      ['conversations', '/conversations', true], ['conversation', `/conversations/${world.talk.id}`, true], ['contact', '/contact', true]];
  });
  after(async () => { await world.browser?.close(); for (const end of ends) await end(); });

  const context = async (loggedIn) => {
    const made = await world.browser.newContext({ timezoneId: 'Europe/Berlin', locale: 'en-US' }), page = await made.newPage();
    if (!loggedIn) return page;
    await page.goto(`${world.desk.base}/helpcenter/en-us/login`);
    await page.fill('#f-email', world.desk.people.customer.email);
    await page.fill('#f-password', PASSWORD);
    await Promise.all([page.waitForURL('**/conversations'), page.click('main form button')]);
    return page;
  };
  const show = async (page, path, [width, height], scheme) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height });
    await page.goto(`${world.desk.base}/helpcenter/${path}`);
  };

  /** The page at three widths, the narrow one in the dark: a picture of 96 colours at most. */
  const sheet = async (page, name, path) => {
    const shots = [];
    for (const [i, size] of SIZES.entries()) {
      await show(page, path, size, i === 2 ? 'dark' : 'light');
      shots.push((await page.screenshot()).toString('base64'));
    }
    const board = await world.browser.newPage({ viewport: { width: 984, height: 400 } });
    const { width, height, pixels } = await board.evaluate(async ({ shots, sizes }) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 984, height: 368 }), c = canvas.getContext('2d');
      const scale = 352 / 900;
      c.fillStyle = '#c9ced6';
      c.fillRect(0, 0, 984, 368);
      c.imageSmoothingQuality = 'high';
      let x = 8;
      for (const [i, shot] of shots.entries()) {
        const image = new Image();
        image.src = `data:image/png;base64,${shot}`;
        await image.decode();
        const w = Math.round(sizes[i][0] * scale);
        c.drawImage(image, x, 8, w, 352);
        x += w + 12;
      }
      return { width: 984, height: 368, pixels: Array.from(c.getImageData(0, 0, 984, 368).data) };
    }, { shots, sizes: SIZES });
    await board.close();
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, `${name}.png`), paletted(width, height, pixels, 48));
  };

  test('the customers\' pages can be shown in pictures, and each weighs at most 14 KB with its styles', async () => {
    const stranger = await context(false), customer = await context(true), styles = [], weights = [];
    for (const file of ['style.css', 'brand.css']) styles.push((await world.desk.anyone.exchange('GET', `/helpcenter/${file}`)).must(200).bytes);
    const style = gzipSync(Buffer.concat(styles)).length;
    for (const [name, path, loggedIn] of world.pages.filter(([name]) => !ONLY || ONLY.split(',').includes(name))) {
      const page = loggedIn ? customer : stranger;
      await show(page, `en-us${path}`, SIZES[0], 'light');
      const html = gzipSync(await page.evaluate(async () => (await fetch(location.href)).text())).length;
      weights.push(`${name} ${((html + style) / 1024).toFixed(1)} KB`);
      assert.ok(html + style <= 14 * 1024, `${name} weighs ${html + style} bytes`);
      if (PICTURES && DRAWN.includes(name)) await sheet(page, process.env.STAGE ? `${process.env.STAGE}-${name}` : name, `en-us${path}`);
      if (!SHOTS) continue;
      mkdirSync(SHOTS, { recursive: true });
      for (const scheme of ['light', 'dark'])
        for (const size of SIZES) {
          await show(page, `en-us${path}`, size, scheme);
          await page.screenshot({ path: join(SHOTS, `${name}-${scheme}-${size[0]}.png`), fullPage: true });
        }
    }
    console.log(`# ${weights.join(', ')}; of which ${(style / 1024).toFixed(1)} KB style`);
  });
});

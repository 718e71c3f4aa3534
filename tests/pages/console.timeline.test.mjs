// The conversation of the console: HTML of mails, the timeline, properties, merging.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mail, receive } from '../api/lib/mails.mjs';
import { grey, png } from '../api/lib/picture.mjs';
import { sql } from '../api/lib/sql.mjs';
import { File, multipart, uploaded } from '../api/lib/index.mjs';
import { audit, consoleWorld, editor, examine, joined, outside, posts, row, shoot, until } from './console.mjs';
import { HOSTILE } from './hostile.mjs';

const part = (headers, body) => `--B\r\n${headers}\r\n\r\n${body}\r\n`;
const htmlMail = (html, headers = {}) => mail({ 'Content-Type': 'text/html; charset=utf-8', ...headers }, html);
const frames = (page) => page.locator('.mail iframe');
const shownFrames = async (page) => { await page.locator('.mail iframe.ready').first().waitFor(); return page.locator('.mail iframe.ready'); };
const heading = (page, name) => page.getByRole('heading', { name, level: 2 });

describe('the conversation of the console', () => {
  const world = consoleWorld();
  const path = (id) => `/agent/cases/${id}`;
  const say = (id, contents) => world.clara.client.create(`/conversations/${id}/messages`, { contents });

  test('the HTML of a mail is shown in a frame of its own that has the height of its contents; quoted mail is folded', async (t) => {
    const quoted = `<div>Thank you, it works.</div><br><div class="gmail_quote"><div class="gmail_attr">On Mon, 23 Nov 2026 Desk &lt;desk@example.com&gt; wrote:<br></div><blockquote class="gmail_quote">${'<p>A former line.</p>'.repeat(30)}</blockquote></div>`;
    const { case_id } = await receive(world.desk, htmlMail(quoted));
    const page = await world.sit(t, world.first, path(case_id)), frame = (await shownFrames(page)).first();
    await frame.contentFrame().getByText('Thank you, it works.').waitFor();
    const fits = () => frame.evaluate((f) => f.clientHeight - f.contentDocument.body.getBoundingClientRect().height);
    await until(async () => Math.abs(await fits()) <= 1.5);
    const folded = (await frame.boundingBox()).height;
    assert.ok(folded < 200, `${folded}`);
    await frame.contentFrame().locator('summary').click();
    await until(async () => (await frame.boundingBox()).height > folded + 300);
    await until(async () => Math.abs(await fits()) <= 1.5);
    assert.equal(await frame.getAttribute('sandbox'), 'allow-same-origin allow-popups allow-popups-to-escape-sandbox');
    await page.keyboard.press('?'); // pressed while the frame has the focus
    await page.getByRole('dialog').getByText('Write a reply', { exact: true }).waitFor();
  });

  test('pictures of other servers come after a click, or always for a sender who was chosen; a mail\'s own pictures at once', async (t) => {
    const { desk } = world;
    const html = (n) => `Look: <img src="cid:one@x" width="60"><img src="https://pictures.example/${n}.png" width="80" height="40"><img src="http://pictures.example/plain.png">`;
    const raw = (n) => mail({ From: 'Rita Remote <rita@people.example>', Subject: `Pictures ${n}`, 'Content-Type': 'multipart/related; boundary=B' }, `${part('Content-Type: text/html', html(n))}${part('Content-Type: image/png; name=x.png\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <one@x>', grey(60, 30).toString('base64'))}--B--\r\n`);
    const one = await receive(desk, raw(1), { from: 'rita@people.example' }), two = await receive(desk, raw(2), { from: 'rita@people.example' });
    const page = await world.sit(t, world.first, path(one.case_id), { prepare: (page) => page.route('https://pictures.example/**', (route) => route.fulfill({ contentType: 'image/png', body: png(80, 40) })), foreign: /^https:\/\/pictures\.example\// });
    const asked = [];
    page.on('request', (r) => { if (r.url().includes('pictures.example')) asked.push(new URL(r.url()).pathname); });
    const frame = (await shownFrames(page)).first();
    await until(() => frame.contentFrame().locator('img').first().evaluate((i) => i.naturalWidth === 60));
    await page.getByText('Pictures of other servers are not shown').waitFor();
    assert.deepEqual(asked, []);
    assert.equal(await page.getByRole('list', { name: 'Files' }).count(), 0, 'a picture that the mail shows is not listed as a file');
    await page.getByRole('button', { name: 'Show pictures' }).click();
    await until(() => asked.length === 1);
    assert.deepEqual(asked, ['/1.png']);
    await page.goto(world.desk.base + path(two.case_id));
    await page.getByText('Pictures of other servers are not shown').waitFor();
    assert.deepEqual(asked, ['/1.png'], 'the click was for one message');
    await page.getByRole('button', { name: 'Always for Rita Remote' }).click();
    await until(() => asked.length === 2);
    await page.goto(world.desk.base + path(one.case_id));
    await until(() => asked.length >= 3);
    assert.equal(await page.getByText('Pictures of other servers are not shown').count(), 0);
  });

  test('hostile mails: no request leaves, no script runs, and the policy of the page has nothing to report', async (t) => {
    const { desk } = world, cases = [];
    assert.ok(HOSTILE.length >= 60, `${HOSTILE.length}`);
    for (const [i, html] of HOSTILE.entries()) {
      const from = `h${i}@hostile.example`, { status, case_id } = await receive(desk, htmlMail(html, { From: from, Subject: `Hostile ${i}` }), { from });
      assert.equal(status, 'SUCCESS', html.slice(0, 80));
      cases.push(case_id);
    }
    const page = await world.sit(t, world.first), reports = [];
    await page.exposeFunction('hostileReport', (text) => reports.push(text));
    await page.exposeFunction('hostileRan', (text) => reports.push(`ran: ${text}`));
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (e) => globalThis.hostileReport(`${e.violatedDirective} ${e.blockedURI}`));
      globalThis.alert = globalThis.hostileRan;
    });
    page.on('dialog', (d) => { reports.push(`dialog ${d.message()}`); void d.dismiss(); });
    page.on('popup', (p) => reports.push(`popup ${p.url()}`));
    page.on('console', (m) => { if (/Content Security Policy|Refused|Blocked script/i.test(m.text())) reports.push(m.text()); });
    page.context().on('request', (r) => { if (!r.url().startsWith(desk.base) && !/^(data|blob|ws):/.test(r.url())) reports.push(r.url()); });
    let framed = 0;
    for (const [i, id] of cases.entries()) {
      await page.goto(`${desk.base}${path(id)}`);
      await posts(page).first().waitFor();
      if (await frames(page).count()) {
        framed++;
        await frames(page).first().and(page.locator('.ready')).waitFor().catch(async () => assert.fail(`${i}: ${HOSTILE[i].slice(0, 120)} ${await page.locator('.mail').evaluateAll((all) => all.map((e) => e.outerHTML + (e.querySelector('iframe').contentDocument?.documentElement.outerHTML ?? 'none').slice(-600)))} ${reports}`));
        const frame = frames(page).first();
        const found = await frame.evaluate((f) => [f.contentDocument.querySelectorAll('script,iframe,object,embed,form,link,meta[http-equiv],base,svg,math,video,audio,input,button').length, [...f.contentDocument.querySelectorAll('body *')].flatMap((e) => e.getAttributeNames().filter((n) => n.startsWith('on') || n === 'srcdoc')).length, [...f.contentDocument.querySelectorAll('a')].filter((a) => !/^(https?|mailto|tel):/.test(a.href)).length]);
        assert.deepEqual(found, [0, 0, 0], HOSTILE[i].slice(0, 120));
        const link = frame.contentFrame().locator('a').first();
        if (/javascript|data:text|vbscript/i.test(HOSTILE[i]) && await link.count()) await link.click({ timeout: 500 }).catch(() => undefined);
      }
      assert.equal(page.url(), `${desk.base}${path(id)}`, 'the page stays');
    }
    assert.deepEqual(reports, []);
    t.diagnostic(`${cases.length} hostile mails, ${framed} of them shown as HTML, ${reports.length} requests, scripts and reports`);
  });

  test('a conversation of 5,000 posts opens at the first unread one, has at most 200 posts in the page, and does not jump', async (t) => {
    const { desk } = world, id = await world.asked('Long'), many = 5000;
    const first = Number(sql(desk, `SELECT MAX(id) FROM posts WHERE case_id = ${id}`));
    sql(desk, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many - 1}) INSERT INTO posts (id, case_id, kind, uuid, content_text, creator_id, is_requester, channel, source, message_status, message_status_updated_at, created_at, updated_at) SELECT ${first} + i, case_id, 1, lower(hex(randomblob(4))) || '-0000-4000-8000-' || printf('%012d', i), 'Line ' || i || ': ' || substr('some words that make posts of several heights ', 1, i % 40), creator_id, is_requester, channel, source, message_status, message_status_updated_at, created_at + i, updated_at + i FROM posts, n WHERE id = ${first}`);
    sql(desk, `UPDATE cases SET message_seq = ${many}, last_message_id = ${first + many - 1} WHERE id = ${id}`);
    sql(desk, `INSERT INTO read_markers (case_id, user_id, last_read_post_id, last_read_seq, last_read_at) VALUES (${id}, ${world.first.id}, ${first + 2499}, 2500, 1)`);
    const page = await world.sit(t, world.first, path(id));
    await page.locator('.line').waitFor();
    const box = page.locator('.timeline');
    await until(async () => { const line = await page.locator('.line').boundingBox(), top = await box.boundingBox(); return line.y >= top.y && line.y < top.y + 60; }); // it is at the top
    await page.locator(`[data-post="${first + 2500}"] .line`).waitFor();
    const walk = async (direction, times) => {
      for (let i = 0; i < times; i++) {
        const jumped = await box.evaluate(async (element, by) => {
          const watched = [...element.querySelectorAll('li[data-post]')].find((li) => li.getBoundingClientRect().top > element.getBoundingClientRect().top + 150);
          const from = watched.getBoundingClientRect().top;
          element.scrollBy(0, by);
          const moved = watched.getBoundingClientRect().top - from;
          let worst = 0;
          for (let k = 0; k < 12; k++) {
            await new Promise(requestAnimationFrame);
            if (watched.isConnected) worst = Math.max(worst, Math.abs(watched.getBoundingClientRect().top - from - moved));
          }
          return worst;
        }, direction * 350);
        assert.ok(jumped < 2, `a jump of ${jumped} px`);
      }
    };
    await walk(-1, 40);
    assert.ok(await page.locator('li[data-post]').count() <= 200);
    await walk(1, 60);
    const held = await page.locator('li[data-post]').count();
    assert.ok(held <= 200 && held > 60, `${held}`);
    await page.getByRole('button', { name: 'To the newest post' }).click();
    await page.getByText(`Line ${many - 1}:`).waitFor();
    await until(() => box.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 2));
    await page.getByRole('button', { name: 'To the newest post' }).waitFor({ state: 'detached' });
  });

  test('what arrives while one writes is marked, and the timeline stays where it is', async (t) => {
    const id = await world.asked('While writing'), page = await world.sit(t, world.first, path(id));
    await posts(page).first().waitFor();
    await joined(page);
    await editor(page).fill('I am about to');
    await say(id, 'One more thing');
    await posts(page).filter({ hasText: 'One more thing' }).waitFor();
    await page.getByText('New while you were writing').waitFor();
    assert.equal(await page.getByText('New while you were writing').count(), 1);
  });

  test('a message is unread until it is seen, and again after u', async (t) => {
    const id = await world.asked('Unread again'), page = await world.sit(t, world.first, path(id));
    const unread = async () => (await world.first.client.fetch(`/cases/${id}`, { include: 'read_marker' })).read_marker.unread_count;
    await posts(page).first().waitFor();
    await until(async () => await unread() === 0);
    await heading(page, 'Unread again').focus();
    let go;
    await page.route('**/unread?*', async (route) => { await new Promise((free) => { go = free; }); await route.continue(); });
    await page.keyboard.press('u');
    await page.getByText('Marked as unread').waitFor();
    assert.equal(await unread(), 0, 'the server has not heard of it');
    await page.keyboard.press('z');
    await until(() => go);
    go();
    await page.getByText('Undone').waitFor();
    await until(async () => await unread() === 0);
    go = undefined;
    await page.keyboard.press('u');
    await until(() => go); // of this key
    go();
    await until(async () => await unread() === 1);
    await page.unroute('**/unread?*');
    await page.keyboard.press('z');
    await until(async () => await unread() === 0);

    await page.route('**/unread?*', (route) => route.abort());
    await page.keyboard.press('u');
    await page.getByText('Not changed').waitFor();
    assert.equal(await unread(), 0);
  });

  test('runs of more than three activities are one line, which opens; activities can be hidden', async (t) => {
    const id = await world.asked('Activities'), { staff } = world.desk;
    for (const priority_id of [1, 2, 3, 4, 1]) await staff.update(`/cases/${id}`, { priority_id });
    const page = await world.sit(t, world.first, path(id));
    await posts(page).first().waitFor();
    const fold = page.getByRole('button', { name: /^\d+ changes$/ });
    await fold.waitFor();
    const hidden = () => page.locator('li[data-kind=activity]:visible').count();
    await until(async () => await hidden() === 1);
    await fold.click();
    await until(async () => await hidden() >= 5);
    await page.locator('.case-head').getByLabel('More actions').click();
    await page.getByRole('button', { name: 'Hide changes' }).click();
    await until(async () => await hidden() === 0);
  });

  test('the subject is changed in its place, and taken back', async (t) => {
    const id = await world.asked('Old subject'), page = await world.sit(t, world.first, path(id));
    await posts(page).first().waitFor();
    const subject = async () => (await world.desk.staff.fetch(`/cases/${id}`)).subject;
    await page.getByRole('button', { name: 'Edit subject' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Subject' }).fill('New subject');
    await page.keyboard.press('Enter');
    await page.getByText('Subject changed').waitFor();
    assert.equal(await subject(), 'New subject');
    await until(async () => await page.evaluate(() => document.activeElement.textContent) === 'Edit subject');
    await page.keyboard.press('z');
    await page.getByText('Undone').waitFor();
    assert.equal(await subject(), 'Old subject');
  });

  test('a change meets one of another person: it asks if the property is the same, and only then', async (t) => {
    const id = await world.asked('Two changes'), { staff } = world.desk, page = await world.sit(t, world.first, path(id));
    await posts(page).first().waitFor();
    await joined(page);
    const priority = async () => (await staff.fetch(`/cases/${id}`)).priority?.id ?? null;
    // The change of another person lies between the reading and the writing of this page: its events do not arrive.
    let waiting;
    await page.route(`**/api/v1/cases/${id}?*`, async (route) => {
      const body = route.request().method() === 'PUT' ? waiting : undefined;
      if (body) waiting = undefined, await world.second.client.update(`/cases/${id}`, body);
      await route.continue();
    });
    const meanwhile = (body) => { waiting = body; };
    meanwhile({ type_id: 2 });
    await page.getByLabel('Priority').selectOption({ index: 1 });
    await page.getByText('Priority changed').waitFor();
    assert.notEqual(await priority(), null);
    assert.equal(await page.getByText('has changed this meanwhile').count(), 0);
    const mine = await priority();
    meanwhile({ priority_id: 4 });
    await page.getByLabel('Priority').selectOption({ index: 2 });
    await page.getByText('Mira Olsen has changed this meanwhile: Priority.').waitFor();
    assert.equal(await priority(), 4);
    await page.getByRole('button', { name: 'Set my value' }).click();
    await until(async () => ![4, mine].includes(await priority()));
    // The key that completes the conversation leaves it only if it is completed.
    const status = async () => (await staff.fetch(`/cases/${id}`, { include: 'case_status' })).status.type;
    meanwhile({ status_id: 3 });
    await page.locator('.conversation').press('e');
    await page.getByText('Mira Olsen has changed this meanwhile: Status.').waitFor();
    assert.equal(await status(), 'PENDING');
    await page.locator('.conversation').press('e');
    await page.getByText('Choose a conversation').waitFor();
    assert.equal(await status(), 'COMPLETED');
  });

  test('two conversations are merged after a question that says what happens', async (t) => {
    const stays = await world.asked('It stays'), goes = await world.asked('It goes away'), page = await world.sit(t, world.first, path(stays));
    await posts(page).first().waitFor();
    await page.locator('.case-head').getByLabel('More actions').click();
    await page.getByRole('button', { name: 'Merge …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Other conversation' }).fill(String(goes));
    await dialog.getByRole('option', { name: /It goes away/ }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText('All posts of “It goes away” move to it.').waitFor();
    await dialog.getByText('This can not be taken back.').waitFor();
    assert.deepEqual(await audit(page), []);
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await until(async () => await posts(page).count() === 2);
    assert.equal((await world.desk.staff.fetch(`/cases/${goes}`)).is_merged, true);
  });

  test('a note is pinned above the timeline', async (t) => {
    const id = await world.asked('Pins');
    await world.second.client.create(`/cases/${id}/notes`, { contents: 'Handle with care' });
    const page = await world.sit(t, world.first, path(id));
    await posts(page).filter({ hasText: 'Handle with care' }).getByRole('button', { name: 'Pin' }).click();
    await page.getByRole('list', { name: 'Pinned notes' }).getByText('Handle with care').waitFor();
    await page.reload();
    await page.getByRole('list', { name: 'Pinned notes' }).getByRole('button').click();
    await until(() => page.evaluate(() => document.activeElement.textContent.includes('Handle with care')));
    await posts(page).filter({ hasText: 'Handle with care' }).getByRole('button', { name: 'Unpin' }).click();
    await page.getByRole('list', { name: 'Pinned notes' }).waitFor({ state: 'detached' });
  });

  test('the author of a note deletes it after a question; that of a colleague stays', async (t) => {
    const id = await world.asked('Notes go'), texts = async () => (await world.desk.staff.fetch(`/cases/${id}/notes`, { fields: '+body_text' })).map((note) => note.body_text);
    for (const [who, contents] of [[world.second, 'Hers'], [world.first, 'My mistake']]) await who.client.create(`/cases/${id}/notes`, { contents });
    const page = await world.sit(t, world.first, path(id)), dialog = page.getByRole('dialog', { name: 'Delete this note?' });
    await posts(page).filter({ hasText: 'Hers' }).getByRole('button', { name: 'Pin' }).waitFor();
    assert.equal(await posts(page).filter({ hasText: 'Hers' }).getByRole('button', { name: /Delete/ }).count(), 0);
    const button = posts(page).filter({ hasText: 'My mistake' }).getByRole('button', { name: 'Delete' });
    await button.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual((await texts()).sort(), ['Hers', 'My mistake']);
    await button.press('Enter');
    await dialog.waitFor();
    await shoot(page, 'note-delete');
    assert.deepEqual(await audit(page), []);
    await dialog.getByRole('button', { name: 'Delete' }).press('Enter');
    await until(async () => await posts(page).filter({ hasText: 'My mistake' }).count() === 0);
    assert.deepEqual(await texts(), ['Hers']);
  });

  test('pictures are thumbnails that open large, other files have their size', async (t) => {
    const id = await world.asked('Files');
    await world.clara.client.post(`/conversations/${id}/messages`, multipart({ contents: 'See', a: new File('one.png', 'image/png', grey(900, 600)), b: new File('two.png', 'image/png', grey(300, 300)), c: new File('plan.txt', 'text/plain', Buffer.alloc(2500)) }));
    const page = await world.sit(t, world.first, path(id)), files = page.getByRole('list', { name: 'Files' });
    await files.getByText('3 kB').waitFor();
    await until(() => files.locator('img').first().evaluate((i) => i.naturalWidth === 200));
    await files.getByRole('button', { name: 'one.png' }).click();
    const dialog = page.getByRole('dialog', { name: 'one.png' });
    await until(() => dialog.locator('img').evaluate((i) => i.naturalWidth === 900));
    assert.deepEqual(await audit(page), []);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'two.png' }).waitFor();
    await page.keyboard.press('Escape');
    await until(() => page.evaluate(() => document.activeElement.textContent.includes('one.png')));
  });

  test('custom fields of each kind are changed in their place, and what is refused stands beside the field', async (t) => {
    const { owner, staff } = world.desk;
    const make = (key, type, more = {}) => owner.create('/cases/fields', { key, type, title: `Field ${key}`, ...more });
    for (const [key, type] of [['text', 'TEXT'], ['area', 'TEXTAREA'], ['day', 'DATE'], ['number', 'NUMERIC'], ['decimal', 'DECIMAL'], ['yes', 'YESNO'], ['file', 'FILE']]) await make(key, type);
    for (const [key, type] of [['check', 'CHECKBOX'], ['radio', 'RADIO'], ['select', 'SELECT'], ['cascade', 'CASCADINGSELECT']]) await make(key, type, { options: ['Alpha', 'Beta'] });
    await make('code', 'REGEX', { regular_expression: '^[A-Z]{3}$' });
    const id = await world.asked('Fields'), page = await world.sit(t, world.first, path(id));
    const values = async () => Object.fromEntries((await staff.fetch(`/cases/${id}`, { include: 'case_field' })).custom_fields.map(({ field, value }) => [field.key, value]));
    const holds = (key, wanted) => until(async () => wanted.test((await values())[key] ?? '')).catch(async () => assert.fail(`${key}: ${JSON.stringify(await values())} ${await page.locator('.details .wrong, .strip').allTextContents()}`));
    const fill = async (label, text) => { await page.getByLabel(label).fill(text); await page.getByLabel(label).blur(); };
    await page.getByRole('heading', { name: 'Fields', level: 3 }).waitFor();
    await fill('Field text', 'a text');
    await holds('text', /^a text$/);
    await fill('Field area', 'two\nlines');
    await holds('area', /^two\nlines$/);
    await fill('Field day', '2026-11-30');
    await holds('day', /^2026-11-30/);
    await until(async () => await page.getByLabel('Field day').inputValue() === '2026-11-30');
    await fill('Field decimal', '12.5');
    await holds('decimal', /^12.5$/);
    await page.getByLabel('Field yes').selectOption('yes');
    await holds('yes', /^yes$/);
    await page.getByLabel('Field select').selectOption({ label: 'Beta' });
    await holds('select', /^\d+$/);
    await page.getByLabel('Field cascade').selectOption({ label: 'Alpha' });
    await holds('cascade', /^\d+$/);
    await page.getByRole('group', { name: 'Field radio' }).getByLabel('Beta').check();
    await holds('radio', /^\d+$/);
    for (const name of ['Alpha', 'Beta']) { await page.getByRole('group', { name: 'Field check' }).getByLabel(name).check(); await holds('check', name === 'Alpha' ? /^\d+$/ : /^\d+,\d+$/); }
    await page.getByLabel('Field file').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
    await holds('file', /^\d+$/);
    await fill('Field code', 'abc');
    await page.getByText('The text does not match the field').first().waitFor();
    assert.equal(await page.getByLabel('Field code').getAttribute('aria-invalid'), 'true');
    assert.equal(await page.getByLabel('Field code').inputValue(), 'abc', 'what was typed stays');
    await fill('Field code', 'ABC');
    await holds('code', /^ABC$/);
    await until(async () => await page.getByLabel('Field code').getAttribute('aria-invalid') === 'false');
  });

  test('a tag is completed among 400 tags of the desk, and a conversation of many tags folds them', async (t) => {
    const { staff } = world.desk, id = await world.asked('Tags');
    const names = Array.from({ length: 400 }, (_, i) => `tag-${String(i).padStart(3, '0')}`);
    for (let i = 0; i < 4; i++) { const other = await world.asked(`Tags ${i}`); await staff.update(`/cases/${other}`, { tags: names.slice(100 * i, 100 * i + 100) }); }
    await staff.update(`/cases/${id}`, { tags: names.slice(0, 60) });
    const page = await world.sit(t, world.first, path(id)), tags = page.getByRole('list', { name: 'Tags' }).getByRole('listitem');
    await posts(page).first().waitFor();
    await until(async () => await tags.count() === 20);
    await page.locator('.details').getByRole('button', { name: 'and 40 more' }).click();
    await until(async () => await tags.count() === 60);
    await page.getByRole('combobox', { name: 'Add a tag' }).fill('tag-39');
    await page.getByRole('option', { name: 'tag-397' }).click();
    await page.getByText('Tags changed').waitFor();
    assert.ok((await staff.fetch(`/cases/${id}`, { fields: 'tags', include: 'tag' })).tags.some((tag) => (tag.name ?? tag) === 'tag-397'));
    await page.keyboard.press('Escape');
    await until(async () => await page.getByRole('combobox', { name: 'Add a tag' }).inputValue() === '');
  });

  test('a long subject, long names and text of both directions keep the page in its place; screens have no finding of axe', async (t) => {
    const { desk } = world;
    const wide = await desk.person('customer', { full_name: '\u5bec'.repeat(250) });
    const id = (await wide.client.create('/conversations', { subject: `\u05e9\u05dc\u05d5\u05dd ${'W'.repeat(200)}`, contents: `\u200f\u0645\u0631\u062d\u0628\u0627 hello \u202e abc \u202c ${'x'.repeat(3000)}` })).id;
    await world.second.client.create(`/cases/${id}/notes`, { contents: 'Only for us: \u0645\u0631\u062d\u0628\u0627' });
    await wide.client.post(`/conversations/${id}/messages`, multipart({ contents: 'See', a: new File('one.png', 'image/png', grey(900, 600)), b: new File(`${'n'.repeat(200)}.txt`, 'text/plain', Buffer.alloc(2500)) }));
    const page = await world.sit(t, world.first, path(id));
    await posts(page).first().waitFor();
    assert.deepEqual(await outside(page), [], JSON.stringify(await page.evaluate(() => [...document.querySelectorAll('.conversation *, .details *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => `${e.tagName}.${e.className}`).slice(0, 6))));
    const mailed = await receive(desk, htmlMail('<p>Dear desk,</p><p>my <b>order</b> is <span style="color:#1f497d">late</span>. See <a href="https://shop.example/4711">the order</a>.</p><ul><li>one</li><li>two</li></ul><img src="https://pictures.example/logo.png" width="120" height="40"><blockquote>quoted</blockquote><table border="1" cellpadding="4"><tr><td bgcolor="#ffeeaa">Paper</td><td>2</td></tr></table>', { Subject: 'Order 4711 is late', From: 'Nora Berg <nora@people.example>' }), { from: 'nora@people.example' });
    await receive(desk, htmlMail('<p dir="rtl">\u0645\u0631\u062d\u0628\u0627\u060c \u0623\u064a\u0646 \u0637\u0644\u0628\u064a\u061f</p>', { Subject: 'Arabic', From: 'nora@people.example' }), { from: 'nora@people.example' });
    await desk.staff.create(`/cases/${mailed.case_id}/reply`, { contents: '<p>It comes <i>tomorrow</i>.</p>', channel_options: { html: true } });
    await world.second.client.create(`/cases/${mailed.case_id}/notes`, { contents: 'She called twice.', is_pinned: true });
    await desk.staff.update(`/cases/${mailed.case_id}`, { tags: ['vip', 'parcel', 'late', 'north'], assigned_agent_id: world.second.id });
    const complete = (p) => p.locator('.mail iframe.ready').first();
    await examine(world, page, [['timeline', path(mailed.case_id), complete], ['bidi', path(id), posts]]);
  });
});

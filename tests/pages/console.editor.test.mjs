// The editor of the console: rich text, pictures, copies, macros, undo, and what happens to a text when something breaks.
// TABS is the number of tabs that are killed while somebody types.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { relayFor } from '../api/lib/index.mjs';
import { png } from '../api/lib/picture.mjs';
import { audit, consoleWorld, editor, hasFocus, logIn, posts, shoot, SIZES, until, written } from './console.mjs';

describe('the editor', () => {
  const world = consoleWorld(), { sit, asked } = world;
  const open = async (t, subject, more = {}) => {
    const id = await asked(subject), page = await sit(t, more.person ?? world.first, `/agent/cases/${id}`, more);
    await posts(page).first().waitFor();
    await rich(page);
    return { id, page };
  };
  const rich = (page) => page.locator('.rich').waitFor();
  const note = (page) => page.getByRole('textbox', { name: 'Note', exact: true });
  const messages = (id) => world.desk.staff.fetch(`/cases/${id}/posts`, { filters: 'MESSAGES' });
  const kept = async (id) => (await world.first.client.get(`/cases/${id}/draft`, { fields: '+contents' })).body.data?.contents;
  const paste = (field, parts, files = []) => field.evaluate((element, [parts, files]) => {
    const data = new DataTransfer();
    for (const [type, text] of Object.entries(parts)) data.setData(type, text);
    for (const { name, type, bytes } of files) data.items.add(new File([new Uint8Array(bytes)], name, { type }));
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, [parts, files]);

  /** A conversation in which rich text comes when `release` is called. */
  const withoutRich = async (t, id) => {
    let release;
    const gate = new Promise((go) => { release = go; });
    const page = await sit(t, world.first, `/agent/cases/${id}`, { prepare: (page) => page.route(/\/rich-/, async (route) => { await gate; await route.continue(); }) });
    await posts(page).first().waitFor();
    return { page, release };
  };

  test('what is typed before rich text is there stays, with the caret', async (t) => {
    const id = await asked('Early');
    const { page, release } = await withoutRich(t, id);
    await page.locator('textarea').click();
    await page.keyboard.type('One\nthree');
    await page.keyboard.press('Home');
    release();
    await rich(page);
    await page.keyboard.type('two ');
    assert.equal(await written(editor(page)), 'One\ntwo three');
  });

  test('a key acts on what is selected, also if the browser reports it before the selection', async (t) => {
    const { page } = await open(t, 'All of it');
    await editor(page).fill('Delete me');
    await editor(page).evaluate((element) => { // one task: the event of the selection has not come yet
      getSelection().selectAllChildren(element);
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', code: 'Delete', keyCode: 46, bubbles: true, cancelable: true }));
    });
    assert.equal(await written(editor(page)), '');
  });

  test('letters typed behind the key of a reply or note before the editor is there stand in its text, and do nothing else', async (t) => {
    for (const [key, field] of [['r', (page) => editor(page)], ['n', note]]) {
      const id = await asked(`Before the editor: ${key}`);
      let release;
      const gate = new Promise((go) => { release = go; });
      const page = await sit(t, world.first, `/agent/cases/${id}`, { prepare: (page) => page.route(/\/editor-/, async (route) => { await gate; await route.fallback(); }) });
      await posts(page).first().waitFor();
      await page.locator('div.editor').waitFor({ state: 'attached' });
      await page.locator('#case-title').focus();
      await page.keyboard.press(key);
      await page.keyboard.type('ie]');
      release();
      await until(async () => await field(page).count() === 1 && await written(field(page)) === 'ie]');
      await hasFocus(field(page));
      await page.keyboard.type(' r');
      await until(async () => await written(field(page)) === 'ie] r');
      const { status, assigned_agent } = await world.desk.staff.fetch(`/cases/${id}`, { include: 'case_status' });
      assert.deepEqual([status.type, assigned_agent], ['NEW', null]);
    }
  });

  test('a colleague still sees who is writing when rich text comes', async (t) => {
    const id = await asked('Early and seen'), { page, release } = await withoutRich(t, id), other = await sit(t, world.second, `/agent/cases/${id}`);
    await page.getByText('Mira Olsen is looking').waitFor();
    await page.evaluate(() => {
      globalThis.pushed = [];
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (text) { if (text.includes('update-presence-meta')) globalThis.pushed.push(text); send.call(this, text); };
    });
    await page.locator('textarea').click();
    await page.keyboard.type('Hello');
    await other.getByText('Ben Adler is writing').waitFor();
    release();
    await rich(page);
    await until(() => page.evaluate(() => document.activeElement.classList.contains('rich')));
    assert.deepEqual((await page.evaluate(() => globalThis.pushed)).filter((text) => text.includes('"is_typing":false')), []);
  });

  test('forms are sent as HTML, a text without forms as plain text', async (t) => {
    const { id, page } = await open(t, 'Forms');
    await editor(page).click();
    await page.keyboard.type('Plain');
    await page.keyboard.press('Enter');
    await page.keyboard.type('- one');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+b');
    await page.keyboard.type('bold');
    await page.keyboard.press('Control+Enter');
    await posts(page).nth(1).waitFor();
    const [sent] = await messages(id);
    assert.match(sent.contents, /Plain\n+(- |• |\* )?one\n(- |• |\* )?bold/);
    const html = world.desk.sql(`SELECT content_html FROM posts WHERE id = ${sent.id}`);
    assert.match(html, /<ul><li>one<\/li><li><strong>bold<\/strong><\/li><\/ul>/);
    await editor(page).fill('Only text');
    await page.keyboard.press('Control+Enter');
    await posts(page).nth(2).waitFor();
    const [plain] = await messages(id);
    assert.equal(plain.contents, 'Only text');
    assert.equal(world.desk.sql(`SELECT COALESCE(content_html, '-') FROM posts WHERE id = ${plain.id}`).trim(), '-');
  });

  test('hostile and huge HTML of the clipboard becomes clean text fast', async (t) => {
    const { page } = await open(t, 'Paste');
    const office = `<html xmlns:o="x"><head><style>${'p.MsoNormal{margin:0}'.repeat(5000)}</style><!--[if gte mso 9]><xml>${'<w:x/>'.repeat(5000)}</xml><![endif]--></head><body><!--StartFragment-->`
      + '<p class=MsoListParagraph style="mso-list:l0 level1 lfo1"><![if !supportLists]><span>·&nbsp; </span><![endif]>Item<o:p></o:p></p>'
      + `<p class=MsoNormal style="font-size:12.0pt;${'mso-bidi-font-family:Arial;'.repeat(20)}"><span lang=EN-US>Lorem <b>ipsum</b> dolor <a href="javascript:alert(1)">x</a><o:p></o:p></span></p>\n`.repeat(3000) + '<!--EndFragment--></body></html>';
    assert.ok(office.length > 1.9e6);
    await editor(page).click();
    const begun = Date.now();
    await paste(editor(page), { 'text/html': office, 'text/plain': 'no' });
    await page.locator('.rich li').waitFor();
    t.diagnostic(`2 MB pasted in ${Date.now() - begun} ms`);
    assert.ok(Date.now() - begun < 10_000);
    assert.equal(await page.locator('.rich strong').count(), 3000);
    assert.deepEqual(await page.locator('.rich').evaluate((e) => [e.querySelectorAll('a, style, [style], o\\:p, xml').length, e.textContent.includes('MsoNormal')]), [0, false]);
    await page.keyboard.press('Control+a');
    await paste(editor(page), { 'text/html': '<img src="https://tracker.example/x.png" onerror="alert(1)"><script>alert(2)</script><p onclick="x()">Hi <a href="https://a.example/?q=1">you</a></p><iframe src="https://b.example"></iframe>' });
    assert.equal(await written(editor(page)), 'Hi you');
    assert.equal(await page.locator('.rich a').getAttribute('href'), 'https://a.example/?q=1');
  });

  test('a pasted picture shows in the text, survives a reload and another machine, and arrives inline in the mail', async (t) => {
    const to = await relayFor(t, world.desk);
    const { id, page } = await open(t, 'Picture');
    await page.getByRole('combobox', { name: 'Channel' }).selectOption('E-mail');
    await editor(page).click();
    await page.keyboard.type('See ');
    await paste(editor(page), {}, [{ name: 'dot.png', type: 'image/png', bytes: [...png(30, 20)] }]);
    await page.locator('.rich img:not(.loading)[data-picture]:not([data-picture=""])').waitFor();
    await page.locator('input[type=file]').setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('a plan') });
    await page.getByText('plan.txt').waitFor();
    await page.getByText('is uploaded').waitFor({ state: 'detached' });
    await until(async () => (await world.first.client.get(`/cases/${id}/draft`)).body.data?.attachment_file_ids?.length === 2);
    await page.reload();
    await page.locator('.rich img[data-picture]').waitFor();
    await page.getByText('plan.txt').waitFor();
    const other = await sit(t, world.first, `/agent/cases/${id}`);
    await other.locator('.rich img[data-picture]').waitFor();
    await other.getByText('plan.txt').waitFor();
    assert.equal(await other.getByText('dot.png').count(), 0, 'a picture of the text is not in the list');
    await until(() => other.locator('.rich img[data-picture]').evaluate((e) => e.complete && e.naturalWidth > 0));
    await other.getByRole('combobox', { name: 'Channel' }).selectOption('E-mail');
    await editor(other).click();
    await other.keyboard.press('Control+Enter');
    await posts(other).nth(1).waitFor();
    const mail = await to.find(world.clara.email, /./);
    assert.deepEqual(mail.files.map((f) => [f.name, f.disposition]).sort(), [['dot.png', 'inline'], ['plan.txt', 'attachment']]);
    assert.ok(mail.html.includes(`cid:${mail.files.find((f) => f.name === 'dot.png').id.slice(1, -1)}`));
  });

  test('"@" offers staff in a note, and the person is told', async (t) => {
    const { id, page } = await open(t, 'Mention');
    await page.getByRole('tab', { name: 'Note' }).click();
    await note(page).click();
    await page.keyboard.type('Please look, @mira');
    await page.getByRole('listbox', { name: 'Mention' }).getByRole('option', { name: 'Mira Olsen' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('today');
    assert.equal(await written(note(page)), 'Please look, @Mira Olsen today');
    await page.keyboard.press('Control+Enter');
    await posts(page).nth(1).waitFor();
    await until(async () => JSON.stringify((await world.second.client.get('/notifications', { unread: true, include: '*' })).body).includes(`/cases/${id}`));
  });

  test('a published article is put into the text as a link', async (t) => {
    const owner = world.desk.owner, section = await owner.create('/sections', { titles: 'Help', category_id: 1 });
    await owner.create('/articles', { titles: 'Changing the filter', contents: '<p>Turn it.</p>', section_id: section.id, status: 'PUBLISHED' });
    const { page } = await open(t, 'Article');
    await editor(page).click();
    await page.keyboard.type('Read ');
    await page.getByRole('combobox', { name: 'Article' }).fill('filter');
    await page.getByRole('option', { name: 'Changing the filter' }).click();
    await page.locator('.rich a', { hasText: 'Changing the filter' }).waitFor();
    assert.match(await page.locator('.rich a').getAttribute('href'), /\/helpcenter\/.*changing-the-filter/i);
    assert.equal(await written(editor(page)), 'Read Changing the filter');
  });

  test('copies go to the addresses of Cc, by mail only', async (t) => {
    const to = await relayFor(t, world.desk);
    const { page } = await open(t, 'Copies');
    assert.equal(await page.getByRole('button', { name: 'Cc' }).count(), 0);
    await page.getByRole('combobox', { name: 'Channel' }).selectOption('E-mail');
    await page.getByText(world.clara.email).waitFor();
    await page.getByRole('button', { name: 'Cc' }).click();
    const field = page.getByRole('combobox', { name: 'Add an address' });
    await field.fill('grace@people.example');
    await page.getByRole('option', { name: 'grace@people.example' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove grace@people.example' }).waitFor();
    await editor(page).fill('With a copy');
    await page.keyboard.press('Control+Enter');
    await posts(page).nth(1).waitFor();
    await to.find('grace@people.example', /./);
  });

  test('the menu sends and sets the status, and so does Ctrl+Shift+Enter', async (t) => {
    const { id, page } = await open(t, 'Menu');
    const status = async (of) => (await world.desk.staff.fetch(`/cases/${of}`, { include: 'case_status' })).status.type;
    await editor(page).fill('Please tell me more');
    await page.getByRole('button', { name: 'More ways to send' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: /Send and set Pending/ }).waitFor();
    await page.keyboard.press('Enter');
    await until(async () => await status(id) === 'PENDING');
    const other = await asked('Keys');
    await page.goto(`${world.desk.base}/agent/cases/${other}`);
    await rich(page);
    await editor(page).fill('Done');
    await page.keyboard.press('Control+Shift+Enter');
    await until(async () => await status(other) === 'COMPLETED');
  });

  test('a reply is taken back as long as its mail waits, and the text is in the editor again', async (t) => {
    await relayFor(t, world.desk, { 'mail.undo_seconds': 60 });
    t.after(() => world.desk.owner.update('/settings', { values: { 'mail.undo_seconds': 0 } }));
    const { id, page } = await open(t, 'Undo');
    await page.getByRole('combobox', { name: 'Channel' }).selectOption('E-mail');
    await editor(page).fill('Too early');
    await editor(page).press('Control+b');
    await page.keyboard.type('!');
    await page.keyboard.press('Control+Enter');
    await posts(page).nth(1).waitFor();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await until(async () => await written(editor(page)) === 'Too early!');
    assert.equal(await page.locator('.rich strong').textContent(), '!');
    await until(async () => await posts(page).count() === 1);
    assert.equal((await messages(id)).length, 1);
  });

  test('a macro shows what it will set, and says that its team was deleted', async (t) => {
    const owner = world.desk.owner, team = await owner.create('/teams', { title: 'Gone' });
    await owner.create('/cases/macros', { title: 'To the team', reply_contents: 'Hello {{requester.name}}', status_id: 3, assignee_type: 'TEAM', assigned_team_id: team.id, visibility_type: 'ALL', add_tags: ['vip'] });
    const whole = await open(t, 'Macro');
    const choose = async (page) => {
      await page.getByRole('combobox', { name: 'Macro' }).fill('to the');
      await page.getByRole('option', { name: 'To the team' }).click();
      await until(async () => await written(editor(page)) === 'Hello Clara Ito');
    };
    await choose(whole.page);
    const line = whole.page.locator('.macro-line');
    for (const text of ['Status: Pending', 'Team: Gone', 'Tags: +vip']) await line.getByText(text).waitFor();
    (await owner.delete(`/teams/${team.id}`)).must(200);
    const { page } = await open(t, 'Macro without team');
    await choose(page);
    await page.getByText('The team of this macro does not exist any more.').waitFor();
    assert.equal(await page.locator('.macro-line').getByText('Team:').count(), 0);
  });

  test('a macro for notes sets its properties together with the note, and counts as used', async (t) => {
    const macro = await world.desk.owner.create('/cases/macros', { title: 'Hand over', reply_contents: 'Please look', reply_type: 'NOTE', status_id: 3, visibility_type: 'ALL' });
    const { page, id } = await open(t, 'Macro of a note'), note = page.getByRole('textbox', { name: 'Note', exact: true });
    await page.getByRole('combobox', { name: 'Macro' }).fill('hand');
    await page.getByRole('option', { name: 'Hand over' }).click();
    await until(async () => await note.count() === 1 && await written(note) === 'Please look');
    await page.keyboard.press('Control+Enter');
    await posts(page).filter({ hasText: 'Please look' }).waitFor();
    const { status } = await world.desk.staff.fetch(`/cases/${id}`);
    assert.deepEqual([status.id, (await world.desk.owner.fetch(`/cases/macros/${macro.id}`)).usage_count], [3, 1]);
    assert.equal((await world.desk.staff.fetch(`/cases/${id}/notes`)).length, 1);
  });

  // ---- what breaks --------------------------------------------------------------------------

  test('a reply whose answer a proxy replaces by a 500 is sent once, also if the text is changed meanwhile', async (t) => {
    const { id, page } = await open(t, 'Proxy', { expected: /status of (400|404|409|412|500|502)/ });
    let broken = 0;
    await page.route(/\/reply$/, async (route) => {
      if (broken++ > 1) return route.continue();
      await route.fetch(); // the desk carries it out
      return broken === 1 ? route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }) : route.fulfill({ status: 502, contentType: 'application/json', body: '{"status":502}' });
    });
    await editor(page).fill('Once');
    for (let i = 0; i < 2; i++) {
      await page.keyboard.press('Control+Enter');
      await until(() => broken > i);
      await page.getByRole('button', { name: 'Send now' }).waitFor();
    }
    await page.getByRole('button', { name: 'Send now' }).click();
    await until(async () => await written(editor(page)) === '');
    assert.deepEqual((await messages(id)).map(({ contents }) => contents), ['Once', 'Where is it?']);
    broken = 0;
    await page.getByRole('button', { name: 'Send reply to Clara Ito' }).waitFor(); // the first one has been sent, and read
    await editor(page).fill('Second');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Send now' }).waitFor();
    await editor(page).fill('Second, corrected');
    broken = 2;
    await page.keyboard.press('Control+Enter');
    await page.getByText('An earlier form of this text was sent').waitFor();
    assert.equal((await messages(id)).length, 3);
    await page.getByRole('button', { name: 'Send as another reply' }).click();
    await until(async () => (await messages(id)).length === 4);
  });

  test('offline, a text waits with a button, and is sent when the connection is back', async (t) => {
    const { id, page } = await open(t, 'Offline');
    await editor(page).fill('Written offline');
    await page.context().setOffline(true);
    await page.keyboard.press('Control+Enter');
    const again = page.getByRole('button', { name: 'Send now' });
    await again.waitFor();
    assert.equal(await written(editor(page)), 'Written offline');
    await page.context().setOffline(false);
    await again.click();
    await posts(page).filter({ hasText: 'Written offline' }).waitFor();
    assert.equal((await messages(id)).length, 2);
  });

  test('when the session ends while one types, the text stays, and the focus comes back after the login', async (t) => {
    const { id, page } = await open(t, 'Session');
    await editor(page).fill('Before');
    await until(async () => await kept(id) === 'Before');
    await page.context().clearCookies();
    await editor(page).press('End');
    await page.keyboard.type(' and after');
    await page.getByRole('heading', { name: 'Log in again' }).waitFor();
    await logIn(page, world.first);
    await until(async () => await kept(id) === 'Before and after');
    await hasFocus(editor(page));
    await page.keyboard.type('!');
    assert.equal(await written(editor(page)), 'Before and after!');
  });

  test('two tabs of a browser show the same text, and what one sends the other does not send again', async (t) => {
    const { id, page } = await open(t, 'Tabs');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await rich(other);
    await editor(page).fill('From the first tab');
    await until(async () => await written(editor(other)) === 'From the first tab');
    await editor(other).press('End');
    await other.keyboard.type(', and the second');
    await until(async () => await written(editor(page)) === 'From the first tab, and the second');
    await editor(page).press('Control+Enter');
    await posts(page).nth(1).waitFor();
    await until(async () => await written(editor(other)) === '');
    assert.equal((await messages(id)).length, 2);
  });

  for (const [name, breaks] of [
    ['full', () => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }],
    ['forbidden', () => { Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } }); }],
  ])
    test(`with a browser whose storage is ${name}, the server keeps the text; without a server, the page says so`, async (t) => {
      const { id, page } = await open(t, `Storage ${name}`, { prepare: (page) => page.addInitScript(breaks) });
      await editor(page).fill('Only on the server');
      await until(async () => await kept(id) === 'Only on the server');
      assert.equal(await page.getByText('This text is only in this page').count(), 0);
      await page.reload();
      await rich(page);
      await until(async () => await written(editor(page)) === 'Only on the server');
      await page.route(/\/draft/, (route) => route.abort());
      await editor(page).fill('Nowhere');
      await page.getByText('This text is only in this page').waitFor();
    });

  test('text of both directions, without width, of wide signs and of halves arrives as it was written', async (t) => {
    const { id, page } = await open(t, 'Unicode');
    const text = 'שלום \u200fHello\u200e \u200b\u2060zero\u200d 👩‍👩‍👧‍👦 e\u0301 \u{1F1E9}\u{1F1EA} ﷽';
    await editor(page).fill(text);
    await paste(editor(page), { 'text/plain': '\ud83d halves \u0000' });
    await page.keyboard.press('Control+Enter');
    await posts(page).nth(1).waitFor();
    const [{ contents }] = await messages(id);
    assert.ok(contents.includes('\u200b\u2060zero\u200d 👩‍👩‍👧‍👦 e\u0301'), contents);
    assert.doesNotMatch(contents, /\ud83d(?![\udc00-\udfff])|\0/);
  });

  const TABS = Number(process.env.TABS ?? 6);
  test(`of ${TABS} tabs that are killed while somebody types, none loses a text older than two seconds`, async (t) => {
    const { page } = await open(t, 'Killed'), context = page.context();
    for (let i = 0; i < TABS; i++) {
      const id = await asked(`Killed ${i}`), tab = await context.newPage();
      await tab.goto(`${world.desk.base}/agent/cases/${id}`);
      await rich(tab);
      await editor(tab).click();
      const times = [], length = 300 + Math.floor(1500 * (i % 5) / 5); // milliseconds of typing without a pause
      let text = '';
      for (const begun = Date.now(); Date.now() - begun < length || times.length < 3;) {
        const sign = String.fromCharCode(97 + times.length % 26);
        await tab.keyboard.type(sign);
        text += sign;
        times.push(Date.now());
        if (length > 1000 && times.length % 10 === 0) await tab.waitForTimeout(100);
      }
      if (i % 2) await tab.waitForTimeout(2100);
      const client = await context.newCDPSession(tab), now = Date.now();
      await tab.evaluate(() => new Promise((go) => setTimeout(go))); // what was due by then is done: the machine may have stood still
      await Promise.race([client.send('Page.crash').catch(() => undefined), new Promise((go) => tab.once('crash', go))]);
      await tab.close().catch(() => undefined);
      const again = await context.newPage();
      await again.goto(`${world.desk.base}/agent/cases/${id}`);
      await rich(again);
      const must = text.slice(0, times.filter((time) => time < now - 2000).length);
      await until(async () => (await written(editor(again))).startsWith(must));
      assert.ok(text.startsWith(await written(editor(again))));
      await again.close();
    }
  });

  test('the editor looks right, and axe-core reports nothing, at each width, in both themes and right to left', async (t) => {
    await world.desk.owner.create('/cases/macros', { title: 'Ask', reply_contents: 'Which one?', status_id: 3, visibility_type: 'ALL', add_tags: ['asked'] });
    const { page } = await open(t, 'Looks of the editor');
    await page.getByRole('combobox', { name: 'Channel' }).selectOption('E-mail');
    await editor(page).click();
    await paste(editor(page), { 'text/html': '<p>Dear Clara,</p><p>these are the <b>three</b> steps of <a href="https://example.org">the guide</a>:</p><ol><li>Unplug it.</li><li>Wait.</li></ol><blockquote>It does not work</blockquote><pre>reset --hard</pre>' });
    await paste(editor(page), {}, [{ name: 'dot.png', type: 'image/png', bytes: [...png(120, 40)] }]);
    await page.locator('input[type=file]').setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('a plan') });
    await page.getByText('is uploaded').waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Macro' }).fill('ask');
    await page.getByRole('listbox', { name: 'Macro' }).getByRole('option', { name: 'Ask' }).click();
    await page.locator('.macro-line').waitFor();
    for (const dir of ['ltr', 'rtl'])
      for (const theme of ['light', 'dark'])
        for (const [width, height] of dir === 'ltr' ? SIZES : [SIZES[0], SIZES[2]]) {
          await page.setViewportSize({ width, height });
          await page.evaluate(([theme, dir]) => { document.documentElement.dataset.theme = theme; document.documentElement.dir = dir; }, [theme, dir]);
          await page.waitForTimeout(100);
          await shoot(page, `editor-${dir}-${theme}-${width}`);
          assert.deepEqual(await audit(page), [], `${dir} ${theme} ${width}`);
        }
    await page.getByRole('button', { name: 'More ways to send' }).click();
    await page.getByRole('menuitem').first().waitFor();
    await shoot(page, 'editor-menu');
    assert.deepEqual(await audit(page), []);
  });
});

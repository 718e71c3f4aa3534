// Daily work in the console: keys, the palette, lists, searches, people, realtime through proxies that break it.
import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, test } from 'node:test';
import { audit, chord, consoleWorld, editor, explain, joined, logIn, outside, posts, row, shoot, until, watchJoins, written } from './console.mjs';

describe('daily work in the console', () => {
  const world = consoleWorld();
  const { sit, asked } = world;
  const palette = (page) => page.getByRole('combobox', { name: 'Commands' });

  test('two keys after each other lead to a place, and keys of one character can be switched off', async (t) => {
    const id = await asked('One that is mine'), page = await sit(t, world.first);
    await world.desk.staff.update(`/cases/${id}`, { assigned_agent_id: world.first.id });
    await page.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    await chord(page, 'g', 't');
    await page.getByRole('heading', { name: 'Trash', level: 2 }).waitFor();
    await chord(page, 'g', 'm');
    await row(page, 'One that is mine').waitFor();
    await chord(page, 'g', 'i');
    await page.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Go to the trash').waitFor();
    await shoot(page, 'daily-keys');
    await dialog.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    assert.match(page.url(), /views/);
    assert.equal(await dialog.isVisible(), false);
  });

  test('what one types while the palette is loaded stands in its field, and does nothing else', async (t) => {
    const id = await asked('Typed too early'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await posts(page).first().waitFor();
    let release;
    const held = new Promise((go) => { release = go; });
    await page.route(/\.js$/, async (route) => { await held; await route.continue(); });
    await page.locator('#case-title').focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('eemerge');
    for (const _ of 'merge') await page.keyboard.press('Backspace');
    await page.keyboard.type('ij');
    release();
    await palette(page).waitFor();
    assert.equal(await palette(page).inputValue(), 'eeij');
    await page.keyboard.type('r');
    assert.equal(await palette(page).inputValue(), 'eeijr');
    const { status, assigned_agent } = await world.desk.staff.fetch(`/cases/${id}`, { include: 'case_status' });
    assert.deepEqual([status.type, assigned_agent], ['NEW', null]);
  });

  test('Enter in the field of macros takes the first one also before the list has come, and sends nothing', async (t) => {
    await world.desk.owner.create('/cases/macros', { title: 'Zebra crossing', reply_contents: 'Look left.', visibility_type: 'ALL' });
    const id = await asked('Macro in haste'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await posts(page).first().waitFor();
    await editor(page).fill('Hello.');
    await page.getByRole('combobox', { name: 'Macro' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('zebra');
    await page.keyboard.press('Enter');
    await until(async () => /Look left/.test(await written(editor(page))));
    assert.match(await written(editor(page)), /Hello\./);
    assert.equal((await world.desk.staff.fetch(`/cases/${id}/messages`)).length, 1);
  });

  test('the palette finds actions with their keys, views, conversations, people and macros', async (t) => {
    await world.desk.owner.create('/cases/macros', { title: 'Apologise for the delay', reply_contents: 'Sorry!', visibility_type: 'ALL' });
    const id = await asked('Palette 5512'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await posts(page).first().waitFor();
    const find = async (text, option) => {
      await page.keyboard.press('Control+k');
      await palette(page).fill(text);
      await page.getByRole('option', { name: option }).waitFor();
      return page.getByRole('option', { name: option });
    };
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /Completed, then the next one e/ }).waitFor();
    for (const [theme, width, height] of [['light', 1280, 800], ['dark', 1280, 800], ['light', 360, 740]]) {
      await page.setViewportSize({ width, height });
      await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
      await shoot(page, `daily-palette-${theme}-${width}`);
      assert.deepEqual(await audit(page), []);
      assert.deepEqual(await outside(page), []);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await (await find('asme', /^Assign to me/)).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Agent changed').waitFor();
    assert.equal((await world.desk.staff.fetch(`/cases/${id}`)).assigned_agent.id, world.first.id);
    await (await find('apolog', /^Apologise for the delay$/)).click();
    await until(async () => (await editor(page).evaluate((e) => e.value ?? e.innerText)).includes('Sorry!'));
    await (await find('clara', /^Clara Ito Person/)).click();
    await page.getByRole('heading', { name: 'Clara Ito', level: 1 }).waitFor();
    await (await find('5512', /^Palette 5512 Conversation/)).click();
    await page.waitForURL(`**/agent/cases/${id}`);
    await find('zzzz', /Search for/);
    assert.equal(await page.getByRole('dialog').getByRole('option').count(), 1);
  });

  /** A proxy before the desk. mode: how it treats the upgrade to a WebSocket: pass; refuse (502); hang (no answer); swallow (the handshake
   *  works, and no frame arrives). `cut()` breaks all connections, and `closed` refuses new ones. */
  const proxy = async (t, mode) => {
    const { port } = new URL(world.desk.base), sockets = new Set(), seen = { mode, closed: false, streams: 0 };
    const server = net.createServer((near) => {
      if (seen.closed) { near.destroy(); return; }
      const far = net.connect(Number(port), '127.0.0.1');
      let swallowed = false;
      for (const socket of [near, far]) { sockets.add(socket); socket.on('error', () => undefined); socket.on('close', () => { sockets.delete(socket); near.destroy(); far.destroy(); }); }
      far.on('data', (data) => { if (!swallowed || data.includes('HTTP/1.1 101')) near.write(data); });
      near.on('data', (data) => {
        const upgrade = /^GET \S*\/socket\/websocket/.test(data.toString('latin1')), how = seen.mode;
        if (/^GET \S*\/realtime\?/.test(data.toString('latin1'))) seen.streams++;
        if (upgrade && how === 'refuse') near.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        else if (upgrade && how === 'hang') return;
        else { swallowed ||= upgrade && how === 'swallow'; if (!swallowed || upgrade) far.write(data); }
      });
    });
    await new Promise((go) => server.listen(0, '127.0.0.1', go));
    t.after(() => { for (const socket of sockets) socket.destroy(); server.close(); });
    return Object.assign(seen, { base: `http://127.0.0.1:${server.address().port}`, cut: () => { for (const socket of sockets) socket.destroy(); } });
  };
  /** A page of the first agent through the proxy. */
  const through = async (t, { base }, path) => {
    const context = await world.browser.newContext({ viewport: { width: 1280, height: 800 } }), page = await context.newPage(), wrong = [];
    watchJoins(page);
    page.on('pageerror', (error) => wrong.push(error.stack ?? String(error)));
    t.after(async () => { await explain(t, context, wrong); await context.close(); assert.deepEqual(wrong, []); });
    await page.goto(base + path);
    await logIn(page, world.first);
    return page;
  };
  const broken = (page) => page.locator('.bar [role=status]');

  for (const mode of ['refuse', 'hang', 'swallow'])
    test(`events arrive by a stream where a proxy breaks WebSockets (${mode}), and by the socket when it works again`, async (t) => {
      const id = await asked(`Behind a proxy that does ${mode}`), way = await proxy(t, mode), page = await through(t, way, `/agent/views/1/${id}`);
      await posts(page).first().waitFor();
      await until(() => way.streams > 0);
      await world.clara.client.create(`/conversations/${id}/messages`, { contents: 'By a stream' });
      await posts(page).filter({ hasText: 'By a stream' }).waitFor();
      await asked(`New behind ${mode}`);
      await page.getByRole('button', { name: /new, show/ }).waitFor();
      assert.equal(await broken(page).count(), 0);
      way.mode = 'pass';
      await world.second.client.create(`/cases/${id}/notes`, { contents: 'While it changes' });
      await posts(page).filter({ hasText: 'While it changes' }).waitFor();
    });

  test('a break is shown after five seconds and not before, nothing that happened meanwhile is missing, and a restart is one', async (t) => {
    const id = await asked('Broken lines'), way = await proxy(t, 'pass'), page = await through(t, way, `/agent/views/1/${id}`);
    await posts(page).first().waitFor();
    await joined(page);
    // A slow start is a break too: an event shows that it is over.
    await world.clara.client.create(`/conversations/${id}/messages`, { contents: 'Before it breaks' });
    await posts(page).filter({ hasText: 'Before it breaks' }).waitFor();
    await page.evaluate(() => { // by a clock that nobody sets while it runs
      globalThis.wholeAt = performance.now();
      new MutationObserver((_, watch) => { if (document.querySelector('.bar [role=status]')) { globalThis.shownAt = performance.now(); watch.disconnect(); } }).observe(document, { childList: true, subtree: true });
    });
    way.closed = true;
    way.cut();
    await world.clara.client.create(`/conversations/${id}/messages`, { contents: 'While it was broken' });
    await broken(page).filter({ hasText: 'The server does not answer.' }).waitFor();
    const after = await page.evaluate(() => globalThis.shownAt - globalThis.wholeAt);
    assert.ok(after >= 4900, `${after} ms`);
    await shoot(page, 'daily-reconnecting');
    way.closed = false;
    await posts(page).filter({ hasText: 'While it was broken' }).waitFor();
    await broken(page).waitFor({ state: 'detached' });
  });

  test('a screen that is opened while no answer comes is shown as soon as one comes', async (t) => {
    const page = await sit(t, world.first, '/agent/views/1');
    await page.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    let broken = true, refused = 0;
    await page.route(/\/agent(\/|$)/, async (route) => { if (!broken) return route.fallback(); refused++; await route.abort(); });
    await chord(page, 'g', 'r');
    await until(() => refused > 2);
    broken = false;
    await page.getByRole('heading', { name: 'Reports' }).first().waitFor();
  });

  test('what comes new is said once in a polite region, and not while a person types', async (t) => {
    const id = await asked('Said'), page = await sit(t, world.first, `/agent/views/1/${id}`);
    await posts(page).first().waitFor();
    await joined(page);
    const said = page.locator('#herald');
    await said.evaluate((region) => { // on a slow machine a person pauses between two words
      let typedAt = 0;
      addEventListener('input', () => { typedAt = performance.now(); });
      globalThis.pauses = [];
      new MutationObserver(() => { if (region.textContent) globalThis.pauses.push(performance.now() - typedAt); }).observe(region, { childList: true, characterData: true, subtree: true });
    });
    await editor(page).pressSequentially('Dear');
    await world.clara.client.create(`/conversations/${id}/messages`, { contents: 'Hello?' });
    await posts(page).filter({ hasText: 'Hello?' }).waitFor();
    await editor(page).pressSequentially(' Clara');
    await said.filter({ hasText: 'New reply from Clara Ito' }).waitFor();
    const pauses = await page.evaluate(() => globalThis.pauses);
    assert.ok(pauses.length === 1 && pauses[0] >= 2000, String(pauses));
  });

  test('a session that ended elsewhere is noticed, and realtime comes back with the next login', async (t) => {
    const id = await asked('Ended elsewhere'), way = await proxy(t, 'refuse'), page = await through(t, way, `/agent/views/1/${id}`);
    await posts(page).first().waitFor();
    await until(() => way.streams > 0);
    await page.context().clearCookies();
    way.cut();
    await page.getByRole('heading', { name: 'Log in again' }).waitFor();
    await logIn(page, world.first);
    await world.clara.client.create(`/conversations/${id}/messages`, { contents: 'After the login' });
    await posts(page).filter({ hasText: 'After the login' }).waitFor();
  });
  test('a long list is read by cursors in order, by offset after a jump, and from its end', async (t) => {
    for (let i = 0; i < 130; i++) await asked(`Long ${String(i).padStart(3, '0')}`);
    const page = await sit(t, world.second), asks = [];
    page.on('request', (r) => { const url = new URL(r.url()); if (url.pathname.endsWith('/views/1/cases')) asks.push(url.searchParams); });
    await row(page, 'Long 129').waitFor();
    const box = page.getByRole('grid');
    const scroll = (top) => box.evaluate((e, top) => new Promise((go) => { e.scrollTop = top; requestAnimationFrame(() => requestAnimationFrame(go)); }), top); // the rows are made in the next frame
    for (let top = 0; top < 80 * 72; top += 600) {
      await scroll(top);
      await until(async () => !(await page.locator('.skeleton').count())); // nobody reads on before there is something
    }
    await row(page, 'Long 055').waitFor();
    assert.equal(asks.some((q) => q.has('offset')), false);
    assert.ok(asks.filter((q) => q.get('after')).length >= 1);
    await page.reload();
    await row(page, 'Long 129').waitFor();
    asks.length = 0;
    await scroll(1e9);
    await row(page, 'Long 000').waitFor();
    assert.ok(asks.some((q) => q.get('before') === '') && !asks.some((q) => q.has('offset')), String(asks));
    const seen = new Set();
    for (let top = 130 * 72; top >= 0; top -= 500) {
      await scroll(top);
      await until(async () => !(await page.locator('.skeleton').count()));
      for (const text of await page.locator('.row-subject').allTextContents()) seen.add(text);
    }
    assert.equal([...seen].filter((text) => text.startsWith('Long')).length, 130);
    await scroll(0);
    await row(page, 'Long 128').click();
    await posts(page).first().waitFor();
    assert.equal(await box.evaluate((e) => e.scrollTop), 0, 'the list stays where it is');
  });

  test('a conversation that leaves the view stays greyed until one moves on', async (t) => {
    const [a, b] = [await asked('Stays a while'), await asked('The next one')], page = await sit(t, world.first);
    await joined(page);
    await row(page, 'Stays a while').click();
    await posts(page).first().waitFor();
    await world.second.client.update(`/cases/${a}`, { status_id: 4 });
    await row(page, 'Stays a while').filter({ hasText: 'No longer in this view' }).waitFor();
    await shoot(page, 'daily-left');
    assert.deepEqual(await audit(page), []);
    await row(page, 'The next one').click();
    await row(page, 'Stays a while').waitFor({ state: 'detached' });
    assert.match(page.url(), new RegExp(`/${b}$`));
  });

  test('rows show an own draft and who is looking, and a listener is not taken for one who looks', async (t) => {
    const id = await asked('Begun text'), page = await sit(t, world.first, `/agent/views/1/${id}`), other = await sit(t, world.second);
    await posts(page).first().waitFor();
    await row(other, 'Begun text').getByTitle('Ben Adler').waitFor();
    assert.equal(await page.getByText('Mira Olsen is looking').count(), 0);
    await editor(page).pressSequentially('Half');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.waitForURL('**/views/1');
    await row(page, 'Begun text').filter({ hasText: /Draft/ }).waitFor();
    await shoot(page, 'daily-rows');
    await row(other, 'Begun text').getByTitle('Ben Adler').waitFor({ state: 'detached' });
  });

  test('a range is selected by Shift+x, and after a close the setting says where one goes', async (t) => {
    for (const n of [1, 2, 3, 4]) await asked(`Range ${n}`);
    const page = await sit(t, world.first);
    await row(page, 'Range 4').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await page.getByRole('toolbar', { name: '3 selected' }).waitFor();
    for (const [setting, end] of [['next', /views\/1\/\d+$/], ['stay', /views\/1\/\d+$/], ['list', /views\/1$/]]) {
      await page.evaluate((value) => localStorage.setItem('after_close', value), setting);
      await page.goto(`${world.desk.base}/agent/views/1`);
      await row(page, 'Range').first().click();
      await posts(page).first().waitFor();
      const before = page.url();
      await page.locator('#case-title').focus();
      await page.keyboard.press('e');
      await page.getByText('Status changed').waitFor();
      await until(() => end.test(page.url()) && (page.url() === before) === (setting === 'stay'));
    }
  });

  test('the neighbours of the open conversation are read ahead, and a change makes them be read again', async (t) => {
    const ids = [await asked('Ahead 1'), await asked('Ahead 2')], page = await sit(t, world.first, `/agent/views/1`);
    await joined(page);
    const asks = [], ahead = page.waitForResponse((reply) => reply.url().includes(`/cases/${ids[0]}/posts`));
    await row(page, 'Ahead 2').click();
    await posts(page).first().waitFor();
    await ahead;
    page.on('request', (r) => asks.push(`${r.method()} ${new URL(r.url()).pathname}`));
    await page.locator('#case-title').focus();
    await page.keyboard.press('j');
    await page.waitForURL(`**/${ids[0]}`);
    await page.getByRole('heading', { name: 'Ahead 1', level: 2 }).waitFor();
    await posts(page).first().waitFor();
    await page.waitForTimeout(100); // time for a request
    assert.equal(asks.some((ask) => ask.endsWith(`/cases/${ids[0]}/posts`)), false, String(asks));
    await page.waitForTimeout(600);
    await world.clara.client.create(`/conversations/${ids[1]}/messages`, { contents: 'Changed meanwhile' });
    await page.waitForTimeout(500);
    await page.keyboard.press('k');
    await posts(page).filter({ hasText: 'Changed meanwhile' }).waitFor();
  });

  test('an organization, its people and articles are found, and the pages of person and organization show what is known', async (t) => {
    const name = 'Blue Kiln', { id } = await world.desk.owner.create('/organizations', { name, domains: 'bluekiln.example' });
    await world.desk.owner.update(`/users/${world.clara.id}`, { organization_id: id });
    await world.desk.staff.create(`/users/${world.clara.id}/notes`, { contents: 'Prefers the phone' });
    await asked('Glaze of the kiln');
    const page = await sit(t, world.first, '/agent/search?q=kiln');
    await row(page, 'Glaze of the kiln').waitFor();
    await shoot(page, 'daily-search');
    await page.getByRole('region', { name: 'Organizations' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByText('bluekiln.example').waitFor();
    await row(page, 'Glaze of the kiln').waitFor();
    await shoot(page, 'daily-organization');
    assert.deepEqual(await audit(page), []);
    await page.getByRole('link', { name: 'Clara Ito' }).click();
    await page.getByText('Prefers the phone').waitFor();
    await shoot(page, 'daily-person');
    await page.getByRole('link', { name }).click();
    await page.goto(`${world.desk.base}/agent/organizations/999999`);
    await page.getByText('This organization does not exist, or you may not see it.').waitFor();
  });

  test('the widths of list and properties are set by keys and kept', async (t) => {
    const id = await asked('Widths'), page = await sit(t, world.first, `/agent/views/1/${id}`);
    await posts(page).first().waitFor();
    const width = (css) => page.locator(css).evaluate((e) => Math.round(e.getBoundingClientRect().width));
    await page.getByRole('separator', { name: 'Width of the list' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('separator', { name: 'Width of the details' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.reload();
    await posts(page).first().waitFor();
    assert.deepEqual([await width('.list'), await width('.details')], [336, 296]);
    await page.goto(`${world.desk.base}/agent/cases/${id}`);
    await posts(page).first().waitFor();
    assert.equal(await width('.details'), 296);
    await shoot(page, 'daily-alone');
    assert.deepEqual(await audit(page), []);
  });
});

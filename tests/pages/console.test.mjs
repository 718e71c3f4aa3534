// The console in Chromium: two agents work beside each other; axe-core reports nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { consoleWorld, editor, editorReady, examine, hasFocus, joined, logIn, posts, row, until, written } from './console.mjs';

describe('the console', () => {
  const world = consoleWorld(), { asked, sit } = world;

  test('two agents beside each other: a question arrives by itself, is answered, and both see the answer', async (t) => {
    const one = await sit(t, world.first), two = await sit(t, world.second);
    await one.getByRole('link', { name: /Inbox/ }).waitFor();
    await joined(one);
    const id = await asked('Parcel 4711');
    await one.getByRole('button', { name: /new, show/ }).click();
    await row(one, 'Parcel 4711').click();
    await two.goto(`${world.desk.base}/agent/cases/${id}`);
    await posts(one).filter({ hasText: 'Where is it?' }).waitFor();
    await one.getByText('Mira Olsen is looking').waitFor();
    await editor(one).fill('It comes on Monday.');
    await two.getByText('Ben Adler is writing').waitFor();
    await one.keyboard.press('Control+Enter');
    await posts(one).filter({ hasText: 'It comes on Monday.' }).waitFor();
    await posts(two).filter({ hasText: 'It comes on Monday.' }).waitFor();
    await until(async () => await written(editor(one)) === '');
  });

  test('of two answers at the same moment one is sent, and the other agent is asked', async (t) => {
    const id = await asked('Two answers'), path = `/agent/cases/${id}`;
    const [one, two] = await Promise.all([sit(t, world.first, path), sit(t, world.second, path)]);
    for (const page of [one, two]) { await posts(page).first().waitFor(); await editor(page).fill(page === one ? 'First' : 'Second'); }
    await Promise.all([one.keyboard.press('Control+Enter'), two.keyboard.press('Control+Enter')]);
    const warned = () => Promise.all([one, two].map((page) => page.getByText('There is a new post that you have not seen.').isVisible()));
    let shown;
    await until(async () => { shown = await warned(); return shown.some(Boolean); });
    assert.deepEqual(shown.filter(Boolean).length, 1);
    const asking = shown[0] ? one : two;
    await asking.getByRole('button', { name: 'Send anyway' }).click();
    await posts(asking).nth(2).waitFor();
    assert.equal((await world.desk.staff.fetch(`/cases/${id}/posts`)).length, 3);
  });

  test('the keyboard alone opens, notes, assigns, takes back and completes', async (t) => {
    const id = await asked('By keys');
    const page = await sit(t, world.first);
    await row(page, 'By keys').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await posts(page).first().waitFor();
    await editorReady(page);
    await page.keyboard.press('n');
    await hasFocus(page.getByRole('textbox', { name: 'Note', exact: true }));
    await page.keyboard.type('Call back');
    await page.keyboard.press('Control+Enter');
    await posts(page).filter({ hasText: 'Call back' }).waitFor();
    await page.getByRole('heading', { name: 'By keys' }).focus();
    await page.keyboard.press('i');
    const agentOf = async () => (await world.desk.staff.fetch(`/cases/${id}`)).assigned_agent?.id ?? null;
    await page.getByText('Agent changed').waitFor();
    assert.equal(await agentOf(), world.first.id);
    await page.keyboard.press('z');
    await page.getByText('Undone').waitFor();
    assert.equal(await agentOf(), null);
    await page.keyboard.press('e');
    await page.getByText('Status changed').waitFor();
    assert.equal((await world.desk.staff.fetch(`/cases/${id}`, { include: 'case_status' })).status.type, 'COMPLETED');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next conversation').waitFor();
  });

  test('a text survives a reload, an ended session and another login', async (t) => {
    const id = await asked('Kept'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await posts(page).first().waitFor();
    await editor(page).fill('Half a sentence');
    await page.waitForFunction(() => Object.values(localStorage).some((text) => text.includes('Half a sentence')));
    await page.reload();
    await posts(page).first().waitFor();
    await until(async () => await written(editor(page)) === 'Half a sentence');
    await page.context().clearCookies();
    await editor(page).focus();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'Log in again' }).waitFor();
    await logIn(page, world.first);
    await posts(page).filter({ hasText: 'Half a sentence' }).waitFor();
    assert.equal((await world.desk.staff.fetch(`/cases/${id}/posts`)).length, 2);
  });

  test('a draft follows the person to another machine, and a newer one is offered, not overwritten', async (t) => {
    const id = await asked('Two machines'), path = `/agent/cases/${id}`;
    const one = await sit(t, world.first, path);
    await posts(one).first().waitFor();
    await editor(one).fill('Begun here');
    const kept = async () => (await world.first.client.get('/profile/drafts', { case_ids: id, fields: '+contents' })).must(200).body.data.map(({ contents }) => contents);
    await until(async () => (await kept())[0] === 'Begun here');
    const two = await sit(t, world.first, path);
    await posts(two).first().waitFor();
    await until(async () => await written(editor(two)) === 'Begun here');
    await editor(two).fill('Begun here, ended there');
    await until(async () => (await kept())[0] === 'Begun here, ended there');
    await editor(one).fill('Begun here, and changed');
    await one.getByText('You have written another text in another place:').waitFor();
    await one.getByRole('button', { name: 'Take that text' }).click();
    await until(async () => await written(editor(one)) === 'Begun here, ended there');
    await editor(one).focus();
    await one.keyboard.press('Control+Enter');
    await posts(one).filter({ hasText: 'ended there' }).waitFor();
    await until(async () => !(await kept()).length);
    assert.deepEqual((await world.second.client.get('/profile/drafts', { case_ids: id })).must(200).body.data, []);
  });

  test('a change of several conversations says what it did, and is taken back', async (t) => {
    const ids = [await asked('Many 1'), await asked('Many 2'), await asked('Many 3')];
    await world.desk.staff.update(`/cases/${ids[0]}`, { assigned_agent_id: world.second.id });
    const page = await sit(t, world.first);
    for (const n of [1, 2, 3]) { await row(page, `Many ${n}`).hover(); await row(page, `Many ${n}`).getByRole('checkbox').check(); }
    await page.getByRole('toolbar', { name: '3 selected' }).getByRole('button', { name: /Assign to me/ }).click();
    await page.getByText('3 changed').waitFor();
    const agents = () => Promise.all(ids.map(async (id) => (await world.desk.staff.fetch(`/cases/${id}`)).assigned_agent?.id ?? null));
    assert.deepEqual(await agents(), ids.map(() => world.first.id));
    await page.keyboard.press('z');
    await page.getByText('Undone').waitFor();
    assert.deepEqual(await agents(), [world.second.id, null, null]);
  });

  test('a new conversation is opened for a person, also for an address that nobody has', async (t) => {
    const page = await sit(t, world.first);
    await row(page, 'Inbox').or(page.getByRole('heading', { name: 'Inbox' })).first().waitFor();
    for (const [typed, option, subject] of [['Clar', 'Clara Ito', 'By phone'], ['new.person@example.org', 'new.person@example.org', 'From a letter']]) {
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.keyboard.press('c');
      await page.getByRole('combobox', { name: 'Requester' }).fill(typed);
      await page.getByRole('option', { name: option }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByLabel('Subject').fill(subject);
      await page.getByLabel('Text').fill('She called.');
      await page.keyboard.press('Control+Enter');
      await page.waitForURL(/\/agent\/cases\/\d+$/);
      await posts(page).filter({ hasText: 'She called.' }).waitFor();
      await page.getByRole('heading', { name: subject }).focus();
    }
    assert.equal((await world.desk.staff.fetch('/users', { email: 'new.person@example.org' })).length, 1);
  });

  test('a macro is shown before it is sent, and files are attached by choice and by paste', async (t) => {
    await world.desk.owner.create('/cases/macros', { title: 'Ask more', reply_contents: 'Hello {{requester.name}}, which one?', status_id: 3, visibility_type: 'ALL' });
    const id = await asked('Macro'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await posts(page).first().waitFor();
    await editorReady(page);
    await page.getByRole('heading', { name: 'Macro', exact: true, level: 2 }).focus();
    await page.keyboard.press('m');
    await page.keyboard.type('ask');
    await page.getByRole('option', { name: 'Ask more' }).waitFor();
    await page.keyboard.press('Enter');
    await until(async () => await written(editor(page)) === 'Hello Clara Ito, which one?');
    await page.locator('input[type=file]').setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('a plan') });
    await editor(page).evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File(['b'], 'pasted.txt', { type: 'text/plain' }));
      text.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await page.getByText('pasted.txt').waitFor();
    await page.getByText('is uploaded').first().waitFor({ state: 'detached' });
    assert.equal((await world.desk.staff.fetch(`/cases/${id}`, { include: 'case_status' })).status.type, 'NEW');
    await page.getByRole('button', { name: 'Send reply to Clara Ito' }).click();
    await posts(page).filter({ hasText: 'which one?' }).getByRole('link', { name: 'plan.txt' }).waitFor();
    await posts(page).getByRole('link', { name: 'pasted.txt' }).waitFor();
    assert.equal((await world.desk.staff.fetch(`/cases/${id}`, { include: 'case_status' })).status.type, 'PENDING');
  });

  test('the name of the requester leads to the person, with all conversations', async (t) => {
    const id = await asked('One of hers'), page = await sit(t, world.first, `/agent/cases/${id}`);
    await page.getByRole('link', { name: 'Clara Ito' }).click();
    await page.getByRole('heading', { name: 'Clara Ito', level: 1 }).waitFor();
    await page.getByText(world.clara.email).waitFor();
    await row(page, 'One of hers').click();
    await page.waitForURL(`**/agent/cases/${id}`);
    await page.goto(`${world.desk.base}/agent/people/999999`);
    await page.getByText('This person does not exist, or you may not see it.').waitFor();
  });

  test('a mention rings the bell by itself, and the list leads to the conversation and is read', async (t) => {
    const id = await asked('Mentioned'), page = await sit(t, world.second);
    const bell = page.getByRole('link', { name: /^Notifications/ });
    await bell.waitFor();
    await joined(page);
    const before = (await world.second.client.get('/notifications', { unread: true })).must(200).body.total_count;
    await page.getByRole('link', { name: before ? `Notifications ${before} unread` : /^Notifications$/ }).waitFor();
    await world.first.client.create(`/cases/${id}/notes`, { contents: '@Mira Olsen, is this yours?' });
    await page.getByRole('link', { name: `Notifications ${before + 1} unread` }).waitFor();
    await bell.click();
    await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor();
    await page.getByRole('link', { name: /Ben Adler mentioned you.*Mentioned/ }).click();
    await posts(page).filter({ hasText: 'is this yours?' }).waitFor();
    await until(async () => (await world.second.client.get('/notifications', { unread: true })).must(200).body.total_count === before);
  });

  test('a wrong password, a customer and an unknown conversation get words', async (t) => {
    const page = await sit(t, null);
    await page.getByLabel('E-mail address').fill(world.first.email);
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
    await logIn(page, world.first);
    await page.goto(`${world.desk.base}/agent/cases/999999`);
    await page.getByText('This conversation does not exist, or you may not see it.').waitFor();
    const other = await sit(t, world.clara);
    await other.getByText('The console is for staff.').waitFor();
  });

  test('/ leads staff to the console, and its files are kept by browsers', async (t) => {
    const page = await sit(t, world.first);
    await page.goto(`${world.desk.base}/`);
    await page.waitForURL('**/agent/**');
    const html = await (await fetch(`${world.desk.base}/agent/views/1/2`)).text();
    for (const [, path] of html.matchAll(/(?:src|href)="(\/agent\/files\/[^"]+)"/g)) {
      const reply = await fetch(world.desk.base + path), plain = await fetch(world.desk.base + path, { headers: { 'Accept-Encoding': 'identity' } });
      assert.equal(reply.status, 200, path);
      assert.match(reply.headers.get('cache-control'), /immutable/);
      assert.equal(plain.headers.get('content-encoding'), null);
      assert.equal(await plain.text(), await reply.text());
    }
    assert.equal((await fetch(`${world.desk.base}/agent/files/console-NOTHING.js`)).status, 404);
  });

  test('at each width, in both themes and both directions, axe-core reports nothing and nothing is outside', async (t) => {
    const id = await asked('Looks');
    for (const n of [1, 2]) await world.second.client.create(`/cases/${id}/notes`, { contents: `@Ben Adler, look ${n}` });
    await world.desk.staff.create(`/cases/${id}/notes`, { contents: 'A note' });
    const page = await sit(t, world.first, '/agent/views/1'), looks = (p) => row(p, 'Looks');
    await looks(page).waitFor();
    await examine(world, page, [['list', '/agent/views/1', looks], ['conversation', `/agent/views/1/${id}`, posts], ['new', '/agent/new', (p) => p.getByLabel('Subject')],
      ['person', `/agent/people/${world.clara.id}`, looks], ['notifications', '/agent/notifications', (p) => p.getByRole('heading', { level: 1 })]]);
  });
});

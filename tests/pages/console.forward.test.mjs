// Messages are forwarded to people outside, and their answers come back as notes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { raw } from '../api/lib/index.mjs';
import { mail, mailRows, receive, token } from '../api/lib/mails.mjs';
import { relayFor } from '../api/lib/relay.mjs';
import { audit, consoleWorld, joined, outside, paint, posts, shoot, until, written } from './console.mjs';

const OUT = 'workshop@supplier.example', path = (id) => `/agent/cases/${id}`;
const opened = (page) => page.getByRole('dialog', { name: 'Forward to people outside' });
const recipient = (page) => opened(page).getByRole('combobox', { name: 'Add a recipient', exact: true });
const comment = (page) => opened(page).getByRole('textbox', { name: 'Your text above the messages' });
const tag = (page, address) => opened(page).getByRole('button', { name: `Remove ${address}` });
const isFocused = (locator) => locator.evaluate((e) => e === document.activeElement || e.contains(document.activeElement));
/** Tab leads there. */
const tabTo = async (page, locator) => {
  await locator.waitFor();
  for (let i = 0; i < 40 && !await isFocused(locator); i++) await page.keyboard.press('Tab');
  assert.ok(await isFocused(locator), String(locator));
};
/** The dialog with its messages, and with rich text: what is typed before that goes into the text area. */
const complete = async (page) => {
  await opened(page).getByRole('checkbox').first().waitFor();
  await opened(page).locator('[contenteditable=true]').waitFor();
};
const forwardNotes = async (who, id) => (await who.fetch(`/cases/${id}/notes`, { limit: 100 })).filter((note) => note.forward);

describe('a forward', () => {
  const world = consoleWorld(), { sit, asked } = world;

  test('is written by keys alone, sent, taken back and sent again; a colleague sees its note come', async (t) => {
    const { desk, first: ben, second: mira } = world, to = await relayFor(t, desk, { 'mail.undo_seconds': 60 });
    t.after(() => desk.owner.update('/settings', { values: { 'mail.undo_seconds': 0 } }));
    await desk.person('customer', { full_name: 'Wanda Workshop', email: OUT });
    const id = await asked('The engine stalls', 'It stops after ten turns');
    const file = (await world.clara.client.post('/files', raw('text/plain', Buffer.from('the log')), { query: { _filename: 'log.txt' } })).must(201).data.id;
    await world.clara.client.create(`/conversations/${id}/messages`, { contents: 'Here is the log', attachment_file_ids: [file] });
    const colleague = await sit(t, mira, path(id));
    await posts(colleague).nth(1).waitFor();
    await joined(colleague);
    const page = await sit(t, ben, path(id)), strip = page.locator('.strip');
    await posts(page).nth(1).waitFor();
    await page.keyboard.press('f');
    await complete(page);
    await until(() => isFocused(recipient(page)));
    await page.keyboard.type('Wanda');
    await opened(page).getByRole('option', { name: new RegExp(OUT) }).waitFor();
    await page.keyboard.press('Enter');
    await tag(page, OUT).waitFor();
    await page.keyboard.type('second@supplier.example');
    await tabTo(page, opened(page).getByRole('button', { name: 'Cc', exact: true }));
    await page.keyboard.press('Enter');
    const copies = opened(page).getByRole('combobox', { name: 'Add a recipient of a copy' });
    await copies.waitFor();
    await until(() => isFocused(copies));
    await page.keyboard.type('boss@supplier.example');
    const subject = opened(page).getByLabel('Subject');
    await tabTo(page, subject);
    assert.equal(await subject.inputValue(), 'Fwd: The engine stalls');
    await tabTo(page, comment(page));
    await page.keyboard.type('Do you have this part?');
    const first = opened(page).getByRole('checkbox', { name: /It stops after ten turns/ });
    assert.deepEqual([await first.isChecked(), await opened(page).getByRole('checkbox', { name: 'log.txt' }).isChecked()], [false, true], 'the newest message with its file');
    await tabTo(page, first);
    await page.keyboard.press('Space');
    await opened(page).getByRole('button', { name: 'Forward to 3 people' }).waitFor();
    await shoot(page, 'forward-dialog');
    assert.deepEqual(await audit(page), []);
    await page.keyboard.press('Control+Enter');
    await strip.getByText('Forwarded. It can be taken back for 8 seconds.').waitFor();
    const note = posts(page).filter({ hasText: 'Do you have this part?' });
    for (const address of [OUT, 'second@supplier.example', 'boss@supplier.example']) await note.getByText(address).waitFor();
    await posts(colleague).filter({ hasText: 'Do you have this part?' }).waitFor();
    await page.keyboard.press('z');
    await complete(page);
    await strip.getByText('Undone').waitFor();
    assert.deepEqual(await forwardNotes(ben.client, id), []);
    await until(async () => await written(comment(page)) === 'Do you have this part?');
    for (const address of [OUT, 'second@supplier.example', 'boss@supplier.example']) await tag(page, address).waitFor();
    await until(() => first.isChecked());
    await desk.owner.update('/settings', { values: { 'mail.undo_seconds': 0 } });
    await page.keyboard.press('Control+Enter');
    await opened(page).waitFor({ state: 'detached' });
    await note.waitFor();
    const letter = await to.find(OUT);
    assert.match(letter.text, /Do you have this part\?[^]*It stops after ten turns[^]*Here is the log/);
    assert.deepEqual(letter.files.map((one) => [one.name, String(one.bytes)]), [['log.txt', 'the log']]);
    await to.find('second@supplier.example');
    await to.find('boss@supplier.example');
    const folded = note.locator('summary');
    await folded.getByText('2 messages were forwarded').waitFor();
    await folded.focus();
    await page.keyboard.press('Enter');
    await note.getByText('It stops after ten turns').waitFor();
    await shoot(page, 'forward-note');
    assert.deepEqual(await audit(page), []);
    assert.equal((await ben.client.get(`/cases/${id}/draft`, { channel: 'FORWARD' })).status, 404, 'its draft went with it');
  });

  test('is refused with the reason beside the field, and nothing is sent', async (t) => {
    const { desk, first: ben } = world;
    await relayFor(t, desk);
    const id = await asked('Refused'), page = await sit(t, ben, path(id)), alert = (text) => opened(page).getByRole('alert').filter({ hasText: text });
    await posts(page).first().waitFor();
    await page.getByLabel('More actions').click();
    await page.locator('.menu-list').getByRole('button', { name: /^Forward …/ }).click();
    await complete(page);
    await page.keyboard.press('Control+Enter');
    await alert('Add at least one recipient.').waitFor();
    await until(() => isFocused(recipient(page)));
    await recipient(page).fill('nobody');
    await page.keyboard.press('Control+Enter');
    await alert('“nobody” is no e-mail address').waitFor();
    await until(() => isFocused(recipient(page)));
    for (const address of ['desk@example.com', world.clara.email, OUT]) {
      await recipient(page).fill(address);
      await comment(page).focus();
      await tag(page, address).waitFor();
    }
    await page.keyboard.press('Control+Enter');
    await alert(`desk@example.com: This is an address of the desk.`).waitFor();
    await tag(page, 'desk@example.com').click();
    await alert('desk@example.com').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Enter');
    await alert(`${world.clara.email}: This is an address of the requester.`).waitFor();
    await shoot(page, 'forward-refused');
    assert.deepEqual(await audit(page), []);
    await tag(page, world.clara.email).click();
    await recipient(page).evaluate((field, text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, Array.from({ length: 20 }, (_, i) => `a${i}@supplier.example`).join(', '));
    await tag(page, 'a19@supplier.example').waitFor();
    await page.keyboard.press('Control+Enter');
    await alert('At most 20 addresses are expected.').waitFor();
    await tag(page, OUT).click();
    await opened(page).getByRole('checkbox').first().uncheck();
    await opened(page).getByText('No message is forwarded, only your text.').waitFor();
    await page.keyboard.press('Control+Enter');
    await alert('Write a text, or choose a message.').waitFor();
    assert.deepEqual(await forwardNotes(ben.client, id), []);
    await page.keyboard.press('Escape');
    await opened(page).waitFor({ state: 'detached' });
    await page.locator('.strip').getByText('The forward is kept as a draft.').waitFor();
  });

  test('that is not sent is a draft in another tab, after a reload and on another machine; it can be thrown away', async (t) => {
    const { first: ben } = world, id = await asked('Kept'), page = await sit(t, ben, path(id)), tab = await page.context().newPage();
    await posts(page).first().waitFor();
    await tab.goto(page.url());
    await posts(tab).first().waitFor();
    for (const one of [tab, page]) {
      await one.bringToFront();
      await one.keyboard.press('f');
      await complete(one);
    }
    await page.keyboard.type(OUT);
    await page.keyboard.press('Enter');
    await tag(page, OUT).waitFor();
    await comment(page).click();
    await page.keyboard.type('Half a text');
    await tag(tab, OUT).waitFor();
    await until(async () => await written(comment(tab)) === 'Half a text');
    await until(async () => (await ben.client.get(`/cases/${id}/draft`, { channel: 'FORWARD' })).data?.contents?.includes('Half a text'));
    await page.reload();
    await posts(page).first().waitFor();
    const begun = page.getByRole('listitem').filter({ hasText: 'You have begun to forward this conversation.' });
    await begun.getByRole('button', { name: 'Go on with it' }).click();
    await complete(page);
    await tag(page, OUT).waitFor();
    await until(async () => await written(comment(page)) === 'Half a text');
    const machine = await sit(t, ben, path(id));
    await posts(machine).first().waitFor();
    await machine.getByRole('button', { name: 'Go on with it' }).click();
    await complete(machine);
    await tag(machine, OUT).waitFor();
    await until(async () => await written(comment(machine)) === 'Half a text');
    await shoot(machine, 'forward-other-machine');
    await opened(page).getByRole('button', { name: 'Discard' }).click();
    await opened(page).waitFor({ state: 'detached' });
    await begun.waitFor({ state: 'detached' });
    await until(async () => (await ben.client.get(`/cases/${id}/draft`, { channel: 'FORWARD' })).status === 404);
    await page.keyboard.press('z');
    await begun.waitFor();
    await until(async () => (await ben.client.get(`/cases/${id}/draft`, { channel: 'FORWARD' })).status === 200);
    await tab.close();
  });

  test('begins with the message whose button or focus asked for it', async (t) => {
    const id = await asked('Which one', 'The first message');
    await world.clara.client.create(`/conversations/${id}/messages`, { contents: 'The second message' });
    const page = await sit(t, world.first, path(id)), box = (name) => opened(page).getByRole('checkbox', { name });
    await posts(page).nth(1).waitFor();
    await posts(page).first().getByRole('button', { name: 'Forward …' }).press('Enter');
    await complete(page);
    assert.deepEqual([await box(/first message/).isChecked(), await box(/second message/).isChecked()], [true, false]);
    await opened(page).getByRole('button', { name: 'Close' }).press('Enter');
    await opened(page).waitFor({ state: 'detached' });
    await until(() => isFocused(posts(page).first().getByRole('button', { name: 'Forward …' }))); // the focus is where it was
    assert.equal((await world.first.client.get(`/cases/${id}/draft`, { channel: 'FORWARD' })).status, 404, 'who only looks writes no draft');
  });
});

describe('an answer', () => {
  const world = consoleWorld(), { sit, asked } = world;

  test('arrives live, names its sender, and leads to its forward; a sender who was not asked has a mark', async (t) => {
    const { desk, first: ben } = world, to = await relayFor(t, desk), id = await asked('The pump leaks', 'Water everywhere');
    const made = (await ben.client.post(`/cases/${id}/forward`, { to: [OUT], contents: 'Do you have a seal?' })).must(201).data.post.id;
    await to.find(OUT);
    for (let i = 0; i < 12; i++) await ben.client.create(`/cases/${id}/notes`, { contents: `Note ${i}\n\n\n\n\nEnd` });
    const page = await sit(t, ben, path(id)), answers = posts(page).filter({ hasText: 'Answers the forward to' });
    await posts(page).nth(13).waitFor();
    await joined(page);
    const answer = (from, text) => receive(desk, mail({ From: from, Subject: 'Re: Fwd: The pump leaks' }, text), { to: `desk+${token(desk, 'f', made)}@example.com` });
    await answer(`Wanda Workshop <${OUT}>`, 'We have two seals.\r\n');
    const live = answers.filter({ hasText: 'We have two seals.' });
    await live.waitFor();
    await live.getByText(OUT, { exact: true }).waitFor();
    assert.match(await live.getAttribute('aria-label'), /^Wanda Workshop/);
    assert.equal(await live.getByText('was not asked').count(), 0);
    const stranger = await answer('Sam Stranger <sam@elsewhere.example>', 'I have one, too.\r\n');
    assert.equal(stranger.suspension, 'NOT_PARTICIPANT');
    (await desk.owner.put(`/mails/${stranger.id}`, { is_suspended: false })).must(200);
    await until(() => mailRows(desk).find((one) => one.id === stranger.id).status === 'SUCCESS');
    const marked = answers.filter({ hasText: 'I have one, too.' });
    await marked.getByText('was not asked', { exact: true }).waitFor();
    await marked.getByText('sam@elsewhere.example').waitFor();
    await shoot(page, 'forward-answers');
    assert.deepEqual(await audit(page), []);
    const asks = page.locator(`[data-post="${made}"]`), link = live.getByRole('button', { name: /^Answers the forward to/ });
    await link.focus();
    await page.keyboard.press('Enter');
    await until(() => isFocused(asks));
    await until(() => asks.evaluate((e) => { const box = e.closest('.timeline').getBoundingClientRect(), own = e.getBoundingClientRect(); return own.top >= box.top - 1 && own.top < box.bottom; }));
    await asks.getByText('Do you have a seal?').waitFor();
  });

  test('and the dialog fit each width, both themes and Arabic', async (t) => {
    const { desk, first: ben } = world, to = await relayFor(t, desk), id = await asked('Looks', 'A long message about a thing that has to be repaired');
    const made = (await ben.client.post(`/cases/${id}/forward`, { to: [OUT], cc: ['somebody.with.a.long.name@a-very-long-domain.supplier.example'], contents: 'Can you repair it?' })).must(201).data.post.id;
    await to.find(OUT);
    await receive(desk, mail({ From: `Wanda Workshop <${OUT}>` }, 'Yes, on Monday.\r\n'), { to: `desk+${token(desk, 'f', made)}@example.com` });
    const page = await sit(t, ben, path(id));
    const look = async (name) => {
      await posts(page).filter({ hasText: 'Yes, on Monday.' }).locator('.forwarded .link').waitFor();
      await shoot(page, `forward-notes-${name}`);
      assert.deepEqual([await outside(page), await audit(page)], [[], []], name);
      await page.keyboard.press('f');
      await page.locator('dialog.forward [type=checkbox]').first().waitFor();
      await page.locator('dialog.forward [contenteditable=true]').waitFor();
      await shoot(page, `forward-dialog-${name}`);
      assert.deepEqual([await outside(page), await audit(page)], [[], []], name);
      assert.ok(await page.locator('dialog.forward').evaluate((e) => e.scrollWidth <= e.clientWidth), name);
      await page.keyboard.press('Escape');
      await page.locator('dialog.forward').waitFor({ state: 'detached' });
    };
    for (const theme of ['light', 'dark']) {
      await paint(page, theme);
      for (const [width, height] of [[360, 740], [768, 1024], [1280, 800]]) {
        await page.setViewportSize({ width, height });
        await look(`${theme}-${width}`);
      }
    }
    await ben.client.update('/profile', { locale_id: (await desk.owner.fetch('/locales', { limit: 100 })).find((one) => one.locale.startsWith('ar')).id });
    for (const [width, height] of [[360, 740], [1280, 800]]) {
      await page.setViewportSize({ width, height });
      await page.reload();
      await page.locator('html[dir=rtl]').waitFor();
      await look(`ar-${width}`);
    }
  });
});

// The console describes in words: changes of a conversation, quotes, the time in which a reply can be taken back, and the receivers of copies.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { relayFor } from '../api/lib/relay.mjs';
import { mail, receive } from '../api/lib/mails.mjs';
import { audit, consoleWorld, editor, editorReady, hasFocus, joined, outside, posts, shoot, strip as said, until, written } from './console.mjs';

const path = (id) => `/agent/cases/${id}`;
/** The text of an element without the marks that keep names of another direction together. */
const plainTexts = async (locator) => (await locator.allInnerTexts()).map((text) => text.replace(/[\u2068\u2069]/g, '').replace(/\s+/g, ' ').trim());

describe('what happens in a conversation is said in words', () => {
  const world = consoleWorld();

  test('changes are sentences with the names of things, in each language; a run of more than three is folded', async (t) => {
    const { desk, first: ben, second: mira } = world, id = await world.asked('Late parcel'), other = await world.asked('Another parcel');
    const team = await desk.owner.create('/teams', { title: 'Crew' });
    const field = await desk.owner.create('/cases/fields', { title: 'Size of the box', type: 'SELECT', options: [{ title: 'Small' }, { title: 'Large' }] });
    await desk.owner.create('/triggers', {
      title: 'Ring <all> & sundry', actions: [{ name: 'tags', option: 'ADD', value: ['rung'] }],
      predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'Ring' }] }],
    });
    const change = (body, by = ben) => by.client.update(`/cases/${id}`, body);
    await change({ priority_id: 3, status_id: 3, assigned_agent_id: mira.id });
    await ben.client.create(`/cases/${id}/notes`, { contents: 'One' });
    await change({ tags: 'vip,red', assigned_team_id: team.id }, mira);
    await change({ tags: 'vip', assigned_agent_id: null });
    await ben.client.create(`/cases/${id}/notes`, { contents: 'Two' });
    await change({ field_values: { [field.key]: String(field.options[1].id) } });
    await desk.staff.put(`/cases/${id}/trash`);
    await desk.staff.put(`/cases/${id}/restore`);
    await ben.client.create(`/cases/${id}/notes`, { contents: 'Three' });
    await change({ subject: 'Ring me' });
    await ben.client.create(`/cases/${id}/notes`, { contents: 'Four' });
    await ben.client.post(`/cases/${id}/merge`, { case_ids: [other] });
    await ben.client.create(`/cases/${id}/notes`, { contents: 'Five' });
    for (let i = 0; i < 4; i++) await change({ priority_id: 1 + i % 2 });
    const page = await world.sit(t, world.first, path(id)), lines = page.locator('.activity > span');
    await lines.filter({ hasText: 'into this one' }).waitFor();
    await until(async () => (await plainTexts(lines)).includes('Ben Adler set the field “Size of the box” to Large')); // all names have come
    const found = await plainTexts(lines);
    const says = (text) => assert.ok(found.includes(text), `${text}\n${found.join('\n')}`);
    says('Clara Ito opened the conversation');
    says('Ben Adler set the status from New to Pending, set the priority to High, and assigned the conversation to Mira Olsen');
    says('Mira Olsen gave the conversation to the team Crew and added the tags red and vip');
    says('Ben Adler took the conversation from Mira Olsen and removed the tag red');
    says('Ben Adler set the subject from Late parcel to Ring me');
    says('Trigger “Ring <all> & sundry” added the tag rung');
    assert.ok(found.some((text) => text.endsWith('moved the conversation to the trash')));
    assert.ok(!found.some((text) => /_|assigned_agent|custom_fields/.test(text)), found.join('\n'));
    await page.getByRole('button', { name: /^\d changes$/ }).last().click();
    await until(async () => (await plainTexts(lines)).includes('Ben Adler set the priority from Low to Normal'));
    await shoot(page, 'console-activities');
    assert.deepEqual(await audit(page), []);
    for (const [locale, sentence] of [['de', 'Ben Adler setzte den Status von New auf Pending, setzte die Priorität auf High und wies die Anfrage Mira Olsen zu'], ['ar', 'Ben Adler غيّر الحالة من New إلى Pending وجعل الأولوية High وأسند المحادثة إلى Mira Olsen']]) {
      await ben.client.update('/profile', { locale_id: (await desk.owner.fetch('/locales', { limit: 100 })).find((one) => one.locale.startsWith(locale)).id });
      await page.reload();
      await lines.first().waitFor();
      await until(async () => (await plainTexts(lines)).includes(sentence)).catch(async () => assert.fail((await plainTexts(lines)).join('\n')));
      await shoot(page, `console-activities-${locale}`);
      assert.deepEqual(await outside(page), []);
    }
    await ben.client.update('/profile', { locale_id: (await desk.owner.fetch('/locales', { limit: 100 })).find((one) => one.locale.startsWith('en')).id });
  });

  test('the quote of a mail of plain text is folded, and the answer between quotes stays', async (t) => {
    const { case_id } = await receive(world.desk, mail({ Subject: 'Plain' }, `Thank you, it works.\r\n\r\nOn Mon, 23 Nov 2026 at 10:00, Desk <desk@example.com> wrote:\r\n${'> A former line.\r\n'.repeat(30)}`));
    const page = await world.sit(t, world.first, path(case_id)), frame = page.locator('.mail iframe.ready').first();
    await frame.waitFor();
    await frame.contentFrame().getByText('Thank you, it works.').waitFor();
    let folded;
    await until(async () => { folded = (await frame.boundingBox()).height; return folded < 120; });
    await frame.contentFrame().locator('summary').focus();
    await frame.contentFrame().locator('summary').press('Enter');
    await until(async () => (await frame.boundingBox()).height > folded + 300);
  });

  test('the strip says how long a reply can be taken back; its text, file and draft come back', async (t) => {
    const { desk, first: ben } = world, id = await world.asked('Take back');
    await relayFor(t, desk, { 'mail.undo_seconds': 60 });
    t.after(() => desk.owner.update('/settings', { values: { 'mail.undo_seconds': 0 } }));
    const page = await world.sit(t, ben, path(id)), strip = page.locator('.strip');
    await posts(page).first().waitFor();
    await page.getByRole('combobox', { name: 'Channel' }).selectOption('E-mail');
    await page.locator('.editor input[type=file]').setInputFiles({ name: 'bill.txt', mimeType: 'text/plain', buffer: Buffer.from('12') });
    await editor(page).fill('Too early');
    await page.getByRole('button', { name: 'Remove bill.txt' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await strip.getByText('It can be taken back for 8 seconds.').waitFor();
    await posts(page).nth(1).waitFor();
    await shoot(page, 'console-undo');
    await strip.getByRole('button', { name: /^Undo/ }).click();
    await until(async () => await written(editor(page)) === 'Too early');
    await page.getByRole('button', { name: 'Remove bill.txt' }).waitFor();
    await until(async () => (await ben.client.get(`/cases/${id}/draft`)).status === 200);
    assert.equal((await ben.client.fetch(`/cases/${id}/draft`)).attachment_file_ids.length, 1);
    await desk.owner.update('/settings', { values: { 'mail.undo_seconds': 2 } });
    await page.keyboard.press('Control+Enter');
    await said(page, 'It can be taken back for 2 seconds.');
    await strip.getByRole('button').waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Channel' }).selectOption('Help center');
    await editor(page).fill('Not by mail');
    await page.keyboard.press('Control+Enter');
    await strip.getByText('Sent', { exact: true }).waitFor();
    assert.equal(await strip.getByRole('button').count(), 0, 'only a mail waits');
  });

  test('a reply goes to all of the last mail by one key; people are found by name; what is no address is said before it is sent', async (t) => {
    const { desk, first: ben } = world, to = await relayFor(t, desk);
    await desk.person('customer', { full_name: 'Grace Hall', email: 'grace.hall@people.example' });
    const { case_id } = await receive(desk, mail({ From: 'Nora Berg <nora@people.example>', To: 'desk@example.com, Olga Winter <olga@people.example>', Cc: 'paul@people.example', Subject: 'For three' }, 'Please answer all of us.'), { from: 'nora@people.example' });
    const page = await world.sit(t, ben, path(case_id)), removal = (address) => page.getByRole('button', { name: `Remove ${address}` });
    await posts(page).first().waitFor();
    await editorReady(page);
    await page.keyboard.press('Shift+R');
    await removal('olga@people.example').waitFor();
    await removal('paul@people.example').waitFor();
    assert.deepEqual((await page.getByRole('button', { name: /^Remove/ }).evaluateAll((all) => all.map((e) => e.getAttribute('aria-label')))).sort(), ['Remove olga@people.example', 'Remove paul@people.example'], 'neither the requester nor the desk');
    await removal('paul@people.example').click();
    await page.getByRole('group', { name: 'In this conversation:' }).getByRole('button', { name: /paul@people\.example/ }).waitFor();
    const field = page.getByRole('combobox', { name: 'Add an address' });
    await field.fill('Grace');
    await page.getByRole('option', { name: /grace\.hall@people\.example/ }).waitFor();
    await page.keyboard.press('Enter');
    await removal('grace.hall@people.example').waitFor();
    await field.fill('somebody');
    await page.getByRole('textbox', { name: 'Reply to Nora Berg' }).fill('To all');
    await page.getByText('“somebody” is no e-mail address.').first().waitFor();
    await shoot(page, 'console-cc');
    assert.deepEqual(await audit(page), []);
    await page.keyboard.press('Control+Enter');
    assert.equal(await posts(page).count(), 1, 'nothing was sent');
    await hasFocus(field);
    await field.fill('last@people.example');
    await page.keyboard.press('Control+Enter');
    await posts(page).nth(1).waitFor();
    for (const address of ['nora@people.example', 'olga@people.example', 'grace.hall@people.example', 'last@people.example']) await to.find(address, /./);
    for (const width of [360, 768, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await page.keyboard.press('Shift+R');
      await shoot(page, `console-cc-${width}`);
      assert.deepEqual(await outside(page), []);
    }
  });
});

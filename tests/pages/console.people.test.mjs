// People and organizations on their cards: notes, new and deleted organizations with their people, addresses and accounts.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from '../api/lib/sql.mjs';
import { SHOTS, audit, consoleWorld, hasFocus, joined, outside, save, shoot, strip, until } from './console.mjs';

describe('people and organizations', () => {
  const world = consoleWorld();
  const { sit } = world;
  let owner, acme, nora;
  before(async () => {
    owner = world.desk.owner;
    acme = await owner.create('/organizations', { name: 'Acme Wheels' });
    nora = await world.desk.person('customer', { full_name: 'Nora Field', organization_id: acme.id });
  });
  const notes = (path) => owner.fetch(`${path}/notes`, { limit: 50 });
  const focused = (page) => page.evaluate(() => document.activeElement.textContent);
  const looks = async (page, name) => {
    await page.emulateMedia({ reducedMotion: 'reduce' }); // colours change at once
    const states = [['light', 1280], ['dark', 360]], more = [['light', 360], ['light', 768], ['dark', 768], ['dark', 1280]];
    for (const [theme, width] of SHOTS ? [...more, ...states] : states) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((wanted) => { document.documentElement.dataset.theme = wanted; }, theme);
      await shoot(page, `people-${name}-${theme}-${width}`);
      assert.deepEqual(await outside(page), []);
      assert.deepEqual(await audit(page), []);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate(() => { document.documentElement.dataset.theme = 'light'; });
  };

  test('a note is written, pinned, changed and deleted by keys, and each has an undo', async (t) => {
    const path = `/users/${nora.id}`, page = await sit(t, world.first, `/agent/people/${nora.id}`);
    const text = () => page.getByRole('textbox', { name: /^Note/ });
    await page.getByText('No note yet.').waitFor();
    await page.keyboard.press('n');
    await until(() => page.evaluate(() => document.activeElement.tagName === 'TEXTAREA'));
    await page.keyboard.type('Prefers to be called');
    await page.keyboard.press('Control+Enter');
    await strip(page, 'Note added');
    await page.getByRole('listitem').filter({ hasText: 'Prefers to be called' }).waitFor();
    await until(async () => await focused(page) === 'Add note n'); // where it was
    const [note] = await notes(path);
    assert.equal(note.body_text, 'Prefers to be called');

    const pin = page.getByRole('button', { name: 'Pin the note of Ben Adler' });
    await pin.focus();
    await page.keyboard.press('Enter');
    await strip(page, 'Note pinned');
    await page.locator('.person-notes .tag').getByText('Pinned').waitFor();
    await until(async () => await focused(page) === 'Unpin');
    assert.equal((await notes(path))[0].is_pinned, true);

    await page.getByRole('button', { name: 'Edit the note of Ben Adler' }).click();
    await until(async () => (await text().inputValue()) === 'Prefers to be called');
    await owner.update(`${path}/notes/${note.id}`, { contents: 'Call her before noon' });
    await text().fill('Prefers to be called after noon');
    await page.keyboard.press('Control+s');
    await page.getByText(/Call her before noon/).first().waitFor();
    await looks(page, 'note-met');
    await save(page);
    await strip(page, 'Saved');
    await until(async () => (await notes(path))[0].body_text === 'Prefers to be called after noon');
    await page.keyboard.press('z');
    await strip(page, 'Undone');
    assert.equal((await notes(path))[0].body_text, 'Call her before noon');

    await page.getByRole('button', { name: 'Delete the note of Ben Adler' }).click();
    await strip(page, 'Note deleted');
    await page.getByText('No note yet.').waitFor();
    assert.deepEqual(await notes(path), []);
    await page.keyboard.press('z');
    await page.getByRole('listitem').filter({ hasText: 'Call her before noon' }).waitFor();
    assert.equal((await notes(path))[0].is_pinned, true, 'the note is pinned as it was');
  });

  test('notes of others are only pinned, an admin deletes one after a question, and a text survives leaving the card', async (t) => {
    const path = `/organizations/${acme.id}`;
    await owner.create(`${path}/notes`, { contents: '<p>Pays <b>late</b></p>', is_html: true });
    const page = await sit(t, world.second, `/agent/organizations/${acme.id}`);
    await page.getByRole('button', { name: /^Pin the note/ }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^(Edit|Delete) the note/ }).count(), 0);
    await page.getByRole('button', { name: 'Add note n' }).click();
    await page.getByRole('textbox', { name: /^Note/ }).fill('Half a thought');
    await page.getByRole('link', { name: 'Nora Field' }).click();
    await page.getByRole('heading', { name: 'Nora Field', level: 1 }).waitFor();
    await page.goBack();
    await until(async () => (await page.getByRole('textbox', { name: /^Note/ }).inputValue()) === 'Half a thought');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Pays late').waitFor();
    await joined(page, `v1_organizations_${acme.id}`);
    const live = await owner.create(`${path}/notes`, { contents: 'Moves in May' });
    await page.locator('.person-notes').getByText('Moves in May').waitFor();
    await owner.update(`${path}/notes/${live.id}`, { contents: 'Moves in June', is_pinned: true });
    await page.locator('.person-notes li').filter({ hasText: 'Moves in June' }).getByText('Pinned').waitFor();
    (await owner.delete(`${path}/notes/${live.id}`)).must(200);

    const admin = await sit(t, await world.desk.person('admin', { full_name: 'Ada Lind' }), `/agent/organizations/${acme.id}`);
    await admin.getByRole('button', { name: /^Edit the note/ }).click();
    await admin.getByText('A changed text is plain.').waitFor();
    await admin.getByRole('textbox', { name: /^Note/ }).fill('Pays early');
    await admin.keyboard.press('Control+s');
    await strip(admin, 'Saved');
    await admin.keyboard.press('z');
    await strip(admin, 'Undone');
    assert.match((await notes(path))[0].body_html, /<(b|strong)>late/);
    await admin.getByRole('button', { name: /^Delete the note/ }).click();
    const question = admin.getByRole('dialog', { name: 'Delete this note?' });
    await question.getByText('Pays late').waitFor();
    assert.deepEqual(await audit(admin), []);
    await shoot(admin, 'people-note-question');
    await question.getByRole('button', { name: 'Delete' }).click();
    await strip(admin, 'Note deleted');
    assert.deepEqual(await notes(path), []);
  });

  test('pinned notes on the requester and the organization stand beside the conversation', async (t) => {
    await owner.create(`/organizations/${acme.id}/notes`, { contents: 'Gold customer', is_pinned: true });
    const { id } = await world.desk.staff.create('/cases', { subject: 'About notes', contents: 'Text', requester_id: nora.id });
    const page = await sit(t, world.first, `/agent/cases/${id}`);
    await page.locator('#details').getByText('Call her before noon').waitFor();
    await page.locator('#details').getByText('Gold customer').waitFor();
    assert.deepEqual(await audit(page), []);
    await shoot(page, 'people-beside');
    await page.goto(`${world.desk.base}/agent/people/${nora.id}`);
    await page.getByRole('listitem').filter({ hasText: 'Call her before noon' }).waitFor();
    await looks(page, 'notes');
  });

  test('an organization is made from the palette, with its fields, gets and loses people, and is deleted after a question', async (t) => {
    await owner.create('/organizations/fields', { type: 'NUMERIC', key: 'contract', titles: [{ locale: 'en-us', translation: 'Contract' }] });
    const page = await sit(t, await world.desk.person('admin', { full_name: 'Olga Admin' }), '/agent/views/1');
    await page.getByRole('heading', { name: 'Inbox', level: 2 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).fill('new organi');
    await page.getByRole('option', { name: 'New organization' }).click();
    await page.getByRole('heading', { name: 'New organization' }).waitFor();
    await until(() => page.evaluate(() => document.activeElement.matches('form input')));
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').filter({ hasText: 'Name' }).first().waitFor();
    await looks(page, 'organization-new');
    await page.getByLabel('Name').fill('Blue Bikes');
    await page.getByRole('textbox', { name: 'Domains' }).fill('blue.example');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'Blue Bikes', level: 1 }).waitFor();
    await page.getByRole('textbox', { name: 'Contract' }).fill('17');
    await page.keyboard.press('Enter');
    await strip(page, /Contract/);
    await page.getByRole('button', { name: 'Done' }).click();
    const id = Number(page.url().split('/').pop());
    const now = await owner.fetch(`/organizations/${id}`, { fields: 'name,domains,custom_fields', include: 'identity_domain' });
    assert.deepEqual([now.name, now.domains[0].domain, now.custom_fields[0].value], ['Blue Bikes', 'blue.example', '17']);

    const member = page.getByRole('region', { name: /person|people/ }).getByRole('link', { name: 'Nora Field' }), of = async () => (await owner.fetch(`/users/${nora.id}`)).organization?.id;
    await page.getByRole('combobox', { name: 'Add a person' }).fill('Nora');
    await page.getByRole('option', { name: /Nora Field.*Acme Wheels/ }).click();
    await strip(page, 'Nora Field is in Blue Bikes now');
    await member.waitFor();
    assert.equal(await of(), id);
    await looks(page, 'organization');
    await page.getByRole('button', { name: 'Remove Nora Field' }).click();
    await strip(page, 'Nora Field is not in Blue Bikes any more');
    await member.waitFor({ state: 'detached' });
    assert.equal(await of(), undefined);
    await page.keyboard.press('Escape'); // leaves the field
    await page.keyboard.press('z');
    await member.waitFor();
    assert.equal(await of(), id);

    await page.getByRole('button', { name: 'Edit e' }).click();
    await page.getByRole('button', { name: 'Delete: Blue Bikes' }).click();
    const question = page.getByRole('dialog', { name: 'Delete “Blue Bikes”?' });
    await question.getByText('Its people and their conversations stay').waitFor();
    assert.deepEqual(await audit(page), []);
    await shoot(page, 'people-organization-question');
    await question.getByRole('button', { name: 'Delete' }).click();
    await strip(page, 'Blue Bikes was removed');
    assert.equal(await of(), undefined);
  });

  test('phones and accounts of a person are added, confirmed and deleted on the card; a link goes to an address', async (t) => {
    const of = (kind, fields) => owner.fetch(`/identities/${kind}`, { user_id: nora.id, fields });
    sql(world.desk, `INSERT INTO identity_facebook (user_id, facebook_id, user_name, is_primary, is_validated, is_claim, created_at, updated_at) VALUES (${nora.id}, '100004', 'nora.field', 1, 1, 0, 1, 1)`);
    const page = await sit(t, world.first, `/agent/people/${nora.id}`);
    await page.getByRole('definition').filter({ hasText: 'nora.field' }).waitFor();
    await page.getByRole('button', { name: 'Edit e' }).click();
    const part = (name) => page.getByRole('region', { name, exact: true });
    await part('Twitter accounts').getByLabel('Another Twitter account').fill('no name');
    await page.keyboard.press('Enter');
    await part('Twitter accounts').getByText(/At most 15 letters/).waitFor();
    await part('Twitter accounts').getByLabel('Another Twitter account').fill('@nora_field');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Confirm: @nora_field' }).click();
    await strip(page, '@nora_field is confirmed');
    assert.deepEqual((await of('twitter')).map((one) => [one.screen_name, one.is_validated]), [['nora_field', true]]);
    await page.getByRole('button', { name: 'Delete: @nora_field' }).click();
    await strip(page, '@nora_field was removed');
    assert.deepEqual(await of('twitter'), []);
    await hasFocus(part('Twitter accounts').getByLabel('Another Twitter account'));
    await page.keyboard.press('Escape'); // leaves the field
    await page.keyboard.press('z');
    await part('Twitter accounts').getByText('@nora_field').waitFor();
    await until(async () => (await of('twitter'))[0]?.is_validated === true);

    await page.getByLabel('Another address').fill('nora@second.example');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send the link: nora@second.example' }).click();
    await part('E-mail addresses').getByRole('status').getByText(/./).waitFor();
    await looks(page, 'identities');
    await page.getByRole('button', { name: 'Delete: nora.field' }).click();
    const question = page.getByRole('dialog', { name: 'Delete nora.field?' });
    await question.getByText('can’t be added again by hand').waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    await strip(page, 'nora.field was removed');
    assert.deepEqual(await of('facebook'), []);
  });

  test('own phones have a kind and one that is primary; own accounts are deleted after a question', async (t) => {
    sql(world.desk, `INSERT INTO identity_twitter (user_id, twitter_id, screen_name, screen_name_key, is_primary, is_validated, is_claim, created_at, updated_at) VALUES (${world.first.id}, '7', 'ben_adler', 'ben_adler', 1, 1, 0, 1, 1)`);
    const page = await sit(t, world.first, '/agent/settings/profile'), phones = page.getByRole('region', { name: 'Phone numbers' }).first();
    const mine = async () => (await owner.fetch('/identities/phones', { user_id: world.first.id })).map((one) => [one.number, one.type, one.is_primary]);
    for (const [number, kind] of [['+49 30 111111', 'at work'], ['+49 30 222222', 'mobile']]) {
      await phones.getByLabel('Another phone number').fill(number);
      await phones.getByLabel('Kind of phone').selectOption({ label: kind });
      await phones.getByRole('button', { name: 'Add', exact: true }).click();
      await phones.getByText(number).waitFor();
    }
    await phones.getByRole('button', { name: 'Make it primary: +49 30 222222' }).click();
    await until(async () => (await mine()).find(([number]) => number === '+49 30 222222')[2] === true);
    await looks(page, 'own-phones');
    await phones.getByRole('button', { name: 'Delete: +49 30 111111' }).click();
    await strip(page, '+49 30 111111 was removed');
    await hasFocus(phones.getByLabel('Another phone number'));
    await page.keyboard.press('Escape'); // leaves the field
    await page.keyboard.press('z');
    await until(async () => (await mine()).length === 2);
    assert.deepEqual((await mine()).sort(), [['+49 30 111111', 'WORK', false], ['+49 30 222222', 'MOBILE', true]]);
    await page.getByRole('button', { name: 'Delete: @ben_adler' }).click();
    await page.getByRole('dialog', { name: 'Delete @ben_adler?' }).getByRole('button', { name: 'Delete' }).click();
    await strip(page, '@ben_adler was removed');
    assert.deepEqual(await owner.fetch('/identities/twitter', { user_id: world.first.id }), []);
  });
});

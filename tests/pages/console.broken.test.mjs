// A browser without a connection, and a server that is restarted while the console is open.
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BINARY, directory } from '../api/lib/index.mjs';
import { audit, consoleWorld, editor, joined, posts, row, shoot, until, written } from './console.mjs';

describe('a console that loses its server', () => {
  const world = consoleWorld({ processes: 1 }), { sit, asked } = world;
  const path = (id) => `/agent/views/1/${id}`;
  const bar = (page) => page.locator('.bar [role=status]');
  const texts = async (id) => (await world.desk.staff.fetch(`/cases/${id}/posts`, { filters: 'MESSAGES' })).map(({ contents }) => contents);
  const noted = (id) => world.desk.staff.fetch(`/cases/${id}/notes`);

  test('offline one reads what is known, writes, and sends later; nothing is lost, and nothing is sent twice', async (t) => {
    const [unseen, seen, open] = [await asked('Never opened'), await asked('Opened before'), await asked('Being answered')];
    for (let n = 0; n < 3; n++) await asked(`Between ${n}`); // neighbours are read ahead
    const page = await sit(t, world.first, path(seen));
    await posts(page).first().waitFor();
    await row(page, 'Between 1').click();
    await row(page, 'Being answered').click();
    await page.getByRole('heading', { name: 'Being answered' }).waitFor();
    await joined(page);
    await editor(page).click();
    await page.keyboard.type('Begun with, ');
    await page.context().setOffline(true);
    await bar(page).filter({ hasText: 'No connection.' }).waitFor();
    await page.keyboard.type('ended without a connection.');
    await shoot(page, 'broken-offline');
    assert.deepEqual(await audit(page), []);

    await row(page, 'Opened before').click();
    await posts(page).filter({ hasText: 'Where is it?' }).waitFor();
    assert.match(page.url(), new RegExp(`/${seen}$`));
    const status = page.getByRole('complementary', { name: 'Details' }).getByLabel('Status');
    await status.selectOption({ label: 'Pending' });
    await page.getByText('Not changed: The server does not answer.').waitFor();
    assert.equal(await status.evaluate((e) => e.selectedOptions[0].label), 'New');
    await page.goto(`${world.desk.base}${path(seen)}`).catch(() => undefined); // a reload shows the page of the browser
    await page.context().setOffline(false);
    await page.goto(`${world.desk.base}${path(open)}`);
    await posts(page).first().waitFor();
    await until(async () => await written(editor(page)) === 'Begun with, ended without a connection.');

    await page.context().setOffline(true);
    await editor(page).press('Control+Enter');
    await page.getByRole('button', { name: 'Send now' }).waitFor();
    await page.evaluate((to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }, path(unseen));
    await page.getByRole('heading', { name: 'The server does not answer.' }).waitFor();
    await world.clara.client.create(`/conversations/${unseen}/messages`, { contents: 'While you were away' });
    await page.context().setOffline(false);
    await posts(page).filter({ hasText: 'While you were away' }).waitFor(); // by itself
    await bar(page).waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('heading', { name: 'Being answered' }).waitFor();
    await editor(page).press('Control+Enter');
    await posts(page).filter({ hasText: 'ended without a connection.' }).waitFor();
    assert.deepEqual(await texts(open), ['Begun with, ended without a connection.', 'Where is it?']);
  });

  test('a conversation that was opened from memory shows what came meanwhile', async (t) => {
    const seen = await asked('Known state'), other = await asked('Another one');
    const page = await sit(t, world.first, path(seen));
    await posts(page).first().waitFor();
    await page.goto(`${world.desk.base}${path(seen)}`);
    await posts(page).first().waitFor();
    await row(page, 'Another one').click();
    await page.getByRole('heading', { name: 'Another one' }).waitFor();
    assert.match(page.url(), new RegExp(`/${other}$`));
    await page.context().setOffline(true);
    await row(page, 'Known state').click();
    await posts(page).filter({ hasText: 'Where is it?' }).waitFor();
    await world.clara.client.create(`/conversations/${seen}/messages`, { contents: 'Anybody there?' });
    await world.second.client.update(`/cases/${seen}`, { subject: 'Another state' });
    await page.context().setOffline(false);
    await posts(page).filter({ hasText: 'Anybody there?' }).waitFor();
    await page.getByRole('heading', { name: 'Another state' }).waitFor();
    assert.equal(await posts(page).filter({ hasText: 'Where is it?' }).count(), 1);
  });

  test('views and list that could not be read are read by themselves when answers come again', async (t) => {
    await asked('Read at last');
    let broken = true, refused = 0;
    const page = await sit(t, world.first, '/agent/views/1', { prepare: (page) => page.route(/\/api\/v1\/(views|teams)[/?]/, async (route) => { if (!broken) return route.fallback(); refused++; await route.abort(); }) });
    await until(() => refused > 1);
    broken = false;
    await page.getByRole('link', { name: /^Inbox/ }).waitFor();
    await row(page, 'Read at last').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: /^Trash/ }).click();
    await page.getByText('The list could not be read').waitFor();
    await page.context().setOffline(false);
    await page.getByText('The list could not be read').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Trash', level: 2 }).waitFor();
  });

  test('settings whose reads no answer came for are read by themselves; a refusal takes the place of one screen only', async (t) => {
    let broken = true, lost = 0, refuses = false;
    const reads = /\/api\/v1\/(profile\/(twofactor|passkeys|api_tokens)|session$)/;
    const page = await sit(t, world.first, '/agent', { expected: /status of (403|404)|ERR_/ });
    await page.getByRole('navigation').first().waitFor();
    await page.route(reads, async (route) => {
      if (refuses) return route.fulfill({ status: 403, json: { status: 403, errors: [{ code: 'PERMISSIONS_DENIED', message: 'This is not yours' }] } });
      if (!broken) return route.fallback();
      lost++;
      await route.abort();
    });
    const to = (path) => page.evaluate((at) => { history.pushState(null, '', at); dispatchEvent(new PopStateEvent('popstate')); }, path);
    const shown = () => page.getByRole('button', { name: 'Set up' }).waitFor();
    await to('/agent/settings/security');
    await until(() => lost > 4); // each of them, and some again
    broken = false;
    await shown();
    refuses = true;
    await to('/agent/settings/tokens');
    await page.getByRole('alert').filter({ hasText: 'This is not yours' }).waitFor();
    await shoot(page, 'broken-refused');
    assert.deepEqual(await audit(page), []);
    refuses = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('You have none').waitFor();
    refuses = true;
    await to('/agent/settings/security');
    await page.getByRole('alert').filter({ hasText: 'This is not yours' }).waitFor();
    await page.getByRole('link', { name: 'Look and keys' }).click(); // the others work
    await page.getByRole('alert').filter({ hasText: 'This is not yours' }).waitFor({ state: 'detached' });
  });

  /** Ends the server in this way and starts it at the same address, with another program if `program` is given. */
  const restarted = async (end, during = async () => undefined, program) => {
    const { desk } = world, { port } = new URL(desk.base), { args, under, public: base } = desk;
    desk.public = desk.base;
    await end();
    await during();
    desk.args = [...args, '--listen', `127.0.0.1:${port}`];
    if (program) desk.under = ['sh', '-c', `shift; exec '${program}' "$@"`, 'sh'];
    await desk.start();
    Object.assign(desk, { args, under, public: base });
  };
  const programOfTomorrow = () => {
    const file = join(directory(), 'deskd'), bytes = readFileSync(BINARY), at = bytes.indexOf('<title>deskd</title>');
    assert.ok(at > 0, 'the page is in the program');
    bytes.write('<title>Deskd</title>', at);
    writeFileSync(file, bytes);
    chmodSync(file, 0o755);
    return file;
  };

  test('over restarts two tabs keep their text, hear all that happens, and say when the console is newer', async (t) => {
    const id = await asked('Restarts'), expected = /status of (404|409|412|503)|ERR_|WebSocket/;
    const pages = [await sit(t, world.first, path(id), { expected }), await sit(t, world.second, path(id), { expected })];
    for (const page of pages) { await posts(page).first().waitFor(); await joined(page); }
    const { desk } = world, [ben] = pages;
    let n = 0;
    for (const end of [() => desk.stop(), () => desk.kill()]) {
      const before = `Before ${++n}`, after = `After ${n}`, sent = `Sent ${n}`;
      await world.second.client.create(`/cases/${id}/notes`, { contents: before }); // has an answer, so it outlives the server
      await posts(ben).filter({ hasText: before }).waitFor();
      await restarted(end, async () => {
        await editor(ben).fill(sent);
        await editor(ben).press('Control+Enter');
        await ben.getByRole('button', { name: 'Send now' }).waitFor();
      });
      await ben.getByRole('button', { name: 'Send now' }).click();
      await posts(ben).filter({ hasText: sent }).waitFor();
      await world.second.client.create(`/cases/${id}/notes`, { contents: after });
      for (const page of pages) for (const text of [before, after, sent]) await posts(page).filter({ hasText: text }).waitFor();
      for (const page of pages) for (const text of [before, after, sent]) assert.equal(await posts(page).filter({ hasText: text }).count(), 1, text);
      await until(async () => await written(editor(ben)) === '');
    }
    assert.deepEqual((await texts(id)).toSorted(), ['Sent 1', 'Sent 2', 'Where is it?']);
    assert.equal((await noted(id)).length, 4);
    for (const page of pages) assert.equal(await page.getByText('newer version').count(), 0);
    await restarted(() => desk.stop(), undefined, programOfTomorrow());
    for (const page of pages) await page.getByRole('button', { name: 'Reload' }).waitFor();
    await shoot(ben, 'broken-update');
    await ben.getByRole('button', { name: 'Reload' }).click();
    await posts(ben).filter({ hasText: 'After 2' }).waitFor();
    assert.equal(await ben.getByRole('button', { name: 'Reload' }).count(), 0);
  });
});

// A draft that two agents write after each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit, consoleWorld, editor, joined, posts, shoot, until, written } from './console.mjs';

const world = consoleWorld(), { asked, sit } = world;

test('a shared draft is read by a colleague, who goes on with it and sends it; its writer is told', async (t) => {
  const id = await asked('Where is my lamp?'), [ben, mira] = [await sit(t, world.first, `/agent/cases/${id}`), await sit(t, world.second, `/agent/cases/${id}`)];
  await Promise.all([ben, mira].map((page) => posts(page).first().waitFor()));
  await editor(ben).fill('The lamp is');
  await ben.getByRole('button', { name: 'More ways to send' }).click();
  await ben.getByRole('menuitem', { name: 'Share the draft with colleagues' }).click();
  await ben.getByText('Your colleagues read this draft').waitFor();

  const offer = mira.getByRole('listitem').filter({ hasText: 'Ben Adler shares a draft of a reply' });
  await offer.getByText('The lamp is').waitFor();
  await editor(mira).fill('Mine');
  await offer.getByText('send or delete your own text first').waitFor();
  await editor(mira).fill('');
  await shoot(mira, 'shared-draft');
  assert.deepEqual(await audit(mira), []);
  await offer.getByRole('button', { name: 'Go on with it' }).press('Enter');
  await until(async () => await written(editor(mira)) === 'The lamp is');
  await offer.waitFor({ state: 'detached' });

  await ben.getByText('A colleague goes on with your draft.').waitFor();
  await until(async () => await written(editor(ben)) === '');
  await editor(mira).press('End');
  await mira.keyboard.type(' on its way.');
  await mira.keyboard.press('Control+Enter');
  for (const page of [ben, mira]) await posts(page).filter({ hasText: 'The lamp is on its way.' }).waitFor();
  assert.deepEqual(await world.desk.staff.fetch(`/cases/${id}/drafts`), []);
});

test('a text that was just deleted does not come back, and is not in the way of the draft of a colleague', async (t) => {
  const id = await asked('Where is my vase?'), [ben, mira] = [await sit(t, world.first, `/agent/cases/${id}`), await sit(t, world.second, `/agent/cases/${id}`, { prepare: (page) => page.clock.install() })];
  await Promise.all([ben, mira].map((page) => posts(page).first().waitFor()));
  await joined(mira);
  const isDraft = (reply) => reply.request().method() === 'PUT' && reply.url().includes('/draft?');
  const [saved] = await Promise.all([mira.waitForResponse(isDraft), editor(mira).fill('Mine')]);
  await saved.finished();
  await mira.clock.pauseAt(Date.now() + 60_000); // the server never learns by itself that the text is deleted
  await editor(mira).fill('');
  await ben.bringToFront();
  await editor(ben).fill('The vase is');
  await ben.getByRole('button', { name: 'More ways to send' }).click();
  await ben.getByRole('menuitem', { name: 'Share the draft with colleagues' }).click();
  await mira.getByRole('button', { name: 'Go on with it' }).press('Enter');
  await until(async () => await written(editor(mira)) === 'The vase is');
  assert.deepEqual(await world.desk.staff.fetch(`/cases/${id}/drafts`), []);
});

// The main job in Debian's Firefox: login, list, conversation, reply, note, status by a key, and an answer that comes by realtime.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD } from './console.mjs';
import { firefox, FIREFOX, hasFirefox } from './firefox.mjs';
import { open } from '../api/lib/index.mjs';

test('the main job in Firefox', { skip: !hasFirefox && `${FIREFOX} is not installed` }, async (t) => {
  const page = await firefox(t); // first, so that it ends before the desk
  const desk = await open(t), clara = await desk.person('customer', { full_name: 'Clara Ito' });
  const ben = await desk.person('agent', { full_name: 'Ben Adler', agent_case_access: 'ALL' });
  const { id } = await clara.client.create('/conversations', { subject: 'In Firefox', contents: 'Where is it?' });
  await page.goto(`${desk.base}/agent`);
  await page.click('input[type=email], input[autocomplete=username]');
  await page.type(ben.email);
  await page.press('Tab');
  await page.type(PASSWORD);
  await page.press('Enter');
  await page.click('[role=row] .row-subject', 'In Firefox');
  await page.shows('article', 'Where is it?');
  await page.shows('.editor .rich');

  /** Leaves the editor, when it has sent and has the focus again. Escape anywhere else would leave the conversation. */
  const leave = async () => {
    await page.waitFor(() => {
      const rich = document.activeElement;
      return rich.classList.contains('rich') && !rich.textContent.trim() && !/sending/i.test(document.querySelector('.editor button.main').textContent);
    });
    await page.press('Escape');
    await page.waitFor(() => !document.activeElement.classList.contains('rich'));
  };
  await page.press('r');
  await page.waitFor(() => document.activeElement.classList.contains('rich'));
  await page.type('It is on its way.');
  await page.press('Control+Enter');
  await page.shows('article', 'It is on its way.');
  await leave();
  await page.press('n');
  await page.waitFor(() => document.querySelector('.editor [role=tab][aria-selected=true]').textContent.includes('Note') && document.activeElement.classList.contains('rich'));
  await page.type('She is in a hurry.');
  await page.press('Control+Enter');
  await page.shows('article', 'She is in a hurry.');

  await clara.client.create(`/conversations/${id}/messages`, { contents: 'Thank you!' });
  await page.shows('article', 'Thank you!');
  await leave();
  // Clara's message also changes the conversation: a status that was chosen before the page has read it may be refused, and is chosen again.
  const isCompleted = async () => (await desk.staff.fetch(`/cases/${id}`, { include: 'case_status' })).status.type === 'COMPLETED';
  for (let tries = 0; tries < 10 && !(await isCompleted()); tries++) {
    await page.press('e');
    for (let looks = 0; looks < 60 && !(await isCompleted()); looks++) await new Promise((go) => setTimeout(go, 50));
  }
  assert.ok(await isCompleted());
  assert.deepEqual((await desk.staff.fetch(`/cases/${id}/posts`, { filters: 'MESSAGES' })).map(({ contents }) => contents).toSorted(), ['It is on its way.', 'Thank you!', 'Where is it?']);
  assert.equal((await desk.staff.fetch(`/cases/${id}/notes`)).length, 1);
});

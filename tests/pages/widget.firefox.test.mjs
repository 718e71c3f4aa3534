// The widget of a site in Debian's Firefox: a conversation by keys, and a reply that comes while the page is open.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, until } from '../api/lib/index.mjs';
import { known } from '../api/lib/widget.mjs';
import { firefox, FIREFOX, hasFirefox } from './firefox.mjs';
import { siteOf } from './site.mjs';

test('a visitor writes and reads the reply in Firefox', { skip: !hasFirefox && `${FIREFOX} is not installed` }, async (t) => {
  const page = await firefox(t, /favicon\.ico/); // first, so that it ends before the desk
  const desk = await open(t), site = await siteOf(desk);
  t.after(site.end);
  await desk.owner.update('/brands/1/widget', { origins: [site.base] });
  await known(desk, site.base);
  /** Waits for an element of the widget, and gives it the focus. */
  const focus = (selector) => page.waitFor((selector) => {
    const element = document.querySelector('deskd-widget')?.shadowRoot.querySelector(selector);
    element?.focus();
    return !!element && element.getRootNode().activeElement === element;
  }, selector);
  const shows = (text) => page.waitFor((text) => !!document.querySelector('deskd-widget').shadowRoot.querySelector('[role=log]')?.textContent.includes(text), text);
  await page.goto(`${site.base}/`);
  await focus('.launcher');
  await page.press('Enter');
  await focus('.write');
  await page.press('Enter');
  for (const [field, text] of [['name', 'Finn Lind'], ['email', 'finn@example.net'], ['message', 'Hello from Firefox']]) {
    await focus(`#f-${field}`);
    await page.type(text);
  }
  await focus('button[type=submit]');
  await page.press('Enter');
  await shows('Hello from Firefox');
  const find = async () => (await desk.owner.fetch('/cases', { fields: 'subject', limit: 10 })).find(({ subject }) => subject === 'Hello from Firefox');
  const { id } = await until('the conversation', find);
  await desk.staff.create(`/cases/${id}/reply`, { contents: 'Hello back', channel: 'MESSENGER' });
  await shows('Hello back');
  assert.ok(await page.evaluate((base) => Object.keys(localStorage).some((key) => key.startsWith(`deskd ${base}`)), desk.base));
});

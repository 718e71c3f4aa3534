// The guide for agents has the keys that the console has.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { consoleWorld, editorReady, posts, row } from './console.mjs';

const world = consoleWorld(), { sit } = world;
const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/12-console.md'), 'utf8');

test('the guide for agents lists the keys of an open conversation, in the words of the console', async (t) => {
  await world.asked('Keys');
  const page = await sit(t, world.first, '/agent/views/1');
  await row(page, 'Keys').click();
  await posts(page).first().waitFor();
  await editorReady(page);
  await page.keyboard.press('?');
  const shown = await page.locator('dialog[open] dl.keys').evaluate((list) => [...list.querySelectorAll('dt')].map((dt) => `${dt.textContent.trim()}: ${dt.nextElementSibling.textContent.trim()}`));
  const listed = [...GUIDE.matchAll(/^\| `(.+?)` \| (.+?) \|$/gm)].map(([, key, words]) => `${key}: ${words}`);
  assert.deepEqual(listed.sort(), shown.sort());
});

// The pictures of the console in the README and the documents: make pictures writes them into docs/console. Without PICTURES the test
// only walks through the screens, so that a picture can always be made again.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { consoleWorld, editor, paint, posts, row } from './console.mjs';

const PICTURES = process.env.PICTURES;
const world = consoleWorld(), { sit } = world;

const TALKS = [
  ['The blue lamp arrived broken', 'Hello, the parcel came this morning, and the shade of the lamp has a crack. Could you send another one? The order is 20391.'],
  ['Invoice for March', 'We need the invoice once more, with our new address: Ito Design, Harbour Street 9.'],
  ['Can I change the delivery day?', 'I am away on Friday. Monday would be fine, in the morning if possible.'],
  ['The app forgets my password', 'I have to log in each time I open it, since the last update.'],
  ['Does the desk come in oak?', 'The page shows walnut only. I would like two of them in oak.'],
];

test('the main screens can be shown in pictures', async (t) => {
  const picture = async (page, name) => {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    await page.waitForTimeout(600); // times, faces and counts have come
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  };
  let first;
  for (const [subject, contents] of TALKS.toReversed()) first = await world.asked(subject, contents);
  await world.desk.owner.update(`/cases/${first}`, { priority_id: 3, tags: 'delivery,damage', assigned_agent_id: world.first.id });
  await world.second.client.create(`/cases/${first}/notes`, { contents: '@Ben Adler, the warehouse still has two of these lamps.' });

  const page = await sit(t, world.first, '/agent/views/1');
  await row(page, TALKS[0][0]).click();
  await posts(page).first().waitFor();
  await editor(page).fill('Hello Clara, I am sorry about the crack. A new lamp leaves today, and you need not send the broken one back.');
  await picture(page, 'conversation');
  await paint(page, 'dark');
  await posts(page).first().waitFor();
  await picture(page, 'conversation-dark');
  await paint(page, 'light');
  await posts(page).first().waitFor();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Commands' }).fill('inv');
  await page.locator('[role=option]').first().waitFor();
  await picture(page, 'palette');
  await page.keyboard.press('Escape');

  await page.setViewportSize({ width: 390, height: 780 });
  await posts(page).first().waitFor();
  await picture(page, 'phone');

  const owner = await sit(t, world.desk.people.owner, '/agent/settings/views');
  await owner.getByRole('heading', { level: 1 }).or(owner.getByRole('heading', { level: 2 })).first().waitFor();
  await owner.locator('a[href*="/agent/settings/views/"]').first().click();
  await owner.locator('form').first().waitFor();
  await picture(owner, 'settings');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

test('messages, notes and activities get their ids from one sequence, in the order of their writes', async (t) => {
  const desk = await open(t);
  const customer = desk.people.customer.id;
  const talk = await desk.customer.create('/conversations', { subject: 'Ids', contents: 'First' });
  const activity = async () => (await desk.staff.fetch(`/users/${customer}/activities`, { limit: 1 }))[0].id;
  const ids = [];
  for (let i = 0; i < 3; i++) {
    ids.push((await desk.staff.create(`/conversations/${talk.id}/messages`, { contents: `Message ${i}` })).id);
    ids.push((await desk.staff.create(`/users/${customer}/notes`, { contents: `Note ${i}` })).id);
    await desk.staff.update(`/users/${customer}`, { designation: `Reader ${i}` });
    ids.push(await activity());
  }
  assert.deepEqual(ids, [...ids].sort((a, b) => a - b), 'each id is higher than all earlier ids');
  assert.equal(new Set(ids).size, ids.length);
  for (const note of await desk.staff.fetch(`/users/${customer}/notes`)) assert.equal((await desk.staff.fetch(`/users/${customer}/notes/${note.id}`)).body_text, note.body_text);
});

test('concurrent posts never share an id', async (t) => {
  const desk = await open(t);
  const customer = desk.people.customer.id;
  const talks = [];
  for (let i = 0; i < 4; i++) talks.push((await desk.customer.create('/conversations', { subject: `Talk ${i}`, contents: 'First' })).id);
  const made = await Promise.all(Array.from({ length: 64 }, async (_, i) => {
    const [path, body] = i % 2 ? [`/users/${customer}/notes`, { contents: `Note ${i}` }] : [`/conversations/${talks[i / 2 % 4]}/messages`, { contents: `Message ${i}` }];
    return (await desk.staff.create(path, body)).id;
  }));
  const trail = (await desk.staff.fetch(`/users/${customer}/activities`, { limit: 1000 })).map((a) => a.id);
  const all = [...made, ...trail];
  assert.equal(new Set(all).size, all.length);
});

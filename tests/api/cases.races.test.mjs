// Replies to conversations that another client closes, moves to the trash or merges at the same time, and merges in a circle.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cascaded, clean, open, until } from './lib/index.mjs';

const ROUNDS = 6;

/** Moves the clock forward until no cascade is under way. */
const asked = (desk, subject = 'S') => desk.customer.create('/conversations', { subject, contents: subject });

/** Each way to write a post, by the customer and by staff: [name, the request]. */
const WAYS = [
  ['a message of the customer', (desk, id, text) => desk.customer.post(`/conversations/${id}/messages`, { contents: text })],
  ['a reply', (desk, id, text) => desk.staff.post(`/cases/${id}/reply`, { contents: text })],
  ['a note by reply', (desk, id, text) => desk.staff.post(`/cases/${id}/reply`, { contents: text, channel: 'NOTE' })],
  ['a note', (desk, id, text) => desk.staff.post(`/cases/${id}/notes`, { contents: text })],
];

/** Sends two posts of each way and one other request side by side. Returns the texts that were stored. */
async function race(desk, id, other, allowed) {
  const texts = [];
  const posts = WAYS.flatMap(([name, send]) => [1, 2].map(async (n) => {
    const text = `${name} ${n}`, reply = await send(desk, id, text);
    assert.ok([201, ...allowed].includes(reply.status), `${name}: ${reply}`);
    if (reply.status === 201) texts.push(text);
    if (reply.status === 400) assert.equal(reply.body.errors[0].code, 'RESOURCE_ACTION_NOT_AVAILABLE', `${reply}`);
  }));
  await Promise.all([other(), ...posts]);
  return texts.sort();
}

const postsOf = async (desk, id) => (await desk.owner.fetch(`/cases/${id}/posts`, { filters: 'MESSAGES,NOTES', limit: 1000 })).map((p) => p.contents);

test('a post is stored or refused as a whole while another client closes the conversation', async (t) => {
  const desk = await open(t);
  for (let i = 0; i < ROUNDS; i++) {
    const { id } = await asked(desk);
    const texts = await race(desk, id, async () => (await desk.admin.put(`/cases/${id}`, { status_id: 5 })).must(200), [400]);
    assert.deepEqual((await postsOf(desk, id)).filter((text) => text !== 'S').sort(), texts);
    const shown = await desk.owner.fetch(`/cases/${id}`, { include: 'case_status' });
    assert.deepEqual([shown.status.type, shown.post_count], ['CLOSED', texts.length + 1], 'no reply reopens a closed conversation');
    (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'late' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.staff.post(`/cases/${id}/reply`, { contents: 'late' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.staff.post(`/cases/${id}/notes`, { contents: 'late' })).must(201);
  }
  clean(desk);
});

test('a post is stored or refused as a whole while another client moves the conversation to the trash', async (t) => {
  const desk = await open(t);
  for (let i = 0; i < ROUNDS; i++) {
    const { id } = await asked(desk);
    const texts = await race(desk, id, async () => (await desk.staff.put(`/cases/${id}/trash`)).must(200), [400, 404]);
    assert.deepEqual((await postsOf(desk, id)).filter((text) => text !== 'S').sort(), texts);
    (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'late' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.post(`/cases/${id}/reply`, { contents: 'late' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    assert.equal((await desk.owner.fetch(`/cases/${id}`)).state, 'TRASH');
  }
  clean(desk);
});

test('a post that races a merge is in the survivor, or is refused', async (t) => {
  const desk = await open(t);
  for (let i = 0; i < ROUNDS; i++) {
    const survivor = await asked(desk, 'Survivor'), { id } = await asked(desk);
    const texts = await race(desk, id, async () => (await desk.staff.post(`/cases/${survivor.id}/merge`, { case_ids: [id] })).must(200), [400, 404]);
    await cascaded(desk);
    assert.deepEqual((await postsOf(desk, survivor.id)).filter((text) => !['S', 'Survivor'].includes(text)).sort(), texts);
    assert.equal((await desk.owner.fetch(`/cases/${survivor.id}`)).post_count, texts.length + 2);
    const merged = await desk.owner.fetch(`/cases/${id}`);
    assert.deepEqual([merged.is_merged, merged.post_count, (await postsOf(desk, id)).length], [true, 0, 0]);
    (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'late' })).refused(404, 'RESOURCE_NOT_FOUND');
    assert.match((await desk.staff.post(`/cases/${id}/reply`, { contents: 'late' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE').text, new RegExp(`conversation ${survivor.id}\\b`));
  }
  clean(desk);
});

test('merges in a circle side by side leave a survivor, and no post is lost', async (t) => {
  const desk = await open(t);
  for (let i = 0; i < ROUNDS; i++) {
    const ring = [];
    for (const subject of ['A', 'B', 'C']) ring.push((await asked(desk, subject)).id);
    const replies = await Promise.all(ring.map((id, at) => desk.staff.post(`/cases/${id}/merge`, { case_ids: [ring[(at + 1) % 3]] })));
    for (const reply of replies) if (reply.status !== 200) reply.refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    await cascaded(desk);
    const shown = await Promise.all(ring.map((id) => desk.owner.fetch(`/cases/${id}`)));
    const merges = replies.filter((reply) => reply.status === 200).length;
    assert.ok(merges === 1 || merges === 2, `${merges} of 3 merges`);
    assert.equal(shown.filter((c) => c.is_merged).length, merges, 'each merge ends one conversation');
    assert.equal(shown.filter((c) => !c.is_merged).reduce((sum, c) => sum + c.post_count, 0), 3);
  }
  clean(desk);
});

test('writes side by side with refused ones are each stored once, and the refused ones not at all', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk), { id: session } = await desk.staff.fetch('/session');
  for (let round = 0; round < ROUNDS; round++) {
    const texts = Array.from({ length: 20 }, (_, n) => `Round ${round}, message ${n}`);
    await Promise.all(texts.map(async (contents, n) => {
      const posted = desk.customer.post(`/conversations/${id}/messages`, { contents });
      // A logout compares no tag, so it is refused after it has ended the session.
      if (n % 5 === 2) (await desk.staff.delete('/session', {}, { 'If-Match': `"${'0'.repeat(32)}"` })).must(412);
      if (n % 5 === 3) (await desk.customer.post('/conversations/999999/messages', { contents })).must(404);
      (await posted).must(201);
    }));
    const stored = await desk.owner.fetch(`/cases/${id}/posts`, { filters: 'MESSAGES', limit: 1000 });
    assert.deepEqual(stored.map((p) => p.contents).filter((text) => text.startsWith(`Round ${round},`)).sort(), texts.sort());
    assert.equal((await desk.staff.fetch('/session')).id, session);
  }
  assert.equal((await desk.owner.fetch(`/cases/${id}`)).post_count, ROUNDS * 20 + 1);
  clean(desk);
});

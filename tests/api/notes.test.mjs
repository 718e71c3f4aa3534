import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, iso, multipart, open } from './lib/index.mjs';

const MEMBERS = 'id body_text body_html is_pinned pinned_by user creator attachments download_all forward answers_note created_at updated_at resource_type resource_url'.split(' ');

/** A desk with an organization, and the two kinds of owners of notes: [path, function that reads the count of pinned notes]. */
async function withOwners(t) {
  const desk = await open(t);
  const { id } = await desk.staff.create('/organizations', { name: 'Brandfathers' });
  const owners = [`/users/${desk.people.customer.id}`, `/organizations/${id}`];
  return { desk, owners };
}

test('staff write notes on people and organizations, in every format', async (t) => {
  const { desk, owners } = await withOwners(t);
  for (const owner of owners) {
    for (const role of ['owner', 'admin', 'agent', 'collaborator']) {
      const note = await desk.as(role).create(`${owner}/notes`, { contents: 'Likes <b>tea</b> & "milk"\nand cake' });
      assert.deepEqual(Object.keys(note), MEMBERS);
      assert.equal(note.body_text, 'Likes <b>tea</b> & "milk"\nand cake');
      assert.equal(note.body_html, 'Likes &lt;b&gt;tea&lt;/b&gt; &amp; &quot;milk&quot;<br>\nand cake');
      assert.deepEqual([note.is_pinned, note.pinned_by, note.user.id, note.creator, note.attachments, note.download_all], [false, null, desk.people[role].id, note.user, [], null]);
      assert.equal(note.resource_url, `${desk.base}/api/v1${owner}/notes/${note.id}`);
      assert.equal(note.created_at, iso(desk.clock.now));
      assert.deepEqual(await desk.staff.fetch(`${owner}/notes/${note.id}`), note);
    }
    for (const body of [form, multipart]) assert.equal((await desk.staff.create(`${owner}/notes`, body({ contents: 'Plain', is_pinned: 'true' }))).is_pinned, true);
  }
});

test('notes come newest first, and pinned ones can be selected', async (t) => {
  const { desk, owners: [owner, other] } = await withOwners(t);
  const made = [];
  for (const is_pinned of [false, true, false]) {
    made.unshift((await desk.staff.create(`${owner}/notes`, { contents: 'One', is_pinned })).id);
    await desk.clock.forward(1);
  }
  await desk.staff.create(`${other}/notes`, { contents: 'Elsewhere' });
  const ids = async (query) => (await desk.staff.fetch(`${owner}/notes`, query)).map((n) => n.id);
  assert.deepEqual(await ids(), made);
  assert.deepEqual(await ids({ is_pinned: true }), [made[1]]);
  assert.deepEqual(await ids({ is_pinned: false, limit: 1, offset: 1 }), [made[2]]);
  (await desk.staff.get(`${owner}/notes`, { is_pinned: 'maybe' })).refused(400, 'FIELD_INVALID');
});

test('a pinned note names who pinned it, and its owner has an exact count', async (t) => {
  const { desk, owners } = await withOwners(t);
  for (const owner of owners) {
    const pins = async () => (await desk.staff.fetch(owner)).pinned_notes_count;
    const { id } = await desk.staff.create(`${owner}/notes`, { contents: 'One', is_pinned: true });
    const second = await desk.staff.create(`${owner}/notes`, { contents: 'Two' });
    assert.equal(await pins(), 1);
    const path = `${owner}/notes/${second.id}`;
    const pinned = await desk.as('collaborator').update(path, { is_pinned: true });
    assert.deepEqual([pinned.is_pinned, pinned.pinned_by.id], [true, desk.people.collaborator.id]);
    assert.equal((await desk.admin.update(path, { is_pinned: 1 })).pinned_by.id, desk.people.collaborator.id, 'pinning again changes nothing');
    assert.equal(await pins(), 2);
    assert.equal((await desk.staff.update(path, { is_pinned: false })).pinned_by, null);
    const entries = (await desk.owner.fetch('/changes', { limit: 1000 })).filter((e) => e.resource_type === 'note' && e.resource_id === second.id && e.property);
    assert.deepEqual(entries.map((e) => [e.property, e.from, e.to, e.actor.id]), [['is_pinned', 'false', 'true', desk.people.collaborator.id], ['is_pinned', 'true', 'false', desk.people.agent.id]]);
    assert.equal(await pins(), 1);
    (await desk.staff.delete(`${owner}/notes/${id}`)).must(200);
    assert.equal(await pins(), 0);
  }
});

test('only the author, admins and owners change or delete a note', async (t) => {
  const { desk, owners } = await withOwners(t);
  for (const owner of owners) {
    const { id } = await desk.staff.create(`${owner}/notes`, { contents: 'Mine' });
    const path = `${owner}/notes/${id}`;
    (await desk.as('collaborator').put(path, { contents: 'Yours' })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.as('collaborator').delete(path)).refused(403, 'PERMISSIONS_DENIED');
    assert.equal((await desk.staff.update(path, { contents: 'Still mine' })).body_text, 'Still mine');
    assert.equal((await desk.admin.update(path, { contents: 'Ours' })).user.id, desk.people.agent.id);
    (await desk.owner.delete(path)).must(200);
    (await desk.staff.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  }
});

test('customers and strangers never see notes', async (t) => {
  const { desk, owners } = await withOwners(t);
  for (const owner of owners) {
    const { id } = await desk.staff.create(`${owner}/notes`, { contents: 'Secret' });
    for (const [method, path, body] of [['GET', '', undefined], ['GET', `/${id}`, undefined], ['POST', '', { contents: 'x' }], ['PUT', `/${id}`, { is_pinned: true }], ['DELETE', `/${id}`, undefined]]) {
      (await desk.customer.request(method, `${owner}/notes${path}`, { body })).refused(403, 'PERMISSIONS_DENIED');
      (await desk.anyone.request(method, `${owner}/notes${path}`, { body })).refused(401, 'AUTHORIZATION_REQUIRED');
    }
  }
});

test('a note is found only under its owner', async (t) => {
  const { desk, owners: [user, organization] } = await withOwners(t);
  const { id } = await desk.staff.create(`${user}/notes`, { contents: 'Here' });
  for (const path of [`${organization}/notes/${id}`, `/users/${desk.people.agent.id}/notes/${id}`, `${user}/notes/999999`, `${user}/notes/x`, `/users/999999/notes/${id}`]) {
    (await desk.staff.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.put(path, { contents: 'There' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.delete(path)).refused(404, 'RESOURCE_NOT_FOUND');
  }
  for (const path of ['/users/999999/notes', '/organizations/999999/notes']) {
    (await desk.staff.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.post(path, { contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
  }
});

test('contents are required and limited, and read-only members are ignored', async (t) => {
  const { desk, owners: [owner] } = await withOwners(t);
  const path = `${owner}/notes`;
  (await desk.staff.post(path, {})).refused(400, 'FIELD_REQUIRED');
  (await desk.staff.post(path, { contents: ' ' })).refused(400, 'FIELD_EMPTY');
  (await desk.staff.post(path, { contents: ['a'] })).refused(400, 'FIELD_INVALID');
  (await desk.staff.post(path, { contents: 'a\u0000b' })).must(400);
  (await desk.staff.post(path, { contents: 'x'.repeat(512 * 1024 + 1) })).refused(400, 'FIELD_INVALID');
  const both = await desk.staff.post(path, { contents: '', is_pinned: 'maybe' });
  assert.deepEqual(both.must(400).body.errors.map((e) => e.parameter).sort(), ['contents', 'is_pinned']);
  const note = await desk.staff.create(path, { contents: 'x', user_id: desk.people.owner.id, body_html: '<script>', created_at: '2001-01-01T00:00:00+00:00' });
  assert.deepEqual([note.user.id, note.body_html, note.created_at], [desk.people.agent.id, 'x', iso(desk.clock.now)]);
  (await desk.staff.put(`${path}/${note.id}`, { contents: null })).must(400);
});

test('a purge deletes the notes on a person, and a deletion hides them', async (t) => {
  const { desk, owners: [owner] } = await withOwners(t);
  const { id } = await desk.staff.create(`${owner}/notes`, { contents: 'Personal', is_pinned: true });
  (await desk.owner.delete(owner, { purge: true })).must(200);
  (await desk.owner.get(`${owner}/notes`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.owner.get(`${owner}/notes/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('customers don\'t see the number of notes pinned to them', async (t) => {
  const desk = await open(t);
  await desk.staff.create(`/users/${desk.people.customer.id}/notes`, { contents: 'Pays late.', is_pinned: true });
  assert.equal((await desk.staff.fetch(`/users/${desk.people.customer.id}`)).pinned_notes_count, 1);
  assert.equal((await desk.customer.fetch('/me')).pinned_notes_count, null);
});

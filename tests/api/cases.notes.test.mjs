// Notes of conversations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

async function withCase(t, extra = {}) {
  const desk = await open(t);
  const talk = (await desk.staff.post('/cases', { subject: 'Engine', contents: 'It stalls', requester_id: desk.people.customer.id, ...extra })).must(201).data;
  const note = async (body, who = desk.staff) => (await who.post(`/cases/${talk.id}/notes`, body)).must(201).data;
  const read = async () => desk.admin.fetch(`/cases/${talk.id}`);
  return { desk, talk, path: `/cases/${talk.id}/notes`, note, read };
}

test('a new note on a conversation returns its post and its conversation', async (t) => {
  const { desk, talk, path, note } = await withCase(t);
  const made = await note({ contents: 'Call <him>', is_pinned: true, color: 'red' }, desk.as('collaborator'));
  assert.deepEqual(made, { post: { id: made.post.id, resource_type: 'post' }, case: { id: talk.id, resource_type: 'case' }, resource_type: 'case_note' });
  const read = await desk.staff.fetch(`${path}/${made.post.id}`);
  assert.equal(read.body_text, 'Call <him>');
  assert.equal(read.body_html, 'Call &lt;him&gt;');
  assert.equal(read.pinned_by.id, desk.people.collaborator.id);
  assert.equal(read.resource_url, `${desk.base}/api/v1${path}/${read.id}`);
  assert.equal(read.color, undefined);
  assert.equal((await desk.staff.fetch(`${path}/${made.post.id}`, { fields: '+color' })).color, 'RED');
  const wrong = await desk.staff.post(path, { contents: ' ', is_pinned: 'x', color: 'plaid' });
  assert.deepEqual([wrong.status, wrong.body.errors.map((e) => e.parameter)], [400, ['contents', 'is_pinned', 'color']]);
  (await desk.staff.post(path, {})).refused(400, 'FIELD_REQUIRED', 'contents');
  (await desk.staff.get(`/cases/${talk.id + 1}/notes/${made.post.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('HTML of a note is cleaned, and its text is stored beside it', async (t) => {
  const { desk, path, note } = await withCase(t);
  const { post } = await note({ contents: '<p onclick="x()">Call <b>him</b></p><script>bad()</script>', is_html: true });
  const read = await desk.staff.fetch(`${path}/${post.id}`);
  assert.match(read.body_html, /<b>him<\/b>/);
  assert.doesNotMatch(read.body_html, /onclick|script/);
  assert.equal(read.body_text.trim(), 'Call him');
  const changed = await desk.staff.update(`${path}/${post.id}`, { contents: '<i>Later</i>', is_html: 'true' });
  assert.equal(changed.body_html, '<i>Later</i>');
  assert.equal((await desk.staff.update(`${path}/${post.id}`, { contents: '<i>Plain</i>' })).body_text, '<i>Plain</i>');
});

test('counters, previews and times of the conversation follow its notes', async (t) => {
  const { desk, talk, path, note, read } = await withCase(t);
  await desk.clock.forward(60);
  const before = await read();
  assert.deepEqual([before.has_notes, before.post_count, before.last_post_type], [false, 1, 'PUBLIC']);
  const first = (await note({ contents: 'One' })).post.id, second = (await note({ contents: 'Two', is_pinned: true }, desk.as('collaborator'))).post.id;
  let now = await read();
  assert.deepEqual([now.has_notes, now.post_count, now.pinned_notes_count, now.last_post_type, now.last_post_preview], [true, 3, 1, 'NOTE', 'Two']);
  assert.equal(now.last_message_preview, 'It stalls');
  assert.equal(now.last_updated_by.id, desk.people.collaborator.id);
  assert.equal(now.last_agent_activity_at, now.updated_at);
  assert.notEqual(now.updated_at, before.updated_at);
  await desk.staff.update(`${path}/${first}`, { is_pinned: true });
  await desk.admin.update(`${path}/${second}`, { contents: 'Two again' });
  now = await read();
  assert.deepEqual([now.pinned_notes_count, now.last_post_preview], [2, 'Two again']);
  (await desk.admin.delete(`${path}/${second}`)).must(200);
  now = await read();
  assert.deepEqual([now.pinned_notes_count, now.post_count, now.last_post_preview], [1, 2, 'One']);
  (await desk.staff.post(`/conversations/${talk.id}/messages`, { contents: 'Hello' })).must(201);
  assert.deepEqual((({ last_post_type, last_post_preview }) => [last_post_type, last_post_preview])(await read()), ['PUBLIC', 'Hello']);
  (await desk.staff.delete(`${path}/${first}`)).must(200);
  now = await read();
  assert.deepEqual([now.has_notes, now.post_count, now.pinned_notes_count, now.last_post_preview], [false, 2, 0, 'Hello']);
});

test('the list includes the notes of the requester and the organization, newest first', async (t) => {
  const { desk, path, note } = await withCase(t);
  const organization = await desk.staff.create('/organizations', { name: 'Brandfathers' });
  await desk.admin.update(`/users/${desk.people.customer.id}`, { organization_id: organization.id });
  const ids = [];
  const add = async (make) => { ids.unshift(await make()); await desk.clock.forward(1); };
  await add(async () => (await note({ contents: 'Case 1' })).post.id);
  await add(async () => (await desk.staff.create(`/users/${desk.people.customer.id}/notes`, { contents: 'Person', is_pinned: true })).id);
  await add(async () => (await desk.staff.create(`/organizations/${organization.id}/notes`, { contents: 'Organization' })).id);
  await add(async () => (await note({ contents: 'Case 2', is_pinned: true })).post.id);
  await desk.staff.create(`/users/${desk.people.agent.id}/notes`, { contents: 'Elsewhere' });
  const listed = async (query) => {
    const reply = (await desk.staff.get(path, query)).must(200);
    return [reply.data.map((n) => n.id), reply.body.total_count];
  };
  assert.deepEqual(await listed(), [ids, 4]);
  assert.deepEqual(await listed({ filter: 'CASE' }), [[ids[0], ids[3]], 2]);
  assert.deepEqual(await listed({ filter: 'user' }), [[ids[2]], 1]);
  assert.deepEqual(await listed({ filter: 'ORGANIZATION,USER' }), [[ids[1], ids[2]], 2]);
  assert.deepEqual(await listed({ is_pinned: true }), [[ids[0], ids[2]], 2]);
  assert.deepEqual(await listed({ limit: 1, offset: 1 }), [[ids[1]], 4]);
  (await desk.staff.get(path, { filter: 'EVERYTHING' })).refused(400, 'FIELD_INVALID', 'filter');
  assert.ok((await desk.staff.fetch(path, { fields: 'id', filter: 'USER' }))[0].resource_url.includes(`/users/${desk.people.customer.id}/notes/`));
  (await desk.staff.get(`${path}/${ids[2]}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('only the author, admins and owners change the contents of a note', async (t) => {
  const { desk, path, note } = await withCase(t);
  const { id } = (await note({ contents: 'Mine' })).post;
  (await desk.as('collaborator').put(`${path}/${id}`, { contents: 'Yours' })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.as('collaborator').delete(`${path}/${id}`)).refused(403, 'PERMISSIONS_DENIED');
  assert.equal((await desk.as('collaborator').update(`${path}/${id}`, { is_pinned: true })).is_pinned, true);
  (await desk.owner.delete(`${path}/${id}`)).must(200);
});

test('a closed conversation accepts notes, one in the trash does not', async (t) => {
  const { desk, talk, path, note } = await withCase(t);
  const { id } = (await note({ contents: 'Before' })).post;
  await desk.admin.update(`/cases/${talk.id}`, { status_id: 5 });
  await note({ contents: 'Closed' });
  (await desk.admin.put(`/cases/${talk.id}/trash`)).must(200);
  (await desk.staff.post(path, { contents: 'x' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.put(`${path}/${id}`, { contents: 'x' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.put(`${path}/${id}`, { is_pinned: true })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.delete(`${path}/${id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal((await desk.staff.fetch(path)).length, 2);
});

test('only staff who see the conversation see its notes, also in the change log', async (t) => {
  const { desk, talk, path, note } = await withCase(t);
  await desk.admin.update(`/cases/${talk.id}`, { assigned_agent_id: desk.people.admin.id });
  const self = (await desk.person('agent', { agent_case_access: 'SELF' })).client;
  const { id } = (await note({ contents: 'canary', is_pinned: true })).post;
  (await self.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  (await self.get(`${path}/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await self.post(path, { contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
  for (const [method, where, body] of [['GET', '', undefined], ['GET', `/${id}`, undefined], ['POST', '', { contents: 'x' }], ['PUT', `/${id}`, { is_pinned: true }], ['DELETE', `/${id}`, undefined]]) {
    (await desk.customer.request(method, `${path}${where}`, { body })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.request(method, `${path}${where}`, { body })).refused(401, 'AUTHORIZATION_REQUIRED');
  }
  const seen = (await desk.customer.get(`/conversations/${talk.id}`, { include: '*' })).must(200);
  assert.doesNotMatch(seen.text, /canary/);
  assert.doesNotMatch((await desk.customer.get(`/conversations/${talk.id}/messages`, { include: '*' })).must(200).text, /canary/);
  const told = (await desk.owner.get('/changes', { limit: 1000 })).must(200);
  assert.doesNotMatch(told.text, /canary/);
  const entries = told.data.filter((x) => x.resource_type === 'note' && x.resource_id === id);
  assert.deepEqual(entries.map((x) => x.action), ['CREATED']);
  await desk.staff.update(`${path}/${id}`, { contents: 'canary 2' });
  const narrow = (await desk.person('admin', { agent_case_access: 'SELF' })).client;
  const told2 = (await narrow.get('/changes', { limit: 1000 })).must(200).data.filter((x) => x.resource_type === 'note');
  assert.deepEqual(told2, []);
});

test('concurrent notes are all counted', async (t) => {
  const { note, read } = await withCase(t);
  await Promise.all(Array.from({ length: 24 }, (_, i) => note({ contents: `Note ${i}`, is_pinned: i % 2 === 0 })));
  const now = await read();
  assert.deepEqual([now.post_count, now.pinned_notes_count], [25, 12]);
});

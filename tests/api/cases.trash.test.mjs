// Permanent deletion of conversations in the trash (docs/CONVERSATIONS.md, "Permanent deletion").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cascaded, multipart, open, raw, until, uploaded } from './lib/index.mjs';

const conversation = (desk, subject, extra = {}) => desk.staff.create('/cases', { subject, contents: `${subject} stalls`, requester_id: desk.people.customer.id, ...extra });
const trash = async (desk, ...talks) => { for (const talk of talks) (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200); };
const purge = (who, ...talks) => who.delete('/cases/trash', { ids: talks.map((x) => x.id).join() });

/** Number of rows that belong to a conversation, in all tables. The activity of the deletion stays. */
async function rowsOf(desk, id) {
  const tables = [['cases', 'id'], ['posts', 'case_id'], ['notes', 'case_id'], ['case_tags', 'case_id'], ['case_ratings', 'case_id'], ['case_participants', 'case_id'], ['read_markers', 'case_id'],
    ['fingerprint_markers', 'case_id'], ['outgoing_mails', 'case_id'], ['field_values', 'owner_id'], ['activities', 'name <> 10 AND owner_case_id']];
  const counts = {};
  for (const [table, column] of tables) counts[table] = Number((desk.sql(`SELECT COUNT(*) FROM ${table} WHERE ${column} = ${id}`)).trim());
  return counts;
}

test('a conversation in the trash is deleted for ever with everything that belongs to it', async (t) => {
  const desk = await open(t);
  const field = await desk.admin.create('/cases/fields', { title: 'Serial', key: 'serial', type: 'TEXT' });
  const scan = await desk.admin.create('/cases/fields', { title: 'Scan', key: 'scan', type: 'FILE' });
  const files = [await uploaded(desk.staff, { name: 'a.txt', data: 'a.txt' }), await uploaded(desk.staff, { name: 'b.txt', data: 'b.txt' }), await uploaded(desk.staff, { name: 'c.txt', data: 'c.txt' })];
  const talk = await conversation(desk, 'Engine', { tags: 'vip', attachment_file_ids: [files[0].id], field_values: { [field.key]: 'X1', [scan.key]: String(files[2].id) } });
  const kept = await conversation(desk, 'Motor', { tags: 'vip' });
  const { post } = (await desk.staff.post(`/cases/${talk.id}/notes`, { contents: '<b>Secret</b>', is_html: true, is_pinned: true, attachment_file_ids: [files[1].id] })).must(201).data;
  (await desk.customer.post(`/conversations/${talk.id}/messages`, { contents: 'Hello' })).must(201);
  const before = await rowsOf(desk, talk.id);
  for (const table of ['posts', 'notes', 'case_tags', 'case_participants', 'read_markers', 'field_values', 'activities']) assert.ok(before[table] > 0, table);
  assert.equal(desk.sql('SELECT COUNT(*) FROM post_originals').trim(), '1');
  await trash(desk, talk);
  const state = (await desk.staff.get(`/cases/${talk.id}`)).must(200).data.state;
  assert.equal(state, 'TRASH');
  assert.equal((await purge(desk.staff, talk)).must(200).body.total_count, 1);
  assert.deepEqual(Object.values(await rowsOf(desk, talk.id)).reduce((a, b) => a + b), 0, JSON.stringify(await rowsOf(desk, talk.id)));
  assert.equal(desk.sql('SELECT COUNT(*) FROM post_originals').trim(), '0');
  for (const path of [`/cases/${talk.id}`, `/cases/${talk.id}/posts`, `/cases/posts/${post.id}`]) (await desk.admin.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  (await purge(desk.staff, talk)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await desk.staff.fetch(`/cases/${kept.id}`)).post_count, 1);
  const going = Number((desk.sql(`SELECT COUNT(*) FROM files WHERE expires_at IS NOT NULL AND id IN (${files.map((f) => f.id).join()})`)).trim());
  assert.equal(going, 3);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('a file that another message has too stays', async (t) => {
  const desk = await open(t);
  const file = await uploaded(desk.staff, { name: 'a.txt', data: 'a.txt' });
  const talk = await conversation(desk, 'Engine', { attachment_file_ids: [file.id] });
  await conversation(desk, 'Motor', { attachment_file_ids: [file.id] });
  await trash(desk, talk);
  (await purge(desk.staff, talk)).must(200);
  assert.equal((desk.sql(`SELECT COUNT(*) FROM files WHERE expires_at IS NULL AND id = ${file.id}`)).trim(), '1');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('the change log has one entry of a deleted conversation that readers still see: the deletion', async (t) => {
  const desk = await open(t);
  const talk = await conversation(desk, 'Engine');
  await trash(desk, talk);
  assert.ok((await desk.admin.fetch('/changes', { limit: 1000 })).some((x) => x.resource_id === talk.id && x.property === 'state' && x.to === 'TRASH'));
  (await purge(desk.staff, talk)).must(200);
  const entries = (await desk.admin.fetch('/changes', { limit: 1000 })).filter((x) => x.resource_type === 'case' && x.resource_id === talk.id);
  assert.deepEqual(entries.map((x) => [x.action, x.actor.id]), [['DELETED', desk.people.agent.id]]);
});

test('only conversations in the trash are deleted, all or none', async (t) => {
  const desk = await open(t);
  const trashed = await conversation(desk, 'Engine'), active = await conversation(desk, 'Motor');
  await trash(desk, trashed);
  const answer = await purge(desk.staff, trashed, active);
  answer.refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal(answer.body.errors[0].pointer, 'ids/1');
  (await purge(desk.staff, trashed, { id: 9999 })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await desk.staff.fetch(`/cases/${trashed.id}`)).state, 'TRASH');
});

test('permanent deletion needs an agent with the permission cases.trash who sees the conversation', async (t) => {
  const desk = await open(t);
  const talk = await conversation(desk, 'Engine');
  await trash(desk, talk);
  for (const who of [desk.customer, desk.as('collaborator')]) (await purge(who, talk)).refused(403, 'PERMISSIONS_DENIED');
  const blind = await desk.person('agent', { agent_case_access: 'SELF' });
  (await purge(blind.client, talk)).refused(404, 'RESOURCE_NOT_FOUND');
  const { id } = await desk.admin.create('/roles', { title: 'No trash', type: 'AGENT' });
  await desk.admin.update(`/roles/${id}/permissions`, { 'cases.trash': false });
  (await purge((await desk.person('agent', { role_id: id })).client, talk)).refused(403, 'PERMISSIONS_DENIED');
  (await purge(desk.as('owner'), talk)).must(200);
});

const stateOf = async (desk, { id }) => { const { status, body } = await desk.owner.get(`/cases/${id}`); return status === 404 ? 'DELETED' : body.data.state; };
const ended = (desk, id) => until('the end of the job', async () => {
  const job = (await desk.owner.get(`/jobs/${id}`)).must(200).data;
  desk.clock.write(desk.clock.now + 1000);
  return job.status === 'COMPLETED' && job;
});

test('without ids, admins and owners empty the trash by a job, whose total is the number of conversations in it', async (t) => {
  const desk = await open(t);
  for (const role of ['admin', 'owner']) {
    const active = await conversation(desk, 'Active'), trashed = [];
    for (let i = 0; i < 3; i++) trashed.push(await conversation(desk, `Trash ${i}`));
    await trash(desk, ...trashed);
    const reply = (await desk.as(role).delete('/cases/trash')).must(202);
    const { id, ...job } = reply.data;
    assert.deepEqual([reply.body.status, reply.body.resource, job.resource_type, job.status, job.total], [202, 'job', 'bulk_job', 'PENDING', 3]);
    const later = await conversation(desk, 'Later');
    await trash(desk, later);
    const { total, inserted, errors } = await ended(desk, id);
    assert.deepEqual([total, inserted, errors], [3, 0, []]);
    await cascaded(desk);
    for (const talk of trashed) {
      assert.equal(await stateOf(desk, talk), 'DELETED');
      assert.equal(Object.values(await rowsOf(desk, talk.id)).reduce((a, b) => a + b), 0);
    }
    assert.deepEqual([await stateOf(desk, active), await stateOf(desk, later)], ['ACTIVE', 'TRASH'], 'a conversation that came later stays');
    const entries = (await desk.owner.fetch('/changes', { limit: 1000 })).filter((x) => x.resource_type === 'case' && x.action === 'DELETED' && x.resource_id === trashed[0].id);
    assert.deepEqual(entries.map((x) => [x.actor.id, x.cause]), [[desk.people[role].id, 'Empty the trash']]);
    (await purge(desk.owner, later)).must(200);
  }
  assert.equal((await desk.owner.delete('/cases/trash')).must(202).data.total, 0);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('a large trash is emptied in parts, and a conversation that was restored meanwhile stays', async (t) => {
  const desk = await open(t);
  const talks = [];
  for (let i = 0; i < 120; i++) talks.push(await conversation(desk, `Trash ${i}`));
  (await desk.staff.put('/cases/trash', {}, { query: { ids: talks.map((talk) => talk.id).join() } })).must(200);
  desk.sql(`INSERT INTO jobs (id, kind, status, creator_id, input, attempts, run_at, created_at, updated_at, total) VALUES (9001, 'empty_trash', 1, ${desk.people.owner.id}, '{}', 0, ${desk.clock.now + 3_600_000}, 1, 1, 120)`);
  desk.sql('INSERT INTO trash_deletions SELECT 9001, id FROM cases WHERE state = 3');
  (await desk.staff.put(`/cases/${talks[60].id}/restore`)).must(200);
  await desk.clock.forward(3601);
  await ended(desk, 9001);
  await cascaded(desk);
  assert.deepEqual((await desk.owner.fetch('/cases')).map(({ id }) => id), [talks[60].id]);
  assert.equal(desk.sql('SELECT COUNT(*) FROM cases').trim(), '1');
  assert.equal(desk.sql('SELECT COUNT(*) FROM trash_deletions').trim(), '0');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('an empty list of ids, and ids under another name, do not empty the trash', async (t) => {
  const desk = await open(t);
  const talk = await conversation(desk, 'Engine');
  await trash(desk, talk);
  const send = (query, body) => desk.owner.request('DELETE', '/cases/trash', { query, body });
  for (const reply of [await send({ ids: '' }), await send({ ids: '[]' }), await send({}, { ids: [] }), await send({}, { ids: '' })]) reply.refused(400, 'FIELD_EMPTY', 'ids');
  for (const [query, body] of [[{ 'ids[]': '' }], [{}, { ids: null }]]) (await send(query, body)).refused(400, 'FIELD_INVALID', 'ids');
  for (const name of ['id', 'case_id', 'case_ids', 'caseIds']) assert.equal((await send({ [name]: talk.id })).status, 400, name);
  const bodies = [['application/json', '[]'], ['application/json', `{"ids":[${talk.id}]`], ['application/json', `{"case_ids":[${talk.id}]}`], ['text/plain', `{"ids":[${talk.id}]}`], ['application/x-www-form-urlencoded', `id=${talk.id}`]];
  for (const [type, text] of bodies) (await send({}, raw(type, Buffer.from(text)))).refused(400, 'FIELD_REQUIRED', 'ids');
  (await send({}, multipart({ id: String(talk.id) }))).refused(400, 'FIELD_REQUIRED', 'ids');
  for (const who of [desk.staff, desk.as('collaborator'), desk.customer]) (await who.delete('/cases/trash')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.delete('/cases/trash')).refused(401, 'AUTHORIZATION_REQUIRED');
  const { id } = await desk.owner.create('/roles', { title: 'No trash', type: 'ADMIN' });
  await desk.owner.update(`/roles/${id}/permissions`, { 'cases.trash': false });
  (await (await desk.person('admin', { role_id: id })).client.delete('/cases/trash')).refused(403, 'PERMISSIONS_DENIED');
  const blind = (await desk.person('admin', { agent_case_access: 'SELF' })).client;
  assert.equal((await blind.delete('/cases/trash')).must(202).data.total, 0, 'an admin empties what the admin sees');
  assert.equal(await stateOf(desk, talk), 'TRASH');
  assert.equal((await send({}, {})).must(202).data.total, 1, 'an empty object is no body');
});

test('a conversation is deleted with those that were merged into it', async (t) => {
  const desk = await open(t);
  const survivor = await conversation(desk, 'Engine'), merged = await conversation(desk, 'Motor');
  (await desk.staff.post(`/cases/${survivor.id}/merge`, { case_ids: [merged.id] })).must(200);
  await trash(desk, survivor);
  (await purge(desk.staff, survivor)).must(200);
  (await desk.admin.get(`/cases/${merged.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  for (const talk of [survivor, merged]) assert.deepEqual(Object.values(await rowsOf(desk, talk.id)).reduce((a, b) => a + b), 0);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('a large conversation is deleted part by part, also while a merge moves its posts, and nobody sees a part', async (t) => {
  const desk = await open(t, { args: ['--cascade-rows', '4'] });
  const survivor = await conversation(desk, 'Engine'), merged = await conversation(desk, 'Motor');
  for (let i = 0; i < 15; i++) (await desk.staff.post(`/cases/${merged.id}/reply`, { contents: `${i}`, channel: i % 2 ? 'NOTE' : 'HELPCENTER' })).must(201);
  (await desk.staff.post(`/cases/${survivor.id}/merge`, { case_ids: [merged.id] })).must(200);
  const { id } = (await desk.staff.fetch(`/cases/${merged.id}/posts`))[0];
  await trash(desk, survivor);
  (await purge(desk.staff, survivor)).must(200);
  for (const path of [`/cases/${survivor.id}`, `/cases/${merged.id}`, `/cases/${merged.id}/notes`, `/cases/posts/${id}`]) (await desk.admin.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.admin.put(`/cases/${survivor.id}/restore`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual(await desk.admin.fetch(`/users/${desk.people.agent.id}/posts`), []);
  // A search waits for the index, which drops all texts of a deleted conversation at once.
  assert.deepEqual(await desk.admin.fetch('/search?query=stalls'), []);
  assert.ok((await rowsOf(desk, merged.id)).cases, 'the deletion needs more than one write');
  assert.equal(desk.check().status, 0, desk.check().stdout);
  await desk.kill();
  await desk.start();
  await cascaded(desk);
  for (const talk of [survivor, merged]) assert.deepEqual(Object.values(await rowsOf(desk, talk.id)).reduce((a, b) => a + b), 0);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

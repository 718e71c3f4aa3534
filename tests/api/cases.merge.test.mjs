// Merging conversations (docs/CONVERSATIONS.md, "Merging").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cascaded, open, raw, until } from './lib/index.mjs';

/** Moves the clock forward until no cascade is under way. */

const about = (requester, subject, extra = {}) => ({ subject, contents: `${subject} stalls`, requester_id: requester.id, ...extra });
const conversation = (desk, subject, extra = {}, requester = desk.people.customer) => desk.staff.create('/cases', about(requester, subject, extra));
const merge = (who, survivor, ids, more = {}) => who.post(`/cases/${survivor.id}/merge`, { case_ids: ids, ...more });
const idsOf = (list) => list.map((x) => x.id);
const reply = async (who, talk, contents) => (await who.post(`/conversations/${talk.id}/messages`, { contents })).must(201).data;
const note = async (desk, talk, contents, more = {}) => (await desk.staff.post(`/cases/${talk.id}/notes`, { contents, ...more })).must(201).data.post;
const messages = (who, talk, args = {}) => who.fetch(`/conversations/${talk.id}/messages`, { limit: 100, ...args });

test('a merge moves messages, notes, activities and attachments, which keep their ids, in the order of ids', async (t) => {
  const desk = await open(t);
  const survivor = await conversation(desk, 'Engine'), other = await conversation(desk, 'Motor');
  const file = (await desk.staff.post('/files', raw('text/plain', Buffer.from('abc')), { query: { _filename: 'log.txt' } })).must(201).data;
  const noted = await note(desk, other, 'Call him', { is_pinned: true, attachment_file_ids: [file.id] });
  await desk.staff.update(`/cases/${other.id}`, { priority_id: 4 });
  const second = await reply(desk.customer, survivor, 'And again'), last = await reply(desk.customer, other, 'The motor, too');
  const before = [...await messages(desk.staff, survivor), ...await messages(desk.staff, other)];
  const done = (await merge(desk.staff, survivor, [other.id])).must(200).data;
  assert.equal(done.id, survivor.id);
  assert.equal(done.is_merged, false);
  assert.deepEqual([done.post_count, done.has_notes, done.pinned_notes_count, done.has_attachments], [5, true, 1, true]);
  assert.deepEqual([done.last_message_preview, done.last_post_type, done.last_replier.id], ['The motor, too', 'PUBLIC', desk.people.customer.id]);
  const after = await messages(desk.customer, survivor);
  assert.deepEqual(idsOf(after), idsOf(before).sort((a, b) => b - a));
  assert.deepEqual([after[0].id, after[1].id], [last.id, second.id]);
  const posts = await desk.staff.fetch(`/cases/${survivor.id}/posts`, { limit: 100, filters: 'all' });
  assert.ok(idsOf(posts).includes(noted.id));
  assert.ok(posts.some((p) => p.contents.includes('changed priority')), 'activities move');
  assert.deepEqual((await desk.staff.fetch(`/cases/${survivor.id}/notes/${noted.id}`, { include: 'attachment' })).attachments.map((a) => a.name), ['log.txt']);
  assert.deepEqual((await desk.staff.get(`/cases/${other.id}/posts`, { filters: 'MESSAGES,NOTES' })).must(200).body.total_count, 0);
  (await desk.staff.get(`/cases/${other.id}/notes/${noted.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('a merged conversation is closed, staff read it by its id, and customers get 404 everywhere', async (t) => {
  const desk = await open(t);
  const survivor = await conversation(desk, 'Engine'), other = await conversation(desk, 'Motor', { legacy_id: 'm-1' });
  const message = (await messages(desk.staff, other))[0];
  (await merge(desk.staff, survivor, [other.id])).must(200);
  const shell = await desk.staff.fetch(`/cases/${other.id}`, { include: 'case_status' });
  assert.deepEqual([shell.is_merged, shell.status.type, shell.state, shell.post_count], [true, 'CLOSED', 'ACTIVE', 0]);
  assert.equal(shell.last_closed_by.id, desk.people.agent.id);
  for (const path of ['', '/messages', `/messages/${message.id}`, '/participants'])
    (await desk.customer.get(`/conversations/${other.id}${path}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.post(`/conversations/${other.id}/messages`, { contents: 'Hello?' })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.put(`/conversations/${other.id}`, { status_id: 4 })).refused(404, 'RESOURCE_NOT_FOUND');
  for (const [who, path] of [[desk.customer, '/conversations'], [desk.staff, '/cases'], [desk.staff, '/conversations'], [desk.staff, `/users/${desk.people.customer.id}/cases`]]) {
    const { data, total_count } = (await who.get(path)).must(200).body;
    assert.deepEqual([idsOf(data), total_count], [[survivor.id], 1], path);
  }
  for (const args of [{ ids: other.id }, { legacy_ids: 'm-1' }, { status: 'CLOSED' }]) assert.deepEqual(await desk.staff.fetch('/cases', args), []);
  assert.equal((await desk.customer.fetch(`/conversations/${survivor.id}/messages/${message.id}`)).id, message.id);
});

test('writes to a merged conversation are refused, and the message names the survivor', async (t) => {
  const desk = await open(t);
  const survivor = await conversation(desk, 'Engine'), other = await conversation(desk, 'Motor'), third = await conversation(desk, 'Wheel');
  (await merge(desk.staff, survivor, [other.id])).must(200);
  const path = `/cases/${other.id}`;
  const refused = async (sent, pointer) => {
    const answer = await sent;
    answer.refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    assert.match(answer.body.errors[0].message, new RegExp(`merged into conversation ${survivor.id}\\b`));
    if (pointer) assert.equal(answer.body.errors[0].pointer, pointer);
  };
  await refused(desk.admin.put(path, { subject: 'New' }));
  await refused(desk.admin.put('/cases', { priority_id: 1 }, { query: { ids: `${third.id},${other.id}` } }), 'ids/1');
  await refused(desk.admin.post(`${path}/reply`, { contents: 'Hi' }));
  await refused(desk.admin.post(`${path}/notes`, { contents: 'Hi' }));
  await refused(desk.admin.put(`${path}/trash`));
  await refused(desk.admin.put(`${path}/restore`));
  await refused(desk.admin.delete('/cases/trash', { ids: other.id }), 'ids/0');
  await refused(desk.admin.post(`${path}/tags`, { tags: 'late' }));
  await refused(merge(desk.admin, other, [third.id]));
  await refused(merge(desk.admin, third, [other.id]), 'case_ids/0');
});

test('a merge is refused with itself, in a circle, with a closed or trashed survivor and with a trashed conversation', async (t) => {
  const desk = await open(t);
  const [a, b, c] = [await conversation(desk, 'A'), await conversation(desk, 'B'), await conversation(desk, 'C')];
  const self = await merge(desk.staff, a, [b.id, a.id]);
  self.refused(400, 'FIELD_INVALID', 'case_ids');
  assert.equal(self.body.errors[0].pointer, 'case_ids/1');
  (await merge(desk.staff, a, [b.id, b.id])).refused(400, 'PARAMETERS_INCONSISTENT');
  (await merge(desk.staff, a, [])).refused(400, 'FIELD_EMPTY', 'case_ids');
  (await desk.staff.post(`/cases/${a.id}/merge`, {})).refused(400, 'FIELD_REQUIRED', 'case_ids');
  (await merge(desk.staff, a, Array.from({ length: 101 }, (_, i) => i + 1000))).refused(400, 'FIELD_INVALID', 'case_ids');
  (await merge(desk.staff, a, [b.id])).must(200);
  (await merge(desk.staff, b, [a.id])).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.put(`/cases/${c.id}/trash`)).must(200);
  (await merge(desk.staff, a, [c.id])).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'case_ids');
  (await merge(desk.staff, c, [a.id])).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.put(`/cases/${c.id}/restore`)).must(200);
  await desk.admin.update(`/cases/${c.id}`, { status_id: 5 });
  (await merge(desk.staff, c, [a.id])).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await merge(desk.staff, a, [c.id])).must(200);
});

test('a conversation that the caller can\'t see gets the same answer as one that does not exist, and nothing is merged', async (t) => {
  const desk = await open(t);
  const agent = await desk.person('agent', { agent_case_access: 'SELF' });
  const mine = await conversation(desk, 'Mine', { assigned_agent_id: agent.user.id }), also = await conversation(desk, 'Also', { assigned_agent_id: agent.user.id }),
    hidden = await conversation(desk, 'Hidden');
  const answers = [];
  for (const id of [hidden.id, 99999]) {
    const answer = await merge(agent.client, mine, [also.id, id]);
    answer.refused(404, 'RESOURCE_NOT_FOUND', 'case_ids');
    answers.push(answer.body.errors);
  }
  assert.deepEqual(answers[0], answers[1]);
  assert.equal(answers[0][0].pointer, 'case_ids/1');
  assert.equal((await desk.staff.fetch(`/cases/${also.id}`)).is_merged, false);
  (await merge(agent.client, hidden, [mine.id])).refused(404, 'RESOURCE_NOT_FOUND');
  (await merge(agent.client, mine, [also.id])).must(200);
});

test('merging needs an agent with the permission cases.merge', async (t) => {
  const desk = await open(t);
  const a = await conversation(desk, 'A'), b = await conversation(desk, 'B');
  for (const who of [desk.customer, desk.as('collaborator')]) (await merge(who, a, [b.id])).refused(403, 'PERMISSIONS_DENIED');
  const { id } = await desk.admin.create('/roles', { title: 'No merges', type: 'AGENT' });
  await desk.admin.update(`/roles/${id}/permissions`, { 'cases.merge': false });
  const agent = await desk.person('agent', { role_id: id });
  (await merge(agent.client, a, [b.id])).refused(403, 'PERMISSIONS_DENIED');
  for (const role of ['admin', 'owner']) {
    const other = await conversation(desk, role);
    (await merge(desk.as(role), a, [other.id])).must(200);
  }
});

test('different requesters need force=true, and the other requester becomes a participant who reads nothing', async (t) => {
  const desk = await open(t);
  const other = await desk.person('customer'), survivor = await conversation(desk, 'Engine'), theirs = await conversation(desk, 'Motor', {}, other.user);
  const answer = await merge(desk.staff, survivor, [theirs.id]);
  answer.refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'case_ids');
  assert.equal(answer.body.errors[0].pointer, 'case_ids/0');
  await reply(other.client, theirs, 'Mine');
  (await merge(desk.staff, survivor, [theirs.id], { force: true })).must(200);
  const people = idsOf(await desk.customer.fetch(`/conversations/${survivor.id}/participants`));
  assert.ok(people.includes(other.user.id) && people.includes(desk.people.customer.id));
  for (const path of [`/conversations/${survivor.id}`, `/conversations/${survivor.id}/messages`, `/conversations/${theirs.id}`])
    (await other.client.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual((await other.client.get('/conversations')).must(200).body.total_count, 0);
  assert.equal((await desk.staff.fetch(`/cases/${survivor.id}`)).requester.id, desk.people.customer.id);
  const mine = (await desk.staff.fetch(`/cases/${survivor.id}/posts`, { filters: 'MESSAGES', limit: 100 })).find((p) => p.contents === 'Mine');
  assert.equal(mine.is_requester, false);
});

test('tags are added up to a hundred, and all other properties of the survivor stay', async (t) => {
  const desk = await open(t);
  const many = Array.from({ length: 98 }, (_, i) => `t${String(i).padStart(2, '0')}`);
  const survivor = await conversation(desk, 'Engine', { priority_id: 1, tags: many.join() }), other = await conversation(desk, 'Motor', { priority_id: 4, tags: 't00,x1,x2,x3' });
  const done = await merge(desk.staff, survivor, [other.id]);
  done.must(200);
  assert.equal(done.body.data.priority.id, 1);
  assert.match(done.body.logs[0].message, /1 tags were not added/);
  const tags = (await desk.staff.fetch(`/cases/${survivor.id}/tags`, { limit: 200 })).map((x) => x.name);
  assert.deepEqual([tags.length, tags.includes('x1'), tags.includes('x2'), tags.includes('x3')], [100, true, true, false]);
});

test('no unread message counts as read after a merge', async (t) => {
  const desk = await open(t);
  const survivor = await conversation(desk, 'Engine'), other = await conversation(desk, 'Motor');
  const unread = async (who, talk = survivor) => (await who.fetch(`/conversations/${talk.id}`, { include: 'read_marker' })).read_marker.unread_count;
  const seen = async (who, talk) => {
    const [newest] = await messages(who, talk);
    (await who.put(`/conversations/${talk.id}/messages/${newest.id}`, { message_status: 'SEEN' })).must(200);
  };
  await seen(desk.customer, survivor);
  await seen(desk.customer, other);
  await reply(desk.staff, other, 'Unread answer');
  await reply(desk.staff, survivor, 'Read answer');
  await seen(desk.customer, survivor);
  assert.deepEqual([await unread(desk.customer), await unread(desk.customer, other)], [0, 1]);
  (await merge(desk.staff, survivor, [other.id])).must(200);
  assert.equal(await unread(desk.customer), 2, 'the unread message and the one after it');
  await seen(desk.customer, survivor);
  assert.equal(await unread(desk.customer), 0);
  await reply(desk.staff, survivor, 'One more');
  assert.equal(await unread(desk.customer), 1);
  const [, second] = await messages(desk.admin, survivor);
  (await desk.admin.put(`/conversations/${survivor.id}/messages/${second.id}`, { message_status: 'SEEN' })).must(200);
  assert.equal(await unread(desk.admin), 1);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('the last note and the last message of both decide the preview of the survivor', async (t) => {
  const desk = await open(t);
  const survivor = await conversation(desk, 'Engine'), noted = await conversation(desk, 'Motor'), written = await conversation(desk, 'Wheel');
  await note(desk, noted, 'A note');
  assert.deepEqual([(await merge(desk.staff, survivor, [noted.id])).must(200).data].map((d) => [d.last_post_type, d.last_post_preview, d.last_message_preview]),
    [['NOTE', 'A note', 'Motor stalls']]);
  await reply(desk.customer, written, 'The end');
  const done = (await merge(desk.staff, survivor, [written.id])).must(200).data;
  assert.deepEqual([done.last_post_type, done.last_post_preview, done.last_message_preview], ['PUBLIC', 'The end', 'The end']);
});

test('conversations that were merged earlier follow a survivor that is merged', async (t) => {
  const desk = await open(t);
  const [a, b, c] = [await conversation(desk, 'A'), await conversation(desk, 'B'), await conversation(desk, 'C')];
  (await merge(desk.staff, b, [c.id])).must(200);
  (await merge(desk.staff, a, [b.id])).must(200);
  assert.match((await desk.admin.put(`/cases/${c.id}`, { subject: 'x' })).body.errors[0].message, new RegExp(`conversation ${a.id}\\b`));
  assert.equal((await messages(desk.customer, a)).length, 3);
});

test('the change log and the activities of both conversations name the merge', async (t) => {
  const desk = await open(t);
  const survivor = await conversation(desk, 'Engine'), other = await conversation(desk, 'Motor');
  (await merge(desk.staff, survivor, [other.id])).must(200);
  const log = (await desk.admin.fetch('/changes', { limit: 1000 })).filter((x) => x.resource_type === 'case' && x.property);
  const entry = (id, property) => log.find((x) => x.resource_id === id && x.property === property);
  assert.deepEqual([entry(other.id, 'merged_into').to, entry(survivor.id, 'merged_cases').to, entry(other.id, 'status').to], [`${survivor.id}`, `${other.id}`, '5']);
  assert.equal(entry(other.id, 'state'), undefined);
  const activities = async (talk) => (await desk.staff.fetch(`/cases/${talk.id}/activities`)).flatMap((x) => x.actions.map((y) => y.field));
  assert.ok((await activities(other)).includes('merged_into'));
  assert.ok((await activities(survivor)).includes('merged_cases'));
});

test('a client_id that was used in both conversations does not stop a merge', async (t) => {
  const desk = await open(t);
  const survivor = await conversation(desk, 'Engine'), other = await conversation(desk, 'Motor');
  for (const talk of [survivor, other]) {
    (await desk.customer.post(`/conversations/${talk.id}/messages`, { contents: 'x', client_id: 'c-1' })).must(201);
    (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'n', channel: 'NOTE', client_id: 'n-1' })).must(201);
  }
  (await desk.customer.post(`/conversations/${other.id}/messages`, { contents: 'y', client_id: 'c-2' })).must(201);
  (await merge(desk.staff, survivor, [other.id])).must(200);
  assert.deepEqual((await messages(desk.customer, survivor)).map((m) => m.client_id).filter(Boolean).sort(), ['c-1', 'c-2']);
});

test('a large conversation is merged part by part, and customers never see a total that differs from the items', async (t) => {
  const desk = await open(t, { args: ['--cascade-rows', '4'] });
  const survivor = await conversation(desk, 'Engine'), other = await conversation(desk, 'Motor'), last = await conversation(desk, 'Wheel');
  for (let i = 0; i < 15; i++) await reply(desk.customer, other, `m${i}`);
  for (let i = 0; i < 5; i++) await note(desk, other, `n${i}`);
  const look = async () => {
    const { data, total_count } = (await desk.staff.get(`/cases/${survivor.id}/posts`, { filters: 'MESSAGES,NOTES', limit: 100 })).must(200).body;
    assert.equal(data.length, total_count);
    (await desk.customer.get(`/conversations/${other.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    return total_count;
  };
  (await merge(desk.staff, survivor, [other.id])).must(200);
  assert.ok(await look() < 22, 'the merge needs more than one write');
  assert.equal(desk.check().status, 0, desk.check().stdout);
  (await merge(desk.staff, last, [survivor.id])).must(200); // while posts still move
  await reply(desk.customer, last, 'The newest');
  await desk.kill();
  await desk.start();
  await cascaded(desk);
  const posts = (await desk.staff.get(`/cases/${last.id}/posts`, { filters: 'MESSAGES,NOTES', limit: 100 })).must(200).body;
  assert.deepEqual([posts.total_count, posts.data.length], [24, 24]);
  assert.equal((await desk.staff.fetch(`/cases/${last.id}`)).last_message_preview, 'The newest');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('the activity of a merge that jobs complete stays with the merged conversation', async (t) => {
  const desk = await open(t, { args: ['--cascade-rows', '4'] });
  const survivor = await conversation(desk, 'Engine'), other = await conversation(desk, 'Motor');
  for (let i = 0; i < 12; i++) await desk.staff.update(`/cases/${other.id}`, { subject: `Motor ${i}` });
  (await merge(desk.staff, survivor, [other.id])).must(200);
  await cascaded(desk);
  const fields = async (talk) => (await desk.staff.fetch(`/cases/${talk.id}/activities`, { limit: 100 })).flatMap((x) => x.actions.map((y) => y.field));
  assert.ok((await fields(other)).includes('merged_into'));
  const moved = await fields(survivor);
  assert.deepEqual([moved.includes('merged_into'), moved.filter((field) => field === 'subject').length], [false, 12]);
});

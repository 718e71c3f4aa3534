// Splitting conversations (docs/CONVERSATIONS.md, "Splitting").
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open, raw, relayFor, shared, until } from './lib/index.mjs';
import { mail, receive, token } from './lib/mails.mjs';
import { sql } from './lib/sql.mjs';

const idsOf = (list) => list.map((x) => x.id);
const byId = (a, b) => a - b;

describe('a split', () => {
  const world = shared(async ({ desk }) => {
    await desk.owner.update('/settings', { values: { 'mail.authserv_id': 'mx.desk.example' } });
  });
  const conversation = (extra = {}, requester = world.desk.people.customer) =>
    world.desk.staff.create('/cases', { subject: 'Two things', contents: 'The engine stalls', requester_id: requester.id, ...extra });
  const split = (who, talk, posts, more = {}) => who.post(`/cases/${talk.id}/split`, { post_ids: idsOf(posts), subject: 'The other thing', ...more });
  const said = async (who, talk, contents) => (await who.post(`/conversations/${talk.id}/messages`, { contents })).must(201).data;
  const noted = async (talk, contents, more = {}) => (await world.desk.staff.post(`/cases/${talk.id}/notes`, { contents, ...more })).must(201).data.post;
  const messages = (who, talk) => who.fetch(`/conversations/${talk.id}/messages`, { limit: 100 });
  const checked = () => assert.equal(world.desk.check().status, 0, world.desk.check().stdout);

  test('moves messages and notes with their ids, times and files, and both conversations count what they have', async () => {
    const { desk } = world;
    const talk = await conversation({ priority_id: 4, assigned_agent_id: desk.people.agent.id });
    const file = (await desk.staff.post('/files', raw('text/plain', Buffer.from('abc')), { query: { _filename: 'log.txt' } })).must(201).data;
    const asked = await said(desk.customer, talk, 'And the radio is silent');
    const reply = await said(desk.staff, talk, 'Which radio?');
    const note = await noted(talk, 'He means the old radio', { is_pinned: true, attachment_file_ids: [file.id] });
    const last = await said(desk.customer, talk, 'It is the engine that matters');
    const made = (await split(desk.staff, talk, [asked, reply, note])).must(201).data;
    assert.deepEqual([made.subject, made.requester.id, made.priority.id, made.assigned_agent.id, made.post_count, made.has_notes, made.pinned_notes_count, made.has_attachments],
      ['The other thing', desk.people.customer.id, 4, desk.people.agent.id, 3, true, 1, true]);
    assert.deepEqual([made.last_message_preview, made.last_post_type, made.last_replier.id, made.created_at], ['Which radio?', 'NOTE', desk.people.agent.id, asked.created_at]);
    const rest = await desk.staff.fetch(`/cases/${talk.id}`);
    assert.deepEqual([rest.post_count, rest.has_notes, rest.pinned_notes_count, rest.has_attachments, rest.last_message_preview], [2, false, 0, false, 'It is the engine that matters']);
    assert.deepEqual(idsOf(await messages(desk.customer, made)).sort(byId), [asked.id, reply.id]);
    assert.deepEqual(idsOf(await messages(desk.customer, talk))[0], last.id);
    (await desk.customer.get(`/conversations/${talk.id}/messages/${asked.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.get(`/cases/${talk.id}/notes/${note.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.deepEqual((await desk.staff.fetch(`/cases/${made.id}/notes/${note.id}`, { include: 'attachment' })).attachments.map((a) => a.name), ['log.txt']);
    checked();
  });

  test('is an activity of both, each with a reference to the other', async () => {
    const { desk } = world;
    const talk = await conversation(), asked = await said(desk.customer, talk, 'The radio');
    const made = (await split(desk.staff, talk, [asked])).must(201).data;
    const change = async (of, field) => (await desk.staff.fetch(`/cases/${of.id}/activities`)).flatMap((a) => a.actions).find((c) => c.field === field);
    assert.deepEqual([(await change(talk, 'split_into')).new_object.id, (await change(made, 'split_from')).new_object.id], [made.id, talk.id]);
    assert.equal((await change(talk, 'split_into')).new_object.resource_type, 'case');
  });

  test('keeps what people have read', async () => {
    const { desk } = world;
    const talk = await conversation(), asked = await said(desk.customer, talk, 'The radio');
    const seen = async (of) => (await desk.staff.fetch(`/cases/${of.id}`, { fields: '+read_marker', include: 'read_marker' })).read_marker;
    await desk.staff.update(`/cases/${talk.id}/read`, {});
    await said(desk.customer, talk, 'Not read yet');
    const made = (await split(desk.staff, talk, [asked])).must(201).data;
    assert.deepEqual([(await seen(talk)).last_read_post_id, (await seen(made)).unread_count], [(await messages(desk.staff, talk)).at(-1).id, 0]);
    assert.equal((await seen(talk)).unread_count, 1);
    checked();
  });

  test('gives another requester, who wrote the first message that moves, only what the caller says', async () => {
    const { desk } = world;
    const other = await desk.person('customer');
    const talk = await conversation(), address = { to: `desk+${token(desk, 'c', talk.id)}@example.com` };
    sql(desk, `INSERT INTO case_participants (case_id, user_id) VALUES (${talk.id}, ${other.id})`);
    const row = await receive(desk, mail({ From: other.email }, 'My own matter\r\n'), address);
    assert.equal(row.status, 'SUCCESS', row.reason);
    const theirs = { id: row.post_id }, reply = await said(desk.staff, talk, 'Noted');
    (await split(desk.staff, talk, [theirs], { requester_id: desk.people.agent.id })).refused(400, 'FIELD_INVALID', 'requester_id');
    (await split(desk.staff, talk, [theirs, reply], { requester_id: other.id })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'requester_id');
    (await split(desk.staff, talk, [reply], { requester_id: other.id, force: true })).refused(400, 'FIELD_INVALID', 'requester_id');
    const made = (await split(desk.staff, talk, [theirs, reply], { requester_id: other.id, force: true })).must(201).data;
    assert.deepEqual(idsOf(await messages(other.client, made)).sort(byId), [theirs.id, reply.id]);
    (await desk.customer.get(`/conversations/${made.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await other.client.get(`/conversations/${talk.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    checked();
  });

  test('is refused without a message that stays, with posts of others, in a closed or trashed conversation, and by those who may not', async () => {
    const { desk } = world;
    const talk = await conversation(), first = (await messages(desk.staff, talk))[0], second = await said(desk.customer, talk, 'And'), note = await noted(talk, 'Hm');
    const others = await conversation(), foreign = (await messages(desk.staff, others))[0];
    (await split(desk.staff, talk, [first, second, note])).refused(400, 'FIELD_INVALID', 'post_ids');
    const unknown = await split(desk.staff, talk, [second, foreign, { id: 987654321 }]);
    unknown.refused(404, 'RESOURCE_NOT_FOUND', 'post_ids');
    assert.deepEqual(unknown.body.errors.map((e) => e.pointer), ['post_ids/1', 'post_ids/2']);
    (await desk.staff.post(`/cases/${talk.id}/split`, { post_ids: [second.id] })).refused(400, 'FIELD_REQUIRED', 'subject');
    (await desk.staff.post(`/cases/${talk.id}/split`, { subject: 'x' })).refused(400, 'FIELD_REQUIRED', 'post_ids');
    (await split(desk.staff, talk, Array.from({ length: 101 }, (_, i) => ({ id: i + 1 })))).refused(400, 'FIELD_INVALID', 'post_ids');
    (await split(desk.customer, talk, [second])).refused(403, 'PERMISSIONS_DENIED');
    const narrow = await desk.person('agent', { agent_case_access: 'SELF' });
    (await split(narrow.client, talk, [second])).refused(404, 'RESOURCE_NOT_FOUND');
    const role = await desk.owner.create('/roles', { title: 'Whole', type: 'AGENT' }), whole = await desk.person('agent', { role_id: role.id });
    await desk.owner.update(`/roles/${role.id}/permissions`, { 'cases.split': false });
    (await split(whole.client, talk, [second])).refused(403, 'PERMISSIONS_DENIED');
    (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
    (await split(desk.staff, talk, [second])).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.staff.put(`/cases/${talk.id}/restore`)).must(200);
    await desk.admin.update(`/cases/${talk.id}`, { status_id: 5 });
    (await split(desk.staff, talk, [second])).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    assert.equal((await messages(desk.staff, talk)).length, 2, 'nothing moved');
  });

  test('of notes alone makes a conversation whose requester reads none of them', async () => {
    const { desk } = world;
    const talk = await conversation(), note = await noted(talk, 'Ask the factory');
    const made = (await split(desk.staff, talk, [note])).must(201).data;
    assert.deepEqual([made.post_count, made.last_post_preview], [1, 'Ask the factory']);
    assert.deepEqual(await messages(desk.customer, made), []);
    (await split(desk.staff, made, [note])).refused(400, 'FIELD_INVALID', 'post_ids');
    checked();
  });

  test('counts a reply from the first message that moved, and a search finds posts where they are now', async () => {
    const { desk } = world;
    const talk = await conversation();
    await desk.clock.forward(3_600_000);
    const asked = await said(desk.customer, talk, 'The xylophone is silent');
    await desk.clock.forward(60_000);
    const reply = await said(desk.staff, talk, 'Which one?');
    const found = async () => idsOf((await desk.staff.get('/search', { query: 'xylophone' })).must(200).data);
    await until('the search to find it', async () => (await found()).length === 1, { within: 20_000 });
    const made = (await split(desk.staff, talk, [asked, reply])).must(201).data;
    assert.deepEqual(await found(), [made.id]);
    assert.equal(sql(desk, `SELECT agent_message_count || ' ' || requester_message_count FROM cases WHERE id = ${made.id}`).trim(), '1 1');
    checked();
  });
});

test('answers by mail follow the message that they answer', async (t) => {
  const desk = await open(t), to = await relayFor(t, desk);
  await desk.owner.update('/settings', { values: { 'mail.subject_tokens': true } });
  const talk = await desk.staff.create('/cases', { subject: 'Two things', contents: 'The engine stalls', requester_id: desk.people.customer.id });
  const send = async (contents) => [(await desk.staff.post(`/cases/${talk.id}/reply`, { contents, channel: 'MAIL' })).must(201).data.posts[0], await to.mail()];
  const [stays, stayed] = await send('About the engine'), [moves, moved] = await send('About the radio');
  const plus = { to: `desk+${token(desk, 'c', talk.id)}@example.com` };
  const own = await receive(desk, mail({ From: desk.people.customer.email, 'Message-ID': '<own.radio@people.example>', 'In-Reply-To': moved.header('Message-ID') }, 'The radio hums\r\n'), plus);
  assert.deepEqual([own.status, own.case_id], ['SUCCESS', talk.id]);
  const made = (await desk.staff.post(`/cases/${talk.id}/split`, { post_ids: [moves.id, own.post_id], subject: 'The radio' })).must(201).data;
  const answer = async (headers, envelope = plus) => (await receive(desk, mail({ From: desk.people.customer.email, ...headers }, `${Math.random()}\r\n`), envelope)).case_id;
  assert.equal(await answer({ 'In-Reply-To': moved.header('Message-ID') }), made.id, 'a letter that moved');
  assert.equal(await answer({ 'In-Reply-To': moved.header('Message-ID') }, {}), made.id, 'without an address for replies');
  assert.equal(await answer({ 'In-Reply-To': '<own.radio@people.example>' }), made.id, 'an own mail that moved');
  assert.equal(await answer({ References: `${moved.header('Message-ID')} ${stayed.header('Message-ID')}`, 'In-Reply-To': stayed.header('Message-ID') }), talk.id, 'the newest decides');
  assert.equal(await answer({ 'In-Reply-To': stayed.header('Message-ID') }), talk.id);
  assert.equal(await answer({}), talk.id);
  const foreign = await desk.staff.create('/cases', { subject: 'Foreign', contents: 'x', requester_id: desk.people.admin.id });
  await desk.staff.post(`/cases/${foreign.id}/reply`, { contents: 'Secret', channel: 'MAIL' });
  const letter = await to.mail();
  assert.equal(await answer({ 'In-Reply-To': letter.header('Message-ID') }), talk.id, 'a Message-ID alone opens no other conversation');
  (await desk.staff.post(`/cases/${talk.id}/merge`, { case_ids: [made.id] })).must(200);
  await until('the merge', () => desk.sql(`SELECT COUNT(*) FROM posts WHERE case_id = ${made.id}`).trim() === '0');
  assert.equal(await answer({ 'In-Reply-To': moved.header('Message-ID') }), talk.id, 'back after a merge');
});

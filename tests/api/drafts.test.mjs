// Drafts of replies, notes and new conversations (docs/CONVERSATIONS.md, "Drafts").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, cascaded, clean, open, opened, until, uploaded } from './lib/index.mjs';
import { apiToken } from './lib/tokens.mjs';
import { sql } from './lib/sql.mjs';

const NOTE = { query: { channel: 'NOTE' } };
const match = (etag) => ({ headers: { 'If-Match': etag } });
const save = (who, id, contents, more = {}, options = {}) => who.put(`/cases/${id}/draft`, { contents, ...more }, options);
const at = (id) => `/cases/${id}/draft`;
/** The sweeper runs at the start. */
const swept = async (desk, what, is) => {
  await desk.restart();
  await until(what, is);
};
const listed = async (who, query) => (await who.fetch('/profile/drafts', query)).map((d) => [d.case.id, d.channel]);

test('a draft is saved, read, replaced and deleted, each channel by itself', async (t) => {
  const desk = await open(t), { staff } = desk, one = await opened(desk);
  (await staff.get(at(one.id))).refused(404, 'RESOURCE_NOT_FOUND');
  const first = (await save(staff, one.id, 'Have you', { base_post_id: 7, parameters: { status_id: 3, channel_options: { cc: ['ada@example.com'] } } })).must(200);
  assert.deepEqual([first.data.case.id, first.data.channel, first.data.base_post_id, first.data.contents], [one.id, 'REPLY', 7, undefined]);
  (await save(staff, one.id, 'For us', {}, NOTE)).must(200);
  const read = (await staff.get(at(one.id))).must(200);
  assert.deepEqual([read.etag, read.data.contents, read.data.parameters, read.data.attachment_file_ids],
    [first.etag, 'Have you', { status_id: 3, channel_options: { cc: ['ada@example.com'] } }, null]);
  assert.equal(read.data.resource_url, `${desk.base}/api/v1${at(one.id)}`);
  const note = (await staff.get(at(one.id), { channel: 'note' })).must(200);
  assert.equal(note.data.contents, 'For us');
  assert.equal((await staff.get(note.data.resource_url.slice(desk.base.length))).must(200).etag, note.etag);
  assert.equal((await staff.get(at(one.id), {}, { 'If-None-Match': read.etag })).status, 304);

  const second = (await save(staff, one.id, 'Have you tried', {}, match(first.etag))).must(200);
  assert.notEqual(second.etag, first.etag);
  const now = await staff.fetch(at(one.id));
  assert.deepEqual([now.contents, now.parameters, now.base_post_id, now.created_at], ['Have you tried', null, null, first.data.created_at]);
  assert.deepEqual(await listed(staff), [[one.id, 'REPLY'], [one.id, 'NOTE']]);

  (await staff.delete(at(one.id), {}, { 'If-Match': first.etag })).refused(412, 'RESOURCE_MODIFIED');
  (await staff.delete(at(one.id), {}, { 'If-Match': second.etag })).must(200);
  (await staff.delete(at(one.id))).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual(await listed(staff), [[one.id, 'NOTE']]);
  clean(desk);
});

test('a draft is overwritten only by a request that names it, and a repeated PUT succeeds', async (t) => {
  const desk = await open(t), { staff } = desk, one = await opened(desk);
  const tab = (await save(staff, one.id, 'First tab')).must(200).etag;
  assert.equal((await save(staff, one.id, 'First tab')).must(200).etag, tab, 'the same again changes nothing');
  (await save(staff, one.id, 'Second tab')).refused(412, 'RESOURCE_MODIFIED');
  (await save(staff, one.id, 'Second tab', {}, { headers: { 'If-None-Match': '*' } })).refused(412, 'RESOURCE_MODIFIED');
  (await save(staff, one.id, 'Second tab', {}, { headers: { 'If-Unmodified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' } })).refused(412, 'RESOURCE_MODIFIED');
  const other = (await save(staff, one.id, 'Second tab', {}, match('*'))).must(200).etag;
  (await save(staff, one.id, 'First tab goes on', {}, match(tab))).refused(412, 'RESOURCE_MODIFIED');
  assert.equal((await save(staff, one.id, 'Second tab', {}, match(tab))).must(200).etag, other, 'the reply of the first PUT was lost');
  assert.equal((await staff.fetch(at(one.id))).contents, 'Second tab');
  (await save(staff, one.id, '', {}, match(tab))).refused(412, 'RESOURCE_MODIFIED');
  assert.equal((await save(staff, one.id, ' \n ', {}, match(other))).must(200).data, undefined);
  (await save(staff, one.id, '', {}, match(other))).must(200);
  (await staff.get(at(one.id))).refused(404, 'RESOURCE_NOT_FOUND');
  (await save(staff, one.id, 'Gone', {}, match(other))).refused(412, 'RESOURCE_MODIFIED');
  (await save(staff, one.id, 'New', {}, { headers: { 'If-None-Match': '*' } })).must(200);
});

test('of writers side by side each overwrites only what it has seen', async (t) => {
  const desk = await open(t), { staff } = desk, one = await opened(desk);
  const made = await Promise.all([...'abcdefgh'].map((text) => save(staff, one.id, text, {}, { headers: { 'If-None-Match': '*' } })));
  assert.equal(made.filter((reply) => reply.status === 200).length, 1);
  let { etag, data } = (await staff.get(at(one.id))).must(200);
  for (let round = 0; round < 5; round++) {
    const replies = await Promise.all([...'abcdefgh'].map((text) => save(staff, one.id, `${round}${text}`, {}, match(etag))));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)]);
    const winner = replies.findIndex(({ status }) => status === 200);
    ({ etag, data } = (await staff.get(at(one.id))).must(200));
    assert.deepEqual([etag, data.contents], [replies[winner].etag, `${round}${'abcdefgh'[winner]}`]);
  }
});

test('a draft has limits, and wrong values are named', async (t) => {
  const desk = await open(t), { staff } = desk, one = await opened(desk);
  (await staff.put(at(one.id), {})).refused(400, 'FIELD_REQUIRED', 'contents');
  (await save(staff, one.id, 'x'.repeat(65537))).refused(400, 'FIELD_INVALID', 'contents');
  (await save(staff, one.id, 'x', { parameters: { a: 'x'.repeat(8192) } })).refused(400, 'FIELD_INVALID', 'parameters');
  (await save(staff, one.id, 'x', { parameters: 'cc' })).refused(400, 'FIELD_INVALID', 'parameters');
  (await save(staff, one.id, 'x', { base_post_id: 0 })).refused(400, 'FIELD_INVALID', 'base_post_id');
  (await save(staff, one.id, 'x', { attachment_file_ids: [987654] })).refused(400, 'FIELD_INVALID', 'attachment_file_ids');
  (await save(staff, one.id, 'x', {}, { query: { channel: 'MAIL' } })).refused(400, 'FIELD_INVALID', 'channel');
  (await save(staff, 987654, 'x')).refused(404, 'RESOURCE_NOT_FOUND');
  (await staff.get(at(987654))).refused(404, 'RESOURCE_NOT_FOUND');
  (await staff.get(at(one.id))).refused(404, 'RESOURCE_NOT_FOUND');
  (await save(staff, one.id, 'ä'.repeat(65536))).must(200);
  assert.equal((await staff.fetch(at(one.id))).contents.length, 65536);
});

test('only its writer sees a draft, and only while the conversation is seen', async (t) => {
  const desk = await open(t), { staff, owner } = desk;
  const team = (await owner.create('/teams', { title: 'Line' })).id;
  const writer = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team] });
  const one = await opened(desk, { assigned_team_id: team });
  const before = await owner.fetch(`/cases/${one.id}`);
  const log = await owner.total(`/cases/${one.id}/activities`);
  const changes = (await owner.get('/changes', { limit: 1000 })).must(200).data.length;
  const { etag } = (await save(writer.client, one.id, 'Secret')).must(200);
  (await save(writer.client, one.id, 'Secret 2', {}, match(etag))).must(200);
  for (const other of [staff, owner, desk.admin, desk.as('collaborator')]) {
    (await other.get(at(one.id))).refused(404, 'RESOURCE_NOT_FOUND');
    (await other.delete(at(one.id))).refused(404, 'RESOURCE_NOT_FOUND');
    (await save(other, one.id, 'x', {}, match('*'))).refused(412, 'RESOURCE_MODIFIED');
    assert.deepEqual(await listed(other), []);
    assert.equal((await other.get('/profile/drafts', { ids: '1,2,3' })).must(200).body.total_count, 0);
  }
  for (const method of ['get', 'put', 'delete']) (await desk.customer[method](at(one.id), method === 'put' ? { contents: 'x' } : {})).refused(403, 'PERMISSIONS_DENIED');
  (await desk.customer.get('/profile/drafts')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get('/profile/drafts')).refused(401, 'AUTHORIZATION_REQUIRED');

  assert.deepEqual(await owner.fetch(`/cases/${one.id}`), before, 'the conversation is as before');
  assert.equal(await owner.total(`/cases/${one.id}/activities`), log);
  assert.equal((await owner.get('/changes', { limit: 1000 })).must(200).data.length, changes);

  const draft = (await writer.client.fetch('/profile/drafts'))[0].id;
  const hidden = async () => {
    (await writer.client.get(at(one.id))).refused(404, 'RESOURCE_NOT_FOUND');
    (await writer.client.delete(at(one.id))).refused(404, 'RESOURCE_NOT_FOUND');
    (await save(writer.client, one.id, 'x', {}, match('*'))).refused(404, 'RESOURCE_NOT_FOUND');
    for (const query of [{}, { ids: draft }, { case_ids: one.id }, { after_id: 1 }]) assert.deepEqual(await listed(writer.client, query), []);
    assert.equal((await writer.client.get('/profile/drafts')).body.total_count, 0);
  };
  await owner.update(`/users/${writer.id}`, { team_ids: [] });
  await hidden();
  await owner.update(`/users/${writer.id}`, { team_ids: [team] });
  assert.equal((await writer.client.fetch(at(one.id))).contents, 'Secret 2');
  await owner.update(`/users/${writer.id}`, { agent_case_access: 'SELF' });
  await hidden();
  await owner.update(`/users/${writer.id}`, { agent_case_access: 'ALL' });
  assert.deepEqual(await listed(writer.client), [[one.id, 'REPLY']]);
});

test('a token needs the scope of conversations', async (t) => {
  const desk = await open(t), one = await opened(desk);
  const token = async (...scopes) => (await apiToken(desk, desk.staff, { scopes })).client;
  const users = await token('users:write'), reader = await token('conversations:read'), writer = await token('conversations:write');
  for (const path of [at(one.id), '/profile/drafts']) (await users.get(path)).refused(403, 'PERMISSIONS_DENIED');
  (await save(reader, one.id, 'x')).refused(403, 'PERMISSIONS_DENIED');
  (await save(writer, one.id, 'x')).must(200);
  assert.equal((await desk.staff.fetch(at(one.id))).contents, 'x');
});

test('a reply or note deletes the draft that it names, and no newer one', async (t) => {
  const desk = await open(t), { staff } = desk, one = await opened(desk);
  const reply = (await save(staff, one.id, 'A reply')).must(200).etag, note = (await save(staff, one.id, 'A note', {}, NOTE)).must(200).etag;
  await staff.create(`/cases/${one.id}/reply`, { contents: 'Other' });
  await staff.create(`/cases/${one.id}/reply`, { contents: 'Other', channel: 'NOTE', draft_etag: reply });
  await staff.create(`/cases/${one.id}/notes`, { contents: 'Other', draft_etag: 'unknown' });
  assert.equal((await listed(staff)).length, 2, 'nothing was named');
  await desk.admin.create(`/cases/${one.id}/notes`, { contents: 'Of somebody else', draft_etag: '*' });
  assert.equal((await listed(staff)).length, 2);
  const newer = (await save(staff, one.id, 'A reply, longer', {}, match(reply))).must(200).etag;
  await staff.create(`/cases/${one.id}/reply`, { contents: 'A reply', draft_etag: reply });
  assert.equal((await staff.fetch(at(one.id))).contents, 'A reply, longer', 'a newer draft stays');
  (await staff.post(`/cases/${one.id}/reply`, { contents: 'A reply', draft_etag: newer, last_seen_post_id: 1, in_reply_to_uuid: 'x' })).refused(400, 'FIELD_INVALID', 'in_reply_to_uuid');
  assert.equal((await listed(staff)).length, 2, 'a refused reply deletes nothing');
  await staff.create(`/cases/${one.id}/reply`, { contents: 'A reply, longer', draft_etag: newer });
  assert.deepEqual(await listed(staff), [[one.id, 'NOTE']]);
  await staff.create(`/cases/${one.id}/notes`, { contents: 'A note', draft_etag: note });
  assert.deepEqual(await listed(staff), []);
  (await save(staff, one.id, 'A note', {}, NOTE)).must(200);
  await staff.create(`/cases/${one.id}/reply`, { contents: 'A note', channel: 'NOTE', draft_etag: '*' });
  assert.deepEqual(await listed(staff), []);
});

test('drafts are listed newest first, with keys, and the oldest beyond the limit are deleted', async (t) => {
  const desk = await open(t), { staff } = desk;
  const cases = [];
  for (let i = 0; i < 4; i++) {
    cases.push((await opened(desk)).id);
    (await save(staff, cases[i], `Draft ${i}`)).must(200);
    await desk.clock.forward(1);
  }
  (await save(staff, cases[0], 'Draft 0 again', {}, match('*'))).must(200);
  const order = [cases[0], cases[3], cases[2], cases[1]];
  assert.deepEqual((await listed(staff)).map(([id]) => id), order);
  const page = (await staff.get('/profile/drafts', { limit: 2 })).must(200);
  const rest = (await staff.get('/profile/drafts', { limit: 2, after_id: page.ids[1] })).must(200);
  assert.deepEqual([...page.data, ...rest.data].map((d) => d.case.id), order);
  assert.equal(page.data[0].contents, undefined);
  const texts = await staff.fetch('/profile/drafts', { case_ids: cases[2], fields: '+contents,+parameters' });
  assert.deepEqual(texts.map(({ contents, parameters }) => [contents, parameters]), [['Draft 2', null]]);
  const me = (await staff.fetch('/profile')).id;
  sql(desk, `INSERT INTO drafts (user_id, case_id, channel, created_at, updated_at, contents) SELECT ${me}, c.id, 2, 1, n.n, 'old' FROM cases c, (SELECT 1 AS n) n WHERE c.id IN (${cases})`);
  sql(desk, `INSERT INTO drafts (user_id, case_id, channel, created_at, updated_at, contents) SELECT ${me}, ${cases[0]}, n.id + 10, 1, 9999999999990 + n.id, 'filler' FROM (${Array.from({ length: 194 }, (_, i) => `SELECT ${i} AS id`).join(' UNION ALL ')}) n`);
  const more = (await opened(desk)).id;
  (await save(staff, more, 'One more')).must(200);
  assert.equal(sql(desk, `SELECT COUNT(*) FROM drafts WHERE user_id = ${me}`).trim(), '200');
  assert.equal(sql(desk, `SELECT COUNT(*) FROM drafts WHERE user_id = ${me} AND channel = 2`).trim(), '1', 'three of the oldest went');
});

test('a draft is deleted 90 days after its last change, and its files stay until then', async (t) => {
  const desk = await open(t), { staff } = desk, one = await opened(desk), two = await opened(desk);
  const file = await uploaded(staff), loose = await uploaded(staff);
  const { etag } = (await save(staff, one.id, '', { attachment_file_ids: [file.id] })).must(200);
  (await save(staff, two.id, 'Old')).must(200);
  assert.deepEqual((await staff.fetch(at(one.id))).attachment_file_ids, [file.id]);
  await desk.clock.forward(2 * DAY);
  await swept(desk, 'the loose file is gone', async () => (await staff.get(`/files/${loose.id}`)).status === 404);
  assert.equal((await save(staff, one.id, 'With a file', { attachment_file_ids: [file.id] }, match(etag))).must(200).data.attachment_file_ids[0], file.id);
  await desk.clock.forward(88 * DAY);
  await swept(desk, 'the old draft is gone', async () => (await listed(staff)).length === 1);
  await staff.create(`/cases/${one.id}/reply`, { contents: 'With a file', attachment_file_ids: [file.id], draft_etag: '*' });
  assert.deepEqual(await listed(staff), []);
  const kept = await uploaded(staff);
  (await save(staff, two.id, 'x', { attachment_file_ids: [kept.id] })).must(200);
  (await save(staff, two.id, '', {}, match('*'))).must(200);
  await desk.clock.forward(DAY);
  await swept(desk, 'the file of a deleted draft is gone', async () => (await staff.get(`/files/${kept.id}`)).status === 404);
  clean(desk);
});

test('a draft stays with a conversation in the trash and after a merge, and goes with a deleted one', async (t) => {
  const desk = await open(t), { staff, owner } = desk;
  const [one, two] = [await opened(desk), await opened(desk)];
  (await save(staff, one.id, 'Text')).must(200);
  await owner.update(`/cases/${one.id}/trash`, {});
  assert.equal((await staff.fetch(at(one.id))).contents, 'Text');
  (await save(staff, one.id, 'Text goes on', {}, match('*'))).must(200);
  await owner.update(`/cases/${one.id}/restore`, {});
  (await owner.post(`/cases/${two.id}/merge`, { case_ids: [one.id] })).must(200);
  assert.equal((await staff.fetch(at(one.id))).contents, 'Text goes on');
  assert.deepEqual(await listed(staff), [[one.id, 'REPLY']]);
  await owner.update(`/cases/${two.id}/trash`, {});
  (await owner.delete('/cases/trash', { ids: two.id }));
  await cascaded(desk);
  await until('the drafts are gone', async () => (await listed(staff)).length === 0 && sql(desk, 'SELECT COUNT(*) FROM drafts').trim() === '0');
  clean(desk);
});

// ---- the draft of a new conversation ------------------------------------------------------------

const NEW = '/cases/draft';
const begin = (who, body, options = {}) => who.put(NEW, { contents: '', ...body }, options);

test('the draft of a new conversation is saved, read, replaced and deleted', async (t) => {
  const desk = await open(t), { staff } = desk, requester = desk.customer.id ?? (await desk.customer.fetch('/profile')).id;
  (await staff.get(NEW)).refused(404, 'RESOURCE_NOT_FOUND');
  (await staff.delete(NEW)).refused(404, 'RESOURCE_NOT_FOUND');
  const parameters = { subject: 'Spare parts', priority_id: 2, channel_options: { html: true } };
  const first = (await begin(staff, { contents: 'We have', requester_id: requester, parameters })).must(200);
  assert.deepEqual([first.data.requester_id, first.data.attachment_file_ids, first.data.contents, first.data.resource_url], [requester, null, undefined, `${desk.base}/api/v1${NEW}`]);
  const read = (await staff.get(NEW)).must(200);
  assert.deepEqual([read.etag, read.data.contents, read.data.parameters, read.data.requester_id], [first.etag, 'We have', parameters, requester]);
  assert.equal((await staff.get(NEW, {}, { 'If-None-Match': read.etag })).status, 304);
  assert.deepEqual(await listed(staff), [], 'the list has the drafts of conversations');

  assert.equal((await begin(staff, { contents: 'We have', requester_id: requester, parameters })).must(200).etag, first.etag, 'the same again changes nothing');
  for (const body of [{ contents: 'We', requester_id: requester, parameters }, { contents: 'We have', parameters }, { contents: 'We have', requester_id: requester }]) {
    (await begin(staff, body)).refused(412, 'RESOURCE_MODIFIED');
    (await begin(staff, body, { headers: { 'If-None-Match': '*' } })).refused(412, 'RESOURCE_MODIFIED');
  }
  const second = (await begin(staff, { requester_id: requester }, match(first.etag))).must(200);
  assert.notEqual(second.etag, first.etag);
  const now = await staff.fetch(NEW);
  assert.deepEqual([now.contents, now.parameters, now.requester_id, now.created_at], ['', null, requester, first.data.created_at], 'a requester alone is kept');
  (await begin(staff, { contents: 'Late' }, match(first.etag))).refused(412, 'RESOURCE_MODIFIED');
  (await staff.delete(NEW, {}, { 'If-Match': first.etag })).refused(412, 'RESOURCE_MODIFIED');
  const third = (await begin(staff, { parameters: { subject: 'x' } }, match(second.etag))).must(200);
  (await begin(staff, { contents: ' \n' }, match(second.etag))).refused(412, 'RESOURCE_MODIFIED');
  assert.equal((await begin(staff, { contents: ' \n' }, match(third.etag))).must(200).data, undefined);
  (await staff.get(NEW)).refused(404, 'RESOURCE_NOT_FOUND');
  (await begin(staff, { contents: '' })).must(200);
  (await begin(staff, { contents: 'Gone' }, match(third.etag))).refused(412, 'RESOURCE_MODIFIED');
  const made = await Promise.all([...'abcdef'].map((contents) => begin(staff, { contents }, { headers: { 'If-None-Match': '*' } })));
  assert.equal(made.filter(({ status }) => status === 200).length, 1, 'of writers side by side one makes it');
  (await staff.delete(NEW, {}, match('*').headers)).must(200);
  clean(desk);
});

test('only its writer sees the draft of a new conversation, and agents and above may have one', async (t) => {
  const desk = await open(t), { staff, owner } = desk, collaborator = desk.as('collaborator');
  const one = await opened(desk), changes = (await owner.get('/changes', { limit: 1000 })).must(200).data.length;
  const { etag } = (await begin(staff, { contents: 'Secret' })).must(200);
  for (const other of [owner, desk.admin]) {
    (await other.get(NEW)).refused(404, 'RESOURCE_NOT_FOUND');
    (await other.delete(NEW)).refused(404, 'RESOURCE_NOT_FOUND');
    (await begin(other, { contents: 'x' }, match(etag))).refused(412, 'RESOURCE_MODIFIED');
    (await begin(other, { contents: 'Own' })).must(200);
    await other.create('/cases', { requester_id: one.requester.id, subject: 'x', contents: 'x', draft_etag: etag });
  }
  for (const method of ['get', 'put', 'delete']) {
    for (const who of [desk.customer, collaborator]) (await who[method](NEW, method === 'put' ? { contents: 'x' } : {})).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone[method](NEW, method === 'put' ? { contents: 'x' } : {})).refused(401, 'AUTHORIZATION_REQUIRED');
  }
  assert.equal((await staff.fetch(NEW)).contents, 'Secret');
  const log = (await owner.get('/changes', { limit: 1000 })).must(200).data.filter((change) => /draft/.test(JSON.stringify(change)));
  assert.deepEqual([log, changes > 0], [[], true], 'no change is recorded');
  const token = async (...scopes) => (await apiToken(desk, staff, { scopes })).client;
  (await (await token('users:write')).get(NEW)).refused(403, 'PERMISSIONS_DENIED');
  (await begin(await token('conversations:read'), { contents: 'x' })).refused(403, 'PERMISSIONS_DENIED');
  assert.equal((await (await token('conversations:read')).fetch(NEW)).contents, 'Secret');
});

test('the draft of a new conversation has limits, and wrong values are named', async (t) => {
  const { staff } = await open(t);
  (await staff.put(NEW, {})).refused(400, 'FIELD_REQUIRED', 'contents');
  (await begin(staff, { contents: 'x'.repeat(65537) })).refused(400, 'FIELD_INVALID', 'contents');
  (await begin(staff, { parameters: { subject: 'x'.repeat(8192) } })).refused(400, 'FIELD_INVALID', 'parameters');
  (await begin(staff, { parameters: 'Spare parts' })).refused(400, 'FIELD_INVALID', 'parameters');
  (await begin(staff, { requester_id: 0 })).refused(400, 'FIELD_INVALID', 'requester_id');
  (await begin(staff, { attachment_file_ids: [987654] })).refused(400, 'FIELD_INVALID', 'attachment_file_ids');
  (await staff.get(NEW)).refused(404, 'RESOURCE_NOT_FOUND');
  (await begin(staff, { requester_id: 987654 })).must(200);
  assert.equal((await staff.fetch(NEW)).requester_id, 987654, 'the person is checked when the conversation is opened');
});

test('opening a conversation deletes the draft that it names, and no newer one', async (t) => {
  const desk = await open(t), { staff } = desk, requester_id = (await opened(desk)).requester.id;
  const { etag } = (await begin(staff, { contents: 'We have', requester_id })).must(200);
  const made = (draft_etag, more = {}) => staff.post('/cases', { requester_id, subject: 'Spare parts', contents: 'We have', ...(draft_etag ? { draft_etag } : {}), ...more });
  (await made()).must(201);
  (await made('unknown')).must(201);
  const newer = (await begin(staff, { contents: 'We have them', requester_id }, match(etag))).must(200).etag;
  const one = (await made(etag)).must(201).data;
  assert.equal((await staff.fetch(NEW)).contents, 'We have them', 'a newer draft stays');
  await staff.create(`/cases/${one.id}/notes`, { contents: 'x', draft_etag: newer });
  (await made(newer, { subject: '' })).refused(400, 'FIELD_EMPTY', 'subject');
  (await staff.put(`/cases/${one.id}`, { subject: 'y', draft_etag: newer }));
  assert.equal((await staff.fetch(NEW)).contents, 'We have them', 'no other write deletes it');
  (await made(newer)).must(201);
  (await staff.get(NEW)).refused(404, 'RESOURCE_NOT_FOUND');
  (await begin(staff, { contents: 'Another' })).must(200);
  (await made('*')).must(201);
  (await staff.get(NEW)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('the draft of a new conversation is deleted 90 days after its last change, and its files stay until then', async (t) => {
  const desk = await open(t), { staff } = desk, file = await uploaded(staff);
  (await begin(staff, { attachment_file_ids: [file.id] })).must(200);
  await desk.clock.forward(2 * DAY);
  await desk.restart();
  assert.deepEqual((await staff.fetch(NEW)).attachment_file_ids, [file.id]);
  assert.equal((await staff.get(`/files/${file.id}`)).status, 200);
  await desk.clock.forward(89 * DAY);
  await swept(desk, 'the draft is gone', async () => (await staff.get(NEW)).status === 404);
});

test('a shared draft is read and taken by people of staff who see the conversation, and by nobody else', async (t) => {
  const desk = await open(t), { staff } = desk, one = await opened(desk), shared = (id) => `/cases/${one.id}/drafts/${id}`;
  const mira = await desk.person('agent', { agent_case_access: 'ALL' }), narrow = await desk.person('agent', { agent_case_access: 'TEAMS' });
  await staff.update(`/cases/${one.id}`, { assigned_team_id: (await desk.owner.create('/teams', { title: 'Others' })).id });
  const { id: file } = await uploaded(staff);
  const secret = (await save(staff, one.id, 'Not yet', {}, NOTE)).must(200);
  assert.equal(secret.data.is_shared, false);
  const first = (await save(staff, one.id, 'Have you', { is_shared: true, attachment_file_ids: [file], base_post_id: 7 })).must(200).data;
  assert.deepEqual([first.is_shared, first.resource_url], [true, `${desk.base}/api/v1${shared(first.id)}`]);

  assert.deepEqual((await mira.client.fetch(`/cases/${one.id}/drafts`)).map((d) => d.id), [first.id]);
  assert.equal((await staff.fetch(`/cases/${one.id}/drafts`)).length, 2);
  assert.deepEqual(await listed(mira.client), [], 'the list of the own drafts has no others');
  const read = await mira.client.fetch(shared(first.id));
  assert.deepEqual([read.contents, read.user.id, read.attachment_file_ids], ['Have you', (await staff.get('/me')).data.id, [file]]);
  (await mira.client.get(shared(secret.data.id))).refused(404, 'RESOURCE_NOT_FOUND');
  (await mira.client.put(`${shared(secret.data.id)}/take`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await mira.client.put(`/cases/${(await opened(desk)).id}/drafts/${first.id}/take`)).refused(404, 'RESOURCE_NOT_FOUND');
  for (const [method, path] of [['get', `/cases/${one.id}/drafts`], ['get', shared(first.id)], ['put', `${shared(first.id)}/take`]]) {
    (await narrow.client[method](path)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.customer[method](path)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone[method](path)).refused(401, 'AUTHORIZATION_REQUIRED');
  }

  const second = (await save(staff, one.id, 'Have you tried', { attachment_file_ids: [file] }, match('*'))).must(200);
  assert.equal(second.data.is_shared, true, 'a save without the parameter keeps it');
  const mine = (await save(mira.client, one.id, 'Mine')).must(200);
  (await mira.client.put(`${shared(first.id)}/take`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await mira.client.delete(at(one.id), {}, match(mine.etag).headers)).must(200);
  const taken = (await mira.client.put(`${shared(first.id)}/take`)).must(200).data;
  assert.deepEqual([taken.id, taken.contents, taken.is_shared, taken.resource_url], [first.id, 'Have you tried', false, `${desk.base}/api/v1${at(one.id)}`]);
  (await staff.get(at(one.id))).refused(404, 'RESOURCE_NOT_FOUND');
  (await staff.put(`${shared(first.id)}/take`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await save(staff, one.id, 'Have you tried it', {}, match(second.etag))).refused(412, 'RESOURCE_MODIFIED');
  const { etag } = (await mira.client.get(at(one.id))).must(200);
  (await mira.client.post(`/cases/${one.id}/reply`, { contents: 'Have you tried', attachment_file_ids: [file], draft_etag: etag })).must(201);
  assert.deepEqual(await listed(mira.client), []);

  (await save(staff, one.id, 'Again', { is_shared: true })).must(200);
  (await save(staff, one.id, 'Again', { is_shared: false }, match('*'))).must(200);
  (await save(staff, one.id, 'Once more', { is_shared: true }, match('*'))).must(200);
  (await staff.delete(at(one.id))).must(200);
  (await save(staff, one.id, 'x', { is_shared: 'perhaps' })).refused(400, 'FIELD_INVALID', 'is_shared');
  const log = (await desk.admin.fetch('/changes', { limit: 1000 })).filter(({ property }) => property === 'shared_draft');
  assert.deepEqual(log.map(({ from, to }) => [from, to]), [1, 2, 3].flatMap(() => [[null, 'REPLY'], ['REPLY', null]]));
  clean(desk);
});

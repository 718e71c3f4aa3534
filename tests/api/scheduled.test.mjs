// Scheduled replies (docs/CONVERSATIONS.md, "Scheduled replies").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE, addTags, clean, iso, open, opened, relayFor, until, uploaded, when } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const PENDING = 3, CLOSED = 5;
const at = (desk, seconds) => iso(desk.clock.now + seconds * 1000);
const reply = (who, id, body) => who.post(`/cases/${id}/reply`, body);
const list = (who, id, query) => who.fetch(`/cases/${id}/scheduled_replies`, query);
const row = (id, scheduled) => `/cases/${id}/scheduled_replies/${scheduled}`;
/** Schedules a reply. Returns its id. */
const later = async (who, id, body) => (await reply(who, id, body)).must(201).data.scheduled_reply.id;
const messages = async (desk, id) => (await desk.admin.fetch(`/cases/${id}/posts`, { limit: 100 })).map(({ contents, creator }) => [contents, creator.id]);
const texts = async (desk, id) => (await messages(desk, id)).map(([text]) => text);
const gone = (desk, id) => until('nothing waits', async () => (await list(desk.admin, id)).length === 0);
const refused = (desk, id) => until('it is refused', async () => (await list(desk.admin, id, { refused: true })).length === 1);
const why = async (desk, id) => (await list(desk.admin, id))[0].refusal;

test('a reply is checked when it comes, waits, and is posted once at its time as if it were sent then', async (t) => {
  const desk = await open(t), { staff } = desk, agent = desk.people.agent.id, mails = await relayFor(t, desk);
  const one = await opened(desk), file = await uploaded(staff), colleague = await desk.person('agent');
  await desk.admin.create('/triggers', { title: 'Seen', predicate_collections: when(['cases.subject', 'string_contains_insensitive', 'New subject']), actions: [addTags('seen')] });
  (await staff.put(`/cases/${one.id}/draft`, { contents: 'Have you' })).must(200);
  const before = (await staff.get(`/cases/${one.id}`)).etag;
  const body = { contents: '<p>Have you <b onclick="x()">tried</b></p>', channel: 'MAIL', channel_options: { html: true }, attachment_file_ids: [file.id],
    subject: 'New subject', status_id: PENDING, client_id: 'c1', draft_etag: '*', send_at: at(desk, 2 * DAY) };
  const answer = (await reply(staff, one.id, body)).must(201).data, id = answer.scheduled_reply.id;
  assert.deepEqual([answer.posts, answer.undo_until], [[], null]);
  assert.equal((await staff.get(`/cases/${one.id}`)).etag, before, 'nothing has changed yet');
  (await staff.get(`/cases/${one.id}/draft`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(await later(staff, one.id, body), id, 'the same client_id changes nothing');
  const [shown] = await list(colleague.client, one.id);
  assert.deepEqual([shown.send_at, shown.creator.id, shown.content_text, shown.is_note, shown.refused_at], [body.send_at, agent, 'Have you tried', false, null]);
  assert.deepEqual(shown.parameters, { channel: 'MAIL', channel_options: { html: true }, subject: 'New subject', status_id: PENDING, client_id: 'c1', contents: '<p>Have you <b>tried</b></p>', attachment_file_ids: [file.id] });
  assert.deepEqual((await staff.fetch('/profile/scheduled_replies')).map((s) => s.id), [id]);
  assert.deepEqual(await colleague.client.fetch('/profile/scheduled_replies'), []);

  await desk.clock.forward(DAY);
  const sooner = at(desk, HOUR), { etag } = await staff.get(row(one.id, id));
  (await staff.put(row(one.id, id), { send_at: sooner }, { headers: { 'If-Match': '"other"' } })).refused(412, 'RESOURCE_MODIFIED');
  assert.equal((await staff.put(row(one.id, id), { send_at: sooner }, { headers: { 'If-Match': etag } })).must(200).data.send_at, sooner);
  await desk.clock.forward(HOUR + MINUTE);
  await gone(desk, one.id);
  assert.deepEqual((await messages(desk, one.id))[0], ['Have you tried', agent]);
  const { subject, status } = await staff.fetch(`/cases/${one.id}`);
  assert.deepEqual([subject, status.id, (await staff.fetch(`/cases/${one.id}/tags`)).map((x) => x.name)], ['New subject', PENDING, ['seen']]);
  assert.equal((await staff.fetch(`/cases/${one.id}/posts`, { limit: 1 }))[0].attachments.length, 1);
  await desk.clock.forward(5 * MINUTE);
  assert.match((await mails.find(desk.people.customer.email)).text, /Have you tried/);
  assert.equal(mails.mails.length, 1);
  const trail = (await desk.admin.fetch(`/cases/${one.id}/activities`, { limit: 100 }))
    .flatMap(({ actor, actions }) => actions.filter((a) => a.field === 'scheduled_reply').map((a) => [actor?.id, a.old_value, a.new_value]));
  assert.deepEqual(trail, [[agent, sooner, null], [agent, body.send_at, sooner], [agent, null, body.send_at]]);
  const log = (await desk.admin.fetch('/changes', { limit: 1000 })).filter(({ property }) => property === 'scheduled_reply');
  assert.deepEqual(log.map(({ from, to, cause }) => [from, to, cause ?? null]), [[null, body.send_at, null], [body.send_at, sooner, null], [sooner, null, 'Scheduled reply']]);
  clean(desk);
});

test('only staff who see the conversation see it, its author edits it, and a wrong time or request is refused', async (t) => {
  const desk = await open(t), { staff } = desk, one = await opened(desk), two = await opened(desk);
  const other = await desk.person('agent'), narrow = await desk.person('agent', { agent_case_access: 'SELF' });
  const id = await later(staff, one.id, { contents: 'Later', send_at: at(desk, HOUR) });
  for (const [body, ...names] of [
    [{ contents: 'x', send_at: at(desk, -1) }, 'send_at'], [{ contents: 'x', send_at: at(desk, 400 * DAY) }, 'send_at'], [{ contents: 'x', send_at: 'soon' }, 'send_at'],
    [{ contents: 'x', send_at: at(desk, HOUR), status_id: 999 }, 'status_id'], [{ contents: 'x', send_at: at(desk, HOUR), attachment_file_ids: [999] }, 'attachment_file_ids'],
    [{ contents: 'x', scheduled_reply_id: 999 }, 'scheduled_reply_id'],
  ]) (await reply(staff, one.id, body)).refused(400, 'FIELD_INVALID', ...names);
  (await reply(staff, two.id, { contents: 'x', scheduled_reply_id: id })).refused(400, 'FIELD_INVALID', 'scheduled_reply_id');
  (await reply(staff, one.id, { send_at: at(desk, HOUR) })).refused(400, 'FIELD_REQUIRED', 'contents');
  (await reply(other.client, one.id, { contents: 'x', scheduled_reply_id: id })).refused(403, 'PERMISSIONS_DENIED');
  (await other.client.put(row(one.id, id), { send_at: at(desk, DAY) })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.put(row(one.id, id), { send_at: at(desk, DAY) })).refused(403, 'PERMISSIONS_DENIED');
  (await other.client.delete(row(one.id, id))).refused(403, 'PERMISSIONS_DENIED');
  (await staff.put(row(one.id, id), { send_at: at(desk, -DAY) })).refused(400, 'FIELD_INVALID', 'send_at');
  for (const path of [row(one.id, id), `/cases/${one.id}/scheduled_replies`]) {
    (await narrow.client.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
  }
  (await staff.get(row(two.id, id))).refused(404, 'RESOURCE_NOT_FOUND');
  (await narrow.client.delete(row(one.id, id))).refused(404, 'RESOURCE_NOT_FOUND');
  (await reply(desk.as('collaborator'), one.id, { contents: 'x', send_at: at(desk, HOUR), status_id: PENDING })).refused(403, 'PERMISSIONS_DENIED');
  const note = await later(desk.as('collaborator'), one.id, { contents: 'For us', channel: 'NOTE', send_at: at(desk, HOUR) });
  assert.equal((await list(staff, one.id)).find((s) => s.id === note).is_note, true);
  (await desk.admin.delete(row(one.id, note))).must(200);

  const edited = await later(staff, one.id, { contents: 'Better', scheduled_reply_id: id, send_at: at(desk, HOUR) });
  assert.deepEqual((await list(staff, one.id)).map((s) => [s.id, s.content_text]), [[edited, 'Better']]);
  (await reply(staff, one.id, { contents: 'At once', scheduled_reply_id: edited })).must(201);
  assert.deepEqual(await list(staff, one.id), []);
  (await reply(staff, one.id, { contents: 'Twice', scheduled_reply_id: edited })).refused(400, 'FIELD_INVALID', 'scheduled_reply_id');
  assert.deepEqual((await texts(desk, one.id)).filter((x) => x !== 'Better' && x !== 'Later').length, 2);
  sql(desk, `INSERT INTO scheduled_replies (case_id, creator_id, send_at, created_at, updated_at, is_note, is_html, content_text, parameters) SELECT ${two.id}, ${desk.people.agent.id}, 9999999999999, 1, 1, 0, 0, '', '{}' FROM (${Array.from({ length: 200 }, (_, i) => `SELECT ${i} AS id`).join(' UNION ALL ')}) n`);
  (await reply(staff, one.id, { contents: 'x', send_at: at(desk, HOUR) })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
});

test('what refuses the reply at its time keeps it with the reason, and its author is notified and may send it again', async (t) => {
  const desk = await open(t), { staff, admin } = desk;
  const told = async (who = staff) => (await who.fetch('/notifications', { type: 'scheduled_reply_refused' })).map((n) => n.case.id);
  const one = async (body = {}, who = staff) => {
    const made = await opened(desk);
    await later(who, made.id, { contents: 'Later', send_at: at(desk, HOUR), ...body });
    return made.id;
  };
  const seen = async (id) => (await staff.fetch(`/cases/${id}/posts`, { limit: 1 }))[0].id;
  const leaver = await desk.person('agent'), loser = await desk.person('agent'), file = await uploaded(staff);
  const overtaken = (await opened(desk)).id;
  const held = await later(staff, overtaken, { contents: 'Any news?', last_seen_post_id: await seen(overtaken), send_at: at(desk, HOUR) });
  const [kept, closed, trashed, merged, fileless] = [await one(), await one(), await one(), await one(), await one({ attachment_file_ids: [file.id] })];
  const survivor = (await opened(desk)).id, left = await one({}, leaver.client), denied = await one({}, loser.client);
  for (const id of [overtaken, kept]) (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'It works' })).must(201);
  (await admin.put(`/cases/${closed}`, { status_id: CLOSED })).must(200);
  (await admin.put(`/cases/${trashed}/trash`)).must(200);
  (await admin.post(`/cases/${survivor}/merge`, { case_ids: [merged] })).must(200);
  sql(desk, `UPDATE files SET expires_at = 1 WHERE id = ${file.id}`);
  (await admin.put(`/users/${leaver.id}`, { is_enabled: false })).must(200);
  (await admin.put(`/users/${loser.id}`, { agent_case_access: 'SELF' })).must(200);
  await desk.clock.forward(HOUR + MINUTE);
  await gone(desk, kept);
  assert.equal((await texts(desk, kept))[0], 'Later', 'without last_seen_post_id an answer does not hold it');
  for (const [id, code] of [[overtaken, 'POST_OVERTAKEN'], [closed, 'RESOURCE_ACTION_NOT_AVAILABLE'], [trashed, 'RESOURCE_ACTION_NOT_AVAILABLE'],
    [merged, 'RESOURCE_ACTION_NOT_AVAILABLE'], [fileless, 'FIELD_INVALID'], [left, 'PERMISSIONS_DENIED'], [denied, 'RESOURCE_NOT_FOUND']]) {
    await refused(desk, id);
    const refusal = await why(desk, id);
    assert.equal(refusal.code, code, `${id}: ${refusal.message}`);
    assert.equal((await texts(desk, id)).includes('Later'), false);
  }
  assert.equal((await why(desk, fileless)).parameter, 'attachment_file_ids');
  assert.deepEqual((await told()).sort((a, b) => a - b), [overtaken, closed, fileless, survivor].sort((a, b) => a - b), 'one in the trash is in the list alone');
  assert.deepEqual((await staff.fetch('/profile/scheduled_replies', { refused: true })).length, 5);
  assert.deepEqual(await told(admin), []);
  const [{ actions }] = (await admin.fetch(`/cases/${closed}/activities`, { limit: 1 }));
  assert.match(actions.find((a) => a.field === 'scheduled_reply_refused').new_value, /^RESOURCE_ACTION_NOT_AVAILABLE: /);

  (await staff.put(row(overtaken, held), { last_seen_post_id: null })).refused(400, 'FIELD_REQUIRED', 'send_at');
  const again = (await staff.put(row(overtaken, held), { last_seen_post_id: await seen(overtaken), send_at: at(desk, HOUR) })).must(200).data;
  assert.deepEqual([again.refused_at, again.refusal], [null, null]);
  await desk.clock.forward(HOUR + MINUTE);
  await gone(desk, overtaken);
  assert.equal((await texts(desk, overtaken))[0], 'Any news?');
  await desk.clock.forward(91 * DAY);
  await desk.restart();
  await until('refused ones expire', async () => sql(desk, 'SELECT COUNT(*) FROM scheduled_replies').trim() === '0');
  clean(desk);
});

test('each is posted once by two processes that are killed meanwhile, and goes with its conversation', async (t) => {
  const desk = await open(t), { staff } = desk, ids = [];
  const file = await uploaded(staff), doomed = (await opened(desk)).id;
  for (let i = 0; i < 12; i++) {
    ids.push((await opened(desk)).id);
    await later(staff, ids[i], { contents: `Later ${i}`, attachment_file_ids: i ? [] : [file.id], send_at: at(desk, HOUR) });
  }
  await later(staff, doomed, { contents: 'Never', send_at: at(desk, HOUR) });
  await desk.admin.update(`/cases/${doomed}/trash`, {});
  (await desk.admin.delete('/cases/trash', { ids: doomed })).must(200);
  const waiting = () => Number(sql(desk, 'SELECT COUNT(*) FROM scheduled_replies'));
  await desk.clock.forward(HOUR + MINUTE);
  await until('some are sent', () => waiting() < 12);
  await desk.kill();
  await desk.restart();
  await until('all are sent', () => waiting() === 0);
  for (const [i, id] of ids.entries()) assert.deepEqual(await texts(desk, id), [`Later ${i}`, 'It stops.']);
  clean(desk);
});

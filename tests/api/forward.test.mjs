// Forwards of messages to people outside, and their answers (docs/CONVERSATIONS.md, "Forwarding").
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { File, addTags, multipart, open, raw, relayFor, until } from './lib/index.mjs';
import { directory } from './lib/desk.mjs';
import { mail, mailRows, receive, token } from './lib/mails.mjs';

const OUT = 'workshop@supplier.example';
const idsOf = (list) => list.map((x) => x.id);
/** Nothing in a mail to an outside address may be a token of the conversation. */
const noTokensOf = (mailed) => assert.doesNotMatch(`${JSON.stringify(mailed.headers)} ${mailed.text} ${mailed.html}`, /\b[cms]\d+-[a-z2-7]{16}/);

/** A desk with a relay, and a conversation with a message of the customer. */
async function forwarding(t, values = {}) {
  const desk = await open(t), to = await relayFor(t, desk, values);
  const talk = await desk.staff.create('/cases', { subject: 'The engine stalls', contents: 'It stops after ten turns', requester_id: desk.people.customer.id, channel: 'MAIL' });
  const post = (body = {}, who = desk.staff) => who.post(`/cases/${talk.id}/forward`, { to: [OUT], contents: 'Do you have this part?', ...body });
  const forward = async (body, who) => (await post(body, who)).must(201).data;
  const note = (id, of = talk) => desk.staff.fetch(`/cases/${of.id}/notes/${id}`, { include: 'attachment' });
  const sent = async (body) => { const made = await forward(body), letter = await to.find(OUT); return { made, letter, note: made.post.id }; };
  const answer = (headers, text = 'We have two of them.\r\n', envelope = {}) => receive(desk, mail({ From: `Wanda Workshop <${OUT}>`, Subject: 'Re: Fwd: The engine stalls', ...headers }, text), envelope);
  const plus = (id) => ({ to: `desk+${token(desk, 'f', id)}@example.com` });
  const seen = async (who = desk.customer, of = talk) => (await who.get(`/conversations/${of.id}/messages`, { limit: 100 })).data ?? [];
  return { desk, to, talk, post, forward, note, sent, answer, plus, seen };
}

test('a forward mails the newest message with the text of the agent, and is a note that customers do not see', async (t) => {
  const { desk, to, talk, sent, note, seen } = await forwarding(t, { 'mail.subject_tokens': true });
  const { made, letter } = await sent();
  assert.equal(made.undo_until, null);
  assert.deepEqual([letter.to, letter.defects], [[OUT], []]);
  assert.match(letter.subject, new RegExp(`^Fwd: The engine stalls \\[h${made.post.id}-[a-z2-7]{16}\\]$`));
  assert.match(letter.header('Reply-To'), new RegExp(`desk\\+f${made.post.id}-[a-z2-7]{16}@example\\.com`));
  assert.match(letter.header('Message-ID'), new RegExp(`^<g${made.post.id}-[a-z2-7]{16}\\.`));
  assert.deepEqual(['In-Reply-To', 'References', 'Auto-Submitted'].map((name) => letter.header(name)), [undefined, undefined, undefined]);
  assert.match(letter.text, /^Do you have this part\?[^]*\n-{10}\r\n[^\n]+, \d{4}-\d\d-\d\d \d\d:\d\d UTC\r\n\r\nIt stops after ten turns/);
  assert.match(letter.html, /Do you have this part\?[^]*<blockquote>It stops after ten turns<\/blockquote>/);
  assert.ok(!letter.raw.includes(desk.people.customer.email), 'the address of the requester stays here');
  noTokensOf(letter);
  const first = (await seen(desk.customer)).at(-1);
  const shown = await note(made.post.id);
  assert.equal(shown.body_text, 'Do you have this part?');
  await until('its delivery', async () => (await note(made.post.id)).forward.to[0].email_delivery_status === 'SENT');
  assert.deepEqual({ ...shown.forward, to: idsOf(shown.forward.to.map((a) => ({ id: a.email }))) }, { to: [OUT], cc: [], subject: 'Fwd: The engine stalls', post_ids: [first.id] });
  assert.equal(shown.answers_note, null);
  assert.equal((await seen()).length, 1);
  const posts = await desk.staff.fetch(`/cases/${talk.id}/posts`, { include: 'note' });
  assert.equal(posts.find((p) => p.id === made.post.id).original.forward.subject, 'Fwd: The engine stalls');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('messages, files and copies are chosen; files that do not fit are refused before anything is sent', async (t) => {
  const { desk, to, talk, post, forward, note } = await forwarding(t);
  const upload = async (name, bytes) => (await desk.staff.post('/files', raw('text/plain', Buffer.from(bytes)), { query: { _filename: name } })).must(201).data.id;
  const said = (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'See the log', channel: 'HELPCENTER', attachment_file_ids: [await upload('a.txt', 'aaa'), await upload('b.txt', 'bbb')] })).must(201).data.posts[0];
  const both = await desk.staff.fetch(`/cases/${talk.id}/messages`, { include: 'attachment' });
  const files = both.find((m) => m.id === said.id).attachments;
  const made = await forward({ to: [OUT, 'second@supplier.example'], cc: 'boss@supplier.example', subject: 'A part', post_ids: idsOf(both), attachment_ids: [files[1].id], attachment_file_ids: [await upload('own.txt', 'own')] });
  const letter = await to.find(OUT), copy = await to.find('boss@supplier.example');
  assert.equal(letter.subject, 'A part');
  assert.ok(letter.text.indexOf('It stops') < letter.text.indexOf('See the log'));
  for (const one of [letter, copy]) assert.deepEqual(one.files.map((f) => [f.name, String(f.bytes)]), [['own.txt', 'own'], ['b.txt', 'bbb']]);
  const shown = await note(made.post.id);
  assert.deepEqual([shown.forward.cc.map((a) => a.email), shown.attachments.map((a) => a.name)], [['boss@supplier.example'], ['own.txt', 'b.txt']]);
  await forward({ include_attachments: true, post_ids: [said.id] });
  assert.deepEqual((await to.find(OUT)).files.map((f) => f.name), ['a.txt', 'b.txt']);
  const part = await desk.staff.post(`/cases/${talk.id}/forward`, multipart({ to: OUT, contents: 'With a file', x: new File('part.txt', 'text/plain', Buffer.from('part')) }));
  part.must(201);
  assert.deepEqual((await to.find(OUT)).files.map((f) => f.name), ['part.txt']);
  await desk.owner.update('/settings', { values: { 'mail.attachments_megabytes': 1 } });
  const big = await upload('big.txt', Buffer.alloc(1_100_000, 'x'));
  const before = desk.sql('SELECT COUNT(*) FROM outgoing_mails').trim();
  (await post({ attachment_file_ids: [big] })).refused(400, 'FIELD_INVALID', 'attachment_file_ids');
  (await post({ post_ids: [said.id], attachment_ids: [999999] })).refused(404, 'RESOURCE_NOT_FOUND', 'attachment_ids');
  (await post({ post_ids: idsOf(both).slice(-1), attachment_ids: [files[0].id] })).refused(404, 'RESOURCE_NOT_FOUND', 'attachment_ids');
  assert.equal(desk.sql('SELECT COUNT(*) FROM outgoing_mails').trim(), before);
  (await post({ post_ids: [] })).must(201);
  assert.doesNotMatch((await to.find(OUT)).text, /It stops/);
});

test('an HTML mail is quoted without what it quotes, without tokens, and without pictures of other servers', async (t) => {
  const { desk, to, talk, forward } = await forwarding(t);
  const key = token(desk, 'c', talk.id);
  await receive(desk, mail({ From: desk.people.customer.email, 'Content-Type': 'text/html; charset=utf-8' },
    `<p>A <b>bold</b> word, write to desk+${key}@example.com or [${token(desk, 's', talk.id)}]</p><img src="https://tracker.example/x.gif?${key}"><div class="gmail_quote"><blockquote>On Monday you wrote: ${key} quoted</blockquote></div>`), { to: `desk+${key}@example.com` });
  await forward({ contents: '<p>See <i>below</i></p>', is_html: true });
  const letter = await to.find(OUT);
  assert.match(letter.html, /<i>below<\/i>[^]*<b>bold<\/b>/);
  assert.match(letter.text, /A bold word, write to desk@example\.com or/);
  assert.doesNotMatch(letter.html + letter.text, /tracker\.example/);
  noTokensOf(letter);
});

describe('an answer', () => {
  test('is a note of its sender in the conversation, by address, by reference and by subject; its agent is told', async (t) => {
    const { desk, to, talk, sent, answer, plus, note, seen } = await forwarding(t, { 'mail.subject_tokens': true });
    await desk.staff.update(`/cases/${talk.id}`, { assigned_agent_id: desk.people.agent.id });
    const { letter, note: id } = await sent();
    const mails = to.mails.length;
    const ways = [[{}, plus(id)], [{ 'In-Reply-To': letter.header('Message-ID') }, {}], [{ References: `<a@b.example> ${letter.header('Message-ID')}` }, {}], [{ Subject: `Re: ${letter.subject}` }, {}]];
    for (const [headers, envelope] of ways) {
      const row = await answer({ ...headers, Cc: `${desk.people.customer.email}, else@supplier.example` }, `Way ${Math.random()}\r\n`, envelope);
      assert.deepEqual([row.status, row.case_id], ['SUCCESS', talk.id]);
      const shown = await note(row.post_id);
      assert.match(shown.body_text, /^Way/);
      assert.equal(shown.answers_note.id, id);
      assert.equal((await desk.staff.fetch(`/users/${shown.creator.id}`)).full_name, 'Wanda Workshop');
      const read = await desk.owner.fetch(`/mails/${row.id}`);
      assert.deepEqual([read.note.id, read.case_message, read.case.id], [row.post_id, null, talk.id]);
    }
    assert.equal((await seen()).length, 1, 'the customer sees no answer');
    const people = await desk.staff.fetch(`/cases/${talk.id}/participants`, { limit: 100 });
    assert.ok(people.every((p) => p.id === desk.people.customer.id || p.id === desk.people.agent.id || p.id === desk.people.owner.id), JSON.stringify(people));
    const told = await desk.as('agent').fetch('/notifications');
    assert.ok(told.some((n) => n.type === 'reply_on_case'), JSON.stringify(told));
    assert.ok(!to.mails.slice(mails).some((m) => m.to.includes(desk.people.customer.email)), 'no mail to the customer');
    assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).status.id, talk.status.id, 'a note changes no status');
    assert.equal(desk.check().status, 0, desk.check().stdout);
  });

  test('brings its files, and its Message-ID reaches no later mail to the customer', async (t) => {
    const { desk, to, talk, sent, plus, note } = await forwarding(t);
    const { note: id } = await sent();
    const body = ['--x', 'Content-Type: text/plain', '', 'The price list', '--x', 'Content-Type: text/csv; name=prices.csv', 'Content-Disposition: attachment; filename=prices.csv', '', 'a;1', '--x--', ''].join('\r\n');
    const row = await receive(desk, mail({ From: OUT, 'Message-ID': '<secret.1@supplier.example>', 'Content-Type': 'multipart/mixed; boundary=x' }, body), plus(id));
    assert.deepEqual((await note(row.post_id)).attachments.map((a) => a.name), ['prices.csv']);
    await desk.staff.create(`/cases/${talk.id}/reply`, { contents: 'It costs one', channel: 'MAIL' });
    const reply = await to.find(desk.people.customer.email);
    assert.doesNotMatch(reply.raw, /supplier\.example|\b[fgh]\d+-[a-z2-7]{16}/);
    assert.equal((await desk.staff.delete(`/cases/${talk.id}/notes/${row.post_id}`)).status, 403, 'only its author and admins');
    (await desk.owner.delete(`/cases/${talk.id}/notes/${row.post_id}`)).must(200, 204);
    await desk.staff.create(`/cases/${talk.id}/reply`, { contents: 'Two', channel: 'MAIL' });
    assert.doesNotMatch((await to.find(desk.people.customer.email)).raw, /supplier\.example/);
  });

  test('of somebody else is suspended, and so is one with a forged token, one of another desk, and one to a forward that is gone', async (t) => {
    const { desk, talk, sent, answer, plus, note, seen } = await forwarding(t);
    const { note: id } = await sent();
    const suspended = async (headers, envelope, code) => {
      const row = await answer(headers, `${Math.random()}\r\n`, envelope);
      assert.deepEqual([row.status, row.suspension, row.post_id], ['SUSPENDED', code, null], JSON.stringify(row));
      return row;
    };
    const stranger = await suspended({ From: 'stranger@elsewhere.example' }, plus(id), 'NOT_PARTICIPANT');
    await suspended({ From: desk.people.customer.email }, plus(id), 'NOT_PARTICIPANT');
    await suspended({}, { to: `desk+f${id}-${'a'.repeat(16)}@example.com` }, 'INVALID_CASE_TOKEN');
    for (const kind of ['f', 'g', 'h'])
      await suspended({}, { to: `desk+${token(desk, kind, id).replace(kind, 'c')}@example.com` }, 'INVALID_CASE_TOKEN');
    await suspended({}, { to: `desk+${token(desk, 'f', id).replace(`f${id}`, `f${id + 1}`)}@example.com` }, 'INVALID_CASE_TOKEN');
    (await desk.owner.put(`/mails/${stranger.id}`, { is_suspended: false })).must(200);
    await until('the release', () => mailRows(desk).find((m) => m.id === stranger.id).status === 'SUCCESS');
    const released = mailRows(desk).find((m) => m.id === stranger.id);
    assert.equal((await note(released.post_id)).answers_note.id, id, 'a release makes a note, too');
    assert.equal((await seen()).length, 1);
    (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
    await suspended({}, plus(id), 'NOT_PARTICIPANT');
    (await desk.staff.put(`/cases/${talk.id}/restore`)).must(200);
    (await desk.staff.delete(`/cases/${talk.id}/notes/${id}`)).must(200, 204);
    await suspended({}, plus(id), 'NOT_PARTICIPANT');
    assert.equal(desk.check().status, 0, desk.check().stdout);
  });

  test('with the token of another desk opens nothing; at a mailbox of another brand only who was asked adds a note, to this conversation', async (t) => {
    const { desk, talk, sent, answer, plus, note, seen } = await forwarding(t), { note: id } = await sent(), elsewhere = { dir: directory() };
    writeFileSync(join(elsewhere.dir, 'secret.key'), randomBytes(readFileSync(join(desk.dir, 'secret.key')).length)); // desks of tests have one key
    for (const kind of ['f', 'g', 'h']) {
      const row = await answer({ 'In-Reply-To': `<${token(elsewhere, 'g', id)}.1@example.com>`, Subject: `Re: [${token(elsewhere, 'h', id)}]` }, `${kind}\r\n`, { to: `desk+${token(elsewhere, kind, id)}@example.com` });
      assert.deepEqual([row.status, row.suspension, row.post_id], ['SUSPENDED', 'INVALID_CASE_TOKEN', null], kind);
    }
    const brand = await desk.owner.create('/brands', { name: 'Second', sub_domain: 'second' });
    await desk.admin.create('/mailboxes', { address: 'second@example.com', brand_id: brand.id });
    const envelope = { to: `second+${token(desk, 'f', id)}@example.com` }, notes = async () => (await desk.staff.fetch(`/cases/${talk.id}/notes`, { limit: 100 })).length;
    const stranger = await answer({ From: 'stranger@elsewhere.example', To: 'second@example.com' }, 'Let me in\r\n', envelope);
    assert.deepEqual([stranger.status, stranger.suspension, stranger.case_id, await notes()], ['SUSPENDED', 'NOT_PARTICIPANT', null, 1]);
    const row = await answer({ To: 'second@example.com' }, 'At the other address\r\n', envelope);
    assert.deepEqual([row.status, row.case_id, (await note(row.post_id)).answers_note.id, await notes()], ['SUCCESS', talk.id, id, 2]);
    assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).brand.id, 1);
    assert.equal((await seen()).length, 1);
    assert.equal(desk.check().status, 0, desk.check().stdout);
  });

  test('is subject to loops and limits, and an address that answers a forward need not be registered', async (t) => {
    const { desk, talk, sent, answer, plus } = await forwarding(t, { 'mail.require_registered': true, 'mail.require_verified': true });
    const { note: id, letter } = await sent();
    assert.equal((await answer({}, 'First\r\n', plus(id))).status, 'SUCCESS');
    assert.equal((await answer({ 'X-Desk-Loop': letter.header('X-Desk-Loop') }, 'Loop\r\n', plus(id))).suspension, 'LOOP_DETECTED');
    assert.equal((await answer({ 'Auto-Submitted': 'auto-replied' }, 'Away\r\n', plus(id))).suspension, 'OUT_OF_OFFICE_EMAIL');
    assert.equal((await answer({ 'X-Spam-Flag': 'YES' }, 'Spam\r\n', plus(id))).suspension, 'SPAM');
    const rest = [];
    for (let i = 0; i < 10; i++) rest.push((await answer({}, `${i}\r\n`, plus(id))).suspension);
    assert.deepEqual([rest.filter((s) => s === null).length, rest.at(-1)], [9, 'LOOP_DETECTED']);
    assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).has_notes, true);
  });

  test('follows the note of its forward through a split and a merge, and comes to a closed conversation', async (t) => {
    const { desk, talk, sent, answer, plus, seen } = await forwarding(t);
    const { note: id } = await sent();
    const made = (await desk.staff.post(`/cases/${talk.id}/split`, { post_ids: [id], subject: 'The part' })).must(201).data;
    const first = await answer({}, 'After the split\r\n', plus(id));
    assert.equal(first.case_id, made.id);
    assert.equal(desk.sql(`SELECT COUNT(*) FROM outgoing_mails WHERE post_id = ${id} AND case_id = ${made.id}`).trim(), '1');
    (await desk.staff.post(`/cases/${talk.id}/merge`, { case_ids: [made.id] })).must(200);
    assert.equal((await answer({}, 'After the merge\r\n', plus(id))).case_id, talk.id);
    await until('the merge', () => desk.sql(`SELECT COUNT(*) FROM notes WHERE case_id = ${made.id}`).trim() === '0');
    assert.equal((await answer({}, 'Later\r\n', plus(id))).case_id, talk.id);
    await desk.admin.update(`/cases/${talk.id}`, { status_id: 5 });
    assert.deepEqual([(await answer({}, 'Closed\r\n', plus(id))).case_id, (await seen()).length], [talk.id, 1]);
    assert.equal(desk.check().status, 0, desk.check().stdout);
  });
});

test('a person outside who has the token reads nothing, and no other token of the conversation follows from it', async (t) => {
  const { desk, to, talk, forward, plus } = await forwarding(t);
  const outside = await desk.person('customer'), { email } = outside;
  const made = await forward({ to: [email] });
  noTokensOf(await to.find(email));
  const row = await receive(desk, mail({ From: email }, 'I can read it?\r\n'), plus(made.post.id));
  assert.deepEqual([row.status, row.case_id], ['SUCCESS', talk.id]);
  for (const path of [`/conversations/${talk.id}`, `/conversations/${talk.id}/messages`]) (await outside.client.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  for (const path of [`/cases/${talk.id}`, `/cases/${talk.id}/notes/${row.post_id}`, `/cases/${talk.id}/posts`]) (await outside.client.get(path)).refused(403, 'PERMISSIONS_DENIED');
  assert.deepEqual(await outside.client.fetch('/conversations'), []);
});

test('each bad field is named, and only staff with the right may forward', async (t) => {
  const { desk, talk, post } = await forwarding(t);
  const refused = async (body, code, field) => (await post(body)).refused(400, code, field);
  await refused({ to: undefined }, 'FIELD_REQUIRED', 'to');
  await refused({ to: [] }, 'FIELD_EMPTY', 'to');
  await refused({ to: ['nobody'] }, 'FIELD_INVALID', 'to');
  const two = (await post({ to: [OUT, 'x@'], cc: ['desk@example.com', 'y'] })).must(400);
  assert.deepEqual(two.body.errors.map((e) => e.pointer ?? e.parameter), ['to/1', 'cc/0', 'cc/1']);
  await refused({ to: ['DESK+anything@example.com'] }, 'FIELD_INVALID', 'to');
  await refused({ cc: [OUT.toUpperCase()] }, 'FIELD_INVALID', 'cc');
  await refused({ to: [desk.people.customer.email] }, 'FIELD_INVALID', 'to');
  await refused({ to: Array.from({ length: 21 }, (_, i) => `a${i}@supplier.example`) }, 'FIELD_INVALID', 'to');
  const absent = async (id) => (await post({ post_ids: [id] })).refused(404, 'RESOURCE_NOT_FOUND', 'post_ids');
  await absent(999999);
  const note = (await desk.staff.post(`/cases/${talk.id}/notes`, { contents: 'Secret' })).must(201).data.post;
  await absent(note.id);
  const other = await desk.staff.create('/cases', { subject: 'Other', contents: 'Other', requester_id: desk.people.customer.id });
  const foreign = (await desk.staff.fetch(`/cases/${other.id}/messages`))[0];
  await absent(foreign.id);
  await refused({ contents: undefined, post_ids: [] }, 'FIELD_REQUIRED', 'contents');
  await refused({ subject: 'a\nb' }, 'FIELD_INVALID', 'subject');
  (await post({}, desk.customer)).refused(403, 'PERMISSIONS_DENIED');
  (await post({}, desk.anyone)).refused(401, 'AUTHORIZATION_REQUIRED');
  const role = await desk.owner.create('/roles', { title: 'No replies', type: 'AGENT' });
  (await desk.owner.put(`/roles/${role.id}/permissions`, { 'cases.public_reply': false })).must(200);
  (await post({}, (await desk.person('agent', { role_id: role.id })).client)).refused(403, 'PERMISSIONS_DENIED');
  (await post({}, (await desk.person('agent', { agent_case_access: 'SELF' })).client)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.post('/cases/999999/forward', { to: [OUT], contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.post(`/cases/${other.id}/merge`, { case_ids: [talk.id] })).must(200);
  await refused({}, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.put(`/cases/${other.id}/trash`)).must(200);
  (await desk.staff.post(`/cases/${other.id}/forward`, { to: [OUT], contents: 'x' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal(desk.sql('SELECT COUNT(*) FROM outgoing_mails').trim(), '0', 'nothing was sent');
});

test('a forward is undone within mail.undo_seconds by its author; its text can not be rewritten', async (t) => {
  const { desk, to, talk, forward, note } = await forwarding(t, { 'mail.undo_seconds': 60 });
  const made = await forward();
  assert.ok(made.undo_until);
  const undo = (id, who = desk.staff) => who.delete(`/cases/${talk.id}/forward/${id}`);
  (await undo(made.post.id, desk.owner)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.put(`/cases/${talk.id}/notes/${made.post.id}`, { contents: 'Other' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await undo(made.post.id)).must(200, 204);
  (await desk.staff.get(`/cases/${talk.id}/notes/${made.post.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(desk.sql('SELECT COUNT(*) FROM outgoing_mails').trim(), '0');
  const late = await forward();
  await desk.clock.forward(61_000);
  await to.find(OUT);
  await until('its delivery', async () => (await note(late.post.id)).forward.to[0].email_delivery_status === 'SENT');
  (await undo(late.post.id)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  const plain = (await desk.staff.post(`/cases/${talk.id}/notes`, { contents: 'A note' })).must(201).data.post;
  (await undo(plain.id)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('an address that refuses the mail is named on the note', async (t) => {
  const { desk, to, talk, forward, note } = await forwarding(t);
  to.refuse?.(OUT);
  const made = await forward({ to: [OUT, 'second@supplier.example'] });
  const letter = await to.find(OUT);
  const bounced = `Message-ID: ${letter.header('Message-ID')}`;
  const report = ['--b', 'Content-Type: text/plain', '', 'It failed', '--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.supplier.example', '', `Final-Recipient: rfc822; ${OUT}`, 'Action: failed', 'Status: 5.1.1', '', '--b', 'Content-Type: text/rfc822-headers', '', bounced, '', '--b--', ''].join('\r\n');
  const row = await receive(desk, mail({ From: 'MAILER-DAEMON@mx.supplier.example', 'Content-Type': 'multipart/report; report-type=delivery-status; boundary=b' }, report), { to: letter.from, from: '' });
  assert.equal(row.suspension, 'DELIVERY_FAILED');
  await until('both', async () => (await note(made.post.id)).forward.to[1].email_delivery_status === 'SENT');
  assert.deepEqual((await note(made.post.id)).forward.to.map((a) => a.email_delivery_status), ['BOUNCED', 'SENT']);
  const changes = (await desk.owner.get('/changes', { limit: 500 })).must(200).body.data;
  assert.ok(changes.some((c) => c.property === 'not_delivered_to' && JSON.stringify(c).includes(OUT)), JSON.stringify(changes.slice(-3)));
});

test('triggers see a forward as a note, and its answer as a note that came by mail', async (t) => {
  const { desk, talk, sent, answer, plus } = await forwarding(t);
  await desk.admin.create('/triggers', { title: 'Mail', channel: 'MAIL', event: 'INCOMING_MAIL', actions: [addTags('answered')] });
  await desk.admin.create('/triggers', { title: 'Call', channel: 'API', actions: [addTags('asked')] });
  const tags = async () => (await desk.staff.fetch(`/cases/${talk.id}/tags`)).map((tag) => tag.name).sort();
  const { note: id } = await sent();
  assert.deepEqual(await tags(), ['asked']);
  await answer({}, 'Hello\r\n', plus(id));
  assert.deepEqual(await tags(), ['answered', 'asked']);
});

test('posts have the forward and the answered note on request, as their notes do; other posts have neither', async (t) => {
  const { desk, talk, sent, answer, plus, note } = await forwarding(t);
  const { note: id } = await sent(), row = await answer({}, 'Hello\r\n', plus(id));
  await until('the delivery', async () => (await note(id)).forward.to[0].email_delivery_status === 'SENT');
  const posts = await desk.staff.fetch(`/cases/${talk.id}/posts`, { filters: 'all', fields: 'forward,answers_note', limit: 100 }), of = (post) => posts.find((one) => one.id === post);
  assert.deepEqual(of(id).forward, (await note(id)).forward);
  assert.deepEqual([of(id).answers_note, of(row.post_id).answers_note.id, of(row.post_id).forward], [null, id, null]);
  const others = posts.filter((one) => ![id, row.post_id].includes(one.id));
  assert.ok(others.length > 1 && others.every((one) => one.forward === null && one.answers_note === null));
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}/posts`))[0].forward, undefined);
});

test('an unfinished forward is a draft of its own, which is not shared and goes with the forward', async (t) => {
  const { desk, talk, forward, post } = await forwarding(t), { staff } = desk, path = `/cases/${talk.id}/draft`, query = { channel: 'FORWARD' };
  (await staff.put(path, { contents: 'A reply' })).must(200);
  const begun = (await staff.put(path, { contents: '', parameters: { to: OUT } }, { query })).must(200);
  assert.equal(begun.data.channel, 'FORWARD');
  const read = (await staff.get(path, query)).must(200);
  assert.deepEqual([read.etag, read.data.parameters, read.data.contents], [begun.etag, { to: OUT }, '']);
  assert.equal((await staff.get(read.data.resource_url.slice(desk.base.length))).must(200).etag, read.etag);
  assert.deepEqual((await staff.fetch('/profile/drafts')).map((one) => one.channel).sort(), ['FORWARD', 'REPLY']);
  (await staff.put(path, { contents: 'x', is_shared: true }, { query, headers: { 'If-Match': read.etag } })).refused(400, 'FIELD_INVALID', 'is_shared');
  (await desk.owner.get(path, query)).refused(404, 'RESOURCE_NOT_FOUND');
  (await post({ to: ['nobody'], draft_etag: read.etag })).refused(400, 'FIELD_INVALID', 'to');
  (await staff.get(path, query)).must(200);
  await forward({ draft_etag: '"another"' });
  (await staff.get(path, query)).must(200);
  await forward({ draft_etag: read.etag });
  (await staff.get(path, query)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await staff.get(path)).must(200).data.contents, 'A reply');
  const empty = (await staff.put(path, { contents: 'x' }, { query })).must(200);
  (await staff.put(path, { contents: ' ', parameters: null }, { query, headers: { 'If-Match': empty.etag } })).must(200);
  (await staff.get(path, query)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('an erasure of a person takes the addresses of forwards to the person', async (t) => {
  const { desk, sent, answer, plus, note } = await forwarding(t);
  const { note: id } = await sent();
  const row = await answer({}, 'Hello\r\n', plus(id));
  (await desk.owner.post(`/users/${row.sender_id}/erase`, { contents: true })).must(202);
  await until('the erasure', async () => (await note(id)).forward.to.length === 0);
  assert.equal(desk.sql("SELECT COUNT(*) FROM forwards WHERE to_addresses LIKE '%supplier%'").trim(), '0');
  assert.equal((await answer({}, 'Again\r\n', plus(id))).suspension, 'NOT_PARTICIPANT');
});

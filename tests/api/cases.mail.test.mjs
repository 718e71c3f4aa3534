// Replies by mail, channels and participants (docs/CONVERSATIONS.md, "Channels and replies by mail").
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deliver, fixture, iso, open, opened, raw, relayFor, until } from './lib/index.mjs';

const messageOf = (desk, talk, id) => desk.staff.fetch(`/conversations/${talk.id}/messages/${id}`);

/** A desk with a relay, and a conversation. */
async function mailing(t, extra = {}) {
  const desk = await open(t), to = await relayFor(t, desk);
  const talk = await opened(desk, extra);
  const send = (body, who = desk.staff) => who.post(`/cases/${talk.id}/reply`, { contents: 'Turn it off.', ...body });
  const reply = async (body, who) => (await send(body, who)).must(201).data.posts[0].id;
  return { desk, to, talk, send, reply };
}

test('a reply by MAIL goes to the requester as text and HTML, and names the author', async (t) => {
  const { desk, to, talk, reply } = await mailing(t);
  const id = await reply({ channel: 'mail', contents: 'Turn it off.\n\n<Then> on.' });
  const mail = await to.mail();
  assert.deepEqual([mail.to, mail.subject, mail.type, mail.defects], [[desk.people.customer.email], 'Re: The engine stalls', 'multipart/alternative', []]);
  assert.equal(mail.header('To'), desk.people.customer.email);
  assert.equal(mail.header('Auto-Submitted'), undefined, 'a person wrote it');
  assert.match(mail.text, /^Turn it off\.\r\n\r\n<Then> on\.\r\n/);
  assert.match(mail.html, /Turn it off\.<br>\s*<br>\s*&lt;Then&gt; on\./);
  const author = (await desk.staff.fetch('/me')).full_name;
  assert.ok(mail.text.includes(author) && mail.html.includes(author));
  const message = await messageOf(desk, talk, id);
  assert.deepEqual([message.channel, message.message_status], ['MAIL', 'SENT']);
});

const LINK = /: http\S+\/attachments\/\d+\/download/;
const uploads = (desk) => async (name, type, data) => (await desk.staff.post('/files', raw(type, Buffer.from(data)), { query: { _filename: name } })).must(201).data.id;
const named = (mail) => mail.files.map((f) => f.name);
const linked = (mail) => mail.text.split('\r\n').filter((line) => LINK.test(line)).map((line) => line.split(':')[0]);

test('HTML of a reply is cleaned before it is mailed, and its files are attached', async (t) => {
  const { desk, to, reply } = await mailing(t);
  const upload = uploads(desk), bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256));
  const files = [await upload('log.txt', 'text/plain', 'abc\n.\ndef'), await upload('Übersicht "1"; x.bin', 'application/octet-stream', bytes), await upload('old.eml', 'message/rfc822', 'Subject: x\n\ny')];
  const picture = await upload('dot.png', 'image/png', 'no picture');
  await reply({ channel: 'MAIL', contents: `<p>Turn it <b>off</b> <img src="cid:${picture}"></p><script>canary()</script>`, channel_options: { html: true }, attachment_file_ids: [...files, picture] });
  const mail = await to.mail();
  assert.match(mail.html, /<b>off<\/b>/);
  assert.doesNotMatch(mail.html, /canary/);
  assert.match(mail.text, /Turn it off/);
  assert.deepEqual([mail.type, mail.defects, mail.parts], ['multipart/mixed', [], ['text/plain; charset=utf-8', 'text/html; charset=utf-8']]);
  assert.deepEqual(mail.files.map((f) => [f.name, f.type, f.disposition, f.id]), [['log.txt', 'text/plain', 'attachment', null], ['Übersicht "1"; x.bin', 'application/octet-stream', 'attachment', null],
    ['old.eml', 'application/octet-stream', 'attachment', null], ['dot.png', 'image/png', 'inline', `<${picture}>`]]);
  assert.deepEqual([String(mail.files[0].bytes), mail.files[1].bytes.equals(bytes), String(mail.files[2].bytes)], ['abc\n.\ndef', true, 'Subject: x\n\ny']);
  assert.ok(mail.html.includes(`cid:${picture}`));
  assert.deepEqual(linked(mail), []);
  assert.ok(mail.raw.split('\n').every((line) => line.length < 1000));
});

test('a reply by MAIL with a file and no text is mailed', async (t) => {
  const { desk, to, reply } = await mailing(t);
  await reply({ channel: 'MAIL', contents: undefined, attachment_file_ids: [await uploads(desk)('log.txt', 'text/plain', 'abc')] });
  const mail = await to.mail();
  assert.deepEqual([mail.defects, named(mail)], [[], ['log.txt']]);
});

test('files that do not fit into mail.attachments_megabytes, or are not there, are links', async (t) => {
  const { desk, to, reply } = await mailing(t);
  const upload = uploads(desk), big = Buffer.alloc(700_000, 'x');
  const sent = async (values, ...files) => {
    await desk.owner.update('/settings', { values });
    await reply({ channel: 'MAIL', attachment_file_ids: files });
    const mail = await to.mail();
    assert.deepEqual(mail.defects, []);
    for (const name of linked(mail)) assert.ok(mail.html.includes(`${name}: `), name);
    return [named(mail), linked(mail)];
  };
  const three = async () => [await upload('a.txt', 'text/plain', big), await upload('b.txt', 'text/plain', big), await upload('c.txt', 'text/plain', 'small')];
  assert.deepEqual(await sent({ 'mail.attachments_megabytes': 1 }, ...await three()), [['a.txt', 'c.txt'], ['b.txt']]);
  assert.deepEqual(await sent({ 'mail.attachments_megabytes': 0 }, ...await three()), [[], ['a.txt', 'b.txt', 'c.txt']]);
  const lost = await upload('lost.txt', 'text/plain', 'lost content');
  const sum = desk.sql(`SELECT sha256 FROM files WHERE id = ${lost}`).trim();
  rmSync(join(desk.dir, 'files', sum.slice(0, 2), sum));
  assert.deepEqual(await sent({ 'mail.attachments_megabytes': 10 }, lost), [[], ['lost.txt']]);
  (await desk.owner.put('/settings', { values: { 'mail.attachments_megabytes': 51 } })).must(400);
});

test('a mail that is too big for the relay is sent again with links', async (t) => {
  const desk = await open(t), to = await relayFor(t, desk, {}, { size: 200_000 });
  const talk = await opened(desk), file = await uploads(desk)('big.txt', 'text/plain', Buffer.alloc(300_000, 'x'));
  const { posts: [{ id }] } = await desk.staff.create(`/cases/${talk.id}/reply`, { contents: 'Look', channel: 'MAIL', attachment_file_ids: [file] });
  const mail = await to.mail();
  assert.deepEqual([named(mail), linked(mail)], [[], ['big.txt']]);
  await until('the status', async () => (await messageOf(desk, talk, id)).message_status === 'SENT');
  assert.equal(to.mails.length, 1);
});

test('a mail that is too big for the relay without its files, too, is rejected, and an empty file is no reason to send it again', async (t) => {
  const { desk, to, talk, reply } = await mailing(t);
  const empty = await uploads(desk)('empty.txt', 'text/plain', '');
  await to.tell({ replies: Array(8).fill('552 5.3.4 too big') });
  const id = await reply({ channel: 'MAIL', attachment_file_ids: [empty] });
  await until('an end', async () => to.mails.length || (await messageOf(desk, talk, id)).message_status === 'REJECTED');
  assert.deepEqual([(await messageOf(desk, talk, id)).message_status, to.refused.length, to.mails.length], ['REJECTED', 2, 0]);
});

test('a reply without a channel to a MAIL conversation is mailed, and so is a message of staff', async (t) => {
  const { desk, to, talk, reply } = await mailing(t, { channel: 'MAIL' });
  await reply({ contents: 'First' });
  await to.find(desk.people.customer.email, /Re/);
  await desk.staff.create(`/conversations/${talk.id}/messages`, { contents: 'Second', client_id: 'x' });
  await desk.staff.create(`/conversations/${talk.id}/messages`, { contents: 'Second', client_id: 'x' });
  await desk.customer.create(`/conversations/${talk.id}/messages`, { contents: 'Thanks' });
  await reply({ contents: 'A note', channel: 'NOTE' });
  await reply({ contents: 'On the page', channel: 'HELPCENTER' });
  await reply({ contents: 'Third' });
  await until('three mails', () => to.mails.length >= 3);
  assert.deepEqual(to.mails.map((m) => m.text.split('\r')[0]).sort(), ['First', 'Second', 'Third']);
});

test('opening a MAIL conversation sends no mail, because importers open conversations too', async (t) => {
  const { desk, to, reply } = await mailing(t, { channel: 'MAIL' });
  await reply({ contents: 'Only this' });
  await to.mail();
  assert.equal(to.mails.length, 1);
  assert.equal(desk.sql('SELECT COUNT(*) FROM outgoing_mails').trim(), '1');
});

test('people in cc get a mail each and become participants, once each, and unknown addresses become customers', async (t) => {
  const { desk, to, talk, reply } = await mailing(t);
  const cc = ['grace@people.example', 'GRACE@people.example', desk.people.customer.email, desk.people.collaborator.email];
  await reply({ channel: 'MAIL', channel_options: { cc } });
  await until('three mails', () => to.mails.length >= 3);
  assert.deepEqual(to.mails.map((m) => m.to[0]).sort(), [desk.people.collaborator.email, desk.people.customer.email, 'grace@people.example'].sort());
  const grace = (await desk.owner.fetch('/users', { email: 'grace@people.example' }))[0];
  assert.equal(grace.full_name, 'grace', 'the name shows no address to customers');
  const people = (await desk.staff.get(`/cases/${talk.id}/participants`)).must(200).body;
  assert.deepEqual(people.data.map((p) => p.id).sort(), [desk.people.customer.id, desk.people.agent.id, desk.people.collaborator.id, grace.id].sort());
  assert.equal(people.resource, 'user_minimal');
  await reply({ channel: 'MAIL', channel_options: { cc: 'grace@people.example, ada@people.example' } });
  await until('six mails', () => to.mails.length >= 6);
});

test('a requester who replies to their own conversation gets a mail if they are in cc', async (t) => {
  const { desk, to, reply } = await mailing(t);
  const { agent, customer } = desk.people, own = await opened(desk, { requester_id: agent.id });
  (await desk.staff.post(`/cases/${own.id}/reply`, { contents: 'Done.', channel: 'MAIL', channel_options: { cc: [customer.email] } })).must(201);
  (await desk.staff.post(`/cases/${own.id}/reply`, { contents: 'For me.', channel: 'MAIL', channel_options: { cc: [agent.email] } })).must(201);
  await reply({ channel: 'MAIL' });
  await until('three mails', () => to.mails.length >= 3);
  assert.deepEqual(to.mails.map((m) => `${m.to} ${m.text.split('\r')[0]}`).sort(), [`${agent.email} For me.`, `${customer.email} Done.`, `${customer.email} Turn it off.`]);
});

test('a case_message names its recipients, with the delivery status of each mail', async (t) => {
  const { desk, to, talk, reply } = await mailing(t);
  const { customer } = desk.people, cc = ['grace@people.example'];
  await reply({ channel: 'HELPCENTER', contents: 'Not mailed' });
  const id = await reply({ channel: 'MAIL', channel_options: { cc } });
  const shown = async () => (await desk.staff.fetch(`/cases/${talk.id}/messages`))[0];
  const status = async (n) => (await shown()).recipients[n].email_delivery_status;
  await to.find(customer.email);
  await deliver(desk, fixture('postfix', await to.find(cc[0])));
  await until('the statuses', async () => (await status(0)) === 'SENT' && (await status(1)) === 'BOUNCED');
  const [grace] = await desk.owner.fetch('/users', { email: cc[0], include: 'identity_email' });
  const message = await shown();
  assert.equal(message.id, id);
  const [own, copy] = message.recipients;
  assert.deepEqual(Object.keys(own), ['email', 'identity', 'name', 'type', 'email_delivery_status', 'email_delivery_status_updated_at', 'resource_type']);
  assert.deepEqual([own.identity.resource_type, own.name, own.type, own.email_delivery_status_updated_at, own.resource_type],
    ['identity_email', 'Cora Customer', 'TO', iso(desk.clock.now), 'message_recipient']);
  assert.deepEqual([own.email, copy.email], [customer.email, cc[0]]);
  assert.deepEqual([copy.identity.id, copy.name, copy.type], [grace.emails[0].id, 'grace', 'CC']);
  const list = await desk.staff.fetch(`/cases/${talk.id}/messages`, { include: 'identity_email' });
  assert.equal(list[0].recipients[0].identity.email, customer.email);
  assert.deepEqual(list.slice(1).map((m) => m.recipients), [[], []]);
  const [post] = await desk.staff.fetch(`/cases/${talk.id}/posts`, { filters: 'MESSAGES', include: 'case_message' });
  assert.equal(post.original.recipients.length, 2);
  assert.ok(!('recipients' in (await messageOf(desk, talk, id))), 'customers see no recipients');
  (await desk.owner.delete(`/users/${grace.id}`, { purge: true })).must(200);
  await until('the purge', async () => (await shown()).recipients.length === 1);
});

test('a person who got a copy sees neither the conversation nor its messages', async (t) => {
  const { desk, talk, reply } = await mailing(t);
  const grace = await desk.person('customer');
  await reply({ channel: 'MAIL', channel_options: { cc: [grace.email] } });
  for (const path of [`/conversations/${talk.id}`, `/conversations/${talk.id}/messages`, `/conversations/${talk.id}/participants`])
    (await grace.client.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.ok((await desk.customer.fetch(`/conversations/${talk.id}/participants`)).some((p) => p.id === grace.user.id));
});

test('each bad address in cc is named, and nothing is stored or sent', async (t) => {
  const { desk, talk, send } = await mailing(t);
  const wrong = await send({ channel: 'MAIL', channel_options: { cc: ['a@b.example', 'no', 'x y@b.example', 7] } });
  assert.equal(wrong.status, 400);
  assert.deepEqual(wrong.body.errors.map((e) => [e.code, e.parameter, e.pointer]), [1, 2, 3].map((n) => ['FIELD_INVALID', 'channel_options.cc', `channel_options/cc/${n}`]));
  for (const cc of [{ a: 1 }, Array.from({ length: 51 }, (_, i) => `p${i}@b.example`)])
    assert.equal((await send({ channel: 'MAIL', channel_options: { cc } })).refused(400, 'FIELD_INVALID', 'channel_options.cc').body.errors[0].pointer, 'channel_options/cc');
  for (const channel of ['NOTE', 'HELPCENTER']) (await send({ channel, channel_options: { cc: ['a@b.example'] } })).refused(400, 'FIELD_INVALID', 'channel_options.cc');
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).post_count, 1);
  assert.equal(desk.sql('SELECT COUNT(*) FROM outgoing_mails').trim(), '0');
});

test('a requester without an e-mail address gets no MAIL, and the channel is not offered', async (t) => {
  const { desk } = await mailing(t);
  const person = await desk.owner.create('/users', { full_name: 'Phone Only', phone: '+4930123456' });
  const talk = await opened(desk, { requester_id: person.id, channel: 'MAIL' });
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'x', channel: 'MAIL' })).refused(400, 'FIELD_INVALID', 'channel');
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'x' })).refused(400, 'FIELD_INVALID', 'channel');
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'x', channel: 'MAIL', requester_id: desk.people.customer.id })).must(201);
  const types = async (id) => (await desk.staff.fetch(`/cases/${id}/reply/channels`)).map((x) => x.type);
  assert.deepEqual(await types(talk.id), ['MAIL', 'HELPCENTER', 'MESSENGER', 'NOTE']);
  const other = await opened(desk, { requester_id: person.id });
  assert.deepEqual(await types(other.id), ['HELPCENTER', 'MESSENGER', 'NOTE']);
});

test('a mail that bounces rejects its message; a copy that bounces does not', async (t) => {
  const { desk, to, talk, reply } = await mailing(t);
  const id = await reply({ channel: 'MAIL', channel_options: { cc: ['grace@people.example'] } });
  const copy = await to.find('grace@people.example'), own = await to.find(desk.people.customer.email);
  await deliver(desk, fixture('postfix', copy));
  assert.equal((await messageOf(desk, talk, id)).message_status, 'SENT');
  await deliver(desk, fixture('postfix', own));
  const message = await messageOf(desk, talk, id);
  assert.deepEqual([message.message_status, message.message_status_reject_type], ['REJECTED', 'BOUNCE']);
  assert.match(message.message_status_reject_reason, /User unknown/);
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).last_post_status, 'REJECTED');
  assert.ok((await desk.admin.fetch('/changes', { limit: 1000 })).some((x) => x.property === 'message_status' && x.to === 'REJECTED' && x.resource_id === id));
});

test('a message that the customer has seen stays SEEN when its mail bounces', async (t) => {
  const { desk, to, talk, reply } = await mailing(t);
  const id = await reply({ channel: 'MAIL' });
  const mail = await to.mail();
  (await desk.customer.put(`/conversations/${talk.id}/messages/${id}`, { message_status: 'SEEN' })).must(200);
  await deliver(desk, fixture('postfix', mail));
  assert.equal((await messageOf(desk, talk, id)).message_status, 'SEEN');
});

test('a reply that is sent again with its client_id is mailed once, and one that is refused is not mailed', async (t) => {
  const { desk, to, reply, send } = await mailing(t);
  await reply({ channel: 'MAIL', client_id: 'a' });
  await reply({ channel: 'MAIL', client_id: 'a' });
  (await send({ channel: 'MAIL', last_seen_post_id: 1, status_id: 99 })).must(400);
  await reply({ channel: 'MAIL', contents: 'Last' });
  await until('both mails', () => to.mails.length >= 2);
  assert.equal(desk.sql('SELECT COUNT(*) FROM outgoing_mails').trim(), '2');
});

test('mails wait without a relay, and those of a deleted conversation are not sent', async (t) => {
  const desk = await open(t);
  const kept = await opened(desk), gone = await opened(desk);
  for (const talk of [kept, gone]) (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: `Of ${talk.id}`, channel: 'MAIL' })).must(201);
  (await desk.staff.put(`/cases/${gone.id}/trash`)).must(200);
  (await desk.staff.delete('/cases/trash', { ids: gone.id })).must(200);
  const to = await relayFor(t, desk);
  assert.match((await to.mail()).text, new RegExp(`^Of ${kept.id}`));
  assert.equal(desk.sql("SELECT COUNT(*) FROM outgoing_mails").trim(), '1');
});

test('channels have a UUID and no id, are shown as references, and in full with include', async (t) => {
  const desk = await open(t);
  const talk = await opened(desk, { channel: 'MAIL' });
  const types = async (path) => (await desk.staff.fetch(path)).map((x) => x.type);
  assert.deepEqual(await types('/cases/channels'), ['MAIL', 'HELPCENTER', 'MESSENGER']);
  assert.deepEqual(await types('/cases/reply/channels'), ['MAIL', 'HELPCENTER', 'MESSENGER', 'NOTE']);
  const [mail] = await desk.staff.fetch('/cases/channels');
  assert.deepEqual(Object.keys(mail), ['uuid', 'type', 'character_limit', 'account', 'resource_type']);
  assert.deepEqual(talk.source_channel, { uuid: mail.uuid, resource_type: 'channel' });
  const shown = await desk.staff.fetch(`/cases/${talk.id}`, { include: 'channel', fields: '+reply_channels' });
  assert.deepEqual(shown.source_channel, mail);
  assert.deepEqual(mail.account, { id: 1, resource_type: 'mailbox' });
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`, { include: 'channel,mailbox' })).source_channel.account.is_system, true);
  for (const other of (await desk.staff.fetch('/cases/reply/channels')).filter((x) => x.type !== 'MAIL')) assert.equal(other.account, null);
  assert.deepEqual(shown.reply_channels.map((x) => x.type), ['MAIL', 'HELPCENTER', 'MESSENGER', 'NOTE']);
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).reply_channels, undefined);
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'x', channel_id: mail.uuid.replace('1', '9') })).refused(400, 'FIELD_INVALID', 'channel_id');
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'x', channel_id: mail.uuid, channel: 'NOTE' })).refused(400, 'PARAMETERS_INCONSISTENT', 'channel_id');
  const { posts } = (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'x', channel_id: shown.reply_channels[3].uuid })).must(201).data;
  assert.equal((await desk.staff.fetch(`/cases/posts/${posts[0].id}`, { include: 'channel' })).source_channel.type, 'NOTE');
});

test('channels and participants of cases are for staff who see the case, and public channels need cases.public_reply', async (t) => {
  const desk = await open(t);
  const talk = await opened(desk);
  const paths = ['/cases/channels', '/cases/reply/channels', `/cases/${talk.id}/reply/channels`, `/cases/${talk.id}/participants`];
  for (const path of paths) (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
  for (const role of ['collaborator', 'agent', 'admin', 'owner']) for (const path of paths) (await desk.as(role).get(path)).must(200);
  const blind = await desk.person('agent', { agent_case_access: 'SELF' });
  for (const path of paths.slice(2)) (await blind.client.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  const { id } = await desk.admin.create('/roles', { title: 'Notes only', type: 'AGENT' });
  await desk.admin.update(`/roles/${id}/permissions`, { 'cases.public_reply': false });
  const writer = await desk.person('agent', { role_id: id });
  assert.deepEqual((await writer.client.fetch(`/cases/${talk.id}/reply/channels`)).map((x) => x.type), ['NOTE']);
  (await writer.client.post(`/cases/${talk.id}/reply`, { contents: 'x', channel: 'MAIL' })).refused(403, 'PERMISSIONS_DENIED');
});

test('a fingerprint sees the participants of its conversation', async (t) => {
  const desk = await open(t);
  const one = desk.anyone.with({ 'X-Fingerprint-ID': '8b4f0f9e-3f4e-4a3a-9b5d-0a1b2c3d4e5f' }), two = desk.anyone.with({ 'X-Fingerprint-ID': '8b4f0f9e-3f4e-4a3a-9b5d-0a1b2c3d4e60' });
  const talk = (await one.post('/conversations', { name: 'Ada', email: 'ada@people.example', subject: 'Hi', contents: 'Hi' })).must(201).data;
  await desk.staff.create(`/conversations/${talk.id}/messages`, { contents: 'Hello' });
  assert.equal((await one.get(`/conversations/${talk.id}/participants`)).must(200).body.total_count, 2);
  (await two.get(`/conversations/${talk.id}/participants`)).refused(404, 'RESOURCE_NOT_FOUND');
});

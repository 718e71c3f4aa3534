// Mails that leave: headers, tokens, order, undo, bounces (docs/MAIL.md, "Mail out").
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { form, mailIn, multipart, open, raw, relayFor, until, waiting } from './lib/index.mjs';
import { arrive, mailRows, token } from './lib/mails.mjs';

const TOKEN = (letter) => `${letter}\\d+-[a-z2-7]{16}`;

async function mailing(t, values = {}) {
  const desk = await open(t), to = await relayFor(t, desk, values);
  const talk = await desk.staff.create('/cases', { subject: 'Engine', contents: 'It stalls', requester_id: desk.people.customer.id, channel: 'MAIL' });
  const reply = async (contents, body = {}) => (await desk.staff.create(`/cases/${talk.id}/reply`, { contents, channel: 'MAIL', ...body })).posts[0].id;
  const message = (id) => desk.staff.fetch(`/conversations/${talk.id}/messages/${id}`);
  return { desk, to, talk, reply, message };
}

/** Delivers a mail to the return path of a letter, as a mail server does. */
async function bounce(desk, letter, lines, options = {}) {
  await until('the file of recipients', () => readFileSync(join(desk.dir, 'mail/recipients'), 'utf8').includes('desk@example.com'));
  const { status, stderr } = mailIn(desk, lines.join('\n'), { args: ['--recipient', options.recipient ?? letter.from, '--sender', '<>'] });
  assert.deepEqual([status, stderr], [0, '']);
}

test('a mail about a conversation carries its tokens, threads with the earlier ones, and says who sent it', async (t) => {
  const { desk, to, talk, reply } = await mailing(t, { 'mail.subject_tokens': true });
  await reply('First');
  const first = await to.mail();
  const id = first.header('Message-ID');
  assert.match(id, new RegExp(`^<m${talk.id}-[a-z2-7]{16}\\.[0-9a-f-]{36}@\\[127\\.0\\.0\\.1\\]>$`));
  assert.match(first.header('Reply-To'), new RegExp(`desk\\+c${talk.id}-[a-z2-7]{16}@example\\.com`));
  assert.match(first.from, new RegExp(`^desk\\+${TOKEN('b')}@example\\.com$`));
  assert.match(first.subject, new RegExp(`^Re: Engine \\[s${talk.id}-[a-z2-7]{16}\\]$`));
  assert.match(first.header('X-Desk-Loop'), /^[0-9a-f]{32}$/);
  assert.deepEqual(['Auto-Submitted', 'Precedence', 'In-Reply-To', 'References'].map((name) => first.header(name)), [undefined, undefined, undefined, undefined]);
  await reply('Second');
  const second = await to.mail();
  assert.deepEqual([second.header('In-Reply-To'), second.header('References')], [id, id]);
  assert.notEqual(second.header('Message-ID'), id);
  await desk.owner.update('/settings', { values: { 'mail.plus_addresses': false, 'mail.subject_tokens': false } });
  await reply('Third', { channel_options: { cc: ['copy@people.example'] } });
  const third = await to.find(desk.people.customer.email, /^Re: Engine$/), copy = await to.find('copy@people.example');
  assert.deepEqual([third.from, third.header('Reply-To')], ['desk@example.com', undefined]);
  assert.equal(third.header('References').split(/\s+/).length, 2);
  assert.equal(copy.header('References'), undefined, 'Message-IDs of letters to others stay secret');
});

test('an address has a token if its local part then has at most 64 characters, and a long subject keeps its token', async (t) => {
  const { desk, to, talk, reply } = await mailing(t, { 'mail.subject_tokens': true });
  const key = token(desk, 'c', talk.id), room = 63 - key.length;
  for (const [length, wanted] of [[room, `${'d'.repeat(room)}+${key}@example.com`], [room + 1, undefined]]) {
    await desk.owner.update('/settings', { values: { 'mail.from_address': `${'d'.repeat(length)}@example.com` } });
    await reply(`From ${length} letters`);
    const mail = await to.mail();
    assert.equal(mail.header('Reply-To')?.replace(/^.*<|>$/g, ''), wanted);
    assert.match(mail.header('From'), new RegExp(`\\bd{${length}}@example\\.com`));
  }
  await desk.staff.update(`/cases/${talk.id}`, { subject: 'é'.repeat(255) });
  await reply('Long');
  assert.equal((await to.mail()).subject, `Re: ${'é'.repeat(218)} [${token(desk, 's', talk.id)}]`);
});

test('a full mailbox and an unknown one reject a message at once, and a demand for TLS delays it', async (t) => {
  const { desk, to, talk, reply, message } = await mailing(t);
  const file = (await desk.staff.create('/files', raw('text/plain', 'x'), { headers: { 'Content-Disposition': 'attachment; filename="x.txt"' } })).id;
  for (const refusal of ['552 5.2.2 the mailbox is full', '550 5.1.1 unknown user', '599 5.0.0 no']) {
    await to.tell({ replies: [refusal] });
    const id = await reply(refusal, { attachment_file_ids: [file] });
    await until('the refusal', async () => (await message(id)).message_status === 'REJECTED');
  }
  assert.deepEqual(to.mails, [], 'no mail was sent again');
  await to.tell({ replies: ['530 5.7.0 TLS first'] });
  await reply('Later');
  await until('the first try', () => /could not be sent yet/.test(desk.log));
  assert.deepEqual(to.mails, []);
  await desk.clock.forward(60);
  assert.match((await to.mail()).text, /Later/);
});

test('no text of a user adds a header to a mail', async (t) => {
  const { desk, to, talk } = await mailing(t, { 'desk.name': 'Desk =?utf-8?Q?=0D=0ABcc:_x@evil.example?=' });
  const evil = '=?utf-8?Q?x=0D=0ABcc:_evil@example.com?= "<a@b>, \\';
  await desk.staff.update(`/cases/${talk.id}`, { subject: evil });
  const known = ['content-type', 'date', 'from', 'in-reply-to', 'message-id', 'mime-version', 'references', 'reply-to', 'subject', 'to', 'x-desk-loop'];
  await desk.staff.create(`/cases/${talk.id}/reply`, { contents: evil, channel: 'MAIL' });
  const mail = await to.mail();
  assert.deepEqual(mail.defects, []);
  assert.ok(mail.headers.every(([name]) => known.includes(name.toLowerCase())), mail.headers.map(([k]) => k).join());
  assert.equal(mail.subject, `Re: ${evil}`);
});

test('letters of one conversation leave in their order, also when the relay puts off the first one', async (t) => {
  const { desk, to, reply } = await mailing(t);
  await to.tell({ replies: ['451 4.3.0 not now'] });
  await reply('one');
  await until('the refusal', () => to.refused.length === 1);
  for (const text of ['two', 'three', 'four']) await reply(text);
  await until('the record', () => /could not be sent yet/.test(desk.log));
  assert.equal(to.mails.length, 0);
  await desk.clock.forward(30);
  await until('all mails', () => to.mails.length === 4);
  assert.deepEqual(to.mails.map((m) => m.text.split('\r')[0]), ['one', 'two', 'three', 'four']);
});

test('a reply is undone within mail.undo_seconds by its author, and not later', async (t) => {
  const { desk, to, talk, reply, message } = await mailing(t, { 'mail.undo_seconds': 60 });
  const before = await desk.staff.fetch(`/cases/${talk.id}`);
  const id = await reply('Oops');
  (await desk.owner.delete(`/cases/${talk.id}/reply/${id}`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.as('collaborator').delete(`/cases/${talk.id}/reply/${id}`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.delete(`/cases/${talk.id}/reply/${id + 1}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.delete(`/cases/${talk.id}/reply/${id}`)).must(200);
  (await desk.staff.get(`/conversations/${talk.id}/messages/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  const after = await desk.staff.fetch(`/cases/${talk.id}`);
  for (const name of ['status', 'last_replier', 'last_replied_at', 'last_message_preview', 'post_count', 'read_marker']) assert.deepEqual(after[name], before[name], name);
  (await desk.staff.delete(`/cases/${talk.id}/reply/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  const kept = await reply('Meant');
  await desk.clock.forward(60);
  const mail = await to.mail();
  assert.match(mail.text, /^Meant/);
  assert.equal(to.mails.length, 1, 'the first reply was never sent');
  await until('the status', async () => desk.sql(`SELECT status FROM outgoing_mails WHERE post_id = ${kept}`).trim() === '2');
  (await desk.staff.delete(`/cases/${talk.id}/reply/${kept}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal((await message(kept)).message_status, 'SENT');
});

test('the answer to a reply says until when it can be undone, and null if it can not', async (t) => {
  const { desk, talk } = await mailing(t, { 'mail.undo_seconds': 60 });
  const until = async (body, by = desk.staff) => (await by.create(`/cases/${talk.id}/reply`, body)).undo_until;
  assert.equal(Date.parse(await until({ contents: 'By mail', channel: 'MAIL' })), desk.clock.now + 60_000);
  assert.equal(await until({ contents: 'In the help center', channel: 'HELPCENTER' }), null);
  assert.equal(await until({ contents: 'A note', channel: 'NOTE' }), null);
  assert.equal(await until({ contents: 'By one who may not undo', channel: 'MAIL' }, desk.as('collaborator')), null);
  await desk.owner.update('/settings', { values: { 'mail.undo_seconds': 0 } });
  assert.equal(await until({ contents: 'At once', channel: 'MAIL' }), null);
});

test('a reply that was undone is found by no search', async (t) => {
  const { desk, talk, reply } = await mailing(t, { 'mail.undo_seconds': 60 });
  const found = async () => (await desk.staff.fetch('/search', { query: 'zebra' })).map(({ id }) => id);
  const id = await reply('Zebra crossing');
  assert.deepEqual(await found(), [talk.id]);
  (await desk.staff.delete(`/cases/${talk.id}/reply/${id}`)).must(200);
  assert.deepEqual(await found(), []);
  assert.equal(desk.sql("SELECT COUNT(*) FROM search_texts WHERE terms LIKE '%zebra%'").trim(), '0');
});

test('the undo of a reply gives its author the read marker back, and keeps what was read after it', async (t) => {
  const { desk, talk, reply } = await mailing(t, { 'mail.undo_seconds': 60 });
  const marker = async (who) => (await who.fetch(`/cases/${talk.id}`, { include: 'read_marker' })).read_marker;
  const people = async () => (await desk.owner.fetch(`/cases/${talk.id}/participants`)).map((p) => p.id).sort();
  const asks = async (contents) => (await desk.customer.create(`/conversations/${talk.id}/messages`, { contents })).id;
  await asks('Does it?');
  const colleague = await desk.person('agent');
  const [before, there] = [await marker(colleague.client), await people()];
  assert.equal(before.unread_count, 2);
  const undo = async (id) => (await colleague.client.delete(`/cases/${talk.id}/reply/${id}`)).must(200);
  const replies = async (contents) => (await colleague.client.create(`/cases/${talk.id}/reply`, { contents, channel: 'MAIL' })).posts[0].id;
  await undo(await replies('Oops'));
  assert.deepEqual([await marker(colleague.client), await people()], [before, there], 'the first reply of a colleague who has read nothing');

  const own = await reply('I have read the question');
  const read = await marker(desk.staff);
  const oops = await reply('Oops');
  const question = await asks('And this?');
  (await desk.staff.delete(`/cases/${talk.id}/reply/${oops}`)).must(200);
  assert.deepEqual(await marker(desk.staff), { ...read, unread_count: 1 }, 'the question came after the reply, and is unread');
  assert.equal(read.last_read_post_id, own);
  const hasty = await replies('Hasty');
  (await desk.staff.put(`/conversations/${talk.id}/messages/${question}`, { message_status: 'SEEN' })).must(200);
  await undo(hasty);
  const after = await marker(desk.staff);
  assert.deepEqual([after.last_read_post_id, after.unread_count], [question, 0], 'another reader keeps the position');
  const second = await replies('Hasty again');
  (await desk.staff.put(`/conversations/${talk.id}/messages/${second}`, { message_status: 'SEEN' })).must(200);
  assert.equal((await marker(desk.staff)).last_read_post_id, second);
  await undo(second);
  assert.equal((await marker(desk.staff)).last_read_post_id, question, 'a reader of the reply has read the message before it');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('two replies are undone one after the other, in either order', async (t) => {
  const { desk, talk, reply } = await mailing(t, { 'mail.undo_seconds': 60 });
  const state = async () => {
    const { status, last_replier: last, post_count: posts, read_marker: read } = await desk.staff.fetch(`/cases/${talk.id}`, { include: 'read_marker' });
    return { status, last, posts, read: [read.last_read_post_id, read.unread_count] };
  };
  const undo = async (id) => (await desk.staff.delete(`/cases/${talk.id}/reply/${id}`)).must(200);
  const before = await state();
  for (const turned of [false, true]) {
    const [first, second] = [await reply('One'), await reply('Two')];
    for (const id of turned ? [first, second] : [second, first]) await undo(id);
    assert.deepEqual((({ status, ...rest }) => rest)(await state()), (({ status, ...rest }) => rest)(before), turned ? 'the earlier one first' : 'the later one first');
  }
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('an undo leaves a state that was set after the reply', async (t) => {
  const { desk, talk, reply } = await mailing(t, { 'mail.undo_seconds': 60 });
  const status = async () => (await desk.staff.fetch(`/cases/${talk.id}`)).status.id;
  const id = await reply('Oops');
  (await desk.staff.put(`/cases/${talk.id}`, { status_id: 4 })).must(200);
  (await desk.staff.delete(`/cases/${talk.id}/reply/${id}`)).must(200);
  assert.equal(await status(), 4);
});

test('a reply that came by mail is undone: its mail has no message any more, and says why', async (t) => {
  const { desk, talk } = await mailing(t, { 'mail.undo_seconds': 60, 'mail.authserv_id': 'mx.desk.example' });
  const { email } = desk.people.agent;
  await arrive(desk, {
    raw: `Authentication-Results: mx.desk.example; dmarc=pass header.from=${email.split('@')[1]}\r\nFrom: ${email}\r\nTo: desk@example.com\r\nSubject: Re\r\nMessage-ID: <r@x.example>\r\n\r\nOops\r\n`,
    to: `desk+${token(desk, 'c', talk.id)}@example.com`, from: email,
  });
  const [row] = mailRows(desk);
  assert.deepEqual([row.status, row.case_id], ['SUCCESS', talk.id]);
  (await desk.staff.delete(`/cases/${talk.id}/reply/${row.post_id}`)).must(200);
  const shown = await desk.admin.fetch(`/mails/${row.id}`);
  assert.deepEqual([shown.status, shown.case_message, shown.case.id, shown.reason], ['REJECTED', null, talk.id, 'The author has undone the reply.']);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('an undo that is refused says whether the message was mailed', async (t) => {
  const { desk, talk, reply } = await mailing(t, { 'mail.undo_seconds': 60 });
  const refusal = async (id) => (await desk.staff.delete(`/cases/${talk.id}/reply/${id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE').body.errors[0].message;
  assert.match(await refusal(await reply('Seen at once', { channel: 'HELPCENTER' })), /^The message was not sent by e-mail/);
  const late = await reply('Late');
  await desk.clock.forward(61);
  assert.match(await refusal(late), /^mail\.undo_seconds have passed/);
});

test('a reply has the mailbox that it leaves by, and addresses of the desk get no copy', async (t) => {
  const { desk, talk } = await mailing(t, { 'mail.return_path': 'bounces@example.com' });
  await desk.admin.create('/mailboxes', { address: 'sales@example.com' });
  const people = async () => (await desk.owner.fetch(`/cases/${talk.id}/participants`)).length;
  const before = await people();
  const sent = (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'Hello', channel: 'MAIL', channel_options: { cc: ['Desk+x@example.com', 'sales@EXAMPLE.com', 'bounces@example.com', 'bob@people.example'] } })).must(201);
  assert.equal(sent.body.notifications.filter(({ type, message }) => type === 'WARNING' && / is an address of this desk\. It gets no copy\.$/.test(message)).length, 3, sent.text);
  const message = await desk.staff.fetch(`/cases/${talk.id}/messages/${sent.data.posts[0].id}`);
  assert.deepEqual(message.mailbox, { id: 1, resource_type: 'mailbox' });
  const plain = await desk.staff.create(`/conversations/${talk.id}/messages`, { contents: 'Hello again' });
  assert.deepEqual((await desk.staff.fetch(`/cases/${talk.id}/messages/${plain.id}`)).mailbox, { id: 1, resource_type: 'mailbox' });
  const letters = desk.sql(`SELECT recipient FROM outgoing_mails WHERE post_id = ${sent.data.posts[0].id} ORDER BY recipient`).trim().split('\n');
  assert.deepEqual(letters, ['bob@people.example', desk.people.customer.email]);
  assert.equal(await people(), before + 1, 'Bob alone');
});

test('a reference to earlier mails is found in a conversation with many recipients', async (t) => {
  const { desk, to, reply } = await mailing(t);
  const first = await reply('One', { channel_options: { cc: Array.from({ length: 49 }, (_, i) => `copy${i}@people.example`) } });
  await until('the mails', () => count(desk, `post_id = ${first} AND status = 2`) === 50);
  const second = await reply('Two');
  await until('the mail', () => count(desk, `post_id = ${second} AND status = 2`) === 1);
  const { email } = desk.people.customer;
  const own = () => to.mails.filter((mail) => mail.to.includes(email));
  await until('both mails', () => own().length === 2);
  const [one, two] = own();
  assert.equal(two.header('References'), one.header('Message-ID'), 'only the mail to the same recipient');
});

test('a notice at the return path of a letter rejects its message, whatever its form', async (t) => {
  const { desk, to, reply, message } = await mailing(t);
  const notices = [
    ['BOUNCE', 'failure notice', 'Hi. This is the qmail-send program at mx.example.\nI\'m afraid I wasn\'t able to deliver your message to the following addresses.\n\n<x@example.com>:\nSorry, no mailbox here by that name. (#5.1.1)'],
    ['BLOCKED', 'Mail', 'Zprava nebyla dorucena.\n554 5.7.1 Message rejected as spam'],
    ['EXPIRED', 'Returned', 'Giving up. 5.4.7 Delivery time expired'],
    ['ERROR', 'System', '554 5.6.0 the format of the message is damaged'],
  ];
  for (const [type, subject, text] of notices) {
    const id = await reply('Text');
    const letter = await to.mail();
    await bounce(desk, letter, ['From: robot@mx.example', `Subject: ${subject}`, 'Date: Mon, 1 Jan 2024 00:00:00 +0000', '', text]);
    await until(`the status of ${type}`, async () => (await message(id)).message_status === 'REJECTED');
    assert.equal((await message(id)).message_status_reject_type, type);
  }
});

test('an absence and a warning at the return path reject nothing', async (t) => {
  const { desk, to, reply, message } = await mailing(t);
  const id = await reply('Text');
  const letter = await to.mail();
  const head = ['From: Mail Delivery Subsystem <mailer-daemon@mx.example>', 'Date: Mon, 1 Jan 2024 00:00:00 +0000'];
  await bounce(desk, letter, [...head, 'Subject: Out of office: Re: Engine', 'Auto-Submitted: auto-replied', '', 'I am on vacation until Monday.']);
  await bounce(desk, letter, [...head, 'Subject: Warning: could not send message for past 4 hours', '', 'This is a warning message only. You do not need to resend your message.\n451 4.4.1 timeout']);
  const [, token] = letter.from.split(/[+@]/);
  const forged = letter.from.replace(token, `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`);
  await bounce(desk, letter, [...head, 'Subject: x', '', '550 5.1.1 unknown'], { recipient: forged });
  await until('the inbox to be empty', () => waiting(desk).length === 0);
  assert.equal((await message(id)).message_status, 'SENT');
  await bounce(desk, letter, [...head, 'Subject: Undelivered Mail Returned to Sender', '', '550 5.1.1 unknown user']);
  await until('the status', async () => (await message(id)).message_status === 'REJECTED');
});

const count = (desk, where) => Number(desk.sql(`SELECT COUNT(*) FROM outgoing_mails WHERE ${where}`).trim());

/** A trigger that mails the requester when the subject changes to one with `go`. */
const telling = (desk) => desk.admin.create('/triggers', {
  title: 'Tell', predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'go' }] }],
  actions: [{ name: 'notificationuser', option: 'SEND', value: -3, attributes: { subject: 'About {{case.subject}}', message: 'See' } }],
});

test('rules mail one address ten times an hour about one conversation, and then again in the next hour', async (t) => {
  const { desk, talk } = await mailing(t);
  await telling(desk);
  const about = (id) => count(desk, `template = 'rule_notification' AND case_id = ${id}`);
  const change = async (id, n) => { for (let i = 0; i < n; i++) await desk.staff.update(`/cases/${id}`, { subject: `go ${id} ${i} ${desk.clock.now}` }); };
  await change(talk.id, 12);
  assert.equal(about(talk.id), 10);
  const other = await desk.staff.create('/cases', { subject: 'Motor', contents: 'x', requester_id: desk.people.customer.id });
  await change(other.id, 1);
  assert.equal(about(other.id), 1, 'another conversation has its own limit');
  await desk.clock.forward(3601);
  await change(talk.id, 1);
  assert.equal(about(talk.id), 11);
});

test('rules mail nothing to an address that had an automatic mail suspended within an hour', async (t) => {
  const { desk, talk } = await mailing(t);
  await telling(desk);
  const from = desk.people.customer.email.toUpperCase();
  await arrive(desk, { raw: `From: ${from}\r\nTo: desk@example.com\r\nSubject: Away\r\nAuto-Submitted: auto-replied\r\n\r\nI am away.\r\n`, to: 'desk@example.com', from: desk.people.customer.email });
  assert.equal(mailRows(desk)[0].suspension, 'OUT_OF_OFFICE_EMAIL');
  await desk.staff.update(`/cases/${talk.id}`, { subject: 'go one' });
  assert.equal(count(desk, "template = 'rule_notification'"), 0);
  await desk.clock.forward(3601);
  await desk.staff.update(`/cases/${talk.id}`, { subject: 'go two' });
  assert.equal(count(desk, "template = 'rule_notification'"), 1);
});

test('a forged address of staff in From keeps no mail of a rule from staff; one with DMARC does', async (t) => {
  const { desk, talk } = await mailing(t, { 'mail.authserv_id': 'mx.desk.example' });
  const { id, email } = desk.people.agent;
  await desk.admin.create('/triggers', {
    title: 'Tell', predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'go' }] }],
    actions: [{ name: 'notificationuser', option: 'SEND', value: id, attributes: { subject: 'About', message: 'See' } }],
  });
  const away = async (...head) => {
    await arrive(desk, { raw: [...head, `From: ${email}`, 'To: desk@example.com', `Subject: Away ${head.length}`, 'Auto-Submitted: auto-replied', '', 'Away.'].join('\r\n'), to: 'desk@example.com', from: email });
    assert.equal(mailRows(desk).at(-1).suspension, 'OUT_OF_OFFICE_EMAIL');
  };
  await away();
  await desk.admin.update(`/cases/${talk.id}`, { subject: 'go one' });
  assert.equal(count(desk, "template = 'rule_notification'"), 1);
  await away(`Authentication-Results: mx.desk.example; dmarc=pass header.from=${email.split('@')[1]}`);
  await desk.admin.update(`/cases/${talk.id}`, { subject: 'go two' });
  assert.equal(count(desk, "template = 'rule_notification'"), 1);
});

test('names of brands, mailboxes and files, and values of templates, add no header, part or tag to a mail', async (t) => {
  const { desk, to } = await mailing(t);
  const evil = '=?utf-8?Q?x=0D=0ABcc:_evil@example.com?= "<b>{{desk}}</b>"; <a@b>';
  const known = ['content-type', 'date', 'from', 'message-id', 'mime-version', 'reply-to', 'subject', 'to', 'x-desk-loop'];
  const brand = await desk.owner.create('/brands', { name: evil });
  const box = await desk.admin.create('/mailboxes', { address: 'evil@example.com', brand_id: brand.id });
  await desk.admin.update(`/mailboxes/${box.id}/verification`, { code: (await to.find('evil@example.com')).hash });
  const file = (await desk.staff.post('/files', raw('text/plain', Buffer.from('abc')), { query: { _filename: 'a"; x="\\=?utf-8?Q?=0D=0ABcc:_x?=.txt' } })).must(201).data;
  const customer = await desk.person('customer', { full_name: evil });
  const seen = to.mails.length;
  const talk = await desk.staff.create('/cases', { subject: evil, contents: evil, requester_id: customer.id, brand_id: brand.id, channel: 'MAIL' });
  for (const name of [null, evil]) {
    await desk.admin.update(`/mailboxes/${box.id}`, { name });
    await desk.staff.create(`/cases/${talk.id}/reply`, { contents: evil, channel: 'MAIL', attachment_file_ids: [file.id] });
  }
  const mails = await until('both mails', () => to.mails.length === seen + 2 && to.mails.slice(seen));
  for (const mail of mails) {
    assert.deepEqual(mail.defects, []);
    assert.deepEqual(mail.headers.map(([name]) => name.toLowerCase()).filter((name) => !known.includes(name) && !['in-reply-to', 'references'].includes(name)), []);
    assert.doesNotMatch(mail.raw, /^Bcc:/mi);
    assert.match(mail.raw, /^From: (=\?UTF-8\?B\?[\w+/=]+\?=\s+)+<evil@example\.com>\r\n/m);
    assert.equal(mail.files.length, 1);
    assert.equal(mail.parts.length, 2);
    assert.ok(mail.text.startsWith(evil), 'a value is no template');
    assert.ok(!mail.html.includes('<b>'), mail.html);
  }
});

test('a mail has the name of the mailbox, else of mail.from_name, else of the brand of the conversation', async (t) => {
  const { desk, to } = await mailing(t);
  const brand = await desk.owner.create('/brands', { name: 'Engines' });
  const talk = await desk.staff.create('/cases', { subject: 'Motor', contents: 'x', requester_id: desk.people.customer.id, brand_id: brand.id, channel: 'MAIL' });
  const from = async (text) => {
    await desk.staff.create(`/cases/${talk.id}/reply`, { contents: text, channel: 'MAIL' });
    return (await until(text, () => to.mails.find((mail) => mail.text.startsWith(text)))).header('From');
  };
  assert.match(await from('one'), /^Engines/);
  await desk.owner.update('/settings', { values: { 'mail.from_name': 'Everybody' } });
  assert.match(await from('two'), /^Everybody/);
  await desk.admin.update('/mailboxes/1', { name: 'Box' });
  assert.match(await from('three'), /^Box/);
});

test('a notice about a suppressed address is DROPPED, and one of a full mailbox that may empty is DEFERRED', async (t) => {
  const { desk, to, reply, message } = await mailing(t);
  for (const [type, text] of [['DROPPED', '550 5.1.1 The address is on the suppression list.'], ['DEFERRED', 'Giving back the mail. 452 4.2.2 The mailbox is full']]) {
    const id = await reply(`Text ${type}`);
    const letter = await until('the mail', () => to.mails.find((mail) => mail.text.startsWith(`Text ${type}`)));
    await bounce(desk, letter, ['From: robot@mx.example', 'Subject: Mail', 'Date: Mon, 1 Jan 2024 00:00:00 +0000', '', text]);
    await until(`the status of ${type}`, async () => (await message(id)).message_status === 'REJECTED');
    assert.equal((await message(id)).message_status_reject_type, type);
  }
});

test('letters move with a merge, in their order, and are deleted with their conversation', async (t) => {
  const { desk, to, talk, reply } = await mailing(t, { 'mail.undo_seconds': 60 });
  const other = await desk.staff.create('/cases', { subject: 'Motor', contents: 'x', requester_id: desk.people.customer.id, channel: 'MAIL' });
  await reply('one');
  await desk.staff.create(`/cases/${other.id}/reply`, { contents: 'two', channel: 'MAIL' });
  await telling(desk);
  await desk.staff.update(`/cases/${other.id}`, { subject: 'go' });
  (await desk.staff.post(`/cases/${talk.id}/merge`, { case_ids: [other.id] })).must(200);
  await until('the end of the merge', async () => {
    await desk.clock.forward(1);
    return count(desk, `case_id = ${other.id}`) === 0;
  });
  assert.equal(count(desk, `case_id = ${talk.id}`), 3);
  await desk.clock.forward(60);
  await until('all mails', () => to.mails.length === 3);
  assert.deepEqual(to.mails.map((mail) => mail.text.split('\r')[0]).filter((text) => text !== 'See'), ['one', 'two']);
  await until('the results', () => count(desk, 'status = 2 AND case_id IS NOT NULL') === 3);
  (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
  (await desk.staff.delete('/cases/trash', { ids: talk.id })).must(200);
  await until('the end of the deletion', async () => {
    await desk.clock.forward(1);
    return count(desk, 'case_id IS NOT NULL') === 0;
  });
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

/** A mail to staff of a desk with TLS: its List-Unsubscribe as a path and a query. */
async function unsubscribing(t) {
  const desk = await open(t, { base: 'https://desk.example' }), to = await relayFor(t, desk);
  const link = (mail) => {
    const url = new URL(mail.header('List-Unsubscribe').slice(1, -1));
    assert.deepEqual([url.protocol, url.host, url.pathname], ['https:', 'desk.example', '/unsubscribe']);
    assert.equal(mail.header('List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
    return { hash: url.searchParams.get('hash') };
  };
  const assigned = async (number) => {
    await desk.admin.create('/cases', { subject: `Engine ${number}`, contents: 'x', requester_id: desk.people.customer.id, assigned_agent_id: desk.people.agent.id });
    return count(desk, "template = 'case_assigned_to_agent'");
  };
  return { desk, to, link, assigned, visit: (query, body) => desk.anyone.exchange(body ? 'POST' : 'GET', '/unsubscribe', { query, ...(body && { body }) }) };
}
const CLICK = { 'List-Unsubscribe': 'One-Click' };

test('a mail to staff has a link that ends such mails to this person: by POST alone, without login', async (t) => {
  const { desk, to, link, assigned, visit } = await unsubscribing(t);
  assert.equal(await assigned(1), 1);
  const query = link(await to.find(desk.people.agent.email));
  const shown = (await visit(query)).must(200);
  assert.match(shown.text, /assigned to you[^]*<form method="post" action="unsubscribe\?hash=/);
  assert.equal(await assigned(2), 2, 'a GET changes nothing');
  assert.match((await visit(query, multipart(CLICK))).must(200).text, /no more/);
  assert.equal(await assigned(3), 2);
  const email = async (client, type) => (await client.fetch(`/notification_preferences/${type}`)).email;
  assert.deepEqual([await email(desk.staff, 'case_assigned_to_agent'), await email(desk.staff, 'reply_on_case'), await email(desk.admin, 'case_assigned_to_agent')], [false, true, true]);
  (await visit(query, form(CLICK))).must(200);
  await desk.staff.update('/notification_preferences/case_assigned_to_agent', { email: true });
  (await visit(query, form(CLICK))).must(200);
  assert.equal(await email(desk.staff, 'case_assigned_to_agent'), false);
});

test('a forged or foreign token ends nothing: 404', async (t) => {
  const { desk, to, link, assigned, visit } = await unsubscribing(t);
  await assigned(1);
  const { hash } = link(await to.find(desk.people.agent.email));
  const [person, type, mac] = hash.split('-');
  for (const forged of ['', 'x', '1-2', `${person}-${type}-`, `${person}-2-${mac}`, `${desk.people.admin.id}-${type}-${mac}`, `${person}-7-${mac}`, `${person}-${type}-${mac.replace(/^./, (c) => (c === '0' ? '1' : '0'))}`, `${hash}0`])
    for (const body of [undefined, form(CLICK)]) (await visit({ hash: forged }, body)).must(404);
  (await visit({}, form({ hash }))).must(404);
  assert.equal(await assigned(2), 2);
  const replied = await desk.staff.create('/cases', { subject: 'Motor', contents: 'x', requester_id: desk.people.customer.id, channel: 'MAIL' });
  await desk.staff.create(`/cases/${replied.id}/reply`, { contents: 'Personal', channel: 'MAIL' });
  assert.equal((await to.find(desk.people.customer.email)).header('List-Unsubscribe'), undefined, 'a reply of a person can not be ended');
});

test('a survey has a link that ends surveys to this person', async (t) => {
  const { desk, to, link, visit } = await unsubscribing(t);
  await desk.admin.create('/triggers', {
    title: 'Ask', predicate_collections: [{ propositions: [{ field: 'cases.casestatusid', operator: 'comparison_equalto', value: '4' }] }],
    actions: [{ name: 'satisfactionsurvey', option: 'SEND', value: true }],
  });
  const complete = async () => {
    const talk = await desk.staff.create('/cases', { subject: 'Engine', contents: 'x', requester_id: desk.people.customer.id });
    await desk.staff.update(`/cases/${talk.id}`, { status_id: 4 });
    return talk;
  };
  await complete();
  const query = link(await to.find(desk.people.customer.email));
  assert.match((await visit(query)).must(200).text, /how content you were/);
  (await visit(query, form(CLICK))).must(200);
  const talk = await complete();
  assert.equal(count(desk, "template = 'survey'"), 1);
  const activities = JSON.stringify(await desk.staff.fetch(`/cases/${talk.id}/activities`));
  assert.match(activities, /has unsubscribed from surveys/);
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).rating_status, 'UNOFFERED');
});

test('the default one of several mailboxes of a brand sends', async (t) => {
  const desk = await open(t), to = await relayFor(t, desk);
  const boxes = [];
  for (const name of ['one', 'two', 'three']) boxes.push(await desk.admin.create('/mailboxes', { address: `${name}@brand.example` }));
  const choose = (id) => { for (const set of ['verified_at = 1, is_default = 0', `is_default = 1 WHERE id = ${id}`]) desk.sql(`UPDATE mailboxes SET ${set}`); };
  choose(boxes[1].id);
  const sender = async () => {
    const talk = await desk.staff.create('/cases', { subject: 'Motor', contents: 'x', requester_id: desk.people.customer.id, channel: 'MAIL' });
    await desk.staff.create(`/cases/${talk.id}/reply`, { contents: `Hello ${talk.id}`, channel: 'MAIL' });
    const letter = await until('the mail', () => to.mails.find((m) => m.text.includes(`Hello ${talk.id}`)));
    return /<?([^<>\s]+@[^<>\s]+?)>?$/.exec(letter.header('From'))[1];
  };
  assert.equal(await sender(), 'two@brand.example');
  choose(1);
  assert.equal(await sender(), 'desk@example.com');
});

// Mails that leave: headers, tokens, order, undo, bounces (docs/MAIL.md, "Mail out").
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, mailIn, open, relay, until, waiting } from './lib/index.mjs';

const TOKEN = (letter) => `${letter}\\d+-[a-z2-7]{16}`;

async function mailing(t, values = {}) {
  const desk = await open(t), to = await relay(t);
  await connect(desk, to, values);
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

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open, relay, until, waiting } from '../api/lib/index.mjs';
import { mailDesk, mailOf, noPostfix, postfix, sendThrough, smtp, swaks } from './servers.mjs';

const check = (name, run) => test(name, { skip: noPostfix, timeout: 300_000 }, run);
const DESK = 'desk.example', CUSTOMERS = 'customers.example';

/** A desk behind a Postfix. Mail for customers.example ends in a relay that keeps it. */
async function world(t, { routes = {}, ...options } = {}) {
  const { desk, lmtp, address } = await mailDesk(t, open, DESK, options);
  const sink = await relay(t);
  const server = await postfix(t, { [DESK]: `lmtp:inet:127.0.0.1:${lmtp}`, [CUSTOMERS]: `smtp:[127.0.0.1]:${sink.port}`, ...routes });
  await sendThrough(desk, server, address);
  return { desk, lmtp, address, sink, server };
}
const conversations = (desk) => desk.owner.fetch('/conversations', { limit: 1000, sort: 'id', order: 'asc' });
const messages = (desk, id) => desk.owner.fetch(`/cases/${id}/messages`, { limit: 100 });
const texts = async (desk, id) => (await messages(desk, id)).map((m) => m.body_text ?? '');
const count = (desk, what) => Number(desk.sql(`SELECT COUNT(*) FROM ${what}`));
const answering = (desk, message = 'We have received {{case.subject}}.') => desk.admin.create('/triggers', {
  title: 'Answer', channel: 'MAIL', event: 'INCOMING_MAIL', predicate_collections: [{ propositions: [{ field: 'cases.state', operator: 'comparison_not_equalto', value: 'TRASH' }] }],
  actions: [{ name: 'notificationuser', option: 'SEND', value: -3, attributes: { subject: 'Received', message } }],
});
const resting = (server, desks) => server.queued() === 0 && desks.every((desk) => waiting(desk).length === 0 && count(desk, "jobs WHERE kind LIKE 'mail%' AND status IN (1, 2)") === 0);
/** Waits until nothing is under way: no mail in the queue, in an inbox, or in a job. It looks twice, because a mail may move while it looks. */
const quiet = (server, ...desks) => until('all mails to be at rest', () => resting(server, desks) && resting(server, desks));

check('a mail through Postfix and LMTP opens a conversation, its answer goes out, and the answer to that finds the conversation', async (t) => {
  const { desk, address, sink, server } = await world(t);
  swaks(server.port, 'ida@customers.example', address, mailOf({ to: address, subject: 'The pump drips', text: 'Since Monday.' }));
  const [talk] = await until('the conversation', async () => (await conversations(desk)).length === 1 && conversations(desk));
  assert.equal(talk.subject, 'The pump drips');
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'Tighten the screw.', channel: 'MAIL' })).must(201);
  const answer = await sink.find('ida@customers.example', /The pump drips/);
  assert.deepEqual([answer.defects ?? [], answer.text.includes('Tighten the screw.')], [[], true]);
  const back = answer.header('Reply-To') ?? answer.header('From');
  const reply = mailOf({ to: back, subject: `Re: ${answer.subject}`, text: 'Done, thanks.', 'In-Reply-To': answer.header('Message-ID'), References: answer.header('Message-ID') });
  swaks(server.port, 'ida@customers.example', /[^<\s]+@[^>\s]+/.exec(back)[0], reply);
  await until('the reply', async () => (await texts(desk, talk.id)).length === 3);
  assert.equal((await conversations(desk)).length, 1);
  assert.ok((await texts(desk, talk.id)).some((text) => text.startsWith('Done, thanks.')));
  await quiet(server, desk);
});

const MAILS = Number(process.env.MAILS ?? 60), KILLS = Number(process.env.KILLS ?? 3); // MAILS=300 KILLS=5 for the long run
check(`${MAILS} mails through Postfix arrive exactly once, although the desk is killed ${KILLS} times`, async (t) => {
  const { desk, address, server } = await world(t);
  const mails = Array.from({ length: MAILS }, (_, i) => {
    const from = `p${i}@customers.example`;
    return { from, to: address, data: mailOf({ from, to: address, subject: `N${String(i).padStart(3, '0')}` }) };
  });
  const sent = smtp(server.port, mails);
  for (let kill = 0; kill < KILLS; kill++) {
    const enough = Math.ceil(MAILS * (kill + 0.1) / (KILLS + 1));
    await until(`${enough} conversations`, () => count(desk, 'cases') >= enough);
    await desk.kill();
    await desk.start();
  }
  assert.ok((await sent).every((reply) => reply.startsWith('250')));
  await until('all mails', () => count(desk, 'cases') >= mails.length, { within: 120_000 });
  await quiet(server, desk);
  assert.deepEqual((await conversations(desk)).map((c) => c.subject).sort(), mails.map((_, i) => `N${String(i).padStart(3, '0')}`));
  assert.equal(count(desk, 'mails'), MAILS);
});

check('smtp-source delivers on 20 connections, each mail once', async (t) => {
  const { desk, address, server } = await world(t);
  const source = spawn('/usr/sbin/smtp-source', ['-s', '20', '-m', '100', '-l', '10240', '-f', 'load@customers.example', '-t', address, '-S', 'Load', `127.0.0.1:${server.port}`]);
  assert.equal(await new Promise((resolve) => source.on('close', resolve)), 0);
  await until('100 mails', () => count(desk, 'mails') >= 100);
  await quiet(server, desk);
  assert.equal(count(desk, 'mails'), 100);
});

check('a mail of the desk that bounces rejects its message, by the keyed return path', async (t) => {
  const { desk, sink, server } = await world(t);
  await sink.tell({ replies: ['550 5.1.1 nobody has this name'] });
  const customer = await desk.person('customer', { email: 'gone@customers.example' });
  const talk = await desk.staff.create('/cases', { subject: 'Pump', contents: 'It drips', requester_id: customer.id });
  const { posts } = (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'Tighten it.', channel: 'MAIL' })).must(201).data;
  const message = () => desk.staff.fetch(`/conversations/${talk.id}/messages/${posts[0].id}`);
  await until('the bounce', async () => (await message()).message_status === 'REJECTED');
  assert.match(JSON.stringify(await message()), /nobody has this name/);
  assert.match(server.log, /to=<support\+b\d+-[a-z2-7]{16}@desk\.example>/);
  await quiet(server, desk);
});

check('an unknown recipient is refused at RCPT, and Postfix returns the mail to its sender', async (t) => {
  const { sink, server } = await world(t);
  swaks(server.port, 'ida@customers.example', `nobody@${DESK}`, mailOf());
  const bounce = await sink.find('ida@customers.example', /Undelivered/);
  assert.match(bounce.raw, /550/);
});

check('two desks with automatic answers stop within two mails', async (t) => {
  const other = 'other.example';
  const one = await mailDesk(t, open, DESK), two = await mailDesk(t, open, other, { ownKey: true });
  const sink = await relay(t);
  const server = await postfix(t, { [DESK]: `lmtp:inet:127.0.0.1:${one.lmtp}`, [other]: `lmtp:inet:127.0.0.1:${two.lmtp}`, [CUSTOMERS]: `smtp:[127.0.0.1]:${sink.port}` });
  for (const { desk, address } of [one, two]) {
    await sendThrough(desk, server, address);
    await answering(desk);
  }
  const customer = await one.desk.person('customer', { email: two.address });
  const talk = await one.desk.staff.create('/cases', { subject: 'Question', contents: 'Hello', requester_id: customer.id });
  (await one.desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'Dear other desk.', channel: 'MAIL' })).must(201);
  await until('the first mail', () => count(two.desk, 'mails') >= 1);
  await until('its answer', () => count(one.desk, 'mails') >= 1);
  for (const { desk, address } of [one, two]) { // a mail behind the others: when it is answered, they have been handled
    swaks(server.port, 'ida@customers.example', address, mailOf({ to: address }));
    await sink.find('ida@customers.example', /Received/);
    await quiet(server, desk);
  }
  await quiet(server, one.desk, two.desk);
  const automatic = [one, two].map(({ desk }) => count(desk, "mails WHERE from_key NOT LIKE 'ida@%'"));
  t.diagnostic(`mails between the desks: ${automatic[1]} there, ${automatic[0]} back`);
  assert.deepEqual(automatic, [1, 1]);
});

// A proper responder (RFC 3834) marks its mails and writes to the return path. The worst one writes to Reply-To, without any sign.
for (const [kind, headers, to, most] of [
  ['that marks its mails', 'Auto-Submitted: auto-replied\n', 'path', 1], ['without any sign', '', 'path', 1], ['without any sign, to the address of the conversation,', '', 'reply_to', 10],
]) {
  check(`a vacation responder ${kind} does not make a loop`, async (t) => {
    const { desk, address, server } = await world(t, { routes: { 'away.example': 'autoreply:' } });
    await answering(desk);
    const script = join(server.dir, 'autoreply');
    writeFileSync(script, `#!/bin/sh
mail=$(cat)
path=$1
reply_to=$(printf '%s\\n' "$mail" | grep -o 'support+c[^>]*' | head -1)
subject=$(printf '%s\\n' "$mail" | sed -n 's/^Subject: //p' | head -1)
{ printf 'From: Away <%s>\\nTo: %s\\nSubject: Re: %s\\nMessage-ID: <%s.%s@away.example>\\n${headers.replace('\n', '\\n')}\\nI am away.\\n' "$2" "$${to}" "$subject" "$(date +%s%N)" "$$"; } |
  swaks --server 127.0.0.1 --port ${server.port} --from "$2" --to "$${to}" --data - --suppress-data --silent 2
`);
    chmodSync(script, 0o755);
    swaks(server.port, 'ida@away.example', address, mailOf({ from: 'Ida <ida@away.example>', to: address, subject: 'Hello' }));
    await until('the last answer of the responder', () => count(desk, 'mails') >= most + 1);
    await quiet(server, desk);
    const suspended = desk.sql('SELECT suspension FROM mails WHERE is_suspended = 1');
    t.diagnostic(`mails in: ${count(desk, 'mails')}, answers: ${count(desk, 'outgoing_mails')}, suspended: ${suspended.trim().split('\n')}`);
    assert.deepEqual([count(desk, 'outgoing_mails'), count(desk, 'mails')], [most, most + 1]);
  });
}

// Channels of new conversations and of replies: one MAIL channel for each mailbox, and conversations that a note opens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clean, open, raw, relayFor } from './lib/index.mjs';

/** A desk with a relay and three mailboxes beside the system's: verified, unverified and disabled. */
async function mailing(t) {
  const desk = await open(t), to = await relayFor(t, desk);
  const box = async (address, more = {}) => (await desk.owner.create('/mailboxes', { address, ...more })).id;
  const sales = await box('sales@desk.example'), fresh = await box('fresh@desk.example'), off = await box('off@desk.example', { is_enabled: false });
  desk.sql(`UPDATE mailboxes SET verified_at = ${desk.clock.now} WHERE id = ${sales}`);
  const letters = () => desk.sql("SELECT recipient FROM outgoing_mails WHERE template = 'case_reply' ORDER BY id").trim().split('\n').filter(Boolean);
  const opened = (more = {}, who = desk.staff) => who.post('/cases', { subject: 'Engine', contents: 'It stalls', requester_id: desk.people.customer.id, ...more });
  return { desk, to, sales, fresh, off, letters, opened };
}

test('each enabled mailbox is a MAIL channel of its own; that of the conversation comes first', async (t) => {
  const { desk, sales, fresh, opened } = await mailing(t);
  const talk = (await opened({ channel_id: sales })).must(201).data, other = (await opened()).must(201).data;
  const accounts = async (path) => (await desk.staff.fetch(path)).filter((c) => c.type === 'MAIL').map((c) => c.account.id);
  for (const path of ['/cases/channels', '/cases/reply/channels', `/cases/${other.id}/channels`, `/cases/${other.id}/reply/channels`]) assert.deepEqual(await accounts(path), [1, sales, fresh], path);
  for (const path of [`/cases/${talk.id}/channels`, `/cases/${talk.id}/reply/channels`]) assert.deepEqual(await accounts(path), [sales, 1, fresh], path);
  const types = async (path) => (await desk.staff.fetch(path)).map((c) => c.type);
  assert.deepEqual(await types(`/cases/${talk.id}/channels`), ['MAIL', 'MAIL', 'MAIL', 'HELPCENTER', 'MESSENGER']);
  assert.deepEqual(await types(`/cases/${talk.id}/reply/channels`), ['MAIL', 'MAIL', 'MAIL', 'HELPCENTER', 'MESSENGER', 'NOTE']);
  const list = await desk.staff.fetch(`/cases/${talk.id}/reply/channels`);
  assert.equal(new Set(list.map((c) => c.uuid)).size, list.length);
  const shown = await desk.staff.fetch(`/cases/${talk.id}`, { include: 'channel', fields: '+reply_channels' });
  assert.deepEqual(shown.reply_channels, list);
  assert.deepEqual([shown.source_channel, shown.last_public_channel], [list[0], list[0]]);
  assert.deepEqual((await desk.staff.fetch(`/cases/${other.id}`, { include: 'channel', fields: '+reply_channels' })).reply_channels.filter((c) => c.type === 'MAIL').map((c) => c.account.id), [1, sales, fresh]);
  const full = await desk.staff.fetch('/cases/reply/channels', { include: 'mailbox' });
  assert.equal(full[1].account.address, 'sales@desk.example');
  (await desk.owner.put(`/mailboxes/${sales}`, { is_enabled: false })).must(200);
  for (const path of ['/cases/channels', `/cases/${talk.id}/channels`]) assert.deepEqual(await accounts(path), [1, fresh], path);
  const silent = await desk.owner.create('/users', { full_name: 'Phone', phone: '+49 30 123456' });
  const quiet = (await opened({ requester_id: silent.id })).must(201).data;
  for (const path of [`/cases/${quiet.id}/channels`, `/cases/${quiet.id}/reply/channels`]) assert.deepEqual(await accounts(path), [], path);
});

test('the channels of a case are for staff who see it', async (t) => {
  const { desk, opened } = await mailing(t);
  const { id } = (await opened()).must(201).data;
  (await (await desk.person('agent', { agent_case_access: 'SELF' })).client.get(`/cases/${id}/channels`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.get('/cases/987654/channels')).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(`/cases/${id}/channels`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get(`/cases/${id}/channels`)).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a reply leaves by the mailbox that channel_id names, by the UUID of its channel or by its id', async (t) => {
  const { desk, to, sales, fresh, off, opened } = await mailing(t);
  const talk = (await opened()).must(201).data, path = `/cases/${talk.id}/reply`;
  const channel = (await desk.staff.fetch('/cases/reply/channels')).find((c) => c.account?.id === sales);
  const from = async (body) => {
    const { posts: [{ id }] } = (await desk.staff.post(path, { contents: 'Turn it off', ...body })).must(201).data;
    const { account } = (await desk.staff.fetch(`/cases/posts/${id}`, { include: 'channel' })).source_channel;
    return [(await to.find(desk.people.customer.email)).header('From').replace(/.*<|>.*/g, ''), account.id];
  };
  for (const channel_id of [channel.uuid, channel.uuid.toUpperCase(), sales, String(sales)]) for (const word of [{}, { channel: 'MAIL' }]) {
    assert.deepEqual(await from({ channel_id, ...word }), ['sales@desk.example', sales], `${channel_id}`);
  }
  const own = await from({ channel: 'MAIL' });
  assert.deepEqual([own[0] === 'sales@desk.example', own[1]], [false, 1], 'the next reply without channel_id leaves by the mailbox of the conversation');
  const unverified = (await desk.staff.post(path, { contents: 'x', channel_id: fresh })).must(201);
  assert.match(unverified.body.notifications.at(-1).message, /not verified/);
  assert.equal((await to.find(desk.people.customer.email)).header('From').includes('fresh'), false);
  for (const channel_id of [off, 987654, 'x', 0, -1, channel.uuid.replace(/.$/, '9'), `${channel.uuid}0`]) (await desk.staff.post(path, { contents: 'x', channel_id })).refused(400, 'FIELD_INVALID', 'channel_id');
  for (const word of ['NOTE', 'HELPCENTER']) (await desk.staff.post(path, { contents: 'x', channel: word, channel_id: sales })).refused(400, 'PARAMETERS_INCONSISTENT', 'channel_id');
  clean(desk);
});

test('POST /cases takes channel_id and channel_options: HTML, and a mail to the requester and the copies', async (t) => {
  const { desk, to, sales, letters, opened } = await mailing(t);
  const body = { contents: '<p>It <b>stalls</b></p><script>alert(1)</script>', channel: 'MAIL', channel_id: sales, channel_options: { html: true, cc: ['grace@people.example', 'sales@desk.example'] } };
  const reply = (await opened(body, desk.staff)).must(201), talk = reply.data;
  assert.match(reply.body.notifications[0].message, /sales@desk\.example is an address of this desk/);
  const mail = await to.find(desk.people.customer.email);
  assert.equal(mail.header('From').replace(/.*<|>.*/g, ''), 'sales@desk.example');
  await to.find('grace@people.example');
  assert.deepEqual(letters(), [desk.people.customer.email, 'grace@people.example']);
  const [message] = await desk.staff.fetch(`/cases/${talk.id}/messages`);
  assert.deepEqual([message.body_html, message.body_text, message.mailbox.id], ['<p>It <b>stalls</b></p>', 'It stalls', sales]);
  assert.deepEqual(message.recipients.map((r) => [r.email, r.type]), [[desk.people.customer.email, 'TO'], ['grace@people.example', 'CC']]);
  assert.deepEqual((await desk.staff.fetch(`/cases/${talk.id}`)).status.id, 1);
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'And now?' })).must(201);
  assert.equal((await to.find(desk.people.customer.email)).header('From').replace(/.*<|>.*/g, ''), 'sales@desk.example', 'replies leave by the same mailbox');
  clean(desk);
});

test('POST /cases mails nobody without channel_id and copies, and never an imported conversation', async (t) => {
  const { desk, sales, letters, opened } = await mailing(t);
  const silent = await desk.owner.create('/users', { full_name: 'Phone', phone: '+49 30 123456' });
  (await opened({ channel: 'MAIL' })).must(201);
  (await opened({ channel: 'MAIL', requester_id: silent.id })).must(201);
  (await opened({ channel: 'HELPCENTER', channel_options: { html: false } })).must(201);
  const imported = (await opened({ channel_id: sales, legacy_id: 'T-1', channel_options: { cc: 'grace@people.example' } })).must(201);
  assert.match(imported.body.logs[0].message, /No mail was sent/);
  assert.deepEqual(letters(), []);
  (await opened({ channel_id: sales, requester_id: silent.id })).refused(400, 'FIELD_INVALID', 'channel_id');
  (await opened({ channel_options: { cc: ['grace@people.example'] } })).refused(400, 'FIELD_INVALID', 'channel_options.cc');
  (await opened({ channel: 'MAIL', channel_options: { cc: ['nobody'] } })).refused(400, 'FIELD_INVALID', 'channel_options.cc');
  (await opened({ channel: 'NOTE', channel_id: sales })).refused(400, 'PARAMETERS_INCONSISTENT', 'channel_id');
  (await opened({ channel_id: 987654 })).refused(400, 'FIELD_INVALID', 'channel_id');
  const { id } = await desk.admin.create('/roles', { title: 'Notes only', type: 'AGENT' });
  await desk.admin.update(`/roles/${id}/permissions`, { 'cases.public_reply': false });
  const writer = (await desk.person('agent', { role_id: id })).client;
  (await opened({ channel_id: sales }, writer)).refused(403, 'PERMISSIONS_DENIED');
  (await opened({ channel: 'NOTE' }, writer)).must(201);
  assert.deepEqual(letters(), []);
});

test('a channel of NOTE opens a conversation by a note, which customers do not see', async (t) => {
  const { desk, opened } = await mailing(t);
  const file = (await desk.staff.post('/files', raw('text/plain', Buffer.from('abc')), { query: { _filename: 'log.txt' } })).must(201).data.id;
  const talk = (await opened({ channel: 'note', contents: 'canary <b>bold</b>', channel_options: { html: true }, attachment_file_ids: [file], tags: 'vip' })).must(201).data;
  const posts = await desk.staff.fetch(`/cases/${talk.id}/posts`, { include: 'channel,note' });
  assert.deepEqual(posts.map((p) => [p.original.resource_type, p.contents, p.source_channel.type, p.original.body_html]), [['note', 'canary bold', 'NOTE', 'canary <b>bold</b>']]);
  assert.deepEqual(posts[0].attachments.map((a) => a.name), ['log.txt']);
  const shown = await desk.staff.fetch(`/cases/${talk.id}`, { include: 'channel' });
  assert.deepEqual([shown.source_channel.type, shown.last_public_channel, shown.post_count, shown.has_notes, shown.last_post_type, shown.last_post_preview, shown.last_message_preview, shown.last_replier, shown.status.id],
    ['NOTE', null, 1, true, 'NOTE', 'canary bold', null, null, 1]);
  const seen = await desk.customer.fetch(`/conversations/${talk.id}`);
  assert.deepEqual([seen.channel, seen.last_message_preview, seen.last_replied_at], ['HELPCENTER', null, null]);
  for (const path of ['/conversations', `/conversations/${talk.id}`, `/conversations/${talk.id}/messages`, `/conversations/${talk.id}/participants`]) assert.doesNotMatch((await desk.customer.get(path, { include: '*' })).must(200).text, /canary|log\.txt/, path);
  clean(desk);
});

test('the first message after a note is a reply: it opens the conversation and ends the clock of the first reply', async (t) => {
  const { desk, opened, letters } = await mailing(t);
  const sla = await desk.owner.create('/slas', { title: 'All', predicate_collections: [], targets: [{ priority_id: null, type: 'FIRST_REPLY_TIME', goal_in_seconds: 3600, operational_hours: 'CALENDAR_HOURS' }] });
  const talk = (await opened({ channel: 'NOTE' })).must(201).data, told = (await opened({ channel: 'NOTE' })).must(201).data;
  await desk.clock.forward(60);
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'Turn it off' })).must(201);
  (await desk.customer.post(`/conversations/${told.id}/messages`, { contents: 'Any news?' })).must(201);
  const now = await desk.staff.fetch(`/cases/${talk.id}`, { include: 'channel,sla_metric' });
  assert.deepEqual([now.status.id, now.last_public_channel.type, now.sla_metrics[0].stage], [2, 'HELPCENTER', 'COMPLETED'], `${sla.id}`);
  assert.deepEqual((await desk.customer.fetch(`/conversations/${told.id}/messages`)).map((m) => [m.channel, m.content_text]), [['HELPCENTER', 'Any news?']]);
  const asked = await desk.staff.fetch(`/cases/${told.id}`, { include: 'sla_metric' });
  assert.deepEqual([asked.status.id, asked.sla_metrics[0].stage], [1, 'ACTIVE']);
  (await desk.staff.post(`/cases/${told.id}/reply`, { contents: 'Yes', channel: 'MAIL' })).must(201);
  assert.deepEqual(letters(), [desk.people.customer.email]);
  clean(desk);
});

test('the agent is told of the first message of a customer in a conversation that a note opened', async (t) => {
  const { desk, opened } = await mailing(t);
  const { id } = (await opened({ channel: 'NOTE', assigned_agent_id: desk.people.agent.id }, desk.admin)).must(201).data;
  const told = () => Number(desk.sql(`SELECT COUNT(*) FROM outgoing_mails WHERE user_id = ${desk.people.agent.id}`).trim());
  const before = told();
  (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'Any news?' })).must(201);
  assert.equal(told(), before + 1);
});

test('rules see the channel NOTE and the text of no message', async (t) => {
  const { desk, opened } = await mailing(t);
  const rule = (title, field, value, operator = 'comparison_equalto') => desk.admin.create('/triggers', { title, predicate_collections: [{ propositions: [{ field, operator, value }] }], actions: [{ name: 'tags', option: 'ADD', value: title }] });
  await rule('noted', 'cases.channel', 'NOTE');
  await rule('said', 'messages.contents', 'stalls', 'string_contains_insensitive');
  const { id } = (await opened({ channel: 'NOTE', contents: 'It stalls' })).must(201).data;
  assert.deepEqual((await desk.staff.fetch(`/cases/${id}/tags`)).map((tag) => tag.name), ['noted']);
});

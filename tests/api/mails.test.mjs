// GET, PUT and DELETE /mails (src/res/mail.c). Rows are inserted, so that each state is there. mail.in.test.mjs delivers mails.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DAY, open, rowsChanged, shared, storedMail, until } from './lib/index.mjs';
import { receive } from './lib/mails.mjs';
import { sql } from './lib/sql.mjs';

/** A download, which is not JSON. */
const download = (client, id, headers = {}) => client.exchange('GET', `/api/v1/mails/${id}/source`, { headers });
/** The file of a raw mail. */
function contentOf(desk, id) {
  const sha256 = sql(desk, `SELECT f.sha256 FROM mails m JOIN files f ON f.id = m.file_id WHERE m.id = ${id}`).trim();
  return join(desk.dir, 'files', sha256.slice(0, 2), sha256);
}
const subjects = (reply) => reply.must(200).data.map((mail) => mail.subject);

describe('mails in all states:', () => {
  const world = shared(async (w) => {
    const { desk } = w;
    const talk = (name) => desk.staff.create('/cases', { subject: name, contents: name, requester_id: desk.people.customer.id });
    w.talk = await talk('Of all');
    w.assigned = await talk('Of one');
    await desk.owner.update(`/cases/${w.assigned.id}`, { assigned_agent_id: desk.people.admin.id });
    w.self = (await desk.person('agent', { agent_case_access: 'SELF' })).client;
    w.mine = await storedMail(desk, { subject: 'case', status: 'SUCCESS', case_id: w.talk.id, post_id: (await desk.staff.fetch(`/cases/${w.talk.id}/messages`))[0].id, dkim: 2, spf: 3, dmarc: 6, time_taken: 7 });
    w.suspended = await storedMail(desk, { subject: 'suspended', code: 'NOT_PARTICIPANT', reason: 'Not on the conversation.' });
    w.failed = await storedMail(desk, { subject: 'failed', status: 'FAILED', reason: 'It has 10,000 nested parts.' });
    w.rejected = await storedMail(desk, { subject: 'rejected', status: 'REJECTED' });
    w.other = await storedMail(desk, { subject: 'other', code: 'SPAM' });
  });

  test('admins list all mails, the newest first; agents and collaborators only suspended ones; owners and customers none', async () => {
    const { desk } = world;
    assert.deepEqual(subjects(await desk.admin.get('/mails')), ['other', 'rejected', 'failed', 'suspended', 'case']);
    for (const caller of [desk.staff, desk.as('collaborator'), world.self]) assert.deepEqual(subjects(await caller.get('/mails')), ['other', 'suspended']);
    for (const caller of [desk.owner, desk.customer]) (await caller.get('/mails')).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get('/mails')).must(401);
  });

  test('is_suspended selects mails; false gives agents and collaborators an empty list', async () => {
    const { desk } = world;
    assert.deepEqual(subjects(await desk.admin.get('/mails', { is_suspended: true })), ['other', 'suspended']);
    assert.deepEqual(subjects(await desk.admin.get('/mails', { is_suspended: false })), ['rejected', 'failed', 'case']);
    for (const caller of [desk.staff, desk.as('collaborator')]) {
      assert.deepEqual(subjects(await caller.get('/mails', { is_suspended: true })), ['other', 'suspended']);
      const none = (await caller.get('/mails', { is_suspended: 'false' })).must(200);
      assert.deepEqual([none.data, none.body.total_count], [[], 0]);
    }
    (await desk.admin.get('/mails', { is_suspended: 'x' })).refused(400, 'FIELD_INVALID', 'is_suspended');
  });

  test('the list has pages by offset and by id', async () => {
    const { desk } = world;
    const page = (await desk.admin.get('/mails', { limit: 2, offset: 1 })).must(200);
    assert.deepEqual([subjects(page), page.body.total_count], [['rejected', 'failed'], 5]);
    assert.deepEqual(subjects(await desk.admin.get('/mails', { after_id: world.failed, limit: 1 })), ['suspended']);
    assert.deepEqual(subjects(await desk.admin.get('/mails', { before_id: world.failed })), ['other', 'rejected']);
    (await desk.admin.get('/mails', { before_id: 1, after_id: 2 })).refused(400, 'PARAMETERS_INCONSISTENT');
  });

  test('a mail shows all its members', async () => {
    const { desk } = world;
    const mail = await desk.admin.fetch(`/mails/${world.mine}`);
    assert.deepEqual(Object.keys(mail), `id from to cc sender subject source text html status suspension_code reason message_id size mailbox case case_message note time_taken is_suspended
      envelope_from recipient door dkim spf dmarc created_at completed_at resource_type resource_url`.split(/\s+/));
    assert.deepEqual([mail.from, mail.to, mail.source, mail.text, mail.status, mail.suspension_code, mail.message_id, mail.time_taken, mail.is_suspended],
      ['Ada <ada@example.net>', 'help@example.com', 'From: a@example.net\r\n\r\nHello\r\n', 'It stops.', 'SUCCESS', null, 'one@example.net', 7, false]);
    assert.deepEqual([mail.mailbox, mail.case, mail.case_message.resource_type], [{ id: 1, resource_type: 'mailbox' }, { id: world.talk.id, resource_type: 'case' }, 'case_message']);
    assert.deepEqual([mail.dkim, mail.spf, mail.dmarc, mail.resource_type], ['PASS', 'FAIL', 'ERROR', 'mail']);
    const suspended = await desk.staff.fetch(`/mails/${world.suspended}`, { include: 'mailbox' });
    assert.deepEqual([suspended.status, suspended.suspension_code, suspended.reason, suspended.is_suspended, suspended.mailbox.is_system], ['SUSPENDED', 'NOT_PARTICIPANT', 'Not on the conversation.', true, true]);
  });

  test('a conversation decides who reads its mail; suspended mails are open to all staff, the others to admins and owners', async () => {
    const { desk } = world;
    const ofOther = await storedMail(desk, { subject: 'assigned', status: 'SUCCESS', case_id: world.assigned.id });
    for (const [id, may] of [[world.mine, ['owner', 'admin', 'agent', 'collaborator']], [ofOther, ['owner', 'admin', 'agent', 'collaborator']],
      [world.suspended, ['owner', 'admin', 'agent', 'collaborator', 'self']], [world.failed, ['owner', 'admin']]]) {
      for (const caller of ['owner', 'admin', 'agent', 'collaborator', 'self']) {
        const client = caller === 'self' ? world.self : desk.as(caller);
        for (const reply of [await client.get(`/mails/${id}`), await download(client, id)]) assert.equal(reply.status, may.includes(caller) ? 200 : 404, `${caller}: ${reply}`);
      }
      (await desk.customer.get(`/mails/${id}`)).refused(403, 'PERMISSIONS_DENIED');
    }
    await rowsChanged(desk, `DELETE FROM mails WHERE id = ${ofOther}`);
  });

  test('staff of teams read no mail of a conversation without team that another agent has', async () => {
    const { desk } = world;
    const { client } = await desk.person('agent', { agent_case_access: 'TEAMS' }), admin = (await desk.person('admin', { agent_case_access: 'TEAMS' })).client;
    const taken = await storedMail(desk, { subject: 'taken', status: 'SUCCESS', case_id: world.assigned.id });
    for (const [id, status] of [[world.mine, 200], [taken, 404]]) {
      for (const who of [client, admin]) {
        assert.equal((await who.get(`/mails/${id}`)).status, status);
        assert.equal((await download(who, id)).status, status);
      }
    }
    assert.deepEqual(subjects(await admin.get('/mails', { is_suspended: false })), ['rejected', 'failed', 'case']);
    await rowsChanged(desk, `DELETE FROM mails WHERE id = ${taken}`);
  });

  test('an admin who sees only own conversations does not read the mails of others', async () => {
    const { desk } = world;
    const { client } = await desk.person('admin', { agent_case_access: 'SELF' });
    assert.deepEqual(subjects(await client.get('/mails')), ['other', 'rejected', 'failed', 'suspended']);
    assert.deepEqual(subjects(await client.get('/mails', { is_suspended: false })), ['rejected', 'failed']);
    (await client.get(`/mails/${world.mine}`)).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('only is_suspended=false of a suspended mail is accepted', async () => {
    const { desk } = world;
    for (const path of [`/mails/${world.suspended}`, `/mails?ids=${world.suspended}`]) {
      (await desk.staff.put(path, {})).refused(400, 'FIELD_REQUIRED', 'is_suspended');
      (await desk.staff.put(path, { is_suspended: true })).refused(400, 'FIELD_INVALID', 'is_suspended');
      (await desk.staff.put(path, { is_suspended: 'x' })).refused(400, 'FIELD_INVALID', 'is_suspended');
      for (const caller of [desk.as('collaborator'), desk.customer]) (await caller.put(path, { is_suspended: false })).refused(403, 'PERMISSIONS_DENIED');
    }
    (await desk.staff.put('/mails', { is_suspended: false })).refused(400, 'FIELD_REQUIRED', 'ids');
    for (const id of [world.mine, world.failed]) (await desk.admin.put(`/mails/${id}`, { is_suspended: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.staff.put(`/mails/${world.failed}`, { is_suspended: false })).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.admin.put(`/mails?ids=${world.suspended},${world.failed}`, { is_suspended: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids/1');
    (await desk.admin.put(`/mails?ids=${world.suspended},99999`, { is_suspended: false })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
    assert.equal((await desk.admin.fetch(`/mails/${world.suspended}`)).is_suspended, true);
  });

  test('suspended mails are deleted with their raw bytes, one or several; owners delete only several', async () => {
    const { desk } = world;
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push(await storedMail(desk, { subject: `gone ${i}`, source: `Unique ${i}` }));
    for (const caller of [desk.owner, desk.as('collaborator'), desk.customer]) (await caller.delete(`/mails/${ids[0]}`)).refused(403, 'PERMISSIONS_DENIED');
    for (const caller of [desk.as('collaborator'), desk.customer]) (await caller.delete('/mails', { ids: ids[0] })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.admin.delete(`/mails/${world.mine}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.admin.delete('/mails', { ids: `${ids[0]},${world.mine}` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids/1');
    (await desk.staff.delete('/mails', {})).refused(400, 'FIELD_REQUIRED', 'ids');
    const files = sql(desk, `SELECT file_id FROM mails WHERE id IN (${ids})`).trim().split('\n');
    (await desk.staff.delete(`/mails/${ids[0]}`)).must(200);
    (await desk.admin.delete(`/mails/${ids[1]}`)).must(200);
    assert.equal((await desk.owner.delete('/mails', { ids: `${ids[2]},${ids[3]}` })).must(200).body.total_count, 2);
    (await desk.staff.get(`/mails/${ids[0]}`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.equal(sql(desk, `SELECT COUNT(*) FROM files WHERE id IN (${files}) AND expires_at IS NULL`).trim(), '0');
  });

  test('source shows UTF-8 with U+FFFD for other bytes, and at most 256 KiB; the download has the exact bytes', async () => {
    const { desk } = world;
    const bytes = Buffer.concat([Buffer.from('Subject: ü\r\n\r\n', 'utf8'), Buffer.from([0x00, 0xff, 0xc3, 0x28, 0xe2, 0x82])]);
    const odd = await storedMail(desk, { source: bytes });
    assert.equal((await desk.staff.fetch(`/mails/${odd}`)).source, 'Subject: ü\r\n\r\n\0\ufffd\ufffd(\ufffd\ufffd');
    const reply = (await download(desk.staff, odd)).must(200);
    assert.deepEqual(reply.bytes, bytes);
    assert.deepEqual(['content-type', 'x-content-type-options', 'content-disposition', 'content-security-policy'].map((name) => reply.headers[name]),
      ['message/rfc822', 'nosniff', `attachment; filename="mail-${odd}.eml"`, "default-src 'none'; sandbox"]);
    const part = (await download(desk.staff, odd, { Range: 'bytes=0-6' })).must(206);
    assert.equal(part.text, 'Subject');
    const long = await storedMail(desk, { source: Buffer.from('é'.repeat(140_000)) }); // 280,000 bytes
    const { source } = await desk.staff.fetch(`/mails/${long}`);
    assert.match(source, /^é{131072}\n\[The rest is left out\. GET \/mails\/:id\/source has the whole mail\.\]\n$/);
    assert.equal((await download(desk.staff, long)).must(200).bytes.length, 280_000);
    (await desk.staff.delete('/mails', { ids: `${odd},${long}` })).must(200);
  });

  test('a page of long mails ends before the limit, and `fields` leaves the sources out', async () => {
    const { desk } = world;
    const ids = [];
    for (let i = 0; i < 20; i++) ids.push(await storedMail(desk, { source: Buffer.from('x'.repeat(300_000)), subject: 'long' }));
    const page = (await desk.staff.get('/mails', { limit: 100 })).must(200);
    assert.ok(page.data.length > 5 && page.data.length < 20 && page.text.length < 4.2 * 1024 * 1024, `${page.data.length} items`);
    assert.match(page.body.next_url, /offset=\d+/);
    assert.equal((await desk.staff.get('/mails', { limit: 100, fields: '-source' })).must(200).data.length, 22);
    assert.equal((await desk.staff.delete('/mails', { ids: ids.join() })).must(200).body.total_count, 20);
  });

  test('the HTML of a mail blocks pictures of other servers until the caller asks for them', async () => {
    const { desk } = world;
    const id = await storedMail(desk, { content_html: '<p>Hi <img data-src="https://pictures.example/x.png" alt=""></p>' });
    assert.ok(!/ src="https:/.test((await desk.staff.fetch(`/mails/${id}`)).html));
    assert.match((await desk.staff.fetch(`/mails/${id}`, { remote_pictures: true })).html, / src="https:\/\/pictures\.example/);
    (await desk.staff.delete(`/mails/${id}`)).must(200);
  });

  test('a message that came by mail has its original, its mailbox and its source', async () => {
    const { desk } = world;
    const [{ id: post }] = await desk.staff.fetch(`/cases/${world.talk.id}/messages`);
    await rowsChanged(desk, `UPDATE posts SET mailbox_id = 1 WHERE id = ${post}`);
    const original = await desk.staff.fetch(`/cases/posts/${post}/email_original`);
    assert.deepEqual([original.subject, original.from, original.to, original.html_content, original.source_content], ['case', 'Ada <ada@example.net>', 'help@example.com', null, 'From: a@example.net\r\n\r\nHello\r\n']);
    assert.ok(Date.parse(original.received_at));
    assert.deepEqual((await desk.staff.fetch(`/cases/${world.talk.id}/messages/${post}`)).mailbox, { id: 1, resource_type: 'mailbox' });
    (await world.self.get(`/cases/posts/${post}/email_original`)).refused(404, 'RESOURCE_NOT_FOUND');
    const [{ id: another }] = await desk.staff.fetch(`/cases/${world.assigned.id}/messages`);
    (await desk.staff.get(`/cases/posts/${another}/email_original`)).refused(404, 'RESOURCE_NOT_FOUND');
  });
});

test('the mails of a conversation follow a merge, and go with the conversation for ever', async (t) => {
  const desk = await open(t);
  const talk = (name) => desk.staff.create('/cases', { subject: name, contents: name, requester_id: desk.people.customer.id });
  const [into, merged] = [await talk('Into'), await talk('Merged')];
  const id = await storedMail(desk, { status: 'SUCCESS', case_id: merged.id });
  const file = sql(desk, `SELECT file_id FROM mails WHERE id = ${id}`).trim();
  (await desk.staff.post(`/cases/${into.id}/merge`, { case_ids: [merged.id] })).must(200);
  assert.equal((await desk.admin.fetch(`/mails/${id}`)).case.id, into.id);
  await desk.staff.update(`/cases/${into.id}/trash`);
  (await desk.admin.delete('/cases/trash', { ids: into.id })).must(200);
  (await desk.admin.get(`/mails/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  await until('the cascade', () => sql(desk, 'SELECT COUNT(*) FROM mails').trim() === '0');
  assert.equal(sql(desk, `SELECT COUNT(*) FROM files WHERE id = ${file} AND expires_at IS NULL`).trim(), '0');
});

test('a purge of a person erases what the person\'s mails said, and their raw bytes', async (t) => {
  const desk = await open(t);
  const { id: person, email } = await desk.person('customer');
  const known = await storedMail(desk, { status: 'SUCCESS', sender_id: person, content_html: '<p>Hi</p>' });
  const unknown = await storedMail(desk, { from_key: email, subject: 'Not yet known' });
  const other = await storedMail(desk, { subject: 'Of another' });
  sql(desk, 'UPDATE mails SET to_addresses = \'["help@example.com"]\'');
  const files = sql(desk, `SELECT file_id FROM mails WHERE id IN (${[known, unknown]})`).trim().split('\n');
  (await desk.owner.delete(`/users/${person}`, { purge: true })).must(200);
  for (const id of [known, unknown]) {
    const mail = await until('the erasure', async () => {
      const now = await desk.admin.fetch(`/mails/${id}`);
      return now.subject === null ? now : undefined;
    });
    assert.deepEqual([mail.from, mail.to, mail.sender, mail.text, mail.html, mail.source, mail.message_id], Array(7).fill(null));
    (await desk.admin.get(`/mails/${id}/source`)).refused(404, 'RESOURCE_NOT_FOUND');
  }
  assert.equal(sql(desk, `SELECT COUNT(*) FROM mails WHERE id IN (${[known, unknown]}) AND to_addresses IS NOT NULL`).trim(), '0');
  assert.equal((await desk.admin.fetch(`/mails/${other}`)).subject, 'Of another');
  assert.equal(sql(desk, `SELECT COUNT(*) FROM files WHERE id IN (${files}) AND expires_at IS NULL`).trim(), '0');
});

test('old suspended mails, and old finished ones without a conversation, are deleted after mail.mails_kept_days', async (t) => {
  const desk = await open(t);
  const talk = await desk.staff.create('/cases', { subject: 'Kept', contents: 'Kept', requester_id: desk.people.customer.id });
  await storedMail(desk, { subject: 'suspended' });
  await storedMail(desk, { subject: 'suspended of a case', case_id: talk.id });
  await storedMail(desk, { subject: 'failed', status: 'FAILED' });
  await storedMail(desk, { subject: 'case', status: 'SUCCESS', case_id: talk.id });
  await storedMail(desk, { subject: 'processing', status: 'PROCESSING' });
  sql(desk, `INSERT INTO mail_arrivals (digest, arrived_at) VALUES ('old', ${desk.clock.now})`);
  await desk.owner.put('/settings', { values: { 'mail.mails_kept_days': '0' } });
  await desk.clock.forward(8 * DAY);
  await desk.restart(); // the sweeper runs at the start
  await until('the arrivals to go', () => sql(desk, 'SELECT COUNT(*) FROM mail_arrivals').trim() === '0');
  assert.equal((await desk.admin.get('/mails')).must(200).body.total_count, 5);
  await storedMail(desk, { subject: 'new' });
  await desk.owner.put('/settings', { values: { 'mail.mails_kept_days': '7' } });
  await desk.restart();
  await until('the old mails to go', async () => (await desk.admin.get('/mails')).must(200).body.total_count === 3);
  assert.deepEqual((await desk.admin.fetch('/mails')).map((mail) => mail.subject), ['new', 'processing', 'case']);
  assert.equal(sql(desk, 'SELECT COUNT(*) FROM files WHERE expires_at IS NULL').trim(), '3');
});

test('a released mail is processed as if it had just arrived, one or several', async (t) => {
  const desk = await open(t);
  await desk.owner.put('/settings', { values: { 'mail.from_address': 'desk@example.com' } });
  const list = (n) => receive(desk, `From: Ada <ada${n}@people.example>\r\nTo: desk@example.com\r\nSubject: News ${n}\r\nMessage-ID: <${n}@people.example>\r\nList-Id: <news.example>\r\n\r\nHello ${n}\r\n`);
  const mails = [await list(1), await list(2), await list(3)];
  for (const mail of mails) assert.deepEqual([mail.status, mail.suspension], ['SUSPENDED', 'AUTOMATED_EMAIL']);
  const done = (id) => until('the release', async () => {
    const now = await desk.admin.fetch(`/mails/${id}`);
    return now.status === 'SUCCESS' ? now : undefined;
  });
  assert.equal((await desk.staff.update(`/mails/${mails[0].id}`, { is_suspended: false })).is_suspended, false);
  assert.equal((await desk.owner.put(`/mails?ids=${mails[1].id},${mails[2].id}`, { is_suspended: false })).must(200).body.total_count, 2);
  for (const [i, { id }] of mails.entries()) {
    const mail = await done(id);
    assert.deepEqual([mail.suspension_code, mail.is_suspended, mail.text.trim()], ['AUTOMATED_EMAIL', false, `Hello ${i + 1}`]);
    const original = await desk.staff.fetch(`/cases/posts/${mail.case_message.id}/email_original`);
    assert.match(original.source_content, /List-Id: <news\.example>/);
    const { mailbox, creation_mode: mode } = await desk.staff.fetch(`/cases/${mail.case.id}/messages/${mail.case_message.id}`);
    assert.deepEqual([mailbox?.id, mode], [1, 'MAIL']);
    (await desk.admin.put(`/mails/${id}`, { is_suspended: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  }
});

test('a released mail without a conversation is for admins and owners, and a second release is refused', async (t) => {
  const desk = await open(t);
  await desk.owner.put('/settings', { values: { 'mail.from_address': 'desk@example.com' } });
  const id = await storedMail(desk, { subject: 'slow', status: 'PROCESSING', suspension: 12 }); // released, and its job has not run
  const over = await storedMail(desk, { subject: 'disabled', status: 'REJECTED', suspension: 12 });
  const narrow = (await desk.person('admin', { agent_case_access: 'SELF' })).client, helper = (await desk.person('collaborator')).client;
  for (const one of [id, over]) {
    for (const client of [desk.staff, helper]) (await client.get(`/mails/${one}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.put(`/mails/${one}`, { is_suspended: false })).refused(404, 'RESOURCE_NOT_FOUND');
    for (const client of [desk.owner, desk.admin, narrow]) {
      (await client.get(`/mails/${one}`)).must(200);
      (await client.put(`/mails/${one}`, { is_suspended: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    }
  }
  assert.deepEqual((await desk.staff.get('/mails')).must(200).data, [], 'the list of agents has suspended mails only');
  for (const client of [desk.admin, narrow]) assert.equal((await client.get('/mails')).must(200).body.total_count, 2);
});

test('a released mail that can\'t be processed is suspended again, with the reason, and can be released again', async (t) => {
  const desk = await open(t, { processes: 1 }); // a second one may still store the content of the same mail
  await desk.owner.put('/settings', { values: { 'mail.from_address': 'desk@example.com' } });
  const source = 'From: Ada <ada@people.example>\r\nTo: desk@example.com\r\nSubject: News\r\nList-Id: <news.example>\r\n\r\nHello\r\n';
  const row = await receive(desk, source);
  const file = contentOf(desk, row.id), bytes = readFileSync(file);
  rmSync(file);
  const again = async () => {
    (await desk.staff.put(`/mails/${row.id}`, { is_suspended: false })).must(200);
    return until('the end of the release', async () => {
      const now = await desk.admin.fetch(`/mails/${row.id}`);
      return now.status === 'PROCESSING' ? undefined : now;
    });
  };
  const failed = await again();
  assert.deepEqual([failed.status, failed.is_suspended, failed.suspension_code, failed.reason, failed.completed_at, failed.text.trim(), failed.mailbox.id],
    ['SUSPENDED', true, 'AUTOMATED_EMAIL', 'The mail was released, but could not be processed: The raw mail is lost.', null, 'Hello', 1]);
  mkdirSync(file); // not readable as a file
  const unread = await again();
  assert.deepEqual([unread.status, unread.reason], ['SUSPENDED', 'The mail was released, but could not be processed: The raw mail can\'t be read: Is a directory.']);
  rmSync(file, { recursive: true });
  writeFileSync(file, bytes);
  const done = await again();
  assert.deepEqual([done.status, done.reason, done.suspension_code], ['SUCCESS', null, 'AUTOMATED_EMAIL']);
});

test('a trigger on INCOMING_MAIL sees the verdicts of the mail', async (t) => {
  const desk = await open(t);
  await desk.owner.put('/settings', { values: { 'mail.from_address': 'desk@example.com', 'mail.authserv_id': 'mx.example.com' } });
  const trigger = (field, operator, value, tag) => desk.admin.create('/triggers', {
    title: tag, channel: 'MAIL', event: 'INCOMING_MAIL', predicate_collections: [{ propositions: [{ field, operator, value }] }], actions: [{ name: 'tags', option: 'ADD', value: [tag] }],
  });
  await trigger('mails.dmarc', 'comparison_equalto', 'FAIL', 'forged');
  await trigger('mails.spf', 'comparison_equalto', 'PASS', 'sent');
  const mail = (n, result) => receive(desk, `Authentication-Results: mx.example.com; ${result}\r\nFrom: Ada <ada${n}@people.example>\r\nTo: desk@example.com\r\nSubject: ${n}\r\nMessage-ID: <${n}@x.example>\r\n\r\nHello\r\n`);
  const tags = async (row) => (await desk.staff.fetch(`/cases/${row.case_id}/tags`)).map((x) => x.name);
  assert.deepEqual(await tags(await mail(1, 'dmarc=fail header.from=people.example; spf=pass smtp.mailfrom=people.example')), ['forged', 'sent']);
  assert.deepEqual(await tags(await mail(2, 'dmarc=pass header.from=people.example; spf=softfail smtp.mailfrom=people.example')), []);
});

test('a trigger on INCOMING_MAIL sees each address of To and Cc, and no name', async (t) => {
  const desk = await open(t);
  await desk.owner.put('/settings', { values: { 'mail.from_address': 'desk@example.com' } });
  const trigger = (field, operator, value, tag) => desk.admin.create('/triggers', {
    title: tag, channel: 'MAIL', event: 'INCOMING_MAIL', predicate_collections: [{ propositions: [{ field, operator, value }] }], actions: [{ name: 'tags', option: 'ADD', value: [tag] }],
  });
  await trigger('mails.to', 'string_contains_insensitive', 'sales@EXAMPLE.com', 'sales');
  await trigger('mails.cc', 'string_contains_insensitive', '@partner.example', 'partner');
  await trigger('mails.to', 'string_contains_insensitive', 'boss', 'named');
  const mail = (n, head) => receive(desk, `From: Ada <ada${n}@people.example>\r\n${head}\r\nSubject: ${n}\r\nMessage-ID: <${n}@x.example>\r\n\r\nHello\r\n`);
  const tags = async (row) => (await desk.staff.fetch(`/cases/${row.case_id}/tags`)).map((x) => x.name).sort();
  assert.deepEqual(await tags(await mail(1, 'To: desk@example.com, "The boss, of all" <Sales@Example.com>\r\nCc: Bob <bob@partner.example>')), ['partner', 'sales']);
  assert.deepEqual(await tags(await mail(2, 'To: "sales@example.com" <desk@example.com>\r\nCc: sales@example.com')), []);
  const shown = (await desk.admin.fetch('/mails'))[1];
  assert.deepEqual([shown.to, shown.cc], ['desk@example.com, "The boss, of all" <Sales@Example.com>', 'Bob <bob@partner.example>']);
  assert.equal(sql(desk, 'SELECT cc_addresses FROM mails ORDER BY id LIMIT 1').trim(), '["bob@partner.example"]');
});

test('totals of mails are counted in an index, not in the rows with their texts', { skip: /^postgres/.test(process.env.DATABASE ?? '') }, async (t) => {
  const desk = await open(t);
  for (const where of ['1 = 1', 'is_suspended = 0', 'is_suspended = 1'])
    assert.match(sql(desk, `EXPLAIN QUERY PLAN SELECT COUNT(*) FROM mails t WHERE ${where}`), /COVERING INDEX mails_by_suspension/, where);
});

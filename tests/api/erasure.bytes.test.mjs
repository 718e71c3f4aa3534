import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deskd, open, raw, until } from './lib/index.mjs';
import { storedMail } from './lib/mailrows.mjs';
import { sql } from './lib/sql.mjs';
import { CLUSTER } from './lib/stores.mjs';

/* Each canary is a word that nothing else has. Letters and digits only, so that the search index has it as it is. */
const canary = (name) => `qzk${name}xvj`;
/* Gone after every erasure. */
const IDENTIFYING = ['fullname', 'mail', 'othermail', 'designation', 'greeting', 'signature', 'legacy', 'twitter', 'street', 'city', 'website', 'external', 'tag', 'field', 'fieldfile', 'fieldbytes',
  'noteon', 'agent', 'token', 'event', 'property', 'mailfrom', 'mailsubject', 'mailbody', 'mailraw', 'tothem', 'report', 'delivery', 'attempt', 'search', 'import', 'view', 'macro', 'unattached', 'unattachedbytes', 'draft', 'draftof', 'draftcc', 'newdraft', 'newdraftto', 'newdraftof', 'later', 'latercc',
  'casename', 'postname', 'trail', 'log', 'audit', 'relay', 'mark',
  'formermail', 'formername', 'formertw', 'formerfacebook', 'formerexternal', 'formerfrom', 'formertext', 'formerraw', 'grouped', 'friend', 'friendof'];
/* Gone with contents=true only. */
const TEXTS = ['subject', 'opening', 'reply', 'note', 'file', 'filebytes', 'alt', 'original', 'value', 'rating', 'comment', 'case'];
/* Written by others, elsewhere: they stay. */
const KEPT = ['colleague'];

// On PostgreSQL all databases are read, so no other test has these numbers.
const PHONE = '446681811', FORMER_PHONE = '446681822';

/** The bytes of the store and of the contents, as one text in small letters. */
function bytesOf(desk) {
  const folders = process.env.PGDATA ? [join(process.env.PGDATA, 'base'), join(desk.dir, 'files')] : [desk.dir];
  const texts = [];
  const walk = (folder) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      try {
        if (statSync(path).isDirectory()) walk(path);
        else texts.push(readFileSync(path, 'latin1').toLowerCase());
      } catch (e) {
        if (e.code !== 'ENOENT') throw e; // other tests delete their databases meanwhile
      }
    }
  };
  for (const folder of folders) walk(folder);
  return texts.join('\n');
}
const found = (text, names) => names.filter((name) => text.includes(canary(name)));

/** Gives the person values that the person loses again, and rows of others that have them. */
async function plantFormer(desk, { id, full_name }, other) {
  const { owner } = desk;
  const email = `${canary('formermail')}@people.example`;
  for (const name of [`Jane ${canary('formername')}`, full_name]) await owner.update(`/users/${id}`, { full_name: name });
  for (const [kind, value] of [['emails', { email }], ['phones', { number: `+41${FORMER_PHONE}` }], ['twitter', { screen_name: canary('formertw') }]]) {
    const made = (await owner.post(`/identities/${kind}`, { user_id: id, ...value })).body.data;
    (await owner.delete(`/identities/${kind}/${made.id}`)).must(200);
  }
  for (const [field, value] of [['facebook', canary('formerfacebook')], ['external_identifiers', `shop: ${canary('formerexternal')}`]])
    sql(desk, `INSERT INTO activities (owner_user_id, actor_kind, name, did, fields, previous_values, current_values, created_at) VALUES (${id}, 1, 2, 'x', '["is_enabled","${field}"]', '["1","${value} (primary), b (not validated)"]', '["1",null]', 1)`);
  for (const subject of [email, `call +41${FORMER_PHONE}`, `${canary('grouped')} +41 44 668 18 11`, canary('colleague')]) await owner.update(`/cases/${other.id}`, { subject }); // values of the trail and of the change log
  for (const value of [`Jane ${canary('formername')}`, canary('formertw'), canary('formerfacebook'), canary('formerexternal')])
    sql(desk, `INSERT INTO activities (owner_case_id, actor_kind, name, did, fields, current_values, created_at) VALUES (${other.id}, 1, 9, 'x', '["subject"]', '["${value}"]', 1)`);
  for (const address of [email, 'desk@example.com']) (await owner.put('/settings', { values: { 'mail.from_address': address } })).must(200);
  await storedMail(desk, { from_text: `${canary('formerfrom')} <${email}>`, from_key: email, content_text: canary('formertext') }); // suspended: without a sender
  await storedMail(desk, { status: 'SUCCESS', sender_id: desk.people.customer.id, to_text: `Jane <${email}>`, to_addresses: `["${email}"]`, source: `To: ${canary('formerraw')} <${email}>\r\n\r\nHello\r\n` });
}

async function plant(desk) {
  const { owner, admin, staff } = desk;
  const file = async (who, name, bytes) => (await who.create('/files', raw('text/plain', Buffer.from(canary(bytes))), { query: { _filename: `${canary(name)}.txt` } })).id;
  await owner.create('/users/fields', { key: 'planted', type: 'TEXT', title: 'x', is_visible_to_customers: true });
  await owner.create('/users/fields', { key: 'plantedfile', type: 'FILE', title: 'x', is_visible_to_customers: true, is_customer_editable: true });
  await owner.create('/cases/fields', { key: 'plantedcase', type: 'TEXT', title: 'x' });
  const jane = await desk.person('customer', { full_name: `Jane ${canary('fullname')}`, email: `${canary('mail')}@people.example`, phone: `+41${PHONE}`, designation: canary('designation'), legacy_id: canary('legacy') });
  const { id } = jane;
  await owner.update(`/users/${id}`, { signature: canary('signature'), tags: canary('tag'), field_values: { planted: canary('field') } });
  await jane.client.update('/profile', { field_values: { plantedfile: await file(jane.client, 'fieldfile', 'fieldbytes') } });
  await file(jane.client, 'unattached', 'unattachedbytes');
  await owner.post('/identities/emails', { user_id: id, email: `${canary('othermail')}@people.example` });
  await staff.create(`/users/${id}/notes`, { contents: canary('noteon') });
  await jane.client.with({ 'User-Agent': canary('agent') }).get('/session');
  for (const enabled of [false, true]) await owner.update(`/users/${id}`, { is_enabled: enabled }); // entries about the person in the audit log
  for (const address of [jane.email, 'desk@example.com']) (await owner.put('/settings', { values: { 'mail.from_address': address } })).must(200); // entries that name the person
  const talk = await jane.client.create('/conversations', { subject: canary('subject'), contents: canary('opening'), attachment_file_ids: `${await file(jane.client, 'file', 'filebytes')}` });
  (await staff.post(`/cases/${talk.id}/reply`, { contents: canary('reply') })).must(201);
  await staff.update(`/cases/${talk.id}`, { field_values: { plantedcase: canary('value') } });
  await staff.create(`/cases/${talk.id}/notes`, { contents: canary('note') });
  const other = await staff.create('/cases', { subject: canary('colleague'), contents: 'Kept', requester_id: desk.people.customer.id });
  await staff.update(`/cases/${talk.id}/draft`, { contents: canary('draft') });
  await staff.update(`/cases/${other.id}/draft`, { contents: 'Kept', parameters: { channel_options: { cc: [canary('draftcc'), jane.email] } } });
  await staff.update('/cases/draft', { contents: canary('newdraft'), requester_id: id });
  await desk.admin.update('/cases/draft', { contents: 'x', parameters: { to: [canary('newdraftto'), jane.email] } });
  const send_at = new Date(desk.clock.now + 300 * 86_400_000).toISOString();
  (await staff.post(`/cases/${talk.id}/reply`, { contents: canary('later'), send_at })).must(201);
  (await staff.post(`/cases/${other.id}/reply`, { contents: canary('latercc'), channel: 'MAIL', channel_options: { cc: [jane.email] }, send_at })).must(201);
  await plantFormer(desk, { id, full_name: `Jane ${canary('fullname')}` }, other);
  const post = sql(desk, `SELECT MAX(id) FROM posts WHERE case_id = ${talk.id}`).trim();
  const now = desk.clock.now;
  const mail = await storedMail(desk, { status: 'SUCCESS', sender_id: id, from_text: `Jane <${canary('mailfrom')}@x.example>`, subject: canary('mailsubject'), content_text: canary('mailbody'), source: `From: x\r\n\r\n${canary('mailraw')}\r\n` });
  await storedMail(desk, { status: 'SUCCESS', sender_id: desk.people.customer.id, to_text: `${canary('tothem')} <${jane.email}>`, source: `To: ${canary('tothem')} <${jane.email}>\r\n\r\nHello\r\n` });
  const rows = [
    `INSERT INTO drafts (user_id, case_id, channel, contents, created_at, updated_at) VALUES (${id}, ${other.id}, 1, '${canary('draftof')}', ${now}, ${now})`,
    `INSERT INTO new_case_drafts (user_id, contents, created_at, updated_at) VALUES (${id}, '${canary('newdraftof')}', ${now}, ${now})`,
    `UPDATE users SET greeting = '${canary('greeting')}' WHERE id = ${id}`,
    `INSERT INTO contact_addresses (user_id, is_primary, address1, city, created_at, updated_at) VALUES (${id}, 1, '${canary('street')}', '${canary('city')}', 1, 1)`,
    `INSERT INTO contact_websites (user_id, is_primary, url, created_at, updated_at) VALUES (${id}, 1, 'https://${canary('website')}.example/', 1, 1)`,
    `INSERT INTO external_identifiers (user_id, external_app, external_id, created_at, updated_at) VALUES (${id}, 'shop', '${canary('external')}', 1, 1)`,
    `INSERT INTO identity_twitter (user_id, screen_name, screen_name_key, follower_count, is_verified, is_primary, is_validated, is_claim, created_at, updated_at) VALUES (${id}, '${canary('twitter')}', '${canary('twitter')}', 0, 0, 0, 0, 0, 1, 1)`,
    `INSERT INTO api_tokens (user_id, name, token_hash, scopes, created_at, updated_at) VALUES (${id}, '${canary('token')}', 'x', 1, 1, 1)`,
    `INSERT INTO passkeys (user_id, name, credential_id, algorithm, public_key, sign_count, transports, user_handle, rp_id, created_at, updated_at) VALUES (${id}, '${canary('passkey')}', '${canary('credential')}', -7, '${canary('key')}', 0, '', '${canary('handle')}', 'x', 1, 1)`,
    `INSERT INTO activities (owner_case_id, actor_id, actor_kind, cause, name, did, fields, created_at) VALUES (${other.id}, ${id}, 1, 'API token: ${canary('token')}', 9, 'x', '[]', 1)`,
    `INSERT INTO activities (owner_case_id, actor_kind, name, did, fields, previous_values, current_values, created_at) VALUES (${other.id}, 1, 9, 'x', '["subject"]', '["x"]', '["${canary('trail')} ${jane.email}"]', 1)`,
    `INSERT INTO change_log (kind, object_id, case_id, verb, property, old_value, new_value, actor_kind, changed_at) VALUES ('case', ${other.id}, ${other.id}, 3, 'subject', 'x', '${canary('log')} ${jane.email}', 1, ${now})`,
    `UPDATE audit_values SET details = '{"x":"${canary('audit')}"}' WHERE entry_id IN (SELECT id FROM audit_entries WHERE object_type = 'user' AND object_id = ${id})`,
    `INSERT INTO events (uuid, event, user_id, properties, triggered_at, created_at) VALUES ('00000000-0000-4000-8000-000000000001', '${canary('event')}', ${id}, '{"x":"${canary('property')}"}', 1, 1)`,
    `INSERT INTO events (uuid, event, user_id, properties, triggered_at, created_at) VALUES ('00000000-0000-4000-8000-000000000002', 'x', ${desk.people.customer.id}, '{"friend":"${canary('friend')}","by":"${jane.email}"}', 1, 1)`,
    `INSERT INTO events (uuid, event, user_id, properties, triggered_at, created_at) VALUES ('00000000-0000-4000-8000-000000000003', '${canary('friendof')} ${jane.email}', ${desk.people.customer.id}, '{}', 1, 1)`,
    `UPDATE posts SET reject_reason = '550 ${canary('report')}', creator_name = '${canary('postname')}' WHERE case_id = ${talk.id} AND creator_id = ${id}`,
    `UPDATE files SET user_id = NULL, fingerprint = '${canary('mark')}' WHERE name = '${canary('file')}.txt'`, // uploaded before the login
    `UPDATE cases SET requester_name = '${canary('casename')}' WHERE id = ${talk.id}`,
    `UPDATE outgoing_mails SET last_error = '${canary('relay')} ${jane.email}'`,
    `INSERT INTO outgoing_mails (template, user_id, recipient, message_id, status, attempts, retry_until, last_error, created_at, updated_at) VALUES ('x', NULL, '${jane.email}', 'x', 5, 0, 0, '${canary('relay')} ${jane.email}', 1, 1)`,
    `INSERT INTO endpoints (id, title, type, is_enabled, created_at, updated_at) VALUES (991, 'x', 3, 0, 1, 1)`,
    `INSERT INTO endpoint_deliveries (id, endpoint_id, case_id, event_id, body, cause, status, attempts, next_attempt_at, retry_until, created_at, updated_at) VALUES (991, 991, ${talk.id}, 'x', '${canary('delivery')}', 'x', 3, 1, 0, 0, ${now}, ${now})`,
    `INSERT INTO endpoint_attempts (endpoint_id, delivery_id, result, message, duration, created_at) VALUES (991, 991, 2, '${canary('attempt')}', 1, 1)`,
    `INSERT INTO help_center_searches (name_key, name, attempts, results, searched_at) VALUES ('x', '${canary('search')} ${jane.email}', 1, 0, ${now})`,
    `INSERT INTO jobs (kind, status, input, attempts, run_at, errors, created_at, updated_at) VALUES ('import', 3, '{}', 1, 0, '["${canary('import')} ${jane.email}"]', 1, 1)`,
    `INSERT INTO views (title, type, visibility_type, agent_id, predicate_collections, columns, order_by_column, order_by, is_enabled, is_default, is_system, sort_order, created_at, updated_at) VALUES ('${canary('view')}', 2, 2, ${id}, '{}', '[]', 'id', 1, 1, 0, 0, 0, 1, 1)`,
    `INSERT INTO macros (title, title_key, agent_id, visibility_type, reply_type, usage_count, created_at, updated_at) VALUES ('${canary('macro')}', 'x', ${id}, 1, 1, 0, 1, 1)`,
    `UPDATE post_attachments SET alt = '${canary('alt')}' WHERE post_id IN (SELECT id FROM posts WHERE case_id = ${talk.id})`,
    `INSERT INTO post_originals (post_id, html) VALUES (${post}, '${canary('original')}') ON CONFLICT (post_id) DO UPDATE SET html = '${canary('original')}'`,
    `INSERT INTO case_ratings (case_id, score, comment, creator_id, created_at, updated_at) VALUES (${talk.id}, 1, '${canary('rating')}', ${id}, 1, 1)`,
    `UPDATE cases SET rating = 1, last_message_preview = '${canary('case')}' WHERE id = ${talk.id}`,
  ];
  for (const row of rows) sql(desk, row);
  return { jane, talk, mail };
}

async function article(desk, client) {
  const category = await desk.owner.create('/categories', { titles: [{ locale: 'en-us', translation: 'c' }] });
  const section = await desk.owner.create('/sections', { category_id: category.id, titles: [{ locale: 'en-us', translation: 's' }], visibility: 'PUBLIC' });
  const made = await desk.owner.create('/articles', { section_id: section.id, titles: [{ locale: 'en-us', translation: 'a' }], contents: [{ locale: 'en-us', translation: 'a' }], status: 'PUBLISHED', allow_comments: true });
  (await client.post(`/articles/${made.id}/comments`, { contents: canary('comment') })).must(201);
}

for (const contents of [false, true]) {
  test(`after an erasure with contents=${contents} and deskd compact, no byte of the person is in the store and the contents`, { timeout: 300_000 }, async (t) => {
    const desk = await open(t);
    const { jane } = await plant(desk);
    await article(desk, jane.client);
    await desk.restart();
    sql(desk, process.env.PGDATA ? 'CHECKPOINT' : 'PRAGMA wal_checkpoint(PASSIVE)');
    const before = bytesOf(desk);
    assert.deepEqual(found(before, [...IDENTIFYING, ...TEXTS, ...KEPT]), [...IDENTIFYING, ...TEXTS, ...KEPT], 'planted');
    for (const number of [PHONE, FORMER_PHONE]) assert.ok(before.includes(number), number);

    const { id } = (await desk.admin.post(`/users/${jane.id}/erase`, { contents })).must(202).data;
    const receipt = await until('the erasure', async () => {
      desk.clock.write(desk.clock.now + 1000);
      const now = await desk.admin.fetch(`/erasures/${id}`);
      return now.status === 'COMPLETED' ? now : undefined;
    });
    const removed = Object.fromEntries(receipt.removed.map(({ what, count }) => [what, count]));
    for (const what of ['PROFILE', 'IDENTITIES', 'EVENTS', 'AUDIT_VALUES', 'HELP_CENTER_SEARCHES', 'JOB_INPUTS', 'INCOMING_MAILS', 'ENDPOINT_DELIVERIES', 'NOTES_ON_PERSON']) assert.ok(removed[what] >= 1, what);
    assert.equal(removed.MESSAGE_TEXTS >= 2, contents);
    const unused = () => Number(sql(desk, `SELECT COUNT(*) FROM files WHERE expires_at < ${desk.clock.now}`).trim());
    await desk.restart(); // the sweeper runs at the start
    await until('the sweep of files', () => unused() === 0);
    await desk.stop();
    const compacted = deskd('compact', ...desk.store, '--files', join(desk.dir, 'files'));
    assert.deepEqual([compacted.status, compacted.stderr], [0, '']);
    const after = bytesOf(desk);
    assert.deepEqual(found(after, IDENTIFYING), []);
    for (const number of [PHONE, FORMER_PHONE]) assert.equal(after.includes(number), false, number);
    assert.deepEqual(found(after, TEXTS), contents ? [] : TEXTS);
    assert.deepEqual(found(after, KEPT), KEPT);
    const checked = desk.check();
    assert.equal(checked.status, 0, checked.stdout);
    await desk.start();
  });
}

test('deskd compact refuses a folder that a server uses, and a desk whose erasures are not complete', async (t) => {
  const desk = await open(t, { url: null, processes: 1 });
  const refused = deskd('compact', '--data', desk.dir);
  assert.deepEqual([refused.status, /in use by another deskd/.test(refused.stderr)], [1, true]);
  await desk.stop();
  spawnSync('sqlite3', [join(desk.dir, 'desk.db'), 'INSERT INTO erasures (user_id, with_contents, status, created_at) VALUES (2, 0, 1, 1)']);
  const early = deskd('compact', '--data', desk.dir);
  assert.deepEqual([early.status, /1 erasures are not complete/.test(early.stderr)], [1, true]);
  await desk.start();
});

test('deskd compact gives a store of 4 KiB pages pages of 2 KiB, and keeps its rows', { skip: CLUSTER && 'pages are those of SQLite' }, async (t) => {
  const desk = await open(t, { url: null, processes: 1 }), store = join(desk.dir, 'desk.db');
  const sqlite = (...lines) => spawnSync('sqlite3', [store, ...lines], { encoding: 'utf8' }).stdout;
  const made = await desk.staff.create('/cases', { subject: 'Kept', contents: 'Kept', requester_id: desk.people.customer.id });
  await desk.stop();
  assert.equal(sqlite('PRAGMA page_size'), '2048\n');
  sqlite('PRAGMA journal_mode=DELETE', 'PRAGMA page_size=4096', 'VACUUM', 'PRAGMA journal_mode=WAL');
  await desk.start();
  await desk.staff.update(`/cases/${made.id}`, { subject: 'Written on large pages' });
  await desk.stop();
  assert.deepEqual([sqlite('PRAGMA page_size'), deskd('check', '--data', desk.dir).status], ['4096\n', 0]);
  const compacted = deskd('compact', '--data', desk.dir);
  assert.deepEqual([compacted.status, compacted.stderr], [0, '']);
  assert.deepEqual([sqlite('PRAGMA page_size'), sqlite('PRAGMA journal_mode'), deskd('check', '--data', desk.dir).status], ['2048\n', 'wal\n', 0]);
  assert.equal(statSync(store).mode & 0o777, 0o600);
  await desk.start();
  assert.equal((await desk.staff.get(`/cases/${made.id}`)).must(200).body.data.subject, 'Written on large pages');
});

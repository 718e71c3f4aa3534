import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, open, raw, until } from './lib/index.mjs';
import { apiToken } from './lib/tokens.mjs';
import { unzip } from './lib/zip.mjs';

/** Erases a person and waits for the receipt. */
async function erased(desk, id, input = {}, who = desk.admin) {
  const begun = (await who.post(`/users/${id}/erase`, input)).must(202).data;
  return until('the erasure', async () => {
    const receipt = await who.fetch(`/erasures/${begun.id}`);
    return receipt.status === 'COMPLETED' ? receipt : undefined;
  });
}
const counts = (receipt) => Object.fromEntries(receipt.removed.map(({ what, count }) => [what, count]));
const reasons = (receipt) => Object.fromEntries(receipt.kept.map(({ what, reason }) => [what, reason]));

test('an erasure removes what identifies the person, and its receipt says what', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { full_name: 'Jane Canary', email: 'jane@canary.example', phone: '+41446681800' });
  await desk.owner.update(`/users/${jane.id}`, { designation: 'Miner', tags: 'singing' });
  const talk = await jane.client.create('/conversations', { subject: 'Broken cage', contents: 'It has a hole.' });
  const receipt = await erased(desk, jane.id);
  assert.deepEqual([receipt.user.id, receipt.status, receipt.with_contents, receipt.requested_by.id, receipt.resource_type], [jane.id, 'COMPLETED', false, desk.people.admin.id, 'erasure']);
  assert.ok(receipt.completed_at >= receipt.created_at);
  const { PROFILE, IDENTITIES, TAGS, CONVERSATION_DETAILS } = counts(receipt);
  assert.deepEqual([PROFILE, IDENTITIES, TAGS, CONVERSATION_DETAILS], [1, 2, 1, 1]);
  assert.match(reasons(receipt).MESSAGE_TEXTS, /contents=true/);
  assert.match(reasons(receipt).BACKUPS, /Backups made before/);
  const kept = await desk.staff.fetch(`/cases/${talk.id}`, { include: 'user' });
  assert.deepEqual([kept.subject, kept.requester.full_name], ['Broken cage', 'Deleted user']);
  assert.equal((await desk.staff.fetch(`/conversations/${talk.id}/messages`))[0].content_text, 'It has a hole.');
  assert.equal((await jane.client.get('/me')).status, 401);
  assert.equal((await desk.staff.fetch('/users', { email: 'jane@canary.example' })).length, 0);
});

test('contents=true also erases the texts and files of the conversations, and the texts of the person elsewhere', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { full_name: 'Jane Canary' });
  const file = await jane.client.create('/files', raw('text/plain', Buffer.from('canary bytes')), { query: { _filename: 'song.txt' } });
  const talk = await jane.client.create('/conversations', { subject: 'Broken cage', contents: 'It has a hole.', attachment_file_ids: `${file.id}` });
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'Dear Jane, we mend it.' })).must(201);
  await desk.staff.create(`/cases/${talk.id}/notes`, { contents: 'Jane is angry.' });
  const other = await desk.staff.create('/cases', { subject: 'Of another', contents: 'Kept', requester_id: desk.people.customer.id });
  const receipt = await erased(desk, jane.id, { contents: true });
  assert.equal(receipt.with_contents, true);
  const { MESSAGE_TEXTS, NOTE_TEXTS, SUBJECTS } = counts(receipt);
  assert.deepEqual([MESSAGE_TEXTS >= 2, NOTE_TEXTS, SUBJECTS], [true, 1, 1]);
  assert.equal(reasons(receipt).MESSAGE_TEXTS, undefined);
  const shown = await desk.staff.fetch(`/cases/${talk.id}`);
  assert.equal(shown.subject, '(erased)');
  for (const message of await desk.staff.fetch(`/conversations/${talk.id}/messages`)) assert.deepEqual([message.content_text, message.attachments], ['(erased)', []]);
  for (const note of await desk.staff.fetch(`/cases/${talk.id}/notes`)) assert.equal(note.body_text, '(erased)');
  const kept = await desk.staff.fetch(`/conversations/${other.id}/messages`);
  assert.equal(kept[0].content_text, 'Kept');
  for (const query of ['hole', 'mend', 'angry', 'cage']) assert.equal((await desk.staff.get('/search', { query })).must(200).body.total_count, 0, query);
  { const { status, stdout } = desk.check(); assert.equal(status, 0, stdout); }
});

test('an erasure is refused to those who may not change the person, for oneself and for the last owner', async (t) => {
  const desk = await open(t);
  const { customer, owner, admin } = desk.people;
  for (const who of [desk.staff, desk.as('collaborator'), desk.customer]) (await who.post(`/users/${customer.id}/erase`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.post(`/users/${customer.id}/erase`)).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.admin.post(`/users/${owner.id}/erase`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.post(`/users/${admin.id}/erase`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.owner.post(`/users/${owner.id}/erase`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.admin.post('/users/987654321/erase')).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.admin.post(`/users/${customer.id}/erase`, { contents: 'perhaps' })).refused(400, 'FIELD_INVALID', 'contents');
  assert.equal((await desk.admin.fetch('/erasures')).length, 0);
  for (const who of [desk.staff, desk.customer]) (await who.get('/erasures')).refused(403, 'PERMISSIONS_DENIED');
});

test('a second erasure waits for the first, and may add the texts', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer');
  const talk = await jane.client.create('/conversations', { subject: 'Cage', contents: 'Hole' });
  desk.sql(`INSERT INTO erasures (user_id, with_contents, status, created_at) VALUES (${jane.id}, 0, 1, 1)`);
  (await desk.admin.post(`/users/${jane.id}/erase`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  desk.sql('DELETE FROM erasures');
  const first = await erased(desk, jane.id);
  const second = await erased(desk, jane.id, { contents: true });
  assert.deepEqual([counts(first).PROFILE, counts(second).PROFILE, counts(second).SUBJECTS], [1, undefined, 1]);
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).subject, '(erased)');
  assert.deepEqual((await desk.admin.fetch('/erasures')).map((e) => e.id), [second.id, first.id]);
});

test('rows of others lose the person\'s addresses and name, and keep the rest', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { full_name: 'Jane Canary', email: 'jane@canary.example' });
  const talk = await desk.staff.create('/cases', { subject: 'Of another', contents: 'Kept', requester_id: desk.people.customer.id });
  const trail = (value) => `INSERT INTO activities (owner_case_id, actor_kind, name, did, fields, previous_values, current_values, created_at) VALUES (${talk.id}, 1, 2, 'x', '["subject"]', '["before"]', '[${value}]', 1) RETURNING id`;
  const [named, quoted, part, other] = ['"to Jane@Canary.example"', '"Jane Canary"', '"Jane Canaryson"', '"nobody"'].map((v) => desk.sql(trail(v)).trim().split('\n')[0]);
  await erased(desk, jane.id);
  const values = (id) => desk.sql(`SELECT COALESCE(current_values, 'erased') FROM activities WHERE id = ${id}`).trim();
  assert.deepEqual([named, quoted, part, other].map(values), ['erased', 'erased', '["Jane Canaryson"]', '["nobody"]']);
  assert.equal(desk.sql('SELECT COUNT(*) FROM erasure_values').trim(), '0');
  assert.equal(desk.sql('SELECT COUNT(*) FROM erasure_counts').trim(), '0');
});

/** Gives the person an identity and takes it away again, so that only the trail has it. */
async function former(desk, id, kind, value) {
  const made = (await desk.owner.post(`/identities/${kind}`, { user_id: id, ...value })).body.data;
  (await desk.owner.delete(`/identities/${kind}/${made.id}`)).must(200);
}
/** Inserts an activity about a conversation of nobody concerned. Returns a function that reads its value: null if it was erased. */
function mention(desk, value) {
  const id = desk.sql(`INSERT INTO activities (owner_case_id, actor_kind, name, did, fields, current_values, created_at) VALUES (999999, 1, 2, 'x', '["subject"]', '${JSON.stringify([value])}', 1) RETURNING id`).trim().split('\n')[0];
  return () => desk.sql(`SELECT COALESCE(current_values, 'null') FROM activities WHERE id = ${id}`).trim();
}
const FORMER = [['emails', { email: 'former@canary.example' }, 'to Former@canary.example'], ['phones', { number: '+41446687722' }, 'call +41446687722'], ['twitter', { screen_name: 'former_one' }, 'former_one']];

test('an erasure looks for addresses, numbers, accounts and names that the person had before', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { full_name: 'Jane "JJ" Canary', email: 'jane@canary.example' });
  for (const [kind, value] of FORMER) await former(desk, jane.id, kind, value);
  await desk.owner.update(`/users/${jane.id}`, { full_name: 'Jane Married' });
  const named = [...FORMER.map(([, , text]) => text), 'Jane "JJ" Canary', 'Jane Married'].map((value) => mention(desk, value));
  const others = ['former@canary.org', 'Jane "JJ" Canaryson', 'former_one else'].map((value) => [mention(desk, value), JSON.stringify([value])]);
  await erased(desk, jane.id);
  for (const value of named) assert.equal(value(), 'null');
  for (const [value, kept] of others) assert.equal(value(), kept);
});

test('a former value that the trail has only as a new value is looked for, too', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { full_name: 'Jane Canary' });
  desk.sql(`INSERT INTO activities (owner_user_id, actor_kind, name, did, fields, current_values, created_at) VALUES (${jane.id}, 1, 2, 'x', '["twitter"]', '["only_later"]', 1)`);
  const named = mention(desk, 'only_later');
  await erased(desk, jane.id);
  assert.equal(named(), 'null');
});

test('a telephone number is found however its digits are grouped, and no other number is', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { phone: '+493055501234' });
  const john = await desk.person('customer', { phone: '31812' }); // too short to be looked for among other digits
  const written = ['call +49 30 5550 1234 now', '+49 (0)30 / 5550-1234', '0049.30.5550.1234', '030 5550 1234', '(030)55501234', '+49\u00a030\u202f5550\u20111234', '30-5550\u20131234', 'x493055501234'];
  const mentions = written.map((value) => [mention(desk, value), value]);
  const others = ['+49 30 5550 1235', '30 555 and 01234', '5550 1234', 'On 3 18 12, room 318 12', 'Room 30, 5550, 1234'].map((value) => [mention(desk, value), JSON.stringify([value])]);
  const short = mention(desk, 'extension 31812');
  const talk = await desk.staff.create('/cases', { subject: 'call +49 30 5550 1234 now', contents: 'x', requester_id: desk.people.customer.id });
  await desk.staff.update(`/cases/${talk.id}`, { subject: 'call nobody' });
  await erased(desk, jane.id);
  for (const [value, text] of mentions) assert.equal(value(), 'null', text);
  for (const [value, kept] of others) assert.equal(value(), kept);
  assert.equal(desk.sql("SELECT COUNT(*) FROM change_log WHERE old_value LIKE '%5550 1234%'").trim(), '0');
  assert.equal(desk.sql(`SELECT COUNT(*) FROM activities WHERE owner_case_id = ${talk.id} AND previous_values LIKE '%5550 1234%'`).trim(), '0');
  await erased(desk, john.id);
  assert.equal(short(), 'null');
  for (const [value, kept] of others) assert.equal(value(), kept);
});

test('events of others lose their properties if these name the person, and the receipt counts them', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { full_name: 'Jane Canary', email: 'jane@canary.example', phone: '+493055501234' });
  const { token } = await desk.owner.create('/events/tokens', { label: 'Shop' });
  const report = async (event, properties) => (await desk.anyone.post(`/webhook/${token}/incoming`, { event, user: { email: desk.people.customer.email }, properties })).must(201).data.id;
  const named = [];
  for (const properties of [{ friend: 'Jane@Canary.example' }, { by: { name: ['Jane Canary'] } }, { text: 'call 030 5550 1234' }, { number: 493055501234 }, { source: 'SHOP', 'jane@canary.example': 1 }]) named.push(await report('refer', properties));
  const address = await report('Jane Canary', { order: 7 });
  const kept = { friend: 'john@robin.example', text: 'Jane Canary sings', source: 'SHOP' };
  const other = await report('refer', kept);
  const receipt = await erased(desk, jane.id);
  const shown = async (id) => { const { event, properties } = await desk.staff.fetch(`/events/${id}`); return [event, properties]; };
  for (const id of named) assert.deepEqual(await shown(id), ['refer', {}]);
  assert.deepEqual(await shown(address), ['(erased)', {}]);
  assert.deepEqual(await shown(other), ['refer', kept]);
  assert.equal(counts(receipt).EVENTS, 6);
});

test('a former address, number or account that belongs to another person now stays with that person', async (t) => {
  const desk = await open(t);
  const [jane, john] = [await desk.person('customer', { full_name: 'Jane Canary' }), await desk.person('customer', { full_name: 'John Robin' })];
  for (const [kind, value] of FORMER) {
    await former(desk, jane.id, kind, value);
    assert.ok((await desk.owner.post(`/identities/${kind}`, { user_id: john.id, ...value })).status < 300);
  }
  const mentions = FORMER.map(([, , text]) => [mention(desk, text), JSON.stringify([text])]);
  await erased(desk, jane.id);
  for (const [value, kept] of mentions) assert.equal(value(), kept);
  await erased(desk, john.id);
  for (const [value] of mentions) assert.equal(value(), 'null');
});

test('a claim of another person does not protect a former address, and an address of the desk is not looked for', async (t) => {
  const desk = await open(t);
  const [jane, john] = [await desk.person('customer'), await desk.person('customer')];
  const desks = 'help@canary.example';
  for (const email of ['former@canary.example', desks]) await former(desk, jane.id, 'emails', { email });
  (await john.client.post('/profile/identities/emails', { email: 'former@canary.example' })).must(201);
  (await desk.owner.put('/settings', { values: { 'mail.from_address': desks } })).must(200);
  const [claimed, own] = ['former@canary.example', desks].map((value) => mention(desk, value));
  await erased(desk, jane.id);
  assert.deepEqual([claimed(), own()], ['null', `["${desks}"]`]);
});

test('an address that the person only claims, and that counts for another person, stays with that person', async (t) => {
  const desk = await open(t);
  const [jane, john] = [await desk.person('customer'), await desk.person('customer', { email: 'john@robin.example' })];
  (await jane.client.post('/profile/identities/emails', { email: john.email })).must(201);
  const value = mention(desk, john.email);
  await erased(desk, jane.id);
  assert.equal(value(), '["john@robin.example"]');
});

test('failed logins, sessions and unused tags of the person go; a tag that others have stays', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { email: 'jane@canary.example' });
  await desk.owner.update(`/users/${jane.id}`, { tags: 'only-hers,shared' });
  await desk.owner.update(`/users/${desk.people.customer.id}`, { tags: 'shared' });
  await desk.session(desk.login('jane@canary.example'));
  (await desk.login('jane@canary.example', `${PASSWORD}x`).get('/me')).must(401);
  const receipt = await erased(desk, jane.id);
  assert.deepEqual([counts(receipt).LOGIN_FAILURES, counts(receipt).SESSIONS], [1, 1]);
  assert.equal(desk.sql("SELECT name FROM tags WHERE name IN ('only-hers', 'shared')").trim(), 'shared');
});

test('an admin who does not see all conversations gets no export, and no entry says so', async (t) => {
  const desk = await open(t);
  const { id } = await desk.person('customer');
  for (const agent_case_access of ['SELF', 'TEAMS']) {
    const reply = await (await desk.person('admin', { agent_case_access })).client.get(`/users/${id}/export`);
    reply.refused(403, 'PERMISSIONS_DENIED');
    assert.match(reply.body.errors[0].message, /ask an admin who sees all/);
  }
  assert.ok((await desk.owner.fetch('/audit_log', { limit: 1000 })).every((entry) => entry.action !== 'PERSON_EXPORTED'));
});

test('an export of a person is a ZIP with a file for each subject, without notes of staff, and an entry in the audit log', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { full_name: 'Jane Canary', email: 'jane@canary.example', tags: 'singing' });
  const file = await jane.client.create('/files', raw('text/plain', Buffer.from('canary bytes')), { query: { _filename: 'song.txt' } });
  const talk = await jane.client.create('/conversations', { subject: 'Broken cage', contents: 'It has a hole.', attachment_file_ids: `${file.id}` });
  (await desk.staff.post(`/cases/${talk.id}/reply`, { contents: 'We mend it.' })).must(201);
  await desk.staff.create(`/cases/${talk.id}/notes`, { contents: 'A note on Jane' });
  await desk.staff.create('/cases', { subject: 'Of another', contents: 'Not hers', requester_id: desk.people.customer.id });
  const reply = (await desk.admin.exchange('GET', `/api/v1/users/${jane.id}/export`)).must(200);
  assert.equal(reply.headers['content-type'], 'application/zip');
  const files = unzip(reply.bytes);
  assert.equal(files['song.txt'], 'canary bytes');
  const read = (name) => JSON.parse(files[name]);
  assert.deepEqual([read('profile.json')[0].full_name, read('emails.json')[0].email, read('tags.json')], ['Jane Canary', 'jane@canary.example', [{ name: 'singing' }]]);
  assert.deepEqual(read('conversations.json').map((c) => c.subject), ['Broken cage']);
  assert.deepEqual(read('messages.json').map((m) => [m.is_own, m.text]), [[true, 'It has a hole.'], [false, 'We mend it.']]);
  assert.match(read('profile.json')[0].created_at, /^\d{4}-\d\d-\d\dT/);
  assert.doesNotMatch(JSON.stringify(files), /A note on Jane|Not hers|customer@example|agent@example/);
  const entries = await desk.admin.fetch('/audit_log', { action: 'PERSON_EXPORTED' });
  assert.deepEqual(entries.map((e) => [e.actor.id, e.object.id]), [[desk.people.admin.id, jane.id]]);
  for (const who of [desk.staff, jane.client]) (await who.get(`/users/${jane.id}/export`)).refused(403, 'PERMISSIONS_DENIED');
  const status = async (who, id) => (await who.exchange('GET', `/api/v1/users/${id}/export`)).status;
  const { owner, admin, agent } = desk.people;
  (await desk.admin.get(`/users/${owner.id}/export`)).refused(403, 'PERMISSIONS_DENIED'); // as an erasure
  assert.deepEqual([await status(desk.admin, admin.id), await status(desk.admin, agent.id), await status(desk.owner, owner.id), await status(desk.owner, admin.id)], [200, 200, 200, 200]);
  assert.ok(!(await desk.admin.fetch('/audit_log', { action: 'PERSON_EXPORTED' })).some((e) => e.actor.id === admin.id && e.object.id === owner.id));
  (await desk.admin.get('/users/987654321/export')).refused(404, 'RESOURCE_NOT_FOUND');
  const { client } = await apiToken(desk, desk.admin, { scopes: ['users:write'] });
  (await client.get(`/users/${jane.id}/export`)).refused(403, 'PERMISSIONS_DENIED'); // it has her conversations
});

test('an export of a person has all messages, however long they are together', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer');
  const talk = await jane.client.create('/conversations', { subject: 'Long', contents: 'a'.repeat(60_000) });
  for (const letter of ['b', 'c', 'd']) await jane.client.create(`/conversations/${talk.id}/messages`, { contents: letter.repeat(60_000) });
  const reply = (await desk.admin.exchange('GET', `/api/v1/users/${jane.id}/export`)).must(200);
  assert.deepEqual(JSON.parse(unzip(reply.bytes)['messages.json']).map((m) => [m.text[0], m.text.length]), [['a', 60_000], ['b', 60_000], ['c', 60_000], ['d', 60_000]]);
});

test('a conversation of another person counts its files without those of an erased person', async (t) => {
  const desk = await open(t), ben = await desk.person('agent', { full_name: 'Ben', email: 'ben@canary.example' });
  const upload = async (client, name) => (await client.create('/files', raw('text/plain', Buffer.from(name)), { query: { _filename: name } })).id;
  const talk = await desk.customer.create('/conversations', { subject: 'S', contents: 'C', attachment_file_ids: `${await upload(desk.customer, 'kept.txt')}` });
  (await ben.client.post(`/cases/${talk.id}/reply`, { contents: 'R', attachment_file_ids: `${await upload(ben.client, 'reply.txt')}` })).must(201);
  await ben.client.create(`/cases/${talk.id}/notes`, { contents: 'N', attachment_file_ids: `${await upload(ben.client, 'note.txt')}` });
  const attached = () => desk.sql(`SELECT attachments_count FROM cases WHERE id = ${talk.id}`).trim();
  assert.equal(attached(), '3');
  await erased(desk, ben.id, { contents: true }, desk.owner);
  assert.equal(attached(), '1');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('a tag of an erased person that a conversation has stays', async (t) => {
  const desk = await open(t);
  const jane = await desk.person('customer', { email: 'jane@canary.example' });
  await desk.owner.update(`/users/${jane.id}`, { tags: 'only-hers,of-a-case' });
  const talk = await desk.staff.create('/cases', { subject: 'Cage', contents: 'It has a hole.', requester_id: desk.people.customer.id, tags: 'of-a-case' });
  await erased(desk, jane.id);
  assert.deepEqual((await desk.staff.fetch(`/cases/${talk.id}/tags`)).map(({ name }) => name), ['of-a-case']);
  assert.equal(desk.sql("SELECT name FROM tags WHERE name IN ('only-hers', 'of-a-case')").trim(), 'of-a-case');
});

/* The rights of a mail: it has those that its sender has proven, and no others. Each test is about one way to get more. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shared } from './lib/index.mjs';
import { mail, mailRows, receive, token } from './lib/mails.mjs';
import { sql } from './lib/sql.mjs';
import { until } from './lib/until.mjs';

const PROVEN = { 'Authentication-Results': 'mx.desk.example; dmarc=pass' };

describe('a mail', () => {
  const world = shared(async ({ desk }) => {
    await desk.owner.update('/settings', { values: { 'mail.authserv_id': 'mx.desk.example' } });
  });
  const at = (id) => ({ to: `desk+${token(world.desk, 'c', id)}@example.com` });
  const letters = (id) => Number(sql(world.desk, `SELECT COUNT(*) FROM outgoing_mails WHERE post_id IN (SELECT id FROM posts WHERE case_id = ${id})`));

  test('from an address that a person only claims has no rights of that person', async () => {
    const { desk } = world;
    const talk = await desk.staff.create('/cases', { subject: 'Mine', contents: 'Secret', requester_id: desk.people.customer.id });
    await desk.customer.create('/profile/identities/emails', { email: 'claimed@people.example' });
    const row = await receive(desk, mail({ From: 'claimed@people.example' }), at(talk.id));
    assert.deepEqual([row.suspension, row.sender_id], ['NOT_PARTICIPANT', null]);
    assert.equal((await desk.owner.fetch(`/cases/${talk.id}`)).post_count, 1);
    const fresh = await receive(desk, mail({ From: 'claimed@people.example' }));
    assert.equal(fresh.status, 'SUCCESS');
    assert.notEqual(fresh.sender_id, desk.people.customer.id);
    await desk.staff.create('/profile/identities/emails', { email: 'claimed.staff@people.example' });
    const staff = await receive(desk, mail({ From: 'claimed.staff@people.example', ...PROVEN }), at(talk.id));
    assert.deepEqual([staff.suspension, staff.sender_id], ['NOT_PARTICIPANT', null], 'a claim of staff gives no powers of staff');
  });

  test('of staff whose role lacks cases.public_reply is no reply, and one of a customer of theirs is', async () => {
    const { desk } = world;
    const role = await desk.owner.create('/roles', { title: 'Readers', type: 'AGENT' });
    const { email, id } = await desk.person('agent', { role_id: role.id });
    const talk = await desk.owner.create('/cases', { subject: 'Read', contents: 'Hello', requester_id: desk.people.customer.id });
    const answer = (text) => receive(desk, mail({ From: email, ...PROVEN }, text), at(talk.id));
    await desk.owner.update(`/roles/${role.id}/permissions`, { 'cases.public_reply': false });
    const row = await answer('No.\r\n');
    assert.deepEqual([row.status, row.case_id, row.post_id, row.reason], ['REJECTED', null, null, 'The role of the sender may not reply to customers.']);
    assert.deepEqual([(await desk.owner.fetch(`/cases/${talk.id}`)).post_count, letters(talk.id)], [1, 0]);
    const own = await desk.owner.create('/cases', { subject: 'Own', contents: 'Hello', requester_id: id });
    assert.equal((await receive(desk, mail({ From: email, ...PROVEN }, 'As a requester.\r\n'), at(own.id))).status, 'SUCCESS');
    assert.equal((await receive(desk, mail({ From: email, ...PROVEN }, 'A new one.\r\n'))).status, 'SUCCESS');
    await desk.owner.update(`/roles/${role.id}/permissions`, { 'cases.public_reply': true });
    assert.equal((await answer('Yes.\r\n')).status, 'SUCCESS');
    assert.equal((await desk.owner.fetch(`/cases/${talk.id}`)).post_count, 2);
  });

  test('without From has no powers of staff after its release, whoever its envelope names', async () => {
    const { desk } = world;
    const { email } = desk.people.agent;
    const talk = await receive(desk, mail({ From: 'asks@rights.example' }));
    for (const From of [null, 'Nobody', '<x@>']) {
      const row = await receive(desk, mail({ From, ...PROVEN }, `From ${From}\r\n`), { ...at(talk.case_id), from: email });
      assert.match(row.suspension, /NO_FROM_ADDRESS|INVALID_FROM_ADDRESS/);
      (await desk.staff.put(`/mails/${row.id}`, { is_suspended: false })).must(200);
      await until('the release', () => mailRows(desk, row.id - 1)[0].status === 'SUCCESS');
      assert.equal(mailRows(desk, row.id - 1)[0].sender_id, desk.people.agent.id);
    }
    const after = await desk.owner.fetch(`/cases/${talk.case_id}`, { include: 'case_status' });
    assert.deepEqual([after.post_count, after.status.label, after.last_reply_by_agent_at, letters(talk.case_id)], [4, 'New', null, 0]);
  });

  test('does not count its sender among the twenty people of To and Cc who take part', async () => {
    const { desk } = world;
    const others = (k, n) => Array.from({ length: n }, (_, i) => `${k}${i}@copy.example`).join(', ');
    for (const [k, lists] of [['t', { To: `desk@example.com, Me <ASKS@copy.example>, ${others('t', 20)}` }], ['c', { Cc: `asks@copy.example, ${others('c', 20)}` }]]) {
      const row = await receive(desk, mail({ From: 'asks@copy.example', ...lists }));
      const list = await desk.owner.fetch(`/cases/${row.case_id}/participants`, { limit: 100, include: 'user,user_minimal' });
      assert.deepEqual(list.map((p) => p.full_name).sort(), ['asks', ...Array.from({ length: 20 }, (_, i) => `${k}${i}`)].sort());
    }
  });

  test('whose recipients may all be the desk, as far as it knows, adds nobody in To', async () => {
    const { desk } = world;
    const To = 'Help <help@unknown.example>, Bob <bob@unknown.example>', Cc = 'Cy <cy@unknown.example>';
    const of = async (headers, envelope) => {
      const row = await receive(desk, mail({ From: 'asks@unknown.example', ...headers }), envelope);
      return (await desk.owner.fetch(`/cases/${row.case_id}/participants`, { include: 'user,user_minimal' })).map((p) => p.full_name).sort();
    };
    assert.deepEqual(await of({ To, Cc }, { to: null }), ['Cy', 'asks']);
    assert.deepEqual(await of({ To, Cc }, { to: 'help+x@unknown.example' }), ['Bob', 'Cy', 'asks'], 'the recipient of the envelope is the desk');
    await desk.owner.update('/settings', { values: { 'mail.from_address': 'help@unknown.example' } });
    assert.deepEqual(await of({ To, Cc }, { to: null }), ['Bob', 'Cy', 'asks']);
  });

  test('of a conversation without team that an agent has is not for staff who see only their teams', async () => {
    const { desk } = world;
    const { client } = await desk.person('agent', { agent_case_access: 'TEAMS' });
    const row = await receive(desk, mail({ From: 'asks@teams.example' }));
    assert.equal((await client.get(`/mails/${row.id}`)).status, 200, 'a conversation without team and agent is for all');
    await desk.owner.update(`/cases/${row.case_id}`, { assigned_agent_id: desk.people.admin.id });
    (await client.get(`/mails/${row.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  });
});

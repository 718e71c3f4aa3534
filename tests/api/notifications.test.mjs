// Notifications of staff: preferences, and mails about conversations (src/core/cases/staff_mail.c).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROLES, connect, open, relayFor, until } from './lib/index.mjs';

const TYPES = ['case_created', 'reply_on_case', 'case_assigned_to_agent', 'case_assigned_to_team', 'sla_breached', 'mentioned_in_conversation'];
const opened = (client, desk, extra = {}) => client.create('/cases', { subject: 'Engine', contents: 'It stalls', requester_id: desk.people.customer.id, ...extra });
const assign = (client, { id }, body) => client.update(`/cases/${id}`, body);
const prefer = (client, type, body) => client.update(`/notification_preferences/${type}`, body);

async function mailing(t) {
  const desk = await open(t), to = await relayFor(t, desk);
  return { desk, to, agent: desk.people.agent };
}

/** The mails that were queued, as "template > address", sorted. Marks them as seen. */
function queued(desk) {
  const lines = desk.sql("SELECT template || ' > ' || recipient FROM outgoing_mails ORDER BY id").trim().split('\n').filter((line) => line !== '');
  const fresh = lines.slice(desk.seen ?? 0);
  desk.seen = lines.length;
  return fresh.sort();
}

test('a person reads and changes the own preferences', async (t) => {
  const desk = await open(t);
  const all = await desk.staff.fetch('/notification_preferences');
  assert.deepEqual(all.map(({ type, desktop, mobile, email, resource_type }) => [type, desktop, mobile, email, resource_type]),
    TYPES.map((type) => [type, true, true, type !== 'case_created' && type !== 'case_assigned_to_team', 'notification_preference']));
  const one = await prefer(desk.staff, 'reply_on_case', { email: false, mobile: '0' });
  assert.deepEqual([one.type, one.desktop, one.mobile, one.email], ['reply_on_case', true, false, false]);
  assert.equal(one.resource_url, `${desk.base}/api/v1/notification_preferences/reply_on_case`);
  assert.deepEqual(await desk.staff.fetch('/notification_preferences/REPLY_ON_CASE'), one);
  const several = await desk.staff.put('/notification_preferences', { preferences: [{ type: 'case_created', email: true }, { type: 'reply_on_case', email: 'true', desktop: false }] });
  assert.equal(several.must(200).body.total_count, 2);
  const now = Object.fromEntries((await desk.staff.fetch('/notification_preferences')).map(({ type, desktop, mobile, email }) => [type, [desktop, mobile, email]]));
  assert.deepEqual([now.case_created, now.reply_on_case], [[true, true, true], [false, false, true]]);
  assert.equal((await desk.admin.fetch('/notification_preferences/case_created')).email, false);
  const entries = (await desk.admin.get('/changes', { limit: 1000 })).must(200).data.filter(({ property }) => property?.startsWith('notification_preferences.'));
  assert.deepEqual(entries.map(({ resource_id, property, from, to }) => [resource_id, property, from, to])[0],
    [desk.people.agent.id, 'notification_preferences.reply_on_case.mobile', 'true', 'false']);
});

test('wrong preferences are refused with their place, and customers have none', async (t) => {
  const desk = await open(t);
  (await desk.staff.get('/notification_preferences/nothing')).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.put('/notification_preferences/nothing', { email: true })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.put('/notification_preferences/case_created', { email: 'perhaps' })).refused(400, 'FIELD_INVALID', 'email');
  (await desk.staff.put('/notification_preferences', {})).refused(400, 'FIELD_REQUIRED', 'preferences');
  const reply = await desk.staff.put('/notification_preferences', { preferences: [{ type: 'case_created', email: false }, { email: true }, { type: 'nothing', mobile: 7 }, 3] });
  assert.deepEqual(reply.must(400).body.errors.map(({ code, pointer }) => [code, pointer]), [
    ['FIELD_REQUIRED', 'preferences/1/type'], ['FIELD_INVALID', 'preferences/2/type'], ['FIELD_INVALID', 'preferences/2/mobile'], ['FIELD_INVALID', 'preferences/3']]);
  const twice = await desk.staff.put('/notification_preferences', { preferences: [{ type: 'case_created', email: true }, { type: 'CASE_CREATED', email: false }] });
  assert.deepEqual(twice.must(400).body.errors.map(({ code, pointer }) => [code, pointer]), [['FIELD_DUPLICATE', 'preferences/1/type']]);
  for (const role of ROLES) {
    const answer = await desk.as(role).get('/notification_preferences');
    if (role === 'customer') answer.refused(403, 'PERMISSIONS_DENIED');
    else answer.must(200);
  }
  (await desk.anyone.get('/notification_preferences')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('an agent gets a mail about an assigned conversation, and none about an own change', async (t) => {
  const { desk, to, agent } = await mailing(t);
  const talk = await opened(desk.admin, desk);
  await assign(desk.admin, talk, { assigned_agent_id: agent.id });
  const mail = await to.find(agent.email);
  assert.deepEqual([mail.subject, mail.header('Auto-Submitted')], [`Conversation ${talk.id} is yours: Engine`, 'auto-generated']);
  assert.match(mail.text, /^Hello Agnes Agent,\r\n\r\nconversation \d+ was assigned to you:\r\n\r\nEngine\r\n/);
  assert.doesNotMatch(mail.text, /It stalls|other conversation/);
  await opened(desk.admin, desk, { assigned_agent_id: agent.id });
  assert.deepEqual(queued(desk), [`case_assigned_to_agent > ${agent.email}`, `case_assigned_to_agent > ${agent.email}`]);
  await opened(desk.staff, desk, { assigned_agent_id: agent.id });
  const own = await opened(desk.admin, desk);
  await assign(desk.staff, own, { assigned_agent_id: agent.id });
  assert.deepEqual(queued(desk), []);
});

test('a bulk change causes one mail for a person, which has the number of the other conversations', async (t) => {
  const { desk, to, agent } = await mailing(t);
  const talks = [await opened(desk.admin, desk), await opened(desk.admin, desk), await opened(desk.admin, desk)];
  (await desk.admin.put('/cases', { assigned_agent_id: agent.id }, { query: { ids: talks.map(({ id }) => id).join() } })).must(200);
  assert.match((await to.find(agent.email)).text, /The same change concerned 2 other conversations\./);
  assert.equal(queued(desk).length, 1);
});

test('members of a team get a mail about its conversations if they have enabled it', async (t) => {
  const { desk, agent } = await mailing(t);
  const other = await desk.person('agent');
  const team = await desk.admin.create('/teams', { title: 'Night' });
  (await desk.admin.post(`/teams/${team.id}/members`, { agent_ids: [agent.id, other.id] })).must(201);
  const talk = await opened(desk.admin, desk);
  await assign(desk.admin, talk, { assigned_team_id: team.id });
  assert.deepEqual(queued(desk), []);
  await prefer(other.client, 'case_assigned_to_team', { email: true });
  await opened(desk.admin, desk, { assigned_team_id: team.id });
  assert.deepEqual(queued(desk), [`case_assigned_to_team > ${other.email}`]);
  await opened(desk.admin, desk, { assigned_team_id: team.id, assigned_agent_id: other.id }); // one mail, the most specific one
  assert.deepEqual(queued(desk), [`case_assigned_to_agent > ${other.email}`]);
});

test('the assigned agent gets a mail about a reply of the customer, with its text, unless it is not wanted', async (t) => {
  const { desk, to, agent } = await mailing(t);
  const talk = await opened(desk.staff, desk, { assigned_agent_id: agent.id });
  (await desk.customer.post(`/conversations/${talk.id}/messages`, { contents: 'It <b>stalls</b> again' })).must(201);
  const mail = await to.find(agent.email);
  assert.deepEqual([mail.subject, mail.header('Auto-Submitted')], [`Reply in conversation ${talk.id}: Engine`, 'auto-generated']);
  assert.match(mail.text, /Cora Customer replied in conversation[^]*It <b>stalls<\/b> again/);
  assert.match(mail.html, /It &lt;b&gt;stalls/);
  queued(desk);
  await desk.admin.create(`/cases/${talk.id}/reply`, { contents: 'From a colleague', channel: 'HELPCENTER' });
  await prefer(desk.staff, 'reply_on_case', { email: false });
  (await desk.customer.post(`/conversations/${talk.id}/messages`, { contents: 'Third' })).must(201);
  assert.deepEqual(queued(desk), []);
});

test('@ and the name of a member of staff in a note sends a mail, to the longest name, and only to who may see the conversation', async (t) => {
  const { desk, to, agent } = await mailing(t);
  const people = {};
  for (const [full_name, extra] of [['Ann', {}], ['Ann Béll', {}], ['Hidden Harry', { agent_case_access: 'SELF' }]]) people[full_name] = await desk.person('agent', { full_name, ...extra });
  const talk = await opened(desk.staff, desk);
  queued(desk);
  await desk.staff.create(`/cases/${talk.id}/notes`, { contents: 'Ask @ann bell! And @Hidden Harry, @Agnes Agent, @Annabel, mail@ann' });
  assert.deepEqual(queued(desk), [`mentioned_in_conversation > ${people['Ann Béll'].email}`]);
  const mail = await to.find(people['Ann Béll'].email);
  assert.match(mail.text, /Agnes Agent mentioned you in a note of conversation[^]*Ask @ann bell!/);
  await desk.admin.create(`/cases/${talk.id}/reply`, { contents: 'For @Ann and @Agnes Agent', channel: 'NOTE' });
  assert.deepEqual(queued(desk), [`mentioned_in_conversation > ${agent.email}`, `mentioned_in_conversation > ${people.Ann.email}`].sort());
  await desk.admin.create(`/users/${desk.people.customer.id}/notes`, { contents: 'A person, not a conversation: @Ann' });
  assert.deepEqual(queued(desk), []);
});

test('a new conversation sends a mail to staff who have enabled it and may see the conversation', async (t) => {
  const { desk, agent } = await mailing(t);
  const hidden = await desk.person('agent', { agent_case_access: 'SELF' });
  for (const client of [desk.staff, hidden.client]) await prefer(client, 'case_created', { email: true });
  (await desk.customer.post('/conversations', { subject: 'Help', contents: 'Please' })).must(201);
  assert.deepEqual(queued(desk), [`case_created > ${agent.email}`]);
  await opened(desk.admin, desk, { assigned_agent_id: agent.id });
  assert.deepEqual(queued(desk), [`case_assigned_to_agent > ${agent.email}`]);
});

test('staff who see the conversations of their teams get no mail about one without team that another agent has', async (t) => {
  const { desk, to, agent } = await mailing(t);
  const teams = await desk.person('agent', { full_name: 'Tim Teams', agent_case_access: 'TEAMS' });
  await prefer(teams.client, 'case_created', { email: true });
  const created = async (extra) => { await opened(desk.admin, desk, extra); return queued(desk).filter((line) => line.endsWith(teams.email)); };
  const mention = async ({ id }) => { await desk.admin.create(`/cases/${id}/notes`, { contents: 'Ask @Tim Teams' }); return queued(desk); };
  assert.deepEqual(await created({}), [`case_created > ${teams.email}`]);
  assert.deepEqual(await created({ assigned_agent_id: agent.id }), []);
  const free = await opened(desk.admin, desk), taken = await opened(desk.admin, desk, { assigned_agent_id: agent.id });
  queued(desk);
  assert.deepEqual(await mention(free), [`mentioned_in_conversation > ${teams.email}`]);
  assert.deepEqual(await mention(taken), []);
  // A mail that waits is not sent after another agent took the conversation.
  await desk.owner.update('/settings', { values: { 'mail.smtp_port': 1 } });
  const late = await opened(desk.admin, desk, { subject: 'Late one' });
  await until('the first attempt has failed', () => desk.sql(`SELECT COUNT(*) FROM outgoing_mails WHERE case_id = ${late.id} AND attempts = 1`).trim() === '1');
  await assign(desk.admin, late, { assigned_agent_id: desk.people.admin.id });
  await connect(desk, to);
  await desk.clock.forward(3_600_000);
  await until('the mail is given up', () => desk.sql(`SELECT COUNT(*) FROM outgoing_mails WHERE case_id = ${late.id} AND status = 5 AND last_error LIKE '%may not see%'`).trim() === '1');
  assert.ok(!to.mails.some((mail) => JSON.stringify(mail).includes('Late one')));
});

test('a mail is not sent if its reader may not see the conversation any more', async (t) => {
  const { desk, to, agent } = await mailing(t);
  const talk = await opened(desk.admin, desk);
  await desk.owner.update('/settings', { values: { 'mail.smtp_port': 1 } });
  await assign(desk.admin, talk, { assigned_agent_id: agent.id });
  await until('the first attempt has failed', () => desk.sql('SELECT attempts FROM outgoing_mails').trim() === '1');
  await desk.admin.update(`/users/${agent.id}`, { agent_case_access: 'SELF' });
  await assign(desk.admin, talk, { assigned_agent_id: null });
  await connect(desk, to);
  await desk.clock.forward(3_600_000);
  await until('the mail is given up', () => desk.sql("SELECT COUNT(*) FROM outgoing_mails WHERE status = 5 AND last_error LIKE '%may not see%'").trim() === '1');
  assert.equal(to.mails.length, 0);
});

test('a mention that is added to a note sends its mail, once for each person and note', async (t) => {
  const { desk, to, agent } = await mailing(t);
  const ann = await desk.person('agent', { full_name: 'Ann' }), bell = await desk.person('agent', { full_name: 'Ann Bell' }), bob = await desk.person('agent', { full_name: 'Bob' });
  const talk = await opened(desk.staff, desk);
  queued(desk);
  const { post: { id } } = await desk.staff.create(`/cases/${talk.id}/notes`, { contents: 'Ask @Ann Bell' });
  const edit = async (contents, who = desk.staff) => {
    await who.update(`/cases/${talk.id}/notes/${id}`, { contents });
    return queued(desk);
  };
  const told = (...people) => people.map(({ email }) => `mentioned_in_conversation > ${email}`).sort();
  assert.deepEqual(queued(desk), told(bell));
  assert.deepEqual(await edit('Ask @Ann Bell and @Bob'), told(bob));
  const mail = await to.find(bob.email);
  assert.match(mail.text, /Agnes Agent mentioned you in a note of conversation[^]*Ask @Ann Bell and @Bob/);
  assert.deepEqual(await edit('Ask nobody'), []);
  assert.deepEqual(await edit('Ask @Bob, @bob, @Ann Bell'), []);
  assert.deepEqual(await edit('Ask @Ann, @Agnes Agent', desk.admin), told(ann, agent));
  assert.deepEqual(await edit('Ask @Agnes Agent, @Ann, @Bob, @Ann Bell', desk.admin), []);
  (await desk.staff.put(`/cases/${talk.id}/notes/${id}`, { is_pinned: true })).must(200);
  assert.deepEqual(queued(desk), []);
  const other = await desk.staff.create(`/cases/${talk.id}/notes`, { contents: 'Again: @Bob' });
  assert.deepEqual(queued(desk), told(bob));
  assert.equal(desk.sql('SELECT COUNT(*) FROM note_mentions').trim(), '4');
  for (const note of [id, other.post.id]) (await desk.staff.delete(`/cases/${talk.id}/notes/${note}`)).must(200);
  assert.equal(desk.sql('SELECT COUNT(*) FROM note_mentions').trim(), '0');
});

test('a breach sends a mail to the assigned agent, or to the team of a conversation without agent', async (t) => {
  const { desk, agent } = await mailing(t);
  const other = await desk.person('agent');
  const team = await desk.admin.create('/teams', { title: 'Night' });
  (await desk.admin.post(`/teams/${team.id}/members`, { agent_ids: [agent.id, other.id] })).must(201);
  await desk.admin.create('/slas', { title: 'Fast', targets: [{ type: 'FIRST_REPLY_TIME', goal_in_seconds: 60, operational_hours: 'CALENDAR_HOURS' }] });
  for (const extra of [{ assigned_agent_id: agent.id, assigned_team_id: team.id }, { assigned_team_id: team.id }]) {
    (await desk.admin.post('/cases', { subject: 'Engine', contents: 'It stalls', requester_id: desk.people.customer.id, ...extra })).must(201);
  }
  queued(desk);
  await desk.clock.forward(120_000);
  const breached = () => desk.sql("SELECT recipient FROM outgoing_mails WHERE template = 'sla_breached'").trim().split('\n').filter(Boolean).sort();
  await until('the mails', () => breached().length >= 2);
  assert.deepEqual([...new Set(breached())], [agent.email, other.email].sort());
});

test('without a relay nothing is queued', async (t) => {
  const desk = await open(t);
  await opened(desk.admin, desk, { assigned_agent_id: desk.people.agent.id });
  assert.deepEqual(queued(desk), []);
});

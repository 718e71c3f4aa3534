import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demo, open, storedMail, until } from './lib/index.mjs';
import { mail, receive } from './lib/mails.mjs';
import { sql } from './lib/sql.mjs';

/** All entries after a cursor, page by page. */
async function follow(client, after, limit = 1000) {
  const all = [];
  for (;;) {
    const { body } = (await client.get('/changes', { limit, ...(after && { after }) })).must(200);
    all.push(...body.data);
    after = body.next_url ? new URL(body.next_url).searchParams.get('after') : body.data.at(-1)?.cursor ?? after;
    if (!body.next_url) return { all, after };
  }
}

const brief = (e) => [e.resource_type, e.resource_id, e.action, e.property, e.from, e.to];

/** The entries that an act adds. */
async function added(desk, act) {
  const { after } = await follow(desk.owner);
  await act();
  return (await follow(desk.owner, after)).all;
}

test('creating, changing and answering a conversation records one entry each, and none for counters or last members', async (t) => {
  const desk = await open(t);
  let id;
  const made = await added(desk, async () => ({ id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' })));
  assert.deepEqual(made.map(brief).map(([type, , ...rest]) => [type, ...rest]), [['case', 'CREATED', null, null, null], ['case_message', 'CREATED', null, null, null]]);
  assert.equal(made[0].resource_id, id);
  assert.deepEqual([made[0].actor.id, made[0].actor.resource_type, made[0].cause], [desk.people.customer.id, 'user', null]);
  const changed = await added(desk, () => desk.staff.update(`/conversations/${id}`, { subject: 'Better', status_id: 3, priority_id: 2 }));
  assert.deepEqual(changed.map(brief), [['case', id, 'UPDATED', 'subject', 'S', 'Better'], ['case', id, 'UPDATED', 'status', '1', '3'], ['case', id, 'UPDATED', 'priority', null, '2']]);
  const answered = await added(desk, () => desk.customer.create(`/conversations/${id}/messages`, { contents: 'Again' }));
  assert.deepEqual(answered.map((e) => [e.resource_type, e.property, e.from, e.to]), [['case_message', null, null, null], ['case', 'status', '3', '2']]);
});

test('each message whose status advances has an entry', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const replies = [await desk.staff.create(`/conversations/${id}/messages`, { contents: 'One' }), await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Two' })];
  const put = (n, message_status) => desk.customer.update(`/conversations/${id}/messages/${replies[n].id}`, { message_status });
  const entries = await added(desk, async () => { await put(1, 'DELIVERED'); await put(1, 'SEEN'); await put(1, 'DELIVERED'); });
  assert.deepEqual(entries.map(brief), [
    ['case_message', replies[1].id, 'UPDATED', 'message_status', 'SENT', 'DELIVERED'],
    ['case_message', replies[0].id, 'UPDATED', 'message_status', 'SENT', 'SEEN'],
    ['case_message', replies[1].id, 'UPDATED', 'message_status', 'DELIVERED', 'SEEN'],
  ]);
});

test('unchanged values and refused writes record no entry', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const entries = await added(desk, async () => {
    await desk.staff.update(`/conversations/${id}`, { subject: 'S', status_id: 1 });
    (await desk.staff.put(`/conversations/${id}`, { subject: 'No', status_id: 99 })).must(400);
    await desk.staff.update(`/users/${desk.people.customer.id}`, { full_name: 'Cora Customer' });
    (await desk.staff.get('/session')).must(200);
  });
  assert.deepEqual(entries, []);
});

test('people and organizations: references are ids, lists show removed and added items, secrets show only their name', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  const organization = await desk.owner.create('/organizations', { name: 'Acme', domains: 'acme.example' });
  const person = await added(desk, () => desk.owner.update(`/users/${id}`, { organization_id: organization.id, tags: 'vip', password: 'another password' }));
  const told = Object.fromEntries(person.filter((e) => e.resource_type === 'user').map((e) => [e.property, [e.from, e.to]]));
  assert.deepEqual(told, { organization: [null, String(organization.id)], tags: [null, 'vip'], password: [null, null] });
  const renamed = await added(desk, () => desk.owner.update(`/organizations/${organization.id}`, { name: 'Acme Ltd', is_shared: true, domains: 'acme.example,acme.test' }));
  assert.deepEqual(renamed.map((e) => [e.property, e.from, e.to]), [['name', 'Acme', 'Acme Ltd'], ['is_shared', 'false', 'true'], ['domains', null, 'acme.test']]);
  const gone = await added(desk, () => desk.owner.delete(`/organizations/${organization.id}`));
  assert.deepEqual(gone.filter((e) => e.resource_type === 'organization').map((e) => e.action), ['DELETED']);
});

test('a new person and a new organization have one entry each, whatever they are created with', async (t) => {
  const desk = await open(t);
  let organization, person;
  const entries = await added(desk, async () => {
    organization = await desk.owner.create('/organizations', { name: 'Acme', domains: 'acme.example', tags: 'vip' });
    person = await desk.owner.create('/users', { full_name: 'Ada', role_id: 4, email: 'ada@elsewhere.example', organization_id: organization.id, tags: 'vip' });
  });
  assert.deepEqual(entries.map(brief).filter(([type]) => ['organization', 'user'].includes(type)), [['organization', organization.id, 'CREATED', null, null, null], ['user', person.id, 'CREATED', null, null, null]]);
});

test('a purge erases the values of the person in the change log', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.customer;
  await desk.owner.update(`/users/${id}`, { full_name: 'Canary Name', tags: 'canarytag' });
  assert.match(JSON.stringify((await follow(desk.owner)).all), /Canary Name.*canarytag/);
  (await desk.owner.delete(`/users/${id}`, { purge: true })).must(200);
  const { all } = await follow(desk.owner);
  assert.doesNotMatch(JSON.stringify(all), /canary/i);
  assert.ok(all.some((e) => e.resource_id === id && e.property === 'full_name'), 'the names of changed properties stay');
});

test('other resources: an entry for creation, each changed member, and deletion', async (t) => {
  const desk = await open(t);
  let id;
  const entries = await added(desk, async () => {
    ({ id } = await desk.owner.create('/teams', { title: 'A' }));
    await desk.owner.update(`/teams/${id}`, { title: 'B' });
    await desk.owner.update(`/teams/${id}`, { title: 'B' });
    (await desk.owner.delete(`/teams/${id}`)).must(200);
  });
  assert.deepEqual(entries.map(brief), [['team', id, 'CREATED', null, null, null], ['team', id, 'UPDATED', 'title', 'A', 'B'], ['team', id, 'DELETED', null, null, null]]);
});

test('pages of any size have all entries once', async (t) => {
  const desk = await open(t);
  for (let i = 0; i < 12; i++) await desk.owner.create('/teams', { title: `T${i}` });
  const whole = (await follow(desk.owner)).all.map(brief);
  for (const limit of [1, 2, 5]) assert.deepEqual((await follow(desk.owner, undefined, limit)).all.map(brief), whole);
  const { all } = await follow(desk.owner);
  for (const [i, entry] of all.entries()) assert.deepEqual((await follow(desk.owner, entry.cursor)).all.map(brief), whole.slice(i + 1));
});

test('an altered or made-up cursor is 400 and the message says what to do', async (t) => {
  const desk = await open(t);
  const { after } = await follow(desk.owner);
  const swapped = (i) => after.slice(0, i) + (after[i] === 'A' ? 'B' : 'A') + after.slice(i + 1);
  const altered = [...after].map((_, i) => swapped(i)), cut = [1, 5, after.length - 22].map((n) => after.slice(0, -n));
  const made = ['1|sqlite|x|1|1', '1|elsewhere|1|1|1', '1|sqlite||999999|999999', '1|1:1:|9:1:|9:1:|1', `${'\0'.repeat(16)}1|sqlite||1|1`].map((text) => Buffer.from(text).toString('base64url'));
  for (const bad of ['x', 'MXxh', `${after}A`, `${after}==`, `${after},`, '%00', 'a'.repeat(4000), 'a'.repeat(5000), ...altered, ...cut, ...made]) {
    const { body } = (await desk.owner.get('/changes', { after: bad })).refused(400, 'FIELD_INVALID', 'after');
    if (bad.length < 4096) assert.match(body.errors[0].message, /not a cursor.*without `after`/);
  }
  (await desk.owner.get('/changes', { after })).must(200);
});

test('a cursor ahead of a restored store is 400 and the message says what to do', { skip: /^postgres/.test(process.env.DATABASE ?? '') && 'a restored dump is another store' }, async (t) => {
  const desk = await open(t);
  for (let i = 0; i < 3; i++) await desk.owner.create('/teams', { title: `T${i}` });
  const { all, after } = await follow(desk.owner);
  sql(desk, 'DELETE FROM change_log WHERE id > (SELECT MIN(id) FROM change_log)');
  await desk.owner.create('/teams', { title: 'After the restore' });
  const refused = (await desk.owner.get('/changes', { after })).refused(400, 'FIELD_INVALID', 'after');
  assert.match(refused.body.errors[0].message, /moved or restored.*without `after`/);
  assert.equal((await follow(desk.owner)).all.length, 2);
  assert.ok(all.length > 3);
});

test('admins and owners read the log; others read entries of a conversation only if they may see it', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Hidden', contents: 'C' });
  const { id: role_id } = await desk.owner.create('/roles', { title: 'Narrow', type: 'ADMIN', agent_case_access: 'SELF' });
  const narrow = await desk.person('admin', { role_id });
  await desk.staff.update(`/conversations/${id}`, { subject: 'Canary' });
  const sees = async (client) => (await follow(client, undefined, 3)).all;
  assert.ok((await sees(desk.owner)).some((e) => e.to === 'Canary'));
  const seen = await sees(narrow.client);
  assert.ok(seen.every((e) => !e.resource_type.startsWith('case')) && seen.some((e) => e.resource_type === 'user'));
  for (const role of ['agent', 'collaborator', 'customer']) (await desk.as(role).get('/changes')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get('/changes')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a page that ends with entries that the caller does not see leads behind them', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const { after } = await follow(desk.owner);
  await desk.owner.update(`/cases/${id}`, { assigned_agent_id: desk.people.agent.id }); // and a notification of the agent, which no list of changes shows
  const { all } = await follow(desk.owner, after);
  assert.ok(all.some((e) => e.property === 'assigned_agent'));
  const team = await desk.owner.create('/teams', { title: 'Later' });
  const behind = (await follow(desk.owner, all.at(-1).cursor)).all;
  assert.deepEqual(behind.map(({ resource_type, resource_id, action }) => [resource_type, resource_id, action]), [['team', team.id, 'CREATED']]);
});

test('changes made by the server name their cause', async (t) => {
  const desk = await demo(t, { conversations: 30, args: ['--cascade-rows', '2'] });
  const { after } = await follow(desk.owner);
  const [team] = (await desk.owner.get('/teams')).must(200).data;
  (await desk.owner.delete(`/teams/${team.id}`)).must(200);
  const left = await until('all conversations to leave the team', async () => {
    desk.clock.write(desk.clock.now + 1000);
    const { all } = await follow(desk.owner, after);
    const by = all.filter((e) => e.resource_type === 'case' && e.property === 'assigned_team' && e.from === String(team.id));
    return by.some((e) => e.cause) ? by : undefined;
  });
  assert.ok(left.every((e) => e.to === null));
  assert.equal(new Set(left.map((e) => e.resource_id)).size, left.length);
  assert.equal(left.find((e) => e.cause).cause, 'Job: cascade');
});

test('a new default takes the mark of the former one, a released mail that of the suspension: an entry for each', async (t) => {
  const desk = await open(t), { owner, admin } = desk;
  const marks = async (property, act) => (await added(desk, act)).filter((e) => e.property === property).map((e) => [e.resource_type, e.resource_id, e.from, e.to].join(' ')).sort();
  const hours = (await owner.fetch('/businesshours')).find((h) => h.is_default), other = await owner.create('/businesshours', { title: 'Odd', zones: { monday: [1] } });
  const moved = (type, before, after) => [`${type} ${after} false true`, `${type} ${before} true false`].sort();
  assert.deepEqual(await marks('is_default', () => owner.update(`/businesshours/${other.id}`, { is_default: true })), moved('business_hour', hours.id, other.id));
  const forms = [];
  for (const title of ['A', 'B']) forms.push((await owner.create('/cases/forms', { title })).id);
  await owner.update('/cases/forms/default', { form_id: forms[0] });
  assert.deepEqual(await marks('is_default', () => owner.update('/cases/forms/default', { form_id: forms[1] })), moved('case_form', forms[0], forms[1]));
  const box = (await admin.create('/mailboxes', { address: 'help@people.example', brand_id: 1 })).id;
  sql(desk, `UPDATE mailboxes SET verified_at = 1, is_enabled = 1 WHERE id = ${box}`);
  assert.deepEqual(await marks('is_default', () => admin.update('/mailboxes/default', { mailbox_id: box })), moved('mailbox', 1, box));
  const mailed = await storedMail(desk, { subject: 'x', code: 'NOT_PARTICIPANT', reason: 'Not on the conversation.' });
  assert.deepEqual(await marks('is_suspended', async () => (await admin.put(`/mails/${mailed}`, { is_suspended: false })).must(200)), [`mail ${mailed} true false`]);
});

test('a mail and an import are the causes of their changes', async (t) => {
  const desk = await open(t), { owner } = desk;
  const by = async (type, act) => [...new Set((await added(desk, act)).filter((e) => e.resource_type === type).map((e) => `${e.action} ${e.actor?.id ?? ''} ${e.cause}`))];
  const mailed = await by('case_message', () => receive(desk, mail({ From: 'ann@people.example' }, 'Hello desk')));
  assert.deepEqual(mailed, [`CREATED ${(await owner.fetch('/users', { email: 'ann@people.example' }))[0].id} A mail server`]);
  assert.deepEqual(await by('team', async () => {
    const { id } = (await owner.post('/bulk/teams', { teams: [{ title: 'Imported' }] })).must(202).data;
    assert.equal((await desk.job(owner, id)).status, 'COMPLETED');
  }), [`CREATED ${desk.people.owner.id} Import`]);
});

test('sixteen writers and a reader that restarts at random: each change comes once, in order for each object', async (t) => {
  const desk = await open(t);
  const writers = 16, rounds = 12;
  const teams = await Promise.all(Array.from({ length: writers }, (_, i) => desk.owner.create('/teams', { title: `0 of ${i}` })));
  const shared = await desk.owner.create('/teams', { title: 'shared' });
  let { after } = await follow(desk.owner);
  let done = false;
  const seen = [];
  const reader = (async () => {
    for (let idle = 0; idle < 2;) {
      const over = done;
      const limit = 1 + Math.floor(Math.random() * 7);
      const { body } = (await desk.owner.get('/changes', { after, limit })).must(200);
      // A reader that dies before it stores its cursor reads the same entries again. Here it keeps only a part of the page.
      const kept = body.data.slice(0, Math.max(1, Math.floor(Math.random() * (body.data.length + 1))));
      seen.push(...kept);
      after = kept.at(-1)?.cursor ?? after;
      idle = over && body.data.length === 0 ? idle + 1 : 0;
    }
  })();
  await Promise.all(teams.map(async (team, i) => {
    for (let round = 1; round <= rounds; round++) {
      await desk.owner.update(`/teams/${team.id}`, { title: `${round} of ${i}` });
      await desk.owner.update(`/teams/${shared.id}`, { title: `${round} by ${i}` });
    }
  }));
  done = true;
  await reader;
  for (const [i, team] of teams.entries()) {
    const told = seen.filter((e) => e.resource_id === team.id).map((e) => [e.from, e.to]);
    assert.deepEqual(told, Array.from({ length: rounds }, (_, n) => [`${n} of ${i}`, `${n + 1} of ${i}`]));
  }
  const chain = seen.filter((e) => e.resource_id === shared.id);
  assert.equal(chain.length, writers * rounds);
  for (const [n, entry] of chain.entries()) assert.equal(entry.from, n ? chain[n - 1].to : 'shared', 'entries are in the order of commits');
});

test('a change of something else than a conversation belongs to no conversation', async (t) => {
  const desk = await open(t), { owner, customer } = desk;
  const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  const section = await owner.create('/sections', { titles: 'S', category_id: 1 }), other = await owner.create('/sections', { titles: 'T', category_id: 1 });
  const article = await owner.create('/articles', { titles: 'A', contents: '<p>x</p>', section_id: section.id, status: 'PUBLISHED', allow_comments: true });
  await owner.update(`/articles/${article.id}`, { titles: 'B', contents: '<p>y</p>', tags: 'tagged', section_id: other.id });
  const comment = await customer.create(`/articles/${article.id}/comments`, { contents: 'c' });
  await customer.update(`/articles/${article.id}/comments/${comment.id}`, { contents: 'd' });
  (await owner.put(`/articles/${article.id}/comments/${comment.id}/spam`, {})).must(200);
  (await owner.put('/articles/reorder', { article_ids: [article.id] })).must(200);
  (await owner.put('/sections/reorder', { section_ids: [other.id, section.id] })).must(200);
  const organization = await owner.create('/organizations', { name: 'O', domains: 'o.example', tags: 'tagged' }), person = await desk.person('customer', { tags: 'tagged' });
  await owner.update(`/users/${person.id}`, { organization_id: organization.id, full_name: 'N' });
  const client = await owner.create('/oauth/clients', { name: 'C' });
  await owner.update(`/oauth/clients/${client.id}`, { scopes: ['users:read'] });
  const endpoint = await owner.create('/endpoints', { title: 'E', type: 'HTTP', attributes: { url: 'https://example.com/' } });
  await owner.update(`/endpoints/${endpoint.id}`, { attributes: { url: 'https://example.com/other' } });
  (await owner.put('/notification_preferences', { preferences: [{ type: 'reply_on_case', email: false }] })).must(200);
  for (const path of [`/articles/${article.id}`, `/oauth/clients/${client.id}`, `/endpoints/${endpoint.id}`, `/organizations/${organization.id}`, `/users/${person.id}`]) (await owner.delete(path)).must(200);
  const kinds = desk.sql(`SELECT DISTINCT kind FROM change_log WHERE case_id = ${id} ORDER BY kind`).trim().split('\n');
  assert.equal(id, 1);
  assert.deepEqual(kinds.filter((kind) => !/^case|^conversation|^note/.test(kind)), [], 'kinds of conversation 1');
});

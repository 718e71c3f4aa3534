// Cascades: changes that affect more rows than one write changes. The clock stands still, so the rest of a cascade waits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALLBACK, File, PASSWORD, authorize, authorizeUrl, bearer, demo, denied, exchange, lives, multipart, open, raw, refresh, register, tokensFor } from './lib/index.mjs';
import { png } from './lib/picture.mjs';
import { accessToken } from './lib/tokens.mjs';
import { unzip } from './lib/zip.mjs';

const ROWS = 5; // rows that one write changes
const args = ['--cascade-rows', String(ROWS)];

/** Runs `change` and returns the job for the rest of the cascade. */
async function changed(desk, change) {
  const { id } = (await desk.owner.post('/bulk/teams', { teams: [{ title: 'A mark among the jobs' }] })).must(202).data;
  await desk.job(desk.owner, id);
  await change();
  for (let next = id + 1; next <= id + 5; next++) { // a write that is run again loses an id
    const job = await desk.owner.get(`/jobs/${next}`);
    if (job.status === 200 && desk.sql(`SELECT kind FROM jobs WHERE id = ${next}`) === 'cascade') return job.data; // not the job of SLA clocks
  }
  return undefined;
}

/** Runs `look` (1) after the change, with most rows left, (2) in a new process after a crash and (3) at the end. */
async function seenAlike(desk, change, look) {
  const job = await changed(desk, change);
  assert.equal(job?.status, 'PENDING', 'the change needs more than one write');
  await look('between');
  await desk.kill();
  assert.equal(desk.check().status, 0, desk.check().stdout);
  await desk.start();
  await look('after a crash');
  assert.equal((await desk.owner.fetch(`/jobs/${job.id}`)).status, 'PENDING');
  assert.equal((await desk.job(desk.owner, job.id)).status, 'COMPLETED');
  await look('end');
  assert.equal(desk.check().status, 0, desk.check().stdout);
}

const MOST = { limit: 1000 };
const id = (reference) => reference?.id ?? null;
const assigned = ({ assigned_team, assigned_agent }) => [id(assigned_team), id(assigned_agent)];

/** The most common name, null left out. */
function commonest(names) {
  const counts = new Map();
  for (const name of names) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0][0];
}

/** Compares lists and totals of the owner and of an agent of TEAMS with the expected conversations. */
async function checkLists(desk, wanted, when) {
  const teamsAgent = desk.login('teams-agent@example.com'), self = await teamsAgent.fetch('/me');
  const mine = new Set(self.teams.map(id));
  const rules = [
    [desk.owner, () => true],
    [teamsAgent, ([team, agent]) => mine.has(team) || agent === self.id || (team === null && agent === null)],
  ];
  for (const [who, sees] of rules) {
    const unassigned = (await who.get('/views/5/cases', MOST)).must(200).ids;
    assert.deepEqual(unassigned.sort((a, b) => a - b), wanted.filter((c) => sees(c.assigned) && c.assigned.every((one) => one === null)).map((c) => c.id), `${when}: the view of unassigned ones`);
    for (const status of [undefined, 'OPEN', 'CLOSED']) {
      const { data, total_count } = (await who.get('/conversations', { ...MOST, ...(status && { status }) })).must(200).body;
      const expected = wanted.filter((c) => sees(c.assigned) && (!status || c.type === status));
      assert.deepEqual(data.map((c) => [c.id, ...assigned(c)]).sort((a, b) => a[0] - b[0]), expected.map((c) => [c.id, ...c.assigned]), `${when}, ${status}`);
      assert.equal(total_count, expected.length, `${when}: total of ${status}`);
      const page = (await who.get('/conversations', { limit: 1, ...(status && { status }) })).must(200).body; // the total is counted, not the length of a list
      assert.equal(page.total_count, expected.length, `${when}: count of ${status}`);
    }
  }
  for (const c of wanted.slice(0, 20)) assert.deepEqual(assigned(await desk.owner.fetch(`/conversations/${c.id}`)), c.assigned);
}

async function conversationsOf(desk) {
  const { data } = (await desk.owner.get('/conversations', { ...MOST, include: 'case_status' })).must(200).body;
  return data.map((c) => ({ id: c.id, assigned: assigned(c), type: c.status.type })).sort((a, b) => a.id - b.id);
}

test('a deleted team disappears at once from its conversations, lists and totals', async (t) => {
  const desk = await demo(t, { conversations: 150, args });
  const wanted = await conversationsOf(desk), team = commonest(wanted.map((c) => c.assigned[0]));
  const touched = wanted.filter((c) => c.assigned[0] === team);
  await seenAlike(desk, async () => {
    (await desk.owner.delete(`/teams/${team}`)).must(200);
    for (const c of touched) c.assigned = [null, c.assigned[1]];
  }, async (when) => {
    (await desk.owner.get(`/teams/${team}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.owner.delete(`/teams/${team}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.owner.post(`/teams/${team}/members`, { agent_ids: String(desk.people.agent.id) })).refused(404, 'RESOURCE_NOT_FOUND');
    assert.ok(!(await desk.owner.fetch('/teams', MOST)).some((x) => x.id === team));
    assert.ok(!(await desk.owner.fetch('/users', MOST)).some((u) => u.teams.some((x) => x.id === team)));
    await checkLists(desk, wanted, when);
    const open = touched.find((c) => c.type === 'OPEN'); // it is counted under the team that its row still names
    if (!open) return;
    await desk.owner.update(`/conversations/${open.id}`, { status_id: 5 });
    open.type = 'CLOSED';
    await checkLists(desk, wanted, `${when}, one closed`);
  });
});

test('several teams are deleted together', async (t) => {
  const desk = await demo(t, { conversations: 60, args });
  const wanted = await conversationsOf(desk), teams = (await desk.owner.fetch('/teams', MOST)).map((x) => x.id).slice(0, 3);
  await seenAlike(desk, async () => {
    assert.equal((await desk.owner.delete('/teams', { ids: teams.join() })).must(200).body.total_count, 3);
    for (const c of wanted) if (teams.includes(c.assigned[0])) c.assigned = [null, c.assigned[1]];
  }, (when) => checkLists(desk, wanted, when));
});

test('a deleted person is assigned to nothing at once', async (t) => {
  const desk = await demo(t, { conversations: 150, args });
  const wanted = await conversationsOf(desk);
  const teamsAgent = (await desk.login('teams-agent@example.com').fetch('/me')).id; // the agent that checkLists uses must stay
  const agent = commonest(wanted.map((c) => c.assigned[1]).filter((who) => who !== teamsAgent));
  await seenAlike(desk, async () => {
    (await desk.owner.delete(`/users/${agent}`)).must(200);
    for (const c of wanted) if (c.assigned[1] === agent) c.assigned = [c.assigned[0], null];
  }, (when) => checkLists(desk, wanted, when));
});

test('a team and its busiest agent are deleted at the same time', async (t) => {
  const desk = await demo(t, { conversations: 100, args });
  const wanted = await conversationsOf(desk), team = commonest(wanted.map((c) => c.assigned[0]));
  const teamsAgent = (await desk.login('teams-agent@example.com').fetch('/me')).id;
  const agent = commonest(wanted.map((c) => c.assigned[1]).filter((who) => who !== teamsAgent));
  await seenAlike(desk, async () => {
    (await desk.owner.delete(`/teams/${team}`)).must(200);
    (await desk.owner.delete(`/users/${agent}`)).must(200);
    for (const c of wanted) c.assigned = c.assigned.map((x, i) => (x === [team, agent][i] ? null : x));
  }, (when) => checkLists(desk, wanted, when));
});

test('a change that fits in one write needs no job', async (t) => {
  const desk = await demo(t, { conversations: 40 });
  const wanted = await conversationsOf(desk), team = commonest(wanted.map((c) => c.assigned[0]));
  const job = await changed(desk, async () => (await desk.owner.delete(`/teams/${team}`)).must(200));
  assert.equal(job, undefined);
  for (const c of wanted) if (c.assigned[0] === team) c.assigned = [null, c.assigned[1]];
  await checkLists(desk, wanted, 'at once');
});

/* ---- custom fields --------------------------------------------------------------------------------------------------- */

const OWNERS = {
  users: { make: (desk, i) => desk.person('customer').then((p) => p.id), group: 'userfields' },
  organizations: { make: (desk, i) => desk.owner.create('/organizations', { name: `Organization ${i}` }).then((o) => o.id), group: 'organizationfields' },
};

for (const [kind, { make, group }] of Object.entries(OWNERS)) {
  test(`a deleted field of ${kind} loses its values at once, and its key is free`, async (t) => {
    const desk = await open(t, { args });
    const fields = `/${kind}/fields`;
    const plan = await desk.owner.create(fields, { type: 'SELECT', title: 'Plan', key: 'plan', options: Array.from({ length: 8 }, (_, i) => `Plan ${i}`) });
    const other = await desk.owner.create(fields, { type: 'TEXT', title: 'Other', key: 'other' });
    const option = plan.options[0].id;
    const ids = [];
    for (let i = 0; i < 3 * ROWS; i++) {
      ids.push(await make(desk, i));
      await desk.owner.update(`/${kind}/${ids[i]}`, { field_values: { plan: option, other: 'kept' } });
    }
    const titles = (await desk.owner.fetch(`${fields}/${plan.id}`, { include: '*' })).options[0].titles.map((x) => x.id);
    assert.equal(titles.length, 1);
    const find = (field, operator, value) => desk.owner.post(`/${kind}/filter`, { predicates: { collections: [{ propositions: [{ field: `${group}.${field}`, operator, value }] }] } });
    let again;
    await seenAlike(desk, async () => {
      (await desk.owner.delete(`${fields}/${plan.id}`)).must(200);
      again = await desk.owner.create(fields, { type: 'TEXT', title: 'Plan', key: 'plan' });
      await desk.owner.update(`/${kind}/${ids[0]}`, { field_values: { plan: 'a new one' } });
    }, async (when) => {
      (await desk.owner.get(`${fields}/${plan.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      assert.deepEqual((await desk.owner.fetch(fields)).map((f) => f.id), [other.id, again.id], when);
      for (const x of titles) (await desk.owner.get(`/locale/fields/${x}`)).refused(404, 'RESOURCE_NOT_FOUND');
      for (const owner of ids) {
        const { custom_fields } = await desk.owner.fetch(`/${kind}/${owner}`);
        assert.deepEqual(custom_fields.map((v) => [v.field.id, v.value]), [[other.id, 'kept'], [again.id, owner === ids[0] ? 'a new one' : '']], when);
      }
      assert.deepEqual((await find('plan', 'string_contains_insensitive', 'new')).must(200).ids, [ids[0]], when);
      assert.equal((await desk.owner.fetch(`/${kind}/definitions`)).filter((d) => d.field === `${group}.plan`).length, 1);
    });
  });
}

/* ---- organizations ---------------------------------------------------------------------------------------------------- */

/** A requester with conversations, and one colleague in each of two shared organizations. */
async function colleagues(t, count) {
  const desk = await open(t, { args });
  const [from, to] = await Promise.all(['From', 'To'].map((name) => desk.owner.create('/organizations', { name, is_shared: true })));
  const person = (organization) => desk.person('customer', { organization_id: organization.id, organization_case_access: 'ORGANIZATION' });
  const requester = await person(from), old = await person(from), next = await person(to);
  const ids = [];
  for (let i = 0; i < count; i++) ids.push((await requester.client.create('/conversations', { subject: 'S', contents: 'C' })).id);
  const list = async (who) => {
    const { data, total_count } = (await who.client.get('/conversations', { ...MOST, filters: 'MY_ORGANIZATION' })).must(200).body;
    assert.equal((await who.client.get('/conversations', { limit: 1, filters: 'MY_ORGANIZATION' })).must(200).body.total_count, total_count);
    assert.equal(data.length, total_count);
    return data.map((c) => c.id).sort((a, b) => a - b);
  };
  const move = (organization) => desk.owner.update(`/users/${requester.id}`, { organization_id: organization?.id ?? null });
  return { desk, from, to, requester, old, next, ids, list, move };
}

test('a requester who moves is hidden from old colleagues at once, and visible to new ones at the latest after the cascade', async (t) => {
  const { desk, to, requester, old, next, ids, list, move } = await colleagues(t, 4 * ROWS);
  assert.deepEqual(await list(old), ids);
  await seenAlike(desk, () => move(to), async (when) => {
    assert.deepEqual(await list(old), [], when);
    for (const c of ids) (await old.client.get(`/conversations/${c}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await old.client.get(`/conversations/${ids[0]}/messages`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.deepEqual(await list(requester), ids, when);
    assert.deepEqual(await list(next), when === 'end' ? ids : ids.slice(0, ROWS), when);
  });
});

test('colleagues stop seeing the conversations of a person who leaves the organization at once', async (t) => {
  const { desk, requester, old, ids, list, move } = await colleagues(t, 3 * ROWS);
  await seenAlike(desk, () => move(null), async (when) => {
    assert.deepEqual(await list(old), [], when);
    assert.deepEqual(await list(requester), ids, when);
  });
});

test('the last of two moves counts', async (t) => {
  const { desk, from, to, requester, old, next, ids, list, move } = await colleagues(t, 4 * ROWS);
  const first = await changed(desk, () => move(to));
  const second = await changed(desk, () => move(from));
  assert.deepEqual(await list(next), []);
  for (const { id: job } of [first, second]) await desk.job(desk.owner, job);
  assert.deepEqual([await list(old), await list(next), await list(requester)], [ids, [], ids]);
  assert.equal(await changed(desk, () => move(from)), undefined, 'a PUT of the present organization moves nothing');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('a conversation opened during a move is in the organization of its requester', async (t) => {
  const { desk, to, requester, next, list, move, ids } = await colleagues(t, 3 * ROWS);
  const job = await changed(desk, () => move(to));
  ids.push((await requester.client.create('/conversations', { subject: 'S', contents: 'C' })).id);
  assert.ok((await list(next)).includes(ids.at(-1)));
  await desk.job(desk.owner, job.id);
  assert.deepEqual(await list(next), ids);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('people of a deleted organization, and their conversations, are in no organization at once', async (t) => {
  const { desk, from, requester, old, list } = await colleagues(t, 2 * ROWS);
  const more = [];
  for (let i = 0; i < 2 * ROWS; i++) more.push((await desk.person('customer', { organization_id: from.id })).id);
  await seenAlike(desk, async () => (await desk.owner.delete(`/organizations/${from.id}`)).must(200), async (when) => {
    for (const who of [...more, requester.id]) assert.equal((await desk.owner.fetch(`/users/${who}`)).organization, null, when);
    assert.equal((await requester.client.fetch('/profile')).organization, null);
    assert.equal((await desk.owner.get('/users', { organization_id: from.id })).must(200).body.total_count, 0, when);
    assert.deepEqual(await list(old), [], when);
    (await desk.owner.post('/users', { full_name: 'X', email: 'x@people.example', organization_id: from.id })).refused(400, 'FIELD_INVALID', 'organization_id');
    (await desk.owner.put(`/users/${more[0]}`, { organization_id: from.id })).refused(400, 'FIELD_INVALID', 'organization_id');
  });
});

/* ---- a purge ---------------------------------------------------------------------------------------------------------- */

test('a purged person is hidden at once and erased at the end of the cascade', async (t) => {
  const desk = await open(t, { args });
  const { id: who, client, email } = await desk.person('customer', { full_name: 'Quentin Quoll' });
  const conversations = [];
  for (let i = 0; i < 2 * ROWS; i++) conversations.push((await client.create('/conversations', { subject: 'S', contents: 'C' })).id);
  for (let i = 0; i < 2 * ROWS; i++) {
    await desk.owner.update(`/users/${who}`, { designation: `Secret designation ${i}` });
    await desk.owner.create(`/users/${who}/notes`, { contents: `Secret note ${i}` });
  }
  const asked = (await desk.anyone.create('/conversations', { name: 'A name of mine', email, subject: 'S', contents: 'C' })).id;
  await seenAlike(desk, async () => (await desk.admin.delete(`/users/${who}`, { purge: true })).must(200), async (when) => {
    (await desk.owner.get(`/users/${who}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.owner.get(`/users/${who}/notes`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await client.get('/conversations')).refused(401, 'AUTHENTICATION_FAILED');
    const trail = (await desk.owner.get(`/users/${who}/activities`, MOST)).must(200);
    assert.ok(trail.data.length > 2 * ROWS);
    assert.ok(!/Secret|Quoll/.test(trail.text), when);
    for (const c of [...conversations, asked]) assert.ok(!/Quoll|of mine/.test((await desk.owner.get(`/conversations/${c}`, { include: '*' })).must(200).text), when);
  });
});

test('the comments, votes and articles of a purged person stay, without the name and the pictures of the person', async (t) => {
  const desk = await open(t, { args });
  await desk.owner.update('/settings', { values: { 'helpcenter.comments_a_minute': '0' } });
  const writer = await desk.person('agent', { full_name: 'Quentin Quoll' });
  const reader = await desk.person('customer', { full_name: 'Rita Quoll' });
  const section = await desk.owner.create('/sections', { titles: 'Section', category_id: 1 });
  desk.sql(`UPDATE sections SET agent_id = ${writer.id} WHERE id = ${section.id}`);
  const article = await writer.client.create('/articles', { titles: 'Title', contents: 'One', section_id: section.id, status: 'PUBLISHED' });
  const paths = [`/sections/${section.id}`, `/articles/${article.id}`, `/articles/${article.id}/comments`];
  for (let i = 0; i < ROWS; i++) await writer.client.update(paths[1], { contents: `Version ${i}` });
  const comments = [];
  for (let i = 0; i < 2 * ROWS; i++) comments.push((await reader.client.create(paths[2], { contents: `Comment ${i}` })).id);
  const reply = await writer.client.create(paths[2], { contents: 'A reply', parent_id: comments[0] });
  (await reader.client.post(`${paths[2]}/${comments[0]}/likes`)).must(201);
  (await reader.client.post(`${paths[1]}/upvote`)).must(200);
  const versions = (await desk.owner.fetch(`${paths[1]}/versions`)).length;

  (await desk.owner.delete(`/users/${writer.id}`)).must(200);
  for (const [path, name] of [[paths[0], 'agent'], [paths[1], 'author'], [paths[1], 'creator']]) {
    const shown = (await desk.owner.fetch(path, { include: '*' }))[name];
    assert.deepEqual([shown.id, shown.full_name], [writer.id, 'Quentin Quoll'], `a deleted ${name} keeps the name`);
  }
  await seenAlike(desk, async () => {
    (await desk.admin.delete(`/users/${reader.id}`, { purge: true })).must(200);
    (await desk.admin.delete(`/users/${writer.id}`, { purge: true })).must(200);
  }, async (when) => {
    for (const path of [...paths, `${paths[1]}/versions`, `${paths[2]}/${comments[0]}/likes`, `${paths[1]}/comments/${reply.id}`]) {
      for (const who of [desk.owner, desk.staff]) {
        const { text } = (await who.get(path, { include: '*', ...MOST })).must(200);
        assert.ok(!/Quoll|people\.example/.test(text), `${path} ${when}`);
      }
    }
    for (const path of [...paths, `${paths[2]}/${comments[0]}/likes`]) assert.ok(!/Quoll|people\.example/.test((await desk.anyone.get(path, { include: '*' })).text), `${path} ${when}`);
    const shown = await desk.owner.fetch(paths[1]);
    assert.deepEqual([shown.total_comments, shown.upvote_count], [2 * ROWS + 1, 1], when);
    assert.equal((await desk.owner.fetch(`${paths[1]}/versions`)).length, versions);
    const [liked] = (await desk.anyone.fetch(paths[2], { include: '*', ...MOST })).filter(({ id: which }) => which === comments[0]);
    assert.deepEqual([liked.like_count, liked.user.full_name], [1, 'Deleted user'], when);
  });
});

/* ---- OAuth clients ---------------------------------------------------------------------------------------------------- */

/** A client with grants of many people and several tokens of one of them, and another client. */
async function programs(t) {
  const desk = await open(t, { args });
  const client = await register(desk), other = await register(desk, { name: 'Other' });
  const picture = multipart({ logo: new File('a.png', 'image/png', png(4, 4)) });
  const { logo } = await desk.admin.update(`/oauth/clients/${client.id}`, picture);
  const { agent, customer } = desk.people;
  const access = [];
  for (let i = 0; i < 2 * ROWS; i++) access.push(accessToken(desk, { user: (await desk.person('customer')).id, client: client.id, scopes: ['users:read'] }));
  await tokensFor(desk, client, agent);
  const mine = await tokensFor(desk, client, agent), kept = await tokensFor(desk, other, agent);
  const own = (await exchange(desk, client, { grant_type: 'client_credentials' })).must(200).body.access_token;
  const { code } = await authorize(desk, client, customer);
  for (const { token } of access) assert.equal(await lives(desk, token), true);
  return { desk, client, other, logo, access, mine, kept, own, code };
}

test('a deleted OAuth client ends at once with its grants, tokens and codes, whose rows go in parts', { timeout: 240_000 }, async (t) => {
  const { desk, client, other, logo, access, mine, kept, own, code } = await programs(t);
  const path = `/oauth/clients/${client.id}`, { agent } = desk.people;
  const { body: all } = (await desk.admin.get('/oauth/grants', MOST)).must(200);
  const [keptGrant] = all.data.filter((g) => g.client.id === other.id), goneGrants = all.data.filter((g) => g.client.id === client.id);
  assert.deepEqual([all.total_count, goneGrants.length], [2 * ROWS + 3, 2 * ROWS + 2]);
  const about = async (list) => (await desk.owner.fetch(list, MOST)).filter((e) => /^oauth_/.test(e.object?.resource_type ?? e.resource_type)).length;
  const logged = [await about('/changes'), await about('/audit_log')];
  let keptRefresh = kept.refresh_token, address = 1;

  await seenAlike(desk, async () => (await desk.admin.delete(path)).must(200), async (when) => {
    for (let i = 0; i < 3; i++) assert.equal(await lives(desk, access[i].token), false, when); // several, for each process
    for (const token of [access.at(-1).token, mine.access_token, own]) assert.equal(await lives(desk, token), false, when);
    const from = `127.0.0.${++address}`; // wrong clients are counted by address
    denied(await refresh(desk, client, mine.refresh_token, { from }), 401, 'invalid_client');
    denied(await exchange(desk, client, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }, { from }), 401, 'invalid_client');
    denied(await exchange(desk, client, { grant_type: 'client_credentials' }, { from }), 401, 'invalid_client');
    denied(await exchange(desk, client, { token: mine.access_token }, { path: '/oauth/introspect', from }), 401, 'invalid_client');
    assert.equal((await desk.anyone.exchange('GET', authorizeUrl(client))).status, 400, when);
    assert.equal((await desk.anyone.exchange('GET', logo.url.slice(desk.base.length))).status, 404, when);
    for (const gone of [path, `/oauth/grants/${goneGrants[0].id}`]) {
      (await desk.admin.get(gone)).refused(404, 'RESOURCE_NOT_FOUND');
      (await desk.admin.delete(gone)).refused(404, 'RESOURCE_NOT_FOUND');
    }
    (await desk.admin.put(path, { name: 'Late' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.admin.post(`${path}/secret`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.admin.delete('/oauth/clients', { ids: `${other.id},${client.id}` })).refused(404, 'RESOURCE_NOT_FOUND');
    assert.deepEqual((await desk.admin.fetch('/oauth/clients')).map((c) => c.id), [other.id], when);
    const grants = (await desk.admin.get('/oauth/grants')).must(200).body;
    assert.deepEqual([grants.data.map((g) => g.id), grants.total_count], [[keptGrant.id], 1], when);
    assert.equal((await desk.admin.get('/oauth/grants', { client_id: client.id })).must(200).body.total_count, 0, when);
    const own_grants = (await desk.staff.get('/oauth/my_grants')).must(200).body;
    assert.deepEqual([own_grants.data.map((g) => g.id), own_grants.total_count], [[keptGrant.id], 1], when);
    (await desk.staff.delete(`/oauth/my_grants/${goneGrants.find((g) => g.user.id === agent.id).id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    const files = unzip((await desk.admin.exchange('GET', `/api/v1/users/${agent.id}/export`)).must(200).bytes);
    assert.deepEqual(JSON.parse(files['grants.json']).map((g) => g.program), ['Other'], when);

    assert.equal(await lives(desk, kept.access_token), true, `${when}: tokens of another client stay`);
    keptRefresh = (await refresh(desk, other, keptRefresh)).must(200).body.refresh_token;
    assert.deepEqual([await about('/changes'), await about('/audit_log')], logged.map((n) => n + 1), `${when}: one entry for the client, none for what belongs to it`);
    const left = ['oauth_tokens', 'oauth_grants'].map((table) => Number(desk.sql(`SELECT COUNT(*) FROM ${table} WHERE client_id = ${client.id}`)));
    if (when === 'end') assert.deepEqual(left, [0, 0]);
    else assert.deepEqual(left, [2 * ROWS + 5 - ROWS, 2 * ROWS + 2], `${when}: rows are left`);
  });
  assert.deepEqual(['oauth_codes', 'oauth_clients'].map((table) => desk.sql(`SELECT COUNT(*) FROM ${table}`).trim()), ['1', '1'], 'those of the other client');
});

test('no token is given after the deletion of its OAuth client, not even to a request that began before', async (t) => {
  const desk = await open(t, { args });
  for (let round = 0; round < 8; round++) {
    const client = await register(desk);
    const ask = () => exchange(desk, client, { grant_type: 'client_credentials' }, { from: `127.0.0.${round + 2}` });
    const asked = Array.from({ length: 8 }, ask);
    await asked[round];
    const gone = desk.admin.delete(`/oauth/clients/${client.id}`);
    const replies = await Promise.all([...asked, ...Array.from({ length: 8 }, ask)]);
    (await gone).must(200);
    const given = replies.filter(({ status }) => status === 200);
    assert.equal(await lives(desk, given.at(-1).body.access_token), false);
    const entries = (await desk.owner.fetch('/audit_log', MOST)).filter((e) => e.object?.id === client.id && e.object.resource_type === 'oauth_client');
    const actions = entries.sort((a, b) => a.id - b.id).map((e) => e.action);
    assert.equal(actions.at(-1), 'CLIENT_DELETED', actions.join());
    assert.equal(actions.filter((a) => a === 'TOKEN_ISSUED').length, given.length);
  }
});

/* ---- the help center -------------------------------------------------------------------------------------------------- */

const ARTICLES = 2500;

/** A category with a section of ARTICLES articles, each with a version, a comment with a like, a vote and a file. */
async function crowded(t) {
  const desk = await open(t, { args: ['--cascade-rows', '100'] });
  const category = await desk.owner.create('/categories', { titles: 'Going' });
  const section = await desk.owner.create('/sections', { titles: 'Going', category_id: category.id });
  const create = (more) => desk.staff.create('/articles', { titles: 'Title', contents: 'C', section_id: section.id, status: 'PUBLISHED', ...more });
  const upload = async (data) => (await desk.staff.post('/files', raw('text/plain', data))).must(201).data.id;
  const files = [await upload('one'), await upload('two')];
  const kept = await desk.owner.create('/sections', { titles: 'Kept', category_id: 1 });
  const first = await create({ attachment_file_ids: [files[0]] });
  const other = await create({ section_id: kept.id, attachment_file_ids: [files[1]] });
  const comment = await desk.customer.create(`/articles/${first.id}/comments`, { contents: 'A comment' });
  const numbers = `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ARTICLES - 1}) SELECT i FROM n) n`;
  const each = (table, columns, values) => `INSERT INTO ${table} (${columns}) SELECT ${values} FROM ${numbers};`;
  const at = 10000; // ids
  const me = desk.people.customer.id;
  desk.sql([
    each('articles', 'id, uuid, section_id, status, is_featured, allow_comments, sort_order, upvote_count, rank, total_comments, created_at, updated_at', `${at} + i, '00000000-0000-4000-8000-0000000' || (10000 + i), ${section.id}, 3, 0, 1, i, 1, 10, 1, 1, 1`),
    ...[11, 12].map((kind) => each('locale_fields', 'owner_kind, owner_id, locale, translation, created_at, updated_at', `${kind}, ${at} + i, 'en-us', 'Text', 1, 1`)),
    each('article_comments', 'id, article_id, user_id, contents, is_html, status, like_count, created_at, updated_at', `${at} + i, ${at} + i, ${me}, 'C', 0, 1, 1, 1, 1`),
    each('comment_likes', 'comment_id, user_id, created_at', `${at} + i, ${me}, 1`),
    each('article_votes', 'article_id, user_id, is_up, created_at', `${at} + i, ${me}, 1, 1`),
    each('article_versions', 'article_id, user_id, texts, created_at', `${at} + i, ${me}, '[]', 1`),
    each('article_attachments', 'article_id, file_id, sort_order', `${at} + i, ${files[0]}, 1`),
    `UPDATE sections SET total_articles = ${ARTICLES}, published_articles = ${ARTICLES} WHERE id = ${section.id};`,
    "INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('index_search', 1, '{}', 0, 0, 0, 0);",
  ].join('\n'));
  return { desk, category, section, first, other, comment, files };
}

for (const what of ['section', 'category']) {
  test(`a deleted ${what} with ${ARTICLES} articles is hidden at once, deleted in parts, and its files are released`, { timeout: 240_000 }, async (t) => {
    const world = await crowded(t), { desk, section, first, other, comment, files } = world;
    const path = what === 'section' ? `/sections/${section.id}` : `/categories/${world.category.id}`;
    const left = () => Number(desk.sql(`SELECT COUNT(*) FROM articles WHERE section_id = ${section.id}`));
    const expiry = () => desk.sql(`SELECT CASE WHEN expires_at IS NULL THEN 'kept' ELSE 'released' END FROM files WHERE id IN (${files.join()}) ORDER BY id`).trim().split('\n');
    assert.deepEqual(expiry(), ['kept', 'kept']);
    await seenAlike(desk, async () => (await desk.owner.delete(path)).must(200), async (when) => {
      for (const gone of [path, `/sections/${section.id}`, `/articles/${first.id}`, '/articles/10500', '/articles/10500/comments', `/articles/${first.id}/comments/${comment.id}`]) (await desk.owner.get(gone)).refused(404, 'RESOURCE_NOT_FOUND');
      (await desk.customer.post('/articles/10500/comments', { contents: 'Late' })).refused(404, 'RESOURCE_NOT_FOUND');
      (await desk.staff.post('/articles', { titles: 'Late', contents: 'C', section_id: section.id })).refused(400, 'FIELD_INVALID', 'section_id');
      assert.deepEqual((await desk.owner.get('/articles', MOST)).ids, [other.id], when);
      assert.equal(left(), when === 'end' ? 0 : ARTICLES, when);
    });
    for (const table of ['article_comments', 'comment_likes', 'article_votes', 'article_versions']) assert.equal(desk.sql(`SELECT COUNT(*) FROM ${table}`).trim(), '0', table);
    assert.equal(desk.sql(`SELECT COUNT(*) FROM locale_fields WHERE owner_kind IN (11, 12) AND owner_id <> ${other.id}`).trim(), '0');
    assert.equal(desk.sql(`SELECT COUNT(*) FROM sections WHERE id = ${section.id}`).trim(), '0');
    if (what === 'category') assert.equal(desk.sql(`SELECT COUNT(*) FROM categories WHERE id = ${world.category.id}`).trim(), '0');
    assert.equal(desk.sql('SELECT COUNT(*) FROM article_attachments').trim(), '1');
    assert.deepEqual(expiry(), ['released', 'kept']);
  });
}

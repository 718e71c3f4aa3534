// Totals come from counters (core/cases/case_total.h). Random writes must leave each total equal to the number of rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clean, dice, open, when as all } from './lib/index.mjs';

const ALL = { limit: 1000 };
const TYPES = ['NEW', 'OPEN', 'PENDING', 'COMPLETED', 'CLOSED', 'CUSTOM'];

/** Compares the total of a list with its rows. A page of one row has the total of the counters, a whole list that of its rows. */
async function compare(who, path, query, when) {
  const { data } = (await who.get(path, { ...query, ...ALL })).must(200).body;
  const { total_count } = (await who.get(path, { ...query, limit: 1 })).must(200).body;
  assert.equal(total_count, data.length, `${when}: ${path} ${JSON.stringify(query)}`);
  return data.length;
}

/** Several people, teams, organizations and conversations with all kinds of properties. */
async function world(t, options) {
  const desk = await open(t, options);
  const { owner } = desk;
  const make = (path, bodies) => Promise.all(bodies.map(async (body) => (await owner.create(path, body)).id));
  const teams = await make('/teams', [{ title: 'A' }, { title: 'B' }, { title: 'C' }]);
  const organizations = await make('/organizations', [{ name: 'One', is_shared: true }, { name: 'Two', is_shared: true }, { name: 'Three' }]);
  const agents = [];
  for (let i = 0; i < 3; i++) agents.push(await desk.person('agent', { team_ids: teams.slice(0, i + 1), agent_case_access: ['ALL', 'TEAMS', 'SELF'][i] }));
  const customers = [];
  for (let i = 0; i < 4; i++) customers.push(await desk.person('customer', i < 3 ? { organization_id: organizations[i % 2], organization_case_access: 'ORGANIZATION' } : {}));
  const status = (await owner.create('/cases/statuses', { label: 'Own' })).id;
  return { desk, owner, teams, organizations, agents, customers, statuses: [2, 3, 4, status], priorities: [1, 2, 3, 4], tags: ['red', 'green', 'blue'], cases: [] };
}

/** One random write. It may be refused, because the conversation is closed or in the trash. */
async function write(w, d) {
  const { owner, desk } = w, customer = d.one(w.customers), id = w.cases.length ? d.one(w.cases) : 0, some = (list) => (d.below(3) ? d.one(list) : null);
  const deeds = {
    open: async () => w.cases.push((await customer.client.create('/conversations', { subject: 'S', contents: 'C' })).id),
    openForRequester: async () => {
      const body = { subject: 'S', contents: 'C', requester_id: customer.id, priority_id: some(w.priorities), assigned_team_id: some(w.teams), assigned_agent_id: some(w.agents)?.id ?? null, tags: [d.one(w.tags)] };
      w.cases.push((await owner.create('/cases', body)).id);
    },
    status: () => owner.put(`/cases/${id}`, { status_id: d.below(12) ? d.one(w.statuses) : 5 }),
    priority: () => owner.put(`/cases/${id}`, { priority_id: some(w.priorities) }),
    assign: () => owner.put(`/cases/${id}`, { assigned_team_id: some(w.teams), assigned_agent_id: some(w.agents)?.id ?? null }),
    requester: () => owner.put(`/cases/${id}`, { requester_id: customer.id }),
    many: () => owner.put('/cases', { status_id: d.one(w.statuses), priority_id: some(w.priorities) }, { ids: [...new Set([id, d.one(w.cases), d.one(w.cases)])].join(',') }),
    trash: () => owner.put(`/cases/${id}/trash`, {}),
    restore: () => owner.put(`/cases/${id}/restore`, {}),
    restoreAnother: () => owner.put(`/cases/${d.one(w.cases)}/restore`, {}),
    tag: () => owner.post(`/cases/${id}/tags`, { tags: [d.one(w.tags), d.one(w.tags)] }),
    tags: () => owner.put(`/cases/${id}/tags`, { tags: w.tags.slice(d.below(3)) }),
    untag: () => owner.delete(`/cases/${id}/tags`, { tags: d.one(w.tags) }),
    answer: () => owner.post(`/cases/${id}/reply`, { contents: 'A', channel: 'HELPCENTER', status_id: d.one(w.statuses) }),
    write: () => customer.client.post(`/conversations/${id}/messages`, { contents: 'M' }),
    complete: () => customer.client.put(`/conversations/${id}`, { status_id: 4 }),
    move: () => owner.put(`/users/${customer.id}`, { organization_id: some(w.organizations) }),
    join: () => owner.put(`/users/${d.one(w.agents).id}`, { team_ids: w.teams.slice(d.below(w.teams.length)) }),
  };
  const name = w.cases.length < 8 ? d.one(['open', 'openForRequester']) : d.one(Object.keys(deeds));
  const reply = await deeds[name]();
  if (reply?.status) assert.ok(reply.status < 500, `${name}: ${reply.status}`);
  assert.ok(desk.child, name);
}

/** All filters alone and in pairs, for each kind of caller. */
async function compareAll(w, when) {
  const filters = [
    ...TYPES.map((status) => ({ status })), { status: 'OPEN,CLOSED' }, { priority: 2 }, { priority: 1000 },
    ...w.teams.map((id) => ({ assigned_team_id: id })), ...w.agents.map(({ id }) => ({ assigned_agent_id: id })),
    ...w.customers.map(({ id }) => ({ requester_id: id })), ...w.organizations.map((id) => ({ organization_id: id })),
    ...w.tags.map((tags) => ({ tags })), { tags: w.tags.join(',') }, { tags: w.tags.slice(1).join(',') },
  ];
  let rows = 0;
  for (const who of [w.owner, ...w.agents.map((a) => a.client)]) {
    for (const path of ['/cases', '/conversations']) rows += await compare(who, path, {}, when);
    for (const filter of filters) rows += await compare(who, '/cases', filter, when);
    for (const { id } of w.customers) rows += await compare(who, `/users/${id}/cases`, {}, when);
    for (const filters of [undefined, 'all', 'NOTES,ACTIVITIES']) {
      const query = filters ? { filters } : {};
      for (const { id } of [...w.customers, ...w.agents]) rows += await compare(who, `/users/${id}/posts`, query, when);
      for (const id of w.organizations) rows += await compare(who, `/organizations/${id}/posts`, query, when);
    }
    for (const id of w.organizations) rows += await compare(who, `/organizations/${id}/cases`, {}, when);
  }
  for (const [i, first] of filters.entries()) for (const second of filters.slice(i + 1)) {
    if (Object.keys(first)[0] === Object.keys(second)[0] || (i + rows) % 5) continue; // a fifth of the pairs
    for (const who of [w.owner, w.agents[1].client]) await compare(who, '/cases', { ...first, ...second }, when);
  }
  for (const { client } of w.customers) for (const status of [undefined, 'NEW', 'OPEN,PENDING', 'CLOSED']) for (const filters of [undefined, 'MY_ORGANIZATION']) {
    rows += await compare(client, '/conversations', { ...(status && { status }), ...(filters && { filters }) }, when);
  }
  return rows;
}

test('each total of conversations equals the number of rows after random writes', async (t) => {
  const w = await world(t), d = dice(Number(process.env.SEED ?? 11));
  for (let round = 1; round <= 4; round++) {
    for (let i = 0; i < 60; i++) await write(w, d);
    assert.ok(await compareAll(w, `round ${round}`) > 100, 'the lists have rows');
    clean(w.desk);
  }
});

/** Views with conditions of each kind: columns, tags, parts of texts, counters, times, the requester, the caller, either of two. */
async function viewsOf(w) {
  const is = 'comparison_equalto', field = await w.owner.create('/users/fields', { type: 'TEXT', title: 'Level', key: 'level' });
  const conditions = [
    all(['cases.casepriorityid', is, '2']), all(['cases.casestatusid', 'comparison_not_equalto', '2']), all(['tags.name', 'collection_contains_insensitive', 'red']),
    all(['cases.subject', 'string_contains_insensitive', 'new']), all(['cases.assigneeagentid', is, '(current_user)'], ['cases.casestatusid', is, '3']),
    all(['cases.assigneeteamid', is, String(w.teams[1])]), all(['users.organizationid', is, String(w.organizations[0])]), all(['casemetrics.replycount', 'comparison_greaterthan', '0']),
    all(['cases.requesterid', is, String(w.customers[1].id)]), all([`requesterfields.${field.key}`, 'string_contains_insensitive', 'gold']), all(['cases.updatedat_relative_past', 'date_after_or_on', 'today']),
    [{ propositions: [{ field: 'cases.casepriorityid', operator: is, value: '4' }, { field: 'cases.assigneeteamid', operator: is, value: '0' }] }], all(['cases.postcount', 'comparison_greaterthan', '2']), [],
  ];
  const views = [{ id: 2 }, { id: 3 }];
  for (const predicate_collections of conditions) views.push(await w.owner.create('/views', { title: 'V', visibility_type: 'ALL', predicate_collections }));
  return views.map(({ id }) => `/views/${id}/cases`);
}

/** A list in an order without an index finds its rows by the ids that were counted, one in the order of updated_at by its index. */
async function compareView(who, path, when) {
  await compare(who, path, {}, when);
  const walked = (await who.get(path, ALL)).must(200).ids;
  for (const order_by_column of ['caseid', 'subject']) {
    const { body, ids } = (await who.get(path, { ...ALL, order_by_column, order_by: 'ASC' })).must(200);
    assert.deepEqual(ids.toSorted((a, b) => a - b), walked.toSorted((a, b) => a - b), `${when}: ${path} by ${order_by_column}`);
    const keys = body.data.map((one) => [order_by_column === 'subject' ? one.subject.toLowerCase() : '', one.id]);
    assert.deepEqual(keys, keys.toSorted(([a, i], [b, k]) => (a < b ? -1 : a > b ? 1 : i - k)));
    const page = (await who.get(path, { limit: 3, offset: 2, order_by_column, order_by: 'ASC' })).must(200);
    assert.deepEqual([page.ids, page.body.total_count], [ids.slice(2, 5), ids.length]);
  }
}

test('the total and the rows of a view are right after each write', async (t) => {
  const w = await world(t, { processes: 1 }), d = dice(Number(process.env.SEED ?? 31)), { owner } = w;
  for (let i = 0; i < 20; i++) await write(w, d);
  const views = await viewsOf(w), callers = [owner, ...w.agents.map(({ client }) => client)];
  for (const path of views) for (const who of callers) await compareView(who, path, 'at first');
  const more = {
    subject: (id) => owner.put(`/cases/${id}`, { subject: d.one(['Old', 'A new one']) }),
    note: (id) => owner.post(`/cases/${id}/notes`, { contents: 'N' }),
    rate: (id) => owner.put(`/cases/${id}`, { type_id: d.one([1, 2, null]) }),
    merge: () => owner.post(`/cases/${d.one(w.cases)}/merge`, { case_ids: [d.one(w.cases)] }),
    remove: (id) => owner.delete(`/cases/${id}`),
    level: () => owner.put(`/users/${d.one(w.customers).id}`, { field_values: { level: d.one(['gold', 'tin']) } }),
    newcomer: () => w.desk.person('customer'),
  };
  for (let i = 0; i < 250; i++) {
    const name = d.below(3) ? '' : d.one(Object.keys(more));
    if (name) assert.ok((await more[name](d.one(w.cases))).status !== 500, name);
    else await write(w, d);
    for (let k = 0; k < 2; k++) await compareView(d.one(callers), d.one(views), `after ${i} ${name}`);
  }
  for (const path of views) for (const who of callers) await compareView(who, path, 'at the end');
  clean(w.desk);
});

test('each total equals the number of rows after writes that run side by side', async (t) => {
  const w = await world(t), d = dice(23);
  for (let i = 0; i < 10; i++) await write(w, d);
  for (let i = 0; i < 15; i++) await Promise.all(Array.from({ length: 8 }, () => write(w, d)));
  await compareAll(w, 'at the end');
  clean(w.desk);
});

test('each total equals the number of rows when a team, an agent, an organization and a person are deleted, between the parts of each cascade', async (t) => {
  const w = await world(t, { args: ['--cascade-rows', '5'] }), d = dice(5), { owner } = w;
  for (let i = 0; i < 120; i++) await write(w, d);
  const deletions = [
    [`/teams/${w.teams[0]}`], [`/users/${w.agents[2].id}`], [`/organizations/${w.organizations[0]}`],
    [`/users/${w.customers[3].id}`, { purge: true }], [`/users/${w.customers[0].id}`, { purge: true }],
  ];
  w.agents.pop();
  w.customers = w.customers.slice(1, 3);
  w.teams.shift();
  w.organizations.shift();
  for (const [path, query] of deletions) {
    (await owner.delete(path, query)).must(200);
    await compareAll(w, `after ${path}`);
    clean(w.desk);
  }
});

test('a level that no priority has changes no total of other lists', async (t) => {
  const { desk, owner, teams, agents } = await world(t);
  for (const subject of ['First', 'Second']) await owner.create('/cases', { subject, contents: 'C', requester_id: desk.people.customer.id, assigned_team_id: teams[0] });
  for (const who of [owner, agents[1].client]) {
    for (const path of ['/cases', '/views/1/cases']) {
      assert.equal((await who.get(path, { priority: -1, limit: 1 })).must(200).body.total_count, 0);
      assert.equal((await who.get(path, { limit: 1 })).must(200).body.total_count, 2);
    }
  }
});

test('the total of people in a large desk is exact after each change of a person', async (t) => {
  const desk = await open(t), { owner } = desk;
  desk.sql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10100)
    INSERT INTO users (uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, role_type, organization_case_access, locale_id, created_at, updated_at)
    SELECT 'many ' || CAST(i AS VARCHAR), 'Many', 'many', CASE WHEN i > 10050 THEN 0 ELSE 1 END, 0, 4, 1, 1, 1, 0, 0 FROM n`);
  const person = await desk.person('customer'), agent = await desk.person('agent'), filters = [{}, { is_enabled: true }, { is_enabled: false }, { role: 'CUSTOMER' }, { role: 'CUSTOMER,AGENT', is_enabled: true }, { role: 'AGENT' }];
  const totals = async (who) => Promise.all(filters.map(async (filter) => (await who.get('/users', { ...filter, limit: 1 })).must(200).body.total_count));
  const stored = () => ['1 = 1', 'is_enabled = 1', 'is_enabled = 0', 'role_type = 1', 'role_type IN (1, 3) AND is_enabled = 1', 'role_type = 3'].map((where) => Number(desk.sql(`SELECT COUNT(*) FROM users WHERE deleted_at IS NULL AND ${where}`)));
  const changes = [
    () => {}, () => owner.create('/conversations', { subject: 'S', contents: 'C' }).catch(() => {}), () => desk.person('customer'), () => owner.update(`/users/${person.id}`, { is_enabled: false }), () => owner.update(`/users/${person.id}`, { is_enabled: true }),
    () => owner.update(`/users/${person.id}`, { role_id: 2 }), () => owner.delete(`/users/${person.id}`), () => desk.customer.create('/conversations', { subject: 'S', contents: 'C' }), () => owner.create('/users', { full_name: 'New', email: 'new@example.com' }), () => owner.delete('/users', { ids: `${agent.id},11` }),
  ];
  for (const [i, change] of changes.entries()) {
    await change();
    for (const who of [owner, desk.staff, owner]) assert.deepEqual(await totals(who), stored(), `after change ${i}`);
  }
});

test('deskd check finds a counter that differs from the conversations', async (t) => {
  const w = await world(t), d = dice(3);
  for (let i = 0; i < 10; i++) await write(w, d);
  clean(w.desk);
  w.desk.sql('UPDATE case_totals SET n1 = n1 + 1 WHERE kind = 1 AND id = 0 AND with_id = -1');
  const { status, stdout } = w.desk.check();
  assert.notEqual(status, 0);
  assert.match(stdout, /case_totals of kind 1, id 0, with -1, priority \d+ differs from the conversations/);
});

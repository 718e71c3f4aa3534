import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open, raw, routes, shared, until } from './lib/index.mjs';
import { newArticle } from './lib/published.mjs';

/** Every declared list, with paths that lead to rows of this desk. */
async function lists(desk) {
  const { owner, people } = desk;
  const conversation = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const organization = await owner.create('/organizations', { name: 'Engines' });
  const of = { users: people.customer.id, conversations: conversation.id, cases: conversation.id, organizations: organization.id, roles: 1, brands: 1, views: 1 };
  of.teams = (await owner.create('/teams', { title: 'Support' })).id;
  const endpoint = await desk.admin.create('/endpoints', { title: 'Box', type: 'EMAIL', attributes: { address: 'team@example.org', subject: 'News' } });
  for (let i = 0; i < 2; i++) (await desk.admin.post(`/endpoints/${endpoint.id}/test`)).must(201);
  of.endpoints = endpoint.id;
  for (const rules of ['triggers', 'monitors']) of[rules] = (await desk.admin.create(`/${rules}`, { title: 'Rule', is_enabled: false, actions: [{ name: 'priority', option: 'INCREASE' }] })).id;
  const file = (await owner.post('/files', raw('text/csv', Buffer.from('emails\nx\ny\n')))).must(201).data;
  of.csv_imports = (await owner.create('/csv_imports', { kind: 'USERS', file_id: file.id, is_dry_run: true })).id;
  await until('the errors of the import', async () => {
    desk.clock.write(desk.clock.now + 10);
    return (await owner.get(`/csv_imports/${of.csv_imports}/errors`)).data.length === 2;
  });
  of.articles = await newArticle(desk);
  await newArticle(desk);
  const comment = await owner.create(`/articles/${of.articles}/comments`, { contents: 'C' });
  await owner.create(`/articles/${of.articles}/comments/${comment.id}/likes`, {});
  await owner.update(`/articles/${of.articles}`, { contents: 'Other contents' });
  const found = [];
  for (const { method, path } of routes()) {
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    const operation = desk.contract.route(`/api/v1${path.replaceAll(/:\w+/g, '1')}`)?.item.get;
    if (method !== 'GET' || !operation) continue;
    const { schema } = operation.responses['200']?.content['application/json'] ?? {}; // a WebSocket has no 200
    const items = schema?.properties?.data?.type === 'array';
    if (!items) continue;
    const real = path.replace(/^\/(\w+)\/:id/, (all, name) => (of[name] ? `/${name}/${of[name]}` : all)).replace(':name', 'password_changed').replace(':comment_id', comment.id);
    if (real.includes(':')) assert.fail(`no rows known for the list ${template}`);
    const declared = new Set(operation.parameters.map((p) => p.name ?? p.$ref.split('/').at(-1)));
    const query = path.endsWith('/search') ? { query: 'a' } : path.startsWith('/autocomplete') ? { [path.endsWith('emails') ? 'address' : 'name']: 'a' } : {};
    found.push({ path: real, template: path, items: schema.properties.data.items.$ref, declared, query });
  }
  assert.ok(found.length > 30, `${found.length} lists`);
  return found;
}

/** Owners may not list mails. */
const readerOf = async (desk, path, query) => ((await desk.owner.get(path, query)).status === 403 ? desk.admin : desk.owner);

describe('every declared list', () => {
  const world = shared(async (w) => { w.lists = await lists(w.desk); });

  test('accepts ids if its items have ids, else refuses them', async () => {
    const { desk } = world;
    for (const { path, declared, query } of world.lists) {
      const whole = await readerOf(desk, path, query);
      const all = (await whole.get(path, { ...query, limit: 1000 })).must(200).body.data;
      if (!declared.has('ids')) {
        const refused = (await whole.get(path, { ...query, ids: '1' })).refused(400, 'FIELD_INVALID', 'ids');
        assert.doesNotMatch(JSON.stringify(refused.body.logs ?? []), /ignored/, `${path}: a refused argument is not ignored`);
        continue;
      }
      assert.deepEqual((await whole.get(path, { ids: '999999' })).must(200).body.data, [], path);
      const [one] = all;
      if (!one) continue;
      const picked = (await whole.get(path, { ids: one.id })).must(200).body;
      assert.deepEqual([picked.data.map((x) => x.id), picked.total_count], [[one.id], 1], path);
      assert.deepEqual((await whole.get(path, { ids: '' })).must(200).body.data, [], `${path}: an empty ids gives no rows`);
    }
  });

  test('accepts legacy_ids if its items have a legacy_id, else refuses them', async () => {
    const { desk } = world;
    for (const { path, declared, query } of world.lists) {
      const reply = await (await readerOf(desk, path, query)).get(path, { ...query, legacy_ids: 'none' });
      if (declared.has('legacy_ids')) assert.deepEqual(reply.must(200).body.data, [], path);
      else reply.refused(400, 'FIELD_INVALID', 'legacy_ids');
    }
  });

  test('accepts or refuses after_id and before_id, and never ignores them', async () => {
    const { desk } = world;
    for (const { path, declared, query } of world.lists) {
      const whole = await readerOf(desk, path, query);
      for (const name of ['after_id', 'before_id']) {
        const reply = await whole.get(path, { ...query, [name]: '1' });
        if (!declared.has(name)) reply.refused(400, 'FIELD_INVALID', name);
        else assert.ok(!('offset' in reply.must(200).body), path);
      }
    }
  });
});

/** Values of the arguments of lists that have nested lists. Each takes some rows of the world below, not all. */
const VALUES = ({ people, team, organization }) => ({
  status: [{ status: 'PENDING' }, { status: 'NEW,OPEN' }],
  priority: [{ priority: 1 }, { priority: 3 }],
  tags: [{ tags: 'red' }, { tags: 'red,blue' }, { tags: 'unknown' }],
  identity_type: [{ identity_type: 'EMAIL', identity_value: people.customer.email }],
  identity_value: [{ identity_type: 'EMAIL', identity_value: people.agent.email }],
  assigned_agent_id: [{ assigned_agent_id: people.agent.id }],
  assigned_team_id: [{ assigned_team_id: team.id }],
  requester_id: [{ requester_id: people.customer.id }, { requester_id: people.agent.id }],
  organization_id: [{ organization_id: organization.id }, { organization_id: 999999 }],
  role: [{ role: 'AGENT' }, { role: 'ADMIN,OWNER' }],
  is_enabled: [{ is_enabled: 'false' }, { is_enabled: 'true' }],
  email: [{ email: people.agent.email }],
  refused: [{ refused: 'false' }, { refused: 'true' }],
});

/** Conversations and people that differ in each argument of their lists, with a view of all conversations. */
async function various(desk) {
  const { owner, people } = desk;
  const team = await owner.create('/teams', { title: 'Red' }), organization = await owner.create('/organizations', { name: 'Works' });
  const inside = [people.customer, people.agent, people.admin];
  for (const { id } of inside) (await owner.put(`/users/${id}`, { organization_id: organization.id })).must(200);
  const away = await desk.person('agent');
  (await owner.put(`/users/${away.id}`, { organization_id: organization.id, is_enabled: false })).must(200);
  (await owner.post(`/teams/${team.id}/members`, { agent_ids: [people.agent.id, people.admin.id, away.id] })).must(201);
  for (const requester_id of [people.customer.id, people.agent.id])
    for (const more of [{ status_id: 3, tags: 'red' }, { priority_id: 1, tags: 'blue' }, { priority_id: 3, assigned_agent_id: people.agent.id }, { assigned_team_id: team.id, tags: 'red' }, { priority_id: 4 }]) {
      const { tags, ...rest } = more;
      const { id } = await owner.create('/cases', { subject: 'S', contents: 'C', requester_id, ...rest });
      if (tags) (await owner.put(`/cases/${id}`, { tags })).must(200);
    }
  const { ids: cases } = (await owner.get('/cases', { limit: 2 })).must(200);
  for (const id of [...cases, ...cases]) (await owner.post(`/cases/${id}/reply`, { contents: 'C', send_at: new Date(desk.clock.now + 86_400_000).toISOString() })).must(201);
  desk.sql('UPDATE scheduled_replies SET refused_at = 1 WHERE id < 3');
  const all = [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'S' }] }];
  const view = await owner.create('/views', { title: 'All', visibility_type: 'ALL', predicate_collections: all });
  return { desk, people, team, organization, parents: { cases, users: [people.customer.id, people.agent.id], organizations: [organization.id], teams: [team.id], views: [1, view.id] } };
}

describe('a nested list', () => {
  const world = shared(async (w) => { w.various = await various(w.desk); w.lists = await lists(w.desk); });
  const ids = async (path, query) => (await world.desk.owner.get(path, { limit: 1000, ...query })).must(200).ids;
  const nested = () => world.lists.flatMap((list) => {
    const own = world.lists.find((o) => o.items === list.items && !/:|^\/autocomplete|^\/comments$|^\/profile\/drafts$/.test(o.template) && o !== list); // moderators list replies, too, and people of staff shared drafts of others
    return own && list.template.includes('/:id/') && list.declared.has('ids') ? [{ ...list, own }] : [];
  });
  const isOfList = (name) => !/^(ids|legacy_ids|after_id|before_id|offset|limit|include|fields|order_by|order_by_column|format|_.*|X-.*|If-.*)$/.test(name);

  test('takes all arguments of the own list of its rows', () => {
    const found = nested();
    for (const path of ['/users/:id/cases', '/organizations/:id/cases', '/views/:id/cases', '/organizations/:id/members', '/teams/:id/members'])
      assert.ok(found.some(({ template }) => template === path), path);
    for (const { template, declared, own } of found) assert.deepEqual([...own.declared].filter((name) => !declared.has(name)), [], template);
  });

  test('is narrowed by each of them as its own list is', async () => {
    const { various: v } = world, values = VALUES(v);
    for (const { template, own } of nested()) {
      for (const parent of v.parents[template.split('/')[1]] ?? assert.fail(`no parents of ${template}`)) {
        const path = template.replace(':id', parent), whole = await ids(path);
        for (const name of [...own.declared].filter(isOfList))
          for (const query of values[name] ?? assert.fail(`no values of ${name} of ${own.template}`)) {
            const rows = new Set(await ids(own.template, query));
            const reply = (await world.desk.owner.get(path, { limit: 1000, ...query })).must(200);
            assert.deepEqual(reply.ids, whole.filter((id) => rows.has(id)), `${path} ${JSON.stringify(query)}`);
            assert.equal(reply.body.total_count, reply.ids.length, `${path} ${JSON.stringify(query)}`);
            assert.equal((await world.desk.owner.get(path, { limit: 1, ...query })).must(200).body.total_count, reply.ids.length, `${path} ${JSON.stringify(query)}`);
          }
      }
    }
  });

  test('is narrowed by some value of each argument', async () => {
    const { various: v } = world, values = VALUES(v);
    for (const { template, own } of nested())
      for (const name of [...own.declared].filter(isOfList)) {
        const cases = v.parents[template.split('/')[1]].flatMap((parent) => values[name].map((query) => [template.replace(':id', parent), query]));
        const narrowed = await Promise.all(cases.map(async ([path, query]) => (await ids(path, query)).length < (await ids(path)).length));
        assert.ok(narrowed.some(Boolean), `${template} ${name}`);
      }
  });

  test('refuses a value that its own list refuses', async () => {
    for (const { template, own } of nested()) {
      const path = template.replace(':id', world.various.parents[template.split('/')[1]][0]);
      for (const [name, value] of [['status', 'x'], ['priority', 'x'], ['requester_id', 'x'], ['role', 'x'], ['is_enabled', 'x'], ['email', 'x']])
        if (own.declared.has(name)) (await world.desk.owner.get(path, { [name]: value })).refused(400, 'FIELD_INVALID');
      if (own.declared.has('identity_type')) (await world.desk.owner.get(path, { identity_type: 'EMAIL' })).refused(400, 'FIELD_REQUIRED', 'identity_value');
    }
  });

  test('of an agent who sees a part of the conversations has these alone, with each argument', async () => {
    const { desk, various: v } = world, values = VALUES(v);
    const { client } = await desk.person('agent', { agent_case_access: 'SELF' });
    const { id } = await client.fetch('/profile');
    const mine = await desk.owner.create('/cases', { subject: 'S', contents: 'C', requester_id: v.people.customer.id, assigned_agent_id: id, priority_id: 1, status_id: 3 });
    const seen = async (path, query) => (await client.get(path, query)).must(200);
    for (const path of [`/users/${v.people.customer.id}/cases`, `/organizations/${v.organization.id}/cases`, ...v.parents.views.map((view) => `/views/${view}/cases`)])
      for (const query of ['status', 'priority', 'requester_id', 'identity_type'].map((name) => values[name][0])) {
        const { body } = await seen(path, query);
        assert.deepEqual([body.data.map((k) => k.id), body.total_count], [[mine.id], 1], `${path} ${JSON.stringify(query)}`);
        assert.deepEqual((await seen(path, { ...query, assigned_agent_id: v.people.agent.id })).ids, [], path);
      }
  });
});

describe('fields', () => {
  const world = shared(async (w) => { w.lists = await lists(w.desk); });

  test('never removes id, uuid, resource_type and resource_url, in any list', async () => {
    const { desk } = world;
    let uuids = 0;
    for (const { path, query } of world.lists) {
      const whole = await readerOf(desk, path, query);
      const kept = ({ data }) => data.map((row) => Object.fromEntries(['id', 'uuid', 'resource_type', 'resource_url'].filter((name) => name in row).map((name) => [name, row[name]])));
      const [all, some] = [(await whole.get(path, query)).must(200), (await whole.get(path, { ...query, fields: 'created_at' })).must(200)];
      assert.deepEqual(kept(some), kept(all), path);
      for (const row of some.data) assert.deepEqual(Object.keys(row).filter((name) => !['id', 'uuid', 'resource_type', 'resource_url', 'created_at'].includes(name)), [], path);
      assert.deepEqual(kept((await whole.get(path, { ...query, fields: '-id,-uuid,-resource_type,-resource_url' })).must(200)), kept(all), path);
      uuids += all.data.filter((row) => 'uuid' in row).length;
    }
    assert.ok(uuids > 5, `${uuids} rows with a uuid`);
  });

  test('keeps them in both searches, and in rows that it selects inside', async () => {
    const { desk } = world, { owner } = desk;
    const talk = await desk.customer.create('/conversations', { subject: 'Zebracorn', contents: 'Zebracorn' });
    const article = await newArticle(desk, { title: 'Zebracorn' });
    const search = (path, query) => until(`${path} finds`, async () => {
      desk.clock.write(desk.clock.now + 1000);
      const { data } = (await owner.get(path, { query: 'zebracorn', ...query })).must(200);
      return data.length && data;
    });
    const [found] = await search('/search', { resources: 'CASES', fields: 'title' });
    assert.deepEqual(found, { id: talk.id, title: 'Zebracorn', resource_url: `${desk.base}/api/v1/cases/${talk.id}` });
    const [hit] = await search('/helpcenter/search', { fields: 'link' });
    assert.deepEqual([Object.keys(hit), hit.uuid], [['uuid', 'link'], (await owner.fetch(`/articles/${article}`)).uuid]);
    const one = await owner.fetch(`/cases/${talk.id}`, { fields: 'requester(full_name)', include: 'user' });
    assert.deepEqual(Object.keys(one.requester), ['id', 'uuid', 'full_name', 'resource_type', 'resource_url']);
  });
});

const KEYED = ['/teams', '/roles', '/roles/1/permissions', '/organizations', '/brands', '/businesshours', '/users', '/conversations'];
for (const path of KEYED) {
  test(`${path}: after_id returns the rows after a row, before_id the rows before it, both without the row`, async (t) => {
    const { owner, customer } = await open(t);
    for (let i = 0; i < 4; i++) {
      if (path === '/conversations') await customer.create(path, { subject: 'S', contents: 'C' });
      if (path === '/teams') await owner.create(path, { title: `T${i}` });
      if (path === '/organizations') await owner.create(path, { name: `O${i}` });
    }
    const all = (await owner.get(path, { limit: 1000 })).must(200);
    const place = Math.floor(all.ids.length / 2);
    assert.deepEqual((await owner.get(path, { after_id: all.ids[place], limit: 1000 })).ids, all.ids.slice(place + 1));
    assert.deepEqual((await owner.get(path, { before_id: all.ids[place], limit: 1000 })).ids, all.ids.slice(0, place));
    assert.equal((await owner.get(path, { after_id: all.ids[place] })).body.total_count, all.body.total_count);
  });
}

test('next_url of a page with after_id keeps the other arguments', async (t) => {
  const { owner, base } = await open(t);
  const made = [];
  for (let i = 0; i < 5; i++) made.push((await owner.create('/teams', { title: `T${i}`, legacy_id: `L${i}` })).id);
  const seen = [];
  let url = `/api/v1/teams?ids=${made.slice(1)}&after_id=${made[1]}&limit=2`;
  for (let reply; url; url = reply.body.next_url?.slice(base.length)) {
    reply = (await owner.get(url)).must(200);
    seen.push(...reply.ids);
  }
  assert.deepEqual(seen, made.slice(2));
});

test('a repeated argument with very many values is kept in page links', async (t) => {
  const { owner, base } = await open(t);
  const made = [];
  for (let i = 0; i < 70; i++) made.push((await owner.create('/teams', { title: `T${i}` })).id);
  const seen = [];
  let url = `/api/v1/teams?${made.map((id) => `ids=${id}`).join('&')}&limit=40`;
  for (let reply; url; url = reply.body.next_url?.slice(base.length)) {
    reply = (await owner.get(url)).must(200);
    seen.push(...reply.ids);
  }
  assert.deepEqual(seen, made);
});

test('an absent id and a hidden id give the same reply', async (t) => {
  const desk = await open(t);
  const other = await desk.person('customer');
  const hidden = await other.client.create('/conversations', { subject: 'S', contents: 'C' });
  const own = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const answer = async (id) => {
    const { body } = (await desk.customer.get('/conversations', { ids: `${own.id},${id}` })).must(200);
    return [body.data.map((c) => c.id), body.total_count];
  };
  assert.deepEqual(await answer(hidden.id), [[own.id], 1]);
  assert.deepEqual(await answer(999999), [[own.id], 1]);
});

test('counts by status include only the given ids', async (t) => {
  const { staff, customer } = await open(t);
  const made = [];
  for (let i = 0; i < 12; i++) made.push((await customer.create('/conversations', { subject: 'S', contents: 'C' })).id);
  const { body } = (await staff.get('/conversations', { ids: made.slice(1).join(), status: 'NEW', limit: 5 })).must(200);
  assert.deepEqual([body.total_count, body.data.length], [11, 5]);
});

test('ids in the query limit a filter of people', async (t) => {
  const { owner, people } = await open(t);
  const predicates = { collections: [{ propositions: [{ field: 'users.fullname', operator: 'string_contains_insensitive', value: 'c' }] }] };
  const reply = await owner.post(`/users/filter?ids=${people.customer.id},${people.owner.id}`, { predicates });
  assert.deepEqual(reply.must(200).ids, [people.customer.id]);
});

test('bad ids, repeated ids and too many ids are refused', async (t) => {
  const { owner } = await open(t);
  (await owner.get('/teams', { ids: 'x' })).refused(400, 'FIELD_INVALID', 'ids', 'ids/0');
  (await owner.get('/teams', { ids: '1,1' })).refused(400, 'PARAMETERS_INCONSISTENT', 'ids');
  (await owner.get('/teams', { ids: Array.from({ length: 1001 }, (_, i) => i + 1).join() })).refused(400, 'FIELD_INVALID', 'ids');
  (await owner.get('/teams', { after_id: 1, before_id: 2 })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.get('/teams?ids[x]=1')).refused(400, 'FIELD_INVALID', 'ids');
  (await owner.get('/teams?ids[]=1&ids[x]=2')).refused(400, 'FIELD_INVALID', 'ids');
  (await owner.get('/teams?ids=1&ids[]=2')).refused(400, 'FIELD_INVALID', 'ids');
});

test('single resources ignore ids and after_id as unknown arguments', async (t) => {
  const { owner } = await open(t);
  (await owner.get('/roles/1', { ids: 2, after_id: 1, token: 'x' })).must(200).notes('ids', 'after_id', 'token');
});

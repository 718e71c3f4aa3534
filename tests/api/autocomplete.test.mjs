import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, ROLE_ID } from './lib/index.mjs';

/** A desk with people for the searches: {desk, id: {name: id}}. */
async function withPeople(t) {
  const desk = await open(t);
  const id = {};
  for (const [name, email, role] of [['Ada Byron', 'ada@home.example', 'customer'], ['Byron Ada', 'b.ada@work.example', 'agent'], ['Zoë Adâlet', 'zoe@home.example', 'collaborator'],
    ['Adam 100%_sure', 'adam@home.example', 'admin'], ['Straße Nord', 'nord@home.example', 'customer'], ['Łódź Ørsted', 'oersted@home.example', 'customer']]) {
    id[name] = (await desk.owner.create('/users', { full_name: name, email, role_id: ROLE_ID[role] })).id;
  }
  return { desk, id };
}
const names = (reply) => reply.must(200).data.map((u) => u.full_name ?? u.name);

test('people are found by the beginning of their name, then by the beginning of any word of it', async (t) => {
  const { desk, id } = await withPeople(t);
  const reply = (await desk.staff.get('/autocomplete/users', { name: 'ada' })).must(200);
  assert.deepEqual(Object.keys(reply.body).slice(0, 4), ['status', 'data', 'resource', 'total_count']);
  assert.equal(reply.body.resource, 'user');
  assert.ok(!('offset' in reply.body) && !('limit' in reply.body));
  const found = names(reply);
  assert.deepEqual(found.slice(0, 3).sort(), ['Ada Admin', 'Ada Byron', 'Adam 100%_sure']);
  assert.deepEqual(found.slice(3), ['Byron Ada', 'Zoë Adâlet']);
  assert.equal(reply.body.total_count, 5);
});

test('search ignores letter case, accents and umlaut spellings', async (t) => {
  const { desk } = await withPeople(t);
  for (const [name, found] of [['ZOE', 'Zoë Adâlet'], ['zoë', 'Zoë Adâlet'], ['ADÂLET', 'Zoë Adâlet'], ['strasse', 'Straße Nord'], ['Łó', 'Łódź Ørsted'], ['  zoë ', 'Zoë Adâlet'], ['zoe ada', 'Zoë Adâlet']])
    assert.deepEqual(names(await desk.staff.get('/autocomplete/users', { name })), [found], name);
});

test('search matches %, _ and quotes literally', async (t) => {
  const { desk } = await withPeople(t);
  for (const name of ['%', '_', "'", '"', '\\', 'a%', 'ad_m', '*', 'ada byronx']) assert.deepEqual(names(await desk.staff.get('/autocomplete/users', { name })), [], name);
  assert.deepEqual(names(await desk.staff.get('/autocomplete/users', { name: '100%_s' })), ['Adam 100%_sure']);
});

test('a word is found by its first 60 bytes, cut between characters', async (t) => {
  const desk = await open(t);
  for (const [full_name, found, another] of [['q'.repeat(70), 'q'.repeat(60), 'q'.repeat(59) + 'r'], ['Ж'.repeat(40), 'ж'.repeat(30), 'ж'.repeat(29) + 'з'], [`x${'ж'.repeat(40)}`, `x${'ж'.repeat(29)}`, `x${'ж'.repeat(28)}з`]]) {
    await desk.owner.create('/users', { full_name, email: `${full_name.length}.${full_name.codePointAt(0)}@home.example` });
    assert.deepEqual(names(await desk.staff.get('/autocomplete/users', { name: found })), [full_name]);
    assert.deepEqual(names(await desk.staff.get('/autocomplete/users', { name: another })), []);
  }
});

test('an empty text and a very long text find nothing', async (t) => {
  const { desk } = await withPeople(t);
  for (const query of [{}, { name: '' }, { name: '  ' }, { name: 'a'.repeat(200) }]) {
    for (const what of ['users', 'organizations', 'tags']) {
      const reply = (await desk.staff.get(`/autocomplete/${what}`, query)).must(200);
      assert.deepEqual([reply.data, reply.body.total_count], [[], 0]);
    }
  }
});

test('`in` filters by role, `exclude` by id or name, and `limit` limits the items but not the total', async (t) => {
  const { desk, id } = await withPeople(t);
  const ask = (query) => desk.staff.get('/autocomplete/users', { name: 'ada', ...query });
  assert.deepEqual(names(await ask({ in: 'CUSTOMERS' })), ['Ada Byron']);
  assert.deepEqual(names(await ask({ in: 'AGENTS,COLLABORATORS' })), ['Byron Ada', 'Zoë Adâlet']);
  assert.deepEqual(names(await ask({ in: 'OWNERS' })), []);
  (await ask({ in: 'ROBOTS' })).refused(400, 'FIELD_INVALID');
  const less = (await ask({ exclude: [id['Ada Byron'], 'zoë adâlet', 'Nobody'] })).must(200);
  assert.ok(!names(less).includes('Ada Byron') && !names(less).includes('Zoë Adâlet'));
  assert.equal(less.body.total_count, 3);
  const some = (await ask({ limit: 2, offset: 3 })).must(200);
  assert.deepEqual([some.data.length, some.body.total_count], [2, 5]);
  for (let i = 0; i < 12; i++) await desk.owner.create('/users', { full_name: `Many ${i}`, email: `many${i}@home.example` });
  const many = (await desk.staff.get('/autocomplete/users', { name: 'many' })).must(200);
  assert.deepEqual([many.data.length, many.body.total_count], [10, 12], 'the default limit is ten');
});

test('people of few roles are found in the same order as people of all roles', async (t) => {
  const { desk } = await withPeople(t);
  for (const [i, full_name] of ['Ada Adam Adalbert', 'Bernd Adam Ada', 'Adam', 'ADAM', 'Ben Zoë-Ada'].entries())
    await desk.owner.create('/users', { full_name, email: `person${i}@work.example` });
  for (const name of ['a', 'ad', 'ada', 'adam', 'ada b', 'b', 'z', 'zoe a', 's', '1', 'x']) {
    const all = (await desk.staff.get('/autocomplete/users', { name, limit: 100 })).must(200);
    const some = (await desk.staff.get('/autocomplete/users', { name, limit: 100, in: 'OWNERS,ADMINS,AGENTS,COLLABORATORS,CUSTOMERS' })).must(200);
    assert.deepEqual([some.ids, some.body.total_count], [all.ids, all.body.total_count], name);
  }
});

test('at most 500 matches are counted, and a notice says that there are more', async (t) => {
  const desk = await open(t);
  const add = (full_name) => desk.owner.create('/users', { full_name, email: `${full_name.replace(' ', '.')}@many.example` });
  for (let i = 0; i < 500; i += 50) await Promise.all(Array.from({ length: 50 }, (_, k) => add(`Many ${i + k}`)));
  const exact = (await desk.staff.get('/autocomplete/users', { name: 'many' })).must(200);
  assert.deepEqual([exact.body.total_count, exact.body.logs], [500, undefined]);
  await add('First Many');
  for (const more of [{}, { in: 'CUSTOMERS' }]) {
    const reply = (await desk.staff.get('/autocomplete/users', { name: 'm', ...more })).must(200).notes('total_count is a lower bound');
    assert.deepEqual([reply.data.length, reply.body.total_count], [10, 500]);
    assert.ok(reply.data.every((user) => user.full_name.startsWith('Many')), 'names that begin with the text come first');
  }
  const all = (await desk.staff.get('/autocomplete/users', { name: 'm', limit: 600, fields: 'id' })).must(200);
  assert.deepEqual([all.data.length, all.body.total_count, all.body.logs], [501, 501, undefined]);
});

test('a new name is found at once; a former name and a deleted person are not found', async (t) => {
  const { desk, id } = await withPeople(t);
  await desk.owner.update(`/users/${id['Ada Byron']}`, { full_name: 'Grace Hopper' });
  assert.deepEqual(names(await desk.staff.get('/autocomplete/users', { name: 'hop' })), ['Grace Hopper']);
  assert.deepEqual(names(await desk.staff.get('/autocomplete/users', { name: 'ada b' })), []);
  (await desk.owner.delete(`/users/${id['Ada Byron']}`)).must(200);
  assert.deepEqual(names(await desk.staff.get('/autocomplete/users', { name: 'hop' })), []);
});

test('organizations and tags are found like people', async (t) => {
  const desk = await open(t);
  for (const name of ['Brandfathers', 'House of Brand', 'Übermaß AG']) await desk.staff.create('/organizations', { name, tags: `${name} tag` });
  assert.deepEqual(names(await desk.staff.get('/autocomplete/organizations', { name: 'brand' })), ['Brandfathers', 'House of Brand']);
  assert.deepEqual(names(await desk.staff.get('/autocomplete/organizations', { name: 'ubermass' })), ['Übermaß AG']);
  assert.deepEqual(names(await desk.staff.get('/autocomplete/organizations', { name: 'brand', exclude: ['house of brand'] })), ['Brandfathers']);
  const reply = (await desk.staff.get('/autocomplete/tags', { name: 'brand' })).must(200);
  assert.deepEqual(names(reply), ['Brandfathers tag', 'House of Brand tag']);
  assert.deepEqual(Object.keys(reply.data[0]).slice(0, 2), ['id', 'name']);
  assert.equal(reply.body.resource, 'tag');
});

test('addresses are found by their beginning, then by the name of their owner', async (t) => {
  const { desk, id } = await withPeople(t);
  const reply = (await desk.staff.get('/autocomplete/emails', { address: 'ADA' })).must(200);
  assert.deepEqual(Object.keys(reply.data[0]), ['identity', 'parent']);
  assert.equal(reply.data[0].identity.resource_type, 'identity_email');
  assert.deepEqual(reply.data[0].parent, { id: id['Ada Byron'], resource_type: 'user' });
  const all = reply.data.map((m) => m.parent.id);
  assert.equal(all.indexOf(id['Byron Ada']) > all.indexOf(id['Adam 100%_sure']), true);
  const whole = (await desk.staff.get('/autocomplete/emails', { address: 'zoe@h', include: 'identity_email' })).must(200).data;
  assert.deepEqual(whole.map((m) => m.identity.email), ['zoe@home.example']);
  assert.deepEqual((await desk.staff.get('/autocomplete/emails', { address: 'zoe', exclude: ['ZOE@home.example'] })).must(200).data, []);
  assert.deepEqual((await desk.staff.get('/autocomplete/emails', { address: 'home.example' })).must(200).data, []);
});

test('a claimed address is not found', async (t) => {
  const desk = await open(t);
  await desk.customer.create('/profile/identities/emails', { email: 'claimed@home.example' });
  assert.deepEqual((await desk.staff.get('/autocomplete/emails', { address: 'claimed' })).must(200).data, []);
});

test('autocomplete is for staff', async (t) => {
  const desk = await open(t);
  for (const what of ['users', 'organizations', 'tags', 'emails']) {
    (await desk.customer.get(`/autocomplete/${what}`, { name: 'a' })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get(`/autocomplete/${what}`, { name: 'a' })).refused(401, 'AUTHORIZATION_REQUIRED');
    (await desk.as('collaborator').get(`/autocomplete/${what}`, { name: 'a', address: 'a' })).must(200);
  }
});

test('`filter` of people filters by role like `in`, which rules if both are given', async (t) => {
  const { desk } = await withPeople(t);
  const ask = (query) => desk.staff.get('/autocomplete/users', { name: 'ada', ...query });
  assert.deepEqual(names(await ask({ filter: 'CUSTOMERS' })), ['Ada Byron']);
  assert.deepEqual(names(await ask({ filter: 'AGENTS,COLLABORATORS' })), ['Byron Ada', 'Zoë Adâlet']);
  assert.deepEqual(names(await ask({ filter: 'OWNERS' })), []);
  assert.deepEqual(names(await ask({ filter: 'AGENTS', in: 'CUSTOMERS' })), ['Ada Byron']);
  assert.equal((await ask({ filter: 'CUSTOMERS', limit: 1 })).must(200).body.total_count, 1);
  (await ask({ filter: 'ROBOTS' })).refused(400, 'FIELD_INVALID', 'filter');
});

test('a tag that only private macros of others have is not found, nor one that nothing has', async (t) => {
  const desk = await open(t);
  const other = await desk.person('agent');
  const { id: team } = await desk.owner.create('/teams', { title: 'Team' }), member = await desk.person('agent', { team_ids: [team] });
  const macro = (client, tag, more) => client.create('/cases/macros', { title: tag, add_tags: [tag], ...more });
  const own = await macro(desk.staff, 'secretplan');
  await macro(desk.owner, 'teamplan', { visibility_type: 'TEAM', visible_to_team_id: team });
  await macro(desk.owner, 'openplan', { visibility_type: 'ALL' });
  const found = async (client) => {
    const names = [];
    for (const name of ['secretplan', 'teamplan', 'openplan']) names.push(...(await client.fetch('/autocomplete/tags', { name: name.slice(0, -1) })).map((tag) => tag.name));
    return names;
  };
  assert.deepEqual(await found(desk.staff), ['secretplan', 'openplan']);
  assert.deepEqual(await found(other.client), ['openplan']);
  assert.deepEqual(await found(member.client), ['teamplan', 'openplan']);
  assert.deepEqual(await found(desk.admin), ['secretplan', 'teamplan', 'openplan']);
  assert.equal((await other.client.get('/autocomplete/tags', { name: 'secret' })).must(200).body.total_count, 0);
  await desk.staff.delete(`/cases/macros/${own.id}`);
  assert.deepEqual(await found(other.client), ['openplan']);
  await desk.owner.update(`/users/${desk.people.customer.id}`, { tags: 'secretplan' });
  assert.deepEqual(await found(other.client), ['secretplan', 'openplan']);
});

test('a renamed organization is found by its new name, and no longer by the old one', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/organizations', { name: 'Analytical Engines' });
  await desk.owner.update(`/organizations/${id}`, { name: 'Difference Works' });
  const found = async (name) => names(await desk.staff.get('/autocomplete/organizations', { name }));
  assert.deepEqual([await found('differ'), await found('works'), await found('engines')], [['Difference Works'], ['Difference Works'], []]);
});

test('the job that computes keys anew finds people, organizations and tags by the words of their names again', async (t) => {
  const desk = await open(t), { owner } = desk;
  const person = await desk.person('customer', { full_name: 'Zora Zebra', tags: 'zebra crossing' });
  await owner.create('/organizations', { name: 'Zoo of zebras' });
  const found = async () => Promise.all([['users', { name: 'zebra' }], ['organizations', { name: 'zebra' }], ['tags', { name: 'cross' }]].map(async ([kind, query]) => (await owner.get(`/autocomplete/${kind}`, query)).must(200).data.length));
  assert.deepEqual(await found(), [1, 1, 1]);
  desk.sql('DELETE FROM name_words');
  (await owner.put('/settings', { values: { 'desk.phone_region': 'de' } })).must(200);
  await desk.jobsEnded('index_names');
  assert.deepEqual(await found(), [1, 1, 1]);
  assert.deepEqual((await owner.fetch('/autocomplete/users', { name: 'zora' })).map(({ id }) => id), [person.id]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const ZONES = { monday: [9, 10], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };

/** A team with its own business hours. */
async function world(t) {
  const desk = await open(t);
  const hours = await desk.owner.create('/businesshours', { title: 'Mondays', zones: ZONES });
  const team = await desk.owner.create('/teams', { title: 'Support', businesshour_id: hours.id });
  return { desk, owner: desk.owner, hours, team, path: `/teams/${team.id}` };
}

test('nested resources are references until they are included', async (t) => {
  const { owner, hours, path } = await world(t);
  const plain = await owner.fetch(path);
  assert.deepEqual(plain.businesshour, { id: hours.id, resource_type: 'business_hour' });
  const full = await owner.fetch(path, { include: 'business_hour' });
  assert.equal(full.businesshour.title, 'Mondays');
  assert.deepEqual(full.businesshour.zones, ZONES);
  assert.equal(full.businesshour.resource_url, hours.resource_url);
});

test('include accepts names in any case, hyphens, unknown names, spaces, a trailing comma and *', async (t) => {
  const { owner, path } = await world(t);
  for (const include of ['BUSINESS_HOUR', 'business-hour', 'Business_Hour', 'wibble, business_hour ,', '*']) {
    assert.equal((await owner.fetch(path, { include })).businesshour.title, 'Mondays', include);
  }
  for (const include of ['', ',', 'wibble', 'team']) {
    assert.deepEqual(Object.keys((await owner.fetch(path, { include })).businesshour).sort(), ['id', 'resource_type'], include);
  }
});

test('include works in lists at any depth, and ends at cycles', async (t) => {
  const { desk, owner, team } = await world(t);
  const agent = await desk.person('agent');
  await owner.post(`/teams/${team.id}/members`, { agent_ids: agent.id }).then((r) => r.must(201));
  for (const row of await owner.fetch('/teams', { include: 'business_hour' })) assert.equal(row.businesshour.title, 'Mondays');
  const [member] = await owner.fetch(`/teams/${team.id}/members`, { include: '*' });
  assert.equal(member.role.type, 'AGENT');
  assert.equal(member.teams[0].title, 'Support');
  assert.equal(member.teams[0].businesshour.title, 'Mondays');
  const conversation = await agent.client.create('/conversations', { subject: 'Round', contents: 'and round' });
  const all = await agent.client.fetch(`/conversations/${conversation.id}`, { include: '*' });
  assert.equal(all.requester.id, agent.id);
});

test('a team reference also carries its legacy_id', async (t) => {
  const { desk, owner } = await world(t);
  const team = await owner.create('/teams', { title: 'Old', legacy_id: 'T-1' });
  const agent = await desk.person('agent', { team_ids: [team.id] });
  const [shown] = (await owner.fetch(`/users/${agent.id}`)).teams;
  assert.deepEqual(shown, { id: team.id, resource_type: 'team', legacy_id: 'T-1' });
});

test('_flat returns each included resource once beside the data', async (t) => {
  const { owner, hours, team } = await world(t);
  await owner.create('/teams', { title: 'Second', businesshour_id: hours.id });
  const { body } = (await owner.get('/teams', { _flat: 'true', include: 'business_hour' })).must(200);
  for (const row of body.data) assert.deepEqual(row.businesshour, { id: hours.id, resource_type: 'business_hour' });
  assert.deepEqual(Object.keys(body.resources), ['business_hour']);
  assert.deepEqual(Object.keys(body.resources.business_hour), [String(hours.id)]);
  assert.equal(body.resources.business_hour[hours.id].title, 'Mondays');
  assert.equal(body.data[0].id, team.id);
  assert.ok(!('logs' in body));
});

test('_flat without include means include=* with a warning', async (t) => {
  const { owner, hours, path } = await world(t);
  const { body } = (await owner.get(path, { _flat: 'true' })).must(200);
  assert.equal(body.resources.business_hour[hours.id].title, 'Mondays');
  assert.ok(body.logs.some(({ level }) => level === 'WARNING'));
});

test('fields returns the named and the identifying members', async (t) => {
  const { owner, path } = await world(t);
  const names = async (fields) => Object.keys(await owner.fetch(path, { fields })).sort();
  assert.deepEqual(await names('title'), ['id', 'resource_type', 'resource_url', 'title']);
  assert.deepEqual(await names('title,memberCount'), ['id', 'member_count', 'resource_type', 'resource_url', 'title']);
  const all = Object.keys(await owner.fetch(path)).sort();
  assert.deepEqual(await names('-title'), all.filter((n) => n !== 'title'));
  assert.deepEqual(await names('*'), all);
});

test('fields selects in nested resources and lists', async (t) => {
  const { owner, path } = await world(t);
  const { businesshour } = await owner.fetch(path, { include: 'business_hour', fields: 'businesshour(title)' });
  assert.deepEqual(Object.keys(businesshour).sort(), ['id', 'resource_type', 'resource_url', 'title']);
  const deep = await owner.fetch(path, { include: 'business_hour', fields: '*(*)' });
  assert.deepEqual(deep, await owner.fetch(path, { include: 'business_hour' }));
  for (const row of await owner.fetch('/teams', { fields: 'title' })) assert.equal(Object.keys(row).length, 4);
});

test('fields with unbalanced or absurd text is a 200 or 400', async (t) => {
  const { owner, path } = await world(t);
  for (const fields of ['(', ')', 'a(b(c', '*(*(*))', ',,,', '-', '+', 'x'.repeat(2000), '('.repeat(700), 'title(title)']) {
    const { status } = await owner.get(path, { fields });
    assert.ok(status === 200 || status === 400, `${fields.slice(0, 20)}: ${status}`);
  }
});

test('_empty=false removes null and empty members but never a top-level one', async (t) => {
  const { owner, path } = await world(t);
  const full = await owner.fetch(path);
  assert.equal(full.legacy_id, null);
  assert.ok(!('legacy_id' in await owner.fetch(path, { _empty: 'false' })));
  const { body } = (await owner.get('/teams', { _empty: 'false', legacy_ids: 'none' })).must(200);
  assert.deepEqual(body.data, []);
  const { id } = await owner.create('/users', { full_name: 'Deep', email: 'deep@people.example', role_id: 2, team_ids: [full.id] });
  const user = await owner.fetch(`/users/${id}`, { _empty: 'false', include: 'team' });
  assert.ok(!('phones' in user) && !('designation' in user));
  assert.ok('title' in user.teams[0] && !('legacy_id' in user.teams[0]), 'nor below');
});

test('X-Options has the same meaning as the arguments, and the arguments take precedence', async (t) => {
  const { owner, path } = await world(t);
  const ask = (query, options) => owner.get(path, query, { 'X-Options': options }).then((r) => r.must(200).body);
  assert.ok(!('legacy_id' in (await ask({}, 'no_empty')).data));
  const both = await ask({ include: '*' }, 'flat, no_empty');
  assert.ok('business_hour' in both.resources);
  assert.ok(!('legacy_id' in both.data));
  assert.ok('legacy_id' in (await ask({ _empty: 'true' }, 'no_empty')).data);
  assert.ok(!('resources' in (await ask({ _flat: 'false' }, 'flat'))));
});

test('_case changes names of members and kinds, not values or enumerations', async (t) => {
  const { owner, path, team } = await world(t);
  const camel = (await owner.get(path, { _case: 'camel', include: 'business_hour' })).must(200).body;
  assert.equal(camel.resource, 'team');
  assert.equal(camel.data.memberCount, 0);
  assert.equal(camel.data.businesshour.resourceType, 'businessHour');
  assert.equal(camel.data.resourceUrl, team.resource_url);
  const pascal = (await owner.get(path, { _case: 'pascal', include: 'business_hour' })).must(200).body;
  assert.equal(pascal.Status, 200);
  assert.equal(pascal.Resource, 'Team');
  assert.equal(pascal.Data.MemberCount, 0);
  assert.equal(pascal.Data.Businesshour.ResourceType, 'BusinessHour');
  const list = (await owner.get('/roles', { _case: 'camel', limit: 2 })).must(200).body;
  assert.equal(list.totalCount, 5);
  assert.ok(list.nextUrl.includes('_case=camel'));
  assert.equal(list.data[0].type, 'ADMIN');
  (await owner.get(path, { _case: 'snake' })).must(200);
});

test('the type of messages is case_message in every case, because programs compare it', async (t) => {
  const { desk, owner } = await world(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  for (const [_case, type, data, original] of [['camel', 'resourceType', 'data', 'original'], ['pascal', 'ResourceType', 'Data', 'Original']]) {
    const get = async (path, query) => (await owner.get(path, { _case, ...query })).must(200).body[data];
    assert.equal((await get(`/conversations/${id}/messages`))[0][type], 'case_message');
    assert.equal((await get(`/cases/${id}/messages`))[0][type], 'case_message');
    for (const include of ['', '*']) assert.equal((await get(`/cases/${id}/posts`, { filters: 'MESSAGES', include }))[0][original][type], 'case_message');
  }
});

test('_case applies to errors, too', async (t) => {
  const { owner } = await world(t);
  const { body } = (await owner.post('/teams', {}, { query: { _case: 'camel' } })).must(400);
  assert.ok(body.errors[0].moreInfo.endsWith('/docs/errors/FIELD_REQUIRED'));
});

test('_case does not change keys in metadata', async (t) => {
  const { desk } = await world(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C', metadata: { user_agent: 'Lynx', page_url: 'https://x.example/' } });
  const [message] = (await desk.customer.get(`/conversations/${id}/messages`, { _case: 'camel' })).must(200).data;
  assert.deepEqual(message.metadata, { user_agent: 'Lynx', page_url: 'https://x.example/' });
  assert.equal(message.resourceType, 'case_message');
});

test('an invalid value of _case, _flat or _empty is refused or ignored, never a 5xx', async (t) => {
  const { owner, path } = await world(t);
  for (const query of [{ _case: 'kebab' }, { _flat: 'perhaps' }, { _empty: '2' }, { _pretty: '' }]) {
    const { status } = await owner.get(path, query);
    assert.ok(status === 200 || status === 400, JSON.stringify(query));
  }
});

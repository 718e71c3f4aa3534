import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open, shared, until } from './lib/index.mjs';
import { CANARIES, ask, canariesIn, prepare } from './lib/access.mjs';
import { apiToken } from './lib/tokens.mjs';

// A scope is checked for what a reply contains, not only for its route. Tokens of an owner with one scope each call every route of a desk that
// is full of canaries. A canary of another scope must not appear: in lists, single resources, includes, flat replies, by search, after a write.

const NAMES = ['users', 'conversations', 'insights', 'search', 'configuration'];

/** The scopes that show a canary, if these are not `conversations` alone. '*': every scope. */
const SCOPES_OF = {
  canaryname: 'users', '5550199887': 'users', canaryhidden: 'users', canarystreet: 'users', canaryhome: 'users', canarylegacy: 'users', canarysignature: 'users',
  canaryevent: 'users', canaryorganization: 'users', canarypasskey: 'users',
  canarymail: 'users conversations', // an address in the header of a mail is part of the mail
  canarycc: 'users conversations',
  canarytag: '*', canarysharedmacro: '*', // tags are words of the whole desk
  canaryform: 'conversations configuration', canaryoption: 'users conversations configuration',
  canarysla: 'configuration', canarymonitor: 'configuration', canarytemplate: 'configuration', canarysetting: 'configuration', canaryclient: 'configuration',
  canaryapitoken: 'configuration', canaryendpoint: 'configuration', canarytoken: 'configuration', canaryicon: 'configuration', canarybox: 'configuration', canaryimap: 'configuration',
};
const shows = (canary, name) => { const scopes = SCOPES_OF[canary] ?? 'conversations'; return scopes === '*' || scopes.split(' ').includes(name); };

const FORMS = [{}, { include: '*', fields: '*,+tags,+body,+identity', limit: 1000 }, { include: '*', _flat: true, fields: '*(*)' }, { name: 'canary', address: 'canary', query: 'canary*', include: '*' }, { format: 'csv' }];
// With an empty body these would change the world of the walk.
const DESTRUCTIVE = /erase|trash|restore|merge|secret|replay|\/test$|twofactor|avatar|reorder|session|profile|vote|settings/;

describe('every route, with a token of each scope alone:', () => {
  const world = shared(prepare);

  test('no canary of another scope', async () => {
    const { desk } = world, found = new Map(), wrong = new Set();
    let asked = 0;
    for (const name of NAMES) {
      const { client } = await apiToken(desk, desk.owner, { scopes: [`${name}:write`] });
      const judge = (route, reply) => {
        asked++;
        if (reply.status >= 500 || reply.status === 401) wrong.add(`${name}: ${route.method} ${route.path} ${reply.status}`);
        for (const canary of canariesIn(reply)) {
          if (!shows(canary, name)) wrong.add(`${name}: ${route.method} ${route.path} ${canary}`);
          found.set(canary, (found.get(canary) ?? new Set()).add(name));
        }
      };
      for (const route of world.routes) {
        if (route.method === 'GET') {
          for (const { address } of route.at) for (const query of FORMS) judge(route, await ask(client, 'GET', address, { query }));
        } else if (route.method !== 'DELETE' && !DESTRUCTIVE.test(route.path)) {
          for (const { address } of route.at.slice(0, 2)) judge(route, await ask(client, route.method, address, { body: {}, query: { include: '*' } }));
        }
      }
    }
    assert.deepEqual([...wrong].sort(), []);
    assert.ok(asked > 4000, `${asked} requests`);
    // A canary that no token finds is not where this test looks for it.
    assert.deepEqual(Object.keys(CANARIES).filter((canary) => CANARIES[canary].includes('owner') && !found.has(canary)), ['canaryprovider'], 'providers have no scope');
  });
});

const token = async (desk, person, ...scopes) => (await apiToken(desk, person, { scopes })).client;
const CONVERSATION = { subject: 'Secret subject', contents: 'Secret text' };

test('a search hit outside of the scopes of a token is a reference', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', CONVERSATION);
  const ask = async (...scopes) => (await (await token(desk, desk.owner, ...scopes)).get('/search', { query: 'Secret', include: 'case' })).must(200);
  const bare = (await ask('search')).data[0];
  assert.deepEqual([bare.id, bare.title, bare.snippet, bare.created_at, bare.data], [id, null, null, null, { id, resource_type: 'case' }]);
  const full = (await ask('search', 'conversations:read')).data[0];
  assert.deepEqual([full.title, full.data.subject], ['Secret subject', 'Secret subject']);
});

test('include leaves a reference outside of the scopes of a token, and a notice says why', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', CONVERSATION);
  const reply = (await (await token(desk, desk.owner, 'conversations:read')).get(`/cases/${id}`, { include: 'user,case_status' })).must(200);
  assert.deepEqual(Object.keys(reply.data.requester), ['id', 'resource_type']);
  assert.ok(reply.data.status.label);
  assert.match(JSON.stringify(reply.body.logs), /user was not included: the token lacks the scope users/);
  const both = await (await token(desk, desk.owner, 'conversations:read', 'users:read')).fetch(`/cases/${id}`, { include: 'user' });
  assert.equal(both.requester.full_name, 'Cora Customer');
});

test('the change log and the audit log have no values of objects outside of the scopes of a token', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', CONVERSATION);
  await desk.staff.update(`/cases/${id}`, { subject: 'Another subject' });
  await desk.owner.create(`/identities/emails`, { user_id: desk.people.customer.id, email: 'secret@example.net' });
  await desk.owner.put('/settings', { values: { 'changes.kept_days': 60 } });
  const changes = async (...scopes) => (await (await token(desk, desk.owner, ...scopes)).get('/changes', { limit: 1000 })).must(200).data;
  const of = (list, type, property) => list.findLast((entry) => entry.resource_type === type && entry.property === property);
  const narrow = await changes('configuration:read'), wide = await changes('configuration:read', 'conversations:read');
  assert.deepEqual([of(narrow, 'case', 'subject').from, of(narrow, 'case', 'subject').to], [null, null]);
  assert.deepEqual([of(wide, 'case', 'subject').from, of(wide, 'case', 'subject').to], ['Secret subject', 'Another subject']);
  assert.equal(of(narrow, 'setting', 'changes.kept_days').to, '60');
  const audit = async (query, ...scopes) => (await (await token(desk, desk.owner, ...scopes)).get('/audit_log', query)).must(200);
  const entry = { action: 'USER_IDENTITIES_CHANGED' };
  assert.deepEqual((await audit(entry, 'configuration:read')).data[0].details, { changes: [{ property: 'emails' }] });
  assert.ok((await audit(entry, 'configuration:read', 'users:read')).data[0].details.changes[0].to !== undefined);
  const csv = await (await token(desk, desk.owner, 'configuration:read')).exchange('GET', '/api/v1/audit_log', { query: { ...entry, format: 'csv' } });
  assert.match(csv.text, /emails/);
  assert.doesNotMatch(csv.text, /"to"|secret@/);
  assert.equal((await audit({ action: 'SETTING_CHANGED' }, 'configuration:read')).data[0].details.changes[0].to, '60');
});

test('activities and posts name people only to tokens that may read people', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', CONVERSATION);
  await desk.staff.update(`/cases/${id}`, { assigned_agent_id: desk.people.agent.id });
  const read = async (...scopes) => {
    const client = await token(desk, desk.owner, ...scopes);
    const [activity] = await client.fetch(`/cases/${id}/activities`);
    const post = (await client.fetch(`/cases/${id}/posts`, { filters: 'ACTIVITIES' }))[0];
    return { activity, change: activity.actions.find(({ field }) => field === 'assigned_agent'), post };
  };
  const agent = desk.people.agent.id, narrow = await read('conversations:read'), wide = await read('conversations:read', 'users:read');
  assert.match(narrow.activity.summary, new RegExp(`users/${agent}\\|User ${agent}> changed`));
  assert.match(narrow.post.contents, new RegExp(`^User ${agent} changed`));
  assert.deepEqual([narrow.change.action, narrow.change.new_value, narrow.change.new_object], ['ADDED', null, { id: agent, resource_type: 'user' }]);
  assert.match(wide.activity.summary, /\|Agnes Agent> changed/);
  assert.match(wide.post.contents, /^Agnes Agent changed/);
  assert.equal(wide.change.new_value, 'Agnes Agent');
});

test('a token of any scope reads its own person, and nobody else', async (t) => {
  const desk = await open(t);
  const client = await token(desk, desk.staff, 'insights:read');
  for (const path of ['/me', '/profile']) assert.equal((await client.fetch(path, { include: '*' })).full_name, 'Agnes Agent');
  assert.equal(typeof (await client.fetch('/me', { include: '*' })).role.title, 'undefined');
  for (const path of ['/autocomplete/users', '/autocomplete/organizations', '/autocomplete/emails']) (await client.get(path, { name: 'Cora', address: 'c', include: '*' })).refused(403, 'PERMISSIONS_DENIED');
  (await client.get('/autocomplete/tags', { name: 'x' })).must(200);
});

test('a token without the scope of the help center reads of it what everybody reads', async (t) => {
  const desk = await open(t);
  const { id: category_id } = await desk.owner.create('/categories', { titles: 'Open' });
  const section = (titles, visibility) => desk.owner.create('/sections', { titles, category_id, visibility });
  const shown = await section('Open', 'PUBLIC'), hidden = await section('Staff', 'AGENTS');
  for (const { id: section_id } of [shown, hidden]) await desk.owner.create('/articles', { titles: 'Words', contents: 'Words', section_id, status: 'PUBLISHED', keywords: 'inner' });
  const lists = async (client) => (await Promise.all(['/sections', '/insights/helpcenter/articles', '/helpcenter/search?query=words'].map((path) => client.get(path)))).map((reply) => (reply.status === 200 ? reply.data.length : reply.status));
  assert.deepEqual(await lists(await token(desk, desk.owner, 'insights:read')), [1, 1, 1]);
  assert.deepEqual(await lists(await token(desk, desk.owner, 'insights:read', 'conversations:read')), [2, 2, 2]);
  assert.deepEqual(await lists(await token(desk, desk.owner, 'users:read')), [1, 403, 1]);
  const client = await token(desk, desk.owner, 'users:read');
  (await client.get(`/sections/${hidden.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await client.get(`/locale/fields/${hidden.titles[0].id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('a reply that is replayed by Idempotency-Key is not replayed to a token of other scopes', async (t) => {
  const desk = await open(t);
  const wide = await token(desk, desk.staff, 'conversations', 'users'), narrow = await token(desk, desk.staff, 'conversations');
  const post = (client) => client.post('/cases', { subject: 'S', contents: 'C', requester_id: desk.people.customer.id, channel: 'HELPCENTER' }, { query: { include: 'user' }, headers: { 'Idempotency-Key': 'one' } });
  const first = (await post(wide)).must(201);
  assert.equal(first.data.requester.full_name, 'Cora Customer');
  assert.equal((await post(wide)).headers['idempotent-replayed'], 'true');
  (await post(narrow)).refused(400, 'PARAMETERS_INCONSISTENT', 'Idempotency-Key');
});

test('rejected records of an import are shown to tokens that may read such records', async (t) => {
  const desk = await open(t);
  const { data: { id } } = (await desk.owner.post('/bulk/teams', { teams: [{ title: '' }, { title: 'Kept', businesshour_id: 987654 }] })).must(202);
  const read = async (...scopes) => { const client = await token(desk, desk.owner, ...scopes); return until('the job', async () => { const job = await client.fetch(`/jobs/${id}`); return job.status === 'FAILED' && job; }); };
  assert.equal((await read('insights:read')).errors, null);
  assert.match(JSON.stringify((await read('users:read')).errors), /Kept/);
});

test('the body of a delivery and the values of a dry run need the scope of the conversation', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', CONVERSATION);
  const organization = await desk.owner.create('/organizations', { name: 'Org' });
  await desk.owner.update(`/users/${desk.people.customer.id}`, { organization_id: organization.id });
  const trigger = await desk.owner.create('/triggers', {
    title: 'T', is_enabled: false, actions: [{ name: 'tags', option: 'ADD', value: ['x'] }],
    predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'x' }, { field: 'users.organizationid', operator: 'comparison_equalto', value: organization.id }] }],
  });
  const run = async (...scopes) => (await token(desk, desk.owner, ...scopes)).post(`/triggers/${trigger.id}/dry_run`, { case_id: id });
  (await run('configuration')).refused(403, 'PERMISSIONS_DENIED');
  const seen = (reply) => reply.must(200).data.predicate_collections[0].propositions.map((p) => p.seen);
  assert.deepEqual(seen(await run('configuration', 'conversations')), [['secret subject'], []]);
  assert.deepEqual(seen(await run('configuration', 'conversations', 'users')), [['secret subject'], [organization.id]]);
  const endpoint = await desk.owner.create('/endpoints', { title: 'E', type: 'HTTP', attributes: { url: 'https://hook.example.net/', method: 'POST' } });
  await desk.owner.create('/triggers', { title: 'Send', channel: 'API', actions: [{ name: `endpoint_${endpoint.id}`, option: 'SEND', value: 'Secret text' }], predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'secret' }] }] });
  await desk.staff.update(`/cases/${id}`, { subject: 'Secret news' });
  const bodies = async (...scopes) => (await (await token(desk, desk.owner, ...scopes)).fetch(`/endpoints/${endpoint.id}/deliveries`, { fields: '+body' })).map(({ body }) => body);
  assert.deepEqual(await bodies('configuration:read'), [null]);
  assert.match((await bodies('configuration:read', 'conversations:read'))[0], /Secret/);
});

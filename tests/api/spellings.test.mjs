import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, open, raw } from './lib/index.mjs';

const teams = async (owner, n) => {
  const made = [];
  for (let i = 0; i < n; i++) made.push((await owner.create('/teams', { title: `T${i}`, legacy_id: `L${i}` })).id);
  return made;
};

test('a list is accepted as text with commas, with empty brackets, with indexes, as a repeated name or as JSON text', async (t) => {
  const { owner } = await open(t);
  const [a, b, c] = await teams(owner, 4);
  for (const query of [`ids=${a},${b},${c}`, `ids[]=${a}&ids[]=${b}&ids[]=${c}`, `ids[2]=${c}&ids[0]=${a}&ids[1]=${b}`, `ids=${a}&ids=${b}&ids=${c}`, `ids=${a},${b}&ids=${c}`, `ids=[${a},${b},${c}]`]) {
    assert.deepEqual((await owner.get(`/teams?${query}`)).must(200).ids, [a, b, c], query);
  }
  for (const query of ['legacy_ids=L0,L1', 'legacy_ids[]=L0&legacy_ids[]=L1', 'legacy_ids[0]=L0&legacy_ids[1]=L1', 'legacy_ids=L0&legacy_ids=L1', 'legacy_ids=["L0","L1"]']) {
    assert.deepEqual((await owner.get(`/teams?${query}`)).must(200).ids, [a, b], query);
  }
});

test('include and fields are joined in every form', async (t) => {
  const { customer, staff } = await open(t);
  const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  for (const query of ['include=user,case_status', 'include[]=user&include[]=case_status', 'include[0]=user&include[1]=case_status', 'include=user&include=case_status']) {
    const got = await staff.fetch(`/conversations/${id}?${query}`);
    assert.deepEqual([got.requester.full_name, got.status.label], ['Cora Customer', 'New'], query);
  }
  for (const query of ['fields=subject,status', 'fields[]=subject&fields[]=status', 'fields[0]=subject&fields[1]=status', 'fields=subject&fields=status']) {
    const got = await staff.fetch(`/conversations/${id}?${query}`);
    assert.deepEqual(Object.keys(got).sort(), ['id', 'resource_type', 'resource_url', 'status', 'subject', 'uuid'], query);
  }
  (await staff.get(`/conversations/${id}?include[a]=user`)).refused(400, 'FIELD_INVALID', 'include');
});

test('lists of a form body are joined if the name is repeated', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const [a, b] = [await desk.person('agent'), await desk.person('agent')];
  const { id } = await owner.create('/teams', { title: 'Support' });
  const sent = raw('application/x-www-form-urlencoded', `agent_ids=${a.id}&agent_ids=${b.id}`);
  (await owner.post(`/teams/${id}/members`, sent)).must(201);
  assert.equal((await owner.fetch(`/teams/${id}`)).member_count, 2);
});

test('include=user_minimal shows people in the minimal form, but in full if user is included, too', async (t) => {
  const { customer, staff, people, base } = await open(t);
  const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  const brief = (await staff.fetch(`/conversations/${id}`, { include: 'user_minimal' })).requester;
  assert.deepEqual(Object.keys(brief), ['id', 'uuid', 'full_name', 'role', 'teams', 'avatar', 'last_activity_at', 'last_active_at', 'last_seen_at', 'presence_channel', 'resource_type', 'resource_url']);
  assert.deepEqual([brief.id, brief.full_name, brief.resource_type, brief.resource_url],
    [people.customer.id, 'Cora Customer', 'user_minimal', `${base}/api/v1/users/${people.customer.id}`]);
  for (const include of ['user,user_minimal', 'user_minimal,user', '*', 'user-minimal,*']) {
    assert.equal((await staff.fetch(`/conversations/${id}`, { include })).requester.resource_type, 'user', include);
  }
  assert.equal((await staff.fetch(`/conversations/${id}`, { include: 'User-Minimal' })).requester.full_name, 'Cora Customer');
  const picked = await staff.fetch(`/conversations/${id}`, { include: 'user_minimal', fields: 'requester(full_name)' });
  assert.deepEqual(Object.keys(picked.requester), ['id', 'uuid', 'full_name', 'resource_type', 'resource_url']);
});

test('include=user_minimal with _flat returns each person once, in the minimal form', async (t) => {
  const { customer, staff, people } = await open(t);
  const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  const { body } = (await staff.get(`/conversations/${id}`, { include: 'user_minimal', _flat: true })).must(200);
  assert.deepEqual(body.data.requester, { id: people.customer.id, resource_type: 'user_minimal' });
  assert.deepEqual(Object.keys(body.resources), ['user_minimal']);
  assert.equal(body.resources.user_minimal[people.customer.id].full_name, 'Cora Customer');
});

test('the minimal form shows customers no more than the full form', async (t) => {
  const { customer, staff } = await open(t);
  const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  (await staff.post(`/conversations/${id}/messages`, { contents: 'A' })).must(201);
  const { last_replier: replier } = await customer.fetch(`/conversations/${id}`, { include: 'user_minimal' });
  assert.deepEqual([replier.full_name, replier.uuid, replier.last_seen_at, replier.role], ['Agnes Agent', null, null, null]);
});

test('two spellings of one member are inconsistent, in bodies and in the query', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/teams', { title: 'A', Title: 'B' })).refused(400, 'PARAMETERS_INCONSISTENT', 'title');
  (await owner.post('/teams', { title: 'A', legacy_id: '1', legacyId: '1' })).refused(400, 'PARAMETERS_INCONSISTENT', 'legacy_id');
  assert.deepEqual((await owner.get('/teams')).ids, []);
  const { id } = await owner.create('/teams', { title: 'A' });
  (await owner.put(`/teams/${id}`, { title: 'B', TITLE: 'C' })).refused(400, 'PARAMETERS_INCONSISTENT', 'title');
  (await owner.delete('/teams', undefined, {})).refused(400, 'FIELD_REQUIRED', 'ids');
  (await owner.request('DELETE', `/teams?ids=${id}&IDs=${id}`)).refused(400, 'PARAMETERS_INCONSISTENT', 'ids');
  (await owner.request('DELETE', '/teams', { body: { ids: [id], Ids: [id] } })).refused(400, 'PARAMETERS_INCONSISTENT', 'ids');
  (await owner.get('/teams?limit=1&Limit=2')).refused(400, 'PARAMETERS_INCONSISTENT', 'limit');
  (await owner.get('/teams?ids=1&IDS=2')).refused(400, 'PARAMETERS_INCONSISTENT', 'ids');
  (await owner.post('/organizations', { name: 'O', websites: [{ url: 'https://a.example', URL: 'https://b.example' }] }))
    .refused(400, 'PARAMETERS_INCONSISTENT', 'websites/0/url');
  assert.equal((await owner.fetch(`/teams/${id}`)).title, 'A');
});

test('unknown names in fields cause a notice, known ones none, at any depth', async (t) => {
  const { customer, staff } = await open(t);
  const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  const path = `/conversations/${id}`;
  const reply = (await staff.get(path, { fields: 'subject,nonsense,requester(full_name,rubbish),+bogus' })).must(200).notes('nonsense', 'rubbish', 'bogus');
  assert.ok(!reply.notices.some((m) => m.includes('subject') || m.includes('full_name')), reply.text);
  for (const fields of ['subject,id,resource_type,resource_url', 'Requester(fullName)', '*', '*(*)', '-subject', 'requester(*)']) {
    assert.deepEqual((await staff.get(path, { fields })).must(200).notices, [], fields);
  }
  (await staff.get('/teams', { fields: 'nonsense' })).must(200).notes('nonsense');
});

test('enumeration values are accepted in any letter case and returned in capitals', async (t) => {
  const desk = await open(t);
  const { owner, staff, customer } = desk;
  const role = await owner.create('/roles', { title: 'R', type: 'agent', agent_case_access: 'Teams' });
  assert.deepEqual([role.type, role.agent_case_access], ['AGENT', 'TEAMS']);
  const conversation = await customer.create('/conversations', { subject: 'S', contents: 'C', source: 'messenger' });
  assert.equal((await staff.get('/conversations', { status: 'new,Open' })).body.total_count, 1);
  assert.equal((await staff.get('/conversations', { status: 'cLoSeD' })).body.total_count, 0);
  const { ids: [message] } = await staff.get(`/conversations/${conversation.id}/messages`);
  (await staff.put(`/conversations/${conversation.id}/messages/${message}`, { message_status: 'seen' })).must(200);
  const phone = await customer.create('/profile/identities/phones', { number: '+49 30 1234567', type: 'mobile' });
  assert.ok(phone.id);
  assert.deepEqual((await owner.get('/users', { role: 'customer' })).ids, [desk.people.customer.id]);
  (await owner.post('/roles', { title: 'R', type: 'agents' })).refused(400, 'FIELD_INVALID', 'type');
});

test('enumeration values in settings and predicates are accepted in any letter case', async (t) => {
  const { owner, people } = await open(t);
  (await owner.put('/settings', { values: { 'mail.smtp_security': 'starttls' } })).must(200);
  const shown = (await owner.fetch('/settings')).find((s) => s.name === 'mail.smtp_security' || s.name === 'smtp_security');
  assert.equal(shown.value, 'STARTTLS');
  const ask = (operator) => owner.post('/users/filter', { predicates: { collection_operator: 'or', collections: [{ proposition_operator: 'And', propositions: [{ field: 'users.fullname', operator, value: 'Cora' }] }] } });
  assert.deepEqual((await ask('STRING_contains_INSENSITIVE')).must(200).ids, [people.customer.id]);
  (await ask('string_contains')).refused(400, 'FIELD_INVALID');
});

test('two spellings of one member inside a value are inconsistent, unless its keys are data', async (t) => {
  const { owner, customer } = await open(t);
  (await owner.post('/businesshours', { title: 'H', zones: { monday: [1], Monday: [2] } })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.post('/businesshours', { title: 'H', zones: { monday: [1] }, holidays: [{ title: 'A', Title: 'B', date: '01/01/2027' }] })).refused(400, 'PARAMETERS_INCONSISTENT');
  const good = { propositions: [{ field: 'organizations.name', operator: 'string_contains_insensitive', value: 'o' }] };
  (await owner.post('/organizations/filter', { predicates: { collections: [good], Collections: [good] } })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.post('/organizations/filter', { predicates: JSON.stringify({ collections: [{ propositions: [{ ...good.propositions[0], VALUE: 'x' }] }] }) })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.post('/organizations/filter', { predicates: { collections: [good] } })).must(200);
  const action = { name: 'tags', option: 'ADD', value: ['seen'] }, proposition = { field: 'cases.subject', operator: 'string_contains_insensitive', value: 'o' }, rule = { title: 'T', channel: 'API', actions: [action], predicate_collections: [{ propositions: [proposition] }] };
  const twice = (value) => ({ ...value, Value: value.value });
  for (const more of [{ actions: [twice(action)] }, { predicate_collections: [{ propositions: [twice(proposition)] }] }, { predicate_collections: [{ propositions: [proposition], Propositions: [] }] }])
    (await owner.post('/triggers', { ...rule, ...more })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.post('/triggers', rule)).must(201);
  const { predicate_collections } = rule;
  (await owner.post('/views', { title: 'V', predicate_collections: [{ propositions: [twice(proposition)] }] })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.post('/views', { title: 'V', predicate_collections })).must(201);
  (await customer.post('/conversations', { subject: 'S', contents: 'C', metadata: { page_url: 'a', pageUrl: 'b' } })).must(201);
  assert.deepEqual((await owner.get('/businesshours')).ids, [1]);
});

test('ids in query and body may differ in order, but not in their set', async (t) => {
  const { owner } = await open(t);
  const [a, b, c] = await teams(owner, 3);
  const remove = (query, body) => owner.request('DELETE', `/teams?ids=${query}`, { body: { ids: body } });
  (await remove(`${a},${b}`, [a, c])).refused(400, 'PARAMETERS_INCONSISTENT', 'ids');
  (await remove(`${a},${b}`, [a])).refused(400, 'PARAMETERS_INCONSISTENT', 'ids');
  assert.equal((await remove(`${a},${b}`, [b, a])).must(200).body.total_count, 2);
});

test('open hours are accepted as a list or as text with commas', async (t) => {
  const { owner } = await open(t);
  const made = await owner.create('/businesshours', form({ title: 'H', zones: { monday: '9, 10', tuesday: ['8'] } }));
  assert.deepEqual([made.zones.monday, made.zones.tuesday, made.zones.sunday], [[9, 10], [8], []]);
  (await owner.post('/businesshours', { title: 'H', zones: { monday: '9,24' } })).refused(400, 'FIELD_INVALID', 'zones/monday/1');
});

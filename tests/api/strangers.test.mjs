import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { File, members, multipart, open } from './lib/index.mjs';
import { png } from './lib/picture.mjs';

// Replies to callers without login show nothing that distinguishes a known address from a new one.

const post = (email) => ({ name: 'Ann Example', email, subject: 'My order', contents: 'Where is it?' });
const print = (desk) => desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() });
const pathOf = (address) => { const { pathname, search } = new URL(address); return pathname + search; };

/** A reply with ids, times, addresses and proofs replaced by constants. Its form stays. */
function form(reply) {
  const etag = reply.etag && 'tag';
  return JSON.stringify([reply.status, etag, reply.body])
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID') // first, because it may end with 12 digits
    .replace(/\b\d{12,16}\b/g, 'PSEUDONYM').replace(/"id":\d+/g, '"id":N').replace(/v=[0-9a-f]{144}/g, 'v=PROOF').replace(/(conversations|cases_)\/?\d+/g, '$1');
}

/** Ids of people by name, in a reply's references and resources. */
const people = (data) => [...members(data)].filter(([, value]) => value?.resource_type?.startsWith('user')).map(([name, value]) => [name, value.id]);

test('a new address and a known one get the same reply, in every form', async (t) => {
  const desk = await open(t);
  (await desk.customer.put('/profile', multipart({ avatar: new File('me.png', 'image/png', png(8, 8)) }))).must(200);
  let n = 0;
  for (const query of [{}, { include: '*' }, { include: '*', _flat: true }, { include: 'user_minimal' }, { include: 'user', fields: 'requester(avatar,full_name),creator' }, { include: 'user', _case: 'camel' }]) {
    const fresh = (await desk.anyone.post('/conversations', post(`new${n++}@home.example`), { query })).must(201);
    const known = (await desk.anyone.post('/conversations', post(desk.people.customer.email), { query })).must(201);
    const staff = (await desk.anyone.post('/conversations', post(desk.people.owner.email), { query })).must(201);
    assert.equal(form(known), form(fresh));
    assert.equal(form(staff), form(fresh));
    const tokens = [fresh, known].map((reply) => [reply.data.id, reply.headers['x-request-token']]);
    const reads = [];
    for (const [id, token] of tokens) reads.push((await desk.anyone.get(`/conversations/${id}`, { ...query, token })).must(200));
    assert.equal(form(reads[1]), form(reads[0]));
    const pictures = [];
    for (const reply of [fresh, known]) {
      const [avatar] = [...members(reply.body)].filter(([name]) => name === 'avatar').map(([, value]) => value);
      if (avatar) pictures.push((await desk.anyone.exchange('GET', pathOf(avatar))).must(200));
    }
    if (pictures.length) {
      assert.equal(pictures[0].headers['content-type'], 'image/svg+xml');
      assert.deepEqual(...pictures.map((p) => [p.headers['content-type'], p.text.replace(/hsl\(\d+/, 'hsl(')]));
      assert.ok(pictures[1].text.includes('>AE<'), 'the avatar shows the initials of the given name');
    }
  }
});

test('ids of people are pseudonyms of their conversation: positive, of 53 bits, the same on every route', async (t) => {
  const desk = await open(t);
  const made = (await desk.anyone.post('/conversations', post('new@home.example'), { query: { include: '*' } })).must(201);
  const path = `/conversations/${made.data.id}`, token = made.headers['x-request-token'];
  await desk.staff.create(`${path}/messages`, { contents: 'On its way' });
  const read = (await desk.anyone.get(path, { token, include: '*' })).must(200);
  const { requester, creator, last_agent_replier: agent } = read.data;
  const real = [desk.people.agent.id, (await desk.owner.fetch('/users', { email: 'new@home.example' }))[0].id];
  for (const person of [requester, agent]) {
    assert.ok(Number.isSafeInteger(person.id) && person.id > 0 && !real.includes(person.id), String(person.id));
    assert.ok(person.resource_url.endsWith(`/users/${person.id}`));
    assert.ok(person.avatar.includes(`/users/${person.id}/avatar?v=`));
    assert.deepEqual([person.uuid, person.presence_channel, person.realtime_channel], [null, null, null]);
  }
  assert.equal(agent.full_name, 'Agnes Agent');
  assert.deepEqual([creator.id, made.data.requester.id, made.data.creator.id], [requester.id, requester.id, requester.id]);
  assert.deepEqual(people((await desk.anyone.get(path, { token })).must(200).data).map(([, id]) => id).filter((id) => ![requester.id, agent.id].includes(id)), []);
  const flat = (await desk.anyone.get(path, { token, include: 'user', _flat: true })).must(200);
  assert.deepEqual(Object.keys(flat.body.resources.user).map(Number).sort(), [requester.id, agent.id].sort());
  for (const [key, person] of Object.entries(flat.body.resources.user)) assert.equal(person.id, Number(key));
  const other = (await desk.anyone.post('/conversations', post('new@home.example'))).must(201);
  assert.notEqual(other.data.requester.id, requester.id, 'another conversation has other pseudonyms');
  await desk.restart();
  assert.equal((await desk.anyone.get(path, { token })).must(200).data.requester.id, requester.id, 'the pseudonyms are the same after a restart');
});

test('the ETag of a conversation does not reveal true ids', async (t) => {
  const desk = await open(t);
  const made = (await desk.anyone.post('/conversations', post('new@home.example'))).must(201);
  const path = `/conversations/${made.data.id}`, token = made.headers['x-request-token'];
  const [nobody, customer, staff] = [await desk.anyone.get(path, { token }), await desk.owner.get(path), await desk.staff.get(path)];
  assert.notEqual(nobody.etag, staff.etag);
  assert.equal(customer.etag, staff.etag);
  (await desk.anyone.get(path, { token }, { 'If-None-Match': nobody.etag })).must(304);
  (await desk.anyone.get(path, { token }, { 'If-None-Match': staff.etag })).must(200);
});

test('a fingerprint sees the true id of a requester that its conversation created, and pseudonyms of all others', async (t) => {
  const desk = await open(t);
  const who = print(desk), other = print(desk);
  const fresh = await who.create('/conversations', post('new@home.example'));
  const [ann] = await desk.owner.fetch('/users', { email: 'new@home.example' });
  assert.deepEqual([fresh.requester.id, fresh.creator.id], [ann.id, ann.id]);
  const again = await who.create('/conversations', post('new@home.example'));
  const theirs = await other.create('/conversations', post('new@home.example'));
  const known = await who.create('/conversations', post(desk.people.customer.email));
  for (const c of [again, theirs]) assert.notEqual(c.requester.id, ann.id);
  assert.notEqual(known.requester.id, desk.people.customer.id);
  for (const c of [fresh, again, known]) await desk.staff.create(`/conversations/${c.id}/messages`, { contents: 'Hello' });
  for (const query of [{}, { include: '*' }, { include: '*', _flat: true }]) {
    const list = (await who.get('/conversations', query)).must(200);
    assert.deepEqual(list.data.map((c) => c.requester.id), [known.requester.id, again.requester.id, ann.id]);
    const agents = list.data.map((c) => c.last_agent_replier.id);
    assert.equal(new Set([...agents, desk.people.agent.id]).size, 4, 'each conversation has its own pseudonym');
    if (query._flat) {
      const shown = Object.keys(list.body.resources.user).map(Number).sort();
      assert.deepEqual(shown, [...agents, known.requester.id, again.requester.id, ann.id].sort());
    }
    const messages = (await who.get(`/conversations/${known.id}/messages`, query)).must(200);
    assert.deepEqual(messages.data.map((m) => m.creator.id), [agents[0], known.requester.id]);
  }
  const newer = (await who.get('/conversations', { include: '*', _flat: true, before_id: fresh.id })).must(200);
  assert.deepEqual(newer.ids, [known.id, again.id]);
  assert.equal(Object.keys(newer.body.resources.user).length, 4, 'each person once, and none of another conversation');
  // The token of that conversation shows it to a caller without login.
  const token = (await who.get(`/conversations/${fresh.id}`)).must(200).headers['x-request-token'];
  assert.notEqual((await desk.anyone.get(`/conversations/${fresh.id}`, { token })).must(200).data.requester.id, ann.id);
});

test('participants shown to a fingerprint are pseudonyms in the order of the shown ids', async (t) => {
  const desk = await open(t);
  const who = print(desk);
  const { id, requester } = await who.create('/conversations', post(desk.people.customer.email));
  const path = `/conversations/${id}/participants`;
  for (const role of ['agent', 'admin', 'collaborator']) await desk.as(role).create(`/conversations/${id}/messages`, { contents: 'Hello' });
  const all = (await who.get(path)).must(200);
  assert.equal(all.body.total_count, 4);
  assert.deepEqual(all.ids, [...all.ids].sort((a, b) => a - b));
  assert.ok(all.ids.includes(requester.id));
  assert.deepEqual(all.data.map((p) => p.full_name).sort(), ['Ada Admin', 'Agnes Agent', 'Ann Example', 'Colin Collaborator']);
  for (const person of all.data) {
    assert.equal(person.resource_type, 'user_minimal');
    assert.ok(!Object.values(desk.people).some((p) => p.id === person.id));
    assert.deepEqual([person.uuid, person.role, person.presence_channel, person.teams], [null, null, null, []]);
  }
  const page = (await who.get(path, { limit: 1, offset: 2 })).must(200);
  assert.deepEqual(page.ids, [all.ids[2]]);
  assert.ok(page.body.next_url && page.body.previous_url);
  for (let after = 0, i = 0; i < 4; after = all.ids[i++]) {
    const step = (await who.get(path, { limit: 1, after_id: after })).must(200);
    assert.deepEqual(step.ids, [all.ids[i]]);
    assert.equal(/after_id=(\d+)/.exec(step.headers.link)?.[1], i < 3 ? String(all.ids[i]) : undefined);
  }
  assert.deepEqual((await who.get(path, { limit: 2, before_id: all.ids[3] })).must(200).ids, all.ids.slice(1, 3));
  const chosen = (await who.get(path, { ids: `${all.ids[1]},${desk.people.agent.id}` })).must(200);
  assert.deepEqual([chosen.ids, chosen.body.total_count], [[all.ids[1]], 1]);
  assert.deepEqual((await desk.staff.get(path)).must(200).ids, ['admin', 'agent', 'collaborator', 'customer'].map((r) => desk.people[r].id));
});

test('replayed replies have the ids of the first reply', async (t) => {
  const desk = await open(t);
  const who = print(desk), key = { headers: { 'Idempotency-Key': 'k' }, query: { include: 'user' } };
  const first = (await who.post('/conversations', post(desk.people.customer.email), key)).must(201);
  const again = (await who.post('/conversations', post(desk.people.customer.email), key)).must(201);
  assert.deepEqual(again.data, first.data);
  assert.notEqual(again.data.requester.id, desk.people.customer.id);
});

test('GET /users/:id answers a fingerprint only about people that it was shown', async (t) => {
  const desk = await open(t);
  const who = print(desk), other = print(desk);
  const known = await who.create('/conversations', post(desk.people.customer.email));
  const fresh = await who.create('/conversations', post('new@home.example'));
  await desk.staff.create(`/conversations/${known.id}/messages`, { contents: 'Hello' });
  const agent = (await who.fetch(`/conversations/${known.id}`)).last_agent_replier.id;
  const read = (await who.get(`/users/${agent}`)).must(200);
  assert.deepEqual([read.data.id, read.data.full_name, read.data.designation, read.data.emails], [agent, 'Agnes Agent', null, []]);
  assert.ok(read.data.resource_url.endsWith(`/users/${agent}`));
  (await who.get(`/users/${agent}`, {}, { 'If-None-Match': read.etag })).must(304);
  for (const c of [known, fresh]) assert.equal((await who.fetch(`/users/${c.requester.id}`)).full_name, 'Ann Example');
  const tag = (await who.get(`/users/${known.requester.id}`)).etag;
  (await desk.customer.put('/profile', { designation: 'Boss', full_name: 'Other Name' })).must(200);
  (await desk.customer.put('/profile', multipart({ avatar: new File('me.png', 'image/png', png(8, 8)) }))).must(200);
  const after = (await who.get(`/users/${known.requester.id}`)).must(200);
  assert.equal(after.etag, tag, 'a fingerprint does not see later acts of the address\'s owner');
  assert.equal(after.headers['last-modified'], undefined);
  for (const id of [desk.people.agent.id, desk.people.customer.id, desk.people.owner.id, 999999, 4503599627370495, 'x', 0]) {
    (await who.get(`/users/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  }
  for (const id of [agent, known.requester.id, fresh.requester.id]) (await other.get(`/users/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  for (const id of [agent, known.requester.id]) (await desk.owner.get(`/users/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.anyone.get(`/users/${agent}`)).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('GET /users/:id answers customers about themselves and the people of their conversations, with the members for their audience', async (t) => {
  const desk = await open(t);
  const { customer, people: { agent, customer: { id: own } } } = desk;
  const ben = await desk.person('customer');
  await desk.owner.update(`/users/${agent.id}`, { designation: 'Chief', signature: 'Hidden' });
  const { id } = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  (await customer.get(`/users/${agent.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  await desk.staff.create(`/conversations/${id}/messages`, { contents: 'Hello' });
  const seen = await customer.fetch(`/users/${agent.id}`);
  assert.deepEqual([seen.id, seen.full_name, seen.designation, seen.signature, seen.emails, seen.role], [agent.id, 'Agnes Agent', 'Chief', null, [], null]);
  assert.equal((await customer.fetch(`/users/${own}`)).emails.length, 1, 'oneself whole');
  for (const other of [ben.id, desk.people.owner.id, 999999]) (await customer.get(`/users/${other}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await ben.client.get(`/users/${agent.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.as('collaborator').get(`/users/${ben.id}`)).must(200);
});

test("customers see people in shared conversations of their organization", async (t) => {
  const desk = await open(t);
  const organization_id = (await desk.owner.create('/organizations', { name: 'Shared', is_shared: true })).id;
  const make = (access) => desk.person('customer', { organization_id, organization_case_access: access });
  const [asks, sees, narrow] = [await make('REQUESTED'), await make('ORGANIZATION'), await make('REQUESTED')];
  (await sees.client.get(`/users/${asks.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  await asks.client.create('/conversations', { subject: 'S', contents: 'C' });
  (await sees.client.get(`/users/${asks.id}`)).must(200);
  (await narrow.client.get(`/users/${asks.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('unknown ids, hidden pictures and missing pictures get the same reply for customers and callers without login', async (t) => {
  const desk = await open(t);
  const ben = await desk.person('customer');
  const avatar = (await ben.client.put('/profile', multipart({ avatar: new File('me.png', 'image/png', png(8, 8)) }))).must(200).data.avatar;
  const proof = new URL(avatar).search, plain = desk.people.agent.id;
  const look = async (who, path) => {
    const { status, headers, text } = await who.exchange('GET', `/api/v1${path}`);
    const { date, 'date-iso': dateIso, 'x-request-id': request, 'content-length': length, ...rest } = headers;
    return [status, Object.keys(rest).sort(), rest['content-type'], rest['cache-control'], text.replace(/hsl\(\d+/, 'hsl(')];
  };
  for (const who of [desk.anyone, print(desk), desk.customer]) {
    const wanted = await look(who, '/users/999999/avatar');
    assert.equal(wanted[0], 200);
    assert.ok(wanted[4].includes('></text>'), wanted[4]);
    for (const path of [`/users/${ben.id}/avatar`, `/users/${plain}/avatar`, `/users/${ben.id}/avatar?v=0`, `/users/${plain}/avatar${proof}`, `/users/999999/avatar${proof}`,
      `/users/4503599627370495/avatar?v=${'0'.repeat(144)}`, `/users/x/avatar`, '/users/0/avatar']) {
      assert.deepEqual(await look(who, path), wanted, path);
    }
    assert.equal((await who.exchange('GET', pathOf(avatar))).headers['content-type'], 'image/png', 'an address with its proof shows the picture');
  }
  assert.equal((await desk.staff.exchange('GET', `/api/v1/users/${ben.id}/avatar`)).headers['content-type'], 'image/png', 'staff need no proof');
  (await desk.staff.get('/users/999999/avatar')).refused(404, 'RESOURCE_NOT_FOUND');
});

test('the picture address of a caller without login is valid for one id, so that trying ids finds no picture', async (t) => {
  const desk = await open(t);
  const { requester } = await desk.anyone.create('/conversations', post(desk.people.customer.email), { query: { include: 'user' } });
  const { search } = new URL(requester.avatar);
  const blank = (await desk.anyone.exchange('GET', '/api/v1/users/999999/avatar')).text.replace(/hsl\(\d+/, '');
  for (let id = 1; id <= 8; id++) assert.equal((await desk.anyone.exchange('GET', `/api/v1/users/${id}/avatar${search}`)).text.replace(/hsl\(\d+/, ''), blank);
});

test('a caller without login sees the picture of a member of staff at the address in the reply', async (t) => {
  const desk = await open(t);
  (await desk.staff.put('/profile', multipart({ avatar: new File('me.png', 'image/png', png(8, 8)) }))).must(200);
  const made = (await desk.anyone.post('/conversations', post('new@home.example'))).must(201);
  await desk.staff.create(`/conversations/${made.data.id}/messages`, { contents: 'Hello' });
  const token = made.headers['x-request-token'];
  const address = async () => (await desk.anyone.get(`/conversations/${made.data.id}`, { token, include: 'user' })).must(200).data.last_agent_replier.avatar;
  const first = await address();
  for (const who of [desk.anyone, desk.customer]) assert.equal((await who.exchange('GET', pathOf(first))).headers['content-type'], 'image/png');
  assert.equal(await address(), first, 'the address stays while the picture is the same');
  const url = new URL(first);
  const elsewhere = `/api/v1/users/${desk.people.admin.id}/avatar${url.search}`;
  assert.equal((await desk.anyone.exchange('GET', elsewhere)).headers['content-type'], 'image/svg+xml', 'a proof is valid for one address only');
  (await desk.staff.put('/profile', multipart({ avatar: new File('me.png', 'image/png', png(9, 9)) }))).must(200);
  assert.notEqual(await address(), first);
});

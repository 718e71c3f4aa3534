import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SECOND, form, iso, json, multipart, open, raw, shared, until } from './lib/index.mjs';

const world = shared(async (w) => { Object.assign(w, await tokens(w.desk)); });

/** A token, and calls of its addresses: one(body), many(events). */
async function tokens(desk, more = {}) {
  const token = await desk.owner.create('/events/tokens', { label: 'Shop', ...more });
  const one = (body, options) => desk.anyone.post(`/webhook/${token.token}/incoming`, body, options);
  const many = (events, options) => desk.anyone.post(`/bulk/webhook/${token.token}/incoming`, Array.isArray(events) ? { events } : events, options);
  return { token, one, many };
}
const IDENTITIES = ['email', 'phone', 'twitter_id', 'facebook_id', 'external_id'];
const paid = (user, more) => ({ event: 'order.paid', user, ...more });
const eventsOf = (desk, id, query) => desk.staff.fetch(`/users/${id}/events`, query);
let made = 0;
const fresh = () => `new${++made}@events.example`;
const people = (desk) => Number(desk.sql('SELECT COUNT(*) FROM users').trim());
const stored = (desk) => Number(desk.sql('SELECT COUNT(*) FROM events').trim());

describe('one event', () => {
  test('is shown with its person, and stands on the timeline of the person', async () => {
    const { desk, one } = world;
    const email = desk.people.customer.email;
    const { data } = (await one({ event: 'Order_paid. Twice', user: { email }, properties: { orderId: 7, Nested_Key: { aB: [1, null] }, source: 'SHOP' }, triggered_at: '2026-01-02T03:04:05+01:00' })).must(201);
    assert.deepEqual(Object.keys(data), ['id', 'uuid', 'event', 'user', 'properties', 'triggered_at', 'created_at', 'resource_type', 'resource_url']);
    assert.deepEqual([data.event, data.user, data.properties, data.triggered_at], ['Order_paid. Twice', { id: desk.people.customer.id, resource_type: 'user_minimal' }, { orderId: 7, Nested_Key: { aB: [1, null] }, source: 'SHOP' }, '2026-01-02T02:04:05+00:00']);
    assert.deepEqual((await eventsOf(desk, desk.people.customer.id))[0], data);
    assert.deepEqual(await desk.staff.fetch(`/events/${data.id}`), data);
    assert.equal((await desk.staff.get(new URL(data.resource_url).pathname)).must(200).data.uuid, data.uuid);
  });

  test('has CUSTOM as its source and now as its time if none is given', async () => {
    const { desk, one } = world;
    const email = fresh();
    for (const properties of [undefined, {}, [], null, { source: '' }, { source: null }]) {
      const { data } = (await one(paid({ email }, { properties }))).must(201);
      assert.deepEqual([data.properties, data.triggered_at], [{ source: 'CUSTOM' }, data.created_at]);
    }
    assert.equal((await one(paid({ email }, { properties: { a: 1, source: ' ', b: 2 } }))).must(201).text.includes('{"a":1,"b":2,"source":"CUSTOM"}'), true);
    assert.equal((await desk.staff.fetch('/users', { email }))[0].full_name, email);
  });

  test('is read from JSON, a form and a multipart body, with JSON as text or as nested names', async () => {
    const { desk, one, token } = world;
    const user = { email: fresh(), full_name: 'Nora New' }, properties = { Order_No: '1', summary: 'S' };
    const texts = { event: 'paid', user: JSON.stringify(user), properties: JSON.stringify(properties) };
    const bodies = [json({ event: 'paid', user, properties }), json(texts), form({ event: 'paid', user, properties }), form(texts), multipart({ event: 'paid', user, properties }), multipart(texts)];
    const shown = [];
    for (const body of bodies) shown.push((await one(body)).must(201).data);
    for (const e of shown) assert.deepEqual([e.event, e.user.id, e.properties], ['paid', shown[0].user.id, { ...properties, source: 'CUSTOM' }]);
    assert.equal((await desk.staff.fetch(`/users/${shown[0].user.id}`)).full_name, 'Nora New');
    for (const path of [`/api/v1/webhook/${token.token}/incoming.json`, `//api/v1/webhook/${token.token}/incoming`]) (await desk.anyone.post(path, bodies[0])).must(201);
    (await one({ Event: 'paid', USER: { Email: user.email, fullName: 'x' }, triggeredAt: '2026-01-01T00:00:00Z' })).must(201);
  });

  test('names unknown keys of the person in a notice, and keeps unknown properties', async () => {
    const { one } = world;
    const reply = (await one({ ...paid({ email: fresh(), shoe_size: 44, external_app: 'shop' }), colour: 'red' })).must(201);
    reply.notes('user/shoe_size', 'colour', 'user/external_app');
    assert.equal(reply.notices.length, 3);
  });

  test('is refused with the places of all errors', async () => {
    const { desk, one } = world;
    const before = stored(desk);
    const user = { email: 'x', phone: 'call me', twitter_id: 'a b', external_id: '1', full_name: 'x'.repeat(256) };
    const properties = { url: 'javascript:alert(1)', icon_url: 'http://x.example/i.png', summary: 'a\nb', color: 'red', source: 'A1' };
    const reply = (await one({ event: 'paid2', user, properties, triggered_at: 'yesterday' })).refused(400, 'FIELD_INVALID', 'event', 'user/email', 'user/phone', 'user/twitter_id', 'user/full_name',
      'properties/url', 'properties/icon_url', 'properties/summary', 'properties/color', 'properties/source', 'triggered_at');
    assert.equal(reply.body.errors.find((e) => e.pointer === 'user/email').parameter, 'user.email');
    (await one({})).refused(400, 'FIELD_REQUIRED', 'event', 'user');
    for (const nobody of [{}, { full_name: 'Nobody', email: '', phone: null }]) {
      const { errors } = (await one(paid(nobody))).refused(400, 'ANY_FIELD_REQUIRED').body;
      assert.deepEqual(errors.map((e) => [e.code, e.pointer, e.parameter, e.parameters]), [['ANY_FIELD_REQUIRED', 'user', undefined, IDENTITIES.map((name) => `user.${name}`)]]);
    }
    (await one(paid({ external_id: '7' }))).refused(400, 'FIELD_REQUIRED', 'user/external_app');
    (await one(paid({ email: 'a@x.example', Email: 'b@x.example' }))).refused(400, 'PARAMETERS_INCONSISTENT', 'user/email');
    (await one(paid({ email: ['a@x.example'] }))).refused(400, 'FIELD_INVALID', 'user/email');
    assert.equal(stored(desk), before);
  });

  for (const [name, values] of Object.entries({
    event: ['order1', 'order-paid', 'ordér', 'a\tb', 7, {}, ['a'], 'x'.repeat(256)],
    user: ['nora', '{', 7, ['x@x.example'], '[1]', true],
    properties: ['x', '{', 7, [1], true, { x: 'x'.repeat(70000) }],
    triggered_at: ['now', '2026-13-01T00:00:00Z', 'soon', {}, true],
  })) {
    test(`is refused if ${name} has a wrong form`, async () => {
      for (const value of values) (await world.one(paid({ email: 'form@x.example' }, { [name]: value }))).refused(400, 'FIELD_INVALID', name);
    });
  }

  const BAD = {
    url: ['x', 'ftp://x.example', 'http://', 'http:// x', 'https://x.example/a b', '//x.example', 'data:text/html,x', 7, ['http://x.example']],
    icon_url: ['http://x.example/i.png', 'x', 'HTTPS://', 7],
    color: ['#12', '#1234', 'red', '##123', '12345g', '#ff00ff00', 123, {}],
    source: ['SHOP1', '7', 'a b', 'shop-x', 'ä', 7],
    summary: ['a\nb', 'x'.repeat(256), 7, {}],
  };
  const GOOD = {
    url: ['http://x.example', 'https://x.example/a?b=c#d', 'HTTP://X.example/%20'],
    icon_url: ['https://x.example/i.png', 'HTTPS://x.example/i'],
    color: ['#0bc', '0BC', '#0b4fc4', '0b4fC4'],
    source: ['SHOP', 'my_shop', 'a.b', '_', 'Shop.Web_'],
    summary: ['Paid 12 €', ''],
  };
  for (const key of Object.keys(BAD)) {
    test(`accepts and refuses the reserved property ${key} as documented`, async () => {
      for (const value of BAD[key]) (await world.one(paid({ email: 'form@x.example' }, { properties: { [key]: value } }))).refused(400, 'FIELD_INVALID', `properties/${key}`);
      for (const value of GOOD[key]) assert.equal((await world.one(paid({ email: 'form@x.example' }, { properties: { source: 'X', [key]: value } }))).must(201).data.properties[key], value);
    });
  }
});

describe('a token', () => {
  test('that is unknown, disabled or deleted answers 404, and an enabled one works again', async (t) => {
    const desk = await open(t);
    const { token, one, many } = await tokens(desk);
    const body = paid({ email: fresh() });
    for (const text of ['x', token.token.slice(0, -1), `${token.token}0`, `dke_${'0'.repeat(64)}`, token.token.toUpperCase(), `dka_${token.token.slice(4)}`, '%00', '..%2f']) {
      (await desk.anyone.post(`/webhook/${text}/incoming`, body)).refused(404, 'RESOURCE_NOT_FOUND');
    }
    await desk.owner.update(`/events/tokens/${token.id}`, { is_enabled: false });
    for (const call of [one, (b) => many([b])]) (await call(body)).refused(404, 'RESOURCE_NOT_FOUND');
    await desk.owner.update(`/events/tokens/${token.id}`, { is_enabled: true });
    const { data } = (await one(body)).must(201);
    (await desk.owner.delete(`/events/tokens/${token.id}`)).must(200);
    for (const call of [one, (b) => many([b])]) (await call(body)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.equal((await desk.staff.fetch(`/events/${data.id}`)).id, data.id);
    (await desk.anyone.get(`/webhook/${token.token}/incoming`)).refused(405, 'METHOD_NOT_SUPPORTED');
  });

  test('shows its last use, written at most every 15 seconds', async (t) => {
    const desk = await open(t);
    const { token, one } = await tokens(desk);
    const used = async () => (await desk.owner.fetch(`/events/tokens/${token.id}`)).lastused_at;
    (await one({ event: '1' })).must(400);
    assert.equal(await used(), null);
    const first = (await one(paid({ email: fresh() }))).must(201).data.created_at;
    assert.equal(await used(), first);
    await desk.clock.forward(10 * SECOND);
    (await one(paid({ email: fresh() }))).must(201);
    assert.equal(await used(), first);
    await desk.clock.forward(10 * SECOND);
    assert.equal((await one(paid({ email: fresh() }))).must(201).data.created_at, await used());
    assert.equal((await desk.owner.fetch(`/events/tokens/${token.id}`)).updated_at, token.updated_at);
  });

  test('that is valid is not limited as writes without login are, an unknown one is', async (t) => {
    const desk = await open(t, { args: ['--public-writes', '3'] });
    const { one } = await tokens(desk);
    const email = fresh();
    for (let i = 0; i < 8; i++) (await one(paid({ email }))).must(201);
    const codes = [];
    for (let i = 0; i < 5; i++) codes.push((await desk.anyone.post(`/webhook/dke_${'1'.repeat(64)}/incoming`, paid({ email }))).status);
    assert.deepEqual(codes, [404, 404, 404, 429, 429]);
    (await one(paid({ email }))).must(201);
  });

  test('gives no access to anything else', async () => {
    const { desk, token, one } = world;
    for (const header of ['Authorization', 'X-Session-ID', 'X-Token']) {
      const reply = await desk.anyone.with({ [header]: header === 'Authorization' ? `Bearer ${token.token}` : token.token }).get('/users');
      assert.ok([401, 454].includes(reply.status), `${reply}`);
    }
    const { data } = (await one(paid({ email: desk.people.customer.email }), { query: { include: '*', fields: '+identity' } })).must(201);
    assert.deepEqual(data.user, { id: desk.people.customer.id, resource_type: 'user_minimal' });
    assert.ok(!('identity' in data) || data.identity === null);
  });
});

test('a new server key ends tokens: their address answers 404, and replies show null', async (t) => {
  const desk = await open(t);
  const { token, one } = await tokens(desk);
  await desk.stop();
  rmSync(join(desk.dir, 'secret.key'));
  desk.args.push('--new-key');
  await desk.start();
  (await one(paid({ email: fresh() }))).refused(404, 'RESOURCE_NOT_FOUND');
  const shown = await desk.owner.fetch(`/events/tokens/${token.id}`);
  assert.deepEqual([shown.label, shown.token, shown.webhook_url], ['Shop', null, null]);
  assert.match((await desk.owner.create('/events/tokens', { label: 'Next' })).token, /^dke_/);
});

describe('the person of an event', () => {
  test('a Twitter id has ASCII letters, digits and underscores, 64 at most', async (t) => {
    const { one } = await tokens(await open(t));
    for (const twitter_id of ['0', '9', 'a', 'z', 'A', 'Z', '_', 'x'.repeat(64)]) (await one(paid({ twitter_id }))).must(201);
    for (const twitter_id of ['/', ':', '@', '[', '`', '{', '-', 'é', 'a b', 'x'.repeat(65)]) (await one(paid({ twitter_id }))).refused(400, 'FIELD_INVALID', 'user/twitter_id');
  });

  test('is found by e-mail, phone, Twitter, Facebook and external id, in this order', async (t) => {
    const desk = await open(t);
    const { one } = await tokens(desk);
    const keys = { email: 'a@x.example', phone: '+49301110001', twitter_id: '1815', facebook_id: 'fb-1', external_id: 'C-1' };
    const ids = {};
    for (const [key, value] of Object.entries(keys)) ids[key] = (await one(paid({ [key]: value, ...(key === 'external_id' && { external_app: 'shop' }) }))).must(201).data.user.id;
    assert.equal(new Set(Object.values(ids)).size, 5);
    const left = { ...keys, external_app: 'shop' };
    for (const key of Object.keys(keys)) {
      assert.equal((await one(paid(left))).must(201).data.user.id, ids[key]);
      delete left[key];
    }
    assert.equal(people(desk), 5 + 5);
    assert.equal((await one(paid({ email: 'A@X.example' }))).must(201).data.user.id, ids.email);
    assert.equal((await one(paid({ phone: '+49 (30) 111-0001' }))).must(201).data.user.id, ids.phone);
    assert.notEqual((await one(paid({ external_id: 'C-1', external_app: 'crm' }))).must(201).data.user.id, ids.external_id);
    const before = await desk.staff.fetch(`/users/${ids.email}`);
    assert.deepEqual([before.phones, before.twitter, before.facebook], [[], [], []], 'a match adds no identity');
  });

  test('is created as a customer with all given identities', async (t) => {
    const desk = await open(t);
    const { one } = await tokens(desk);
    const user = { email: 'nora@x.example', phone: '+49301110001', twitter_id: '1815', facebook_id: 'fb-1', external_id: 'C-1', external_app: 'shop', full_name: 'Nora New' };
    const { data } = (await one(paid(user))).must(201);
    const shown = await desk.owner.fetch(`/users/${data.user.id}`, { include: 'role,identity_email,identity_phone,identity_twitter,identity_facebook' });
    assert.deepEqual([shown.full_name, shown.role.type, shown.external_identifiers.map((e) => [e.external_app, e.external_id])], ['Nora New', 'CUSTOMER', [['shop', 'C-1']]]);
    assert.deepEqual([shown.emails, shown.phones, shown.twitter, shown.facebook].map(([e, ...more]) => [e.is_primary, e.is_validated, more.length]), Array(4).fill([true, false, 0]));
    assert.deepEqual([shown.emails[0].email, shown.phones[0].number, shown.twitter[0].twitter_id, shown.twitter[0].screen_name, shown.facebook[0].facebook_id], ['nora@x.example', '+49301110001', '1815', '', 'fb-1']);
    const trail = await desk.owner.fetch(`/users/${data.user.id}/activities`);
    assert.match(JSON.stringify(trail), /Webhook: Shop/);
    assert.equal(desk.check().status, 0, desk.check().stdout);
  });

  test('is named after the first identity if no name is given', async () => {
    const { desk, one } = world;
    const { data } = (await one(paid({ facebook_id: 'fb-77', external_id: 'x77', external_app: 'shop' }))).must(201);
    assert.equal((await desk.staff.fetch(`/users/${data.user.id}`)).full_name, 'fb-77');
  });

  test('is not found by an address that somebody added to the own profile and never verified', async (t) => {
    const desk = await open(t);
    const { one } = await tokens(desk);
    (await desk.customer.post('/profile/identities/emails', { email: 'boss@x.example' })).must(201);
    const { data } = (await one(paid({ email: 'boss@x.example' }))).must(201);
    assert.notEqual(data.user.id, desk.people.customer.id);
    assert.deepEqual(await eventsOf(desk, desk.people.customer.id), []);
  });

  test('is new again after the former owner of the identity was deleted', async (t) => {
    const desk = await open(t);
    const { one } = await tokens(desk);
    const user = { email: 'x@x.example', external_id: '1', external_app: 'shop' };
    const { id } = (await one(paid(user))).must(201).data.user;
    (await desk.owner.delete(`/users/${id}`)).must(200);
    const again = (await one(paid(user))).must(201).data.user.id;
    assert.notEqual(again, id);
    assert.equal((await one(paid({ external_id: '1', external_app: 'shop' }))).must(201).data.user.id, again);
  });

  test('is shown with the identity that matched, on demand', async (t) => {
    const desk = await open(t);
    const { one } = await tokens(desk);
    const user = { email: 'x@x.example', phone: '+49301110001', external_id: '1', external_app: 'shop' };
    const matched = async (u) => (await desk.staff.fetch(`/events/${(await one(paid(u))).must(201).data.id}`, { fields: '+identity' })).identity;
    assert.equal((await matched(user)).resource_type, 'identity_email');
    assert.equal((await matched({ phone: user.phone })).resource_type, 'identity_phone');
    assert.equal(await matched({ external_id: '1', external_app: 'shop' }), null);
    const { id } = await matched({ email: user.email });
    assert.equal((await desk.staff.fetch(`/identities/emails/${id}`)).email, user.email);
  });
});

describe('several events', () => {
  test('are stored all, with the status alone as the reply', async () => {
    const { desk, many, token } = world;
    const [a, b] = [fresh(), fresh()];
    const reply = (await many([paid({ email: a }, { properties: { n: 1 } }), paid({ email: b }, { properties: { n: 2 } }), paid({ email: a }, { properties: { n: 3 } })])).must(201);
    assert.deepEqual(reply.body, { status: 201 });
    const [{ id }] = await desk.staff.fetch('/users', { email: a });
    assert.deepEqual((await eventsOf(desk, id)).map((e) => e.properties.n), [3, 1]);
    for (const end of ['', '.json']) (await desk.anyone.post(`/api/v1/bulk/webhook/${token.token}/incoming${end}`, { events: [paid({ email: a })] })).must(201);
    (await many(form({ events: [paid({ email: a }), paid({ email: b })] }))).must(201);
    (await many(multipart({ events: JSON.stringify([paid({ email: a })]) }))).must(201);
  });

  test('create a person once, who is found by any identity of the first event', async (t) => {
    const desk = await open(t);
    const { many } = await tokens(desk);
    const before = people(desk);
    (await many([
      paid({ phone: '+49301110001', full_name: 'One' }), paid({ email: 'one@x.example', phone: '+49 30 1110001' }),
      paid({ email: 'two@x.example', external_id: '2', external_app: 's' }), paid({ external_id: '2', external_app: 's' }), paid({ email: 'TWO@x.example' }),
    ])).must(201);
    assert.equal(people(desk), before + 2);
    assert.equal(desk.sql('SELECT COUNT(*) FROM events GROUP BY user_id ORDER BY user_id').trim().split(/\s+/).join(), '2,3');
  });

  test('are refused all if one is wrong, with the places of all errors', async () => {
    const { desk, many } = world;
    const [persons, events] = [people(desk), stored(desk)];
    const good = paid({ email: fresh() });
    const bad = [good, { ...good, event: '1' }, 7, { user: { email: 'x' }, event: 'a' }, paid({}), paid({ external_id: 'x' }, { properties: { color: 'x' } }), { ...good, triggered_at: 'x' }];
    const reply = (await many(bad)).refused(400, 'FIELD_INVALID', 'events/1/event', 'events/2', 'events/3/user/email', 'events/5/properties/color', 'events/6/triggered_at');
    reply.refused(400, 'FIELD_REQUIRED', 'events/5/user/external_app').refused(400, 'ANY_FIELD_REQUIRED', 'events/4/user', ...IDENTITIES.map((name) => `events[4].user.${name}`));
    assert.equal(reply.body.errors.find((e) => e.pointer === 'events/3/user/email').parameter, 'events[3].user.email');
    assert.deepEqual([people(desk), stored(desk)], [persons, events]);
  });

  test('are 1 to 200 in a list', async () => {
    const { desk, many } = world;
    const before = stored(desk);
    const list = (n) => Array.from({ length: n }, (_, i) => paid({ email: `many${i}@x.example` }));
    (await many([])).refused(400, 'FIELD_EMPTY', 'events');
    (await many({})).refused(400, 'FIELD_REQUIRED', 'events');
    for (const events of [7, 'x', {}, 'true']) (await many({ events })).refused(400, 'FIELD_INVALID', 'events');
    (await many(list(201))).refused(400, 'FIELD_INVALID', 'events');
    assert.equal(stored(desk), before);
    (await many(list(200))).must(201);
    assert.equal(stored(desk), before + 200);
    (await many(list(200).toReversed())).must(201);
    assert.equal(desk.sql("SELECT COUNT(*) FROM identity_emails WHERE email_key LIKE 'many%@x.example'").trim(), '200');
  });

  test('may have 1 MiB in all', async () => {
    const { many } = world;
    const events = Array.from({ length: 20 }, () => paid({ email: 'large@x.example' }, { properties: { text: 'x'.repeat(60000) } }));
    (await many(events)).refused(413, 'PAYLOAD_TOO_LARGE');
    (await many(events.slice(0, 16))).must(201);
  });
});

describe('a repeated request', () => {
  test('with the same Idempotency-Key stores its events once, for each token', async (t) => {
    const desk = await open(t);
    const [shop, crm] = [await tokens(desk), await tokens(desk)];
    const key = { headers: { 'Idempotency-Key': 'k' } }, body = paid({ email: fresh() });
    const first = (await shop.one(body, key)).must(201);
    const again = (await shop.one(body, key)).must(201);
    assert.deepEqual([again.headers['idempotent-replayed'], again.data, again.notices], ['true', first.data, []]);
    (await shop.one({ ...body, event: 'other' }, key)).refused(400, 'PARAMETERS_INCONSISTENT');
    assert.equal((await crm.one(body, key)).must(201).headers['idempotent-replayed'], undefined);
    for (let i = 0; i < 2; i++) (await shop.many([body], { headers: { 'Idempotency-Key': 'bulk' } })).must(201);
    assert.equal(stored(desk), 3);
  });

  test('without a key stores its events again', async (t) => {
    const desk = await open(t);
    const { one } = await tokens(desk);
    const body = paid({ email: fresh() });
    for (let i = 0; i < 3; i++) (await one(body)).must(201);
    assert.equal(stored(desk), 3);
  });
});

describe('timelines', () => {
  test('the events of a case are those of its requester, newest first', async (t) => {
    const desk = await open(t);
    const { one } = await tokens(desk);
    const email = desk.people.customer.email;
    const at = desk.clock.now;
    for (const n of [1, 2, 3]) (await one(paid({ email }, { properties: { n }, triggered_at: iso(at + n * 1000) }))).must(201);
    (await one(paid({ email: fresh() }))).must(201);
    const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
    const list = async (query) => (await desk.staff.fetch(`/cases/${id}/events`, query)).map((e) => e.properties.n);
    assert.deepEqual(await list(), [3, 2, 1]);
    assert.deepEqual([await list({ since: iso(at + 2 * 1000) }), await list({ until: iso(at + 2 * 1000) }), await list({ limit: 1, offset: 1 })], [[3, 2], [2, 1], [2]]);
    const { id: hidden } = await desk.owner.create('/cases', { subject: 'S', contents: 'C', requester_id: desk.people.customer.id, assigned_agent_id: desk.people.owner.id });
    const own = (await desk.person('agent', { agent_case_access: 'SELF' })).client;
    (await own.get(`/cases/${hidden}/events`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.customer.get(`/cases/${id}/events`)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.staff.get('/cases/987654321/events')).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('the events of a person go when the person is purged, and stay when the person is deleted', async (t) => {
    const desk = await open(t);
    const { one } = await tokens(desk);
    const user = (await one(paid({ email: 'gone@x.example' }, { properties: { address: 'secret street' } }))).must(201).data.user.id;
    (await desk.owner.delete(`/users/${user}`)).must(200);
    assert.equal(stored(desk), 1);
    (await desk.owner.delete(`/users/${user}`, { purge: true })).must(200);
    await desk.clock.forward(10 * SECOND);
    await until('the events are gone', () => stored(desk) === 0);
    assert.equal(desk.check().status, 0, desk.check().stdout);
  });
});

describe('bad bodies', () => {
  test('are refused before anything is stored', async () => {
    const { desk, token, one } = world;
    const before = stored(desk);
    (await one(raw('application/json', '{'))).refused(400, 'BODY_INVALID');
    (await one(raw('application/json', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))).refused(400, 'BODY_INVALID');
    (await one(raw('text/plain', 'x'))).refused(415, 'UNSUPPORTED_MEDIA_TYPE');
    (await one(raw('application/json', `${'['.repeat(100)}${']'.repeat(100)}`))).refused(400, 'BODY_INVALID');
    (await one(raw('application/json', '[1]'))).must(400);
    (await desk.anyone.with({ Accept: 'text/html' }).post(`/webhook/${token.token}/incoming`, paid({ email: 'x@x.example' }))).must(406);
    assert.equal(stored(desk), before);
  });

  test('keys such as __proto__ and empty ones are plain data', async () => {
    const properties = JSON.parse('{"__proto__": {"a": 1}, "constructor": "x", "": 1, "source": "X"}');
    const { data } = (await world.one(paid({ email: 'x@x.example' }, { properties }))).must(201);
    assert.deepEqual(Object.entries(data.properties), Object.entries(properties));
  });
});

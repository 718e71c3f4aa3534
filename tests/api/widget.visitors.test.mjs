import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { shared, until } from './lib/index.mjs';
import { ANN, BASE, OTHER, SITE, allowed, jwt, widgets } from './lib/widget.mjs';

// Visitors of a widget whom the site has signed in, and live replies to its pages.

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Makes a secret of the first brand. sign(more) makes a token for now. */
async function secretOf({ desk }) {
  const { signing_secret: secret } = (await desk.owner.post('/brands/1/widget/secret')).must(200).data;
  desk.secrets.add(secret);
  const now = Math.floor(await desk.time() / 1000);
  return { secret, now, sign: (more, options) => jwt(secret, { email: 'ada@home.example', name: 'Ada Byron', iat: now, ...more }, options) };
}

/** Follows channels as a page does: by fetch, with the fingerprint in a header. */
async function follow(t, desk, Origin, fingerprint, channels, headers = {}) {
  const stop = new AbortController();
  const reply = await fetch(`http://127.0.0.1:${desk.port}/api/v1/realtime?channels=${encodeURIComponent(channels)}`, { headers: { Origin, 'X-Fingerprint-ID': fingerprint, Accept: 'text/event-stream', ...headers }, signal: stop.signal });
  t.after(() => stop.abort());
  const stream = { reply, text: '', ended: false };
  if (reply.status === 200) void (async () => {
    try { for await (const bytes of reply.body) stream.text += Buffer.from(bytes).toString(); } catch { /* stopped */ }
    stream.ended = true;
  })();
  return stream;
}

describe('signed visitors of a widget', () => {
  const world = shared(widgets, { base: BASE });

  test('only owners make the secret of a widget, which is shown once and stored sealed', async () => {
    const { desk } = world, { secret } = await secretOf(world);
    const path = '/brands/1/widget';
    assert.match(secret, /^[0-9a-f]{64}$/);
    for (const role of ['admin', 'agent', 'collaborator', 'customer']) for (const act of ['post', 'delete']) (await desk.as(role)[act](`${path}/secret`)).refused(403, 'PERMISSIONS_DENIED');
    const now = await desk.owner.fetch(path);
    assert.equal(now.signing_secret, null);
    assert.ok(now.secret_created_at);
    assert.ok(!desk.sql('SELECT secret FROM brand_widgets').includes(secret));
    const again = (await desk.owner.post(`${path}/secret`)).must(200).data.signing_secret;
    assert.notEqual(again, secret);
    (await desk.owner.delete(`${path}/secret`)).must(200);
    assert.equal((await desk.owner.fetch(path)).secret_created_at, null);
    const changes = (await desk.owner.fetch('/audit_log', { limit: 100 })).filter((e) => e.action === 'BRAND_WIDGET_CHANGED').flatMap((e) => e.details.changes);
    assert.equal(changes.filter(({ property }) => property === 'widget_secret').length, 3);
    assert.ok(!JSON.stringify(changes).includes(secret));
  });

  test('a signed visitor writes as the customer, and sees these conversations from each page, and nothing else of the person', async () => {
    const { desk, page } = world, { sign, now } = await secretOf(world);
    const { client: ada, id: person } = await desk.person('customer', { email: 'ada@home.example', full_name: 'Private Name' });
    const own = await ada.create('/conversations', { subject: 'Of the login', contents: 'x' });
    const laptop = page(), before = await laptop.create('/conversations', ANN);
    const bound = (await laptop.post('/widget/identity', { token: sign() })).must(200).data;
    assert.deepEqual([bound.name, bound.email], ['Ada Byron', 'ada@home.example']);
    assert.deepEqual((await laptop.get('/conversations')).must(200).ids, [], 'an anonymous conversation may be that of another person at this computer');
    const made = (await laptop.post('/conversations', { subject: 'Signed', contents: 'Hello' })).must(201).data;
    const seen = await desk.owner.fetch(`/cases/${made.id}`);
    assert.deepEqual([seen.requester.id, seen.brand.id], [person, 1]);
    const phone = page();
    (await phone.post('/widget/identity', { token: sign({ iat: now - 1 }) })).must(200);
    assert.deepEqual((await phone.get('/conversations')).must(200).ids, [made.id]);
    await desk.staff.create(`/conversations/${made.id}/messages`, { contents: 'On its way' });
    const messages = (await phone.get(`/conversations/${made.id}/messages`, { include: '*' })).must(200);
    assert.equal(messages.data.length, 2);
    for (const word of ['Private Name', 'ada@home.example', 'agent@example.com']) assert.ok(!messages.text.includes(word), word);
    await phone.create(`/conversations/${made.id}/messages`, { contents: 'Thanks' });
    for (const id of [own.id, before.id]) (await phone.get(`/conversations/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    for (const path of ['/me', '/profile', '/cases', `/users/${person}/notes`]) (await phone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
    assert.equal((await ada.fetch('/conversations')).length, 2, 'the person sees it at the login');
    assert.equal((await desk.owner.fetch(`/users/${person}`)).full_name, 'Private Name', 'a token changes nobody');
    (await phone.delete('/widget/identity')).must(200);
    (await phone.post('/conversations', { subject: 'x', contents: 'x' })).refused(400, 'FIELD_REQUIRED', 'email', 'name');
    assert.deepEqual((await phone.get('/conversations')).must(200).ids, []);
    assert.deepEqual((await laptop.get('/conversations')).must(200).ids, [made.id]);
    await desk.owner.update('/brands/1/widget', { is_anonymous_allowed: false });
    (await phone.post('/conversations', ANN)).refused(403, 'PERMISSIONS_DENIED');
    await laptop.create('/conversations', { subject: 'Again', contents: 'x' });
    await desk.owner.update('/brands/1/widget', { is_anonymous_allowed: true });
  });

  test('a token is refused if its signature, its form, its time or its user is wrong', async () => {
    const { desk, second, page } = world, { sign, now } = await secretOf(world);
    const refused = async (token, why, from = page()) => {
      const reply = (await from.post('/widget/identity', { token })).refused(401, 'AUTHENTICATION_FAILED', 'token');
      assert.match(reply.body.errors[0].message, why);
      assert.equal(allowed(reply), from.headers.Origin);
    };
    const good = sign(), [head, body, signature] = good.split('.');
    const flipped = (signature[0] === 'A' ? 'B' : 'A') + signature.slice(1);
    for (const token of [`${head}.${body}.${flipped}`, `${head}.${part({ email: 'eve@home.example', name: 'Eve', iat: now })}.${signature}`, jwt('other', { email: 'ada@home.example', name: 'Ada', iat: now }), `${head}.${body}.${signature.slice(0, 20)}`, sign({}, { hash: 'sha512' })]) await refused(token, /signature/);
    for (const alg of ['none', 'HS512', 'RS256', 'hs256']) await refused(sign({}, { header: { alg } }), /HS256/);
    await refused(`${part({ alg: 'none' })}.${body}.`, /JSON Web Token/);
    await refused(sign({}, { header: { alg: 'HS256', crit: ['exp'] } }), /HS256/);
    for (const token of ['x', 'a.b.c', `${head}.${body}`, `${part('[]')}.${body}.${signature}`]) await refused(token, /JSON Web Token/);
    for (const iat of [undefined, 'now', 1.5, -1]) await refused(sign({ iat }), /iat/);
    await refused(sign({ iat: now - 601 }), /too old/);
    await refused(sign({ exp: now - 1 }), /too old/);
    await refused(sign({ exp: 'x' }), /exp/);
    await refused(sign({ iat: now + 600 }), /future/);
    for (const email of [undefined, 'x', '', 7]) await refused(sign({ email }), /email/);
    for (const name of [undefined, '', ' ', 'a\nb', 'x'.repeat(256)]) await refused(sign({ name }), /name/);
    await refused(good, /no secret/, page(OTHER));
    (await desk.owner.post(`/brands/${second}/widget/secret`)).must(200);
    await refused(good, /signature/, page(OTHER));
    const mine = page();
    for (let i = 0; i < 2; i++) (await mine.post('/widget/identity', { token: good })).must(200);
    await refused(good, /Another browser/);
    (await page().post('/widget/identity', {})).refused(400, 'FIELD_REQUIRED', 'token');
    (await desk.anyone.with({ Origin: SITE }).post('/widget/identity', { token: sign({ iat: now - 5 }) })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() }).post('/widget/identity', { token: sign({ iat: now - 5 }) })).refused(403, 'PERMISSIONS_DENIED');
    (await page('https://evil.example').post('/widget/identity', { token: sign({ iat: now - 5 }) })).refused(403, 'PERMISSIONS_DENIED');
  });

  test('a site signs no staff and nobody who is disabled in, and a binding ends with its secret and its customer', async () => {
    const { desk, page } = world, { sign, now } = await secretOf(world);
    for (const role of ['owner', 'admin', 'agent', 'collaborator']) (await page().post('/widget/identity', { token: sign({ email: desk.people[role].email }) })).refused(403, 'PERMISSIONS_DENIED', 'token');
    const who = page();
    (await who.post('/widget/identity', { token: sign({ email: 'bea@home.example' }) })).must(200);
    await who.create('/conversations', { subject: 'Signed', contents: 'x' });
    const [person] = await desk.owner.fetch('/users', { email: 'bea@home.example' });
    assert.deepEqual([person.full_name, person.role.id], ['Ada Byron', 4]);
    const bound = async () => (await who.get('/conversations')).must(200).ids.length === 1;
    assert.ok(await bound());
    await desk.owner.update(`/users/${person.id}`, { role_id: 2 });
    assert.ok(!(await bound()), 'staff');
    (await page().post('/widget/identity', { token: sign({ email: 'bea@home.example', iat: now - 1 }) })).refused(403, 'PERMISSIONS_DENIED', 'token');
    await desk.owner.update(`/users/${person.id}`, { role_id: 4 });
    assert.ok(await bound());
    await desk.owner.update(`/users/${person.id}`, { is_enabled: false });
    assert.ok(!(await bound()), 'disabled');
    (await page().post('/widget/identity', { token: sign({ email: 'bea@home.example', iat: now - 2 }) })).refused(403, 'PERMISSIONS_DENIED', 'token');
    await desk.owner.update(`/users/${person.id}`, { is_enabled: true });
    assert.ok(await bound());
    (await desk.owner.post('/brands/1/widget/secret')).must(200);
    assert.ok(!(await bound()), 'another secret');
  });

  test('a page hears of replies by a stream with its fingerprint only, and a page of another brand does not', async (t) => {
    const { desk, page } = world, { sign } = await secretOf(world);
    const print = randomUUID(), who = page(SITE, print);
    const { id, realtime_channel: channel } = await who.create('/conversations', ANN);
    const stream = await follow(t, desk, SITE, print, channel, { Cookie: 'desk_session=x' });
    assert.deepEqual([stream.reply.status, stream.reply.headers.get('access-control-allow-origin'), stream.reply.headers.get('access-control-allow-credentials')], [200, SITE, null]);
    for (const [origin, fingerprint] of [[SITE, randomUUID()], [OTHER, print]]) assert.equal((await follow(t, desk, origin, fingerprint, channel)).reply.status, 400, origin);
    const { Authorization } = desk.owner.headers;
    assert.equal((await follow(t, desk, SITE, print, channel, { Authorization })).reply.status, 403);
    await desk.staff.create(`/conversations/${id}/messages`, { contents: 'On its way' });
    await until('the reply', () => stream.text.includes('event:'));
    const signed = randomUUID(), visitor = page(SITE, signed);
    (await visitor.post('/widget/identity', { token: sign() })).must(200);
    const own = await visitor.create('/conversations', { subject: 'Signed', contents: 'x' });
    const opened = await desk.staff.create('/cases', { subject: 'By staff', contents: 'x', requester_id: desk.people.customer.id, channel: 'MAIL' });
    for (const [one, known] of [[id, 'ANONYMOUS'], [own.id, 'SIGNED'], [opened.id, null]]) assert.equal((await desk.staff.fetch(`/cases/${one}`, { fields: 'visitor' })).visitor, known);
    assert.ok(!('visitor' in await desk.staff.fetch(`/cases/${id}`)), 'on demand');
    const stays = await follow(t, desk, SITE, signed, own.realtime_channel);
    assert.equal(stays.reply.status, 200);
    (await desk.owner.post('/brands/1/widget/secret')).must(200);
    await until('the binding has ended', () => stays.ended);
    assert.ok(!stream.ended, 'the stream of a fingerprint that is not bound goes on');
    const { origins } = await desk.owner.fetch('/brands/1/widget');
    await desk.owner.update('/brands/1/widget', { origins: [...origins, 'https://more.example'], greeting: 'Hello' });
    await desk.owner.update('/brands/1', { name: 'Other' });
    await desk.staff.create(`/conversations/${id}/messages`, { contents: 'It has left the house' });
    await until('the next reply', () => stream.text.match(/NEW_POST/g)?.length >= 2);
    assert.ok(!stream.ended, 'the origin is still listed');
    await desk.owner.update('/brands/1/widget', { origins: origins.filter((one) => one !== SITE) });
    await until('the origin is removed', () => stream.ended);
    await desk.owner.update('/brands/1/widget', { origins });
  });
});

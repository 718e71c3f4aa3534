import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { File, multipart, open, shared, until } from './lib/index.mjs';
import { ANN, BASE, OTHER, SITE, allowed, known, widgets } from './lib/widget.mjs';

// The widget: pages of listed origins call public operations with a fingerprint, and get nothing else.

const preflight = (desk, path, Origin, method, headers = 'x-fingerprint-id') =>
  desk.anyone.exchange('OPTIONS', `/api/v1${path}`, { headers: { Origin, 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': headers } });

describe('origins of a widget', () => {
  const world = shared(widgets, { base: BASE });

  test('only owners list origins, each of which is https or localhost, has no path and belongs to one brand', async () => {
    const { desk } = world, { owner } = desk;
    const third = await world.brand('Third', ['https://third.example']), path = `/brands/${third}/widget`;
    assert.deepEqual(await owner.fetch(path).then(({ origins, greeting, is_anonymous_allowed }) => ({ origins, greeting, is_anonymous_allowed })), { origins: ['https://third.example'], greeting: null, is_anonymous_allowed: true });
    assert.deepEqual((await desk.admin.fetch(path)).origins, ['https://third.example']);
    for (const role of ['admin', 'agent', 'collaborator', 'customer']) (await desk.as(role).put(path, { origins: [] })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.put(path, { origins: [] })).refused(401, 'AUTHORIZATION_REQUIRED');
    (await desk.staff.get(path)).refused(403, 'PERMISSIONS_DENIED');
    const bad = ['http://shop.example', 'https://shop.example/', 'https://shop.example/path', 'https://*.shop.example', '*', 'null', 'shop.example', '//shop.example', 'https://', 'ftp://shop.example', 'https://user@shop.example',
      'https://shop.example:0', 'https://shop.example:65536', 'https://shop.example:', 'https://shop.example:8 0', 'https://shop.example:1:2', 'https://shop.example?x', 'https://shop.example#x', 'https://shop', 'https://10.0.0.1', 'https://a b.example', 'javascript:alert(1)', ''];
    for (const some of [bad.slice(0, 12), bad.slice(12)]) {
      const reply = (await owner.put(path, { origins: some })).refused(400, 'FIELD_INVALID', ...some.map(() => 'origins'));
      assert.deepEqual(reply.body.errors.map((e) => e.pointer), some.map((_, i) => `origins/${i}`));
    }
    const made = await owner.update(path, { origins: ['HTTPS://Shop.Example:443', 'https://shop.example', 'http://localhost:4000', 'http://127.0.0.1:80', 'https://bücher.example:8443'], greeting: 'Hello' });
    assert.deepEqual(made.origins, ['https://shop.example', 'http://localhost:4000', 'http://127.0.0.1', 'https://xn--bcher-kva.example:8443']);
    (await owner.put(path, { origins: ['https://a.example', SITE] })).refused(400, 'FIELD_DUPLICATE', 'origins');
    (await owner.put(path, { origins: Array.from({ length: 21 }, (_, i) => `https://s${i}.example`) })).refused(400, 'FIELD_INVALID', 'origins');
    assert.deepEqual((await owner.update(path, { greeting: null })).origins, made.origins, 'what is not given stays');
    (await owner.get('/brands/999/widget')).refused(404, 'RESOURCE_NOT_FOUND');
    (await owner.put('/brands/999/widget', { origins: [] })).refused(404, 'RESOURCE_NOT_FOUND');
    const [entry] = (await owner.fetch('/audit_log', { limit: 100 })).filter((e) => e.action === 'BRAND_WIDGET_CHANGED' && e.object.id === third && e.details.changes[0].from !== '[]');
    assert.deepEqual([entry.details.changes[0].property, entry.details.changes[0].from], ['widget_origins', '["https://third.example"]']);
  });

  test('a page of a listed origin gets CORS without credentials for the operations of widgets, also on errors', async () => {
    const { desk, page } = world;
    const { id } = await page().create('/conversations', ANN);
    const replies = [[200, await page().get('/conversations')], [404, await page().get(`/conversations/${id}`)], [400, await page().post('/conversations', {})], [401, await desk.anyone.with({ Origin: SITE }).get('/conversations')],
      [400, await page(SITE, 'x').get('/conversations')], [406, await page().get('/conversations', {}, { Accept: 'image/png' })], [405, await page().delete('/conversations')], [413, await page().exchange('POST', '/api/v1/conversations', { body: { ...ANN, contents: 'x'.repeat(1_100_000) } })],
      [200, await page().get('/helpcenter/search', { query: 'order' })], [200, await page().get('/helpcenter/search/suggestions', { query: 'ord' })], [404, await page().get('/articles/99')], [200, await page().get('/widget/settings')]];
    for (const [status, reply] of replies) {
      assert.equal(reply.status, status, `${reply}`);
      assert.equal(allowed(reply), SITE, `${reply}`);
      assert.match(reply.headers.vary, /\bOrigin\b/);
      assert.equal(reply.headers['access-control-allow-credentials'], undefined);
      assert.match(reply.headers['access-control-expose-headers'], /ETag/);
    }
    for (const path of ['/me', '/users', '/settings', '/cases', '/brands', '/sections', '/session', '/files/1', '/no/such', '/brands/1/widget']) assert.equal(allowed(await page().exchange('GET', `/api/v1${path}`)), undefined, path);
    const ok = (await preflight(desk, '/conversations', SITE, 'POST', 'x-fingerprint-id,content-type')).must(204);
    assert.deepEqual([allowed(ok), ok.headers['access-control-allow-methods'], ok.headers['access-control-max-age'], ok.headers['access-control-allow-credentials'], ok.headers.vary], [SITE, 'GET, HEAD, POST', '600', undefined, 'Origin']);
    const headers = ok.headers['access-control-allow-headers'].toLowerCase().split(', ');
    for (const name of ['x-fingerprint-id', 'content-type', 'idempotency-key', 'last-event-id']) assert.ok(headers.includes(name), name);
    for (const name of ['authorization', 'cookie', 'x-session-id', 'x-csrf-token', 'x-token', 'x-rememberme', '*']) assert.ok(!headers.includes(name), name);
    assert.equal((await preflight(desk, `/conversations/${id}`, SITE, 'PUT')).must(204).headers['access-control-allow-methods'], 'GET, HEAD', 'PUT is not for widgets');
    for (const path of ['/me', '/cases/1', '/files/1/content', '/session']) assert.equal(allowed(await preflight(desk, path, SITE, 'GET')), undefined, path);
  });

  test('no other origin gets CORS: neither subdomains, ports and schemes, nor null and other spellings', async () => {
    const { desk } = world, brand = await world.brand('Local', ['http://localhost:3000', 'https://gone.example']);
    const foreign = ['null', '', '*', 'http://good.example', 'https://good.example:8443', 'https://good.example:443', 'https://good.example.evil', 'https://evil-good.example', 'https://www.good.example', 'https://evil.example', 'HTTPS://good.example', 'https://Good.example',
      'https://good.example/', 'https://good.example.', 'https://good.example@evil.example', 'https://evil.example#https://good.example', 'https://good.example https://evil.example', 'https://good.example,https://evil.example', 'good.example', 'http://localhost', 'https://localhost:3000', 'http://localhost:3001', 'http://127.0.0.1:3000'];
    for (const Origin of foreign) {
      const from = desk.anyone.with({ Origin, 'X-Fingerprint-ID': randomUUID() });
      for (const reply of [await from.get('/conversations'), await preflight(desk, '/conversations', Origin, 'POST')]) assert.equal(allowed(reply), undefined, `${Origin}: ${reply}`);
      (await from.get('/widget/settings')).refused(403, 'PERMISSIONS_DENIED');
    }
    (await desk.anyone.get('/widget/settings')).refused(403, 'PERMISSIONS_DENIED');
    assert.equal(allowed(await preflight(desk, '/conversations', 'https://gone.example', 'POST')), 'https://gone.example');
    await desk.owner.update(`/brands/${brand}/widget`, { origins: [] });
    await known(desk, 'https://gone.example', 403);
    assert.equal(allowed(await preflight(desk, '/conversations', 'https://gone.example', 'POST')), undefined);
  });

  test('a page of a listed origin has no credentials: a cookie is ignored, the others are refused', async () => {
    const { desk, page } = world;
    for (const role of ['owner', 'agent', 'customer']) {
      const { id, csrf } = await desk.session(desk.as(role)), { Authorization } = desk.as(role).headers;
      for (const more of [{}, { 'Sec-Fetch-Site': 'cross-site' }]) {
        const from = page().with({ Cookie: `desk_session=${id}`, ...more });
        assert.equal((await from.get('/conversations')).must(200).body.total_count, 0, 'as without the cookie');
        for (const path of ['/me', '/cases', '/profile', '/users']) (await from.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
        (await from.put('/profile', { designation: 'x' })).refused(401, 'AUTHORIZATION_REQUIRED');
        const made = await from.create('/conversations', { ...ANN, email: 'else@home.example' });
        const [person] = await desk.owner.fetch('/users', { email: 'else@home.example' });
        assert.equal((await desk.owner.fetch(`/cases/${made.id}`)).requester.id, person.id, 'the person of the cookie is not the requester');
      }
      const refused = [{ Authorization }, { Authorization: 'Bearer x' }, { 'X-Session-ID': id }, { 'X-Session-ID': id, 'X-CSRF-Token': csrf }, { Cookie: `desk_session=${id}`, 'X-CSRF-Token': csrf }, { 'X-Token': 'x' }, { 'X-OTP': '1' }, { 'X-RememberMe': 'x' }, { 'X-Passkey': 'x' }];
      for (const more of refused) {
        for (const path of ['/conversations', '/me', '/widget/settings']) {
          const reply = (await page().with(more).get(path)).refused(403, 'PERMISSIONS_DENIED');
          assert.equal(reply.headers['x-csrf-token'], undefined);
        }
        (await page().with(more).put('/profile', { designation: 'x' })).refused(403, 'PERMISSIONS_DENIED');
      }
      for (const name of ['_session_id', '_token', '_otp', '_remember_me']) (await page().get('/conversations', { [name]: id })).refused(403, 'PERMISSIONS_DENIED');
      assert.equal((await desk.owner.fetch(`/users/${desk.people[role].id}`)).designation, null);
    }
  });

  test('an origin that owners trust already keeps what it has', async () => {
    const { desk } = world;
    await world.brand('Both', ['https://both.example']);
    await desk.owner.update('/settings', { values: { 'security.cors_origins': 'https://both.example' } });
    const { id } = await desk.session(desk.customer);
    const reply = (await desk.anyone.with({ Origin: 'https://both.example', 'X-Session-ID': id }).get('/me')).must(200);
    assert.deepEqual([allowed(reply), reply.headers['access-control-allow-credentials']], ['https://both.example', 'true']);
    (await desk.anyone.with({ Origin: 'https://both.example' }).get('/widget/settings')).must(200);
    await desk.owner.update('/settings', { values: { 'security.cors_origins': '*' } });
    const site = await desk.anyone.with({ Origin: SITE }).get('/widget/settings');
    assert.deepEqual([allowed(site), site.headers['access-control-allow-credentials']], [SITE, undefined]);
    (await desk.anyone.with({ Origin: SITE, 'X-Session-ID': id }).get('/me')).refused(403, 'PERMISSIONS_DENIED');
    await desk.owner.update('/settings', { values: { 'security.cors_origins': '' } });
  });

  test('an origin of a brand gets only conversations of this brand', async () => {
    const { desk, second, page } = world;
    const print = randomUUID(), one = page(SITE, print), two = page(OTHER, print), key = { headers: { 'Idempotency-Key': 'k' } };
    const made = (await one.post('/conversations', ANN, key)).must(201), mine = made.data;
    const theirs = (await two.post('/conversations', ANN, key)).must(201).data;
    assert.notEqual(mine.id, theirs.id, 'a key of the page of another brand is another key');
    assert.deepEqual([(await desk.owner.fetch(`/cases/${mine.id}`)).brand.id, (await desk.owner.fetch(`/cases/${theirs.id}`)).brand.id], [1, second]);
    assert.deepEqual([(await one.get('/conversations')).ids, (await two.get('/conversations')).ids], [[mine.id], [theirs.id]]);
    assert.equal((await one.get('/conversations')).body.total_count, 1);
    const message = await desk.staff.create(`/conversations/${mine.id}/messages`, { contents: 'On its way' });
    for (const path of ['', '/messages', `/messages/${message.id}`, '/ratings']) {
      (await two.get(`/conversations/${mine.id}${path}`)).refused(404, 'RESOURCE_NOT_FOUND');
      (await one.get(`/conversations/${mine.id}${path}`)).must(200);
    }
    (await two.post(`/conversations/${mine.id}/messages`, { contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await two.post(`/conversations/${mine.id}/ratings`, { score: 'GOOD' })).refused(404, 'RESOURCE_NOT_FOUND');
    const token = made.headers['x-request-token'];
    (await desk.anyone.with({ Origin: SITE }).get(`/conversations/${mine.id}`, { token })).must(200);
    (await desk.anyone.with({ Origin: OTHER }).get(`/conversations/${mine.id}`, { token })).refused(404, 'RESOURCE_NOT_FOUND');
    const seen = (await one.get(`/conversations/${mine.id}/messages`, { include: '*' })).must(200);
    for (const word of ['agent@example.com', 'owner@example.com', `"id":${desk.people.agent.id},`]) assert.ok(!seen.text.includes(word), word);
  });

  test('a page writes, replies with a file and rates', async () => {
    const { desk, page } = world;
    const who = page(), { id } = await who.create('/conversations', multipart({ ...ANN, source: 'MESSENGER', file: new File('a.txt', 'text/plain', Buffer.from('first')) }));
    const answer = await desk.staff.create(`/conversations/${id}/messages`, { contents: 'On its way' });
    const sent = (await who.post(`/conversations/${id}/messages`, multipart({ contents: 'See this', client_id: 'w-1', file: new File('b.txt', 'text/plain', Buffer.from('second')) }))).must(201);
    assert.equal(allowed(sent), SITE);
    assert.equal((await who.create(`/conversations/${id}/messages`, { contents: 'See this', client_id: 'w-1' })).id, sent.data.id);
    const [last] = await who.fetch(`/conversations/${id}/messages`, { include: 'attachment' });
    const file = await who.exchange('GET', `/api/v1/conversations/${id}/messages/${last.id}/attachments/${last.attachments[0].id}/download`);
    assert.deepEqual([file.status, file.text, allowed(file)], [200, 'second', SITE]);
    (await who.put(`/conversations/${id}/messages/${answer.id}`, { message_status: 'SEEN' })).must(200);
    assert.equal((await who.post(`/conversations/${id}/ratings`, { score: 'GOOD', comment: 'Thanks' })).must(200).data.score, 'GOOD');
  });

  test('settings of the widget are public, can be kept and name no secret of the desk', async () => {
    const { desk } = world, Origin = 'https://look.example', id = await world.brand('Look', [Origin], { color: '#0B4FC4', theme: 'CALM' });
    await desk.owner.update(`/brands/${id}/widget`, { greeting: 'Hello there', is_anonymous_allowed: false });
    const reply = (await desk.anyone.with({ Origin }).get('/widget/settings')).must(200);
    assert.equal(reply.headers['cache-control'], 'public, max-age=60');
    assert.match(reply.headers.vary, /\bOrigin\b/);
    const { name, color, theme, logo, greeting, locale, is_anonymous_allowed, max_file_megabytes, helpcenter_url, locales } = reply.data;
    assert.deepEqual({ name, color, theme, logo, greeting, locale, is_anonymous_allowed, max_file_megabytes, helpcenter_url }, { name: 'Look', color: '#0b4fc4', theme: 'CALM', logo: null, greeting: 'Hello there', locale: 'en-us', is_anonymous_allowed: false, max_file_megabytes: 20, helpcenter_url: `${BASE}/helpcenter` });
    assert.ok(locales.includes('en-us'));
    (await world.page(Origin).post('/conversations', ANN)).refused(403, 'PERMISSIONS_DENIED');
    await desk.owner.update(`/brands/${id}`, { is_enabled: false });
    await known(desk, Origin, 403);
    await desk.owner.update(`/brands/${id}`, { is_enabled: true });
    await known(desk, Origin);
    (await desk.owner.delete(`/brands/${id}`)).must(200);
    await known(desk, Origin, 403);
  });

  test('a page finds and reads only public articles of its brand and of all brands', async () => {
    const { desk, second, page } = world;
    const made = {};
    for (const [name, brand_id, visibility] of [['mine', 1, 'PUBLIC'], ['theirs', second, 'PUBLIC'], ['everybodys', null, 'PUBLIC'], ['hidden', 1, 'AGENTS']]) {
      const category = await desk.owner.create('/categories', { titles: name, brand_id });
      const section = await desk.owner.create('/sections', { titles: name, category_id: category.id, visibility });
      made[name] = (await desk.owner.create('/articles', { titles: `Turbine ${name}`, contents: 'turbine', section_id: section.id, status: 'PUBLISHED' })).id;
    }
    const found = async (query) => (await page().fetch('/helpcenter/search', { query: 'turbine', ...query })).map(({ original }) => original.id).sort((a, b) => a - b);
    await until('the index', async () => (await found({})).length >= 2);
    for (const query of [{}, { brand_id: second }]) assert.deepEqual(await found(query), [made.mine, made.everybodys]);
    assert.deepEqual((await page().fetch('/helpcenter/search/suggestions', { query: 'turb' })).map(({ original }) => original.id).sort((a, b) => a - b), [made.mine, made.everybodys]);
    for (const name of ['mine', 'everybodys']) assert.equal(allowed((await page().get(`/articles/${made[name]}`)).must(200)), SITE);
    for (const name of ['theirs', 'hidden']) (await page().get(`/articles/${made[name]}`)).refused(404, 'RESOURCE_NOT_FOUND');
    const listed = (await page().get('/articles', { include: '*' })).must(200);
    assert.deepEqual([...listed.ids].sort((a, b) => a - b), [made.mine, made.everybodys]);
    assert.ok(!listed.text.includes('theirs') && !listed.text.includes('hidden'));
    (await page().post(`/articles/${made.mine}/upvote`)).must(200);
    (await page().post(`/articles/${made.theirs}/upvote`)).refused(404, 'RESOURCE_NOT_FOUND');
  });
});

test('conversations of a page are limited by the address of the visitor, which the page can read', async (t) => {
  const own = { desk: await open(t, { base: BASE, args: ['--public-writes', '3'] }) };
  await widgets(own);
  const { page } = own;
  const who = page();
  for (let i = 0; i < 3; i++) (await who.post('/conversations', {})).must(400);
  const reply = await who.post('/conversations', ANN);
  reply.refused(429, 'RATE_LIMIT_REACHED');
  assert.equal(allowed(reply), SITE);
  assert.ok(Number(reply.headers['retry-after']) > 0);
  (await page().post('/conversations', ANN)).must(201);
});

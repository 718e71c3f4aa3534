// Endpoints: the resource (docs/RULES.md, "Endpoints"). outgoing.test.mjs tests what is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const HTTP = { url: 'https://example.com/hook?a=1', method: 'PUT', content_type: 'application/xml', use_auth: true, auth_username: 'desk', auth_password: 'geheim' };
const attributes = (endpoint) => Object.fromEntries(endpoint.attributes.map(({ name, value }) => [name, value]));

test('an endpoint of each type is created, shown, changed and deleted', async (t) => {
  const desk = await open(t);
  const http = await desk.admin.create('/endpoints', { title: 'Hook', type: 'HTTP', attributes: HTTP });
  assert.match(http.signing_secret, /^[0-9a-f]{64}$/);
  assert.deepEqual(attributes(http), { ...HTTP, auth_password: '' });
  assert.deepEqual([http.title, http.type, http.is_enabled, http.former_secret_until, http.last_attempt_result, http.last_attempt_message, http.last_attempt_at],
    ['Hook', 'HTTP', true, null, null, null, null]);
  const mail = await desk.admin.create('/endpoints', { title: 'Box', type: 'email', is_enabled: false, attributes: { address: 'team@example.org', subject: 'News' } });
  assert.deepEqual([attributes(mail), mail.is_enabled, mail.signing_secret], [{ address: 'team@example.org', subject: 'News' }, false, null]);
  const slack = await desk.admin.create('/endpoints', { title: 'Room', type: 'SLACK', attributes: { webhook_url: 'https://hooks.slack.com/services/T/B/x' } });
  assert.deepEqual(attributes(slack), { webhook_url: 'https://hooks.slack.com/services/T/B/x', channel: null });
  const bare = await desk.admin.create('/endpoints', { title: 'Bare', type: 'HTTP', attributes: { url: 'http://example.com' } });
  assert.deepEqual(attributes(bare), { url: 'http://example.com', method: 'POST', content_type: 'application/json', use_auth: false, auth_username: null, auth_password: '' });
  assert.deepEqual((await desk.admin.fetch('/endpoints')).map(({ id, signing_secret }) => [id, signing_secret]), [http, mail, slack, bare].map(({ id }) => [id, null]));
  assert.deepEqual((await desk.admin.fetch('/endpoints', { type: 'SLACK' })).map(({ id }) => id), [slack.id]);
  const changed = await desk.admin.update(`/endpoints/${slack.id}`, { title: 'Hall', is_enabled: false, attributes: { channel: '#hall' } });
  assert.deepEqual([changed.title, changed.is_enabled, attributes(changed)], ['Hall', false, { webhook_url: 'https://hooks.slack.com/services/T/B/x', channel: '#hall' }]);
  (await desk.admin.delete(`/endpoints/${mail.id}`)).must(200);
  (await desk.admin.get(`/endpoints/${mail.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await desk.admin.delete('/endpoints', { ids: [slack.id, bare.id] })).must(200).body.total_count, 2);
  assert.deepEqual((await desk.admin.fetch('/endpoints')).map(({ id }) => id), [http.id]);
});

test('a boolean attribute has the spellings of a boolean, and texts may be as long as their bounds', async (t) => {
  const desk = await open(t), url = 'https://example.com/';
  const { id } = await desk.admin.create('/endpoints', { title: 'a', type: 'HTTP', attributes: { url, auth_username: 'ada' } });
  for (const [given, shown] of [['1', true], ['', false], ['TRUE', true], ['0', false], [true, true], ['False', false], [1, true], [false, false]])
    assert.equal(attributes(await desk.admin.update(`/endpoints/${id}`, { attributes: { use_auth: given } })).use_auth, shown, JSON.stringify(given));
  for (const given of ['yes', '2', 'on', [1], {}]) (await desk.admin.put(`/endpoints/${id}`, { attributes: { use_auth: given } })).refused(400, 'FIELD_INVALID', 'attributes/use_auth');
  const long = `${url}${'a'.repeat(2048 - url.length)}`, most = { url: long, auth_username: 'a'.repeat(255), auth_password: 'a'.repeat(1024) };
  const kept = attributes(await desk.admin.update(`/endpoints/${id}`, { attributes: most }));
  assert.deepEqual([kept.url, kept.auth_username], [long, most.auth_username]);
  (await desk.admin.put(`/endpoints/${id}`, { attributes: { url: `${long}a` } })).refused(400, 'FIELD_INVALID', 'attributes/url');
  const slack = await desk.admin.create('/endpoints', { title: 'a', type: 'SLACK', attributes: { webhook_url: url, channel: 'c'.repeat(80) } });
  assert.equal(attributes(slack).channel.length, 80);
  (await desk.admin.put(`/endpoints/${slack.id}`, { attributes: { url } })).refused(400, 'FIELD_INVALID', 'attributes/url');
});

test('each invalid attribute is named with its pointer', async (t) => {
  const desk = await open(t);
  const bad = async (type, given, code, ...names) => {
    const reply = await desk.admin.post('/endpoints', { title: 'a', type, attributes: given });
    assert.deepEqual([reply.status, reply.body.errors?.map((e) => [e.code, e.pointer])], [400, names.map((name) => [code, `attributes/${name}`])], JSON.stringify(given));
  };
  (await desk.admin.post('/endpoints', {})).refused(400, 'FIELD_REQUIRED', 'title', 'type');
  await bad('HTTP', {}, 'FIELD_REQUIRED', 'url');
  await bad('EMAIL', { subject: 'x' }, 'FIELD_REQUIRED', 'address');
  await bad('SLACK', { webhook_url: '' }, 'FIELD_REQUIRED', 'webhook_url');
  await bad('HTTP', { url: 'https://example.com', use_auth: true }, 'FIELD_REQUIRED', 'auth_username');
  for (const url of ['ftp://example.com', 'file:///etc/passwd', 'example.com', 'http:/example.com', 'https://', 'https://ada:secret@example.com', 'https://ada@example.com', 'https://example.com/#part',
    'https://example.com/a b', 'https://example.com/\r\nX-Evil: 1', 'https://exämple.com', 'https://example.com:99999', 'https://example.com:0', 'http://example.com:22/', 'http://example.com:00022', 'https://example.com:25', 'http://example.com:6667', `https://example.com/${'a'.repeat(2040)}`, ['https://example.com'], { a: 1 },
    'http://127.0.0.1', 'http://localhost:8080/x', 'http://LOCALHOST', 'http://10.1.2.3', 'http://172.31.0.1', 'http://192.168.1.1', 'http://169.254.169.254/latest', 'http://100.64.0.1', 'http://0.0.0.0', 'http://0',
    'http://2130706433', 'http://0x7f.1', 'http://0177.0.0.1', 'http://[::1]', 'http://[::]', 'http://[::ffff:127.0.0.1]', 'http://[fe80::1]', 'http://[fd00::1]', 'http://[64:ff9b::7f00:1]', 'http://[2002:7f00:1::]',
    'http://224.0.0.1', 'http://[ff02::1]', 'http://255.255.255.255', 'http://127.0.0.1./', 'http://desk.localhost', 'http://localhost./']) {
    await bad('HTTP', { url }, 'FIELD_INVALID', 'url');
    await bad('SLACK', { webhook_url: url }, 'FIELD_INVALID', 'webhook_url');
  }
  const url = 'https://example.com';
  await bad('HTTP', { url, method: 'HEAD', content_type: 'text/html', use_auth: 'maybe' }, 'FIELD_INVALID', 'method', 'content_type', 'use_auth');
  await bad('HTTP', { url, content_type: 'text/plain\r\nX-Evil: 1' }, 'FIELD_INVALID', 'content_type');
  await bad('HTTP', { url, auth_username: 'a:b' }, 'FIELD_INVALID', 'auth_username');
  await bad('HTTP', { url, auth_username: 'a\nb', auth_password: 'a\r\nb' }, 'FIELD_INVALID', 'auth_username', 'auth_password');
  await bad('HTTP', { url, auth_username: 'a'.repeat(256), auth_password: 'a'.repeat(1025) }, 'FIELD_INVALID', 'auth_username', 'auth_password');
  await bad('HTTP', { url, address: 'a@example.com', colour: 'red' }, 'FIELD_INVALID', 'address', 'colour');
  await bad('EMAIL', { address: 'nobody', subject: 'a\r\nBcc: b@example.com' }, 'FIELD_INVALID', 'address', 'subject');
  await bad('SLACK', { webhook_url: url, channel: 'a'.repeat(81) }, 'FIELD_INVALID', 'channel');
  assert.deepEqual(await desk.admin.fetch('/endpoints'), []);
  const made = await desk.admin.create('/endpoints', { title: 'a', type: 'HTTP', attributes: { url } });
  (await desk.admin.put(`/endpoints/${made.id}`, { attributes: { url: null } })).refused(400, 'FIELD_REQUIRED', 'attributes.url');
  const kept = await desk.admin.update(`/endpoints/${made.id}`, { type: 'SLACK' });
  assert.equal(kept.type, 'HTTP');
});

test('an owner may allow private addresses; an admin may not', async (t) => {
  const desk = await open(t);
  const values = { 'endpoints.allow_private_addresses': true };
  (await desk.admin.put('/settings', { values })).refused(403, 'PERMISSIONS_DENIED', 'values.endpoints.allow_private_addresses');
  (await desk.owner.put('/settings', { values })).must(200);
  await desk.admin.create('/endpoints', { title: 'a', type: 'HTTP', attributes: { url: 'http://127.0.0.1:10/' } });
});

test('a change of the url deletes the password, unless the request sends it', async (t) => {
  const desk = await open(t);
  const { id } = await desk.admin.create('/endpoints', { title: 'Hook', type: 'HTTP', attributes: HTTP });
  const password = () => desk.sql(`SELECT COALESCE(auth_password, 'none') FROM endpoints WHERE id = ${id}`).trim();
  const put = (given) => desk.admin.put(`/endpoints/${id}`, { attributes: given }).then((reply) => reply.must(200));
  const first = password();
  assert.ok(first !== 'none' && !first.includes('geheim') && !Buffer.from(first, 'hex').includes('geheim'), 'the password is stored encrypted');
  await put({ url: HTTP.url, auth_password: '', method: 'POST' });
  assert.equal(password(), first);
  const forgot = await put({ url: 'https://example.net/' });
  assert.equal(password(), 'none');
  assert.match(JSON.stringify(forgot.body.logs), /auth_password was deleted/);
  await put({ auth_password: 'neu' });
  const second = password();
  assert.notEqual(second, 'none');
  await put({ url: 'https://example.org/', auth_password: 'neu' });
  assert.ok(![second, 'none'].includes(password()));
  await put({ auth_password: null });
  assert.equal(password(), 'none');
  const log = JSON.stringify((await desk.admin.fetch('/changes', { limit: 1000 })).filter((entry) => entry.resource_type === 'endpoint'));
  assert.ok(log.includes('auth_password') && !log.includes('geheim') && !log.includes('neu"'), 'the change log names the password only');
});

test('a secret is shown once; the former one ends after the chosen hours', async (t) => {
  const desk = await open(t);
  const { id, signing_secret: first } = await desk.admin.create('/endpoints', { title: 'Hook', type: 'HTTP', attributes: { url: 'https://example.com' } });
  const second = (await desk.admin.post(`/endpoints/${id}/secret`, {})).must(200).data;
  assert.match(second.signing_secret, /^[0-9a-f]{64}$/);
  assert.notEqual(second.signing_secret, first);
  assert.equal(Date.parse(second.former_secret_until), desk.clock.now + 24 * 3_600_000);
  assert.equal((await desk.admin.fetch(`/endpoints/${id}`)).signing_secret, null);
  const third = (await desk.admin.post(`/endpoints/${id}/secret`, { former_hours: 0 })).must(200).data;
  assert.equal(third.former_secret_until, null);
  for (const former_hours of [-1, 169, 'x']) (await desk.admin.post(`/endpoints/${id}/secret`, { former_hours })).refused(400, 'FIELD_INVALID', 'former_hours');
  const replayed = () => desk.admin.post(`/endpoints/${id}/secret`, {}, { headers: { 'Idempotency-Key': 'once' } });
  assert.deepEqual([(await replayed()).data.signing_secret !== null, (await replayed()).data.signing_secret], [true, null]);
  const slack = await desk.admin.create('/endpoints', { title: 'Room', type: 'SLACK', attributes: { webhook_url: 'https://example.com' } });
  (await desk.admin.post(`/endpoints/${slack.id}/secret`, {})).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
});

test('only admins and owners see endpoints, and writers need endpoints.manage', async (t) => {
  const desk = await open(t);
  const { id } = await desk.admin.create('/endpoints', { title: 'Hook', type: 'HTTP', attributes: { url: 'https://example.com' } });
  const calls = (client) => [client.get('/endpoints'), client.get(`/endpoints/${id}`), client.post('/endpoints', {}), client.put(`/endpoints/${id}`, {}), client.delete(`/endpoints/${id}`),
    client.post(`/endpoints/${id}/secret`, {})];
  for (const role of ['agent', 'collaborator', 'customer']) for (const reply of await Promise.all(calls(desk.as(role)))) reply.refused(403, 'PERMISSIONS_DENIED');
  for (const reply of await Promise.all(calls(desk.anyone))) reply.refused(401, 'AUTHORIZATION_REQUIRED');
  await desk.owner.fetch(`/endpoints/${id}`);
  (await desk.owner.put('/roles/1/permissions', { 'endpoints.manage': false })).must(200);
  const [list, one, ...writes] = await Promise.all(calls(desk.admin));
  list.must(200);
  one.must(200);
  for (const reply of writes) reply.refused(403, 'PERMISSIONS_DENIED');
});

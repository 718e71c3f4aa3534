// Deliveries to endpoints: what is sent, to whom, and when (docs/RULES.md, "Endpoints").
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import net from 'node:net';
import { test } from 'node:test';
import { DAY, HOUR, SECOND, allowPrivate, attempted, attempts, defer, delivered, hook, hooked, open, relayFor, tested, until } from './lib/index.mjs';

const hmac = (secret, t, body) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');

/** Verifies a signature as a receiver does. Returns its parts. */
function verified(request, ...secrets) {
  const parts = request.headers['x-desk-signature'].split(',').map((part) => part.split('='));
  const [[name, t], ...signatures] = parts;
  assert.equal(name, 't');
  assert.deepEqual(signatures, secrets.map((secret) => ['v1', hmac(secret, t, request.text)]));
  return Number(t);
}

/** A desk that may send to 127.0.0.1, and a hook. */
async function sending(t, answer, settings) {
  const desk = await open(t);
  const to = await hook(t, answer);
  await allowPrivate(desk, settings);
  return { desk, to };
}

test('a test is sent once, signed, with Basic authentication, and its attempt is logged', async (t) => {
  const { desk, to } = await sending(t);
  const endpoint = await hooked(desk, to.url, { use_auth: true, auth_username: 'ada', auth_password: 'geheim' });
  const made = await tested(desk, endpoint);
  assert.deepEqual([made.endpoint.id, made.case, made.status, made.attempts, made.cause], [endpoint.id, null, 'PENDING', 0, null]);
  const done = await delivered(desk, made);
  assert.deepEqual([done.attempts, done.next_attempt_at, to.requests.length], [1, null, 1]);
  const [request] = to.requests;
  assert.deepEqual([request.method, request.path, request.headers['content-type'], request.headers.authorization], ['POST', '/hook', 'application/json', `Basic ${btoa('ada:geheim')}`]);
  assert.equal(request.headers['x-desk-event'], made.event_id);
  assert.equal(verified(request, endpoint.signing_secret), Math.floor(desk.clock.now / 1000));
  assert.deepEqual([request.json.id, request.json.endpoint_id, request.json.case, request.json.message], [made.event_id, endpoint.id, null, null]);
  const attempt = await attempted(desk, endpoint, 1);
  assert.deepEqual([attempt.delivery.id, attempt.result, attempt.status_code, attempt.message, typeof attempt.duration], [made.id, 'SUCCESS', 200, 'The server answered 200.', 'number']);
  const shown = await desk.admin.fetch(`/endpoints/${endpoint.id}`);
  assert.deepEqual([shown.last_attempt_result, shown.last_attempt_message, Date.parse(shown.last_attempt_at), shown.updated_at], ['SUCCESS', 'The server answered 200.', desk.clock.now, endpoint.updated_at]);
  assert.equal((await desk.admin.fetch(`/endpoints/${endpoint.id}/deliveries/${made.id}`, { fields: '+body' })).body, request.text);
});

test('both secrets sign during a rotation, and the former one no more when its time is over', async (t) => {
  const { desk, to } = await sending(t);
  const endpoint = await hooked(desk, to.url);
  const { signing_secret: second } = (await desk.admin.post(`/endpoints/${endpoint.id}/secret`, { former_hours: 2 })).must(200).data;
  await tested(desk, endpoint);
  verified(await to.received(1), second, endpoint.signing_secret);
  await desk.clock.forward(2 * HOUR);
  await tested(desk, endpoint);
  verified(await to.received(2), second);
});

test('a GET has no body, and its signature is that of an empty one', async (t) => {
  const { desk, to } = await sending(t);
  const endpoint = await hooked(desk, `${to.url}?source=desk`, { method: 'GET' });
  await tested(desk, endpoint);
  const request = await to.received(1);
  assert.deepEqual([request.method, request.path, request.text, request.headers['content-type'], request.headers['transfer-encoding']], ['GET', '/hook?source=desk', '', undefined, undefined]);
  verified(request, endpoint.signing_secret);
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    await desk.admin.update(`/endpoints/${endpoint.id}`, { attributes: { method, content_type: 'application/json' } });
    const made = await tested(desk, endpoint);
    await delivered(desk, made);
    assert.deepEqual([to.requests.at(-1).method, to.requests.at(-1).json.id], [method, made.event_id]);
  }
});

test('a failed delivery is tried again with growing delays for a day, with the same event id, and then given up', async (t) => {
  const { desk, to } = await sending(t, (response) => { response.statusCode = 500; response.end('no'); });
  const endpoint = await hooked(desk, to.url);
  const made = await tested(desk, endpoint);
  const began = desk.clock.now;
  const delays = [];
  for (let n = 1; ; n++) {
    await to.received(n);
    const now = await until(`attempt ${n} is stored`, async () => {
      const found = await desk.admin.fetch(`/endpoints/${endpoint.id}/deliveries/${made.id}`);
      return found.attempts === n && found;
    });
    if (now.status === 'FAILED') break;
    assert.equal(now.status, 'PENDING');
    delays.push((Date.parse(now.next_attempt_at) - desk.clock.now) / 1000);
    await desk.clock.forward(delays.at(-1));
  }
  assert.deepEqual(delays.slice(0, 9), [15, 15, 30, 60, 120, 240, 480, 960, 1920]);
  assert.ok(delays.slice(9).every((s) => s === 3600) && desk.clock.now - began >= DAY * 1000 && desk.clock.now - began < (DAY + HOUR) * 1000);
  assert.equal(new Set(to.requests.map((r) => r.headers['x-desk-event'])).size, 1);
  const times = to.requests.map((request) => verified(request, endpoint.signing_secret));
  assert.deepEqual(times, [...times].sort((a, b) => a - b), 'each attempt is signed at its own time');
  const shown = await desk.admin.fetch(`/endpoints/${endpoint.id}`);
  assert.deepEqual([shown.last_attempt_result, shown.last_attempt_message], ['FAILURE', 'The server answered 500. A status from 200 to 299 is expected.']);
  assert.equal((await attempts(desk, endpoint, { delivery_id: made.id, result: 'FAILURE', limit: 100 })).length, to.requests.length);
});

test('Retry-After of the server delays the next attempt', async (t) => {
  const { desk, to } = await sending(t, (response) => { response.writeHead(429, { 'Retry-After': '600' }); response.end(); });
  const endpoint = await hooked(desk, to.url);
  const made = await tested(desk, endpoint);
  await attempted(desk, endpoint, 1);
  const now = await desk.admin.fetch(`/endpoints/${endpoint.id}/deliveries/${made.id}`);
  assert.equal(Date.parse(now.next_attempt_at) - desk.clock.now, 600_000);
});

test('a status from 200 to 299 is a success, and the message of another one says what it is', async (t) => {
  let status;
  const { desk, to } = await sending(t, (response) => { response.writeHead(status, { Location: '/' }); response.end(); });
  const endpoint = await hooked(desk, to.url), expected = ' A status from 200 to 299 is expected.', redirect = ' Redirects are not followed: set the url to the new address.';
  let n = 0;
  for (const [code, result, more] of [[200, 'SUCCESS', ''], [204, 'SUCCESS', ''], [299, 'SUCCESS', ''], [300, 'FAILURE', redirect], [399, 'FAILURE', redirect], [400, 'FAILURE', expected], [599, 'FAILURE', expected]]) {
    status = code;
    await tested(desk, endpoint);
    const attempt = await attempted(desk, endpoint, ++n);
    assert.deepEqual([attempt.result, attempt.status_code, attempt.message], [result, code, `The server answered ${code}.${more}`]);
  }
  assert.equal((await desk.admin.fetch(`/endpoints/${endpoint.id}`)).last_attempt_result, 'FAILURE');
});

test('Retry-After makes no delay shorter than that of a failure, and none longer than an hour', async (t) => {
  let after;
  const { desk, to } = await sending(t, (response) => { response.writeHead(503, { 'Retry-After': after }); response.end(); });
  let n = 0;
  for (const [header, seconds] of [['5', 15], ['16', 16], ['0', 15], ['7200', 3600], ['86400', 3600], ['999999999', 3600], ['-5', 15], ['soon', 15]]) {
    after = header;
    const endpoint = await hooked(desk, to.url), made = await tested(desk, endpoint);
    await attempted(desk, endpoint, 1);
    const { next_attempt_at } = await desk.admin.fetch(`/endpoints/${endpoint.id}/deliveries/${made.id}`);
    assert.deepEqual([header, (Date.parse(next_attempt_at) - desk.clock.now) / 1000, to.requests.length], [header, seconds, ++n]);
  }
});

test('a request names the desk, has no credentials but the given ones, and passes by the proxies of the environment', async (t) => {
  const proxy = await hook(t), to = await hook(t);
  const desk = await open(t, { env: { http_proxy: proxy.url, HTTP_PROXY: proxy.url, all_proxy: proxy.url, ALL_PROXY: proxy.url, no_proxy: '', NO_PROXY: '' } });
  await allowPrivate(desk);
  await delivered(desk, await tested(desk, await hooked(desk, to.url, { auth_username: 'ada', auth_password: 'geheim' })));
  const { headers } = to.requests[0];
  assert.match(headers['user-agent'], /^deskd\/\d+\.\d+/);
  assert.deepEqual([headers.authorization, headers.expect, headers['content-length'], proxy.requests.length], [undefined, undefined, String(Buffer.byteLength(to.requests[0].text)), 0]);
  const slack = await desk.admin.create('/endpoints', { title: 'Slack', type: 'SLACK', attributes: { webhook_url: to.url } });
  await delivered(desk, await tested(desk, slack));
  assert.deepEqual([to.requests[1].method, to.requests[1].headers['x-desk-signature'], to.requests[1].headers['content-type']], ['POST', undefined, 'application/json']);
});

test('the message of a failed attempt says why there was no reply', async (t) => {
  const silent = await rawServer(t, () => {}), endless = await rawServer(t, (socket) => socket.write(`HTTP/1.1 200 OK\r\n${`X-Long: ${'a'.repeat(900)}\r\n`.repeat(100)}`));
  const desk = await open(t);
  await allowPrivate(desk, { 'endpoints.timeout_seconds': 1 });
  const said = async (url) => { const endpoint = await hooked(desk, url); await tested(desk, endpoint); const { message, duration } = await attempted(desk, endpoint, 1); return [message, duration >= 900]; };
  assert.deepEqual(await said(silent.url), ['There was no complete reply within 1 s.', true]);
  assert.deepEqual((await said(endless.url))[0], 'The head of the reply is longer than 32 KiB.');
});

test('a replay sends a delivery again with its event id and body, and is refused while it waits', async (t) => {
  let status = 200;
  const { desk, to } = await sending(t, (response) => { response.statusCode = status; response.end(); });
  const endpoint = await hooked(desk, to.url);
  const made = await tested(desk, endpoint);
  await delivered(desk, made);
  status = 503;
  const path = `/endpoints/${endpoint.id}/deliveries/${made.id}/replay`;
  const again = (await desk.admin.post(path, {})).must(200).data;
  assert.deepEqual([again.status, again.event_id], ['PENDING', made.event_id]);
  await attempted(desk, endpoint, 2);
  (await desk.admin.post(path, {})).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  status = 204;
  await desk.clock.forward(15 * SECOND);
  await delivered(desk, made);
  assert.deepEqual(to.requests.map((r) => [r.headers['x-desk-event'], r.text]), Array(3).fill([made.event_id, to.requests[0].text]));
  const other = await hooked(desk, to.url);
  (await desk.admin.post(`/endpoints/${other.id}/deliveries/${made.id}/replay`, {})).refused(404, 'RESOURCE_NOT_FOUND');
  for (const [client, code, name] of [[desk.staff, 403, 'PERMISSIONS_DENIED'], [desk.customer, 403, 'PERMISSIONS_DENIED'], [desk.anyone, 401, 'AUTHORIZATION_REQUIRED']]) {
    for (const at of ['deliveries', `deliveries/${made.id}`, 'attempts']) (await client.get(`/endpoints/${endpoint.id}/${at}`)).refused(code, name);
    (await client.post(path, {})).refused(code, name);
    (await client.post(`/endpoints/${endpoint.id}/test`, {})).refused(code, name);
  }
});

test('a redirect is not followed', async (t) => {
  const inside = await hook(t);
  const { desk, to } = await sending(t, (response) => { response.writeHead(307, { Location: inside.url }); response.end(); });
  const endpoint = await hooked(desk, to.url);
  await tested(desk, endpoint);
  const attempt = await attempted(desk, endpoint, 1);
  assert.deepEqual([attempt.result, attempt.status_code, attempt.message], ['FAILURE', 307, 'The server answered 307. Redirects are not followed: set the url to the new address.']);
  assert.equal(inside.requests.length, 0);
});

test('the port of a service that does not speak HTTP is refused when the delivery is sent, also if the endpoint was saved before', async (t) => {
  const { desk, to } = await sending(t);
  const endpoint = await hooked(desk, to.url);
  desk.sql(`UPDATE endpoints SET url = 'http://127.0.0.1:6667/hook' WHERE id = ${endpoint.id}`);
  await tested(desk, endpoint);
  const attempt = await attempted(desk, endpoint, 1);
  assert.deepEqual([attempt.result, attempt.message], ['FAILURE', 'The port is one of a service that does not speak HTTP. Change the address of the endpoint.']);
});

test('a private address is refused when the delivery is sent, also if it was allowed when the endpoint was saved', async (t) => {
  const { desk, to } = await sending(t);
  const endpoint = await hooked(desk, to.url);
  await delivered(desk, await tested(desk, endpoint)); // leaves an open connection
  await allowPrivate(desk, { 'endpoints.allow_private_addresses': false });
  await tested(desk, endpoint);
  const attempt = await attempted(desk, endpoint, 2);
  assert.deepEqual([attempt.result, attempt.status_code, to.requests.length], ['FAILURE', null, 1]);
  assert.match(attempt.message, /^127\.0\.0\.1 is an address of this machine/);
});

test('a reply without end is cut: its status decides, and its bytes are not read', async (t) => {
  for (const [status, result] of [[200, 'SUCCESS'], [500, 'FAILURE']]) {
    let sent = 0;
    const { desk, to } = await sending(t, (response) => {
      const chunk = Buffer.alloc(65_536, 'a');
      response.writeHead(status, { 'Content-Length': 2 ** 30 });
      const more = () => { while (!response.destroyed && sent < 2 ** 30) { sent += chunk.length; if (!response.write(chunk)) { response.once('drain', more); return; } } };
      more();
    });
    const endpoint = await hooked(desk, to.url);
    await tested(desk, endpoint);
    const attempt = await attempted(desk, endpoint, 1);
    assert.deepEqual([attempt.result, attempt.status_code], [result, status]);
    await until('the connection is closed', () => to.open === 0);
    assert.ok(sent < 2 ** 26, `the server could send ${sent} bytes`);
  }
});

/** A server that writes raw bytes to each connection: `talk(socket)` is called when a request begins. */
async function rawServer(t, talk) {
  const sockets = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.once('data', () => talk(socket));
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  defer(t, () => new Promise((resolve) => { for (const socket of sockets) socket.destroy(); server.close(resolve); }));
  return { url: `http://127.0.0.1:${server.address().port}/`, sockets };
}

test('malformed replies, endless heads and closed connections are failures', async (t) => {
  const desk = await open(t);
  await allowPrivate(desk);
  const endless = (socket) => { const more = () => { while (!socket.destroyed) if (!socket.write(`X-Long: ${'a'.repeat(900)}\r\n`)) { socket.once('drain', more); return; } }; socket.write('HTTP/1.1 200 OK\r\n'); more(); };
  const talks = [endless, (socket) => socket.end('hello'), (socket) => socket.end(), (socket) => socket.destroy(), (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')];
  for (const talk of talks) {
    const { url } = await rawServer(t, talk);
    const endpoint = await hooked(desk, url);
    await tested(desk, endpoint);
    const attempt = await attempted(desk, endpoint, 1);
    assert.deepEqual([attempt.result, attempt.status_code], ['FAILURE', null], String(talk));
    assert.ok(attempt.message.endsWith('.'), attempt.message);
  }
  const nobody = await rawServer(t, () => {});
  const closed = await hooked(desk, 'http://127.0.0.1:2/');
  await tested(desk, closed);
  assert.equal((await attempted(desk, closed, 1)).result, 'FAILURE');
  assert.ok(nobody);
});

test('endpoints that never answer delay neither others nor requests, and each uses its own few connections only', async (t) => {
  const { desk, to } = await sending(t, undefined, { 'endpoints.timeout_seconds': 60 });
  const silent = await rawServer(t, () => {});
  const dead = [];
  for (let i = 0; i < 20; i++) dead.push(await hooked(desk, silent.url));
  for (const endpoint of dead) for (let i = 0; i < 6; i++) await tested(desk, endpoint);
  await until('the dead endpoints hang', () => silent.sockets.size > 20);
  const live = await hooked(desk, to.url);
  for (let i = 0; i < 20; i++) await tested(desk, live);
  await to.received(20);
  assert.ok(to.most <= 4, `${to.most} connections at a time`);
  await until('the hanging connections', () => silent.sockets.size >= 64);
  assert.ok(silent.sockets.size <= 20 * 4, `${silent.sockets.size} connections`);
  assert.equal(new Set(to.requests.map((r) => r.headers['x-desk-event'])).size, 20);
});

test('an attempt ends at the timeout', async (t) => {
  const { desk, to } = await sending(t, () => {}, { 'endpoints.timeout_seconds': 1 });
  const endpoint = await hooked(desk, to.url);
  await tested(desk, endpoint);
  const attempt = await attempted(desk, endpoint, 1);
  assert.deepEqual([attempt.result, attempt.status_code, attempt.message], ['FAILURE', null, 'There was no complete reply within 1 s.']);
  assert.ok(attempt.duration >= 1000);
  assert.equal(to.requests.length, 1);
});

test('a disabled endpoint gets nothing; its waiting deliveries are sent when it is enabled', async (t) => {
  let status = 500;
  const { desk, to } = await sending(t, (response) => { response.statusCode = status; response.end(); });
  const endpoint = await hooked(desk, to.url), other = await hooked(desk, to.url);
  const waits = await tested(desk, endpoint);
  await attempted(desk, endpoint, 1);
  await desk.admin.update(`/endpoints/${endpoint.id}`, { is_enabled: false });
  (await desk.admin.post(`/endpoints/${endpoint.id}/test`, {})).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  status = 200;
  await desk.clock.forward(HOUR);
  await delivered(desk, await tested(desk, other)); // a whole turn of the sender
  assert.equal((await attempts(desk, endpoint)).length, 1);
  await desk.admin.update(`/endpoints/${endpoint.id}`, { is_enabled: true });
  await delivered(desk, waits);
});

test('an endpoint is deleted with its deliveries, also while one is under way', async (t) => {
  const held = [];
  const { desk, to } = await sending(t, (response) => { held.push(response); });
  const endpoint = await hooked(desk, to.url);
  for (let i = 0; i < 6; i++) await tested(desk, endpoint);
  await to.received(4);
  (await desk.admin.delete(`/endpoints/${endpoint.id}`)).must(200);
  (await desk.admin.get(`/endpoints/${endpoint.id}/deliveries`)).refused(404, 'RESOURCE_NOT_FOUND');
  for (const response of held) response.end();
  const other = await hooked(desk, to.url);
  const last = await tested(desk, other);
  await to.received(5).then(() => held.at(-1).end());
  await delivered(desk, last);
  assert.equal(to.requests.length, 5, 'those that waited are not sent');
  assert.deepEqual(['endpoint_deliveries', 'endpoint_attempts'].map((table) => desk.sql(`SELECT COUNT(*) FROM ${table}`).trim()), ['1', '1']);
});

test('deliveries and their attempts are deleted after 30 days', async (t) => {
  const { desk, to } = await sending(t);
  const endpoint = await hooked(desk, to.url);
  await delivered(desk, await tested(desk, endpoint));
  await desk.clock.forward(30 * DAY);
  await desk.restart(); // a sweep runs at the start
  await until('the sweep', () => ['endpoint_deliveries', 'endpoint_attempts'].every((table) => desk.sql(`SELECT COUNT(*) FROM ${table}`).trim() === '0'));
});

test('an endpoint of type SLACK gets the text and the channel as JSON', async (t) => {
  const { desk, to } = await sending(t);
  const endpoint = await desk.admin.create('/endpoints', { title: 'Room', type: 'SLACK', attributes: { webhook_url: to.url, channel: '#desk' } });
  await delivered(desk, await tested(desk, endpoint));
  const [request] = to.requests;
  assert.deepEqual([request.method, request.headers['content-type'], request.headers['x-desk-signature'], request.json], ['POST', 'application/json', undefined, { text: 'This is a test of the endpoint.', channel: '#desk' }]);
});

test('an endpoint of type EMAIL gets a mail, which is queued with the success of the attempt', async (t) => {
  const desk = await open(t);
  const to = await relayFor(t, desk);
  const endpoint = await desk.admin.create('/endpoints', { title: 'Box', type: 'EMAIL', attributes: { address: 'team@example.org', subject: 'News of the desk' } });
  await delivered(desk, await tested(desk, endpoint));
  const mail = await to.find('team@example.org');
  assert.deepEqual([mail.subject, mail.text.trim(), mail.header('Auto-Submitted')], ['News of the desk', 'This is a test of the endpoint.', 'auto-generated']);
  assert.equal((await attempted(desk, endpoint, 1)).message, 'The mail was queued.');
});

test('a server stops while it queues the mails of an endpoint', async (t) => {
  const desk = await open(t);
  const endpoint = await desk.admin.create('/endpoints', { title: 'Box', type: 'EMAIL', attributes: { address: 'team@example.org', subject: 'News of the desk' } });
  await Promise.all(Array.from({ length: 180 }, () => tested(desk, endpoint)));
  await desk.stop(); // its exit code is 0, also under ThreadSanitizer
});

test('after a SIGKILL or a stop, what was not stored as sent is sent again with the same event id', async (t) => {
  const held = [];
  const { desk, to } = await sending(t, (response, request, n) => { if (n > 2) response.end(); else held.push(response); });
  const endpoint = await hooked(desk, to.url);
  const made = await tested(desk, endpoint);
  await to.received(1);
  await desk.kill();
  await desk.start();
  await desk.clock.forward(60 * SECOND); // the leases of other processes of the database end
  await to.received(2);
  await desk.stop();
  await desk.start();
  await delivered(desk, made);
  assert.deepEqual(to.requests.map((r) => r.headers['x-desk-event']), Array(3).fill(made.event_id));
});

test('many deliveries to several endpoints are each sent once, by whatever processes', async (t) => {
  const { desk, to } = await sending(t);
  const endpoints = [await hooked(desk, to.url), await hooked(desk, to.url), await hooked(desk, to.url)];
  const made = await Promise.all(endpoints.flatMap((endpoint) => Array.from({ length: 40 }, () => tested(desk, endpoint))));
  for (const delivery of made) await delivered(desk, delivery);
  const ids = to.requests.map((r) => r.headers['x-desk-event']);
  assert.deepEqual([ids.length, new Set(ids).size], [120, 120]);
});

test('the metrics count attempts and waiting deliveries', async (t) => {
  const { desk, to } = await sending(t, (response, request, n) => { response.statusCode = n === 1 ? 500 : 200; response.end(); });
  const endpoint = await hooked(desk, to.url);
  await tested(desk, endpoint);
  await attempted(desk, endpoint, 1);
  await delivered(desk, await tested(desk, endpoint));
  const text = (await Promise.all(desk.daemons.map(({ port }) => fetch(`http://127.0.0.1:${port}/metrics`).then((r) => r.text())))).join('\n');
  const total = (name) => [...text.matchAll(new RegExp(`^deskd_${name} (\\d+)$`, 'gm'))].reduce((sum, [, n]) => sum + Number(n), 0);
  assert.deepEqual([total('deliveries_succeeded_total'), total('deliveries_failed_total')], [1, 1]);
  assert.match(text, /^deskd_deliveries_waiting \d+$/m);
  assert.match(text, /^deskd_deliveries_oldest_seconds \d+$/m);
});

test('the metrics show what is in flight, and after a start at once what waits and for how long', async (t) => {
  const held = [];
  const { desk, to } = await sending(t, (response) => { held.push(response); });
  const metrics = async () => (await Promise.all(desk.daemons.map(({ port }) => fetch(`http://127.0.0.1:${port}/metrics`).then((r) => r.text())))).join('\n');
  const most = async (name) => Math.max(...[...(await metrics()).matchAll(new RegExp(`^deskd_deliveries_${name} (\\d+)$`, 'gm'))].map(([, n]) => Number(n)));
  const endpoint = await hooked(desk, to.url);
  assert.equal(await most('in_flight'), 0);
  await tested(desk, endpoint);
  await until('a request in flight', async () => held.length === 1 && await most('in_flight') === 1);
  held[0].statusCode = 500;
  held[0].end();
  await until('none in flight', async () => await most('in_flight') === 0);
  await attempted(desk, endpoint, 1);
  await desk.admin.update(`/endpoints/${endpoint.id}`, { is_enabled: false });
  await desk.clock.forward(HOUR);
  await desk.restart();
  await until('the age of the delivery that waits', async () => await most('waiting') === 1 && Math.abs(await most('oldest_seconds') - HOUR / SECOND) < 100);
});

/** A trigger that sends each change of a conversation to the endpoint. */
const triggered = (desk, endpoint, value = '{{case.subject}}') =>
  desk.admin.create('/triggers', { title: 'Tell', channel: 'API', actions: [{ name: `endpoint_${endpoint.id}`, option: 'SEND', value }] });
const opened = (desk, subject) => desk.staff.create('/cases', { subject, contents: 'It stops.', requester_id: desk.people.customer.id });

test('the action of a trigger sends each change of a conversation in its order, also after failures', async (t) => {
  const { desk, to } = await sending(t, (response, request, n) => { response.statusCode = n % 3 ? 200 : 500; response.end(); });
  const endpoint = await hooked(desk, to.url);
  await triggered(desk, endpoint);
  const cases = [await opened(desk, 'a0'), await opened(desk, 'b0'), await opened(desk, 'c0')];
  for (let n = 1; n <= 8; n++) await Promise.all(cases.map(({ id }, i) => desk.staff.update(`/cases/${id}`, { subject: `${'abc'[i]}${n}` })));
  const total = 27;
  const sent = await until('all deliveries', async () => {
    const { body } = await desk.admin.get(`/endpoints/${endpoint.id}/deliveries`, { status: 'SENT', limit: 100 });
    if (body.total_count < total) await desk.clock.forward(15);
    return body.total_count === total && body.data;
  });
  assert.ok(to.requests.length > total, 'no request failed, so this test proves little');
  const seen = new Set();
  const order = to.requests.map(({ json }) => json).filter(({ id }) => !seen.has(id) && seen.add(id));
  assert.equal(order.length, total);
  for (const [i, { id }] of cases.entries()) {
    const mine = order.filter((event) => event.case.id === id);
    assert.deepEqual(mine.map((event) => [event.message, event.case.subject]), Array.from({ length: 9 }, (_, n) => [`${'abc'[i]}${n}`, `${'abc'[i]}${n}`]));
  }
  const [first] = order;
  assert.deepEqual([first.cause, first.case.requester.email, first.case.status.type, first.case.last_message.contents], ['Trigger: Tell', desk.people.customer.email, 'NEW', 'It stops.']);
  assert.deepEqual([sent[0].cause, sent[0].case.resource_type], ['Trigger: Tell', 'case']);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('values in the text of an action are escaped for its content type', async (t) => {
  const { desk, to } = await sending(t);
  const hostile = 'x", "admin": true, "y": "</b> & \'z%=\\';
  for (const [content_type, value, read] of [
    ['application/json', '{"title": "{{case.subject}}", "id": {{case.id}}}', (text) => { const { title, ...rest } = JSON.parse(text); assert.deepEqual(Object.keys(rest), ['id']); return title; }],
    ['application/json', 'About {{case.subject}}', (text) => JSON.parse(text).message.slice(6)],
    ['application/xml', '<a b="{{case.subject}}"/>', (text) => /^<a b="([^"<>]*)"\/>$/.exec(text)[1].replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')],
    ['application/x-www-form-urlencoded', 'a=1&title={{case.subject}}', (text) => { const form = new URLSearchParams(text); assert.deepEqual([...form.keys()], ['a', 'title']); return form.get('title'); }],
    ['text/plain', '{{case.subject}}', (text) => text],
  ]) {
    const endpoint = await hooked(desk, to.url, { content_type });
    const { id } = await triggered(desk, endpoint, value);
    const before = to.requests.length;
    await opened(desk, hostile);
    const request = await to.received(before + 1);
    assert.equal(request.headers['content-type'], content_type);
    assert.equal(read(request.text), hostile, `${content_type}: ${request.text}`);
    verified(request, endpoint.signing_secret);
    (await desk.admin.delete(`/triggers/${id}`)).must(200);
  }
});

test('a conversation is deleted with its deliveries, and the purge of its requester erases their bodies', async (t) => {
  const { desk, to } = await sending(t, (response) => { response.statusCode = 500; response.end(); });
  const endpoint = await hooked(desk, to.url);
  await triggered(desk, endpoint);
  const person = await desk.person('customer');
  const gone = await opened(desk, 'gone'), kept = await desk.staff.create('/cases', { subject: 'kept', contents: 'x', requester_id: person.id });
  await attempted(desk, endpoint, 2);
  (await desk.admin.put('/cases/trash', { ids: [gone.id] })).must(200);
  (await desk.admin.delete('/cases/trash', { ids: gone.id })).must(200);
  const left = () => desk.admin.fetch(`/endpoints/${endpoint.id}/deliveries`, { fields: '+body' });
  assert.deepEqual((await left()).map((delivery) => delivery.case.id), [kept.id]);
  assert.ok((await left())[0].body.includes(person.email));
  (await desk.admin.delete(`/users/${person.id}`, { purge: true })).must(200);
  const [delivery] = await left();
  assert.deepEqual([delivery.body, delivery.status], [null, 'FAILED']);
  (await desk.admin.post(`/endpoints/${endpoint.id}/deliveries/${delivery.id}/replay`, {})).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
});

test('a waiting delivery whose body was erased ends at its next attempt, without a request', async (t) => {
  const { desk, to } = await sending(t, (response) => { response.statusCode = 500; response.end(); });
  const endpoint = await hooked(desk, to.url);
  const made = await tested(desk, endpoint);
  await attempted(desk, endpoint, 1);
  desk.sql(`UPDATE endpoint_deliveries SET body = NULL WHERE id = ${made.id}`);
  await desk.clock.forward(HOUR);
  const { message } = await attempted(desk, endpoint, 2);
  assert.match(message, /The body was erased/);
  const [delivery] = await desk.admin.fetch(`/endpoints/${endpoint.id}/deliveries`);
  assert.deepEqual([delivery.status, delivery.next_attempt_at, to.requests.length], ['FAILED', null, 1]);
});

test('a stop waits for the replies of deliveries in flight, and sends none of them again', async (t) => {
  let reply;
  const desk = await open(t), to = await hook(t, (response) => { reply = () => response.end(); });
  await allowPrivate(desk);
  const endpoint = await hooked(desk, to.url), delivery = await tested(desk, endpoint);
  await to.received(1);
  const stopped = desk.stop();
  await until('the end of the listening', () => desk.anyone.exchange('GET', '/healthz').then(({ status }) => status !== 200, () => true));
  setTimeout(reply, 500); // when the sender has stopped, too
  await stopped;
  await desk.start();
  assert.equal((await delivered(desk, delivery)).attempts, 1);
  assert.equal(to.requests.length, 1);
});

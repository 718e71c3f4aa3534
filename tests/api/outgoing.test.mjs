// Deliveries to endpoints: what is sent, to whom, and when (docs/RULES.md, "Endpoints").
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import net from 'node:net';
import { test } from 'node:test';
import { DAY, HOUR, SECOND, allowPrivate, attempted, attempts, connect, defer, delivered, hook, hooked, open, relay, tested, until } from './lib/index.mjs';

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

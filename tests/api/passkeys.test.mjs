// Passkeys of staff (src/core/login/passkey.h), by an authenticator of our own (lib/authenticator.mjs).
//
// Refused, each with a reason:
//   both          another origin, a subdomain, another port, http; a frame of another site; the type of the other ceremony; no JSON; a challenge of
//                 another purpose, of another person or session or program, invented, used, expired; the hash of another host; nobody there
//   adding        no proof, a wrong password, a wrong code; a key of the algorithm none, unknown, twice, ES256 with a point that is not on the curve, of a
//                 wrong length, RSA of 1024 bits; CBOR that is truncated at each byte, has extra bytes outside and inside, is oversized, claims
//                 gigabytes, is nested, has an indefinite length; no credential; an id that is none, too long, another one; a known credential;
//                 the 21st; a customer; a desk without a host name
//   login         an unknown credential, one of another person, of a disabled person, of a former colleague who is a customer now, of another
//                 handle; not verified by a finger or PIN; a signature that is wrong, by another key, truncated; a counter that goes back or stays;
//                 extra bytes, a credential in the data; a header that is no Base64url, no JSON, incomplete
//   second step   without a passkey, with that of another person, a token that was used, a challenge of a login alone
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { MINUTE, PASSWORD, open, relayFor, shared } from './lib/index.mjs';
import { Authenticator, FLAGS, b64, cbor, passkey } from './lib/authenticator.mjs';
import { totp } from './lib/totp.mjs';

const BASE = 'https://desk.example.com', { UP, UV, AT, ED } = FLAGS;
const ORIGINS = { 'another site': 'https://evil.example', 'a subdomain': 'https://a.desk.example.com', 'another port': `${BASE}:8443`, 'without TLS': 'http://desk.example.com' };
const audit = (desk, action) => desk.owner.fetch('/audit_log', { action, limit: 100 });

const optionsFor = async (client, proof = { password: PASSWORD }) => (await client.post('/profile/passkeys/options', proof)).must(200).data.public_key;
const send = (client, credential, name = 'Laptop') => client.post('/profile/passkeys', { name, credential });
/** Adds a passkey: {device, row}. */
async function added(client, { kind, counter = 0, proof, name } = {}) {
  const device = new Authenticator(BASE, kind);
  device.counter = counter;
  return { device, row: (await send(client, device.create(await optionsFor(client, proof)), name)).must(201).data };
}
const asked = async (desk, body = {}, client = desk.anyone) => (await client.post('/session/passkey/options', body)).must(200).data.public_key;
let addresses = 0;
/** Each at an address of its own, because failures of an address are counted. */
const stranger = (desk) => desk.anyone.at(`127.0.${1 + (addresses >> 8)}.${1 + (addresses++ & 127)}`);
const enters = (client, assertion, headers = {}) => client.get('/session', { include: 'user' }, { ...passkey(assertion), ...headers });
const saying = (reply, words) => assert.match(reply.body.errors[0].message, words);

describe('adding a passkey', () => {
  const world = shared(async (world) => { world.me = (await world.desk.session(world.desk.staff)).client; }, { base: BASE });
  const refused = async (more, words, code = 'FIELD_INVALID') => {
    const device = new Authenticator(BASE), credential = device.create(await optionsFor(world.me), more);
    const reply = (await send(world.me, credential)).refused(400, code, 'credential');
    if (words) saying(reply, words);
  };

  test('the options name the desk, the person without the id, the algorithms, and the passkeys that are there', async () => {
    const { desk, me } = world;
    const options = await optionsFor(me);
    assert.deepEqual(options.rp, { id: 'desk.example.com', name: 'desk.example.com' });
    assert.deepEqual(options.pubKeyCredParams, [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })));
    assert.deepEqual([options.user.name, options.attestation, options.timeout, options.excludeCredentials], [desk.people.agent.email, 'none', 300_000, []]);
    assert.equal(Buffer.from(options.user.id, 'base64url').length, 32);
    assert.notEqual((await optionsFor(me)).challenge, options.challenge);
    assert.equal((await optionsFor(me)).user.id, options.user.id, 'a person has one handle');
    assert.notEqual((await optionsFor((await desk.session(desk.admin)).client)).user.id, options.user.id);
  });

  test('each algorithm, with and without an attestation; it is listed, renamed and removed, and the audit log says so', async () => {
    const { desk } = world, person = await desk.person('agent'), me = (await desk.session(person.client)).client;
    for (const [kind, name] of [[-7, 'Key'], [-8, 'Telephone'], [-257, 'Computer']]) {
      const { device, row } = await added(me, { kind, name });
      assert.deepEqual([row.name, row.credential_id, row.transports, row.rp_id, row.last_used_at], [name, b64(device.id), ['internal', 'hybrid'], 'desk.example.com', null]);
      assert.deepEqual(Object.keys(row).filter((member) => /key|count|handle/.test(member)), []);
    }
    const device = new Authenticator(BASE), options = await optionsFor(me);
    assert.deepEqual(options.excludeCredentials.map(({ id }) => id), (await me.fetch('/profile/passkeys')).map((row) => row.credential_id));
    device.transports = ['usb', 'usb', 'telepathy', 7];
    const row = (await send(me, device.create(options, { format: 'packed', statement: { alg: -7, sig: Buffer.from('anything') }, flags: UP | AT | ED, after: cbor({ credProtect: 1 }) }))).must(201).data;
    assert.deepEqual(row.transports, ['usb'], 'only known words');
    assert.equal((await me.update(`/profile/passkeys/${row.id}`, { name: 'Ring' })).name, 'Ring');
    (await me.put(`/profile/passkeys/${row.id}`, { name: '' })).must(400);
    assert.equal((await me.fetch('/profile/passkeys')).length, 4);
    (await me.delete(`/profile/passkeys/${row.id}`)).refused(400, 'ANY_FIELD_REQUIRED', 'code', 'password');
    (await me.delete(`/profile/passkeys/${row.id}`, { password: 'wrong' })).refused(401, 'AUTHENTICATION_FAILED');
    (await me.request('DELETE', `/profile/passkeys/${row.id}`, { body: { password: PASSWORD } })).must(200);
    (await me.get(`/profile/passkeys/${row.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    const made = (await audit(desk, 'PASSKEY_ADDED')).filter((e) => e.object.id === person.id), [gone] = await audit(desk, 'PASSKEY_REMOVED');
    assert.deepEqual(made.map((e) => e.details.name).sort(), ['Computer', 'Key', 'Laptop', 'Telephone']);
    assert.deepEqual([gone.actor.id, gone.object.id, gone.details], [person.id, person.id, { name: 'Ring' }]);
  });

  test('a stolen session is not enough: it needs the password, or a code', async () => {
    const { desk } = world, person = await desk.person('agent'), me = (await desk.session(person.client)).client, path = '/profile/passkeys/options';
    (await me.post(path, {})).refused(400, 'ANY_FIELD_REQUIRED', 'code', 'password');
    (await me.post(path, { password: 'wrong' })).refused(401, 'AUTHENTICATION_FAILED');
    (await me.post(path, { code: '123456' })).refused(401, 'AUTHENTICATION_FAILED');
    const { secret } = await me.fetch('/profile/twofactor');
    await me.create('/profile/twofactor', { code: totp(secret, desk.clock.now) });
    await desk.clock.forward(30);
    await added(me, { proof: { code: totp(secret, desk.clock.now) } });
    (await desk.anyone.post(path, {})).refused(401, 'AUTHORIZATION_REQUIRED');
  });

  test('a person without a password proves it by a new login', async () => {
    const { desk } = world, person = await desk.person('agent'), me = (await desk.session(person.client)).client;
    desk.sql(`UPDATE users SET password_hash = NULL WHERE id = ${person.id}`);
    await desk.owner.update(`/users/${person.id}`, { full_name: 'No Password' }); // its commit ends the snapshots of before
    await optionsFor(me, {});
    await desk.clock.forward(10 * MINUTE + 1);
    saying((await me.post('/profile/passkeys/options', {})).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE'), /Log in again/);
  });

  test('a challenge counts once, for five minutes, for its person and session', async () => {
    const { desk, me } = world, device = new Authenticator(BASE), options = await optionsFor(me);
    const again = new Authenticator(BASE);
    (await send(me, device.create(options))).must(201);
    saying((await send(me, again.create(options))).refused(400, 'FIELD_INVALID', 'credential'), /was used/);
    const old = await optionsFor(me), colleague = (await desk.session(desk.admin)).client, other = (await desk.session(desk.staff, { 'X-CSRF': 'false' })).bare;
    for (const who of [colleague, other]) (await send(who, again.create(old))).refused(400, 'FIELD_INVALID', 'credential');
    for (const challenge of [(await asked(desk)).challenge, b64(randomBytes(40)), b64(randomBytes(16)), '', '!', old.challenge.slice(0, -1), old.challenge.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))])
      (await send(me, again.create({ ...old, challenge }))).refused(400, 'FIELD_INVALID', 'credential');
    await desk.clock.forward(5 * MINUTE);
    (await send(me, again.create(old))).refused(400, 'FIELD_INVALID', 'credential');
    (await send(me, again.create(await optionsFor(me)))).must(201);
  });

  test('a known passkey is refused, and the 21st of a person', async () => {
    const { desk, me } = world, { device } = await added(me);
    for (const who of [me, (await desk.session(desk.admin)).client]) (await send(who, device.create(await optionsFor(who)))).refused(400, 'FIELD_DUPLICATE', 'credential');
    const person = await desk.person('agent'), full = (await desk.session(person.client)).client;
    desk.sql(`INSERT INTO passkeys (user_id, name, credential_id, algorithm, public_key, sign_count, transports, user_handle, rp_id, created_at, updated_at) VALUES ${Array.from({ length: 20 }, (_, i) => `(${person.id}, 'x', 'x${i}', -7, 'AA', 0, '', 'AA', 'x', 1, 1)`).join(', ')}`);
    saying((await send(full, new Authenticator(BASE).create(await optionsFor(full)))).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE'), /20 passkeys/);
  });

  test('another site, type or host, and nobody there', async () => {
    for (const [what, origin] of Object.entries(ORIGINS)) await refused({ client: { origin } }, /another site/, 'FIELD_INVALID', what);
    await refused({ client: { crossOrigin: true } }, /frame/);
    await refused({ client: { type: 'webauthn.get' } }, /another ceremony/);
    await refused({ client: { origin: undefined } }, /another site/);
    await refused({ client: { challenge: 7 } }, /no challenge/);
    await refused({ rpId: 'example.com' }, /another host/);
    await refused({ flags: UV | AT }, /nobody/);
    await refused({ flags: UP }, /incomplete|extra/);
  });

  test('keys of other algorithms, and keys that are none', async () => {
    const es256 = new Authenticator(BASE).cose(), [kty, , ...rest] = es256;
    for (const alg of [0, -999, -65535, -35]) await refused({ cose: [kty, [3, alg], ...rest] }, /algorithms/);
    await refused({ cose: [kty, ...rest] }, /algorithms/);
    await refused({ cose: Buffer.concat([Buffer.from([0xa6]), ...[...es256, [3, -7]].flat().map(cbor)]) }, /algorithms/);
    await refused({ cose: [kty, [3, -257], ...rest] }, /public key/);
    await refused({ cose: es256.map(([label, value]) => [label, label === -3 ? Buffer.alloc(32, 1) : value]) }, /public key/);
    await refused({ cose: es256.map(([label, value]) => [label, label === -2 ? Buffer.alloc(31, 1) : value]) }, /public key/);
    await refused({ cose: [[1, 3], [3, -257], [-1, Buffer.alloc(128, 255)], [-2, Buffer.from([1, 0, 1])]] }, /public key/);
    await refused({ cose: [] }, /algorithms/);
    await refused({ cose: cbor([1, 2]) }, /algorithms/);
  });

  test('CBOR that is truncated, has extra bytes, is oversized, nested, or claims gigabytes', async () => {
    const { me } = world, device = new Authenticator(BASE), options = await optionsFor(me), good = device.create(options);
    const whole = Buffer.from(good.response.attestationObject, 'base64url');
    const tries = (bytes) => send(me, { ...good, response: { ...good.response, attestationObject: b64(bytes) } });
    /* The challenge is used by a refused reply, too, but not stored, because the write is undone. */
    for (let n = 0; n < whole.length; n += n < 40 ? 1 : 17) (await tries(whole.subarray(0, n))).refused(400, 'FIELD_INVALID', 'credential');
    const data = cbor(Buffer.from('x')), claims = (first) => Buffer.from([0xa3, ...first, 0, 0, 0, 0]);
    const bad = {
      'extra bytes': Buffer.concat([whole, Buffer.from([0])]), oversized: cbor({ fmt: 'none', attStmt: { x: Buffer.alloc(40_000) }, authData: data }),
      'a map of 2^60 pairs': claims([0xbb, 0x10, 0, 0, 0, 0, 0, 0, 0]), 'an array of 2^32': claims([0x9b, 0, 0, 0, 1, 0, 0, 0, 0]), 'a text of 2^63': claims([0x7b, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      'an indefinite length': Buffer.concat([Buffer.from([0xbf]), whole.subarray(1), Buffer.from([0xff])]), nested: Buffer.alloc(2000, 0x81), tags: Buffer.alloc(2000, 0xc6),
      'a member twice': cbor(new Map([['fmt', 'none'], ['attStmt', {}], ['authData', data], ['fmt ', 1]])), 'no statement': cbor({ fmt: 'none', authData: data }), 'a list': cbor(['none', {}, data]), nothing: Buffer.alloc(0),
      'a reserved head': Buffer.from([0x1c]), 'a name that is no text': cbor(new Map([[1, 'none'], ['attStmt', {}], ['authData', data]])),
    };
    for (const [what, bytes] of Object.entries(bad)) (await tries(bytes)).refused(400, 'FIELD_INVALID', 'credential') ?? assert.fail(what);
    for (const more of [{ after: Buffer.from([0]) }, { flags: UP | AT | ED }, { flags: UP | AT | ED, after: Buffer.from([0xa1]) }, { id: Buffer.alloc(0) }, { id: Buffer.alloc(1024) }, { cose: Buffer.from([0xa1]) }]) await refused(more, /incomplete|no CBOR/);
    for (const credential of [{}, [], { id: good.id }, { ...good, response: null }, { ...good, id: 7 }, { ...good, id: b64(randomBytes(32)) }, { ...good, response: { ...good.response, clientDataJSON: '=' } }, { ...good, response: { ...good.response, clientDataJSON: b64('[]') } },
      { ...good, response: { ...good.response, clientDataJSON: b64('{') } }]) (await send(me, credential)).must(400);
    (await send(me, good)).must(201);
  });

  test('customers have none, and staff see only their own, but admins those of all', async () => {
    const { desk, me } = world, { row } = await added((await desk.session(desk.admin)).client, { name: 'Of the admin' });
    for (const call of [desk.customer.get('/profile/passkeys'), desk.customer.post('/profile/passkeys/options', { password: PASSWORD })]) (await call).refused(403, 'PERMISSIONS_DENIED');
    for (const method of ['get', 'delete']) (await me[method](`/profile/passkeys/${row.id}`, { password: PASSWORD })).refused(404, 'RESOURCE_NOT_FOUND');
    (await me.put(`/profile/passkeys/${row.id}`, { name: 'Mine' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.owner.get(`/profile/passkeys/${row.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.deepEqual((await desk.owner.fetch(`/users/${desk.people.admin.id}/passkeys`)).map(({ name }) => name), ['Of the admin']);
    (await me.get(`/users/${desk.people.admin.id}/passkeys`)).refused(403, 'PERMISSIONS_DENIED');
  });
});

describe('a login by passkey', () => {
  const world = shared(async (world) => {
    const { desk } = world;
    world.person = await desk.person('agent');
    world.me = (await desk.session(world.person.client)).client;
    Object.assign(world, await added(world.me));
  }, { base: BASE });
  /** A refused login of the person: 401 with a reason. */
  const refused = async (more, words, device = world.device) => {
    const client = stranger(world.desk), assertion = device.get(await asked(world.desk, {}, client), more);
    const reply = (await enters(client, assertion)).refused(401, 'AUTHENTICATION_FAILED');
    if (words) saying(reply, words);
    assert.equal(reply.headers['set-cookie'], undefined);
  };

  test('opens the session that password and code would open, for each algorithm', async () => {
    const { desk, person } = world;
    for (const kind of [-7, -8, -257]) {
      const { device, row } = await added(world.me, { kind });
      const options = await asked(desk);
      assert.deepEqual([options.rpId, options.userVerification, options.allowCredentials, options.timeout], ['desk.example.com', 'required', [], 300_000]);
      const client = desk.anyone.with({ 'User-Agent': 'deskd-tests/1', 'X-CSRF': 'true' }), reply = (await enters(client, device.get(options))).must(200);
      assert.equal(reply.data.user.id, person.id);
      assert.match(reply.headers['set-cookie'][0], /^desk_session=.*HttpOnly; SameSite=Lax; Secure/);
      const session = desk.anyone.with({ 'X-Session-ID': reply.data.id });
      (await session.put('/session/ack')).refused(403, 'CSRF_FAILED');
      (await session.with({ 'X-CSRF-Token': reply.headers['x-csrf-token'] }).put('/session/ack')).must(200);
      assert.notEqual((await world.me.fetch(`/profile/passkeys/${row.id}`)).last_used_at, null);
    }
  });

  test('is audited, passes two-factor login, and may be remembered', async () => {
    const { desk } = world, person = await desk.person('collaborator'), me = (await desk.session(person.client)).client, { device } = await added(me);
    const { secret } = await me.fetch('/profile/twofactor');
    await me.create('/profile/twofactor', { code: totp(secret, desk.clock.now) });
    const away = desk.anyone.with({ 'User-Agent': 'elsewhere/1' }), options = await asked(desk, {}, away);
    const reply = (await away.get('/session', { remember_me: true }, passkey(device.get(options)))).must(200);
    assert.match(reply.headers['x-rememberme'], /^[0-9a-f]{64}$/);
    const [entry] = (await audit(desk, 'LOGIN')).filter((e) => e.actor?.id === person.id);
    assert.deepEqual([entry.details.method, entry.object.id], ['PASSKEY', person.id]);
  });

  test('works with the cookie of a session that has ended, and only at GET /session', async () => {
    const { desk, device } = world, client = desk.anyone.with({ 'User-Agent': 'elsewhere/2' });
    const first = (await enters(client, device.get(await asked(desk, {}, client)))).must(200), cookie = first.headers['set-cookie'][0].split(';')[0];
    (await client.with({ 'X-Session-ID': first.data.id, 'X-CSRF-Token': first.headers['x-csrf-token'] }).delete('/session')).must(200);
    (await client.get('/session', {}, { Cookie: cookie })).must(454);
    const assertion = device.get(await asked(desk, {}, client));
    (await client.get('/me', {}, passkey(assertion))).refused(401, 'AUTHORIZATION_REQUIRED');
    (await enters(client, assertion, { Cookie: cookie })).must(200);
  });

  test('a challenge counts once, for five minutes, for the program that asked', async () => {
    const { desk, device } = world, client = stranger(desk), options = await asked(desk, {}, client);
    const used = device.get(options);
    (await enters(client, used)).must(200);
    saying((await enters(client, used)).refused(401, 'AUTHENTICATION_FAILED'), /was used/);
    const of = await asked(desk, {}, client), other = client.with({ 'User-Agent': 'another program' });
    (await enters(other, device.get(of))).refused(401, 'AUTHENTICATION_FAILED');
    const mine = await optionsFor(world.me);
    for (const challenge of [mine.challenge, b64(randomBytes(40)), '', of.challenge.slice(4)]) (await enters(stranger(desk), device.get({ challenge }))).refused(401, 'AUTHENTICATION_FAILED');
    await desk.clock.forward(5 * MINUTE);
    (await enters(stranger(desk), device.get(of))).refused(401, 'AUTHENTICATION_FAILED');
  });

  test('another site, type or host, nobody there, and nobody verified', async () => {
    for (const origin of Object.values(ORIGINS)) await refused({ client: { origin } }, /another site/);
    await refused({ client: { crossOrigin: true } }, /frame/);
    await refused({ client: { type: 'webauthn.create' } }, /another ceremony/);
    await refused({ rpId: 'example.com' }, /another host/);
    await refused({ flags: UV }, /nobody/);
    await refused({ flags: UP }, /not verified/);
  });

  test('a wrong signature, another key, extra bytes', async () => {
    await refused({ forge: (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1) ^ 1])]) }, /signature/);
    await refused({ forge: (bytes) => bytes.subarray(0, 20) }, /signature/);
    await refused({ key: new Authenticator(BASE).keys.privateKey }, /signature/);
    await refused({ after: Buffer.from([0]) }, /extra/);
    await refused({ flags: UP | UV | ED }, /incomplete/);
    await refused({ flags: UP | UV | AT, after: Buffer.alloc(60) }, /incomplete/);
    const { device } = await added(world.me, { kind: -257 });
    await refused({ forge: (bytes) => Buffer.alloc(bytes.length) }, /signature/, device);
  });

  test('an unknown passkey, one of another handle, of a disabled person, of a person who is a customer now', async () => {
    const { desk } = world, person = await desk.person('agent'), { device } = await added((await desk.session(person.client)).client);
    await refused({ id: randomBytes(32) }, /does not have this passkey/, device);
    await refused({ handle: b64(randomBytes(32)) }, /another account/, device);
    await desk.owner.update(`/users/${person.id}`, { is_enabled: false });
    await refused({}, /may not log in/, device);
    await desk.owner.update(`/users/${person.id}`, { is_enabled: true, role_id: 4 });
    await refused({}, /for staff/, device);
    await desk.owner.update(`/users/${person.id}`, { role_id: 2 });
    (await enters(desk.anyone, device.get(await asked(desk)))).must(200);
    (await desk.owner.delete(`/users/${person.id}`)).must(200);
    await refused({}, /does not have this passkey/, device);
  });

  test('a counter that stays or goes back, and two logins with the same one', async () => {
    const { desk } = world, { device } = await added(world.me, { counter: 5 });
    (await enters(desk.anyone, device.get(await asked(desk)))).must(200);
    assert.equal(device.counter, 6);
    for (const counter of [6, 5, 0]) await refused({ counter }, /counter/, device);
    (await enters(desk.anyone, device.get(await asked(desk), { counter: 4_294_967_295 }))).must(200);
    const { device: other } = await added(world.me, { counter: 1 }), clients = [1, 2, 3].map(() => stranger(desk));
    const replies = await Promise.all(clients.map(async (client) => enters(client, other.get(await asked(desk, {}, client), { counter: 9 }))));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 401, 401]);
  });

  test('a malformed header is a bad request, and counts as no failure', async () => {
    const { desk, device } = world, good = device.get(await asked(desk));
    const { signature, ...unsigned } = good.response;
    assert.ok(signature);
    for (const text of ['!', 'e30', b64('{'), b64('[]'), b64(JSON.stringify({ ...good, response: unsigned })), b64(JSON.stringify({ ...good, id: undefined })), b64(JSON.stringify({ ...good, response: { ...good.response, authenticatorData: '*' } }))])
      saying((await desk.anyone.get('/session', {}, { 'X-Passkey': text })).refused(400, 'FIELD_INVALID', 'X-Passkey'), /Base64url/);
    (await enters(desk.anyone, good)).must(200);
  });

  test('ten failures lock the passkeys of the person for the address, and the audit log has them', async () => {
    const { desk } = world, person = await desk.person('agent'), { device } = await added((await desk.session(person.client)).client), client = stranger(desk);
    for (let i = 0; i < 10; i++) (await enters(client, device.get(await asked(desk, {}, client), { flags: UP }))).refused(401, 'AUTHENTICATION_FAILED');
    const locked = (await enters(client, device.get(await asked(desk, {}, client)))).refused(429, 'AUTHENTICATION_LOCKED');
    assert.equal(locked.headers['retry-after'], '600');
    saying(locked, /^Ten logins by passkey/);
    (await enters(stranger(desk), device.get({ challenge: 'x' }))).must(401);
    (await enters(desk.anyone, device.get(await asked(desk)))).must(200);
    (await person.client.at(client.from).with({ 'User-Agent': 'other' }).get('/me')).must(200);
    await desk.clock.forward(10 * MINUTE + 1);
    (await enters(client, device.get(await asked(desk, {}, client)))).must(200);
  });

  test('staff whose passwords are off log in by it', async () => {
    const { desk, device, person } = world;
    await desk.owner.update('/settings', { values: { 'security.staff_passwords': false } });
    (await person.client.with({ 'User-Agent': 'new' }).get('/me')).refused(401, 'AUTHENTICATION_FAILED');
    (await enters(desk.anyone, device.get(await asked(desk)))).must(200);
    await desk.owner.update('/settings', { values: { 'security.staff_passwords': true } });
  });
});

describe('a passkey as second step', () => {
  const world = shared(async (world) => {
    const { desk } = world;
    world.person = await desk.person('agent');
    const me = world.me = (await desk.session(world.person.client)).client;
    Object.assign(world, await added(me));
    await me.create('/profile/twofactor', { code: totp((await me.fetch('/profile/twofactor')).secret, desk.clock.now) });
    world.other = (await added((await desk.session(desk.admin)).client)).device;
  }, { base: BASE });
  const step = async (client = world.person.client) => (await client.get('/me')).refused(403, 'OTP_EXPECTED').body.auth_token;

  test('takes the place of the code, without a PIN or finger, once', async () => {
    const { desk, device, person, row } = world, token = await step(), options = await asked(desk, { auth_token: token });
    assert.deepEqual(options.allowCredentials, [{ type: 'public-key', id: row.credential_id, transports: ['internal', 'hybrid'] }]);
    assert.equal(options.userVerification, 'preferred');
    const assertion = device.get(options, { flags: UP });
    assert.equal((await enters(desk.anyone, assertion, { 'X-Token': token })).must(200).data.user.id, person.id);
    (await enters(desk.anyone, assertion, { 'X-Token': token })).refused(401, 'AUTHENTICATION_FAILED');
    const entries = (await audit(desk, 'LOGIN')).filter((e) => e.actor?.id === person.id);
    assert.equal(entries[0].details.method, 'PASSWORD_AND_PASSKEY');
  });

  test('a passkey and a code work with the cookie of a session that has ended', async () => {
    const { desk } = world, person = await desk.person('agent'), { reply, client } = await desk.session(person.client), { device } = await added(client);
    const { secret } = await client.fetch('/profile/twofactor'), Cookie = reply.headers['set-cookie'][0].split(';')[0];
    await client.create('/profile/twofactor', { code: totp(secret, desk.clock.now) });
    (await client.delete('/session')).must(200);
    await desk.clock.forward(30);
    const token = await step(person.client);
    (await desk.anyone.get('/session', {}, { Cookie, 'X-Token': token, 'X-OTP': totp(secret, desk.clock.now) })).must(200);
    const next = await step(person.client);
    (await enters(desk.anyone, device.get(await asked(desk, { auth_token: next })), { Cookie, 'X-Token': next })).must(200);
  });

  test('that of another person, of another step, and a login alone are refused', async () => {
    const { desk, device, other } = world, token = await step(), later = await step();
    saying((await enters(desk.anyone, other.get(await asked(desk, { auth_token: token })), { 'X-Token': token })).refused(401, 'AUTHENTICATION_FAILED'), /another person/);
    for (const options of [await asked(desk), await asked(desk, { auth_token: later })]) (await enters(desk.anyone, device.get(options), { 'X-Token': token })).refused(401, 'AUTHENTICATION_FAILED');
    (await enters(desk.anyone, device.get(await asked(desk, { auth_token: token })))).refused(401, 'AUTHENTICATION_FAILED');
    (await enters(desk.anyone, device.get(await asked(desk, { auth_token: token })), { 'X-Token': 'x' })).refused(401, 'AUTHENTICATION_FAILED');
    (await desk.anyone.post('/session/passkey/options', { auth_token: 'x' })).refused(400, 'FIELD_INVALID', 'auth_token');
    (await enters(desk.anyone, device.get(await asked(desk, { auth_token: token })), { 'X-Token': token })).must(200);
  });

  test('a person without a passkey is told so, and an expired password is replaced after the step', async () => {
    const { desk, device } = world, person = await desk.person('agent'), me = (await desk.session(person.client)).client;
    await me.create('/profile/twofactor', { code: totp((await me.fetch('/profile/twofactor')).secret, desk.clock.now) });
    (await desk.anyone.post('/session/passkey/options', { auth_token: await step(person.client) })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    await desk.owner.update('/settings', { values: { 'security.password_days_staff': 1 } });
    desk.sql(`UPDATE users SET password_updated_at = 1 WHERE id = ${world.person.id}`);
    const token = await step(), reply = await enters(desk.anyone, device.get(await asked(desk, { auth_token: token })), { 'X-Token': token });
    reply.refused(403, 'CREDENTIAL_EXPIRED');
    (await desk.anyone.with({ 'X-Token': reply.body.auth_token }).put('/profile/password', { new_password: 'another long one' })).must(200);
    await desk.owner.update('/settings', { values: { 'security.password_days_staff': 0 } });
  });
});

test('an admin removes the passkeys of a person who lost a device, an agent does not; an erasure leaves none, and an export lists them', async (t) => {
  const desk = await open(t, { base: BASE }), person = await desk.person('agent', { full_name: 'Ada Lind' }), me = (await desk.session(person.client)).client;
  const to = await relayFor(t, desk);
  const { device } = await added(me, { name: 'Old phone' }), path = `/users/${person.id}/passkeys`;
  const told = await to.find(person.email, /^A passkey was added to your account/);
  for (const text of [told.text, told.html]) assert.match(text, /Old phone.* was added/);
  (await desk.staff.delete(path)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.delete(`/users/${desk.people.owner.id}/passkeys`)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.delete(path)).must(200);
  (await desk.admin.delete(path)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.match((await to.find(person.email, /^A passkey was removed from your account/)).text, /Old phone was removed/);
  const [entry] = await audit(desk, 'PASSKEY_REMOVED');
  assert.deepEqual([entry.actor.id, entry.object.id, entry.details], [desk.people.admin.id, person.id, { count: 1 }]);
  (await enters(desk.anyone, device.get(await asked(desk)))).refused(401, 'AUTHENTICATION_FAILED');
  await added(me, { name: 'New phone' });
  (await desk.owner.post(`/users/${person.id}/erase`, {})).must(202);
  assert.match(desk.sql(`SELECT COUNT(*) FROM passkeys WHERE user_id = ${person.id}`), /^0/);
});

test('a desk whose base URL is an address, or has no TLS, has no passkeys, and says why', async (t) => {
  const desk = await open(t), { client } = await desk.session(desk.staff);
  for (const reply of [await client.post('/profile/passkeys/options', { password: PASSWORD }), await desk.anyone.post('/session/passkey/options', {})])
    saying(reply.refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE'), /https and a host name/);
});

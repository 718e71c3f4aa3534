import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, multipart, open } from './lib/index.mjs';

test('unknown arguments are ignored, and a notice names them', async (t) => {
  const { owner } = await open(t);
  (await owner.get('/teams', { colour: 'red', Shape: 'round' })).must(200).notes('colour', 'Shape');
  assert.deepEqual((await owner.get('/teams')).notices, []);
});

test('unknown parameters are ignored in every format, and a notice names them', async (t) => {
  const { owner } = await open(t);
  for (const encode of [(x) => x, form, multipart]) {
    const made = (await owner.post('/teams', encode({ title: 'T', wibble: 'x', nested: { wobble: 1 } }))).must(201).notes('wibble', 'nested');
    assert.equal(made.data.title, 'T');
  }
});

test('read-only members are ignored when sent back', async (t) => {
  const { owner } = await open(t);
  const made = (await owner.post('/teams', { title: 'T', id: 77, member_count: 5, resource_type: 'x' })).must(201);
  assert.notEqual(made.data.id, 77);
  assert.equal(made.data.member_count, 0);
  const { id } = made.data;
  assert.equal((await owner.put(`/teams/${id}`, { legacy_id: 'late' })).must(200).data.legacy_id, null);
});

test('a PUT of only unknown members is 200 and changes nothing', async (t) => {
  const { desk, owner } = await open(t).then((d) => ({ desk: d, owner: d.owner }));
  const made = await owner.create('/teams', { title: 'T' });
  await desk.clock.forward(60);
  const reply = (await owner.put(`/teams/${made.id}`, { wibble: 1 })).must(200).notes('wibble');
  assert.deepEqual(reply.data, made);
});

test('errors have notices, too', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/teams', { wibble: 1 })).refused(400, 'FIELD_REQUIRED', 'title').notes('wibble');
});

test('a notice quotes no markup and shortens a long name', async (t) => {
  const { owner } = await open(t);
  const reply = (await owner.get('/teams', { ['n'.repeat(3000)]: '1', '"<b>\u0007': '2' })).must(200);
  assert.ok(reply.notices.length >= 1);
  assert.ok(reply.text.length < 8000);
});

test('a header and an argument of the same meaning must be equal', async (t) => {
  const desk = await open(t);
  const { id, bare } = await desk.session(desk.staff);
  (await bare.get('/me', { _session_id: id })).must(200);
  (await bare.get('/me', { _session_id: 'another' })).refused(400, 'PARAMETERS_INCONSISTENT');
  for (const [header, argument] of [['X-Token', '_token'], ['X-OTP', '_otp'], ['X-Fingerprint-ID', '_fingerprint_id'], ['X-RememberMe', '_remember_me']]) {
    (await desk.anyone.get('/session', { [argument]: 'one' }, { [header]: 'two' })).refused(400, 'PARAMETERS_INCONSISTENT');
  }
});

test('a long name that is not ASCII is cut between two characters, and the message goes on', async (t) => {
  const { owner } = await open(t), name = `x${'é'.repeat(60)}`, cut = `x${'é'.repeat(31)}`;
  assert.deepEqual((await owner.get('/teams', { include: `${name},pigeon` })).must(200).notices, [`Unknown types in \`include\` were ignored: ${cut}, pigeon`]);
  const action = { name: 'notificationuser', value: -3, attributes: { subject: 'a', message: `{{${name}}}` } };
  const [{ message }] = (await owner.post('/triggers', { title: 'a', actions: [action] })).refused(400, 'FIELD_INVALID', 'actions[0].attributes.message').body.errors;
  assert.match(message, new RegExp(`^\\{\\{${cut}\\}\\} is unknown\\. Possible are: \\w`));
});

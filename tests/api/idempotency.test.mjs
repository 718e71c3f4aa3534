import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, form, json, open } from './lib/index.mjs';

const key = (value) => ({ headers: { 'Idempotency-Key': value } });

test('a repeated request with the same key runs once and gets the same reply', async (t) => {
  const { owner } = await open(t);
  const first = (await owner.post('/teams', { title: 'T', legacy_id: 'x' }, key('k1'))).must(201);
  const again = (await owner.post('/teams', { title: 'T', legacy_id: 'x' }, key('k1'))).must(201);
  assert.equal(first.headers['idempotent-replayed'], undefined);
  assert.equal(again.headers['idempotent-replayed'], 'true');
  assert.deepEqual(again.data, first.data);
  assert.equal(await owner.total('/teams'), 1);
  (await owner.post('/teams', { title: 'T' }, key('k2'))).must(201);
  assert.equal(await owner.total('/teams'), 2);
});

test('requests are compared by parsed parameters, not bytes', async (t) => {
  const { owner } = await open(t);
  await owner.create('/teams', json({ title: 'T', legacy_id: 'x' }), key('k'));
  const again = (await owner.post('/teams', form({ legacy_id: 'x', title: 'T' }), key('k'))).must(201);
  assert.equal(again.headers['idempotent-replayed'], 'true');
});

test('the same key with a different request is PARAMETERS_INCONSISTENT', async (t) => {
  const { owner } = await open(t);
  await owner.create('/teams', { title: 'T' }, key('k'));
  (await owner.post('/teams', { title: 'Other' }, key('k'))).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.post('/roles', { title: 'T', type: 'AGENT' }, key('k'))).refused(400, 'PARAMETERS_INCONSISTENT');
  assert.equal(await owner.total('/teams'), 1);
});

test('a refusal is repeated, too', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/teams', {}, key('k'))).refused(400, 'FIELD_REQUIRED', 'title');
  const again = (await owner.post('/teams', {}, key('k'))).refused(400, 'FIELD_REQUIRED', 'title');
  assert.equal(again.headers['idempotent-replayed'], 'true');
});

test('a refusal after the handler has written keeps nothing but the reply', async (t) => {
  const { owner } = await open(t);
  const bad = { title: 'Hook', type: 'HTTP', attributes: { url: 'no address' } };
  for (const replayed of [undefined, 'true']) {
    const reply = (await owner.post('/endpoints', bad, key('k'))).refused(400, 'FIELD_INVALID', 'attributes.url');
    assert.equal(reply.headers['idempotent-replayed'], replayed);
  }
  assert.equal(await owner.total('/endpoints'), 0);
  assert.equal((await owner.fetch('/audit_log', { action: 'ENDPOINT_CREATED' })).length, 0);
  await owner.create('/endpoints', { ...bad, attributes: { url: 'https://example.com/hook' } }, key('other'));
  assert.equal((await owner.fetch('/audit_log', { action: 'ENDPOINT_CREATED' })).length, 1);
});

test('a key is separate for each caller', async (t) => {
  const { owner, admin } = await open(t);
  await owner.create('/teams', { title: 'T' }, key('k'));
  const other = (await admin.post('/teams', { title: 'T' }, key('k'))).must(201);
  assert.equal(other.headers['idempotent-replayed'], undefined);
  assert.equal(await owner.total('/teams'), 2);
});

test('without credentials the header is ignored with a notice', async (t) => {
  const { anyone, owner } = await open(t);
  const body = { name: 'Ann', email: 'ann@home.example', subject: 'S', contents: 'C' };
  for (let i = 0; i < 2; i++) {
    const reply = (await anyone.post('/conversations', body, key('k'))).must(201).notes('Idempotency-Key');
    assert.equal(reply.headers['idempotent-replayed'], undefined);
  }
  assert.equal(await owner.total('/conversations'), 2);
});

test('the outcome is kept for 24 hours', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/teams', { title: 'T' }, key('k'));
  await desk.clock.forward(DAY - 10);
  assert.equal((await desk.owner.post('/teams', { title: 'T' }, key('k'))).must(201).headers['idempotent-replayed'], 'true');
  await desk.clock.forward(20);
  assert.equal((await desk.owner.post('/teams', { title: 'T' }, key('k'))).must(201).headers['idempotent-replayed'], undefined);
  assert.equal(await desk.owner.total('/teams'), 2);
});

test('the outcome survives a crash', async (t) => {
  const desk = await open(t, { base: 'http://desk.example' }); // the port changes, but the addresses in the kept reply don't
  const { id } = await desk.owner.create('/teams', { title: 'T' }, key('k'));
  await desk.kill();
  await desk.start();
  assert.equal((await desk.owner.post('/teams', { title: 'T' }, key('k'))).must(201).data.id, id);
  assert.equal(await desk.owner.total('/teams'), 1);
});

test('twenty concurrent requests with one key create one object', async (t) => {
  const { owner } = await open(t);
  const replies = await Promise.all(Array.from({ length: 20 }, () => owner.post('/teams', { title: 'T' }, key('k'))));
  for (const reply of replies) if (reply.status !== 201) reply.refused(409, 'REQUEST_IN_PROGRESS');
  const made = replies.filter((r) => r.status === 201);
  assert.equal(made.filter((r) => !r.headers['idempotent-replayed']).length, 1);
  assert.equal(new Set(made.map((r) => r.data.id)).size, 1);
  assert.equal(await owner.total('/teams'), 1);
});

test('a key that is too long or not printable is refused', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/teams', { title: 'T' }, key('k'.repeat(255)))).must(201);
  assert.equal((await owner.post('/teams', { title: 'T' }, key('k'.repeat(256)))).status, 400);
  assert.equal((await owner.post('/teams', { title: 'T' }, key('a\tb'))).status, 400);
});

test('PUT and DELETE ignore the header', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/teams', { title: 'T' });
  for (const title of ['A', 'B']) assert.equal((await owner.put(`/teams/${id}`, { title }, key('k'))).must(200).data.title, title);
});

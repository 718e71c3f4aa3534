import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const STRANGER = { name: 'Ann Example', email: 'ann@home.example', subject: 'My order', contents: 'Where is it?' };

async function world(t) {
  const desk = await open(t);
  const reply = (await desk.anyone.post('/conversations', STRANGER)).must(201);
  return { desk, id: reply.data.id, path: `/conversations/${reply.data.id}`, token: reply.headers['x-request-token'] };
}

test('the token reads its conversation without a login, and the reply has no new token', async (t) => {
  const { desk, path, id, token } = await world(t);
  assert.ok(token);
  const read = (await desk.anyone.get(path, { token })).must(200);
  assert.equal(read.data.id, id);
  assert.equal(read.headers['x-request-token'], undefined);
});

test('each GET of one conversation returns a token if the caller may see it, a 304 does not', async (t) => {
  const { desk, path } = await world(t);
  const read = (await desk.staff.get(path)).must(200);
  const token = read.headers['x-request-token'];
  (await desk.anyone.get(path, { token })).must(200);
  const same = (await desk.staff.get(path, {}, { 'If-None-Match': read.etag })).must(304);
  assert.equal(same.headers['x-request-token'], undefined);
  assert.equal((await desk.staff.get('/conversations')).must(200).headers['x-request-token'], undefined);
});

test('it is valid for 120 seconds', async (t) => {
  const { desk, path, token } = await world(t);
  await desk.clock.forward(119);
  (await desk.anyone.get(path, { token })).must(200);
  await desk.clock.forward(2);
  (await desk.anyone.get(path, { token })).refused(401, 'AUTHENTICATION_FAILED');
});

test('it does not read a conversation in the trash, deleted, suspended or merged', async (t) => {
  const { desk, path, id, token } = await world(t);
  const reads = (more) => desk.anyone.get(path, { token, ...more });
  (await reads()).must(200);
  await desk.staff.update(`/cases/${id}/trash`);
  for (const more of [{}, { include: '*' }, { fields: 'subject' }]) (await reads(more)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.ok(!(await reads()).text.includes(STRANGER.subject));
  const head = await desk.anyone.exchange('HEAD', `/api/v1${path}`, { query: { token } });
  assert.equal(head.status, 404);
  await desk.staff.update(`/cases/${id}/restore`);
  assert.equal((await reads()).must(200).data.subject, STRANGER.subject);
  const other = await desk.customer.create('/conversations', { subject: 'Other', contents: 'Other' });
  (await desk.staff.post(`/cases/${other.id}/merge`, { case_ids: [id], force: true })).must(200);
  (await reads()).refused(404, 'RESOURCE_NOT_FOUND');
});

test('an invalid token, or one of another conversation, is 401', async (t) => {
  const { desk, path, token } = await world(t);
  const other = (await desk.customer.post('/conversations', { subject: 'S', contents: 'C' })).must(201);
  for (const bad of ['x', '', '0'.repeat(64), `${token}0`, token.slice(0, -2), token.toUpperCase() === token ? token.toLowerCase() : token.toUpperCase(), other.headers['x-request-token'], 'é']) {
    const reply = await desk.anyone.get(path, { token: bad });
    assert.equal(reply.status, 401, `${bad}: ${reply}`);
  }
  (await desk.anyone.get('/conversations/999999', { token })).refused(401, 'AUTHENTICATION_FAILED');
});

test('the token opens one conversation and nothing else', async (t) => {
  const { desk, path, token } = await world(t);
  for (const address of [`${path}/messages`, `${path}/participants`, '/conversations', '/me', '/teams']) (await desk.anyone.get(address, { token })).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.anyone.put(path, { subject: 'No' }, { query: { token } })).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('with a token, other people show only id, name and avatar', async (t) => {
  const { desk, path, token } = await world(t);
  (await desk.staff.post(`${path}/messages`, { contents: 'On its way' })).must(201);
  const read = (await desk.anyone.get(path, { token, include: '*' })).must(200);
  const agent = read.data.last_agent_replier;
  assert.equal(agent.full_name, 'Agnes Agent');
  assert.ok(agent.avatar);
  for (const [name, value] of Object.entries(agent)) {
    if (!['id', 'full_name', 'avatar', 'resource_type', 'resource_url'].includes(name)) assert.ok(value === null || value?.length === 0, `${name} shows`);
  }
  assert.ok(!read.text.includes('agent@example.com'));
});

test('the token is valid after a restart', async (t) => {
  const { desk, path, token } = await world(t);
  await desk.kill();
  await desk.start();
  (await desk.anyone.get(path, { token })).must(200);
});

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { open } from './lib/index.mjs';

const picture = async (who, path) => (await who.exchange('GET', path));

test('the avatar of a person always answers: initials, and nothing a name could smuggle in', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/users', { full_name: 'Ada <script> "Byron"', email: 'ada@home.example' });
  const address = new URL((await desk.owner.fetch(`/users/${id}`)).avatar);
  const reply = await picture(desk.anyone, address.pathname + address.search);
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['content-type'], 'image/svg+xml');
  assert.match(reply.headers['content-security-policy'], /sandbox/);
  assert.equal(reply.headers['x-content-type-options'], 'nosniff');
  assert.ok(reply.text.includes('>A<') && !reply.text.includes('script'), reply.text);
  (await desk.anyone.get('/users/999/avatar')).refused(404, 'RESOURCE_NOT_FOUND');
});

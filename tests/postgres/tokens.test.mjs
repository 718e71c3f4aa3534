import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseUrl, open } from '../api/lib/index.mjs';
import { apiToken } from '../api/lib/tokens.mjs';
import { connection, psql, untilLocked } from './lib.mjs';

test('an API token that waits for a change of the password is refused, and one before it ends with it', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir);
  const { id, client } = await desk.person('agent');
  const login = await desk.session(client);
  const before = await apiToken(desk, login.client);
  const other = connection(t, url);
  await other.say(`BEGIN; SELECT id FROM users WHERE id = ${id} FOR UPDATE`); // both wait for the row, one after the other
  const changed = desk.owner.put(`/users/${id}`, { password: 'another correct horse' });
  await untilLocked(url, 1);
  const made = login.client.post('/profile/api_tokens', { name: 'Late' });
  await untilLocked(url, 2);
  await other.say('COMMIT');
  (await changed).must(200);
  (await made).refused(454, 'SESSION_LOADING_FAILED');
  (await before.client.get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  assert.equal(psql(url, `SELECT count(*) FROM api_tokens WHERE user_id = ${id}`), '0');
});

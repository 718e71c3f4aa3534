import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

// A refusal because of a state names the state and the alternative.

const message = (reply) => reply.refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE').body.errors[0].message;

test('a closed conversation names its state and suggests a new one, for replies and changes', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'It flickers.' });
  await desk.owner.update(`/conversations/${id}`, { status_id: 5 });
  const closed = 'The conversation is closed. Open a new one to continue.';
  assert.equal(message(await desk.customer.post(`/conversations/${id}/messages`, { contents: 'Still.' })), closed);
  assert.equal(message(await desk.owner.put(`/conversations/${id}`, { subject: 'Lamps' })), closed);
  assert.equal(message(await desk.owner.put(`/conversations/${id}`, { status_id: 2 })), closed);
});

test('a change to or from a status of an unknown type is an error of the server, and says so in the log', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'It flickers.' });
  desk.expects5xx = 500;
  sql(desk, 'UPDATE case_statuses SET type = 9 WHERE id = 3');
  (await desk.owner.put(`/conversations/${id}`, { status_id: 3 })).refused(500, 'INTERNAL_ERROR');
  await until('the line of the log', () => desk.log.includes(`the type of status 3 or of the status of conversation ${id} is unknown: run deskd check`));
  (await desk.owner.put(`/conversations/${id}`, { status_id: 2 })).must(200);
  sql(desk, `UPDATE cases SET status_type = 9 WHERE id = ${id}`);
  (await desk.owner.put(`/conversations/${id}`, { status_id: 4 })).refused(500, 'INTERNAL_ERROR');
});

test('a refused status names the allowed ones', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'It flickers.' });
  assert.equal(message(await desk.customer.put(`/conversations/${id}`, { status_id: 3 })),
    'Customers may set COMPLETED, or OPEN on a completed conversation. Ask an agent for another status.');
  await desk.owner.update(`/conversations/${id}`, { status_id: 2 });
  assert.equal(message(await desk.owner.put(`/conversations/${id}`, { status_id: 1 })),
    'The conversation can\'t return to a status of type NEW. Choose another status.');
});

test('a refused deletion names the reason and the step before it', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/roles', { title: 'Night shift', type: 'AGENT' });
  await desk.person('agent', { role_id: id });
  const said = async (path, query) => message(await desk.owner.delete(path, query));
  assert.equal(await said('/roles/1'), 'A built-in role can\'t be deleted. Delete a role of your own.');
  assert.equal(await said(`/roles/${id}`), 'People have this role. Give them another role first.');
  const { errors } = (await desk.owner.delete('/roles', { ids: `${id},1` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids/0', 'ids/1').body;
  assert.match(errors.find(({ pointer }) => pointer === 'ids/0').message, /^People have/);
  assert.equal(await said('/cases/statuses/5'), 'A built-in status can\'t be deleted. Delete a status of your own.');
  assert.equal(await said('/businesshours/1'), 'The default can\'t be deleted. Make another one the default first.');
  assert.equal(await said(`/users/${desk.people.owner.id}`), 'This is the last owner. Make another person an owner first.');
  const [email] = await desk.owner.fetch('/profile/identities/emails');
  assert.equal(await said(`/profile/identities/emails/${email.id}`), 'This is the last address of a person with a password. Add another address first.');
  assert.equal(message(await desk.owner.put(`/profile/identities/emails/${email.id}/verification`)),
    'The address is already verified. No further step is needed.');
  assert.equal(message(await desk.owner.put(`/identities/emails/${email.id}`, { is_primary: false })),
    'This identity is the primary one. Make another one primary instead.');
});

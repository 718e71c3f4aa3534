import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, open, raw, until, when } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';
import { newArticle } from '../api/lib/published.mjs';
import { connection, psql, untilLocked } from './lib.mjs';

test('a conversation opened while its requester moves is in the new organization', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir);
  const [from, to] = await Promise.all(['From', 'To'].map((name) => desk.owner.create('/organizations', { name, is_shared: true })));
  const { id, client } = await desk.person('customer', { organization_id: from.id });
  await client.create('/conversations', { subject: 'S', contents: 'C' });
  const other = connection(t, url);
  await other.say('BEGIN; LOCK TABLE case_totals IN SHARE MODE'); // the row has it, the totals don't yet
  const opened = client.post('/conversations', { subject: 'S', contents: 'C' });
  await untilLocked(url, 1);
  const moved = desk.owner.put(`/users/${id}`, { organization_id: to.id });
  await untilLocked(url, 2);
  await other.say('COMMIT');
  (await opened).must(201);
  (await moved).must(200);
  assert.equal(psql(url, `SELECT string_agg(COALESCE(organization_id, 0)::text, ' ') FROM cases WHERE requester_id = ${id}`), `${to.id} ${to.id}`);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('a trigger that notifies an endpoint during its deletion is refused', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir);
  const { id } = await desk.owner.create('/endpoints', { title: 'Going', type: 'HTTP', attributes: { url: 'https://hook.example/' } });
  const other = connection(t, url);
  await other.say(`BEGIN; UPDATE endpoints SET deleted_at = 1 WHERE id = ${id}`);
  const made = desk.owner.post('/triggers', { title: 'Hook', predicate_collections: when(['tags.name', 'collection_contains_any_insensitive', 'x']), actions: [act(`endpoint_${id}`, 'SEND', 'Changed.')] });
  await untilLocked(url, 1);
  await other.say('COMMIT');
  (await made).refused(400, 'FIELD_INVALID', 'actions[0].name');
  assert.equal(psql(url, 'SELECT count(*) FROM triggers WHERE title = \'Hook\''), '0');
});

test('a person added to an organization during its deletion is in none, or the request is refused', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir);
  const { id } = await desk.owner.create('/organizations', { name: 'Going' });
  const other = connection(t, url);
  await other.say(`BEGIN; UPDATE organizations SET is_shared = 1 WHERE id = ${id}`); // both wait for the lock, one after the other
  const deleted = desk.owner.delete(`/organizations/${id}`);
  await untilLocked(url, 1);
  const made = desk.owner.post('/users', { full_name: 'Late', email: 'late@people.example', organization_id: id });
  await untilLocked(url, 2);
  await other.say('COMMIT');
  (await deleted).must(200);
  const reply = await made;
  if (reply.status === 201) assert.equal((await desk.owner.fetch(`/users/${reply.data.id}`)).organization, null);
  else reply.refused(400, 'FIELD_INVALID', 'organization_id');
  assert.equal(psql(url, `SELECT count(*) FROM users WHERE organization_id = ${id}`), '0');
  assert.equal(psql(url, `SELECT count(*) FROM organizations WHERE id = ${id}`), '0');
});

test('a conversation whose status changes during the deletion of its team is counted once', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir);
  const team = await desk.owner.create('/teams', { title: 'Going' });
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push((await desk.customer.create('/conversations', { subject: 'S', contents: 'C' })).id);
  psql(url, `UPDATE cases SET assigned_team_id = ${team.id};
    INSERT INTO case_totals (kind, id, with_id, priority_id, shard, n1, n2, n3, n4, n5, n6) VALUES (1, 0, 0, 0, 99, -3, 0, 0, 0, 0, 0), (1, ${team.id}, 0, 0, 99, 3, 0, 0, 0, 0, 0), (1, ${team.id}, -1, 0, 99, 3, 0, 0, 0, 0, 0)`);
  assert.equal(desk.check().status, 0, desk.check().stdout);
  const other = connection(t, url);
  await other.say(`BEGIN; SELECT id FROM cases WHERE id = ${ids[1]} FOR UPDATE`);
  const changed = desk.owner.put(`/conversations/${ids[1]}`, { status_id: 4 });
  await untilLocked(url, 1);
  const deleted = desk.owner.delete(`/teams/${team.id}`);
  await untilLocked(url, 2);
  await other.say('COMMIT');
  (await changed).must(200);
  (await deleted).must(200);
  assert.equal(psql(url, `SELECT count(*) FROM case_totals WHERE kind = 1 AND id = ${team.id}`), '0');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('concurrent uploads of one person share one quota of unattached files', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir);
  await desk.owner.update('/settings', { values: { 'files.unattached_megabytes': 1 } });
  await desk.customer.fetch('/profile'); // logs in and creates the session
  const other = connection(t, url);
  await other.say('BEGIN; LOCK TABLE files IN SHARE MODE'); // the sum can be read, and the insert waits
  const uploads = ['a', 'b'].map((letter) => desk.customer.post('/files', raw('text/plain', letter.repeat(600_000))));
  await untilLocked(url, 2);
  await other.say('COMMIT');
  assert.deepEqual((await Promise.all(uploads)).map((reply) => reply.status).sort(), [201, 413]);
});

test('a comment posted while its article is deleted is refused, and leaves nothing behind', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir), id = await newArticle(desk);
  const other = connection(t, url);
  await desk.customer.create(`/articles/${id}/comments`, { contents: 'In time' });
  await other.say(`BEGIN; SELECT id FROM articles WHERE id = ${id} FOR UPDATE`); // both wait for the lock, one after the other
  const deleted = desk.owner.delete(`/articles/${id}`);
  await untilLocked(url, 1);
  const posted = desk.customer.post(`/articles/${id}/comments`, { contents: 'Late' });
  await until('both to wait', () => Number(psql(url, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")) === 2);
  await other.say('COMMIT');
  (await deleted).must(200);
  (await posted).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(psql(url, `SELECT (SELECT count(*) FROM article_comments) + (SELECT count(*) FROM articles WHERE id = ${id})`), '0');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('an article is deleted with a comment that was being posted', async (t) => {
  const desk = await open(t), url = databaseUrl(desk.dir), id = await newArticle(desk);
  const other = connection(t, url);
  await desk.customer.create(`/articles/${id}/comments`, { contents: 'The first' });
  await other.say('BEGIN; LOCK TABLE article_comments IN SHARE MODE'); // the comment's article is locked, the row waits
  const posted = desk.customer.post(`/articles/${id}/comments`, { contents: 'The second' });
  await untilLocked(url, 1);
  const deleted = desk.owner.delete(`/articles/${id}`);
  await untilLocked(url, 2);
  await other.say('COMMIT');
  (await posted).must(201);
  (await deleted).must(200);
  assert.equal(psql(url, `SELECT (SELECT count(*) FROM article_comments) + (SELECT count(*) FROM articles WHERE id = ${id})`), '0');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { asked, clean, open } from './lib/index.mjs';

test('a customer rates a conversation, in either letter case, and changes the rating', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const path = `/conversations/${id}/ratings`;
  assert.deepEqual((await desk.customer.get(path)).must(200).body.data, []);
  const reply = (await desk.customer.post(path, { score: 'good', comment: 'Fine\nand fast' })).must(200);
  const { id: rating, created_at, updated_at, ...rest } = reply.data;
  assert.deepEqual(rest, { score: 'GOOD', comment: 'Fine\nand fast', conversation: { id, resource_type: 'conversation' }, creator: { id: desk.people.customer.id, resource_type: 'user_minimal' } });
  assert.equal(reply.body.resource, 'conversation_rating');
  assert.equal(created_at, updated_at);
  await desk.clock.forward(60);
  const changed = (await desk.customer.put(`${path}/${rating}`, { score: 'Bad' })).must(200).data;
  assert.deepEqual([changed.id, changed.score, changed.comment, changed.created_at], [rating, 'BAD', 'Fine\nand fast', created_at]);
  assert.notEqual(changed.updated_at, updated_at);
  assert.equal((await desk.customer.put(`${path}/${rating}`, { comment: null })).must(200).data.comment, null);
  const list = (await desk.customer.get(path)).must(200).body;
  assert.deepEqual([list.total_count, list.resource, list.data.map((r) => r.score)], [1, 'conversation_rating', ['BAD']]);
  clean(desk);
});

test('a closed conversation can be rated, one in the trash can not', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  (await desk.owner.put(`/cases/${id}`, { status_id: 5 })).must(200);
  const rating = (await desk.customer.post(`/conversations/${id}/ratings`, { score: 'GOOD' })).must(200).data;
  (await desk.customer.put(`/conversations/${id}/ratings/${rating.id}`, { score: 'BAD' })).must(200);
  (await desk.owner.put(`/cases/${id}/trash`)).must(200);
  for (const who of [desk.customer, desk.owner]) {
    (await who.get(`/conversations/${id}/ratings`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await who.post(`/conversations/${id}/ratings`, { score: 'GOOD' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await who.put(`/conversations/${id}/ratings/${rating.id}`, { score: 'GOOD' })).refused(404, 'RESOURCE_NOT_FOUND');
  }
  assert.deepEqual((await desk.owner.fetch('/cases/ratings/recent')), []);
});

test('a bad score or comment is refused', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const path = `/conversations/${id}/ratings`;
  (await desk.customer.post(path, {})).refused(400, 'FIELD_REQUIRED', 'score');
  (await desk.customer.post(path, { score: '' })).refused(400, 'FIELD_EMPTY', 'score');
  for (const score of ['GREAT', 1, 'NULL']) (await desk.customer.post(path, { score })).refused(400, 'FIELD_INVALID', 'score');
  (await desk.customer.post(path, { score: 'GOOD', comment: 'x'.repeat(70000) })).refused(400, 'FIELD_INVALID', 'comment');
  const { id: rating } = (await desk.customer.post(path, { score: 'GOOD' })).must(200).data;
  (await desk.customer.put(`${path}/${rating}`, { score: 'FINE' })).refused(400, 'FIELD_INVALID', 'score');
  (await desk.customer.put(`${path}/999999`, { score: 'BAD' })).refused(404, 'RESOURCE_NOT_FOUND');
  const other = await asked(desk.customer);
  (await desk.customer.put(`/conversations/${other.id}/ratings/${rating}`, { score: 'BAD' })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await desk.customer.put(`${path}/${rating}`, {})).must(200).data.score, 'GOOD');
});

test('callers who see the conversation see its rating; only its creator, the requester and admins change it', async (t) => {
  const desk = await open(t);
  const organization = await desk.owner.create('/organizations', { name: 'O', is_shared: true });
  const member = { organization_id: organization.id, organization_case_access: 'ORGANIZATION' };
  const [requester, colleague, other] = [await desk.person('customer', member), await desk.person('customer', member), await desk.person('customer')];
  const self = await desk.person('agent', { agent_case_access: 'SELF' });
  const { id } = await asked(requester.client);
  const path = `/conversations/${id}/ratings`;
  const { id: rating } = (await colleague.client.post(path, { score: 'GOOD' })).must(200).data;
  for (const who of [requester.client, colleague.client, desk.as('collaborator'), desk.staff, desk.admin, desk.owner]) assert.equal((await who.fetch(path))[0].creator.id, colleague.id);
  for (const who of [other.client, self.client]) {
    (await who.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
    (await who.post(path, { score: 'BAD' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await who.put(`${path}/${rating}`, { score: 'BAD' })).refused(404, 'RESOURCE_NOT_FOUND');
  }
  (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.anyone.post(path, { score: 'BAD' })).refused(401, 'AUTHORIZATION_REQUIRED');
  for (const who of [desk.as('collaborator'), desk.staff]) (await who.put(`${path}/${rating}`, { score: 'BAD' })).refused(403, 'PERMISSIONS_DENIED');
  for (const who of [colleague.client, requester.client, desk.admin, desk.owner]) (await who.put(`${path}/${rating}`, { score: 'BAD' })).must(200);
});

test('a fingerprint rates the conversations made with it, and sees people under pseudonyms', async (t) => {
  const desk = await open(t);
  const [who, other] = [1, 2].map(() => desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() }));
  const made = await asked(who, { name: 'N', email: desk.people.customer.email });
  const path = `/conversations/${made.id}/ratings`;
  const rating = (await who.post(path, { score: 'BAD' })).must(200).data;
  assert.equal(rating.creator.id, made.requester.id);
  assert.notEqual(rating.creator.id, desk.people.customer.id);
  assert.deepEqual((await who.fetch(path)).map((r) => r.creator.id), [made.requester.id]);
  assert.equal((await who.put(`${path}/${rating.id}`, { score: 'GOOD' })).must(200).data.score, 'GOOD');
  (await other.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  (await other.put(`${path}/${rating.id}`, { score: 'BAD' })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await desk.staff.fetch(path))[0].creator.id, desk.people.customer.id);
  const own = await asked(desk.customer);
  (await who.post(`/conversations/${own.id}/ratings`, { score: 'BAD' })).refused(404, 'RESOURCE_NOT_FOUND');
});

test('a case shows its score, and the change log and the trail record it', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const before = await desk.staff.fetch(`/cases/${id}`);
  assert.deepEqual([before.rating, before.rating_status], [null, 'UNOFFERED']);
  const { cursor } = (await desk.owner.get('/changes', { limit: 1000 })).must(200).data.at(-1);
  const rating = (await desk.customer.post(`/conversations/${id}/ratings`, { score: 'GOOD', comment: 'private' })).must(200).data;
  (await desk.customer.put(`/conversations/${id}/ratings/${rating.id}`, { score: 'BAD', comment: 'other' })).must(200);
  (await desk.customer.put(`/conversations/${id}/ratings/${rating.id}`, { score: 'BAD', comment: 'other' })).must(200);
  const second = (await desk.customer.post(`/conversations/${id}/ratings`, { score: 'GOOD' })).must(200).data;
  (await desk.customer.put(`/conversations/${id}/ratings/${second.id}`, { score: 'BAD' })).must(200);
  const after = await desk.staff.fetch(`/cases/${id}`);
  assert.deepEqual([after.rating, after.rating_status], ['BAD', 'RECEIVED']);
  const changes = (await desk.owner.get('/changes', { after: cursor, limit: 1000 })).must(200).data.map((c) => [c.resource_type, c.resource_id, c.property, c.from, c.to]);
  assert.deepEqual(changes, [
    ['conversation_rating', rating.id, null, null, null],
    ['case', id, 'rating', null, 'GOOD'],
    ['conversation_rating', rating.id, 'score', 'GOOD', 'BAD'],
    ['conversation_rating', rating.id, 'comment', null, null],
    ['case', id, 'rating', 'GOOD', 'BAD'],
    ['conversation_rating', second.id, null, null, null],
    ['case', id, 'rating', 'BAD', 'GOOD'],
    ['conversation_rating', second.id, 'score', 'GOOD', 'BAD'], // and no comment, because none was given
    ['case', id, 'rating', 'GOOD', 'BAD'],
  ]);
  const trail = await desk.staff.fetch(`/cases/${id}/activities`, { limit: 100 });
  assert.ok(trail.some((a) => JSON.stringify(a).includes('rating')));
});

test('the newest ratings are those of conversations that the caller sees, and of one person on demand', async (t) => {
  const desk = await open(t);
  const other = await desk.person('customer');
  const [mine, theirs] = [await asked(desk.customer), await asked(other.client)];
  (await desk.customer.post(`/conversations/${mine.id}/ratings`, { score: 'GOOD', comment: 'c' })).must(200);
  (await other.client.post(`/conversations/${theirs.id}/ratings`, { score: 'BAD' })).must(200);
  const all = (await desk.staff.get('/cases/ratings/recent')).must(200);
  assert.deepEqual(all.data.map(({ created_at, ...item }) => item), [
    { case: { id: theirs.id, resource_type: 'case' }, score: 'BAD', comment: null, creator: { id: other.id, resource_type: 'user_minimal' } },
    { case: { id: mine.id, resource_type: 'case' }, score: 'GOOD', comment: 'c', creator: { id: desk.people.customer.id, resource_type: 'user_minimal' } },
  ]);
  assert.deepEqual((await desk.staff.fetch('/cases/ratings/recent', { limit: 1 })).map((r) => r.score), ['BAD']);
  assert.deepEqual((await desk.staff.fetch('/cases/ratings/recent', { user_id: desk.people.customer.id })).map((r) => r.score), ['GOOD']);
  const self = await desk.person('agent', { agent_case_access: 'SELF' });
  assert.deepEqual(await self.client.fetch('/cases/ratings/recent'), []);
  (await desk.owner.put(`/cases/${mine.id}`, { assigned_agent_id: self.id })).must(200);
  assert.deepEqual((await self.client.fetch('/cases/ratings/recent')).map((r) => r.case.id), [mine.id]);
  (await desk.customer.get('/cases/ratings/recent')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get('/cases/ratings/recent')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('further ratings are stored; the list is oldest first, and the case shows the newest', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const path = `/conversations/${id}/ratings`;
  const rate = async (who, score, comment) => (await who.post(path, { score, comment })).must(200).data.id;
  const shown = async () => (await desk.staff.fetch(`/cases/${id}`)).rating;
  const first = await rate(desk.customer, 'GOOD', 'one');
  const second = await rate(desk.customer, 'BAD', 'two');
  assert.equal(await shown(), 'BAD');
  const third = await rate(desk.staff, 'BAD', 'three');
  await desk.clock.forward(60);
  (await desk.customer.put(`${path}/${first}`, { comment: 'later' })).must(200);
  (await desk.customer.put(`${path}/${second}`, { score: 'GOOD' })).must(200);
  const list = (await desk.customer.get(path)).must(200).body;
  assert.deepEqual(list.data.map((r) => [r.id, r.score, r.comment]), [[first, 'GOOD', 'later'], [second, 'GOOD', 'two'], [third, 'BAD', 'three']]);
  assert.equal(list.total_count, 3);
  assert.equal(await shown(), 'BAD', 'a change of an older rating does not change the case');
  (await desk.admin.put(`${path}/${third}`, { score: 'GOOD' })).must(200);
  assert.equal(await shown(), 'GOOD');
  assert.deepEqual((await desk.staff.fetch('/cases/ratings/recent')).map((r) => r.comment), ['three', 'two', 'later']);
  clean(desk);
  desk.sql(`UPDATE cases SET rating = 2 WHERE id = ${id}`);
  assert.match(desk.check().stdout, new RegExp(`\\b${id}\\b`), 'the check compares with the newest rating');
});

test('a conversation takes a hundred ratings, also at the same time', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const path = `/conversations/${id}/ratings`;
  const replies = await Promise.all(Array.from({ length: 104 }, (_, i) => desk.customer.post(path, { score: i % 2 ? 'GOOD' : 'BAD' })));
  assert.deepEqual([200, 400].map((status) => replies.filter((r) => r.status === status).length), [100, 4]);
  (await desk.customer.post(path, { score: 'GOOD' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  const list = await desk.customer.fetch(path);
  assert.equal(list.length, 100);
  assert.equal((await desk.staff.fetch(`/cases/${id}`)).rating, list.at(-1).score);
  clean(desk);
});

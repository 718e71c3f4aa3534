import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { ROLES, shared } from './lib/index.mjs';
import { newArticle } from './lib/published.mjs';

describe('votes on articles:', () => {
  const world = shared(() => {}, { args: ['--public-writes', '1000'] });
  const fingerprint = (uuid = randomUUID()) => world.desk.anyone.with({ 'X-Fingerprint-ID': uuid });
  const counts = ({ upvote_count, downvote_count, rank }) => [upvote_count, downvote_count, rank];
  const up = (id) => `/articles/${id}/upvote`;
  const down = (id) => `/articles/${id}/downvote`;
  const send = async (who, method, path) => counts((await who[method](path)).must(200).data);

  test('every role and every fingerprint has one vote, and an opposite vote replaces it', async () => {
    const { desk } = world;
    const id = await newArticle(desk);
    let people = 0;
    for (const who of [fingerprint(), fingerprint(), ...ROLES.map((role) => desk.as(role))]) {
      const reply = (await who.post(up(id))).must(200);
      assert.deepEqual([reply.body.resource, reply.data.id, ...counts(reply.data)], ['article', id, people + 1, 0, 10 * (people + 1)]);
      assert.deepEqual(await send(who, 'post', up(id)), [people + 1, 0, 10 * (people + 1)]);
      assert.deepEqual(await send(who, 'post', down(id)), [people, 1, 10 * people - 10]);
      assert.deepEqual(await send(who, 'delete', up(id)), [people, 1, 10 * people - 10]); // there is no such vote any more
      assert.deepEqual(await send(who, 'delete', down(id)), [people, 0, 10 * people]);
      assert.deepEqual(await send(who, 'delete', down(id)), [people, 0, 10 * people]);
      await send(who, 'post', up(id));
      people++;
    }
    assert.equal(desk.sql(`SELECT COUNT(*) FROM article_votes WHERE article_id = ${id}`), '7');
    for (const method of ['post', 'delete']) for (const path of [up(id), down(id)]) (await desk.anyone[method](path)).refused(401, 'AUTHORIZATION_REQUIRED');
    (await desk.anyone.with({ 'X-Fingerprint-ID': 'no uuid' }).post(up(id))).refused(400, 'FIELD_INVALID', '_fingerprint_id');
  });

  test('a fingerprint beside a login does not vote', async () => {
    const { desk } = world;
    const id = await newArticle(desk);
    const uuid = randomUUID();
    assert.deepEqual(await send(desk.customer.with({ 'X-Fingerprint-ID': uuid }), 'post', up(id)), [1, 0, 10]);
    assert.deepEqual(await send(desk.customer, 'post', up(id)), [1, 0, 10]);
    assert.deepEqual(await send(fingerprint(uuid), 'post', down(id)), [1, 1, 0]);
  });

  test('only callers who see the article vote', async () => {
    const { desk } = world;
    const customers = await newArticle(desk, { visibility: 'AUTHORIZED' });
    const staffs = await newArticle(desk, { visibility: 'AGENTS' });
    const draft = await newArticle(desk, { status: 'DRAFT' });
    for (const method of ['post', 'delete']) {
      for (const path of [up, down]) {
        for (const id of [customers, staffs, draft, 999999]) (await fingerprint()[method](path(id))).refused(404, 'RESOURCE_NOT_FOUND');
        for (const id of [staffs, draft]) (await desk.customer[method](path(id))).refused(404, 'RESOURCE_NOT_FOUND');
        (await desk.customer[method](path(customers))).must(200);
        (await desk.as('collaborator')[method](path(draft))).refused(404, 'RESOURCE_NOT_FOUND');
      }
    }
    assert.equal(desk.sql(`SELECT COUNT(*) FROM article_votes WHERE article_id IN (${staffs}, ${draft})`), '0');
  });

  test('parallel votes of one fingerprint, and of many, leave exact counts', async () => {
    const { desk } = world;
    const id = await newArticle(desk);
    const one = fingerprint();
    await Promise.all(Array.from({ length: 30 }, (_, i) => one[i % 5 ? 'post' : 'delete'](i % 2 ? up(id) : down(id))));
    await send(one, 'post', up(id));
    assert.deepEqual(await send(one, 'post', up(id)), [1, 0, 10]);
    await Promise.all(Array.from({ length: 30 }, (_, i) => fingerprint().post(i % 3 ? up(id) : down(id))));
    assert.deepEqual(await send(one, 'delete', down(id)), [21, 10, 110]);
    assert.equal(desk.sql(`SELECT SUM(is_up), COUNT(*) FROM article_votes WHERE article_id = ${id}`).replace(/\D+/, ' '), '21 31');
  });

  test('deskd check finds nothing wrong', () => {
    const { status, stdout } = world.desk.check();
    assert.equal(status, 0, stdout);
  });
});

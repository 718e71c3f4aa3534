import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ROLES, shared } from './lib/index.mjs';
import { newArticle } from './lib/published.mjs';
import { sql } from './lib/sql.mjs';

const STAFF = ['collaborator', 'agent', 'admin', 'owner'];

describe('comments on articles:', () => {
  const world = shared(async (w) => {
    (await w.desk.owner.put('/settings', { values: { 'helpcenter.comments_a_minute': '0' } })).must(200);
  });
  const on = (id, more = '') => `/articles/${id}/comments${more}`;
  const article = (more) => newArticle(world.desk, more);
  const counted = (id) => Number(world.desk.sql(`SELECT total_comments FROM articles WHERE id = ${id}`));
  const said = async (who, id, contents, more = {}) => who.create(on(id), { contents, ...more });
  const spam = async (id, comment) => (await world.desk.staff.put(on(id, `/${comment}/spam`))).must(200);
  const publish = async (id, comment) => (await world.desk.staff.put(on(id, `/${comment}/publish`))).must(200);

  test('every logged-in role comments, and everyone reads the comments, the newest first', async () => {
    const { desk } = world;
    const id = await article();
    const made = [];
    for (const role of ROLES) {
      const { data, headers } = (await desk.as(role).post(on(id), { contents: `by ${role}` })).must(201);
      assert.ok(headers['x-api-version']);
      made.unshift(data.id);
    }
    (await desk.anyone.post(on(id), { contents: 'x' })).refused(401, 'AUTHORIZATION_REQUIRED');
    for (const who of [desk.anyone, ...ROLES.map((role) => desk.as(role))]) {
      const { body } = (await who.get(on(id))).must(200);
      assert.deepEqual([body.resource, body.total_count, body.data.map((c) => c.id)], ['comment', 5, made]);
    }
    assert.equal(counted(id), 5);
    const { id: first, created_at, updated_at, ...rest } = await desk.anyone.fetch(on(id, `/${made[4]}`));
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, {
      contents: 'by owner', is_html: false, status: 'PUBLISHED', user: { id: desk.people.owner.id, resource_type: 'user_minimal' }, parent: null, replies: [],
      is_liked: false, like_count: 0, resource_type: 'comment', resource_url: `${desk.base}/api/v1/articles/${id}/comments/${first}`,
    });
    const [newest] = await desk.anyone.fetch(on(id), { include: 'user_minimal', limit: 1 });
    assert.equal(newest.user.full_name, 'Cora Customer');
    assert.deepEqual((await desk.anyone.get(on(id), { offset: 2, limit: 2 })).must(200).ids, made.slice(2, 4));
  });

  test('contents are required, on POST and on PUT', async () => {
    const { desk } = world;
    const id = await article();
    const comment = await said(desk.customer, id, 'text');
    for (const [send, path] of [['post', on(id)], ['put', on(id, `/${comment.id}`)]]) {
      (await desk.customer[send](path, {})).refused(400, 'FIELD_REQUIRED', 'contents');
      (await desk.customer[send](path, { contents: ' ' })).refused(400, 'FIELD_EMPTY', 'contents');
      (await desk.customer[send](path, { contents: 'x'.repeat(65536) })).refused(400, 'FIELD_INVALID', 'contents');
      (await desk.customer[send](path, { contents: ['x'] })).refused(400, 'FIELD_INVALID', 'contents');
    }
    (await desk.customer.post(on(id), { contents: 'x', is_html: 'perhaps', parent_id: 'none' })).refused(400, 'FIELD_INVALID', 'is_html', 'parent_id');
    (await desk.customer.get(on(id), { filter: 'HIDDEN' })).refused(400, 'FIELD_INVALID', 'filter');
    assert.deepEqual([(await desk.customer.get(on(id))).must(200).body.total_count, counted(id)], [1, 1]);
  });

  test('comments are visible as their article is', async () => {
    const { desk } = world;
    for (const [more, readers] of [[{ visibility: 'AUTHORIZED' }, ROLES], [{ visibility: 'AGENTS' }, STAFF], [{ status: 'DRAFT' }, ['agent', 'admin', 'owner']]]) {
      const id = await article(more);
      const comment = await said(desk.staff, id, 'hidden');
      for (const role of ['nobody', ...ROLES]) {
        const who = role === 'nobody' ? desk.anyone : desk.as(role);
        const sees = readers.includes(role);
        for (const path of [on(id), on(id, `/${comment.id}`)]) {
          const reply = await who.get(path);
          if (sees) reply.must(200);
          else reply.refused(404, 'RESOURCE_NOT_FOUND');
        }
        if (role === 'nobody' || sees) continue;
        (await who.post(on(id), { contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
        (await who.put(on(id, `/${comment.id}`), { contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
        (await who.delete(on(id, `/${comment.id}`))).refused(404, 'RESOURCE_NOT_FOUND');
        for (const send of ['get', 'post', 'delete']) (await who[send](on(id, `/${comment.id}/likes`))).refused(404, 'RESOURCE_NOT_FOUND');
      }
    }
    const [a, b] = [await article(), await article()];
    const comment = await said(desk.staff, a, 'of a');
    (await desk.anyone.get(on(b, `/${comment.id}`))).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.put(on(b, `/${comment.id}/spam`))).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.post(on(b, `/${comment.id}/likes`))).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.anyone.get(on(999999))).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.post(on(999999), { contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('staff mark a comment as spam and publish it, with and without .json, as often as they like', async () => {
    const { desk } = world;
    const id = await article();
    const { id: comment } = await said(desk.customer, id, 'cheap pills');
    const other = await said(desk.customer, id, 'honest');
    for (const action of ['spam', 'publish', 'spam.json', 'publish.json']) {
      (await desk.anyone.put(on(id, `/${comment}/${action}`))).refused(401, 'AUTHORIZATION_REQUIRED');
      (await desk.customer.put(on(id, `/${comment}/${action}`))).refused(403, 'PERMISSIONS_DENIED');
      for (const role of STAFF) {
        const reply = (await desk.as(role).put(on(id, `/${comment}/${action}`))).must(200);
        assert.deepEqual(Object.keys(reply.body).filter((name) => name !== 'session_id'), ['status']);
      }
      const isSpam = action.startsWith('spam');
      assert.equal(counted(id), isSpam ? 1 : 2);
      for (const who of [desk.anyone, desk.customer]) {
        assert.deepEqual((await who.get(on(id))).ids, isSpam ? [other.id] : [other.id, comment]);
        assert.deepEqual((await who.get(on(id), { filter: 'SPAM' })).must(200).body.data, []);
        (await who.get(on(id, `/${comment}`))).must(isSpam ? 404 : 200);
      }
      assert.deepEqual((await desk.staff.get(on(id))).ids, [other.id, comment]);
      assert.deepEqual((await desk.staff.get(on(id), { filter: 'spam' })).ids, isSpam ? [comment] : []);
      assert.deepEqual((await desk.staff.get(on(id), { filter: 'PUBLISHED' })).ids, isSpam ? [other.id] : [other.id, comment]);
      assert.equal((await desk.staff.fetch(on(id, `/${comment}`))).status, isSpam ? 'SPAM' : 'PUBLISHED');
    }
    await spam(id, comment);
    // The author is no exception: for customers spam does not exist.
    (await desk.customer.put(on(id, `/${comment}`), { contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.customer.delete(on(id, `/${comment}`))).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.customer.post(on(id, `/${comment}/likes`))).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('the list of the whole desk begins with the comments of customers that staff have not looked at', async () => {
    const { desk } = world;
    const id = await article(), other = await article();
    const queue = async (who, filter) => {
      const { body } = (await who.get('/comments', { limit: 1000, ...(filter ? { filter } : {}) })).must(200);
      assert.equal(body.total_count, body.data.length);
      return body.data.map((c) => c.id).filter((one) => made.includes(one));
    };
    const waiting = async () => queue(desk.staff, 'WAITING'), made = [];
    const write = async (...args) => { const { id: one } = await said(...args); made.push(one); return one; };
    const first = await write(desk.customer, id, 'first'), second = await write(desk.customer, other, 'second');
    const reply = await write(desk.customer, id, 'reply', { parent_id: first }), own = await write(desk.staff, id, 'by staff');
    assert.deepEqual(await waiting(), [reply, second, first]);
    assert.deepEqual(await queue(desk.staff, 'PUBLISHED'), [own, reply, second, first]);

    await publish(other, second);
    assert.deepEqual([await waiting(), await queue(desk.staff)], [[reply, first], [own, reply, second, first]]);
    (await desk.customer.put(on(other, `/${second}`), { contents: 'something else' })).must(200);
    assert.deepEqual(await waiting(), [reply, second, first], 'a changed one waits again');
    await spam(id, first);
    assert.deepEqual(await waiting(), [second], 'nor does a reply that nobody sees');
    assert.deepEqual([await queue(desk.staff, 'SPAM'), await queue(desk.staff, 'PUBLISHED')], [[first], [own, second]]);
    await publish(id, first);
    assert.deepEqual([await waiting(), await queue(desk.staff, 'SPAM')], [[reply, second], []]);

    const [{ article: of, is_waiting }] = (await desk.staff.get('/comments', { fields: '+article,+is_waiting', ids: second })).must(200).body.data;
    assert.deepEqual([of.id, is_waiting], [other, true]);
    const page = (await desk.staff.get('/comments', { filter: 'PUBLISHED', limit: 1 })).must(200).body;
    assert.equal(page.total_count, (await desk.staff.get('/comments', { filter: 'PUBLISHED', limit: 1000 })).must(200).body.data.length, 'pages have the count of all');
    assert.equal((await desk.customer.get(on(other), { fields: '+is_waiting' })).must(200).body.data[0].is_waiting ?? null, null);
  });

  test('the list of the whole desk has what the caller sees, and is closed to customers', async () => {
    const { desk } = world;
    const team = await desk.owner.create('/teams', { title: 'Writers' }), ada = await desk.person('agent'), eve = await desk.person('agent');
    (await desk.owner.post(`/teams/${team.id}/members`, { agent_ids: [ada.id] })).must(201);
    const open_ = await article(), inside = await article({ visibility: 'AGENTS' }), draft = await article({ status: 'DRAFT' });
    const { section } = await desk.owner.fetch(`/articles/${inside}`);
    await desk.owner.update(`/sections/${section.id}`, { team_ids: [team.id] });
    const made = { open: (await said(desk.owner, open_, 'a')).id, inside: (await said(desk.owner, inside, 'b')).id, draft: (await said(desk.owner, draft, 'c')).id };
    const seen = async (who) => { const { body } = (await who.get('/comments', { filter: 'PUBLISHED', limit: 1000 })).must(200); assert.equal(body.total_count, body.data.length); return Object.keys(made).filter((name) => body.data.some(({ id }) => id === made[name])); };
    assert.deepEqual(await seen(desk.owner), ['open', 'inside', 'draft']);
    assert.deepEqual(await seen(desk.as('collaborator')), ['open']);
    assert.deepEqual(await seen(ada.client), ['open', 'inside', 'draft']);
    assert.deepEqual(await seen(eve.client), ['open', 'draft']);
    (await desk.customer.get('/comments')).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get('/comments')).refused(401, 'AUTHORIZATION_REQUIRED');
    (await desk.staff.get('/comments', { filter: 'HIDDEN' })).refused(400, 'FIELD_INVALID', 'filter');
  });

  test('replies are shown in their comment, one level deep', async () => {
    const { desk } = world;
    const id = await article();
    const top = await said(desk.customer, id, 'top');
    const reply = await said(desk.staff, id, 'reply', { parent_id: top.id });
    assert.deepEqual(reply.parent, { id: top.id, resource_type: 'comment' });
    const late = await said(desk.customer, id, 'late', { parent_id: top.id });
    (await desk.staff.post(on(id), { contents: 'x', parent_id: reply.id })).refused(400, 'FIELD_INVALID', 'parent_id');
    const absent = (await desk.staff.post(on(id), { contents: 'x', parent_id: 999999 })).refused(400, 'FIELD_INVALID', 'parent_id');
    assert.equal(absent.body.errors[0].message, 'There is no comment with this id, or you may not see it. GET /comments lists those that you see.');
    const elsewhere = await said(desk.staff, await article(), 'elsewhere');
    (await desk.staff.post(on(id), { contents: 'x', parent_id: elsewhere.id })).refused(400, 'FIELD_INVALID', 'parent_id');
    const ids = async (who) => (await who.fetch(on(id))).map((c) => [c.id, c.replies.map((r) => r.id)]);
    assert.deepEqual(await ids(desk.anyone), [[top.id, [reply.id, late.id]]]);
    assert.equal(counted(id), 3);
    const [shown] = await desk.anyone.fetch(on(id), { include: 'comment' });
    assert.deepEqual(shown.replies.map((r) => r.contents), ['reply', 'late']);
    (await desk.anyone.get(on(id, `/${reply.id}`))).must(200);

    await spam(id, late.id);
    assert.deepEqual([await ids(desk.anyone), await ids(desk.staff), counted(id)], [[[top.id, [reply.id]]], [[top.id, [reply.id, late.id]]], 2]);
    assert.deepEqual((await desk.staff.get(on(id), { filter: 'SPAM' })).ids, [late.id]);
    assert.ok(!(await desk.anyone.get(on(id), { include: '*' })).text.includes('late'));
    await spam(id, top.id);
    assert.deepEqual([await ids(desk.anyone), counted(id)], [[], 0]);
    for (const comment of [top, reply, late]) (await desk.customer.get(on(id, `/${comment.id}`))).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.post(on(id), { contents: 'x', parent_id: top.id })).refused(400, 'FIELD_INVALID', 'parent_id');
    (await desk.customer.post(on(id), { contents: 'x', parent_id: top.id })).refused(400, 'FIELD_INVALID', 'parent_id');
    await publish(id, late.id);
    assert.equal(counted(id), 0);
    await publish(id, top.id);
    assert.deepEqual([await ids(desk.anyone), counted(id)], [[[top.id, [reply.id, late.id]]], 3]);

    (await desk.staff.delete(on(id, `/${reply.id}`))).must(200);
    assert.equal(counted(id), 2);
    (await desk.staff.post(on(id, `/${late.id}/likes`))).must(201);
    (await desk.customer.delete(on(id, `/${top.id}`))).must(200);
    assert.deepEqual([await ids(desk.staff), counted(id), desk.sql(`SELECT COUNT(*) FROM comment_likes WHERE comment_id = ${late.id}`)], [[], 0, '0']);
  });

  test('only the author changes or deletes a comment, up to and including 600 seconds later', async () => {
    const { desk } = world;
    const id = await article();
    const comment = await said(desk.customer, id, 'first');
    for (const role of STAFF) {
      (await desk.as(role).put(on(id, `/${comment.id}`), { contents: 'x' })).refused(403, 'PERMISSIONS_DENIED');
      (await desk.as(role).delete(on(id, `/${comment.id}`))).refused(403, 'PERMISSIONS_DENIED');
    }
    (await desk.anyone.put(on(id, `/${comment.id}`), { contents: 'x' })).refused(401, 'AUTHORIZATION_REQUIRED');
    (await desk.anyone.delete(on(id, `/${comment.id}`))).refused(401, 'AUTHORIZATION_REQUIRED');
    const doomed = await said(desk.customer, id, 'doomed');
    const own = await said(desk.owner, id, 'by the owner');
    const start = desk.clock.now;
    await desk.clock.set(start + 600_000);
    const changed = await desk.customer.update(on(id, `/${comment.id}`), { contents: 'second', is_html: true });
    assert.deepEqual([changed.contents, changed.is_html, changed.created_at, changed.updated_at > changed.created_at], ['second', false, comment.created_at, true]);
    (await desk.customer.delete(on(id, `/${doomed.id}`))).must(200);
    await desk.clock.set(start + 601_000);
    desk.clock.write(start + 600_001);
    const late = async (who, at) => {
      (await who.put(on(id, `/${at}`), { contents: 'x' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
      (await who.delete(on(id, `/${at}`))).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    };
    await late(desk.customer, comment.id);
    await late(desk.owner, own.id);
    (await desk.staff.put(on(id, `/${comment.id}`), { contents: 'x' })).refused(403, 'PERMISSIONS_DENIED');
    (await desk.customer.put(on(id, `/${comment.id}`), {})).refused(400, 'FIELD_REQUIRED', 'contents');
    await spam(id, comment.id); // moderation has no window
    assert.equal(counted(id), 1);
    await desk.clock.set(start + 601_000);
  });

  test('an article without comments takes none; its present ones stay', async () => {
    const { desk } = world;
    const id = await article();
    const comment = await said(desk.customer, id, 'early');
    sql(desk, `UPDATE articles SET allow_comments = 0 WHERE id = ${id}`);
    for (const role of ROLES) (await desk.as(role).post(on(id), { contents: 'x' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await desk.customer.post(on(id), { contents: 'x', parent_id: comment.id })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    await desk.customer.update(on(id, `/${comment.id}`), { contents: 'edited' });
    (await desk.customer.delete(on(id, `/${comment.id}`))).must(200);
  });

  test('HTML is cleaned, on POST and on PUT; plain contents stay text', async () => {
    const { desk } = world;
    const id = await article();
    const hostile = '<p onclick="x()">Hi <script>alert(1)</script><b>you</b><img src="https://tracker.example/p.gif"><img src="cid:x"></p>';
    const shown = (c) => { assert.ok(!/script|onclick|cid:| src="https/.test(c.contents), c.contents); assert.match(c.contents, /<b>you<\/b>/); };
    const html = await said(desk.customer, id, hostile, { is_html: true });
    assert.equal(html.is_html, true);
    shown(html);
    shown(await desk.customer.update(on(id, `/${html.id}`), { contents: `${hostile}<i>again</i>` }));
    assert.match((await desk.anyone.fetch(on(id, `/${html.id}`))).contents, /<i>again<\/i>/);
    (await desk.customer.post(on(id), { contents: '<script>alert(1)</script>', is_html: 1 })).refused(400, 'FIELD_EMPTY', 'contents');
    const spent = () => desk.daemons.map(({ child }) => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(13, 15).join(' '));
    const before = spent();
    (await desk.customer.post(on(id), { contents: '<div>'.repeat(100_000), is_html: true })).refused(400, 'FIELD_INVALID', 'contents');
    assert.deepEqual(spent(), before, 'a text that is too long costs no process that cleans it');
    const deep = await said(desk.customer, id, `x${'<div>'.repeat(13_000)}`, { is_html: true });
    assert.ok(deep.contents.length < 5000 && deep.contents.startsWith('x'), `${deep.contents.length}`);
    const plain = await said(desk.customer, id, '<b>bold</b> & <script>');
    assert.deepEqual([plain.contents, plain.is_html], ['<b>bold</b> & <script>', false]);
    assert.equal((await desk.customer.update(on(id, `/${plain.id}`), { contents: '<i>' })).contents, '<i>');
  });

  test('a person has one like of a comment; liking and unliking have no effect the second time', async () => {
    const { desk } = world;
    const id = await article();
    const { id: comment } = await said(desk.customer, id, 'likable');
    const likes = on(id, `/${comment}/likes`);
    const first = (await desk.customer.post(likes)).must(201);
    assert.deepEqual(first.data, {
      id: first.data.id, user: { id: desk.people.customer.id, resource_type: 'user' }, created_at: first.data.created_at, resource_type: 'like',
      resource_url: `${desk.base}/api/v1/articles/${id}/comments/${comment}/likes/${first.data.id}`,
    });
    assert.equal(first.body.resource, 'like');
    assert.equal((await desk.customer.post(likes)).must(201).data.id, first.data.id);
    for (const role of STAFF) (await desk.as(role).post(likes)).must(201);
    const { body } = (await desk.customer.get(likes)).must(200);
    assert.deepEqual([body.total_count, body.data.map((l) => l.user.id)], [5, ['customer', ...STAFF].map((role) => desk.people[role].id)]);
    assert.equal((await desk.customer.fetch(`${likes}/${first.data.id}`)).id, first.data.id);
    const { data: seen, headers } = (await desk.anyone.get(on(id, `/${comment}`))).must(200);
    assert.deepEqual([seen.like_count, seen.is_liked, headers['last-modified']], [5, false, undefined]);
    assert.deepEqual((await desk.customer.fetch(on(id))).map((c) => [c.like_count, c.is_liked]), [[5, true]]);
    for (const send of ['get', 'post', 'delete']) (await desk.anyone[send](likes)).refused(401, 'AUTHORIZATION_REQUIRED');
    for (let i = 0; i < 2; i++) (await desk.customer.delete(likes)).must(200);
    const after = await desk.customer.fetch(on(id, `/${comment}`));
    assert.deepEqual([after.like_count, after.is_liked], [4, false]);
    (await desk.customer.get(`${likes}/${first.data.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test('counts stay exact while many people write at once', async () => {
    const { desk } = world;
    const id = await article();
    const top = await said(desk.customer, id, 'top');
    const people = [...ROLES.map((role) => desk.as(role))];
    const made = await Promise.all(Array.from({ length: 20 }, (_, i) => said(people[i % 5], id, `c${i}`, i % 3 ? {} : { parent_id: top.id })));
    assert.equal(counted(id), 21);
    const replies = made.filter((c) => c.parent);
    await Promise.all([
      ...people.flatMap((who) => [0, 1, 2].map(() => who.post(on(id, `/${made[2].id}/likes`)))),
      ...replies.slice(0, 3).flatMap((c) => [spam(id, c.id), spam(id, c.id)]),
      spam(id, top.id), publish(id, top.id), spam(id, top.id),
      people[1].delete(on(id, `/${made[1].id}`)),
    ]);
    await publish(id, top.id);
    const honest = 1 + made.length - 3 - 1;
    assert.deepEqual([counted(id), (await desk.customer.fetch(on(id, `/${made[2].id}`))).like_count], [honest, 5]);
    await Promise.all(people.flatMap((who) => [0, 1].map(() => who.delete(on(id, `/${made[2].id}/likes`)))));
    assert.equal((await desk.customer.fetch(on(id, `/${made[2].id}`))).like_count, 0);
  });

  test('a changed comment has another ETag, and a stale one is refused', async () => {
    const { desk } = world;
    const id = await article();
    const comment = await said(desk.customer, id, 'first');
    const path = on(id, `/${comment.id}`);
    const { etag } = (await desk.customer.get(path)).must(200);
    (await desk.customer.get(path, {}, { 'If-None-Match': etag })).must(304);
    (await desk.customer.post(`${path}/likes`)).must(201);
    (await desk.customer.put(path, { contents: 'second' }, { headers: { 'If-Match': etag } })).refused(412, 'RESOURCE_MODIFIED');
    const { etag: fresh } = (await desk.customer.get(path)).must(200);
    (await desk.customer.put(path, { contents: 'second' }, { headers: { 'If-Match': fresh } })).must(200);
    (await desk.customer.delete(path, {}, { 'If-Match': fresh })).refused(412, 'RESOURCE_MODIFIED');
  });

  test('the change log has comments, without their contents', async () => {
    const { desk } = world;
    const id = await article();
    const { id: comment } = await said(desk.customer, id, 'unlogged words');
    await desk.customer.update(on(id, `/${comment}`), { contents: 'other words' });
    await spam(id, comment);
    (await desk.customer.post(on(id, `/${comment}/likes`))).must(404);
    const { text, data } = (await desk.owner.get('/changes', { limit: 1000 })).must(200);
    const mine = data.filter((c) => c.resource_type === 'comment' && c.resource_id === comment).map((c) => [c.property, c.from, c.to]);
    assert.deepEqual(mine.slice(-2), [['contents', null, null], ['status', 'PUBLISHED', 'SPAM']]);
    assert.ok(!text.includes('words'));
  });

  test('the comments of a deleted or purged person stay, without the erased name', async () => {
    const { desk } = world;
    const id = await article();
    const person = await desk.person('customer', { full_name: 'Erased Name' });
    const comment = await said(person.client, id, 'I was here');
    const shown = async () => (await desk.anyone.fetch(on(id), { include: 'user_minimal' }))[0];
    (await desk.owner.delete(`/users/${person.id}`)).must(200);
    assert.deepEqual([(await shown()).contents, (await shown()).user.full_name], ['I was here', 'Erased Name']);
    (await desk.owner.delete(`/users/${person.id}`, { purge: true })).must(200);
    assert.equal((await shown()).id, comment.id);
    assert.ok(!(await desk.anyone.get(on(id), { include: '*' })).text.includes('Erased Name'));
    assert.equal(counted(id), 1);
  });

  test('a person who posts more comments a minute than the setting allows must wait', async () => {
    const { desk } = world;
    (await desk.owner.put('/settings', { values: { 'helpcenter.comments_a_minute': '3' } })).must(200);
    await desk.clock.forward(61);
    const [id, other] = [await article(), await article()];
    await said(desk.customer, id, '1');
    await desk.clock.forward(20);
    await said(desk.customer, other, '2');
    const { id: last } = await said(desk.customer, id, '3', { is_html: true });
    for (const more of [{}, { is_html: true }]) {
      const refused = (await desk.customer.post(on(id), { contents: '4', ...more })).refused(429, 'RATE_LIMIT_REACHED');
      assert.equal(refused.headers['retry-after'], '41');
    }
    await desk.customer.update(on(id, `/${last}`), { contents: 'edited' });
    await said(desk.staff, id, 'another person');
    await desk.clock.forward(41);
    await said(desk.customer, id, '4');
    (await desk.customer.post(on(id), { contents: '5' })).refused(429, 'RATE_LIMIT_REACHED');
    await desk.clock.forward(61);
    const burst = await Promise.all(Array.from({ length: 8 }, () => desk.customer.post(on(other), { contents: 'burst' })));
    assert.deepEqual(burst.map((r) => r.status).sort(), [201, 201, 201, 429, 429, 429, 429, 429]);
    (await desk.owner.put('/settings', { values: { 'helpcenter.comments_a_minute': '0' } })).must(200);
  });

  test('deskd check finds nothing wrong', () => {
    const { status, stdout } = world.desk.check();
    assert.equal(status, 0, stdout);
  });
});

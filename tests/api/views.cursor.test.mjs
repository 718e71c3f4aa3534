// Opaque cursors of the conversations of a view (docs/guides/40-paging.md, "Cursors in any order").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dice, open, opened } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const columnsOf = async (desk) => (await desk.staff.fetch('/views/columns')).map(({ name }) => name).filter((name) => name !== 'conversation');
/** The address of a link, below /api/v1. */
const link = (desk, url) => url && url.slice(`${desk.base}/api/v1`.length).replace('.json', '');

/** A walk by links from the start (next) or from the end (previous). between: runs between two pages. */
async function walk(desk, who, view, query, { back = false, between = async () => {} } = {}) {
  const found = [];
  let at = `/views/${view}/cases`, more = { ...query, fields: 'id', [back ? 'before' : 'after']: '' };
  for (let pages = 0; at; pages++) {
    assert.ok(pages < 200, 'the walk does not end');
    const { body, data, ids } = (await who.get(at, more)).must(200);
    assert.equal('offset' in body, false);
    assert.equal(body.last_url ?? body.first_url, undefined);
    found.push(...(back ? ids.reverse() : ids));
    at = link(desk, back ? body.previous_url : body.next_url);
    more = {};
    if (at) assert.ok(data.length, 'an empty page has a link onwards');
    if (at) await between(found);
  }
  return found;
}

const whole = async (who, view, query) => (await who.get(`/views/${view}/cases`, { ...query, limit: 1000, fields: 'id' })).must(200).ids;

/** Conversations with equal and missing values in each column, and callers who see all, a part, and few of them. */
async function world(t, count = 30) {
  const desk = await open(t), { owner } = desk, { below, one } = dice(7);
  const teams = [];
  for (const title of ['Alpha', 'beta', 'Gamma']) teams.push((await owner.create('/teams', { title })).id);
  const field = async (type, more = {}) => (await owner.create('/cases/fields', { key: `field_${type.toLowerCase()}`, type, title: type, ...more })).id;
  const fields = [await field('TEXT'), await field('NUMERIC'), await field('SELECT', { options: ['x', 'y'].map((translation) => ({ values: [{ locale: 'en-us', translation }] })) })];
  const person = async (access, ids) => desk.person('agent', { agent_case_access: access, team_ids: ids });
  const people = { all: { client: owner }, teams: await person('TEAMS', teams.slice(0, 2)), self: await person('SELF', teams.slice(0, 1)) };
  const agents = [undefined, people.teams.id, people.self.id];
  const customers = [desk.people.customer.id];
  for (const full_name of ['Zoe', 'anna', 'Ärzte']) customers.push((await desk.person('customer', { full_name })).id);
  const cases = [];
  for (let i = 0; i < count; i++) {
    const { id } = await opened(desk, { subject: one(['a', 'B', 'ä', 'a b', '😀', 'x'.repeat(255)]), requester_id: one(customers), priority_id: one([1, 2, 3, 4, undefined]), assigned_team_id: one([undefined, ...teams]), assigned_agent_id: one(agents),
      field_values: below(2) ? { field_text: one(['a', 'B', 'c d']), field_numeric: below(3) } : {} });
    cases.push(id);
  }
  const now = desk.clock.now;
  for (const id of cases) {
    const time = () => now - 1000 * below(6);
    sql(desk, `UPDATE cases SET created_at = ${time()}, updated_at = ${time()}, last_replied_at = ${below(2) ? time() : 'NULL'}, last_completed_at = ${below(3) ? 'NULL' : time()}, rating = ${below(2) ? 'NULL' : 1} WHERE id = ${id}`);
  }
  const orders = [...await columnsOf(desk), ...fields.map((id) => `case_field_${id}`)];
  const views = [1, 3];
  for (const propositions of [[], [{ field: 'cases.casepriorityid', operator: 'comparison_not_equalto', value: '3' }]])
    views.push((await owner.create('/views', { title: 'V', visibility_type: 'ALL', predicate_collections: propositions.map((p) => ({ propositions: [p] })) })).id);
  for (const id of cases.slice(0, 5)) await owner.update(`/cases/${id}/trash`);
  return { desk, people, orders, views, cases, dice: { below, one } };
}

test('a walk by cursor in both directions equals the list by offset, for each order, view and access', async (t) => {
  const { desk, people, orders, views, dice: { below, one } } = await world(t);
  let long = 0;
  for (const order_by_column of orders)
    for (const order_by of ['ASC', 'DESC']) {
      const view = one(views), { client } = people[one(['teams', 'teams', 'self'])], limit = 3 + below(7);
      for (const [who, of, most] of [[desk.owner, views[2], 7], [client, view, limit]]) {
        const query = { order_by_column, order_by, limit: most }, say = `${order_by_column} ${order_by} of ${of}`;
        const list = await whole(who, of, { order_by_column, order_by });
        long += list.length > most;
        assert.deepEqual(await walk(desk, who, of, query), list, say);
        assert.deepEqual(await walk(desk, who, of, query, { back: true }), [...list].reverse(), `${say}, from the end`);
      }
    }
  assert.ok(long > orders.length * 2, `only ${long} walks of several pages`);
});

test('pages by offset are the pieces of the whole list, in each order, also after changes', async (t) => {
  const { desk, people, orders, views, cases, dice: { one, below } } = await world(t, 24), live = cases.slice(5);
  const pages = async (when) => {
    for (const order_by_column of orders)
      for (const [who, of] of [[desk.owner, 1], [desk.owner, views[2]], [people[one(['teams', 'self'])].client, one(views)]]) {
        const order_by = one(['ASC', 'DESC']), query = { order_by_column, order_by }, limit = 1 + below(5), found = [];
        const list = await whole(who, of, query);
        for (let offset = 0; offset <= list.length; offset += limit) {
          const { body, ids } = (await who.get(`/views/${of}/cases`, { ...query, limit, offset, fields: 'id' })).must(200);
          assert.equal(body.total_count, list.length, `${when}: total of ${of} by ${order_by_column}`);
          found.push(...ids);
        }
        assert.deepEqual(found, list, `${when}: ${order_by_column} ${order_by} of ${of}`);
      }
  };
  await pages('first');
  for (const id of live.slice(0, 4)) await desk.owner.update(`/cases/${id}`, { subject: one(['0', 'm', 'zz', 'x'.repeat(200)]), priority_id: 3, assigned_team_id: null });
  await desk.owner.update(`/cases/${live[5]}/trash`);
  await desk.owner.create(`/cases/${live[6]}/reply`, { contents: 'Hello' });
  (await desk.owner.put(`/cases/${live[7]}/snooze`, { until: new Date(desk.clock.now + 3_600_000).toISOString() })).must(200);
  await opened(desk, { subject: 'n', requester_id: desk.people.customer.id });
  await pages('after changes');
  await desk.owner.update(`/users/${desk.people.customer.id}`, { full_name: 'Aaron' });
  (await desk.owner.put('/cases/priorities/reorder', { priority_ids: [4, 1, 3, 2] })).must(200);
  await desk.staff.update(`/cases/${live[8]}`, { subject: (await desk.staff.fetch(`/cases/${live[8]}`)).subject }); // changes nothing but who was there last
  await pages('after changes of others');
});

test('links lead both ways, and filters and members stay in them', async (t) => {
  const { desk, views } = await world(t, 12), { owner } = desk;
  const query = { limit: 3, order_by_column: 'subject', order_by: 'ASC', fields: 'id,subject', priority: 4, after: '' };
  const first = (await owner.get(`/views/${views[2]}/cases`, query)).must(200);
  assert.equal(first.body.previous_url, undefined);
  assert.match(first.headers.link, /^<.*[?&]after=.*>; rel="next"$/);
  const second = (await owner.get(link(desk, first.body.next_url))).must(200);
  assert.match(second.headers.link, /rel="prev"/);
  const back = (await owner.get(link(desk, second.body.previous_url))).must(200);
  assert.deepEqual([back.data, back.body.previous_url], [first.data, undefined]);
  assert.deepEqual((await owner.get(link(desk, back.body.next_url))).must(200).data, second.data);
  assert.equal(first.body.total_count, second.body.total_count);
  const plain = (await owner.get(`/views/${views[2]}/cases`, { limit: 3 })).must(200).body;
  assert.match(plain.next_url, /offset=3/, 'an offset stays possible');
});

test('between pages, a row that does not move is neither missed nor shown twice', async (t) => {
  const { desk, people, views, cases, dice: { one } } = await world(t);
  const { owner } = desk, live = cases.slice(5);
  for (const [order_by_column, order_by, back] of [['updatedat', 'DESC', false], ['updatedat', 'ASC', true], ['subject', 'ASC', false], ['casepriorityid', 'DESC', true]]) {
    for (const who of [owner, people.teams.client]) {
      const before = await whole(who, views[2], { order_by_column, order_by }), moved = new Set();
      const between = async () => {
        const id = one(live);
        moved.add(id);
        await owner.update(`/cases/${id}`, { subject: one(['0', 'm', 'zz']), priority_id: one([1, 2, 3, 4]) });
        moved.add((await opened(desk, { subject: one(['0', 'm', 'zz']) })).id);
      };
      const seen = (await walk(desk, who, views[2], { order_by_column, order_by, limit: 4 }, { back, between })).filter((id) => !moved.has(id));
      assert.deepEqual(back ? seen.reverse() : seen, before.filter((id) => !moved.has(id)), `${order_by_column} ${order_by}`);
    }
  }
});

test('a cursor whose row is gone or out of sight still leads on', async (t) => {
  const { desk, people, views } = await world(t, 14), { owner } = desk;
  const query = { order_by_column: 'createdat', order_by: 'ASC', limit: 3 }, path = `/views/${views[2]}/cases`;
  const list = await whole(owner, views[2], query);
  const page = (await owner.get(path, { ...query, after: '' })).must(200);
  await owner.update(`/cases/${page.ids[2]}/trash`);
  (await owner.delete('/cases/trash', { ids: page.ids[2] }));
  assert.deepEqual((await owner.get(link(desk, page.body.next_url))).must(200).ids, list.slice(3, 6));
  // The place says nothing about rows that this caller does not see.
  const own = await whole(people.self.client, views[2], query);
  assert.deepEqual((await people.self.client.get(link(desk, page.body.next_url))).must(200).ids, own.filter((id) => list.indexOf(id) > 2).slice(0, 3));
});

test('an altered cursor, and one of another view or order, is refused by its name', async (t) => {
  const { desk, views } = await world(t, 12), { owner } = desk;
  const at = (view) => `/views/${view}/cases`, query = { order_by_column: 'requesterid', order_by: 'ASC', limit: 2 };
  const { next_url } = (await owner.get(at(views[2]), { ...query, after: '' })).must(200).body;
  const cursor = new URL(next_url).searchParams.get('after');
  assert.equal(Buffer.from(cursor, 'base64url').includes('customer'), false, 'the name of a requester is not readable');
  (await owner.get(at(views[2]), { ...query, after: cursor })).must(200);
  (await owner.get(at(views[2]), { ...query, before: cursor })).must(200);
  for (const [view, change] of [[views[3], {}], [1, {}], [views[2], { order_by: 'DESC' }], [views[2], { order_by_column: 'subject' }], [views[2], { order_by_column: 'caseid' }]])
    for (const name of ['after', 'before']) (await owner.get(at(view), { ...query, ...change, [name]: cursor })).refused(400, 'FIELD_INVALID', name);
  for (const wrong of ['x', '1', '%00', cursor.slice(1), cursor.slice(0, -2), `${cursor}AA`, cursor.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A')).replace(/^./, (c) => (c === 'A' ? 'B' : 'A')), 'A'.repeat(60), 'A'.repeat(9000)])
    for (const name of ['after', 'before']) (await owner.get(at(views[2]), { ...query, [name]: wrong })).refused(400, 'FIELD_INVALID', name);
  (await owner.get(at(views[2]), { ...query, after: cursor, before: cursor })).refused(400, 'PARAMETERS_INCONSISTENT', 'after');
  (await owner.get(at(views[2]), { ...query, before: '', after_id: 1 })).refused(400, 'PARAMETERS_INCONSISTENT', 'before');
  assert.match((await owner.get(at(views[2]), { ...query, after: '', offset: 5 })).must(200).notices.join(), /offset was ignored/);
});

test('a row whose value changes is shown where it is', async (t) => {
  const { desk, views } = await world(t, 12), { owner } = desk, query = { order_by_column: 'subject', order_by: 'ASC', limit: 3 };
  const page = (await owner.get(`/views/${views[2]}/cases`, { ...query, after: '' })).must(200);
  const rest = async () => {
    const found = [];
    for (let at = link(desk, page.body.next_url); at;) {
      const { ids, body } = (await owner.get(at)).must(200);
      found.push(...ids);
      at = link(desk, body.next_url);
    }
    return found;
  };
  const [shown] = page.ids, behind = await rest(), last = behind.at(-1);
  await owner.update(`/cases/${shown}`, { subject: 'zzzz' });
  await owner.update(`/cases/${last}`, { subject: '0' });
  assert.deepEqual((await rest()).sort(), [...behind.filter((id) => id !== last), shown].sort());
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseUrl, open, opened } from '../api/lib/index.mjs';
import { another, connection, psql, untilLocked } from './lib.mjs';

// Reads of a write that go out before they are started (src/db/postgres_ahead.c). One thread writes, so that it has learned from the writes
// before.

const ONE_WRITER = { processes: 1, env: { DESKD_WORKERS: '1', DESKD_WRITERS: '1' } };
const PRIORITY = { LOW: 1, NORMAL: 2, HIGH: 3, URGENT: 4 };
const put = (client, id, body) => client.update(`/cases/${id}`, body);
const logged = async (desk, id, name) => (await desk.admin.get('/changes', { limit: 1000 })).must(200).body.data
  .filter(({ resource_type, resource_id, property }) => resource_type === 'case' && resource_id === id && property === name).map(({ from, to }) => [from, to]);

/** Writes of one kind in turn until the connection has learned them. */
async function learned(client, id) {
  for (let i = 0; i < 5; i++) {
    for (const priority_id of [PRIORITY.LOW, PRIORITY.NORMAL]) await put(client, id, { priority_id });
    (await client.post(`/conversations/${id}/messages`, { contents: `Message ${i}` })).must(201);
  }
}

test('a write that was repeated shows what another process has changed since', async (t) => {
  const desk = await open(t, ONE_WRITER);
  const second = await another(t, desk);
  const one = await opened(desk), two = await opened(desk);
  await learned(desk.staff, one.id);
  const team = await second.admin.create('/teams', { title: 'Night' });
  const changes = [
    () => put(second.admin, one.id, { subject: 'Renamed', assigned_team_id: team.id }),
    () => second.admin.create('/triggers', { title: 'Tag', predicate_collections: [{ propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_equalto', value: PRIORITY.HIGH }] }], actions: [{ name: 'tags', option: 'ADD', value: ['high'] }] }),
    () => second.admin.create('/cases/fields', { title: 'Code', key: 'code', type: 'TEXT' }),
    () => put(second.admin, one.id, { field_values: { code: 'A1' }, tags: 'given' }),
    () => second.admin.create('/slas', { title: 'All', predicate_collections: [], targets: [{ type: 'RESOLUTION_TIME', goal_in_seconds: 3600 }] }),
    () => second.admin.update(`/teams/${team.id}`, { title: 'Day' }),
    () => second.admin.delete(`/teams/${team.id}`),
  ];
  // clocks follow the reply; addresses have the port of the process
  const without = ({ sla_version, sla_metrics, ...rest }) => JSON.parse(JSON.stringify(rest).replace(/127.0.0.1:\d+/g, 'desk'));
  for (const [i, change] of changes.entries()) {
    await change();
    for (const id of [one.id, two.id])
      for (const priority_id of [PRIORITY.HIGH, PRIORITY.LOW])
        assert.deepEqual(without(await put(desk.staff, id, { priority_id })), without(await second.staff.fetch(`/cases/${id}`)), `case ${id} after change ${i}`);
  }
});

test('a message that waits for its conversation takes its id when it has it', async (t) => {
  const desk = await open(t, ONE_WRITER), url = databaseUrl(desk.dir);
  const one = await opened(desk);
  await learned(desk.staff, one.id);
  const other = connection(t, url);
  await other.say(`BEGIN; SELECT id FROM cases WHERE id = ${one.id} FOR UPDATE`);
  const reply = desk.staff.post(`/conversations/${one.id}/messages`, { contents: 'It waits' });
  await untilLocked(url, 1);
  const before = Number(psql(url, "SELECT nextval('posts_id_seq')"));
  await other.say('COMMIT');
  assert.ok((await reply).must(201).data.id > before);
  await other.end();
});

test('a read that was sent ahead sees the row as its lock left it', async (t) => {
  const desk = await open(t, ONE_WRITER), url = databaseUrl(desk.dir);
  const one = await opened(desk);
  await learned(desk.staff, one.id);
  const other = connection(t, url);
  await other.say(`BEGIN; UPDATE cases SET priority_id = ${PRIORITY.HIGH} WHERE id = ${one.id}`);
  const reply = put(desk.staff, one.id, { priority_id: PRIORITY.URGENT });
  await untilLocked(url, 1);
  await other.say('COMMIT');
  assert.equal((await reply).priority.id, PRIORITY.URGENT);
  assert.deepEqual((await logged(desk, one.id, 'priority')).at(-1), [String(PRIORITY.HIGH), String(PRIORITY.URGENT)]);
  await other.end();
});

test('replies by several connections to one conversation are counted once each', async (t) => {
  const desk = await open(t, { processes: 1, env: { DESKD_WORKERS: '4', DESKD_WRITERS: '4' } });
  const one = await opened(desk), rounds = 6, together = 12;
  for (let i = 0; i < rounds; i++) {
    const replies = await Promise.all(Array.from({ length: together }, (_, k) => desk.staff.post(`/conversations/${one.id}/messages`, { contents: `${i} ${k}` })));
    for (const [k, reply] of replies.entries()) assert.equal(reply.must(201).body.data.content_text, `${i} ${k}`);
  }
  const url = databaseUrl(desk.dir);
  assert.equal(psql(url, `SELECT message_seq, agent_message_count, (SELECT COUNT(*) FROM posts p WHERE p.case_id = k.id AND p.kind = 1) FROM cases k WHERE id = ${one.id}`).trim(),
    [rounds * together + 1, rounds * together, rounds * together + 1].join('|'));
});

test('a read that was sent ahead and fails: the write runs again without, and changes nothing', async (t) => {
  const desk = await open(t, ONE_WRITER), url = databaseUrl(desk.dir);
  desk.expects5xx = 500;
  const one = await opened(desk);
  await learned(desk.staff, one.id);
  psql(url, 'ALTER TABLE case_tags RENAME TO elsewhere');
  assert.equal((await desk.staff.put(`/cases/${one.id}`, { priority_id: PRIORITY.URGENT })).status, 500);
  psql(url, 'ALTER TABLE elsewhere RENAME TO case_tags');
  assert.equal((await desk.staff.fetch(`/cases/${one.id}`)).priority.id, PRIORITY.NORMAL);
  await learned(desk.staff, one.id);
  assert.equal((await put(desk.staff, one.id, { priority_id: PRIORITY.URGENT })).priority.id, PRIORITY.URGENT);
});

test('a read that was sent ahead and that this write does not need may fail', async (t) => {
  const desk = await open(t, ONE_WRITER), url = databaseUrl(desk.dir);
  const without = await opened(desk);
  await desk.admin.create('/slas', { title: 'All', predicate_collections: [], targets: [{ type: 'RESOLUTION_TIME', goal_in_seconds: 3600 }] });
  const one = await opened(desk), reply = (id) => desk.staff.post(`/conversations/${id}/messages`, { contents: 'Hello' });
  (await reply(without.id)).must(201);
  for (let i = 0; i < 5; i++) (await reply(one.id)).must(201);
  psql(url, 'ALTER TABLE sla_metrics RENAME TO elsewhere');
  (await reply(without.id)).must(201);
  psql(url, 'ALTER TABLE elsewhere RENAME TO sla_metrics');
  for (let i = 0; i < 4; i++) (await reply(one.id)).must(201);
  assert.equal(psql(url, `SELECT string_agg(CAST(message_seq AS TEXT), ' ' ORDER BY id) FROM cases WHERE id IN (${without.id}, ${one.id})`).trim(), '3 10');
});

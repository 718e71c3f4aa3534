// The history of statuses and states, from which SLA clocks are computed (docs/RULES.md, "SLAs").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, open, opened } from './lib/index.mjs';

/** "from>to" of each change of status, "from>to*state" of each change of state. */
const history = (desk, { id }) => desk.sql(`SELECT from_status_id || '>' || to_status_id || CASE WHEN from_state <> to_state THEN '*' || to_state ELSE '' END FROM case_status_changes WHERE case_id = ${id} ORDER BY id`)
  .trim().split('\n').join(' ');

test('each change of the status leaves a row of history, by whatever it is caused', async (t) => {
  const desk = await open(t);
  const talk = await opened(desk);
  assert.equal(history(desk, talk), '');
  await desk.staff.create(`/cases/${talk.id}/reply`, { contents: 'Which engine?' }); // a staff reply opens NEW
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 3 });
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 3, subject: 'Motor' });
  await desk.clock.forward(MINUTE);
  (await desk.customer.post(`/conversations/${talk.id}/messages`, { contents: 'The first' })).must(201); // a requester's reply opens PENDING
  (await desk.staff.put('/cases', { status_id: 4 }, { query: { ids: String(talk.id) } })).must(200);
  (await desk.customer.post(`/conversations/${talk.id}/messages`, { contents: 'No' })).must(201); // and COMPLETED
  assert.equal(history(desk, talk), '1>2 2>3 3>2 2>4 4>2');
  assert.equal(desk.sql(`SELECT MAX(at) - MIN(at) FROM case_status_changes WHERE case_id = ${talk.id}`).trim(), '60000');
  const completed = await opened(desk, { status_id: 4 });
  assert.equal(history(desk, completed), '');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('the trash, a merge and a restoration leave a row; a permanent deletion removes all rows', async (t) => {
  const desk = await open(t);
  const [talk, merged] = [await opened(desk), await opened(desk)];
  (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
  assert.equal(history(desk, talk), '1>1*3');
  (await desk.staff.put(`/cases/${talk.id}/restore`)).must(200);
  assert.equal(history(desk, talk), '1>1*3 1>1*1');
  (await desk.staff.post(`/cases/${talk.id}/merge`, { case_ids: [merged.id] })).must(200);
  assert.equal(history(desk, merged), '1>5*4');
  assert.equal(desk.check().status, 0, desk.check().stdout);
  (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
  (await desk.staff.delete('/cases/trash', { ids: String(talk.id) })).must(200);
  assert.equal(desk.sql('SELECT COUNT(*) FROM case_status_changes').trim(), '0');
});

test('a message that is a reply by staff is marked; the first message is none', async (t) => {
  const desk = await open(t);
  const talk = await opened(desk);
  await desk.staff.create(`/cases/${talk.id}/reply`, { contents: 'Which engine?' });
  (await desk.customer.post(`/conversations/${talk.id}/messages`, { contents: 'The first' })).must(201);
  const own = await desk.staff.create('/cases', { subject: 'Mine', contents: 'Own engine', requester_id: desk.people.agent.id });
  await desk.staff.create(`/cases/${own.id}/reply`, { contents: 'More' });
  assert.equal(desk.sql(`SELECT by_staff FROM posts WHERE case_id IN (${talk.id}, ${own.id}) ORDER BY id`).trim().split('\n').join(), '0,1,0,0,0');
});

// The results of a bulk call: what happened to each id.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, open } from './lib/index.mjs';

const opened = async (desk, extra = {}) => (await desk.staff.post('/cases', {
  subject: 'The engine stalls', contents: 'It stops after ten turns.', requester_id: desk.people.customer.id, ...extra,
})).must(201).data;
const put = (who, ids, body, headers) => who.put('/cases', body, { query: { ids: ids.join() }, headers });
const brief = (reply) => reply.body.results.map(({ id, result }) => [id, result]);

test('results follow the order of the ids, and say which were changed from what', async (t) => {
  const desk = await open(t);
  const [a, b, c] = [await opened(desk, { priority_id: 1 }), await opened(desk, { priority_id: 4 }), await opened(desk)];
  const reply = (await put(desk.staff, [c.id, b.id, a.id], { priority_id: 4 })).must(200);
  assert.equal(reply.body.total_count, 3);
  assert.deepEqual(reply.body.results, [
    { id: c.id, result: 'CHANGED', former: { priority_id: null } },
    { id: b.id, result: 'UNCHANGED' },
    { id: a.id, result: 'CHANGED', former: { priority_id: 1 } },
  ]);
});

test('a second PUT with the former values undoes the first', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/cases/fields', { key: 'bay', type: 'TEXT', title: 'Bay' });
  await desk.owner.create('/cases/fields', { key: 'due', type: 'DATE', title: 'Due' });
  const many = await desk.owner.create('/cases/fields', { key: 'parts', type: 'CHECKBOX', title: 'Parts', options: ['belt', 'pump'].map((translation) => ({ titles: [{ locale: 'en-us', translation }] })) });
  const [belt, pump] = (await desk.owner.fetch(`/cases/fields/${many.id}`, { include: 'field_option' })).options.map((o) => o.id);
  const team = await desk.admin.create('/teams', { title: 'Second line' });
  const made = await opened(desk, { legacy_id: 'x-1', type_id: 1, priority_id: 2, assigned_team_id: team.id, field_values: { bay: 'four', due: '2026-01-02', parts: `${belt},${pump}` } });
  (await desk.staff.put(`/cases/${made.id}`, { tags: 'red,blue car', status_id: 2 })).must(200);
  const shown = async () => {
    const { updated_at, agent_updated_at, last_assigned_at, last_assigned_by, latest_assignee_update, last_agent_activity_at, last_pending_at, last_updated_by, custom_fields, ...rest } = await desk.owner.fetch(`/cases/${made.id}`, { fields: '+tags', include: 'tag,case_field' });
    return { ...rest, values: custom_fields.map((f) => [f.field.key, f.value]) };
  };
  const before = await shown();
  const changes = {
    subject: 'Other', legacy_id: '', type_id: 2, priority_id: 4, status_id: 3, assigned_team_id: null, assigned_agent_id: desk.people.agent.id,
    tags: 'green', field_values: { bay: 'five', due: null, parts: `${pump}` },
  };
  const [result] = (await put(desk.staff, [made.id], changes)).must(200).body.results;
  assert.notDeepEqual(await shown(), before);
  assert.deepEqual(Object.keys(result.former).sort(), Object.keys(changes).sort());
  (await put(desk.staff, [made.id], result.former)).must(200);
  assert.deepEqual(await shown(), before);
});

test('what a macro changed is in the results, what a rule changed is not', async (t) => {
  const desk = await open(t);
  const made = await opened(desk, { priority_id: 1 });
  const macro = await desk.admin.create('/cases/macros', { title: 'Loud', visibility_type: 'ALL', priority_id: 4, add_tags: 'loud' });
  const rule = { title: 'Second type', channel: null, event: null, predicate_collections: [{ propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_equalto', value: '4' }] }], actions: [{ name: 'type', option: 'CHANGE', value: '2' }] };
  await desk.admin.create('/triggers', rule);
  const [result] = (await put(desk.staff, [made.id], { macro_id: macro.id })).must(200).body.results;
  assert.deepEqual(result, { id: made.id, result: 'CHANGED', former: { priority_id: 1, tags: null } });
  assert.equal((await desk.staff.fetch(`/cases/${made.id}`)).type.id, 2);
});

test('a refusal names each id that is the reason, and changes nothing', async (t) => {
  const desk = await open(t);
  const [a, b, c] = [await opened(desk), await opened(desk), await opened(desk)];
  (await desk.admin.put(`/cases/${b.id}`, { status_id: 5 })).must(200);
  const closed = await put(desk.staff, [a.id, b.id, c.id], { priority_id: 1 });
  assert.equal(closed.status, 400);
  assert.deepEqual(brief(closed), [[a.id, 'NOT_DONE'], [b.id, 'REFUSED'], [c.id, 'NOT_DONE']]);
  const [, why] = closed.body.results;
  assert.deepEqual([why.code, why.message], [closed.body.errors[0].code, closed.body.errors[0].message]);
  assert.equal(why.code, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal((await desk.staff.fetch(`/cases/${a.id}`)).priority, null);
  const invalid = await put(desk.staff, [a.id, c.id], { priority_id: 99 });
  assert.deepEqual([invalid.status, invalid.body.results], [400, undefined]);
});

test('an id that the caller does not see and one that does not exist have the same result', async (t) => {
  const desk = await open(t);
  const { client: narrow, id } = await desk.person('agent', { agent_case_access: 'SELF' });
  const [own, hidden] = [await opened(desk, { assigned_agent_id: id }), await opened(desk)];
  const of = async (other) => {
    const reply = await put(narrow, [own.id, other], { priority_id: 1 });
    assert.equal(reply.status, 404);
    return JSON.stringify(reply.body.results).replaceAll(String(other), 'N');
  };
  assert.equal(await of(hidden.id), await of(987654));
  assert.deepEqual(brief(await put(narrow, [hidden.id, own.id], { priority_id: 1 })), [[hidden.id, 'NOT_FOUND'], [own.id, 'NOT_DONE']]);
  for (const who of [desk.customer, desk.as('collaborator')]) {
    const reply = await put(who, [own.id], { priority_id: 1 });
    assert.deepEqual([reply.status, reply.body.results], [403, undefined]);
  }
  const moved = (await put(narrow, [own.id], { assigned_agent_id: desk.people.agent.id })).must(200);
  assert.deepEqual(moved.body.results, [{ id: own.id, result: 'CHANGED', former: { assigned_agent_id: id } }]);
});

test('repeated ids and too many ids are refused whole, and a refusal names at most 100 ids', async (t) => {
  const desk = await open(t);
  const { id } = await opened(desk);
  const twice = await put(desk.staff, [id, id], { priority_id: 1 });
  twice.refused(400, 'PARAMETERS_INCONSISTENT', 'ids');
  assert.equal(twice.body.results, undefined);
  (await put(desk.staff, Array.from({ length: 1001 }, (_, i) => i + 1), { priority_id: 1 })).refused(400, 'FIELD_INVALID', 'ids');
  const unknown = await put(desk.staff, Array.from({ length: 1000 }, (_, i) => i + 500_000), { priority_id: 1 });
  assert.equal(unknown.status, 404);
  assert.equal(unknown.body.errors.length, 100);
  assert.ok(unknown.body.results.every((r, i) => r.id === 500_000 + i && r.result === (i < 100 ? 'NOT_FOUND' : 'NOT_DONE')));
});

test('with If-Unmodified-Since, an undo is refused for the conversation that somebody else has changed since', async (t) => {
  const desk = await open(t);
  const [a, b] = [await opened(desk), await opened(desk)];
  await desk.clock.forward(MINUTE);
  const first = (await put(desk.staff, [a.id, b.id], { priority_id: 4 })).must(200);
  const headers = { 'If-Unmodified-Since': new Date(first.headers['date-iso']).toUTCString() };
  await desk.clock.forward(MINUTE);
  (await desk.admin.put(`/cases/${b.id}`, { priority_id: 2 })).must(200);
  const undo = await put(desk.staff, [a.id, b.id], { priority_id: null }, headers);
  assert.equal(undo.status, 412);
  assert.deepEqual(brief(undo), [[a.id, 'NOT_DONE'], [b.id, 'CONFLICT']]);
  assert.equal(undo.body.results[1].code, 'RESOURCE_MODIFIED');
  assert.deepEqual((await put(desk.staff, [a.id], { priority_id: null }, headers)).must(200).body.results, [{ id: a.id, result: 'CHANGED', former: { priority_id: 4 } }]);
});

test('every bulk operation has results: the trash, deletions, rules and sections', async (t) => {
  const desk = await open(t);
  const [a, b] = [await opened(desk), await opened(desk)];
  (await desk.admin.put(`/cases/${b.id}/trash`)).must(200);
  const trashed = (await desk.admin.put('/cases/trash', {}, { query: { ids: `${a.id},${b.id}` } })).must(200);
  assert.deepEqual(trashed.body.results, [{ id: a.id, result: 'CHANGED', former: { state: 'ACTIVE' } }, { id: b.id, result: 'UNCHANGED' }]);
  assert.deepEqual(brief((await desk.admin.delete('/cases/trash', { ids: `${b.id},${a.id}` })).must(200)), [[b.id, 'DELETED'], [a.id, 'DELETED']]);
  const [x, y] = [await desk.admin.create('/teams', { title: 'X' }), await desk.admin.create('/teams', { title: 'Y' })];
  assert.deepEqual(brief(await desk.admin.delete('/teams', { ids: `${y.id},77777,${x.id}` })), [[y.id, 'NOT_DONE'], [77777, 'NOT_FOUND'], [x.id, 'NOT_DONE']]);
  assert.deepEqual(brief((await desk.admin.delete('/teams', { ids: `${y.id},${x.id}` })).must(200)), [[y.id, 'DELETED'], [x.id, 'DELETED']]);
  const token = (await desk.admin.post('/events/tokens', { label: 'a' })).must(201).data;
  const off = (await desk.admin.put('/events/tokens', { is_enabled: false }, { query: { ids: String(token.id) } })).must(200);
  assert.deepEqual(off.body.results, [{ id: token.id, result: 'CHANGED', former: { is_enabled: true } }]);
  const category = await desk.admin.create('/categories', { titles: [{ locale: 'en-us', translation: 'C' }] });
  const section = await desk.admin.create('/sections', { titles: [{ locale: 'en-us', translation: 'S' }], category_id: category.id, visibility: 'PUBLIC' });
  const hidden = (await desk.admin.put('/sections', { visibility: 'AGENTS' }, { query: { ids: String(section.id) } })).must(200);
  assert.deepEqual(hidden.body.results, [{ id: section.id, result: 'CHANGED', former: { visibility: 'PUBLIC' } }]);
});

test('a repeated request by Idempotency-Key has the same results', async (t) => {
  const desk = await open(t);
  const { id } = await opened(desk);
  const headers = { 'Idempotency-Key': 'bulk-1' };
  const once = await put(desk.staff, [id], { priority_id: 3 }, headers);
  const again = await put(desk.staff, [id], { priority_id: 3 }, headers);
  assert.equal(once.body.results[0].result, 'CHANGED');
  assert.ok(['CHANGED', 'UNCHANGED'].includes(again.must(200).body.results[0].result));
});

// Dry runs of triggers, and the warnings when they are saved (docs/RULES.md, "Triggers and monitors").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, dice, open, opened, relayFor, when } from './lib/index.mjs';

const dry = async (desk, trigger, id) => (await desk.admin.post(`/triggers/${trigger.id}/dry_run`, { case_id: id })).must(200).data;
const rows = ['cases', 'case_tags', 'activities', 'change_log', 'outgoing_mails', 'jobs', 'endpoint_deliveries', 'case_totals', 'trigger_firings', 'field_values', 'tags'];

test('a dry run shows what each proposition saw and what each action would do, and changes nothing', async (t) => {
  const desk = await open(t), to = await relayFor(t, desk);
  const one = await opened(desk, { priority_id: 2, tags: 'vip' });
  const trigger = await desk.admin.create('/triggers', {
    title: 'Try', is_enabled: false,
    predicate_collections: [{ propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_equalto', value: '2' }, { field: 'cases.casestatusid', operator: 'comparison_equalto', value: '5' }] },
      ...when(['tags.name', 'collection_contains_insensitive', 'vip'])],
    actions: [act('priority', 'INCREASE'), act('priority', 'INCREASE'), act('status', 'CHANGE', 2), act('team', 'CHANGE', 0), act('notificationuser', 'SEND', -3, { subject: 'a', message: 'b' }),
      act('notificationuser', 'SEND', -4, { subject: 'a', message: 'b' }), act('tags', 'ADD', ['new-tag'])],
  });
  const counted = async () => Object.fromEntries(await Promise.all(rows.map(async (table) => [table, (await desk.sql(`SELECT * FROM ${table}`)).length])));
  const [before, shown] = [await counted(), await desk.admin.fetch(`/cases/${one.id}`, { fields: '+tags' })];
  const run = await dry(desk, trigger, one.id);
  assert.deepEqual([run.holds, run.case.id, run.trigger.id], [true, one.id, trigger.id]);
  assert.deepEqual(run.predicate_collections.map(({ holds, propositions }) => [holds, propositions.map((p) => [p.field, p.seen, p.holds])]), [
    [true, [['cases.casepriorityid', [2], true], ['cases.casestatusid', [1], false]]], [true, [['tags.name', ['vip'], true]]],
  ]);
  const customer = (await desk.admin.fetch(`/users/${desk.people.customer.id}`)).full_name;
  assert.deepEqual(run.actions.map(({ name, changes, sent, refused }) => [name, changes.map(({ field, old_value, new_value }) => [field, old_value, new_value]), sent, refused]), [
    ['priority', [['priority', 'Normal', 'High']], null, null], ['priority', [['priority', 'High', 'Urgent']], null, null], ['status', [['status', 'New', 'Open']], null, null], ['team', [], null, null],
    ['notificationuser', [], customer, null], ['notificationuser', [], null, 'No agent is assigned.'], ['tags', [['tags', 'vip', 'new-tag, vip']], null, null],
  ]);
  assert.deepEqual(await counted(), before);
  assert.deepEqual(await desk.admin.fetch(`/cases/${one.id}`, { fields: '+tags' }), shown);
  assert.equal(to.mails.length, 0);
});

test('a dry run is refused like the operations on the trigger and the conversation', async (t) => {
  const desk = await open(t);
  const one = await opened(desk);
  const trigger = await desk.admin.create('/triggers', { title: 'a', actions: [act('tags', 'ADD', ['a'])] });
  for (const role of ['agent', 'collaborator', 'customer']) (await desk.as(role).post(`/triggers/${trigger.id}/dry_run`, { case_id: one.id })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.post('/triggers/99/dry_run', { case_id: one.id })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.admin.post(`/triggers/${trigger.id}/dry_run`, { case_id: 99 })).refused(400, 'FIELD_INVALID', 'case_id');
  (await desk.admin.post(`/triggers/${trigger.id}/dry_run`, {})).refused(400, 'FIELD_REQUIRED', 'case_id');
});

test('a dry run has the effects of a real run on the same state', async (t) => {
  const desk = await open(t);
  const teams = [];
  for (const title of ['One', 'Two', 'Gone']) teams.push(await desk.admin.create('/teams', { title }));
  const { below: random, one: pick } = dice(7);
  const some = (make, most) => Array.from({ length: 1 + random(most) }, make);
  const proposition = () => pick([
    () => ['cases.casepriorityid', pick(['comparison_equalto', 'comparison_not_equalto']), String(random(5))], () => ['cases.casestatusid', 'comparison_equalto', String(1 + random(5))],
    () => ['tags.name', pick(['collection_contains_insensitive', 'collection_does_not_contain_insensitive']), pick(['a', 'b'])], () => ['cases.assigneeteamid', 'comparison_equalto', String(pick([0, teams[0].id]))],
    () => ['cases.subject', 'string_contains_insensitive', pick(['engine', 'wheel'])],
  ])();
  const action = () => pick([
    () => act('priority', pick(['INCREASE', 'DECREASE'])), () => act('priority', 'CHANGE', random(5)), () => act('status', 'CHANGE', 1 + random(5)), () => act('type', 'CHANGE', random(5)),
    () => act('team', 'CHANGE', pick([0, ...teams.map(({ id }) => id)])), () => act('assignee', 'CHANGE', pick([0, desk.people.agent.id])), () => act('tags', pick(['ADD', 'REMOVE', 'REPLACE']), pick([['a'], ['b', 'c']])),
  ])();
  const made = [];
  for (let i = 0; i < 30; i++) {
    const triggerMade = await desk.admin.create('/triggers', { title: `T${i}`, is_enabled: false, predicate_collections: some(() => ({ propositions: some(() => { const [field, operator, value] = proposition(); return { field, operator, value }; }, 2) }), 2), actions: some(action, 4) });
    made.push([triggerMade, await opened(desk, { subject: pick(['The engine', 'The wheel']), status_id: 1 + random(4), priority_id: random(5) || null, tags: pick(['', 'a', 'a,b']), assigned_team_id: pick([null, teams[0].id, teams[1].id]) })]);
  }
  (await desk.admin.delete(`/teams/${teams[2].id}`)).must(200);
  let held = 0;
  for (const [trigger, one] of made) {
    const run = await dry(desk, trigger, one.id);
    await desk.admin.update(`/triggers/${trigger.id}`, { is_enabled: true });
    (await desk.staff.post(`/cases/${one.id}/notes`, { contents: 'A change of no property' })).must(201);
    await desk.admin.update(`/triggers/${trigger.id}`, { is_enabled: false });
    const real = (await desk.admin.fetch(`/cases/${one.id}/activities`, { limit: 100 })).find(({ summary }) => summary.startsWith('Trigger: '));
    assert.equal(real !== undefined, run.holds, JSON.stringify(run));
    if (!run.holds) continue;
    held++;
    const net = new Map();
    for (const { changes } of run.actions) for (const { field, old_value, new_value } of changes) net.set(field, [net.has(field) ? net.get(field)[0] : old_value, new_value]);
    const expected = [...net].filter(([, [from, to]]) => from !== to).map(([field, [from, to]]) => [field, from, to]);
    const refused = run.actions.filter((a) => a.refused).map((a) => [a.name, null, `Not done: ${a.refused}`]);
    const tagged = (list) => list.map(([field, from, to]) => (field === 'tags' ? [field] : [field, from, to])).map((x) => JSON.stringify(x)).sort();
    assert.deepEqual(tagged(real.actions.map(({ field, old_value, new_value }) => [field, old_value, new_value])), tagged([...expected, ...refused]), JSON.stringify([run, real]));
  }
  assert.ok(held >= 8, `${held} of 30 held`);
});

test('notifications of the reply warn of a trigger that can not fire, and of one that conflicts with others', async (t) => {
  const desk = await open(t);
  const warnings = async (title, predicates, actions, more = {}) =>
    ((await desk.admin.post('/triggers', { title, predicate_collections: predicates, actions, ...more })).must(201).body.notifications ?? []).map(({ type, message }) => (assert.equal(type, 'WARNING'), message));
  const status = (n) => ['cases.casestatusid', 'comparison_equalto', String(n)], add = (...tags) => act('tags', 'ADD', tags);
  assert.deepEqual(await warnings('Open', when(status(2)), [act('priority', 'CHANGE', 4), add('x')]), []);
  assert.match((await warnings('Never', when(status(2), status(3)), [add('a')])).join(), /No conversation can meet the predicate/);
  assert.match((await warnings('Neither', when(status(2), ['cases.casestatusid', 'comparison_not_equalto', '2']), [add('a')])).join(), /No conversation can meet/);
  assert.deepEqual(await warnings('Either', [{ propositions: [status(3), status(4)].map(([field, operator, value]) => ({ field, operator, value })) }], [add('b')]), []);
  for (const channel of ['TWITTER', 'FACEBOOK', 'VOICE']) assert.match((await warnings(channel, [], [add('c')], { channel })).join(), new RegExp(`${channel} is not connected`));
  assert.match((await warnings('Low', when(status(2)), [act('priority', 'CHANGE', 1)])).join(), /"Open" contradicts the action priority/);
  assert.match((await warnings('Untag', when(status(2), ['tags.name', 'collection_contains_insensitive', 'y']), [act('tags', 'REMOVE', ['X'])])).join(), /"Open" contradicts the action tags/);
  assert.deepEqual(await warnings('Stop', when(status(4)), [act('stoprules', 'SEND', true)]), []);
  assert.match((await warnings('Late', when(status(4), ['tags.name', 'collection_contains_insensitive', 'z']), [add('d')])).join(), /"Stop" comes first and stops the rules/);
  assert.deepEqual(await warnings('System', when(status(4)), [add('d')], { channel: 'SYSTEM' }), []);
  const stop = (await desk.admin.fetch('/triggers')).find(({ title }) => title === 'Stop');
  assert.match((await desk.admin.put(`/triggers/${stop.id}`, { title: 'Stop' })).must(200).body.notifications.map(({ message }) => message).join(), /stops the rules before "Late"/);
  const team = await desk.admin.create('/teams', { title: 'Gone' });
  const made = await desk.admin.create('/triggers', { title: 'Team', actions: [act('team', 'CHANGE', team.id)], is_enabled: false });
  (await desk.admin.delete(`/teams/${team.id}`)).must(200);
  assert.match((await desk.admin.put(`/triggers/${made.id}`, { title: 'Still' })).must(200).body.notifications.map(({ message }) => message).join(), /action team refers to a deleted object/);
});

test('a reply has at most ten warnings, and long titles are cut between characters', async (t) => {
  const desk = await open(t);
  const create = async (title, level) => ((await desk.admin.post('/triggers', { title, actions: [act('priority', 'CHANGE', level)] })).must(201).body.notifications ?? []).map(({ message }) => message);
  for (let i = 0; i < 11; i++) await create(`${i % 2 ? '' : 'x'}${'é'.repeat(200)}${i}`, 1);
  const warnings = await create('Other', 2);
  const says = (title) => `The trigger "${title}" contradicts the action priority of this one for the same changes. The later one wins.`;
  assert.deepEqual(warnings, Array.from({ length: 10 }, (_, i) => says(i % 2 ? 'é'.repeat(50) : `x${'é'.repeat(49)}`)));
});

test('a warning names a trigger that contradicts another one on conversations of both, and no other', async (t) => {
  const desk = await open(t);
  const status = (...numbers) => ({ propositions: numbers.map((n) => ({ field: 'cases.casestatusid', operator: 'comparison_equalto', value: String(n) })) });
  const low = { propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_equalto', value: '1' }] };
  const priority = (n) => act('priority', 'CHANGE', n), [raise, lower] = ['INCREASE', 'DECREASE'].map((option) => act('priority', option));
  const tags = (option, ...names) => act('tags', option, names);
  async function contradicts(first, second) {
    const [one, other] = [first, second].map(({ action, ...more }, i) => ({ title: ['First', 'Second'][i], actions: [action], ...more }));
    const made = await desk.admin.create('/triggers', one);
    const { data, body } = (await desk.admin.post('/triggers', other)).must(201);
    (await desk.admin.delete('/triggers', { ids: `${made.id},${data.id}` })).must(200);
    return (body.notifications ?? []).some(({ message }) => /^The trigger "First" contradicts the action/.test(message));
  }
  for (const [first, second, expected] of [
    [priority(1), priority(2), true], [priority(1), priority(1), false], [priority(1), raise, false], [raise, raise, false], [raise, lower, true], [lower, raise, true],
    [lower, priority(1), false], [priority(1), act('status', 'CHANGE', 2), false],
    [tags('ADD', 'x', 'y'), tags('REMOVE', 'z', 'Y'), true], [tags('REMOVE', 'x'), tags('ADD', 'x'), true], [tags('ADD', 'x'), tags('REMOVE', 'y'), false],
    [tags('ADD', 'x'), tags('ADD', 'x'), false], [tags('REMOVE', 'x'), tags('REMOVE', 'x'), false],
  ]) assert.equal(await contradicts({ action: first }, { action: second }), expected, JSON.stringify([first, second]));
  for (const [first, second, expected] of [
    [{}, { channel: 'MAIL' }, true], [{ channel: 'MAIL' }, {}, true], [{ channel: 'MAIL' }, { channel: 'MAIL' }, true], [{ channel: 'MAIL' }, { channel: 'API' }, false],
    [{}, { channel: 'SYSTEM' }, false], [{ channel: 'SYSTEM' }, {}, false],
    [{ channel: 'SYSTEM', event: 'SLA_BREACHED' }, { channel: 'SYSTEM', event: 'MONITOR' }, false], [{ channel: 'SYSTEM', event: 'MONITOR' }, { channel: 'SYSTEM', event: 'MONITOR' }, true],
    [{ channel: 'SYSTEM' }, { channel: 'SYSTEM', event: 'MONITOR' }, true],
  ]) assert.equal(await contradicts({ action: priority(1), ...first }, { action: priority(2), ...second }), expected, JSON.stringify([first, second]));
  for (const [first, second, expected] of [
    [[status(2)], [status(2)], true], [[status(2)], [status(3)], false], [[status(2)], [status(2), low], true], [[status(2), low], [status(2)], true],
    [[status(2)], [low], false], [[status(2, 3)], [status(3)], true], [[status(3)], [status(4, 3)], true], [[status(2, 3)], [status(3, 4)], false], [[], [low], true],
  ]) assert.equal(await contradicts({ action: priority(1), predicate_collections: first }, { action: priority(2), predicate_collections: second }), expected, JSON.stringify([first, second]));
});

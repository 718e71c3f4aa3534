import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shared } from './lib/index.mjs';

const EQUALITY = ['comparison_equalto', 'comparison_not_equalto'];
const ORDER = [...EQUALITY, 'comparison_greaterthan', 'comparison_greaterthan_or_equalto', 'comparison_lessthan', 'comparison_lessthan_or_equalto'];
const HISTORY = ['history_changed', 'history_changed_to', 'history_changed_from', 'history_not_changed', 'history_not_changed_to', 'history_not_changed_from'];
const TIME = ['time_greaterthan', 'time_greaterthan_or_equalto', 'time_lessthan', 'time_lessthan_or_equalto'];
const TAGS = ['collection_contains_insensitive', 'collection_contains_any_insensitive', 'collection_does_not_contain_insensitive'];

const rule = (field, operator, value) => ({ predicate_collections: [{ propositions: [{ field, operator, value }] }] });
const trigger = (more) => ({ title: 'T', actions: [{ name: 'priority', option: 'CHANGE', value: '4' }], ...more });
const by_field = (list) => Object.fromEntries(list.map((d) => [d.field, d]));

describe('definitions of rules', () => {
  const world = shared(async () => {});

  test('SLAs list the fields of conversations that the specification names', async () => {
    const { desk } = world;
    const list = await desk.owner.fetch('/slas/definitions');
    const fields = list.map((d) => d.field);
    for (const field of ['cases.casetypeid', 'cases.assigneeteamid', 'cases.assigneeagentid', 'cases.requesterid', 'tags.name',
      'users.organizationid', 'cases.channel', 'cases.brandid', 'cases.caseformid']) assert.ok(fields.includes(field), field);
    for (const field of ['cases.casestatusid', 'cases.casepriorityid', 'cases.channeltype', 'cases.subject', 'cases.createdat', 'businesshours',
      'messages.contents']) assert.ok(!fields.includes(field), field);
    const of = by_field(list);
    assert.deepEqual(Object.keys(of['cases.channel'].values).sort(), ['FACEBOOK', 'HELPCENTER', 'MAIL', 'MESSENGER', 'NOTE', 'TWITTER']);
    assert.deepEqual(of['cases.assigneeagentid'].values, { 0: '(unassigned)' });
    assert.deepEqual(of['tags.name'].operators, TAGS);
    for (const d of list) {
      assert.ok(['CASES', 'REQUESTER', 'ORGANIZATION', 'SLA'].includes(d.group), d.field);
      assert.ok(['COMMON', 'LESS_COMMON'].includes(d.rarity), d.field);
      assert.ok(!d.operators.some((o) => o.startsWith('history')), d.field);
    }
  });

  test('triggers have history and business hours, by type of input', async () => {
    const { desk } = world;
    const list = await desk.owner.fetch('/triggers/definitions');
    const of = by_field(list);
    assert.deepEqual(of['cases.casestatusid'].operators, [...EQUALITY, ...HISTORY]);
    assert.deepEqual(of['cases.assigneeagentid'].operators, [...EQUALITY, ...HISTORY]);
    assert.deepEqual(of['cases.subject'].operators, ['string_contains_insensitive', 'string_does_not_contain_insensitive', 'history_changed', 'history_not_changed']);
    assert.deepEqual(of['tags.name'].operators, [...TAGS, 'history_changed', 'history_not_changed']);
    assert.deepEqual(of['casemetrics.replycount'].operators, ORDER);
    assert.deepEqual(of['cases.isslabreached'].operators, ['comparison_equalto']);
    assert.equal(of['cases.isslabreached'].input_type, 'BOOLEAN_TRUE');
    assert.deepEqual(of['cases.createdat'].operators, [...TIME, ...TIME.map((o) => `${o}_businesshours`)]);
    assert.equal(of['cases.createdat'].type, 'TIME');
    assert.deepEqual(of['cases.createdat_absolute'].operators, ['date_is', 'date_is_not']);
    assert.deepEqual(of['cases.satisfactionstatus'].values, { UNOFFERED: 'Unoffered', OFFERED: 'Offered', RECEIVED: 'Received' });
    assert.deepEqual(of['cases.rating'].values, { 0: 'Not set', GOOD: 'Good', BAD: 'Bad' });
    assert.ok('(current_users_team)' in of['cases.assigneeteamid'].values);
    assert.ok('(current_user)' in of['cases.assigneeagentid'].values && '(requester)' in of['cases.assigneeagentid'].values);
    assert.ok('(current_user)' in of['cases.requesterid'].values && '(assignee)' in of['cases.requesterid'].values);
    for (const field of ['cases.state', 'cases.updatedat', 'cases.lastagentactivityat', 'cases.postcount', 'cases.lastupdatedby', 'users.roleid',
      'requester.tags', 'messages.contents', 'messages.subject', 'mails.to', 'mails.cc', 'cases.isbusinesshours', 'cases.slaversionid',
      'casemetrics.reopencount', 'casemetrics.agentreplycount', 'casemetrics.requesterreplycount', 'casemetrics.assigneechangecount',
      'casemetrics.teamchangecount', 'cases.lastcompletedat', 'followers.userid', 'languages.locale', 'caseslametrics.isbreached'])
      assert.ok(of[field], field);
    for (const d of list) assert.ok(['CASES', 'REQUESTER', 'ORGANIZATION', 'SLA', 'SATISFACTION'].includes(d.group), d.field);
  });

  test('monitors have neither history nor a current user nor messages', async () => {
    const { desk } = world;
    const of = by_field(await desk.owner.fetch('/monitors/definitions'));
    assert.deepEqual(of['cases.casestatusid'].operators, EQUALITY);
    assert.ok(!('(current_user)' in of['cases.assigneeagentid'].values));
    assert.equal(of['messages.contents'], undefined);
    assert.ok(of['cases.updatedat'].operators.includes('time_lessthan_businesshours'));
  });

  test('only admins and owners list them', async () => {
    const { desk } = world;
    for (const path of ['/slas/definitions', '/triggers/definitions', '/monitors/definitions']) {
      (await desk.as('agent').get(path)).refused(403, 'PERMISSIONS_DENIED');
      await desk.as('admin').fetch(path);
    }
  });

  test('a deleted value is listed for the trigger that uses it, and the trigger can be saved again', async () => {
    const { desk } = world;
    const status = await desk.owner.create('/cases/statuses', { label: 'Waiting', is_sla_active: true });
    const made = await desk.owner.create('/triggers', trigger(rule('cases.casestatusid', 'comparison_equalto', String(status.id))));
    (await desk.owner.delete(`/cases/statuses/${status.id}`)).must(200);
    const values = async (query) => by_field(await desk.owner.fetch(`/triggers/definitions${query}`))['cases.casestatusid'].values;
    assert.equal((await values(''))[status.id], undefined);
    assert.equal((await values(`?trigger_id=${made.id}`))[status.id], 'Waiting');
    await desk.owner.update(`/triggers/${made.id}`, rule('cases.casestatusid', 'comparison_equalto', String(status.id)));
    (await desk.owner.post('/triggers', trigger(rule('cases.casestatusid', 'comparison_equalto', String(status.id))))).refused(400, 'FIELD_INVALID');
  });

  test('ids that a request sends back stay, others are deleted, and null adds', async () => {
    const { desk } = world;
    const made = await desk.owner.create('/triggers', trigger({ predicate_collections: [
      { propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'a' }, { field: 'cases.subject', operator: 'string_contains_insensitive', value: 'b' }] },
      { propositions: [{ field: 'tags.name', operator: 'collection_contains_any_insensitive', value: ['x', 'y'] }] }] }));
    const [first, second] = made.predicate_collections;
    assert.deepEqual(second.propositions[0].value, ['x', 'y']);
    const changed = await desk.owner.update(`/triggers/${made.id}`, { predicate_collections: [
      { id: second.id, propositions: [{ ...second.propositions[0] }, { id: first.propositions[1].id, field: 'cases.subject', operator: 'string_contains_insensitive', value: 'c' }] },
      { id: null, propositions: [{ id: null, field: 'cases.subject', operator: 'history_changed' }] }] });
    assert.equal(changed.predicate_collections[0].id, second.id);
    assert.deepEqual(changed.predicate_collections[0].propositions.map((p) => p.id), [second.propositions[0].id, first.propositions[1].id]);
    assert.equal(changed.predicate_collections[0].propositions[1].value, 'c');
    assert.ok(changed.predicate_collections[1].id > second.id);
    (await desk.owner.put(`/triggers/${made.id}`, { predicate_collections: [{ id: first.id, propositions: changed.predicate_collections[0].propositions }] }))
      .refused(400, 'FIELD_INVALID', 'predicate_collections[0].id');
  });

  test('bad propositions are named by place', async () => {
    const { desk } = world;
    const cases = [
      [['cases.nothing', 'comparison_equalto', '1'], 'field'],
      [['businesshours', 'comparison_equalto', '1'], 'field'],
      [['cases.subject', 'comparison_greaterthan', 'a'], 'operator'],
      [['cases.subject', 'history_changed_to', 'a'], 'operator'],
      [['cases.casestatusid', 'comparison_equalto', '999'], 'value'],
      [['cases.casestatusid', 'history_changed_from', { a: 1 }], 'value'],
      [['cases.assigneeagentid', 'comparison_equalto', true], 'value'],
      [['cases.createdat', 'time_greaterthan', 'soon'], 'value'],
      [['cases.createdat', 'time_greaterthan', 87601], 'value'],
      [['cases.createdat', 'time_greaterthan', -1], 'value'],
      [['cases.isslabreached', 'comparison_equalto', false], 'value'],
      [['cases.createdat_relative_past', 'date_before', 'nextweek'], 'value'],
      [['cases.subject', 'string_contains_insensitive', 'x'.repeat(256)], 'value'],
      [['tags.name', 'collection_contains_any_insensitive', Array.from({ length: 101 }, (_, i) => `t${i}`)], 'value'],
      [['casemetrics.replycount', 'comparison_equalto', '1.5'], 'value'],
    ];
    for (const [[field, operator, value], member] of cases) {
      const reply = await desk.owner.post('/triggers', trigger(rule(field, operator, value)));
      assert.equal(reply.status, 400, `${field} ${operator}`);
      const found = reply.body.errors.map((e) => e.parameter);
      assert.ok(found.some((p) => p.startsWith(`predicate_collections[0].propositions[0].${member}`)), `${field} ${operator}: ${found}`);
    }
    (await desk.owner.post('/triggers', trigger(rule('cases.subject', 'string_contains_insensitive', '')))).refused(400, 'FIELD_EMPTY');
  });

  test('10,000 propositions are refused with the limit', async () => {
    const { desk } = world;
    const propositions = Array.from({ length: 10000 }, () => ({ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'a' }));
    const reply = await desk.owner.post('/triggers', trigger({ predicate_collections: [{ propositions }] }));
    assert.equal(reply.status, 400);
    assert.match(reply.body.errors[0].message, /100 propositions/);
    const collections = Array.from({ length: 10000 }, () => ({ propositions: propositions.slice(0, 1) }));
    const more = await desk.owner.post('/triggers', trigger({ predicate_collections: collections }));
    assert.equal(more.status, 400);
    assert.match(more.body.errors[0].message, /50 collections/);
  });
});

// The plans that SQLite chooses for statements of requests. It has no statistics of the tables, so it plans for a small desk as for one of a
// million conversations.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { AGENT } from './lib/client.mjs';
import { open } from './lib/index.mjs';
import { BINARY, CLUSTER } from './lib/stores.mjs';

const STATEMENTS = join(dirname(BINARY), 'build/bench/statements');

/** The statements of a GET with their plans: [{sql, plan: [line]}]. */
async function plansOf(desk, client, target) {
  const { id } = await desk.session(client, { 'X-CSRF': 'false' });
  const { status, stdout, stderr } = spawnSync(STATEMENTS, ['get', desk.dir, AGENT, id, '1', `/api/v1${target}`, '-v'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const statements = [];
  for (const line of stdout.split('\n').slice(1))
    if (/^ {2}\S/.test(line)) statements.push({ sql: line.trim(), plan: [] });
    else if (/^ +\| /.test(line)) statements.at(-1).plan.push(line.trim().slice(2));
  return statements;
}

/** How the plans of a GET find rows of the table that the list has as t. */
const accessTo = async (desk, client, target, table = 'cases') => (await plansOf(desk, client, target)).filter(({ sql }) => sql.includes(` FROM ${table} t `))
  .flatMap(({ plan }) => plan.filter((line) => /^(SEARCH|SCAN) t\b|TEMP B-TREE FOR (LAST|ORDER)/.test(line)));

test('the plans of lists', { skip: CLUSTER && 'they are those of SQLite' }, async (t) => {
  const desk = await open(t, { clock: Date.now() }); // the program that prints plans has the time of the machine
  const team = await desk.owner.create('/teams', { title: 'A' });
  const agent = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team.id] });
  const customer = await desk.person('customer');
  const one = await desk.owner.create('/cases', { subject: 'S', contents: 'C', requester_id: customer.id, assigned_team_id: team.id });

  await t.test('conversations that a request names are found by their ids, whoever asks', async () => {
    for (const client of [desk.owner, agent.client, customer.client])
      for (const path of client === customer.client ? ['/conversations'] : ['/conversations', '/cases', '/views/1/cases']) {
        const found = await accessTo(desk, client, `${path}?ids=${one.id}`);
        assert.ok(found.length, path);
        for (const line of found.filter((text) => !text.startsWith('USE TEMP'))) assert.match(line, /^SEARCH t USING INTEGER PRIMARY KEY \(rowid=\?\)/, `${path}: ${found.join(' ')}`);
      }
    for (const path of ['/cases', '/views/1/cases'])
      for (const line of (await accessTo(desk, agent.client, `${path}?legacy_ids=x`)).filter((text) => !text.startsWith('USE TEMP'))) assert.match(line, /cases_legacy/, path);
  });

  await t.test('the view of unassigned conversations reads no others, also for an agent of teams', async () => {
    const nobody = (name) => ({ propositions: [{ field: `cases.${name}`, operator: 'comparison_equalto', value: '0' }] });
    const view = await desk.owner.create('/views', { title: 'Unassigned', visibility_type: 'ALL', predicate_collections: [nobody('assigneeteamid'), nobody('assigneeagentid')], order_by_column: 'createdat' });
    for (const client of [desk.owner, agent.client])
      assert.deepEqual(await accessTo(desk, client, `/views/${view.id}/cases`), ['SCAN t USING INDEX cases_unassigned']);
  });

  await t.test('a page behind the middle is read from the end of the list, one behind the end not at all', async () => {
    for (let i = 0; i < 9; i++) await desk.owner.create('/cases', { subject: `S${i}`, contents: 'C', requester_id: customer.id });
    const order = async (offset) => (await plansOf(desk, desk.owner, `/conversations?limit=2&offset=${offset}`)).map(({ sql }) => / FROM cases t .*(ORDER BY .*) LIMIT/.exec(sql)?.[1]).filter(Boolean);
    assert.deepEqual(await order(4), ['ORDER BY t.created_at DESC, t.id DESC']);
    assert.deepEqual(await order(7), ['ORDER BY t.created_at, t.id']);
    assert.deepEqual(await order(10), []);
  });

  await t.test('a status of few conversations is the range also for an agent of teams', async () => {
    await desk.owner.update(`/cases/${one.id}`, { status_id: 3 });
    for (const path of ['/conversations', '/cases']) {
      const few = await accessTo(desk, agent.client, `${path}?status=PENDING`), many = await accessTo(desk, agent.client, `${path}?status=NEW,PENDING`);
      assert.match(few.join(), /^SEARCH t USING INDEX \w*status\w* \(status_type=\?\)$/, path);
      assert.doesNotMatch(many.join(), /status/, path);
    }
  });

  await t.test('members of an organization are its range also with is_enabled', async () => {
    const organization = await desk.owner.create('/organizations', { name: 'O' });
    for (let i = 0; i < 2; i++) await desk.person('customer', { organization_id: organization.id });
    const plans = (await plansOf(desk, desk.owner, `/organizations/${organization.id}/members?is_enabled=true&limit=1`)).filter(({ sql }) => sql.includes(' FROM users t WHERE 1 = 1'));
    assert.equal(plans.length, 2, 'the rows and their count');
    for (const { plan } of plans) assert.match(plan.join(), /SEARCH t USING INDEX users_by_organization \(organization_id=\?\)/);
  });

  await t.test('a person whom a customer does not see is sought in indexes, and no conversation is read', async () => {
    const organization = await desk.owner.create('/organizations', { name: 'P', is_shared: true });
    const member = await desk.person('customer', { organization_id: organization.id, organization_case_access: 'ORGANIZATION' });
    const plans = (await plansOf(desk, member.client, `/users/${customer.id}`)).filter(({ sql }) => sql.includes('case_participants'));
    assert.equal(plans.length, 1);
    const found = plans[0].plan.filter((line) => /^(SEARCH|SCAN) [tp]\b/.test(line)), shared = found.filter((line) => line.includes('organization_id=?'));
    assert.equal(shared.length, 3, found.join('\n'));
    for (const line of shared) assert.match(line, /USING (COVERING INDEX cases_updated_organization|INDEX cases_opened_for) /);
    for (const line of found.filter((text) => text.includes(' p '))) assert.match(line, /PRIMARY KEY \(case_id=\? AND user_id=\?\)/);
  });
});

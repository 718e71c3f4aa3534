// A list whose caller sees several parts of the rows is merged from an index range for each part. It must be the whole list, as an owner gets it,
// without what the caller does not see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dice, open } from './lib/index.mjs';

/** Conversations of two teams, of agents and of nobody, some with equal times, and people who see different parts of them. */
async function world(t, roll) {
  const desk = await open(t);
  const { owner } = desk;
  const teams = [];
  for (const title of ['A', 'B', 'C']) teams.push(await owner.create('/teams', { title }));
  const organization = await owner.create('/organizations', { name: 'Shared', is_shared: true });
  const agents = [], customers = [];
  for (const of of [[], [0], [0, 1]]) {
    const one = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: of.map((i) => teams[i].id) });
    agents.push(one);
  }
  for (let i = 0; i < 3; i++) customers.push(await desk.person('customer', i < 2 ? { organization_id: organization.id, organization_case_access: 'ORGANIZATION' } : {}));
  for (let i = 0; i < 40; i++) {
    if (roll(3)) await desk.clock.forward(60 * (1 + roll(3)));
    await owner.create('/cases', {
      subject: `No ${i}`, contents: 'C', requester_id: customers[roll(3)].id, status_id: 1 + roll(4), priority_id: 1 + roll(3),
      ...(roll(3) ? { assigned_team_id: teams[roll(3)].id } : {}), ...(roll(3) ? {} : { assigned_agent_id: agents[roll(3)].id }),
    });
  }
  return { desk, teams, agents, customers };
}

const same = ({ assigned_team: team, assigned_agent: agent, ...rest }) => ({ ...rest, team: team?.id, agent: agent?.id });

test('a merged list has the rows, the order, the pages and the total of the whole list of what its caller sees', async (t) => {
  const roll = dice(7).below;
  const { desk, teams, agents, customers } = await world(t, roll);
  const any = (list) => list[roll(list.length)];
  for (const { client: who } of [...agents, ...customers]) {
    const staff = agents.some((one) => one.client === who), path = staff && roll(2) ? '/cases' : '/conversations';
    const all = (await desk.owner.get('/conversations', { limit: 100 })).must(200).ids, parts = staff ? {} : { filters: 'MY_ORGANIZATION' };
    const sees = new Set((await who.get('/conversations', { ...parts, limit: 100 })).must(200).ids);
    for (const id of all) if (staff || sees.has(id)) assert.equal((await who.get(`/conversations/${id}`)).status, sees.has(id) ? 200 : 404);
    for (let i = 0; i < 30; i++) {
      const filter = any([{}, {}, { status: any(['NEW', 'NEW,OPEN', 'OPEN,PENDING,COMPLETED']) }, ...(staff ? [{ priority: 1 + roll(3) }, { assigned_team_id: any(teams).id }] : []), { ids: all.filter(() => roll(2)).join(',') }]);
      const filters = { ...filter, ...parts };
      const whole = (await desk.owner.get(path, { ...filter, limit: 100 })).must(200).data.filter((one) => sees.has(one.id));
      const limit = 1 + roll(12), from = any(all), place = whole.findIndex((one) => one.id === from), offset = roll(20);
      const what = JSON.stringify({ path, ...filters, limit, offset, from });
      const page = (await who.get(path, { ...filters, limit, offset })).must(200);
      assert.deepEqual(page.data.map(same), whole.slice(offset, offset + limit).map(same), what);
      assert.equal(page.body.total_count, whole.length, what);
      if (place < 0 || !sees.has(from)) continue;
      assert.deepEqual((await who.get(path, { ...filters, limit, after_id: from })).must(200).ids, whole.slice(place + 1, place + 1 + limit).map((one) => one.id), what);
      assert.deepEqual((await who.get(path, { ...filters, limit, before_id: from })).must(200).ids, whole.slice(Math.max(0, place - limit), place).map((one) => one.id), what);
    }
  }
});

test('a view of a team or an agent has all of its conversations that the caller sees', async (t) => {
  const roll = dice(11).below;
  const { desk, teams, agents } = await world(t, roll);
  const asked = (name, value) => ({ propositions: [{ field: `cases.${name}`, operator: 'comparison_equalto', value: String(value) }] });
  const ofTeam = [null, ...teams].map((team) => [(c) => (c.assigned_team?.id ?? null) === (team?.id ?? null), [asked('assigneeteamid', team?.id ?? 0)]]);
  const ofAgent = [null, ...agents].map((one) => [(c) => (c.assigned_agent?.id ?? null) === (one?.id ?? null), [asked('assigneeagentid', one?.id ?? 0)]]);
  const mine = [(c, me) => c.assigned_agent?.id === me, [asked('assigneeagentid', '(current_user)')]];
  const either = [(c) => c.assigned_team === null || c.assigned_agent === null, [{ propositions: [...asked('assigneeteamid', 0).propositions, ...asked('assigneeagentid', 0).propositions] }]];
  const both = ofTeam.map(([team, ask], i) => { const [agent, more] = [...ofAgent, mine][i]; return [(c, me) => team(c) && agent(c, me), [...ask, ...more]]; });
  const all = (await desk.owner.get('/cases', { limit: 100 })).must(200).data;
  for (const [holds, predicate_collections] of [...ofTeam, ...ofAgent, mine, either, ...both]) {
    const view = await desk.owner.create('/views', { title: 'V', visibility_type: 'ALL', predicate_collections, order_by_column: 'caseid', order_by: 'ASC' });
    for (const who of agents) {
      const sees = new Set((await who.client.get('/cases', { limit: 100 })).must(200).ids), { body, ids } = (await who.client.get(`/views/${view.id}/cases`, { limit: 100 })).must(200);
      const wanted = all.filter((c) => sees.has(c.id) && holds(c, who.id)).map((c) => c.id);
      assert.deepEqual(ids, wanted.sort((a, b) => a - b), JSON.stringify(predicate_collections));
      assert.equal(body.total_count, wanted.length);
    }
  }
});

test('the pages of a list are its parts, at each offset', async (t) => {
  const roll = dice(3).below;
  const { desk, agents, customers } = await world(t, roll);
  const some = [...agents, ...customers].map((one) => one.id).join();
  const lists = [[desk.owner, '/users', {}], [desk.owner, '/users', { role: 'CUSTOMER' }], [desk.owner, '/users', { ids: some }], [desk.owner, '/cases', { status: 'NEW,OPEN' }], [desk.owner, '/identities/emails', {}],
    [agents[2].client, '/cases', {}], [agents[2].client, '/views/1/cases', { order_by_column: 'subject' }], [customers[0].client, '/conversations', {}], [desk.owner, '/cases/1/messages', {}]];
  for (const [who, path, filters] of lists) {
    const { data, ids } = (await who.get(path, { ...filters, limit: 100 })).must(200);
    for (let offset = 0; offset < data.length + 2; offset++) {
      const limit = 1 + roll(9), page = (await who.get(path, { ...filters, offset, limit })).must(200);
      assert.deepEqual(page.ids, ids.slice(offset, offset + limit), `${path} ${offset} ${limit}`);
      assert.equal(page.body.total_count, data.length);
    }
  }
});

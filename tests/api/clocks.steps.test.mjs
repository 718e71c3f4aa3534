// Writes continue the stored clocks by steps (core/sla/clock_step.c). deskd check computes each clock from its history and compares.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE, dice, open, opened, relayFor, until } from './lib/index.mjs';

const STEPS = Number(process.env.CLOCK_STEPS ?? 120);
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const week = (from, to) => Object.fromEntries(DAYS.map((day, i) => [day, i < 5 ? Array.from({ length: to - from }, (_, k) => from + k) : []]));
const is = (field, value) => ({ propositions: [{ field, operator: 'comparison_equalto', value }] });
const target = (type, goal, hours = 'CALENDAR_HOURS', priority_id = null) => ({ type, goal_in_seconds: goal, operational_hours: hours, priority_id });

/** SLAs that conversations get and lose by priority and type, with goals from minutes to days, in both kinds of hours. */
async function world(t, seed) {
  const desk = await open(t), { owner } = desk;
  await relayFor(t, desk, { 'mail.undo_seconds': 60 });
  const hours = [];
  for (const [title, from, to] of [['Early', 6, 12], ['Late', 12, 20]])
    hours.push((await owner.create('/businesshours', { title, zones: week(from, to), time_zone: 'Europe/Berlin' })).id);
  const teams = [];
  for (const businesshour_id of [...hours, null]) teams.push((await owner.create('/teams', { title: `Team ${businesshour_id}`, businesshour_id })).id);
  const slas = [
    await owner.create('/slas', { title: 'Urgent', predicate_collections: [is('cases.casepriorityid', 4)], targets: [
      target('FIRST_REPLY_TIME', 10 * MINUTE), target('NEXT_REPLY_TIME', HOUR), target('RESOLUTION_TIME', DAY)] }),
    await owner.create('/slas', { title: 'Standard', predicate_collections: [is('cases.casetypeid', 1)], targets: [
      target('FIRST_REPLY_TIME', 4 * HOUR, 'BUSINESS_HOURS'), target('FIRST_REPLY_TIME', HOUR, 'BUSINESS_HOURS', 3),
      target('NEXT_REPLY_TIME', 2 * HOUR, 'BUSINESS_HOURS', 3), target('NEXT_REPLY_TIME', 8 * HOUR, 'CALENDAR_HOURS', 2),
      target('RESOLUTION_TIME', 20 * HOUR, 'BUSINESS_HOURS'), target('RESOLUTION_TIME', 2 * DAY, 'CALENDAR_HOURS', 2)] }),
    await owner.create('/slas', { title: 'Slow', predicate_collections: [is('cases.casetypeid', 2)], targets: [target('NEXT_REPLY_TIME', DAY)] }),
  ];
  const status = (await owner.create('/cases/statuses', { label: 'Waits', is_sla_active: false })).id;
  return { desk, owner, d: dice(seed), hours, teams, slas, own: status, statuses: [2, 3, 4, status], replies: [], cases: [] };
}

const deeds = {
  open: async ({ desk, d, cases, teams }) => {
    const { id } = await opened(desk, { priority_id: d.one([null, 2, 3, 4]), type_id: d.one([1, 1, 2, 3]), assigned_team_id: d.one([null, ...teams]) });
    cases.push(id);
  },
  ask: ({ desk }, id) => desk.customer.post(`/conversations/${id}/messages`, { contents: 'When?' }),
  answer: async ({ desk, replies }, id) => {
    const reply = await desk.staff.post(`/cases/${id}/reply`, { contents: 'Soon', channel: 'MAIL' });
    if (reply.status === 201) replies.push([id, reply.data.posts[0].id]);
    return reply;
  },
  answerAndSet: ({ desk, d, statuses }, id) => desk.staff.post(`/cases/${id}/reply`, { contents: 'Done', status_id: d.one(statuses), priority_id: d.one([2, 3, 4]) }),
  undo: ({ desk, replies }) => {
    const [id, reply] = replies.pop() ?? [];
    return id && desk.staff.delete(`/cases/${id}/reply/${reply}`);
  },
  note: ({ desk }, id) => desk.staff.post(`/cases/${id}/notes`, { contents: 'Hm' }),
  status: ({ owner, d, statuses }, id) => owner.put(`/cases/${id}`, { status_id: d.one(statuses) }),
  close: ({ owner, cases }, id) => owner.put(`/cases/${cases.splice(cases.indexOf(id), 1)}`, { status_id: 5 }),
  priority: ({ owner, d }, id) => owner.put(`/cases/${id}`, { priority_id: d.one([null, 2, 3, 4]) }),
  type: ({ owner, d }, id) => owner.put(`/cases/${id}`, { type_id: d.one([1, 2, 3]) }),
  team: ({ owner, d, teams }, id) => owner.put(`/cases/${id}`, { assigned_team_id: d.one([null, ...teams]) }),
  several: ({ owner, d, statuses, teams }, id) =>
    owner.put(`/cases/${id}`, { status_id: d.one(statuses), priority_id: d.one([null, 2, 3, 4]), type_id: d.one([1, 2]), assigned_team_id: d.one([null, ...teams]) }),
  many: ({ owner, d, cases, statuses }, id) =>
    owner.put('/cases', { status_id: d.one(statuses), priority_id: d.one([2, 3, 4]) }, { query: { ids: [...new Set([id, d.one(cases), d.one(cases)])].join(',') } }),
  trash: ({ owner }, id) => owner.put(`/cases/${id}/trash`, {}),
  restore: async ({ owner, cases }) => { for (const id of cases) await owner.put(`/cases/${id}/restore`, {}); },
  merge: ({ owner, d, cases }) => {
    const [merged] = cases.splice(d.below(cases.length), 1);
    return owner.post(`/cases/${d.one(cases)}/merge`, { case_ids: [merged] });
  },
  split: async ({ desk, cases }, id) => {
    const posts = await desk.staff.get(`/cases/${id}/posts`, { filters: 'MESSAGES', limit: 2 });
    const made = await desk.staff.post(`/cases/${id}/split`, { post_ids: (posts.body.data ?? []).map((p) => p.id), subject: 'Apart' });
    if (made.status === 201) cases.push(made.data.id);
    return made;
  },
  policy: ({ owner, d, slas }) => owner.put(`/slas/${slas[2].id}`, { targets: [target('NEXT_REPLY_TIME', (1 + d.below(9)) * HOUR, d.one(['CALENDAR_HOURS', 'BUSINESS_HOURS']))] }),
  holiday: ({ owner, d, hours }) => owner.put(`/businesshours/${d.one(hours)}`, { holidays: [{ title: 'Day off', date: `${24 + d.below(6)}/11/2026` }] }),
  teamHours: ({ owner, d, hours, teams }) => owner.put(`/teams/${d.one(teams)}`, { businesshour_id: d.one(hours) }),
  pauses: ({ owner, d, own }) => owner.put(`/cases/statuses/${own}`, { is_sla_active: d.below(2) === 1 }),
};
const SETTINGS = ['policy', 'holiday', 'teamHours', 'pauses'];
/** Two in three of these are another deed instead. */
const SELDOM = [...SETTINGS, 'merge', 'close', 'trash', 'note', 'undo', 'open'];

/** Moves the clock of the daemon: often not at all, so that writes share a millisecond or come one after another. */
function move(w) {
  const span = w.d.one([0, 0, 1, 1000, 7 * MINUTE * 1000, HOUR * 1000, 9 * HOUR * 1000]);
  w.desk.clock.write(w.desk.clock.now + span);
}

/** deskd check does not compare while a job computes clocks again. */
const settled = (w) => until('the jobs of clocks', async () => {
  if (w.desk.sql("SELECT COUNT(*) FROM jobs WHERE kind = 'clocks' AND status IN (1, 2)").trim() === '0') return true;
  w.desk.clock.write(w.desk.clock.now + MINUTE * 1000);
  return undefined;
});

async function step(w, i) {
  const id = w.cases.length ? w.d.one(w.cases) : 0;
  let name = w.cases.length < 5 ? 'open' : w.d.one(Object.keys(deeds));
  if (w.cases.length >= 5 && SELDOM.includes(name) && w.d.below(3)) name = w.d.one(['ask', 'answer', 'status', 'type', 'priority', 'several']);
  move(w);
  const reply = await deeds[name](w, id);
  if (reply?.status) assert.ok(reply.status < 500, `${name}: ${reply.status}`);
  if (SETTINGS.includes(name)) await settled(w);
  const done = w.desk.check();
  assert.equal(done.status, 0, `step ${i}, ${name} of ${id}: ${done.stdout}`);
  return `${name} ${reply?.status ?? ''}`;
}

for (const seed of (process.env.CLOCK_SEEDS ?? '1,2').split(',').map(Number)) {
  test(`after each of many random writes the clocks are those of the history (seed ${seed})`, async (t) => {
    const w = await world(t, seed);
    const done = {};
    for (let i = 0; i < STEPS; i++) {
      const what = await step(w, i);
      done[what] = (done[what] ?? 0) + 1;
    }
    t.diagnostic(JSON.stringify(done));
    assert.ok(Number(w.desk.sql('SELECT COUNT(*) FROM sla_metrics').trim()) > 5);
  });
}

/** A conversation that is over, with an SLA in business hours whose clocks have all ended. */
async function over(t) {
  const desk = await open(t), { owner } = desk;
  const [standard] = await owner.fetch('/businesshours');
  await owner.update(`/businesshours/${standard.id}`, { zones: week(6, 22), time_zone: 'UTC' });
  await owner.create('/slas', { title: 'Gold', targets: [target('FIRST_REPLY_TIME', 40 * HOUR, 'BUSINESS_HOURS'), target('RESOLUTION_TIME', 40 * HOUR, 'BUSINESS_HOURS')] });
  const talk = await opened(desk);
  await desk.clock.forward(HOUR);
  await desk.staff.create(`/cases/${talk.id}/reply`, { contents: 'Done', status_id: 4 });
  await desk.clock.forward(HOUR);
  const due = async () => (await desk.staff.fetch(`/cases/${talk.id}`, { include: 'sla_metric' })).sla_metrics.map((m) => [m.stage, m.due_at]);
  return { desk, owner, standard, talk, due };
}

test('clocks that were computed with other business hours are computed from the history when the conversation goes on', async (t) => {
  const { desk, owner, standard, talk, due } = await over(t);
  const before = await due();
  await owner.update(`/businesshours/${standard.id}`, { zones: week(6, 14) });
  await settled({ desk });
  assert.deepEqual(await due(), before); // new hours do not change what happened
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 2 });
  const after = await due();
  assert.deepEqual(after.map(([stage]) => stage), ['COMPLETED', 'ACTIVE']);
  assert.notEqual(after[0][1], before[0][1]);
  const done = desk.check();
  assert.equal(done.status, 0, done.stdout);
});

test('an SLA that a conversation gets late counts its past', async (t) => {
  const desk = await open(t), { owner } = desk;
  await owner.create('/slas', { title: 'Late', predicate_collections: [is('cases.casepriorityid', 4)], targets: [target('FIRST_REPLY_TIME', DAY), target('NEXT_REPLY_TIME', DAY), target('RESOLUTION_TIME', DAY)] });
  const talk = await opened(desk, { priority_id: 2 });
  await desk.clock.forward(HOUR);
  await desk.staff.update(`/cases/${talk.id}`, { status_id: 3 });
  await desk.clock.forward(HOUR);
  await desk.staff.create(`/cases/${talk.id}/reply`, { contents: 'Soon', status_id: 2 });
  await desk.clock.forward(HOUR);
  (await desk.customer.post(`/conversations/${talk.id}/messages`, { contents: 'When?' })).must(201);
  await desk.clock.forward(HOUR);
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 4 });
  const { sla_metrics: list } = await desk.staff.fetch(`/cases/${talk.id}`, { include: 'sla_metric' });
  assert.deepEqual(list.map((m) => [m.metric_type, m.stage, (Date.parse(m.due_at) - Date.parse(m.started_at)) / 1000]), [
    ['FIRST_REPLY_TIME', 'COMPLETED', DAY + HOUR], ['NEXT_REPLY_TIME', 'ACTIVE', DAY], ['RESOLUTION_TIME', 'ACTIVE', DAY + HOUR]]);
  const done = desk.check();
  assert.equal(done.status, 0, done.stdout);
});

test('each process uses changed targets and hours in its next write', async (t) => {
  const desk = await open(t), { owner } = desk;
  const hours = [];
  for (const to of [12, 16]) hours.push((await owner.create('/businesshours', { title: `Until ${to}`, zones: week(8, to), time_zone: 'UTC' })).id);
  const team = (await owner.create('/teams', { title: 'Team' })).id;
  const gold = await owner.create('/slas', { title: 'Gold', targets: [target('RESOLUTION_TIME', HOUR)] });
  const due = async (more) => {
    const { id } = await opened(desk, more);
    const { sla_metrics: [{ started_at, due_at }] } = await desk.staff.fetch(`/cases/${id}`, { include: 'sla_metric' });
    return (Date.parse(due_at) - Date.parse(started_at)) / 1000;
  };
  for (let goal = 2; goal < 5; goal++) {
    await owner.update(`/slas/${gold.id}`, { targets: [target('RESOLUTION_TIME', goal * HOUR)] });
    for (let i = 0; i < 3; i++) assert.equal(await due({}), goal * HOUR);
  }
  await owner.update(`/slas/${gold.id}`, { targets: [target('RESOLUTION_TIME', 4 * HOUR, 'BUSINESS_HOURS')] });
  for (const [at, wanted] of [[0, 24], [1, 4], [0, 24]]) { // the desk's clock stands at 9:30
    await owner.update(`/teams/${team}`, { businesshour_id: hours[at] });
    const seen = [];
    for (let i = 0; i < 3; i++) seen.push(await due({ assigned_team_id: team }));
    assert.deepEqual(seen, [wanted, wanted, wanted].map((h) => h * HOUR));
  }
});

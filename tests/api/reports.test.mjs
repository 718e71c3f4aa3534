// Reports against a slow reference: each number is computed again here from the events of random conversations.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { DAY, HOUR, MONDAY, clean, dice, iso, open, opened, shared, until } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';
import { apiToken } from './lib/tokens.mjs';

const SERIES = '/insights/cases/series', WEEK = '/insights/cases/hours', GROUPS = '/insights/cases/groups';
const ROUNDS = Number(process.env.REPORT_DESKS ?? 15);
const H = HOUR * 1000, D = DAY * 1000;

// ---- zones -----------------------------------------------------------------------------------------------------------------------

const formats = new Map();
const formatOf = (zone) => formats.get(zone) ?? formats.set(zone, new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', weekday: 'short' })).get(zone);
const remembered = new Map();
/** Returns what the clock of a zone shows in this quarter of an hour. */
function local(zone, ms) {
  const key = `${zone} ${Math.floor(ms / 900_000)}`;
  if (!remembered.has(key)) {
    const parts = Object.fromEntries(formatOf(zone).formatToParts(ms).map(({ type, value }) => [type, value]));
    remembered.set(key, { day: `${parts.year}-${parts.month}-${parts.day}`, month: `${parts.year}-${parts.month}`, hour: Number(parts.hour), weekday: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(parts.weekday) });
  }
  return remembered.get(key);
}
const weekOf = (zone, ms) => {
  const { day, weekday } = local(zone, ms);
  return Date.parse(day) / D - weekday;
};
const firstOfDay = (zone, ms) => {
  let at = Math.floor(ms / 900_000) * 900_000;
  while (local(zone, at - 1).day === local(zone, ms).day) at -= 900_000;
  return at;
};
/** A name of the bucket that a moment is in. */
const bucketName = {
  HOUR: (zone, ms) => `${local(zone, ms).day} ${Math.floor((ms - firstOfDay(zone, ms)) / H)}`,
  DAY: (zone, ms) => local(zone, ms).day,
  WEEK: weekOf,
  MONTH: (zone, ms) => local(zone, ms).month,
};
/** Open seconds of business hours from Monday to Friday, 9 to 17 by the clock of Berlin. */
function openSeconds(from, to) {
  let open = 0;
  for (let at = Math.floor(from / H) * H; at < to; at += H) {
    const { weekday, hour } = local('Europe/Berlin', at);
    if (weekday < 5 && hour >= 9 && hour < 17) open += Math.min(to, at + H) - Math.max(from, at);
  }
  return Math.floor(open / 1000);
}

// ---- random conversations --------------------------------------------------------------------------------------------------------

const WEEK_9_TO_17 = Object.fromEntries(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day, i) => [day, i < 5 ? [9, 10, 11, 12, 13, 14, 15, 16] : []]));

const world = shared(async (given) => {
  const { desk } = given;
  const { owner } = desk;
  const [{ id: hours }] = await owner.fetch('/businesshours');
  await owner.update(`/businesshours/${hours}`, { zones: WEEK_9_TO_17, holidays: [], time_zone: 'Europe/Berlin' });
  const teams = [], tags = [];
  for (const title of ['Red', 'Blue']) teams.push((await owner.create('/teams', { title })).id);
  const { id } = await opened(desk, { subject: 'One', tags: 'a,b,c' });
  await owner.update(`/cases/${id}`, { tags: 'a,b,c' });
  tags.push(...sql(desk, 'SELECT id FROM tags ORDER BY id').trim().split('\n').map(Number));
  const person = Number(sql(desk, `SELECT requester_id FROM cases WHERE id = ${id}`));
  const agents = [(await desk.person('agent')).id, (await desk.person('agent')).id];
  const organizations = [];
  for (const name of ['North', 'South']) organizations.push((await owner.create('/organizations', { name })).id);
  const people = [{ id: person, organization: null }];
  for (const organization of [...organizations, ...organizations]) people.push({ id: (await desk.person('customer', { organization_id: organization })).id, organization });
  Object.assign(given, { teams, tags, people, organizations, agents });
  // Callers who see a part: one of the agents alone, and with the team Red.
  given.alone = await desk.person('agent', { agent_case_access: 'SELF' });
  given.red = await desk.person('agent', { agent_case_access: 'TEAMS' });
  (await owner.post(`/teams/${teams[0]}/members`, { agent_ids: [given.red.id] })).must(201);
  agents.push(given.alone.id, given.red.id);
});

/** Conversations with their events, between two moments. */
function conversations(d, { teams, tags, people, agents }, from, to, n) {
  return Array.from({ length: n }, (_, i) => {
    const created = from + d.below(to - from), rows = [], changes = [], { id: person, organization } = d.one(people);
    let at = created, type = d.one([1, 1, 1, 2, 4]);
    const first = type;
    for (let k = d.below(8); k >= 0; k--) {
      const staff = d.below(2);
      rows.push({ at, requester: staff ? 0 : 1, staff: rows.length && staff ? 1 : 0, creator: staff ? d.one(agents) : person });
      at += d.below(d.one([60_000, 4 * H, 3 * D, 20 * D]));
      if (d.below(3) === 0) {
        const next = d.one([2, 3, 4, 4, 5]);
        if (next !== type) changes.push({ at, from: type, to: next });
        type = next;
      }
    }
    return { id: 1000 + i, person, organization, created, rows, changes, first, type, state: d.below(10) ? 1 : d.one([2, 3, 4]), channel: d.one([1, 2, 4]), team: d.one([null, ...teams]), agent: d.one([null, ...agents]),
      priority: d.one([null, 1, 3]), tags: tags.filter(() => d.below(3) === 0), rating: d.below(4) ? null : { at: at + d.below(D), score: d.one([1, 2]) } };
  });
}

const list = (rows) => rows.map((row) => `(${row.map((v) => (v === null ? 'NULL' : typeof v === 'string' ? `'${v}'` : v)).join(', ')})`).join(', ');
const insert = (table, columns, rows) => (rows.length ? `INSERT INTO ${table} (${columns}) VALUES ${list(rows)};` : '');
let post = 100_000;

/** Replaces all conversations of the store. */
function store(desk, cases) {
  const of = (of_) => cases.flatMap((c) => of_(c));
  sql(desk, `DELETE FROM case_tags WHERE case_id >= 1000; DELETE FROM case_ratings WHERE case_id >= 1000; DELETE FROM case_status_changes WHERE case_id >= 1000; DELETE FROM posts WHERE case_id >= 1000; DELETE FROM cases WHERE id >= 1000; UPDATE cases SET state = 3 WHERE id < 1000;
    ${insert('cases', 'id, uuid, subject, channel, state, requester_id, creator_id, organization_id, status_id, status_type, message_seq, reopen_count, created_at, updated_at, assigned_team_id, assigned_agent_id, priority_id',
    cases.map((c) => [c.id, `u${c.id}`, 's', c.channel, c.state, c.person, c.person, c.organization, c.type, c.type, c.rows.length, 0, c.created, c.created, c.team, c.agent, c.priority]))}
    ${insert('posts', 'id, case_id, kind, uuid, content_text, creator_id, is_requester, by_staff, channel, created_at, updated_at', of((c) => c.rows.map((r) => [post++, c.id, 1, `p${post}`, 't', r.creator, r.requester, r.staff, 1, r.at, r.at])))}
    ${insert('case_status_changes', 'case_id, at, from_status_id, to_status_id, from_state, to_state', of((c) => c.changes.map((h) => [c.id, h.at, h.from, h.to, 1, 1])))}
    ${insert('case_ratings', 'case_id, score, creator_id, created_at, updated_at', of((c) => (c.rating ? [[c.id, c.rating.score, c.person, c.rating.at, c.rating.at]] : [])))}
    ${insert('case_tags', 'case_id, tag_id', of((c) => c.tags.map((t) => [c.id, t])))}
    UPDATE report_cursor SET place = '', built = 0`);
}

// ---- the reference ---------------------------------------------------------------------------------------------------------------

const finished = (type) => type === 4 || type === 5;

/** All events of a metric: {case, at, from, agent, part}. */
const eventsOf = {
  CREATED: (c) => [{ at: c.created }],
  REOPENED: (c) => c.changes.filter((h) => finished(h.from) && !finished(h.to)).map(({ at }) => ({ at })),
  COMPLETED: (c) => [...(finished(c.first) ? [{ at: c.created }] : []), ...c.changes.filter((h) => !finished(h.from) && finished(h.to)).map(({ at }) => ({ at }))],
  REPLIES: (c) => c.rows.filter((r) => r.staff).map((r) => ({ at: r.at, agent: r.creator })),
  REQUESTS: (c) => c.rows.filter((r) => r.requester).map((r) => ({ at: r.at })),
  SATISFACTION: (c) => (c.rating ? [{ at: c.rating.at, good: c.rating.score === 1 }] : []),
  waits: (c) => {
    const answered = [];
    let asked = null;
    for (const r of c.rows) {
      if (r.requester) asked ??= r.at;
      if (r.staff && asked !== null) answered.push({ at: r.at, from: asked, agent: r.creator });
      if (r.staff) asked = null;
    }
    return answered;
  },
  FIRST_RESPONSE: (c) => eventsOf.waits(c).slice(0, 1),
  NEXT_RESPONSE: (c) => eventsOf.waits(c).slice(1),
  RESOLUTION: (c) => (finished(c.type) ? eventsOf.COMPLETED(c).slice(-1).map(({ at }) => ({ at, from: c.created })) : []),
};

const statusAt = (c, at) => c.changes.filter((h) => h.at <= at).at(-1)?.to ?? c.first;
const rank = (sorted, percent) => (sorted.length ? sorted[Math.ceil((sorted.length * percent) / 100) - 1] : null);
const percent = (good, of) => (of ? Math.round((1_000_000 * good) / of) / 10_000 : null);

/** The keys of a group that an event counts in. */
const keysOf = {
  none: () => [null],
  CHANNEL: (c) => [{ 1: 'MAIL', 2: 'HELPCENTER', 4: 'MESSENGER' }[c.channel]],
  TEAM: (c) => [c.team],
  AGENT: (c, e) => [e.agent ?? c.agent],
  PRIORITY: (c) => [c.priority],
  ORGANIZATION: (c) => [c.organization],
  TAG: (c) => (c.tags.length ? c.tags : [null]),
};

/** The least seconds of each step of many durations; the first is that of no second. */
const STEPS = [0, ...Array.from({ length: 255 }, (_, i) => Math.ceil(Math.exp(Math.log(365 * 86_400) * i / 255)))];
/** The seconds that a duration counts as if it is read from its step. */
function stepped(took) {
  const at = STEPS.findLastIndex((least) => least <= took), low = STEPS[at], high = (STEPS[at + 1] ?? low + 1) - 1;
  return high <= low ? low : Math.round(Math.sqrt(low * high));
}

function numbers(metric, hours, events, exact = true) {
  const took = events.filter((e) => e.from !== undefined).map((e) => (hours === 'BUSINESS' ? openSeconds(e.from, e.at) : Math.floor((e.at - e.from) / 1000))).sort((a, b) => a - b).map(exact ? (s) => s : stepped);
  if (['FIRST_RESPONSE', 'NEXT_RESPONSE', 'RESOLUTION'].includes(metric)) return { value: rank(took, 50), p50: rank(took, 50), p90: rank(took, 90), n: took.length };
  if (metric === 'SATISFACTION') return { value: percent(events.filter((e) => e.good).length, events.length), n: events.length };
  return { value: events.length, n: events.length };
}

/** True if an event counts for a request with these conditions. */
const CONDITIONS = { channel: 'CHANNEL', team_id: 'TEAM', agent_id: 'AGENT', priority_id: 'PRIORITY', organization_id: 'ORGANIZATION', tag_id: 'TAG' };
const onlyOf = (ask) => (c, e) => Object.entries(CONDITIONS).every(([name, group]) => ask[name] === undefined || keysOf[group](c, e).some((key) => (key ?? 0) === ask[name]));

const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
/** True if the clock of the zone shows the weekday and the hour that are asked for. */
const atHour = ({ weekday, hour, time_zone: zone }, ms) => (weekday === undefined || local(zone, ms).weekday === WEEKDAYS.indexOf(weekday)) && (hour === undefined || local(zone, ms).hour === hour);

/** Ids of the conversations behind a number, by the reference. */
function behind(cases, ask) {
  const from = Date.parse(ask.start_at), to = Date.parse(ask.end_at), counts = onlyOf(ask), active = cases.filter((c) => c.state === 1);
  if (ask.metric === 'BACKLOG') return active.filter((c) => counts(c, {}) && c.created < to && !finished(statusAt(c, to - 1)) && (ask.part !== 'older' || to - 1 - c.created >= 30 * D)).map((c) => c.id);
  return active.filter((c) => eventsOf[ask.metric](c).some((e) => e.at >= from && e.at < to && counts(c, e) && (ask.part !== 'good' || e.good) && atHour(ask, e.at))).map((c) => c.id);
}

/** Checks a reply. */
function compare(cases, ask, data, say) {
  const { metric, interval, group = 'none', time_zone: zone, hours } = ask;
  const from = Date.parse(ask.start_at), to = Date.parse(ask.end_at), active = cases.filter((c) => c.state === 1);
  const counts = onlyOf(ask);
  const starts = data.buckets.map(Date.parse), name = bucketName[interval];
  assert.equal(starts[0], from, say);
  for (const at of starts.slice(1)) assert.notEqual(name(zone, at - 1), name(zone, at), `${say}: ${iso(at)} begins no bucket`);
  const ends = [...starts.slice(1), to];
  starts.forEach((at, i) => assert.equal(name(zone, at), name(zone, ends[i] - 1), `${say}: a bucket is missing after ${iso(at)}`));
  if (metric === 'BACKLOG') {
    const open = (at, key) => active.filter((c) => counts(c, {}) && c.created < at && !finished(statusAt(c, at - 1)) && keysOf[group](c, {}).some((k) => (k ?? null) === key));
    for (const g of data.groups) {
      const values = ends.map((at) => open(at, g.key));
      assert.deepEqual(g.values, values.map((l) => l.length), `${say} ${g.key}`);
      const young = values.map((l, i) => l.filter((c) => ends[i] - 1 - c.created < D).length);
      assert.deepEqual(g.under_a_day, young, `${say} under a day`);
      assert.deepEqual(g.older, values.map((l, i) => l.filter((c) => ends[i] - 1 - c.created >= 30 * D).length), `${say} older`);
    }
    if (group === 'none') assert.equal(data.total.value, open(to, null).length, say);
    return;
  }
  const all = active.flatMap((c) => eventsOf[metric](c).map((e) => ({ ...e, c }))).filter((e) => e.at >= from && e.at < to && counts(e.c, e));
  const total = numbers(metric, hours, all, data.is_exact);
  for (const [key, value] of Object.entries(total)) assert.equal(data.total[key], value, `${say} total ${key}`);
  const keys = new Set(all.flatMap((e) => keysOf[group](e.c, e).map((k) => k ?? null)));
  assert.deepEqual(new Set(data.groups.map((g) => g.key)), group === 'none' ? new Set([null]) : keys, say);
  for (const g of data.groups) {
    const own = group === 'none' ? all : all.filter((e) => keysOf[group](e.c, e).some((k) => (k ?? null) === g.key));
    const cells = starts.map((at, i) => numbers(metric, hours, own.filter((e) => e.at >= at && e.at < ends[i]), data.is_exact));
    assert.deepEqual(g.values, cells.map((c) => c.value), `${say} ${g.key} values`);
    assert.deepEqual(g.n, cells.map((c) => c.n), `${say} ${g.key} n`);
    if (cells[0].p90 !== undefined) assert.deepEqual(g.p90, cells.map((c) => c.p90), `${say} ${g.key} p90`);
  }
}

/** The events of a metric between two moments that count for a request. */
const counted = (cases, ask, from, to) => {
  const counts = onlyOf(ask);
  return cases.filter((c) => c.state === 1).flatMap((c) => eventsOf[ask.metric](c).map((e) => ({ ...e, c }))).filter((e) => e.at >= from && e.at < to && counts(e.c, e));
};

/** Checks a reply by weekday and hour. */
function compareWeek(cases, ask, data, say) {
  const events = counted(cases, ask, Date.parse(ask.start_at), Date.parse(ask.end_at));
  const cells = Array.from({ length: 7 }, (_, day) => Array.from({ length: 24 }, (__, hour) => numbers(ask.metric, ask.hours, events.filter((e) => {
    const shown = local(ask.time_zone, e.at);
    return shown.weekday === day && shown.hour === hour;
  }), data.is_exact)));
  assert.deepEqual(data.values, cells.map((day) => day.map((c) => c.value)), `${say} values`);
  assert.deepEqual(data.n, cells.map((day) => day.map((c) => c.n)), `${say} n`);
  for (const [key, value] of Object.entries(numbers(ask.metric, ask.hours, events, data.is_exact))) assert.equal(data.total[key], value, `${say} total ${key}`);
}

/** Checks a reply by groups, with the numbers of the previous period. */
function compareGroups(cases, ask, data, say) {
  const from = Date.parse(ask.start_at), to = Date.parse(ask.end_at), counts = onlyOf(ask), key = (c, e) => keysOf[ask.group](c, e).map((k) => k ?? null);
  const open = (at) => cases.filter((c) => c.state === 1 && counts(c, {}) && c.created < at && !finished(statusAt(c, at - 1))).map((c) => ({ c }));
  const [now, before] = ask.metric === 'BACKLOG' ? [open(to), open(from)] : [counted(cases, ask, from, to), counted(cases, ask, from - (to - from), from)];
  const of = (events, k) => { const own = k === undefined ? events : events.filter((e) => key(e.c, e).includes(k)); return ask.metric === 'BACKLOG' ? { value: own.length } : numbers(ask.metric, ask.hours, own, data.is_exact); };
  const same = (found, expected, what) => { for (const [name, value] of Object.entries(expected)) assert.equal(found[name], value, `${say} ${what} ${name}`); };
  for (const g of data.groups) same(g.total, of(now, g.key), g.key), same(g.previous, of(before, g.key), `${g.key} before`);
  const met = new Set([...now, ...before].flatMap((e) => key(e.c, e))), found = data.groups.map((g) => g.key);
  assert.equal(new Set(found).size, found.length, say);
  for (const k of met) assert.ok(found.includes(k), `${say}: ${k}`);
  assert.equal(data.group_count, found.length, say);
  same(data.total, of(now), 'total');
  same(data.previous, of(before), 'previous');
  assert.deepEqual(data.tags.map((t) => t.id), ask.group === 'TAG' ? found.filter((k) => k !== null) : [], say);
  assert.ok(data.tags.every((t) => ['a', 'b', 'c'].includes(t.name)), say);
  assert.deepEqual(data.organizations.map((o) => o.id), ask.group === 'ORGANIZATION' ? found.filter((k) => k !== null) : [], say);
}

/** Checks a reply by groups that is limited against the whole one: the same numbers, only fewer groups. */
function compareLargest(all, some, most, say) {
  const { groups, tags, organizations, ...rest } = all, shown = groups.slice(0, most), keys = (list) => list.filter((o) => shown.some((g) => g.key === o.id));
  assert.deepEqual(some, { ...rest, groups: shown, tags: keys(tags), organizations: keys(organizations) }, `the largest ${most} of ${say}`);
}

const METRICS = ['CREATED', 'REOPENED', 'COMPLETED', 'BACKLOG', 'FIRST_RESPONSE', 'NEXT_RESPONSE', 'RESOLUTION', 'REPLIES', 'REQUESTS', 'SATISFACTION'];
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu'];

describe('reports of random desks:', () => {
  test(`every series of ${ROUNDS} desks equals the reference`, async () => {
    const { desk } = world, d = dice(7);
    let inSteps = 0;
    const same = async (cases, list, say, caller = desk.owner) => {
      const found = (await caller.get('/insights/cases', { ...list, limit: 100, fields: 'id' })).must(200).body;
      assert.deepEqual(found.data.map((c) => c.id).sort((a, b) => a - b), behind(cases, list), `${say}: conversations of ${JSON.stringify(list)}`);
      assert.equal(found.total_count, found.data.length);
      // A page has the total, too, and the rows of its place.
      const page = (await caller.get('/insights/cases', { ...list, limit: 1, offset: 1, fields: 'id' })).must(200).body;
      assert.equal(page.total_count, found.data.length, `${say}: number of conversations of ${JSON.stringify(list)}`);
      assert.deepEqual(page.data.map((c) => c.id), found.data.slice(1, 2).map((c) => c.id), `${say}: second conversation of ${JSON.stringify(list)}`);
    };
    for (let round = 0; round < ROUNDS; round++) {
      // The other half of the desks reads durations from their steps, as a large desk does.
      if (round === Math.ceil(ROUNDS / 2)) {
        desk.args = ['--exact-durations', '1'];
        await desk.restart();
      }
      // In Europe and America the clocks change in these weeks, forward and back.
      const middle = d.one([Date.UTC(2026, 2, 22), Date.UTC(2025, 9, 28), Date.UTC(2026, 3, 5)]);
      const cases = conversations(d, world, middle - 20 * D, middle + 20 * D, d.one([0, 1, 12, 40]));
      store(desk, cases);
      await desk.owner.update(`/teams/${world.teams[0]}`, { title: `Red ${round}` }); // a write of the desk ends its kept snapshots
      for (let k = 0; k < 6; k++) {
        const ask = { metric: METRICS[(round * 6 + k) % METRICS.length], interval: d.one(['HOUR', 'DAY', 'DAY', 'WEEK', 'MONTH']), time_zone: d.one(ZONES), hours: d.one(['CALENDAR', 'BUSINESS']) };
        const from = middle - d.below(15) * D - (d.below(2) ? 0 : d.below(DAY) * 1000), days = ask.interval === 'HOUR' ? 6 : 40;
        Object.assign(ask, { start_at: iso(from), end_at: iso(from + (1 + d.below(days)) * D - (d.below(2) ? 0 : d.below(DAY - 60) * 1000)) });
        const group = d.one([undefined, 'CHANNEL', 'TEAM', 'AGENT', 'PRIORITY', 'ORGANIZATION', 'ORGANIZATION', 'TAG']);
        if (group) ask.group = group;
        const conditions = { channel: ['MAIL', 'HELPCENTER', 'MESSENGER'], team_id: [0, ...world.teams], agent_id: [0, ...world.agents], priority_id: [0, 1, 3], organization_id: [0, ...world.organizations], tag_id: [0, ...world.tags] };
        for (const [name, values] of Object.entries(conditions)) if (k > 1 && d.below(k > 3 ? 3 : 6) === 0) ask[name] = d.one(values);
        const data = await desk.owner.fetch(SERIES, ask), say = `desk ${round}: ${JSON.stringify(ask)}`;
        compare(cases, ask, data, say);
        if (!data.is_exact) inSteps++;
        const { interval, time_zone, hours, group: _, ...list } = ask;
        if (ask.metric !== 'BACKLOG') compareWeek(cases, ask, await desk.owner.fetch(WEEK, { ...list, time_zone, hours }), `hours of ${say}`);
        if (group) {
          const groups = await desk.owner.fetch(GROUPS, { ...list, hours, group }), most = 1 + (round + k) % 3;
          compareGroups(cases, ask, groups, `groups of ${say}`);
          compareLargest(groups, await desk.owner.fetch(GROUPS, { ...list, hours, group, most }), most, say);
        }
        if (ask.metric === 'SATISFACTION') list.part = 'good';
        await same(cases, list, say);
        const seen = { alone: (c) => c.agent === world.alone.id, red: (c) => c.team === world.teams[0] || c.agent === world.red.id || (!c.team && !c.agent) }, who = d.one(['alone', 'red']), part = cases.filter(seen[who]), { part: __, ...plain } = list;
        compare(part, ask, await world[who].client.fetch(SERIES, ask), `${who} of ${say}`);
        if (group) compareGroups(part, ask, await world[who].client.fetch(GROUPS, { ...plain, hours, group }), `groups for ${who} of ${say}`);
        await same(part, list, `${who} of ${say}`, world[who].client);
        if (ask.metric === 'BACKLOG') continue;
        compareWeek(part, ask, await world[who].client.fetch(WEEK, { ...plain, time_zone, hours }), `hours for ${who} of ${say}`);
        // A cell of the week with an event, and a random time.
        const events = counted(cases, ask, Date.parse(ask.start_at), Date.parse(ask.end_at)), shown = events.length ? local(time_zone, d.one(events).at) : { weekday: 6, hour: 2 };
        await same(cases, { ...list, time_zone, weekday: WEEKDAYS[shown.weekday], hour: shown.hour }, say);
        await same(cases, { ...list, time_zone, ...(d.below(2) ? { weekday: d.one(WEEKDAYS) } : { hour: d.below(24) }) }, say);
      }
      for (const more of [{ metric: 'BACKLOG', group: 'ORGANIZATION' }, { metric: 'CREATED', group: 'ORGANIZATION' }, { metric: 'FIRST_RESPONSE', group: 'TAG', tag_id: world.tags[0] }]) {
        const list = { ...more, hours: 'CALENDAR', start_at: iso(middle - 5 * D - 60_000), end_at: iso(middle + 15 * D) }, ask = { ...list, interval: 'DAY', time_zone: 'Europe/Berlin' }, say = `desk ${round}: ${JSON.stringify(ask)}`;
        if (ask.metric !== 'FIRST_RESPONSE') compare(cases, ask, await desk.owner.fetch(SERIES, ask), say); // the groups of a tag are exact, the previous total is not
        const groups = await desk.owner.fetch(GROUPS, list), csv = (await desk.owner.exchange('GET', `/api/v1${GROUPS}?${new URLSearchParams({ ...list, format: 'csv' })}`, {})).must(200).text;
        compareGroups(cases, list, groups, `groups of ${say}`);
        const lines = csv.trim().split('\r\n').slice(1).map((line) => line.split(',')), shown = (value) => (value === null ? '""' : String(value));
        assert.deepEqual(lines.map((cells) => [cells[1], cells[4]]), groups.groups.map((g) => [shown(g.total.value), shown(g.previous.value)]), `CSV of ${say}`);
      }
      for (const part of [undefined, 'older']) await same(cases, { metric: 'BACKLOG', start_at: iso(middle - D), end_at: iso(middle + 15 * D), ...(part && { part }) }, `desk ${round}`);
    }
    assert.ok(ROUNDS < 15 || inSteps > 3, 'durations were read from steps');
  });

  test('an event in a quarter of an hour that the period splits counts once for a caller who sees a part', async () => {
    const { desk, red, teams, people } = world, start = Date.UTC(2026, 4, 5, 10, 7);
    // The caller's numbers come from rows of teams, of nobody and of the caller: two days have conversations of each.
    const owned = [{ team: teams[0], agent: null }, { team: null, agent: null }, { team: teams[1], agent: red.id }, { team: teams[1], agent: null }];
    const cases = [start + 60_000, start + D].flatMap((created, day) => owned.map((of, i) => ({ id: 1000 + 4 * day + i, person: people[0].id, organization: null, created, rows: [], changes: [], first: 1, type: 1, state: 1, channel: 1, priority: null, tags: [], rating: null, ...of })));
    store(desk, cases);
    await desk.owner.update(`/teams/${teams[0]}`, { title: 'Red again' }); // a write of the desk ends its kept snapshots
    const ask = { metric: 'CREATED', start_at: iso(start), end_at: iso(start + D + 3 * 60_000), interval: 'DAY', time_zone: 'UTC' };
    assert.equal((await desk.owner.fetch(SERIES, ask)).total.n, 8);
    assert.deepEqual((await red.client.fetch(SERIES, ask)).groups[0].n, [3, 3]);
    assert.equal((await red.client.fetch(SERIES, { ...ask, group: 'TEAM' })).total.n, 6);
  });

  test('2,048 times as many durations have the same percentiles for every group and caller', async () => {
    const { desk, red, teams } = world, start = Date.UTC(2026, 4, 4), TIMES = 2048;
    desk.args = ['--exact-durations', '1'];
    await desk.restart();
    const cases = conversations(dice(11), world, start, start + 20 * D, 25), seen = cases.filter((c) => c.team === teams[0] || c.agent === red.id || (!c.team && !c.agent));
    store(desk, cases);
    await desk.owner.update(`/teams/${teams[0]}`, { title: 'Red of few' }); // a write of the desk ends its kept snapshots
    const asks = ['FIRST_RESPONSE', 'RESOLUTION'].flatMap((metric) => ['CHANNEL', 'TEAM', 'AGENT', 'PRIORITY', 'ORGANIZATION', 'TAG'].map((group) => ({ metric, group, hours: 'CALENDAR', start_at: iso(start), end_at: iso(start + 40 * D), interval: 'DAY', time_zone: 'UTC' })));
    const replies = async () => {
      const found = [];
      for (const ask of asks)
        for (const [caller, part] of [[desk.owner, cases], [red.client, seen]]) {
          const { interval, time_zone, ...list } = ask;
          found.push({ ask, part, series: await caller.fetch(SERIES, ask), groups: await caller.fetch(GROUPS, list) });
        }
      return found;
    };
    const few = await replies(), more = (n) => (Array.isArray(n) ? n.map(more) : n && n * TIMES), many = (data) => JSON.parse(JSON.stringify(data, (name, value) => (name === 'n' ? more(value) : value)));
    for (const { ask, part, series, groups } of few) {
      const say = JSON.stringify(ask);
      assert.equal(series.is_exact, false, say);
      compare(part, ask, series, say);
      compareGroups(part, ask, groups, say);
    }
    for (let n = 1; n < TIMES; n *= 2) sql(desk, 'UPDATE report_days SET records = records || records WHERE (place >> 59) IN (4, 6)');
    await desk.owner.update(`/teams/${teams[0]}`, { title: 'Red of many' });
    for (const [i, { ask, series, groups }] of (await replies()).entries()) {
      assert.deepEqual(series, many(few[i].series), JSON.stringify(ask));
      assert.deepEqual(groups, many(few[i].groups), JSON.stringify(ask));
    }
    sql(desk, "UPDATE report_cursor SET place = '', built = 0; DELETE FROM report_facts; DELETE FROM report_days");
  });
});

// ---- following -------------------------------------------------------------------------------------------------------------------

/** The conversations of a store, as the reference takes them. */
function stored(desk) {
  const rows = (text) => sql(desk, text).trim().split('\n').filter(Boolean).map((line) => line.split('|').map((v) => (v === '' ? null : Number(v))));
  const cases = rows('SELECT id, created_at, state, channel, assigned_team_id, assigned_agent_id, priority_id, status_type, organization_id FROM cases ORDER BY id')
    .map(([id, created, state, channel, team, agent, priority, type, organization]) => ({ id, created, state, channel, team, agent, priority, type, organization, first: type, rows: [], changes: [], tags: [], rating: null }));
  const of = (id) => cases.find((c) => c.id === id);
  for (const [id, at, requester, staff, creator] of rows('SELECT case_id, created_at, is_requester, by_staff, creator_id FROM posts WHERE kind = 1 ORDER BY created_at, id')) of(id).rows.push({ at, requester, staff, creator });
  for (const [id, at, from, to] of rows('SELECT h.case_id, h.at, f.type, n.type FROM case_status_changes h JOIN case_statuses f ON f.id = h.from_status_id JOIN case_statuses n ON n.id = h.to_status_id ORDER BY h.id DESC')) {
    of(id).changes.unshift({ at, from, to });
    of(id).first = from;
  }
  for (const [id, tag] of rows('SELECT case_id, tag_id FROM case_tags ORDER BY tag_id')) of(id).tags.push(tag);
  for (const [id, at, score] of rows('SELECT case_id, created_at, score FROM case_ratings ORDER BY id')) of(id).rating = { at, score };
  return cases;
}

const tables = (desk) => sql(desk, 'SELECT * FROM report_facts ORDER BY kind, at, case_id, n') + sql(desk, "SELECT * FROM report_days WHERE records <> '' ORDER BY place");

describe('reports of a desk at work:', () => {
  const world = shared(async (given) => {
    const { desk } = given, { owner } = desk;
    given.teams = [(await owner.create('/teams', { title: 'Red' })).id, (await owner.create('/teams', { title: 'Blue' })).id];
    given.period = { start_at: iso(MONDAY - D), end_at: iso(MONDAY + 90 * D), time_zone: 'Europe/Berlin' };
  });
  const series = (client, more) => client.fetch(SERIES, { ...world.period, interval: 'WEEK', ...more });
  const all = async (say) => {
    const { desk } = world, cases = stored(desk);
    for (const metric of METRICS)
      for (const group of metric === 'BACKLOG' ? [undefined] : [undefined, 'AGENT', 'ORGANIZATION', 'TAG']) {
        const ask = { ...world.period, metric, interval: 'DAY', hours: 'CALENDAR', ...(group && { group }), end_at: iso(desk.clock.now + 1000) };
        compare(cases, ask, await desk.owner.fetch(SERIES, ask), `${say}: ${metric} ${group}`);
      }
  };

  test('they follow replies, changes, merges, the trash and deletions, and a kill loses nothing', async () => {
    const { desk, teams } = world, { owner, staff, customer } = desk, d = dice(3), ids = [];
    for (let step = 0; step < 60; step++) {
      desk.clock.write(desk.clock.now + d.below(30) * H);
      const id = ids[d.below(ids.length)];
      const deed = id === undefined || step % 6 === 0 ? 'open' : d.one(['reply', 'reply', 'ask', 'ask', 'status', 'team', 'tags', 'rate', 'trash', 'merge', 'split', 'priority']);
      if (deed === 'open') ids.push((await opened(desk, { assigned_team_id: d.one([null, ...teams]) })).id);
      if (deed === 'reply') await staff.post(`/cases/${id}/reply`, { contents: 'Soon', channel: 'HELPCENTER', status_id: d.one([2, 3, 4]) });
      if (deed === 'ask') await customer.post(`/conversations/${id}/messages`, { contents: 'When?' });
      if (deed === 'status') await owner.put(`/cases/${id}`, { status_id: d.one([2, 3, 4, 4]) });
      if (deed === 'team') await owner.put(`/cases/${id}`, { assigned_team_id: d.one([null, ...teams]), assigned_agent_id: d.one([null, desk.people.agent.id]) });
      if (deed === 'tags') await owner.put(`/cases/${id}`, { tags: d.one(['a', 'a,b', 'b,c', '']) });
      if (deed === 'rate') await customer.post(`/conversations/${id}/ratings`, { score: d.one(['GOOD', 'BAD']) });
      if (deed === 'priority') await owner.put(`/cases/${id}`, { priority_id: d.one([1, 2, null]) });
      if (deed === 'trash') (await owner.put(`/cases/${id}/trash`, {})).status === 200 && d.below(2) && await owner.put(`/cases/${id}/restore`, {});
      if (deed === 'merge' && ids.length > 3) await owner.post(`/cases/${id}/merge`, { case_ids: [d.one(ids.filter((i) => i !== id))] });
      if (deed === 'split') {
        const posts = (await staff.get(`/cases/${id}/posts`, { filters: 'MESSAGES', limit: 2 })).body.data ?? [];
        const made = await staff.post(`/cases/${id}/split`, { post_ids: posts.map((p) => p.id), subject: 'Apart' });
        if (made.status === 201) ids.push(made.data.id);
      }
      if (step % 20 === 19) await all(`step ${step}`);
    }
    const trashed = (await opened(desk)).id;
    await owner.put(`/cases/${trashed}/trash`, {});
    await series(owner, { metric: 'CREATED' });
    (await owner.delete('/cases/trash', { ids: String(trashed) })).must(200);
    await all('at the end');
    const place = sql(desk, 'SELECT place FROM report_cursor').trim();
    await staff.post(`/cases/${(await opened(desk)).id}/reply`, { contents: 'Soon', channel: 'HELPCENTER' });
    await desk.kill(); // the follower has not followed these, or has with its cursor
    clean(desk);
    await desk.start();
    await all('after a kill');
    assert.notEqual(sql(desk, 'SELECT place FROM report_cursor').trim(), place);
    const followed = tables(desk);
    await desk.stop();
    clean(desk);
    sql(desk, "UPDATE report_cursor SET place = '', built = 0; DELETE FROM report_facts; DELETE FROM report_days");
    await desk.start();
    await series(owner, { metric: 'CREATED' });
    assert.equal(tables(desk), followed, 'what followed is what is built anew');
    await desk.stop();
    sql(desk, `UPDATE report_facts SET took = took + 1 WHERE kind IN (1, 4); UPDATE report_days SET records = records || 'Xa' WHERE (place >> 55) = 16`);
    const { status, stdout } = desk.check();
    assert.notEqual(status, 0);
    assert.match(stdout, /the facts of reports of conversation \d+ do not follow from its rows/);
    assert.match(stdout, /the rollup of reports of kind 1, day \d+, differs from its facts/);
    sql(desk, "UPDATE report_cursor SET place = '', built = 0; DELETE FROM report_facts; DELETE FROM report_days");
    await desk.start();
  });

  test('an agent who sees a part of the conversations gets the numbers of that part', async () => {
    const { desk, teams } = world, { owner } = desk, { id: person, client } = await desk.person('agent', { agent_case_access: 'SELF' });
    for (const assigned_agent_id of [person, person, null]) await opened(desk, { assigned_agent_id });
    const total = async (who, more) => (await series(who, { metric: 'CREATED', end_at: iso(desk.clock.now + 1000), ...more })).total.value;
    assert.equal(await total(client), 2);
    assert.ok(await total(owner) > 2);
    const groups = (await series(client, { metric: 'CREATED', group: 'TEAM', end_at: iso(desk.clock.now + 1000) })).groups;
    assert.deepEqual(groups.map((g) => g.key), [null], 'teams of others are not named');
    await owner.update(`/users/${person}`, { agent_case_access: 'TEAMS' });
    (await owner.post(`/teams/${teams[0]}/members`, { agent_ids: [person] })).must(201);
    const visible = (await client.get('/cases', { limit: 1 })).body.total_count;
    assert.equal(await total(client), visible);
    const part = { metric: 'CREATED', start_at: world.period.start_at, end_at: iso(desk.clock.now + 1000) };
    assert.equal((await client.fetch(WEEK, part)).values.flat().reduce((a, b) => a + b), visible);
    const ranked = await client.fetch(GROUPS, { ...part, group: 'AGENT' });
    assert.equal(ranked.groups.reduce((sum, g) => sum + g.total.value, 0), visible);
    assert.equal(ranked.total.value, visible);
    for (const path of [SERIES, WEEK, GROUPS]) (await desk.as('customer').get(path, { metric: 'CREATED', group: 'TAG' })).refused(403, 'PERMISSIONS_DENIED');
    for (const metric of ['CREATED', 'BACKLOG', 'REPLIES']) {
      const list = (await client.get('/insights/cases', { metric, end_at: iso(desk.clock.now + 1000), start_at: world.period.start_at, limit: 100, fields: 'id' })).must(200).body;
      for (const { id } of list.data) (await client.get(`/cases/${id}`)).must(200);
      if (metric === 'CREATED') assert.equal(list.total_count, visible);
    }
    const first = (await client.get('/insights/cases', { end_at: iso(desk.clock.now + 1000), start_at: world.period.start_at, limit: 2 })).must(200).body;
    const second = (await client.get('/insights/cases', { end_at: iso(desk.clock.now + 1000), start_at: world.period.start_at, limit: 2, offset: 2 })).must(200).body;
    assert.equal(new Set([...first.data, ...second.data].map((c) => c.id)).size, Math.min(4, visible));
    (await desk.as('customer').get('/insights/cases')).refused(403, 'PERMISSIONS_DENIED');
    (await owner.get('/insights/cases', { metric: 'CREATED', part: 'good' })).refused(400, 'FIELD_INVALID', 'part');
    (await owner.get(SERIES, { metric: 'CREATED', sla_id: 1 })).refused(400, 'FIELD_INVALID', 'sla_id');
  });

  test('a breach that is only marked counts as broken, and business hours that change leave check content', async (t) => {
    const desk = await open(t), { owner } = desk, target = { type: 'FIRST_REPLY_TIME', operational_hours: 'CALENDAR_HOURS' };
    await owner.create('/slas', { title: 'All', predicate_collections: [], targets: [{ ...target, priority_id: 4, goal_in_seconds: HOUR }, { ...target, priority_id: null, goal_in_seconds: 10 * HOUR }] });
    const { id } = await opened(desk, { priority_id: 4 });
    (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'When?' })).must(201);
    const outcome = async () => {
      const { kept, broken, running } = (await owner.fetch(SERIES, { metric: 'SLA', end_at: iso(desk.clock.now + 1000) })).total;
      return { kept, broken, running };
    };
    const breached = (n) => until('marked', () => desk.sql(`SELECT COUNT(*) FROM sla_metrics WHERE is_breached = ${n}`).trim() === '1');
    await desk.clock.forward(2 * HOUR);
    await breached(1);
    assert.deepEqual(await outcome(), { kept: 0, broken: 1, running: 0 });
    (await owner.put(`/cases/${id}`, { priority_id: 1 })).must(200);
    await breached(0);
    assert.deepEqual(await outcome(), { kept: 0, broken: 0, running: 1 }, 'the goal of the other target is not used up');
    await desk.clock.forward(9 * HOUR);
    await breached(1);
    assert.deepEqual(await outcome(), { kept: 0, broken: 1, running: 0 });
    clean(desk);
    (await desk.staff.post(`/cases/${id}/reply`, { contents: 'Soon', channel: 'HELPCENTER' })).must(201);
    await outcome();
    const [{ id: hours }] = await owner.fetch('/businesshours');
    await desk.stop();
    // The process ended before the job that computes clocks again, and new business hours count from the start of that job.
    sql(desk, `UPDATE clock_generations SET epoch = epoch + 1; UPDATE business_hours SET time_zone = 'Asia/Tokyo' WHERE id = ${hours};
      INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('clocks', 1, '{}', 0, 1, 1, 1)`);
    clean(desk);
    await desk.start();
  });

  test('conversations follow their requester to another organization part by part, and a kill between two parts loses nothing', async (t) => {
    const desk = await open(t, { args: ['--cascade-rows', '4'] }), { owner, staff } = desk;
    const [north, south] = await Promise.all(['North', 'South'].map(async (name) => (await owner.create('/organizations', { name })).id));
    const people = [(await desk.person('customer')).id, (await desk.person('customer', { organization_id: south })).id];
    for (let i = 0; i < 18; i++) {
      const { id } = await opened(desk, { requester_id: people[i % 3 ? 0 : 1] });
      if (i % 2) (await staff.post(`/cases/${id}/reply`, { contents: 'Soon', channel: 'HELPCENTER' })).must(201);
    }
    const period = { start_at: iso(MONDAY - D), end_at: iso(desk.clock.now + 1000) };
    const counts = async (more = {}) => Object.fromEntries((await owner.fetch(GROUPS, { ...period, metric: 'CREATED', group: 'ORGANIZATION', ...more })).groups.map((g) => [g.key, g.total.value]));
    /** The numbers are those of the rows, whatever the cascade has reached. */
    const same = async (say) => {
      const cases = stored(desk);
      for (const metric of METRICS) {
        const ask = { ...period, metric, hours: 'CALENDAR', group: 'ORGANIZATION' };
        const { data } = (await owner.get(GROUPS, ask)).must(200).body, known = Number(desk.sql(`SELECT COUNT(*) FROM organizations WHERE id IN (${north}, ${south})`));
        if (known === 2) compareGroups(cases, ask, data, `${say}: ${metric}`);
        for (const organization_id of [0, north, south]) {
          const list = { metric, ...period, organization_id }, found = (await owner.get('/insights/cases', { ...list, limit: 100, fields: 'id' })).must(200).body.data.map((c) => c.id);
          assert.deepEqual(found.sort((a, b) => a - b), behind(cases, list), `${say}: conversations of ${organization_id}, ${metric}`);
        }
      }
    };
    assert.deepEqual(await counts(), { null: 12, [south]: 6 });
    const { resources } = (await owner.get(GROUPS, { ...period, metric: 'CREATED', group: 'ORGANIZATION', include: 'organization', _flat: true })).must(200).body;
    assert.deepEqual(Object.values(resources.organization).map((o) => o.name), ['South']);
    await same('before');
    await owner.update(`/users/${people[0]}`, { organization_id: north });
    const moved = Number(desk.sql(`SELECT COUNT(*) FROM cases WHERE organization_id = ${north}`));
    assert.ok(moved >= 4, 'the first part is done in the write');
    await same('after the first part');
    assert.equal(desk.sql('SELECT COUNT(*) FROM report_pending').trim(), '0', 'a read follows');
    await desk.kill();
    clean(desk);
    await desk.start();
    await same('after a kill');
    const ended = (say) => until(say, async () => {
      await desk.clock.forward(60);
      return desk.sql("SELECT COUNT(*) FROM jobs WHERE kind = 'cascade' AND status IN (1, 2)").trim() === '0';
    });
    await ended('all parts');
    period.end_at = iso(desk.clock.now + 1000);
    await desk.kill(); // the follower has not followed these, or has with its cursor
    clean(desk);
    await desk.start();
    assert.deepEqual(await counts(), { [north]: 12, [south]: 6 });
    assert.deepEqual(await counts({ metric: 'REPLIES' }), { [north]: 6, [south]: 3 });
    await same('at the end');
    (await owner.delete(`/organizations/${south}`)).must(200);
    await ended('the organization to be left');
    period.end_at = iso(desk.clock.now + 1000);
    assert.deepEqual(await counts(), { [north]: 12, null: 6 });
    await same('after the deletion');
    const followed = tables(desk);
    await desk.stop();
    clean(desk);
    sql(desk, "UPDATE report_cursor SET place = '', built = 0; DELETE FROM report_facts; DELETE FROM report_days");
    await desk.start();
    await counts();
    assert.equal(tables(desk), followed, 'what followed is what is built anew');
  });

  test('a damaged rollup, which check finds, ends no process', async (t) => {
    const desk = await open(t), { owner } = desk, { id } = await opened(desk);
    (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'When?' })).must(201);
    (await desk.staff.post(`/cases/${id}/reply`, { contents: 'Soon', channel: 'HELPCENTER' })).must(201);
    const groups = async () => (await owner.fetch(SERIES, { metric: 'FIRST_RESPONSE', group: 'AGENT', end_at: iso(desk.clock.now + 1000) })).groups.map((g) => [g.key, g.n.at(-1)]);
    assert.deepEqual(await groups(), [[desk.people.agent.id, 1]]);
    await desk.stop();
    sql(desk, 'DELETE FROM report_days WHERE ((place >> 55) & 15) = 3');
    assert.notEqual(desk.check().status, 0);
    await desk.start();
    assert.deepEqual(await groups(), [[desk.people.agent.id, 1]], 'few waits are read from facts');
    assert.deepEqual((await owner.fetch(SERIES, { metric: 'REPLIES', group: 'AGENT', end_at: iso(desk.clock.now + 1000) })).groups, []);
  });

  test('a token needs the scope of insights', async () => {
    const { desk } = world;
    const { client: conversations } = await apiToken(desk, desk.owner, { scopes: ['conversations'] });
    const { client: insights } = await apiToken(desk, desk.owner, { scopes: ['insights:read'] });
    for (const path of [SERIES, WEEK, GROUPS]) {
      (await conversations.get(path, { metric: 'CREATED', group: 'TAG' })).refused(403, 'PERMISSIONS_DENIED');
      (await insights.get(path, { metric: 'CREATED', group: 'TAG' })).must(200);
    }
    (await insights.get('/insights/cases')).refused(403, 'PERMISSIONS_DENIED');
  });

  test('wrong questions are refused in words', async () => {
    const { desk } = world, get = (more) => desk.owner.get(SERIES, { metric: 'CREATED', ...more });
    (await desk.owner.get(SERIES)).refused(400, 'FIELD_REQUIRED', 'metric');
    (await get({ metric: 'TEMPERATURE', group: 'COLOUR', interval: 'YEAR', hours: 'TEA' })).refused(400, 'FIELD_INVALID', 'metric', 'interval', 'group', 'hours');
    (await get({ time_zone: 'Mars/Olympus' })).refused(400, 'FIELD_INVALID', 'time_zone');
    (await get({ start_at: iso(MONDAY), end_at: iso(MONDAY - D) })).refused(400, 'FIELD_INVALID', 'end_at');
    (await get({ start_at: iso(MONDAY), end_at: iso(MONDAY) })).refused(400, 'FIELD_INVALID', 'end_at');
    (await get({ start_at: '1990-01-01T00:00:00Z', interval: 'HOUR' })).refused(400, 'FIELD_INVALID', 'interval');
    (await get({ group: 'SLA' })).refused(400, 'FIELD_INVALID', 'group');
    (await desk.owner.get(WEEK, { metric: 'BACKLOG' })).refused(400, 'FIELD_INVALID', 'metric');
    (await desk.owner.get(WEEK, { metric: 'CREATED', time_zone: 'Mars/Olympus' })).refused(400, 'FIELD_INVALID', 'time_zone');
    (await desk.owner.get(GROUPS, { metric: 'CREATED' })).refused(400, 'FIELD_REQUIRED', 'group');
    (await desk.owner.get(GROUPS, { metric: 'CREATED', group: 'SLA' })).refused(400, 'FIELD_INVALID', 'group');
    (await desk.owner.get(GROUPS, { metric: 'CREATED', group: 'TAG', most: 0 })).refused(400, 'FIELD_INVALID', 'most');
    (await desk.owner.get(GROUPS, { metric: 'CREATED', group: 'TAG', start_at: iso(MONDAY), end_at: iso(MONDAY) })).refused(400, 'FIELD_INVALID', 'end_at');
    const decade = { metric: 'CREATED', start_at: iso(MONDAY - 3652 * D), end_at: iso(MONDAY + 90 * D), time_zone: 'Asia/Kolkata' };
    const [inHours, ofTeams] = [await desk.owner.fetch(WEEK, decade), await desk.owner.fetch(GROUPS, { ...decade, group: 'TEAM', most: 1 })];
    assert.deepEqual([inHours.values.flat().reduce((a, b) => a + b), inHours.total, ofTeams.groups.length], [ofTeams.total.value, ofTeams.total, 1]);
    assert.ok(ofTeams.group_count > 1);
    const years = await desk.owner.fetch(SERIES, { metric: 'created', interval: 'month', start_at: iso(MONDAY - 3652 * D), end_at: iso(MONDAY), group: 'agent' });
    assert.equal(years.buckets.length, 121);
  });

  test('the reports of existing clients compare a period with the one before it', async () => {
    const { desk } = world, { owner } = desk;
    await desk.clock.forward(DAY);
    const period = { start_at: iso(desk.clock.now - 30 * D), end_at: iso(desk.clock.now) }, cases = stored(desk).filter((c) => c.state === 1);
    const get = async (path) => (await owner.get(`/insights/${path}`, period)).must(200);
    const at = (metric, from, to) => cases.flatMap((c) => eventsOf[metric](c)).filter((e) => e.at >= from && e.at < to);
    const [from, to] = [desk.clock.now - 30 * D, desk.clock.now], before = from - 30 * D;
    const delta = (now, old) => (old > 0 ? (100 * (now - old)) / old : now > 0 ? 100 : 0);
    const near = (actual, expected, say) => assert.ok(Math.abs(actual - expected) < 0.001, `${say}: ${actual}, not ${expected}`);
    const completed = await get('cases/completed'), { data } = completed;
    assert.equal(completed.body.resource, 'report_cases_completion');
    assert.deepEqual([data.previous_start_at, data.previous_end_at, data.interval, data.interval_count], [iso(before), iso(from), 'DAY', 30]);
    assert.deepEqual(data.series, { name: 'total_completed', data: Array.from({ length: 30 }, (_, i) => at('COMPLETED', from + i * D, from + (i + 1) * D).length),
      previous: Array.from({ length: 30 }, (_, i) => at('COMPLETED', before + i * D, before + (i + 1) * D).length), resource_type: 'report_series_comparison' });
    const [now, old] = [at('COMPLETED', from, to).length, at('COMPLETED', before, from).length];
    assert.deepEqual({ ...data.metric, delta_percent: 0 }, { name: 'total_completed', value: now, delta_percent: 0, previous: old, resource_type: 'report_value_comparison' });
    near(data.metric.delta_percent, delta(now, old), 'delta');
    const mean = (metric) => { const all = at(metric, from, to).map((e) => Math.floor((e.at - e.from) / 1000)); return all.length ? all.reduce((a, b) => a + b) / all.length : 0; };
    near((await get('cases/response')).data.metric.value, mean('FIRST_RESPONSE'), 'response');
    near((await get('cases/resolution')).data.metric.value, mean('RESOLUTION'), 'resolution');
    const ratings = at('SATISFACTION', from, to);
    near((await get('cases/csat')).data.metric.value, ratings.length ? (100 * ratings.filter((e) => e.good).length) / ratings.length : 0, 'csat');
    const metrics = (await get('cases/metrics')).data;
    assert.equal(metrics.series, null);
    assert.deepEqual(metrics.metric.map((m) => m.name), ['total_created', 'total_public_replies', 'average_first_response_time', 'average_replies_to_resolution', 'percentage_first_contact_resolved']);
    assert.deepEqual(metrics.metric.slice(0, 2).map((m) => m.value), [at('CREATED', from, to).length, at('REPLIES', from, to).length]);
    const channels = (await get('cases/channel')).data;
    assert.equal(channels.metric.reduce((sum, m) => sum + m.value, 0), at('CREATED', from, to).length);
    assert.deepEqual(channels.series.map((s) => s.name), channels.metric.map((m) => m.name));
    assert.deepEqual((await get('sla/performance')).data.metric.map((m) => m.name), ['FIRST_REPLY_TIME', 'NEXT_REPLY_TIME', 'RESOLUTION_TIME']);
    assert.equal((await get('sla/overview')).data.metric.value, 0);
    assert.deepEqual((await get('sla/target')).data.metric, []);
    const weeks = (await owner.get('/insights/cases/completed', { start_at: iso(desk.clock.now - 59 * D) })).must(200).data;
    assert.deepEqual([weeks.interval, weeks.interval_count, weeks.series.data.length, weeks.series.previous.length], ['WEEK', 9, 9, 9]);
    (await owner.get('/insights/cases/completed', { start_at: '1990-01-01T00:00:00Z' })).refused(400, 'FIELD_INVALID', 'start_at');
    (await owner.get('/insights/sla/target', { start_at: iso(MONDAY), end_at: iso(MONDAY - D) })).refused(400, 'FIELD_INVALID', 'end_at');
    (await desk.as('customer').get('/insights/cases/metrics')).refused(403, 'PERMISSIONS_DENIED');
  });

  test('clocks of SLAs are kept, broken or running', async () => {
    const { desk } = world, { owner, staff } = desk, from = desk.clock.now;
    const target = (type) => ({ type, goal_in_seconds: HOUR, operational_hours: 'CALENDAR_HOURS', priority_id: null });
    const { id: sla } = await owner.create('/slas', { title: 'Urgent', predicate_collections: [{ propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_equalto', value: 4 }] }], targets: [target('FIRST_REPLY_TIME')] });
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await opened(desk, { priority_id: 4 })).id);
    await staff.post(`/cases/${ids[0]}/reply`, { contents: 'At once', channel: 'HELPCENTER' });
    await desk.clock.forward(2 * HOUR);
    await staff.post(`/cases/${ids[1]}/reply`, { contents: 'Late', channel: 'HELPCENTER' });
    await opened(desk, { priority_id: 4 });
    await until('the breach is raised', async () => sql(desk, 'SELECT COUNT(*) FROM sla_metrics WHERE is_breached = 1').trim() === '2');
    const period = { start_at: iso(from), end_at: iso(desk.clock.now + 1000) };
    const { total, groups } = await owner.fetch(SERIES, { ...period, metric: 'SLA_FIRST_REPLY', group: 'SLA' });
    assert.deepEqual(total, { value: 33.3333, n: 4, kept: 1, broken: 2, running: 1 });
    assert.deepEqual(groups.map((g) => g.key), [sla]);
    assert.deepEqual((await owner.fetch('/insights/sla/target', period)).metric.map((m) => [m.name, m.value]), [['Urgent', 33.3333]]);
    const after = { start_at: period.end_at, end_at: iso(desk.clock.now + 1000 + (desk.clock.now + 1000 - from)) };
    const fallen = (await owner.fetch('/insights/sla/target', after)).metric;
    assert.deepEqual(fallen.map((m) => [m.name, m.value, m.previous, m.delta_percent]), [['Urgent', 0, 33.3333, -100]], 'a group of the former period alone is shown');
    assert.ok((await owner.fetch('/insights/cases/channel', after)).metric.every((m) => m.value === 0 && m.previous > 0));
  });

  test('docs/REPORTS.md has the definition of each metric', async () => {
    const metrics = await world.desk.owner.fetch('/insights/metrics');
    const page = readFileSync(new URL('../../docs/REPORTS.md', import.meta.url), 'utf8').replaceAll('\n', ' ');
    assert.deepEqual(metrics.map((m) => m.name), [...page.matchAll(/\| `([A-Z_]+)` \|/g)].map(([, name]) => name));
    for (const { name, title, unit, definition } of metrics) assert.ok(page.includes(`| \`${name}\` | ${title} | ${unit} | ${definition} |`), name);
  });

  test('CSV of the conversations behind a number has a line for each, with its durations', async () => {
    const { desk } = world, period = { metric: 'CREATED', start_at: world.period.start_at };
    const { id } = await opened(desk, { subject: '=1+1, "so"', assigned_agent_id: desk.people.agent.id });
    (await desk.customer.post(`/conversations/${id}/messages`, { contents: 'When?' })).must(201);
    await desk.clock.forward(HOUR);
    (await desk.staff.post(`/cases/${id}/reply`, { contents: 'Soon', channel: 'HELPCENTER', status_id: 4 })).must(201);
    period.end_at = iso(desk.clock.now + 1000);
    const read = async (client, more) => {
      const reply = (await client.exchange('GET', `/api/v1/insights/cases?${new URLSearchParams({ ...period, format: 'csv', ...more })}`, {})).must(200);
      const [names, ...lines] = reply.text.trimEnd().split('\r\n');
      return { names: names.replaceAll('"', '').split(','), lines, next: reply.headers.link };
    };
    const { total_count: total } = (await desk.owner.get('/insights/cases', { ...period, limit: 1 })).must(200).body;
    const whole = await read(desk.owner, { limit: 1000 });
    assert.deepEqual([whole.lines.length, whole.next], [total, undefined]);
    const line = whole.lines.find((l) => l.startsWith(`${id},`));
    assert.ok(line.startsWith(`${id},"'=1+1, ""so""","HELPCENTER","Completed",`), line);
    const cells = line.slice(line.indexOf('"HELPCENTER"')).split(','), at = (name) => cells[whole.names.indexOf(name) - 2];
    assert.deepEqual(['first_response_seconds', 'resolution_seconds', 'replies', 'requests'].map((name) => Number(at(name))), [HOUR, HOUR, 1, 1]);
    assert.deepEqual([at('requester'), at('agent_id')], [`"${(await desk.owner.fetch(`/users/${at('requester_id')}`)).full_name}"`, String(desk.people.agent.id)]);
    // Pages follow the header Link.
    const paged = [];
    for (let page = await read(desk.owner, { limit: 7 }); ; ) {
      paged.push(...page.lines);
      if (!page.next) break;
      page = await read(desk.owner, Object.fromEntries(new URL(/<(.*)>/.exec(page.next)[1]).searchParams));
    }
    assert.deepEqual(paged, whole.lines);
    const alone = await read((await desk.person('agent', { agent_case_access: 'SELF' })).client, {});
    assert.deepEqual(alone.lines, []);
    const { client: unnamed } = await apiToken(desk, desk.owner, { scopes: ['conversations:read'] });
    const { lines } = await read(unnamed, { limit: 1000 });
    assert.ok(lines.find((l) => l.startsWith(`${id},`)).includes(`,${at('requester_id')},"",${desk.people.agent.id},"",`));
    const { client: insights } = await apiToken(desk, desk.owner, { scopes: ['insights:read'] });
    (await insights.get('/insights/cases', { format: 'csv' })).refused(403, 'PERMISSIONS_DENIED');
  });

  test('an hour of the week has its conversations, also where the clock is set back or forward', async () => {
    const { desk } = world, { owner } = desk;
    // On 2026-10-25, a Sunday, the clock of Berlin shows the hour from 2 twice, and on 2027-03-28 not at all. Half an hour is left out in Lord Howe on 2026-10-04.
    const at = { '2026-10-24T23:30:00Z': 'one', '2026-10-25T00:30:00Z': 'first', '2026-10-25T01:30:00Z': 'second', '2026-10-25T02:30:00Z': 'three', '2027-03-28T00:59:59Z': 'before', '2027-03-28T01:00:00Z': 'after', '2026-10-03T15:29:59Z': 'howe', '2026-10-03T15:30:00Z': 'jump' };
    const ids = {};
    for (const [moment, name] of Object.entries(at)) {
      ids[name] = (await opened(desk, { subject: name })).id;
      sql(desk, `UPDATE cases SET created_at = ${Date.parse(moment)} WHERE id = ${ids[name]}; UPDATE posts SET created_at = ${Date.parse(moment)} WHERE case_id = ${ids[name]}`);
    }
    sql(desk, "UPDATE report_cursor SET place = '', built = 0");
    await owner.create('/teams', { title: 'A write ends kept snapshots' });
    const named = async (more) => {
      const { data, total_count: total } = (await owner.get('/insights/cases', { metric: 'CREATED', weekday: 'SUNDAY', limit: 100, fields: 'id', ...more })).must(200).body;
      assert.equal(total, data.length);
      return Object.keys(ids).filter((name) => data.some(({ id }) => id === ids[name]));
    };
    const back = { start_at: '2026-10-24T00:00:00Z', end_at: '2026-10-26T00:00:00Z', time_zone: 'Europe/Berlin' }, ahead = { ...back, start_at: '2027-03-27T00:00:00Z', end_at: '2027-03-29T00:00:00Z' };
    assert.deepEqual(await named({ ...back, hour: 1 }), ['one']);
    assert.deepEqual(await named({ ...back, hour: 2 }), ['first', 'second'], 'both hours are one');
    assert.deepEqual(await named({ ...back, hour: 3 }), ['three']);
    assert.deepEqual(await named({ ...back, hour: 2, end_at: '2026-10-25T01:00:00Z' }), ['first'], 'the period ends in the cell');
    assert.deepEqual(await named({ ...back, hour: 2, weekday: 'monday' }), []);
    assert.deepEqual(await named(back), ['one', 'first', 'second', 'three']);
    assert.deepEqual([await named({ ...ahead, hour: 1 }), await named({ ...ahead, hour: 2 }), await named({ ...ahead, hour: 3 })], [['before'], [], ['after']]);
    const howe = { start_at: '2026-10-03T00:00:00Z', end_at: '2026-10-04T12:00:00Z', time_zone: 'Australia/Lord_Howe' };
    assert.deepEqual([await named({ ...howe, hour: 1 }), await named({ ...howe, hour: 2 })], [['howe'], ['jump']]);
    assert.deepEqual(await named({ ...howe, hour: 15, weekday: 'SATURDAY', time_zone: 'UTC' }), ['howe', 'jump']);
    (await owner.put('/settings', { values: { 'desk.time_zone': 'Europe/Berlin' } })).must(200);
    const { time_zone: _, ...desks } = back;
    assert.deepEqual(await named({ ...desks, hour: 2 }), ['first', 'second'], 'the zone of the desk');
    const wrong = (more) => owner.get('/insights/cases', { metric: 'CREATED', ...more });
    (await wrong({ weekday: 'NODAY', hour: 24 })).refused(400, 'FIELD_INVALID', 'weekday', 'hour');
    (await wrong({ hour: -1 })).refused(400, 'FIELD_INVALID', 'hour');
    (await wrong({ hour: 2, time_zone: 'Mars/Olympus' })).refused(400, 'FIELD_INVALID', 'time_zone');
    (await wrong({ metric: 'BACKLOG', weekday: 'MONDAY', hour: 2 })).refused(400, 'FIELD_INVALID', 'weekday', 'hour');
    const csv = (await owner.exchange('GET', `/api/v1/insights/cases?${new URLSearchParams({ ...back, weekday: 'SUNDAY', hour: 2, metric: 'CREATED', format: 'csv' })}`, {})).must(200).text.trimEnd().split('\r\n');
    assert.deepEqual(csv.slice(1).map((line) => Number(line.split(',')[0])).sort((a, b) => a - b), [ids.first, ids.second].sort((a, b) => a - b));
    const alone = await desk.person('agent', { agent_case_access: 'SELF' });
    (await owner.put(`/cases/${ids.second}`, { assigned_agent_id: alone.id })).must(200);
    const seen = (await alone.client.get('/insights/cases', { ...back, weekday: 'SUNDAY', hour: 2, metric: 'CREATED' })).must(200).body;
    assert.deepEqual([seen.total_count, seen.data.map((c) => c.id)], [1, [ids.second]]);
    for (const name of Object.keys(ids)) (await owner.put(`/cases/${ids[name]}/trash`, {})).must(200);
    (await owner.put('/settings', { values: { 'desk.time_zone': 'UTC' } })).must(200);
  });

  test('CSV has a line for each bucket of a group', async () => {
    const { desk } = world, query = new URLSearchParams({ ...world.period, metric: 'CREATED', group: 'CHANNEL', interval: 'MONTH', format: 'csv' });
    const reply = (await desk.owner.exchange('GET', `/api/v1${SERIES}?${query}`, {})).must(200);
    const lines = reply.text.split('\r\n');
    assert.equal(lines[0], '"bucket","key","value","n","p50","p90"');
    assert.match(lines[1], /^"2026-11-22T09:30:00\+00:00","HELPCENTER",\d+,\d+,"",""$/);
    const csv = async (path) => (await desk.owner.exchange('GET', `/api/v1${path}?${query}`, {})).must(200).text.split('\r\n');
    query.delete('interval');
    const groups = await csv(GROUPS);
    assert.equal(groups[0], '"key","value","n","p90","previous_value","previous_n","previous_p90"');
    assert.match(groups[1], /^"HELPCENTER",(\d+),\1,"",0,0,""$/);
    query.delete('group');
    const week = await csv(WEEK);
    assert.deepEqual([week.length, week[0]], [170, '"weekday","hour","value","n"']);
    assert.match(week[168], /^"sunday",23,(\d+),\1$/);
  });
});

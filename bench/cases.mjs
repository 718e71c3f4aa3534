// Measures lists, totals and single reads of conversations on growing desks: CPU time of the server for each request, and
// its ratio to the smallest desk. A tenth of the conversations are of one person without organization. A tenth have a
// common tag, twenty have a rare one. Rounds alternate between the desks; each figure is the median of the rounds.
//
//   node bench/cases.mjs [NAME]     only cases whose name contains NAME
//   BENCH_SIZES    conversations of the desks (1000,100000,1000000)
//   BENCH_DESKS    a folder that keeps the desks for the next run, one folder for each size. Default: a temporary folder
//   BENCH_ROUNDS   rounds (5)       BENCH_BATCH   requests of a round and case (60)
//   DATABASE       measure desks in a PostgreSQL cluster (tests/postgres.sh); only the CPU time of deskd counts
//
// Debian: sqlite3
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT, Server, binary } from './servers.mjs';

const sizes = (process.env.BENCH_SIZES ?? '1000,100000,1000000').split(',').map(Number);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5), batch = Number(process.env.BENCH_BATCH ?? 60), wanted = process.argv[2] ?? '';
const kept = process.env.BENCH_DESKS, folder = kept ?? mkdtempSync(join(tmpdir(), 'deskd-cases-'));
if (!kept) process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
mkdirSync(folder, { recursive: true });
const password = 'a long enough password', passwordFile = join(folder, 'password');
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });

/* ---- the desks ---- */

const counted = (kind, id, from) => `INSERT INTO case_totals (kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6) SELECT ${kind}, ${id}, 0, COALESCE(t.priority_id, 0),
    ${[1, 2, 3, 4, 5, 6].map((n) => `SUM(CASE WHEN t.status_type = ${n} THEN 1 ELSE 0 END)`).join(', ')} FROM ${from} GROUP BY 2, 4;`;
/** Gives a tenth of the conversations to the person with the highest id, and tags some. The counters follow. */
const extend = (n) => `BEGIN;
  UPDATE users SET organization_id = NULL WHERE id = (SELECT MAX(id) FROM users);
  UPDATE cases SET requester_id = (SELECT MAX(id) FROM users), organization_id = NULL WHERE id % 10 = 7 OR requester_id = (SELECT MAX(id) FROM users);
  UPDATE posts SET creator_id = (SELECT MAX(id) FROM users) WHERE is_requester = 1 AND case_id % 10 = 7;
  INSERT INTO tags (id, name, name_key, created_at) VALUES (901, 'common', 'common', 0), (902, 'rare', 'rare', 0) ON CONFLICT DO NOTHING;
  INSERT INTO case_tags (case_id, tag_id) SELECT id, 901 FROM cases WHERE id % 10 = 3 ON CONFLICT DO NOTHING;
  INSERT INTO case_tags (case_id, tag_id) SELECT id, 902 FROM cases WHERE id % ${n / 20} = 1 ON CONFLICT DO NOTHING;
  DELETE FROM case_totals WHERE kind >= 5;
  ${counted(5, 't.requester_id', 'cases t WHERE t.state = 1')}
  ${counted(6, 't.organization_id', 'cases t WHERE t.state = 1 AND t.organization_id IS NOT NULL')}
  ${counted(7, 'k.tag_id', 'case_tags k JOIN cases t ON t.id = k.case_id WHERE t.state = 1')}
  COMMIT;`;

const HEAVY_MAIL = 'SELECT email FROM identity_emails WHERE user_id = (SELECT MAX(id) FROM users) ORDER BY id LIMIT 1';
const onPostgres = process.env.DATABASE !== undefined;

async function prepared(n) {
    const data = join(folder, String(n)), name = `cases_${n}`, store = ['--data', data];
    const url = process.env.DATABASE?.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`);
    const run = (sql, database = url) => (onPostgres ? execFileSync('psql', [database, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'], { input: sql, encoding: 'utf8' })
        : execFileSync('sqlite3', ['-bail', join(data, 'desk.db')], { input: sql, encoding: 'utf8' })).trim();
    if (onPostgres) run(`CREATE DATABASE ${name}`, process.env.DATABASE);
    if (onPostgres) store.push('--database', url);
    if (onPostgres || !existsSync(join(data, 'extended'))) {
        if (!existsSync(join(data, 'desk.db'))) execFileSync(binary, ['demo', ...store, '--conversations', String(n), '--password-file', passwordFile], { stdio: 'ignore' });
        run(extend(n));
        execFileSync(binary, ['password', run(HEAVY_MAIL), ...store, '--password-file', passwordFile], { stdio: 'ignore' });
        if (onPostgres) run('ANALYZE');
        writeFileSync(join(data, 'extended'), '');
    }
    const server = await Server.start(binary, ['serve', ...store, '--listen', '127.0.0.1:0', '--threads', '1', '--log-level', 'warn'], /listening on .*:(\d+)$/m);
    return { n, server, run, agent: new http.Agent({ keepAlive: true, maxSockets: 1 }), sessions: {} };
}

async function login(desk, email) {
    const headers = { Authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`, 'X-CSRF': 'false', 'User-Agent': AGENT };
    const reply = await fetch(`${desk.server.url}/api/v1/session`, { headers });
    if (!reply.ok) throw new Error(`${email} can't log in: ${reply.status}`);
    return (await reply.json()).session_id;
}

/* ---- what is read ---- */

/** The values that a desk's requests use. */
function values(desk) {
    const one = (sql) => Number(desk.run(sql)), most = (column, where = '1 = 1') => one(`SELECT ${column} FROM cases WHERE state = 1 AND ${column} IS NOT NULL AND ${where} GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT 1`);
    const heavy = one('SELECT MAX(id) FROM users'), team = 1, teamsAgent = one("SELECT user_id FROM identity_emails WHERE email = 'teams-agent@example.com'");
    const teams = `SELECT team_id FROM team_members WHERE user_id = ${teamsAgent}`, teamOfAgent = one(`SELECT MIN(team_id) FROM (${teams}) m`);
    return {
        teamsAgent, teamOfAgent, otherTeam: one(`SELECT MIN(id) FROM teams WHERE id NOT IN (${teams})`),
        colleague: one(`SELECT MIN(user_id) FROM team_members WHERE team_id = ${teamOfAgent} AND user_id <> ${teamsAgent}`),
        team, heavy, agent: most('assigned_agent_id'), agentOfTeam: most('assigned_agent_id', `assigned_team_id = ${team}`), organization: most('organization_id'),
        requester: one("SELECT user_id FROM identity_emails WHERE email = 'customer@example.com'"), writer: most('assigned_agent_id'),
        heavyMail: desk.run(HEAVY_MAIL), half: Math.floor(desk.n / 2),
        teamOfOrganization: most('assigned_team_id', `organization_id = ${most('organization_id')}`),
    };
}

const people = { all: 'owner@example.com', teams: 'teams-agent@example.com', customer: 'customer@example.com' };
/** name: [caller, path of a desk's values] */
const cases = {
    'GET one': ['all', (v) => `/cases/${v.half}`],
    'GET one, agent of teams': ['teams', (v, i) => `/cases/${v.seen[i % v.seen.length]}`],
    'posts of one': ['all', (v) => `/cases/${v.half}/posts`],
    'list': ['all', () => '/cases'],
    'list, agent of teams': ['teams', () => '/cases'],
    'list, page 50': ['all', () => '/cases?offset=490'],
    'GET /conversations': ['all', () => '/conversations'],
    'GET /conversations, agent of teams': ['teams', () => '/conversations'],
    'GET /conversations, customer with 25': ['customer', () => '/conversations'],
    'GET /conversations, customer with a tenth': ['heavy', () => '/conversations'],
    'GET /conversations?status=CLOSED, the same': ['heavy', () => '/conversations?status=CLOSED'],
    'status=NEW': ['all', () => '/cases?status=NEW'],
    'status=CLOSED': ['all', () => '/cases?status=CLOSED'],
    'status=OPEN,PENDING': ['all', () => '/cases?status=OPEN,PENDING'],
    'status=OPEN, agent of teams': ['teams', () => '/cases?status=OPEN'],
    'priority=1': ['all', () => '/cases?priority=1'],
    'priority=3': ['all', () => '/cases?priority=3'],
    'priority=3, agent of teams': ['teams', () => '/cases?priority=3'],
    'assigned_team_id': ['all', (v) => `/cases?assigned_team_id=${v.team}`],
    'assigned_team_id, a team of the agent': ['teams', (v) => `/cases?assigned_team_id=${v.teamOfAgent}`],
    'assigned_team_id, another team': ['teams', (v) => `/cases?assigned_team_id=${v.otherTeam}`],
    'assigned_agent_id': ['all', (v) => `/cases?assigned_agent_id=${v.agent}`],
    'assigned_agent_id, the agent of teams': ['teams', (v) => `/cases?assigned_agent_id=${v.teamsAgent}`],
    'assigned_agent_id, a colleague': ['teams', (v) => `/cases?assigned_agent_id=${v.colleague}`],
    'requester_id': ['all', (v) => `/cases?requester_id=${v.requester}`],
    'requester_id, a tenth': ['all', (v) => `/cases?requester_id=${v.heavy}`],
    'requester_id, a tenth, agent of teams': ['teams', (v) => `/cases?requester_id=${v.heavy}`],
    'organization_id': ['all', (v) => `/cases?organization_id=${v.organization}`],
    'identity, a tenth': ['all', (v) => `/cases?identity_type=EMAIL&identity_value=${encodeURIComponent(v.heavyMail)}`],
    'tags=common': ['all', () => '/cases?tags=common'],
    'tags=rare': ['all', () => '/cases?tags=rare'],
    'tags=common,rare': ['all', () => '/cases?tags=common,rare'],
    '/users/:id/cases, a tenth': ['all', (v) => `/users/${v.heavy}/cases`],
    '/organizations/:id/cases': ['all', (v) => `/organizations/${v.organization}/cases`],
    '/users/:id/posts, customer with a tenth': ['all', (v) => `/users/${v.heavy}/posts`],
    '/users/:id/posts, agent': ['all', (v) => `/users/${v.writer}/posts`],
    '/users/:id/posts, seen by an agent of teams': ['teams', (v) => `/users/${v.writer}/posts`],
    '/users': ['all', () => '/users'],
    '/users?is_enabled=true': ['all', () => '/users?is_enabled=true'],
    '/users?is_enabled=false': ['all', () => '/users?is_enabled=false'],
    '/users?role=AGENT': ['all', () => '/users?role=AGENT'],
    'status=CLOSED & priority=1': ['all', () => '/cases?status=CLOSED&priority=1'],
    'status=NEW & priority=3': ['all', () => '/cases?status=NEW&priority=3'],
    'status=OPEN & team': ['all', (v) => `/cases?status=OPEN&assigned_team_id=${v.team}`],
    'status=CLOSED & agent': ['all', (v) => `/cases?status=CLOSED&assigned_agent_id=${v.agent}`],
    'status=CLOSED & requester, a tenth': ['all', (v) => `/cases?status=CLOSED&requester_id=${v.heavy}`],
    'status=CLOSED & organization': ['all', (v) => `/cases?status=CLOSED&organization_id=${v.organization}`],
    'status=CLOSED & tags=common': ['all', () => '/cases?status=CLOSED&tags=common'],
    'status=NEW & tags=rare': ['all', () => '/cases?status=NEW&tags=rare'],
    'priority=1 & team': ['all', (v) => `/cases?priority=1&assigned_team_id=${v.team}`],
    'priority=3 & agent': ['all', (v) => `/cases?priority=3&assigned_agent_id=${v.agent}`],
    'priority=1 & requester, a tenth': ['all', (v) => `/cases?priority=1&requester_id=${v.heavy}`],
    'priority=1 & tags=common': ['all', () => '/cases?priority=1&tags=common'],
    'team & agent of it': ['all', (v) => `/cases?assigned_team_id=${v.team}&assigned_agent_id=${v.agentOfTeam}`],
    'team & agent, none': ['all', (v) => `/cases?assigned_team_id=${v.team + 1}&assigned_agent_id=1`],
    'team & requester, a tenth': ['all', (v) => `/cases?assigned_team_id=${v.team}&requester_id=${v.heavy}`],
    'team & organization': ['all', (v) => `/cases?assigned_team_id=${v.teamOfOrganization}&organization_id=${v.organization}`],
    'team & tags=common': ['all', (v) => `/cases?assigned_team_id=${v.team}&tags=common`],
    'agent & requester, a tenth': ['all', (v) => `/cases?assigned_agent_id=${v.agent}&requester_id=${v.heavy}`],
    'agent & tags=common': ['all', (v) => `/cases?assigned_agent_id=${v.agent}&tags=common`],
    'requester, a tenth & tags=common': ['all', (v) => `/cases?requester_id=${v.heavy}&tags=common`],
    'status=OPEN & team, agent of teams': ['teams', (v) => `/cases?status=OPEN&assigned_team_id=${v.team}`],
};

/* ---- measuring ---- */

/** CPU time of all threads in microseconds, from the scheduler's nanoseconds. */
function cpu(pid) {
    let sum = 0;
    for (const task of readdirSync(`/proc/${pid}/task`)) sum += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1').split(' ')[0]);
    return sum / 1000;
}

const ask = (desk, session, path) => new Promise((resolve, reject) => {
    http.get(`${desk.server.url}/api/v1${path}`, { agent: desk.agent, headers: { 'X-Session-ID': session, 'User-Agent': AGENT } }, (reply) => {
        const parts = [];
        reply.on('data', (part) => parts.push(part)).on('end', () => {
            const text = Buffer.concat(parts).toString();
            if (reply.statusCode === 200) resolve(text);
            else reject(new Error(`${path}: ${reply.statusCode} ${text.slice(0, 300)}`));
        });
    }).on('error', reject);
});

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

const desks = [];
for (const n of sizes) {
    const desk = await prepared(n);
    desk.v = values(desk);
    for (const [name, email] of Object.entries({ ...people, heavy: desk.v.heavyMail })) desk.sessions[name] = await login(desk, email);
    desk.v.seen = JSON.parse(await ask(desk, desk.sessions.teams, '/cases?limit=20')).data.map(({ id }) => id);
    desks.push(desk);
}

console.log(`| CPU of a request | ${sizes.map((n) => `${n.toLocaleString('en-US')}: us`).join(' | ')} | ${sizes.slice(1).map((n) => `ratio ${n.toLocaleString('en-US')}`).join(' | ')} | total_count at the largest |\n|---|${'--:|'.repeat(2 * sizes.length)}`);
for (const [name, [who, path]] of Object.entries(cases)) {
    if (!name.includes(wanted)) continue;
    const took = desks.map(() => []);
    let total;
    for (let round = -1; round < rounds; round++) for (const [k, desk] of desks.entries()) {
        const session = desk.sessions[who];
        let last, count = round < 0 ? 3 : batch;
        const began = cpu(desk.server.pid), until = performance.now() + 2000; // slow requests: fewer of them
        for (let i = 0; i < count; i++) {
            last = await ask(desk, session, path(desk.v, i));
            if (performance.now() > until) count = i + 1;
        }
        if (round >= 0) took[k].push((cpu(desk.server.pid) - began) / count);
        total = JSON.parse(last).total_count;
    }
    const us = took.map(median);
    console.log(`| ${name} | ${us.map((t) => t.toFixed(0)).join(' | ')} | ${us.slice(1).map((t) => (t / us[0]).toFixed(2)).join(' | ')} | ${total ?? ''} |`);
}
for (const desk of desks) desk.agent.destroy();
await Promise.all(desks.map(({ server }) => server.stop()));

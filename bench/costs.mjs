// make bench-costs: measures what each request of a working day costs on both engines, and writes bench/costs.tsv, from which bench/scale.mjs
// calculates and simulates desks of any size (docs/SCALE.md). Costs are CPU time, so the rate of the machine does not matter.
//
//   BENCH_SIZE     conversations (20000)       BENCH_SECONDS  of one load (3)
//   BENCH_ROUNDS   medians count (3)           DATABASE       the cluster, of tests/postgres.sh
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT, Server, binary, run } from './servers.mjs';

const size = Number(process.env.BENCH_SIZE ?? 20_000), seconds = Number(process.env.BENCH_SECONDS ?? 3), rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const database = process.env.DATABASE, PASSWORD = 'password of the costs';
const dir = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'deskd-costs-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
const median = (xs) => xs.slice().sort((a, b) => a - b)[xs.length >> 1];
const password = join(dir, 'password');
writeFileSync(password, PASSWORD, { mode: 0o600 });

const contents = 'It runs again since the second gear was turned. Thank you for the patience.';
// The queries of the console (web/app).
const CASE = 'fields=subject,requester,status,priority,type,assigned_agent,assigned_team,tags,state,custom_fields,form,sla_metrics,sla_version,read_marker,post_count,created_at,updated_at,last_replied_at,reply_channels,snooze&include=user_minimal,case_status,case_priority,case_type,team,tag,read_marker,sla_metric,channel,mailbox&_flat=true';
const ROW = 'fields=subject,requester,status,priority,assigned_agent,assigned_team,state,last_post_preview,last_replied_at,updated_at,created_at,read_marker,sla_metrics,realtime_channel,post_count&include=user_minimal,case_status,case_priority,read_marker,sla_metric&_flat=true';
const POSTS = 'fields=subject,contents,is_html,creator,created_at,attachments&include=user_minimal,attachment,activity&_flat=true&filters=all&limit=20';
// what, caller, method, paths of the ids, bodies: each path gets them in turn, because a change to the same value writes nothing
const REQUESTS = [
    ['open a conversation', 'agent', 'GET', (ids) => ids.map((id) => `/cases/${id}?${CASE}`)],
    ['read its posts', 'agent', 'GET', (ids) => ids.map((id) => `/cases/${id}/posts?${POSTS}`)],
    ['read a list of 30', 'agent', 'GET', () => [`/cases?limit=30&${ROW}`]],
    ['read a changed row', 'agent', 'GET', (ids) => ids.map((id) => `/cases?ids=${id}&${ROW}`)],
    ['read the counts of views', 'agent', 'GET', () => ['/views/counts']],
    ['search', 'agent', 'GET', () => ['/search?query=second%20gear']],
    ['visit the help center', 'nobody', 'GET', () => ['/']],
    ['reply', 'agent', 'POST', (ids) => ids.map((id) => `/cases/${id}/reply`), [{ contents, channel: 'HELPCENTER' }]],
    ['write a note', 'agent', 'POST', (ids) => ids.map((id) => `/cases/${id}/notes`), [{ contents }]],
    ['change the priority', 'agent', 'PUT', (ids) => ids.map((id) => `/cases/${id}`), [{ priority_id: 1 }, { priority_id: 3 }]],
    ['a customer asks', 'customer', 'POST', () => ['/conversations'], [{ subject: 'The second gear slips', contents }]],
];

/** Bytes that the engine has written to its log so far, and bytes of the store. */
const ENGINES = [
    { name: 'SQLite', where: ['--data', join(dir, 'sqlite')], log: (server) => Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${server.pid}/io`, 'utf8'))[1]),
      size: () => readdirSync(join(dir, 'sqlite')).filter((name) => name === 'desk.db').reduce((sum, name) => sum + statSync(join(dir, 'sqlite', name)).size, 0), database: () => 0 },
    { name: 'PostgreSQL', where: ['--data', join(dir, 'postgres'), '--database', database], log: () => Number(psql("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")),
      size: () => Number(psql('SELECT pg_database_size(current_database())')), database: () => cpuOfDatabase() },
];
const psql = (sql) => execFileSync('psql', [database, '-X', '-q', '-t', '-A', '-c', sql], { encoding: 'utf8' }).trim();
/** Microseconds of CPU of the server processes of PostgreSQL, and of those that have ended. */
function cpuOfDatabase() {
    const ticks = (pid, from) => {
        try {
            const stat = readFileSync(`/proc/${pid}/stat`, 'latin1'), fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
            return Number(fields[from]) + Number(fields[from + 1]);
        } catch { return 0; /* it has ended */ }
    };
    const children = execFileSync('ps', ['--ppid', String(postmaster), '-o', 'pid='], { encoding: 'utf8' }).trim().split(/\s+/);
    return children.reduce((sum, pid) => sum + ticks(pid, 11), ticks(postmaster, 13)) * 10_000;
}
const postmaster = database && Number(psql("SELECT pg_read_file('postmaster.pid')").split('\n')[0]);

async function session(server, email) {
    const basic = { 'User-Agent': AGENT, 'X-CSRF': 'false', Authorization: `Basic ${Buffer.from(`${email}:${PASSWORD}`).toString('base64')}` };
    const reply = await fetch(`${server.url}/api/v1/session`, { headers: basic });
    return { 'X-Session-ID': (await reply.json()).session_id };
}

const rows = [];
for (const engine of ENGINES) {
    await run('./deskd', ['demo', ...engine.where, '--conversations', String(size), '--password-file', password]);
    const server = await Server.start(binary, ['serve', ...engine.where, '--listen', '127.0.0.1:0', '--log-level', 'warn'], /listening on .*:(\d+)$/m);
    const agent = await session(server, 'agent@example.com'), customer = await session(server, 'customer@example.com');
    const asked = await fetch(`${server.url}/api/v1/cases?limit=200&fields=id&status=OPEN`, { headers: { 'User-Agent': AGENT, ...agent } });
    const ids = (await asked.json()).data.map(({ id }) => id), idle = server.anonymousMiB();
    for (const [what, caller, method, paths, bodies] of REQUESTS) {
        const runs = [];
        for (let n = 0; n < rounds; n++) {
            const file = join(dir, 'targets');
            writeFileSync(file, `${paths(ids).map((path) => (caller === 'nobody' ? path : `/api/v1${path}`)).join('\n')}\n`);
            const headers = { ...(caller === 'agent' ? agent : caller === 'customer' ? customer : {}), ...(bodies && { 'Content-Type': 'application/json' }) };
            const before = { database: engine.database(), log: engine.log(server), size: engine.size() };
            const m = await server.load(file, headers, { connections: bodies ? 32 : 8, seconds, method, body: (bodies ?? []).map((body) => JSON.stringify(body)).join('\x1e') });
            runs.push({ deskd: m.cpu, database: (engine.database() - before.database) / m.requests, log: (engine.log(server) - before.log) / m.requests, growth: (engine.size() - before.size) / m.requests });
        }
        const of = (member) => Math.max(0, Math.round(median(runs.map((one) => one[member]))));
        rows.push([what, engine.name, bodies ? 'write' : 'read', of('deskd'), of('database'), bodies ? of('log') : 0, bodies ? of('growth') : 0]);
        console.log(rows.at(-1).join('\t'));
    }
    console.log(`memory of deskd\t${engine.name}\t${idle.toFixed(1)} MiB at the start, ${server.anonymousMiB().toFixed(1)} after the loads`);
    await server.stop();
}
writeFileSync('bench/costs.tsv', `${[['request', 'engine', 'kind', 'deskd_us', 'database_us', 'log_bytes', 'growth_bytes'], ...rows].map((row) => row.join('\t')).join('\n')}\n`);

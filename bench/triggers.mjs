// Measures what triggers cost a change: CPU time and instructions of the server for each PUT of a conversation, on desks without rules, with
// triggers that other values leave out, and with triggers that are all evaluated. None of them fires. Rounds alternate between the desks; each
// figure is the median of the rounds.
//
//   node bench/triggers.mjs
//   BENCH_TRIGGERS   enabled triggers (1000)      BENCH_ROUNDS   rounds (7)      BENCH_BATCH   changes of a round (200)
//
// Debian: linux-perf, for the instructions (without it the column is empty)
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT, binary, serve } from './servers.mjs';

const count = Number(process.env.BENCH_TRIGGERS ?? 1000), rounds = Number(process.env.BENCH_ROUNDS ?? 7), batch = Number(process.env.BENCH_BATCH ?? 200);
const folder = mkdtempSync(join(tmpdir(), 'deskd-triggers-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const password = 'a long enough password', passwordFile = join(folder, 'password');
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });

const tag = [{ name: 'tags', option: 'ADD', value: ['never'] }];
const one = (field, operator, value) => ({ propositions: [{ field, operator, value }] });
const desks = [
    ['without rules', () => null],
    ['other values', (i) => [one('cases.casestatusid', 'comparison_equalto', String(3 + (i % 3))), one('cases.subject', 'string_contains_insensitive', `zzz${i}`)]],
    ['all evaluated', (i) => [one('cases.subject', 'string_contains_insensitive', `zzz${i}`), one('tags.name', 'collection_contains_insensitive', `zzz${i}`)]],
];

/** One request on the connection of the desk. */
function send(desk, method, path, body) {
    return new Promise((resolve, reject) => {
        const headers = { 'User-Agent': AGENT, Authorization: desk.login, 'Content-Type': 'application/json' };
        const request = http.request({ agent: desk.agent, port: desk.server.port, method, path: `/api/v1${path}`, headers }, (reply) => {
            let text = '';
            reply.on('data', (part) => { text += part; });
            reply.on('end', () => (reply.statusCode < 300 ? resolve(JSON.parse(text)) : reject(new Error(`${method} ${path}: ${reply.statusCode} ${text}`))));
        });
        request.on('error', reject);
        request.end(body && JSON.stringify(body));
    });
}

async function prepared([name, predicates]) {
    const data = join(folder, name.replaceAll(' ', '-'));
    execFileSync(binary, ['demo', '--data', data, '--conversations', '200', '--password-file', passwordFile], { stdio: 'ignore' });
    const email = execFileSync('sqlite3', [join(data, 'desk.db'), 'SELECT e.email FROM identity_emails e JOIN users u ON u.id = e.user_id WHERE u.role_type = 5 LIMIT 1'], { encoding: 'utf8' }).trim();
    const desk = { name, agent: new http.Agent({ keepAlive: true, maxSockets: 1 }), login: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`, cpu: [], instructions: [] };
    desk.server = await serve(data);
    for (const { id } of (await send(desk, 'GET', '/triggers?limit=1000')).data) await send(desk, 'DELETE', `/triggers/${id}`);
    for (const { id } of (await send(desk, 'GET', '/slas?limit=1000')).data) await send(desk, 'DELETE', `/slas/${id}`);
    for (let i = 0; i < count && predicates(i); i++) await send(desk, 'POST', '/triggers', { title: `Trigger ${i}`, predicate_collections: predicates(i), actions: tag });
    const cases = (await send(desk, 'GET', '/cases?limit=200&status=OPEN,NEW,PENDING')).data.filter(({ status }) => status.id <= 2);
    desk.ids = cases.slice(0, 20).map(({ id }) => id);
    if (desk.ids.length === 0) throw new Error('no conversation is open');
    return desk;
}

const nanoseconds = (pid) => readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1').split(' ')[0]), 0);

/** Starts counting; the returned function ends it and returns the instructions, or NaN. */
async function counting(pid) {
    const perf = spawn('perf', ['stat', '-x,', '-e', 'instructions:u', '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    const over = once(perf, 'exit').catch(() => {});
    perf.on('error', () => {});
    perf.stderr.on('data', (part) => { text += part; });
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    return async () => {
        perf.kill('SIGINT');
        await over;
        return Number(/^(\d+),/m.exec(text)?.[1] ?? NaN);
    };
}

async function measure(desk, round) {
    let n = 0;
    const change = async () => { for (let i = 0; i < batch; i++, n++) await send(desk, 'PUT', `/cases/${desk.ids[n % desk.ids.length]}`, { subject: `Round ${round} change ${n}` }); };
    await change();
    const before = nanoseconds(desk.server.pid);
    await change();
    desk.cpu.push((nanoseconds(desk.server.pid) - before) / batch / 1000);
    const end = await counting(desk.server.pid);
    await change();
    desk.instructions.push(await end() / batch);
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const made = [];
for (const desk of desks) made.push(await prepared(desk));
for (let round = 0; round < rounds; round++) for (const desk of made) await measure(desk, round);
const base = median(made[0].cpu), least = median(made[0].instructions);
console.log(`| desk | CPU of a PUT, us | more, us | ratio | instructions | ratio |\n|---|---|---|---|---|---|`);
for (const desk of made) {
    const cpu = median(desk.cpu), instructions = median(desk.instructions);
    const counted = Number.isNaN(instructions) ? ['', ''] : [Math.round(instructions).toLocaleString('en-US'), (instructions / least).toFixed(2)];
    console.log(`| ${[desk === made[0] ? desk.name : `${count} triggers, ${desk.name}`, cpu.toFixed(0), (cpu - base).toFixed(0), (cpu / base).toFixed(2), ...counted].join(' | ')} |`);
}
await Promise.all(made.map(({ server, agent }) => (agent.destroy(), server.stop())));

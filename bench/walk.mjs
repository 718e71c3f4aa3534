// make bench-walk: reads every GET of the tables with its arguments as owner, TEAMS agent and customer, and lists the slow ones with the plans of
// their statements. It judges nothing: the exit status is 0.
//
//   BENCH_SIZE   conversations of the desk (1000000), kept in BENCH_DIR (build/bench)      WALK_MS   a reading is slow from here on (5)
//   WALK_ONLY    only targets that contain this text                                       WALK_PLANS   plans of the slowest (30)
//
// A reading is the second one, warm. Its time is the CPU time of the server, so other work on the machine does not count. A slow one is read twice
// more, and the least counts, because jobs run meanwhile.
// Replies of more than 500 KB are listed apart.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { AGENT, run, serve } from './servers.mjs';
import { Addresses, walk } from '../tests/api/lib/walk.mjs';

const size = Number(process.env.BENCH_SIZE ?? 1_000_000), dir = process.env.BENCH_DIR ?? 'build/bench';
const slowFrom = Number(process.env.WALK_MS ?? 5), only = process.env.WALK_ONLY ?? '', plans = Number(process.env.WALK_PLANS ?? 30);
const LARGE = 500_000, CALLERS = ['owner', 'teams-agent', 'customer'];

/* ---- the desk --------------------------------------------------------------------------------------------- */

const passwordFile = `${dir}/password`;
mkdirSync(dir, { recursive: true });
if (!existsSync(passwordFile)) writeFileSync(passwordFile, randomBytes(15).toString('base64url'), { mode: 0o600 });
const password = readFileSync(passwordFile, 'utf8').trim();

async function desk() {
    const data = `${dir}/desk-${size}`;
    if (existsSync(data)) return data;
    rmSync(`${data}.new`, { recursive: true, force: true });
    await run('./deskd', ['demo', '--data', `${data}.new`, '--conversations', String(size), '--password-file', passwordFile]);
    renameSync(`${data}.new`, data);
    return data;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let server;

// CPU time of all threads so far, in milliseconds.
function cpu() {
    const tasks = `/proc/${server.pid}/task`;
    return readdirSync(tasks).reduce((sum, task) => sum + Number(readFileSync(`${tasks}/${task}/schedstat`, 'latin1').split(' ')[0]) / 1e6, 0);
}

function get(headers, target) {
    const began = cpu();
    return new Promise((resolve, reject) => {
        request(server.url + target, { agent, headers: { 'User-Agent': AGENT, ...headers } }, (reply) => {
            const parts = [];
            reply.on('data', (part) => parts.push(part)).on('end', () => {
                const ms = cpu() - began, text = Buffer.concat(parts).toString();
                const isJson = reply.headers['content-type'] === 'application/json';
                resolve({ ms, status: reply.statusCode, bytes: text.length, isJson, get body() { return JSON.parse(text); } });
            }).on('error', reject);
        }).on('error', reject).end();
    });
}

async function login(email) {
    const Authorization = `Basic ${Buffer.from(`${email}@example.com:${password}`).toString('base64')}`;
    return { 'X-Session-ID': (await get({ Authorization, 'X-CSRF': 'false' }, '/api/v1/session')).body.session_id };
}

/* ---- addresses and arguments ------------------------------------------------------------------------------ */

const isGet = ({ method, path }) => method === 'GET' && !/^\/(events|session)/.test(path);

async function learn(headers) {
    const addresses = new Addresses(server.url), asked = new Set();
    for (let round = 0; round < 3; round++)
        for (const { at } of walk(addresses, 3).filter(isGet))
            for (const { address } of at) {
                if (asked.has(address)) continue;
                asked.add(address);
                addresses.learn(await get(headers, `/api/v1${address}?limit=20&include=*`));
            }
    return addresses;
}

const BY_NAME = {
    query: ['coloquei', 'fridge', 'the', 'the fridge', 'pa*', 'a*', 'is the new fridge wa*', 'subject:fridge', 'tag:vip', 'status:open the'],
    name: ['a', 'ma', 'maria'],
    address: ['a', 'ma'],
    exclude: ['1'],
    tags: ['vip', 'refund', 'vip,refund'],
    order_by_column: ['updated_at', 'subject', 'caseid'],
    v: [], token: [], after: [],
};
const columns = ['requester_id', 'user_id', 'assigned_agent_id', 'assigned_team_id', 'organization_id'];

function valuesOf(p, addresses, plain) {
    const { schema } = p, items = schema.type === 'array' ? schema.items : schema;
    if (p.name in BY_NAME) return BY_NAME[p.name];
    if (p.name === 'offset') return plain?.total_count > 20 ? [Math.floor(plain.total_count / 10), Math.floor(plain.total_count / 2), plain.total_count - 5] : [];
    if (p.name === 'limit') return [50];
    if (p.name === 'include') return ['*'];
    if (p.name === 'fields') return [];
    const ids = Array.isArray(plain?.data) ? plain.data.map((one) => one.id).filter(Boolean) : [];
    if (p.name === 'ids') return ids.length ? [ids.slice(0, 3).join()] : [];
    if (/^(after|before)_id$/.test(p.name)) return ids.length > 2 ? [ids[ids.length >> 1]] : [];
    if (items.enum && schema.type === 'array') return [...items.enum, items.enum.slice(0, 2).join(), items.enum.join()];
    if (items.enum) return items.enum;
    if (items.type === 'boolean') return ['true', 'false'];
    if (columns.includes(p.name)) {
        const known = addresses.matches(`/${p.name.replace(/^assigned_|_id$/g, '').replace(/^(requester|agent)$/, 'user')}s/:id`).map(String);
        return [...new Set([known[0], known[known.length >> 1], known.at(-1)])].filter(Boolean);
    }
    return [p.example ?? 1].flat().slice(0, 1);
}

// Each argument alone, and each filter with an offset or with another filter that often stands beside it.
async function targetsOf({ path, at }, doc, addresses, headers) {
    const operation = doc.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.get, targets = [];
    if (!operation) return at.map(({ address }) => `/api/v1${address}`);
    const parameters = operation.parameters.map((p) => (p.$ref ? doc.components.parameters[p.$ref.split('/').at(-1)] : p)).filter((p) => p.in === 'query');
    const must = parameters.filter((p) => p.required), other = parameters.filter((p) => !p.required && !p.name.startsWith('_'));
    for (const { address } of at) {
        const bases = must.length ? valuesOf(must[0], addresses).map((value) => `?${must[0].name}=${encodeURIComponent(value)}`) : [''];
        for (const base of bases) {
            const whole = `/api/v1${address}${base}`, with_ = (text) => targets.push(`${whole}${base ? '&' : '?'}${text}`);
            const reply = await get(headers, whole);
            const plain = reply.isJson && reply.status === 200 ? reply.body : null;
            targets.push(whole);
            if (base !== bases[0]) continue; // other arguments with one text are enough
            for (const p of other) for (const value of valuesOf(p, addresses, plain)) with_(`${p.name}=${encodeURIComponent(value)}`);
            if (plain?.total_count > 1000 && other.some((p) => p.name === 'status')) for (const status of ['OPEN', 'NEW,OPEN', 'CLOSED']) with_(`status=${status}&offset=${plain.total_count >> 5}`);
        }
    }
    return targets.filter((target) => target.includes(only));
}

/* ---- readings --------------------------------------------------------------------------------------------- */

async function reading(headers, target) {
    await get(headers, target);
    let best = await get(headers, target);
    for (let i = 0; i < 2 && best.ms >= slowFrom; i++) {
        const again = await get(headers, target);
        if (again.ms < best.ms) best = again;
    }
    return best;
}

const line = ({ caller, target, reply }) => `${reply.ms.toFixed(1).padStart(8)} ms  ${reply.status}  ${String(reply.bytes).padStart(8)} bytes  ${caller.padEnd(11)}  ${target}`;

const data = await desk();
server = await serve(data);
const doc = JSON.parse((await run('./deskd', ['openapi'])).stdout);
const found = [], sessions = {};
let read = 0;
for (const caller of CALLERS) sessions[caller] = await login(caller);
const addresses = await learn(sessions.owner);
const routes = walk(addresses, 2).filter(isGet);
for (const caller of CALLERS) {
    process.stderr.write(`walk: ${caller}\n`);
    for (const route of routes)
        for (const target of await targetsOf(route, doc, addresses, sessions[caller])) {
            const reply = await reading(sessions[caller], target);
            read++;
            if (reply.ms >= slowFrom) found.push({ caller, target, reply });
        }
}
found.sort((a, b) => b.reply.ms - a.reply.ms);
const slow = found.filter(({ reply }) => reply.bytes <= LARGE), large = found.filter(({ reply }) => reply.bytes > LARGE);
console.log(`${read} readings at ${size.toLocaleString('en-US')} conversations: ${slow.length} take ${slowFrom} ms or more\n${slow.map(line).join('\n')}`);
if (large.length) console.log(`\nwith more than 500 KB:\n${large.map(line).join('\n')}`);
for (const one of slow.slice(0, plans)) {
    const { stdout } = await run('build/bench/statements', ['get', data, AGENT, sessions[one.caller]['X-Session-ID'], '1', one.target, '-v']).catch((error) => ({ stdout: String(error) }));
    console.log(`\n${line(one)}\n${stdout.split('\n').slice(1).join('\n')}`);
}
agent.destroy();
await server.stop();

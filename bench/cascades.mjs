// Measures how long other writes wait while a change affects many rows: clients post messages all the time, and the
// owner deletes objects that most rows refer to. Prints p99 and the longest post from the owner's request to the end of
// its cascade.
//
//     node bench/cascades.mjs [BINARY]      BENCH_BIG conversations (250000), BENCH_CLIENTS (8); Debian: sqlite3
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT, Server, binary } from './servers.mjs';

const conversations = Number(process.env.BENCH_BIG ?? 250_000), clients = Number(process.env.BENCH_CLIENTS ?? 8);
const command = process.argv[2] ?? binary;
const data = mkdtempSync(join(tmpdir(), 'deskd-cascades-')), store = join(data, 'desk.db'), passwordFile = join(data, 'password');
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
writeFileSync(passwordFile, 'a long enough password\n', { mode: 0o600 });
execFileSync(command, ['demo', '--data', data, '--conversations', String(conversations), '--password-file', passwordFile], { stdio: 'ignore' });
const sql = (text) => execFileSync('sqlite3', ['-bail', store], { input: text, encoding: 'utf8' }).trim();

// Two customers requested two fifths of all conversations. Every person has a value of one field. One status and one
// type are unused.
const person = sql('SELECT MAX(id) FROM users') - 1, second = person - 1, part = Math.floor(conversations / 5);
sql(`UPDATE users SET organization_id = 1 WHERE id IN (${person}, ${second});
     UPDATE cases SET requester_id = CASE WHEN id <= ${part} THEN ${person} ELSE ${second} END, organization_id = 1 WHERE id <= ${2 * part};
     UPDATE posts SET creator_id = (SELECT requester_id FROM cases c WHERE c.id = case_id) WHERE is_requester = 1 AND case_id <= ${2 * part};`);

const server = await Server.start(command, ['serve', '--data', data, '--listen', '127.0.0.1:0', '--log-level', 'warn'], /listening on .*:(\d+)$/m);
const api = `${server.url}/api/v1`;
const basic = { Authorization: `Basic ${Buffer.from('owner@example.com:a long enough password').toString('base64')}`, 'X-CSRF': 'false', 'User-Agent': AGENT };
const { session_id } = await (await fetch(`${api}/session`, { headers: basic })).json();
const headers = { 'X-Session-ID': session_id, 'User-Agent': AGENT, 'Content-Type': 'application/json' };
const ask = async (method, path, body) => {
    const reply = await fetch(`${api}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const { data: made, errors } = await reply.json();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(errors)}`);
    return made;
};

const field = (await ask('POST', '/users/fields', { type: 'TEXT', title: 'Bench' })).id;
sql(`INSERT INTO field_values (area, owner_id, field_id, value, value_key) SELECT 2, id, ${field}, 'value ' || id, 'value ' || id FROM users WHERE role_type = 1`);
const status = (await ask('POST', '/cases/statuses', { label: 'Bench' })).id, type = (await ask('POST', '/cases/types', { label: 'Bench' })).id;
// A client with 100,000 tokens, the same number of each grant.
const app = (await ask('POST', '/oauth/clients', { name: 'Bench' })).id, now = Date.now();
sql(`INSERT INTO oauth_grants (user_id, client_id, scopes, expiry_at, created_at, updated_at) SELECT id, ${app}, 1, ${now + 3.6e6}, ${now}, ${now} FROM users WHERE role_type = 1 LIMIT 20000;
     INSERT INTO oauth_tokens (kind, token_hash, client_id, grant_id, user_id, scopes, family, created_at, expires_at)
     SELECT CASE n.value WHEN 1 THEN 2 ELSE 1 END, hex(randomblob(32)), ${app}, g.id, g.user_id, 1, hex(randomblob(4)) || g.id, ${now}, ${now + 3.6e6}
     FROM generate_series(1, (SELECT 100000 / COUNT(*) FROM oauth_grants WHERE client_id = ${app})) n, oauth_grants g WHERE g.client_id = ${app}`);
const count = (what) => Number(sql(`SELECT COUNT(*) FROM ${what}`));
const most = (column) => Number(sql(`SELECT ${column} FROM cases WHERE ${column} IS NOT NULL GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1`));
const team = most('assigned_team_id'), agent = Number(sql(`SELECT assigned_agent_id FROM cases JOIN users u ON u.id = assigned_agent_id WHERE u.role_type <= 3 GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1`));
const spare = (await ask('POST', '/organizations', { name: 'Bench' })).id;
const organization = Number(sql('SELECT organization_id FROM cases WHERE organization_id > 1 GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1'));

const changes = [
    ['nothing, for 2 s', 0, () => new Promise((resolve) => setTimeout(resolve, 2000))],
    ['a team is deleted', count(`cases WHERE assigned_team_id = ${team}`), () => ask('DELETE', `/teams/${team}`)],
    ['an agent is deleted', count(`cases WHERE assigned_agent_id = ${agent}`), () => ask('DELETE', `/users/${agent}`)],
    ['a custom field is deleted', count(`field_values WHERE field_id = ${field}`), () => ask('DELETE', `/users/fields/${field}`)],
    ['a person changes the organization', part, () => ask('PUT', `/users/${person}`, { organization_id: spare })],
    ['a person is purged', part + count(`posts WHERE creator_id = ${second}`), () => ask('DELETE', `/users/${second}?purge=true`)],
    ['an organization is deleted', count(`cases WHERE organization_id = ${organization}`) + count(`users WHERE organization_id = ${organization}`),
        () => ask('DELETE', `/organizations/${organization}`)],
    ['an unused status is deleted', 1, () => ask('DELETE', `/cases/statuses/${status}`)],
    ['an OAuth client is deleted', count(`oauth_tokens WHERE client_id = ${app}`) + count(`oauth_grants WHERE client_id = ${app}`), () => ask('DELETE', `/oauth/clients/${app}`)],
    ['an unused type is deleted', 1, () => ask('DELETE', `/cases/types/${type}`)],
];

const open = sql(`SELECT id FROM cases WHERE state = 1 AND status_type = 2 AND id > ${2 * part} LIMIT 100`).split('\n');
let posts = [], over = false;
const post = async (client) => {
    for (let i = client; !over; i += clients) {
        const began = performance.now();
        await ask('POST', `/conversations/${open[i % open.length]}/messages`, { contents: 'Another message.' });
        posts.push({ began, took: performance.now() - began });
    }
};
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const settled = async () => {
    while (sql("SELECT COUNT(*) FROM jobs WHERE status IN (1, 2) AND kind <> 'mail'") !== '0') await rest(100);
};

const posting = Array.from({ length: clients }, (_, i) => post(i));
await rest(1000);
console.log('| what | rows | reply ms | all done ms | posts | p50 ms | p99 ms | longest ms |\n|---|--:|--:|--:|--:|--:|--:|--:|');
for (const [what, rows, change] of changes) {
    posts = [];
    const began = performance.now();
    await change();
    const replied = performance.now() - began;
    await settled();
    const done = performance.now() - began;
    await rest(200); // for the replies of posts in progress
    const sorted = posts.filter((p) => p.began < began + done).map((p) => p.took).sort((a, b) => a - b), at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))].toFixed(1);
    console.log(`| ${what} | ${rows} | ${replied.toFixed(0)} | ${done.toFixed(0)} | ${sorted.length} | ${at(0.5)} | ${at(0.99)} | ${sorted.at(-1).toFixed(1)} |`);
    await rest(500);
}
over = true;
await Promise.all(posting);
await server.stop();

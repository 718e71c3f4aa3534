// Measures searches on a demo desk, and what the index costs a message. Prints the server's CPU time a request (all threads), the matches and
// whether the total is a lower bound.
//
//   node bench/search.mjs       BENCH_CONVERSATIONS   size of the desk (10000)       BENCH_ROUNDS   requests a search (40)
//                               BENCH_WITHOUT         a deskd without search: its messages on a desk of the same size are compared
//                               BENCH_FOLDER          keeps the desks in this folder for the next run
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT, Server, binary } from './servers.mjs';

const conversations = Number(process.env.BENCH_CONVERSATIONS ?? 10_000), rounds = Number(process.env.BENCH_ROUNDS ?? 40);
const kept = process.env.BENCH_FOLDER, folder = kept ?? mkdtempSync(join(tmpdir(), 'deskd-bench-'));
const PASSWORD = 'bench bench bench';
if (!kept) process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const agent = new http.Agent({ keepAlive: true });
const ask = (server, headers, method, path, body = '') => new Promise((resolve, reject) => {
    const all = { 'User-Agent': AGENT, ...headers, ...(body && { 'Content-Type': 'application/json' }), 'Content-Length': Buffer.byteLength(body) };
    http.request(server.url + path, { method, agent, headers: all }, (reply) => {
        let text = '';
        reply.on('data', (piece) => { text += piece; }).on('end', () => (reply.statusCode < 300 ? resolve({ headers: reply.headers, body: JSON.parse(text) }) : reject(new Error(`${path} ${reply.statusCode} ${text}`))));
    }).on('error', reject).end(body);
});

async function started(name, deskd) {
    const dir = join(folder, `${name}-${conversations}`);
    if (!existsSync(dir)) {
        writeFileSync(join(folder, 'password'), PASSWORD);
        execFileSync(deskd, ['demo', '--data', dir, '--conversations', String(conversations), '--password-file', join(folder, 'password'), '--log-level', 'error'], { stdio: 'ignore' });
    }
    const server = await Server.start(deskd, ['serve', '--data', dir, '--listen', '127.0.0.1:0', '--log-level', 'error'], /listening on http:\/\/127\.0\.0\.1:(\d+)/);
    const headersOf = async (email) => {
        const basic = { Authorization: `Basic ${Buffer.from(`${email}:${PASSWORD}`).toString('base64')}` };
        const { headers, body } = await ask(server, basic, 'GET', '/api/v1/session');
        return { 'X-Session-ID': body.data.id, 'X-CSRF-Token': headers['x-csrf-token'] };
    };
    return { server, headersOf };
}

const row = (...cells) => console.log(cells.map((c, i) => (i ? String(c).padStart(12) : String(c).padEnd(44))).join(''));

// ---- searches -----------------------------------------------------------------------------------------

const searches = [
    ['a rare word', '72513'], ['a word of a hundredth of the texts', 'battery'], ['a common word', 'hello'], ['two common words', 'hello regards'],
    ['a rare and a common word', '72513 hello'], ['a prefix', 'orde*'], ['a phrase', '"kind regards"'], ['a person', 'in:users anna'],
    ['an operator', 'status:open'], ['an operator and a common word', 'status:open hello'], ['nothing', 'zzzzqqqq'], ['32 words', Array.from({ length: 32 }, (_, i) => 'hello kind regards a the i to my it is of for'.split(' ')[i % 12]).join(' ')],
];

async function measureSearches({ server, headersOf }) {
    for (const who of ['admin@example.com', 'teams-agent@example.com']) {
        const headers = await headersOf(who);
        row(`${who}, ${conversations} conversations`, 'us a search', 'matches', 'total');
        for (const [name, query] of searches) {
            const path = `/api/v1/search?query=${encodeURIComponent(query)}`;
            const { body } = await ask(server, headers, 'GET', path);
            for (let i = 0; i < 3; i++) await ask(server, headers, 'GET', path);
            const before = server.cpu();
            for (let i = 0; i < rounds; i++) await ask(server, headers, 'GET', path);
            row(name, Math.round((server.cpu() - before) / rounds), body.total_count, body.logs ? 'lower bound' : 'exact');
        }
    }
}

// ---- messages -----------------------------------------------------------------------------------------

const TEXT = 'Hello, the battery of my camera does not charge any more. I have tried another cable and a second charger, but the light stays red. '
    + 'Could you please tell me whether the guarantee covers this, and where I can send it? My order is ';

/** CPU of a message with a text of 50 words, in conversations that are spread over the desk. */
async function measureMessages({ server, headersOf }, count, round) {
    const headers = await headersOf('admin@example.com');
    const before = server.cpu();
    let made = 0;
    for (let i = 0; i < count; i++) {
        const id = 1 + ((i + round * count) * 7919) % conversations;
        const body = JSON.stringify({ contents: `${TEXT}${round}-${i}.` });
        await ask(server, headers, 'POST', `/api/v1/conversations/${id}/messages`, body).then(() => { made++; }, (error) => { if (!/ 40[04] /.test(error.message)) throw error; });
    }
    return (server.cpu() - before) / made; // closed conversations refuse
}

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

const desk = await started('with', binary);
await measureSearches(desk);
const other = process.env.BENCH_WITHOUT ? await started('without', process.env.BENCH_WITHOUT) : null;
const times = { with: [], without: [] };
for (let round = 0; round < 5; round++) {
    times.with.push(await measureMessages(desk, rounds * 25, round));
    if (other) times.without.push(await measureMessages(other, rounds * 25, round));
}
row('POST message, with the index', `${Math.round(median(times.with))} us`);
if (other) row('POST message, without', `${Math.round(median(times.without))} us`, '', `${(median(times.with) / median(times.without)).toFixed(2)} times`);
process.exit();

// Measures searches of the help center and suggestions. Prints the server's CPU time a request (all threads) for an anonymous reader and an agent.
//
//   node bench/helpcenter.mjs    BENCH_ARTICLES   articles of each desk (1000,100000)    BENCH_ROUNDS   requests a search (40)
//                                BENCH_FOLDER     keeps the desks in this folder for the next run
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT, Server, binary } from './servers.mjs';

const sizes = (process.env.BENCH_ARTICLES ?? '1000,100000').split(',').map(Number), rounds = Number(process.env.BENCH_ROUNDS ?? 40);
const kept = process.env.BENCH_FOLDER, folder = kept ?? mkdtempSync(join(tmpdir(), 'deskd-bench-'));
const PASSWORD = 'bench bench bench';
if (!kept) process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const agent = new http.Agent({ keepAlive: true });
const ask = (server, headers, path) => new Promise((resolve, reject) => {
    http.request(server.url + path, { agent, headers: { 'User-Agent': AGENT, ...headers } }, (reply) => {
        let text = '';
        reply.on('data', (piece) => { text += piece; }).on('end', () => (reply.statusCode < 300 ? resolve(JSON.parse(text)) : reject(new Error(`${path} ${reply.statusCode} ${text}`))));
    }).on('error', reject).end();
});

// ---- desks --------------------------------------------------------------------------------------------

// Words of syllables. Word n is as common as 1/n, as in a language. The same article has the same text in each desk.
let seed;
const random = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32);
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru sta tre pli sko qua'.split(' ');
const wordOf = (n) => { let text = ''; for (n += 900; n > 0; n = Math.floor(n / 30)) text += SYLLABLES[n % 30]; return text; };
const zipf = () => wordOf(Math.floor(60_000 ** random()));
const words = (n) => Array.from({ length: n }, zipf).join(' ');

function corpus(count) {
    const lines = ['BEGIN;'];
    for (let i = 1; i <= 20; i++) lines.push(`INSERT INTO sections (id, category_id, visibility, article_order_by, sort_order, created_at, updated_at) VALUES (${i}, 1, ${i % 4 === 0 ? 3 : 1}, 1, ${i}, 1, 1);`);
    for (let id = 1; id <= count; id++) {
        seed = id * 7919;
        const title = `${words(5)} ${wordOf(100_000 + id)}`;
        lines.push(`INSERT INTO articles (id, uuid, section_id, status, is_featured, allow_comments, sort_order, rank, created_at, updated_at) VALUES (${id}, 'u${id}', ${1 + id % 20}, 3, 0, 1, ${id}, ${id * 7919 % 1000}, 1, 1);`);
        lines.push(`INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) VALUES (11, ${id}, 'en-us', '${title}', 1, 1), (12, ${id}, 'en-us', '<p>${words(60)}</p><p>${words(60)}</p>', 1, 1);`);
    }
    lines.push("INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('index_search', 1, '{}', 0, 0, 0, 0);", 'COMMIT;');
    return lines.join('\n');
}

async function started(count) {
    const dir = join(folder, `articles-${count}`), fresh = !existsSync(dir);
    if (fresh) {
        writeFileSync(join(folder, 'password'), PASSWORD);
        execFileSync(binary, ['init', '--data', dir, '--owner-email', 'admin@example.com', '--owner-name', 'Ada', '--password-file', join(folder, 'password')], { stdio: 'ignore' });
        execFileSync('sqlite3', [join(dir, 'desk.db')], { input: corpus(count) });
    }
    const server = await Server.start(binary, ['serve', '--data', dir, '--listen', '127.0.0.1:0', '--log-level', 'error'], /listening on http:\/\/127\.0\.0\.1:(\d+)/);
    const before = server.cpu();
    while ((await ask(server, {}, '/api/v1/helpcenter/search?query=ba')).logs?.some((l) => /being built/.test(l.message))) await new Promise((done) => { setTimeout(done, 500); });
    if (fresh) console.log(`${count} articles: indexed with ${Math.round((server.cpu() - before) / count)} us of CPU each`);
    const session = await ask(server, { Authorization: `Basic ${Buffer.from(`admin@example.com:${PASSWORD}`).toString('base64')}` }, '/api/v1/session');
    return { server, headers: { 'X-Session-ID': session.data.id } };
}

// ---- searches -----------------------------------------------------------------------------------------

const common = wordOf(1), rare = wordOf(100_500), middle = wordOf(900);
const swapped = (word) => word.slice(0, 3) + word[4] + word[3] + word.slice(5);
const searches = [
    ['a word of one article', rare], ['a word of a hundredth of the articles', middle], ['a common word', common], ['a rare and a common word', `${rare} ${common}`],
    ['two common words', `${common} ${wordOf(2)}`], ['a misspelled word', swapped(rare)], ['a misspelled and a common word', `${swapped(rare)} ${common}`],
    ['a sentence without an article', `${rare} ${wordOf(100_700)} ${wordOf(3)} ${wordOf(4)} ${middle}`], ['nothing', 'qqqqjjjjwwww'],
    ['32 words', Array.from({ length: 32 }, (_, i) => wordOf(1 + i % 12)).join(' ')], ['a prefix', `${common.slice(0, 3)}*`],
];
const suggestions = [
    ['suggest: one letter', 's'], ['suggest: two letters', 'ba'], ['suggest: a rare word', rare.slice(0, -2)], ['suggest: a common word', common],
    ['suggest: two common words', `${common} ${wordOf(2).slice(0, 3)}`], ['suggest: words that never meet', `${rare} ${common}`], ['suggest: nothing', 'qqjjww'],
];

const found = {};
for (const count of sizes) {
    const { server, headers } = await started(count);
    for (const [who, sent] of [['anyone', {}], ['owner', headers]])
        for (const [path, list] of [['search', searches], ['search/suggestions', suggestions]])
            for (const [name, query] of list) {
                const address = `/api/v1/helpcenter/${path}?query=${encodeURIComponent(query)}`;
                const { total_count } = await ask(server, sent, address);
                for (let i = 0; i < 3; i++) await ask(server, sent, address);
                const before = server.cpu();
                for (let i = 0; i < rounds; i++) await ask(server, sent, address);
                (found[`${who}, ${name}`] ??= []).push(`${Math.round((server.cpu() - before) / rounds)} us (${total_count})`);
            }
    await server.stop?.();
}
console.log(''.padEnd(56) + sizes.map((n) => `${n} articles`.padStart(22)).join(''));
for (const [name, costs] of Object.entries(found)) console.log(name.padEnd(56) + costs.map((c) => c.padStart(22)).join(''));
process.exit();

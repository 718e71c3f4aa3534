// Measures autocomplete on a growing desk: the same few names are found among 1,000 people, organizations and tags and
// among 1,000,000 people, 100,000 organizations and 100,000 tags. Prints the server's CPU and the median time of a
// request on both desks, and the ratios.
//
//   node bench/autocomplete.mjs                          BENCH_BIG   people of the big desk (1000000)     BENCH_ROUNDS   interleaved rounds; medians count (5)
//   sh tests/postgres.sh node bench/autocomplete.mjs     BENCH_SECONDS   of one wrk run (1)
import { writeFileSync } from 'node:fs';
import { filled, numbers, onPostgres } from './filled.mjs';

const big = Number(process.env.BENCH_BIG ?? 1_000_000), small = 1000;
const rounds = Number(process.env.BENCH_ROUNDS ?? 5), seconds = Number(process.env.BENCH_SECONDS ?? 1);
const median = (xs) => xs.slice().sort((a, b) => a - b)[xs.length >> 1];

// Every name has two words. In two of 26 names a word begins with 'a'. A hundred of each kind are the needles: "needle
// 00 quill00" to "needle 99 quill99".
const letter = (x) => `substr('abcdefghijklmnopqrstuvwxyz', 1 + (${x}) % 26, 1)`;
const key = (n) => `CASE WHEN needle THEN 'needle' || substr(CAST(100 + x / ${n / 100} AS TEXT), 2) || ' quill' || substr(CAST(100 + x / ${n / 100} AS TEXT), 2)
    ELSE ${letter('x')} || 'nna ' || ${letter('x / 26')} || 'iller' || x END`;

// The rows that the daemon writes for a name (core/people/name_index.h): its key from each word on.
const words = (kind) => `INSERT INTO name_words (kind, place, word, owner_id)
    SELECT ${kind}, 0, k, id FROM k UNION ALL SELECT ${kind}, 1, substr(k, ${onPostgres ? "strpos(k, ' ')" : "instr(k, ' ')"} + 1), id FROM k;`;
const kind = (n, number, insert) => `
  ${numbers(n, 100)}
  CREATE TEMP TABLE k AS SELECT x + 100 AS id, ${key(n)} AS k FROM i;
  ${insert}
  ${words(number)}
  DROP TABLE i; DROP TABLE k;`;
const fill = (people, others) => `BEGIN;
  ${kind(people, 1, `INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, role_type, locale_id, created_at, updated_at)
      SELECT id, '00000000-0000-4000-8000-' || (100000000000 + id), k, k, 1, 0, 4, 1, 1, 0, 0 FROM k;
    INSERT INTO identity_emails (id, user_id, email, email_key, is_primary, is_validated, is_notification_enabled, is_claim, created_at, updated_at)
      SELECT id, id, replace(k, ' ', '.') || '@home.example', replace(k, ' ', '.') || '@home.example', 1, 1, 1, 0, 0, 0 FROM k;`)}
  ${kind(others, 2, `INSERT INTO organizations (id, name, name_key, is_shared, is_validated, created_at, updated_at) SELECT id, k, k, 0, 0, 0, 0 FROM k;`)}
  ${kind(others, 3, `INSERT INTO tags (id, name, name_key, created_at) SELECT id, k, k, 0 FROM k;`)}
  COMMIT;${onPostgres ? ' VACUUM ANALYZE;' : ''}`;

// Each case requests ten prefixes in turn, which find the same in both desks. 'a' finds rows of the whole desk. It
// comes first, because the database's plan for it must not serve the other prefixes.
const ten = [...Array(10).keys()];
const cases = [
    ...['users', 'organizations', 'tags', 'emails'].map((what) => [`${what}: "a"`, [`${what}?${what === 'emails' ? 'address' : 'name'}=a`], null]),
    ...['users', 'organizations', 'tags'].flatMap((what) => [
        [`${what}: name`, ten.map((d) => `${what}?name=needle${d}`), 10],
        [`${what}: second word`, ten.map((d) => `${what}?name=quill${d}`), 10],
        [`${what}: one name`, ten.map((d) => `${what}?name=needle${d}4%20quill`), 1],
    ]),
    ['users: name, of two kinds', ten.map((d) => `users?name=needle${d}&in=CUSTOMERS,AGENTS`), 10],
    ['users: name, none of that kind', ten.map((d) => `users?name=needle${d}&in=ADMINS`), 0],
    ['users: name, but for one', ten.map((d) => `users?name=needle${d}&exclude=needle${d}4%20quill${d}4`), 9],
    ['emails: address', ten.map((d) => `emails?address=needle${d}`), 10],
    ['emails: second word of the name', ten.map((d) => `emails?address=quill${d}`), 10],
    ['emails: whole address', ten.map((d) => `emails?address=needle${d}4.quill${d}4@home.example`), 1],
    ['nothing', ten.map((d) => `users?name=zzz${d}`), 0],
];

const desks = [await filled(small, fill(small, small)), await filled(big, fill(big, Math.min(big, 100_000)))];
const found = async (d, target) => {
    const reply = await (await fetch(d.server.url + target, { headers: d.headers })).json();
    if (reply.status !== 200) throw new Error(`${target} answered ${JSON.stringify(reply)}`);
    return reply.total_count;
};

console.log(`| autocomplete | matches | 1,000: CPU us | p50 us | ${big.toLocaleString('en-US')}: matches | CPU us | p50 us | ratio of CPU | of p50 |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|`);
for (const [what, targets, matches] of cases) {
    const paths = targets.map((target) => `/api/v1/autocomplete/${target}`), file = 'build/bench/autocomplete-targets', counts = [];
    writeFileSync(file, paths.join('\n'));
    for (const d of desks) {
        for (const path of paths) {
            const n = await found(d, path);
            if (matches !== null && n !== matches) throw new Error(`${path} of ${d.n} found ${n}`);
            counts[d.n] = n;
        }
    }
    const took = desks.map(() => []);
    const load = matches === null ? { connections: 1, seconds: 5 * seconds } : { connections: 2, seconds };
    for (let round = 0; round < (matches === null ? 1 : rounds); round++)
        for (const [k, d] of desks.entries()) took[k].push(await d.server.load(file, d.headers, load));
    const [a, b] = took.map((runs) => ({ cpu: median(runs.map((r) => r.cpu)), p50: median(runs.map((r) => r.p50)) * 1000 }));
    const digits = (x) => x.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');
    console.log(`| ${[what, digits(counts[small]), digits(a.cpu), digits(a.p50), digits(counts[big]), digits(b.cpu), digits(b.p50), (b.cpu / a.cpu).toFixed(2), (b.p50 / a.p50).toFixed(2)].join(' | ')} |`);
}
await Promise.all(desks.map((d) => d.server.stop()));

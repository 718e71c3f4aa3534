// Imports and exports people as CSV: rows a second, the peak of anonymous memory, and how long other requests take meanwhile. The rows have a
// name, an address, a number and a legacy_id; one in ten is about a person of an earlier row. RssAnon must stay below 150 MiB.
//
//   node bench/csv.mjs       after make; BENCH_ROWS (100000); BENCH_DRY=0: no dry run; with DATABASE (tests/postgres.sh) on PostgreSQL
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, openAsBlob, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filled, onPostgres } from './filled.mjs';

const ROWS = Number(process.env.BENCH_ROWS ?? 100_000), DRY = process.env.BENCH_DRY !== '0', MOST_MIB = 150, LOOK_MS = 100, PAGE = 1000;
const place = mkdtempSync(join(tmpdir(), 'deskd-csv-')), file = join(place, 'people.csv');
process.on('exit', () => rmSync(place, { recursive: true, force: true }));

const { server, headers } = await filled(1, 'SELECT 1;');
const url = (path) => `${server.url}/api/v1${path}`;
const call = async (method, path, body) => {
    const reply = await fetch(url(path), { method, headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) }, ...(body && { body: JSON.stringify(body) }) });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
};
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Row i, and in the last tenth one of the first rows with another name. */
const line = (i) => {
    const again = i >= ROWS * 0.9, n = again ? i - Math.floor(ROWS * 0.9) : i;
    return `${again ? 'Changed' : 'Person'} ${n},person${n}@csv.example,+4930${String(10_000_000 + n)},L-${n}\n`;
};
const out = createWriteStream(file);
out.write('full_name,email,phone,legacy_id\n');
for (let i = 0; i < ROWS;) {
    let piece = '';
    for (const end = Math.min(ROWS, i + 10_000); i < end; i++) piece += line(i);
    if (!out.write(piece)) await once(out, 'drain');
}
out.end();
await once(out, 'finish');

/** Memory of the server, and the time of a read and of a write of somebody else each 100 ms, until `stop` is called. */
const watch = () => {
    const reads = [], writes = [];
    let most = 0, over = false;
    const looks = (async () => {
        while (!over) {
            for (const [times, method, path, body] of [[reads, 'GET', '/cases?limit=10'], [writes, 'PUT', '/profile', { full_name: `O ${reads.length}` }]]) {
                const began = performance.now();
                await call(method, path, body);
                times.push(performance.now() - began);
            }
            most = Math.max(most, server.anonymousMiB());
            await rest(LOOK_MS);
        }
    })();
    const texts = (times) => {
        const sorted = times.sort((a, b) => a - b), at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(0);
        return `${at(0.5)} / ${at(0.99)} / ${at(1)}`;
    };
    return async () => { over = true; await looks; return { most, reads: texts(reads), writes: texts(writes) }; };
};
let peak = 0;
const row = (what, rows, ms, cpu, seen) => {
    peak = Math.max(peak, seen.most);
    console.log(`| ${what} | ${rows.toLocaleString('en-US')} | ${(ms / 1000).toFixed(1)} | ${Math.round(rows / ms * 1000).toLocaleString('en-US')} | ${(cpu / rows).toFixed(0)} | ${seen.most.toFixed(0)} | ${seen.reads} | ${seen.writes} |`);
};
const measured = async (what, act) => {
    const stop = watch(), began = performance.now(), cpu = server.cpu();
    const rows = await act(), ms = performance.now() - began, used = server.cpu() - cpu;
    row(what, rows, ms, used, await stop());
};

await call('PUT', '/settings', { values: { 'files.max_megabytes': '99', 'files.unattached_megabytes': '10240' } });
const before = server.anonymousMiB();
console.log(`${onPostgres ? 'PostgreSQL' : 'SQLite'}, ${ROWS.toLocaleString('en-US')} rows, ${(statSync(file).size / 1e6).toFixed(1)} MB; RssAnon before: ${before.toFixed(0)} MiB\n`);
console.log('| | rows | s | rows/s | CPU us a row | RssAnon MiB, peak | read ms: median / p99 / most | write ms |\n|---|--:|--:|--:|--:|--:|--:|--:|');
const uploaded = await fetch(url('/files?_filename=people.csv'), { method: 'POST', headers: { ...headers, 'Content-Type': 'text/csv' }, body: await openAsBlob(file) });
if (!uploaded.ok) throw new Error(await uploaded.text());
const file_id = (await uploaded.json()).data.id;

const results = [];
const run = async (is_dry_run) => {
    const { id } = (await call('POST', '/csv_imports', { kind: 'USERS', file_id, is_dry_run })).data;
    for (;;) {
        const { data } = await call('GET', `/csv_imports/${id}`);
        if (data.status === 'FAILED') throw new Error(data.failure);
        if (data.status === 'COMPLETED') {
            results.push([data.total, data.created, data.updated, data.rejected].join(' '));
            return data.total;
        }
        await rest(LOOK_MS);
    }
};
if (DRY) await measured('dry run', () => run(true));
await measured('import', () => run(false));
if (DRY && results[0] !== results[1]) throw new Error(`the dry run has ${results[0]}, the import ${results[1]}`);
await measured('export', async () => {
    for (let rows = 0, after = ''; ; rows += PAGE) {
        const reply = await fetch(url(`/users?format=csv&role=CUSTOMER&limit=${PAGE}${after && `&after_id=${after}`}`), { headers }), lines = (await reply.text()).split('\r\n').slice(1, -1);
        if (!lines.length) return Math.floor(ROWS * 0.9);
        after = lines.at(-1).split(',')[0];
    }
});

/** Files of 90 MB that are no table, or have one long row. Each is refused or ends, and holds nobody back. */
const MB90 = 90 * 1024 * 1024, HEAD = 'full_name,email\n';
const hostile = {
    'a quote that never closes': `"${'x'.repeat(1023)}\n`, 'a row of millions of columns': 'x,', 'empty lines': '\n', 'rows of 257 columns': `${'x,'.repeat(256)}\n`, 'NUL characters': '\0',
};
for (const [what, piece] of Object.entries(hostile)) {
    const text = piece.startsWith('"') ? [HEAD, '"', piece.slice(1).repeat(MB90 / piece.length)] : [HEAD, piece.repeat(MB90 / piece.length)];
    const sent = await fetch(url('/files?_filename=hostile.csv'), { method: 'POST', headers: { ...headers, 'Content-Type': 'text/csv' }, body: new Blob(text) });
    const { id: file_id } = (await sent.json()).data;
    await measured(what, async () => {
        const { id } = (await call('POST', '/csv_imports', { kind: 'USERS', file_id, is_dry_run: true })).data;
        for (;;) {
            const { data } = await call('GET', `/csv_imports/${id}`);
            if (data.status === 'FAILED' || data.status === 'COMPLETED') return Math.max(1, data.total);
            await rest(LOOK_MS);
        }
    });
}
console.log(`\nRssAnon peak: ${peak.toFixed(0)} MiB`);
if (peak > MOST_MIB) process.exitCode = 1;
await server.stop();

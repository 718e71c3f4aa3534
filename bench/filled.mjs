// Fills temporary desks by SQL with any number of rows, to measure the cost of a request on a growing desk. Without
// DATABASE a desk is a folder, filled by sqlite3 (Debian: sqlite3). With DATABASE (tests/postgres.sh) it is a database
// of that cluster, filled by psql.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT, Server, binary } from './servers.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'deskd-filled-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const password = 'a long enough password', passwordFile = join(scratch, 'password');
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
export const onPostgres = process.env.DATABASE !== undefined;
const psql = (url, sql) => execFileSync('psql', [url, '-X', '-q', '-v', 'ON_ERROR_STOP=1'], { input: sql });

/** Serves a desk with an owner and the rows that `sql` adds. Returns {n, server, headers of the owner's session, query: reads its store}. */
export async function filled(n, sql) {
    const data = join(scratch, String(n)), store = ['--data', data], name = `filled_${n}`;
    const url = process.env.DATABASE?.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`);
    if (onPostgres) {
        psql(process.env.DATABASE, `CREATE DATABASE ${name}`);
        store.push('--database', url);
    }
    execFileSync('./deskd', ['init', ...store, '--owner-email', 'owner@example.com', '--owner-name', 'O', '--password-file', passwordFile]);
    if (onPostgres) psql(url, sql);
    else execFileSync('sqlite3', ['-bail', join(data, 'desk.db')], { input: `PRAGMA foreign_keys = ON;\n${sql}` });
    const server = await Server.start(binary, ['serve', ...store, '--listen', '127.0.0.1:0', '--log-level', 'warn'], /listening on .*:(\d+)$/m);
    const login = { Authorization: `Basic ${Buffer.from(`owner@example.com:${password}`).toString('base64')}`, 'X-CSRF': 'false', 'User-Agent': AGENT };
    const { session_id: session } = await (await fetch(`${server.url}/api/v1/session`, { headers: login })).json();
    return { n, server, headers: { 'X-Session-ID': session, 'User-Agent': AGENT, 'Content-Type': 'application/json' }, file: join(data, 'desk.db') };
}

/** SQL for both engines: the numbers 1 to n as `x` of table i, with `needles` of them marked `needle`, at even distances. */
export const numbers = (n, needles) => `
  CREATE TEMP TABLE i AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ${n}) SELECT x, x % ${n / needles} = ${7 % (n / needles)} AS needle FROM c;`;

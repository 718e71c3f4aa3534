import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Client } from './client.mjs';
import { Addresses, explore, walk } from './walk.mjs';

// Exports and imports of desks.

/** Links do not depend on the listening address. */
export const SEEN_AS = 'http://desk.example.com';
/** Views of bots are not counted. A counted view would change the next replies. A session belongs to its User-Agent. */
export const UNCOUNTED = { 'User-Agent': 'bot' };

/** A session for each role: {role: headers}. */
export async function sessionsOf(desk, roles) {
  const sessions = {};
  for (const who of roles) {
    const { id, csrf } = await desk.session(desk.as(who), UNCOUNTED);
    sessions[who] = { 'X-Session-ID': id, 'X-CSRF-Token': csrf, ...UNCOUNTED };
  }
  return sessions;
}

/** The addresses of all GET routes, with at most `most` for each route: {paths, noted}. A GET of a noted one adds an entry to the audit log, so it is
 * read after all others. */
export async function addressesOf(desk, headers, most) {
  const found = new Addresses(desk.base);
  await explore(new Client(desk, headers), found);
  const all = walk(found, most).filter(({ method }) => method === 'GET').flatMap(({ at }) => at.map(({ address }) => address));
  const isNoted = (path) => /^\/users\/\d+\/export$/.test(path);
  return { paths: all.filter((path) => !isNoted(path)), noted: all.filter(isNoted) };
}

/** The replies to GETs of these paths for each caller, and without credentials: Map of `who path` to {status, text, etag}. */
export async function answersOf(desk, sessions, paths) {
  const all = new Map();
  for (const [who, headers] of Object.entries({ ...sessions, nobody: UNCOUNTED })) {
    const client = new Client(desk, headers);
    for (const path of paths) {
      const { status, text, etag } = await client.exchange('GET', `/api/v1${path}`);
      // A cursor of the change log is valid only in its store.
      const isLog = path === '/changes';
      all.set(`${who} ${path}`, { status, text: isLog ? text.replaceAll(/"cursor":"[^"]*"|after=[\w-]+/g, '') : text, etag: isLog ? null : etag });
    }
  }
  return all;
}

export function sameAnswers(one, other, least) {
  assert.equal(one.size, other.size);
  const found = [...one.values()].filter((a) => a.status === 200).length;
  assert.ok(found > least, `${found} replies are 200`);
  for (const [what, answer] of one) assert.deepEqual(other.get(what), answer, what);
}

/** A folder with the server key of another one. */
export function withKeyOf(from, to) {
  copyFileSync(join(from, 'secret.key'), join(to, 'secret.key'));
  return to;
}

/** Edits the text of a table of an export. `whole`: also corrects desk.json, as an operator who edits on purpose. */
export function edit(folder, table, change, { whole = true } = {}) {
  const file = join(folder, 'tables', `${table}.ndjson`), about = join(folder, 'desk.json');
  const text = change(readFileSync(file, 'utf8'));
  writeFileSync(file, text);
  if (!whole) return;
  const desk = JSON.parse(readFileSync(about, 'utf8'));
  const entry = desk.tables.find(({ name }) => name === table);
  Object.assign(entry, { rows: text.split('\n').length - 1, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') });
  writeFileSync(about, JSON.stringify(desk));
}

/** Changes the rows of a table: change(rows) returns the new ones. */
export const editRows = (folder, table, change) => edit(folder, table, (text) =>
  change(text.trimEnd().split('\n').filter(Boolean).map((line) => JSON.parse(line))).map((row) => `${JSON.stringify(row)}\n`).join(''));

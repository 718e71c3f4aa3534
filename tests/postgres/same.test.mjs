import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Desk, MONDAY, PASSWORD, defer, deskd, directory, routes } from '../api/lib/index.mjs';
import { database, secret } from './cluster.mjs';

// The same requests to both engines, with the same demo desk, key and clock. Replies must be equal in every member: rows, orders,
// totals, ETags, refusals.

const CALLERS = ['owner', 'admin', 'agent', 'teams-agent', 'collaborator', 'customer'];
const closers = {};
const t0 = { after: (close) => { closers.all = close; } };

/** Two desks of the same seed, one in a folder, one in a database. */
async function twins() {
  const file = secret();
  const desks = [];
  for (const url of [null, database(t0)]) {
    const dir = join(directory(), 'desk');
    const made = deskd('demo', '--data', dir, ...(url ? ['--database', url] : []), '--conversations', '300', '--password-file', file);
    assert.equal(made.status, 0, made.stderr);
    if (desks.length) copyFileSync(join(desks[0].dir, 'secret.key'), join(dir, 'secret.key'));
    const people = Object.fromEntries(CALLERS.map((name) => [name, { email: `${name}@example.com`, password: PASSWORD }]));
    desks.push(new Desk(dir, { url, people, clock: MONDAY, base: 'http://desk.example', processes: 1 }));
    await desks.at(-1).start();
    defer(t0, () => desks.at(-1).stop());
  }
  return desks;
}

let desks;
before(async () => { desks = await twins(); });
after(async () => { for (const desk of desks) await desk.stop(); await closers.all(); });

/** Members with random values. ETags also differ if there are such rows. */
let chanced = false;
const CHANCE = new Set(['uuid', 'presence_channel', 'auth_token', 'secret']);
/** Cursors name their store. Counts of views depend on what each process has counted before; views.test and view_test compare them. The hashes
 * of the audit log are salted, and each server chains them at a moment of its own; audit.test runs on both engines. */
const OWN = ['/changes', '/views/counts', '/audit_log'];
const plain = (reply) => {
  if (!reply.isJson || !reply.text) return reply.text;
  return JSON.parse(reply.text, (key, value) => (CHANCE.has(key) && value ? '(chance)' : value));
};

/** The servers do not count views of bots. Each server would add counted views at a moment of its own, between two replies. */
const UNCOUNTED = { 'User-Agent': 'bot' };

/** Sends a request to both desks. Returns the reply of the first if both are equal. */
async function both(caller, method, path, { headers, ...rest } = {}) {
  const options = { ...rest, headers: { ...UNCOUNTED, ...headers } };
  const at = path.startsWith('/api/') ? path : `/api/v1${path}`;
  const [one, two] = await Promise.all(desks.map((desk) => (caller ? desk.as(caller) : desk.anyone).exchange(method, at, options)));
  assert.equal(two.status, one.status, `${one}\n${two}`);
  assert.ok(one.status < 500, `${one}`);
  assert.deepEqual(plain(two), plain(one), `${one}`);
  if (!chanced) assert.equal(two.etag, one.etag, `ETag of ${one}`);
  chanced ||= method === 'POST';
  return one;
}

/** Values to try for a declared argument. */
function valuesOf({ name, schema = {} }) {
  const one = schema.items ?? schema;
  if (one.enum) return one.enum.filter((v) => v !== null);
  if (name === 'include') return ['*', 'user,team,role,organization,case_message,case_status,case_priority,case_type,identity_email,business_hour,user_minimal'];
  if (name === 'fields') return ['id', '+id', 'id,subject,title,full_name,requester(full_name)'];
  if (one.type === 'boolean') return ['true', 'false'];
  if (one.type === 'integer') return ['1', '3', '0', '-1', '99999999'];
  return ['a', 'A', 'é', '1,2', "x'y"];
}

const PAGES = [{ limit: 1 }, { limit: 3, offset: 2 }, { limit: 1000 }, { offset: 100000 }, { limit: 2, offset: 1, _flat: true }, { _case: 'camel' }];

/** Requests for a route, from its declaration. */
function questions(desk, path) {
  const declared = desk.contract.route(path)?.item.get.parameters ?? [];
  const parameters = declared.map((p) => (p.$ref ? desk.contract.at(p.$ref) : p)).filter((p) => p.in === 'query' && !p.name.startsWith('_'));
  return [{}, ...PAGES, ...parameters.flatMap((p) => valuesOf(p).map((v) => ({ [p.name]: v })))];
}

describe('every GET of the API, as each role', () => {
  const rows = routes().filter(({ method, path }) => method === 'GET' && !OWN.includes(path));
  before(async () => { for (const caller of CALLERS) await both(caller, 'GET', '/me'); }); // sessions have numbers in order of login
  for (const { path } of rows) {
    test(`GET ${path}`, async () => {
      const places = [];
      if (!path.includes(':')) places.push(path);
      else {
        const [, list, key, rest] = /^(.*?)\/:(\w+)(.*)$/.exec(path);
        const found = await both('owner', 'GET', list, { query: { limit: 1000 } });
        const ids = Array.isArray(found.body?.data) && found.status === 200 ? found.body.data.map((item) => item[key]) : [1];
        const chosen = [ids[0], ids[Math.floor(ids.length / 2)], ids.at(-1), 987654].filter((id) => id !== undefined);
        for (const id of new Set(chosen)) places.push(`${list}/${id}${rest.replace(/:\w+/g, String(id))}`);
      }
      // Arguments are varied at the first place alone, because no argument acts on other rows by other rules.
      const asked = questions(desks[0], `/api/v1${places[0]}`);
      await Promise.all([...CALLERS, null].map(async (caller) => {
        for (const place of places) {
          const first = await both(caller, 'GET', place, { query: asked[0] });
          if (first.status >= 400) continue; // the refusal is the same, so variations add nothing
          if (place === places[0]) for (const query of asked.slice(1)) await both(caller, 'GET', place, { query });
          await both(caller, 'GET', place, { headers: { 'If-None-Match': first.etag ?? '"none"' } });
        }
      }));
    });
  }
});

const NAMES = ['zoë', 'Zoe', 'ZOË', 'zoe', 'Ångström', 'angstrom', 'Ä', 'A', 'a', 'Z', 'z', 'ß', 'ss', 'SS', 'ẞ', 'İstanbul', 'istanbul', 'ıstanbul', 'Ж', 'ж', 'Яна', 'яна', 'Ёлка',
  '山田', '山', '李', 'あ', 'ア', '한국', '😀', '😀a', '👩‍👩‍👧', 'é', 'e\u0301', 'E\u0301a', '\u00c9a', 'ﬁn', 'fin', 'Ⅳ', 'IV', '１', '1', 'a b', 'a-b', 'a_b', "O'Neil", 'O\u2019Neil', 'ﷺ', 'עברית', 'عربي', '\u{10428}', '\u{10400}', 'q%', 'q_'];

test('names of every script have the same order and pages', async () => {
  const org = (await both('owner', 'POST', '/organizations', { body: { name: 'Ünïcode' } })).must(201).data.id;
  for (const [i, full_name] of [...NAMES, ...NAMES.slice(0, 5)].entries()) (await both('owner', 'POST', '/users', { body: { full_name, email: `n${i}@names.example`, organization_id: org } })).must(201);
  const all = (await both('owner', 'GET', `/organizations/${org}/members`, { query: { limit: 1000, fields: 'full_name' } })).must(200);
  assert.equal(all.data.length, NAMES.length + 5);
  for (let offset = 0; offset < all.data.length; offset += 7) await both('agent', 'GET', `/organizations/${org}/members`, { query: { limit: 7, offset } });
});

/** A request whose refusal uses up an id in one engine. Status, errors and the result of `names` must be equal. */
async function verdict(method, path, options, names = () => undefined) {
  const [one, two] = (await Promise.all(desks.map((desk) => desk.owner.exchange(method, `/api/v1${path}`, options))));
  const of = (reply) => ({ status: reply.status, errors: reply.body.errors, names: names(reply) });
  assert.ok(one.status < 500, `${one}`);
  assert.deepEqual(of(two), of(one), `${one}`);
}

test('both engines agree which addresses and titles are duplicates', async () => {
  const mails = ['Ann@Same.example', 'ann@same.EXAMPLE', 'ANN@SAME.EXAMPLE', 'ann@same.example ', 'änn@same.example', 'Änn@same.example', 'ÄNN@SAME.example', 'straße@same.example', 'STRASSE@same.example', 'ıi@same.example', 'Iİ@same.example'];
  for (const [i, email] of mails.entries()) await verdict('POST', '/users', { body: { full_name: `Same ${i}`, email } });
  for (const title of NAMES) {
    await verdict('POST', '/roles', { body: { title, type: 'AGENT' } });
    await verdict('POST', '/teams', { body: { title, legacy_id: title } });
    await verdict('POST', '/organizations', { body: { name: title, legacy_id: title } });
  }
  const named = (reply) => reply.data?.map((row) => row.title ?? row.name ?? row.full_name);
  for (const email of [...mails, 'nobody@same.example']) await verdict('GET', '/users', { query: { email } }, named);
  for (const legacy of NAMES) for (const path of ['/teams', '/organizations']) await verdict('GET', path, { query: { legacy_ids: legacy } }, named);
  for (const path of ['/roles', '/teams', '/organizations', '/users']) await verdict('GET', path, { query: { limit: 1000 } }, named);
});

test('the same writes get the same replies and leave the same rows', async () => {
  const { id } = (await both('customer', 'POST', '/conversations', { body: { subject: 'Ж 😀 é', contents: 'a\nb\u2028c' } })).must(201).data;
  for (const [who, body] of [['agent', { contents: 'Answer' }], ['customer', { contents: '  ' }], ['customer', { contents: '山'.repeat(500) }], ['collaborator', { contents: 'x' }], ['agent', { contents: 'x\u0000y' }]]) {
    await both(who, 'POST', `/conversations/${id}/messages`, { body });
  }
  for (const body of [{ status: 'PENDING' }, { priority_id: 3 }, { priority_id: 99 }, { assigned_team_id: 1 }, { assigned_agent_id: 9_007_199_254_740_993 }, { status: 'CLOSED' }, { subject: '' }, { nonsense: 1 }]) {
    await both('agent', 'PUT', `/conversations/${id}`, { body });
  }
  for (const who of ['owner', 'agent', 'customer']) {
    for (const path of [`/conversations/${id}`, `/conversations/${id}/messages`, '/conversations']) await both(who, 'GET', path, { query: { include: '*' } });
  }
  (await both('owner', 'POST', '/roles', { body: {} })).must(400);
  await both('owner', 'DELETE', '/teams/1');
  await both('owner', 'GET', '/teams');
  await both('owner', 'GET', '/conversations', { query: { limit: 1000 } });
  for (const desk of desks) assert.equal(desk.check().status, 0);
});

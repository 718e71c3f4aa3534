import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Contract } from './lib/contract.mjs';
import { Reply } from './lib/reply.mjs';
import { obey } from './lib/rules.mjs';
import { once } from './lib/stores.mjs';

// Tests of the test harness: it must reject a reply that breaks a rule.

const BASE = 'http://127.0.0.1:1';
const HEADERS = {
  'x-api-version': '1', 'content-type': 'application/json', 'cache-control': 'private, max-age=0, must-revalidate',
  'x-content-type-options': 'nosniff', 'date-iso': '2026-11-23T09:30:00+00:00', 'x-request-id': 'r1',
};
const TEAM = { id: 1, title: 'T', created_at: '2026-11-23T09:30:00+00:00', resource_type: 'team', resource_url: `${BASE}/api/v1/teams/1` };
const ONE = { status: 200, data: TEAM, resource: 'team' };
const ERROR = { status: 400, errors: [{ code: 'FIELD_EMPTY', parameter: 'title', message: 'Empty.', more_info: `${BASE}/docs/errors/FIELD_EMPTY` }] };

const reply = (body, { headers = {}, status = body.status, path = '/api/v1/teams/1', method = 'GET' } = {}) =>
  new Reply({ method, path, headers: {} }, { status, headers: { ...HEADERS, ...headers }, bytes: Buffer.from(JSON.stringify(body)) });

const DECLARED = Object.fromEntries(['X-API-Version', 'Cache-Control', 'X-Content-Type-Options', 'Date-ISO', 'X-Request-ID'].map((name) => [name, { schema: {} }]));

const DOC = {
  openapi: '3.1.0', servers: [{ url: `${BASE}/api/v1` }],
  paths: { '/teams/{id}': { get: { responses: { 200: { description: 'x', headers: DECLARED, content: { 'application/json': { schema: { $ref: '#/components/schemas/one' } } } }, 400: { $ref: '#/components/responses/error' } } } } },
  components: {
    responses: { error: { description: 'x', headers: DECLARED, content: { 'application/json': { schema: { type: 'object', required: ['errors'] } } } } },
    schemas: {
      one: { type: 'object', required: ['data'], properties: { data: { $ref: '#/components/schemas/team' } } },
      team: { type: 'object', required: ['title'], properties: { id: { type: 'integer' }, title: { type: 'string' }, created_at: { type: 'string', format: 'date-time' }, resource_type: { type: 'string' }, resource_url: { type: 'string' } }, additionalProperties: false },
    },
  },
};

test('a good reply passes', () => {
  const contract = new Contract(DOC);
  for (const good of [reply(ONE), reply(ERROR)]) {
    obey(good, BASE);
    contract.judge(good);
  }
});

test('a reply that breaks a general rule fails', () => {
  const bad = {
    'a missing header': reply(ONE, { headers: { 'x-request-id': undefined } }),
    'another status in the body': reply(ONE, { status: 201 }),
    'member order': reply({ data: TEAM, status: 200, resource: 'team' }),
    'an unknown member': reply({ ...ONE, extra: 1 }),
    'data without resource': reply({ status: 200, data: TEAM }),
    'a time in milliseconds': reply({ ...ONE, data: { ...TEAM, created_at: '2026-11-23T09:30:00.000Z' } }),
    'a resource_url elsewhere': reply({ ...ONE, data: { ...TEAM, resource_url: 'http://x/api/v1/teams/1' } }),
    'a password': reply({ ...ONE, data: { ...TEAM, password: 'x' } }),
    'data in an error': reply({ ...ERROR, data: {}, resource: 'team' }),
    'an error without a page': reply({ ...ERROR, errors: [{ code: 'X', message: 'x' }] }),
    'SQL in an error': reply({ ...ERROR, errors: [{ ...ERROR.errors[0], message: 'near SELECT *' }] }),
    'page links without Link': reply({ status: 200, data: [], resource: 'team', offset: 0, limit: 1, total_count: 2, next_url: `${BASE}/api/v1/teams.json?offset=1` }),
    'more rows than limit': reply({ status: 200, data: [TEAM, TEAM], resource: 'team', offset: 0, limit: 1, total_count: 2 }),
    'no challenge': reply({ ...ERROR, status: 401 }),
    'no Allow': reply({ ...ERROR, status: 405 }),
    'no Retry-After': reply({ ...ERROR, status: 429 }),
  };
  for (const [what, r] of Object.entries(bad)) assert.throws(() => obey(r, BASE), { name: 'AssertionError' }, what);
});

test('a reply that does not match the declaration of its route fails', () => {
  const contract = new Contract(DOC);
  for (const [what, r] of Object.entries({
    'an undeclared status': reply({ ...ERROR, status: 418 }),
    'an undeclared member': reply({ ...ONE, data: { ...TEAM, secret: 1 } }),
    'a missing member': reply({ ...ONE, data: { id: 1 } }),
    'another type': reply({ ...ONE, data: { ...TEAM, title: 5 } }),
    'an undeclared header': reply(ONE, { headers: { 'x-secret': '1' } }),
    'a repeated member': Object.assign(reply(ONE), { text: JSON.stringify(ONE).replace('"id":1', '"id":1,"id":2') }),
  })) assert.throws(() => contract.judge(r), { name: 'AssertionError' }, what);
  contract.judge(reply({ ...ONE, data: { id: 1 } }, { path: '/api/v1/teams/1.json?fields=id' })); // the request asked to leave members out
  contract.judge(reply({ Status: 200, Data: { ID: 1, Title: 'T' } }, { path: '//api/v1/teams/1?_case=pascal', status: 200 }));
});

test('the report of a failure is printable, whatever was sent and received', () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const shown = `${new Reply({ method: 'POST', path: '/files', sent: all.toString('latin1') }, { status: 503, headers: {}, bytes: all })}`;
  assert.match(shown, /^POST \/files \\x00\\x01.*\\x7f/s);
  const dir = mkdtempSync(join(tmpdir(), 'deskd-report-')), file = join(dir, 'fails.test.mjs');
  writeFileSync(file, `import { test } from 'node:test';\ntest('fails', () => { throw new Error(Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('latin1')); });\n`);
  const reporter = fileURLToPath(new URL('../reporter.mjs', import.meta.url));
  const { NODE_TEST_CONTEXT, ...env } = process.env; // this variable makes a runner report to its parent
  const { stdout, status } = spawnSync('node', ['--test', `--test-reporter=${reporter}`, file], { encoding: 'utf8', env });
  rmSync(dir, { recursive: true });
  assert.equal(status, 1, stdout);
  assert.match(stdout, /^FAILED: fails$/m);
  for (const text of [shown, stdout]) assert.doesNotMatch(text, /(?!\n)\p{Cc}/u);
});

test('if a shared store can not be created, each test that needs it fails with the reason', async () => {
  const refuse = async () => { throw new Error('table of thing: no scope'); };
  await assert.rejects(once('refused', refuse), /table of thing: no scope/);
  await assert.rejects(once('refused', refuse), /the store refused could not be created: table of thing: no scope/);
});

// The tests of each part of src/: C units by name, files of tests/api by name, others by folder and name. The first row that fits a file is its area.
// `*` stands for any letters. Rows of a single file come before those of its folder.
//
// A mutant gets the tests that run its line, if build/reached.json (make mutants-reach) has them, and of these the ones whose names and words are most like those of its line, of the lines near it and of its file: two units of its row, and
// TRIED files of tests/api, and some of tests/postgres. Those of the row and those that run the line itself come first.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export const areas = [
  ['src/core/access/scope.c', { unit: ['scope'], api: ['apitokens', 'oauth.clients', 'oauth.token', 'tokens.walk'] }],
  ['src/core/access/', { unit: ['access', 'scope'], api: ['conversations.visibility', 'organizations.visibility', 'permissions', 'roles', 'strangers', 'fingerprint', 'people.escalation.spec', 'refusals', 'endpoints'] }],
  ['src/core/cases/', { unit: ['change'], api: ['cases', 'totals', 'cases.*', 'conversations.*', 'notifications', 'macros', 'views', 'survey', 'attachments', 'thumbnails', 'messages', 'notes', 'states', 'fingerprint', 'changes', 'people.desk.spec'] }],
  ['src/core/change/audit', { unit: ['audit'], api: ['audit'], others: ['fault/order'] }],
  ['src/core/change/', { unit: ['change', 'router'], api: ['changes', 'activities', 'trails', 'cascades', 'conditional', 'contacts', 'people.desk.spec'] }],
  ['src/core/all/desk.c', { unit: [], api: ['command', 'service', 'settings', 'audit'] }],
  ['src/core/desk/', { unit: ['job', 'sweep', 'content'], api: ['settings', 'jobs', 'files', 'files.quota', 'files.spec', 'command', 'service'] }],
  ['src/core/fields/', { unit: ['field'], api: ['fields', 'field-values', 'file-values', 'organizations.filter'] }],
  ['src/core/login/failures.c', { unit: [], api: ['audit', 'lockout'] }],
  ['src/core/login/passkey', { unit: [], api: ['passkeys'] }],
  ['src/core/login/webauthn', { unit: [], api: ['passkeys'] }],
  ['src/base/cbor', { unit: [], api: ['passkeys'] }],
  ['src/core/login/', { unit: ['identity'], api: ['session', 'password', 'twofactor', 'remember', 'apitokens', 'links', 'lockout', 'conversations.token', 'crosssite', 'people.secrets.spec', 'identities.takeover'] }],
  ['src/core/mail/bounce_guess.c', { unit: ['bounce_guess', 'bounce_corpora'], api: ['bounces'] }],
  ['src/core/mail/', { unit: ['token', 'authentication'], api: ['mail.rights', 'mail.in', 'mails', 'mail.out', 'mailboxes', 'bounces', 'mail.flood', 'mail.hostile'] }],
  ['src/core/programs/', { unit: ['scope'], api: ['oauth.clients', 'apitokens', 'tokens.walk', 'oauth.token', 'oauth.attacks', 'oauth.page', 'webhooks', 'events.tokens', 'webhooks.races'] }],
  ['src/core/erasure/', { unit: ['erase'], api: ['erasure', 'erasure.own', 'erasure.bytes', 'access.walk*'] }],
  ['src/core/people/team.c', { unit: [], api: ['teams', 'members', 'cascades', 'conditional', 'changes', 'users'] }],
  ['src/core/people/', { unit: ['identity'], api: ['users', 'organizations', 'identities', 'identities.profile', 'identities.takeover', 'conditional', 'changes', 'contacts', 'tags', 'teams', 'members', 'lookups', 'autocomplete', 'avatar', 'profile', 'activities', 'totals', 'search.changes', 'erasure', 'erasure.bytes'] }],
  ['src/core/predicates/', { unit: ['predicate', 'view'], api: ['triggers', 'triggers.*', 'rules.*', 'views', 'users.filter', 'organizations.filter', 'slas.match', 'monitors'] }],
  ['src/core/query/', { unit: ['search', 'vocabulary'], api: ['search', 'search.*', 'helpcenter.search'] }],
  ['src/core/letters/', { unit: ['token'], api: ['links', 'mail', 'mail.out', 'templates', 'password'] }],
  ['src/core/all/check', { unit: ['check'], api: ['check', 'command'] }],
  ['src/core/time/', { unit: ['calendar', 'business_time'], api: ['businesshours', 'slas', 'views', 'teams'] }],
  ['src/core/sla/', { unit: ['clock', 'business_time'], api: ['slas', 'slas.*', 'clocks', 'clocks.*', 'monitors'] }],
  ['src/core/endpoints/', { unit: ['delivery'], api: ['rules.endpoints', 'outgoing', 'triggers'] }],
  ['src/core/rules/', {
    unit: ['predicate', 'calendar', 'view', 'clock', 'business_time', 'delivery'],
    api: ['triggers', 'triggers.*', 'rules.*', 'monitors', 'slas', 'slas.*', 'clocks', 'clocks.*', 'outgoing', 'endpoints', 'views', 'users.filter', 'organizations.filter', 'businesshours', 'teams'],
  }],
  ['src/core/search/', { unit: ['search', 'vocabulary'], api: ['search', 'search.*', 'helpcenter.*'] }],
  ['src/core/helpcenter/', { unit: ['gathered', 'diff'], api: ['helpcenter*', 'articles*', 'comments', 'categories.hidden', 'sections', 'insights', 'access.walk*'] }],
  ['src/core/text/', { unit: ['template'], api: ['templates', 'templates.spec', 'mail', 'links', 'password'] }],
  ['src/core/', { unit: ['access', 'change'], api: ['session', 'users', 'conversations.*'] }],
  ['src/api/call/subcall.c', { unit: [], api: ['pages.forms', 'oauth.page', 'oauth.token'] }],
  ['src/api/caller/limits.c', { unit: ['bucket'], api: ['limits', 'limits.pages', 'limits.headers'] }],
  ['src/api/caller/auth_passkey', { unit: [], api: ['passkeys'] }],
  ['src/api/caller/auth', { unit: [], api: ['session', 'apitokens', 'oauth.token', 'tokens.walk', 'crosssite', 'remember', 'lockout', 'twofactor', 'password', 'audit', 'people.secrets.spec'] }],
  ['src/pages/template_page.c', { unit: [], api: ['links', 'survey', 'oauth.page', 'limits.pages', 'templates'] }],
  ['src/pages/link_pages.c', { unit: [], api: ['links', 'survey', 'password', 'templates'] }],
  ['src/api/table/describe.c', { unit: ['router'], api: ['tokens.walk', 'openapi', 'refusals', 'access.walk*'] }],
  ['src/api/docs/', { unit: ['router'], api: ['openapi', 'errors', 'guides', 'tools'] }],
  ['src/api/', {
    unit: ['router', 'scope', 'pool'],
    api: ['envelope', 'shape', 'spellings', 'bodies', 'conditional', 'narrowing', 'notices', 'errors', 'edge', 'people.input.spec', 'people.http.spec', 'session', 'refusals', 'idempotency', 'teams', 'members', 'fields', 'pages.bytes', 'openapi', 'files', 'lockout', 'changes', 'limits', 'limits.headers', 'messages', 'oauth.token', 'webhooks', 'access.walk*'],
  }],
  ['src/pages/', { unit: [], api: ['helpcenter.pages', 'pages.forms', 'helpcenter.cache', 'openapi', 'limits.pages', 'pages.bytes', 'templates', 'survey'] }],
  ['src/res/conversation', { unit: [], api: ['conversations.*', 'messages', 'fingerprint', 'refusals', 'access.walk*'] }],
  ['src/res/erasure.c', { unit: [], api: ['erasure', 'erasure.own', 'access.walk*'] }],
  ['src/res/event.c', { unit: [], api: ['webhooks', 'events.tokens', 'access.walk*'] }],
  ['src/res/oauth', { unit: [], api: ['oauth.clients', 'tokens.walk', 'access.walk*'] }],
  ['src/res/passkey.c', { unit: [], api: ['passkeys', 'access.walk*'] }],
  ['src/res/own_proof.c', { unit: [], api: ['passkeys', 'twofactor'] }],
  ['src/res/api_token.c', { unit: [], api: ['apitokens', 'tokens.walk', 'access.walk*'] }],
  ['src/res/', { unit: [], api: ['access.walk*', 'refusals', 'people.input.spec'] }],
  ['src/jobs/arrival', { unit: ['inbox', 'reader'], api: ['mail.stream', 'mail.in', 'bounces'] }],
  ['src/jobs/mail_budget.c', { unit: ['mail_budget'], api: ['mail.stream'] }],
  ['src/jobs/', { unit: ['job', 'sweep'], api: ['jobs', 'mail', 'bounces', 'files'] }],
  ['src/files/', { unit: ['content', 'picture', 'html', 'zip'], api: ['files', 'files.spec', 'files.quota', 'avatar', 'attachments.*'] }],
  ['src/oauth/', { unit: [], api: ['oauth.token', 'oauth.page', 'oauth.attacks', 'limits.pages', 'limits', 'oauth.libraries'] }],
  ['src/mail/imap', { unit: ['imap'], api: ['mailboxes'], others: ['mail-servers/imap'] }],
  ['src/mail/collect', { unit: ['imap'], api: ['mailboxes'], others: ['mail-servers/imap'] }],
  ['src/mail/', { unit: ['mail', 'read', 'reader', 'inbox', 'quotes'], api: ['mail', 'mail.in', 'lmtp', 'cases.mail', 'bounces'] }],
  ['src/outgoing/', { unit: ['delivery'], api: ['outgoing', 'rules.endpoints'] }],
  ['src/db/postgres', { unit: ['migration', 'move'], api: ['changes', 'cases.races', 'settings'] }],
  ['src/db/', { unit: ['db', 'db_schema', 'db_snapshot', 'db_fault', 'dialect', 'change'], api: ['changes', 'service', 'command', 'teams'] }],
  ['src/json/', { unit: ['json', 'form'], api: ['bodies', 'hostile'] }],
  ['src/http/', { unit: ['scan', 'form', 'multipart'], api: ['hostile', 'bodies', 'edge', 'files.spec'], http: true }],
  ['src/base/', { unit: ['base', 'log'], api: ['hostile', 'session', 'users', 'spellings'] }],
  ['src/commands/', { unit: ['options', 'demo'], api: ['command', 'tools', 'service', 'bounces'] }],
  ['src/demo/', { unit: ['demo'], api: ['demo', 'guides'] }],
  ['src/transfer/', { unit: [], api: ['transfer.foreign', 'transfer'] }],
  ['src/', { unit: [], api: ['command', 'service', 'story'] }],
];

/** Only for the areas that list them: the first runs for minutes, and names everything; the second asks which program it runs, which is another one here. */
const LISTED = ['cascades', 'tools'];
const TRIED = 20, LEAST = 4, UNITS = 2, ON_POSTGRES = 4, NEAR = 12, LINE = 8, NAME = 20, OF_AREA = 0.5, OF_LINE = 0.5, NAMED = 0.5;

const wordsOf = (text) => text.toLowerCase().match(/[a-z]{3,}/g) ?? [];
function counted(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
function read(folder, end) {
  const path = join(import.meta.dirname, '..', folder);
  return readdirSync(path).filter((name) => name.endsWith(end)).map((name) => ({ name: name.replace(end, ''), counts: counted([wordsOf(readFileSync(join(path, name), 'utf8')), ...Array(NAME).fill(wordsOf(name.replace(end, '')))].flat()) }));
}
const apis = read('api', '.test.mjs'), units = read('unit', '_test.c'), postgres = read('postgres', '.test.mjs');
const tests = [...apis, ...units, ...postgres];
const inTests = counted(tests.flatMap(({ counts }) => [...counts.keys()]));

/** The weights of words (TF-IDF) and their length as a vector. Words of no test have none. */
function weighed(counts) {
  const weights = new Map();
  for (const [word, count] of counts) if (inTests.has(word)) weights.set(word, Math.log(1 + count) * Math.log(tests.length / inTests.get(word)));
  return { weights, length: Math.hypot(...weights.values()) || 1 };
}
for (const test of tests) test.weighed = weighed(test.counts);

/** `*` stands for any letters. */
const patternOf = (name) => new RegExp(`^${name.replaceAll('.', '\\.').replace('*', '.*')}$`);
for (const [start, row] of areas) {
  const folder = join(import.meta.dirname, '../..', start.endsWith('/') ? start : dirname(start)), begin = start.endsWith('/') ? '' : basename(start);
  assert.ok(readdirSync(folder).some((name) => name.startsWith(begin)), `there is no file ${start}`);
  for (const [names, some] of [[row.unit, units], [row.api, apis]]) {
    for (const name of names) assert.ok(some.some((test) => patternOf(name).test(test.name)), `${start}: there is no test ${name}`);
  }
}

function alike(a, b) {
  let sum = 0;
  for (const [word, weight] of a.weights) sum += weight * (b.weights.get(word) ?? 0);
  return sum / a.length / b.length;
}

const REACHED = join(import.meta.dirname, '../../build/reached.json');
const reached = existsSync(REACHED) ? JSON.parse(readFileSync(REACHED, 'utf8')) : { tests: [], files: {} };

/** The line of a file of reached.json (1, 2 ...) that was `text`, the nearest to `line`; 0: none. */
function lineThen({ text: then }, text, line) {
  const same = then.flatMap((t, i) => (t === text.trim() ? [i + 1] : []));
  return same.sort((a, b) => Math.abs(a - line) - Math.abs(b - line))[0] ?? 0;
}

/** The lines that run what this line is: itself, or those that use its QUERY. */
function running(lines, line) {
  let begin = line;
  while (begin > 1 && !/^\S/.test(lines[begin - 1])) begin -= 1;
  const query = /^QUERY\((\w+)/.exec(lines[begin - 1])?.[1] ?? (/^QUERY\($/.test(lines[begin - 1]) ? /\w+/.exec(lines[begin])?.[0] : undefined);
  return query ? lines.flatMap((text, i) => (new RegExp(`&${query}\\b`).test(text) ? [i + 1] : [])) : [line];
}

/** {line, before}: the names of the tests of tests/api that run a line, and of those that run a line before it in its function or a call of that, or undefined
 * if that is not known. A block has the line at which it begins, so a function that is compiled into its callers may have none. */
function reaching(file, text, line) {
  const of = reached.files[file], lines = text.split('\n');
  if (!of) return undefined;
  const names = { line: new Set(), before: new Set() }, then = (n) => lineThen(of, lines[n - 1], n);
  const blockOf = (n) => Math.max(0, ...of.blocks.map(([at]) => at).filter((at) => at <= then(n)));
  const add = (set, from, to) => { for (const [at, by] of of.blocks) if (at >= from && at <= to) for (const i of by) set.add(reached.tests[i]); };
  for (const n of running(lines, line)) {
    const head = lines.slice(0, n).findLastIndex((head) => /^\w/.test(head)) + 1, block = blockOf(n);
    if (!block) continue;
    add(names.line, block, block);
    add(names.before, then(head) || block, block);
    const called = /(\w+)\(/.exec(lines[head - 1] ?? '')?.[1];
    if (called) lines.forEach((text, i) => { if (/^\s/.test(text) && new RegExp(`\\b${called}\\(`).test(text)) add(names.before, blockOf(i + 1), blockOf(i + 1)); });
  }
  return names.line.size ? names : undefined;
}

/** {unit, api, others, http, postgres}: the tests of a mutant of a line (1, 2 ...) of a file with this text, the likeliest first. */
export function testsFor(file, text, line) {
  const row = areas.find(([start]) => file.startsWith(start))[1];
  const around = (most) => wordsOf(text.split('\n').slice(Math.max(0, line - 1 - most), line + most).join('\n'));
  const source = weighed(counted([wordsOf(text), ...Array(3).fill(around(NEAR)), ...Array(4).fill(wordsOf(basename(file))), ...Array(LINE).fill(around(0))].flat()));
  const ofArea = row.api.map(patternOf), by = reaching(file, text, line);
  const isOfArea = (test) => ofArea.some((pattern) => pattern.test(test.name));
  const words = new Set(around(0)), isNamed = (test) => wordsOf(test.name).some((word) => words.has(word)); // audit_staff(...): audit.test.mjs
  const rank = (test) => alike(source, test.weighed) + (isOfArea(test) ? OF_AREA : 0) + (by?.line.has(test.name) ? OF_LINE : 0) + (isNamed(test) ? NAMED : 0);
  const likeliest = (some, most) => some.map((test) => ({ name: test.name, rank: rank(test) })).sort((a, b) => b.rank - a.rank).slice(0, most).map((test) => test.name);
  const possible = apis.filter((test) => !LISTED.includes(test.name) || isOfArea(test)), isReaching = (test) => !by || by.line.has(test.name) || by.before.has(test.name);
  const api = likeliest(possible.filter(isReaching), TRIED);
  api.push(...likeliest(possible.filter((test) => !isReaching(test)), Math.max(0, LEAST - api.length))); // the lines may have moved since
  return { ...row, unit: likeliest(units.filter((test) => row.unit.includes(test.name)), UNITS), api, postgres: likeliest(postgres, ON_POSTGRES) };
}

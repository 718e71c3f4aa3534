import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { BINARY, Desk, PASSWORD, defer, demo, deskd, dice, directory, raw, until } from './lib/index.mjs';
import { createDatabase, dropDatabase, passwordFile, store } from './lib/stores.mjs';

// deskd import --from-api: another desk is the source, behind a proxy that fails, throttles and cuts.

const OWNER = 'owner@example.com';

/** An HTTP server on 127.0.0.1: {base, asked, stop}. `asked` has the path of each request. */
async function serve(t, answer) {
  const asked = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url);
    answer(request, response, asked.length);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  defer(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => { server.close(resolve); });
  });
  return { base: `http://127.0.0.1:${server.address().port}`, asked };
}

/** A proxy before a desk. `fault(n, url)` names what happens to the nth request; null: it is passed on. */
function proxy(t, desk, fault) {
  return serve(t, (request, response, n) => {
    const wrong = fault(n, request.url);
    if (wrong === 'throttle') return void response.writeHead(429, { 'Retry-After': '0' }).end('{"status":429}');
    if (wrong === 'fail') return void response.writeHead(503).end('<h1>Bad gateway</h1>');
    if (wrong === 'drop') return void request.socket.destroy();
    const passed = http.request({ host: '127.0.0.1', port: desk.port, path: request.url, headers: request.headers, agent: desk.agent }, (reply) => {
      if (wrong === 'cut') {
        response.writeHead(reply.statusCode, reply.headers);
        reply.once('data', (chunk) => { response.write(chunk.subarray(0, chunk.length / 2)); request.socket.end(); });
        return reply.resume();
      }
      if (wrong === 'shorten') { // a whole reply with half of the JSON
        const chunks = [];
        reply.on('data', (chunk) => chunks.push(chunk));
        return reply.on('end', () => { const all = Buffer.concat(chunks); response.writeHead(200).end(all.subarray(0, all.length / 2)); });
      }
      response.writeHead(reply.statusCode, reply.headers);
      return reply.pipe(response);
    });
    return passed.on('error', () => request.socket.destroy()).end();
  });
}

function target(t) {
  const dir = directory();
  createDatabase(dir);
  defer(t, () => dropDatabase(dir));
  return dir;
}

function credentials(text = `${OWNER}:${PASSWORD}`) {
  const file = join(directory(), 'credentials');
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  return file;
}

/** Runs the import beside the servers of this process: {status, said, errors}. `began(child)` gets the process. */
function run(args, { env = {}, began = () => {} } = {}) {
  const child = spawn(BINARY, ['import', ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env }, timeout: 240_000 });
  let said = '', errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => { said += text; });
  child.stderr.setEncoding('utf8').on('data', (text) => { errors += text; });
  began(child);
  return new Promise((resolve) => { child.on('close', (status) => resolve({ status, said, errors })); });
}

const importFrom = (dir, base, copy, clock, more = [], options = {}) => run([...store(dir), '--from-api', base, '--copy', copy, '--clock', clock, '--owner-email', OWNER, '--password-file', passwordFile(),
  ...(options.env ? [] : ['--credentials-file', credentials()]), ...more], options);

async function serving(t, dir) {
  const desk = await new Desk(dir, { people: { owner: { email: OWNER, password: PASSWORD } } }).start();
  defer(t, () => desk.stop());
  return desk;
}

const fetched = (said) => Number(/fetched (\d+) rows/.exec(said)[1]);
const skipped = (said) => new Map([...said.matchAll(/^deskd: not imported, (\d+): (.*?)(?: \(for example .*\))?$/gm)].map(([, n, what]) => [what, Number(n)]));

const DERIVED = /^(uuid|resource_url|avatar|realtime_channel|presence_channel|url|url_download|thumbnails)$/;
/** A value without what follows from the installation, from rows of other kinds, or from the way in which it was written. */
function essence(value, left) {
  if (Array.isArray(value)) return value.map((v) => essence(v, left));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !DERIVED.test(name) && !left.test(name)).map(([name, v]) => [name, essence(v, left)]));
}

const NO_PERSON = /^(last_.*|updated_at|twitter|facebook|is_mfa_enabled|password_updated_at|avatar_updated_at|is_notification_enabled|pinned_by)$/;
const NO_CASE = /^(last_.*|sla_.*|rating.*|read_marker|agent_updated_at|latest_assignee_update|identity|updated_at|brand)$/;

async function pages(client, path, query) {
  const all = [];
  for (let offset = 0; ; offset += 100) {
    const page = await client.fetch(path, { ...query, limit: 100, offset });
    all.push(...page);
    if (page.length < 100) return all.sort((a, b) => a.id - b.id);
  }
}

/** HTML whose pictures of this desk have no address. */
const shown = (desk, html) => html?.replaceAll(new RegExp(`"${desk.base}/api/v1/[^"]*/attachments/\\d+/url"`, 'g'), '"picture"');
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const SETTINGS = [
  ['/locales', {}], ['/cases/statuses', {}], ['/cases/priorities', {}], ['/cases/types', {}], ['/businesshours', {}],
  ...['/cases/fields', '/users/fields', '/organizations/fields', '/cases/forms'].map((path) => [path, { include: 'locale_field,field_option' }]),
  ['/slas', { include: 'sla_target,sla_proposition' }], ['/cases/macros', { include: 'tag', show_all: true }], ['/views', { show_all: true }], ['/triggers', {}], ['/monitors', {}],
  ['/categories', { include: 'locale_field', fields: '+icon' }], ['/sections', { include: 'locale_field,tag' }], ['/articles', { include: 'locale_field,tag' }],
];
// Ids of parts, counters of uses, and what a person does at the source.
const NO_SETTING = /^(locale|fielduuid|helpcenter_url|usage_count|last_used_at|last_triggered_at|last_executed_at|views|rank|upvote_count|downvote_count|total_comments|total_articles|conversations|brand|content_id|download_all)$/;
const PART = /^(locale_field|sla_target|proposition|sla_proposition|predicate_collection|automation_action|tag|attachment|category_slug|section_slug|article_slug)$/;
/** Rows inside of a row get new ids and times. */
function partless(desk, value) {
  if (Array.isArray(value)) return value.map((v) => partless(desk, v));
  if (typeof value === 'string') return shown(desk, value);
  if (value === null || typeof value !== 'object') return value;
  const { id, created_at, updated_at, ...rest } = value;
  const kept = PART.test(value.resource_type) ? rest : value;
  return Object.fromEntries(Object.entries(kept).map(([name, v]) => [name, partless(desk, v)]));
}

async function settings(desk) {
  const told = new Map();
  for (const [path, query] of SETTINGS) for (const row of await pages(desk.owner, path, query)) told.set(`${path} ${row.id}`, partless(desk, essence(row.is_system || path === '/locales' ? { ...row, created_at: 0, updated_at: 0 } : row, NO_SETTING)));
  for (const { id } of await pages(desk.owner, '/articles')) {
    const comment = (c) => [c.contents, c.is_html, c.status, c.user.id, c.created_at, c.replies.map(comment)];
    told.set(`comments of ${id}`, (await desk.owner.fetch(`/articles/${id}/comments`, { include: 'comment' })).map(comment));
    told.set(`files of ${id}`, await Promise.all((await desk.owner.fetch(`/articles/${id}`)).attachments.map(async (a) => [a.name, a.size, (await desk.owner.exchange('GET', new URL(a.url_download).pathname)).text])));
  }
  return told;
}

/** Adds to a demo desk what it lacks of the kinds that are carried. */
async function furnish(desk) {
  const { owner } = desk, told = (text, other) => [{ locale: 'en-us', translation: text }, { locale: 'de', translation: other }];
  for (const { id, locale } of await owner.fetch('/locales')) if (locale === 'de') await owner.update(`/locales/${id}`, { is_enabled: true, is_public: true });
  const status = await owner.create('/cases/statuses', { label: 'Waits for parts', is_sla_active: false });
  const priority = await owner.create('/cases/priorities', { label: 'Storm', level: 9 }), type = await owner.create('/cases/types', { label: 'Recall' });
  await owner.update('/cases/types/1', { label: 'Asked' });
  await owner.create('/users/fields', { type: 'TEXT', key: 'berth', titles: told('Berth', 'Liegeplatz') });
  const plan = await owner.create('/cases/fields', { type: 'SELECT', key: 'contract', titles: told('Contract', 'Vertrag'), options: [{ values: told('Gold', 'Gold'), tag: 'gold' }, { values: told('Tin', 'Zinn') }] });
  const options = (await owner.fetch(`/cases/fields/${plan.id}`, { include: 'field_option' })).options;
  await owner.create('/organizations/fields', { type: 'NUMERIC', key: 'ships', title: 'Ships' });
  const hours = await owner.create('/businesshours', { title: 'Night', zones: { monday: [20, 21] }, time_zone: 'Europe/Berlin', holidays: [{ title: 'Christmas', date: '25/12/2026' }] });
  const [team] = await owner.fetch('/teams'), [row, other] = (await owner.fetch('/cases', { include: 'case_status', limit: 100 })).filter((c) => !['CLOSED', 'COMPLETED'].includes(c.status.type)), [organization] = await owner.fetch('/organizations');
  await owner.update(`/teams/${team.id}`, { businesshour_id: hours.id });
  const form = await owner.create('/cases/forms', { title: 'Repairs', customer_titles: told('Repair', 'Reparatur'), case_field_ids: [plan.id] });
  const value = { predicate_collections: [{ propositions: [{ field: 'cases.casestatusid', operator: 'comparison_equalto', value: String(status.id) }, { field: 'casefields.contract', operator: 'comparison_equalto', value: String(options[1].id) }] }] };
  await owner.create('/slas', { title: 'Gold', predicate_collections: [{ propositions: [{ field: 'cases.casepriorityid', operator: 'comparison_equalto', value: String(priority.id) }] }], targets: [{ type: 'FIRST_REPLY_TIME', priority_id: priority.id, goal_in_seconds: 600, operational_hours: 'CALENDAR_HOURS' }] });
  await desk.login('agent@example.com').create('/cases/macros', { title: 'Own', reply_contents: 'Hello {{requester.name}}', status_id: status.id, type_id: type.id, add_tags: ['later'], assignee_type: 'CURRENT_AGENT' });
  await owner.create('/cases/macros', { title: 'Ours', visibility_type: 'TEAM', visible_to_team_id: team.id, priority_id: priority.id, assignee_type: 'TEAM', assigned_team_id: team.id });
  await owner.create('/views', { title: 'Parts', visibility_type: 'TEAM', team_ids: [team.id], columns: ['subject', 'updatedat'], order_by: 'ASC', ...value });
  await owner.create('/triggers', { title: 'Parts', channel: 'API', ...value, actions: [{ name: 'status', option: 'CHANGE', value: status.id }, { name: `customfield_${plan.id}`, option: 'CHANGE', value: String(options[0].id) }, { name: 'notificationuser', option: 'SEND', value: -3, attributes: { subject: 'Parts', message: 'They come.' } }] });
  await owner.create('/monitors', { title: 'Slow', predicate_collections: [{ propositions: [{ field: 'cases.casetypeid', operator: 'comparison_equalto', value: String(type.id) }] }, { propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'no such subject' }] }], actions: [{ name: 'tags', option: 'ADD', value: ['slow'] }] });
  await owner.update(`/cases/${row.id}`, { status_id: status.id, priority_id: priority.id, type_id: type.id, form_id: form.id, field_values: { contract: String(options[1].id) } });
  await owner.update(`/cases/${other.id}`, { field_values: { contract: String(options[0].id) } });
  await owner.update(`/users/${row.requester.id}`, { field_values: { berth: 'B 12' } });
  await owner.update(`/organizations/${organization.id}`, { field_values: { ships: '7' } });
  const picture = async () => (await owner.create('/files', raw('image/png', PIXEL), { query: { _filename: 'dot.png' } })).id;
  const [drawn, drawing] = [await picture(), await picture()];
  (await owner.post(`/cases/${other.id}/reply`, { contents: `<p>Look: <img src="cid:${drawn}" alt="a"></p>`, channel_options: { html: true }, attachment_file_ids: [drawn] })).must(201);
  const category = await owner.create('/categories', { titles: told('Engines', 'Motoren'), descriptions: told('All.', 'Alle.'), icon: 'CARD' });
  const section = await owner.create('/sections', { titles: told('Oil', 'Öl'), category_id: category.id, visibility: 'AGENTS', team_ids: [team.id], tags: ['vip'] });
  const file = await owner.create('/files', raw('text/plain', Buffer.from('Parts')), { query: { _filename: 'list.txt' } });
  const article = await owner.create('/articles', { titles: told('Change the oil', 'Öl wechseln'), contents: told(`<p>Open <b>it</b>: <img src="cid:${drawing}" alt="b"></p>`, '<p>Öffnen.</p>'), section_id: section.id, status: 'PUBLISHED', tags: ['oil'], keywords: 'oil, change', attachment_file_ids: [file.id, drawing] });
  const comment = await desk.customer.create('/articles/1/comments', { contents: 'It helped.' });
  await owner.create('/articles/1/comments', { contents: 'Good.', parent_id: comment.id });
  return { status, priority, type, plan, options, article };
}

/** The replies to GETs of a desk, of the kinds that are carried. */
async function contents(desk) {
  const people = await pages(desk.owner, '/users', { include: 'identity_email,identity_phone,user_field_value', fields: '+tags' });
  const cases = await pages(desk.owner, '/cases', { fields: '+tags', include: 'case_field_value' });
  const told = new Map();
  for (const person of people) told.set(`person ${person.id}`, { ...essence({ ...person, emails: [], phones: [] }, NO_PERSON), emails: person.emails.map((e) => [e.email, e.is_primary, e.is_validated]).sort(), phones: person.phones.map((p) => p.number).sort() });
  for (const person of people) told.set(`notes of ${person.id}`, (await desk.owner.fetch(`/users/${person.id}/notes`)).map((n) => [n.body_text, n.is_pinned, n.user.id, n.created_at]).sort());
  for (const row of await pages(desk.owner, '/organizations', { include: 'identity_domain,organization_field_value', fields: '+tags' })) told.set(`organization ${row.id}`, { ...essence({ ...row, domains: [] }, /^(updated_at|addresses|websites|phone)$/), domains: row.domains.map((d) => d.domain).sort() });
  for (const row of await pages(desk.owner, '/teams')) told.set(`team ${row.id}`, essence(row, /^updated_at$/));
  for (const row of cases) {
    const { tags, ...rest } = essence(row, NO_CASE);
    const posts = await desk.owner.fetch(`/cases/${row.id}/posts`, { limit: 200, filters: 'MESSAGES,NOTES', include: 'case_message,note,channel' });
    // A conversation that others were merged into begins with the first of all posts.
    told.set(`case ${row.id}`, { ...rest, created_at: [row.created_at, ...posts.map((p) => p.created_at)].sort()[0], tags: tags.map((tag) => tag.name).sort() });
    told.set(`posts of ${row.id}`, await Promise.all(posts.map(async (p) => [p.original.resource_type, p.contents, shown(desk, p.original.body_html), p.creator?.id, p.source_channel?.type, p.created_at, p.original.is_pinned ?? null,
      await Promise.all(p.attachments.map(async (a) => [a.name, a.type, a.size, (await desk.owner.exchange('GET', new URL(a.url_download).pathname)).text]))]).map((p) => p)));
  }
  for (const [what, row] of await settings(desk)) told.set(what, row);
  return told;
}

function same(one, other) {
  assert.deepEqual([...other.keys()].sort(), [...one.keys()].sort());
  const tagNames = (v) => (Array.isArray(v?.tags) ? { ...v, tags: v.tags.map((tag) => tag.name ?? tag).sort() } : v);
  for (const [what, told] of one) assert.deepEqual(tagNames(other.get(what)), tagNames(told), what);
}

test('an import through a source that fails, throttles and cuts gives the same people, conversations, posts and files', async (t) => {
  const source = await demo(t, { conversations: 40 }), throws = dice(41), copy = join(directory(), 'copy');
  const made = await furnish(source);
  const faults = ['throttle', 'fail', 'drop', 'cut', 'shorten'];
  const { base } = await proxy(t, source, () => (throws.below(4) === 0 ? faults[throws.below(faults.length)] : null));
  const dir = target(t), done = await importFrom(dir, base, copy, source.clock.file);
  assert.equal(done.status, 0, done.errors);
  assert.equal(done.errors, '');
  assert.match(done.said, /\d{2,} repeated/);
  const kinds = skipped(done.said);
  assert.equal([...kinds.keys()].some((what) => what.includes('unknown member')), false, done.said);
  assert.match(done.said, /people have no passwords: they set one by e-mail/);
  assert.match(deskd('check', ...store(dir)).stdout, /no defects/);
  same(await contents(source), await contents(await serving(t, dir)));
});

test('an import that was killed goes on where it stopped, and the next one fetches only what has changed', async (t) => {
  const source = await demo(t, { conversations: 120 }), copy = join(directory(), 'copy');
  let child, paths = 0;
  const isOfPosts = (url) => /\/cases\/\d+\/posts/.test(url);
  const first = await proxy(t, source, (n, url) => {
    if (isOfPosts(url) && ++paths === 110) child.kill('SIGKILL');
    return null;
  });
  const dir = target(t), killed = await importFrom(dir, first.base, copy, source.clock.file, [], { began: (c) => { child = c; } });
  assert.equal(killed.status, null);
  const total = (await source.owner.exchange('GET', '/api/v1/cases?limit=1')).must(200).body.total_count;

  // The folder belongs to one address, so the proxy stays the same.
  const before = first.asked.length, again = await importFrom(dir, first.base, copy, source.clock.file);
  assert.equal(again.status, 0, again.errors);
  const repeated = first.asked.slice(before).filter(isOfPosts).length;
  assert.ok(repeated <= total - 100, `${repeated} of ${total} conversations were read again`);
  assert.deepEqual(readdirSync(copy).filter((name) => /\.(draft|part|joined)$/.test(name)), []);

  const [one] = await source.owner.fetch('/cases', { limit: 1, status: 'OPEN' });
  await source.owner.create(`/cases/${one.id}/notes`, { contents: 'Seen on the day of the switch.' });
  const since = first.asked.length, last = target(t), second = await importFrom(last, first.base, copy, source.clock.file);
  assert.equal(second.status, 0, second.errors);
  assert.deepEqual(first.asked.slice(since).filter(isOfPosts).map((url) => url.split('?')[0]), [`/api/v1/cases/${one.id}/posts`]);
  assert.ok(fetched(second.said) < 10, second.said);
  const desk = await serving(t, last);
  assert.equal((await desk.owner.fetch(`/cases/${one.id}/posts`, { limit: 1 }))[0].contents, 'Seen on the day of the switch.');
  same(await contents(source), await contents(desk));
});

test('the owner keeps the login, other people have none, and new rows get ids above those of the source', async (t) => {
  const source = await demo(t, { conversations: 5 }), copy = join(directory(), 'copy'), dir = target(t);
  const done = await importFrom(dir, source.base, copy, source.clock.file, ['--owner-email', 'somebody@else.example', '--owner-name', 'New Owner']);
  assert.equal(done.status, 0, done.errors);
  const desk = await new Desk(dir, { people: { owner: { email: 'somebody@else.example', password: PASSWORD } } }).start();
  defer(t, () => desk.stop());
  const highest = Math.max(...(await pages(source.owner, '/users')).map(({ id }) => id));
  assert.equal((await desk.owner.fetch('/me')).id, highest + 1);
  const former = (await desk.owner.fetch('/users', { email: OWNER, include: 'role' }))[0];
  assert.deepEqual([former.id, former.role.type], [(await source.owner.fetch('/me')).id, 'OWNER']);
  assert.equal((await desk.anyone.exchange('GET', '/api/v1/me', { headers: { Authorization: `Basic ${Buffer.from(`${OWNER}:${PASSWORD}`).toString('base64')}` } })).status, 401);
  const made = await desk.owner.create('/cases', { subject: 'After the switch', contents: 'New.', requester_id: former.id });
  assert.ok(made.id > Math.max(...(await pages(source.owner, '/cases')).map(({ id }) => id)));
  assert.ok((await desk.owner.create('/teams', { title: 'New' })).id > 1);
});

test('credentials come from a file or the environment, and http only reaches this machine', async (t) => {
  const source = await demo(t, { conversations: 5 }), copy = join(directory(), 'copy');
  const refused = async (base, pattern, more = [], env, at = join(directory(), 'copy')) => {
    const { status, said, errors } = await importFrom(target(t), base, at, source.clock.file, more, { env });
    assert.deepEqual([status, said], [1, ''], errors);
    assert.match(errors, pattern);
    assert.doesNotMatch(errors, /horses/);
  };
  await refused(source.base, /needs --credentials-file FILE, or DESKD_API_CREDENTIALS/, [], { DESKD_API_CREDENTIALS: undefined });
  await refused(source.base, /neither EMAIL:PASSWORD nor Bearer TOKEN/, [], { DESKD_API_CREDENTIALS: 'secret' });
  await refused(source.base, /refuses the credentials \(401\)/, [], { DESKD_API_CREDENTIALS: `${OWNER}:wrong` });
  await refused(source.base, /may not read .*\/roles|administrator or owner/, [], { DESKD_API_CREDENTIALS: `customer@example.com:${PASSWORD}` });
  await refused('http://192.0.2.1', /http shows the credentials .* --insecure/);
  await refused('http://127.0.0.1:1', /can't be read/);
  const dir = target(t), token = await source.owner.create('/profile/api_tokens', { name: 'Move', scopes: 'users:read,conversations:read,configuration:read' });
  const done = await importFrom(dir, source.base, copy, source.clock.file, [], { env: { DESKD_API_CREDENTIALS: `Bearer ${token.token}` } });
  assert.equal(done.status, 0, done.errors);
  assert.equal(readdirSync(copy).map((name) => (name.endsWith('attachments') ? '' : readFileSync(join(copy, name), 'utf8'))).join('').includes(token.token), false);
  const other = await serve(t, (request, response) => response.writeHead(500).end());
  await refused(other.base, /has the data of .*: name another folder with --copy/, [], undefined, copy);
  const full = await importFrom(dir, source.base, copy, source.clock.file);
  assert.deepEqual([full.status, /holds a desk already/.test(full.errors)], [1, true], full.errors);
});

/** A server of the API with the rows of `world`, as a hostile source may send them. */
function hostile(t, world) {
  const own = { organizations: [], teams: [], roles: [], users: [], cases: [], posts: {}, ...world };
  const row = { created_at: '2024-01-01T00:00:00+00:00', updated_at: '2024-01-01T00:00:00+00:00' };
  return serve(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://source'), path = pathname.replace('/api/v1/', '');
    const posts = /^cases\/(\d+)\/posts$/.exec(path), ids = searchParams.get('ids')?.split(',').map(Number);
    const own_answer = world.answer?.(path, searchParams);
    if (own_answer !== undefined) return void response.end(typeof own_answer === 'string' ? own_answer : JSON.stringify(own_answer));
    const list = posts ? own.posts[posts[1]] ?? [] : own[path] ?? [];
    const data = list.filter(({ id }) => !ids || ids.includes(id)).map((item) => ({ ...row, ...item }));
    return void response.end(JSON.stringify({ status: 200, data: searchParams.has('after_id') && !world.loops ? [] : data, total_count: data.length }));
  });
}

const told = (translation) => [{ locale: 'en-us', translation }];
const ROLES_OF_SOURCE = [[11, 'OWNER'], [12, 'ADMIN'], [13, 'AGENT'], [14, 'COLLABORATOR'], [15, 'CUSTOMER']].map(([id, type]) => ({ id, title: type, type, is_system: true, agent_case_access: 'ALL' }));
const person = (id, type, more = {}) => ({ id, full_name: `Person ${id}`, is_enabled: true, role: { id: type, type: 'X' }, emails: [{ email: `p${id}@source.example`, is_primary: true, is_validated: true }], ...more });

test('ids that repeat, pages that loop, rows that are missing and dates in the future are reported, and none of them gives rights', async (t) => {
  const source = await demo(t, { conversations: 1 }), dir = target(t);
  const { base } = await hostile(t, {
    loops: true,
    roles: [...ROLES_OF_SOURCE, { id: 20, title: 'Root', type: 'OWNER', is_system: false }, { id: 21, title: 'Reader', type: 'AGENT', is_system: false, agent_case_access: 'TEAMS' }],
    'roles/21/permissions': [{ id: 1, name: 'cases.public_reply', value: false }, { id: 2, name: 'unheard.of', value: true }],
    teams: [{ id: 3, title: 'Night' }, { id: 3, title: 'Night again' }],
    'cases/statuses': [{ id: 31, label: 'Odd', type: 'ODD' }, { id: 31, label: 'Odd again' }, { id: 1, type: 'NEW', label: '' }],
    'cases/fields': [{ id: 40, key: '9 lives', type: 'SELECT', titles: [] }, { id: 41, key: 'size', type: 'SELECT', titles: told('Size'), options: [{ id: 2 ** 40, values: told('Big') }, { id: 2 ** 40, values: told('Small') }] }],
    triggers: [
      { id: 50, title: 'Calls', is_enabled: true, actions: [{ name: 'endpoint_7', option: 'SEND', value: 'Hello' }, { name: 'tags', option: 'ADD', value: ['called'] }] },
      { id: 51, title: 'Unseen', is_enabled: true, predicate_collections: [{ propositions: [{ field: 'cases.casestatusid', operator: 'comparison_equalto', value: '77' }] }], actions: [{ name: 'tags', option: 'ADD', value: ['seen'] }] },
      { id: 52, title: 'Odd', is_enabled: true, actions: [{ name: 'team', option: 'CHANGE', value: 404 }, { name: 'tags', option: 'ADD', value: ['kept'] }] },
    ],
    sections: [{ id: 60, titles: told('Lost'), category: { id: 404 } }, { id: 61, titles: told('Found'), category: { id: 1 }, visibility: 'PUBLIC' }],
    categories: [{ id: 1, titles: told('All') }],
    articles: [{ id: 70, titles: told('Orphan'), contents: told('<p>x</p>'), section: { id: 60 } }, { id: 71, titles: told('Here'), contents: told('<p onclick="alert(1)">Text</p>'), status: 'PUBLISHED', published_at: '2999-01-01T00:00:00+00:00', author: { id: 404 }, section: { id: 61 } }],
    'articles/71/comments': [{ id: 80, contents: '<script>alert(1)</script>', is_html: true, user: { id: 9 }, replies: [] }, { id: 81, contents: 'Kept', user: { id: 9 }, replies: [{ id: 82, contents: 'Reply', parent: { id: 81 }, user: { id: 404 } }] }],
    users: [person(7, 20), person(8, 21, { teams: [{ id: 3 }, { id: 99 }] }), person(9, 15, { organization: { id: 404 }, created_at: '2999-01-01T00:00:00+00:00' }), person(10, 999), { full_name: 'Nobody' }, person(2 ** 60, 15)],
    cases: [
      { id: 5, subject: 'Kept', requester: { id: 9 }, assigned_agent: { id: 8 }, assigned_team: { id: 3 }, status: { type: 'CLOSED' }, priority: { id: 77, level: 77 }, type: { id: 9, type: 'ODD' }, source_channel: { type: 'HELPCENTER' }, tags: [{ name: 'a,b' }, { name: 'fine' }] },
      { id: 6, subject: 'Orphan', requester: { id: 4040 }, status: { type: 'OWN' } },
    ],
    posts: {
      5: [{ id: 31, contents: 'Later', creator: { id: 8 }, created_at: '2024-01-02T00:00:00+00:00', original: { resource_type: 'case_message', body_text: 'Later', body_html: '<script>alert(1)</script>Later' } },
        { id: 30, contents: 'First', creator: { id: 9 }, created_at: '2024-01-01T00:00:00+00:00', original: { resource_type: 'case_message', body_text: 'First' }, attachments: [{ id: 1, name: '../../etc/passwd', size: 3 }, { id: -4, size: 1 }, { id: 2, size: 2 ** 40 }] },
        { id: 30, contents: 'First again', creator: { id: 9 } }],
    },
    answer: (path) => (path.endsWith('/attachments/1/download') ? 'abcdef' : undefined),
  });
  const done = await importFrom(dir, base, join(directory(), 'copy'), source.clock.file, ['--owner-email', 'p7@source.example']);
  assert.equal(done.status, 0, done.errors);
  const kinds = skipped(done.said);
  for (const what of ['rows without an id', 'times in the future: the time of the import takes their place', 'roles with an unknown type: their people are customers', 'unknown roles of people: they are customers',
    'statuses that are not here: the conversation is open', 'references to a case_priority that is not here', 'references to a case_type that is not here', 'tags that are not valid', 'permissions that are unknown here', 'files without an id, or of more than 1 GiB',
    'contents of files that the source does not give', 'attachments whose file is not in the folder attachments', 'names and addresses of people who were deleted there: a disabled person has their id']) assert.ok(kinds.get(what) > 0, `${what}\n${done.said}`);
  const desk = await new Desk(dir, { people: { owner: { email: 'p7@source.example', password: PASSWORD } } }).start();
  defer(t, () => desk.stop());
  const people = await pages(desk.owner, '/users', { include: 'role' });
  assert.deepEqual(people.map(({ id, role, is_enabled }) => [id, role.title, is_enabled]), [[7, 'Owner', true], [8, 'Reader', true], [9, 'Customer', true], [10, 'Customer', true], [404, 'Customer', false], [4040, 'Customer', false]]);
  const denied = (await desk.owner.fetch('/roles/21/permissions')).filter(({ value }) => !value).map(({ name }) => name);
  assert.deepEqual(denied, ['cases.public_reply']);
  const posts = (await desk.owner.fetch('/cases/5/posts')).reverse();
  assert.deepEqual(posts.map((p) => p.contents), ['First', 'Later']);
  assert.equal(JSON.stringify(posts).includes('alert(1)'), false);
  assert.equal((await desk.owner.fetch('/cases/5')).status.id, 5);
  assert.deepEqual((await desk.owner.fetch('/triggers')).map((r) => [r.id, r.is_enabled, r.actions.map((a) => a.name)]), [[50, false, ['tags']], [52, false, ['tags']]]);
  for (const what of ['actions of triggers whose endpoint or field is not here: the triggers are disabled', 'triggers (the predicate names a case_status that is not here)', 'references to a category that is not here']) assert.ok(kinds.get(what) > 0, `${what}\n${done.said}`);
  assert.match(done.said, /parts of triggers: the rest is imported, disabled \(actions\/0\/value: There is no team/);
  assert.deepEqual((await desk.owner.fetch('/articles', { include: 'locale_field' })).map((r) => [r.id, r.contents[0].translation, r.published_at < '2900']), [[71, '<p>Text</p>', true]]);
  assert.deepEqual((await desk.owner.fetch('/articles/71/comments', { include: 'comment' })).map((c) => [c.contents, c.replies.map((r) => [r.contents, r.user.id])]), [['Kept', [['Reply', 404]]]]);
});

test('a page of a gigabyte, a list without an end of JSON and a source that always fails end the import with a reason', async (t) => {
  const source = await demo(t, { conversations: 1 });
  const ends = async (answer, pattern) => {
    const { base } = await serve(t, answer), dir = target(t);
    const { status, errors } = await importFrom(dir, base, join(directory(), 'copy'), source.clock.file);
    assert.equal(status, 1);
    assert.match(errors, pattern);
    assert.match(errors, /^deskd: nothing was imported into /);
  };
  const megabyte = ' '.repeat(1 << 20);
  await ends((request, response) => {
    let left = 1024;
    const more = () => { while (left-- > 0) if (!response.write(megabyte)) return void response.once('drain', more); response.end(); };
    response.writeHead(200);
    more();
  }, /the reply to .*\/roles\S* is too long/);
  await ends((request, response) => response.writeHead(404).end('{"status":404}'), /answers 404 to .*: it does not speak this API/);
  await ends((request, response) => response.writeHead(302, { Location: 'http://192.0.2.1/' }).end(), /answers 302/);
  await ends((request, response) => response.writeHead(429, { 'Retry-After': '7200' }).end(), /asks for a pause of 120 minutes: run the command again/);
  await ends((request, response) => response.end('{"status":200}'.repeat(3)), /the reply is no JSON.*run the command again/);
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { defer } from './defer.mjs';
import { raw } from './bodies.mjs';
import { BINARY, Desk, PASSWORD, deskd, directory } from './desk.mjs';
import { createDatabase, dropDatabase, passwordFile, store } from './stores.mjs';

// Sources of deskd import --from-api, and the command.

export const OWNER = 'owner@example.com';

/** An HTTP server on 127.0.0.1: {base, asked, stop}. `asked` has the path of each request. */
export async function serve(t, answer) {
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
export function proxy(t, desk, fault) {
  return serve(t, (request, response, n) => {
    const wrong = fault(n, request.url);
    if (wrong === 'throttle') return void response.writeHead(429, { 'Retry-After': '0' }).end('{"status":429}');
    if (wrong === 'later') return void response.writeHead(429, { 'Retry-After': '7200' }).end('{"status":429}');
    if (wrong === 'fail') return void response.writeHead(503).end('<h1>Bad gateway</h1>');
    if (wrong === 'deny') return void response.writeHead(403).end('{"status":403}');
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

export function target(t) {
  const dir = directory();
  createDatabase(dir);
  defer(t, () => dropDatabase(dir));
  return dir;
}

export function credentials(text = `${OWNER}:${PASSWORD}`) {
  const file = join(directory(), 'credentials');
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  return file;
}

/** Runs the import beside the servers of this process: {status, said, errors}. `began(child)` gets the process. */
export function run(args, { env = {}, began = () => {} } = {}) {
  const child = spawn(BINARY, ['import', ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env }, timeout: 240_000 });
  let said = '', errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => { said += text; });
  child.stderr.setEncoding('utf8').on('data', (text) => { errors += text; });
  began(child);
  return new Promise((resolve) => { child.on('close', (status) => resolve({ status, said, errors })); });
}

export const importFrom = (dir, base, copy, clock, more = [], options = {}) => run([...store(dir), '--from-api', base, '--copy', copy, '--clock', clock, '--owner-email', OWNER, '--password-file', passwordFile(),
  ...(options.env ? [] : ['--credentials-file', credentials()]), ...more], options);

export async function serving(t, dir) {
  const desk = await new Desk(dir, { people: { owner: { email: OWNER, password: PASSWORD } } }).start();
  defer(t, () => desk.stop());
  return desk;
}

export const fetched = (said) => Number(/fetched (\d+) rows/.exec(said)[1]);
export const skipped = (said) => new Map([...said.matchAll(/^deskd: not imported, (\d+): (.*?)(?: \(for example .*\))?$/gm)].map(([, n, what]) => [what, Number(n)]));

/** A desk that was imported from `source`, and the next run into it. `deny(pattern)`: the source refuses such requests from now on. `killed` is a run that is killed while it writes, or shortly before or after it. */
export async function trial(t, source) {
  let asked = () => {}, checked = false, denied = null;
  const { base } = await proxy(t, source, (n, url) => { if (/\/cases\?.*fields=id/.test(url)) asked(); return denied?.test(url) ? 'deny' : null; });
  const dir = target(t), copy = join(directory(), 'copy');
  const first = await importFrom(dir, base, copy, source.clock.file);
  assert.equal(first.status, 0, first.errors);
  const desk = await serving(t, dir);
  const into = async () => {
    source.clock.write(source.clock.now + 120_000); // times of the API have no fractions
    desk.clock.write(source.clock.now);
    await desk.stop();
    const done = await importFrom(dir, base, copy, desk.clock.file);
    await desk.start();
    assert.equal(done.status, 0, done.errors);
    if (!checked) assert.match(deskd('check', ...desk.store).stdout, /no defects/);
    checked = true;
    return { said: done.said, left: skipped(done.said) };
  };
  const later = () => { source.clock.write(source.clock.now + 120_000); desk.clock.write(source.clock.now); };
  const killed = async () => {
    let timer;
    later();
    await desk.stop();
    await importFrom(dir, base, copy, desk.clock.file, [], { began: (child) => { asked = () => { clearTimeout(timer); timer = setTimeout(() => child.kill('SIGKILL'), 40); }; } });
    clearTimeout(timer);
    asked = () => {};
    checked = false;
    await desk.start();
  };
  later();
  return { desk, into, killed, deny: (pattern) => { denied = pattern; }, host: new URL(base).host };
}

export const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** Adds to a demo desk what it lacks of the kinds that are carried. */
export async function furnish(desk) {
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
  await owner.update(`/users/${row.requester.id}`, { field_values: { berth: 'B 12' }, external_identifiers: [{ external_app: 'shop', external_id: 'C-1815' }, { external_app: 'crm', external_id: '7' }] });
  await owner.update(`/organizations/${organization.id}`, { field_values: { ships: '7' }, phones: ['+49 40 7654321', '+49 40 7654322'] });
  const picture = async () => (await owner.create('/files', raw('image/png', PIXEL), { query: { _filename: 'dot.png' } })).id;
  const [drawn, drawing] = [await picture(), await picture()];
  (await owner.post(`/cases/${other.id}/reply`, { contents: `<p>Look: <img src="cid:${drawn}" alt="a"></p>`, channel_options: { html: true }, attachment_file_ids: [drawn] })).must(201);
  const category = await owner.create('/categories', { titles: told('Engines', 'Motoren'), descriptions: told('All.', 'Alle.'), icon: 'CARD' });
  const section = await owner.create('/sections', { titles: told('Oil', 'Öl'), category_id: category.id, visibility: 'AGENTS', team_ids: [team.id], tags: ['vip'] });
  const file = await owner.create('/files', raw('text/plain', Buffer.from('Parts')), { query: { _filename: 'list.txt' } });
  const article = await owner.create('/articles', { titles: told('Change the oil', 'Öl wechseln'), contents: told(`<p>Open <b>it</b>: <img src="cid:${drawing}" alt="b"></p>`, '<p>Öffnen.</p>'), section_id: section.id, status: 'PUBLISHED', tags: ['oil'], keywords: 'oil, change', attachment_file_ids: [file.id, drawing] });
  const comment = await desk.customer.create('/articles/1/comments', { contents: 'It helped.' });
  await owner.create('/articles/1/comments', { contents: 'Good.', parent_id: comment.id });
  const brand = await owner.create('/brands', { name: 'Boats', sub_domain: 'boats', color: '#0b4fc4', time_zone: 'Europe/Berlin' });
  const letters = (await owner.fetch(`/brands/${brand.id}/templates`)).find((row) => row.contents.includes('{{link}}'));
  await owner.update(`/brands/${brand.id}/templates/${letters.name}`, { contents: letters.contents.replace('{{link}}', 'Boats: {{link}}') });
  await owner.update(`/cases/${other.id}`, { brand_id: brand.id });
  const endpoint = await owner.create('/endpoints', { title: 'Pager', type: 'HTTP', attributes: { url: 'https://pager.example/hook', use_auth: true, auth_username: 'desk', auth_password: 'secret' } });
  await owner.create('/triggers', { title: 'Calls', channel: 'API', predicate_collections: [{ propositions: [{ field: 'cases.brandid', operator: 'comparison_equalto', value: String(brand.id) }] }], actions: [{ name: `endpoint_${endpoint.id}`, option: 'SEND', value: 'Ring' }] });
  await owner.create('/mailboxes', { address: 'boats@source.example', name: 'Boats', brand_id: brand.id, team_id: team.id, imap_host: 'imap.source.example', imap_user: 'boats', imap_password: 'secret' });
  await owner.post(`/conversations/${row.id}/ratings`, { score: 'GOOD', comment: 'Quick.' });
  await owner.update(`/users/${row.requester.id}/avatar`, { avatar_file_id: await picture() });
  return { status, priority, type, plan, options, article };
}

export async function pages(client, path, query) {
  const all = [];
  for (let offset = 0; ; offset += 100) {
    const page = await client.fetch(path, { ...query, limit: 100, offset });
    all.push(...page);
    if (page.length < 100) return all.sort((a, b) => a.id - b.id);
  }
}

/** A server of the API with the rows of `world`, as a hostile source may send them. */
export function hostile(t, world) {
  const own = { organizations: [], teams: [], roles: [], users: [], cases: [], posts: {}, ...world };
  const row = { created_at: '2024-01-01T00:00:00+00:00', updated_at: '2024-01-01T00:00:00+00:00' };
  return serve(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://source'), path = pathname.replace('/api/v1/', '');
    const posts = /^cases\/(\d+)\/posts$/.exec(path), ids = searchParams.get('ids')?.split(',').map(Number);
    if (path === world.pauses) return void response.writeHead(429, { 'Retry-After': '600' }).end('{"status":429}');
    const own_answer = world.answer?.(path, searchParams);
    if (own_answer !== undefined) return void response.end(typeof own_answer === 'string' ? own_answer : JSON.stringify(own_answer));
    const list = posts ? own.posts[posts[1]] ?? [] : own[path] ?? [];
    const data = list.filter(({ id }) => !ids || ids.includes(id)).map((item) => ({ ...row, ...item })), after = Number(searchParams.get('after_id') ?? 0);
    if (world.overlaps && !ids) { // each page begins with the last two rows of the page before
      const at = after ? Math.max(data.findIndex(({ id }) => id === after) - 1, 0) : 0;
      return void response.end(JSON.stringify({ status: 200, data: data.slice(at, at + 4), total_count: data.length }));
    }
    return void response.end(JSON.stringify({ status: 200, data: after && !world.loops ? [] : data, total_count: data.length }));
  });
}

export const told = (translation) => [{ locale: 'en-us', translation }];
export const ROLES_OF_SOURCE = [[11, 'OWNER'], [12, 'ADMIN'], [13, 'AGENT'], [14, 'COLLABORATOR'], [15, 'CUSTOMER']].map(([id, type]) => ({ id, title: type, type, is_system: true, agent_case_access: 'ALL' }));
export const person = (id, type, more = {}) => ({ id, full_name: `Person ${id}`, is_enabled: true, role: { id: type, type: 'X' }, emails: [{ email: `p${id}@source.example`, is_primary: true, is_validated: true }], ...more });

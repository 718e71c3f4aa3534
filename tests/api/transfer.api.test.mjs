import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Desk, PASSWORD, defer, demo, deskd, dice, directory } from './lib/index.mjs';
import { OWNER, ROLES_OF_SOURCE, fetched, furnish, hostile, importFrom, pages, person, proxy, serve, serving, skipped, target, told } from './lib/source.mjs';
import { store } from './lib/stores.mjs';

// deskd import --from-api: another desk is the source, behind a proxy that fails, throttles and cuts.

const DERIVED = /^(uuid|resource_url|avatar|realtime_channel|presence_channel|url|url_download|thumbnails)$/;
/** A value without what follows from the installation, from rows of other kinds, or from the way in which it was written. */
function essence(value, left) {
  if (Array.isArray(value)) return value.map((v) => essence(v, left));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !DERIVED.test(name) && !left.test(name)).map(([name, v]) => [name, essence(v, left)]));
}

const NO_PERSON = /^(last_.*|updated_at|twitter|facebook|is_mfa_enabled|password_updated_at|avatar_updated_at|is_notification_enabled|pinned_by)$/;
const NO_CASE = /^(last_.*|sla_.*|rating_status|read_marker|agent_updated_at|latest_assignee_update|identity|updated_at)$/;

/** HTML whose pictures of this desk have no address. */
const shown = (desk, html) => html?.replaceAll(new RegExp(`"${desk.base}/api/v1/[^"]*/attachments/\\d+/url"`, 'g'), '"picture"');

const SETTINGS = [
  ['/locales', {}], ['/cases/statuses', {}], ['/cases/priorities', {}], ['/cases/types', {}], ['/businesshours', {}],
  ...['/cases/fields', '/users/fields', '/organizations/fields', '/cases/forms'].map((path) => [path, { include: 'locale_field,field_option' }]),
  ['/slas', { include: 'sla_target,sla_proposition' }], ['/cases/macros', { include: 'tag', show_all: true }], ['/views', { show_all: true }], ['/triggers', {}], ['/monitors', {}],
  ['/categories', { include: 'locale_field', fields: '+icon' }], ['/sections', { include: 'locale_field,tag' }], ['/articles', { include: 'locale_field,tag' }],
];
// Ids of parts, counters of uses, and what a person does at the source.
const NO_SETTING = /^(locale|fielduuid|helpcenter_url|usage_count|last_used_at|last_triggered_at|last_executed_at|views|rank|upvote_count|downvote_count|total_comments|total_articles|conversations|content_id|download_all)$/;
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

/** The replies to GETs of a desk, of the kinds that are carried. */
async function contents(desk) {
  const people = await pages(desk.owner, '/users', { include: 'identity_email,identity_phone,external_identifier,user_field_value', fields: '+tags' });
  const cases = await pages(desk.owner, '/cases', { fields: '+tags', include: 'case_field_value' });
  const told = new Map();
  for (const person of people) told.set(`person ${person.id}`, { ...essence({ ...person, emails: [], phones: [] }, NO_PERSON), external_identifiers: person.external_identifiers.map((x) => [x.external_app, x.external_id]), emails: person.emails.map((e) => [e.email, e.is_primary, e.is_validated]).sort(), phones: person.phones.map((p) => p.number).sort() });
  for (const person of people) told.set(`notes of ${person.id}`, (await desk.owner.fetch(`/users/${person.id}/notes`)).map((n) => [n.body_text, n.is_pinned, n.user.id, n.created_at]).sort());
  for (const row of await pages(desk.owner, '/organizations', { include: 'identity_domain,identity_phone,organization_field_value', fields: '+tags' })) told.set(`organization ${row.id}`, { ...essence({ ...row, domains: [] }, /^(updated_at|addresses|websites)$/), phone: row.phone.map((p) => [p.number, p.is_primary]), domains: row.domains.map((d) => d.domain).sort() });
  for (const row of await pages(desk.owner, '/teams')) told.set(`team ${row.id}`, essence(row, /^updated_at$/));
  for (const row of cases) {
    const { tags, ...rest } = essence(row, NO_CASE);
    const posts = await desk.owner.fetch(`/cases/${row.id}/posts`, { limit: 200, filters: 'MESSAGES,NOTES', include: 'case_message,note,channel' });
    // A conversation that others were merged into begins with the first of all posts.
    told.set(`case ${row.id}`, { ...rest, created_at: [row.created_at, ...posts.map((p) => p.created_at)].sort()[0], tags: tags.map((tag) => tag.name).sort() });
    told.set(`posts of ${row.id}`, await Promise.all(posts.map(async (p) => [p.original.resource_type, p.contents, shown(desk, p.original.body_html), p.creator?.id, p.source_channel?.type, p.created_at, p.original.is_pinned ?? null,
      await Promise.all(p.attachments.map(async (a) => [a.name, a.type, a.size, (await desk.owner.exchange('GET', new URL(a.url_download).pathname)).text]))]).map((p) => p)));
  }
  for (const row of cases) if (row.rating) told.set(`ratings of ${row.id}`, (await desk.owner.fetch(`/conversations/${row.id}/ratings`)).map((r) => [r.score, r.comment, r.creator.id, r.created_at]));
  for (const person of people) if (person.avatar_updated_at) told.set(`picture of ${person.id}`, (await desk.owner.exchange('GET', `/api/v1/users/${person.id}/avatar`)).text.length);
  for (const brand of await pages(desk.owner, '/brands')) told.set(`brand ${brand.id}`, [brand.name, brand.sub_domain, brand.color, brand.time_zone, brand.is_default, (await desk.owner.fetch(`/brands/${brand.id}/templates`)).map((row) => [row.name, row.contents])]);
  for (const row of await pages(desk.owner, '/endpoints')) told.set(`endpoint ${row.id}`, [row.title, row.type, row.attributes]);
  for (const row of await pages(desk.owner, '/mailboxes')) if (!row.is_system) told.set(`mailbox ${row.id}`, [row.address, row.name, row.brand.id, row.team?.id, row.imap_host, row.imap_user]);
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
  const there = await contents(source);
  for (const what of ['ratings of', 'picture of', 'endpoint', 'mailbox']) assert.ok([...there.keys()].some((key) => key.startsWith(what)), what);
  const desk = await serving(t, dir);
  same(there, await contents(desk));
  for (const path of ['/endpoints', '/mailboxes']) assert.deepEqual((await desk.owner.fetch(path)).filter((row) => row.is_enabled && !row.is_system), []);
  for (const what of ['passwords and signing secrets of endpoints: the endpoints are disabled', 'passwords of mailboxes: the mailboxes are disabled and not verified']) assert.ok(kinds.get(what) > 0, done.said);
  assert.equal(desk.sql("SELECT COUNT(*) FROM outgoing_mails WHERE recipient = 'boats@source.example'").trim(), '0');
});

test('an import that was killed goes on where it stopped, and the next one fetches only what has changed', async (t) => {
  const source = await demo(t, { conversations: 120 }), copy = join(directory(), 'copy');
  const isOfPosts = (url) => /\/cases\/\d+\/posts/.test(url), paths = new Set(); // a request that took long is sent again
  let child;
  const first = await proxy(t, source, (n, url) => {
    if (isOfPosts(url) && paths.add(url).size === 110) child.kill('SIGKILL');
    return null;
  });
  const dir = target(t), killed = await importFrom(dir, first.base, copy, source.clock.file, [], { began: (c) => { child = c; } });
  assert.equal(killed.status, null);
  const total = (await source.owner.exchange('GET', '/api/v1/cases?limit=1')).must(200).body.total_count;

  // The folder belongs to one address, so the proxy stays the same.
  const before = first.asked.length, again = await importFrom(dir, first.base, copy, source.clock.file);
  assert.equal(again.status, 0, again.errors);
  const repeated = new Set(first.asked.slice(before).filter(isOfPosts)).size;
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

  // The desk of the trial follows the source, too. Its ids are those of the source.
  const trial = await importFrom(dir, first.base, copy, source.clock.file);
  assert.equal(trial.status, 0, trial.errors);
  assert.match(trial.said, /imported from api into .*: 1 notes, 1 conversations with changes$/m);
  const followed = await serving(t, dir);
  assert.equal((await followed.owner.fetch(`/cases/${one.id}/posts`, { limit: 1 }))[0].contents, 'Seen on the day of the switch.');
  assert.equal((await followed.owner.exchange('GET', '/api/v1/cases?limit=1')).must(200).body.total_count, total);
});

test('a source that stops in the middle of the conversations leaves no desk, and the next run has each conversation once', async (t) => {
  const source = await demo(t, { conversations: 120 }), copy = join(directory(), 'copy'), first = new Set();
  let stops = true, asked = 0;
  const isOfPosts = (url) => /\/cases\/\d+\/posts/.exec(url);
  // The first hundred conversations are in the draft, and the store is being filled with them, when the source refuses.
  const fault = (n, url) => {
    if (!isOfPosts(url)) return null;
    asked++;
    if (first.size < 100) first.add(url.split('?')[0]);
    return stops && !first.has(url.split('?')[0]) ? 'later' : null;
  };
  const { base } = await proxy(t, source, fault), dir = target(t);
  const stopped = await importFrom(dir, base, copy, source.clock.file);
  assert.equal(stopped.status, 1);
  assert.match(stopped.errors, /^deskd: nothing was imported into .*: the source asks for a pause of 120 minutes: run the command again after it$/m);
  assert.equal(stopped.said, '');
  assert.ok(readdirSync(copy).includes('cases.draft'));
  assert.equal(readdirSync(copy).includes('cases.ndjson'), false);

  stops = false;
  asked = 0;
  const again = await importFrom(dir, base, copy, source.clock.file);
  assert.equal(again.status, 0, again.errors);
  assert.ok(asked <= 20, `${asked} lists of posts were read again`);
  assert.deepEqual(readdirSync(copy).filter((name) => /\.(draft|part|joined)$/.test(name)), []);
  assert.match(deskd('check', ...store(dir)).stdout, /no defects/);
  const listed = async (desk) => (await pages(desk.owner, '/cases')).map((row) => [row.id, row.subject, row.post_count]).sort(([one], [other]) => one - other);
  assert.deepEqual(await listed(await serving(t, dir)), await listed(source));
});

test('a conversation that cannot be taken ends the import while the source asks for a pause', async (t) => {
  const source = await demo(t, { conversations: 1 }), dir = target(t), copy = join(directory(), 'copy');
  const post = { id: 1, contents: 'Hello', creator: { id: 9 }, created_at: '2024-01-01T00:00:00+00:00', original: { resource_type: 'case_message', body_text: 'Hello' } };
  const cases = Array.from({ length: 101 }, (_, i) => ({ id: i + 1, subject: i ? 'Fine' : ['no text'], requester: { id: 9 }, status: { type: 'OPEN' } }));
  const { base } = await hostile(t, { users: [person(9, 15)], roles: ROLES_OF_SOURCE, cases, posts: Object.fromEntries(cases.map(({ id }) => [id, [post]])), pauses: 'cases/101/posts' });
  const ended = await importFrom(dir, base, copy, source.clock.file);
  assert.equal(ended.status, 1);
  assert.match(ended.errors, /^deskd: nothing was imported into .*: cases\.ndjson: line 1: subject is not a text$/m);
  assert.ok(readdirSync(copy).includes('cases.draft'));
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
  assert.equal(readdirSync(copy).map((name) => (/attachments$|pictures/.test(name) ? '' : readFileSync(join(copy, name), 'utf8'))).join('').includes(token.token), false);
  const other = await serve(t, (request, response) => response.writeHead(500).end());
  await refused(other.base, /has the data of .*: name another folder with --copy/, [], undefined, copy);
  const again = await importFrom(dir, source.base, copy, source.clock.file);
  assert.equal(again.status, 0, again.errors);
  assert.match(again.said, /^deskd: imported from api into (?:\S+|the database):\s*$/m); // it finds the rows that it has made
});

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

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROLE_ID, demo, deskd, dice, directory } from './lib/index.mjs';
import { OWNER, ROLES_OF_SOURCE, furnish, hostile, importFrom, pages, person, proxy, skipped } from './lib/source.mjs';

// deskd import --from-api into a desk with rows of its own: ids are mapped, and each run finds the rows of the last one.

const title = (row) => row.title ?? row.titles?.[0]?.translation ?? row.label ?? row.name ?? row.full_name;

/** Names of rows by (kind, id), so that references of two desks can be compared. */
async function names(desk) {
  const { owner } = desk, all = new Map();
  const add = async (kind, path, called = title) => { for (const row of await pages(owner, path)) all.set(`${kind} ${row.id}`, called(row)); };
  const typed = (row) => (row.type === 'CUSTOM' ? row.label : row.type); // rows of the system are matched by their type
  await add('status', '/cases/statuses', typed);
  await add('priority', '/cases/priorities');
  await add('type', '/cases/types', typed);
  await add('team', '/teams');
  await add('user', '/users');
  await add('organization', '/organizations');
  await add('form', '/cases/forms');
  for (const path of ['/cases/fields', '/users/fields', '/organizations/fields']) {
    for (const field of await pages(owner, path, { include: 'locale_field,field_option' })) {
      all.set(`field ${path} ${field.id}`, field.key);
      for (const option of field.options ?? []) all.set(`option ${option.id}`, `${field.key}: ${option.values[0].translation}`);
    }
  }
  return (kind, row) => (row ? all.get(`${kind} ${row.id ?? row}`) ?? `no ${kind}` : null);
}

const bytes = async (desk, file) => (await desk.owner.exchange('GET', new URL(file.url_download).pathname)).text;

/** A conversation without ids. */
async function conversation(desk, name, row) {
  const posts = await desk.owner.fetch(`/cases/${row.id}/posts`, { limit: 200, filters: 'MESSAGES,NOTES', include: 'case_message,note,channel' });
  return {
    subject: row.subject, status: name('status', row.status), priority: name('priority', row.priority), type: name('type', row.type), form: name('form', row.form),
    requester: name('user', row.requester), agent: name('user', row.assigned_agent), team: name('team', row.assigned_team), tags: row.tags.map((tag) => tag.name).sort(),
    values: row.custom_fields.filter(({ value }) => value !== '').map(({ field, value }) => [name('field /cases/fields', field), name('option', Number(value)) ?? value]).sort(),
    posts: await Promise.all(posts.map(async (p) => [p.original.resource_type, p.contents, name('user', p.creator), p.created_at, p.original.is_pinned ?? null, await Promise.all(p.attachments.map(async (a) => [a.name, await bytes(desk, a)]))])),
  };
}

const CASES = { fields: '+tags', include: 'case_field_value' };
/** Conversations by their ids at the source, as `desk` has them. host null: by their ids in `desk`. only: these. */
async function conversations(desk, host, only) {
  const name = await names(desk), wanted = [];
  for (const row of await pages(desk.owner, '/cases', CASES)) {
    const id = host ? row.legacy_id?.startsWith(`${host}:`) && row.legacy_id.slice(host.length + 1) : String(row.id);
    if (id && (!only || only.includes(id))) wanted.push([id, row]);
  }
  return new Map(await Promise.all(wanted.map(async ([id, row]) => [id, await conversation(desk, name, row)])));
}

const counted = async (desk) => Object.fromEntries(await Promise.all(['/cases', '/users', '/organizations', '/teams', '/cases/macros', '/views', '/triggers', '/monitors', '/slas', '/articles', '/sections', '/categories', '/cases/forms', '/cases/fields', '/cases/statuses', '/businesshours', '/roles']
  .map(async (path) => [path, (await desk.owner.exchange('GET', `/api/v1${path}?limit=1&show_all=true`)).must(200).body.total_count])));
/** The rows of people, without addresses of the desk and fields that are new. */
const kept = async (desk, ids) => (await pages(desk.owner, '/users', { include: 'identity_email,identity_phone', fields: '+tags' })).filter(({ id }) => ids.includes(id)).map((row) => [
  row.id, row.uuid, row.full_name, row.legacy_id, row.designation, row.is_enabled, row.role.id, row.agent_case_access, row.organization_case_access, row.organization?.id, row.teams.map(({ id }) => id), row.tags.map(({ name }) => name),
  row.emails.map((e) => [e.id, e.email, e.is_primary, e.is_validated, e.updated_at]), row.phones.map((p) => [p.id, p.number, p.updated_at]), row.password_updated_at, row.signature, row.created_at]);

test('an import into a desk with rows of its own maps ids, leaves its people as they are, and makes no row twice', async (t) => {
  const source = await demo(t, { conversations: 40 }), desk = await demo(t, { conversations: 1 }), throws = dice(7), copy = join(directory(), 'copy');
  await furnish(source);
  const faults = ['throttle', 'fail', 'drop', 'cut', 'shorten'];
  let switched = 0, timer, ended = () => {};
  const { base } = await proxy(t, source, (n, url) => {
    if (/\/cases\/\d+\/posts/.test(url)) ended();
    return throws.below(5) === 0 && switched < 2 ? faults[throws.below(faults.length)] : null;
  }), host = new URL(base).host;

  // People of both desks: by a verified address, and a stranger who only claims the address of somebody else.
  const requester = async (i) => { const [row] = await source.owner.fetch('/cases', { limit: 1, offset: i }); return source.owner.fetch(`/users/${row.requester.id}`, { include: 'identity_email' }); };
  const [known, other] = [await requester(0), await requester(7)];
  const begun = (subject) => source.owner.create('/cases', { subject, contents: 'Hello.', requester_id: known.id }), three = await begun('Closed here'), four = await begun('Deleted here');
  for (let i = 0; i < 3; i++) await desk.owner.create('/users', { full_name: `Filler ${i}`, email: `filler${i}@here.example`, role_id: ROLE_ID.customer });
  const before = (await desk.owner.fetch('/users', { email: known.emails[0].email }))[0]
    ?? await desk.owner.create('/users', { full_name: known.full_name, designation: 'Of this desk', email: known.emails[0].email, role_id: ROLE_ID.customer });
  await desk.owner.create('/organizations', { name: 'Filler' });
  await desk.owner.create('/teams', { title: 'Here' });
  const status = await desk.owner.create('/cases/statuses', { label: 'Waits for parts' });
  const own = (await pages(desk.owner, '/users')).map(({ id }) => id), was = await kept(desk, own), had = await counted(desk);
  const ownCases = await conversations(desk);
  const into = async (...more) => {
    await desk.stop();
    const done = await importFrom(desk.dir, base, copy, desk.clock.file, more);
    await desk.start();
    return done;
  };

  // The first run is killed while it writes, whenever that is; the next one goes on.
  await desk.stop();
  await importFrom(desk.dir, base, copy, desk.clock.file, [], { began: (child) => { ended = () => { clearTimeout(timer); timer = setTimeout(() => child.kill('SIGKILL'), 100); }; } });
  clearTimeout(timer);
  ended = () => {};
  await desk.start();
  const done = await into();
  assert.equal(done.status, 0, done.errors);
  const kinds = skipped(done.said);
  assert.equal([...kinds.keys()].some((what) => what.includes('unknown member')), false, done.said);
  assert.match(deskd('check', ...desk.store).stdout, /no defects/);

  const there = await conversations(source), here = await conversations(desk, host);
  assert.deepEqual([...here.keys()].sort(), [...there.keys()].sort());
  for (const [id, told] of there) assert.deepEqual(here.get(id), told, `conversation ${id}`);
  for (const [id, told] of await conversations(desk, null, [...ownCases.keys()])) assert.deepEqual(told, ownCases.get(id), `own conversation ${id}`);
  assert.deepEqual(await kept(desk, own), was);
  assert.equal((await desk.login('agent@example.com').get('/me')).must(200).data.email ?? 'agent', 'agent');
  assert.equal((await desk.owner.fetch('/users', { role: 'OWNER' })).length, (await source.owner.fetch('/users', { role: 'OWNER' })).length);
  assert.equal((await desk.owner.fetch('/cases', { requester_id: before.id })).length > 0, true);

  // Rules name the rows of this desk, and act on nothing before staff enable them.
  const name = await names(desk), nameThere = await names(source);
  const [view] = (await pages(desk.owner, '/views', { show_all: true })).filter((v) => v.title === 'Parts');
  const values = view.predicate_collections[0].propositions.map(({ value }) => value);
  assert.equal(values[0], String(status.id));
  assert.equal(name('option', Number(values[1])), 'contract: Tin');
  assert.deepEqual(view.visibility_to_teams.map((team) => name('team', team)).sort(), (await pages(source.owner, '/views', { show_all: true })).filter((v) => v.title === 'Parts')[0].visibility_to_teams.map((team) => nameThere('team', team)).sort());
  const [trigger] = (await pages(desk.owner, '/triggers')).filter((r) => r.title === 'Parts');
  assert.equal(trigger.is_enabled, false);
  assert.deepEqual([Number(trigger.actions[0].value), name('field /cases/fields', Number(trigger.actions[1].name.slice(12))), name('option', Number(trigger.actions[1].value))], [status.id, 'contract', 'contract: Gold']);
  const macro = (await pages(desk.owner, '/cases/macros', { show_all: true })).find((m) => m.title === 'Ours');
  assert.equal(name('team', macro.assignee.team), name('team', macro.visibility.team));
  const article = (await pages(desk.owner, '/articles', { include: 'locale_field' })).find((a) => a.titles[0].translation === 'Change the oil');
  const [, picture] = /<img src="([^"]+)"/.exec(article.contents[0].translation);
  assert.ok(picture.startsWith(`${desk.base}/api/v1/articles/${article.id}/attachments/`), picture);

  // A run without changes changes nothing.
  const counts = await counted(desk), idle = await into();
  assert.equal(idle.status, 0, idle.errors);
  assert.deepEqual(await counted(desk), counts);
  assert.equal(counts['/cases'], had['/cases'] + there.size);

  // The source has changed since.
  switched = 2;
  const open = (await source.owner.fetch('/cases', { include: 'case_status', limit: 100 })).filter((c) => !['CLOSED', 'COMPLETED'].includes(c.status.type)), [one, two] = open.filter(({ id }) => id !== three.id && id !== four.id);
  const hereOf = async ({ id }) => (await desk.owner.fetch('/cases', { legacy_ids: `${host}:${id}` }))[0];
  const closed = await hereOf(three), gone = await hereOf(four);
  await desk.owner.update(`/cases/${closed.id}`, { status_id: (await desk.owner.fetch('/cases/statuses')).find((row) => row.type === 'CLOSED').id });
  (await desk.owner.put(`/cases/${gone.id}/trash`)).must(200);
  source.clock.write(source.clock.now + 120_000);
  desk.clock.write(source.clock.now + 180_000);
  for (const { id } of [one, three, four]) (await source.owner.post(`/cases/${id}/reply`, { contents: 'It is on its way.' })).must(201);
  await source.owner.create(`/cases/${two.id}/notes`, { contents: 'Seen on the day of the switch.' });
  await source.owner.update(`/cases/${two.id}`, { subject: 'Renamed', priority_id: (await source.owner.fetch('/cases/priorities'))[0].id });
  await source.owner.create(`/users/${other.id}/notes`, { contents: 'Calls on Mondays.' });
  const newest = await source.owner.create('/cases', { subject: 'After the trial', contents: 'New.', requester_id: other.id });
  const last = await into();
  assert.equal(last.status, 0, last.errors);
  assert.match(last.said, /3 conversations with changes/);
  for (const what of ['messages of conversations that are closed here', 'changes of conversations that were deleted, merged or put aside here']) assert.equal(skipped(last.said).get(what), 1, last.said);
  const changed = [one.id, two.id, newest.id].map(String), now = await conversations(source, null, changed), then = await conversations(desk, host, changed);
  for (const id of changed) assert.deepEqual(then.get(id), now.get(id), `conversation ${id}`);
  assert.deepEqual(await counted(desk), { ...counts, '/cases': counts['/cases'] }); // one more, and one in the trash
  assert.deepEqual(await kept(desk, own), was);
});

test('an import into a desk needs its server key and an owner, and gives nobody more rights', async (t) => {
  const source = await demo(t, { conversations: 1 }), desk = await demo(t, { conversations: 1 }), copy = join(directory(), 'copy');
  await source.owner.create('/users', { full_name: 'Second Owner', email: 'second@source.example', role_id: ROLE_ID.owner });
  // The source says that the address of an agent of this desk is that of an owner, and knows further addresses of the owner of this desk.
  const agent = (await source.owner.fetch('/users', { email: 'agent@example.com' }))[0], me = await source.owner.fetch('/me');
  await source.owner.update(`/users/${agent.id}`, { role_id: ROLE_ID.owner });
  await source.owner.create('/identities/emails', { email: 'mallory@source.example', user_id: me.id });
  await desk.stop();
  const refused = await importFrom(desk.dir, source.base, copy, desk.clock.file, ['--owner-email', 'agent@example.com']);
  assert.deepEqual([refused.status, refused.said], [1, '']);
  assert.match(refused.errors, /no owner of \S+(?: database)? has the address agent@example.com/);
  const done = await importFrom(desk.dir, source.base, copy, desk.clock.file);
  assert.equal(done.status, 0, done.errors);
  assert.ok(skipped(done.said).get('owners: they are administrators of this desk') > 0, done.said);
  await desk.start();
  const role = async (email) => (await desk.owner.fetch('/users', { email, include: 'role' }))[0]?.role.type;
  assert.deepEqual([await role('agent@example.com'), await role('second@source.example'), await role(OWNER), await role('mallory@source.example')], ['AGENT', 'ADMIN', 'OWNER', undefined]);
});

test('ids that repeat, pages that overlap, rows that are missing and dates in the future make each row once in a desk with rows of its own', async (t) => {
  const desk = await demo(t, { conversations: 1 }), copy = join(directory(), 'copy'), FUTURE = '2999-01-01T00:00:00+00:00';
  const post = (id, text, more = {}) => ({ id, contents: text, creator: { id: 8 }, original: { resource_type: 'case_message', body_text: text }, ...more });
  const { base } = await hostile(t, {
    overlaps: true,
    roles: ROLES_OF_SOURCE,
    teams: [{ id: 3, title: 'Night' }, { id: 3, title: 'Night again' }],
    organizations: [{ id: 1, name: 'Source' }, { id: 1, name: 'Source again' }],
    users: [person(7, 13, { teams: [{ id: 3 }, { id: 99 }] }), person(7, 11, { full_name: 'Again' }), person(8, 15, { organization: { id: 404 }, created_at: FUTURE }), person(9, 999), person(10, 15), person(11, 15), person(12, 15), person(13, 11)],
    'cases/macros': [{ id: 90, title: 'Lost', visibility: { type: 'TEAM', team: { id: 99 } }, assignee: { type: 'AGENT', agent: { id: 404 } } }],
    cases: [
      { id: 5, subject: 'First', requester: { id: 8 }, assigned_agent: { id: 404 }, assigned_team: { id: 99 }, status: { type: 'OPEN' }, created_at: FUTURE, updated_at: FUTURE },
      { id: 5, subject: 'Again', requester: { id: 8 }, status: { type: 'OPEN' } }, { id: 6, subject: 'Orphan', requester: { id: 4040 }, status: { type: 'OPEN' } },
      ...[7, 8, 9, 10].map((id) => ({ id, subject: `Further ${id}`, requester: { id: 10 }, status: { type: 'OPEN' } })),
    ],
    posts: { 5: [post(30, 'Kept', { created_at: FUTURE }), post(30, 'Kept again'), post(31, 'Of nobody', { creator: { id: 505 } })], 7: [post(30, 'Moved')] },
  }), host = new URL(base).host, was = await counted(desk);
  const into = async () => {
    await desk.stop();
    const done = await importFrom(desk.dir, base, copy, desk.clock.file);
    await desk.start();
    assert.equal(done.status, 0, done.errors);
    return skipped(done.said);
  };
  const kinds = await into();
  for (const what of ['times in the future: the time of the import takes their place', 'unknown roles of people: they are customers', 'owners: they are administrators of this desk',
    'names and addresses of people who were deleted there: a disabled person has their id', 'references to a team that is not here', 'references to a user that is not here']) assert.ok(kinds.get(what) > 0, `${what}\n${[...kinds.keys()].join('\n')}`);
  const now = new Date(desk.clock.now).toISOString(), people = (await pages(desk.owner, '/users', { include: 'role' })).filter((row) => row.legacy_id?.startsWith(`${host}:`));
  assert.deepEqual(people.map((row) => [Number(row.legacy_id.split(':').pop()), row.role.type, row.is_enabled]).sort((a, b) => a[0] - b[0]),
    [[7, 'AGENT', true], [8, 'CUSTOMER', true], [9, 'CUSTOMER', true], [10, 'CUSTOMER', true], [11, 'CUSTOMER', true], [12, 'CUSTOMER', true], [13, 'ADMIN', true], [505, 'CUSTOMER', false], [4040, 'CUSTOMER', false]]);
  for (const row of people) assert.ok(row.created_at < now, row.created_at);
  const rows = (await pages(desk.owner, '/cases')).filter((row) => row.legacy_id?.startsWith(`${host}:`));
  assert.deepEqual(rows.map((row) => [Number(row.legacy_id.split(':').pop()), row.subject, row.assigned_team, row.assigned_agent]).sort((a, b) => a[0] - b[0]),
    [[5, 'First', null, null], [6, 'Orphan', null, null], ...[7, 8, 9, 10].map((id) => [id, `Further ${id}`, null, null])]);
  for (const row of rows) assert.ok(row.created_at < now && row.updated_at < now, row.updated_at);
  assert.deepEqual((await desk.owner.fetch(`/cases/${rows.find((row) => row.subject === 'First').id}/posts`, { filters: 'MESSAGES' })).map((p) => p.contents).sort(), ['Kept', 'Of nobody']);
  assert.match(deskd('check', ...desk.store).stdout, /no defects/);
  const counts = await counted(desk);
  assert.deepEqual([counts['/cases'] - was['/cases'], counts['/teams'] - was['/teams'], counts['/organizations'] - was['/organizations']], [6, 1, 1]);
  await into();
  assert.deepEqual(await counted(desk), counts);
});

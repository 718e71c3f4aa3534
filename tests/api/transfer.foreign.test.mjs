import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Desk, PASSWORD, defer, deskd, directory, until } from './lib/index.mjs';
import { createDatabase, dropDatabase, passwordFile, query, store } from './lib/stores.mjs';

// deskd import --from-zendesk and --from-zammad, with exports that have the shape of recorded replies of these systems (tests/transfer/README.md).

/** A copy of an export. */
function copyOf(system) {
  const to = join(directory(), system);
  cpSync(fileURLToPath(new URL(`../transfer/${system}`, import.meta.url)), to, { recursive: true });
  return to;
}

function target(t) {
  const dir = directory();
  createDatabase(dir);
  defer(t, () => dropDatabase(dir));
  return dir;
}

const importFrom = (dir, system, from) => deskd('import', ...store(dir), `--from-${system}`, from, '--owner-email', 'lotte@lumen.example', '--owner-name', 'Lotte', '--password-file', passwordFile());

/** Imports a system's export, and starts the desk: {desk, said, users, logged}. `logged` is the change log of the import, because a desk deletes old entries. */
async function imported(t, system) {
  const dir = target(t), { status, stdout, stderr } = importFrom(dir, system, copyOf(system));
  assert.equal(status, 0, stdout + stderr);
  assert.equal(stderr, '');
  assert.equal(deskd('check', ...store(dir)).stdout.includes('no defects'), true);
  const logged = query(dir, "SELECT kind || ' ' || object_id || ' ' || COALESCE(property || ' ' || COALESCE(new_value, ''), '-') FROM change_log WHERE kind <> 'case' ORDER BY id").trim().split('\n');
  const desk = await new Desk(dir, { people: { owner: { email: 'lotte@lumen.example', password: PASSWORD } } }).start();
  defer(t, () => desk.stop());
  const users = new Map((await desk.owner.fetch('/users', { limit: 100, include: '*' })).map((user) => [user.legacy_id, user]));
  const found = async (id) => (await desk.owner.fetch('/cases', { legacy_ids: `${system}:${id}`, include: '*' }))[0];
  const posts = async (id, filters) => (await desk.owner.fetch(`/cases/${id}/posts`, { limit: 100, filters, include: '*' })).reverse();
  return { desk, said: stdout, users, found, posts, logged };
}

function refused(result, pattern) {
  assert.equal(result.status, 1, result.stdout + result.stderr);
  assert.match(result.stderr, /^deskd: [^\n]+\n$/);
  assert.match(result.stderr, pattern);
}

const names = (said) => [...said.matchAll(/^deskd: not imported, (\d+): (.*) \(for example (.*)\)$/gm)].map(([, n, what, example]) => `${n} ${what}: ${example}`);

test('people, organizations and teams of Zendesk become those of the desk, with the access that they had', async (t) => {
  const { desk, users } = await imported(t, 'zendesk');
  const carl = users.get('zendesk:4992781700005'), amir = users.get('zendesk:360786700002');
  assert.deepEqual([carl.full_name, carl.role.title, carl.organization.name, carl.created_at], ['Carl Öberg', 'Customer', 'Harbour Bakery', '2020-02-10T12:00:00+00:00']);
  assert.deepEqual([carl.emails.map(({ email }) => email).sort(), carl.phones.map(({ number }) => number)], [['carl.oberg@post.example', 'carl@harbour-bakery.example'], ['+46 8 123 456 78']], 'further addresses are in the file identities');
  assert.deepEqual(['360786700002', '9515132900004', '9515132900005', '360786700003', '361089700001'].map((id) => users.get(`zendesk:${id}`)).map((user) => [user.role.title, user.agent_case_access]),
    [['Agent', 'TEAMS'], ['Collaborator', 'ALL'], ['Agent', 'SELF'], ['Admin', 'ALL'], ['Owner', 'ALL']], 'a light agent is a collaborator, and a restricted agent stays one');
  assert.deepEqual([carl.organization_case_access, users.get('zendesk:8841240600006').organization_case_access], ['ORGANIZATION', 'REQUESTED']);
  assert.deepEqual(['8841240600006', '6128164800007', '5527111800008'].map((id) => users.get(`zendesk:${id}`)).map((user) => [user.is_enabled, user.emails.length, user.phones.length]),
    [[false, 1, 0], [false, 0, 0], [true, 0, 1]], 'suspended and deleted people are disabled; a caller has only a number');

  const lotte = users.get('zendesk:361089700001');
  assert.deepEqual([lotte.phones[0].number, lotte.organization.name, (await desk.owner.fetch(`/users/${lotte.id}/notes`))[0].body_text], ['+46 8 555 00 00', 'Two Rivers School', 'Teaches on Fridays.'], 'the owner, too');

  const teams = await desk.owner.fetch('/teams', { include: '*' });
  assert.deepEqual(teams.map(({ title }) => title).sort(), ['Billing', 'Repairs'], 'a deleted group is no team');
  assert.deepEqual((await desk.owner.fetch(`/teams/${teams.find(({ title }) => title === 'Repairs').id}/members`)).map(({ id }) => id), [amir.id]);
  const organizations = await desk.owner.fetch('/organizations', { include: '*' }), bakery = organizations.find(({ name }) => name === 'Harbour Bakery');
  assert.deepEqual(organizations.map(({ name, is_shared }) => [name, is_shared]).sort(), [['Harbour Bakery', true], ['Two Rivers School', false]], 'a deleted organization is left out');
  assert.deepEqual((await desk.owner.fetch(`/organizations/${bakery.id}/notes`)).map((note) => note.body_text), ['Three shops at the quay\n\nAsk for the foreman before nine.']);
  assert.deepEqual((await desk.owner.fetch(`/users/${carl.id}/notes`)).map((note) => note.body_text), ['Foreman\n\nPrefers calls in the morning.']);
});

test('members of groups, organizations and the id of the owner are recorded like changes on the desk', async (t) => {
  const { desk, users, logged } = await imported(t, 'zendesk');
  const amir = users.get('zendesk:360786700002'), lotte = users.get('zendesk:361089700001');
  const told = async (id) => (await desk.owner.fetch(`/users/${id}/activities`, { limit: 100 })).flatMap(({ actions }) => actions.map((a) => [a.field, a.old_value, a.new_value]));
  assert.deepEqual((await told(amir.id)).filter(([field]) => field === 'teams'), [['teams', null, 'Repairs']]);
  assert.deepEqual((await told(lotte.id)).filter(([field]) => field === 'legacy_id' || field === 'organization'), [['legacy_id', null, 'zendesk:361089700001'], ['organization', null, 'Two Rivers School']]);
  assert.deepEqual(logged.filter((entry) => entry.startsWith(`user ${amir.id} `)), [`user ${amir.id} -`, `user ${amir.id} teams Repairs`]);
  const access = (await desk.owner.fetch('/audit_log', { limit: 100, action: 'USER_ACCESS_CHANGED' })).filter(({ object }) => object.id === amir.id);
  assert.deepEqual(access.map(({ details }) => details.changes), [[{ property: 'teams', from: null, to: 'Repairs' }]]);
  assert.deepEqual(logged.filter((entry) => entry.startsWith('organization ')), ['organization 1 -', 'organization 2 -'], 'a new object is one change');
});

test('tickets of Zendesk become conversations, with their comments in order whichever way the file has them', async (t) => {
  const { desk, users, found, posts } = await imported(t, 'zendesk');
  const carl = users.get('zendesk:4992781700005'), amir = users.get('zendesk:360786700002');
  const lamp = await found(35);
  assert.deepEqual([lamp.subject, lamp.status.type, lamp.priority.level, lamp.type.label, lamp.requester.id, lamp.assigned_agent.id, lamp.assigned_team.title, lamp.created_at, lamp.updated_at],
    ['The oven lamp flickers', 'COMPLETED', 3, 'Incident', carl.id, amir.id, 'Repairs', '2021-06-01T07:15:00+00:00', '2021-06-03T16:20:30+00:00']);
  assert.deepEqual((await desk.owner.fetch(`/cases/${lamp.id}/tags`)).map(({ name }) => name).sort(), ['lamp', 'warranty']);
  const said35 = await posts(lamp.id, 'MESSAGES,NOTES');
  assert.deepEqual(said35.map((p) => [p.original.resource_type, p.contents, p.creator.id, p.created_at]), [
    ['case_message', 'It flickers since Monday.', carl.id, '2021-06-01T07:15:00+00:00'],
    ['note', 'Same batch as ticket 12, order a new ballast.', amir.id, '2021-06-01T09:00:00+00:00'],
    ['case_message', '(empty)', amir.id, '2021-06-01T11:00:00+00:00'],
    ['case_message', 'A new lamp is on its way.', amir.id, '2021-06-02T10:00:00+00:00'],
    ['case_message', 'Thank you, it works.', carl.id, '2021-06-03T16:20:00+00:00'],
  ]);
  assert.equal(JSON.stringify(said35).includes('alert(1)'), false, 'HTML is cleaned');
  const [file] = said35[0].attachments;
  assert.deepEqual([said35[0].attachments.length, file.name, file.size], [1, 'lamp.txt', 18]);
  const download = await desk.owner.exchange('GET', `/api/v1/cases/${lamp.id}/messages/${said35[0].id}/attachments/${file.id}/download`);
  assert.deepEqual([download.status, download.text], [200, 'the lamp flickers\n']);

  const statuses = new Map();
  for (const id of [1, 36, 37, 40, 145, 146]) statuses.set(id, (await found(id)).status.type);
  assert.deepEqual([...statuses], [[1, 'CLOSED'], [36, 'NEW'], [37, 'PENDING'], [40, 'CLOSED'], [145, 'PENDING'], [146, 'OPEN']]);
  const internal = await found(37);
  assert.deepEqual((await posts(internal.id, 'MESSAGES,NOTES')).map((p) => [p.original.resource_type, p.contents]), [['case_message', 'Opened by an agent'], ['note', 'internal only']], 'a private comment never becomes a message');
  assert.deepEqual([await found(38), await found(39)], [undefined, undefined]);
  assert.equal((await desk.owner.fetch('/search', { query: 'ballast', resources: 'CASES' })).length, 1, 'posts are in the search index');
});

test('the summary of an import lists all that Zendesk sent and the desk has not', async (t) => {
  const { said } = await imported(t, 'zendesk');
  assert.match(said, /^deskd: imported from zendesk into .*: 2 organizations, 5 notes, 2 teams, 2 agents, 1 administrators, 1 collaborators, 4 customers, 1 attachments, 7 conversations, 11 messages$/m);
  assert.deepEqual(names(said).sort(), [
    '1 accounts of people with other services: zendesk:4992781700005',
    '1 addresses and numbers of people who were not imported: zendesk:4040',
    '1 attachments whose file is not in the folder attachments: zendesk:35',
    '1 attachments with malware: zendesk:35',
    '1 authors who are not among the people: the owner is shown in their place: zendesk:40',
    '1 deleted groups: zendesk:7282618800299',
    '1 deleted organizations: zendesk:8841213400959',
    '1 deleted tickets: zendesk:38',
    '1 due times of tasks: zendesk:37',
    '1 e-mail addresses that are not valid, or belong to another person: zendesk:6128164800007',
    '1 external ids: zendesk:4992781700005',
    '1 files of tickets that were not imported: comments/99.json',
    '1 files with other names: satisfaction_ratings.json',
    '1 links of incidents to their problem: zendesk:35',
    '1 lists of people in copy: zendesk:35',
    '1 memberships of people or teams that were not imported: zendesk:4992781700005',
    '1 pages that follow a file: comments/40.json',
    '1 pictures of people: zendesk:360786700002',
    '1 ratings: zendesk:35',
    '1 recordings and data of calls: zendesk:145',
    '1 roles of one\'s own: the person has the role Agent: zendesk:9515132900005',
    '1 tickets whose requester is not among the people: zendesk:39',
    '1 values of fields of organizations: zendesk:360033500136',
    '1 values of fields of people: zendesk:4992781700005',
    '2 comments of tickets without a list of them: only the description was imported: zendesk:36',
    '2 domains that are not valid, or belong to another organization: zendesk:360033500136',
    '2 values of custom fields: zendesk:35',
  ]);
});

test('people, organizations, groups and tickets of Zammad become those of the desk', async (t) => {
  const { desk, said, users, found, posts } = await imported(t, 'zammad');
  const hugo = users.get('zammad:4'), greta = users.get('zammad:3'), ole = users.get('zammad:14'), guest = users.get('zammad:26');
  assert.deepEqual([hugo.full_name, hugo.role.title, hugo.organization.name, hugo.organization.is_shared, greta.role.title, users.get('zammad:5').is_enabled], ['Hugo Berg', 'Customer', 'Northern Ferries', true, 'Admin', false]);
  assert.deepEqual(hugo.phones.map(({ number }) => number).sort(), ['+49 170 7654321', '+49 30 1234567']);
  assert.deepEqual((await desk.owner.fetch(`/users/${hugo.id}/notes`)).map((note) => note.body_text), ['Speaks Danish.']);
  assert.deepEqual((await desk.owner.fetch(`/organizations/${hugo.organization.id}/notes`)).map((note) => note.body_text), ['Ramp contract until spring.']);
  assert.deepEqual([ole.role.title, guest.full_name, users.get('zammad:27').full_name, users.get('zammad:5').full_name], ['Agent', 'guest@pier.example', 'John Pier', 'former'], 'the file roles explains roles of one\'s own');
  const ramp = await found(10);
  assert.deepEqual([ramp.subject, ramp.status.type, ramp.priority.level, ramp.requester.id, ramp.assigned_agent.id, ramp.assigned_team.title], ['The ramp is stuck', 'COMPLETED', 3, hugo.id, greta.id, 'Harbour']);
  assert.deepEqual((await desk.owner.fetch(`/cases/${ramp.id}/tags`)).map(({ name }) => name).sort(), ['ramp', 'urgent']);
  const list = await posts(ramp.id, 'MESSAGES,NOTES');
  assert.deepEqual(list.map((p) => [p.original.resource_type, p.contents, p.creator.id]), [['case_message', 'It does not move.', hugo.id], ['note', 'The pump needs oil.', greta.id], ['case_message', 'It is repaired.', greta.id]]);
  assert.deepEqual(list[0].attachments.map(({ name, size }) => [name, size]), [['ramp.csv', 13]]);
  assert.deepEqual([(await found(11)).status.type, await found(12), (await found(15)).status.type], ['PENDING', undefined, 'OPEN']);

  assert.deepEqual([ramp, await found(11), await found(13), await found(15)].map((c) => c.source_channel.type), ['MAIL', 'MAIL', 'HELPCENTER', 'HELPCENTER'], 'the first article decides, then create_article_type');
  const winch = await found(13);
  assert.deepEqual([winch.status.type, winch.requester.id, winch.assigned_agent.id, winch.assigned_team.title], ['COMPLETED', guest.id, ole.id, 'Harbour::East'], 'the file ticket_states explains states of one\'s own');
  assert.deepEqual((await desk.owner.fetch(`/cases/${winch.id}/tags`)).map(({ name }) => name).sort(), ['noise', 'winch'], 'tags are in tags/TICKET.json');
  assert.deepEqual((await posts(winch.id, 'MESSAGES,NOTES')).map((p) => [p.original.resource_type, p.contents, p.creator.id]), [['case_message', 'It hums at night.', guest.id], ['note', 'Heard it, too.', ole.id]]);
  assert.deepEqual(names(said).sort(), [
    '1 articles by the system (automatic replies): zammad:10',
    '1 articles that are counted in tickets, but are not in the files: zammad:13',
    '1 attachments whose file is not in the folder attachments: zammad:10',
    '1 merged or removed tickets: zammad:12',
    '1 people in copy of articles: zammad:10',
    '1 postal addresses: zammad:4',
    '1 second organizations of people: zammad:4',
    '1 the system user of Zammad: zammad:1',
    '1 tickets without a file of articles: only the title was imported: zammad:11',
    '1 times of reminders: zammad:11',
    '1 unknown priorities: zammad:15',
    '1 unknown states: without the file ticket_states, the conversation is open: zammad:15',
    '1 values of the unknown member vessel of tickets: zammad:13',
    '1 working times: zammad:10',
  ]);

  const greeted = await desk.owner.create('/conversations', { subject: 'Next', contents: 'x' });
  assert.ok(greeted.id > ramp.id);
  const audited = async () => (await desk.owner.fetch('/audit_log', { limit: 100 })).map(({ action }) => action);
  await until('the import is in the audit log', async () => (await audited()).includes('DESK_IMPORTED') || undefined);
  assert.ok((await audited()).includes('STAFF_CREATED'));
  await desk.stop();
  assert.equal(deskd('check', ...desk.store).status, 0, 'the chain of the audit log begins with the key of the desk');
});

test('ids with a fraction of zeros or as texts are the same ids, because exporters write them so', async (t) => {
  const from = copyOf('zendesk');
  for (const [file, change] of [['users.ndjson', (text) => text.replace(/"(id|organization_id)":(\d+)/g, '"$1":$2.0')], ['tickets.ndjson', (text) => text.replace(/"(id|requester_id|author_id)":(\d+)/g, '"$1":"$2"')]])
    writeFileSync(join(from, file), change(readFileSync(join(from, file), 'utf8')));
  const { status, stdout, stderr } = importFrom(target(t), 'zendesk', from);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /7 conversations, 11 messages/);
});

test('files of one list are read by their numbers, with a byte order mark or without, whatever their ending', async (t) => {
  const from = copyOf('zendesk'), dir = target(t), users = join(from, 'users.ndjson');
  const lines = readFileSync(users, 'utf8').trim().split('\n'), ids = lines.map((line) => JSON.parse(line).id);
  rmSync(users);
  writeFileSync(join(from, 'users_2.jsonl'), `\ufeff${lines.slice(3).join('\n')}\n\n`);
  writeFileSync(join(from, 'users_10.json'), `\ufeff${JSON.stringify({ users: lines.slice(0, 3).map((line) => JSON.parse(line)) }, null, 1)}`);
  writeFileSync(join(from, 'users_10x.json'), 'of another program');
  writeFileSync(join(from, 'users.txt'), 'of nobody');
  const { status, stdout, stderr } = importFrom(dir, 'zendesk', from);
  assert.equal(status, 0, stderr);
  for (const count of ['2 agents', '1 administrators', '1 collaborators', '4 customers']) assert.ok(stdout.includes(count), stdout);
  assert.match(stdout, /2: files with other names \(for example (satisfaction_ratings|users_10x)\.json\)/);
  const order = query(dir, "SELECT legacy_id FROM users WHERE legacy_id LIKE 'zendesk:%' ORDER BY id").trim().split('\n').map((id) => Number(id.slice(8)));
  const place = (id) => order.indexOf(id), first = ids.slice(1, 3).map(place).filter((n) => n >= 0), last = ids.slice(3).map(place).filter((n) => n >= 0);
  assert.ok(first.length && last.length && Math.max(...last) < Math.min(...first), `users_2 comes before users_10: ${order}`);
});

test('an attachment whose name or type a desk refuses gets a plain one, and a path is none of its name', async (t) => {
  for (const [name, type, ...expected] of [['../lamp\\u0007.txt', 'text plain', 'attachment', 'application/octet-stream'], ['../../lamp.txt', 'text/plain', 'lamp.txt', 'text/plain']]) {
    const from = copyOf('zendesk'), dir = target(t), file = join(from, 'tickets.ndjson');
    const text = readFileSync(file, 'utf8'), changed = text.replace(/("id":365962100158,.*?"file_name":")[^"]*(".*?"content_type":")[^"]*(")/, `$1${name}$2${type}$3`);
    assert.notEqual(changed, text);
    writeFileSync(file, changed);
    const { status, stderr } = importFrom(dir, 'zendesk', from);
    assert.equal(status, 0, stderr);
    assert.equal(query(dir, "SELECT name || '|' || content_type FROM files WHERE name <> 'logo'").trim().split('\n').at(-1), expected.join('|'));
  }
});

test('without the files of roles and states of Zammad, the summary names the people and tickets concerned', async (t) => {
  const from = copyOf('zammad');
  for (const file of ['roles.json', 'ticket_states.json']) rmSync(join(from, file));
  const { status, stdout, stderr } = importFrom(target(t), 'zammad', from);
  assert.equal(status, 0, stderr);
  for (const left of [/1: roles of one's own: without the file roles, people with groups are agents \(for example zammad:14\)/, /2: unknown states: .* \(for example zammad:13\)/]) assert.match(stdout, left);
  assert.match(stdout, /1 administrators, 3 customers, 2 agents/);
});

test('a wrong file of another system is refused with its name and place, and nothing is imported', async (t) => {
  const dir = target(t);
  const replace = (file, from, to) => (folder) => writeFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8').replace(from, to));
  const again = (file) => (folder) => appendFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8').split('\n')[2] + '\n');
  for (const [system, spoil, pattern] of [
    ['zendesk', (f) => rmSync(join(f, 'tickets.ndjson')), /has no file tickets\.json: docs\/TRANSFER\.md lists the files/],
    ['zendesk', (f) => truncateSync(join(f, 'tickets.ndjson'), 3500), /nothing was imported into .*: tickets\.ndjson: line 1: byte 3501: /],
    ['zendesk', (f) => truncateSync(join(f, 'tickets.ndjson'), 12000), /: tickets\.ndjson: line [2-9]: byte \d+: /],
    ['zendesk', (f) => truncateSync(join(f, 'comments/40.json'), 100), /tickets\.ndjson: line 6: comments\/40\.json: line 2: byte \d+: /],
    ['zendesk', replace('groups.json', '"groups"', '"crowds"'), /groups\.json has neither a list nor a member "groups" with one/],
    ['zendesk', replace('users.ndjson', '"created_at":"2019-01-03T08:00:00Z"', '"created_at":"yesterday"'), /: users\.ndjson: line 2: created_at is not a time \(ISO 8601\)\n/],
    ['zendesk', replace('users.ndjson', '"tags":[]', '"tags":"vip"'), /: users\.ndjson: line 2: tags is not a list\n/],
    ['zendesk', replace('users.ndjson', '"suspended":true', '"suspended":"true"'), /: users\.ndjson: line 7: suspended is not true or false\n/],
    ['zendesk', replace('users.ndjson', '"id":8841240600006,', '"id":null,'), /: users\.ndjson: line 7: id is missing\n/],
    ['zendesk', replace('users.ndjson', '"id":8841240600006,', '"id":8841240600006.5,'), /: users\.ndjson: line 7: id is not a whole number\n/],
    ['zendesk', replace('tickets.ndjson', '"id":36,', '"id":-36,'), /: tickets\.ndjson: line 2: id is not above 0\n/],
    ['zendesk', replace('tickets.ndjson', '"requester_id":8841240600006', '"requester_id":{}'), /: tickets\.ndjson: line 2: requester_id is not a whole number\n/],
    ['zendesk', replace('tickets.ndjson', '"public":false', '"public":"false"'), /: tickets\.ndjson: line 1: comments\[3\]\.public is not true or false\n/],
    ['zendesk', replace('tickets.ndjson', '"public":false,', ''), /: tickets\.ndjson: line 1: comments\[3\]\.public is missing\n/],
    ['zendesk', replace('tickets.ndjson', '"id":365962100159', '"id":"gone.jpg"'), /: tickets\.ndjson: line 1: comments\[4\]\.attachments\[1\]\.id is not a whole number\n/],
    ['zendesk', replace('comments/40.json', /\{"id":407609500921.*\}/, '407609500921'), /: tickets\.ndjson: line 6: comments\/40\.json: comments\[1\] is not an object\n/],
    ['zendesk', replace('comments/40.json', '"id":407609500921', '"id":407609500920'), /: tickets\.ndjson: line 6: posts: id 407609500920 is there twice: remove the older one of the two\n/],
    ['zendesk', replace('comments/40.json', '"id":407609500921', '"id":699743000537'), /: tickets\.ndjson: line 6: posts: id 699743000537 is there twice/],
    ['zendesk', replace('identities.json', '"id":376062700554', '"id":376062700553'), /: identities\.json: item 2: id 376062700553 is there twice/],
    ['zendesk', (f) => { rmSync(join(f, 'attachments/365962100158')); mkdirSync(join(f, 'attachments/365962100158')); }, /: tickets\.ndjson: line 1: .*attachments\/365962100158 is not a file\n/],
    ['zendesk', (f) => { renameSync(join(f, 'attachments/365962100158'), join(f, 'away')); symlinkSync(join(f, 'away'), join(f, 'attachments/365962100158')); }, /: tickets\.ndjson: line 1: .*attachments\/365962100158 can't be read: /],
    ['zendesk', replace('comments/40.json', '"comments"', '"remarks"'), /: tickets\.ndjson: line 6: comments\/40\.json has neither a list nor a member "comments" with one\n/],
    ['zendesk', (f) => writeFileSync(join(f, 'groups.ndjson'), 'x\n'), /: groups\.ndjson: line 1: byte 1: /],
    ['zendesk', (f) => writeFileSync(join(f, 'groups.json'), ''), /: groups\.json: line 1: byte 1: /],
    ['zendesk', (f) => writeFileSync(join(f, 'groups.json'), '\n \n'), /: groups\.json: line 3: byte 1: /],
    ['zammad', (f) => writeFileSync(join(f, 'tickets.json'), ''), /: tickets\.json: line 1: byte 1: /],
    ['zammad', (f) => { rmSync(join(f, 'tickets.json')); assert.equal(spawnSync('mkfifo', [join(f, 'tickets.json')]).status, 0); }, /tickets\.json can't be read: it is not a regular file/],
    ['zammad', (f) => { renameSync(join(f, 'tickets.json'), join(f, 'away')); symlinkSync(join(f, 'away'), join(f, 'tickets.json')); }, /tickets\.json can't be read: it is a symbolic link/],
    ['zendesk', again('users.ndjson'), /: users\.ndjson: line 10: id 360786700003 is there twice: remove the older one of the two\n/],
    ['zendesk', again('tickets.ndjson'), /: tickets\.ndjson: line 10: id 37 is there twice/],
    ['zendesk', replace('groups.json', '"id":7282618800231', '"id":360003000836'), /: groups\.json: item 2: id 360003000836 is there twice/],
    ['zammad', replace('organizations.json', '"id":10', '"id":2'), /: organizations\.json: item 3: id 2 is there twice/],
    ['zammad', replace('users.json', '{"id":3,', '7, {"id":3,'), /users\.json: item 2 is only an id: export the objects themselves/],
    ['zammad', replace('users.json', '{"id":3,', '[], {"id":3,'), /users\.json: item 2 is not an object/],
    ['zammad', replace('articles/13.json', '"internal":true', '"internal":1'), /: tickets\.json: item 4: articles\/13\.json: articles\[1\]\.internal is not true or false\n/],
    ['zammad', replace('tickets.json', '"tags":"ramp, urgent"', '"tags":7'), /: tickets\.json: item 1: tags is not a text or a list\n/],
    ['zammad', (f) => writeFileSync(join(f, 'tickets.json'), '{"tickets":[374,373],"tickets_count":2,"assets":{"Ticket":{}}}'), /: tickets\.json: line 1: item 1 is only an id|: tickets\.json: item 1 is only an id/],
    ['zammad', (f) => truncateSync(join(f, 'tickets.json'), 300), /tickets\.json: line 2: byte \d+: /],
  ]) {
    const from = copyOf(system);
    spoil(from);
    refused(importFrom(dir, system, from), pattern);
    assert.ok(!deskd('check', ...store(dir)).stdout.includes('no defects'), 'the store holds no desk');
  }
  const whole = importFrom(dir, 'zendesk', copyOf('zendesk'));
  assert.equal(whole.status, 0, whole.stderr);
  refused(importFrom(dir, 'zammad', copyOf('zammad')), /it holds a desk already: name an empty one/);
  refused(deskd('import', ...store(dir)), /deskd import needs one of --from, --from-zendesk, --from-zammad and --from-api/);
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { File, ROLES, multipart, raw, rolesOf, shared, storedMail, until } from './index.mjs';
import { png } from './picture.mjs';
import { accessToken } from './tokens.mjs';
import { Addresses, admitsFingerprint, explore, walk } from './walk.mjs';

// Resources x routes x callers, from the tables. Each text of one organization, one conversation and one person contains a canary, a
// text that a caller may not read. It must not reach that caller by any route, in any form, in a body or a header.

const ADMINS = ['owner', 'admin', 'confined'];
export const STAFF = [...ADMINS, 'agent', 'collaborator', 'teams', 'self', 'member', 'limited'];
const WORKERS = ['owner', 'admin', 'agent', 'collaborator', 'teams', 'member']; // staff who see the conversation: it has no assignee
const READERS = [...WORKERS, 'requester', 'colleague', 'token'];
const TEAM = ['owner', 'admin', 'agent', 'collaborator', 'member']; // staff who see the conversation of a team
const WRITERS = [...ADMINS, 'agent', 'teams', 'self', 'member']; // staff who write articles

/** The callers of each file access.walk.*.test.mjs: they run side by side. */
export const CALLERS = {
  admins: ['owner', 'admin', 'confined', 'collaborator', 'limited'],
  agents: ['agent', 'teams', 'self', 'member'],
  customers: ['customer', 'requester', 'colleague', 'narrow', 'foreign', 'fingerprint', 'nobody'],
};

/** Each canary and the callers who may read it. */
export const CANARIES = {
  canarysubject: READERS,
  canarybody: READERS,
  canaryinternal: WORKERS,
  canaryshown: READERS,
  canaryform: STAFF,
  canaryreply: READERS,
  canaryrating: READERS.filter((reader) => reader !== 'token'),
  canaryname: [...READERS, 'self', 'limited', 'confined'],
  canarymail: [...STAFF, 'requester'],
  '5550199887': [...STAFF, 'requester'],
  canaryusernote: STAFF,
  canarycasenote: WORKERS,
  canaryorgnote: STAFF,
  canarytag: STAFF,
  canaryhidden: STAFF,
  canarystreet: STAFF,
  canaryhome: [...STAFF, 'requester'],
  canarylegacy: [...STAFF, 'requester'],
  canarysignature: [...STAFF],
  canaryattached: READERS,
  canaryenclosed: READERS,
  canarynotefile: WORKERS,
  canarynoteinside: WORKERS,
  canarymergedsubject: WORKERS,
  canarymergedbody: READERS,
  canarymergednote: WORKERS,
  canarytrash: WORKERS,
  canarytrashinside: WORKERS,
  canarycc: STAFF,
  canaryteambody: [...TEAM, 'customer'],
  canaryteamnote: TEAM,
  canaryteaminside: TEAM,
  canaryteamview: [...ADMINS, 'member'],
  canaryfile: ['requester'],
  canarycontent: ['requester'],
  canarydraft: ['agent'],
  canaryunsent: ['agent'],
  canaryoption: STAFF,
  canaryview: [...ADMINS, 'agent'],
  canarysharedview: STAFF,
  canarymacro: [...ADMINS, 'agent'],
  canaryowntitle: [...ADMINS, 'agent'],
  canarypasskey: [...ADMINS, 'agent'],
  canaryteammacro: [...ADMINS, 'member'],
  canarysharedmacro: STAFF,
  canarysla: [...ADMINS],
  canarymonitor: [...ADMINS],
  canarytemplate: [...ADMINS],
  canarysetting: [...ADMINS],
  canaryclient: [...ADMINS, 'agent'],
  canaryprovider: [...ADMINS],
  canaryapitoken: ['requester', ...ADMINS], // the audit log names it
  canaryendpoint: [...ADMINS],
  canarytoken: [...ADMINS],
  canaryicon: [...ADMINS],
  canaryevent: STAFF,
  canarystaffsection: STAFF,
  canaryteamsection: [...ADMINS, 'member'],
  canarysomesection: [...ADMINS, 'requester'],
  canaryunfinishedarticle: WRITERS,
  canaryunfinishedinside: WRITERS,
  canaryversion: WRITERS,
  canarystaffarticle: STAFF,
  canarystaffinside: STAFF,
  canarycrewarticle: [...ADMINS, 'member'],
  canarycrewinside: [...ADMINS, 'member'],
  canarysomearticle: [...ADMINS, 'requester'],
  canarystaffcomment: STAFF,
  canarysomecomment: [...ADMINS, 'requester'],
  canaryspam: STAFF,
  canaryspamreply: STAFF,
  canaryincoming: WORKERS,
  canarysuspended: STAFF,
  canaryfailed: [...ADMINS],
  canarybox: STAFF,
  canaryimap: [...ADMINS],
  canaryorganization: [...STAFF, 'requester', 'colleague', 'narrow'],
};

const ROLE = { teams: 'agent', self: 'agent', member: 'agent', limited: 'collaborator', confined: 'admin', requester: 'customer', colleague: 'customer', narrow: 'customer', foreign: 'customer' };
// The cursor of the change log contains the running transactions (PostgreSQL), so it changes without a new entry.
// Counts of views and searches are written while this test reads.
const UNSTABLE = /^(last_|session_id$|updated_at$|realtime|cursor$|views$|rank$|popular_searches$|failed_searches$)/;

/** Makes the world of the walks: `callers` by name, the addresses of all objects (`routes`), and canaries in each text. */
export async function prepare(world) {
  const { desk } = world;
  const addresses = world.addresses = new Addresses(desk.base);
  const made = async (client, path, body, options) => addresses.learn((await client.post(path, body, options)).must(201)).data;
  const field = (key, visible) => ({ type: 'TEXT', key, titles: [{ locale: 'en-us', translation: key }], is_visible_to_customers: visible, is_customer_editable: false });

  for (const owner of ['users', 'organizations', 'cases']) await made(desk.owner, `/${owner}/fields`, field('hidden_note', false));
  const choice = await made(desk.owner, '/users/fields', { ...field('choice', false), type: 'SELECT', options: [{ values: [{ locale: 'en-us', translation: 'canaryoption' }] }] });
  addresses.learn(await desk.owner.get(`/users/fields/${choice.id}`, { include: 'field_option' }));
  const organization = await made(desk.owner, '/organizations', {
    name: 'canaryorganization', is_shared: true, domains: 'canary.example', tags: 'canarytag', legacy_id: 'canaryorganization-legacy', field_values: { hidden_note: 'canaryhidden' },
  });
  await desk.owner.update(`/organizations/${organization.id}`, { addresses: [{ address1: 'canarystreet 1' }], websites: [{ url: 'https://canarystreet.example/' }] });
  const other = await made(desk.owner, '/organizations', { name: 'Other', is_shared: true, tags: 'plain' });
  for (const line of ['x', 'y,z']) { // imports with an error each
    const file = await made(desk.owner, '/files', raw('text/csv', Buffer.from(`emails\n${line}\n`)));
    const { id } = await made(desk.owner, '/csv_imports', { kind: 'USERS', file_id: file.id, is_dry_run: true });
    await until('an error of the import', async () => {
      if (desk.clock.now) desk.clock.write(desk.clock.now + 10);
      const found = await desk.owner.get(`/csv_imports/${id}/errors`);
      return found.data.length && addresses.learn(found);
    });
  }
  const plain = { addresses: [{ address1: 'Plain' }], websites: [{ url: 'https://plain.example/' }] };
  await desk.owner.update(`/organizations/${other.id}`, plain);
  await desk.owner.update(`/users/${desk.people.customer.id}`, plain);
  const person = (role, more) => desk.person(role, more);
  const requester = await person('customer', {
    full_name: 'canaryname', email: 'canarymail@example.net', phone: '+15550199887', organization_id: organization.id, organization_case_access: 'ORGANIZATION',
    tags: 'canarytag', field_values: { hidden_note: 'canaryhidden' }, legacy_id: 'canarylegacy',
  });
  await desk.owner.update(`/users/${requester.id}`, { addresses: [{ address1: 'canaryhome' }], websites: [{ url: 'https://canaryhome.example/' }] });
  const team = await made(desk.owner, '/teams', { title: 'Team' });
  const callers = world.callers = {
    nobody: desk.anyone,
    fingerprint: desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() }),
    ...Object.fromEntries(ROLES.map((role) => [role, desk.as(role)])),
    teams: (await person('agent', { agent_case_access: 'TEAMS', signature: 'canarysignature' })).client,
    self: (await person('agent', { agent_case_access: 'SELF' })).client,
    member: (await person('agent', { agent_case_access: 'TEAMS', team_ids: [team.id] })).client,
    limited: (await person('collaborator', { agent_case_access: 'SELF' })).client,
    confined: (await person('admin', { agent_case_access: 'SELF' })).client, // admins read all changes, settings and people, but not all conversations
    requester: requester.client,
    colleague: (await person('customer', { organization_id: organization.id, organization_case_access: 'ORGANIZATION' })).client,
    narrow: (await person('customer', { organization_id: organization.id, organization_case_access: 'REQUESTED' })).client,
    foreign: (await person('customer', { organization_id: other.id, organization_case_access: 'ORGANIZATION' })).client,
  };

  addresses.learn((await desk.owner.post(`/users/${(await person('customer')).id}/erase`)).must(202));
  const conversation = await made(requester.client, '/conversations', { subject: 'canarysubject', contents: 'canarybody' });
  await made(desk.owner, '/cases/fields', field('shown_note', true));
  await made(desk.owner, '/cases/forms', { title: 'canaryform', customer_title: 'canaryform', description: 'canaryform' });
  await made(desk.owner, '/cases/forms', { title: 'Plain', customer_title: 'Plain', is_visible_to_customers: true });
  await desk.staff.update(`/cases/${conversation.id}`, { field_values: { hidden_note: 'canaryinternal', shown_note: 'canaryshown' } });
  await made(desk.staff, `/conversations/${conversation.id}/messages`, { contents: 'canaryreply' });
  const rate = async (client, id, comment) => {
    const { data } = (await client.post(`/conversations/${id}/ratings`, { score: 'GOOD', comment })).must(200);
    addresses.paths.add(`/conversations/${id}/ratings/${data.id}`); // a rating shows no resource_url
  };
  await rate(requester.client, conversation.id, 'canaryrating');
  // This conversation comes from the canary's address. It must not lead to the owner of the address.
  const stranger = await made(callers.fingerprint, '/conversations', { name: 'Plain', email: 'canarymail@example.net', subject: 'Plain', contents: 'Plain' });
  await made(desk.staff, `/conversations/${stranger.id}/messages`, { contents: 'Plain' });
  const second = await made(callers.foreign, '/conversations', { subject: 'Plain', contents: 'Plain' });
  await made(desk.staff, `/conversations/${second.id}/messages`, { contents: 'Plain' });
  await rate(callers.foreign, second.id, 'Plain');
  await rate(callers.fingerprint, stranger.id, 'Plain');
  for (const owner of [`users/${requester.id}`, `organizations/${organization.id}`]) {
    await made(desk.staff, `/${owner}/notes`, { contents: owner.startsWith('users') ? 'canaryusernote' : 'canaryorgnote' });
  }
  const upload = (client, name, bytes) => made(client, '/files', raw('application/octet-stream', bytes), { headers: { 'Content-Disposition': `attachment; filename="${name}"` } });
  // Not learned: the walk asks for some addresses of each kind, and these would crowd out the files below.
  const file = async (client, name, data) => (await client.post('/files', raw('text/plain', data), { query: { _filename: name } })).must(201).data.id;
  const files = async (client, name, data) => [await file(client, `${name}.txt`, data), await file(client, `${name}-2.txt`, data)];
  const attach = async (client, path, body, name, data) => made(client, path, { ...body, attachment_file_ids: await files(client, name, data) });
  await attach(desk.staff, `/cases/${conversation.id}/notes`, { contents: 'canarycasenote' }, 'canarynotefile', 'canarynoteinside');
  await attach(desk.staff, `/cases/${second.id}/notes`, { contents: 'Plain' }, 'plain', 'Plain');
  await made(desk.owner, `/cases/${conversation.id}/notes`, { contents: `@${(await desk.staff.fetch('/me')).full_name} canarycasenote` });
  addresses.learn((await desk.staff.get('/notifications')).must(200));
  for (const channel of ['REPLY', 'NOTE']) (await desk.staff.put(`/cases/${conversation.id}/draft`, { contents: 'canaryunsent', parameters: { subject: 'canaryunsent' } }, { query: { channel } })).must(200);
  for (const [id, contents] of [[conversation.id, 'canarycasenote'], [second.id, 'Plain']]) {
    (await desk.admin.put(`/cases/${id}/draft`, { contents, is_shared: true })).must(200);
    addresses.learn((await desk.admin.get(`/cases/${id}/drafts`)).must(200));
  }
  for (const [id, contents] of [[conversation.id, 'canarycasenote'], [second.id, 'Plain']])
    (await desk.staff.post(`/cases/${id}/reply`, { contents, send_at: new Date(desk.clock.now + 30 * 86_400_000).toISOString() })).must(201);
  addresses.learn((await desk.staff.get('/profile/scheduled_replies')).must(200));
  for (const owner of [`users/${requester.id}`, `users/${desk.people.customer.id}`, `organizations/${organization.id}`, `organizations/${other.id}`]) {
    await attach(desk.staff, `/${owner}/notes`, { contents: 'Plain' }, 'plain', 'Plain');
  }
  await attach(desk.staff, `/conversations/${conversation.id}/messages`, { contents: 'canaryreply' }, 'canaryattached', 'canaryenclosed');
  await attach(callers.foreign, `/conversations/${second.id}/messages`, { contents: 'Plain' }, 'plain', 'Plain');
  await attach(callers.fingerprint, `/conversations/${stranger.id}/messages`, { contents: 'Plain' }, 'plain', 'Plain');
  await made(desk.staff, `/cases/${conversation.id}/reply`, { contents: 'canaryreply', channel: 'MAIL', channel_options: { cc: 'copy@canarycc.example' } });
  for (const [id, contents] of [[conversation.id, 'canarycasenote'], [second.id, 'Plain']]) {
    const forward = (await desk.staff.post(`/cases/${id}/forward`, { to: ['workshop@canarycc.example'], contents, post_ids: [] })).must(201).data;
    addresses.paths.add(`/cases/${id}/forward/${forward.post.id}`);
  }
  const merged = await made(callers.foreign, '/conversations', { subject: 'canarymergedsubject', contents: 'canarymergedbody' });
  await made(desk.staff, `/cases/${merged.id}/notes`, { contents: 'canarymergednote' });
  const tokenOf = async (client, id) => ({ id, token: (await client.get(`/conversations/${id}`)).must(200).headers['x-request-token'] });
  world.merged = await tokenOf(callers.foreign, merged.id);
  world.second = second.id;
  (await desk.staff.post(`/cases/${conversation.id}/merge`, { case_ids: [merged.id], force: true })).must(200);
  addresses.learn((await desk.staff.get(`/cases/${merged.id}`)).must(200));
  const trashed = await made(requester.client, '/conversations', { subject: 'canarytrash', contents: 'canarytrash' });
  await made(desk.staff, `/cases/${trashed.id}/notes`, { contents: 'canarytrash' });
  await attach(requester.client, `/conversations/${trashed.id}/messages`, { contents: 'canarytrash' }, 'canarytrash', 'canarytrashinside');
  world.trashed = await tokenOf(requester.client, trashed.id);
  await desk.staff.update(`/cases/${trashed.id}/trash`);
  const ofTeam = await made(desk.owner, '/cases', { subject: 'canaryteambody', contents: 'canaryteambody', requester_id: desk.people.customer.id, assigned_team_id: team.id });
  await attach(desk.staff, `/cases/${ofTeam.id}/notes`, { contents: 'canaryteamnote' }, 'canaryteaminside', 'canaryteaminside');
  await upload(requester.client, 'canaryfile.txt', 'canarycontent');
  await upload(desk.staff, 'canarydraft.txt', 'canarydraft');
  await made(desk.owner, '/brands', { name: 'Second', sub_domain: 'second' });
  const { data: [template] } = (await desk.owner.get('/brands/1/templates')).must(200);
  const { contents } = await desk.owner.fetch(`/brands/1/templates/${template.name}`);
  await desk.owner.update(`/brands/1/templates/${template.name}`, { contents: contents.replace(/(block (?:text|body)\s*%\})/, '$1canarytemplate ') });
  await desk.owner.put('/settings', { values: { 'mail.from_name': 'canarysetting' } });
  addresses.learn((await desk.owner.post('/bulk/teams', { teams: [{ title: 'Bulk' }] })).must(202));
  const asks = (value) => [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value }] }];
  await made(desk.staff, '/views', { title: 'canaryowntitle', predicate_collections: asks('canaryview') });
  await made(desk.staff, '/views', { title: 'Shared', visibility_type: 'ALL', predicate_collections: asks('canarysharedview') });
  await made(desk.owner, '/views', { title: 'canaryteamview', visibility_type: 'TEAM', team_ids: [team.id] });
  await made(desk.owner, '/slas', { title: 'Gold', description: 'canarysla', predicate_collections: [{ propositions: [{ field: 'tags.name', operator: 'collection_contains_insensitive', value: 'canarysla' }] }], targets: [{ type: 'RESOLUTION_TIME', goal_in_seconds: 60 }], is_enabled: false });
  await made(desk.owner, '/monitors', { title: 'canarymonitor', predicate_collections: asks('canarymonitor'), actions: [{ name: 'priority', option: 'INCREASE' }], is_enabled: false });
  await made(desk.staff, '/cases/macros', { title: 'canaryowntitle', reply_contents: 'canarymacro' });
  await made(desk.owner, '/cases/macros', { title: 'Team', visibility_type: 'TEAM', visible_to_team_id: team.id, reply_contents: 'canaryteammacro' });
  await made(desk.staff, '/cases/macros', { title: 'Shared', visibility_type: 'ALL', add_tags: 'canarysharedmacro' });
  const app = await made(desk.owner, '/oauth/clients', { name: 'canaryclient', url: 'https://canaryclient.example/', callback_url: 'https://canaryclient.example/back' });
  await desk.owner.update(`/oauth/clients/${app.id}`, multipart({ logo: new File('logo.png', 'image/png', png(4, 4)) }));
  const { grant } = accessToken(desk, { user: desk.people.agent.id, client: app.id, scopes: ['users:read'] });
  for (const own of ['grants', 'my_grants']) addresses.paths.add(`/oauth/${own}/${grant}`);
  const provider = await made(desk.owner, '/signin/providers', { name: 'Company', issuer: 'https://canaryprovider.example', client_id: 'desk', role_id: 2, is_enabled: false });
  const link = desk.sql(`INSERT INTO signin_links (provider_id, subject, user_id, last_used_at, created_at, updated_at) VALUES (${provider.id}, 'subject', ${desk.people.agent.id}, 1, 1, 1) RETURNING id`).split('\n')[0];
  addresses.paths.add(`/signin/links/${link}`);
  const passkey = desk.sql(`INSERT INTO passkeys (user_id, name, credential_id, algorithm, public_key, sign_count, transports, user_handle, rp_id, created_at, updated_at) VALUES (${desk.people.agent.id}, 'canarypasskey', 'id', -7, 'AA', 0, '', 'AA', 'localhost', 1, 1) RETURNING id`).split('\n')[0];
  addresses.paths.add(`/profile/passkeys/${passkey}`);
  await made(requester.client, '/profile/api_tokens', { name: 'canaryapitoken' });
  for (const title of ['canaryendpoint', 'Other']) {
    const { id } = await made(desk.owner, '/endpoints', { title, type: 'EMAIL', attributes: { address: 'canaryendpoint@example.org' } });
    await made(desk.owner, `/endpoints/${id}/test`, {});
  }
  const section = (title, more) => made(desk.owner, '/sections', { titles: title, descriptions: title, category_id: 1, ...more });
  const article = async ({ id }, name, more) => made(desk.owner, '/articles', {
    titles: name, contents: name, keywords: name, section_id: id, status: 'PUBLISHED', legacy_id: name, attachment_file_ids: await files(desk.owner, name.replace('article', 'file'), name.replace('article', 'inside')), ...more,
  });
  const plainSection = await section('Plain');
  await article(plainSection, 'canaryunfinishedarticle', { status: 'DRAFT' });
  const rewritten = await article(plainSection, 'canaryversion', { keywords: '', legacy_id: '', attachment_file_ids: await files(desk.owner, 'plain', 'Plain') });
  for (const more of ['', ' again']) await desk.owner.update(`/articles/${rewritten.id}`, { titles: `Plain${more}`, contents: `Plain${more}` });
  addresses.learn((await desk.owner.get(`/articles/${rewritten.id}/versions`)).must(200));
  const internal = await article(await section('canarystaffsection', { visibility: 'AGENTS' }), 'canarystaffarticle');
  await article(await section('canaryteamsection', { visibility: 'AGENTS', team_ids: [team.id] }), 'canarycrewarticle');
  const some = await article(await section('canarysomesection', { visibility: 'AUTHORIZED', tags: 'canarytag' }), 'canarysomearticle');
  await desk.owner.update(`/articles/${some.id}`, { contents: 'canarysomearticle again' });
  addresses.learn((await desk.owner.get(`/articles/${some.id}/versions`)).must(200));
  addresses.learn((await desk.owner.post('/bulk/articles', { articles: [{ titles: 'Bulk', contents: 'Bulk', section_id: plainSection.id }] })).must(202));
  const comment = async ({ id }, contents, more) => {
    const said = await made(desk.owner, `/articles/${id}/comments`, { contents, ...more });
    await made(desk.owner, `/articles/${id}/comments/${said.id}/likes`, {});
    return said.id;
  };
  const spam = await comment(rewritten, 'canaryspam');
  await comment(rewritten, 'canaryspamreply', { parent_id: spam });
  (await desk.staff.put(`/articles/${rewritten.id}/comments/${spam}/spam`)).must(200);
  await comment(internal, 'canarystaffcomment');
  await comment(some, 'canarysomecomment');
  for (const title of ['canarytrigger', 'Other']) await made(desk.owner, '/triggers', { title, is_enabled: false, predicate_collections: asks('canarytrigger'), actions: [{ name: 'tags', option: 'ADD', value: ['canarytriggertag'] }] });
  addresses.learn((await desk.staff.get('/notification_preferences')).must(200));
  await desk.owner.put('/settings', { values: { 'mail.dns_server': '127.0.0.1:9' } }); // nobody asks a real name server
  const box = await made(desk.owner, '/mailboxes', { address: 'box@example.org', name: 'canarybox', imap_user: 'canaryimap' });
  const [first] = await desk.staff.fetch(`/cases/${conversation.id}/messages`);
  await storedMail(desk, { subject: 'canaryincoming', source: 'canaryincoming', status: 'SUCCESS', case_id: conversation.id, post_id: first.id, mailbox_id: box.id });
  await storedMail(desk, { subject: 'canaryfailed', source: 'canaryfailed', status: 'FAILED', reason: 'canaryfailed' });
  for (const subject of ['canarysuspended', 'Plain']) await storedMail(desk, { subject, source: subject });
  addresses.learn((await desk.admin.get('/mails')).must(200));
  for (const label of ['canarytoken', 'Other']) {
    const { token } = await made(desk.owner, '/events/tokens', multipart({ label, icon: new File('canaryicon.png', 'image/png', png(2, 2)) }));
    for (const place of ['webhook', 'bulk/webhook']) addresses.paths.add(`/${place}/${token}`);
    await made(desk.anyone, `/webhook/${token}/incoming`, { event: 'canaryevent', user: { email: 'canarymail@example.net' }, properties: { summary: 'canaryevent' } });
  }
  const { id: gone } = await person('customer');
  addresses.learn((await desk.owner.post(`/users/${gone}/erase`, {})).must(202));
  world.token = await tokenOf(requester.client, conversation.id);

  for (const client of [desk.owner, requester.client, desk.staff]) await explore(client, addresses);
  // Staff read attachments of messages below /cases, too. The replies show the address below /conversations.
  for (const path of [...addresses.paths].reverse()) {
    const [, message] = /^\/conversations(\/\d+\/messages\/\d+)\/attachments\/\d+$/.exec(path) ?? [];
    if (message) addresses.paths.add(`/cases${message}`).add(`/cases${message.replace('messages', 'reply')}`).add(path.replace('conversations', 'cases'));
  }
  world.routes = walk(addresses, 6);
}

/** The items of a list by id, because counts of views are written meanwhile, and popular articles are ordered by them. */
const unordered = (data) => (Array.isArray(data) ? data.toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0)) : data);
const stable = (value) => JSON.parse(JSON.stringify(value, (name, v) => (UNSTABLE.test(name) ? undefined : v)));

/** Returns true if the roles of the route admit the caller. */
export function open(world, route, caller) {
  const allowed = rolesOf(route.roles);
  if (caller === 'fingerprint' && admitsFingerprint(world.desk.contract.doc, route)) return true;
  return !allowed || allowed.includes(ROLE[caller] ?? caller);
}

/** A request without the check of the reply's schema: other tests check that. */
export const ask = (client, method, address, options) => client.exchange(method, `/api/v1${address}`, options);

export function canariesIn(reply) {
  const text = `${reply.text} ${decodeURIComponent(JSON.stringify(reply.headers).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))}`;
  return Object.keys(CANARIES).filter((canary) => text.includes(canary));
}

/** Fails if the reply contains a canary that the caller may not read, or is a 5xx. */
export function unread(caller, reply) {
  for (const canary of canariesIn(reply)) assert.ok(CANARIES[canary].includes(caller), `${caller} reads ${canary}: ${reply}`);
  assert.ok(reply.status < 500, `${caller}: ${reply}`);
}

/** The tests that take each of these callers through every route. */
export function walkAs(...callers) {
  describe(`every route, as ${callers.join(', ')}:`, () => {
    const world = shared(prepare);
    const chosen = ({ callers: all }) => callers.map((name) => [name, all[name]]);

    test('no caller reads hidden data: in lists, single resources, includes, flat, in every member, by search', async () => {
      const forms = [{}, { include: '*', fields: '*,+tags', limit: 1000 }, { include: '*', _flat: true, fields: '*(*)' }, { name: 'canary', address: 'canary', query: 'canary*' }];
      let asked = 0;
      const found = Object.fromEntries(Object.keys(CANARIES).map((canary) => [canary, new Set()]));
      for (const [caller, client] of chosen(world)) {
        for (const route of world.routes.filter(({ method }) => method === 'GET')) {
          for (const { address } of route.at) {
            for (const query of open(world, route, caller) ? forms : forms.slice(0, 1)) {
              const reply = await ask(client, 'GET', address, { query });
              unread(caller, reply);
              if (reply.status === 200) canariesIn(reply).forEach((canary) => found[canary].add(caller));
              if (!open(world, route, caller)) assert.ok([401, 403, 404].includes(reply.status), `${caller}: ${reply}`);
              asked++;
            }
          }
        }
      }
      assert.ok(asked > 400 * callers.length, `only ${asked} requests`);
      // A canary that its readers do not find is not where the others look for it.
      const blind = Object.entries(CANARIES).map(([canary, readers]) => [canary, readers.filter((reader) => callers.includes(reader) && !found[canary].has(reader))]);
      assert.deepEqual(Object.fromEntries(blind.filter(([, callers]) => callers.length)), {}, 'callers who may read a canary and do not find it');
    });

    test('a hidden object gets the same reply as an absent one', async () => {
      for (const [caller, client] of chosen(world)) {
        for (const route of world.routes.filter(({ method, at }) => method === 'GET' && at[0]?.variables)) {
          for (const { address, absent } of route.at) {
            const hidden = await ask(client, 'GET', address);
            if (hidden.status !== 404) continue;
            const none = await ask(client, 'GET', absent);
            assert.deepEqual([none.status, none.text], [404, hidden.text], `${caller}: ${hidden}`);
          }
        }
      }
    });

    test('an item is not found below a foreign parent', async () => {
      for (const [caller, client] of chosen(world)) {
        for (const route of world.routes) {
          for (const address of route.foreign) {
            const reply = await ask(client, route.method, address, ['POST', 'PUT'].includes(route.method) ? { body: {} } : {});
            assert.ok(open(world, route, caller) ? [404].includes(reply.status) : [401, 403, 404].includes(reply.status), `${caller}: ${reply}`);
          }
        }
      }
    });

    test('a caller who may not read an object can\'t change it', async () => {
      const snapshot = async () => {
        const seen = {};
        // The audit log grows by the logins of the callers, and the report of articles by what they read and search for.
        for (const route of world.routes.filter(({ method, path }) => method === 'GET' && !['/audit_log', '/insights/helpcenter/period'].includes(path))) {
          for (const { address } of route.at) {
            if (address === '/audit_log') continue; // the logins of the callers below are new entries
            const reply = await ask(world.callers.owner, 'GET', address);
            seen[address] = reply.isJson ? stable(unordered(reply.body.data) ?? reply.status) : reply.status;
          }
        }
        return seen;
      };
      const readable = async (client, address) => {
        const reply = await ask(client, 'GET', address);
        return reply.status === 405 ? undefined : reply.status === 200;
      };
      const before = await snapshot();
      for (const [caller, client] of chosen(world)) {
        let asked = 0;
        for (const route of world.routes.filter(({ method, at }) => method !== 'GET' && at[0]?.variables)) {
          for (const { address } of route.at) {
            const parent = `/${address.split('/').slice(1, 3).join('/')}`;
            const mayMake = /[/]draft$/.test(address); // a PUT makes the caller's own: who reads the conversation may
            const may = (mayMake ? undefined : await readable(client, address)) ?? (await readable(client, parent));
            if (may !== false || /avatar/.test(address)) continue;
            if (route.path === '/users/:id/erase' && open(world, route, caller)) continue; // a person who was erased may be erased again, with all texts
            for (const body of [{}, { full_name: 'X', title: 'X', contents: 'X', subject: 'X', is_pinned: true, is_primary: true, status_id: 4, message_status: 'SEEN' }, multipart({ files: new File('x.txt', 'text/plain', Buffer.from('x')) })]) {
              const from = client.at(`127.0.1.${1 + Math.floor(asked++ / 30)}`); // writes without a login are limited for each address
              const reply = await ask(from, route.method, address, route.method === 'DELETE' ? {} : { body });
              assert.ok([400, 401, 403, 404].includes(reply.status), `${caller}: ${reply}`);
              if (reply.status === 400) assert.ok(!open(world, route, caller) || !route.at.length || !/conversation|message/.test(route.resource), `the reply shows ${caller} that it exists: ${reply}`);
              unread(caller, reply);
            }
          }
        }
      }
      assert.deepEqual(await snapshot(), before);
    });

  });
}

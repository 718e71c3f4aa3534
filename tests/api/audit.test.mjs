import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DAY, MINUTE, ROLE_ID, deskd, iso, open, until } from './lib/index.mjs';
import { passwordFile } from './lib/stores.mjs';
import { apiToken } from './lib/tokens.mjs';
import { refresh, register, tokensFor } from './lib/oauth.mjs';
import { totp } from './lib/totp.mjs';

const log = (desk, args = {}) => desk.owner.fetch('/audit_log', { limit: 1000, ...args });
const actions = async (desk, args) => (await log(desk, args)).map((e) => e.action);

/** Waits until every entry has its place. Returns the entries, the oldest first. */
async function chained(desk, args) {
  await desk.owner.fetch('/me'); // its login is an entry
  return until('all entries have a place', async () => {
    const entries = await log(desk, args);
    return entries.every((e) => e.seq !== null) ? entries.reverse() : undefined;
  });
}

/** The lines of deskd check about the audit log. The daemons must be stopped. */
function findings(desk) {
  const { status, stdout, stderr } = desk.check();
  assert.equal(stderr, '');
  const lines = stdout.split('\n').filter((line) => line.startsWith('audit log'));
  assert.equal(status, lines.length ? 1 : 0, stdout);
  return lines;
}

/** Does something, and returns the entries that it adds, the oldest first. */
async function added(desk, act) {
  const [last] = await log(desk, { limit: 1 });
  const result = await act();
  return Object.assign((await log(desk)).filter((e) => e.id > last.id).reverse(), { result });
}

const brief = (e) => [e.action, e.object?.resource_type ?? null, e.object?.id ?? null];

test('a login, with its method, and a logout are entries', async (t) => {
  const desk = await open(t);
  const { id } = desk.people.agent;
  const made = await added(desk, async () => {
    const { client } = await desk.session(desk.staff);
    (await desk.staff.get('/me')).must(200); // the same session
    (await client.delete('/session')).must(200);
  });
  assert.deepEqual(made.map(brief), [['LOGIN', 'user', id], ['LOGOUT', 'user', id]]);
  assert.deepEqual(made[0].details, { method: 'PASSWORD' });
  assert.deepEqual(made.map((e) => [e.actor.id, e.actor_kind, e.ip_address, e.cause]), [[id, 'USER', '127.0.0.1', null], [id, 'USER', '127.0.0.1', null]]);
});

test('a login by a second factor, by a remember-me token and a copied token are entries', async (t) => {
  const desk = await open(t);
  const person = await desk.person('agent');
  const { secret } = await person.client.fetch('/profile/twofactor');
  desk.secrets.add(secret);
  const enabled = await added(desk, async () => {
    for (const code of (await person.client.create('/profile/twofactor', { code: totp(secret, desk.clock.now) })).recovery_codes) desk.secrets.add(code);
  });
  assert.deepEqual(enabled.map((e) => [e.action, e.details.changes]), [['SECOND_FACTOR_CHANGED', [{ property: 'is_mfa_enabled', from: 'false', to: 'true' }]]]);
  await desk.clock.forward(30);
  const both = await added(desk, async () => (await person.client.with({ 'X-OTP': totp(secret, desk.clock.now), 'User-Agent': 'another' }).get('/session')).must(200));
  assert.deepEqual(both.map((e) => [e.action, e.details]), [['LOGIN', { method: 'PASSWORD_AND_CODE' }]]);

  const token = (await desk.customer.get('/session', { remember_me: true })).must(200).headers['x-rememberme'];
  const present = () => desk.anyone.get('/session', {}, { 'X-RememberMe': token });
  const remembered = await added(desk, async () => { const next = (await present()).must(200); (await desk.anyone.get('/session', {}, { 'X-RememberMe': next.headers['x-rememberme'] })).must(200); });
  assert.deepEqual(remembered.map((e) => [e.action, e.details]), [['LOGIN', { method: 'REMEMBER_ME' }]], 'the second use comes within the minute of a retry');
  await desk.clock.forward(2 * MINUTE);
  const stolen = await added(desk, async () => (await present()).refused(401, 'AUTHENTICATION_FAILED'));
  assert.deepEqual(stolen.map(brief), [['TOKEN_REUSED', 'user', desk.people.customer.id]]);
});

test('failures of one login within a minute are one entry with their number, and a lock-out is another one', async (t) => {
  const desk = await open(t);
  await log(desk);
  const guess = (email, n, address) => Promise.all(Array.from({ length: n }, (_, i) => desk.login(email, `wrong ${i}`).at(address).get('/me')));
  await guess('agent@example.com', 9, '127.0.0.9');
  await guess('agent@example.com', 12, '127.0.0.10'); // the last two are refused without a check
  for (let i = 0; i < 7; i++) await guess(`nobody${i}@example.com`, 1, '127.0.0.11');
  await desk.clock.forward(MINUTE);
  const made = await until('entries of the failures', async () => {
    const entries = (await log(desk)).filter((e) => /LOGIN_(FAILED|LOCKED)/.test(e.action));
    return entries.length >= 3 && entries;
  });
  const shown = made.map((e) => [...brief(e), e.details.failures, e.details.accounts, e.ip_address, e.actor]);
  assert.deepEqual(shown.sort((a, b) => a[0].localeCompare(b[0]) || b[3] - a[3]), [
    ['LOGIN_FAILED', 'user', desk.people.agent.id, 19, 1, null, null],
    ['LOGIN_FAILED', null, null, 7, 7, '127.0.0.11', null],
    ['LOGIN_LOCKED', 'user', desk.people.agent.id, 19, 1, null, null],
  ]);
  await desk.clock.forward(MINUTE);
  await chained(desk);
  assert.equal((await log(desk)).filter((e) => e.action === 'LOGIN_FAILED').length, 2, 'no failure is counted twice');
});

test('a flood of guesses at many accounts from many addresses adds at most 100 entries and one for a minute', async (t) => {
  const desk = await open(t);
  const begun = desk.clock.now - desk.clock.now % 60_000 + 60_000;
  await desk.clock.set(begun);
  const second = (i) => ({ 147: 59, 148: 1 })[i] ?? (i < 150 ? 5 : 10 + i % 20);
  const values = Array.from({ length: 3000 }, (_, i) => `('account ${i}', '10.0.0.${i < 150 ? 1 : 2}', ${begun + second(i) * 1000}, ${i < 150 ? 1000 + i : 'NULL'}, ${i === 149 ? 1 : 0})`);
  for (let i = 0; i < values.length; i += 1000) desk.sql(`INSERT INTO login_failures (account, ip_address, created_at, user_id, locks) VALUES ${values.slice(i, i + 1000).join(', ')}`);
  await desk.clock.forward(MINUTE);
  const made = await until('entries of the failures', async () => { const all = await log(desk, { action: 'LOGIN_FAILED' }); return all.length && all; });
  assert.equal(made.length, 101);
  assert.equal(made.reduce((sum, e) => sum + e.details.failures, 0), 3000);
  const others = made.filter((e) => brief(e)[1] === null), one = made.find((e) => brief(e)[2] === 1000);
  const together = { failures: 2900, accounts: 2900, first_at: iso(begun + 1000), last_at: iso(begun + 59_000) };
  assert.deepEqual(others.map((e) => [e.details, e.ip_address]), [[together, null]]);
  assert.deepEqual([one.details, one.ip_address], [{ failures: 1, accounts: 1, first_at: iso(begun + 5000), last_at: iso(begun + 5000) }, '10.0.0.1']);
  assert.deepEqual((await log(desk, { action: 'LOGIN_LOCKED' })).map((e) => [...brief(e), e.details.failures]), [['LOGIN_LOCKED', null, null, 2900]]);
});

test('each act on access, settings and secrets is an entry, and no secret is in it', async (t) => {
  const desk = await open(t);
  const o = desk.owner;
  const hidden = ['Relay-secret-1', 'Imap-secret-2', 'Another password 3'];
  for (const text of hidden) desk.secrets.add(text);
  const shown = {}; // the name of the object in the last entry of each action
  /** Acts, expects entries of these actions, and returns the result. */
  const acts = async (names, act) => {
    const made = await added(desk, act);
    for (const { action, details } of made) shown[action] = details?.name;
    assert.deepEqual(made.map((e) => e.action), names, act.toString());
    return made.result;
  };
  const { id } = await acts(['STAFF_CREATED'], () => desk.person('agent'));
  await acts([], () => desk.person('customer'));
  await acts(['USER_ROLE_CHANGED'], () => o.update(`/users/${id}`, { role_id: ROLE_ID.admin }));
  await acts(['USER_ACCESS_CHANGED'], () => o.update(`/users/${id}`, { agent_case_access: 'SELF' }));
  await acts(['PASSWORD_CHANGED'], () => o.update(`/users/${id}`, { password: hidden[2] }));
  await acts(['USER_ENABLED_CHANGED'], () => o.update(`/users/${id}`, { is_enabled: false }));
  await acts(['USER_DELETED'], async () => (await o.delete(`/users/${id}`)).must(200));
  const role = await acts(['ROLE_CREATED'], () => o.create('/roles', { title: 'Night shift', type: 'AGENT' }));
  await acts(['ROLE_CHANGED'], () => o.update(`/roles/${role.id}`, { title: 'Day shift' }));
  const [permitted] = await added(desk, async () => (await o.put(`/roles/${role.id}/permissions`, { 'teams.manage': false, 'cases.merge': false })).must(200));
  assert.equal(permitted.action, 'PERMISSIONS_CHANGED');
  assert.equal(permitted.details.name, 'Day shift');
  assert.equal(permitted.details.changes.length, 2);
  await acts(['ROLE_DELETED'], async () => (await o.delete(`/roles/${role.id}`)).must(200));
  await acts(['SETTING_CHANGED', 'SETTING_CHANGED', 'SETTING_CHANGED'], async () => (await o.put('/settings', { values: { 'mail.smtp_host': 'relay.example.com', 'mail.smtp_password': hidden[0], 'changes.kept_days': 60 } })).must(200));
  const token = await acts(['API_TOKEN_CREATED'], () => apiToken(desk, o));
  await acts(['API_TOKEN_CHANGED'], () => o.update(`/profile/api_tokens/${token.id}`, { name: 'Other' }));
  const [byToken] = await added(desk, () => token.client.create('/roles', { title: 'By a token', type: 'AGENT' }));
  assert.deepEqual([byToken.actor_kind, byToken.cause, byToken.actor.id], ['TOKEN', 'API token: Other', desk.people.owner.id]);
  await acts(['API_TOKEN_DELETED'], async () => (await o.delete(`/profile/api_tokens/${token.id}`)).must(200));
  const event = await acts(['EVENT_TOKEN_CREATED'], () => o.create('/events/tokens', { label: 'Shop', channel: 'shop' }));
  await acts(['EVENT_TOKEN_CHANGED'], () => o.update(`/events/tokens/${event.id}`, { label: 'The shop' }));
  await acts(['EVENT_TOKEN_DELETED'], async () => (await o.delete(`/events/tokens/${event.id}`)).must(200));
  const endpoint = await acts(['ENDPOINT_CREATED'], () => o.create('/endpoints', { title: 'Hook', type: 'HTTP', attributes: { url: 'https://hook.example.com/', method: 'POST', content_type: 'application/json' } }));
  await acts(['ENDPOINT_CHANGED'], () => o.update(`/endpoints/${endpoint.id}`, { title: 'The hook' }));
  const { signing_secret } = await acts(['ENDPOINT_SECRET_CHANGED'], async () => (await o.post(`/endpoints/${endpoint.id}/secret`, {})).must(200).data);
  await acts(['ENDPOINT_DELETED'], async () => (await o.delete(`/endpoints/${endpoint.id}`)).must(200));
  const box = await acts(['MAILBOX_CREATED'], () => o.create('/mailboxes', { address: 'box@example.com' }));
  await acts(['MAILBOX_CHANGED', 'MAILBOX_PASSWORD_CHANGED'], () => o.update(`/mailboxes/${box.id}`, { imap_host: 'imap.example.com', imap_user: 'box', imap_password: hidden[1] }));
  await acts(['MAILBOX_CHANGED'], () => o.update(`/mailboxes/${box.id}`, { name: 'Box' }));
  await acts(['MAILBOX_DELETED'], async () => (await o.delete(`/mailboxes/${box.id}`)).must(200));
  const brand = await acts(['BRAND_CREATED'], () => o.create('/brands', { name: 'Engines', sub_domain: 'engines' }));
  await acts(['BRAND_DOMAIN_CHANGED'], () => o.update(`/brands/${brand.id}`, { domain: 'help.engines.example' }));
  const team = await acts([], () => o.create('/teams', { title: 'Night' }));
  await acts(['TEAM_DELETED'], async () => (await o.delete(`/teams/${team.id}`)).must(200));
  const organization = await acts([], () => o.create('/organizations', { name: 'Acme' }));
  await acts(['ORGANIZATION_DELETED'], async () => (await o.delete(`/organizations/${organization.id}`)).must(200));

  assert.deepEqual(Object.fromEntries(Object.entries(shown).filter(([action]) => /^(ROLE|API|EVENT|ENDPOINT|MAILBOX|BRAND)_.*(CREATED|CHANGED)$/.test(action))), {
    ROLE_CREATED: 'Night shift', ROLE_CHANGED: 'Day shift', API_TOKEN_CREATED: token.name, API_TOKEN_CHANGED: 'Other', EVENT_TOKEN_CREATED: 'Shop', EVENT_TOKEN_CHANGED: 'The shop',
    ENDPOINT_CREATED: 'Hook', ENDPOINT_CHANGED: 'The hook', ENDPOINT_SECRET_CHANGED: 'The hook', MAILBOX_CREATED: 'box@example.com', MAILBOX_CHANGED: 'box@example.com',
    MAILBOX_PASSWORD_CHANGED: 'box@example.com', BRAND_CREATED: 'Engines', BRAND_DOMAIN_CHANGED: 'Engines',
  }, 'an entry has the name that its object has then');

  const texts = desk.sql('SELECT details FROM audit_values');
  for (const secret of [...hidden, token.token, event.token, signing_secret]) assert.ok(secret && !texts.includes(secret), 'a secret is in the log');
  assert.match(texts, /\{"property":"mail\.smtp_password"\}/, 'by name only');
  const setting = (await log(desk, { action: 'SETTING_CHANGED' })).find((e) => e.details.changes[0].property === 'changes.kept_days');
  assert.deepEqual([setting.details, setting.object.resource_type], [{ changes: [{ property: 'changes.kept_days', from: '30', to: '60' }] }, 'setting']);
  await chained(desk);
  await desk.stop();
  assert.deepEqual(findings(desk), []);
});

test('an entry has the first thousand bytes of a long value, cut between characters', async (t) => {
  const desk = await open(t);
  for (const [text, kept] of [[`x${'é'.repeat(600)}`, `x${'é'.repeat(499)}`], ['y'.repeat(1000), 'y'.repeat(1000)], ['z'.repeat(1001), 'z'.repeat(1000)]]) {
    const [{ details }] = await added(desk, async () => (await desk.owner.put('/settings', { values: { 'mail.imap_ca': text } })).must(200));
    assert.equal(details.changes[0].to, kept);
  }
});

test('clients, consents, issued tokens and reused tokens are entries', async (t) => {
  const desk = await open(t);
  const made = await added(desk, async () => {
    const client = await register(desk);
    desk.secrets.add(client.secret);
    const person = { ...desk.people.agent };
    const tokens = await tokensFor(desk, client, person);
    const next = (await refresh(desk, client, tokens.refresh_token)).must(200).body;
    (await refresh(desk, client, next.refresh_token)).must(200);
    await desk.clock.forward(2 * MINUTE);
    assert.equal((await refresh(desk, client, tokens.refresh_token)).status, 400);
    const [grant] = await desk.admin.fetch('/oauth/grants');
    (await desk.admin.delete(`/oauth/grants/${grant.id}`)).must(200);
    desk.secrets.add((await desk.admin.post(`/oauth/clients/${client.id}/secret`, {})).must(200).data.secret);
    await desk.admin.update(`/oauth/clients/${client.id}`, { name: 'Old reports' });
    (await desk.admin.delete(`/oauth/clients/${client.id}`)).must(200);
  });
  const names = made.map((e) => e.action).filter((name) => name !== 'LOGIN');
  assert.deepEqual(names, ['CLIENT_CREATED', 'GRANT_CREATED', 'TOKEN_ISSUED', 'TOKEN_REUSED', 'GRANT_DELETED', 'CLIENT_SECRET_CHANGED', 'CLIENT_CHANGED', 'CLIENT_DELETED']);
  const named = Object.fromEntries(made.map((e) => [e.action, e.details?.name]));
  assert.deepEqual([named.CLIENT_CREATED, named.GRANT_CREATED, named.CLIENT_SECRET_CHANGED, named.CLIENT_CHANGED], ['Reports', 'Reports', 'Reports', 'Old reports']);
});

test('the deletion of anything else is an entry that names the object, and a change of addresses and numbers is one', async (t) => {
  const desk = await open(t);
  const o = desk.owner, { id } = desk.people.customer;
  const [category] = await o.fetch('/categories');
  const section = await o.create('/sections', { titles: 'Engines', category_id: category.id });
  const article = await o.create('/articles', { titles: 'Start', contents: 'Turn the key.', section_id: section.id });
  const made = {
    article: [`/articles/${article.id}`], section: [`/sections/${section.id}`],
    macro: ['/cases/macros', { title: 'M', reply_contents: 'Hello', visibility_type: 'ALL' }], case_status: ['/cases/statuses', { label: 'Parked', type: 'PENDING' }],
    user_field: ['/users/fields', { key: 'size', type: 'TEXT', title: 'Size' }], note: [`/users/${id}/notes`, { contents: 'N' }],
  };
  for (const [type, [path, body]] of Object.entries(made)) {
    const object = body ? await o.create(path, body) : { id: Number(path.split('/').at(-1)) };
    const [entry, ...others] = await added(desk, async () => (await o.delete(body ? `${path}/${object.id}` : path)).must(200));
    assert.deepEqual([...brief(entry), entry.actor.id, others], ['OBJECT_DELETED', type, object.id, desk.people.owner.id, []], type);
  }
  let email;
  const changed = await added(desk, async () => { email = await o.create('/identities/emails', { user_id: id, email: 'second@people.example' }); });
  const removed = await added(desk, async () => (await o.delete(`/identities/emails/${email.id}`)).must(200));
  for (const [entries, at] of [[changed, 'to'], [removed, 'from']]) {
    assert.deepEqual(entries.map(brief), [['USER_IDENTITIES_CHANGED', 'user', id]]);
    const [{ property, ...values }] = entries[0].details.changes;
    assert.equal(property, 'emails');
    assert.ok(values[at].includes('second@people.example'), JSON.stringify(values));
  }
});

test('a deleted conversation is an entry, a conversation in the trash is none', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  await desk.staff.fetch('/me');
  assert.deepEqual((await added(desk, async () => (await desk.staff.put(`/cases/${id}/trash`, {})).must(200))).map(brief), []);
  assert.deepEqual((await added(desk, async () => (await desk.staff.delete('/cases/trash', { ids: String(id) })).must(200))).map(brief), [['CASE_DELETED', 'case', id]]);
});

test('a purge erases the values of entries about the person, and the log remains verifiable', async (t) => {
  const desk = await open(t);
  const { id, client } = await desk.person('admin', { full_name: 'Ada Byron' });
  await client.at('127.0.0.77').create('/roles', { title: 'Made by Ada', type: 'AGENT' });
  await chained(desk);
  assert.ok((await log(desk, { object_type: 'user', object_id: id })).every((e) => e.details));
  (await desk.owner.delete(`/users/${id}`, { purge: true })).must(200);
  const about = await log(desk, { object_type: 'user', object_id: id });
  assert.deepEqual(about.map((e) => [e.action, e.details !== null]), [['USER_DELETED', true], ['USER_PURGED', true], ['LOGIN', false], ['STAFF_CREATED', false]]);
  const [role] = await log(desk, { action: 'ROLE_CREATED', actor_id: id });
  assert.deepEqual([role.details.name, role.ip_address], ['Made by Ada', null], 'what was done stays, from where does not');
  await chained(desk);
  await desk.stop();
  assert.deepEqual(findings(desk), []);
});

test('the list is filtered by actor, action, object and time, the newest first, by page and as CSV', async (t) => {
  const desk = await open(t);
  for (const days of [40, 50]) {
    (await desk.owner.put('/settings', { values: { 'changes.kept_days': days } })).must(200);
    await desk.clock.forward(MINUTE);
  }
  (await desk.admin.put('/settings', { values: { 'desk.name': '=1+1' } })).must(200);
  await chained(desk);
  const all = await log(desk);
  assert.deepEqual(all.map((e) => e.id), all.map((e) => e.id).sort((a, b) => b - a));
  assert.deepEqual(await actions(desk, { actor_id: desk.people.admin.id }), ['SETTING_CHANGED', 'LOGIN']);
  assert.deepEqual(new Set(await actions(desk, { action: 'LOGIN,LOGOUT' })), new Set(['LOGIN']));
  assert.equal((await log(desk, { object_type: 'setting', object_id: 34 })).length, 2);
  const [newest] = all;
  assert.deepEqual((await log(desk, { since: newest.happened_at, action: 'SETTING_CHANGED' })).map((e) => e.actor.id), [desk.people.admin.id]);
  assert.equal((await log(desk, { until: new Date(desk.clock.now - 90_000).toISOString(), action: 'SETTING_CHANGED' })).length, 1);
  (await desk.owner.get('/audit_log', { action: 'NOTHING' })).refused(400, 'FIELD_INVALID');
  const page = await log(desk, { limit: 2, after_id: all[1].id });
  assert.deepEqual(page.map((e) => e.id), all.slice(2, 4).map((e) => e.id));
  const csv = (await desk.owner.exchange('GET', `/api/v1/audit_log?format=csv&action=SETTING_CHANGED&actor_id=${desk.people.admin.id}`)).must(200).text;
  const [names, line] = csv.split('\r\n');
  assert.equal(names.replaceAll('"', ''), 'id,happened_at,action,actor_id,actor_kind,cause,ip_address,object_type,object_id,details,seq,chain');
  assert.match(line, new RegExp(`^${newest.id},[^,]+,"SETTING_CHANGED",${desk.people.admin.id},"USER","","127\\.0\\.0\\.1","setting",15,.*=1\\+1.*,${newest.seq},"${newest.chain}"$`));
});

test('only admins and owners read it, and nobody writes to it', async (t) => {
  const desk = await open(t);
  for (const role of ['agent', 'collaborator', 'customer']) (await desk.as(role).get('/audit_log')).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get('/audit_log')).refused(401, 'AUTHORIZATION_REQUIRED');
  const [{ id }] = await desk.admin.fetch('/audit_log');
  for (const method of ['post', 'put', 'delete']) {
    assert.equal((await desk.owner[method]('/audit_log', {})).status, 405);
    assert.equal((await desk.owner[method](`/audit_log/${id}`, {})).status, 404);
  }
});

/** A stopped desk with a chain of some entries. Returns them, the oldest first. */
async function logged(t) {
  const desk = await open(t);
  for (let days = 40; days < 50; days++) (await desk.owner.put('/settings', { values: { 'changes.kept_days': days } })).must(200);
  const entries = await chained(desk);
  await desk.stop();
  assert.deepEqual(findings(desk), []);
  assert.deepEqual(entries.map((e) => e.seq), entries.map((_, i) => i + 1));
  return { desk, entries };
}

test('deskd check names an entry that was changed by hand', async (t) => {
  const { desk, entries } = await logged(t);
  const { id } = entries[5];
  const [next] = entries.slice(6);
  const tampered = [
    [`UPDATE audit_entries SET actor_id = 99 WHERE id = ${id}`, `UPDATE audit_entries SET actor_id = ${entries[5].actor.id} WHERE id = ${id}`, [`audit log: entry ${id} was changed or is forged`]],
    [`UPDATE audit_entries SET object_id = COALESCE(object_id, 0) + 7 WHERE id = ${id}`, `UPDATE audit_entries SET object_id = NULLIF(object_id - 7, 0) WHERE id = ${id}`, [`audit log: entry ${id} was changed or is forged`]],
    [`UPDATE audit_entries SET object_type = 'team' WHERE id = ${id}`, `UPDATE audit_entries SET object_type = '${desk.sql(`SELECT object_type FROM audit_entries WHERE id = ${id}`).trim()}' WHERE id = ${id}`, [`audit log: entry ${id} was changed or is forged`]],
    [`UPDATE audit_values SET details = replace(details, 'kept', 'lept') WHERE entry_id = ${id}`, `UPDATE audit_values SET details = replace(details, 'lept', 'kept') WHERE entry_id = ${id}`, [`audit log: the values of entry ${id} were changed`]],
    [`UPDATE audit_values SET ip_address = '10.0.0.1' WHERE entry_id = ${id}`, `UPDATE audit_values SET ip_address = '127.0.0.1' WHERE entry_id = ${id}`, [`audit log: the values of entry ${id} were changed`]],
    [`UPDATE audit_entries SET chain = '0' || substr(chain, 2) WHERE id = ${id} AND substr(chain, 1, 1) <> '0'; UPDATE audit_entries SET chain = '1' || substr(chain, 2) WHERE id = ${id} AND chain = '${entries[5].chain}'`, `UPDATE audit_entries SET chain = '${entries[5].chain}' WHERE id = ${id}`, [`audit log: the chain is broken at entry ${id}`, `audit log: the chain is broken at entry ${next.id}`]],
  ];
  for (const [change, back, lines] of tampered) {
    desk.sql(change);
    assert.deepEqual(findings(desk), lines, change);
    desk.sql(back);
    assert.deepEqual(findings(desk), [], back);
  }
});

test('deskd check finds a removed, a copied, a forged and a forgotten entry', async (t) => {
  const { desk, entries } = await logged(t);
  const { id } = entries[5];
  desk.sql(`CREATE TABLE kept AS SELECT * FROM audit_entries`);
  const again = () => desk.sql('DELETE FROM audit_entries; INSERT INTO audit_entries SELECT * FROM kept');
  desk.sql(`DELETE FROM audit_entries WHERE id = ${entries[4].id}`);
  assert.deepEqual(findings(desk), [`audit log: entries are missing before entry ${id}`, `audit log: there are values of entry ${entries[4].id}, which is missing`]);
  again();
  desk.sql(`INSERT INTO audit_entries (id, action, actor_id, actor_kind, object_type, object_id, happened_at, values_hash, origin_hash, entry_hash) SELECT 9999, action, actor_id, actor_kind, object_type, object_id, happened_at, values_hash, origin_hash, entry_hash FROM kept WHERE id = ${id}`);
  assert.deepEqual(findings(desk), [`audit log: entry ${id} occurs twice`, 'audit log: the values of entry 9999 are missing, and no erasure explains it']);
  again();
  desk.sql(`UPDATE audit_entries SET seq = NULL, chain = NULL, happened_at = happened_at - 3600000 WHERE id = ${id}`);
  assert.ok(findings(desk).includes(`audit log: entry ${id} has no place in the chain`));
  again();
  desk.sql(`INSERT INTO audit_entries (id, action, actor_kind, happened_at, values_hash, origin_hash, entry_hash) VALUES (9999, 1, 1, ${desk.clock.now}, 'a', 'b', 'c')`);
  assert.deepEqual(findings(desk), ['audit log: entry 9999 was changed or is forged', 'audit log: the values of entry 9999 are missing, and no erasure explains it']);
  await desk.start(); // the server gives it a place, which does not make it true
  await chained(desk);
  await desk.stop();
  assert.deepEqual(findings(desk), ['audit log: entry 9999 was changed or is forged', 'audit log: the values of entry 9999 are missing, and no erasure explains it']);
});

test('values that somebody deleted by hand are a finding, unless an erasure since then explains it', async (t) => {
  const { desk, entries } = await logged(t);
  const [first, last] = [entries[5], entries.at(-1)];
  desk.sql(`DELETE FROM audit_values WHERE entry_id IN (${first.id}, ${last.id})`);
  assert.deepEqual(findings(desk), [first, last].map(({ id }) => `audit log: the values of entry ${id} are missing, and no erasure explains it`));
  await desk.start();
  await desk.clock.forward(2 * DAY);
  (await desk.owner.delete(`/users/${(await desk.person('customer')).id}`, { purge: true })).must(200);
  await chained(desk);
  await desk.stop();
  assert.deepEqual(findings(desk), [], 'the purge is later than both entries');
  await desk.start();
  await desk.clock.forward(2 * DAY);
  await desk.owner.create('/roles', { title: 'Late', type: 'AGENT' });
  const late = (await chained(desk)).find((e) => e.details?.name === 'Late');
  await desk.stop();
  desk.sql(`DELETE FROM audit_values WHERE entry_id = ${late.id}`);
  assert.equal(findings(desk).length, 1);
});

test('erased addresses are no finding', async (t) => {
  const { desk } = await logged(t);
  desk.sql('UPDATE audit_values SET ip_address = NULL');
  assert.deepEqual(findings(desk), []);
});

test('the oldest entries are deleted by age, an entry says so, and the rest remains verifiable', async (t) => {
  const desk = await open(t);
  (await desk.admin.put('/settings', { values: { 'audit.keep_days': 10 } })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.owner.put('/settings', { values: { 'audit.keep_days': 10 } })).must(200);
  const before = await chained(desk);
  await desk.clock.forward(9 * DAY);
  (await desk.owner.put('/settings', { values: { 'desk.name': 'Younger' } })).must(200);
  const young = (await log(desk, { limit: 1 }))[0].id;
  await chained(desk);
  await desk.clock.forward(2 * DAY + MINUTE);
  await desk.restart(); // a sweep runs at the start
  const pruned = await until('the entry of the deletion', async () => (await log(desk, { action: 'LOG_PRUNED' }))[0]);
  assert.deepEqual([pruned.details, pruned.actor_kind, pruned.cause], [{ seq: before.at(-1).seq, entries: before.length }, 'SYSTEM', 'Audit log']);
  const after = await chained(desk);
  assert.ok(after[0].id > before.at(-1).id && after[0].id <= young);
  assert.equal(after[0].seq, before.at(-1).seq + 1);
  await desk.stop();
  assert.deepEqual(findings(desk), []);
  const [first] = after;
  desk.sql(`INSERT INTO audit_anchors (seq, chain, anchored_at) VALUES (${first.seq}, '${first.chain}', 0)`);
  desk.sql(`DELETE FROM audit_values WHERE entry_id = ${first.id}`);
  desk.sql(`DELETE FROM audit_entries WHERE id = ${first.id}`);
  assert.deepEqual(findings(desk), [`audit log: no entry explains why verification begins after place ${first.seq}`], 'a deletion by hand');
});

test('a part that is cut off without the server key is found, although a row before the anchor says that the log was pruned', async (t) => {
  const desk = await open(t);
  await log(desk);
  for (let i = 0; i < 4; i++) await desk.owner.create('/roles', { title: `Role ${i}`, type: 'AGENT' });
  const entries = await chained(desk);
  await desk.stop();
  const [forged, end] = [entries[0], entries.at(-2)];
  desk.sql(`INSERT INTO audit_anchors (seq, chain, anchored_at) VALUES (${end.seq}, '${end.chain}', 0)`);
  desk.sql(`DELETE FROM audit_values WHERE entry_id <= ${end.id}`);
  desk.sql(`DELETE FROM audit_entries WHERE seq <= ${end.seq} AND id <> ${forged.id}`);
  desk.sql(`UPDATE audit_entries SET action = 48 /* LOG_PRUNED */, object_type = 'audit_anchor', object_id = ${end.seq} WHERE id = ${forged.id}`);
  assert.ok(findings(desk).includes(`audit log: no entry explains why verification begins after place ${end.seq}`), findings(desk).join('\n'));
});

test('writes side by side get places without a gap', async (t) => {
  const desk = await open(t);
  await log(desk);
  const writer = async (n) => {
    for (let i = 0; i < 12; i++) {
      const { id } = await desk.owner.create('/roles', { title: `Role ${n} ${i}`, type: 'AGENT' });
      if (i % 3 === 0) (await desk.owner.delete(`/roles/${id}`)).must(200);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, n) => writer(n)));
  const entries = await chained(desk);
  assert.equal(entries.filter((e) => e.action === 'ROLE_CREATED').length, 96);
  assert.equal(entries.filter((e) => e.action === 'ROLE_DELETED').length, 32);
  assert.deepEqual(entries.map((e) => e.seq).sort((a, b) => a - b), entries.map((_, i) => i + 1));
  await desk.stop();
  assert.deepEqual(findings(desk), []);
});

test('a new server key is an entry, and verification begins behind it', async (t) => {
  const { desk, entries } = await logged(t);
  rmSync(`${desk.dir}/secret.key`);
  if (process.env.DATABASE) desk.args = [...desk.args, '--new-key'];
  desk.processes = 1;
  await desk.start();
  const [changed] = await log(desk, { action: 'SERVER_KEY_CHANGED' });
  assert.deepEqual(changed.details, { seq: entries.at(-1).seq, entries: 0 });
  await chained(desk);
  await desk.stop();
  assert.deepEqual(findings(desk), []);
  desk.sql(`UPDATE audit_entries SET actor_kind = 3 WHERE id = ${changed.id}`);
  assert.ok(findings(desk).includes(`audit log: entry ${changed.id} was changed or is forged`));
});

test('the end of the chain is written beside the server key, to the log and to the metrics, and deskd check finds newest entries that are gone', async (t) => {
  const { desk, entries } = await logged(t);
  const file = `${desk.dir}/audit.chain`, last = entries.at(-1);
  assert.equal(readFileSync(file, 'utf8'), `${last.seq} ${last.chain}\n`, 'as the desk left it at its end');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(desk.log.includes(`info audit log: place ${last.seq} has the chain ${last.chain}\n`), desk.log);
  const cut = (n) => desk.sql(`DELETE FROM audit_values WHERE entry_id > ${entries.at(-1 - n).id}; DELETE FROM audit_entries WHERE id > ${entries.at(-1 - n).id}`);
  cut(2);
  const missing = `audit log: it ends with place ${last.seq - 2}, but ${file} has place ${last.seq}: the newest entries are missing`;
  assert.deepEqual(findings(desk), [missing]);
  await desk.start();
  await until('the log says what is missing', () => desk.log.includes(`error ${missing}. If an older store was put in place on purpose, remove ${file}`));
  for (let i = 0; i < 4; i++) await desk.owner.create('/roles', { title: `Later ${i}`, type: 'AGENT' });
  const now = await chained(desk);
  await desk.stop();
  assert.ok(now.at(-1).seq > last.seq);
  assert.deepEqual(findings(desk), [`audit log: place ${last.seq} has another chain than ${file}`], 'new entries do not hide it');
  assert.equal(readFileSync(file, 'utf8'), `${last.seq} ${last.chain}\n`, 'the file is kept');
  rmSync(file);
  assert.deepEqual(findings(desk), []);
  desk.processes = 1;
  await desk.start();
  const metrics = await until('the end in the metrics', async () => {
    const { text } = await desk.anyone.exchange('GET', '/metrics');
    const value = (name) => Number(new RegExp(`^deskd_audit_last_${name} (\\d+)$`, 'm').exec(text)[1]);
    return value('place') && [value('place'), value('chain')];
  });
  const [seq, chain] = readFileSync(file, 'utf8').trim().split(' ');
  assert.deepEqual(metrics, [Number(seq), parseInt(chain.slice(0, 13), 16)]);
  assert.equal((await log(desk)).find((e) => e.seq === Number(seq)).chain, chain);
  await desk.stop();
  writeFileSync(file, 'x');
  assert.match(desk.check().stdout, /^audit log: its end was not compared with \S+audit\.chain: it is not a place and a chain$/m);
  await desk.start();
});

test('deskd check says that hashes are not verified without the server key, and finds another key', async (t) => {
  const { desk } = await logged(t);
  const key = `${desk.dir}/secret.key`;
  renameSync(key, `${key}.kept`);
  const { status, stdout } = desk.check();
  assert.match(stdout, /^audit log: its hashes were not verified, because there is no server key here \(--secret-file\)$/m);
  assert.equal(status, 0, 'the rest was verified');
  assert.equal(deskd('check', ...desk.store, '--secret-file', `${key}.kept`).stdout.includes('audit log'), false);
  writeFileSync(key, Buffer.alloc(32, 7), { mode: 0o600 });
  assert.deepEqual(findings(desk), ['audit log: its hashes can\'t be verified, because the server key here is not that of the desk']);
  renameSync(`${key}.kept`, key);
});

test('deskd password adds an entry', async (t) => {
  const { desk, entries } = await logged(t);
  const reset = deskd('password', ...desk.store, 'agent@example.com', '--password-file', passwordFile());
  assert.equal(reset.status, 0, reset.stderr);
  await desk.start();
  const now = await chained(desk);
  const made = now.find((e) => e.action === 'PASSWORD_CHANGED');
  assert.deepEqual([made.object.id, made.actor, made.cause, made.seq > entries.length], [desk.people.agent.id, null, 'deskd password', true]);
});

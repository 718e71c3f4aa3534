import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { connect, relay } from './lib/relay.mjs';
import { open, shared, until } from './lib/index.mjs';

/** Another process reads a change within half a second: tests/postgres/outbox.test.mjs. */
const ALONE = { processes: 1 };
const put = (client, values) => client.put('/settings', { values });
/** The current settings by category.name. */
const now = async (client) => Object.fromEntries((await client.fetch('/settings')).map((s) => [`${s.category}.${s.name}`, s.value]));

const OWNERS = {
  'audit.keep_days': 400, 'endpoints.allow_private_addresses': true, 'mail.smtp_host': 'relay.example.com', 'mail.smtp_port': 2525, 'mail.smtp_security': 'TLS', 'mail.smtp_user': 'desk', 'mail.smtp_password': 'x',
  'mail.authserv_id': 'mx.example.com', 'mail.smtp_ca': 'x', 'mail.smtp_timeout_seconds': 30, 'mail.oauth_timeout_seconds': 9, 'mail.from_address': 'desk@example.com', 'mail.return_path': 'bounces@example.com', 'mail.imap_ca': 'x', 'mail.dns_server': '127.0.0.1:53', 'mail.plus_addresses': false, 'mail.subject_tokens': true, 'mail.imap_allow_private_addresses': true,
  'security.cors_origins': 'https://app.example.com', 'security.frame_ancestors': 'https://shop.example.com', 'security.hsts_seconds': 3600, 'security.staff_passwords': true, 'signin.allow_private_addresses': true,
};

describe('only owners change settings that decide where secrets are sent', () => {
  const world = shared(() => {}, ALONE);

  for (const [name, value] of Object.entries(OWNERS)) {
    test(`${name}: admins are refused, owners are accepted`, async () => {
      const { admin, owner } = world.desk;
      const before = await now(owner);
      (await put(admin, { [name]: value })).refused(403, 'PERMISSIONS_DENIED', `values/${name}`);
      assert.deepEqual(await now(owner), before);
      (await put(owner, { [name]: value })).must(200);
    });
  }

  test('each refused setting is named, and the others in the request are not written', async () => {
    const { admin, owner } = world.desk;
    const before = await now(owner);
    const names = ['mail.smtp_host', 'mail.return_path'];
    const reply = (await put(admin, { 'desk.name': 'Other', [names[0]]: 'x', 'mail.from_name': 'Other', [names[1]]: 'no address', 'no.such': 1 })).must(403);
    assert.deepEqual(reply.body.errors.map((e) => [e.code, e.pointer]), names.map((name) => ['PERMISSIONS_DENIED', `values/${name}`]));
    assert.deepEqual(await now(owner), before);
  });

  test('admins change other settings', async () => {
    const { admin, owner } = world.desk;
    (await put(admin, { 'desk.name': 'Help', 'mail.from_name': 'Help', 'files.max_megabytes': 21 })).must(200);
    const { 'desk.name': name, 'mail.from_name': from, 'files.max_megabytes': size } = await now(owner);
    assert.deepEqual([name, from, size], ['Help', 'Help', '21']);
  });

  test('admins without the permission settings.manage change nothing', async () => {
    const { owner } = world.desk;
    const role = await owner.create('/roles', { title: 'No settings', type: 'ADMIN' });
    (await owner.put(`/roles/${role.id}/permissions`, { 'settings.manage': 0 })).must(200);
    const { client } = await world.desk.person('admin', { role_id: role.id });
    (await put(client, { 'desk.name': 'Mine' })).refused(403, 'PERMISSIONS_DENIED');
  });
});

describe('settings of incoming mail', () => {
  const world = shared(() => {}, ALONE);

  test('a line of mail.blocklist is an address, a domain, or *. and a domain', async () => {
    const { owner } = world.desk;
    const list = (...lines) => put(owner, { 'mail.blocklist': lines.join('\n') });
    (await list('ada@example.com', '', ' example.net ', '*.example.org', 'bücher.example')).must(200);
    (await list()).must(200);
    for (const wrong of ['*.', '*', 'two words', 'ada@', '@example.com', '*@example.com', 'example..com', 'ada@example.com, bob@example.com', '/spam/', '*.*.example.com']) {
      const { body } = (await list('example.net', wrong)).refused(400, 'FIELD_INVALID', 'values/mail.blocklist');
      assert.match(body.errors[0].message, /^Line 2 /, wrong);
    }
  });

  test('mail.authserv_id is one word', async () => {
    const { owner } = world.desk;
    for (const id of ['mx.example.com', 'MX-1_a', '']) (await put(owner, { 'mail.authserv_id': id })).must(200);
    for (const wrong of ['mx.example.com; dmarc=pass', 'mx example', 'mx.example.com;', '"mx"', 'bücher.example', 'a, b', 'ada@example.com'])
      (await put(owner, { 'mail.authserv_id': wrong })).refused(400, 'FIELD_INVALID', 'values/mail.authserv_id');
  });
});

describe('the list of settings', () => {
  const world = shared(() => {}, ALONE);
  const MEMBERS = ['id', 'name', 'category', 'value', 'is_protected', 'description', 'resource_type'];

  test('is complete, has ids, and each value is a text', async () => {
    const { body } = (await world.desk.owner.get('/settings', { limit: 1, offset: 3 })).must(200);
    assert.equal(body.total_count, body.data.length);
    assert.ok(body.total_count > 20 && !('limit' in body) && !('offset' in body));
    for (const setting of body.data) {
      assert.deepEqual(Object.keys(setting), MEMBERS);
      assert.deepEqual([typeof setting.value, typeof setting.is_protected, setting.resource_type], ['string', 'boolean', 'setting']);
      assert.ok(!setting.category.includes('.') && setting.name && setting.description);
    }
    assert.equal(new Set(body.data.map((s) => s.id)).size, body.total_count);
    assert.deepEqual(body.data.filter((s) => s.is_protected).map((s) => `${s.category}.${s.name}`).sort(), Object.keys(OWNERS).sort());
  });

  test('says on request what form the values have, and the initial ones', async () => {
    const { owner } = world.desk, list = await owner.fetch('/settings', { fields: '+type,+initial,+minimum,+maximum,+options' });
    const of = (name) => { const { type, initial, minimum, maximum, options } = list.find((s) => s.name === name); return [type, initial, minimum, maximum, options]; };
    assert.deepEqual(of('session_hours_staff'), ['INTEGER', '8', 1, 720, null]);
    assert.deepEqual(of('smtp_security'), ['WORD', 'STARTTLS', null, null, ['NONE', 'STARTTLS', 'TLS']]);
    assert.deepEqual(of('smtp_password'), ['SECRET', '', null, null, null]);
    assert.deepEqual([of('time_zone'), of('timezone')].map(([type, initial]) => [type, initial]), [['TIME_ZONE', 'UTC'], ['TIME_ZONE', 'UTC']]);
    assert.ok(list.every((s) => s.type && typeof s.initial === 'string' && (s.type === 'WORD') === Array.isArray(s.options) && (s.type === 'INTEGER') === (s.minimum !== null)));
  });

  test('is the table of docs/OPERATIONS.md', async (t) => {
    const { owner } = (await open(t));
    const row = (s) => `| \`${s.category}.${s.name}\` | ${s.value === '' ? '' : `\`${s.value}\``} | ${s.is_protected ? 'owners' : 'admins'} | ${s.description.replaceAll('|', '\\|')} |`;
    const text = readFileSync(new URL('../../docs/OPERATIONS.md', import.meta.url), 'utf8');
    const written = text.split('\n').filter((line) => /^\| `[a-z]+\.[a-z_]+` \|.*\| (owners|admins) \|/.test(line));
    assert.deepEqual(written, (await owner.fetch('/settings')).map(row).sort());
  });

  test('shows a secret as an empty text, whether set or not', async () => {
    const { owner } = world.desk;
    world.desk.secrets.add('gr8 secret');
    const shown = async () => (await owner.get('/settings')).must(200);
    assert.equal((await shown()).data.find((s) => s.name === 'smtp_password').value, '');
    (await put(owner, { 'mail.smtp_password': 'gr8 secret' })).must(200);
    const reply = await shown();
    assert.equal(reply.data.find((s) => s.name === 'smtp_password').value, '');
    assert.ok(!reply.text.includes('gr8'));
  });

  test('includes facts of the account, and can be limited to a category', async () => {
    const { owner, admin } = world.desk;
    const facts = await admin.fetch('/settings', { category: 'account' });
    assert.deepEqual(facts.map((s) => [s.name, s.category, s.value, s.is_protected]), [
      ['default_language', 'account', 'en-us', false], ['timezone', 'account', 'UTC', false], ['time_format', 'account', '24hour', false]]);
    assert.deepEqual(await owner.fetch('/settings', { category: 'nothing' }), []);
    (await put(admin, { 'account.timezone': 'Europe/Berlin', 'account.time_format': '12HOUR', 'account.default_language': 'EN_GB' })).must(200);
    const values = await now(owner);
    assert.deepEqual(['desk.time_zone', 'account.timezone', 'account.time_format', 'account.default_language'].map((name) => values[name]),
      ['Europe/Berlin', 'Europe/Berlin', '12hour', 'en-gb']);
    (await put(owner, { 'account.timezone': 'UTC', 'desk.time_zone': 'Europe/Paris' })).refused(400, 'PARAMETERS_INCONSISTENT', 'values/desk.time_zone');
    (await put(owner, { 'account.timezone': 'Nowhere', 'account.default_language': 'xx', 'account.time_format': '25hour' }))
      .refused(400, 'FIELD_INVALID', 'values/account.timezone', 'values/account.default_language', 'values/account.time_format');
    (await put(owner, { 'account.timezone': 'UTC', 'desk.time_zone': 'UTC' })).must(200);
  });

  test('has a new ETag after a change', async () => {
    const { owner } = world.desk;
    const { etag } = await owner.get('/settings');
    (await owner.get('/settings', {}, { 'If-None-Match': etag })).must(304);
    (await put(owner, { 'desk.name': 'Another' })).must(200);
    (await owner.get('/settings', {}, { 'If-None-Match': etag })).must(200);
  });

  test('only admins and owners read it', async () => {
    for (const role of ['agent', 'collaborator', 'customer']) (await world.desk.as(role).get('/settings')).refused(403, 'PERMISSIONS_DENIED');
    (await world.desk.anyone.get('/settings')).refused(401, 'AUTHORIZATION_REQUIRED');
  });
});

test('a plain title is stored and shown in the default language', async (t) => {
  const { owner } = await open(t, ALONE);
  const field = await owner.create('/users/fields', { type: 'TEXT', titles: [{ locale: 'de', translation: 'Größe' }, { locale: 'en-us', translation: 'Size' }] });
  assert.equal(field.title, 'Size');
  (await put(owner, { 'account.default_language': 'de' })).must(200);
  assert.equal((await owner.fetch(`/users/fields/${field.id}`)).title, 'Größe');
  const made = await owner.create('/users/fields', { type: 'TEXT', title: 'Farbe' });
  const other = await owner.fetch(`/users/fields/${made.id}`, { include: 'locale_field' });
  assert.deepEqual([other.title, other.titles.map(({ locale, translation }) => [locale, translation])], ['Farbe', [['de', 'Farbe']]]);
});

describe('values are checked', () => {
  const world = shared(() => {}, ALONE);

  test('every bad value is named with its constraint, and nothing is written', async () => {
    const { owner } = world.desk;
    const before = await now(owner);
    const bad = {
      'mail.smtp_port': [0, '`mail.smtp_port` must be a number from 1 to 65535.'],
      'mail.smtp_security': ['MAYBE', '`mail.smtp_security` must be one of NONE, STARTTLS, TLS.'],
      'mail.return_path': ['nobody', '`mail.return_path` must be an e-mail address.'],
      'desk.time_zone': ['Nowhere/Land', '`desk.time_zone` must be a name of the tz database, like Europe/Berlin.'],
      'mail.notify_password_changes': ['perhaps', '`mail.notify_password_changes` must be true or false.'],
      'desk.name': [{ a: 1 }, '`desk.name` must be a single value.'],
      'mail.prot': [1, 'Unknown setting `mail.prot`.'],
    };
    const reply = await put(owner, { 'security.password_history': 3, ...Object.fromEntries(Object.entries(bad).map(([name, [value]]) => [name, value])) });
    reply.refused(400, 'FIELD_INVALID', ...Object.keys(bad).map((name) => `values/${name}`));
    assert.deepEqual(reply.body.errors.map((e) => e.message), Object.values(bad).map(([, message]) => message));
    assert.deepEqual(await now(owner), before);
  });

  for (const [name, value] of [['desk.name', 'a\u0000b'], ['desk.name', 'a\nb'], ['mail.smtp_host', 'a\r\nb'], ['mail.smtp_ca', 'a\u0000b'], ['mail.smtp_password', 'x'.repeat(5000)],
    ['', 'x'], ['name', 'x'], ['x'.repeat(5000), 'x'], ['desk.name', null], ['desk.name', ['a']], ['files.max_megabytes', null], ['files.max_megabytes', 1.5]]) {
    const fine = name === 'desk.name' && value === null; // null clears a text
    test(`${name.slice(0, 30)} = ${JSON.stringify(value).slice(0, 30)}: ${fine ? 'cleared' : 'refused'}`, async () => {
      const reply = await put(world.desk.owner, { [name]: value });
      if (fine) reply.must(200);
      else reply.refused(400, 'FIELD_INVALID');
    });
  }

  test('words are accepted in any letter case, and booleans and numbers as text; each is stored in one form', async () => {
    const { owner } = world.desk;
    (await put(owner, { 'mail.smtp_security': 'starttls', 'mail.notify_password_changes': 'FALSE', 'mail.smtp_port': '0587' })).must(200);
    const { 'mail.smtp_security': security, 'mail.notify_password_changes': notify, 'mail.smtp_port': port } = await now(owner);
    assert.deepEqual([security, notify, port], ['STARTTLS', '0', '587']);
  });
});

describe('the password of the relay is kept only for the server it was given for', () => {
  const world = shared(() => {}, ALONE);
  const SECRET = { 'mail.smtp_host': 'a.example', 'mail.smtp_port': 587, 'mail.smtp_security': 'TLS', 'mail.smtp_ca': '', 'mail.smtp_user': 'desk', 'mail.smtp_password': 'gr8 secret' };
  const forgotten = (reply) => reply.must(200).notices.filter((m) => m.includes('mail.smtp_password was deleted')).length;

  for (const [name, value] of [['mail.smtp_host', 'b.example'], ['mail.smtp_port', 588], ['mail.smtp_security', 'NONE'], ['mail.smtp_ca', 'PEM']]) {
    test(`a change of ${name} deletes it, once and with a notice`, async () => {
      const { owner } = world.desk;
      assert.equal(forgotten(await put(owner, SECRET)), 0, 'the password was in the same request');
      assert.equal(forgotten(await put(owner, { [name]: SECRET[name] })), 0, 'nothing changed');
      assert.equal(forgotten(await put(owner, { 'mail.smtp_user': 'other', 'mail.smtp_timeout_seconds': 31, 'desk.name': 'x' })), 0, 'the server is the same');
      assert.equal(forgotten(await put(owner, { [name]: value })), 1);
      assert.equal(forgotten(await put(owner, { [name]: SECRET[name] })), 0, 'the password is already deleted');
    });
  }

  test('a refused write deletes nothing', async () => {
    const { owner } = world.desk;
    (await put(owner, SECRET)).must(200);
    (await put(owner, { 'mail.smtp_host': 'b.example', 'mail.smtp_timeout_seconds': 1 })).refused(400, 'FIELD_INVALID');
    assert.equal(forgotten(await put(owner, { 'mail.smtp_host': 'b.example' })), 1);
  });
});

test('another server does not get the password of the former one', async (t) => {
  const desk = await open(t, ALONE);
  const login = ['desk', 'gr8 secret'];
  const [first, second] = [await relay(t, { login }), await relay(t, { login })];
  desk.secrets.add(login[1]);
  await connect(desk, first, { 'mail.smtp_user': login[0], 'mail.smtp_password': login[1] });
  await desk.owner.create('/users/invite', { full_name: 'Ines', email: 'ines@people.example' });
  assert.equal((await first.mail()).user, 'desk');
  await connect(desk, second);
  await desk.owner.create('/users/invite', { full_name: 'Ida', email: 'ida@people.example' });
  await until('the failure', () => /could not be sent yet/.test(desk.log));
  assert.equal(second.mails.length, 0);
  await connect(desk, second, { 'mail.smtp_password': login[1] });
  await desk.owner.create('/users/invite', { full_name: 'Ina', email: 'ina@people.example' });
  assert.deepEqual((await second.mail()).to, ['ina@people.example']);
});

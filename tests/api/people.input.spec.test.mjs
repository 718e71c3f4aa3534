import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { next, raw, shared } from './lib/index.mjs';

// Bad input to every operation about people: a clear 4xx that names the member, no change, never 5xx.

const TEXT = [{ a: 1 }, ['x'], 'a\u0000b', 'x'.repeat(70_000)];
const NAME = [...TEXT, '', '   ', 'a\nb', 'a\u0007b'];
const FLAG = ['perhaps', 2, { a: 1 }, [true]];
const ID = ['x', -1, 0, 1.5, '99999999999999999999', { id: 1 }, 987654, '1 OR 1=1'];
const IDS = ['x', [0], [-1], [987654], ['1 OR 1=1'], { a: 'x' }, [[1]]];
const ENUM = ['NO_SUCH', 1, ['SELF'], { a: 1 }, 'SELF\u0000'];

/** A write whose members are made wrong one by one: [method, path, a good body, {member: wrong values}]. */
const WRITES = [
  ['POST', '/users', () => ({ full_name: 'Una', email: `una${next()}@in.example` }), {
    full_name: NAME, email: ['x', 'a@', 'a b@c.example', ...TEXT], phone: ['x', '12', ...TEXT], role_id: ID, organization_id: ID, team_ids: IDS, locale_id: ID,
    time_zone: ['Mars/Olympus', 'X', '../../etc/passwd', ...TEXT], designation: TEXT, signature: [{ a: 1 }, ['x'], 'a\u0000b'], agent_case_access: ENUM, organization_case_access: ENUM,
    legacy_id: TEXT, password: [{ a: 1 }, ['x'], 'abcd', 'x'.repeat(1025)],
  }],
  ['PUT', (w) => `/users/${w.user.id}`, () => ({}), {
    full_name: NAME, role_id: ID, organization_id: ID, team_ids: IDS, locale_id: ID, time_zone: ['Mars/Olympus', ...TEXT], designation: TEXT, agent_case_access: ENUM,
    organization_case_access: ENUM, legacy_id: TEXT, is_enabled: FLAG, password: [{ a: 1 }, 'abcd', 'x'.repeat(1025)],
  }],
  ['PUT', () => '/profile', () => ({}), {
    full_name: NAME, designation: TEXT, locale_id: ID, time_zone: ['Mars/Olympus', ...TEXT], signature: [{ a: 1 }, ['x'], 'a\u0000b'], field_values: [{ no_such: 'x' }, 'x', ['x']],
  }],
  ['PUT', () => '/profile/password', () => ({ password: 'wrong password', new_password: 'good password' }), {
    new_password: ['', 'short', 'x'.repeat(1025), { a: 1 }, ['x']], password: ['', 'wrong', { a: 1 }, ['x'], 'x'.repeat(5000)],
  }],
  ['POST', '/organizations', () => ({ name: `Org ${next()}` }), {
    name: NAME, legacy_id: TEXT, domains: ['x', 'a b.example', '@a.example', 'a..example', 'http://a.example/', '-a.example', `${'a'.repeat(300)}.example`, 'a\u0000.example', [{ a: 1 }]],
    is_shared: FLAG, is_validated: FLAG, field_values: [{ no_such: 'x' }, 'x', ['x']],
  }],
  ['PUT', (w) => `/organizations/${w.organization.id}`, () => ({}), { name: NAME, legacy_id: TEXT, domains: ['x y', 'a..example'], is_shared: FLAG, is_validated: FLAG, field_values: [{ no_such: 'x' }, 'x'] }],
  ['POST', '/roles', () => ({ title: `Role ${next()}`, type: 'AGENT' }), { title: NAME, type: ENUM, agent_case_access: ENUM }],
  ['PUT', (w) => `/roles/${w.role.id}`, () => ({}), { title: NAME, agent_case_access: ENUM }],
  ['POST', '/users/fields', () => ({ title: 'Colour', type: 'TEXT', key: `colour_${next()}` }), { type: ENUM, key: [{ a: 1 }, ['x'], 'a\u0000b'], is_enabled: FLAG, is_visible_to_customers: FLAG, is_customer_editable: FLAG, is_required_for_agents: FLAG, sort_order: ['x', { a: 1 }, 1.5] }],
  ['POST', '/organizations/fields', () => ({ title: 'Colour', type: 'TEXT', key: `colour_${next()}` }), { type: ENUM, is_enabled: FLAG, sort_order: ['x'] }],
  ['POST', (w) => `/users/${w.user.id}/notes`, () => ({ contents: 'a note' }), { contents: [{ a: 1 }, ['x'], '', 'a\u0000b'], is_pinned: FLAG }],
  ['POST', (w) => `/organizations/${w.organization.id}/notes`, () => ({ contents: 'a note' }), { contents: [{ a: 1 }, ['x'], '', 'a\u0000b'], is_pinned: FLAG }],
  ['POST', () => '/profile/identities/emails', () => ({ email: `p${next()}@in.example` }), { email: ['x', '', 'a@', ...TEXT], is_primary: FLAG, is_notification_enabled: FLAG }],
  ['POST', () => '/profile/identities/phones', () => ({ number: `+49301237${1000 + next()}` }), { number: ['x', '', '12', ...TEXT], is_primary: FLAG, type: ENUM }],
  ['POST', () => '/password/reset', () => ({ email: 'nobody@in.example' }), { email: [{ a: 1 }, ['x'], ''] }],
];

describe('bad members of', () => {
  const world = shared(async (w) => {
    w.user = (await w.desk.person('customer')).user;
    w.organization = await w.desk.owner.create('/organizations', { name: 'Solid' });
    w.role = await w.desk.owner.create('/roles', { title: 'Solid', type: 'AGENT' });
  });
  for (const [method, path, good, members] of WRITES) {
    for (const [member, values] of Object.entries(members)) {
      test(`${method} ${typeof path === 'string' ? path : path({ user: {}, organization: {}, role: {} }).replace('undefined', ':id')}: ${member}`, async () => {
        const target = typeof path === 'string' ? path : path(world);
        const readable = method === 'PUT' && !target.endsWith('password');
        const before = readable && (await world.desk.owner.fetch(target));
        for (const value of values) {
          const reply = await world.desk.owner.request(method, target, { body: { ...good(), [member]: value } });
          assert.equal(reply.status, 400, `${reply}`);
          const named = reply.body.errors.some((e) => e.parameter === member || e.pointer?.startsWith(member));
          assert.ok(named, `${member} is not named: ${reply}`);
        }
        if (readable) assert.deepEqual((await world.desk.owner.fetch(target)).updated_at, before.updated_at);
      });
    }
  }

  test('all bad members at once', async () => {
    (await world.desk.owner.post('/users', { full_name: '', email: 'x', role_id: 'x', organization_id: 987654, time_zone: 'X', agent_case_access: 'X', password: 'abc' }))
      .refused(400, 'FIELD_INVALID', 'email', 'role_id', 'organization_id', 'time_zone', 'agent_case_access').refused(400, 'FIELD_EMPTY', 'full_name');
    for (const [path, method] of [['/users', 'POST'], ['/users/invite', 'POST'], [`/users/${world.user.id}`, 'PUT']]) {
      const { errors } = (await world.desk.owner.request(method, path, { body: { full_name: 'X', email: 'once@in.example', role_id: 987654, organization_id: 987654, time_zone: 'X' } })).must(400).body;
      assert.deepEqual(errors.map((e) => e.parameter).sort(), [...new Set(errors.map((e) => e.parameter))].sort(), 'each member is named once');
    }
    (await world.desk.owner.post('/roles', {})).refused(400, 'FIELD_REQUIRED', 'title', 'type');
    (await world.desk.owner.post('/organizations', { is_shared: 'perhaps' })).refused(400, 'FIELD_REQUIRED', 'name').refused(400, 'FIELD_INVALID', 'is_shared');
    (await world.desk.owner.post('/users', {})).refused(400, 'FIELD_REQUIRED', 'full_name');
    (await world.desk.owner.post('/users', { full_name: 'X' })).refused(400, 'ANY_FIELD_REQUIRED', 'email', 'phone');
    (await world.desk.owner.put('/profile/password', {})).refused(400, 'FIELD_REQUIRED', 'password', 'new_password');
    (await world.desk.owner.post('/organizations/filter', {})).refused(400, 'FIELD_REQUIRED', 'predicates');
    (await world.desk.owner.post('/users/filter', {})).refused(400, 'FIELD_REQUIRED', 'predicates');
  });

  test('a filter: an invalid predicate is refused with a pointer', async () => {
    const { owner } = world.desk;
    const filter = (p) => ({ predicates: { collections: [{ propositions: [p] }] } });
    const bad = [
      { predicates: 'x' }, { predicates: [] }, { predicates: 1 }, { predicates: '{' }, { predicates: { collections: 'x' } }, { predicates: { collections: [1] } }, { predicates: { collections: [{ propositions: 'x' }] } },
      { predicates: { collection_operator: 'XOR', collections: [] } }, { predicates: { collections: [{ proposition_operator: 'XOR', propositions: [] }] } },
      filter({ field: 'no.such', operator: 'comparison_equalto', value: 'x' }), filter({ field: 'organizations.name', operator: 'comparison_lessthan', value: 'x' }),
      filter({ field: 'organizations.name', operator: 'no_such', value: 'x' }), filter({ field: 'organizations.createdat_absolute', operator: 'date_is', value: 'x' }),
      filter({ field: 'organizations.createdat_relative_past', operator: 'date_before_or_on', value: 'x' }), filter({ field: 'organizations.conversationaccess', operator: 'comparison_equalto', value: '7' }),
      filter({ field: ['organizations.name'], operator: 'comparison_equalto', value: 'x' }), filter({ field: 'organizations.name', operator: 'comparison_equalto', value: { a: 1 } }), filter('x'), filter({}),
      filter({ field: 'organizations.name; DROP TABLE organization', operator: 'comparison_equalto', value: 'x' }), filter({ field: 'organizations.name', operator: 'comparison_equalto', value: 'a\u0000b' }),
      filter({ field: 'organizationfields.no_such', operator: 'comparison_equalto', value: 'x' }), { predicates: JSON.parse('['.repeat(50) + ']'.repeat(50)) },
    ];
    for (const body of bad) (await owner.post('/organizations/filter', body)).must(400);
    const { errors } = (await owner.post('/organizations/filter', filter({ field: 'no.such', operator: 'x', value: 1 }))).must(400).body;
    assert.ok(errors.every((e) => e.pointer?.startsWith('predicates')), JSON.stringify(errors));
  });

  test('wrong arguments of lists are refused', async () => {
    for (const path of ['/users', '/organizations', '/roles', '/identities/emails', '/identities/phones', '/identities/twitter', '/identities/facebook', '/profile/identities/emails']) {
      for (const value of ['x', '-1', '1.5', '99999999999999999999', '']) {
        for (const name of ['offset', 'limit']) {
          const reply = await world.desk.owner.get(path, { [name]: value });
          if (value !== '') reply.refused(400, 'FIELD_INVALID', name);
        }
      }
    }
    for (const [name, values] of Object.entries({ is_enabled: ['perhaps', '2'], ids: ['x', '1,x', '1,1'], organization_id: ['x'], role: ['NO_SUCH', '987654x'] })) {
      for (const value of values) (await world.desk.owner.get('/users', { [name]: value })).must(400);
    }
    (await world.desk.owner.get('/users', { after_id: 1, before_id: 5 })).refused(400, 'PARAMETERS_INCONSISTENT');
    (await world.desk.owner.get('/users', { after_id: 'x' })).refused(400, 'FIELD_INVALID', 'after_id');
    (await world.desk.owner.get('/autocomplete/users', { name: 'a', in: 'NO_SUCH' })).refused(400, 'FIELD_INVALID', 'in');
  });
});

describe('malformed bodies', () => {
  const world = shared();
  const OPERATIONS = [['PUT', '/profile'], ['PUT', '/profile/password'], ['POST', '/users'], ['POST', '/organizations'], ['POST', '/roles'], ['POST', '/identities/emails'], ['POST', '/profile/identities/phones'], ['PUT', '/roles/2/permissions'], ['POST', '/organizations/filter'], ['PUT', '/profile/verify']];
  const BAD = {
    'cut JSON': raw('application/json', '{"full_name": "x'),
    'no JSON': raw('application/json', 'full_name=x'),
    'a JSON text': raw('application/json', '"x"'),
    'invalid UTF-8 in JSON': raw('application/json', Buffer.from('{"full_name":"\xff\xfe"}', 'latin1')),
    'an overlong form in JSON': raw('application/json', Buffer.from('{"full_name":"\xc0\x80"}', 'latin1')),
    'a lone surrogate': raw('application/json', '{"full_name":"\\ud800"}'),
    'invalid UTF-8 in a form': raw('application/x-www-form-urlencoded', 'full_name=%ff%fe'),
    'multipart without a last boundary': raw('multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="full_name"\r\n\r\nx'),
    'multipart without boundary': raw('multipart/form-data', 'x'),
    'JSON too deep': raw('application/json', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  };
  for (const [what, body] of Object.entries(BAD)) {
    test(what, async () => {
      for (const [method, path] of OPERATIONS) (await world.desk.owner.request(method, path, { body })).refused(400, 'BODY_INVALID');
    });
  }
  test('a type that is not supported', async () => {
    for (const [method, path] of OPERATIONS) (await world.desk.owner.request(method, path, { body: raw('text/xml', '<x/>') })).refused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });
  test('invalid UTF-8 in a query or a path is refused', async () => {
    for (const path of ['/users?email=%ff', '/autocomplete/users?name=%ff%fe', '/users/%ff', '/organizations?legacy_ids=%c0%80']) {
      const reply = await world.desk.owner.get(path);
      assert.ok([400, 404].includes(reply.status), `${reply}`);
    }
  });
});

describe('hostile names', () => {
  const world = shared();
  const NAMES = ["Robert'); DROP TABLE users;--", '<script>alert(1)</script>', '"; --', '%s%n%x', '../../etc/passwd', '{{7*7}}', 'Zoë 渡辺 🦄 \u202eabc', '\\', 'a'.repeat(200), "O'Brien", '%', '_', 'NULL', '0', 'false', '=1+1', 'é e\u0301'];

  test('are stored as given and found again', async () => {
    for (const name of NAMES) {
      const user = await world.desk.owner.create('/users', { full_name: name, email: `h${next()}@in.example` });
      assert.equal((await world.desk.owner.fetch(`/users/${user.id}`)).full_name, name);
      const organization = await world.desk.owner.create('/organizations', { name });
      assert.equal((await world.desk.owner.fetch(`/organizations/${organization.id}`)).name, name);
      const role = await world.desk.owner.create('/roles', { title: name, type: 'AGENT' });
      assert.equal((await world.desk.owner.fetch(`/roles/${role.id}`)).title, name);
      assert.ok((await world.desk.owner.get('/autocomplete/users', { name, limit: 100 })).must(200).ids.includes(user.id), name);
      assert.ok((await world.desk.owner.get('/autocomplete/organizations', { name, limit: 100 })).must(200).ids.includes(organization.id), name);
      (await world.desk.owner.get('/autocomplete/emails', { address: name })).must(200);
      (await world.desk.owner.get('/autocomplete/tags', { name })).must(200);
      (await world.desk.owner.get('/organizations', { legacy_ids: name })).must(200);
      const found = (await world.desk.owner.post('/organizations/filter', { predicates: { collections: [{ propositions: [{ field: 'organizations.name', operator: 'comparison_equalto', value: name }] }] } })).must(200);
      assert.deepEqual(found.ids, [organization.id], name);
    }
  });

  test('wildcards in a search are literal', async () => {
    await world.desk.owner.create('/organizations', { name: 'Plain' });
    for (const name of ['Pl%n', 'Pl_in', 'P*n']) assert.equal((await world.desk.owner.get('/autocomplete/organizations', { name })).body.total_count, 0, name);
  });
});

describe('a lookup by a long text', () => {
  const world = shared();
  test('finds only names and addresses that begin with all of it', async () => {
    for (const long of [`${'b'.repeat(50)} corporation`, `Общество с ограниченной ответственностью «Ромашка» ${next()}`, '渡'.repeat(40)]) {
      const user = await world.desk.owner.create('/users', { full_name: `The ${long}`, email: `${'x'.repeat(55)}${next()}@long.example` });
      const organization = await world.desk.owner.create('/organizations', { name: long, tags: [long] });
      await world.desk.owner.create('/organizations', { name: `${long.slice(0, -1)}?` });
      const [email] = await world.desk.owner.fetch('/identities/emails', { user_id: user.id });
      const found = async (kind, query) => (await world.desk.owner.get(`/autocomplete/${kind}`, query)).must(200).data;
      assert.deepEqual((await found('organizations', { name: long })).map((o) => o.id), [organization.id]);
      assert.deepEqual((await found('users', { name: long.toLowerCase() })).map((u) => u.id), [user.id]);
      assert.deepEqual((await found('tags', { name: long })).map((x) => x.name), [long]);
      assert.deepEqual((await found('emails', { address: long })).map((e) => e.identity.id), [email.id]);
      assert.deepEqual((await found('emails', { address: email.email })).map((e) => e.identity.id), [email.id]);
      assert.deepEqual(await found('users', { name: `${long}!` }), []);
    }
  });
});

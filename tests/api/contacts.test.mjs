import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { form, json, multipart, open, raw, shared } from './lib/index.mjs';

const OWNERS = [
  ['users', (desk, more) => desk.owner.create('/users', { full_name: 'U', email: `u${Math.random()}@x.example`, ...more })],
  ['organizations', (desk, more) => desk.owner.create('/organizations', { name: 'O', ...more })],
];
const LONDON = { address1: "12 St James's Square", address2: 'c/o Somerville', city: 'London', state: null, postal_code: 'SW1Y 4JH', country: 'United Kingdom', type: 'WORK' };

for (const [kind, make] of OWNERS) {
  describe(`addresses and web sites of ${kind}`, () => {
    const world = shared();
    const full = (id) => world.desk.owner.fetch(`/${kind}/${id}`, { include: '*' });

    test('references, in full as given with include, at an address that answers', async () => {
      const { desk } = world;
      const made = await make(desk, { addresses: [LONDON, { city: 'Oxford' }], websites: ['https://ada.example/', { url: 'ada.example:8080/x' }] });
      assert.deepEqual(made.addresses.map((a) => a.resource_type), ['contact_address', 'contact_address']);
      assert.deepEqual(Object.keys(made.websites[0]), ['id', 'resource_type']);
      const { addresses: [first, second], websites } = await full(made.id);
      const { id, resource_type, resource_url, created_at, updated_at, ...rest } = first;
      assert.deepEqual(rest, { is_primary: true, ...LONDON });
      assert.deepEqual([second.is_primary, second.city, second.address1], [false, 'Oxford', null]);
      assert.deepEqual(websites.map((x) => [x.url, x.is_primary]), [['https://ada.example/', true], ['ada.example:8080/x', false]]);
      assert.equal(resource_url, `${desk.base}/api/v1/${kind}/${made.id}/contacts/addresses/${id}`);
      for (const one of [first, second, ...websites]) assert.deepEqual(await desk.staff.fetch(new URL(one.resource_url).pathname), one);
    });

    test('a given list replaces the old list, and an object with an id keeps its row', async () => {
      const { owner } = world.desk;
      const made = await make(world.desk, { addresses: [{ city: 'A' }, { city: 'B' }], websites: 'a.example, b.example' });
      const [a, b] = made.addresses;
      await owner.update(`/${kind}/${made.id}`, { addresses: [{ id: b.id, city: 'Bee', is_primary: false }, { city: 'C', is_primary: true }] });
      const { addresses, websites } = await full(made.id);
      assert.deepEqual(addresses.map((x) => [x.city, x.is_primary]), [['C', true], ['Bee', false]]);
      assert.equal(addresses[1].id, b.id);
      assert.equal(websites.length, 2, 'an omitted list stays unchanged');
      (await owner.get(`/${kind}/${made.id}/contacts/addresses/${a.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      for (const none of [[], null, '']) {
        await owner.update(`/${kind}/${made.id}`, { websites: ['x.example'] });
        assert.deepEqual((await owner.update(`/${kind}/${made.id}`, { websites: none })).websites, []);
      }
    });

    test('JSON, nested form names and multipart have the same effect', async () => {
      const { owner } = world.desk;
      const { id } = await make(world.desk);
      for (const as of [json, form, multipart, (v) => form(Object.fromEntries(Object.entries(v).map(([k, x]) => [k, JSON.stringify(x)])))]) {
        await owner.update(`/${kind}/${id}`, { addresses: [], websites: [] });
        await owner.update(`/${kind}/${id}`, as({ addresses: [{ city: 'A', is_primary: false }, { city: 'B', is_primary: true }], websites: [{ url: 'x.example' }] }));
        const { addresses, websites } = await full(id);
        assert.deepEqual([addresses.map((x) => x.city), websites.map((x) => x.url)], [['B', 'A'], ['x.example']]);
      }
    });

    test('invalid items are all refused at once, with their place', async () => {
      const { owner } = world.desk;
      const { id, addresses } = await make(world.desk, { addresses: [{ city: 'Kept' }] });
      const { addresses: [foreign] } = await make(world.desk, { addresses: [{ city: 'Foreign' }] });
      const refused = async (body, code, ...places) => (await owner.put(`/${kind}/${id}`, body)).refused(400, code, ...places);
      await refused({ addresses: [{ city: 'x'.repeat(256) }, { country: 'a\u0007' }] }, 'FIELD_INVALID', 'addresses/0/city', 'addresses/1/country');
      await refused({ addresses: [{ city: ['x'] }] }, 'FIELD_INVALID', 'addresses/0/city');
      await refused({ addresses: ['London'] }, 'FIELD_INVALID', 'addresses/0');
      await refused({ addresses: [{}] }, 'FIELD_EMPTY', 'addresses/0');
      await refused({ addresses: { city: 'x' } }, 'FIELD_INVALID', 'addresses');
      await refused({ addresses: [{ id: foreign.id, city: 'Mine' }] }, 'FIELD_INVALID', 'addresses/0/id');
      await refused({ addresses: [{ id: 'x', city: 'Mine' }] }, 'FIELD_INVALID', 'addresses/0/id');
      await refused({ addresses: [{ id: addresses[0].id, city: 'a' }, { id: addresses[0].id, city: 'b' }] }, 'PARAMETERS_INCONSISTENT', 'addresses/1/id');
      await refused({ addresses: [{ city: 'a', is_primary: true }, { city: 'b', is_primary: '1' }] }, 'FIELD_INVALID', 'addresses/1/is_primary');
      await refused({ addresses: Array.from({ length: 101 }, () => ({ city: 'x' })) }, 'FIELD_INVALID', 'addresses');
      await refused({ websites: [{ is_primary: true }] }, 'FIELD_REQUIRED', 'websites/0/url');
      for (const url of ['javascript:alert(1)', 'ftp://x.example/', 'https://', 'https:///x', 'a b.example', 'data:text/html,x', '"><script>', '//x.example', `https://x.example/${'x'.repeat(2000)}`]) {
        await refused({ websites: [{ url }] }, 'FIELD_INVALID', 'websites/0/url');
      }
      await refused(raw('application/json', Buffer.from('{"addresses":[{"city":"\xff"}]}', 'latin1')), 'BODY_INVALID');
      assert.deepEqual((await full(id)).addresses.map((x) => x.city), ['Kept']);
    });

    test('an address is not found under another owner, and customers read none', async () => {
      const { desk } = world;
      const a = await make(desk, { addresses: [{ city: 'A' }] }), b = await make(desk, {});
      (await desk.owner.get(`/${kind}/${b.id}/contacts/addresses/${a.addresses[0].id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      (await desk.customer.get(`/${kind}/${a.id}/contacts/addresses/${a.addresses[0].id}`)).refused(403, 'PERMISSIONS_DENIED');
      const elsewhere = kind === 'users' ? 'organizations' : 'users';
      (await desk.owner.get(`/${elsewhere}/${a.id}/contacts/addresses/${a.addresses[0].id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    });
  });
}

describe('external identifiers', () => {
  const world = shared();
  const make = (more) => OWNERS[0][1](world.desk, more);

  test('shown in place, and unique', async () => {
    const { owner } = world.desk;
    const one = await make({ external_identifiers: [{ external_app: 'shop', external_id: 'C-1' }, { external_app: 'crm', external_id: 'C-1' }] });
    assert.deepEqual(one.external_identifiers.map((x) => [x.external_app, x.external_id, x.resource_type]),
      [['shop', 'C-1', 'external_identifier'], ['crm', 'C-1', 'external_identifier']]);
    const taken = { external_identifiers: [{ external_app: 'shop', external_id: 'C-2' }, { external_app: 'shop', external_id: 'C-1' }] };
    (await owner.post('/users', { full_name: 'N', email: 'n@x.example', ...taken })).refused(400, 'FIELD_DUPLICATE', 'external_identifiers/1/external_id');
    const two = await make();
    (await owner.put(`/users/${two.id}`, taken)).refused(400, 'FIELD_DUPLICATE', 'external_identifiers/1/external_id');
    const twice = { external_identifiers: [{ external_app: 'shop', external_id: 'C-3' }, { external_app: 'shop', external_id: 'C-3' }] };
    (await owner.put(`/users/${two.id}`, twice)).refused(400, 'FIELD_DUPLICATE', 'external_identifiers/1/external_id');
    (await owner.put(`/users/${one.id}`, { external_identifiers: one.external_identifiers })).must(200);
    (await owner.put(`/users/${one.id}`, { external_identifiers: [{ external_app: 'shop', external_id: 'C-1' }] })).must(200);
    (await owner.put(`/users/${two.id}`, { external_identifiers: [{ external_app: 'crm', external_id: 'C-1' }] })).must(200);
  });

  test('both parts are required', async () => {
    const { owner } = world.desk;
    const { id } = await make();
    const refused = async (external_identifiers, code, place) => (await owner.put(`/users/${id}`, { external_identifiers })).refused(400, code, place);
    await refused([{ external_app: 'shop' }], 'FIELD_REQUIRED', 'external_identifiers/0/external_id');
    await refused([{ external_id: 'x', external_app: ' ' }], 'FIELD_EMPTY', 'external_identifiers/0/external_app');
    await refused(['shop'], 'FIELD_INVALID', 'external_identifiers/0');
    await refused([{ external_app: 'shop', external_id: 'x'.repeat(256) }], 'FIELD_INVALID', 'external_identifiers/0/external_id');
  });

  test('deletion of a person frees them and keeps the rest; a purge erases all', async () => {
    const { desk } = world;
    const all = (id) => ({ external_identifiers: [{ external_app: 'del', external_id: id }], addresses: [LONDON], websites: ['x.example'], tags: 'a' });
    for (const purge of [false, true]) {
      const one = await make(all('D'));
      (await desk.owner.delete(`/users/${one.id}`, { purge })).must(200);
      const two = await make(all('D'));
      assert.equal(two.external_identifiers.length, 1);
      (await desk.owner.delete(`/users/${two.id}`)).must(200);
    }
    assert.equal(desk.check().status, 0);
  });

  test('people see their own and can\'t write them through the profile', async () => {
    const { desk } = world;
    const { id } = desk.people.customer;
    await desk.owner.update(`/users/${id}`, { addresses: [LONDON], external_identifiers: [{ external_app: 'own', external_id: 'O' }] });
    const own = await desk.customer.fetch('/profile', { include: 'contact_address' });
    assert.deepEqual([own.addresses[0].city, own.external_identifiers[0].external_id], ['London', 'O']);
    (await desk.customer.put('/profile', { addresses: [], external_identifiers: [], tags: 'x' })).must(200).notes('addresses');
    assert.equal((await desk.customer.fetch('/profile')).addresses.length, 1);
  });
});

test('phones of an organization: a list replaces the list, and the first is primary', async (t) => {
  const { owner } = await open(t);
  const made = await owner.create('/organizations', { name: 'O', phones: ['+49 30 1234567', '+44 20 79460000'] });
  assert.deepEqual(made.phone.map((x) => x.resource_type), ['identity_phone', 'identity_phone']);
  const shown = async () => (await owner.fetch(`/organizations/${made.id}`, { include: 'identity_phone' })).phone;
  const [berlin, london] = await shown();
  assert.deepEqual([berlin.is_primary, london.is_primary], [true, false]);
  await owner.update(`/organizations/${made.id}`, { phones: '+442079460000,+33 1 40205050' });
  const after = await shown();
  assert.deepEqual([after[0].id, after.length, after[0].is_primary], [london.id, 2, true]);
  (await owner.put(`/organizations/${made.id}`, { phones: ['+44 20 7946 0000', 'none', '+44 (20) 79460000'] })).refused(400, 'FIELD_INVALID', 'phones/1').refused(400, 'FIELD_DUPLICATE', 'phones/2');
  (await owner.create('/organizations', { name: 'P', phones: ['+44 20 79460000'] }));
  assert.deepEqual((await owner.update(`/organizations/${made.id}`, { phones: '' })).phone, []);
});

test('a page of people needs as many statements as a page of one', async (t) => {
  const desk = await open(t, { processes: 1 }); // each process counts its own statements
  const { owner } = desk;
  const field = await owner.create('/users/fields', { type: 'TEXT', key: 'k', title: 'K' });
  const organization = await owner.create('/organizations', { name: 'O', addresses: [LONDON], tags: 'o' });
  for (let i = 0; i < 12; i++) {
    await OWNERS[0][1](desk, { addresses: [LONDON, LONDON], websites: ['x.example'], tags: `t${i},all`, field_values: { k: `v${i}` }, organization_id: organization.id,
      external_identifiers: [{ external_app: 'shop', external_id: `${i}` }] });
  }
  const statements = async () => Number(/^\S*store_statements_total (\d+)/m.exec((await desk.anyone.exchange('GET', '/metrics')).text)[1]);
  const cost = async (limit) => {
    const query = { limit, include: '*', fields: '+tags' };
    await owner.get('/users', query);
    const before = await statements();
    const { data } = (await owner.get('/users', query)).must(200);
    const after = await statements();
    assert.deepEqual([data.length, data[0].custom_fields[0].field.id], [limit, field.id]);
    return after - before;
  };
  /* About once a second the daemon looks for jobs and for messages of other processes, in two or three statements. They are counted with
   * a request of that moment, so the minimum of several tries is the cost. If requests are slow, that may need many tries. */
  const least = { 1: Infinity, 10: Infinity };
  for (let i = 0; i < 20 || (i < 200 && least[1] !== least[10]); i++) {
    for (const limit of [1, 10]) least[limit] = Math.min(least[limit], await cost(limit));
  }
  assert.ok(least[1] > 5, 'the metrics count statements');
  assert.equal(least[10], least[1]);
});

test('a phone number of an organization can\'t be changed as an identity of a person', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const { id, phone: [one] } = await owner.create('/organizations', { name: 'O', phones: ['+442079460000'] });
  const { resource_url: url } = (await owner.fetch(`/organizations/${id}`, { include: 'identity_phone' })).phone[0];
  const path = new URL(url).pathname;
  assert.equal((await owner.fetch(path)).id, one.id);
  for (const method of ['put', 'delete']) {
    const { status } = await owner[method](path, method === 'put' ? { is_primary: true } : {});
    assert.ok(status < 500, `${method}: ${status}`);
  }
  const { id: user } = await owner.create('/users', { full_name: 'U', phone: '+442079460000' });
  assert.equal((await owner.fetch(`/users/${user}`)).phones.length, 1, 'a person may have the same number');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

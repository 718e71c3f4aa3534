import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { HOUR, clean, open, storedContents, until, uploaded } from './lib/index.mjs';

// Values of FILE fields: who may name a file, who may download it, and when it is deleted.

const LIFE = 12 * HOUR; // for which an unreferenced file can be named again
const get = (who, owner, id) => who.exchange('GET', `/api/v1/${owner}/files/${id}/content`);
const sweep = (desk) => desk.restart();
const gone = (desk, file) => until(`the content of ${file.id} is removed`, () => !storedContents(desk).includes(file.hash));

/** A desk with FILE fields of people and organizations. */
async function world(t, flags = {}) {
  const desk = await open(t);
  const of = {};
  const make = async (area, key, more = {}) => { of[key] = await desk.owner.create(`/${area}/fields`, { key, type: 'FILE', title: key, ...more }); };
  await make('users', 'secret', flags.secret);
  await make('users', 'shown', { is_visible_to_customers: true, is_customer_editable: true });
  await make('organizations', 'contract');
  await make('organizations', 'terms', { is_visible_to_customers: true });
  const { id } = desk.people.customer;
  const values = async (path) => Object.fromEntries((await desk.owner.fetch(path)).custom_fields.filter((v) => v.value).map((v) => [Object.keys(of).find((k) => of[k].id === v.field.id), v.value]));
  return { desk, of, id, path: `/users/${id}`, values };
}

test('a file is given by its id, shown as its id, and kept while it is a value', async (t) => {
  const { desk, path, values, of } = await world(t);
  const file = await uploaded(desk.staff, { name: 'Vertrag.pdf', type: 'application/pdf' });
  const { custom_fields } = (await desk.staff.put(path, { field_values: { secret: file.id } })).must(200).data;
  assert.deepEqual(custom_fields.filter((v) => v.value), [{ field: { id: of.secret.id, resource_type: 'user_field' }, value: String(file.id), resource_type: 'user_field_value' }]);
  assert.equal((await desk.staff.fetch(`/files/${file.id}`)).expiry_at, null);
  await desk.clock.forward(13 * HOUR);
  await sweep(desk);
  const reply = (await get(desk.admin, path.slice(1), file.id)).must(200);
  assert.deepEqual(reply.bytes, file.data);
  assert.deepEqual([reply.headers['content-type'], reply.headers['content-disposition'], reply.headers['x-content-type-options']], ['application/pdf', 'attachment; filename="Vertrag.pdf"', 'nosniff']);
  assert.match(reply.headers['content-security-policy'], /sandbox/);
  assert.deepEqual(await values(path), { secret: String(file.id) });
  clean(desk);
});

test('a file that the caller may not name gives the same error as an absent file', async (t) => {
  const { desk, path, values } = await world(t);
  const [theirs, old] = [await uploaded(desk.admin), await uploaded(desk.staff)];
  await desk.clock.forward(12 * HOUR);
  const mine = await uploaded(desk.staff);
  for (const id of [theirs.id, old.id, 999999, 0, -1, '1.5', 'x', `${mine.id},${mine.id}`, [mine.id], true]) {
    const { body } = (await desk.staff.put(path, { field_values: { secret: id, shown: mine.id } })).refused(400, 'FIELD_INVALID', 'field_values/secret');
    assert.equal(body.errors.length, 1);
    (await desk.staff.post('/users', { full_name: 'N', email: 'n@x.example', field_values: { secret: id } })).refused(400, 'FIELD_INVALID', 'field_values/secret');
    (await desk.staff.post('/organizations', { name: 'O', field_values: { contract: id } })).refused(400, 'FIELD_INVALID', 'field_values/contract');
  }
  assert.deepEqual(await values(path), {});
  assert.notEqual((await desk.staff.fetch(`/files/${mine.id}`)).expiry_at, null, 'the refused write did not attach the file');
});

test('any caller may send a value back unchanged, but can\'t use its file in another field', async (t) => {
  const { desk, path, values } = await world(t);
  const file = await uploaded(desk.staff);
  await desk.staff.update(path, { field_values: { secret: file.id } });
  await desk.admin.update(path, { field_values: { secret: file.id }, designation: 'x' });
  assert.deepEqual(await values(path), { secret: String(file.id) });
  (await desk.admin.put(path, { field_values: { shown: file.id } })).refused(400, 'FIELD_INVALID', 'field_values/shown');
  (await desk.customer.put('/profile', { field_values: { shown: file.id } })).refused(400, 'FIELD_INVALID', 'field_values/shown');
  (await desk.admin.post('/users', { full_name: 'N', email: 'n@x.example', field_values: { secret: file.id } })).refused(400, 'FIELD_INVALID', 'field_values/secret');
});

describe('a replaced, cleared or deleted value makes its file unreferenced', () => {
  const cases = {
    'another file': async ({ desk, path }) => desk.staff.update(path, { field_values: { secret: (await uploaded(desk.staff)).id } }),
    'null': ({ desk, path }) => desk.staff.update(path, { field_values: { secret: null } }),
    'deletion of the field': async ({ desk, of }) => (await desk.owner.delete(`/users/fields/${of.secret.id}`)).must(200),
    'deletion of the person': async ({ desk, path }) => (await desk.owner.delete(path)).must(200),
    'a purge of the person': async ({ desk, path }) => (await desk.owner.delete(path, { purge: true })).must(200),
  };
  for (const [name, act] of Object.entries(cases)) {
    test(`by ${name}`, async (t) => {
      const w = await world(t);
      const file = await uploaded(w.desk.staff);
      await w.desk.staff.update(w.path, { field_values: { secret: file.id } });
      await w.desk.clock.forward(LIFE);
      await act(w);
      (await w.desk.staff.get(`/files/${file.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
      (await get(w.desk.owner, w.path.slice(1), file.id)).must(404);
      await sweep(w.desk);
      await gone(w.desk, file);
      clean(w.desk);
    });
  }

  test('in organizations, too', async (t) => {
    const { desk, of } = await world(t);
    const files = await Promise.all(Array.from({ length: 4 }, () => uploaded(desk.staff)));
    const ids = [];
    for (const f of files) ids.push((await desk.staff.create('/organizations', { name: `O ${f.id}`, field_values: { contract: f.id } })).id);
    await desk.clock.forward(LIFE);
    await desk.staff.update(`/organizations/${ids[0]}`, { field_values: { contract: '' } });
    (await desk.owner.delete(`/organizations/${ids[1]}`)).must(200);
    (await desk.owner.delete('/organizations', { ids: ids[2] })).must(200);
    await sweep(desk);
    for (const f of files.slice(0, 3)) await gone(desk, f);
    (await get(desk.staff, `organizations/${ids[3]}`, files[3].id)).must(200);
    (await desk.owner.delete(`/organizations/fields/${of.contract.id}`)).must(200);
    await sweep(desk);
    await gone(desk, files[3]);
    clean(desk);
  });
});

test('one file may be several values, and is deleted after the last of them', async (t) => {
  const { desk, path } = await world(t);
  const file = await uploaded(desk.staff);
  await desk.staff.update(path, { field_values: { secret: file.id, shown: file.id } });
  const { id } = await desk.staff.create('/organizations', { name: 'O', field_values: { contract: file.id } });
  await desk.clock.forward(LIFE);
  await desk.staff.update(path, { field_values: { secret: null, shown: null } });
  assert.equal((await desk.staff.fetch(`/files/${file.id}`)).expiry_at, null);
  await sweep(desk);
  (await get(desk.staff, `organizations/${id}`, file.id)).must(200);
  (await get(desk.staff, path.slice(1), file.id)).must(404);
  await desk.staff.update(`/organizations/${id}`, { field_values: { contract: null } });
  await sweep(desk);
  await gone(desk, file);
  clean(desk);
});

test('another file with the same bytes keeps its content when one of them is deleted', async (t) => {
  const { desk, path } = await world(t);
  const data = randomBytes(50), [one, two] = [await uploaded(desk.staff, { data }), await uploaded(desk.staff, { data })];
  await desk.staff.update(path, { field_values: { secret: one.id, shown: two.id } });
  await desk.clock.forward(LIFE);
  await desk.staff.update(path, { field_values: { secret: null } });
  await sweep(desk);
  await until('the row is gone', async () => (await desk.staff.get(`/files/${one.id}`)).status === 404);
  assert.deepEqual((await get(desk.staff, path.slice(1), two.id)).must(200).bytes, data);
  clean(desk);
});

test('callers who see the value download the file, nobody else', async (t) => {
  const { desk, path, of } = await world(t);
  const owner = path.slice(1);
  const [secret, shown, unused] = [await uploaded(desk.staff), await uploaded(desk.staff), await uploaded(desk.staff)];
  await desk.staff.update(path, { field_values: { secret: secret.id, shown: shown.id } });
  for (const role of ['owner', 'admin', 'agent', 'collaborator']) {
    for (const f of [secret, shown]) assert.deepEqual((await get(desk.as(role), owner, f.id)).must(200).bytes, f.data, role);
    (await desk.as(role).get(`/${owner}/files/${unused.id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
  }
  assert.deepEqual((await get(desk.customer, owner, shown.id)).must(200).bytes, shown.data);
  (await desk.customer.get(`/${owner}/files/${secret.id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
  const stranger = await desk.person('customer');
  for (const f of [secret, shown]) {
    (await stranger.client.get(`/${owner}/files/${f.id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await stranger.client.get(`/users/${stranger.id}/files/${f.id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.anyone.get(`/${owner}/files/${f.id}/content`)).refused(401, 'AUTHORIZATION_REQUIRED');
    (await desk.owner.get(`/users/${stranger.id}/files/${f.id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.owner.get(`/files/${f.id}/content`)).refused(404, 'RESOURCE_NOT_FOUND');
  }
  await desk.owner.update(`/users/fields/${of.shown.id}`, { is_enabled: false });
  (await get(desk.owner, owner, shown.id)).must(404);
  await desk.owner.update(`/users/fields/${of.shown.id}`, { is_enabled: true, is_visible_to_customers: false });
  (await get(desk.owner, owner, shown.id)).must(200);
  (await get(desk.customer, owner, shown.id)).must(404);
});

test('people of an organization download files that customers may see', async (t) => {
  const { desk, id } = await world(t);
  const [contract, terms] = [await uploaded(desk.staff), await uploaded(desk.staff)];
  const org = await desk.staff.create('/organizations', { name: 'O', field_values: { contract: contract.id, terms: terms.id } });
  const owner = `organizations/${org.id}`;
  for (const f of [contract, terms]) {
    (await get(desk.as('collaborator'), owner, f.id)).must(200);
    (await get(desk.customer, owner, f.id)).must(404);
  }
  await desk.owner.update(`/users/${id}`, { organization_id: org.id });
  assert.deepEqual((await get(desk.customer, owner, terms.id)).must(200).bytes, terms.data);
  (await get(desk.customer, owner, contract.id)).must(404);
  (await desk.anyone.get(`/${owner}/files/${terms.id}/content`)).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('customers set files of their own in their profile', async (t) => {
  const { desk, path } = await world(t);
  const file = await uploaded(desk.customer);
  await desk.customer.update('/profile', { field_values: { shown: file.id } });
  assert.deepEqual((await get(desk.staff, path.slice(1), file.id)).must(200).bytes, file.data);
  (await desk.customer.put('/profile', { field_values: { secret: file.id } })).refused(400, 'FIELD_INVALID', 'field_values/secret');
});

test('a missing required FILE field is refused like any other', async (t) => {
  const { desk, path, values } = await world(t, { secret: { is_required_for_agents: true } });
  (await desk.staff.post('/users', { full_name: 'N', email: 'n@x.example' })).refused(400, 'FIELD_REQUIRED', 'field_values/secret');
  const file = await uploaded(desk.staff);
  const { id } = await desk.staff.create('/users', { full_name: 'N', email: 'n@x.example', field_values: { secret: file.id } });
  assert.deepEqual(await values(`/users/${id}`), { secret: String(file.id) });
  (await desk.staff.put(`/users/${id}`, { field_values: { secret: null } })).refused(400, 'FIELD_REQUIRED', 'field_values/secret');
  assert.deepEqual(await values(path), {});
});

test('a purge deletes the unreferenced uploads of the person', async (t) => {
  const { desk, path } = await world(t);
  const [unused, used] = [await uploaded(desk.staff), await uploaded(desk.staff)];
  await desk.staff.update(path, { field_values: { secret: used.id } });
  (await desk.owner.delete(`/users/${desk.people.agent.id}`, { purge: true })).must(200);
  await sweep(desk);
  await gone(desk, unused);
  assert.deepEqual((await get(desk.owner, path.slice(1), used.id)).must(200).bytes, used.data);
  clean(desk);
});

test('concurrent changes of one file value leave no inconsistent file', async (t) => {
  const { desk } = await world(t);
  const people = await Promise.all(Array.from({ length: 6 }, () => desk.person('customer')));
  const file = await uploaded(desk.staff);
  await desk.staff.update(`/users/${people[0].id}`, { field_values: { secret: file.id } });
  for (let round = 0; round < 5; round++) {
    const replies = await Promise.all(people.slice(1).map(({ id }, i) => desk.staff.put(`/users/${id}`, { field_values: { secret: (round + i) % 2 ? file.id : null } })));
    for (const reply of replies) reply.must(200);
  }
  await desk.staff.update(`/users/${people[0].id}`, { field_values: { secret: null } });
  const last = await Promise.all(people.map(({ id }, i) => desk.staff.put(`/users/${id}`, { field_values: { secret: i % 2 ? file.id : null } })));
  for (const { status } of last) assert.ok(status === 200 || status === 400);
  clean(desk);
});

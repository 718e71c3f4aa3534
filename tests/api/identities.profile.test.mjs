import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ROLES, demo, open, shared } from './lib/index.mjs';

// Your own identities: a claim has no effect until it is verified.

const PATH = '/profile/identities';

test('every caller sees only their own identities', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const who = desk.as(role);
    const own = (await who.get(`${PATH}/emails`)).must(200);
    assert.deepEqual([own.body.total_count, own.data[0].email], [1, `${role}@example.com`]);
    assert.equal((await who.fetch(`${PATH}/emails/${own.ids[0]}`)).email, `${role}@example.com`);
    for (const kind of ['phones', 'twitter', 'facebook']) assert.deepEqual((await who.get(`${PATH}/${kind}`)).must(200).data, []);
    const [theirs] = await desk.owner.fetch('/identities/emails', { user_id: desk.people[role === 'owner' ? 'admin' : 'owner'].id });
    for (const reply of [who.get(`${PATH}/emails/${theirs.id}`), who.put(`${PATH}/emails/${theirs.id}/primary`), who.put(`${PATH}/emails/${theirs.id}/verification`),
      who.delete(`${PATH}/emails/${theirs.id}`), who.get(`${PATH}/emails/x`)]) {
      (await reply).refused(404, 'RESOURCE_NOT_FOUND');
    }
    (await who.delete(`${PATH}/emails`, { ids: `${own.ids[0]},${theirs.id}` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
  }
  (await desk.anyone.get(`${PATH}/emails`)).refused(401, 'AUTHORIZATION_REQUIRED');
  assert.equal((await desk.owner.get('/identities/emails')).must(200).body.total_count, ROLES.length);
});

test('an address you add is neither validated nor primary, and can\'t be made so; a phone number can be made primary', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const who = desk.as(role);
    for (const [kind, body] of [['emails', { email: `${role}@second.example` }], ['phones', { number: `+49 30 ${1234000 + role.length}` }]]) {
      const reply = (await who.post(`${PATH}/${kind}`, { ...body, is_primary: true, is_validated: true, user_id: desk.people.owner.id, is_claim: 0 })).must(201);
      const leads = kind === 'phones';
      for (const word of ['is_validated', 'user_id', 'is_claim']) reply.notes(word);
      assert.equal(reply.notices.some((m) => m.includes('is_primary')), !leads);
      assert.deepEqual([reply.data.is_primary, reply.data.is_validated], [leads, false]);
      const put = await who.put(`${PATH}/${kind}/${reply.data.id}/primary`);
      if (leads) assert.equal(put.must(200).data.is_primary, true);
      else put.refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
      (await who.put(`${PATH}/${kind}/${reply.data.id}`, { is_validated: true })).must(405);
      assert.ok((await who.get(`${PATH}/${kind}`)).must(200).ids.includes(reply.data.id));
      const quiet = (await who.post(`${PATH}/${kind}`, kind === 'emails' ? { email: `x@${role}.example`, is_primary: false } : { number: `+49 30 ${1235000 + role.length}`, is_primary: false })).must(201);
      assert.deepEqual(quiet.notices, []);
    }
  }
  assert.equal(desk.check().status, 0);
});

test('your first or chosen phone number is primary while unverified, and identifies nobody', async (t) => {
  const desk = await open(t);
  for (const [i, role] of ROLES.entries()) {
    const who = desk.as(role);
    const number = (n) => `+49 30 ${2000000 + 10 * i + n}`;
    const [first, second] = [await who.create(`${PATH}/phones`, { number: number(1) }), await who.create(`${PATH}/phones`, { number: number(2) })];
    assert.deepEqual([first.is_primary, second.is_primary, second.is_validated], [true, false, false]);
    assert.equal((await who.update(`${PATH}/phones/${second.id}/primary`)).is_primary, true);
    assert.deepEqual((await who.fetch(`${PATH}/phones`)).map((i) => [i.id, i.is_primary]), [[second.id, true], [first.id, false]]);
    (await who.delete(`${PATH}/phones/${second.id}`)).must(200);
    assert.equal((await who.fetch(`${PATH}/phones/${first.id}`)).is_primary, true);
    await desk.owner.create('/users', { full_name: 'Holder', phone: number(1) }); // the number is free for others
  }
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('staff with the right to validate confirm a claim, which becomes primary if there is no other', async (t) => {
  const desk = await open(t);
  const phone = await desk.customer.create(`${PATH}/phones`, { number: '+49 30 1234567', type: 'MOBILE' });
  assert.equal(phone.type, 'MOBILE');
  (await desk.as('collaborator').put(`/identities/phones/${phone.id}`, { is_validated: true })).must(200);
  const put = await desk.staff.update(`/identities/phones/${phone.id}`, { is_validated: true });
  assert.deepEqual([put.is_validated, put.is_primary, put.type], [true, true, 'MOBILE']);
  const other = await desk.customer.create(`${PATH}/phones`, { number: '+49 30 7654321' });
  const both = await desk.staff.update(`/identities/phones/${other.id}`, { is_validated: true, is_primary: true });
  assert.deepEqual([both.is_primary, both.type], [true, 'NONE']);
  assert.equal((await desk.customer.fetch(`${PATH}/phones/${phone.id}`)).is_primary, false);
  const back = await desk.customer.update(`${PATH}/phones/${phone.id}/primary`);
  assert.equal(back.is_primary, true);
  assert.deepEqual((await desk.customer.get(`${PATH}/phones`)).must(200).ids, [phone.id, other.id]);
});

test('values are checked as on other routes', async (t) => {
  const desk = await open(t);
  const who = desk.customer;
  (await who.post(`${PATH}/emails`, {})).refused(400, 'FIELD_REQUIRED', 'email');
  (await who.post(`${PATH}/emails`, { email: 'no address', is_primary: 'maybe' })).refused(400, 'FIELD_INVALID', 'email', 'is_primary');
  (await who.post(`${PATH}/phones`, { number: '', type: 'HOME' })).refused(400, 'FIELD_EMPTY', 'number');
  for (const type of ['FAX', 1, ['HOME']]) (await who.post(`${PATH}/phones`, { number: '+49301234567', type })).refused(400, 'FIELD_INVALID', 'type');
  for (const [i, type] of ['NONE', 'home', 'WORK', 'Mobile'].entries()) assert.equal((await who.create(`${PATH}/phones`, { number: `+4930123456${i}`, type })).type, type.toUpperCase());
  (await who.post(`${PATH}/phones`, { number: '+49 (30) 1234560' })).refused(400, 'FIELD_DUPLICATE', 'number');
  (await who.post(`${PATH}/emails`, { email: 'Customer@Example.com' })).refused(400, 'FIELD_DUPLICATE', 'email');
  const made = await who.create(`${PATH}/emails`, { email: 'c@second.example', is_notification_enabled: true });
  assert.equal(made.is_notification_enabled, true);
  (await who.post(`${PATH}/emails`, { email: 'C@Second.example' })).refused(400, 'FIELD_DUPLICATE', 'email');
  for (const kind of ['twitter', 'facebook']) (await who.post(`${PATH}/${kind}`, { screen_name: 'x' })).must(405);
});

test('people delete addresses they added, but not the last address they log in with', async (t) => {
  const desk = await open(t);
  const [login] = await desk.customer.fetch(`${PATH}/emails`);
  const claim = await desk.customer.create(`${PATH}/emails`, { email: 'c@second.example' });
  (await desk.customer.delete(`${PATH}/emails/${login.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.customer.delete(`${PATH}/emails`, { ids: `${claim.id},${login.id}` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids/1');
  (await desk.customer.delete(`${PATH}/emails/${claim.id}`)).must(200);
  const more = [];
  for (let i = 0; i < 3; i++) more.push((await desk.customer.create(`${PATH}/emails`, { email: `c${i}@second.example` })).id);
  assert.equal((await desk.customer.delete(`${PATH}/emails`, { ids: more.join() })).must(200).body.total_count, 3);
  (await desk.customer.delete(`${PATH}/emails`)).refused(400, 'FIELD_REQUIRED', 'ids');
  assert.deepEqual((await desk.customer.get(`${PATH}/emails`)).must(200).ids, [login.id]);
});

test('a verification link can be requested only for an address that is not validated', async (t) => {
  const desk = await open(t);
  const [login] = await desk.customer.fetch(`${PATH}/emails`);
  (await desk.customer.put(`${PATH}/emails/${login.id}/verification`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  const claim = await desk.customer.create(`${PATH}/emails`, { email: 'c@second.example' });
  const reply = (await desk.customer.put(`${PATH}/emails/${claim.id}/verification`)).must(200);
  assert.deepEqual([reply.data.id, reply.data.is_validated], [claim.id, false]);
});

test("a change of your identities changes the ETag and updated_at of your user", async (t) => {
  const desk = await open(t);
  const read = async () => (await desk.customer.get('/me')).must(200);
  const before = await read();
  await desk.clock.forward(60);
  const { id } = await desk.customer.create(`${PATH}/emails`, { email: 'c@second.example' });
  const after = await read();
  assert.notEqual(after.etag, before.etag);
  await desk.clock.forward(60);
  (await desk.customer.delete(`${PATH}/emails/${id}`)).must(200);
  assert.ok((await read()).data.updated_at > after.data.updated_at);
});

/* ---- accounts that no operation creates: people of the demo desk have some --------------------------------------------------- */

for (const kind of ['twitter', 'facebook']) {
  describe(`${kind} accounts`, () => {
    const world = shared(async (w) => { w.demo = await demo(w.t); });

    test('are read, made primary and deleted by their owner', async () => {
      const { demo: desk } = world;
      const own = `${PATH}/${kind}`;
      const [first, second] = await desk.customer.fetch(own);
      assert.deepEqual([first.is_primary, second.is_primary], [true, false]);
      assert.equal((await desk.customer.update(`${own}/${second.id}/primary`)).is_primary, true);
      assert.deepEqual((await desk.customer.get(own)).must(200).ids, [second.id, first.id]);
      assert.deepEqual((await desk.owner.fetch(`/users/${desk.people.customer.id}`))[kind].map((i) => i.id), [second.id, first.id]);
      const [theirs] = await desk.staff.fetch(own);
      for (const reply of [desk.customer.get(`${own}/${theirs.id}`), desk.customer.put(`${own}/${theirs.id}/primary`), desk.customer.delete(`${own}/${theirs.id}`)]) (await reply).refused(404, 'RESOURCE_NOT_FOUND');
      (await desk.customer.delete(own, { ids: `${first.id},${theirs.id}` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
      (await desk.customer.delete(`${own}/${second.id}`)).must(200);
      assert.equal((await desk.customer.fetch(`${own}/${first.id}`)).is_primary, true);
      assert.equal((await desk.customer.delete(own, { ids: first.id })).must(200).body.total_count, 1);
      assert.deepEqual((await desk.customer.get(own)).must(200).data, []);
    });

    test('of people with a higher rank are visible and can\'t be changed', async () => {
      const { demo: desk } = world;
      const path = `/identities/${kind}`;
      const [admins] = await desk.staff.fetch(path, { user_id: desk.people.admin.id });
      const put = await desk.staff.put(`${path}/${admins.id}`, { is_validated: false });
      put.refused(403, 'PERMISSIONS_DENIED');
      (await desk.staff.delete(`${path}/${admins.id}`)).refused(403, 'PERMISSIONS_DENIED');
      (await desk.staff.delete(path, { ids: admins.id })).refused(403, 'PERMISSIONS_DENIED');
      assert.equal((await desk.admin.update(`${path}/${admins.id}`, { is_validated: false })).is_validated, false);
      const [agents] = await desk.staff.fetch(`${PATH}/${kind}`);
      assert.equal((await desk.admin.update(`${path}/${agents.id}`, { is_primary: true })).is_primary, true);
      (await desk.staff.delete(`${path}/${agents.id}`)).must(200);
    });
  });
}

test('Facebook accounts are changed by admins and owners, and deleted in bulk by all staff', async (t) => {
  const desk = await demo(t);
  const ids = (await desk.staff.get('/identities/facebook', { user_id: desk.people.customer.id })).must(200).ids;
  for (const who of [desk.staff, desk.as('collaborator'), desk.customer]) (await who.put(`/identities/facebook/${ids[0]}`, { is_validated: true })).refused(403, 'PERMISSIONS_DENIED');
  assert.equal((await desk.as('collaborator').delete('/identities/facebook', { ids: ids.join() })).must(200).body.total_count, 2);
  (await desk.owner.delete(`/users/${desk.people.agent.id}`)).must(200);
  assert.equal((await desk.owner.get('/identities/facebook')).must(200).body.total_count, 3);
  assert.equal((await desk.owner.get('/identities/twitter')).must(200).body.total_count, 5);
});

test('a person has at most a hundred identities of a kind', async (t) => {
  const desk = await open(t);
  for (let i = 1; i < 100; i++) await desk.customer.create('/profile/identities/emails', { email: `claim${i}@example.org` });
  (await desk.customer.post('/profile/identities/emails', { email: 'claim100@example.org' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.owner.post('/identities/emails', { user_id: desk.people.customer.id, email: 'given@example.org' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  await desk.customer.create('/profile/identities/phones', { number: '+49 30 1234567' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, open, raw } from './lib/index.mjs';

// Identities of people as staff see and change them: e-mails, phones, Twitter accounts. identities.profile tests one's own.

const KINDS = {
  emails: { value: 'email', some: (n) => `some${n}@home.example`, first: 'ann@home.example', status: 201 },
  phones: { value: 'number', some: (n) => `+49 30 ${1234000 + n}`, first: undefined, status: 201 },
  twitter: { value: 'screen_name', some: (n) => `some_${n}`, first: undefined, status: 200 },
};

/** A desk with Ann, a customer, and a function that adds identities to her. */
async function prepare(t, options) {
  const desk = await open(t, options);
  const ann = await desk.owner.create('/users', { full_name: 'Ann', email: 'ann@home.example' });
  const add = async (kind, n, more = {}, who = desk.staff) => {
    const { value, some, status } = KINDS[kind];
    return (await who.post(`/identities/${kind}`, { user_id: ann.id, [value]: some(n), ...more })).must(status).data;
  };
  const of = async (kind, id = ann.id) => (await desk.owner.get(`/identities/${kind}`, { user_id: id })).must(200).data;
  const primaries = async (kind, id) => (await of(kind, id)).filter((i) => i.is_primary).map((i) => i.id);
  return { desk, ann, add, of, primaries };
}

for (const [kind, { value, some, first, status }] of Object.entries(KINDS)) {
  const path = `/identities/${kind}`;

  test(`${kind}: the total is the number of all, after each change`, async (t) => {
    const { desk, ann, add } = await prepare(t);
    const compare = async () => {
      const { data } = (await desk.staff.get(path, { limit: 1000 })).must(200).body;
      for (let times = 0; times < 2; times++)
        assert.equal((await desk.staff.get(path, { limit: 1 })).must(200).body.total_count, data.length);
      return data.length;
    };
    await add(kind, 1);
    const before = await compare(), b = await add(kind, 2);
    assert.equal(await compare(), before + 1);
    await desk.staff.update(`${path}/${b.id}`, { is_primary: true });
    assert.equal(await compare(), before + 1);
    (await desk.staff.delete(`${path}/${b.id}`)).must(200);
    assert.equal(await compare(), before);
    (await desk.owner.delete(`/users/${ann.id}`)).must(200);
    assert.ok((await compare()) < before);
  });

  test(`${kind}: the first is primary, a new primary one replaces it, and there is always one`, async (t) => {
    const { desk, ann, add, of, primaries } = await prepare(t);
    const [a] = first ? await of(kind) : [await add(kind, 1)];
    assert.deepEqual([a.is_primary, a.is_validated], [true, Boolean(first)]);
    await desk.clock.forward(60);
    const b = await add(kind, 2);
    assert.equal(b.is_primary, false);
    await desk.clock.forward(60);
    const put = await desk.staff.update(`${path}/${b.id}`, { is_primary: true });
    assert.equal(put.is_primary, true);
    assert.deepEqual(await primaries(kind), [b.id]);
    (await desk.staff.put(`${path}/${b.id}`, { is_primary: false })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'is_primary');
    (await desk.staff.put(`${path}/${a.id}`, { is_primary: false })).must(200);
    assert.deepEqual(await primaries(kind), [b.id]);
    const member = { emails: 'emails', phones: 'phones', twitter: 'twitter' }[kind];
    assert.deepEqual((await desk.owner.fetch(`/users/${ann.id}`))[member].map((i) => i.id), [b.id, a.id]);
  });

  test(`${kind}: if the primary one is deleted, the newest validated one becomes primary, else the newest`, async (t) => {
    const { desk, add, of, primaries } = await prepare(t);
    for (const { id } of await of(kind)) if (kind !== 'emails') await desk.staff.delete(`${path}/${id}`);
    const ids = [];
    for (const [n, is_validated] of [[1, true], [2, true], [3, false], [4, false]]) {
      ids.push((await add(kind, n, { is_validated })).id);
      await desk.clock.forward(1);
    }
    await desk.staff.update(`${path}/${ids[0]}`, { is_primary: true });
    for (const old of await of(kind)) if (!ids.includes(old.id)) (await desk.staff.delete(`${path}/${old.id}`)).must(200);
    (await desk.staff.delete(`${path}/${ids[0]}`)).must(200);
    assert.deepEqual(await primaries(kind), [ids[1]]);
    (await desk.staff.delete(`${path}/${ids[1]}`)).must(200);
    assert.deepEqual(await primaries(kind), [ids[3]]);
    (await desk.staff.get(`${path}/${ids[1]}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.delete(`${path}/${ids[1]}`)).refused(404, 'RESOURCE_NOT_FOUND');
  });

  test(`${kind}: lists begin with the primary one, then go by the last change, newest first`, async (t) => {
    const { desk, add, of } = await prepare(t);
    const ids = [];
    for (let n = 1; n <= 4; n++) {
      await desk.clock.forward(1);
      ids.push((await add(kind, n)).id);
    }
    await desk.clock.forward(1);
    await desk.staff.update(`${path}/${ids[1]}`, { is_validated: true });
    const shown = (await of(kind)).map((i) => i.id);
    const lead = first ? shown[0] : ids[0];
    assert.deepEqual(shown, first ? [lead, ids[1], ids[3], ids[2], ids[0]] : [ids[0], ids[1], ids[3], ids[2]]);
    const all = (await desk.staff.get(path, { limit: 1000 })).must(200);
    assert.equal(all.body.total_count, first ? 10 : 4);
    const key = (i) => `${i.is_primary ? 1 : 0}${i.updated_at}${String(i.id).padStart(9, '0')}`;
    assert.deepEqual(all.data.map(key), all.data.map(key).sort().reverse());
    const pages = [];
    for (let offset = 0; offset < all.ids.length; offset += 3) pages.push(...(await desk.staff.get(path, { offset, limit: 3 })).must(200).ids);
    assert.deepEqual(pages, all.ids);
    assert.deepEqual((await desk.staff.get(path, { user_id: 9999 })).must(200).data, []);
    (await desk.staff.get(path, { user_id: 'x' })).refused(400, 'FIELD_INVALID', 'user_id');
  });

  test(`${kind}: is_validated is accepted only from agents, admins and owners`, async (t) => {
    const { desk, add } = await prepare(t);
    const collaborator = desk.as('collaborator');
    const post = (await collaborator.post(path, { user_id: desk.people.customer.id, [value]: some(1), is_validated: true })).must(status);
    post.notes('is_validated');
    assert.equal(post.data.is_validated, false);
    const put = (await collaborator.put(`${path}/${post.data.id}`, { is_validated: true })).must(200);
    put.notes('is_validated');
    assert.equal(put.data.is_validated, false);
    for (const [n, who] of [desk.staff, desk.admin, desk.owner].entries()) {
      const made = await add(kind, 10 + n, { is_validated: true }, who);
      assert.equal(made.is_validated, true);
      assert.equal((await who.update(`${path}/${made.id}`, { is_validated: false })).is_validated, false);
      assert.equal((await who.update(`${path}/${made.id}`, { is_validated: true })).is_validated, true);
    }
  });

  test(`${kind}: a value is unique among people`, async (t) => {
    const { desk, add, of } = await prepare(t);
    await add(kind, 1);
    for (const user_id of [desk.people.customer.id, (await of(kind))[0] && (await desk.owner.fetch('/users', { email: 'ann@home.example' }))[0].id]) {
      (await desk.staff.post(path, { user_id, [value]: some(1) })).refused(400, 'FIELD_DUPLICATE', value);
    }
    assert.deepEqual((await of(kind, desk.people.customer.id)).map((i) => i[value]), kind === 'emails' ? ['customer@example.com'] : []);
  });

  test(`${kind}: a duplicate is reported together with other errors`, async (t) => {
    const { desk, add } = await prepare(t);
    await add(kind, 1);
    const reply = (await desk.staff.post(path, { [value]: some(1), is_validated: 'perhaps' })).must(400);
    assert.deepEqual(reply.body.errors.map((e) => [e.code, e.parameter]).sort(),
      [['FIELD_DUPLICATE', value], ['FIELD_INVALID', 'is_validated'], ['FIELD_REQUIRED', 'user_id']]);
  });

  test(`${kind}: agents act on customers and themselves only, admins on anyone not above them`, async (t) => {
    const { desk } = await prepare(t);
    const [mate, boss] = [await desk.person('agent'), await desk.person('admin')];
    const people = { customer: desk.people.customer.id, agent: mate.id, admin: boss.id, owner: desk.people.owner.id };
    const theirs = {};
    let n = 0;
    for (const [role, user_id] of Object.entries(people)) theirs[role] = (await desk.owner.post(path, { user_id, [value]: some(++n) })).must(status).data.id;
    const may = { collaborator: ['customer'], agent: ['customer'], admin: ['customer', 'agent', 'admin'], owner: ['customer', 'agent', 'admin', 'owner'] };
    for (const [actor, allowed] of Object.entries(may)) {
      const who = desk.as(actor);
      for (const [role, user_id] of Object.entries(people)) {
        (await who.get(`${path}/${theirs[role]}`)).must(200);
        const tries = [who.post(path, { user_id, [value]: some(++n) }), who.put(`${path}/${theirs[role]}`, { is_primary: true })];
        if (kind === 'emails') tries.push(who.put(`${path}/${theirs[role]}/send_verification_email`));
        for (const [i, reply] of (await Promise.all(tries)).entries()) {
          if (allowed.includes(role)) reply.must(i ? 200 : status);
          else reply.refused(403, 'PERMISSIONS_DENIED');
        }
        if (!allowed.includes(role)) (await who.delete(`${path}/${theirs[role]}`)).refused(403, 'PERMISSIONS_DENIED');
      }
      const own = (await who.post(path, { user_id: desk.people[actor].id, [value]: some(++n) })).must(status).data;
      (await who.delete(`${path}/${own.id}`)).must(200);
    }
    const bulk = { ids: `${theirs.customer},${theirs.owner}` };
    for (const who of [desk.staff, desk.as('collaborator')]) (await who.delete(path, bulk)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.admin.delete(path, bulk)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.admin.delete(path, { ids: `${theirs.customer},999999` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
    (await desk.owner.get(`${path}/${theirs.customer}`)).must(200);
    assert.equal((await desk.owner.delete(path, bulk)).must(200).body.total_count, 2);
  });

  test(`${kind}: customers can't use these routes, not even for themselves`, async (t) => {
    const { desk, add } = await prepare(t);
    const { id } = await add(kind, 1);
    for (const reply of [desk.customer.get(path), desk.customer.get(`${path}/${id}`), desk.customer.post(path, { user_id: desk.people.customer.id, [value]: some(2) }),
      desk.customer.put(`${path}/${id}`, { is_primary: true }), desk.customer.delete(`${path}/${id}`), desk.customer.delete(path, { ids: id })]) {
      (await reply).refused(403, 'PERMISSIONS_DENIED');
    }
  });

  test(`${kind}: without the permission users.update nothing can be changed`, async (t) => {
    const { desk, ann, add } = await prepare(t);
    const { id } = await add(kind, 1);
    await desk.owner.put('/roles/2/permissions', { 'users.update': 0 });
    (await desk.staff.get(path)).must(200);
    for (const reply of [desk.staff.post(path, { user_id: ann.id, [value]: some(2) }), desk.staff.put(`${path}/${id}`, { is_validated: true }), desk.staff.delete(`${path}/${id}`)]) {
      (await reply).refused(403, 'PERMISSIONS_DENIED');
    }
  });

  test(`${kind}: missing, empty and invalid members are all named at once`, async (t) => {
    const { desk, ann, add, of } = await prepare(t);
    const before = (await of(kind)).length;
    (await desk.staff.post(path, {})).refused(400, 'FIELD_REQUIRED', 'user_id', value);
    (await desk.staff.post(path, { user_id: '', [value]: ' ' })).refused(400, 'FIELD_EMPTY', 'user_id', value);
    (await desk.staff.post(path, { user_id: 'x', [value]: [1], is_validated: 'maybe' })).refused(400, 'FIELD_INVALID', 'user_id', value, 'is_validated');
    (await desk.staff.post(path, { user_id: 99999, [value]: some(1) })).refused(400, 'FIELD_INVALID', 'user_id');
    const gone = await desk.person('customer');
    (await desk.owner.delete(`/users/${gone.id}`)).must(200);
    (await desk.staff.post(path, { user_id: gone.id, [value]: some(1) })).refused(400, 'FIELD_INVALID', 'user_id');
    for (const bad of ['x'.repeat(300), 'a\u0000b', 'a\nb', '\u0007', '\u2028', "'; DROP TABLE users; --", '<script>alert(1)</script>', '${7*7}', '../../etc/passwd', '\u202Ebad', true]) {
      (await desk.staff.post(path, { user_id: ann.id, [value]: bad })).refused(400, 'FIELD_INVALID', value);
    }
    const invalid = raw('application/json', Buffer.concat([Buffer.from(`{"user_id": ${ann.id}, "${value}": "`), Buffer.from([0xC3, 0x28]), Buffer.from('"}')]));
    (await desk.staff.post(path, invalid)).refused(400, 'BODY_INVALID');
    const { id } = await add(kind, 5);
    for (const is_primary of ['maybe', 2, [], {}, null]) (await desk.staff.put(`${path}/${id}`, { is_primary })).refused(400, 'FIELD_INVALID', 'is_primary');
    assert.equal((await of(kind)).length, before + 1);
  });

  test(`${kind}: a PUT changes neither the person nor the value`, async (t) => {
    const { desk, add } = await prepare(t);
    const made = await add(kind, 1);
    const reply = (await desk.staff.put(`${path}/${made.id}`, { user_id: desk.people.agent.id, [value]: some(9), id: 7, created_at: '2000-01-01T00:00:00Z', is_claim: 1 })).must(200);
    for (const name of ['user_id', value, 'created_at', 'is_claim']) reply.notes(name);
    assert.deepEqual(reply.data, made);
    const post = (await desk.staff.post(path, { user_id: desk.people.customer.id, [value]: some(2), created_at: '2000-01-01T00:00:00Z', is_verified: true, follower_count: 9 })).must(status);
    assert.notEqual(post.data.created_at, '2000-01-01T00:00:00+00:00');
    assert.ok(!post.data.is_verified);
  });

  test(`${kind}: of two concurrent requests for one value one succeeds, and there is never a second primary one`, async (t) => {
    const { desk, add, of, primaries } = await prepare(t);
    const people = [];
    for (let i = 0; i < 3; i++) people.push((await desk.person('customer')).id);
    for (let round = 0; round < 4; round++) {
      const replies = await Promise.all(people.concat(people).map((user_id) => desk.staff.post(path, { user_id, [value]: some(500 + round), is_primary: true })));
      assert.equal(replies.filter((r) => r.status === status).length, 1);
      for (const r of replies) if (r.status !== status) r.refused(400, 'FIELD_DUPLICATE', value);
    }
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => add(kind, n, { is_primary: true })));
    assert.equal((await primaries(kind)).length, 1);
    for (let round = 0; round < 3; round++) {
      for (const r of await Promise.all(made.map(({ id }) => desk.staff.put(`${path}/${id}`, { is_primary: true })))) r.must(200);
      assert.equal((await primaries(kind)).length, 1);
    }
    await Promise.all([...made.slice(0, 3).map(({ id }) => desk.staff.delete(`${path}/${id}`)), ...made.slice(3).map(({ id }) => desk.staff.put(`${path}/${id}`, { is_primary: true }))]);
    assert.equal((await primaries(kind)).length, 1);
    assert.equal((await of(kind)).length, 3 + (first ? 1 : 0));
    assert.equal(desk.check().status, 0, desk.check().stdout);
  });

  test(`${kind}: values of a deleted person are free for others`, async (t) => {
    const { desk, ann, add } = await prepare(t);
    const { id } = await add(kind, 1);
    (await desk.staff.delete(`/users/${ann.id}`)).must(200);
    (await desk.staff.get(`${path}/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.post(path, { user_id: desk.people.customer.id, [value]: some(1) })).must(status);
  });

  test(`${kind}: preconditions are checked, and a change changes the ETag of its person`, async (t) => {
    const { desk, ann, add } = await prepare(t);
    const { id } = await add(kind, 1);
    const tag = (await desk.staff.get(`${path}/${id}`)).must(200).etag;
    const person = (await desk.staff.get(`/users/${ann.id}`)).must(200);
    await desk.clock.forward(60);
    (await desk.staff.put(`${path}/${id}`, { is_validated: true }, { headers: { 'If-Match': '"0123"' } })).refused(412, 'RESOURCE_MODIFIED');
    const same = (await desk.staff.put(`${path}/${id}`, {})).must(200);
    assert.equal(same.etag, tag);
    assert.equal((await desk.staff.get(`/users/${ann.id}`)).must(200).etag, person.etag, 'an empty PUT changes nothing');
    (await desk.staff.put(`${path}/${id}`, { is_validated: true }, { headers: { 'If-Match': tag } })).must(200);
    const after = (await desk.staff.get(`/users/${ann.id}`)).must(200);
    assert.notEqual(after.etag, person.etag);
    assert.ok(after.data.updated_at > person.data.updated_at);
    (await desk.staff.delete(`${path}/${id}`, {}, { 'If-Match': tag })).refused(412, 'RESOURCE_MODIFIED');
  });
}

/* ---- e-mails ------------------------------------------------------------------------------------------------------- */

test('addresses are compared without letter case, and with domains as A-labels', async (t) => {
  const { desk, ann } = await prepare(t);
  const post = (email, user_id = desk.people.customer.id) => desk.staff.post('/identities/emails', { user_id, email });
  const made = (await post('Ada@Müller.example', ann.id)).must(201).data;
  assert.equal(made.email, 'Ada@Müller.example');
  for (const email of ['ada@müller.example', 'ADA@MÜLLER.EXAMPLE', 'ada@mu\u0308ller.example', 'ada@xn--mller-kva.example', 'Ada@XN--MLLER-KVA.Example', 'ANN@home.EXAMPLE']) {
    (await post(email)).refused(400, 'FIELD_DUPLICATE', 'email');
    (await desk.owner.post('/users', { full_name: 'X', email })).refused(400, 'FIELD_DUPLICATE', 'email');
  }
  assert.deepEqual((await desk.owner.get('/users', { email: 'ada@xn--mller-kva.example' })).must(200).ids, [ann.id]);
  for (const email of ['a@\u200B.example', 'a@\u2028.example', 'a@b..example', 'a@-b.example', `${'x'.repeat(65)}@b.example`]) (await post(email)).refused(400, 'FIELD_INVALID', 'email');
});

test('a person logs in with each validated address', async (t) => {
  const { desk } = await prepare(t);
  const person = await desk.person('customer');
  await desk.staff.create('/identities/emails', { user_id: person.id, email: 'second@müller.example' });
  (await desk.login('Second@xn--mller-kva.example').get('/conversations')).must(200);
});

test('a deleted address logs nobody in, in any process, and the other addresses still do', async (t) => {
  const { desk, of } = await prepare(t);
  const person = await desk.person('customer');
  const [first] = await of('emails', person.id);
  const second = await desk.staff.create('/identities/emails', { user_id: person.id, email: 'second@home.example' });
  const [by_first, by_second] = [desk.login(first.email), desk.login(second.email)];
  for (let i = 0; i < 3; i++) for (const who of [by_first, by_second]) (await who.get('/conversations')).must(200);
  (await desk.staff.delete(`/identities/emails/${second.id}`)).must(200);
  for (let i = 0; i < 3; i++) (await by_second.get('/conversations')).refused(401, 'AUTHENTICATION_FAILED');
  (await by_first.get('/conversations')).must(200);
});

test('the last address of a person with a password can\'t be deleted', async (t) => {
  const { desk, ann, of } = await prepare(t);
  const person = await desk.person('customer');
  const [only] = await of('emails', person.id);
  const { body } = (await desk.owner.delete(`/identities/emails/${only.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.deepEqual([body.errors[0].parameter, body.errors[0].pointer], [undefined, undefined], 'the address is in the path');
  const second = await desk.staff.create('/identities/emails', { user_id: person.id, email: 'second@home.example' });
  const [anns] = await of('emails', ann.id);
  (await desk.owner.delete('/identities/emails', { ids: [anns.id, only.id, second.id].join() })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE', 'ids', 'ids/1', 'ids/2');
  assert.equal((await of('emails', person.id)).length, 2);
  (await desk.staff.delete(`/identities/emails/${only.id}`)).must(200);
  (await desk.owner.delete(`/identities/emails/${second.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.delete(`/identities/emails/${anns.id}`)).must(200); // Ann has no password
  assert.deepEqual((await of('emails', ann.id)), []);
  await Promise.all([desk.login('second@home.example').get('/conversations')].map(async (r) => (await r).must(200)));
});

test('one of two concurrent deletions that would leave no address is refused', async (t) => {
  const { desk, of } = await prepare(t);
  for (let round = 0; round < 3; round++) {
    const person = await desk.person('customer');
    await desk.staff.create('/identities/emails', { user_id: person.id, email: `other${round}@home.example` });
    const replies = await Promise.all((await of('emails', person.id)).map(({ id }) => desk.staff.delete(`/identities/emails/${id}`)));
    assert.deepEqual(replies.map((r) => r.status).sort(), [200, 400]);
    assert.equal((await of('emails', person.id)).length, 1);
  }
});

test('notifications are switched for each address', async (t) => {
  const { desk, add } = await prepare(t);
  const made = await add('emails', 1, { is_notification_enabled: true });
  assert.equal(made.is_notification_enabled, true);
  assert.equal((await add('emails', 2)).is_notification_enabled, false);
  await desk.clock.forward(60);
  const put = await desk.staff.update(`/identities/emails/${made.id}`, { is_notification_enabled: 0 });
  assert.equal(put.is_notification_enabled, false);
  assert.ok(put.updated_at > made.updated_at);
  (await desk.staff.put(`/identities/emails/${made.id}`, { is_notification_enabled: 'often' })).refused(400, 'FIELD_INVALID', 'is_notification_enabled');
});

test('a verification link is sent to an address that is not validated', async (t) => {
  const { desk, add, of } = await prepare(t);
  const { id } = await add('emails', 1);
  const reply = (await desk.staff.put(`/identities/emails/${id}/send_verification_email`)).must(200);
  assert.ok(!('data' in reply.body));
  assert.deepEqual(reply.body.notifications.map(({ type, sticky }) => [type, sticky]), [['INFO', false]]);
  await desk.staff.update(`/identities/emails/${id}`, { is_validated: true });
  (await desk.staff.put(`/identities/emails/${id}/send_verification_email`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.staff.put('/identities/emails/99999/send_verification_email')).refused(404, 'RESOURCE_NOT_FOUND');
  const [owners] = await of('emails', desk.people.owner.id);
  (await desk.staff.put(`/identities/emails/${owners.id}/send_verification_email`)).refused(403, 'PERMISSIONS_DENIED');
});

test('agents see addresses of higher ranks and can\'t change them', async (t) => {
  const { desk, of } = await prepare(t);
  const [admins] = await of('emails', desk.people.admin.id);
  assert.equal((await desk.staff.fetch(`/identities/emails/${admins.id}`)).email, 'admin@example.com');
  (await desk.staff.post('/identities/emails', { user_id: desk.people.admin.id, email: 'mine@evil.example', is_primary: true, is_validated: true })).refused(403, 'PERMISSIONS_DENIED');
  assert.equal((await of('emails', desk.people.admin.id)).length, 1);
});

/* ---- phones --------------------------------------------------------------------------------------------------------- */

test('phone numbers are compared without formatting, and shown as given', async (t) => {
  const { desk, ann } = await prepare(t);
  const post = (number, user_id = desk.people.customer.id) => desk.staff.post('/identities/phones', { user_id, number });
  const made = (await post('+49 (0)30 / 1234-567', ann.id)).must(201).data;
  assert.deepEqual([made.number, made.type], ['+49 (0)30 / 1234-567', 'NONE']);
  for (const number of ['+49301234567', '+49 30 1234567', '+490301234567']) {
    (await post(number)).refused(400, 'FIELD_DUPLICATE', 'number');
    (await desk.owner.post('/users', { full_name: 'X', phone: number })).refused(400, 'FIELD_DUPLICATE', 'phone');
  }
  for (const number of ['+999 1234567', '+49', '+', '12', '1-800-FLOWERS', '+49 30 12345678901234567', 'tel:+49301234567']) {
    (await post(number)).refused(400, 'FIELD_INVALID', 'number');
    (await desk.owner.post('/users', { full_name: 'X', phone: number })).refused(400, 'FIELD_INVALID', 'phone');
  }
  (await post('030 1234567')).must(201); // without the country of the number
  (await post('(030) 123-4567')).refused(400, 'FIELD_DUPLICATE', 'number');
});

test("with the region of the desk, numbers without country code belong to that country, existing ones too", async (t) => {
  const { desk, ann } = await prepare(t);
  const { client } = await desk.session(desk.staff); // many concurrent Basic logins would wait for their hash in a process with an empty cache
  const post = (number, user_id) => client.post('/identities/phones', { user_id, number });
  (await post('030 1234567', ann.id)).must(201);
  const holders = [ann, await desk.person('customer'), await desk.person('customer')];
  for (const reply of await Promise.all(Array.from({ length: 205 }, (_, n) => post(`030 ${2000000 + n}`, holders[n % 3].id)))) reply.must(201);
  (await post('+49 30 2000000', desk.people.agent.id)).must(201); // without a region these numbers are different
  (await desk.owner.put('/settings', { values: { 'desk.phone_region': 'de' } })).must(200);
  await desk.jobsEnded('index_names');
  for (const number of ['+49 30 1234567', '+49 30 2000000', '+49 30 2000204']) (await post(number, desk.people.customer.id)).refused(400, 'FIELD_DUPLICATE', 'number');
  assert.equal(desk.check().status, 0);
  (await post('030 12', desk.people.customer.id)).must(201);
  (await post('1', desk.people.customer.id)).refused(400, 'FIELD_INVALID', 'number');
  assert.equal((await desk.owner.fetch('/identities/phones', { user_id: ann.id }))[0].number, '030 1234567');
});

test('numbers that become equal with the region of the desk have one owner: who verified it, else who had it first', async (t) => {
  const desk = await open(t), { owner } = desk, people = [];
  for (let n = 0; n < 12; n++) people.push(await desk.person('customer'));
  const add = ({ id }, ...numbers) => numbers.reduce((last, number) => last.then(() => owner.create('/identities/phones', { user_id: id, number })), Promise.resolve());
  const claim = ({ client }, number) => client.create('/profile/identities/phones', { number });
  const [twice, reversed, first, second, national, foreign, verified, other, claimant, owned, early, late] = people;
  await add(twice, '030 1111111', '+49 30 1111111');
  await add(reversed, '+49 30 2222222', '030 2222222');
  await add(first, '+49 30 3333333');
  await add(second, '030 3333333', '030 3333334');
  await add(national, '030 4444444');
  await add(foreign, '+49 30 4444444');
  const proof = await add(verified, '030 5555555');
  await add(other, '+49 30 5555555', '+49 30 5555556');
  await add(claimant, '030 6666666');
  await add(owned, '+49 30 6666666');
  await claim(claimant, '+49 30 6666666'); // a claim of another one's number must not stop the others
  await claim(early, '+49 30 7777777');
  await add(late, '+49 30 7777777');
  await add(early, '030 7777777');
  desk.sql(`UPDATE identity_phones SET is_validated = 1 WHERE id = ${proof.id}`); // no operation verifies a number
  (await owner.put('/settings', { values: { 'desk.phone_region': 'de' } })).must(200);
  await desk.jobsEnded('index_names');
  const shown = async ({ id }) => (await owner.fetch('/identities/phones', { user_id: id })).map(({ number, is_primary }) => `${number}${is_primary ? '*' : ''}`);
  assert.deepEqual(await Promise.all(people.map(shown)), [['030 1111111*'], ['+49 30 2222222*'], ['+49 30 3333333*'], ['030 3333334*', '030 3333333'], ['030 4444444*'], ['+49 30 4444444*'], ['030 5555555*'], ['+49 30 5555556*', '+49 30 5555555'], ['030 6666666*'], ['+49 30 6666666*'], ['030 7777777*'], ['+49 30 7777777*']]);
  for (const person of people) person.talk = (await owner.create('/cases', { subject: 'S', contents: 'C', requester_id: person.id })).id;
  for (const [number, person] of [['+49 30 1111111', twice], ['+49 30 2222222', reversed], ['+49 30 3333333', first], ['+49 30 3333334', second], ['+49 30 4444444', foreign], ['+49 30 5555555', verified], ['+49 30 5555556', other], ['+49 30 6666666', owned], ['+49 30 7777777', late]]) {
    for (const spelling of [number, number.replace('+49 ', '0')]) {
      assert.deepEqual((await owner.fetch('/cases', { identity_type: 'PHONE', identity_value: spelling })).map(({ id }) => id), [person.talk], spelling);
      (await owner.post('/identities/phones', { user_id: desk.people.customer.id, number: spelling })).refused(400, 'FIELD_DUPLICATE', 'number');
    }
  }
  assert.equal(desk.check().status, 0);
});

/* ---- Twitter ---------------------------------------------------------------------------------------------------------- */

test('a screen name is compared without letter case and @', async (t) => {
  const { desk, ann } = await prepare(t);
  const post = (screen_name, user_id = desk.people.customer.id) => desk.staff.post('/identities/twitter', { user_id, screen_name });
  const { data } = (await post('@Ada_Byron', ann.id)).must(200);
  assert.deepEqual([data.screen_name, data.is_primary, data.is_verified, data.follower_count, data.twitter_id], ['Ada_Byron', true, false, 0, null]);
  for (const name of ['ada_byron', '@ADA_BYRON', 'Ada_Byron']) (await post(name)).refused(400, 'FIELD_DUPLICATE', 'screen_name');
  for (const name of ['@', '@@ada', 'ada byron', 'adaéè', 'a'.repeat(16), 'a-b']) (await post(name)).refused(400, 'FIELD_INVALID', 'screen_name');
  (await post('a'.repeat(15))).must(200);
  (await desk.staff.post('/identities/facebook', json({ user_id: ann.id, facebook_id: '1' }))).refused(405, 'METHOD_NOT_SUPPORTED');
});


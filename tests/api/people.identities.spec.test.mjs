import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, HOUR, open, relayFor, shared } from './lib/index.mjs';

// The rules of identities: access, primary, unique, and the effect of validation.

let counter = 0;
const KINDS = {
  emails: { value: 'email', make: () => `i${++counter}@ident.example`, made: 201 },
  phones: { value: 'number', make: () => `+49301239${1000 + ++counter}`, made: 201 },
  twitter: { value: 'screen_name', make: () => `ident_${++counter}`, made: 200 },
};

const add = async (client, kind, user_id, more = {}) => {
  const { value, make, made } = KINDS[kind];
  return (await client.post(`/identities/${kind}`, { user_id, [value]: make(), ...more })).must(made).data;
};

for (const [kind, { value, make, made }] of Object.entries(KINDS)) {
  describe(`${kind} of users:`, () => {
    const world = shared();
    const path = `/identities/${kind}`;
    const bare = (desk, role = 'customer') => desk.person(role, kind === 'emails' ? { email: undefined, phone: KINDS.phones.make(), password: undefined } : {});

    test('the first is primary, whatever the request says; a new primary one replaces the old', async () => {
      const { id } = await bare(world.desk);
      const first = await add(world.desk.owner, kind, id, { is_validated: true });
      assert.equal(first.is_primary, true);
      const second = await add(world.desk.owner, kind, id, { is_validated: true });
      assert.equal(second.is_primary, false);
      assert.equal((await world.desk.owner.update(`${path}/${second.id}`, { is_primary: true })).is_primary, true);
      assert.equal((await world.desk.owner.fetch(`${path}/${first.id}`)).is_primary, false);
    });

    test('after the primary one is deleted, the newest validated one is primary', async () => {
      const { id } = await bare(world.desk);
      const [a, , c] = [
        await add(world.desk.owner, kind, id, { is_validated: true }),
        await add(world.desk.owner, kind, id, { is_validated: true }),
        await add(world.desk.owner, kind, id, { is_validated: true }),
        await add(world.desk.owner, kind, id, { is_validated: false }),
      ];
      (await world.desk.owner.delete(`${path}/${a.id}`)).must(200);
      const left = (await world.desk.owner.get(path, { user_id: id })).must(200).data;
      assert.deepEqual(left.filter((i) => i.is_primary).map((i) => i.id), [c.id]);
    });

    test('lists have the primary one first, then the newest', async () => {
      const { id } = await bare(world.desk);
      const made = [];
      for (let n = 0; n < 4; n++) {
        made.push((await add(world.desk.owner, kind, id, { is_validated: true })).id);
        await world.desk.clock.forward(10);
      }
      const [a, b, c, d] = made;
      assert.deepEqual((await world.desk.owner.get(path, { user_id: id })).ids, [a, d, c, b]);
      await world.desk.owner.update(`${path}/${c}`, { is_primary: true });
      const after = (await world.desk.owner.get(path, { user_id: id })).ids;
      assert.equal(after[0], c);
      assert.deepEqual([...after].sort((x, y) => x - y), made);
    });

    test('a value of another user is refused, in any letter case', async () => {
      const [one, two] = [await world.desk.person('customer'), await world.desk.person('customer')];
      const held = await add(world.desk.owner, kind, one.id, { is_validated: true });
      for (const text of [held[value], held[value].toUpperCase(), ` ${held[value]} `]) {
        const reply = await world.desk.owner.post(path, { user_id: two.id, [value]: text });
        assert.equal(reply.status, 400, `${reply}`);
        if (text === held[value] || kind === 'emails') assert.ok(reply.body.errors.every((e) => ['FIELD_DUPLICATE', 'FIELD_INVALID'].includes(e.code)), `${reply}`);
      }
      (await world.desk.owner.post(path, { user_id: two.id, [value]: held[value] })).refused(400, 'FIELD_DUPLICATE', value);
    });

    test('collaborators and agents act on customers and themselves, admins on anyone not above them', async () => {
      const rank = { customer: 0, collaborator: 1, agent: 2, admin: 3, owner: 4 };
      for (const actor of ['collaborator', 'agent', 'admin', 'owner']) {
        for (const target of Object.keys(rank)) {
          const { id } = await world.desk.person(target);
          const held = await add(world.desk.owner, kind, id, { is_validated: true });
          const client = world.desk.as(actor);
          const may = target === 'customer' || (rank[actor] >= 3 && rank[target] <= rank[actor]);
          const replies = [
            await client.put(`${path}/${held.id}`, { is_primary: true }),
            await client.post(path, { user_id: id, [value]: make() }),
            await client.delete(`${path}/${held.id}`),
          ];
          for (const reply of replies) {
            if (may) assert.ok(reply.status < 300, `${actor} on ${target}: ${reply}`);
            else assert.ok([400, 403, 404].includes(reply.status), `${actor} on ${target}: ${reply}`);
          }
          if (!may) {
            const still = await world.desk.owner.fetch(`${path}/${held.id}`);
            assert.deepEqual(still, held, `${actor} on ${target}`);
            assert.equal((await world.desk.owner.get(path, { user_id: id })).data.filter((i) => i.id !== held.id && i.created_at > held.created_at).length, 0);
          }
        }
        const own = await world.desk.person(actor);
        const mine = (await own.client.post(path, { user_id: own.id, [value]: make() })).must(made).data;
        (await own.client.put(`${path}/${mine.id}`, { is_validated: false })).must(200);
      }
    });

    test('is_validated is accepted from agents, admins and owners, and ignored from collaborators with a notice', async () => {
      for (const [role, honoured] of [['owner', true], ['admin', true], ['agent', true], ['collaborator', false]]) {
        const { id } = await world.desk.person('customer');
        const client = world.desk.as(role);
        const reply = (await client.post(path, { user_id: id, [value]: make(), is_validated: true })).must(made);
        assert.equal(reply.data.is_validated, honoured, `${role}: ${reply}`);
        const plain = (await client.post(path, { user_id: id, [value]: make() })).must(made).data;
        assert.equal(plain.is_validated, false);
        const changed = (await client.put(`${path}/${plain.id}`, { is_validated: true })).must(200);
        assert.equal(changed.data.is_validated, honoured, `${role}: ${changed}`);
        if (!honoured) for (const r of [reply, changed]) r.notes('is_validated');
      }
    });

    test('missing required members are all named at once', async () => {
      const empty = (await world.desk.owner.post(path, {})).must(400);
      empty.refused(400, 'FIELD_REQUIRED', 'user_id').refused(400, 'FIELD_REQUIRED', value);
      (await world.desk.owner.post(path, { user_id: world.desk.people.customer.id, [value]: '' })).must(400);
      for (const user_id of [987654, 'x', -1, 0, [1, 2], { id: 1 }, '1; DROP TABLE user', 1.5, '99999999999999999999']) {
        const reply = await world.desk.owner.post(path, { user_id, [value]: make() });
        assert.ok([400, 404].includes(reply.status), `${reply}`);
      }
    });

    test('members that can\'t change are ignored with a notice', async () => {
      const { id } = await world.desk.person('customer');
      const held = await add(world.desk.owner, kind, id);
      const reply = (await world.desk.owner.put(`${path}/${held.id}`, { user_id: world.desk.people.agent.id, [value]: make(), id: 1, created_at: '2001-01-01T00:00:00+00:00' })).must(200);
      assert.equal(reply.data[value], held[value]);
      assert.equal(reply.data.id, held.id);
      assert.equal(reply.data.created_at, held.created_at);
      assert.ok((await world.desk.owner.get(path, { user_id: id })).ids.includes(held.id));
    });

    test('admins delete in bulk, all or none, and the reply counts', async () => {
      const { id } = await world.desk.person('customer');
      const ids = [];
      for (let n = 0; n < 3; n++) ids.push((await add(world.desk.owner, kind, id)).id);
      for (const role of ['collaborator', 'agent', 'customer']) (await world.desk.as(role).delete(path, { ids: ids.join() })).refused(403, 'PERMISSIONS_DENIED');
      (await world.desk.admin.delete(path, { ids: `${ids[0]},987654` })).refused(404, 'RESOURCE_NOT_FOUND', 'ids/1');
      (await world.desk.admin.delete(path, { ids: `${ids[0]},${ids[0]}` })).refused(400, 'PARAMETERS_INCONSISTENT');
      (await world.desk.admin.delete(path)).refused(400, 'FIELD_REQUIRED', 'ids');
      (await world.desk.admin.delete(path, { ids: 'a,b' })).refused(400, 'FIELD_INVALID');
      (await world.desk.admin.delete(path, { ids: Array.from({ length: 1001 }, (_, n) => n + 1).join() })).refused(400, 'FIELD_INVALID', 'ids');
      assert.equal((await world.desk.owner.get(path, { user_id: id, fields: 'id', limit: 100 })).data.filter((i) => ids.includes(i.id)).length, 3);
      assert.equal((await world.desk.admin.delete(path, { ids: ids.join() })).must(200).body.total_count, 3);
      for (const one of ids) (await world.desk.owner.get(`${path}/${one}`)).refused(404, 'RESOURCE_NOT_FOUND');
    });

    test('an admin can\'t delete an owner\'s identities in bulk', async () => {
      const boss = await world.desk.person('owner');
      const held = await add(world.desk.owner, kind, boss.id, { is_validated: true });
      const other = await add(world.desk.owner, kind, (await world.desk.person('customer')).id);
      const reply = await world.desk.admin.delete(path, { ids: `${other.id},${held.id}` });
      assert.ok([403, 404].includes(reply.status), `${reply}`);
      for (const one of [held, other]) (await world.desk.owner.get(`${path}/${one.id}`)).must(200);
    });

    test('hostile values are refused with a clear error', async () => {
      const { id: user_id } = await world.desk.person('customer');
      const bad = kind === 'emails'
        ? ['x', '@x.example', 'a@', 'a b@x.example', 'a@x.example\r\nBcc: z@x.example', 'a\u0000@x.example', `${'a'.repeat(300)}@x.example`, `a@${'b'.repeat(300)}.example`, 'a@b@c.example', '<a@x.example>', 'a@x.example, b@x.example']
        : kind === 'phones'
          ? ['x', '12', '+', '+0', 'phone', '+1\u0000234567890', `+${'1'.repeat(400)}`, '\'; DROP TABLE phone; --', '+49 30 123456\n']
          : ['', ' ', 'a b', 'x'.repeat(5000), 'a\u0000b', 'a\r\nb', '<script>', '../../x'];
      for (const text of bad) (await world.desk.owner.post(path, { user_id, [value]: text })).must(400);
      for (const wrong of [[make()], { a: 1 }, true, [], {}]) {
        const reply = await world.desk.owner.post(path, { user_id, [value]: wrong });
        assert.equal(reply.status, 400, `${reply}`);
      }
      for (const flag of ['is_primary', 'is_validated', ...(kind === 'emails' ? ['is_notification_enabled'] : [])]) {
        if (kind === 'twitter' && flag === 'is_primary') continue;
        for (const wrong of ['perhaps', 2, -1, [true], { a: true }, 'yes please']) {
          (await world.desk.owner.post(path, { user_id, [value]: make(), [flag]: wrong })).refused(400, 'FIELD_INVALID', flag);
        }
      }
    });

    test('all bad members are reported at once', async () => {
      (await world.desk.owner.post(path, { user_id: 'x', [value]: kind === 'twitter' ? 'a b' : 'x', is_validated: 'perhaps' }))
        .refused(400, 'FIELD_INVALID', 'user_id', value, 'is_validated');
    });

    test('user_id of a list: an invalid id is refused, an absent person gives an empty list or an error', async () => {
      for (const user_id of ['x', '1.5']) (await world.desk.owner.get(path, { user_id })).refused(400, 'FIELD_INVALID', 'user_id');
      const reply = await world.desk.owner.get(path, { user_id: 987654 });
      assert.ok(reply.status === 404 || reply.body.total_count === 0, `${reply}`);
    });
  });
}

describe('e-mail addresses:', () => {
  const world = shared();

  test('the last address of a user with a password can\'t be deleted', async () => {
    const { id, client } = await world.desk.person('customer');
    const [only] = await world.desk.owner.fetch('/identities/emails', { user_id: id });
    (await world.desk.owner.delete(`/identities/emails/${only.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await world.desk.owner.delete('/identities/emails', { ids: only.id })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await client.delete(`/profile/identities/emails/${only.id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await client.delete('/profile/identities/emails', { ids: only.id })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await client.get('/profile')).must(200);
    const second = await add(world.desk.owner, 'emails', id, { is_validated: true });
    (await world.desk.owner.delete('/identities/emails', { ids: `${only.id},${second.id}` })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    assert.equal((await world.desk.owner.get('/identities/emails', { user_id: id })).body.total_count, 2);
    (await world.desk.owner.delete(`/identities/emails/${only.id}`)).must(200);
    assert.equal((await world.desk.owner.fetch(`/identities/emails/${second.id}`)).is_primary, true);
  });

  test('an address that people add to themselves has no effect until it is verified', async () => {
    const { id, client, email } = await world.desk.person('customer');
    const mine = await client.create('/profile/identities/emails', { email: 'claimed@true.example', is_primary: true, is_validated: true });
    assert.deepEqual([mine.is_primary, mine.is_validated], [false, false]);
    (await world.desk.login('claimed@true.example').get('/profile')).refused(401, 'AUTHENTICATION_FAILED');
    (await client.put(`/profile/identities/emails/${mine.id}/primary`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    assert.deepEqual((await world.desk.owner.get('/users', { email: 'claimed@true.example' })).ids.filter((x) => x !== id), []);
    const other = await world.desk.person('customer', { email: 'claimed@true.example' });
    assert.notEqual(other.id, id);
    (await other.client.get('/profile')).must(200);
    assert.equal((await world.desk.login(email).fetch('/profile')).id, id);
  });

  test('an address can\'t be claimed back from its true owner', async () => {
    const victim = await world.desk.person('customer');
    const { client } = await world.desk.person('customer');
    const reply = await client.post('/profile/identities/emails', { email: victim.email });
    if (reply.status === 201) assert.equal(reply.data.is_validated, false);
    else reply.refused(400, 'FIELD_DUPLICATE', 'email');
    assert.equal((await victim.client.fetch('/profile')).id, victim.id);
  });

  test('a validated address can\'t be verified again', async () => {
    const { id, client } = await world.desk.person('customer');
    const held = await add(world.desk.owner, 'emails', id, { is_validated: true });
    (await world.desk.owner.put(`/identities/emails/${held.id}/send_verification_email`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
    (await client.put(`/profile/identities/emails/${held.id}/verification`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  });

  test('the reply to a verification request has a notification', async () => {
    const { id } = await world.desk.person('customer');
    const held = await add(world.desk.owner, 'emails', id);
    const { body } = (await world.desk.staff.put(`/identities/emails/${held.id}/send_verification_email`)).must(200);
    assert.deepEqual(Object.keys(body), ['status', 'notifications', 'session_id']);
    const [note] = body.notifications;
    assert.deepEqual(Object.keys(note).sort(), ['message', 'sticky', 'type']);
    assert.equal(note.type, 'INFO');
    assert.equal(typeof note.sticky, 'boolean');
  });
});

async function verified(t) {
  const desk = await open(t);
  const post = await relayFor(t, desk);
  return { desk, post, person: await desk.person('customer') };
}

test('the person who verifies an address owns it, other unverified claims are deleted, and the hash works once', async (t) => {
  const { desk, post, person } = await verified(t);
  const thief = await desk.person('customer');
  const squat = await thief.client.create('/profile/identities/emails', { email: 'mine@true.example' });
  const theirs = await post.find('mine@true.example', /^Confirm/);
  const mine = await person.client.create('/profile/identities/emails', { email: 'mine@true.example' });
  const { hash } = await post.find('mine@true.example', /^Confirm/);
  assert.notEqual(hash, theirs.hash);
  desk.secrets.add(hash);
  (await desk.anyone.put('/profile/verify', { hash: `${hash}x` })).must(400);
  const done = await desk.anyone.put('/profile/verify', { hash });
  assert.deepEqual(Object.keys(done.must(200).body).filter((n) => n !== 'notifications'), ['status']);
  const [kept, lost] = [[person, mine], [thief, squat]];
  const holder = (await person.client.get(`/profile/identities/emails/${mine.id}`)).status === 200 ? kept : lost;
  const loser = holder === kept ? lost : kept;
  assert.equal((await holder[0].client.fetch(`/profile/identities/emails/${holder[1].id}`)).is_validated, true);
  (await loser[0].client.get(`/profile/identities/emails/${loser[1].id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.anyone.put('/profile/verify', { hash })).must(400);
  assert.equal((await desk.login('mine@true.example').fetch('/profile')).id, holder[0].id);
});

test('a verification hash expires after 72 hours', async (t) => {
  const { desk, post, person } = await verified(t);
  for (const [age, status] of [[72 * HOUR - 60, 200], [72 * HOUR + 60, 400]]) {
    const address = `aged${age}@true.example`;
    await person.client.create('/profile/identities/emails', { email: address });
    const { hash } = await post.find(address, /^Confirm/);
    await desk.clock.forward(age);
    const reply = await desk.anyone.put('/profile/verify', { hash });
    assert.equal(reply.status, status, `${age / DAY} days: ${reply}`);
  }
});

test('verify refuses an invalid hash', async (t) => {
  const desk = await open(t);
  (await desk.anyone.put('/profile/verify', {})).refused(400, 'FIELD_REQUIRED', 'hash');
  for (const hash of ['', 'x', 'a'.repeat(5000), ['x'], { a: 1 }, 1, '\u0000', '../..']) (await desk.anyone.put('/profile/verify', { hash })).must(400);
});

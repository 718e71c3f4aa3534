import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, connect, form, open, relay, until } from './lib/index.mjs';

// A person who adds another person's address to the own profile, or to a customer, must gain nothing.

const MALLORY = 'mallory has one';

/** A victim with a password, a victim without one, and Mallory, a customer who claims the addresses of both. */
async function prepare(t, mailing = () => {}) {
  const desk = await open(t);
  await mailing(desk);
  const victim = await desk.person('customer', { email: 'victim@home.example' });
  (await desk.anyone.post('/conversations', { name: 'Wanda', email: 'wanda@home.example', subject: 'S', contents: 'C' })).must(201);
  const wanda = (await desk.owner.fetch('/users', { email: 'wanda@home.example' }))[0].id;
  const mallory = await desk.person('customer', { email: 'mallory@evil.example', password: MALLORY });
  const claims = [];
  for (const email of ['Victim@Home.example', 'wanda@home.example', 'nobody@home.example']) claims.push(await mallory.client.create('/profile/identities/emails', { email, is_primary: true }));
  return { desk, victim, wanda, mallory, claims };
}

test('a claimed address is no login for the claimant, and its owner still logs in with it', async (t) => {
  const { desk } = await prepare(t);
  for (const email of ['victim@home.example', 'wanda@home.example', 'nobody@home.example']) (await desk.login(email, MALLORY).get('/conversations')).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.login('victim@home.example', PASSWORD).get('/conversations')).must(200);
});

test('a conversation from a claimed address does not belong to the claimant', async (t) => {
  const { desk, victim, wanda, mallory } = await prepare(t);
  const requester = async (email) => {
    (await desk.anyone.post('/conversations', { name: 'N', email, subject: 'Private', contents: 'C' })).must(201);
    return (await desk.owner.fetch('/conversations'))[0].requester.id;
  };
  assert.equal(await requester('victim@home.example'), victim.id);
  assert.equal(await requester('wanda@home.example'), wanda);
  const made = await requester('nobody@home.example');
  assert.ok(![mallory.id, victim.id, wanda].includes(made));
  assert.deepEqual((await mallory.client.get('/conversations')).must(200).data, []);
});

test('a claimed address finds no person, and staff may give it to its owner', async (t) => {
  const { desk, victim, mallory } = await prepare(t);
  assert.deepEqual((await desk.owner.get('/users', { email: 'victim@home.example' })).must(200).ids, [victim.id]);
  assert.deepEqual((await desk.owner.get('/users', { email: 'nobody@home.example' })).must(200).ids, []);
  const owner = await desk.staff.create('/users', { full_name: 'Nobody', email: 'nobody@home.example' });
  assert.deepEqual((await desk.owner.get('/users', { email: 'nobody@home.example' })).must(200).ids, [owner.id]);
  assert.equal((await mallory.client.get('/profile/identities/emails')).must(200).body.total_count, 4);
});

test('staff can\'t validate a claim on an address that another person holds: it is a duplicate', async (t) => {
  const { desk, claims, victim, wanda } = await prepare(t);
  for (const who of [desk.staff, desk.owner]) {
    for (const { id } of claims.slice(0, 2)) (await who.put(`/identities/emails/${id}`, { is_validated: true })).refused(400, 'FIELD_DUPLICATE', 'email');
  }
  for (const user_id of [victim.id, wanda]) assert.equal((await desk.owner.get('/identities/emails', { user_id })).must(200).body.total_count, 1);
  assert.equal((await desk.staff.update(`/identities/emails/${claims[2].id}`, { is_validated: true })).is_validated, true);
});

test('a collaborator who adds an address to themselves creates a claim on every route', async (t) => {
  const { desk, victim } = await prepare(t);
  const collaborator = desk.as('collaborator');
  const { id } = desk.people.collaborator;
  const reply = (await collaborator.post('/identities/emails', { user_id: id, email: 'victim@home.example', is_primary: true, is_validated: true })).must(201);
  assert.deepEqual([reply.data.is_primary, reply.data.is_validated], [false, false]);
  (await collaborator.put(`/identities/emails/${reply.data.id}`, { is_primary: true })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.deepEqual((await desk.owner.get('/users', { email: 'victim@home.example' })).must(200).ids, [victim.id]);
  (await desk.login('victim@home.example').get('/teams')).refused(403, 'PERMISSIONS_DENIED'); // the login is still the customer's
});

test('an agent can\'t take an address of a higher rank, neither by adding it nor by a claim', async (t) => {
  const { desk } = await prepare(t);
  for (const user_id of [desk.people.agent.id, desk.people.customer.id]) (await desk.staff.post('/identities/emails', { user_id, email: 'admin@example.com', is_validated: true })).refused(400, 'FIELD_DUPLICATE', 'email');
  const [admins] = await desk.owner.fetch('/identities/emails', { user_id: desk.people.admin.id });
  await desk.owner.update(`/identities/emails/${admins.id}`, { is_validated: false });
  const claim = await desk.staff.create('/profile/identities/emails', { email: 'admin@example.com' });
  (await desk.staff.put(`/identities/emails/${claim.id}`, { is_validated: true })).refused(400, 'FIELD_DUPLICATE', 'email');
  (await desk.admin.get('/me')).must(200);
});

test('deleting a claim deletes nothing else', async (t) => {
  const { desk, mallory, claims, victim } = await prepare(t);
  (await mallory.client.delete('/profile/identities/emails', { ids: claims.map(({ id }) => id).join() })).must(200);
  (await desk.login('victim@home.example').get('/conversations')).must(200);
  assert.equal((await desk.owner.get('/identities/emails', { user_id: victim.id })).must(200).body.total_count, 1);
  assert.equal(desk.check().status, 0);
});

/* ---- links ------------------------------------------------------------------------------------------------------------ */

const CONFIRM = /^Confirm/;

/** The same with a relay. Each claim sent a letter; `letters` has them in order. */
async function mailing(t) {
  const to = await relay(t);
  const world = await prepare(t, (desk) => connect(desk, to));
  const verify = (hash) => world.desk.anyone.put('/profile/verify', { hash });
  const letters = [];
  for (const { email } of world.claims) letters.push(await to.find(email, CONFIRM));
  return { ...world, to, verify, letters };
}

test('a reset goes to the owner of an address, never to a claimant', async (t) => {
  const { desk, to, victim } = await mailing(t);
  for (const email of ['nobody@home.example', 'victim@home.example']) (await desk.anyone.post('/password/reset', { email })).must(200);
  const mail = await to.find('victim@home.example', /^Reset/);
  (await desk.anyone.with({ 'X-Token': mail.hash }).put('/profile/password', { new_password: 'a new one' })).must(200);
  (await desk.login('victim@home.example', 'a new one').get('/me')).must(200);
  (await desk.login('mallory@evil.example', MALLORY).get('/me')).must(200);
  assert.equal((await desk.login('victim@home.example', 'a new one').fetch('/me')).id, victim.id);
  assert.deepEqual(to.mails.filter((m) => m.to[0] === 'nobody@home.example' && !CONFIRM.test(m.subject)), []);
});

test('following the link moves an address from a person who never verified it', async (t) => {
  const { desk, wanda, mallory, claims, verify, letters: [, mail] } = await mailing(t);
  const rival = await desk.customer.create('/profile/identities/emails', { email: 'wanda@home.example' });
  (await verify(mail.hash)).must(200);
  const mine = await mallory.client.fetch(`/profile/identities/emails/${claims[1].id}`);
  assert.deepEqual([mine.is_validated, mine.is_primary], [true, false]);
  (await desk.login('wanda@home.example', MALLORY).get('/me')).must(200);
  assert.deepEqual(await desk.owner.fetch('/identities/emails', { user_id: wanda }), []);
  (await desk.customer.get(`/profile/identities/emails/${rival.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await mallory.client.update(`/profile/identities/emails/${claims[1].id}/primary`)).is_primary, true);
  assert.equal((await verify(mail.hash)).status, 400, 'a link works once');
  assert.equal(desk.check().status, 0);
});

test('a verified address is not moved by a link', async (t) => {
  const { desk, victim, mallory, claims, verify, letters: [{ hash }] } = await mailing(t);
  (await verify(hash)).refused(400, 'FIELD_DUPLICATE');
  assert.equal((await mallory.client.fetch(`/profile/identities/emails/${claims[0].id}`)).is_validated, false);
  assert.equal((await desk.owner.fetch('/identities/emails', { user_id: victim.id }))[0].is_validated, true);
  (await desk.login('victim@home.example', PASSWORD).get('/me')).must(200);
});

test('if two people verify one address concurrently, one gets it', async (t) => {
  const { desk, to, verify, letters } = await mailing(t);
  await desk.customer.create('/profile/identities/emails', { email: 'Nobody@home.example' });
  const hashes = [letters[2].hash, (await to.find('Nobody@home.example', CONFIRM)).hash];
  const replies = await Promise.all(hashes.map(verify));
  assert.deepEqual(replies.map((r) => r.status).sort(), [200, 400]);
  const holders = (await desk.owner.fetch('/identities/emails', { limit: 100 })).filter((i) => i.email.toLowerCase() === 'nobody@home.example');
  assert.deepEqual(holders.map((i) => i.is_validated), [true]);
  assert.equal(desk.check().status, 0);
});

/* ---- identities that a collaborator adds ------------------------------------------------------------------------------------- */

const CLAIMS = {
  emails: { value: 'email', some: (n) => `c${n}@evil.example`, status: 201 },
  phones: { value: 'number', some: (n) => `+49 30 ${7654320 + n}`, status: 201 },
  twitter: { value: 'screen_name', some: (n) => `evil_${n}`, status: 200 },
};

for (const [kind, { value, some, status }] of Object.entries(CLAIMS)) {
  const path = `/identities/${kind}`;

  test(`${kind}: an identity that a collaborator adds to another person is a claim and never primary`, async (t) => {
    const desk = await open(t);
    const collaborator = desk.as('collaborator');
    const { id: user_id } = await desk.owner.create('/users', { full_name: 'Only a number', phone: '+49 30 1111111' });
    const of = async () => (await desk.owner.fetch(path, { user_id })).filter((i) => i[value] !== '+49 30 1111111');
    const added = (await collaborator.post(path, { user_id, [value]: some(1), ...(kind !== 'twitter' && { is_primary: true }), is_validated: true })).must(status);
    assert.deepEqual([added.data.is_primary, added.data.is_validated], [false, false]);
    added.notes('is_validated', ...(kind === 'twitter' ? [] : ['is_primary']));
    for (const who of [collaborator, desk.staff, desk.admin, desk.owner]) {
      const put = (await who.put(`${path}/${added.data.id}`, { is_primary: true })).must(200).notes('is_primary');
      assert.equal(put.data.is_primary, false);
    }
    assert.deepEqual((await of()).map((i) => i.is_primary), [false]);
    const held = await desk.staff.post(path, { user_id: desk.people.customer.id, [value]: some(1) });
    held.must(status); // its owner can still add the value
    (await desk.staff.put(`${path}/${added.data.id}`, { is_validated: true })).refused(400, 'FIELD_DUPLICATE', value);
    (await desk.staff.delete(`${path}/${held.data.id}`)).must(200);
    const confirmed = (await desk.staff.put(`${path}/${added.data.id}`, { is_validated: true, is_primary: true })).must(200);
    assert.deepEqual([confirmed.data.is_validated, confirmed.data.is_primary], [true, true]);
    assert.deepEqual(confirmed.notices, []);
    assert.equal(desk.check().status, 0, desk.check().stdout);
  });

  test(`${kind}: an identity that agents, admins and owners add is valid at once`, async (t) => {
    const desk = await open(t);
    const { id: user_id } = await desk.owner.create('/users', { full_name: 'Only a number', phone: '+49 30 1111111' });
    for (const [n, who] of [desk.staff, desk.admin, desk.owner].entries()) {
      (await who.post(path, { user_id, [value]: some(n) })).must(status);
      (await who.post(path, { user_id: desk.people.customer.id, [value]: some(n) })).refused(400, 'FIELD_DUPLICATE', value);
    }
  });
}

/** Carla, a customer without an address, and the address that a collaborator added to her, with the letter of its link. */
async function planted(t) {
  const to = await relay(t);
  const desk = await open(t);
  await connect(desk, to);
  const carla = await desk.person('customer', { email: 'carla@home.example' });
  const collaborator = desk.as('collaborator');
  const claim = await collaborator.create('/identities/emails', { user_id: carla.id, email: 'planted@evil.example' });
  (await collaborator.put(`/identities/emails/${claim.id}/send_verification_email`)).must(200);
  const { hash } = await to.find('planted@evil.example', CONFIRM);
  const state = async () => (await desk.owner.fetch(`/identities/emails/${claim.id}`)).is_validated;
  return { desk, to, carla, collaborator, claim, hash, state };
}

test('only the person of a foreign claim can open its link', async (t) => {
  const { desk, carla, collaborator, claim, hash, state } = await planted(t);
  const press = (headers = {}) => desk.anyone.exchange('POST', '/verify', { body: form({ hash }), headers });
  const cookie = async (client) => ({ Cookie: `desk_session=${(await desk.session(client)).id}` });
  for (const who of [desk.anyone, collaborator, desk.staff, desk.owner, desk.customer]) (await who.put('/profile/verify', { hash })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  const mine = await cookie(carla.client);
  const [id] = mine.Cookie.split('.');
  const strangers = [{}, await cookie(collaborator), { ...mine, Origin: 'https://evil.example' }, { ...mine, 'Sec-Fetch-Site': 'cross-site' }, { ...mine, 'User-Agent': 'another' },
    { Cookie: `${id}.${'0'.repeat(40)}` }, { Cookie: 'desk_session=x' }];
  for (const headers of strangers) assert.match((await press(headers)).must(400).text, /log in first/i);
  assert.equal(await state(), false);
  (await desk.login('planted@evil.example').get('/me')).refused(401, 'AUTHENTICATION_FAILED');
  assert.match((await press(mine)).must(200).text, /is confirmed/);
  assert.equal(await state(), true);
  assert.equal((await carla.client.update(`/profile/identities/emails/${claim.id}/primary`)).is_primary, true);
});

test('the person can also open it with a program', async (t) => {
  const { desk, carla, hash, state } = await planted(t);
  (await (await desk.session(carla.client)).client.put('/profile/verify', { hash })).must(200);
  assert.equal(await state(), true);
});

test('a foreign claim is no login, gets no reset, and does not count as an address of its person', async (t) => {
  const { desk, to, carla, collaborator } = await planted(t);
  const [{ id }] = (await desk.owner.fetch('/identities/emails', { user_id: carla.id })).filter((i) => i.email === 'carla@home.example');
  (await collaborator.delete(`/identities/emails/${id}`)).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE'); // the last valid address
  (await desk.anyone.post('/conversations', { name: 'Nina', email: 'nina@home.example', subject: 'S', contents: 'C' })).must(201);
  const [nina] = await desk.owner.fetch('/users', { email: 'nina@home.example', include: 'identity_email' });
  await collaborator.create('/identities/emails', { user_id: nina.id, email: 'hers@evil.example' });
  (await collaborator.delete(`/identities/emails/${nina.emails[0].id}`)).must(200); // she has no password
  for (const email of ['hers@evil.example', 'planted@evil.example', 'agent@example.com']) (await desk.anyone.post('/password/reset', { email })).must(200);
  await to.find('agent@example.com', /^Reset/);
  assert.deepEqual(to.mails.filter((m) => /^Reset/.test(m.subject)).map((m) => m.to[0]), ['agent@example.com']);
  const made = (await desk.anyone.post('/conversations', { name: 'N', email: 'hers@evil.example', subject: 'S', contents: 'C' })).must(201).data;
  assert.notEqual(made.requester.id, nina.id);
});

/* ---- security notices -------------------------------------------------------------------------------------------------------- */

/** The security notices sent: [address, subject] of each, sorted, after the last one has arrived. */
const notices = (to, subject) => to.mails.filter((m) => subject.test(m.subject)).map((m) => m.to[0]).sort();

test('security notices go to all validated addresses, also to a removed one, and to no other', async (t) => {
  const to = await relay(t);
  const desk = await open(t);
  await connect(desk, to);
  const vera = await desk.person('customer', { full_name: 'Vera Valid', email: 'one@home.example' });
  const two = await desk.staff.create('/identities/emails', { user_id: vera.id, email: 'two@home.example', is_validated: true });
  await until('the first', () => to.mails.length === 1);
  assert.deepEqual(to.mails.map((m) => [m.to[0], m.subject]), [['one@home.example', 'An e-mail address was added to your account at Support']]);
  const [, , claim] = [await desk.staff.create('/identities/emails', { user_id: vera.id, email: 'three@home.example' }),
    await desk.as('collaborator').create('/identities/emails', { user_id: vera.id, email: 'four@home.example' }),
    await vera.client.create('/profile/identities/emails', { email: 'five@home.example' })];
  await until('notices of three', () => notices(to, /was added/).length === 7);
  assert.deepEqual(notices(to, /was added/), ['one', 'one', 'one', 'one', 'two', 'two', 'two'].map((n) => `${n}@home.example`));
  const mail = to.mails.find((m) => m.text.includes('f***@home.example'));
  assert.match(mail.text, /^Hello Vera Valid,/);
  assert.ok(!to.mails.some((m) => /was added/.test(m.subject) && /(three|four|five)@/.test(m.raw)), 'the notice does not spell out the new address');
  (await vera.client.delete('/profile/identities/emails', { ids: `${claim.id},${two.id}` })).must(200);
  await until('of the removed', () => notices(to, /was removed/).length === 2);
  assert.deepEqual(notices(to, /was removed/), ['one@home.example', 'two@home.example']);
  assert.ok(to.mails.find((m) => /was removed/.test(m.subject)).text.includes('t***@home.example, f***@home.example'));
  await desk.staff.update(`/identities/emails/${(await desk.owner.fetch('/identities/emails', { user_id: vera.id })).find((i) => i.email === 'three@home.example').id}`, { is_validated: true });
  await desk.owner.update(`/users/${vera.id}`, { password: 'another one' });
  await until('of the password', () => notices(to, /was changed/).length === 2);
  assert.deepEqual(notices(to, /was changed/), ['one@home.example', 'three@home.example']);
});

test('a person who loses an address to its true owner gets a notice', async (t) => {
  const { desk, to, wanda, verify, letters } = await mailing(t);
  await desk.owner.update(`/users/${wanda}`, { password: 'wanda has one' });
  const more = await desk.staff.create('/identities/emails', { user_id: wanda, email: 'second@home.example', is_validated: true });
  (await verify(letters[1].hash)).must(200);
  assert.match((await to.find('second@home.example', /was removed/)).text, /w\*\*\*@home\.example/);
  assert.ok(more.id);
});

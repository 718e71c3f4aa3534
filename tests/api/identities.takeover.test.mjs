import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, connect, open, relay } from './lib/index.mjs';

// Adding somebody's address to one's own profile, or to one's customers, must win nothing.

const MALLORY = 'mallory has one';

/** A victim with a password, one who only ever wrote, and Mallory, a customer who adds the addresses of both. */
async function prepare(t) {
  const desk = await open(t);
  const victim = await desk.person('customer', { email: 'victim@home.example' });
  (await desk.anyone.post('/conversations', { name: 'Wanda', email: 'wanda@home.example', subject: 'S', contents: 'C' })).must(201);
  const wanda = (await desk.owner.fetch('/users', { email: 'wanda@home.example' }))[0].id;
  const mallory = await desk.person('customer', { email: 'mallory@evil.example', password: MALLORY });
  const claims = [];
  for (const email of ['Victim@Home.example', 'wanda@home.example', 'nobody@home.example']) claims.push(await mallory.client.create('/profile/identities/emails', { email, is_primary: true }));
  return { desk, victim, wanda, mallory, claims };
}

test('a claimed address is no login, and its owner goes on logging in with it', async (t) => {
  const { desk } = await prepare(t);
  for (const email of ['victim@home.example', 'wanda@home.example', 'nobody@home.example']) (await desk.login(email, MALLORY).get('/conversations')).refused(401, 'AUTHENTICATION_FAILED');
  (await desk.login('victim@home.example', PASSWORD).get('/conversations')).must(200);
});

test('what is written from a claimed address is not the claimant\'s', async (t) => {
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

test('a claimed address finds nobody, and may be given to whoever it is of', async (t) => {
  const { desk, victim, mallory } = await prepare(t);
  assert.deepEqual((await desk.owner.get('/users', { email: 'victim@home.example' })).must(200).ids, [victim.id]);
  assert.deepEqual((await desk.owner.get('/users', { email: 'nobody@home.example' })).must(200).ids, []);
  const owner = await desk.staff.create('/users', { full_name: 'Nobody', email: 'nobody@home.example' });
  assert.deepEqual((await desk.owner.get('/users', { email: 'nobody@home.example' })).must(200).ids, [owner.id]);
  assert.equal((await mallory.client.get('/profile/identities/emails')).must(200).body.total_count, 4);
});

test('staff can not be talked into giving a held address away: it is a duplicate', async (t) => {
  const { desk, claims, victim, wanda } = await prepare(t);
  for (const who of [desk.staff, desk.owner]) {
    for (const { id } of claims.slice(0, 2)) (await who.put(`/identities/emails/${id}`, { is_validated: true })).refused(400, 'FIELD_DUPLICATE', 'email');
  }
  for (const user_id of [victim.id, wanda]) assert.equal((await desk.owner.get('/identities/emails', { user_id })).must(200).body.total_count, 1);
  assert.equal((await desk.staff.update(`/identities/emails/${claims[2].id}`, { is_validated: true })).is_validated, true);
});

test('a collaborator who adds an address to themselves claims it, whichever way', async (t) => {
  const { desk, victim } = await prepare(t);
  const collaborator = desk.as('collaborator');
  const { id } = desk.people.collaborator;
  const reply = (await collaborator.post('/identities/emails', { user_id: id, email: 'victim@home.example', is_primary: true, is_validated: true })).must(201);
  assert.deepEqual([reply.data.is_primary, reply.data.is_validated], [false, false]);
  (await collaborator.put(`/identities/emails/${reply.data.id}`, { is_primary: true })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.deepEqual((await desk.owner.get('/users', { email: 'victim@home.example' })).must(200).ids, [victim.id]);
  (await desk.login('victim@home.example').get('/teams')).refused(403, 'PERMISSIONS_DENIED'); // still a customer
});

test('an agent takes no address of those above, neither by adding it nor by a claim', async (t) => {
  const { desk } = await prepare(t);
  for (const user_id of [desk.people.agent.id, desk.people.customer.id]) (await desk.staff.post('/identities/emails', { user_id, email: 'admin@example.com', is_validated: true })).refused(400, 'FIELD_DUPLICATE', 'email');
  const [admins] = await desk.owner.fetch('/identities/emails', { user_id: desk.people.admin.id });
  await desk.owner.update(`/identities/emails/${admins.id}`, { is_validated: false });
  const claim = await desk.staff.create('/profile/identities/emails', { email: 'admin@example.com' });
  (await desk.staff.put(`/identities/emails/${claim.id}`, { is_validated: true })).refused(400, 'FIELD_DUPLICATE', 'email');
  (await desk.admin.get('/me')).must(200);
});

test('a claim that is deleted takes nothing with it', async (t) => {
  const { desk, mallory, claims, victim } = await prepare(t);
  (await mallory.client.delete('/profile/identities/emails', { ids: claims.map(({ id }) => id).join() })).must(200);
  (await desk.login('victim@home.example').get('/conversations')).must(200);
  assert.equal((await desk.owner.get('/identities/emails', { user_id: victim.id })).must(200).body.total_count, 1);
  assert.equal(desk.check().status, 0);
});

/* ---- links ------------------------------------------------------------------------------------------------------------ */

async function mailing(t) {
  const world = await prepare(t);
  world.to = await relay(t);
  await connect(world.desk, world.to);
  world.verify = (hash) => world.desk.anyone.put('/profile/verify', { hash });
  world.letter = async ({ id }, who = world.mallory.client) => {
    (await who.put(`/profile/identities/emails/${id}/verification`)).must(200);
    return world.to.mail();
  };
  return world;
}

test('a reset of a claimed address is its owner\'s, and of one that is only claimed nobody\'s', async (t) => {
  const { desk, to, victim } = await mailing(t);
  for (const email of ['nobody@home.example', 'victim@home.example']) (await desk.anyone.post('/password/reset', { email })).must(200);
  const mail = await to.mail();
  assert.deepEqual(mail.to, ['victim@home.example']);
  (await desk.anyone.with({ 'X-Token': mail.hash }).put('/profile/password', { new_password: 'a new one' })).must(200);
  (await desk.login('victim@home.example', 'a new one').get('/me')).must(200);
  (await desk.login('mallory@evil.example', MALLORY).get('/me')).must(200);
  assert.equal((await desk.login('victim@home.example', 'a new one').fetch('/me')).id, victim.id);
  assert.deepEqual(to.mails.filter((m) => m.to[0] === 'nobody@home.example'), []);
});

test('whoever follows the link takes an address from one who never proved it', async (t) => {
  const { desk, wanda, mallory, claims, verify, letter, to } = await mailing(t);
  const rival = await desk.customer.create('/profile/identities/emails', { email: 'wanda@home.example' });
  const mail = await letter(claims[1]);
  assert.deepEqual(mail.to, ['wanda@home.example']);
  (await verify(mail.hash)).must(200);
  const mine = await mallory.client.fetch(`/profile/identities/emails/${claims[1].id}`);
  assert.deepEqual([mine.is_validated, mine.is_primary], [true, false]);
  (await desk.login('wanda@home.example', MALLORY).get('/me')).must(200);
  assert.deepEqual(await desk.owner.fetch('/identities/emails', { user_id: wanda }), []);
  (await desk.customer.get(`/profile/identities/emails/${rival.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await mallory.client.update(`/profile/identities/emails/${claims[1].id}/primary`)).is_primary, true);
  assert.equal((await verify(mail.hash)).status, 400, 'a link serves once');
  assert.equal(to.mails.length, 1);
  assert.equal(desk.check().status, 0);
});

test('what its owner proved is taken by no link', async (t) => {
  const { desk, victim, mallory, claims, verify, letter } = await mailing(t);
  const { hash } = await letter(claims[0]);
  (await verify(hash)).refused(400, 'FIELD_DUPLICATE');
  assert.equal((await mallory.client.fetch(`/profile/identities/emails/${claims[0].id}`)).is_validated, false);
  assert.equal((await desk.owner.fetch('/identities/emails', { user_id: victim.id }))[0].is_validated, true);
  (await desk.login('victim@home.example', PASSWORD).get('/me')).must(200);
});

test('of two who prove one address at once one gets it', async (t) => {
  const { desk, claims, verify, letter } = await mailing(t);
  const rival = await desk.customer.create('/profile/identities/emails', { email: 'Nobody@home.example' });
  const hashes = [(await letter(claims[2])).hash, (await letter(rival, desk.customer)).hash];
  const replies = await Promise.all(hashes.map(verify));
  assert.deepEqual(replies.map((r) => r.status).sort(), [200, 400]);
  const holders = (await desk.owner.fetch('/identities/emails', { limit: 100 })).filter((i) => i.email.toLowerCase() === 'nobody@home.example');
  assert.deepEqual(holders.map((i) => i.is_validated), [true]);
  assert.equal(desk.check().status, 0);
});

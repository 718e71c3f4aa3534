// Logins by the provider of the npm package oidc-provider, which is not ours: the whole flow with PKCE, new keys, and the logout.
// signin.test.mjs has the wrong answers, which this provider never gives.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shared } from './lib/index.mjs';
import { Oidc, Person, rsaKey } from './lib/oidc.mjs';
import { Visitor, whoIs } from './lib/provider.mjs';

const CUSTOMERS = { is_for_staff: false, is_for_customers: true, creates_people: true, role_id: 4, highest_role: 'CUSTOMER' };

describe('oidc-provider', () => {
  const world = shared(async (world) => {
    const { desk } = world;
    Date.now = () => desk.clock.now; // the provider's clock is that of the desk
    (await desk.owner.put('/settings', { values: { 'signin.allow_private_addresses': true } })).must(200);
    const oidc = world.oidc = await new Oidc({
      ben: { email: desk.people.agent.email, email_verified: true, name: 'Ben' },
      mira: { email: 'mira@example.com', email_verified: true, name: 'Mira Olsen', groups: ['support'] },
      clara: { email: 'clara@shop.example', email_verified: true, name: 'Clara Ito' },
      eve: { email: desk.people.admin.email, email_verified: false, name: 'Eve' },
    }).start();
    world.team = await desk.admin.create('/teams', { title: 'Support', businesshour_id: 1 });
    world.staff = await desk.owner.create('/signin/providers', { name: 'Staff', issuer: oidc.issuer, client_id: 'desk', client_secret: 'a very secret text', role_id: 3, creates_people: true,
      email_domains: 'example.com', rules: [{ claim: 'groups', value: 'support', role_id: 2, team_ids: [world.team.id] }] });
    world.customers = await desk.owner.create('/signin/providers', { name: 'Shop', issuer: oidc.issuer, client_id: 'shop', ...CUSTOMERS });
    const client = (client_id, { callback_url, logout_url }, more) => ({ client_id, redirect_uris: [callback_url], post_logout_redirect_uris: [logout_url], response_types: ['code'], grant_types: ['authorization_code'], ...more });
    oidc.configure({ keys: [rsaKey('one')], clients: [client('desk', world.staff, { client_secret: 'a very secret text' }), client('shop', world.customers, { token_endpoint_auth_method: 'none' })] });
  });

  /** Logs in. Returns the reply to the callback, with the browser at the desk and the one at the provider. */
  const login = async (provider, who, { to = '', visitor = new Visitor(world.desk), person = new Person(world.oidc, who) } = {}) => {
    const begun = (await visitor.get(`/signin/${provider.id}${to && `?to=${encodeURIComponent(to)}`}`)).must(303);
    const back = await person.follow(begun.headers.location);
    assert.equal(back.origin + back.pathname, provider.callback_url);
    return Object.assign(await visitor.get(back.pathname + back.search), { visitor, person, back });
  };

  test('logs staff in with PKCE, by the address that it has verified', async () => {
    const { desk, oidc } = world, reply = (await login(world.staff, 'ben', { to: '/agent/people' })).must(303);
    assert.equal(reply.headers.location, '/agent/people');
    assert.equal(await whoIs(reply.visitor), desk.people.agent.id);
    assert.deepEqual(reply.person.forms, ['login', 'consent']);
    assert.equal(reply.back.searchParams.get('iss'), oidc.issuer, 'it names itself (RFC 9207)');
    assert.ok(oidc.asked('/me') > 0, 'its ID token has no address, so the userinfo endpoint was asked');
    const again = (await login(world.staff, 'ben', { person: reply.person })).must(303);
    assert.equal(await whoIs(again.visitor), desk.people.agent.id);
    assert.deepEqual(reply.person.forms, ['login', 'consent'], 'the provider still knows the person');
  });

  test('makes an account of staff by the rules, and none for an address that is not verified', async () => {
    const { desk, team } = world, reply = (await login(world.staff, 'mira')).must(303);
    const mira = await desk.owner.fetch(`/users/${await whoIs(reply.visitor)}`, { fields: '+teams' });
    assert.deepEqual([mira.full_name, mira.role.id, mira.teams.map(({ id }) => id)], ['Mira Olsen', 2, [team.id]]);
    const refused = (await login(world.staff, 'eve')).must(403);
    assert.match(refused.text, /not verified/);
    assert.equal(await whoIs(refused.visitor), null);
  });

  test('refuses a code that another browser brings back, and takes a code once', async () => {
    const { desk, staff, oidc } = world, visitor = new Visitor(desk), stranger = new Visitor(desk);
    const begun = (await visitor.get(`/signin/${staff.id}`)).must(303);
    const back = await new Person(oidc, 'ben').follow(begun.headers.location), path = back.pathname + back.search;
    (await stranger.get(path)).must(400);
    const before = { ...visitor.cookies };
    (await visitor.get(path)).must(303);
    const thief = new Visitor(desk);
    thief.cookies = before;
    (await thief.get(path)).must(502); // the provider gives nothing for the code any more
    assert.equal(await whoIs(thief), null);
  });

  test('goes on with new keys', async () => {
    const { desk, oidc } = world, before = oidc.asked('/jwks');
    oidc.configure({ keys: [rsaKey('two')] });
    const reply = (await login(world.staff, 'ben')).must(303);
    assert.equal(await whoIs(reply.visitor), desk.people.agent.id);
    assert.equal(oidc.asked('/jwks'), before + 1);
    await desk.clock.forward(61);
    oidc.configure({ keys: [rsaKey('three'), rsaKey('two')] }); // both are published, the first one signs
    assert.equal(await whoIs((await login(world.staff, 'ben')).must(303).visitor), desk.people.agent.id);
  });

  test('ends the login of staff at the provider, too', async () => {
    const { desk } = world, { visitor, person } = (await login(world.staff, 'ben')).must(303);
    const session = await visitor.get('/api/v1/session');
    const out = (await visitor.go('DELETE', '/api/v1/session', undefined, { 'X-CSRF-Token': session.headers['x-csrf-token'] })).must(200);
    const back = await person.follow(out.headers['x-logout-url']);
    assert.equal(back.href, `${desk.base}/signin/out`);
    assert.equal(person.forms.at(-1), 'logout');
    assert.match((await visitor.get(back.pathname)).must(200).text, /You are logged out/);
    await login(world.staff, 'ben', { person });
    assert.ok(person.forms.lastIndexOf('login') > person.forms.indexOf('logout'), 'the provider asks again');
  });

  test('logs a customer in without a client secret, and out at the provider, too', async () => {
    const { desk } = world, { visitor, person, headers } = (await login(world.customers, 'clara', { to: '/helpcenter/en-us/conversations' })).must(303);
    assert.equal(headers.location, '/helpcenter/en-us/conversations');
    const id = await whoIs(visitor), clara = await desk.owner.fetch(`/users/${id}`);
    assert.deepEqual([clara.full_name, clara.role.id], ['Clara Ito', 4]);
    const page = (await visitor.get('/helpcenter/en-us/logout')).must(200);
    const left = (await visitor.send(page, {})).must(200);
    assert.match(left.text, /You are logged out/);
    assert.ok(!left.text.includes('My conversations'), 'the page is that of nobody');
    const [, url] = /^0; url=(.*)$/.exec(left.headers.refresh);
    assert.ok(left.text.includes(`href="${url.replaceAll('&', '&amp;')}"`), 'a link, if the browser does not follow');
    assert.equal(await whoIs(visitor), null);
    const back = await person.follow(url);
    assert.equal(back.origin + back.pathname, `${desk.base}/signin/out`);
    const out = (await visitor.get(back.pathname + back.search)).must(200);
    assert.match(out.text, /href="\/helpcenter\/en-us\/login"/);
    (await login(world.customers, 'clara', { person })).must(303);
    assert.equal(person.forms.filter((one) => one === 'login').length, 2, 'the provider asks again');
    (await login(world.staff, 'clara')).must(403); // another domain than that of staff
  });
});

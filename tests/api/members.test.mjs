import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { demo, shared } from './lib/index.mjs';

// Each resource shows every member that the specification lists, null where empty.

const MEMBERS = JSON.parse(readFileSync(new URL('fixtures/members.json', import.meta.url), 'utf8'));
const HEX64 = '[0-9a-f]{64}';

describe('members', () => {
  const world = shared(async (w) => {
    const { owner, customer } = w.desk;
    w.organization = await owner.create('/organizations', { name: 'O', domains: 'o.example' });
    w.team = await owner.create('/teams', { title: 'T' });
    w.conversation = await customer.create('/conversations', { subject: 'S', contents: 'C' });
    w.demo = await demo(w.t); // for accounts that no operation creates
    w.job = (await owner.post('/bulk/teams', { teams: [{ title: 'X' }] })).must(202).data;
  });

  const FROM = {
    user: (w) => `/users/${w.desk.people.agent.id}`,
    user_minimal: (w) => `/conversations/${w.conversation.id}/participants`,
    team: (w) => `/teams/${w.team.id}`,
    role: () => '/roles/2',
    permission: () => '/roles/2/permissions',
    business_hour: () => '/businesshours/1',
    conversation: (w) => `/conversations/${w.conversation.id}`,
    case_message: (w) => `/conversations/${w.conversation.id}/messages`,
    session: () => '/session',
    organization: (w) => `/organizations/${w.organization.id}`,
    identity_domain: (w) => `/identities/domains/${w.organization.domains[0].id}`,
    definition: () => '/organizations/definitions',
    bulk_job: (w) => `/jobs/${w.job.id}`,
    brand: () => '/brands',
    template: () => '/brands/1/templates',
    case_status: () => '/cases/statuses',
    case_priority: () => '/cases/priorities/1',
    case_type: () => '/cases/types/1',
    identity_email: () => '/identities/emails',
    identity_phone: async (w) => {
      await w.desk.staff.create('/profile/identities/phones', { number: '+49301234567' });
      return '/profile/identities/phones';
    },
    identity_twitter: () => '/identities/twitter',
    identity_facebook: () => '/identities/facebook',
  };
  const ON = { identity_twitter: 'demo', identity_facebook: 'demo' };

  for (const [kind, names] of Object.entries(MEMBERS)) {
    test(`${kind} has ${names}`, async () => {
      const { owner, staff } = world[ON[kind] ?? 'desk'];
      const data = [await (kind === 'identity_phone' ? staff : owner).fetch(await FROM[kind](world))].flat();
      assert.ok(data.length);
      for (const one of data) {
        assert.equal(one.resource_type, kind);
        assert.deepEqual([...names.split(' '), ...(['definition', 'template'].includes(kind) ? [] : ['id'])].filter((name) => !(name in one)), [], 'missing');
        if (!['session', 'definition'].includes(kind)) assert.ok(one.resource_url, 'resource_url');
      }
    });
  }

  test('a list member is never null', async () => {
    const user = await world.desk.owner.fetch(FROM.user(world));
    for (const name of ['teams', 'emails', 'phones', 'twitter', 'facebook', 'external_identifiers', 'addresses', 'websites', 'custom_fields']) assert.ok(Array.isArray(user[name]), name);
  });

  test('channels have the form that clients subscribe to', async () => {
    const user = await world.desk.owner.fetch(FROM.user(world));
    assert.match(user.realtime_channel, new RegExp(`^presence-${HEX64}@v1_users_${user.id}$`));
    assert.match(user.presence_channel, new RegExp(`^user_presence-${HEX64}@[0-9a-f]{40}$`));
    const { realtime_channel } = world.conversation;
    assert.equal(realtime_channel.split('@')[0], user.realtime_channel.split('@')[0], 'one installation');
  });

  test('addresses of resources match the specification', async () => {
    const { base, owner } = world.desk;
    const [message] = await owner.fetch(FROM.case_message(world));
    const [permission] = await owner.fetch('/roles/2/permissions');
    const at = async (path) => (await owner.fetch(path)).resource_url;
    assert.equal(await at('/roles/2'), `${base}/api/v1/roles/2`);
    assert.equal(await at('/businesshours/1'), `${base}/api/v1/businesshours/1`);
    assert.equal(await at('/cases/priorities/1'), `${base}/api/v1/cases/priorities/1`);
    assert.equal((await owner.fetch('/cases/statuses'))[0].resource_url, `${base}/api/v1/cases/statuses/1`);
    assert.equal(message.resource_url, `${base}/api/v1/conversations/${world.conversation.id}/messages/${message.id}`);
    assert.equal(permission.resource_url, `${base}/api/v1/roles/2/permissions/${permission.id}`);
    const [person] = await owner.fetch(FROM.user_minimal(world));
    assert.equal(person.resource_url, `${base}/api/v1/users/${person.id}`);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, ROLES } from './lib/index.mjs';

const MEMBERS = `id full_name designation is_otp_enabled avatar organization teams emails phones twitter facebook external_identifiers addresses websites
custom_fields locale time_zone time_zone_offset greeting signature status_message last_seen_user_agent last_seen_ip last_login_at agent_case_access
organization_case_access created_at updated_at resource_type resource_url`.split(/\s+/);

test('every role reads its complete profile', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const reply = (await desk.as(role).get('/profile')).must(200);
    assert.deepEqual(Object.keys(reply.data), MEMBERS);
    assert.equal(reply.data.id, desk.people[role].id);
    assert.equal(reply.body.resource, 'profile');
    assert.equal(reply.data.resource_url, `${desk.base}/api/v1/profile`);
    assert.equal(reply.data.emails.length, 1, 'the profile has the same address for every role');
    assert.equal(reply.data.last_seen_ip, '127.0.0.1');
    assert.equal(reply.data.is_otp_enabled, false);
  }
  (await desk.anyone.get('/profile')).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.anyone.put('/profile', { full_name: 'X' })).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a PUT changes the members that the specification names, and no others', async (t) => {
  const desk = await open(t);
  for (const role of ROLES) {
    const me = desk.as(role);
    const before = await me.fetch('/profile');
    const changed = await me.update('/profile', { full_name: `New ${role}`, designation: 'Chief', locale_id: 3, time_zone: 'Asia/Kolkata', signature: 'Bye\nBye' });
    assert.deepEqual([changed.full_name, changed.designation, changed.locale.id, changed.time_zone, changed.time_zone_offset, changed.signature],
      [`New ${role}`, 'Chief', 3, 'Asia/Kolkata', 19800, 'Bye\nBye']);
    const reply = (await me.put('/profile', { role_id: 5, is_enabled: false, organization_id: 1, team_ids: [1], agent_case_access: 'ALL',
      organization_case_access: 'ORGANIZATION', is_otp_enabled: true, emails: ['x@example.com'], greeting: 'Hi' })).must(200);
    const rest = (p) => ({ ...p, full_name: 0, designation: 0, locale: 0, time_zone: 0, time_zone_offset: 0, signature: 0, updated_at: 0 });
    assert.deepEqual(rest(reply.data), rest(before), 'the other members are ignored');
    assert.match(JSON.stringify(reply.body.logs), /role_id/);
  }
  const user = await desk.owner.fetch(`/users/${desk.people.customer.id}`);
  assert.equal(user.full_name, 'New customer', 'profile and user show the same person');
});

test('bad values are all refused at once, and nothing changes', async (t) => {
  const { customer } = await open(t);
  const before = (await customer.get('/profile')).must(200).data;
  const reply = await customer.put('/profile', { full_name: '', designation: 'x'.repeat(256), locale_id: 999, time_zone: '../../etc/passwd', signature: 'x'.repeat(4001) });
  reply.refused(400, 'FIELD_EMPTY');
  assert.deepEqual(reply.body.errors.map((e) => e.parameter).sort(), ['designation', 'full_name', 'locale_id', 'signature', 'time_zone']);
  for (const full_name of [null, '  ', 'a\u0000b', 'a\nb', {}, []]) (await customer.put('/profile', { full_name })).must(400);
  assert.deepEqual((await customer.fetch('/profile')), before);
});

test('a profile has an ETag for conditional requests', async (t) => {
  const { customer } = await open(t);
  const { etag } = (await customer.get('/profile')).must(200).headers;
  (await customer.get('/profile', {}, { 'If-None-Match': etag })).must(304);
  (await customer.put('/profile', { designation: 'Boss' }, { headers: { 'If-Match': '"0"' } })).refused(412, 'RESOURCE_MODIFIED');
  (await customer.put('/profile', { designation: 'Boss' }, { headers: { 'If-Match': etag } })).must(200);
  (await customer.put('/profile', { designation: 'Chief' }, { headers: { 'If-Match': etag } })).refused(412, 'RESOURCE_MODIFIED');
});

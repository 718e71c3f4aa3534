import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { BINARY, open, rolesOf, routes, shared } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

// Generated from `deskd routes`. If a permission is off, callers in the role set can't use the routes that name it. It opens no other
// route.

// Writes without a permission of their own: (1) those of one's own objects, such as views and macros, which need one only if they are shared, (2) those of conversations, cases and notes, which every
// member of the role set may write, because the specification has permissions only for parts of them, (3) filters, searches, previews and dry runs, which change nothing,
// (4) votes, comments and likes of readers; the specification lets all staff moderate comments, (5) releases and deletions of suspended mails, which the
// specification opens to role sets.
const OWN = ['/notification_preferences', '/notifications', '/views', '/cases/macros', '/profile', '/session', '/me', '/conversations', '/password', '/files', '/widget', '/mails', '/messages', '/oauth/my_grants', '/signin/links', '/webhook', '/bulk/webhook', '/helpcenter/search'];
const isFree = ({ method, path }) =>
  method === 'GET' || /^[/](bulk[/])?webhook[/]/.test(path) || OWN.some((own) => path.startsWith(own)) || /[/](filter|notes|preview|dry_run)\b/.test(path) || /^[/]articles[/]:id[/](upvote|downvote|comments)\b/.test(path) || /^[/]cases([/]:id([/](tags|read|unread|draft|drafts[/]:draft_id[/]take|snooze|reply([/]:post_id)?|scheduled_replies[/]:scheduled_reply_id))?|[/]posts[/]:id|[/](snooze|draft))?$/.test(path);
const table = existsSync(BINARY) ? routes() : [];
const guarded = table.filter((r) => r.permission !== '-');

describe('permissions', () => {
  const world = shared(async (w) => {
    const { owner } = w.desk;
    w.permissions = (await owner.fetch('/roles/1/permissions')).map((p) => p.name);
    w.with = async (type, switched) => {
      const { id } = await owner.create('/roles', { title: type, type });
      (await owner.put(`/roles/${id}/permissions`, switched)).must(200);
      return (await w.desk.person('agent', { role_id: id })).client;
    };
    const all = (value) => Object.fromEntries(w.permissions.map((name) => [name, value]));
    w.none = { admin: await w.with('ADMIN', all(0)), agent: await w.with('AGENT', all(0)) };
    w.only = {};
    for (const name of new Set(guarded.map((r) => r.permission))) w.only[name] = await w.with('ADMIN', { ...all(0), [name]: 1 });
  });

  for (const { method, path, roles, permission } of guarded) {
    const address = path.split('?')[0].replaceAll(/:\w+/g, '999999');
    const options = ['POST', 'PUT'].includes(method) ? { body: {} } : {};
    const ask = (who) => who.request(method, address, options);

    test(`${method} ${path} requires ${permission}`, async () => {
      assert.ok(world.permissions.includes(permission), 'the list has the permission');
      for (const role of ['admin', 'agent'].filter((r) => rolesOf(roles)?.includes(r))) (await ask(world.none[role])).refused(403, 'PERMISSIONS_DENIED');
      if (rolesOf(roles)?.includes('admin')) assert.notEqual((await ask(world.only[permission])).status, 403, 'no other permission is needed');
      assert.notEqual((await ask(world.desk.owner)).status, 403, 'owners have every permission');
    });
  }

  for (const { method, path, permission } of table.filter((r) => !isFree(r))) {
    test(`${method} ${path} writes objects of others, so it requires a permission`, () => assert.notEqual(permission, '-'));
  }

  test('an agent without permissions can still read, and a permission adds no role to a role set', async () => {
    const { agent } = world.none;
    for (const path of ['/users', '/organizations', '/teams', '/roles', '/organizations/definitions']) (await agent.get(path)).must(200);
    (await agent.get('/settings')).refused(403, 'PERMISSIONS_DENIED');
  });

  test('customers read only the permissions of their own role', async () => {
    const { customer } = world.desk;
    (await customer.get('/roles/4/permissions')).must(200);
    for (const id of [1, 2, 3, 5, 6, 999]) (await customer.get(`/roles/${id}/permissions`)).refused(404, 'RESOURCE_NOT_FOUND');
  });
});

test('a desk older than a permission gets it at the next start, and changed permissions stay', async (t) => {
  const desk = await open(t);
  const list = async (role) => Object.fromEntries((await desk.owner.fetch(`/roles/${role}/permissions`)).map((p) => [p.name, p.value]));
  (await desk.owner.put('/roles/2/permissions', { 'teams.manage': 0 })).must(200);
  const before = { admin: await list(1), agent: await list(2) };
  await desk.stop();
  sql(desk, "DELETE FROM role_permissions WHERE name IN ('insights.access', 'settings.manage')");
  await desk.start();
  assert.deepEqual(await list(1), before.admin);
  assert.deepEqual(await list(2), before.agent);
  assert.equal(before.agent['teams.manage'], false);
});

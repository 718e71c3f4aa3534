import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { BINARY, ROLES, rolesOf, routes, shared } from './lib/index.mjs';

// Generated from `deskd routes`: every route refuses every role outside its set, and callers without login if it needs one.

describe('refusals', () => {
  const world = shared();

  for (const { method, path, roles } of existsSync(BINARY) ? routes() : []) {
    const ok = rolesOf(roles);
    const address = path.split('?')[0].replaceAll(/:\w+/g, '1');
    const options = ['POST', 'PUT'].includes(method) ? { body: {} } : {};
    if (!ok) continue;

    test(`${method} ${path} requires a login`, async () => {
      (await world.desk.anyone.request(method, address, options)).refused(401, 'AUTHORIZATION_REQUIRED');
    });

    for (const role of ROLES.filter((r) => !ok.includes(r))) {
      test(`${method} ${path} refuses the ${role}`, async () => {
        (await world.desk.as(role).request(method, address, options)).refused(403, 'PERMISSIONS_DENIED');
      });
    }
  }

  test('the refusals changed nothing', async () => {
    assert.equal((await world.desk.owner.get('/users')).must(200).body.total_count, 5);
    assert.equal((await world.desk.owner.get('/teams')).must(200).body.total_count, 0);
    assert.equal((await world.desk.owner.get('/roles')).must(200).body.total_count, 5);
  });
});

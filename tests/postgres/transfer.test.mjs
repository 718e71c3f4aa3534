import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BINARY, Desk, PASSWORD, ROLES, defer, deskd, directory } from '../api/lib/index.mjs';
import { createDatabase, dropDatabase, store } from '../api/lib/stores.mjs';
import { SEEN_AS, addressesOf, answersOf, sameAnswers, sessionsOf, withKeyOf } from '../api/lib/transfer.mjs';

// An export of one engine is imported on the other one.

function done(...args) {
  const { status, stdout, stderr } = deskd(...args);
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

test('an export of a folder is imported into a database, and the export of that database into a folder, with the same replies', { timeout: 300_000 }, async (t) => {
  const place = directory(), dir = join(place, 'desk'), there = join(place, 'database'), back = join(place, 'back');
  for (const folder of [dir, there, back]) mkdirSync(folder);
  writeFileSync(join(place, 'password'), `${PASSWORD}\n`);
  done('demo', '--data', dir, '--conversations', '30', '--password-file', join(place, 'password'));
  createDatabase(there);
  defer(t, () => dropDatabase(there));
  const people = Object.fromEntries(ROLES.map((role) => [role, { email: `${role}@example.com`, password: PASSWORD }]));
  const clock = Date.now();
  const serve = async (at, url) => {
    const desk = await new Desk(at, { people, base: SEEN_AS, clock, processes: 1, ...(url === null && { url }) }).start();
    defer(t, () => desk.stop());
    return desk;
  };
  const first = await serve(dir, null);
  const sessions = await sessionsOf(first, ['owner', 'agent', 'customer']), { paths } = await addressesOf(first, sessions.owner, 3);
  await first.restart();
  const before = await answersOf(first, sessions, paths);
  await first.stop();

  done('export', '--data', dir, '--to', join(place, 'one'));
  done('import', ...store(withKeyOf(dir, there)), '--from', join(place, 'one'));
  const second = await serve(there);
  sameAnswers(before, await answersOf(second, sessions, paths), 300);
  const team = await second.owner.create('/teams', { title: 'Made on PostgreSQL' });
  await second.restart();
  const between = await answersOf(second, sessions, paths);
  await second.stop();

  done('export', ...store(there), '--to', join(place, 'two'));
  done('import', '--data', withKeyOf(dir, back), '--from', join(place, 'two'));
  assert.equal(done('check', '--data', back), `deskd: found no defects in ${back}\n`);
  const third = await serve(back, null);
  sameAnswers(between, await answersOf(third, sessions, paths), 300);
  assert.ok((await third.owner.create('/teams', { title: 'Next' })).id > team.id, 'ids go on after the highest');
  await third.stop();
});

test('a killed import leaves a store that nothing serves, and the next import begins anew', { timeout: 300_000 }, async (t) => {
  const place = directory(), dir = join(place, 'desk'), to = join(place, 'to'), library = join(place, 'bind.so');
  for (const folder of [dir, to]) mkdirSync(folder);
  writeFileSync(join(place, 'password'), `${PASSWORD}\n`);
  done('demo', '--data', dir, '--conversations', '200', '--password-file', join(place, 'password'));
  done('export', '--data', dir, '--to', join(place, 'export'));
  withKeyOf(dir, to);
  const built = spawnSync('cc', ['-shared', '-fPIC', '-D_GNU_SOURCE', '-o', library, fileURLToPath(new URL('../fault/bind.c', import.meta.url))], { encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);
  const killed = spawnSync(BINARY, ['import', '--data', to, '--from', join(place, 'export')], { encoding: 'utf8', env: { ...process.env, LD_PRELOAD: library, DESKD_BIND: 'kill 2000' } });
  assert.equal(killed.signal, 'SIGKILL');
  const refusal = deskd('serve', '--data', to, '--listen', '127.0.0.1:0');
  assert.equal(refusal.status, 1);
  assert.match(refusal.stderr, /a move or an import into this store was interrupted: run it again/);
  done('import', '--data', to, '--from', join(place, 'export'));
  assert.equal(done('check', '--data', to), `deskd: found no defects in ${to}\n`);
});

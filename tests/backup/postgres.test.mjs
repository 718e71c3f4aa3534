// A base backup and the log of PostgreSQL restore a desk. Folders and commands are those of docs/OPERATIONS.md, "Base backups of PostgreSQL".
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { Desk, PASSWORD, defer, deskd, directory, until } from '../api/lib/index.mjs';
import { forgetProcesses } from '../api/lib/stores.mjs';
import { Cluster, init, own, psql } from '../postgres/cluster.mjs';
import { blocks, folder, shell } from './commands.mjs';
import { lost, writing } from './writing.mjs';

const STATED = 5; // seconds that docs/OPERATIONS.md promises, on a machine that does not stand still meanwhile
const UNDER = process.getuid() === 0 ? ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--init-groups', '--'] : []; // a signal to it reaches the command

test('a desk in PostgreSQL is restored from a base backup and the log after the loss of its server', { timeout: 300_000 }, async (t) => {
  const primary = new Cluster(t, { settings: { fsync: 'off' } }).start(), dir = directory();
  psql(primary.url('postgres'), 'CREATE DATABASE desk');
  assert.equal(init(primary.url('desk'), dir).status, 0);
  const place = new Cluster(t, { empty: true }), backup = folder(place.place, 'backup');
  own(backup);
  const [receive, base, restore] = blocks('Base backups of PostgreSQL', [['postgres://backup@db.example.com/', primary.url('postgres')], ['/backup', backup], ['/var/lib/postgresql/restored', place.data]]);
  const commands = shell(Object.fromEntries(['pg_receivewal', 'pg_basebackup', 'pg_verifybackup'].map((name) => [name, join(process.env.PGBIN, name)])), UNDER);
  await commands.run(receive.split('\n').slice(0, -2).join('\n'));
  const receiver = commands.start(receive.trim().split('\n').at(-1));
  defer(t, async () => { receiver.child.kill('SIGKILL'); await receiver.gone; });
  const desk = new Desk(dir, { url: primary.url('desk'), people: { owner: { email: 'owner@example.com', password: PASSWORD } } });
  defer(t, () => desk.stop());
  await desk.start();

  const writes = await writing(desk, 'backed up');
  await writes.reach(100);
  await commands.run(base);
  const before = writes.acknowledged.length;
  await writes.reach(before + 300);
  const rate = writes.rate();
  primary.signal('SIGKILL');
  const at = performance.now();
  primary.running = false;
  desk.child.kill('SIGKILL'); // the store can't be told of it
  await desk.ended();
  await writes.ended;
  receiver.child.kill('SIGTERM');
  await receiver.gone;

  await commands.run(restore);
  place.start();
  await until('the end of the recovery', () => psql(place.url('postgres'), 'SELECT pg_is_in_recovery()') === 'f');
  const stored = new Set(psql(place.url('desk'), 'SELECT title FROM teams').split('\n')), { count, seconds } = lost(writes.acknowledged, stored, at);
  t.diagnostic(`${rate} writes a second; ${before} before the end of the base backup; lost: ${count} of ${writes.acknowledged.length} writes, the last ${seconds.toFixed(2)} s`);
  assert.ok(seconds <= STATED + writes.stood, `the copy lacks the writes of ${seconds} s`);
  const checked = deskd('check', '--data', dir, '--database', place.url('desk'));
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
  forgetProcesses(place.url('desk'));
  const again = new Desk(dir, { url: place.url('desk'), people: desk.people });
  defer(t, () => again.stop());
  await again.start();
  (await again.owner.post('/teams', { title: 'After the restore' })).must(201);
});

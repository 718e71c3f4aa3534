// Litestream copies the store of a running desk. Folder, commands and seconds are those of docs/OPERATIONS.md, "Continuous copies".
import assert from 'node:assert/strict';
import { copyFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import { Desk, defer, deskd, directory, open, until } from '../api/lib/index.mjs';
import { blocks, folder, shell } from './commands.mjs';
import { lost, writing } from './writing.mjs';

const STATED = 5; // seconds that docs/OPERATIONS.md promises, on a machine that does not stand still meanwhile
const require = createRequire(import.meta.url);
const PROGRAM = join(dirname(require.resolve(`@flydotio/litestream-${process.platform}-${process.arch}/package.json`)), 'litestream');

const copies = (running) => until('a part of the log in the copy', () => running.log().includes('wal segment written'));

/** A desk that Litestream copies, and the commands of the manual for its folders. */
async function copied(t) {
  const desk = await open(t), place = directory(), to = join(place, 'deskd.new'), replica = join(place, 'litestream'), safe = folder(place, 'safe');
  const config = join(place, 'litestream.yml');
  const [file, replicate, restore] = blocks('Continuous copies', [['/etc/litestream.yml', config], ['/var/lib/deskd.new', to], ['/var/lib/deskd', desk.dir], ['/backup/litestream', replica], ['/safe', safe]]);
  writeFileSync(config, file);
  copyFileSync(join(desk.dir, 'secret.key'), join(safe, 'secret.key'));
  const commands = shell({ litestream: PROGRAM });
  const start = async () => {
    const running = commands.start(replicate);
    defer(t, async () => { running.child.kill('SIGKILL'); await running.gone; });
    await until('Litestream to begin', () => running.log().includes('replicating to'));
    return running;
  };
  return { desk, to, replica, restore, commands, start };
}

const titles = (dir) => new Set(new Desk(dir, { url: null }).sql('SELECT title FROM teams').split('\n'));

test('a desk is restored from the copy after the loss of its machine', { timeout: 300_000 }, async (t) => {
  const { desk, to, restore, commands, start } = await copied(t);
  const running = await start(), writes = await writing(desk, 'copied');
  await copies(running);
  await rest(4000);
  const largest = statSync(join(desk.dir, 'desk.db-wal')).size, rate = writes.rate();
  running.child.kill('SIGKILL');
  const at = performance.now();
  await Promise.all([desk.kill(), running.gone]);
  await writes.ended;
  await commands.run(restore);
  const stored = titles(to), { count, seconds } = lost(writes.acknowledged, stored, at);
  t.diagnostic(`${rate} writes a second, log of ${(largest / 2 ** 20).toFixed(1)} MiB; lost: ${count} of ${writes.acknowledged.length} writes, the last ${seconds.toFixed(2)} s`);
  assert.ok(stored.size > 10, `${stored.size} writes are restored`); // 2,000 on two idle cores
  assert.ok(seconds <= STATED + writes.stood, `the copy lacks the writes of ${seconds} s`);
  assert.equal(deskd('check', '--data', to).status, 0);
  const again = new Desk(to, { people: desk.people, url: null });
  defer(t, () => again.stop());
  await again.start();
  (await again.owner.post('/teams', { title: 'After the restore' })).must(201);
});

test('desk and Litestream start and stop beside each other, and the copy has all writes', { timeout: 300_000 }, async (t) => {
  const { desk, to, restore, commands, start } = await copied(t);
  const began = [];
  for (const title of ['First', 'Second']) {
    const running = await start();
    await desk.owner.create('/teams', { title });
    await copies(running);
    began.push(performance.now());
    await desk.restart();
    began.push(performance.now());
    assert.match(desk.log, /the log stays for the next start/, 'Litestream reads the log for as long as it runs');
    await desk.owner.create('/teams', { title: `${title} after a restart` });
    running.child.kill('SIGTERM'); // it copies the rest
    assert.deepEqual(await running.gone, { code: 0, signal: null }, running.log());
  }
  t.diagnostic(`restarts beside Litestream: ${Math.round(began[1] - began[0])} and ${Math.round(began[3] - began[2])} ms`);
  await desk.kill();
  await commands.run(restore);
  assert.deepEqual([...titles(to)].filter(Boolean).sort(), ['First', 'First after a restart', 'Second', 'Second after a restart']);
});

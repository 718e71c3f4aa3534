import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { File, defer, directory, multipart, open, raw, until } from '../api/lib/index.mjs';
import { shim } from './shim.mjs';

/** Fills the file system of a file completely. */
function fill(file) {
  const fd = openSync(file, 'w');
  for (let size = 1 << 20; size >= 1; size >>= 1) {
    const block = Buffer.alloc(size);
    for (;;) {
      try {
        if (writeSync(fd, block) < size) break;
      } catch {
        break;
      }
    }
  }
  closeSync(fd);
}

const write = (desk, i) => desk.owner.post('/teams', { title: `Team ${i} ${'x'.repeat(200)}` });

/** A desk on a file system of 16 MiB, and a file to fill it with. Null if mount is not permitted: the test is then skipped. */
async function onSmallDisk(t) {
  const disk = directory();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]);
  if (mounted.status !== 0) {
    t.skip('mount is not permitted here');
    return null;
  }
  defer(t, () => assert.equal(spawnSync('umount', [disk]).status, 0, 'umount'));
  return { desk: await open(t, { dir: join(disk, 'data') }), filler: join(disk, 'filler') };
}

/** The behaviour while the store can't be written, and after it can again. */
async function sickAndWell(desk, makeSick, makeWell) {
  const { id } = await desk.owner.create('/teams', { title: 'Before' });
  const kept = new Map([[id, 'Before']]);
  desk.expects5xx = true;
  makeSick();
  let refused = 0;
  for (let i = 0; refused < 5; i++) {
    assert.ok(i < 20_000, 'the store never failed');
    const reply = await write(desk, i);
    if (reply.status === 201) kept.set(reply.data.id, reply.data.title);
    else { reply.refused(503, 'SERVICE_UNAVAILABLE'); refused++; }
  }
  for (let i = 0; i < 20; i++) {
    assert.equal((await desk.owner.get(`/teams/${id}`)).must(200).data.title, 'Before');
    (await desk.owner.get('/teams')).must(200);
    (await desk.anyone.get('/session')).must(200);
  }
  const while503 = (await desk.owner.get('/teams', { limit: 1 })).must(200).body.total_count;
  assert.equal(while503, kept.size, 'no refused write is stored');
  assert.match(desk.log, /error store: writes are refused until one succeeds again; the last one failed: /);
  makeWell();
  await until('writes to work again without a restart', async () => {
    const reply = await write(desk, 'after');
    if (reply.status !== 201) reply.must(503);
    else kept.set(reply.data.id, reply.data.title);
    return reply.status === 201;
  });
  desk.expects5xx = false;
  for (let i = 0; i < 20; i++) { const { data } = (await write(desk, `well ${i}`)).must(201); kept.set(data.id, data.title); }
  await desk.restart();
  for (const [key, title] of kept) assert.equal((await desk.owner.fetch(`/teams/${key}`)).title, title);
  assert.equal((await desk.owner.get('/teams', { limit: 1 })).body.total_count, kept.size);
  await desk.stop();
  const { status, stdout, stderr } = desk.check();
  assert.equal(status, 0, `deskd check: ${stdout}${stderr}`);
}

test('a full disk: writes are 503, reads work, and freed space ends it without a restart', { timeout: 300_000 }, async (t) => {
  const small = await onSmallDisk(t);
  if (small === null) return;
  const { desk, filler } = small;
  await sickAndWell(desk, () => fill(filler), () => rmSync(filler));
});

const FAULTS = { sync: 'fails to sync', write: 'fails to write', full: 'refuses longer files' };

for (const [fault, words] of Object.entries(FAULTS)) {
  test(`a disk that ${words}: writes are 503, reads work, and it recovers without a restart`, { timeout: 300_000 }, async (t) => {
    const preload = shim('eio');
    if (!preload) return t.skip('eio.so is not built and there is no compiler');
    const sick = join(directory(), 'sick');
    const dir = directory();
    const desk = await open(t, { dir, env: { LD_PRELOAD: preload, DESKD_FAULT: sick, DESKD_FAULT_UNDER: dir } });
    await sickAndWell(desk, () => writeFileSync(sick, fault), () => rmSync(sick));
  });
}

const attach = (desk, id, data) => desk.customer.post(`/conversations/${id}/messages`, multipart({ contents: 'see', f: new File('f', 'text/plain', data) }));

test('a full disk refuses messages with files with 503, stores nothing of them, and recovers', { timeout: 300_000 }, async (t) => {
  const small = await onSmallDisk(t);
  if (small === null) return;
  const { desk, filler } = small;
  const { id } = await desk.customer.create('/conversations', { subject: 'S', contents: 'C' });
  const kept = (await attach(desk, id, randomBytes(500_000))).must(201).data;
  desk.expects5xx = true;
  fill(filler);
  for (const size of [10, 100_000, 2_000_000]) (await attach(desk, id, randomBytes(size))).refused(503, 'SERVICE_UNAVAILABLE');
  (await desk.customer.post('/conversations', multipart({ subject: 'S', f: new File('f', 'text/plain', randomBytes(100_000)) }))).refused(503, 'SERVICE_UNAVAILABLE');
  (await desk.customer.post('/files', raw('text/plain', randomBytes(100_000)))).refused(503, 'SERVICE_UNAVAILABLE');
  assert.deepEqual((await desk.customer.get(`/conversations/${id}/messages`)).must(200).ids.length, 2);
  assert.equal((await desk.customer.exchange('GET', kept.attachments[0].url_download.slice(desk.base.length))).must(200).bytes.length, 500_000);
  rmSync(filler);
  await until('writes to work again without a restart', async () => (await attach(desk, id, randomBytes(100_000))).status === 201);
  desk.expects5xx = false;
  await until('no temporary file', () => readdirSync(join(desk.dir, 'files', 'tmp')).length === 0);
  await desk.stop();
  const { status, stdout, stderr } = desk.check();
  assert.equal(status, 0, `deskd check: ${stdout}${stderr}`);
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, directory, open, raw, until } from '../api/lib/index.mjs';

// A committed row has its content: whatever is killed, and however little the kernel has written by itself.

const CLIENTS = 16;
const get = (who, id) => who.exchange('GET', `/api/v1/files/${id}/content`);

test('every acknowledged upload outlives SIGKILL, and what was under way leaves nothing wrong', { timeout: 120_000 }, async (t) => {
  const desk = await open(t);
  const acknowledged = new Map();
  for (const enough of [20, 60, 150]) {
    let killed;
    const upload = async () => {
      while (!killed) {
        const data = randomBytes(20_000);
        try {
          acknowledged.set((await desk.customer.post('/files', raw('text/plain', data))).must(201).data.id, data);
        } catch (error) {
          if (!killed) throw error;
        }
        if (acknowledged.size >= enough) killed ??= desk.kill();
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, upload));
    await killed;
    const { status, stdout, stderr } = desk.check();
    assert.equal(status, 0, `deskd check: ${stdout}${stderr}`);
    await desk.start();
    const customer = new Client(desk, desk.customer.headers);
    for (const [id, data] of acknowledged) assert.deepEqual((await get(customer, id)).must(200).bytes, data);
  }
});

const available = spawnSync('strace', ['-f', '-e', 'trace=write', 'true']).status === 0;
const skip = available ? false : 'strace is not permitted here';

test('a content is synced, linked and its folder synced before its row is written, and the reply leaves after all', { skip, timeout: 60_000 }, async (t) => {
  const file = join(directory(), 'trace');
  const calls = 'fsync,fdatasync,link,linkat,write,writev,sendto,sendmsg,pwrite64';
  const desk = await open(t, { processes: 1, under: ['strace', '-D', '-f', '-y', '-s', '64', '-o', file, '-e', `trace=${calls}`] });
  await desk.customer.get('/profile'); // login and session are made
  for (let i = 0; i < 5; i++) (await desk.customer.post('/files', raw('text/plain', randomBytes(1000)))).must(201);
  const { pid } = desk.child;
  await desk.stop();
  await until('the end of the trace', () => new RegExp(`^${pid} .*\\+\\+\\+ exited`, 'm').test(readFileSync(file, 'latin1')));
  const lines = readFileSync(file, 'latin1').split('\n');
  let from = 0;
  for (let i = 0; i < 5; i++) {
    const after = (what, pattern) => {
      const at = lines.findIndex((line, n) => n > from && pattern.test(line));
      assert.ok(at > 0, `upload ${i}: no ${what} after line ${from}`);
      from = at;
    };
    after('fsync of the upload', /fsync\(\d+<[^>]*\/files\/tmp\/upload-/);
    after('link', /link(at)?\(.*\/files\/tmp\/upload-.*\/files\/[0-9a-f]{2}\//);
    after('fsync of the folder', /fsync\(\d+<[^>]*\/files\/[0-9a-f]{2}>/);
    after('fsync of the folder above', /fsync\(\d+<[^>]*\/files>/);
    after('write to the log', /pwrite64\(\d+<[^>]*-wal>/);
    after('fdatasync of the log', /f(data)?sync\(\d+<[^>]*-wal>/);
    after('reply', /"HTTP\/1\.1 201/);
  }
});

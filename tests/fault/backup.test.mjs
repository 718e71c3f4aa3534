import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BINARY, directory, open, raw } from '../api/lib/index.mjs';
import { shim } from './shim.mjs';

test('a backup works on a file system without RENAME_NOREPLACE and replaces no file', { timeout: 300_000 }, async (t) => {
  const preload = shim('eio');
  if (!preload) return t.skip('eio.so is not built and there is no compiler');
  const desk = await open(t);
  (await desk.customer.post('/files', raw('text/plain', 'hello'))).must(201);
  const fault = join(directory(), 'fault'), place = directory(), to = join(place, 'desk.db');
  writeFileSync(fault, 'rename');
  const env = { ...process.env, LD_PRELOAD: preload, DESKD_FAULT: fault };
  const backup = () => spawnSync(BINARY, ['backup', '--data', desk.dir, '--to', to], { encoding: 'utf8', env });
  const { status, stderr } = backup();
  assert.equal(status, 0, stderr);
  assert.deepEqual(readdirSync(place).sort(), ['desk.db', 'desk.db.files']);
  const kept = readFileSync(to);
  const again = backup();
  assert.equal(again.status, 1);
  assert.match(again.stderr, /desk\.db exists already: name a new file/);
  assert.ok(kept.equals(readFileSync(to)));
});

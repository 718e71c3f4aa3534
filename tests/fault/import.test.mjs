// deskd import from files that a disk does not give whole (src/transfer/foreign_read.c, api_fetch.c).
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PASSWORD, demo, directory } from '../api/lib/index.mjs';
import { OWNER, importFrom, proxy, run, target } from '../api/lib/source.mjs';
import { passwordFile, store } from '../api/lib/stores.mjs';
import { shim } from './shim.mjs';

const SHIM = shim('eio');
/** The environment of a process that can read the first line of a file in the folder, and no other one. */
function failing(folder) {
  const fault = join(directory(), 'fault');
  writeFileSync(fault, 'line\n');
  return { LD_PRELOAD: SHIM, DESKD_FAULT: fault, DESKD_FAULT_UNDER: folder };
}

test('an import of a file that can be read no more ends with the reason, and imports nothing', { skip: !SHIM }, async (t) => {
  const from = join(directory(), 'zendesk'), dir = target(t);
  cpSync(fileURLToPath(new URL('../transfer/zendesk', import.meta.url)), from, { recursive: true });
  const into = (env) => run([...store(dir), '--from-zendesk', from, '--owner-email', OWNER, '--password-file', passwordFile()], { env });
  const { status, said, errors } = await into(failing(from));
  assert.equal(status, 1, said);
  assert.match(errors, /^deskd: nothing was imported into .*: \S+\/zendesk\/users\.ndjson can't be read: Input\/output error\n$/);
  assert.equal((await into({})).status, 0);
});

test('an import from another server ends if the people of its copy can not be read', { skip: !SHIM }, async (t) => {
  const source = await demo(t, { conversations: 1 }), copy = join(directory(), 'copy'), { base } = await proxy(t, source, () => null);
  const env = { ...failing(copy), DESKD_API_CREDENTIALS: `${OWNER}:${PASSWORD}` };
  const { status, said, errors } = await importFrom(target(t), base, copy, source.clock.file, [], { env });
  assert.equal(status, 1, said);
  assert.match(errors, /^deskd: nothing was imported into .*\/copy\/users\.ndjson can't be read\n$/);
});

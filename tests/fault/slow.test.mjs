import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { directory, open, raw } from '../api/lib/index.mjs';
import { shim } from './shim.mjs';

const reruns = async (desk) => Number(/^deskd_reruns_total (\d+)$/m.exec((await desk.anyone.exchange('GET', '/metrics')).text)[1]);

// A thread that waits for CPU on a busy machine spends the budget of an event loop without working.
test('a busy machine makes requests slower, and none is refused', { timeout: 300_000 }, async (t) => {
  const preload = shim('slow');
  if (!preload) return t.skip('slow.so is not built and there is no compiler');
  const busy = join(directory(), 'busy');
  const desk = await open(t, { env: { LD_PRELOAD: preload, DESKD_FAULT: busy } });
  (await desk.customer.get('/profile')).must(200); // logs in and creates the session
  const before = await reruns(desk);
  writeFileSync(busy, '');
  (await desk.customer.post('/files', raw('text/plain', 'hello'))).must(201);
  (await desk.customer.put('/profile', { designation: 'Busy' })).must(200);
  (await desk.customer.get('/profile')).must(200);
  assert.ok(await reruns(desk) >= before + 3, 'no request exceeded its budget, so this test proves nothing');
  rmSync(busy);
});

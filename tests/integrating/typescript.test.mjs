import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runExamples } from '../api/lib/index.mjs';
import { MISSING, pretend, reader } from './reader.mjs';

test('the client in TypeScript of the guide to integrations compiles strictly and works on the demo desk', { skip: MISSING.length > 0 && `missing: ${MISSING}` }, async (t) => {
  const { folder, env, found } = await reader(t);
  symlinkSync(fileURLToPath(new URL('../linters/node_modules', import.meta.url)), join(folder, 'node_modules'));
  const wanted = found.filter(({ section }) => ['start-a-desk', 'make-an-api-token', 'a-client-in-typescript'].includes(section));
  assert.ok(wanted.at(-1).files['client.ts']);
  await runExamples(wanted, folder, pretend({ folder, env }, 'npm', 'exit 0'), '/docs/integrating');
});

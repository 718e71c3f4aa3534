import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runExamples } from '../api/lib/index.mjs';
import { MISSING, reader } from './reader.mjs';

// docs/INTEGRATING.md as a reader finds it at /docs. typescript.test.mjs runs the section that needs packages of npm.

test('every block of shell, Python and Node of the guide to integrations works on the demo desk', { skip: MISSING.length > 0 && `missing: ${MISSING}` }, async (t) => {
  const { folder, env, found } = await reader(t);
  const plain = found.filter(({ section }) => section !== 'a-client-in-typescript');
  assert.ok(plain.length < found.length && plain.length > 20);
  await runExamples(plain, folder, env, '/docs/integrating');
});

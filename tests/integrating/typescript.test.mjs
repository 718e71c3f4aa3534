import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open, runExamples } from '../api/lib/index.mjs';
import { calls } from './calls.mjs';
import { MISSING, pretend, reader } from './reader.mjs';

const SKIP = { skip: MISSING.length > 0 && `missing: ${MISSING}` };
const link = (folder) => symlinkSync(fileURLToPath(new URL('../linters/node_modules', import.meta.url)), join(folder, 'node_modules'));

test('the client in TypeScript of the guide to integrations compiles strictly and works on the demo desk', SKIP, async (t) => {
  const { folder, env, found } = await reader(t);
  link(folder);
  const wanted = found.filter(({ section }) => ['start-a-desk', 'make-an-api-token', 'a-client-in-typescript'].includes(section));
  assert.ok(wanted.at(-1).files['client.ts']);
  await runExamples(wanted, folder, pretend({ folder, env }, 'npm', 'exit 0'), '/docs/integrating');
});

test('each list in a request has the type of its items', async (t) => {
  const doc = (await (await open(t)).anyone.exchange('GET', '/openapi.json')).must(200).body, without = [];
  const walk = (at, path) => {
    if (at === null || typeof at !== 'object') return;
    if ([at.type].flat().includes('array') && !(at.items?.type || at.items?.anyOf || at.items?.enum)) without.push(path);
    for (const [name, next] of Object.entries(at)) walk(next, `${path}/${name}`);
  };
  for (const [name, schema] of Object.entries(doc.components.schemas)) if (name.endsWith('_request')) walk(schema, name);
  assert.deepEqual(without, []);
});

test('the client of the guide takes the mandatory members of each write, and all of them', SKIP, async (t) => {
  const { desk, folder, env, found } = await reader(t);
  const doc = (await desk.anyone.exchange('GET', '/openapi.json')).must(200).body;
  link(folder);
  const { command } = found.find(({ section, files }) => section === 'a-client-in-typescript' && files['client.ts']);
  const creates = calls(doc, 'post'), changes = calls(doc, 'put');
  assert.ok(creates.count >= 100 && changes.count >= 100, `${creates.count} calls of POST, ${changes.count} of PUT`);
  // The guide's own commands, up to the compiler, for these programs in place of its own.
  const compiled = command.split('\n').filter((line) => !/^(export|node) /.test(line)).join('\n').replaceAll('client.ts', 'creates.ts changes.ts');
  assert.match(compiled, /npx openapi-typescript .*\nnpx tsc --strict .* creates\.ts changes\.ts$/s);
  const files = { 'creates.ts': creates.text, 'changes.ts': changes.text };
  await runExamples([{ command: compiled, files }], folder, pretend({ folder, env }, 'npm', 'exit 0'), '/docs/integrating');
});

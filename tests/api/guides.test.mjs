import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BINARY, PASSWORD, demo, directory, examples, runExamples } from './lib/index.mjs';

// Runs every example of the guides on the demo desk, as a reader finds it at /docs, and checks the output that the guide shows.
// tests/integrating runs those of "Integrating".

const CURL = spawnSync('curl', ['--version']).status === 0;

test('every example of the guides prints on the demo desk what the guide shows', { skip: !CURL && 'curl is not installed' }, async (t) => {
  const desk = await demo(t, { conversations: 30 });
  const folder = directory();
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(desk.dir, 'demo-password'), `${PASSWORD}\n`);
  symlinkSync(desk.dir, join(folder, 'data'));
  symlinkSync(BINARY, join(folder, 'deskd'));
  const totp = fileURLToPath(new URL('./lib/oathtool.mjs', import.meta.url));
  writeFileSync(join(folder, 'bin/oathtool'), `#!/bin/sh\nexec ${process.execPath} ${totp} "$3" ${await desk.time()}\n`);
  chmodSync(join(folder, 'bin/oathtool'), 0o755);
  const { text } = (await desk.anyone.exchange('GET', '/docs')).must(200);
  const guides = new Set([...text.matchAll(/href="(\/docs\/[a-z-]+)"/g)].map(([, path]) => path).filter((path) => !/\/(reference|errors|operations)$/.test(path)));
  assert.ok(guides.size >= 13, [...guides].join());
  for (const path of guides) {
    const html = (await desk.anyone.exchange('GET', path)).must(200).text;
    assert.doesNotMatch(html.replace(/<pre[^]*?<\/pre>/g, ''), /\{[A-Z_]+\}|<p>@/, `${path} names an unknown limit or table`);
    assert.ok(!html.includes('{base_url}'), path);
    const found = examples(html);
    assert.ok(found.length || path === '/docs/console', `${path} has no example`); // the console is no program
    if (path !== '/docs/integrating') await runExamples(found, folder, { PATH: `${join(folder, 'bin')}:${process.env.PATH}` }, path);
  }
});

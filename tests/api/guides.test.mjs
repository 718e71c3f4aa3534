import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PASSWORD, demo, directory } from './lib/index.mjs';

// Runs every example of the guides on the demo desk, as a reader finds it at /docs, and checks the output that the guide shows.

const CURL = spawnSync('curl', ['--version']).status === 0;
const MARK = '-- end of example';
const unescaped = (html) => html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name]);

/** The examples of a page: [{command, out}]. */
function examples(html) {
  const found = [];
  for (const [, kind, text] of html.matchAll(/<pre tabindex="0" class="(sh|out)"><code>([^]*?)<\/code><\/pre>/g)) {
    if (kind === 'sh') found.push({ command: unescaped(text) });
    else found.at(-1).out = unescaped(text);
  }
  return found;
}

/** Runs the commands in one shell. Returns the output of each. */
async function run(commands, folder, env) {
  const script = join(folder, 'guide.sh');
  writeFileSync(script, ['set -eu', ...commands.flatMap((command) => [command, `echo; echo '${MARK}'`])].join('\n'));
  const { stdout, stderr } = await new Promise((resolve) => {
    execFile('sh', [script], { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 1 << 26 }, (error, out, err) => resolve({ stdout: out, stderr: err }));
  });
  const printed = stdout.split(MARK);
  assert.equal(printed.length - 1, commands.length, `the shell stopped: ${stderr}\n${stdout.slice(-1000)}`);
  return printed;
}

/** Checks that each line of `out` matches a printed line, in order. `...` matches anything. */
function expect(printed, out, command) {
  const lines = printed.split(/(?<=\})(?=[{A-Z\d])|\r?\n/);
  let at = 0;
  for (const wanted of out.split('\n').filter(Boolean)) {
    const pattern = new RegExp(`^${wanted.split('...').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')}$`);
    const next = lines.findIndex((line, i) => i >= at && pattern.test(line));
    assert.ok(next >= 0, `${command}\nprints no line ${wanted}\nbut\n${printed.slice(0, 3000)}`);
    at = next + 1;
  }
}

test('every example of the guides prints on the demo desk what the guide shows', { skip: !CURL && 'curl is not installed' }, async (t) => {
  const desk = await demo(t, { conversations: 30 });
  const folder = directory();
  mkdirSync(join(folder, 'data'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'data/demo-password'), `${PASSWORD}\n`);
  const totp = fileURLToPath(new URL('./lib/oathtool.mjs', import.meta.url));
  writeFileSync(join(folder, 'bin/oathtool'), `#!/bin/sh\nexec ${process.execPath} ${totp} "$3" ${await desk.time()}\n`);
  chmodSync(join(folder, 'bin/oathtool'), 0o755);
  const { text } = (await desk.anyone.exchange('GET', '/docs')).must(200);
  const guides = new Set([...text.matchAll(/href="(\/docs\/[a-z-]+)"/g)].map(([, path]) => path).filter((path) => !/\/(reference|errors|search)$/.test(path)));
  assert.ok(guides.size >= 10, [...guides].join());
  for (const path of guides) {
    const html = (await desk.anyone.exchange('GET', path)).must(200).text;
    assert.doesNotMatch(html, /\{[A-Z_]+\}|\{base_url\}|<p>@/, `${path} names an unknown limit or table`);
    const found = examples(html);
    assert.ok(found.length, `${path} has no example`);
    const printed = await run(found.map(({ command }) => command), folder, { PATH: `${join(folder, 'bin')}:${process.env.PATH}` });
    found.forEach(({ command, out }, i) => {
      if (out) expect(printed[i], out, `${path}: ${command}`);
      else assert.doesNotMatch(printed[i], /"errors":/, `${path}: ${command}`);
    });
  }
});

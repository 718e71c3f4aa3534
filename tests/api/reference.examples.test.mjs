import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, demo, directory, unescaped } from './lib/index.mjs';
import { png } from './lib/picture.mjs';

// Runs every command of the reference on a new demo desk, in the order of the pages, in one shell.

const CURL = spawnSync('curl', ['--version']).status === 0;
const codes = (html) => [...html.matchAll(/<pre tabindex="0"><code>([^]*?)<\/code><\/pre>/g)].map(([, code]) => unescaped(code));

/** curl with the status of each reply in a file, and its first error. */
const LOGGED = `
curl() {
  command curl -sS -o body -w '%{http_code}' "$@" >status
  printf '%s %s\\n' "$(cat status)" "$(head -c 600 body | tr '\\n' ' ')" >>said
  cat body
}
`;

test('every command of the reference succeeds on a new demo desk, or is refused as the page says', { skip: !CURL && 'curl is not installed' }, async (t) => {
  const desk = await demo(t, { conversations: 200 });
  const folder = directory();
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/demo-password'), `${PASSWORD}\n`);
  writeFileSync(join(folder, 'report.pdf'), '%PDF-1.4');
  writeFileSync(join(folder, 'picture.png'), png(8, 8));
  const page = async (path) => (await desk.anyone.exchange('GET', path)).must(200).text;
  const chapters = new Set([...(await page('/docs')).matchAll(/href="(\/docs\/reference\/[a-z_]+)"/g)].map(([, path]) => path));
  const prepare = codes((await page('/docs/reference')).split('id="examples"')[1])[0];
  const script = [LOGGED, prepare], operations = [];
  for (const path of chapters) {
    for (const [, anchor, article] of (await page(path)).matchAll(/<article id="([^"]+)">([^]*?)<\/article>/g)) {
      const command = codes(article)[0];
      const status = Number(/<dt>Answers<\/dt><dd>(\d+)/.exec(article)[1]), refused = /<p class="refused">[^]*?<code>(\w+)<\/code>/.exec(article)?.[1];
      operations.push({ at: `${path}#${anchor}`, command, status, refused });
      script.push(`: >said`, command, `cat said >>'${operations.length}.said'`);
    }
  }
  assert.ok(operations.length > 450, `${operations.length}`);
  writeFileSync(join(folder, 'all.sh'), script.join('\n'));
  const { stderr } = spawnSync('sh', ['all.sh'], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  const wrong = [];
  operations.forEach(({ at, command, status, refused }, i) => {
    const said = readFileSync(join(folder, `${i + 1}.said`), 'utf8').trim().split('\n');
    const last = said.pop();
    const right = refused ? /^4/.test(last) && last.includes(`"${refused}"`) : Number(last.slice(0, 3)) === status;
    if (!right || said.some((line) => !/^2/.test(line))) wrong.push(`${at}\n${command}\n${[...said, last].join('\n')}`);
  });
  assert.equal(wrong.length, 0, `${wrong.join('\n\n')}\n${stderr.slice(-2000)}`);
});

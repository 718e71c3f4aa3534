import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MARK = '-- end of example';
export const unescaped = (html) => html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name]);

/**
 * The examples of a page of guides: [{section, command, out, files}]. files: {name: text} that the page has before the command. A file begins
 * with a comment that is its name.
 */
export function examples(html) {
  const found = [];
  let section = '', files = {};
  for (const [, heading, kind, text] of html.matchAll(/<h2 id="([^"]*)">|<pre tabindex="0" class="(\w+)"><code>([^]*?)<\/code><\/pre>/g)) {
    if (heading) {
      section = heading;
    } else if (kind === 'sh') {
      found.push({ section, command: unescaped(text), files });
      files = {};
    } else if (kind === 'out') {
      found.at(-1).out = unescaped(text);
    } else if (kind !== 'text') {
      const [, name] = /^(?:#|\/\/) ([\w.-]+)\n/.exec(unescaped(text)) ?? assert.fail(`a block does not begin with the name of its file: ${text}`);
      files[name] = `${unescaped(text)}\n`;
    }
  }
  assert.deepEqual(files, {}, 'no command uses the last files');
  return found;
}

const HANGS = 240_000; // milliseconds. An example that waits for a condition may wait for ever

/** Runs a script with sh. Programs that it starts end with it. */
async function shell(script, folder, env) {
  const child = spawn('sh', [script], { cwd: folder, env: { ...process.env, ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => { said[name] += text; });
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      assert.equal(error.code, 'ESRCH');
    }
  };
  const closed = new Promise((resolve) => { child.on('close', resolve); });
  const timer = setTimeout(end, HANGS);
  await new Promise((resolve, reject) => { child.on('error', reject).on('exit', resolve); });
  clearTimeout(timer);
  end();
  await closed;
  return said;
}

/** Runs the examples in one shell, and checks that each prints what the page shows, or else no error of the API. */
export async function runExamples(found, folder, env, page) {
  const script = join(folder, 'guide.sh');
  for (const { files } of found) for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(script, ['set -eu', ...found.flatMap(({ command }) => [command, `echo; echo '${MARK}'`])].join('\n'));
  const { stdout, stderr } = await shell(script, folder, env);
  const printed = stdout.split(MARK);
  found.slice(0, printed.length - 1).forEach(({ command, out }, i) => {
    if (out) expect(printed[i], out, `${page}: ${command}`, stderr);
    else assert.doesNotMatch(printed[i], /"errors":/, `${page}: ${command}`);
  });
  assert.equal(printed.length - 1, found.length, `the shell stopped at ${found[printed.length - 1]?.command}\n${stderr}\n${printed.at(-1)}`);
}

/** Checks that each line of `out` matches a printed line, in order. `...` matches anything. */
function expect(printed, out, command, stderr) {
  const lines = printed.split(/(?<=\})(?=[{A-Z\d])|\r?\n/);
  let at = 0;
  for (const wanted of out.split('\n').filter(Boolean)) {
    const pattern = new RegExp(`^${wanted.split('...').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')}$`);
    const next = lines.findIndex((line, i) => i >= at && pattern.test(line));
    assert.ok(next >= 0, `${command}\nprints no line ${wanted}\nbut\n${printed.slice(0, 3000)}\n${stderr.slice(-3000)}`);
    at = next + 1;
  }
}

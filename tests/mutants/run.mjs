// Makes mutants of the lines that changed since a commit, runs the tests of their area, and prints what was not caught.
//
//     node tests/mutants/run.mjs --since COMMIT [--in PATH,...] [--count 60] [--seed 1] [--goal 90]
//
// A mutant is one change of one line (operators.mjs). It is built in a copy of the tree, where only its file and what is linked are
// built again. It is caught if a test of its area fails (areas.mjs) that passes without it; the first failure ends its tests. A mutant that does not
// compile is replaced by another. The same commit, seed and sources make the same mutants.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { areaOf } from './areas.mjs';
import { mutations } from './operators.mjs';

const { values: given } = parseArgs({ options: {
  since: { type: 'string' }, in: { type: 'string', default: 'src' }, count: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' }, goal: { type: 'string', default: '90' },
} });
const ROOT = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..');
const count = Number(given.count);

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  return { ok: done.status === 0, text: `${done.stdout}${done.stderr}` };
}

/** A generator of numbers from 0 to 1 (mulberry32). */
function numbers(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** {file: [numbers of its changed lines]}. */
function changed() {
  const lines = {};
  if (!given.since) {
    const { text } = run('git', ['ls-files', ...given.in.split(',')], { cwd: ROOT });
    for (const file of text.trim().split('\n').filter((f) => f.endsWith('.c'))) lines[file] = readFileSync(join(ROOT, file), 'utf8').split('\n').map((_, i) => i + 1);
    return lines;
  }
  const diff = run('git', ['diff', '-U0', '-M', given.since, '--', ...given.in.split(',')], { cwd: ROOT });
  assert.ok(diff.ok, diff.text);
  let file;
  for (const line of diff.text.split('\n')) {
    if (line.startsWith('+++ ')) file = line.endsWith('.c') ? line.slice(6) : undefined;
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (file && hunk) for (let i = 0; i < Number(hunk[2] ?? 1); i++) (lines[file] ??= []).push(Number(hunk[1]) + i);
  }
  return lines;
}

/** All mutants, those of one line together, in an order that the seed decides. */
function mutants() {
  const random = numbers(Number(given.seed)), all = [];
  for (const [file, lines] of Object.entries(changed())) {
    const text = readFileSync(join(ROOT, file), 'utf8').split('\n');
    for (const number of lines) {
      const ways = mutations(text[number - 1] ?? '');
      if (ways.length) all.push({ file, number, ...ways[Math.floor(random() * ways.length)], was: text[number - 1], order: random() });
    }
  }
  return all.sort((a, b) => a.order - b.order);
}

const places = mkdtempSync(join(tmpdir(), 'deskd-mutants-'));
process.on('exit', () => rmSync(places, { recursive: true, force: true }));
/** A copy of the tree with what is built: one for mutants, one that stays without. */
function copied(name) {
  const to = join(places, name);
  for (const part of ['Makefile', 'src', 'schema', 'docs', 'tools', 'packaging', 'build', 'deskd', 'bench', 'README.md', 'CHANGELOG.md', '.ci']) {
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(to, part), { recursive: true, preserveTimestamps: true });
  }
  cpSync(join(ROOT, 'tests'), join(to, 'tests'), { recursive: true, preserveTimestamps: true, filter: (from) => !from.includes('node_modules') });
  symlinkSync(join(ROOT, 'tests/node_modules'), join(to, 'tests/node_modules'));
  return to;
}
const mutated = copied('mutated'), sound = copied('sound');

const apiTests = readdirSync(join(ROOT, 'tests/api')).filter((f) => f.endsWith('.test.mjs')).map((f) => f.replace('.test.mjs', ''));
const MINUTE = 60_000, AT_ONCE = 3;
// Warnings are off: a mutant may leave a variable unused.
const make = (copy, ...targets) => run('make', ['WARN=-w', ...targets], { cwd: copy, timeout: 10 * MINUTE });

/** Starts a file of tests, with its daemons in one process group: {failed, stop}. `failed` becomes the name of its first failed test, at once,
 * or undefined at its end. */
function started(copy, file, env = {}) {
  const stores = join(places, copy === sound ? 'stores' : `stores${tried}`); // a store that a mutant made is not copied by tests of another one
  const child = spawn('node', ['--test-reporter=tap', file],
    { cwd: join(copy, 'tests'), detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, DESKD: join(copy, 'deskd'), SHARED_STORES: stores, ...env } });
  const stop = () => { try { process.kill(-child.pid, 'SIGTERM'); } catch { /* it has ended */ } };
  const failed = new Promise((resolve) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more) => {
      text += more;
      const name = /^\s*not ok \d+ - (.*)$/m.exec(text)?.[1];
      if (name) resolve(name);
      text = text.slice(text.lastIndexOf('\n') + 1);
    });
    const timer = setTimeout(() => resolve(`${file} (no end)`), 6 * MINUTE);
    child.on('close', (code) => { clearTimeout(timer); resolve(code === 0 ? undefined : file); });
  });
  return { failed, stop };
}

/** The tests of an area, quick ones first: {name, start(copy)}, where start() gives {failed, stop}. */
function testsOf({ unit, api, http }) {
  const done = (failed) => ({ failed: Promise.resolve(failed), stop: () => {} });
  const units = unit.map((name) => `build/tests/unit/${name}_test`).map((program) => ({
    name: program, start: (copy) => done(make(copy, program).ok && run(join(copy, program), [], { cwd: copy, timeout: 5 * MINUTE }).ok ? undefined : program),
  }));
  const server = 'build/tests/unit/http_server';
  const https = http ? ['framing', 'limits', 'forms'].map((name) => ({
    name: `http/${name}`,
    start: (copy) => (make(copy, server).ok ? started(copy, `http/${name}.test.mjs`, { HTTP_SERVER: join(copy, server) }) : done(server)),
  })) : [];
  return [...units, ...https, ...api.map((name) => ({ name: `api/${name}`, start: (copy) => started(copy, `api/${name}.test.mjs`) }))];
}

/** The first test of an area that fails, and what failed in it. The others are stopped then. */
async function failing(area) {
  const tests = testsOf(area), running = new Set();
  let found;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (!found && tests.length) {
      const test = tests.shift(), { failed, stop } = test.start(mutated);
      running.add(stop);
      const what = await failed;
      stop();
      running.delete(stop);
      if (!what || found) continue;
      found = { test, what };
      for (const end of running) end();
    }
  }));
  return found;
}

let tried = 0;
const known = new Set();
/** A test that fails without a mutant catches nothing: that is an error of the tests, and ends the run. */
async function assertSound(test) {
  if (known.has(test.name)) return;
  known.add(test.name);
  const { failed, stop } = test.start(sound);
  const what = await failed;
  stop();
  assert.equal(what, undefined, `${test.name} fails without a mutant`);
}

for (const copy of [mutated, sound]) {
  const ready = make(copy, 'all');
  assert.ok(ready.ok, ready.text);
}
let caught = 0;
const survivors = [];
for (const { file, number, what, line, was } of mutants()) {
  if (tried === count) break;
  const path = join(mutated, file), original = readFileSync(path, 'utf8');
  const lines = original.split('\n');
  lines[number - 1] = line;
  writeFileSync(path, lines.join('\n'));
  const shown = `${file}:${number}: ${what}: ${was.trim()}  =>  ${line.trim()}`;
  if (make(mutated, 'all').ok) {
    const failed = await failing(areaOf(file, apiTests));
    writeFileSync(path, original);
    if (failed) await assertSound(failed.test);
    rmSync(join(places, `stores${tried}`), { recursive: true, force: true });
    tried += 1;
    if (failed) caught += 1;
    else survivors.push(shown);
    console.log(failed ? `caught    ${shown}\n          by ${failed.what}` : `SURVIVED  ${shown}`);
  } else {
    writeFileSync(path, original);
    console.log(`not built ${shown}`);
  }
}
const share = tried ? Math.floor((100 * caught) / tried) : 100;
console.log(`\ncaught ${caught} of ${tried} mutants: ${share} % (the goal is ${given.goal} %)`);
if (survivors.length) console.log(`\nSurvivors:\n${survivors.join('\n')}`);
process.exitCode = share < Number(given.goal) ? 1 : 0;

// Makes mutants of the lines that changed since a commit, runs the tests of their area, and prints what was not caught.
//
//     node tests/mutants/run.mjs --since COMMIT [--in PATH,...] [--count 60] [--seed 1] [--goal 90]
//
// A mutant is one change of one line (operators.mjs). It is built in a copy of the tree, where only its file and what is linked are
// built again. It is caught if a test of its area fails (areas.mjs) that passes without it. A mutant that does not compile is replaced by another. The same
// commit, seed and sources make the same mutants.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
  return { ok: done.status === 0, text: `${done.stdout}${done.stderr}`, late: done.error?.code === 'ETIMEDOUT' };
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

const copy = mkdtempSync(join(tmpdir(), 'deskd-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const part of ['Makefile', 'src', 'schema', 'docs', 'tools', 'packaging', 'build', 'deskd', 'bench', 'README.md', 'CHANGELOG.md', '.ci']) {
  if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(copy, part), { recursive: true, preserveTimestamps: true });
}
cpSync(join(ROOT, 'tests'), join(copy, 'tests'), { recursive: true, preserveTimestamps: true, filter: (from) => !from.includes('node_modules') });
symlinkSync(join(ROOT, 'tests/node_modules'), join(copy, 'tests/node_modules'));

const apiTests = readdirSync(join(ROOT, 'tests/api')).filter((f) => f.endsWith('.test.mjs')).map((f) => f.replace('.test.mjs', ''));
const MINUTE = 60_000;
// Warnings are off: a mutant may leave a variable unused.
const make = (...targets) => run('make', ['WARN=-w', ...targets], { cwd: copy, timeout: 10 * MINUTE });
const node = (files, env = {}) => run('sh', ['scratch.sh', 'node', '--test', '--test-concurrency=3', ...files],
  { cwd: join(copy, 'tests'), timeout: 20 * MINUTE, env: { ...process.env, DESKD: join(copy, 'deskd'), ...env } });

/** The tests of an area in order: {name, run}, where run() gives undefined or what failed. Three files of API tests run at once. */
function* stepsOf({ unit, api, http }) {
  for (const name of unit) {
    const program = `build/tests/unit/${name}_test`;
    yield { name: program, run: () => (make(program).ok && run(join(copy, program), [], { cwd: copy, timeout: 5 * MINUTE }).ok ? undefined : program) };
  }
  if (http) {
    const files = ['http/framing.test.mjs', 'http/limits.test.mjs', 'http/forms.test.mjs'], server = 'build/tests/unit/http_server';
    yield { name: 'tests/http', run: () => (make(server).ok && node(files, { HTTP_SERVER: join(copy, server) }).ok ? undefined : 'tests/http') };
  }
  for (let i = 0; i < api.length; i += 3) {
    const files = api.slice(i, i + 3).map((name) => `api/${name}.test.mjs`), name = files.join(', ');
    yield { name, run: () => {
      const { ok, text, late } = node(files);
      return ok ? undefined : late ? `${name} (no end)` : /^\s*not ok \d+ - (.*)$/m.exec(text)?.[1] ?? name;
    } };
  }
}

/** The first step of an area that fails, and what failed in it. */
function failing(area) {
  for (const step of stepsOf(area)) {
    const what = step.run();
    if (what) return { step, what };
  }
  return undefined;
}

const sound = new Map();
/** A step that fails without a mutant catches nothing: that is an error of the tests, and ends the run. */
function assertSound(step) {
  if (!sound.has(step.name)) sound.set(step.name, make('all').ok ? step.run() : 'the build');
  assert.equal(sound.get(step.name), undefined, `${step.name} fails without a mutant`);
}

const ready = make('all');
assert.ok(ready.ok, ready.text);
let caught = 0, tried = 0;
const survivors = [];
for (const { file, number, what, line, was } of mutants()) {
  if (tried === count) break;
  const path = join(copy, file), original = readFileSync(path, 'utf8');
  const lines = original.split('\n');
  lines[number - 1] = line;
  writeFileSync(path, lines.join('\n'));
  const shown = `${file}:${number}: ${what}: ${was.trim()}  =>  ${line.trim()}`;
  if (make('all').ok) {
    const failed = failing(areaOf(file, apiTests));
    writeFileSync(path, original);
    if (failed) assertSound(failed.step);
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

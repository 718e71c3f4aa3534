// Makes mutants of lines of src/, runs the tests of their area, and prints what was not caught.
//
//     node tests/mutants/run.mjs [--since COMMIT] [--in PATH[:LINE],...] [--count 60] [--seed 1] [--goal 90]
//
// With --since only the lines that changed since a commit are mutated. A PATH:LINE is one line, in every way. With DATABASE=postgres://...
// (tests/postgres.sh) the tests run on PostgreSQL, and only lines that differ by engine are mutated: the files of PostgreSQL, and
// statements with words of the dialect. Without it, the files of PostgreSQL are left out.
//
// A mutant is one change of one line (operators.mjs). It is built in a copy of the tree, where only its file and what is linked are
// built again. It is caught if a test of its area fails (areas.mjs) that passes without it; the first failure ends its tests. A mutant that does not
// compile is replaced by another. The same commit, seed and sources make the same mutants.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testsFor } from './areas.mjs';
import { isEquivalent } from './equivalents.mjs';
import { mutations } from './operators.mjs';
import { numbers } from '../../tools/numbers.mjs';

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

/** {file: [number of the line]}: the lines of --in, if it names lines. */
function named() {
  const lines = {};
  for (const [, file, number] of given.in.matchAll(/([^,:]+):(\d+)/g)) (lines[file] ??= []).push(Number(number));
  return lines;
}
const everyWay = Object.keys(named()).length > 0;

/** {file: [numbers of its changed lines]}. */
function changed() {
  if (everyWay) return named();
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

const sources = run('git', ['ls-files', 'src/*.c', 'src/*.h'], { cwd: ROOT }).text.trim().split('\n').map((file) => readFileSync(join(ROOT, file), 'utf8').split('\n'));
const ofFunction = (lines, number) => /^(?:static )?int (\w+)\(/.exec(lines.slice(0, number).findLast((line) => /^\w.*\(/.test(line)))?.[1];
const handing = new Map();
/** True if no caller looks at what the function returns but an error: TRY() and functions that hand it on have it. */
function isHandedOn(name) {
  if (!name || handing.has(name)) return handing.get(name) ?? false;
  handing.set(name, false);
  const used = new RegExp(`\\b${name}\\b`), head = new RegExp(`^(?:static )?int ${name}\\(`), tried = new RegExp(`\\bTRY\\(${name}\\(`), returned = new RegExp(`^\\s+(?:case \\w+: |default: |if \\([^;{}]*\\) )?return [^;]*\\b${name}\\([^;]*;`);
  const uses = sources.flatMap((lines) => lines.flatMap((line, i) => (used.test(line) && !head.test(line) && !/^\s*(\/?\*|\/\/)/.test(line) ? [{ line, by: () => ofFunction(lines, i + 1) }] : [])));
  handing.set(name, uses.length > 0 && uses.every(({ line, by }) => tried.test(line) || (returned.test(line) && isHandedOn(by()))));
  return handing.get(name);
}
/** True if the line is `return 0;` or `return rc < 0 ? rc : 0;` of such a function: 1 is success, too, and a negative rc is a store that failed. */
const isPlainSuccess = (text, number) => /^return (?:(\w+) < 0 \? \1 : )?0;$/.test(text[number - 1].trim()) && isHandedOn(ofFunction(text, number));

/** All mutants, those of one line together, in an order that the seed decides. */
function mutants() {
  const random = numbers(Number(given.seed)), all = [];
  for (const [file, lines] of Object.entries(changed())) {
    const text = readFileSync(join(ROOT, file), 'utf8').split('\n');
    for (const number of lines) {
      const was = text[number - 1] ?? '';
      if (CLUSTER ? !differs(file, was) : isOfPostgres(file)) continue;
      if (isPlainSuccess(text, number)) continue;
      const ways = mutations(was, { postgres: Boolean(CLUSTER), after: text.slice(number, number + 6).join('\n') }).filter(({ line }) => !isEquivalent(file, was, line));
      const chosen = everyWay || !ways.length ? ways : [ways[Math.floor(random() * ways.length)]];
      for (const way of chosen) all.push({ file, number, ...way, was, order: random() });
    }
  }
  return all.sort((a, b) => a.order - b.order);
}

const CLUSTER = process.env.DATABASE;
/** The file has no effect on SQLite: a store of several processes is one of PostgreSQL. */
const isOfPostgres = (file) => file.startsWith('src/db/postgres') || ['src/core/change/outbox.c', 'src/core/helpcenter/generation.c'].includes(file);
/** A line that is another one on PostgreSQL: those of its files, and words of the dialect (db/db.h). */
const differs = (file, line) => isOfPostgres(file) || /@[A-Z_]+[@({]/.test(line);

const places = mkdtempSync(join(tmpdir(), 'deskd-mutants-'));
const children = new Set(); // the leaders of process groups that run
process.on('exit', () => {
  for (const child of children) kill(child);
  rmSync(places, { recursive: true, force: true });
});
process.on('SIGTERM', () => process.exit(1));
function kill(child) {
  try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it has ended */ }
}
/** KiB of a process. A mutant of a loop would otherwise take all memory of the machine. */
const MOST_MEMORY = 4_000_000;
/** deskd with a bound of its memory. */
const bounded = (copy) => join(copy, 'deskd.bounded');

/** A copy of the tree with what is built: one for mutants, one that stays without. */
function copied(name) {
  const to = join(places, name);
  for (const part of ['Makefile', 'src', 'schema', 'docs', 'tools', 'packaging', 'build', 'deskd', 'bench', 'README.md', 'CHANGELOG.md', '.ci']) {
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(to, part), { recursive: true, preserveTimestamps: true });
  }
  cpSync(join(ROOT, 'tests'), join(to, 'tests'), { recursive: true, preserveTimestamps: true, filter: (from) => !from.includes('node_modules') });
  cpSync(join(ROOT, 'web'), join(to, 'web'), { recursive: true, preserveTimestamps: true, filter: (from) => !from.includes('node_modules') });
  for (const part of ['tests', 'web']) symlinkSync(join(ROOT, part, 'node_modules'), join(to, part, 'node_modules'));
  writeFileSync(bounded(to), `#!/bin/sh\nulimit -v ${MOST_MEMORY}\nexec ${join(to, 'deskd')} "$@"\n`, { mode: 0o755 });
  return to;
}
const mutated = copied('mutated'), sound = copied('sound');

const MINUTE = 60_000, AT_ONCE = 4;
/** Tests that report nothing for so long hang. */
const SILENCE = 3 * MINUTE;
/** As in the Makefile's tests on PostgreSQL. */
const TWO_PROCESSES = CLUSTER ? { DESKD_WORKERS: '2', DESKD_WRITERS: '2', PROCESSES: '2' } : {};
// Warnings are off: a mutant may leave a variable unused.
const make = (copy, ...targets) => run('make', ['WARN=-w', '-j2', ...targets], { cwd: copy, timeout: 10 * MINUTE });

/** Starts tests, with their daemons in one process group: {failed, stop}. `failed` becomes the name of the first failed test, at once,
 * or undefined at the end. */
function started(copy, name, command, args, env, cwd = join(copy, 'tests')) {
  const stores = join(places, `${copy === sound ? 'sound' : 'stores'}${tried}`); // a store that a mutant made is not copied by tests of another one
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, SHARED_STORES: stores, ...env } });
  children.add(child);
  const stop = () => { kill(child); children.delete(child); };
  const failed = new Promise((resolve) => {
    let text = '';
    const timer = setTimeout(() => resolve(`${name} (no end)`), SILENCE);
    child.stdout.setEncoding('utf8').on('data', (more) => {
      timer.refresh();
      text += more;
      const failure = /^\s*not ok \d+ - (.*)$/m.exec(text)?.[1];
      if (failure) resolve(failure);
      text = text.slice(text.lastIndexOf('\n') + 1);
    });
    child.on('close', (code) => { clearTimeout(timer); resolve(code === 0 ? undefined : name); });
  });
  return { failed, stop };
}

const unitProgram = (name) => `build/tests/unit/${name}_test`, HTTP_SERVER = 'build/tests/unit/http_server';
const HTTP_TESTS = ['framing', 'limits', 'forms'];

/** The programs that the tests of an area run. */
const programsOf = ({ unit, http }) => [...unit.map(unitProgram), ...(http ? [HTTP_SERVER] : [])];

/** The tests of an area: {name, start(copy)}, where start() gives {failed, stop}. */
function testsOf({ unit, api, others = [], http, postgres }) {
  const ofUnit = (name) => ({ name: `unit/${name}`, start: (copy) => started(copy, name, 'sh', ['-c', `ulimit -v ${MOST_MEMORY}; exec ${unitProgram(name)}`], { CMOCKA_MESSAGE_OUTPUT: 'TAP' }, copy) });
  const ofFile = (env) => (name) => ({
    name, start: (copy) => started(copy, name, 'node', ['--test-reporter=tap', `${name}.test.mjs`], { DESKD: bounded(copy), HTTP_SERVER: join(copy, HTTP_SERVER), ...env }),
  });
  return [
    ...unit.map(ofUnit), ...(http ? HTTP_TESTS.map((name) => `http/${name}`).map(ofFile({})) : []),
    ...(CLUSTER ? postgres.map((name) => `postgres/${name}`).map(ofFile({})) : []), ...[...others, ...api.map((name) => `api/${name}`)].map(ofFile(TWO_PROCESSES)),
  ];
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

/** Drops the databases that stopped tests left. */
function dropDatabases() {
  const sql = "SELECT format('DROP DATABASE %I WITH (FORCE)', datname) FROM pg_database WHERE datname ~ '^(deskd|unit)_' \\gexec";
  const done = run('psql', [CLUSTER, '-X', '-q', '-v', 'ON_ERROR_STOP=1'], { input: `${sql}\n` });
  assert.ok(done.ok, done.text);
}

/** Returns false if the test fails without a mutant, too. That is an error of the tests: it catches nothing. */
async function isSound(test, area) {
  if (known.has(test.name)) return true;
  if (CLUSTER) dropDatabases();
  make(sound, ...programsOf(area));
  const { failed, stop } = test.start(sound);
  const what = await failed;
  stop();
  if (what) unsound.push(`${test.name}: ${what}`);
  else known.add(test.name);
  return !what;
}

for (const copy of [mutated, sound]) {
  const ready = make(copy, 'all');
  assert.ok(ready.ok, ready.text);
}
let caught = 0, missed = 0;
const survivors = [], unsound = [];
for (const { file, number, what, line, was } of mutants()) {
  if (tried - missed === count) break;
  const path = join(mutated, file), original = readFileSync(path, 'utf8');
  const lines = original.split('\n');
  lines[number - 1] = line;
  writeFileSync(path, lines.join('\n'));
  const began = Date.now();
  const shown = `${file}:${number}: ${what}: ${was.trim()}  =>  ${line.trim()}`;
  const area = testsFor(file, original, number);
  if (make(mutated, 'all', ...programsOf(area)).ok) {
    const failed = await failing(area);
    writeFileSync(path, original);
    const isJudged = !failed || await isSound(failed.test, area);
    for (const stores of ['stores', 'sound']) rmSync(join(places, `${stores}${tried}`), { recursive: true, force: true });
    if (CLUSTER) dropDatabases();
    tried += 1; // names the stores of a mutant
    if (!isJudged) {
      missed += 1;
      console.log(`no result ${shown}\n          because ${unsound.at(-1)} fails without it, too`);
      continue;
    }
    if (failed) caught += 1;
    else survivors.push(shown);
    const seconds = `${Math.round((Date.now() - began) / 1000)} s`;
    console.log(failed ? `caught    ${shown}\n          by ${failed.test.name}: ${failed.what} (${seconds})` : `SURVIVED  ${shown} (${seconds})`);
  } else {
    writeFileSync(path, original);
    console.log(`not built ${shown}`);
  }
}
const judged = tried - missed, share = judged ? Math.floor((100 * caught) / judged) : 100;
if (unsound.length) console.log(`\nTests that fail without a mutant:\n${unsound.join('\n')}`);
console.log(`\ncaught ${caught} of ${judged} mutants: ${share} % (the goal is ${given.goal} %)`);
if (survivors.length) console.log(`\nSurvivors:\n${survivors.join('\n')}`);
process.exitCode = share < Number(given.goal) || unsound.length ? 1 : 0;

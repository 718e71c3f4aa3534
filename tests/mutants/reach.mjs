// Finds the tests that run each line of src/, for the choice of tests of a mutant: build/reached.json has {tests: [name], files: {file: {text:
// [line], blocks: [[number of its line, [indexes of tests]]]}}}. Without the file, tests are chosen by their words alone.
//
//     node tests/mutants/reach.mjs PROGRAM OUT
//
// PROGRAM is a deskd that marks what runs (reached.c).
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const [program, out] = process.argv.slice(2);
const ROOT = join(import.meta.dirname, '../..'), AT_ONCE = 3;
const place = mkdtempSync(join(tmpdir(), 'deskd-reach-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));

function run(command, args, input) {
  const done = spawnSync(command, args, { encoding: 'utf8', input, maxBuffer: 1 << 30 });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

/** [{mark, file, line}] of all blocks of the program: an instruction after a call of the marking function. */
function blocks() {
  const after = [];
  let called = false;
  for (const line of run('objdump', ['-d', '--no-show-raw-insn', program]).split('\n')) {
    const address = /^ +([0-9a-f]+):/.exec(line)?.[1];
    if (!address) continue;
    if (called) after.push(parseInt(address, 16));
    called = /\bcall +[0-9a-f]+ <__sanitizer_cov_trace_pc>/.test(line);
  }
  const named = run('addr2line', ['-e', program], after.map((a) => (a - 1).toString(16)).join('\n')).trim().split('\n');
  assert.equal(named.length, after.length);
  return after.map((address, i) => {
    const [, path, line] = /^(.*):(\d+|\?)/.exec(named[i]);
    return { mark: Math.floor(address / 4), file: relative(ROOT, path.startsWith('/') ? path : join(ROOT, path)), line: Number(line) };
  }).filter(({ file, line }) => file.startsWith('src/') && line);
}

/** Runs a test file. Its result does not matter, because the marks are what is asked for. */
const ran = (name, marks) => new Promise((resolve) => {
  const child = spawn('node', [`api/${name}.test.mjs`], { cwd: join(ROOT, 'tests'), stdio: 'ignore', env: { ...process.env, DESKD: program, REACHED: marks, SHARED_STORES: join(place, 'stores') } });
  child.on('close', resolve);
});

const tests = readdirSync(join(ROOT, 'tests/api')).filter((name) => name.endsWith('.test.mjs')).map((name) => name.replace('.test.mjs', ''));
const marked = new Map(), queue = [...tests];
await Promise.all(Array.from({ length: AT_ONCE }, async () => {
  while (queue.length) {
    const name = queue.shift(), marks = join(place, name);
    await ran(name, marks);
    if (existsSync(marks)) marked.set(name, readFileSync(marks));
    rmSync(marks, { force: true });
  }
}));

const files = {};
for (const { mark, file, line } of blocks()) {
  const of = (files[file] ??= { text: readFileSync(join(ROOT, file), 'utf8').split('\n').map((l) => l.trim()), lines: {} });
  const by = (of.lines[line] ??= new Set());
  tests.forEach((name, i) => { if (marked.get(name)?.[mark]) by.add(i); });
}
for (const of of Object.values(files)) {
  of.blocks = Object.entries(of.lines).map(([line, by]) => [Number(line), [...by]]);
  delete of.lines;
}
writeFileSync(out, JSON.stringify({ tests, files }));

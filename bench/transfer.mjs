// Measures deskd export and deskd import with a demo desk of BENCH_SIZE conversations. With DATABASE=postgres://... imports into PostgreSQL, and
// exports from there.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('../deskd', import.meta.url));
const SIZE = process.env.BENCH_SIZE ?? '20000';
const CLUSTER = process.env.DATABASE;
const place = mkdtempSync(join(tmpdir(), 'deskd-bench-'));

function run(program, ...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${stderr}`);
  return stdout;
}
const deskd = (...args) => run(BINARY, ...args);

try {
  const from = join(place, 'from'), to = join(place, 'to'), folder = join(place, 'export');
  writeFileSync(join(place, 'password'), 'bench-password\n');
  deskd('demo', '--data', from, '--conversations', SIZE, '--password-file', join(place, 'password'));
  mkdirSync(to);
  copyFileSync(join(from, 'secret.key'), join(to, 'secret.key'));
  const target = ['--data', to];
  if (CLUSTER) {
    run('psql', CLUSTER, '-X', '-q', '-c', 'CREATE DATABASE transfer');
    target.push('--database', CLUSTER.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, '$1transfer'));
  }
  const engine = CLUSTER ? 'PostgreSQL' : 'SQLite';
  const rate = (said) => /(?:ex|im)ported (\d+) objects.*\((\d+) objects a second\)/.exec(said).slice(1);
  const first = rate(deskd('export', '--data', from, '--to', folder)), into = rate(deskd('import', ...target, '--from', folder));
  const back = rate(deskd('export', ...target, '--to', `${folder}2`));
  console.log(`export and import of ${SIZE} conversations, ${first[0]} objects`);
  console.log(`  export from SQLite      ${first[1].padStart(8)} objects/s`);
  console.log(`  import into ${engine.padEnd(11)} ${into[1].padStart(8)} objects/s`);
  console.log(`  export from ${engine.padEnd(11)} ${back[1].padStart(8)} objects/s`);
} finally {
  rmSync(place, { recursive: true });
}

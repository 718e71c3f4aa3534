import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { databaseUrl } from './desk.mjs';

/** Runs SQL in a desk's store, to create rows that no operation creates, or to read rows that none shows. Returns the first rows as text. */
export function sql(desk, text) {
  const [command, args] = process.env.DATABASE ? ['psql', [databaseUrl(desk.dir), '-X', '-q', '-tA', '-v', 'ON_ERROR_STOP=1', '-c', text]] : ['sqlite3', ['-cmd', '.timeout 5000', join(desk.dir, 'desk.db'), text]];
  const done = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

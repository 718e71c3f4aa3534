import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.mjs';

// The state of a desk's store and its files.

/** deskd check finds nothing. */
export function clean(desk) {
  const { status, stdout } = desk.check();
  assert.equal(status, 0, stdout);
}

/** Names of the stored contents of files. */
export const storedContents = (desk) => readdirSync(join(desk.dir, 'files')).filter((name) => /^[0-9a-f]{2}$/.test(name))
  .flatMap((name) => readdirSync(join(desk.dir, 'files', name)));

/** Waits until no cascade is left. The clock moves on, because the next part of a cascade is due later. */
export const cascaded = (desk) => until('the end of the cascades', () => {
  if (desk.sql("SELECT COUNT(*) FROM jobs WHERE kind = 'cascade' AND status IN (1, 2)").trim() === '0') return true;
  desk.clock.write(desk.clock.now + 1000);
  return false;
});

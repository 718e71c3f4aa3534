import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { directory } from '../api/lib/index.mjs';

/** A library of this folder to preload (`eio`: NAME.c), made where the Makefile did not; undefined where it can't be made. */
export function shim(name) {
  const built = fileURLToPath(new URL(`../../build/tests/fault/${name}.so`, import.meta.url));
  if (existsSync(built)) return built;
  const made = join(directory(), `${name}.so`);
  const source = fileURLToPath(new URL(`${name}.c`, import.meta.url));
  return spawnSync('cc', ['-shared', '-fPIC', '-D_GNU_SOURCE', '-o', made, source]).status === 0 ? made : undefined;
}

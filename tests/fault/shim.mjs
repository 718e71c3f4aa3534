import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { directory } from '../api/lib/index.mjs';

/** The path of a library in this folder to preload (`eio`: NAME.c), built if the Makefile did not. undefined if it can't be built. */
export function shim(name) {
  const built = fileURLToPath(new URL(`../../build/tests/fault/${name}.so`, import.meta.url));
  if (existsSync(built)) return built;
  const made = join(directory(), `${name}.so`);
  const source = fileURLToPath(new URL(`${name}.c`, import.meta.url));
  return spawnSync('cc', ['-shared', '-fPIC', '-D_GNU_SOURCE', '-o', made, source]).status === 0 ? made : undefined;
}

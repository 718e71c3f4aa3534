import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, PASSWORD, demo, directory, examples } from '../api/lib/index.mjs';

export const MISSING = ['curl', 'python3', 'openssl'].filter((program) => spawnSync(program, ['--help']).error);

/** A reader of /docs/integrating, in the folder in which `make run` ran: {desk, folder, env, found}. */
export async function reader(t) {
  const desk = await demo(t, { conversations: 30, clock: Date.now() }); // the receivers of webhooks compare the time with theirs
  const folder = directory();
  writeFileSync(join(desk.dir, 'demo-password'), `${PASSWORD}\n`);
  symlinkSync(desk.dir, join(folder, 'data'));
  symlinkSync(BINARY, join(folder, 'deskd'));
  const found = examples((await desk.anyone.exchange('GET', '/docs/integrating')).must(200).text);
  return { desk, folder, env: { DESK: desk.base }, found };
}

/** Puts a program before those of the machine. Returns the environment. */
export function pretend({ folder, env }, name, text) {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
  return { ...env, PATH: `${bin}:${process.env.PATH}` };
}

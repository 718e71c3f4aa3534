import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BINARY, directory } from '../api/lib/index.mjs';

const manual = readFileSync(fileURLToPath(new URL('../../docs/OPERATIONS.md', import.meta.url)), 'utf8');

/** The fenced blocks of a section of docs/OPERATIONS.md, in order, with other folders: [from, to], the longer names first. */
export function blocks(title, folders) {
  const section = manual.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  assert.ok(section, `docs/OPERATIONS.md has a section "${title}"`);
  return [...section.matchAll(/^```\w+\n([^]*?)^```$/gm)].map(([, text]) => folders.reduce((now, [from, to]) => now.replaceAll(from, to), text));
}

/** Runs shell commands of the manual with `deskd` and other programs ({name: path}) by their names. */
export function shell(programs = {}, under = []) {
  const bin = directory();
  for (const [name, path] of Object.entries({ deskd: BINARY, ...programs })) symlinkSync(path, join(bin, name));
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const start = (text) => {
    const [program, ...args] = [...under, 'sh', '-ec', text], child = spawn(program, args, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => { log += part; });
    return { child, log: () => log, gone: new Promise((resolve) => { child.on('close', (code, signal) => resolve({ code, signal })); }) };
  };
  return {
    /** Runs commands to their end, which must be good, while the writes go on. */
    async run(text) {
      const running = start(text), { code } = await running.gone;
      assert.equal(code, 0, `${text}\n${running.log()}`);
    },
    /** Starts a command that does not end by itself: {child, log(), gone}. The text is one command. */
    start: (text) => start(`exec ${text.trim()}`),
  };
}

/** A new folder `name` below `parent`. */
export function folder(parent, name, mode = 0o700) {
  const path = join(parent, name);
  mkdirSync(path, { mode, recursive: true });
  return path;
}

// A machine that stands still now and then, as PAGES_STALL asks (console.mjs): another process stops what this test file has started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const STALL = Number(process.env.PAGES_STALL ?? 0), SEED = process.env.PAGES_SEED ?? '1';
let stopper;
if (STALL) {
  stopper = spawn(process.execPath, [fileURLToPath(new URL('stopper.mjs', import.meta.url)), String(process.pid), String(STALL), SEED], { stdio: ['pipe', 'pipe', 'inherit'] });
  for (const handle of [stopper, stopper.stdin, stopper.stdout]) handle.unref(); // it ends with this process
}
const ask = async (line) => { stopper.stdin.write(`${line}\n`); await once(stopper.stdout, 'data'); };

/** Measures times: meanwhile nothing stands still. */
export const steady = async (measure) => {
  if (!stopper) return measure();
  await ask('hold');
  try { return await measure(); } finally { await ask('go on'); }
};

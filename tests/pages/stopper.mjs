// Stops the processes that a test has started, now and then, as a machine does that stands still: PAGES_STALL of console.mjs. It is a
// process of its own, because it stops the test too. It ends when its standard input ends, and leaves no process stopped.
//
//     node stopper.mjs PID MS SEED
//
// PID is the test. Processes are stopped by their id, and only those that PID has started, or that these have started. A line "hold" of the
// standard input stops no process any more, until a line "go on". Each line is answered by "done".
import { readFileSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { dice } from '../api/lib/dice.mjs';

const [test, ms, seed] = process.argv.slice(2).map(Number), { below } = dice(seed);

/** The processes that the test has started: [{pid, words}]. */
const started = () => {
  const all = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = Number(readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) \S /s, '').split(' ')[0]); // the name of a program may have spaces
      all.set(Number(name), { pid: Number(name), parent, words: readFileSync(`/proc/${name}/cmdline`, 'utf8').split(/[\0 ]/) }); // Chromium writes spaces
    } catch { /* it has ended */ }
  }
  const ours = ({ parent }) => parent === test || (all.has(parent) && parent !== 1 && ours(all.get(parent)));
  return [...all.values()].filter((one) => one.pid !== process.pid && ours(one));
};

const isServer = ({ words }) => words.includes('serve') && /deskd/.test(words[0]);
const isBrowser = ({ words }) => /chrom|firefox/.test(words[0]), isPage = (one) => isBrowser(one) && one.words.includes('--type=renderer');
/** The parts of the machine that stand still, each in turn. */
const KINDS = [
  () => started().filter(isServer),
  () => started().filter(isPage),
  () => started().filter(isServer),
  () => started().filter(isBrowser),
  () => [{ pid: test }, ...started().filter((one) => isServer(one) || isBrowser(one))],
];

let stopped = [], held = false;
const send = (pid, signal) => { try { process.kill(pid, signal); return true; } catch { return false; } };
const goOn = () => { for (const pid of stopped.splice(0)) send(pid, 'SIGCONT'); };
process.on('exit', goOn);
createInterface({ input: process.stdin }).on('line', (line) => {
  held = line === 'hold';
  if (held) goOn();
  process.stdout.write('done\n');
}).on('close', () => process.exit());

for (let turn = seed; ; turn++) {
  await sleep(2000 + below(3000));
  if (held) continue;
  for (const { pid } of KINDS[turn % KINDS.length]()) if (send(pid, 'SIGSTOP')) stopped.push(pid);
  await sleep(ms);
  goOn();
}

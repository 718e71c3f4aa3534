import { spawn } from 'node:child_process';
import { Desk, defer, until } from '../api/lib/index.mjs';
import { lockWaits } from './cluster.mjs';

export { psql } from './cluster.mjs';

/** Waits until so many transactions wait for locks of others. */
export const untilLocked = (url, count, what = `${count} requests to wait`) => until(what, () => lockWaits(url) === count);

const QUIET = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];

/** A database connection for transactions that stay open. `await say(sql)` returns when the SQL is done. */
export function connection(t, url) {
  const child = spawn('psql', [url, ...QUIET], { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  let heard = () => {};
  child.stdout.setEncoding('utf8').on('data', (d) => { text += d; heard(); });
  let asked = 0;
  const say = (sql) => new Promise((resolve) => {
    const mark = `done ${++asked}`;
    heard = () => { if (text.includes(`${mark}\n`)) resolve(text); };
    child.stdin.write(`${sql};\n\\echo ${mark}\n`);
  });
  const end = () => new Promise((resolve) => { child.on('close', resolve); child.stdin.end(); });
  t.after(() => child.kill());
  return { say, end };
}

/** Another process on the same database with the same people. It ends before the first. */
export async function another(t, desk, options = {}) {
  const second = new Desk(desk.dir, { people: desk.people, clock: desk.clock.now, base: desk.base, ...options });
  defer(t, () => second.stop());
  return second.start();
}

/** A number of /metrics. */
export async function metric(desk, name) {
  const { text } = await desk.anyone.exchange('GET', '/metrics');
  return Number(new RegExp(`^deskd_${name} (-?\\d+)$`, 'm').exec(text)[1]);
}

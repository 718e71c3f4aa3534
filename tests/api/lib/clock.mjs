import { openSync, writeSync, closeSync, writeFileSync } from 'node:fs';
import { until } from './until.mjs';

export const SECOND = 1;
export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 86_400;

/** A Monday morning within the default business hours. */
export const MONDAY = Date.UTC(2026, 10, 23, 9, 30, 0);

export const iso = (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');

/** Writes the clock that commands read (DESKD_CLOCK). Their rows have the time at which a desk of the tests begins, so that no result
 * depends on the day of the run. */
export function commandsClock(file) {
  writeFileSync(file, String(MONDAY));
  return file;
}

/** The daemon's clock: a file with decimal milliseconds. */
export class Clock {
  constructor(file, seen, now = MONDAY) {
    this.file = file;
    this.seen = seen; // () => the time of the daemon, in ms
    this.now = now;
    writeFileSync(file, String(now));
  }

  /** Writes the time. Does not wait until a daemon has read it. */
  write(ms) {
    this.now = ms;
    const fd = openSync(this.file, 'r+'); // in place and in one write: as many digits as before
    writeSync(fd, String(ms), 0);
    closeSync(fd);
  }

  async set(ms) {
    this.write(ms);
    await until(`the daemon's clock at ${iso(ms)}`, async () => (await this.seen()) === Math.floor(ms / 1000) * 1000);
  }

  forward(seconds) {
    return this.set(this.now + seconds * 1000);
  }
}

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BINARY } from './desk.mjs';
import { until } from './until.mjs';

const REPORTS = fileURLToPath(new URL('../fixtures/reports/', import.meta.url));

/** Reports as mail servers write them, all of one letter to gone@people.example: those that deskd reads. */
export const FIXTURES = readdirSync(REPORTS).map((name) => name.replace('.eml', '')).filter((name) => name !== 'plain').sort();

/** One of them about a letter that a relay took, or about that Message-ID. */
export function fixture(name, letter) {
  const id = letter.header ? letter.header('Message-ID') : letter;
  return readFileSync(join(REPORTS, `${name}.eml`), 'latin1').replaceAll('LETTER@desk.example', id.replace(/[<>]/g, '')).replace('LETTER=40desk.e=\nxample', id.replace(/[<>]/g, '').replace('@', '=40'));
}

/** What a mail server does with a mail to the desk: {status, stdout, stderr}. */
export const mailIn = (desk, mail, { data = desk.dir, args = [], env = {} } = {}) => spawnSync(BINARY, ['mail-in', '--data', data, ...args], {
  input: Buffer.isBuffer(mail) ? mail : Buffer.from(mail, 'latin1'), encoding: 'utf8', timeout: 60_000, env: { ...process.env, ...env },
});

/** Files of mails that are not handled yet. */
export const waiting = (desk, folder = 'new') => readdirSync(join(desk.dir, 'mail', folder));

/** Hands mails over and waits until the desk has handled them. */
export async function deliver(desk, ...mails) {
  for (const mail of mails) {
    const { status, stdout, stderr } = mailIn(desk, mail);
    assert.deepEqual([status, stdout, stderr], [0, '', '']);
  }
  await until('the inbox to be empty', () => waiting(desk).length === 0);
}

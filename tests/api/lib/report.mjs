import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BINARY } from './desk.mjs';
import { until } from './until.mjs';

const REPORTS = fileURLToPath(new URL('../fixtures/reports/', import.meta.url));

/** Reports of several mail servers, all about one letter to gone@people.example, that deskd reads. */
export const FIXTURES = readdirSync(REPORTS).map((name) => name.replace('.eml', '')).filter((name) => name !== 'plain').sort();

/** A report about a letter that a relay received, or about a Message-ID. */
export function fixture(name, letter) {
  const id = letter.header ? letter.header('Message-ID') : letter;
  return readFileSync(join(REPORTS, `${name}.eml`), 'latin1').replaceAll('LETTER@desk.example', id.replace(/[<>]/g, '')).replace('LETTER=40desk.e=\nxample', id.replace(/[<>]/g, '').replace('@', '=40'));
}

/** Runs deskd mail-in as a mail server does: {status, stdout, stderr}. */
export const mailIn = (desk, mail, { data = desk.dir, args = [], env = {} } = {}) => spawnSync(BINARY, ['mail-in', '--data', data, ...args], {
  input: Buffer.isBuffer(mail) ? mail : Buffer.from(mail, 'latin1'), encoding: 'utf8', timeout: 60_000, env: { ...process.env, ...env },
});

const folders = (folder) => folder ? [folder] : ['new', 'later', 'slow'];
/** Names of the mails that wait in the inbox, or in one of its folders. A mail that moves meanwhile may be there twice. */
export const waiting = (desk, folder) => folders(folder).map((name) => join(desk.dir, 'mail', name)).flatMap((path) => folder || existsSync(path) ? readdirSync(path) : []);

/** Delivers mails and waits until the desk has handled them. */
export async function deliver(desk, ...mails) {
  for (const mail of mails) {
    const { status, stdout, stderr } = mailIn(desk, mail);
    assert.deepEqual([status, stdout, stderr], [0, '', '']);
  }
  await until('the inbox to be empty', () => waiting(desk).length === 0);
}

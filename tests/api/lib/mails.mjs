import { spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from './sql.mjs';
import { until } from './until.mjs';
import { waiting } from './report.mjs';

const STATUS = ['', 'RECEIVED', 'PROCESSING', 'SUCCESS', 'FAILED', 'REJECTED', 'SUSPENDED'];
export const SUSPENSIONS = ['', 'INVALID_EMAIL_HEADERS', 'NO_FROM_ADDRESS', 'INVALID_FROM_ADDRESS', 'SOURCE_IS_MAILBOX', 'LOOP_DETECTED', 'BLOCKLISTED_EMAIL', 'DELIVERY_FAILED',
  'MAILER_DAEMON', 'OUT_OF_OFFICE_EMAIL', 'AUTOMATED_EMAIL', 'SOURCE_IS_NOREPLY', 'SPAM', 'INVALID_CASE_TOKEN', 'UNREGISTERED_USER', 'UNVERIFIED_EMAIL', 'NOT_PARTICIPANT'];
const VERDICT = ['', 'NONE', 'PASS', 'FAIL', 'SOFTFAIL', 'NEUTRAL', 'ERROR'];

/* Keyed BLAKE2b, with the key that the desk derives from its server key (core/letters/token.c). */
const MAC = `
import base64, hashlib, sys
server = open(sys.argv[1], 'rb').read()
key = hashlib.blake2b(b'mail token', key=server, digest_size=32).digest()
for text in sys.argv[2:]:
    tag = hashlib.blake2b(text.encode(), key=key, digest_size=32)
    print(base64.b32encode(tag.digest()[:10]).decode().lower(), tag.hexdigest()[:32])
`;
const known = new Map();
function tag(desk, text) {
  const place = `${desk.dir} ${text}`;
  if (!known.has(place)) {
    const { stdout, stderr, status } = spawnSync('python3', ['-c', MAC, join(desk.dir, 'secret.key'), text], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    known.set(place, stdout.trim().split(' '));
  }
  return known.get(place);
}

/** The token of a conversation or a letter: kind is c (reply), b (return path), m (Message-ID) or s (subject). */
export const token = (desk, kind, id) => `${kind}${id}-${tag(desk, `${kind}${id}`)[0]}`;
/** The value of X-Desk-Loop in mails of the desk. */
export const loopMark = (desk) => tag(desk, 'loop')[1];

let made = 0;
/** Puts mails into the inbox, each {raw, to, from, door, bytes: the charset of the envelope}, and waits until the desk has taken them. */
export async function arrive(desk, ...mails) {
  for (const { raw, to, from, door = 'LMTP', bytes = 'utf8' } of mails) {
    const name = `${String(Date.now()).padStart(16, '0')}-${process.pid}-${made++}`;
    const head = `deskd-mail 1\ndoor: ${door}\n${from === undefined ? '' : `from: <${from}>\n`}${to == null ? '' : `to: <${to}>\n`}\n`;
    const draft = join(desk.dir, 'mail', 'tmp', name);
    writeFileSync(draft, Buffer.concat([Buffer.from(head, bytes), Buffer.isBuffer(raw) ? raw : Buffer.from(raw)]));
    renameSync(draft, join(desk.dir, 'mail', 'new', name));
  }
  await until('the inbox to be empty', () => waiting(desk).length === 0);
}

/** The rows of mails with an id over `after`, as objects. */
export function mailRows(desk, after = 0) {
  const text = sql(desk, `SELECT id, status, COALESCE(suspension, 0), is_suspended, COALESCE(case_id, 0), COALESCE(post_id, 0), COALESCE(sender_id, 0), COALESCE(mailbox_id, 0), COALESCE(dkim, 0), COALESCE(spf, 0), COALESCE(dmarc, 0), COALESCE(reason, '') FROM mails WHERE id > ${after} ORDER BY id`);
  return text.trim().split('\n').filter(Boolean).map((line) => {
    const [id, status, suspension, isSuspended, caseId, post, sender, mailbox, dkim, spf, dmarc, ...reason] = line.split('|');
    const verdict = (n) => VERDICT[n] || null;
    return {
      id: +id, status: STATUS[status], suspension: SUSPENSIONS[suspension] || null, is_suspended: isSuspended === '1', case_id: +caseId || null, post_id: +post || null,
      sender_id: +sender || null, mailbox_id: +mailbox || null, dkim: verdict(dkim), spf: verdict(spf), dmarc: verdict(dmarc), reason: reason.join('|') || null,
    };
  });
}
export const lastMail = (desk) => +sql(desk, 'SELECT COALESCE(MAX(id), 0) FROM mails');

/** Delivers one mail and returns its row, or undefined if it was dropped. to null: the envelope has no recipient. */
export async function receive(desk, raw, { to = 'desk@example.com', from = 'ada@people.example', door } = {}) {
  const before = lastMail(desk);
  await arrive(desk, { raw, to, from, door });
  const rows = mailRows(desk, before);
  assert.ok(rows.length < 2, `${rows.length} mails`);
  return rows[0];
}

/** A plain mail. Headers with the value null are left out; a list gives several headers. */
export function mail(headers = {}, text = 'Hello desk,\r\n\r\nthe engine stalls.\r\n') {
  const all = {
    From: 'Ada Byron <ada@people.example>', To: 'desk@example.com', Subject: 'The engine stalls', Date: 'Mon, 23 Nov 2026 09:30:00 +0000',
    'Message-ID': `<${made++}.${process.pid}@people.example>`, 'MIME-Version': '1.0', 'Content-Type': 'text/plain; charset=utf-8', ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => [value].flat().filter((v) => v !== null).map((v) => `${name}: ${v}`));
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

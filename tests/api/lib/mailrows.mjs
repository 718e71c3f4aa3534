import { raw } from './bodies.mjs';
import { sql } from './sql.mjs';

const STATUS = { RECEIVED: 1, PROCESSING: 2, SUCCESS: 3, FAILED: 4, REJECTED: 5, SUSPENDED: 6 };
const SUSPENSIONS = ['INVALID_EMAIL_HEADERS', 'NO_FROM_ADDRESS', 'INVALID_FROM_ADDRESS', 'SOURCE_IS_MAILBOX', 'LOOP_DETECTED', 'BLOCKLISTED_EMAIL', 'DELIVERY_FAILED',
  'MAILER_DAEMON', 'OUT_OF_OFFICE_EMAIL', 'AUTOMATED_EMAIL', 'SOURCE_IS_NOREPLY', 'SPAM', 'INVALID_CASE_TOKEN', 'UNREGISTERED_USER', 'UNVERIFIED_EMAIL', 'NOT_PARTICIPANT'];

const literal = (value) => (value === undefined || value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`);

const upload = async (desk, bytes) => (await desk.owner.create('/files', raw('message/rfc822', bytes), { headers: { 'Content-Disposition': 'attachment; filename="mail.eml"' } })).id;

/** Runs SQL, then makes the daemon commit something, so that its readers do not reuse an older snapshot. */
export async function rowsChanged(desk, text) {
  const out = sql(desk, text).trim();
  await upload(desk, Buffer.from('x'));
  return out;
}

/** Inserts a row of mails in any state, with the raw mail as its file. For states that a delivery can't make on demand. Returns its id. */
export async function storedMail(desk, { source = 'From: a@example.net\r\n\r\nHello\r\n', status = 'SUSPENDED', code, ...more } = {}) {
  const bytes = Buffer.isBuffer(source) ? source : Buffer.from(source, 'latin1');
  const file = await upload(desk, bytes);
  const row = {
    status: STATUS[status], suspension: status === 'SUSPENDED' ? SUSPENSIONS.indexOf(code ?? 'SPAM') + 1 : null, is_suspended: status === 'SUSPENDED' ? 1 : 0, door: 1, from_text: 'Ada <ada@example.net>',
    from_key: 'ada@example.net', to_text: 'help@example.com', subject: 'Turns', content_text: 'It stops.', message_id: 'one@example.net', size: bytes.length, file_id: file, mailbox_id: 1,
    created_at: desk.clock.now, ...more,
  };
  const names = Object.keys(row);
  sql(desk, `UPDATE files SET expires_at = NULL WHERE id = ${file}`);
  return Number(await rowsChanged(desk, `INSERT INTO mails (${names.join()}) VALUES (${names.map((name) => literal(row[name])).join()}) RETURNING id`));
}

// POST /mailboxes/:id/test: a mail from the mailbox to itself, and in words what failed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { MINUTE, certificate, connect, defer, directory, mailIn, open, relay, relayFor, until, waiting } from './lib/index.mjs';

const SYSTEM = 1;
const of = (result, name) => result.steps.find((s) => s.name === name);

/** Tests the system mailbox, and returns the result when the test has ended. */
async function tried(desk, { forward = 0, id = SYSTEM } = {}) {
  const begun = (await desk.admin.post(`/mailboxes/${id}/test`)).must(202).data;
  assert.deepEqual([begun.status, begun.steps, begun.ended_at], ['RUNNING', [], null]);
  if (forward) await desk.clock.forward(forward);
  return until('the end of the test', async () => {
    const now = await desk.admin.fetch(`/mailboxes/${id}/test`);
    return now.status === 'RUNNING' ? undefined : now;
  });
}

async function failing(desk, name, message, options) {
  const result = await tried(desk, options);
  assert.equal(result.status, 'FAILED', JSON.stringify(result));
  assert.deepEqual(result.steps.filter((s) => s.result === 'FAILED').map((s) => s.name), [name], JSON.stringify(result));
  assert.match(of(result, name).message, message);
  assert.ok(of(result, name).advice, 'says what to do');
  for (const s of result.steps) assert.match(s.message, /[.)]$|^(DKIM|SPF|DMARC)|: \d|^A folder/, `a sentence: ${s.message}`);
  await desk.clock.forward(2 * MINUTE);
  return result;
}

/** A server on 127.0.0.1 that answers each line by `say(line)`; the greeting is say(null). */
async function server(t, say) {
  const sockets = new Set();
  const made = net.createServer((socket) => {
    sockets.add(socket);
    const write = (text) => text && socket.write(text);
    socket.on('error', () => {});
    write(say(null));
    let rest = '';
    socket.setEncoding('latin1').on('data', (text) => {
      const lines = (rest + text).split('\r\n');
      rest = lines.pop();
      for (const line of lines) write(say(line));
    });
  });
  await new Promise((resolve) => made.listen(0, '127.0.0.1', resolve));
  defer(t, () => { for (const s of sockets) s.destroy(); made.close(); });
  return made.address().port;
}

const closed = async (t) => {
  const made = net.createServer();
  await new Promise((resolve) => made.listen(0, '127.0.0.1', resolve));
  const { port } = made.address();
  await new Promise((resolve) => made.close(resolve));
  return port;
};

test('a test mail that arrives passes, and becomes no mail, no conversation, no person', async (t) => {
  const desk = await open(t), to = await relayFor(t, desk, { 'mail.authserv_id': 'mx.example.com' });
  (await desk.admin.post('/triggers', { title: 'T', channel: null, event: null, predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains', value: 'Test' }] }], actions: [{ name: 'priority', option: 'CHANGE', value: '4' }] }));
  assert.deepEqual(await desk.admin.fetch(`/mailboxes/${SYSTEM}/test`).then(({ status, steps }) => [status, steps]), ['NONE', []]);
  const people = (await desk.owner.get('/users')).body.total_count;
  await until('the file of recipients', () => readFileSync(join(desk.dir, 'mail/recipients'), 'utf8').includes('desk@example.com'));
  (await desk.admin.post(`/mailboxes/${SYSTEM}/test`)).must(202);
  const mail = await to.find('desk@example.com');
  assert.match(mail.subject, /^Test of this mailbox \[test-[0-9a-f]{32}\]$/);
  assert.equal(mail.header('Auto-Submitted'), 'auto-generated');
  const raw = `Authentication-Results: mx.example.com; spf=pass smtp.mailfrom=desk@example.com; dkim=pass header.d=example.com\r\n${mail.raw}`;
  const arrive = (text) => assert.equal(mailIn(desk, text, { args: ['--recipient', 'desk@example.com', '--sender', 'desk@example.com'] }).status, 0);
  arrive(raw);
  const result = await until('the end of the test', async () => {
    const now = await desk.admin.fetch(`/mailboxes/${SYSTEM}/test`);
    return now.status === 'RUNNING' ? undefined : now;
  });
  assert.deepEqual([result.status, result.steps.filter((s) => !['OK', 'SKIPPED'].includes(s.result))], ['PASSED', []], JSON.stringify(result));
  assert.deepEqual([of(result, 'arrival').result, of(result, 'authentication').message], ['OK', 'DKIM: PASS, SPF: PASS']);
  const nothing = async () => {
    await until('the inbox to be empty', () => waiting(desk).length === 0);
    assert.equal((await desk.owner.get('/cases')).body.total_count, 0);
    assert.equal((await desk.owner.get('/users')).body.total_count, people);
  };
  await nothing();
  assert.deepEqual((await desk.admin.get('/mails')).must(200).data, []);
  arrive(`X-Again: 1\r\n${raw}`); // the token was used: an ordinary mail from a mailbox, which is suspended
  await nothing();
  arrive(raw.replace(/\[test-[0-9a-f]+\]/, `[test-${'0'.repeat(32)}]`));
  await nothing();
});

test('only admins and owners test a mailbox, once a minute', async (t) => {
  const desk = await open(t);
  for (const who of [desk.customer, desk.as('collaborator'), desk.staff]) {
    (await who.post(`/mailboxes/${SYSTEM}/test`)).refused(403, 'PERMISSIONS_DENIED');
    (await who.get(`/mailboxes/${SYSTEM}/test`)).refused(403, 'PERMISSIONS_DENIED');
  }
  (await desk.admin.post('/mailboxes/999/test')).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.admin.post(`/mailboxes/${SYSTEM}/test`)).must(202);
  const again = await desk.owner.post(`/mailboxes/${SYSTEM}/test`);
  again.refused(429, 'RATE_LIMIT_REACHED');
  assert.ok(Number(again.headers['retry-after']) > 0 && Number(again.headers['retry-after']) <= 60);
  await desk.clock.forward(MINUTE);
  (await desk.owner.post(`/mailboxes/${SYSTEM}/test`)).must(202);
});

test('each fault of the relay is a sentence and names its step', async (t) => {
  const desk = await open(t);
  await failing(desk, 'mailbox', /no address/);
  const password = 'Sekret-of-the-relay-1';
  const set = (port, values = {}) => connect(desk, { port }, values);
  await set(25, { 'mail.smtp_host': '' });
  await failing(desk, 'relay_connection', /^The desk has no relay/);
  await set(25, { 'mail.smtp_host': 'nowhere.invalid' });
  await failing(desk, 'relay_connection', /^There is no server with this host name\.$/);
  await set(await closed(t));
  await failing(desk, 'relay_connection', /^127\.0\.0\.1, port \d+, refused the connection/);
  await set(await server(t, () => '554 5.7.1 not from there\r\n'));
  await failing(desk, 'relay_connection', /^The relay refused the connection: 554 5\.7\.1 not from there$/);
  await set(await server(t, () => ''), { 'mail.smtp_timeout_seconds': 5 });
  await failing(desk, 'relay_login', /did not answer like a mail server in time/);
  await set(await server(t, (line) => (line === null ? '220 x\r\n' : '250 x\r\n')), { 'mail.smtp_security': 'TLS', 'mail.smtp_timeout_seconds': 5 });
  await failing(desk, 'relay_encryption', /does not speak TLS/);
  await set(await server(t, (line) => (line === null ? '220 x\r\n' : '250 x\r\n')), { 'mail.smtp_security': 'STARTTLS' });
  await failing(desk, 'relay_encryption', /does not offer STARTTLS/);
  const refusing = (at, reply) => server(t, (line) => {
    if (line === null) return '220 x\r\n';
    if (/^EHLO/i.test(line)) return '250-x\r\n250 AUTH PLAIN LOGIN\r\n';
    if (new RegExp(`^${at}`, 'i').test(line)) return reply;
    return /^DATA/i.test(line) ? '354 go\r\n' : /^AUTH/i.test(line) ? '334 \r\n' : /^[\w+/=]{9,}$/.test(line) ? '235 in\r\n' : '250 ok\r\n';
  });
  const login = { 'mail.smtp_user': 'desk', 'mail.smtp_password': password };
  await set(await refusing('AUTH', `535 wrong ${password}\r\n`), { 'mail.smtp_security': 'NONE', ...login });
  const denied = await failing(desk, 'relay_login', /refused the user or the password/);
  assert.equal(of(denied, 'relay_connection').result, 'OK');
  await set(await refusing('MAIL', '550 5.7.1 not yours\r\n'), login);
  await failing(desk, 'relay_mail', /^The relay refused the sender address: 550 5\.7\.1 not yours$/);
  await set(await refusing('RCPT', '550 5.1.1 unknown\r\n'), login);
  await failing(desk, 'relay_mail', /^The relay refused the recipient address: 550 5\.1\.1 unknown$/);
  await set(await refusing('RCPT', `550 5.1.1 ${password}\r\n`), login);
  const leak = await failing(desk, 'relay_mail', /^The relay refused the recipient address\.$/);
  assert.ok(!JSON.stringify(leak).includes(password));
  await set(await refusing('MAIL', '530 5.7.0 log in first\r\n'), { 'mail.smtp_user': '', 'mail.smtp_password': '' });
  await failing(desk, 'relay_login', /asks for a login/);
  assert.ok(!desk.log.includes(password), 'no password in the log');
});

/** A self-signed certificate for `name`. Only `openssl ca` makes one that has ended. */
function made(name, { first = '20200101000000Z', last = '20990101000000Z' } = {}) {
  const dir = directory(), at = (file) => join(dir, file);
  const run = (...args) => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };
  writeFileSync(at('names'), `subjectAltName=${name}\nbasicConstraints=CA:TRUE\n`);
  run('req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', at('key'), '-out', at('request'), '-subj', '/CN=x');
  writeFileSync(at('index'), '');
  writeFileSync(at('rules'), `[ca]\ndefault_ca=own\n[own]\ndatabase=${at('index')}\nnew_certs_dir=${dir}\nrand_serial=yes\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n`);
  run('ca', '-config', at('rules'), '-batch', '-selfsign', '-keyfile', at('key'), '-in', at('request'), '-startdate', first, '-enddate', last, '-extfile', at('names'), '-notext', '-out', at('cert'));
  return { certificate: at('cert'), key: at('key'), pem: readFileSync(at('cert'), 'utf8') };
}

test('a certificate is of another name, of nobody, or has expired', async (t) => {
  const desk = await open(t);
  const tls = async (pair, values) => connect(desk, await relay(t, { security: 'TLS', ...pair }), values);
  const own = certificate();
  await tls(own);
  await failing(desk, 'relay_encryption', /^No authority that the desk trusts/);
  const other = made('DNS:other.example');
  await tls(other, { 'mail.smtp_ca': other.pem });
  await failing(desk, 'relay_encryption', /is for another host name/);
  const old = made('IP:127.0.0.1', { last: '20200102000000Z' });
  await tls(old, { 'mail.smtp_ca': old.pem });
  await failing(desk, 'relay_encryption', /has expired/);
});

test('a mail that never arrives fails after a minute', async (t) => {
  const desk = await open(t);
  await relayFor(t, desk);
  (await desk.admin.post(`/mailboxes/${SYSTEM}/test`)).must(202);
  await until('the mail to wait', async () => (await desk.admin.fetch(`/mailboxes/${SYSTEM}/test`)).status === 'RUNNING');
  const end = until('the end of the test', async () => {
    await desk.clock.forward(MINUTE / 2);
    const now = await desk.admin.fetch(`/mailboxes/${SYSTEM}/test`);
    return now.status === 'RUNNING' ? undefined : now;
  });
  const result = await end;
  assert.equal(result.status, 'FAILED');
  assert.deepEqual([of(result, 'relay_mail').result, of(result, 'arrival').result, of(result, 'authentication').result], ['OK', 'FAILED', 'SKIPPED']);
  assert.match(of(result, 'arrival').message, /did not arrive within a minute/);
});

test('faults of the IMAP account name their step, and private addresses stay closed', async (t) => {
  const desk = await open(t);
  await relayFor(t, desk);
  const password = 'Sekret-of-imap-1';
  const account = async (port, more = {}) => (await desk.owner.put(`/mailboxes/${SYSTEM}`, { imap_host: '127.0.0.1', imap_port: port, imap_security: 'NONE', imap_user: 'desk', imap_password: password, ...more })).must(200);
  (await desk.owner.put(`/mailboxes/${SYSTEM}`, { imap_host: '127.0.0.1' })).refused(400, 'FIELD_INVALID', 'imap_host');
  await account(await closed(t), { imap_host: 'localhost.localdomain' }).catch(() => {});
  await desk.owner.update('/settings', { values: { 'mail.imap_allow_private_addresses': true } });
  await account(await closed(t));
  await failing(desk, 'imap_connection', /refused the connection/);
  const imap = (login, select) => server(t, (line) => {
    if (line === null) return '* OK [CAPABILITY IMAP4rev1] ready\r\n';
    const [tag, verb] = line.split(' ');
    if (/^LOGIN$/i.test(verb)) return `${tag} ${login}\r\n`;
    if (/^SELECT$/i.test(verb)) return `${tag} ${select}\r\n`;
    return /^CAPABILITY$/i.test(verb) ? `* CAPABILITY IMAP4rev1\r\n${tag} OK\r\n` : `${tag} OK\r\n`;
  });
  await account(await imap(`NO wrong ${password}`, 'OK'));
  const denied = await failing(desk, 'imap_login', /refused the user or the password/);
  assert.ok(!JSON.stringify(denied).includes(password));
  assert.deepEqual([of(denied, 'imap_connection').result, of(denied, 'imap_encryption').result, of(denied, 'arrival').result], ['OK', 'SKIPPED', 'SKIPPED']);
  await account(await imap('OK in', 'NO there is no such folder'));
  await failing(desk, 'imap_folder', /^A folder can't be used/);
  await desk.owner.update('/settings', { values: { 'mail.imap_allow_private_addresses': false } });
  const refused = await failing(desk, 'imap_connection', /is an address of this machine or of a private network/);
  assert.match(of(refused, 'imap_connection').advice, /mail\.imap_allow_private_addresses/);
  assert.ok(!desk.log.includes(password));
});

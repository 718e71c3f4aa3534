import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOUR, MINUTE, SECOND, open, rowsChanged, until } from '../api/lib/index.mjs';
import { dovecot, imapMailbox, mailOf, noDovecot } from './servers.mjs';

const check = (name, run) => test(name, { skip: noDovecot, timeout: 300_000 }, run);

/** A Dovecot with mails in INBOX, and a desk that reads it. */
async function reading(t, { settings, mails = [], folders = ['Done'], rights = {}, args = [], ...mailbox } = {}) {
  const server = await dovecot(t, settings);
  for (const name of ['INBOX', ...folders]) server.folder(name);
  for (const [name, letters] of Object.entries(rights)) writeFileSync(join(server.path(name), 'dovecot-acl'), `owner ${letters}\n`);
  server.put(mails);
  const desk = await open(t, { args });
  const box = await imapMailbox(desk, server, mailbox);
  return { server, desk, box };
}
const subjects = async (desk) => (await desk.owner.fetch('/conversations', { limit: 1000 })).map((c) => c.subject).sort();
const read = (desk, count) => until(`${count} conversations`, async () => (await subjects(desk)).length >= count && subjects(desk));
const failing = (box, text) => until(`the error ${text}`, async () => text.test(await box.error() ?? ''));

/** Makes the store refuse mails with this subject. */
const refuse = (desk, subject) => desk.sql(process.env.DATABASE
  ? `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'check_violation'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON mails FOR EACH ROW WHEN (NEW.subject = '${subject}') EXECUTE FUNCTION refuse()`
  : `CREATE TRIGGER refuse BEFORE INSERT ON mails WHEN NEW.subject = '${subject}' BEGIN SELECT RAISE(ABORT, 'refused'); END`);

for (const [what, settings] of [['MOVE, UIDPLUS and IDLE', ''], ['no extension', 'imap_capability = IMAP4rev1']]) {
  check(`mails become conversations and are moved: a server with ${what}`, async (t) => {
    const mails = ['A', 'B', 'C'].map((subject) => mailOf({ subject }));
    const { server, desk, box } = await reading(t, { settings, mails, after: 'Done' });
    assert.deepEqual(await read(desk, 3), ['A', 'B', 'C']);
    await until('the mails to be moved', () => server.mails().length === 0);
    assert.deepEqual(server.mails('Done').map(String).sort(), [...mails].sort());
    await until('success', async () => await box.error() === null);
    server.put(mailOf({ subject: 'D' }));
    if (settings) await desk.clock.forward(MINUTE); // otherwise the server reports it (IDLE), and the clock of the desk stands still
    assert.deepEqual(await read(desk, 4), ['A', 'B', 'C', 'D']);
  });

  check(`mails are deleted if no folder is given: a server with ${what}`, async (t) => {
    const { server, desk } = await reading(t, { settings, mails: [mailOf({ subject: 'A' }), mailOf({ subject: 'B' })] });
    assert.deepEqual(await read(desk, 2), ['A', 'B']);
    await until('the mails to be deleted', () => server.mails().length === 0);
    assert.equal(server.mails('Done').length, 0);
  });
}

check('more mails than one round takes are read, oldest first, with names of folders in other alphabets', async (t) => {
  const names = Array.from({ length: 120 }, (_, i) => `M${String(i).padStart(3, '0')}`);
  const { server, desk } = await reading(t, { mails: names.map((subject, i) => mailOf({ subject, from: `p${i}@customers.example` })), folders: ['Erledigt &APw-'], after: 'Erledigt ü' });
  assert.deepEqual(await read(desk, 120), names);
  await until('the mails to be moved', () => server.mails().length === 0);
  assert.equal(server.mails('Erledigt &APw-').length, 120);
});

check('a desk that is killed while it reads loses no mail and takes none twice', async (t) => {
  const names = Array.from({ length: 90 }, (_, i) => `K${String(i).padStart(3, '0')}`);
  const { server, desk } = await reading(t, { mails: names.map((subject, i) => mailOf({ subject, from: `p${i}@customers.example` })), after: 'Done' });
  for (const enough of [3, 20, 52, 75]) {
    await until(`${enough} conversations`, async () => (await subjects(desk)).length >= enough);
    await desk.kill();
    desk.clock.write(desk.clock.now + 2000 * MINUTE); // leases of the killed processes end
    await desk.start();
  }
  await until('all mails to be moved', () => server.mails().length === 0);
  assert.deepEqual(await read(desk, names.length), names);
  assert.equal(server.mails('Done').length, names.length);
});

check('a refused password is tried once an hour, and at once after a change', async (t) => {
  const { server, desk, box } = await reading(t, { mails: [mailOf({ subject: 'A' })], password: 'wrong password' });
  await failing(box, /^The server refused the user or the password\.$/);
  const [, refused] = server.logins;
  await desk.clock.forward(30 * MINUTE);
  server.put(mailOf({ subject: 'B' }));
  await desk.clock.forward(29 * MINUTE);
  assert.deepEqual(server.logins, [0, refused]);
  await desk.clock.forward(2 * MINUTE);
  await until('a second try', () => server.logins[1] > refused);
  await box.change({ password: server.password });
  assert.deepEqual(await read(desk, 2), ['A', 'B']);
  await until('success', async () => await box.error() === null);
  assert.equal(desk.log.match(/refused the user or the password/g).length, 1, 'it is logged once');
  assert.ok(!desk.log.includes('wrong password') && !desk.log.includes(server.password));
});

check('a folder that is missing is reported before any mail is taken, and found when it exists', async (t) => {
  const { server, desk, box } = await reading(t, { mails: [mailOf({ subject: 'A' })], folders: [], after: 'Done' });
  await failing(box, /^The server answered: NO .*Done/);
  assert.deepEqual([await subjects(desk), server.mails().length], [[], 1]);
  server.folder('Done');
  await desk.clock.forward(MINUTE + SECOND);
  assert.deepEqual(await read(desk, 1), ['A']);
  await box.change({ folder: 'Elsewhere' });
  await failing(box, /^The server answered: NO .*Elsewhere/);
});

check('a server that is gone is tried again after growing delays', async (t) => {
  const { server, desk, box } = await reading(t);
  await until('success', async () => await box.error() === null && await box.tried());
  await server.stop();
  await failing(box, /./);
  server.put(mailOf({ subject: 'A' }));
  await server.start();
  await desk.clock.forward(HOUR);
  assert.deepEqual(await read(desk, 1), ['A']);
});

check('the certificate of the server must be valid, with STARTTLS and with TLS', async (t) => {
  const { server, desk, box } = await reading(t, { mails: [mailOf({ subject: 'A' })], ca: '' });
  for (const security of ['STARTTLS', 'TLS']) {
    await box.change({ security, port: security === 'TLS' ? server.ports.imaps : server.ports.imap });
    await failing(box, /certificate|SSL/);
    assert.deepEqual(server.logins, [0, 0]);
  }
  await desk.owner.update('/settings', { values: { 'mail.imap_ca': server.cert.pem } });
  assert.deepEqual(await read(desk, 1), ['A']);
});

check('a server without STARTTLS gets no password, unless security is NONE', async (t) => {
  const { server, desk, box } = await reading(t, { settings: 'ssl = no', mails: [mailOf({ subject: 'A' })] });
  await failing(box, /^The server does not offer STARTTLS\.$/);
  assert.deepEqual(server.logins, [0, 0]);
  await box.change({ security: 'NONE' });
  assert.deepEqual(await read(desk, 1), ['A']);
});

check('addresses of private networks need the setting of an owner', async (t) => {
  const { server, desk, box } = await reading(t, { mails: [mailOf({ subject: 'A' })], privately: false, host: 'imap.example' });
  await rowsChanged(desk, "UPDATE mailboxes SET imap_host = '127.0.0.1'"); // the API refuses it; a name may lead there all the same
  await failing(box, /^127\.0\.0\.1 is an address of this machine or of a private network\. .*mail\.imap_allow_private_addresses\.$/);
  assert.ok(!/imap-login: Info: (Login|Aborted|Disconnected).*TLS/.test(server.log));
  await desk.owner.update('/settings', { values: { 'mail.imap_allow_private_addresses': true } });
  assert.deepEqual(await read(desk, 1), ['A']);
});

check('a mail that is too large stays in the folder and is reported; the others are read', async (t) => {
  const large = Buffer.concat([Buffer.from(mailOf({ subject: 'Large' })), Buffer.alloc(50 << 20, 'x\r\n')]);
  const { server, desk, box } = await reading(t, { mails: [large, mailOf({ subject: 'A' })] });
  assert.deepEqual(await read(desk, 1), ['A']);
  await failing(box, /^1 mail is larger than 50 MB and will stay in the folder\.$/);
  assert.equal(server.mails().length, 1);
});

check('a folder that can only be read is reported, and no mail is taken', async (t) => {
  const settings = 'mail_plugins = acl\nplugin {\nacl = vfile\n}';
  const { server, desk, box } = await reading(t, { settings, folders: ['Kept'], rights: { Kept: 'lr' }, folder: 'Kept' });
  await failing(box, /^The folder can only be read, so mails can't be moved or deleted\.$/);
  server.put(mailOf({ subject: 'A' }), 'Kept');
  await desk.clock.forward(MINUTE + SECOND);
  await until('another attempt', async () => server.logins[0] > 1);
  assert.deepEqual([await subjects(desk), server.mails('Kept').length], [[], 1]);
});

check('an account without security uses TLS', async (t) => {
  const { server, desk, box } = await reading(t, { mails: [mailOf({ subject: 'A' })], ca: '' });
  await failing(box, /certificate|SSL/);
  await box.change({ security: null, port: server.ports.imaps });
  await desk.owner.update('/settings', { values: { 'mail.imap_ca': server.cert.pem } });
  assert.deepEqual(await read(desk, 1), ['A']);
});

check('a mail that the desk can not store is kept for the operator, and the others are read', async (t) => {
  const names = ['Bad', ...Array.from({ length: 60 }, (_, i) => `M${String(i).padStart(3, '0')}`)];
  const { server, desk, box } = await reading(t, { mails: [], after: 'Done' });
  await until('success', async () => await box.error() === null && await box.tried());
  refuse(desk, 'Bad');
  server.put(names.map((subject, i) => mailOf({ subject, from: `p${i}@customers.example` })));
  assert.deepEqual(await read(desk, 60), names.slice(1));
  await until('all mails to be moved', () => server.mails().length === 0);
  assert.equal(readdirSync(join(desk.dir, 'mail/failed')).length, 1);
  assert.equal(server.mails('Done').length, names.length);
});

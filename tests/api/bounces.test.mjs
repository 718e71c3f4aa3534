import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { BINARY, FIXTURES, MINUTE, connect, deliver, deskd, directory, fixture, iso, mailIn, open, relay, relayFor, shared, until, waiting } from './lib/index.mjs';

const GONE = 'gone@people.example';
const invite = (who, email = GONE) => who.create('/users/invite', { full_name: 'Ines Invited', email });
const failures = async (desk, id, who = desk.staff) => (await who.fetch(`/users/${id}/activities`, { limit: 100 })).filter((a) => a.activity === 'USER_MAIL_FAILED');
const told = (activity) => Object.fromEntries(activity.actions.map((c) => [c.field, c.new_value]));
/** The reason in the only delivery failure in a person's trail. */
const reason = async (desk, id) => {
  const [one, ...more] = await failures(desk, id);
  assert.equal(more.length, 0);
  return one && told(one).reason;
};

/** A desk with a relay that accepted invitations to these people: their letters and ids by address. */
async function invited(desk, to, ...addresses) {
  const known = to.mails.length;
  const letters = {};
  for (const address of addresses) letters[address] = { id: (await invite(desk.owner, address)).id };
  await until('the letters', () => to.mails.length >= known + addresses.length);
  for (const mail of to.mails.slice(known)) letters[mail.to[0]].mail = mail;
  return letters;
}
async function written(t, ...addresses) {
  const desk = await open(t);
  const to = await relayFor(t, desk);
  return { desk, to, letters: await invited(desk, to, ...(addresses.length ? addresses : [GONE])) };
}
/** The same report with some words replaced. */
const with_ = (text, ...pairs) => pairs.reduce((s, [from, to]) => {
  assert.ok(s.includes(from), from);
  return s.replaceAll(from, to);
}, text);
const action = (letter, word) => with_(fixture('postfix', letter), ['Action: failed', `Action: ${word}`]);

const REASONS = {
  exchange: '5.1.10 smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
  exim: '5.0.0',
  global: '5.1.1 smtp; 550-5.1.1 The email account that you tried to reach does not exist',
  postfix: '5.1.1 smtp; 550 5.1.1 <gone@people.example>: Recipient address rejected: User unknown in virtual mailbox table',
  qmail: '5.1.1 X-Qmail; Sorry, no mailbox here by that name. (#5.1.1)',
};

describe('a report about a letter', () => {
  test('there is a fixture for each reason', () => assert.deepEqual(FIXTURES, Object.keys(REASONS)));

  for (const [name, why] of Object.entries(REASONS)) {
    test(`a report as ${name} writes it is recorded, with LF and with CR LF`, async (t) => {
      const { desk, to, letters } = await written(t);
      await deliver(desk, fixture(name, letters[GONE].mail));
      assert.equal(await reason(desk, letters[GONE].id), why);
      const other = (await invited(desk, to, 'gone2@people.example'))['gone2@people.example'];
      await deliver(desk, with_(fixture(name, other.mail), ['\n', '\r\n']));
      assert.ok((await reason(desk, other.id)).startsWith(why), 'the name of the address follows the reason');
    });
  }

  test('the trail names the mail, the address and the reason, without an actor', async (t) => {
    const { desk, letters } = await written(t);
    await deliver(desk, fixture('postfix', letters[GONE].mail));
    const [activity] = await failures(desk, letters[GONE].id);
    assert.deepEqual([activity.summary, activity.verb, activity.actor, activity.created_at],
      [`A mail server could not deliver a mail to <${desk.base}/api/v1/users/${letters[GONE].id}|this person>`, 'FAILED', null, iso(desk.clock.now)]);
    assert.deepEqual(activity.actions.map((c) => [c.field, c.old_value, c.new_value]),
      [['mail', null, 'invitation'], ['recipient', null, GONE], ['status', null, 'BOUNCED'], ['reason', null, REASONS.postfix]]);
    await until('the line', () => /warn mail \d+ \(invitation\) bounced: see its last_error/.test(desk.log));
    assert.ok(!desk.log.includes(GONE), 'the log contains no address');
  });

  test('a refusal by the relay is recorded like a report', async (t) => {
    const desk = await open(t);
    const to = await relayFor(t, desk);
    await to.tell({ replies: ['550 5.1.1 no such mailbox'] });
    const { id } = await invite(desk.owner);
    await until('the note', async () => (await failures(desk, id)).length);
    const [activity] = await failures(desk, id);
    const { reason: why, ...rest } = told(activity);
    assert.deepEqual(rest, { mail: 'invitation', recipient: GONE, status: 'REFUSED' });
    assert.match(why, /^550 5\.1\.1 no such mailbox/);
    await deliver(desk, fixture('postfix', '<forged@example.com>'));
    assert.equal((await failures(desk, id)).length, 1);
  });

  test('staff see the failure, customers don\'t', async (t) => {
    const { desk, letters } = await written(t);
    const { id } = letters[GONE];
    await deliver(desk, fixture('postfix', letters[GONE].mail));
    for (const role of ['owner', 'admin', 'agent', 'collaborator']) assert.equal((await failures(desk, id, desk.as(role))).length, 1, role);
    (await desk.customer.get(`/users/${id}/activities`)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get(`/users/${id}/activities`)).refused(401, 'AUTHORIZATION_REQUIRED');
    assert.ok(!(await desk.customer.get('/me')).text.includes('BOUNCED'));
  });

  test('reports of delayed, delivered, relayed or expanded mail change nothing', async (t) => {
    const { desk, letters } = await written(t);
    const { id, mail } = letters[GONE];
    await deliver(desk, ...['delayed', 'delivered', 'relayed', 'expanded', 'failing', ''].map((word) => action(mail, word)));
    assert.deepEqual(await failures(desk, id), []);
    await deliver(desk, action(mail, 'FAILED (of course)'));
    assert.equal((await failures(desk, id)).length, 1);
  });

  test('a repeated report, and a second report about the same letter, are recorded once', async (t) => {
    const { desk, letters } = await written(t);
    const { id, mail } = letters[GONE];
    await deliver(desk, fixture('postfix', mail), fixture('postfix', mail));
    await deliver(desk, fixture('exim', mail));
    assert.equal((await failures(desk, id)).length, 1);
  });

  test('a bounce of a claimed address records no activity', async (t) => {
    const desk = await open(t);
    const to = await relayFor(t, desk);
    await desk.customer.create('/profile/identities/emails', { email: GONE });
    await deliver(desk, fixture('postfix', await to.find(GONE)));
    await until('the line', () => /bounced: see its last_error/.test(desk.log));
    assert.deepEqual(await failures(desk, desk.people.customer.id), []);
  });

  test('a late report records nothing for a purged person, but does for a deleted one', async (t) => {
    const { desk, letters } = await written(t, 'purged@people.example', 'deleted@people.example');
    const [purged, deleted] = Object.values(letters);
    (await desk.owner.delete(`/users/${purged.id}`, { purge: true })).must(200);
    (await desk.owner.delete(`/users/${deleted.id}`)).must(200);
    await deliver(desk, fixture('postfix', purged.mail), fixture('postfix', deleted.mail));
    assert.deepEqual([(await failures(desk, purged.id)).length, (await failures(desk, deleted.id)).length], [0, 1]);
  });

  test('a purge erases the values of recorded failures', async (t) => {
    const { desk, letters } = await written(t);
    const { id, mail } = letters[GONE];
    await deliver(desk, fixture('postfix', mail));
    (await desk.owner.delete(`/users/${id}`, { purge: true })).must(200);
    const { text } = await desk.owner.get(`/users/${id}/activities`);
    assert.ok(text.includes('USER_MAIL_FAILED') && !text.includes(GONE), text);
  });
});

describe('the letter that a report names', () => {
  const world = shared(async (w) => {
    w.to = await relay(w.t);
    await connect(w.desk, w.to);
  });
  let n = 0;
  const letter = async () => {
    const address = `p${++n}@people.example`;
    return { address, ...(await invited(world.desk, world.to, address))[address] };
  };
  /** Delivers a report of our own text about the letter, and returns the failures in its person's trail. */
  const after = async (one, text) => {
    await deliver(world.desk, text);
    return reason(world.desk, one.id);
  };
  const own = (one) => with_(fixture('postfix', one.mail), [GONE, one.address]);

  test('a report about an unknown letter is dropped without a line in the log', async () => {
    const one = await letter();
    const before = world.desk.log;
    assert.equal(await after(one, with_(own(one), [one.mail.header('Message-ID'), '<forged@example.com>'])), undefined);
    assert.equal(await after(one, with_(own(one), [`Message-Id: ${one.mail.header('Message-ID')}`, 'X-Nothing: 1'])), undefined);
    assert.equal(world.desk.log, before);
  });

  test('only a Message-ID in the returned headers identifies the letter', async () => {
    const one = await letter();
    const id = one.mail.header('Message-ID');
    assert.equal(await after(one, with_(own(one), [`Message-Id: ${id}`, 'X-Nothing: 1'], ['Auto-Submitted: auto-replied', `In-Reply-To: ${id}`], ['Reporting-MTA:', `Message-ID: ${id}\nReporting-MTA:`])), undefined);
  });

  test('a report about one person\'s letter records nothing for another person that it names', async () => {
    const [mine, victim] = [await letter(), await letter()];
    assert.match(await after(mine, with_(own(mine), [mine.address, victim.address])), new RegExp(`\\(of ${victim.address}\\)$`));
    assert.deepEqual(await failures(world.desk, victim.id), []);
    assert.deepEqual(told((await failures(world.desk, mine.id))[0]).recipient, mine.address);
  });

  test('a report on several recipients counts for the recipient of the letter', async () => {
    const one = await letter();
    const two = (mine, other) => with_(own(one), ['Final-Recipient:', `Final-Recipient: rfc822; other@elsewhere.example\nAction: ${other}\nStatus: 5.7.1\n\nFinal-Recipient:`], ['Action: failed\nStatus: 5.1.1', `Action: ${mine}\nStatus: 5.1.1`]);
    assert.equal(await after(one, two('delivered', 'failed')), undefined);
    assert.match(await after(one, two('failed', 'delivered')), /^5\.1\.1 [^(]*$/);
  });

  test('addresses are compared without letter case and with domains as A-labels', async () => {
    const address = 'gone@bücher.example';
    const one = { id: (await invite(world.desk.owner, address)).id, mail: await until('it', () => world.to.mails.find((m) => m.to[0] === 'gone@xn--bcher-kva.example')) };
    assert.doesNotMatch(await after(one, with_(fixture('postfix', one.mail), [`rfc822; ${GONE}`, 'rfc822; <Gone@XN--bcher-kva.EXAMPLE>'], [`rfc822;${GONE}`, 'rfc822; nobody@example.com'])), /\(of /);
  });

  test('a reason is one short line of printable ASCII', async () => {
    const one = await letter();
    const why = await after(one, with_(own(one), ['User unknown in virtual mailbox table\n', `\x1b[31m\x00\x07 \u00fc\xff\xfe\x85 <b>bold</b>\n\t${'x'.repeat(5000)}\n`], ['Status: 5.1.1', 'Status: 5.1.1.1; DROP']));
    assert.match(why, /^smtp; 550 [ -~]*: Recipient address rejected: \?*\[31m \?* <b>bold<\/b> x+$|^smtp; 550 [ -~]*\[31m[ -~]*<b>bold<\/b> x+$/);
    assert.ok(why.length <= 400, `${why.length}`);
    const bare = await letter();
    const quiet = with_(own(bare), ['Status: 5.1.1', 'X: 1'], ['Diagnostic-Code:', 'X-Diagnostic-Code:']);
    assert.equal(await after(bare, quiet), 'the report gives no reason');
  });

  test('a hostile report neither ends the desk nor stays in its inbox', async () => {
    const { desk } = world;
    const one = await letter();
    const text = own(one);
    const [head, rest] = [text.slice(0, text.indexOf('\n\n')), text.slice(text.indexOf('\n\n'))];
    const part = (body) => text.replace('Hello Ines Invited,', () => body);
    const hostile = {
      'headers of a megabyte': `${head}\n${'X-Pad: y\n'.repeat(100_000)}${rest.slice(1)}`,
      'a header of a megabyte': `${head}\nX-Pad: ${'y'.repeat(900_000)}${rest}`,
      'an endless folded header': `${head}\nX-Pad: y${'\n y'.repeat(250_000)}${rest}`,
      'nested groups, which crash GMime': `${head}\nCc: ${'g:'.repeat(400_000)}${rest}`,
      'nested groups in the letter': with_(text, ['To: Ines Invited <', `Cc: ${'g:'.repeat(400_000)}\nTo: <`]),
      'comments in comments': `${head}\nCc: ${'('.repeat(900_000)}${rest}`,
      '10,000 later parts': with_(text, ['/mx.people.example--\n', `/mx.people.example\n${'Content-Type: text/plain\n\nx\n--9E5D11C0A5.1795426202/mx.people.example\n'.repeat(10_000)}`]),
      'mails in mails': part(`--=-inner\n${'Content-Type: message/rfc822\n\n'.repeat(30_000)}`),
      'parts in parts': part(Array.from({ length: 15_000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`).join('')),
      'very many recipients': with_(text, ['Final-Recipient:', `${'Final-Recipient: rfc822; x@y.example\nAction: delayed\n\n'.repeat(15_000)}Final-Recipient:`]),
      'one recipient of 50,000 fields': with_(text, ['Diagnostic-Code:', `${'Diagnostic-Code: x\nFinal-Recipient: rfc822; a@b\n'.repeat(20_000)}Diagnostic-Code:`]),
      'very many parameters': with_(text, ['Content-Type: message/delivery-status', `Content-Type: message/delivery-status; ${'a*1*=b;'.repeat(100_000)}`]),
      'bytes that are not UTF-8': with_(text, ['Mail Delivery System', '\xff\xfe\x00\x80\xc0'], ['Final-Recipient: rfc822;', 'Final-Recipient: rfc822;\xff\xc3\x28']),
      'invalid base64': with_(text, ['Content-Type: message/delivery-status', 'Content-Type: message/delivery-status\nContent-Transfer-Encoding: base64']),
      'invalid quoted-printable': with_(text, ['Content-Type: message/delivery-status', 'Content-Type: message/delivery-status\nContent-Transfer-Encoding: quoted-printable']),
      'an empty boundary': with_(text, ['"9E5D11C0A5.1795426202/mx.people.example"', '""']),
    };
    for (const [what, mail] of Object.entries(hostile)) {
      const done = mailIn(desk, mail);
      assert.equal(done.status, 0, `${what}: ${done.signal} ${done.stderr}`);
    }
    for (let end = text.length; end > 0; end -= 41) {
      assert.equal(mailIn(desk, text.slice(0, end)).status, 0, `cut at ${end}`);
    }
    await until('the inbox to be empty', () => waiting(desk).length === 0);
    assert.equal((await failures(desk, one.id)).length, 1, 'the complete reports are recorded');
    (await desk.owner.get('/me')).must(200);
  });
});

describe('the time of recording', () => {
  test('a report that arrives while the desk is stopped is handled when it starts', async (t) => {
    const { desk, letters } = await written(t);
    await desk.stop();
    assert.equal(mailIn(desk, fixture('postfix', letters[GONE].mail)).status, 0);
    assert.equal(waiting(desk).length, 1);
    await desk.start();
    await until('the inbox to be empty', () => waiting(desk).length === 0);
    assert.equal((await failures(desk, letters[GONE].id)).length, 1);
  });

  test('SIGKILL before a report is handled loses nothing; SIGKILL between COMMIT and removal records nothing twice', async (t) => {
    const { desk, letters } = await written(t, 'a@people.example', 'b@people.example', 'c@people.example');
    const mails = Object.values(letters).map(({ mail }) => fixture('postfix', mail));
    const copies = directory();
    await desk.kill();
    for (const mail of mails) assert.equal(mailIn(desk, mail).status, 0);
    for (const name of waiting(desk)) copyFileSync(join(desk.dir, 'mail/new', name), join(copies, name));
    await desk.start();
    await until('the inbox to be empty', () => waiting(desk).length === 0);
    await desk.kill();
    for (const name of readdirSync(copies)) copyFileSync(join(copies, name), join(desk.dir, 'mail/new', name)); // as if it had not been removed
    await desk.start();
    await until('the inbox to be empty', () => waiting(desk).length === 0);
    for (const { id } of Object.values(letters)) assert.equal((await failures(desk, id)).length, 1);
  });

  test('a letter that bounces before its sending is recorded stays bounced and is not sent again', async (t) => {
    const desk = await open(t);
    const to = await relayFor(t, desk);
    await to.tell({ hold: true });
    const { id } = await invite(desk.owner);
    const mail = await to.mail();
    await deliver(desk, fixture('postfix', mail));
    assert.equal((await failures(desk, id)).length, 1);
    await to.tell({ hold: false });
    await invited(desk, to, 'after@people.example'); // is sent after the letter that the relay held
    await deliver(desk, fixture('exim', mail));
    assert.equal((await failures(desk, id)).length, 1, 'a later report does not erase the failure');
  });

  test('a letter that bounces before its sending is recorded stays bounced after SIGKILL', async (t) => {
    const desk = await open(t);
    const to = await relayFor(t, desk);
    await to.tell({ hold: true });
    const { id } = await invite(desk.owner);
    const mail = await to.mail();
    await desk.kill();
    await to.tell({ hold: false });
    assert.equal(mailIn(desk, fixture('postfix', mail)).status, 0);
    await desk.start();
    await until('the note', async () => (await failures(desk, id)).length === 1);
    await desk.clock.forward(6 * MINUTE); // the lease of the job expires
    await invited(desk, to, 'after@people.example');
    assert.deepEqual(to.mails.map((m) => m.to[0]), [GONE, 'after@people.example']);
  });

  test('an unreadable file is moved to failed, logged, and not tried again', async (t) => {
    const desk = await open(t, { processes: 1 });
    const inbox = join(desk.dir, 'mail/new');
    mkdirSync(join(inbox, 'folder'));
    writeFileSync(join(desk.dir, 'large'), '');
    truncateSync(join(desk.dir, 'large'), 60 << 20);
    renameSync(join(desk.dir, 'large'), join(inbox, 'large')); // the desk reads a file as soon as it has its name
    await until('the inbox to be empty', () => waiting(desk).length === 0);
    assert.deepEqual(waiting(desk, 'failed').sort(), ['folder', 'large']);
    const lines = () => [...desk.log.matchAll(/error a mail that came in can't be processed and was moved to \S+\/failed\/(\w+): /g)].map(([, name]) => name).sort();
    await until('the lines', () => lines().length >= 2);
    assert.deepEqual(lines(), ['folder', 'large']);
  });
});

describe('deskd mail-in', () => {
  const world = shared();
  const answers = (done, status, pattern) => {
    assert.equal(done.status, status, `${done.signal} ${done.stdout}${done.stderr}`);
    assert.equal(done.stdout, '');
    assert.match(done.stderr, /^deskd: [^\n]+\n$/);
    assert.match(done.stderr, pattern);
  };
  const report = () => fixture('postfix', '<x@example.com>');

  test('exits with 65 if the input is empty, and takes any other input, for the desk to judge', () => {
    answers(mailIn(world.desk, ''), 65, /standard input is empty: give one mail/);
    for (const text of ['\n', 'hello\n', '\x7fELF\x01\x02\x00\xff', 'Subject: no sender and no date\n\nx', 'x'.repeat(200_000), fixture('plain', '<x@example.com>')])
      assert.equal(mailIn(world.desk, text).status, 0);
  });

  test('exits with 69 if the mail is too large', () => {
    answers(mailIn(world.desk, report().padEnd((50 << 20) + 1)), 69, /this mail is larger than 50 MiB: send it without its files/);
    assert.deepEqual(waiting(world.desk, 'tmp'), []);
    assert.equal(mailIn(world.desk, report().padEnd(50 << 20)).status, 0);
  });

  test('exits with 75 if it can\'t store the mail: no desk, no folder, no rights, a wrong command line', async () => {
    const { dir } = world.desk;
    answers(mailIn(world.desk, report(), { data: join(dir, 'nowhere') }), 75, /nowhere\/mail is not an inbox: name the data folder of a desk that has been served/);
    const fresh = directory();
    answers(mailIn(world.desk, report(), { data: fresh }), 75, /is not an inbox/);
    assert.deepEqual(readdirSync(fresh), [], 'mail-in creates no folder');
    for (const args of [['--no-such-thing', 'x'], ['--settings', '/nowhere/deskd.conf'], ['operand']]) answers(mailIn(world.desk, report(), { args }), 75, /./);
    mkdirSync(join(fresh, 'mail/new'), { recursive: true });
    writeFileSync(join(fresh, 'mail/tmp'), '');
    answers(mailIn(world.desk, report(), { data: fresh }), 75, /mail can't store a mail now: Not a directory/);
    rmSync(join(fresh, 'mail/tmp'));
    assert.deepEqual(readdirSync(join(fresh, 'mail/new')), []);
  });

  test('exits with 75 if the user has no rights to the folder', (t) => {
    const root = process.getuid() === 0;
    const dir = directory();
    for (const folder of ['tmp', 'new', 'failed']) mkdirSync(join(dir, 'mail', folder), { recursive: true });
    if (!root) chmodSync(join(dir, 'mail/tmp'), 0o500);
    const under = root ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : ['env', '--'];
    const run = (...args) => spawnSync(under[0], [...under.slice(1), ...args], { input: report(), encoding: 'utf8' });
    if (run(BINARY, '--version').status !== 0) return t.skip('no other user may run the program here');
    answers(run(BINARY, 'mail-in', '--data', dir), 75, /mail can't store a mail now: Permission denied/);
    if (!root) chmodSync(join(dir, 'mail/tmp'), 0o700);
    assert.deepEqual([readdirSync(join(dir, 'mail/new')), readdirSync(join(dir, 'mail/tmp'))], [[], []]);
  });

  test('stores the mail as the owner of the data folder when run by root, and follows no links beyond their rights', (t) => {
    if (process.getuid() !== 0) return t.skip('only root can act as others');
    const NOBODY = 65534, dir = directory(), target = directory();
    chmodSync(dirname(dir), 0o711);
    for (const folder of ['', 'mail', 'mail/tmp', 'mail/new']) {
      mkdirSync(join(dir, folder), { recursive: true });
      chownSync(join(dir, folder), NOBODY, NOBODY);
    }
    assert.equal(mailIn(world.desk, report(), { data: dir }).status, 0);
    const kept = statSync(join(dir, 'mail/new', readdirSync(join(dir, 'mail/new'))[0]));
    assert.deepEqual([kept.uid, kept.gid], [NOBODY, NOBODY]);
    rmSync(join(dir, 'mail/new'), { recursive: true });
    symlinkSync(target, join(dir, 'mail/new'));
    answers(mailIn(world.desk, report(), { data: dir }), 75, /mail can't store a mail now: Permission denied/);
    assert.deepEqual(readdirSync(target), []);
  });

  test('stores the mail readable by the desk only', () => {
    const dir = directory();
    for (const folder of ['tmp', 'new', 'failed']) mkdirSync(join(dir, 'mail', folder), { recursive: true });
    assert.equal(mailIn(world.desk, report(), { data: dir }).status, 0);
    const [name] = readdirSync(join(dir, 'mail/new'));
    assert.equal(statSync(join(dir, 'mail/new', name)).mode & 0o777, 0o600);
    assert.equal(readFileSync(join(dir, 'mail/new', name), 'latin1'), `deskd-mail 1\ndoor: PIPE\nfrom: <>\n\n${report()}`);
    assert.deepEqual(readdirSync(join(dir, 'mail/tmp')), []);
    for (const folder of ['', 'tmp', 'new', 'failed']) assert.equal(statSync(join(world.desk.dir, 'mail', folder)).mode & 0o777, 0o700);
  });

  test('a mail cut off by SIGKILL is not stored, and its leftover is removed at the next start', async (t) => {
    const desk = await open(t);
    const child = spawn(BINARY, ['mail-in', '--data', desk.dir], { stdio: ['pipe', 'ignore', 'ignore'] });
    const gone = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal)));
    await new Promise((sent) => child.stdin.write(report().slice(0, 500), sent));
    child.kill('SIGKILL');
    assert.equal(await gone, 'SIGKILL');
    writeFileSync(join(desk.dir, 'mail/tmp/half'), report().slice(0, 500));
    await desk.restart();
    assert.deepEqual([waiting(desk), waiting(desk, 'tmp')], [[], []]);
  });

  test('runs as mail servers run it: a pipe of an alias, with a From_ line and the folder in the settings file', async (t) => {
    const desk = await open(t);
    const to = await relayFor(t, desk);
    const { [GONE]: letter } = await invited(desk, to, GONE);
    const settings = join(directory(), 'deskd.conf');
    writeFileSync(settings, `data = ${desk.dir}\ndatabase = postgres://nobody@127.0.0.1:1/none\nlisten = 127.0.0.1:0\n`);
    const done = spawnSync('/bin/sh', ['-c', `${BINARY} mail-in --settings ${settings}`], { input: `From MAILER-DAEMON  Mon Nov 23 09:30:02 2026\n${fixture('postfix', letter.mail)}`, encoding: 'latin1', env: { PATH: '/usr/bin:/bin' } });
    assert.deepEqual([done.status, done.stderr], [0, '']);
    await until('the note', async () => (await failures(desk, letter.id)).length === 1);
  });

  test('--help lists each exit status, and the list of commands includes mail-in', () => {
    const { status, stdout } = deskd('mail-in', '--help');
    assert.equal(status, 0);
    for (const code of ['0', '75', '65', '67', '69']) assert.match(stdout, new RegExp(`\\b${code}\\b`));
    assert.match(stdout, /--data DIR/);
    for (const option of ['--settings FILE', '--recipient ADDRESS', '--sender ADDRESS']) assert.ok(stdout.includes(option), option);
    assert.match(deskd('--help').stdout, /^ {2}mail-in /m);
  });
});

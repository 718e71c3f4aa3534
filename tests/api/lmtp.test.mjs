// Ways in: LMTP, the file of recipients, and the envelope of mail-in. Most tests run `deskd lmtp` on an inbox without a desk.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Lmtp, deskd, directory, lmtp, lmtpAlone, lmtpPort, mailIn, open, stored, until, waiting } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

const MAIL = 'From: ada@people.example\r\nSubject: Lamp\r\n\r\nIt flickers.\r\n';
const HERE = 'support@desk.example';

/** The folder of a desk that has been served, with these recipients. */
function inbox(...recipients) {
  const dir = directory();
  for (const folder of ['tmp', 'new', 'failed']) mkdirSync(join(dir, 'mail', folder), { recursive: true });
  writeFileSync(join(dir, 'mail/recipients'), recipients.map((r) => `${r}\n`).join(''));
  return { dir };
}
/** Removes the mails of the inbox, and returns them. */
function taken(desk) {
  const mails = stored(desk);
  for (const { name } of mails) rmSync(join(desk.dir, 'mail/new', name));
  assert.deepEqual(waiting(desk, 'tmp'), []);
  return mails;
}
const raws = (desk) => taken(desk).map(({ raw }) => raw);

/** One listener for the tests of a describe. */
function listener(...args) {
  const world = inbox(HERE, 'sales@desk.example');
  let close;
  before(async () => { Object.assign(world, await lmtpAlone({ after: (end) => { close = end; } }, world, { args })); });
  after(() => close());
  return world;
}

describe('commands', () => {
  const world = listener();

  test('LHLO announces the extensions and the largest size', async (t) => {
    const client = new Lmtp(world.port);
    t.after(() => client.socket.destroy());
    assert.match(await client.hello(), /^250-\S+\n250-PIPELINING\n250-ENHANCEDSTATUSCODES\n250-8BITMIME\n250-SMTPUTF8\n250 SIZE 52428800$/);
  });

  test('each command that is out of order or malformed has its reply', async (t) => {
    const ready = ['MAIL FROM:<ada@people.example>'];
    const cases = [
      [[], 'HELO x', '500 5.5.1'], [[], 'EHLO x', '500 5.5.1'], [[], 'LHLO', '501 5.5.4'], [[], 'lhlo x', '250'],
      [[], 'FOO', '500 5.5.1'], [[], '', '500 5.5.1'], [[], 'STARTTLS', '500 5.5.1'], [[], 'BDAT 10 LAST', '500 5.5.1'],
      [[], 'NOOP', '250 2.0.0'], [[], 'noop x y', '250 2.0.0'], [[], 'VRFY ada', '252 2.1.5'], [[], 'HELP', '214 2.0.0'],
      [[], 'RSET', '250 2.0.0'], [[], 'RSET x', '501 5.5.4'], [[], 'DATA', '503 5.5.1'], [ready, 'DATA', '503 5.5.1'],
      [ready, 'DATA x', '501 5.5.4'], [[], `RCPT TO:<${HERE}>`, '503 5.5.1'], [ready, ready[0], '503 5.5.1'],
      [[], 'MAIL', '501 5.5.4'], [[], 'MAIL TO:<a@b.example>', '501 5.5.4'], [[], 'MAIL FROM:a@b.example', '501 5.1.7'],
      [[], 'MAIL FROM:<a@b.example', '501 5.1.7'], [[], 'MAIL FROM:<a@b.example>x', '501 5.1.7'], [[], 'MAIL FROM:<@b.example>', '501 5.1.7'],
      [[], 'MAIL FROM:<a@>', '501 5.1.7'], [[], 'MAIL FROM:<a b@c.example>', '501 5.1.7'], [[], 'MAIL FROM:<"a@c.example>', '501 5.1.7'],
      [[], `MAIL FROM:<${'a'.repeat(600)}@b.example>`, '501 5.1.7'],
      [[], 'MAIL FROM:<>', '250 2.1.0'], [[], 'mail from: <a@b.example>', '250 2.1.0'], [[], 'MAIL FROM:<"a b"@c.example>', '250 2.1.0'],
      [[], 'MAIL FROM:<@x.example,@y.example:a@b.example>', '250 2.1.0'], [[], 'MAIL FROM:<a@[192.0.2.1]>', '250 2.1.0'],
      [[], `MAIL FROM:<bounce=${'v'.repeat(90)}@b.example>`, '250 2.1.0'],
      [[], 'MAIL FROM:<a@b.example> SIZE=52428800 BODY=8BITMIME', '250 2.1.0'], [[], 'MAIL FROM:<a@b.example> body=7bit', '250 2.1.0'],
      [[], 'MAIL FROM:<a@b.example> SIZE=52428801', '552 5.3.4'], [[], 'MAIL FROM:<a@b.example> SIZE=x', '501 5.5.4'],
      [[], 'MAIL FROM:<a@b.example> SIZE', '501 5.5.4'], [[], 'MAIL FROM:<a@b.example> SIZE=99999999999999999999', '501 5.5.4'],
      [[], 'MAIL FROM:<a@b.example> BODY=BINARYMIME', '501 5.5.4'], [[], 'MAIL FROM:<a@b.example> FOO=1', '555 5.5.4'],
      [[], 'MAIL FROM:<é@b.example>', '553 5.6.7'], [[], 'MAIL FROM:<é@b.example> SMTPUTF8', '250 2.1.0'],
      [ready, 'RCPT', '501 5.5.4'], [ready, 'RCPT TO:<>', '501 5.1.3'], [ready, 'RCPT TO:<a@b@c.example>', '501 5.1.3'],
      [ready, `RCPT TO:<${HERE}> NOTIFY=NEVER`, '555 5.5.4'], [ready, 'RCPT TO:<é@desk.example>', '553 5.6.7'],
      [ready, 'RCPT TO:<nobody@desk.example>', '550 5.1.1'], [ready, 'RCPT TO:<postmaster>', '550 5.1.1'], [ready, `RCPT TO:<${HERE}>`, '250 2.1.5'],
      [ready, `RCPT TO:<x${HERE}>`, '550 5.1.1'], [ready, `RCPT TO:<${HERE}x>`, '550 5.1.1'],
      [[], `MAIL FROM:<${'a'.repeat(502)}@b.example>`, '250 2.1.0'], [[], `MAIL FROM:<${'a'.repeat(503)}@b.example>`, '501 5.1.7'],
      [[], 'MAIL FROM:<"a\\"b"@c.example>', '250 2.1.0'], [[], 'MAIL FROM:<"a\\">', '501 5.1.7'], [[], 'MAIL FROM:<"a\\é"@c.example> SMTPUTF8', '501 5.1.7'], [[], 'MAIL FROM:<""@c.example>', '250 2.1.0'],
      [[], 'MAIL FROM:<"a"b@c.example>', '501 5.1.7'], [[], 'MAIL FROM:<@x.example a@b.example>', '501 5.1.7'], [[], 'MAIL FROM:<@x.example:>', '250 2.1.0'], [[], 'MAIL FROM:<a@[192.0.2.1>', '501 5.1.7'],
      [[], 'MAIL FROM:<a@[1 2]>', '501 5.1.7'], [[], 'MAIL FROM:<a@[1é]> SMTPUTF8', '501 5.1.7'], [[], 'MAIL FROM:<local>', '250 2.1.0'], [[], 'MAIL FROM:<a@b_c.example>', '250 2.1.0'],
      [[], 'MAIL FROM:<a@b,c>', '501 5.1.7'], [[], 'MAIL FROM:<a,b@c.example>', '501 5.1.7'], [[], 'MAIL FROM:<a@é.example>', '553 5.6.7'],
      [[], 'MAIL FROM:<a@b.example> SIZE=999999999999999999', '552 5.3.4'], [[], 'MAIL FROM:<a@b.example> SIZE=1000000000000000000', '501 5.5.4'], [[], 'MAIL FROM:<a@b.example> SIZE=', '501 5.5.4'],
      [[], 'MAIL FROM:<a@b.example> SIZE=-1', '501 5.5.4'], [[], 'MAIL FROM:<a@b.example> SIZE=0', '250 2.1.0'], [[], 'MAIL FROM:<a@b.example>   BODY=7BIT  SIZE=1 ', '250 2.1.0'],
      [[], 'MAIL FROM:<a@b.example> SMTPUTF8=1', '555 5.5.4'], [[], 'MAIL FROM:<a@b.example> BODY', '501 5.5.4'], [[], 'MAIL FROM:<a@b.example> FOO=1 SIZE=1', '555 5.5.4'],
      [ready, 'RCPT TO:<"support"@desk.example>', '250 2.1.5'], [ready, 'RCPT TO:<@x.example:support@desk.example>', '250 2.1.5'], [ready, 'RCPT TO:<"sup\\port"@desk.example>', '250 2.1.5'],
      [[], `NOOP ${'x'.repeat(2041)}`, '250 2.0.0'], [[], `NOOP ${'x'.repeat(2042)}`, '500 5.5.2'], [[], `NOOP ${'x'.repeat(100_000)}`, '500 5.5.2'],
      [[], 'NOOP\nNOOP', '500 5.5.2'], [[], 'NOOP\rNOOP', '500 5.5.2'], [[], 'NOOP\0', '500 5.5.2'], [[], Buffer.from([0x4e, 0x4f, 0xff]), '500 5.5.2'],
    ];
    for (const [first, command, expected] of cases) {
      const client = await lmtp(t, world.port);
      for (const one of first) assert.match(await client.say(one), /^250/);
      await client.send(Buffer.concat([Buffer.from(command), Buffer.from('\r\n')]));
      const reply = await client.reply();
      assert.ok(reply.startsWith(expected), `${String(command).slice(0, 80)}: ${reply}`);
      assert.match(await client.quit(), /^221 2\.0\.0/);
    }
    assert.deepEqual(taken(world), []);
  });

  test('MAIL before LHLO is refused, and LHLO and RSET end a transaction', async (t) => {
    const client = new Lmtp(world.port);
    t.after(() => client.socket.destroy());
    await client.reply();
    assert.match(await client.say('MAIL FROM:<a@b.example>'), /^503/);
    for (const end of ['RSET', 'LHLO again']) {
      await client.say('LHLO x');
      for (const one of ['MAIL FROM:<a@b.example>', `RCPT TO:<${HERE}>`, end]) assert.match(await client.say(one), /^250/);
      assert.match(await client.say('DATA'), /^503/);
    }
  });

  test('an HTTP request ends the connection before its body is read', async (t) => {
    const client = new Lmtp(world.port);
    t.after(() => client.socket.destroy());
    await client.send(`POST / HTTP/1.1\r\nHost: localhost\r\n\r\nLHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${HERE}>\r\nDATA\r\n${MAIL}.\r\n`);
    assert.match((await client.replies(2))[1], /^421 4\.7\.0/);
    await client.ended;
    assert.deepEqual(taken(world), []);
  });

  test('the twentieth error ends the connection', async (t) => {
    const client = await lmtp(t, world.port);
    for (let i = 0; i < 20; i++) assert.match(await client.say('FOO'), /^500/);
    assert.match(await client.reply(), /^421 4\.7\.0/);
    await client.ended;
  });

  test('the 1,001st recipient is put off, and unknown ones are not counted', async (t) => {
    const client = await lmtp(t, world.port);
    await client.send(`MAIL FROM:<a@b.example>\r\n${'RCPT TO:<no@desk.example>\r\n'.repeat(50)}${Array.from({ length: 1000 }, (_, i) => `RCPT TO:<support+${i}@desk.example>\r\n`).join('')}RCPT TO:<${HERE}>\r\n`);
    const replies = await client.replies(1052);
    assert.deepEqual([replies.filter((r) => r.startsWith('550')).length, replies.filter((r) => r.startsWith('250')).length, replies.at(-1).slice(0, 9)], [50, 1001, '452 4.5.3']);
  });
});

describe('data', () => {
  const world = listener();

  test('each recipient gets a file with the envelope and the mail byte for byte, and its own reply', async (t) => {
    const client = await lmtp(t, world.port);
    const bytes = `Subject: \xff\xfe\r\n\r\n\0\x01\r\n.\r\n..\r\n.x\r\nbare\nlf bare\rcr\r\n\r\n${'x'.repeat(5000)}\r\n`;
    const replies = await client.transfer(bytes, { from: 'Ada+1@People.example', to: ['support+token@desk.example', 'nobody@desk.example', '"SALES"@Desk.Example'] });
    assert.deepEqual(replies.map((r) => r.slice(0, 9)), ['250 2.0.0', '550 5.1.1', '250 2.0.0']);
    const mails = taken(world);
    assert.deepEqual(mails.map(({ door, from, to, raw }) => [door, from, to, raw === bytes]).sort(), [['LMTP', 'Ada+1@People.example', 'SALES@Desk.Example', true], ['LMTP', 'Ada+1@People.example', 'support+token@desk.example', true]]);
    for (const { name } of mails) assert.ok(replies.some((r) => r.endsWith(`stored as ${name}`)), name);
    await client.transfer(MAIL, { from: '', to: [HERE] });
    assert.deepEqual(taken(world).map(({ from }) => from), ['']);
  });

  test('names in the inbox sort by arrival', async (t) => {
    const client = await lmtp(t, world.port);
    for (let i = 0; i < 12; i++) await client.deliver(`X: ${i}\r\n\r\n`, HERE);
    assert.deepEqual(raws(world), Array.from({ length: 12 }, (_, i) => `X: ${i}\r\n\r\n`));
  });

  test('only CRLF.CRLF ends the data: no other sequence smuggles a second mail in', async (t) => {
    const second = `MAIL FROM:<evil@people.example>\r\nRCPT TO:<${HERE}>\r\nDATA\r\nSubject: smuggled\r\n\r\nx\r\n`;
    const ends = ['\n.\n', '\r.\r', '\n.\r\n', '\r.\r\n', '\r\n.\n', '\r\n.\r', '\n.\r', '\r.\n', '\r\n.\r\r\n', '\r\n.\0\r\n', '\r\n\0.\r\n', '\r\n. \r\n', '\r\n.\n\r\n', '\n\n.\n\n', '\r\r.\r\r', '\r\n.\r.\r\n', '\n\r.\n\r', '\r\n..\r\n', '\r\n\t.\r\n', '\x85.\x85'];
    for (const end of ends) {
      const client = await lmtp(t, world.port);
      await client.send(`MAIL FROM:<a@b.example>\r\nRCPT TO:<${HERE}>\r\nDATA\r\n`);
      await client.replies(3);
      await client.send(Buffer.from(`X: 1\r\n\r\ntext${end}${second}\r\n.\r\n`, 'latin1'));
      assert.match(await client.reply(), /^250 2\.0\.0/);
      assert.match(await client.quit(), /^221/, JSON.stringify(end)); // no reply to a second mail
      const kept = end.startsWith('\r\n.') ? end.replace('.', '') : end; // a dot that begins a line is removed
      assert.deepEqual(raws(world), [`X: 1\r\n\r\ntext${kept}${second}\r\n`], JSON.stringify(end));
    }
  });

  test('an empty mail is a mail', async (t) => {
    const client = await lmtp(t, world.port);
    await client.send(`MAIL FROM:<>\r\nRCPT TO:<${HERE}>\r\nDATA\r\n.\r\nNOOP\r\n`);
    assert.deepEqual((await client.replies(5)).map((r) => r.slice(0, 3)), ['250', '250', '354', '250', '250']);
    assert.deepEqual(raws(world), ['']);
  });

  const DIALOGUE = `LHLO x\r\nMAIL FROM:<a@b.example> SIZE=20\r\nRCPT TO:<${HERE}>\r\nRCPT TO:<no@desk.example>\r\nDATA\r\nA: b\r\n\r\n..x\r\n\r.\n\r\n.\r\nRSET\r\nMAIL FROM:<>\r\nRCPT TO:<${HERE}>\r\nDATA\r\nlast\r\n.\r\nQUIT\r\n`;
  const CODES = ['220', '250', '250', '250', '550', '354', '250', '250', '250', '250', '354', '250', '221'];
  const whole = async (t, ...pieces) => {
    const client = new Lmtp(world.port);
    t.after(() => client.socket.destroy());
    client.socket.setNoDelay();
    for (const piece of pieces) await client.send(piece);
    assert.deepEqual((await client.replies(CODES.length)).map((r) => r?.slice(0, 3)), CODES);
    await client.ended;
    assert.deepEqual(raws(world), ['A: b\r\n\r\n.x\r\n\r.\n\r\n', 'last\r\n']);
  };

  test('a client may send everything at once', (t) => whole(t, DIALOGUE));
  test('a client may send byte by byte', (t) => whole(t, ...DIALOGUE));
  test('a dialogue may be cut at any byte', async (t) => {
    for (let i = 1; i < DIALOGUE.length; i++) {
      const client = new Lmtp(world.port);
      client.socket.setNoDelay();
      await client.send(DIALOGUE.slice(0, i));
      await client.reply(); // so that the parts arrive as two
      await client.send(DIALOGUE.slice(i));
      await client.ended;
      assert.equal(taken(world).length, 2, `cut at ${i}`);
    }
    t.diagnostic(`${DIALOGUE.length - 1} cuts`);
  });

  test('a mail whose client disconnects is not stored, at any byte', async () => {
    const begin = DIALOGUE.indexOf('A: b'), end = DIALOGUE.indexOf('RSET') - 1;
    for (let i = begin; i < end; i++) {
      const client = new Lmtp(world.port);
      await client.send(DIALOGUE.slice(0, i));
      await client.replies(6);
      client.socket.end();
      await client.ended;
    }
    await until('the drafts to be removed', () => waiting(world, 'tmp').length === 0);
    assert.deepEqual(taken(world), []);
  });

  test('20 connections deliver at once, and every mail is stored once', async (t) => {
    const sent = await Promise.all(Array.from({ length: 20 }, async (_, c) => {
      const client = await lmtp(t, world.port);
      const names = [];
      for (let i = 0; i < 10; i++) {
        const [reply] = await client.deliver(`X: ${c} ${i}\r\n\r\n`, HERE);
        assert.match(reply, /^250/);
        names.push(`X: ${c} ${i}\r\n\r\n`);
      }
      return names;
    }));
    assert.deepEqual(raws(world).sort(), sent.flat().sort());
  });

  test('a mail over 50 MiB is refused at its end, and the next one is stored', { timeout: 120_000 }, async (t) => {
    const client = await lmtp(t, world.port);
    const line = `${'x'.repeat(1022)}\r\n`;
    const [large] = await client.deliver(line.repeat(50 * 1024) + line, HERE, 'sales@desk.example');
    assert.match(large, /^552 5\.3\.4/);
    assert.deepEqual(taken(world), []);
    const [most] = await client.deliver(line.repeat(50 * 1024), HERE);
    assert.match(most, /^250/);
    assert.deepEqual(taken(world).map(({ raw }) => raw.length), [50 << 20]);
  });
});

describe('the listener', () => {
  test('a UNIX socket has mode 0660; a stale one is replaced, one in use is not', async (t) => {
    const world = inbox(HERE);
    const path = join(directory(), 'lmtp');
    const first = await lmtpAlone(t, world, { at: path });
    assert.equal(statSync(path).mode & 0o777, 0o660);
    const client = await lmtp(t, path);
    assert.match((await client.deliver(MAIL, HERE))[0], /^250/);
    const second = deskd('lmtp', '--data', world.dir, '--lmtp', path);
    assert.equal(second.status, 1);
    assert.match(second.stderr, /LMTP can't listen on \S+: Address already in use/);
    first.child.kill('SIGKILL');
    await first.gone;
    const third = await lmtpAlone(t, world, { at: path });
    assert.match((await (await lmtp(t, path)).deliver(MAIL, HERE))[0], /^250/);
    await third.stop();
    assert.throws(() => statSync(path), /ENOENT/);
    assert.equal(taken(world).length, 2);
  });

  test('connections over the limit get 421, and a place that is free again is used', async (t) => {
    const world = await lmtpAlone(t, inbox(HERE), { args: ['--lmtp-connections', '2'] });
    const [one] = [await lmtp(t, world.port), await lmtp(t, world.port)];
    const third = new Lmtp(world.port);
    assert.match(await third.reply(), /^421 4\.3\.2/);
    await third.ended;
    await one.quit();
    await until('a free place', async () => {
      const next = new Lmtp(world.port);
      t.after(() => next.socket.destroy());
      return (await next.reply()).startsWith('220');
    });
  });

  test('a silent client gets 421 and leaves no draft', async (t) => {
    const dir = inbox(HERE);
    const world = await lmtpAlone(t, dir, { args: ['--lmtp-idle', '1'] });
    const silent = await lmtp(t, world.port), half = await lmtp(t, world.port);
    await half.send(`MAIL FROM:<>\r\nRCPT TO:<${HERE}>\r\nDATA\r\nhalf`);
    await half.replies(3);
    for (const client of [silent, half]) {
      assert.match(await client.reply(), /^421 4\.4\.2/);
      await client.ended;
    }
    await until('the draft to be removed', () => waiting(dir, 'tmp').length === 0);
    assert.deepEqual(taken(dir), []);
  });

  test('at SIGTERM idle clients get 421, and a mail under way is stored and acknowledged', async (t) => {
    const dir = inbox(HERE);
    const world = await lmtpAlone(t, dir);
    const idle = await lmtp(t, world.port), busy = await lmtp(t, world.port);
    await busy.send(`MAIL FROM:<>\r\nRCPT TO:<${HERE}>\r\nDATA\r\nhalf`);
    await busy.replies(3);
    world.child.kill('SIGTERM');
    assert.match(await idle.reply(), /^421 4\.3\.2/);
    await busy.send(' whole\r\n.\r\n');
    assert.match(await busy.reply(), /^250 2\.0\.0/);
    assert.match(await busy.reply(), /^421 4\.3\.2/);
    assert.deepEqual(await world.gone, { code: 0, signal: null });
    assert.deepEqual(raws(dir), ['half whole\r\n']);
  });

  test('a stop does not wait for a client longer than --drain', async (t) => {
    const dir = inbox(HERE);
    const world = await lmtpAlone(t, dir, { args: ['--drain', '50'] });
    const client = await lmtp(t, world.port);
    await client.send(`MAIL FROM:<>\r\nRCPT TO:<${HERE}>\r\nDATA\r\nhalf`);
    await client.replies(3);
    assert.deepEqual(await world.stop(), { code: 0, signal: null });
    await client.ended;
    assert.deepEqual(taken(dir), []);
  });

  test('a wrong command line is refused with the reason', () => {
    const { dir } = inbox();
    for (const [args, status, pattern] of [
      [[], 2, /deskd lmtp needs --lmtp ADDRESS/],
      [['--lmtp', '127.0.0.1:25'], 2, /--lmtp takes a numeric address and a port.*not port 25/],
      [['--lmtp', 'localhost:2424'], 2, /--lmtp takes a numeric address/],
      [['--lmtp', 'relative/path'], 2, /--lmtp takes a numeric address/],
      [['--lmtp', `/${'x'.repeat(200)}`], 2, /--lmtp takes a numeric address/],
      [['--lmtp', '/nowhere/lmtp'], 1, /LMTP can't listen on \/nowhere\/lmtp: No such file or directory/],
    ]) {
      const done = deskd('lmtp', '--data', dir, ...args);
      assert.equal(done.status, status, done.stderr);
      assert.match(done.stderr, pattern);
    }
    const none = deskd('lmtp', '--data', directory(), '--lmtp', '127.0.0.1:0');
    assert.equal(none.status, 1);
    assert.match(none.stderr, /is not an inbox .*: name the data folder of a desk that has been served/);
  });
});

describe('recipients', () => {
  const world = listener();

  test('letter case, the plus part and the form of the domain do not matter; a changed file counts at once; without the file: try again', async (t) => {
    const file = join(world.dir, 'mail/recipients');
    const before = readFileSync(file);
    const client = await lmtp(t, world.port);
    const rcpt = async (address, parameters = '') => {
      await client.say('RSET');
      await client.say(`MAIL FROM:<>${parameters}`);
      return (await client.say(`RCPT TO:<${address}>`)).slice(0, 9);
    };
    for (const address of [HERE, 'SUPPORT@Desk.EXAMPLE', 'support+c12-abc@desk.example', 'support+@desk.example', '@relay.example:support@desk.example']) assert.equal(await rcpt(address), '250 2.1.5', address);
    for (const address of ['+support@desk.example', 'support@desk.example.', 'sup', 'support', 'upport@desk.example', '""@desk.example']) assert.notEqual(await rcpt(address), '250 2.1.5', address);
    writeFileSync(file, 'hilfe@xn--bcher-kva.example\n');
    assert.equal(await rcpt('hilfe@bücher.example', ' SMTPUTF8'), '250 2.1.5');
    assert.equal(await rcpt('hilfe@xn--bcher-kva.example'), '250 2.1.5');
    assert.equal(await rcpt(HERE), '550 5.1.1');
    rmSync(file);
    assert.equal(await rcpt(HERE), '451 4.3.0');
    writeFileSync(file, before);
    assert.equal(await rcpt(HERE), '250 2.1.5');
  });

  test('mail-in refuses an unknown recipient of its envelope with 67, and can\'t say without the file: 75', () => {
    const other = 'nobody@desk.example';
    const cases = [
      [{ args: ['--recipient', HERE] }, 0, HERE], [{ args: ['--recipient', '<Support+x@desk.example>'] }, 0, 'Support+x@desk.example'], [{ args: ['--recipient', other] }, 67],
      [{ env: { RECIPIENT: HERE } }, 0, HERE], [{ env: { RECIPIENT: other } }, 67], [{ env: { ORIGINAL_RECIPIENT: HERE, RECIPIENT: 'deskd@localhost' } }, 0, HERE],
      [{ env: { ORIGINAL_RECIPIENT: 'alias@desk.example', RECIPIENT: HERE } }, 0, HERE], [{ env: { RECIPIENT: HERE }, args: ['--recipient', other] }, 67],
      [{ header: `X-Original-To: ${HERE}\n` }, 0, HERE], [{ header: `Delivered-To: <${HERE}>\r\n` }, 0, HERE], [{ header: 'Delivered-To: deskd@localhost\n' }, 0, undefined],
      [{ header: `Delivered-To: ${other}\nX-Original-To: ${HERE}\n` }, 0, HERE], [{}, 0, undefined],
    ];
    for (const [{ header = '', ...options }, status, to] of cases) {
      const done = mailIn(world, header + MAIL, options);
      assert.equal(done.status, status, JSON.stringify([header, options, done.stderr]));
      if (status) assert.match(done.stderr, /this desk takes no mail for this recipient/);
      assert.deepEqual(taken(world).map((m) => [m.door, m.to, m.raw]), status ? [] : [['PIPE', to, header + MAIL]]);
    }
    const bare = inbox();
    rmSync(join(bare.dir, 'mail/recipients'));
    const done = mailIn(bare, MAIL, { args: ['--recipient', HERE] });
    assert.equal(done.status, 75);
    assert.match(done.stderr, /recipients can't be read \(No such file or directory\): name the data folder of a desk that has been served/);
  });

  test('mail-in takes the sender from an option, the environment or Return-Path', () => {
    const cases = [
      [{ args: ['--sender', 'a@b.example'] }, 'a@b.example'], [{ args: ['--sender', '<>'] }, ''], [{ env: { SENDER: 'a@b.example' } }, 'a@b.example'],
      [{ env: { SENDER: '' } }, ''], [{ env: { SENDER: 'MAILER-DAEMON' } }, ''], [{ header: 'Return-Path: <a@b.example>\n' }, 'a@b.example'],
      [{ header: 'Return-Path: <>\n' }, ''], [{}, undefined], [{ env: { SENDER: 'a\nto: <x>' } }, undefined],
    ];
    for (const [{ header = '', ...options }, from] of cases) {
      assert.equal(mailIn(world, header + MAIL, options).status, 0);
      assert.deepEqual(taken(world).map((m) => m.from), [from], JSON.stringify([header, options]));
    }
  });
});

describe('a desk with --lmtp', () => {
  test('takes mail for the addresses of its settings and mailboxes, counts it, and passes it on from deskd lmtp after a start', async (t) => {
    const desk = await open(t, { processes: 1, args: ['--lmtp', '127.0.0.1:0'] });
    const client = await lmtp(t, lmtpPort(desk));
    await client.say('MAIL FROM:<a@b.example>');
    assert.match(await client.say(`RCPT TO:<${HERE}>`), /^550 5\.1\.1/, 'a new desk has no address');
    (await desk.owner.put('/settings', { values: { 'mail.from_address': HERE, 'mail.return_path': 'bounces@desk.example' } })).must(200);
    const lines = () => readFileSync(join(desk.dir, 'mail/recipients'), 'utf8');
    await until('the file', () => lines() === `bounces@desk.example\n${HERE}\n`);
    assert.equal(statSync(join(desk.dir, 'mail/recipients')).mode & 0o777, 0o600);
    for (const address of [HERE, 'bounces+b1-x@desk.example']) assert.match(await client.say(`RCPT TO:<${address}>`), /^250/);
    await client.say('RSET');
    assert.match((await client.deliver(MAIL, HERE))[0], /^250/);
    await client.say('MAIL FROM:<a@b.example> SIZE=52428801');
    const { text } = await desk.anyone.exchange('GET', '/metrics');
    const metric = (name) => Number(new RegExp(`^deskd_lmtp_${name} (\\d+)$`, 'm').exec(text)[1]);
    assert.deepEqual(['stored_total', 'bytes_total', 'unknown_total', 'refused_total', 'put_off_total', 'connections', 'turned_away_total'].map(metric), [1, MAIL.length, 1, 1, 0, 1, 0]);
    assert.ok(!desk.log.includes(HERE), 'the log contains no address');
    rmSync(join(desk.dir, 'mail/recipients')); // an operator's mistake
    await until('the file again', () => { try { return lines().includes(HERE); } catch { return false; } });
    rmSync(join(desk.dir, 'mail/recipients'));
    mkdirSync(join(desk.dir, 'mail/recipients'));
    await until('an error', () => desk.log.includes("mail/recipients can't be written: Is a directory"));
    rmSync(join(desk.dir, 'mail/recipients'), { recursive: true });
    await until('the file once more', () => { try { return lines().includes(HERE); } catch { return false; } });
    await until('the inbox to be empty', () => waiting(desk).length === 0);
    await desk.stop();
    assert.match(await client.reply(), /^421/);
    const alone = await lmtpAlone(t, desk);
    assert.match((await (await lmtp(t, alone.port)).deliver(MAIL.replace('Lamp', 'Second lamp'), HERE))[0], /^250/);
    assert.equal(waiting(desk).length, 1);
    await desk.start();
    await until('the inbox to be empty', () => waiting(desk).length === 0);
    assert.match((await (await lmtp(t, alone.port)).deliver(MAIL.replace('Lamp', 'Third lamp'), HERE))[0], /^250/);
    await until('the inbox to be empty', () => waiting(desk).length === 0);
  });

  test('a disabled system mailbox takes no mail, unless delivery reports come to its address', async (t) => {
    const desk = await open(t, { processes: 1, args: ['--lmtp', '127.0.0.1:0'] });
    const client = await lmtp(t, lmtpPort(desk));
    const lines = () => { try { return readFileSync(join(desk.dir, 'mail/recipients'), 'utf8').trim().split('\n'); } catch { return []; } };
    const other = await desk.owner.create('/mailboxes', { address: 'other@desk.example' });
    sql(desk, `UPDATE mailboxes SET verified_at = 1 WHERE id = ${other.id}`);
    await desk.owner.update('/mailboxes/default', { mailbox_id: other.id });
    await desk.owner.update('/mailboxes/1', { is_enabled: false });
    await desk.owner.put('/settings', { values: { 'mail.from_address': HERE, 'mail.return_path': 'bounces@desk.example' } });
    await until('the return path', () => lines().includes('bounces@desk.example'));
    assert.deepEqual(lines(), ['bounces@desk.example', 'other@desk.example']);
    await client.say('MAIL FROM:<a@b.example>');
    assert.match(await client.say(`RCPT TO:<${HERE}>`), /^550 5\.1\.1/);
    await desk.owner.put('/settings', { values: { 'mail.return_path': '' } });
    await until('the system mailbox', () => lines().includes(HERE));
    assert.match(await client.say(`RCPT TO:<${HERE}>`), /^250/);
  });

  test('a desk whose LMTP address is in use does not start', async (t) => {
    const world = await lmtpAlone(t, inbox(HERE));
    const done = spawnSync(process.env.DESKD, ['serve', '--data', directory(), '--listen', '127.0.0.1:0', '--lmtp', `127.0.0.1:${world.port}`], { encoding: 'utf8', timeout: 60_000 });
    assert.equal(done.status, 1);
    assert.match(done.stderr, /LMTP can't listen on 127\.0\.0\.1:\d+: Address already in use/);
  });
});

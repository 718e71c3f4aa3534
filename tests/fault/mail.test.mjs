// Acknowledged mails and SIGKILL, lost power, and disks that are full or fail.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, Lmtp, defer, directory, lmtp, lmtpAlone, lmtpPort, open, until, waiting } from '../api/lib/index.mjs';
import { arrive, mail, mailRows, receive } from '../api/lib/mails.mjs';
import { shim } from './shim.mjs';

const HERE = 'support@desk.example';
const DELIVERIES = Number(process.env.DELIVERIES ?? 600);

function inbox(dir = directory()) {
  for (const folder of ['tmp', 'new', 'failed']) mkdirSync(join(dir, 'mail', folder), { recursive: true });
  writeFileSync(join(dir, 'mail/recipients'), `${HERE}\n`);
  return { dir };
}

const numbered = (n) => `From: ada@people.example\r\nMessage-ID: <${n}@people.example>\r\nX: ${'x'.repeat(n % 7 * 999)}\r\n\r\n${n}\r\n`;

/** Delivers one mail on a new connection or on `client`. Returns true if it was acknowledged. */
async function attempt(client, mail) {
  if (!client.greeted) {
    if (!(await client.reply())?.startsWith('220')) return false;
    client.greeted = (await client.say('LHLO x'))?.startsWith('250');
  }
  const [reply] = client.closed ? [] : await client.deliver(mail, HERE);
  return Boolean(reply?.startsWith('250'));
}

test(`${DELIVERIES} deliveries and SIGKILL at random moments: every acknowledged mail exists exactly once`, { timeout: 1_800_000 }, async (t) => {
  const desk = await open(t, { processes: 1 });
  (await desk.owner.put('/settings', { values: { 'mail.from_address': HERE } })).must(200);
  await until('the recipients', () => readFileSync(join(desk.dir, 'mail/recipients'), 'utf8').includes(HERE));
  let door = await lmtpAlone(t, desk);
  const kills = { door: 0, desk: 0 };
  let next = 0, acknowledged = 0, again = 0, killing = Math.ceil(Math.random() * 20), turn = Promise.resolve();
  const strike = () => { // one kill after the other; the workers go on meanwhile
    const which = (kills.door + kills.desk) % 2 ? 'desk' : 'door';
    kills[which]++;
    turn = turn.then(async () => {
      if (which === 'desk') {
        await desk.kill();
        await desk.start();
      } else {
        door.child.kill('SIGKILL');
        await door.gone;
        door = await lmtpAlone(t, desk);
      }
    });
  };
  const worker = async () => {
    let client;
    for (let n; (n = next++) < DELIVERIES;) {
      for (let done = false; !done;) {
        if (!client || client.closed) client = new Lmtp(door.port);
        done = await attempt(client, numbered(n));
        if (!done) {
          again++;
          client.socket.destroy();
          client = undefined;
          await turn;
        }
      }
      if (++acknowledged >= killing) {
        killing = acknowledged + Math.ceil(Math.random() * Math.max(40, DELIVERIES / 20));
        strike();
      }
    }
    client?.socket.destroy();
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  await turn;
  await until('the inbox to be empty', () => waiting(desk).length === 0, { within: 600_000 });
  assert.deepEqual(waiting(desk, 'failed'), []);
  const rows = desk.sql("SELECT message_id || ' ' || size FROM mails").trim().split('\n').sort();
  assert.deepEqual(rows, Array.from({ length: DELIVERIES }, (_, n) => `${n}@people.example ${numbered(n).length}`).sort());
  assert.ok(kills.door > 1 && kills.desk > 1);
  t.diagnostic(`${kills.door} kills of the door, ${kills.desk} of the desk; ${again} mails were sent again`);
});

/** The mails that a disk holds after a loss of power (unsynced.c). */
function durable(place) {
  const names = readdirSync(place).includes('new.names') ? readFileSync(join(place, 'new.names'), 'utf8').split('\n').filter(Boolean) : [];
  return names.map((line) => {
    const [inode, name] = line.split(' ');
    return { name, text: readdirSync(place).includes(`${inode}.bytes`) ? readFileSync(join(place, `${inode}.bytes`), 'latin1') : '' };
  });
}

test('ten losses of power, on a disk that loses unsynced writes: no acknowledged mail is lost', { timeout: 300_000 }, async (t) => {
  const preload = shim('unsynced');
  if (!preload) return t.skip('unsynced.so is not built and there is no compiler');
  let total = 0, forgotten = 0;
  for (let loss = 0; loss < 10; loss++) {
    const world = inbox(), place = directory();
    const clients = loss < 5 ? 1 : 6; // one client makes five steps for each mail: the first losses come at each of them
    const door = await lmtpAlone(t, world, { env: { LD_PRELOAD: preload, LOSS_FROM: join(world.dir, 'mail'), LOSS_TO: place, LOSS_AT: String(96 + (loss < 5 ? loss : Math.ceil(Math.random() * 500))) } });
    const acknowledged = [];
    await Promise.all(Array.from({ length: clients }, async (_, c) => {
      const client = new Lmtp(door.port);
      for (let n = 0; ; n++) {
        const mail = `X: ${c} ${n}\r\n\r\n${'x'.repeat(n % 5 * 3000)}\r\n`;
        if (!await attempt(client, mail)) return client.socket.destroy();
        acknowledged.push(mail);
      }
    }));
    assert.equal((await door.gone).signal, 'SIGKILL');
    const kept = durable(place);
    for (const mail of acknowledged) assert.equal(kept.filter(({ text }) => text.endsWith(`\n\n${mail}`)).length, 1, `loss ${loss}: ${mail.slice(0, 20)}`);
    total += acknowledged.length;
    forgotten += waiting(world).length - kept.length;
  }
  assert.ok(forgotten > 0, 'nothing was forgotten, so this test proves nothing');
  t.diagnostic(`${total} mails were acknowledged; ${forgotten} names were forgotten, none of an acknowledged mail`);
});

test('a mail is acknowledged by LMTP after its bytes and its name are synced', async (t) => {
  if (spawnSync('strace', ['-f', '-e', 'trace=write', 'true']).status !== 0) return t.skip('strace is not permitted here');
  const world = inbox(), trace = join(directory(), 'trace');
  const door = await lmtpAlone(t, world, { under: ['strace', '-D', '-f', '-y', '-s', '32', '-o', trace, '-e', 'trace=fsync,rename,sendto'] }); // with -D the child is deskd
  const client = await lmtp(t, door.port);
  assert.match((await client.deliver('X: 1\r\n\r\nx\r\n', HERE))[0], /^250/);
  await door.stop();
  await until('the end of the trace', () => new RegExp(`^${door.child.pid} .*exited with 0`, 'm').test(readFileSync(trace, 'utf8')));
  const calls = readFileSync(trace, 'utf8').split('\n').map((line) => /(fsync|rename|sendto)\(.*?(\/tmp\/[0-9a-f-]+>|\/new>|250 2\.0\.0 stored|$)/.exec(line)?.slice(1).join(' ')).filter(Boolean);
  const [bytes, rename, names, reply] = [/^fsync .*\/tmp\//, /^rename/, /^fsync .*\/new>/, /stored/].map((one) => calls.findIndex((call) => one.test(call)));
  assert.ok(bytes >= 0 && bytes < rename && rename < names && names < reply, calls.join('\n'));
});

test('LMTP answers 451 while the disk fails to sync, leaves nothing, and takes the mail afterwards', async (t) => {
  const preload = shim('eio');
  if (!preload) return t.skip('eio.so is not built and there is no compiler');
  const world = inbox(), sick = join(directory(), 'sick');
  for (const under of [`${world.dir}/mail/tmp`, `${world.dir}/mail/new`]) { // the sync of the file, then that of the folder
    const door = await lmtpAlone(t, world, { env: { LD_PRELOAD: preload, DESKD_FAULT: sick, DESKD_FAULT_UNDER: under } });
    const client = await lmtp(t, door.port);
    writeFileSync(sick, 'sync');
    for (const reply of await client.deliver('X: 1\r\n\r\n', HERE, 'support+2@desk.example')) assert.match(reply, /^451 4\.3\.0/);
    assert.deepEqual([waiting(world), waiting(world, 'tmp')], [[], []]);
    await until('the line of the log', () => /error LMTP: \S+\/mail can't store a mail now: Input\/output error/.test(door.log));
    rmSync(sick);
    for (const reply of await client.deliver('X: 1\r\n\r\n', HERE, 'support+2@desk.example')) assert.match(reply, /^250/);
    assert.equal(waiting(world).length, 2);
    for (const name of waiting(world)) rmSync(join(world.dir, 'mail/new', name));
    await door.stop();
  }
});

test('LMTP answers 451 while the disk is full, before the data or after it, and takes the mail afterwards', async (t) => {
  const disk = directory();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status !== 0) return t.skip('mount is not permitted here');
  defer(t, () => assert.equal(spawnSync('umount', [disk]).status, 0, 'umount'));
  const world = inbox(join(disk, 'data'));
  const door = await lmtpAlone(t, world);
  const client = await lmtp(t, door.port);
  assert.match((await client.deliver('x'.repeat(5 << 20), HERE))[0], /^451 4\.3\.1/);
  assert.deepEqual([waiting(world), waiting(world, 'tmp')], [[], []]);
  spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4096']);
  await client.send(`MAIL FROM:<>\r\nRCPT TO:<${HERE}>\r\nDATA\r\n`);
  assert.match((await client.replies(3))[2], /^451 4\.3\.1/);
  rmSync(join(disk, 'filler'));
  assert.match((await client.deliver('X: 1\r\n\r\n', HERE))[0], /^250/);
  await client.quit();
  await door.stop();
});

/** A desk with an address and LMTP, and the file that starts a fault of eio.c below `under`, a path in its folder. undefined: there is no compiler. */
async function faulty(t, under) {
  const preload = shim('eio');
  if (!preload) return t.skip('eio.so is not built and there is no compiler');
  const dir = directory(), fault = join(directory(), 'fault');
  const desk = await open(t, { dir, processes: 1, args: ['--lmtp', '127.0.0.1:0'], env: { LD_PRELOAD: preload, DESKD_FAULT: fault, DESKD_FAULT_UNDER: join(dir, under) } });
  (await desk.owner.put('/settings', { values: { 'mail.from_address': HERE } })).must(200);
  await until('the recipients', () => readFileSync(join(dir, 'mail/recipients'), 'utf8').includes(HERE));
  const restart = async () => {
    assert.equal((await desk.ended()).signal, 'SIGKILL');
    rmSync(fault);
    await desk.start();
  };
  return { desk, fault, restart };
}
const deliver = async (t, desk, n) => (await (await lmtp(t, lmtpPort(desk))).deliver(numbered(n), HERE))[0];
const stored = (desk) => desk.sql("SELECT message_id || ' ' || status FROM mails ORDER BY id").trim();

test('while the store can\'t be written, LMTP takes mails on a healthy disk, and each is processed once afterwards', { timeout: 300_000 }, async (t) => {
  const world = await faulty(t, 'desk.db');
  if (!world) return;
  const { desk, fault } = world;
  desk.expects5xx = true;
  writeFileSync(fault, 'write');
  for (const n of [1, 2]) assert.match(await deliver(t, desk, n), /^250/);
  await until('an attempt', () => /error store: writes are refused until one succeeds again/.test(desk.log));
  assert.equal(waiting(desk).length, 2);
  assert.equal(stored(desk), '');
  rmSync(fault);
  await until('the inbox to be empty', () => waiting(desk).length === 0);
  assert.equal(stored(desk), '1@people.example 3\n2@people.example 3');
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

test('while neither the store nor the inbox can be written, LMTP answers 451; the mail that is sent again is processed once', { timeout: 300_000 }, async (t) => {
  const world = await faulty(t, '');
  if (!world) return;
  const { desk, fault } = world;
  desk.expects5xx = true;
  writeFileSync(fault, 'sync');
  assert.match(await deliver(t, desk, 1), /^451 4\.3\.0/);
  rmSync(fault);
  assert.match(await deliver(t, desk, 1), /^250/);
  await until('the inbox to be empty', () => waiting(desk).length === 0);
  assert.equal(stored(desk), '1@people.example 3');
});

test('SIGKILL between the COMMIT of a mail and the removal of its file: the mail is processed once', { timeout: 300_000 }, async (t) => {
  const world = await faulty(t, 'mail/new');
  if (!world) return;
  const { desk, fault, restart } = world;
  writeFileSync(fault, 'end');
  arrive(desk, { raw: numbered(1), to: HERE, from: 'ada@people.example' }).catch(() => {});
  await restart();
  await until('the inbox to be empty', () => waiting(desk).length === 0);
  assert.equal(stored(desk), '1@people.example 3');
  assert.equal(desk.sql('SELECT COUNT(*) FROM posts').trim(), '1');
});

for (const [moment, under] of [['while its attachments are stored', 'files/tmp'], ['at a COMMIT', 'desk.db-wal']]) {
  test(`SIGKILL of a release ${moment}: the mail is processed once`, { timeout: 300_000 }, async (t) => {
    const world = await faulty(t, under);
    if (!world) return;
    const { desk, fault, restart } = world;
    const body = '--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nnotes\r\n--b--\r\n';
    const row = await receive(desk, mail({ To: HERE, 'List-Id': '<news.example>', 'Content-Type': 'multipart/mixed; boundary=b' }, body), { to: HERE });
    assert.equal(row.suspension, 'AUTOMATED_EMAIL');
    if (under === 'files/tmp') writeFileSync(fault, 'end');
    (await desk.staff.put(`/mails/${row.id}`, { is_suspended: false })).must(200);
    if (under !== 'files/tmp') {
      writeFileSync(fault, 'end');
      desk.owner.create('/teams', { title: 'A COMMIT, if the release has had its own' }).catch(() => {});
    }
    await restart();
    await desk.clock.forward(600); // the lease of the killed process ends
    const done = await until('the release', () => mailRows(desk).find(({ status }) => status !== 'PROCESSING'));
    assert.deepEqual([done.status, done.is_suspended, done.reason], ['SUCCESS', false, null]);
    const { data } = (await new Client(desk, desk.staff.headers).get(`/cases/${done.case_id}/messages`)).must(200);
    assert.deepEqual(data.map((m) => [m.body_text.trim(), m.attachments.length]), [['Hello', 1]]);
    assert.equal(desk.sql('SELECT COUNT(*) FROM posts').trim(), '1');
    assert.equal(desk.check().status, 0, desk.check().stdout);
  });
}

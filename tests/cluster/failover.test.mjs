import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BINARY, Desk, Lmtp, PASSWORD, allowPrivate, defer, directory, hook, hooked, lmtpAlone, until, waiting } from '../api/lib/index.mjs';
import { init, psql } from '../postgres/cluster.mjs';
import { PatroniCluster, ROOT } from './lib.mjs';

// A cluster as docs/CLUSTER.md sets it up loses its primary in several ways, while clients write, mails come in and deliveries go out.

const GUIDE = readFileSync(new URL('../../docs/CLUSTER.md', import.meta.url), 'utf8');
const [, CONFIGURATION] = /```yaml\n([^]*?)```/.exec(GUIDE);
const COMMANDS = [...GUIDE.matchAll(/^ {4}((?:etcd|deskd|patronictl|curl) (?:.*\\\n)*.*)$/gm)].map(([, line]) => line.replace(/\\\n */g, ''));
const WRITERS = 16, READERS = 3;
const QUIET = 15_000; // milliseconds: the reads of a session go to a replica some seconds after its write
const HERE = 'support@desk.example', BASE = 'http://desk.example';
const people = { owner: { email: 'owner@example.com', password: PASSWORD } };

/** The line of the guide that begins so, which is thereby tried. */
function command(start, tried) {
  const line = COMMANDS.find((one) => one.startsWith(start)) ?? assert.fail(`CLUSTER.md has no command ${start}`);
  tried.add(line);
  return line;
}

/** The words of a command after its program. */
const words = (line) => line.match(/"[^"]*"|\S+/g).slice(1).map((word) => word.replaceAll('"', ''));

const at = (list, part) => list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))];

test('no failure of one server loses or doubles an acknowledged write, a mail or a delivery', { timeout: 1_500_000 }, async (t) => {
  const tried = new Set();
  const cluster = await new PatroniCluster(t, CONFIGURATION, words(command('etcd', tried)).filter((word) => word !== '...')).start();
  const run = (start, change = (line) => line) => {
    const [config, , ...rest] = words(change(command(start, tried)));
    assert.equal(config, '-c');
    return cluster.ctl(...rest);
  };
  psql(cluster.leader.url('postgres'), 'CREATE DATABASE desk');
  for (const member of cluster.members) await until('the database on each server', () => psql(member.url('postgres'), "SELECT count(*) FROM pg_database WHERE datname = 'desk'") === '1');
  const dir = directory(), shared = directory(), replicas = cluster.members.slice(0, 2);
  const here = (line) => words(cluster.addressed(line).replaceAll('/var/lib/deskd', dir).replaceAll('/srv/deskd', shared).replaceAll('https://desk.example.com', BASE));
  const [, ...given] = here(command('deskd serve', tried));
  const { '--data': folder, '--database': url, '--base-url': base, '--replica-url': replica, ...others } = Object.fromEntries(given.flatMap((word, i) => (i % 2 ? [] : [[word, given[i + 1]]])));
  assert.deepEqual([folder, base, replica.split('?')[0]], [dir, BASE, cluster.members[1].url('desk')]);
  const made = init(url, dir);
  assert.equal(made.status, 0, made.stderr);
  copyFileSync(join(dir, 'secret.key'), join(shared, 'secret.key'));
  const desk = new Desk(dir, { url, people, processes: 1, base, args: [] });
  defer(t, () => desk.stop());
  /** The process `i`, which reads from the server `i` while that is a replica. */
  const reading = (i) => { desk.args = [...Object.entries(others).flat(), '--replica-url', replica.replace(cluster.members[1].url('desk'), replicas[i].url('desk')), '--workers', '4', '--writers', '4']; };
  const ticking = setInterval(() => desk.clock.write(Math.max(desk.clock.now, Date.now())), 100);
  defer(t, async () => clearInterval(ticking));
  reading(0);
  await desk.start();
  reading(1);
  await desk.launch(base);
  (await desk.owner.put('/settings', { values: { 'mail.from_address': HERE } })).must(200);
  const sink = await hook(t);
  await allowPrivate(desk);
  const endpoint = await desk.owner.create('/endpoints', { title: 'Hook', type: 'HTTP', attributes: { url: sink.url } });
  await desk.owner.create('/triggers', { title: 'Tell', channel: 'API', actions: [{ name: `endpoint_${endpoint.id}`, option: 'SEND', value: '{{case.subject}}' }] });
  const door = await lmtpAlone(t, desk);
  await until('the address of the desk', () => readFileSync(join(dir, 'mail/recipients'), 'utf8').includes(HERE));
  desk.expects5xx = true;

  /** Repeats a request until it is answered, as a client of the desk does. */
  const insist = async (ask) => {
    for (;;) {
      const reply = await ask().catch((fault) => assert.match(`${fault.code} ${fault.message}`, /ECONN|socket hang up|EPIPE/));
      if (reply && reply.status !== 503) return reply;
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
  };
  const acknowledged = new Map(), mailed = new Set();
  let going = true, number = 0, waits = [];
  const write = async (who) => {
    while (going) {
      const subject = `S${++number}`, began = performance.now();
      const headers = { 'Idempotency-Key': subject };
      const { id } = (await insist(() => who.post('/conversations', { subject, contents: 'First' }, { headers }))).must(201).data;
      acknowledged.set(subject, id);
      const post = (await insist(() => who.post(`/conversations/${id}/messages`, { contents: 'Second' }, { headers: { 'Idempotency-Key': `${subject} again` } }))).must(201).data;
      waits.push(performance.now() - began);
      const seen = (await insist(() => who.get(`/conversations/${id}/messages`))).must(200).data;
      assert.ok(seen.some((one) => one.id === post.id), `the session does not see its message of ${subject}`);
    }
  };
  /** Writes from time to time, and reads what it wrote until its reads go to a replica. */
  const read = async (who, i) => {
    for (let n = 0; going; n++) {
      const subject = `R${i}.${n}`;
      const { id } = (await insist(() => who.post('/conversations', { subject, contents: 'First' }, { headers: { 'Idempotency-Key': subject } }))).must(201).data;
      for (const end = performance.now() + QUIET; going && performance.now() < end;) {
        assert.equal((await insist(() => who.get(`/conversations/${id}`))).status, 200, `the session does not see ${subject}`);
        await new Promise((resolve) => { setTimeout(resolve, 50); });
      }
    }
  };
  const mail = async () => {
    for (let n = 0; going; n++) {
      const client = new Lmtp(door.port);
      await client.hello();
      const [reply] = await client.deliver(`From: ada${n}@people.example\r\nMessage-ID: <${n}@people.example>\r\nSubject: M${n}\r\n\r\nHello\r\n`, HERE);
      if (reply?.startsWith('250')) mailed.add(`M${n}`);
      client.socket.destroy();
      await new Promise((resolve) => { setTimeout(resolve, 300); });
    }
  };
  const writers = [], readers = [];
  for (let i = 0; i < WRITERS; i++) writers.push((await desk.session(desk.owner)).client);
  for (let i = 0; i < READERS; i++) readers.push((await desk.session((await desk.person('admin')).client)).client); // a person has one session
  const work = Promise.all([...writers.map(write), ...readers.map(read), mail()]);
  work.catch((fault) => {
    going = false;
    t.diagnostic(String(fault.stack).slice(0, 1500));
  });

  /** Does something to the cluster, and waits until writes go on. */
  const step = async (what, act) => {
    waits = [];
    await act();
    const reached = number + 3 * WRITERS; // each writer has begun anew
    await until(`writes after: ${what}`, () => !going || number > reached);
    assert.ok(going, 'a client failed');
    t.diagnostic(`${what}: ${waits.length} writes, median ${at(waits, 0.5).toFixed(0)} ms, p99 ${at(waits, 0.99).toFixed(0)} ms`);
  };
  /** Goes on to the next file of the log, if the server can. */
  const next = (member) => spawnSync('psql', [member.url('postgres'), '-X', '-q', '-c', 'SELECT pg_switch_wal()'], { stdio: 'ignore', timeout: 5000, env: { ...process.env, PGCONNECT_TIMEOUT: '3' } });
  const other = () => cluster.list().find((one) => one.Role === 'Sync Standby').Member;

  await step('without a failure', () => {});
  await step('the primary is killed', async () => {
    const { leader } = cluster;
    await leader.kill();
    await until('another primary', () => { const now = cluster.leader; return now && now !== leader; });
    leader.start();
  });
  await cluster.settled();
  if (ROOT) {
    await step('the primary is cut off', async () => {
      const { leader } = cluster;
      leader.cut();
      try {
        await until('another primary', () => { const now = cluster.leader; return now && now !== leader; });
      } finally {
        leader.mend();
      }
    });
    await cluster.settled();
  } else t.diagnostic('skipped: cutting a server off needs root');
  await step('a switchover by hand', () => {
    run('patronictl -c /etc/patroni/config.yml switchover', (line) => line.replace('--leader db1', `--leader ${cluster.leader.name}`).replace('--candidate db2', `--candidate ${other()}`));
  });
  await cluster.settled();
  if (ROOT) {
    await step('the disk of the primary is full', async () => {
      const { leader } = cluster;
      leader.fill();
      try {
        await until('another primary', () => {
          next(leader); // or the log has room for some hundred megabytes
          const now = cluster.leader;
          return now && now !== leader;
        });
      } finally {
        await leader.clear();
      }
    });
    await cluster.settled();
  } else t.diagnostic('skipped: a disk that is full needs root');
  await step('a replica is far behind', async () => {
    const behind = replicas.find((member) => member !== cluster.leader), { port } = desk.daemons[replicas.indexOf(behind)];
    const metric = async (name) => Number(new RegExp(`^deskd_store_${name} (\\d+)$`, 'm').exec((await desk.anyone.exchange('GET', '/metrics', { port })).text)[1]);
    const more = async () => { const before = await metric('replica_reads_total'); await until('reads of the replica', async () => await metric('replica_reads_total') > before); };
    await more();
    // Patroni would end a pause of the replay.
    const replay = Number(psql(behind.url('desk'), "SELECT pid FROM pg_stat_activity WHERE backend_type = 'startup'"));
    process.kill(replay, 'SIGSTOP');
    try {
      await until('a replica that is not used', async () => await metric('replica_usable') === 0);
    } finally {
      process.kill(replay, 'SIGCONT');
    }
    await more();
  });
  await step('deskd is restarted', async () => {
    for (const [i, daemon] of [...desk.daemons].entries()) {
      daemon.child.kill('SIGTERM');
      await daemon.gone;
      desk.daemons = desk.daemons.filter((one) => one !== daemon);
      reading(i);
      await desk.launch(base);
    }
  });
  await step('the clock jumps back a minute', () => { desk.clock.write(desk.clock.now - 60_000); });

  going = false;
  await work;
  desk.expects5xx = false;
  await until('all mails', () => waiting(desk).length === 0);
  const now = cluster.leader.url('desk');
  const ids = psql(now, "SELECT subject || ' ' || id FROM cases WHERE subject LIKE 'S%' ORDER BY id").split('\n');
  assert.deepEqual(ids, [...acknowledged].map(([subject, id]) => `${subject} ${id}`).sort((a, b) => a.split(' ')[1] - b.split(' ')[1]), 'each acknowledged conversation exists once');
  assert.equal(psql(now, "SELECT count(*) FROM cases c WHERE subject LIKE 'S%' AND (SELECT count(*) FROM posts p WHERE p.case_id = c.id AND p.kind = 1) <> 2"), '0', 'each has its two messages');
  const mails = psql(now, "SELECT subject FROM cases WHERE subject LIKE 'M%'").split('\n').filter(Boolean);
  assert.equal(new Set(mails).size, mails.length, 'no mail is there twice');
  assert.deepEqual([...mailed].filter((one) => !mails.includes(one)), [], 'acknowledged mails that are lost');
  await until('all deliveries', () => psql(now, 'SELECT count(*) FROM endpoint_deliveries WHERE status = 1') === '0');
  const told = new Map(sink.requests.map((request) => [request.headers['x-desk-event'], request.text]));
  for (const subject of acknowledged.keys()) assert.ok([...told.values()].some((text) => text.includes(`"${subject}"`)), `no delivery of ${subject}`);
  t.diagnostic(`${acknowledged.size} conversations, ${mailed.size} mails, ${sink.requests.length} deliveries of ${told.size} events`);

  run('patronictl -c /etc/patroni/config.yml list');
  run('patronictl -c /etc/patroni/config.yml reinit', (line) => line.replace('db3', cluster.list().find((one) => one.Role === 'Replica').Member));
  await cluster.settled();
  run('patronictl -c /etc/patroni/config.yml pause');
  run('patronictl -c /etc/patroni/config.yml resume');
  const end = (program, args) => {
    const done = spawnSync(program, args, { encoding: 'utf8' });
    assert.equal(done.status, 0, `${program} ${args.join(' ')}: ${done.stdout}${done.stderr}`);
    return done.stdout;
  };
  assert.match(end('curl', words(command('curl', tried).replace(':8080', `:${desk.daemons[0].port}`))), /^ready$/m);
  end(BINARY, here(command('deskd check', tried)));
  assert.deepEqual(COMMANDS.filter((line) => !tried.has(line)), [], 'commands of the guide that were not tried');
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Desk, Lmtp, PASSWORD, allowPrivate, defer, directory, hook, hooked, lmtpAlone, until, waiting } from '../api/lib/index.mjs';
import { init, psql } from '../postgres/cluster.mjs';
import { PatroniCluster, ROOT } from './lib.mjs';

// A cluster as docs/CLUSTER.md sets it up loses its primary in several ways, while clients write, mails come in and deliveries go out.

const GUIDE = readFileSync(new URL('../../docs/CLUSTER.md', import.meta.url), 'utf8');
const [, CONFIGURATION] = /```yaml\n([^]*?)```/.exec(GUIDE);
const COMMANDS = [...GUIDE.matchAll(/^ {4}(patronictl|curl) .*$/gm)].map(([line]) => line.trim());
const WRITERS = 16;
const HERE = 'support@desk.example';
const people = { owner: { email: 'owner@example.com', password: PASSWORD } };

/** The line of the runbook that begins so, which is thereby tried. */
function command(start, tried) {
  const line = COMMANDS.find((one) => one.startsWith(start)) ?? assert.fail(`CLUSTER.md has no command ${start}`);
  tried.add(line);
  return line;
}

const at = (list, part) => list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))];

test('no failure of one server loses or doubles an acknowledged write, a mail or a delivery', { timeout: 1_500_000 }, async (t) => {
  const cluster = await new PatroniCluster(t, CONFIGURATION).start();
  const tried = new Set();
  const run = (start, change = (line) => line) => {
    const [, config, ...rest] = change(command(start, tried)).split(' ').slice(0);
    assert.equal(config, '-c');
    return cluster.ctl(...rest.slice(1));
  };
  psql(cluster.leader.url('postgres'), 'CREATE DATABASE desk');
  for (const member of cluster.members) await until('the database on each server', () => psql(member.url('postgres'), "SELECT count(*) FROM pg_database WHERE datname = 'desk'") === '1');
  const dir = directory(), url = cluster.url('desk');
  const made = init(url, dir);
  assert.equal(made.status, 0, made.stderr);
  const desk = new Desk(dir, { url, people, processes: 2, base: 'http://desk.example', args: ['--workers', '4', '--writers', '4'] });
  defer(t, () => desk.stop());
  const ticking = setInterval(() => desk.clock.write(Math.max(desk.clock.now, Date.now())), 100);
  defer(t, async () => clearInterval(ticking));
  await desk.start();
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
  const mail = async () => {
    for (let n = 0; going; n++) {
      const client = new Lmtp(door.port);
      await client.hello();
      const [reply] = await client.deliver(`From: ada@people.example\r\nMessage-ID: <${n}@people.example>\r\nSubject: M${n}\r\n\r\nHello\r\n`, HERE);
      if (reply?.startsWith('250')) mailed.add(`M${n}`);
      client.socket.destroy();
      await new Promise((resolve) => { setTimeout(resolve, 300); });
    }
  };
  const callers = [];
  for (let i = 0; i < WRITERS; i++) callers.push((await desk.session(desk.owner)).client);
  const work = Promise.all([...callers.map(write), mail()]);
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
  await step('deskd is restarted', async () => {
    for (const daemon of [...desk.daemons]) {
      daemon.child.kill('SIGTERM');
      await daemon.gone;
      desk.daemons = desk.daemons.filter((one) => one !== daemon);
      await desk.launch('http://desk.example');
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
  command('curl http://127.0.0.1:8080/readyz', tried);
  assert.equal((await desk.anyone.exchange('GET', '/readyz')).must(200).text.trim(), 'ready');
  assert.deepEqual(COMMANDS.filter((line) => !tried.has(line)), [], 'commands of the runbook that were not tried');
  const done = desk.check();
  assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
});

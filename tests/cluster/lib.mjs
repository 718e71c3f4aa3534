import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defer, until } from '../api/lib/index.mjs';
import { freePort, own } from '../postgres/cluster.mjs';

// Three PostgreSQL servers under Patroni, with etcd. As root each server has a network namespace, so that it can be cut off, and a disk of
// its own, so that it can be full: the test itself runs in a namespace of the network and of mounts, too (run.sh), and nothing of it can
// be reached from outside.

export const ROOT = process.getuid() === 0;
const BIN = process.env.PGBIN;
const USER = ROOT ? ['runuser', '-u', 'postgres', '--'] : [];
const HERE = ROOT ? '10.77.0.254' : '127.0.0.1';
const DISK = '2000m'; // in memory, of which a server takes a tenth until it is filled
const ip = (...args) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'inherit'] });

/** A program that runs until it is killed with all it has started. Its output goes to a file. */
class Program {
  constructor(log, [command, ...args]) {
    const file = openSync(log, 'a');
    this.child = spawn(command, args, { cwd: '/', stdio: ['ignore', file, file], detached: true });
    closeSync(file);
    this.gone = new Promise((resolve) => this.child.on('close', resolve));
  }

  /** Ends it, these processes, and everything that they have started, at once, as a machine that loses its power. */
  async kill(...others) {
    const all = [this.child.pid, ...others];
    for (let i = 0; i < all.length; i++) all.push(...spawnSync('ps', ['-o', 'pid=', '--ppid', String(all[i])], { encoding: 'utf8' }).stdout.split(/\s+/).filter(Boolean).map(Number));
    for (const pid of all) {
      try { process.kill(pid, 'SIGKILL'); } catch { /* it has ended */ }
    }
    await this.gone;
  }
}

/** One server: Patroni and its PostgreSQL. */
class Member {
  constructor(cluster, number) {
    Object.assign(this, { cluster, number, name: `db${number}`, place: join(cluster.place, `db${number}`) });
    mkdirSync(this.place);
    if (ROOT) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=700`, 'tmpfs', this.place]);
    own(this.place);
    this.config = join(this.place, 'patroni.yml');
  }

  async prepare() {
    this.host = ROOT ? `10.77.0.${this.number}` : '127.0.0.1';
    this.port = ROOT ? 5432 : await freePort();
    this.api = ROOT ? 8008 : await freePort();
    if (ROOT) {
      this.space = new Program(join(this.place, 'space.log'), ['unshare', '-n', 'sleep', 'infinity']);
      const namespace = () => { try { return readFileSync(`/proc/${this.space.child.pid}/comm`, 'utf8') === 'sleep\n'; } catch { return false; } };
      await until('a network namespace', namespace);
      ip('link', 'add', `to${this.number}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(this.space.child.pid));
      ip('link', 'set', `to${this.number}`, 'master', 'bridge0', 'up');
      this.inside('ip', 'link', 'set', 'lo', 'up');
      this.inside('ip', 'addr', 'add', `${this.host}/24`, 'dev', 'eth0');
      this.inside('ip', 'link', 'set', 'eth0', 'up');
    }
    writeFileSync(this.config, this.cluster.configuration(this));
    own(this.config);
  }

  /** The command in the namespace of this server. */
  under(command) { return ROOT ? ['nsenter', '-t', String(this.space.child.pid), '-n', ...command] : command; }
  inside(...command) { const [first, ...rest] = this.under(command); return execFileSync(first, rest, { stdio: ['ignore', 'pipe', 'pipe'] }); }

  start() { this.program = new Program(join(this.place, 'log'), this.under([...USER, 'patroni', this.config])); }

  /** PostgreSQL is no child of Patroni. */
  async kill() {
    let first = [];
    try { first = [Number(readFileSync(join(this.place, 'data/postmaster.pid'), 'utf8').split('\n')[0])]; } catch { /* it does not run */ }
    await this.program.kill(...first);
  }

  /** Cuts the server off: its packets, and those to it, are lost without a word. */
  cut() { ip('link', 'set', `to${this.number}`, 'down'); }
  mend() { ip('link', 'set', `to${this.number}`, 'up'); }

  /** Fills the disk, and whatever becomes free on it. */
  fill() { this.filler = new Program('/dev/null', ['sh', '-c', 'while :; do cat /dev/zero; sleep 0.1; done >"$0"', join(this.place, 'filler')]); }
  async clear() {
    await this.filler?.kill();
    rmSync(join(this.place, 'filler'), { force: true });
  }

  url(name, more = '') { return `postgres://postgres:secret@${this.host}:${this.port}/${name}${more}`; }
}

export class PatroniCluster {
  /** `configuration`: the file of CLUSTER.md. `etcd`: its options of etcd. */
  constructor(t, configuration, etcd) {
    this.place = mkdtempSync(join(tmpdir(), 'deskd-cluster-'));
    own(this.place);
    this.template = configuration;
    this.options = etcd;
    this.members = [1, 2, 3].map((number) => new Member(this, number));
    defer(t, async () => {
      for (const member of this.members) {
        await member.clear();
        if (member.program) await member.kill();
        await member.space?.kill();
        if (ROOT) execFileSync('umount', ['--lazy', member.place]);
      }
      await this.etcd?.kill();
      rmSync(this.place, { recursive: true, force: true });
    });
  }

  /** The file of CLUSTER.md, with the names and folders of this server. */
  configuration(member) {
    const names = { name: member.name, host: member.host, port: member.port, api: member.api, etcd: `${HERE}:${this.client}`, folder: member.place, bin: BIN };
    return this.template.replace(/<(\w+)>/g, (_, name) => names[name] ?? assert.fail(`<${name}> is not known`));
  }

  async start() {
    if (ROOT) {
      ip('link', 'add', 'bridge0', 'type', 'bridge');
      ip('addr', 'add', `${HERE}/24`, 'dev', 'bridge0');
      ip('link', 'set', 'bridge0', 'up');
    }
    [this.client, this.peer] = [await freePort(), await freePort()];
    const [at, peers] = [`http://${HERE}:${this.client}`, `http://127.0.0.1:${this.peer}`];
    const folder = join(this.place, 'etcd');
    mkdirSync(folder);
    own(folder);
    this.etcd = new Program(join(this.place, 'etcd.log'), [...USER, 'etcd', '--name', 'one', '--data-dir', join(folder, 'data'), ...this.options, '--unsafe-no-fsync',
      '--listen-client-urls', at, '--advertise-client-urls', at, '--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `one=${peers}`]);
    for (const member of this.members) await member.prepare();
    for (const member of this.members) member.start();
    await this.settled();
    return this;
  }

  ctl(...args) {
    const done = spawnSync('patronictl', ['-c', this.members[0].config, ...args], { encoding: 'utf8', cwd: '/', env: { ...process.env, LC_ALL: 'C.UTF-8' } });
    assert.equal(done.status, 0, `patronictl ${args.join(' ')}: ${done.stdout}${done.stderr}`);
    return done.stdout;
  }

  list() { return JSON.parse(this.ctl('list', '-f', 'json')); }

  /** Waits until all servers run, one is the leader, and one other is its synchronous standby. */
  settled(count = 3) {
    return until(`a leader with ${count - 1} replicas`, () => {
      let all;
      try { all = this.list(); } catch { return false; }
      const good = all.filter((one) => ['running', 'streaming'].includes(one.State));
      return good.length === count && good.some((one) => one.Role === 'Leader') && good.some((one) => one.Role === 'Sync Standby');
    });
  }

  get leader() {
    const name = this.list().find((one) => one.Role === 'Leader' && one.State === 'running')?.Member;
    return this.members.find((member) => member.name === name);
  }

  /** A line of CLUSTER.md with the user and the addresses of these servers in its URLs. */
  addressed(line) {
    const address = (name) => { const { host, port } = this.members.find((member) => member.name === name); return `${host}:${port}`; };
    return line.replace(/deskd@((?:db\d,?)+)/g, (_, names) => `postgres:secret@${names.split(',').map(address).join(',')}`);
  }
}

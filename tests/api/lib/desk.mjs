import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { AGENT, Client, basic } from './client.mjs';
import { Clock } from './clock.mjs';
import { Contract } from './contract.mjs';
import { defer } from './defer.mjs';
import { obey } from './rules.mjs';
import { BINARY, CLUSTER, PASSWORD, createDatabase, databaseUrl, deskd, directory, dropDatabase, forgetProcesses, make, once, query, quicken, store } from './stores.mjs';
import { until } from './until.mjs';

export const ROLES = ['owner', 'admin', 'agent', 'collaborator', 'customer'];
export const ROLE_ID = { admin: 1, agent: 2, collaborator: 3, customer: 4, owner: 5 };
const NAMES = { owner: 'Olive Owner', admin: 'Ada Admin', agent: 'Agnes Agent', collaborator: 'Colin Collaborator', customer: 'Cora Customer' };

/** Rows of `deskd routes`: {method, path, roles, scope, status, resource, permission, token}. */
export function routes() {
  const { status, stdout, stderr } = deskd('routes');
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split('\n').map((line) => line.split('\t')).filter(([method]) => method !== 'method')
    .map(([method, path, roles, scope, code, resource, permission, token]) => ({ method, path: path.replace(/^\/api\/v1/, '').replace(/\.json$/, ''), roles, scope, status: Number(code), resource, permission, token }));
}

/** Creates a store with an owner in `dir`. */
export const initialise = (dir) => make(dir, 'init', '--owner-email', 'owner@example.com', '--owner-name', NAMES.owner);

/** Lines of the log that name a defect of the program, which a caller does not notice. */
const DEFECTS = / error (store: (a statement was never ended|the parameter \S+ is not bound)|\S+ is not kept: it reads ).*/;

let contract; // the contract of the binary under test, shared by all daemons of this file

/** Number of processes of a desk on PostgreSQL. Requests go to each in turn. */
const PROCESSES = CLUSTER ? Number(process.env.PROCESSES ?? 1) : 1;

/** A running desk: its daemons on one data directory or one database. */
export class Desk {
  constructor(dir, { args = [], under = [], env = {}, people = {}, clock, base, url, processes = PROCESSES } = {}) {
    Object.assign(this, { dir, args, under, env, people, processes, log: '', secrets: new Set([PASSWORD]), daemons: [], turn: 0 });
    this.store = url ? ['--data', dir, '--database', url] : url === null ? ['--data', dir] : store(dir); // null: the folder, also if the tests run on PostgreSQL
    this.public = base; // the base URL, if it is not the listening address
    this.expects5xx = false;
    this.clock = new Clock(join(directory(), 'clock'), () => this.time(), clock);
  }

  /** Starts another daemon: {child, port, gone}. */
  async launch(base) {
    const [command, ...rest] = [...this.under, BINARY, 'serve', ...this.store, '--listen', '127.0.0.1:0', '--clock', this.clock.file, ...(base ? ['--base-url', base] : []), ...this.args];
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...this.env } });
    const gone = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
    let said = '';
    const address = await new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => { this.log += text; });
      child.stdout.on('data', (text) => {
        said += text;
        const ready = /^deskd: listening on (http:\/\/\S+)$/m.exec(said);
        if (ready) resolve(ready[1]);
      });
      child.on('error', reject);
      gone.then(({ code, signal }) => reject(new Error(`deskd did not start (${code ?? signal}): ${this.log}`)));
    });
    this.daemons.push({ child, gone, port: Number(new URL(address).port) });
    return address;
  }

  async start() {
    this.base = this.public;
    this.agent = new http.Agent({ keepAlive: true });
    while (this.daemons.length < this.processes) this.base = await this.launch(this.base).then((address) => this.base ?? address);
    contract ??= new Contract(JSON.parse((await this.anyone.exchange('GET', '/openapi.json')).must(200).text)); // openapi.test.mjs parses it strictly
    this.contract = contract;
    return this;
  }

  /** The next daemon. With two daemons: 0 1 1 0 1 0 0 1 ... (Thue-Morse), so that no pattern of a test always reaches the same one. */
  get port() {
    const ones = (this.turn++).toString(2).replaceAll('0', '').length;
    return this.daemons[ones % this.daemons.length].port;
  }

  /** Waits until all daemons have the same settings: one that another daemon changed counts a moment later. */
  async agree(client) {
    if (this.daemons.length < 2) return;
    await until('the same settings in all daemons', async () => {
      const replies = await Promise.all(this.daemons.map(({ port }) => client.exchange('GET', '/api/v1/settings', { query: { limit: 1000 }, port })));
      return new Set(replies.map((reply) => JSON.stringify(reply.must(200).data))).size === 1;
    });
  }

  /** The first daemon. */
  get child() { return this.daemons[0].child; }

  /** Sends SIGTERM. The daemons must drain and exit with 0. */
  async stop() {
    this.agent?.destroy();
    const ends = this.daemons.map(async ({ child, gone }) => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      const end = await gone;
      clearTimeout(timer);
      return end;
    });
    this.daemons = [];
    for (const end of await Promise.all(ends)) assert.deepEqual(end, { code: 0, signal: null }, `deskd ended: ${this.log.slice(-4000)}`);
    assert.doesNotMatch(this.log, DEFECTS);
    for (const secret of this.secrets) assert.ok(!this.log.includes(secret), 'the log contains a secret');
  }

  /** Waits until the daemons have ended by themselves: {code, signal} of the first. */
  async ended() {
    const [end] = await Promise.all(this.daemons.map(({ gone }) => gone));
    this.daemons = [];
    return end;
  }

  /** Sends SIGKILL: the daemons flush nothing. */
  async kill() {
    this.agent.destroy();
    for (const { child } of this.daemons) child.kill('SIGKILL');
    await this.ended();
    const [, , , url] = this.store;
    if (url) forgetProcesses(url);
  }

  async restart() {
    await this.stop();
    return this.start();
  }

  /** Checks a reply against the general rules and the declared schema of its route. */
  judge(reply) {
    if (reply.status >= 500 && !(this.expects5xx && [503, this.expects5xx].includes(reply.status))) assert.fail(`${reply}\n${this.log.slice(-2000)}`);
    obey(reply, this.base);
    this.contract.judge(reply);
    for (const name of ['x-csrf-token', 'x-request-token', 'x-rememberme']) {
      if (reply.headers[name]) this.secrets.add(reply.headers[name]);
    }
    return reply;
  }

  /** The time of the daemon. */
  async time() {
    const { headers } = await this.anyone.exchange('HEAD', '/api/v1/session');
    return Date.parse(headers['date-iso']);
  }

  has(method, path) { return this.contract.has(method, `/api/v1${path}`); }

  /** A caller without credentials. */
  get anyone() { return new Client(this); }

  /** A person of the template store, with Basic. */
  as(role) {
    const { email, password } = this.people[role];
    return new Client(this, basic(email, password));
  }

  login(email, password = PASSWORD) { return new Client(this, basic(email, password)); }

  get owner() { return this.as('owner'); }
  get admin() { return this.as('admin'); }
  get staff() { return this.as('agent'); }
  get customer() { return this.as('customer'); }

  /** The same person on a session, with its CSRF token. */
  async session(client, headers = {}) {
    const reply = (await client.get('/session', {}, headers)).must(200);
    const { id } = reply.data;
    const csrf = reply.headers['x-csrf-token'];
    this.secrets.add(id);
    const bare = new Client(this, { 'X-Session-ID': id });
    return { id, csrf, reply, bare, client: bare.with({ 'X-CSRF-Token': csrf }) };
  }

  /** Creates a user through the API: {id, email, client, ...}. */
  async person(role, more = {}) {
    this.made = (this.made ?? 0) + 1;
    const email = more.email ?? `${role}${this.made}@people.example`;
    const user = await this.owner.create('/users', { full_name: `${role} ${this.made}`, email, role_id: ROLE_ID[role], password: PASSWORD, ...more });
    return { id: user.id, email, user, client: this.login(email, more.password) };
  }

  /** Moves the clock forward until the job is done. Returns the job. */
  job(client, id) {
    return until(`the end of job ${id}`, async () => {
      const job = await client.fetch(`/jobs/${id}`);
      if (!['PENDING', 'RUNNING'].includes(job.status)) return job;
      this.clock.write(this.clock.now + 1000);
      return undefined;
    });
  }

  /** Moves the clock forward until no job of the kind waits or runs. */
  jobsEnded(kind) {
    return until(`the end of the jobs ${kind}`, () => {
      this.clock.write(this.clock.now + 1000);
      return this.sql(`SELECT COUNT(*) FROM jobs WHERE kind = '${kind}' AND status IN (1, 2)`).trim() === '0';
    });
  }

  check() { return deskd('check', ...this.store); }

  /** The result of a SELECT on the store as text, for data that no reply shows. */
  sql(text) { return query(this.dir, text); }
}

/** Starts a daemon on a copy of a store. It ends with the test. */
function opened(t, { dir: from, people }, options) {
  const dir = options.dir ?? directory();
  mkdirSync(dir, { recursive: true });
  cpSync(from, dir, { recursive: true });
  createDatabase(dir, from);
  const desk = new Desk(dir, { people, ...options });
  defer(t, () => desk.stop().finally(() => {
    rmSync(dir, { recursive: true, force: true });
    dropDatabase(dir);
  }));
  return desk.start();
}

/** Adds the ids of `people`, {role: {email, ...}}, and gives them cheap hashes. */
async function finish(dir, people, prepare = () => {}) {
  const desk = await new Desk(dir, { people, processes: 1 }).start();
  try {
    await prepare(desk);
    for (const person of Object.values(people)) person.id = (await desk.owner.fetch('/users', { email: person.email }))[0].id;
  } finally {
    await desk.stop();
  }
  quicken(dir);
  return { people };
}

const everyRole = (of) => Object.fromEntries(ROLES.map((role) => [role, { email: `${role}@example.com`, password: PASSWORD, ...of(role) }]));

/** Starts a daemon for this test on a copy of a store with one person of each role. */
export async function open(t, options = {}) {
  assert.ok(existsSync(BINARY), `${BINARY} is not built`);
  return opened(t, await once('template', (dir) => finish(initialise(dir), everyRole((role) => ({ name: NAMES[role] })), async (desk) => {
    for (const role of ROLES.slice(1)) {
      await desk.owner.create('/users', { full_name: NAMES[role], email: desk.people[role].email, role_id: ROLE_ID[role], password: PASSWORD });
    }
  })), options);
}

/** Starts a daemon on a demo desk, whose people have accounts that no operation of the API creates. */
export async function demo(t, { conversations = 1, ...options } = {}) {
  return opened(t, await once(`demo-${conversations}`, (dir) =>
    finish(make(dir, 'demo', '--conversations', String(conversations)), everyRole(() => ({})))), options);
}

export { AGENT, BINARY, PASSWORD, basic, databaseUrl, deskd, directory, store };

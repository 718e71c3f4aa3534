import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Desk, PASSWORD, defer, directory, until } from '../api/lib/index.mjs';
import { contents, database, init, own, psql, refused } from './cluster.mjs';
import { metric } from './lib.mjs';

// PgBouncer in front of the database: by sessions it serves, by transactions or statements it is refused.

/** PgBouncer for one database, on a socket in a folder of its own. */
class Pooler {
  constructor(t, url) {
    this.place = mkdtempSync(join(tmpdir(), 'deskd-pooler-'));
    own(this.place);
    this.target = { name: /\/([^/?]*)\?/.exec(url)[1], host: /host=([^&]*)/.exec(url)[1] };
    defer(t, async () => {
      await this.stop();
      rmSync(this.place, { recursive: true, force: true });
    });
  }

  async start(mode, settings = {}) {
    const { name, host } = this.target;
    const all = { listen_addr: '', listen_port: 6432, unix_socket_dir: this.place, auth_type: 'any', pool_mode: mode, default_pool_size: 60, ...settings };
    const file = join(this.place, 'pgbouncer.ini');
    writeFileSync(file, `[databases]\n${name} = host=${host} dbname=${name} user=desk\n[pgbouncer]\n${Object.entries(all).map(([key, value]) => `${key} = ${value}\n`).join('')}`);
    own(file);
    const user = process.getuid() === 0 ? ['-u', 'postgres'] : []; // it refuses to run as root
    this.said = '';
    this.child = spawn('/usr/sbin/pgbouncer', ['-q', ...user, file], { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.setEncoding('utf8').on('data', (text) => { this.said += text; });
    this.gone = new Promise((resolve) => this.child.on('close', resolve));
    let ended = false;
    this.gone.then(() => { ended = true; });
    await until('the pooler to listen', () => {
      assert.ok(!ended, this.said);
      return existsSync(join(this.place, '.s.PGSQL.6432'));
    });
    return this;
  }

  async stop() {
    this.child?.kill('SIGKILL'); // at once: since version 1.23 SIGTERM waits for the clients
    await this.gone;
    rmSync(join(this.place, '.s.PGSQL.6432'), { force: true });
  }

  get url() { return `postgres://desk@/${this.target.name}?host=${this.place}&port=6432`; }
}

test('a pooler that changes the session between transactions is refused before anything is changed', async (t) => {
  const url = database(t);
  const pooler = new Pooler(t, url);
  for (const [mode, settings] of [['transaction', {}], ['transaction', { default_pool_size: 1 }], ['transaction', { server_round_robin: 1, min_pool_size: 3 }], ['statement', {}]]) {
    await pooler.start(mode, settings);
    refused(init(pooler.url), /^deskd: the database is behind a pooler that changes the session between transactions.*set pool_mode=session for this database/);
    assert.equal(contents(url), '');
    await pooler.stop();
  }
});

test('a pooler by sessions serves; one that is restarted by transactions is noticed, and one by sessions used again', async (t) => {
  const url = database(t);
  const pooler = await new Pooler(t, url).start('session');
  const dir = directory();
  const made = init(pooler.url, dir);
  assert.equal(made.status, 0, made.stderr);
  const desk = new Desk(dir, { url: pooler.url, processes: 1, people: { owner: { email: 'owner@example.com', password: PASSWORD } } });
  defer(t, () => desk.stop());
  await desk.start();
  const { id } = await desk.owner.create('/conversations', { subject: 'Pooled', contents: 'First' });
  (await desk.owner.get(`/conversations/${id}`)).must(200);
  assert.equal(await metric(desk, 'store_rung_total'), 0, 'its own notifications are not those of others');
  assert.notEqual(psql(url, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'deskd'"), '0');

  desk.expects5xx = true;
  await pooler.stop();
  await pooler.start('transaction');
  await until('a refusal', async () => (await desk.owner.get('/conversations')).status === 503 && /behind a pooler that changes the session/.test(desk.log));
  await pooler.stop();
  await pooler.start('session');
  await until('a reply', async () => (await desk.owner.get(`/conversations/${id}`)).status === 200);
  await until('a write', async () => (await desk.owner.post(`/conversations/${id}/messages`, { contents: 'Second' })).status === 201);
});

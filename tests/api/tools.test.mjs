import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BINARY, defer, directory } from './lib/index.mjs';

const tool = (name) => fileURLToPath(new URL(`../../tools/${name}`, import.meta.url));

/** Shell scripts in place of programs of the machine: name -> shell. Returns an environment that finds them first. */
function pretend(programs) {
  const bin = join(directory(), 'bin');
  mkdirSync(bin);
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { ...process.env, PATH: `${bin}:${process.env.PATH}`, PLACE: bin };
}

const NOTHING_INSTALLED = { 'dpkg-query': 'exit 1', id: 'echo 0', sleep: 'echo "$1" >>"$PLACE/slept"' };
const setup = (env) => spawnSync('sh', [tool('setup.sh'), 'test'], { encoding: 'utf8', env });

test('setup waits for another apt: for the locks of the lists, the archive and dpkg', () => {
  for (const lock of ['Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)', 'Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?']) {
    const env = pretend({ ...NOTHING_INSTALLED, 'apt-get': `echo "$@" >>"$PLACE/asked"; [ $(wc -l <"$PLACE/asked") -gt 2 ] || { echo "E: ${lock}" >&2; exit 100; }` });
    const { status, stdout, stderr } = setup(env);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^setup: installing .*\nsetup: another apt or dpkg is running: waiting for it\n$/);
    const asked = readFileSync(join(env.PLACE, 'asked'), 'utf8').trim().split('\n');
    assert.deepEqual(asked.map((line) => /update|install/.exec(line)[0]), ['update', 'update', 'update', 'install']);
    assert.ok(asked.every((line) => line.includes('-o DPkg::Lock::Timeout=600')));
    assert.equal(readFileSync(join(env.PLACE, 'slept'), 'utf8'), '5\n5\n');
  }
});

test('setup fails at once for another reason, and gives up on a lock that is never free', () => {
  const broken = pretend({ ...NOTHING_INSTALLED, 'apt-get': 'echo "E: Unable to fetch some archives" >&2; exit 100' });
  const failed = setup(broken);
  assert.deepEqual([failed.status, failed.stderr, existsSync(join(broken.PLACE, 'slept'))], [1, 'E: Unable to fetch some archives\n', false]);
  const locked = pretend({ ...NOTHING_INSTALLED, 'apt-get': 'echo "E: Could not get lock x" >&2; exit 100' });
  const given = setup(locked);
  assert.deepEqual([given.status, given.stderr, readFileSync(join(locked.PLACE, 'slept'), 'utf8').length], [1, 'E: Could not get lock x\n', 240]);
});

const env = { ...process.env, DESKD: BINARY };

test('make run prints the logins when the desk listens, and not before', { timeout: 60_000 }, async (t) => {
  const data = join(directory(), 'data');
  const child = spawn('sh', [tool('run.sh'), data, '127.0.0.1:0'], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const gone = new Promise((resolve) => child.on('close', (status) => resolve(status)));
  defer(t, () => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* the process has ended */ } });
  let said = '';
  const password = () => readFileSync(join(data, 'demo-password'), 'utf8').trim();
  await new Promise((resolve) => child.stdout.setEncoding('utf8').on('data', (text) => { said += text; if (said.includes('for a new one.')) resolve(); }));
  const [, url] = /^deskd: listening on (http:\S+)$/m.exec(said);
  assert.ok(said.indexOf('deskd: listening') < said.indexOf(password()), said);
  const [, login] = /curl -u (\S+) '/.exec(said);
  const reply = await fetch(`${url}/api/v1/conversations?limit=3`, { headers: { Authorization: `Basic ${Buffer.from(login).toString('base64')}` } });
  assert.equal(reply.status, 200);
  process.kill(-child.pid, 'SIGINT'); // like Ctrl-C
  assert.equal(await gone, 0);
});

test('make run on a port in use names LISTEN= and prints no logins', { timeout: 60_000 }, async (t) => {
  const data = join(directory(), 'data'), taken = net.createServer();
  await new Promise((resolve) => taken.listen(0, '127.0.0.1', resolve));
  defer(t, () => taken.close());
  const listen = `127.0.0.1:${taken.address().port}`;
  const { status, stdout, stderr } = spawnSync('sh', [tool('run.sh'), data, listen], { encoding: 'utf8', env });
  assert.equal(status, 1, stdout + stderr);
  assert.match(stdout, new RegExp(`Another program listens on ${listen}. Serve on another port: make run LISTEN=127.0.0.1:8081\n`));
  assert.ok(!stdout.includes(readFileSync(join(data, 'demo-password'), 'utf8').trim()), stdout);
});

test('only the picture process loads libgd, and its exit status says if libgd is missing', () => {
  const loaded = spawnSync(BINARY, [], { encoding: 'utf8', env: { LD_TRACE_LOADED_OBJECTS: '1' } }).stdout;
  assert.match(loaded, /libjpeg/);
  assert.doesNotMatch(loaded, /libgd\.so|libheif/);
  const LD_LIBRARY_PATH = directory();
  writeFileSync(join(LD_LIBRARY_PATH, 'libgd.so.3'), 'not a library');
  const { status, stdout } = spawnSync(BINARY, ['--picture', 'square 16'], { encoding: 'utf8', env: { LD_LIBRARY_PATH } });
  assert.deepEqual([status, stdout], [4, '']);
});

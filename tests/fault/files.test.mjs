import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, directory, open, raw, until } from '../api/lib/index.mjs';

// A committed row has its content, whatever is killed, and even if the kernel has written nothing by itself.

const CLIENTS = 16;
const get = (who, id) => who.exchange('GET', `/api/v1/files/${id}/content`);

test('every acknowledged upload survives SIGKILL, and unfinished uploads leave a valid store', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  const acknowledged = new Map();
  for (const enough of [20, 60, 150]) {
    let killed;
    const upload = async () => {
      while (!killed) {
        const data = randomBytes(20_000);
        try {
          acknowledged.set((await desk.customer.post('/files', raw('text/plain', data))).must(201).data.id, data);
        } catch (error) {
          if (!killed) throw error;
        }
        if (acknowledged.size >= enough) killed ??= desk.kill();
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, upload));
    await killed;
    const { status, stdout, stderr } = desk.check();
    assert.equal(status, 0, `deskd check: ${stdout}${stderr}`);
    await desk.start();
    const customer = new Client(desk, desk.customer.headers);
    for (const [id, data] of acknowledged) assert.ok((await get(customer, id)).must(200).bytes.equals(data), `file ${id}`);
  }
});

test('an upload replaces a damaged content with the same hash, for all its files', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  for (const damage of [(path) => truncateSync(path, 10), (path) => writeFileSync(path, randomBytes(20_000)), (path) => rmSync(path)]) {
    const data = randomBytes(20_000), sum = createHash('sha256').update(data).digest('hex');
    const { id } = (await desk.customer.post('/files', raw('text/plain', data))).must(201).data;
    damage(join(desk.dir, 'files', sum.slice(0, 2), sum));
    const again = (await desk.staff.post('/files', raw('text/plain', data))).must(201).data.id;
    for (const [who, file] of [[desk.staff, again], [desk.customer, id]]) assert.ok((await get(who, file)).must(200).bytes.equals(data));
  }
  assert.deepEqual(readdirSync(join(desk.dir, 'files/tmp')), []);
  assert.equal(desk.check().status, 0);
  assert.match(desk.log, /the content \S+ has a wrong size: it is replaced by an upload of the same bytes/);
  assert.match(desk.log, /the content \S+ does not match its SHA-256: it is replaced/);
});

test('a download of a missing or truncated content is refused, and every download has its SHA-256', { timeout: 300_000 }, async (t) => {
  const desk = await open(t);
  const data = randomBytes(20_000), sum = createHash('sha256').update(data).digest();
  const path = join(desk.dir, 'files', sum.toString('hex').slice(0, 2), sum.toString('hex'));
  const { id } = (await desk.customer.post('/files', raw('text/plain', data))).must(201).data;
  const digest = `sha-256=:${sum.toString('base64')}:`;
  assert.equal((await get(desk.customer, id)).must(200).headers['repr-digest'], digest);
  const part = (await desk.customer.exchange('GET', `/api/v1/files/${id}/content`, { headers: { Range: 'bytes=5-9' } })).must(206);
  assert.equal(part.headers['repr-digest'], digest);
  desk.expects5xx = true;
  truncateSync(path, 10);
  (await get(desk.customer, id)).refused(503, 'SERVICE_UNAVAILABLE');
  rmSync(path);
  (await get(desk.customer, id)).refused(503, 'SERVICE_UNAVAILABLE');
  assert.match(desk.log, /the content \S+ of a file is not there as it was: another size/);
});

const available = spawnSync('strace', ['-f', '-e', 'trace=write', 'true']).status === 0;
const skip = available ? false : 'strace is not permitted here';

test('content sync, link and folder sync precede the write of its row, and the reply follows all', { skip, timeout: 60_000 }, async (t) => {
  const file = join(directory(), 'trace');
  const calls = 'fsync,fdatasync,link,linkat,write,writev,sendto,sendmsg,pwrite64';
  const desk = await open(t, { processes: 1, under: ['strace', '-D', '-f', '-y', '-s', '64', '-o', file, '-e', `trace=${calls}`] });
  await desk.customer.get('/profile'); // logs in and creates the session
  for (let i = 0; i < 5; i++) (await desk.customer.post('/files', raw('text/plain', randomBytes(1000)))).must(201);
  const { pid } = desk.child;
  await desk.stop();
  await until('the end of the trace', () => new RegExp(`^${pid} .*\\+\\+\\+ exited`, 'm').test(readFileSync(file, 'latin1')));
  const lines = readFileSync(file, 'latin1').split('\n');
  let from = 0;
  for (let i = 0; i < 5; i++) {
    const after = (what, pattern) => {
      const at = lines.findIndex((line, n) => n > from && pattern.test(line));
      assert.ok(at > 0, `upload ${i}: no ${what} after line ${from}`);
      from = at;
    };
    after('fsync of the upload', /fsync\(\d+<[^>]*\/files\/tmp\/upload-/);
    after('link', /link(at)?\(.*\/files\/tmp\/upload-.*\/files\/[0-9a-f]{2}\//);
    after('fsync of the folder', /fsync\(\d+<[^>]*\/files\/[0-9a-f]{2}>/);
    after('fsync of the folder above', /fsync\(\d+<[^>]*\/files>/);
    after('write to the log', /pwrite64\(\d+<[^>]*-wal>/);
    after('fdatasync of the log', /f(data)?sync\(\d+<[^>]*-wal>/);
    after('reply', /"HTTP\/1\.1 201/);
  }
});

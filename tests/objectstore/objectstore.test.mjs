import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CLUSTER, store as storeOf } from '../api/lib/stores.mjs';
import { BINARY, HOUR, asked, directory, initialise, open, raw, until, uploaded } from '../api/lib/index.mjs';
import { png } from '../api/lib/picture.mjs';
import { KEY, objectStore } from './store.mjs';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const upload = (who, data) => who.post('/files', raw('application/octet-stream', data));
const stored = async (who, data = randomBytes(1000)) => ({ ...(await upload(who, data)).must(201).data, data });
const download = (who, { id }, headers) => who.exchange('GET', `/api/v1/files/${id}/content`, { headers, binary: true });
const MINUTE = 60;
/** Runs deskd to its end, while the store in this process answers it. */
const run = (args, env = KEY) => new Promise((resolve) => {
  const child = spawn(BINARY, args, { env: { ...process.env, AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', ...env }, timeout: 60_000 }), said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => { said[name] += text; });
  child.on('close', (status) => resolve({ status, ...said }));
});

describe('files in an object store', () => {
  const w = {};
  let close;
  before(async () => {
    const ends = [];
    const t = { after: (end) => ends.unshift(end) };
    close = async () => { for (const end of ends) await end(); };
    w.store = await objectStore(t);
    w.cache = directory();
    w.desk = await open(t, { args: [...w.store.args(), '--files-cache', w.cache], env: KEY });
    w.desk.expects5xx = true;
  });
  after(() => close?.());

  /** Removes the copies, so that the next download asks the store. */
  const forget = () => { for (const name of readdirSync(w.cache)) if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(w.cache, name), { recursive: true }); };
  const check = (...args) => run(['check', ...storeOf(w.desk.dir), ...w.store.args(), ...args]);
  const faulty = async (fault, run) => {
    w.store.requests.length = 0;
    w.store.fault = fault;
    try {
      return await run();
    } finally {
      w.store.fault = undefined;
    }
  };
  /** The first request of this method gets the fault, the others do not. */
  const once = (method, fault) => {
    let left = 1;
    return (r) => (r.method === method && left-- > 0 ? fault : undefined);
  };
  const always = (method, fault) => (r) => (r.method === method ? fault : undefined);

  test('an upload is acknowledged when the bucket has it, and a download has the same bytes, whole and in part', async () => {
    const file = await stored(w.desk.customer, randomBytes(300_000));
    assert.ok(existsSync(w.store.file('one', file.hash)));
    for (const forgotten of [false, true]) {
      if (forgotten) forget();
      assert.equal(sha256((await download(w.desk.customer, file)).must(200).bytes), file.hash);
    }
    const part = (await download(w.desk.customer, file, { Range: 'bytes=100000-100009' })).must(206);
    assert.deepEqual(part.bytes, file.data.subarray(100_000, 100_010));
  });

  test('a second download does not ask the store, and one without rights never does', async () => {
    const file = await stored(w.desk.customer);
    forget();
    (await download(w.desk.customer, file)).must(200);
    assert.equal(w.store.taken('GET').filter(({ url }) => url.includes(file.hash)).length, 1);
    (await download(w.desk.customer, file)).must(200);
    forget();
    (await download(w.desk.owner, file)).must(404);
    assert.deepEqual(w.store.taken('GET').filter(({ url }) => url.includes(file.hash)), []);
  });

  for (const [what, fault] of [['half a body', 'half'], ['other bytes', 'other'], ['a cut connection', 'cut'], ['503', { status: 503, code: 'SlowDown' }], ['500', { status: 500, code: 'InternalError' }]]) {
    test(`after ${what} a download succeeds at the next attempt, and is refused if the fault stays`, async () => {
      const file = await stored(w.desk.customer);
      forget();
      assert.deepEqual((await faulty(once('GET', fault), () => download(w.desk.customer, file))).must(200).bytes, file.data);
      forget();
      (await faulty(always('GET', fault), () => download(w.desk.customer, file))).must(503);
      assert.equal(w.store.taken('GET').length, 3);
      assert.deepEqual((await download(w.desk.customer, file)).must(200).bytes, file.data);
    });
  }

  test('an upload is tried again, and refused if the store stays away', async () => {
    const data = randomBytes(1000);
    (await faulty(once('PUT', { status: 503, code: 'SlowDown' }), () => upload(w.desk.customer, data))).must(201);
    (await faulty(once('PUT', 'cut'), () => upload(w.desk.customer, randomBytes(1000)))).must(201);
    const lost = randomBytes(1000);
    (await faulty(always('PUT', { status: 500, code: 'InternalError' }), () => upload(w.desk.customer, lost))).must(503);
    (await faulty(always('PUT', { status: 403, code: 'AccessDenied' }), () => upload(w.desk.customer, lost))).must(503);
    assert.equal(w.store.taken('PUT').length, 1, 'a refusal is final');
    assert.ok(!existsSync(w.store.file('one', sha256(lost))));
  });

  test('a large file goes up in parts: each is tried again, and an upload that fails is aborted', async () => {
    const data = randomBytes(8 * 1024 * 1024 + 1000), hash = sha256(data), there = w.store.file('one', hash);
    const part = (r) => r.method === 'PUT' && r.url.includes('partNumber=2'), completes = (r) => r.method === 'POST' && r.url.includes('uploadId');
    const first = (of, fault) => { let left = 1; return (r) => (of(r) && left-- > 0 ? fault : undefined); };
    const all = (of, fault) => (r) => (of(r) ? fault : undefined);
    const sent = async (fault, status) => {
      rmSync(there, { force: true });
      (await faulty(fault, () => upload(w.desk.customer, data))).must(status);
      assert.equal(existsSync(there), status === 201);
      if (status === 201) assert.equal(sha256(readFileSync(there)), hash);
      assert.deepEqual(w.store.begun(), []);
    };
    const methods = () => w.store.requests.map((r) => r.method).filter((method) => method !== 'GET'); // a sweep may list
    await sent(undefined, 201);
    assert.deepEqual(methods(), ['POST', 'PUT', 'PUT', 'POST']);
    await sent(first(part, { status: 503, code: 'SlowDown' }), 201);
    assert.deepEqual(methods(), ['POST', 'PUT', 'PUT', 'PUT', 'POST']);
    await sent(first(completes, 'cut'), 201); // completed, but the reply is lost
    await sent(all(part, { status: 400, code: 'XAmzContentSHA256Mismatch' }), 503);
    await sent(all(completes, { status: 200, code: 'InternalError' }), 503); // as stores do that fail late
    await sent((r) => (r.url.includes('uploads') ? { status: 403, code: 'AccessDenied' } : undefined), 503);
    forget();
    const file = await stored(w.desk.customer, data);
    forget();
    assert.equal(sha256((await download(w.desk.customer, file)).must(200).bytes), hash);
  });

  test('check names uploads that were left for a day', async () => {
    const data = randomBytes(8 * 1024 * 1024 + 1);
    await faulty((r) => (r.method === 'DELETE' || r.url.includes('partNumber=2') ? { status: 403, code: 'AccessDenied' } : undefined), async () => (await upload(w.desk.customer, data)).must(503));
    const [id] = w.store.begun();
    assert.match((await check()).stdout, /no defects/);
    w.store.age(id, 25 * HOUR);
    assert.match((await check()).stdout, /has uploads in parts that began more than a day ago and were not completed \(1\)/);
    assert.match((await faulty((r) => (r.url.includes('uploads=') ? { status: 501, code: 'NotImplemented' } : undefined), () => check())).stdout, /no defects/);
    w.store.abort(id);
  });

  test('requests to the store are counted by operation and result, with their durations', async (t) => {
    const desk = await open(t, { args: w.store.args('counted'), env: KEY, processes: 1 });
    const scrape = async () => Object.fromEntries((await desk.anyone.exchange('GET', '/metrics')).text.split('\n').map((line) => line.replace('deskd_object_store_', '').split(' ')));
    const count = async (name) => Number((await scrape())[name]);
    const NAMES = ['requests_total{operation="write",result="ok"}', 'requests_total{operation="write",result="failed"}', 'requests_total{operation="read",result="broken"}', 'requests_total{operation="write",result="refused"}',
      'retries_total', 'given_up_total', 'duration_seconds_count{operation="write"}', 'duration_seconds_bucket{operation="write",le="+Inf"}'];
    const counts = async () => { const all = await scrape(); return NAMES.map((name) => Number(all[name])); };
    const before = await counts();
    desk.expects5xx = true;
    const file = await stored(desk.customer);
    await faulty(once('PUT', { status: 503, code: 'SlowDown' }), () => stored(desk.customer));
    rmSync(join(desk.dir, 'files-cache', file.hash.slice(0, 2)), { recursive: true });
    let left = 1;
    await faulty((r) => (r.url.includes(file.hash) && left-- > 0 ? 'cut' : undefined), async () => (await download(desk.customer, file)).must(200));
    await faulty(always('PUT', { status: 403, code: 'AccessDenied' }), async () => (await upload(desk.customer, randomBytes(10))).must(503));
    assert.deepEqual((await counts()).map((n, i) => n - before[i]), [2, 1, 1, 1, 2, 1, 4, 4]);
    assert.ok((await count('requests_total{operation="list",result="ok"}')) > 0);
    assert.ok((await count('duration_seconds_sum{operation="write"}')) > 0);
  });

  test('other requests are answered while the store is slow', async () => {
    const file = await stored(w.desk.customer);
    forget();
    let go;
    const slow = new Promise((resolve) => { go = resolve; });
    await faulty(always('GET', { after: slow }), async () => {
      const waiting = Array.from({ length: 6 }, () => download(w.desk.customer, file));
      await until('the request to the store', () => w.store.requests.length > 0);
      for (let i = 0; i < 5; i++) (await w.desk.staff.get('/cases')).must(200);
      (await w.desk.owner.post('/teams', raw('application/json', JSON.stringify({ title: 'While it waits' })))).must(201);
      go();
      for (const reply of await Promise.all(waiting)) assert.deepEqual(reply.must(200).bytes, file.data);
    });
  });

  test('a ZIP and a thumbnail are made of files that are only in the bucket', async () => {
    const who = w.desk.customer, picture = png(600, 400), other = randomBytes(2000);
    const files = [await uploaded(who, { data: picture, name: 'a.png', type: 'image/png' }), await uploaded(who, { data: other, name: 'b' })];
    const { id } = await asked(who, { attachment_file_ids: files.map((f) => f.id) });
    const message = (await who.get(`/conversations/${id}/messages`, { limit: 1 })).must(200).data[0];
    const fetchOf = (url) => who.exchange('GET', url.slice(w.desk.base.length));
    forget();
    const { bytes } = (await fetchOf(message.download_all)).must(200);
    for (const data of [picture, other]) assert.ok(bytes.includes(data)); // stored, not compressed
    forget();
    assert.match((await fetchOf(message.attachments[0].thumbnails[0].url)).must(200).headers['content-type'], /^image\//);
    forget();
    (await faulty(always('GET', { status: 500, code: 'InternalError' }), () => fetchOf(message.download_all))).must(503);
  });

  test('a backup has the files, and a restore puts them into another bucket', { skip: !!CLUSTER && 'deskd backup is for folders' }, async () => {
    const file = await stored(w.desk.customer), to = join(directory(), 'backup.db'), dir = join(directory(), 'restored');
    const lists = [];
    const backup = await faulty((r) => (r.url.includes('list-type') && lists.push(r.url) === 1 ? 'half' : undefined), () => run(['backup', '--data', w.desk.dir, ...w.store.args(), '--to', to]));
    assert.equal(backup.status, 0, backup.stderr);
    assert.deepEqual(readFileSync(join(`${to}.files`, file.hash.slice(0, 2), file.hash)), file.data);
    const restore = await run(['restore', '--data', dir, ...w.store.args('two'), '--from', to]);
    assert.equal(restore.status, 0, restore.stderr);
    assert.deepEqual(readFileSync(w.store.file('two', file.hash)), file.data);
    assert.match((await run(['check', '--data', dir, ...w.store.args('two'), '--deep'])).stdout, /no defects/);
  });

  test('check compares the sizes of all objects, and with --deep their bytes', async () => {
    const [missing, short, wrong] = [await stored(w.desk.customer), await stored(w.desk.customer), await stored(w.desk.customer)];
    rmSync(w.store.file('one', missing.hash));
    truncateSync(w.store.file('one', short.hash), 999);
    writeFileSync(w.store.file('one', wrong.hash), randomBytes(1000));
    const [shallow, deep] = await Promise.all([check(), check('--deep')]);
    assert.equal(shallow.status, 1);
    assert.deepEqual(shallow.stdout.trim().split('\n').sort(), [`the content ${missing.hash} of file ${missing.id} is missing`, `the content ${short.hash} of file ${short.id} has a wrong size`].sort());
    assert.match(deep.stdout, new RegExp(`the content ${wrong.hash} of file ${wrong.id} can't be read as it was: it sent other bytes`));
    for (const { data } of [missing, short, wrong]) (await upload(w.desk.customer, data)).must(201); // repairs them
    assert.match((await check('--deep')).stdout, /no defects/);
  });

  test('an expired file is deleted from the bucket an hour later, and a failed deletion is tried again', async () => {
    const file = await stored(w.desk.customer), kept = await stored(w.desk.customer);
    const gone = (f) => !existsSync(w.store.file('one', f.hash));
    const state = (f) => w.desk.sql(`SELECT state FROM content_removals WHERE sha256 = '${f.hash}'`).trim();
    const sweptAfter = async (seconds) => { // a start sweeps
      await w.desk.clock.forward(seconds);
      await w.desk.restart();
    };
    // A process whose sweep comes late, and that is stopped in it, has begun the removal and leaves the rest to a sweep 15 minutes later.
    const sweptUntil = async (what, seconds, done) => {
      for (let tries = 0; tries < 5; tries++) {
        await sweptAfter(tries ? 16 * MINUTE : seconds);
        if (await until(what, done, { within: 50_000 }).catch(() => false)) return;
      }
      assert.fail(what);
    };
    await sweptAfter(13 * HOUR);
    await until('its row is gone', () => state(file) === '1' && state(kept) === '1');
    (await upload(w.desk.customer, kept.data)).must(201); // ends the removal
    assert.equal(state(kept), '');
    assert.ok(!gone(file));
    await faulty(always('DELETE', { status: 403, code: 'AccessDenied' }), async () => {
      await sweptUntil('an attempt', 61 * MINUTE, () => state(file) === '2' && w.store.requests.some((r) => r.method === 'DELETE'));
    });
    assert.ok(!gone(file));
    (await upload(w.desk.customer, file.data)).must(503); // the deletion may be under way
    await sweptUntil('the deletion', 16 * MINUTE, () => gone(file) && state(file) === '3');
    assert.ok(!gone(kept));
    (await upload(w.desk.customer, file.data)).must(503); // in the same minute
    await w.desk.clock.forward(2 * MINUTE);
    const again = await stored(w.desk.customer, file.data);
    assert.equal(state(file), '');
    assert.deepEqual((await download(w.desk.customer, again)).must(200).bytes, file.data);
  });
});

test('with s3-presigned a download is sent to an address of the bucket, after access was checked', async (t) => {
  const store = await objectStore(t), desk = await open(t, { args: [...store.args(), '--s3-presigned', '2'], env: KEY });
  const { customer } = desk, data = randomBytes(5000), name = 'A "b" \u00e4.html';
  const file = await uploaded(customer, { data, name, type: 'text/html' }), script = await uploaded(customer, { name: 's.js', type: 'text/javascript' });
  store.requests.length = 0;
  const sent = (await download(customer, file)).must(307), to = new URL(sent.headers.location);
  assert.deepEqual(store.taken('GET'), [], 'no request to the store but the list of a sweep');
  assert.deepEqual([to.origin, to.pathname, to.searchParams.get('X-Amz-Expires')], [store.endpoint, `/desk-files/one/${file.hash.slice(0, 2)}/${file.hash}`, '120']);
  assert.deepEqual([sent.headers['cache-control'], sent.headers.etag, sent.bytes.length], ['no-store', undefined, 0]);
  const got = await fetch(to), head = (n) => got.headers.get(n);
  assert.deepEqual([got.status, Buffer.from(await got.arrayBuffer())], [200, data]);
  const plain = (await customer.exchange('GET', `/api/v1/files/${file.id}/content`, { headers: { 'Sec-Fetch-Mode': 'cors' }, binary: true })).must(200);
  for (const [n, value] of [['content-type', 'text/html'], ['content-disposition', plain.headers['content-disposition']], ['cache-control', plain.headers['cache-control']]]) assert.equal(head(n), value);
  assert.deepEqual(plain.bytes, data);
  const part = await fetch(to, { headers: { Range: 'bytes=10-19' } });
  assert.deepEqual([part.status, Buffer.from(await part.arrayBuffer())], [206, data.subarray(10, 20)]);
  assert.equal(new URL((await download(customer, script)).must(307).headers.location).searchParams.get('response-content-type'), 'text/plain');
  const id = desk.log; // the address is a credential
  assert.ok(!id.includes('X-Amz-Signature'));

  // Another method, another name, other headers or a later time: the store refuses.
  for (const [change, method] of [[(u) => u, 'PUT'], [(u) => { u.pathname = `/desk-files/one/${script.hash.slice(0, 2)}/${script.hash}`; }], [(u) => u.searchParams.set('response-content-type', 'image/png')], [(u) => u.searchParams.set('X-Amz-Expires', '9999')]]) {
    const other = new URL(to);
    change(other);
    assert.equal((await fetch(other, { method: method ?? 'GET' })).status, 403);
  }

  // A caller who may not see the file gets no address. The desk itself sends a picture in a page, and answers HEAD and for an unchanged file.
  (await download(desk.owner, file)).must(404);
  (await download(desk.anyone, file)).must(401);
  (await customer.exchange('HEAD', `/api/v1/files/${file.id}/content`)).must(200);
  (await download(customer, file, { 'If-None-Match': plain.headers.etag })).must(304);
  const picture = await uploaded(customer, { data: png(60, 40), name: 'a.png', type: 'image/png' });
  (await customer.exchange('GET', `/api/v1/files/${picture.id}/content?inline=true`, { binary: true })).must(200);
  (await customer.exchange('GET', `/api/v1/files/${file.id}/content?inline=true`, { binary: true })).must(307);
});

test('serve says what is wrong with the store', async (t) => {
  const store = await objectStore(t), dir = initialise(directory());
  const serve = async (args, env) => {
    const { status, stderr } = await run(['serve', ...storeOf(dir), '--listen', '127.0.0.1:0', ...args], env);
    assert.equal(status, 1 + (stderr.includes('--files takes')), stderr);
    return stderr;
  };
  const [files, bucket, ...rest] = store.args();
  const args = [files, bucket, ...rest];
  assert.match(await serve(['--files', 's3://x']), /--files takes a folder, or s3:\/\/BUCKET/);
  assert.match(await serve([files, bucket]), /a bucket needs --s3-endpoint/);
  for (const wrong of ['s3://', 's3://ab', 's3://Desk', 's3://desk//a', 's3://desk/a/../b', 's3://desk/.'])
    assert.match(await serve([files, wrong]), /--files takes a folder, or s3:\/\/BUCKET or s3:\/\/BUCKET\/PREFIX/, wrong);
  assert.match(await serve(args, {}), /a bucket needs a key: --s3-key-file, or AWS_ACCESS_KEY_ID/);
  assert.match(await serve([files, 's3://no-such-bucket', ...rest]), /there is no bucket no-such-bucket at http:\/\/127.0.0.1:\d+: make it, or correct --files/);
  assert.match(await serve(args, { ...KEY, AWS_ACCESS_KEY_ID: 'nobody' }), /refuses the key \(InvalidAccessKeyId\)/);
  const secret = 'wrong-and-never-shown';
  const refused = await serve(args, { ...KEY, AWS_SECRET_ACCESS_KEY: secret });
  assert.match(refused, /refuses the key \(SignatureDoesNotMatch\)/);
  assert.ok(!refused.includes(secret));
  store.fault = () => ({ status: 403, code: 'RequestTimeTooSkewed', headers: { Date: new Date(Date.now() - 3_600_000).toUTCString() } });
  assert.match(await serve(args), /the clock of this machine is 3\d\d\d seconds ahead of that of the object store/);
  store.fault = () => ({ status: 403, code: 'AccessDenied' });
  assert.match(await serve(args), /the key may not list the bucket desk-files \(AccessDenied\)/);
  store.fault = undefined;
  assert.match(await serve([files, bucket, '--s3-endpoint', 'http://127.0.0.1:1']), /the object store http:\/\/127.0.0.1:1 can't be reached/);
  const cache = directory(), hash = sha256('x');
  mkdirSync(join(cache, hash.slice(0, 2)));
  writeFileSync(join(cache, hash.slice(0, 2), hash), 'x');
  assert.match(await serve([...args, '--files-cache', cache]), /has contents of files that may be the only ones/);
  const key = join(cache, 'key');
  writeFileSync(key, 'S3RVER:S3RVER\n', { mode: 0o644 });
  assert.match(await serve([...args, '--s3-key-file', key], {}), /others may read the key/);

  const first = await open(t, { args, env: KEY });
  await first.stop();
  assert.match(await serve(args), /has the files of another desk/);
});

test('move carries all files into a bucket and back, also after faults, and says it is done only when all are there', async (t) => {
  const store = await objectStore(t), dir = directory(), folder = join(dir, 'files'), back = join(dir, 'back');
  const desk = await open(t, { args: ['--files', folder], env: KEY });
  const from = CLUSTER ? desk.store[3] : `sqlite:${desk.dir}`, [, bucket, ...rest] = store.args();
  const move = (...args) => run(['move', '--from', from, ...rest, ...args]);
  const into = (...args) => move('--files', folder, '--files-to', bucket, ...args);
  const outOf = () => move('--files', bucket, '--files-to', back);
  const kept = (at, hash) => join(at, hash.slice(0, 2), hash);
  const done = ({ status, stdout, stderr }, pattern) => { assert.equal(status, 0, stdout + stderr); assert.match(stdout, pattern); };
  const refused = ({ status, stdout, stderr }, pattern, exit = 1) => { assert.equal(status, exit, stdout + stderr); assert.match(stdout + stderr, pattern); };
  const files = [];
  for (const size of [1, 1000, 300_000]) files.push(await stored(desk.customer, randomBytes(size)));
  const downloads = async () => { for (const file of files) assert.deepEqual((await download(desk.customer, file)).must(200).bytes, file.data); };

  refused(await into(), /3 contents .* 3 were copied now, 0 were there[^]*the desk is running[^]*stop it and run this command again/);
  for (const { hash, data } of files) assert.deepEqual(readFileSync(store.file('one', hash)), data);
  files.push(await stored(desk.customer));
  await desk.stop();
  store.fault = (r) => (r.method === 'PUT' ? { status: 500, code: 'InternalError' } : undefined);
  refused(await into(), new RegExp(`the content ${files[3].hash} of file ${files[3].id} can't be carried: status 500 InternalError[^]*not complete`));
  let left = 1;
  store.fault = (r) => (r.method === 'PUT' && left-- > 0 ? { status: 503, code: 'SlowDown' } : undefined);
  done(await into(), /4 contents .* 1 were copied now, 3 were there\ndeskd: the files are complete: serve with --files s3:/);
  store.fault = undefined;
  const spoilt = kept(folder, files[1].hash);
  rmSync(store.file('one', files[1].hash));
  writeFileSync(spoilt, randomBytes(1000));
  refused(await into(), new RegExp(`the content ${files[1].hash} of file ${files[1].id} can't be carried: it does not match its SHA-256`));
  assert.ok(!existsSync(store.file('one', files[1].hash)));
  rmSync(spoilt);
  refused(await into(), /can't be carried: it is missing/);
  writeFileSync(spoilt, files[1].data);
  done(await into(), /1 were copied now, 3 were there/);

  desk.args = [...store.args(), '--files-cache', join(dir, 'cache')];
  await desk.start();
  await downloads();
  files.push(await stored(desk.customer));
  await desk.stop();
  for (const [fault, said] of [['other', 'it sent other bytes'], ['half', 'it sent too few bytes'], ['cut', '.'], [{ status: 503, code: 'SlowDown' }, 'status 503 SlowDown']]) {
    store.fault = (r) => (r.url.includes(files[4].hash) ? fault : undefined);
    refused(await outOf(), new RegExp(`the content ${files[4].hash} of file ${files[4].id} can't be carried: ${said}[^]*not complete`));
    assert.ok(!existsSync(kept(back, files[4].hash)));
  }
  store.fault = undefined;
  writeFileSync(kept(back, files[0].hash), randomBytes(1)); // of the right size
  while (readFileSync(kept(back, files[0].hash)).equals(files[0].data)) writeFileSync(kept(back, files[0].hash), randomBytes(1));
  done(await outOf(), /5 contents .* 2 were copied now, 3 were there/);
  assert.deepEqual(readdirSync(join(back, 'tmp')), []);
  const second = await move('--files', bucket, '--files-to', store.args('second')[1]);
  done(second, /5 were copied now/);
  desk.args = ['--files', back];
  await desk.start();
  await downloads();
  await desk.stop();

  refused(await move('--files', back, '--files-to', `${back}/../back`), /are the same place/);
  refused(await move('--files', bucket, '--files-to', bucket), /are the same place/);
  refused(await move('--files', bucket, '--files-to', join(dir, 'cache')), /has copies of files that are in a bucket: name another folder/);
  refused(await move('--files', back, '--files-to', 's3://no-such-bucket'), /there is no bucket no-such-bucket/);
  refused(await move(), /move needs --to STORE, or --files-to PLACE/, 2);
  if (CLUSTER) refused(await move('--files-to', bucket), /--files-to needs --files, because the source is a database/, 2);
  const other = await open(t, { args: store.args('theirs'), env: KEY });
  await other.stop();
  refused(await move('--files', back, '--files-to', store.args('theirs')[1]), /has the files of another desk/);
});

test('a desk moves with its files', { skip: !!CLUSTER && 'from a folder to a folder' }, async (t) => {
  const store = await objectStore(t), desk = await open(t, { url: null }), to = join(directory(), 'moved');
  const file = await stored(desk.customer);
  await desk.stop();
  const [, bucket, ...rest] = store.args(), move = () => run(['move', '--from', `sqlite:${desk.dir}`, '--to', `sqlite:${to}`, '--files-to', bucket, ...rest]);
  store.fault = (r) => (r.method === 'PUT' ? { status: 500, code: 'InternalError' } : undefined);
  assert.equal((await move()).status, 1);
  assert.ok(!existsSync(join(to, 'desk.db')), 'no row is moved without the files');
  store.fault = undefined;
  const moved = await move();
  assert.equal(moved.status, 0, moved.stderr);
  assert.match(moved.stdout, /the files are complete: serve with --files s3:[^]*counts and checksums of all tables are the same/);
  assert.doesNotMatch(moved.stdout, /were not moved/);
  assert.match((await run(['check', '--data', to, ...store.args(), '--deep'])).stdout, /no defects/);
  assert.deepEqual(readFileSync(store.file('one', file.hash)), file.data);
});

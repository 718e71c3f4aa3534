import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { deskd, open, routes, until } from './lib/index.mjs';

test('health, readiness and metrics need no login', async (t) => {
  const { anyone, owner } = await open(t);
  await owner.get('/teams');
  for (const path of ['/healthz', '/readyz']) assert.equal((await anyone.exchange('GET', path)).status, 200);
  const metrics = (await anyone.exchange('GET', '/metrics')).must(200);
  assert.match(metrics.headers['content-type'], /^text\/plain/);
  for (const line of metrics.text.split('\n').filter((l) => l && !l.startsWith('#'))) assert.match(line, /^[a-zA-Z_:][\w:]*(\{.*\})? [-+\dNaInf.e]+( \d+)?$/);
});

test('deskd openapi and GET /openapi.json return the same document', async (t) => {
  const { anyone, base } = await open(t);
  const served = (await anyone.exchange('GET', '/openapi.json')).must(200);
  assert.match(served.headers['content-type'], /^application\/json/);
  const printed = JSON.parse(deskd('openapi').stdout);
  assert.match(served.body.openapi, /^3\.1\.\d+$/);
  assert.deepEqual(Object.keys(served.body.paths), Object.keys(printed.paths));
  assert.ok(!served.body.servers || served.body.servers[0].url.startsWith(base) || served.body.servers[0].url.startsWith('/'));
});

test('the document and deskd routes have the same operations and statuses', async (t) => {
  const { contract } = await open(t);
  const rows = routes();
  assert.ok(rows.length > 30);
  for (const { method, path, status } of rows) {
    const at = `/api/v1${path.split('?')[0].replaceAll(/:(\w+)/g, '1')}`;
    const operation = contract.route(at)?.item[method.toLowerCase()];
    assert.ok(operation, `${method} ${path} is not declared`);
    assert.ok(operation.responses[String(status)], `${method} ${path}: ${status} is not declared`);
    assert.ok(operation.summary && operation.operationId, `${method} ${path} has no summary or operationId`);
  }
  const declared = contract.routes.flatMap(({ item }) => ['get', 'put', 'post', 'delete'].filter((m) => item[m])).length;
  assert.ok(declared <= new Set(rows.map((r) => `${r.method} ${r.path}`)).size, 'an operation without a row');
});

test('schemas name required members and allow no others', async (t) => {
  const { contract } = await open(t);
  const { schemas } = contract.doc.components;
  for (const name of ['team', 'role', 'user', 'conversation', 'business_hour']) {
    const found = Object.entries(schemas).find(([key]) => key.toLowerCase().replaceAll('_', '') === name.replaceAll('_', ''));
    assert.ok(found, `no schema of ${name}`);
    assert.ok(found[1].properties?.id, name);
    assert.ok(found[1].required?.includes('id') && found[1].required.includes('resource_type'), `${name} requires nothing`);
  }
});

test('a page that does not exist is 404', async (t) => {
  const { anyone } = await open(t);
  for (const path of ['/wibble', '/docs/wibble', '/docs/errors/../../etc/passwd', '/docs/errors/%2e%2e', '/../etc/passwd']) {
    const { status } = await anyone.exchange('GET', path);
    assert.ok([404, 400, 301, 302].includes(status), `${path}: ${status}`);
  }
});

test('connections from loopback have no limit by default, and have one if the option is set', async (t) => {
  // Resolves when the request is answered or its connection is closed. The connection stays open until the end of the test.
  const hold = (desk) => new Promise((resolve) => {
    const socket = net.connect(desk.port, '127.0.0.1', () => socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'));
    t.after(() => socket.destroy());
    socket.on('data', (text) => resolve(String(text).startsWith('HTTP/1.1 200')));
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
  });
  const served = async (desk, n) => (await Promise.all(Array.from({ length: n }, () => hold(desk)))).filter(Boolean).length;
  assert.equal(await served(await open(t), 400), 400);
  assert.equal(await served(await open(t, { args: ['--max-per-address', '5'], processes: 1 }), 20), 5);
});

test('the access log is printable ASCII and contains no token from a path', async (t) => {
  const desk = await open(t, { args: ['--access-log'] });
  const token = '4f1b2c3d4e5f60718293a4b5c6d7e8f9';
  const socket = net.connect(desk.port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.end(Buffer.from(`GET /api/v1/webhook/${token}/\xe9\x9b\\ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 'latin1'));
  await until('the line', () => desk.log.includes('/api/v1/webhook/'));
  assert.match(desk.log, / info GET \/api\/v1\/webhook\/\.\.\.\/\\xe9\\x9b\\\\ 404 /);
  assert.ok(!desk.log.includes(token));
  assert.match(desk.log, /^[\n\x20-\x7e]*$/);
});

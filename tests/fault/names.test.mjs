// Names of endpoints that resolve to private addresses, or differently the second time.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MINUTE, attempted, delivered, directory, hook, hooked, open, tested, until } from '../api/lib/index.mjs';
import { shim } from './shim.mjs';

/** A desk whose look-ups of *.example give these addresses, one after the other. 11.0.0.0/8 is this machine. */
async function resolving(t, ...addresses) {
  const preload = shim('names');
  if (!preload) return t.skip('names.so is not built and there is no compiler');
  const names = join(directory(), 'names');
  writeFileSync(names, `${addresses.join('\n')}\n`);
  const desk = await open(t, { processes: 1, env: { LD_PRELOAD: preload, DESKD_NAMES: names, http_proxy: 'http://127.0.0.1:1', https_proxy: 'http://127.0.0.1:1', all_proxy: 'http://127.0.0.1:1' } });
  const asked = () => (existsSync(`${names}.asked`) ? readFileSync(`${names}.asked`, 'utf8').trim().split('\n').length : 0);
  return { desk, asked };
}

test('a name that resolves to a public address is looked up once for each attempt, and proxies of the environment are not used', async (t) => {
  const to = await hook(t);
  const world = await resolving(t, '11.0.0.1');
  if (!world) return;
  const endpoint = await hooked(world.desk, `http://public.example:${to.port}/hook`);
  await delivered(world.desk, await tested(world.desk, endpoint));
  assert.equal((await attempted(world.desk, endpoint, 1)).result, 'SUCCESS');
  assert.deepEqual([to.requests[0].headers.host, world.asked()], [`public.example:${to.port}`, 1]);
});

test('a name that resolves to a private address the second time is refused there, on a new connection and on one that is used again', async (t) => {
  for (const close of [true, false]) {
    const to = await hook(t, (response, request, n) => {
      if (close) response.setHeader('Connection', 'close');
      response.end();
    });
    const world = await resolving(t, '11.0.0.1', '127.0.0.1');
    if (!world) return;
    const { desk } = world;
    const endpoint = await hooked(desk, `http://rebound.example:${to.port}/hook`);
    await delivered(desk, await tested(desk, endpoint));
    const second = await tested(desk, endpoint);
    if (!close) { // the open connection leads to the address that was checked
      await delivered(desk, second);
      assert.equal(to.requests.length, 2);
      continue;
    }
    const refused = await attempted(desk, endpoint, 2);
    assert.deepEqual([refused.result, refused.status_code, to.requests.length], ['FAILURE', null, 1]);
    assert.match(refused.message, /^127\.0\.0\.1 is an address of this machine/);
    await desk.clock.forward(MINUTE);
    await until('a third attempt', async () => (await desk.admin.fetch(`/endpoints/${endpoint.id}/deliveries/${second.id}`)).attempts === 2);
    assert.equal(to.requests.length, 1);
  }
});

test('each kind of private address behind a name is refused before a packet is sent', async (t) => {
  const to = await hook(t);
  for (const address of ['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255', '::1', '::', '::ffff:127.0.0.1', 'fe80::1', 'fd00::1', '64:ff9b::7f00:1', 'ff02::1']) {
    const world = await resolving(t, address);
    if (!world) return;
    const endpoint = await hooked(world.desk, `http://private.example:${to.port}/hook`);
    await tested(world.desk, endpoint);
    const attempt = await attempted(world.desk, endpoint, 1);
    assert.deepEqual([attempt.result, attempt.status_code], ['FAILURE', null], address);
    assert.match(attempt.message, /is an address of this machine or of a private network/, address);
    assert.equal(world.asked(), 1);
    await world.desk.stop();
  }
  assert.equal(to.requests.length, 0);
});

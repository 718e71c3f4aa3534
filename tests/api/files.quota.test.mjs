import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { File, HOUR, multipart, raw, shared } from './lib/index.mjs';

const LIMIT = 1 << 20;
const upload = (who, size) => who.post('/files', raw('text/plain', randomBytes(size)));

describe('the quota of unattached files of one person', () => {
  const w = shared(async ({ desk }) => {
    await desk.owner.update('/settings', { values: { 'files.unattached_megabytes': 1 } });
    await desk.owner.create('/users/fields', { key: 'paper', type: 'FILE', title: 'Paper' });
  });

  test('is exact to the byte, and the refusal says how much is used', async () => {
    const { client } = await w.desk.person('customer');
    (await upload(client, LIMIT - 10)).must(201);
    const { body } = (await upload(client, 11)).refused(413, 'PAYLOAD_TOO_LARGE', 'file');
    assert.match(body.errors[0].message, new RegExp(`use ${LIMIT - 10} of ${LIMIT} bytes. This upload has 11 more`));
    (await upload(client, 10)).must(201);
    (await upload(client, 1)).refused(413, 'PAYLOAD_TOO_LARGE', 'file');
    (await upload(w.desk.customer, 1000)).must(201); // each person has their own quota
  });

  test('stores all files of a request or none', async () => {
    const { client } = await w.desk.person('customer');
    const half = (name) => new File(name, 'application/octet-stream', randomBytes(LIMIT / 2 + 1));
    (await client.post('/files', multipart({ a: half('a'), b: half('b') }))).refused(413, 'PAYLOAD_TOO_LARGE', 'file');
    (await upload(client, LIMIT)).must(201);
  });

  test('is released when files are attached or expire', async () => {
    const { client, id } = await w.desk.person('agent');
    const file = (await upload(client, LIMIT)).must(201).data.id;
    (await upload(client, 1)).must(413);
    await client.update(`/users/${id}`, { field_values: { paper: file } });
    (await upload(client, LIMIT)).must(201);
    (await upload(client, 1)).must(413);
    await w.desk.clock.forward(12 * HOUR);
    (await upload(client, LIMIT)).must(201);
  });

  test('is exact with concurrent uploads', async () => {
    const { client } = await w.desk.person('customer');
    await client.fetch('/profile');
    const replies = await Promise.all(Array.from({ length: 12 }, () => upload(client, 300_000)));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [...Array(3).fill(201), ...Array(9).fill(413)]);
  });

  test('is counted by network address for callers with fingerprints, across fingerprints', async () => {
    const print = (from) => w.desk.anyone.at(from).with({ 'X-Fingerprint-ID': randomUUID() });
    (await upload(print('127.0.0.2'), LIMIT - 10)).must(201);
    const { body } = (await upload(print('127.0.0.2'), 11)).refused(413, 'PAYLOAD_TOO_LARGE', 'file');
    assert.match(body.errors[0].message, new RegExp(`network address use ${LIMIT - 10} of ${LIMIT} bytes`));
    (await upload(print('127.0.0.3'), LIMIT)).must(201);
    (await upload(w.desk.customer, 1000)).must(201);
    await w.desk.clock.forward(12 * HOUR);
    (await upload(print('127.0.0.2'), 11)).must(201);
  });
});

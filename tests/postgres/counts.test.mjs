import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../api/lib/index.mjs';
import { databaseUrl } from '../api/lib/desk.mjs';
import { another, psql } from './lib.mjs';

test('conversations that are created, answered and closed concurrently are counted exactly', async (t) => {
  const desk = await open(t);
  const second = await another(t, desk);
  const made = await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 2 ? desk : second).customer.create('/conversations', { subject: 'S', contents: 'C' })));
  const total = async (who, query) => (await who.get('/conversations', query)).must(200).body.total_count;
  for (const who of [desk.staff, second.staff, desk.customer]) assert.equal(await total(who), 60);
  assert.ok(Number(psql(databaseUrl(desk.dir), 'SELECT count(DISTINCT shard) FROM case_totals')) > 1, 'no row is locked by all writes');
  await Promise.all(made.map(({ id }, i) => (i % 2 ? second : desk).staff.update(`/conversations/${id}`, { status_id: i % 3 ? 3 : 4 })));
  assert.equal(await total(desk.staff), 60);
  assert.equal(desk.check().status, 0, desk.check().stdout);
});

// The index follows the change log: no crash, restore or second process makes a search miss a text.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { deskd, open, opened, until } from './lib/index.mjs';

const cases = async (client, query) => (await client.get('/search', { query, limit: 1000 })).must(200).data.map(({ id }) => id);
const index = (desk) => desk.sql('SELECT id, owner_id, terms FROM search_texts ORDER BY id');

/** A state that a crash leaves: the changes are committed, and the index has not followed them. */
async function crashed(desk, change) {
  await cases(desk.owner, 'x'); // the index has followed all changes so far
  const place = desk.sql('SELECT place FROM search_cursor').trim();
  const before = desk.sql('SELECT MAX(id) FROM search_texts').trim();
  await change();
  await desk.kill();
  desk.sql(`UPDATE search_cursor SET place = '${place}'; DELETE FROM search_texts WHERE id > ${before}`);
}

test('texts of a desk that was killed before it indexed them are found after the start', async (t) => {
  const desk = await open(t);
  const { id } = await opened(desk, { subject: 'Alpha' });
  await crashed(desk, () => desk.staff.create(`/cases/${id}/reply`, { contents: 'Zebra crossing' }));
  assert.equal(desk.check().status, 0, 'a text that is still to be indexed is no damage');
  await desk.start();
  assert.deepEqual(await cases(desk.owner, 'zebra'), [id]);
});

test('a text is indexed in the language that the store has, also if the process has not heard of its change', async (t) => {
  const desk = await open(t);
  desk.sql("INSERT INTO settings (name, value, updated_at) VALUES ('account.default_language', 'de', 0)");
  const { id } = await opened(desk, { subject: 'Nachts', contents: 'Die Wälder schlafen' });
  assert.deepEqual(await cases(desk.owner, 'wald die'), [id], 'wald is the German stem of Wälder, and the English one of wald');
});

test('a text whose organization was deleted is no damage until the index has followed', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/organizations', { name: 'Navy', domains: 'navy.example' });
  assert.deepEqual(await cases(desk.owner, 'navy'), [id]);
  const place = desk.sql('SELECT place FROM search_cursor').trim();
  const text = desk.sql("SELECT id || ', 3, ' || owner_id FROM search_texts WHERE kind = 3").trim();
  (await desk.owner.delete(`/organizations/${id}`)).must(200);
  assert.deepEqual(await cases(desk.owner, 'navy'), []);
  await desk.kill();
  desk.sql(`INSERT INTO search_texts (id, kind, owner_id, terms) VALUES (${text}, 'navy') ON CONFLICT (id) DO NOTHING`);
  assert.match(desk.check().stdout, /text \d+ of the search index has no owner/);
  desk.sql(`UPDATE search_cursor SET place = '${place}'`);
  assert.equal(desk.check().status, 0, desk.check().stdout);
  await desk.start();
  assert.deepEqual(await cases(desk.owner, 'navy'), []);
});

test('all texts of a conversation that was deleted leave the index when it follows', async (t) => {
  const desk = await open(t), kept = await opened(desk, { subject: 'Harbour' });
  const { id } = await opened(desk, { subject: 'Navy', contents: 'A frigate.' });
  assert.deepEqual(await cases(desk.owner, 'frigate'), [id]);
  const place = desk.sql('SELECT place FROM search_cursor').trim();
  const texts = desk.sql(`SELECT '(' || id || ', 1, ' || owner_id || ', ''navy'')' FROM search_texts WHERE kind = 1 AND owner_id = ${id}`).trim().split('\n');
  assert.equal(texts.length, 2);
  (await desk.owner.put(`/cases/${id}/trash`)).must(200);
  (await desk.owner.delete('/cases/trash', { ids: id })).must(200);
  await until('the conversation is deleted', async () => desk.sql(`SELECT COUNT(*) FROM cases WHERE id = ${id}`).trim() === '0');
  assert.deepEqual(await cases(desk.owner, 'frigate'), []);
  const before = index(desk);
  await desk.kill();
  desk.sql(`INSERT INTO search_texts (id, kind, owner_id, terms) VALUES ${texts.join(', ')}; UPDATE search_cursor SET place = '${place}'`);
  assert.equal(desk.check().status, 0, desk.check().stdout);
  await desk.start();
  assert.deepEqual(await cases(desk.owner, 'harbour'), [kept.id]);
  assert.equal(index(desk), before);
});

test('deskd check reports a text that is not in the index and not to be indexed', async (t) => {
  const desk = await open(t);
  const { id } = await opened(desk, { subject: 'Alpha' });
  await desk.staff.create(`/cases/${id}/reply`, { contents: 'Zebra crossing' });
  assert.deepEqual(await cases(desk.owner, 'zebra'), [id]);
  await desk.stop();
  desk.sql("DELETE FROM search_texts WHERE terms LIKE '%zebra%'");
  const { status, stdout } = desk.check();
  assert.notEqual(status, 0);
  assert.match(stdout, /post \d+ is not in the search index of its conversation/);
});

test('a cursor of another store makes a job build the index anew', async (t) => {
  const desk = await open(t);
  const { id } = await opened(desk, { subject: 'Alpha' });
  await crashed(desk, () => desk.staff.create(`/cases/${id}/reply`, { contents: 'Zebra crossing' }));
  desk.sql("UPDATE search_cursor SET place = '1|elsewhere|1:1:|1:1:|1'");
  await desk.start();
  await until('the index is built', async () => (await cases(desk.owner, 'zebra')).length === 1);
  await until('the job ends', async () => !(await desk.owner.get('/search', { query: 'zebra' })).must(200).text.includes('is being built'));
});

test('a search that can\'t bring the index up to date finds what there is, and says so', { skip: process.env.DATABASE ? 'a lock of PostgreSQL is waited for until the timeout of statements' : false }, async (t) => {
  const desk = await open(t);
  await opened(desk, { subject: 'Alpha' });
  assert.equal((await cases(desk.owner, 'alpha')).length, 1);
  // The desk may bring the index up to date between the change of the cursor and the lock: then both are done again.
  await until('a search while the index is behind', async () => {
    desk.sql("UPDATE search_cursor SET place = '1|sqlite|0|0|0'");
    const other = spawn('sqlite3', ['-batch', join(desk.dir, 'desk.db')]);
    try {
      other.stdin.write('.timeout 30000\nBEGIN IMMEDIATE;\nSELECT place FROM search_cursor;\n');
      if (String((await once(other.stdout, 'data'))[0]).trim() !== '1|sqlite|0|0|0') return false;
      const reply = (await desk.owner.get('/search', { query: 'alpha' })).must(200);
      assert.equal(reply.data.length, 1);
      // A reader keeps its snapshot for a moment, and only a write of its own process ends it earlier (db/sqlite_snapshot.c).
      return reply.text.includes('The search index is behind');
    } finally {
      other.stdin.end('ROLLBACK;\n'); // the desk can't stop while the lock is held
      await once(other, 'close');
    }
  });
  assert.ok(!(await desk.owner.get('/search', { query: 'alpha' })).must(200).text.includes('is behind'));
});

test('the index that followed is the index that is built anew', async (t) => {
  const desk = await open(t);
  const [a, b, c] = [await opened(desk, { subject: 'First ship' }), await opened(desk, { subject: 'Second ship' }), await opened(desk, { subject: 'Third' })];
  await desk.staff.create(`/cases/${a.id}/reply`, { contents: 'An answer' });
  const { post } = await desk.staff.create(`/cases/${a.id}/notes`, { contents: 'A note' });
  await desk.staff.update(`/cases/${a.id}/notes/${post.id}`, { contents: 'A longer note' });
  const gone = (await desk.staff.create(`/cases/${b.id}/notes`, { contents: 'A note that goes' })).post;
  (await desk.staff.delete(`/cases/${b.id}/notes/${gone.id}`)).must(200);
  await desk.owner.update(`/cases/${b.id}`, { subject: 'Second boat', tags: 'harbour,fog' });
  const person = await desk.person('customer', { full_name: 'Grace Hopper' });
  await desk.owner.update(`/users/${person.id}`, { full_name: 'Grace Brewster Hopper' });
  (await desk.owner.delete(`/users/${(await desk.person('customer')).id}`)).must(200);
  await desk.owner.create('/organizations', { name: 'Navy', domains: 'navy.example' });
  (await desk.owner.post(`/cases/${a.id}/merge`, { case_ids: [b.id] })).must(200);
  (await desk.owner.put(`/cases/${c.id}/trash`, {})).must(200);
  assert.ok((await cases(desk.owner, 'fog')).includes(a.id));
  const followed = index(desk);
  await desk.stop();
  assert.equal(deskd('compact', ...desk.store).status, 0);
  assert.equal(index(desk), followed);
});

test('each process finds at once what another one wrote', async (t) => {
  const desk = await open(t, { processes: process.env.PROCESSES ? 2 : 1 });
  for (let i = 0; i < 20; i++) {
    const { id } = await opened(desk, { subject: `Word${i}x` });
    assert.deepEqual(await cases(desk.owner, `word${i}x`), [id]);
  }
});

test('a search writes only if a change is to be followed', async (t) => {
  const desk = await open(t, { processes: 1 });
  const writes = async () => Number(/^deskd_store_writes_total (\d+)$/m.exec((await desk.anyone.exchange('GET', '/metrics')).must(200).text)[1]);
  const { id } = await opened(desk, { subject: 'Alpha' });
  const cost = async () => { const before = await writes(); assert.deepEqual(await cases(desk.staff, 'alpha'), [id]); return (await writes()) - before; };
  await cases(desk.staff, 'alpha');
  const current = await cost();
  await desk.staff.update(`/cases/${id}`, { subject: 'Alpha and omega' });
  assert.deepEqual([current, await cost(), await cost()], [0, 1, 0]);
});

test('a note, a person or an organization that is deleted alone leaves no text in the index', async (t) => {
  const desk = await open(t, { processes: 1 }), { id } = await opened(desk, { subject: 'Alpha' }), person = await desk.person('customer');
  const followed = async () => { await cases(desk.owner, 'alpha'); return index(desk); };
  const before = await followed();
  for (const path of [`/cases/${id}/notes`, `/users/${person.id}/notes`]) {
    (await desk.staff.post(path, { contents: 'Zebra crossing' })).must(201);
    const [note] = await desk.staff.fetch(path);
    assert.notEqual(await followed(), before);
    (await desk.staff.delete(`${path}/${note.id}`)).must(200);
    assert.equal(await followed(), before, path);
  }
  for (const [path, body] of [['/users', { full_name: 'Zebra', email: 'zebra@people.example' }], ['/organizations', { name: 'Zebras' }]]) {
    const made = await desk.owner.create(path, body);
    assert.notEqual(await followed(), before);
    (await desk.owner.delete(`${path}/${made.id}`)).must(200);
    assert.equal(await followed(), before, path);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, open, until } from './lib/index.mjs';
import { bearer } from './lib/tokens.mjs';

const many = (n) => Array.from({ length: n }, (_, i) => ({ title: `Team ${i + 1}`, legacy_id: `L${i + 1}` }));
const bulk = (who, teams, query) => who.post('/bulk/teams', { teams }, { query });

test('a bulk import is accepted as a pending job and done soon after', async (t) => {
  const desk = await open(t);
  const reply = (await bulk(desk.owner, many(200))).must(202);
  assert.deepEqual([reply.body.resource, reply.data.resource_type, reply.data.status], ['job', 'bulk_job', 'PENDING']);
  assert.equal(reply.data.resource_url, `${desk.base}/api/v1/jobs/${reply.data.id}`);
  const job = await desk.job(desk.owner, reply.data.id);
  assert.deepEqual([job.status, job.total, job.inserted, job.rejected], ['COMPLETED', 200, 200, 0]);
  assert.equal(await desk.owner.total('/teams'), 200);
  const [first] = await desk.owner.fetch('/teams', { legacy_ids: 'L1' });
  assert.equal(first.title, 'Team 1');
});

test('one bad record rejects the batch, and the error has its pointer', async (t) => {
  const desk = await open(t);
  const teams = [{ title: 'A' }, { title: '' }, { legacy_id: 'no title' }, { title: 'D' }];
  const { id } = (await bulk(desk.owner, teams)).must(202).data;
  const job = await desk.job(desk.owner, id);
  assert.deepEqual([job.status, job.total, job.inserted, job.rejected], ['FAILED', 4, 0, 2]);
  assert.deepEqual(job.errors.map((e) => [e.code, e.pointer]), [['FIELD_EMPTY', 'teams/1/title'], ['FIELD_REQUIRED', 'teams/2/title']]);
  assert.equal(await desk.owner.total('/teams'), 0);
});

test('with partial_import valid records are inserted and invalid ones returned', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/teams', { title: 'Held', legacy_id: 'L1' });
  const teams = [{ title: 'A', legacy_id: 'L1' }, { title: 'B', legacy_id: 'L2' }, { title: 'C', legacy_id: 'L2' }, { title: 'D' }, 'nonsense', { title: { a: 1 } }];
  const { id } = (await bulk(desk.owner, teams, { partial_import: true })).must(202).data;
  const job = await desk.job(desk.owner, id);
  assert.deepEqual([job.status, job.total, job.inserted, job.rejected], ['COMPLETED', 6, 2, 4]);
  assert.deepEqual(job.errors.slice(0, 2).map((e) => [e.code, e.pointer]), [['FIELD_DUPLICATE', 'teams/0/legacy_id'], ['FIELD_DUPLICATE', 'teams/2/legacy_id']]);
  assert.deepEqual((await desk.owner.fetch('/teams')).map((x) => x.title), ['Held', 'B', 'D']);
});

test('partial_import completes even if no record is valid', async (t) => {
  const desk = await open(t);
  const { id } = (await bulk(desk.owner, [{ title: '' }], { partial_import: 1 })).must(202).data;
  const job = await desk.job(desk.owner, id);
  assert.deepEqual([job.status, job.inserted, job.rejected], ['COMPLETED', 0, 1]);
});

test('a missing list, an empty one or more than 200 records are refused at once', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/bulk/teams', {})).refused(400, 'FIELD_REQUIRED', 'teams');
  assert.equal((await bulk(owner, [])).status, 400);
  (await bulk(owner, many(201))).refused(400, 'FIELD_INVALID', 'teams');
  (await bulk(owner, [{ title: 'A' }], { partial_import: 'perhaps' })).refused(400, 'FIELD_INVALID', 'partial_import');
  assert.equal(await owner.total('/teams'), 0);
});

test('the list is accepted as JSON, nested form names or JSON text', async (t) => {
  const desk = await open(t);
  for (const body of [{ teams: many(2) }, form({ teams: [{ title: 'X' }, { title: 'Y' }] }), form({ teams: '[{"Title":"P"},{"title":"Q"}]' })]) {
    const { id } = (await desk.owner.post('/bulk/teams', body)).must(202).data;
    assert.equal((await desk.job(desk.owner, id)).inserted, 2);
  }
  assert.equal(await desk.owner.total('/teams'), 6);
});

test('a job is visible to its creator and to admins and owners', async (t) => {
  const desk = await open(t);
  const { id } = (await bulk(desk.admin, many(1))).must(202).data;
  await desk.job(desk.admin, id);
  (await desk.owner.get(`/jobs/${id}`)).must(200);
  (await desk.staff.get(`/jobs/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.anyone.get(`/jobs/${id}`)).refused(401, 'AUTHORIZATION_REQUIRED');
  assert.ok([403, 404].includes((await desk.customer.get(`/jobs/${id}`)).status));
});

test('an accepted job survives a crash and runs exactly once', async (t) => {
  const desk = await open(t);
  const jobs = [];
  for (let i = 0; i < 5; i++) {
    jobs.push((await bulk(desk.owner, many(200).map(({ title }) => ({ title: `${i} ${title}` })))).must(202).data.id);
  }
  await desk.kill();
  await desk.start();
  for (const id of jobs) assert.equal((await desk.job(desk.owner, id)).inserted, 200);
  assert.equal(await desk.owner.total('/teams'), 1000);
  const titles = (await desk.owner.fetch('/teams', { limit: 1000 })).map((x) => x.title);
  assert.equal(new Set(titles).size, 1000);
});

test('periodic work has its turn beside jobs that are always due', async (t) => {
  const desk = await open(t, { processes: 1 });
  await desk.stop();
  const jobs = 30_000; // they reset a password that nobody has, so each ends at once
  desk.sql(`INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${jobs}) SELECT 'password_reset', 1, '""', 0, 0, 0, 0 FROM n`);
  await desk.start();
  await desk.owner.create('/roles', { title: 'Night shift', type: 'AGENT' });
  await until('the entry is in the chain', async () => (await desk.owner.fetch('/audit_log', { action: 'ROLE_CREATED' }))[0].seq !== null || undefined);
  const left = Number(desk.sql("SELECT COUNT(*) FROM jobs WHERE kind = 'password_reset' AND status IN (1, 2)"));
  assert.ok(left > 0 && left < jobs, `${left} jobs are left`);
});

test('admins list the jobs of everybody, by state and kind; others have no list, and a token lists those of its person', async (t) => {
  const desk = await open(t), { owner, admin, staff } = desk;
  const ids = [];
  for (const who of [owner, admin]) {
    const { id } = (await bulk(who, [{ title: 'x' }])).must(202).data;
    await desk.job(owner, id);
    ids.unshift(id);
  }
  const bad = (await bulk(admin, [{ title: '' }])).must(202).data.id;
  await desk.job(owner, bad);
  const listed = async (query, who = admin) => (await who.fetch('/jobs', { kind: 'import', ...query })).map(({ id }) => id);
  assert.deepEqual(await listed({}), [bad, ...ids]);
  assert.deepEqual(await listed({ status: 'FAILED' }), [bad]);
  assert.deepEqual(await listed({ status: 'COMPLETED,RUNNING' }), ids);
  assert.deepEqual(await listed({ kind: 'nothing' }), []);
  const [one] = await admin.fetch('/jobs', { kind: 'import', fields: '+kind,+creator' });
  assert.deepEqual([one.kind, one.creator.id, one.errors.length], ['import', desk.people.admin.id, 1]);
  assert.ok(!('kind' in (await admin.fetch('/jobs'))[0]));
  (await staff.get('/jobs')).refused(403, 'PERMISSIONS_DENIED');
  const { token } = await owner.create('/profile/api_tokens', { name: 'x', scopes: ['users:read'] });
  assert.deepEqual(await listed({}, bearer(desk, token)), ids.slice(1));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseUrl, open } from '../api/lib/index.mjs';
import { apiToken } from '../api/lib/tokens.mjs';
import { psql } from './lib.mjs';

// Statements that go out before they are started (src/db/postgres_hints.c). One thread reads in turn, so that the hints of one read
// meet the next one.

const ONE_READER = { processes: 1, env: { DESKD_WORKERS: '1' } };
const TIMES = 4; // from the third reading on there are hints

async function repeated(client, path) {
  let reply;
  for (let i = 0; i < TIMES; i++) reply = await client.get(path);
  return reply;
}

const seen = ({ status, body }) => ({ status, data: body.data, total: body.total_count, errors: body.errors?.map(({ code }) => code) });

test('a session and a token that repeat reads see what a new session sees, whatever changed in between', async (t) => {
  const desk = await open(t, ONE_READER);
  const team = await desk.owner.create('/teams', { title: 'Second line' });
  const agent = await desk.person('agent', { agent_case_access: 'TEAMS', team_ids: [team.id] });
  const cases = [];
  for (let i = 0; i < 3; i++) cases.push(await desk.owner.create('/cases', { subject: `S${i}`, contents: 'C', requester_id: desk.people.customer.id, assigned_team_id: i ? team.id : null }));
  const [first, second] = cases.map(({ id }) => id);
  const paths = ['/conversations?limit=2', '/cases?limit=10', '/teams', `/cases/${first}`, `/cases/${second}`, `/conversations/${second}`, `/conversations/${second}/messages`, `/users/${agent.id}`, '/me'];
  const { client } = await desk.session(agent.client), { client: program } = await apiToken(desk, agent.client, { scopes: ['conversations', 'users', 'configuration'] });
  const other = await desk.owner.create('/teams', { title: 'Third line' });
  const changes = [
    () => {},
    () => desk.owner.update(`/cases/${second}`, { subject: 'Renamed' }),
    () => desk.owner.update(`/cases/${second}`, { assigned_team_id: other.id }),
    () => desk.owner.update(`/cases/${first}`, { assigned_team_id: team.id }),
    () => desk.owner.update(`/users/${agent.id}`, { team_ids: [other.id] }),
    () => desk.owner.update(`/users/${agent.id}`, { agent_case_access: 'SELF' }),
    () => desk.owner.update(`/cases/${first}`, { assigned_agent_id: agent.id }),
    () => desk.owner.update(`/users/${agent.id}`, { agent_case_access: 'ALL' }),
    () => desk.owner.create(`/conversations/${second}/messages`, { contents: 'Again' }),
    () => desk.owner.delete(`/teams/${other.id}`),
  ];
  for (const [i, change] of changes.entries()) {
    await change();
    const fresh = (await desk.session(agent.client)).client;
    for (const who of [client, program]) {
      for (const path of paths) assert.deepEqual(seen(await who.get(path)), seen(await fresh.get(path)), `${path} after change ${i}`);
      for (const path of paths) await repeated(who, path);
    }
  }
  await desk.owner.update(`/users/${agent.id}`, { is_enabled: false });
  for (const path of paths) (await client.get(path)).refused(454, 'SESSION_LOADING_FAILED');
  for (const path of paths) (await program.get(path)).refused(401, 'AUTHENTICATION_FAILED');
});

test('ids in the path are not mixed up, and readings in turn with one session are not either', async (t) => {
  const desk = await open(t, ONE_READER);
  const ids = [];
  for (let i = 0; i < 6; i++) ids.push((await desk.customer.create('/conversations', { subject: `S${i}`, contents: `C${i}` })).id);
  const { client } = await desk.session(desk.staff);
  for (let k = 0; k < 3; k++)
    for (const [i, id] of ids.entries()) {
      assert.equal((await client.fetch(`/conversations/${id}`)).subject, `S${i}`);
      assert.ok(JSON.stringify(await client.fetch(`/conversations/${id}/messages`)).includes(`"C${i}"`));
    }
  (await client.get('/conversations/999999')).refused(404, 'RESOURCE_NOT_FOUND');
  await Promise.all(ids.map(async (id, i) => assert.equal((await client.fetch(`/conversations/${id}`)).subject, `S${i}`)));
});

test('a statement that was sent ahead and fails: the read begins again without it', async (t) => {
  const desk = await open(t, ONE_READER), url = databaseUrl(desk.dir);
  desk.expects5xx = 500;
  const { client } = await desk.session(desk.owner);
  const before = seen((await repeated(client, '/teams')).must(200));
  psql(url, 'ALTER TABLE teams RENAME TO elsewhere');
  assert.equal((await client.get('/teams')).status, 500);
  (await client.get('/me')).must(200);
  assert.equal((await client.get('/teams')).status, 500);
  psql(url, 'ALTER TABLE elsewhere RENAME TO teams');
  assert.deepEqual(seen((await repeated(client, '/teams')).must(200)), before);
});

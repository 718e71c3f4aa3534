// The index follows each change of a text: a search sees it at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, until } from './lib/index.mjs';

const found = async (desk, query) =>
  (await desk.owner.get('/search', { query, limit: 1000 })).must(200).data.map((r) => `${r.resource} ${r.id}`).sort();

async function withCase(t, more = {}) {
  const desk = await open(t);
  const made = await desk.owner.create('/cases', { subject: 'Alpha', contents: 'Beta', requester_id: desk.people.customer.id, ...more });
  return { desk, id: made.id, it: `case ${made.id}`, finds: async (query, ...names) => assert.deepEqual(await found(desk, query), names, query) };
}

test('a conversation of a customer and their messages are found at once', async (t) => {
  const desk = await open(t);
  const talk = await desk.customer.create('/conversations', { subject: 'Hello there', contents: 'Gamma rays' });
  assert.deepEqual(await found(desk, 'gamma'), [`case ${talk.id}`]);
  (await desk.customer.post(`/conversations/${talk.id}/messages`, { contents: 'Delta force' })).must(201);
  assert.deepEqual(await found(desk, 'delta hello'), [`case ${talk.id}`]);
});

test('a new subject replaces the old one', async (t) => {
  const { desk, id, it, finds } = await withCase(t);
  await finds('alpha', it);
  await desk.owner.update(`/cases/${id}`, { subject: 'Omega' });
  await finds('alpha');
  await finds('omega beta', it);
});

test('tags are found, and tag: needs the whole tag', async (t) => {
  const { desk, id, it, finds } = await withCase(t);
  await desk.owner.update(`/cases/${id}`, { tags: ['Very Important', 'ship'] });
  await finds('important', it);
  await finds('tag:ship', it);
  await finds('tag:"very important" tag:ship', it);
  await finds('tag:important');
  await finds('tag:ship tag:SHIP', it);
  await finds('tag:"very important",ship tag:banana');
  await finds('tag:, alpha');
  await finds('-tag:ship alpha');
  await desk.owner.update(`/cases/${id}`, { tags: ['ship'] });
  await finds('important');
  await finds('tag:"very important" tag:ship');
});

test('text fields are found, as long as the field is enabled', async (t) => {
  const { desk, id, it, finds } = await withCase(t);
  const field = await desk.owner.create('/cases/fields', { type: 'TEXT', key: 'ship', title: 'Ship' });
  await desk.owner.create('/cases/fields', { type: 'NUMERIC', key: 'crew', title: 'Crew' });
  await desk.owner.update(`/cases/${id}`, { field_values: { ship: 'Santa Maria', crew: 4711 } });
  await finds('santa', it);
  await finds('4711');
  await desk.owner.update(`/cases/${id}`, { field_values: { ship: 'Pinta' } });
  await finds('santa');
  await finds('pinta', it);
  await desk.owner.update(`/cases/fields/${field.id}`, { is_enabled: false });
  await until('the value is not found', async () => {
    desk.clock.write(desk.clock.now + 1000);
    return (await found(desk, 'pinta')).length === 0;
  });
  await finds('alpha', it);
});

test('notes are found until they are deleted', async (t) => {
  const { desk, id, it, finds } = await withCase(t);
  const { data } = (await desk.staff.post(`/cases/${id}/notes`, { contents: 'Secret sauce' })).must(201);
  await finds('sauce', it);
  const path = `/cases/${id}/notes/${data.post.id}`;
  await desk.staff.update(path, { contents: 'Secret soup' });
  await finds('sauce');
  await finds('soup', it);
  (await desk.staff.delete(path)).must(200);
  await finds('soup');
  (await desk.staff.post(`/users/${desk.people.customer.id}/notes`, { contents: 'Likes tea' })).must(201);
  await finds('tea', `user ${desk.people.customer.id}`);
});

test('people are found by what they have now, and not after they are deleted', async (t) => {
  const { desk, finds } = await withCase(t);
  const ann = await desk.person('customer', { full_name: 'Ann Ash', phone: '+49 30 1234567', tags: ['vip'] });
  const it = `user ${ann.id}`;
  await finds('ash', it);
  await finds('493012*', it);
  await finds('vip', it);
  await desk.owner.update(`/users/${ann.id}`, { full_name: 'Ann Birch' });
  await finds('ash');
  await finds('birch', it);
  (await desk.staff.post(`/users/${ann.id}/notes`, { contents: 'Climbs trees' })).must(201);
  await finds('climbs', it);
  (await desk.owner.delete(`/users/${ann.id}`)).must(200);
  await finds('birch');
  await finds('climbs');
});

test('an operator with a name means those who have the name now', async (t) => {
  const { desk, id, it, finds } = await withCase(t);
  const agent = await desk.person('agent', { full_name: 'Ann Ash' }), organization = await desk.owner.create('/organizations', { name: 'Engine makers' });
  await desk.owner.update(`/users/${desk.people.customer.id}`, { organization_id: organization.id, full_name: 'Cora Oak' });
  await desk.owner.update(`/cases/${id}`, { assigned_agent_id: agent.id });
  await desk.owner.update(`/organizations/${organization.id}`, { name: 'Duck brothers' });
  await desk.owner.update(`/users/${agent.id}`, { full_name: 'Bea Birch' });
  await finds('agent:bea', it);
  await finds('agent:birch', it);
  await finds('requester:oak', it);
  for (const gone of ['agent:ann', 'agent:ash', 'requester:"cora c"', 'organization:engine', 'organization:makers']) await finds(gone);
  await desk.owner.update(`/users/${desk.people.customer.id}`, { organization_id: organization.id });
  (await desk.owner.get('/search', { query: 'agent:ann' })).must(200).notes('There is no agent `ann`.');
});

test('organizations are found by name and domain until they are deleted', async (t) => {
  const { desk, finds } = await withCase(t);
  const pond = await desk.owner.create('/organizations', { name: 'Duck Pond', domains: 'pond.example' });
  await finds('pond.example', `organization ${pond.id}`);
  await desk.owner.update(`/organizations/${pond.id}`, { name: 'Goose Lake' });
  await finds('duck');
  await finds('goose', `organization ${pond.id}`);
  (await desk.owner.delete(`/organizations/${pond.id}`)).must(200);
  await finds('goose');
});

test('a refused write changes no index', async (t) => {
  const { desk, id, finds } = await withCase(t);
  (await desk.owner.put(`/cases/${id}`, { subject: 'Epsilon', status_id: 999 })).refused(400, 'FIELD_INVALID', 'status_id');
  await finds('epsilon');
});

test('a new default language is used for new and old texts', async (t) => {
  const { desk, it } = await withCase(t, { contents: 'Die Häuser brennen' });
  assert.deepEqual(await found(desk, 'haus brennen'), []);
  (await desk.owner.put('/settings', { values: { 'account.default_language': 'de' } })).must(200);
  await until('the texts are indexed again', async () => {
    desk.clock.write(desk.clock.now + 1000);
    return (await found(desk, 'haus brennen')).includes(it);
  });
  const { id } = await desk.owner.create('/cases', { subject: 'Nachts', contents: 'Die Wälder schlafen', requester_id: desk.people.customer.id });
  await found(desk, 'nachts'); // a search follows the changes before it
  assert.deepEqual(await found(desk, 'wald schlafen'), [`case ${id}`]);
});

test('after a merge the texts are found in the surviving conversation', async (t) => {
  const { desk, id, it, finds } = await withCase(t);
  const other = await desk.owner.create('/cases', { subject: 'Kappa', contents: 'Lambda', requester_id: desk.people.customer.id });
  (await desk.owner.post(`/cases/${other.id}/notes`, { contents: 'Sigma' })).must(201);
  (await desk.owner.post(`/cases/${id}/merge`, { case_ids: [other.id] })).must(200);
  await until('the cascade is done', async () => {
    desk.clock.write(desk.clock.now + 1000);
    return (await found(desk, 'sigma')).includes(it);
  });
  await finds('lambda alpha', it);
  await finds('kappa');
  await finds('is:merged kappa', `case ${other.id}`);
  const { status, stdout } = desk.check();
  assert.equal(status, 0, stdout);
});

test('a conversation that is deleted for ever leaves no text', async (t) => {
  const { desk, id, finds } = await withCase(t);
  (await desk.owner.post(`/cases/${id}/notes`, { contents: 'Sigma' })).must(201);
  (await desk.admin.put(`/cases/${id}/trash`)).must(200);
  (await desk.admin.delete('/cases/trash', { ids: id })).must(200);
  await finds('is:trash');
  await until('the cascade is done', async () => {
    desk.clock.write(desk.clock.now + 1000);
    return desk.sql(`SELECT COUNT(*) FROM search_texts WHERE kind = 1 AND owner_id = ${id}`).trim() === '0';
  });
  await finds('sigma');
});

// Comments on articles, and notes on people and organizations, in realtime.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';
import { Socket, stream } from './lib/socket.mjs';
import { apiToken } from './lib/tokens.mjs';

const OK = { status: 'ok', response: {} };
const REFUSED = { status: 'error', response: { reason: 'unauthorized' } };
const channelOf = async (client, path) => (await client.fetch(path, { fields: 'realtime_channel' })).realtime_channel;
const told = (frames, type) => frames.filter(({ event, payload }) => /_POST$/.test(event) && payload.resource_type === type).map(({ event, payload }) => [event, payload.resource_id, payload.changed_properties]);

async function helpCenter(t) {
  const desk = await open(t), { owner } = desk;
  const category = await owner.create('/categories', { titles: 'Billing' }), team = await owner.create('/teams', { title: 'Editors' });
  const articleIn = async (more) => {
    const section = await owner.create('/sections', { titles: 'Invoices', category_id: category.id, ...more });
    return (await owner.create('/articles', { titles: 'Read it', contents: 'Numbers.', section_id: section.id, status: 'PUBLISHED', allow_comments: true })).id;
  };
  const shown = await articleIn({ visibility: 'PUBLIC' }), hidden = await articleIn({ visibility: 'AGENTS', team_ids: [team.id] });
  const topic = (await channelOf(owner, `/users/${desk.people.agent.id}`)).replace(/@.*/, '@v1_comments');
  return { desk, owner, shown, hidden, topic };
}

test('a moderator hears of a comment when it comes, is rewritten and is moderated, and of none on an article that he does not see', async (t) => {
  const { desk, owner, shown, hidden, topic } = await helpCenter(t);
  const [all, some] = [await Socket.open(t, owner), await Socket.open(t, desk.staff)];
  assert.deepEqual([await all.join(topic), await some.join(topic)], [OK, OK]);
  assert.equal((await desk.staff.get(`/articles/${hidden}`)).status, 404);
  const { id: secret } = await owner.create(`/articles/${hidden}/comments`, { contents: 'Only for editors' });
  const { id } = await desk.customer.create(`/articles/${shown}/comments`, { contents: 'Thank you' }), path = `/articles/${shown}/comments/${id}`;
  const { payload } = await some.event('NEW_POST', (p) => p.resource_id === id);
  assert.deepEqual([payload.resource_type, payload.resource_url], ['comment', `${desk.base}/api/v1${path}`]);
  await desk.customer.update(path, { contents: 'Thanks' });
  (await desk.staff.put(`${path}/publish`)).must(200);
  (await owner.put(`${path}/spam`)).must(200);
  await some.event('CHANGE_POST', (p) => p.changed_properties.includes('status'));
  // Changes that are read together are one event.
  const heard = told(some.frames, 'comment');
  assert.deepEqual([heard[0], new Set(heard.map(([, one]) => one)), heard.flatMap(([, , names]) => names)], [['NEW_POST', id, []], new Set([id]), ['contents', 'is_waiting', 'status']]);
  await all.event('CHANGE_POST', (p) => p.changed_properties.includes('status'));
  assert.deepEqual(new Set(told(all.frames, 'comment').map(([, one]) => one)), new Set([secret, id]));
});

test('only callers who may list comments join their channel', async (t) => {
  const { desk, topic } = await helpCenter(t);
  const join = async (client) => (await Socket.open(t, client)).join(topic);
  assert.deepEqual(await join(desk.as('collaborator')), OK);
  assert.deepEqual(await join(desk.customer), REFUSED);
  assert.deepEqual(await join((await apiToken(desk, desk.staff, { scopes: ['users:read'] })).client), REFUSED);
  assert.deepEqual(await join((await apiToken(desk, desk.staff, { scopes: ['conversations:read'] })).client), OK);
  for (const name of [`${topic}_1`, topic.replace('comments', 'notes')]) assert.deepEqual(await (await Socket.open(t, desk.owner)).join(name), REFUSED, name);
});

test('staff hear of the notes on a person and on an organization; the person does not, nor does a program that may not read them', async (t) => {
  const desk = await open(t), { owner } = desk, person = desk.people.customer.id;
  const organization = await owner.create('/organizations', { name: 'Acme' });
  const topic = await channelOf(owner, `/users/${person}`), ofOrganization = topic.replace(/@.*/, `@v1_organizations_${organization.id}`);
  const staff = await Socket.open(t, desk.staff), own = await Socket.open(t, desk.customer), program = await Socket.open(t, (await apiToken(desk, desk.staff, { scopes: ['users:read'] })).client);
  for (const socket of [staff, own, program]) assert.deepEqual(await socket.join(topic), OK);
  assert.deepEqual(await staff.join(ofOrganization), OK);
  const { id } = await owner.create(`/users/${person}/notes`, { contents: 'Prefers to be called' });
  await owner.update(`/users/${person}/notes/${id}`, { is_pinned: true });
  const { id: other } = await owner.create(`/organizations/${organization.id}/notes`, { contents: 'Pays late' });
  await owner.update(`/users/${person}`, { full_name: 'Clara Changed' });
  const first = await staff.event('NEW_POST', (p) => p.resource_id === id);
  assert.deepEqual([first.topic, first.payload.resource_type, first.payload.resource_url], [topic, 'note', `${desk.base}/api/v1/users/${person}/notes/${id}`]);
  await staff.event('CHANGE_POST', (p) => p.resource_id === id && p.changed_properties.includes('is_pinned'));
  const second = await staff.event('NEW_POST', (p) => p.resource_id === other);
  assert.deepEqual([second.topic, second.payload.resource_url], [ofOrganization, `${desk.base}/api/v1/organizations/${organization.id}/notes/${other}`]);
  for (const socket of [own, program]) {
    await socket.event('CHANGE', (p) => 'full_name' in p.changed_properties); // behind the notes
    assert.deepEqual(told(socket.frames, 'note'), []);
  }
});

test('a stream that comes back hears of the notes and comments that were written meanwhile, but not of deleted ones', async (t) => {
  const { desk, owner, shown, topic } = await helpCenter(t), person = desk.people.customer.id;
  const channels = [await channelOf(owner, `/users/${person}`), topic], before = await stream(t, desk.staff, channels);
  const { id: start } = await before.event('open');
  before.close();
  const gone = await owner.create(`/users/${person}/notes`, { contents: 'A mistake' }), stays = await owner.create(`/users/${person}/notes`, { contents: 'Prefers mails' });
  (await owner.delete(`/users/${person}/notes/${gone.id}`)).must(200);
  const comment = await desk.customer.create(`/articles/${shown}/comments`, { contents: 'Thank you' });
  const again = await stream(t, desk.staff, channels, { after: start });
  await again.event('NEW_POST', (p) => p.resource_id === comment.id);
  assert.deepEqual([told(again.events, 'note').map(([, id]) => id), told(again.events, 'comment').map(([, id]) => id)], [[stays.id], [comment.id]]);
});

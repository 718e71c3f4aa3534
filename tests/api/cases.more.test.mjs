// Operations on cases that answer little: tracked time, original e-mails, and attachments of messages in the trash.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, opened, raw } from './lib/index.mjs';
import { sql } from './lib/sql.mjs';

test('tracked time is an empty list for staff', async (t) => {
  const desk = await open(t);
  for (const role of ['collaborator', 'agent', 'admin', 'owner']) {
    const { data, total_count } = (await desk.as(role).get('/timetracking')).must(200).body;
    assert.deepEqual([data, total_count], [[], 0]);
  }
  (await desk.customer.get('/timetracking')).refused(403, 'PERMISSIONS_DENIED');
});

test('a post without an original e-mail answers 404, like a post that the caller can\'t see', async (t) => {
  const desk = await open(t);
  const talk = await opened(desk, { channel: 'MAIL' });
  const [{ id }] = await desk.staff.fetch(`/cases/${talk.id}/posts`, { filters: 'MESSAGES' });
  for (const who of [desk.staff, (await desk.person('agent', { agent_case_access: 'SELF' })).client]) (await who.get(`/cases/posts/${id}/email_original`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(`/cases/posts/${id}/email_original`)).refused(403, 'PERMISSIONS_DENIED');
});

test('staff read attachments of messages in the trash under /cases, customers do not', async (t) => {
  const desk = await open(t);
  const file = (await desk.staff.post('/files', raw('text/plain', Buffer.from('abc')), { query: { _filename: 'log.txt' } })).must(201).data;
  const talk = await opened(desk, { attachment_file_ids: [file.id] }), other = await opened(desk);
  const [message] = await desk.staff.fetch(`/cases/${talk.id}/messages`, { include: 'attachment' });
  const of = (id) => `/cases/${id}/messages/${message.id}/attachments`, [{ id }] = message.attachments;
  (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
  assert.equal((await desk.staff.fetch(`${of(talk.id)}/${id}`)).name, 'log.txt');
  for (const path of [`/${id}/download`, `/${id}/url`, '/download/all']) (await desk.staff.exchange('GET', `/api/v1${of(talk.id)}${path}`)).must(200);
  (await desk.staff.get(`/conversations/${talk.id}/messages/${message.id}/attachments/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.staff.get(`${of(other.id)}/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(`${of(talk.id)}/${id}`)).refused(403, 'PERMISSIONS_DENIED');
  const blind = await desk.person('agent', { agent_case_access: 'SELF' });
  (await blind.client.get(`${of(talk.id)}/${id}`)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('addresses in attachments work for staff, whatever the state of the conversation', async (t) => {
  const desk = await open(t);
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  const upload = async (name) => (await desk.staff.post('/files', raw('image/png', png), { query: { _filename: name } })).must(201).data.id;
  const files = [await upload('a.png'), await upload('b.png')];
  const talk = await opened(desk, { attachment_file_ids: files }), survivor = await opened(desk);
  const works = async (id, start) => {
    const [message] = await desk.staff.fetch(`/cases/${id}/messages`, { include: 'attachment', ids: messageId });
    assert.equal(message.resource_url, `${desk.base}/api/v1/cases/${id}/messages/${message.id}`);
    const addresses = [message.download_all];
    for (const one of message.attachments) addresses.push(one.resource_url, one.url, one.url_download, ...one.thumbnails.map((x) => x.url));
    assert.equal(addresses.length, 9);
    for (const address of addresses) {
      assert.ok(address.startsWith(`${desk.base}/api/v1/${start}/${id}/messages/`), address);
      (await desk.staff.exchange('GET', address.slice(desk.base.length))).must(200);
    }
  };
  const [{ id: messageId }] = await desk.staff.fetch(`/cases/${talk.id}/messages`);
  await works(talk.id, 'conversations');
  (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
  await works(talk.id, 'cases');
  (await desk.staff.put(`/cases/${talk.id}/restore`)).must(200);
  await works(talk.id, 'conversations');
  /** No operation makes these states. The new conversation lets readers of the store see the change. */
  const set = async (columns) => {
    sql(desk, `UPDATE cases SET ${columns} WHERE id = ${talk.id}`);
    await opened(desk);
  };
  await set('state = 2');
  await works(talk.id, 'cases');
  await set(`state = 4, merged_into_id = ${survivor.id}`); // a merge that has not moved its posts yet
  await works(talk.id, 'cases');
});

test('staff read a message at its address, also in the trash; other callers do not', async (t) => {
  const desk = await open(t);
  const talk = await opened(desk), other = await opened(desk);
  const [listed] = await desk.staff.fetch(`/cases/${talk.id}/messages`);
  const path = `/cases/${talk.id}/messages/${listed.id}`;
  for (const role of ['collaborator', 'agent', 'admin', 'owner']) assert.deepEqual(await desk.as(role).fetch(path), listed);
  (await desk.staff.put(`/cases/${talk.id}/trash`)).must(200);
  assert.equal((await desk.staff.fetch(path)).resource_url, listed.resource_url);
  (await desk.staff.get(`/cases/${other.id}/messages/${listed.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await (await desk.person('agent', { agent_case_access: 'SELF' })).client.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(path)).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.get(path)).refused(401, 'AUTHORIZATION_REQUIRED');
});

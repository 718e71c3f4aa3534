// The timeline of a conversation: messages, notes and activities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

/** A conversation with messages, notes and activities. */
async function withPosts(t) {
  const desk = await open(t);
  const talk = await desk.customer.create('/conversations', { subject: 'Engine', contents: 'It stalls', client_id: 'c-1' });
  const say = async (contents, who = desk.staff) => (await who.create(`/conversations/${talk.id}/messages`, { contents })).id;
  const note = async (contents) => (await desk.staff.post(`/cases/${talk.id}/notes`, { contents })).must(201).data.post.id;
  const path = `/cases/${talk.id}/posts`;
  const ids = async (query) => (await desk.staff.get(path, query)).must(200).data.map((p) => p.id);
  return { desk, talk, say, note, path, ids };
}

test('posts of all kinds come in one list, the newest first, each with its original', async (t) => {
  const { desk, talk, say, note, path, ids } = await withPosts(t);
  const noted = await note('Call him'), said = await say('Turn it off');
  await desk.admin.update(`/cases/${talk.id}`, { priority_id: 3 });
  const list = (await desk.staff.get(path, { limit: 100, include: 'channel', filters: 'all' })).must(200);
  const found = list.data.map((p) => p.id);
  assert.deepEqual(found, [...found].sort((a, b) => b - a));
  assert.equal(list.body.total_count, found.length);
  assert.equal('offset' in list.body, false);
  const kinds = { case_message: [], note: [], activity: [] };
  for (const p of list.data) kinds[p.original.resource_type].push(p);
  assert.equal(kinds.case_message.length, 2);
  assert.deepEqual(kinds.note.map((p) => [p.id, p.contents, p.post_status, p.source_channel.type, p.creator.id]), [[noted, 'Call him', 'NOT_SENT', 'NOTE', desk.people.agent.id]]);
  assert.match(kinds.activity[0].contents, /changed priority/);
  assert.equal(kinds.activity[0].post_status, 'NOT_SENT');
  for (const p of list.data) {
    assert.equal(p.original.id, p.id);
    assert.match(p.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(await desk.staff.fetch(`/cases/posts/${p.id}`, { include: 'channel' }), p);
  }
  assert.equal(new Set(list.data.map((p) => p.uuid)).size, found.length);
  const full = (await desk.staff.get(path, { include: 'note,case_message,activity', limit: 100, filters: 'all' })).must(200).data;
  assert.equal(full.find((p) => p.id === noted).original.body_text, 'Call him');
  assert.equal(full.find((p) => p.id === said).original.body_text, 'Turn it off');
  assert.equal(full.find((p) => p.id === said).original.fullname, 'Agnes Agent');
  assert.ok(full.find((p) => p.original.resource_type === 'activity').original.summary);
  assert.deepEqual((await ids({ filters: 'MESSAGES' })).length, 2);
  assert.deepEqual(await ids({ filters: 'NOTES' }), [noted]);
  assert.deepEqual(await ids({ filters: 'notes,messages' }), found.filter((id) => !kinds.activity.some((a) => a.id === id)));
  assert.deepEqual(await ids({ filters: 'all', limit: 100 }), found);
  for (const filters of ['MESSAGES', 'NOTES', 'ACTIVITIES', 'NOTES,ACTIVITIES']) {
    const reply = (await desk.staff.get(path, { filters, limit: 1 })).must(200);
    assert.equal(reply.body.total_count, (await ids({ filters, limit: 100 })).length, filters);
  }
  (await desk.staff.get(path, { filters: 'RUMOURS' })).refused(400, 'FIELD_INVALID', 'filters');
});

test('pages go on by id, in both directions, and one post is found with those around it', async (t) => {
  const { desk, talk, say, note, path, ids } = await withPosts(t);
  for (let i = 0; i < 6; i++) await (i % 2 ? say : note)(`Post ${i}`);
  const all = await ids({ limit: 100 });
  const seen = [];
  for (let at = (await desk.staff.get(path, { limit: 3 })).must(200); ; at = (await desk.staff.get(path, { limit: 3, after_id: seen.at(-1) })).must(200)) {
    seen.push(...at.data.map((p) => p.id));
    if (!at.body.next_url) break;
    assert.match(at.body.next_url, new RegExp(`after_id=${seen.at(-1)}`));
  }
  assert.deepEqual(seen, all);
  assert.deepEqual(await ids({ before_id: all[3], limit: 2 }), all.slice(1, 3));
  assert.deepEqual(await ids({ after_id: all[3], limit: 2 }), all.slice(4, 6));
  const notes = await ids({ filters: 'NOTES' });
  const around = await desk.staff.get(path, { resource_type: 'note', id: notes[1], limit: 3 });
  const at = all.indexOf(notes[1]);
  assert.deepEqual(around.must(200).data.map((p) => p.id), all.slice(at - 1, at + 2));
  assert.deepEqual(await ids({ resource_type: 'note', id: notes[1], limit: 3, filters: 'NOTES' }), notes);
  assert.deepEqual((await ids({ resource_type: 'note', id: notes[0], limit: 1 })), [notes[0]]);
  (await desk.staff.get(path, { resource_type: 'activity', id: notes[1] })).refused(400, 'FIELD_INVALID', 'id');
  (await desk.staff.get(path, { resource_type: 'note' })).refused(400, 'FIELD_REQUIRED', 'id');
  (await desk.staff.get(path, { resource_type: 'note', id: 987654 })).refused(400, 'FIELD_INVALID', 'id');
  const other = await desk.customer.create('/conversations', { subject: 'Other', contents: 'Other' });
  (await desk.staff.get(`/cases/${other.id}/posts`, { resource_type: 'note', id: notes[1] })).refused(400, 'FIELD_INVALID', 'id');
  assert.ok(talk.id);
});

test('without filters, a list of posts has messages and notes and counts only these; filters=all adds activities', async (t) => {
  const { desk, talk, say, note, path } = await withPosts(t);
  const { id: organization } = await desk.owner.create('/organizations', { name: 'Analytical Society' });
  await desk.owner.update(`/users/${desk.people.customer.id}`, { organization_id: organization });
  const said = await say('Turn it off'), noted = await note('Call him');
  await desk.staff.update(`/cases/${talk.id}`, { priority_id: 3 });
  const [first] = (await desk.customer.fetch(`/conversations/${talk.id}/messages`)).slice(-1);
  const kinds = (list) => list.map((p) => p.original.resource_type);
  const teams = (await desk.person('agent', { agent_case_access: 'TEAMS' })).client;
  const lists = [[path, [noted, said, first.id]], [`/users/${desk.people.agent.id}/posts`, [noted, said]], [`/organizations/${organization}/posts`, [noted, said, first.id]]];
  for (const who of [desk.staff, teams]) for (const [list, posts] of lists) {
    for (const query of [{}, { filters: '' }, { filters: 'NOTES,MESSAGES' }, { limit: 1 }]) {
      const reply = (await who.get(list, query)).must(200);
      assert.deepEqual(reply.data.map((p) => p.id), posts.slice(0, query.limit), list);
      assert.equal(reply.body.total_count, posts.length, list);
    }
    for (const filters of ['ACTIVITIES', 'all', 'MESSAGES,ACTIVITIES']) {
      const reply = (await who.get(list, { filters, limit: 100 })).must(200), of = { case_message: 'MESSAGES', note: 'NOTES', activity: 'ACTIVITIES' };
      assert.ok(kinds(reply.data).includes('activity'), `${list} ${filters}`);
      if (filters !== 'all') assert.ok(kinds(reply.data).every((kind) => filters.split(',').includes(of[kind])), `${list} ${filters}`);
      assert.equal((await who.get(list, { filters, limit: 1 })).must(200).body.total_count, reply.data.length, `${list} ${filters}`);
    }
    (await who.get(list, { filters: 'RUMOURS' })).refused(400, 'FIELD_INVALID', 'filters');
  }
  const [activity] = await desk.staff.fetch(path, { filters: 'ACTIVITIES' });
  assert.ok((await desk.staff.fetch(path, { resource_type: 'activity', id: activity.id })).some((p) => p.id === activity.id), 'the page around an activity has it');
  const self = (await desk.person('agent', { agent_case_access: 'SELF' })).client;
  for (const filters of ['MESSAGES', 'all']) assert.deepEqual((await self.get(`/organizations/${organization}/posts`, { filters })).must(200).body.data, []);
  (await desk.staff.get('/organizations/987654/posts')).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(`/organizations/${organization}/posts`)).refused(403, 'PERMISSIONS_DENIED');
});

test('the subject of a post is never null: that of the message, else the text', async (t) => {
  const { desk, say, note, path } = await withPosts(t);
  const said = await say('Turn it off'), noted = await note('Call him\nToday');
  const posts = await desk.staff.fetch(path, { filters: 'all', limit: 100 });
  const subject = (id) => posts.find((p) => p.id === id).subject;
  assert.equal(subject(said), 'Engine');
  assert.equal(subject(noted), 'Call him\nToday');
  for (const p of posts) if (p.original.resource_type === 'activity') assert.equal(p.subject, p.contents);
  for (const p of posts) assert.deepEqual(p.metadata, { user_agent: '', page_url: '' });
});

test('SEEN on a post marks the messages up to it and moves the read marker', async (t) => {
  const { desk, talk, say, note } = await withPosts(t);
  const unread = async () => (await desk.staff.get(`/cases/${talk.id}`, { include: 'read_marker' })).must(200).data.read_marker.unread_count;
  const second = await say('And smokes', desk.customer);
  const noted = await note('Call him');
  const third = await say('And burns', desk.customer);
  assert.equal(await unread(), 3);
  assert.equal((await desk.staff.update(`/cases/posts/${noted}`, { post_status: 'seen' })).post_status, 'NOT_SENT');
  assert.equal(await unread(), 1);
  assert.equal((await desk.staff.fetch(`/cases/posts/${second}`)).post_status, 'SEEN');
  assert.equal((await desk.staff.fetch(`/cases/posts/${third}`)).post_status, 'DELIVERED');
  assert.equal((await desk.staff.update(`/cases/posts/${third}`, { post_status: 'SEEN' })).post_status, 'SEEN');
  assert.equal(await unread(), 0);
  (await desk.staff.put(`/cases/posts/${third}`, { post_status: 'SENT' })).refused(400, 'FIELD_INVALID', 'post_status');
  (await desk.staff.put(`/cases/posts/${third}`, {})).refused(400, 'FIELD_REQUIRED', 'post_status');
  (await desk.staff.put('/cases/posts/987654', { post_status: 'SEEN' })).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.admin.put(`/cases/${talk.id}/trash`)).must(200);
  (await desk.staff.put(`/cases/posts/${third}`, { post_status: 'SEEN' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  assert.equal((await desk.staff.get(`/cases/${talk.id}/posts`, { filters: 'MESSAGES' })).must(200).data.length, 3);
});

test('posts are for staff who see the conversation', async (t) => {
  const { desk, talk, note, path } = await withPosts(t);
  const noted = await note('canary');
  await desk.admin.update(`/cases/${talk.id}`, { assigned_agent_id: desk.people.admin.id });
  const self = (await desk.person('agent', { agent_case_access: 'SELF' })).client;
  const activity = (await desk.staff.get(path, { filters: 'ACTIVITIES' })).must(200).data[0].id;
  const places = [path, `/cases/posts/${noted}`, `/cases/posts/${activity}`, `/cases/${talk.id}/messages`, `/cases/${talk.id}/activities`, `/cases/${talk.id}/activities/${activity}`];
  for (const place of places) {
    (await desk.staff.get(place)).must(200);
    (await self.get(place)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.customer.get(place)).refused(403, 'PERMISSIONS_DENIED');
    (await desk.anyone.get(place)).refused(401, 'AUTHORIZATION_REQUIRED');
  }
  (await self.put(`/cases/posts/${noted}`, { post_status: 'SEEN' })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual((await self.get(`/users/${desk.people.agent.id}/posts`)).must(200).data, []);
});

test('the response time of a reply of staff counts from the requester\'s message directly before it', async (t) => {
  const desk = await open(t);
  const { id } = await desk.customer.create('/conversations', { subject: 'Lamp', contents: 'Dark' });
  const other = await desk.person('customer');
  const answer = (contents) => desk.staff.create(`/conversations/${id}/messages`, { contents });
  await desk.clock.forward(60);
  await desk.customer.create(`/conversations/${id}/messages`, { contents: 'Still dark' });
  await desk.clock.forward(90);
  await desk.staff.create(`/cases/${id}/notes`, { contents: 'A note is no message' });
  await answer('Turn it on');
  await desk.clock.forward(30);
  await answer('And off');
  const times = async () => (await desk.staff.fetch(`/cases/${id}/messages`)).map((m) => [m.body_text, m.response_time]);
  assert.deepEqual(await times(), [['And off', null], ['Turn it on', 90], ['Still dark', null], ['Dark', null]]);
  await desk.staff.update(`/cases/${id}`, { requester_id: other.id });
  await answer('To another person');
  assert.deepEqual((await times()).map(([, time]) => time), [null, null, 90, null, null], 'earlier times stay');
});

test('messages and activities of a conversation have lists of their own; posts of a person include notes', async (t) => {
  const { desk, talk, say, note } = await withPosts(t);
  const said = await say('Turn it off'), noted = await note('Call him');
  const messages = (await desk.staff.get(`/cases/${talk.id}/messages`)).must(200);
  assert.deepEqual(messages.data.map((m) => [m.id, m.resource_type, m.body_text, m.subject]).slice(0, 1), [[said, 'case_message', 'Turn it off', 'Engine']]);
  assert.deepEqual(Object.keys(messages.data[0]), `id uuid subject body_text body_html recipients fullname email creator identity mailbox attachments
    download_all location creation_mode locale response_time created_at updated_at resource_type resource_url`.split(/\s+/));
  assert.equal(messages.data[1].email, desk.people.customer.email);
  assert.equal(messages.body.resource, 'case_message');
  const activities = (await desk.staff.get(`/cases/${talk.id}/activities`)).must(200).data;
  assert.equal(activities.at(-1).activity, 'CASE_CREATED');
  assert.match(activities[0].resource_url, new RegExp(`/cases/${talk.id}/activities/${activities[0].id}$`));
  for (const who of [desk.staff, (await desk.person('agent', { agent_case_access: 'TEAMS' })).client]) {
    const own = (await who.get(`/users/${desk.people.agent.id}/posts`)).must(200);
    assert.deepEqual(own.data.map((p) => p.id), [noted, said]);
    assert.equal(own.body.total_count, 2);
  }
});

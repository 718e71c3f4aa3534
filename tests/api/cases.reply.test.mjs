// Replies of staff: a message or a note, and changes of the conversation, in one write.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { allowPrivate, connect, hook, hooked, open, raw, relay } from './lib/index.mjs';

async function withCase(t) {
  const desk = await open(t);
  const talk = await desk.customer.create('/conversations', { subject: 'Engine', contents: 'It stalls' });
  const path = `/cases/${talk.id}/reply`;
  const reply = async (body, who = desk.staff) => (await who.post(path, body)).must(201).data;
  const posts = async (filters = 'MESSAGES,NOTES') => (await desk.admin.get(`/cases/${talk.id}/posts`, { filters, limit: 100 })).must(200).data;
  return { desk, talk, path, reply, posts };
}

test('a reply answers its post and its conversation; the customer reads it', async (t) => {
  const { desk, talk, reply, posts } = await withCase(t);
  const made = await reply({ contents: 'Turn it off' });
  assert.deepEqual(made, { posts: [{ id: made.posts[0].id, resource_type: 'post' }], case: { id: talk.id, resource_type: 'case' }, undo_until: null, resource_type: 'case_reply' });
  const [post] = await posts();
  assert.deepEqual([post.id, post.contents, post.original.resource_type, post.source], [made.posts[0].id, 'Turn it off', 'case_message', 'AGENT']);
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).status.id, 2);
  assert.match((await desk.customer.get(`/conversations/${talk.id}/messages`)).must(200).text, /Turn it off/);
});

test('a reply takes source and metadata; a note has neither', async (t) => {
  const { desk, talk, reply, posts } = await withCase(t);
  const metadata = { user_agent: 'Lynx', page_url: 'https://desk.example/' };
  await reply({ contents: 'One', source: 'mobile', metadata });
  await reply({ contents: 'Two' });
  assert.deepEqual((await posts('MESSAGES')).slice(0, 2).map((p) => [p.contents, p.source, p.metadata]), [['Two', 'AGENT', { user_agent: '', page_url: '' }], ['One', 'MOBILE', metadata]]);
  const path = `/cases/${talk.id}/reply`;
  const noted = (await desk.staff.post(path, { contents: 'Three', channel: 'NOTE', source: 'MOBILE', metadata })).must(201);
  assert.match(noted.body.logs[0].message, /A note has no source and no metadata/);
  (await desk.staff.post(path, { contents: 'C', source: 'MAIL' })).refused(400, 'FIELD_INVALID', 'source');
  (await desk.staff.post(path, { contents: 'C', metadata: 'x' })).refused(400, 'FIELD_INVALID', 'metadata');
});

test('a trigger on a channel follows the source of a reply', async (t) => {
  const { desk, talk, reply } = await withCase(t);
  const trigger = { title: 'Messenger', channel: 'MESSENGER', predicate_collections: [{ propositions: [{ field: 'cases.subject', operator: 'string_contains_insensitive', value: 'Engine' }] }], actions: [{ name: 'tags', option: 'ADD', value: 'chat' }] };
  (await desk.admin.post('/triggers', trigger)).must(201);
  const tags = async () => (await desk.staff.fetch(`/cases/${talk.id}/tags`)).map(({ name }) => name);
  await reply({ contents: 'One' });
  assert.deepEqual(await tags(), []);
  await reply({ contents: 'Two', source: 'MESSENGER' });
  assert.deepEqual(await tags(), ['chat']);
});

test('channel NOTE writes a note, which the customer does not read', async (t) => {
  const { desk, talk, reply, posts } = await withCase(t);
  await reply({ contents: 'canary', channel: 'note' }, desk.as('collaborator'));
  const [post] = await posts();
  assert.deepEqual([post.contents, post.original.resource_type, post.post_status], ['canary', 'note', 'NOT_SENT']);
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).status.id, 1, 'a note opens nothing');
  assert.doesNotMatch((await desk.customer.get(`/conversations/${talk.id}/messages`)).must(200).text, /canary/);
});

test('the status of the request wins over the one that follows from the reply', async (t) => {
  const { desk, talk, reply } = await withCase(t);
  await reply({ contents: 'Done', status_id: 4, priority_id: 3, assigned_agent_id: desk.people.agent.id, tags: 'engine' });
  const now = await desk.staff.fetch(`/cases/${talk.id}`, { fields: '+tags' });
  assert.deepEqual([now.status.id, now.priority.id, now.assigned_agent.id, now.tags.length], [4, 3, desk.people.agent.id, 1]);
});

test('a reply needs text or a file, and a note needs text even if it has a file', async (t) => {
  const { desk, talk } = await withCase(t);
  const path = `/cases/${talk.id}/reply`;
  const upload = async () => (await desk.staff.post('/files', raw('text/plain', Buffer.from('abc')), { query: { _filename: 'log.txt' } })).must(201).data.id;
  for (const body of [{}, { contents: '' }, { contents: null }, { channel_options: { html: true } }]) {
    const { posts: [{ id }] } = (await desk.staff.post(path, { ...body, attachment_file_ids: [await upload()], status_id: 3 })).must(201).data;
    const [message] = await desk.staff.fetch(`/cases/${talk.id}/messages`, { include: 'attachment' });
    assert.deepEqual([message.id, message.body_text, message.body_html, message.attachments.map((a) => a.name)], [id, '', '', ['log.txt']]);
  }
  const file = await upload(), before = await desk.staff.fetch(`/cases/${talk.id}/posts`);
  for (const channel of [undefined, 'NOTE']) {
    const files = channel ? { attachment_file_ids: [file] } : {};
    (await desk.staff.post(path, { channel, ...files })).refused(400, 'FIELD_REQUIRED', 'contents');
    (await desk.staff.post(path, { channel, ...files, contents: null })).refused(400, 'FIELD_REQUIRED', 'contents');
    (await desk.staff.post(path, { channel, ...files, contents: '' })).refused(400, 'FIELD_EMPTY', 'contents');
  }
  const both = (await desk.staff.post(path, { status_id: 987654 })).must(400);
  assert.deepEqual(both.body.errors.map((e) => e.parameter).sort(), ['contents', 'status_id']);
  assert.deepEqual(await desk.staff.fetch(`/cases/${talk.id}/posts`), before);
});

test('HTML of a reply is cleaned', async (t) => {
  const { desk, reply } = await withCase(t);
  const { posts: [{ id }] } = await reply({ contents: '<b onclick="x()">Off</b><script>x()</script>', channel_options: { html: true } });
  const { original } = (await desk.staff.get(`/cases/posts/${id}`, { include: 'case_message' })).must(200).data;
  assert.deepEqual([original.body_html, original.body_text.trim()], ['<b>Off</b>', 'Off']);
});

test('contents are HTML if html is true, in each spelling of a body, and plain text otherwise', async (t) => {
  const { desk, reply } = await withCase(t);
  const textOf = async (html) => {
    const { posts: [{ id }] } = await reply({ contents: '<b>Off</b>', channel_options: { html } });
    return (await desk.staff.fetch(`/cases/posts/${id}`, { include: 'case_message' })).original.body_text.trim();
  };
  for (const html of [true, 'true', 'TRUE', '1', 1]) assert.equal(await textOf(html), 'Off', JSON.stringify(html));
  for (const html of [false, 'false', '0', 0, null, '']) assert.equal(await textOf(html), '<b>Off</b>', JSON.stringify(html));
});

test('a reply that is sent again with its client_id changes nothing', async (t) => {
  const { desk, talk, reply, posts } = await withCase(t);
  for (const channel of ['HELPCENTER', 'NOTE']) {
    const body = { contents: 'Once', channel, client_id: `c-${channel}`, priority_id: 2 };
    const first = await reply(body);
    await desk.admin.update(`/cases/${talk.id}`, { priority_id: 4 });
    assert.deepEqual(await reply(body), first);
    assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).priority.id, 4);
  }
  assert.equal((await posts()).length, 3);
});

test('a reply that others have overtaken is refused with their posts, and stores nothing', async (t) => {
  const { desk, talk, path, reply, posts } = await withCase(t);
  const [{ id: seen }] = await posts();
  await reply({ contents: 'My own', last_seen_post_id: seen });
  const note = (await reply({ contents: 'Wait', channel: 'NOTE' }, desk.admin)).posts[0].id;
  const refused = await desk.staff.post(path, { contents: 'Late', last_seen_post_id: seen, priority_id: 4 });
  refused.refused(409, 'POST_OVERTAKEN');
  assert.deepEqual(refused.body.posts.map((p) => [p.id, p.contents, p.resource_type]), [[note, 'Wait', 'post']]);
  assert.equal((await posts()).length, 3);
  assert.equal((await desk.staff.fetch(`/cases/${talk.id}`)).priority, null);
  const camel = await desk.staff.post(`${path}?_case=camel`, { contents: 'Late', lastSeenPostId: seen });
  assert.deepEqual(camel.body.posts.map((p) => [p.id, p.resourceType]), [[note, 'post']]);
  await reply({ contents: 'Late', last_seen_post_id: note });
});

test('the HTML of a reply or a note is kept as it was given, and replaced or deleted with the note', async (t) => {
  const { desk, talk, reply } = await withCase(t);
  const originals = () => desk.sql('SELECT html FROM post_originals ORDER BY post_id').trim().split('\n').filter(Boolean);
  const one = '<p onclick="a()">One</p>', two = '<p class="x">Two</p>', three = '<p id="y">Three</p>';
  await reply({ contents: 'Plain' });
  const sent = (await reply({ contents: one, channel_options: { html: true } })).posts[0];
  const note = (await reply({ contents: two, channel: 'NOTE', channel_options: { html: true } })).posts[0];
  assert.deepEqual(originals(), [one, two]);
  assert.doesNotMatch(JSON.stringify((await desk.owner.get(`/cases/${talk.id}/posts`)).must(200).body), /onclick|class/, sent);
  await desk.staff.update(`/cases/${talk.id}/notes/${note.id}`, { contents: three, is_html: true });
  assert.deepEqual(originals(), [one, three]);
  await desk.staff.update(`/cases/${talk.id}/notes/${note.id}`, { contents: 'Plain' });
  assert.deepEqual(originals(), [one]);
});

/** CPU time of the ended children of a process, in ticks. */
const children = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ').slice(13, 15).reduce((sum, n) => sum + Number(n), 0);

test('HTML that is too long is refused before a process cleans it', async (t) => {
  const { desk, talk, path } = await withCase(t);
  const long = `<p>${'x'.repeat(512 * 1024)}</p>`, { child } = desk;
  const before = children(child.pid);
  for (const [to, body] of [[path, { contents: long, channel_options: { html: true } }], [`/cases/${talk.id}/notes`, { contents: long, is_html: true }]]) {
    for (let i = 0; i < 5; i++) (await desk.staff.post(to, body)).refused(400, 'FIELD_INVALID', 'contents');
  }
  assert.equal(children(child.pid), before);
});

test('one of several concurrent replies that have seen the same post is stored', async (t) => {
  const { desk, path, posts } = await withCase(t);
  const [{ id: seen }] = await posts();
  const people = [desk.staff, desk.admin, desk.owner, desk.as('collaborator')];
  for (let round = 0; round < 3; round++) {
    const last = (await posts())[0].id;
    const replies = await Promise.all(people.map((who, i) => who.post(path, { contents: `Reply ${i}`, channel: i % 2 ? 'NOTE' : 'HELPCENTER', last_seen_post_id: last })));
    assert.deepEqual(replies.map((r) => r.status).sort(), [201, 409, 409, 409]);
  }
  assert.equal((await posts()).length, 4);
  assert.ok(seen);
});

test('permissions: public replies, properties and closing', async (t) => {
  const { desk, talk, path, reply } = await withCase(t);
  (await desk.as('collaborator').post(path, { contents: 'x', status_id: 4 })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.staff.post(path, { contents: 'x', status_id: 5 })).refused(403, 'PERMISSIONS_DENIED', 'status_id');
  (await desk.customer.post(path, { contents: 'x' })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.anyone.post(path, { contents: 'x' })).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.staff.post('/cases/987654/reply', { contents: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
  await desk.owner.put('/roles/2/permissions', { 'cases.public_reply': false });
  (await desk.staff.post(path, { contents: 'x' })).refused(403, 'PERMISSIONS_DENIED');
  await reply({ contents: 'x', channel: 'NOTE' });
  await reply({ contents: 'Closing', status_id: 5 }, desk.admin);
  (await desk.admin.post(path, { contents: 'x' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  (await desk.admin.post(path, { contents: 'x', channel: 'NOTE', priority_id: 1 })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
  await reply({ contents: 'x', channel: 'NOTE' }, desk.admin);
  (await desk.admin.put(`/cases/${talk.id}/trash`)).must(200);
  (await desk.admin.post(path, { contents: 'x', channel: 'NOTE' })).refused(400, 'RESOURCE_ACTION_NOT_AVAILABLE');
});

test('a reply names everything that is wrong with it', async (t) => {
  const { desk, talk, path, posts } = await withCase(t);
  const wrong = await desk.staff.post(path, { channel: 'SMOKE', last_seen_post_id: 'x', status_id: 99, assigned_agent_id: desk.people.customer.id });
  assert.deepEqual([wrong.status, wrong.body.errors.map((e) => e.parameter).sort()], [400, ['assigned_agent_id', 'channel', 'contents', 'last_seen_post_id', 'status_id']]);
  (await desk.staff.post(path, { contents: 'x', in_reply_to_uuid: 'nobody' })).refused(400, 'FIELD_INVALID', 'in_reply_to_uuid');
  (await desk.staff.post(path, { contents: 'x', in_reply_to_uuid: (await posts())[0].uuid })).must(201);
  assert.ok(talk.id);
});

test('a collaborator who may not answer in public: neither refused replies nor notes reach the customer, by no way', async (t) => {
  const { desk, talk, path } = await withCase(t);
  const to = await relay(t), server = await hook(t);
  await connect(desk, to);
  await allowPrivate(desk);
  const endpoint = await hooked(desk, server.url);
  const act = (name, value, attributes) => ({ name, option: 'SEND', value, ...(attributes && { attributes }) });
  await desk.admin.create('/triggers', { title: 'Tell', channel: 'API', actions: [act(`endpoint_${endpoint.id}`, ''), act('notificationuser', -3, { subject: '{{case.subject}}', message: 'News of {{case.id}}' })] });
  (await desk.owner.put('/roles/3/permissions', { 'cases.public_reply': false })).must(200);
  const collaborator = desk.as('collaborator');
  const upload = async () => (await collaborator.post('/files', raw('text/plain', Buffer.from('canary file')), { query: { _filename: 'canary.txt' } })).must(201).data.id;
  for (const channel of [undefined, 'MAIL', 'HELPCENTER', 'MESSENGER']) (await collaborator.post(path, { contents: 'canary reply', channel })).refused(403, 'PERMISSIONS_DENIED');
  (await collaborator.post(`/conversations/${talk.id}/messages`, { contents: 'canary message' })).refused(403, 'PERMISSIONS_DENIED');
  (await collaborator.post(path, { contents: 'canary note', channel: 'NOTE', attachment_file_ids: [await upload()] })).must(201);
  (await collaborator.post(`/cases/${talk.id}/notes`, { contents: 'canary pinned', is_pinned: true })).must(201);
  const { post: { id } } = (await collaborator.post(`/cases/${talk.id}/notes`, { contents: 'canary first' })).must(201).data;
  (await collaborator.put(`/cases/${talk.id}/notes/${id}`, { contents: 'canary edited' })).must(200);
  (await desk.staff.post(path, { contents: 'public answer', channel: 'MAIL' })).must(201);

  const posts = (await desk.owner.get(`/cases/${talk.id}/posts`, { limit: 100 })).must(200);
  assert.doesNotMatch(posts.text, /canary (reply|message)/, 'refused replies are stored nowhere');
  const notes = posts.data.filter((post) => /canary/.test(post.contents));
  assert.equal(notes.length, 3);
  const attached = (await desk.owner.get(`/cases/${talk.id}/notes`, { include: 'attachment' })).must(200).text.match(/"url_download":"([^"]+)"/)[1];

  const seen = ['/conversations?include=*', `/conversations/${talk.id}?include=*`, `/conversations/${talk.id}/messages?include=*`, '/me?include=*', '/notification_preferences', '/search?query=canary',
    '/autocomplete/tags?name=canary', '/changes', ...['notes', 'posts', 'activities', 'messages'].map((list) => `/cases/${talk.id}/${list}`), ...notes.map((post) => `/cases/posts/${post.id}`),
    ...notes.map((post) => `/conversations/${talk.id}/messages/${post.id}`), attached.slice(`${desk.base}/api/v1`.length)];
  const statuses = [];
  for (const where of seen) {
    const reply = await desk.customer.exchange('GET', `/api/v1${where}`);
    statuses.push(reply.status);
    assert.doesNotMatch(reply.text.replaceAll(where, '').replaceAll('query=canary', ''), /canary/, where);
  }
  assert.deepEqual([...new Set(statuses)].sort(), [200, 403, 404]);

  await to.find(desk.people.customer.email, /^Re: Engine$/);
  await to.find(desk.people.customer.email, /^Engine$/);
  await server.received(3);
  for (const mail of to.mails.filter((m) => m.to.includes(desk.people.customer.email))) assert.doesNotMatch(mail.raw + mail.text + mail.html, /canary/);
  for (const request of server.requests) assert.doesNotMatch(request.text, /canary/);
  assert.equal(desk.sql("SELECT COUNT(*) FROM endpoint_deliveries WHERE body LIKE '%canary%'").trim(), '0');
});

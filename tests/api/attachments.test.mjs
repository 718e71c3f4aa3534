import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { File, HOUR, asked, clean, multipart, open, storedContents, uploaded } from './lib/index.mjs';

// Files on messages and notes: who may attach which, who reads them, how they are shown and sent.

const OCTETS = 'application/octet-stream';
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const text = (name, data = randomBytes(64)) => new File(name, 'text/plain', data);
const newest = async (who, id) => (await who.get(`/conversations/${id}/messages`, { limit: 1 })).must(200).data[0];
const at = (desk, url) => url.slice(desk.base.length);
const fetchOf = (desk, who, url, options) => who.exchange('GET', at(desk, url), options);

/** [name, content] of the entries of a ZIP that stores them as they are, in their order. */
function unzip(bytes) {
  const entries = [];
  for (let at = bytes.readUInt32LE(bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1') + 16); bytes.readUInt32LE(at) === 0x02014b50;) {
    assert.equal(bytes.readUInt16LE(at + 10), 0, 'stored');
    const [size, named, more, comment, local] = [bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32), bytes.readUInt32LE(at + 42)];
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    entries.push([bytes.toString('utf8', at + 46, at + 46 + named), bytes.subarray(begin, begin + size)]);
    at += 46 + named + more + comment;
  }
  return entries;
}

test('parts under any name are attached to a message, and shown with what is known of them', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  for (const name of ['files', 'files[]', 'files[0]', 'attachments', 'upload_1']) {
    const data = randomBytes(100);
    const reply = (await desk.customer.post(`/conversations/${id}/messages`, multipart({ contents: 'see', [name]: new File('a.pdf', 'application/pdf', data) }))).must(201);
    assert.ok(!('logs' in reply.body), reply.text);
    const [{ id: own, created_at, ...rest }, ...others] = reply.data.attachments;
    const place = `${desk.base}/api/v1/conversations/${id}/messages/${reply.data.id}/attachments/${own}`;
    assert.equal(others.length, 0);
    assert.match(created_at, /^20/);
    assert.deepEqual(rest, {
      name: 'a.pdf', size: 100, width: 0, height: 0, type: 'application/pdf', content_id: null, alt: null, url: `${place}/url`, url_download: `${place}/download`, thumbnails: [],
      resource_type: 'attachment', resource_url: place,
    });
    assert.equal(reply.data.download_all, null);
    const sent = (await fetchOf(desk, desk.staff, rest.url_download)).must(200);
    assert.deepEqual([sent.bytes, sent.headers['content-disposition'], sent.headers['x-content-type-options']], [data, 'attachment; filename="a.pdf"', 'nosniff']);
    assert.match(sent.headers['content-security-policy'], /sandbox/);
    assert.deepEqual((await desk.customer.get(at(desk, place).slice('/api/v1'.length))).must(200).data, reply.data.attachments[0]);
  }
  clean(desk);
});

test('several files keep their order, uploads by id come first, and download_all leads to a ZIP of all', async (t) => {
  const desk = await open(t);
  const secondData = randomBytes(50);
  const [first, second] = [await uploaded(desk.customer, { data: PNG, name: 'b.png', type: 'image/png' }), await uploaded(desk.customer, { data: secondData, name: 'a.txt', type: OCTETS })];
  const [x, y] = [randomBytes(3000), randomBytes(4000)];
  const body = multipart({ subject: 'S', contents: '', 'attachment_file_ids': `${second.id},${first.id}`, 'files[1]': new File('x', OCTETS, x), 'files[0]': new File('x', OCTETS, y) });
  const { data: { id } } = (await desk.customer.post('/conversations', body)).must(201);
  const message = await newest(desk.customer, id);
  assert.deepEqual(message.attachments.map((a) => [a.name, a.width, a.height]), [['a.txt', 0, 0], ['b.png', 1, 1], ['x', 0, 0], ['x', 0, 0]]);
  assert.equal(message.content_text, '');
  assert.equal(message.download_all, `${desk.base}/api/v1/conversations/${id}/messages/${message.id}/attachments/download/all`);
  const zip = (await fetchOf(desk, desk.staff, message.download_all)).must(200);
  assert.deepEqual([zip.headers['content-type'], zip.headers['content-disposition'], zip.headers['x-content-type-options']], ['application/zip', `attachment; filename="attachments-${message.id}.zip"`, 'nosniff']);
  assert.deepEqual(unzip(zip.bytes), [['a.txt', secondData], ['b.png', PNG], ['x', x], ['x (2)', y]]);
  for (const path of [first, second]) assert.equal((await desk.customer.fetch(`/files/${path.id}`)).expiry_at, null);
  assert.deepEqual((await desk.staff.fetch(`/cases/posts/${message.id}`)).attachments, message.attachments);
  for (const [who, path] of [[desk.customer, `/conversations/${id}/messages`], [desk.staff, `/cases/${id}/messages`], [desk.staff, `/cases/${id}/posts`]]) {
    const { data: flat, resources } = (await who.get(path, { _flat: true })).must(200).body;
    assert.deepEqual(flat[0].attachments, message.attachments.map((a) => ({ id: a.id, resource_type: 'attachment' })), `${path}: references`);
    assert.equal(flat[0].download_all, message.download_all);
    assert.deepEqual(Object.values(resources.attachment), message.attachments, `${path}: each once`);
    const some = (await who.get(path, { _flat: true, include: 'user' })).must(200).body;
    assert.deepEqual([some.data[0].attachments, 'attachment' in some.resources], [flat[0].attachments, false]);
  }
  const head = await desk.staff.exchange('HEAD', at(desk, message.download_all));
  assert.deepEqual([head.status, head.bytes.length], [200, 0]);
  clean(desk);
});

test('a message needs a text or a file', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const path = `/conversations/${id}/messages`;
  const { id: file } = await uploaded(desk.staff);
  (await desk.staff.post(path, {})).refused(400, 'FIELD_REQUIRED', 'contents');
  (await desk.staff.post(path, { contents: null })).refused(400, 'FIELD_REQUIRED', 'contents');
  (await desk.staff.post(path, { contents: ' ', attachment_file_ids: [] })).refused(400, 'FIELD_EMPTY', 'contents');
  assert.equal((await desk.staff.post(path, { attachment_file_ids: [file] })).must(201).data.content_text, '');
  assert.equal((await desk.staff.post(path, { contents: '', attachment_file_ids: [file] })).must(201).data.attachments.length, 1, 'a file may be on several messages');
  assert.equal((await desk.staff.post(path, multipart({ file: text('t') }))).must(201).data.content_text, '');
});

test('a file that can not be attached is refused, and nothing is stored', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const path = `/conversations/${id}/messages`;
  const [mine, theirs, old] = [await uploaded(desk.customer), await uploaded(desk.admin), await uploaded(desk.customer)];
  await desk.clock.forward(12 * HOUR);
  const fresh = await uploaded(desk.customer);
  const before = storedContents(desk).length;
  for (const bad of [theirs.id, old.id, mine.id, 999999]) {
    (await desk.customer.post(path, { contents: 'x', attachment_file_ids: [fresh.id, bad] })).refused(400, 'FIELD_INVALID', 'attachment_file_ids/1');
    (await desk.customer.post('/conversations', { subject: 'S', contents: 'x', attachment_file_ids: [bad] })).refused(400, 'FIELD_INVALID', 'attachment_file_ids/0');
  }
  for (const bad of ['x', 0, -1, '1.5']) (await desk.customer.post(path, { contents: 'x', attachment_file_ids: [bad] })).refused(400, 'FIELD_INVALID', 'attachment_file_ids/0');
  (await desk.customer.post(path, { contents: 'x', attachment_file_ids: [fresh.id, fresh.id] })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await desk.customer.post(path, multipart({ contents: 'x', good: text('ok'), f: text('a'.repeat(10000)) }))).refused(400, 'FIELD_INVALID', 'f');
  (await desk.customer.post(path, multipart({ contents: 'x', f: text('a\u0001b') }))).refused(400, 'BODY_INVALID');
  (await desk.customer.post(path, multipart({ contents: 'x', f: new File('big', OCTETS, Buffer.alloc(21 << 20)) }))).refused(413, 'PAYLOAD_TOO_LARGE');
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, text(`${i}`)]));
  (await desk.customer.post(path, multipart({ contents: 'x', ...many }))).refused(400, 'FIELD_INVALID', 'attachment_file_ids');
  (await desk.customer.post('/conversations/999999/messages', multipart({ contents: 'x', f: text('x') }))).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await desk.customer.get(path)).must(200).body.total_count, 1);
  assert.equal(storedContents(desk).length, before);
  clean(desk);
});

test('a repeated client_id answers the message that is there, without attaching again', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const send = async () => (await desk.customer.post(`/conversations/${id}/messages`, multipart({ contents: 'x', client_id: 'c-1', f: text('f', Buffer.from('same')) }))).must(201).data;
  const first = await send();
  assert.deepEqual(await send(), first);
  assert.equal(first.attachments.length, 1);
  assert.deepEqual((await desk.customer.post(`/conversations/${id}/messages`, { contents: 'x', client_id: 'c-1' })).must(201).data, first, 'also if the file is missing now');
  clean(desk);
});

test('callers who see the message read its files; others do not; the upload stays its uploader\'s', async (t) => {
  const desk = await open(t);
  const file = await uploaded(desk.customer, { data: Buffer.from('secret'), name: 's.txt' });
  const { id } = await asked(desk.customer, { attachment_file_ids: [file.id, (await uploaded(desk.customer)).id] });
  const other = await desk.person('customer');
  const self = await desk.person('agent', { agent_case_access: 'SELF' });
  const message = await newest(desk.customer, id);
  const [attachment] = message.attachments;
  const ways = [attachment.resource_url, attachment.url, attachment.url_download, message.download_all];
  for (const way of ways) {
    for (const who of [desk.customer, desk.staff, desk.owner]) (await fetchOf(desk, who, way)).must(200);
    for (const who of [other.client, self.client]) (await fetchOf(desk, who, way)).refused(404, 'RESOURCE_NOT_FOUND');
    (await fetchOf(desk, desk.anyone, way)).refused(401, 'AUTHORIZATION_REQUIRED');
  }
  (await desk.staff.get(`/files/${file.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.customer.get(`/files/${file.id}`)).must(200);
  const second = await asked(desk.customer);
  for (const way of ways) {
    (await fetchOf(desk, desk.customer, way.replace(`/conversations/${id}/`, `/conversations/${second.id}/`))).refused(404, 'RESOURCE_NOT_FOUND');
    (await fetchOf(desk, desk.customer, way.replace(/messages\/\d+/, 'messages/999999'))).refused(404, 'RESOURCE_NOT_FOUND');
  }
});

test('a caller with a fingerprint attaches files, and reads them', async (t) => {
  const desk = await open(t);
  const who = desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() });
  const other = desk.anyone.with({ 'X-Fingerprint-ID': randomUUID() });
  const { id: file } = await uploaded(who, { data: Buffer.from('by id') });
  const { data: { id } } = (await who.post('/conversations', multipart({ name: 'N', email: 'n@example.net', subject: 'S', attachment_file_ids: String(file), f: text('p', Buffer.from('by part')) }))).must(201);
  const message = await newest(who, id);
  assert.deepEqual(await Promise.all(message.attachments.map(async (a) => (await fetchOf(desk, who, a.url_download)).must(200).text)), ['by id', 'by part']);
  for (const a of message.attachments) (await fetchOf(desk, other, a.url_download)).refused(404, 'RESOURCE_NOT_FOUND');
  (await other.post('/conversations', { name: 'N', email: 'n@example.net', subject: 'S', attachment_file_ids: [file] })).refused(400, 'FIELD_INVALID', 'attachment_file_ids/0');
  assert.equal((await who.post(`/conversations/${id}/messages`, multipart({ x: text('more') }))).must(201).data.attachments.length, 1);
  (await desk.anyone.post('/conversations', multipart({ name: 'N', email: 'm@example.net', subject: 'S', f: text('p') }))).must(201);
  clean(desk);
});

test('files of notes are for staff, and go with the note', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const organization = await desk.owner.create('/organizations', { name: 'O' });
  for (const owner of [`cases/${id}`, `users/${desk.people.customer.id}`, `organizations/${organization.id}`]) {
    const files = [await uploaded(desk.staff, { data: Buffer.from('noted'), name: 'n.txt' }), await uploaded(desk.staff)];
    const made = (await desk.staff.post(`/${owner}/notes`, { contents: 'N', attachment_file_ids: files.map((f) => f.id) })).must(201).data;
    const note = await desk.staff.fetch(`/${owner}/notes/${made.post?.id ?? made.id}`);
    assert.deepEqual(note.attachments.map((a) => a.name), ['n.txt', 'f.txt'], owner);
    assert.equal((await fetchOf(desk, desk.admin, note.attachments[0].url_download)).must(200).text, 'noted');
    for (const way of [note.attachments[0].resource_url, note.attachments[0].url, note.attachments[0].url_download, note.download_all]) {
      (await fetchOf(desk, desk.admin, way)).must(200);
      (await fetchOf(desk, desk.customer, way)).refused(403, 'PERMISSIONS_DENIED');
    }
    (await desk.customer.get(`/conversations/${id}/messages/${note.id}/attachments/${note.attachments[0].id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.get(`/conversations/${id}/messages/${note.id}/attachments/${note.attachments[0].id}`)).refused(404, 'RESOURCE_NOT_FOUND');
    (await desk.staff.delete(`/${owner}/notes/${note.id}`)).must(200);
    (await fetchOf(desk, desk.admin, note.attachments[0].url)).refused(404, 'RESOURCE_NOT_FOUND');
    assert.notEqual((await desk.staff.fetch(`/files/${files[0].id}`)).expiry_at, null);
  }
  const kept = await uploaded(desk.staff);
  const shared = await uploaded(desk.staff);
  await desk.staff.post(`/organizations/${organization.id}/notes`, { contents: 'N', attachment_file_ids: [kept.id, shared.id] });
  await desk.staff.post(`/users/${desk.people.customer.id}/notes`, { contents: 'N', attachment_file_ids: [shared.id] });
  (await desk.owner.delete(`/organizations/${organization.id}`)).must(200);
  assert.notEqual((await desk.staff.fetch(`/files/${kept.id}`)).expiry_at, null);
  assert.equal((await desk.staff.fetch(`/files/${shared.id}`)).expiry_at, null, 'another note keeps it');
  clean(desk);
});

test('the view of a raster image is inline, of anything else a download; ranges are served', async (t) => {
  const desk = await open(t);
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
  const { id } = await asked(desk.customer);
  const body = multipart({ a: new File('p.png', 'image/png', PNG), b: new File('p.svg', 'image/svg+xml', svg), c: new File('p.html', 'text/html', Buffer.from('<script>')) });
  const { attachments } = (await desk.customer.post(`/conversations/${id}/messages`, body)).must(201).data;
  const shown = await Promise.all(attachments.map(async (a) => (await fetchOf(desk, desk.staff, a.url)).must(200).headers['content-disposition'].split(';')[0]));
  assert.deepEqual(shown, ['inline', 'attachment', 'attachment']);
  assert.match((await fetchOf(desk, desk.staff, attachments[0].url_download)).headers['content-disposition'], /^attachment/);
  const part = await fetchOf(desk, desk.staff, attachments[1].url, { headers: { Range: 'bytes=1-3' } });
  assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, 'svg', `bytes 1-3/${svg.length}`]);
  const tag = (await fetchOf(desk, desk.staff, attachments[1].url)).headers.etag;
  assert.equal(tag, `"${createHash('sha256').update(svg).digest('hex').slice(0, 32)}"`);
  assert.equal((await fetchOf(desk, desk.staff, attachments[1].url, { headers: { 'If-None-Match': tag } })).status, 304);
});

test('a file name turns no text around, in JSON and in headers', async (t) => {
  const desk = await open(t);
  const turning = '\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
  const { id } = await asked(desk.customer);
  const reply = (await desk.customer.post(`/conversations/${id}/messages`, multipart({ f: text(`fun\u202egpj.exe`), g: text(turning), h: text(`../../x${turning}é.txt`) }))).must(201);
  assert.deepEqual(reply.data.attachments.map((a) => a.name), ['fungpj.exe', 'file', 'xé.txt']);
  const { headers } = (await fetchOf(desk, desk.staff, reply.data.attachments[2].url_download)).must(200);
  assert.equal(headers['content-disposition'], 'attachment; filename="x_.txt"; filename*=UTF-8\'\'x%C3%A9.txt');
  assert.equal((await uploaded(desk.customer, { data: randomBytes(9), name: `a${turning}.txt` })).name, 'a.txt');
});

/** Ways to attach a file, each as [name, sends a body, returns the attachments of the made object]. */
async function ways(desk) {
  const { staff, owner, people: { customer } } = desk;
  const talk = await asked(desk.customer), organization = await owner.create('/organizations', { name: 'O' });
  const section = await owner.create('/sections', { titles: 'Section', category_id: 1 });
  const post = async ({ data }) => (await staff.fetch(`/cases/posts/${data.posts?.[0].id ?? data.post.id}`)).attachments;
  const shown = ({ data }) => data.attachments;
  const first = async ({ data }) => (await newest(desk.customer, data.id)).attachments;
  const way = (name, who, path, fields, read) => ({ name, path, read, send: (more, options) => who.post(path, multipart({ ...fields, ...more }), options) });
  return [
    way('a message', desk.customer, `/conversations/${talk.id}/messages`, { contents: 'M' }, shown),
    way('a conversation', desk.customer, '/conversations', { subject: 'S', contents: 'C' }, first),
    way('a case', staff, '/cases', { subject: 'S', contents: 'C', requester_id: `${customer.id}` }, first),
    way('a reply', staff, `/cases/${talk.id}/reply`, { contents: 'R' }, post),
    way('a reply in HTML by mail', staff, `/cases/${talk.id}/reply`, { contents: '<b>R</b>', channel: 'MAIL', channel_options: '{"html":true}' }, post),
    way('a note by reply', staff, `/cases/${talk.id}/reply`, { contents: 'N', channel: 'NOTE' }, post),
    way('a note', staff, `/cases/${talk.id}/notes`, { contents: 'N' }, post),
    way('a note in HTML', staff, `/cases/${talk.id}/notes`, { contents: '<b>N</b>', is_html: '1' }, post),
    way('a note on a person', staff, `/users/${customer.id}/notes`, { contents: 'N' }, shown),
    way('a note on an organization', staff, `/organizations/${organization.id}/notes`, { contents: 'N' }, shown),
    way('an article', owner, '/articles', { titles: 'T', contents: 'C', section_id: `${section.id}` }, shown),
  ];
}

test('file parts are attached wherever files can be attached, under any name, with files by id, and if they are empty', async (t) => {
  const desk = await open(t);
  for (const { name, path, send, read } of await ways(desk)) {
    const own = await uploaded(path.startsWith('/articles') ? desk.owner : path.startsWith('/conversations') ? desk.customer : desk.staff);
    for (const part of ['files', 'files[]', 'attachments[0]', 'photo', '']) {
      const data = randomBytes(100);
      const reply = (await send({ attachment_file_ids: `${own.id}`, [part || ' ']: text('a.txt', data) })).must(201);
      assert.ok(!('logs' in reply.body), `${name}, ${part}: ${reply.text}`);
      const attachments = await read(reply);
      assert.deepEqual(attachments.map((a) => [a.name, a.size]), [['f.txt', 100], ['a.txt', 100]], `${name}, ${part}`);
      assert.deepEqual((await fetchOf(desk, desk.owner, attachments[1].url_download)).must(200).bytes, data, name);
    }
    const [empty] = await read((await send({ f: text('empty.txt', Buffer.alloc(0)) })).must(201));
    const sent = (await fetchOf(desk, desk.owner, empty.url_download)).must(200);
    assert.deepEqual([empty.size, sent.bytes.length, sent.headers['content-length']], [0, 0, '0'], name);
  }
  const talk = await asked(desk.customer);
  const { download_all } = await desk.customer.create(`/conversations/${talk.id}/messages`, multipart({ a: text('a', Buffer.alloc(0)), b: text('b', PNG), c: text('c', Buffer.alloc(0)) }));
  assert.deepEqual(unzip((await fetchOf(desk, desk.staff, download_all)).must(200).bytes).map(([name, data]) => [name, data.length]), [['a', 0], ['b', PNG.length], ['c', 0]]);
  clean(desk);
});

test('a refused file part is named and never called ignored, and nothing is stored', async (t) => {
  const desk = await open(t);
  const all = await ways(desk), before = storedContents(desk).length;
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, text(`${i}`, Buffer.from(`${i}`))]));
  for (const { name, send } of all) {
    const refused = (await send({ 'files[]': text('x'.repeat(300)) })).refused(400, 'FIELD_INVALID', 'files[]');
    assert.ok(!/ignored/.test(refused.text), `${name}: ${refused.text}`);
    (await send(many)).refused(400, 'FIELD_INVALID', 'attachment_file_ids');
    (await send({ f: new File('big', OCTETS, Buffer.alloc(21 << 20)) })).refused(413, 'PAYLOAD_TOO_LARGE');
  }
  const known = new Set(storedContents(desk));
  assert.equal(known.size, before);
  clean(desk);
});

test('a reply needs a text or a file part, a note a text', async (t) => {
  const desk = await open(t);
  const talk = await asked(desk.customer), part = { f: text('a.txt') };
  (await desk.staff.post(`/cases/${talk.id}/reply`, multipart(part))).must(201);
  (await desk.staff.post(`/cases/${talk.id}/reply`, multipart({ ...part, channel: 'NOTE' }))).refused(400, 'FIELD_REQUIRED', 'contents');
  (await desk.staff.post(`/cases/${talk.id}/notes`, multipart(part))).refused(400, 'FIELD_REQUIRED', 'contents');
});

test('a reply with a file part and a known client_id answers the reply that is there', async (t) => {
  const desk = await open(t);
  const talk = await asked(desk.customer);
  const send = () => desk.staff.create(`/cases/${talk.id}/reply`, multipart({ contents: 'R', client_id: 'c-1', f: text('a.txt', Buffer.from('same')) }));
  const [first, again] = [await send(), await send()];
  assert.equal(again.posts[0].id, first.posts[0].id);
  assert.equal((await desk.staff.fetch(`/cases/posts/${first.posts[0].id}`)).attachments.length, 1);
  clean(desk);
});

test('every operation that takes attachment_file_ids takes file parts', async (t) => {
  const desk = await open(t);
  const { paths, components } = (await desk.anyone.exchange('GET', '/openapi.json')).must(200).body;
  const takes = (name) => components.schemas[name].properties?.attachment_file_ids;
  const found = Object.entries(paths).flatMap(([path, item]) => Object.entries(item).map(([method, { requestBody }]) => [`${method} ${path}`, requestBody?.content]))
    .filter(([name]) => !/^put [/]cases[/]({id}[/])?draft$/.test(name)) // saved at each pause of the editor, with files that are uploaded already
    .filter(([, content]) => content?.['application/json'] && takes(content['application/json'].schema.$ref.split('/').pop()));
  assert.ok(found.length >= 8, `${found.map(([name]) => name)}`);
  for (const [name, content] of found) assert.ok(content['multipart/form-data'].schema.allOf?.some((one) => one.properties?.files?.items.contentMediaType), name);
});

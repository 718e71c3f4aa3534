import assert from 'node:assert/strict';
import { test } from 'node:test';
import { File, asked, multipart, open, uploaded } from './lib/index.mjs';
import { GIF, JPEG, grey, png, readPng } from './lib/picture.mjs';

const picture = async (who) => (await uploaded(who, { name: 'p.png', type: 'image/png', data: png(3, 3) })).id;

// Thumbnails and inline pictures of attachments.

const post = async (who, id, name, type, bytes) => (await who.post(`/conversations/${id}/messages`, multipart({ f: new File(name, type, bytes) }))).must(201).data.attachments[0];
const load = (desk, who, url, options) => who.exchange('GET', url.slice(desk.base.length), options);

test('a picture has a thumbnail of the size that its header promises, whatever type the uploader states', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  for (const [width, height, small] of [[800, 400, [200, 100]], [400, 800, [100, 200]], [20, 10, [20, 10]], [4000, 3, [200, 1]]]) {
    const a = await post(desk.customer, id, 'a.png', 'text/html', grey(width, height));
    const [{ url, ...rest }, ...others] = a.thumbnails;
    assert.equal(others.length, 0);
    assert.deepEqual(rest, { name: 'a.png', size: null, width: small[0], height: small[1], type: 'image/png', created_at: a.created_at });
    const reply = (await load(desk, desk.staff, url)).must(200);
    const { width: w, height: h } = readPng(reply.bytes);
    assert.deepEqual([w, h, reply.headers['content-type']], [...small, 'image/png']);
    assert.deepEqual([reply.headers['x-content-type-options'], reply.headers['content-security-policy']], ['nosniff', "default-src 'none'; sandbox"]);
  }
  const jpeg = await post(desk.customer, id, 'a.jpg', 'image/jpeg', JPEG);
  assert.equal(jpeg.thumbnails[0].type, 'image/jpeg');
  assert.equal((await load(desk, desk.customer, jpeg.thumbnails[0].url)).must(200).headers['content-type'], 'image/jpeg');
  const gif = await post(desk.customer, id, 'a.gif', 'image/gif', GIF);
  assert.equal(readPng((await load(desk, desk.customer, gif.thumbnails[0].url)).must(200).bytes).width, 1);
});

test('an unchanged thumbnail is not decoded again, and is not the picture', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const a = await post(desk.customer, id, 'a.png', 'image/png', grey(300, 300));
  const tag = (await load(desk, desk.staff, a.thumbnails[0].url)).must(200).headers.etag;
  assert.equal((await load(desk, desk.staff, a.thumbnails[0].url, { headers: { 'If-None-Match': tag } })).status, 304);
  assert.notEqual((await load(desk, desk.staff, a.url)).must(200).headers.etag, tag);
  const head = await desk.staff.exchange('HEAD', a.thumbnails[0].url.slice(desk.base.length));
  assert.deepEqual([head.status, head.bytes.length], [200, 0]);
});

test('a bomb, a false header and files that are no pictures stay attached, without a thumbnail', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const files = {
    'bomb.png': png(10, 10, [1, 2, 3], [60000, 60000]), 'bomb.gif': Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.alloc(60)]),
    'a.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'a.txt': Buffer.from('text'), 'empty.png': Buffer.from('89504e470d0a1a0a', 'hex'),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const a = await post(desk.customer, id, name, 'image/png', bytes);
    assert.deepEqual(a.thumbnails, [], name);
    assert.deepEqual((await load(desk, desk.customer, a.url_download)).must(200).bytes, bytes);
    (await load(desk, desk.customer, a.url.replace(/url$/, 'thumbnail'))).refused(404, 'RESOURCE_NOT_FOUND');
  }
  const torn = grey(500, 500).subarray(0, 60);
  const a = await post(desk.customer, id, 'torn.png', 'image/png', torn);
  (await load(desk, desk.customer, a.thumbnails[0].url)).refused(404, 'RESOURCE_NOT_FOUND');
  assert.deepEqual((await load(desk, desk.customer, a.url_download)).must(200).bytes, torn);
});

test('a thumbnail is for the callers who see the message or the note', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const other = await desk.person('customer');
  const a = await post(desk.customer, id, 'a.png', 'image/png', grey(300, 300));
  (await load(desk, other.client, a.thumbnails[0].url)).refused(404, 'RESOURCE_NOT_FOUND');
  (await load(desk, desk.anyone, a.thumbnails[0].url)).refused(401, 'AUTHORIZATION_REQUIRED');
  const made = (await desk.staff.post(`/cases/${id}/notes`, { contents: 'N', attachment_file_ids: [await picture(desk.staff)] })).must(201).data;
  const [noted] = (await desk.staff.fetch(`/cases/${id}/notes/${made.post.id}`)).attachments;
  (await load(desk, desk.admin, noted.thumbnails[0].url)).must(200);
  (await load(desk, desk.customer, noted.thumbnails[0].url)).refused(403, 'PERMISSIONS_DENIED');
});

test('HTML shows attached pictures by cid and file id, and each reader gets the address of the attachment', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const [shown, beside] = [await picture(desk.staff), await picture(desk.staff)];
  const html = `<p>See <img src="cid:${shown}" alt="a &amp; &quot;b&quot;"><img src="cid:999999"></p>`;
  const { posts: [{ id: message }] } = (await desk.staff.post(`/cases/${id}/reply`, { contents: html, channel_options: { html: true }, attachment_file_ids: [shown, beside] })).must(201).data;
  for (const who of [desk.customer, desk.staff]) {
    const { attachments, content_html } = await who.fetch(`/conversations/${id}/messages/${message}`);
    assert.deepEqual(attachments.map((a) => [a.content_id, a.alt]), [[String(shown), 'a & "b"'], [null, null]]);
    assert.equal(content_html, `<p>See <img src="${attachments[0].url}" alt="a &amp; &quot;b&quot;"><img></p>`);
    (await load(desk, who, attachments[0].url)).must(200);
  }
  assert.match((await desk.staff.fetch(`/cases/${id}/messages`))[0].body_html, /messages\/\d+\/attachments\/\d+\/url" alt/);
});

test('a note that is changed later shows its attached pictures, too', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const file = await picture(desk.staff);
  const { post: { id: note } } = (await desk.staff.post(`/cases/${id}/notes`, { contents: 'plain', attachment_file_ids: [file] })).must(201).data;
  assert.equal((await desk.staff.fetch(`/cases/${id}/notes/${note}`)).attachments[0].content_id, null);
  (await desk.staff.put(`/cases/${id}/notes/${note}`, { contents: `<img src="cid:${file}">`, is_html: true })).must(200);
  const after = await desk.staff.fetch(`/cases/${id}/notes/${note}`);
  assert.equal(after.body_html, `<img src="${after.attachments[0].url}">`);
  for (const contents of ['plain again', `<p>No picture: cid:${file}</p>`]) {
    (await desk.staff.put(`/cases/${id}/notes/${note}`, { contents: `<img src="cid:${file}" alt="A">`, is_html: true })).must(200);
    (await desk.staff.put(`/cases/${id}/notes/${note}`, { contents, is_html: contents.startsWith('<') })).must(200);
    const [{ content_id, alt }] = (await desk.staff.fetch(`/cases/${id}/notes/${note}`)).attachments;
    assert.deepEqual([content_id, alt], [null, null], contents);
  }
});

test('a message has HTML whenever it has text, and the subject of its conversation', async (t) => {
  const desk = await open(t);
  const { id } = (await desk.customer.post('/conversations', { subject: 'Subject', contents: 'a <b>\nhttps://x.example/' })).must(201).data;
  const [message] = (await desk.customer.get(`/conversations/${id}/messages`)).must(200).data;
  assert.equal(message.content_html, 'a &lt;b&gt;<br>\n<a href="https://x.example/" rel="noopener noreferrer nofollow" target="_blank">https://x.example/</a>');
  assert.equal(message.subject, 'Subject');
  const path = `/conversations/${id}/messages/${message.id}`;
  const before = (await desk.staff.get(path)).headers['last-modified'];
  await desk.clock.forward(60);
  await desk.staff.update(`/conversations/${id}`, { subject: 'Other' });
  assert.equal((await desk.staff.fetch(path)).subject, 'Other');
  assert.equal((await desk.staff.get(path, {}, { 'If-Modified-Since': (await desk.staff.get(path)).headers['last-modified'] })).status, 304);
  (await desk.staff.get(path, {}, { 'If-Modified-Since': before })).must(200);
});

test('pictures of other servers are shown on demand only', async (t) => {
  const desk = await open(t);
  const { id } = await asked(desk.customer);
  const { posts: [{ id: message }] } = (await desk.staff.post(`/cases/${id}/reply`, { contents: '<img src="https://other.example/a.png">', channel_options: { html: true } })).must(201).data;
  for (const path of [`/conversations/${id}/messages/${message}`, `/conversations/${id}/messages`, `/cases/${id}/messages`]) {
    const html = async (query) => { const { data } = (await desk.staff.get(path, query)).must(200); const m = Array.isArray(data) ? data[0] : data; return m.content_html ?? m.body_html; };
    assert.equal(await html(), '<img data-src="https://other.example/a.png">', path);
    assert.equal(await html({ remote_pictures: true }), '<img src="https://other.example/a.png">', path);
  }
});

test('cases count the files of messages and notes', async (t) => {
  const desk = await open(t);
  const [one, two] = [await asked(desk.customer), await asked(desk.customer)];
  const has = async ({ id }) => (await desk.staff.fetch(`/cases/${id}`)).has_attachments;
  assert.deepEqual([await has(one), await has(two)], [false, false]);
  await post(desk.customer, one.id, 'a.txt', 'text/plain', Buffer.from('x'));
  const { post: { id: note } } = (await desk.staff.post(`/cases/${two.id}/notes`, { contents: 'N', attachment_file_ids: [await picture(desk.staff)] })).must(201).data;
  assert.deepEqual([await has(one), await has(two)], [true, true]);
  (await desk.staff.delete(`/cases/${two.id}/notes/${note}`)).must(200);
  assert.deepEqual([await has(one), await has(two)], [true, false]);
  const { status, stdout } = desk.check();
  assert.equal(status, 0, stdout);
});

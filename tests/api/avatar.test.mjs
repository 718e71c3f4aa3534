import { test } from 'node:test';
import assert from 'node:assert/strict';
import { File, HOUR, multipart, open, raw } from './lib/index.mjs';
import { GIF, JPEG, png, readPng } from './lib/picture.mjs';

const picture = async (who, path) => (await who.exchange('GET', path));

test('the avatar of a person always answers; initials are escaped', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/users', { full_name: 'Ada <script> "Byron"', email: 'ada@home.example' });
  const address = new URL((await desk.owner.fetch(`/users/${id}`)).avatar);
  const reply = await picture(desk.anyone, address.pathname + address.search);
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['content-type'], 'image/svg+xml');
  assert.match(reply.headers['content-security-policy'], /sandbox/);
  assert.equal(reply.headers['x-content-type-options'], 'nosniff');
  assert.ok(reply.text.includes('>A<') && !reply.text.includes('script'), reply.text);
  (await desk.owner.get('/users/999/avatar')).refused(404, 'RESOURCE_NOT_FOUND');
});

const upload = (bytes, type = 'image/png') => multipart({ avatar: new File('me.png', type, bytes) });
const shown = async (desk, address) => {
  const { pathname, search } = new URL(address);
  return (await picture(desk.anyone, pathname + search)).must(200);
};

test('an uploaded picture is scaled to a square, public, and gets a new address with each upload', async (t) => {
  const desk = await open(t);
  const before = (await desk.customer.fetch('/profile')).avatar;
  const after = (await desk.customer.put('/profile', upload(png(600, 300)))).must(200).data.avatar;
  assert.notEqual(after, before);
  const reply = await shown(desk, after);
  assert.equal(reply.headers['content-type'], 'image/png');
  assert.match(reply.headers['content-security-policy'], /sandbox/);
  assert.deepEqual(readPng(reply.bytes), { width: 256, height: 256, size: 256 * (4 * 256 + 1) });
  const again = (await desk.customer.put('/profile', upload(png(10, 10)))).must(200).data.avatar;
  assert.notEqual(again, after, 'a second upload at the same moment also gets a new address');
});

test('a caller can\'t find out who has an e-mail address: without a proof the avatar address shows no picture', async (t) => {
  const desk = await open(t);
  const { avatar } = (await desk.customer.put('/profile', upload(png(8, 8)))).must(200).data;
  const post = { name: 'Somebody', email: desk.people.customer.email, subject: 'S', contents: 'C' };
  const { requester } = (await desk.anyone.post('/conversations', post, { query: { include: 'user' } })).must(201).data;
  const address = new URL(avatar), forged = [...avatar].reverse().join('').replace(/\w/, (c) => (c === '0' ? '1' : '0'));
  for (const search of [new URL(requester.avatar).search, '', '?v=0', `?v=${address.searchParams.get('v').split('.')[0]}`, new URL([...forged].reverse().join('')).search]) {
    const reply = await picture(desk.anyone, address.pathname + search);
    assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'image/svg+xml']);
    assert.ok(reply.text.includes('></text>'), reply.text);
  }
  for (const reply of [await picture(desk.anyone, address.pathname + address.search), await picture(desk.customer, address.pathname + address.search), await picture(desk.as('agent'), address.pathname)]) assert.equal(reply.headers['content-type'], 'image/png');
});

test('JPEG stays JPEG, GIF becomes PNG', async (t) => {
  const desk = await open(t);
  for (const [bytes, type] of [[JPEG, 'image/jpeg'], [GIF, 'image/png']]) {
    const { avatar } = (await desk.customer.put('/profile', upload(bytes, 'application/octet-stream'))).must(200).data;
    assert.equal((await shown(desk, avatar)).headers['content-type'], type);
  }
});

test('fields and picture may share a body, and a bad one stores neither', async (t) => {
  const desk = await open(t);
  const both = (designation) => multipart({ designation, avatar: new File('a.png', 'image/png', png(4, 4)) });
  const { data } = (await desk.customer.put('/profile', both('Boss'))).must(200);
  assert.equal(data.designation, 'Boss');
  (await desk.customer.put('/profile', both('x'.repeat(256)))).refused(400, 'FIELD_INVALID');
  (await desk.customer.put('/profile', multipart({ designation: 'Chief', avatar: new File('a.png', 'image/png', Buffer.from('no picture')) }))).refused(400, 'FIELD_INVALID');
  const now = await desk.customer.fetch('/profile');
  assert.deepEqual([now.designation, now.avatar], ['Boss', data.avatar]);
});

test('a file that is no picture or claims too large a size is refused', async (t) => {
  const desk = await open(t);
  const bombs = {
    empty: Buffer.alloc(0),
    text: Buffer.from('GIF'),
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    'a PNG that claims 2^31 pixels a side': png(1, 1, undefined, [0x7fffffff, 0x7fffffff]),
    'a PNG that claims 50000 x 50000': png(1, 1, undefined, [50000, 50000]),
    'a PNG of width 0': png(1, 1, undefined, [0, 1]),
    'a PNG cut short': png(600, 600).subarray(0, 60),
    'a GIF that claims 65535 x 65535': Buffer.concat([Buffer.from('GIF89a'), Buffer.from([255, 255, 255, 255]), GIF.subarray(10)]),
    'a JPEG without a frame': Buffer.from('ffd8ffe000104a46494600010101', 'hex'),
  };
  for (const [name, bytes] of Object.entries(bombs)) {
    const reply = await desk.customer.put('/profile', upload(bytes));
    assert.equal(reply.status, 400, `${name}: ${reply}`);
    assert.deepEqual(reply.body.errors.map((e) => [e.code, e.parameter]), [['FIELD_INVALID', 'avatar']], name);
  }
  assert.equal((await shown(desk, (await desk.customer.fetch('/profile')).avatar)).headers['content-type'], 'image/svg+xml');
});

test('a deleted picture is replaced by initials', async (t) => {
  const desk = await open(t);
  const { avatar } = (await desk.customer.put('/profile', upload(png(4, 4)))).must(200).data;
  (await desk.customer.delete('/profile/avatar')).must(200);
  const left = (await desk.customer.fetch('/profile')).avatar;
  assert.notEqual(left, avatar);
  assert.equal((await shown(desk, left)).headers['content-type'], 'image/svg+xml');
  (await desk.customer.delete('/profile/avatar')).must(200);
  (await desk.anyone.delete('/profile/avatar')).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('staff set the picture of people they may change', async (t) => {
  const desk = await open(t);
  const path = (role) => `/users/${desk.people[role].id}/avatar`;
  assert.match((await desk.staff.put(path('customer'), upload(png(4, 4)))).must(200).data.avatar, /avatar\?v=[1-9]/);
  (await desk.staff.put(path('agent'), upload(png(4, 4)))).must(200);
  (await desk.staff.put(path('owner'), upload(png(4, 4)))).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.put(path('owner'), upload(png(4, 4)))).refused(403, 'PERMISSIONS_DENIED');
  (await desk.as('collaborator').put(path('customer'), upload(png(4, 4)))).refused(403, 'PERMISSIONS_DENIED');
  (await desk.customer.put(path('customer'), upload(png(4, 4)))).refused(403, 'PERMISSIONS_DENIED');
  (await desk.owner.put('/users/99999/avatar', upload(png(4, 4)))).refused(404, 'RESOURCE_NOT_FOUND');
  (await desk.owner.put(path('customer'), {})).refused(400, 'FIELD_REQUIRED');
  (await desk.owner.put(path('customer'), { avatar: 'http://example.com/me.png' })).refused(400, 'FIELD_REQUIRED');
});

test('an address sent back as the avatar is ignored with a notice', async (t) => {
  const { customer } = await open(t);
  const profile = await customer.fetch('/profile');
  const reply = (await customer.put('/profile', profile)).must(200);
  assert.match(JSON.stringify(reply.body.logs), /avatar/);
  assert.equal(reply.data.avatar, profile.avatar);
});

test('a purge deletes the picture of the person', async (t) => {
  const desk = await open(t);
  const { avatar } = (await desk.customer.put('/profile', upload(png(4, 4)))).must(200).data;
  (await desk.owner.delete(`/users/${desk.people.customer.id}`, { purge: true })).must(200);
  assert.equal((await shown(desk, avatar)).headers['content-type'], 'image/svg+xml');
});

const uploaded = async (who, bytes, type = 'image/png') => (await who.post('/files', raw(type, bytes))).must(201).data.id;

test('an uploaded file becomes a picture by its id, and the file is not kept', async (t) => {
  const desk = await open(t);
  const id = await uploaded(desk.customer, png(600, 300), 'text/plain');
  const { data } = (await desk.customer.put('/profile', { avatar_file_id: id, designation: 'Boss' })).must(200);
  const reply = await shown(desk, data.avatar);
  assert.deepEqual(readPng(reply.bytes), { width: 256, height: 256, size: 256 * (4 * 256 + 1) });
  assert.equal(data.designation, 'Boss');
  assert.notEqual((await desk.customer.fetch(`/files/${id}`)).expiry_at, null);
  const path = `/users/${desk.people.customer.id}/avatar`;
  const { avatar } = (await desk.staff.put(path, { avatar_file_id: String(await uploaded(desk.staff, JPEG)) })).must(200).data;
  assert.equal((await shown(desk, avatar)).headers['content-type'], 'image/jpeg');
});

test("a foreign, expired or absent file id, and a file that is no picture, are refused", async (t) => {
  const desk = await open(t);
  const path = `/users/${desk.people.customer.id}/avatar`;
  const [theirs, old, text] = [await uploaded(desk.admin, png(4, 4)), await uploaded(desk.staff, png(4, 4)), await uploaded(desk.staff, Buffer.from('text'))];
  const bomb = await uploaded(desk.staff, png(1, 1, undefined, [50000, 50000]));
  for (const id of [text, bomb]) (await desk.staff.put(path, { avatar_file_id: id })).refused(400, 'FIELD_INVALID', 'avatar_file_id');
  await desk.clock.forward(12 * HOUR);
  for (const id of [theirs, old, 999999, 0, -1, 'x', null, [1], true]) {
    (await desk.staff.put(path, { avatar_file_id: id })).refused(400, 'FIELD_INVALID', 'avatar_file_id');
    (await desk.staff.put('/profile', { avatar_file_id: id, designation: 'x' })).refused(400, 'FIELD_INVALID', 'avatar_file_id');
  }
  (await desk.staff.put(path, {})).refused(400, 'FIELD_REQUIRED', 'avatar');
  const mine = await uploaded(desk.staff, png(4, 4));
  (await desk.staff.put(path, multipart({ avatar_file_id: mine, avatar: new File('a.png', 'image/png', png(4, 4)) }))).refused(400, 'PARAMETERS_INCONSISTENT', 'avatar_file_id');
  (await desk.staff.put(`/users/${desk.people.owner.id}/avatar`, { avatar_file_id: mine })).refused(403, 'PERMISSIONS_DENIED');
  const { designation, avatar } = await desk.staff.fetch('/profile');
  assert.equal(designation, null);
  assert.equal((await shown(desk, avatar)).headers['content-type'], 'image/svg+xml');
});

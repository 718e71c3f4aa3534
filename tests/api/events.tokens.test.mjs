import assert from 'node:assert/strict';
import { test } from 'node:test';
import { File, HOUR, ROLE_ID, multipart, open, shared, until, uploaded } from './lib/index.mjs';
import { png } from './lib/picture.mjs';

const picture = async (who, data) => (await uploaded(who, { name: 'icon.png', type: 'image/png', data })).id;

const world = shared();
const WEBP = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=', 'base64');
const post = (desk, url, body) => desk.anyone.post(new URL(url).pathname, body);

test('a new event token shows its token and address, also in later replies', async () => {
  const { desk: { owner, admin, base } } = world;
  const made = await owner.create('/events/tokens', { label: 'Shop', description: 'Orders' });
  assert.match(made.token, /^dke_[0-9a-f]{64}$/);
  assert.equal(made.webhook_url, `${base}/api/v1/webhook/${made.token}/incoming`);
  assert.equal(made.resource_url, `${base}/api/v1/events/tokens/${made.id}`);
  assert.deepEqual([made.label, made.description, made.channel, made.icon, made.is_enabled, made.lastused_at, made.resource_type], ['Shop', 'Orders', 'EVENT', null, true, null, 'token']);
  assert.deepEqual(await admin.fetch(`/events/tokens/${made.id}`), made);
  const list = await admin.fetch('/events/tokens', { limit: 1000 });
  assert.deepEqual(list.map(({ id }) => id), list.map(({ id }) => id).toSorted((a, b) => a - b));
  assert.deepEqual(list.find(({ id }) => id === made.id), made);
});

test('an update changes label, description and is_enabled; channel and token stay', async () => {
  const { desk: { owner } } = world;
  const made = await owner.create('/events/tokens', { label: 'Shop', channel: 'SHOP', is_enabled: 'false' });
  assert.deepEqual([made.channel, made.is_enabled], ['SHOP', false]);
  const reply = (await owner.put(`/events/tokens/${made.id}`, { label: 'Store', description: null, channel: 'X', token: 'dke_mine', webhook_url: 'x' })).must(200).notes('channel');
  const { updated_at: ignored, ...rest } = reply.data;
  const { updated_at: also, ...before } = made;
  assert.deepEqual(rest, { ...before, label: 'Store' });
  (await owner.post('/events/tokens', { label: '' })).refused(400, 'FIELD_EMPTY', 'label');
  (await owner.post('/events/tokens', {})).refused(400, 'FIELD_REQUIRED', 'label');
  (await owner.put(`/events/tokens/${made.id}`, { label: '' })).refused(400, 'FIELD_EMPTY', 'label');
  (await owner.put('/events/tokens/987654321', { label: 'x' })).refused(404, 'RESOURCE_NOT_FOUND');
});

test('bulk calls enable, disable and delete all the tokens or none', async () => {
  const { desk } = world;
  const { owner } = desk;
  const [a, b] = [await owner.create('/events/tokens', { label: 'a' }), await owner.create('/events/tokens', { label: 'b' })];
  const ids = `${a.id},${b.id}`;
  assert.equal((await owner.put('/events/tokens', { is_enabled: false }, { query: { ids } })).must(200).body.total_count, 2);
  assert.deepEqual((await owner.fetch('/events/tokens', { ids })).map((e) => e.is_enabled), [false, false]);
  (await owner.put('/events/tokens', {}, { query: { ids } })).refused(400, 'ANY_FIELD_REQUIRED');
  (await owner.put('/events/tokens', { is_enabled: true }, { query: { ids: `${a.id},987654321` } })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await owner.fetch(`/events/tokens/${a.id}`)).is_enabled, false);
  (await owner.delete('/events/tokens', { ids: `${a.id},987654321` })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal((await owner.delete('/events/tokens', { ids })).must(200).body.total_count, 2);
  (await owner.get(`/events/tokens/${a.id}`)).refused(404, 'RESOURCE_NOT_FOUND');
  (await post(desk, b.webhook_url, { event: 'x', user: { email: 'x@x.example' } })).refused(404, 'RESOURCE_NOT_FOUND');
});

test('only admins with the permission apps.manage change tokens', async (t) => {
  const desk = await open(t);
  const { id } = await desk.owner.create('/events/tokens', { label: 'x' });
  for (const who of ['agent', 'collaborator', 'customer']) {
    (await desk.as(who).get('/events/tokens')).refused(403, 'PERMISSIONS_DENIED');
    (await desk.as(who).post('/events/tokens', { label: 'x' })).refused(403, 'PERMISSIONS_DENIED');
  }
  (await desk.anyone.get(`/events/tokens/${id}`)).refused(401, 'AUTHORIZATION_REQUIRED');
  (await desk.owner.put(`/roles/${ROLE_ID.admin}/permissions`, { 'apps.manage': false })).must(200);
  (await desk.admin.put(`/events/tokens/${id}`, { label: 'y' })).refused(403, 'PERMISSIONS_DENIED');
  (await desk.admin.delete(`/events/tokens/${id}`)).refused(403, 'PERMISSIONS_DENIED');
});

test('the store, the change log, a replayed reply and the log of the daemon have no token', async (t) => {
  const desk = await open(t, { args: ['--access-log'] });
  const key = { headers: { 'Idempotency-Key': 'k' } };
  const made = await desk.owner.create('/events/tokens', { label: 'x' }, key);
  const again = (await desk.owner.post('/events/tokens', { label: 'x' }, key)).must(201);
  assert.deepEqual([again.data.id, again.data.token, again.data.webhook_url], [made.id, null, null]);
  (await post(desk, made.webhook_url, { event: 'x', user: { email: 'x@x.example' } })).must(201);
  (await post(desk, `${made.webhook_url}?token=x`, { event: '1' })).refused(400, 'FIELD_INVALID', 'event');
  const entries = await desk.owner.fetch('/changes', { limit: 100 });
  assert.ok(!JSON.stringify(entries).includes(made.token));
  assert.ok(!desk.sql('SELECT token_sealed FROM event_tokens').includes(made.token.slice(4)));
  assert.ok(!desk.sql('SELECT token_hash FROM event_tokens').includes(made.token.slice(4)));
  assert.match(desk.log, /POST \/api\/v1\/webhook\/\.\.\.\/incoming 201/);
  assert.ok(!desk.log.includes(made.token));
});

test('an icon is a file part or an uploaded file, and is shown as an attachment', async () => {
  const { desk: { owner, base } } = world;
  const file = new File('icon.png', 'image/png', png(300, 30));
  const made = await owner.create('/events/tokens', multipart({ label: 'x', icon: file }), { query: { include: 'attachment' } });
  const place = `${base}/api/v1/events/tokens/${made.id}/attachments/${made.id}`;
  assert.deepEqual([made.icon.name, made.icon.type, made.icon.width, made.icon.height, made.icon.resource_type, made.icon.url], ['icon.png', 'image/png', 300, 30, 'attachment', `${place}/url`]);
  assert.deepEqual(made.icon.thumbnails.map((e) => [e.width, e.height, e.url]), [[200, 20, `${place}/thumbnail`]]);
  assert.deepEqual((await owner.fetch(`/events/tokens/${made.id}`)).icon, { id: made.id, resource_type: 'attachment' });
  const path = new URL(made.icon.url).pathname;
  assert.deepEqual((await owner.exchange('GET', path)).must(200).bytes, file.bytes);
  assert.equal((await owner.exchange('GET', path.replace('/url', '/download'))).must(200).headers['content-disposition'].split(';')[0], 'attachment');
  assert.equal((await owner.exchange('GET', path.replace('/url', '/thumbnail'))).must(200).headers['content-type'], 'image/png');
  const id = await picture(owner, png(5, 5));
  assert.equal((await owner.update(`/events/tokens/${made.id}`, { icon_file_id: id }, { query: { include: 'attachment' } })).icon.width, 5);
  assert.equal((await owner.update(`/events/tokens/${made.id}`, { label: 'y' })).icon.id, made.id);
  assert.equal((await owner.update(`/events/tokens/${made.id}`, { icon_file_id: null })).icon, null);
  (await owner.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
});

test('an icon that is no JPEG, PNG or GIF is refused', async () => {
  const { desk: { owner, admin } } = world;
  const bombs = [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), png(3, 3, undefined, [60000, 60000]), Buffer.from('GIF89a'), WEBP, png(9, 9).subarray(0, 40)];
  for (const bytes of bombs) {
    (await owner.post('/events/tokens', multipart({ label: 'x', icon: new File('icon.png', 'image/png', bytes) }))).refused(400, 'FIELD_INVALID', 'icon');
    (await owner.post('/events/tokens', { label: 'x', icon_file_id: await picture(owner, bytes) })).refused(400, 'FIELD_INVALID', 'icon_file_id');
  }
  (await owner.post('/events/tokens', { label: 'x', icon_file_id: await picture(admin, png(3, 3)) })).refused(400, 'FIELD_INVALID', 'icon_file_id');
  (await owner.post('/events/tokens', { label: 'x', icon_file_id: 987654321 })).refused(400, 'FIELD_INVALID', 'icon_file_id');
  const both = multipart({ label: 'x', icon: new File('icon.png', 'image/png', png(3, 3)), icon_file_id: String(await picture(owner, png(3, 3))) });
  (await owner.post('/events/tokens', both)).refused(400, 'PARAMETERS_INCONSISTENT', 'icon_file_id');
  (await owner.post('/events/tokens', multipart({ label: '', icon: new File('x', 'image/png', Buffer.from('no picture')) }))).refused(400, 'FIELD_EMPTY', 'label');
});

test('a file is kept while it is an icon, and expires when the token is deleted', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const id = await picture(owner, png(5, 5));
  const made = await owner.create('/events/tokens', { label: 'x', icon_file_id: id });
  await desk.clock.forward(24 * HOUR);
  (await owner.exchange('GET', `${new URL(made.resource_url).pathname}/attachments/${made.id}/url`)).must(200);
  assert.equal(desk.check().status, 0);
  (await owner.delete(`/events/tokens/${made.id}`)).must(200);
  await desk.clock.forward(HOUR);
  await desk.restart(); // the sweeper runs when a process starts
  await until('the file has expired', () => desk.sql('SELECT COUNT(*) FROM files').trim() === '0');
});

test('an ETag of a token admits one of two writers', async () => {
  const { desk: { owner } } = world;
  const made = (await owner.post('/events/tokens', { label: 'x' })).must(201);
  const match = { headers: { 'If-Match': (await owner.get(`/events/tokens/${made.data.id}`)).must(200).headers.etag } };
  (await owner.put(`/events/tokens/${made.data.id}`, { label: 'y' }, match)).must(200);
  (await owner.put(`/events/tokens/${made.data.id}`, { label: 'z' }, match)).refused(412, 'RESOURCE_MODIFIED');
});

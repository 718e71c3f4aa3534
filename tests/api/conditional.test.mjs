import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, open } from './lib/index.mjs';

const AJAX = { 'X-Requested-With': 'XMLHttpRequest' };
const STALE = '"0123456789abcdef0123456789abcdef"';
const httpDate = (ms) => new Date(ms).toUTCString();

async function world(t) {
  const desk = await open(t);
  const { id } = await desk.owner.create('/teams', { title: 'Support' });
  const path = `/teams/${id}`;
  const reply = (await desk.owner.get(path)).must(200);
  return { desk, owner: desk.owner, id, path, reply, bare: reply.etag.slice(1, -1) };
}

test('a single resource has a quoted ETag of 32 hex digits and a Last-Modified date', async (t) => {
  const { desk, reply } = await world(t);
  assert.match(reply.etag, /^"[0-9a-f]{32}"$/);
  assert.equal(reply.headers['last-modified'], httpDate(desk.clock.now));
  for (const name of ['Authorization', 'Accept', 'X-Options', 'X-Requested-With']) {
    assert.match(reply.headers.vary ?? '', new RegExp(`\\b${name}\\b`, 'i'));
  }
});

test('the ETag does not depend on fields, case or include', async (t) => {
  const { owner, path, reply } = await world(t);
  for (const query of [{ fields: 'title' }, { _case: 'camel' }, { include: '*' }, { _flat: 'true' }, { _empty: 'false' }, { _pretty: 'true' }]) {
    assert.equal((await owner.get(path, query)).must(200).etag, reply.etag, JSON.stringify(query));
  }
  assert.equal((await owner.head(path)).must(200).etag, reply.etag);
});

test('the ETag changes with the resource, not with a nested resource', async (t) => {
  const { owner, path } = await world(t);
  const hours = await owner.create('/businesshours', { title: 'A', zones: { monday: [1] } });
  const first = (await owner.put(path, { businesshour_id: hours.id })).must(200);
  const before = (await owner.get(path)).must(200).etag;
  await owner.update(`/businesshours/${hours.id}`, { title: 'B' });
  assert.equal((await owner.get(path, { include: '*' })).must(200).etag, before);
  await owner.update(path, { title: 'Helpers' });
  assert.notEqual((await owner.get(path)).must(200).etag, before);
  assert.equal(first.data.businesshour.id, hours.id);
});

test('If-None-Match (quoted, bare, weak, in a list or *) gives 304 without a body', async (t) => {
  const { owner, path, reply, bare } = await world(t);
  for (const tag of [`"${bare}"`, bare, `W/"${bare}"`, `${STALE}, "${bare}"`, `${STALE},W/"${bare}"`, '*']) {
    const got = (await owner.get(path, {}, { 'If-None-Match': tag })).must(304);
    assert.equal(got.etag, reply.etag, tag);
  }
  for (const tag of [STALE, `W/${STALE}`, '""', 'nonsense']) (await owner.get(path, {}, { 'If-None-Match': tag })).must(200);
  await owner.update(path, { title: 'New' });
  (await owner.get(path, {}, { 'If-None-Match': `"${bare}"` })).must(200);
  (await owner.head(path, {}, { 'If-None-Match': '*' })).must(304);
});

test('If-Modified-Since gives 304 until the resource changes', async (t) => {
  const { desk, owner, path, reply } = await world(t);
  const since = reply.headers['last-modified'];
  (await owner.get(path, {}, { 'If-Modified-Since': since })).must(304);
  (await owner.get(path, {}, { 'If-Modified-Since': since.replace('GMT', '+0000') })).must(304);
  (await owner.get(path, {}, { 'If-Modified-Since': httpDate(desk.clock.now - 1000) })).must(200);
  for (const bad of ['yesterday', '', '0', 'Mon, 99 Foo 2026 99:99:99 GMT']) (await owner.get(path, {}, { 'If-Modified-Since': bad })).must(200);
  await desk.clock.forward(MINUTE);
  await owner.update(path, { title: 'New' });
  (await owner.get(path, {}, { 'If-Modified-Since': since })).must(200);
});

test('If-Match runs a PUT or DELETE only if the ETag is current', async (t) => {
  const { owner, path, bare } = await world(t);
  for (const tag of [STALE, 'nonsense', `W/${STALE}`, `${STALE}, "ffff"`]) {
    (await owner.put(path, { title: 'No' }, { headers: { 'If-Match': tag } })).refused(412, 'RESOURCE_MODIFIED');
    (await owner.delete(path, {}, { 'If-Match': tag })).refused(412, 'RESOURCE_MODIFIED');
  }
  assert.equal((await owner.fetch(path)).title, 'Support');
  let tag = bare;
  for (const spell of [(b) => `"${b}"`, (b) => b, (b) => `W/"${b}"`, (b) => `${STALE}, "${b}"`, () => '*']) {
    (await owner.put(path, { title: `Title ${spell(tag)}` }, { headers: { 'If-Match': spell(tag) } })).must(200);
    tag = (await owner.get(path)).etag.slice(1, -1);
  }
  (await owner.delete(path, {}, { 'If-Match': `"${tag}"` })).must(200);
});

test('the ETag in the reply to a PUT is the ETag of the new state', async (t) => {
  const { owner, path } = await world(t);
  const put = (await owner.put(path, { title: 'New' })).must(200);
  assert.equal(put.etag, (await owner.get(path)).etag);
  (await owner.put(path, { title: 'Newer' }, { headers: { 'If-Match': put.etag } })).must(200);
});

test('the second of two writers who read the same version gets an error', async (t) => {
  const { owner, path, reply } = await world(t);
  const answers = await Promise.all(['Ann', 'Ben', 'Cid'].map((title) =>
    owner.put(path, { title }, { headers: { 'If-Match': reply.etag } })));
  assert.deepEqual(answers.map((a) => a.status).sort(), [200, 412, 412]);
});

test('If-Unmodified-Since refuses a PUT or DELETE of a resource that changed since', async (t) => {
  const { desk, owner, path } = await world(t);
  const made = desk.clock.now;
  await desk.clock.forward(MINUTE);
  await owner.update(path, { title: 'Changed' });
  (await owner.put(path, { title: 'No' }, { headers: { 'If-Unmodified-Since': httpDate(made) } })).refused(412, 'RESOURCE_MODIFIED');
  (await owner.delete(path, {}, { 'If-Unmodified-Since': httpDate(made) })).refused(412, 'RESOURCE_MODIFIED');
  assert.equal((await owner.fetch(path)).title, 'Changed');
  (await owner.put(path, { title: 'Yes' }, { headers: { 'If-Unmodified-Since': httpDate(desk.clock.now) } })).must(200);
  (await owner.delete(path, {}, { 'If-Unmodified-Since': httpDate(desk.clock.now).replace('GMT', '+0000') })).must(200);
});

test('If-None-Match refuses a PUT or DELETE of the version it names', async (t) => {
  const { owner, path, bare } = await world(t);
  for (const tag of [`"${bare}"`, `W/"${bare}"`, `${STALE}, "${bare}"`, '*']) {
    (await owner.put(path, { title: 'No' }, { headers: { 'If-None-Match': tag } })).refused(412, 'RESOURCE_MODIFIED');
    (await owner.delete(path, {}, { 'If-None-Match': tag })).refused(412, 'RESOURCE_MODIFIED');
  }
  assert.equal((await owner.get(path, {}, { 'If-None-Match': `"${bare}"` })).status, 304, 'nothing has changed');
  (await owner.put(path, { title: 'Yes' }, { headers: { 'If-None-Match': STALE } })).must(200);
  assert.equal((await owner.fetch(path)).title, 'Yes');
  (await owner.delete(path, {}, { 'If-None-Match': STALE })).must(200);
});

test('if both kinds of conditions are given, the ETag decides', async (t) => {
  const { desk, owner, path, reply } = await world(t);
  const past = httpDate(desk.clock.now - 60_000);
  const since = reply.headers['last-modified'];
  (await owner.put(path, { title: 'Yes' }, { headers: { 'If-Match': reply.etag, 'If-Unmodified-Since': past } })).must(200);
  (await owner.put(path, { title: 'No' }, { headers: { 'If-Match': STALE, 'If-Unmodified-Since': since } })).refused(412, 'RESOURCE_MODIFIED');
  (await owner.get(path, {}, { 'If-None-Match': STALE, 'If-Modified-Since': since })).must(200);
  const now = (await owner.get(path)).etag;
  (await owner.get(path, {}, { 'If-None-Match': now, 'If-Modified-Since': past })).must(304);
});

test('the ETag of a collection covers only the ids of the page', async (t) => {
  const { owner, path } = await world(t);
  const tag = async (query) => (await owner.get('/teams', query)).must(200).etag;
  const before = await tag();
  assert.match(before, /^"[0-9a-f]{32}"$/);
  await owner.update(path, { title: 'Other' });
  assert.equal(await tag(), before);
  assert.equal(await tag({ include: '*', fields: 'title' }), before);
  (await owner.get('/teams', {}, { 'If-None-Match': before })).must(304);
  await owner.create('/teams', { title: 'Second' });
  assert.notEqual(await tag(), before);
  assert.equal(await tag({ limit: 1 }), before, 'the page has the same ids');
});

test('If-Match of a bulk change is the hash of the given ids, in order', async (t) => {
  const { owner } = await world(t);
  await owner.create('/teams', { title: 'Second' });
  const page = (await owner.get('/teams')).must(200);
  const [a, b] = page.ids;
  (await owner.delete('/teams', { ids: `${b},${a}` }, { 'If-Match': page.etag })).refused(412, 'RESOURCE_MODIFIED');
  (await owner.delete('/teams', { ids: a }, { 'If-Match': page.etag })).refused(412, 'RESOURCE_MODIFIED');
  assert.equal((await owner.get('/teams')).body.total_count, 2);
  (await owner.delete('/teams', { ids: `${a},${b}` }, { 'If-Match': page.etag })).must(200);
});

test('in AJAX mode the ETag covers the whole reply, in both spellings', async (t) => {
  const { owner, path } = await world(t);
  const hours = await owner.create('/businesshours', { title: 'A', zones: { monday: [1] } });
  await owner.update(path, { businesshour_id: hours.id });
  for (const mode of ['XMLHttpRequest', 'XMHTTPRequest', 'xmlhttprequest'].slice(0, 2)) {
    const headers = { 'X-Requested-With': mode };
    const ask = (more) => owner.get(path, { include: '*' }, { ...headers, ...more });
    const before = (await ask()).must(200).etag;
    assert.match(before, /^"[0-9a-f]{32}"$/);
    assert.notEqual(before, (await owner.get(path)).etag);
    (await ask({ 'If-None-Match': before })).must(304);
    await owner.update(`/businesshours/${hours.id}`, { title: `Renamed for ${mode}` });
    assert.equal((await ask({ 'If-None-Match': before })).must(200).data.businesshour.title, `Renamed for ${mode}`);
  }
});

test('in AJAX mode the ETag of a list changes with a member', async (t) => {
  const { owner, path } = await world(t);
  const before = (await owner.get('/teams', {}, AJAX)).must(200).etag;
  (await owner.get('/teams', {}, { ...AJAX, 'If-None-Match': before })).must(304);
  await owner.update(path, { title: 'Other' });
  (await owner.get('/teams', {}, { ...AJAX, 'If-None-Match': before })).must(200);
});

test('an ETag of AJAX mode is never valid for a PUT or DELETE', async (t) => {
  const { owner, path } = await world(t);
  const { etag } = (await owner.get(path, {}, AJAX)).must(200);
  for (const headers of [{ 'If-Match': etag }, { 'If-Match': etag, ...AJAX }]) {
    (await owner.put(path, { title: 'No' }, { headers })).refused(412, 'RESOURCE_MODIFIED');
    (await owner.delete(path, {}, headers)).refused(412, 'RESOURCE_MODIFIED');
  }
  assert.equal((await owner.fetch(path)).title, 'Support');
});

test('callers who see different members get different ETags', async (t) => {
  const { desk } = await world(t);
  const ann = await desk.person('customer');
  const mail = (who) => who.get(`/users/${ann.id}`);
  const conversation = await ann.client.create('/conversations', { subject: 'S', contents: 'C' });
  const path = `/conversations/${conversation.id}`;
  const shown = async (who) => { const r = (await who.get(path)).must(200); return { tag: r.etag, data: JSON.stringify(r.data) }; };
  const [hers, theirs] = [await shown(ann.client), await shown(desk.staff)];
  assert.equal(hers.data === theirs.data, hers.tag === theirs.tag, 'ETags are equal only if the members are equal');
  (await mail(desk.staff)).must(200);
});

/** Checks that the Last-Modified of a path is the clock's present second, then moves the clock. */
async function changedNow(desk, who, path, why) {
  const { headers } = (await who.get(path)).must(200);
  assert.equal(headers['last-modified'], httpDate(desk.clock.now), `${path}: ${why}`);
  await desk.clock.forward(HOUR);
  const since = headers['last-modified'];
  return async () => (await who.get(path, {}, { 'If-Modified-Since': since })).must(304);
}

test('a change of any shown member, deletions included, changes the Last-Modified of a person', async (t) => {
  const desk = await open(t);
  const { owner, people } = desk;
  const { id } = await desk.person('agent');
  const path = `/users/${id}`;
  const organization = await owner.create('/organizations', { name: 'Engines' });
  const team = await owner.create('/teams', { title: 'Support' });
  let email;
  let note;
  let field;
  const steps = {
    'a name': () => owner.update(path, { full_name: 'Other' }),
    'an address is added': async () => { email = await owner.create('/identities/emails', { user_id: id, email: 'second@people.example' }); },
    'an address is deleted': async () => (await owner.delete(`/identities/emails/${email.id}`)).must(200),
    'a team is joined': async () => (await owner.post(`/teams/${team.id}/members`, { agent_ids: id })).must(201),
    'a team is left': async () => (await owner.delete(`/teams/${team.id}/members`, { agent_id: id })).must(200),
    'a team is joined again': async () => (await owner.post(`/teams/${team.id}/members`, { agent_ids: id })).must(201),
    'a team is deleted': async () => (await owner.delete(`/teams/${team.id}`)).must(200),
    'an organization is joined': () => owner.update(path, { organization_id: organization.id }),
    'an organization is deleted': async () => (await owner.delete(`/organizations/${organization.id}`)).must(200),
    'a tag is added': async () => (await owner.post(`${path}/tags`, { tags: 'vip' })).must(201),
    'a note is pinned': async () => { note = await owner.create(`${path}/notes`, { contents: 'N', is_pinned: true }); },
    'a pinned note is deleted': async () => (await owner.delete(`${path}/notes/${note.id}`)).must(200),
    'a role gets more access': () => owner.update('/roles/2', { agent_case_access: 'TEAMS' }),
    'a field is created': async () => { field = await owner.create('/users/fields', { type: 'TEXT', key: 'size', titles: [{ locale: 'en-us', translation: 'Size' }] }); },
    'a value is given': () => owner.update(path, { field_values: { size: 'L' } }),
    'a field is disabled': () => owner.update(`/users/fields/${field.id}`, { is_enabled: false }),
    'a field is deleted': async () => (await owner.delete(`/users/fields/${field.id}`)).must(200),
    'a login': async () => (await desk.login(`agent${desk.made}@people.example`).get('/profile')).must(200),
  };
  assert.ok(people.owner.id !== id);
  await desk.clock.forward(HOUR);
  for (const [why, change] of Object.entries(steps)) {
    await change();
    const same = await changedNow(desk, owner, path, why);
    await same();
  }
});

test('a change of any shown member changes the Last-Modified of an organization', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const { id } = await owner.create('/organizations', { name: 'Engines' });
  const path = `/organizations/${id}`;
  let note;
  let field;
  const steps = {
    domains: () => owner.update(path, { domains: 'engines.example' }),
    phones: () => owner.update(path, { phones: '+49 30 1234567' }),
    websites: () => owner.update(path, { websites: 'https://engines.example' }),
    tags: async () => (await owner.post(`${path}/tags`, { tags: 'vip' })).must(201),
    'a note': async () => { note = await owner.create(`${path}/notes`, { contents: 'N', is_pinned: true }); },
    'a note is unpinned': () => owner.update(`${path}/notes/${note.id}`, { is_pinned: false }),
    'a field': async () => { field = await owner.create('/organizations/fields', { type: 'TEXT', key: 'size', titles: [{ locale: 'en-us', translation: 'Size' }] }); },
    'a title of a field changes': () => owner.update(`/organizations/fields/${field.id}`, { titles: [{ locale: 'en-us', translation: 'Width' }] }),
    'a field is deleted': async () => (await owner.delete(`/organizations/fields/${field.id}`)).must(200),
  };
  await desk.clock.forward(HOUR);
  for (const [why, change] of Object.entries(steps)) {
    await change();
    await (await changedNow(desk, owner, path, why))();
  }
});

test('the Last-Modified of a template changes with its contents and with their removal, not with another template', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const path = '/brands/1/templates/password_changed';
  const before = (await owner.get(path)).must(200).headers['last-modified'];
  (await owner.get(path, {}, { 'If-Modified-Since': before })).must(304);
  await desk.clock.forward(HOUR);
  const contents = '{% block subject %}Changed{% endblock %}{% block text %}Yes{% endblock %}';
  for (const change of [() => owner.update(path, { contents }), () => owner.update(`${path}/restore`, {})]) {
    await change();
    await (await changedNow(desk, owner, path, 'contents'))();
    (await owner.get(path, {}, { 'If-Modified-Since': before })).must(200);
  }
  const now = (await owner.get(path)).must(200).headers['last-modified'];
  await owner.update('/brands/1/templates/invitation/restore', {});
  assert.equal((await owner.get(path)).must(200).headers['last-modified'], now);
});

test('/me and /profile have the Last-Modified of their person', async (t) => {
  const desk = await open(t);
  const { customer, owner, people } = desk;
  for (const path of ['/me', '/profile']) {
    const { headers } = (await customer.get(path)).must(200);
    assert.ok(headers['last-modified'], path);
    (await customer.get(path, {}, { 'If-Modified-Since': headers['last-modified'] })).must(304);
  }
  await desk.clock.forward(HOUR);
  const { headers } = (await customer.get('/profile')).must(200);
  await desk.clock.forward(MINUTE);
  await owner.update(`/users/${people.customer.id}`, { designation: 'Boss' });
  for (const path of ['/me', '/profile']) (await customer.get(path, {}, { 'If-Modified-Since': headers['last-modified'] })).must(200);
});

test('lists have no Last-Modified, because the store does not keep the time of a deletion', async (t) => {
  const { owner } = await open(t);
  for (const path of ['/users', '/organizations', '/teams', '/brands/1/templates', '/roles', '/settings']) {
    assert.equal((await owner.get(path)).must(200).headers['last-modified'], undefined, path);
  }
});

test('a resource that shows what others change has no Last-Modified, so that a caller keeps no old one', async (t) => {
  const desk = await open(t), { owner, staff, customer } = desk;
  const made = async (path, body, who = owner) => `${path}/${(await who.create(path, body)).id}`;
  const section = await owner.create('/sections', { titles: 'S', category_id: 1 }), article = await owner.create('/articles', { titles: 'A', contents: '<p>x</p>', section_id: section.id, status: 'PUBLISHED', allow_comments: true });
  const paths = [
    `/sections/${section.id}`, `/articles/${article.id}`, await made(`/articles/${article.id}/comments`, { contents: 'c' }, customer),
    await made('/triggers', { title: 'T', channel: 'API', actions: [{ name: 'tags', option: 'ADD', value: ['seen'] }] }), await made('/views', { title: 'V' }, staff),
    await made('/endpoints', { title: 'E', type: 'HTTP', attributes: { url: 'https://example.com/' } }), await made('/oauth/clients', { name: 'C' }), await made('/mailboxes', { address: 'help@example.org' }),
  ];
  for (const path of paths) {
    const { headers, etag } = (await owner.get(path)).must(200);
    assert.deepEqual([path, headers['last-modified'], Boolean(etag)], [path, undefined, true]);
    (await owner.get(path, {}, { 'If-Modified-Since': httpDate(desk.clock.now + HOUR * 1000) })).must(200);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, open, raw } from './lib/index.mjs';

const broken = raw('application/json', '{"title": ');
const HUGE = ['0', '-1', 'abc', '1x', '1.5', '%00', '..', '9223372036854775808', '18446744073709551617', '9'.repeat(60), '%F0%28', '+1', '1%202'];

test('an unknown path is 404 RESOURCE_NOT_FOUND for every caller', async (t) => {
  const { anyone, owner, customer } = await open(t);
  for (const who of [anyone, owner, customer]) {
    for (const path of ['/wibble', '/teams/1/wibble', '/', '/teams/1/members/2/x']) {
      (await who.get(path)).refused(404, 'RESOURCE_NOT_FOUND');
      (await who.post(path, {})).refused(404, 'RESOURCE_NOT_FOUND');
    }
  }
});

test('a 404 says whether the address or the object is wrong, and suggests the nearest address', async (t) => {
  const { anyone, owner } = await open(t);
  const said = async (who, path, method = 'GET') => (await who.exchange(method, path)).refused(404, 'RESOURCE_NOT_FOUND').body.errors[0].message;
  const NEAREST = {
    '/api/v1/case': '/api/v1/cases', '/api/v1/Teams.json': '/api/v1/teams', '//api/v1/organisations': '/api/v1/organizations', '/api/v1/user/7': '/api/v1/users/7',
    '/api/v1/cases/7/message': '/api/v1/cases/7/messages', '/api/v1/teams/': '/api/v1/teams', '/api/v1/teams/1/wibble': '/api/v1/teams/1', '/api/v1/conversation/23/mesages/4': '/api/v1/conversations/23/messages/4',
    '/api/v1/business_hours': '/api/v1/businesshours', '/api/v1/oauth/client': '/api/v1/oauth/clients', '/api/v1/cases/statuses/9/x': '/api/v1/cases/statuses/9', '/api/v1/user/%22%3E/notes': '/api/v1/users/:id/notes',
  };
  for (const who of [anyone, owner])
    for (const [path, nearest] of Object.entries(NEAREST)) assert.equal(await said(who, path), `There is no operation at this address. Did you mean ${nearest}?`, path);
  assert.equal(await said(owner, '/api/v1/cases/1/repl'), 'There is no operation at this address. Did you mean /api/v1/cases/1/reply?', 'the nearest one, although it has another method');
  assert.equal(await said(owner, '/api/v1/profile/avata', 'DELETE'), 'There is no operation at this address. Did you mean /api/v1/profile/avatar?');
  for (const path of ['/api/v1/wibble', '/api/v1/', `/api/v1/${'x'.repeat(4000)}`, `/api/v1/${'case/'.repeat(30)}`, '/api/v1/xy/1'])
    assert.equal(await said(owner, path), 'There is no operation at this address. /docs lists all operations.', path);
  for (const path of ['/teams/999999', '/users/999999/notes', '/teams/x']) assert.equal(await said(owner, `/api/v1${path}`), 'There is no such object, or you may not see it.', path);
});

test('a 405 names the methods, a 415 the types, and a 401 the ways to log in', async (t) => {
  const { anyone, owner } = await open(t);
  const message = (reply) => reply.body.errors[0].message;
  const other = (await owner.request('POST', '/teams/1')).refused(405, 'METHOD_NOT_SUPPORTED');
  assert.equal(message(other), `This address does not support the method. It supports ${other.headers.allow}.`);
  const patch = (await owner.request('PATCH', '/teams')).refused(405, 'METHOD_NOT_SUPPORTED');
  assert.match(message(patch), /It supports GET, HEAD, POST, DELETE, OPTIONS\.$/);
  const types = /Send application\/json, application\/x-www-form-urlencoded or multipart\/form-data, in the header Content-Type\.$/;
  const text = message((await owner.post('/teams', raw('text/plain', 'x'))).refused(415, 'UNSUPPORTED_MEDIA_TYPE'));
  assert.match(text, /^Bodies of the type `text\/plain` are not supported\./);
  assert.match(text, types);
  const none = message((await owner.post('/teams', raw(undefined, 'x'))).refused(415, 'UNSUPPORTED_MEDIA_TYPE'));
  assert.match(none, /^The request has a body without a type\./);
  assert.match(none, types);
  assert.match(message((await anyone.get('/teams')).refused(401, 'AUTHORIZATION_REQUIRED')), /login\. Send HTTP Basic credentials, a session id .* or a bearer token/);
});

test('an unknown type in include causes a notice, a known one none', async (t) => {
  const { owner, anyone } = await open(t);
  for (const include of ['', '*', 'role', 'ROLE,user-minimal,', 'Role,userMinimal', 'case_message,attachment', 'note']) assert.ok(!('logs' in (await owner.get('/users', { include })).must(200).body), include);
  (await owner.get('/users', { include: 'rolle,user,wibble' })).must(200).notes('rolle, wibble');
  (await owner.get('/users/1', { include: 'wibble', _flat: true })).must(200).notes('wibble');
  (await anyone.get('/cases/statuses', { include: 'wibble' })).must(200).notes('wibble');
  const many = Array.from({ length: 900 }, (_, i) => `x${i}`).join();
  const { body } = (await owner.get('/users', { include: many })).must(200);
  assert.ok(body.logs[0].message.includes('x19') && !body.logs[0].message.includes('x20'), body.logs[0].message);
});

test('an absurd id is 404, never 5xx', async (t) => {
  const { owner } = await open(t);
  for (const id of [...HUGE, '999999']) {
    for (const collection of ['teams', 'users', 'roles', 'conversations', 'businesshours', 'jobs']) {
      const { status } = await owner.exchange('GET', `/api/v1/${collection}/${id}`);
      assert.ok(status === 404 || status === 400, `${collection}/${id}: ${status}`);
    }
    assert.equal((await owner.exchange('PUT', `/api/v1/teams/${id}`, { body: { title: 'x' } })).status >= 500, false);
  }
  for (const collection of ['teams', 'users', 'roles', 'conversations', 'businesshours', 'jobs', 'cases/statuses', 'cases/priorities', 'cases/types']) {
    (await owner.get(`/${collection}/999999`)).refused(404, 'RESOURCE_NOT_FOUND');
  }
});

test('an unknown id in a parameter is refused with the list of the ids that the caller may use', async (t) => {
  const { owner, customer } = await open(t);
  const message = (reply, parameter) => reply.refused(400, 'FIELD_INVALID', parameter).body.errors[0].message;
  const absent = (type) => `There is no ${type} with this id, or you may not see it.`;
  const one = { subject: 'S', contents: 'C' };
  const mine = await customer.create('/conversations', one);
  for (const [reply, parameter, expected] of [
    [await owner.post('/teams', { title: 'T', businesshour_id: 99 }), 'businesshour_id', `${absent('business hour')} GET /businesshours lists those that you see.`],
    [await owner.put(`/cases/${mine.id}`, { priority_id: 99 }), 'priority_id', `${absent('priority')} GET /cases/priorities lists those that you see.`],
    [await customer.post('/conversations', { ...one, form_id: 99 }), 'form_id', `${absent('form')} GET /cases/forms lists those that you see.`],
    [await owner.put('/views/reorder', { view_ids: [99] }), 'view_ids/0', `${absent('view')} GET /views lists those that you see.`],
    [await owner.post('/identities/emails', { email: 'a@example.com', user_id: 99 }), 'user_id', `${absent('user')} GET /users lists those that you see.`],
  ]) assert.equal(message(reply, parameter), expected);
  const team = await owner.create('/teams', { title: 'T' });
  assert.equal(message(await owner.post(`/teams/${team.id}/members`, { agent_ids: [99] }), 'agent_ids/0'), 'There is no member of staff with this id. GET /users lists people and their roles.');
});

test('a method that a path does not support is 405 with Allow', async (t) => {
  const { anyone, owner, contract } = await open(t);
  for (const who of [anyone, owner]) {
    for (const [method, path] of [['PATCH', '/teams'], ['PUT', '/session'], ['POST', '/teams/1'], ['DELETE', '/users'], ['DELETE', '/conversations'], ['POST', '/session/ack'], ['GET', '/session/ack']]) {
      if (contract.has(method, `/api/v1${path}`)) continue;
      const reply = (await who.request(method, path)).refused(405, 'METHOD_NOT_SUPPORTED');
      const allowed = reply.headers.allow.split(/,\s*/);
      for (const wanted of contract.methods(`/api/v1${path}`)) assert.ok(allowed.includes(wanted), `${path} allows ${wanted}`);
      assert.ok(!allowed.includes(method));
    }
  }
});

test('an Accept without JSON is 406, and a missing Accept means */*', async (t) => {
  const { owner, customer } = await open(t);
  for (const Accept of ['text/html', 'application/xml', 'image/*', 'application/json;q=0', 'application/jsonx']) {
    (await owner.get('/teams', {}, { Accept })).refused(406, 'NOT_ACCEPTABLE');
    (await customer.post('/conversations', { subject: 'S', contents: 'C' }, { headers: { Accept } })).refused(406, 'NOT_ACCEPTABLE');
  }
  for (const Accept of [undefined, '*/*', 'application/json', 'application/*', 'text/html, application/json;q=0.1', 'text/html,*/*;q=0.8', 'APPLICATION/JSON', 'application/json; charset=utf-8']) {
    (await owner.get('/teams', {}, { Accept })).must(200);
  }
  assert.equal((await customer.get('/conversations')).body.total_count, 0);
});

test('missing credentials are 401 AUTHORIZATION_REQUIRED, with a challenge unless a script asks', async (t) => {
  const { anyone } = await open(t);
  (await anyone.get('/teams')).refused(401, 'AUTHORIZATION_REQUIRED');
  (await anyone.get('/teams', {}, { 'X-Requested-With': 'XMLHttpRequest' })).refused(401, 'AUTHORIZATION_REQUIRED');
  (await anyone.get('/teams', {}, { Authorization: 'Bearer' })).refused(401, 'AUTHORIZATION_REQUIRED');
  (await anyone.get('/teams', {}, { Authorization: 'Bearer ' })).refused(401, 'AUTHORIZATION_REQUIRED');
});

test('a status and its errors agree: a missing right is reported without errors of values', async (t) => {
  const desk = await open(t), { owner, admin, staff, people } = desk;
  const narrow = await owner.create('/roles', { title: 'Narrow', type: 'ADMIN' });
  (await owner.put(`/roles/${narrow.id}/permissions`, { 'users.delete': 0 })).must(200);
  const { client } = await desk.person('admin', { role_id: narrow.id });
  const box = await admin.create('/mailboxes', { address: 'box@example.com' });
  const DENIED = [
    ['put', `/roles/${narrow.id}/permissions`, client, { 'no.such': 1, 'users.delete': 1 }, ['users.delete']],
    ['put', '/settings', admin, { values: { 'no.such': '1', 'mail.smtp_host': 'x.example' } }, ['values/mail.smtp_host']],
    ['post', '/mailboxes', admin, { address: 'x', imap_host: 'imap.example', imap_port: 993 }, ['imap_host', 'imap_port']],
    ['put', `/mailboxes/${box.id}`, admin, { name: 'x'.repeat(300), imap_port: 0, imap_host: 'imap.example' }, ['imap_host']],
    ['post', '/users', staff, { full_name: '', email: 'x', role_id: 1 }, ['role_id']],
    ['put', `/users/${people.customer.id}`, staff, { full_name: '', role_id: 1 }, ['role_id']],
  ];
  for (const [method, path, caller, body, parameters] of DENIED) {
    const { body: { errors } } = (await caller[method](path, body)).refused(403, 'PERMISSIONS_DENIED', ...parameters);
    assert.deepEqual([...new Set(errors.map((e) => e.code))], ['PERMISSIONS_DENIED'], path);
  }
});

test('all bad fields are reported at once', async (t) => {
  const { owner } = await open(t);
  const reply = (await owner.post('/businesshours', {})).refused(400, 'FIELD_REQUIRED', 'title', 'zones');
  assert.equal(reply.body.errors.length, 2);
  const mixed = await owner.post('/users', { email: 'no address', role_id: 'x' });
  mixed.refused(400, 'FIELD_REQUIRED', 'full_name').refused(400, 'FIELD_INVALID', 'email', 'role_id');
});

test('an empty required text is FIELD_EMPTY', async (t) => {
  const { owner } = await open(t);
  (await owner.post('/teams', { title: '' })).refused(400, 'FIELD_EMPTY', 'title');
  const { id } = await owner.create('/teams', { title: 'T' });
  (await owner.put(`/teams/${id}`, { title: '' })).refused(400, 'FIELD_EMPTY', 'title');
  (await owner.put(`/teams/${id}`, { title: null })).must(400);
  assert.equal((await owner.fetch(`/teams/${id}`)).title, 'T');
});

test('a value of another resource is FIELD_DUPLICATE', async (t) => {
  const { owner } = await open(t);
  await owner.create('/teams', { title: 'A', legacy_id: 'L1' });
  (await owner.post('/teams', { title: 'B', legacy_id: 'L1' })).refused(400, 'FIELD_DUPLICATE', 'legacy_id');
  (await owner.post('/users', { full_name: 'X', email: 'agent@example.com' })).refused(400, 'FIELD_DUPLICATE', 'email');
  assert.equal((await owner.get('/teams')).body.total_count, 1);
});

test('a body of an unsupported type is 415', async (t) => {
  const { owner } = await open(t);
  for (const type of ['text/plain', 'application/xml', 'application/octet-stream', 'application/jsonx', 'image/png', 'nonsense']) {
    (await owner.post('/teams', raw(type, '{"title":"x"}'))).refused(415, 'UNSUPPORTED_MEDIA_TYPE');
  }
  (await owner.post('/teams', raw('application/json; charset=utf-8', '{"title":"x"}'))).must(201);
  (await owner.post('/teams', raw('Application/JSON', '{"title":"y"}'))).must(201);
});

test('a repeated id in ids, or different ids in query and body, is PARAMETERS_INCONSISTENT', async (t) => {
  const { owner } = await open(t);
  const ids = [(await owner.create('/teams', { title: 'A' })).id, (await owner.create('/teams', { title: 'B' })).id];
  (await owner.delete('/teams', { ids: `${ids[0]},${ids[0]}` })).refused(400, 'PARAMETERS_INCONSISTENT');
  (await owner.request('DELETE', '/teams', { query: { ids: ids[0] }, body: { ids: [ids[1]] } })).refused(400, 'PARAMETERS_INCONSISTENT');
  assert.equal((await owner.get('/teams')).body.total_count, 2);
  (await owner.request('DELETE', '/teams', { body: { ids } })).must(200);
});

test('bulk calls without ids, or with too many, absent or absurd ids, change nothing', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/teams', { title: 'A' });
  (await owner.delete('/teams')).refused(400, 'FIELD_REQUIRED', 'ids');
  (await owner.request('DELETE', '/teams', { body: { ids: Array.from({ length: 1001 }, (_, i) => i + 1) } })).refused(400, 'FIELD_INVALID', 'ids');
  const gone = (await owner.delete('/teams', { ids: `${id},999` })).refused(404, 'RESOURCE_NOT_FOUND');
  assert.equal(gone.body.errors[0].pointer, 'ids/1');
  for (const ids of ['x', '1,x', '-1', '1.5', '9'.repeat(40), ',', '1,,2']) {
    const reply = await owner.delete('/teams', { ids });
    assert.ok([400, 404].includes(reply.status), `${reply}`);
  }
  assert.equal((await owner.get('/teams')).body.total_count, 1);
});

// The order of the checks: each request fails two neighbouring checks, and the first one answers.
const ORDER = [
  ['404 before 401', (d) => d.anyone.get('/wibble'), 404, 'RESOURCE_NOT_FOUND'],
  ['404 before 405', (d) => d.anyone.request('PATCH', '/wibble'), 404, 'RESOURCE_NOT_FOUND'],
  ['405 before 406', (d) => d.anyone.request('PATCH', '/teams', { headers: { Accept: 'text/html' } }), 405, 'METHOD_NOT_SUPPORTED'],
  ['406 before 401', (d) => d.anyone.get('/teams', {}, { Accept: 'text/html' }), 406, 'NOT_ACCEPTABLE'],
  ['401 before 403', (d) => d.anyone.post('/teams', {}), 401, 'AUTHORIZATION_REQUIRED'],
  ['401 before 400', (d) => d.anyone.post('/teams', broken), 401, 'AUTHORIZATION_REQUIRED'],
  ['454 before 403', (d) => d.anyone.post('/teams', {}, { headers: { 'X-Session-ID': 'nonsense' } }), 454, 'SESSION_LOADING_FAILED'],
  ['CSRF before role', async (d) => (await d.session(d.customer)).bare.post('/teams', {}), 403, 'CSRF_FAILED'],
  ['role before 415', (d) => d.staff.post('/teams', raw('text/plain', 'x')), 403, 'PERMISSIONS_DENIED'],
  ['role before a broken body', (d) => d.staff.post('/teams', broken), 403, 'PERMISSIONS_DENIED'],
  ['role before 404 of the resource', (d) => d.staff.put('/teams/999', { title: 'x' }), 403, 'PERMISSIONS_DENIED'],
  ['415 before 404 of the resource', (d) => d.owner.put('/teams/999', raw('text/plain', 'x')), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a broken body before 404 of the resource', (d) => d.owner.put('/teams/999', broken), 400, 'BODY_INVALID'],
  ['404 of the resource before 412', (d) => d.owner.put('/teams/999', { title: 'x' }, { headers: { 'If-Match': '"x"' } }), 404, 'RESOURCE_NOT_FOUND'],
  ['404 of the resource before validation', (d) => d.owner.put('/teams/999', { title: '' }), 404, 'RESOURCE_NOT_FOUND'],
  ['412 before validation', (d) => d.owner.put('/businesshours/1', { title: '' }, { headers: { 'If-Match': '"x"' } }), 412, 'RESOURCE_MODIFIED'],
  ['412 before the state', (d) => d.owner.delete('/businesshours/1', {}, { 'If-Match': '"x"' }), 412, 'RESOURCE_MODIFIED'],
  ['validation before the state', async (d) => {
    const { id } = await d.customer.create('/conversations', { subject: 'S', contents: 'C' });
    await d.admin.update(`/conversations/${id}`, { status_id: 5 });
    return d.admin.put(`/conversations/${id}`, { status_id: 'x' });
  }, 400, 'FIELD_INVALID'],
];

test('checks run in the order of the specification', async (t) => {
  const desk = await open(t);
  for (const [name, ask, status, code] of ORDER) {
    await t.test(name, async () => { (await ask(desk)).refused(status, code); });
  }
});

test('every error code in a reply has a page', async (t) => {
  const { anyone, owner } = await open(t);
  const codes = ['FIELD_REQUIRED', 'ANY_FIELD_REQUIRED', 'FIELD_EMPTY', 'FIELD_INVALID', 'FIELD_DUPLICATE', 'BODY_INVALID', 'PARAMETERS_INCONSISTENT',
    'CHECKSUM_MISMATCH', 'RESOURCE_ACTION_NOT_AVAILABLE', 'AUTHORIZATION_REQUIRED', 'AUTHENTICATION_FAILED', 'OTP_EXPECTED', 'CREDENTIAL_EXPIRED', 'CSRF_FAILED',
    'PERMISSIONS_DENIED', 'RESOURCE_NOT_FOUND', 'METHOD_NOT_SUPPORTED', 'NOT_ACCEPTABLE', 'PAYLOAD_TOO_LARGE', 'URI_TOO_LONG', 'UNSUPPORTED_MEDIA_TYPE',
    'HEADERS_TOO_LARGE', 'REQUEST_IN_PROGRESS', 'POST_OVERTAKEN', 'RANGE_NOT_SATISFIABLE', 'RESOURCE_MODIFIED', 'AUTHENTICATION_LOCKED', 'RATE_LIMIT_REACHED', 'SESSION_LOADING_FAILED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'];
  for (const code of codes) {
    const page = (await anyone.exchange('GET', `/docs/errors/${code}`)).must(200);
    assert.match(page.headers['content-type'], /^text\/html/);
    assert.ok(page.text.includes(code), code);
  }
  assert.equal((await anyone.exchange('GET', '/docs/errors/WIBBLE')).status, 404);
  (await owner.post('/teams', json([]))).refused(400, 'FIELD_REQUIRED', 'title');
});

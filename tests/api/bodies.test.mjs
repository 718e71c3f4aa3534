import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, json, multipart, open, raw } from './lib/index.mjs';

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const ENCODINGS = { json, form, multipart };
const SHIFT = {
  title: 'Early & late = "ok"; 100% ü',
  zones: { monday: [9, 10, 11], friday: [0, 23] },
  holidays: [{ title: 'New Year', date: '01/01/2027' }, { title: 'Eve', date: '24/12/2026', open_hours: [9, 10] }],
};

for (const [name, encode] of Object.entries(ENCODINGS)) {
  test(`a nested body has the same meaning as ${name}`, async (t) => {
    const { owner } = await open(t);
    const made = await owner.create('/businesshours', encode(SHIFT));
    assert.equal(made.title, SHIFT.title);
    assert.deepEqual(made.zones, Object.fromEntries(WEEK.map((day) => [day, SHIFT.zones[day] ?? []])));
    assert.deepEqual(made.holidays.map(({ title, date, open_hours }) => ({ title, date, hours: open_hours ?? [] })),
      SHIFT.holidays.map(({ title, date, open_hours }) => ({ title, date, hours: open_hours ?? [] })));
  });

  test(`JSON text in a field is parsed in ${name}`, async (t) => {
    const { owner } = await open(t);
    const made = await owner.create('/businesshours', encode({ title: 'T', zones: JSON.stringify(SHIFT.zones) }));
    assert.deepEqual(made.zones.friday, [0, 23]);
  });

  test(`names come in snake, camel and Pascal case in ${name}`, async (t) => {
    const { owner } = await open(t);
    const hours = (await owner.fetch('/businesshours'))[0].id;
    for (const [legacy, business] of [['legacy_id', 'businesshour_id'], ['legacyId', 'businesshourId'], ['LegacyId', 'BusinesshourId'], ['legacyID', 'BusinessHourID'], ['legacyid', 'businesshourid']]) {
      const made = (await owner.post('/teams', encode({ title: legacy, [legacy]: `id ${legacy}`, [business]: hours }))).must(201);
      assert.equal(made.data.legacy_id, `id ${legacy}`);
      assert.equal(made.data.businesshour.id, hours);
      assert.ok(!('logs' in made.body), `${made}`);
    }
  });

  test(`an empty ${name} body means no parameters`, async (t) => {
    const { owner } = await open(t);
    const { id } = await owner.create('/teams', { title: 'T' });
    const reply = (await owner.put(`/teams/${id}`, encode({}))).must(200);
    assert.equal(reply.data.title, 'T');
  });
}

test('an empty body, [] and {} mean no parameters', async (t) => {
  const { owner } = await open(t);
  const { id } = await owner.create('/teams', { title: 'T' });
  for (const body of [undefined, raw('application/json', ''), raw('application/json', '[]'), raw('application/json', ' {} \n'), raw('application/x-www-form-urlencoded', '')]) {
    assert.equal((await owner.put(`/teams/${id}`, body)).must(200).data.title, 'T');
    (await owner.post('/teams', body)).refused(400, 'FIELD_REQUIRED', 'title');
  }
});

test('lists are accepted as a JSON array, name[]=, name[0]=, comma-separated text or JSON text in a form', async (t) => {
  const { owner, person } = await open(t).then((d) => ({ owner: d.owner, person: (r) => d.person(r) }));
  const a = (await person('agent')).id;
  const b = (await person('agent')).id;
  const urlencoded = (text) => raw('application/x-www-form-urlencoded', text);
  const spellings = [
    json({ agent_ids: [a, b] }), json({ agent_ids: [String(a), String(b)] }), json({ agent_ids: `${a},${b}` }), json({ agent_ids: `${a}, ${b}` }),
    urlencoded(`agent_ids[]=${a}&agent_ids[]=${b}`), urlencoded(`agent_ids%5B0%5D=${a}&agent_ids%5B1%5D=${b}`), urlencoded(`agent_ids=${a}%2C${b}`),
    urlencoded(`agentIds[]=${a}&agentIds[]=${b}`), urlencoded(`agent_ids=[${a},"${b}"]`), multipart({ agent_ids: [a, b] }),
  ];
  for (const [i, body] of spellings.entries()) {
    const { id } = await owner.create('/teams', { title: `Team ${i}` });
    (await owner.post(`/teams/${id}/members`, body)).must(201);
    assert.deepEqual((await owner.get(`/teams/${id}/members`)).must(200).ids, [b, a], body.bytes.toString());
  }
});

test('booleans and numbers are accepted as text', async (t) => {
  const { owner } = await open(t);
  const zones = { monday: [9] };
  for (const is_default of [true, 'true', '1', 1]) {
    const { id } = await owner.create('/businesshours', { title: `B ${is_default}`, zones });
    assert.equal((await owner.update(`/businesshours/${id}`, { is_default })).is_default, true);
  }
  const made = await owner.create('/businesshours', { title: 'T', zones: { monday: ['9', '10'] } });
  assert.deepEqual(made.zones.monday, [9, 10]);
});

test('form text is percent-decoded UTF-8, and plus is a space', async (t) => {
  const { owner } = await open(t);
  const made = await owner.create('/teams', raw('application/x-www-form-urlencoded', 'title=a+b%2Bc%20%E2%82%AC%26%3D&legacy_id='));
  assert.equal(made.title, 'a b+c €&=');
});

test('parameters may be split between query and body', async (t) => {
  const { owner } = await open(t);
  const made = (await owner.post('/bulk/teams', { teams: [{ title: 'A' }] }, { query: { partial_import: 'true' } })).must(202);
  assert.equal(made.data.status, 'PENDING');
});

test('a chunked body needs no Content-Length', async (t) => {
  const { owner } = await open(t);
  const body = raw('application/json', '{"title":"Chunked"}');
  const made = (await owner.post('/teams', body, { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } })).must(201);
  assert.equal(made.data.title, 'Chunked');
});

test('a multipart body may lack its last boundary if Content-Length shows that every part is complete', async (t) => {
  const { owner } = await open(t);
  const whole = multipart({ title: 'Complete', legacy_id: 'x' }, { end: '' });
  assert.equal((await owner.post('/teams', whole)).must(201).data.title, 'Complete');
  const cut = raw(whole.type, whole.bytes.subarray(0, whole.bytes.indexOf('Complete') + 3));
  (await owner.post('/teams', cut)).refused(400, 'BODY_INVALID');
  const unsized = raw('multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nNo length\r\n');
  (await owner.post('/teams', unsized)).refused(400, 'BODY_INVALID');
  assert.equal((await owner.get('/teams')).body.total_count, 1);
});

test('a multipart body may end with the line of a boundary that opens a part, as a mobile client sends it', async (t) => {
  const desk = await open(t), { owner } = desk;
  const field = (name, value) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const opened = (...parts) => raw('multipart/form-data; boundary=b', `${parts.join('')}--b\r\n`);
  assert.equal((await owner.post('/teams', opened(field('title', 'Opened')))).must(201).data.title, 'Opened');
  const chunked = { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } };
  assert.equal((await owner.post('/teams', opened(field('title', 'Chunked')), chunked)).must(201).data.title, 'Chunked');

  const sent = await desk.as('customer').create('/conversations', { subject: 'Mobile', contents: 'Hello' });
  const file = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\none\r\n';
  const message = await desk.as('customer').create(`/conversations/${sent.id}/messages`, opened(field('contents', 'With a file'), file));
  assert.deepEqual([message.content_text, message.attachments[0].name, message.attachments[0].size], ['With a file', 'a.txt', 3]);

  for (const end of ['--b', '--b\r\nContent-Disp', '--b\r\nContent-Disposition: form-data; name="legacy_id"\r\n\r\n'])
    (await owner.post('/teams', raw('multipart/form-data; boundary=b', field('title', 'Cut') + end))).refused(400, 'BODY_INVALID');
  assert.equal((await owner.get('/teams')).body.total_count, 2);
});

test('multipart variants of other programs are accepted: preamble, quoted boundary, charset, folded names', async (t) => {
  const { owner } = await open(t);
  const body = ['This is a preamble.', '--a b', 'content-disposition: FORM-DATA; name=title', 'Content-Type: text/plain; charset=utf-8', '', 'Ünicode', '--a b',
    'Content-Disposition: form-data; name="legacy_id"', '', 'L 1', '--a b--', 'and an epilogue'].join('\r\n');
  const made = await owner.create('/teams', raw('multipart/form-data; boundary="a b"', body));
  assert.deepEqual([made.title, made.legacy_id], ['Ünicode', 'L 1']);
});

test('read-only members are ignored, so that a reply can be sent back', async (t) => {
  const { owner } = await open(t);
  const team = await owner.create('/teams', { title: 'T' });
  const back = (await owner.put(`/teams/${team.id}`, { ...team, title: 'Edited', member_count: 99, created_at: '2000-01-01T00:00:00+00:00' })).must(200).data;
  assert.deepEqual([back.title, back.member_count, back.created_at, back.id], ['Edited', 0, team.created_at, team.id]);
});

test('PUT changes only the given members; null or an empty text clears a nullable member', async (t) => {
  const { owner } = await open(t);
  const hours = await owner.create('/businesshours', { title: 'H', zones: { monday: [9] } });
  const { id, title } = await owner.create('/teams', { title: 'T', businesshour_id: hours.id });
  assert.equal((await owner.update(`/teams/${id}`, { title: 'U' })).businesshour.id, hours.id);
  for (const businesshour_id of [null, '']) {
    await owner.update(`/teams/${id}`, { businesshour_id: hours.id });
    const cleared = await owner.update(`/teams/${id}`, { businesshour_id });
    assert.notEqual(cleared.businesshour?.id, hours.id, `${JSON.stringify(businesshour_id)} clears`);
    assert.notEqual(cleared.title, title);
  }
});

test('text is returned byte for byte', async (t) => {
  const { owner } = await open(t);
  const texts = ['plain', '  blanks around ', 'tab\tand\nline', "'; DROP TABLE teams; --", '<script>alert(1)</script>', 'a\u0301 b\u0308', '\u202Eright to left', '👩‍👩‍👧‍👦 🏳️‍🌈', '\\" \\u0041 \\', '%s%n %00', 'ﷺ', '\ufeffbom', 'ß İ ı ſ', '${jndi:ldap://x}', '\u0085\u2028\u2029'];
  for (const title of texts) {
    for (const encode of Object.values(ENCODINGS)) {
      const reply = await owner.post('/teams', encode({ title }));
      if (reply.status === 400) continue; // the server may refuse this text, but must not change it
      assert.equal((await owner.fetch(`/teams/${reply.must(201).data.id}`)).title, title, JSON.stringify(title));
    }
  }
});

test('an empty list is refused where a list is required', async (t) => {
  const { owner, people } = await open(t);
  const team = await owner.create('/teams', { title: 'T' });
  const lists = [
    ['PUT', '/cases/statuses/reorder', 'status_ids'], ['PUT', '/cases/priorities/reorder', 'priority_ids'], ['PUT', '/cases/types/reorder', 'type_ids'],
    ['POST', `/teams/${team.id}/members`, 'agent_ids'], ['POST', `/users/${people.customer.id}/tags`, 'tags'],
  ];
  for (const [method, path, name] of lists) {
    (await owner.request(method, path, { body: { [name]: [] } })).refused(400, 'FIELD_EMPTY', name);
  }
  assert.deepEqual(await owner.fetch(`/teams/${team.id}/members`), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, basic, open, raw, statusOf, talk } from './lib/index.mjs';

const login = () => basic('owner@example.com', PASSWORD).Authorization;

const BROKEN_JSON = ['{', '{"title"', '{"title":', '{"title":"x', '{"title":"x"', '{"title":"x"}}', '{"title":"x"} x', '{"title":"x",}', "{'title':'x'}", '{title:"x"}',
  '{"title":NaN}', '{"title":Infinity}', '{"title":+1}', '{"title":01}', '{"title":.5}', '{"title":1.}', '{"title":"\\x"}', '{"title":"\\u12"}', '{"title":"a\nb"}', '{"title":"a\u0000b"}',
  '[1,]', '[', ']', 'nul', 'TRUE', '/* c */ {}', '\u0000', '{"title":"x"}\u0000', '"unterminated', '{"a":1 "b":2}', '{"a"}', '{,}', '[,]'];

const NOT_UTF8 = [[0xff], [0xc3], [0xc0, 0xaf], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0x80]].map((b) => Buffer.from(b));

test('malformed JSON is BODY_INVALID', async (t) => {
  const { owner } = await open(t);
  for (const text of BROKEN_JSON) (await owner.post('/teams', raw('application/json', text))).refused(400, 'BODY_INVALID');
  assert.equal(await owner.total('/teams'), 0);
});

test('well-formed JSON that is no object is refused', async (t) => {
  const { owner } = await open(t);
  for (const text of ['1', '"title"', 'true', 'null', '[1]', '[{"title":"x"}]', '-0', '1e400']) {
    const reply = await owner.post('/teams', raw('application/json', text));
    assert.equal(reply.status, 400, `${reply}`);
  }
  assert.equal(await owner.total('/teams'), 0);
});

test('invalid UTF-8 is BODY_INVALID in every format', async (t) => {
  const { owner } = await open(t);
  for (const bytes of NOT_UTF8) {
    const wrap = (before, after) => Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
    (await owner.post('/teams', raw('application/json', wrap('{"title":"a', 'b"}')))).refused(400, 'BODY_INVALID');
    (await owner.post('/teams', raw('application/x-www-form-urlencoded', wrap('title=a', 'b')))).refused(400, 'BODY_INVALID');
    const percent = [...bytes].map((b) => `%${b.toString(16)}`).join('');
    (await owner.post('/teams', raw('application/x-www-form-urlencoded', `title=a${percent}b`))).refused(400, 'BODY_INVALID');
    const head = '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\na';
    (await owner.post('/teams', raw('multipart/form-data; boundary=b', wrap(head, 'b\r\n--b--\r\n')))).refused(400, 'BODY_INVALID');
  }
  for (const text of ['"\\ud800"', '"\\udc00\\ud800"']) {
    const reply = await owner.post('/teams', raw('application/json', `{"title":${text}}`));
    assert.equal(reply.status, 400, 'half of a surrogate pair is refused');
  }
  assert.equal(await owner.total('/teams'), 0);
});

test('a NUL in a text is refused or stored, but never cuts the text', async (t) => {
  const { owner } = await open(t);
  for (const body of [raw('application/json', '{"title":"a\\u0000b"}'), raw('application/x-www-form-urlencoded', 'title=a%00b')]) {
    const reply = await owner.post('/teams', body);
    if (reply.status !== 400) assert.equal(reply.must(201).data.title, 'a\0b');
  }
});

test('deep nesting is refused cheaply', async (t) => {
  const { owner } = await open(t);
  const started = Date.now();
  for (const depth of [1000, 100_000, 400_000]) {
    for (const text of ['['.repeat(depth), `{"title":${'['.repeat(depth)}${']'.repeat(depth)}}`, '{"a":'.repeat(depth), `${'{"title":'.repeat(depth)}1${'}'.repeat(depth)}`]) {
      const reply = await owner.post('/teams', raw('application/json', text));
      assert.ok(reply.status === 400 || reply.status === 413, `${depth}: ${reply.status}`);
    }
    const name = `a${'[b]'.repeat(depth)}`;
    const reply = await owner.post('/teams', raw('application/x-www-form-urlencoded', `title=x&${name}=1`));
    assert.ok([201, 400, 413].includes(reply.status), `${depth}: ${reply.status}`);
  }
  assert.ok(Date.now() - started < 10_000, 'and quickly');
});

test('very many members, names and parts are served or refused quickly', async (t) => {
  const { owner } = await open(t);
  const many = Array.from({ length: 50_000 }, (_, i) => i);
  const bodies = [
    raw('application/json', `{${many.map((i) => `"k${i}":1`).join()}}`),
    raw('application/json', `{"title":[${many.join()}]}`),
    raw('application/x-www-form-urlencoded', many.map((i) => `k${i}=1`).join('&')),
    raw('application/x-www-form-urlencoded', '&'.repeat(500_000)),
    raw('application/x-www-form-urlencoded', `title[99999999999]=1&title[-1]=2&title[4294967296]=3`),
    raw('multipart/form-data; boundary=b', `${many.slice(0, 5000).map((i) => `--b\r\nContent-Disposition: form-data; name="k${i}"\r\n\r\n1\r\n`).join('')}--b--\r\n`),
  ];
  for (const body of bodies) {
    const reply = await owner.post('/teams', body);
    assert.ok([400, 413].includes(reply.status), `${reply.status}`);
  }
});

test('a percent sign without two hex digits is literal, as in browsers, or refused', async (t) => {
  const { owner } = await open(t);
  for (const title of ['%', '%2', '%zz', 'a%u0041', '100% sure']) {
    const reply = await owner.post('/teams', raw('application/x-www-form-urlencoded', `title=${title.replace(' ', '+')}`));
    if (reply.status === 201) assert.equal(reply.data.title, title);
    else reply.refused(400, 'BODY_INVALID');
  }
});

test('malformed multipart is BODY_INVALID', async (t) => {
  const { owner } = await open(t);
  const part = 'Content-Disposition: form-data; name="title"\r\n\r\nx\r\n';
  const broken = [
    ['multipart/form-data', `--b\r\n${part}--b--\r\n`],
    ['multipart/form-data; boundary=', `--b\r\n${part}--b--\r\n`],
    ['multipart/form-data; boundary=c', `--b\r\n${part}--b--\r\n`],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="title"'],
    ['multipart/form-data; boundary=b', '--b\r\n\r\nx\r\n--b--\r\n'],
    ['multipart/form-data; boundary=b', 'no boundary at all'],
    [`multipart/form-data; boundary=${'b'.repeat(5000)}`, `--${'b'.repeat(5000)}\r\n${part}--${'b'.repeat(5000)}--\r\n`],
  ];
  for (const [type, text] of broken) {
    const reply = await owner.post('/teams', raw(type, text));
    assert.ok(reply.status === 400 || reply.status === 415, `${reply}`);
  }
  assert.equal(await owner.total('/teams'), 0);
});

const NUMBERS = ['1e400', '99999999999999999999', '-1', '0', '1.5', '"1e3x"', 'true', '{}', '[1,2]', '"abc"', '"1.0"', '" 1"', '9223372036854775808', '-9223372036854775809', '1e-400', '"0x1"', '"١"'];

test('an absurd number as an id is FIELD_INVALID', async (t) => {
  const { owner } = await open(t);
  for (const number of NUMBERS) {
    (await owner.post('/teams', raw('application/json', `{"title":"x","businesshour_id":${number}}`))).refused(400, 'FIELD_INVALID', 'businesshour_id');
  }
  (await owner.post('/teams', { title: 'x', businesshour_id: 999 })).refused(400, 'FIELD_INVALID', 'businesshour_id');
  assert.equal(await owner.total('/teams'), 0);
});

test('a value of the wrong type is FIELD_INVALID and names its field', async (t) => {
  const { owner } = await open(t);
  for (const title of [{ a: 1 }, [1, 2], [['x']]]) (await owner.post('/teams', { title })).refused(400, 'FIELD_INVALID', 'title');
  for (const is_default of ['maybe', 2, {}, [], 'TRUEISH']) (await owner.put('/businesshours/1', { is_default })).refused(400, 'FIELD_INVALID', 'is_default');
  for (const zones of ['x', 1, [], '[', '{"monday":', { monday: 'x' }, { monday: { a: 1 } }, { monday: [[9]] }]) {
    const reply = await owner.post('/businesshours', { title: 'x', zones });
    assert.equal(reply.status, 400, `${reply}`);
  }
  (await owner.post('/roles', { title: 'x', type: 'KING' })).refused(400, 'FIELD_INVALID', 'type');
  (await owner.post('/bulk/teams', { teams: 'x' })).must(400);
});

test('a long text is accepted up to a limit', async (t) => {
  const { owner } = await open(t);
  for (const length of [255, 256, 10_000, 1_000_000]) {
    const reply = await owner.post('/teams', { title: 'x'.repeat(length) });
    if (reply.status === 201) assert.equal(reply.data.title.length, length);
    else assert.ok([400, 413].includes(reply.status), `${length}: ${reply.status}`);
  }
  (await owner.post('/teams', { title: 'x'.repeat(1_000_000) })).must(400);
});

test('a body over the limit is 413 and is not read to its end', async (t) => {
  const { owner, desk } = await open(t).then((d) => ({ owner: d.owner, desk: d }));
  const head = (length) => `POST /api/v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: ${login()}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
  const declared = await talk(desk, [head('Content-Length: 10000000000')], { halfClose: false, enough: (text) => text.includes('\r\n\r\n') });
  assert.equal(statusOf(declared), 413, declared.slice(0, 300));
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  async function* endless() {
    yield head('Transfer-Encoding: chunked');
    for (let i = 0; i < 4000; i++) yield chunk; // 256 MiB
  }
  const streamed = await talk(desk, endless(), { halfClose: false, enough: (text) => text.includes('\r\n\r\n') });
  assert.ok([413, 0].includes(statusOf(streamed)), streamed.slice(0, 300)); // 0: the server closed the connection
  assert.equal(await owner.total('/teams'), 0);
});

test('an incomplete body writes nothing', async (t) => {
  const desk = await open(t);
  const body = '{"title":"half written"}';
  for (let cut = 0; cut < body.length; cut += 5) {
    for (const framing of [`Content-Length: ${body.length}\r\n\r\n${body.slice(0, cut)}`, `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body.slice(0, cut)}`]) {
      const answer = await talk(desk, [`POST /api/v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: ${login()}\r\nContent-Type: application/json\r\n${framing}`]);
      assert.ok([400, 408, 0].includes(statusOf(answer)), answer);
    }
  }
  assert.equal(await desk.owner.total('/teams'), 0);
});

test('a path or head over the limit is 414 or 431', async (t) => {
  const desk = await open(t);
  const end = { halfClose: false, enough: (text) => text.includes('\r\n\r\n') };
  const uri = await talk(desk, [`GET /api/v1/teams?x=${'y'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`], end);
  assert.ok([414, 431].includes(statusOf(uri)), uri.slice(0, 200));
  const head = await talk(desk, [`GET /api/v1/teams HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(200_000)}\r\n\r\n`], end);
  assert.equal(statusOf(head), 431, head.slice(0, 200));
  const many = await talk(desk, [`GET /api/v1/teams HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(20_000)}\r\n`], end);
  assert.equal(statusOf(many), 431, many.slice(0, 200));
  assert.equal(await desk.owner.total('/teams'), 0);
});

test('requests that RFC 9112 forbids are refused', async (t) => {
  const desk = await open(t);
  const good = (more) => `POST /api/v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: ${login()}\r\nContent-Type: application/json\r\n${more}`;
  const evil = [
    good('Content-Length: 13\r\nContent-Length: 14\r\n\r\n{"title":"x"}'),
    good('Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    good('Content-Length : 13\r\n\r\n{"title":"x"}'),
    good('Content-Length: +13\r\n\r\n{"title":"x"}'),
    good('Content-Length: 0x0d\r\n\r\n{"title":"x"}'),
    good('Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'),
    good('Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'),
    good('Host: y\r\nContent-Length: 13\r\n\r\n{"title":"x"}'),
    good('X-A: a\rb\r\nContent-Length: 13\r\n\r\n{"title":"x"}'),
    'GET /api/v1/teams HTTP/1.1\r\n\r\n',
    'GET /api/v1/teams\r\nHost: x\r\n\r\n',
    'GET /api/v1/te ams HTTP/1.1\r\nHost: x\r\n\r\n',
  ];
  for (const request of evil) {
    const answer = await talk(desk, [request]);
    assert.ok([400, 501, 0].includes(statusOf(answer)), `${request}\n${answer}`);
  }
  assert.equal(await desk.owner.total('/teams'), 0);
});

test('the server works after all this nonsense', async (t) => {
  const desk = await open(t);
  for (const bytes of ['\r\n\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00', 'x'.repeat(100_000), 'GET', '\0'.repeat(1000), 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']) {
    await talk(desk, [Buffer.from(bytes, 'latin1')]);
  }
  assert.equal(await desk.owner.total('/teams'), 0);
});

test('unknown ids in a body are FIELD_INVALID and write nothing', async (t) => {
  const { owner, customer } = await open(t);
  const before = await owner.total('/users');
  (await owner.post('/users', { full_name: 'X', email: 'x@y.example', role_id: 999 })).refused(400, 'FIELD_INVALID', 'role_id');
  (await owner.post('/users', { full_name: 'X', email: 'x@y.example', team_ids: [999] })).refused(400, 'FIELD_INVALID', 'team_ids');
  assert.equal(await owner.total('/users'), before);
  const { id } = await owner.create('/teams', { title: 'T' });
  (await owner.post(`/teams/${id}/members`, { agent_ids: 999 })).refused(400, 'FIELD_INVALID', 'agent_ids');
  const conversation = await customer.create('/conversations', { subject: 'S', contents: 'C' });
  for (const name of ['status_id', 'type_id', 'priority_id']) {
    (await owner.put(`/conversations/${conversation.id}`, { subject: 'Changed', [name]: 999 })).refused(400, 'FIELD_INVALID', name);
  }
  assert.equal((await owner.fetch(`/conversations/${conversation.id}`)).subject, 'S');
});

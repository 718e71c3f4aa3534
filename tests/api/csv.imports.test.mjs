// Imports of people and organizations from CSV files.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROLE_ID, open, raw } from './lib/index.mjs';
import { until } from './lib/until.mjs';

/** Uploads a file; text is UTF-8 unless it is a buffer. */
async function upload(client, text, name = 'people.csv') {
  const { id } = (await client.post('/files', raw('text/csv', Buffer.from(text)), { query: { _filename: name } })).must(201).data;
  return id;
}
/** Starts an import, and waits until it has ended. */
async function imported(desk, text, more = {}) {
  const file_id = await upload(desk.owner, text);
  const { id } = await desk.owner.create('/csv_imports', { kind: 'USERS', file_id, ...more });
  return ended(desk, id);
}
const ended = (desk, id) => until(`import ${id} ends`, async () => {
  desk.clock.write(desk.clock.now + 1000);
  const row = await desk.owner.fetch(`/csv_imports/${id}`);
  return /COMPLETED|FAILED/.test(row.status) && row;
});
const counts = ({ status, total, created, updated, skipped, rejected }) => ({ status, total, created, updated, skipped, rejected });
const done = (total, created, updated = 0, skipped = 0, rejected = 0) => ({ status: 'COMPLETED', total, created, updated, skipped, rejected });
const errors = async (desk, { id }) => (await desk.owner.get(`/csv_imports/${id}/errors`, { limit: 100 })).must(200).data.map(({ line, column, code }) => [line, column, code]);
const person = async (desk, email) => (await desk.owner.get('/users', { email, include: 'identity_email,identity_phone,organization,tag', fields: '+tags' })).must(200).data[0];

test('an import makes organizations and people with all their columns, and a second one changes them', async (t) => {
  const desk = await open(t), { owner } = desk;
  await owner.create('/users/fields', { type: 'NUMERIC', key: 'size', title: 'Size' });
  const organizations = await imported(desk, 'name;domains;phones;is_shared;tags\r\nAcme;"acme.example, acme.test";\'+49 30 1234567;true;"vip, big"\r\nBeta;;;;\r\n', { kind: 'ORGANIZATIONS' });
  assert.deepEqual(counts(organizations), done(2, 2));
  assert.equal(organizations.delimiter, 'SEMICOLON');
  const text = 'full_name,E-mail,phone,organization,legacy_id,external_identifiers,tags,locale,time_zone,field_values.size,remark\n"Byron, Ada","ada@a.example, ada@b.example",\'+49 30 7654321,ACME,L-1,shop:C-1,"x, y",en-us,Europe/Berlin,42,nothing\n';
  const one = await imported(desk, text);
  assert.deepEqual(counts(one), done(1, 1));
  assert.deepEqual(one.columns.slice(-2), [{ header: 'field_values.size', column: 'field_values.size' }, { header: 'remark', column: null }]);
  const ada = await person(desk, 'ada@b.example');
  assert.equal(ada.full_name, 'Byron, Ada');
  assert.equal(ada.organization.name, 'Acme');
  assert.deepEqual(ada.tags.map(({ name }) => name).sort(), ['x', 'y']);
  assert.equal(ada.custom_fields.find(({ value }) => value === '42')?.value, '42');
  const again = await imported(desk, 'legacy_id,full_name,emails,tags,designation\nL-1,Ada Lovelace,"ada@b.example, ada@c.example",z,\n');
  assert.deepEqual(counts(again), done(1, 0, 1));
  const changed = await person(desk, 'ada@c.example');
  assert.deepEqual([changed.id, changed.full_name, changed.emails.length, changed.tags.length], [ada.id, 'Ada Lovelace', 3, 3]);
  assert.equal(changed.organization.name, 'Acme', 'an import of other columns leaves it');
});

test('a dry run counts and checks, and stores nothing', async (t) => {
  const desk = await open(t);
  const run = await imported(desk, 'full_name,email\nAda,ada@a.example\nBob,bob\n,eve@a.example\n', { is_dry_run: true });
  assert.deepEqual(counts(run), done(3, 1, 0, 0, 2));
  assert.deepEqual(await errors(desk, run), [[3, 'email', 'FIELD_INVALID'], [4, 'full_name', 'FIELD_REQUIRED']]);
  assert.equal(await person(desk, 'ada@a.example'), undefined);
  const csv = (await desk.owner.exchange('GET', `/api/v1/csv_imports/${run.id}/errors?format=csv`)).must(200).text;
  assert.equal(csv.split('\r\n')[1], '3,"email","FIELD_INVALID","This is not an e-mail address.","EMAIL_INVALID",""');
});

test('each refused row has its reason as a word, with the number that the reason speaks of', async (t) => {
  const desk = await open(t), { owner } = desk;
  for (const type of ['NUMERIC', 'DECIMAL', 'DATE', 'YESNO', 'SELECT', 'CHECKBOX', 'FILE', 'REGEX', 'TEXT']) await owner.create('/users/fields', { type, key: type.toLowerCase(), title: type, ...(type === 'REGEX' && { regular_expression: '^[a-z]+$' }), ...(/SELECT|CHECKBOX/.test(type) && { options: ['One'] }) });
  for (const name of ['Twin', 'Twin']) await owner.create('/organizations', { name });
  await owner.create('/users', { full_name: 'A', email: 'a@a.example', legacy_id: 'A' });
  await owner.create('/users', { full_name: 'B', email: 'b@a.example', legacy_id: 'B' });
  /** A line for each: the cells of some columns, the reason, and its number. The row is a new person unless it says more. */
  const reported = async (kind, base, columns, cases) => {
    const names = [...Object.keys(base), ...columns.filter((name) => !(name in base))];
    const lines = cases.map(([cells], i) => typeof cells === 'string' ? cells : names.map((name) => String(cells[name] ?? base[name] ?? '').replaceAll('#', i)).join(';'));
    const run = await imported(desk, [names.join(';'), ...lines, ''].join('\n'), { kind, is_dry_run: true });
    const found = (await owner.get(`/csv_imports/${run.id}/errors`, { limit: 100 })).must(200).data;
    assert.deepEqual(found.map(({ line, reason, most }) => [line, reason, most]), cases.map(([, reason, most = null], i) => [i + 2, reason, most]), JSON.stringify(found));
    return found;
  };
  const value = (type) => `field_values.${type}`;
  const types = ['numeric', 'decimal', 'date', 'yesno', 'select', 'checkbox', 'file', 'regex', 'text'].map(value);
  const found = await reported('USERS', { full_name: 'X', email: 'x#@a.example' }, ['phone', 'legacy_id', 'external_identifiers', 'tags', 'role', 'organization', 'locale', 'time_zone', ...types], [
    ['"x"y', 'TEXT_BEHIND_QUOTE'], ['x"y', 'QUOTE_IN_CELL'], [`${'x'.repeat(1_100_000)}`, 'ROW_TOO_LONG', 1], [`${';'.repeat(300)}`, 'TOO_MANY_CELLS', 256], [`${';'.repeat(40)}x`, 'CELL_WITHOUT_COLUMN'],
    [{ email: 'x' }, 'EMAIL_INVALID'], [{ phone: '12' }, 'PHONE_INVALID'], [{ external_identifiers: 'x' }, 'IDENTIFIER_INVALID'],
    [{ tags: 'x'.repeat(65) }, 'TAG_INVALID', 64], [{ tags: Array.from({ length: 101 }, (_, i) => `t${i}`).join() }, 'TOO_MANY_TAGS', 100], [{ email: Array.from({ length: 101 }, (_, i) => `t${i}@a.example`).join() }, 'TOO_MANY_VALUES', 100],
    [{ external_identifiers: Array.from({ length: 101 }, (_, i) => `t:${i}`).join() }, 'TOO_MANY_VALUES', 100],
    [{ role: 'x' }, 'ROLE_UNKNOWN'], [{ role: 'Admin' }, 'ROLE_OF_STAFF'], [{ email: desk.people.agent.email }, 'PERSON_IS_STAFF'], [{ organization: 'x' }, 'ORGANIZATION_UNKNOWN'], [{ organization: 'twin' }, 'ORGANIZATION_NAME_SHARED'],
    [{ locale: 'x' }, 'LANGUAGE_UNKNOWN'], [{ time_zone: 'x' }, 'TIME_ZONE_UNKNOWN'], [{ full_name: 'x'.repeat(300) }, 'TEXT_TOO_LONG', 255], [{ full_name: 'x\x07' }, 'CHARACTER_NOT_ALLOWED'],
    [{ [value('numeric')]: 'x' }, 'NO_WHOLE_NUMBER'], [{ [value('decimal')]: 'x' }, 'NO_DECIMAL_NUMBER', 18], [{ [value('date')]: 'x' }, 'NO_DATE'], [{ [value('yesno')]: 'x' }, 'NO_YES_OR_NO'], [{ [value('select')]: 'x' }, 'NO_OPTION'],
    [{ [value('checkbox')]: 'x' }, 'NO_OPTIONS'], [{ [value('file')]: 'x' }, 'NO_FILE'], [{ [value('file')]: '4711' }, 'NO_FILE'], [{ [value('regex')]: 'X' }, 'PATTERN_NOT_MET'],
    [{ email: 'a@a.example', legacy_id: 'B' }, 'BELONGS_TO_ANOTHER'], [{ email: ' ' }, 'ADDRESS_MISSING'], [{ full_name: ' ' }, 'VALUE_MISSING'],
  ]);
  assert.deepEqual([found[5].message, found[8].message], ['This is not an e-mail address.', 'A tag has at most 64 characters, without control characters.']);
  await owner.create('/organizations', { name: 'Holder', domains: 'taken.example' });
  await reported('ORGANIZATIONS', { name: 'Org #' }, ['domains', 'is_shared', 'phones'], [
    [{ name: 'twin' }, 'NAME_SHARED'], [{ domains: 'x y' }, 'DOMAIN_INVALID'], [{ is_shared: 'x' }, 'NO_TRUE_OR_FALSE'], [{ phones: 'x' }, 'PHONE_INVALID'],
  ]);
});

/** Runs the file dry and then really. Both have the same report. Returns its numbers and errors. */
async function alike(desk, text, more) {
  const reports = [];
  for (const is_dry_run of [true, false]) {
    const run = await imported(desk, text, { ...more, is_dry_run });
    reports.push({ ...counts(run), errors: await errors(desk, run) });
  }
  assert.deepEqual(reports[0], reports[1]);
  return Object.values(reports[1]).slice(2);
}
/** 220 rows, more than a job does in one write. */
const others = (name) => Array.from({ length: 220 }, (_, i) => `Other,${name}${i}@other.example,,,`);

test('a dry run has the report of the import, also if rows far apart have the same new person', async (t) => {
  const desk = await open(t), { owner } = desk;
  await owner.create('/users', { full_name: 'There', email: 'there@a.example', legacy_id: 'OLD' });
  const rows = [
    'Ada,ada@a.example,L-1,,x', // 2: new
    'There,there@a.example,NEW,,', // 3: loses OLD
    ...others('one'),
    ',ada@a.example,L-2,,y', // 224: the same person, who loses L-1
    'Next,next@a.example,OLD,,', // 225: new, because OLD is free
    ...others('two'),
    ',ADA@a.example,L-1,+49 30 1234567,', // 446: has L-1 again
    ',,,030 1234567,', // 447: no region is set, so this is another number, and a new person without a name
    ',next@a.example,L-1,,', // 448: two people
    ...others('one'), // there
    ',,,+49 (30) 1234567,z', // 669: found by the number
    'Ada,,L-2,,', // 670: L-2 is nobody's, and the new person has no address
  ];
  const text = ['full_name,email,legacy_id,phone,tags', ...rows, ''].join('\n');
  const report = await alike(desk, text);
  assert.deepEqual(report, [442, 224, 0, 3, [[447, 'full_name', 'FIELD_REQUIRED'], [448, 'email', 'FIELD_DUPLICATE'], [670, null, 'ANY_FIELD_REQUIRED']]]);
  assert.deepEqual((await person(desk, 'ada@a.example')).tags.map(({ name }) => name).sort(), ['x', 'y', 'z']);
});

test('a dry run skips as the import does', async (t) => {
  const rows = ['Ada,ada@a.example', ...others('one').map((row) => row.slice(0, -3)), 'Eve,ada@a.example', 'Eve,eve@a.example'];
  assert.deepEqual(await alike(await open(t), ['full_name,email', ...rows, ''].join('\n'), { existing: 'SKIP' }), [222, 0, 1, 0, []]);
});

test('a dry run has the report of the import for organizations that several rows name', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/organizations', { name: 'First', domains: 'first.example' });
  const names = Array.from({ length: 220 }, (_, i) => `Other ${i},`);
  const rows = ['Acme,acme.example', 'Second,first.example', ...names, 'ACME,acme.test', 'First,', ...names, 'Beta,acme.test', 'acme,', 'beta,'];
  assert.deepEqual(await alike(desk, ['name,domains', ...rows, ''].join('\n'), { kind: 'ORGANIZATIONS' }), [223, 224, 0, 0, []]);
});

test('rows of people who are there are skipped if asked', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/users', { full_name: 'Ada', email: 'ada@a.example' });
  assert.deepEqual(counts(await imported(desk, 'full_name,email\nEva,ada@a.example\nBob,bob@a.example\n', { existing: 'SKIP' })), done(2, 1, 0, 1));
  assert.equal((await person(desk, 'ada@a.example')).full_name, 'Ada');
});

test('an import never makes or changes staff', async (t) => {
  const desk = await open(t);
  const run = await imported(desk, `full_name,email,role\nNew,new@a.example,Admin\nMallory,${desk.people.agent.email},\nOld,old@a.example,customer\n`);
  assert.deepEqual(counts(run), done(3, 1, 0, 0, 2));
  assert.deepEqual(await errors(desk, run), [[2, 'role', 'PERMISSIONS_DENIED'], [3, null, 'PERMISSIONS_DENIED']]);
});

test('keys of two people, unknown organizations and wrong cells are errors of their row and column', async (t) => {
  const desk = await open(t);
  await desk.owner.create('/users', { full_name: 'A', email: 'a@a.example' });
  await desk.owner.create('/users', { full_name: 'B', email: 'b@a.example', legacy_id: 'B' });
  const run = await imported(desk, 'full_name,email,legacy_id,organization,time_zone,phone\nX,a@a.example,B,,,\nX,x@a.example,,Nobody,,\nX,y@a.example,,,Mars/Base,\nX,z@a.example,,,,12\nX,,,,,\n"X"y,z@a.example,,,,\nOk,ok@a.example,,,,\n');
  assert.deepEqual(counts(run), done(7, 1, 0, 0, 6));
  assert.deepEqual(await errors(desk, run), [[2, 'email', 'FIELD_DUPLICATE'], [3, 'organization', 'FIELD_INVALID'], [4, 'time_zone', 'FIELD_INVALID'], [5, 'phone', 'FIELD_INVALID'], [6, null, 'ANY_FIELD_REQUIRED'], [7, null, 'FIELD_INVALID']]);
});

test('columns are mapped, and other encodings are read', async (t) => {
  const desk = await open(t);
  const mapping = { 'Wer': 'full_name', 'Post': 'emails', email: '' };
  const utf16 = Buffer.from('\ufeffWer\tPost\temail\nZoë\tzoe@a.example\tno\n', 'utf16le');
  const one = await imported(desk, utf16, { mapping });
  assert.deepEqual([counts(one), one.encoding, one.delimiter], [done(1, 1), 'UTF_16', 'TAB']);
  assert.equal((await person(desk, 'zoe@a.example')).full_name, 'Zoë');
  const windows = Buffer.from('name,email\nZo\xeb \x80,eva@a.example\n', 'latin1');
  assert.deepEqual(counts(await imported(desk, windows, { encoding: 'WINDOWS_1252' })), done(1, 1));
  assert.equal((await person(desk, 'eva@a.example')).full_name, 'Zoë €');
});

test('files that are no table of people are refused at once', async (t) => {
  const desk = await open(t), { owner } = desk;
  const refused = async (text, more = {}) => (await owner.post('/csv_imports', { kind: 'USERS', file_id: await upload(owner, text), ...more })).refused(400, 'FIELD_INVALID');
  await refused('a');
  await refused('\r\n\r\n');
  await refused('email,email\na,b\n');
  await refused('email,full_name,name\na,b,c\n');
  await refused('remark,full_name\na,b\n');
  await refused('email,field_values.nothing\na,b\n');
  await refused('email\n', { mapping: { email: 'nothing' } });
  await refused('email\n', { mapping: { other: 'emails' } });
  await refused(`${'x,'.repeat(1_000_000)}\n`);
  await refused('"email');
  await refused(Buffer.from('em\0ail\n'));
  await refused(Buffer.from('\xe4mail\n', 'latin1'));
  (await owner.post('/csv_imports', { kind: 'USERS' })).refused(400, 'FIELD_REQUIRED', 'file_id');
  (await owner.post('/csv_imports', { kind: 'CASES', file_id: 4711 })).refused(400, 'FIELD_INVALID', 'kind', 'file_id');
  const other = await upload(desk.as('agent'), 'email\n');
  (await owner.post('/csv_imports', { kind: 'USERS', file_id: other })).refused(400, 'FIELD_INVALID', 'file_id');
  (await desk.as('agent').post('/csv_imports', { kind: 'USERS', file_id: other })).refused(403, 'PERMISSIONS_DENIED');
  assert.deepEqual(counts(await imported(desk, 'email\n')), done(0, 0));
});

test('a file that breaks in the middle keeps the rows before it', async (t) => {
  const desk = await open(t);
  const run = await imported(desk, Buffer.from('full_name,email\nAda,ada@a.example\nZo\xeb,zoe@a.example\n', 'latin1'));
  assert.deepEqual(counts(run), { ...done(1, 1), status: 'FAILED' });
  assert.match(run.failure, /^Line 3: The file is not valid UTF-8/);
  assert.deepEqual([run.failure_reason, run.failure_line], ['FILE_NOT_UTF_8', 3]);
  const open_quote = await imported(desk, 'full_name,email\nBob,bob@a.example\n"Eve,eve@a.example\n');
  assert.match(open_quote.failure, /^Line 3: The quote/);
  const fails = async (text, more) => { const row = await imported(desk, text, { is_dry_run: true, ...more }); return [row.failure_reason, row.failure_line]; };
  const wide = (...units) => Buffer.from(Uint16Array.from([0xFEFF, ...[...'full_name,email\nAda,'].map((c) => c.charCodeAt()), ...units]).buffer);
  for (const [reason, text, more] of [['QUOTE_NOT_CLOSED', 'full_name,email\n"Eve'], ['FILE_OF_ANOTHER_ENCODING', 'full_name,email\nA\0,x\n'], ['FILE_NOT_WINDOWS_1252', Buffer.from('full_name,email\n\x81,x\n', 'latin1'), { encoding: 'WINDOWS_1252' }],
    ['FILE_NOT_UTF_16', wide(0xD800, 0x41)], ['FILE_CUT', wide(0x41).subarray(0, -1)]]) assert.deepEqual(await fails(text, more), [reason, 2], reason);
  assert.deepEqual(await fails('full_name,email\nAda,ada@a.example\n'), [null, null]);
  assert.deepEqual((await desk.owner.fetch(`/csv_imports/${run.id}`, { fields: 'failure_reason' })).failure_reason, 'FILE_NOT_UTF_8');
});

test('a row or a quote without an end ends an import with its line', async (t) => {
  const desk = await open(t);
  for (const [reason, end] of [['ROW_WITHOUT_END', 'x'.repeat(9 << 20)], ['QUOTE_NOT_CLOSED', `"${'x\n'.repeat(5 << 20)}"`]]) {
    const row = await imported(desk, `full_name,email\nAda,ada@a.example\n${end}`, { is_dry_run: true });
    assert.deepEqual([row.status, row.failure_reason, row.failure_line, row.created], ['FAILED', reason, 3, 1]);
  }
});

/** Starts an import by `client`, makes a change when some rows are stored, and waits until it has ended. */
async function disturbed(desk, client, name, change) {
  const rows = Array.from({ length: 10_000 }, (_, i) => `${name} ${i},${name}${i}@a.example`);
  const { id } = await client.create('/csv_imports', { kind: 'USERS', file_id: await upload(client, ['full_name,email', ...rows, ''].join('\n')) });
  await until('some rows are read', async () => {
    desk.clock.write(desk.clock.now + 10);
    return (await desk.owner.fetch(`/csv_imports/${id}`)).total > 0;
  });
  await change(id);
  const row = await ended(desk, id);
  assert.equal(row.status, 'FAILED');
  assert.ok(row.created > 0 && row.created < rows.length, `${row.created} rows`);
  assert.ok(await person(desk, `${name}${row.created - 1}@a.example`));
  assert.equal(await person(desk, `${name}${row.created}@a.example`), undefined);
  return row;
}
/** A change of a desk that is down. */
const whileDown = (desk, change) => async (id) => { await desk.kill(); change(id); await desk.restart(); };

test('an import reads a million rows of a file, and no more', async (t) => {
  const desk = await open(t);
  const row = await disturbed(desk, desk.owner, 'long', whileDown(desk, (id) => desk.sql(`UPDATE csv_imports SET row_seq = 1000000 WHERE id = ${id}`))); // with the first line
  assert.deepEqual([row.failure_reason, row.failure_line, row.total], ['TOO_MANY_ROWS', row.created + 2, 1_000_000]);
});

test('an import whose file can be read no more fails, and keeps the rows before', async (t) => {
  const desk = await open(t);
  const row = await disturbed(desk, desk.owner, 'unread', whileDown(desk, (id) => {
    const sha256 = desk.sql(`SELECT f.sha256 FROM csv_imports i JOIN files f ON f.id = i.file_id WHERE i.id = ${id}`).trim(), content = join(desk.dir, 'files', sha256.slice(0, 2), sha256);
    rmSync(content);
    mkdirSync(content); // a folder can be opened, but not read
  }));
  assert.deepEqual([row.failure_reason, row.failure_line, row.total], ['FILE_UNREADABLE', row.created + 2, row.created]);
});

test('an import ends when the person who started it loses the right', async (t) => {
  const desk = await open(t), admin = await desk.person('admin', { full_name: 'Ann' });
  const row = await disturbed(desk, admin.client, 'ann', () => desk.owner.update(`/users/${admin.id}`, { role_id: ROLE_ID.agent }));
  assert.deepEqual([row.failure_reason, row.failure_line, row.total], ['IMPORTER_NOT_PERMITTED', null, row.created]);
});

test('an import of many rows goes on after a crash, with each row once', async (t) => {
  const desk = await open(t);
  const rows = Array.from({ length: 1500 }, (_, i) => `Person ${i},p${i}@a.example`);
  const file_id = await upload(desk.owner, `full_name,email\n${rows.join('\n')}\n`);
  const { id } = await desk.owner.create('/csv_imports', { kind: 'USERS', file_id });
  await until('some rows are read', async () => {
    desk.clock.write(desk.clock.now + 10);
    return (await desk.owner.fetch(`/csv_imports/${id}`)).total > 0;
  });
  await desk.kill();
  await desk.restart();
  assert.deepEqual(counts(await ended(desk, id)), done(1500, 1500));
  assert.equal((await desk.owner.get('/users', { role: 'CUSTOMER', limit: 1 })).body.total_count, 1501);
});

test('a row that is refused while it is written leaves nothing, and the other rows of its part are made once', async (t) => {
  const desk = await open(t), { owner } = desk;
  const { id } = await owner.create('/users', { full_name: 'Many', email: 'a0@many.example' });
  for (let i = 1; i < 100; i++) await owner.create('/identities/emails', { user_id: id, email: `a${i}@many.example` });
  const rows = ['one@a.example,One', '"a7@many.example, a100@many.example",Changed', 'two@a.example,Two', 'three@a.example,Three'];
  for (const [is_dry_run, people] of [[true, []], [false, ['One', 'Two', 'Three']]]) {
    const row = await imported(desk, ['emails,full_name', ...rows, ''].join('\n'), { is_dry_run });
    assert.deepEqual(counts(row), done(4, 3, 0, 0, 1));
    assert.deepEqual((await errors(desk, row)).map(([line]) => line), [3]);
    assert.equal((await owner.fetch(`/users/${id}`)).full_name, 'Many');
    for (const name of ['One', 'Two', 'Three']) {
      const found = (await owner.get('/users', { email: `${name.toLowerCase()}@a.example` })).must(200).data;
      assert.deepEqual(found.map(({ full_name }) => full_name), people.filter((one) => one === name));
    }
  }
  assert.equal((await owner.get('/identities/emails', { user_id: id, limit: 1 })).must(200).body.total_count, 100);
});

test('an export is imported again without changes', async (t) => {
  const desk = await open(t);
  await imported(desk, 'full_name,emails,tags\n\'=1+1,"a@a.example, b@a.example","x, y"\n');
  assert.equal((await person(desk, 'a@a.example')).full_name, '=1+1');
  const text = (await desk.owner.exchange('GET', '/api/v1/users?format=csv&role=CUSTOMER&limit=100')).must(200).text;
  assert.deepEqual(counts(await imported(desk, text)), done(2, 0, 2));
  assert.equal((await desk.owner.exchange('GET', '/api/v1/users?format=csv&role=CUSTOMER&limit=100')).text, text);
});

test('a formula in a cell or in a name of a column is a text, and begins with an apostrophe in each file of the desk', async (t) => {
  const desk = await open(t), header = '=A1+1';
  const run = await imported(desk, `full_name,${header}\n=2+2,a@a.example\n@x,bad\n`, { mapping: { [header]: 'emails' } });
  assert.deepEqual(await errors(desk, run), [[3, header, 'FIELD_INVALID']]);
  assert.equal((await person(desk, 'a@a.example')).full_name, '=2+2');
  const file = async (path) => (await desk.owner.exchange('GET', `/api/v1/${path}`)).must(200).text.split('\r\n')[1];
  assert.match(await file(`csv_imports/${run.id}/errors?format=csv`), /^3,"'=A1\+1",/);
  assert.match(await file('users?format=csv&role=CUSTOMER'), /^\d+,"'=2\+2",/);
});

test('a removed import ends', async (t) => {
  const desk = await open(t);
  const run = await imported(desk, 'email\nx\n');
  (await desk.owner.delete(`/csv_imports/${run.id}`)).must(200);
  (await desk.owner.get(`/csv_imports/${run.id}/errors`)).refused(404, 'RESOURCE_NOT_FOUND');
});

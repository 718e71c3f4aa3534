import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const csv = async (who, path) => (await who.exchange('GET', `/api/v1${path}`)).must(200);
const lines = (text) => text.split('\r\n').slice(0, -1);

test('people are listed as CSV, with all addresses and numbers that count', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const { id: organization_id } = await owner.create('/organizations', { name: 'Acme, "Inc"' });
  await owner.create('/users/fields', { type: 'NUMERIC', key: 'size', title: 'Size' });
  await owner.create('/users/fields', { type: 'FILE', key: 'contract', title: 'Contract' });
  const one = await owner.create('/users', { tags: 'blue,red', external_identifiers: [{ external_app: 'shop', external_id: 'C-1' }], field_values: { size: '42' }, full_name: 'Zoë "Z" Ask', email: 'zoe@a.example', organization_id, legacy_id: 'Z-1', time_zone: 'Europe/Berlin' });
  await owner.create('/identities/emails', { user_id: one.id, email: 'zoe@b.example' });
  await owner.create('/identities/phones', { user_id: one.id, number: '+49 30 1234567' });
  const reply = await csv(owner, '/users?format=csv&email=zoe@a.example');
  assert.match(reply.headers['content-type'], /^text\/csv/);
  assert.deepEqual(lines(reply.text), [
    '"id","full_name","designation","time_zone","legacy_id","role","organization","locale","emails","phones","external_identifiers","tags","field_values.size"',
    `${one.id},"Zoë ""Z"" Ask","","Europe/Berlin","Z-1","Customer","Acme, ""Inc""","en-us","zoe@a.example, zoe@b.example","'+49 30 1234567","shop:C-1","blue, red","42"`,
  ]);
  (await owner.delete(`/organizations/${organization_id}`)).must(200);
  assert.match((await csv(owner, '/users?format=csv&email=zoe@a.example')).text, /"Customer","","en-us",/, 'a deleted organization is not shown');
});

test('a list without people names its columns, also those of custom fields', async (t) => {
  const { owner } = await open(t);
  await owner.create('/users/fields', { type: 'NUMERIC', key: 'size', title: 'Size' });
  await owner.create('/organizations/fields', { type: 'TEXT', key: 'plan', title: 'Plan' });
  const { id } = await owner.create('/organizations', { name: 'Acme' });
  for (const [path, column] of [[`/organizations/${id}/members`, 'size'], ['/users?organization_id=4711', 'size'], ['/organizations?after_id=4711', 'plan'], ['/users/1/organizations', 'plan']]) {
    const [names, ...rest] = lines((await csv(owner, `${path}${path.includes('?') ? '&' : '?'}format=csv`)).text);
    assert.ok(names.endsWith(`,"field_values.${column}"`) && rest.length === 0, `${path}: ${names} ${rest}`);
  }
});

test('names that a spreadsheet would compute begin with an apostrophe', async (t) => {
  const { owner } = await open(t);
  for (const name of ['=1+1', '+1', '-1', '@SUM(A1)']) await owner.create('/organizations', { name });
  const { text } = await csv(owner, '/organizations?format=csv');
  assert.deepEqual(lines(text).slice(1).map((line) => line.split(',')[1]), ['"\'=1+1"', '"\'+1"', '"\'-1"', '"\'@SUM(A1)"']);
});

test('organizations are listed as CSV with domains and numbers', async (t) => {
  const { owner, staff } = await open(t);
  const { id } = await owner.create('/organizations', { name: 'Acme', domains: 'a.example,b.example', phones: '+49 30 1', is_shared: true, legacy_id: 'A-1', tags: 'vip' });
  assert.deepEqual(lines((await csv(staff, '/organizations?format=csv')).text), [
    '"id","name","is_shared","is_validated","legacy_id","domains","phones","tags"',
    `${id},"Acme","true","false","A-1","a.example, b.example","'+49 30 1","vip"`,
  ]);
});

test('pages of people as CSV follow each other, and other filters and refusals stay', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  for (let i = 0; i < 5; i++) await owner.create('/users', { full_name: `Person ${i}`, email: `p${i}@a.example` });
  const all = lines((await csv(owner, '/users?format=csv&role=CUSTOMER&limit=100')).text).slice(1);
  const paged = [];
  for (let after = ''; ;) {
    const page = lines((await csv(owner, `/users?format=csv&role=CUSTOMER&limit=2${after}`)).text).slice(1);
    if (page.length === 0) break;
    paged.push(...page);
    after = `&after_id=${page.at(-1).split(',')[0]}`;
  }
  assert.deepEqual(paged, all);
  assert.equal(all.length, 6);
  assert.equal(lines((await csv(owner, '/users?format=csv&organization_id=4711')).text).length, 1, 'only the names of the columns');
  assert.ok(Array.isArray((await owner.get('/users')).must(200).body.data), 'without format it stays JSON');
  (await owner.get('/users', { format: 'xml' })).refused(400, 'FIELD_INVALID');
  (await desk.customer.get('/users', { format: 'csv' })).refused(403, 'PERMISSIONS_DENIED');
});

test('lists of one organization, team or person are CSV, too', async (t) => {
  const desk = await open(t);
  const { owner } = desk;
  const { id: organization_id } = await owner.create('/organizations', { name: 'Acme' });
  const team = await owner.create('/teams', { title: 'Red' });
  const one = await owner.create('/users', { full_name: 'Ada', email: 'ada@a.example', organization_id });
  const agent = await desk.person('agent', { team_ids: [team.id] });
  const ids = async (path) => lines((await csv(owner, `${path}?format=csv`)).text).slice(1).map((line) => Number(line.split(',')[0]));
  assert.deepEqual(await ids(`/organizations/${organization_id}/members`), [one.id]);
  assert.deepEqual(await ids(`/teams/${team.id}/members`), [agent.id]);
  assert.deepEqual(await ids(`/users/${one.id}/organizations`), [organization_id]);
});

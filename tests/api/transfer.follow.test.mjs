import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROLE_ID, demo, directory } from './lib/index.mjs';
import { raw } from './lib/bodies.mjs';
import { importFrom, skipped, trial } from './lib/source.mjs';

// deskd import --from-api again into the desk of the trial: it follows what has changed at the source since.

const PERSON = { include: 'identity_email,identity_phone,role,user_field_value', fields: '+tags' };
const person = async (desk, { id }) => {
  const row = await desk.owner.fetch(`/users/${id}`, PERSON);
  return {
    name: row.full_name, designation: row.designation, role: row.role.type, enabled: row.is_enabled, organization: row.organization?.id ?? null, teams: row.teams.map((team) => team.id).sort(),
    emails: row.emails.map((e) => [e.email, e.is_primary, e.is_validated]).sort(), phones: row.phones.map((p) => p.number).sort(), tags: row.tags.map((tag) => tag.name).sort(),
    values: Object.fromEntries(row.custom_fields.filter(({ value }) => value).map((v) => [v.field.id, v.value])),
  };
};

test('people and organizations follow the source in what it has changed, and keep what this desk has changed', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source;
  const make = (name, role, more = {}) => owner.create('/users', { full_name: name, email: `${name.toLowerCase()}@source.example`, role_id: ROLE_ID[role], ...more });
  const [size, berth] = [await owner.create('/users/fields', { type: 'TEXT', key: 'size', title: 'Size' }), await owner.create('/users/fields', { type: 'TEXT', key: 'berth', title: 'Berth' })];
  const harbour = await owner.create('/organizations', { name: 'Harbour', domains: ['harbour.example', 'quay.example'] }), pier = await owner.create('/organizations', { name: 'Pier' });
  const team = await owner.create('/teams', { title: 'Night' });
  const ada = await make('Ada', 'customer', { organization_id: harbour.id, field_values: { size: '42', berth: 'B 12' } }), bob = await make('Bob', 'customer'), cyd = await make('Cyd', 'agent', { team_ids: [team.id] }),
    dee = await make('Dee', 'agent', { external_identifiers: [{ external_app: 'shop', external_id: 'D' }] }), eve = await make('Eve', 'customer'), flo = await make('Flo', 'agent'), gus = await make('Gus', 'owner'), me = await owner.fetch('/me');
  const { desk, into } = await trial(t, source);

  // This desk: a role, an address, a team and a person who may no longer log in.
  await desk.owner.update(`/users/${dee.id}`, { role_id: ROLE_ID.admin });
  await desk.owner.update(`/users/${eve.id}`, { is_enabled: false });
  await desk.owner.update(`/users/${gus.id}`, { role_id: ROLE_ID.agent });
  await desk.owner.create('/identities/emails', { user_id: bob.id, email: 'bob@here.example' });
  const own = await desk.owner.create('/teams', { title: 'Of this desk' });
  await desk.owner.update(`/users/${cyd.id}`, { team_ids: [team.id, own.id] });
  (await desk.owner.delete(`/users/${flo.id}`)).must(200);
  await desk.owner.update(`/organizations/${harbour.id}`, { phones: ['+49 40 1111111'] });
  await desk.owner.update(`/users/${cyd.id}`, { external_identifiers: [{ external_app: 'shop', external_id: 'C' }] });

  // The source: names, addresses, roles, rights, values.
  await owner.update(`/users/${ada.id}`, { full_name: 'Ada Byron', designation: 'Captain', organization_id: pier.id, field_values: { size: '43', berth: '' } });
  const former = (await owner.fetch(`/users/${ada.id}`, PERSON)).emails[0], email = await owner.create('/identities/emails', { user_id: ada.id, email: 'byron@source.example', is_primary: true, is_validated: true });
  (await owner.delete(`/identities/emails/${former.id}`)).must(200);
  await owner.create('/identities/phones', { user_id: ada.id, number: '+49 30 1234567' });
  await owner.update(`/users/${bob.id}`, { role_id: ROLE_ID.agent, team_ids: [team.id] });
  await owner.update(`/users/${cyd.id}`, { is_enabled: false, team_ids: [] });
  for (const [row, name] of [[dee, 'Dee Two'], [eve, 'Eve Two'], [flo, 'Flo Two'], [gus, 'Gus Two'], [me, 'Somebody']]) await owner.update(`/users/${row.id}`, { full_name: name });
  await owner.create('/identities/emails', { user_id: dee.id, email: 'mallory@source.example', is_validated: true });
  await owner.update(`/organizations/${harbour.id}`, { name: 'Harbour & Sons', is_shared: true, domains: ['harbour.example', 'sons.example'], phones: ['+49 40 2222222'] });
  await owner.update(`/users/${ada.id}`, { external_identifiers: [{ external_app: 'shop', external_id: 'A' }, { external_app: 'shop', external_id: 'C' }] });
  await owner.update(`/users/${dee.id}`, { external_identifiers: [{ external_app: 'shop', external_id: 'E' }] });
  await owner.create('/users', { full_name: 'Newcomer', email: 'sons@sons.example', role_id: ROLE_ID.customer });
  const mails = desk.sql('SELECT COUNT(*) FROM outgoing_mails'), { said, left } = await into();
  assert.match(said, /1 organizations with changes/);
  assert.match(said, /6 people with changes/);
  assert.match(said, /2 people with other rights/);

  assert.deepEqual(await person(desk, ada), await person(source, ada));
  assert.deepEqual((await person(desk, ada)).emails, [[email.email, true, true]]);
  assert.deepEqual((await person(desk, ada)).values, { [size.id]: '43' });
  const identifiers = async ({ id }) => (await desk.owner.fetch(`/users/${id}`, { include: 'external_identifier' })).external_identifiers.map((x) => x.external_id);
  assert.deepEqual(await Promise.all([ada, cyd, dee].map(identifiers)), [['A'], ['C'], ['D']]); // Dee has a higher role here
  assert.equal(left.get('external identifiers that are not valid, or belong to another person'), 1, said);
  assert.ok(berth.id);
  const now = { bob: await person(desk, bob), cyd: await person(desk, cyd), dee: await person(desk, dee), eve: await person(desk, eve), gus: await person(desk, gus) };
  assert.deepEqual([now.bob.role, now.bob.teams, now.bob.emails.map(([address]) => address)], ['AGENT', [team.id], ['bob@here.example', 'bob@source.example']]);
  assert.deepEqual([now.cyd.enabled, now.cyd.teams], [false, [own.id]]);
  assert.deepEqual([now.dee.name, now.dee.role, now.dee.emails.map(([address]) => address)], ['Dee Two', 'ADMIN', ['dee@source.example']]);
  assert.deepEqual([now.eve.name, now.eve.enabled], ['Eve Two', false]);
  assert.deepEqual([now.gus.name, now.gus.role], ['Gus Two', 'AGENT']);
  assert.notEqual((await desk.owner.fetch('/me')).full_name, 'Somebody');
  assert.equal((await desk.owner.exchange('GET', `/api/v1/users/${flo.id}`)).status, 404);
  for (const what of ['changes of owners of this desk: their rows stay', 'changes of people who were deleted here', 'addresses and numbers of people with a higher role here: they stay']) assert.equal(left.get(what), 1, said);
  const organization = await desk.owner.fetch(`/organizations/${harbour.id}`, { include: 'identity_domain,identity_phone' });
  assert.deepEqual(organization.phone.map((p) => p.number), ['+49 40 2222222', '+49 40 1111111']);
  assert.deepEqual([organization.name, organization.is_shared, organization.domains.map((d) => d.domain).sort()], ['Harbour & Sons', true, ['harbour.example', 'sons.example']]);
  assert.equal(desk.sql('SELECT COUNT(*) FROM outgoing_mails'), mails);
  assert.equal((await desk.owner.fetch('/audit_log', { action: 'USER_ACCESS_CHANGED' })).some((entry) => entry.object?.id === bob.id || entry.object_id === bob.id), true);

  // The next run finds nothing to do.
  assert.doesNotMatch((await into()).said, /with changes|with other rights/);
  assert.deepEqual(await person(desk, bob), now.bob);
});

const told = (text, other) => [{ locale: 'en-us', translation: text }, ...(other ? [{ locale: 'de', translation: other }] : [])];
const TEXTS = { include: 'locale_field,tag' };
const article = async (desk, { id }) => {
  const row = await desk.owner.fetch(`/articles/${id}`, TEXTS), texts = (list) => list.map(({ locale, translation }) => [locale, translation.replace(/"[^"]*\/attachments\/\d+\/url"/g, '"picture"')]).sort();
  const files = await Promise.all(row.attachments.map(async (a) => [a.name, (await desk.owner.exchange('GET', new URL(a.url_download).pathname)).text]));
  return { titles: texts(row.titles), contents: texts(row.contents), section: row.section.id, status: row.status, keywords: row.keywords, featured: row.is_featured, comments: row.allow_comments, tags: row.tags.map((tag) => tag.name).sort(), updated: row.updated_at, files: files.sort() };
};
const comments = async (desk, { id }) => {
  const comment = (c) => [c.contents, c.status, c.user.id, c.created_at, c.replies.map(comment)];
  return (await desk.owner.fetch(`/articles/${id}/comments`, { include: 'comment' })).map(comment).sort();
};

test('articles with their files and comments follow the source', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source;
  for (const { id, locale } of await owner.fetch('/locales')) if (locale === 'de') await owner.update(`/locales/${id}`, { is_enabled: true, is_public: true });
  const file = async (name, text) => (await owner.create('/files', raw('text/plain', Buffer.from(text)), { query: { _filename: name } })).id;
  const [category] = await owner.fetch('/categories'), section = await owner.create('/sections', { titles: told('Oil'), category_id: category.id }), other = await owner.create('/sections', { titles: told('Water'), category_id: category.id });
  const make = async (title, more = {}) => owner.create('/articles', { titles: told(title), contents: told(`<p>${title}.</p>`), section_id: section.id, status: 'PUBLISHED', ...more });
  const oil = await make('Oil', { titles: told('Oil', 'Öl'), contents: told('<p>Oil.</p>', '<p>Öl.</p>'), attachment_file_ids: [await file('old.txt', 'Old'), await file('kept.txt', 'Kept')] }), both = await make('Both'), gone = await make('Gone'), still = await make('Still');
  const first = await owner.create(`/articles/${still.id}/comments`, { contents: 'First.' }), spam = await owner.create(`/articles/${still.id}/comments`, { contents: 'Spam.' });
  await owner.create(`/articles/${still.id}/comments`, { contents: 'To spam.', parent_id: spam.id });
  await owner.put(`/articles/${still.id}/comments/${spam.id}/spam`).then((reply) => reply.must(200));
  await owner.update(`/articles/${still.id}`, { allow_comments: false });
  const { desk, into } = await trial(t, source);
  assert.deepEqual(await comments(desk, still), await comments(source, still));

  await desk.owner.update(`/articles/${both.id}`, { contents: told('<p>Written here.</p>', '<p>Von hier.</p>'), titles: told('Both', 'Beide') });
  (await desk.owner.delete(`/articles/${gone.id}`)).must(200);
  await owner.update(`/articles/${oil.id}`, { titles: told('Engine oil'), contents: told('<p>Look: <b>here</b>.</p>'), section_id: other.id, status: 'DRAFT', keywords: 'engine', is_featured: true, tags: ['oil'], attachment_file_ids: [await file('new.txt', 'New')] });
  const old = (await owner.fetch(`/articles/${oil.id}`)).attachments.find((a) => a.name === 'old.txt');
  (await owner.delete(`/articles/${oil.id}/attachments/${old.id}`)).must(200);
  for (const row of [both, gone]) await owner.update(`/articles/${row.id}`, { contents: told('<p>Written there.</p>') });
  await owner.update(`/articles/${still.id}`, { allow_comments: true });
  await owner.create(`/articles/${still.id}/comments`, { contents: 'Reply.', parent_id: first.id });
  await owner.create(`/articles/${still.id}/comments`, { contents: 'Second.' });
  const { said, left } = await into();
  assert.match(said, /2 comments/);
  assert.match(said, /3 articles with changes/);
  assert.deepEqual(await article(desk, oil), await article(source, oil));
  assert.deepEqual(await comments(desk, still), await comments(source, still));
  const now = await article(desk, both);
  assert.deepEqual(now.contents, [['de', '<p>Von hier.</p>'], ['en-us', '<p>Written there.</p>']]);
  assert.equal(left.get('changes of articles here since: the former texts are among the versions of the article'), 1, said);
  assert.ok((await desk.owner.fetch(`/articles/${both.id}/versions`)).length > 0);
  assert.equal(left.get('changes of articles that were deleted here'), 1, said);

  // Comments of an article that did not change, and that takes none any more.
  await owner.update(`/articles/${still.id}`, { allow_comments: false });
  assert.match((await into()).said, /1 articles with changes/);
  assert.doesNotMatch((await into()).said, /with changes|comments/);
  assert.deepEqual([await comments(desk, still), (await article(desk, still)).comments], [await comments(source, still), false]);
});

test('conversations in the trash of the source go into the trash, and other rows that are gone there are reported', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source, ada = await owner.create('/users', { full_name: 'Ada', email: 'ada@source.example', role_id: ROLE_ID.customer });
  const begun = (subject) => owner.create('/cases', { subject, contents: 'Hello.', requester_id: ada.id });
  const [one, two, three, kept] = [await begun('One'), await begun('Two'), await begun('Three'), await begun('Kept')], pier = await owner.create('/organizations', { name: 'Pier' });
  const bob = await owner.create('/users', { full_name: 'Bob', email: 'bob@source.example', role_id: ROLE_ID.customer }), team = await owner.create('/teams', { title: 'Night' });
  const [category] = await owner.fetch('/categories'), section = await owner.create('/sections', { titles: told('Oil'), category_id: category.id });
  const written = await owner.create('/articles', { titles: told('Oil'), contents: told('<p>Oil.</p>'), section_id: section.id, status: 'PUBLISHED' });
  const { desk, into } = await trial(t, source), state = async ({ id }) => (await desk.owner.fetch(`/cases/${id}`)).state;

  for (const row of [one, two, three]) (await owner.put(`/cases/${row.id}/trash`)).must(200);
  (await owner.delete('/cases/trash', { ids: three.id })).must(200); // deleted for ever
  for (const path of [`/organizations/${pier.id}`, `/users/${bob.id}`, `/teams/${team.id}`, `/articles/${written.id}`]) (await owner.delete(path)).must(200);
  const { said, left } = await into();
  assert.match(said, /2 conversations put into the trash/);
  assert.deepEqual(await Promise.all([one, two, three, kept].map(state)), ['TRASH', 'TRASH', 'ACTIVE', 'ACTIVE']);
  for (const what of ['conversations that were deleted or merged at the source: they stay here', 'organizations that are gone at the source: they stay here', 'people who are gone at the source: they stay here, and can log in', 'teams that are gone at the source: they stay here', 'articles that are gone at the source: they stay here']) assert.equal(left.get(what), 1, said);

  // One is restored at the source and one here. A conversation that was restored here stays until the source changes it.
  (await owner.put(`/cases/${one.id}/restore`)).must(200);
  (await owner.post(`/cases/${one.id}/reply`, { contents: 'Once more.' })).must(201);
  (await desk.owner.put(`/cases/${two.id}/restore`)).must(200);
  assert.match((await into()).said, /1 conversations restored from the trash/);
  assert.deepEqual(await Promise.all([one, two].map(state)), ['ACTIVE', 'ACTIVE']);
  assert.equal((await desk.owner.fetch(`/cases/${one.id}/posts`, { limit: 1 }))[0].contents, 'Once more.');
});

test('links to articles of the source lead to those of this desk', async (t) => {
  const source = await demo(t, { conversations: 1 }), desk = await demo(t, { conversations: 1 }), copy = join(directory(), 'copy'), { owner } = source, host = new URL(source.base).host;
  const [category] = await owner.fetch('/categories'), section = await owner.create('/sections', { titles: told('Oil'), category_id: category.id });
  const write = (title, html) => owner.create('/articles', { titles: told(title), contents: told(html), section_id: section.id, status: 'PUBLISHED' });
  const last = await write('Last', '<p>Last.</p>'), at = (id, words = '') => `${source.base}/helpcenter/en-us/articles/${id}${words}`;
  const first = await write('First', `<p><a href="${at(last.id, '-last?a=1#b')}">Last</a>, ${source.base}/article/${last.id} and <a href="${at(999)}">none</a>, https://other.example/article/${last.id}.</p>`);
  await owner.update(`/articles/${last.id}`, { contents: told(`<p><a href="${source.base}/de/article/${first.id}-first">First</a></p>`) });
  const ada = await owner.create('/users', { full_name: 'Ada', email: 'ada@source.example', role_id: ROLE_ID.customer });
  const asked = await owner.create('/cases', { subject: 'Asked', contents: `See ${at(first.id, '-first')}, please.`, requester_id: ada.id });
  await desk.owner.create('/articles', { titles: told('Here'), contents: told('<p>Here.</p>'), section_id: (await desk.owner.fetch('/sections'))[0].id }); // ids differ
  // Texts that come before the articles.
  await owner.update(`/sections/${section.id}`, { descriptions: told(`See ${at(first.id)}.`) });
  const engines = await owner.create('/categories', { titles: told('Engines'), descriptions: told(`See ${at(first.id)} or ${at(999)} of it.`) });
  await owner.create('/cases/macros', { title: 'Links', reply_contents: `See ${at(first.id, '-first')}, {{requester.name}}.` });
  const brand = await owner.create('/brands', { name: 'Boats', sub_domain: 'boats' }), letter = (await owner.fetch(`/brands/${brand.id}/templates`)).find((row) => row.contents.includes('{{link}}'));
  await owner.update(`/brands/${brand.id}/templates/${letter.name}`, { contents: letter.contents.replace('{{link}}', `${at(first.id)} {{link}}`) });
  const others = async () => {
    const boats = (await desk.owner.fetch('/brands')).find((row) => row.name === 'Boats'), [description, other] = await Promise.all([['/sections', section], ['/categories', engines]].map(async ([path, { id }]) => (await desk.owner.fetch(path, { legacy_ids: `${host}:${id}`, include: 'locale_field' }))[0].descriptions[0].translation));
    const { contents } = await desk.owner.fetch(`/brands/${boats.id}/templates/${letter.name}`), macro = (await desk.owner.fetch('/cases/macros', { show_all: true, limit: 100 })).find((row) => row.title === 'Links');
    return [description, other, macro.reply_contents, /https?:\/\/\S+\/articles\/\d+/.exec(contents)?.[0]];
  };
  const into = async (...more) => {
    await desk.stop();
    const done = await importFrom(desk.dir, source.base, copy, desk.clock.file, more);
    await desk.start();
    assert.equal(done.status, 0, done.errors);
    return skipped(done.said);
  };
  const hereOf = async ({ id }) => (await desk.owner.fetch('/articles', { legacy_ids: `${host}:${id}` }))[0], html = async (row) => (await desk.owner.fetch(`/articles/${(await hereOf(row)).id}`, TEXTS)).contents[0].translation.replaceAll(/ (rel|target)="[^"]*"/g, '');
  assert.equal((await into()).get('texts with links to articles: name this desk with --base-url') > 0, true);
  assert.ok((await html(first)).includes(at(last.id)));
  for (const text of await others()) assert.ok(text.includes(at(first.id)), text);
  const left = await into('--base-url', 'https://desk.example/'), [one, two] = [await hereOf(first), await hereOf(last)];
  assert.notEqual(one.id, first.id);
  assert.equal(await html(first), `<p><a href="https://desk.example/helpcenter/en-us/articles/${two.id}-last?a=1#b">Last</a>, https://desk.example/helpcenter/en-us/articles/${two.id} and <a href="${at(999)}">none</a>, https://other.example/article/${last.id}.</p>`);
  assert.equal(await html(last), `<p><a href="https://desk.example/helpcenter/de/articles/${one.id}-first">First</a></p>`);
  assert.equal(left.get('texts with links to articles that are not here: they lead to the source'), 2);
  const here = `https://desk.example/helpcenter/en-us/articles/${one.id}`;
  assert.deepEqual(await others(), [`See ${here}.`, `See ${here} or ${at(999)} of it.`, `See ${here}-first, {{requester.name}}.`, here]);
  assert.deepEqual(await desk.owner.fetch(`/articles/${one.id}/versions`), []);
  const begun = await owner.create('/cases', { subject: 'Later', contents: `See ${at(first.id, '-first')}, please.`, requester_id: ada.id });
  await into('--base-url', 'https://desk.example/');
  const text = async (row) => (await desk.owner.fetch(`/cases/${(await desk.owner.fetch('/cases', { legacy_ids: `${host}:${row.id}` }))[0].id}/posts`))[0].contents;
  assert.equal(await text(begun), `See https://desk.example/helpcenter/en-us/articles/${one.id}-first, please.`);
  assert.equal(await text(asked), `See ${at(first.id, '-first')}, please.`); // it came before the address of the desk was known
});

test('a further run that is killed while it writes goes on, and gives nothing twice', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source, { desk, into, killed, host } = await trial(t, source);
  const [category] = await owner.fetch('/categories'), section = await owner.create('/sections', { titles: told('Oil'), category_id: category.id });
  const file = async (name) => (await owner.create('/files', raw('text/plain', Buffer.from(name)), { query: { _filename: name } })).id;
  const written = await Promise.all(['One', 'Two', 'Three'].map((title) => owner.create('/articles', { titles: told(title), contents: told(`<p>${title}.</p>`), section_id: section.id, status: 'PUBLISHED' })));
  const people = await Promise.all(['Ada', 'Bob'].map((name) => owner.create('/users', { full_name: name, email: `${name}@source.example`, role_id: ROLE_ID.customer })));
  await into();
  for (const row of people) {
    await owner.update(`/users/${row.id}`, { full_name: `${row.full_name} Two`, tags: ['vip'] });
    await owner.create('/identities/emails', { user_id: row.id, email: `${row.full_name}.two@source.example`, is_primary: true, is_validated: true });
  }
  for (const row of written) {
    await owner.update(`/articles/${row.id}`, { contents: told('<p>Written anew.</p>'), attachment_file_ids: [await file('new.txt')] });
    await owner.create(`/articles/${row.id}/comments`, { contents: 'New.' });
  }
  await killed();
  await into();
  const hereOf = async (path, { id }) => (await desk.owner.fetch(path, { legacy_ids: `${host}:${id}` }))[0];
  for (const row of people) {
    const here = await person(desk, await hereOf('/users', row)), there = await person(source, row);
    assert.deepEqual([here.name, here.emails, here.tags], [there.name, there.emails, there.tags]);
  }
  for (const row of written) {
    const one = await hereOf('/articles', row), here = await article(desk, one), there = await article(source, row);
    assert.deepEqual([here.contents, here.files], [there.contents, there.files]);
    assert.deepEqual((await comments(desk, one)).map(([contents]) => contents), ['New.']);
    assert.equal((await desk.owner.fetch(`/articles/${one.id}/versions`)).length, 1);
  }
});


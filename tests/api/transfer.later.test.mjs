import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROLE_ID, demo, directory } from './lib/index.mjs';
import { raw } from './lib/bodies.mjs';
import { PIXEL, ROLES_OF_SOURCE, hostile, importFrom, person, told, trial } from './lib/source.mjs';

// deskd import --from-api again: it carries what the source has changed or removed, and keeps what this desk has changed.

const tree = async (desk, { id }) => {
  const comment = (c) => [c.contents, c.status, c.replies.map(comment)];
  return (await desk.owner.fetch(`/articles/${id}/comments`, { include: 'comment' })).map(comment).sort();
};

test('comments that the source changed or deleted follow it, unless this desk has changed or answered them', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source;
  const [category] = await owner.fetch('/categories'), section = await owner.create('/sections', { titles: told('Oil'), category_id: category.id });
  const make = () => owner.create('/articles', { titles: told('Oil'), contents: told('<p>Oil.</p>'), section_id: section.id, status: 'PUBLISHED' });
  const article = await make(), silent = await make(), of = `/articles/${article.id}/comments`;
  const write = (contents, more = {}) => owner.create(of, { contents, ...more });
  const [text, html, both, gone, kept, answered, spam, cleared] = await Promise.all(['Text.', '<p>Html.</p>', 'Both.', 'Gone.', 'Kept.', 'Answered.', 'Spam.', 'Cleared.'].map((contents) => write(contents, { is_html: contents[0] === '<' })));
  const reply = await write('Reply.', { parent_id: kept.id }), lost = await write('Lost with it.', { parent_id: gone.id });
  await source.login('agent@example.com').create(`/articles/${silent.id}/comments`, { contents: 'In silence.' });
  await owner.update(`/articles/${silent.id}`, { allow_comments: false });
  const mark = async (desk, { id }, word) => (await desk.owner.put(`${of}/${id}/${word}`)).must(200);
  const drop = async (desk, at) => { for (const { id } of at) (await desk.owner.delete(`${of}/${id}`)).must(200); };
  await mark(source, cleared, 'spam');
  const { desk, into, deny } = await trial(t, source), here = new Map((await desk.owner.fetch(of, { include: 'comment' })).map((c) => [c.contents, c]));
  assert.deepEqual(await tree(desk, article), await tree(source, article));

  // This desk: a mark as spam and an answer. The source: other texts, other states, and comments that are gone.
  await mark(desk, here.get('Both.'), 'spam');
  await mark(desk, here.get('Kept.').replies[0], 'spam');
  await desk.owner.create(of, { contents: 'From here.', parent_id: here.get('Answered.').id });
  await owner.update(`${of}/${text.id}`, { contents: 'Another text.' });
  await owner.update(`${of}/${html.id}`, { contents: '<p>Another <b>html</b>.</p>' });
  await owner.update(`${of}/${both.id}`, { contents: 'Both, changed.' });
  await mark(source, spam, 'spam');
  await mark(source, cleared, 'publish');
  await write('To the cleared one.', { parent_id: cleared.id });
  await drop(source, [gone, kept, answered]);
  const { said, left } = await into();
  assert.deepEqual(await tree(desk, article), [
    ['<p>Another <b>html</b>.</p>', 'PUBLISHED', []], ['Another text.', 'PUBLISHED', []], ['Answered.', 'PUBLISHED', [['From here.', 'PUBLISHED', []]]], ['Both.', 'SPAM', []],
    ['Cleared.', 'PUBLISHED', [['To the cleared one.', 'PUBLISHED', []]]], ['Kept.', 'PUBLISHED', [['Reply.', 'SPAM', []]]], ['Spam.', 'SPAM', []]]);
  for (const what of [/: 4 comments with changes,/, /, 1 comments,/, /, 2 comments deleted/]) assert.match(said, what);
  assert.equal(left.get('changes of comments that were changed here, too: they stay as they are here'), 1, said);
  assert.equal(left.get('comments that are gone at the source, but were changed or answered here: they stay'), 3, said);
  assert.deepEqual(await tree(desk, silent), [['In silence.', 'PUBLISHED', []]]);
  assert.ok(reply.id && lost.id);

  // The next run finds nothing to do. A list that the source does not give removes nothing.
  await drop(source, [text]);
  deny(/comments/);
  assert.doesNotMatch((await into()).said, /comments with changes|comments deleted/);
  deny(null);
  const last = (await into()).said;
  assert.match(last, /: 1 comments deleted/);
  assert.doesNotMatch(last, /comments with changes/);
});

const tagsOf = async (desk, path) => (await desk.owner.fetch(path, { fields: '+tags', include: 'tag' })).tags.map((tag) => tag.name).sort();
const pictureOf = async (desk, { id }) => (await desk.owner.exchange('GET', `/api/v1/users/${id}/avatar`)).headers['content-type'];

test('tags and pictures that the source removed go here, and those of this desk stay', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source;
  const [category] = await owner.fetch('/categories'), section = await owner.create('/sections', { titles: told('Oil'), category_id: category.id });
  const article = await owner.create('/articles', { titles: told('Oil'), contents: told('<p>Oil.</p>'), section_id: section.id, status: 'PUBLISHED' });
  const ada = await owner.create('/users', { full_name: 'Ada', email: 'ada@source.example', role_id: ROLE_ID.customer }), pier = await owner.create('/organizations', { name: 'Pier' });
  const letter = await owner.create('/cases', { subject: 'Oil', contents: 'Hello.', requester_id: ada.id }), paths = [`/cases/${letter.id}`, `/users/${ada.id}`, `/organizations/${pier.id}`, `/articles/${article.id}`];
  for (const path of paths) await owner.update(path, { tags: ['gone', 'kept', 'removed here'] });
  const picture = async (desk, { id }) => desk.owner.update(`/users/${id}/avatar`, { avatar_file_id: (await desk.owner.create('/files', raw('image/png', PIXEL), { query: { _filename: 'dot.png' } })).id });
  const [agent, collaborator, admin] = await Promise.all(['agent', 'collaborator', 'admin'].map(async (who) => (await owner.fetch('/users', { email: `${who}@example.com` }))[0]));
  for (const person of [agent, collaborator, admin]) await picture(source, person);
  const { desk, into } = await trial(t, source);
  for (const path of paths) assert.deepEqual(await tagsOf(desk, path), await tagsOf(source, path), path);
  for (const person of [agent, collaborator, admin]) assert.equal(await pictureOf(desk, person), 'image/png');

  for (const path of paths) await desk.owner.update(path, { tags: ['gone', 'kept', 'of this desk'] });
  await picture(desk, collaborator);
  for (const path of paths) await owner.update(path, { tags: ['kept', 'removed here', 'new'] });
  for (const who of ['agent', 'collaborator']) (await source.login(`${who}@example.com`).delete('/profile/avatar')).must(200);
  await owner.update(`/users/${admin.id}`, { designation: 'Captain' });
  const { said, left } = await into();
  for (const path of paths) assert.deepEqual(await tagsOf(desk, path), ['kept', 'new', 'of this desk'], path);
  assert.deepEqual(await Promise.all([agent, collaborator, admin].map((person) => pictureOf(desk, person))), ['image/svg+xml', 'image/png', 'image/png'], said);
  assert.match(said, /, 1 pictures removed/);
  assert.equal(left.get('pictures of people that were changed here, too: they stay as they are here'), 1, said);

  // The next run compares with this one.
  for (const path of paths) await owner.update(path, { tags: ['removed here', 'new'] });
  await picture(source, agent);
  const next = (await into()).said;
  for (const path of paths) assert.deepEqual(await tagsOf(desk, path), ['new', 'of this desk'], path);
  assert.equal(await pictureOf(desk, agent), 'image/png', next);
  assert.match(next, /, 1 pictures of people/);
});

test('a tag that was deleted as a whole or merged at the source is reported, and stays on rows that have not changed there', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source, make = (name) => owner.create('/users', { full_name: name, email: `${name}@source.example`, role_id: ROLE_ID.customer, tags: ['gone', 'again', 'merged', 'kept'] });
  const [ada, bob] = [await make('Ada'), await make('Bob')], tag = async (name) => (await owner.fetch('/tags', { limit: 1000 })).find((row) => row.name === name), gone = 'tags that were deleted or merged at the source: they stay on rows that did not change';
  const { desk, into, deny } = await trial(t, source), here = ({ id }) => tagsOf(desk, `/users/${id}`);
  for (const name of ['gone', 'again']) (await owner.delete(`/tags/${(await tag(name)).id}`)).must(200);
  (await owner.post(`/tags/${(await tag('kept')).id}/merge`, { tag_ids: [(await tag('merged')).id] })).must(200);
  await owner.update(`/users/${bob.id}`, { designation: 'Captain', tags: ['kept', 'again'] });
  const { said, left } = await into();
  assert.equal(left.get(gone), 2, said); // `again` was made once more
  assert.deepEqual([await here(ada), await here(bob)], [['again', 'gone', 'kept', 'merged'], ['again', 'kept']]);

  // A list that the source does not give is no list without tags. What was deleted here is reported no more.
  deny(/\/tags/);
  assert.equal((await into()).left.get(gone), undefined);
  deny(null);
  (await desk.owner.delete(`/tags/${(await desk.owner.fetch('/tags', { limit: 1000 })).find((row) => row.name === 'gone').id}`)).must(200);
  assert.equal((await into()).left.get(gone), 1);
});

test('a list that the source does not give whole is reported, and none of its rows counts as gone', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source;
  const ada = await owner.create('/users', { full_name: 'Ada', email: 'ada@source.example', role_id: ROLE_ID.customer }), begun = (subject) => owner.create('/cases', { subject, contents: 'Hello.', requester_id: ada.id, tags: ['oil'] });
  const [dropped, trashed] = [await begun('Dropped'), await begun('Trashed')], { desk, into, deny } = await trial(t, source), gone = /gone at the source|deleted or merged at the source/;
  const unread = (what) => `the list of ${what} can't be read: the source answers 403`;
  for (const [pattern, what] of [[/\/articles\?/, 'articles'], [/\/tags\?/, 'tags']]) {
    deny(pattern);
    const { said, left } = await into();
    assert.equal(left.get(unread(what)), 1, said);
    assert.doesNotMatch(said, gone);
  }

  // Conversations that the list does not have may be in the trash.
  for (const row of [dropped, trashed]) (await owner.put(`/cases/${row.id}/trash`)).must(200);
  (await owner.delete('/cases/trash', { ids: dropped.id })).must(200);
  for (const [pattern, what] of [[/\/views\/\d+\/cases/, unread('trash')], [/\/views\?/, 'the list of the trash, which the source does not show']]) {
    deny(pattern);
    const { said, left } = await into();
    assert.equal(left.get(what), 1, said);
    assert.equal(left.get('conversations that were deleted, merged or put into the trash at the source: they stay here'), 2, said);
    assert.doesNotMatch(said, gone);
  }
  deny(null);
  assert.equal((await into()).left.get('conversations that were deleted or merged at the source: they stay here'), 1);
  assert.equal((await desk.owner.fetch(`/cases/${trashed.id}`)).state, 'TRASH');
});

test('teams follow the source in titles, business hours and members, unless this desk has changed them', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source, [night, day] = [await owner.create('/businesshours', { title: 'Night', zones: { monday: [20, 21] } }), await owner.create('/businesshours', { title: 'Day', zones: { monday: [9, 10] } })];
  const [moved, both, ours, gone] = await Promise.all(['Moved', 'Both', 'Ours', 'Gone'].map((title) => owner.create('/teams', { title, businesshour_id: night.id })));
  const [ada, bob, cyd] = await Promise.all(['Ada', 'Bob', 'Cyd'].map((name) => owner.create('/users', { full_name: name, email: `${name}@source.example`, role_id: ROLE_ID.agent, team_ids: [moved.id] })));
  const { desk, into } = await trial(t, source), team = async ({ id }) => { const row = await desk.owner.fetch(`/teams/${id}`); return [row.title, row.businesshour.id]; };
  const members = async ({ id }) => (await desk.owner.fetch(`/teams/${id}/members`)).map((person) => person.full_name).sort();

  await desk.owner.update(`/teams/${both.id}`, { title: 'Both of this desk' });
  await desk.owner.update(`/teams/${ours.id}`, { title: 'Ours here' });
  (await desk.owner.delete(`/teams/${gone.id}`)).must(200);
  await desk.owner.update(`/users/${cyd.id}`, { team_ids: [moved.id, ours.id] });
  for (const row of [moved, both, gone]) await owner.update(`/teams/${row.id}`, { title: `${row.title} there`, businesshour_id: day.id });
  await owner.update(`/users/${ada.id}`, { role_id: ROLE_ID.admin });
  await owner.post(`/teams/${ours.id}/members`, { agent_ids: [bob.id] }).then((reply) => reply.must(201));
  (await owner.delete(`/teams/${moved.id}/members`, { agent_id: bob.id })).must(200);
  const { said, left } = await into();
  assert.deepEqual(await Promise.all([moved, both, ours].map(team)), [['Moved there', day.id], ['Both of this desk', day.id], ['Ours here', night.id]], said);
  assert.deepEqual([await members(moved), await members(ours)], [['Ada', 'Cyd'], ['Bob', 'Cyd']]);
  assert.equal((await desk.owner.fetch(`/users/${ada.id}`, { include: 'role' })).role.type, 'ADMIN');
  assert.match(said, /2 teams with changes/);
  for (const what of ['changes of teams that were changed here, too: they stay as they are here', 'changes of teams that were deleted here']) assert.equal(left.get(what), 1, said);
  assert.doesNotMatch((await into()).said, /teams with changes|changes of teams/);
});

const letter = (text) => `{% block subject %}${text}{% endblock %}\n{% block text %}\nHello {{name}}, it was changed.\n{% endblock %}\n`;
const lettersOf = async (desk, { id }) => Object.fromEntries((await desk.owner.fetch(`/brands/${id}/templates`)).filter((row) => row.is_custom).map((row) => [row.name, /subject %}([^{]*)/.exec(row.contents)[1]]));

test('templates of brands follow the source, unless this desk has changed them', async (t) => {
  const source = await demo(t, { conversations: 1 }), { owner } = source, boats = await owner.create('/brands', { name: 'Boats', sub_domain: 'boats' });
  const [standard] = (await owner.fetch('/brands')).filter((row) => row.is_default), names = (await owner.fetch(`/brands/${boats.id}/templates`)).filter((row) => row.app === 'MAIL' && !row.contents.includes('{{link}}')).map((row) => row.name);
  const [moved, both, back, new_, own] = names, write = (desk, brand, name, text) => desk.owner.update(`/brands/${brand.id}/templates/${name}`, { contents: letter(text) });
  const original = async (brand, name) => (await owner.put(`/brands/${brand.id}/templates/${name}/restore`)).must(200);
  for (const name of [moved, both, back]) await write(source, boats, name, 'First');
  await write(source, standard, moved, 'First');
  const { desk, into } = await trial(t, source);
  assert.deepEqual([await lettersOf(desk, boats), await lettersOf(desk, standard)], [{ [moved]: 'First', [both]: 'First', [back]: 'First' }, { [moved]: 'First' }]);

  await write(desk, boats, both, 'Of this desk');
  await write(desk, boats, own, 'Own');
  for (const name of [moved, both, new_]) await write(source, boats, name, 'Second');
  await write(source, standard, moved, 'Second');
  await original(boats, back);
  const { said, left } = await into(), now = { [moved]: 'Second', [both]: 'Of this desk', [new_]: 'Second', [own]: 'Own' };
  assert.deepEqual([await lettersOf(desk, boats), await lettersOf(desk, standard)], [now, { [moved]: 'Second' }], said);
  assert.match(said, /4 templates with changes/);
  assert.equal(left.get('changes of templates that were changed here, too: they stay as they are here'), 1, said);
  assert.equal((await desk.owner.fetch(`/brands/${boats.id}/templates/${moved}/versions`)).length, 2); // the original, and the first text
  assert.doesNotMatch((await into()).said, /templates/);
  assert.deepEqual(await lettersOf(desk, boats), now);
});

test('the default brand of a desk with rows of its own keeps its values and templates, whichever brand is the default one of the source', async (t) => {
  const desk = await demo(t, { conversations: 1 }), copy = join(directory(), 'copy'), brands = [{ id: 31, name: 'Main', is_default: true }, { id: 32, name: 'Boats', sub_domain: 'boats', is_default: false }];
  const templates = { name: 'password_changed', contents: letter('Theirs'), is_custom: true }, own = [{ id: 1, ...templates }], other = [{ id: 2, ...templates }];
  const { base } = await hostile(t, { brands, roles: ROLES_OF_SOURCE, users: [person(7, 13)], 'brands/31/templates': own, 'brands/32/templates': other });
  const standard = async () => { const row = (await desk.owner.fetch('/brands')).find((brand) => brand.is_default); return [row.name, row.sub_domain, row.updated_at, await lettersOf(desk, row)]; };
  const was = await standard(), into = async () => {
    await desk.stop();
    const done = await importFrom(desk.dir, base, copy, desk.clock.file);
    assert.equal(done.status, 0, done.errors);
    await desk.start();
  };
  await into();
  for (let i = 0; i < 2; i++) {
    for (const row of brands) Object.assign(row, { is_default: !row.is_default, name: `Another ${i}`, updated_at: `2025-01-0${1 + i}T00:00:00+00:00` });
    for (const row of [own[0], other[0]]) row.contents = letter(`Theirs ${i}`);
    await into();
    assert.deepEqual(await standard(), was);
  }
});

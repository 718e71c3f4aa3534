// Common words: what is examined is bounded, and the total says so (docs/SEARCH.md, "Bounds").
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open, shared } from './lib/index.mjs';

const BOUND = 'total_count is a lower bound';
const found = async (who, query, more) => (await who.get('/search', { query, limit: 100, resources: 'CASES', ...more })).must(200);

describe('a desk whose searches examine ten texts', () => {
  let desk, self;
  const made = [];
  const find = (query, who = desk.owner, more = {}) => found(who, query, more);

  shared(async (world) => {
    desk = world.desk;
    self = await desk.person('agent', { agent_case_access: 'SELF' });
    for (let i = 0; i < 16; i++)
      made.push((await desk.owner.create('/cases', {
        subject: `Number n${i}`,
        contents: `common ${i === 0 ? 'freque ' : ''}${i < 12 ? 'frequent' : 'scarce'}`,
        requester_id: desk.people.customer.id,
        ...(i === 3 && { assigned_agent_id: self.id }),
      })).id);
    for (let i = 0; i < 12; i++) await desk.owner.create('/organizations', { name: `Shared ${i}` });
  }, { args: ['--search-texts', '10'] });

  test('a rare word is found completely, also beside common ones', async () => {
    for (const query of ['scarce', 'common scarce', 'scarce common number']) {
      const { body, ids } = await find(query);
      assert.deepEqual([ids.sort((a, b) => a - b), body.total_count, body.logs], [made.slice(12), 4, undefined], query);
    }
    assert.deepEqual((await find('common n0')).ids, [made[0]]);
    assert.deepEqual((await find('"number n0"')).ids, [made[0]], 'the rare word of a phrase is not its longest one');
  });

  test('a common word finds the newest texts, and the total is marked as a lower bound', async () => {
    const reply = (await find('common')).notes(BOUND);
    assert.deepEqual(reply.ids, made.slice(6).reverse());
    assert.equal(reply.body.total_count, 10);
    (await find('common number')).notes(BOUND);
  });

  test('a list with a lower bound has pages, but no address of a last page', async () => {
    const first = (await find('common', desk.owner, { limit: 4 })).notes(BOUND);
    assert.deepEqual([first.body.total_count, first.body.last_url], [10, undefined]);
    assert.doesNotMatch(first.headers.link, /rel="last"/);
    const last = (await find('common', desk.owner, { limit: 4, offset: 8 })).notes(BOUND);
    assert.deepEqual([first.body.next_url !== undefined, last.ids.length, last.body.next_url], [true, 2, undefined]);
    assert.match((await find('scarce', desk.owner, { limit: 2 })).body.last_url, /offset=2/);
  });

  test('the last word also stands for words that begin so if more than ten texts have them', async () => {
    const some = (await find('freque')).notes(BOUND);
    assert.deepEqual(some.ids, [made[0], ...made.slice(2, 12).reverse()], 'an older text with the whole word comes first');
    assert.deepEqual((await find('freque*')).notes(BOUND).ids, made.slice(2, 12).reverse());
    assert.deepEqual((await find('scar')).ids.sort((a, b) => a - b), made.slice(12), 'four texts');
    assert.deepEqual((await find('n0 freque')).ids, [made[0]]);
    assert.deepEqual((await find('freque', self.client)).ids, [made[3]], 'all visible conversations are examined anyway');
    const { id } = await desk.owner.create('/cases', { subject: 'Freque', contents: 'A name', requester_id: desk.people.customer.id });
    const { body } = await find('freque');
    (await desk.owner.put(`/cases/${id}/trash`)).must(200);
    assert.equal(body.data[0].title, 'Freque', 'the whole word comes first');
  });

  test('a last word that is in more than ten texts itself is a whole word for all kinds that are searched', async () => {
    const { id } = await desk.owner.create('/organizations', { name: 'Commonwealth' });
    assert.deepEqual((await find('common', desk.owner, { resources: 'ORGANIZATIONS' })).ids, [id]);
    const both = await find('common', desk.owner, { resources: 'CASES,ORGANIZATIONS' });
    assert.ok(both.data.length === 10 && both.data.every((r) => r.resource === 'case'), String(both));
    (await desk.owner.delete(`/organizations/${id}`)).must(200);
  });

  test('a search of the help center examines four texts of articles with words that begin with the last word', async () => {
    const section = await desk.owner.create('/sections', { titles: 'Birds', category_id: 1, visibility: 'PUBLIC' });
    const write = (titles) => desk.owner.create('/articles', { titles, contents: '<p>A bird.</p>', section_id: section.id, status: 'PUBLISHED' });
    const search = async (query) => (await desk.anyone.get('/helpcenter/search', { query })).must(200);
    for (let i = 0; i < 4; i++) await write(`Pelicans ${i}`);
    assert.equal((await search('pelic')).data.length, 4);
    assert.equal((await search('pelic')).body.logs, undefined);
    await write('Pelicans 4');
    assert.equal((await search('pelic')).notes(BOUND).data.length, 4);
    (await desk.owner.delete(`/sections/${section.id}`)).must(200);
  });

  test('operators and visibility that leave few conversations make the result complete', async () => {
    for (const [query, who] of [['common', self.client], [`common agent:${self.id}`, desk.owner], [`agent:${self.id}`, desk.owner], ['common number', self.client]]) {
      const { body, ids } = await find(query, who);
      assert.deepEqual([ids, body.total_count, body.logs], [[made[3]], 1, undefined], query);
    }
  });

  test('a walk without words is bounded, too', async () => {
    const reply = (await find('status:new')).notes(BOUND);
    assert.deepEqual(reply.ids, made.slice(6).reverse());
    (await find('-scarce status:new')).notes(BOUND);
    (await find('shared', desk.owner, { resources: 'ORGANIZATIONS' })).notes(BOUND);
  });

  test('heads with a common word are found before newer messages', async () => {
    const { id } = await desk.owner.create('/cases', { subject: 'Common', contents: 'Old', requester_id: desk.people.customer.id });
    for (let i = 0; i < 11; i++) await desk.owner.create('/cases', { subject: 'Later', contents: 'Common', requester_id: desk.people.customer.id });
    const reply = (await find('common')).notes(BOUND);
    assert.deepEqual([reply.ids[0], reply.body.total_count], [id, 10]);
  });
});

describe('a desk on which more than 24 words begin with a prefix', () => {
  let desk, self;
  const made = [];
  const find = (query, who = desk.owner, more = {}) => found(who, query, more);

  shared(async (world) => {
    desk = world.desk;
    self = await desk.person('agent', { agent_case_access: 'SELF' });
    for (let i = 0; i < 260; i++)
      made.push((await desk.owner.create('/cases', {
        subject: `Number n${i}`,
        contents: i < 40 ? `quill${'bcfghjkmpz'[i % 10]}${'kvwz'[i / 10 | 0]}` : i === 40 ? 'quill' : i === 41 ? 'quart' : 'other',
        requester_id: desk.people.customer.id,
        ...(i === 3 && { assigned_agent_id: self.id }),
      })).id);
    const section = await desk.owner.create('/sections', { titles: 'Birds', category_id: 1, visibility: 'PUBLIC' });
    for (const titles of ['Quillwort', 'Newer 1', 'Newer 2', 'Newer 3', 'Newer 4'])
      await desk.owner.create('/articles', { titles, contents: '<p>A plant.</p>', section_id: section.id, status: 'PUBLISHED' });
  }, { args: ['--search-texts', '10'] });

  test('the words of a prefix are not listed: the newest texts are compared, and those with the whole word', async () => {
    const reply = (await find('quill*')).notes(BOUND);
    if (!process.env.DATABASE) assert.deepEqual(reply.ids, [], 'newer texts have other words');
    assert.equal((await find('quill')).notes(BOUND).ids[0], made[40]);
    const { id } = await desk.owner.create('/cases', { subject: 'Quilling', contents: 'Paper', requester_id: desk.people.customer.id });
    const both = await find('quill');
    (await desk.owner.put(`/cases/${id}/trash`)).must(200);
    assert.deepEqual(both.ids.slice(0, 2), [id, made[40]]);
  });

  test('a rarer word beside the prefix, and a prefix of few words, are complete', async () => {
    assert.deepEqual((await find('n7 quill*')).ids, [made[7]]);
    assert.deepEqual((await find('n7 quill*')).body.logs, undefined);
    assert.deepEqual((await find('quar*')).ids, [made[41]]);
    assert.deepEqual((await find('quar')).body.logs, undefined);
  });

  test('a caller who sees few conversations finds all of them, whatever words others have', async () => {
    for (const query of ['quill*', 'quill'])
      assert.deepEqual([(await find(query, self.client)).ids, (await find(query, self.client)).body.logs], [[made[3]], undefined], query);
  });

  test('words of conversations make no prefix of articles too many', async () => {
    for (const query of ['quill*', 'quill', 'q*']) {
      const { body } = (await desk.anyone.get('/helpcenter/search', { query })).must(200);
      assert.deepEqual([body.data.map((a) => a.title), body.logs], [['Quillwort'], undefined], query);
    }
  });
});

test('a bounded walk takes the last changed of the own, the teams\' and the unassigned conversations together', async (t) => {
  const desk = await open(t, { args: ['--search-texts', '10'] });
  const teams = await desk.person('agent', { agent_case_access: 'TEAMS' }), made = [];
  for (let i = 0; i < 16; i++) made.push((await desk.owner.create('/cases', { subject: `N${i}`, contents: 'Hello', requester_id: desk.people.customer.id })).id);
  for (const id of made.slice(0, 7)) {
    await desk.clock.forward(1);
    await desk.owner.update(`/cases/${id}`, { assigned_agent_id: teams.id });
  }
  assert.deepEqual((await found(teams.client, 'is:new')).notes(BOUND).ids, [...made.slice(0, 7).reverse(), ...made.slice(13).reverse()]);
});

test('of a tag of many conversations, those that changed last and the newest are found', async (t) => {
  const desk = await open(t, { args: ['--search-texts', '10'] });
  const self = await desk.person('agent', { agent_case_access: 'SELF' }), made = [];
  const tagged = (i) => i % 4 !== 1;
  for (let i = 0; i < 80; i++) {
    await desk.clock.forward(1);
    made.push((await desk.owner.create('/cases', { subject: `N${i}`, contents: 'common', requester_id: desk.people.customer.id, ...(i < 6 && { assigned_agent_id: self.id }), tags: tagged(i) ? 'vip' : 'other' })).id);
  }
  await desk.clock.forward(1);
  await desk.owner.update(`/cases/${made[7]}`, { subject: 'changed' });
  const wanted = [7, ...made.map((_, i) => 79 - i).filter((i) => tagged(i) && i !== 7)].map((i) => made[i]);
  assert.ok(wanted.length > 50);
  const { ids, body } = (await found(desk.owner, 'tag:vip')).notes(BOUND);
  assert.deepEqual([ids, body.total_count], [wanted.slice(0, 10), 10]);
  const words = (await found(desk.owner, 'tag:vip common')).notes(BOUND);
  for (const id of words.ids) assert.ok(wanted.includes(id));
  assert.ok(words.ids.includes(made[7]));
  const own = await found(self.client, 'tag:vip');
  assert.deepEqual([own.ids, own.body.total_count, own.body.logs], [[4, 3, 2, 0].map((i) => made[i]), 4, undefined]);
  for (let i = 30; i < 80; i++) await desk.owner.update(`/cases/${made[i]}`, { tags: 'other' });
  assert.deepEqual((await found(desk.owner, 'tag:vip', { limit: 5 })).ids, made.map((_, i) => 29 - i).filter((i) => i >= 0 && tagged(i)).map((i) => made[i]).sort((a, b) => (b === made[7]) - (a === made[7]) || b - a).slice(0, 5));
});

test('conversations with a common tag that did not change lately are found by the tag', async (t) => {
  const desk = await open(t, { args: ['--search-texts', '10'] }), made = [];
  const make = async (tags) => (await desk.clock.forward(1), (await desk.owner.create('/cases', { subject: 'S', contents: 'common', requester_id: desk.people.customer.id, tags })).id);
  for (let i = 0; i < 55; i++) made.push(await make('vip'));
  for (let i = 0; i < 25; i++) await make('other');
  for (const query of ['tag:vip', 'tag:vip common']) {
    const { ids } = (await found(desk.owner, query)).notes(BOUND);
    assert.ok(ids.length, query);
    assert.deepEqual(query === 'tag:vip' ? ids : [...ids].slice(0, 1), made.slice(query === 'tag:vip' ? -10 : -1).reverse(), query);
  }
});

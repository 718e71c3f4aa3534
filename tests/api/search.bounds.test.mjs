// Common words: what is examined is bounded, and the total says so (docs/SEARCH.md, "Bounds").
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shared } from './lib/index.mjs';

describe('a desk whose searches examine ten texts', () => {
  let desk, self;
  const made = [];
  const find = async (query, who = desk.owner, more = {}) => (await who.get('/search', { query, limit: 100, resources: 'CASES', ...more })).must(200);
  const BOUND = 'total_count is a lower bound';

  shared(async (world) => {
    desk = world.desk;
    self = await desk.person('agent', { agent_case_access: 'SELF' });
    for (let i = 0; i < 16; i++)
      made.push((await desk.owner.create('/cases', {
        subject: `Number n${i}`,
        contents: `common ${i < 12 ? 'frequent' : 'scarce'}`,
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
  });

  test('a common word finds the newest texts, and the total is marked as a lower bound', async () => {
    const reply = (await find('common')).notes(BOUND);
    assert.deepEqual(reply.ids, made.slice(6).reverse());
    assert.equal(reply.body.total_count, 10);
    (await find('common number')).notes(BOUND);
  });

  test('the last word is a whole word if more than ten texts have words that begin so, unless another word is rarer', async () => {
    const none = (await find('freque')).notes('it was searched as a whole word');
    assert.deepEqual([none.ids, none.body.logs.length], [[], 1], 'nothing is missing');
    assert.equal((await find('freque*')).ids.length, 10);
    assert.deepEqual((await find('scar')).ids.sort((a, b) => a - b), made.slice(12), 'four texts');
    assert.deepEqual((await find('n0 freque')).ids, [made[0]]);
    assert.deepEqual((await find('freque', self.client)).ids, [made[3]], 'all visible conversations are examined anyway');
    const { id } = await desk.owner.create('/cases', { subject: 'Freque', contents: 'A name', requester_id: desk.people.customer.id });
    const { body } = await find('freque');
    (await desk.owner.put(`/cases/${id}/trash`)).must(200);
    assert.deepEqual([body.data.map((r) => r.title), body.total_count, body.logs], [['Freque'], 1, undefined]);
  });

  test('a last word that is in more than ten texts itself is a whole word for all kinds that are searched', async () => {
    const { id } = await desk.owner.create('/organizations', { name: 'Commonwealth' });
    assert.deepEqual((await find('common', desk.owner, { resources: 'ORGANIZATIONS' })).ids, [id]);
    const both = await find('common', desk.owner, { resources: 'CASES,ORGANIZATIONS' });
    assert.ok(both.data.length === 10 && both.data.every((r) => r.resource === 'case'), String(both));
    (await desk.owner.delete(`/organizations/${id}`)).must(200);
  });

  test('the last word of a search of the help center is a whole word if more than four texts of articles have words that begin so', async () => {
    const section = await desk.owner.create('/sections', { titles: 'Birds', category_id: 1, visibility: 'PUBLIC' });
    const write = (titles) => desk.owner.create('/articles', { titles, contents: '<p>A bird.</p>', section_id: section.id, status: 'PUBLISHED' });
    const search = async (query) => (await desk.anyone.get('/helpcenter/search', { query })).must(200);
    for (let i = 0; i < 4; i++) await write(`Pelicans ${i}`);
    assert.equal((await search('pelic')).data.length, 4);
    await write('Pelicans 4');
    assert.deepEqual((await search('pelic')).notes('it was searched as a whole word').data, []);
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
    assert.deepEqual(reply.ids, made.slice(12).reverse());
    (await find('-scarce status:new')).notes(BOUND);
    (await find('shared', desk.owner, { resources: 'ORGANIZATIONS' })).notes(BOUND);
  });
});

// Operators, and everything that a search may be by mistake or malice.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, shared } from './lib/index.mjs';

describe('operators', () => {
  let desk, team, ids, self;
  const find = async (query) => (await desk.owner.get('/search', { query, resources: 'CASES', limit: 1000 })).must(200);
  const finds = async (query, ...names) =>
    assert.deepEqual((await find(query)).ids.sort((a, b) => a - b), names.map((n) => ids[n]).sort((a, b) => a - b), query);

  shared(async (world) => {
    desk = world.desk;
    team = await desk.owner.create('/teams', { title: 'Sales & Co' });
    self = await desk.person('agent', { full_name: 'Sam Self', email: 'sam@self.example' });
    const pond = await desk.owner.create('/organizations', { name: 'Duck Pond' });
    const duck = await desk.person('customer', { full_name: 'Donald Duck', organization_id: pond.id });
    const make = async (subject, more) => (await desk.owner.create('/cases', { subject, contents: 'word', requester_id: duck.id, ...more })).id;
    ids = {
      a: await make('A', { status_id: 1, priority_id: 4 }),
      b: await make('B', { status_id: 2, assigned_team_id: team.id }),
      c: await make('C', { status_id: 3, assigned_agent_id: self.id, type_id: 1 }),
    };
    (await desk.owner.post(`/cases/${ids.c}/notes`, { contents: 'noted' })).must(201);
    await desk.clock.forward(2 * DAY);
    ids.d = await make('D', { requester_id: desk.people.customer.id, assigned_agent_id: desk.people.owner.id });
  });

  test('each operator narrows the result', async () => {
    await finds('word', 'a', 'b', 'c', 'd');
    await finds('word status:new', 'a', 'd');
    await finds('word status:NEW,open', 'a', 'b', 'd');
    await finds('status:pending', 'c');
    await finds('-status:new', 'b', 'c');
    await finds('word priority:urgent', 'a');
    await finds('priority:none', 'b', 'c', 'd');
    await finds('type:question', 'c');
    await finds('team:"sales & co"', 'b');
    await finds(`team:${team.id}`, 'b');
    await finds('agent:sam', 'c');
    await finds('agent:sam@self.example', 'c');
    await finds('agent:me', 'd');
    await finds('is:mine word', 'd');
    await finds('agent:none', 'a', 'b');
    await finds('requester:"donald duck" word', 'a', 'b', 'c');
    await finds('organization:duck', 'a', 'b', 'c');
    await finds('is:unassigned', 'a');
    await finds('is:assigned', 'b', 'c', 'd');
    await finds('has:note', 'c');
    await finds('-has:note', 'a', 'b', 'd');
    await finds('is:closed');
    await finds('Status:New AGENT:none', 'a');
  });

  test('dates are days of the desk, moments, or words', async () => {
    const day = (ms) => new Date(ms).toISOString().slice(0, 10), now = desk.clock.now, before = now - 2000 * DAY;
    await finds(`created:${day(now)}`, 'd');
    await finds(`word created<${day(now)}`, 'a', 'b', 'c');
    await finds(`created>${day(before)}`, 'd');
    await finds(`created>=${day(before)} word`, 'a', 'b', 'c', 'd');
    await finds(`created:>${day(before)}`, 'd');
    await finds(`created<${new Date(now - 1000 * DAY).toISOString().slice(0, 19)}Z`, 'a', 'b', 'c');
    await finds('created:today', 'd');
    await finds(`updated<=${day(before)}`, 'a', 'b', 'c');
    for (const bad of ['created>soon', 'created:2026-13-01', 'updated<0', '-created>2026-01-01'])
      (await desk.owner.get('/search', { query: bad })).refused(400, 'FIELD_INVALID', 'query');
  });

  test('an unknown value finds nothing and is named in a notice; an unknown operator is a word', async () => {
    for (const [query, message] of [
      ['status:banana', 'There is no status `banana`.'], ['agent:nobodyatall', 'There is no agent `nobodyatall`.'], ['tag:banana', 'There is no tag `banana`.'],
      ['is:banana', 'There is no `is:banana`.'], ['in:banana word', 'There is no `in:banana`.'], ['has:banana', 'There is no `has:banana`.'],
    ]) {
      const { body } = await find(query);
      assert.deepEqual([body.data, body.total_count], [[], 0], query);
      assert.deepEqual(body.logs.map((l) => l.message), [message]);
    }
    const { id } = await desk.owner.create('/cases', { subject: 'Re: hello', contents: 'See https://pond.example/a', requester_id: desk.people.customer.id });
    assert.deepEqual((await find('re: hello')).ids, [id]);
    assert.deepEqual((await find('https://pond.example/a')).ids, [id]);
  });

  test('a word that looks like an operator is searched as text, and a notice names it', async () => {
    for (const [query, message] of [
      ['subject:word', 'There is no operator `subject:`: it is searched as text.'], ['from:jane word', 'There is no operator `from:`: it is searched as text.'],
      ['missing OR word', 'There is no operator `OR`: it is searched as a word, and a result has all words.'], ['word status>open', '`status>` is searched as text, because only `created` and `updated` are compared.'],
      ['word status: open', '`status:` has no value: write it directly behind the sign.'],
    ]) assert.deepEqual((await find(query)).body.logs?.map((l) => l.message), [message], query);
    for (const query of ['re: hello', 'https://pond.example/a', 'at 10:30', 'C:x', 'OR', 'word or missing', '"subject:word"']) assert.equal((await find(query)).body.logs, undefined, query);
    const many = (await find('aa:1 bb:1 cc:1 dd:1 ee:1 aa:2')).body.logs.map((l) => l.message);
    assert.equal(many.length, 4, 'at most four, each once');
  });

  test('a search without words finds nothing and never fails', async () => {
    for (const query of ['"', '*', '""', '-', '--', '-"', '"*"', '* *', '!', '()', '\'', 'in:', 'status:', '%', '😀', '\u200b', '/', ':', '-*', 'AND', '^', '{x}']) {
      const { body } = await find(query);
      assert.deepEqual([body.status, body.data], [200, []], query);
    }
  });

  test('full-text syntax of the engines is plain text', async () => {
    for (const query of ['word OR missing', 'NEAR(word)', 'terms : word', '{terms}: missing', 'word AND missing', "missing' | 'word", 'wo:*', 'missing" OR "word', '!missing', 'word <-> missing', '\\', '"word" * "'])
      assert.equal((await desk.owner.get('/search', { query })).status, 200, query);
    await finds('missing OR word');
  });

  test('10,000 words, very long words, NUL and invalid UTF-8 are refused or find nothing', async () => {
    const get = (query) => desk.owner.exchange('GET', `/api/v1/search?query=${query}`);
    (await desk.owner.get('/search', { query: 'a '.repeat(450) })).refused(400, 'FIELD_INVALID', 'query');
    (await desk.owner.get('/search', { query: Array.from({ length: 33 }, (_, i) => `w${i}`).join(' ') })).refused(400, 'FIELD_INVALID', 'query');
    assert.deepEqual((await find(Array.from({ length: 32 }, (_, i) => `w${i}`).join(' '))).data, []);
    (await desk.owner.get('/search', { query: 'a b '.repeat(1000) })).refused(400, 'FIELD_INVALID', 'query');
    assert.ok([400, 414].includes((await get('a+'.repeat(10000))).status));
    assert.deepEqual((await find('x'.repeat(1000))).data, []);
    assert.equal((await get('a%00b')).status, 400);
    assert.equal((await get('%ff%fe')).status, 400);
    assert.equal((await get('a%ED%A0%80')).status, 400);
    (await desk.owner.get('/search')).refused(400, 'FIELD_REQUIRED', 'query');
    (await desk.owner.get('/search', { query: '' })).refused(400, 'FIELD_EMPTY', 'query');
    (await desk.owner.get('/search', { query: 'word', resources: 'PLANETS' })).refused(400, 'FIELD_INVALID', 'resources');
    for (const query of ['in:'.repeat(300), 'tag:a '.repeat(160), 'tag:' + 'a,'.repeat(400), 'status:' + '1,'.repeat(400)])
      assert.equal((await desk.owner.get('/search', { query: query.slice(0, 1000) })).status, 200);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rolesOf, shared } from './lib/index.mjs';
import { CALLERS, CANARIES, STAFF, ask, prepare, unread } from './lib/access.mjs';

// The rules of access that hold for one caller or one route. access.walk.*.test.mjs takes each kind of caller through every route.

describe('the world of the walks:', () => {
  const world = shared(prepare);

  test('each caller of the world walks in one of the files', () => {
    assert.deepEqual(Object.values(CALLERS).flat().sort(), Object.keys(world.callers).sort());
  });

  test('every variable of every route has an existing value', () => {
    const empty = world.routes.filter(({ at, path }) => at.length === 0 && !/^\/identities\/(twitter|facebook)\//.test(path) && !/\/profile\/identities\//.test(path));
    assert.deepEqual(empty.map(({ method, path }) => `${method} ${path}`), [], 'the world of this test lacks values for these');
    // Templates exist under every brand. Every file value is already requested below every person.
    const nested = world.routes.filter(({ at, foreign, path }) => at[0]?.variables > 1 && foreign.length === 0 && !/:name|:file_id/.test(path));
    assert.deepEqual(nested.map(({ method, path }) => `${method} ${path}`), [], 'the world of this test lacks a second parent for these');
  });

  test('a search finds a canary for its readers, and shows others no result, total or snippet', async () => {
    const found = new Set();
    for (const caller of STAFF) {
      const none = (await ask(world.callers[caller], 'GET', '/search', { query: { query: 'canaryabsent' } })).must(200);
      for (const canary of Object.keys(CANARIES)) {
        for (const query of [canary, `"${canary}"`, `${canary.slice(0, -1)}*`, `in:cases ${canary}`, `tag:${canary}`]) {
          const reply = (await ask(world.callers[caller], 'GET', '/search', { query: { query } })).must(200);
          if (CANARIES[canary].includes(caller)) {
            if (reply.body.total_count) found.add(`${caller} ${canary}`);
          } else if (!query.endsWith('*')) assert.deepEqual([reply.body.total_count, reply.data], [none.body.total_count, none.data], `${caller}: ${reply}`);
          const shown = JSON.stringify(reply.data);
          for (const [other, readers] of Object.entries(CANARIES)) assert.ok(readers.includes(caller) || !shown.includes(other), `${caller} finds ${other}: ${reply}`);
        }
      }
    }
    for (const canary of ['canarysubject', 'canarybody', 'canaryinternal', 'canaryreply', 'canarycasenote', 'canarymergedbody', 'canarymergednote', 'canaryteambody', 'canaryteamnote']) {
      for (const caller of CANARIES[canary].filter((reader) => STAFF.includes(reader))) assert.ok(found.has(`${caller} ${canary}`), `${caller} does not find ${canary} by search`);
    }
  });

  test('a token reads its one conversation by GET, and nothing else', async () => {
    const { id, token } = world.token;
    const { anyone } = world.desk;
    assert.ok((await ask(anyone, 'GET', `/conversations/${id}`, { query: { token } })).must(200).text.includes('canarysubject'));
    for (const route of world.routes) {
      for (const { address } of route.at) {
        if (route.method === 'GET' && address === `/conversations/${id}`) continue;
        if (route.method !== 'GET' && rolesOf(route.roles) === null) continue; // this route is public
        const reply = await ask(anyone, route.method, address, { query: { token, include: '*' }, ...(['POST', 'PUT'].includes(route.method) && { body: {} }) });
        unread('nobody', reply);
        if (rolesOf(route.roles)) assert.ok([401, 404].includes(reply.status), `${reply}`);
      }
    }
  });

  test('an old token, a foreign one, and those of trashed and merged conversations read nothing', async () => {
    const { desk } = world;
    const { id, token } = world.token;
    const other = (await ask(world.callers.foreign, 'GET', `/conversations/${world.second}`)).must(200).headers['x-request-token'];
    for (const [of, wrong] of [[id, other], [world.second, token], [world.trashed.id, world.trashed.token], [world.merged.id, world.merged.token], [id, `${token}0`]]) {
      const reply = await ask(desk.anyone, 'GET', `/conversations/${of}`, { query: { token: wrong, include: '*' } });
      unread('nobody', reply);
      assert.ok([401, 404].includes(reply.status), `${reply}`);
      unread('foreign', await ask(world.callers.foreign, 'GET', `/conversations/${of}`, { query: { token: wrong, include: '*' } }));
    }
    await desk.clock.forward(121);
    const late = await ask(desk.anyone, 'GET', `/conversations/${id}`, { query: { token } });
    unread('nobody', late);
    assert.equal(late.status, 401);
  });

  test('totals for a customer count what the customer sees', async () => {
    for (const caller of ['requester', 'colleague', 'narrow', 'foreign', 'fingerprint']) {
      for (const query of [{}, { filters: 'MY_ORGANIZATION' }, { status: 'NEW,OPEN' }]) {
        const reply = (await ask(world.callers[caller], 'GET', '/conversations', { query: { ...query, limit: 1000 } })).must(200);
        assert.equal(reply.body.total_count, reply.data.length, `${caller}: ${reply}`);
      }
    }
  });

  test('no argument lets a customer count, sort by or search what customers do not see', async () => {
    const { doc } = world.desk.contract;
    const names = new Set();
    for (const item of Object.values(doc.paths)) {
      for (const operation of Object.values(item)) {
        for (const p of operation.parameters ?? []) if (p.name ? p.in === 'query' : /parameters/.test(p.$ref)) names.add(p.name ?? p.$ref.split('/').at(-1));
      }
    }
    for (const name of ['include', 'fields', 'offset', 'limit', 'ids', 'legacy_ids', 'after_id', 'before_id', 'filters', 'token', '_case', '_empty', '_flat', '_token', '_otp', '_session_id', '_fingerprint_id', '_remember_me']) names.delete(name);
    for (const name of ['tags', 'field_values', 'hidden_note', 'assigned_agent_id', 'order_by', 'order_by_column', 'sort', 'query', 'has_notes', 'is_merged', 'state', 'rating']) names.add(name);
    assert.ok(['tags', 'priority', 'status', 'order_by_column', 'user_id'].every((name) => names.has(name)), [...names].join());
    const values = ['canary*', 'plain', '1', 'canarytag', 'canaryinternal', 'hidden_note', 'ASC', 'TRASH', 'true'];
    await world.desk.owner.put('/settings', { values: { 'cases.status_visible_to_customers': '0' } });
    let honoured = 0;
    for (const caller of ['requester', 'colleague', 'foreign', 'fingerprint']) {
      for (const address of ['/conversations', `/conversations/${world.token.id}/messages`, `/conversations/${world.token.id}/participants`, `/conversations/${world.second}/messages`]) {
        const plain = await ask(world.callers[caller], 'GET', address, { query: { limit: 100 } });
        if (plain.status !== 200) continue;
        for (const name of names) {
          for (const value of [...values, ...(name === 'status' ? ['NEW', 'OPEN', 'CLOSED'] : [])]) {
            const reply = await ask(world.callers[caller], 'GET', address, { query: { limit: 100, [name]: value } });
            unread(caller, reply);
            if (reply.status === 200) {
              assert.deepEqual([reply.body.total_count, reply.ids], [plain.body.total_count, plain.ids], `${caller}, ${name}: ${reply}`);
              honoured++;
            } else assert.ok([400, 403].includes(reply.status), `${caller}: ${reply}`);
          }
        }
      }
    }
    assert.ok(honoured > 1000, `${honoured}`);
  });
});

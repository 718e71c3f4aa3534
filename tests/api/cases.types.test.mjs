import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { raw, routes, shared } from './lib/index.mjs';
import { Addresses, explore, walk } from './lib/walk.mjs';

// Wrong values for every member and argument of the operations on conversations, generated from the OpenAPI document. The answer is a 4xx that
// names the parameter, or the value is accepted. It is never a 5xx.

const AREA = /^\/(conversations|cases|views|search|autocomplete|users\/:id\/(notes|cases|posts)|organizations\/:id\/(notes|cases)|files)/;
const DESTROYS = /^\/cases\/(:id\/)?(trash|restore|merge)$/;
const LONG = 'x'.repeat(10_000);
/** [name, JSON text, whether a scalar member refuses it]. */
const VALUES = [
  ['null', 'null', false], ['an empty array', '[]', false], ['an array of arrays', '[[1]]', true], ['an array of null', '[null]', false], ['an object', '{"a":1}', true],
  ['nested objects', '{"a":{"b":[{"c":null}]}}', true], ['10,000 characters', JSON.stringify(LONG), false], ['NUL', '"a\\u0000b"', false], ['true', 'true', false],
  ['a negative number', '-1', false], ['a fraction', '1.5', false], ['a huge number', '1e400', false], ['2^63', '9223372036854775808', false],
  ['a control character', '"\\u0007"', false], ['a text that turns', '"\\u202Etxt"', false], ['an empty text', '""', false], ['SQL', JSON.stringify("'; DROP TABLE cases; --"), false],
];
const SCALARS = ['string', 'integer', 'number', 'boolean'];

describe('wrong values at operations on conversations:', () => {
  const world = shared(async (w) => {
    const { desk } = w;
    const addresses = new Addresses(desk.base);
    const made = async (client, path, body) => addresses.learn((await client.post(path, body)).must(201)).data;
    const conversation = await made(desk.customer, '/conversations', { subject: 'S', contents: 'C' });
    const answer = await made(desk.staff, `/conversations/${conversation.id}/messages`, { contents: 'Answer' });
    addresses.paths.add(`/cases/${conversation.id}/reply/${answer.id}`);
    const asked = (await desk.owner.post(`/cases/${conversation.id}/forward`, { to: ['out@else.example'], contents: 'C' })).must(201).data;
    addresses.paths.add(`/cases/${conversation.id}/forward/${asked.post.id}`);
    const later = (await desk.owner.post(`/cases/${conversation.id}/reply`, { contents: 'Later', send_at: new Date(desk.clock.now + 86_400_000).toISOString() })).must(201).data.scheduled_reply;
    addresses.paths.add(`/cases/${conversation.id}/scheduled_replies/${later.id}`);
    const draft = (await desk.owner.put(`/cases/${conversation.id}/draft`, { contents: 'Begun', is_shared: true })).must(200).data;
    addresses.paths.add(`/cases/${conversation.id}/drafts/${draft.id}`).add(`/cases/${conversation.id}/drafts/${draft.id}/take`);
    for (const owner of [`cases/${conversation.id}`, `users/${desk.people.customer.id}`]) await made(desk.staff, `/${owner}/notes`, { contents: 'Note' });
    const organization = await made(desk.owner, '/organizations', { name: 'O' });
    await made(desk.staff, `/organizations/${organization.id}/notes`, { contents: 'Note' });
    const rating = (await desk.customer.post(`/conversations/${conversation.id}/ratings`, { score: 'GOOD' })).must(200).data;
    addresses.paths.add(`/conversations/${conversation.id}/ratings/${rating.id}`);
    await made(desk.owner, '/cases/fields', { type: 'TEXT', key: 'colour', title: 'Colour' });
    await made(desk.owner, '/cases/forms', { title: 'F', customer_title: 'F', description: 'F' });
    await made(desk.owner, '/views', { title: 'V' });
    if (desk.has('POST', '/cases/macros')) await made(desk.owner, '/cases/macros', { title: 'M', reply_contents: 'R' });
    w.id = conversation.id;
    await explore(desk.owner, addresses);
    w.routes = walk(addresses, 2).filter(({ path }) => AREA.test(path));
  });

  const schemaOf = (schema) => (schema?.$ref ? world.desk.contract.at(schema.$ref) : schema);
  const typesOf = (schema) => [schemaOf(schema)?.type ?? []].flat();
  const bodyOf = (method, path) => {
    const { requestBody } = world.desk.contract.route(`/api/v1${path}`)?.item[method.toLowerCase()] ?? {};
    const body = requestBody?.$ref ? world.desk.contract.at(requestBody.$ref) : requestBody;
    return schemaOf(body?.content['application/json']?.schema)?.properties ?? {};
  };
  const isIgnored = (reply, name) => reply.notices.some((text) => text.startsWith(`${name} was ignored`));
  const isNamed = (reply, name) => isIgnored(reply, name) || reply.body.errors.some((e) => [e.parameter, e.pointer].some((at) => at === name || new RegExp(`^${name}([[/.]|$)`).test(at ?? '')));

  test('a body with one wrong member', async () => {
    let refused = 0;
    const accepted = [];
    for (const { method, path, at } of world.routes.filter((r) => ['POST', 'PUT'].includes(r.method) && !DESTROYS.test(r.path))) {
      const address = at.at(-1)?.address;
      if (!address) continue;
      for (const [name, schema] of Object.entries(bodyOf(method, address))) {
        for (const [what, text, wrong] of VALUES) {
          const reply = await world.desk.owner.request(method, address, { query: ['/cases', '/cases/snooze'].includes(address) && method === 'PUT' ? { ids: world.id } : {}, body: raw('application/json', `{${JSON.stringify(name)}:${text}}`) });
          const fits = [200, 201, 202, 400, 403, 404, ...(/\/draft$/.test(path) ? [412] : [])]; // a draft with other contents is not overwritten
          assert.ok(fits.includes(reply.status), `${what} as ${name}: ${reply}`);
          if (reply.status === 400) for (const e of reply.body.errors) assert.ok(e.parameter || e.code !== 'FIELD_INVALID', `${what} as ${name}: ${reply}`);
          const types = typesOf(schema).filter((type) => type !== 'null');
          if (!wrong || !types.length || !types.every((type) => SCALARS.includes(type))) continue;
          if (!(isNamed(reply, name) && reply.status >= 400) && !isIgnored(reply, name)) accepted.push(`${what} as ${name}: ${method} ${path} ${reply}`);
          refused++;
        }
      }
    }
    assert.deepEqual(accepted, []);
    assert.ok(refused > 200, `${refused}`);
  });

  test('half of a surrogate pair in any member is BODY_INVALID', async () => {
    for (const { method, at } of world.routes.filter((r) => ['POST', 'PUT'].includes(r.method))) {
      const address = at.at(-1)?.address;
      if (!address) continue;
      for (const name of Object.keys(bodyOf(method, address)).slice(0, 3)) {
        for (const half of ['\\ud800', '\\udc00', '\\ud800x']) {
          (await world.desk.owner.request(method, address, { body: raw('application/json', `{${JSON.stringify(name)}:"${half}"}`) })).refused(400, 'BODY_INVALID');
        }
      }
    }
  });

  test('a wrong argument of a list or a single resource', async () => {
    let refused = 0;
    for (const { path, at } of world.routes.filter((r) => r.method === 'GET')) {
      const address = at.at(-1)?.address;
      const operation = address && world.desk.contract.route(`/api/v1${address}`)?.item.get;
      for (const ref of operation?.parameters ?? []) {
        const { name, in: where, schema } = ref.$ref ? world.desk.contract.at(ref.$ref) : ref;
        if (where !== 'query' || name.startsWith('_') || name === 'token') continue;
        for (const query of [`${name}=${LONG.slice(0, 3000)}`, `${name}=a%00b`, `${name}[]=1&${name}[]=2`, `${name}[a][b]=1`, `${name}=-1`, `${name}=9223372036854775808`, `${name}=%22`, `${name}=*`, `${name}=%25`, `${name}=1&${name}=2`, `${name}`, `${name}=`]) {
          const reply = await world.desk.owner.request('GET', `${address}?${query}`);
          assert.ok(reply.status < 500, `${reply}`);
          if (reply.status === 400) for (const e of reply.body.errors) assert.ok(e.parameter || !e.code.startsWith('FIELD_'), `${reply}`);
          if (typesOf(schema).includes('integer') && /=x|%00/.test(query)) {
            const malformed = /%00/.test(query) && reply.body.errors?.[0].code === 'BODY_INVALID';
            assert.ok(malformed || (reply.status === 400 && isNamed(reply, name)), `${path}: ${reply}`);
            refused++;
          }
        }
      }
    }
    assert.ok(refused > 50, `${refused}`);
  });

  test('the area has an address for each of its operations', () => {
    const empty = world.routes.filter(({ at, path }) => at.length === 0 && !/attachment|file|download|message_id\//.test(path));
    assert.deepEqual(empty.map(({ method, path }) => `${method} ${path}`), []);
    assert.ok(world.routes.length > 90 && routes().length > world.routes.length, `${world.routes.length}`);
  });
});

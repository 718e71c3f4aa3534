// Numbers and texts that a column of the store can't hold. No request with one is a failure of the server: it is compared, refused by name, or names nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/index.mjs';

const NUMBERS = ['2147483647', '2147483648', '-2147483649', '9223372036854775807', '-9223372036854775808', '9223372036854775808'];

/** Texts with NUL. PostgreSQL stores none. */
const TEXTS = ['\0', 'a\0b'];

const whole = (schema) => [schema?.type].flat().includes('integer');
const options = (schema) => [schema, ...(schema?.anyOf ?? []), ...(schema?.oneOf ?? [])];
const takesNumber = (schema) => options(schema).some((one) => whole(one) || whole(one?.items));
const isText = (schema) => [schema?.type].flat().includes('string');
const takesText = (schema) => options(schema).some((one) => isText(one) || isText(one?.items));

/** takes(schema): the arguments and members that are tried. */
function operations(desk, takes) {
  const { doc } = desk.contract;
  const resolved = (x) => (x?.$ref ? desk.contract.at(x.$ref) : x);
  return Object.entries(doc.paths).flatMap(([path, item]) => ['get', 'post', 'put', 'delete'].filter((method) => item[method]).map((method) => {
    const operation = item[method];
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolved);
    const json = resolved(operation.requestBody)?.content['application/json'];
    const body = resolved(json?.schema);
    return {
      method: method.toUpperCase(), path: path.replace(/^\/api\/v1/, ''),
      args: parameters.filter((p) => p.in === 'query' && takes(resolved(p.schema))).map((p) => p.name),
      example: json?.example ?? {},
      members: Object.entries(body?.properties ?? {}).filter(([, schema]) => takes(resolved(schema))).map(([name]) => name),
    };
  }));
}

const at = (path, id) => path.replaceAll(/\{\w+\}/g, id);

/** Sends each value in each path, argument and member that takes it. sent(value): as a member. */
async function noneFails(t, values, takes, sent) {
  const desk = await open(t);
  const { client } = await desk.session(desk.owner);
  const failed = [];
  let asked = 0;
  const ask = async (method, path, given) => {
    const reply = await client.exchange(method, `/api/v1${path}`, given);
    asked++;
    if (reply.status >= 500) failed.push(`${reply}`.slice(0, 300));
  };
  for (const { method, path, args, example, members } of operations(desk, takes)) {
    if (/erase|\/session/.test(path)) continue; // the caller stays logged in
    if (path.includes('{')) for (const value of values) await ask(method, at(path, encodeURIComponent(value)), method === 'GET' || method === 'DELETE' ? {} : { body: {} });
    if (method === 'DELETE') continue; // the objects of the others stay
    for (const name of args) for (const value of values) await ask(method, at(path, '1'), { query: { [name]: value }, ...(method === 'GET' ? {} : { body: example }) });
    for (const name of members) for (const value of values) await ask(method, at(path, '1'), { body: { ...example, [name]: sent(value) } });
  }
  assert.ok(asked > 1000, `only ${asked} requests`);
  assert.deepEqual(failed, []);
}

test('a number of any size is no failure of the server, in a path, an argument or a parameter',
  (t) => noneFails(t, NUMBERS, takesNumber, (number) => (Number.isSafeInteger(Number(number)) ? Number(number) : number)));

test('a text with NUL is no failure of the server, in a path, an argument or a parameter', (t) => noneFails(t, TEXTS, takesText, (text) => text));

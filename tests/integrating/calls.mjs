/** Programs in TypeScript that call operations of an OpenAPI document, with a value of each type. */

const isPlain = (name) => /^[A-Za-z_$][\w$]*$/.test(name);
const key = (name) => (isPlain(name) ? name : JSON.stringify(name));
const typeOf = ({ type }) => (Array.isArray(type) ? type.find((name) => name !== 'null') : type);

/** The members of an object: all, or the mandatory ones. */
function members(doc, { properties = {}, required = [] }, all) {
  const names = Object.keys(properties).filter((name) => all || required.includes(name));
  return `{ ${names.map((name) => `${key(name)}: ${value(doc, properties[name], all)[0]}`).join(', ')} }`;
}

/** Values of a schema as expressions: one for each alternative of it. */
function value(doc, schema, all) {
  if (schema.$ref) return value(doc, schema.$ref.split('/').slice(1).reduce((at, name) => at[name], doc), all);
  if (schema.anyOf) return schema.anyOf.flatMap((one) => value(doc, one, all));
  if (schema.enum) return [JSON.stringify(schema.enum[0])];
  switch (typeOf(schema)) {
    case 'string': return ['"text"'];
    case 'integer': case 'number': return ['1'];
    case 'boolean': return ['true'];
    case 'array': return [`[${value(doc, schema.items, all).join(', ')}]`];
    case 'object': return [schema.properties ? members(doc, schema, all) : '{ member: "text", list: [1] }'];
    default: return ['{ any: ["value"] }'];
  }
}

/** The arguments of the path, and the mandatory ones of the query. */
function parameters(doc, item, operation) {
  const wanted = [...item.parameters ?? [], ...operation.parameters ?? []].filter(({ required }) => required);
  const within = (place) => wanted.filter((one) => one.in === place).map((one) => `${key(one.name)}: ${value(doc, one.schema, true)[0]}`);
  const parts = ['path', 'query'].filter((place) => within(place).length).map((place) => `${place}: { ${within(place).join(', ')} }`);
  return parts.length ? [`params: { ${parts.join(', ')} }`] : [];
}

/** A function that calls each operation of a method that takes JSON, with the mandatory members and with all of them. */
export function calls(doc, method) {
  const lines = [];
  for (const [path, item] of Object.entries(doc.paths)) {
    const schema = item[method]?.requestBody?.content['application/json']?.schema;
    if (!schema) continue;
    for (const all of [false, true]) {
      const [body] = value(doc, schema, all), options = [...parameters(doc, item, item[method]), `body: ${body}`];
      lines.push(`  await desk.${method.toUpperCase()}(${JSON.stringify(path)}, { ${options.join(', ')} });`);
    }
  }
  const text = ["import createClient from 'openapi-fetch';", "import type { paths } from './openapi.js';", '',
    'export async function run(desk = createClient<paths>()) {', ...lines, '}', ''].join('\n');
  return { text, count: lines.length };
}
